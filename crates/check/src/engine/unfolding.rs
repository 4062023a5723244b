//! Formulas unfolded from the initial cut, for as long as that takes little work.
//!
//! `EX f` asks for the few cuts after one event, whatever else the run has, and an until may be decided after a few more:
//! `E[f U g] = g || (f && EX E[f U g])`. Below a depth nothing is known, so a value is true, false or open. The depth grows
//! until the value at the initial cut is known, or the work is spent. The equations of `bes` find the same with less
//! repetition, but they keep every cut they were asked for; here nothing is kept, and the bound is small.

use std::cell::Cell;

use causet_base::budget::{Budget, Spent};
use causet_formula::core::Ctl;
use causet_solve::chains::Chains;

use super::argue::{Decided, argue};
use super::{Finding, Stats};
use crate::observe::join;
use crate::project::Projection;

/// The depths that are tried one after the other.
const DEPTHS: [usize; 4] = [1, 2, 4, 8];
/// How much work a depth may be: visits of cuts, each as large as the number of chains.
const MAX_WORK: usize = 400_000;

/// Whether a formula is built from operators about cuts alone, and not just a predicate.
pub(crate) fn supports(formula: &Ctl) -> bool {
    !matches!(formula, Ctl::State(_)) && formula.is_about_cuts()
}

/// Decides a formula at the initial cut, unless it takes too much work: then it gives up as if memory were spent.
pub(crate) fn run(
    projection: &Projection<'_>,
    formula: &Ctl,
    budget: &Budget<'_>,
) -> Result<Finding, Spent> {
    for depth in DEPTHS {
        budget.look()?;
        let unfolding = Unfolding {
            projection,
            depth,
            work_left: Cell::new(MAX_WORK),
        };
        if let Some(holds) = unfolding.value(formula, &projection.first_cut(), depth) {
            let visited = (MAX_WORK - unfolding.work_left.get()) / unfolding.visit();
            let route = budget.explain(|| argue(&unfolding, formula, holds, budget));
            return Ok(Finding {
                holds,
                route,
                stats: Stats::from([("visited", visited as u64)]),
            });
        }
        if unfolding.work_left.get() == 0 {
            break;
        }
    }
    Err(Spent::Memory)
}

struct Unfolding<'a, 's> {
    projection: &'a Projection<'s>,
    depth: usize,
    work_left: Cell<usize>,
}

impl Unfolding<'_, '_> {
    /// The work of a visit.
    fn visit(&self) -> usize {
        self.projection.count() + 1
    }

    /// The value of a formula at a cut, if `depth` steps from there decide it.
    fn value(&self, formula: &Ctl, cut: &[u32], depth: usize) -> Option<bool> {
        let left = self.work_left.get().saturating_sub(self.visit());
        self.work_left.set(left);
        if left == 0 {
            return None;
        }
        let here = |part: &Ctl| self.value(part, cut, depth);
        match formula {
            Ctl::State(pred) => {
                let pred = self.projection.number_of(pred);
                Some(self.projection.holds(pred, cut))
            }
            Ctl::Not(part) => here(part).map(|value| !value),
            Ctl::And(parts) => join(false, parts.iter().map(here)),
            Ctl::Or(parts) => join(true, parts.iter().map(here)),
            Ctl::Ex(part) => self.after_a_step(true, part, cut, depth),
            Ctl::Eu(hold, goal) => {
                let next = || self.after_a_step(true, formula, cut, depth);
                either(here(goal), || both(here(hold), next))
            }
            Ctl::Au(hold, goal) => {
                let is_last = cut == self.projection.last_cut();
                let next = || match is_last {
                    true => Some(false),
                    false => self.after_a_step(false, formula, cut, depth),
                };
                either(here(goal), || both(here(hold), next))
            }
            Ctl::Run(_) | Ctl::Modal(_) => None,
        }
    }

    /// Whether some step leads to a cut that satisfies a formula, or every step.
    fn after_a_step(&self, some: bool, formula: &Ctl, cut: &[u32], depth: usize) -> Option<bool> {
        let depth = depth.checked_sub(1)?;
        let mut next = cut.to_vec();
        let steps =
            (0..self.projection.count()).filter(|&chain| self.projection.may_advance(cut, chain));
        join(
            some,
            steps.map(|chain| {
                next[chain] += 1;
                let value = self.value(formula, &next, depth);
                next[chain] -= 1;
                value
            }),
        )
    }
}

impl Decided for Unfolding<'_, '_> {
    fn projection(&self) -> &Projection<'_> {
        self.projection
    }

    fn holds(&self, formula: &Ctl, cut: &[u32]) -> bool {
        self.has(formula, cut, true)
    }

    fn has(&self, formula: &Ctl, cut: &[u32], truth: bool) -> bool {
        self.work_left.set(MAX_WORK);
        self.value(formula, cut, self.depth) == Some(truth)
    }
}

/// A disjunction whose second value is asked for only where it matters.
fn either(first: Option<bool>, second: impl FnOnce() -> Option<bool>) -> Option<bool> {
    match first {
        Some(true) => Some(true),
        Some(false) => second(),
        None => second().filter(|&value| value),
    }
}

/// A conjunction whose second value is asked for only where it matters.
fn both(first: Option<bool>, second: impl FnOnce() -> Option<bool>) -> Option<bool> {
    either(first.map(|value| !value), || second().map(|value| !value)).map(|value| !value)
}

#[cfg(test)]
mod tests {
    use causet_base::budget::Budget;
    use causet_trace::notation;
    use causet_trace::random::{self, Shape};
    use fastrand::Rng;

    use super::{run, supports};
    use crate::certify::examine;
    use crate::engine::rows;
    use crate::fixtures::{Maker, with_projection};

    #[test]
    fn unfolded_formulas_agree_with_all_cuts() {
        let (mut decided, mut shown) = (0_u32, 0_u32);
        for seed in 0..1500 {
            let mut rng = Rng::with_seed(seed);
            let shape = Shape::small(&mut rng);
            let trace = random::run(&mut rng, shape);
            let mut maker = Maker {
                rng: &mut rng,
                processes: shape.processes,
                shared: shape.shared,
            };
            let (one, other) = (maker.state(1), maker.state(1));
            let texts = [
                format!("EX {one}"),
                format!("AX ({one} || EX {other})"),
                format!("EX EF {one}"),
                format!("AG ({one} -> AX {other})"),
                format!("A[{one} U EX {other}]"),
                format!("E[{one} U AX {other}]"),
                format!("!(EX {one}) && EG {other}"),
            ];
            for text in texts {
                with_projection(&trace, &text, |projection, goal| {
                    let budget = Budget::endless();
                    if !supports(goal) {
                        return;
                    }
                    let Ok(found) = run(projection, goal, &budget) else {
                        return;
                    };
                    let expected = rows::run(projection, goal, &budget).expect("no limit");
                    assert_eq!(found.holds, expected.holds, "seed {seed}: {text}");
                    decided += 1;
                    if let Some(route) = found.route.expect("no limit") {
                        let trail = projection.lift(&route);
                        let opinion = examine(&trace, goal, found.holds, &trail, &budget);
                        assert!(opinion.expect("no limit").proven, "seed {seed}: {text}");
                        shown += 1;
                    }
                });
            }
        }
        assert!(decided > 5000, "{decided}");
        assert!(shown > 1000, "{shown}");
    }

    #[test]
    fn what_one_event_decides_needs_no_more_than_the_cuts_after_it() {
        let lines = (1..=20).map(|p| format!("p{p}:{}", " x=1 x=2".repeat(8)));
        let trace = notation::parse(&lines.collect::<Vec<_>>().join("\n")).expect("a drawing");
        let sum: Vec<String> = (1..=20).map(|p| format!("p{p}.x")).collect();
        for (bound, expected) in [(1, true), (2, false)] {
            let text = format!("EX ({} = {bound})", sum.join(" + "));
            let found = with_projection(&trace, &text, |projection, goal| {
                let found = run(projection, goal, &Budget::endless()).expect("a few cuts");
                (found.holds, found.stats["visited"])
            });
            let (holds, visited) = found.expect("a formula");
            assert_eq!(holds, expected, "{text}");
            assert!(visited < 50, "{visited}");
        }
    }
}
