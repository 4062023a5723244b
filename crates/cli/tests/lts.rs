//! The commands about transition systems: verdicts, statuses, diagnostics, formats, mistakes, limits.

mod common;

use std::time::{Duration, Instant};

use common::{Folder, Ran};
use serde_json::{Value, json};

/// A vending machine that may keep the coin: 0 -coin-> 1, 1 -coffee-> 0, 1 -i-> 2 and nothing more.
const MACHINE: &str = "des (0,4,3)\n(0,\"coin\",1)\n(1,\"coffee\",0)\n(1,i,2)\n(1,\"tea\",0)\n";
const NO_DEADLOCK: &str = "[true*] <true> true";

fn machine() -> Folder {
    let folder = Folder::new();
    folder.write("m.aut", MACHINE);
    folder
}

/// The first result of a check of the machine, as JSON.
fn result(folder: &Folder, status: i32, arguments: &[&str]) -> Value {
    let ran = folder.run(&[&["lts", "check", "m.aut", "--json"], arguments].concat());
    ran.ends(status).json()["results"][0].clone()
}

fn generate(folder: &Folder, arguments: &[&str]) -> Ran {
    folder.run(&[&["lts", "gen"], arguments].concat()).ends(0)
}

#[test]
fn a_report_has_the_promised_shape() {
    let folder = machine();
    let ran = folder.run(&["lts", "check", "m.aut", "--json", "--mu", NO_DEADLOCK]);
    let report = ran.ends(1).json();
    let model = json!({"path": "m.aut", "states": 3, "transitions": 4, "labels": 4});
    assert_eq!(report["model"], model);
    assert_eq!(report.get("trace"), None);
    assert!(report["seconds"]["read"].as_f64() <= report["seconds"]["total"].as_f64());
    assert!(report["peak_bytes"].as_u64() > Some(0));
    let result = &report["results"][0];
    for (key, value) in [
        ("name", json!("mu-1")),
        ("kind", json!("mu")),
        ("formula", json!(NO_DEADLOCK)),
        ("verdict", json!("violated")),
        ("engine", json!("bes")),
        ("reason", Value::Null),
    ] {
        assert_eq!(result[key], value, "{key}");
    }
    let witness = json!({
        "kind": "path",
        "states": [0, 1, 2],
        "steps": [[0, "coin", 1], [1, "i", 2]],
        "left_out": 0,
        "rows": [],
    });
    assert_eq!(result["witness"], witness);
    assert!(result["stats"]["variables"].as_u64() > Some(0));
}

#[test]
fn a_path_is_printed_state_by_state() {
    let ran = machine().run(&["lts", "check", "m.aut", "--mu", NO_DEADLOCK]);
    let expected = "\
violated  mu-1  mu [true*] <true> true

  Counterexample, a path of 2 steps from the initial state:

    0  coin
    1  i
    2  (no step leaves this state)

  Nothing can happen after these steps. They decide: the formula is broken.

1 property: 1 violated, 0 hold, 0 unknown   (3 states, 4 transitions)
";
    assert_eq!(ran.ends(1).stdout, expected);
}

#[test]
fn lassos_and_trees_are_drawn() {
    let folder = machine();
    let ran = folder.run(&["lts", "check", "m.aut", "--mu", "@(coin . coffee)"]);
    let ran = ran.ends(0);
    assert!(
        ran.stdout.contains("Example, a lasso of 2 steps"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("    0  (again)\n"), "{}", ran.stdout);
    let tree = "<coin> (<tau> true and <tea> true)";
    folder.write("t.aut", "des (0,3,4)\n(0,coin,1)\n(1,i,2)\n(1,tea,3)\n");
    let ran = folder.run(&["lts", "check", "t.aut", "--mu", tree]).ends(0);
    let drawing = "    0\n    └─ coin ─> 1\n       ├─ i ─> 2\n       └─ tea ─> 3\n";
    assert!(ran.stdout.contains(drawing), "{}", ran.stdout);
}

#[test]
fn long_paths_are_shown_at_both_ends() {
    let folder = Folder::new();
    let steps: String = (0..100).map(|n| format!("({n},a,{})\n", n + 1)).collect();
    folder.write("long.aut", format!("des (0,100,101)\n{steps}"));
    let ran = folder.run(&["lts", "check", "long.aut", "--mu", NO_DEADLOCK]);
    let ran = ran.ends(1);
    assert_eq!(ran.stdout.matches("  a\n").count(), 40);
    assert!(ran.stdout.contains("(60 more steps)"), "{}", ran.stdout);
    assert!(
        ran.stdout.contains("     99  a\n    100  (no step"),
        "{}",
        ran.stdout
    );
}

#[test]
fn every_strategy_gives_the_same_verdict() {
    let folder = Folder::new();
    generate(&folder, &["bitalt", "--set", "n=1", "-o", "b.aut"]);
    for (formula, status) in [
        (NO_DEADLOCK, 0),
        ("[true*] not @(tau)", 1),
        (
            "[true* . \"put(0)\"] mu X. <true> true and [not \"get(0)\"] X",
            1,
        ),
        ("<true* . \"get(0)\"> true", 0),
    ] {
        for strategy in ["auto", "lean", "dfs", "bfs", "global"] {
            let asked = [
                "lts",
                "check",
                "b.aut",
                "--strategy",
                strategy,
                "--mu",
                formula,
            ];
            folder.run(&asked).ends(status);
        }
    }
}

#[test]
fn the_status_is_that_of_all_properties() {
    let folder = machine();
    folder.write(
        "p.props",
        "property pays: mu <coin> true\nproperty live: mu [true*] <true> true\n",
    );
    let ran = folder.run(&["lts", "check", "m.aut", "--props", "p.props", "--json"]);
    let report = ran.ends(1).json();
    let verdict = |number: usize| report["results"][number]["verdict"].clone();
    assert_eq!(
        (verdict(0), verdict(1)),
        (json!("holds"), json!("violated"))
    );
    assert_eq!(report["results"][1]["name"], "live");
    let quiet = folder.run(&["lts", "check", "m.aut", "--mu", "<coin> true", "--quiet"]);
    assert_eq!(quiet.ends(0).stdout, "");
}

#[test]
fn macros_are_found_beside_the_properties() {
    let folder = machine();
    folder.write("sub/mine.mcl", "macro PAYS(A) = <A> true end_macro\n");
    folder.write(
        "sub/p.props",
        "property pays: mu library mine.mcl end_library PAYS(coin)\n",
    );
    folder
        .run(&["lts", "check", "m.aut", "--props", "sub/p.props"])
        .ends(0);
    folder
        .run(&[
            "lts",
            "check",
            "m.aut",
            "--mu",
            "library mine.mcl end_library PAYS(coin)",
        ])
        .ends(2);
}

#[test]
fn mistakes_are_shown_where_they_are() {
    let folder = machine();
    let check = |arguments: &[&str]| folder.run(&[&["lts", "check"], arguments].concat());
    check(&["m.aut", "--mu", "[true*] <true"])
        .ends(2)
        .complains("--mu:1:9");
    let alternating = "nu X. mu Y. (<coin> X or <true> Y)";
    check(&["m.aut", "--mu", alternating])
        .ends(2)
        .complains("the cycle is X -> Y -> X");
    check(&["nope.aut", "--mu", "true"])
        .ends(2)
        .complains("nope.aut cannot be opened");
    check(&["m.aut"]).ends(2).complains("there is no formula");
    check(&["m.aut", "--mu", "true", "--diagnostic", "d.svg"])
        .ends(2)
        .complains(".aut, .dot or .json");
    folder.write("bad.aut", "des (0,1,2)\n(0,\"a\" 1)\n");
    let ran = check(&["bad.aut", "--mu", "true"])
        .ends(2)
        .complains("bad.aut:2:8");
    assert!(ran.stderr.contains("^ expected `,`"), "{}", ran.stderr);
    folder.write("p.props", "property x: ctl AG true\n");
    check(&["m.aut", "--props", "p.props"])
        .ends(2)
        .complains("of kind ctl");
}

#[test]
fn labels_that_no_step_has_are_a_warning() {
    let folder = machine();
    let ran = folder
        .run(&["lts", "check", "m.aut", "--mu", "[cofee] false"])
        .ends(0);
    let ran = ran.complains("no step is labelled `cofee`");
    assert!(
        ran.stderr.contains("did you mean \"coffee\"?"),
        "{}",
        ran.stderr
    );
    let found = result(&folder, 0, &["--mu", "[cofee] false"]);
    assert!(
        found["notes"][0]
            .as_str()
            .is_some_and(|note| note.contains("cofee"))
    );
    let ran = folder
        .run(&["lts", "check", "m.aut", "--mu", "[coffee] false"])
        .ends(0);
    assert_eq!(ran.stderr, "");
}

#[test]
fn another_label_can_be_the_internal_one() {
    let folder = machine();
    let stuck = ["--mu", "<coin . tau> true"];
    assert_eq!(result(&folder, 0, &stuck)["verdict"], "holds");
    let named = [&stuck[..], &["--tau", "coin"]].concat();
    assert_eq!(result(&folder, 1, &named)["verdict"], "violated");
    let ran = folder.run(&["lts", "check", "m.aut", "--mu", "true", "--tau", "hidden"]);
    ran.ends(0).complains("no step is labelled `hidden`");
}

#[test]
fn another_label_can_be_the_internal_one_of_a_network() {
    let folder = Folder::new();
    folder.write("vi.aut", "des (0,3,3)\n(0,a,1)\n(1,i,2)\n(2,c,0)\n");
    folder.write("renamed.exp", "rename c -> d in \"vi.aut\" end rename\n");
    folder.write("hidden.exp", "hide c in \"vi.aut\" end hide\n");
    let check = |network: &str, formula: &str| {
        folder.run(&["lts", "check", network, "--tau", "tick", "--mu", formula])
    };
    let ran = check("renamed.exp", "<a . tau> true").ends(1);
    ran.complains("no step is labelled `tick`");
    let ran = check("hidden.exp", "<a . \"i\" . tau> true").ends(0);
    assert_eq!(ran.stderr, "");
}

#[test]
fn a_diagnostic_in_a_file_shows_the_same() {
    let folder = Folder::new();
    generate(
        &folder,
        &[
            "rank",
            "--set",
            "mode=deadlock",
            "--set",
            "groups=50",
            "--set",
            "depth=9",
            "-o",
            "r.aut",
        ],
    );
    let formula = NO_DEADLOCK;
    folder
        .run(&[
            "lts",
            "check",
            "r.aut",
            "--mu",
            formula,
            "--diagnostic",
            "d.aut",
        ])
        .ends(1);
    folder
        .run(&["lts", "check", "d.aut", "--mu", formula])
        .ends(1);
    let info = folder
        .run(&["lts", "info", "d.aut", "--json"])
        .ends(0)
        .json();
    assert_eq!(info["deadlocks"]["count"], 1);
    let several = [
        "--mu",
        formula,
        "--mu",
        "<true> true",
        "--diagnostic",
        "e.dot",
    ];
    folder
        .run(&[&["lts", "check", "r.aut"], &several[..]].concat())
        .ends(1);
    assert!(folder.read("e.mu-1.dot").starts_with("digraph lts {"));
    assert!(folder.read("e.mu-2.dot").contains("start -> 0"));
    folder
        .run(&[
            "lts",
            "check",
            "r.aut",
            "--mu",
            formula,
            "--diagnostic",
            "d.json",
        ])
        .ends(1);
    let part: Value = serde_json::from_str(&folder.read("d.json")).expect("JSON");
    assert_eq!(part["kind"], "path");
}

#[test]
fn a_network_is_checked_without_being_stored() {
    let folder = Folder::new();
    generate(&folder, &["bitalt", "--set", "n=1", "--network", "net"]);
    let network = "net/bitalt.exp";
    let ran = folder.run(&["lts", "check", network, "--mu", NO_DEADLOCK, "--json"]);
    let report = ran.ends(0).json();
    assert_eq!(report["model"]["states"], Value::Null);
    assert_eq!(report["results"][0]["stats"]["explored_states"], 242);
    let ran = folder
        .run(&["lts", "check", network, "--mu", "[true*] not @(tau)"])
        .ends(1);
    assert!(ran.stdout.contains("(0, 0, 0, 0)  i\n"), "{}", ran.stdout);
    generate(&folder, &["bitalt", "--set", "n=1", "-o", "b.aut"]);
    folder
        .run(&["lts", "convert", network, "--to", "aut", "-o", "c.aut"])
        .ends(0);
    folder.run(&["lts", "compare", "b.aut", "c.aut"]).ends(0);
    folder.write(
        "net/broken.exp",
        "\"bitalt-data.aut\" ||| \"missing.aut\"\n",
    );
    let ran = folder.run(&["lts", "check", "net/broken.exp", "--mu", "true"]);
    ran.ends(2).complains("cannot read component `missing.aut`");
    folder.write("net/outer.exp", "\"bitalt.exp\" ||| \"bitalt-data.aut\"\n");
    let ran = folder.run(&["lts", "check", "net/outer.exp", "--mu", "true"]);
    let advice = "networks cannot be nested: make it a system first, `causet lts convert net/bitalt.exp --to aut -o net/bitalt.aut`";
    ran.ends(2).complains(advice);
}

#[test]
fn systems_come_compressed_and_from_standard_input() {
    let folder = Folder::new();
    for name in ["b.aut.gz", "b.aut.zst"] {
        generate(&folder, &["bitalt", "--set", "n=1", "-o", name]);
        folder
            .run(&["lts", "check", name, "--mu", NO_DEADLOCK])
            .ends(0);
    }
    let ran = folder.run_with_input(&["lts", "check", "-", "--mu", NO_DEADLOCK], MACHINE);
    ran.ends(1);
    let ran = folder.run_with_input(&["lts", "check", "-", "--mu", "true"], "\u{0}\u{ff}");
    ran.ends(2);
}

#[test]
fn limits_leave_the_rest_unknown() {
    let folder = Folder::new();
    generate(
        &folder,
        &[
            "rank",
            "--set",
            "groups=20000",
            "--set",
            "depth=9",
            "-o",
            "r.aut",
        ],
    );
    let asked = ["lts", "check", "r.aut", "--mu", NO_DEADLOCK, "--json"];
    let limited = [&asked[..], &["--memory", "1M"]].concat();
    let result = folder.run(&limited).ends(3).json()["results"][0].clone();
    assert_eq!(result["verdict"], "unknown");
    assert_eq!(result["reason"], "memory");
    let limited = [&asked[..], &["--timeout", "1ms"]].concat();
    let result = folder.run(&limited).ends(3).json()["results"][0].clone();
    assert_eq!(result["reason"], "timeout");
    folder
        .run(&["lts", "info", "r.aut", "--memory", "1M"])
        .ends(3)
        .complains("raise --memory");
}

#[test]
fn reducing_and_comparing_agree() {
    let folder = Folder::new();
    generate(&folder, &["bitalt", "--set", "n=1", "-o", "b.aut"]);
    let ran = folder
        .run(&["lts", "reduce", "b.aut", "--strong", "-o", "s.aut"])
        .ends(0);
    assert!(
        ran.stderr
            .starts_with("242 states and 706 transitions became "),
        "{}",
        ran.stderr
    );
    let ran = folder
        .run(&["lts", "compare", "b.aut", "s.aut", "--json"])
        .ends(0);
    assert_eq!(ran.json()["bisimilar"], true);
    folder.write("m.aut", MACHINE);
    folder.write("n.aut", MACHINE.replace("tea", "cocoa"));
    let ran = folder.run(&["lts", "compare", "m.aut", "n.aut"]).ends(1);
    assert!(
        ran.stdout.starts_with("m.aut and n.aut are not bisimilar."),
        "{}",
        ran.stdout
    );
    let difference = folder
        .run(&["lts", "compare", "m.aut", "n.aut", "--json"])
        .ends(1)
        .json();
    let formula = difference["difference"]["formula"]
        .as_str()
        .expect("a formula")
        .to_owned();
    folder
        .run(&["lts", "check", "m.aut", "--mu", &formula])
        .ends(0);
    folder
        .run(&["lts", "check", "n.aut", "--mu", &formula])
        .ends(1);
}

#[test]
fn a_system_is_described() {
    let folder = machine();
    let info = folder
        .run(&["lts", "info", "m.aut", "--json"])
        .ends(0)
        .json();
    assert_eq!((&info["states"], &info["depth"]), (&json!(3), &json!(2)));
    assert_eq!(info["deadlocks"], json!({"count": 1, "first": [2]}));
    let text = folder.run(&["lts", "info", "m.aut"]).ends(0).stdout;
    assert!(text.contains("  deadlocks    1, state 2\n"), "{text}");
}

#[test]
fn families_are_listed_and_near_names_offered() {
    let folder = Folder::new();
    let list = folder.run(&["lts", "gen", "--list"]).ends(0).stdout;
    assert!(
        list.contains("bitalt") && list.contains("--set mode=WORD"),
        "{list}"
    );
    folder
        .run(&["lts", "gen", "bitlat"])
        .ends(2)
        .complains("did you mean `bitalt`?");
    folder
        .run(&["lts", "gen", "rank", "--set", "mode=odd"])
        .ends(2)
        .complains("it is one of");
    folder
        .run(&["lts", "gen", "rank", "--network", "n"])
        .ends(2)
        .complains("has no components");
}

#[test]
fn an_explanation_has_equations_blocks_and_figures() {
    let ran = machine().run(&[
        "lts",
        "check",
        "m.aut",
        "--explain",
        "--mu",
        "[true*] <coin> true",
    ]);
    let text = ran.ends(1).stdout;
    for part in [
        "nu  and",
        "[true] X0",
        "<\"coin\">",
        "conjunctive: X0",
        "variables, ",
    ] {
        assert!(text.contains(part), "no `{part}` in\n{text}");
    }
}

#[test]
fn the_equations_of_a_formula_have_its_value() {
    let folder = machine();
    for (formula, status) in [(NO_DEADLOCK, 1), ("<coin . tea . coin . tau> true", 0)] {
        let asked = ["lts", "check", "m.aut", "--mu", formula, "--bes", "e.bes"];
        folder.run(&asked).ends(status);
        folder.run(&["bes", "e.bes"]).ends(status);
    }
    let two = ["--mu", "true", "--mu", "false", "--bes", "e.bes"];
    let ran = folder.run(&[&["lts", "check", "m.aut"], &two[..]].concat());
    ran.ends(2).complains("there are several");
}

#[test]
fn a_junit_report_has_the_counterexample() {
    let folder = machine();
    folder
        .run(&[
            "lts",
            "check",
            "m.aut",
            "--mu",
            NO_DEADLOCK,
            "--junit",
            "j.xml",
        ])
        .ends(1);
    let xml = folder.read("j.xml");
    assert!(
        xml.contains("failures=\"1\"") && xml.contains("a path of 2 steps"),
        "{xml}"
    );
}

#[test]
fn the_text_of_many_properties_is_digested_once() {
    let folder = machine();
    let properties: String = (0..4_000)
        .map(|number| format!("property p{number}: mu {NO_DEADLOCK}\n"))
        .collect();
    let comments = "# nothing\n".repeat(1_000_000);
    folder.write("many.props", comments + &properties);
    let start = Instant::now();
    let line = [
        "lts",
        "check",
        "m.aut",
        "--props",
        "many.props",
        "--quiet",
        "--timeout",
        "2s",
    ];
    let _ = folder.run(&line);
    // 4,000 times ten megabytes take half a minute.
    assert!(start.elapsed() < Duration::from_secs(10));
}
