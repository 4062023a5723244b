//! Names of the trace: which variable or process a path of segments means.
//!
//! A segment in backquotes is a complete name. Bare segments may belong together (`p1.raft.term`
//! is the variable `raft.term` of `p1`, or the variable `term` of a process `p1.raft`): every
//! split is tried, and two that fit are refused with a spelling for each.

use super::Lowerer;
use super::scope::{Meaning, Scope};
use super::sequence::REGULAR;
use crate::names::{Names, ProcRef, VarRef, VariableName, processes};
use crate::parse::foreign;
use crate::print::spell;
use crate::syntax::{NodeKind, Path, Segment, TemporalOp, join};
use causet_base::diagnostic::shown;
use causet_base::nearest;
use causet_base::span::Span;
use causet_base::{Code, Diagnostic};

/// What a path means in a trace.
pub(crate) enum Resolution {
    /// This variable.
    One(VarRef),
    /// One of these, and the path does not say which.
    Many(Vec<VariableName>),
    /// Nothing.
    Unknown,
}

/// Looks a path up.
pub(crate) fn resolve(segments: &[Segment], names: &dyn Names) -> Resolution {
    let mut found = splits(segments, names);
    if found.is_empty()
        && let Some(whole) = whole(segments)
    {
        found = owners(&whole, names);
    }
    match found.as_slice() {
        [] => Resolution::Unknown,
        [(variable, _)] => Resolution::One(*variable),
        _ => Resolution::Many(found.into_iter().map(|(_, name)| name).collect()),
    }
}

/// The shared variable, and the local one for every split into process and variable.
fn splits(segments: &[Segment], names: &dyn Names) -> Vec<(VarRef, VariableName)> {
    let mut found = Vec::new();
    if let Some(name) = whole(segments)
        && let Some(variable) = names.shared(&name)
    {
        found.push((
            variable,
            VariableName {
                process: None,
                name,
            },
        ));
    }
    for at in 1..segments.len() {
        let (process, variable) = segments.split_at(at);
        if let (Some(process), Some(name)) = (whole(process), whole(variable))
            && let Some(process) = names.process(&process)
            && let Some(variable) = names.local(process, &name)
        {
            found.push((
                variable,
                VariableName {
                    process: Some(process),
                    name,
                },
            ));
        }
    }
    found
}

/// The local variables of that name, one for each process that has it.
fn owners(name: &str, names: &dyn Names) -> Vec<(VarRef, VariableName)> {
    let local = |process| {
        let variable = names.local(process, name)?;
        Some((
            variable,
            VariableName {
                process: Some(process),
                name: name.to_owned(),
            },
        ))
    };
    processes(names).filter_map(local).collect()
}

/// The segments as one name: bare ones join, one in backquotes stands alone.
fn whole(segments: &[Segment]) -> Option<String> {
    let alone = segments.len() == 1 || segments.iter().all(|segment| !segment.quoted);
    alone.then(|| join(segments))
}

impl Lowerer<'_> {
    /// The variable a path names through a bound name, or directly.
    pub(super) fn dotted(&mut self, path: &Path, scope: &Scope<'_>) -> Option<VarRef> {
        let (first, rest) = path.segments.split_first()?;
        let bound = if first.quoted {
            None
        } else {
            scope.get(&first.name)
        };
        let process = match bound {
            None => return self.variable(path),
            Some(Meaning::Process(process)) => process,
            Some(Meaning::Argument(node, inner)) => self.process_argument(node, inner)?,
        };
        let name = join(rest);
        match self.names.local(process, &name) {
            Some(variable) => {
                self.mentions.add(variable, path.span);
                Some(variable)
            }
            None => {
                let error = self.no_local(process, &name, path.span);
                self.refuse(error)
            }
        }
    }

    /// The variable of the trace a path names.
    pub(super) fn variable(&mut self, path: &Path) -> Option<VarRef> {
        match resolve(&path.segments, self.names) {
            Resolution::One(variable) => {
                self.mentions.add(variable, path.span);
                Some(variable)
            }
            Resolution::Many(candidates) => {
                let spelt: Vec<String> = candidates
                    .iter()
                    .map(|name| shown(&spell::exact(name, self.names)))
                    .collect();
                let message = format!("`{}` may mean several variables", path.joined());
                let error = Diagnostic::at(Code::AmbiguousVariable, path.span, message)
                    .with_label("expected the name of one variable")
                    .with_help(format!("write {}", either(&spelt)));
                self.refuse(error)
            }
            Resolution::Unknown => {
                let error = self.unknown_variable(path);
                self.refuse(error)
            }
        }
    }

    fn unknown_variable(&self, path: &Path) -> Diagnostic {
        for at in (1..path.segments.len()).rev() {
            let (process, variable) = path.segments.split_at(at);
            if let Some(process) = self.names.process(&join(process)) {
                return self.no_local(process, &join(variable), path.span);
            }
        }
        let name = path.joined();
        let error = Diagnostic::at(
            Code::UnknownVariable,
            path.span,
            format!("unknown variable `{name}`"),
        );
        if path.as_word().is_some() && self.names.process(&name).is_some() {
            return Diagnostic::at(
                Code::ProcessAsValue,
                path.span,
                format!("`{name}` is a process"),
            )
            .with_label("expected a variable")
            .with_help(format!("name a variable of it: `{}.x`", spell::word(&name)));
        }
        if TemporalOp::from_word(&name).is_some() {
            return error
                .with_label("as an operator it needs a formula behind it")
                .with_help(format!("write `{name} f`"));
        }
        if let Some(help) = path.as_word().and_then(|word| foreign::value(word)) {
            return error
                .with_label("expected a variable or a value")
                .with_help(help);
        }
        let near = self.nearest_variable(&name);
        let error = error.with_label("no event writes it and `init` does not name it");
        if near.is_none() && path.segments.len() > 1 && self.predicate_of == Some(REGULAR) {
            return error.with_help("letters have blanks around the dot between them: `a . b`");
        }
        match self
            .quoted_process(&path.segments[0].name)
            .filter(|_| near.is_none())
        {
            Some(process) => error.with_help(format!(
                "is the process {process} meant? a name with such characters stands in backquotes"
            )),
            None => error.with_nearest(near),
        }
    }

    /// The first process of whose name a word is a part, if such a name must be quoted.
    fn quoted_process(&self, word: &str) -> Option<String> {
        let processes = (0..self.names.process_count()).map(|number| ProcRef(number as u32));
        let mut names = processes.map(|process| self.names.process_name(process));
        let is_letter = |c: char| c.is_alphanumeric() || c == '_';
        let is_part = |name: &str| name.split(|c| !is_letter(c)).any(|part| part == word);
        let found = names.find(|name| is_part(name) && spell::word(name) != *name);
        found.map(|name| spell::word(name).to_string())
    }

    /// The full name nearest to a name, which may lack the process.
    pub(super) fn nearest_variable(&self, name: &str) -> Option<String> {
        let full = self.names.variable_names();
        if let Some(near) = nearest(name, &full) {
            return Some(spell::full(near, self.names));
        }
        let short = |full: &String| full.split_once('.').map(|(_, rest)| rest.to_owned());
        let shorts: Vec<String> = full.iter().filter_map(short).collect();
        let near = nearest(name, &shorts)?;
        let owner = full
            .iter()
            .find(|full| short(full).as_deref() == Some(near))?;
        Some(spell::full(owner, self.names))
    }

    fn no_local(&self, process: ProcRef, name: &str, span: Span) -> Diagnostic {
        let owner = self.names.process_name(process);
        let message = format!("process `{owner}` has no variable `{name}`");
        let near = self.nearest_local(name, |other| other == process);
        let spelt = near.map(|near| format!("{}.{}", spell::word(owner), spell::word(&near)));
        Diagnostic::at(Code::UnknownVariable, span, message)
            .with_label(format!("expected a variable of `{owner}`"))
            .with_nearest(spelt)
    }

    /// The local name nearest to `name` among the variables of some processes.
    pub(super) fn nearest_local(
        &self,
        name: &str,
        wanted: impl Fn(ProcRef) -> bool,
    ) -> Option<String> {
        let full = self.names.variable_names();
        let local = |full: &String| {
            full.match_indices('.').find_map(|(dot, _)| {
                let process = self.names.process(&full[..dot])?;
                let name = &full[dot + 1..];
                self.names.local(process, name)?;
                wanted(process).then(|| name.to_owned())
            })
        };
        let locals: Vec<String> = full.iter().filter_map(local).collect();
        nearest(name, &locals).map(str::to_owned)
    }

    /// `done(p9)`: no such process.
    pub(super) fn unknown_process(&self, name: &str, span: Span) -> Diagnostic {
        let all: Vec<&str> = processes(self.names)
            .map(|p| self.names.process_name(p))
            .collect();
        let near = nearest(name, all.iter().copied()).map(spell::word);
        let error = Diagnostic::at(
            Code::UnknownProcessName,
            span,
            format!("unknown process `{name}`"),
        )
        .with_label("expected a process of the trace");
        match near {
            None if all.len() <= 8 => {
                let spelt: Vec<String> = all.iter().map(|name| format!("`{name}`")).collect();
                error.with_help(format!("the processes are {}", spelt.join(", ")))
            }
            near => error.with_nearest(near),
        }
    }

    /// A bare word next to a comparison that is no variable: probably a text without quotes.
    pub(super) fn unquoted_text(&self, kind: &NodeKind, scope: &Scope<'_>) -> Option<Diagnostic> {
        let NodeKind::Name(path) = kind else {
            return None;
        };
        let word = path.as_word()?;
        let known = scope.get(word).is_some()
            || self.lets.get(word).is_some()
            || self.names.process(word).is_some()
            || !matches!(resolve(&path.segments, self.names), Resolution::Unknown);
        if known {
            return None;
        }
        let quoted = format!("a text is quoted: \"{word}\"");
        if let Some(help) = foreign::value(word) {
            let error = Diagnostic::at(
                Code::UnknownVariable,
                path.span,
                format!("unknown variable `{word}`"),
            );
            let help = format!("{help}; {quoted}");
            return Some(
                error
                    .with_label("expected a variable or a value")
                    .with_help(help),
            );
        }
        let help = match self.nearest_variable(word) {
            Some(near) => format!("did you mean {}? {quoted}", shown(&near)),
            None => quoted,
        };
        let error = Diagnostic::at(
            Code::UnknownVariable,
            path.span,
            format!("unknown variable `{word}`"),
        );
        Some(
            error
                .with_label("no event writes it and `init` does not name it")
                .with_help(help),
        )
    }
}

/// `a, b or c`
fn either(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    }
}
