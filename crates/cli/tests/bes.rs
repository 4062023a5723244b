//! `causet bes`: values, supports, mistakes.

mod common;

use common::Folder;
use serde_json::json;

const SYSTEM: &str = "main X0\nblock mu\n  X0 = X1 or X2\n  X1 = X0 and (X2 or false)\nblock nu\n  X2 = X2\n  X3 = false\n";

fn system() -> Folder {
    let folder = Folder::new();
    folder.write("s.bes", SYSTEM);
    folder
}

#[test]
fn a_value_comes_with_the_variables_that_force_it() {
    let ran = system().run(&["bes", "s.bes"]).ends(0);
    assert!(
        ran.stdout.starts_with("true   X0   (6 variables, "),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.contains("    X0 is true, because of X2\n"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.contains("    X2 is true, because of X2\n"),
        "{}",
        ran.stdout
    );
}

#[test]
fn the_status_is_the_value_whatever_the_strategy() {
    let folder = system();
    folder.write("f.bes", SYSTEM.replace("main X0", "main X3"));
    for strategy in ["auto", "lean", "dfs", "bfs", "global"] {
        folder
            .run(&["bes", "s.bes", "--strategy", strategy])
            .ends(0);
        folder
            .run(&["bes", "f.bes", "--strategy", strategy])
            .ends(1);
    }
}

#[test]
fn all_values_are_shown_when_asked_for() {
    let answer = system()
        .run(&["bes", "s.bes", "--solution", "--json"])
        .ends(0)
        .json();
    assert_eq!(answer["main"], "X0");
    assert_eq!(answer["value"], true);
    let solution = answer["solution"].as_array().expect("a list");
    assert_eq!(
        solution[..4],
        [
            json!(["X0", true]),
            json!(["X1", true]),
            json!(["X2", true]),
            json!(["X3", false])
        ]
    );
    let support = json!([
        {"variable": "X0", "value": true, "because": ["X2"]},
        {"variable": "X2", "value": true, "because": ["X2"]},
    ]);
    assert_eq!(answer["support"], support);
}

#[test]
fn mistakes_are_underlined() {
    let folder = Folder::new();
    let refused = |text: &str| {
        let ran = folder.run_with_input(&["bes", "-"], text);
        ran.ends(2).stderr
    };
    let message = refused("block mu\nX = Y\n");
    assert!(
        message.contains("`Y` has no equation") && message.contains("-:2:5"),
        "{message}"
    );
    let message = refused("block mu\nX = Y\nblock nu\nY = X\n");
    assert!(
        message.contains("X -> Y -> X") && message.contains("alternation"),
        "{message}"
    );
    folder
        .run(&["bes", "none.bes"])
        .ends(2)
        .complains("none.bes cannot be read");
}

#[test]
fn reading_keeps_to_the_limits() {
    let folder = Folder::new();
    let chain: String = (0..300_000)
        .map(|n| format!("X{n} = X{}\n", n + 1))
        .collect();
    folder.write("c.bes", format!("block nu\n{chain}X300000 = true\n"));
    for (limit, value) in [("--memory", "8M"), ("--timeout", "1ms")] {
        let ran = folder.run(&["bes", "c.bes", limit, value]).ends(3);
        assert_eq!(ran.stdout, "");
        ran.complains(&format!("raise {limit}"));
    }
    folder.run(&["bes", "c.bes"]).ends(0);
}
