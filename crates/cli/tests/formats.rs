//! What programs read: JSON, JUnit, the shape of `info`, the formats of `convert`.

mod common;

use common::Folder;
use serde_json::{Value, json};

/// The keys of an object, in no particular order.
fn keys(object: &Value) -> Vec<&str> {
    object
        .as_object()
        .expect("an object")
        .keys()
        .map(String::as_str)
        .collect()
}

#[test]
fn a_report_has_the_promised_shape() {
    let folder = Folder::election();
    let ran = folder.run(&[
        "check",
        "t.jsonl",
        "--json",
        "--ctl",
        "AG !(a.leader && b.leader)",
    ]);
    assert_eq!(ran.stdout.lines().count(), 1);
    let report = ran.ends(1).json();
    assert_eq!(report["causet"], env!("CARGO_PKG_VERSION"));
    let trace = json!({"path": "t.jsonl", "processes": 3, "events": 6, "messages": 2});
    assert_eq!(report["trace"], trace);
    assert!(report["seconds"]["read"].as_f64() <= report["seconds"]["total"].as_f64());
    assert!(report["peak_bytes"].as_u64() > Some(0));
    let result = &report["results"][0];
    let expected = [
        "certify_seconds",
        "engine",
        "formula",
        "kind",
        "name",
        "notes",
        "reason",
        "seconds",
        "sentence",
        "stats",
        "verdict",
        "witness",
    ];
    assert_eq!(keys(result), expected);
    assert_eq!(result["name"], "ctl-1");
    assert_eq!(result["kind"], "ctl");
    assert_eq!(result["formula"], "AG !(a.leader && b.leader)");
    assert_eq!(
        (&result["verdict"], &result["reason"]),
        (&json!("violated"), &Value::Null)
    );
    assert!(
        result["stats"]
            .as_object()
            .is_some_and(|stats| stats.values().all(Value::is_number))
    );
    let witness = json!({
        "cut": {"a": 1, "b": 2, "c": 0},
        "run": [["a", 1], ["b", 1], ["b", 2]],
        "observed": false,
        "then": [],
        "instance": null,
        "events": [
            {"event": ["a", 1], "label": "elect", "line": 2, "values": {"leader": true}},
            {"event": ["b", 1], "label": "vote", "line": 5, "values": {}},
            {"event": ["b", 2], "label": "elect", "line": 6, "values": {"leader": true, "term": 2}},
        ],
    });
    assert_eq!(result["witness"], witness);
    let sentence = result["sentence"].as_str().expect("a sentence");
    assert!(sentence.contains("a.leader was still true"), "{sentence}");
}

#[test]
fn a_long_order_is_told_by_what_moved() {
    let folder = Folder::new();
    let generate = ["gen", "token-ring", "--procs", "4", "--events", "12000"];
    folder
        .run(&[&generate[..], &["-o", "t.jsonl"]].concat())
        .ends(0);
    let asked = [
        "check",
        "t.jsonl",
        "--json",
        "--ctl",
        "AF (p0.crit && p1.crit)",
    ];
    let short = folder.run(&asked).ends(1);
    assert!(short.stdout.len() < 2000, "{}", short.stdout);
    let short = &short.json()["results"][0];
    let witness = &short["witness"];
    assert_eq!(
        (&witness["run"], &witness["moved"]),
        (&Value::Null, &json!([]))
    );
    assert!(witness.get("events").is_none() && short["sentence"].is_string());
    let full = [&asked[..], &["--witness", "full"]].concat();
    let full = folder.run(&full).ends(1).json();
    let witness = &full["results"][0]["witness"];
    assert_eq!(witness["run"].as_array().map(Vec::len), Some(12000));
    assert!(witness.get("moved").is_none());
    let text = ["check", "t.jsonl", "--ctl", "true", "--witness", "full"];
    folder.run(&text).ends(2).complains("--json");
}

#[test]
fn a_whole_run_is_a_witness_without_a_cut() {
    let folder = Folder::election();
    let formula = ["--definitely", "a.leader && c.x = 1"];
    let report = folder
        .run(&[&["check", "t.jsonl", "--json"], &formula[..]].concat())
        .ends(1)
        .json();
    let witness = &report["results"][0]["witness"];
    assert_eq!(witness["cut"], Value::Null);
    assert_eq!(witness["run"].as_array().map(Vec::len), Some(6));
    assert_eq!(witness["observed"], false);
}

#[test]
fn a_quantified_property_names_its_instance() {
    let folder = Folder::election();
    let formula = "forall i, j in procs where i != j: AG !(i.leader && j.leader)";
    let report = folder
        .run(&["check", "t.jsonl", "--json", "--ctl", formula])
        .ends(1)
        .json();
    assert_eq!(report["results"][0]["witness"]["instance"], "i = a, j = b");
}

#[test]
fn results_stand_in_the_order_of_the_command_line() {
    let folder = Folder::election();
    folder.write(
        "p.props",
        "property up: ctl EF a.leader\nproperty down: ctl EF !a.leader\n",
    );
    let report = folder
        .run(&[
            "check",
            "t.jsonl",
            "--json",
            "--possibly",
            "b.leader",
            "--ctl",
            "EF c.x = 1",
            "--props",
            "p.props",
            "--possibly",
            "a.leader",
            "--definitely",
            "done(a)",
        ])
        .ends(0)
        .json();
    let results = report["results"].as_array().expect("a list");
    let names: Vec<&str> = results
        .iter()
        .filter_map(|result| result["name"].as_str())
        .collect();
    assert_eq!(
        names,
        [
            "possibly-1",
            "ctl-2",
            "up",
            "down",
            "possibly-5",
            "definitely-6"
        ]
    );
}

#[test]
fn junit_has_a_case_per_property() {
    let folder = Folder::election();
    let formulas = [
        "--ctl",
        "AG !(a.leader && b.leader)",
        "--ctl",
        "AG c.x >= 0",
    ];
    folder
        .run(&[&["check", "t.jsonl", "--junit", "out.xml"], &formulas[..]].concat())
        .ends(1);
    let xml = folder.read("out.xml");
    assert!(xml.starts_with("<?xml"), "{xml}");
    assert!(
        xml.contains("tests=\"2\"") && xml.contains("failures=\"1\""),
        "{xml}"
    );
    assert!(
        xml.contains("<testcase name=\"ctl-1\"") && xml.contains("<testcase name=\"ctl-2\""),
        "{xml}"
    );
    assert!(xml.contains("AG !(a.leader &amp;&amp; b.leader)"), "{xml}");
    assert!(
        xml.contains("recorded as #4") && !xml.contains('\u{1b}'),
        "{xml}"
    );
    assert_eq!(xml.matches('<').count(), xml.matches('>').count(), "{xml}");
    let left: Vec<_> = std::fs::read_dir(folder.path())
        .expect("a folder")
        .flatten()
        .collect();
    assert_eq!(left.len(), 2, "no temporary file is left: {left:?}");
    folder
        .run(&[
            "check",
            "t.jsonl",
            "--junit",
            "no/such/out.xml",
            "--ctl",
            "AG true",
        ])
        .ends(2);
}

#[test]
fn junit_holds_only_what_xml_can_hold() {
    let folder = Folder::election();
    let formula = "AG !(a.leader && \"]]>\u{1}\u{ffff}\" != \"<\")";
    folder
        .run(&["check", "t.jsonl", "--junit", "out.xml", "--ctl", formula])
        .ends(1);
    let xml = folder.read("out.xml");
    assert!(!xml.contains(['\u{1}', '\u{ffff}']), "{xml}");
    assert!(
        xml.contains("]]&gt;\\u{1}\\u{ffff}&quot; != &quot;&lt;&quot;"),
        "{xml}"
    );
}

#[test]
fn the_words_of_a_junit_report_are_the_same_each_time() {
    let folder = Folder::election();
    let property = ["--ctl", "AG !(a.leader && b.leader)", "--explain"];
    let shown = folder
        .run(&[&["check", "t.jsonl", "--junit", "out.xml"], &property[..]].concat())
        .ends(1)
        .stdout;
    assert!(shown.contains("\n  time     "), "{shown}");
    let xml = folder.read("out.xml");
    assert!(
        xml.contains("\n  plan     ") && !xml.contains("\n  time"),
        "{xml}"
    );
}

/// The message of the only failure or error in a JUnit file, without its escapes.
fn junit_message(xml: &str) -> String {
    let (_, rest) = xml.split_once(" message=\"").expect("a message");
    let (message, _) = rest.split_once('"').expect("its end");
    let unescaped = message.replace("&quot;", "\"").replace("&lt;", "<");
    unescaped.replace("&gt;", ">").replace("&amp;", "&")
}

/// The message of the only result in a SARIF file.
fn sarif_message(text: &str) -> String {
    let log: Value = serde_json::from_str(text).expect("JSON");
    let message = &log["runs"][0]["results"][0]["message"]["text"];
    message.as_str().expect("a message").to_owned()
}

#[test]
fn the_messages_of_junit_and_sarif_have_the_sentence_of_the_report() {
    let folder = Folder::election();
    folder.write(
        "holes.jsonl",
        "{\"p\":\"a\"}\n{\"p\":\"b\",\"recv\":\"m\"}\n{\"p\":\"b\"}\n",
    );
    let mutex = "AG !(a.leader && b.leader)";
    let sentence = "In short: a.leader was still true when b.leader became true with b#2 (elect); nothing orders \
                    a#2 (resign) before b#2; with that order no order breaks the property";
    let observed = "The recorded order does not show it; another order of the same run does";
    let memory = "The memory limit was reached while the trace was being read: raise --memory";
    let holes = "Events are missing from the log, and could change the answer; among the events that were logged \
                 it holds. For a verdict, check a log that has them";
    let possibly = "steps(a) = 0 && steps(b) = 2";
    let exists = "exists i in procs: AF steps(i) < 0";
    let about_all = "No single order shows this: it is about all of them together";
    for (status, arguments, junit, sarif) in [
        (
            1,
            &["t.jsonl", "--ctl", mutex][..],
            format!("violated: {mutex}. {sentence}"),
            format!("ctl-1 is violated: ctl {mutex}. {sentence}. {observed}"),
        ),
        (
            3,
            &["t.jsonl", "--ctl", mutex, "--memory", "1M"],
            format!("unknown: memory. {memory}"),
            format!("ctl-1 is unknown: memory. {memory}"),
        ),
        (
            3,
            &["holes.jsonl", "--lenient", "--possibly", possibly],
            format!("unknown: holes. {holes}"),
            format!("possibly-1 is unknown: holes. {holes}"),
        ),
        (
            1,
            &["t.jsonl", "--ctl", exists],
            format!("violated: {exists}. {about_all}"),
            format!("ctl-1 is violated: ctl {exists}. {about_all}"),
        ),
    ] {
        let files = ["-q", "--junit", "out.xml", "--sarif", "out.sarif"];
        folder
            .run(&[&["check"], arguments, &files[..]].concat())
            .ends(status);
        assert_eq!(junit_message(&folder.read("out.xml")), junit);
        assert_eq!(sarif_message(&folder.read("out.sarif")), sarif);
    }
}

#[test]
fn the_message_of_a_model_has_the_sentence_of_the_report() {
    let folder = Folder::new();
    folder.write("m.aut", "des (0,2,3)\n(0,\"coin\",1)\n(1,\"tea\",2)\n");
    let formula = "[true*] <true> true";
    let check = [
        "lts", "check", "m.aut", "--mu", formula, "--json", "--junit", "out.xml",
    ];
    let report = folder.run(&check).ends(1).json();
    let sentence = "Nothing can happen after these steps. They decide: the formula is broken";
    assert_eq!(report["results"][0]["sentence"], sentence);
    let message = junit_message(&folder.read("out.xml"));
    assert_eq!(message, format!("violated: {formula}. {sentence}"));
}

#[test]
fn the_events_of_a_run_in_parts_name_their_files() {
    let folder = Folder::new();
    folder.write(
        "d/a.jsonl",
        "{\"p\":\"a\",\"ev\":\"go\",\"set\":{\"x\":1.5}}\n",
    );
    folder.write(
        "d/b.jsonl",
        "\n{\"p\":\"b\",\"set\":{\"on\":true,\"why\":\"so\"}}\n",
    );
    let report = folder.run(&["check", "d", "--possibly", "final", "--json"]);
    let mut events = report.ends(0).json()["results"][0]["witness"]["events"].take();
    events
        .as_array_mut()
        .expect("a list")
        .sort_by_key(|event| event["line"].as_u64());
    let expected = json!([
        {"event": ["a", 1], "label": "go", "file": "d/a.jsonl", "line": 1, "values": {"x": 1.5}},
        {"event": ["b", 1], "label": null, "file": "d/b.jsonl", "line": 2, "values": {"on": true, "why": "so"}},
    ]);
    assert_eq!(events, expected);
}

#[test]
fn info_has_the_promised_shape() {
    let folder = Folder::election();
    let facts = folder.run(&["info", "t.jsonl", "--json"]).ends(0).json();
    assert_eq!(facts["processes"], json!(["a", "b", "c"]));
    assert_eq!(
        (&facts["events"], &facts["messages"]),
        (&json!(6), &json!(2))
    );
    assert_eq!((&facts["cuts"], &facts["width"]), (&json!("18"), &json!(3)));
    assert_eq!(
        (&facts["runs"], &facts["longest_chain"]),
        (&json!("24"), &json!(4))
    );
    assert_eq!(facts["races"], json!([]));
    let text = folder.run(&["info", "t.jsonl"]).ends(0).stdout;
    assert!(
        text.contains("2 sent, 1 received, 1 still in transit"),
        "{text}"
    );
}

#[test]
fn info_names_both_lines_of_a_race() {
    let folder = Folder::new();
    let log = "{\"causet\":1,\"shared\":[\"turn\"]}\n{\"p\":\"a\",\"set\":{\"turn\":1}}\n{\"p\":\"b\",\"set\":{\"turn\":2}}\n";
    folder.write("race.jsonl", log);
    let facts = folder.run(&["info", "race.jsonl", "--json"]).ends(0).json();
    let race = &facts["races"][0];
    assert_eq!(race["variable"], "turn");
    assert_eq!(
        (
            &race["first"]["process"],
            &race["first"]["number"],
            &race["first"]["line"]
        ),
        (&json!("a"), &json!(1), &json!(2))
    );
    assert_eq!(
        (&race["second"]["process"], &race["second"]["line"]),
        (&json!("b"), &json!(3))
    );
    let text = folder.run(&["info", "race.jsonl"]).ends(0).stdout;
    assert!(
        text.contains("race.jsonl:2") && text.contains("race.jsonl:3"),
        "{text}"
    );
    folder
        .run(&["check", "race.jsonl", "--ctl", "AG turn < 3"])
        .ends(2)
        .complains("race.jsonl:2")
        .complains("race.jsonl:3");
}

/// A log of processes that never meet, each with as many events.
fn grid(processes: usize, events: usize) -> String {
    let event = |number: usize| format!("{{\"p\":\"p{}\"}}\n", number % processes);
    (0..processes * events).map(event).collect()
}

#[test]
fn info_counts_far_more_cuts_than_can_be_visited() {
    let folder = Folder::new();
    folder.write("grid.jsonl", grid(6, 60));
    let facts = folder.run(&["info", "grid.jsonl", "--json"]).ends(0).json();
    assert_eq!(facts["cuts"], 61_u64.pow(6).to_string());
    assert_eq!(facts["runs"], Value::Null);
    assert_eq!(facts["longest_chain"], 60);
    let text = folder.run(&["info", "grid.jsonl"]).ends(0).stdout;
    assert!(text.contains("more than 200000 cuts"), "{text}");
    folder.write("wide.jsonl", grid(90, 99));
    let facts = folder.run(&["info", "wide.jsonl", "--json"]).ends(0).json();
    assert_eq!(facts["cuts"], format!("1{}", "0".repeat(180)));
    let text = folder.run(&["info", "wide.jsonl"]).ends(0).stdout;
    assert!(text.contains("about 1.0e180 "), "{text}");
}

#[test]
fn info_counts_the_real_runs() {
    let folder = Folder::new();
    let real = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/real");
    for (name, cuts) in [("ewd998", "27650"), ("reliable-broadcast", "21222")] {
        let path = format!("{real}/{name}.jsonl");
        let facts = folder.run(&["info", &path, "--json"]).ends(0).json();
        assert_eq!(facts["cuts"], cuts, "{name}");
        assert!(facts["runs"].is_string(), "{name}");
    }
}

#[test]
fn info_admits_that_it_could_not_count() {
    let folder = Folder::new();
    // Everybody talks to everybody: nothing is shared between the cuts.
    let line = "gen ricart-agrawala --procs 20 --events 1000 -o run.jsonl";
    folder.run(&line.split(' ').collect::<Vec<_>>()).ends(0);
    for (limit, more) in [
        ("--timeout", &["100ms"][..]),
        ("--memory", &["40M", "--timeout", "1m"]),
    ] {
        let line = [&["info", "run.jsonl", limit], more].concat();
        let facts = folder.run(&[&line[..], &["--json"]].concat());
        let facts = facts.ends(0).json();
        for figure in ["cuts", "runs"] {
            assert_eq!(facts[figure], Value::Null, "{figure}");
        }
        for (figure, value) in [("events", 1000), ("width", 20)] {
            assert_eq!(facts[figure], value, "{figure}");
        }
        let text = folder
            .run(&[&line[..], &["--cuts"]].concat())
            .ends(0)
            .stdout;
        assert!(text.contains("more than could be counted"), "{text}");
        assert!(text.contains(&format!("raise {limit}")), "{text}");
    }
}

/// A trace of OpenTelemetry with a root, and below every span but the last ones three others.
fn span_tree(spans: usize) -> String {
    let span = |number: usize| {
        let parent = match number {
            1 => String::new(),
            _ => format!("\"parentSpanId\":\"{:016x}\",", (number + 1) / 3),
        };
        let (start, end) = (1_700_000_000_000 + number, 1_700_000_100_000 - number);
        format!(
            "{{\"traceId\":\"{:032x}\",\"spanId\":\"{number:016x}\",{parent}\"name\":\"op\",\"kind\":1,\
             \"startTimeUnixNano\":\"{start}000000\",\"endTimeUnixNano\":\"{end}000000\"}}",
            1
        )
    };
    let spans: Vec<String> = (1..=spans).map(span).collect();
    format!(
        "{{\"resourceSpans\":[{{\"resource\":{{\"attributes\":[]}},\"scopeSpans\":[{{\"spans\":[{}]}}]}}]}}",
        spans.join(",")
    )
}

#[test]
fn info_counts_the_cuts_of_a_thousand_spans() {
    let folder = Folder::new();
    folder.write("spans.json", span_tree(1041));
    let line = ["info", "spans.json", "--json", "--timeout", "2m"];
    let facts = folder.run(&line).ends(0).json();
    let cuts = facts["cuts"].as_str().expect("a number");
    assert!(cuts.len() > 100, "{cuts}");
}

#[test]
fn info_estimates_what_takes_long_to_count() {
    let folder = Folder::new();
    let line = "gen ricart-agrawala --procs 20 --events 2500 -o run.jsonl";
    folder.run(&line.split(' ').collect::<Vec<_>>()).ends(0);
    let text = folder.run(&["info", "run.jsonl"]).ends(0).stdout;
    let cuts = text.lines().find(|line| line.starts_with("cuts"));
    let cuts = cuts.expect("a line about cuts");
    assert!(
        cuts.contains("estimated; --cuts counts them exactly"),
        "{cuts}"
    );
}

#[test]
fn the_limits_of_info_are_for_reading_too() {
    let folder = Folder::new();
    let line = |number: u32| format!("{{\"p\":\"a\",\"set\":{{\"x\":{number}}}}}\n");
    folder.write("run.jsonl", (0..100_000).map(line).collect::<String>());
    for (flag, value, reason) in [
        ("--timeout", "1ms", "timeout"),
        ("--memory", "1M", "memory"),
    ] {
        let ran = folder.run(&["info", "run.jsonl", "--json", flag, value]);
        let ran = ran.ends(3);
        assert_eq!(ran.json()["events"], serde_json::Value::Null);
        ran.complains(&format!("reading was stopped: {reason}"));
    }
}

#[test]
fn a_run_survives_its_own_format() {
    let folder = Folder::election();
    folder
        .run(&["convert", "t.jsonl", "--to", "jsonl", "-o", "u.jsonl"])
        .ends(0);
    let facts = |name: &str| folder.run(&["info", name, "--json"]).ends(0).json();
    assert_eq!(facts("t.jsonl"), facts("u.jsonl"));
    let printed = folder
        .run(&["convert", "t.jsonl", "--to", "jsonl"])
        .ends(0)
        .stdout;
    assert_eq!(printed, folder.read("u.jsonl"));
}

#[test]
fn convert_writes_what_it_can_and_refuses_the_rest() {
    let folder = Folder::election();
    for (format, word) in [
        ("dot", "digraph"),
        ("mermaid", "sequenceDiagram"),
        ("plantuml", "@startuml"),
        ("chrome", "\"traceEvents\""),
        ("itf", "\"states\""),
        ("bin", "causet\u{1a}"),
        ("shiviz", "\"a\":1"),
        ("promela", "active proctype"),
        ("smv", "MODULE main"),
    ] {
        let written = folder
            .run(&["convert", "t.jsonl", "--to", format])
            .ends(0)
            .stdout;
        assert!(written.contains(word), "{format}: {written}");
    }
    folder.run(&["convert", "t.jsonl", "--to", "morse"]).ends(2);
}

#[test]
fn shells_and_manuals_are_served() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish"] {
        assert!(
            folder
                .run(&["completions", shell])
                .ends(0)
                .stdout
                .contains("causet")
        );
    }
    assert!(folder.run(&["man"]).ends(0).stdout.contains(".TH"));
    assert!(
        folder
            .run(&["man", "check"])
            .ends(0)
            .stdout
            .contains("timeout")
    );
    folder.run(&["man", "nothing"]).ends(2);
}

#[test]
fn models_refuse_what_they_cannot_say_exactly() {
    let folder = Folder::election();
    let convert = |format: &str, flag: &str, formula: &str| {
        folder.run(&["convert", "t.jsonl", "--to", format, flag, formula])
    };
    for (flag, formula, complaint) in [
        ("--ctl", "AG (b.term / 2 < 3)", "`/` is exact here"),
        ("--possibly", "b.term % 2 = 1", "`%` is exact here"),
        ("--ctl", "AG (b.term * 2000000000 < 1)", "fit in 32 bits"),
        ("--ctl", "AG (b.term < 3000000000)", "numbers of 32 bits"),
        ("--ctl", "AG (b.trm < 3)", "b.trm"),
    ] {
        for format in ["promela", "smv"] {
            convert(format, flag, formula).ends(2).complains(complaint);
        }
    }
    for formula in [
        "AG EF final",
        "EX true",
        "AG initial && AF final",
        "b.term = 0",
    ] {
        convert("promela", "--ctl", formula)
            .ends(2)
            .complains("one order at a time");
        let model = convert("smv", "--ctl", formula).ends(0).stdout;
        assert!(model.contains("CTLSPEC"), "{model}");
    }
    convert("dot", "--ctl", "AG true")
        .ends(2)
        .complains("no property");
    let two = ["--ctl", "AG true", "--possibly", "final"];
    folder
        .run(&[&["convert", "t.jsonl", "--to", "promela"], &two[..]].concat())
        .ends(2)
        .complains("one property");
}

#[test]
fn equality_with_a_value_beyond_the_model_is_decided_and_not_refused() {
    let folder = Folder::election();
    let far = "AG (b.term != 3000000000)";
    let model = folder
        .run(&["convert", "t.jsonl", "--to", "promela", "--ctl", far])
        .ends(0)
        .stdout;
    assert!(model.contains(":: (false) -> break"), "{model}");
}

/// The first part of a sample, and whatever it takes to read it.
fn cut_sample(folder: &Folder, name: &str, of_hundred: usize) -> Vec<String> {
    let samples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/logs");
    let bytes = std::fs::read(format!("{samples}/{name}")).expect("a sample");
    folder.write(name, &bytes[..bytes.len() * of_hundred / 100]);
    let mut arguments = vec!["check".to_owned(), name.to_owned()];
    arguments.extend(["--ctl".to_owned(), "AG true".to_owned()]);
    if name.starts_with("mapped") {
        let mapping = format!("{samples}/mapped-bank.toml");
        arguments.extend(["--mapping".to_owned(), mapping]);
    }
    arguments
}

#[test]
fn a_log_of_any_format_that_is_cut_off_is_told_of_lenient() {
    let folder = Folder::new();
    let samples = [
        ("ccf-consensus-election.ndjson", 55),
        ("ccf-consensus-replicate.ndjson", 55),
        ("jaeger-shop.json", 55),
        ("jaeger-shop.json", 96),
        ("jepsen-register.edn", 83),
        ("jepsen-register.json", 83),
        ("jepsen-register.jsonl", 83),
        ("mapped-bank.ndjson", 83),
        ("otlp-collector.jsonl", 83),
        ("otlp-tempo.json", 55),
        ("otlp-threads.json", 83),
        ("p-client-server.trace.json", 55),
        ("porcupine-kv.txt", 83),
        ("shiviz-reliable-broadcast.log", 83),
        ("tracechecker-echo.ndjson", 83),
        ("xtrace-job.json", 55),
        ("xtrace-pipeline.json", 83),
        ("zipkin-messaging-kafka.json", 55),
        ("zipkin-yelp.json", 83),
    ];
    for (name, of_hundred) in samples {
        let arguments = cut_sample(&folder, name, of_hundred);
        let mut arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        folder.run(&arguments).ends(2).complains("--lenient reads");
        arguments.push("--lenient");
        folder
            .run(&arguments)
            .ends(0)
            .complains("is cut off and was left out");
    }
    // A mistake before the end is no truncation.
    let second = "{\"process\":0,\"type\":\"invoke\",\"f\":\"read\"}";
    folder.write("h.json", format!("[{second},{{\"process\":1}},{second}]"));
    folder
        .run(&["check", "h.json", "--ctl", "AG true", "--lenient"])
        .ends(2)
        .complains("this operation has no type");
}

#[test]
fn lines_that_a_regex_passes_over_are_counted() {
    let folder = Folder::new();
    folder.write(
        "t.log",
        "starting up\n1 a {\"a\":1} go\n2 b {\"b\":1} go\n\nlost it\n3 a {\"a\":2} stop\n4 b {\"b\":2 st",
    );
    let regex = r"(?<n>\d+) (?<host>\S+) (?<clock>\{.*\}) (?<event>.*)";
    let check = ["check", "t.log", "--regex", regex, "--ctl", "AG true"];
    let ran = folder.run(&check).ends(0);
    assert_eq!(ran.stderr.matches("warning[").count(), 1, "{}", ran.stderr);
    ran.complains("t.log:1: 3 lines fit no record and were left out, the first: starting up");
    folder.write(
        "t.log",
        "1 a {\"a\":1} go\n=== next ===\n2 b {\"b\":1} go\n",
    );
    let delimited = [
        &check[..],
        &["--delimiter", "^=== .* ===$", "--execution", "1"],
    ]
    .concat();
    let ran = folder.run(&delimited).ends(0);
    assert!(!ran.stderr.contains("warning["), "{}", ran.stderr);
}

#[test]
fn a_format_that_a_file_is_not_in_is_said_to_be_the_wrong_one() {
    let folder = Folder::election();
    folder.write("app.jsonl", "{\"node\":\"a\",\"event\":\"x\"}\n".repeat(2));
    let wrong = [
        "jaeger",
        "zipkin",
        "xtrace",
        "p-checker",
        "tracing",
        "ewd998",
    ];
    for format in wrong.into_iter().chain(["jepsen", "rapid", "spin", "bin"]) {
        let check = |log| folder.run(&["check", log, "--format", format, "--ctl", "AG true"]);
        let ran = check("t.jsonl")
            .ends(2)
            .complains(&format!("t.jsonl is not `{format}`"))
            .complains("this looks like `native`, Causet JSON lines")
            .complains("leave --format out");
        for words in ["invalid type", "missing field", "trailing characters"] {
            assert!(!ran.stderr.contains(words), "{}", ran.stderr);
        }
        let ran = check("app.jsonl").ends(2);
        if format != "bin" {
            ran.complains(&format!("app.jsonl is not `{format}`"));
        }
    }
    folder
        .run(&[
            "check",
            "app.jsonl",
            "--format",
            "native",
            "--ctl",
            "AG true",
        ])
        .ends(2)
        .complains("unknown field `node`");
}
