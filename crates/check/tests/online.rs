//! Verdicts while a run goes on, against the verdicts on what it becomes.
//!
//! The lines of random runs arrive in random orders, a few at a time. Whatever the monitor calls certain has to be true of
//! every beginning of the run from there on that is closed under causes, taken for the whole run, and of the run itself;
//! and what it says at the end has to be what a checker of recorded runs says.
//!
//! `CAUSET_SEED=n` repeats one seed, `CAUSET_ROUNDS=n` runs more of them.

mod common;

use std::collections::{BTreeMap, BTreeSet};

use causet_check::decide::decide;
use causet_check::engine::guided::Steps;
use causet_check::outcome::Verdict;
use causet_check::plan::Choice;
use causet_check::prepare::prepare;
use causet_check::stream::{Last, Means, Monitor, Standing};
use causet_check::subject::Subject;
use causet_formula::{Lets, Property};
use causet_solve::budget::Budget;
use causet_trace::random::{self, Shape};
use causet_trace::{Sink, Trace};
use causet_wire::native::{self, Part, ReadOptions};
use common::Maker;
use common::asked::Taste;
use common::passing::{some_properties, text_of};

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
