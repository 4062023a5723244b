//! Formulas decided by many workers: the verdict of one, explained as one explains it, however many there are and
//! however often they are asked; and a limit that is reached ends the work of all.

mod common;

use std::sync::atomic::{AtomicU64, Ordering};

use causet_base::budget::{Budget, Meter, Spent};
use causet_flow::WorkerPool;
use causet_formula::modal::Modal;
use causet_lts::counterexample::Counterexample;
use causet_lts::equations::check_globally;
use causet_lts::model::{self, Checked, Model, NotChecked, Options};
use causet_lts::network;
use causet_lts::random::random_lts;
use causet_lts::together;
use causet_lts::{Labels, Lts};
use causet_solve::bes::Strategy;
use causet_solve::space::Space;
use causet_solve::steps::Edge;
use common::evidence::{distances, is_of_its_shape, is_part_of};
use common::mu_common::LABELS;
use common::{Question, ask, graph, has, questions, satisfied, seeds, system};
use fastrand::Rng;

const EXPLAINED: Options = Options {
    strategy: Strategy::Lean,
    most_claims: usize::MAX,
};

/// How many questions are asked about each system: running workers takes longer than small systems do.
const ASKED: usize = 4;

fn is_whole_run() -> bool {
    std::env::var("CAUSET_SEED").is_err()
}

/// A formula decided by so many workers.
fn check(
    model: &Model,
    modal: &Modal,
    (workers, heap): (usize, Option<u32>),
    budget: &Budget<'_>,
) -> Result<Checked, NotChecked> {
    let pool = WorkerPool::of_threads(workers);
    let (checked, summaries) = together::check(model, modal, EXPLAINED, (&pool, heap), budget)?;
    assert_eq!(summaries.len(), workers);
    Ok(checked)
}

/// The verdict with its diagnostic, without limits.
fn explained(
    model: &Model,
    modal: &Modal,
    team: (usize, Option<u32>),
    place: &str,
) -> (bool, Counterexample, u64) {
    let checked = check(model, modal, team, &Budget::endless());
    let checked = checked.unwrap_or_else(|error| panic!("{place}: {error:?}"));
    let diagnostic = checked.diagnostic;
    let diagnostic = diagnostic.unwrap_or_else(|| panic!("no diagnostic: {place}"));
    (checked.holds, diagnostic, checked.variables)
}

/// What one thread says, which must be what the definition says.
fn alone(model: &Model, modal: &Modal, place: &str) -> bool {
    let budget = Budget::endless();
    let checked = model::check(model, modal, EXPLAINED, &budget).expect("no limit");
    assert!(checked.diagnostic.is_some(), "{place}");
    let defined = check_globally(model, modal, &budget).expect("no limit");
    assert_eq!(checked.holds, defined.holds, "{place}");
    checked.holds
}

/// The formula has its value on the diagnostic alone.
fn is_enough(
    diagnostic: &Counterexample,
    labels: &Labels,
    question: &Question,
    holds: bool,
    place: &str,
) {
    let part = graph(&diagnostic.to_lts(labels));
    let again = has(satisfied(&part, &question.formula), 0);
    assert_eq!(again, holds, "{place}\n{diagnostic:?}");
}

#[test]
fn workers_say_what_one_says() {
    common::on_two_cores(one_share);
}

fn one_share(share: u64) {
    let (mut holding, mut violated) = (0, 0);
    for seed in seeds(share, 2) {
        let mut random = Rng::with_seed(seed);
        let lts = system(seed);
        let reachable = distances(&lts);
        let model = Model::Stored(lts.clone());
        for question in questions(seed).iter().take(ASKED) {
            let place = format!("CAUSET_SEED={seed}: {}", question.text);
            let wanted = alone(&model, &question.modal, &place);
            *(if wanted { &mut holding } else { &mut violated }) += 1;
            for workers in 1..=4 {
                let team = (workers, Some(random.u32(..3)));
                let place = format!("{team:?}: {place}");
                let (holds, diagnostic, _) = explained(&model, &question.modal, team, &place);
                assert_eq!(holds, wanted, "{place}");
                // A part this small is cheaply looked at by the syntax of the formula, for most of the systems.
                is_part_of(&diagnostic, &lts, &reachable, &place);
                is_of_its_shape(&diagnostic, &place);
                is_enough(&diagnostic, lts.labels(), question, holds, &place);
            }
        }
    }
    println!("{holding} hold, {violated} do not");
    assert!(holding.min(violated) > 300 || !is_whole_run());
}

#[test]
fn workers_explain_networks() {
    for seed in seeds(2, 4) {
        let mut random = Rng::with_seed(seed);
        let (components, text) = common::network(seed);
        let mut fetch = |file: &str| {
            let number: usize = file[..1].parse().map_err(|_| "no number")?;
            Ok(components[number].clone())
        };
        let network = network::read(&text, None, &mut fetch).expect("a network");
        let mut initial = vec![0; network.width()];
        network.initial(&mut initial);
        let model = Model::Composed(network);
        for question in questions(seed).iter().take(ASKED) {
            let place = format!("CAUSET_SEED={seed}: {text}: {}", question.text);
            let wanted = alone(&model, &question.modal, &place);
            for workers in 1..=4 {
                let team = (workers, Some(random.u32(..3)));
                let place = format!("{team:?}: {place}");
                let (holds, diagnostic, _) = explained(&model, &question.modal, team, &place);
                assert_eq!(holds, wanted, "{place}");
                assert_eq!(diagnostic.rows.first(), Some(&initial), "{place}");
                takes_steps_of(&diagnostic, &model, &place);
                is_of_its_shape(&diagnostic, &place);
                is_enough(&diagnostic, model.labels(), question, holds, &place);
            }
        }
    }
}

fn takes_steps_of(diagnostic: &Counterexample, model: &Model, place: &str) {
    let Model::Composed(network) = model else {
        panic!("no network: {place}");
    };
    for step in &diagnostic.steps {
        let mut found = false;
        network.successors(&diagnostic.rows[step.from], &mut |label, row| {
            found |= label == step.label && row == diagnostic.rows[step.to];
        });
        assert!(found, "{step:?}: {place}");
    }
}

/// A system of which most can be reached: a ring with random steps across it, and a way out at its end.
fn ring(seed: u64, states: u32) -> Lts {
    let mut random = Rng::with_seed(seed);
    let lts = random_lts(&mut random, states, &LABELS[..3], 0.5);
    let mut labels = lts.labels().clone();
    let mut steps: Vec<(u32, Edge)> = lts.transitions().collect();
    let i = labels.number("i");
    let last = states - 1;
    steps.extend((0..last).map(|from| {
        let target = from + 1;
        (from, Edge { label: i, target })
    }));
    steps.push((
        last,
        Edge {
            label: i,
            target: 0,
        },
    ));
    let out = labels.number("c");
    steps.push((
        last,
        Edge {
            label: out,
            target: last,
        },
    ));
    Lts::from_steps(states, 0, &steps, labels)
}

/// Formulas of one block and of several, whose open variables have the default values of both kinds, and some that
/// hold or fail only because of these.
const LONG: [&str; 12] = [
    "[true*] <true> true",
    "<true* . c> true",
    "nu X. <i> X",
    "mu X. [i] X",
    "nu X. <true> X and [true] X",
    "mu X. <c> true or (<true> true and [true] X)",
    "[true*] <i*> <c> true",
    "<true*> nu X. <i> X",
    "[true*] mu X. <true> true and [not c] X",
    "nu X. [true] X and mu Y. <c> true or <i> Y",
    "mu X. <true> X or nu Y. <i> Y and [c] false",
    "nu X. (mu Y. <c> true or [i] Y) and [true] X",
];

#[test]
fn every_time_the_same() {
    let mut shared = 0;
    for (seed, text) in LONG.iter().enumerate() {
        let lts = ring(seed as u64, 400);
        let reachable = distances(&lts);
        assert!(reachable.len() > 350);
        let labels = lts.labels().clone();
        let model = Model::Stored(lts.clone());
        let question = ask(text).expect("no alternation");
        let wanted = alone(&model, &question.modal, text);
        for time in 0..50 {
            let team = ([2, 3, 4][time % 3], Some([0, 2, 5][time / 3 % 3]));
            let place = format!("{team:?}, time {time}: {text}");
            let (holds, diagnostic, variables) = explained(&model, &question.modal, team, &place);
            assert_eq!(holds, wanted, "{place}");
            is_part_of(&diagnostic, &lts, &reachable, &place);
            is_of_its_shape(&diagnostic, &place);
            let part = Model::Stored(diagnostic.to_lts(&labels));
            assert_eq!(alone(&part, &question.modal, &place), wanted, "{place}");
            shared += u64::from(variables > 300);
        }
    }
    assert!(
        shared > 300,
        "{shared} runs that all workers had to do with"
    );
}

/// A system numbered breadth-first: rows of states, each with steps to some of the next row and back to any before.
fn rows(seed: u64, width: u32, count: u32) -> Lts {
    let mut random = Rng::with_seed(seed);
    let mut labels = Labels::default();
    let [i, a, c] = ["i", "a", "c"].map(|label| labels.number(label));
    let states = 1 + width * count;
    let mut steps: Vec<(u32, Edge)> = Vec::new();
    for target in 1..states {
        // Every state is reached from the row before it, in the order of the numbers.
        let row = (target - 1) / width;
        let source = match row {
            0 => 0,
            _ => target - width,
        };
        let label = if random.bool() { i } else { a };
        steps.push((source, Edge { label, target }));
        if random.u8(..3) == 0 {
            let label = if random.u8(..50) == 0 { c } else { i };
            let target = random.u32(..target);
            steps.push((source, Edge { label, target }));
        }
    }
    Lts::from_steps(states, 0, &steps, labels)
}

#[test]
fn waves_are_as_good_as_heaps() {
    let (mut holding, mut shared) = (0, 0);
    for (seed, text) in LONG.iter().enumerate() {
        let lts = rows(seed as u64, 300, 9);
        let reachable = distances(&lts);
        let model = Model::Stored(lts.clone());
        let question = ask(text).expect("no alternation");
        let wanted = alone(&model, &question.modal, text);
        holding += u32::from(wanted);
        for workers in [2, 3, 4, 7] {
            let place = format!("{workers} workers: {text}");
            let (holds, diagnostic, variables) =
                explained(&model, &question.modal, (workers, None), &place);
            assert_eq!(holds, wanted, "{place}");
            is_part_of(&diagnostic, &lts, &reachable, &place);
            is_of_its_shape(&diagnostic, &place);
            let part = Model::Stored(diagnostic.to_lts(lts.labels()));
            assert_eq!(alone(&part, &question.modal, &place), wanted, "{place}");
            shared += u32::from(variables > 1000);
        }
    }
    assert!((3..10).contains(&holding), "{holding}");
    assert!(shared >= 8, "{shared} runs that all workers had to do with");
}

/// Models of some size, and formulas that need all of it.
fn heavy() -> Vec<(Model, Question)> {
    let component = |seed| ring(seed, 60);
    let components = [component(1), component(2)];
    let mut fetch = |file: &str| {
        let number: usize = file[..1].parse().map_err(|_| "no number")?;
        Ok(components[number].clone())
    };
    let network = network::read("\"0.aut\" |[c]| \"1.aut\"", None, &mut fetch);
    let network = Model::Composed(network.expect("a network"));
    let texts = [LONG[0], LONG[6]];
    let mut cases: Vec<_> = texts
        .iter()
        .map(|text| (Model::Stored(ring(3, 4000)), ask(text)))
        .collect();
    cases.push((network, ask(LONG[0])));
    let cases = cases.into_iter();
    cases
        .map(|(model, question)| (model, question.expect("no alternation")))
        .collect()
}

#[test]
fn too_little_memory_is_said_by_all() {
    for (model, question) in heavy() {
        let wanted = alone(&model, &question.modal, &question.text);
        let mut decided = 0;
        for workers in 1..=4 {
            for limit in [0, 1, 100, 3_000, 30_000, 100_000, 300_000, 1 << 30] {
                let budget = Budget::endless().with_memory(limit, 0);
                let place = format!("{workers} workers, {limit} bytes: {}", question.text);
                match check(&model, &question.modal, (workers, Some(1)), &budget) {
                    Ok(checked) => {
                        assert_eq!(checked.holds, wanted, "{place}");
                        assert!(limit > 100, "{place}");
                        decided += 1;
                    }
                    Err(NotChecked::Spent(Spent::Memory)) => assert!(limit < 1 << 30, "{place}"),
                    Err(error) => panic!("{place}: {error:?}"),
                }
                assert_eq!(budget.used(), 0, "{place}");
            }
        }
        assert!(decided >= 4);
    }
}

/// Stops at a look.
struct After {
    looks: AtomicU64,
    reason: Spent,
}

impl Meter for After {
    fn stop(&self) -> Option<Spent> {
        let left = self.looks.load(Ordering::Relaxed);
        self.looks.store(left.saturating_sub(1), Ordering::Relaxed);
        (left == 0).then_some(self.reason)
    }
}

#[test]
fn whoever_must_stop_stops_all() {
    let (mut stopped, mut decided) = (0, 0);
    for (model, question) in heavy() {
        let wanted = alone(&model, &question.modal, &question.text);
        for workers in 1..=4 {
            for looks in [0, 1, 2, 3, 5, 10, 30, 100, 300, u64::MAX] {
                let reason = [Spent::Time, Spent::Cancelled][looks as usize % 2];
                let meter = After {
                    looks: AtomicU64::new(looks),
                    reason,
                };
                let budget = Budget::new(&meter);
                let place = format!("{workers} workers, {looks} looks: {}", question.text);
                match check(&model, &question.modal, (workers, Some(1)), &budget) {
                    Ok(checked) => {
                        assert_eq!(checked.holds, wanted, "{place}");
                        decided += 1;
                    }
                    Err(NotChecked::Spent(spent)) => {
                        assert_eq!(spent, reason, "{place}");
                        stopped += 1;
                    }
                    Err(error) => panic!("{place}: {error:?}"),
                }
                assert_eq!(budget.used(), 0, "{place}");
            }
        }
    }
    assert!(stopped > 20 && decided >= 12, "{stopped}, {decided}");
}
