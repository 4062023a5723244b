//! The computation slice of a run for a predicate: what `causet slice` shows.
//!
//! A slice is a run of its own: its cuts are cuts of the given run, all that satisfy the predicate among them and as few
//! others as possible (paper POTA, definition 5.1). Events that every such cut holds or lacks together are one
//! *meta-event*; the order among meta-events is the slice. Events in every cut of it form the bottom, what lies above
//! the top is in none.
//!
//! ```text
//! predicate --engine::slice::graft--> J(e) for every event --same J--> meta-events --Forest--> number of cuts
//! ```

use causet_base::budget::{Budget, Spent};
use causet_formula::core::Ctl;
use causet_formula::names::VarRef;
use causet_solve::chains::Chains;
use causet_trace::EventId;
use rustc_hash::FxHashMap;

use crate::count::cuts_in_tree;
use crate::engine::slice::{Grafted, Unsliced, graft};
use crate::project::{Projection, Survey};
use crate::records::Records;
use crate::subject::Subject;

/// The slice of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ComputationSlice {
    /// How many events of each process are in every cut of the slice, and in its last; `None` when it has no cuts.
    pub bounds: Option<(Vec<u32>, Vec<u32>)>,
    /// The events that happen together.
    pub groups: Vec<Vec<EventId>>,
    /// Which group must happen directly before which.
    pub edges: Vec<(usize, usize)>,
    /// Whether every cut of the slice satisfies the predicate.
    pub lean: bool,
    /// How many cuts the run has, in decimal digits, unless a limit was reached.
    pub cuts_before: Result<String, Spent>,
    /// How many cuts the slice has.
    pub cuts_after: Result<String, Spent>,
}

/// Why there is no slice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoSlice {
    /// The predicate has none that this program can make, and why.
    Refused(String),
    /// A limit was reached first.
    Spent(Spent),
}

impl From<Unsliced> for NoSlice {
    fn from(unsliced: Unsliced) -> Self {
        match unsliced {
            Unsliced::Refused(reason) => NoSlice::Refused(reason),
            Unsliced::Spent(spent) => NoSlice::Spent(spent),
        }
    }
}

impl From<Spent> for NoSlice {
    fn from(spent: Spent) -> Self {
        NoSlice::Spent(spent)
    }
}

/// The slice of a run for a predicate, or for a formula of `EF`, `AG`, `EG` that names no other variables than these.
/// The cuts are counted last, with a budget of their own: a slice may be small where the run has too many.
pub fn slice(
    subject: Subject<'_>,
    goal: &Ctl,
    vars: impl IntoIterator<Item = VarRef>,
    budget: &Budget<'_>,
    counting: &Budget<'_>,
) -> Result<ComputationSlice, NoSlice> {
    let mut survey = Survey::new(Records::of(subject, vars));
    let sight = survey.look(&[goal], true);
    survey.sweep(&[&sight], budget)?;
    let projection = survey.project(&sight, budget)?;
    let Some(grafted) = graft(&projection, goal, budget)? else {
        return Ok(ComputationSlice {
            bounds: None,
            groups: Vec::new(),
            edges: Vec::new(),
            lean: true,
            cuts_before: count(&projection, counting),
            cuts_after: Ok("0".to_owned()),
        });
    };
    let groups = Groups::of(&projection, &grafted, budget)?;
    let edges = groups.edges(budget)?;
    let chains = MetaChains::of(&groups, budget)?;
    let by_process = |cut: &[u32]| by_process(subject, &projection, cut);
    Ok(ComputationSlice {
        bounds: Some((by_process(&grafted.bottom), by_process(&grafted.top))),
        groups: groups.events(&projection),
        edges,
        lean: grafted.is_lean,
        cuts_after: count(&chains, counting),
        cuts_before: count(&projection, counting),
    })
}

/// A cut of the projection, which leaves out processes without events.
fn by_process(subject: Subject<'_>, projection: &Projection<'_>, cut: &[u32]) -> Vec<u32> {
    let order = subject.trace.order();
    let mut counts = vec![0; order.process_count()];
    for (chain, &x) in cut.iter().enumerate() {
        if let Some(&event) = projection.chain(chain).first() {
            counts[order.process_of(event).index()] = x;
        }
    }
    counts
}

/// How many cuts there are.
fn count(chains: &dyn Chains, budget: &Budget<'_>) -> Result<String, Spent> {
    cuts_in_tree(chains, false, budget).map(|cuts| cuts.to_string())
}

/// The meta-events, those that happen earlier on a chain before those that happen later on it.
struct Groups<'a> {
    all: Vec<Group<'a>>,
    /// Per chain and event above the bottom: its group.
    group_of: Vec<Vec<usize>>,
    bottom: &'a [u32],
}

/// A meta-event.
struct Group<'a> {
    /// The least cut that holds it.
    least: &'a [u32],
    /// Some event of it: a chain and a position.
    place: (usize, u32),
    /// By chain: the positions it takes there, the first and the last.
    spans: Vec<(usize, u32, u32)>,
}

impl Group<'_> {
    /// Whether it cannot happen without another.
    fn needs(&self, other: &Group<'_>) -> bool {
        let (chain, x) = other.place;
        self.least[chain] >= x
    }
}

impl<'a> Groups<'a> {
    fn of(
        projection: &Projection<'_>,
        grafted: &'a Grafted,
        budget: &Budget<'_>,
    ) -> Result<Groups<'a>, Spent> {
        let mut groups = Groups {
            all: Vec::new(),
            group_of: Vec::new(),
            bottom: &grafted.bottom,
        };
        let mut known: FxHashMap<&[u32], usize> = FxHashMap::default();
        for chain in 0..projection.count() {
            let mut group_of = Vec::new();
            for x in grafted.bottom[chain] + 1..=grafted.top[chain] {
                budget.tick()?;
                let least = grafted.least(chain, x);
                let fresh = groups.all.len();
                let group = *known.entry(least).or_insert(fresh);
                if group == fresh {
                    budget.charge(GROUP_COST)?;
                    groups.all.push(Group {
                        least,
                        place: (chain, x),
                        spans: Vec::new(),
                    });
                }
                let spans = &mut groups.all[group].spans;
                match spans.last_mut().filter(|span| span.0 == chain) {
                    Some(span) => span.2 = x,
                    None => spans.push((chain, x, x)),
                }
                group_of.push(group);
            }
            groups.group_of.push(group_of);
        }
        Ok(groups)
    }

    /// The order among the groups without what follows from the rest of it.
    fn edges(&self, budget: &Budget<'_>) -> Result<Vec<(usize, usize)>, Spent> {
        let mut edges = Vec::new();
        for (number, group) in self.all.iter().enumerate() {
            let before = self.last_before(group);
            for &one in &before {
                budget.tick()?;
                let implied =
                    |&other: &usize| other != one && self.all[other].needs(&self.all[one]);
                if !before.iter().any(implied) {
                    edges.push((one, number));
                }
            }
        }
        edges.sort_unstable();
        Ok(edges)
    }

    /// The last group on each chain that a group needs. What is needed on a chain is a beginning of it, and the events of
    /// the group itself are the last of these, so nothing that comes directly before it is missed.
    fn last_before(&self, group: &Group<'_>) -> Vec<usize> {
        let mut before: Vec<usize> = Vec::new();
        for (chain, &most) in group.least.iter().enumerate() {
            let own = group.spans.iter().find(|span| span.0 == chain);
            let last = own.map_or(most, |span| span.1 - 1);
            if last > self.bottom[chain] {
                before.push(self.group_of[chain][(last - self.bottom[chain] - 1) as usize]);
            }
        }
        before.sort_unstable();
        before.dedup();
        before
    }

    fn events(&self, projection: &Projection<'_>) -> Vec<Vec<EventId>> {
        let events = |group: &Group<'_>| {
            let spans = group.spans.iter();
            let events = spans.flat_map(|&(chain, first, last)| {
                &projection.chain(chain)[first as usize - 1..last as usize]
            });
            events.copied().collect()
        };
        self.all.iter().map(events).collect()
    }
}

/// About how many bytes a meta-event takes.
const GROUP_COST: usize = 120;

/// The meta-events as chains: each belongs to the first chain of the run it has events on.
struct MetaChains {
    lengths: Vec<u32>,
    /// Per chain and position, what is needed of each chain.
    least: Vec<Vec<u32>>,
    /// The same: how many there can be at most.
    most: Vec<Vec<u32>>,
}

impl MetaChains {
    fn of(groups: &Groups<'_>, budget: &Budget<'_>) -> Result<MetaChains, Spent> {
        let width = groups.bottom.len();
        budget.charge(8 * width * (groups.all.len() + width))?;
        let mut chains: Vec<Vec<&Group<'_>>> = vec![Vec::new(); width];
        for group in &groups.all {
            chains[group.place.0].push(group);
        }
        let mut least: Vec<Vec<u32>> = Vec::with_capacity(width);
        for chain in &chains {
            budget.look()?;
            let mut table = vec![0; width];
            for group in chain {
                let needed = |other: &Vec<&Group<'_>>| {
                    other.partition_point(|other| group.needs(other)) as u32
                };
                table.extend(chains.iter().map(needed));
            }
            least.push(table);
        }
        let mut meta = MetaChains {
            lengths: chains.iter().map(|chain| chain.len() as u32).collect(),
            most: Vec::new(),
            least,
        };
        meta.most = meta.upper_bounds();
        Ok(meta)
    }

    /// Another chain may go on until its next meta-event needs more of this one.
    fn upper_bounds(&self) -> Vec<Vec<u32>> {
        let width = self.lengths.len();
        let mut tables = Vec::with_capacity(width);
        for chain in 0..width {
            let mut table = vec![0; (self.lengths[chain] as usize + 1) * width];
            for other in 0..width {
                let mut y = 0;
                for x in 0..=self.lengths[chain] {
                    while y < self.lengths[other] && self.least(other, y + 1, chain) <= x {
                        y += 1;
                    }
                    table[x as usize * width + other] = y;
                }
            }
            tables.push(table);
        }
        tables
    }
}

impl Chains for MetaChains {
    fn count(&self) -> usize {
        self.lengths.len()
    }

    fn length(&self, chain: usize) -> u32 {
        self.lengths[chain]
    }

    fn least(&self, chain: usize, x: u32, other: usize) -> u32 {
        self.least[chain][x as usize * self.lengths.len() + other]
    }

    fn most(&self, chain: usize, x: u32, other: usize) -> u32 {
        self.most[chain][x as usize * self.lengths.len() + other]
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use causet_base::budget::Budget;
    use causet_formula::{Kind, Lets, Property};
    use causet_trace::random::{self, Shape};
    use causet_trace::{Trace, notation};
    use fastrand::Rng;

    use super::{ComputationSlice, NoSlice, slice};
    use crate::prepare::prepare;
    use crate::project::{Projection, Survey};
    use crate::records::Records;
    use crate::subject::Subject;

    type Cuts = BTreeSet<Vec<u32>>;

    /// The slice, and by brute force the cuts of the run and those that satisfy the predicate.
    fn sliced(trace: &Trace, text: &str) -> Option<(ComputationSlice, Cuts, Cuts)> {
        let subject = Subject::of(trace);
        let property = Property::parse(Kind::Ctl, "p", text).expect("a predicate");
        let question = prepare(&subject, &property, &Lets::none()).ok()?;
        let goal = question.goals().1[0];
        let vars: Vec<_> = question
            .lowered
            .mentions
            .iter()
            .map(|&(var, _)| var)
            .collect();
        let budget = Budget::endless();
        let found = match slice(subject, goal, vars.clone(), &budget, &budget) {
            Ok(found) => found,
            Err(NoSlice::Refused(_)) => return None,
            Err(NoSlice::Spent(spent)) => panic!("{spent}"),
        };
        let mut survey = Survey::new(Records::of(subject, vars));
        let sight = survey.look(&[goal], true);
        survey.sweep(&[&sight], &budget).expect("no limit");
        let projection = survey.project(&sight, &budget).expect("no limit");
        let mut all = Cuts::new();
        visit(&projection, projection.first_cut(), &mut all);
        let causet_formula::core::Ctl::State(pred) = goal else {
            panic!("a predicate");
        };
        let number = projection.number_of(pred);
        let satisfying = all.iter().filter(|cut| projection.holds(number, cut));
        let by_process = |cut: &Vec<u32>| super::by_process(subject, &projection, cut);
        let satisfying = satisfying.map(by_process).collect();
        Some((found, all.iter().map(by_process).collect(), satisfying))
    }

    fn visit(projection: &Projection<'_>, cut: Vec<u32>, all: &mut Cuts) {
        if all.contains(&cut) {
            return;
        }
        for chain in (0..cut.len()).filter(|&chain| projection.may_advance(&cut, chain)) {
            let mut next = cut.clone();
            next[chain] += 1;
            visit(projection, next, all);
        }
        all.insert(cut);
    }

    /// The smallest lattice that holds some cuts.
    fn closure(cuts: &Cuts) -> Cuts {
        let mut closed = cuts.clone();
        loop {
            let mut more = closed.clone();
            for one in &closed {
                for other in &closed {
                    let pairs = || one.iter().zip(other);
                    more.insert(pairs().map(|(&a, &b)| a.min(b)).collect());
                    more.insert(pairs().map(|(&a, &b)| a.max(b)).collect());
                }
            }
            if more == closed {
                return closed;
            }
            closed = more;
        }
    }

    /// The cuts of a slice, from its groups and edges alone.
    fn cuts_of(trace: &Trace, found: &ComputationSlice) -> Cuts {
        let Some((bottom, _)) = &found.bounds else {
            return Cuts::new();
        };
        let cut = |set: usize| {
            let mut cut = bottom.clone();
            for group in (0..found.groups.len()).filter(|group| set >> group & 1 == 1) {
                for &event in &found.groups[group] {
                    cut[trace.order().process_of(event).index()] += 1;
                }
            }
            cut
        };
        beginnings(found).into_iter().map(cut).collect()
    }

    /// The sets of groups that hold what their members need.
    fn beginnings(found: &ComputationSlice) -> Vec<usize> {
        assert!(found.groups.len() < 20, "a small run");
        let is_closed = |&set: &usize| {
            let has = |group: usize| set >> group & 1 == 1;
            let mut edges = found.edges.iter();
            edges.all(|&(before, after)| has(before) || !has(after))
        };
        (0..1 << found.groups.len()).filter(is_closed).collect()
    }

    fn check(trace: &Trace, text: &str) -> Option<ComputationSlice> {
        let (found, all, satisfying) = sliced(trace, text)?;
        let smallest = closure(&satisfying);
        assert_eq!(cuts_of(trace, &found), smallest, "{text}");
        assert_eq!(found.lean, smallest == satisfying, "{text}: lean");
        assert_eq!(found.cuts_before, Ok(all.len().to_string()), "{text}");
        assert_eq!(found.cuts_after, Ok(smallest.len().to_string()), "{text}");
        let ends = smallest.first().cloned().zip(smallest.last().cloned());
        assert_eq!(found.bounds, ends, "{text}: least and greatest");
        for (number, edge) in found.edges.iter().enumerate() {
            let mut fewer = found.clone();
            fewer.edges.remove(number);
            assert!(
                beginnings(&fewer).len() > smallest.len(),
                "{text}: {edge:?} says nothing"
            );
        }
        Some(found)
    }

    fn predicate(rng: &mut Rng, processes: usize, depth: usize) -> String {
        let mut process = || format!("p{}", rng.usize(1..=processes));
        let (p, q) = (process(), process());
        let k = rng.i64(0..3);
        match rng.usize(0..8) {
            0 => format!("inflight({p} -> {q}) <= {k}"),
            1 => format!("steps({p}) - steps({q}) >= {}", k - 1),
            2 => format!("{p}.st = \"idle\""),
            3 | 4 if depth > 0 => {
                let join = ["&&", "||"][rng.usize(0..2)];
                let (one, other) = (
                    predicate(rng, processes, depth - 1),
                    predicate(rng, processes, depth - 1),
                );
                format!("({one} {join} {other})")
            }
            5 if depth > 0 => format!("!({})", predicate(rng, processes, depth - 1)),
            _ => format!("{p}.x = {k}"),
        }
    }

    #[test]
    fn the_smallest_lattice_that_holds_all() {
        let (mut supported, mut lean) = (0, 0);
        for seed in 0..600 {
            let mut rng = Rng::with_seed(seed);
            let shape = Shape::small(&mut rng);
            let trace = random::run(&mut rng, shape);
            let text = predicate(&mut rng, shape.processes, 3);
            let checked = std::panic::catch_unwind(|| check(&trace, &text));
            let found = checked.unwrap_or_else(|_| panic!("seed {seed}: {text}"));
            supported += u32::from(found.is_some());
            lean += u32::from(found.is_some_and(|found| found.lean));
        }
        assert!(supported > 500, "only {supported} were supported");
        assert!(
            lean > 100 && lean < supported,
            "{lean} of {supported} are lean"
        );
    }

    #[test]
    fn events_that_happen_together_are_one() {
        let trace = notation::parse("a: x=1 x=2 x=0\nb: y=1").expect("a drawing");
        let found = check(&trace, "a.x = 0").expect("a slice");
        let sizes: Vec<usize> = found.groups.iter().map(Vec::len).collect();
        assert_eq!((sizes, found.edges), (vec![3, 1], vec![]));
        let nothing = check(&trace, "a.x = 7").expect("a slice");
        assert_eq!(
            (nothing.bounds, nothing.cuts_after),
            (None, Ok("0".to_owned()))
        );
    }
}
