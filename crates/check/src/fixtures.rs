//! What the tests of engines share: a projection for a formula, and random predicates and formulas.

use causet_base::budget::Budget;
use causet_formula::core::Ctl;
use causet_formula::{Kind, Lets, Property};
use causet_trace::Trace;
use fastrand::Rng;

use crate::prepare::prepare;
use crate::project::{Projection, Survey};
use crate::records::Records;
use crate::subject::Subject;

/// Does something with the projection for a formula; `None` when the formula means nothing on the run.
pub(crate) fn with_projection<T>(
    trace: &Trace,
    text: &str,
    act: impl FnOnce(&Projection<'_>, &Ctl) -> T,
) -> Option<T> {
    let subject = Subject::of(trace);
    let property =
        Property::parse(Kind::Ctl, "p", text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
    let question = prepare(&subject, &property, &Lets::none()).ok()?;
    let goal = question.goals().1[0];
    let vars = question.lowered.mentions.iter().map(|&(var, _)| var);
    let budget = Budget::endless();
    let mut survey = Survey::new(Records::of(subject, vars));
    let sight = survey.look(&[goal], false);
    survey.sweep(&[&sight], &budget).expect("no limit");
    let projection = survey.project(&sight, &budget).expect("no limit");
    Some(act(&projection, goal))
}

/// Random formulas for a run.
pub(crate) struct Maker<'r> {
    pub(crate) rng: &'r mut Rng,
    pub(crate) processes: usize,
    pub(crate) shared: bool,
}

impl Maker<'_> {
    fn process(&mut self) -> String {
        format!("p{}", self.rng.usize(1..=self.processes))
    }

    fn op(&mut self) -> &'static str {
        ["<", "<=", ">", ">=", "=", "!="][self.rng.usize(0..6)]
    }

    fn local(&mut self) -> String {
        let (p, op, k) = (self.process(), self.op(), self.rng.i64(0..3));
        match self.rng.usize(0..6) {
            0 => format!("{p}.st = \"idle\""),
            1 => format!("done({p})"),
            2 if self.shared => format!("s {op} {k}"),
            _ => format!("{p}.x {op} {k}"),
        }
    }

    fn atom(&mut self) -> String {
        let (p, q, r) = (self.process(), self.process(), self.process());
        let (op, k) = (self.op(), self.rng.i64(0..4));
        match self.rng.usize(0..14) {
            0 => format!("inflight({p} -> {q}) {op} {k}"),
            1 => format!("steps({p}) - steps({q}) {op} {}", k - 2),
            2 => format!("steps({p}) {op} steps({q}) + {k}"),
            3 => format!("steps({p}) + steps({q}) {op} {}", 2 * k),
            4 => format!("{p}.x {op} {q}.x"),
            5 => format!("{p}.x / {q}.x {op} {k}"),
            6 => format!("steps({p}) + 2 * steps({q}) - steps({r}) {op} {k}"),
            7 => format!("0 * {p}.x + {q}.x {op} steps({r})"),
            _ => self.local(),
        }
    }

    pub(crate) fn state(&mut self, depth: usize) -> String {
        match self.rng.usize(0..6) {
            0 | 1 if depth > 0 => {
                let join = ["&&", "||"][self.rng.usize(0..2)];
                format!(
                    "({} {join} {})",
                    self.state(depth - 1),
                    self.state(depth - 1)
                )
            }
            2 if depth > 0 => format!("!({})", self.state(depth - 1)),
            _ => format!("({})", self.atom()),
        }
    }

    fn joined(&mut self, join: &str) -> String {
        let parts: Vec<String> = (0..self.rng.usize(1..=4)).map(|_| self.local()).collect();
        format!("({})", parts.join(join))
    }

    pub(crate) fn formula(&mut self, depth: usize) -> String {
        let unary = ["EF", "AG", "EG", "AF", "!"];
        match self.rng.usize(0..10) {
            0..=4 if depth > 0 => {
                format!(
                    "{}({})",
                    unary[self.rng.usize(0..5)],
                    self.formula(depth - 1)
                )
            }
            5 | 6 if depth > 0 => {
                let join = ["&&", "||", "&&"][self.rng.usize(0..3)];
                format!(
                    "({} {join} {})",
                    self.formula(depth - 1),
                    self.formula(depth - 1)
                )
            }
            7 => format!("AF{}", self.joined(" && ")),
            8 => format!("EG{}", self.joined(" || ")),
            _ => self.state(2),
        }
    }
}

pub(crate) fn number_from_environment(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// A random sum of things that one chain decides each.
pub(crate) fn random_sum(rng: &mut Rng, processes: usize) -> String {
    let mut addend = || {
        let p = format!("p{}", rng.usize(1..=processes));
        let q = format!("p{}", rng.usize(1..=processes));
        let sign = ["+", "-"][rng.usize(0..2)];
        let factor = ["", "2 * ", "0.5 * ", "-3 * "][rng.usize(0..4)];
        let addend = match rng.usize(0..8) {
            0 => format!("steps({p})"),
            1 => format!("inflight({p} -> {q})"),
            2 => format!("count({p}.x > 1, {q}.x = 0, !done({p}))"),
            3 => "sum(i in procs: i.x)".to_owned(),
            4 => format!("({p}.x - {q}.x)"),
            _ => format!("{p}.x"),
        };
        format!("{sign} {factor}{addend}")
    };
    let addends: Vec<String> = (0..4).map(|_| addend()).collect();
    format!("0 {}", addends.join(" "))
}
