//! Views kept up to date while terms change one after the other.
//!
//! A view is a tree over terms. After a change of one term only the nodes above it can change, and each of them is
//! brought up to date from what it was: a connective counts its true parts, a sum adds the difference, the least and
//! greatest of several are the ends of a sorted bag. So a predicate about a thousand processes costs as much per event as
//! one about a few, where evaluating the view again would look at all of its terms.

use std::collections::BTreeMap;

use causet_base::number::Number;
use causet_base::value::Value;
use causet_formula::core::{ArithOp, CmpOp};

use super::view::{Figure, TermId, View};

/// Some views and the values of their terms.
pub(crate) struct Incremental {
    nodes: Vec<Node>,
    /// Per term: the nodes that are this term.
    leaves: Vec<Vec<NodeId>>,
    /// Per view: its topmost node.
    roots: Vec<NodeId>,
    /// Views whose topmost node changed since they were last taken.
    changed: Vec<usize>,
    /// Divisions that had no result when they were last computed.
    suspects: Vec<NodeId>,
    divided_by_zero: bool,
}

type NodeId = usize;

/// Where a node stands.
#[derive(Clone, Copy)]
enum Above {
    /// Below another node.
    Node(NodeId),
    /// At the top of a view.
    View(usize),
}

struct Node {
    above: Above,
    operator: Operator,
    /// `None` where it is undefined.
    value: Option<Value>,
}

enum Operator {
    /// A term or a constant.
    Leaf,
    Not(NodeId),
    /// Whether at least `needed` parts hold.
    AtLeast {
        needed: usize,
        holding: usize,
    },
    /// How many parts hold.
    Count {
        holding: usize,
    },
    Compare(CmpOp, NodeId, NodeId),
    Holds(NodeId),
    Truth(NodeId),
    Neg(NodeId),
    Arith(ArithOp, NodeId, NodeId),
    /// The sum of the parts that are numbers, and how many are not.
    Sum {
        sum: Number,
        undefined: usize,
    },
    /// The parts that are numbers, and how many are not.
    Extreme {
        parts: BTreeMap<Number, usize>,
        undefined: usize,
        greatest: bool,
    },
}

impl Incremental {
    /// The views when terms have these values.
    pub(crate) fn new(views: &[View], terms: &[Option<Value>]) -> Self {
        let mut this = Incremental {
            nodes: Vec::new(),
            leaves: vec![Vec::new(); terms.len()],
            roots: Vec::new(),
            changed: Vec::new(),
            suspects: Vec::new(),
            divided_by_zero: false,
        };
        for (number, view) in views.iter().enumerate() {
            let root = this.add_view(view, terms);
            this.nodes[root].above = Above::View(number);
            this.roots.push(root);
        }
        this.settle();
        this
    }

    /// Whether a view holds.
    pub(crate) fn holds(&self, view: usize) -> bool {
        holds(&self.nodes[self.roots[view]].value)
    }

    /// A view that changed since it was last taken.
    pub(crate) fn next_changed(&mut self) -> Option<usize> {
        self.changed.pop()
    }

    /// Changes a term.
    pub(crate) fn change(&mut self, term: TermId, value: &Option<Value>) {
        for at in 0..self.leaves[term].len() {
            self.assign(self.leaves[term][at], value.clone());
        }
    }

    /// Looks at divisions once all terms that change together have changed.
    pub(crate) fn settle(&mut self) {
        while let Some(node) = self.suspects.pop() {
            let Operator::Arith(_, left, right) = self.nodes[node].operator else {
                continue;
            };
            let has_operands = self.number(left).is_some() && self.number(right).is_some();
            self.divided_by_zero |= has_operands && self.nodes[node].value.is_none();
        }
    }

    /// Whether something was divided by zero so far.
    pub(crate) fn divided_by_zero(&self) -> bool {
        self.divided_by_zero
    }

    /// Gives a node a value and brings the nodes above it up to date.
    fn assign(&mut self, mut node: NodeId, mut value: Option<Value>) {
        loop {
            if self.nodes[node].value == value {
                return;
            }
            let old = std::mem::replace(&mut self.nodes[node].value, value);
            match self.nodes[node].above {
                Above::View(view) => return self.changed.push(view),
                Above::Node(parent) => {
                    self.exchange(parent, &old, node);
                    value = self.compute(parent);
                    node = parent;
                }
            }
        }
    }

    /// Tells a node that a part has another value than before.
    fn exchange(&mut self, node: NodeId, old: &Option<Value>, part: NodeId) {
        let new = std::mem::take(&mut self.nodes[part].value);
        let operator = &mut self.nodes[node].operator;
        operator.remove(old);
        operator.add(&new);
        self.nodes[part].value = new;
    }

    /// The value of a node, from its parts.
    fn compute(&mut self, node: NodeId) -> Option<Value> {
        let value = match &self.nodes[node].operator {
            Operator::Leaf => self.nodes[node].value.clone(),
            Operator::Not(part) => Some(Value::from(!holds(&self.nodes[*part].value))),
            Operator::AtLeast { needed, holding } => Some(Value::from(holding >= needed)),
            Operator::Count { holding } => Some(Value::from(*holding as i64)),
            Operator::Compare(op, left, right) => {
                let (left, right) = (&self.nodes[*left].value, &self.nodes[*right].value);
                let operands = left.as_ref().zip(right.as_ref());
                let truth = operands.and_then(|(left, right)| op.apply(left, right));
                Some(Value::from(truth.unwrap_or(false)))
            }
            Operator::Holds(part) => {
                let truth = self.nodes[*part].value.as_ref().and_then(Value::holds);
                Some(Value::from(truth.unwrap_or(false)))
            }
            Operator::Truth(part) => self.nodes[*part].value.clone(),
            Operator::Neg(part) => self.number(*part).map(|number| Value::Number(-number)),
            Operator::Arith(op, left, right) => {
                let operands = self.number(*left).zip(self.number(*right));
                let result = operands.and_then(|(left, right)| op.apply(left, right));
                result.map(Value::Number)
            }
            Operator::Sum { sum, undefined } => {
                (*undefined == 0).then(|| Value::Number(sum.clone()))
            }
            Operator::Extreme {
                parts,
                undefined,
                greatest,
            } => {
                let mut numbers = parts.keys();
                let end = if *greatest {
                    numbers.next_back()
                } else {
                    numbers.next()
                };
                let end = end.filter(|_| *undefined == 0);
                end.map(|number| Value::Number(number.clone()))
            }
        };
        if value.is_none() && matches!(self.nodes[node].operator, Operator::Arith(..)) {
            self.suspects.push(node);
        }
        value
    }

    fn number(&self, node: NodeId) -> Option<&Number> {
        self.nodes[node].value.as_ref().and_then(Value::as_number)
    }

    /// A node above parts that have been added before.
    fn add(&mut self, mut operator: Operator, parts: &[NodeId]) -> NodeId {
        for &part in parts {
            operator.add(&self.nodes[part].value);
        }
        let node = self.add_leaf(None);
        self.nodes[node].operator = operator;
        self.nodes[node].value = self.compute(node);
        for &part in parts {
            self.nodes[part].above = Above::Node(node);
        }
        node
    }

    fn add_leaf(&mut self, value: Option<Value>) -> NodeId {
        self.nodes.push(Node {
            above: Above::View(0),
            operator: Operator::Leaf,
            value,
        });
        self.nodes.len() - 1
    }

    fn add_term(&mut self, term: TermId, terms: &[Option<Value>]) -> NodeId {
        let node = self.add_leaf(terms[term].clone());
        self.leaves[term].push(node);
        node
    }

    fn add_view(&mut self, view: &View, terms: &[Option<Value>]) -> NodeId {
        match view {
            View::Const(truth) => self.add_leaf(Some(Value::from(*truth))),
            View::Term(term) => self.add_term(*term, terms),
            View::Not(part) => {
                let part = self.add_view(part, terms);
                self.add(Operator::Not(part), &[part])
            }
            View::And(parts) => self.add_views(parts, parts.len(), terms),
            View::Or(parts) => self.add_views(parts, 1, terms),
            View::Compare(op, left, right) => {
                let (left, right) = (self.add_figure(left, terms), self.add_figure(right, terms));
                self.add(Operator::Compare(*op, left, right), &[left, right])
            }
            View::Holds(figure) => {
                let part = self.add_figure(figure, terms);
                self.add(Operator::Holds(part), &[part])
            }
        }
    }

    fn add_views(&mut self, parts: &[View], needed: usize, terms: &[Option<Value>]) -> NodeId {
        let parts: Vec<NodeId> = parts
            .iter()
            .map(|part| self.add_view(part, terms))
            .collect();
        let holding = 0;
        self.add(Operator::AtLeast { needed, holding }, &parts)
    }

    fn add_figure(&mut self, figure: &Figure, terms: &[Option<Value>]) -> NodeId {
        match figure {
            Figure::Literal(value) => self.add_leaf(Some(value.clone())),
            Figure::Undefined => self.add_leaf(None),
            Figure::Term(term) => self.add_term(*term, terms),
            Figure::InFlight(sent, received) => {
                let (sent, received) =
                    (self.add_term(*sent, terms), self.add_term(*received, terms));
                self.add(
                    Operator::Arith(ArithOp::Sub, sent, received),
                    &[sent, received],
                )
            }
            Figure::Neg(part) => {
                let part = self.add_figure(part, terms);
                self.add(Operator::Neg(part), &[part])
            }
            Figure::Arith(op, left, right) => {
                let (left, right) = (self.add_figure(left, terms), self.add_figure(right, terms));
                self.add(Operator::Arith(*op, left, right), &[left, right])
            }
            Figure::Count(views) => {
                let parts: Vec<NodeId> = views
                    .iter()
                    .map(|view| self.add_view(view, terms))
                    .collect();
                self.add(Operator::Count { holding: 0 }, &parts)
            }
            Figure::Sum(figures) => {
                let sum = Operator::Sum {
                    sum: Number::ZERO,
                    undefined: 0,
                };
                self.add_figures(sum, figures, terms)
            }
            Figure::Min(figures) => self.add_figures(Operator::extreme(false), figures, terms),
            Figure::Max(figures) => self.add_figures(Operator::extreme(true), figures, terms),
            Figure::Truth(view) => {
                let part = self.add_view(view, terms);
                self.add(Operator::Truth(part), &[part])
            }
        }
    }

    fn add_figures(
        &mut self,
        operator: Operator,
        figures: &[Figure],
        terms: &[Option<Value>],
    ) -> NodeId {
        let add = |figure| self.add_figure(figure, terms);
        let parts: Vec<NodeId> = figures.iter().map(add).collect();
        self.add(operator, &parts)
    }
}

impl Operator {
    fn extreme(greatest: bool) -> Operator {
        Operator::Extreme {
            parts: BTreeMap::new(),
            undefined: 0,
            greatest,
        }
    }

    /// Takes the value of a part into account.
    fn add(&mut self, part: &Option<Value>) {
        let number = part.as_ref().and_then(Value::as_number);
        match self {
            Operator::AtLeast { holding, .. } | Operator::Count { holding } => {
                *holding += usize::from(holds(part));
            }
            Operator::Sum { sum, undefined } => match number {
                Some(number) => *sum = &*sum + number,
                None => *undefined += 1,
            },
            Operator::Extreme {
                parts, undefined, ..
            } => match number {
                Some(number) => *parts.entry(number.clone()).or_default() += 1,
                None => *undefined += 1,
            },
            _ => {}
        }
    }

    /// Forgets a value that was added.
    fn remove(&mut self, part: &Option<Value>) {
        let number = part.as_ref().and_then(Value::as_number);
        match self {
            Operator::AtLeast { holding, .. } | Operator::Count { holding } => {
                *holding -= usize::from(holds(part));
            }
            Operator::Sum { sum, undefined } => match number {
                Some(number) => *sum = &*sum - number,
                None => *undefined -= 1,
            },
            Operator::Extreme {
                parts, undefined, ..
            } => match number {
                Some(number) => {
                    if let Some(times) = parts.get_mut(number) {
                        *times -= 1;
                        if *times == 0 {
                            parts.remove(number);
                        }
                    }
                }
                None => *undefined -= 1,
            },
            _ => {}
        }
    }
}

fn holds(truth: &Option<Value>) -> bool {
    *truth == Some(Value::Bool(true))
}
