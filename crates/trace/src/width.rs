//! The width of the order: how many events can at most be pairwise concurrent.
//!
//! By Dilworth's theorem the largest antichain has as many events as a smallest cover by chains has chains. A cover is a
//! flow: every chain carries one unit from a source to a sink, and every event must be passed at least once (more than
//! once is fine, which stands for the transitive closure we do not have). The processes themselves are a cover, so we
//! start from that flow and take units back while a residual path from the sink to the source exists. That is at most
//! `k` searches of the direct edges. (Matching on the closure, the textbook way, needs the closure: quadratic space.)

use crate::order::Order;
use crate::ragged::Ragged;
use causet_base::ids::EventId;

impl Order {
    /// The largest number of pairwise concurrent events; `None` when `go_on` says no before it is found.
    pub fn width(&self, go_on: &dyn Fn() -> bool) -> Option<usize> {
        let mut cover = Cover::by_process(self);
        loop {
            if !go_on() {
                return None;
            }
            if !cover.take_one_back() {
                return Some(cover.chains);
            }
        }
    }
}

/// A cover of all events by chains, as a flow over direct edges.
struct Cover<'a> {
    order: &'a Order,
    /// Direct successors of an event, each with the number of the edge.
    next: Ragged<(EventId, u32)>,
    /// Units per edge; edge `e` comes from the previous event of `e`, the others are the crossing ones.
    flow: Vec<u32>,
    /// Units that start / end at an event, and that pass it.
    starts: Vec<u32>,
    ends: Vec<u32>,
    passes: Vec<u32>,
    chains: usize,
}

/// Where the search came from when it entered one side of an event.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Step {
    Unseen,
    /// The chain that ended here is to end elsewhere.
    FromSink,
    /// From the other side of the same event, with or against the flow.
    Through,
    /// Along an edge from this event, adding a unit.
    Along(EventId, u32),
    /// Against an edge to this event, taking a unit away.
    Against(EventId, u32),
}

impl<'a> Cover<'a> {
    fn by_process(order: &'a Order) -> Self {
        let count = order.len();
        let mut cover = Cover {
            order,
            next: edges_out(order),
            flow: vec![0; count + order.crossing_count()],
            starts: vec![0; count],
            ends: vec![0; count],
            passes: vec![1; count],
            chains: 0,
        };
        for process in order.processes() {
            let chain = order.chain(process);
            let (Some(first), Some(last)) = (chain.first(), chain.last()) else {
                continue;
            };
            cover.chains += 1;
            cover.starts[first.index()] = 1;
            cover.ends[last.index()] = 1;
            for event in &chain[1..] {
                cover.flow[event.index()] = 1;
            }
        }
        cover
    }

    /// Covers the events with one chain fewer, if that can be done.
    fn take_one_back(&mut self) -> bool {
        let count = self.order.len();
        // Side 0 of an event is where chains enter it, side 1 where they leave it.
        let mut came = vec![[Step::Unseen; 2]; count];
        let mut queue: Vec<(EventId, usize)> = Vec::new();
        for event in (0..count).map(EventId::from_len) {
            if self.ends[event.index()] > 0 {
                came[event.index()][1] = Step::FromSink;
                queue.push((event, 1));
            }
        }
        let mut at = 0;
        while let Some(&(event, side)) = queue.get(at) {
            at += 1;
            if side == 0 && self.starts[event.index()] > 0 {
                self.reroute(event, &came);
                return true;
            }
            let mut visit = |event: EventId, side: usize, step: Step| {
                if came[event.index()][side] == Step::Unseen {
                    came[event.index()][side] = step;
                    queue.push((event, side));
                }
            };
            if side == 0 {
                visit(event, 1, Step::Through);
                for (before, edge) in edges_in(self.order, event) {
                    if self.flow[edge as usize] > 0 {
                        visit(before, 1, Step::Against(event, edge));
                    }
                }
            } else {
                if self.passes[event.index()] > 1 {
                    visit(event, 0, Step::Through);
                }
                for &(after, edge) in self.next.row(event.index()) {
                    visit(after, 0, Step::Along(event, edge));
                }
            }
        }
        false
    }

    /// Follows the search back from a chain's start that is no longer needed to a chain's end.
    fn reroute(&mut self, start: EventId, came: &[[Step; 2]]) {
        self.starts[start.index()] -= 1;
        self.chains -= 1;
        let (mut event, mut side) = (start, 0);
        loop {
            match came[event.index()][side] {
                Step::Along(before, edge) => {
                    self.flow[edge as usize] += 1;
                    (event, side) = (before, 1);
                }
                Step::Against(after, edge) => {
                    self.flow[edge as usize] -= 1;
                    (event, side) = (after, 0);
                }
                Step::Through if side == 1 => {
                    self.passes[event.index()] += 1;
                    side = 0;
                }
                Step::Through => {
                    self.passes[event.index()] -= 1;
                    side = 1;
                }
                Step::FromSink | Step::Unseen => {
                    self.ends[event.index()] -= 1;
                    return;
                }
            }
        }
    }
}

/// The direct predecessors of an event, each with the number of the edge.
fn edges_in(order: &Order, event: EventId) -> impl Iterator<Item = (EventId, u32)> + '_ {
    let crossing = order.crossing_range(event).start + order.len();
    let others = order.crossing_into(event).iter().copied();
    let own = order.previous(event).map(|before| (before, event.raw()));
    own.into_iter().chain(others.zip(crossing as u32..))
}

fn edges_out(order: &Order) -> Ragged<(EventId, u32)> {
    let mut pairs = Vec::with_capacity(order.len() + order.crossing_count());
    for event in (0..order.len()).map(EventId::from_len) {
        for (before, edge) in edges_in(order, event) {
            pairs.push((before.raw(), (event, edge)));
        }
    }
    Ragged::group(pairs)
}

#[cfg(test)]
mod tests {
    use crate::notation;

    fn width(drawing: &str) -> usize {
        let run = notation::parse(drawing).expect("a drawing");
        run.order().width(&|| true).expect("no limit")
    }

    #[test]
    fn independent_processes_are_as_wide_as_they_are_many() {
        assert_eq!(width("a: . .\nb: .\nc:"), 2);
    }

    #[test]
    fn a_relay_is_one_chain() {
        assert_eq!(width("a: m!\nb:    m?,n!\nc:         n?"), 1);
    }

    #[test]
    fn chains_may_have_to_pass_an_event_twice() {
        // Everything before `hub` is before everything after it: two wide, though there are four processes.
        let drawing = "a: m!\nb: n!\nh:    m?,n?,o!\nc:    o?  \nd:    o?";
        assert_eq!(width(drawing), 2);
    }
}
