//! The core language: the few shapes every engine has to understand.
//!
//! ```text
//! text --lex--> tokens --parse--> syntax (spans, sugar) --lower(names)--> core --> engines
//!                                    ^                                     |
//!                                    +---------------- print --------------+
//! ```
//!
//! A formula of the core is built through the constructors in lower case (`Pred::and`,
//! `Ctl::eu`, `Ctl::ag`, ...). They keep it in **normal form**:
//!
//! * no double negation, no constant below a connective, no `And` directly within an `And`;
//! * operations on two literals are carried out;
//! * `Ctl::State` is maximal: a boolean combination of states is one state.
//!
//! The constructors never push a negation into a comparison: `!(a < b)` is not `a >= b` at a cut
//! where the division in `a` is undefined, since the atom is false there whatever it says.

use std::sync::Arc;

use crate::linear::{Language, Runs};
use crate::modal::Modal;
use crate::names::{ProcRef, VarRef};
use causet_base::number::Number;
use causet_base::value::{Value, ValueType};

/// An expression: its value at a cut.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// A fixed value.
    Literal(Value),
    /// The value of a variable at the cut.
    Var(VarRef),
    /// How many messages from the first process to the second are sent and not yet received.
    Inflight(ProcRef, ProcRef),
    /// How many events of the process are in the cut.
    Steps(ProcRef),
    /// The negative of a number.
    Neg(Arc<Expr>),
    /// Exact arithmetic.
    Arith(ArithOp, Arc<Expr>, Arc<Expr>),
    /// How many of the predicates hold.
    Count(Vec<Pred>),
    /// The sum of all.
    Sum(Vec<Expr>),
    /// The least of at least one.
    Min(Vec<Expr>),
    /// The greatest of at least one.
    Max(Vec<Expr>),
    /// A predicate used as a value.
    Truth(Arc<Pred>),
}

/// The operators of exact arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArithOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`, undefined for a zero divisor
    Div,
    /// `%`, the remainder of truncated division
    Rem,
}

/// The comparisons. Order is defined on numbers only, equality on all values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CmpOp {
    /// `=`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

/// A predicate: true or false at a cut (and, below [`Pred::On`], of the event that led there).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Pred {
    /// Always, or never.
    Const(bool),
    /// A comparison of two values.
    Compare(CmpOp, Expr, Expr),
    /// A bare value in boolean position: true or a non-zero number.
    Holds(Expr),
    /// All events of the process are in the cut.
    Done(ProcRef),
    /// Something about the event just executed.
    On(EventAtom),
    /// Negation.
    Not(Arc<Pred>),
    /// Conjunction of at least two.
    And(Vec<Pred>),
    /// Disjunction of at least two.
    Or(Vec<Pred>),
}

/// What can be said about the event just executed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum EventAtom {
    /// It carries this label.
    Label(Arc<str>),
    /// It belongs to this process.
    Process(ProcRef),
    /// Both.
    ProcessLabel(ProcRef, Arc<str>),
    /// It wrote one of the variables, and the predicate holds now.
    Wrote {
        /// The variables of the predicate.
        vars: Vec<VarRef>,
        /// What holds after the event.
        now: Arc<Pred>,
    },
}

/// A CTL formula over cuts, by runs (the final cut has no successor).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Ctl {
    /// A predicate of the cut.
    State(Pred),
    /// Negation.
    Not(Arc<Ctl>),
    /// Conjunction of at least two.
    And(Vec<Ctl>),
    /// Disjunction of at least two.
    Or(Vec<Ctl>),
    /// Some successor satisfies it.
    Ex(Arc<Ctl>),
    /// On some run the second comes true, and the first holds until then.
    Eu(Arc<Ctl>, Arc<Ctl>),
    /// The same on every run.
    Au(Arc<Ctl>, Arc<Ctl>),
    /// Some complete run from the initial cut is one of these; stands below boolean connectives only.
    Run(Arc<Runs>),
    /// The initial cut satisfies these equations about labelled steps; stands below boolean connectives only.
    Modal(Equations),
}

/// A formula of the mu-calculus. Two are the same when they are one table, not when they say the same.
#[derive(Clone, Debug)]
pub struct Equations(pub Arc<Modal>);

impl std::ops::Deref for Equations {
    type Target = Modal;

    fn deref(&self) -> &Modal {
        &self.0
    }
}

impl PartialEq for Equations {
    fn eq(&self, other: &Equations) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Equations {}

impl std::hash::Hash for Equations {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.0).hash(state);
    }
}

impl ArithOp {
    /// The result; `None` for a zero divisor.
    pub fn apply(self, a: &Number, b: &Number) -> Option<Number> {
        match self {
            ArithOp::Add => Some(a + b),
            ArithOp::Sub => Some(a - b),
            ArithOp::Mul => Some(a * b),
            ArithOp::Div => a.checked_div(b),
            ArithOp::Rem => a.checked_rem(b),
        }
    }

    /// How a formula spells the operator.
    pub fn symbol(self) -> &'static str {
        match self {
            ArithOp::Add => "+",
            ArithOp::Sub => "-",
            ArithOp::Mul => "*",
            ArithOp::Div => "/",
            ArithOp::Rem => "%",
        }
    }
}

impl CmpOp {
    /// The result; `None` when the order of something other than two numbers is asked for.
    pub fn apply(self, a: &Value, b: &Value) -> Option<bool> {
        match self {
            CmpOp::Eq => return Some(a == b),
            CmpOp::Ne => return Some(a != b),
            CmpOp::Lt | CmpOp::Le | CmpOp::Gt | CmpOp::Ge => {}
        }
        Some(self.accepts(a.as_number()?.cmp(b.as_number()?)))
    }

    /// Whether two things in this order satisfy the comparison.
    pub fn accepts(self, order: std::cmp::Ordering) -> bool {
        match self {
            CmpOp::Eq => order.is_eq(),
            CmpOp::Ne => order.is_ne(),
            CmpOp::Lt => order.is_lt(),
            CmpOp::Le => order.is_le(),
            CmpOp::Gt => order.is_gt(),
            CmpOp::Ge => order.is_ge(),
        }
    }

    /// Whether the comparison asks for an order (and so for numbers).
    pub fn is_order(self) -> bool {
        !matches!(self, CmpOp::Eq | CmpOp::Ne)
    }

    /// How a formula spells the operator.
    pub fn symbol(self) -> &'static str {
        match self {
            CmpOp::Eq => "=",
            CmpOp::Ne => "!=",
            CmpOp::Lt => "<",
            CmpOp::Le => "<=",
            CmpOp::Gt => ">",
            CmpOp::Ge => ">=",
        }
    }
}

impl Expr {
    /// The literal of an integer.
    pub fn int(value: i64) -> Expr {
        Expr::Literal(Value::from(value))
    }

    /// The type of the value, as far as it does not depend on a trace.
    pub fn static_type(&self) -> Option<ValueType> {
        match self {
            Expr::Literal(value) => Some(value.value_type()),
            Expr::Var(_) => None,
            Expr::Truth(_) => Some(ValueType::Bool),
            _ => Some(ValueType::Number),
        }
    }

    /// `-e`
    pub fn negative(e: Expr) -> Expr {
        match e {
            Expr::Literal(Value::Number(number)) => Expr::Literal(Value::Number(-&number)),
            e => Expr::Neg(Arc::new(e)),
        }
    }

    /// `a op b`
    pub fn arith(op: ArithOp, a: Expr, b: Expr) -> Expr {
        if let (Expr::Literal(Value::Number(x)), Expr::Literal(Value::Number(y))) = (&a, &b)
            && let Some(result) = op.apply(x, y)
        {
            return Expr::Literal(Value::Number(result));
        }
        Expr::Arith(op, Arc::new(a), Arc::new(b))
    }

    /// A predicate as a value.
    pub fn truth(p: Pred) -> Expr {
        match p {
            Pred::Const(value) => Expr::Literal(Value::Bool(value)),
            p => Expr::Truth(Arc::new(p)),
        }
    }
}

impl Pred {
    /// Always true.
    pub const TRUE: Pred = Pred::Const(true);
    /// Never true.
    pub const FALSE: Pred = Pred::Const(false);

    /// `a op b`
    pub fn compare(op: CmpOp, a: Expr, b: Expr) -> Pred {
        if let (Expr::Literal(x), Expr::Literal(y)) = (&a, &b)
            && let Some(result) = op.apply(x, y)
        {
            return Pred::Const(result);
        }
        Pred::Compare(op, a, b)
    }

    /// A value in boolean position.
    pub fn holds(e: Expr) -> Pred {
        match e {
            Expr::Truth(p) => Arc::unwrap_or_clone(p),
            Expr::Literal(value) => match value.holds() {
                Some(truth) => Pred::Const(truth),
                None => Pred::Holds(Expr::Literal(value)),
            },
            e => Pred::Holds(e),
        }
    }

    /// `!p`
    #[expect(
        clippy::should_implement_trait,
        reason = "`!` would hide that this normalises"
    )]
    pub fn not(p: Pred) -> Pred {
        match p {
            Pred::Const(value) => Pred::Const(!value),
            Pred::Not(p) => Arc::unwrap_or_clone(p),
            p => Pred::Not(Arc::new(p)),
        }
    }

    /// `p && q && ...`, true for none.
    pub fn and(parts: impl IntoIterator<Item = Pred>) -> Pred {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Pred::Const(true) => {}
                Pred::Const(false) => return Pred::FALSE,
                Pred::And(inner) => flat.extend(inner),
                part => flat.push(part),
            }
        }
        single(flat, Pred::TRUE, Pred::And)
    }

    /// `p || q || ...`, false for none.
    pub fn or(parts: impl IntoIterator<Item = Pred>) -> Pred {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Pred::Const(false) => {}
                Pred::Const(true) => return Pred::TRUE,
                Pred::Or(inner) => flat.extend(inner),
                part => flat.push(part),
            }
        }
        single(flat, Pred::FALSE, Pred::Or)
    }
}

impl Ctl {
    /// True at every cut.
    pub const TRUE: Ctl = Ctl::State(Pred::TRUE);
    /// True at no cut.
    pub const FALSE: Ctl = Ctl::State(Pred::FALSE);

    /// The constant this formula is, if it is one.
    pub fn as_const(&self) -> Option<bool> {
        match self {
            Ctl::State(Pred::Const(value)) => Some(*value),
            _ => None,
        }
    }

    /// `!f`
    #[expect(
        clippy::should_implement_trait,
        reason = "`!` would hide that this normalises"
    )]
    pub fn not(f: Ctl) -> Ctl {
        match f {
            Ctl::State(p) => Ctl::State(Pred::not(p)),
            Ctl::Not(f) => Arc::unwrap_or_clone(f),
            f => Ctl::Not(Arc::new(f)),
        }
    }

    /// `f && g && ...`, true for none. The states among them become one, where the first stood.
    pub fn and(parts: impl IntoIterator<Item = Ctl>) -> Ctl {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Ctl::And(inner) => flat.extend(inner),
                part => flat.push(part),
            }
        }
        let flat = merge_states(flat, Pred::and);
        if flat.iter().any(|part| part.as_const() == Some(false)) {
            return Ctl::FALSE;
        }
        let rest = flat
            .into_iter()
            .filter(|part| part.as_const().is_none())
            .collect();
        single(rest, Ctl::TRUE, Ctl::And)
    }

    /// `f || g || ...`, false for none. The states among them become one, where the first stood.
    pub fn or(parts: impl IntoIterator<Item = Ctl>) -> Ctl {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Ctl::Or(inner) => flat.extend(inner),
                part => flat.push(part),
            }
        }
        let flat = merge_states(flat, Pred::or);
        if flat.iter().any(|part| part.as_const() == Some(true)) {
            return Ctl::TRUE;
        }
        let rest = flat
            .into_iter()
            .filter(|part| part.as_const().is_none())
            .collect();
        single(rest, Ctl::FALSE, Ctl::Or)
    }

    /// `f -> g` as `!f || g`
    pub fn implies(f: Ctl, g: Ctl) -> Ctl {
        Ctl::or([Ctl::not(f), g])
    }

    /// `f <-> g` as `(f && g) || (!f && !g)`
    pub fn iff(f: Ctl, g: Ctl) -> Ctl {
        let neither = Ctl::and([Ctl::not(f.clone()), Ctl::not(g.clone())]);
        Ctl::or([Ctl::and([f, g]), neither])
    }

    /// `EX f`; never true of `false`, but `EX true` says that this is not the final cut.
    pub fn ex(f: Ctl) -> Ctl {
        match f.as_const() {
            Some(false) => Ctl::FALSE,
            _ => Ctl::Ex(Arc::new(f)),
        }
    }

    /// `AX f` as `!EX !f`
    pub fn ax(f: Ctl) -> Ctl {
        Ctl::not(Ctl::ex(Ctl::not(f)))
    }

    /// `E[f U g]`; `E[f U true]` is true, but stays, since a cut can show it.
    pub fn eu(f: Ctl, g: Ctl) -> Ctl {
        match (f.as_const(), g.as_const()) {
            (_, Some(false)) | (Some(false), _) => g,
            _ => Ctl::Eu(Arc::new(f), Arc::new(g)),
        }
    }

    /// `A[f U g]`; `A[f U false]` is false, but stays, since only a whole run can show it.
    pub fn au(f: Ctl, g: Ctl) -> Ctl {
        match (f.as_const(), g.as_const()) {
            (_, Some(true)) | (Some(false), _) => g,
            _ => Ctl::Au(Arc::new(f), Arc::new(g)),
        }
    }

    /// Some run is a word of the language.
    pub fn some_run(language: Language) -> Ctl {
        let runs = Runs {
            language,
            complement: false,
            end: None,
        };
        Ctl::Run(Arc::new(runs))
    }

    /// The initial cut satisfies the equations.
    pub fn modal(table: Modal) -> Ctl {
        Ctl::Modal(Equations(Arc::new(table)))
    }

    /// Every run is a word of the language: no run is one of its complement.
    pub fn every_run(language: Language) -> Ctl {
        let runs = Runs {
            language,
            complement: true,
            end: None,
        };
        Ctl::not(Ctl::Run(Arc::new(runs)))
    }

    /// `EF f` as `E[true U f]`
    pub fn ef(f: Ctl) -> Ctl {
        Ctl::eu(Ctl::TRUE, f)
    }

    /// `AF f` as `A[true U f]`
    pub fn af(f: Ctl) -> Ctl {
        Ctl::au(Ctl::TRUE, f)
    }

    /// `EG f` as `!A[true U !f]`
    pub fn eg(f: Ctl) -> Ctl {
        Ctl::not(Ctl::af(Ctl::not(f)))
    }

    /// `AG f` as `!E[true U !f]`
    pub fn ag(f: Ctl) -> Ctl {
        Ctl::not(Ctl::ef(Ctl::not(f)))
    }

    /// `E[f W g]` as `!A[!g U (!f && !g)]`
    pub fn ew(f: Ctl, g: Ctl) -> Ctl {
        let (broken, not_g) = weak_parts(f, g);
        Ctl::not(Ctl::au(not_g, broken))
    }

    /// `A[f W g]` as `!E[!g U (!f && !g)]`
    pub fn aw(f: Ctl, g: Ctl) -> Ctl {
        let (broken, not_g) = weak_parts(f, g);
        Ctl::not(Ctl::eu(not_g, broken))
    }

    /// `E[f R g]` as `!A[!f U !g]`
    pub fn er(f: Ctl, g: Ctl) -> Ctl {
        Ctl::not(Ctl::au(Ctl::not(f), Ctl::not(g)))
    }

    /// `A[f R g]` as `!E[!f U !g]`
    pub fn ar(f: Ctl, g: Ctl) -> Ctl {
        Ctl::not(Ctl::eu(Ctl::not(f), Ctl::not(g)))
    }
}

/// For a weak until: the cut that breaks it, `!f && !g`, and `!g`.
fn weak_parts(f: Ctl, g: Ctl) -> (Ctl, Ctl) {
    let not_g = Ctl::not(g);
    (Ctl::and([Ctl::not(f), not_g.clone()]), not_g)
}

/// All states among the parts joined into one, at the place of the first.
fn merge_states(parts: Vec<Ctl>, join: fn(Vec<Pred>) -> Pred) -> Vec<Ctl> {
    let Some(place) = parts.iter().position(|part| matches!(part, Ctl::State(_))) else {
        return parts;
    };
    let mut states = Vec::new();
    let mut others = Vec::with_capacity(parts.len());
    for part in parts {
        match part {
            Ctl::State(p) => states.push(p),
            other => others.push(other),
        }
    }
    others.insert(place, Ctl::State(join(states)));
    others
}

/// None, one or many operands of an associative connective.
fn single<T>(mut parts: Vec<T>, none: T, many: fn(Vec<T>) -> T) -> T {
    match parts.len() {
        0 => none,
        1 => parts.pop().unwrap_or(none),
        _ => many(parts),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{CmpOp, Ctl, Expr, Pred};
    use crate::names::VarRef;

    fn atom(n: u32) -> Pred {
        Pred::compare(CmpOp::Eq, Expr::Var(VarRef(n)), Expr::int(1))
    }

    #[test]
    fn states_stay_maximal() {
        let f = Ctl::and([
            Ctl::State(atom(0)),
            Ctl::ex(Ctl::State(atom(1))),
            Ctl::State(atom(2)),
        ]);
        let Ctl::And(parts) = f else {
            panic!("a conjunction")
        };
        assert_eq!(parts[0], Ctl::State(Pred::And(vec![atom(0), atom(2)])));
        assert_eq!(parts.len(), 2);
    }

    #[test]
    fn constants_fold() {
        assert_eq!(Ctl::ag(Ctl::TRUE), Ctl::TRUE);
        assert_eq!(Ctl::ef(Ctl::FALSE), Ctl::FALSE);
        assert_eq!(Ctl::ax(Ctl::TRUE), Ctl::TRUE);
        assert_eq!(Ctl::ex(Ctl::TRUE), Ctl::Ex(Arc::new(Ctl::TRUE)));
        assert_eq!(
            Ctl::eu(Ctl::FALSE, Ctl::State(atom(0))),
            Ctl::State(atom(0))
        );
        assert_eq!(Ctl::implies(Ctl::FALSE, Ctl::State(atom(0))), Ctl::TRUE);
        assert_eq!(Ctl::aw(Ctl::State(atom(0)), Ctl::TRUE), Ctl::TRUE);
        assert_eq!(Ctl::not(Ctl::not(Ctl::ex(Ctl::TRUE))), Ctl::ex(Ctl::TRUE));
    }
}
