//! Tests that record a program and assert over all orders: `tests/threads.rs` threads, `tests/tokio.rs` tasks,
//! `tests/turmoil.rs` the hosts of a simulated network.
