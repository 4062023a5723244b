//! Seeded random systems for tests: small, with cycles, deadlocks, unreachable states and repeated steps in some of them.

use causet_solve::steps::Edge;
use fastrand::Rng;

use crate::system::{Labels, Lts};

/// A system with so many states and on average `density` steps from each, labelled with any of `labels`; the same
/// generator state gives the same system.
///
/// Labels are numbered as they first occur, as a reader would number them, and those that do not occur are left out. One
/// state in five has no step; without states, or without labels, there is one state and none has a step.
pub fn random_lts(random: &mut Rng, states: u32, labels: &[&str], density: f32) -> Lts {
    let states = states.max(1);
    let mut known = Labels::default();
    let mut steps = Vec::new();
    for source in 0..states {
        let most = (2.5 * density).round() as u32;
        if labels.is_empty() || random.u8(..) < 51 {
            continue;
        }
        for _ in 0..random.u32(0..=most) {
            let label = known.number(labels[random.usize(..labels.len())]);
            let target = random.u32(..states);
            steps.push((source, Edge { label, target }));
        }
    }
    let initial = if random.bool() {
        0
    } else {
        random.u32(..states)
    };
    Lts::from_steps(states, initial, &steps, known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_one_system_and_seeds_differ() {
        let of = |seed| random_lts(&mut Rng::with_seed(seed), 9, &["a", "b", "tau"], 2.0);
        assert_eq!(of(1), of(1));
        assert!((2..10).any(|seed| of(seed) != of(1)));
    }

    #[test]
    fn the_density_is_about_the_one_asked_for() {
        let lts = random_lts(&mut Rng::with_seed(7), 10_000, &["a"], 3.0);
        let density = lts.step_count() as f32 / lts.states() as f32;
        assert!((2.8..=3.2).contains(&density), "{density}");
    }
}
