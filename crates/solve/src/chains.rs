//! A finite order seen as chains with bounds between them: all that a diagram has to know of a recorded run.
//!
//! A cut takes a beginning of every chain, so it is a point with one coordinate a chain. Which points are cuts is told
//! by two tables of bounds, both transitively closed: what a beginning of one chain needs of another, and what the
//! absence of the rest allows. Closed bounds cost more to compute than the edges they come from; in exchange no partial
//! choice within the bounds is ever a dead end, on which [`crate::diagram`] relies.

/// A finite order covered by chains, known through transitively closed bounds.
pub trait Chains {
    /// How many chains there are.
    fn count(&self) -> usize;

    /// How many events a chain has.
    fn length(&self, chain: usize) -> u32;

    /// How many events of `other` are in every cut that holds the first `x` events of `chain`.
    ///
    /// Never falls as `x` grows; 0 for `x = 0`, and `x` itself for `other = chain`.
    fn least(&self, chain: usize, x: u32, other: usize) -> u32;

    /// How many events of `other` a cut can hold at most when it holds exactly `x` events of `chain`.
    ///
    /// Never falls as `x` grows; `x` itself for `other = chain`.
    fn most(&self, chain: usize, x: u32, other: usize) -> u32;
}
