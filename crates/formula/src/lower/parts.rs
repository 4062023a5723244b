//! The parts of a property that have a value, where they stand in its text, for those who show a formula at a cut.
//!
//! A part is lowered by itself, in the scope of one instance of the leading quantifiers. What is bound further in has no
//! one meaning there, and so what names it is no part.

use super::scope::Scope;
use super::{Events, Lowerer};
use crate::core::{Ctl, Expr, Pred};
use crate::linear::Ltl;
use crate::names::{Names, ProcRef};
use crate::property::{Kind, Lets, Property};
use crate::syntax::{Node, NodeKind};
use causet_base::span::Span;

/// More parts than this help nobody.
const MOST_PARTS: usize = 200;

/// A formula within a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Where it stands, in the source of the property.
    pub span: Span,
    /// What it says.
    pub says: Says,
}

/// What a part of a property says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Says {
    /// Something about the cut, and perhaps about the event before it.
    State(Pred),
    /// Something about what can follow.
    Ctl(Ctl),
    /// Something about what follows in one order.
    Ltl(Ltl),
}

/// The formulas within a property, each before those within it, for the instance with these bindings.
pub fn parts(
    property: &Property,
    lets: &Lets,
    names: &dyn Names,
    bindings: &[(String, ProcRef)],
) -> Vec<Part> {
    let mut found = Vec::new();
    let Some(mut node) = property.syntax() else {
        return found;
    };
    let mut unbound = bindings.len();
    while unbound > 0 {
        let NodeKind::Quantified(_, binder, body) = &node.kind else {
            return found;
        };
        unbound = unbound.saturating_sub(binder.names().count());
        node = body;
    }
    let bound: Vec<(&str, ProcRef)> = bindings
        .iter()
        .map(|(name, process)| (name.as_str(), *process))
        .collect();
    let root = Scope::root();
    let scope = root.with_processes(&bound);
    // A lowerer for each: what is wrong with one part is nobody else's business.
    let lowerer = || {
        let mut lowerer = Lowerer::new(property.kind, lets, names);
        lowerer.events = Events::Allowed;
        lowerer
    };
    let lower = |node: &Node| -> Option<Says> {
        let mut of_cuts = lowerer();
        let pred = of_cuts.predicate("a part", node, &scope);
        if let Some(pred) = pred.filter(|_| of_cuts.errors.is_empty()) {
            return Some(Says::State(pred));
        }
        let mut temporal = lowerer();
        let says = match property.kind {
            Kind::Ctl => Says::Ctl(temporal.formula(node, &scope)?),
            Kind::Ltl => Says::Ltl(temporal.formula(node, &scope)?),
            _ => return None,
        };
        temporal.errors.is_empty().then_some(says)
    };
    collect(node, &lower, &mut found);
    found
}

/// The numbers that definitions without parameters stand for, of those whose names occur in a text, with their names.
pub fn defined(text: &str, lets: &Lets, names: &dyn Names) -> Vec<(Expr, String)> {
    let root = Scope::root();
    let number = |name: &&str| -> Option<(Expr, String)> {
        let definition = lets.get(name).filter(|one| one.params.is_empty())?;
        let mut lowerer = Lowerer::new(Kind::Ctl, lets, names);
        let number = lowerer.value(&definition.body, &root)?;
        let is_plain = matches!(number, Expr::Literal(_) | Expr::Var(_) | Expr::Truth(_));
        (lowerer.errors.is_empty() && !is_plain).then(|| (number, (*name).to_owned()))
    };
    let mut used = lets.names();
    used.retain(|name| text.contains(name));
    used.iter().filter_map(number).collect()
}

/// The formulas in a piece of syntax. Below a comparison or a bound name there is nothing more to say.
fn collect(node: &Node, lower: &dyn Fn(&Node) -> Option<Says>, found: &mut Vec<Part>) {
    if found.len() >= MOST_PARTS {
        return;
    }
    let goes_deeper = match &node.kind {
        // Shown by what stands within.
        NodeKind::Group(_) => true,
        NodeKind::Sequence(_) | NodeKind::Monitor(_) | NodeKind::Regular(_) => true,
        NodeKind::Then(_) | NodeKind::Either(_) | NodeKind::Repeat(..) => true,
        NodeKind::Quantified(..) | NodeKind::Fold(..) | NodeKind::On(_) => {
            note(node, lower, found);
            false
        }
        NodeKind::Not(_) | NodeKind::And(_) | NodeKind::Or(_) => {
            note(node, lower, found);
            true
        }
        NodeKind::Implies(..)
        | NodeKind::Iff(..)
        | NodeKind::Temporal(..)
        | NodeKind::Until(..) => {
            note(node, lower, found);
            true
        }
        _ => {
            note(node, lower, found);
            false
        }
    };
    if goes_deeper {
        let children = node.kind.children().into_iter();
        children.for_each(|child| collect(child, lower, found));
    }
}

fn note(node: &Node, lower: &dyn Fn(&Node) -> Option<Says>, found: &mut Vec<Part>) {
    if let Some(says) = lower(node) {
        found.push(Part {
            span: node.span,
            says,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::lower;

    struct Two;

    impl Names for Two {
        fn process_count(&self) -> usize {
            2
        }

        fn process_name(&self, p: ProcRef) -> &str {
            ["a", "b"][p.0 as usize]
        }

        fn process(&self, name: &str) -> Option<ProcRef> {
            ["a", "b"]
                .iter()
                .position(|one| *one == name)
                .map(|at| ProcRef(at as u32))
        }

        fn shared(&self, _: &str) -> Option<crate::VarRef> {
            None
        }

        fn local(&self, p: ProcRef, name: &str) -> Option<crate::VarRef> {
            (name == "x").then_some(crate::VarRef(p.0))
        }

        fn variable_names(&self) -> Vec<String> {
            vec!["a.x".to_owned(), "b.x".to_owned()]
        }
    }

    fn texts(kind: Kind, text: &str) -> Vec<&str> {
        let property = Property::parse(kind, "p", text).unwrap();
        let lowered = lower(&property, &Lets::none(), &Two).unwrap();
        let bindings = lowered.instances.first().map(|one| one.bindings.clone());
        let parts = parts(
            &property,
            &Lets::none(),
            &Two,
            &bindings.unwrap_or_default(),
        );
        parts.iter().map(|part| part.span.text(text)).collect()
    }

    #[test]
    fn parts_come_outermost_first() {
        let found = texts(Kind::Ctl, "AG !(a.x = 1 && EF b.x)");
        assert_eq!(
            found,
            [
                "AG !(a.x = 1 && EF b.x)",
                "!(a.x = 1 && EF b.x)",
                "a.x = 1 && EF b.x",
                "a.x = 1",
                "EF b.x",
                "b.x"
            ]
        );
        let found = texts(Kind::Ltl, "a.x U !b.x");
        assert_eq!(found, ["a.x U !b.x", "a.x", "!b.x", "b.x"]);
    }

    #[test]
    fn bound_names_have_a_meaning_in_one_instance_only() {
        let found = texts(
            Kind::Ctl,
            "forall i in procs: AG (i.x || exists j in procs: j.x)",
        );
        assert_eq!(
            found,
            [
                "AG (i.x || exists j in procs: j.x)",
                "i.x || exists j in procs: j.x",
                "i.x",
                "exists j in procs: j.x"
            ]
        );
    }

    #[test]
    fn events_are_parts_of_properties_of_runs() {
        assert_eq!(
            texts(Kind::Ltl, "G (on(a.x) -> b.x)"),
            ["G (on(a.x) -> b.x)", "on(a.x) -> b.x", "on(a.x)", "b.x"]
        );
    }
}
