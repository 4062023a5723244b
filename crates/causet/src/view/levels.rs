//! How many cuts there are after each number of events, as far as that can be counted while somebody waits.

use std::time::{Duration, Instant};

use causet_check::lattice::Lattice;
use causet_solve::space::Space;
use causet_trace::Order;
use serde_json::{Value as Json, json};

/// How long somebody waits.
const PATIENCE: Duration = Duration::from_secs(2);
/// A level with more cuts than this is not gone beyond.
const WIDEST: usize = 100_000;

/// The number of cuts on each level, from the empty cut on.
pub(super) fn levels(order: &Order) -> Json {
    let begun = Instant::now();
    let lattice = Lattice(order);
    let mut level: Vec<Box<[u32]>> = vec![vec![0; lattice.width()].into()];
    let mut counts = vec![1];
    while level.len() <= WIDEST && begun.elapsed() < PATIENCE {
        let mut next: Vec<Box<[u32]>> = Vec::new();
        for cut in &level {
            lattice.successors(cut, &mut |_, successor| next.push(successor.into()));
        }
        next.sort_unstable();
        next.dedup();
        if next.is_empty() {
            break;
        }
        counts.push(next.len());
        level = next;
    }
    let complete = counts.len() == order.len() + 1;
    json!({ "complete": complete, "total": counts.iter().sum::<usize>(), "levels": counts })
}

#[cfg(test)]
mod tests {
    use super::*;
    use causet_trace::notation;

    #[test]
    fn a_grid_grows_and_shrinks() {
        let trace = notation::parse("a: . .\nb: . .").expect("a drawing");
        let told = levels(trace.order());
        assert_eq!(told["levels"], json!([1, 2, 3, 2, 1]));
        assert_eq!(
            (&told["complete"], &told["total"]),
            (&json!(true), &json!(9))
        );
    }
}
