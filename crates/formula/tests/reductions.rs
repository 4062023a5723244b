//! The core's reductions against the meaning by runs, on small random graphs.

use causet_formula::{Ctl, Expr, Ltl, Pred, VarRef};
use fastrand::Rng;

/// An acyclic graph: every state but the last has successors, and two atoms have values.
struct Graph {
    successors: Vec<Vec<usize>>,
    atoms: [Vec<bool>; 2],
}

impl Graph {
    fn random(rng: &mut Rng) -> Graph {
        let states = rng.usize(1..8);
        let mut edges = |from: usize| {
            let mut next: Vec<usize> = (from + 1..states).filter(|_| rng.u8(..) < 100).collect();
            if next.is_empty() && from + 1 < states {
                next.push(from + 1);
            }
            next
        };
        let successors = (0..states).map(&mut edges).collect();
        let mut atom = || (0..states).map(|_| rng.bool()).collect();
        Graph {
            successors,
            atoms: [atom(), atom()],
        }
    }

    /// Every run from a state to the last one.
    fn runs(&self, from: usize) -> Vec<Vec<usize>> {
        let next = &self.successors[from];
        if next.is_empty() {
            return vec![vec![from]];
        }
        let longer = |run: Vec<usize>| [vec![from], run].concat();
        next.iter()
            .flat_map(|&to| self.runs(to))
            .map(longer)
            .collect()
    }

    /// The core, operator by operator.
    fn holds(&self, f: &Ctl, at: usize) -> bool {
        let until = |run: &Vec<usize>, f: &Ctl, g: &Ctl| {
            let first = run.iter().position(|&state| self.holds(g, state));
            first.is_some_and(|end| run[..end].iter().all(|&state| self.holds(f, state)))
        };
        match f {
            Ctl::State(p) => self.pred(p, at),
            Ctl::Not(f) => !self.holds(f, at),
            Ctl::And(parts) => parts.iter().all(|part| self.holds(part, at)),
            Ctl::Or(parts) => parts.iter().any(|part| self.holds(part, at)),
            Ctl::Ex(f) => self.successors[at].iter().any(|&to| self.holds(f, to)),
            Ctl::Eu(f, g) => self.runs(at).iter().any(|run| until(run, f, g)),
            Ctl::Au(f, g) => self.runs(at).iter().all(|run| until(run, f, g)),
            Ctl::Run(_) | Ctl::Modal(_) => unreachable!("no formula of this file speaks of runs"),
        }
    }

    fn pred(&self, p: &Pred, at: usize) -> bool {
        match p {
            Pred::Const(value) => *value,
            Pred::Holds(Expr::Var(variable)) => self.atoms[variable.0 as usize][at],
            Pred::Not(p) => !self.pred(p, at),
            Pred::And(parts) => parts.iter().all(|part| self.pred(part, at)),
            Pred::Or(parts) => parts.iter().any(|part| self.pred(part, at)),
            other => panic!("not generated: {other:?}"),
        }
    }
}

/// An operator on one run, given the values of both operands along it.
type OnRun = fn(&[bool], &[bool]) -> bool;

fn until(a: &[bool], b: &[bool]) -> bool {
    (0..b.len()).any(|i| b[i] && a[..i].iter().all(|&a| a))
}

fn weak(a: &[bool], b: &[bool]) -> bool {
    until(a, b) || a.iter().all(|&a| a)
}

/// `b` up to and including the first `a`, or for ever.
fn release(a: &[bool], b: &[bool]) -> bool {
    (0..b.len()).all(|i| b[i] || a[..i].iter().any(|&a| a))
}

#[test]
fn reductions_keep_the_meaning_by_runs() {
    let atom = |n| Ctl::State(Pred::holds(Expr::Var(VarRef(n))));
    let (a, b) = (|| atom(0), || atom(1));
    let on_some: [(Ctl, OnRun); 5] = [
        (Ctl::eu(a(), b()), until),
        (Ctl::ew(a(), b()), weak),
        (Ctl::er(a(), b()), release),
        (Ctl::ef(b()), |_, b| b.contains(&true)),
        (Ctl::eg(b()), |_, b| !b.contains(&false)),
    ];
    let on_all: [(Ctl, OnRun); 5] = [
        (Ctl::au(a(), b()), until),
        (Ctl::aw(a(), b()), weak),
        (Ctl::ar(a(), b()), release),
        (Ctl::af(b()), |_, b| b.contains(&true)),
        (Ctl::ag(b()), |_, b| !b.contains(&false)),
    ];
    for seed in 0..2000 {
        let graph = Graph::random(&mut Rng::with_seed(seed));
        let [a, b] = &graph.atoms;
        let along = |run: &Vec<usize>, on_run: OnRun| {
            let values = |atom: &[bool]| run.iter().map(|&at| atom[at]).collect::<Vec<_>>();
            on_run(&values(a), &values(b))
        };
        for (formula, on_run) in &on_some {
            let wanted = graph.runs(0).iter().any(|run| along(run, *on_run));
            assert_eq!(graph.holds(formula, 0), wanted, "seed {seed}: {formula:?}");
        }
        for (formula, on_run) in &on_all {
            let wanted = graph.runs(0).iter().all(|run| along(run, *on_run));
            assert_eq!(graph.holds(formula, 0), wanted, "seed {seed}: {formula:?}");
        }
        let next = graph.successors[0].iter().all(|&to| b[to]);
        assert_eq!(graph.holds(&Ctl::ax(atom(1)), 0), next, "seed {seed}");
        let iff = Ctl::iff(atom(0), atom(1));
        assert_eq!(graph.holds(&iff, 0), a[0] == b[0], "seed {seed}");
    }
}

/// The release that has to come.
fn strong_release(a: &[bool], b: &[bool]) -> bool {
    release(a, b) && (0..a.len()).any(|i| a[i] && b[i])
}

/// The core of LTL on the end of a word, operator by operator.
fn holds(f: &Ltl, a: &[bool], b: &[bool]) -> bool {
    let word = Graph {
        successors: Vec::new(),
        atoms: [a.to_vec(), b.to_vec()],
    };
    match f {
        Ltl::State(p) => word.pred(p, 0),
        Ltl::Not(f) => !holds(f, a, b),
        Ltl::And(parts) => parts.iter().all(|part| holds(part, a, b)),
        Ltl::Or(parts) => parts.iter().any(|part| holds(part, a, b)),
        Ltl::Next(f) => a.len() > 1 && holds(f, &a[1..], &b[1..]),
        Ltl::Until(f, g) => {
            let at = |f: &Ltl, i: usize| holds(f, &a[i..], &b[i..]);
            let first = (0..a.len()).find(|&i| at(g, i));
            first.is_some_and(|end| (0..end).all(|i| at(f, i)))
        }
    }
}

#[test]
fn linear_reductions_keep_the_meaning_on_words() {
    let atom = |n| Ltl::State(Pred::holds(Expr::Var(VarRef(n))));
    let (a, b) = (|| atom(0), || atom(1));
    let operators: [(Ltl, OnRun); 10] = [
        (Ltl::until(a(), b()), until),
        (Ltl::weak_until(a(), b()), weak),
        (Ltl::release(a(), b()), release),
        (Ltl::strong_release(a(), b()), strong_release),
        (Ltl::finally(b()), |_, b| b.contains(&true)),
        (Ltl::globally(b()), |_, b| !b.contains(&false)),
        (Ltl::next(b()), |_, b| b.get(1) == Some(&true)),
        (Ltl::weak_next(b()), |_, b| b.get(1) != Some(&false)),
        (Ltl::implies(a(), Ltl::finally(b())), |a, b| {
            !a[0] || b.contains(&true)
        }),
        (Ltl::iff(a(), b()), |a, b| a[0] == b[0]),
    ];
    for seed in 0..2000 {
        let mut rng = Rng::with_seed(seed);
        let length = rng.usize(1..7);
        let a: Vec<bool> = (0..length).map(|_| rng.bool()).collect();
        let b: Vec<bool> = (0..length).map(|_| rng.bool()).collect();
        for (formula, on_word) in &operators {
            let wanted = on_word(&a, &b);
            assert_eq!(holds(formula, &a, &b), wanted, "seed {seed}: {formula:?}");
        }
    }
}
