//! Long orders in the JSON report: what moved, put back where it went, gives the order event by event.

use causet_base::budget::Budget;
use causet_check::outcome::{Verdict, Witness};
use causet_check::subject::Subject;
use causet_report::json::{self, LongOrders};
use causet_report::{About, Finding, Report, Size};
use causet_trace::random::{Shape, run};
use causet_trace::{Cut, EventId, Trace};
use fastrand::Rng;
use serde_json::{Value as Json, json};

fn long_run(seed: u64) -> Trace {
    let shape = Shape {
        processes: 2 + seed as usize % 4,
        events: 12_000,
        messages: [0.0, 0.05, 0.4][seed as usize % 3],
        writes: 0.3,
        shared: false,
    };
    run(&mut Rng::with_seed(seed), shape)
}

/// Some order of the whole run, which follows the recorded one for most of the way unless that is to be left.
fn some_order(trace: &Trace, rng: &mut Rng, leaves: f64) -> Vec<EventId> {
    let order = trace.order();
    let mut cut = order.initial_cut();
    let mut events = Vec::with_capacity(trace.len());
    while events.len() < trace.len() {
        let mut enabled: Vec<EventId> = order.enabled(&cut).collect();
        enabled.sort_unstable();
        let choice = match rng.f64() < leaves {
            true => rng.usize(..enabled.len()),
            false => 0,
        };
        cut = cut.advanced(order.process_of(enabled[choice]));
        events.push(enabled[choice]);
    }
    events
}

fn reported(trace: &Trace, witness: &Witness, long: LongOrders) -> Json {
    let budget = Budget::endless();
    let report = Report {
        remarks: causet_report::remarks::Remarks::default(),
        version: "1.2.3",
        path: "run",
        about: About::Run {
            subject: Some(Subject::of(trace)),
            size: Some(Size::of(trace)),
        },
        read_seconds: 0.0,
        budget: &budget,
        peak_bytes: || None,
        findings: vec![Finding {
            witness: Some(witness),
            ..Finding::bare("p", "ctl", "AF p", Verdict::Violated)
        }],
    };
    let mut out = Vec::new();
    json::write(&report, long, None, &mut out).expect("memory is writable");
    let whole: Json = serde_json::from_slice(&out).expect("JSON");
    whole["results"][0]["witness"].clone()
}

/// The events of the recorded order from one cut to another, as a reader of the log would list them.
fn recorded(trace: &Trace, from: &Cut, to: &Cut) -> Vec<Json> {
    let order = trace.order();
    let events = order.recorded();
    let within = events.filter(|&event| order.contains(to, event) && !order.contains(from, event));
    let named = within.map(|event| {
        let process = order.process_of(event);
        json!([trace.process_name(process), order.position_of(event)])
    });
    named.collect()
}

/// The rule of the book: take the moved events out, put each back at its place.
fn put_back(recorded: Vec<Json>, moved: &Json) -> Vec<Json> {
    let moved: Vec<(Json, usize)> = moved
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| {
            let place = one[2].as_u64().expect("a place") as usize;
            (json!([one[0], one[1]]), place)
        })
        .collect();
    let is_moved = |event: &Json| moved.iter().any(|(other, _)| other == event);
    let mut order: Vec<Json> = recorded.into_iter().filter(|one| !is_moved(one)).collect();
    for (event, place) in moved {
        order.insert(place - 1, event);
    }
    order
}

#[test]
fn what_moved_gives_the_order_again() {
    for seed in 0..12 {
        let trace = long_run(seed);
        let order = trace.order();
        let mut rng = Rng::with_seed(seed);
        let events = some_order(&trace, &mut rng, [0.0, 0.002, 0.05][seed as usize % 3]);
        // A complete run, and one to a cut from where it goes on, to the end or not quite.
        let split = [events.len(), 500, 11_000][seed as usize % 3];
        let end = events.len() - 200 * usize::from(seed % 2 == 1);
        let (run, rest) = events.split_at(split);
        let cut = order.closure(run.iter().copied());
        let witness = Witness {
            run: run.to_vec(),
            cut: (split < events.len()).then(|| cut.clone()),
            then: rest[..rest.len().min(end.saturating_sub(split))].to_vec(),
            enough: None,
            observed: None,
            instance: None,
            processes: Vec::new(),
        };
        let full = reported(&trace, &witness, LongOrders::Full);
        let short = reported(&trace, &witness, LongOrders::Moved);
        let run = match short["run"].as_array() {
            Some(run) => run.clone(),
            None => put_back(
                recorded(&trace, &order.initial_cut(), &cut),
                &short["moved"],
            ),
        };
        assert_eq!(json!(run), full["run"], "seed {seed}");
        assert_eq!(short["run"].is_null(), split > 10_000, "seed {seed}");
        let last = match short["then_end"].as_object() {
            None => order.final_cut(),
            Some(counts) => {
                let count = |process| counts[trace.process_name(process)].as_u64();
                let counts = order
                    .processes()
                    .map(|process| count(process).expect("a count") as u32);
                Cut::new(counts.collect::<Vec<u32>>())
            }
        };
        let then = match short["then"].as_array() {
            Some(then) => then.clone(),
            None => put_back(recorded(&trace, &cut, &last), &short["then_moved"]),
        };
        assert_eq!(json!(then), full["then"], "seed {seed}");
        assert_eq!(
            short["then"].is_null(),
            witness.then.len() > 10_000,
            "seed {seed}"
        );
        assert!(short.get("events").is_none(), "seed {seed}");
    }
}

#[test]
fn a_short_order_says_what_its_events_are() {
    let trace = causet_trace::notation::parse("a: x=1,@start  m!\nb: m?,y=\"on\"").expect("a run");
    let events: Vec<EventId> = trace.order().recorded().collect();
    let witness = Witness {
        run: events,
        cut: None,
        then: Vec::new(),
        enough: None,
        observed: Some(true),
        instance: None,
        processes: Vec::new(),
    };
    let order = reported(&trace, &witness, LongOrders::Moved);
    assert_eq!(order["run"], json!([["a", 1], ["a", 2], ["b", 1]]));
    assert!(order.get("moved").is_none());
    let events = order["events"].as_array().expect("a list");
    let values: Vec<&Json> = events.iter().map(|event| &event["values"]).collect();
    assert_eq!(events.len(), 3);
    assert_eq!(
        (&events[0]["event"], &events[0]["label"]),
        (&json!(["a", 1]), &json!("start"))
    );
    assert_eq!(values[..2], [&json!({"x": 1}), &json!({})]);
    assert!(events.iter().all(|event| event["line"].is_u64()));
}
