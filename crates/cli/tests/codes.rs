//! What programs are told when a command cannot do its work: one JSON object with a stable code, and the place.

mod common;

use common::{Folder, Ran};
use serde_json::{Value, json};

/// The one error of a command that ended with status 2, which was also told in words.
#[track_caller]
fn refused(ran: Ran) -> Value {
    let ran = ran.ends(2);
    let object = ran.json();
    assert_eq!(object["schema"], 2, "{object}");
    let code = object["error"]["code"].as_str().expect("a code");
    assert!(ran.stderr.contains(&format!("error[{code}]: ")), "{ran:#?}");
    object["error"].clone()
}

#[test]
fn an_error_in_a_formula_has_its_place_in_the_argument() {
    let folder = Folder::election();
    let ran = folder.run(&["check", "t.jsonl", "--ctl", "AG a.leadr", "--json"]);
    let expected = json!({
        "code": "E0501", "message": "process `a` has no variable `leadr`",
        "file": "--ctl", "line": 1, "column": 4, "help": "did you mean `a.leader`?",
    });
    assert_eq!(refused(ran), expected);
}

#[test]
fn an_error_in_a_property_file_has_its_line() {
    let folder = Folder::election();
    folder.write("p.props", "# comment\nproperty one: ctl AG (a.leader\n");
    let error = refused(folder.run(&["check", "t.jsonl", "--props", "p.props", "--json"]));
    assert_eq!(error["code"], "E0406", "{error}");
    assert_eq!(error["file"], "p.props");
    assert_eq!((&error["line"], &error["column"]), (&json!(2), &json!(22)));
}

#[test]
fn an_error_in_a_trace_has_its_place() {
    let folder = Folder::new();
    folder.write("t.jsonl", "{\"p\":\"a\"}\n{\"p\":\"a\",\"recv\":\"m\"}\n");
    for command in ["check t.jsonl --ctl true --json", "info t.jsonl --json"] {
        let words: Vec<&str> = command.split(' ').collect();
        let error = refused(folder.run(&words));
        assert_eq!(error["code"], "E0123", "{error}");
        assert_eq!(
            (&error["file"], &error["line"]),
            (&json!("t.jsonl"), &json!(2))
        );
        assert_eq!(error["column"], 17, "{error}");
    }
}

#[test]
fn what_is_unknown_of_a_place_is_null() {
    let folder = Folder::new();
    let error = refused(folder.run(&["info", "none.jsonl", "--json"]));
    assert_eq!(error["code"], "E0904", "{error}");
    assert_eq!(
        (&error["file"], &error["line"]),
        (&Value::Null, &Value::Null)
    );
}

#[test]
fn a_wrong_command_line_is_an_error_too() {
    let folder = Folder::election();
    let error = refused(folder.run(&["check", "t.jsonl", "--jsn", "--json"]));
    assert_eq!(error["code"], "E0901", "{error}");
    assert_eq!(error["message"], "unexpected argument '--jsn' found");
    let ran = folder.run(&["check", "t.jsonl", "--jsn"]).ends(2);
    assert_eq!(ran.stdout, "");
}

#[test]
fn arguments_that_are_missing_are_named() {
    let folder = Folder::election();
    let error = refused(folder.run(&["check", "--json"]));
    let message = "the following required arguments were not provided: <TRACE>...";
    assert_eq!(error["message"], message);
}

#[test]
fn a_log_in_another_format_than_named_has_one_code() {
    let folder = Folder::election();
    for format in ["shiviz", "jepsen"] {
        let error = refused(folder.run(&["info", "t.jsonl", "--format", format, "--json"]));
        assert_eq!(error["code"], "E0202", "{error}");
    }
}

#[test]
fn several_errors_are_all_listed() {
    let folder = Folder::election();
    let ran = folder
        .run(&[
            "check", "t.jsonl", "--ctl", "AG x1", "--ctl", "AG x2", "--json",
        ])
        .ends(2);
    let object = ran.json();
    let errors = object["errors"].as_array().expect("a list");
    assert_eq!(errors.len(), 2, "{object}");
    assert_eq!(object["error"], errors[0]);
}

#[test]
fn a_text_that_is_never_closed_is_the_first_error() {
    let folder = Folder::election();
    folder.write(
        "p.props",
        "property one: ctl AG (a.x = \"b)\nproperty two: ctl AG (\n",
    );
    let codes = |arguments: &[&str]| {
        let ran = folder.run(&[&["check", "t.jsonl", "--json"], arguments].concat());
        let object = ran.ends(2).json();
        let errors = object["errors"].as_array().expect("a list").iter();
        let codes: Vec<Value> = errors.map(|error| error["code"].clone()).collect();
        assert_eq!(object["error"]["code"], codes[0]);
        codes
    };
    assert_eq!(codes(&["--ctl", "AG (a.x = \"b)"]), ["E0413", "E0406"]);
    assert_eq!(codes(&["--props", "p.props"]), ["E0413", "E0406", "E0402"]);
}

#[test]
fn what_fails_after_the_verdicts_is_the_error_of_the_report() {
    let folder = Folder::election();
    folder.write("m.aut", "des (0,1,2)\n(0,\"a\",1)\n");
    let misspelt = "G !on(\"panic\") || F on(\"elct\")";
    for (arguments, code) in [
        (
            &[
                "check",
                "t.jsonl",
                "--ctl",
                "EF a.leader",
                "--html",
                "no/r.html",
            ][..],
            "E0905",
        ),
        (
            &[
                "check",
                "t.jsonl",
                "--ctl",
                "EF a.leader",
                "--junit",
                "no/r.xml",
            ],
            "E0905",
        ),
        (
            &["check", "t.jsonl", "--ltl", misspelt, "--deny-warnings"],
            "E0912",
        ),
        (
            &[
                "lts", "check", "m.aut", "--mu", "<a> true", "--junit", "no/r.xml",
            ],
            "E0905",
        ),
        (
            &[
                "lts",
                "check",
                "m.aut",
                "--mu",
                "<a> true",
                "--diagnostic",
                "no/d.aut",
            ],
            "E0905",
        ),
    ] {
        let ran = folder.run(&[arguments, &["--json"]].concat()).ends(2);
        assert_eq!(ran.stderr.matches("error[").count(), 1, "{ran:#?}");
        let report = ran.json();
        assert_eq!(report["results"][0]["verdict"], "holds", "{report}");
        assert_eq!(report["error"]["code"], code, "{report}");
        assert!(
            ran.stdout.ends_with("}}\n"),
            "it is the last field: {report}"
        );
    }
}

#[test]
fn every_command_with_json_tells_its_errors_in_json() {
    let folder = Folder::election();
    for (command, file) in [
        ("check", "--ctl=true none.jsonl"),
        ("info", "none.jsonl"),
        ("lint", "none.jsonl"),
        ("slice", "-p a.leader -o s.json none.jsonl"),
        ("bes", "none.bes"),
        ("lts check", "--mu=true none.aut"),
        ("lts info", "none.aut"),
        ("lts compare", "none.aut none.aut"),
        ("lts ioco", "none.aut none.aut"),
        ("lts tests", "none.aut --cover --cases cases"),
        ("test run", "none.aut --adapter true"),
        ("test walk", "none.aut --adapter true"),
    ] {
        for (rest, code) in [(file, None), ("--no-such-flag", Some("E0901"))] {
            let line = format!("{command} {rest} --json");
            let words: Vec<&str> = line.split(' ').collect();
            let ran = folder.run(&words);
            let error = refused(ran);
            let found = error["code"].as_str();
            assert!(
                found.is_some() && (code.is_none() || found == code),
                "{line}: {error}"
            );
        }
    }
}

#[test]
fn a_report_that_was_printed_stays_the_only_object() {
    let folder = Folder::election();
    folder.write(
        "t.jsonl",
        "{\"p\":\"a\",\"set\":{\"x\":1}}\n{\"p\":\"b\",\"set\":{\"x\":1}}\n",
    );
    let ltl = "G !on(\"panic\") -> F on(\"panik\")";
    let ran = folder.run(&[
        "check",
        "t.jsonl",
        "--ltl",
        ltl,
        "--deny-warnings",
        "--json",
    ]);
    let report = ran.json();
    assert!(
        report["error"].is_null() && report["results"].is_array(),
        "{report}"
    );
}

#[test]
fn reports_name_their_form_and_the_codes_of_their_warnings() {
    let folder = Folder::election();
    let report = folder.run(&["check", "t.jsonl", "--ltl", "F on(\"elct\")", "--json"]);
    let report = report.json();
    assert_eq!(report["schema"], 2);
    let warning = &report["results"][0]["diagnostics"][0];
    assert_eq!(warning["code"], "E1005", "{report}");
    assert_eq!(warning["severity"], "warning");
    assert_eq!(
        (&warning["line"], &warning["column"]),
        (&json!(1), &json!(3))
    );
    assert_eq!(
        folder.run(&["info", "t.jsonl", "--json"]).json()["schema"],
        2
    );
    assert_eq!(
        folder.run(&["lint", "t.jsonl", "--json"]).json()["schema"],
        2
    );
    let slice = folder.run(&["slice", "t.jsonl", "-p", "a.leader"]).json();
    assert_eq!(slice["schema"], 2);
    folder.write("m.aut", "des (0,1,2)\n(0,\"a\",1)\n");
    let model = folder.run(&["lts", "info", "m.aut", "--json"]).json();
    assert_eq!(model["schema"], 2);
}

#[test]
fn an_error_in_a_model_has_its_place() {
    let folder = Folder::new();
    folder.write("m.aut", "des (0,1,2)\n(0,\"a\",\n");
    let error = refused(folder.run(&["lts", "check", "m.aut", "--mu", "<true> true", "--json"]));
    assert_eq!(error["code"], "E0703", "{error}");
    assert_eq!(
        (&error["file"], &error["line"]),
        (&json!("m.aut"), &json!(2))
    );
    folder.write("m.aut", "des (0,1,2)\n(0,\"a\",1)\n");
    let error = refused(folder.run(&["lts", "check", "m.aut", "--mu", "mu X. <a", "--json"]));
    assert_eq!(
        (&error["file"], &error["line"]),
        (&json!("--mu"), &json!(1))
    );
}
