//! Which cuts of a run a slice is about: those that satisfy a predicate, or those that a property looks for.
//!
//! `EF p` and `possibly p` look for a cut with `p`, and `AG !p` hopes that there is none. For all three the slice for `p`
//! holds every cut that anyone could point at. `AF` and `EG` are about orders, and no set of cuts explains them.

use causet_formula::Quantifier;
use causet_formula::core::{Ctl, Pred};
use causet_formula::names::VarRef;

use crate::glance::has_events;
use crate::prepare::Question;

/// What to slice a run for.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The cuts to keep.
    pub goal: Ctl,
    /// The variables that it names.
    pub vars: Vec<VarRef>,
    /// Why these.
    pub role: Role,
}

/// What the cuts of a slice are to somebody who asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// They satisfy the predicate that was asked for.
    Satisfy,
    /// Each of them shows that the property holds.
    Show,
    /// Each of them violates the property.
    Violate,
}

impl Wanted {
    /// The cuts that satisfy a formula; all instances of a quantified one together.
    pub fn by_formula(question: &Question) -> Wanted {
        let (quantifier, goals) = question.goals();
        let goals = goals.into_iter().cloned();
        let goal = match quantifier {
            Some(Quantifier::Exists) => Ctl::or(goals),
            Some(Quantifier::Forall) | None => Ctl::and(goals),
        };
        Wanted::new(question, goal, Role::Satisfy)
    }

    /// The cuts that a property looks for; `None` when it looks for something else.
    pub fn by_property(question: &Question) -> Option<Wanted> {
        if question.lowered.template.is_some() {
            return None;
        }
        let (role, predicate) = sought(&question.lowered.body)?;
        (!has_events(&predicate)).then(|| Wanted::new(question, Ctl::State(predicate), role))
    }

    fn new(question: &Question, goal: Ctl, role: Role) -> Wanted {
        let mentions = question.lowered.mentions.iter();
        Wanted {
            goal,
            vars: mentions.map(|&(var, _)| var).collect(),
            role,
        }
    }
}

/// The predicate below `EF` or `AG !`. Some cut of several kinds is a cut of either kind.
fn sought(formula: &Ctl) -> Option<(Role, Pred)> {
    let all = |parts: &[Ctl], role: Role| -> Option<(Role, Pred)> {
        let found: Option<Vec<(Role, Pred)>> = parts.iter().map(sought).collect();
        let found = found?.into_iter();
        let same = found.map(|(other, predicate)| (other == role).then_some(predicate));
        let predicates: Option<Vec<Pred>> = same.collect();
        Some((role, Pred::or(predicates?)))
    };
    match formula {
        Ctl::Eu(until, goal) => match (until.as_const(), &**goal) {
            (Some(true), Ctl::State(predicate)) => Some((Role::Show, predicate.clone())),
            _ => None,
        },
        Ctl::Not(inner) => match sought(inner)? {
            (Role::Show, predicate) => Some((Role::Violate, predicate)),
            _ => None,
        },
        Ctl::And(parts) => all(parts, Role::Violate),
        Ctl::Or(parts) => all(parts, Role::Show),
        Ctl::State(_) | Ctl::Ex(_) | Ctl::Au(..) | Ctl::Run(_) | Ctl::Modal(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prepare::prepare;
    use crate::subject::Subject;
    use causet_formula::{Kind, Lets, Property};
    use causet_trace::notation;

    fn wanted(kind: Kind, text: &str) -> Option<(Role, Ctl)> {
        let trace = notation::parse("a: x=1 x=0\nb: x=1").expect("a drawing");
        let property = Property::parse(kind, "p", text).expect("a formula");
        let question = prepare(&Subject::of(&trace), &property, &Lets::none()).expect("a meaning");
        Wanted::by_property(&question).map(|wanted| (wanted.role, wanted.goal))
    }

    #[test]
    fn the_same_cuts_are_looked_for_by_three_formulas() {
        let (shows, predicate) = wanted(Kind::Possibly, "a.x == 1 && b.x == 1").expect("cuts");
        assert_eq!(shows, Role::Show);
        let same = wanted(Kind::Ctl, "EF (a.x == 1 && b.x == 1)");
        assert_eq!(same, Some((Role::Show, predicate.clone())));
        let violating = wanted(Kind::Ctl, "AG !(a.x == 1 && b.x == 1)");
        assert_eq!(violating, Some((Role::Violate, predicate)));
    }

    #[test]
    fn instances_are_taken_together() {
        let (role, goal) = wanted(Kind::Ctl, "forall i in procs: AG i.x != 7").expect("cuts");
        assert_eq!(role, Role::Violate);
        assert!(matches!(goal, Ctl::State(Pred::Or(parts)) if parts.len() == 2));
    }

    #[test]
    fn properties_of_orders_look_for_no_cuts() {
        for text in [
            "AF a.x == 1",
            "EG a.x == 0",
            "EX a.x == 1",
            "AG EF a.x == 1",
            "a.x == 1",
        ] {
            assert_eq!(wanted(Kind::Ctl, text), None, "{text}");
        }
        assert_eq!(wanted(Kind::Ltl, "F a.x == 1"), None);
    }
}
