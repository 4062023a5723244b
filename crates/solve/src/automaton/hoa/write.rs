//! Writing an automaton in the format, with short labels and a note that its words are finite.

use std::fmt::Write;

use super::super::print::name_of;
use super::super::{Automaton, Cube};

/// The text of an automaton whose atoms have these names.
pub fn write(automaton: &Automaton, atoms: &[String], name: &str) -> String {
    let mut text = String::new();
    let names: Vec<String> = (0..automaton.atoms())
        .map(|atom| quoted(&name_of(atoms, atom)))
        .collect();
    let names: String = names.iter().map(|name| format!(" {name}")).collect();
    let mut properties = String::from("trans-labels explicit-labels state-acc");
    if automaton.is_deterministic() {
        properties.push_str(" deterministic");
    }
    if automaton.is_complete() {
        properties.push_str(" complete");
    }
    let items = [
        ("HOA", "v1".to_owned()),
        ("name", quoted(name)),
        ("tool", quoted("causet")),
        ("States", automaton.len().to_string()),
        ("Start", automaton.initial().to_string()),
        ("AP", format!("{}{names}", automaton.atoms())),
        ("acc-name", "Buchi".to_owned()),
        ("Acceptance", "1 Inf(0)".to_owned()),
        ("properties", properties),
        (
            "finite",
            quoted("words are finite and may end in the states of set 0"),
        ),
    ];
    for (item, value) in items {
        let _ = writeln!(text, "{item}: {value}");
    }
    text.push_str("--BODY--\n");
    for state in automaton.states() {
        let mark = if automaton.is_accepting(state) {
            " {0}"
        } else {
            ""
        };
        let _ = writeln!(text, "State: {state}{mark}");
        for edge in automaton.edges(state) {
            let _ = writeln!(text, "[{}] {}", label(&edge.cubes), edge.target);
        }
    }
    text.push_str("--END--\n");
    text
}

fn label(cubes: &[Cube]) -> String {
    let literal = |&(atom, truth): &(usize, bool)| {
        let sign = if truth { "" } else { "!" };
        format!("{sign}{atom}")
    };
    let cube = |cube: &Cube| {
        let literals: Vec<String> = cube.iter().map(literal).collect();
        if literals.is_empty() {
            "t".to_owned()
        } else {
            literals.join("&")
        }
    };
    let cubes: Vec<String> = cubes.iter().map(cube).collect();
    cubes.join(" | ")
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
