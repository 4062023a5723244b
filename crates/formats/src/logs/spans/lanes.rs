//! Which process each event belongs to: a lane for each span, or for each thread on which spans nest as calls do.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use super::family::Family;
use super::{Act, Plan, Span};
use crate::logs::linear;
use crate::logs::scribe::Scribe;

/// A process.
pub(super) struct Lane {
    pub(super) name: String,
    /// Its events in order.
    events: Vec<u32>,
    /// How many spans are open after each event, for a thread.
    depths: Option<Vec<u32>>,
}

/// Where an event stands.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Place {
    pub(super) lane: u32,
    /// From 1.
    pub(super) position: u32,
}

impl Lane {
    pub(super) fn is_thread(&self) -> bool {
        self.depths.is_some()
    }

    /// How many spans are open after the event at a position, if the lane is a thread.
    pub(super) fn depth_after(&self, position: u32) -> Option<u32> {
        self.depths.as_ref()?.get(position as usize - 1).copied()
    }
}

/// Where all events of some lanes stand.
pub(super) fn places(lanes: &[Lane], events: usize) -> Vec<Place> {
    let mut places = vec![Place::default(); events];
    for (number, lane) in lanes.iter().enumerate() {
        for (position, &event) in lane.events.iter().enumerate() {
            places[event as usize] = Place {
                lane: number as u32,
                position: position as u32 + 1,
            };
        }
    }
    places
}

/// The host of each lane on a known one, if there are any.
pub(super) fn hosts(
    lanes: &[Lane],
    spans: &[Span],
    plan: &Plan,
) -> Option<FxHashMap<String, String>> {
    let hosts = lanes.iter().filter_map(|lane| {
        let first = *lane.events.first()?;
        let span = plan.events[first as usize].span;
        let host = spans[span as usize].host.clone()?;
        Some((lane.name.clone(), host))
    });
    let hosts: FxHashMap<String, String> = hosts.collect();
    (!hosts.is_empty()).then_some(hosts)
}

/// The lanes, and an order of all events that keeps to them: by the clock as far as that is possible.
///
/// Threads whose clocks contradict what is certain are no lanes. What is contradictory in itself is told as it is, and
/// then the builder of the run says which events form a cycle.
pub(super) fn arrange(
    spans: &[Span],
    family: &Family,
    plan: &Plan,
    scribe: &mut Scribe<'_>,
) -> (Vec<Lane>, Vec<u32>) {
    let threads = threads_of(spans);
    if !threads.is_empty() {
        let lanes = lanes_of(spans, family, plan, &threads, scribe);
        if let Some(order) = extension(&lanes, plan) {
            return (lanes, order);
        }
        let message = "the clocks of threads contradict the order of spans";
        let help = "each span is a process of its own instead of each thread";
        scribe.note(spans[0].line, message, help);
    }
    let lanes = lanes_of(spans, family, plan, &[], scribe);
    let order = extension(&lanes, plan);
    let order = order.unwrap_or_else(|| (0..plan.events.len() as u32).collect());
    (lanes, order)
}

/// The spans of each thread, in the order of their first spans.
fn threads_of(spans: &[Span]) -> Vec<Vec<u32>> {
    let mut numbers: FxHashMap<(&str, &str), usize> = FxHashMap::default();
    let mut threads: Vec<Vec<u32>> = Vec::new();
    for (number, span) in spans.iter().enumerate() {
        let (Some(instance), Some(thread)) = (&span.instance, &span.thread) else {
            continue;
        };
        if span.start.is_none() || span.end.is_none() {
            continue;
        }
        let thread = *numbers.entry((instance, thread)).or_insert(threads.len());
        match threads.get_mut(thread) {
            Some(spans) => spans.push(number as u32),
            None => threads.push(vec![number as u32]),
        }
    }
    threads
}

fn lanes_of(
    spans: &[Span],
    family: &Family,
    plan: &Plan,
    threads: &[Vec<u32>],
    scribe: &mut Scribe<'_>,
) -> Vec<Lane> {
    let mut names = Names::of(spans);
    let mut lanes = Vec::new();
    let mut on_thread = vec![false; spans.len()];
    let mut tangled: Vec<u32> = Vec::new();
    for thread in threads {
        let Some((events, depths)) = nested(thread, spans, family, plan) else {
            tangled.extend(thread.first());
            continue;
        };
        thread
            .iter()
            .for_each(|&span| on_thread[span as usize] = true);
        lanes.push(Lane {
            name: names.of_thread(&spans[thread[0] as usize]),
            events,
            depths: Some(depths),
        });
    }
    if let Some(&first) = tangled.first() {
        let message = format!(
            "the spans of {} of {} threads do not nest",
            tangled.len(),
            threads.len()
        );
        let help = "something else than calls runs on them: their spans are processes of their own";
        scribe.note(spans[first as usize].line, message, help);
    }
    for number in 0..spans.len() as u32 {
        if !on_thread[number as usize] {
            lanes.push(Lane {
                name: names.of_span(&spans[number as usize]),
                events: plan.events_of(number).collect(),
                depths: None,
            });
        }
    }
    lanes
}

/// The events of a thread in order, with how many spans are open, if its spans nest and no child starts before its
/// parent.
fn nested(
    thread: &[u32],
    spans: &[Span],
    family: &Family,
    plan: &Plan,
) -> Option<(Vec<u32>, Vec<u32>)> {
    let time = |span: u32| (spans[span as usize].start, spans[span as usize].end);
    let mut sorted = thread.to_vec();
    sorted.sort_by_key(|&span| {
        let (start, end) = time(span);
        (start, Reverse(end))
    });
    let mut stack = Stack::default();
    for span in sorted {
        let (start, end) = time(span);
        while let Some(&top) = stack.open.last() {
            let top_end = time(top).1;
            let is_inside = family.parent(span) == Some(top) && end <= top_end;
            if top_end > start || (top_end == start && is_inside) {
                let is_tangled = end > top_end || family.parent(top) == Some(span);
                if is_tangled {
                    return None;
                }
                break;
            }
            stack.close(top_end, plan);
        }
        stack.start(span, time(span), plan);
    }
    while let Some(&top) = stack.open.last() {
        stack.close(time(top).1, plan);
    }
    Some((stack.events, stack.depths))
}

/// A thread on which spans start and end.
#[derive(Default)]
struct Stack {
    events: Vec<u32>,
    depths: Vec<u32>,
    /// The spans that are open.
    open: Vec<u32>,
    /// What they log and have not yet logged.
    logs: BinaryHeap<Reverse<(Option<i64>, u32)>>,
}

impl Stack {
    fn start(&mut self, span: u32, (start, end): (Option<i64>, Option<i64>), plan: &Plan) {
        self.log(|time| time < start);
        self.open.push(span);
        self.tell(plan.start_of(span));
        let events = plan.events_of(span);
        let logs = events.filter(|&event| matches!(plan.events[event as usize].act, Act::Log(_)));
        // A span logs between its start and its end, whatever the clock says.
        let within = |event: u32| plan.events[event as usize].time.max(start).min(end);
        self.logs
            .extend(logs.map(|event| Reverse((within(event), event))));
    }

    /// Ends the innermost span.
    fn close(&mut self, end: Option<i64>, plan: &Plan) {
        self.log(|time| time <= end);
        let event = self.open.pop().and_then(|span| plan.end_of(span));
        event.into_iter().for_each(|event| self.tell(event));
    }

    fn log(&mut self, is_due: impl Fn(Option<i64>) -> bool) {
        while let Some(&Reverse((time, event))) = self.logs.peek()
            && is_due(time)
        {
            self.logs.pop();
            self.tell(event);
        }
    }

    fn tell(&mut self, event: u32) {
        self.events.push(event);
        self.depths.push(self.open.len() as u32);
    }
}

/// An order of all events that keeps to the lanes and to all edges, by the clock as far as that is possible.
fn extension(lanes: &[Lane], plan: &Plan) -> Option<Vec<u32>> {
    let chains = lanes.iter().map(|lane| lane.events.as_slice());
    let key = |event: u32| plan.events[event as usize].time;
    let after = plan.after.iter().zip(0..);
    let edges = after.flat_map(|(after, event)| after.iter().map(move |&earlier| (earlier, event)));
    linear::extension(plan.after.len(), edges, chains, key)
}

/// Names of lanes: readable, and no two the same.
struct Names {
    /// How many characters of an id tell apart spans that are called the same; none if there is one such span.
    lengths: FxHashMap<String, usize>,
    /// Names that are taken, with the number that the next of the same name gets.
    taken: FxHashMap<String, u32>,
}

impl Names {
    fn of(spans: &[Span]) -> Names {
        let mut ids: FxHashMap<String, Vec<&str>> = FxHashMap::default();
        for span in spans {
            ids.entry(title(span)).or_default().push(&span.id);
        }
        let lengths = ids.into_iter().map(|(title, mut ids)| {
            if ids.len() == 1 {
                return (title, 0);
            }
            ids.sort_unstable();
            let shared = ids.windows(2).map(|pair| common(pair[0], pair[1]));
            let length = shared.max().unwrap_or(0) + 1;
            (title, length.max(4))
        });
        Names {
            lengths: lengths.collect(),
            taken: FxHashMap::default(),
        }
    }

    /// The service and the operation, with the beginning of the id if others are called the same.
    fn of_span(&mut self, span: &Span) -> String {
        let title = title(span);
        match self.lengths.get(&title).copied().unwrap_or(0) {
            0 => self.take(&title),
            length => {
                let id: String = span.id.chars().take(length).collect();
                self.take(&format!("{title}#{id}"))
            }
        }
    }

    fn of_thread(&mut self, span: &Span) -> String {
        let thread = span.thread.as_deref().unwrap_or_default();
        self.take(&format!("{}/thread-{thread}", span.service))
    }

    /// The name itself, or with a number if it is taken.
    fn take(&mut self, name: &str) -> String {
        let mut free = name.to_owned();
        while self.taken.contains_key(&free) {
            let number = self.taken.entry(name.to_owned()).or_insert(1);
            *number += 1;
            free = format!("{name}~{number}");
        }
        self.taken.insert(free.clone(), 1);
        free
    }
}

fn title(span: &Span) -> String {
    match (span.service.as_str(), span.name.as_str()) {
        ("", "") => "span".to_owned(),
        ("", name) => name.to_owned(),
        (service, "") => service.to_owned(),
        (service, name) => format!("{service}/{name}"),
    }
}

/// How many characters two different texts begin with in common; none for equal ones.
fn common(one: &str, other: &str) -> usize {
    if one == other {
        return 0;
    }
    let pairs = one.chars().zip(other.chars());
    pairs.take_while(|(one, other)| one == other).count()
}
