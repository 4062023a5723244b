//! Random properties over the vocabulary of a run.

use super::formula::{Binary, Formula, Orders, Unary};
use super::modal::Modal;
use super::property::{Property, Quantifier};
use super::random::Rng;
use super::vocabulary::{Family, Kind, Vocabulary};

/// How many of a hundred atoms are folds over the processes, and how many speak of messages and progress.
const FOLDS: usize = 35;
const CHANNELS_AND_PROGRESS: usize = 12;
/// How many of a hundred properties have a quantifier.
const QUANTIFIED: usize = 30;

/// Draws properties of one run.
pub(super) struct Generator<'a> {
    pub(super) rng: &'a mut Rng,
    vocabulary: &'a Vocabulary,
    /// Names that a quantifier binds.
    bound: &'static [&'static str],
    /// The processes that the bound names range over: those that have all variables named through them.
    range: Vec<String>,
    /// How many events a process has, about.
    steps: usize,
}

impl<'a> Generator<'a> {
    /// For a run with so many events.
    pub(super) fn new(rng: &'a mut Rng, vocabulary: &'a Vocabulary, events: usize) -> Self {
        Generator {
            rng,
            vocabulary,
            bound: &[],
            range: Vec::new(),
            steps: events / vocabulary.processes.len().max(1),
        }
    }

    /// A random property of a logic.
    pub(super) fn property(&mut self, logic: &'static str) -> Property {
        match logic {
            "mu" => {
                let depth = 1 + self.rng.below(3);
                Property::of_modal(&Modal::random(self.rng, &self.vocabulary.labels, depth))
            }
            "monitor" => self.monitor(),
            "possibly" | "definitely" if self.rng.chance(25) => self.sequence(logic),
            _ => self.formula(logic),
        }
    }

    fn formula(&mut self, logic: &'static str) -> Property {
        let quantifier = self.quantifier();
        let property = match logic {
            "possibly" | "definitely" => {
                let depth = 1 + self.rng.below(2);
                let predicate = self.predicate(depth);
                let written = predicate.text();
                let orders = if logic == "possibly" {
                    Orders::Some
                } else {
                    Orders::All
                };
                let meaning = Formula::Unary(orders, Unary::Finally, Box::new(predicate));
                Property::of_formula(logic, quantifier, &written, &meaning)
            }
            _ => {
                // A quantifier over a hundred processes makes a large formula too large.
                let most = if quantifier.is_some() { 2 } else { 3 };
                let depth = self.rng.one_of([1, 1, 2, 2, 3]).min(most);
                let formula = self.temporal(logic, depth);
                Property::of_formula(logic, quantifier, &formula.text(), &formula)
            }
        };
        self.bound = &[];
        property
    }

    fn quantifier(&mut self) -> Option<Quantifier> {
        if !self.rng.chance(QUANTIFIED) {
            return None;
        }
        let pair = self.rng.chance(35);
        let (bound, range): (&'static [&'static str], _) = if pair {
            let range = self.rng.one_of([
                "i, j in procs where i != j",
                "i, j in procs where i < j",
                "i, j in procs",
            ]);
            (&["i", "j"], range)
        } else {
            (&["i"], "i in procs")
        };
        let families: Vec<&Family> = self.vocabulary.families.iter().collect();
        let local = families
            .iter()
            .filter(|family| !family.processes.is_empty());
        let local: Vec<&&Family> = local.collect();
        self.range = self.rng.pick(&local)?.processes.clone();
        self.bound = bound;
        Some(Quantifier {
            forall: self.rng.chance(70),
            range,
        })
    }

    /// A formula with at least one temporal operator, and at most `depth` of them on a path.
    fn temporal(&mut self, logic: &str, depth: usize) -> Formula {
        let part = |this: &mut Self| Box::new(this.part(logic, depth - 1));
        if depth > 1 && self.rng.chance(25) {
            let (f, g) = (
                Box::new(self.temporal(logic, depth - 1)),
                Box::new(self.part(logic, depth - 1)),
            );
            return match self.rng.below(4) {
                0 => Formula::And(f, g),
                1 => Formula::Or(f, g),
                2 => Formula::Implies(g, f),
                _ => Formula::Not(f),
            };
        }
        let orders = if logic == "ltl" {
            Orders::Along
        } else {
            self.rng.one_of([Orders::Some, Orders::All, Orders::All])
        };
        if self.rng.chance(25) {
            let operator = self.rng.one_of([Binary::Until, Binary::WeakUntil]);
            return Formula::Binary(orders, operator, part(self), part(self));
        }
        let operator = match (self.rng.below(10), orders) {
            (0, Orders::Some | Orders::Along) => Unary::Next,
            (0 | 1, Orders::All | Orders::Along) => Unary::WeakNext,
            (0..=4, _) => Unary::Finally,
            _ => Unary::Globally,
        };
        Formula::Unary(orders, operator, part(self))
    }

    fn part(&mut self, logic: &str, depth: usize) -> Formula {
        if depth > 0 && self.rng.chance(60) {
            if self.rng.chance(50) {
                let (f, g) = (self.predicate(0), self.temporal(logic, depth));
                return Formula::Implies(Box::new(f), Box::new(g));
            }
            return self.temporal(logic, depth);
        }
        if logic == "ltl" && self.rng.chance(20) {
            return Formula::Event(self.event());
        }
        let depth = self.rng.below(3);
        self.predicate(depth)
    }

    /// A predicate about a cut.
    fn predicate(&mut self, depth: usize) -> Formula {
        if depth == 0 {
            return Formula::Atom(self.atom());
        }
        let (f, g) = (
            Box::new(self.predicate(depth - 1)),
            Box::new(self.predicate(depth - 1)),
        );
        match self.rng.below(7) {
            0..=2 => Formula::And(f, g),
            3 | 4 => Formula::Or(f, g),
            5 => Formula::Implies(f, g),
            _ => Formula::Not(f),
        }
    }

    fn atom(&mut self) -> String {
        if self.rng.chance(FOLDS) {
            return self.fold();
        }
        if self.rng.chance(CHANNELS_AND_PROGRESS) {
            return self.channel_or_progress();
        }
        if self.rng.chance(30) {
            let numbers = self.vocabulary.local(Kind::Number);
            if let (Some(f), Some(g)) = (self.rng.pick(&numbers), self.rng.pick(&numbers)) {
                let (one, other) = (self.variable(f), self.variable(g));
                return format!("{one} {} {other}", self.comparison());
            }
        }
        let families: Vec<&Family> = self.vocabulary.families.iter().collect();
        match self.rng.pick(&families) {
            Some(family) => {
                let variable = self.variable(family);
                self.test(family, &variable)
            }
            None => "initial".to_owned(),
        }
    }

    /// A test of one variable against a value that occurs.
    fn test(&mut self, family: &Family, variable: &str) -> String {
        let value = self
            .rng
            .pick(&family.values)
            .map_or("0", String::as_str)
            .to_owned();
        match family.kind {
            Kind::Bool => self.rng.one_of(["", "!"]).to_owned() + variable,
            Kind::Text => format!("{variable} {} {value}", self.rng.one_of(["=", "=", "!="])),
            Kind::Number => format!("{variable} {} {value}", self.comparison()),
        }
    }

    fn comparison(&mut self) -> &'static str {
        self.rng.one_of(["<", "<=", ">", ">=", "=", "!="])
    }

    /// A variable of a bound name or of one process.
    fn variable(&mut self, family: &Family) -> String {
        if family.processes.is_empty() {
            return family.name.clone();
        }
        let bound = self.rng.pick(self.bound);
        match bound {
            Some(name) if family.processes == self.range && self.rng.chance(80) => {
                format!("{name}.{}", family.name)
            }
            _ => {
                let process = self.rng.pick(&family.processes).map_or("", String::as_str);
                format!("{process}.{}", family.name)
            }
        }
    }

    /// A count, sum, maximum or minimum over the processes.
    fn fold(&mut self) -> String {
        let numbers = self.vocabulary.local(Kind::Number);
        if let Some(&family) = self.rng.pick(&numbers)
            && self.rng.chance(60)
        {
            return self.number_fold(family);
        }
        let local: Vec<&Family> = self
            .vocabulary
            .families
            .iter()
            .filter(|family| !family.processes.is_empty())
            .collect();
        let Some(&family) = self.rng.pick(&local) else {
            return "final".to_owned();
        };
        let test = self.test(family, &format!("k.{}", family.name));
        let most = family.processes.len();
        let limit = if self.rng.chance(50) {
            self.rng.below(3)
        } else {
            self.rng.below(most + 1)
        };
        format!("count(k in procs: {test}) {} {limit}", self.comparison())
    }

    fn number_fold(&mut self, family: &Family) -> String {
        let inner = format!("k.{}", family.name);
        let largest = family.values.iter().filter_map(|value| value.parse().ok());
        let largest: i64 = largest.max().unwrap_or(1);
        let numbers = self.vocabulary.local(Kind::Number);
        let comparison = self.comparison();
        match self.rng.below(5) {
            0 => {
                let all = largest.max(1) as usize * family.processes.len();
                format!(
                    "sum(k in procs: {inner}) {comparison} {}",
                    self.rng.below(all + 1)
                )
            }
            1 => {
                let other = self.rng.pick(&numbers).map_or("", |other| &other.name);
                format!("sum(k in procs: {inner}) {comparison} sum(k in procs: k.{other})")
            }
            2 => {
                let spread = self.rng.below(largest.max(1) as usize + 1);
                format!("max(k in procs: {inner}) - min(k in procs: {inner}) {comparison} {spread}")
            }
            3 => {
                let variable = self.variable(family);
                let word = self.rng.one_of(["max", "min"]);
                format!("{variable} {comparison} {word}(k in procs: {inner})")
            }
            _ => {
                let word = self.rng.one_of(["max", "min"]);
                let limit = self.rng.below(largest.max(1) as usize + 1);
                format!("{word}(k in procs: {inner}) {comparison} {limit}")
            }
        }
    }

    fn channel_or_progress(&mut self) -> String {
        let channel = self.rng.pick(&self.vocabulary.channels).cloned();
        if let Some((from, to)) = channel
            && self.rng.chance(50)
        {
            return if self.rng.chance(50) {
                format!("empty({from} -> {to})")
            } else {
                let (comparison, limit) = (self.comparison(), self.rng.below(3));
                format!("inflight({from} -> {to}) {comparison} {limit}")
            };
        }
        let process = self
            .rng
            .pick(&self.vocabulary.processes)
            .map_or("", String::as_str)
            .to_owned();
        match self.rng.below(5) {
            0 => "final".to_owned(),
            1 | 2 => format!("done({process})"),
            _ => {
                let (comparison, limit) = (self.comparison(), self.rng.below(self.steps + 1));
                format!("steps({process}) {comparison} {limit}")
            }
        }
    }

    /// A predicate about the event just executed.
    fn event(&mut self) -> String {
        let label = self.rng.pick(&self.vocabulary.labels).cloned();
        let process = self.rng.pick(&self.vocabulary.processes).cloned();
        match (label, process) {
            (Some(label), Some(process)) if self.rng.chance(40) => {
                format!("on({process}, \"{label}\")")
            }
            (None, Some(process)) => format!("on({process})"),
            (Some(label), _) => format!("on(\"{label}\")"),
            (None, None) => "false".to_owned(),
        }
    }

    /// Predicates one after the other, as `possibly` and `definitely` take them.
    fn sequence(&mut self, logic: &'static str) -> Property {
        let mut steps = vec![self.predicate(0).text()];
        for _ in 0..1 + self.rng.below(2) {
            let step = self.predicate(0).text();
            let between = self.predicate(0).text();
            steps.push(match self.rng.below(4) {
                0 => format!("[never {between}] {step}"),
                1 => format!("[always {between}] {step}"),
                _ => step,
            });
        }
        let text = format!("property q: {logic} {{ {} }}\n", steps.join(" ; "));
        if logic == "possibly" {
            Property::of_some_order(logic, text)
        } else {
            Property::of_all_orders(logic, false, text)
        }
    }

    /// An automaton with up to four states.
    fn monitor(&mut self) -> Property {
        let states = 2 + self.rng.below(3);
        let mut text = "monitor q { start s0; ".to_owned();
        for state in 0..states - 1 {
            let (guard, depth) = (self.rng.one_of(["on", "on", "when"]), self.rng.below(2));
            let predicate = self.predicate(depth).text();
            let guard = self.guard(guard, &predicate);
            text += &format!("s{state} -> s{} {guard}; ", state + 1);
        }
        for _ in 0..self.rng.below(3) {
            let (from, to) = (self.rng.below(states - 1), self.rng.below(states - 1));
            let predicate = self.predicate(0).text();
            let guard = self.guard("on", &predicate);
            text += &format!("s{from} -> s{to} {guard}; ");
        }
        text += &format!("bad s{} }}\n", states - 1);
        Property::of_all_orders("monitor", false, text)
    }

    /// A guard of a monitor; `on` is about writes, and so needs a variable.
    fn guard(&self, word: &str, predicate: &str) -> String {
        let names = |family: &Family| {
            let local = !family.processes.is_empty();
            predicate.contains(&format!("{}{}", if local { "." } else { "" }, family.name))
        };
        let has_variable = self.vocabulary.families.iter().any(names);
        let word = if has_variable { word } else { "when" };
        format!("{word} {predicate}")
    }
}
