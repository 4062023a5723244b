//! Libraries and macros: what stands before the formula, and its replacement in the tokens.
//!
//! Macros are about tokens, as those of other tools are, so that a parameter can be an action as well as a formula.
//! Arguments are expanded where they stand, then put into the body, and both are wrapped in parentheses; so a macro can
//! be used within its own arguments, but not within its own body. Tokens of a body are placed where the macro is used
//! and remember which use that was: the parser tells their variables from those of the arguments, and their mistakes
//! name the macro.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use super::lex::{Kind, Origin, Symbol, Token, tokenise};
use super::{library, place};
use crate::property::count;
use causet_base::nearest;
use causet_base::span::Span;
use causet_base::{Code, Diagnostic};

/// More tokens than this are refused: macros can grow without bound.
const MAX_TOKENS: usize = 1_000_000;
/// More levels of macros within macros and arguments than this are refused.
const MAX_LEVELS: usize = 100;
/// More libraries than this are refused.
const MAX_LIBRARIES: usize = 200;

/// The tokens of the formula, with all macros replaced.
pub(super) fn expand(
    tokens: &[Token],
    source: &str,
    libraries: &dyn Fn(&str) -> Option<String>,
) -> Result<Expansion, Vec<Diagnostic>> {
    let mut table = Table {
        libraries,
        macros: HashMap::new(),
        loaded: HashSet::new(),
        errors: Vec::new(),
    };
    let text = Text {
        source,
        library: None,
    };
    let rest = table.preamble(tokens, &text);
    if !table.errors.is_empty() {
        return Err(table.errors);
    }
    let expander = Expander {
        macros: &table.macros,
        written: Cell::new(0),
        uses: Cell::new(0),
        depth: Cell::new(0),
    };
    let mut out = Vec::new();
    let done = expander.run(rest, &mut Vec::new(), &mut out);
    done.map_err(|error| vec![*error])?;
    let mut macros: Vec<Arc<str>> = table.macros.into_keys().collect();
    macros.sort_unstable();
    Ok(Expansion {
        tokens: out,
        macros,
    })
}

/// The tokens without macros, and the names of the macros there were.
pub(super) struct Expansion {
    pub(super) tokens: Vec<Token>,
    pub(super) macros: Vec<Arc<str>>,
}

/// A definition.
struct Macro {
    parameters: Vec<Arc<str>>,
    body: Vec<Token>,
    /// `macro NAME (A, B)`
    head: String,
    /// Where it stands, in words.
    place: String,
}

/// The text that is being read: the main one, or a library with the place that asked for it.
struct Text<'a> {
    source: &'a str,
    library: Option<(&'a str, Span)>,
}

impl Text<'_> {
    /// A place of this text in words.
    fn place(&self, at: usize) -> String {
        let place = place(self.source, at);
        match self.library {
            Some((name, _)) => format!("{place} of the library {name}"),
            None => place,
        }
    }

    /// The error as one of the main text.
    fn lift(&self, mut error: Diagnostic) -> Diagnostic {
        if let Some((name, used)) = self.library {
            let place = place(self.source, error.span.start as usize);
            error.message = format!("in the library {name}, {place}: {}", error.message);
            error.span = used;
        }
        error
    }
}

/// What is defined so far.
struct Table<'a> {
    libraries: &'a dyn Fn(&str) -> Option<String>,
    macros: HashMap<Arc<str>, Macro>,
    loaded: HashSet<String>,
    errors: Vec<Diagnostic>,
}

impl Table<'_> {
    /// Reads libraries and macros; what is left.
    fn preamble<'t>(&mut self, mut tokens: &'t [Token], text: &Text<'_>) -> &'t [Token] {
        while let Some((first, rest)) = tokens.split_first() {
            let read = match (&first.kind, &*first.text) {
                (Kind::Word, "library") => self.library(first, rest, text),
                (Kind::Word, "macro") => self.definition(first, rest, text),
                _ => return tokens,
            };
            tokens = match read {
                Ok(rest) => rest,
                Err(error) => {
                    self.errors.push(text.lift(error));
                    return &[];
                }
            };
        }
        tokens
    }

    /// `library a.mcl, b.mcl end_library`
    fn library<'t>(
        &mut self,
        keyword: &Token,
        rest: &'t [Token],
        text: &Text<'_>,
    ) -> Result<&'t [Token], Diagnostic> {
        let (names, rest) = until("end_library", keyword, rest)?;
        for name in names.split(|token| token.kind == Kind::Symbol(Symbol::Comma)) {
            let (Some(first), Some(last)) = (name.first(), name.last()) else {
                return Err(Diagnostic::at(
                    Code::LibraryWithoutName,
                    keyword.span,
                    "a library without a name",
                )
                .with_label("expected the names of libraries behind this")
                .with_help("write `library ctl.mcl, actl.mcl end_library`"));
            };
            let span = first.span.to(last.span);
            let spelt = match &first.kind {
                Kind::Text(inside) if name.len() == 1 => inside,
                _ => span.text(text.source),
            };
            let used = text.library.map_or(span, |(_, used)| used);
            self.load(spelt, span, used)?;
        }
        Ok(rest)
    }

    /// Reads one library, unless it has been read before.
    fn load(&mut self, name: &str, span: Span, used: Span) -> Result<(), Diagnostic> {
        if !self.loaded.insert(name.to_owned()) {
            return Ok(());
        }
        if self.loaded.len() > MAX_LIBRARIES {
            return Err(
                Diagnostic::at(Code::TooManyLibraries, span, "too many libraries")
                    .with_label(format!("more than {MAX_LIBRARIES}")),
            );
        }
        let found = (self.libraries)(name).or_else(|| library::text(name).map(str::to_owned));
        let Some(source) = found else {
            return Err(unknown_library(name, span));
        };
        let text = Text {
            source: &source,
            library: Some((name, used)),
        };
        let (tokens, errors) = tokenise(&source, 0..source.len());
        self.errors
            .extend(errors.into_iter().map(|error| text.lift(error)));
        if let Some(more) = self.preamble(&tokens, &text).first() {
            let error = Diagnostic::at(
                Code::NotALibrary,
                more.span,
                format!("unexpected `{}`", more.text),
            )
            .with_label("expected a library with `macro ... end_macro` and nothing else");
            self.errors.push(text.lift(error));
        }
        Ok(())
    }

    /// `macro NAME (A, B) = TEXT end_macro`
    fn definition<'t>(
        &mut self,
        keyword: &Token,
        rest: &'t [Token],
        text: &Text<'_>,
    ) -> Result<&'t [Token], Diagnostic> {
        let (inside, rest) = until("end_macro", keyword, rest)?;
        let end = inside.last().map_or(keyword.span, |last| last.span).after();
        let inside = Inside {
            tokens: inside,
            at: 0,
            end,
        };
        let Definition {
            name,
            parameters,
            body,
        } = inside.definition()?;
        let place = text.place(keyword.span.start as usize);
        if let Some(first) = self.macros.get(&name.text) {
            let message = format!("two macros are called `{}`", name.text);
            return Err(Diagnostic::at(Code::DefinedTwice, name.span, message)
                .with_label("expected a new name")
                .with_help(format!("the first is on {}", first.place)));
        }
        let head = match parameters.is_empty() {
            true => format!("macro {}", name.text),
            false => format!("macro {} ({})", name.text, parameters.join(", ")),
        };
        let definition = Macro {
            parameters,
            body: body.to_vec(),
            head,
            place,
        };
        self.macros.insert(name.text.clone(), definition);
        Ok(rest)
    }
}

/// The tokens up to a keyword, and those behind it.
fn until<'t>(
    word: &str,
    keyword: &Token,
    rest: &'t [Token],
) -> Result<(&'t [Token], &'t [Token]), Diagnostic> {
    let closes = |token: &Token| token.kind == Kind::Word && &*token.text == word;
    let Some(end) = rest.iter().position(closes) else {
        let message = format!("this `{}` is never closed", keyword.text);
        return Err(Diagnostic::at(Code::Unclosed, keyword.span, message)
            .with_label("opened here")
            .with_help(format!("add the missing `{word}`")));
    };
    let (inside, rest) = rest.split_at(end);
    Ok((inside, rest.get(1..).unwrap_or(&[])))
}

/// `NAME (A, B) = TEXT`, in its parts.
struct Definition<'t> {
    name: &'t Token,
    parameters: Vec<Arc<str>>,
    body: &'t [Token],
}

/// Reads the inside of a macro from left to right.
struct Inside<'t> {
    tokens: &'t [Token],
    at: usize,
    /// Behind the last token.
    end: Span,
}

impl<'t> Inside<'t> {
    fn definition(mut self) -> Result<Definition<'t>, Diagnostic> {
        let Some(name) = self.take(&Kind::Word) else {
            return Err(self.expected("the name of the macro"));
        };
        let parameters = self.parameters()?;
        if self.take(&Kind::Symbol(Symbol::Equals)).is_none() {
            return Err(self.expected("`=` and the text of the macro"));
        }
        let body = self.tokens.get(self.at..).unwrap_or(&[]);
        if body.is_empty() {
            return Err(self.expected("the text of the macro"));
        }
        Ok(Definition {
            name,
            parameters,
            body,
        })
    }

    /// `(A, B)`, or nothing.
    fn parameters(&mut self) -> Result<Vec<Arc<str>>, Diagnostic> {
        let mut parameters: Vec<Arc<str>> = Vec::new();
        if self.take(&Kind::Symbol(Symbol::Open)).is_none() {
            return Ok(parameters);
        }
        while let Some(parameter) = self.take(&Kind::Word) {
            if parameters.contains(&parameter.text) {
                let message = format!("two parameters are called `{}`", parameter.text);
                let error = Diagnostic::at(Code::DefinedTwice, parameter.span, message);
                return Err(error.with_label("expected a new name"));
            }
            parameters.push(parameter.text.clone());
            if self.take(&Kind::Symbol(Symbol::Comma)).is_none() {
                break;
            }
        }
        match self.take(&Kind::Symbol(Symbol::Close)) {
            Some(_) => Ok(parameters),
            None => Err(self.expected("`)` or another parameter")),
        }
    }

    /// Steps over the next token if it is of that kind.
    fn take(&mut self, kind: &Kind) -> Option<&'t Token> {
        let found = self.tokens.get(self.at);
        let found = found.filter(|token| token.kind == *kind)?;
        self.at += 1;
        Some(found)
    }

    fn expected(&self, what: &str) -> Diagnostic {
        let (span, message) = match self.tokens.get(self.at) {
            Some(token) => (token.span, format!("unexpected `{}`", token.text)),
            None => (self.end, "the macro ends too early".to_owned()),
        };
        Diagnostic::at(Code::MalformedMacro, span, message)
            .with_label(format!("expected {what}"))
            .with_help("a macro is written `macro NAME (A, B) = ... end_macro`")
    }
}

fn unknown_library(name: &str, span: Span) -> Diagnostic {
    let names = library::BUNDLED.map(|(name, _)| name);
    let error = Diagnostic::at(
        Code::UnknownLibrary,
        span,
        format!("unknown library `{name}`"),
    )
    .with_label(format!("expected a file, or one of {}", names.join(", ")));
    error.with_nearest(nearest(name, names))
}

/// Replaces macros in tokens.
struct Expander<'a> {
    macros: &'a HashMap<Arc<str>, Macro>,
    /// How many tokens have been written so far.
    written: Cell<usize>,
    /// How many macros have been replaced so far.
    uses: Cell<usize>,
    /// How many bodies and arguments are open.
    depth: Cell<usize>,
}

/// Boxed, since it is seldom needed and carried through every level.
type Expanded<T> = Result<T, Box<Diagnostic>>;

impl Expander<'_> {
    /// Appends the tokens with all macros in them replaced; `trail` are the macros in whose bodies they stand.
    fn run(
        &self,
        tokens: &[Token],
        trail: &mut Vec<Arc<str>>,
        out: &mut Vec<Token>,
    ) -> Expanded<()> {
        if self.depth.get() > MAX_LEVELS {
            let span = tokens.first().map_or(Span::default(), |token| token.span);
            let error = Diagnostic::at(Code::NestedTooDeeply, span, "macros are nested too deeply")
                .with_label(format!("more than {MAX_LEVELS} levels"));
            return Err(Box::new(error));
        }
        self.depth.set(self.depth.get() + 1);
        let result = self.run_here(tokens, trail, out);
        self.depth.set(self.depth.get() - 1);
        result
    }

    fn run_here(
        &self,
        tokens: &[Token],
        trail: &mut Vec<Arc<str>>,
        out: &mut Vec<Token>,
    ) -> Expanded<()> {
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            let found = match token.kind {
                Kind::Word => self.macros.get(&token.text),
                _ => None,
            };
            at += 1;
            let Some(found) = found else {
                self.charge(token)?;
                out.push(token.clone());
                continue;
            };
            let (arguments, length) = arguments(token, tokens.get(at..).unwrap_or(&[]))?;
            at += length;
            let mut expanded = Vec::with_capacity(arguments.len());
            for argument in &arguments {
                let mut tokens = Vec::new();
                self.run(argument, trail, &mut tokens)?;
                expanded.push(tokens);
            }
            let last = tokens.get(at.saturating_sub(1)).unwrap_or(token);
            self.replace(token, last, found, &expanded, trail, out)?;
        }
        Ok(())
    }

    /// Appends the body of one macro.
    fn replace(
        &self,
        used: &Token,
        last: &Token,
        found: &Macro,
        arguments: &[Vec<Token>],
        trail: &mut Vec<Arc<str>>,
        out: &mut Vec<Token>,
    ) -> Expanded<()> {
        self.check(used, found, arguments, trail)?;
        let span = used.span.to(last.span);
        self.uses.set(self.uses.get() + 1);
        let origin = Rc::new(Origin {
            mark: self.uses.get(),
            place: format!("in the macro `{}`, {}", used.text, found.place),
            parent: used.origin.clone(),
        });
        let placed = |token: &Token| Token {
            span,
            origin: Some(origin.clone()),
            ..token.clone()
        };
        let mut body = Vec::new();
        for token in &found.body {
            let parameter = match token.kind {
                Kind::Word => found.parameters.iter().position(|name| *name == token.text),
                _ => None,
            };
            match parameter.and_then(|index| arguments.get(index)) {
                Some(argument) => {
                    self.charge(token)?;
                    wrap(&mut body, argument, &placed(token));
                }
                None => body.push(placed(token)),
            }
            if body.len() > MAX_TOKENS {
                return Err(Box::new(too_large(used.span)));
            }
        }
        trail.push(used.text.clone());
        let mut replaced = Vec::new();
        self.run(&body, trail, &mut replaced)?;
        trail.pop();
        wrap(out, &replaced, &placed(used));
        Ok(())
    }

    /// Whether the macro may be used here, with these arguments.
    fn check(
        &self,
        used: &Token,
        found: &Macro,
        arguments: &[Vec<Token>],
        trail: &[Arc<str>],
    ) -> Expanded<()> {
        let name = &used.text;
        if let Some(from) = trail.iter().position(|other| other == name) {
            let cycle: Vec<&str> = trail[from..]
                .iter()
                .chain([name])
                .map(|one| &**one)
                .collect();
            let error = Diagnostic::at(
                Code::DefinedByItself,
                used.span,
                format!("the macro `{name}` uses itself"),
            )
            .with_label("expected a macro in terms of others")
            .with_help(format!("it is expanded through {}", cycle.join(" -> ")));
            return Err(Box::new(error));
        }
        let takes = found.parameters.len();
        if takes == arguments.len() {
            return Ok(());
        }
        let message = match arguments.len() {
            0 => format!("the macro `{name}` needs {}", count(takes, "argument")),
            given => format!(
                "the macro `{name}` takes {}, not {given}",
                count(takes, "argument")
            ),
        };
        let error = Diagnostic::at(Code::WrongArguments, used.span, message)
            .with_label(format!("expected {}", count(takes, "argument")))
            .with_help(format!(
                "it is defined as `{}`, {}",
                found.head, found.place
            ));
        Err(Box::new(error))
    }

    fn charge(&self, token: &Token) -> Expanded<()> {
        self.written.set(self.written.get() + 1);
        match self.written.get() <= MAX_TOKENS {
            true => Ok(()),
            false => Err(Box::new(too_large(token.span))),
        }
    }
}

fn too_large(span: Span) -> Diagnostic {
    Diagnostic::at(
        Code::GrowsTooLarge,
        span,
        "the formula grows too large when its macros are expanded",
    )
    .with_label("macros multiply here")
}

/// Appends tokens in parentheses, unless there is only one.
fn wrap(out: &mut Vec<Token>, tokens: &[Token], place: &Token) {
    let bracket = |symbol: Symbol, text: &str| Token {
        kind: Kind::Symbol(symbol),
        text: Arc::from(text),
        ..place.clone()
    };
    if let [single] = tokens {
        out.push(single.clone());
        return;
    }
    out.push(bracket(Symbol::Open, "("));
    out.extend_from_slice(tokens);
    out.push(bracket(Symbol::Close, ")"));
}

/// The arguments in parentheses behind a macro, and how many tokens they take; none at all if there are no parentheses.
fn arguments<'t>(used: &Token, rest: &'t [Token]) -> Expanded<(Vec<&'t [Token]>, usize)> {
    let opens = |token: &Token| token.kind == Kind::Symbol(Symbol::Open);
    if !rest.first().is_some_and(opens) {
        return Ok((Vec::new(), 0));
    }
    let mut found = Vec::new();
    let (mut depth, mut start) = (0_usize, 1);
    for (at, token) in rest.iter().enumerate() {
        let Kind::Symbol(symbol) = token.kind else {
            continue;
        };
        match symbol {
            Symbol::Open | Symbol::OpenSquare | Symbol::OpenBrace => depth += 1,
            Symbol::CloseSquare | Symbol::CloseBrace => depth = depth.saturating_sub(1),
            Symbol::Comma if depth == 1 => {
                found.push(argument(used, rest, start, at)?);
                start = at + 1;
            }
            Symbol::Close if depth <= 1 => {
                if at > 1 {
                    found.push(argument(used, rest, start, at)?);
                }
                return Ok((found, at + 1));
            }
            Symbol::Close => depth -= 1,
            _ => {}
        }
    }
    let opened = rest.first().map_or(used.span, |token| token.span);
    let error = Diagnostic::at(Code::Unclosed, opened, "this `(` is never closed")
        .with_label("opened here")
        .with_help(format!(
            "add the missing `)` behind the arguments of `{}`",
            used.text
        ));
    Err(Box::new(error))
}

/// One argument, which has to be something.
fn argument<'t>(
    used: &Token,
    tokens: &'t [Token],
    start: usize,
    end: usize,
) -> Expanded<&'t [Token]> {
    match tokens.get(start..end) {
        Some(found) if !found.is_empty() => Ok(found),
        _ => {
            let span = tokens.get(end).map_or(used.span, |token| token.span);
            let message = format!("an empty argument of the macro `{}`", used.text);
            let error = Diagnostic::at(Code::EmptyArgument, span, message);
            Err(Box::new(
                error.with_label("expected an argument before this"),
            ))
        }
    }
}
