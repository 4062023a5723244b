//! What is left of a view once the values of some terms are known.
//!
//! A diagram is read layer by layer. After some layers a predicate has shrunk to what the remaining ones must satisfy;
//! two prefixes that leave the same residue can share everything below. So residues are kept in a normal form in which
//! equal ones are recognised: constants vanish, numbers are added up, order does not matter where it has no meaning.

use causet_base::number::Number;
use causet_base::value::Value;
use causet_formula::core::ArithOp;

use super::view::{Figure, TermId, View};

/// What may be known of terms.
pub(crate) trait Known {
    /// The value of a term if it is known: `Some(None)` is a value known to be undefined.
    fn value(&self, term: TermId) -> Option<Option<Value>>;

    /// Told of a division by zero.
    fn divided_by_zero(&self);
}

impl View {
    /// What is left of the predicate.
    pub(crate) fn given(&self, known: &dyn Known) -> View {
        match self {
            View::Const(_) => self.clone(),
            View::Term(term) => match known.value(*term) {
                Some(value) => View::Const(value == Some(Value::Bool(true))),
                None => self.clone(),
            },
            View::Not(part) => match part.given(known) {
                View::Const(truth) => View::Const(!truth),
                part => View::Not(Box::new(part)),
            },
            View::And(parts) => junction(parts, known, true, View::And),
            View::Or(parts) => junction(parts, known, false, View::Or),
            View::Compare(op, left, right) => match (left.given(known), right.given(known)) {
                (Figure::Undefined, _) | (_, Figure::Undefined) => View::Const(false),
                (Figure::Literal(left), Figure::Literal(right)) => {
                    View::Const(op.apply(&left, &right).unwrap_or(false))
                }
                (left, right) => View::Compare(*op, left, right),
            },
            View::Holds(figure) => match figure.given(known) {
                Figure::Undefined => View::Const(false),
                Figure::Literal(value) => View::Const(value.holds().unwrap_or(false)),
                figure => View::Holds(figure),
            },
        }
    }
}

/// The parts of a connective that are still open, unless one decides it; `neutral` parts vanish.
fn junction(parts: &[View], known: &dyn Known, neutral: bool, make: fn(Vec<View>) -> View) -> View {
    let mut open = Vec::with_capacity(parts.len());
    for part in parts {
        match part.given(known) {
            View::Const(truth) if truth == neutral => {}
            View::Const(truth) => return View::Const(truth),
            part => open.push(part),
        }
    }
    match open.len() {
        0 => View::Const(neutral),
        1 => open.swap_remove(0),
        _ => make(open),
    }
}

impl Figure {
    fn given(&self, known: &dyn Known) -> Figure {
        match self {
            Figure::Literal(_) | Figure::Undefined => self.clone(),
            Figure::Term(term) => match known.value(*term) {
                Some(value) => value.map_or(Figure::Undefined, Figure::Literal),
                None => self.clone(),
            },
            Figure::InFlight(sent, received) => in_flight(self, *sent, *received, known),
            Figure::Neg(part) => match part.given(known) {
                Figure::Literal(Value::Number(number)) => literal(-&number),
                Figure::Literal(_) | Figure::Undefined => Figure::Undefined,
                part => Figure::Neg(Box::new(part)),
            },
            Figure::Arith(op, left, right) => {
                arith(*op, left.given(known), right.given(known), known)
            }
            Figure::Count(views) => count(views, known),
            Figure::Sum(parts) => fold(parts, known, |a, b| a + b, Figure::Sum),
            Figure::Min(parts) => fold(parts, known, |a, b| a.min(b).clone(), Figure::Min),
            Figure::Max(parts) => fold(parts, known, |a, b| a.max(b).clone(), Figure::Max),
            Figure::Truth(view) => match view.given(known) {
                View::Const(truth) => Figure::Literal(Value::from(truth)),
                view => Figure::Truth(Box::new(view)),
            },
        }
    }
}

fn literal(number: Number) -> Figure {
    Figure::Literal(Value::Number(number))
}

/// Sent less received, of which one may be known before the other.
fn in_flight(figure: &Figure, sent: TermId, received: TermId, known: &dyn Known) -> Figure {
    let number = |term| {
        let value = known.value(term).flatten()?;
        value.as_number().cloned()
    };
    match (number(sent), number(received)) {
        (Some(sent), Some(received)) => literal(&sent - &received),
        (Some(sent), None) => difference(literal(sent), Figure::Term(received)),
        (None, Some(received)) => difference(Figure::Term(sent), literal(received)),
        (None, None) => figure.clone(),
    }
}

fn difference(left: Figure, right: Figure) -> Figure {
    Figure::Arith(ArithOp::Sub, Box::new(left), Box::new(right))
}

fn arith(op: ArithOp, left: Figure, right: Figure, known: &dyn Known) -> Figure {
    match (&left, &right) {
        (Figure::Undefined, _) | (_, Figure::Undefined) => Figure::Undefined,
        (Figure::Literal(a), Figure::Literal(b)) => {
            let (Some(a), Some(b)) = (a.as_number(), b.as_number()) else {
                return Figure::Undefined;
            };
            let result = op.apply(a, b);
            if result.is_none() {
                known.divided_by_zero();
            }
            result.map_or(Figure::Undefined, literal)
        }
        _ => Figure::Arith(op, Box::new(left), Box::new(right)),
    }
}

/// Those that hold come first, all alike; those that do not are gone.
fn count(views: &[View], known: &dyn Known) -> Figure {
    let mut holding = 0;
    let mut open = Vec::with_capacity(views.len());
    for view in views {
        match view.given(known) {
            View::Const(truth) => holding += usize::from(truth),
            view => open.push(view),
        }
    }
    if open.is_empty() {
        return Figure::Literal(Value::from(holding as i64));
    }
    let mut counted = vec![View::Const(true); holding];
    counted.append(&mut open);
    Figure::Count(counted)
}

/// The numbers that are known become one, in front.
fn fold(
    parts: &[Figure],
    known: &dyn Known,
    join: fn(&Number, &Number) -> Number,
    make: fn(Vec<Figure>) -> Figure,
) -> Figure {
    let mut sofar: Option<Number> = None;
    let mut open = Vec::with_capacity(parts.len());
    for part in parts {
        match part.given(known) {
            Figure::Undefined => return Figure::Undefined,
            Figure::Literal(value) => {
                let Some(number) = value.as_number() else {
                    return Figure::Undefined;
                };
                sofar = Some(match sofar {
                    Some(sofar) => join(&sofar, number),
                    None => number.clone(),
                });
            }
            part => open.push(part),
        }
    }
    if open.is_empty() {
        return sofar.map_or(Figure::Undefined, literal);
    }
    let mut folded: Vec<Figure> = sofar.map(literal).into_iter().collect();
    folded.append(&mut open);
    make(folded)
}
