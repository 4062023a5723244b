//! What must be reachable for a formula to be true: where that is not, nothing else has to be looked at.
//!
//! `needed(f)` is a predicate such that wherever `f` is true, some cut from there on satisfies it:
//!
//! | formula | needs | why |
//! |---|---|---|
//! | a predicate | itself | the cut itself |
//! | `f \|\| g` | what `f` needs or what `g` needs | one of them is true |
//! | `f && g` | what either needs | both are true |
//! | `EX f` | what `f` needs | there is a next cut where `f` is true, and cuts from there on are cuts from here on |
//! | `E[f U g]`, `A[f U g]` | what `g` needs | some run from here exists, and on it is a cut where `g` is true |
//! | `!f` and others | nothing | |
//!
//! So `f` is false at the initial cut if `EF needed(f)` is. For a violation of `!a W b` that is `EF (a && !b)` in the
//! place of `E[!b U (a && !b)]`, and for one of `G (p -> (p W q))` it is `EF (!p && !q)`. Slices and heaviest cuts decide
//! `EF` of counts and sums in polynomial time; the until that is left otherwise takes a diagram of all cuts.

use causet_formula::core::{Ctl, Pred};

/// A predicate that must be reachable for a formula with untils to be true.
pub(super) fn needed(formula: &Ctl) -> Option<Pred> {
    if !waits(formula) {
        return None;
    }
    let pred = need(formula);
    (!matches!(pred, Pred::Const(_))).then_some(pred)
}

/// Whether there is an until with a left side on the way to what is needed; engines know better ways for the rest.
fn waits(formula: &Ctl) -> bool {
    match formula {
        Ctl::Eu(hold, goal) | Ctl::Au(hold, goal) => **hold != Ctl::TRUE || waits(goal),
        Ctl::And(parts) | Ctl::Or(parts) => parts.iter().any(waits),
        Ctl::Ex(part) => waits(part),
        Ctl::State(_) | Ctl::Not(_) | Ctl::Run(_) | Ctl::Modal(_) => false,
    }
}

fn need(formula: &Ctl) -> Pred {
    match formula {
        Ctl::State(pred) => pred.clone(),
        Ctl::Or(parts) => Pred::or(parts.iter().map(need)),
        Ctl::And(parts) => {
            let is_state = |part: &&Ctl| matches!(part, Ctl::State(_));
            let later = parts.iter().filter(|part| !is_state(part)).map(need);
            let mut later = later.filter(|pred| *pred != Pred::TRUE);
            // The later of two cuts usually says more; of one cut all that is known counts.
            later
                .next()
                .unwrap_or_else(|| Pred::and(parts.iter().filter(is_state).map(need)))
        }
        Ctl::Ex(part) => need(part),
        Ctl::Eu(_, goal) | Ctl::Au(_, goal) => need(goal),
        Ctl::Not(_) | Ctl::Run(_) | Ctl::Modal(_) => Pred::TRUE,
    }
}

#[cfg(test)]
mod tests {
    use causet_formula::{Kind, Lets, Property};
    use causet_solve::budget::Budget;
    use causet_trace::Trace;
    use causet_trace::random::{self, Shape};
    use fastrand::Rng;

    use super::*;
    use crate::engine::rows;
    use crate::fixtures::{Maker, number_from_environment, random_sum};
    use crate::prepare::prepare;
    use crate::project::Survey;
    use crate::records::Records;
    use crate::subject::Subject;

    /// Whether a formula is true, and whether what it needs is reachable, both by visiting every cut.
    fn by_definition(trace: &Trace, text: &str) -> Option<(bool, bool)> {
        let subject = Subject::of(trace);
        let property =
            Property::parse(Kind::Ctl, "p", text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        let question = prepare(&subject, &property, &Lets::none()).ok()?;
        let goal = question.goals().1[0];
        let reach = Ctl::ef(Ctl::State(needed(goal)?));
        let vars = question.lowered.mentions.iter().map(|&(var, _)| var);
        let budget = Budget::endless();
        let mut survey = Survey::new(Records::of(subject, vars));
        let sight = survey.look(&[goal, &reach], false);
        survey.sweep(&[&sight], &budget).expect("no limit");
        let projection = survey.project(&sight, &budget).expect("no limit");
        let holds = |formula| {
            rows::run(&projection, formula, &budget)
                .expect("no limit")
                .holds
        };
        Some((holds(goal), holds(&reach)))
    }

    #[test]
    fn what_is_true_reaches_what_it_needs() {
        let (mut unreachable, mut compared) = (0, 0);
        let rounds = number_from_environment("CAUSET_ROUNDS").unwrap_or(120);
        for seed in 0..rounds {
            let mut rng = Rng::with_seed(seed);
            let shape = Shape::small(&mut rng);
            let trace = random::run(&mut rng, shape);
            for _ in 0..8 {
                let sum = random_sum(&mut rng, shape.processes);
                let mut maker = Maker {
                    rng: &mut rng,
                    processes: shape.processes,
                    shared: shape.shared,
                };
                let (p, q, r) = (maker.state(1), maker.state(1), maker.formula(1));
                let text = match rng.usize(0..5) {
                    0 => format!("E[{p} U ({q} && {sum} = 0)]"),
                    1 => format!("A[{p} U ({q} || {sum} > 3)]"),
                    2 => format!("EF ({p} && E[{p} U (!{p} && {sum} != 0)])"),
                    3 => format!("E[{p} U ({q} && {r})] || EX E[{q} U ({sum} = 1)]"),
                    _ => format!("E[{p} U ({r} && A[{q} U {p}])]"),
                };
                let Some((holds, reaches)) = by_definition(&trace, &text) else {
                    continue;
                };
                assert!(reaches || !holds, "seed {seed}: {text}");
                compared += 1;
                unreachable += u32::from(!reaches);
            }
        }
        assert!(
            compared > 300 && unreachable > 20,
            "{compared} {unreachable}"
        );
    }

    #[test]
    fn untils_alone_need_something() {
        let needs = |text: &str| {
            let trace = causet_trace::notation::parse("a: x=1\nb: x=2").expect("a drawing");
            let subject = Subject::of(&trace);
            let property = Property::parse(Kind::Ctl, "p", text).expect("a formula");
            let question = prepare(&subject, &property, &Lets::none()).expect("it fits");
            needed(question.goals().1[0]).is_some()
        };
        assert!(needs("E[a.x = 0 U b.x = 2]"));
        assert!(needs("EF (a.x = 1 && E[a.x = 1 U b.x = 2])"));
        assert!(!needs("EF b.x = 2"));
        assert!(!needs("!E[a.x = 0 U b.x = 2]"));
        assert!(!needs("EF (a.x = 1 && !E[a.x = 1 U b.x = 2])"));
    }
}
