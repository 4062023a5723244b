//! How many cuts there are after each number of events: where a run could have been in many states, and where in few.
//!
//! Exactly, where an interval sharing tree of all cuts is small enough: a pass over it gives all levels at once. Where it
//! is not, by cuts of some of the levels that are drawn at random (`draws`), and then with the error to be expected.

use causet_solve::budget::{Budget, Spent};
use causet_solve::chains::Chains;
use causet_solve::diagram::Forest;
use dashu_int::UBig;
use dashu_int::ops::BitTest;
use fastrand::Rng;

use super::draws::{estimate, steps_of_a_draw};
use crate::engine::ist::arrange;
use crate::project::Survey;
use crate::records::Records;
use crate::subject::Subject;

/// How many cuts there are at some levels, the first and the last among them.
#[derive(Clone, PartialEq, Debug)]
pub struct Density {
    /// In the order of their levels.
    pub points: Vec<Point>,
    /// The number of all cuts, in decimal digits, if the numbers are exact.
    pub total: Option<String>,
    /// From how many cuts of a level each number was estimated; `None` if the numbers are exact.
    pub drawn: Option<usize>,
}

/// The cuts of one level.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Point {
    /// How many events they hold.
    pub level: u32,
    /// The decimal logarithm of their number.
    pub log10: f64,
    /// By which share of the number an estimate may be expected to be wrong: one standard error, itself estimated.
    pub error: f64,
}

/// How much work an estimate may be, in steps of some nanoseconds.
const MOST_WORK: u64 = 200_000_000;
/// More draws than this make no difference to the eye.
const MOST_DRAWS: u64 = 240;
/// With fewer draws than this there should rather be fewer levels.
const MANY_DRAWS: u64 = 60;
const FEW_LEVELS: usize = 40;
/// Fewer draws than this say nothing.
const LEAST_DRAWS: usize = 12;

/// How many cuts there are at about so many levels, spread evenly, and at some others beside. The exact numbers are tried
/// for within a budget of their own; what that refuses is estimated within the other one.
pub fn density(
    subject: Subject<'_>,
    levels: usize,
    beside: &[u32],
    exactly: &Budget<'_>,
    budget: &Budget<'_>,
) -> Result<Density, Spent> {
    let room = budget.branch();
    let mut survey = Survey::new(Records::of(subject, []));
    let everything = survey.look(&[], true);
    survey.sweep(&[&everything], &room)?;
    let chains = survey.project(&everything, &room)?;
    let wanted = |levels: usize| spread(subject.trace.len() as u32, levels, beside);
    match by_tree(&chains, exactly) {
        Ok(counts) => Ok(exact(&counts, &wanted(levels))),
        Err(Spent::Cancelled) => Err(Spent::Cancelled),
        Err(_) => estimated(&chains, levels, wanted, &room),
    }
}

/// So many levels from the first to the last, and those beside.
fn spread(last: u32, levels: usize, beside: &[u32]) -> Vec<u32> {
    let steps = (levels.max(2) as u64 - 1).min(u64::from(last)).max(1);
    let evenly = (0..=steps).map(|step| (step * u64::from(last) / steps) as u32);
    let beside = beside.iter().copied().filter(|&level| level <= last);
    let mut all: Vec<u32> = evenly.chain(beside).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn by_tree(chains: &dyn Chains, budget: &Budget<'_>) -> Result<Vec<UBig>, Spent> {
    budget.look()?;
    let room = budget.branch();
    let layers = arrange(chains, false, &room)?;
    let lengths = layers.iter().map(|&chain| chains.length(chain));
    let mut forest = Forest::new(lengths.collect(), &room);
    let cuts = forest.all_cuts(chains, &layers)?;
    forest.count_by_sum(cuts)
}

fn exact(counts: &[UBig], levels: &[u32]) -> Density {
    let counted = levels.iter().filter_map(|&level| {
        let cuts = counts.get(level as usize)?;
        Some(Point {
            level,
            log10: log10(cuts),
            error: 0.0,
        })
    });
    Density {
        points: counted.collect(),
        total: Some(counts.iter().sum::<UBig>().to_string()),
        drawn: None,
    }
}

/// The decimal logarithm of a number of any length; that of 0 is 0.
fn log10(number: &UBig) -> f64 {
    let shift = number.bit_len().saturating_sub(64);
    let leading = u64::try_from(number >> shift).unwrap_or(u64::MAX);
    (leading.max(1) as f64).log10() + shift as f64 * std::f64::consts::LOG10_2
}

fn estimated(
    chains: &dyn Chains,
    levels: usize,
    wanted: impl Fn(usize) -> Vec<u32>,
    budget: &Budget<'_>,
) -> Result<Density, Spent> {
    let a_draw = steps_of_a_draw(chains);
    let rounds = |levels: usize| MOST_WORK / a_draw.saturating_mul(levels as u64).max(1);
    let enough = rounds(levels) >= MANY_DRAWS;
    let levels = wanted(if enough { levels } else { FEW_LEVELS });
    let draws = rounds(levels.len()).min(MOST_DRAWS) as usize;
    if draws < LEAST_DRAWS {
        return Err(Spent::Time);
    }
    // The same run has the same picture.
    let mut rng = Rng::with_seed(1);
    let mut points = Vec::with_capacity(levels.len());
    for level in levels {
        let (log, error) = estimate(chains, level, draws, &mut rng, budget)?;
        points.push(Point {
            level,
            log10: log * std::f64::consts::LOG10_E,
            error,
        });
    }
    Ok(Density {
        points,
        total: None,
        drawn: Some(draws),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lattice::Lattice;
    use causet_solve::budget::Meter;
    use causet_solve::space::Space;
    use causet_trace::random::{Shape, run};
    use causet_trace::{Order, Trace};
    use std::collections::BTreeSet;

    /// Refuses everything that asks.
    struct Never;

    impl Meter for Never {
        fn stop(&self) -> Option<Spent> {
            Some(Spent::Time)
        }
    }

    fn random_run(seed: u64, processes: usize, events: usize) -> Trace {
        let shape = Shape {
            processes,
            events,
            messages: 0.4,
            writes: 0.3,
            shared: true,
        };
        run(&mut Rng::with_seed(seed), shape)
    }

    /// The number of cuts on each level, by visiting them.
    fn visited(order: &Order) -> Vec<usize> {
        let lattice = Lattice(order);
        let mut level: BTreeSet<Vec<u32>> = [vec![0; lattice.width()]].into();
        let mut counts = Vec::new();
        while !level.is_empty() {
            counts.push(level.len());
            let mut next = BTreeSet::new();
            for cut in &level {
                lattice.successors(cut, &mut |_, successor| {
                    next.insert(successor.to_vec());
                });
            }
            level = next;
        }
        counts
    }

    #[test]
    fn exact_numbers_are_those_of_a_visit() {
        for seed in 0..40 {
            let trace = random_run(seed, 4, 24);
            let (levels, room) = (trace.len() + 1, Budget::endless());
            let told = density(Subject::of(&trace), levels, &[], &room, &room).expect("no limit");
            let counts = visited(trace.order());
            assert_eq!(told.total, Some(counts.iter().sum::<usize>().to_string()));
            assert_eq!(told.points.len(), counts.len());
            for (point, count) in told.points.iter().zip(counts) {
                assert!(
                    (point.log10 - (count as f64).log10()).abs() < 1e-9,
                    "seed {seed}"
                );
            }
        }
    }

    #[test]
    fn estimates_are_near_the_exact_numbers() {
        for seed in 0..40 {
            let trace = random_run(seed, 5, 40);
            let (room, levels) = (Budget::endless(), trace.len() + 1);
            let refused = Budget::new(&Never);
            let told =
                density(Subject::of(&trace), levels, &[], &refused, &room).expect("no limit");
            assert_eq!((told.total, told.drawn), (None, Some(240)));
            for (point, count) in told.points.iter().zip(visited(trace.order())) {
                let off = (point.log10 - (count as f64).log10()).abs();
                assert!(off < 0.2, "seed {seed}: {point:?}, truly {count}");
            }
        }
    }

    #[test]
    fn levels_beside_the_usual_ones_are_counted_too() {
        assert_eq!(spread(1000, 5, &[333, 2000]), [0, 250, 333, 500, 750, 1000]);
        assert_eq!(spread(2, 300, &[]), [0, 1, 2]);
        assert_eq!(spread(0, 300, &[]), [0]);
    }

    #[test]
    fn logarithms_of_long_numbers() {
        assert_eq!(log10(&UBig::from(1000u32)), 3.0);
        let long = UBig::from(10u32).pow(500);
        assert!((log10(&long) - 500.0).abs() < 1e-9);
    }
}
