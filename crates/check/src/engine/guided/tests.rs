//! The techniques against the pictures of the thesis, and against all runs of small random ones.

mod fixtures;
mod live;
mod random;
mod world;
