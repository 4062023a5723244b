//! A language of runs as a formula of CTL, where its automaton allows it.
//!
//! Let the automaton be deterministic, notice no repetition and ask for nothing but states, and let it never come back to
//! a state it has left (*very weak*). Being about to read a cut in state `q`, some run from there is accepted exactly if
//!
//! ```text
//! D(q) = E[ stay(q) U  some q' != q: go(q, q') && D(q') ]  ||  EG stay(q)   if q is accepting
//! ```
//!
//! where `stay(q)` and `go(q, q')` are the conditions on the letter. Reading a cut in `q` and going to `q'` is the same as
//! reading it in `q'`, since a repetition changes nothing, so no `EX` is needed. The recursion ends since the automaton is
//! very weak. So everything that decides CTL on what a formula can see, slices and diagrams included, decides such
//! properties too: `G`, `F`, until, precedence, response and the like.

use causet_formula::core::{Ctl, Pred};
use causet_solve::automaton::State;

use super::compile::{Compiled, Notices};

/// A formula larger than this is not worth it.
const LARGEST: usize = 600;

/// A formula that holds exactly if some run is accepted, or why there is none.
pub(crate) fn branching(compiled: &Compiled) -> Result<Ctl, &'static str> {
    let automaton = &compiled.automaton;
    if compiled.atoms.iter().any(|atom| matches!(atom, Pred::On(_))) {
        return Err("it speaks of events, and CTL speaks of cuts");
    }
    if !compiled.is_deterministic {
        return Err("its automaton is not deterministic");
    }
    if !matches!(compiled.notices, Notices::Nothing) {
        return Err("it notices when a position is repeated");
    }
    let Some(order) = automaton.very_weak() else {
        return Err("its automaton comes back to states it has left");
    };
    let (dead, sure) = (automaton.dead(), automaton.sure());
    let mut decided: Vec<Option<Ctl>> = vec![None; automaton.len()];
    for &state in order.iter().rev() {
        let formula = match (dead[state as usize], sure[state as usize]) {
            (true, _) => Ctl::FALSE,
            (_, true) => Ctl::TRUE,
            _ => formula(compiled, state, &decided),
        };
        if formula.size() > LARGEST {
            return Err("as a formula of CTL it is too large");
        }
        decided[state as usize] = Some(formula);
    }
    let initial = decided.swap_remove(automaton.initial() as usize);
    initial.ok_or("its automaton has no states")
}

/// The formula of a state, when those of all later ones are known.
fn formula(compiled: &Compiled, state: State, decided: &[Option<Ctl>]) -> Ctl {
    let automaton = &compiled.automaton;
    let mut stay = Pred::FALSE;
    let mut ways = Vec::new();
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
            Some(later) => ways.push(Ctl::and([Ctl::State(guard), later.clone()])),
            None => {}
        }
    }
    let stay = Ctl::State(stay);
    let leave = Ctl::eu(stay.clone(), Ctl::or(ways));
    match automaton.is_accepting(state) {
        true => Ctl::or([leave, Ctl::eg(stay)]),
        false => leave,
    }
}
