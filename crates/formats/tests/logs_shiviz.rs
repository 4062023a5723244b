//! Logs for ShiViz, TSViz and GoVector: real ones with what is known of them, every way of writing records, what is wrong
//! with them, and damage of every kind.

use std::path::Path;

use causet_base::budget::Budget;
use causet_check::count;
use causet_check::subject::Subject;
use causet_formats::ReadError;
use causet_formats::logs::{LogOptions, read};
use causet_formats::native::{Part, Reading};
use causet_trace::Trace;
use fastrand::Rng;

fn read_with(texts: &[&[u8]], options: &LogOptions) -> Result<(Reading, &'static str), ReadError> {
    let parts = texts.iter().enumerate();
    let parts = parts.map(|(number, bytes)| Part::new(format!("part {number}"), *bytes));
    read(parts.collect(), options, &()).map(|(reading, format)| (reading, format.name))
}

fn trace_of(text: &str) -> Trace {
    let read = read_with(&[text.as_bytes()], &LogOptions::default());
    let (reading, format) = read.unwrap_or_else(|error| panic!("{error}: {text}"));
    assert_eq!(format, "shiviz", "{text}");
    reading.trace
}

fn sample(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../testdata/logs")
        .join(name);
    std::fs::read(path).expect("a sample")
}

fn real(name: &str) -> Trace {
    let read = read_with(&[&sample(name)], &LogOptions::default());
    let (reading, format) = read.unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(format, "shiviz", "{name}");
    assert!(
        reading.warnings.is_empty(),
        "{name}: {:?}",
        reading.warnings
    );
    reading.trace
}

fn size(trace: &Trace) -> (usize, usize) {
    (trace.order().process_count(), trace.len())
}

fn cuts(trace: &Trace) -> String {
    let counted = count::cuts(Subject::of(trace), &Budget::endless());
    counted.expect("no limit").to_string()
}

#[test]
fn real_logs_are_what_is_known_of_them() {
    let broadcast = real("shiviz-reliable-broadcast.log");
    assert_eq!(size(&broadcast), (4, 116));
    assert_eq!(cuts(&broadcast), "21222");
    let crashes = broadcast
        .events()
        .filter(|&event| broadcast.label(event) == Some("Crashing"));
    assert_eq!(crashes.count(), 1);
    assert_eq!(size(&real("shiviz-simple-reliable-broadcast.log")), (3, 39));
    let voldemort = real("shiviz-voldemort.log.zst");
    assert_eq!(size(&voldemort), (20, 864));
    assert!(
        voldemort
            .process("42795@jvoldemortThread[main,5,main]")
            .is_some()
    );
    let locks = real("shiviz-tsviz_fslock_24t_4sp.log.zst");
    assert_eq!(size(&locks), (30, 2001));
    assert!(
        locks.events().all(|event| locks.time(event).is_some()),
        "TSViz has times"
    );
}

/// Two processes: `a` does something and tells `b`.
const WANTED: [(&str, &str); 3] = [("a", "one"), ("a", "two"), ("b", "three")];

fn is_as_wanted(trace: &Trace, text: &str) {
    let order = trace.order();
    let mut events: Vec<(String, String)> = order
        .processes()
        .flat_map(|process| order.chain(process))
        .map(|&event| {
            let process = trace.process_name(order.process_of(event));
            (
                process.to_owned(),
                trace.label(event).unwrap_or_default().to_owned(),
            )
        })
        .collect();
    // A stable sort keeps the order within each process.
    events.sort_by(|one, other| one.0.cmp(&other.0));
    let wanted = WANTED.map(|(process, label)| (process.to_owned(), label.to_owned()));
    assert_eq!(events, wanted, "{text}");
    assert_eq!(cuts(trace), "4", "{text}");
}

#[test]
fn records_are_written_in_many_ways() {
    for text in [
        "one\na {\"a\":1}\ntwo\na {\"a\":2}\nthree\nb {\"a\":2,\"b\":1}\n",
        "a {\"a\":1}\none\na {\"a\":2}\ntwo\nb {\"a\":2, \"b\":1}\nthree\n",
        "[x] [akka://s/user/a] {\"a\" : 1} one\n[x] [akka://s/user/a] {\"a\" : 2} two\n[x] [akka://s/user/b] {\"a\" : 2, \"b\" : 1} three",
        // In no order.
        "three\nb {\"a\":2,\"b\":1}\ntwo\na {\"a\":2}\none\na {\"a\":1}\n",
        // With what does not belong to it, entries of zero, and line ends of another system.
        "\r\n\r\none\r\na {\"a\":1,\"b\":0}\r\nnoise\r\ntwo\r\na {\"a\":2}\r\nthree\r\nb {\"b\":1,\"a\":2}\r\n",
        // With a description of its own, as ShiViz takes it.
        "(?<event>.*)\\n(?<host>\\S*) (?<clock>{.*})\n\none\na {\"a\":1}\ntwo\na {\"a\":2}\nthree\nb {\"a\":2,\"b\":1}\n",
        "(?<host>\\w+)(?=:): (?<clock>{.*}) (?<event>.*)\n\na: {\"a\":1} one\na: {\"a\":2} two\nb: {\"a\":2,\"b\":1} three\n",
        "(?<host>\\S*) (?<clock>{.*}) (?<event>.*)\n\na {\\\"a\\\":1} one\na {\\\"a\\\":2} two\nb {\\\"a\\\":2,\\\"b\\\":1} three\n",
    ] {
        is_as_wanted(&trace_of(text), text);
    }
}

#[test]
fn other_groups_are_variables_and_times_are_times() {
    let text = "(?<timestamp>\\d+) (?<host>\\S*) (?<clock>{.*}) (?<level>\\w+) (?<size>\\d+) (?<event>.*)\n\n1456966522870845696 a {\"a\":1} WARN 42 one\n";
    let trace = trace_of(text);
    let event = trace.events().next().expect("an event");
    let millis = trace.time(event).map(|time| time.whole_units(3));
    assert_eq!(millis, Some(1_456_966_522_870));
    let names: Vec<String> = trace
        .variables()
        .map(|var| trace.variable_name(var))
        .collect();
    assert_eq!(names, ["a.level", "a.size"]);
}

#[test]
fn each_process_may_have_a_file() {
    let parts: [&[u8]; 2] = [
        b"a {\"a\":1}\none\na {\"a\":2}\ntwo\n",
        b"b {\"a\":2, \"b\":1}\nthree\n",
    ];
    let (reading, _) = read_with(&parts, &LogOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    is_as_wanted(&reading.trace, "two files");
}

#[test]
fn one_of_several_executions_is_chosen() {
    let text = "=== Execution #one  ===\na {\"a\":1}\none\n=== Execution #two  ===\na {\"a\":1}\none\na {\"a\":2}\ntwo\nb {\"a\":2, \"b\":1}\nthree\n";
    let choose = |wanted: Option<&str>| {
        let options = LogOptions {
            execution: wanted.map(str::to_owned),
            ..LogOptions::default()
        };
        read_with(&[text.as_bytes()], &options).map(|(reading, _)| reading.trace)
    };
    is_as_wanted(
        &choose(Some("two")).unwrap_or_else(|e| panic!("{e}")),
        "by name",
    );
    is_as_wanted(
        &choose(Some("2")).unwrap_or_else(|e| panic!("{e}")),
        "by number",
    );
    let Err(ReadError::Fault(problem)) = choose(None) else {
        panic!("nobody said which");
    };
    assert_eq!(problem.message, "this file holds 2 executions");
    assert_eq!(
        problem.help.as_deref(),
        Some("choose one with --execution: one, two")
    );
    let Err(ReadError::Fault(problem)) = choose(Some("three")) else {
        panic!("there is none");
    };
    assert_eq!(
        problem.message,
        "there is no execution `three` in this file"
    );
}

#[test]
fn an_expression_of_ones_own_is_used() {
    let text = "node=a vc={\"a\":1} did one\nnode=a vc={\"a\":2} did two\nnode=b vc={\"a\":2,\"b\":1} did three\n";
    let options = LogOptions {
        regex: Some(r"node=(?<host>\S+) vc=(?<clock>{.*}) did (?<event>.*)".to_owned()),
        ..LogOptions::default()
    };
    let (reading, _) = read_with(&[text.as_bytes()], &options).unwrap_or_else(|e| panic!("{e}"));
    is_as_wanted(&reading.trace, text);
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let header = "(?<host>\\S*) (?<clock>{.*}) (?<event>.*)\n\n";
    for (text, line, column, message) in [
        (
            format!("{header}a {{\"a\":x}} one"),
            3,
            3,
            "this is no vector clock: expected value at line 1 column 6",
        ),
        (
            format!("{header}a {{\"a\":-1}} one"),
            3,
            3,
            "this is no vector clock: invalid value: integer `-1`, expected u32 at line 1 column 7",
        ),
        (
            format!("{header}a {{\"b\":1}} one"),
            3,
            1,
            "the clock has no entry for its own process `a`",
        ),
        (
            "(?<host>\\S*) (?<clock>{.*}) (?<event>.*\n\n".to_owned(),
            1,
            1,
            "this is no regular expression",
        ),
        (
            "one\na {\"a\":1}\ntwo\na {\"a\":3}\n".to_owned(),
            4,
            1,
            "the clock of `a` skips from 1 to 3",
        ),
        (
            "one\na {\"a\":1}\ntwo\na {\"a\":2}\nsix\na {\"a\":2}\n".to_owned(),
            6,
            1,
            "the clock goes backwards",
        ),
        (
            "one\na {\"a\":1}\ntwo\na {\"a\":1}\n".to_owned(),
            4,
            1,
            "the clock of `a` begins again at 1",
        ),
        (
            "one\na {\"a\":1,\"c\":1}\n".to_owned(),
            2,
            1,
            "the clock names the unknown process `c`",
        ),
    ] {
        let Err(error) = read_with(&[text.as_bytes()], &LogOptions::default()) else {
            panic!("accepted: {text}");
        };
        let problem = match error {
            ReadError::Fault(problem) => problem,
            ReadError::Late { error, parts } => {
                let shown = text.lines().nth(error.place.line as usize - 1);
                causet_formats::locate(&error, &parts, shown)
            }
            other => panic!("{other}: {text}"),
        };
        assert_eq!(
            (problem.line, problem.column),
            (line, column),
            "{text}: {problem}"
        );
        assert!(problem.message.starts_with(message), "{text}: {problem}");
        assert!(!problem.expected().is_empty());
    }
}

#[test]
fn damage_is_survived() {
    let names = [
        "shiviz-reliable-broadcast.log",
        "shiviz-simple-reliable-broadcast.log",
    ];
    for name in names {
        let whole = sample(name);
        for seed in 0..300 {
            let mut random = Rng::with_seed(seed);
            let mut bytes = whole.clone();
            bytes.truncate(random.usize(..bytes.len().min(4000)));
            for _ in 0..random.usize(..4).min(bytes.len()) {
                let at = random.usize(..bytes.len());
                bytes[at] = random.u8(..);
            }
            let options = LogOptions {
                format: Some("shiviz".to_owned()),
                forgiving: random.bool(),
                ..LogOptions::default()
            };
            let _ = read_with(&[&bytes], &options);
        }
    }
}
