//! Walks and cases against systems that are models themselves: nobody fails who conforms, and walks find who does not.
//!
//! The systems are random and small, take every input, and may lag: an input waits in a queue while outputs come, as with
//! a process behind pipes. What a tester could find at best is worked out by going through everything.

use std::collections::{BTreeSet, HashSet, VecDeque};

use causet_base::budget::{Budget, Endless};
use causet_drive::belief::Belief;
use causet_drive::record::Log;
use causet_drive::run::{run, run_judged};
use causet_drive::system::{Observation, System, Trouble};
use causet_drive::walk::{Extent, MOST_FAILURES, walk};
use causet_lts::conformance::cases::Cases;
use causet_lts::conformance::direct::direct;
use causet_lts::conformance::graph::{Failures, Verdict};
use causet_lts::conformance::ioco::{Conformance, Party, ioco};
use causet_lts::conformance::product::Stored;
use causet_lts::conformance::purpose::Purpose;
use causet_lts::conformance::roles::{Alphabet, Convention, Role};
use causet_lts::conformance::visible::Visible;
use causet_lts::{Labels, Lts};
use causet_solve::steps::Edge;
use fastrand::Rng;

const LABELS: [&str; 5] = ["?a", "?b", "!x", "!y", "i"];

fn labels() -> Labels {
    let mut labels = Labels::default();
    LABELS.iter().for_each(|text| {
        labels.number(text);
    });
    labels
}

fn alphabet() -> Alphabet {
    Alphabet::new(&labels(), &Convention::Decorated).expect("decorated labels")
}

type Drawn = Vec<(u32, Edge)>;

fn specification(states: u32, random: &mut Rng) -> Drawn {
    let steps = 0..random.u32(states..3 * states);
    let step = |_| {
        let label = random.u32(..LABELS.len() as u32);
        let target = random.u32(..states);
        (random.u32(..states), Edge { label, target })
    };
    steps.map(step).collect()
}

/// The specification with some steps changed, without cycles of internal steps, and with every input everywhere.
fn implementation(states: u32, mut drawn: Drawn, random: &mut Rng) -> Drawn {
    for _ in 0..random.usize(..3) {
        let place = random.usize(..drawn.len());
        match random.bool() {
            true => {
                drawn.swap_remove(place);
            }
            false => drawn[place].1.label = random.u32(..LABELS.len() as u32),
        }
        if drawn.is_empty() {
            break;
        }
    }
    drawn.retain(|(source, edge)| edge.label != 4 || edge.target > *source);
    for state in 0..states {
        for label in 0..2 {
            let takes = |(source, edge): &(u32, Edge)| *source == state && edge.label == label;
            if !drawn.iter().any(takes) {
                let target = state;
                drawn.push((state, Edge { label, target }));
            }
        }
    }
    drawn
}

/// A system that is a model.
struct Model<'a> {
    lts: &'a Lts,
    alphabet: &'a Alphabet,
    state: u32,
    inbox: VecDeque<u32>,
    lags: bool,
    random: Rng,
}

impl Model<'_> {
    /// Goes one step on: an output, or nothing to be seen; `None` when there is no step to take.
    fn go_on(&mut self) -> Option<Option<String>> {
        let input = self.inbox.front().copied();
        let eager = !self.lags && input.is_some();
        let may = |edge: &&Edge| match self.alphabet.role(edge.label) {
            Role::Input => Some(edge.label) == input,
            _ => !eager,
        };
        let steps: Vec<&Edge> = self.lts.steps(self.state).iter().filter(may).collect();
        let step = *steps.get(self.random.usize(..steps.len().max(1)))?;
        self.state = step.target;
        if self.alphabet.role(step.label) == Role::Input {
            self.inbox.pop_front();
        }
        let text = self.alphabet.labels().text(step.label);
        Some((self.alphabet.role(step.label) == Role::Output).then(|| text.to_owned()))
    }
}

impl System for Model<'_> {
    fn reset(&mut self, _: &Budget<'_>) -> Result<(), Trouble> {
        self.state = self.lts.initial();
        self.inbox.clear();
        Ok(())
    }

    fn stimulate(&mut self, label: &str, _: &Budget<'_>) -> Result<(), Trouble> {
        let label = self.alphabet.labels().find(label).expect("a label");
        self.inbox.push_back(label);
        Ok(())
    }

    fn glance(&mut self, _: &Budget<'_>) -> Result<Option<String>, Trouble> {
        while self.random.bool() {
            if let Some(Some(label)) = self.go_on() {
                return Ok(Some(label));
            }
        }
        Ok(None)
    }

    fn watch(&mut self, _: &Budget<'_>) -> Result<Observation, Trouble> {
        loop {
            match self.go_on() {
                Some(Some(label)) => return Ok(Observation::Output(label)),
                Some(None) => {}
                None => return Ok(Observation::Silence),
            }
        }
    }
}

/// Two systems, and whether the second conforms to the first.
fn pair(seed: u64) -> (Lts, Lts, bool) {
    let mut random = Rng::with_seed(seed);
    let states = random.u32(1..6);
    let wanted = specification(states, &mut random);
    let made = implementation(states, wanted.clone(), &mut random);
    let [wanted, made] = [wanted, made].map(|steps| Lts::from_steps(states, 0, &steps, labels()));
    let alphabet = alphabet();
    let party = |lts| Party {
        lts,
        alphabet: &alphabet,
    };
    let compared = ioco(party(&made), party(&wanted), &Budget::new(&Endless));
    let conforms = matches!(compared, Ok(Conformance::Conforms(_)));
    (wanted, made, conforms)
}

fn model<'a>(lts: &'a Lts, alphabet: &'a Alphabet, lags: bool, seed: u64) -> Model<'a> {
    Model {
        lts,
        alphabet,
        state: lts.initial(),
        inbox: VecDeque::new(),
        lags,
        random: Rng::with_seed(seed),
    }
}

/// A specification with a queue before it: sets of its states, each with the inputs that it has yet to take.
///
/// This is what a tester can know who sends without being told when an input is taken, by the definition and with no
/// regard to cost. Nothing is known any more once an input may have been taken that the specification does not have.
struct Queued<'a> {
    visible: Visible<'a, &'a Lts>,
    alphabet: &'a Alphabet,
}

type Known = BTreeSet<(u32, Vec<u32>)>;

impl Queued<'_> {
    fn next(&mut self, set: u32, label: u32) -> Option<u32> {
        let steps = self.visible.successors(set, &Budget::new(&Endless));
        let steps = steps.expect("no limit");
        steps
            .iter()
            .find(|edge| edge.label == label)
            .map(|edge| edge.target)
    }

    /// With whatever may have been taken by now.
    fn taken(&mut self, known: Known) -> Option<Known> {
        let mut waiting: Vec<_> = known.into_iter().collect();
        let mut all = Known::new();
        while let Some((set, queue)) = waiting.pop() {
            if let Some((&first, rest)) = queue.split_first() {
                waiting.push((self.next(set, first)?, rest.to_vec()));
            }
            all.insert((set, queue));
        }
        Some(all)
    }

    fn send(&mut self, known: &Known, label: u32) -> Option<Known> {
        let longer = known
            .iter()
            .map(|(set, queue)| (*set, [queue.as_slice(), &[label]].concat()));
        self.taken(longer.collect())
    }

    fn see(&mut self, known: &Known, label: u32) -> Option<Known> {
        let is_silence = label == self.alphabet.delta();
        let possible = known
            .iter()
            .filter(|(_, queue)| !is_silence || queue.is_empty());
        let possible: Vec<_> = possible.cloned().collect();
        let next = possible
            .into_iter()
            .filter_map(|(set, queue)| Some((self.next(set, label)?, queue)));
        let next = next.collect();
        self.taken(next)
    }
}

/// Whether any tester could tell that a system does not conform, whatever it sends and however lucky it is.
fn can_be_found(wanted: &Lts, made: &Lts, alphabet: &Alphabet, lags: bool) -> bool {
    let mut steps = wanted;
    let visible = Visible::new(&mut steps, alphabet);
    let mut queued = Queued { visible, alphabet };
    let first = queued
        .visible
        .initial(&Budget::new(&Endless))
        .expect("no limit");
    let start = (
        made.initial(),
        Vec::new(),
        Known::from([(first, Vec::new())]),
    );
    let mut met = HashSet::from([start.clone()]);
    let mut waiting = vec![start];
    while let Some((state, inbox, known)) = waiting.pop() {
        let mut next = Vec::new();
        let most = known.iter().map(|(_, queue)| queue.len()).max();
        let may_send = inbox.len() < 2 && most < Some(2);
        for label in alphabet.with_role(Role::Input).filter(|_| may_send) {
            let inbox = [inbox.as_slice(), &[label]].concat();
            next.extend(
                queued
                    .send(&known, label)
                    .map(|known| (state, inbox, known)),
            );
        }
        let eager = !lags && !inbox.is_empty();
        let mut seen = Vec::new();
        let mut stands_still = true;
        for step in made.steps(state) {
            match alphabet.role(step.label) {
                Role::Input if inbox.first() == Some(&step.label) => {
                    next.push((step.target, inbox[1..].to_vec(), known.clone()));
                }
                Role::Internal if !eager => next.push((step.target, inbox.clone(), known.clone())),
                Role::Output if !eager => seen.push((step.target, step.label)),
                _ => continue,
            }
            stands_still = false;
        }
        if stands_still {
            seen.push((state, alphabet.delta()));
        }
        for (state, label) in seen {
            match queued.see(&known, label) {
                Some(known) if known.is_empty() => return true,
                Some(known) => next.push((state, inbox.clone(), known)),
                None => {}
            }
        }
        let new = next.into_iter().filter(|point| met.insert(point.clone()));
        waiting.extend(new);
    }
    false
}

#[test]
fn walks_fail_only_what_does_not_conform_and_find_what_can_be_found() {
    let (alphabet, budget) = (alphabet(), Budget::new(&Endless));
    let (mut conforming, mut differing, mut possible, mut found) = (0, 0, 0, 0);
    for seed in 0..600 {
        let (wanted, made, conforms) = pair(seed);
        let extent = Extent {
            seed,
            walks: 30,
            steps: 20,
            time: None,
            failures: MOST_FAILURES,
        };
        let ways = [false, true];
        let failed = ways.map(|lags| {
            let mut system = model(&made, &alphabet, lags, seed);
            let (steps, log) = (&mut &wanted, &mut Log::none());
            let (walked, trouble) = walk(steps, &alphabet, &mut system, extent, log, &budget);
            assert_eq!(trouble, None);
            let fails = !walked.failures.is_empty();
            assert!(!fails || !conforms, "seed {seed}, lags {lags}: {walked:?}");
            fails
        });
        let can = ways.map(|lags| can_be_found(&wanted, &made, &alphabet, lags));
        assert!(
            failed.iter().zip(can).all(|(&failed, can)| can || !failed),
            "seed {seed}: {failed:?}, {can:?}"
        );
        conforming += usize::from(conforms);
        differing += usize::from(!conforms);
        possible += usize::from(can.contains(&true));
        found += usize::from(failed.contains(&true));
    }
    println!("{found} found of {possible} that can be, of {differing} that differ");
    assert!(conforming > 100 && differing > 100);
    // Who does not conform may hide behind stimuli that cross outputs on their way; then no tester finds him. A walk
    // misses, beside what it seldom meets, what only shows when a second stimulus is sent while one is on its way.
    assert!(possible * 3 >= differing * 2, "{possible} of {differing}");
    assert!(found * 100 >= possible * 95, "{found} of {possible}");
}

/// How cases ended with systems that conform, and with others.
#[derive(Default, Debug)]
struct Ended {
    passed: usize,
    conforming_failed: usize,
    others_failed: usize,
}

/// Cases for `!x` along random specifications, with systems that lag or not, judged by the specification or not.
fn cases(lags: bool, judged: bool) -> Ended {
    let (alphabet, budget) = (alphabet(), Budget::new(&Endless));
    let mut purpose = Labels::default();
    let steps = [("!x", 0, 1), ("ACCEPT", 1, 1)].map(|(text, source, target)| {
        let label = purpose.number(text);
        (source, Edge { label, target })
    });
    let purpose = Lts::from_steps(2, 0, &steps, purpose);
    let mut ended = Ended::default();
    for seed in 0..600 {
        let (wanted, made, conforms) = pair(seed);
        let purpose = Purpose::new(&purpose, wanted.labels(), &budget).expect("a purpose");
        let generated = direct(
            &Stored(&wanted),
            &alphabet,
            &purpose,
            Failures::Explicit,
            &budget,
        );
        let Some(graph) = generated.expect("no limit").graph else {
            continue;
        };
        let makes = Cases::new(&graph);
        let mut random = Rng::with_seed(seed);
        let mut steps = &wanted;
        let mut belief = Belief::new(&mut steps, &alphabet, &budget);
        for turn in 0..10 {
            let case = makes.random(&mut random, &budget).expect("no limit").graph;
            let mut system = model(&made, &alphabet, lags, turn);
            let log = &mut Log::none();
            let ran = match judged {
                true => run_judged(&case, &mut belief, &mut system, log, &budget),
                false => run(&case, &mut system, log, &budget),
            };
            let ran = ran.expect("a verdict");
            match ran.verdict {
                Verdict::Fail if conforms => ended.conforming_failed += 1,
                Verdict::Fail => ended.others_failed += 1,
                Verdict::Pass => {
                    assert!(!ran.crossed, "seed {seed}: {ran:?}");
                    ended.passed += 1;
                }
                Verdict::Inconclusive => {}
            }
        }
    }
    println!("lags {lags}, judged {judged}: {ended:?}");
    ended
}

#[test]
fn cases_fail_only_what_does_not_conform_if_it_takes_turns() {
    let ended = cases(false, false);
    assert_eq!(ended.conforming_failed, 0, "{ended:?}");
    assert!(ended.passed > 100 && ended.others_failed > 100, "{ended:?}");
    // Of one that does not take turns a case alone cannot know better.
    let ended = cases(true, false);
    assert!(ended.conforming_failed > 0, "{ended:?}");
}

#[test]
fn cases_that_are_judged_fail_only_what_does_not_conform() {
    for lags in [false, true] {
        let ended = cases(lags, true);
        assert_eq!(ended.conforming_failed, 0, "{ended:?}");
        assert!(ended.passed > 100 && ended.others_failed > 100, "{ended:?}");
    }
}
