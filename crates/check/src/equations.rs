//! What the equations of a formula show before they are solved.

use causet_solve::bes::program::{Node, Term};

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
