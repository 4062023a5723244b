//! Monitors: no run may be able to end in a bad state.

use std::collections::HashMap;

use causet_base::{Code, Diagnostic};

use super::scope::Scope;
use super::{Lowerer, push};
use crate::core::{Ctl, Pred};
use crate::linear::{Edge, Language, Machine, MachineForm};
use crate::syntax::{Ident, Monitor, MonitorEdge, Trigger};

/// What the guards of a monitor are part of.
const MONITOR: &str = "a monitor";

impl Lowerer<'_> {
    /// The monitor finds nothing along any run.
    pub(super) fn monitor(&mut self, monitor: &Monitor, scope: &Scope<'_>) -> Option<Ctl> {
        let mut states = States::default();
        let start = states.number(&monitor.start);
        let mut edges = Some(Vec::new());
        for edge in &monitor.edges {
            let (from, to) = (states.number(&edge.from), states.number(&edge.to));
            let guard = self.either_way(|this| this.guard(edge, scope));
            push(&mut edges, guard.map(|guard| Edge { from, to, guard }));
        }
        let mut accepting: Vec<usize> = Vec::new();
        for state in &monitor.bad {
            let state = states.number(state);
            if !accepting.contains(&state) {
                accepting.push(state);
            }
        }
        let edges = edges?;
        self.warn_of_unreachable(&states, start, &edges);
        let machine = Machine {
            form: MachineForm::Monitor,
            states: states
                .names
                .iter()
                .map(|one| one.name.to_string())
                .collect(),
            start: vec![start],
            accepting,
            edges,
        };
        Some(Ctl::not(Ctl::some_run(Language::Machine(machine))))
    }

    fn guard(&mut self, edge: &MonitorEdge, scope: &Scope<'_>) -> Option<Pred> {
        match edge.trigger {
            Trigger::On => self.event_about(&edge.guard, scope),
            Trigger::When => self.predicate(MONITOR, &edge.guard, scope),
        }
    }

    fn warn_of_unreachable(&mut self, states: &States<'_>, start: usize, edges: &[Edge]) {
        let mut reached = vec![false; states.names.len()];
        let mut open = vec![start];
        while let Some(state) = open.pop() {
            if !std::mem::replace(&mut reached[state], true) {
                let leaving = edges.iter().filter(|edge| edge.from == state);
                open.extend(leaving.map(|edge| edge.to));
            }
        }
        for (state, _) in states.names.iter().zip(reached).filter(|(_, seen)| !seen) {
            let message = format!("no edge leads to the state `{}`", state.name);
            let warning = Diagnostic::at(Code::UnreachableState, state.span, message);
            self.warn(
                warning.with_label(format!("never reached from `{}`", states.names[start].name)),
            );
        }
    }
}

/// The states of a monitor, numbered as they are first named: the start, then edge by edge.
#[derive(Default)]
struct States<'a> {
    names: Vec<&'a Ident>,
    numbers: HashMap<&'a str, usize>,
}

impl<'a> States<'a> {
    fn number(&mut self, state: &'a Ident) -> usize {
        *self.numbers.entry(&state.name).or_insert_with(|| {
            self.names.push(state);
            self.names.len() - 1
        })
    }
}
