//! From a formula of the mu-calculus that is decided at all cuts to the run that shows its value.

use causet_base::budget::{Budget, Spent};
use causet_solve::bes::product::Matching;
use causet_trace::{EventId, Ranks};

use super::event_between;
use super::modal::Equations;
use crate::engine::evidence::{Judged, Onward, evidence};

impl Equations<'_> {
    /// A run to a cut that shows the truth value, if one can.
    pub(super) fn run(
        &self,
        ranks: &Ranks,
        budget: &Budget<'_>,
    ) -> Result<Option<Vec<EventId>>, Spent> {
        let matching = Matching::new(self.admits.len(), self.labels.len(), |action, label| {
            self.admits[action][label as usize]
        });
        let mut all_cuts = AllCuts {
            equations: self,
            ranks,
        };
        let start = (self.table.main, 0);
        let holds = self.holds();
        let nodes = self.table.nodes();
        let steps = evidence(&mut all_cuts, &nodes, start, &matching, holds, budget)?;
        Ok(steps.map(|steps| self.events(&steps)))
    }

    /// The events of steps by their processes.
    fn events(&self, steps: &[usize]) -> Vec<EventId> {
        let order = self.subject.trace.order();
        let mut chains: Vec<_> = order
            .processes()
            .map(|process| order.chain(process).iter())
            .collect();
        let events = steps.iter().filter_map(|&process| chains[process].next());
        events.copied().collect()
    }
}

/// All cuts by their numbers, for whoever looks for a run.
struct AllCuts<'a> {
    equations: &'a Equations<'a>,
    ranks: &'a Ranks,
}

impl Judged for AllCuts<'_> {
    type Cut = usize;

    fn holds(&mut self, node: usize, &cut: &usize) -> Result<bool, Spent> {
        Ok(self.equations.truth[node].contains(cut))
    }

    fn steps(&mut self, &cut: &usize) -> Result<Vec<Onward<usize>>, Spent> {
        let Equations {
            graph,
            subject,
            labels,
            ..
        } = self.equations;
        let event = |next: usize| event_between(subject, graph, cut, next);
        let mut successors: Vec<usize> = graph.successors(cut).collect();
        successors.sort_by_key(|&next| self.ranks.of(event(next)));
        let onward = successors.into_iter().map(|to| Onward {
            by: subject.trace.order().process_of(event(to)).index(),
            label: labels.of(event(to)),
            to,
        });
        Ok(onward.collect())
    }
}
