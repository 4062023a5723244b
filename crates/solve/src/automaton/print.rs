//! Automata as text: each state with its edges, conditions written out with the names of the atoms.

use std::fmt::Write;

use super::{Automaton, Cube};

impl Automaton {
    /// All states with their edges, one a line.
    ///
    /// ```text
    /// state 0 (initial, accepting)
    ///   a && !b -> 1
    ///   !a || b -> 0
    /// state 1
    ///   true -> 1
    /// ```
    pub fn listing(&self, names: &[String]) -> String {
        let mut text = String::new();
        for state in self.states() {
            let is = |holds: bool, word| holds.then_some(word);
            let initial = is(state == self.initial(), "initial");
            let accepting = is(self.is_accepting(state), "accepting");
            let roles: Vec<&str> = initial.into_iter().chain(accepting).collect();
            let roles = match roles.as_slice() {
                [] => String::new(),
                roles => format!(" ({})", roles.join(", ")),
            };
            let _ = writeln!(text, "state {state}{roles}");
            for edge in self.edges(state) {
                let condition = condition(&edge.cubes, names);
                let _ = writeln!(text, "  {condition} -> {}", edge.target);
            }
        }
        text
    }
}

/// A disjunction of conjunctions with the names of the atoms.
pub(super) fn condition(cubes: &[Cube], names: &[String]) -> String {
    let cube = |cube: &Cube| {
        let literals = cube.iter().map(|&(atom, truth)| {
            let name = operand(&name_of(names, atom));
            if truth { name } else { format!("!{name}") }
        });
        let literals: Vec<String> = literals.collect();
        if literals.is_empty() {
            "true".to_owned()
        } else {
            literals.join(" && ")
        }
    };
    let cubes: Vec<String> = cubes.iter().map(cube).collect();
    cubes.join(" || ")
}

/// The name of an atom, or one made from its number.
pub(super) fn name_of(names: &[String], atom: usize) -> String {
    let named = names.get(atom).cloned();
    named.unwrap_or_else(|| format!("p{atom}"))
}

/// A name in brackets unless it is a word.
fn operand(name: &str) -> String {
    let in_word = |c: char| c.is_alphanumeric() || "_.@".contains(c);
    if name.chars().all(in_word) {
        name.to_owned()
    } else {
        format!("({name})")
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Builder, Guard};

    #[test]
    fn states_are_listed_with_their_edges() {
        let mut builder = Builder::new(3);
        let (one, two) = (builder.state(true), builder.state(false));
        let unless = Guard::Not(Box::new(Guard::Atom(1)));
        let leave = Guard::All(vec![Guard::Atom(0), unless]);
        builder.moves(one, &[(leave, two)], Some(one));
        builder.moves(two, &[(Guard::Atom(2), two)], None);
        let names = ["a".to_owned(), "x > 3".to_owned()];
        let expected = "\
state 0 (initial, accepting)
  !a || (x > 3) -> 0
  a && !(x > 3) -> 1
state 1
  p2 -> 1
";
        assert_eq!(builder.finish().listing(&names), expected);
    }
}
