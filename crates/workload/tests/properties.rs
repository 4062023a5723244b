//! Every workload, small, on twenty seeds: the right version keeps its properties, the faulty one breaks one.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use causet_base::budget::Budget;
use causet_check::decide::decide;
use causet_check::outcome::Verdict;
use causet_check::plan::Choice;
use causet_check::prepare::prepare;
use causet_check::subject::Subject;
use causet_formats::native::{Part, ReadOptions, read};
use causet_formula::{Kind, PropertyFile};
use causet_trace::Trace;
use causet_workload::{Request, all, find, generate};

const SEEDS: std::ops::RangeInclusive<u64> = 1..=20;

/// A seed on which the faulty version of each workload, with its usual processes, breaks a property, and which one.
const BROKEN: &[(&str, u64, &str)] = &[
    ("random", 1, "no-more-than-sent"),
    ("peterson", 1, "at-most-one"),
    ("filter", 1, "at-most-one"),
    ("abp", 4, "one-under-way"),
    ("philosophers", 1, "neighbours"),
    ("ddph", 1, "both-forks"),
    ("token-ring", 1, "one-token"),
    ("ricart-agrawala", 1, "mutex"),
    ("two-phase-commit", 1, "agreement"),
    ("raft-election", 5, "election-safety"),
    ("primary-secondary", 1, "always-a-pair"),
    ("safra", 9, "no-false-alarm"),
    ("snapshot", 1, "whole"),
    ("pubsub", 1, "no-gaps"),
    ("giop", 1, "served"),
];

/// The properties of whole orders, LTL and monitors, that a faulty version breaks, and the first seed on which it does.
const BROKEN_ORDERS: &[(&str, &str, u64)] = &[
    ("peterson", "exclusion", 1),
    ("peterson", "never-both", 1),
    ("peterson", "one-by-one", 1),
    ("filter", "one-by-one", 1),
    ("abp", "received", 4),
    ("abp", "in-turn", 5),
    ("abp", "in-turn-too", 4),
    ("philosophers", "fork", 1),
    ("philosophers", "fork-until", 1),
    ("ddph", "one-by-one", 1),
    ("token-ring", "one-by-one", 1),
    ("token-ring", "round", 1),
    ("ricart-agrawala", "one-by-one", 1),
    ("two-phase-commit", "aborts-after", 1),
    ("two-phase-commit", "uncertain", 1),
    ("raft-election", "one-by-one", 5),
    ("snapshot", "completed", 1),
    ("pubsub", "while-here", 1),
    ("giop", "served-first", 12),
];

#[derive(Clone, Default)]
struct Bytes(Arc<Mutex<Vec<u8>>>);

impl Write for Bytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// How many events are enough to see something and few enough to visit every cut.
fn request(name: &str, seed: u64, faulty: bool) -> Request {
    let events = match name {
        "random" => 40,
        "philosophers" | "ddph" => 80,
        "safra" => 300,
        _ => 120,
    };
    Request {
        events,
        seed,
        faulty,
        ..Request::default()
    }
}

fn run(name: &str, request: &Request) -> Vec<u8> {
    let bytes = Bytes::default();
    generate(find(name).expect(name), request, bytes.clone()).expect("a run");
    bytes.0.lock().unwrap().clone()
}

fn trace(bytes: &[u8]) -> Trace {
    let part = Part::new("run.jsonl", bytes);
    let reading = read(vec![part], &ReadOptions::default(), &()).expect("a readable run");
    assert!(reading.warnings.is_empty());
    reading.trace
}

/// The names of the violated properties.
fn violated(name: &str, trace: &Trace) -> Vec<String> {
    let file = PropertyFile::parse(find(name).expect(name).properties).expect("properties");
    assert!(!file.properties.is_empty(), "{name}");
    let subject = Subject::of(trace);
    let mut violated = Vec::new();
    for property in &file.properties {
        let question = prepare(&subject, property, &file.lets)
            .unwrap_or_else(|errors| panic!("{name}: {}: {errors:?}", property.name));
        let budget = Budget::endless();
        let outcome = decide(&subject, &question, Choice::Auto, &budget).expect("agreement");
        match outcome.verdict {
            Verdict::Holds => {}
            Verdict::Violated => violated.push(property.name.clone()),
            verdict => panic!("{name}: {:?}", verdict.reason()),
        }
    }
    violated
}

#[test]
fn right_protocols_keep_their_properties() {
    for workload in all() {
        for seed in SEEDS {
            let request = request(workload.name, seed, false);
            let trace = trace(&run(workload.name, &request));
            assert_eq!(
                trace.order().len() as u64,
                request.events,
                "{}",
                workload.name
            );
            assert!(trace.races(1).pairs.is_empty(), "{}", workload.name);
            let violated = violated(workload.name, &trace);
            assert!(
                violated.is_empty(),
                "{} {seed}: {violated:?}",
                workload.name
            );
        }
    }
}

#[test]
fn other_numbers_of_processes_keep_them_too() {
    for (name, procs, events) in [
        ("random", 1, 50),
        ("random", 2, 100),
        ("filter", 2, 300),
        ("filter", 5, 100),
        ("philosophers", 2, 100),
        ("philosophers", 4, 60),
        ("ddph", 4, 60),
        ("token-ring", 2, 300),
        ("ricart-agrawala", 2, 300),
        ("ricart-agrawala", 4, 80),
        ("two-phase-commit", 2, 300),
        ("raft-election", 2, 300),
        ("raft-election", 4, 80),
        ("primary-secondary", 3, 300),
        ("safra", 2, 400),
        ("snapshot", 2, 400),
        ("snapshot", 4, 60),
        ("pubsub", 3, 300),
        ("giop", 3, 300),
    ] {
        for seed in 21..=23 {
            let mut request = request(name, seed, false);
            (request.procs, request.events) = (Some(procs), events);
            let violated = violated(name, &trace(&run(name, &request)));
            assert!(violated.is_empty(), "{name} {procs} {seed}: {violated:?}");
        }
    }
}

#[test]
fn the_book_has_a_row_for_each() {
    let book = include_str!("../../../docs/book/src/workloads.md");
    for (workload, (name, seed, property)) in all().iter().zip(BROKEN) {
        let (about, fault) = (workload.about, workload.fault);
        let row = format!("| `{name}` | {about} | {fault} | {seed}: `{property}` |");
        assert!(book.contains(&row), "{row}");
    }
}

#[test]
fn nobody_plays_for_a_reader_who_has_gone() {
    struct Gone;
    impl Write for Gone {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let endless = Request {
        events: u64::from(u32::MAX),
        ..Request::default()
    };
    for workload in all() {
        assert!(
            generate(workload, &endless, Gone).is_err(),
            "{}",
            workload.name
        );
    }
}

#[test]
fn faulty_protocols_break_a_property() {
    let mut found: BTreeMap<&str, (u64, String)> = BTreeMap::new();
    let mut seeds: BTreeMap<(&str, String), u64> = BTreeMap::new();
    for workload in all() {
        for seed in SEEDS {
            let trace = trace(&run(workload.name, &request(workload.name, seed, true)));
            assert!(trace.races(1).pairs.is_empty(), "{}", workload.name);
            let violated = violated(workload.name, &trace);
            if let Some(first) = violated.first() {
                found.entry(workload.name).or_insert((seed, first.clone()));
            }
            for property in violated {
                seeds.entry((workload.name, property)).or_insert(seed);
            }
        }
    }
    let found: Vec<(&str, u64, &str)> = all()
        .iter()
        .filter_map(|workload| {
            let (seed, property) = found.get(workload.name)?;
            Some((workload.name, *seed, property.as_str()))
        })
        .collect();
    assert_eq!(found, BROKEN);
    let mut orders = Vec::new();
    for workload in all() {
        let file = PropertyFile::parse(workload.properties).expect("properties");
        for property in file
            .properties
            .iter()
            .filter(|property| property.kind != Kind::Ctl)
        {
            if let Some(seed) = seeds.get(&(workload.name, property.name.clone())) {
                orders.push((workload.name, property.name.clone(), *seed));
            }
        }
    }
    let orders: Vec<(&str, &str, u64)> = orders
        .iter()
        .map(|(name, property, seed)| (*name, property.as_str(), *seed))
        .collect();
    assert_eq!(orders, BROKEN_ORDERS);
}

#[test]
fn a_seed_decides_every_byte() {
    for workload in all() {
        for faulty in [false, true] {
            let once = run(workload.name, &request(workload.name, 7, faulty));
            let again = run(workload.name, &request(workload.name, 7, faulty));
            assert_eq!(once, again, "{}", workload.name);
        }
        let one = run(workload.name, &request(workload.name, 1, false));
        let other = run(workload.name, &request(workload.name, 2, false));
        assert_ne!(one, other, "{}", workload.name);
    }
}
