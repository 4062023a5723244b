//! Property files: definitions, properties and monitors, one after the other.
//!
//! The tokens are cut at every `let`, `property` and `monitor` that starts a line, and each piece
//! is read by itself; so a mistake in one of them leaves the others whole.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Dialect, Parsed, Parser};
use crate::lex::{Lexeme, Symbol, Token, tokenise};
use crate::mu;
use crate::property::{Kind, Let, Lets, Property, PropertyFile, syntax};
use crate::syntax::{Ident, Node, NodeKind};
use causet_base::nearest;
use causet_base::span::Span;
use causet_base::{Code, Diagnostic};

/// Reads the text of a property file; `libraries` gives the text of a macro library by its name.
pub(crate) fn read(
    source: &str,
    libraries: &dyn Fn(&str) -> Option<String>,
) -> Result<PropertyFile, Vec<Diagnostic>> {
    let (lexemes, errors) = tokenise(source);
    let mut reader = Reader {
        source,
        libraries,
        shared: None,
        let_names: pieces(&lexemes).filter_map(let_name).collect(),
        file: PropertyFile::default(),
        named: HashMap::new(),
        errors,
    };
    for piece in pieces(&lexemes) {
        if let Err(errors) = reader.definition(piece) {
            reader.errors.extend(errors);
        }
    }
    if reader.errors.is_empty() {
        reader.check_uses();
        reader.check_recursion();
    }
    match reader.errors.is_empty() {
        true => Ok(reader.file),
        false => Err(reader.errors),
    }
}

/// The tokens cut before every keyword that starts a line.
fn pieces(lexemes: &[Lexeme]) -> impl Iterator<Item = &[Lexeme]> {
    let starts = |lexeme: &Lexeme| {
        lexeme.leads_line
            && matches!(&lexeme.token, Token::Word(word)
                if matches!(&**word, "let" | "property" | "monitor"))
    };
    lexemes.chunk_by(move |_, next| !starts(next))
}

/// The name that a piece defines, if it is a `let`.
fn let_name(piece: &[Lexeme]) -> Option<Arc<str>> {
    match piece {
        [keyword, name, ..] => match (&keyword.token, &name.token) {
            (Token::Word(word), Token::Word(name)) if &**word == "let" => Some(name.clone()),
            _ => None,
        },
        _ => None,
    }
}

struct Reader<'a> {
    source: &'a str,
    /// The text of a macro library by its name.
    libraries: &'a dyn Fn(&str) -> Option<String>,
    /// The same text, once a formula has to keep it.
    shared: Option<Arc<str>>,
    /// The names of all definitions, also of those that are still to come.
    let_names: Vec<Arc<str>>,
    file: PropertyFile,
    /// Where each property got its name.
    named: HashMap<Arc<str>, Span>,
    errors: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn definition(&mut self, piece: &[Lexeme]) -> Result<(), Vec<Diagnostic>> {
        let end = piece
            .last()
            .map_or(Span::default(), |last| last.span.after());
        let mut parser = Parser::new(piece, end, Dialect::Either);
        match parser.peek_word(0) {
            Some("let") => self.read_let(&mut parser),
            Some("property") => self.read_property(&mut parser),
            Some("monitor") => self.read_monitor(&mut parser),
            other => {
                let error = parser.expected("`let`, `property` or `monitor`");
                let near = nearest(other.unwrap_or(""), ["let", "property", "monitor"]);
                Err(vec![error.with_nearest(near)])
            }
        }
    }

    /// `let name(params) = formula`
    fn read_let(&mut self, parser: &mut Parser<'_>) -> Result<(), Vec<Diagnostic>> {
        parser.bump();
        let head = let_head(parser).map_err(|error| vec![error])?;
        let body = super::formula(rest(parser), parser.end, Dialect::Either)?;
        let (name, params) = head;
        if let Some(first) = self.file.lets.get(&name.name) {
            return Err(vec![self.duplicate("definition", &name, first.name.span)]);
        }
        self.file
            .lets
            .all
            .insert(name.name.clone(), Let { name, params, body });
        Ok(())
    }

    /// `property name: kind formula`
    fn read_property(&mut self, parser: &mut Parser<'_>) -> Result<(), Vec<Diagnostic>> {
        parser.bump();
        let (name, kind) = property_head(parser).map_err(|error| vec![error])?;
        let span = parser.here().to(parser.end);
        if parser.peek(0).is_none() {
            let error = parser.expected("a formula");
            return Err(vec![error]);
        }
        if kind == Kind::Mu {
            let formula = self.read_mu(span)?;
            return self.add(&name, kind, span, None, Some(Arc::new(formula)));
        }
        let syntax = syntax(kind, rest(parser), parser.end)?;
        self.add(&name, kind, span, Some(syntax), None)
    }

    /// The mu-calculus has tokens of its own: what the tokeniser of predicates did not understand there is forgotten.
    fn read_mu(&mut self, span: Span) -> Result<mu::Formula, Vec<Diagnostic>> {
        let source = self.shared.get_or_insert_with(|| Arc::from(self.source));
        let inside = |at: Span| span.start <= at.start && at.end <= span.end;
        self.errors.retain(|error| !inside(error.span));
        mu::read_part(source, span.range(), &self.let_names, self.libraries)
    }

    /// `monitor name { ... }`
    fn read_monitor(&mut self, parser: &mut Parser<'_>) -> Result<(), Vec<Diagnostic>> {
        parser.bump();
        let name = property_name(parser).map_err(|error| vec![error])?;
        let span = parser.here().to(parser.end);
        let syntax = syntax(Kind::Monitor, rest(parser), parser.end)?;
        self.add(&name, Kind::Monitor, span, Some(syntax), None)
    }

    fn add(
        &mut self,
        name: &Ident,
        kind: Kind,
        span: Span,
        syntax: Option<Node>,
        mu: Option<Arc<mu::Formula>>,
    ) -> Result<(), Vec<Diagnostic>> {
        if let Some(first) = self.named.get(&name.name) {
            return Err(vec![self.duplicate("property", name, *first)]);
        }
        self.named.insert(name.name.clone(), name.span);
        let text = span.text(self.source).to_owned();
        let property = Property {
            name: name.name.to_string(),
            kind,
            text,
            span,
            syntax,
            automaton: None,
            mu,
        };
        self.file.properties.push(property);
        Ok(())
    }

    fn duplicate(&self, what: &str, name: &Ident, first: Span) -> Diagnostic {
        let line = |span: Span| {
            1 + self
                .source
                .bytes()
                .take(span.start as usize)
                .filter(|&byte| byte == b'\n')
                .count()
        };
        let message = format!("two {} are called `{}`", plural(what), name.name);
        Diagnostic::at(Code::DefinedTwice, name.span, message)
            .with_label("expected a new name")
            .with_help(format!("the first is on line {}", line(first)))
    }

    /// Every call names a definition and gives it the arguments it takes.
    fn check_uses(&mut self) {
        let lets = &self.file.lets;
        let bodies = lets.all.values().map(|one| &one.body);
        let formulas = self
            .file
            .properties
            .iter()
            .filter_map(|one| one.syntax.as_ref());
        let mut errors = Vec::new();
        for node in bodies.chain(formulas) {
            for part in node.subnodes() {
                if let NodeKind::Call(name, arguments) = &part.kind {
                    errors.extend(lets.find(name, arguments.len()).err());
                }
            }
        }
        self.errors.extend(errors);
    }

    /// No definition is expanded within itself, or through too many others.
    fn check_recursion(&mut self) {
        let lets = &self.file.lets;
        let mut depths = Depths::new();
        for name in lets.names() {
            if let Err(error) = expansion(lets, name, &mut Vec::new(), &mut depths) {
                self.errors.push(error);
                return;
            }
        }
    }
}

/// `name(params) =`
fn let_head(parser: &mut Parser<'_>) -> Parsed<(Ident, Vec<Ident>)> {
    let name = parser.bound_name()?;
    let mut params: Vec<Ident> = Vec::new();
    if parser.sees(0, Symbol::Open) {
        let opened = parser.bump();
        while !parser.sees(0, Symbol::Close) {
            let param = parser.bound_name()?;
            if params.iter().any(|other| other.name == param.name) {
                let message = format!("two parameters are called `{}`", param.name);
                return Err(Diagnostic::at(Code::DefinedTwice, param.span, message)
                    .with_label("expected a new name"));
            }
            params.push(param);
            if !parser.eat(Symbol::Comma) {
                break;
            }
        }
        parser.expect_closer(Symbol::Open, opened)?;
    }
    parser.expect(Symbol::Eq, "and a formula")?;
    Ok((name, params))
}

/// `name: kind`
fn property_head(parser: &mut Parser<'_>) -> Parsed<(Ident, Kind)> {
    let name = property_name(parser)?;
    parser.expect(Symbol::Colon, "behind the name of the property")?;
    let kinds = "a kind: ctl, ltl, possibly, definitely or mu";
    let Some(word) = parser.peek_word(0) else {
        return Err(parser.expected(kinds));
    };
    let Some(kind) = Kind::WITH_FORMULA
        .into_iter()
        .find(|kind| kind.word() == word)
    else {
        let near = nearest(word, Kind::WITH_FORMULA.map(Kind::word));
        let error = Diagnostic::at(
            Code::UnknownPropertyKind,
            parser.here(),
            format!("unknown kind of property `{word}`"),
        )
        .with_label(format!("expected {kinds}"));
        return Err(match word {
            "monitor" => error.with_help(format!(
                "a monitor is written `monitor {} {{ ... }}`",
                name.name
            )),
            _ => error.with_nearest(near),
        });
    };
    parser.bump();
    Ok((name, kind))
}

/// The name of a property: words and numbers joined by hyphens, or anything in quotes or backquotes.
fn property_name(parser: &mut Parser<'_>) -> Parsed<Ident> {
    let start = parser.here();
    let mut name = match parser.peek(0) {
        Some(Token::Word(name) | Token::Quoted(name) | Token::Text(name)) => name.to_string(),
        _ => return Err(parser.expected("the name of the property")),
    };
    parser.bump();
    while parser.sees(0, Symbol::Minus) {
        let more = match parser.peek(1) {
            Some(Token::Word(more)) => more.to_string(),
            Some(Token::Number(more)) => more.to_string(),
            _ => break,
        };
        name = format!("{name}-{more}");
        parser.at += 2;
    }
    Ok(Ident {
        name: Arc::from(name),
        span: start.to(parser.last()),
    })
}

/// Everything that is left of a definition.
fn rest<'a>(parser: &Parser<'a>) -> &'a [Lexeme] {
    parser.lexemes.get(parser.at..).unwrap_or(&[])
}

/// The definitions a formula uses, with or without arguments; `hidden` are bound names.
fn uses<'a>(node: &'a Node, hidden: &mut Vec<&'a str>, found: &mut Vec<&'a str>) {
    let outside = hidden.len();
    match &node.kind {
        NodeKind::Call(name, _) => found.push(&name.name),
        NodeKind::Name(path) => {
            let used = path.as_word().map(|word| &**word);
            found.extend(used.filter(|word| !hidden.contains(word)));
        }
        NodeKind::Fold(_, binder, _) | NodeKind::Quantified(_, binder, _) => {
            hidden.extend(binder.names().map(|(name, _)| &*name.name));
        }
        _ => {}
    }
    let children = node.kind.children().into_iter();
    children.for_each(|child| uses(child, hidden, found));
    hidden.truncate(outside);
}

/// How deeply a definition is expanded, for every one that has been looked at; `None` while its
/// own parts are looked at.
type Depths<'a> = HashMap<&'a str, Option<usize>>;

/// Depth-first search: a definition that reaches itself, or that reaches too deep, is an error.
fn expansion<'a>(
    lets: &'a Lets,
    name: &'a str,
    trail: &mut Vec<&'a str>,
    depths: &mut Depths<'a>,
) -> Result<usize, Diagnostic> {
    let Some(definition) = lets.get(name) else {
        return Ok(0);
    };
    match depths.get(name) {
        Some(Some(depth)) => return Ok(*depth),
        Some(None) => return Err(recursive(lets, name, trail)),
        None => {}
    }
    if trail.len() >= super::MAX_DEPTH {
        return Err(super::too_deep(definition.name.span));
    }
    depths.insert(name, None);
    trail.push(name);
    let mut hidden = definition.params.iter().map(|param| &*param.name).collect();
    let mut used = Vec::new();
    uses(&definition.body, &mut hidden, &mut used);
    let mut depth = 0;
    for used in used {
        depth = depth.max(1 + expansion(lets, used, trail, depths)?);
    }
    trail.pop();
    depths.insert(name, Some(depth));
    match depth < super::MAX_DEPTH {
        true => Ok(depth),
        false => Err(super::too_deep(definition.name.span)),
    }
}

fn recursive(lets: &Lets, name: &str, trail: &[&str]) -> Diagnostic {
    let from = trail.iter().position(|&other| other == name).unwrap_or(0);
    let cycle: Vec<&str> = trail[from..].iter().copied().chain([name]).collect();
    let span = lets
        .get(name)
        .map_or(Span::default(), |found| found.name.span);
    Diagnostic::at(
        Code::DefinedByItself,
        span,
        format!("the definition of `{name}` uses itself"),
    )
    .with_label("expected a definition in terms of others")
    .with_help(format!("it is expanded through {}", cycle.join(" -> ")))
}

fn plural(what: &str) -> String {
    match what.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None => format!("{what}s"),
    }
}
