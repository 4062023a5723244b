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
//!
//! A language of runs needs something for each level of its automaton. The level of a state is the least number of
//! letters that lead to it, so a letter raises the level by one at most, and an accepted word has, for each level below
//! the first accepting state, a letter that leads from that level to the next. For `possibly { a ; b ; c }` these are
//! `a`, `b` and `c`: if one of them is true at no cut, no run is accepted.

use causet_formula::core::{Ctl, EventAtom, Pred};
use causet_solve::automaton::{Automaton, State};

use crate::linear::compile::Compiled;

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

/// A level that can be left in more ways than this is passed over.
const MAX_CUBES_PER_LEVEL: usize = 64;

/// Predicates each of which is true at some cut of every accepted run.
///
/// Two automata of one language may have different levels: that of an expression passes `any* . a` in one letter, the
/// deterministic one waits for `a`.
pub(super) fn needed_by_runs(compiled: &Compiled) -> Vec<Pred> {
    let mut needs = Vec::new();
    for automaton in [&compiled.automaton].into_iter().chain(&compiled.guessing) {
        for pair in levels_below_acceptance(automaton).windows(2) {
            let rise = pair[0].iter().flat_map(|&state| automaton.edges(state));
            let rise = rise.filter(|edge| pair[1].contains(&edge.target));
            let cubes: Vec<_> = rise.flat_map(|edge| edge.cubes).collect();
            if cubes.len() > MAX_CUBES_PER_LEVEL {
                continue;
            }
            let literal = |(atom, truth): (usize, bool)| at_the_cut(&compiled.atoms[atom], truth);
            let conjunction = |cube: Vec<_>| Pred::and(cube.into_iter().map(literal));
            let need = Pred::or(cubes.into_iter().map(conjunction));
            if need != Pred::TRUE && !needs.contains(&need) {
                needs.push(need);
            }
        }
    }
    needs
}

/// The states of each level, up to the first level with an accepting state; all levels if there is none.
fn levels_below_acceptance(automaton: &Automaton) -> Vec<Vec<State>> {
    let mut is_known = vec![false; automaton.len()];
    is_known[automaton.initial() as usize] = true;
    let mut levels = vec![vec![automaton.initial()]];
    while let Some(level) = levels.last()
        && !level.is_empty()
        && !level.iter().any(|&state| automaton.is_accepting(state))
    {
        let mut next = Vec::new();
        for target in level.iter().flat_map(|&state| automaton.targets(state)) {
            if !std::mem::replace(&mut is_known[target as usize], true) {
                next.push(target);
            }
        }
        levels.push(next);
    }
    levels
}

/// What a letter says of the cut it stands for, given the truth of one atom. An atom about one written variable is true
/// of the value that the event wrote, which is no value of cuts where two writes race.
fn at_the_cut(atom: &Pred, truth: bool) -> Pred {
    match (atom, truth) {
        (Pred::On(EventAtom::Wrote { vars, now }), true) if vars.len() > 1 => (**now).clone(),
        (Pred::On(_), _) => Pred::TRUE,
        (pred, true) => pred.clone(),
        (pred, false) => Pred::not(pred.clone()),
    }
}

#[cfg(test)]
mod tests {
    use causet_base::budget::Budget;
    use causet_formula::{Kind, Lets, Property};
    use causet_trace::Trace;
    use causet_trace::random::{self, Shape};
    use fastrand::Rng;

    use super::*;
    use crate::engine::{explicit, rows};
    use crate::fixtures::{Maker, number_from_environment, random_sum};
    use crate::linear::compile::{Sizes, compile};
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

    /// Whether some run is a word of what a property looks for, and whether each thing that it needs is reachable, both by
    /// the definition.
    fn runs_by_definition(trace: &Trace, kind: Kind, text: &str) -> Option<(bool, Vec<bool>)> {
        let subject = Subject::of(trace);
        let property = Property::parse(kind, "p", text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        let question = prepare(&subject, &property, &Lets::none()).ok()?;
        let mut goal = question.goals().1[0];
        if let Ctl::Not(inner) = goal {
            goal = inner;
        }
        let Ctl::Run(runs) = goal else {
            return None;
        };
        let budget = Budget::endless();
        let compiled = compile(runs, Sizes::default(), &budget).expect("a small automaton");
        let needs = needed_by_runs(&compiled).into_iter();
        let reach: Vec<Ctl> = needs.map(|need| Ctl::ef(Ctl::State(need))).collect();
        let goals: Vec<&Ctl> = std::iter::once(goal).chain(&reach).collect();
        let answers = explicit::run(&subject, &goals, None, &budget).expect("no limit");
        let mut holds = answers.answers.iter().map(|answer| answer.holds);
        let found = holds.next()?;
        Some((found, holds.collect()))
    }

    #[test]
    fn an_accepted_run_reaches_what_each_level_needs() {
        let (mut unreachable, mut accepted) = (0, 0);
        let rounds = number_from_environment("CAUSET_ROUNDS").unwrap_or(150);
        for seed in 0..rounds {
            let mut rng = Rng::with_seed(seed);
            let shape = Shape::small(&mut rng);
            let trace = random::run(&mut rng, shape);
            for _ in 0..8 {
                let mut maker = Maker {
                    rng: &mut rng,
                    processes: shape.processes,
                    shared: shape.shared,
                };
                let (p, q, r) = (maker.state(1), maker.state(1), maker.state(1));
                let (kind, text) = match rng.usize(0..8) {
                    0 => (Kind::Possibly, format!("{{ {p} ; {q} ; {r} }}")),
                    1 => (Kind::Possibly, format!("{{ {p} ; [never {q}] {r} ; {p} }}")),
                    2 => (Kind::Possibly, format!("re( {p}* . {q} . ({r} | {q}) )")),
                    3 => (Kind::Definitely, format!("{{ {p} ; {q} }}")),
                    4 => (Kind::Ltl, format!("G ({p} -> X G ({q} -> G {r}))")),
                    5 => (Kind::Ltl, format!("{p} U (X {q} && F {r})")),
                    6 => (Kind::Ltl, format!("G (on({p}) -> N N {q})")),
                    _ => (
                        Kind::Monitor,
                        format!(
                            "{{ start s; s -> t on {p}; t -> u when {q}; u -> v on {r}; bad v }}"
                        ),
                    ),
                };
                let Some((found, reaches)) = runs_by_definition(&trace, kind, &text) else {
                    continue;
                };
                let all = reaches.iter().all(|&reaches| reaches);
                assert!(all || !found, "seed {seed}: {text}");
                accepted += u32::from(found && !reaches.is_empty());
                unreachable += u32::from(!all);
            }
        }
        assert!(
            accepted > 100 && unreachable > 100,
            "{accepted} {unreachable}"
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
