//! The levels of precedence from comparisons down to names and literals.

use std::sync::Arc;

use causet_base::{Code, Diagnostic};

use super::{Parsed, Parser};
use crate::core::{ArithOp, CmpOp};
use crate::lex::{Symbol, Token};
use crate::syntax::{EventSyntax, Fold, Ident, Node, NodeKind, Path, PathQuantifier, Segment};

impl Parser<'_> {
    /// `a < b <= c`, or a value that stands alone.
    pub(super) fn comparison(&mut self) -> Parsed<Node> {
        let start = self.here();
        let first = self.sum()?;
        let mut rest = Vec::new();
        while let Some(op) = self.peek(0).and_then(comparison_op) {
            self.bump();
            rest.push((op, self.sum()?));
        }
        match rest.is_empty() {
            true => Ok(first),
            false => self.node(NodeKind::Compare(Box::new(first), rest), start),
        }
    }

    fn sum(&mut self) -> Parsed<Node> {
        self.left_associative(Self::product, |symbol| match symbol {
            Symbol::Plus => Some(ArithOp::Add),
            Symbol::Minus => Some(ArithOp::Sub),
            _ => None,
        })
    }

    fn product(&mut self) -> Parsed<Node> {
        self.left_associative(Self::negative, |symbol| match symbol {
            Symbol::Star => Some(ArithOp::Mul),
            Symbol::Slash => Some(ArithOp::Div),
            Symbol::Percent => Some(ArithOp::Rem),
            _ => None,
        })
    }

    fn left_associative(
        &mut self,
        operand: fn(&mut Self) -> Parsed<Node>,
        operator: fn(Symbol) -> Option<ArithOp>,
    ) -> Parsed<Node> {
        let start = self.here();
        let mut left = operand(self)?;
        while let Some(Token::Symbol(symbol)) = self.peek(0)
            && let Some(op) = operator(*symbol)
            && !(self.in_regular && self.repeats(0))
        {
            self.bump();
            let right = operand(self)?;
            left = self.node(NodeKind::Arith(op, Box::new(left), Box::new(right)), start)?;
        }
        Ok(left)
    }

    fn negative(&mut self) -> Parsed<Node> {
        let start = self.here();
        if !self.eat(Symbol::Minus) {
            return self.operand();
        }
        let operand = self.nested(Self::negative)?;
        self.node(NodeKind::Neg(Box::new(operand)), start)
    }

    /// A value, a name, a function, or a formula in parentheses.
    fn operand(&mut self) -> Parsed<Node> {
        let start = self.here();
        // `x = !y` negates the value next to it; `x = AG y` is read, to be refused with its name.
        if self.eat(Symbol::Not) {
            let operand = self.nested(Self::operand)?;
            return self.node(NodeKind::Not(Box::new(operand)), start);
        }
        if self.prefix().is_some() {
            return self.nested(Self::unary);
        }
        match self.peek(0) {
            Some(Token::Number(number)) => {
                let number = number.clone();
                self.bump();
                self.node(NodeKind::Number(number), start)
            }
            Some(Token::Text(_) | Token::SingleQuoted(_)) => {
                let text = self.text_literal().unwrap_or_default();
                self.node(NodeKind::Text(text), start)
            }
            Some(Token::Word(word)) => self.word_operand(&word.clone()),
            Some(Token::Quoted(_)) => self.name(),
            Some(Token::Symbol(Symbol::Open)) => self.group(),
            Some(Token::Symbol(Symbol::OpenBrace)) => self.sequence(),
            _ => Err(self.expected_operand()),
        }
    }

    fn group(&mut self) -> Parsed<Node> {
        let opened = self.bump();
        let inside = self.formula_in_parentheses()?;
        self.expect_closer(Symbol::Open, opened)?;
        self.node(NodeKind::Group(Box::new(inside)), opened)
    }

    /// A formula within round brackets, where `f U g` is an operator again (if it ever is).
    pub(super) fn formula_in_parentheses(&mut self) -> Parsed<Node> {
        let linear = self.dialect != super::Dialect::Branching;
        let outside = std::mem::replace(&mut self.infix_until, linear);
        let result = self.formula();
        self.infix_until = outside;
        result
    }

    fn word_operand(&mut self, word: &Arc<str>) -> Parsed<Node> {
        if self.sees(1, Symbol::Open) {
            return self.function(word);
        }
        let constant = match &**word {
            "true" => NodeKind::Bool(true),
            "false" => NodeKind::Bool(false),
            "initial" => NodeKind::Initial,
            "final" => NodeKind::Final,
            _ => return self.name(),
        };
        if self.joins(1) {
            return self.name();
        }
        let start = self.bump();
        self.node(constant, start)
    }

    fn name(&mut self) -> Parsed<Node> {
        let path = self.path()?;
        let span = path.span;
        self.node(NodeKind::Name(path), span)
    }

    /// Segments joined by dots.
    fn path(&mut self) -> Parsed<Path> {
        let start = self.here();
        let mut segments = Vec::new();
        loop {
            let (name, quoted) = match self.peek(0) {
                Some(Token::Word(word)) => (word.clone(), false),
                Some(Token::Quoted(name)) => (name.clone(), true),
                Some(Token::Number(_)) if !segments.is_empty() => {
                    let error = self.expected("the name of a variable");
                    return Err(error.with_help("a name of digits needs backquotes: p.`0`"));
                }
                _ => return Err(self.expected("a name")),
            };
            segments.push(Segment {
                name,
                quoted,
                span: self.bump(),
            });
            if !self.joins(0) {
                break;
            }
            self.bump();
        }
        Ok(Path {
            segments,
            span: start.to(self.last()),
        })
    }

    /// `word(`: one of the language's own functions, or a definition with arguments.
    fn function(&mut self, word: &Arc<str>) -> Parsed<Node> {
        if &**word == "re" {
            return self.regular();
        }
        let start = self.bump();
        let opened = self.bump();
        let kind = match &**word {
            "inflight" => self
                .channel()
                .map(|(from, to)| NodeKind::Inflight(from, to)),
            "empty" => self.channel().map(|(from, to)| NodeKind::Empty(from, to)),
            "done" => self.process().map(NodeKind::Done),
            "steps" => self.process().map(NodeKind::Steps),
            "on" => self.event().map(NodeKind::On),
            "count" => self.fold(Fold::Count),
            "sum" => self.fold(Fold::Sum),
            "min" => self.fold(Fold::Min),
            "max" => self.fold(Fold::Max),
            _ => self.call(Ident {
                name: word.clone(),
                span: start,
            }),
        }?;
        self.expect_closer(Symbol::Open, opened)?;
        self.node(kind, start)
    }

    /// `p -> q`
    fn channel(&mut self) -> Parsed<(Path, Path)> {
        let from = self.process()?;
        let why = "between the sending and the receiving process";
        if self.sees(0, Symbol::Comma) {
            let error = self.expected(&format!("`->` {why}"));
            return Err(error.with_help("a channel is written `p -> q`"));
        }
        self.expect(Symbol::Arrow, why)?;
        Ok((from, self.process()?))
    }

    fn process(&mut self) -> Parsed<Path> {
        match self.peek(0) {
            Some(Token::Word(_) | Token::Quoted(_)) => {
                let path = self.path()?;
                if self.sees(0, Symbol::Minus) {
                    let error = self.expected("nothing but the name of a process");
                    let help = "a name with `-` needs backquotes: `node-1`";
                    return Err(error.with_help(help));
                }
                Ok(path)
            }
            Some(Token::Text(text)) => {
                let help = format!("a process stands without quotes, or in backquotes: `{text}`");
                Err(self.expected("the name of a process").with_help(help))
            }
            _ => Err(self.expected("the name of a process")),
        }
    }

    fn event(&mut self) -> Parsed<EventSyntax> {
        if self.sees(1, Symbol::Close)
            && let Some(label) = self.text_literal()
        {
            return Ok(EventSyntax::Label(label));
        }
        let about = self.formula_in_parentheses()?;
        if !self.eat(Symbol::Comma) {
            return Ok(EventSyntax::About(Box::new(about)));
        }
        let NodeKind::Name(process) = about.kind else {
            let error = Diagnostic::at(Code::NotAProcess, about.span, "this is not a process");
            return Err(error.with_label("expected a process before the label"));
        };
        if self.eat_word("any") {
            return Ok(EventSyntax::Process(process));
        }
        match self.text_literal() {
            Some(label) => Ok(EventSyntax::ProcessLabel(process, label)),
            None => Err(self.expected("a label in double quotes, or `any`")),
        }
    }

    fn fold(&mut self, fold: Fold) -> Parsed<NodeKind> {
        if !self.sees_binder(0) {
            return Ok(NodeKind::Listed(fold, self.arguments()?));
        }
        let binder = self.binder()?;
        self.expect(Symbol::Colon, "and what is folded")?;
        let body = self.formula_in_parentheses()?;
        Ok(NodeKind::Fold(fold, binder, Box::new(body)))
    }

    fn call(&mut self, name: Ident) -> Parsed<NodeKind> {
        let path = match &*name.name {
            "A" => Some(PathQuantifier::All),
            "E" => Some(PathQuantifier::Some),
            _ => None,
        };
        let outside = std::mem::replace(&mut self.path_call, path);
        let arguments = match self.sees(0, Symbol::Close) {
            true => Ok(Vec::new()),
            false => self.arguments(),
        };
        self.path_call = outside;
        Ok(NodeKind::Call(name, arguments?))
    }

    fn arguments(&mut self) -> Parsed<Vec<Node>> {
        let mut arguments = vec![self.formula_in_parentheses()?];
        while self.eat(Symbol::Comma) {
            arguments.push(self.formula_in_parentheses()?);
        }
        if let Some(Token::Word(word)) = self.peek(0)
            && self.path_call.is_some()
            && crate::syntax::UntilOp::from_word(word).is_some()
        {
            return Err(self.unexpected());
        }
        Ok(arguments)
    }
}

pub(super) fn comparison_op(token: &Token) -> Option<CmpOp> {
    match token {
        Token::Symbol(Symbol::Eq) => Some(CmpOp::Eq),
        Token::Symbol(Symbol::Ne) => Some(CmpOp::Ne),
        Token::Symbol(Symbol::Lt) => Some(CmpOp::Lt),
        Token::Symbol(Symbol::Le) => Some(CmpOp::Le),
        Token::Symbol(Symbol::Gt) => Some(CmpOp::Gt),
        Token::Symbol(Symbol::Ge) => Some(CmpOp::Ge),
        _ => None,
    }
}
