//! Views kept up to date while terms change one after the other.
//!
//! A view is a tree over terms. After a change of one term only the nodes above it can change, and each of them is
//! brought up to date from what it was: a connective counts its true parts, a sum adds the difference, the least and
//! greatest of several are the ends of a sorted bag. So a predicate about a thousand processes costs as much per event as
//! one about a few, where evaluating the view again would look at all of its terms.
//!
//! Equal subtrees are one node with several parents. `forall i in procs: i.x < sum(k in procs: k.x)` has one sum, however
//! many processes there are; with a sum for each of them an event would cost as much as there are processes.

use std::collections::BTreeMap;

use causet_base::number::Number;
use causet_base::value::Value;
use causet_formula::core::{ArithOp, CmpOp};
use rustc_hash::FxHashMap;

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
    /// One entry for each time it is a part.
    above: Vec<Above>,
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
        let empty = Incremental {
            nodes: Vec::new(),
            leaves: vec![Vec::new(); terms.len()],
            roots: Vec::new(),
            changed: Vec::new(),
            suspects: Vec::new(),
            divided_by_zero: false,
        };
        let mut builder = Builder {
            incremental: empty,
            terms,
            views: FxHashMap::default(),
            figures: FxHashMap::default(),
        };
        for (number, view) in views.iter().enumerate() {
            let root = builder.view(view);
            let this = &mut builder.incremental;
            this.nodes[root].above.push(Above::View(number));
            this.roots.push(root);
        }
        let mut this = builder.incremental;
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

    /// Gives a leaf a value and brings the nodes above it up to date.
    fn assign(&mut self, leaf: NodeId, value: Option<Value>) {
        let mut outdated = Vec::new();
        self.replace(leaf, value, &mut outdated);
        while let Some(node) = outdated.pop() {
            let value = self.compute(node);
            self.replace(node, value, &mut outdated);
        }
    }

    /// Gives a node a value; the nodes that it is a part of are outdated then.
    fn replace(&mut self, node: NodeId, value: Option<Value>, outdated: &mut Vec<NodeId>) {
        if self.nodes[node].value == value {
            return;
        }
        let old = std::mem::replace(&mut self.nodes[node].value, value);
        for at in 0..self.nodes[node].above.len() {
            match self.nodes[node].above[at] {
                Above::View(view) => self.changed.push(view),
                Above::Node(parent) => {
                    self.exchange(parent, &old, node);
                    outdated.push(parent);
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
}

/// Views on their way into nodes.
struct Builder<'v> {
    incremental: Incremental,
    terms: &'v [Option<Value>],
    /// The nodes of what has been added.
    views: FxHashMap<&'v View, NodeId>,
    figures: FxHashMap<&'v Figure, NodeId>,
}

impl<'v> Builder<'v> {
    /// A node above parts that have been added before.
    fn node(&mut self, mut operator: Operator, parts: &[NodeId]) -> NodeId {
        let node = self.leaf(None);
        let this = &mut self.incremental;
        for &part in parts {
            operator.add(&this.nodes[part].value);
            this.nodes[part].above.push(Above::Node(node));
        }
        this.nodes[node].operator = operator;
        this.nodes[node].value = this.compute(node);
        node
    }

    fn leaf(&mut self, value: Option<Value>) -> NodeId {
        let nodes = &mut self.incremental.nodes;
        nodes.push(Node {
            above: Vec::new(),
            operator: Operator::Leaf,
            value,
        });
        nodes.len() - 1
    }

    fn term(&mut self, term: TermId) -> NodeId {
        let node = self.leaf(self.terms[term].clone());
        self.incremental.leaves[term].push(node);
        node
    }

    fn view(&mut self, view: &'v View) -> NodeId {
        if let Some(&node) = self.views.get(view) {
            return node;
        }
        let node = self.new_view(view);
        self.views.insert(view, node);
        node
    }

    fn new_view(&mut self, view: &'v View) -> NodeId {
        match view {
            View::Const(truth) => self.leaf(Some(Value::from(*truth))),
            View::Term(term) => self.term(*term),
            View::Not(part) => {
                let part = self.view(part);
                self.node(Operator::Not(part), &[part])
            }
            View::And(parts) => self.at_least(parts.len(), parts),
            View::Or(parts) => self.at_least(1, parts),
            View::Compare(op, left, right) => {
                let (left, right) = (self.figure(left), self.figure(right));
                self.node(Operator::Compare(*op, left, right), &[left, right])
            }
            View::Holds(figure) => {
                let part = self.figure(figure);
                self.node(Operator::Holds(part), &[part])
            }
        }
    }

    fn at_least(&mut self, needed: usize, parts: &'v [View]) -> NodeId {
        let parts: Vec<NodeId> = parts.iter().map(|part| self.view(part)).collect();
        let holding = 0;
        self.node(Operator::AtLeast { needed, holding }, &parts)
    }

    fn figure(&mut self, figure: &'v Figure) -> NodeId {
        if let Some(&node) = self.figures.get(figure) {
            return node;
        }
        let node = self.new_figure(figure);
        self.figures.insert(figure, node);
        node
    }

    fn new_figure(&mut self, figure: &'v Figure) -> NodeId {
        match figure {
            Figure::Literal(value) => self.leaf(Some(value.clone())),
            Figure::Undefined => self.leaf(None),
            Figure::Term(term) => self.term(*term),
            Figure::InFlight(sent, received) => {
                let (sent, received) = (self.term(*sent), self.term(*received));
                let operator = Operator::Arith(ArithOp::Sub, sent, received);
                self.node(operator, &[sent, received])
            }
            Figure::Neg(part) => {
                let part = self.figure(part);
                self.node(Operator::Neg(part), &[part])
            }
            Figure::Arith(op, left, right) => {
                let (left, right) = (self.figure(left), self.figure(right));
                self.node(Operator::Arith(*op, left, right), &[left, right])
            }
            Figure::Count(views) => {
                let parts: Vec<NodeId> = views.iter().map(|view| self.view(view)).collect();
                self.node(Operator::Count { holding: 0 }, &parts)
            }
            Figure::Sum(figures) => {
                let sum = Operator::Sum {
                    sum: Number::ZERO,
                    undefined: 0,
                };
                self.fold(sum, figures)
            }
            Figure::Min(figures) => self.fold(Operator::extreme(false), figures),
            Figure::Max(figures) => self.fold(Operator::extreme(true), figures),
            Figure::Truth(view) => {
                let part = self.view(view);
                self.node(Operator::Truth(part), &[part])
            }
        }
    }

    fn fold(&mut self, operator: Operator, figures: &'v [Figure]) -> NodeId {
        let parts: Vec<NodeId> = figures.iter().map(|figure| self.figure(figure)).collect();
        self.node(operator, &parts)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_parts_of_views_are_one_node() {
        let terms = 50;
        let sum = || Figure::Sum((0..terms).map(Figure::Term).collect());
        let below = |term| View::Compare(CmpOp::Lt, Figure::Term(term), sum());
        let views = [View::And((0..terms).map(below).collect())];
        let mut values: Vec<Option<Value>> = vec![Some(Value::from(1)); terms];
        let mut views = Incremental::new(&views, &values);
        // A leaf and a comparison for each term, the sum, the conjunction.
        assert_eq!(views.nodes.len(), 2 * terms + 2);
        assert!(views.holds(0));
        for (term, value) in [(7, 60), (7, 0), (8, -1)] {
            values[term] = Some(Value::from(value));
            views.change(term, &values[term]);
            let number = |value: &Option<Value>| value.as_ref()?.as_number().cloned();
            let numbers: Vec<Number> = values.iter().filter_map(number).collect();
            let sum = numbers
                .iter()
                .fold(Number::ZERO, |sum, number| &sum + number);
            assert_eq!(views.holds(0), numbers.iter().all(|number| *number < sum));
        }
    }
}
