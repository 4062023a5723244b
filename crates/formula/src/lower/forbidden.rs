//! Labels that a property only forbids: that no event carries one of them is good news, not a slip of the pen.
//!
//! `G !on("panic")` forbids, `G (on("request") -> F on("reply"))` needs both labels: without a request it says nothing.

use std::collections::HashSet;

use crate::property::Lets;
use crate::syntax::{Node, NodeKind, TemporalOp};
use causet_base::span::Span;

/// Where a formula names events that it only forbids.
pub(super) fn labels(node: &Node, lets: &Lets) -> HashSet<Span> {
    let mut found = Found {
        lets,
        forbidden: HashSet::new(),
        needed: HashSet::new(),
        steps: 0,
        depth: 0,
    };
    found.demanded(node);
    let Found {
        mut forbidden,
        needed,
        ..
    } = found;
    forbidden.retain(|span| !needed.contains(span));
    forbidden
}

/// Definitions may use each other; a formula in which this many nodes are visited is not looked at further.
const MAX_STEPS: usize = 100_000;
/// Nor are nodes deeper than this, definitions included.
const MAX_DEPTH: usize = 400;

struct Found<'l> {
    lets: &'l Lets,
    forbidden: HashSet<Span>,
    needed: HashSet<Span>,
    steps: usize,
    depth: usize,
}

impl Found<'_> {
    /// A part that has to be true, at every cut or at the first.
    fn demanded(&mut self, node: &Node) {
        self.deeper(|this| this.demanded_here(node));
    }

    fn demanded_here(&mut self, node: &Node) {
        match &node.kind {
            NodeKind::Group(one)
            | NodeKind::Quantified(_, _, one)
            | NodeKind::Temporal(TemporalOp::Ag | TemporalOp::Globally, one) => self.demanded(one),
            NodeKind::And(parts) | NodeKind::Or(parts) => {
                parts.iter().for_each(|part| self.demanded(part));
            }
            NodeKind::Implies(one, other) => {
                match other.ungrouped().kind {
                    NodeKind::Bool(false) => self.banned(one),
                    _ => self.each(one, Role::Needed),
                }
                self.demanded(other);
            }
            NodeKind::Not(one) => self.banned(one),
            NodeKind::Monitor(monitor) => {
                for edge in &monitor.edges {
                    let is_bad = monitor.bad.iter().any(|bad| bad.name == edge.to.name);
                    let role = if is_bad {
                        Role::Forbidden
                    } else {
                        Role::Needed
                    };
                    self.each(&edge.guard, role);
                }
            }
            NodeKind::Sequence(steps) => {
                for step in steps {
                    for guard in &step.guards {
                        let role = if guard.always {
                            Role::Needed
                        } else {
                            Role::Forbidden
                        };
                        self.each(&guard.what, role);
                    }
                    self.each(&step.at, Role::Needed);
                }
            }
            NodeKind::Name(path) => {
                let body = path.as_word().and_then(|word| self.lets.get(word));
                if let Some(body) = body {
                    self.demanded(&body.body);
                }
            }
            NodeKind::Call(name, arguments) => {
                if let Some(body) = self.lets.get(&name.name) {
                    self.demanded(&body.body);
                }
                arguments
                    .iter()
                    .for_each(|one| self.each(one, Role::Needed));
            }
            _ => self.each(node, Role::Needed),
        }
    }

    /// A part that must not become true.
    fn banned(&mut self, node: &Node) {
        self.deeper(|this| this.banned_here(node));
    }

    fn banned_here(&mut self, node: &Node) {
        match &node.kind {
            NodeKind::Group(one)
            | NodeKind::Quantified(_, _, one)
            | NodeKind::Temporal(TemporalOp::Ef | TemporalOp::Finally, one) => self.banned(one),
            NodeKind::And(parts) | NodeKind::Or(parts) => {
                parts.iter().for_each(|part| self.banned(part));
            }
            NodeKind::Not(one) => self.demanded(one),
            _ => self.each(node, Role::Forbidden),
        }
    }

    /// All events named in a part.
    fn each(&mut self, node: &Node, role: Role) {
        self.deeper(|this| this.each_here(node, role));
    }

    fn each_here(&mut self, node: &Node, role: Role) {
        let spans = match role {
            Role::Forbidden => &mut self.forbidden,
            Role::Needed => &mut self.needed,
        };
        spans.insert(node.span);
        let name = match &node.kind {
            NodeKind::Name(path) => path.as_word().map(|word| &**word),
            NodeKind::Call(name, _) => Some(&*name.name),
            _ => None,
        };
        if let Some(body) = name.and_then(|name| self.lets.get(name)) {
            self.each(&body.body, role);
        }
        let parts = node.kind.children().into_iter();
        parts.for_each(|part| self.each(part, role));
    }

    /// Visits a node, unless there were too many.
    fn deeper(&mut self, visit: impl FnOnce(&mut Self)) {
        if self.steps < MAX_STEPS && self.depth < MAX_DEPTH {
            self.steps += 1;
            self.depth += 1;
            visit(self);
            self.depth -= 1;
        }
    }
}

/// What is asked of an event.
#[derive(Clone, Copy)]
enum Role {
    Forbidden,
    Needed,
}
