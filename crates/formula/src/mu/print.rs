//! The canonical spelling of a formula: it reads back as the same formula.

use std::fmt::{self, Display, Formatter, Write};

use super::Formula;
use super::lex::is_word;
use super::parse::is_action_word;
use super::pattern::spell;
use super::syntax::{Label, LabelKind, Regular, RegularKind, State, StateKind, Value};

impl Display for Formula {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.root().fmt(f)
    }
}

impl Display for State {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        state(f, self, 0)
    }
}

impl Display for Regular {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            RegularKind::Action(label) => label.fmt(f),
            _ => regular(f, self, 0),
        }
    }
}

impl Display for Label {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        label(f, self, 0)
    }
}

/// The beginning of a long text, at most `room` characters.
pub(super) fn shortened(what: &dyn Display, room: usize) -> String {
    let mut short = Short {
        text: String::new(),
        room,
    };
    match write!(short, "{what}") {
        Ok(()) => short.text,
        Err(fmt::Error) => short.text + "...",
    }
}

/// A text that refuses to grow beyond its room.
struct Short {
    text: String,
    room: usize,
}

impl Write for Short {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for c in text.chars() {
            self.room = self.room.checked_sub(1).ok_or(fmt::Error)?;
            self.text.push(c);
        }
        Ok(())
    }
}

/// How tightly a formula holds together.
fn level(kind: &StateKind) -> u8 {
    match kind {
        StateKind::Fixpoint(..) => 0,
        StateKind::Equivalent(..) => 1,
        StateKind::Implies(..) => 2,
        StateKind::Or(_) => 3,
        StateKind::And(_) => 4,
        _ => 5,
    }
}

/// Writes a formula, in parentheses if it does not hold together as tightly as asked for.
fn state(f: &mut Formatter<'_>, node: &State, least: u8) -> fmt::Result {
    if level(&node.kind) < least {
        f.write_char('(')?;
        state(f, node, 0)?;
        return f.write_char(')');
    }
    match &node.kind {
        StateKind::True => f.write_str("true"),
        StateKind::False => f.write_str("false"),
        StateKind::Variable(name) => f.write_str(name),
        StateKind::Not(inner) => {
            f.write_char('!')?;
            state(f, inner, 5)
        }
        StateKind::And(all) => joined(f, all, " && ", |f, one| state(f, one, 5)),
        StateKind::Or(all) => joined(f, all, " || ", |f, one| state(f, one, 4)),
        StateKind::Implies(left, right) => {
            state(f, left, 3)?;
            f.write_str(" -> ")?;
            state(f, right, 2)
        }
        StateKind::Equivalent(left, right) => {
            state(f, left, 1)?;
            f.write_str(" <-> ")?;
            state(f, right, 2)
        }
        StateKind::Diamond(path, inner) => {
            write!(f, "<{path}> ")?;
            state(f, inner, 5)
        }
        StateKind::Box(path, inner) => {
            write!(f, "[{path}] ")?;
            state(f, inner, 5)
        }
        StateKind::Loops(path) => write!(f, "@({path})"),
        StateKind::Fixpoint(sign, name, body) => {
            write!(f, "{} {name}. ", sign.word())?;
            state(f, body, 0)
        }
    }
}

/// Choices are 0, sequences 1, repetitions 2, single steps what their labels allow.
fn regular(f: &mut Formatter<'_>, node: &Regular, least: u8) -> fmt::Result {
    let level = match &node.kind {
        RegularKind::Choice(_) => 0,
        RegularKind::Sequence(_) => 1,
        RegularKind::Star(_) | RegularKind::Plus(_) | RegularKind::Optional(_) => 2,
        RegularKind::Nil | RegularKind::Action(_) => 3,
    };
    if level < least {
        f.write_char('(')?;
        regular(f, node, 0)?;
        return f.write_char(')');
    }
    match &node.kind {
        RegularKind::Action(one) => label(f, one, 4),
        RegularKind::Nil => f.write_str("nil"),
        RegularKind::Sequence(all) => joined(f, all, " . ", |f, one| regular(f, one, 2)),
        RegularKind::Choice(all) => joined(f, all, " | ", |f, one| regular(f, one, 1)),
        RegularKind::Star(inner) => repeated(f, inner, '*'),
        RegularKind::Plus(inner) => repeated(f, inner, '+'),
        RegularKind::Optional(inner) => repeated(f, inner, '?'),
    }
}

fn repeated(f: &mut Formatter<'_>, inner: &Regular, sign: char) -> fmt::Result {
    match &inner.kind {
        // `!a*` is right too, but reads as if the label were repeated first.
        RegularKind::Action(one) => label(f, one, 5)?,
        _ => regular(f, inner, 2)?,
    }
    f.write_char(sign)
}

/// Equivalences are 0, then implications, disjunctions, conjunctions, negations, and 5 what is one token.
fn label(f: &mut Formatter<'_>, node: &Label, least: u8) -> fmt::Result {
    let level = match &node.kind {
        LabelKind::Equivalent(..) => 0,
        LabelKind::Implies(..) => 1,
        LabelKind::Or(_) => 2,
        LabelKind::And(_) => 3,
        LabelKind::Not(_) => 4,
        _ => 5,
    };
    if level < least {
        f.write_char('(')?;
        label(f, node, 0)?;
        return f.write_char(')');
    }
    match &node.kind {
        LabelKind::Not(inner) => {
            f.write_char('!')?;
            label(f, inner, 4)
        }
        LabelKind::And(all) => joined(f, all, " && ", |f, one| label(f, one, 4)),
        LabelKind::Or(all) => joined(f, all, " || ", |f, one| label(f, one, 3)),
        LabelKind::Implies(left, right) => {
            label(f, left, 2)?;
            f.write_str(" -> ")?;
            label(f, right, 1)
        }
        LabelKind::Equivalent(left, right) => {
            label(f, left, 0)?;
            f.write_str(" <-> ")?;
            label(f, right, 1)
        }
        simple => single(f, simple),
    }
}

/// A label without operators.
fn single(f: &mut Formatter<'_>, kind: &LabelKind) -> fmt::Result {
    match kind {
        LabelKind::Any => f.write_str("true"),
        LabelKind::None => f.write_str("false"),
        LabelKind::Internal => f.write_str("tau"),
        LabelKind::InternalOrI => f.write_char('i'),
        LabelKind::Exact(text) if is_word(text) && !is_action_word(text) => f.write_str(text),
        LabelKind::Exact(text) => {
            let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
            write!(f, "\"{escaped}\"")
        }
        LabelKind::Matches { written, .. } => write!(f, "'{written}'"),
        LabelKind::Call { name, values, .. } => {
            write!(f, "{name}(")?;
            joined(f, values, ", ", value)?;
            f.write_char(')')
        }
        LabelKind::Offers {
            gate, values, open, ..
        } => {
            write!(f, "{{{gate}")?;
            for one in values {
                f.write_str(" !")?;
                value(f, one)?;
            }
            f.write_str(if *open { " ...}" } else { "}" })
        }
        // Those with operators are written by the caller.
        _ => Ok(()),
    }
}

fn value(f: &mut Formatter<'_>, value: &Value) -> fmt::Result {
    match value {
        Value::Any => f.write_char('_'),
        Value::Bound(name) => f.write_str(name),
        Value::Exact(tokens) => f.write_str(&spell(tokens)),
    }
}

fn joined<T>(
    f: &mut Formatter<'_>,
    all: &[T],
    between: &str,
    mut write: impl FnMut(&mut Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    for (index, one) in all.iter().enumerate() {
        if index > 0 {
            f.write_str(between)?;
        }
        write(f, one)?;
    }
    Ok(())
}
