//! How a name is written so that it is read back as itself.

use std::sync::Arc;

use crate::lower::resolve::{Resolution, resolve};
use crate::names::{Names, VarRef, VariableName};
use crate::parse::is_reserved;
use crate::span::Span;
use crate::syntax::Segment;
use crate::value::escape;

/// One segment: bare when it is a word and no keyword, else in backquotes.
pub(crate) fn word(name: &str) -> String {
    match is_bare(name) {
        true => name.to_owned(),
        false => quoted(name),
    }
}

/// The name of a variable; the shortest spelling that means it and nothing else.
pub(crate) fn exact(name: &VariableName, names: &dyn Names) -> String {
    let Some(variable) = lookup(name, names) else {
        return atomic(name, names, true);
    };
    let parts = segments(name, names);
    let bare: Vec<&str> = parts.iter().flat_map(|part| part.split('.')).collect();
    let plain = bare.iter().all(|part| is_bare(part));
    if plain && means(&bare, false, variable, names) {
        return bare.join(".");
    }
    if means(&parts, false, variable, names) {
        return atomic(name, names, false);
    }
    atomic(name, names, true)
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

fn segments<'a>(name: &'a VariableName, names: &'a dyn Names) -> Vec<&'a str> {
    let owner = name.process.map(|process| names.process_name(process));
    owner.into_iter().chain([name.name.as_str()]).collect()
}

/// Owner and name as one segment each.
fn atomic(name: &VariableName, names: &dyn Names, quote: bool) -> String {
    let spell = if quote { quoted } else { word };
    let parts: Vec<String> = segments(name, names).into_iter().map(spell).collect();
    parts.join(".")
}

/// Whether these segments, bare where they can be, mean the variable.
fn means(parts: &[&str], quote: bool, variable: VarRef, names: &dyn Names) -> bool {
    let segment = |name: &&str| Segment {
        name: Arc::from(*name),
        quoted: quote || !is_bare(name),
        span: Span::default(),
    };
    let segments: Vec<Segment> = parts.iter().map(segment).collect();
    matches!(resolve(&segments, names), Resolution::One(found) if found == variable)
}

/// Whether the name can stand without backquotes.
fn is_bare(name: &str) -> bool {
    let mut letters = name.chars();
    let starts = letters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == '_');
    starts && letters.all(|next| next.is_ascii_alphanumeric() || next == '_') && !is_reserved(name)
}

fn quoted(name: &str) -> String {
    format!("`{}`", escape(name, '`'))
}
