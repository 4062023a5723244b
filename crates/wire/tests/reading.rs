//! Inputs that are read: every field, every wrapping, any number of workers.

use std::io::{Cursor, Write as _};

use causet_trace::notation::draw;
use causet_trace::{Trace, Value};
use causet_wire::native::{Part, Progress, ReadOptions, Reading, nth_line, read};
use causet_wire::{ReadError, locate};

fn parts<'a>(texts: &[&'a [u8]]) -> Vec<Part<'a>> {
    let name = |number: usize| format!("part{}", number + 1);
    let numbered = texts.iter().enumerate();
    numbered
        .map(|(number, text)| Part::new(name(number), Cursor::new(*text)))
        .collect()
}

fn options(lenient: bool) -> ReadOptions {
    ReadOptions {
        lenient,
        workers: 1,
    }
}

#[track_caller]
fn read_all(texts: &[&[u8]], lenient: bool) -> Reading {
    read(parts(texts), &options(lenient), &()).unwrap_or_else(|error| panic!("{error}"))
}

#[track_caller]
fn trace(text: &str) -> Trace {
    read_all(&[text.as_bytes()], false).trace
}

const CONTRACT: &str = r#"{"causet":1,"processes":["p1","p2"],"shared":["turn"],"init":{"turn":0,"p1.state":"idle"},"order":"causal","meta":{}}
{"p":"p1","set":{"state":"want","turn":1}}
{"p":"p1","ev":"request","send":"m1","to":"p2","set":{"x":1}}
{"p":"p2","recv":"m1","set":{"x":2}}
{"p":"p2","clock":{"p1":2,"p2":2}}
{"p":"p1","after":[["p2",1]],"id":"e7","t":1699.25}
{"p":"p1","end":true}
"#;

#[test]
fn every_field_is_read() {
    let run = trace(CONTRACT);
    let expected = "\
shared turn
init turn=0
init p1.state=\"idle\"
p1: state=\"want\",turn=1 x=1,m1!p2,@request               <p2.1
p2:                                        m1?,x=2 <p1.2
";
    assert_eq!(draw(&run), expected);
    let last = run.events().last().expect("five events");
    assert_eq!(
        (run.event_name(last), run.time(last)),
        (Some("e7"), Some(1699.25))
    );
    assert_eq!(run.place(last).line, 6);
    assert_eq!(run.meta(), Some("{}"));
}
