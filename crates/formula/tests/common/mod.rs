//! A small trace to name things in, and errors drawn as text.
#![allow(
    dead_code,
    unreachable_pub,
    missing_docs,
    reason = "each test file uses a part of it"
)]

use causet_base::Diagnostic;
use causet_formula::{Kind, Lets, Lowered, Names, ProcRef, Property, VarRef, lower};

/// Three processes, one with an awkward name, and a shared variable.
pub struct Town {
    processes: Vec<&'static str>,
    /// `None` is shared.
    variables: Vec<(Option<u32>, &'static str)>,
}

impl Town {
    pub fn new() -> Town {
        let processes = vec!["p1", "p2", "node-1"];
        let variables = vec![
            (None, "turn"),
            (None, "E"),
            (Some(0), "state"),
            (Some(1), "state"),
            (Some(0), "x"),
            (Some(1), "x"),
            (Some(0), "only"),
            (Some(0), "raft.term"),
            (Some(2), "x"),
            (Some(2), "U"),
        ];
        Town {
            processes,
            variables,
        }
    }

    pub fn with(processes: &[&'static str], variables: &[(Option<u32>, &'static str)]) -> Town {
        Town {
            processes: processes.to_vec(),
            variables: variables.to_vec(),
        }
    }

    pub fn variable_count(&self) -> usize {
        self.variables.len()
    }

    pub fn owner(&self, v: VarRef) -> Option<ProcRef> {
        self.variables[v.0 as usize].0.map(ProcRef)
    }

    fn find(&self, owner: Option<u32>, name: &str) -> Option<VarRef> {
        let at = self
            .variables
            .iter()
            .position(|&(o, n)| o == owner && n == name)?;
        Some(VarRef(at as u32))
    }
}

impl Names for Town {
    fn process_count(&self) -> usize {
        self.processes.len()
    }

    fn process_name(&self, p: ProcRef) -> &str {
        self.processes[p.0 as usize]
    }

    fn process(&self, name: &str) -> Option<ProcRef> {
        let at = self.processes.iter().position(|&process| process == name)?;
        Some(ProcRef(at as u32))
    }

    fn shared(&self, name: &str) -> Option<VarRef> {
        self.find(None, name)
    }

    fn local(&self, p: ProcRef, name: &str) -> Option<VarRef> {
        self.find(Some(p.0), name)
    }

    fn variable_names(&self) -> Vec<String> {
        let full = |&(owner, name): &(Option<u32>, &str)| match owner {
            Some(p) => format!("{}.{name}", self.processes[p as usize]),
            None => name.to_owned(),
        };
        self.variables.iter().map(full).collect()
    }
}

/// Reads and lowers one formula of the command line.
pub fn check(kind: Kind, text: &str) -> Result<Lowered, Vec<Diagnostic>> {
    let property = Property::parse(kind, "test", text)?;
    lower(&property, &Lets::none(), &Town::new())
}

/// An error as one block of text: the underlined part between `>` and `<`, then the words.
pub fn draw(source: &str, error: &Diagnostic) -> String {
    let range = error.span.range();
    let (before, after) = (&source[..range.start], &source[range.end..]);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let line_end = after.find('\n').map_or(source.len(), |at| range.end + at);
    let part = &source[range.clone()];
    let line = format!(
        "{}>{part}<{}",
        &source[line_start..range.start],
        &source[range.end..line_end]
    );
    let label = error
        .label
        .as_deref()
        .map_or(String::new(), |label| format!(" | {label}"));
    let help = error
        .help
        .as_deref()
        .map_or(String::new(), |help| format!(" | help: {help}"));
    format!("{line} | {}{label}{help}", error.message)
}

/// All errors, one a line.
pub fn draw_all(source: &str, errors: &[Diagnostic]) -> String {
    errors
        .iter()
        .map(|error| draw(source, error))
        .collect::<Vec<_>>()
        .join("\n")
}
