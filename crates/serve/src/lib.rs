//! Following runs while they go on: processes send their events, and what has become certain is told at once.
//!
//! ```text
//!  sockets --door--> link: lines, parsed --+                       +--> acknowledged, once it is on the disk
//!              +--> http, otlp ------------+--> desk --> run ------+
//!  files -----------> follow --------------+
//!                                         |        |         +--> news: what is certain
//!                                         |        +--> admission: each event of a process once, in its order
//!                                         |        +--> journal: appended, with checksums
//!                                         |        +--> check::stream::Monitor: names, clocks, searches
//!                                         +--> syncer: one flush for all that waits
//! ```
//!
//! * [`protocol`] is what is said on a socket;
//! * a [`link`] is one connection: it parses, and waits when the desk is busy;
//! * files that grow are [followed](follow) as if their lines were sent;
//! * the [`desk`] owns the runs and works through what arrives, on a thread of its own;
//! * a [`run`] takes events, keeps them and follows them; [`patience`] is what is done while something is missing;
//! * the syncer flushes journals and only then tells anyone the [`news`];
//! * witnesses are looked for beside the work, and when a run is over its closing finds the last words, on its
//!   consistent beginning if something never came.
//!
//! What is acknowledged is in the journal, so a server that is killed begins again from there and comes to the same
//! verdicts. Nothing that comes from outside becomes the name of a file.

pub mod admission;
pub mod client;
mod closing;
pub mod counts;
pub mod desk;
pub mod door;
mod draining;
pub mod follow;
mod header;
pub mod http;
mod inside;
pub mod keeping;
pub mod link;
pub mod news;
pub mod otlp;
pub mod patience;
#[cfg(not(feature = "full"))]
pub mod plain;
pub mod private;
pub mod protocol;
pub mod reactions;
mod recorded;
mod refusal;
pub mod run;
pub mod status;
mod stop;
mod syncer;
#[cfg(feature = "full")]
pub mod tls;
#[cfg(not(feature = "full"))]
pub use plain as tls;
mod witnesses;
