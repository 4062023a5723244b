//! From a draft to an automaton over finite words.
//!
//! Without `alive`, a marked state is one in which a word may end. With it, a word lasts as long as `alive` holds: the edges
//! are those that allow it, and a word may end in a state from which some infinite way without it is accepted.

use causet_base::Diagnostic;
use rustc_hash::FxHashMap;

use super::super::decisions::Decisions;
use super::super::determinise::Subsets;
use super::super::{Automaton, Look, Place, State};
use super::Hoa;
use super::draft::{Acceptance, Draft, DraftState};
use super::tokens::At;
use causet_base::budget::{Budget, Spent};

/// The atom that holds as long as the word lasts.
const ALIVE: &str = "alive";

/// Makes the automaton.
pub(super) fn build(mut draft: Draft, budget: &Budget) -> Result<Hoa, Diagnostic> {
    let alive = draft.atoms.iter().position(|name| name == ALIVE);
    let accepting = match alive {
        Some(alive) => ends_after(&draft, alive),
        None => marked_states(&draft)?,
    };
    if let Some(alive) = alive {
        draft.atoms.remove(alive);
    }
    let automaton = assemble(&draft, alive, accepting, budget).map_err(|spent| {
        let first = draft.states.iter().find_map(|state| state.at);
        let message = format!("this is too complicated to read: {spent}");
        first.unwrap_or(At::START).mistake(message)
    })?;
    Ok(Hoa {
        name: draft.name,
        atoms: draft.atoms,
        automaton,
    })
}

/// The states in which a word may end, when there is no `alive`.
fn marked_states(draft: &Draft) -> Result<Vec<bool>, Diagnostic> {
    let is_marked = |state: &DraftState| {
        let marked = state.edges.iter().filter(|edge| edge.marked).count();
        if state.marked || marked == 0 {
            return Ok(state.marked);
        }
        match state.at {
            Some(at) if marked < state.edges.len() => {
                Err(at.mistake("some edges of this state are accepting and others are not"))
            }
            _ => Ok(true),
        }
    };
    match draft.acceptance {
        Acceptance::Const(always) => Ok(vec![always; draft.states.len()]),
        Acceptance::Marks => draft.states.iter().map(is_marked).collect(),
    }
}

/// The states from which an infinite way without `alive` is accepted.
///
/// It is the greatest set from each of whose states a way leads to a good edge back into the set.
fn ends_after(draft: &Draft, alive: usize) -> Vec<bool> {
    let edges = quiet_edges(draft, alive);
    let mut sources: Vec<Vec<State>> = vec![Vec::new(); draft.states.len()];
    for &(source, target, _) in &edges {
        sources[target as usize].push(source);
    }
    let mut set = vec![true; draft.states.len()];
    loop {
        let mut smaller = vec![false; set.len()];
        let good = edges
            .iter()
            .filter(|&&(_, target, good)| good && set[target as usize]);
        let mut open: Vec<State> = good.map(|&(source, _, _)| source).collect();
        while let Some(state) = open.pop() {
            if !std::mem::replace(&mut smaller[state as usize], true) {
                open.extend(&sources[state as usize]);
            }
        }
        if smaller == set {
            return set;
        }
        set = smaller;
    }
}

/// Where letters without `alive` may lead from where, and whether that edge is good.
fn quiet_edges(draft: &Draft, alive: usize) -> Vec<(State, State, bool)> {
    let mut decisions = Decisions::new();
    let nowhere = decisions.leaf(&[]);
    let mut edges = Vec::new();
    for (source, state) in (0..).zip(&draft.states) {
        for edge in &state.edges {
            let good = match draft.acceptance {
                Acceptance::Const(always) => always,
                Acceptance::Marks => edge.marked || state.marked,
            };
            let mut copy = Copy::new(&draft.labels.decisions, Some((alive, false)), edge.target);
            if copy.run(&mut decisions, edge.label) != nowhere {
                edges.push((source, edge.target, good));
            }
        }
    }
    edges
}

/// The automaton with these accepting states; several initial ones become a new one that leads where they do.
fn assemble(
    draft: &Draft,
    alive: Option<usize>,
    mut accepting: Vec<bool>,
    budget: &Budget,
) -> Result<Automaton, Spent> {
    let mut subsets = Subsets::new(&Decisions::new(), budget);
    let mut moves = Vec::new();
    let alive = alive.map(|atom| (atom, true));
    for state in &draft.states {
        let mut places = Vec::new();
        for edge in &state.edges {
            let mut copy = Copy::new(&draft.labels.decisions, alive, edge.target);
            places.push(copy.run(&mut subsets.decisions, edge.label));
        }
        moves.push(subsets.unite(places.into_iter())?);
    }
    let initial = match draft.starts.as_slice() {
        &[start] => start,
        starts => {
            let places: Vec<Place> = starts.iter().map(|&start| moves[start as usize]).collect();
            moves.push(subsets.unite(places.into_iter())?);
            accepting.push(starts.iter().any(|&start| accepting[start as usize]));
            moves.len() as State - 1
        }
    };
    Ok(Automaton {
        atoms: draft.atoms.len(),
        decisions: subsets.decisions,
        moves,
        initial,
        accepting,
    })
}

/// Copies a label to decisions that end in a state, perhaps with the truth of one atom fixed and the atom left out.
struct Copy<'a> {
    from: &'a Decisions,
    fixed: Option<(usize, bool)>,
    target: State,
    known: FxHashMap<Place, Place>,
}

impl<'a> Copy<'a> {
    fn new(from: &'a Decisions, fixed: Option<(usize, bool)>, target: State) -> Self {
        Copy {
            from,
            fixed,
            target,
            known: FxHashMap::default(),
        }
    }

    fn run(&mut self, to: &mut Decisions, place: Place) -> Place {
        if let Some(&copied) = self.known.get(&place) {
            return copied;
        }
        let copied = match self.from.look(place) {
            Look::Go([]) => to.leaf(&[]),
            Look::Go(_) => to.leaf(&[self.target]),
            Look::Ask { atom, no, yes } => match self.fixed {
                Some((fixed, true)) if fixed == atom => self.run(to, yes),
                Some((fixed, false)) if fixed == atom => self.run(to, no),
                fixed => {
                    let (no, yes) = (self.run(to, no), self.run(to, yes));
                    let is_later = fixed.is_some_and(|(fixed, _)| fixed < atom);
                    to.branch(atom - usize::from(is_later), no, yes)
                }
            },
        };
        self.known.insert(place, copied);
        copied
    }
}
