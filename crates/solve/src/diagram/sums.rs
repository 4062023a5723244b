//! How many points of a set have each sum of coordinates: for cuts, how many there are after each number of events.
//!
//! The same pass as for [`Forest::count`], from the root down, with a list in place of a number: entry `s` says in how many
//! ways a node is reached with coordinates that sum up to `s`. An edge stands for an interval of values and moves the
//! list by each of them; the sum of all these lists is a window that slides over the first, so an edge costs as much as
//! its list is long, however long the interval.

use dashu_int::UBig;
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::account::Account;
use super::{Forest, Node};
use causet_base::budget::Spent;

impl Forest<'_> {
    /// How many points of a set have each sum of coordinates, from 0 to the greatest.
    pub fn count_by_sum(&self, set: Node) -> Result<Vec<UBig>, Spent> {
        let mut account = self.account.beside();
        let mut ways = Ways::default();
        ways.insert(set, Sums::start());
        for &length in &self.lengths {
            let mut below = Ways::default();
            for (node, sums) in ways {
                self.spread_sums(node, length, &sums, &mut below, &mut account)?;
                account.release(sums.charged);
            }
            ways = below;
        }
        let reached = ways.remove(&Node::FULL);
        let sums = reached.map_or_else(Vec::new, |sums| {
            let mut counts = vec![UBig::ZERO; sums.from];
            counts.extend(sums.ways);
            counts
        });
        Ok(sums)
    }

    fn spread_sums(
        &self,
        node: Node,
        length: u32,
        sums: &Sums,
        below: &mut Ways,
        account: &mut Account<'_>,
    ) -> Result<(), Spent> {
        let mut end = length + 1;
        for edge in self.table.edges(node).iter().rev() {
            if edge.child != Node::EMPTY {
                let child = below.entry(edge.child).or_default();
                child.add_moved(sums, edge.lo as usize, end as usize, account)?;
            }
            end = edge.lo;
        }
        Ok(())
    }
}

/// The ways to each node of a layer.
type Ways = HashMap<Node, Sums, FxBuildHasher>;

/// The ways to a node by the sum of the coordinates so far; none for sums before the first or after the last.
#[derive(Default)]
struct Sums {
    from: usize,
    ways: Vec<UBig>,
    /// What has been paid for them.
    charged: usize,
}

impl Sums {
    /// One way, with no coordinates.
    fn start() -> Sums {
        Sums {
            from: 0,
            ways: vec![UBig::ONE],
            charged: 0,
        }
    }

    /// Adds the ways of another list, moved by every number from `low` to before `end`.
    fn add_moved(
        &mut self,
        other: &Sums,
        low: usize,
        end: usize,
        account: &mut Account<'_>,
    ) -> Result<(), Spent> {
        let width = other.ways.len() + (end - low) - 1;
        self.cover(other.from + low, width, account)?;
        let first = other.from + low - self.from;
        let mut window = UBig::ZERO;
        for place in 0..width {
            account.tick()?;
            if let Some(entering) = other.ways.get(place) {
                window += entering;
            }
            if let Some(leaving) = place.checked_sub(end - low) {
                window -= &other.ways[leaving];
            }
            let ways = &mut self.ways[first + place];
            let before = outside(ways);
            *ways += &window;
            let more = outside(ways).saturating_sub(before);
            account.charge(more)?;
            self.charged += more;
        }
        Ok(())
    }

    /// Makes room for so many sums from one on.
    fn cover(&mut self, from: usize, width: usize, account: &mut Account<'_>) -> Result<(), Spent> {
        if self.ways.is_empty() {
            self.from = from;
        }
        let before = self.from.saturating_sub(from);
        let after = (from + width).saturating_sub(self.from + self.ways.len());
        let bytes = (before + after) * size_of::<UBig>();
        account.charge(bytes)?;
        self.charged += bytes;
        self.ways
            .splice(0..0, std::iter::repeat_n(UBig::ZERO, before));
        self.from -= before;
        let longer = self.ways.len() + after;
        self.ways.resize(longer, UBig::ZERO);
        Ok(())
    }
}

/// How many bytes a number takes beside its entry in a list: none when it is small.
fn outside(number: &UBig) -> usize {
    match number.as_words().len() {
        0..=2 => 0,
        words => words.div_ceil(8) * 9 * size_of::<usize>() + 16,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use causet_base::budget::Budget;

    #[test]
    fn sums_are_those_of_the_points() {
        let budget = Budget::endless();
        let mut forest = Forest::new(vec![3, 3], &budget);
        let points = [[0, 1], [1, 0], [1, 1], [2, 2], [3, 3], [3, 0]];
        let mut set = Node::EMPTY;
        for point in points {
            let single = forest.single(&point).expect("no limit");
            set = forest.union(set, single).expect("no limit");
        }
        let counts = forest.count_by_sum(set).expect("no limit");
        let expected = [0u8, 2, 1, 1, 1, 0, 1];
        assert_eq!(counts, expected.map(UBig::from));
        assert_eq!(forest.count_by_sum(Node::EMPTY), Ok(Vec::new()));
    }
}
