//! The sizes that paper MB-DSolve gives for test graphs of the alternating-bit protocol, from its generic purpose: accept
//! after ten visible actions. Sizes of a member of the family are polynomials in the number of messages, so small members
//! say what the largest one has.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use causet_base::budget::Budget;
use causet_lts::conformance::direct::{Generated, direct};
use causet_lts::conformance::graph::Failures;
use causet_lts::conformance::lead::by_equations;
use causet_lts::conformance::product::{Product, Stored};
use causet_lts::conformance::purpose::{Mark, Purpose};
use causet_lts::conformance::quiescence::quiescent_states;
use causet_lts::conformance::roles::{Alphabet, Convention, Role};
use causet_lts::{Lts, aut};
use causet_solve::bes::Strategy;
use causet_solve::numbered::Numbered;
use causet_solve::steps::{Edge, Steps};
use causet_workload::system::{Options, find};

/// How many visible actions the purpose waits for.
const ACTIONS: u32 = 10;

/// A member of the family, and what it takes to test it.
struct Scene {
    lts: Lts,
    alphabet: Alphabet,
    purpose: Purpose,
}

impl Scene {
    fn of(messages: u64) -> Scene {
        let options = Options::default().with("n", messages);
        let options = options.with("labels", "offer");
        let mut text = Vec::new();
        let bitalt = find("bitalt").expect("a system");
        bitalt.write(&options, &mut text).expect("options that fit");
        let lts = read(&text);
        let inputs = ["PUT.*".to_owned()];
        let convention = Convention::patterns(Some(&inputs), None).expect("a pattern");
        Scene {
            alphabet: Alphabet::new(lts.labels(), &convention).expect("labels in roles"),
            purpose: Purpose::new(&generic_purpose(), lts.labels(), &Budget::endless())
                .expect("a purpose"),
            lts,
        }
    }

    fn by_equations(&self) -> Generated {
        let how = (Strategy::Lean, Failures::Implicit);
        let specification = Stored(&self.lts);
        let (alphabet, purpose) = (&self.alphabet, &self.purpose);
        by_equations(&specification, alphabet, purpose, how, &Budget::endless()).expect("no limit")
    }

    fn direct(&self) -> Generated {
        let specification = Stored(&self.lts);
        let (alphabet, purpose) = (&self.alphabet, &self.purpose);
        let failures = Failures::Implicit;
        direct(
            &specification,
            alphabet,
            purpose,
            failures,
            &Budget::endless(),
        )
        .expect("no limit")
    }

    /// How many states and steps there are after determinisation if sets are told apart by the states through which they
    /// were entered, before internal steps are followed, and all that accepts is one.
    fn by_entrances(&self) -> (u64, u64) {
        let budget = Budget::endless();
        let specification = Stored(&self.lts);
        let product = Product::new(&specification, &self.purpose);
        let mut numbered = Numbered::new(&product, &budget).expect("no limit");
        numbered.explore(&budget).expect("no limit");
        let states = numbered.states() as u32;
        let mut steps = Vec::new();
        for state in 0..states {
            let edges = numbered.edges(state, &budget).expect("no limit");
            steps.extend(edges.iter().map(|&edge| (state, edge)));
        }
        let raw = Lts::from_steps(states, 0, &steps, self.alphabet.labels().clone());
        let silent = quiescent_states(&raw, &self.alphabet, &budget).expect("no limit");
        let accepts = |&state: &u32| product.mark(numbered.row(state)) == Mark::Accept;
        let mut numbers = HashMap::from([(BTreeSet::from([0]), 0)]);
        let mut waiting = vec![BTreeSet::from([0])];
        let (mut passes, mut count) = (0, 0);
        while let Some(entrance) = waiting.pop() {
            if entrance.iter().any(accepts) {
                passes += 1;
                continue;
            }
            let mut targets: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
            for state in self.closure(&raw, &entrance) {
                let silence = silent[state as usize].then_some(Edge {
                    label: self.alphabet.delta(),
                    target: state,
                });
                let steps = raw.steps(state).iter().copied();
                for edge in steps.filter(|edge| !self.is_internal(edge)).chain(silence) {
                    targets.entry(edge.label).or_default().insert(edge.target);
                }
            }
            count += targets.len() as u64;
            for target in targets.into_values() {
                let next = numbers.len();
                if !numbers.contains_key(&target) {
                    numbers.insert(target.clone(), next);
                    waiting.push(target);
                }
            }
        }
        (numbers.len() as u64 - passes + 1, count)
    }

    fn closure(&self, raw: &Lts, states: &BTreeSet<u32>) -> BTreeSet<u32> {
        let mut met = states.clone();
        let mut waiting: Vec<u32> = states.iter().copied().collect();
        while let Some(state) = waiting.pop() {
            let steps = raw.steps(state).iter();
            for edge in steps.filter(|edge| self.is_internal(edge)) {
                if met.insert(edge.target) {
                    waiting.push(edge.target);
                }
            }
        }
        met
    }

    fn is_internal(&self, edge: &Edge) -> bool {
        self.alphabet.role(edge.label) == Role::Internal
    }
}

fn read(text: &[u8]) -> Lts {
    let reading = aut::read(&mut &*text, 1, &Budget::endless());
    reading.expect("a system").lts
}

/// Accept after so many visible actions, whatever they are.
fn generic_purpose() -> Lts {
    let mut text = format!("des (0, {}, {})\n", ACTIONS + 1, ACTIONS + 1);
    for state in 0..ACTIONS {
        text += &format!("({state}, \"(PUT|GET).*\", {})\n", state + 1);
    }
    text += &format!("({ACTIONS}, ACCEPT, {ACTIONS})\n");
    read(text.as_bytes())
}

/// Sizes that are `a n^2 + b n + c`.
fn polynomial([a, b, c]: [i64; 3]) -> impl Fn(u64) -> u64 {
    move |n| (a * (n * n) as i64 + b * n as i64 + c) as u64
}

/// The graph before suspension and determinisation: states and steps.
const RAW: [[i64; 3]; 2] = [[184, 314, 0], [592, 868, -6]];
/// The complete test graph, all that accepts being one state.
const GRAPH: [[i64; 3]; 2] = [[8, 8, 2], [21, 13, 0]];
/// The same with sets told apart by their entrances.
const BY_ENTRANCES: [[i64; 3]; 2] = [[8, 14, 3], [26, 20, 2]];

#[test]
fn sizes_grow_as_they_do_in_the_paper() {
    for n in 2..=7 {
        let scene = Scene::of(n);
        let generated = scene.by_equations();
        let at = |sizes: [[i64; 3]; 2]| sizes.map(|size| polynomial(size)(n));
        let (states, steps) = generated.raw.expect("a raw graph");
        assert_eq!([states as u64, steps as u64], at(RAW), "n = {n}");
        let graph = generated.graph.expect("a test").lts().clone();
        let size = [u64::from(graph.states()), graph.step_count() as u64];
        assert_eq!(size, at(GRAPH), "n = {n}");
        let graph = scene.direct().graph.expect("a test").lts().clone();
        assert_eq!(u64::from(graph.states()), at(GRAPH)[0], "n = {n}");
        let (states, steps) = scene.by_entrances();
        assert_eq!([states, steps], at(BY_ENTRANCES), "n = {n}");
    }
}

#[test]
fn the_largest_member_has_the_final_graph_of_the_paper() {
    let at = |sizes: [[i64; 3]; 2]| sizes.map(|size| polynomial(size)(256));
    // Exactly what the paper has after determinisation.
    assert_eq!(at(BY_ENTRANCES), [527_875, 1_709_058]);
    // Before that it has 224 states and 717 steps more than the product, which cannot be seen from outside.
    assert_eq!(at(RAW), [12_139_232 - 224, 39_020_231 - 717]);
}
