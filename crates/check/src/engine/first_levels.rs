//! The first levels of the lattice, for as long as that takes little work.
//!
//! What few events can bring about is found here, whatever else the run has: a search level by level from the initial cut
//! through the cuts where an until is still open. It ends when it has found a witness, when there is nothing left to
//! search, which decides as well, or when its share of the work is spent, which decides nothing. The bound counts steps
//! and not time, so that the same run and the same property always take the same way.

use causet_base::budget::{Budget, Spent};
use causet_formula::core::Ctl;
use causet_solve::chains::Chains;
use rustc_hash::FxHashSet;

use super::table::{Engine, OfCuts, Skill};
use super::unfolding;
use super::{Finding, Stats};
use crate::project::{Projection, Route};
use crate::refusal::refused;

/// The first levels, by whichever of two techniques takes the formula. The planner knows when; few formulas are decided so.
pub(crate) static ENGINE: Engine = Engine {
    name: "levels",
    about: "The first levels alone",
    skill: Skill::Cuts(OfCuts {
        supports: |_, formula| match supports(formula) || unfolding::supports(formula) {
            true => Ok(()),
            false => Err(refused("it is about runs or labels")),
        },
        run: |task| match supports(task.formula) {
            true => run(task.projection, task.formula, task.budget),
            false => unfolding::run(task.projection, task.formula, task.budget),
        },
        layouts: 1,
    }),
    takes_all: false,
};

/// How much work a search may be: steps, each as large as the number of chains it has to look at.
const MAX_WORK: usize = 1_500_000;

/// Whether a formula is an until of predicates.
pub(crate) fn supports(formula: &Ctl) -> bool {
    match formula {
        Ctl::Eu(hold, goal) | Ctl::Au(hold, goal) => {
            matches!((&**hold, &**goal), (Ctl::State(_), Ctl::State(_)))
        }
        _ => false,
    }
}

/// Decides an until of predicates, unless it takes too much work: then it gives up as if memory were spent.
pub(crate) fn run(
    projection: &Projection<'_>,
    formula: &Ctl,
    budget: &Budget<'_>,
) -> Result<Finding, Spent> {
    let (Ctl::Eu(hold, goal) | Ctl::Au(hold, goal)) = formula else {
        return Err(Spent::Memory);
    };
    let (Ctl::State(hold), Ctl::State(goal)) = (&**hold, &**goal) else {
        return Err(Spent::Memory);
    };
    let search = Search {
        projection,
        hold: projection.number_of(hold),
        goal: projection.number_of(goal),
        for_all: matches!(formula, Ctl::Au(..)),
    };
    let mut visited = Visited::default();
    let end = search.find(&mut visited, budget)?;
    let route = end.filter(|_| projection.wants_routes()).map(|end| Route {
        steps: visited.steps_to(end),
        to_the_end: search.for_all && visited.cuts[end] == projection.last_cut(),
        ..Route::default()
    });
    Ok(Finding {
        holds: end.is_some() != search.for_all,
        route: Ok(route),
        stats: Stats::from([("cuts", visited.cuts.len() as u64)]),
    })
}

/// What is looked for: `E[hold U goal]`, or a way on which `A[hold U goal]` fails.
struct Search<'a, 's> {
    projection: &'a Projection<'s>,
    hold: usize,
    goal: usize,
    for_all: bool,
}

/// What a cut means for a search.
enum Standing {
    Found,
    Open,
    Closed,
}

impl Search<'_, '_> {
    fn find(&self, visited: &mut Visited, budget: &Budget<'_>) -> Result<Option<usize>, Spent> {
        let chains = self.projection.count();
        let mut work = 0;
        visited.enter(self.projection.first_cut(), (0, 0), budget)?;
        let mut at = 0;
        while at < visited.cuts.len() {
            match self.standing(&visited.cuts[at]) {
                Standing::Found => return Ok(Some(at)),
                Standing::Closed => {}
                Standing::Open => {
                    for chain in 0..chains {
                        budget.tick()?;
                        if self.projection.may_advance(&visited.cuts[at], chain) {
                            let mut next = visited.cuts[at].clone();
                            next[chain] += 1;
                            visited.enter(next, (at, chain), budget)?;
                        }
                    }
                    work += chains * chains;
                }
            }
            work += chains;
            if work > MAX_WORK {
                return Err(Spent::Memory);
            }
            at += 1;
        }
        Ok(None)
    }

    fn standing(&self, cut: &[u32]) -> Standing {
        let hold = self.projection.holds(self.hold, cut);
        let goal = self.projection.holds(self.goal, cut);
        match (self.for_all, goal, hold) {
            (false, true, _) | (true, false, false) => Standing::Found,
            (false, false, true) => Standing::Open,
            (true, false, true) if cut == self.projection.last_cut() => Standing::Found,
            (true, false, true) => Standing::Open,
            (false, false, false) | (true, true, _) => Standing::Closed,
        }
    }
}

/// The cuts that were reached, in the order of their levels.
#[derive(Default)]
struct Visited {
    cuts: Vec<Vec<u32>>,
    /// Per cut: the cut before it and the chain that advanced.
    came_by: Vec<(usize, usize)>,
    known: FxHashSet<Vec<u32>>,
}

impl Visited {
    fn enter(
        &mut self,
        cut: Vec<u32>,
        came_by: (usize, usize),
        budget: &Budget<'_>,
    ) -> Result<(), Spent> {
        if self.known.contains(&cut) {
            return Ok(());
        }
        budget.charge(8 * cut.len() + 96)?;
        self.known.insert(cut.clone());
        self.cuts.push(cut);
        self.came_by.push(came_by);
        Ok(())
    }

    /// The chains that advance on the way from the initial cut.
    fn steps_to(&self, mut cut: usize) -> Vec<usize> {
        let mut steps = Vec::new();
        while cut != 0 {
            let (before, chain) = self.came_by[cut];
            steps.push(chain);
            cut = before;
        }
        steps.reverse();
        steps
    }
}

#[cfg(test)]
mod tests {
    use causet_base::budget::{Budget, Spent};
    use causet_formula::core::Ctl;
    use causet_trace::random::{self, Shape};
    use causet_trace::{Trace, notation};
    use fastrand::Rng;

    use super::{run, supports};
    use crate::certify::examine;
    use crate::engine::rows;
    use crate::fixtures::{Maker, with_projection};

    /// The verdict, compared with that of all cuts one by one, its witness judged by the certifier; `None` for formulas
    /// that are no untils.
    fn check(trace: &Trace, text: &str) -> Option<bool> {
        with_projection(trace, text, |projection, goal| {
            let (goal, negated) = match goal {
                Ctl::Not(part) => (&**part, true),
                goal => (goal, false),
            };
            if !supports(goal) {
                return None;
            }
            let budget = Budget::endless();
            let found = run(projection, goal, &budget).expect("few cuts");
            let expected = rows::run(projection, goal, &budget).expect("no limit");
            assert_eq!(found.holds, expected.holds, "{text}");
            let (route, shortest) = (
                found.route.expect("no limit"),
                expected.route.expect("no limit"),
            );
            assert_eq!(route.is_some(), shortest.is_some(), "{text}");
            if let (Some(route), Some(shortest)) = (&route, &shortest) {
                let trail = projection.lift(route);
                let opinion = examine(trace, goal, found.holds, &trail, &budget).expect("no limit");
                assert!(opinion.proven, "{text}: {route:?}");
                if matches!(goal, Ctl::Eu(..)) {
                    assert_eq!(route.steps.len(), shortest.steps.len(), "{text}");
                }
            }
            Some(found.holds != negated)
        })?
    }

    #[test]
    fn the_first_levels_agree_with_all_cuts() {
        let (mut checked, mut held) = (0_u32, 0_u32);
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
                format!("EF {one}"),
                format!("AG {one}"),
                format!("AF {one}"),
                format!("EG {one}"),
                format!("E[{one} U {other}]"),
                format!("A[{one} U {other}]"),
            ];
            for text in texts {
                let checked_one = std::panic::catch_unwind(|| check(&trace, &text));
                let holds = checked_one.unwrap_or_else(|_| panic!("seed {seed}: {text}"));
                checked += u32::from(holds.is_some());
                held += u32::from(holds == Some(true));
            }
        }
        assert!(checked > 5000, "{checked}");
        assert!((checked / 5..checked * 4 / 5).contains(&held), "{held}");
    }

    #[test]
    fn a_search_that_is_too_much_work_gives_up() {
        let lines = (1..=8).map(|p| format!("p{p}:{}", " x=1 x=2".repeat(8)));
        let trace = notation::parse(&lines.collect::<Vec<_>>().join("\n")).expect("a drawing");
        for (bound, expected) in [(3, Ok(true)), (16, Err(Spent::Memory))] {
            let sum: Vec<String> = (1..=8).map(|p| format!("p{p}.x")).collect();
            let text = format!("EF({} = {bound})", sum.join(" + "));
            let found = with_projection(&trace, &text, |projection, goal| {
                run(projection, goal, &Budget::endless()).map(|found| found.holds)
            });
            assert_eq!(found, Some(expected), "{text}");
        }
    }
}
