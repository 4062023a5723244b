//! Formulas without what is in doubt, which are true of the log only if the property is true of the run, or are false of
//! the log only if the property is false of the run.
//!
//! A part in doubt is replaced by a constant: `false` on the safe side of `holds`, `true` on that of `violated`, and the
//! other way round below a negation. So `AG (a.x < 2 && b.x < 2)` is violated for sure if `b` alone violates it, whatever
//! events of `a` are missing.

use std::sync::Arc;

use causet_base::budget::Budget;
use causet_formula::core::{Ctl, Pred};
use causet_formula::linear::{Hit, Language, Ltl, Regular, Runs};
use causet_formula::{Lowered, Quantifier};

use super::Look;
use crate::decide::{Disagreement, answer, conclude_certain};
use crate::engine::ist::Stock;
use crate::linear::compile::{Notices, Sizes, compile};
use crate::outcome::Outcome;
use crate::plan::{Choice, Plan};
use crate::prepare::Question;
use crate::records::Records;
use crate::subject::Subject;

/// Which side of the truth a formula is on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bound {
    /// True only if the formula is true of the whole run.
    Lower,
    /// False only if the formula is false of the whole run.
    Upper,
}

impl Bound {
    fn opposite(self) -> Bound {
        match self {
            Bound::Lower => Bound::Upper,
            Bound::Upper => Bound::Lower,
        }
    }

    /// What can be said of a part about which nothing is known.
    fn unknown(self) -> Pred {
        Pred::Const(self == Bound::Upper)
    }
}

/// The outcome of a property whose verdict on the log is in doubt, if what is not in doubt suffices for the same verdict.
pub(crate) fn certain(
    subject: &Subject<'_>,
    question: &Question,
    holds: bool,
    budget: &Budget<'_>,
) -> Result<Option<Outcome>, Disagreement> {
    let look = Look::new(subject.trace, budget);
    let Some(bounded) = look.bounded(question, holds) else {
        return Ok(None);
    };
    let mentions = bounded.lowered.mentions.iter();
    let records = Records::of(*subject, mentions.map(|&(var, _)| var));
    let sizes = Sizes::default();
    let Ok(plan) = Plan::within(records, &[&bounded], Choice::Auto, sizes, budget) else {
        return Ok(None);
    };
    let stock = Stock::new(budget);
    let answers = answer(&plan, 0, &bounded, &stock, budget);
    let same = answers.answers.first().map(|answer| answer.holds) == Some(holds);
    if answers.spent.is_some() || !same {
        return Ok(None);
    }
    conclude_certain(subject, &bounded, &answers, budget).map(Some)
}

impl Look<'_> {
    /// The property without what is in doubt, on the safe side of a verdict; none if that leaves nothing.
    fn bounded(&self, question: &Question, holds: bool) -> Option<Question> {
        let is_template = question.lowered.template.is_some();
        if is_template || !self.ranges(&question.lowered).keeps(holds) {
            return None;
        }
        let bound = if holds { Bound::Lower } else { Bound::Upper };
        let (quantifier, goals) = question.goals();
        let parts = goals.into_iter().map(|goal| self.bound(goal, bound));
        let body = if quantifier == Some(Quantifier::Exists) {
            Ctl::or(parts)
        } else {
            Ctl::and(parts)
        };
        if body.as_const() == Some(!holds) {
            return None;
        }
        Some(Question {
            lowered: Lowered {
                body,
                quantifier: None,
                instances: Vec::new(),
                ..question.lowered.clone()
            },
            warnings: Vec::new(),
        })
    }

    fn bound(&self, formula: &Ctl, bound: Bound) -> Ctl {
        let missing = self.holes.has_missing_events();
        let open = self.holes.is_order_open();
        match formula {
            Ctl::State(pred) => Ctl::State(self.bound_of_predicate(pred, bound)),
            Ctl::Not(inner) => Ctl::not(self.bound(inner, bound.opposite())),
            Ctl::And(parts) => Ctl::and(parts.iter().map(|part| self.bound(part, bound))),
            Ctl::Or(parts) => Ctl::or(parts.iter().map(|part| self.bound(part, bound))),
            Ctl::Eu(..) | Ctl::Run(_) if open && bound == Bound::Lower => {
                Ctl::State(bound.unknown())
            }
            Ctl::Au(..) if open && bound == Bound::Upper => Ctl::State(bound.unknown()),
            Ctl::Eu(f, g) => Ctl::eu(self.bound(f, bound), self.bound(g, bound)),
            Ctl::Au(f, g) => Ctl::au(self.bound(f, bound), self.bound(g, bound)),
            Ctl::Run(runs) => self.bound_of_runs(runs, bound),
            Ctl::Ex(_) | Ctl::Modal(_) if missing || open => Ctl::State(bound.unknown()),
            Ctl::Ex(_) | Ctl::Modal(_) => formula.clone(),
        }
    }

    /// A predicate whose parts are all sure.
    fn bound_of_predicate(&self, pred: &Pred, bound: Bound) -> Pred {
        if self.is_sure(pred) {
            return pred.clone();
        }
        let each = |part: &Pred| self.bound_of_predicate(part, bound);
        match pred {
            Pred::Not(inner) => Pred::not(self.bound_of_predicate(inner, bound.opposite())),
            Pred::And(parts) => Pred::and(parts.iter().map(each)),
            Pred::Or(parts) => Pred::or(parts.iter().map(each)),
            _ => bound.unknown(),
        }
    }

    fn bound_of_runs(&self, runs: &Runs, bound: Bound) -> Ctl {
        let side = if runs.complement {
            bound.opposite()
        } else {
            bound
        };
        let Some(language) = self.bound_of_language(&runs.language, side) else {
            return Ctl::State(bound.unknown());
        };
        let runs = Runs {
            language,
            ..runs.clone()
        };
        if self.notices_missing(&runs, side) {
            Ctl::State(bound.unknown())
        } else {
            Ctl::Run(Arc::new(runs))
        }
    }

    /// Whether positions more, at which nothing changes, could make a word belong where it must not.
    fn notices_missing(&self, runs: &Runs, side: Bound) -> bool {
        if !self.holes.has_missing_events() {
            return false;
        }
        // With more positions there are more to choose the hits from.
        if let (Language::Sequence(hits), Bound::Lower) = (&runs.language, side)
            && hits.iter().all(|hit| hit.between == Pred::TRUE)
        {
            return false;
        }
        let compiled = compile(runs, Sizes::default(), self.budget);
        !compiled.is_ok_and(|compiled| matches!(compiled.notices, Notices::Nothing))
    }

    fn bound_of_language(&self, language: &Language, side: Bound) -> Option<Language> {
        Some(match language {
            Language::Ltl(formula) => Language::Ltl(self.bound_of_linear(formula, side)),
            Language::Machine(machine) => {
                let mut guards = machine.edges.iter().map(|edge| &edge.guard);
                return guards
                    .all(|guard| self.is_sure(guard))
                    .then(|| language.clone());
            }
            Language::Sequence(hits) => Language::Sequence(
                hits.iter()
                    .map(|hit| Hit {
                        between: self.bound_of_predicate(&hit.between, side),
                        at: self.bound_of_predicate(&hit.at, side),
                    })
                    .collect(),
            ),
            Language::Regular(regular) => Language::Regular(self.bound_of_regular(regular, side)),
        })
    }

    fn bound_of_linear(&self, formula: &Ltl, side: Bound) -> Ltl {
        let each = |part: &Ltl| self.bound_of_linear(part, side);
        match formula {
            Ltl::State(pred) => Ltl::State(self.bound_of_predicate(pred, side)),
            Ltl::Not(inner) => Ltl::not(self.bound_of_linear(inner, side.opposite())),
            Ltl::And(parts) => Ltl::and(parts.iter().map(each)),
            Ltl::Or(parts) => Ltl::or(parts.iter().map(each)),
            Ltl::Next(inner) => Ltl::next(each(inner)),
            Ltl::Until(a, b) => Ltl::until(each(a), each(b)),
        }
    }

    fn bound_of_regular(&self, regular: &Regular, side: Bound) -> Regular {
        let each = |part: &Regular| self.bound_of_regular(part, side);
        match regular {
            Regular::Letter(pred) => Regular::Letter(self.bound_of_predicate(pred, side)),
            Regular::Then(parts) => Regular::then(parts.iter().map(each)),
            Regular::Either(parts) => Regular::either(parts.iter().map(each)),
            Regular::Star(inner) => Regular::star(each(inner)),
        }
    }
}
