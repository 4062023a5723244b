//! Test cases against systems that say what a script has, before or after the case sends: which verdicts can be believed,
//! with the specification and without it.

mod common;

use std::collections::VecDeque;

use causet_base::budget::{Budget, Endless};
use causet_drive::belief::Belief;
use causet_drive::record::{Log, Step, labels};
use causet_drive::run::{MOST_STEPS, Ran, case, run, run_judged};
use causet_drive::system::{Observation, System, Trouble};
use causet_lts::conformance::graph::Verdict;
use causet_lts::conformance::roles::{Alphabet, Convention};

use Verdict::{Fail, Inconclusive, Pass};
use common::{Shared, system_of};

/// What a system says after so many stimuli: `early` is there before the next is sent, `late` only for whoever waits.
#[derive(Clone, Copy, Default)]
struct Turn {
    early: &'static [&'static str],
    late: &'static [&'static str],
}

fn early(early: &'static [&'static str]) -> Turn {
    Turn { early, late: &[] }
}

fn late(late: &'static [&'static str]) -> Turn {
    Turn { early: &[], late }
}

/// A system with a script; the last turn is repeated.
struct Scripted {
    turns: Vec<Turn>,
    sent: usize,
    early: VecDeque<&'static str>,
    late: VecDeque<&'static str>,
}

impl Scripted {
    fn new(turns: &[Turn]) -> Scripted {
        let mut system = Scripted {
            turns: turns.to_vec(),
            sent: 0,
            early: VecDeque::new(),
            late: VecDeque::new(),
        };
        system.turn();
        system
    }

    fn turn(&mut self) {
        let turn = self.turns[self.sent.min(self.turns.len() - 1)];
        self.early.extend(turn.early);
        self.late.extend(turn.late);
    }
}

impl System for Scripted {
    fn reset(&mut self, _: &Budget<'_>) -> Result<(), Trouble> {
        *self = Scripted::new(&self.turns);
        Ok(())
    }

    fn stimulate(&mut self, _: &str, _: &Budget<'_>) -> Result<(), Trouble> {
        self.sent += 1;
        self.turn();
        Ok(())
    }

    fn glance(&mut self, _: &Budget<'_>) -> Result<Option<String>, Trouble> {
        Ok(self.early.pop_front().map(str::to_owned))
    }

    fn watch(&mut self, _: &Budget<'_>) -> Result<Observation, Trouble> {
        let said = self.early.pop_front().or_else(|| self.late.pop_front());
        Ok(said.map_or(Observation::Silence, |label| {
            Observation::Output(label.to_owned())
        }))
    }
}

/// What becomes of a case alone, and with a specification at hand.
fn both(wanted: &[(u32, &str, u32)], steps: &[(u32, &str, u32)], turns: &[Turn]) -> [Ran; 2] {
    let case = case(&system_of(steps), &Convention::Decorated).expect("a case");
    let wanted = system_of(wanted);
    let alphabet = Alphabet::new(wanted.labels(), &Convention::Decorated).expect("labels");
    let (log, budget) = (&mut Log::none(), Budget::new(&Endless));
    let alone = run(&case, &mut Scripted::new(turns), log, &budget);
    let mut wanted = &wanted;
    let mut belief = Belief::new(&mut wanted, &alphabet, &budget);
    let system = &mut Scripted::new(turns);
    let judged = run_judged(&case, &mut belief, system, log, &budget);
    [alone, judged].map(|ran| ran.expect("a verdict"))
}

#[track_caller]
fn verdicts(both: &[Ran; 2], alone: Verdict, judged: Verdict) {
    let found = both.each_ref().map(|ran| ran.verdict);
    assert_eq!(found, [alone, judged], "{both:#?}");
}

/// `!x`, then `!y` in answer to `?a`.
const ANSWER: [(u32, &str, u32); 3] = [(0, "!x", 1), (1, "?a", 2), (2, "!y", 3)];
const GET_Y: [(u32, &str, u32); 4] = [(0, "!x", 1), (1, "?a", 2), (2, "!y", 3), (3, "PASS", 3)];

#[test]
fn an_answer_before_the_question_is_no_pass_and_the_specification_knows_it_for_a_failure() {
    let both = both(&ANSWER, &GET_Y, &[early(&["!x", "!y"]), late(&[])]);
    verdicts(&both, Inconclusive, Fail);
    let [alone, judged] = both;
    assert_eq!((alone.claimed, alone.crossed), (Pass, true));
    // What was seen first stands first.
    assert_eq!(labels(&alone.steps), ["!x", "!y", "?a"]);
    assert_eq!(alone.last, Some(Step::Saw("!y".to_owned())));
    assert_eq!(labels(&judged.steps), ["!x", "!y"]);
    assert_eq!(Vec::from_iter(judged.allowed), ["delta"]);
}

#[test]
fn an_answer_in_time_is_a_pass() {
    let both = both(&ANSWER, &GET_Y, &[early(&["!x"]), late(&["!y"])]);
    verdicts(&both, Pass, Pass);
    assert_eq!(labels(&both[1].steps), ["!x", "?a", "!y"]);
}

/// Either `!tea` comes, and the button does nothing, or the button brings coffee.
const RACE: [(u32, &str, u32); 4] = [
    (0, "!tea", 1),
    (1, "?button", 1),
    (0, "?button", 2),
    (2, "!coffee", 3),
];
const GET_COFFEE: [(u32, &str, u32); 3] = [(0, "?button", 1), (1, "!coffee", 2), (2, "PASS", 2)];

#[test]
fn an_output_on_its_way_is_no_failure_for_whoever_knows_the_specification() {
    // The case alone cannot tell it from a wrong answer.
    let tea = both(&RACE, &GET_COFFEE, &[late(&["!tea"]), late(&[])]);
    verdicts(&tea, Fail, Inconclusive);
    assert_eq!((tea[1].claimed, tea[1].crossed), (Fail, false));
    let seen = both(&RACE, &GET_COFFEE, &[early(&["!tea"]), late(&[])]);
    verdicts(&seen, Inconclusive, Inconclusive);
    let coffee = both(&RACE, &GET_COFFEE, &[late(&[]), late(&["!coffee"])]);
    verdicts(&coffee, Pass, Pass);
    for wrong in [late(&["!milk"]), late(&[])] {
        verdicts(&both(&RACE, &GET_COFFEE, &[late(&[]), wrong]), Fail, Fail);
    }
}

#[test]
fn several_stimuli_may_be_on_their_way() {
    // Outputs are allowed before each of two stimuli, and only then.
    let wanted = [
        (0, "!x", 0),
        (0, "?a", 1),
        (1, "!y", 1),
        (1, "?b", 2),
        (2, "!z", 3),
    ];
    let steps = [(0, "?a", 1), (1, "?b", 2), (2, "!z", 3), (3, "PASS", 3)];
    let after =
        |seen: &'static [&'static str]| both(&wanted, &steps, &[late(&[]), late(&[]), late(seen)]);
    verdicts(&after(&["!z"]), Pass, Pass);
    verdicts(&after(&["!x"]), Fail, Inconclusive);
    verdicts(&after(&["!y"]), Fail, Inconclusive);
    verdicts(&after(&["!w"]), Fail, Fail);
    verdicts(&after(&[]), Fail, Fail);
    // A longer case sees more, and what comes in no order is a failure.
    let steps = [
        (0, "?a", 1),
        (1, "?b", 2),
        (2, "!y", 3),
        (3, "!x", 4),
        (4, "PASS", 4),
    ];
    let after =
        |seen: &'static [&'static str]| both(&wanted, &steps, &[late(&[]), late(&[]), late(seen)]);
    verdicts(&after(&["!y", "!x"]), Pass, Fail);
}

#[test]
fn a_stimulus_on_its_way_is_not_forgotten_when_another_is_sent() {
    // `!x` comes before or after `?a`; only if it came before is there a `!y`.
    let wanted = [
        (0, "!x", 1),
        (1, "?a", 4),
        (4, "?b", 5),
        (5, "!y", 6),
        (1, "?b", 7),
        (0, "?a", 2),
        (2, "!x", 3),
        (3, "?b", 8),
    ];
    let steps = [
        (0, "?a", 1),
        (1, "!x", 2),
        (2, "?b", 3),
        (3, "!y", 4),
        (4, "PASS", 4),
    ];
    let turns = [late(&[]), late(&["!x"]), late(&["!y"])];
    verdicts(&both(&wanted, &steps, &turns), Pass, Inconclusive);
}

#[test]
fn a_pass_in_an_order_that_the_specification_does_not_allow_is_none() {
    // The case takes `!tea` for an answer.
    let steps = [(0, "?button", 1), (1, "!tea", 2), (2, "PASS", 2)];
    let both = both(&RACE, &steps, &[late(&["!tea"]), late(&[])]);
    verdicts(&both, Pass, Inconclusive);
    assert_eq!((both[1].claimed, both[1].crossed), (Pass, false));
}

#[test]
fn what_the_specification_says_nothing_about_is_free() {
    let wanted = [(0, "?a", 1), (1, "!x", 0)];
    let steps = [
        (0, "?a", 1),
        (1, "?a", 2),
        (2, "!w", 3),
        (3, "PASS", 3),
        (2, "!v", 4),
        (4, "INCONCLUSIVE", 4),
    ];
    let after =
        |seen: &'static [&'static str]| both(&wanted, &steps, &[late(&[]), late(&[]), late(seen)]);
    verdicts(&after(&["!w"]), Pass, Pass);
    verdicts(&after(&["!v"]), Inconclusive, Inconclusive);
    verdicts(&after(&["!u"]), Fail, Inconclusive);
    // An input that it does not have at all.
    let steps = [(0, "?b", 1), (1, "!w", 2), (2, "PASS", 2)];
    let free = both(&wanted, &steps, &[late(&[]), late(&["!w"])]);
    verdicts(&free, Pass, Pass);
}

#[test]
fn what_a_case_does_not_await_is_a_failure_and_going_round_is_no_verdict() {
    let steps = [(0, "?a", 1), (1, "!x", 0), (1, "!y", 2), (2, "PASS", 2)];
    let wanted = &steps[..3];
    let after = |seen: &'static [&'static str]| both(wanted, &steps, &[late(&[]), late(seen)]);
    verdicts(&after(&["!z"]), Fail, Fail);
    verdicts(&after(&["!y"]), Pass, Pass);
    let round = after(&["!x"]);
    verdicts(&round, Inconclusive, Inconclusive);
    assert!(round.iter().all(|ran| ran.went_round && !ran.crossed));
}

#[test]
fn a_long_case_does_not_go_round() {
    let far = 2 * MOST_STEPS as u32;
    let mut steps: Vec<(u32, &str, u32)> = (0..far)
        .map(|state| match state % 2 {
            0 => (state, "?a", state + 1),
            _ => (state, "!x", state + 1),
        })
        .collect();
    let wanted = steps.clone();
    steps.push((far, "PASS", far));
    let both = both(&wanted, &steps, &[late(&[]), late(&["!x"])]);
    verdicts(&both, Pass, Pass);
    assert_eq!(both[0].steps.len(), far as usize);
}

#[test]
fn a_failure_after_many_steps_is_no_going_round() {
    let steps = [(0, "?a", 1), (1, "!x", 0), (1, "!y", 2), (2, "PASS", 2)];
    let mut turns = vec![late(&["!x"]); MOST_STEPS / 2];
    turns[0] = late(&[]);
    turns.push(late(&["!z"]));
    let both = both(&steps[..3], &steps, &turns);
    verdicts(&both, Fail, Fail);
    for ran in both {
        assert_eq!((ran.steps.len(), ran.went_round), (MOST_STEPS, false));
    }
}

#[test]
fn what_was_seen_first_is_recorded_first() {
    let case = case(&system_of(&GET_Y), &Convention::Decorated).expect("a case");
    let shared = Shared::default();
    let mut log = Log::to_writer(shared.clone());
    let mut system = Scripted::new(&[early(&["!x", "!y"]), late(&[])]);
    run(&case, &mut system, &mut log, &Budget::new(&Endless)).expect("a verdict");
    log.end().expect("it is written");
    let text = shared.text();
    let place = |label: &str| text.find(label).expect("it is recorded");
    assert!(place("!y") < place("?a"), "{text}");
}

#[test]
fn a_test_is_written_when_it_ends_and_not_only_at_the_end_of_all() {
    let shared = Shared::default();
    let mut log = Log::to_writer(shared.clone());
    log.add(&Step::Sent("?coin".to_owned()));
    log.add(&Step::Saw("!tea".to_owned()));
    log.add(&Step::Verdict("PASS".to_owned()));
    let so_far = shared.text();
    for words in ["?coin", "!tea", "PASS"] {
        assert!(so_far.contains(words), "{so_far}");
    }
    log.add(&Step::Reset);
    log.end().expect("it can be written");
    assert!(shared.text().starts_with(&so_far));
    assert!(shared.text().contains("reset"));
}
