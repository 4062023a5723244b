//! The processes and variables of a run by name and by number.
//!
//! The first reading fills it; in the second every name is known, and means the same.

use causet_base::nearest;
use causet_base::value::Value;
use causet_formula::names::{Names, ProcRef, VarRef, VariableName};
use causet_trace::{Fault, NameTable, Place, ProcessId, VarId};
use rustc_hash::FxHashMap;

/// What a name takes beside its text.
const NAME: usize = 32;

/// The names of a run.
#[derive(Clone, Default, Debug)]
pub(super) struct Directory {
    processes: NameTable,
    /// Whether the processes were listed; then there are no others.
    closed: bool,
    words: NameTable,
    variables: Vec<Variable>,
    variable_of: FxHashMap<(Option<ProcessId>, usize), VarId>,
    pub(super) observed: bool,
    /// How many bytes the names have.
    text: usize,
}

/// A variable; it exists when something writes it or the header gives it a value.
#[derive(Clone, Debug)]
struct Variable {
    process: Option<ProcessId>,
    word: usize,
    initial: Option<Value>,
    written: bool,
}

impl Directory {
    /// About how many bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        let names = self.processes.len() + self.words.len();
        let variable = size_of::<Variable>() + 2 * size_of::<((Option<ProcessId>, usize), VarId)>();
        self.text + names * NAME + self.variables.len() * variable
    }

    pub(super) fn declare_processes(&mut self, names: &[String]) -> Result<(), Fault> {
        for name in names {
            if self.processes.find(name).is_some() {
                return Err(Fault::ProcessTwice(name.clone()));
            }
            self.text += name.len();
            self.processes.intern(name);
        }
        self.closed = true;
        Ok(())
    }

    /// The process with a name, a new one if need be; `Err` with the nearest name when there can be no new ones.
    pub(super) fn intern_process(&mut self, name: &str) -> Result<ProcessId, Option<String>> {
        match self.processes.find(name) {
            Some(number) => Ok(ProcessId::new(number as u32)),
            None if self.closed => Err(nearest(name, self.processes.iter()).map(str::to_owned)),
            None => {
                self.text += name.len();
                Ok(ProcessId::new(self.processes.intern(name) as u32))
            }
        }
    }

    /// Forgets the variables, and keeps the processes.
    pub(super) fn forget_variables(&mut self) {
        self.text = self.processes.iter().map(str::len).sum();
        self.words = NameTable::default();
        self.variables = Vec::new();
        self.variable_of = FxHashMap::default();
    }

    /// Whether no other processes can turn up.
    pub(super) fn is_closed(&self) -> bool {
        self.closed
    }

    pub(super) fn process_count(&self) -> usize {
        self.processes.len()
    }

    pub(super) fn process_name(&self, process: ProcessId) -> &str {
        self.processes.get(process.index())
    }

    pub(super) fn declare_shared(&mut self, name: &str) -> VarId {
        let word = self.word(name);
        self.slot(None, word)
    }

    /// The variable an event of a process means by a name: the shared one if there is one, else its own.
    pub(super) fn intern_variable(&mut self, process: ProcessId, name: &str) -> VarId {
        let word = self.word(name);
        match self.variable_of.get(&(None, word)) {
            Some(&shared) => shared,
            None => self.slot(Some(process), word),
        }
    }

    /// The variable the first reading found for the same name.
    pub(super) fn known_variable(&self, process: ProcessId, name: &str) -> Option<VarId> {
        let word = self.words.find(name)?;
        let shared = self.variable_of.get(&(None, word));
        shared
            .or_else(|| self.variable_of.get(&(Some(process), word)))
            .copied()
    }

    pub(super) fn shared_variable(&self, name: &str) -> Result<VarId, Fault> {
        let word = self.words.find(name);
        let known = word.and_then(|word| self.variable_of.get(&(None, word)).copied());
        known.ok_or_else(|| {
            let shared = self.variables.iter().filter(|v| v.process.is_none());
            let names = shared.map(|variable| self.words.get(variable.word));
            Fault::ReadNotShared {
                name: name.to_owned(),
                nearest: nearest(name, names).map(str::to_owned),
            }
        })
    }

    fn word(&mut self, name: &str) -> usize {
        let before = self.words.len();
        let word = self.words.intern(name);
        if self.words.len() > before {
            self.text += name.len();
        }
        word
    }

    fn slot(&mut self, process: Option<ProcessId>, word: usize) -> VarId {
        let variables = &mut self.variables;
        *self.variable_of.entry((process, word)).or_insert_with(|| {
            variables.push(Variable {
                process,
                word,
                initial: None,
                written: false,
            });
            VarId::new(variables.len() as u32 - 1)
        })
    }

    pub(super) fn variable_count(&self) -> usize {
        self.variables.len()
    }

    /// The process a variable belongs to; `None` when it is shared.
    pub(super) fn owner(&self, var: VarId) -> Option<ProcessId> {
        self.variables[var.index()].process
    }

    pub(super) fn note_written(&mut self, var: VarId) {
        self.variables[var.index()].written = true;
    }

    /// What a variable holds at first.
    pub(super) fn initial(&self, var: VarId) -> Value {
        let given = self.variables[var.index()].initial.clone();
        given.unwrap_or_else(|| Value::from(0))
    }

    /// Gives a variable its initial value: a shared one, or `process.variable` with the longest process name that fits.
    pub(super) fn init(&mut self, name: &str, value: Value) -> Result<(), Fault> {
        let shared = self.shared_variable(name).ok();
        let var = shared.or_else(|| {
            let (process, local) = name.rmatch_indices('.').find_map(|(dot, _)| {
                let process = self.processes.find(&name[..dot])?;
                Some((ProcessId::new(process as u32), &name[dot + 1..]))
            })?;
            let word = self.word(local);
            Some(self.slot(Some(process), word))
        });
        let unknown = || Fault::UnknownInit {
            name: name.to_owned(),
        };
        let var = var.ok_or_else(unknown)?;
        self.variables[var.index()].initial = Some(value);
        Ok(())
    }

    fn find(&self, process: Option<ProcessId>, name: &str) -> Option<VarRef> {
        let word = self.words.find(name)?;
        let var = *self.variable_of.get(&(process, word))?;
        let Variable {
            initial, written, ..
        } = &self.variables[var.index()];
        (*written || initial.is_some()).then_some(VarRef(var.raw()))
    }

    /// An event for a reader: `p1#3 (t.jsonl:7)`.
    pub(super) fn event_name(
        &self,
        process: ProcessId,
        position: u32,
        parts: &[String],
        place: Place,
    ) -> String {
        let place = crate::subject::place_name(parts, place);
        format!("{}#{position} ({place})", self.process_name(process))
    }
}

impl Names for Directory {
    fn process_count(&self) -> usize {
        self.processes.len()
    }

    fn process_name(&self, process: ProcRef) -> &str {
        self.processes.get(process.0 as usize)
    }

    fn process(&self, name: &str) -> Option<ProcRef> {
        let number = self.processes.find(name)?;
        Some(ProcRef(number as u32))
    }

    fn shared(&self, name: &str) -> Option<VarRef> {
        self.find(None, name)
    }

    fn local(&self, process: ProcRef, name: &str) -> Option<VarRef> {
        self.find(Some(ProcessId::new(process.0)), name)
    }

    fn variable_names(&self) -> Vec<String> {
        let existing = self
            .variables
            .iter()
            .filter(|variable| variable.written || variable.initial.is_some());
        let named = existing.map(|variable| {
            let word = self.words.get(variable.word);
            match variable.process {
                Some(process) => format!("{}.{word}", self.processes.get(process.index())),
                None => word.to_owned(),
            }
        });
        named.collect()
    }

    fn variable(&self, var: VarRef) -> Option<VariableName> {
        let variable = self.variables.get(var.0 as usize)?;
        Some(VariableName {
            process: variable.process.map(|process| ProcRef(process.raw())),
            name: self.words.get(variable.word).to_owned(),
        })
    }
}
