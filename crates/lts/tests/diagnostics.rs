//! Diagnostics of every verdict: part of the system, no larger than it, of the shape they claim, and enough by themselves;
//! and claims that are spoilt on purpose, none of which is believed.

mod common;

use std::collections::{HashMap, HashSet};

use causet_base::budget::Budget;
use causet_formula::modal::Modal;
use causet_lts::certify::{Claim, Flaw, certify};
use causet_lts::counterexample::{Counterexample, Shape};
use causet_lts::model::{Model, Options, check, matching, program};
use causet_lts::{Lts, aut, network};
use causet_solve::bes::product::Product;
use causet_solve::bes::support::{self, Reason, Support};
use causet_solve::bes::{Resolution, Strategy};
use causet_solve::space::Space;
use common::evidence::{distances, is_of_its_shape, is_part_of};
use common::mu_common::{Graph, solutions};
use common::{Question, ask, graph, has, questions, satisfied, seeds, system};
use fastrand::Rng;

const STRATEGIES: [Strategy; 3] = [Strategy::Lean, Strategy::DepthFirst, Strategy::BreadthFirst];

fn is_whole_run() -> bool {
    std::env::var("CAUSET_SEED").is_err()
}

fn diagnosed(
    model: &Model,
    modal: &Modal,
    strategy: Strategy,
    place: &str,
) -> (bool, Counterexample) {
    let options = Options {
        strategy,
        most_claims: usize::MAX,
    };
    let checked = check(model, modal, options, &Budget::endless());
    let checked = checked.unwrap_or_else(|e| panic!("{strategy:?}: {place}: {e:?}"));
    let diagnostic = checked.diagnostic;
    (
        checked.holds,
        diagnostic.unwrap_or_else(|| panic!("no diagnostic: {place}")),
    )
}

/// How many diagnostics had each shape, and how many steps.
#[derive(Default, Debug)]
struct Tally {
    shapes: HashMap<&'static str, u32>,
    /// Diagnostics with no step, 1, 2-3, 4-7, 8-15, ... steps.
    sizes: [u32; 12],
    /// Steps of all diagnostics, and of the reachable systems they belong to.
    steps: usize,
    reachable: usize,
}

impl Tally {
    fn note(&mut self, diagnostic: &Counterexample, reachable: usize) {
        let steps = diagnostic.steps.len();
        *self.shapes.entry(diagnostic.shape.word()).or_default() += 1;
        self.sizes[(usize::BITS - steps.leading_zeros()) as usize] += 1;
        self.steps += steps;
        self.reachable += reachable;
    }

    fn expect_variety(&self) {
        println!("{self:?}");
        let all: u32 = self.shapes.values().sum();
        for word in ["path", "lasso", "tree", "graph"] {
            let count = self.shapes.get(word).copied().unwrap_or(0);
            assert!(count > all / 100 || !is_whole_run(), "{word}: {self:?}");
        }
    }
}

#[test]
fn a_diagnostic_is_enough_by_itself() {
    common::on_two_cores(one_share);
}

fn one_share(share: u64) {
    let mut tally = Tally::default();
    for seed in seeds(share, 2) {
        let lts = system(seed);
        let whole = graph(&lts);
        let reachable = distances(&lts);
        let model = Model::Stored(lts.clone());
        for question in questions(seed) {
            let place = format!("CAUSET_SEED={seed}: {}", question.text);
            let wanted = has(satisfied(&whole, &question.formula), lts.initial());
            for strategy in STRATEGIES {
                let (holds, diagnostic) = diagnosed(&model, &question.modal, strategy, &place);
                assert_eq!(holds, wanted, "{strategy:?}: {place}");
                is_part_of(&diagnostic, &lts, &reachable, &place);
                is_of_its_shape(&diagnostic, &place);
                let part = graph(&diagnostic.to_lts(lts.labels()));
                let again = has(satisfied(&part, &question.formula), 0);
                assert_eq!(again, holds, "{strategy:?}: {place}\n{diagnostic:?}");
                tally.note(&diagnostic, reachable_steps(&lts, &reachable));
            }
        }
    }
    tally.expect_variety();
}

/// How many different steps can be taken.
fn reachable_steps(lts: &Lts, reachable: &HashMap<u32, usize>) -> usize {
    let steps = lts.transitions();
    let steps = steps.filter(|(from, _)| reachable.contains_key(from));
    steps.collect::<HashSet<_>>().len()
}

#[test]
fn a_way_to_a_place_is_a_shortest_one() {
    let mut lengths = [0_u32; 16];
    for seed in seeds(0, 1) {
        let lts = system(seed);
        let reachable = distances(&lts);
        let model = Model::Stored(lts.clone());
        // The least number of steps after which some state has what is looked for.
        let nearest = |wanted: &dyn Fn(u32) -> bool| {
            let found = reachable.iter().filter(|(state, _)| wanted(**state));
            found.map(|(_, &distance)| distance).min()
        };
        let labels = lts.labels();
        let does = |state: u32, text: &str| {
            let mut steps = lts.steps(state).iter();
            steps.any(|edge| labels.text(edge.label) == text)
        };
        let step = |text: &str| nearest(&|state| does(state, text)).map(|before| before + 1);
        let stuck = nearest(&|state| lts.steps(state).is_empty());
        let silent = nearest(&|state| !does(state, "i"));
        let cases = [
            ("<true* . a> true", true, step("a")),
            ("[true* . b] false", false, step("b")),
            ("mu X. <c> true or <true> X", true, step("c")),
            ("not (<true* . a> true)", false, step("a")),
            ("[true*] <true> true", false, stuck),
            ("<true*> [true] false", true, stuck),
            ("nu X. <i> true and [true] X", false, silent),
        ];
        for (text, verdict, length) in cases {
            let modal = ask(text).expect("no alternation").modal;
            for strategy in STRATEGIES {
                let place = format!("CAUSET_SEED={seed}: {strategy:?}: {text}");
                let (holds, diagnostic) = diagnosed(&model, &modal, strategy, &place);
                assert_eq!(holds == verdict, length.is_some(), "{place}");
                if let Some(length) = length {
                    assert!(
                        matches!(diagnostic.shape, Shape::Path | Shape::Lasso),
                        "{place}"
                    );
                    assert_eq!(diagnostic.steps.len(), length, "{place}\n{diagnostic:?}");
                    lengths[length.min(15)] += 1;
                }
            }
        }
    }
    println!("shortest ways by their lengths: {lengths:?}");
    let long: u32 = lengths[4..].iter().sum();
    assert!(long > 100 || !is_whole_run(), "{lengths:?}");
}

/// What holds at the state itself needs no step, though a step would come back to it.
#[test]
fn no_step_is_taken_that_is_not_needed() {
    let text = "des (0,3,2)\n(0,a,0)\n(0,b,1)\n(0,b,0)\n";
    let lts = aut::read(&mut text.as_bytes(), 1, &Budget::endless());
    let model = Model::Stored(lts.expect("a system").lts);
    for (text, holds) in [("<a?> <b> true", true), ("[a?] [b] false", false)] {
        let modal = ask(text).expect("no alternation").modal;
        for strategy in STRATEGIES {
            let (found, diagnostic) = diagnosed(&model, &modal, strategy, text);
            assert_eq!(
                (found, diagnostic.steps.len()),
                (holds, 1),
                "{diagnostic:?}"
            );
            assert_eq!(model.labels().text(diagnostic.steps[0].label), "b");
        }
    }
}

#[test]
fn a_diagnostic_of_a_network_names_states_of_its_components() {
    let mut tally = Tally::default();
    for seed in seeds(2, 4) {
        let (components, text) = common::network(seed);
        let mut fetch = |file: &str| {
            let number: usize = file[..1].parse().map_err(|_| "no number")?;
            Ok(components[number].clone())
        };
        let network = network::read(&text, None, &mut fetch).expect("a network");
        let model = Model::Composed(network);
        let Model::Composed(network) = &model else {
            return;
        };
        for (number, question) in questions(seed).iter().enumerate() {
            let place = format!("CAUSET_SEED={seed}: {text}: {}", question.text);
            let strategy = STRATEGIES[number % 3];
            let (holds, diagnostic) = diagnosed(&model, &question.modal, strategy, &place);
            is_of_its_shape(&diagnostic, &place);
            assert_eq!(diagnostic.rows.len(), diagnostic.states.len());
            let mut initial = vec![0; network.width()];
            network.initial(&mut initial);
            assert_eq!(diagnostic.rows[0], initial, "{place}");
            for step in &diagnostic.steps {
                let mut found = false;
                network.successors(&diagnostic.rows[step.from], &mut |label, row| {
                    found |= label == step.label && row == diagnostic.rows[step.to];
                });
                assert!(found, "{step:?}: {place}");
            }
            let part = graph(&diagnostic.to_lts(network.labels()));
            assert_eq!(
                has(satisfied(&part, &question.formula), 0),
                holds,
                "{place}"
            );
            tally.note(&diagnostic, 0);
        }
    }
    println!("{tally:?}");
    assert!(tally.shapes.len() == 4 || !is_whole_run(), "{tally:?}");
}

/// A verdict with its support and with what the certificate is made of.
struct Trial<'a> {
    lts: &'a Lts,
    modal: &'a Modal,
    /// For each equation the states that satisfy it, by iteration.
    truth: Vec<u64>,
    holds: bool,
    claims: Vec<Claim>,
}

impl Trial<'_> {
    fn hear(&self, holds: bool, claims: &[Claim]) -> Result<(), Flaw> {
        let (lts, modal) = (self.lts, self.modal);
        let edges = |state| Ok(lts.steps(state).to_vec());
        let heard = certify(modal, lts.labels(), lts.initial(), holds, claims, edges);
        heard.expect("no limit")
    }

    fn is_true(&self, claim: &Claim) -> bool {
        has(self.truth[claim.equation], claim.state) == claim.value
    }

    fn all(&self, values: &[u64]) -> Vec<Claim> {
        let states = 0..self.lts.states();
        let claims = states.flat_map(|state| {
            values
                .iter()
                .enumerate()
                .map(move |(equation, &set)| Claim {
                    state,
                    equation,
                    value: has(set, state),
                })
        });
        claims.collect()
    }
}

/// The support of a verdict, looked at by its own check too, and the claims it makes.
fn trial<'a>(lts: &'a Lts, whole: &Graph, question: &'a Question, place: &str) -> Trial<'a> {
    let modal = &question.modal;
    let (program, matching) = (program(modal), matching(modal, lts.labels()));
    let budget = Budget::endless();
    let product = Product::new(&program, &matching, lts, &budget);
    let mut resolution = Resolution::new(product, Strategy::Lean, &budget);
    let holds = resolution.solve().expect("no limit");
    let main = resolution
        .equations()
        .plain_variable(lts.initial(), program.main());
    let main = main.expect("few variables");
    let found = support::support(&mut resolution, main, usize::MAX, &budget);
    let found = found.expect("no limit").expect("as large as it likes");
    let verdict = support::check(&mut resolution, &found).expect("no limit");
    assert_eq!(verdict, Ok(()), "{place}");
    let claims = found.reasons.iter().map(|reason| {
        let (state, node) = resolution.equations().plain_meaning(reason.variable);
        Claim {
            state,
            equation: program.origin(node),
            value: reason.value,
        }
    });
    let claims: Vec<Claim> = claims.collect();
    spoil_support(&mut resolution, &found, place);
    Trial {
        lts,
        modal,
        truth: solutions(whole, modal),
        holds,
        claims,
    }
}

/// A reason that is taken away, turned around or made to need itself is noticed.
fn spoil_support<T: support::Evidence>(evidence: &mut T, found: &Support, place: &str) {
    let mut hear =
        |reasons: Vec<Reason>| support::check(evidence, &Support { reasons }).expect("no limit");
    for (number, reason) in found.reasons.iter().enumerate().take(4) {
        let mut turned = found.reasons.clone();
        turned[number].value = !reason.value;
        // Alone it may stand: what depends on nothing is true as a conjunction and false as a disjunction.
        assert!(hear(turned).is_err(), "turned {number}: {place}");
        let mut missing = found.reasons.clone();
        missing.remove(number);
        assert!(
            number == 0 || hear(missing).is_err(),
            "without {number}: {place}"
        );
        if let Some(&first) = reason.because.first() {
            let mut weak = found.reasons.clone();
            weak[number].because.retain(|&operand| operand != first);
            assert!(hear(weak).is_err(), "weakened {number}: {place}");
        }
    }
}

/// How spoilt claims fared.
#[derive(Default, Debug)]
struct Fates {
    certified: u32,
    claims: usize,
    lies_refused: u32,
    drops_refused: u32,
    drops_harmless: u32,
    circles_refused: u32,
    random_lies_refused: u32,
}

#[test]
fn no_lie_is_believed() {
    let mut fates = Fates::default();
    for seed in seeds(0, 2) {
        let lts = system(seed);
        let whole = graph(&lts);
        let mut rng = Rng::with_seed(seed);
        for question in questions(seed) {
            let place = format!("CAUSET_SEED={seed}: {}", question.text);
            let trial = trial(&lts, &whole, &question, &place);
            honest(&trial, &mut fates, &place);
            lies(&trial, &mut rng, &mut fates, &place);
            drops(&trial, &mut rng, &mut fates, &place);
            circles(&trial, &mut fates, &place);
        }
    }
    println!("{fates:?}");
    if is_whole_run() {
        assert!(fates.circles_refused > 300, "{fates:?}");
        // What is claimed of a part of a formula at the same state can be worked out without the claim.
        assert!(5 * fates.drops_refused > fates.drops_harmless, "{fates:?}");
    }
}

/// The claims of the diagnostic are true and believed, for this verdict and not for the other; so is the whole truth.
fn honest(trial: &Trial<'_>, fates: &mut Fates, place: &str) {
    assert!(
        trial.claims.iter().all(|claim| trial.is_true(claim)),
        "{place}"
    );
    assert_eq!(trial.hear(trial.holds, &trial.claims), Ok(()), "{place}");
    let other = trial.hear(!trial.holds, &trial.claims);
    assert_eq!(other, Err(Flaw::BesideThePoint), "{place}");
    let everything = trial.all(&trial.truth);
    assert_eq!(trial.hear(trial.holds, &everything), Ok(()), "{place}");
    fates.certified += 2;
    fates.claims += trial.claims.len();
}

/// One claim turned around; all of them, with the verdict; and a lie among the whole truth.
fn lies(trial: &Trial<'_>, rng: &mut Rng, fates: &mut Fates, place: &str) {
    let turned = |claim: &Claim| Claim {
        value: !claim.value,
        ..*claim
    };
    let mut claims = trial.claims.clone();
    let at = rng.usize(..claims.len());
    claims[at] = turned(&claims[at]);
    assert!(
        trial.hear(trial.holds, &claims).is_err(),
        "claim {at}: {place}"
    );
    let both = [trial.claims.as_slice(), &[turned(&trial.claims[at])]].concat();
    let contradicted = trial.hear(trial.holds, &both);
    assert!(
        matches!(contradicted, Err(Flaw::Contradiction(_))),
        "{place}"
    );
    let all: Vec<Claim> = trial.claims.iter().map(turned).collect();
    assert!(trial.hear(!trial.holds, &all).is_err(), "{place}");
    fates.lies_refused += 3;
    let mut claims = trial.all(&trial.truth);
    let at = rng.usize(..claims.len());
    claims[at] = turned(&claims[at]);
    rng.shuffle(&mut claims);
    assert!(trial.hear(trial.holds, &claims).is_err(), "{place}");
    fates.random_lies_refused += 1;
}

/// One claim left out: the others may do, because they still are true; nothing may make the other verdict of them.
fn drops(trial: &Trial<'_>, rng: &mut Rng, fates: &mut Fates, place: &str) {
    let mut claims = trial.claims.clone();
    claims.remove(rng.usize(..claims.len()));
    assert!(trial.hear(!trial.holds, &claims).is_err(), "{place}");
    match trial.hear(trial.holds, &claims) {
        Ok(()) => fates.drops_harmless += 1,
        Err(_) => fates.drops_refused += 1,
    }
}

/// Claims that all follow from each other and go in a circle: the solution with least and greatest exchanged.
fn circles(trial: &Trial<'_>, fates: &mut Fates, place: &str) {
    let mut exchanged = trial.modal.clone();
    for equation in &mut exchanged.equations {
        equation.sign = equation.sign.dual();
    }
    let values = solutions(&graph(trial.lts), &exchanged);
    if values == trial.truth {
        return;
    }
    let holds = has(values[trial.modal.main], trial.lts.initial());
    let heard = trial.hear(holds, &trial.all(&values));
    assert!(
        matches!(heard, Err(Flaw::Unfounded(_))),
        "{heard:?}: {place}"
    );
    fates.circles_refused += 1;
}
