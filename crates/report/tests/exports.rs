//! What other tools are given: logs for ShiViz that read back as the same order, and JSON of the right shape.

use std::collections::{BTreeMap, HashMap};

use causet_base::budget::Budget;
use causet_check::outcome::{Verdict, Witness};
use causet_check::subject::Subject;
use causet_formats::logs::{self, LogOptions};
use causet_formats::native::Part;
use causet_formats::{chrome, native, plantuml, shiviz};
use causet_lts::Labels;
use causet_lts::counterexample::{self, Counterexample, Step};
use causet_report::lts::Evidence;
use causet_report::{About, Finding, Report, Size};
use causet_report::{itf, sarif};
use causet_trace::random::{self, Shape};
use causet_trace::{Clocks, Cut, EventId, Order, Trace, notation};
use fastrand::Rng;
use serde_json::Value;

fn exported(
    trace: &Trace,
    write: fn(&Trace, &mut dyn std::io::Write) -> std::io::Result<()>,
) -> String {
    let mut out = Vec::new();
    write(trace, &mut out).expect("memory is writable");
    String::from_utf8(out).expect("text")
}

fn read(text: &str) -> Trace {
    let parts = vec![Part::new("export", text.as_bytes())];
    let read = logs::read(parts, &LogOptions::default(), &());
    read.unwrap_or_else(|error| panic!("{error}\n{text}"))
        .0
        .trace
}

/// What is told of an event: its label and its clock.
type Told = (String, Vec<(String, u32)>);

/// The clocks and labels of all events, process by process.
fn order_of(trace: &Trace, label: impl Fn(EventId) -> String) -> BTreeMap<String, Vec<Told>> {
    let order = trace.order();
    let clocks = Clocks::new(order);
    let name = |process| trace.process_name(process).to_owned();
    let mut lanes = BTreeMap::new();
    for process in order
        .processes()
        .filter(|&process| !order.chain(process).is_empty())
    {
        let row = |&event: &EventId| {
            let counts = order.processes().zip(clocks.of(event));
            let mut clock: Vec<(String, u32)> = counts
                .filter(|(_, count)| **count > 0)
                .map(|(process, &count)| (name(process), count))
                .collect();
            clock.sort();
            (label(event), clock)
        };
        lanes.insert(
            name(process),
            order.chain(process).iter().map(row).collect(),
        );
    }
    lanes
}

/// How many cuts there are, by walking them; nobody knows the order better than its lattice.
fn cuts(order: &Order) -> usize {
    let mut level = vec![order.initial_cut()];
    let mut count = 0;
    while !level.is_empty() {
        count += level.len();
        let mut next: Vec<Cut> = level
            .iter()
            .flat_map(|cut| {
                order
                    .enabled(cut)
                    .map(|event| cut.advanced(order.process_of(event)))
            })
            .collect();
        next.sort_unstable_by(|one, other| one.counts().cmp(other.counts()));
        next.dedup();
        level = next;
    }
    count
}

/// What the export says an event did.
fn phrase(trace: &Trace, text: &str, event: EventId) -> String {
    // The second line of a record is the host; the first is the event, in recorded order.
    let rank = trace.order().ranks().of(event) as usize;
    let line = text.lines().skip(2).step_by(2).nth(rank);
    line.expect("a line for every event").trim().to_owned()
}

fn same_order(trace: &Trace, count_cuts: bool, context: &str) {
    let text = exported(trace, shiviz::write);
    let again = read(&text);
    let given = order_of(trace, |event| phrase(trace, &text, event));
    let found = order_of(&again, |event| {
        again.label(event).unwrap_or_default().to_owned()
    });
    assert_eq!(given, found, "{context}\n{text}");
    if count_cuts {
        assert_eq!(
            cuts(trace.order()),
            cuts(again.order()),
            "{context}\n{text}"
        );
    }
}

#[test]
fn a_shiviz_log_reads_back_as_the_same_order() {
    let mut rng = Rng::with_seed(61);
    let mut messages = 0;
    for number in 0..300 {
        let shape = Shape::small(&mut rng);
        let trace = random::run(&mut rng, shape);
        if trace.is_empty() {
            continue;
        }
        messages += trace.order().crossing_count();
        same_order(&trace, true, &format!("run {number} of {shape:?}"));
    }
    assert!(messages > 100, "{messages}");
}

#[test]
fn real_runs_read_back_as_the_same_order() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/real");
    let mut runs = 0;
    for entry in std::fs::read_dir(folder).expect("the recordings of real systems") {
        let path = entry.expect("an entry").path();
        let name = path.display().to_string();
        let is_log = [".jsonl", ".jsonl.gz", ".jsonl.zst"]
            .iter()
            .any(|end| name.ends_with(end));
        if !is_log {
            continue;
        }
        let file = std::fs::File::open(&path).expect("a recording");
        let read = native::read(
            vec![Part::new(&*name, file)],
            &native::ReadOptions::default(),
            &(),
        );
        let trace = read.unwrap_or_else(|error| panic!("{error}")).trace;
        if trace.len() > 20_000 {
            continue;
        }
        same_order(&trace, false, &name);
        runs += 1;
    }
    assert!(runs > 0, "no recording was read");
}

fn number(value: &Value, key: &str) -> f64 {
    value[key]
        .as_f64()
        .unwrap_or_else(|| panic!("{key} in {value}"))
}

/// Every arrow has a start and an end, in this order, each within a slice of its lane.
fn has_the_shape_of_chrome(trace: &Trace) -> Value {
    let text = exported(trace, chrome::write);
    let whole: Value =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let events = whole["traceEvents"].as_array().expect("events").clone();
    let mut starts: HashMap<u64, f64> = HashMap::new();
    let (mut slices, mut arrows, mut lanes) = (0, 0, 0);
    let is_in_slice = |arrow: &Value| {
        events.iter().any(|slice| {
            let end = || number(slice, "ts") + number(slice, "dur");
            let at = number(arrow, "ts");
            slice["ph"] == "X"
                && slice["tid"] == arrow["tid"]
                && number(slice, "ts") <= at
                && at <= end()
        })
    };
    for event in &events {
        match event["ph"].as_str().expect("a phase") {
            "M" => lanes += usize::from(event["name"] == "thread_name"),
            "X" => slices += 1,
            "s" => {
                assert!(is_in_slice(event), "{event}");
                let id = event["id"].as_u64().expect("an id");
                assert!(
                    starts.insert(id, number(event, "ts")).is_none(),
                    "{id} twice"
                );
            }
            "f" => {
                assert!(is_in_slice(event), "{event}");
                let id = event["id"].as_u64().expect("an id");
                let start = starts.remove(&id).expect("a start before its end");
                assert!(start <= number(event, "ts"), "{event}");
                assert_eq!(event["bp"], "e");
                arrows += 1;
            }
            other => panic!("an unknown phase {other}"),
        }
    }
    assert!(starts.is_empty(), "arrows without end: {starts:?}");
    assert_eq!(slices, trace.len());
    assert_eq!(arrows, trace.order().crossing_count());
    assert_eq!(lanes, trace.order().process_count());
    whole
}

#[test]
fn events_for_chrome_have_their_shape() {
    let mut rng = Rng::with_seed(67);
    for _ in 0..100 {
        let shape = Shape::small(&mut rng);
        has_the_shape_of_chrome(&random::run(&mut rng, shape));
    }
}

#[test]
fn chrome_shows_the_wall_clock_only_where_it_agrees() {
    let log = |received: &str| {
        let text = format!(
            "{{\"p\":\"a\",\"send\":\"m\",\"t\":10.5}}\n{{\"p\":\"b\",\"recv\":\"m\"{received}}}\n"
        );
        has_the_shape_of_chrome(&read(&text))
    };
    let agrees = log(",\"t\":10.75");
    assert_eq!(agrees["otherData"]["time"], "wall clock");
    let ends: Vec<&Value> = agrees["traceEvents"]
        .as_array()
        .expect("events")
        .iter()
        .filter(|event| event["ph"] == "f")
        .collect();
    assert_eq!(number(ends[0], "ts"), 250_000.0);
    assert_eq!(log("")["otherData"]["time"], "logical");
    assert_eq!(log(",\"t\":10.25")["otherData"]["time"], "logical");
}

#[test]
fn diagrams_for_plantuml_begin_and_end() {
    let mut rng = Rng::with_seed(71);
    for _ in 0..50 {
        let shape = Shape::small(&mut rng);
        let trace = random::run(&mut rng, shape);
        let text = exported(&trace, plantuml::write);
        let arrows = text.lines().filter(|line| line.contains(" ->> ")).count();
        let received: usize = trace
            .events()
            .map(|event| trace.receives(event).len())
            .sum();
        assert_eq!(arrows, received);
        assert!(text.starts_with("@startuml\n") && text.ends_with("@enduml\n"));
    }
}

#[test]
fn states_follow_the_recorded_order() {
    let trace = notation::parse("a: x=1  x=0.5  m!b\nb: .  y=\"on\"  m?").expect("a drawing");
    let whole: Value = serde_json::from_str(&exported(&trace, itf::write)).expect("JSON");
    assert_eq!(whole["vars"], serde_json::json!(["a.x", "b.y"]));
    let states = whole["states"].as_array().expect("states");
    assert_eq!(states.len(), trace.len() + 1);
    let keys: Vec<&String> = states[0].as_object().expect("a state").keys().collect();
    assert_eq!(keys, ["#meta", "a.x", "b.y"]);
    assert_eq!(
        (&states[0]["a.x"], &states[1]["a.x"]),
        (&0.into(), &1.into())
    );
    assert_eq!(
        states[6]["a.x"],
        serde_json::json!({"#unserializable": "0.5"})
    );
    assert_eq!(states[6]["b.y"], "on");
    assert_eq!(
        states[6]["#meta"],
        serde_json::json!({"index": 6, "process": "b", "event": 3})
    );
}

#[test]
fn large_numbers_are_written_as_such() {
    let trace = read("{\"p\":\"a\",\"set\":{\"x\":9007199254740993}}\n");
    let whole: Value = serde_json::from_str(&exported(&trace, itf::write)).expect("JSON");
    assert_eq!(
        whole["states"][1]["a.x"],
        serde_json::json!({"#bigint": "9007199254740993"})
    );
}

fn finding(
    name: &'static str,
    verdict: Verdict,
    witness: Option<&'static Witness>,
) -> Finding<'static> {
    Finding {
        witness,
        ..Finding::bare(name, "ctl", "AG\n (a.x = 0)", verdict)
    }
}

#[test]
fn violations_stand_at_the_event_that_decides_them() {
    let trace = read("{\"p\":\"a\"}\n\n{\"p\":\"a\",\"set\":{\"x\":1}}\n{\"p\":\"b\"}\n");
    let run: Vec<EventId> = trace.events().take(2).collect();
    let witness: &'static Witness = Box::leak(Box::new(Witness {
        run: run.clone(),
        cut: None,
        then: Vec::new(),
        enough: None,
        observed: Some(false),
        instance: None,
        processes: Vec::new(),
    }));
    let parts = ["my log.jsonl".to_owned()];
    let budget = Budget::endless();
    let report = Report {
        remarks: causet_report::remarks::Remarks::default(),
        version: "1.2.3",
        path: "my log.jsonl",
        about: About::Run {
            subject: Some(Subject {
                trace: &trace,
                parts: &parts,
            }),
            size: Some(Size::of(&trace)),
        },
        read_seconds: 0.0,
        budget: &budget,
        peak_bytes: || None,
        findings: vec![
            finding("fine", Verdict::Holds, None),
            finding("broken", Verdict::Violated, Some(witness)),
            finding("open", Verdict::Doubtful, None),
        ],
    };
    let mut out = Vec::new();
    sarif::write(&report, &mut out).expect("memory is writable");
    let whole: Value = serde_json::from_slice(&out).expect("JSON");
    assert_eq!(whole["version"], "2.1.0");
    let run = &whole["runs"][0];
    assert_eq!(
        run["tool"]["driver"]["rules"].as_array().map(Vec::len),
        Some(3)
    );
    let results = run["results"].as_array().expect("results");
    let shown: Vec<(&Value, &Value, &Value)> = results
        .iter()
        .map(|result| (&result["ruleId"], &result["level"], &result["ruleIndex"]))
        .collect();
    assert_eq!(
        shown,
        [
            (&"broken".into(), &"error".into(), &1.into()),
            (&"open".into(), &"warning".into(), &2.into())
        ]
    );
    let place = &results[0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "my%20log.jsonl");
    assert_eq!(place["region"]["startLine"], 3);
    let message = results[0]["message"]["text"].as_str().expect("a message");
    assert_eq!(
        message,
        "broken is violated: ctl AG (a.x = 0). The recorded order does not show it; another order of the same run does"
    );
    assert!(
        results[1]["locations"][0]["physicalLocation"]
            .get("region")
            .is_none()
    );
    let mut states = Vec::new();
    itf::write_witness(&trace, witness, "broken", &Budget::endless(), &mut states)
        .expect("memory is writable");
    let states: Value = serde_json::from_slice(&states).expect("JSON");
    assert_eq!(states["states"].as_array().map(Vec::len), Some(3));
    assert_eq!(states["states"][2]["a.x"], 1);
}

#[test]
fn the_result_of_a_model_has_the_sentence_of_its_part() {
    let mut labels = Labels::default();
    let label = labels.number("coin");
    let part = Counterexample {
        states: vec![0, 1],
        steps: vec![Step {
            from: 0,
            label,
            to: 1,
        }],
        shape: counterexample::Shape::Path,
        rows: Vec::new(),
    };
    let evidence = Evidence {
        diagnostic: &part,
        labels: &labels,
        is_stuck: true,
    };
    let budget = Budget::endless();
    let report = Report {
        remarks: causet_report::remarks::Remarks::default(),
        version: "1.2.3",
        path: "m.aut",
        about: About::Model(None),
        read_seconds: 0.0,
        budget: &budget,
        peak_bytes: || None,
        findings: vec![Finding {
            evidence: Some(evidence),
            ..Finding::bare("live", "mu", "[true*] <true> true", Verdict::Violated)
        }],
    };
    let mut out = Vec::new();
    sarif::write(&report, &mut out).expect("memory is writable");
    let whole: Value = serde_json::from_slice(&out).expect("JSON");
    assert_eq!(
        whole["runs"][0]["results"][0]["message"]["text"],
        "live is violated: mu [true*] <true> true. Nothing can happen after these steps. They decide: the formula is broken"
    );
}
