//! How many cuts there are after each number of events: where a run could have been in many states, and where in few.
//!
//! Exactly, where an interval sharing tree of all cuts is small enough: a pass over it gives all levels at once. Where it
//! is not, by cuts of some of the levels that are drawn at random (`draws`), and then with the error to be expected.

use causet_base::budget::{Budget, Spent};
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
    /// How many other levels were to be estimated, had there been time.
    pub left_out: usize,
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

impl Point {
    /// The decimal logarithms of the numbers between which the true one is likely to be.
    pub fn range(&self) -> (f64, f64) {
        range(self.log10, self.error)
    }
}

/// The decimal logarithms of the numbers between which the true one should be found in about 19 of 20 cases if there were
/// a hundred draws or more, and in four of five if there were only a dozen. The estimator is skewed: rare draws that stand
/// for many cuts are usually missed, so the standard error is taken for a factor, which leaves more room above than below.
/// No run and no level is without cuts.
pub(super) fn range(log10: f64, error: f64) -> (f64, f64) {
    let off = (1.0 + STANDARD_ERRORS * error).log10();
    ((log10 - off).max(0.0), log10 + off)
}

/// Within so many standard errors a mean is in 19 of 20 cases, if these are estimated from six samples (Student).
const STANDARD_ERRORS: f64 = 2.571;

/// How much work an estimate may be, in steps of some nanoseconds.
const MOST_WORK: u64 = 200_000_000;
/// More draws than this make no difference to the eye.
const MOST_DRAWS: u64 = 240;
/// With fewer draws than this there should rather be fewer levels.
const MANY_DRAWS: u64 = 60;
const FEW_LEVELS: usize = 40;
/// Fewer draws than this say nothing.
const LEAST_DRAWS: u64 = 12;

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
    let asked = Asked {
        last: subject.trace.len() as u32,
        count: levels,
        beside,
    };
    match by_tree(&chains, exactly) {
        Ok(counts) => Ok(exact(&counts, &asked.levels())),
        Err(Spent::Cancelled) => Err(Spent::Cancelled),
        Err(_) => estimated(&chains, asked, &room),
    }
}

/// The levels that somebody wants to know about.
#[derive(Clone, Copy)]
struct Asked<'a> {
    /// The level of all events.
    last: u32,
    /// About how many levels, from the first to the last.
    count: usize,
    /// Others beside.
    beside: &'a [u32],
}

impl Asked<'_> {
    /// The levels in their order.
    fn levels(self) -> Vec<u32> {
        let steps = (self.count.max(2) as u64 - 1)
            .min(u64::from(self.last))
            .max(1);
        let evenly = (0..=steps).map(|step| (step * u64::from(self.last) / steps) as u32);
        let beside = self.beside.iter().copied();
        let mut all: Vec<u32> = evenly
            .chain(beside.filter(|&level| level <= self.last))
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The levels in an order in which it does little harm to stop early: first both ends, then those beside, then the
    /// others, of which any beginning is spread over the whole run.
    fn by_need(self) -> Vec<u32> {
        let levels = self.levels();
        let rank = |level: u32| match level {
            level if level == 0 || level == self.last => 0,
            level if self.beside.contains(&level) => 1,
            _ => 2,
        };
        let places = levels.iter().zip(0u32..);
        let mut by_need: Vec<(u8, u32, u32)> = places
            .map(|(&level, place)| (rank(level), place.reverse_bits(), level))
            .collect();
        by_need.sort_unstable();
        by_need.into_iter().map(|(.., level)| level).collect()
    }
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
        left_out: 0,
    }
}

/// The decimal logarithm of a number of any length; that of 0 is 0.
fn log10(number: &UBig) -> f64 {
    let shift = number.bit_len().saturating_sub(64);
    let leading = u64::try_from(number >> shift).unwrap_or(u64::MAX);
    (leading.max(1) as f64).log10() + shift as f64 * std::f64::consts::LOG10_2
}

/// Estimates as many of the levels as there is time for. The budget may end between any two of them; only if nothing but
/// both ends is known by then, which are no news, there is no answer.
fn estimated(chains: &dyn Chains, asked: Asked<'_>, budget: &Budget<'_>) -> Result<Density, Spent> {
    let (levels, draws) = affordable(chains, asked);
    let mut points = Vec::with_capacity(levels.len());
    for &level in &levels {
        match point(chains, level, draws, budget) {
            Ok(point) => points.push(point),
            Err(Spent::Cancelled) => return Err(Spent::Cancelled),
            Err(spent) if points.len() <= 2 => return Err(spent),
            Err(_) => break,
        }
    }
    points.sort_unstable_by_key(|point| point.level);
    Ok(Density {
        left_out: levels.len() - points.len(),
        points,
        total: None,
        drawn: Some(draws),
    })
}

/// Which levels to estimate, the most important first, and from how many draws each. Where even the fewest draws are too
/// much work for all levels, those that are done when the time is up must do.
fn affordable(chains: &dyn Chains, asked: Asked<'_>) -> (Vec<u32>, usize) {
    let count = match rounds(chains, asked.count) >= MANY_DRAWS {
        true => asked.count,
        false => asked.count.min(FEW_LEVELS),
    };
    let levels = Asked { count, ..asked }.by_need();
    let draws = affordable_draws(chains, levels.len());
    (levels, draws)
}

/// How many draws each of some numbers may be estimated from.
pub(super) fn affordable_draws(chains: &dyn Chains, numbers: usize) -> usize {
    rounds(chains, numbers).clamp(LEAST_DRAWS, MOST_DRAWS) as usize
}

/// How many draws for each of some numbers are within the work of an estimate.
fn rounds(chains: &dyn Chains, numbers: usize) -> u64 {
    let steps = steps_of_a_draw(chains).saturating_mul(numbers as u64);
    MOST_WORK / steps.max(1)
}

/// The estimate for a level, which is the same whatever other levels are estimated.
fn point(
    chains: &dyn Chains,
    level: u32,
    draws: usize,
    budget: &Budget<'_>,
) -> Result<Point, Spent> {
    let mut rng = Rng::with_seed(u64::from(level));
    let (log, error) = estimate(chains, Some(level), draws, &mut rng, budget)?;
    Ok(Point {
        level,
        log10: log * std::f64::consts::LOG10_E,
        error,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::tests::with_chains;
    use crate::lattice::Lattice;
    use causet_base::budget::Meter;
    use causet_solve::space::Space;
    use causet_trace::random::{Shape, run};
    use causet_trace::{Order, Trace};
    use std::collections::BTreeSet;
    use std::sync::atomic::{AtomicU64, Ordering};

    /// Ends the time after so many looks at the clock.
    struct Stops(AtomicU64);

    impl Stops {
        fn after(looks: u64) -> Stops {
            Stops(AtomicU64::new(looks))
        }
    }

    impl Meter for Stops {
        fn stop(&self) -> Option<Spent> {
            let less = |looks: u64| looks.checked_sub(1);
            let left = self
                .0
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
            left.is_err().then_some(Spent::Time)
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

    /// The estimates for all levels of a run.
    fn guessed(trace: &Trace, budget: &Budget<'_>) -> Result<Density, Spent> {
        let never = Stops::after(0);
        let refused = Budget::new(&never);
        density(Subject::of(trace), trace.len() + 1, &[], &refused, budget)
    }

    #[test]
    fn estimates_are_near_the_exact_numbers() {
        for seed in 0..40 {
            let trace = random_run(seed, 5, 40);
            let told = guessed(&trace, &Budget::endless()).expect("no limit");
            assert_eq!((told.total, told.drawn), (None, Some(240)));
            assert_eq!((told.points.len(), told.left_out), (trace.len() + 1, 0));
            for (point, count) in told.points.iter().zip(visited(trace.order())) {
                let off = (point.log10 - (count as f64).log10()).abs();
                assert!(off < 0.2, "seed {seed}: {point:?}, truly {count}");
            }
        }
    }

    /// How many levels of some random runs with more than one cut were estimated, for how many of them the range did not
    /// hold the exact number, and the usual error.
    fn misses(processes: usize, events: usize, draws: usize) -> (u32, u32, f64) {
        let (mut all, mut missed, mut errors) = (0, 0, 0.0);
        let room = Budget::endless();
        for seed in 100..120 {
            with_chains(&random_run(seed, processes, events), |chains| {
                let counts = by_tree(chains, &room).expect("no limit");
                for (level, count) in (0..).zip(counts).filter(|(_, count)| !count.is_one()) {
                    let told = point(chains, level, draws, &room).expect("no limit");
                    let ((low, high), truly) = (told.range(), log10(&count));
                    let holds = low - 1e-9 <= truly && truly <= high + 1e-9;
                    (all, errors) = (all + 1, errors + told.error);
                    missed += u32::from(!holds);
                }
            });
        }
        (all, missed, errors / f64::from(all))
    }

    /// Checks that at most so many of a hundred ranges miss, and that the usual error is not so large that a range that
    /// holds the number says nothing.
    fn check_ranges(processes: usize, events: usize, draws: usize, percent: u32, most: f64) {
        let (all, missed, usual) = misses(processes, events, draws);
        assert!(all > 800, "{all} levels with a choice");
        let told = format!("{processes} processes, {draws} draws: {missed} of {all}, {usual}");
        assert!(missed * 100 <= all * percent, "{told}");
        assert!(usual < most, "{told}");
    }

    #[test]
    fn most_ranges_hold_the_exact_number() {
        check_ranges(3, 60, 240, 8, 0.05);
        check_ranges(5, 60, 240, 8, 0.05);
        check_ranges(8, 60, 160, 8, 0.05);
    }

    #[test]
    fn ranges_from_few_draws_hold_it_less_often() {
        check_ranges(12, 60, 24, 12, 0.2);
        check_ranges(20, 80, 12, 20, 0.3);
    }

    #[test]
    fn what_was_estimated_before_the_end_of_time_is_kept() {
        let trace = random_run(3, 5, 60);
        let all = guessed(&trace, &Budget::endless()).expect("no limit");
        let in_time = |looks| {
            let meter = Stops::after(looks);
            guessed(&trace, &Budget::new(&meter))
        };
        assert_eq!(in_time(10), Err(Spent::Time));
        let told = in_time(20_000).expect("some levels");
        assert!(told.points.len() > 8 && told.left_out > 8, "{told:?}");
        assert_eq!(told.points.len() + told.left_out, all.points.len());
        assert!(told.points.iter().all(|point| all.points.contains(point)));
        let levels: Vec<u32> = told.points.iter().map(|point| point.level).collect();
        assert_eq!((levels[0], levels[levels.len() - 1]), (0, 60));
        let gaps = levels.windows(2).map(|pair| pair[1] - pair[0]);
        assert!(gaps.max() <= Some(8), "spread over the run: {levels:?}");
    }

    #[test]
    fn even_a_thousand_processes_have_some_levels() {
        let trace = random_run(1, 1000, 3000);
        let asked = Asked {
            last: 3000,
            count: 320,
            beside: &[77],
        };
        let (levels, draws) = with_chains(&trace, |chains| affordable(chains, asked));
        assert_eq!((levels.len(), draws), (41, 12));
        assert_eq!(levels[..3], [0, 3000, 77]);
    }

    #[test]
    fn levels_beside_the_usual_ones_are_counted_too() {
        let levels = |last, count, beside| {
            Asked {
                last,
                count,
                beside,
            }
            .levels()
        };
        assert_eq!(
            levels(1000, 5, &[333, 2000][..]),
            [0, 250, 333, 500, 750, 1000]
        );
        assert_eq!(levels(2, 300, &[]), [0, 1, 2]);
        assert_eq!(levels(0, 300, &[]), [0]);
    }

    #[test]
    fn logarithms_of_long_numbers() {
        assert_eq!(log10(&UBig::from(1000u32)), 3.0);
        let long = UBig::from(10u32).pow(500);
        assert!((log10(&long) - 500.0).abs() < 1e-9);
    }
}
