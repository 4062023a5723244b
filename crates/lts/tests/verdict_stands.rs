//! A verdict that is known stands, whatever becomes of its explanation: with every limit on time and memory that is large
//! enough for the verdict, and when the work must stop the moment it is known.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use causet_base::budget::{Budget, Meter, Spent};
use causet_flow::WorkerPool;
use causet_formula::modal::Modal;
use causet_formula::{Kind, Property};
use causet_lts::aut;
use causet_lts::model::{self, Checked, Model, NotChecked, Options};
use causet_lts::network;
use causet_lts::together;
use causet_solve::bes::Strategy;

const STRATEGIES: [Strategy; 3] = [Strategy::Lean, Strategy::DepthFirst, Strategy::BreadthFirst];

/// Formulas that are false, true, or have a diagnostic that is large.
const FORMULAS: [&str; 4] = [
    "[true*] <true> true",
    "<true*> [true] false",
    "[true*. 'take0_0' . (! 'put0_0')*] <(! 'put0_0')*. 'put0_0'> true",
    "[true*] <true* . 'take0_0'> true",
];

/// Philosophers who each take the left fork, then the right one.
fn philosophers(count: usize) -> Model {
    let ring = |at: usize| at % count;
    let systems = |name: &str| -> Result<String, String> {
        let number: usize = name[4..name.len() - 4].parse().map_err(|_| "no number")?;
        let (next, before) = (ring(number + 1), ring(number + count - 1));
        let take = |who: usize, fork: usize| format!("\"take{who}_{fork}\"");
        let put = |who: usize, fork: usize| format!("\"put{who}_{fork}\"");
        let (left, right) = (take(number, number), take(number, next));
        let (drop_left, drop_right) = (put(number, number), put(number, next));
        let (by_other, back) = (take(before, number), put(before, number));
        Ok(match name.starts_with("phil") {
            true => format!(
                "des (0, 4, 4)\n(0, {left}, 1)\n(1, {right}, 2)\n(2, {drop_left}, 3)\n(3, {drop_right}, 0)\n"
            ),
            false => format!(
                "des (0, 4, 3)\n(0, {left}, 1)\n(1, {drop_left}, 0)\n(0, {by_other}, 2)\n(2, {back}, 0)\n"
            ),
        })
    };
    let names = |kind: &str| {
        let names = (0..count).map(|number| format!("\"{kind}{number}.aut\""));
        names.collect::<Vec<_>>().join(" ||| ")
    };
    let text = format!("({}) |['.*']| ({})", names("phil"), names("fork"));
    let network = network::read(&text, None, &mut |name| {
        let system = systems(name)?;
        let read = aut::read(&mut system.as_bytes(), 1, &Budget::endless());
        read.map(|reading| reading.lts)
            .map_err(|problem| format!("{problem:?}"))
    });
    Model::Composed(network.expect("a network"))
}

fn modal(text: &str) -> Modal {
    let property = Property::parse(Kind::Mu, "p", text).expect(text);
    property.mu().expect("of kind mu").lower().expect(text)
}

fn options(strategy: Strategy) -> Options {
    Options {
        strategy,
        most_claims: usize::MAX,
    }
}

/// The verdict, or nothing when a limit was reached first.
fn verdict(checked: Result<Checked, NotChecked>) -> Option<bool> {
    match checked {
        Ok(checked) => Some(checked.holds),
        Err(NotChecked::Spent(_)) => None,
        Err(other) => panic!("{other:?}"),
    }
}

/// Stops after so many looks, each of which takes a millisecond.
struct AfterLooks {
    most: u64,
    looks: AtomicU64,
}

impl Meter for AfterLooks {
    fn stop(&self) -> Option<Spent> {
        let looks = self.looks.fetch_add(1, Ordering::Relaxed);
        (looks >= self.most).then_some(Spent::Time)
    }

    fn time_left(&self) -> Option<Duration> {
        let looks = self.looks.load(Ordering::Relaxed);
        Some(Duration::from_millis(self.most.saturating_sub(looks)))
    }
}

/// Stops when the verdict is known.
#[derive(Default)]
struct UntilVerdict(AtomicBool);

impl Meter for UntilVerdict {
    fn stop(&self) -> Option<Spent> {
        self.0.load(Ordering::Relaxed).then_some(Spent::Time)
    }

    fn verdict_known(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Once a limit is enough for the verdict, every larger one is; and the verdict is always the same.
fn stands(limits: impl Iterator<Item = u64>, place: &str, check: impl Fn(u64) -> Option<bool>) {
    let mut known = None;
    let mut unknown = 0;
    for limit in limits {
        let verdict = check(limit);
        unknown += usize::from(verdict.is_none());
        assert!(known.is_none() || verdict == known, "{limit}: {place}");
        known = verdict;
    }
    assert!(known.is_some(), "never decided: {place}");
    assert!(unknown > 0, "never undecided: {place}");
}

#[test]
fn more_time_never_loses_a_verdict() {
    let model = philosophers(7);
    for text in FORMULAS {
        for strategy in STRATEGIES {
            stands(0..120, &format!("{strategy:?} {text}"), |most| {
                let meter = AfterLooks {
                    most,
                    looks: AtomicU64::new(0),
                };
                let budget = Budget::new(&meter);
                verdict(model::check(
                    &model,
                    &modal(text),
                    options(strategy),
                    &budget,
                ))
            });
        }
    }
}

#[test]
fn more_memory_never_loses_a_verdict() {
    let model = philosophers(5);
    for text in FORMULAS {
        for strategy in STRATEGIES {
            let limits = (0..200).map(|step| step * 2000);
            stands(limits, &format!("{strategy:?} {text}"), |limit| {
                let budget = Budget::endless().with_memory(limit, 0);
                verdict(model::check(
                    &model,
                    &modal(text),
                    options(strategy),
                    &budget,
                ))
            });
        }
    }
}

#[test]
fn a_verdict_stands_when_there_is_no_time_to_explain_it() {
    let model = philosophers(7);
    let mut ended = 0;
    for text in FORMULAS {
        let modal = modal(text);
        let free = Budget::endless();
        let wanted = model::check(&model, &modal, options(Strategy::Lean), &free);
        let wanted = wanted.expect("no limit").holds;
        for strategy in STRATEGIES {
            let meter = UntilVerdict::default();
            let checked =
                model::check(&model, &modal, options(strategy), &Budget::new(&meter)).expect(text);
            assert_eq!(checked.holds, wanted, "{strategy:?} {text}");
            assert_eq!(
                checked.diagnostic.is_none(),
                checked.explanation_spent == Some(Spent::Time),
                "{strategy:?} {text}"
            );
            ended += usize::from(checked.explanation_spent.is_some());
        }
        for workers in 1..=3 {
            let meter = UntilVerdict::default();
            let pool = WorkerPool::of_threads(workers);
            let budget = Budget::new(&meter);
            let (checked, _) = together::check(
                &model,
                &modal,
                options(Strategy::Lean),
                (&pool, None),
                &budget,
            )
            .expect(text);
            assert_eq!(checked.holds, wanted, "{workers} workers: {text}");
            ended += usize::from(checked.explanation_spent.is_some());
        }
    }
    assert!(ended >= 12, "{ended} explanations were ended");
}
