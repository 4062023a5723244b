//! What was written is read again as the same run.

use std::io::Cursor;

use causet_formats::native::{Part, ReadOptions, read, write};
use causet_trace::notation::{draw, parse};
use causet_trace::random::{Shape, run};
use causet_trace::{EventId, Trace};
use fastrand::Rng;

fn written(run: &Trace) -> String {
    let mut out = Vec::new();
    write(run, &mut out).expect("memory is writable");
    String::from_utf8(out).expect("JSON is text")
}

#[track_caller]
fn read_text(text: &str) -> Trace {
    let parts = vec![Part::new("text", Cursor::new(text))];
    let reading = read(parts, &ReadOptions::default(), &());
    reading
        .unwrap_or_else(|error| panic!("{error}\n{text}"))
        .trace
}

/// All columns of an event, in words.
fn columns(run: &Trace, event: EventId) -> String {
    let order = run.order();
    let process = |process| run.process_name(process);
    let before: Vec<String> = order
        .crossing_into(event)
        .iter()
        .map(|&e| format!("{}#{}", process(order.process_of(e)), order.position_of(e)))
        .collect();
    format!(
        "{}#{} {:?} {:?} {:?} to {:?} after {before:?}",
        process(order.process_of(event)),
        order.position_of(event),
        run.label(event),
        run.event_name(event),
        run.time(event),
        run.destinations(event)
            .iter()
            .map(|&p| process(p))
            .collect::<Vec<_>>(),
    )
}

#[track_caller]
fn check(run: &Trace) {
    let text = written(run);
    let again = read_text(&text);
    assert_eq!(draw(&again), draw(run), "{text}");
    let of = |run: &Trace| -> Vec<String> {
        run.order()
            .recorded()
            .map(|event| columns(run, event))
            .collect()
    };
    assert_eq!(of(&again), of(run), "{text}");
    assert_eq!(again.meta(), run.meta());
    assert_eq!(again.is_observed(), run.is_observed());
    assert_eq!(written(&again), text);
}

#[test]
fn random_runs_survive() {
    let seed = fastrand::u64(..);
    println!("seed {seed}");
    let mut rng = Rng::with_seed(seed);
    for _ in 0..500 {
        let shape = Shape::small(&mut rng);
        check(&run(&mut rng, shape));
    }
}

#[test]
fn drawn_runs_survive() {
    for drawing in [
        "",
        "a:\nb:",
        "a: x=2.5,y=true,z=\"two words\"  m!b+c\nb: . m?,@got\nc: m?,<a.1",
        "shared s t\ninit s=1 a.x=\"q\"\nobserved\na: s=1 ?s\nb:     s=2 ?t",
        "a: ^a:1 ^a:2\nb:           ^a:1+b:1",
        "a: .     m?\nb:    n? m!\nc: n!",
    ] {
        check(&parse(drawing).expect(drawing));
    }
}

#[test]
fn every_field_survives() {
    let text = r#"{"causet":1,"processes":["p \"1\"","p2","idle"],"shared":["turn"],"init":{"p2.s":"a\u0001\\","turn":-3},"order":"observed","meta":{"by": ["x",{"deep":null}]}}
{"p":"p \"1\"","ev":"näme\n","id":"e\t1","set":{"turn":1,"d":0.000000000000000001,"b":false},"send":["m","n"],"to":["p2","idle"],"t":1699.25}
{"p":"p2","recv":["m",12345],"read":["turn"],"after":["e\t1"],"t":-1712329729.603080312}
{"p":"idle","send":12345,"clock":{"idle":1}}
"#;
    let run = read_text(text);
    check(&run);
    assert!(written(&run).contains(r#""meta":{"by": ["x",{"deep":null}]}"#));
}
