//! Whether an answer stands although something is missing from the log.
//!
//! Three things may be in doubt. *Values*: events of a process are missing, so it is not known what its variables were in
//! between; a property that looks at them has no sure answer. *Order*: some events may be ordered that are not known to
//! be. Then the orders that were checked are all possible ones and perhaps some more. What holds of all of them holds of
//! the possible ones, and what none of them does none of the possible ones does: a formula whose path quantifiers are all
//! universal keeps its `holds`, one whose path quantifiers are all existential keeps its `violated`. *Ranges*: a process that
//! was left out of a range for want of a variable may have it by a missing event, and a whole process may be missing. A
//! `forall` with a range in doubt keeps its `violated`, an `exists` its `holds`, a fold nothing.

mod bound;

pub(crate) use bound::certain;

use causet_base::budget::Budget;
use causet_formula::core::{Ctl, EventAtom, Expr, Pred};
use causet_formula::fold::Subterm;
use causet_formula::linear::Runs;
use causet_formula::modal::{Modal, Operator, Term};
use causet_formula::names::VarRef;
use causet_formula::{Lowered, ProcRef, ProcessDependence};
use causet_trace::{Holes, ProcessId, Trace};

use crate::linear::compile::{Notices, Sizes, compile};
use crate::prepare::Question;
use crate::subject::{process_id, var_id};

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

    /// Whether this answer stands.
    pub(crate) fn keeps(self, holds: bool) -> bool {
        if holds { self.holding } else { self.violated }
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
pub(crate) fn stands(question: &Question, trace: &Trace, budget: &Budget<'_>) -> Stands {
    let look = Look::new(trace, budget);
    if look.holes.is_empty() {
        return Stands::BOTH;
    }
    let goals = question.lowered.representatives();
    let each = goals.iter().map(|goal| look.formula(goal));
    each.fold(look.ranges(&question.lowered), Stands::and)
}

/// What is missing, in words, and how it could change the answer.
pub(crate) fn explanation(
    question: &Question,
    trace: &Trace,
    holds: bool,
    budget: &Budget<'_>,
) -> String {
    let look = Look::new(trace, budget);
    let missing = format!("events{} are missing from the log", look.whose_events());
    let lowered = &question.lowered;
    let mut dependences = lowered.dependences.iter();
    let counts = |one: &&ProcessDependence| !look.dependence(one).keeps(holds);
    if let Some(dependence) = dependences.find(counts) {
        return format!("{missing}{}", look.range_in_doubt(dependence));
    }
    if !look.positions(lowered).keeps(holds) {
        return format!(
            "{missing}, and the order of the processes, which the header does not list, is in doubt"
        );
    }
    format!("{missing}, and could change the answer")
}

struct Look<'t> {
    trace: &'t Trace,
    holes: &'t Holes,
    budget: &'t Budget<'t>,
}

impl<'t> Look<'t> {
    fn new(trace: &'t Trace, budget: &'t Budget<'t>) -> Look<'t> {
        Look {
            trace,
            holes: trace.holes(),
            budget,
        }
    }
}

impl Look<'_> {
    /// Which answers stand whatever other processes, and other variables of processes, there were.
    fn ranges(&self, lowered: &Lowered) -> Stands {
        let dependences = lowered.dependences.iter();
        let each = dependences.map(|dependence| self.dependence(dependence));
        self.all(each).and(self.positions(lowered))
    }

    fn dependence(&self, dependence: &ProcessDependence) -> Stands {
        if !self.holes.has_outsiders() && self.joining(dependence).is_none() {
            return Stands::BOTH;
        }
        Stands {
            holding: !dependence.can_violate,
            violated: !dependence.can_satisfy,
        }
    }

    /// The first process that may belong to a range by a missing event, and the variable it lacks.
    fn joining<'d>(&self, dependence: &'d ProcessDependence) -> Option<&'d (ProcRef, String)> {
        let mut left_out = dependence.left_out.iter();
        left_out.find(|(process, _)| self.holes.has_missing(process_id(*process)))
    }

    /// Which answers stand whatever the order of the processes was.
    fn positions(&self, lowered: &Lowered) -> Stands {
        if lowered.compares_positions && self.holes.is_list_open() {
            Stands::NEITHER
        } else {
            Stands::BOTH
        }
    }

    fn whose_events(&self) -> String {
        let silent = self.holes.silent().iter();
        let names: Vec<&str> = silent
            .map(|&process| self.trace.process_name(process))
            .collect();
        if names.is_empty() || self.holes.is_anybody() {
            String::new()
        } else {
            format!(" of {}", names.join(", "))
        }
    }

    /// Why a range is in doubt, as the end of a sentence.
    fn range_in_doubt(&self, dependence: &ProcessDependence) -> String {
        let cause = match self.joining(dependence) {
            Some((process, variable)) => {
                let process = self.trace.process_name(process_id(*process));
                format!("{process} may have had a variable {variable}")
            }
            None => "a whole process may be missing too".to_owned(),
        };
        match &dependence.name {
            Some(name) => format!(", and {cause}: the range of `{name}` is in doubt"),
            None => format!(", and {cause}: the first and the last cut are in doubt"),
        }
    }

    fn formula(&self, formula: &Ctl) -> Stands {
        let parts = self.all(formula.children().map(|part| self.formula(part)));
        match formula {
            Ctl::State(pred) => self.predicate(pred),
            Ctl::Not(_) => parts.opposite(),
            Ctl::And(_) | Ctl::Or(_) => parts,
            Ctl::Ex(_) => self.next(parts.existential_if(self.holes)),
            Ctl::Eu(..) => parts.existential_if(self.holes),
            Ctl::Au(..) => parts.universal_if(self.holes),
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
        if steps(Operator::Or) {
            stands = stands.existential_if(self.holes);
        }
        if steps(Operator::And) {
            stands = stands.universal_if(self.holes);
        }
        stands
    }

    fn runs(&self, runs: &Runs) -> Stands {
        let preds = runs.language.preds().into_iter();
        let stands = self.all(preds.map(|pred| self.predicate(pred)));
        if stands == Stands::NEITHER || !self.holes.has_missing_events() {
            return stands;
        }
        // A missing event that no atom can see is one position more, at which nothing changes.
        match compile(runs, Sizes::default(), self.budget) {
            Ok(compiled) if matches!(compiled.notices, Notices::Nothing) => stands,
            _ => Stands::NEITHER,
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
        pred.subterms().all(|term| match term {
            Subterm::Pred(Pred::On(event)) => self.is_seen(event),
            Subterm::Pred(Pred::Done(process)) | Subterm::Expr(Expr::Steps(process)) => {
                self.is_complete(process.0)
            }
            Subterm::Expr(Expr::Var(var)) => self.is_written(*var),
            Subterm::Expr(Expr::Inflight(from, to)) => {
                self.is_complete(from.0) && self.is_complete(to.0)
            }
            _ => true,
        })
    }

    /// An event that is missing may be any of those that somebody waits for.
    fn is_seen(&self, event: &EventAtom) -> bool {
        match event {
            EventAtom::Label(_) => !self.holes.has_missing_events(),
            EventAtom::Process(process) | EventAtom::ProcessLabel(process, _) => {
                self.is_complete(process.0)
            }
            EventAtom::Wrote { vars, .. } => vars.iter().all(|&var| self.is_written(var)),
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
