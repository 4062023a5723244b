//! Which predicates have slices: from a predicate over terms to recipes.
//!
//! | predicate | cuts that satisfy it | class |
//! |---|---|---|
//! | one line decides it | one slice | local (also one shared variable) |
//! | `rising + falling` compared with a constant | one slice, two for `!=` | monotone relational, channel |
//! | a sum compared with the least, or the greatest, that its lines allow | one slice, or the rest | conjunction of local |
//! | only rising, or only falling, lines compared | closed upwards or downwards | stable, or the negation of one |
//! | several lines with few values | a slice for each combination | boolean combination of local |
//!
//! The second row: let `u` be the value of a line that never falls and `d` of one that never rises, both functions of how
//! many steps of their line are in the cut. `u + d <= k` says for each step of the first line: who holds it holds
//! enough steps of the second for `d` to make up for `u`. These are implications from events to events, so the cuts are
//! closed under union and intersection; `>=` is the same with the lines exchanged, `=` is both. Messages in flight are
//! the case `sent - received`, `x - y <= 5` of monotone variables is paper POTA's own example (section 6). We look at the
//! values of this run instead of asking for a declaration, so `x` may be any expression that happens to be monotone.
//!
//! The last row is ours: a predicate of few-valued terms is the disjunction of the combinations that satisfy it, each a
//! conjunction of local predicates.

use std::cell::Cell;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::rc::Rc;

use causet_base::number::Number;
use causet_base::value::Value;
use causet_formula::core::CmpOp;

use super::line::{Line, length};
use super::recipe::{Both, Recipe};
use super::sublattice::Slice;
use super::sums::{Addend, Addends};
use crate::project::{Figure, Projection, Values, View};

/// How many combinations of values a predicate may be taken apart into.
///
/// Fewer in tests, or nothing would be left for the other rows of the table in small runs.
const MOST_COMBINATIONS: usize = if cfg!(test) { 4 } else { 64 };

/// The recipes of a predicate and of its negation.
pub(super) fn of_view(projection: &Projection<'_>, view: &View) -> Both {
    match view {
        View::Const(truth) => Both::constant(projection, *truth),
        View::Not(part) => of_view(projection, part).negated(),
        View::And(parts) => Both::all(parts.iter().map(|part| of_view(projection, part))),
        View::Or(parts) => Both::any(parts.iter().map(|part| of_view(projection, part))),
        View::Term(term) => {
            let line = Line::of_term(projection, *term);
            Both::of_slices(
                line.slice(projection, |&number| number == 1),
                line.slice(projection, |&number| number != 1),
            )
        }
        View::Compare(op, left, right) => of_comparison(projection, view, *op, left, right),
        View::Holds(_) => by_combinations(projection, view),
    }
}

fn of_comparison(
    projection: &Projection<'_>,
    view: &View,
    op: CmpOp,
    left: &Figure,
    right: &Figure,
) -> Both {
    let addends = Addends::of_difference(left, right);
    let Some(sum) = addends.and_then(|addends| Sum::of(projection, addends)) else {
        return by_combinations(projection, view);
    };
    let (constant, lines) = sum.apart();
    let rising = lines.iter().filter(|line| line.never_falls()).count();
    let falling = lines.iter().filter(|line| line.never_rises()).count();
    match &lines[..] {
        [] => Both::constant(projection, op.accepts(constant.cmp(&Number::ZERO))),
        [line] => {
            let accepts = |x: &Number| op.accepts((x + &constant).cmp(&Number::ZERO));
            Both::of_slices(
                line.slice(projection, accepts),
                line.slice(projection, |x| !accepts(x)),
            )
        }
        [first, second] if rising == 1 && falling == 1 => {
            let (up, down) = match first.never_falls() {
                true => (first, second),
                false => (second, first),
            };
            let difference = Difference {
                up,
                down,
                constant: &constant,
            };
            difference.both(projection, op)
        }
        lines => match at_an_end(projection, op, &constant, lines)
            .unwrap_or_else(|| by_combinations(projection, view))
        {
            both if both.is_known() || !op.is_order() => both,
            _ if rising == lines.len() => Both::monotone(view, goes_up(op)),
            _ if falling == lines.len() => Both::monotone(view, !goes_up(op)),
            both => both,
        },
    }
}

/// A comparison with zero of a sum that cannot get below zero, or not above: nothing to ask, or whether every line is at
/// its own end.
fn at_an_end(
    projection: &Projection<'_>,
    op: CmpOp,
    constant: &Number,
    lines: &[Line<Number>],
) -> Option<Both> {
    let ends = |end: fn(std::slice::Iter<'_, Number>) -> Option<&Number>| {
        let ends: Option<Vec<&Number>> = lines.iter().map(|line| end(line.values.iter())).collect();
        let ends = ends?;
        let sum = ends.iter().fold(constant.clone(), |sum, end| &sum + end);
        Some((ends, sum.cmp(&Number::ZERO)))
    };
    let everywhere = |order: Ordering| Both::constant(projection, op.accepts(order));
    let (least, low) = ends(|values| values.min())?;
    let (greatest, high) = ends(|values| values.max())?;
    let (ends, beyond) = match (low, high) {
        (Ordering::Greater, _) => return Some(everywhere(low)),
        (_, Ordering::Less) => return Some(everywhere(high)),
        (Ordering::Equal, _) => (least, Ordering::Greater),
        (_, Ordering::Equal) => (greatest, Ordering::Less),
        _ => return None,
    };
    let at_end = |(line, end): (&Line<Number>, &Number)| {
        Both::of_slices(
            line.slice(projection, |value| value == end),
            line.slice(projection, |value| value != end),
        )
    };
    let all = Both::all(lines.iter().zip(ends).map(at_end));
    Some(match (op.accepts(Ordering::Equal), op.accepts(beyond)) {
        (true, false) => all,
        (false, true) => all.negated(),
        _ => everywhere(beyond),
    })
}

/// Whether a comparison with a constant stays true when the left side grows.
fn goes_up(op: CmpOp) -> bool {
    matches!(op, CmpOp::Gt | CmpOp::Ge)
}

/// A sum of lines and a constant.
struct Sum {
    constant: Number,
    /// Lines of one chain are put together; the others are told apart by their term.
    lines: BTreeMap<(Option<usize>, usize), Line<Number>>,
}

impl Sum {
    /// The sum of some terms; `None` when one of them is not always a number.
    fn of(projection: &Projection<'_>, addends: Addends) -> Option<Sum> {
        let mut sum = Sum {
            constant: addends.constant,
            lines: BTreeMap::new(),
        };
        for addend in &addends.terms {
            sum.add(projection, addend)?;
        }
        Some(sum)
    }

    fn add(&mut self, projection: &Projection<'_>, addend: &Addend) -> Option<()> {
        let line = Line::of_term(projection, addend.term);
        let numbers = line.values.iter();
        let values = numbers.map(|&number| addend.value(projection, number));
        let values: Option<Vec<Number>> = values.collect();
        let line = Line::of_changes(line.steps, values?);
        let Some(chain) = line.chain() else {
            self.lines.insert((None, self.lines.len()), line);
            return Some(());
        };
        let whole = match self.lines.get(&(Some(chain), 0)) {
            Some(other) => other.plus(&line, chain, length(projection, chain)),
            None => line,
        };
        self.lines.insert((Some(chain), 0), whole);
        Some(())
    }

    /// The constant and the lines that change.
    fn apart(self) -> (Number, Vec<Line<Number>>) {
        let (lines, fixed): (Vec<_>, Vec<_>) = self
            .lines
            .into_values()
            .partition(|line| !line.steps.is_empty());
        let fixed = fixed.iter().filter_map(|line| line.values.first());
        let constant = fixed.fold(self.constant, |sum, value| &sum + value);
        (constant, lines)
    }
}

/// A line that never falls, one that never rises, and a constant.
struct Difference<'a> {
    up: &'a Line<Number>,
    down: &'a Line<Number>,
    constant: &'a Number,
}

impl Difference<'_> {
    /// The recipes for a comparison of the sum with zero and for its negation.
    fn both(&self, projection: &Projection<'_>, op: CmpOp) -> Both {
        let slice = |op| {
            self.at_most(projection, op)
                .or_else(|| self.at_least(projection, op))
        };
        let recipe = |op| Recipe::of_slice(slice(op).flatten());
        let equal = || {
            let both = [recipe(CmpOp::Le), recipe(CmpOp::Ge)];
            Recipe::all(both.into_iter().map(Rc::new).collect())
        };
        let differs = || {
            let either = [recipe(CmpOp::Lt), recipe(CmpOp::Gt)];
            Recipe::any(either.into_iter().map(Rc::new).collect())
        };
        match op {
            CmpOp::Eq => Both::of(equal(), differs()),
            CmpOp::Ne => Both::of(differs(), equal()),
            CmpOp::Lt => Both::of(recipe(op), recipe(CmpOp::Ge)),
            CmpOp::Le => Both::of(recipe(op), recipe(CmpOp::Gt)),
            CmpOp::Gt => Both::of(recipe(op), recipe(CmpOp::Le)),
            CmpOp::Ge => Both::of(recipe(op), recipe(CmpOp::Lt)),
        }
    }

    /// For `<` and `<=`: each step up needs enough steps down.
    fn at_most(&self, projection: &Projection<'_>, op: CmpOp) -> Option<Option<Slice>> {
        matches!(op, CmpOp::Lt | CmpOp::Le).then(|| {
            enough(projection, self.up, self.down, |up, down| {
                self.accepts(op, up, down)
            })
        })
    }

    /// For `>` and `>=`: each step down needs enough steps up.
    fn at_least(&self, projection: &Projection<'_>, op: CmpOp) -> Option<Option<Slice>> {
        matches!(op, CmpOp::Gt | CmpOp::Ge).then(|| {
            enough(projection, self.down, self.up, |down, up| {
                self.accepts(op, up, down)
            })
        })
    }

    fn accepts(&self, op: CmpOp, up: &Number, down: &Number) -> bool {
        let sum = &(up + down) + self.constant;
        op.accepts(sum.cmp(&Number::ZERO))
    }
}

/// The cuts at which two lines fit, when going on along the first makes it harder and along the second easier.
fn enough(
    projection: &Projection<'_>,
    harder: &Line<Number>,
    easier: &Line<Number>,
    fits: impl Fn(&Number, &Number) -> bool,
) -> Option<Slice> {
    let mut slice = Slice::all(projection);
    let mut wanted = 0;
    for (done, value) in harder.values.iter().enumerate() {
        let rest = easier.values[wanted..].iter();
        wanted += rest.take_while(|easier| !fits(value, easier)).count();
        let step = done.checked_sub(1).map(|last| harder.steps[last]);
        let wants = wanted.checked_sub(1).map(|last| easier.steps.get(last));
        match (step, wants) {
            (_, None) => {}
            (None, Some(None)) => return None,
            (None, Some(Some(&place))) => slice.demand(place),
            (Some(step), Some(None)) => {
                slice.forbid(step);
                break;
            }
            (Some(step), Some(Some(&place))) => slice.need(step, place),
        }
    }
    Some(slice)
}

/// Takes a predicate apart into the combinations of values that satisfy it.
fn by_combinations(projection: &Projection<'_>, view: &View) -> Both {
    let mut terms = Vec::new();
    view.clone().each_term(&mut |term| terms.push(*term));
    terms.sort_unstable();
    terms.dedup();
    let values = |&term: &usize| projection.values_of(term).len();
    // The last one, of which there are most values, need not be taken apart.
    terms.sort_by_key(values);
    let taken = &terms[..terms.len().saturating_sub(1)];
    let combinations = taken
        .iter()
        .map(values)
        .try_fold(1_usize, |product, count| {
            Some(product.checked_mul(count)?).filter(|&product| product <= MOST_COMBINATIONS)
        });
    let Some(combinations) = combinations else {
        return Both::unknown(NOT_REGULAR);
    };
    let lines: Vec<Line<u32>> = terms
        .iter()
        .map(|&term| Line::of_term(projection, term))
        .collect();
    let apart = Apart {
        projection,
        view,
        terms: &terms,
        lines: &lines,
    };
    let parts: Vec<[Option<Slice>; 2]> = (0..combinations).map(|code| apart.slices(code)).collect();
    let [yes, no] = [0, 1].map(|truth| {
        let slices = parts.iter().filter_map(|part| part[truth].clone());
        let recipes = slices.map(|slice| Rc::new(Recipe::of_slice(Some(slice))));
        Recipe::any(recipes.collect())
    });
    Both::of(yes, no)
}

const NOT_REGULAR: &str =
    "a comparison of several processes whose cuts form no lattice in this run";

/// A predicate taken apart by the values of all its terms but the last.
struct Apart<'a, 's> {
    projection: &'a Projection<'s>,
    view: &'a View,
    terms: &'a [usize],
    lines: &'a [Line<u32>],
}

impl Apart<'_, '_> {
    /// The cuts of one combination that satisfy the predicate, and those that do not.
    fn slices(&self, code: usize) -> [Option<Slice>; 2] {
        let nothing = [None, None];
        let Some((last, taken)) = self.lines.split_last() else {
            return nothing;
        };
        let mut code = code;
        let mut chosen = Vec::with_capacity(self.terms.len());
        let mut fixed = Slice::all(self.projection);
        for (line, &term) in taken.iter().zip(self.terms) {
            let count = self.projection.values_of(term).len();
            let value = (code % count) as u32;
            code /= count;
            let Some(slice) = line.slice(self.projection, |&number| number == value) else {
                return nothing;
            };
            fixed = fixed.and(&slice);
            chosen.push(value);
        }
        let truth = |&number: &u32| self.truth(&chosen, number, &fixed);
        let yes = last.slice(self.projection, truth);
        let no = last.slice(self.projection, |number| !truth(number));
        [yes, no].map(|slice| Some(fixed.and(&slice?)))
    }

    /// Whether the predicate holds for a combination and a value of the last term.
    fn truth(&self, chosen: &[u32], number: u32, fixed: &Slice) -> bool {
        let at = Chosen {
            apart: self,
            chosen,
            number,
            divided: Cell::new(false),
        };
        let truth = self.view.holds(&at);
        if at.divided.get() && !self.projection.divided_by_zero() {
            let last = self.lines.last();
            let there = last.and_then(|line| line.slice(self.projection, |&n| n == number));
            let first = self.projection.first_cut();
            let reached = there.and_then(|there| fixed.and(&there).least(self.projection, &first));
            if reached.is_some() {
                self.projection.note_division_by_zero();
            }
        }
        truth
    }
}

/// A combination of values.
struct Chosen<'a, 's> {
    apart: &'a Apart<'a, 's>,
    chosen: &'a [u32],
    number: u32,
    divided: Cell<bool>,
}

impl Chosen<'_, '_> {
    fn number(&self, term: usize) -> u32 {
        let place = self.apart.terms.iter().position(|&own| own == term);
        let chosen = place.and_then(|place| self.chosen.get(place));
        chosen.copied().unwrap_or(self.number)
    }
}

impl Values for Chosen<'_, '_> {
    fn truth(&self, term: usize) -> bool {
        self.number(term) == 1
    }

    fn value(&self, term: usize) -> Option<Value> {
        let number = self.number(term) as usize;
        self.apart.projection.values_of(term)[number].clone()
    }

    fn divided_by_zero(&self) {
        self.divided.set(true);
    }
}
