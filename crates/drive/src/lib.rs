//! Test cases against real programs.
//!
//! The program under test stands behind an adapter: a process that takes stimuli and tells what it observes, line by
//! line. A test case decides what to send and what to wait for, and a judge may hold what it sees against the
//! specification; a walk decides by chance, and always does.
//!
//! ```text
//! test case ------> run  --+                      +-- stimuli, reset -->
//!                          +--> system --adapter--+                       a process --> the program under test
//! specification --> walk --+                      +<-- observations ----
//!                     |
//!                     +--> verdict, what was sent and seen --record--> a trace
//! ```
//!
//! That nothing happens is observed by waiting: after some time without an observation the system is taken to be silent.

pub mod adapter;
pub mod again;
pub mod belief;
mod found;
mod judge;
pub mod protocol;
pub mod record;
pub mod run;
mod shorten;
pub mod system;
mod tail;
pub mod walk;
