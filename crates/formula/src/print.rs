//! Formulas as text that reads back as the same formula.
//!
//! [`Printer`] writes the core language with the names of a trace; [`Node`](crate::syntax::Node)
//! is displayed as it was written, in one line and with one spelling of each operator. The core
//! has few operators, so the printer recognises what they came from: `!E[true U !f]` is `AG f`.
//! [`Operand`] is a part of a property in the author's own words.

mod linear;
mod operand;
pub(crate) mod spell;
mod surface;

pub use operand::Operand;

use crate::core::{ArithOp, CmpOp, Ctl, EventAtom, Expr, Pred};
use crate::lower::resolve::{Resolution, resolve};
use crate::modal::Modal;
use crate::names::{Names, ProcRef, VarRef};
use causet_base::value::Value;

/// Prints core formulas with the names of a trace.
#[derive(Clone, Copy)]
pub struct Printer<'a> {
    names: &'a dyn Names,
    /// Expressions that have names of their own.
    defined: &'a [(Expr, String)],
}

/// How tightly a piece of text holds together, loosest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Implies,
    Or,
    And,
    Until,
    Unary,
    Compare,
    Sum,
    Product,
    Negative,
    Primary,
}

/// A piece of text and its level.
type Piece = (String, Level);

impl<'a> Printer<'a> {
    /// A printer for the trace behind `names`.
    pub fn new(names: &'a dyn Names) -> Printer<'a> {
        Printer {
            names,
            defined: &[],
        }
    }

    /// The same, with names for some expressions.
    pub fn with_defined(self, defined: &'a [(Expr, String)]) -> Printer<'a> {
        Printer { defined, ..self }
    }

    /// A property: a CTL formula, or what is said of its runs. LTL stands for itself as the whole property or as a
    /// part of a conjunction; elsewhere `A(f)` says that every run satisfies it.
    pub fn ctl(&self, f: &Ctl) -> String {
        let part = |part: &Ctl| match linear::every_run(part) {
            Some(linear) => at_least(Level::And, self.ltl_piece(linear)),
            None => self.ctl_part(part, Level::And),
        };
        match f {
            Ctl::And(parts) => parts.iter().map(part).collect::<Vec<_>>().join(" && "),
            f => match linear::every_run(f) {
                Some(linear) => self.ltl(linear),
                None => self.ctl_piece(f).0,
            },
        }
    }

    /// A predicate.
    pub fn pred(&self, p: &Pred) -> String {
        self.pred_piece(p).0
    }

    /// An expression.
    pub fn expr(&self, e: &Expr) -> String {
        self.expr_piece(e).0
    }

    /// A variable, with its process if it has one.
    pub fn variable(&self, v: VarRef) -> String {
        match self.names.variable(v) {
            Some(name) => spell::exact(&name, self.names),
            None => format!("`variable {}`", v.0),
        }
    }

    /// A process.
    pub fn process(&self, p: ProcRef) -> String {
        spell::word(self.names.process_name(p))
    }

    fn ctl_piece(&self, f: &Ctl) -> Piece {
        match f {
            Ctl::State(p) => self.pred_piece(p),
            Ctl::And(parts) => (self.ctl_parts(parts, " && ", Level::And), Level::And),
            Ctl::Or(parts) => (self.ctl_parts(parts, " || ", Level::Or), Level::Or),
            Ctl::Ex(f) => self.unary("EX ", f),
            Ctl::Eu(f, g) => self.until("E", f, g),
            Ctl::Au(f, g) => self.until("A", f, g),
            Ctl::Run(runs) => self.runs_piece(runs, true),
            Ctl::Modal(table) => (equations(table), Level::Implies),
            Ctl::Not(inner) => match (&**inner, dual(inner)) {
                (Ctl::Run(runs), _) => self.runs_piece(runs, false),
                (Ctl::Ex(_), Some(f)) => self.unary("AX ", &f),
                (Ctl::Eu(..), Some(f)) => self.unary("AG ", &f),
                (Ctl::Au(..), Some(f)) => self.unary("EG ", &f),
                _ => self.unary("!", inner),
            },
        }
    }

    fn ctl_parts(&self, parts: &[Ctl], between: &str, level: Level) -> String {
        let part = |part: &Ctl| self.ctl_part(part, level);
        parts.iter().map(part).collect::<Vec<_>>().join(between)
    }

    fn ctl_part(&self, part: &Ctl, level: Level) -> String {
        match self.ctl_piece(part) {
            // A state within keeps its own connective apart from ours.
            piece if piece.1 == level && !matches!(part, Ctl::State(_)) => enclose(&piece),
            piece => at_least(level, piece),
        }
    }

    fn unary(&self, operator: &str, operand: &Ctl) -> Piece {
        (
            format!("{operator}{}", operand_of_unary(self.ctl_piece(operand))),
            Level::Unary,
        )
    }

    fn until(&self, path: &str, f: &Ctl, g: &Ctl) -> Piece {
        if f.as_const() == Some(true) {
            return self.unary(&format!("{path}F "), g);
        }
        (
            format!("{path}[{} U {}]", self.ctl(f), self.ctl(g)),
            Level::Primary,
        )
    }

    fn pred_piece(&self, p: &Pred) -> Piece {
        match p {
            Pred::Const(value) => (value.to_string(), Level::Primary),
            Pred::Compare(CmpOp::Eq, Expr::Inflight(from, to), zero) if *zero == Expr::int(0) => (
                format!("empty({})", self.channel(*from, *to)),
                Level::Primary,
            ),
            Pred::Compare(op, a, b) => {
                let side = |e| at_least(Level::Sum, self.expr_piece(e));
                (
                    format!("{} {} {}", side(a), op.symbol(), side(b)),
                    Level::Compare,
                )
            }
            Pred::Holds(e) => self.expr_piece(e),
            Pred::Done(process) => (format!("done({})", self.process(*process)), Level::Primary),
            Pred::On(event) => (format!("on({})", self.event(event)), Level::Primary),
            Pred::Not(inner) => (
                format!("!{}", operand_of_unary(self.pred_piece(inner))),
                Level::Unary,
            ),
            Pred::And(parts) => (self.pred_parts(parts, " && ", Level::And), Level::And),
            Pred::Or(parts) => (self.pred_parts(parts, " || ", Level::Or), Level::Or),
        }
    }

    fn pred_parts(&self, parts: &[Pred], between: &str, level: Level) -> String {
        let part = |part: &Pred| at_least(level, self.pred_piece(part));
        parts.iter().map(part).collect::<Vec<_>>().join(between)
    }

    fn event(&self, event: &EventAtom) -> String {
        match event {
            EventAtom::Label(label) => Value::Text(label.clone()).to_string(),
            EventAtom::Process(process) => match self.shares_its_name(*process) {
                true => format!("{}, any", self.process(*process)),
                false => self.process(*process),
            },
            EventAtom::ProcessLabel(process, label) => {
                format!("{}, {}", self.process(*process), Value::Text(label.clone()))
            }
            EventAtom::Wrote { now, .. } => match **now {
                // A lone name might be taken for that of a process.
                Pred::Holds(Expr::Var(_)) => enclose(&self.pred_piece(now)),
                _ => self.pred(now),
            },
        }
    }

    /// Whether the name of the process, as it is written, may mean a variable too.
    fn shares_its_name(&self, process: ProcRef) -> bool {
        let name = [spell::first_segment(self.names.process_name(process))];
        !matches!(resolve(&name, self.names), Resolution::Unknown)
    }

    fn expr_piece(&self, e: &Expr) -> Piece {
        if let Some((_, name)) = self.defined.iter().find(|(defined, _)| defined == e) {
            return (name.clone(), Level::Primary);
        }
        match e {
            Expr::Literal(value) => literal(value),
            Expr::Var(variable) => (self.variable(*variable), Level::Primary),
            Expr::Inflight(from, to) => (
                format!("inflight({})", self.channel(*from, *to)),
                Level::Primary,
            ),
            Expr::Steps(process) => (format!("steps({})", self.process(*process)), Level::Primary),
            Expr::Neg(inner) => {
                let operand = at_least(Level::Negative, self.expr_piece(inner));
                (format!("-{operand}"), Level::Negative)
            }
            Expr::Arith(op, a, b) => self.arith(*op, a, b),
            Expr::Count(parts) => list("count", parts, |part| self.pred(part)),
            Expr::Sum(parts) => list("sum", parts, |part| self.expr(part)),
            Expr::Min(parts) => list("min", parts, |part| self.expr(part)),
            Expr::Max(parts) => list("max", parts, |part| self.expr(part)),
            Expr::Truth(p) => match &**p {
                // Without the negations it would be the value itself, not whether it holds.
                Pred::Holds(e) => {
                    let value = operand_of_unary(self.expr_piece(e));
                    (format!("(!!{value})"), Level::Primary)
                }
                p => (enclose(&self.pred_piece(p)), Level::Primary),
            },
        }
    }

    fn arith(&self, op: ArithOp, a: &Expr, b: &Expr) -> Piece {
        let (level, right) = match op {
            ArithOp::Add | ArithOp::Sub => (Level::Sum, Level::Product),
            ArithOp::Mul | ArithOp::Div | ArithOp::Rem => (Level::Product, Level::Negative),
        };
        let a = at_least(level, self.expr_piece(a));
        let b = at_least(right, self.expr_piece(b));
        (format!("{a} {} {b}", op.symbol()), level)
    }

    fn channel(&self, from: ProcRef, to: ProcRef) -> String {
        format!("{} -> {}", self.process(from), self.process(to))
    }
}

/// A formula of the mu-calculus in its author's words.
fn equations(table: &Modal) -> String {
    let main = table.equations.get(table.main);
    main.map_or_else(String::new, |main| main.text.to_string())
}

/// `f`, when the formula is `EX !f`, `EF !f` or `AF !f`.
fn dual(f: &Ctl) -> Option<Ctl> {
    match f {
        Ctl::Ex(operand) => Some(Ctl::not((**operand).clone())),
        Ctl::Eu(until, operand) | Ctl::Au(until, operand) if **until == Ctl::TRUE => {
            Some(Ctl::not((**operand).clone()))
        }
        _ => None,
    }
}

fn literal(value: &Value) -> Piece {
    let text = value.to_string();
    let level = match value {
        Value::Number(_) if text.contains('/') => Level::Product,
        Value::Number(number) if number.is_negative() => Level::Negative,
        _ => Level::Primary,
    };
    (text, level)
}

fn list<T>(function: &str, parts: &[T], print: impl Fn(&T) -> String) -> Piece {
    let parts: Vec<String> = parts.iter().map(print).collect();
    (format!("{function}({})", parts.join(", ")), Level::Primary)
}

/// The text, in parentheses unless it holds together at least so tightly.
fn at_least(level: Level, piece: Piece) -> String {
    match piece.1 >= level {
        true => piece.0,
        false => enclose(&piece),
    }
}

/// An operand of `!` or `AG`: comparisons would not need the parentheses, their readers do.
fn operand_of_unary(piece: Piece) -> String {
    match piece.1 {
        Level::Unary | Level::Primary => piece.0,
        _ => enclose(&piece),
    }
}

fn enclose(piece: &Piece) -> String {
    format!("({})", piece.0)
}
