//! Random runs as JSON lines, and what is left of them when events or whole processes are lost.

use causet_formats::native::{self, Part, ReadOptions};
use causet_trace::Clocks;
use fastrand::Rng;

/// A whole run and a log of it with holes, each of which shows.
pub(crate) struct RandomLog {
    pub(crate) processes: Vec<String>,
    pub(crate) whole: String,
    pub(crate) left: String,
}

/// How a run is written down.
#[derive(Clone, Copy)]
struct Style {
    /// Every event has a clock.
    has_clocks: bool,
    /// The header lists the processes.
    is_listed: bool,
    /// There is a shared variable, whose accesses are ordered as they are recorded.
    is_observed: bool,
}

struct RandomEvent {
    process: usize,
    /// Its number in its process, from 1.
    number: u32,
    fields: String,
    sends: Option<usize>,
    receives: Option<usize>,
    clock: Vec<u32>,
}

impl RandomLog {
    /// A run, and a log of it from which something is missing.
    pub(crate) fn with_holes(random: &mut Rng) -> RandomLog {
        loop {
            let style = Style {
                has_clocks: random.u8(..3) > 0,
                is_listed: random.bool(),
                is_observed: random.u8(..5) == 0,
            };
            let count = random.usize(2..=4);
            let mut processes: Vec<String> = (1..=count).map(|n| format!("p{n}")).collect();
            random.shuffle(&mut processes);
            let mut events = random_events(random, count, style);
            let header = header(random, &processes, style);
            add_clocks(&mut events, &header, &processes);
            let kept = keep_some(random, &events, count, style);
            let is_shown = is_hole_shown(&events, &kept, style);
            if is_shown && kept.contains(&true) {
                let all = vec![true; events.len()];
                return RandomLog {
                    whole: write(&events, &all, &header, &processes, style.has_clocks),
                    left: write(&events, &kept, &header, &processes, style.has_clocks),
                    processes,
                };
            }
        }
    }
}

fn random_events(random: &mut Rng, processes: usize, style: Style) -> Vec<RandomEvent> {
    let mut numbers = vec![0; processes];
    let mut under_way: Vec<(usize, usize)> = Vec::new();
    let mut sent = 0;
    let count = random.usize(2..=8);
    let mut events = Vec::new();
    for _ in 0..count {
        let process = random.usize(..processes);
        numbers[process] += 1;
        let mine = under_way.iter().position(|&(_, to)| to == process);
        let receives = mine
            .filter(|_| random.u8(..4) > 0)
            .map(|at| under_way.swap_remove(at).0);
        let sends = (receives.is_none() && random.bool()).then(|| {
            let to = (process + random.usize(1..processes)) % processes;
            under_way.push((sent, to));
            sent += 1;
            sent - 1
        });
        events.push(RandomEvent {
            process,
            number: numbers[process],
            fields: random_fields(random, style),
            sends,
            receives,
            clock: Vec::new(),
        });
    }
    events
}

fn random_fields(random: &mut Rng, style: Style) -> String {
    let mut writes = Vec::new();
    if random.u8(..10) < 5 {
        writes.push(format!("\"x\":{}", random.u8(..3)));
    }
    if random.u8(..10) < 3 {
        writes.push(format!("\"y\":{}", random.u8(..3)));
    }
    if style.is_observed && random.u8(..10) < 4 {
        writes.push(format!("\"s\":{}", random.u8(..3)));
    }
    let mut fields = format!(",\"set\":{{{}}}", writes.join(","));
    if random.u8(..3) == 0 {
        fields += [",\"ev\":\"go\"", ",\"ev\":\"stop\""][random.usize(..2)];
    }
    if style.is_observed && random.u8(..4) == 0 {
        fields += ",\"read\":[\"s\"]";
    }
    fields
}

fn header(random: &mut Rng, processes: &[String], style: Style) -> String {
    let mut fields = "{\"causet\":1".to_owned();
    if style.is_listed {
        fields += &format!(",\"processes\":{processes:?}");
        // One variable exists whatever is missing.
        if random.bool() {
            let process = &processes[random.usize(..processes.len())];
            fields += &format!(",\"init\":{{\"{process}.x\":1}}");
        }
    }
    if style.is_observed {
        fields += ",\"shared\":[\"s\"],\"order\":\"observed\"";
    }
    fields + "}\n"
}

/// Computes the clocks from the run without them.
fn add_clocks(events: &mut [RandomEvent], header: &str, processes: &[String]) {
    let all = vec![true; events.len()];
    let text = write(events, &all, header, processes, false);
    let parts = vec![Part::new("run", text.as_bytes())];
    let reading = native::read(parts, &ReadOptions::default(), &()).expect("a whole run");
    let trace = reading.trace;
    let clocks = Clocks::new(trace.order());
    for (event, id) in events.iter_mut().zip(trace.order().recorded()) {
        let entry = |name: &String| {
            let process = trace.process(name);
            process.map_or(0, |process| clocks.of(id)[process.index()])
        };
        event.clock = processes.iter().map(entry).collect();
    }
}

/// Which events are left: one or two processes lose some events or all of them. What does not show is put back, if
/// clocks tell.
fn keep_some(
    random: &mut Rng,
    events: &[RandomEvent],
    processes: usize,
    style: Style,
) -> Vec<bool> {
    let mut kept = vec![true; events.len()];
    for _ in 0..random.usize(1..=2) {
        let victim = random.usize(..processes);
        let is_whole = random.u8(..3) == 0;
        for (event, kept) in events.iter().zip(&mut kept) {
            *kept &= event.process != victim || (!is_whole && random.u8(..5) > 1);
        }
    }
    let unseen = |kept: &[bool]| {
        let mut numbers = 0..kept.len();
        numbers.find(|&at| style.has_clocks && !kept[at] && !is_shown(events, kept, at, style))
    };
    while let Some(at) = unseen(&kept) {
        kept[at] = true;
    }
    kept
}

/// Whether a clock that is left counts a lost event, or the header names a process of which nothing is left.
fn is_shown(events: &[RandomEvent], kept: &[bool], lost: usize, style: Style) -> bool {
    let RandomEvent {
        process, number, ..
    } = events[lost];
    let left = || events.iter().zip(kept).filter(|(_, kept)| **kept);
    let is_gone = left().all(|(event, _)| event.process != process);
    let is_counted = |event: &RandomEvent| style.has_clocks && event.clock[process] >= number;
    style.is_listed && is_gone || left().any(|(event, _)| is_counted(event))
}

/// Whether something is lost, and the rest shows it.
fn is_hole_shown(events: &[RandomEvent], kept: &[bool], style: Style) -> bool {
    let is_lost = |message: usize| {
        let mut all = events.iter().zip(kept);
        all.any(|(event, kept)| event.sends == Some(message) && !kept)
    };
    let mut left = events.iter().zip(kept).filter(|(_, kept)| **kept);
    let mut lost = (0..events.len()).filter(|&at| !kept[at]);
    kept.contains(&false)
        && (left.any(|(event, _)| event.receives.is_some_and(is_lost))
            || lost.all(|at| is_shown(events, kept, at, style)))
}

fn write(
    events: &[RandomEvent],
    kept: &[bool],
    header: &str,
    processes: &[String],
    with_clocks: bool,
) -> String {
    let mut text = header.to_owned();
    for (event, _) in events.iter().zip(kept).filter(|(_, kept)| **kept) {
        text += &format!("{{\"p\":\"{}\"{}", processes[event.process], event.fields);
        if let Some(message) = event.sends {
            text += &format!(",\"send\":\"m{message}\"");
        }
        if let Some(message) = event.receives {
            text += &format!(",\"recv\":\"m{message}\"");
        }
        if with_clocks {
            let entries = processes.iter().zip(&event.clock);
            let entries = entries.filter(|&(_, &count)| count > 0);
            let entries: Vec<String> = entries
                .map(|(name, count)| format!("\"{name}\":{count}"))
                .collect();
            text += &format!(",\"clock\":{{{}}}", entries.join(","));
        }
        text += "}\n";
    }
    text
}
