//! From the tokens of a network to its expression.
//!
//! ```text
//! network    = { "component" NAME "=" TEXT } expression
//! expression = operand { operator operand }                              all operators alike, grouped to the right
//! operator   = "|||" | "||" | "|[" [list] "]|"
//! operand    = TEXT | NAME | "(" expression ")"
//!            | "hide" selection "in" expression "end" "hide"
//!            | "cut" selection "in" expression "end" "cut"
//!            | "rename" pattern "->" name { "," pattern "->" name } "in" expression "end" "rename"
//!            | "par" [list "in"] operand { "||" operand } "end" "par"
//!            | "par" "using" vector { "," vector } "in" operand { "||" operand } "end" "par"
//! selection  = ["all" "but"] list
//! list       = pattern { "," pattern }
//! vector     = entry { "*" entry } "->" name                             entry: pattern or "_"
//! ```

use causet_base::nearest;
use causet_base::{Code, Diagnostic};
use causet_formula::Span;

use super::lex::{Token, TokenKind};
use super::pattern::{Pattern, PatternKind, Replacement};
use super::syntax::{DEEPEST, Expression, ExpressionKind, Selection, Synchronisation, Vector};

/// What was read: the network, and what is suspicious about it.
pub(super) struct Parsed {
    pub(super) expression: Expression,
    pub(super) warnings: Vec<Diagnostic>,
}

/// Reads a whole network; the tokens end with [`TokenKind::End`].
pub(super) fn parse(text: &str, tokens: &[Token]) -> Result<Parsed, Diagnostic> {
    let mut parser = Parser {
        text,
        tokens,
        at: 0,
        depth: 0,
        definitions: Vec::new(),
    };
    while parser.is_word("component") {
        parser.definition()?;
    }
    let expression = parser.expression()?;
    parser.nothing_more()?;
    let unused = parser.definitions.iter().filter(|known| !known.used);
    let warnings = unused.map(|known| {
        let message = format!("component `{}` is never used", known.name);
        Diagnostic::at(Code::UnusedComponent, known.span, message)
    });
    Ok(Parsed {
        expression,
        warnings: warnings.collect(),
    })
}

/// The words that cannot be names.
const KEYWORDS: &[&str] = &[
    "all",
    "but",
    "component",
    "cut",
    "end",
    "hide",
    "in",
    "par",
    "rename",
    "using",
];

struct Definition {
    name: String,
    file: String,
    span: Span,
    used: bool,
}

struct Parser<'t> {
    text: &'t str,
    tokens: &'t [Token],
    at: usize,
    depth: usize,
    definitions: Vec<Definition>,
}

/// What reading a part answers with.
type Read<T> = Result<T, Diagnostic>;

impl Parser<'_> {
    fn definition(&mut self) -> Read<()> {
        self.next();
        let span = self.here();
        let name = self.name("a name for the component")?;
        self.sign("=", "between a component's name and its file")?;
        let TokenKind::Text(file) = self.peek().clone() else {
            return Err(self.unexpected("the file of the component, in double quotes"));
        };
        self.next();
        if self.definitions.iter().any(|known| known.name == name) {
            let message = format!("component `{name}` is defined twice");
            let mistake = Diagnostic::at(Code::ComponentTwice, span, message)
                .with_label("already the name of a file");
            return Err(mistake.with_help("give one of them another name"));
        }
        self.definitions.push(Definition {
            name,
            file,
            span,
            used: false,
        });
        Ok(())
    }

    fn expression(&mut self) -> Read<Expression> {
        let mut operands = vec![self.operand()?];
        let mut operators = Vec::new();
        while let Some(operator) = self.operator()? {
            operators.push(operator);
            operands.push(self.operand()?);
        }
        self.grouped(operands, operators)
    }

    /// Groups operands to the right, those between equal operators in one go.
    fn grouped(
        &self,
        mut operands: Vec<Expression>,
        mut operators: Vec<(Selection, Span)>,
    ) -> Read<Expression> {
        let mut group: Vec<Expression> = operands.pop().into_iter().collect();
        while let (Some(operand), Some((selection, span))) = (operands.pop(), operators.pop()) {
            group.push(operand);
            let sign = span.text(self.text);
            let next = operators.last().map(|(_, span)| span.text(self.text));
            if next == Some(sign) {
                continue;
            }
            group.reverse();
            let covered = group[0].span.to(group[group.len() - 1].span);
            let synchronisation = Synchronisation::On(selection);
            let kind = ExpressionKind::Parallel(synchronisation, group);
            group = vec![Expression::new(kind, covered).ok_or_else(|| too_deep(span))?];
        }
        group.pop().ok_or_else(|| self.unexpected("a component"))
    }

    fn operator(&mut self) -> Read<Option<(Selection, Span)>> {
        let start = self.here();
        let (patterns, all_but) = match self.peek() {
            TokenKind::Sign("|||") => (Vec::new(), false),
            TokenKind::Sign("||") => (Vec::new(), true),
            TokenKind::Sign("|[") => {
                self.next();
                (self.gates_to_bracket()?, false)
            }
            _ => return Ok(None),
        };
        let span = start.to(self.here());
        self.next();
        Ok(Some((Selection { patterns, all_but }, span)))
    }

    /// The list before `]|`, which is not passed.
    fn gates_to_bracket(&mut self) -> Read<Vec<Pattern>> {
        if self.is_sign("]|") {
            return Ok(Vec::new());
        }
        let patterns = self.list()?;
        match self.is_sign("]|") {
            true => Ok(patterns),
            false => Err(self.unexpected("`,` and another gate, or `]|`")),
        }
    }

    fn operand(&mut self) -> Read<Expression> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(too_deep(self.here()));
        }
        let start = self.here();
        let kind = match self.peek().clone() {
            TokenKind::Text(file) => {
                self.next();
                ExpressionKind::Component(file)
            }
            TokenKind::Sign("(") => self.parenthesised(start)?,
            TokenKind::Word(word) => match word.as_str() {
                "hide" | "cut" => self.hide_or_cut(&word)?,
                "rename" => self.rename()?,
                "par" => self.par()?,
                keyword if KEYWORDS.contains(&keyword) => return Err(self.unexpected(OPERAND)),
                _ => self.component(&word)?,
            },
            _ => return Err(self.unexpected(OPERAND)),
        };
        self.depth -= 1;
        let span = start.to(self.before());
        Expression::new(kind, span).ok_or_else(|| too_deep(start))
    }

    fn parenthesised(&mut self, opened: Span) -> Read<ExpressionKind> {
        self.next();
        let inside = self.expression()?;
        if !self.is_sign(")") {
            let mistake = Diagnostic::at(Code::NetworkUnclosed, opened, "this `(` is never closed");
            let found = self.found();
            let label = format!("`)` or an operator was expected before {found}");
            return Err(mistake.with_label(label));
        }
        self.next();
        Ok(inside.kind)
    }

    fn component(&mut self, name: &str) -> Read<ExpressionKind> {
        let span = self.here();
        self.next();
        let known = self.definitions.iter_mut().find(|known| known.name == name);
        if let Some(known) = known {
            known.used = true;
            return Ok(ExpressionKind::Component(known.file.clone()));
        }
        let names = self.definitions.iter().map(|known| known.name.as_str());
        let help = match nearest(name, names.collect::<Vec<_>>()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!(
                "write the file name in double quotes, or define `component {name} = \"file.aut\"` first"
            ),
        };
        Err(Diagnostic::at(
            Code::UnknownComponent,
            span,
            format!("unknown component `{name}`"),
        )
        .with_help(help))
    }

    fn hide_or_cut(&mut self, keyword: &str) -> Read<ExpressionKind> {
        self.next();
        let all_but = self.is_word("all");
        if all_but {
            self.next();
            self.word("but", "after `all`")?;
        }
        let patterns = self.list()?;
        let selection = Selection { patterns, all_but };
        let body = Box::new(self.body(keyword)?);
        Ok(match keyword {
            "hide" => ExpressionKind::Hide(selection, body),
            _ => ExpressionKind::Cut(selection, body),
        })
    }

    fn rename(&mut self) -> Read<ExpressionKind> {
        self.next();
        let mut names = Vec::new();
        loop {
            let pattern = self.pattern()?;
            self.sign("->", "between a label and its new name")?;
            let span = self.here();
            let replacement = self.replacement()?.after(&pattern, span)?;
            names.push((pattern, replacement));
            if !self.is_sign(",") {
                break;
            }
            self.next();
        }
        Ok(ExpressionKind::Rename(
            names,
            Box::new(self.body("rename")?),
        ))
    }

    /// `in`, an expression, and the end of what the keyword opened.
    fn body(&mut self, keyword: &str) -> Read<Expression> {
        self.word("in", "or `,` and more labels")?;
        let body = self.expression()?;
        self.end(keyword)?;
        Ok(body)
    }

    fn end(&mut self, keyword: &str) -> Read<()> {
        let expected = format!("`end {keyword}`");
        if !self.is_word("end") {
            return Err(self.unexpected(&format!("an operator or {expected}")));
        }
        self.next();
        if !self.is_word(keyword) {
            return Err(self.unexpected(&expected));
        }
        self.next();
        Ok(())
    }

    fn par(&mut self) -> Read<ExpressionKind> {
        self.next();
        let synchronisation = if self.is_word("using") {
            self.next();
            let vectors = self.vectors()?;
            self.word("in", "or `,` and another vector")?;
            Synchronisation::By(vectors)
        } else {
            let patterns = self.par_gates()?;
            let all_but = false;
            Synchronisation::On(Selection { patterns, all_but })
        };
        let mut operands = vec![self.operand()?];
        while self.is_sign("||") {
            self.next();
            operands.push(self.operand()?);
        }
        if self.is_sign("|||") || self.is_sign("|[") {
            let help = "inside `par`, `||` stands between operands: put parentheses around the composition";
            return Err(self.unexpected("`||` or `end par`").with_help(help));
        }
        self.end("par")?;
        Ok(ExpressionKind::Parallel(synchronisation, operands))
    }

    /// The gates of `par a, b in`; without `in` the words that follow are the operands.
    fn par_gates(&mut self) -> Read<Vec<Pattern>> {
        let list_follows = match self.peek_second() {
            TokenKind::Sign(",") => true,
            TokenKind::Word(word) => word == "in",
            _ => false,
        };
        if self.is_word("in") {
            self.next();
            return Ok(Vec::new());
        }
        if !list_follows {
            return Ok(Vec::new());
        }
        let patterns = self.list()?;
        self.word("in", "or `,` and more labels")?;
        Ok(patterns)
    }

    fn vectors(&mut self) -> Read<Vec<Vector>> {
        let mut vectors = vec![self.vector()?];
        while self.is_sign(",") {
            self.next();
            vectors.push(self.vector()?);
        }
        Ok(vectors)
    }

    fn vector(&mut self) -> Read<Vector> {
        let start = self.here();
        let mut entries = vec![self.entry()?];
        while self.is_sign("*") {
            self.next();
            entries.push(self.entry()?);
        }
        self.sign(
            "->",
            "between the entries of a vector and its name, or `*` and another entry",
        )?;
        let result = self.replacement()?;
        let span = start.to(self.before());
        Ok(Vector {
            entries,
            result,
            span,
        })
    }

    fn entry(&mut self) -> Read<Option<Pattern>> {
        if self.is_sign("_") {
            self.next();
            return Ok(None);
        }
        let pattern = self.pattern()?;
        if let PatternKind::Matches(_) = pattern.kind {
            let message = "a vector cannot have regular expressions";
            let mistake = Diagnostic::at(Code::BadVector, pattern.span, message);
            return Err(mistake.with_label("a gate, a label in double quotes or `_` was expected"));
        }
        Ok(Some(pattern))
    }

    fn list(&mut self) -> Read<Vec<Pattern>> {
        let mut patterns = vec![self.pattern()?];
        while self.is_sign(",") {
            self.next();
            patterns.push(self.pattern()?);
        }
        Ok(patterns)
    }

    fn pattern(&mut self) -> Read<Pattern> {
        let span = self.here();
        let kind = match self.peek().clone() {
            TokenKind::Text(text) => PatternKind::Exact(text),
            TokenKind::Expression(text) => {
                self.next();
                return Pattern::expression(&text, span);
            }
            TokenKind::Word(word) if !KEYWORDS.contains(&word.as_str()) => PatternKind::Gate(word),
            _ => return Err(self.no_name("a gate or a label in quotes")),
        };
        self.next();
        Ok(Pattern { kind, span })
    }

    fn replacement(&mut self) -> Read<Replacement> {
        if let TokenKind::Text(text) = self.peek().clone() {
            self.next();
            return Ok(Replacement::Label(text));
        }
        let gate = self.name("a new name: a gate, or a label in double quotes")?;
        Ok(Replacement::Gate(gate))
    }

    fn name(&mut self, expected: &str) -> Read<String> {
        match self.peek().clone() {
            TokenKind::Word(word) if !KEYWORDS.contains(&word.as_str()) => {
                self.next();
                Ok(word)
            }
            _ => Err(self.no_name(expected)),
        }
    }

    fn sign(&mut self, sign: &str, place: &str) -> Read<()> {
        if !self.is_sign(sign) {
            return Err(self.unexpected(&format!("`{sign}` {place}")));
        }
        self.next();
        Ok(())
    }

    fn word(&mut self, word: &str, place: &str) -> Read<()> {
        if !self.is_word(word) {
            return Err(self.unexpected(&format!("`{word}` {place}")));
        }
        self.next();
        Ok(())
    }

    fn nothing_more(&self) -> Read<()> {
        match self.peek() {
            TokenKind::End => Ok(()),
            TokenKind::Sign(")") => Err(Diagnostic::at(
                Code::NetworkUnclosed,
                self.here(),
                "this `)` was never opened",
            )),
            _ => Err(self.unexpected("an operator or the end")),
        }
    }

    fn unexpected(&self, expected: &str) -> Diagnostic {
        let message = match self.peek() {
            TokenKind::End => "the text ends too early".to_owned(),
            _ => format!("unexpected {}", self.found()),
        };
        Diagnostic::at(Code::NetworkSyntax, self.here(), message)
            .with_label(format!("expected {expected}"))
    }

    /// What is wrong when a name was expected, which a keyword is not.
    fn no_name(&self, expected: &str) -> Diagnostic {
        let mistake = self.unexpected(expected);
        match self.peek() {
            TokenKind::Word(word) => mistake.with_help(format!(
                "`{word}` is a keyword; a label of that name stands in double quotes"
            )),
            _ => mistake,
        }
    }

    fn found(&self) -> String {
        match self.peek() {
            TokenKind::End => "the end of the text".to_owned(),
            _ => format!("`{}`", self.here().text(self.text)),
        }
    }

    fn peek(&self) -> &TokenKind {
        self.tokens
            .get(self.at)
            .map_or(&TokenKind::End, |token| &token.kind)
    }

    fn peek_second(&self) -> &TokenKind {
        self.tokens
            .get(self.at + 1)
            .map_or(&TokenKind::End, |token| &token.kind)
    }

    fn is_sign(&self, sign: &str) -> bool {
        matches!(self.peek(), TokenKind::Sign(found) if *found == sign)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), TokenKind::Word(found) if found == word)
    }

    fn here(&self) -> Span {
        self.tokens
            .get(self.at)
            .map_or(Span::default(), |token| token.span)
    }

    fn before(&self) -> Span {
        let before = self.at.checked_sub(1);
        before
            .and_then(|at| self.tokens.get(at))
            .map_or(Span::default(), |token| token.span)
    }

    fn next(&mut self) {
        self.at += 1;
    }
}

const OPERAND: &str =
    "a component (a file name in double quotes), `(`, `hide`, `cut`, `rename` or `par`";

fn too_deep(span: Span) -> Diagnostic {
    let message = format!("expressions are nested more than {DEEPEST} deep here");
    let help = "`par` takes any number of operands side by side";
    Diagnostic::at(Code::NestedTooDeeply, span, message).with_help(help)
}
