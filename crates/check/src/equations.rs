//! The equations of a formula as nodes, the form in which solvers and searches for runs read them.

use causet_formula::modal::{self, Modal};
use causet_solve::bes::program::{Node, Term};
use causet_solve::bes::{Operator, Sign};

/// One node for each equation, with the same number.
pub(crate) fn nodes(table: &Modal) -> Vec<Node> {
    let term = |term: &modal::Term| match *term {
        modal::Term::Here(to) => Term::Here(to),
        modal::Term::Step { action, to } => Term::Step { action, to },
    };
    let node = |equation: &modal::Equation| Node {
        sign: match equation.fixpoint {
            modal::Fixpoint::Least => Sign::Mu,
            modal::Fixpoint::Greatest => Sign::Nu,
        },
        operator: match equation.operator {
            modal::Operator::Some => Operator::Or,
            modal::Operator::All => Operator::And,
        },
        terms: equation.terms.iter().map(term).collect(),
    };
    table.equations.iter().map(node).collect()
}

/// Per node: its value, where that is the same at every cut and shows without solving anything.
pub(crate) fn fixed(nodes: &[Node]) -> Vec<Option<bool>> {
    let mut fixed = vec![None; nodes.len()];
    loop {
        let mut changed = false;
        for (number, node) in nodes.iter().enumerate() {
            if fixed[number].is_none() {
                fixed[number] = fixed_value(node, &fixed);
                changed |= fixed[number].is_some();
            }
        }
        if !changed {
            return fixed;
        }
    }
}

fn fixed_value(node: &Node, fixed: &[Option<bool>]) -> Option<bool> {
    let decisive = node.operator.decisive();
    let mut value = Some(!decisive);
    for term in &node.terms {
        let known = match *term {
            Term::Here(to) => fixed[to],
            // A step may be there or not.
            Term::Step { to, .. } => fixed[to].filter(|&value| value != decisive),
            Term::Atom { .. } => None,
        };
        match known {
            Some(known) if known == decisive => return known.into(),
            Some(_) => {}
            None => value = None,
        }
    }
    value
}
