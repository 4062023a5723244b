//! How a name is written so that it is read back as itself.

use std::sync::Arc;

use crate::lower::resolve::{Resolution, resolve};
use crate::names::{Names, VarRef, VariableName};
use crate::parse::{is_keyword, is_operator_word};
use crate::syntax::Segment;
use causet_base::span::Span;
use causet_base::value::escape;

/// One segment at the start of a name: bare when it is a word and no keyword, else in backquotes.
pub(crate) fn word(name: &str) -> String {
    spell(&first_segment(name))
}

/// The same as a segment.
pub(crate) fn first_segment(name: &str) -> Segment {
    segment(name, true)
}

/// The name of a state of an automaton: bare when it is a word, else in backquotes.
pub(crate) fn state(name: &str) -> String {
    spell(&segment(name, false))
}

/// The name of a variable; the shortest spelling that means it and nothing else.
pub(crate) fn exact(name: &VariableName, names: &dyn Names) -> String {
    let owner = name.process.map(|process| names.process_name(process));
    let parts: Vec<&str> = owner.into_iter().chain([name.name.as_str()]).collect();
    let apart: Vec<&str> = parts.iter().flat_map(|part| part.split('.')).collect();
    let mut spellings = vec![segments(&parts)];
    if apart
        .iter()
        .enumerate()
        .all(|(at, part)| !segment(part, at == 0).quoted)
    {
        spellings.insert(0, segments(&apart));
    }
    let variable = lookup(name, names);
    let means_it = |spelling: &Vec<Segment>| match resolve(spelling, names) {
        Resolution::One(found) => Some(found) == variable,
        _ => false,
    };
    let clear = spellings.into_iter().find(means_it);
    let spelling = clear.unwrap_or_else(|| {
        let quoted = |segment| Segment {
            quoted: true,
            ..segment
        };
        segments(&parts).into_iter().map(quoted).collect()
    });
    spelling.iter().map(spell).collect::<Vec<_>>().join(".")
}

/// A full name as [`Names::variable_names`] lists it.
pub(crate) fn full(full: &str, names: &dyn Names) -> String {
    let shared = names.shared(full).map(|_| VariableName {
        process: None,
        name: full.to_owned(),
    });
    let found = shared.or_else(|| {
        full.match_indices('.').find_map(|(dot, _)| {
            let process = names.process(&full[..dot])?;
            names.local(process, &full[dot + 1..])?;
            Some(VariableName {
                process: Some(process),
                name: full[dot + 1..].to_owned(),
            })
        })
    });
    found.map_or_else(|| full.to_owned(), |name| exact(&name, names))
}

fn lookup(name: &VariableName, names: &dyn Names) -> Option<VarRef> {
    match name.process {
        Some(process) => names.local(process, &name.name),
        None => names.shared(&name.name),
    }
}

fn segments(parts: &[&str]) -> Vec<Segment> {
    parts
        .iter()
        .enumerate()
        .map(|(at, part)| segment(part, at == 0))
        .collect()
}

/// A segment, bare if it can be.
fn segment(name: &str, first: bool) -> Segment {
    let taken = if first {
        is_keyword(name)
    } else {
        is_operator_word(name)
    };
    Segment {
        name: Arc::from(name),
        quoted: taken || !is_word(name),
        span: Span::default(),
    }
}

fn spell(segment: &Segment) -> String {
    match segment.quoted {
        true => format!("`{}`", escape(&segment.name, '`')),
        false => segment.name.to_string(),
    }
}

/// Whether the name is an ASCII word; other words need no backquotes either, but stand out in them.
fn is_word(name: &str) -> bool {
    let mut letters = name.chars();
    let starts = letters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == '_');
    starts && letters.all(|next| next.is_ascii_alphanumeric() || next == '_')
}
