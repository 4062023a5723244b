//! The trees against the definition and the rows at every cut, and the printed fixpoints against both.

use causet_formula::core::{ArithOp, CmpOp, Expr};
use causet_formula::names::{ProcRef, VarRef};
use causet_trace::random::{self, Shape};
use causet_trace::{Trace, notation};
use fastrand::Rng;

use super::*;
use crate::engine::rows;
use crate::project::{Sight, Survey};
use crate::records::Records;
use crate::subject::Subject;

/// Looks at a run through a formula.
fn with_projection<R>(
    trace: &Trace,
    goal: &Ctl,
    whole: bool,
    act: impl FnOnce(&Projection<'_>) -> R,
) -> R {
    let vars = trace.variables().map(|var| VarRef(var.raw()));
    let mut survey = Survey::new(Records::of(Subject::of(trace), vars));
    let sight: Sight = survey.look(&[goal], whole);
    let budget = Budget::endless();
    survey.sweep(&[&sight], &budget).expect("no limit");
    let projection = survey.project(&sight, &budget).expect("no limit");
    act(&projection)
}

/// Decides a formula everywhere and hands over the trees.
fn with_sets<R>(
    trace: &Trace,
    goal: &Ctl,
    whole: bool,
    act: impl FnOnce(&Sets<'_, '_, '_>, &Space<'_, '_, '_>) -> R,
) -> R {
    with_projection(trace, goal, whole, |projection| {
        let table = Subformulas::of(&[goal]);
        let budget = Budget::endless();
        let mut space = Space::new(projection, &budget).expect("no limit");
        space.find_blocked().expect("no limit");
        let trees = space.decide_all(&table).expect("no limit");
        let sets = Sets {
            projection,
            table: &table,
            trees,
        };
        act(&sets, &space)
    })
}

fn cuts(projection: &Projection<'_>) -> Vec<Vec<u32>> {
    let mut points = vec![Vec::new()];
    for chain in 0..projection.count() {
        let longer = points.into_iter().flat_map(|point: Vec<u32>| {
            (0..=projection.length(chain)).map(move |x| [&point[..], &[x]].concat())
        });
        points = longer.collect();
    }
    points.retain(|point| {
        (0..point.len()).all(|chain| {
            let needs = |other: usize| projection.least(chain, point[chain], other);
            (0..point.len()).all(|other| needs(other) <= point[other])
        })
    });
    points
}

/// The meaning of a formula at a cut, by recursion over its successors.
fn means(projection: &Projection<'_>, formula: &Ctl, cut: &[u32]) -> bool {
    let here = |formula: &Ctl| means(projection, formula, cut);
    let next: Vec<Vec<u32>> = (0..cut.len())
        .filter(|&chain| projection.may_advance(cut, chain))
        .map(|chain| {
            let mut next = cut.to_vec();
            next[chain] += 1;
            next
        })
        .collect();
    let at = |formula: &Ctl, cut: &[u32]| means(projection, formula, cut);
    match formula {
        Ctl::State(pred) => projection.holds(projection.number_of(pred), cut),
        Ctl::Not(part) => !here(part),
        Ctl::And(parts) => parts.iter().all(here),
        Ctl::Or(parts) => parts.iter().any(here),
        Ctl::Ex(part) => next.iter().any(|cut| at(part, cut)),
        Ctl::Eu(hold, goal) => {
            here(goal) || (here(hold) && next.iter().any(|cut| at(formula, cut)))
        }
        Ctl::Au(hold, goal) => {
            let go_on = !next.is_empty() && next.iter().all(|cut| at(formula, cut));
            here(goal) || (here(hold) && go_on)
        }
        Ctl::Run(_) | Ctl::Modal(_) => false,
    }
}

/// Random formulas about a run.
struct Maker<'r, 't> {
    rng: &'r mut Rng,
    trace: &'t Trace,
}

impl Maker<'_, '_> {
    fn number(&mut self) -> Expr {
        let vars = self.trace.variables();
        let numbers = vars.filter(|&var| {
            let name = self.trace.short_name(var);
            name == "x" || name == "s"
        });
        let numbers: Vec<VarRef> = numbers.map(|var| VarRef(var.raw())).collect();
        Expr::Var(numbers[self.rng.usize(..numbers.len())])
    }

    fn process(&mut self) -> ProcRef {
        ProcRef(self.rng.u32(..self.trace.order().process_count() as u32))
    }

    fn expr(&mut self) -> Expr {
        match self.rng.u32(..8) {
            0 => Expr::Steps(self.process()),
            1 => Expr::Inflight(self.process(), self.process()),
            2 => Expr::arith(ArithOp::Add, self.number(), self.number()),
            3 => Expr::arith(ArithOp::Div, self.number(), self.number()),
            4 => Expr::Max(vec![self.number(), self.number()]),
            _ => self.number(),
        }
    }

    fn pred(&mut self, depth: usize) -> Pred {
        let ops = [CmpOp::Eq, CmpOp::Ne, CmpOp::Lt, CmpOp::Ge];
        match self.rng.u32(..if depth == 0 { 5 } else { 9 }) {
            0 => Pred::Done(self.process()),
            1..=4 => {
                let op = ops[self.rng.usize(..4)];
                Pred::compare(op, self.expr(), Expr::int(self.rng.i64(..3)))
            }
            5 => Pred::not(self.pred(depth - 1)),
            6 => Pred::and([self.pred(depth - 1), self.pred(depth - 1)]),
            7 => Pred::or([self.pred(depth - 1), self.pred(depth - 1)]),
            _ => {
                let parts = vec![self.pred(depth - 1), self.pred(depth - 1)];
                Pred::compare(CmpOp::Eq, Expr::Count(parts), Expr::int(1))
            }
        }
    }

    fn formula(&mut self, depth: usize) -> Ctl {
        if depth == 0 {
            return Ctl::State(self.pred(2));
        }
        let mut part = || self.formula(depth - 1);
        let (one, other) = (part(), part());
        match self.rng.u32(..12) {
            0 => Ctl::not(one),
            1 => Ctl::and([one, other]),
            2 => Ctl::or([one, other]),
            3 => Ctl::ex(one),
            4 => Ctl::ax(one),
            5 => Ctl::ef(one),
            6 => Ctl::af(one),
            7 => Ctl::eg(one),
            8 => Ctl::ag(one),
            9 | 10 => Ctl::eu(one, other),
            _ => Ctl::au(one, other),
        }
    }
}

fn sample(seed: u64) -> (Trace, Ctl, bool) {
    let mut rng = Rng::with_seed(seed);
    let shape = Shape::small(&mut rng);
    let trace = random::run(&mut rng, shape);
    let depth = rng.usize(..4);
    let mut maker = Maker {
        rng: &mut rng,
        trace: &trace,
    };
    let goal = maker.formula(depth);
    let whole = rng.bool();
    (trace, goal, whole)
}

#[test]
fn every_cut_agrees_with_the_definition() {
    for seed in 0..3000 {
        let (trace, goal, whole) = sample(seed);
        with_sets(&trace, &goal, whole, |sets, space| {
            for cut in cuts(sets.projection) {
                let context = || format!("seed {seed}, {goal:?} at {cut:?}");
                assert!(space.all.contains(&cut), "no cut? {}", context());
                let truth = means(sets.projection, &goal, &cut);
                assert_eq!(sets.holds(&goal, &cut), truth, "{}", context());
            }
            let outside = space.grid.complement(&space.all).expect("no limit");
            for tree in sets.trees.iter().chain(&space.blocked) {
                let both = space.grid.intersection(&outside, tree).expect("no limit");
                assert!(both.is_empty(), "no cut, seed {seed}, {goal:?}");
            }
        });
    }
}

#[test]
fn every_cut_agrees_with_the_rows() {
    for seed in 0..300 {
        let (trace, goal, _) = sample(seed);
        with_sets(&trace, &goal, true, |sets, _| {
            let projection = sets.projection;
            for cut in cuts(projection) {
                let reached = Ctl::ef(Ctl::and([there(&trace, projection, &cut), goal.clone()]));
                let finding = with_projection(&trace, &reached, true, |projection| {
                    rows::run(projection, &reached, &Budget::endless()).expect("no limit")
                });
                let truth = sets.holds(&goal, &cut);
                assert_eq!(truth, finding.holds, "seed {seed}, {goal:?} at {cut:?}");
            }
        });
    }
}

/// The predicate of one cut: so many events of every process.
fn there(trace: &Trace, projection: &Projection<'_>, cut: &[u32]) -> Ctl {
    let chains = cut.iter().enumerate().map(|(chain, &x)| {
        let process = trace.order().process_of(projection.chain(chain)[0]);
        let steps = Expr::Steps(ProcRef(process.raw()));
        Pred::compare(CmpOp::Eq, steps, Expr::int(i64::from(x)))
    });
    Ctl::State(Pred::and(chains))
}

#[test]
fn findings_agree_with_the_rows() {
    for seed in 0..3000 {
        let (trace, goal, whole) = sample(seed);
        with_projection(&trace, &goal, whole, |projection| {
            let budget = Budget::endless();
            assert_eq!(supports(projection), Ok(()));
            let divided = projection.divided_by_zero();
            let found = run(projection, &goal, &budget).expect("no limit");
            let by_trees = projection.divided_by_zero();
            assert_eq!(budget.used(), 0, "all memory is given back");
            let expected = with_projection(&trace, &goal, whole, |projection| {
                let finding = rows::run(projection, &goal, &budget).expect("no limit");
                assert!(divided || by_trees == projection.divided_by_zero());
                finding
            });
            assert_eq!(found.holds, expected.holds, "seed {seed}, {goal:?}");
            assert_eq!(found.route, expected.route, "seed {seed}, {goal:?}");
        });
    }
}

#[test]
fn a_spent_budget_is_passed_on() {
    let trace = drawn("a: x=1 x=2 m!  x=0\nb: x=1 x=0 m? x=1\n");
    let goal = Ctl::af(Ctl::and([x_is(&trace, "a", 2), x_is(&trace, "b", 0)]));
    with_projection(&trace, &goal, true, |projection| {
        let budget = Budget::endless().with_memory(500, 0);
        let found = run(projection, &goal, &budget);
        assert_eq!(found, Err(Spent::Memory));
        assert_eq!(budget.used(), 0);
    });
}

fn drawn(drawing: &str) -> Trace {
    notation::parse(drawing).expect("a drawing")
}

fn x_is(trace: &Trace, process: &str, value: i64) -> Ctl {
    let process = trace.process(process).expect("a process");
    let var = trace.local_variable(process, "x").expect("a variable");
    let x = Expr::Var(VarRef(var.raw()));
    Ctl::State(Pred::compare(CmpOp::Eq, x, Expr::int(value)))
}

const TWO: &str = "init a.x=0 b.x=0\na: x=1 m!  x=0\nb: x=1 m?\n";

/// The greatest fixpoint of a function, from all cuts step by step.
fn greatest<'b>(
    space: &Space<'_, '_, 'b>,
    step: impl Fn(&Tree<'b>) -> Result<Tree<'b>, Spent>,
) -> Result<Tree<'b>, Spent> {
    let mut known = space.grid.copy(&space.all)?;
    loop {
        let next = step(&known)?;
        if space.grid.within(&known, &next)? {
            return Ok(known);
        }
        known = next;
    }
}

#[test]
fn the_printed_eg_is_always_empty() -> Result<(), Spent> {
    let trace = drawn(TWO);
    let always = Ctl::eg(Ctl::not(x_is(&trace, "b", 2)));
    let Ctl::Not(fails) = &always else {
        panic!("the dual of AF")
    };
    with_sets(&trace, &always, true, |sets, space| {
        let Space { grid, all, .. } = space;
        let printed = greatest(space, |x| grid.intersection(all, &space.before_some(x)?))?;
        assert!(printed.is_empty(), "as printed: no successor, no EG");
        let repaired = greatest(space, |x| {
            let go_on = grid.union(&space.before_some(x)?, &space.last)?;
            grid.intersection(all, &go_on)
        })?;
        let ours = &sets.trees[sets.table.number(&always)];
        assert!(grid.within(&repaired, ours)? && grid.within(ours, &repaired)?);
        assert!(grid.within(all, ours)?, "x is never 2");
        assert!(sets.trees[sets.table.number(fails)].is_empty());
        Ok(())
    })
}

#[test]
fn the_printed_af_is_always_true() -> Result<(), Spent> {
    let trace = drawn(TWO);
    let never = Ctl::af(x_is(&trace, "b", 2));
    with_sets(&trace, &never, true, |sets, space| {
        let Ctl::Au(_, goal) = &never else {
            panic!("an until")
        };
        let goal = &sets.trees[sets.table.number(goal)];
        assert!(goal.is_empty(), "x is never 2");
        let mut printed = space.grid.nothing()?;
        for _ in 0..=sets.projection.last_cut().iter().sum() {
            printed = space.grid.union(goal, &space.before_all(&printed)?)?;
        }
        assert!(space.grid.within(&space.all, &printed)?, "as printed");
        assert!(sets.trees[sets.table.number(&never)].is_empty());
        Ok(())
    })
}

#[test]
fn the_printed_blocks_lose_single_writes() -> Result<(), Spent> {
    let trace = drawn(TWO);
    let once = x_is(&trace, "a", 1);
    with_sets(&trace, &once, true, |sets, space| {
        let (first, next) = (
            Place {
                chain: 0,
                position: 1,
            },
            Place {
                chain: 0,
                position: 3,
            },
        );
        let changes = space.changes(0);
        assert_eq!(changes.later, [(first, 1), (next, 0)]);
        // The block starts with its only write, so that is the last one too: A(e) and B(e) have nothing in common.
        let printed = space.block(Some(first), Some(first))?;
        assert!(printed.is_empty());
        let ours = &sets.trees[0];
        assert!(ours.contains(&[1, 0]) && ours.contains(&[2, 1]) && !ours.contains(&[3, 0]));
        Ok(())
    })
}

#[test]
fn only_edges_that_nothing_implies_are_taken() {
    // a's message reaches c by way of b, so c waits for b alone; b's second event waits for nothing new.
    let trace = drawn("a: m!\nb:    m?  n!\nc:            n?\n");
    with_projection(&trace, &Ctl::TRUE, true, |projection| {
        let edges = edges(projection);
        let shown: Vec<_> = edges
            .iter()
            .map(|edge| {
                (
                    edge.from.chain,
                    edge.from.position,
                    edge.to.chain,
                    edge.to.position,
                )
            })
            .collect();
        assert_eq!(shown, [(0, 1, 1, 1), (1, 2, 2, 1)]);
    });
}
