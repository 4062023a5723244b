//! Any JSON lines with a mapping: what becomes of them, what is refused, and what is proposed.

mod log_samples;

use causet_base::Diagnostic;
use causet_formats::logs::{LogOptions, MappingFile, guess};
use causet_formats::native::Reading;
use causet_trace::Time;
use log_samples::{damaged_piece, edges, event, notes, plain, processes, reading, sample, told};

#[test]
fn a_mapping_says_where_everything_stands() {
    let (reading, format) = mapped(&sample("mapped-bank.ndjson"), &bank()).expect("it is read");
    let trace = &reading.trace;
    assert_eq!(format, "mapped");
    assert_eq!(processes(trace), ["teller-1", "teller-2"]);
    assert_eq!(edges(trace), ["teller-1 2 -> teller-2 2"]);
    assert_eq!(
        told(trace, event(trace, "teller-1", 1)),
        "open balance=100 locked=false"
    );
    assert_eq!(
        trace.time(event(trace, "teller-1", 1)),
        Time::new(1_714_557_600, 0)
    );
    let note = notes(&reading)[0];
    assert!(
        note.contains("1 of 1 contents were sent more than once"),
        "{note}"
    );
    assert!(note.contains("1 sends were never received"), "{note}");
}

#[test]
fn clocks_of_a_mapping_order_lines_in_no_order() {
    let mapping = "process = \"/n\"\nprocess-prefix = \"p\"\nclock = \"/vc\"\nmatching = \"fifo\"\n\
                   [[send]]\nkey = [\"/ch\", \"/out\"]\n[[receive]]\nkey = [\"/ch\", \"/in\"]\n";
    let log = r#"{"n":2,"vc":{"2":1,"1":2},"ch":1,"in":"x"}
{"n":1,"vc":{"1":2},"ch":1,"out":"x"}
{"n":1,"vc":{"1":1}}
"#;
    let (reading, _) = mapped(log.as_bytes(), mapping).expect("it is read");
    assert_eq!(processes(&reading.trace), ["p2", "p1"]);
    assert_eq!(edges(&reading.trace), ["p1 2 -> p2 1"]);
    assert_eq!(reading.trace.sends(event(&reading.trace, "p1", 2)).len(), 1);
}

#[test]
fn a_line_that_does_not_fit_names_the_rule() {
    let bank = bank();
    let cases = [
        (
            r#"{"host":["a"],"action":"x"}"#,
            (1, 2),
            "what stands at `/host` does not fit the mapping",
            "expected the name of a process, by the rule `process` of bank.toml",
        ),
        (
            "{\"host\":\"a\"}\n{\"host\":\"a\",\"action\":\"send it\"}",
            (2, 1),
            "there is nothing at `/message`",
            "expected a part of the key, by the rule `send[0].key` of bank.toml",
        ),
        (
            r#"{"host":"a","at":"noon"}"#,
            (1, 13),
            "what stands at `/at` does not fit the mapping",
            "by the rule `time` of bank.toml",
        ),
        (
            r#"{"host":"a","data":7}"#,
            (1, 13),
            "what stands at `/data` does not fit the mapping",
            "by the rule `variables.\"\"` of bank.toml",
        ),
        (
            r#"{"host":"a","action":"send","message":3}"#,
            (1, 1),
            "there is nothing at `/message/to`",
            "expected the name of a process, by the rule `send[0].to` of bank.toml",
        ),
        (
            "not JSON",
            (1, 2),
            "expected ident",
            "expected a JSON value on each line",
        ),
    ];
    for (log, place, message, expected) in cases {
        let problem = mapped(log.as_bytes(), &bank).expect_err(log);
        assert_eq!((problem.line, problem.column), place, "{problem:?}");
        assert_eq!(problem.message, message);
        assert!(problem.expected().contains(expected), "{problem:?}");
    }
}

#[test]
fn a_mapping_that_is_wrong_is_refused_at_its_place() {
    let cases = [
        (
            "event = \"/e\"",
            (1, 1),
            "this mapping has no rule `process`",
        ),
        (
            "process = \"/p\"\nevnt = \"/e\"",
            (2, 1),
            "unknown field `evnt`",
        ),
        ("process = \"p\"", (1, 11), "a place is a JSON pointer"),
        (
            "process = \"/p\"\n[[send]]\nkey = []",
            (3, 7),
            "a key consists of at least one place",
        ),
        (
            "process = \"/p\"\n[[only]]\nat = \"/t\"\n",
            (2, 1),
            "a test has exactly one of",
        ),
        (
            "process = \"/p\"\n[[receive]]\nkey = [\"/k\"]\nto = \"/t\"",
            (4, 1),
            "unknown field `to`",
        ),
        (
            "process = \"/p\"\nmatching = \"lifo\"",
            (2, 12),
            "unknown variant `lifo`",
        ),
        ("process = /p", (1, 11), ""),
    ];
    for (mapping, place, message) in cases {
        let problem = mapped(b"{}", mapping).expect_err(mapping);
        assert_eq!(problem.file, "bank.toml");
        assert_eq!((problem.line, problem.column), place, "{problem:?}");
        assert!(problem.message.starts_with(message), "{problem:?}");
    }
}

#[test]
fn a_guess_can_be_used_as_it_is() {
    for (name, processes, events) in [
        ("tracechecker-echo.ndjson", 3, 169),
        ("etcd-raft-example.ndjson.zst", 10, 4888),
        ("mapped-bank.ndjson", 2, 5),
    ] {
        let bytes = plain(name);
        let mapping = guess(&bytes).expect(name);
        let (reading, _) = mapped(&bytes, &mapping)
            .unwrap_or_else(|problem| panic!("{name}: {problem:?}\n{mapping}"));
        let trace = &reading.trace;
        let found = (trace.order().process_count(), trace.len());
        assert_eq!(found, (processes, events), "{mapping}");
        let received = trace
            .events()
            .any(|event| !trace.receives(event).is_empty());
        assert!(received, "{mapping}");
    }
    assert_eq!(guess(b"no JSON\n"), None);
}

#[test]
fn damaged_logs_and_mappings_are_read_or_refused() {
    let bytes = plain("etcd-raft-example.ndjson.zst");
    let (log, bank) = (sample("mapped-bank.ndjson"), bank());
    let mut rng = fastrand::Rng::with_seed(13);
    for _ in 0..60 {
        let piece = damaged_piece(&bytes, &mut rng);
        let proposed = guess(&piece).unwrap_or_default();
        let text = damaged_piece(bank.as_bytes(), &mut rng);
        let results = [
            mapped(&piece, &proposed),
            mapped(&piece, &bank),
            mapped(&log, &String::from_utf8_lossy(&text)),
        ];
        for problem in results.into_iter().filter_map(Result::err) {
            assert!(problem.line >= 1 && problem.column >= 1, "{problem:?}");
            assert!(
                problem.text.get(problem.span.range()).is_some(),
                "{problem:?}"
            );
        }
    }
}

fn bank() -> String {
    String::from_utf8(sample("mapped-bank.toml")).expect("it is a text")
}

/// Reads a log by a mapping.
fn mapped(log: &[u8], mapping: &str) -> Result<(Reading, &'static str), Diagnostic> {
    let options = LogOptions {
        mapping: Some(MappingFile {
            name: "bank.toml".to_owned(),
            text: mapping.to_owned(),
        }),
        ..LogOptions::default()
    };
    reading(log, &options)
}
