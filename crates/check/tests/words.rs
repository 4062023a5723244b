//! Random runs, random properties of runs: every engine against all orders read as words, verdicts and witnesses.
//!
//! `CAUSET_SEED=n` repeats one seed, `CAUSET_ROUNDS=n` runs more of them.

mod common;

use std::sync::Arc;

use causet_check::decide::Failure;
use causet_check::engine::{bes, explicit, guided, ist, monitor, rows, slice};
use causet_check::linear::compile::Sizes;
use causet_check::outcome::{Outcome, Verdict, Witness};
use causet_check::plan::Choice;
use causet_check::prepare::{Question, prepare};
use causet_check::subject::Subject;
use causet_formula::core::Ctl;
use causet_formula::{Kind, Lets, Property, Runs};
use causet_trace::random::{self, Shape};
use causet_trace::{EventId, Trace, notation};
use common::asked::{Asked, Taste};
use common::team::By;
use common::words::{Language, Words};
use common::{Maker, Set};

/// Those that decide every property of runs, then those that may refuse one.
const ENGINES: [Choice; 13] = [
    Choice::Auto,
    Choice::Forced(&explicit::ENGINE),
    Choice::Forced(&monitor::MONITOR),
    Choice::Forced(&monitor::MASKS),
    Choice::Forced(&guided::LEVELS),
    Choice::Forced(&guided::GUIDED),
    Choice::Forced(&bes::ENGINE),
    Choice::Forced(&guided::TWO_PHASE),
    Choice::Forced(&guided::SLEEP),
    Choice::Forced(&guided::PERSISTENT),
    Choice::Forced(&rows::ENGINE),
    Choice::Forced(&ist::ENGINE),
    Choice::Forced(&slice::ENGINE),
];

/// Those that are tried with automata that must stay small, so that most of them have to guess or are not made at all.
const SMALL: [Choice; 6] = [
    Choice::Auto,
    Choice::Forced(&monitor::MONITOR),
    Choice::Forced(&monitor::MASKS),
    Choice::Forced(&guided::GUIDED),
    Choice::Forced(&guided::TWO_PHASE),
    Choice::Forced(&bes::ENGINE),
];

const TINY: Sizes = Sizes {
    states: 2,
    guesses: 1000,
};

/// Who decides, with automata of which size.
type Attempt = (By, Sizes);

/// Every engine with the automata it makes, and some with small ones.
fn engines(_seed: u64) -> Vec<Attempt> {
    let usual = ENGINES.map(|engine| (By::Engine(engine), Sizes::default()));
    let small = SMALL.map(|engine| (By::Engine(engine), TINY));
    usual.into_iter().chain(small).collect()
}

/// Some workers, with large automata and with small ones.
fn workers(seed: u64) -> Vec<Attempt> {
    let by = By::some_workers(seed);
    vec![(by, Sizes::default()), (by, TINY)]
}

fn may_refuse(engine: Choice, sizes: Sizes) -> bool {
    let decides_all = match sizes == TINY {
        true => 1,
        false => 7,
    };
    !ENGINES[..decides_all].contains(&engine)
}

/// Goes through the seeds asked for, and says how many verdicts were compared.
fn rounds(usual: u64, who: fn(u64) -> Vec<Attempt>, one: fn(u64, &[Attempt]) -> usize) {
    let rounds = common::number_from_environment("CAUSET_ROUNDS").unwrap_or(usual);
    let seeds = match common::number_from_environment("CAUSET_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..rounds,
    };
    let checked: usize = seeds.map(|seed| one(seed, &who(seed))).sum();
    println!("{checked} verdicts compared");
    assert!(checked > 0);
}

fn random_run(rng: &mut fastrand::Rng) -> Trace {
    let mut shape = Shape::small(rng);
    shape.events = shape.events.min(6);
    random::run(rng, shape)
}

fn question(trace: &Trace, kind: Kind, text: &str) -> Question {
    let property = Property::parse(kind, "p", text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
    prepare(&Subject::of(trace), &property, &Lets::none())
        .unwrap_or_else(|e| panic!("{text}: {e:?}"))
}

/// What an engine makes of a question; nothing when it refuses.
fn outcome(trace: &Trace, question: &Question, (by, sizes): Attempt) -> Option<Outcome> {
    let subject = Subject::of(trace);
    match by.decide(&subject, question, sizes) {
        Ok(outcome) => Some(outcome),
        Err(Failure::Refused(_)) if may_refuse(by.choice(), sizes) => None,
        Err(failure) => panic!("{failure}"),
    }
}

/// A property, or the instances of one, decided by reading all orders.
struct Expected<'a> {
    words: &'a Words<'a>,
    holds: bool,
    /// The orders that must be shown, by the instance they belong to; none when no single order shows the verdict.
    shown: Vec<(Option<String>, &'a Language, bool)>,
}

impl<'a> Expected<'a> {
    fn of(words: &'a Words<'a>, asked: &'a Asked) -> Self {
        let sought = asked.looks_for();
        let found = found(words, &asked.language, sought);
        let shown = found.then_some((None, &asked.language, sought));
        Expected {
            words,
            holds: asked.holds_if_found(found),
            shown: shown.into_iter().collect(),
        }
    }

    /// Compares what others say with it.
    fn compare(
        &self,
        question: &Question,
        attempts: &[Attempt],
        context: &dyn Fn() -> String,
    ) -> usize {
        let mut compared = 0;
        for &engine in attempts {
            let judged = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                let outcome = outcome(self.words.oracle.trace, question, engine)?;
                let expected = match self.holds {
                    true => Verdict::Holds,
                    false => Verdict::Violated,
                };
                assert_eq!(outcome.verdict, expected);
                self.check_witness(question, outcome.witness.as_ref());
                Some(())
            }));
            match judged {
                Ok(decided) => compared += usize::from(decided.is_some()),
                Err(_) => panic!("{engine:?}, {}", context()),
            }
        }
        compared
    }

    /// A witness is an order of everything that shows the verdict, and says whether the recorded order does too.
    fn check_witness(&self, question: &Question, witness: Option<&Witness>) {
        let (_, goals) = question.goals();
        if self.shown.is_empty() || goals.iter().all(|goal| goal.as_const().is_some()) {
            assert_eq!(witness, None, "no single order shows this verdict");
            return;
        }
        let witness = witness.expect("a single order shows this verdict");
        let (_, language, sought) = self
            .shown
            .iter()
            .find(|(instance, ..)| *instance == witness.instance)
            .expect("an instance that decides");
        assert_eq!(witness.then, []);
        let words = self.words;
        let length = words.orders[0].len();
        assert_eq!(witness.run.len(), length, "{witness:?} is not all of it");
        assert!(
            words.word(&witness.run).is_some(),
            "{witness:?} is impossible"
        );
        assert!(
            words.orders.contains(&witness.run),
            "{witness:?} ends elsewhere"
        );
        assert_eq!(
            words.belongs(language, &witness.run),
            *sought,
            "{witness:?} does not show it"
        );
        let trace = words.oracle.trace;
        if length > 0 && length == trace.len() {
            assert_eq!(witness.cut, None, "the whole run shows it");
        }
        let within = |event: &EventId| words.orders[0].contains(event);
        let recorded: Vec<EventId> = trace.order().recorded().filter(within).collect();
        let observed = words.belongs(language, &recorded) == *sought;
        assert_eq!(
            witness.observed,
            Some(observed),
            "whether the recorded order shows it"
        );
    }
}

fn found(words: &Words<'_>, language: &Language, sought: bool) -> bool {
    let mut orders = words.orders.iter();
    orders.any(|order| words.belongs(language, order) == sought)
}

fn one_round(seed: u64, attempts: &[Attempt]) -> usize {
    let mut rng = fastrand::Rng::with_seed(seed);
    let trace = random_run(&mut rng);
    let words = Words::new(&trace);
    let mut compared = 0;
    for _ in 0..4 {
        let taste = Taste::any(&mut rng);
        let asked = Maker::new(&mut rng, &trace).asked(taste);
        words.forget();
        let (kind, text) = (asked.kind, &asked.text);
        let question = question(&trace, kind, text);
        let context = || format!("seed {seed}, {kind} {text}\n{}", notation::draw(&trace));
        compared += Expected::of(&words, &asked).compare(&question, attempts, &context);
    }
    compared
}

#[test]
fn engines_agree_with_all_orders_read_as_words() {
    rounds(1000, engines, one_round);
}

#[test]
fn workers_agree_with_all_orders_read_as_words() {
    rounds(300, workers, one_round);
}

fn one_round_outside(seed: u64, attempts: &[Attempt]) -> usize {
    let mut rng = fastrand::Rng::with_seed(seed);
    let trace = random_run(&mut rng);
    let words = Words::new(&trace);
    let taste = Taste::any(&mut rng);
    let (automaton, language) = Maker::new(&mut rng, &trace).automaton(taste);
    let text = format!("{automaton:?}");
    let property = Property::from_automaton("p", &automaton.atoms.join("\n"), automaton)
        .unwrap_or_else(|e| panic!("{text}: {e:?}"));
    let question = prepare(&Subject::of(&trace), &property, &Lets::none())
        .unwrap_or_else(|e| panic!("{text}: {e:?}"));
    let asked = Asked {
        kind: Kind::Automaton,
        text,
        language,
    };
    let context = || format!("seed {seed}, {}\n{}", asked.text, notation::draw(&trace));
    Expected::of(&words, &asked).compare(&question, attempts, &context)
}

#[test]
fn engines_agree_on_automata_from_outside() {
    rounds(800, engines, one_round_outside);
    rounds(150, workers, one_round_outside);
}

/// A property with a cut at which its runs end.
fn one_round_upto(seed: u64, attempts: &[Attempt]) -> usize {
    let mut rng = fastrand::Rng::with_seed(seed);
    let trace = random_run(&mut rng);
    let mut end: Set = Vec::new();
    let whole = Words::new(&trace);
    for _ in 0..rng.usize(0..=trace.len()) {
        let possible = whole.oracle.possible(&end);
        end = whole
            .oracle
            .after(&end, possible[rng.usize(0..possible.len())]);
    }
    let words = Words::upto(&trace, &end);
    let mut compared = 0;
    for _ in 0..2 {
        let taste = Taste::any(&mut rng);
        let asked = Maker::new(&mut rng, &trace).asked(taste);
        words.forget();
        let mut question = question(&trace, asked.kind, &asked.text);
        let order = trace.order();
        let within = |event: &&EventId| end.contains(event);
        let counts = order.processes().map(|process| {
            let inside = order.chain(process).iter().filter(within);
            inside.count() as u32
        });
        question.lowered.body = ending_at(&question.lowered.body, counts.collect());
        let context = || {
            let (kind, text) = (asked.kind, &asked.text);
            let run = notation::draw(&trace);
            format!("seed {seed}, {kind} {text} up to {end:?}\n{run}")
        };
        compared += Expected::of(&words, &asked).compare(&question, attempts, &context);
    }
    compared
}

/// The same of the runs that end at a cut.
fn ending_at(goal: &Ctl, counts: Vec<u32>) -> Ctl {
    match goal {
        Ctl::Not(part) => Ctl::Not(Arc::new(ending_at(part, counts))),
        Ctl::Run(runs) => Ctl::Run(Arc::new(Runs {
            end: Some(counts),
            ..Runs::clone(runs)
        })),
        other => panic!("{other:?} is not about runs"),
    }
}

#[test]
fn engines_agree_on_runs_that_end_at_a_cut() {
    rounds(700, engines, one_round_upto);
    rounds(150, workers, one_round_upto);
}

/// A quantified formula: the same text for several processes, and how they are combined.
fn one_round_quantified(seed: u64, attempts: &[Attempt]) -> usize {
    let mut rng = fastrand::Rng::with_seed(seed);
    let trace = random_run(&mut rng);
    let words = Words::new(&trace);
    let forall = rng.bool();
    let taste = Taste::any(&mut rng);
    let mut maker = Maker::new(&mut rng, &trace);
    let processes = maker.processes.clone();
    let two = processes.len() > 1 && maker.rng.bool();
    let template = maker.template(two, taste);
    let mut instances = Vec::new();
    for i in &processes {
        for j in &processes {
            let is_wanted = if two { i != j } else { *j == processes[0] };
            if is_wanted {
                let name = match two {
                    true => format!("i = {i}, j = {j}"),
                    false => format!("i = {i}"),
                };
                instances.push((name, template.instance(&mut maker, i, j)));
            }
        }
    }
    let quantifier = if forall { "forall" } else { "exists" };
    let range = match two {
        true => "i, j in procs where i != j",
        false => "i in procs",
    };
    let text = format!("{quantifier} {range}: {}", template.text);
    let deciding = !forall;
    let mut shown = Vec::new();
    let mut holds = forall;
    for (name, language) in &instances {
        let truth = !found(&words, language, false);
        if truth == deciding {
            holds = deciding;
        }
        // What one order shows is that an instance is violated.
        if !truth && (forall || instances.len() == 1) {
            shown.push((Some(name.clone()), language, false));
        }
    }
    let expected = Expected {
        words: &words,
        holds,
        shown,
    };
    let question = question(&trace, Kind::Ltl, &text);
    let context = || format!("seed {seed}, ltl {text}\n{}", notation::draw(&trace));
    expected.compare(&question, attempts, &context)
}

#[test]
fn quantified_formulas_are_decided_one_by_one() {
    rounds(1000, engines, one_round_quantified);
    rounds(80, workers, one_round_quantified);
}

#[test]
fn searches_with_a_reduction_take_what_does_not_count_positions() {
    let properties = [
        (Kind::Ltl, "G p1.x = 1"),
        (Kind::Ltl, "F p1.x = 2"),
        (Kind::Ltl, "p1.x < 2 U p2.x = 1"),
        (Kind::Ltl, "p1.x < 2 W p2.x = 1"),
        (Kind::Ltl, "p1.x = 1 R p2.x < 2"),
        (Kind::Ltl, "p1.x = 1 M p2.x < 2"),
        (Kind::Ltl, "G (p1.x = 1 -> F p2.x = 1)"),
        (Kind::Ltl, "F (p1.x = 1 && F p2.x = 2)"),
        (Kind::Ltl, "F G p1.x = 1"),
        (Kind::Ltl, "G F done(p1)"),
        (Kind::Ltl, "F final"),
        (
            Kind::Monitor,
            "{ start s; s -> t on p1.x = 1; t -> u on p2.x = 1; bad u }",
        ),
        (Kind::Possibly, "{ on(p1) ; on(p2) }"),
        (Kind::Definitely, "re( (p1.x < 2)* . (p1.x = 2) . _* )"),
    ];
    for seed in 0..40 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let shape = Shape {
            processes: 2,
            events: 5,
            ..Shape::small(&mut rng)
        };
        let trace = random::run(&mut rng, shape);
        for (kind, text) in properties {
            let question = question(&trace, kind, text);
            for engine in [&guided::TWO_PHASE, &guided::SLEEP] {
                let outcome = outcome(
                    &trace,
                    &question,
                    (By::Engine(Choice::Forced(engine)), Sizes::default()),
                );
                assert!(outcome.is_some(), "{engine:?} refuses {kind} {text}");
            }
        }
    }
}

/// How many pairs of events stand the other way round than recorded.
fn inversions(trace: &Trace, order: &[EventId]) -> usize {
    let ranks = trace.order().ranks();
    let turned = |(at, event): (usize, &EventId)| {
        let later = order[at + 1..].iter();
        later
            .filter(|&&later| ranks.of(later) < ranks.of(*event))
            .count()
    };
    order.iter().enumerate().map(turned).sum()
}

#[test]
fn orders_are_the_recorded_one_or_near_it() {
    let (mut orders, mut farther, mut shown, mut least) = (0, 0, 0, 0);
    let rounds = common::number_from_environment("CAUSET_ROUNDS").unwrap_or(2000);
    for seed in 0..rounds {
        let mut rng = fastrand::Rng::with_seed(seed);
        let trace = random_run(&mut rng);
        let words = Words::new(&trace);
        for _ in 0..4 {
            let taste = Taste::any(&mut rng);
            let asked = Maker::new(&mut rng, &trace).asked(taste);
            words.forget();
            let question = question(&trace, asked.kind, &asked.text);
            let engine = (By::Engine(Choice::Auto), Sizes::default());
            let outcome = outcome(&trace, &question, engine).expect("an answer");
            let Some(witness) = outcome.witness else {
                continue;
            };
            let sought = asked.looks_for();
            let fits = words.orders.iter();
            let fits = fits.filter(|order| words.belongs(&asked.language, order) == sought);
            let nearest = fits.map(|order| inversions(&trace, order)).min();
            let nearest = nearest.expect("an order shows it");
            let found = inversions(&trace, &witness.run);
            assert_eq!(witness.observed, Some(nearest == 0), "{}", asked.text);
            assert!(
                nearest > 0 || found == 0,
                "{}: the record shows it",
                asked.text
            );
            orders += usize::from(nearest > 0);
            farther += usize::from(found > nearest);
            shown += found;
            least += nearest;
        }
    }
    println!("{orders} orders, {farther} not the nearest; {shown} inversions, least {least}");
    assert!(
        orders > 100 && 10 * farther <= orders,
        "{farther} of {orders}"
    );
    assert!(
        20 * shown <= 23 * least,
        "{shown} inversions, {least} were possible"
    );
}
