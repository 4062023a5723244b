//! What an event costs, against the JSON layer of tracing-subscriber writing the same fields: `cost [EVENTS]`.
//!
//! Both write the process, the name of the event and two variables to a file of the temporary folder, both through a
//! buffer, which the JSON layer has not by itself; it is spared the time, the level and the target. Of five runs of each,
//! taken in turn, the fastest counts.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;
use std::sync::Mutex;
use std::time::Instant;

use causet_record::{Recording, tracing::Layer};
use tracing::subscriber::with_default;
use tracing_subscriber::{fmt, prelude::*};

const RUNS: usize = 5;

type Way = fn(u32, &Path) -> io::Result<f64>;

const WAYS: [(&str, Way); 5] = [
    ("tracing-subscriber, JSON layer", json_layer),
    ("causet, tracing layer", causet_layer),
    ("causet, an event", event),
    ("causet, a message without clocks", message),
    ("causet, a message with clocks", clocked_message),
];

fn main() -> io::Result<()> {
    let events = std::env::args().nth(1);
    let events = events.and_then(|text| text.parse().ok()).unwrap_or(500_000);
    let path = std::env::temp_dir().join(format!("causet-cost-{}", std::process::id()));
    let mut best = [f64::INFINITY; WAYS.len()];
    for _ in 0..RUNS {
        for ((_, way), best) in WAYS.iter().zip(&mut best) {
            *best = best.min(way(events, &path)?);
        }
    }
    std::fs::remove_file(&path)?;
    for ((name, _), nanoseconds) in WAYS.iter().zip(best) {
        let ratio = nanoseconds / best[0];
        println!("{name:<34} {nanoseconds:7.0} ns/event   {ratio:.2}");
    }
    Ok(())
}

/// Nanoseconds per event.
fn timed(events: u32, mut run: impl FnMut() -> io::Result<()>) -> io::Result<f64> {
    let start = Instant::now();
    run()?;
    Ok(start.elapsed().as_secs_f64() * 1e9 / f64::from(events))
}

fn json_layer(events: u32, path: &Path) -> io::Result<f64> {
    let writer = Mutex::new(BufWriter::with_capacity(64 << 10, File::create(path)?));
    let layer = fmt::layer()
        .json()
        .flatten_event(true)
        .with_current_span(false)
        .with_span_list(false)
        .with_level(false)
        .with_target(false)
        .without_time()
        .with_writer(writer);
    let subscriber = tracing_subscriber::registry().with(layer);
    with_default(subscriber, || {
        timed(events, || {
            (0..events).for_each(|x| tracing::info!(process = "p1", x, state = "busy", "step"));
            Ok(())
        })
    })
}

fn causet_layer(events: u32, path: &Path) -> io::Result<f64> {
    let recording = Recording::builder().to_file(path)?;
    let layer = Layer::new(recording.clone());
    let subscriber = tracing_subscriber::registry().with(layer);
    with_default(subscriber, || {
        let _span = tracing::info_span!("run", process = "p1").entered();
        timed(events, || {
            (0..events).for_each(|x| tracing::info!(x, state = "busy", "step"));
            recording.flush()
        })
    })
}

fn event(events: u32, path: &Path) -> io::Result<f64> {
    let recording = Recording::builder().to_file(path)?;
    let mut recorder = recording.process("p1");
    timed(events, || {
        for x in 0..events {
            recorder
                .event("step")
                .set("x", x)
                .set("state", "busy")
                .done();
        }
        recording.flush()
    })
}

fn message(events: u32, path: &Path) -> io::Result<f64> {
    exchange(
        &Recording::builder().without_clocks().to_file(path)?,
        events,
    )
}

fn clocked_message(events: u32, path: &Path) -> io::Result<f64> {
    exchange(&Recording::builder().to_file(path)?, events)
}

/// Eight processes in a ring, each receiving from the one before it and sending to the next in one event.
fn exchange(recording: &Recording, events: u32) -> io::Result<f64> {
    let names = ["p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8"];
    let mut recorders = names.map(|name| recording.process(name));
    let mut stamp = recorders[7].event("first").send();
    timed(events, || {
        for x in 0..events {
            let recorder = &mut recorders[x as usize % 8];
            stamp = recorder.event("step").recv(&stamp).set("x", x).send();
        }
        recording.flush()
    })
}
