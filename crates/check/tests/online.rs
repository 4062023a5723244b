//! Verdicts while a run goes on, against the verdicts on what it becomes.
//!
//! The lines of random runs arrive in random orders, a few at a time. Whatever the monitor calls certain has to be true of
//! every beginning of the run from there on that is closed under causes, taken for the whole run, and of the run itself;
//! and what it says at the end has to be what a checker of recorded runs says.
//!
//! `CAUSET_SEED=n` repeats one seed, `CAUSET_ROUNDS=n` runs more of them.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};

use causet_base::budget::{Budget, Meter, Spent};
use causet_check::decide::decide;
use causet_check::engine::guided::Steps;
use causet_check::outcome::Verdict;
use causet_check::plan::Choice;
use causet_check::prepare::prepare;
use causet_check::stream::{Last, Means, Monitor, Shown, Standing};
use causet_check::subject::Subject;
use causet_formats::native::{self, Part, ReadOptions};
use causet_formula::{Kind, Lets, Property};
use causet_trace::random::{self, Shape};
use causet_trace::{Sink, Trace};
use common::Maker;
use common::asked::Taste;
use common::passing::{property, some_properties, text_of};

fn read(text: &str) -> Option<Trace> {
    let part = Part::new("t", text.as_bytes());
    let reading = native::read(vec![part], &ReadOptions::default(), &());
    reading.ok().map(|reading| reading.trace)
}

fn feed(text: &str, sink: &mut impl Sink) {
    let part = Part::new("t", text.as_bytes());
    let fed = native::stream(vec![part], &ReadOptions::default(), &(), sink);
    fed.unwrap_or_else(|e| panic!("{e:?}\n{text}"));
}

/// The verdict on a whole run; `None` if the property has no meaning there.
fn recorded(text: &str, property: &Property) -> Option<bool> {
    let trace = read(text)?;
    let subject = Subject::of(&trace);
    let question = prepare(&subject, property, &Lets::none()).ok()?;
    let outcome = decide(&subject, &question, Choice::Auto, &Budget::endless()).ok()?;
    match outcome.verdict {
        Verdict::Holds => Some(true),
        Verdict::Violated => Some(false),
        verdict => panic!("{verdict:?}"),
    }
}

/// The lines of a run in an order in which they can arrive, with the process of each.
#[derive(Clone, Debug)]
struct Arrivals {
    header: String,
    lines: Vec<(String, String)>,
}

fn field<'l>(line: &'l str, name: &str) -> Option<&'l str> {
    let (_, rest) = line.split_once(&format!("\"{name}\":\""))?;
    rest.split('"').next()
}

impl Arrivals {
    fn of(trace: &Trace, ends: bool, rng: &mut fastrand::Rng) -> Self {
        let text = text_of(trace);
        let mut queues: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let (header, lines) = text.split_once('\n').unwrap_or((&text, ""));
        for line in lines.lines() {
            let process = field(line, "p").expect("every line has a process");
            queues
                .entry(process.to_owned())
                .or_default()
                .push(line.to_owned());
        }
        if ends {
            for process in trace.order().processes() {
                let name = trace.process_name(process);
                let end = format!("{{\"p\":\"{name}\",\"end\":true}}");
                queues.entry(name.to_owned()).or_default().push(end);
            }
        }
        queues.values_mut().for_each(|lines| lines.reverse());
        let mut lines = Vec::new();
        let mut names: Vec<String> = queues.keys().cloned().collect();
        while !names.is_empty() {
            // Now and then one process is far ahead of the others.
            let at = rng.usize(0..names.len());
            for _ in 0..rng.usize(1..4) {
                match queues.get_mut(&names[at]).and_then(Vec::pop) {
                    Some(line) => lines.push((names[at].clone(), line)),
                    None => {
                        names.remove(at);
                        break;
                    }
                }
            }
        }
        Arrivals {
            header: header.to_owned(),
            lines,
        }
    }

    /// What has arrived of the run after so many lines, without the events whose causes have not: itself a run.
    fn beginning(&self, count: usize) -> String {
        let mut waiting: Vec<&(String, String)> = self.lines[..count].iter().collect();
        let mut sent = BTreeSet::new();
        let mut text = format!("{}\n", self.header);
        loop {
            let mut blocked = BTreeSet::new();
            let before = waiting.len();
            waiting.retain(|(process, line)| {
                let is_ready = field(line, "recv").is_none_or(|message| sent.contains(message));
                if !is_ready || blocked.contains(process) {
                    blocked.insert(process);
                    return true;
                }
                sent.extend(field(line, "send"));
                text += line;
                text.push('\n');
                false
            });
            if waiting.len() == before {
                return text;
            }
        }
    }

    fn whole(&self) -> String {
        self.beginning(self.lines.len())
    }
}

/// How often which way was taken; a test that never takes one would say nothing of it.
#[derive(Default, Debug)]
struct Tally {
    early: usize,
    early_true: usize,
    replays: usize,
    at_end: usize,
    open: usize,
    beginnings: usize,
}

/// Follows one run to its end.
fn follow(
    arrivals: &Arrivals,
    properties: &[Property],
    rng: &mut fastrand::Rng,
    tally: &mut Tally,
) {
    let asked = properties
        .iter()
        .map(|p| (p.clone(), Lets::none()))
        .collect();
    let max_steps = [None, Some(1), Some(3)][rng.usize(..3)];
    let steps = match rng.bool() {
        true => Steps::All,
        false => Steps::TwoPhase { max_steps },
    };
    let memory = None;
    let mut monitor = Monitor::new(asked, Means { memory, steps });
    feed(&arrivals.header, &mut monitor);
    let mut done = 0;
    let mut certain: BTreeMap<usize, (usize, bool)> = BTreeMap::new();
    loop {
        if monitor.wants_replay() {
            let lines = arrivals.lines[..done].iter().map(|(_, line)| line.as_str());
            let text: Vec<&str> = std::iter::once(arrivals.header.as_str())
                .chain(lines)
                .collect();
            feed(&text.join("\n"), &mut monitor.replay());
            tally.replays += 1;
        }
        for number in monitor.settle() {
            if let Some((_, Standing::Certain(shown))) = monitor.standings().nth(number) {
                let told = certain.insert(number, (done, shown.holds));
                assert_eq!(told, None, "told twice: {}", properties[number].text);
            }
        }
        if monitor.wants_replay() {
            continue;
        }
        if done == arrivals.lines.len() {
            break;
        }
        let next = (done + rng.usize(1..4)).min(arrivals.lines.len());
        let lines = arrivals.lines[done..next]
            .iter()
            .map(|(_, line)| line.as_str());
        feed(&lines.collect::<Vec<_>>().join("\n"), &mut monitor);
        done = next;
    }
    for (&number, &(at, holds)) in &certain {
        tally.early += usize::from(at < arrivals.lines.len());
        tally.early_true += usize::from(at < arrivals.lines.len() && holds);
        for count in at..=arrivals.lines.len() {
            let beginning = arrivals.beginning(count);
            if let Some(expected) = recorded(&beginning, &properties[number]) {
                tally.beginnings += 1;
                let text = &properties[number].text;
                assert_eq!(
                    holds, expected,
                    "{text} was certain after {at} lines, not after {count}\n{}\n{:#?}",
                    arrivals.header, arrivals.lines
                );
            }
        }
    }
    let whole = arrivals.whole();
    for (last, property) in monitor.finish().into_iter().zip(properties) {
        let expected = recorded(&whole, property);
        let holds = match last {
            Last::Certain(shown) => shown.holds,
            Last::Decided(outcome) => {
                tally.at_end += 1;
                outcome.verdict == Verdict::Holds
            }
            Last::Open => {
                tally.open += 1;
                continue;
            }
        };
        assert_eq!(Some(holds), expected, "{}\n{whole}", property.text);
    }
}

fn one_round(seed: u64, tally: &mut Tally) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut shape = Shape::small(&mut rng);
    shape.shared = false;
    let trace = random::run(&mut rng, shape);
    let taste = Taste::any(&mut rng);
    let mut arrivals = Arrivals::of(&trace, rng.bool(), &mut rng);
    if rng.u8(..4) == 0 {
        arrivals.header = "{\"causet\":1}".to_owned();
    }
    let properties = some_properties(&mut Maker::new(&mut rng, &trace), taste);
    follow(&arrivals, &properties, &mut rng, tally);
}

#[test]
fn what_is_certain_stays_so() {
    let mut tally = Tally::default();
    if let Some(seed) = common::number_from_environment("CAUSET_SEED") {
        one_round(seed, &mut tally);
        return;
    }
    let rounds = common::number_from_environment("CAUSET_ROUNDS").unwrap_or(400);
    for seed in 0..rounds {
        one_round(seed, &mut tally);
    }
    println!("{tally:?}");
    let Tally {
        early,
        early_true,
        replays,
        at_end,
        ..
    } = tally;
    assert!(
        [early, early_true, early - early_true, replays, at_end]
            .iter()
            .all(|&n| n > 20),
        "{tally:?}"
    );
}

/// Stops whatever asks after so many looks.
struct Looks(AtomicU64);

impl Meter for Looks {
    fn stop(&self) -> Option<Spent> {
        let left = self.0.load(Ordering::Relaxed);
        self.0.store(left.saturating_sub(1), Ordering::Relaxed);
        (left == 0).then_some(Spent::Time)
    }
}

fn looks(count: u64) -> Looks {
    Looks(AtomicU64::new(count))
}

/// A monitor of properties of CTL that has met the header of a run of so many processes with a variable `x` each.
fn monitor_of(properties: &[&str], processes: usize, memory: Option<u64>) -> Monitor {
    let asked = properties
        .iter()
        .map(|text| (property(Kind::Ctl, text), Lets::none()));
    let steps = Steps::All;
    let mut monitor = Monitor::new(asked.collect(), Means { memory, steps });
    feed(&header_of(processes), &mut monitor);
    assert!(monitor.settle().is_empty(), "nothing has happened");
    monitor
}

/// What is certain of a property, if something is.
fn certain(monitor: &Monitor, number: usize) -> Option<&Shown> {
    match monitor.standings().nth(number)? {
        (_, Standing::Certain(shown)) => Some(shown),
        _ => None,
    }
}

/// The header of a run of so many processes with a variable `x` each.
fn header_of(processes: usize) -> String {
    let names: Vec<String> = (0..processes).map(|p| format!("\"p{p}\"")).collect();
    let inits: Vec<String> = (0..processes).map(|p| format!("\"p{p}.x\":0")).collect();
    format!(
        "{{\"causet\":1,\"processes\":[{}],\"init\":{{{}}}}}\n",
        names.join(","),
        inits.join(",")
    )
}

/// Events of so many processes that write and send at random, in an order in which they can have happened.
fn some_lines(processes: usize, events: usize, rng: &mut fastrand::Rng) -> Vec<String> {
    let mut sent: Vec<Vec<usize>> = vec![Vec::new(); processes];
    let mut lines = Vec::new();
    for number in 0..events {
        let process = rng.usize(..processes);
        let to = (process + rng.usize(1..processes)) % processes;
        let mut line = format!("{{\"p\":\"p{process}\"");
        if rng.u8(..4) > 0 {
            line += &format!(",\"set\":{{\"x\":{}}}", rng.u8(..4));
        }
        match sent[process].pop() {
            Some(message) if rng.bool() => line += &format!(",\"recv\":\"m{message}\""),
            _ => {
                line += &format!(",\"send\":\"m{number}\",\"to\":\"p{to}\"");
                sent[to].push(number);
            }
        }
        lines.push(line + "}\n");
    }
    lines
}

#[test]
fn what_the_order_of_arrival_shows_waits_for_no_search() {
    let mut rng = fastrand::Rng::with_seed(3);
    let lines = some_lines(30, 400, &mut rng);
    let properties = [
        "AG sum(i in procs: i.x) != 31",
        "AG sum(i in procs: i.x) <= 30",
        "EF count(i in procs: i.x = 2) >= 9",
        "AG max(i in procs: i.x) < 3",
    ];
    // A search that may not take a step, and one that may take next to no memory.
    for (steps, memory) in [(0, None), (u64::MAX, Some(1 << 20))] {
        let mut monitor = monitor_of(&properties, 30, memory);
        for (number, line) in lines.iter().enumerate() {
            feed(line, &mut monitor);
            monitor.settle_within(&looks(steps));
            for property in 0..properties.len() {
                let Some(shown) = certain(&monitor, property) else {
                    continue;
                };
                let observed = shown.observed.expect("one order shows it");
                assert!(observed <= number as u64 + 1);
            }
        }
        for (number, text) in properties.iter().enumerate() {
            let shown = certain(&monitor, number).expect("it is told");
            assert_eq!(shown.holds, text.starts_with("EF"), "{text}");
        }
    }
}

#[test]
fn a_search_in_slices_finds_what_it_finds_at_once() {
    // Each process goes up and down before the next one does, so no order but others has all of them up.
    let lines: String = (0..8)
        .map(|p| {
            format!("{{\"p\":\"p{p}\",\"set\":{{\"x\":1}}}}\n{{\"p\":\"p{p}\",\"set\":{{\"x\":0}}}}\n{{\"p\":\"p{p}\",\"end\":true}}\n")
        })
        .collect();
    for (text, holds) in [
        ("AG sum(i in procs: i.x) < 8", false),
        ("AG sum(i in procs: i.x) < 9", true),
    ] {
        let mut monitor = monitor_of(&[text], 8, None);
        feed(&lines, &mut monitor);
        let mut slices = 0;
        while certain(&monitor, 0).is_none() {
            monitor.settle_within(&looks(1));
            slices += 1;
            assert!(slices < 100_000, "it goes on");
        }
        let shown = certain(&monitor, 0).expect("it is told");
        assert_eq!((shown.holds, shown.observed), (holds, None), "{text}");
        assert!(slices > 1, "{slices}");
        let mut monitor = monitor_of(&[text], 8, None);
        feed(&lines, &mut monitor);
        monitor.settle();
        assert_eq!(certain(&monitor, 0).map(|shown| shown.holds), Some(holds));
    }
}

/// The verdict on a whole run, unless it takes long.
fn recorded_within(text: &str, property: &Property, steps: u64) -> Option<bool> {
    let trace = read(text)?;
    let subject = Subject::of(&trace);
    let question = prepare(&subject, property, &Lets::none()).expect("it has a meaning");
    let few = looks(steps);
    let budget = Budget::new(&few).with_memory(64 << 20, 0);
    let outcome = decide(&subject, &question, Choice::Auto, &budget).expect("no failure");
    match outcome.verdict {
        Verdict::Holds => Some(true),
        Verdict::Violated => Some(false),
        _ => None,
    }
}

#[test]
fn folds_over_many_processes_are_told_as_the_whole_run_tells_them() {
    let (mut compared, mut early) = (0, 0);
    for seed in 0..30 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let processes = [3, 30][rng.usize(..2)];
        let lines = some_lines(processes, 12 * processes, &mut rng);
        let bound = |most: usize, rng: &mut fastrand::Rng| rng.usize(1..most);
        let properties = [
            format!(
                "AG sum(i in procs: i.x) != {}",
                bound(2 * processes, &mut rng)
            ),
            format!(
                "AG sum(i in procs: i.x) <= {}",
                bound(3 * processes, &mut rng)
            ),
            format!(
                "EF count(i in procs: i.x > 1) >= {}",
                bound(processes, &mut rng)
            ),
            format!("EF min(i in procs: i.x) >= {}", bound(4, &mut rng)),
            format!("AG max(i in procs: i.x) < {}", bound(5, &mut rng)),
        ];
        let texts: Vec<&str> = properties.iter().map(String::as_str).collect();
        let mut monitor = monitor_of(&texts, processes, Some(4 << 20));
        let mut at = 0;
        while at < lines.len() {
            let next = (at + rng.usize(1..20)).min(lines.len());
            feed(&lines[at..next].concat(), &mut monitor);
            monitor.settle_within(&looks(rng.u64(..3)));
            at = next;
        }
        let text = header_of(processes) + &lines.concat();
        for (number, formula) in texts.iter().enumerate() {
            let Some(shown) = certain(&monitor, number) else {
                continue;
            };
            early += 1;
            let asked = property(Kind::Ctl, formula);
            if let Some(expected) = recorded_within(&text, &asked, 2_000) {
                compared += 1;
                assert_eq!(shown.holds, expected, "seed {seed}, {formula}");
            }
        }
    }
    println!("{early} certain, {compared} compared");
    assert!(compared > 50, "{compared}");
}

/// One event of each process, a message through all of them.
fn a_chain(processes: usize) -> String {
    let mut text = String::new();
    for process in 0..processes {
        let heard = match process.checked_sub(1) {
            Some(before) => format!(",\"recv\":\"m{before}\""),
            None => String::new(),
        };
        let to = process + 1;
        text +=
            &format!("{{\"p\":\"p{process}\",\"send\":\"m{process}\",\"to\":\"p{to}\"{heard}}}\n");
    }
    text
}

#[test]
fn memory_follows_what_has_come() {
    let bytes = [1_000, 10_000].map(|processes| {
        let asked = vec![(property(Kind::Ctl, "AG !(a.x && b.x)"), Lets::none())];
        let mut monitor = Monitor::new(asked, Means::default());
        feed("{\"causet\":1}\n{\"p\":\"a\",\"set\":{\"x\":false}}\n{\"p\":\"b\",\"set\":{\"x\":false}}\n", &mut monitor);
        monitor.settle();
        feed("{\"causet\":1}\n{\"p\":\"a\",\"set\":{\"x\":false}}\n{\"p\":\"b\",\"set\":{\"x\":false}}\n", &mut monitor.replay());
        feed(&a_chain(processes), &mut monitor);
        monitor.settle();
        assert_eq!(monitor.waiting(), 0);
        assert_eq!(monitor.passed().len(), processes + 3);
        monitor.bytes()
    });
    assert!(bytes[1] < 20 * bytes[0], "{bytes:?}");
    assert!(bytes[1] < 10_000 * 4_000, "{bytes:?}");
    println!("{bytes:?}");
}
