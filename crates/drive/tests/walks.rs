//! Walks along small specifications, with systems that are functions: what counts as one failure, how it is shortened,
//! what chance does, and what becomes of a system that breaks.

mod common;

use std::collections::VecDeque;
use std::time::Duration;

use causet_base::budget::{Budget, Endless, Spent};
use causet_drive::again::MOST_STARTS;
use causet_drive::record::{Log, Step, labels};
use causet_drive::system::{Observation, System, Trouble};
use causet_drive::walk::{Extent, Failing, MOST_FAILURES, Walked, walk};
use causet_lts::Lts;
use causet_lts::conformance::roles::{Alphabet, Convention};

use common::{Shared, system_of};

const EXTENT: Extent = Extent {
    seed: 1,
    walks: 40,
    steps: 30,
    time: None,
    failures: MOST_FAILURES,
};

/// What a system does, given all that was done to it since its first state; `None` when it breaks.
type Reaction = fn(&[String]) -> Option<Vec<&'static str>>;

struct Reacting {
    reaction: Reaction,
    done: Vec<String>,
    said: VecDeque<&'static str>,
    broken: bool,
    /// Whether what it does is seen only by whoever waits.
    is_slow: bool,
    /// Whether the start with this number is one, if it can be started again.
    restarts: Option<fn(usize) -> bool>,
    starts: usize,
    /// The pauses there were, each with the starts before it.
    pauses: Vec<(usize, Duration)>,
    /// Who interrupts a pause waits as long as this.
    patience: Duration,
    /// It breaks when it is reset for this time.
    bad_reset: usize,
    /// Whether it is broken again after so many starts and resets.
    is_dead: fn(usize, usize) -> bool,
    resets: usize,
}

fn reacting(reaction: Reaction) -> Reacting {
    Reacting {
        reaction,
        done: Vec::new(),
        said: VecDeque::new(),
        broken: false,
        is_slow: false,
        restarts: None,
        starts: 0,
        pauses: Vec::new(),
        patience: Duration::MAX,
        bad_reset: usize::MAX,
        is_dead: |_, _| false,
        resets: 0,
    }
}

impl System for Reacting {
    fn reset(&mut self, _: &Budget<'_>) -> Result<(), Trouble> {
        self.resets += 1;
        if self.resets == self.bad_reset {
            return Err(Trouble::Adapter("broke at a reset".to_owned()));
        }
        self.broken |= (self.is_dead)(self.starts, self.resets);
        self.done.clear();
        self.said.clear();
        Ok(())
    }

    fn stimulate(&mut self, label: &str, _: &Budget<'_>) -> Result<(), Trouble> {
        self.done.push(label.to_owned());
        match (self.reaction)(&self.done) {
            Some(said) => self.said.extend(said),
            None => self.broken = true,
        }
        Ok(())
    }

    fn glance(&mut self, _: &Budget<'_>) -> Result<Option<String>, Trouble> {
        match self.broken {
            true => Err(Trouble::Adapter(format!("broke {}", self.resets))),
            false if self.is_slow => Ok(None),
            false => Ok(self.said.pop_front().map(str::to_owned)),
        }
    }

    fn watch(&mut self, budget: &Budget<'_>) -> Result<Observation, Trouble> {
        let slow = std::mem::replace(&mut self.is_slow, false);
        let said = self.glance(budget);
        self.is_slow = slow;
        Ok(said?.map_or(Observation::Silence, Observation::Output))
    }

    fn can_restart(&self) -> bool {
        self.restarts.is_some()
    }

    fn restart(&mut self, _: &Budget<'_>) -> Result<(), Trouble> {
        let starts = self.restarts.as_mut().expect("it can be started again");
        self.starts += 1;
        if !starts(self.starts) {
            return Err(Trouble::Adapter("cannot start".to_owned()));
        }
        self.broken = (self.is_dead)(self.starts, self.resets);
        self.done.clear();
        self.said.clear();
        Ok(())
    }

    fn pause(&mut self, time: Duration, _: &Budget<'_>) -> Result<(), Trouble> {
        self.pauses.push((self.starts, time));
        match self.patience.checked_sub(time) {
            Some(left) => self.patience = left,
            None => return Err(Trouble::Spent(Spent::Cancelled)),
        }
        Ok(())
    }
}

fn walked(wanted: &Lts, system: &mut Reacting, extent: Extent) -> (Walked, Option<Trouble>) {
    let alphabet = Alphabet::new(wanted.labels(), &Convention::Decorated).expect("labels");
    let budget = Budget::new(&Endless);
    let mut log = Log::none();
    walk(&mut &*wanted, &alphabet, system, extent, &mut log, &budget)
}

/// A counter that goes round: `?up` is answered by `!ok`, `?ask` by `!low` or `!high`.
fn counter() -> Lts {
    let mut steps = Vec::new();
    for count in 0..8 {
        let next = (count + 1) % 8;
        steps.push((count, "?up", 8 + next));
        steps.push((8 + next, "!ok", next));
        steps.push((count, "?ask", 16 + count));
        steps.push((16 + count, if count < 4 { "!low" } else { "!high" }, count));
    }
    system_of(&steps)
}

fn count(done: &[String]) -> usize {
    done.iter().filter(|label| *label == "?up").count() % 8
}

fn right(done: &[String]) -> Option<Vec<&'static str>> {
    Some(match done.last().map(String::as_str) {
        Some("?up") => vec!["!ok"],
        Some("?ask") if count(done) < 4 => vec!["!low"],
        _ => vec!["!high"],
    })
}

fn deaf(done: &[String]) -> Option<Vec<&'static str>> {
    match done.last().map(String::as_str) {
        Some("?ask") => Some(vec![]),
        _ => right(done),
    }
}

#[test]
fn what_conforms_is_reset_before_every_walk_but_the_first_and_found_fine() {
    let mut system = reacting(right);
    let (walked, trouble) = walked(&counter(), &mut system, EXTENT);
    assert_eq!((trouble, walked.failures.len()), (None, 0), "{walked:?}");
    assert_eq!((walked.walks, system.resets), (40, 39));
    assert_eq!(walked.sent + walked.seen, 40 * 30);
    // All of the counter, with every set of states that it has.
    assert_eq!(walked.sets, 24);
}

#[test]
fn one_fault_is_one_failure_wherever_the_specification_is() {
    let (walked, _) = walked(&counter(), &mut reacting(deaf), EXTENT);
    // It answers neither `!low` nor `!high`: two things are missing, in eight places.
    assert_eq!(walked.failures.len(), 2, "{walked:?}");
    assert_eq!(labels(&walked.failures[0].trace), ["?ask"]);
    assert_eq!(walked.failures[0].saw, Step::Silence);
    assert_eq!(
        walked.failures[0].allowed.iter().next().expect("one"),
        "!low"
    );
    assert_eq!(
        walked.failures.iter().map(|one| one.times).sum::<usize>(),
        walked.walks
    );
}

#[test]
fn a_failure_is_told_by_its_shortest_trace() {
    // The fifth state is the first where it shows: four steps up, with their answers.
    let (walked, _) = walked(&counter(), &mut reacting(deaf), EXTENT);
    let shortest = [
        "?up", "!ok", "?up", "!ok", "?up", "!ok", "?up", "!ok", "?ask",
    ];
    assert_eq!(labels(&walked.failures[1].trace), shortest);
    // Something that only shows the third time cannot be as short as the specification would have it.
    let tired: Reaction = |done| match done.iter().filter(|label| *label == "?ask").count() {
        3.. => Some(vec!["!tired"]),
        _ => right(done),
    };
    let (walked, _) = self::walked(&counter(), &mut reacting(tired), EXTENT);
    let shortest = ["?ask", "!low", "?ask", "!low", "?ask"];
    assert_eq!(labels(&walked.failures[0].trace), shortest);
}

#[test]
fn an_output_that_the_specification_does_not_know_is_a_failure() {
    let strange: Reaction = |done| match done.last().map(String::as_str) {
        Some("?ask") => Some(vec!["!what"]),
        _ => right(done),
    };
    let (walked, _) = walked(&counter(), &mut reacting(strange), EXTENT);
    assert_eq!(walked.failures[0].saw, Step::Saw("!what".to_owned()));
    // Nor is an input that somebody claims to have seen.
    let strange: Reaction = |_| Some(vec!["?up"]);
    let (walked, _) = self::walked(&counter(), &mut reacting(strange), EXTENT);
    assert_eq!(walked.failures[0].saw, Step::Saw("?up".to_owned()));
}

#[test]
fn silence_is_waited_for_where_nothing_else_may_come() {
    let mut system = reacting(|_| Some(vec!["!late"]));
    system.is_slow = true;
    let (walked, _) = walked(&system_of(&[(0, "?a", 0)]), &mut system, EXTENT);
    assert_eq!(walked.failures[0].saw, Step::Saw("!late".to_owned()));
}

#[test]
fn an_input_is_never_seen() {
    // The specification has `?up` there, but for the tester to send.
    let strange: Reaction = |done| match done.last().map(String::as_str) {
        Some("?up") => Some(vec!["!ok", "?up"]),
        _ => right(done),
    };
    let (walked, _) = walked(&counter(), &mut reacting(strange), EXTENT);
    let found = |one: &Failing| one.saw == Step::Saw("?up".to_owned()) && one.trace.len() == 2;
    assert!(walked.failures.iter().any(found), "{walked:?}");
}

#[test]
fn what_is_seen_tells_failures_apart() {
    let strange: Reaction = |done| match (done.last().map(String::as_str), count(done)) {
        (Some("?ask"), 0) => Some(vec!["!one"]),
        (Some("?ask"), 1) => Some(vec!["!two"]),
        _ => right(done),
    };
    let (walked, _) = walked(&counter(), &mut reacting(strange), EXTENT);
    let seen: Vec<&Step> = walked.failures.iter().map(|one| &one.saw).collect();
    let [one, two] = ["!one", "!two"].map(|text| Step::Saw(text.to_owned()));
    assert_eq!(seen, [&one, &two]);
}

#[test]
fn a_failure_at_the_last_step_counts() {
    let extent = Extent { steps: 2, ..EXTENT };
    let (walked, _) = walked(&counter(), &mut reacting(deaf), extent);
    assert_eq!(labels(&walked.failures[0].trace), ["?ask"]);
}

#[test]
fn the_same_seed_walks_alike_and_another_does_not() {
    let sent = |seed: u64| {
        let shared = Shared::default();
        let mut log = Log::to_writer(shared.clone());
        let alphabet = Alphabet::new(counter().labels(), &Convention::Decorated).expect("labels");
        let extent = Extent { seed, ..EXTENT };
        let (counter, mut system) = (counter(), reacting(right));
        let budget = Budget::new(&Endless);
        walk(
            &mut &counter,
            &alphabet,
            &mut system,
            extent,
            &mut log,
            &budget,
        );
        log.end().expect("it is written");
        shared.text()
    };
    assert_eq!(sent(7), sent(7));
    assert_ne!(sent(7), sent(8));
}

#[test]
fn a_stimulus_that_crosses_an_output_is_no_failure() {
    // An answer may come late, after the next question: `!a` and `?go` have no order.
    let wanted = system_of(&[(0, "?go", 1), (1, "!a", 0), (1, "?go", 2), (2, "!a", 1)]);
    let late: Reaction = |done| match done.len() % 2 {
        0 => Some(vec!["!a", "!a"]),
        _ => Some(vec![]),
    };
    // Two at once are fine if two were asked for; one alone stays silent, which is not allowed.
    let (walked, _) = walked(&wanted, &mut reacting(late), EXTENT);
    assert!(
        walked.failures.iter().all(|one| one.saw == Step::Silence),
        "{walked:?}"
    );
    assert!(!walked.failures.is_empty());
}

fn fragile(done: &[String]) -> Option<Vec<&'static str>> {
    match count(done) {
        3 => None,
        _ => right(done),
    }
}

#[test]
fn trouble_ends_all_unless_the_system_can_be_started_again() {
    let mut system = reacting(fragile);
    let (walked, trouble) = walked(&counter(), &mut system, EXTENT);
    assert!(matches!(trouble, Some(Trouble::Adapter(_))), "{trouble:?}");
    assert_eq!(walked.failures.len(), 0);
    let mut system = reacting(fragile);
    system.restarts = Some(|_| true);
    let (walked, trouble) = self::walked(&counter(), &mut system, EXTENT);
    assert_eq!((trouble, walked.walks), (None, 40));
    assert_eq!(walked.failures.len(), 1, "in whatever words: {walked:?}");
    let failure = &walked.failures[0];
    assert!(
        matches!(failure.saw, Step::Broke(_)) && failure.times > 1,
        "{failure:?}"
    );
    assert_eq!(labels(&failure.trace), ["?up", "!ok", "?up", "!ok", "?up"]);
}

#[test]
fn a_crash_is_kept_when_the_system_cannot_be_started_again() {
    let mut system = reacting(fragile);
    system.restarts = Some(|_| false);
    let (walked, trouble) = walked(&counter(), &mut system, EXTENT);
    assert_eq!(trouble, Some(Trouble::Adapter("cannot start".to_owned())));
    assert_eq!(walked.failures.len(), 1);
    assert_eq!(system.starts, MOST_STARTS as usize);
    let mut longest = Duration::ZERO;
    for &(_, pause) in &system.pauses {
        assert!(pause > longest, "{:?}", system.pauses);
        longest = pause;
    }
}

#[test]
fn a_start_that_fails_is_tried_again_after_a_pause() {
    let mut system = reacting(fragile);
    // Some of them in a row, and more often in all than anybody would try in a row.
    system.restarts = Some(|number| number % 4 == 0);
    let (walked, trouble) = walked(&counter(), &mut system, EXTENT);
    assert_eq!((trouble, walked.walks), (None, 40));
    assert!(system.starts > 2 * MOST_STARTS as usize);
    // There is no pause after a walk that came along.
    let fresh = |&(starts, _): &(usize, Duration)| starts % 4 == 0;
    assert!(!system.pauses.iter().any(fresh), "{:?}", system.pauses);
    let wanted = system.starts / 4 * 3;
    assert_eq!(system.pauses.len(), wanted);
}

#[test]
fn one_that_dies_at_once_is_started_more_and_more_slowly() {
    let mut system = reacting(right);
    system.restarts = Some(|_| true);
    system.is_dead = |_, _| true;
    system.broken = true;
    let (walked, trouble) = walked(&counter(), &mut system, EXTENT);
    assert_eq!((trouble, walked.walks), (None, 40));
    assert_eq!(walked.failures[0].times, 40);
    let pauses: Vec<Duration> = system.pauses.iter().map(|&(_, pause)| pause).collect();
    assert_eq!((system.starts, pauses.len()), (40, 40));
    assert!(pauses.is_sorted() && pauses[0] * 10 < pauses[39]);
    assert!(pauses[39] < Duration::from_secs(2), "it is still tested");
}

#[test]
fn who_interrupts_a_pause_is_heard() {
    let mut system = reacting(fragile);
    system.restarts = Some(|_| false);
    system.patience = Duration::from_millis(150);
    let (walked, trouble) = walked(&counter(), &mut system, EXTENT);
    assert_eq!(trouble, Some(Trouble::Spent(Spent::Cancelled)));
    assert_eq!((walked.failures.len(), system.pauses.len()), (1, 2));
}

#[test]
fn a_crash_belongs_to_the_walk_in_which_it_was() {
    // At a reset: to the walk before, which had come along.
    let mut system = reacting(right);
    system.restarts = Some(|_| true);
    system.bad_reset = 3;
    let (walked, trouble) = walked(&counter(), &mut system, EXTENT);
    assert_eq!((trouble, walked.walks), (None, 40));
    assert_eq!(walked.failures[0].trace.len(), EXTENT.steps);
    // At the first look of a walk: to that one, which had done nothing.
    let mut system = reacting(|_| Some(vec![]));
    system.restarts = Some(|_| true);
    system.is_dead = |starts, resets| starts == 0 && resets == 2;
    let (walked, _) = self::walked(&system_of(&[(0, "?a", 0)]), &mut system, EXTENT);
    assert_eq!(walked.failures.len(), 1, "{walked:?}");
    assert_eq!(walked.failures[0].trace, []);
}

#[test]
fn no_time_is_no_walk_and_enough_failures_are_enough() {
    let none = Extent {
        time: Some(Duration::ZERO),
        ..EXTENT
    };
    let (walked, _) = walked(&counter(), &mut reacting(right), none);
    assert_eq!((walked.walks, walked.cut_short), (0, true));
    // As many labels as there are questions, and each is answered wrongly.
    let texts: Vec<String> = (0..300).map(|number| format!("?{number}")).collect();
    let mut steps: Vec<(u32, &str, u32)> = texts.iter().map(|text| (0, text.as_str(), 1)).collect();
    steps.push((1, "!ok", 0));
    let endless = Extent {
        walks: usize::MAX,
        ..EXTENT
    };
    let wrong: Reaction = |_| Some(vec!["!no"]);
    let (walked, _) = self::walked(&system_of(&steps), &mut reacting(wrong), endless);
    assert_eq!(walked.failures.len(), MOST_FAILURES);
    let hasty = Extent {
        failures: 1,
        ..EXTENT
    };
    let (walked, _) = self::walked(&system_of(&steps), &mut reacting(wrong), hasty);
    assert_eq!((walked.walks, walked.failures.len()), (1, 1));
}

#[test]
fn a_walk_ends_where_nothing_can_happen_any_more() {
    let wanted = system_of(&[(0, "?a", 1)]);
    let silent: Reaction = |_| Some(vec![]);
    let (walked, _) = walked(&wanted, &mut reacting(silent), EXTENT);
    assert_eq!((walked.walks, walked.sent), (40, 40));
    // At most one silence at the end of each, and those before the stimulus.
    assert!(walked.seen < 40 * 4, "{walked:?}");
}

#[test]
fn a_walk_without_end_is_limited_in_memory() {
    let wanted = system_of(&[(0, "?a", 0)]);
    let alphabet = Alphabet::new(wanted.labels(), &Convention::Decorated).expect("labels");
    let budget = Budget::new(&Endless).with_memory(1 << 20, 0);
    let silent: Reaction = |_| Some(vec![]);
    let short = Extent {
        walks: 3000,
        ..EXTENT
    };
    let log = &mut Log::none();
    let (walked, trouble) = walk(
        &mut &wanted,
        &alphabet,
        &mut reacting(silent),
        short,
        log,
        &budget,
    );
    assert_eq!(
        (walked.walks, trouble),
        (3000, None),
        "a walk gives back what it took"
    );
    let long = Extent {
        steps: usize::MAX,
        ..EXTENT
    };
    let (_, trouble) = walk(
        &mut &wanted,
        &alphabet,
        &mut reacting(silent),
        long,
        log,
        &budget,
    );
    assert_eq!(trouble, Some(Trouble::Spent(Spent::Memory)));
}
