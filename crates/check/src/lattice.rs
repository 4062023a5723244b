//! The lattice of cuts as a state space: a state is a cut, a step is one more event.

use causet_solve::space::Space;
use causet_trace::Order;

/// All cuts of an order; the label of a step is the process that takes it.
#[derive(Clone, Copy, Debug)]
pub struct Lattice<'t>(pub &'t Order);

impl Space for Lattice<'_> {
    fn width(&self) -> usize {
        self.0.process_count()
    }

    fn initial(&self, state: &mut [u32]) {
        state.fill(0);
    }

    fn successors(&self, cut: &[u32], each: &mut dyn FnMut(u32, &[u32])) {
        let mut next = cut.to_vec();
        for process in self.0.processes() {
            if self.0.enabled_on(cut, process).is_some() {
                next[process.index()] += 1;
                each(process.raw(), &next);
                next[process.index()] -= 1;
            }
        }
    }
}
