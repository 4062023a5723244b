//! Verdicts on random systems and formulas: every strategy says what the syntax of the formula means.
//!
//! The meaning is computed on sets of states straight from the syntax tree, without equations. Between it and the
//! strategies stand the equations of the formula, solved by iteration, and those of the product, solved to the letter:
//! when a verdict is wrong, the first of these that is wrong says where.

mod common;

use std::collections::HashMap;

use causet_base::budget::{Budget, Spent};
use causet_formula::modal::Modal;
use causet_lts::model::{Model, Options, check, matching, program};
use causet_lts::network::{self, Network};
use causet_lts::{Lts, aut};
use causet_solve::bes::product::Product;
use causet_solve::bes::program::Program;
use causet_solve::bes::system::System;
use causet_solve::bes::{Equations, Resolution, Shape, Strategy, global};
use causet_solve::numbered::Numbered;
use causet_solve::steps::{Edge, Steps};
use common::mu_common::{Graph, Set, solutions};
use common::{Question, graph, has, questions, satisfied, seeds, system};
use fastrand::Rng;

const STRATEGIES: [Strategy; 3] = [Strategy::Lean, Strategy::DepthFirst, Strategy::BreadthFirst];

/// What was tried, to see that it was worth trying.
#[derive(Default, Debug)]
struct Tally {
    systems: u64,
    verdicts: u64,
    /// Values compared at all states and all variables.
    values: u64,
    holds: u64,
    violated: u64,
    /// Formulas that every state, or no state, satisfies.
    everywhere: u64,
    blocks: HashMap<Shape, u64>,
    main_blocks: HashMap<Shape, u64>,
}

impl Tally {
    /// All kinds of blocks and both verdicts must have occurred often.
    fn expect_variety(&self) {
        println!("{self:?}");
        if std::env::var("CAUSET_SEED").is_ok() {
            return;
        }
        for shape in [
            Shape::Acyclic,
            Shape::Disjunctive,
            Shape::Conjunctive,
            Shape::General,
        ] {
            let count = |blocks: &HashMap<Shape, u64>| blocks.get(&shape).copied().unwrap_or(0);
            let (all, main) = (count(&self.blocks), count(&self.main_blocks));
            let asked = self.holds + self.violated;
            assert!(all > asked / 10 && main > asked / 20, "{shape:?}: {self:?}");
        }
        let fewest = self.holds.min(self.violated);
        assert!(3 * fewest > self.holds.max(self.violated), "{self:?}");
        assert!(
            3 * self.everywhere < 2 * (self.holds + self.violated),
            "{self:?}"
        );
    }
}

#[test]
fn strategies_say_what_formulas_mean() {
    common::on_two_cores(one_share);
}

fn one_share(share: u64) {
    let mut tally = Tally::default();
    for seed in seeds(share, 2) {
        let lts = system(seed);
        let graph = graph(&lts);
        tally.systems += 1;
        let model = Model::Stored(lts.clone());
        for question in questions(seed) {
            let place = format!("CAUSET_SEED={seed}: {}", question.text);
            let wanted = satisfied(&graph, &question.formula);
            count(&mut tally, &lts, wanted, &program(&question.modal));
            verdicts(&model, &question.modal, has(wanted, lts.initial()), &place);
            tally.verdicts += STRATEGIES.len() as u64;
            let explored = equations(&lts, &graph, &question, wanted, &place);
            tally.values += every_state(&|lts| lts, &lts, &question, wanted, &place);
            tally.values += every_variable(&explored, seed, &place);
        }
    }
    tally.expect_variety();
}

fn count(tally: &mut Tally, lts: &Lts, wanted: Set, program: &Program) {
    match has(wanted, lts.initial()) {
        true => tally.holds += 1,
        false => tally.violated += 1,
    }
    let all = (0..lts.states())
        .filter(|&state| has(wanted, state))
        .count() as u32;
    tally.everywhere += u64::from(all == 0 || all == lts.states());
    for block in program.blocks() {
        *tally.blocks.entry(block.shape).or_default() += 1;
    }
    let main = program.blocks()[program.block_of(program.main())];
    if program.constant(program.main()).is_none() {
        *tally.main_blocks.entry(main.shape).or_default() += 1;
    }
}

/// Every strategy gives the verdict.
fn verdicts(model: &Model, modal: &Modal, wanted: bool, place: &str) {
    let budget = Budget::endless();
    for strategy in STRATEGIES {
        let options = Options {
            strategy,
            most_claims: 0,
        };
        let checked = check(model, modal, options, &budget).expect("no limit");
        assert_eq!(checked.holds, wanted, "{strategy:?}: {place}");
    }
}

/// The equations of the formula mean the same, at every state; and so do those of the product, to the letter.
fn equations(lts: &Lts, graph: &Graph, question: &Question, wanted: Set, place: &str) -> System {
    let modal = &question.modal;
    let found = solutions(graph, modal)[modal.main];
    assert_eq!(found, wanted, "the equations of the formula: {place}");
    let (program, matching) = (program(modal), matching(modal, lts.labels()));
    let budget = Budget::endless();
    let product = Product::new(&program, &matching, lts, &budget);
    let explored = System::explore(product, &budget).expect("no limit");
    let value =
        global::solution(&explored, &budget).expect("no limit")[explored.main_variable() as usize];
    assert_eq!(value, has(wanted, lts.initial()), "the product: {place}");
    explored
}

/// One resolution per strategy, asked about the formula at every state, in any order.
fn every_state<'a, T: Steps>(
    steps: &dyn Fn(&'a Lts) -> T,
    lts: &'a Lts,
    question: &Question,
    wanted: Set,
    place: &str,
) -> u64 {
    let modal = &question.modal;
    let (program, matching) = (program(modal), matching(modal, lts.labels()));
    let budget = Budget::endless();
    let mut states: Vec<u32> = (0..lts.states()).collect();
    Rng::with_seed(u64::from(lts.states())).shuffle(&mut states);
    for strategy in STRATEGIES {
        let product = Product::new(&program, &matching, steps(lts), &budget);
        let mut resolution = Resolution::new(product, strategy, &budget);
        for &state in &states {
            let product = resolution.equations();
            let variable = product.variable(state, program.main()).expect("no limit");
            let variable = variable.expect("the main node has a variable");
            let value = resolution.value(variable).expect("no limit");
            let at = format!("{strategy:?}, state {state}: {place}");
            assert_eq!(value, has(wanted, state), "{at}");
        }
    }
    (STRATEGIES.len() * states.len()) as u64
}

/// After the verdict every variable of the product has the value that the definition gives it: what a strategy has
/// noted on the way is right too, or a diagnostic could not be built on it.
fn every_variable(explored: &System, seed: u64, place: &str) -> u64 {
    let budget = Budget::endless();
    let values = global::solution(explored, &Budget::endless()).expect("no limit");
    let mut order: Vec<u32> = (0..values.len() as u32).collect();
    Rng::with_seed(seed).shuffle(&mut order);
    for strategy in STRATEGIES {
        let mut resolution = Resolution::new(explored, strategy, &budget);
        let main = resolution.solve().expect("no limit");
        assert_eq!(
            main,
            values[explored.main_variable() as usize],
            "{strategy:?}: {place}"
        );
        for &variable in &order {
            let value = resolution.value(variable).expect("no limit");
            let right = values[variable as usize];
            assert_eq!(value, right, "{strategy:?}, variable {variable}: {place}");
        }
    }
    (STRATEGIES.len() * order.len()) as u64
}

/// A system that tells the solver that it has no cycles.
struct WithoutCycles<'a>(&'a Lts);

impl Steps for WithoutCycles<'_> {
    fn initial(&self) -> u32 {
        self.0.initial()
    }

    fn edges(&mut self, state: u32, _: &Budget<'_>) -> Result<&[Edge], Spent> {
        Ok(self.0.steps(state))
    }

    fn is_acyclic(&self) -> bool {
        true
    }
}

#[test]
fn a_system_without_cycles_needs_none_in_its_equations() {
    let (mut values, mut searched) = (0, 0_u32);
    for seed in seeds(3, 4) {
        let lts = forward(&system(seed));
        let graph = graph(&lts);
        for question in questions(seed) {
            let place = format!("CAUSET_SEED={seed}: {}", question.text);
            let wanted = satisfied(&graph, &question.formula);
            values += every_state(&WithoutCycles, &lts, &question, wanted, &place);
            let blocks = program(&question.modal);
            searched += u32::from(blocks.blocks()[0].shape != Shape::Acyclic);
        }
    }
    println!("{values} values on systems without cycles, {searched} of recursive formulas");
    assert!(searched > 1000 || std::env::var("CAUSET_SEED").is_ok());
}

/// The part of a system that never goes back to a state with a lower number.
fn forward(lts: &Lts) -> Lts {
    let steps = lts.transitions();
    let steps: Vec<_> = steps.filter(|(from, edge)| *from < edge.target).collect();
    Lts::from_steps(lts.states(), 0, &steps, lts.labels().clone())
}

#[test]
fn a_system_read_back_has_the_same_verdicts() {
    let mut verdicts_seen = 0_u32;
    for seed in seeds(0, 4) {
        let lts = system(seed);
        let graph = graph(&lts);
        let again = read_back(&lts);
        assert_eq!(again, lts, "CAUSET_SEED={seed}");
        let model = Model::Stored(again);
        for question in questions(seed) {
            let place = format!("CAUSET_SEED={seed}: {}", question.text);
            let wanted = satisfied(&graph, &question.formula);
            verdicts(&model, &question.modal, has(wanted, lts.initial()), &place);
            verdicts_seen += 3;
        }
    }
    println!("{verdicts_seen} verdicts on systems read back");
}

fn read_back(lts: &Lts) -> Lts {
    let mut text = Vec::new();
    let respelled = aut::write(lts, &mut text).expect("memory takes it");
    assert_eq!(respelled, []);
    let reading = aut::read(&mut text.as_slice(), 1, &Budget::endless());
    reading.expect("what was written can be read").lts
}

#[test]
fn a_network_has_the_verdicts_of_its_product() {
    let (mut verdicts_seen, mut states, mut largest) = (0_u32, 0, 0);
    for seed in seeds(1, 4) {
        let (components, text) = common::network(seed);
        let network = open(&components, &text);
        let product = read_back(&explored(&network));
        let graph = graph(&product);
        states += product.states();
        largest = largest.max(product.states());
        let (composed, stored) = (Model::Composed(network), Model::Stored(product));
        for question in questions(seed) {
            let place = format!("CAUSET_SEED={seed}: {text}: {}", question.text);
            let wanted = has(satisfied(&graph, &question.formula), 0);
            verdicts(&composed, &question.modal, wanted, &place);
            verdicts(&stored, &question.modal, wanted, &place);
            verdicts_seen += 6;
        }
    }
    println!("{verdicts_seen} verdicts on networks of {states} states, {largest} at most");
    assert!(largest > 30 || std::env::var("CAUSET_SEED").is_ok());
}

fn open(components: &[Lts], text: &str) -> Network {
    let mut fetch = |file: &str| {
        let number = file.strip_suffix(".aut").and_then(|n| n.parse().ok());
        let number: usize = number.ok_or("no number")?;
        Ok(components[number].clone())
    };
    network::read(text, None, &mut fetch).unwrap_or_else(|e| panic!("{text}: {e:?}"))
}

/// All that a network can reach, as a system.
fn explored(network: &Network) -> Lts {
    let budget = Budget::endless();
    let mut numbered = Numbered::new(network, &budget).expect("no limit");
    let mut steps = Vec::new();
    let mut state = 0;
    while (state as usize) < numbered.states() {
        let edges = numbered.edges(state, &budget).expect("no limit");
        steps.extend(edges.iter().map(|&edge| (state, edge)));
        state += 1;
    }
    let initial = Steps::initial(&numbered);
    Lts::from_steps(state, initial, &steps, network.labels().clone())
}

#[test]
fn the_main_variable_is_that_of_the_initial_state() {
    let lts = system(3);
    let question = common::ask("[true*] <true> true").expect("no alternation");
    let program = program(&question.modal);
    let matching = matching(&question.modal, lts.labels());
    let budget = Budget::endless();
    let mut product = Product::new(&program, &matching, &lts, &budget);
    let main = product.main().expect("no limit");
    assert_eq!(product.meaning(main), (lts.initial(), program.main()));
}
