//! From a formula of CTL to equations: one node per sub-formula and truth value, so that none needs a negation.
//!
//! ```text
//! E[f U g]     X = some { g, Y }     Y = all { f, Z }                           Z = some { X after a step }
//! A[f U g]     X = some { g, Y }     Y = all { f, W, X after every step }       W = some { true after a step }
//! ```
//!
//! The opposites have `some` and `all` exchanged. `W` keeps the final cut apart, where nothing follows and an until is
//! its goal. Where `f` is true, `Y` and `Z` are taken into `X`.

use causet_formula::core::{Ctl, Pred};
use causet_solve::bes::program::{Node, Term};
use causet_solve::bes::{Operator, Sign};
use rustc_hash::FxHashMap;

/// The nodes of a formula.
pub(super) struct Table<'f, N> {
    pub(super) nodes: Vec<Node>,
    known: FxHashMap<(&'f Ctl, bool), Part>,
    /// The number of a predicate.
    number_of: N,
}

/// What a sub-formula has become.
#[derive(Clone, Copy)]
pub(super) enum Part {
    Const(bool),
    Atom { atom: u32, truth: bool },
    Node(usize),
}

/// The only action: every step counts.
const ANY: usize = 0;

impl<'f, N: Fn(&Pred) -> usize> Table<'f, N> {
    /// The nodes that say whether a formula is true, and the one for the whole.
    pub(super) fn new(formula: &'f Ctl, number_of: N) -> (Self, usize) {
        let mut table = Table {
            nodes: Vec::new(),
            known: FxHashMap::default(),
            number_of,
        };
        let main = table.part(formula, true);
        let main = table.node(main);
        (table, main)
    }

    /// The node that says whether an until has a truth value, if the formula has it.
    pub(super) fn until(&self, formula: &Ctl, truth: bool) -> Option<usize> {
        match self.known.get(&(formula, truth)) {
            Some(Part::Node(node)) => Some(*node),
            _ => None,
        }
    }

    /// What it takes for a formula to have a truth value.
    fn part(&mut self, formula: &'f Ctl, truth: bool) -> Part {
        if let Some(&known) = self.known.get(&(formula, truth)) {
            return known;
        }
        let part = match formula {
            Ctl::State(Pred::Const(value)) => Part::Const(*value == truth),
            Ctl::State(pred) => Part::Atom {
                atom: (self.number_of)(pred) as u32,
                truth,
            },
            Ctl::Not(inner) => self.part(inner, !truth),
            Ctl::And(parts) => self.join(parts, truth, all_if(truth)),
            Ctl::Or(parts) => self.join(parts, truth, all_if(!truth)),
            Ctl::Ex(inner) => {
                let inner = self.part(inner, truth);
                let to = self.node(inner);
                Part::Node(self.add(truth, all_if(!truth), vec![Term::Step { action: ANY, to }]))
            }
            Ctl::Eu(hold, goal) => return self.until_node(formula, (hold, goal), truth, false),
            Ctl::Au(hold, goal) => return self.until_node(formula, (hold, goal), truth, true),
            // Languages of runs and modalities are decided elsewhere; here they are never asked for.
            Ctl::Run(_) | Ctl::Modal(_) => Part::Const(!truth),
        };
        self.known.insert((formula, truth), part);
        part
    }

    fn join(&mut self, parts: &'f [Ctl], truth: bool, operator: Operator) -> Part {
        let parts = parts.iter().map(|part| self.part(part, truth));
        let parts: Vec<Part> = parts.collect();
        self.joined(truth, operator, &parts, Vec::new())
    }

    /// Parts and further terms as one part; constants are taken in.
    fn joined(&mut self, truth: bool, operator: Operator, parts: &[Part], more: Vec<Term>) -> Part {
        let mut terms = more;
        for &part in parts {
            match part {
                Part::Const(value) if value == operator.decisive() => return part,
                Part::Const(_) => {}
                Part::Atom { atom, truth } => terms.push(Term::Atom { atom, truth }),
                Part::Node(node) => terms.push(Term::Here(node)),
            }
        }
        match terms[..] {
            [] => Part::Const(!operator.decisive()),
            [Term::Here(node)] => Part::Node(node),
            [Term::Atom { atom, truth }] => Part::Atom { atom, truth },
            _ => Part::Node(self.add(truth, operator, terms)),
        }
    }

    fn until_node(
        &mut self,
        formula: &'f Ctl,
        (hold, goal): (&'f Ctl, &'f Ctl),
        truth: bool,
        on_all: bool,
    ) -> Part {
        let (some, all) = (all_if(!truth), all_if(truth));
        let whole = self.add(truth, some, Vec::new());
        self.known.insert((formula, truth), Part::Node(whole));
        let (hold, goal) = (self.part(hold, truth), self.part(goal, truth));
        let again = Term::Step {
            action: ANY,
            to: whole,
        };
        let mut terms = Vec::new();
        match on_all {
            true => {
                let anywhere = self.constant(truth);
                let to = Term::Step {
                    action: ANY,
                    to: anywhere,
                };
                let goes_on = self.add(truth, some, vec![to]);
                let parts = [hold, Part::Node(goes_on)];
                let later = self.joined(truth, all, &parts, vec![again]);
                terms.push(Term::Here(self.node(later)));
            }
            false if matches!(hold, Part::Const(value) if value == truth_of(all)) => {
                terms.push(again);
            }
            false => {
                let after = self.add(truth, some, vec![again]);
                let later = self.joined(truth, all, &[hold, Part::Node(after)], Vec::new());
                terms.push(Term::Here(self.node(later)));
            }
        }
        terms.push(self.here(goal));
        self.nodes[whole].terms = terms;
        Part::Node(whole)
    }

    fn here(&mut self, part: Part) -> Term {
        match part {
            Part::Atom { atom, truth } => Term::Atom { atom, truth },
            part => Term::Here(self.node(part)),
        }
    }

    /// A part as a node of its own.
    fn node(&mut self, part: Part) -> usize {
        match part {
            Part::Node(node) => node,
            Part::Const(value) => self.constant(value),
            Part::Atom { atom, truth } => {
                let atom = Term::Atom { atom, truth };
                self.add(true, Operator::Or, vec![atom])
            }
        }
    }

    fn constant(&mut self, value: bool) -> usize {
        self.add(true, all_if(value), Vec::new())
    }

    fn add(&mut self, truth: bool, operator: Operator, terms: Vec<Term>) -> usize {
        let sign = if truth { Sign::Mu } else { Sign::Nu };
        self.nodes.push(Node {
            sign,
            operator,
            terms,
        });
        self.nodes.len() - 1
    }
}

fn all_if(all: bool) -> Operator {
    if all { Operator::And } else { Operator::Or }
}

/// The value of a part that makes no difference.
fn truth_of(operator: Operator) -> bool {
    !operator.decisive()
}
