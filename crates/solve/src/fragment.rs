//! The part of a system that several workers have shown: some states with all their steps, and the states around them.
//!
//! A value that these states explain is the same when everything outside speaks against it, for equations know no
//! negation. So whoever explains a value on the whole system can do it on a fragment.

use hashbrown::HashMap;

use crate::steps::{Edge, Steps};
use causet_base::budget::{Budget, Spent};

/// Some states of a system.
pub struct Fragment {
    width: usize,
    /// The names of the states, one after another.
    names: Vec<u32>,
    starts: Vec<u32>,
    edges: Vec<Edge>,
    initial: u32,
    is_acyclic: bool,
}

impl Fragment {
    /// Reads pieces: of each state its name, the number of its steps, and of every step the label and the name of the state
    /// it leads to. Nothing if the pieces are torn or the initial state is not among them.
    pub fn read(pieces: &[u32], initial: &[u32], is_acyclic: bool) -> Option<Fragment> {
        let width = initial.len();
        let mut numbers: HashMap<&[u32], u32> = HashMap::new();
        let mut names = Vec::new();
        let mut number = |name| {
            let next = numbers.len() as u32;
            *numbers.entry(name).or_insert_with(|| {
                names.extend_from_slice(name);
                next
            })
        };
        let mut shown = Vec::new();
        let mut at = 0;
        while at < pieces.len() {
            let name = pieces.get(at..at + width)?;
            let end = at + width + 1 + *pieces.get(at + width)? as usize * (width + 1);
            let steps = pieces.get(at + width + 1..end)?;
            // A state that two have shown is the same twice.
            if number(name) as usize == shown.len() {
                shown.push(steps);
            }
            at = end;
        }
        let mut starts = vec![0];
        let mut edges = Vec::new();
        for steps in &shown {
            edges.extend(steps.chunks_exact(width + 1).map(|step| Edge {
                label: step[0],
                target: number(&step[1..]),
            }));
            starts.push(edges.len() as u32);
        }
        let initial = *numbers.get(initial)?;
        ((initial as usize) < shown.len()).then_some(Fragment {
            width,
            names,
            starts,
            edges,
            initial,
            is_acyclic,
        })
    }

    /// The first of the states around: all from it on were not shown.
    pub fn outside(&self) -> u32 {
        self.starts.len() as u32 - 1
    }

    /// The name of a state.
    pub fn name(&self, state: u32) -> &[u32] {
        let start = state as usize * self.width;
        &self.names[start..start + self.width]
    }
}

impl Steps for &Fragment {
    fn initial(&self) -> u32 {
        self.initial
    }

    fn edges(&mut self, state: u32, _budget: &Budget<'_>) -> Result<&[Edge], Spent> {
        if state >= self.outside() {
            return Ok(&[]);
        }
        let state = state as usize;
        let range = self.starts[state] as usize..self.starts[state + 1] as usize;
        Ok(&self.edges[range])
    }

    fn is_acyclic(&self) -> bool {
        self.is_acyclic
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_found_by_name() {
        // 7 --a--> 9, 7 --b--> 4 (not shown), 9 --a--> 7.
        let pieces = [9, 1, 0, 7, 7, 2, 0, 9, 1, 4];
        let fragment = Fragment::read(&pieces, &[7], false).expect("whole pieces");
        let mut steps = &fragment;
        let seven = steps.initial();
        let edges = steps.edges(seven, &Budget::endless()).expect("no limit");
        let targets: Vec<_> = edges.iter().map(|edge| (edge.label, edge.target)).collect();
        assert_eq!(targets, [(0, 0), (1, fragment.outside())]);
        assert_eq!(fragment.name(0), [9]);
        assert_eq!(fragment.name(fragment.outside()), [4]);
    }

    #[test]
    fn torn_pieces_are_no_fragment() {
        assert!(Fragment::read(&[7, 3, 0], &[7], false).is_none());
        assert!(Fragment::read(&[7], &[7], false).is_none());
        assert!(Fragment::read(&[7, 0], &[8], false).is_none());
        assert!(Fragment::read(&[7, 1, 0, 8], &[8], false).is_none());
    }
}
