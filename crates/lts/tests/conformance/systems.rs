//! Seeded random specifications, implementations and purposes, small enough for the definitions.

use causet_lts::random::random_lts;
use causet_lts::{Labels, Lts};
use causet_solve::steps::Edge;
use fastrand::Rng;

use crate::oracle::{Machine, Purpose, Set};

pub const LABELS: [&str; 7] = ["?a", "?b", "!x", "!y", "i", "!x", "?a"];
const PATTERNS: [&str; 8] = ["*", "?a", r"\?.*", "!.*", ".x", "!y", "i", r"\?a"];

/// The seeds to try: a few, as many as `CAUSET_ROUNDS` says, or the one that `CAUSET_SEED` names.
pub fn seeds(usual: u64) -> std::ops::Range<u64> {
    let number = |name: &str| {
        std::env::var(name)
            .ok()
            .and_then(|text| text.parse::<u64>().ok())
    };
    match (number("CAUSET_SEED"), number("CAUSET_ROUNDS")) {
        (Some(seed), _) => seed..seed + 1,
        (None, rounds) => 0..rounds.unwrap_or(usual),
    }
}

pub fn machine_of(lts: &Lts) -> Machine {
    let steps = lts.transitions();
    Machine {
        states: lts.states() as usize,
        initial: lts.initial() as usize,
        steps: steps
            .map(|(from, step)| {
                let label = lts.labels().text(step.label).to_owned();
                (from as usize, label, step.target as usize)
            })
            .collect(),
    }
}

pub fn lts_of(machine: &Machine) -> Lts {
    let mut labels = Labels::default();
    let steps: Vec<(u32, Edge)> = machine
        .steps
        .iter()
        .map(|(from, label, to)| {
            let label = labels.number(label);
            let target = *to as u32;
            (*from as u32, Edge { label, target })
        })
        .collect();
    Lts::from_steps(
        machine.states as u32,
        machine.initial as u32,
        &steps,
        labels,
    )
}

pub fn specification(rng: &mut Rng) -> Machine {
    let states = rng.u32(1..=6);
    let density = [0.8, 1.2, 1.6, 2.4][rng.usize(..4)];
    let labels = &LABELS[..rng.usize(3..=LABELS.len())];
    machine_of(&random_lts(rng, states, labels, density))
}

/// A machine that takes every input: the specification with some steps lost and others added, or anything at all.
pub fn implementation(rng: &mut Rng, specification: &Machine) -> Machine {
    let mut machine = match rng.u8(..4) {
        0 => self::specification(rng),
        _ => specification.clone(),
    };
    for _ in 0..rng.usize(..3) {
        if !machine.steps.is_empty() {
            machine.steps.swap_remove(rng.usize(..machine.steps.len()));
        }
    }
    for _ in 0..[0, 0, 0, 1, 2][rng.usize(..5)] {
        let mut any = || rng.usize(..machine.states);
        let (from, to) = (any(), any());
        machine
            .steps
            .push((from, LABELS[rng.usize(..5)].to_owned(), to));
    }
    for state in 0..machine.states {
        for input in ["?a", "?b"] {
            if machine.targets(state, input).is_empty() {
                let to = if rng.bool() {
                    state
                } else {
                    rng.usize(..machine.states)
                };
                machine.steps.push((state, input.to_owned(), to));
            }
        }
    }
    machine
}

/// A purpose whose last state accepts, and sometimes the one before it refuses.
pub fn purpose(rng: &mut Rng) -> Purpose {
    let states = rng.usize(2..=4);
    let accept = Set::from([states - 1]);
    let mut refuse = Set::new();
    if states > 2 && rng.bool() {
        refuse.insert(states - 2);
    }
    let mut steps = Vec::new();
    for state in (0..states).filter(|state| !accept.contains(state) && !refuse.contains(state)) {
        for _ in 0..rng.usize(1..=3) {
            let pattern = match PATTERNS[rng.usize(..PATTERNS.len())] {
                "?a" => r"\?a",
                pattern => pattern,
            };
            steps.push((state, pattern.to_owned(), rng.usize(..states)));
        }
    }
    Purpose {
        states,
        steps,
        accept,
        refuse,
    }
}

/// A purpose as it stands in a file.
pub fn purpose_lts(purpose: &Purpose) -> Lts {
    let mut steps = purpose.steps.clone();
    let loops = |states: &Set, word: &str| -> Vec<(usize, String, usize)> {
        states
            .iter()
            .map(|&state| (state, word.to_owned(), state))
            .collect()
    };
    steps.extend(loops(&purpose.accept, "ACCEPT"));
    steps.extend(loops(&purpose.refuse, "refuse"));
    lts_of(&Machine {
        states: purpose.states,
        initial: 0,
        steps,
    })
}
