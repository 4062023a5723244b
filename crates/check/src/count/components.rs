//! Counting cuts by components: condition on one event, and count what has become independent apart.
//!
//! The cuts that hold an event and those that do not are disjoint, and each of the two sets is again the cuts of an order:
//! that of the events which are neither forced in nor forced out. What is left falls into components that no edge joins;
//! their numbers are multiplied, and the number of each component is kept. Model counters for propositional formulas do
//! the same (Sang, Bacchus, Beame, Kautz and Pitassi, *Combining component caching and clause learning*, 2004).
//!
//! A tree of spans takes linear time: conditioned on the beginning of a span, its children are independent. An interval
//! sharing tree needs a node for every combination of what its independent layers have left, so it takes minutes for a
//! thousand spans. It is the better one for rings and grids, in which no single event makes much independent.

use causet_base::budget::{Budget, Spent};
use causet_solve::chains::Chains;
use causet_trace::{EventId, Order};
use dashu_int::UBig;
use rustc_hash::FxHashMap;

use crate::project::Projection;

/// A recursion deeper than this is refused like one that needs too much memory.
const MAX_DEPTH: u32 = 4_000;
/// The memory that one entry of the table takes beside its key and its number.
const ENTRY_BYTES: usize = 96;

/// The number of cuts of a run, of which every event is in a chain.
pub(super) fn cuts_by_components(
    chains: &Projection<'_>,
    order: &Order,
    budget: &Budget<'_>,
) -> Result<UBig, Spent> {
    let room = budget.branch();
    let edges = incoming_edges(chains, order, &room)?;
    let whole: Vec<Window> = (0..chains.count())
        .map(|chain| Window {
            chain: chain as u32,
            low: 0,
            high: chains.length(chain),
        })
        .filter(Window::has_events)
        .collect();
    let mut counter = Counter {
        chains,
        edges,
        numbers: FxHashMap::default(),
        place_of: vec![NOWHERE; chains.count()],
        budget: &room,
    };
    counter.product(&whole, 0)
}

/// The events of one chain that are neither forced in nor forced out: those after `low`, up to `high`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Window {
    chain: u32,
    low: u32,
    high: u32,
}

impl Window {
    fn has_events(&self) -> bool {
        self.low < self.high
    }

    fn holds(&self, position: u32) -> bool {
        self.low < position && position <= self.high
    }
}

/// An edge into an event of a chain, from an event of another one.
#[derive(Clone, Copy, Debug)]
struct Edge {
    position: u32,
    from_chain: u32,
    from_position: u32,
}

/// For each chain the edges into its events, by their positions.
fn incoming_edges(
    chains: &Projection<'_>,
    order: &Order,
    budget: &Budget<'_>,
) -> Result<Vec<Vec<Edge>>, Spent> {
    budget.charge(order.len() * size_of::<(u32, u32)>())?;
    budget.charge(order.crossing_count() * size_of::<Edge>())?;
    let mut places = vec![(0, 0); order.len()];
    for chain in 0..chains.count() {
        for (&event, position) in chains.chain(chain).iter().zip(1..) {
            places[event.index()] = (chain as u32, position);
        }
    }
    let edges_into = |&event: &EventId| {
        let (_, position) = places[event.index()];
        let before = order.crossing_into(event).iter();
        before.map(move |before| (position, *before))
    };
    let edge = |(position, before): (u32, EventId)| {
        let (from_chain, from_position) = places[before.index()];
        Edge {
            position,
            from_chain,
            from_position,
        }
    };
    let of_chain = |chain| chains.chain(chain).iter().flat_map(edges_into).map(edge);
    Ok((0..chains.count())
        .map(|chain| of_chain(chain).collect())
        .collect())
}

/// A chain without a window.
const NOWHERE: usize = usize::MAX;

/// The numbers of the components met so far.
struct Counter<'c, 's, 'b> {
    chains: &'c Projection<'s>,
    edges: Vec<Vec<Edge>>,
    numbers: FxHashMap<Box<[Window]>, UBig>,
    /// Where the window of each chain stands among those looked at.
    place_of: Vec<usize>,
    budget: &'b Budget<'b>,
}

impl Counter<'_, '_, '_> {
    /// The number of cuts of some windows: the product over their components.
    fn product(&mut self, windows: &[Window], depth: u32) -> Result<UBig, Spent> {
        let mut product = UBig::ONE;
        for component in self.components(windows)? {
            product *= match component[..] {
                [alone] => UBig::from(alone.high - alone.low + 1),
                _ => self.number(component, depth)?,
            };
        }
        Ok(product)
    }

    /// The number of cuts of a component of several windows.
    fn number(&mut self, component: Vec<Window>, depth: u32) -> Result<UBig, Spent> {
        if let Some(number) = self.numbers.get(&component[..]) {
            return Ok(number.clone());
        }
        if depth > MAX_DEPTH {
            return Err(Spent::Memory);
        }
        let (chain, position) = self.pivot(&component)?;
        let with = component.iter().map(|&window| Window {
            low: window.low.max(self.least(chain, position, window.chain)),
            ..window
        });
        let with: Vec<Window> = with.filter(Window::has_events).collect();
        let without = component.iter().map(|&window| Window {
            high: window
                .high
                .min(self.most(chain, position - 1, window.chain)),
            ..window
        });
        let without: Vec<Window> = without.filter(Window::has_events).collect();
        let number = self.product(&with, depth + 1)? + self.product(&without, depth + 1)?;
        let key_bytes = component.len() * size_of::<Window>();
        let number_bytes = number.as_words().len() * size_of::<usize>();
        self.budget.charge(key_bytes + number_bytes + ENTRY_BYTES)?;
        self.numbers.insert(component.into(), number.clone());
        Ok(number)
    }

    fn least(&self, chain: usize, position: u32, other: u32) -> u32 {
        self.chains.least(chain, position, other as usize)
    }

    fn most(&self, chain: usize, position: u32, other: u32) -> u32 {
        self.chains.most(chain, position, other as usize)
    }

    /// The event to condition on: of the chain with the most edges the one in the middle of them.
    fn pivot(&mut self, component: &[Window]) -> Result<(usize, u32), Spent> {
        let mut joined = vec![Vec::new(); component.len()];
        self.each_edge(component, |to, from, edge| {
            joined[to].push(edge.position);
            joined[from].push(edge.from_position);
        })?;
        let ranked = joined.iter().enumerate();
        let busiest = ranked.max_by_key(|(_, positions)| positions.len());
        let place = busiest.map_or(0, |(place, _)| place);
        let positions = &mut joined[place];
        let middle = positions.len() / 2;
        let (_, &mut position, _) = positions.select_nth_unstable(middle);
        Ok((component[place].chain as usize, position))
    }

    /// The windows that edges join, directly or over others, in the order of the first of them.
    fn components(&mut self, windows: &[Window]) -> Result<Vec<Vec<Window>>, Spent> {
        let mut leaders: Vec<usize> = (0..windows.len()).collect();
        self.each_edge(windows, |to, from, _| {
            let (one, other) = (leader(&mut leaders, to), leader(&mut leaders, from));
            leaders[one.max(other)] = one.min(other);
        })?;
        let mut number_of = vec![NOWHERE; windows.len()];
        let mut components: Vec<Vec<Window>> = Vec::new();
        for (place, &window) in windows.iter().enumerate() {
            let leader = leader(&mut leaders, place);
            if number_of[leader] == NOWHERE {
                number_of[leader] = components.len();
                components.push(Vec::new());
            }
            components[number_of[leader]].push(window);
        }
        Ok(components)
    }

    /// Calls `visit` with each edge between events of the windows, and the places of the windows it leads to and from.
    fn each_edge(
        &mut self,
        windows: &[Window],
        mut visit: impl FnMut(usize, usize, &Edge),
    ) -> Result<(), Spent> {
        for (place, window) in windows.iter().enumerate() {
            self.place_of[window.chain as usize] = place;
        }
        for (to, window) in windows.iter().enumerate() {
            let edges = &self.edges[window.chain as usize];
            let first = edges.partition_point(|edge| edge.position <= window.low);
            let inside = edges[first..]
                .iter()
                .take_while(|edge| edge.position <= window.high);
            self.budget.tick()?;
            for edge in inside {
                let from = self.place_of[edge.from_chain as usize];
                if from != NOWHERE && windows[from].holds(edge.from_position) {
                    visit(to, from, edge);
                }
            }
        }
        for window in windows {
            self.place_of[window.chain as usize] = NOWHERE;
        }
        Ok(())
    }
}

/// The first place of the component that a place is known to be in.
fn leader(leaders: &mut [usize], mut place: usize) -> usize {
    while leaders[place] != place {
        leaders[place] = leaders[leaders[place]];
        place = leaders[place];
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::tests::with_chains;
    use crate::count::{cuts_by_level, cuts_in_tree};
    use causet_trace::notation;
    use causet_trace::random::{Shape, run};
    use fastrand::Rng;

    #[test]
    fn random_runs_have_as_many_cuts_as_a_visit_finds() {
        for seed in 0..300 {
            let mut rng = Rng::with_seed(seed);
            let shape = Shape {
                processes: rng.usize(1..7),
                events: rng.usize(0..30),
                messages: rng.f64(),
                writes: 0.3,
                shared: true,
            };
            let trace = run(&mut rng, shape);
            with_chains(&trace, |chains| {
                let room = Budget::endless();
                let visited = cuts_by_level(trace.order(), &room).map(UBig::from);
                let counted = cuts_by_components(chains, trace.order(), &room);
                assert_eq!(counted, visited, "seed {seed}");
            });
        }
    }

    /// A thousand processes of two events, each begun by an event of the first one: the tree of the cuts has a node for
    /// every combination, and the components are counted one by one.
    #[test]
    fn independent_processes_are_counted_apart() {
        let mut drawing = "root:".to_owned();
        for child in 0..1000 {
            drawing += &format!(" m{child}!");
        }
        for child in 0..1000 {
            drawing += &format!("\nchild{child}: m{child}? .");
        }
        let trace = notation::parse(&drawing).expect("a drawing");
        with_chains(&trace, |chains| {
            let room = Budget::endless().with_memory(4 << 20, 0);
            let counted =
                cuts_by_components(chains, trace.order(), &room).expect("4 MB are enough");
            // With n events of the root, each of the first n children has one of three positions: sum of 3^n.
            let powers = (UBig::from(3u32).pow(1001) - UBig::ONE) / UBig::from(2u32);
            assert_eq!(counted, powers);
        });
    }

    #[test]
    fn a_limit_ends_the_count() {
        let trace = run(
            &mut Rng::with_seed(1),
            Shape {
                processes: 12,
                events: 300,
                messages: 0.4,
                writes: 0.3,
                shared: false,
            },
        );
        with_chains(&trace, |chains| {
            let room = Budget::endless().with_memory(40_000, 0);
            let counted = cuts_by_components(chains, trace.order(), &room);
            assert_eq!(counted, Err(Spent::Memory));
            let room = Budget::endless();
            let counted = cuts_by_components(chains, trace.order(), &room);
            assert_eq!(counted, cuts_in_tree(chains, false, &room));
        });
    }
}
