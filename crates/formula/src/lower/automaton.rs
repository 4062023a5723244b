//! Automata from outside: every run must be accepted.

use super::Lowerer;
use super::scope::Scope;
use crate::automaton::Automaton;
use crate::core::Ctl;
use crate::linear::{Edge, Language, Machine, MachineForm};
use causet_base::span::Span;

impl Lowerer<'_> {
    /// Every run is accepted by the automaton, whose text stands at `span`.
    pub(super) fn automaton(&mut self, automaton: &Automaton, span: Span) -> Option<Ctl> {
        let mut atoms = Vec::new();
        for atom in &automaton.atoms {
            let before = self.errors.len();
            let p = self.either_way(|this| {
                this.predicate("an atom of an automaton", &atom.node, &Scope::root())
            });
            for error in self.errors.iter_mut().skip(before) {
                atom.place.show(error);
            }
            atoms.extend(p);
        }
        if atoms.len() < automaton.atoms.len() {
            return None;
        }
        let outside = &automaton.outside;
        let mut edges = Vec::new();
        for (from, guard, to) in &outside.edges {
            let guard = guard.over(&atoms);
            self.charge(guard.size(), span)?;
            let (from, to) = (*from, *to);
            edges.push(Edge { from, to, guard });
        }
        let machine = Machine {
            form: MachineForm::Acceptor,
            states: (0..outside.states).map(|state| state.to_string()).collect(),
            start: outside.start.clone(),
            accepting: outside.accepting.clone(),
            edges,
        };
        Some(Ctl::every_run(Language::Machine(machine)))
    }
}
