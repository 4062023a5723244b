//! The protocols, one in each file.

pub(crate) mod abp;
pub(crate) mod ddph;
pub(crate) mod filter;
pub(crate) mod giop;
pub(crate) mod peterson;
pub(crate) mod philosophers;
pub(crate) mod primary_secondary;
pub(crate) mod pubsub;
pub(crate) mod raft_election;
pub(crate) mod random;
pub(crate) mod ricart_agrawala;
pub(crate) mod safra;
pub(crate) mod snapshot;
pub(crate) mod token_ring;
pub(crate) mod two_phase_commit;
