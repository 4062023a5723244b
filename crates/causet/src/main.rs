//! The one binary of Causet.
fn main() {}
