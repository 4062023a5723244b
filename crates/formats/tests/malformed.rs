//! Inputs that are refused: each with its line, its column, the words of the message and the words of the help.

use std::io::Cursor;

use causet_base::Diagnostic;
use causet_formats::native::{Part, ReadOptions, nth_line, read};
use causet_formats::{ReadError, locate};

/// What is refused and how; `message` and `help` hold words that must occur.
struct Case {
    name: &'static str,
    input: &'static str,
    line: u32,
    column: u32,
    message: &'static str,
    help: &'static str,
}

const fn case(
    name: &'static str,
    input: &'static str,
    (line, column): (u32, u32),
    message: &'static str,
    help: &'static str,
) -> Case {
    Case {
        name,
        input,
        line,
        column,
        message,
        help,
    }
}

const JSON: &[Case] = &[
    case(
        "cut off in an object",
        r#"{"p":"a""#,
        (1, 9),
        "malformed JSON",
        "cut off",
    ),
    case(
        "cut off after a colon",
        r#"{"p":"#,
        (1, 6),
        "malformed JSON",
        "cut off",
    ),
    case(
        "open string",
        r#"{"p":"a}"#,
        (1, 6),
        "malformed JSON: this string is not closed",
        "",
    ),
    case(
        "trailing comma",
        r#"{"p":"a",}"#,
        (1, 9),
        "malformed JSON: a comma",
        "remove the comma",
    ),
    case(
        "trailing comma in a list",
        r#"{"p":"a","send":["m",]}"#,
        (1, 21),
        "a comma",
        "remove",
    ),
    case(
        "two commas",
        r#"{"p":"a",,"ev":"x"}"#,
        (1, 10),
        "malformed JSON: a key",
        "",
    ),
    case(
        "no comma",
        r#"{"p":"a" "ev":"x"}"#,
        (1, 10),
        "malformed JSON: something is missing",
        "",
    ),
    case(
        "no colon",
        r#"{"p" "a"}"#,
        (1, 6),
        "a key is followed by its value",
        "",
    ),
    case(
        "bare key",
        r#"{p:"a"}"#,
        (1, 2),
        "malformed JSON: a key",
        "double quotes",
    ),
    case(
        "single quotes",
        r#"{'p':'a'}"#,
        (1, 2),
        "malformed JSON: a key",
        "double quotes",
    ),
    case(
        "single quotes in a value",
        r#"{"p":'a'}"#,
        (1, 6),
        "this is no value",
        "double quotes",
    ),
    case(
        "Python's true",
        r#"{"p":"a","set":{"x":True}}"#,
        (1, 21),
        "this is no value",
        "`true`",
    ),
    case(
        "not a number",
        r#"{"p":"a","set":{"x":NaN}}"#,
        (1, 21),
        "this is no value",
        "no such number",
    ),
    case(
        "plus sign",
        r#"{"p":"a","set":{"x":+1}}"#,
        (1, 21),
        "this is no value",
        "without `+`",
    ),
    case(
        "leading zero",
        r#"{"p":"a","set":{"x":01}}"#,
        (1, 21),
        "leading zeros",
        "without them",
    ),
    case(
        "point without digits",
        r#"{"p":"a","set":{"x":1.}}"#,
        (1, 21),
        "this number is not complete",
        "",
    ),
    case(
        "exponent without digits",
        r#"{"p":"a","set":{"x":1e}}"#,
        (1, 21),
        "this number is not complete",
        "",
    ),
    case(
        "unknown escape",
        r#"{"p":"a\x"}"#,
        (1, 8),
        "unknown escape",
        "backslash",
    ),
    case(
        "bad unicode escape",
        r#"{"p":"a\u12g4"}"#,
        (1, 8),
        "unknown escape",
        "",
    ),
    case(
        "lone surrogate",
        r#"{"p":"\ud800"}"#,
        (1, 7),
        "surrogate",
        "",
    ),
    case(
        "control character",
        "{\"p\":\"a\u{1}\"}",
        (1, 8),
        "control character 0x01",
        "\\u0001",
    ),
    case(
        "tab in a string",
        "{\"p\":\"a\tb\"}",
        (1, 8),
        "control character 0x09",
        "\\u0009",
    ),
    case(
        "two objects",
        r#"{"p":"a"} {"p":"b"}"#,
        (1, 11),
        "something follows",
        "one object per line",
    ),
    case(
        "a list",
        r#"[{"p":"a"}]"#,
        (1, 1),
        "wrong type: a list",
        "line of its own",
    ),
    case("a number", "12", (1, 1), "wrong type: a number", "{\"p\""),
    case("plain text", "hello", (1, 1), "malformed JSON", ""),
    case(
        "columns are characters",
        r#"{"p":"äöü","ev":}"#,
        (1, 17),
        "this is no value",
        "",
    ),
];

const EVENTS: &[Case] = &[
    case(
        "no process",
        r#"{"set":{"x":1}}"#,
        (1, 1),
        "`p` is missing",
        "names its process",
    ),
    case("empty line object", "\n  {}", (2, 3), "`p` is missing", ""),
    case(
        "empty process name",
        r#"{"p":""}"#,
        (1, 6),
        "empty name",
        "at least one",
    ),
    case(
        "process is a number",
        r#"{"p":1}"#,
        (1, 6),
        "wrong type: a number",
        "",
    ),
    case(
        "null process",
        r#"{"p":null}"#,
        (1, 6),
        "wrong type: null",
        "leave the field out",
    ),
    case(
        "unknown field",
        r#"{"p":"a","sned":"m"}"#,
        (1, 10),
        "unknown field `sned`",
        "`send`",
    ),
    case(
        "field of no meaning",
        r#"{"p":"a","temperature":3}"#,
        (1, 10),
        "unknown field",
        "variables stand in `set`",
    ),
    case(
        "header field in an event",
        r#"{"p":"a","shared":["x"]}"#,
        (1, 10),
        "unknown field `shared`",
        "causet",
    ),
    case(
        "duplicate key",
        r#"{"p":"a","p":"b"}"#,
        (1, 10),
        "duplicate key `p`",
        "remove one",
    ),
    case(
        "duplicate key, escaped",
        r#"{"p":"a","\u0070":"b"}"#,
        (1, 10),
        "duplicate key `p`",
        "",
    ),
    case(
        "duplicate variable",
        r#"{"p":"a","set":{"x":1,"x":2}}"#,
        (1, 23),
        "duplicate key `x`",
        "",
    ),
    case(
        "duplicate clock entry",
        r#"{"p":"a","clock":{"a":1,"a":1}}"#,
        (1, 25),
        "duplicate key `a`",
        "",
    ),
    case(
        "set is a list",
        r#"{"p":"a","set":[1]}"#,
        (1, 16),
        "wrong type: a list",
        "",
    ),
    case(
        "value is null",
        r#"{"p":"a","set":{"x":null}}"#,
        (1, 21),
        "wrong type: null",
        "leave",
    ),
    case(
        "value is an object",
        r#"{"p":"a","set":{"x":{"y":1}}}"#,
        (1, 21),
        "wrong type: an object",
        "",
    ),
    case(
        "integer too large",
        r#"{"p":"a","set":{"x":9223372036854775808}}"#,
        (1, 21),
        "does not fit in 64 bits",
        "string",
    ),
    case(
        "too many digits",
        r#"{"p":"a","set":{"x":1.2345678901234567891}}"#,
        (1, 21),
        "18 significant digits",
        "round",
    ),
    case(
        "exponent too large",
        r#"{"p":"a","set":{"x":1e400}}"#,
        (1, 21),
        "does not fit",
        "",
    ),
    case(
        "message is a decimal",
        r#"{"p":"a","send":1.5}"#,
        (1, 17),
        "message id",
        "double quotes",
    ),
    case(
        "message is a boolean",
        r#"{"p":"a","recv":true}"#,
        (1, 17),
        "wrong type: a boolean",
        "",
    ),
    case(
        "read is a string",
        r#"{"p":"a","read":"x"}"#,
        (1, 17),
        "wrong type: a string",
        "",
    ),
    case(
        "read is not shared",
        "{\"causet\":1,\"shared\":[\"turn\"]}\n{\"p\":\"a\",\"read\":[\"turm\"]}",
        (2, 18),
        "not a shared variable",
        "`turn`",
    ),
    case(
        "to without send",
        r#"{"p":"a","to":"b"}"#,
        (1, 10),
        "without `send`",
        "receive needs no",
    ),
    case(
        "to is a number",
        r#"{"p":"a","send":"m","to":3}"#,
        (1, 26),
        "wrong type: a number",
        "",
    ),
    case(
        "after is a string",
        r#"{"p":"a","after":"e1"}"#,
        (1, 18),
        "wrong type: a string",
        "list",
    ),
    case(
        "after is flat",
        r#"{"p":"a","after":["b",1]}"#,
        (1, 23),
        "wrong type: a number",
        "[[\"p2\",1]]",
    ),
    case(
        "after position zero",
        r#"{"p":"a","after":[["b",0]]}"#,
        (1, 24),
        "0 is no such count",
        "from 1",
    ),
    case(
        "after with three",
        r#"{"p":"a","after":[["b",1,2]]}"#,
        (1, 19),
        "named by two things",
        "first event",
    ),
    case(
        "clock entry negative",
        r#"{"p":"a","clock":{"a":-1}}"#,
        (1, 23),
        "-1 is no such count",
        "from 0",
    ),
    case(
        "clock entry too large",
        r#"{"p":"a","clock":{"a":4294967296}}"#,
        (1, 23),
        "no such count",
        "4294967295",
    ),
    case(
        "clock entry decimal",
        r#"{"p":"a","clock":{"a":1.5}}"#,
        (1, 23),
        "no such count",
        "",
    ),
    case(
        "label is a number",
        r#"{"p":"a","ev":7}"#,
        (1, 15),
        "wrong type: a number",
        "",
    ),
    case(
        "id is a number",
        r#"{"p":"a","id":7}"#,
        (1, 15),
        "wrong type: a number",
        "",
    ),
    case(
        "time is a string",
        r#"{"p":"a","t":"now"}"#,
        (1, 14),
        "wrong type: a string",
        "",
    ),
    case(
        "time too large",
        r#"{"p":"a","t":1e999}"#,
        (1, 14),
        "too large for a time",
        "",
    ),
    case(
        "time with too many digits",
        r#"{"p":"a","t":1712329729.60308031234}"#,
        (1, 14),
        "too many digits for a time",
        "",
    ),
    case(
        "end is false",
        r#"{"p":"a","end":false}"#,
        (1, 16),
        "cannot be false",
        "leave the line out",
    ),
    case(
        "end is a number",
        r#"{"p":"a","end":1}"#,
        (1, 16),
        "wrong type: a number",
        "",
    ),
    case(
        "end with a write",
        r#"{"p":"a","end":true,"set":{"x":1}}"#,
        (1, 10),
        "`end` stands together",
        "line of its own",
    ),
    case(
        "event after end",
        "{\"p\":\"a\"}\n{\"p\":\"a\",\"end\":true}\n{\"p\":\"a\"}",
        (3, 6),
        "goes on after its end",
        "line 2",
    ),
    case(
        "end twice",
        "{\"p\":\"a\",\"end\":true}\n{\"p\":\"a\",\"end\":true}",
        (2, 6),
        "goes on after its end",
        "line 1",
    ),
];

const HEADERS: &[Case] = &[
    case(
        "version 2",
        r#"{"causet":2}"#,
        (1, 11),
        "version 2",
        "version 1",
    ),
    case(
        "version is a string",
        r#"{"causet":"1"}"#,
        (1, 11),
        "wrong type: a string",
        "",
    ),
    case(
        "unknown header field",
        r#"{"causet":1,"proceses":[]}"#,
        (1, 13),
        "unknown field `proceses`",
        "`processes`",
    ),
    case(
        "process twice",
        r#"{"causet":1,"processes":["a","a"]}"#,
        (1, 30),
        "listed twice",
        "remove",
    ),
    case(
        "process empty",
        r#"{"causet":1,"processes":[""]}"#,
        (1, 26),
        "empty name",
        "",
    ),
    case(
        "processes is an object",
        r#"{"causet":1,"processes":{}}"#,
        (1, 25),
        "wrong type: an object",
        "",
    ),
    case(
        "shared twice",
        r#"{"causet":1,"shared":["x","x"]}"#,
        (1, 27),
        "listed twice",
        "remove",
    ),
    case(
        "init twice",
        r#"{"causet":1,"shared":["x"],"init":{"x":1,"x":2}}"#,
        (1, 42),
        "duplicate key `x`",
        "",
    ),
    case(
        "init is null",
        r#"{"causet":1,"init":{"x":null}}"#,
        (1, 25),
        "wrong type: null",
        "",
    ),
    case(
        "unknown order",
        r#"{"causet":1,"order":"causl"}"#,
        (1, 21),
        "unknown order `causl`",
        "`causal`",
    ),
    case(
        "meta is a list",
        r#"{"causet":1,"meta":[]}"#,
        (1, 20),
        "wrong type: a list",
        "",
    ),
    case(
        "header twice",
        "{\"causet\":1}\n{\"causet\":1}",
        (2, 2),
        "header that is not the first line",
        "first line",
    ),
    case(
        "header late",
        "{\"p\":\"a\"}\n\n{\"causet\":1}",
        (3, 2),
        "header that is not the first line",
        "first line",
    ),
    case(
        "duplicate header key",
        r#"{"causet":1,"meta":{},"meta":{}}"#,
        (1, 23),
        "duplicate key `meta`",
        "",
    ),
    case(
        "unknown process",
        "{\"causet\":1,\"processes\":[\"node1\"]}\n{\"p\":\"nod1\"}",
        (2, 6),
        "unknown process `nod1`",
        "`node1`",
    ),
    case(
        "unknown destination",
        "{\"causet\":1,\"processes\":[\"a\"]}\n{\"p\":\"a\",\"send\":\"m\",\"to\":\"zebra\"}",
        (2, 26),
        "unknown process `zebra`",
        "processes",
    ),
    case(
        "init of nothing",
        "{\"causet\":1,\"init\":{\"zz\":1}}\n{\"p\":\"a\"}",
        (1, 21),
        "neither a shared variable",
        "shared",
    ),
];

const RUNS: &[Case] = &[
    case(
        "receive without send",
        "{\"p\":\"a\",\"recv\":\"m1\"}",
        (1, 17),
        "received but never sent",
        "--lenient",
    ),
    case(
        "one receive of a list",
        "{\"p\":\"a\",\"send\":\"m\"}\n{\"p\":\"b\",\"recv\":[\"m\",7]}",
        (2, 22),
        "message `7` is received but never sent",
        "--lenient",
    ),
    case(
        "sent twice",
        "{\"p\":\"a\",\"send\":\"m\"}\n{\"p\":\"b\",\"send\":[\"n\",\"m\"]}",
        (2, 22),
        "sent twice",
        "line 1",
    ),
    case(
        "name twice",
        "{\"p\":\"a\",\"id\":\"e\"}\n{\"p\":\"a\",\"id\":\"e\"}",
        (2, 15),
        "two events have the id `e`",
        "line 1",
    ),
    case(
        "after nothing",
        r#"{"p":"a","after":["e9"]}"#,
        (1, 19),
        "no event with the id `e9`",
        "[\"process\", number]",
    ),
    case(
        "after beyond",
        "{\"p\":\"b\"}\n{\"p\":\"a\",\"after\":[[\"b\",2]]}",
        (2, 20),
        "no event number 2 of `b`",
        "1 events",
    ),
    case(
        "cycle",
        "{\"p\":\"a\",\"after\":[[\"b\",1]]}\n{\"p\":\"b\",\"after\":[[\"a\",1]]}",
        (2, 1),
        "b#1 (line 2) -> a#1 (line 1)",
        "edges",
    ),
    case(
        "clock without own entry",
        r#"{"p":"a","clock":{"b":1}}"#,
        (1, 18),
        "no entry for its own",
        "counts the event itself",
    ),
    case(
        "clock backwards",
        "{\"p\":\"a\",\"clock\":{\"a\":1,\"b\":1}}\n{\"p\":\"b\"}\n{\"p\":\"a\",\"clock\":{\"a\":2}}",
        (3, 18),
        "goes backwards",
        "process order",
    ),
    case(
        "clock skips",
        "{\"p\":\"a\",\"clock\":{\"a\":1}}\n{\"p\":\"a\",\"clock\":{\"a\":3}}",
        (2, 19),
        "skips from 1 to 3",
        "--lenient",
    ),
    case(
        "clock beyond the log",
        "{\"p\":\"b\"}\n{\"p\":\"a\",\"clock\":{\"a\":1,\"b\":2}}",
        (2, 25),
        "counts 2 events of `b`",
        "--lenient",
    ),
    case(
        "clock of an unknown process",
        r#"{"p":"node1","clock":{"node1":1,"node2":0}}"#,
        (1, 33),
        "unknown process `node2`",
        "`node1`",
    ),
    case(
        "clock of an unlisted process",
        "{\"causet\":1,\"processes\":[\"a\"]}\n{\"p\":\"a\",\"clock\":{\"a\":1,\"q\":0}}",
        (2, 25),
        "unknown process `q`",
        "",
    ),
    case(
        "clocks contradict",
        "{\"p\":\"a\",\"clock\":{\"a\":1}}\n{\"p\":\"b\",\"clock\":{\"a\":1,\"b\":1}}\n{\"p\":\"c\",\"clock\":{\"b\":1,\"c\":1}}",
        (3, 25),
        "contradicts another",
        "maximum",
    ),
];

/// Reads the input and completes late faults as the command line does.
fn refuse(input: &[u8], workers: usize) -> Option<Diagnostic> {
    let parts = vec![Part::new("t.jsonl", Cursor::new(input))];
    let options = ReadOptions {
        lenient: false,
        workers,
    };
    match read(parts, &options, &()) {
        Ok(_) => None,
        Err(ReadError::Fault(problem)) => Some(problem),
        Err(ReadError::Late { error, parts }) => {
            let text = nth_line(input, error.place.line).expect("memory is readable");
            Some(locate(&error, &parts, text.as_deref()))
        }
        Err(other) => panic!("{other}"),
    }
}

#[track_caller]
fn check(case: &Case) {
    let name = case.name;
    let problem = refuse(case.input.as_bytes(), 1);
    let problem = problem.unwrap_or_else(|| panic!("{name}: was accepted"));
    let place = (problem.line, problem.column);
    assert_eq!(place, (case.line, case.column), "{name}: {problem:?}");
    assert!(
        problem.message.contains(case.message),
        "{name}: {problem:?}"
    );
    let help = problem.help.as_deref().unwrap_or("");
    assert!(help.contains(case.help), "{name}: {problem:?}");
    assert!(!problem.expected().is_empty(), "{name}: {problem:?}");
    assert!(
        problem.text.get(problem.span.range()).is_some(),
        "{name}: {problem:?}"
    );
    let line = case.input.lines().nth(case.line as usize - 1).expect(name);
    assert_eq!(problem.text, line.trim_end(), "{name}");
    assert_eq!(
        refuse(case.input.as_bytes(), 3).as_ref(),
        Some(&problem),
        "{name}"
    );
}

#[test]
fn malformed_json_is_refused() {
    JSON.iter().for_each(check);
}

#[test]
fn wrong_fields_are_refused() {
    EVENTS.iter().for_each(check);
}

#[test]
fn wrong_headers_are_refused() {
    HEADERS.iter().for_each(check);
}

#[test]
fn contradictory_runs_are_refused() {
    RUNS.iter().for_each(check);
}

#[test]
fn a_byte_that_is_no_text_is_refused() {
    let input = b"{\"p\":\"a\"}\n{\"p\":\"\xC3\xA4\xFFb\"}\n";
    let problem = refuse(input, 1).expect("refused");
    assert_eq!((problem.line, problem.column), (2, 8));
    assert!(problem.message.contains("0xff is not UTF-8"));
    assert_eq!(&problem.text[problem.span.range()], "\u{FFFD}");
}

#[test]
fn the_words_at_fault_are_underlined() {
    let underlined = |input: &str| {
        let problem = refuse(input.as_bytes(), 1).expect("refused");
        problem.text[problem.span.range()].to_owned()
    };
    assert_eq!(underlined(r#"{"p":"a","sned":"m"}"#), "\"sned\"");
    assert_eq!(underlined(r#"{"p":"a","set":{"x":{"y":1}}}"#), "{\"y\":1}");
    assert_eq!(underlined(r#"{"p":"a","recv":["m",7]}"#), "\"m\"");
    assert_eq!(underlined(r#"{"set":{}}"#), r#"{"set":{}}"#);
    assert_eq!(underlined(r#"{"p":"a","set":{"x":Trueish}}"#), "Trueish");
}

#[test]
fn a_long_line_is_shown_around_the_fault() {
    let names: Vec<String> = (0..200).map(|n| format!("\"värüäble{n}\":1")).collect();
    let input = format!(
        "{{\"p\":\"a\",\"set\":{{{},\"bad\":null,{}}}}}",
        names.join(","),
        "\"z\":1"
    );
    let problem = refuse(input.as_bytes(), 1).expect("refused");
    assert_eq!(&problem.text[problem.span.range()], "null");
    assert!(problem.text.chars().count() <= 202, "{}", problem.text);
    assert!(problem.text.starts_with('…') && !problem.text.ends_with('…'));
    let before = &input[..input.find("null").expect("there")];
    assert_eq!(problem.column as usize, before.chars().count() + 1);
}

#[test]
fn related_lines_are_named() {
    let problem = refuse(
        b"{\"p\":\"a\",\"send\":\"m\"}\n{\"p\":\"b\",\"send\":\"m\"}",
        1,
    );
    assert_eq!(
        problem.expect("refused").related,
        [("t.jsonl".to_owned(), 1)]
    );
}
