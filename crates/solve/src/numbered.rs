//! Any state space with numbers for its states, explored as far as somebody asks.
//!
//! A state gets its number when a step to it is first seen, and its own steps are worked out when they are first asked
//! for; then they are kept. A solver that stops early therefore pays for what it looked at and no more. The steps of a
//! state lie side by side, so that they can be lent as a slice, in pieces of memory that never move and are paid for
//! before they are taken. [`Graph`](crate::graph::Graph) is for those who want everything and no labels.

use crate::index::Index;
use crate::space::Space;
use crate::steps::{Edge, Steps};
use crate::store::{Rows, Store};
use causet_base::budget::{Budget, Spent};

/// The part of a space that has been asked for.
///
/// What it takes is charged to the budgets it is asked with and not given back: ask with a branch, and drop both.
pub struct Numbered<'s, S: Space + ?Sized> {
    space: &'s S,
    states: Rows,
    index: Index,
    /// Where the steps of each state lie.
    places: Places,
    edges: Edges,
    /// How many states have had their steps worked out.
    explored: usize,
    /// The row of the state at hand: the rows may grow while its successors are found.
    row: Vec<u32>,
}

impl<'s, S: Space + ?Sized> Numbered<'s, S> {
    /// The initial state, which has number 0, and nothing else.
    pub fn new(space: &'s S, budget: &Budget<'_>) -> Result<Self, Spent> {
        let mut row = vec![0; space.width()];
        space.initial(&mut row);
        let mut states = Rows::new(space.width());
        let mut index = Index::default();
        index.number(&row, &mut states, budget)?;
        Ok(Numbered {
            space,
            states,
            index,
            places: Places::default(),
            edges: Edges::default(),
            explored: 0,
            row,
        })
    }

    /// How many states have a number.
    pub fn states(&self) -> usize {
        self.states.len()
    }

    /// How many steps are known.
    pub fn step_count(&self) -> usize {
        self.edges.len
    }

    /// How many states have had their steps worked out.
    pub fn explored(&self) -> usize {
        self.explored
    }

    /// The row of a state that has a number.
    pub fn row(&self, state: u32) -> &[u32] {
        self.states.get(state as usize)
    }

    /// The steps of a state, if they have been worked out.
    pub fn known(&self, state: u32) -> Option<&[Edge]> {
        self.places.get(state).map(|place| self.edges.get(place))
    }

    /// The number of a state given by its row; it gets one if it has none.
    pub fn number(&mut self, row: &[u32], budget: &Budget<'_>) -> Result<u32, Spent> {
        self.index.number(row, &mut self.states, budget)
    }

    /// The space itself.
    pub fn space(&self) -> &'s S {
        self.space
    }

    /// Works out all steps of all states, in the order of their numbers, which is breadth-first when nobody asked before.
    pub fn explore(&mut self, budget: &Budget<'_>) -> Result<(), Spent> {
        let mut next = 0;
        while next < self.states.len() {
            self.place(next as u32, budget)?;
            next += 1;
        }
        Ok(())
    }

    /// Where the steps of a state are, which are worked out unless they are there.
    fn place(&mut self, state: u32, budget: &Budget<'_>) -> Result<Place, Spent> {
        if let Some(place) = self.places.get(state) {
            return Ok(place);
        }
        budget.tick()?;
        self.places.make_room(state, budget)?;
        let place = match self.expand(state, budget) {
            Ok(()) => self.edges.finish(),
            Err(spent) => {
                self.edges.abandon();
                return Err(spent);
            }
        };
        self.places.set(state, place);
        self.explored += 1;
        Ok(place)
    }

    fn expand(&mut self, state: u32, budget: &Budget<'_>) -> Result<(), Spent> {
        let Numbered {
            space,
            states,
            index,
            edges,
            row,
            ..
        } = self;
        row.copy_from_slice(states.get(state as usize));
        let mut outcome = Ok(());
        space.successors(row, &mut |label, successor| {
            if outcome.is_ok() {
                outcome = index
                    .number(successor, states, budget)
                    .and_then(|target| edges.push(Edge { label, target }, budget));
            }
        });
        outcome
    }
}

impl<S: Space + ?Sized> Steps for Numbered<'_, S> {
    fn initial(&self) -> u32 {
        0
    }

    fn edges(&mut self, state: u32, budget: &Budget<'_>) -> Result<&[Edge], Spent> {
        let place = self.place(state, budget)?;
        Ok(self.edges.get(place))
    }
}

/// How many steps a piece has, unless one state has more.
const PIECE: usize = 1 << 14;

/// More pieces than this have no place that fits in a number.
const MOST_PIECES: usize = u32::MAX as usize / PIECE;

/// Where the steps of a state lie: the piece and the first step in it as one number, and how many they are.
#[derive(Clone, Copy)]
struct Place {
    start: u32,
    len: u32,
}

/// The place of a state that nobody has asked about.
const UNKNOWN: Place = Place {
    start: u32::MAX,
    len: 0,
};

/// The places of the states in the order of their numbers, with gaps.
#[derive(Default)]
struct Places(Store<Place>);

impl Places {
    fn get(&self, state: u32) -> Option<Place> {
        if state as usize >= self.0.len() {
            return None;
        }
        let place = self.0.get(state as usize);
        (place.start != UNKNOWN.start).then_some(place)
    }

    fn make_room(&mut self, state: u32, budget: &Budget<'_>) -> Result<(), Spent> {
        while self.0.len() <= state as usize {
            self.0.push(UNKNOWN, budget)?;
        }
        Ok(())
    }

    fn set(&mut self, state: u32, place: Place) {
        self.0.set(state as usize, place);
    }
}

/// All steps, the ones of a state side by side; those after `begun` belong to the state at hand.
#[derive(Default)]
struct Edges {
    pieces: Vec<Vec<Edge>>,
    begun: usize,
    len: usize,
}

impl Edges {
    fn push(&mut self, edge: Edge, budget: &Budget<'_>) -> Result<(), Spent> {
        match self.pieces.last_mut() {
            Some(piece) if piece.len() < piece.capacity() && self.begun < PIECE => piece.push(edge),
            _ => self.push_in_new_piece(edge, budget)?,
        }
        Ok(())
    }

    /// Opens a piece and takes the steps of the state at hand along.
    #[cold]
    fn push_in_new_piece(&mut self, edge: Edge, budget: &Budget<'_>) -> Result<(), Spent> {
        let begun = self
            .pieces
            .last()
            .map_or(0, |piece| piece.len() - self.begun);
        if self.pieces.len() == MOST_PIECES {
            return Err(Spent::Memory);
        }
        let capacity = PIECE.max(2 * begun);
        budget.charge(capacity * size_of::<Edge>())?;
        let mut piece = Vec::with_capacity(capacity);
        if let Some(last) = self.pieces.last_mut() {
            piece.extend(last.drain(self.begun..));
        }
        if self.pieces.last().is_some_and(Vec::is_empty) {
            let outgrown = self.pieces.pop().map_or(0, |piece| piece.capacity());
            budget.release(outgrown * size_of::<Edge>());
        }
        piece.push(edge);
        self.pieces.push(piece);
        self.begun = 0;
        Ok(())
    }

    /// Ends the steps of the state at hand.
    fn finish(&mut self) -> Place {
        let Some(piece) = self.pieces.last() else {
            return Place { start: 0, len: 0 };
        };
        let len = piece.len() - self.begun;
        let start = if len == 0 {
            0
        } else {
            (self.pieces.len() - 1) * PIECE + self.begun
        };
        self.begun = piece.len();
        self.len += len;
        Place {
            start: start as u32,
            len: len as u32,
        }
    }

    /// Forgets the steps of the state at hand.
    fn abandon(&mut self) {
        if let Some(piece) = self.pieces.last_mut() {
            piece.truncate(self.begun);
        }
    }

    fn get(&self, place: Place) -> &[Edge] {
        if place.len == 0 {
            return &[];
        }
        let start = place.start as usize;
        &self.pieces[start / PIECE][start % PIECE..][..place.len as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Graph;

    /// Numbers below a bound; from each a step to the next `fan` ones, around the end, labelled by their distance.
    struct Ring {
        bound: u32,
        fan: u32,
    }

    impl Space for Ring {
        fn width(&self) -> usize {
            2
        }

        fn initial(&self, state: &mut [u32]) {
            state.fill(0);
        }

        fn successors(&self, state: &[u32], each: &mut dyn FnMut(u32, &[u32])) {
            for distance in 1..=self.fan {
                let next = (state[0] + distance) % self.bound;
                each(distance, &[next, next / 2]);
            }
        }
    }

    #[test]
    fn states_are_worked_out_when_they_are_asked_for_and_only_once() {
        let budget = Budget::endless();
        let ring = Ring { bound: 50, fan: 2 };
        let mut numbered = Numbered::new(&ring, &budget).expect("no limit");
        assert_eq!((numbered.states(), numbered.explored()), (1, 0));
        let first = numbered.edges(0, &budget).expect("no limit").to_vec();
        let (one, two) = (
            Edge {
                label: 1,
                target: 1,
            },
            Edge {
                label: 2,
                target: 2,
            },
        );
        assert_eq!(first, [one, two]);
        assert_eq!((numbered.states(), numbered.explored()), (3, 1));
        numbered.edges(2, &budget).expect("no limit");
        assert_eq!((numbered.states(), numbered.explored()), (5, 2));
        numbered.edges(0, &budget).expect("no limit");
        assert_eq!((numbered.explored(), numbered.step_count()), (2, 4));
        assert_eq!(numbered.row(4), [4, 2]);
    }

    #[test]
    fn everything_is_what_the_graph_has() {
        let budget = Budget::endless();
        // One state has more steps than a piece of memory, and pieces end in the middle of a state.
        for (bound, fan) in [(7, 3), (90, 1), (20_000, 19_000), (1_000, 700), (5, 0)] {
            let ring = Ring { bound, fan };
            let mut numbered = Numbered::new(&ring, &budget).expect("no limit");
            let asked = if bound > 10_000 { 3 } else { bound };
            for state in (0..asked).filter(|&state| state == 0 || fan > 0) {
                let row = numbered.row(state)[0];
                let edges = numbered.edges(state, &budget).expect("no limit").to_vec();
                assert_eq!(edges.len(), fan as usize);
                for (edge, distance) in edges.iter().zip(1..) {
                    assert_eq!(edge.label, distance);
                    assert_eq!(numbered.row(edge.target)[0], (row + distance) % bound);
                }
            }
        }
        let ring = Ring {
            bound: 1_000,
            fan: 70,
        };
        let graph = Graph::explore(&ring, &budget).expect("no limit");
        let mut numbered = Numbered::new(&ring, &budget).expect("no limit");
        numbered.explore(&budget).expect("no limit");
        assert_eq!(
            (numbered.states(), numbered.step_count()),
            (graph.len(), graph.step_count())
        );
        for state in 0..graph.len() {
            let edges = numbered.edges(state as u32, &budget).expect("no limit");
            let targets = edges.iter().map(|edge| edge.target as usize);
            assert!(targets.eq(graph.successors(state)));
        }
    }

    /// A state with steps to many others, each with one step to the next.
    struct Hub(u32);

    impl Space for Hub {
        fn width(&self) -> usize {
            1
        }

        fn initial(&self, state: &mut [u32]) {
            state.fill(0);
        }

        fn successors(&self, state: &[u32], each: &mut dyn FnMut(u32, &[u32])) {
            let targets = match state[0] {
                0 => 1..self.0,
                other => other + 1..(other + 2).min(self.0),
            };
            targets.for_each(|target| each(target, &[target]));
        }
    }

    #[test]
    fn a_state_with_few_steps_may_follow_one_with_more_than_a_piece() {
        let budget = Budget::endless();
        let hub = Hub(PIECE as u32 + 2_000);
        let mut numbered = Numbered::new(&hub, &budget).expect("no limit");
        numbered.explore(&budget).expect("no limit");
        let all = numbered.edges(0, &budget).expect("no limit");
        assert!(all.iter().map(|edge| edge.target).eq(1..hub.0));
        for state in 1..hub.0 {
            let edges = numbered.edges(state, &budget).expect("no limit");
            let targets = edges.iter().map(|edge| edge.target);
            assert!(targets.eq(state + 1..(state + 2).min(hub.0)), "{state}");
        }
    }

    #[test]
    fn a_state_that_did_not_fit_can_be_asked_for_again() {
        let tight = Budget::endless().with_memory(300_000, 0);
        let ring = Ring {
            bound: 60_000,
            fan: 50_000,
        };
        let mut numbered = Numbered::new(&ring, &tight).expect("one state fits");
        assert_eq!(numbered.edges(0, &tight).err(), Some(Spent::Memory));
        assert!(tight.used() <= 300_000);
        assert_eq!((numbered.explored(), numbered.step_count()), (0, 0));
        let edges = numbered.edges(0, &Budget::endless()).expect("no limit");
        assert!(edges.iter().map(|edge| edge.label).eq(1..=50_000));
    }
}
