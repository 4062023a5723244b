//! A language of runs as a formula of CTL, where its automaton allows it.
//!
//! Let the language notice no repetition and speak of nothing but states, and let the automaton never come back to a state
//! it has left (*very weak*). Being about to read a cut in state `q`, some run from there is accepted exactly if
//!
//! ```text
//! D(q) = E[ stay(q) U  some q' != q: go(q, q') && D(q') ]  ||  EG stay(q)   if q is accepting
//! ```
//!
//! where `stay(q)` and `go(q, q')` are the conditions on the letter. The formula reads a cut once more after every change
//! of state, so what it finds is accepted after some repetitions, and then without them as well. Nothing is missed if
//! what leads to a state lets it stay: `go(q, q')` implies `stay(q')`. The recursion ends since the automaton is very weak.
//! So everything that decides CTL on what a formula can see, slices and diagrams included, decides such properties too:
//! `G`, `F`, until, precedence, response and the like. The deterministic automaton is tried first; that of a response
//! goes back and forth, and there one that guesses is very weak.

use causet_formula::core::{Ctl, Pred};
use causet_solve::automaton::{Automaton, Look, Place, State};

use super::compile::{Compiled, Notices};

/// A formula larger than this is not worth it.
const LARGEST: usize = 600;

/// A formula that holds exactly if some run is accepted, or why there is none.
pub(crate) fn branching(compiled: &Compiled) -> Result<Ctl, &'static str> {
    if compiled
        .atoms
        .iter()
        .any(|atom| matches!(atom, Pred::On(_)))
    {
        return Err("it speaks of events, and CTL speaks of cuts");
    }
    if !matches!(compiled.notices, Notices::Nothing) {
        return Err("it notices when a position is repeated");
    }
    let automata = [Some(&compiled.automaton), compiled.guessing.as_ref()];
    let mut reason = "its automaton has no states";
    for automaton in automata.into_iter().flatten() {
        match of_automaton(compiled, automaton) {
            Ok(formula) => return Ok(formula),
            Err(why_not) => reason = why_not,
        }
    }
    Err(reason)
}

fn of_automaton(compiled: &Compiled, automaton: &Automaton) -> Result<Ctl, &'static str> {
    let Some(order) = automaton.very_weak() else {
        return Err("its automaton comes back to states it has left");
    };
    if !lets_stay(automaton) {
        return Err("its automaton does not stay where it comes to");
    }
    let (dead, sure) = (automaton.dead(), automaton.sure());
    let mut decided: Vec<Option<Ctl>> = vec![None; automaton.len()];
    for &state in order.iter().rev() {
        let formula = match (dead[state as usize], sure[state as usize]) {
            (true, _) => Ctl::FALSE,
            (_, true) => Ctl::TRUE,
            _ => formula(compiled, automaton, state, &decided),
        };
        if formula.size() > LARGEST {
            return Err("as a formula of CTL it is too large");
        }
        decided[state as usize] = Some(formula);
    }
    let initial = decided.swap_remove(automaton.initial() as usize);
    initial.ok_or("its automaton has no states")
}

/// Whether every letter that leads to a state lets it stay there.
fn lets_stay(automaton: &Automaton) -> bool {
    let mut states = 0..automaton.len() as State;
    states.all(|state| {
        let edges = automaton.edges(state);
        let mut onward = edges.iter().filter(|edge| edge.target != state);
        onward.all(|edge| {
            let start = automaton.start(edge.target);
            let mut cubes = edge.cubes.iter();
            cubes.all(|cube| stays(automaton, edge.target, start, cube))
        })
    })
}

/// Whether all letters of a conjunction lead from a place in the decisions of a state back to that state.
fn stays(automaton: &Automaton, state: State, place: Place, cube: &[(usize, bool)]) -> bool {
    match automaton.look(place) {
        Look::Go(states) => states.contains(&state),
        Look::Ask { atom, no, yes } => {
            let said = cube.iter().find(|&&(named, _)| named == atom);
            let onward = |truth: bool| said.is_none_or(|&(_, said)| said == truth);
            (!onward(false) || stays(automaton, state, no, cube))
                && (!onward(true) || stays(automaton, state, yes, cube))
        }
    }
}

/// The formula of a state, when those of all later ones are known.
fn formula(
    compiled: &Compiled,
    automaton: &Automaton,
    state: State,
    decided: &[Option<Ctl>],
) -> Ctl {
    let mut stay = Pred::FALSE;
    let mut ways = Vec::new();
    let mut leads_astray = false;
    for edge in automaton.edges(state) {
        let cubes = edge.cubes.iter().map(|cube| {
            let literals = cube.iter().map(|&(atom, truth)| {
                let atom = compiled.atoms[atom].clone();
                if truth { atom } else { Pred::not(atom) }
            });
            Pred::and(literals)
        });
        let guard = Pred::or(cubes);
        match &decided[edge.target as usize] {
            _ if edge.target == state => stay = guard,
            Some(later) => {
                leads_astray |= later.as_const() != Some(true);
                ways.push(Ctl::and([Ctl::State(guard), later.clone()]));
            }
            None => leads_astray = true,
        }
    }
    let stay = Ctl::State(stay);
    // Where every way out is fine, it does not matter that none was taken before.
    let is_complete = compiled.is_deterministic && std::ptr::eq(automaton, &compiled.automaton);
    let leave = match is_complete && !leads_astray {
        true => Ctl::ef(Ctl::or(ways)),
        false => Ctl::eu(stay.clone(), Ctl::or(ways)),
    };
    match automaton.is_accepting(state) {
        true => Ctl::or([leave, Ctl::eg(stay)]),
        false => leave,
    }
}
