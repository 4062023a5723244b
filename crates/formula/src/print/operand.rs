//! What a property is about, in the author's own words: of `AG f` the `f`, with definitions left by their names.
//!
//! The text is taken from the source token by token, so that comments and line ends are gone and the spelling is kept;
//! the names a quantifier binds are replaced by the processes of one instance. The printer of the core says the same
//! with every definition expanded, which nobody recognises.

use crate::lex::tokenise;
use crate::names::{Names, ProcRef};
use crate::print::spell;
use crate::property::{Kind, Property};
use crate::syntax::{EventSyntax, Node, NodeKind, Path, TemporalOp};

/// The operand of a property's outermost operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand {
    /// `AG`, `AF`, `EG` or `EF`; `possibly` is `EF` and `definitely` is `AF`.
    pub op: TemporalOp,
    /// The operand as it was written.
    pub text: String,
    /// When the operand is a negation: what it denies.
    pub denied: Option<String>,
}

impl Property {
    /// The operand of the outermost operator, for the instance with these bindings; `None` when the property has
    /// another shape.
    pub fn operand(&self, bindings: &[(String, ProcRef)], names: &dyn Names) -> Option<Operand> {
        let mut node = self.syntax()?;
        let mut unbound = bindings.len();
        while unbound > 0 {
            let NodeKind::Quantified(_, binder, body) = &node.kind else {
                return None;
            };
            unbound = unbound.checked_sub(binder.names().count())?;
            node = body;
        }
        let (op, operand) = match (self.kind, &node.ungrouped().kind) {
            (_, NodeKind::Quantified(..) | NodeKind::Sequence(_) | NodeKind::Regular(_)) => {
                return None;
            }
            (Kind::Possibly, _) => (TemporalOp::Ef, node),
            (Kind::Definitely, _) => (TemporalOp::Af, node),
            (Kind::Ctl, NodeKind::Temporal(op, operand)) => (*op, &**operand),
            _ => return None,
        };
        if !matches!(
            op,
            TemporalOp::Ag | TemporalOp::Af | TemporalOp::Eg | TemporalOp::Ef
        ) {
            return None;
        }
        let operand = operand.ungrouped();
        let words = |node: &Node| self.words(node, bindings, names);
        let denied = match &operand.kind {
            NodeKind::Not(denied) => Some(words(denied.ungrouped())?),
            _ => None,
        };
        let text = words(operand)?;
        Some(Operand { op, text, denied })
    }

    /// The tokens of a part of the formula, bound names replaced.
    fn words(
        &self,
        node: &Node,
        bindings: &[(String, ProcRef)],
        names: &dyn Names,
    ) -> Option<String> {
        let start = node.span.start.checked_sub(self.span.start)?;
        let end = node.span.end.checked_sub(self.span.start)?;
        let text = self.text.get(start as usize..end as usize)?;
        let mut uses = Uses {
            bindings,
            hidden: Vec::new(),
            found: Vec::new(),
        };
        uses.collect(node);
        let mut out = String::new();
        let mut last_end = 0;
        for lexeme in tokenise(text).0 {
            if lexeme.span.start > last_end && !out.is_empty() {
                out.push(' ');
            }
            last_end = lexeme.span.end;
            let place = node.span.start + lexeme.span.start;
            match uses.found.iter().find(|(used, _)| *used == place) {
                Some((_, process)) => out.push_str(&spell::word(names.process_name(*process))),
                None => out.push_str(lexeme.span.text(text)),
            }
        }
        Some(out)
    }
}

/// The places where the names of a quantifier are used, and the processes that belong there.
struct Uses<'a> {
    bindings: &'a [(String, ProcRef)],
    /// The names that something further in has bound again.
    hidden: Vec<&'a str>,
    found: Vec<(u32, ProcRef)>,
}

impl<'a> Uses<'a> {
    fn collect(&mut self, node: &'a Node) {
        let outside = self.hidden.len();
        match &node.kind {
            NodeKind::Name(path) | NodeKind::Done(path) | NodeKind::Steps(path) => self.note(path),
            NodeKind::On(EventSyntax::ProcessLabel(path, _) | EventSyntax::Process(path)) => {
                self.note(path);
            }
            NodeKind::Inflight(from, to) | NodeKind::Empty(from, to) => {
                self.note(from);
                self.note(to);
            }
            NodeKind::Fold(_, binder, _) | NodeKind::Quantified(_, binder, _) => {
                self.hidden
                    .extend(binder.names().map(|(name, _)| &*name.name));
            }
            _ => {}
        }
        let children = node.kind.children().into_iter();
        children.for_each(|child| self.collect(child));
        self.hidden.truncate(outside);
    }

    fn note(&mut self, path: &'a Path) {
        let first = &path.segments[0];
        if first.quoted || self.hidden.contains(&&*first.name) {
            return;
        }
        let bound = |(name, _): &&(String, ProcRef)| **name == *first.name;
        if let Some((_, process)) = self.bindings.iter().rev().find(bound) {
            self.found.push((first.span.start, *process));
        }
    }
}
