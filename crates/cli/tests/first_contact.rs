//! First contact: what a stranger is told whose log cannot be read, or whose formula is in another notation. Where a
//! message names commands, they are typed here, and work.

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;

use common::{Folder, Ran};

const RUN: &str = r#"{"p":"a","ev":"ask","send":"m"}
{"p":"b","ev":"answer","recv":"m"}
"#;

/// What no message says about a log that is in no known format.
const BESIDE_THE_POINT: [&str; 6] = [
    "did you mean",
    "cannot stand here",
    "was the file cut off",
    "malformed JSON",
    "iconv",
    "text stands in double quotes",
];

const PROPERTY: [&str; 2] = ["--ctl", "AG true"];

/// Checks a log that is refused in plain words.
#[track_caller]
fn refused(folder: &Folder, log: &str) -> Ran {
    let ran = folder
        .run(&["check", log, PROPERTY[0], PROPERTY[1]])
        .ends(2);
    for words in BESIDE_THE_POINT {
        assert!(!ran.stderr.contains(words), "`{words}` in\n{}", ran.stderr);
    }
    ran
}

#[track_caller]
fn holds(folder: &Folder, arguments: &[&str]) {
    let all: Vec<&str> = ["check"]
        .iter()
        .chain(arguments)
        .chain(&PROPERTY)
        .copied()
        .collect();
    folder.run(&all).ends(0);
}

/// Types the commands of a message into a shell that knows `causet`.
#[track_caller]
fn type_commands(folder: &Folder, ran: &Ran) {
    let commands: Vec<&str> = ran.stderr.split('`').skip(1).step_by(2).collect();
    assert!(!commands.is_empty(), "no command in\n{}", ran.stderr);
    for command in commands.into_iter().filter(|command| command.contains(' ')) {
        type_command(folder, command);
    }
}

#[track_caller]
fn type_command(folder: &Folder, command: &str) {
    let binary = Path::new(env!("CARGO_BIN_EXE_causet"))
        .parent()
        .expect("a folder");
    let mut paths = vec![PathBuf::from(binary)];
    let known = std::env::var_os("PATH").unwrap_or_default();
    paths.extend(std::env::split_paths(&known));
    let done = Command::new("sh")
        .args(["-c", command])
        .current_dir(folder.path())
        .env("PATH", std::env::join_paths(paths).expect("paths"))
        .output()
        .expect("a shell");
    assert!(done.status.success(), "`{command}`: {done:?}");
}

/// Whether this machine has a program.
fn has(program: &str) -> bool {
    let found = Command::new("sh")
        .args(["-c", &format!("command -v {program}")])
        .output();
    found.is_ok_and(|found| found.status.success())
}

#[test]
fn json_lines_of_others_are_led_to_a_mapping() {
    let folder = Folder::new();
    let lines = r#"{"ts":1,"level":"info","node":"a","event":"start"}
{"ts":2,"level":"info","node":"b","event":"stop"}
"#;
    folder.write("app log.jsonl", lines);
    let ran = refused(&folder, "app log.jsonl")
        .complains("app log.jsonl is in no known format: its lines are JSON objects")
        .complains("the fields are event, level, node, ts")
        .complains("read it with --mapping mapping.toml");
    type_commands(&folder, &ran);
    holds(&folder, &["app log.jsonl", "--mapping", "mapping.toml"]);
}

#[test]
fn a_mapping_without_a_process_is_said_to_need_one() {
    let folder = Folder::new();
    folder.write("t.jsonl", "{\"level\":\"info\",\"text\":\"hello\"}\n");
    let ran = refused(&folder, "t.jsonl")
        .complains("where `process` must be named, because no field looks like it");
    let command = ran
        .stderr
        .split('`')
        .find(|word| word.starts_with("causet map"));
    type_command(&folder, command.expect("a command"));
}

#[test]
fn text_and_json_mixed_is_led_to_a_mapping() {
    let folder = Folder::new();
    let lines = "starting up\n{\"node\":\"a\",\"event\":\"x\"}\n{\"node\":\"b\",\"event\":\"y\"}\n";
    folder.write("docker.log", lines);
    let ran = refused(&folder, "docker.log").complains("its lines are text and JSON objects");
    type_commands(&folder, &ran);
    holds(&folder, &["docker.log", "--mapping", "mapping.toml"]);
}

#[test]
fn text_is_named_as_what_it_looks_like_with_the_page_of_the_native_format() {
    let cases = [
        (
            "2026-01-01 12:00:00 INFO starting up\n",
            "it looks like text",
            "the lines begin with a time",
        ),
        ("hello\nworld\n", "it looks like text", "this is no JSON"),
        (
            "ts=1 level=info msg=\"hi, there\" node=a\n",
            "it looks like logfmt",
            "the keys are ts, level, msg, node",
        ),
        (
            "time,node,event\n1,a,start\n2,b,stop\n",
            "it looks like CSV",
            "the columns are time, node, event",
        ),
        (
            "time;node\n1;a\n",
            "it looks like CSV",
            "the columns are time, node",
        ),
        (
            "<34>Oct 11 22:14:15 host su: failed\n",
            "it looks like syslog",
            "a line of syslog",
        ),
        (
            "Oct 11 22:14:15 host su[12]: failed\n",
            "it looks like syslog",
            "a line of syslog",
        ),
        (
            "<!DOCTYPE html><html></html>\n",
            "it looks like XML or HTML",
            "this is markup",
        ),
    ];
    for (text, message, seen) in cases {
        let folder = Folder::new();
        folder.write("app.log", text);
        for arguments in [&["app.log"][..], &["app.log", "--stream"]] {
            let all: Vec<&str> = ["check"]
                .iter()
                .chain(arguments)
                .chain(&PROPERTY)
                .copied()
                .collect();
            let ran = folder.run(&all).ends(2).complains(message).complains(seen);
            ran.complains("docs/book/src/format.md has all fields");
        }
        refused(&folder, "app.log");
    }
}

/// A form that is not read, the program that makes it, and the one that is named.
#[test]
fn packed_files_are_named_with_the_command_that_unpacks_them() {
    let forms = [
        (
            "xz",
            "xz -c run.jsonl > packed/run.jsonl.xz",
            "packed/run.jsonl.xz",
            "is compressed with xz",
        ),
        (
            "bzip2",
            "bzip2 -c run.jsonl > packed/run.jsonl.bz2",
            "packed/run.jsonl.bz2",
            "is compressed with bzip2",
        ),
        (
            "lz4",
            "lz4 -q -c run.jsonl > packed/run.jsonl.lz4",
            "packed/run.jsonl.lz4",
            "is compressed with lz4",
        ),
        (
            "zip",
            "zip -q packed/logs.zip run.jsonl",
            "packed/logs.zip",
            "is a zip archive",
        ),
        (
            "tar",
            "tar -cf packed/logs.tar run.jsonl",
            "packed/logs.tar",
            "is a tar archive",
        ),
        (
            "tar",
            "tar -czf packed/logs.tar.gz run.jsonl",
            "packed/logs.tar.gz",
            "is a tar archive",
        ),
    ];
    for (program, pack, packed, message) in forms {
        if !has(program) || (program == "zip" && !has("unzip")) {
            eprintln!("{program} is not on this machine");
            continue;
        }
        let folder = Folder::new();
        folder.write("run.jsonl", RUN);
        folder.write("packed/empty", "");
        type_command(&folder, pack);
        std::fs::remove_file(folder.path().join("run.jsonl")).expect("it was written");
        let ran = refused(&folder, packed).complains(message);
        type_commands(&folder, &ran);
        let (_, then) = ran
            .stderr
            .rsplit_once("then read ")
            .expect("a file or folder");
        holds(&folder, &[then.trim()]);
    }
    let folder = Folder::new();
    folder.write("run.7z", b"7z\xBC\xAF\x27\x1C\0\x04rest");
    refused(&folder, "run.7z").complains("`7z x run.7z -orun`; then read run");
    folder.write("core.log", [0, 1, 2, 3, 0xFF, 4]);
    refused(&folder, "core.log").complains("core.log is binary data");
}

#[test]
fn text_in_utf_16_is_converted() {
    let folder = Folder::new();
    let units: Vec<u8> = RUN.encode_utf16().flat_map(u16::to_le_bytes).collect();
    folder.write("run.jsonl", [&[0xFF, 0xFE], units.as_slice()].concat());
    let ran = folder
        .run(&["info", "run.jsonl"])
        .ends(2)
        .complains("is text in UTF-16");
    if has("iconv") {
        type_commands(&folder, &ran);
        holds(&folder, &["run-lines.jsonl"]);
    }
}

#[test]
fn json_over_several_lines_is_written_into_lines() {
    let events = [
        "{\n  \"p\": \"a\",\n  \"ev\": \"ask\"\n}\n{\n  \"p\": \"b\"\n}\n",
        "[\n  {\n    \"p\": \"a\"\n  },\n  {\n    \"p\": \"b\"\n  }\n]\n",
        "[{\"p\":\"a\"},{\"p\":\"b\"}]",
    ];
    for text in events {
        let folder = Folder::new();
        folder.write("run.json", text);
        let ran = refused(&folder, "run.json").complains("each event stands on one line");
        if has("jq") {
            type_commands(&folder, &ran);
            holds(&folder, &["run.jsonl"]);
        }
    }
    let folder = Folder::new();
    folder.write(
        "run.json.gz",
        gzip("[\n{\"node\":\"a\",\"event\":\"x\"},\n{\"node\":\"b\",\"event\":\"y\"}\n]"),
    );
    let ran = refused(&folder, "run.json.gz")
        .complains("it holds one JSON list")
        .complains("the objects have the fields event, node");
    if has("jq") && has("gzip") {
        type_commands(&folder, &ran);
        holds(&folder, &["run.jsonl", "--mapping", "mapping.toml"]);
    }
}

fn gzip(text: &str) -> Vec<u8> {
    use std::io::Write;
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(text.as_bytes()).expect("memory");
    packed.finish().expect("memory")
}

#[test]
fn a_document_is_led_to_the_list_within_it() {
    let folder = Folder::new();
    let text = "{\n \"kind\": \"report\",\n \"steps\": [\n  {\"node\": \"a\", \"event\": \"x\"},\n  {\"node\": \"b\", \"event\": \"y\"}\n ]\n}\n";
    folder.write("report.json", text);
    let ran = refused(&folder, "report.json")
        .complains("it is one JSON document")
        .complains("the members are kind, steps");
    if has("jq") {
        let commands = ran
            .stderr
            .split('`')
            .filter(|word| word.starts_with("jq ") || word.starts_with("causet "));
        commands.for_each(|command| type_command(&folder, command));
        holds(&folder, &["report.jsonl", "--mapping", "mapping.toml"]);
    }
    folder.write("settings.json", "{\n \"debug\": true,\n \"level\": 3\n}\n");
    refused(&folder, "settings.json").complains("the members are debug, level");
    folder.write("damaged.json", "{\n \"debug\": tru\n");
    folder.run(&["info", "damaged.json"]).ends(2);
}

#[test]
fn a_folder_with_two_formats_is_refused_by_their_names() {
    let folder = Folder::new();
    folder.write("run/a.jsonl", RUN);
    folder.write("run/b.json", r#"[{"traceId":"1","id":"2","name":"get","timestamp":1,"duration":2,"localEndpoint":{"serviceName":"s"}}]"#);
    refused(&folder, "run")
        .complains("run/a.jsonl and run/b.json are in different formats")
        .complains(
            "this is `zipkin`, Zipkin v2 JSON, and run/a.jsonl is `native`, Causet JSON lines",
        );
    holds(&folder, &["run/a.jsonl"]);
    folder.write("other/a.jsonl", RUN);
    folder.write("other/package.json", "{\n \"name\": \"app\"\n}\n");
    refused(&folder, "other")
        .complains("other/package.json is in no known format: it is one JSON document");
    // A long first line says little, but it is no other format.
    folder.write("long/a.jsonl", RUN);
    folder.write(
        "long/b.jsonl",
        format!("{{\"p\":\"c\",\"ev\":\"{}\"}}\n", "x".repeat(40_000)),
    );
    holds(&folder, &["long"]);
}

#[test]
fn several_traces_of_spans_are_listed() {
    let folder = Folder::new();
    let span = |trace: u8, span: u8| {
        format!(
            r#"{{"traceId":"{trace:032x}","spanId":"{span:016x}","name":"GET /{trace}","startTimeUnixNano":"{span}","endTimeUnixNano":"9"}}"#
        )
    };
    let spans: Vec<String> = (1..=5).map(|trace| span(trace + 0xA0, trace)).collect();
    let text = format!(
        r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{}]}}]}}]}}"#,
        spans.join(",")
    );
    folder.write("t.json", text);
    refused(&folder, "t.json")
        .complains("these spans belong to 5 traces")
        .complains("--execution ID reads one of them, and --merge all as one run: a1 (1 span, GET /161), a2 (1 span");
    for wanted in ["a3", "3", "000000a3", "A3"] {
        let ran = folder
            .run(&["info", "t.json", "--execution", wanted])
            .ends(0);
        assert!(
            ran.stdout.contains("GET /163") && ran.stdout.contains("events     2"),
            "{}",
            ran.stdout
        );
    }
    let ran = folder.run(&["info", "t.json", "--merge"]).ends(0);
    assert!(ran.stdout.contains("events     10"), "{}", ran.stdout);
    folder
        .run(&["info", "t.json", "--execution", "a9"])
        .ends(2)
        .complains("there is no trace `a9`");
}

#[test]
fn several_executions_are_listed() {
    let folder = Folder::new();
    let one = "a {\"a\":1}\nstart\nb {\"b\":1}\nstart\n";
    folder.write("t.log", format!("=== one ===\n{one}=== two ===\n{one}"));
    let arguments = ["info", "t.log", "--delimiter", "^=== (?<trace>.*) ===$"];
    folder
        .run(&arguments)
        .ends(2)
        .complains("this file holds 2 executions")
        .complains("choose one with --execution: one, two");
    let chosen = [&arguments[..], &["--execution", "two"]].concat();
    folder.run(&chosen).ends(0);
    // Two runs of the native format, one after the other.
    folder.write(
        "two.jsonl",
        format!("{{\"causet\":1}}\n{RUN}{{\"causet\":1}}\n{RUN}"),
    );
    refused(&folder, "two.jsonl")
        .complains("two.jsonl:4:2")
        .complains("if another run begins here, give it a file of its own");
}

#[test]
fn a_truncated_log_is_told_of_lenient() {
    let folder = Folder::new();
    folder.write("cut.jsonl", &RUN[..RUN.len() - 10]);
    folder
        .run(&["check", "cut.jsonl", PROPERTY[0], PROPERTY[1]])
        .ends(2)
        .complains("the last line is cut off: --lenient reads the run without it");
    let ran = folder
        .run(&["check", "cut.jsonl", PROPERTY[0], PROPERTY[1], "--lenient"])
        .ends(0);
    ran.complains("cut.jsonl:2: the last line is cut off and was left out");
    // In the middle of a letter.
    folder.write("letter.jsonl", &b"{\"p\":\"a\"}\n{\"p\":\"\xC3"[..]);
    folder
        .run(&["check", "letter.jsonl", PROPERTY[0], PROPERTY[1]])
        .ends(2);
    holds(&folder, &["letter.jsonl", "--lenient"]);
    // A mistake in the middle is no truncation.
    folder.write("middle.jsonl", "{\"p\":\"a\"\n{\"p\":\"b\"}\n");
    folder
        .run(&[
            "check",
            "middle.jsonl",
            "--lenient",
            PROPERTY[0],
            PROPERTY[1],
        ])
        .ends(2);

    let packed = gzip(RUN);
    folder.write("cut.jsonl.gz", &packed[..packed.len() - 12]);
    folder
        .run(&["info", "cut.jsonl.gz"])
        .ends(2)
        .complains("`gzip -dc cut.jsonl.gz > part.jsonl` writes what is left of it; then read part.jsonl with --lenient");
}

#[test]
fn lenient_warnings_of_a_kind_are_one_line() {
    let folder = Folder::new();
    let lines: String = (0..40)
        .map(|number| format!("{{\"p\":\"a\",\"recv\":\"m{number}\"}}\n"))
        .collect();
    folder.write("t.jsonl", lines);
    let ran = folder
        .run(&["check", "t.jsonl", "--lenient", PROPERTY[0], PROPERTY[1]])
        .ends(0);
    assert_eq!(ran.stderr.matches("warning[").count(), 1, "{}", ran.stderr);
    ran.complains("t.jsonl:1: message `m0` is received but never sent, and 39 more of this kind");
}

#[test]
fn nothing_read_is_no_green_run() {
    let folder = Folder::new();
    folder.write("empty.jsonl", "");
    folder.write("blank.jsonl", "\n\n  \n");
    folder.write("header.jsonl", "{\"causet\":1}\n");
    folder.write(
        "idle.jsonl",
        "{\"causet\":1,\"processes\":[\"a\"],\"init\":{\"a.x\":0}}\n",
    );
    folder.write("run.jsonl", RUN);
    for log in ["empty.jsonl", "blank.jsonl"] {
        refused(&folder, log)
            .complains("no event could be read")
            .complains("it is empty");
        folder.run(&["lint", log]).ends(2).complains("it is empty");
        folder.run(&["info", log]).ends(2).complains("it is empty");
        folder
            .run(&["check", log, "--stream", PROPERTY[0], PROPERTY[1]])
            .ends(2)
            .complains("it is empty");
    }
    refused(&folder, "header.jsonl").complains("no event could be read from header.jsonl");
    // Listed processes that did nothing are a run of one moment; that is said.
    let idle = ["check", "idle.jsonl", "--ctl", "AG a.x = 0"];
    folder
        .run(&idle)
        .ends(0)
        .complains("no process has an event");
    folder
        .run(&[&idle[..], &["--deny-warnings"]].concat())
        .ends(2);
    for format in ["shiviz", "otlp", "etcd-raft", "ccf"] {
        folder
            .run(&[
                "check",
                "run.jsonl",
                "--format",
                format,
                PROPERTY[0],
                PROPERTY[1],
            ])
            .ends(2)
            .complains(&format!(
                "no event could be read from run.jsonl as `{format}`"
            ))
            .complains("it looks like `native`, Causet JSON lines: leave --format out");
    }
    let regex = r"(?<host>\d+) (?<clock>\{.*\}) (?<event>.*)";
    folder
        .run(&[
            "check",
            "run.jsonl",
            "--regex",
            regex,
            PROPERTY[0],
            PROPERTY[1],
        ])
        .ends(2)
        .complains("leave --regex out");
}

#[test]
fn words_of_other_notations_get_their_name_here() {
    let folder = Folder::election();
    let cases = [
        (
            "--ctl",
            "ag a.leader",
            "temporal operators are written in capitals: `AG`",
        ),
        (
            "--ctl",
            "ag(a.leader)",
            "temporal operators are written in capitals: `AG`",
        ),
        (
            "--ctl",
            "Ef a.leader",
            "temporal operators are written in capitals: `EF`",
        ),
        (
            "--ltl",
            "G (a.leader -> f b.leader)",
            "temporal operators are written in capitals: `F`",
        ),
        (
            "--ctl",
            "e[a.leader U b.leader]",
            "operators are written in capitals: `E[f U g]`",
        ),
        ("--ctl", "always a.leader", "always f is written `AG f`"),
        ("--ltl", "always a.leader", "always f is written `G f`"),
        (
            "--ctl",
            "eventually a.leader",
            "`AF f` (in every order) or `EF f` (in some order)",
        ),
        ("--ctl", "never(a.leader)", "never f is written `AG !(f)`"),
        ("--ltl", "once a.leader", "operators look ahead only"),
        (
            "--ltl",
            "a.leader before b.leader",
            "f before g is written `!(g) W f`",
        ),
        (
            "--possibly",
            "a.leader before b.leader",
            "`{ f ; g }` with --possibly",
        ),
        (
            "--ltl",
            "a.leader until b.leader",
            "f until g is written `f U g`",
        ),
        (
            "--ctl",
            "AG (c.x in [1, 2])",
            "a set of values is written `x = 1 || x = 2`",
        ),
        (
            "--ctl",
            "if a.leader then b.leader",
            "if f then g is written `f -> g`",
        ),
        ("--ctl", "AG True", "`True` is written `true`"),
        (
            "--ctl",
            "AG (a.leader = FALSE)",
            "`FALSE` is written `false`",
        ),
        (
            "--ctl",
            "AG (c.x = null)",
            "a variable that nothing has written is 0",
        ),
    ];
    for (flag, formula, help) in cases {
        folder
            .run(&["check", "t.jsonl", flag, formula])
            .ends(2)
            .complains(help);
    }
    // What the hints name is read.
    for (flag, formula) in [
        ("--ltl", "!(a.leader) W a.leader"),
        ("--ctl", "A[!(a.leader) W a.leader]"),
        ("--possibly", "{ a.leader ; b.leader }"),
    ] {
        folder.run(&["check", "t.jsonl", flag, formula]).ends(0);
    }
}

#[test]
fn files_of_a_folder_that_are_not_read_are_named() {
    let folder = Folder::new();
    folder.write("run/a.jsonl", RUN);
    holds(&folder, &["run"]);
    assert_eq!(folder.run(&["info", "run"]).ends(0).stderr, "");
    folder.write("run/b.jsonl", "");
    folder.write("run/c.log", RUN);
    folder.write("run/notes.txt", "hello\n");
    folder.write("run/old/a.jsonl", RUN);
    let note = "note[E1106]: of the folder run, a.jsonl is read, but not b.jsonl (empty), c.log, notes.txt, old (a folder)";
    let check = ["check", "run", PROPERTY[0], PROPERTY[1], "--deny-warnings"];
    for command in [
        &check[..],
        &[&check[..], &["--stream"]].concat(),
        &["info", "run"],
        &["convert", "run", "--to", "dot"],
    ] {
        let ran = folder.run(command).ends(0).complains(note);
        assert_eq!(ran.stderr.matches("note[").count(), 1, "{}", ran.stderr);
    }
    let quiet = [&check[..], &["--quiet"]].concat();
    assert_eq!(folder.run(&quiet).ends(0).stderr, "");
    folder.write("none/notes.txt", "hello\n");
    refused(&folder, "none").complains("the directory none holds no logs: it holds notes.txt");
}

#[test]
fn what_holds_no_events_is_told_what_it_is() {
    let cases = [
        (
            "{\"resourceSpans\":[]}\n",
            "holds no events: its list `resourceSpans` is empty",
        ),
        (
            "{\n \"data\": [],\n \"total\": 0\n}\n",
            "an answer of Jaeger without traces",
        ),
        ("[]\n", "holds no events: the list is empty"),
        ("null\n", "this is a JSON value, but no object"),
        ("\"hello\"\n", "this is a JSON value, but no object"),
        (
            "127.0.0.1 - - [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.0\" 200 2326\n",
            "it looks like an access log",
        ),
        ("3 apples\n", "this is no JSON"),
    ];
    for (text, message) in cases {
        let folder = Folder::new();
        folder.write("t.json", text);
        refused(&folder, "t.json").complains(message);
    }
}

#[test]
fn a_clock_that_begins_again_is_led_to_a_delimiter() {
    let folder = Folder::new();
    let one = "a {\"a\":1}\nstart\nb {\"b\":1}\nstart\na {\"a\":2}\nstop\n";
    folder.write("t.log", [one, one].concat());
    refused(&folder, "t.log")
        .complains("t.log:7:1")
        .complains("the clock of `a` begins again at 1")
        .complains("--delimiter REGEX");
}

#[test]
fn a_mapping_without_the_rule_for_processes_is_said_to_need_it() {
    let folder = Folder::new();
    folder.write("t.jsonl", "{\"node\":\"a\",\"event\":\"x\"}\n");
    folder.write("m.toml", "event = \"/event\"\n");
    let check = [
        "check",
        "t.jsonl",
        "--mapping",
        "m.toml",
        PROPERTY[0],
        PROPERTY[1],
    ];
    folder
        .run(&check)
        .ends(2)
        .complains("this mapping has no rule `process`")
        .complains("process = \"/node\"");
}

#[test]
fn a_process_with_a_slash_is_led_to_backquotes() {
    let folder = Folder::new();
    folder.write("t.jsonl", "{\"p\":\"svc/pod\",\"set\":{\"x\":1}}\n");
    folder
        .run(&["check", "t.jsonl", "--ctl", "EF svc/pod.x = 1"])
        .ends(2)
        .complains("is the process `svc/pod` meant?");
    holds(&folder, &["t.jsonl", "--ctl", "EF `svc/pod`.x = 1"]);
}

#[test]
fn a_file_without_properties_is_refused_wherever_one_is_asked_for() {
    let folder = Folder::election();
    folder.write("none.props", "# nothing yet\n");
    for command in [
        &["check", "t.jsonl", "--props", "none.props"][..],
        &[
            "convert",
            "t.jsonl",
            "--to",
            "promela",
            "--props",
            "none.props",
        ],
    ] {
        let ran = folder.run(command).ends(2);
        ran.complains("there is no property to check");
    }
}
