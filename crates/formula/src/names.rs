//! What a formula may name: the one view this crate has of a trace.

/// A process of the trace, by its position in the list of processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProcRef(pub u32);

/// A variable of the trace, shared or local; the number is the checker's affair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VarRef(pub u32);

/// The names of a trace, implemented by whoever holds one.
pub trait Names {
    /// How many processes there are; their references are `ProcRef(0)` and up.
    fn process_count(&self) -> usize;

    /// The name of a process.
    fn process_name(&self, p: ProcRef) -> &str;

    /// The process of that name.
    fn process(&self, name: &str) -> Option<ProcRef>;

    /// The shared variable of that name.
    fn shared(&self, name: &str) -> Option<VarRef>;

    /// The variable of that name that is local to `p`.
    fn local(&self, p: ProcRef, name: &str) -> Option<VarRef>;

    /// The full names of all variables (`p1.x`, `turn`), for suggestions.
    fn variable_names(&self) -> Vec<String>;

    /// Whether some event carries this label.
    fn label_exists(&self, label: &str) -> bool {
        let _ = label;
        true
    }

    /// The labels that events carry, for suggestions.
    fn labels(&self) -> Vec<String> {
        Vec::new()
    }

    /// The owner and the name of a variable, for printing.
    ///
    /// The default searches [`Names::variable_names`]; an implementation that can look the
    /// variable up should.
    fn variable(&self, v: VarRef) -> Option<VariableName> {
        self.variable_names().iter().find_map(|full| {
            if self.shared(full) == Some(v) {
                return Some(VariableName {
                    process: None,
                    name: full.clone(),
                });
            }
            full.match_indices('.').find_map(|(dot, _)| {
                let process = self.process(&full[..dot])?;
                let name = &full[dot + 1..];
                (self.local(process, name)? == v).then(|| VariableName {
                    process: Some(process),
                    name: name.to_owned(),
                })
            })
        })
    }
}

/// The name of a variable, taken apart.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VariableName {
    /// The process the variable is local to; `None` for a shared one.
    pub process: Option<ProcRef>,
    /// Its name within that process.
    pub name: String,
}

/// Every process of the trace, in order.
pub(crate) fn processes(names: &dyn Names) -> impl Iterator<Item = ProcRef> + use<> {
    let count = u32::try_from(names.process_count()).unwrap_or(u32::MAX);
    (0..count).map(ProcRef)
}
