//! Results of operations on nodes, remembered in a direct-mapped table that may forget.
//!
//! A new result overwrites whatever sits in its place, so the table has a fixed size and a lost entry costs only time.
//! A table that never forgets was the alternative; over many properties it outgrows the diagrams themselves. The size
//! follows the need: when one operation overwrites many results, the table doubles, up to [`MOST_PLACES`] and as far as
//! the budget allows. A refusal is passed on only if the table is so small that operations would do the same work over
//! and over.

use super::Node;
use super::account::Account;
use causet_base::budget::Spent;

/// The operations that are remembered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub(super) enum Operation {
    /// Marks a place where nothing is remembered.
    None,
    Union,
    Intersection,
    Difference,
    Until,
    Before,
    Below,
    Above,
    Shifted,
}

/// How many places a table starts with.
const FIRST_PLACES: usize = 1 << 10;

/// How many places a table has at most: 64 MB of them.
const MOST_PLACES: usize = 1 << 22;

#[derive(Clone, Copy)]
struct Place {
    operation: Operation,
    left: u32,
    right: u32,
    result: Node,
}

const VACANT: Place = Place {
    operation: Operation::None,
    left: 0,
    right: 0,
    result: Node::EMPTY,
};

/// The table of remembered results.
#[derive(Default)]
pub(super) struct Memo {
    places: Vec<Place>,
    /// How many results this operation has overwritten since the table last grew.
    overwritten: usize,
    /// Whether the budget has refused this operation a larger table.
    refused: bool,
}

impl Memo {
    /// Starts to count the losses of a new operation.
    pub(super) fn begin(&mut self) {
        self.overwritten = 0;
        self.refused = false;
    }

    /// The result of an operation, if it is still known.
    pub(super) fn get(&self, operation: Operation, left: u32, right: u32) -> Option<Node> {
        let place = self.places.get(self.place_of(operation, left, right))?;
        let known = (place.operation, place.left, place.right) == (operation, left, right);
        known.then_some(place.result)
    }

    /// Remembers a result.
    pub(super) fn put(&mut self, operation: Operation, left: u32, right: u32, result: Node) {
        let index = self.place_of(operation, left, right);
        if let Some(place) = self.places.get_mut(index) {
            self.overwritten += usize::from(place.operation != Operation::None);
            *place = Place {
                operation,
                left,
                right,
                result,
            };
        }
    }

    /// Grows the table if too much is overwritten; fails if it is refused memory and too small for so many nodes.
    pub(super) fn make_room(
        &mut self,
        nodes: usize,
        account: &mut Account<'_>,
    ) -> Result<(), Spent> {
        let is_crowded = 4 * self.overwritten >= self.places.len();
        if is_crowded && !self.refused && self.places.len() < MOST_PLACES {
            self.refused = self.grow(account).is_err();
        }
        let enough = (nodes / 8).clamp(FIRST_PLACES, MOST_PLACES / 2);
        if self.refused && self.places.len() < enough {
            return Err(Spent::Memory);
        }
        Ok(())
    }

    /// Forgets everything and gives the memory back.
    pub(super) fn clear(&mut self, account: &mut Account<'_>) {
        account.give_back(std::mem::take(&mut self.places));
    }

    /// Doubles the table.
    fn grow(&mut self, account: &mut Account<'_>) -> Result<(), Spent> {
        let wanted = (2 * self.places.len()).max(FIRST_PLACES);
        let places = account.array(VACANT, wanted)?;
        let old = std::mem::replace(&mut self.places, places);
        for place in old
            .iter()
            .filter(|place| place.operation != Operation::None)
        {
            let index = self.place_of(place.operation, place.left, place.right);
            self.places[index] = *place;
        }
        account.give_back(old);
        self.overwritten = 0;
        Ok(())
    }

    fn place_of(&self, operation: Operation, left: u32, right: u32) -> usize {
        let key = u64::from(left) << 32 | u64::from(right);
        let mixed = (key ^ (operation as u64) << 58).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
        (mixed >> 32) as usize & self.places.len().wrapping_sub(1)
    }
}
