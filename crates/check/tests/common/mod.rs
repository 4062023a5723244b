//! An oracle that shares nothing with the crate under test: formulas as closures, CTL by enumeration of runs.
//!
//! A random formula is made twice at once, as text for the parser and as a tree of closures for the oracle. The oracle
//! lists every run from a cut to the end and reads the meaning of `E` and `A` off that list, as the definition says.

#![allow(dead_code, reason = "each test uses a part of it")]

pub(crate) mod asked;
pub(crate) mod floors;
pub(crate) mod passing;
pub(crate) mod team;
pub(crate) mod words;

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use causet_trace::{EventId, StoredValue, Trace};
use fastrand::Rng;

/// A number that whoever runs the tests may give.
pub(crate) fn number_from_environment(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// A cut as the set of its events.
pub(crate) type Set = Vec<EventId>;

/// A truth of a set of events, decided by looking at all of them.
pub(crate) type Atom = Rc<dyn Fn(&Oracle<'_>, &Set) -> bool>;

type Comparison = fn(&i64, &i64) -> bool;

/// A formula as the oracle understands it; the number identifies it for the memory.
#[derive(Clone)]
pub(crate) enum Tree {
    Atom(Atom),
    Not(Rc<Tree>),
    And(Rc<Tree>, Rc<Tree>),
    Or(Rc<Tree>, Rc<Tree>),
    Implies(Rc<Tree>, Rc<Tree>),
    /// `E` or `A`, then what must be true of some run or of all.
    Path(usize, bool, PathKind),
}

#[derive(Clone)]
pub(crate) enum PathKind {
    Next(Rc<Tree>),
    Finally(Rc<Tree>),
    Globally(Rc<Tree>),
    Until(Rc<Tree>, Rc<Tree>),
    Weak(Rc<Tree>, Rc<Tree>),
    Release(Rc<Tree>, Rc<Tree>),
}

pub(crate) struct Oracle<'t> {
    pub(crate) trace: &'t Trace,
    past: HashMap<EventId, HashSet<EventId>>,
    memory: RefCell<HashMap<(usize, Set), bool>>,
}

impl<'t> Oracle<'t> {
    pub(crate) fn new(trace: &'t Trace) -> Self {
        let mut past: HashMap<EventId, HashSet<EventId>> = HashMap::new();
        for event in trace.order().recorded() {
            let mut mine = HashSet::new();
            for before in trace.order().predecessors(event) {
                mine.insert(before);
                mine.extend(&past[&before]);
            }
            past.insert(event, mine);
        }
        Oracle {
            trace,
            past,
            memory: RefCell::default(),
        }
    }

    pub(crate) fn possible(&self, set: &Set) -> Vec<EventId> {
        let ready = |event: &EventId| {
            !set.contains(event) && self.past[event].iter().all(|e| set.contains(e))
        };
        self.trace.events().filter(ready).collect()
    }

    pub(crate) fn after(&self, set: &Set, event: EventId) -> Set {
        let mut next = set.clone();
        next.push(event);
        next.sort_unstable();
        next
    }

    /// Every sequence of sets from this one to the one with all events.
    fn runs(&self, set: &Set) -> Vec<Vec<Set>> {
        let possible = self.possible(set);
        if possible.is_empty() {
            return vec![vec![set.clone()]];
        }
        let mut runs = Vec::new();
        for event in possible {
            for rest in self.runs(&self.after(set, event)) {
                let mut run = vec![set.clone()];
                run.extend(rest);
                runs.push(run);
            }
        }
        runs
    }

    pub(crate) fn holds(&self, tree: &Tree, set: &Set) -> bool {
        match tree {
            Tree::Atom(atom) => atom(self, set),
            Tree::Not(part) => !self.holds(part, set),
            Tree::And(one, other) => self.holds(one, set) && self.holds(other, set),
            Tree::Or(one, other) => self.holds(one, set) || self.holds(other, set),
            Tree::Implies(one, other) => !self.holds(one, set) || self.holds(other, set),
            Tree::Path(number, for_all, kind) => {
                let key = (*number, set.clone());
                if let Some(&known) = self.memory.borrow().get(&key) {
                    return known;
                }
                let runs = self.runs(set);
                let truth = if *for_all {
                    runs.iter().all(|run| self.along(kind, run, true))
                } else {
                    runs.iter().any(|run| self.along(kind, run, false))
                };
                self.memory.borrow_mut().insert(key, truth);
                truth
            }
        }
    }

    /// Whether a run satisfies a path formula. `for_all` matters only for the next step of a run that is over:
    /// there is none, so `EX` is false and `AX` true.
    pub(crate) fn along(&self, kind: &PathKind, run: &[Set], for_all: bool) -> bool {
        let at = |tree: &Tree, i: usize| self.holds(tree, &run[i]);
        let always = |tree: &Tree, end: usize| (0..end).all(|i| at(tree, i));
        match kind {
            PathKind::Next(f) => run.get(1).map_or(for_all, |next| self.holds(f, next)),
            PathKind::Finally(f) => (0..run.len()).any(|i| at(f, i)),
            PathKind::Globally(f) => always(f, run.len()),
            PathKind::Until(f, g) => (0..run.len()).any(|i| at(g, i) && always(f, i)),
            PathKind::Weak(f, g) => {
                always(f, run.len()) || (0..run.len()).any(|i| at(g, i) && always(f, i))
            }
            // Released by f: g holds up to and including the position where f comes true, or throughout.
            PathKind::Release(f, g) => {
                always(g, run.len()) || (0..run.len()).any(|i| at(f, i) && always(g, i + 1))
            }
        }
    }

    /// Whether one complete run shows by itself, from a position on, that a formula has this truth value: path formulas
    /// that a run can show are asked of this run, all others of the cut.
    pub(crate) fn shown(&self, tree: &Tree, truth: bool, run: &[Set], at: usize) -> bool {
        let shows = |f: &Tree, truth: bool, i: usize| self.shown(f, truth, run, i);
        let (for_all, kind) = match tree {
            Tree::Atom(_) => return self.holds(tree, &run[at]) == truth,
            Tree::Not(f) => return shows(f, !truth, at),
            Tree::And(f, g) if truth => return shows(f, true, at) && shows(g, true, at),
            Tree::And(f, g) => return shows(f, false, at) || shows(g, false, at),
            Tree::Or(f, g) if truth => return shows(f, true, at) || shows(g, true, at),
            Tree::Or(f, g) => return shows(f, false, at) && shows(g, false, at),
            Tree::Implies(f, g) if truth => return shows(f, false, at) || shows(g, true, at),
            Tree::Implies(f, g) => return shows(f, true, at) && shows(g, false, at),
            Tree::Path(_, for_all, kind) => (*for_all, kind),
        };
        if for_all == truth {
            return self.holds(tree, &run[at]) == truth;
        }
        let last = run.len() - 1;
        let mut ends = at..=last;
        let before = |end: usize| at..end;
        match (kind, truth) {
            (PathKind::Next(f), _) => at < last && shows(f, truth, at + 1),
            (PathKind::Finally(f), true) => ends.any(|i| shows(f, true, i)),
            (PathKind::Finally(f), false) => ends.all(|i| shows(f, false, i)),
            (PathKind::Globally(f), true) => ends.all(|i| shows(f, true, i)),
            (PathKind::Globally(f), false) => ends.any(|i| shows(f, false, i)),
            (PathKind::Until(f, g), true) => {
                ends.any(|i| shows(g, true, i) && before(i).all(|j| shows(f, true, j)))
            }
            (PathKind::Until(f, g), false) => ends.any(|i| {
                (shows(f, false, i) || i == last) && before(i + 1).all(|j| shows(g, false, j))
            }),
            (PathKind::Weak(f, g), true) => ends.any(|i| {
                let either = |j: usize| shows(f, true, j) || shows(g, true, j);
                (shows(g, true, i) || i == last) && before(i + 1).all(either)
            }),
            (PathKind::Weak(f, g), false) => {
                ends.any(|i| shows(f, false, i) && before(i + 1).all(|j| shows(g, false, j)))
            }
            (PathKind::Release(f, g), true) => ends.any(|i| {
                (shows(f, true, i) || i == last) && before(i + 1).all(|j| shows(g, true, j))
            }),
            (PathKind::Release(f, g), false) => {
                ends.any(|i| shows(g, false, i) && before(i).all(|j| shows(f, false, j)))
            }
        }
    }

    fn value(&self, set: &Set, name: &str) -> StoredValue {
        let var = self
            .trace
            .variables()
            .find(|&var| self.trace.variable_name(var) == name)
            .expect("a variable");
        let writes = set
            .iter()
            .flat_map(|&e| self.trace.writes(e).map(move |write| (e, write)));
        let mut last: Option<(EventId, StoredValue)> = None;
        for (event, write) in writes.filter(|(_, write)| write.var == var) {
            if last.is_none_or(|(before, _)| self.past[&event].contains(&before)) {
                last = Some((event, write.value));
            }
        }
        last.map_or(self.trace.initial_value(var), |(_, value)| value)
    }

    fn number(&self, set: &Set, name: &str) -> i64 {
        match self.value(set, name) {
            StoredValue::Int(number) => number,
            other => panic!("{name} is {other:?}"),
        }
    }

    fn text(&self, set: &Set, name: &str) -> String {
        match self.value(set, name) {
            StoredValue::Text(text) => self.trace.text(text).to_owned(),
            other => panic!("{name} is {other:?}"),
        }
    }

    fn in_flight(&self, set: &Set, from: &str, to: &str) -> i64 {
        let process = |event: EventId| {
            self.trace
                .process_name(self.trace.order().process_of(event))
        };
        let received = |message| {
            set.iter()
                .any(|&e| process(e) == to && self.trace.receives(e).contains(&message))
        };
        let mut count = 0;
        for &event in set.iter().filter(|&&event| process(event) == from) {
            let addressed = self
                .trace
                .destinations(event)
                .iter()
                .any(|&p| self.trace.process_name(p) == to);
            let under_way = self
                .trace
                .sends(event)
                .iter()
                .filter(|&&message| !received(message));
            count += if addressed {
                under_way.count() as i64
            } else {
                0
            };
        }
        count
    }

    fn done(&self, set: &Set, process: &str) -> i64 {
        let id = self.trace.process(process).expect("a process");
        let order = self.trace.order();
        order
            .chain(id)
            .iter()
            .filter(|event| set.contains(event))
            .count() as i64
    }
}

/// Makes random formulas about a random run, as text and as a tree.
pub(crate) struct Maker<'r> {
    pub(crate) rng: &'r mut Rng,
    pub(crate) processes: Vec<String>,
    pub(crate) shared: bool,
    made: usize,
}

impl<'r> Maker<'r> {
    pub(crate) fn new(rng: &'r mut Rng, trace: &Trace) -> Self {
        let order = trace.order();
        Maker {
            rng,
            processes: order
                .processes()
                .map(|p| trace.process_name(p).to_owned())
                .collect(),
            shared: trace.shared_variable("s").is_some(),
            made: 0,
        }
    }

    /// A number no other formula has.
    pub(crate) fn number(&mut self) -> usize {
        self.made += 1;
        self.made
    }

    fn process(&mut self) -> String {
        self.processes[self.rng.usize(0..self.processes.len())].clone()
    }

    fn atom(&mut self) -> (String, Tree) {
        let (p, q, n) = (self.process(), self.process(), self.rng.i64(0..3));
        let (text, atom): (String, Atom) = match self.rng.usize(0..14) {
            0..=4 => {
                let name = if self.shared && self.rng.f64() < 0.4 {
                    "s".to_owned()
                } else {
                    format!("{p}.x")
                };
                let operators: [(&str, Comparison); 6] = [
                    ("=", i64::eq),
                    ("!=", i64::ne),
                    ("<", i64::lt),
                    (">=", i64::ge),
                    ("<=", i64::le),
                    (">", i64::gt),
                ];
                let (symbol, compare) = operators[self.rng.usize(0..6)];
                let text = format!("{name} {symbol} {n}");
                (
                    text,
                    Rc::new(move |o, set| compare(&o.number(set, &name), &n)),
                )
            }
            5 | 6 => {
                let state = ["idle", "crit", "want"][self.rng.usize(0..3)];
                let text = format!("{p}.st = \"{state}\"");
                (
                    text,
                    Rc::new(move |o, set| o.text(set, &format!("{p}.st")) == state),
                )
            }
            7 => (
                format!("{p}.x + {q}.x * 2 > 3"),
                Rc::new(move |o, set| {
                    o.number(set, &format!("{p}.x")) + o.number(set, &format!("{q}.x")) * 2 > 3
                }),
            ),
            8 => (
                format!("inflight({p} -> {q}) >= 1"),
                Rc::new(move |o, set| o.in_flight(set, &p, &q) >= 1),
            ),
            9 => (
                format!("empty({p} -> {q})"),
                Rc::new(move |o, set| o.in_flight(set, &p, &q) == 0),
            ),
            10 => {
                let all = self.processes.clone();
                let count = move |o: &Oracle<'_>, set: &Set| {
                    all.iter()
                        .filter(|p| o.number(set, &format!("{p}.x")) == 1)
                        .count() as i64
                };
                (
                    format!("count(i in procs: i.x = 1) <= {n}"),
                    Rc::new(move |o, set| count(o, set) <= n),
                )
            }
            11 => {
                let all = self.processes.clone();
                let numbers = move |o: &Oracle<'_>, set: &Set| -> Vec<i64> {
                    all.iter()
                        .map(|p| o.number(set, &format!("{p}.x")))
                        .collect()
                };
                let text = format!("sum(i in procs: i.x) - max(i in procs: i.x) = {n}");
                (
                    text,
                    Rc::new(move |o, set| {
                        let numbers = numbers(o, set);
                        numbers.iter().sum::<i64>() - numbers.iter().max().expect("a process") == n
                    }),
                )
            }
            12 => (
                format!("steps({p}) > {n}"),
                Rc::new(move |o, set| o.done(set, &p) > n),
            ),
            _ => (
                format!("done({p})"),
                Rc::new(move |o, set| {
                    let all = o
                        .trace
                        .order()
                        .chain(o.trace.process(&p).expect("known"))
                        .len();
                    o.done(set, &p) == all as i64
                }),
            ),
        };
        (text, Tree::Atom(atom))
    }

    fn connect(
        &mut self,
        depth: usize,
        inner: fn(&mut Self, usize) -> (String, Tree),
    ) -> (String, Tree) {
        let (one, f) = inner(self, depth - 1);
        if self.rng.f64() < 0.3 {
            return (format!("!({one})"), Tree::Not(Rc::new(f)));
        }
        let (other, g) = inner(self, depth - 1);
        let (f, g) = (Rc::new(f), Rc::new(g));
        match self.rng.usize(0..3) {
            0 => (format!("({one} && {other})"), Tree::And(f, g)),
            1 => (format!("({one} || {other})"), Tree::Or(f, g)),
            _ => (format!("({one} -> {other})"), Tree::Implies(f, g)),
        }
    }

    pub(crate) fn predicate(&mut self, depth: usize) -> (String, Tree) {
        if depth == 0 || self.rng.f64() < 0.45 {
            return self.atom();
        }
        self.connect(depth, Self::predicate)
    }

    pub(crate) fn formula(&mut self, depth: usize) -> (String, Tree) {
        if depth == 0 || self.rng.f64() < 0.15 {
            let (text, tree) = self.predicate(2);
            return (format!("({text})"), tree);
        }
        if self.rng.f64() < 0.3 {
            return self.connect(depth, Self::formula);
        }
        self.temporal(depth)
    }

    pub(crate) fn temporal(&mut self, depth: usize) -> (String, Tree) {
        let for_all = self.rng.bool();
        let quantifier = if for_all { "A" } else { "E" };
        let (one, f) = self.formula(depth - 1);
        let f = Rc::new(f);
        let number = self.number();
        let unary = [
            ("X", PathKind::Next as fn(Rc<Tree>) -> PathKind),
            ("F", PathKind::Finally),
            ("G", PathKind::Globally),
        ];
        if self.rng.f64() < 0.6 {
            let (letter, kind) = unary[self.rng.usize(0..3)];
            let text = format!("{quantifier}{letter} ({one})");
            return (text, Tree::Path(number, for_all, kind(f)));
        }
        let binary = [
            ("U", PathKind::Until as fn(Rc<Tree>, Rc<Tree>) -> PathKind),
            ("W", PathKind::Weak),
            ("R", PathKind::Release),
        ];
        let (other, g) = self.formula(depth - 1);
        let (letter, kind) = binary[self.rng.usize(0..3)];
        let text = format!("{quantifier}[{one} {letter} {other}]");
        (text, Tree::Path(number, for_all, kind(f, Rc::new(g))))
    }
}
