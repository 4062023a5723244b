//! `causet check` from outside: exit status, what is read, what is refused, limits.

mod common;

use common::{ELECTION, Folder};
use std::io::Write;
use std::time::{Duration, Instant};

const MUTEX: &str = "AG !(a.leader && b.leader)";
const HOLDS: &str = "AG c.x >= 0";

#[test]
fn the_exit_status_says_it_all() {
    let folder = Folder::election();
    folder.run(&["check", "t.jsonl", "--ctl", HOLDS]).ends(0);
    folder.run(&["check", "t.jsonl", "--ctl", MUTEX]).ends(1);
    folder
        .run(&["check", "t.jsonl", "--ctl", HOLDS, "--ctl", MUTEX])
        .ends(1);
    folder
        .run(&["check", "t.jsonl"])
        .ends(2)
        .complains("there is no property to check");
    folder
        .run(&["check", "--ctl", HOLDS])
        .ends(2)
        .complains("TRACE");
    folder
        .run(&["check", "no.jsonl", "--ctl", HOLDS])
        .ends(2)
        .complains("no.jsonl");
    folder
        .run(&["check", "t.jsonl", "--nonsense"])
        .ends(2)
        .complains("--nonsense");
    folder
        .run(&["check", "t.jsonl", "--ctl", HOLDS, "--timeout", "soon"])
        .ends(2);
}

#[test]
fn help_and_version_are_no_errors() {
    let folder = Folder::new();
    for command in [&["--help"][..], &["check", "--help"], &["info", "--help"]] {
        let help = folder.run(command).ends(0).stdout;
        let blank = help.lines().find(|line| line.ends_with(' '));
        assert_eq!(blank, None, "{command:?}");
    }
    assert!(
        folder
            .run(&["check", "--help"])
            .ends(0)
            .stdout
            .contains("The exit status is 0")
    );
    assert!(
        folder
            .run(&["--version"])
            .ends(0)
            .stdout
            .starts_with("causet ")
    );
}

#[test]
fn a_page_is_written_for_a_run_that_was_kept() {
    let folder = Folder::election();
    let page = ["--ctl", HOLDS, "--html", "r.html", "-q"];
    let check = |more: &[&str]| folder.run(&[&["check", "t.jsonl"], &page[..], more].concat());
    check(&["--stream"])
        .ends(0)
        .complains("the run was not kept");
    assert!(!folder.path().join("r.html").exists());
    check(&[]).ends(0);
    let html = folder.read("r.html");
    assert!(html.starts_with("<!DOCTYPE html>") && html.trim_end().ends_with("</html>"));
    assert!(html.contains("content=\"default-src 'none'; "));
    for address in ["src=\"http", "href=\"http", "@import", "url("] {
        assert!(!html.contains(address), "{address}");
    }
}

#[test]
fn all_errors_of_all_properties_are_shown_and_nothing_is_checked() {
    let folder = Folder::election();
    folder.write(
        "p.props",
        "let up(i) = i.leader\n\nproperty one: ctl AG up(a)\nproperty two: ctl AG nobody.x = 1\n",
    );
    let formulas = [
        "--ctl",
        "AG !(a.leadr)",
        "--ctl",
        "AG (",
        "--props",
        "p.props",
        "--ctl",
        MUTEX,
    ];
    let ran = folder
        .run(&[&["check", "t.jsonl"], &formulas[..]].concat())
        .ends(2)
        .complains("did you mean `a.leader`?")
        .complains("--ctl:1:5")
        .complains("p.props:4:22");
    assert_eq!(ran.stdout, "");
}

#[test]
fn a_bad_line_is_shown_with_its_place() {
    let folder = Folder::new();
    folder.write(
        "bad.jsonl",
        "{\"p\":\"a\"}\n{\"p\":\"a\",\"sett\":{\"x\":1}}\n",
    );
    folder
        .run(&["check", "bad.jsonl", "--ctl", "AG true"])
        .ends(2)
        .complains("bad.jsonl:2:10")
        .complains("\"sett\"");
}

#[test]
fn a_long_line_is_shown_in_part_with_its_true_column() {
    let folder = Folder::new();
    let label = "x".repeat(500);
    folder.write(
        "long.jsonl",
        format!("{{\"p\":\"a\",\"ev\":\"{label}\",\"sett\":1}}\n"),
    );
    let ran = folder
        .run(&["check", "long.jsonl", "--ctl", "AG true"])
        .ends(2)
        .complains("long.jsonl:1:518");
    assert!(!ran.stderr.contains(&label), "{}", ran.stderr);
}

#[test]
fn a_late_error_shows_the_line_of_a_file_and_of_standard_input() {
    let folder = Folder::new();
    let log = "{\"p\":\"a\"}\n{\"p\":\"a\",\"recv\":\"lost\"}\n";
    folder.write("late.jsonl", log);
    folder
        .run(&["check", "late.jsonl", "--ctl", "AG true"])
        .ends(2)
        .complains("late.jsonl:2:17")
        .complains("{\"p\":\"a\",\"recv\":\"lost\"}");
    folder
        .run_with_input(&["check", "-", "--ctl", "AG true"], log)
        .ends(2)
        .complains("<stdin>:2:17")
        .complains("{\"p\":\"a\",\"recv\":\"lost\"}");
    folder
        .run(&["check", "late.jsonl", "--ctl", "AG true", "--lenient"])
        .ends(0)
        .complains("warning");
}

#[test]
fn warnings_are_set_off_from_the_report_and_end_without_an_empty_line() {
    let folder = Folder::new();
    folder.write(
        "holes.jsonl",
        "{\"p\":\"a\",\"recv\":\"m\",\"clock\":{\"a\":2}}\n",
    );
    let check = |more: &[&str]| {
        let arguments = [
            &["check", "holes.jsonl", "--lenient", "--ctl", "AG true"],
            more,
        ]
        .concat();
        folder.run(&arguments).ends(0).stderr
    };
    let warnings = check(&["--json"]);
    assert_eq!(warnings.matches("warning[").count(), 2, "{warnings}");
    assert_eq!(warnings.matches("\n\n").count(), 1, "{warnings}");
    assert!(
        !warnings.ends_with("\n\n") && !warnings.contains("--lenient"),
        "{warnings}"
    );
    assert_eq!(check(&[]), format!("{warnings}\n"));
}

#[test]
fn a_run_may_come_in_parts() {
    let folder = Folder::election();
    let lines: Vec<&str> = ELECTION.lines().collect();
    let of = |process: &str| {
        let own = lines
            .iter()
            .filter(|line| line.contains(&format!("\"p\":\"{process}\"")));
        own.map(|line| format!("{line}\n")).collect::<String>()
    };
    folder.write("d/0.jsonl", lines[0]);
    folder.write("d/a.jsonl", of("a"));
    folder.write("d/b.ndjson", of("b"));
    folder.write("d/c.jsonl.gz", gzip(&of("c")));
    folder.write("d/notes.txt", "not a log");
    let cut = |arguments: &[&str]| {
        let ran = folder
            .run(&[&["check", "--json", "--ctl", MUTEX], arguments].concat())
            .ends(1);
        ran.json()["results"][0]["witness"]["cut"].clone()
    };
    let expected = serde_json::json!({"a": 1, "b": 2, "c": 0});
    assert_eq!(cut(&["t.jsonl"]), expected);
    assert_eq!(cut(&["d"]), expected);
    assert_eq!(
        cut(&["d/0.jsonl", "d/a.jsonl", "d/b.ndjson", "d/c.jsonl.gz"]),
        expected
    );
    let ran = folder.run_with_input(&["check", "-", "--ctl", MUTEX], ELECTION);
    assert!(ran.ends(1).stdout.starts_with("violated"));
    folder.write("empty/notes.txt", "");
    folder
        .run(&["check", "empty", "--ctl", MUTEX])
        .ends(2)
        .complains("holds no logs");
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text.as_bytes()).expect("in memory");
    encoder.finish().expect("in memory")
}

#[test]
fn quiet_means_quiet() {
    let folder = Folder::election();
    let ran = folder
        .run(&["check", "t.jsonl", "--quiet", "--ctl", MUTEX])
        .ends(1);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""));
    folder
        .run(&["check", "t.jsonl", "--quiet", "--ctl", "AG ("])
        .ends(2)
        .complains("error");
}

#[test]
fn colours_are_for_terminals_and_those_who_ask() {
    let folder = Folder::election();
    let check = |more: &[&str]| {
        folder
            .run(&[&["check", "t.jsonl", "--ctl", MUTEX], more].concat())
            .ends(1)
            .stdout
    };
    assert!(!check(&[]).contains('\u{1b}'));
    assert!(!check(&["--color", "never"]).contains('\u{1b}'));
    assert!(check(&["--color", "always"]).contains('\u{1b}'));
}

/// A lattice of 61^6 cuts: fifty thousand million.
fn lattice() -> String {
    let mut log = String::new();
    for number in 1..=60 {
        for process in 0..6 {
            log.push_str(&format!(
                "{{\"p\":\"p{process}\",\"set\":{{\"x\":{number}}}}}\n"
            ));
        }
    }
    log
}

#[test]
fn the_time_limit_ends_the_work() {
    let folder = Folder::new();
    folder.write("grid.jsonl", lattice());
    let start = Instant::now();
    let arguments = [
        "check",
        "grid.jsonl",
        "--ctl",
        "AG p0.x < 100",
        "--engine",
        "explicit",
        "--timeout",
        "300ms",
    ];
    let ran = folder.run(&arguments).ends(3);
    assert!(
        start.elapsed() < Duration::from_secs(20),
        "{:?}",
        start.elapsed()
    );
    assert!(ran.stdout.starts_with("unknown"), "{}", ran.stdout);
    assert!(ran.stdout.contains("raise --timeout"), "{}", ran.stdout);
}

#[test]
fn the_memory_limit_ends_the_work() {
    let folder = Folder::new();
    folder.write("grid.jsonl", lattice());
    let arguments = [
        "check",
        "grid.jsonl",
        "--json",
        "--possibly",
        "p0.x > 100",
        "--engine",
        "explicit",
        "--memory",
        "64M",
    ];
    let ran = folder.run(&arguments).ends(3);
    let report = ran.json();
    assert_eq!(report["results"][0]["verdict"], "unknown");
    assert_eq!(report["results"][0]["reason"], "memory");
    let peak = report["peak_bytes"].as_u64().expect("a number");
    assert!(peak < 80 << 20, "{peak}");
}

#[test]
fn the_peak_memory_covers_the_report() {
    let folder = Folder::new();
    let line = |number: u32| format!("{{\"p\":\"a\",\"set\":{{\"x\":{number}}}}}\n");
    folder.write("run.jsonl", (1..=1000).map(line).collect::<String>());
    let property = |number: u32| format!("property p{number}: ctl EF a.x = {}\n", 1000 - number);
    folder.write("many.props", (0..500).map(property).collect::<String>());
    let ran = folder.run(&["check", "run.jsonl", "--json", "--props", "many.props"]);
    let report = ran.ends(0).stdout;
    let (_, peak) = report.split_once("\"peak_bytes\":").expect("a field");
    let digits: String = peak.chars().take_while(char::is_ascii_digit).collect();
    let peak: usize = digits.parse().expect("a number");
    assert!(peak > report.len(), "{peak} for {} bytes", report.len());
}

#[test]
fn thousands_of_warnings_take_time_in_proportion_to_their_number() {
    let folder = Folder::new();
    folder.write("run.jsonl", "{\"p\":\"a\",\"set\":{\"x\":1}}\n");
    let property = |number: u32| format!("property p{number}: ctl AG (a.x = 7 -> a.x = 8)\n");
    folder.write("many.props", (0..5000).map(property).collect::<String>());
    let start = Instant::now();
    let ran = folder.run(&["check", "run.jsonl", "--props", "many.props"]);
    let ran = ran.ends(0);
    let taken = start.elapsed();
    assert!(
        ran.stderr.contains("many.props:4999:"),
        "{}",
        ran.stderr.len()
    );
    assert!(taken < Duration::from_secs(20), "{taken:?}");
}

#[test]
fn a_violation_outweighs_what_is_unknown() {
    let folder = Folder::new();
    folder.write("grid.jsonl", lattice());
    let unknown = ["--ctl", "AG p0.x < 100", "--timeout", "200ms"];
    let ran = folder.run(&[&["check", "grid.jsonl", "--ctl", "p0.x = 1"], &unknown[..]].concat());
    // The first property needs no search; whether an engine sees that is its own affair.
    let violated = ran.stdout.starts_with("violated");
    ran.ends(if violated { 1 } else { 3 });
}

#[test]
fn a_trace_that_cannot_be_read_in_time_leaves_everything_unknown() {
    let folder = Folder::new();
    folder.write("long.jsonl", lattice().repeat(200));
    let arguments = [
        "check",
        "long.jsonl",
        "--json",
        "--ctl",
        "AG p0.x < 100",
        "--timeout",
        "1ms",
    ];
    let report = folder.run(&arguments).ends(3).json();
    assert_eq!(report["trace"]["events"], serde_json::Value::Null);
    assert_eq!(report["results"][0]["verdict"], "unknown");
    assert_eq!(report["results"][0]["reason"], "timeout");
}

#[test]
fn a_log_cannot_write_to_the_terminal() {
    let folder = Folder::new();
    let escape = "\\u001b[31m";
    let log = format!(
        "{{\"p\":\"a{escape}\",\"ev\":\"boo{escape}\\u0007\",\"send\":\"m{escape}\",\"set\":{{\"x{escape}\":\"\\u009b2J\\u202e\"}}}}\n\
         {{\"p\":\"b\",\"recv\":\"m{escape}\",\"set\":{{\"y\":1}}}}\n"
    );
    folder.write("evil.jsonl", &log);
    let raw = |text: &str| text.contains(['\u{1b}', '\u{7}', '\u{9b}', '\u{202e}']);
    let shown = folder
        .run(&["check", "evil.jsonl", "--ctl", "AG b.y = 0", "--explain"])
        .ends(1);
    assert!(shown.stdout.contains("\\u{1b}[31m"), "{}", shown.stdout);
    assert!(!raw(&shown.stdout), "{:?}", shown.stdout);
    assert!(!raw(&folder.run(&["info", "evil.jsonl"]).ends(0).stdout));
    let formula = "AG a\u{1b}[31m = 1";
    assert!(!raw(&folder
        .run(&["check", "evil.jsonl", "--ctl", formula])
        .ends(2)
        .stderr));
    folder.write(
        "worse.jsonl",
        format!("{log}{{\"p\":\"b\",\"recv\":\"z{escape}\"}}\n"),
    );
    let refused = folder
        .run(&["check", "worse.jsonl", "--ctl", "AG true"])
        .ends(2);
    assert!(!raw(&refused.stderr), "{:?}", refused.stderr);
    folder.write("raw.jsonl", "{\"p\":\"\u{1b}[31m\"}\n");
    let refused = folder
        .run(&["check", "raw.jsonl", "--ctl", "AG true"])
        .ends(2);
    assert!(!raw(&refused.stderr), "{:?}", refused.stderr);
}

#[test]
fn a_closed_pipe_is_no_error() {
    let folder = Folder::election();
    let script = format!(
        "{} check t.jsonl --ctl '{MUTEX}' | true",
        env!("CARGO_BIN_EXE_causet")
    );
    let output = std::process::Command::new("sh")
        .args(["-c", &script])
        .current_dir(folder.path())
        .output()
        .expect("a shell");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn a_formula_may_begin_with_a_minus_and_a_name_may_end_in_a_number() {
    let folder = Folder::election();
    folder
        .run(&[
            "check",
            "t.jsonl",
            "--possibly",
            "-1 < c.x",
            "--ctl",
            "-c.x = 0",
        ])
        .ends(0);
    folder.write("two.props", "property never-2: ctl AG c.x >= 0\n");
    let told = folder
        .run(&["check", "t.jsonl", "--props", "two.props"])
        .ends(0);
    assert!(told.stdout.contains("never-2"));
}

#[test]
fn a_division_by_zero_is_reported_once() {
    let folder = Folder::election();
    let arguments = [
        "check",
        "t.jsonl",
        "--ctl",
        "AG !(1 / c.x > 5)",
        "--ctl",
        "AG !(2 / c.x > 5)",
    ];
    let told = folder.run(&arguments).ends(0);
    assert_eq!(told.stderr.matches("division by zero").count(), 1);
    assert!(!told.stdout.contains("division"));
}
