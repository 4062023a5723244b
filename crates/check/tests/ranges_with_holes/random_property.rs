//! Random properties as text, with quantifiers and folds over processes or without.

use causet_formula::Kind;
use fastrand::Rng;

/// Definitions that properties use.
pub(crate) const DEFINITIONS: &str = "let high(i) = i.x > 1
let twin(i) = exists q in procs where q != i: q.x = i.x
let somebody_high = exists q in procs: q.x > 1
";

/// Makes properties about some processes.
pub(crate) struct PropertyMaker<'r> {
    random: &'r mut Rng,
    processes: Vec<String>,
    is_quantified: bool,
    /// Names in scope, innermost last.
    bound: Vec<String>,
    /// Whether events may be spoken of.
    has_events: bool,
}

impl<'r> PropertyMaker<'r> {
    pub(crate) fn new(random: &'r mut Rng, processes: Vec<String>, is_quantified: bool) -> Self {
        PropertyMaker {
            random,
            processes,
            is_quantified,
            bound: Vec::new(),
            has_events: false,
        }
    }

    /// A property of any kind.
    pub(crate) fn property(&mut self) -> (Kind, String) {
        let kinds = [
            Kind::Ctl,
            Kind::Ctl,
            Kind::Ltl,
            Kind::Possibly,
            Kind::Definitely,
            Kind::Monitor,
        ];
        let kind = kinds[self.random.usize(..kinds.len())];
        self.has_events = matches!(kind, Kind::Ltl | Kind::Monitor);
        let mut text = String::new();
        if self.is_quantified && self.random.u8(..3) > 0 {
            text = self.quantifier();
        }
        text += &match kind {
            Kind::Ctl => self.ctl(2),
            Kind::Ltl => self.ltl(2),
            Kind::Monitor => self.monitor(),
            _ if self.random.bool() => self.state(2),
            _ => self.sequence(),
        };
        (kind, text)
    }

    /// A quantifier whose names are in scope from now on.
    fn quantifier(&mut self) -> String {
        let word = ["forall", "exists"][self.random.usize(..2)];
        let binder = self.binder();
        format!("{word} {binder}: ")
    }

    fn binder(&mut self) -> String {
        let count = self.random.usize(1..=2);
        let fresh = self.bound.len();
        let names: Vec<String> = (fresh..fresh + count).map(|n| format!("i{n}")).collect();
        let range = self.range();
        let condition = match (&names[..], self.random.u8(..4)) {
            ([i, j], 0 | 1) => format!(" where {i} != {j}"),
            ([i, j], 2) => format!(" where {i} < {j}"),
            _ => String::new(),
        };
        let text = format!("{} in {range}{condition}", names.join(", "));
        self.bound.extend(names);
        text
    }

    fn range(&mut self) -> &'static str {
        ["procs", "procs", "procs(\"p*\")", "procs(\"?1\")"][self.random.usize(..4)]
    }

    /// A part within which a quantifier or a fold may bind names.
    fn scoped(&mut self, part: impl FnOnce(&mut Self) -> String) -> String {
        let outside = self.bound.len();
        let text = part(self);
        self.bound.truncate(outside);
        text
    }

    fn process(&mut self) -> String {
        let is_bound = !self.bound.is_empty() && self.random.u8(..5) > 0;
        let names = if is_bound {
            &self.bound
        } else {
            &self.processes
        };
        names[self.random.usize(..names.len())].clone()
    }

    fn comparison(&mut self) -> String {
        let sign = ["=", "!=", "<", ">="][self.random.usize(..4)];
        format!("{sign} {}", self.random.u8(..3))
    }

    fn atom(&mut self) -> String {
        let (process, other) = (self.process(), self.process());
        let compared = self.comparison();
        let cases = if self.is_quantified { 16 } else { 11 };
        match self.random.u8(..cases) {
            0..=3 => format!("{process}.x {compared}"),
            4 => format!("{process}.y {compared}"),
            5 => format!("{process}.x = {other}.x"),
            6 => format!("steps({process}) {compared}"),
            7 => format!("done({process})"),
            8..=9 if self.has_events => self.event(&process),
            8..=10 => format!("high({process})"),
            11 => format!("twin({process})"),
            12 => ["somebody_high", "initial", "final"][self.random.usize(..3)].to_owned(),
            13 if self.bound.len() > 1 => format!("{} < {}", self.bound[0], self.bound[1]),
            _ => format!("{} {compared}", self.fold()),
        }
    }

    fn event(&mut self, process: &str) -> String {
        let compared = self.comparison();
        match self.random.u8(..4) {
            0 => format!("on({process})"),
            1 => format!("on({process}, \"go\")"),
            2 => "on(\"stop\")".to_owned(),
            _ => format!("on({process}.x {compared})"),
        }
    }

    fn fold(&mut self) -> String {
        let had_events = std::mem::replace(&mut self.has_events, false);
        let text = self.scoped(|this| {
            let binder = this.binder();
            if this.random.bool() {
                let inside = this.state(1);
                return format!("count({binder}: {inside})");
            }
            let word = ["sum", "min", "max"][this.random.usize(..3)];
            let value = format!("{}.x", this.process());
            format!("{word}({binder}: {value})")
        });
        self.has_events = had_events;
        text
    }

    /// A predicate.
    fn state(&mut self, depth: usize) -> String {
        self.combination(depth, Self::state, Self::atom)
    }

    /// A boolean combination or a quantifier over parts, or a leaf.
    fn combination(
        &mut self,
        depth: usize,
        part: fn(&mut Self, usize) -> String,
        leaf: fn(&mut Self) -> String,
    ) -> String {
        if depth == 0 || self.random.u8(..3) == 0 {
            return leaf(self);
        }
        if self.is_quantified && self.random.u8(..3) == 0 {
            return self.scoped(|this| format!("({}{})", this.quantifier(), part(this, depth - 1)));
        }
        let one = part(self, depth - 1);
        if self.random.u8(..3) == 0 {
            return format!("!({one})");
        }
        let sign = ["&&", "||", "->", "<->"][self.random.usize(..4)];
        format!("(({one}) {sign} ({}))", part(self, depth - 1))
    }

    fn ctl(&mut self, depth: usize) -> String {
        self.combination(depth, Self::ctl, |this| {
            let one = this.state(1);
            let letter = ["A", "E"][this.random.usize(..2)];
            match this.random.u8(..8) {
                0..=2 => format!("{letter}G ({one})"),
                3..=5 => format!("{letter}F ({one})"),
                6 => format!("{letter}X ({one})"),
                _ => {
                    let sign = ["U", "W", "R"][this.random.usize(..3)];
                    format!("{letter}[{one} {sign} {}]", this.state(1))
                }
            }
        })
    }

    fn ltl(&mut self, depth: usize) -> String {
        self.combination(depth, Self::ltl, |this| {
            let one = this.state(1);
            match this.random.u8(..8) {
                0..=2 => format!("G ({one})"),
                3..=5 => format!("F ({one})"),
                6 => format!("X ({one})"),
                _ => {
                    let sign = ["U", "W", "R", "M"][this.random.usize(..4)];
                    format!("(({one}) {sign} ({}))", this.state(1))
                }
            }
        })
    }

    fn sequence(&mut self) -> String {
        self.has_events = true;
        let (one, other, between) = (self.state(1), self.state(1), self.state(1));
        match self.random.u8(..4) {
            0 => format!("{{ {one} ; {other} }}"),
            1 => format!("{{ {one} ; [never {between}] {other} }}"),
            2 => format!("{{ {one} ; [always {between}] {other} }}"),
            _ => format!("re( ({one}) . _* . ({other}) )"),
        }
    }

    fn monitor(&mut self) -> String {
        let (one, other) = (self.state(1), self.state(1));
        let process = self.process();
        let compared = self.comparison();
        format!(
            "{{ start s; s -> t on {process}.x {compared}; s -> u when {one}; u -> t when {other}; bad t }}"
        )
    }
}
