//! Random formulas and small graphs, and what the mu-calculus means on them, written down twice.
//!
//! The first meaning is that of the syntax: sets of states, relations for regular formulas, complement for negation,
//! fixpoints by iteration. The second is that of the equations. They share nothing with each other and with the crate.
#![allow(
    dead_code,
    unreachable_pub,
    missing_docs,
    reason = "each test file uses a part of it"
)]

use causet_formula::modal::{Modal, Operator, Sign, Term};
use causet_formula::mu::syntax::{Label, LabelKind, Regular, RegularKind, State, StateKind, Value};
use fastrand::Rng;

/// The labels of the graphs; the fourth is the internal one.
pub const LABELS: [&str; 7] = ["a", "b", "c", "i", "PUT !1 !x", "put(1, x)", "a b"];
pub const INTERNAL: usize = 3;

/// At most 64 states: a set of them is a word. The first is the initial one.
#[derive(Clone, Debug)]
pub struct Graph {
    pub states: usize,
    /// From, label, to.
    pub edges: Vec<(usize, usize, usize)>,
}

pub type Set = u64;
/// For every state the set of those it is related to.
pub type Relation = Vec<Set>;

impl Graph {
    pub fn random(rng: &mut Rng) -> Graph {
        let states = rng.usize(1..=6);
        let count = rng.usize(0..=2 * states + 2);
        let edges = (0..count).map(|_| {
            let label = [0, 0, 0, 1, 1, 2, 3, 3, 4, 5, 6][rng.usize(..11)];
            (rng.usize(..states), label, rng.usize(..states))
        });
        Graph {
            states,
            edges: edges.collect(),
        }
    }

    pub fn all(&self) -> Set {
        Set::MAX >> (Set::BITS as usize - self.states)
    }

    /// The states from which the relation leads into the set.
    fn before(&self, relation: &Relation, set: Set) -> Set {
        (0..self.states)
            .filter(|&s| relation[s] & set != 0)
            .fold(0, |found, s| found | 1 << s)
    }

    fn steps(&self, admits: impl Fn(usize) -> bool) -> Relation {
        let mut relation = vec![0; self.states];
        for &(from, label, to) in &self.edges {
            if admits(label) {
                relation[from] |= 1 << to;
            }
        }
        relation
    }

    fn identity(&self) -> Relation {
        (0..self.states).map(|s| 1 << s).collect()
    }

    fn compose(&self, first: &Relation, second: &Relation) -> Relation {
        let after = |&set: &Set| members(set).fold(0, |found, t| found | second[t]);
        first.iter().map(after).collect()
    }

    fn closure(&self, relation: &Relation) -> Relation {
        let mut closed = union(&self.identity(), relation);
        loop {
            let more = self.compose(&closed, &closed);
            if more == closed {
                return closed;
            }
            closed = more;
        }
    }
}

fn union(one: &Relation, other: &Relation) -> Relation {
    one.iter()
        .zip(other)
        .map(|(one, other)| one | other)
        .collect()
}

/// The states of a set.
pub fn members(set: Set) -> impl Iterator<Item = usize> {
    let mut left = set;
    std::iter::from_fn(move || {
        let first = left.trailing_zeros() as usize;
        left &= left.wrapping_sub(1);
        (first < Set::BITS as usize).then_some(first)
    })
}

/// The states that satisfy a formula, by its syntax.
pub fn meaning(graph: &Graph, node: &State, scope: &mut Vec<(String, Set)>) -> Set {
    let all = graph.all();
    match &node.kind {
        StateKind::True => all,
        StateKind::False => 0,
        StateKind::Variable(name) => {
            let found = scope.iter().rev().find(|(bound, _)| bound == &**name);
            found.expect("a bound variable").1
        }
        StateKind::Not(inner) => all & !meaning(graph, inner, scope),
        StateKind::And(parts) => parts
            .iter()
            .fold(all, |set, part| set & meaning(graph, part, scope)),
        StateKind::Or(parts) => parts
            .iter()
            .fold(0, |set, part| set | meaning(graph, part, scope)),
        StateKind::Implies(left, right) => {
            all & !meaning(graph, left, scope) | meaning(graph, right, scope)
        }
        StateKind::Equivalent(left, right) => {
            all & !(meaning(graph, left, scope) ^ meaning(graph, right, scope))
        }
        StateKind::Diamond(path, inner) => {
            let set = meaning(graph, inner, scope);
            graph.before(&sequences(graph, path), set)
        }
        StateKind::Box(path, inner) => {
            let not = all & !meaning(graph, inner, scope);
            all & !graph.before(&sequences(graph, path), not)
        }
        StateKind::Loops(path) => {
            let relation = sequences(graph, path);
            iterate(all, |set| graph.before(&relation, set))
        }
        StateKind::Fixpoint(sign, name, body) => {
            let start = match sign {
                Sign::Mu => 0,
                Sign::Nu => all,
            };
            iterate(start, |set| {
                scope.push((name.to_string(), set));
                let next = meaning(graph, body, scope);
                scope.pop();
                next
            })
        }
    }
}

fn iterate(start: Set, mut next: impl FnMut(Set) -> Set) -> Set {
    let mut set = start;
    for _ in 0..=Set::BITS {
        let more = next(set);
        if more == set {
            return set;
        }
        set = more;
    }
    panic!("no fixpoint after more steps than states: the formula is not monotone")
}

fn sequences(graph: &Graph, path: &Regular) -> Relation {
    match &path.kind {
        RegularKind::Action(label) => graph.steps(|at| admits(label, at)),
        RegularKind::Nil => graph.identity(),
        RegularKind::Sequence(parts) => parts.iter().fold(graph.identity(), |done, part| {
            graph.compose(&done, &sequences(graph, part))
        }),
        RegularKind::Choice(parts) => parts.iter().fold(graph.steps(|_| false), |done, part| {
            union(&done, &sequences(graph, part))
        }),
        RegularKind::Star(inner) => graph.closure(&sequences(graph, inner)),
        RegularKind::Plus(inner) => {
            let once = sequences(graph, inner);
            graph.compose(&once, &graph.closure(&once))
        }
        RegularKind::Optional(inner) => union(&graph.identity(), &sequences(graph, inner)),
    }
}

/// Whether a label is one of those; the expressions are the few that [`random_label`] writes.
fn admits(label: &Label, at: usize) -> bool {
    match &label.kind {
        LabelKind::Any => true,
        LabelKind::None => false,
        LabelKind::Internal | LabelKind::InternalOrI => at == INTERNAL,
        LabelKind::Exact(text) => LABELS[at] == &**text,
        LabelKind::Matches { written, .. } => match &**written {
            "a|b" => at < 2,
            "[^ab].*" => at > 1 && at < 6,
            "P.* !.*" => at == 4,
            other => panic!("unknown expression {other}"),
        },
        LabelKind::Call { name, values, .. } => at == 5 && &**name == "put" && fits(values, false),
        LabelKind::Offers {
            gate, values, open, ..
        } => at == 4 && &**gate == "PUT" && fits(values, *open),
        LabelKind::Not(inner) => !admits(inner, at),
        LabelKind::And(parts) => parts.iter().all(|part| admits(part, at)),
        LabelKind::Or(parts) => parts.iter().any(|part| admits(part, at)),
        LabelKind::Implies(left, right) => !admits(left, at) || admits(right, at),
        LabelKind::Equivalent(left, right) => admits(left, at) == admits(right, at),
    }
}

/// Whether values are `1` and `x`, the only ones there are, or open to them.
fn fits(values: &[Value], open: bool) -> bool {
    let right = values.iter().zip(["1", "x"]).all(|(value, wanted)| {
        matches!(value, Value::Any) || *value == Value::Exact(vec![wanted.into()])
    });
    right && (values.len() == 2 || open && values.len() < 2)
}

/// The states that satisfy the main equation.
pub fn solution(graph: &Graph, modal: &Modal) -> Set {
    solutions(graph, modal)[modal.main]
}

/// The states that satisfy each equation: components one by one, each iterated to its fixpoint.
pub fn solutions(graph: &Graph, modal: &Modal) -> Vec<Set> {
    let count = modal.equations.len();
    let mut reach = vec![vec![false; count]; count];
    for (at, row) in reach.iter_mut().enumerate() {
        let mut todo = vec![at];
        while let Some(from) = todo.pop() {
            for &term in &modal.equations[from].terms {
                let to = target(term);
                if !row[to] {
                    row[to] = true;
                    todo.push(to);
                }
            }
        }
    }
    let steps: Vec<Relation> = modal
        .actions
        .iter()
        .map(|action| graph.steps(|at| action.admits(LABELS[at], at == INTERNAL)))
        .collect();
    let mut values: Vec<Option<Set>> = vec![None; count];
    for at in 0..count {
        solve(graph, modal, &reach, &steps, at, &mut values);
    }
    values.into_iter().map(|set| set.expect("solved")).collect()
}

fn solve(
    graph: &Graph,
    modal: &Modal,
    reach: &[Vec<bool>],
    steps: &[Relation],
    at: usize,
    values: &mut Vec<Option<Set>>,
) {
    if values[at].is_some() {
        return;
    }
    let together = |other: usize| other == at || reach[at][other] && reach[other][at];
    let block: Vec<usize> = (0..modal.equations.len())
        .filter(|&o| together(o))
        .collect();
    for &member in &block {
        for &term in &modal.equations[member].terms {
            if !together(target(term)) {
                solve(graph, modal, reach, steps, target(term), values);
            }
        }
    }
    let cyclic = reach[at][at];
    for &member in &block {
        let sign = modal.equations[member].sign;
        assert!(!cyclic || sign == modal.equations[at].sign, "{modal:?}");
        values[member] = Some(match sign {
            Sign::Mu => 0,
            Sign::Nu => graph.all(),
        });
    }
    loop {
        let mut changed = false;
        for &member in &block {
            let next = step(graph, modal, steps, member, values);
            changed |= values[member] != Some(next);
            values[member] = Some(next);
        }
        if !changed {
            return;
        }
    }
}

fn step(
    graph: &Graph,
    modal: &Modal,
    steps: &[Relation],
    at: usize,
    values: &[Option<Set>],
) -> Set {
    let all = graph.all();
    let equation = &modal.equations[at];
    let terms = equation.terms.iter().map(|&term| {
        let set = values[target(term)].expect("solved before");
        match (term, equation.operator) {
            (Term::Here(_), _) => set,
            (Term::Step { action, .. }, Operator::Or) => graph.before(&steps[action], set),
            (Term::Step { action, .. }, Operator::And) => {
                all & !graph.before(&steps[action], all & !set)
            }
        }
    });
    match equation.operator {
        Operator::Or => terms.fold(0, |done, set| done | set),
        Operator::And => terms.fold(all, |done, set| done & set),
    }
}

fn target(term: Term) -> usize {
    match term {
        Term::Here(to) | Term::Step { to, .. } => to,
    }
}

/// A fixpoint around: its variable, its kind, and whether it is under an even number of negations.
type Around = (&'static str, Sign, bool);

/// A random formula, spelt at random; mostly monotone, mostly without alternation.
pub fn random_state(rng: &mut Rng, depth: usize, scope: &[Around], positive: bool) -> String {
    let pick = |rng: &mut Rng, all: &[&str]| all[rng.usize(..all.len())].to_owned();
    if depth == 0 {
        let usable: Vec<&str> = scope
            .iter()
            .filter(|(_, _, even)| *even == positive)
            .map(|(name, ..)| *name)
            .collect();
        return match rng.u32(..4) {
            0..=1 if !usable.is_empty() => pick(rng, &usable),
            2 => format!("@({})", random_path(rng, 1)),
            3 => format!("[{}] -|", random_path(rng, 1)),
            _ => pick(rng, &["true", "false"]),
        };
    }
    let part = |rng: &mut Rng, positive| random_state(rng, depth - 1, scope, positive);
    match rng.u32(..20) {
        0 => part(rng, positive),
        1 => format!("{} ({})", pick(rng, &["not", "!"]), part(rng, !positive)),
        2..=4 => {
            let operator = pick(rng, &["and", "&&"]);
            format!(
                "({}) {operator} {}",
                part(rng, positive),
                wrapped(rng, part, positive)
            )
        }
        5..=7 => {
            let operator = pick(rng, &["or", "||"]);
            format!(
                "({}) {operator} {}",
                part(rng, positive),
                wrapped(rng, part, positive)
            )
        }
        8 => {
            let operator = pick(rng, &["implies", "->", "=>"]);
            format!(
                "({}) {operator} {}",
                part(rng, !positive),
                part(rng, positive)
            )
        }
        9 => {
            let operator = pick(rng, &["equ", "<->", "<=>"]);
            let closed = |rng: &mut Rng| random_state(rng, depth - 1, &[], true);
            format!("({}) {operator} ({})", closed(rng), closed(rng))
        }
        10..=12 => format!("<{}> ({})", random_path(rng, 2), part(rng, positive)),
        13..=15 => format!("[{}] ({})", random_path(rng, 2), part(rng, positive)),
        _ => random_fixpoint(rng, depth, scope, positive),
    }
}

/// In parentheses or not: the last operand may go on to the right.
fn wrapped(rng: &mut Rng, part: impl Fn(&mut Rng, bool) -> String, positive: bool) -> String {
    let text = part(rng, positive);
    match rng.bool() {
        true => format!("({text})"),
        false => text,
    }
}

fn random_fixpoint(rng: &mut Rng, depth: usize, scope: &[Around], positive: bool) -> String {
    let name = ["X", "Y", "Z", "X1"][rng.usize(..4)];
    let around = scope.last().map(|&(_, sign, even)| match even == positive {
        true => sign,
        false => sign.dual(),
    });
    let sign = match around {
        Some(sign) if rng.u32(..4) > 0 => sign,
        _ if rng.bool() => Sign::Mu,
        _ => Sign::Nu,
    };
    let same = around.is_none_or(|around| around == sign);
    let mut inner = match same || rng.u32(..8) == 0 {
        true => scope.to_vec(),
        false => Vec::new(),
    };
    inner.retain(|(bound, ..)| *bound != name);
    inner.push((name, sign, positive));
    let word = match sign {
        Sign::Mu => ["mu", "μ"][rng.usize(..2)],
        Sign::Nu => ["nu", "ν"][rng.usize(..2)],
    };
    let dot = [". ", " . ", "."][rng.usize(..3)];
    format!(
        "{word} {name}{dot}{}",
        random_state(rng, depth - 1, &inner, positive)
    )
}

/// A random regular formula.
pub fn random_path(rng: &mut Rng, depth: usize) -> String {
    if depth == 0 || rng.u32(..3) == 0 {
        return random_label(rng, depth.min(1));
    }
    let part = |rng: &mut Rng| random_path(rng, depth - 1);
    match rng.u32(..8) {
        0 => "nil".to_owned(),
        1 => format!("({})*", part(rng)),
        2 => format!("({})+", part(rng)),
        3 => format!("({})?", part(rng)),
        4 | 5 => format!("({}) . ({})", part(rng), part(rng)),
        6 => format!("{} | {}", part(rng), part(rng)),
        _ => format!("({}) + ({})", part(rng), part(rng)),
    }
}

/// A random action formula.
pub fn random_label(rng: &mut Rng, depth: usize) -> String {
    if depth == 0 || rng.bool() {
        let plain = ["a", "b", "c", "i", "tau", "true", "any", "false", "\"a b\""];
        if rng.u32(..10) > 0 {
            return plain[rng.usize(..plain.len())].to_owned();
        }
        // Expressions take long to compile.
        let all = [
            "'a|b'",
            "'[^ab].*'",
            "'P.* !.*'",
            "put(1, x)",
            "put(_, _)",
            "put(2,_)",
            "exists n: Nat. put(n, x)",
            "{PUT !1 !x}",
            "{PUT !1 ...}",
            "{PUT ?n:nat !_}",
            "{PUT !1}",
        ];
        return all[rng.usize(..all.len())].to_owned();
    }
    let part = |rng: &mut Rng| format!("({})", random_label(rng, depth - 1));
    match rng.u32(..6) {
        0 | 1 => format!("not {}", part(rng)),
        2 => format!("({} and {})", part(rng), part(rng)),
        3 => format!("({} || {})", part(rng), part(rng)),
        4 => format!("({} implies {})", part(rng), part(rng)),
        _ => format!("({} <-> {})", part(rng), part(rng)),
    }
}
