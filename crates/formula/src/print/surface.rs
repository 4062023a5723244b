//! The surface syntax as text: the tokens that were read, evenly spaced.

use std::fmt::{self, Display, Formatter, Write};

use crate::print::spell;
use crate::syntax::{Binder, EventSyntax, Monitor, MonitorEdge, Node, NodeKind, Path, Step};
use causet_base::value::escape;

impl Display for Node {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            NodeKind::Number(number) => write!(f, "{number}"),
            NodeKind::Bool(value) => write!(f, "{value}"),
            NodeKind::Text(text) => quoted(f, text),
            NodeKind::Name(path) => write!(f, "{path}"),
            NodeKind::Call(name, arguments) => {
                write!(f, "{}(", name.name)?;
                separated(f, arguments, ", ")?;
                f.write_char(')')
            }
            NodeKind::Group(inner) => write!(f, "({inner})"),
            NodeKind::Neg(inner) => write!(f, "-{inner}"),
            NodeKind::Not(inner) => write!(f, "!{inner}"),
            NodeKind::Arith(op, a, b) => write!(f, "{a} {} {b}", op.symbol()),
            NodeKind::Compare(first, rest) => {
                write!(f, "{first}")?;
                rest.iter()
                    .try_for_each(|(op, next)| write!(f, " {} {next}", op.symbol()))
            }
            NodeKind::And(parts) => separated(f, parts, " && "),
            NodeKind::Or(parts) => separated(f, parts, " || "),
            NodeKind::Implies(a, b) => write!(f, "{a} -> {b}"),
            NodeKind::Iff(a, b) => write!(f, "{a} <-> {b}"),
            NodeKind::Inflight(from, to) => write!(f, "inflight({from} -> {to})"),
            NodeKind::Empty(from, to) => write!(f, "empty({from} -> {to})"),
            NodeKind::Done(process) => write!(f, "done({process})"),
            NodeKind::Steps(process) => write!(f, "steps({process})"),
            NodeKind::Initial => f.write_str("initial"),
            NodeKind::Final => f.write_str("final"),
            NodeKind::On(event) => write!(f, "on({event})"),
            NodeKind::Fold(fold, binder, body) => write!(f, "{}({binder}: {body})", fold.word()),
            NodeKind::Listed(fold, parts) => {
                write!(f, "{}(", fold.word())?;
                separated(f, parts, ", ")?;
                f.write_char(')')
            }
            NodeKind::Quantified(quantifier, binder, body) => {
                write!(f, "{} {binder}: {body}", quantifier.word())
            }
            NodeKind::Temporal(op, inner) => write!(f, "{} {inner}", op.word()),
            NodeKind::Until(Some(path), op, a, b) => {
                write!(f, "{}[{a} {} {b}]", path.word(), op.word())
            }
            NodeKind::Until(None, op, a, b) => write!(f, "{a} {} {b}", op.word()),
            NodeKind::Sequence(steps) => {
                f.write_str("{ ")?;
                separated(f, steps, " ; ")?;
                f.write_str(" }")
            }
            NodeKind::Regular(inner) => write!(f, "re( {inner} )"),
            NodeKind::Then(parts) => separated(f, parts, " . "),
            NodeKind::Either(parts) => separated(f, parts, " | "),
            NodeKind::Repeat(repetition, inner) => write!(f, "{inner}{}", repetition.sign()),
            NodeKind::AnyLetter => f.write_char('_'),
            NodeKind::EmptyWord => f.write_str("()"),
            NodeKind::Monitor(monitor) => write!(f, "{monitor}"),
        }
    }
}

impl Display for EventSyntax {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            EventSyntax::Label(label) => quoted(f, label),
            EventSyntax::Process(process) => write!(f, "{process}, any"),
            EventSyntax::ProcessLabel(process, label) => {
                write!(f, "{process}, ")?;
                quoted(f, label)
            }
            EventSyntax::About(node) => write!(f, "{node}"),
        }
    }
}

impl Display for Step {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for guard in &self.guards {
            let word = if guard.always { "always" } else { "never" };
            write!(f, "[{word} {}] ", guard.what)?;
        }
        write!(f, "{}", self.at)
    }
}

impl Display for Monitor {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{{ start {}; ", spell::state(&self.start.name))?;
        separated(f, &self.edges, "; ")?;
        let bad: Vec<String> = self.bad.iter().map(|one| spell::state(&one.name)).collect();
        write!(f, "; bad {} }}", bad.join(", "))
    }
}

impl Display for MonitorEdge {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (from, to) = (spell::state(&self.from.name), spell::state(&self.to.name));
        write!(f, "{from} -> {to} {} {}", self.trigger.word(), self.guard)
    }
}

impl Display for Binder {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (place, range) in self.ranges.iter().enumerate() {
            let names: Vec<&str> = range.names.iter().map(|name| &*name.name).collect();
            let comma = if place == 0 { "" } else { ", " };
            write!(f, "{comma}{} in procs", names.join(", "))?;
            if let Some(glob) = &range.glob {
                f.write_char('(')?;
                quoted(f, glob)?;
                f.write_char(')')?;
            }
        }
        match &self.condition {
            Some(condition) => write!(f, " where {condition}"),
            None => Ok(()),
        }
    }
}

impl Display for Path {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (place, segment) in self.segments.iter().enumerate() {
            if place > 0 {
                f.write_char('.')?;
            }
            match segment.quoted {
                true => write!(f, "`{}`", escape(&segment.name, '`'))?,
                false => f.write_str(&segment.name)?,
            }
        }
        Ok(())
    }
}

fn separated<T: Display>(f: &mut Formatter<'_>, parts: &[T], between: &str) -> fmt::Result {
    for (place, part) in parts.iter().enumerate() {
        if place > 0 {
            f.write_str(between)?;
        }
        write!(f, "{part}")?;
    }
    Ok(())
}

fn quoted(f: &mut Formatter<'_>, text: &str) -> fmt::Result {
    write!(f, "\"{}\"", escape(text, '"'))
}
