//! Random formulas on random systems: the product with few variables and with one for every node agree.

use causet_base::budget::{Budget, Spent};
use causet_solve::bes::product::{Matching, Product};
use causet_solve::bes::program::{Node, Program, Term};
use causet_solve::bes::system::System;
use causet_solve::bes::{Operator, Resolution, Sign, Strategy, global};
use causet_solve::steps::{Edge, Steps};
use fastrand::Rng;

/// A small system with two labels and two propositions per state.
struct Small {
    edges: Vec<Vec<Edge>>,
    atoms: Vec<[bool; 2]>,
    acyclic: bool,
}

impl Steps for &Small {
    fn initial(&self) -> u32 {
        0
    }

    fn edges(&mut self, state: u32, _: &Budget<'_>) -> Result<&[Edge], Spent> {
        Ok(&self.edges[state as usize])
    }

    fn is_acyclic(&self) -> bool {
        self.acyclic
    }

    fn holds(&self, atom: u32, state: u32) -> bool {
        self.atoms[state as usize][atom as usize]
    }
}

fn random_small(random: &mut Rng) -> Small {
    let states = random.u32(1..=6);
    let acyclic = random.bool();
    let edges = (0..states).map(|state| {
        let count = random.usize(..=3);
        let mut edges = Vec::new();
        for _ in 0..count {
            let first = if acyclic { state + 1 } else { 0 };
            if first < states {
                let edge = Edge {
                    label: random.u32(..2),
                    target: random.u32(first..states),
                };
                edges.push(edge);
            }
        }
        edges
    });
    Small {
        edges: edges.collect(),
        atoms: (0..states)
            .map(|_| [random.bool(), random.bool()])
            .collect(),
        acyclic,
    }
}

/// A random table in which a node depends on those of its own group and of later groups.
fn random_nodes(random: &mut Rng) -> Vec<Node> {
    let groups = random.usize(1..=3);
    let count = random.usize(1..=8);
    let signs: Vec<Sign> = (0..groups)
        .map(|_| if random.bool() { Sign::Mu } else { Sign::Nu })
        .collect();
    let mut group: Vec<usize> = (0..count).map(|_| random.usize(..groups)).collect();
    group.sort_unstable();
    (0..count)
        .map(|node| {
            let first = group.iter().position(|&other| other == group[node]);
            let first = first.unwrap_or_default();
            let operator = [Operator::Or, Operator::And][random.usize(..2)];
            let terms = (0..random.usize(..=3)).map(|_| {
                let to = random.usize(first..count);
                match random.u8(..5) {
                    0 => Term::Atom {
                        atom: random.u32(..2),
                        truth: random.bool(),
                    },
                    1 | 2 => Term::Here(to),
                    _ => Term::Step {
                        action: random.usize(..3),
                        to,
                    },
                }
            });
            Node {
                sign: signs[group[node]],
                operator,
                terms: terms.collect(),
            }
        })
        .collect()
}

/// The definition: sets of states per node of the table as it was given, group by group.
fn by_definition(nodes: &[Node], matching: &Matching, small: &Small) -> bool {
    let states = small.edges.len();
    let mut values = vec![vec![false; states]; nodes.len()];
    // Nodes of one sign that can reach each other are solved together; the groups are contiguous.
    let reach = reachability(nodes);
    let mut done = vec![false; nodes.len()];
    for node in (0..nodes.len()).rev() {
        if done[node] {
            continue;
        }
        let members: Vec<usize> = (0..nodes.len())
            .filter(|&other| other == node || (reach[node][other] && reach[other][node]))
            .collect();
        solve_members(
            &members,
            nodes,
            matching,
            small,
            &reach,
            &mut values,
            &mut done,
        );
    }
    values[0][0]
}

fn solve_members(
    members: &[usize],
    nodes: &[Node],
    matching: &Matching,
    small: &Small,
    reach: &[Vec<bool>],
    values: &mut [Vec<bool>],
    done: &mut [bool],
) {
    // Whatever they depend on and is not done comes first.
    for other in 0..nodes.len() {
        if !done[other] && !members.contains(&other) && reach[members[0]][other] {
            let below: Vec<usize> = (0..nodes.len())
                .filter(|&peer| peer == other || (reach[other][peer] && reach[peer][other]))
                .collect();
            solve_members(&below, nodes, matching, small, reach, values, done);
        }
    }
    for &member in members {
        values[member].fill(nodes[member].sign == Sign::Nu);
        done[member] = true;
    }
    let mut changed = true;
    while changed {
        changed = false;
        for &member in members {
            for state in 0..small.edges.len() {
                let value = evaluate(&nodes[member], state, matching, small, values);
                changed |= value != values[member][state];
                values[member][state] = value;
            }
        }
    }
}

fn evaluate(
    node: &Node,
    state: usize,
    matching: &Matching,
    small: &Small,
    values: &[Vec<bool>],
) -> bool {
    let any = node.operator == Operator::Or;
    let value = |term: &Term| match *term {
        Term::Atom { atom, truth } => small.atoms[state][atom as usize] == truth,
        Term::Here(to) => values[to][state],
        Term::Step { action, to } => {
            let mut edges = small.edges[state].iter();
            let matching = |edge: &&Edge| matching.admits(action, edge.label);
            match any {
                true => edges.any(|edge| matching(&edge) && values[to][edge.target as usize]),
                false => edges.all(|edge| !matching(&edge) || values[to][edge.target as usize]),
            }
        }
    };
    match any {
        true => node.terms.iter().any(value),
        false => node.terms.iter().all(value),
    }
}

fn reachability(nodes: &[Node]) -> Vec<Vec<bool>> {
    let mut reach = vec![vec![false; nodes.len()]; nodes.len()];
    for (from, node) in nodes.iter().enumerate() {
        for to in node.terms.iter().filter_map(|term| term.target()) {
            reach[from][to] = true;
        }
    }
    for via in 0..nodes.len() {
        for from in 0..nodes.len() {
            if reach[from][via] {
                let beyond = reach[via].clone();
                let pairs = reach[from].iter_mut().zip(beyond);
                pairs.for_each(|(reached, more)| *reached |= more);
            }
        }
    }
    reach
}

#[test]
fn formulas_on_systems_have_one_meaning() {
    let mut random = Rng::with_seed(11);
    let budget = Budget::endless();
    for round in 0..60_000 {
        let small = random_small(&mut random);
        let nodes = random_nodes(&mut random);
        let admits = |action: usize, label: u32| action == 2 || action as u32 == label;
        let matching = Matching::new(3, 2, admits);
        let expected = by_definition(&nodes, &matching, &small);
        let program = Program::new(nodes.clone(), 0);
        let about = || format!("round {round}: {nodes:?} on {:?}", small.edges);
        let product = Product::new(&program, &matching, &small, &budget);
        let system = System::explore(product, &budget).expect("no limit");
        assert_eq!(
            global::solution(&system, &budget).map(|all| all[0]),
            Ok(expected),
            "{}",
            about()
        );
        for strategy in [Strategy::Lean, Strategy::DepthFirst, Strategy::BreadthFirst] {
            let product = Product::new(&program, &matching, &small, &budget);
            let value = Resolution::new(product, strategy, &budget).solve();
            assert_eq!(value, Ok(expected), "{strategy:?}, {}", about());
        }
    }
}
