//! Conformance, test graphs and test cases against the definitions, on random systems.
//!
//! `CAUSET_ROUNDS` sets how many systems there are, `CAUSET_SEED` repeats one.
#![allow(unreachable_pub, missing_docs, reason = "a test")]

mod coffee;
mod corners;
mod oracle;
mod systems;

use std::collections::BTreeSet;

use causet_base::budget::Budget;
use causet_flow::WorkerPool;
use causet_lts::Lts;
use causet_lts::compare::{Comparison, strong};
use causet_lts::conformance::cases::{Case, Cases};
use causet_lts::conformance::direct::{Generated, direct};
use causet_lts::conformance::enabled::refusal;
use causet_lts::conformance::execute::execute;
use causet_lts::conformance::graph::{Failures, TestGraph, Verdict};
use causet_lts::conformance::ioco::{Conformance, Party, ioco};
use causet_lts::conformance::lead::by_equations;
use causet_lts::conformance::product::Stored;
use causet_lts::conformance::purpose::{NotAPurpose, Purpose};
use causet_lts::conformance::roles::{Alphabet, Convention};
use causet_lts::conformance::structure::flaw;
use causet_lts::conformance::suspension::suspended;
use causet_lts::conformance::visible::Visible;
use causet_lts::conformance::workers::solve_together;
use causet_solve::bes::Strategy;
use causet_solve::keeper::Keeper;
use causet_solve::workers::Workers;
use fastrand::Rng;

use oracle::{Knows, Machine, Product};
use systems::{implementation, lts_of, machine_of, purpose, purpose_lts, seeds, specification};

/// Traces up to this length are compared one by one.
const LENGTH: usize = 4;

fn alphabet(lts: &Lts) -> Alphabet {
    Alphabet::new(lts.labels(), &Convention::Decorated).expect("decorated labels")
}

#[test]
fn suspension_and_what_a_tester_can_tell_apart_are_as_defined() {
    for seed in seeds(400) {
        let machine = specification(&mut Rng::with_seed(seed));
        let lts = lts_of(&machine);
        let alphabet = alphabet(&lts);
        let budget = Budget::endless();
        let found = machine_of(&suspended(&lts, &alphabet, &budget).expect("no limit"));
        let silent = |state: usize| !found.targets(state, "delta").is_empty();
        for state in 0..machine.states {
            assert_eq!(
                silent(state),
                machine.is_quiescent(state),
                "state {state}, seed {seed}"
            );
        }
        let mut steps = &lts;
        let mut visible = Visible::new(&mut steps, &alphabet);
        let start = visible.initial(&budget).expect("no limit");
        for trace in oracle::traces(&machine, LENGTH) {
            let mut set = machine.start();
            let mut at = start;
            for label in &trace {
                set = machine.after(&set, label);
                let number = alphabet.labels().find(label);
                let steps = visible.successors(at, &budget).expect("no limit");
                let step = steps.iter().find(|step| Some(step.label) == number);
                at = step
                    .unwrap_or_else(|| panic!("no {label} in {trace:?}, seed {seed}"))
                    .target;
            }
            let members: oracle::Set = visible
                .members(at)
                .iter()
                .map(|&state| state as usize)
                .collect();
            assert_eq!(members, set, "{trace:?}, seed {seed}");
            let steps = visible.successors(at, &budget).expect("no limit");
            let labels: BTreeSet<&str> = steps
                .iter()
                .map(|step| alphabet.labels().text(step.label))
                .collect();
            let expected = machine.visible();
            let expected = expected
                .iter()
                .filter(|label| !machine.after(&set, label).is_empty());
            assert_eq!(
                labels,
                expected.map(String::as_str).collect(),
                "{trace:?}, seed {seed}"
            );
        }
    }
}

#[test]
fn conformance_is_as_defined_and_differences_are_shortest() {
    let (mut conform, mut differ) = (0, 0);
    for seed in seeds(1000) {
        let mut rng = Rng::with_seed(seed);
        let wanted = specification(&mut rng);
        let made = implementation(&mut rng, &wanted);
        let expected = oracle::shortest_difference(&made, &wanted, 8);
        match conforms(&made, &wanted) {
            Conformance::Conforms(_) => {
                conform += 1;
                assert_eq!(expected, None, "seed {seed}");
            }
            Conformance::Differs(difference) => {
                differ += 1;
                let length = difference.trace.len();
                assert_eq!(
                    expected,
                    Some(length).filter(|&length| length <= 8),
                    "seed {seed}"
                );
                assert!(wanted.has_trace(&difference.trace), "seed {seed}");
                let walk = |machine: &Machine| {
                    let after = |set: oracle::Set, label: &String| machine.after(&set, label);
                    machine.out(&difference.trace.iter().fold(machine.start(), after))
                };
                assert_eq!(difference.implementation, walk(&made), "seed {seed}");
                assert_eq!(difference.specification, walk(&wanted), "seed {seed}");
            }
        }
        let lts = lts_of(&made);
        assert_eq!(
            refusal(&lts, &alphabet(&lts), &Budget::endless()),
            Ok(None),
            "seed {seed}"
        );
    }
    println!("{conform} implementations conform, {differ} do not");
    assert!(seeds(1000).count() < 100 || (conform > 20 && differ > 20));
}

fn conforms(implementation: &Machine, specification: &Machine) -> Conformance {
    let (made, wanted) = (lts_of(implementation), lts_of(specification));
    let (of_made, of_wanted) = (alphabet(&made), alphabet(&wanted));
    let made = Party {
        lts: &made,
        alphabet: &of_made,
    };
    let wanted = Party {
        lts: &wanted,
        alphabet: &of_wanted,
    };
    ioco(made, wanted, &Budget::endless()).expect("no limit, and a difference that stands")
}

/// A specification with a purpose that fits it.
struct Scene {
    seed: u64,
    rng: Rng,
    specification: Machine,
    purpose: oracle::Purpose,
    lts: Lts,
    alphabet: Alphabet,
    compiled: Purpose,
}

impl Scene {
    /// The scene of a seed, unless its purpose is not deterministic, which both sides must find.
    fn of(seed: u64) -> Option<Scene> {
        let mut rng = Rng::with_seed(seed);
        let (specification, purpose) = (specification(&mut rng), purpose(&mut rng));
        let lts = lts_of(&specification);
        let compiled = Purpose::new(&purpose_lts(&purpose), lts.labels(), &Budget::endless());
        if !purpose.is_deterministic(&specification.labels()) {
            assert!(
                matches!(compiled, Err(NotAPurpose::Unfit(_))),
                "seed {seed}"
            );
            return None;
        }
        Some(Scene {
            alphabet: alphabet(&lts),
            compiled: compiled.unwrap_or_else(|error| panic!("{error:?}, seed {seed}")),
            seed,
            rng,
            specification,
            purpose,
            lts,
        })
    }

    /// The graph by workers that have states by their hash, or as they are dealt out.
    fn by_workers(&self, workers: usize) -> Generated {
        let (specification, budget) = (Stored(&self.lts), Budget::endless());
        let pool = WorkerPool::of_threads(workers);
        let keeper = match self.seed % 2 {
            0 => Keeper::by_hash(workers),
            _ => specification.keeper(workers, Some(0)),
        };
        let (alphabet, purpose) = (&self.alphabet, &self.compiled);
        let help = (&pool as &dyn Workers, keeper);
        let found = solve_together(&specification, alphabet, purpose, help, &budget);
        let found = found.unwrap_or_else(|error| panic!("{error:?}, seed {}", self.seed));
        let failures = Failures::Explicit;
        let graph = found.graph(&specification, alphabet, purpose, failures, &budget);
        graph.expect("no limit")
    }

    fn direct(&self) -> Generated {
        self.direct_with(Failures::Explicit)
    }

    fn direct_with(&self, failures: Failures) -> Generated {
        let (specification, budget) = (Stored(&self.lts), Budget::endless());
        let made = direct(
            &specification,
            &self.alphabet,
            &self.compiled,
            failures,
            &budget,
        );
        made.expect("no limit")
    }

    fn by_equations(&self, strategy: Strategy) -> Generated {
        let (specification, budget) = (Stored(&self.lts), Budget::endless());
        let how = (strategy, Failures::Explicit);
        let made = by_equations(&specification, &self.alphabet, &self.compiled, how, &budget);
        made.expect("no limit")
    }
}

#[test]
fn graphs_say_after_every_trace_what_the_definitions_say() {
    let (mut graphs, mut none, mut verdicts) = (0, 0, BTreeSet::new());
    for scene in seeds(600).filter_map(Scene::of) {
        let seed = scene.seed;
        let product = Product::new(&scene.specification, &scene.purpose);
        let made = scene.direct().graph;
        assert_eq!(
            made.is_some(),
            product.leads(&product.machine.start()),
            "seed {seed}"
        );
        let Some(made) = made else {
            none += 1;
            continue;
        };
        graphs += 1;
        assert_eq!(flaw(&made, false), None, "seed {seed}");
        let graph = machine_of(&made.to_lts());
        let labels = scene.specification.visible();
        let mut traces: Vec<Vec<String>> = vec![Vec::new()];
        let mut next = 0;
        while next < traces.len() {
            let trace = traces[next].clone();
            next += 1;
            let knows = product.verdict(&trace);
            assert_eq!(
                oracle::graph_says(&graph, &trace),
                knows,
                "{trace:?}, seed {seed}"
            );
            if let Knows::Verdict(word) = knows {
                verdicts.insert(word);
            }
            if knows == Knows::GoesOn && trace.len() < LENGTH {
                traces.extend(labels.iter().map(|label| {
                    let mut longer = trace.clone();
                    longer.push(label.clone());
                    longer
                }));
            }
        }
    }
    println!("{graphs} graphs, {none} purposes without one");
    assert!(seeds(600).count() < 100 || (graphs > 50 && none > 20 && verdicts.len() == 3));
}

#[test]
fn equations_give_bisimilar_graphs() {
    let mut smaller = 0;
    for scene in seeds(1500).filter_map(Scene::of) {
        let one = scene.direct();
        for strategy in [Strategy::Lean, Strategy::DepthFirst, Strategy::BreadthFirst] {
            let other = scene.by_equations(strategy);
            smaller += u32::from(other.visible.0 < one.visible.0);
            match (&one.graph, &other.graph) {
                (Some(one), Some(other)) => {
                    let compared = strong(&one.to_lts(), &other.to_lts(), &Budget::endless());
                    assert_eq!(compared, Ok(Comparison::Equal), "seed {}", scene.seed);
                }
                (one, other) => assert_eq!(one.is_some(), other.is_some(), "seed {}", scene.seed),
            }
        }
    }
    println!("fewer sets were looked at {smaller} times");
}

#[test]
fn workers_give_the_same_raw_graph_and_a_bisimilar_one() {
    for scene in seeds(250).filter_map(Scene::of) {
        let one = scene.by_equations(Strategy::Lean);
        for workers in [1, 3] {
            let other = scene.by_workers(workers);
            assert_eq!(one.raw, other.raw, "seed {}", scene.seed);
            assert_eq!(one.visible, other.visible, "seed {}", scene.seed);
            match (&one.graph, &other.graph) {
                (Some(one), Some(other)) => {
                    let compared = strong(&one.to_lts(), &other.to_lts(), &Budget::endless());
                    assert_eq!(compared, Ok(Comparison::Equal), "seed {}", scene.seed);
                }
                (one, other) => assert_eq!(one.is_some(), other.is_some(), "seed {}", scene.seed),
            }
        }
    }
}

/// The cases of a graph: the shortest, those that cover it, and some at random.
fn cases_of(graph: &TestGraph, rng: &mut Rng) -> Vec<Case> {
    let (cases, budget) = (Cases::new(graph), Budget::endless());
    let mut all = vec![cases.shortest(&budget).expect("no limit")];
    all.extend(covering(&cases));
    all.extend((0..4).map(|_| cases.random(rng, &budget).expect("no limit")));
    all
}

fn covering(cases: &Cases<'_>) -> Vec<Case> {
    let budget = Budget::endless();
    let mut covering = cases.covering();
    std::iter::from_fn(|| covering.next_case(&budget).expect("no limit")).collect()
}

#[test]
fn cases_are_controllable_and_cover_the_graph() {
    let mut count = 0;
    for mut scene in seeds(600).filter_map(Scene::of) {
        let seed = scene.seed;
        let Some(graph) = scene.direct().graph else {
            continue;
        };
        for case in cases_of(&graph, &mut scene.rng) {
            assert_eq!(flaw(&case.graph, true), None, "seed {seed}");
            let again =
                TestGraph::from_lts(&case.graph.to_lts(), &scene.alphabet, Failures::Explicit);
            assert_eq!(again.as_ref(), Ok(&case.graph), "seed {seed}");
            count += 1;
        }
        let cases = Cases::new(&graph);
        let budget = Budget::endless();
        let some = [
            cases.shortest(&budget),
            cases.random(&mut scene.rng, &budget),
        ];
        for case in some.into_iter().flatten() {
            assert!(case.graph.count(Verdict::Pass) > 0, "seed {seed}");
        }
        let mut shown = BTreeSet::new();
        for case in covering(&cases) {
            for (from, step) in case.graph.lts().transitions() {
                let (from, to) = (
                    case.origin[from as usize],
                    case.origin[step.target as usize],
                );
                shown.insert((from, step.label, to));
            }
        }
        let steps = graph.lts().transitions();
        let all: BTreeSet<(u32, u32, u32)> = steps
            .map(|(from, step)| (from, step.label, step.target))
            .collect();
        assert_eq!(shown, all, "seed {seed}");
    }
    println!("{count} cases");
}

#[test]
fn no_case_fails_an_implementation_that_conforms() {
    let mut runs = 0;
    for mut scene in seeds(400).filter_map(Scene::of) {
        let seed = scene.seed;
        let Some(graph) = scene.direct().graph else {
            continue;
        };
        let cases = cases_of(&graph, &mut scene.rng);
        for _ in 0..6 {
            let made = implementation(&mut scene.rng, &scene.specification);
            let is_right = matches!(
                conforms(&made, &scene.specification),
                Conformance::Conforms(_)
            );
            for case in &cases {
                let verdicts = run(&case.graph, &made, seed);
                if is_right {
                    runs += 1;
                    assert!(
                        !verdicts.contains("FAIL"),
                        "seed {seed}: {made:?}\n{:?}",
                        case.graph
                    );
                }
            }
        }
    }
    println!("{runs} runs against implementations that conform");
    assert!(seeds(400).count() < 100 || runs > 100);
}

/// The verdicts of a test by the definitions, which must be those of the library.
fn run(test: &TestGraph, implementation: &Machine, seed: u64) -> BTreeSet<String> {
    let lts = lts_of(implementation);
    let alphabet = alphabet(&lts);
    let party = Party {
        lts: &lts,
        alphabet: &alphabet,
    };
    let found = execute(test, party, &Budget::endless()).expect("no limit");
    let expected = oracle::verdicts(&machine_of(&test.to_lts()), implementation);
    let found: BTreeSet<String> = found
        .verdicts
        .iter()
        .map(|verdict| verdict.word().to_owned())
        .collect();
    assert_eq!(found, expected, "seed {seed}");
    found
}

#[test]
fn whatever_differs_within_the_purpose_is_found_by_some_case() {
    let (mut found, mut beyond) = (0, 0);
    for mut scene in seeds(400).filter_map(Scene::of) {
        let seed = scene.seed;
        let Some(graph) = scene.direct().graph else {
            continue;
        };
        let product = Product::new(&scene.specification, &scene.purpose);
        let cases = Cases::new(&graph);
        for _ in 0..6 {
            let made = implementation(&mut scene.rng, &scene.specification);
            let known = scene.specification.visible();
            if !made
                .visible()
                .iter()
                .all(|label| known.contains(label) || label.starts_with('?'))
            {
                continue;
            }
            let fails = |trace: &&Vec<String>| product.verdict(trace) == Knows::Verdict("FAIL");
            let traces = oracle::traces(&made, LENGTH);
            let mut differing = traces.iter().filter(fails).peekable();
            let by_graph = run(&graph, &made, seed).contains("FAIL");
            assert!(by_graph || differing.peek().is_none(), "seed {seed}");
            for trace in differing {
                let labels = trace
                    .iter()
                    .map(|label| scene.alphabet.labels().find(label));
                let way: Vec<u32> = labels
                    .map(|label| label.expect("a label of the specification"))
                    .collect();
                let case = cases.along(&way, &Budget::endless()).expect("no limit");
                assert_eq!(flaw(&case.graph, true), None, "seed {seed}");
                assert!(
                    run(&case.graph, &made, seed).contains("FAIL"),
                    "{trace:?}, seed {seed}"
                );
                found += 1;
            }
            match conforms(&made, &scene.specification) {
                Conformance::Conforms(_) => assert!(!by_graph, "seed {seed}"),
                Conformance::Differs(_) => beyond += u32::from(!by_graph),
            }
        }
    }
    println!("{found} differences found, {beyond} implementations differ only beyond the purpose");
    assert!(seeds(400).count() < 100 || (found > 50 && beyond > 5));
}

#[test]
fn failures_without_steps_say_the_same() {
    let mut fewer = 0;
    for mut scene in seeds(300).filter_map(Scene::of) {
        let seed = scene.seed;
        let Some(explicit) = scene.direct().graph else {
            continue;
        };
        let implicit = scene
            .direct_with(Failures::Implicit)
            .graph
            .expect("a graph");
        assert_eq!(flaw(&implicit, false), None, "seed {seed}");
        assert_eq!(implicit.count(Verdict::Fail), 0, "seed {seed}");
        fewer += explicit.lts().step_count() - implicit.lts().step_count();
        let made = implementation(&mut scene.rng, &scene.specification);
        let lts = lts_of(&made);
        let alphabet = alphabet(&lts);
        let party = Party {
            lts: &lts,
            alphabet: &alphabet,
        };
        let [one, other] =
            [&explicit, &implicit].map(|graph| execute(graph, party, &Budget::endless()));
        let [one, other] = [one, other].map(|found| found.expect("no limit").verdicts);
        // A state that only sends does not wait for failures, unless a step says so.
        assert!(other.is_subset(&one), "seed {seed}");
        let waits = |state: u32| {
            implicit
                .lts()
                .steps(state)
                .iter()
                .any(|step| !implicit.sends(step.label))
        };
        let open = (0..implicit.lts().states()).filter(|&state| implicit.verdict(state).is_none());
        if open.into_iter().all(waits) {
            assert_eq!(one, other, "seed {seed}");
        }
    }
    assert!(fewer > 0);
}
