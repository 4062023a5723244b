//! Tests that record threads and assert over all orders: see `tests/threads.rs`.
