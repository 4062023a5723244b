//! Partitions, quotients and comparisons against the definition of bisimilarity, and explanations against the systems.

use std::collections::BTreeSet;

use causet_base::budget::{Budget, Spent};
use causet_lts::bisimulation::{reduce_strong, strong_partition};
use causet_lts::compare::{Comparison, Difference, Side, strong};
use causet_lts::random::random_lts;
use causet_lts::{Labels, Lts};
use causet_solve::steps::Edge;
use fastrand::Rng;

const LABELS: &[&str] = &["a", "b", "c \"so\"", "i", "tau"];

fn seed() -> u64 {
    let given = std::env::var("CAUSET_SEED").ok();
    given.and_then(|seed| seed.parse().ok()).unwrap_or(1)
}

/// The text of a label, one for all internal ones.
fn text(lts: &Lts, label: u32) -> &str {
    match lts.labels().is_internal(label) {
        true => "i",
        false => lts.labels().text(label),
    }
}

/// Round by round, which states of one system look like which of the other; the last two rounds are equal.
fn rounds(first: &Lts, second: &Lts) -> Vec<Vec<Vec<bool>>> {
    let all = vec![vec![true; second.states() as usize]; first.states() as usize];
    let mut rounds = vec![all];
    loop {
        let last = &rounds[rounds.len() - 1];
        let answered = |one: u32, other: u32| {
            let forth = first.steps(one).iter().all(|step| {
                second.steps(other).iter().any(|answer| {
                    text(first, step.label) == text(second, answer.label)
                        && last[step.target as usize][answer.target as usize]
                })
            });
            let back = second.steps(other).iter().all(|step| {
                first.steps(one).iter().any(|answer| {
                    text(second, step.label) == text(first, answer.label)
                        && last[answer.target as usize][step.target as usize]
                })
            });
            forth && back
        };
        let next: Vec<Vec<bool>> = (0..first.states())
            .map(|one| {
                (0..second.states())
                    .map(|other| answered(one, other))
                    .collect()
            })
            .collect();
        let done = next == *last;
        rounds.push(next);
        if done {
            return rounds;
        }
    }
}

fn bisimilar(first: &Lts, second: &Lts) -> Vec<Vec<bool>> {
    rounds(first, second).pop().expect("at least one round")
}

fn random(rng: &mut Rng) -> Lts {
    let states = rng.u32(1..=12);
    let labels = &LABELS[..rng.usize(1..=LABELS.len())];
    let density = rng.f32() * 2.5;
    random_lts(rng, states, labels, density)
}

/// The same system with every state twice or thrice, and steps to any of the copies.
fn copied(rng: &mut Rng, lts: &Lts) -> Lts {
    let copies = rng.u32(2..=3);
    let mut labels = Labels::default();
    let mut steps = Vec::new();
    for state in 0..lts.states() {
        for copy in 0..copies {
            for edge in lts.steps(state) {
                let label = match (lts.labels().is_internal(edge.label), rng.bool()) {
                    (true, true) => "tau",
                    (true, false) => "i",
                    _ => lts.labels().text(edge.label),
                };
                let label = labels.number(label);
                let target = edge.target * copies + rng.u32(..copies);
                steps.push((state * copies + copy, Edge { label, target }));
            }
        }
    }
    rng.shuffle(&mut steps);
    let initial = lts.initial() * copies + rng.u32(..copies);
    Lts::from_steps(lts.states() * copies, initial, &steps, labels)
}

#[test]
fn blocks_are_the_classes_of_bisimilar_states() {
    let budget = Budget::endless();
    let mut coarse = 0;
    for seed in seed()..seed() + 6_000 {
        let mut rng = Rng::with_seed(seed);
        let mut lts = random(&mut rng);
        if rng.bool() {
            lts = copied(&mut rng, &lts);
        }
        let partition = strong_partition(&lts, &budget).expect("no limit");
        let expected = bisimilar(&lts, &lts);
        for one in 0..lts.states() {
            for other in 0..lts.states() {
                let same = expected[one as usize][other as usize];
                assert_eq!(
                    partition.same(one, other),
                    same,
                    "seed {seed}: {one}, {other} of {lts:?}"
                );
            }
        }
        let blocks: BTreeSet<u32> = (0..lts.states())
            .map(|state| partition.block(state))
            .collect();
        assert!(
            blocks.into_iter().eq(0..partition.len() as u32),
            "seed {seed}"
        );
        coarse += usize::from(partition.len() > 2 && partition.len() < lts.states() as usize);
    }
    assert!(
        coarse > 2_000,
        "only {coarse} systems have a partition worth finding"
    );
}

#[test]
fn a_reduced_system_is_bisimilar_and_as_small_as_can_be() {
    let budget = Budget::endless();
    for seed in seed()..seed() + 2_000 {
        let mut rng = Rng::with_seed(seed);
        let lts = random(&mut rng);
        let reduced = reduce_strong(&lts, &budget).expect("no limit");
        assert_eq!(reduced.initial(), 0);
        let relation = bisimilar(&lts, &reduced);
        assert!(
            relation[lts.initial() as usize][0],
            "seed {seed}: {lts:?} {reduced:?}"
        );
        let own = bisimilar(&reduced, &reduced);
        for alike in &own {
            let count = alike.iter().filter(|&&same| same).count();
            assert_eq!(count, 1, "seed {seed}");
        }
        let mut met = 1;
        for state in 0..reduced.states() {
            assert!(
                state < met,
                "seed {seed}: state {state} is not reached breadth-first"
            );
            let steps = reduced.steps(state);
            let distinct: BTreeSet<&Edge> = steps.iter().collect();
            assert_eq!(distinct.len(), steps.len(), "seed {seed}");
            met = steps.iter().fold(met, |met, edge| met.max(edge.target + 1));
        }
        let again = reduce_strong(&copied(&mut rng, &lts), &budget).expect("no limit");
        assert_eq!(again.states(), reduced.states(), "seed {seed}");
        assert_eq!(again.step_count(), reduced.step_count(), "seed {seed}");
    }
}

/// A formula as it is read back.
#[derive(Debug)]
enum Formula {
    True,
    False,
    All(Vec<Formula>),
    Some(Vec<Formula>),
    Diamond(String, Box<Formula>),
    Box(String, Box<Formula>),
}

impl Formula {
    fn read(text: &str) -> Formula {
        let mut rest = text;
        let formula = Formula::read_from(&mut rest);
        assert_eq!(rest, "", "left over of {text}");
        formula
    }

    fn read_from(rest: &mut &str) -> Formula {
        for (open, close, diamond) in [("<", ">", true), ("[", "]", false)] {
            if eat(rest, open) {
                let label = read_label(rest);
                assert!(eat(rest, close) && eat(rest, " "), "at {rest}");
                let below = Box::new(Formula::read_from(rest));
                return match diamond {
                    true => Formula::Diamond(label, below),
                    false => Formula::Box(label, below),
                };
            }
        }
        if eat(rest, "true") {
            return Formula::True;
        }
        if eat(rest, "false") {
            return Formula::False;
        }
        assert!(eat(rest, "("), "at {rest}");
        let mut parts = vec![Formula::read_from(rest)];
        let mut all = true;
        while !eat(rest, ")") {
            all = eat(rest, " && ");
            assert!(all || eat(rest, " || "), "at {rest}");
            parts.push(Formula::read_from(rest));
        }
        match all {
            true => Formula::All(parts),
            false => Formula::Some(parts),
        }
    }

    fn holds(&self, lts: &Lts, state: u32) -> bool {
        let after = |label: &str| -> Vec<u32> {
            let steps = lts.steps(state).iter();
            let steps = steps.filter(|step| text(lts, step.label) == label);
            steps.map(|step| step.target).collect()
        };
        match self {
            Formula::True => true,
            Formula::False => false,
            Formula::All(parts) => parts.iter().all(|part| part.holds(lts, state)),
            Formula::Some(parts) => parts.iter().any(|part| part.holds(lts, state)),
            Formula::Diamond(label, below) => {
                after(label).iter().any(|&target| below.holds(lts, target))
            }
            Formula::Box(label, below) => {
                after(label).iter().all(|&target| below.holds(lts, target))
            }
        }
    }

    fn depth(&self) -> usize {
        match self {
            Formula::True | Formula::False => 0,
            Formula::All(parts) | Formula::Some(parts) => {
                parts.iter().map(Formula::depth).max().unwrap_or(0)
            }
            Formula::Diamond(_, below) | Formula::Box(_, below) => below.depth() + 1,
        }
    }
}

fn eat(rest: &mut &str, token: &str) -> bool {
    match rest.strip_prefix(token) {
        Some(after) => {
            *rest = after;
            true
        }
        None => false,
    }
}

fn read_label(rest: &mut &str) -> String {
    if eat(rest, "tau") {
        return "i".to_owned();
    }
    assert!(eat(rest, "\""), "at {rest}");
    let mut label = String::new();
    while !eat(rest, "\"") {
        eat(rest, "\\");
        let next = rest.chars().next().expect("a closing quote");
        eat(rest, next.encode_utf8(&mut [0; 4]));
        label.push(next);
    }
    label
}

/// The states that a trace can lead to.
fn after(lts: &Lts, trace: &[String]) -> BTreeSet<u32> {
    trace
        .iter()
        .fold(BTreeSet::from([lts.initial()]), |states, label| {
            let steps = states.iter().flat_map(|&state| lts.steps(state));
            let steps = steps.filter(|step| text(lts, step.label) == label);
            steps.map(|step| step.target).collect()
        })
}

fn judge(first: &Lts, second: &Lts, difference: &Difference, round: usize, context: &str) {
    let written = difference
        .formula
        .as_ref()
        .expect("small systems have small formulas");
    let read = causet_formula::mu::read(written, &|_| None);
    let lowered = read.and_then(|formula| formula.lower());
    assert!(
        lowered.is_ok(),
        "{context}: {written} is no formula: {lowered:?}"
    );
    let formula = Formula::read(written);
    assert!(
        formula.holds(first, first.initial()),
        "{context}: {written} fails in the first"
    );
    assert!(
        !formula.holds(second, second.initial()),
        "{context}: {written} holds in the second"
    );
    assert_eq!(
        formula.depth(),
        round,
        "{context}: {written} is not as shallow as can be"
    );
    let (able, unable) = match difference.able {
        Side::First => (first, second),
        Side::Second => (second, first),
    };
    let has = |lts: &Lts, state: u32| {
        let steps = lts.steps(state).iter();
        steps
            .map(|step| text(lts, step.label))
            .any(|label| label == difference.then)
    };
    let (ables, unables) = (
        after(able, &difference.trace),
        after(unable, &difference.trace),
    );
    assert!(
        ables.into_iter().any(|state| has(able, state)),
        "{context}: {difference:?}"
    );
    assert!(
        unables.into_iter().any(|state| !has(unable, state)),
        "{context}: {difference:?}"
    );
}

#[test]
fn different_systems_are_told_apart_by_a_formula_of_least_depth() {
    let budget = Budget::endless();
    let (mut equal, mut deep) = (0, 0);
    for seed in seed()..seed() + 6_000 {
        let mut rng = Rng::with_seed(seed);
        let first = random(&mut rng);
        let second = match rng.u8(..3) {
            0 => copied(&mut rng, &first),
            1 => altered(&mut rng, &first),
            _ => random(&mut rng),
        };
        let history = rounds(&first, &second);
        let alike =
            |round: &Vec<Vec<bool>>| round[first.initial() as usize][second.initial() as usize];
        let apart = history.iter().position(|round| !alike(round));
        let context = format!("seed {seed}: {first:?} {second:?}");
        match (strong(&first, &second, &budget).expect("no limit"), apart) {
            (Comparison::Equal, None) => equal += 1,
            (Comparison::Different(difference), Some(round)) => {
                judge(&first, &second, &difference, round, &context);
                deep += usize::from(round > 2);
            }
            (found, expected) => panic!("{context}: {found:?}, but told apart in {expected:?}"),
        }
    }
    assert!(
        equal > 1_000 && deep > 200,
        "{equal} equal, {deep} told apart late"
    );
}

/// The system with one step more, or with one led elsewhere.
fn altered(rng: &mut Rng, lts: &Lts) -> Lts {
    let mut labels = lts.labels().clone();
    let mut steps: Vec<(u32, Edge)> = (0..lts.states())
        .flat_map(|state| lts.steps(state).iter().map(move |&edge| (state, edge)))
        .collect();
    let target = rng.u32(..lts.states());
    if steps.is_empty() || rng.bool() {
        let label = labels.number("a");
        steps.push((rng.u32(..lts.states()), Edge { label, target }));
    } else {
        let changed = rng.usize(..steps.len());
        steps[changed].1.target = target;
    }
    Lts::from_steps(lts.states(), lts.initial(), &steps, labels)
}

/// States in a row, each with a step to the next.
fn chain(length: u32, label: &str) -> Lts {
    let mut labels = Labels::default();
    let label = labels.number(label);
    let steps: Vec<(u32, Edge)> = (0..length)
        .map(|state| {
            (
                state,
                Edge {
                    label,
                    target: state + 1,
                },
            )
        })
        .collect();
    Lts::from_steps(length + 1, 0, &steps, labels)
}

/// Comparing the states of such chains round by round would take 10^10 looks at them.
#[test]
fn long_chains_are_not_too_long() {
    let budget = Budget::endless();
    let partition = strong_partition(&chain(100_000, "a"), &budget).expect("no limit");
    assert_eq!(partition.len(), 100_001);
    let found = strong(&chain(100_000, "a"), &chain(100_001, "a"), &budget).expect("no limit");
    let Comparison::Different(difference) = found else {
        panic!("chains of different lengths are different");
    };
    assert_eq!(difference.formula, None, "nobody could read it");
    assert_eq!(
        (difference.trace.len(), difference.able),
        (100_000, Side::Second)
    );
    let found = strong(&chain(90_000, "i"), &chain(90_000, "tau"), &budget).expect("no limit");
    assert_eq!(found, Comparison::Equal);
}

#[test]
fn a_formula_is_as_deep_as_a_reader_takes_it() {
    let formula = |length| {
        let (first, second) = (chain(length, "a"), chain(length + 1, "a"));
        let found = strong(&first, &second, &Budget::endless()).expect("no limit");
        let Comparison::Different(difference) = found else {
            panic!("chains of different lengths are different");
        };
        if difference.formula.is_some() {
            let round = length as usize + 1;
            judge(&first, &second, &difference, round, "two chains");
        }
        difference.formula
    };
    assert!(formula(94).is_some());
    assert_eq!(formula(95), None);
}

#[test]
fn a_formula_says_what_a_reader_would() {
    // Coffee or tea after the coin, against a coin that decides.
    let machine = |steps: &[(u32, &str, u32)]| {
        let mut labels = Labels::default();
        let steps: Vec<(u32, Edge)> = steps
            .iter()
            .map(|&(from, text, target)| {
                (
                    from,
                    Edge {
                        label: labels.number(text),
                        target,
                    },
                )
            })
            .collect();
        Lts::from_steps(6, 0, &steps, labels)
    };
    let fair = machine(&[(0, "coin", 1), (1, "tea", 2), (1, "coffee", 3)]);
    let mean = machine(&[
        (0, "coin", 1),
        (0, "coin", 4),
        (1, "tea", 2),
        (4, "coffee", 3),
    ]);
    let found = strong(&fair, &mean, &Budget::endless()).expect("no limit");
    let Comparison::Different(difference) = found else {
        panic!("the machines differ");
    };
    let formula = difference.formula.expect("a short formula");
    assert!(
        ["[\"coin\"] <\"tea\"> true", "[\"coin\"] <\"coffee\"> true"].contains(&formula.as_str()),
        "{formula}"
    );
    assert_eq!(
        (difference.trace, difference.able),
        (vec!["coin".to_owned()], Side::First)
    );
}

#[test]
fn a_spent_budget_is_said_and_given_back() {
    let lts = chain(50_000, "a");
    for limit in [1_000, 1_000_000, 4_000_000] {
        let tight = Budget::endless().with_memory(limit, 0);
        assert_eq!(
            strong_partition(&lts, &tight).err(),
            Some(Spent::Memory),
            "{limit}"
        );
        assert_eq!(
            reduce_strong(&lts, &tight).err(),
            Some(Spent::Memory),
            "{limit}"
        );
        assert_eq!(
            strong(&lts, &lts, &tight).err(),
            Some(Spent::Memory),
            "{limit}"
        );
        assert_eq!(tight.used(), 0);
    }
}
