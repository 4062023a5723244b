//! The sentence for a property of runs: which event took a monitor to a bad state, or which event decided it.

use causet_formula::{Language, Ltl, Machine, MachineForm, Runs};
use causet_trace::EventId;

use super::facts::Facts;
use super::sentence::{Sentence, Telling};
use super::{hits, moments};
use causet_formats::words;

/// The sentence, where more can be said than the plain thing.
pub(super) fn sentence(telling: &Telling<'_>, runs: &Runs) -> Option<Sentence> {
    match &runs.language {
        Language::Machine(machine) if machine.form == MachineForm::Monitor => {
            moved(telling, machine)
        }
        Language::Ltl(formula) => wrong_moment(telling, formula)
            .or_else(|| moments::sentence(telling, formula))
            .or_else(|| decided(telling)),
        Language::Sequence(hits) => {
            hits::of_sequence(telling, hits, runs.complement).or_else(|| decided(telling))
        }
        Language::Regular(regular) if !runs.complement => {
            hits::of_regular(telling, regular).or_else(|| decided(telling))
        }
        Language::Regular(_) | Language::Machine(_) => decided(telling),
    }
}

/// Which event took the monitor where.
fn moved(telling: &Telling<'_>, machine: &Machine) -> Option<Sentence> {
    let Move { event, from, to } = *moves(telling, machine)?.last()?;
    let state = |at: usize| words::short(machine.states.get(at).map_or("", String::as_str), 40);
    Some(Sentence {
        text: format!(
            "{} took the monitor from `{}` to `{}`",
            telling.event(event),
            state(from),
            state(to)
        ),
        wanted: came_early(telling, event),
        ..Sentence::default()
    })
}

/// Of `G p` broken, or `F p` shown, what came together at the moment that decides it.
fn wrong_moment(telling: &Telling<'_>, formula: &Ltl) -> Option<Sentence> {
    let until = match formula {
        Ltl::Not(inner) => inner,
        other => other,
    };
    match until {
        Ltl::Until(before, goal) if before.as_const() == Some(true) => match &**goal {
            Ltl::State(pred) if telling.is_decided => telling.comes_together(pred),
            _ => None,
        },
        _ => None,
    }
}

/// Which event decided it, whatever follows.
fn decided(telling: &Telling<'_>) -> Option<Sentence> {
    let event = *telling.path.run.last().filter(|_| telling.is_decided)?;
    Some(Sentence {
        text: format!(
            "with {} it is decided, whatever follows: {}",
            telling.event(event),
            telling.outcome()
        ),
        wanted: came_early(telling, event),
        ..Sentence::default()
    })
}

/// The pairs of which this event is the one that came earlier than recorded.
fn came_early(telling: &Telling<'_>, event: EventId) -> Vec<(EventId, EventId)> {
    let swaps = telling.swaps.iter().copied();
    swaps.filter(|&(_, earlier)| earlier == event).collect()
}

/// A step of a monitor.
#[derive(Clone, Copy)]
struct Move {
    event: EventId,
    from: usize,
    to: usize,
}

/// The steps of the monitor along the path, when it has one way only and that ends in a bad state.
fn moves(telling: &Telling<'_>, machine: &Machine) -> Option<Vec<Move>> {
    let path = telling.path;
    let facts = Facts::new(path, machine.edges.iter().map(|edge| &edge.guard));
    let order = path.trace.order();
    let mut counts = order.initial_cut().counts().to_vec();
    let &[mut state] = machine.start.as_slice() else {
        return None;
    };
    let mut moves = Vec::new();
    for &event in path.run {
        if !path.budget.allows(1) {
            return None;
        }
        counts[order.process_of(event).index()] += 1;
        let edges = machine.edges.iter().filter(|edge| edge.from == state);
        let mut targets: Vec<usize> = edges
            .filter(|edge| facts.holds_behind(&edge.guard, &counts, event))
            .map(|edge| edge.to)
            .collect();
        targets.dedup();
        match targets.as_slice() {
            [] => {}
            &[to] => {
                if to != state {
                    moves.push(Move {
                        event,
                        from: state,
                        to,
                    });
                }
                state = to;
            }
            _ => return None,
        }
    }
    machine.accepting.contains(&state).then_some(moves)
}
