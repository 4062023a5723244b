//! A model that is explored as far as somebody asks, and what is known of it in the end.

use std::borrow::Cow;

use causet_base::budget::{Budget, Spent};
use causet_solve::numbered::Numbered;
use causet_solve::steps::{Edge, Steps};

use crate::conformance::roles::{Alphabet, Role};
use crate::model::Model;
use crate::network::Network;
use crate::system::Lts;

/// A model of which only what is asked for is worked out.
pub enum Asked<'m> {
    /// All of it is there.
    Stored(&'m Lts),
    /// The part of a network that has been asked for.
    Composed(Numbered<'m, Network>),
}

impl<'m> Asked<'m> {
    /// Nothing has been asked so far.
    pub fn new(model: &'m Model, budget: &Budget<'_>) -> Result<Asked<'m>, Spent> {
        Ok(match model {
            Model::Stored(lts) => Asked::Stored(lts),
            Model::Composed(network) => Asked::Composed(Numbered::new(network, budget)?),
        })
    }

    /// What is known, as a system. A state that nobody has asked about takes every input and stays where it is, so that
    /// nothing bad is said of it.
    pub fn known(&self, alphabet: &Alphabet, budget: &Budget<'_>) -> Result<Cow<'m, Lts>, Spent> {
        let numbered = match self {
            Asked::Stored(lts) => return Ok(Cow::Borrowed(lts)),
            Asked::Composed(numbered) => numbered,
        };
        let labels = numbered.space().labels();
        let inputs: Vec<u32> = alphabet.with_role(Role::Input).collect();
        let unknown = numbered.states() - numbered.explored();
        let steps = numbered.step_count() + unknown * inputs.len();
        u32::try_from(steps).map_err(|_| Spent::Memory)?;
        let bytes = numbered.states() * size_of::<u32>() + steps * size_of::<Edge>();
        budget.charge(bytes + labels.bytes())?;
        let (mut starts, mut edges) = (vec![0], Vec::with_capacity(steps));
        for target in 0..numbered.states() as u32 {
            budget.tick()?;
            match numbered.known(target) {
                Some(steps) => edges.extend_from_slice(steps),
                None => edges.extend(inputs.iter().map(|&label| Edge { label, target })),
            }
            starts.push(edges.len() as u32);
        }
        let initial = numbered.initial();
        Ok(Cow::Owned(Lts::new(initial, starts, edges, labels.clone())))
    }
}

impl Steps for Asked<'_> {
    fn initial(&self) -> u32 {
        match self {
            Asked::Stored(lts) => lts.initial(),
            Asked::Composed(numbered) => numbered.initial(),
        }
    }

    fn edges(&mut self, state: u32, budget: &Budget<'_>) -> Result<&[Edge], Spent> {
        match self {
            Asked::Stored(lts) => Ok(lts.steps(state)),
            Asked::Composed(numbered) => numbered.edges(state, budget),
        }
    }
}
