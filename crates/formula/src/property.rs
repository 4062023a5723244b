//! Properties, definitions and the files that hold them.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use crate::automaton::Automaton;
use crate::infer;
use crate::lex::{Lexeme, tokenise};
use crate::mu;
use crate::parse::{self, Dialect, foreign, property_file};
use crate::syntax::{Ident, Node};
use causet_base::span::Span;
use causet_base::{Code, Diagnostic};

/// The kind of a property: which logic its text is read in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// CTL over cuts.
    Ctl,
    /// LTL over complete runs.
    Ltl,
    /// A predicate that holds at some cut of some run, or an order of positions that some run has.
    Possibly,
    /// A predicate that holds at some cut of every run, or an order of positions that every run has.
    Definitely,
    /// The modal mu-calculus over action labels.
    Mu,
    /// A finite automaton over events.
    Monitor,
    /// A finite automaton of another tool, which must accept every run.
    Automaton,
}

impl Kind {
    /// The kinds that stand before a formula, in the order of the manual.
    pub const WITH_FORMULA: [Kind; 5] = [
        Kind::Ctl,
        Kind::Ltl,
        Kind::Possibly,
        Kind::Definitely,
        Kind::Mu,
    ];

    /// The kinds this version decides; the others are recognised, and refused by name.
    pub const AVAILABLE: [Kind; 7] = [
        Kind::Ctl,
        Kind::Ltl,
        Kind::Possibly,
        Kind::Definitely,
        Kind::Mu,
        Kind::Monitor,
        Kind::Automaton,
    ];

    /// The word for it, in property files and results.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Ctl => "ctl",
            Kind::Ltl => "ltl",
            Kind::Possibly => "possibly",
            Kind::Definitely => "definitely",
            Kind::Mu => "mu",
            Kind::Monitor => "monitor",
            Kind::Automaton => "automaton",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A property as it was written.
#[derive(Clone, Debug)]
pub struct Property {
    /// Its name in reports.
    pub name: String,
    /// The logic it is written in.
    pub kind: Kind,
    /// The formula's own text (for a monitor, the block in braces; for an automaton, what it was given as).
    pub text: String,
    /// Where that text stands in the source; every other span is relative to the source too.
    pub span: Span,
    /// The formula; `None` for the mu-calculus and for automata from outside.
    pub(crate) syntax: Option<Node>,
    /// What it is instead, for an automaton from outside.
    pub(crate) automaton: Option<Arc<Automaton>>,
    /// What it is instead, for the mu-calculus.
    pub(crate) mu: Option<Arc<mu::Formula>>,
}

impl Property {
    /// Reads one formula, as given on the command line; it sees no definitions.
    pub fn parse(kind: Kind, name: &str, text: &str) -> Result<Property, Vec<Diagnostic>> {
        if kind == Kind::Mu {
            return Property::parse_mu(name, text, &|_| None);
        }
        let (lexemes, mut errors) = tokenise(text);
        let end = lexemes
            .last()
            .map_or(Span::default(), |last| last.span.after());
        let property = |syntax| Property {
            name: name.to_owned(),
            kind,
            text: text.to_owned(),
            span: Span::from(0..text.len()),
            syntax: Some(syntax),
            automaton: None,
            mu: None,
        };
        match syntax(kind, &lexemes, end) {
            Ok(syntax) if errors.is_empty() => return Ok(property(syntax)),
            Ok(_) => {}
            Err(more) => errors.extend(more),
        }
        Err(in_order(errors))
    }

    /// Reads one formula whose kind is not given: a word such as `possibly` before it says so, or its operators.
    ///
    /// ```
    /// use causet_formula::{Kind, Property};
    ///
    /// let kind = |text| Property::infer("p", text).map(|property| property.kind);
    /// assert_eq!(kind("AG !(a.x = 1 && b.x = 1)"), Ok(Kind::Ctl));
    /// assert_eq!(kind("G (a.x = 1 -> F b.x = 1)"), Ok(Kind::Ltl));
    /// assert_eq!(kind("possibly a.x = 1"), Ok(Kind::Possibly));
    /// assert!(kind("a.x = 1").is_err());
    /// ```
    pub fn infer(name: &str, text: &str) -> Result<Property, Vec<Diagnostic>> {
        let kind = infer::kind(text)?;
        let rest = infer::without_word(text);
        let start = text.len() - rest.len();
        // Blanks in the place of the word keep every span.
        let blank = " ".repeat(start);
        let mut property = Property::parse(kind, name, &format!("{blank}{rest}"))?;
        property.span = Span::from(start..text.len());
        property.text = rest.to_owned();
        Ok(property)
    }

    /// Reads a formula of the mu-calculus; `libraries` gives the text of a macro library by its name.
    pub fn parse_mu(
        name: &str,
        text: &str,
        libraries: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Property, Vec<Diagnostic>> {
        let formula = mu::read(text, libraries)?;
        Ok(Property {
            name: name.to_owned(),
            kind: Kind::Mu,
            text: text.to_owned(),
            span: Span::from(0..text.len()),
            syntax: None,
            automaton: None,
            mu: Some(Arc::new(formula)),
        })
    }

    /// The syntax of the formula; `None` for the mu-calculus, which has its own, and for automata from outside.
    pub fn syntax(&self) -> Option<&Node> {
        self.syntax.as_ref()
    }

    /// The formula of the mu-calculus, for a property of that kind.
    pub fn mu(&self) -> Option<&mu::Formula> {
        self.mu.as_deref()
    }
}

/// Reads all tokens as a property of that kind, which is one of those with predicates.
pub(crate) fn syntax(kind: Kind, lexemes: &[Lexeme], end: Span) -> Result<Node, Vec<Diagnostic>> {
    match kind {
        Kind::Ctl | Kind::Possibly | Kind::Definitely => {
            parse::formula(lexemes, end, Dialect::Branching)
        }
        Kind::Ltl => parse::formula(lexemes, end, Dialect::Linear),
        Kind::Monitor => parse::monitor(lexemes, end),
        Kind::Mu | Kind::Automaton => Err(vec![
            Diagnostic::at(
                Code::NotWritten,
                Span::default(),
                "an automaton is not written as a formula",
            )
            .with_label("expected a property of another kind")
            .with_help("a monitor is written `{ start s; s -> t on P; bad t }`"),
        ]),
    }
}

/// A file of definitions and named properties.
#[derive(Clone, Debug, Default)]
pub struct PropertyFile {
    /// The properties and monitors, in the order of the file.
    pub properties: Vec<Property>,
    /// The definitions they may use.
    pub lets: Lets,
}

impl PropertyFile {
    /// Reads a file. All errors are reported that can be found by going on at the next definition.
    pub fn parse(text: &str) -> Result<PropertyFile, Vec<Diagnostic>> {
        PropertyFile::parse_with(text, &|_| None)
    }

    /// Reads a file whose formulas of the mu-calculus use libraries; `libraries` gives the text of one by its name.
    pub fn parse_with(
        text: &str,
        libraries: &dyn Fn(&str) -> Option<String>,
    ) -> Result<PropertyFile, Vec<Diagnostic>> {
        property_file::read(text, libraries).map_err(in_order)
    }
}

/// The definitions of a file: names for formulas, with or without parameters.
#[derive(Clone, Debug, Default)]
pub struct Lets {
    pub(crate) all: HashMap<Arc<str>, Let>,
}

/// One definition, `let name(params) = body`.
#[derive(Clone, Debug)]
pub(crate) struct Let {
    pub(crate) name: Ident,
    pub(crate) params: Vec<Ident>,
    pub(crate) body: Node,
}

impl Lets {
    /// No definitions: what a formula from the command line sees.
    pub fn none() -> Lets {
        Lets::default()
    }

    /// The names of all definitions, sorted.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.all.keys().map(|name| &**name).collect();
        names.sort_unstable();
        names
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Let> {
        self.all.get(name)
    }

    /// The definition a use refers to, if it exists and takes that many arguments.
    pub(crate) fn find(&self, used: &Ident, arguments: usize) -> Result<&Let, Diagnostic> {
        let name = &used.name;
        let Some(found) = self.get(name) else {
            return Err(self.unknown(used));
        };
        if found.params.len() == arguments {
            return Ok(found);
        }
        let takes = found.params.len();
        let message = format!(
            "`{name}` takes {}, not {arguments}",
            count(takes, "argument")
        );
        let params: Vec<&str> = found.params.iter().map(|param| &*param.name).collect();
        Err(Diagnostic::at(Code::WrongArguments, used.span, message)
            .with_label(format!("expected {}", count(takes, "argument")))
            .with_help(format!("it is defined as `{name}({})`", params.join(", "))))
    }

    fn unknown(&self, used: &Ident) -> Diagnostic {
        let name = &used.name;
        let error = Diagnostic::at(
            Code::UnknownDefinition,
            used.span,
            format!("unknown definition `{name}`"),
        );
        if matches!(&**name, "A" | "E") {
            return error
                .with_label("expected `AG`, `AF`, `EG`, `EF` or square brackets")
                .with_help(format!(
                    "write `{name}[f U g]`, or `{name}G f` for one formula"
                ));
        }
        if let Some(help) = foreign::operator(name, Dialect::Either) {
            return error
                .with_label("expected a function or a `let` of the property file")
                .with_help(help);
        }
        let functions = [
            "inflight", "empty", "done", "steps", "on", "count", "sum", "min", "max", "procs",
        ];
        let known = self.names();
        let near = causet_base::nearest(name, known.into_iter().chain(functions));
        error
            .with_label("expected a function or a `let` of the property file")
            .with_nearest(near)
    }
}

/// `1 argument`, `2 arguments`
pub(crate) fn count(number: usize, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}

/// Errors sorted by place, one for each: the tokeniser's word comes before the parser's. A text that is never closed
/// takes in what should close the bracket before it, so it comes first.
pub(crate) fn in_order(mut errors: Vec<Diagnostic>) -> Vec<Diagnostic> {
    errors.sort_by_key(|error| error.span);
    errors.dedup_by_key(|error| error.span);
    for at in 1..errors.len() {
        if [errors[at - 1].code, errors[at].code] == [Code::Unclosed, Code::UnclosedText] {
            errors.swap(at - 1, at);
        }
    }
    errors
}
