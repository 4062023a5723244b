//! A state space given by its initial state and its successors, built while it is explored.
//!
//! A state is a row of `width` numbers: the counts of a cut, the local states of the components of a network, the one
//! number of a state in a transition system. Rows of one width lie in one array and hash alike, whoever made them.

/// States and the steps between them.
pub trait Space {
    /// How many numbers describe a state.
    fn width(&self) -> usize;

    /// Writes the initial state into a row of that width.
    fn initial(&self, state: &mut [u32]);

    /// Calls `each` with every step from a state: the number of the step's label, and the state it leads to.
    fn successors(&self, state: &[u32], each: &mut dyn FnMut(u32, &[u32]));
}
