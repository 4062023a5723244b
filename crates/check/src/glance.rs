//! What a property asks of single cuts, looked at wherever somebody points: for pictures and searches, never for
//! verdicts.

use causet_formula::core::{Ctl, Pred};

use crate::prepare::Question;
use crate::subject::Subject;
use crate::valuation::Valuation;

/// The predicate `P` of `AG P`, `EF P`, `AF P` or `EG P`, and of what is built from these by `&&`, `||` and `!`.
pub struct Glance<'t> {
    predicate: Pred,
    valuation: Valuation<'t>,
}

impl<'t> Glance<'t> {
    /// What a property asks of single cuts; `None` when it is about more than these.
    pub fn of(subject: &Subject<'t>, question: &Question) -> Option<Glance<'t>> {
        if question.lowered.template.is_some() {
            return None;
        }
        let predicate = predicate(&question.lowered.body)?;
        (!has_events(&predicate)).then(|| Glance {
            valuation: Valuation::new(subject.trace, [&predicate]),
            predicate,
        })
    }

    /// Whether it is so at a cut.
    pub fn holds(&self, cut: &[u32]) -> bool {
        self.valuation.holds(&self.predicate, cut)
    }
}

impl std::fmt::Debug for Glance<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Glance").field(&self.predicate).finish()
    }
}

fn predicate(formula: &Ctl) -> Option<Pred> {
    match formula {
        Ctl::State(predicate) => Some(predicate.clone()),
        Ctl::Not(inner) => predicate(inner).map(Pred::not),
        Ctl::And(parts) => all(parts).map(Pred::and),
        Ctl::Or(parts) => all(parts).map(Pred::or),
        Ctl::Eu(until, goal) | Ctl::Au(until, goal) => match (until.as_const(), &**goal) {
            (Some(true), Ctl::State(predicate)) => Some(predicate.clone()),
            _ => None,
        },
        Ctl::Ex(_) | Ctl::Run(_) | Ctl::Modal(_) => None,
    }
}

fn all(parts: &[Ctl]) -> Option<Vec<Pred>> {
    parts.iter().map(predicate).collect()
}

/// Whether something is said about the event just executed, which no cut knows.
pub(crate) fn has_events(predicate: &Pred) -> bool {
    let mut atoms = predicate.atoms();
    atoms.any(|(atom, _)| matches!(atom, Pred::On(_)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prepare::prepare;
    use causet_formula::{Kind, Lets, Property};
    use causet_trace::notation;

    fn truths(kind: Kind, text: &str) -> Option<Vec<bool>> {
        let trace = notation::parse("a: x=1 x=0\nb: y=1").expect("a drawing");
        let subject = Subject::of(&trace);
        let property = Property::parse(kind, "p", text).expect("a formula");
        let question = prepare(&subject, &property, &Lets::default()).expect("a meaning");
        let glance = Glance::of(&subject, &question)?;
        let cuts = [[0, 0], [1, 0], [2, 0], [1, 1]];
        Some(cuts.iter().map(|cut| glance.holds(cut)).collect())
    }

    #[test]
    fn the_predicate_of_a_property_is_found_below_one_operator() {
        let both = Some(vec![false, false, false, true]);
        let not_both = Some(vec![true, true, true, false]);
        assert_eq!(truths(Kind::Possibly, "a.x == 1 && b.y == 1"), both);
        assert_eq!(truths(Kind::Ctl, "AF (a.x == 1 && b.y == 1)"), both);
        assert_eq!(truths(Kind::Ctl, "AG !(a.x == 1 && b.y == 1)"), not_both);
        assert_eq!(truths(Kind::Ctl, "EG !(a.x == 1 && b.y == 1)"), not_both);
    }

    #[test]
    fn what_is_about_more_than_cuts_has_none() {
        assert_eq!(truths(Kind::Ctl, "AG (a.x == 1 -> EF b.y == 1)"), None);
        assert_eq!(truths(Kind::Ctl, "EX a.x == 1"), None);
        assert_eq!(truths(Kind::Ltl, "F a.x == 1"), None);
    }
}
