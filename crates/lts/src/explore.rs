//! A network as a stored system: all that can be reached, numbered breadth-first.

use causet_base::budget::{Budget, Spent};
use causet_solve::numbered::Numbered;
use causet_solve::steps::{Edge, Steps};

use crate::network::Network;
use crate::system::Lts;

/// Explores all of a network.
///
/// The budget is charged for [`Lts::bytes`], which the caller gives back with the system.
pub fn explore(network: &Network, budget: &Budget<'_>) -> Result<Lts, Spent> {
    let branch = budget.branch();
    let mut numbered = Numbered::new(network, &branch)?;
    numbered.explore(&branch)?;
    // More steps than this would not fit into memory either.
    let count = u32::try_from(numbered.step_count()).map_err(|_| Spent::Memory)?;
    let bytes = numbered.states() * size_of::<u32>() + count as usize * size_of::<Edge>();
    budget.charge(bytes + network.labels().bytes())?;
    let mut starts = Vec::with_capacity(numbered.states() + 1);
    let mut edges = Vec::with_capacity(count as usize);
    starts.push(0);
    for state in 0..numbered.states() as u32 {
        branch.tick()?;
        edges.extend_from_slice(numbered.edges(state, &branch)?);
        starts.push(edges.len() as u32);
    }
    let initial = numbered.initial();
    Ok(Lts::new(initial, starts, edges, network.labels().clone()))
}
