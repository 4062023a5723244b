//! The systems and formulas that model checking is tried on, and what they mean by the syntax alone.
//!
//! A seed gives one system and its questions; whoever asks another checker the same includes this file.
#![allow(
    dead_code,
    unreachable_pub,
    missing_docs,
    reason = "each test file uses a part of it"
)]

#[path = "../../../formula/tests/mu_common/mod.rs"]
pub mod mu_common;

pub mod evidence;

use causet_formula::modal::Modal;
use causet_formula::mu::{self, Formula};
use causet_lts::random::random_lts;
use causet_lts::{Labels, Lts};
use causet_solve::steps::Edge;
use fastrand::Rng;
use mu_common::{Graph, LABELS, Set, meaning, random_label, random_path, random_state};

/// How many systems there are, and how many questions about each.
pub const SYSTEMS: u64 = 500;
pub const QUESTIONS: usize = 30;

/// A formula as text, as syntax and as equations.
pub struct Question {
    pub text: String,
    pub formula: Formula,
    pub modal: Modal,
}

/// The seeds of a share of the systems, or the one that `CAUSET_SEED` names.
pub fn seeds(share: u64, shares: u64) -> impl Iterator<Item = u64> {
    let fixed: Option<u64> = std::env::var("CAUSET_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok());
    let all = fixed.map_or(0..SYSTEMS, |seed| seed..seed + 1);
    all.filter(move |seed| fixed.is_some() || seed % shares == share)
}

/// Does two shares of some work side by side.
pub fn on_two_cores(share: fn(u64)) {
    std::thread::scope(|scope| {
        scope.spawn(|| share(1));
        share(0);
    });
}

/// The system of a seed: 1 to 40 states, sparse or dense, often with internal cycles, sometimes without deadlocks.
pub fn system(seed: u64) -> Lts {
    let mut rng = Rng::with_seed(seed);
    let states = match rng.u8(..4) {
        0 => rng.u32(1..=5),
        1 => rng.u32(1..=15),
        _ => rng.u32(10..=40),
    };
    let density = [0.6, 1.0, 1.4, 2.0, 3.0, 6.0][rng.usize(..6)];
    let some = &LABELS[..rng.usize(1..=LABELS.len())];
    let lts = random_lts(&mut rng, states, some, density);
    let mut steps: Vec<(u32, &str, u32)> = Vec::new();
    for (from, edge) in lts.transitions() {
        steps.push((from, lts.labels().text(edge.label), edge.target));
    }
    for _ in 0..rng.u32(..4) {
        let (one, other) = (rng.u32(..states), rng.u32(..states));
        steps.extend([(one, "i", other), (other, "i", one)]);
    }
    if rng.u8(..4) == 0 {
        let ring = |from: u32| (from, LABELS[rng.usize(..3)], (from + 1) % states);
        steps.extend((0..states).map(ring));
    }
    steps.sort_by_key(|&(from, ..)| from);
    labelled(states, lts.initial(), &steps)
}

/// A system whose labels are numbered as they first occur.
fn labelled(states: u32, initial: u32, steps: &[(u32, &str, u32)]) -> Lts {
    let mut labels = Labels::default();
    let steps: Vec<(u32, Edge)> = steps
        .iter()
        .map(|&(from, text, target)| {
            let label = labels.number(text);
            (from, Edge { label, target })
        })
        .collect();
    Lts::from_steps(states, initial, &steps, labels)
}

/// The questions about the system of a seed; most of them divide its states.
pub fn questions(seed: u64) -> Vec<Question> {
    let graph = graph(&system(seed));
    let mut rng = Rng::with_seed(seed ^ 0x5eed_0000);
    let mut questions = Vec::with_capacity(QUESTIONS);
    while questions.len() < QUESTIONS {
        let text = random_text(&mut rng);
        // Expressions take long to compile, and are the business of the formula.
        let has_expressions = text.contains(['\'', '{', ',']);
        if has_expressions && rng.u8(..10) > 0 {
            continue;
        }
        let Some(question) = ask(&text) else {
            continue;
        };
        let set = satisfied(&graph, &question.formula);
        let divides = set != 0 && set != graph.all();
        if divides || rng.u8(..4) == 0 {
            questions.push(question);
        }
    }
    questions
}

fn random_text(rng: &mut Rng) -> String {
    match rng.bool() {
        true => {
            let depth = rng.usize(2..6);
            random_state(rng, depth, &[], true)
        }
        false => recursive(rng),
    }
}

/// A text as a question, unless it has no equations.
pub fn ask(text: &str) -> Option<Question> {
    let formula = mu::read(text, &|_| None).unwrap_or_else(|e| panic!("{text}: {e:?}"));
    let modal = formula.lower().ok()?;
    Some(Question {
        text: text.to_owned(),
        formula,
        modal,
    })
}

/// A fixpoint of one of the kinds that solvers tell apart, or several of them one in the other.
fn recursive(rng: &mut Rng) -> String {
    let (one, other) = (random_label(rng, 1), random_label(rng, 0));
    let path = random_path(rng, 2);
    let below = match rng.u8(..3) {
        0 => recursive(rng),
        _ => {
            let depth = rng.usize(..3);
            random_state(rng, depth, &[], true)
        }
    };
    match rng.u8(..15) {
        0 => format!("mu X. ({below}) or <{one}> X or <{other}> X"),
        1 => format!("nu X. ({below}) and <{path}> X"),
        2 => format!("nu X. ({below}) or <{one}> X or (<{other}> true and <true> X)"),
        3 => format!("nu X. ({below}) and [{one}] X and [{other}] X"),
        4 => format!("mu X. ({below}) or [{path}] X"),
        5 => format!("mu X. <true> true and [{one}] X and ({below} or [{other}] X)"),
        6 => format!("mu X. (({below}) and [{one}] X) or <{other}> X"),
        7 => format!("nu X. (({below}) or <{one}> X) and [{other}] X"),
        8 => format!("mu X. ({below}) or (<{one}> true and [{path}] X)"),
        9 => format!("mu X. <{one}> X or mu Y. ([{other}] (X or Y) and <true> Y) or ({below})"),
        10 => format!("nu X. [{one}] X and nu Y. (<{other}> (X and Y) or [true] Y) and ({below})"),
        11 => format!("[true*] (({below}) or @({path}))"),
        12 => format!("<({one})* . {other}> ({below})"),
        13 => format!("[({path})*] ({below})"),
        _ => format!("[true* . {one}] mu X. <true> true and [not ({other})] X"),
    }
}

/// A system as the definition of the logic sees it.
pub fn graph(lts: &Lts) -> Graph {
    let number = |label: u32| {
        let text = lts.labels().text(label);
        let found = LABELS.iter().position(|&known| known == text);
        found.unwrap_or_else(|| panic!("the label `{text}` has no meaning here"))
    };
    let steps = lts.transitions();
    let steps = steps.map(|(from, edge)| {
        let (from, to) = (from as usize, edge.target as usize);
        (from, number(edge.label), to)
    });
    Graph {
        states: lts.states() as usize,
        edges: steps.collect(),
    }
}

/// The states of a system that satisfy a formula, by its syntax.
pub fn satisfied(graph: &Graph, formula: &Formula) -> Set {
    meaning(graph, formula.root(), &mut Vec::new())
}

/// Whether a state is in a set.
pub fn has(set: Set, state: u32) -> bool {
    set & 1 << state != 0
}

/// Components and the text of a network of them, with at most 64 states.
pub fn network(seed: u64) -> (Vec<Lts>, String) {
    let mut rng = Rng::with_seed(seed ^ 0xc0_0000);
    let most = [(2, 8), (3, 4)][rng.usize(..2)];
    let components = (0..most.0).map(|_| {
        let states = rng.u32(1..=most.1);
        random_lts(&mut rng, states, &LABELS[..6], 4.0)
    });
    let components: Vec<Lts> = components.collect();
    let mut text = "\"0.aut\"".to_owned();
    for number in 1..components.len() {
        let operator = ["|||", "||", "|[a]|", "|[b, PUT]|", "|[a, put]|"][rng.usize(..5)];
        text = format!("{text} {operator} \"{number}.aut\"");
    }
    let text = match rng.u8(..6) {
        0 => format!("hide a in {text} end hide"),
        1 => format!("hide all but a, b in {text} end hide"),
        2 => format!("rename c -> a in {text} end rename"),
        3 => format!("cut b in {text} end cut"),
        _ => text,
    };
    (components, text)
}

/// A file with so many steps and half as many states.
pub fn large(steps: usize, sorted: bool) -> String {
    let states = steps / 2;
    let mut text = format!("des (0,{steps},{states})\n");
    for step in 0..steps {
        let source = if sorted { step / 2 } else { step % states };
        text += &format!("({source},\"label\",{})\n", (step * 7) % states);
    }
    text
}
