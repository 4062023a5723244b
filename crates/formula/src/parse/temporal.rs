//! The levels of precedence from `<->` down to the unary operators.

use super::{Dialect, Parsed, Parser};
use crate::lex::{Symbol, Token};
use crate::syntax::{Node, NodeKind, PathQuantifier, Quantifier, TemporalOp, UntilOp};

/// What makes a formula unary: the operator it starts with.
pub(super) enum Prefix {
    Not,
    /// The operator, and of how many tokens it is made.
    Temporal(TemporalOp, usize),
    Quantifier(Quantifier),
    /// `A[` or `E[`
    Path(PathQuantifier),
    /// `A[]` (true) or `A<>` (false), which other tools have and we do not
    BoxedPath(PathQuantifier, bool),
}

impl Parser<'_> {
    /// A whole formula: the lowest precedence, one level deeper.
    pub(super) fn formula(&mut self) -> Parsed<Node> {
        self.nested(Self::equivalence)
    }

    fn equivalence(&mut self) -> Parsed<Node> {
        let start = self.here();
        let mut left = self.implication()?;
        while self.eat(Symbol::Iff) {
            let right = self.implication()?;
            left = self.node(NodeKind::Iff(Box::new(left), Box::new(right)), start)?;
        }
        Ok(left)
    }

    fn implication(&mut self) -> Parsed<Node> {
        let start = self.here();
        let left = self.disjunction()?;
        if !self.eat(Symbol::Arrow) {
            return Ok(left);
        }
        let right = self.nested(Self::implication)?;
        self.node(NodeKind::Implies(Box::new(left), Box::new(right)), start)
    }

    fn disjunction(&mut self) -> Parsed<Node> {
        self.associative(Symbol::Or, Self::conjunction, NodeKind::Or)
    }

    fn conjunction(&mut self) -> Parsed<Node> {
        self.associative(Symbol::And, Self::until, NodeKind::And)
    }

    /// One operand, or several with `symbol` between them.
    fn associative(
        &mut self,
        symbol: Symbol,
        operand: fn(&mut Self) -> Parsed<Node>,
        kind: fn(Vec<Node>) -> NodeKind,
    ) -> Parsed<Node> {
        let start = self.here();
        let first = operand(self)?;
        if !self.sees(0, symbol) {
            return Ok(first);
        }
        let mut operands = vec![first];
        while self.eat(symbol) {
            operands.push(operand(self)?);
        }
        self.node(kind(operands), start)
    }

    fn until(&mut self) -> Parsed<Node> {
        let start = self.here();
        let left = self.unary()?;
        let Some(op) = self.until_op().filter(|_| self.infix_until) else {
            return Ok(left);
        };
        self.bump();
        let right = self.nested(Self::until)?;
        self.node(
            NodeKind::Until(None, op, Box::new(left), Box::new(right)),
            start,
        )
    }

    /// Behind a complete operand a `U` can only be the operator.
    fn until_op(&self) -> Option<UntilOp> {
        self.peek_word(0).and_then(UntilOp::from_word)
    }

    /// A formula that starts with an operator, or a comparison.
    pub(super) fn unary(&mut self) -> Parsed<Node> {
        let start = self.here();
        match self.prefix() {
            None => self.comparison(),
            Some(Prefix::Not) => {
                self.bump();
                let operand = self.nested(Self::unary)?;
                self.node(NodeKind::Not(Box::new(operand)), start)
            }
            Some(Prefix::Temporal(op, tokens)) => self.temporal(op, tokens),
            Some(Prefix::Quantifier(quantifier)) => self.quantified(quantifier, Self::formula),
            Some(Prefix::Path(path)) => self.path_bracket(path),
            Some(Prefix::BoxedPath(path, square)) => Err(self.box_after_path(path.word(), square)),
        }
    }

    /// The unary operator that starts here, if one does.
    pub(super) fn prefix(&self) -> Option<Prefix> {
        match self.peek(0)? {
            Token::Symbol(Symbol::Not) => Some(Prefix::Not),
            Token::Symbol(Symbol::Box) => Some(Prefix::Temporal(TemporalOp::Globally, 1)),
            Token::Symbol(Symbol::Diamond) => Some(Prefix::Temporal(TemporalOp::Finally, 1)),
            Token::Symbol(Symbol::Open) if self.sees(1, Symbol::Close) => {
                Some(Prefix::Temporal(TemporalOp::Next, 2)).filter(|_| self.starts_operand(2))
            }
            Token::Word(word) => self.word_prefix(word),
            _ => None,
        }
    }

    /// Words are operators only in the right company, so that `A`, `X` or `EF` can be variables.
    fn word_prefix(&self, word: &str) -> Option<Prefix> {
        if let Some(op) = TemporalOp::from_word(word) {
            // `N - 1` is a difference, `AG -x < 1` is not.
            let negative = self.sees(1, Symbol::Minus) && !op.is_linear();
            return (negative || self.starts_operand(1)).then_some(Prefix::Temporal(op, 1));
        }
        let named = matches!(self.peek(1), Some(Token::Word(_) | Token::Quoted(_)));
        let path = match word {
            "forall" if named => return Some(Prefix::Quantifier(Quantifier::Forall)),
            "exists" if named => return Some(Prefix::Quantifier(Quantifier::Exists)),
            "A" => PathQuantifier::All,
            "E" => PathQuantifier::Some,
            _ => return None,
        };
        match self.peek(1)? {
            Token::Symbol(Symbol::OpenSquare) => Some(Prefix::Path(path)),
            Token::Symbol(Symbol::Box) => Some(Prefix::BoxedPath(path, true)),
            Token::Symbol(Symbol::Diamond) => Some(Prefix::BoxedPath(path, false)),
            _ => None,
        }
    }

    /// Whether an operand (not one that starts with `-`) begins `ahead` places from here.
    ///
    /// Of `U`s in a row every second one is an operator: `X U y` is about a variable `X`.
    fn starts_operand(&self, ahead: usize) -> bool {
        let is_until = |at: usize| self.peek_word(at).and_then(UntilOp::from_word).is_some();
        let run = (ahead..ahead + 8).take_while(|&at| is_until(at)).count();
        let behind = match self.peek(ahead + run) {
            Some(Token::Symbol(symbol)) => matches!(
                symbol,
                Symbol::Open | Symbol::OpenBrace | Symbol::Not | Symbol::Box | Symbol::Diamond
            ),
            Some(_) => true,
            None => false,
        };
        behind == run.is_multiple_of(2)
    }

    fn temporal(&mut self, op: TemporalOp, tokens: usize) -> Parsed<Node> {
        let start = self.here();
        let written = match (self.peek(0), tokens) {
            (Some(Token::Word(word)), _) => word,
            (Some(Token::Symbol(symbol)), 1) => symbol.text(),
            _ => "()",
        };
        self.at += tokens;
        self.refuse_foreign(op, start.to(self.last()), written)?;
        let operand = self.nested(Self::unary)?;
        self.node(NodeKind::Temporal(op, Box::new(operand)), start)
    }

    /// `forall i in procs: ` and what `body` reads.
    pub(super) fn quantified(
        &mut self,
        quantifier: Quantifier,
        body: fn(&mut Self) -> Parsed<Node>,
    ) -> Parsed<Node> {
        let start = self.bump();
        let binder = self.binder()?;
        self.expect(Symbol::Colon, "and the property that is quantified")?;
        let body = body(self)?;
        self.node(
            NodeKind::Quantified(quantifier, binder, Box::new(body)),
            start,
        )
    }

    /// `E[f U g]`. The bracket's `U` separates two whole formulas: `E[a && b U c]` needs no
    /// parentheses, since the other reading is not CTL.
    fn path_bracket(&mut self, path: PathQuantifier) -> Parsed<Node> {
        let start = self.bump();
        if self.dialect == Dialect::Linear {
            return Err(self.branching_in_linear(start, path.word()));
        }
        let opened = self.bump();
        let outside = std::mem::replace(&mut self.infix_until, false);
        let call = self.path_call.take();
        let inside = self.bracket_inside(path, opened);
        (self.infix_until, self.path_call) = (outside, call);
        let (op, left, right) = inside?;
        self.node(
            NodeKind::Until(Some(path), op, Box::new(left), Box::new(right)),
            start,
        )
    }

    fn bracket_inside(
        &mut self,
        path: PathQuantifier,
        opened: causet_base::span::Span,
    ) -> Parsed<(UntilOp, Node, Node)> {
        let left = self.formula()?;
        let op = match self.until_op() {
            None => return Err(self.missing_until(path.word(), opened)),
            Some(UntilOp::StrongRelease) => {
                return Err(self
                    .expected("`U`, `W` or `R`")
                    .with_help("`M` belongs to LTL"));
            }
            Some(op) => op,
        };
        self.bump();
        let right = self.formula()?;
        if let Some(second) = self.until_op() {
            return Err(self.second_until(path.word(), second.word()));
        }
        self.expect_closer(Symbol::OpenSquare, opened)?;
        Ok((op, left, right))
    }
}
