//! Whether an answer stands although something is missing from the log.
//!
//! Two things may be in doubt. *Values*: events of a process are missing, so nobody knows what its variables were in
//! between; a property that looks at them has no sure answer. *Order*: some events may be ordered that are not known to
//! be. Then the orders that were checked are all possible ones and perhaps some more. What holds of all of them holds of
//! the possible ones, and what none of them does none of the possible ones does: a formula whose path quantifiers are all
//! universal keeps its `holds`, one whose path quantifiers are all existential keeps its `violated`.

use causet_formula::core::{Ctl, EventAtom, Expr, Pred};
use causet_formula::linear::{Language, Ltl, Regular, Runs};
use causet_formula::modal::{Modal, Operator, Term};
use causet_formula::names::VarRef;
use causet_trace::{Holes, ProcessId, Trace};

use crate::prepare::Question;
use crate::subject::var_id;

/// Which answers stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stands {
    /// That the property holds.
    pub(crate) holding: bool,
    /// That it is violated.
    pub(crate) violated: bool,
}

impl Stands {
    const BOTH: Stands = Stands {
        holding: true,
        violated: true,
    };
    const NEITHER: Stands = Stands {
        holding: false,
        violated: false,
    };

    fn and(self, other: Stands) -> Stands {
        Stands {
            holding: self.holding && other.holding,
            violated: self.violated && other.violated,
        }
    }

    fn opposite(self) -> Stands {
        Stands {
            holding: self.violated,
            violated: self.holding,
        }
    }

    /// What is asked of every order: more orders than are possible make it no easier to hold.
    fn universal(self) -> Stands {
        Stands {
            violated: false,
            ..self
        }
    }

    /// What is asked of some order.
    fn existential(self) -> Stands {
        Stands {
            holding: false,
            ..self
        }
    }
}

/// Which answers to a question stand.
pub(crate) fn stands(question: &Question, trace: &Trace) -> Stands {
    let look = Look {
        trace,
        holes: trace.holes(),
    };
    if look.holes.is_empty() {
        return Stands::BOTH;
    }
    let goals = question.lowered.representatives();
    let each = goals.iter().map(|goal| look.formula(goal));
    each.fold(Stands::BOTH, Stands::and)
}

/// What is missing, in words.
pub(crate) fn explanation(trace: &Trace) -> String {
    let holes = trace.holes();
    let names: Vec<&str> = holes
        .silent()
        .iter()
        .map(|&process| trace.process_name(process))
        .collect();
    let whose = match names.is_empty() || holes.is_anybody() {
        true => String::new(),
        false => format!(" of {}", names.join(", ")),
    };
    format!("events{whose} are missing from the log, and could change the answer")
}

struct Look<'t> {
    trace: &'t Trace,
    holes: &'t Holes,
}

impl Look<'_> {
    fn formula(&self, formula: &Ctl) -> Stands {
        match formula {
            Ctl::State(pred) => self.predicate(pred),
            Ctl::Not(inner) => self.formula(inner).opposite(),
            Ctl::And(parts) | Ctl::Or(parts) => {
                self.all(parts.iter().map(|part| self.formula(part)))
            }
            Ctl::Ex(inner) => self.next(self.formula(inner).existential_if(self.holes)),
            Ctl::Eu(a, b) => self
                .formula(a)
                .and(self.formula(b))
                .existential_if(self.holes),
            Ctl::Au(a, b) => self
                .formula(a)
                .and(self.formula(b))
                .universal_if(self.holes),
            Ctl::Run(runs) => self.runs(runs).existential_if(self.holes),
            Ctl::Modal(equations) => self.next(self.modal(equations)),
        }
    }

    fn all(&self, each: impl Iterator<Item = Stands>) -> Stands {
        each.fold(Stands::BOTH, Stands::and)
    }

    /// Who counts steps sees the events that are missing.
    fn next(&self, stands: Stands) -> Stands {
        match self.holes.has_missing_events() {
            true => Stands::NEITHER,
            false => stands,
        }
    }

    fn modal(&self, modal: &Modal) -> Stands {
        let steps = |operator: Operator| {
            modal.equations.iter().any(|equation| {
                let is_step = |term: &Term| matches!(term, Term::Step { .. });
                equation.operator == operator && equation.terms.iter().any(is_step)
            })
        };
        let mut stands = Stands::BOTH;
        if steps(Operator::Some) {
            stands = stands.existential_if(self.holes);
        }
        if steps(Operator::All) {
            stands = stands.universal_if(self.holes);
        }
        stands
    }

    fn runs(&self, runs: &Runs) -> Stands {
        match &runs.language {
            Language::Ltl(formula) => self.linear(formula),
            Language::Machine(machine) => {
                self.all(machine.edges.iter().map(|edge| self.predicate(&edge.guard)))
            }
            Language::Sequence(hits) => self.all(hits.iter().map(|hit| {
                let between = self.predicate(&hit.between);
                self.predicate(&hit.at).and(between)
            })),
            Language::Regular(regular) => self.next(self.regular(regular)),
        }
    }

    fn linear(&self, formula: &Ltl) -> Stands {
        match formula {
            Ltl::State(pred) => self.predicate(pred),
            Ltl::Not(inner) => self.linear(inner),
            Ltl::And(parts) | Ltl::Or(parts) => {
                self.all(parts.iter().map(|part| self.linear(part)))
            }
            Ltl::Next(inner) => self.next(self.linear(inner)),
            Ltl::Until(a, b) => self.linear(a).and(self.linear(b)),
        }
    }

    fn regular(&self, regular: &Regular) -> Stands {
        match regular {
            Regular::Letter(pred) => self.predicate(pred),
            Regular::Then(parts) | Regular::Either(parts) => {
                self.all(parts.iter().map(|part| self.regular(part)))
            }
            Regular::Star(inner) => self.regular(inner),
        }
    }

    /// A predicate is sure, or it is not: no order makes it so.
    fn predicate(&self, pred: &Pred) -> Stands {
        match self.is_sure(pred) {
            true => Stands::BOTH,
            false => Stands::NEITHER,
        }
    }

    fn is_sure(&self, pred: &Pred) -> bool {
        match pred {
            Pred::Const(_) => true,
            Pred::Compare(_, a, b) => self.is_known(a) && self.is_known(b),
            Pred::Holds(value) => self.is_known(value),
            Pred::Done(process) => self.is_complete(process.0),
            Pred::On(event) => self.is_seen(event),
            Pred::Not(inner) => self.is_sure(inner),
            Pred::And(parts) | Pred::Or(parts) => parts.iter().all(|part| self.is_sure(part)),
        }
    }

    /// An event that is missing may be any of those that somebody waits for.
    fn is_seen(&self, event: &EventAtom) -> bool {
        match event {
            EventAtom::Label(_) => !self.holes.has_missing_events(),
            EventAtom::Process(process) | EventAtom::ProcessLabel(process, _) => {
                self.is_complete(process.0)
            }
            EventAtom::Wrote { vars, now } => {
                vars.iter().all(|&var| self.is_written(var)) && self.is_sure(now)
            }
        }
    }

    fn is_known(&self, value: &Expr) -> bool {
        match value {
            Expr::Literal(_) => true,
            Expr::Var(var) => self.is_written(*var),
            Expr::Inflight(from, to) => self.is_complete(from.0) && self.is_complete(to.0),
            Expr::Steps(process) => self.is_complete(process.0),
            Expr::Neg(inner) => self.is_known(inner),
            Expr::Arith(_, a, b) => self.is_known(a) && self.is_known(b),
            Expr::Count(parts) => parts.iter().all(|part| self.is_sure(part)),
            Expr::Sum(parts) | Expr::Min(parts) | Expr::Max(parts) => {
                parts.iter().all(|part| self.is_known(part))
            }
            Expr::Truth(pred) => self.is_sure(pred),
        }
    }

    /// Whether everything is known that was written to a variable.
    fn is_written(&self, var: VarRef) -> bool {
        match self.trace.owner(var_id(var)) {
            Some(process) => !self.holes.has_missing(process),
            None => !self.holes.has_missing_events(),
        }
    }

    fn is_complete(&self, process: u32) -> bool {
        !self.holes.has_missing(ProcessId::new(process))
    }
}

impl Stands {
    fn existential_if(self, holes: &Holes) -> Stands {
        match holes.is_order_open() {
            true => self.existential(),
            false => self,
        }
    }

    fn universal_if(self, holes: &Holes) -> Stands {
        match holes.is_order_open() {
            true => self.universal(),
            false => self,
        }
    }
}
