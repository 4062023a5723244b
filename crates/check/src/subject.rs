//! The run under check: a trace, and what its parts and names are called.

use std::collections::BTreeSet;

use causet_formula::names::{Names, ProcRef, VarRef, VariableName};
use causet_trace::{EventId, Place, ProcessId, Trace, VarId};

/// A trace with the names of the files it came from.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'t> {
    /// The run.
    pub trace: &'t Trace,
    /// What each part of the input is called.
    pub parts: &'t [String],
}

impl<'t> Subject<'t> {
    /// A trace that came from nowhere in particular.
    pub fn of(trace: &'t Trace) -> Self {
        Subject { trace, parts: &[] }
    }

    /// An event for a reader: `p1#3 (t.jsonl:7)`.
    pub fn event_name(&self, event: EventId) -> String {
        let order = self.trace.order();
        let process = self.trace.process_name(order.process_of(event));
        let position = order.position_of(event);
        format!(
            "{process}#{position} ({})",
            self.place_name(self.trace.place(event))
        )
    }

    /// A place for a reader: `t.jsonl:7`.
    pub fn place_name(&self, place: Place) -> String {
        place_name(self.parts, place)
    }
}

/// A place for a reader, given what the parts are called.
pub(crate) fn place_name(parts: &[String], place: Place) -> String {
    match parts.get(place.part as usize) {
        Some(part) => format!("{part}:{}", place.line),
        None => format!("line {}", place.line),
    }
}

/// The trace's number of a process a formula names.
pub fn process_id(process: ProcRef) -> ProcessId {
    ProcessId::new(process.0)
}

/// The trace's number of a variable a formula names.
pub fn var_id(var: VarRef) -> VarId {
    VarId::new(var.0)
}

impl Names for Subject<'_> {
    fn process_count(&self) -> usize {
        self.trace.order().process_count()
    }

    fn process_name(&self, process: ProcRef) -> &str {
        self.trace.process_name(process_id(process))
    }

    fn process(&self, name: &str) -> Option<ProcRef> {
        self.trace
            .process(name)
            .map(|process| ProcRef(process.raw()))
    }

    fn shared(&self, name: &str) -> Option<VarRef> {
        self.trace
            .shared_variable(name)
            .map(|var| VarRef(var.raw()))
    }

    fn local(&self, process: ProcRef, name: &str) -> Option<VarRef> {
        let var = self.trace.local_variable(process_id(process), name)?;
        Some(VarRef(var.raw()))
    }

    fn variable_names(&self) -> Vec<String> {
        let variables = self.trace.variables();
        variables.map(|var| self.trace.variable_name(var)).collect()
    }

    fn label_exists(&self, label: &str) -> bool {
        let mut events = self.trace.events();
        events.any(|event| self.trace.label(event) == Some(label))
    }

    fn labels(&self) -> Vec<String> {
        let labels: BTreeSet<&str> = self
            .trace
            .events()
            .filter_map(|event| self.trace.label(event))
            .collect();
        labels.into_iter().map(str::to_owned).collect()
    }

    fn variable(&self, var: VarRef) -> Option<VariableName> {
        let id = var_id(var);
        Some(VariableName {
            process: self.trace.owner(id).map(|process| ProcRef(process.raw())),
            name: self.trace.short_name(id).to_owned(),
        })
    }
}
