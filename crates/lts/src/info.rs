//! What a system looks like: its size, its labels, what can be reached, where it stops and where it may be busy for ever.
//!
//! One search breadth-first finds the reachable states and the depth; one search depth-first along internal steps, with an
//! explicit stack, finds the strongly connected components. Both are linear in time and memory.

use std::mem::size_of;

use causet_base::budget::{Budget, Spent};

use crate::system::Lts;

/// How many states are given as examples.
const EXAMPLES: usize = 5;

/// Figures about a system.
///
/// Sizes, labels and degrees are those of the whole system; deadlocks, internal cycles, determinism and depth those of
/// its reachable part.
#[derive(Clone, PartialEq, Debug)]
pub struct Info {
    /// How many states there are.
    pub states: u32,
    /// How many of them can be reached.
    pub reachable: u32,
    /// How many transitions there are.
    pub transitions: u64,
    /// How many of them are internal.
    pub internal_steps: u64,
    /// The labels, and on how many transitions each stands, most frequent first.
    pub labels: Vec<(u32, u64)>,
    /// Reachable states without transition.
    pub deadlocks: Found,
    /// Strongly connected components of internal steps, each with a step inside; one state each is an example.
    pub internal_cycles: Found,
    /// How many states lie in such a component.
    pub states_on_internal_cycles: u64,
    /// The largest number of transitions from one state.
    pub most_steps: u32,
    /// Whether no reachable state has transitions with one label to two states.
    pub deterministic: bool,
    /// How many steps the farthest reachable state is away from the initial one.
    pub depth: u32,
}

/// How often something was found, and the first few states where it was.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Found {
    /// How often.
    pub count: u64,
    /// The first few states.
    pub first: Vec<u32>,
}

impl Found {
    fn add(&mut self, state: u32) {
        self.count += 1;
        if self.first.len() < EXAMPLES {
            self.first.push(state);
        }
    }
}

impl Info {
    /// Looks at a system.
    pub fn of(lts: &Lts, budget: &Budget<'_>) -> Result<Info, Spent> {
        let budget = budget.branch();
        let (reached, depth) = breadth_first(lts, &budget)?;
        let labels = count_labels(lts, &budget)?;
        let (internal_cycles, states_on_internal_cycles) = Cycles::find(lts, &reached, &budget)?;
        let is_internal = |(label, _): &&(u32, u64)| lts.labels().is_internal(*label);
        let internal = labels.iter().filter(is_internal);
        Ok(Info {
            states: lts.states(),
            reachable: reached.len() as u32,
            transitions: lts.step_count() as u64,
            internal_steps: internal.map(|(_, count)| count).sum(),
            deadlocks: deadlocks(lts, &reached),
            internal_cycles,
            states_on_internal_cycles,
            most_steps: most_steps(lts),
            deterministic: is_deterministic(lts, &reached, &budget)?,
            depth,
            labels,
        })
    }

    /// How many transitions a state has on average.
    pub fn mean_steps(&self) -> f64 {
        self.transitions as f64 / f64::from(self.states)
    }
}

/// The reachable states in the order in which they are met, and the distance of the last of them.
fn breadth_first(lts: &Lts, budget: &Budget<'_>) -> Result<(Vec<u32>, u32), Spent> {
    let states = lts.states() as usize;
    budget.charge(states * (size_of::<u32>() + size_of::<bool>()))?;
    let mut is_met = vec![false; states];
    let mut met = Vec::with_capacity(states);
    is_met[lts.initial() as usize] = true;
    met.push(lts.initial());
    let (mut depth, mut next, mut level_end) = (0, 0, 1);
    while next < met.len() {
        budget.tick()?;
        if next == level_end {
            depth += 1;
            level_end = met.len();
        }
        for step in lts.steps(met[next]) {
            if !std::mem::replace(&mut is_met[step.target as usize], true) {
                met.push(step.target);
            }
        }
        next += 1;
    }
    Ok((met, depth))
}

fn count_labels(lts: &Lts, budget: &Budget<'_>) -> Result<Vec<(u32, u64)>, Spent> {
    budget.charge(lts.labels().len() * size_of::<(u32, u64)>())?;
    let mut counts: Vec<_> = (0..lts.labels().len() as u32)
        .map(|label| (label, 0))
        .collect();
    for state in 0..lts.states() {
        budget.tick()?;
        for step in lts.steps(state) {
            counts[step.label as usize].1 += 1;
        }
    }
    counts.sort_by_key(|&(label, count)| (std::cmp::Reverse(count), label));
    Ok(counts)
}

fn deadlocks(lts: &Lts, reached: &[u32]) -> Found {
    let mut found = Found::default();
    let stuck = reached.iter().filter(|&&state| lts.steps(state).is_empty());
    stuck.for_each(|&state| found.add(state));
    found
}

fn most_steps(lts: &Lts) -> u32 {
    let degrees = (0..lts.states()).map(|state| lts.steps(state).len());
    degrees.max().unwrap_or(0) as u32
}

fn is_deterministic(lts: &Lts, reached: &[u32], budget: &Budget<'_>) -> Result<bool, Spent> {
    budget.charge(lts.labels().len() * size_of::<(u32, u32)>())?;
    // For each label, the last state from which a step with it was seen, and where that led.
    let mut last = vec![(u32::MAX, 0); lts.labels().len()];
    for &state in reached {
        budget.tick()?;
        for step in lts.steps(state) {
            let (source, target) = last[step.label as usize];
            if source == state && target != step.target {
                return Ok(false);
            }
            last[step.label as usize] = (state, step.target);
        }
    }
    Ok(true)
}

/// A state on the way, the number it was given, and its next step to look at.
struct Visit {
    state: u32,
    number: u32,
    next: u32,
}

/// Tarjan's search for components, along internal steps.
struct Cycles<'l> {
    lts: &'l Lts,
    /// For each state: 0 before it is met, then the least number it is known to reach on the stack, then [`DONE`].
    low: Vec<u32>,
    /// Whose component is not complete.
    open: Vec<u32>,
    visits: Vec<Visit>,
    numbered: u32,
    found: Found,
    inside: u64,
}

/// Given to states whose component is complete.
const DONE: u32 = u32::MAX;

impl Cycles<'_> {
    /// The components with a step inside, and how many states they have together.
    fn find(lts: &Lts, reached: &[u32], budget: &Budget<'_>) -> Result<(Found, u64), Spent> {
        let per_state = 2 * size_of::<u32>() + size_of::<Visit>();
        budget.charge(lts.states() as usize * per_state)?;
        let mut cycles = Cycles {
            lts,
            low: vec![0; lts.states() as usize],
            open: Vec::new(),
            visits: Vec::new(),
            numbered: 0,
            found: Found::default(),
            inside: 0,
        };
        for &state in reached {
            if cycles.low[state as usize] == 0 {
                cycles.enter(state);
                while !cycles.visits.is_empty() {
                    budget.tick()?;
                    cycles.go_on();
                }
            }
        }
        Ok((cycles.found, cycles.inside))
    }

    fn enter(&mut self, state: u32) {
        self.numbered += 1;
        self.low[state as usize] = self.numbered;
        self.open.push(state);
        self.visits.push(Visit {
            state,
            number: self.numbered,
            next: 0,
        });
    }

    /// Follows the next internal step of the last state on the way, or leaves it.
    fn go_on(&mut self) {
        let Some(visit) = self.visits.last_mut() else {
            return;
        };
        let (lts, state) = (self.lts, visit.state as usize);
        while let Some(step) = lts.steps(visit.state).get(visit.next as usize) {
            visit.next += 1;
            if !lts.labels().is_internal(step.label) {
                continue;
            }
            match self.low[step.target as usize] {
                0 => return self.enter(step.target),
                DONE => {}
                low => self.low[state] = self.low[state].min(low),
            }
        }
        self.leave();
    }

    fn leave(&mut self) {
        let Some(Visit { state, number, .. }) = self.visits.pop() else {
            return;
        };
        let low = self.low[state as usize];
        if let Some(before) = self.visits.last() {
            let before = &mut self.low[before.state as usize];
            *before = low.min(*before);
        }
        if low == number {
            self.complete(state);
        }
    }

    /// Takes the component of which `state` was met first off the stack.
    fn complete(&mut self, state: u32) {
        let mut size = 0;
        while let Some(member) = self.open.pop() {
            self.low[member as usize] = DONE;
            size += 1;
            if member == state {
                break;
            }
        }
        if size > 1 || self.has_loop(state) {
            self.found.add(state);
            self.inside += size;
        }
    }

    fn has_loop(&self, state: u32) -> bool {
        let is_internal = |label| self.lts.labels().is_internal(label);
        let mut steps = self.lts.steps(state).iter();
        steps.any(|step| step.target == state && is_internal(step.label))
    }
}

#[cfg(test)]
mod tests {
    use causet_solve::steps::Edge;
    use fastrand::Rng;

    use super::*;
    use crate::random::random_lts;
    use crate::system::Labels;

    fn system(states: u32, initial: u32, steps: &[(u32, &str, u32)]) -> Lts {
        let mut labels = Labels::default();
        let numbered = |&(source, label, target): &(u32, &str, u32)| {
            let label = labels.number(label);
            (source, Edge { label, target })
        };
        let steps: Vec<_> = steps.iter().map(numbered).collect();
        Lts::from_steps(states, initial, &steps, labels)
    }

    fn info(lts: &Lts) -> Info {
        Info::of(lts, &Budget::endless()).expect("no limit")
    }

    #[test]
    fn a_system_with_one_of_everything() {
        let steps = [
            (0, "a", 1),
            (0, "a", 2),
            (1, "i", 2),
            (2, "tau", 1),
            (2, "b", 3),
            (4, "i", 4),
        ];
        let info = info(&system(6, 0, &steps));
        assert_eq!((info.states, info.reachable, info.depth), (6, 4, 2));
        assert_eq!((info.transitions, info.internal_steps), (6, 3));
        assert_eq!(info.labels, [(0, 2), (1, 2), (2, 1), (3, 1)]);
        let found = |count, first: &[u32]| Found {
            count,
            first: first.to_vec(),
        };
        assert_eq!(info.deadlocks, found(1, &[3]));
        assert_eq!(info.internal_cycles, found(1, &[1]));
        assert_eq!(info.states_on_internal_cycles, 2);
        assert_eq!((info.most_steps, info.deterministic), (2, false));
        assert!((info.mean_steps() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn the_same_step_twice_is_still_deterministic() {
        assert!(info(&system(2, 0, &[(0, "a", 1), (0, "a", 1), (0, "b", 0)])).deterministic);
    }

    #[test]
    fn a_long_chain_needs_no_deep_stack() {
        let length = 300_000;
        let steps: Vec<_> = (0..length).map(|n| (n, "i", (n + 1) % length)).collect();
        let info = info(&system(length, 0, &steps));
        assert_eq!((info.internal_cycles.count, info.depth), (1, length - 1));
        assert_eq!(info.states_on_internal_cycles, u64::from(length));
    }

    /// Which states can be reached from which, in one internal step or more.
    fn internal_closure(lts: &Lts) -> Vec<Vec<bool>> {
        let states = lts.states() as usize;
        let mut closure = vec![vec![false; states]; states];
        for (source, step) in lts.transitions() {
            if lts.labels().is_internal(step.label) {
                closure[source as usize][step.target as usize] = true;
            }
        }
        for middle in 0..states {
            for from in 0..states {
                for to in 0..states {
                    closure[from][to] |= closure[from][middle] && closure[middle][to];
                }
            }
        }
        closure
    }

    #[test]
    fn components_are_those_of_the_definition() {
        let mut with_cycles = 0;
        for seed in 0..500 {
            let mut random = Rng::with_seed(seed);
            let density = 1.0 + random.f32();
            let lts = random_lts(&mut random, 9, &["a", "i", "tau"], density);
            let info = info(&lts);
            let (reached, _) = breadth_first(&lts, &Budget::endless()).expect("no limit");
            let closure = internal_closure(&lts);
            let on_cycle = |&state: &usize| closure[state][state];
            let states = reached.iter().map(|&state| state as usize);
            let on_cycles: Vec<usize> = states.filter(on_cycle).collect();
            // A component is counted at its smallest state.
            let first =
                |&&state: &&usize| !(0..state).any(|s| closure[s][state] && closure[state][s]);
            let components = on_cycles.iter().filter(first).count();
            assert_eq!(
                info.states_on_internal_cycles,
                on_cycles.len() as u64,
                "seed {seed}"
            );
            assert_eq!(info.internal_cycles.count, components as u64, "seed {seed}");
            with_cycles += usize::from(components > 1);
        }
        assert!(with_cycles > 50, "{with_cycles}");
    }

    #[test]
    fn a_small_budget_is_spent() {
        let lts = system(1000, 0, &[]);
        let budget = Budget::endless().with_memory(1000, 0);
        assert_eq!(Info::of(&lts, &budget), Err(Spent::Memory));
        assert_eq!(budget.used(), 0);
    }
}
