//! What reports say of faulty protocols: the order that happened where it shows the violation, pairs of events that make a
//! difference, and sentences without slips.
//!
//! `CAUSET_ROUNDS=n` takes n seeds of each protocol.

mod common;
#[path = "../../report/tests/naive/grammar.rs"]
mod grammar;

use common::Folder;
use serde_json::{Value, json};

const PROTOCOLS: [&str; 15] = [
    "random",
    "peterson",
    "filter",
    "abp",
    "philosophers",
    "ddph",
    "token-ring",
    "ricart-agrawala",
    "two-phase-commit",
    "raft-election",
    "primary-secondary",
    "safra",
    "snapshot",
    "pubsub",
    "giop",
];

/// A faulty run with what was found out about it.
struct Checked {
    folder: Folder,
    context: String,
    /// The lines of the log.
    lines: Vec<Value>,
    results: Vec<Value>,
    text: String,
}

impl Checked {
    fn new(protocol: &str, seed: u64) -> Checked {
        let folder = Folder::new();
        let seed = seed.to_string();
        let line = [
            "gen", protocol, "--faulty", "--events", "200", "--seed", &seed,
        ];
        let files = ["-o", "run.jsonl", "--props", "run.props"];
        folder.run(&[&line[..], &files].concat()).ends(0);
        let ran = folder.run(&["check", "run.jsonl", "--props", "run.props", "--json"]);
        let results = ran.json()["results"].as_array().expect("results").clone();
        let text = folder
            .run(&["check", "run.jsonl", "--props", "run.props"])
            .stdout;
        let log = folder.read("run.jsonl");
        let lines = log
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"));
        Checked {
            context: format!("{protocol} {seed}"),
            lines: lines.collect(),
            results,
            text,
            folder,
        }
    }

    /// The events of the log in the order of its lines, as process and number.
    fn recorded(&self) -> Vec<Value> {
        let mut counts = std::collections::HashMap::new();
        let events = self
            .lines
            .iter()
            .filter(|line| line["p"].is_string() && line["end"].is_null());
        let numbered = events.map(|line| {
            let process = line["p"].as_str().expect("a process");
            let count = counts.entry(process).or_insert(0);
            *count += 1;
            json!([process, *count])
        });
        numbered.collect()
    }

    /// Whether the property holds once the first event comes before the second.
    fn holds_with(&self, name: &str, first: &Value, second: &Value) -> bool {
        let mut events = self.recorded().into_iter();
        let mut lines = self.lines.clone();
        for line in &mut lines {
            let is_event = line["p"].is_string() && line["end"].is_null();
            if is_event && events.next().as_ref() == Some(second) {
                line["after"] = json!([first]);
            }
        }
        let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
        self.folder.write("changed.jsonl", lines.join("\n"));
        let ran = self
            .folder
            .run(&["check", "changed.jsonl", "--props", "run.props", "--json"]);
        let results = ran.json()["results"].as_array().expect("results").clone();
        let found = results.iter().find(|result| result["name"] == name);
        found.expect("the property")["verdict"] == "holds"
    }
}

/// `b#2 (elected)` at the beginning of a text, as process and number.
fn event(text: &str) -> Value {
    let word = text.split(['\u{20}', ';']).next().expect("a word");
    let (process, number) = word.rsplit_once('#').expect("an event");
    json!([process, number.parse::<u32>().expect("a number")])
}

fn each(check: impl Fn(&Checked, &Value)) {
    let seeds = std::env::var("CAUSET_ROUNDS").ok();
    let seeds = seeds.and_then(|seeds| seeds.parse().ok()).unwrap_or(3);
    for protocol in PROTOCOLS {
        for seed in 1..=seeds {
            let checked = Checked::new(protocol, seed);
            let violated = checked
                .results
                .iter()
                .filter(|one| one["verdict"] == "violated");
            violated.for_each(|one| check(&checked, one));
        }
    }
}

#[test]
fn what_happened_is_shown_as_it_happened() {
    let shown = std::cell::Cell::new(0);
    each(|checked, result| {
        if result["witness"]["observed"] != true {
            return;
        }
        shown.set(shown.get() + 1);
        let listed = |name: &str| {
            result["witness"][name]
                .as_array()
                .cloned()
                .unwrap_or_default()
        };
        let run = [listed("run"), listed("then")].concat();
        assert_eq!(run, checked.recorded()[..run.len()], "{}", checked.context);
        let says = match checked.lines[0]["order"] == "observed" {
            true => "\n  This happened: line ",
            false => "\n  The log's own order shows it.",
        };
        assert!(checked.text.contains(says), "{}", checked.context);
    });
    assert!(shown.get() >= 89, "{} cases", shown.get());
}

#[test]
fn sentences_have_no_slips() {
    let said = std::cell::Cell::new(0);
    each(|checked, result| {
        if let Some(sentence) = result["sentence"].as_str() {
            assert_eq!(grammar::slip(sentence), None, "{}", checked.context);
            said.set(said.get() + 1);
        }
    });
    assert!(said.get() > 50, "{} sentences", said.get());
}

/// The events that a sentence names: `b#2` in "true with b#2 (elected)".
fn events_in(sentence: &str) -> Vec<String> {
    let words = sentence.split([' ', ';', ',', ':']);
    let is_event = |word: &&str| {
        let number = word.rsplit_once('#').map(|(_, number)| number);
        number.is_some_and(|number| number.parse::<u32>().is_ok())
    };
    words.filter(is_event).map(str::to_owned).collect()
}

#[test]
fn events_that_are_named_are_drawn_on_their_lanes() {
    let named = std::cell::Cell::new(0);
    let drawn = |text: &str, context: &str| {
        for block in text
            .split("\nviolated")
            .filter(|block| block.contains("In short: "))
        {
            let (_, block) = block.split_once("In short: ").expect("a sentence");
            let (sentence, drawing) = block.split_once("\n\n").expect("a drawing");
            for event in events_in(&sentence.replace('\n', " ")) {
                named.set(named.get() + 1);
                let is_row = |line: &&str| line.split(' ').any(|word| word == event);
                let row = drawing.lines().find(is_row);
                let row = row.unwrap_or_else(|| panic!("{context}: {event} in\n{text}"));
                assert!(row.contains(['●', '○']), "{context}: {row}");
            }
        }
    };
    for protocol in PROTOCOLS {
        drawn(&Checked::new(protocol, 1).text, protocol);
    }
    let folder = Folder::new();
    for protocol in ["ddph", "token-ring", "raft-election", "giop"] {
        let line = [
            "gen", protocol, "--faulty", "--events", "3000", "--procs", "60",
        ];
        let files = ["-o", "run.jsonl", "--props", "run.props"];
        folder.run(&[&line[..], &files].concat());
        drawn(
            &folder
                .run(&["check", "run.jsonl", "--props", "run.props"])
                .stdout,
            protocol,
        );
    }
    assert!(named.get() > 50, "{} events", named.get());
}

#[test]
fn pairs_that_are_named_make_the_difference_they_are_said_to_make() {
    let counts = std::cell::Cell::new([0; 3]);
    each(|checked, result| {
        let sentence = result["sentence"].as_str().unwrap_or_default();
        let name = result["name"].as_str().expect("a name");
        let mut all = counts.get();
        if let Some((_, named)) = sentence.split_once("; nothing orders ") {
            let (first, rest) = named.split_once(" before ").expect("a second event");
            let (first, second) = (event(first), event(rest));
            match rest.ends_with("with that order no order breaks the property") {
                true => {
                    let holds = checked.holds_with(name, &first, &second);
                    assert!(holds, "{}: {sentence}", checked.context);
                    all[0] += 1;
                }
                false => {
                    let cut = &result["witness"]["cut"];
                    let is_inside = |event: &Value| {
                        let process = event[0].as_str().expect("a process");
                        event[1].as_u64() <= cut[process].as_u64()
                    };
                    let is_between = is_inside(&second) && !is_inside(&first);
                    assert!(is_between, "{}: {sentence}", checked.context);
                    all[1] += 1;
                }
            }
        } else {
            all[2] += 1;
        }
        counts.set(all);
    });
    let [repaired, gone, none] = counts.get();
    println!("{repaired} pairs repair the run, {gone} remove the cut, {none} sentences name none");
    assert!(repaired > 0 && gone > 0);
}

/// A report without its line breaks.
fn said(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

const LOCK: &str = r#"{:process 0, :type :invoke, :f :acquire, :value nil}
{:process 0, :type :ok, :f :acquire, :value nil}
{:process 1, :type :invoke, :f :acquire, :value nil}
{:process 0, :type :invoke, :f :release, :value nil}
{:process 1, :type :ok, :f :acquire, :value nil}
{:process 0, :type :ok, :f :release, :value nil}
"#;

#[test]
fn a_violation_of_a_history_that_did_not_happen_may_be_a_false_alarm() {
    let folder = Folder::new();
    folder.write("lock.edn", LOCK);
    let held = |process: &str| format!(r#"({process}.type = "ok" && {process}.f = "acquire")"#);
    let exclusive = format!("AG !({} && {})", held("p0"), held("p1"));
    let ran = folder.run(&["check", "lock.edn", "--ctl", &exclusive]);
    let ran = ran.ends(1);
    assert!(said(&ran.stdout).contains("may be a false alarm about the system behind them"));
    let happened = folder.run(&["check", "lock.edn", "--ctl", r#"AG p0.f = "acquire""#]);
    assert!(!happened.ends(1).stdout.contains("false alarm"));
}

/// Two calls at one host, one after the other by its clock.
const CALLS: &str = r#"[
{"traceId":"1","id":"1","name":"first","timestamp":1000,"duration":10,"localEndpoint":{"serviceName":"shop","ipv4":"10.0.0.1"}},
{"traceId":"1","id":"2","name":"second","timestamp":2000,"duration":10,"localEndpoint":{"serviceName":"shop","ipv4":"10.0.0.1"}}
]"#;

#[test]
fn spans_of_one_host_name_the_clock_that_would_order_them() {
    let folder = Folder::new();
    folder.write("calls.json", CALLS);
    let both = "AG !(`shop/first`.active && `shop/second`.active)";
    let line = ["check", "calls.json", "--ctl", both];
    let text = said(&folder.run(&line).ends(1).stdout);
    let expected = "note: shop/first and shop/second ran on one host, 10.0.0.1, whose clock orders nothing here: \
                    --trust-local-clock lets it";
    assert!(text.contains(expected), "{text}");
    folder
        .run(&[&line[..], &["--trust-local-clock"]].concat())
        .ends(0);
}

#[test]
fn a_violation_says_for_how_many_choices_it_is_one() {
    let folder = Folder::new();
    let event = |name: &str, x: u32| format!(r#"{{"p":"{name}","set":{{"x":{x}}}}}"#);
    let log = [event("a", 1), event("b", 2), event("c", 9), event("d", 7)];
    folder.write("run.jsonl", log.join("\n"));
    let share = |formula: &str, status: i32| {
        let line = ["check", "run.jsonl", "--ctl", formula];
        said(&folder.run(&line).ends(status).stdout)
    };
    let text = share("forall i in procs: AG i.x < 5", 1);
    assert!(
        text.contains("note: violated for 2 of 4 choices of i"),
        "{text}"
    );
    let text = share("forall i, j in procs where i < j: AG i.x + j.x < 3", 1);
    assert!(
        text.contains("note: violated for 6 of 6 choices of i, j"),
        "{text}"
    );
    assert!(!share("forall i in procs: AG i.x < 9", 1).contains("choices"));
    let text = share("exists i in procs: EF i.x > 5", 0);
    assert!(
        text.contains("note: true for 2 of 4 choices of i"),
        "{text}"
    );
}

#[test]
fn what_nothing_has_written_is_said_to_be_unset() {
    let folder = Folder::new();
    let log = r#"{"p":"b","set":{"y":0}}
{"p":"b","set":{"y":5}}
{"p":"a","set":{"x":3}}
"#;
    folder.write("run.jsonl", log);
    let text = folder.run(&["check", "run.jsonl", "--ctl", "AG a.x >= b.y"]);
    let text = said(&text.ends(1).stdout);
    assert!(
        text.contains("the left side was unset, the right side 5"),
        "{text}"
    );
    assert!(text.contains("note: `a.x` is unset at this cut"), "{text}");
}

#[test]
fn sentences_use_the_names_of_definitions() {
    let folder = Folder::new();
    let log = r#"{"p":"a","set":{"x":7}}
{"p":"b","set":{"x":5}}
"#;
    folder.write("run.jsonl", log);
    let file = "let total = sum(i in procs: i.x)\nproperty small: ctl AG total < 10\n";
    folder.write("run.props", file);
    let text = folder.run(&["check", "run.jsonl", "--props", "run.props"]);
    let text = said(&text.ends(1).stdout);
    assert!(
        text.contains("`total < 10` became false (total was 12)"),
        "{text}"
    );
}

#[test]
fn shortened_names_of_processes_stay_different_and_odd_ones_are_quoted() {
    let folder = Folder::new();
    let (one, other) = (
        "checkout-service/GET-a/00000001",
        "checkout-service/GET-b/00000001",
    );
    let log = format!(
        "{{\"p\":\"{one}\",\"set\":{{\"x\":1}}}}\n{{\"p\":\"{other}\",\"set\":{{\"x\":1}}}}\n"
    );
    folder.write("run.jsonl", log);
    let formula = format!("AG !(`{one}`.x = 1 && `{other}`.x = 1)");
    let text = said(
        &folder
            .run(&["check", "run.jsonl", "--ctl", &formula])
            .ends(1)
            .stdout,
    );
    assert!(
        text.contains(&format!("`{other}`.x became 1 with {other}#1")),
        "{text}"
    );
    folder.write("odd.jsonl", "{\"p\":\"it is; over\",\"set\":{\"x\":1}}\n");
    let line = ["check", "odd.jsonl", "--ctl", "AG `it is; over`.x = 0"];
    let text = said(&folder.run(&line).ends(1).stdout);
    assert!(
        text.contains("`it is; over`.x became 1 with `it is; over`#1"),
        "{text}"
    );
}

#[test]
fn files_side_by_side_have_no_recorded_order() {
    let folder = Folder::new();
    folder.write(
        "a.jsonl",
        "{\"p\":\"a\",\"set\":{\"x\":1}}\n{\"p\":\"a\",\"set\":{\"x\":0}}\n",
    );
    folder.write("b.jsonl", "{\"p\":\"b\",\"set\":{\"x\":1}}\n");
    let line = [
        "check",
        "a.jsonl",
        "b.jsonl",
        "--ctl",
        "AG !(a.x = 1 && b.x = 1)",
    ];
    let text = folder.run(&line).ends(1).stdout;
    assert!(
        text.contains("The order in which the files were read does not show it."),
        "{text}"
    );
}
