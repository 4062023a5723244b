//! Automata as drawings, in the language of Graphviz.

use std::fmt::Write;

use super::Automaton;
use super::print::condition;

impl Automaton {
    /// A drawing: accepting states have two circles, an arrow from nowhere leads to the initial one.
    pub fn dot(&self, names: &[String]) -> String {
        let mut text = String::from("digraph automaton {\n  rankdir=LR;\n  node [shape=circle];\n");
        let initial = self.initial();
        let _ = writeln!(text, "  start [shape=point];\n  start -> {initial};");
        for state in self.states() {
            if self.is_accepting(state) {
                let _ = writeln!(text, "  {state} [shape=doublecircle];");
            }
            for edge in self.edges(state) {
                let label = escape(&condition(&edge.cubes, names));
                let target = edge.target;
                let _ = writeln!(text, "  {state} -> {target} [label=\"{label}\"];");
            }
        }
        text.push_str("}\n");
        text
    }
}

fn escape(label: &str) -> String {
    let mut text = String::new();
    for c in label.chars() {
        match c {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            c => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::{Builder, Guard};

    #[test]
    fn names_cannot_end_a_label() {
        let mut builder = Builder::new(1);
        let (one, two) = (builder.state(false), builder.state(true));
        builder.moves(one, &[(Guard::Atom(0), two)], None);
        let drawing = builder.finish().dot(&["x == \"a\\b\"".to_owned()]);
        assert!(drawing.contains(r#"  0 -> 1 [label="(x == \"a\\b\")"];"#));
        assert!(drawing.contains("  start -> 0;\n  0 -> 1"));
        assert!(drawing.contains("  1 [shape=doublecircle];\n}\n"));
    }
}
