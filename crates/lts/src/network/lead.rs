//! Which participant of a rule leads: the one with the least to look through.
//!
//! The steps with which a component leads are gone through whenever its state has them, whether or not the others take
//! part. A component that waits offers many labels at once, of which one at a time is of use; one that has something to
//! say offers a few. So what a label costs a component is the number of steps it may have to offer along with it, and
//! the cheapest leads. Steps that nobody else takes part in are possible wherever they are offered, and cost nothing.

use super::Network;
use super::compile::Rule;

/// What it costs to lead, for each action: each label of each component.
pub(super) struct Costs(Vec<u32>);

impl Costs {
    /// For the components of a network, which has no rules yet.
    pub(super) fn new(network: &Network, rules: &[Rule], actions: usize) -> Costs {
        let mut is_joint = vec![false; actions];
        for rule in rules.iter().filter(|rule| rule.parts.len() > 1) {
            for &part in &rule.parts {
                is_joint[network.action(part)] = true;
            }
        }
        let mut costs = vec![0; actions];
        for component in &network.components {
            let system = &network.systems[component.system];
            let action = |label: u32| component.first_action + label as usize;
            for state in 0..system.states() {
                let joint = system.steps(state).iter();
                let joint = joint.filter(|step| is_joint[action(step.label)]);
                let count = joint.clone().count() as u32;
                for step in joint {
                    let cost = &mut costs[action(step.label)];
                    *cost = count.max(*cost);
                }
            }
        }
        Costs(costs)
    }

    /// Which of its participants leads a rule; the first of those that cost the same.
    pub(super) fn leader(&self, network: &Network, rule: &Rule) -> usize {
        let parts = rule.parts.iter().enumerate();
        let cheapest = parts.min_by_key(|&(_, &part)| self.0[network.action(part)]);
        cheapest.map_or(0, |(leader, _)| leader)
    }
}
