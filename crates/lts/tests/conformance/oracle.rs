//! Conformance testing by the definitions, as slowly as they read: single states, sets built anew, traces one by one.
//!
//! Nothing here uses the library. Labels are texts: `?a` is an input, `!x` an output, `i` internal, `delta` silence.

use std::collections::{BTreeMap, BTreeSet};

pub type Set = BTreeSet<usize>;

/// States, an initial one, and steps.
#[derive(Clone, PartialEq, Debug)]
pub struct Machine {
    pub states: usize,
    pub initial: usize,
    pub steps: Vec<(usize, String, usize)>,
}

impl Machine {
    pub fn labels(&self) -> BTreeSet<String> {
        self.steps.iter().map(|step| step.1.clone()).collect()
    }

    /// All visible labels, and silence.
    pub fn visible(&self) -> BTreeSet<String> {
        let mut labels = self.labels();
        labels.remove("i");
        labels.insert("delta".to_owned());
        labels
    }

    pub fn targets(&self, state: usize, label: &str) -> Set {
        let steps = self.steps.iter();
        let steps = steps.filter(|step| step.0 == state && step.1 == label);
        steps.map(|step| step.2).collect()
    }

    /// What some internal steps lead to: one at least.
    fn after_internal_steps(&self, state: usize) -> Set {
        let mut found = self.targets(state, "i");
        loop {
            let more: Set = found
                .iter()
                .flat_map(|&state| self.targets(state, "i"))
                .collect();
            if more.is_subset(&found) {
                return found;
            }
            found.extend(more);
        }
    }

    pub fn is_quiescent(&self, state: usize) -> bool {
        let mut steps = self.steps.iter().filter(|step| step.0 == state);
        let waits = steps.all(|step| step.1.starts_with('?'));
        waits || self.after_internal_steps(state).contains(&state)
    }

    pub fn closure(&self, set: &Set) -> Set {
        let more = set
            .iter()
            .flat_map(|&state| self.after_internal_steps(state));
        set.iter().copied().chain(more).collect()
    }

    pub fn start(&self) -> Set {
        self.closure(&Set::from([self.initial]))
    }

    /// From a closed set, by one visible label of the suspended machine.
    pub fn after(&self, set: &Set, label: &str) -> Set {
        let targets: Set = match label {
            "delta" => set
                .iter()
                .copied()
                .filter(|&state| self.is_quiescent(state))
                .collect(),
            _ => set
                .iter()
                .flat_map(|&state| self.targets(state, label))
                .collect(),
        };
        self.closure(&targets)
    }

    pub fn out(&self, set: &Set) -> BTreeSet<String> {
        let outputs = self
            .visible()
            .into_iter()
            .filter(|label| !label.starts_with('?'));
        outputs
            .filter(|label| !self.after(set, label).is_empty())
            .collect()
    }

    pub fn has_trace(&self, trace: &[String]) -> bool {
        let mut set = self.start();
        for label in trace {
            set = self.after(&set, label);
        }
        !set.is_empty()
    }
}

/// All traces of the suspended machine up to a length.
pub fn traces(machine: &Machine, length: usize) -> Vec<Vec<String>> {
    let mut all = vec![Vec::new()];
    let mut next = 0;
    while next < all.len() {
        let trace = all[next].clone();
        for label in machine.visible() {
            let mut longer = trace.clone();
            longer.push(label);
            if longer.len() <= length && machine.has_trace(&longer) {
                all.push(longer);
            }
        }
        next += 1;
    }
    all
}

/// How long the shortest trace is after which an implementation has an output too many, if not longer than a bound.
pub fn shortest_difference(
    implementation: &Machine,
    specification: &Machine,
    bound: usize,
) -> Option<usize> {
    let mut level = vec![(implementation.start(), specification.start())];
    for length in 0..=bound {
        let mut next = Vec::new();
        for (ours, theirs) in level {
            if !implementation
                .out(&ours)
                .is_subset(&specification.out(&theirs))
            {
                return Some(length);
            }
            for label in specification.visible() {
                let pair = (
                    implementation.after(&ours, &label),
                    specification.after(&theirs, &label),
                );
                if !pair.0.is_empty() && !pair.1.is_empty() && !next.contains(&pair) {
                    next.push(pair);
                }
            }
        }
        level = next;
    }
    None
}

/// A purpose: states, steps with patterns, which states accept and which refuse.
#[derive(Clone, Debug)]
pub struct Purpose {
    pub states: usize,
    pub steps: Vec<(usize, String, usize)>,
    pub accept: Set,
    pub refuse: Set,
}

/// The few patterns that random purposes have.
pub fn matches(pattern: &str, label: &str) -> bool {
    match pattern {
        r"\?.*" => label.starts_with('?'),
        "!.*" => label.starts_with('!'),
        r".x" => label.len() == 2 && label.ends_with('x'),
        r"\?a" => label == "?a",
        _ => pattern == label,
    }
}

impl Purpose {
    /// Where a label leads; nothing when there are several places.
    pub fn next(&self, state: usize, label: &str) -> Option<usize> {
        let of = |wanted: &dyn Fn(&str) -> bool| -> Set {
            let steps = self.steps.iter();
            let steps = steps.filter(|step| step.0 == state && wanted(&step.1));
            steps.map(|step| step.2).collect()
        };
        let named = of(&|pattern| pattern != "*" && matches(pattern, label));
        let otherwise = of(&|pattern| pattern == "*");
        let targets = if named.is_empty() { otherwise } else { named };
        match targets.len() {
            0 => Some(state),
            1 => targets.first().copied(),
            _ => None,
        }
    }

    /// Whether it is deterministic for these labels and has one way to complete each state.
    pub fn is_deterministic(&self, labels: &BTreeSet<String>) -> bool {
        (0..self.states).all(|state| {
            let stars: Set = self
                .steps
                .iter()
                .filter(|step| step.0 == state && step.1 == "*")
                .map(|step| step.2)
                .collect();
            stars.len() <= 1 && labels.iter().all(|label| self.next(state, label).is_some())
        })
    }
}

/// The product as a machine of its own, with the pairs that its states stand for.
pub struct Product {
    pub machine: Machine,
    accept: Set,
    refuse: Set,
}

impl Product {
    pub fn new(specification: &Machine, purpose: &Purpose) -> Product {
        let number = |state: usize, at: usize| state * purpose.states + at;
        let mut steps = Vec::new();
        for (from, label, to) in &specification.steps {
            for at in 0..purpose.states {
                if !purpose.accept.contains(&at) && !purpose.refuse.contains(&at) {
                    let next = purpose.next(at, label).expect("a deterministic purpose");
                    steps.push((number(*from, at), label.clone(), number(*to, next)));
                }
            }
        }
        let marked = |marks: &Set| -> Set {
            let states = 0..specification.states;
            states
                .flat_map(|state| marks.iter().map(move |&at| number(state, at)))
                .collect()
        };
        Product {
            accept: marked(&purpose.accept),
            refuse: marked(&purpose.refuse),
            machine: Machine {
                states: specification.states * purpose.states,
                initial: number(specification.initial, 0),
                steps,
            },
        }
    }

    pub fn accepts(&self, set: &Set) -> bool {
        !set.is_disjoint(&self.accept)
    }

    pub fn ends(&self, set: &Set) -> bool {
        !set.is_disjoint(&self.refuse) || self.accepts(set)
    }

    /// Whether some trace from a set leads to an accepting one.
    pub fn leads(&self, set: &Set) -> bool {
        let mut met = BTreeSet::from([set.clone()]);
        let mut waiting = vec![set.clone()];
        while let Some(set) = waiting.pop() {
            if self.accepts(&set) {
                return true;
            }
            if self.ends(&set) {
                continue;
            }
            for label in self.machine.visible() {
                let after = self.machine.after(&set, &label);
                if !after.is_empty() && met.insert(after.clone()) {
                    waiting.push(after);
                }
            }
        }
        false
    }

    /// What the tester knows after a trace, given that a test exists. Labels are those of the specification.
    pub fn verdict(&self, trace: &[String]) -> Knows {
        let mut set = self.machine.start();
        for label in trace {
            if self.accepts(&set) {
                return Knows::Nothing;
            }
            let after = self.machine.after(&set, label);
            let leads = !after.is_empty() && self.leads(&after);
            match (leads, label.starts_with('?')) {
                (true, _) => set = after,
                (false, true) => return Knows::Nothing,
                (false, false) => {
                    let ended = trace.last().is_some_and(|last| std::ptr::eq(last, label));
                    return match (ended, after.is_empty()) {
                        (false, _) => Knows::Nothing,
                        (true, true) => Knows::Verdict("FAIL"),
                        (true, false) => Knows::Verdict("INCONCLUSIVE"),
                    };
                }
            }
        }
        match self.accepts(&set) {
            true => Knows::Verdict("PASS"),
            false => Knows::GoesOn,
        }
    }
}

/// What a tester knows after a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Knows {
    /// The trace is none of the tester's.
    Nothing,
    GoesOn,
    Verdict(&'static str),
}

/// The verdicts that a test, written with verdicts as steps, can come to with an implementation; state by state. An output
/// that a state which waits has no step for is a failure, which the file need not say.
pub fn verdicts(test: &Machine, implementation: &Machine) -> BTreeSet<String> {
    let mut met = BTreeSet::from([(test.initial, implementation.initial)]);
    let mut waiting = vec![(test.initial, implementation.initial)];
    let mut verdicts = BTreeSet::new();
    while let Some((at, state)) = waiting.pop() {
        let mut next = BTreeSet::new();
        for step in test.steps.iter().filter(|step| step.0 == at) {
            let targets = match step.1.as_str() {
                "delta" if implementation.is_quiescent(state) => Set::from([state]),
                label => implementation.targets(state, label),
            };
            next.extend(targets.into_iter().map(|target| (step.2, target)));
            if step.2 == at && ["PASS", "FAIL", "INCONCLUSIVE"].contains(&step.1.as_str()) {
                verdicts.insert(step.1.clone());
            }
        }
        let here = || test.steps.iter().filter(|step| step.0 == at);
        let waits = here().any(|step| step.1.starts_with('!') || step.1 == "delta");
        let mut does = implementation.steps.iter().filter(|step| step.0 == state);
        let is_new = |label: &str| here().all(|step| step.1 != label);
        let speaks = does.any(|step| step.1.starts_with('!') && is_new(&step.1));
        if waits && (speaks || implementation.is_quiescent(state) && is_new("delta")) {
            verdicts.insert("FAIL".to_owned());
        }
        next.extend(
            implementation
                .targets(state, "i")
                .into_iter()
                .map(|target| (at, target)),
        );
        waiting.extend(next.into_iter().filter(|pair| met.insert(*pair)));
    }
    verdicts
}

/// What a deterministic graph with verdicts as steps says after a trace.
pub fn graph_says(graph: &Machine, trace: &[String]) -> Knows {
    let mut at = graph.initial;
    for label in trace {
        let targets = graph.targets(at, label);
        assert!(
            targets.len() <= 1,
            "not deterministic: {label} from {at} of {graph:?}"
        );
        match targets.first() {
            Some(&target) => at = target,
            None => return Knows::Nothing,
        }
    }
    let words: BTreeMap<&str, &'static str> = BTreeMap::from([
        ("PASS", "PASS"),
        ("FAIL", "FAIL"),
        ("INCONCLUSIVE", "INCONCLUSIVE"),
    ]);
    let mut steps = graph.steps.iter().filter(|step| step.0 == at);
    let word = steps.find_map(|step| words.get(step.1.as_str()));
    word.map_or(Knows::GoesOn, |word| Knows::Verdict(word))
}
