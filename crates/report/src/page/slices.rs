//! A computation slice for the page: two cuts, the events between them that happen only together, and what the slice
//! orders although the run does not.
//!
//! An edge of a slice leads from one group of events to another. Most of them follow from the run, where some event of
//! the first happened before some event of the second, and are in the picture already. Only the others are drawn, each
//! from the event of the first group that was recorded last to the event of the second that was recorded first.

use causet_base::budget::Budget;
use causet_check::slicing::{ComputationSlice, NoSlice};
use causet_check::wanted::Role;
use causet_trace::{Clocks, EventId, Order, Trace};
use serde::Serialize;

/// More groups than this are not marked.
const MOST_GROUPS: usize = 400;
/// All groups that are marked have at most so many events.
const MOST_EVENTS: usize = 20_000;
/// More arrows than this are not drawn.
const MOST_ARROWS: usize = 600;
/// Clocks with more entries than this are not computed for the sake of a picture.
const MOST_CLOCK_ENTRIES: usize = 60_000_000;

/// What the page is told about a slice.
#[derive(Clone, Debug, Serialize)]
pub struct SliceShown {
    /// `satisfy`, `show` or `violate`: what the cuts of the slice do.
    role: &'static str,
    /// Why there is nothing more.
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<String>,
    #[serde(flatten)]
    slice: Option<Slice>,
}

impl SliceShown {
    /// A slice, or why there is none.
    pub fn of(
        trace: &Trace,
        role: Role,
        slice: Result<&ComputationSlice, &NoSlice>,
        budget: &Budget<'_>,
    ) -> SliceShown {
        match slice {
            Ok(slice) => SliceShown {
                role: word(role),
                missing: None,
                slice: Some(Slice::of(trace, slice, budget)),
            },
            Err(NoSlice::Refused(reason)) => {
                let reason = format!("There is no slice for this: {reason}.");
                SliceShown::missing(role, reason)
            }
            Err(NoSlice::Spent(spent)) => {
                SliceShown::missing(role, format!("The slice was not made: {spent}."))
            }
        }
    }

    /// The events next to its first and its last cut, which a page of a large run must hold.
    pub(super) fn focus(&self, order: &Order) -> Vec<EventId> {
        let bounds = self
            .slice
            .iter()
            .flat_map(|slice| [&slice.bottom, &slice.top]);
        let events = bounds.flatten().flat_map(|cut| {
            let next = order.processes().zip(cut);
            next.flat_map(|(process, &count)| [(process, count), (process, count + 1)])
        });
        events
            .filter_map(|(process, count)| order.event(process, count))
            .collect()
    }

    /// What is said in place of a slice.
    pub fn missing(role: Role, reason: impl Into<String>) -> SliceShown {
        SliceShown {
            role: word(role),
            missing: Some(reason.into()),
            slice: None,
        }
    }
}

fn word(role: Role) -> &'static str {
    match role {
        Role::Satisfy => "satisfy",
        Role::Show => "show",
        Role::Violate => "violate",
    }
}

/// The slice in the numbers of events.
#[derive(Clone, Debug, Serialize)]
struct Slice {
    /// How many cuts the run and the slice have, in decimal digits, unless that was too long to count.
    all: Option<String>,
    cuts: Option<String>,
    /// Whether every cut of the slice is one that was asked for.
    lean: bool,
    /// The first and the last cut of the slice; null when it has none.
    bottom: Option<Vec<u32>>,
    top: Option<Vec<u32>>,
    /// How many nodes the slice has, and how many of them are groups of several events.
    nodes: usize,
    together: usize,
    /// Groups of several events, each in recorded order.
    groups: Vec<Vec<u32>>,
    /// How many pairs are ordered by the slice only; null when that would take too long to find out.
    added: Option<usize>,
    /// The first of these.
    arrows: Vec<(u32, u32)>,
}

impl Slice {
    fn of(trace: &Trace, slice: &ComputationSlice, budget: &Budget<'_>) -> Slice {
        let order = trace.order();
        let groups: Vec<Vec<EventId>> = in_recorded_order(order, &slice.groups);
        let together = groups.iter().filter(|group| group.len() > 1);
        let arrows = arrows(order, &groups, &slice.edges, budget);
        let (bottom, top) = slice.bounds.clone().unzip();
        Slice {
            all: slice.cuts_before.clone().ok(),
            cuts: slice.cuts_after.clone().ok(),
            lean: slice.lean,
            bottom,
            top,
            nodes: groups.len(),
            together: together.clone().count(),
            groups: few(together),
            added: arrows.as_ref().map(Vec::len),
            arrows: arrows.map_or_else(Vec::new, |mut arrows| {
                arrows.truncate(MOST_ARROWS);
                arrows
            }),
        }
    }
}

fn in_recorded_order(order: &Order, groups: &[Vec<EventId>]) -> Vec<Vec<EventId>> {
    let ranks = order.ranks();
    let mut groups = groups.to_vec();
    for group in &mut groups {
        group.sort_unstable_by_key(|&event| ranks.of(event));
    }
    groups
}

/// As many groups as the page can show.
fn few<'a>(groups: impl Iterator<Item = &'a Vec<EventId>>) -> Vec<Vec<u32>> {
    let mut room = MOST_EVENTS;
    let fitting = groups.take(MOST_GROUPS).take_while(|group| {
        let fits = group.len() <= room;
        room = room.saturating_sub(group.len());
        fits
    });
    let numbers = |group: &Vec<EventId>| group.iter().map(|event| event.raw()).collect();
    fitting.map(numbers).collect()
}

/// The edges of the slice between groups that the run does not order; `None` when its clocks are too large.
fn arrows(
    order: &Order,
    groups: &[Vec<EventId>],
    edges: &[(usize, usize)],
    budget: &Budget<'_>,
) -> Option<Vec<(u32, u32)>> {
    let entries = order.len().saturating_mul(order.process_count());
    let room = budget.branch();
    if entries > MOST_CLOCK_ENTRIES || room.charge(entries * size_of::<u32>()).is_err() {
        return None;
    }
    room.tick_many(entries as u64).ok()?;
    let clocks = Clocks::new(order);
    let happened_before = |before: EventId, after: EventId| {
        clocks.of(after)[order.process_of(before).index()] >= order.position_of(before)
    };
    let is_ordered = |one: &[EventId], other: &[EventId]| {
        let (firsts, lasts) = (ends(order, one.iter()), ends(order, other.iter().rev()));
        let mut pairs = firsts
            .iter()
            .flat_map(|&one| lasts.iter().map(move |&other| (one, other)));
        pairs.any(|(one, other)| happened_before(one, other))
    };
    let mut arrows = Vec::new();
    for &(one, other) in edges {
        room.tick().ok()?;
        let (one, other) = (&groups[one], &groups[other]);
        if let (Some(last), Some(first)) = (one.last(), other.first())
            && !is_ordered(one, other)
        {
            arrows.push((last.raw(), first.raw()));
        }
    }
    Some(arrows)
}

/// Of each process the event that comes first in a list. In the order of the run, if any event of a process happened
/// before something, so did its first; against that order, the last of a process knows all that the others know.
fn ends<'a>(order: &Order, events: impl Iterator<Item = &'a EventId>) -> Vec<EventId> {
    let mut seen = rustc_hash::FxHashSet::default();
    let first = events.filter(|&&event| seen.insert(order.process_of(event)));
    first.copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use causet_check::prepare::prepare;
    use causet_check::slicing::slice;
    use causet_check::subject::Subject;
    use causet_check::wanted::Wanted;
    use causet_formula::{Kind, Lets, Property};
    use causet_trace::notation;
    use serde_json::{Value as Json, json};

    fn shown(drawing: &str, kind: Kind, text: &str) -> Json {
        let trace = notation::parse(drawing).expect("a drawing");
        let subject = Subject::of(&trace);
        let property = Property::parse(kind, "p", text).expect("a formula");
        let question = prepare(&subject, &property, &Lets::none()).expect("a meaning");
        let wanted = Wanted::by_property(&question).expect("cuts are looked for");
        let room = Budget::endless();
        let found = slice(subject, &wanted.goal, wanted.vars, &room, &room);
        serde_json::to_value(SliceShown::of(&trace, wanted.role, found.as_ref(), &room))
            .expect("JSON")
    }

    #[test]
    fn a_group_is_what_happens_together() {
        // Both variables change in one event each, and only together are they equal to 0 or to 1 on both sides.
        let told = shown(
            "a: x=1\nb: y=1",
            Kind::Possibly,
            "a.x - b.y <= 0 && b.y - a.x <= 0",
        );
        assert_eq!((&told["all"], &told["cuts"]), (&json!("4"), &json!("2")));
        assert_eq!(told["groups"], json!([[0, 1]]));
        assert_eq!((&told["nodes"], &told["added"]), (&json!(1), &json!(0)));
    }

    #[test]
    fn an_arrow_is_what_only_the_slice_orders() {
        // One side may not be ahead of the other, which the run does not say; of two steps on one side the run says it.
        let told = shown("a: x=1 x=2\nb: y=1", Kind::Ctl, "AG !(b.y - a.x <= 0)");
        assert_eq!(told["role"], json!("violate"));
        assert_eq!(told["groups"], json!([]));
        assert_eq!(told["nodes"], json!(3));
        assert_eq!(told["added"], json!(1));
        let arrow = &told["arrows"][0];
        assert_ne!(arrow[0], arrow[1]);
    }

    #[test]
    fn no_cut_is_said_as_well_as_no_slice() {
        let told = shown("a: x=1\nb: y=1", Kind::Possibly, "a.x == 7");
        assert_eq!(
            (&told["cuts"], &told["bottom"]),
            (&json!("0"), &json!(null))
        );
        let refused = NoSlice::Refused("it is odd".to_owned());
        let trace = notation::parse("a: x=1").expect("a drawing");
        let told = SliceShown::of(&trace, Role::Satisfy, Err(&refused), &Budget::endless());
        let told = serde_json::to_value(told).expect("JSON");
        assert!(
            told["missing"]
                .as_str()
                .is_some_and(|text| text.contains("odd"))
        );
    }
}
