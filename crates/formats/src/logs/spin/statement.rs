//! What the statements of a model do, worked out once for all steps that execute them.

use super::super::symbols::{Symbol, Symbols};
use super::terms::{Mention, mentions, target};

/// A statement.
pub(super) struct Statement<'s> {
    pub(super) text: &'s str,
    /// The variables that it names.
    pub(super) mentions: Vec<Variable<'s>>,
    /// The variables that it assigns: the left side, or what a message is received into.
    pub(super) assigned: Vec<Variable<'s>>,
    /// What it sends or receives.
    pub(super) passing: Option<Passing<'s>>,
    /// How it looks at a queue, if it does.
    pub(super) looks: Option<&'static str>,
    /// Whether it assigns a field of a structure.
    pub(super) sets_field: bool,
    /// Whether it depends on more than it names.
    pub(super) is_else: bool,
}

/// A variable in a statement.
#[derive(Clone, Copy)]
pub(super) struct Variable<'s> {
    pub(super) mention: Mention<'s>,
    /// Its name without an index, if that was printed anywhere.
    pub(super) name: Option<Symbol>,
}

/// What a statement does with a channel.
#[derive(Clone, Copy)]
pub(super) struct Passing<'s> {
    pub(super) channel: &'s str,
    pub(super) pass: Pass,
    /// Whether messages are put where their content says.
    pub(super) sorts: bool,
}

/// What a statement does with a queue.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Pass {
    Send,
    Receive,
    /// Any message that fits, not only the first.
    Fetch,
    /// The message stays.
    Copy,
}

impl<'s> Statement<'s> {
    /// What a statement does with variables whose names are printed among some texts.
    pub(super) fn new(text: &'s str, printed: &Symbols) -> Self {
        let passing = passing(text);
        let variables = |mentions: Vec<Mention<'s>>| -> Vec<Variable<'s>> {
            let mentions = mentions.into_iter();
            mentions
                .map(|mention| Variable::new(mention, printed))
                .collect()
        };
        Statement {
            text,
            mentions: variables(mentions(text)),
            assigned: variables(assigned(text, passing)),
            passing,
            looks: LOOKS.into_iter().find(|look| text.contains(look)),
            sets_field: target(text).is_some_and(|target| target.name.contains('.')),
            is_else: ["else", "timeout"].contains(&text),
        }
    }
}

impl<'s> Variable<'s> {
    pub(super) fn new(mention: Mention<'s>, printed: &Symbols) -> Self {
        Variable {
            mention,
            name: printed.find(mention.name),
        }
    }
}

const LOOKS: [&str; 6] = ["len(", "nfull(", "full(", "nempty(", "empty(", "?["];

fn assigned<'s>(statement: &'s str, passing: Option<Passing<'s>>) -> Vec<Mention<'s>> {
    match passing {
        Some(passing) if passing.pass == Pass::Send => Vec::new(),
        Some(passing) => mentions(&statement[passing.channel.len()..]),
        None => target(statement).into_iter().collect(),
    }
}

/// The channel of a statement, what is done with it, and whether that sorts.
fn passing(statement: &str) -> Option<Passing<'_>> {
    let at = statement.find(['!', '?'])?;
    let (channel, rest) = statement.split_at(at);
    let is_channel = |c: char| c.is_ascii_alphanumeric() || "_.[]()+-*/%".contains(c);
    let starts = channel.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if !starts
        || !channel.chars().all(is_channel)
        || rest.starts_with("!=")
        || rest.starts_with("?[")
    {
        return None;
    }
    let pass = match rest {
        rest if rest.starts_with('!') => Pass::Send,
        rest if rest.starts_with("??") => Pass::Fetch,
        rest if rest.starts_with("?<") => Pass::Copy,
        _ => Pass::Receive,
    };
    let sorts = rest.starts_with("!!");
    Some(Passing {
        channel,
        pass,
        sorts,
    })
}
