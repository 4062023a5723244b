//! A quantified property that is kept as one body with places for the bound processes.
//!
//! A thousand processes make half a million pairs: too many bodies to keep, though each is the same but for the
//! processes in it. A template is the body lowered once, with a *place* instead of each bound process, and the processes
//! each bound name ranges over. An instance is made when it is to be decided: places are filled in, nothing is
//! lowered again. A body that compares its bound processes (`i < j` behind the colon) has another shape for other
//! processes and is no template.

use std::cell::RefCell;
use std::sync::Arc;

use super::scope::Scope;
use super::{Instance, LeftOut, Lowered, Lowerer, Mentions, ProcessDependence};
use crate::core::{CmpOp, Ctl, EventAtom, Expr, Pred};
use crate::fold::Subterm;
use crate::names::{Names, ProcRef, VarRef, VariableName};
use crate::property::{Kind, Lets, Property};
use crate::syntax::{Binder, Ident, Node, NodeKind, Quantifier, Range};
use causet_base::Diagnostic;
use causet_base::span::Span;

/// A place in a body: references from here on stand for no process and no variable.
const FIRST_PLACE: u32 = 1 << 31;

/// The instances of a quantified property, made one at a time.
#[derive(Clone, Debug)]
pub struct Template {
    /// How the answers of the instances combine.
    pub quantifier: Quantifier,
    /// The bound names, outermost first.
    pub names: Vec<String>,
    /// The processes each name ranges over.
    pub ranges: Vec<Vec<ProcRef>>,
    /// The body, with places.
    pub body: Ctl,
    conditions: Vec<Condition>,
    variables: Vec<PlaceVariable>,
}

/// A variable named through a bound name.
#[derive(Clone, Debug)]
struct PlaceVariable {
    place: usize,
    /// Per process of the range: its variable of that name.
    of_process: Vec<VarRef>,
}

/// What `where` says of the bound processes.
#[derive(Clone, Debug)]
enum Condition {
    Const(bool),
    Not(Box<Condition>),
    All(Vec<Condition>),
    Any(Vec<Condition>),
    /// A chain of comparisons in the order of the list of processes.
    Chain(ProcRef, Vec<(CmpOp, ProcRef)>),
}

impl Template {
    /// Whether the conditions allow these processes for the names.
    pub fn allows(&self, processes: &[ProcRef]) -> bool {
        self.conditions
            .iter()
            .all(|condition| condition.allows(processes))
    }

    /// Whether the instances are all pairs of different processes of one range, each pair once or both ways round.
    pub fn is_about_all_pairs(&self) -> bool {
        let is_of_places = |process: &ProcRef| is_place(*process);
        let is_any_pair = match &self.conditions[..] {
            [Condition::Chain(left, rest)] => match &rest[..] {
                [(CmpOp::Ne | CmpOp::Lt | CmpOp::Gt, right)] => {
                    left != right && [left, right].into_iter().all(is_of_places)
                }
                _ => false,
            },
            _ => false,
        };
        is_any_pair && self.ranges.len() == 2 && self.ranges[0] == self.ranges[1]
    }

    /// The instance for some processes, one of each range.
    pub fn instance(&self, processes: &[ProcRef]) -> Instance {
        let names = self.names.iter().cloned();
        Instance {
            bindings: names.zip(processes.iter().copied()).collect(),
            body: Filling {
                template: self,
                processes,
            }
            .ctl(&self.body),
        }
    }

    /// The choices of processes from some ranges that the conditions allow, the last name changing fastest.
    pub fn tuples<'r>(
        &'r self,
        ranges: &'r [Vec<ProcRef>],
    ) -> impl Iterator<Item = Vec<ProcRef>> + 'r {
        let mut next = Some(vec![0; ranges.len()]).filter(|_| !ranges.iter().any(Vec::is_empty));
        let choices = std::iter::from_fn(move || {
            let now = next.take()?;
            let tuple = now
                .iter()
                .zip(ranges)
                .map(|(&at, range)| range[at])
                .collect();
            next = successor(now, ranges);
            Some(tuple)
        });
        choices.filter(|tuple: &Vec<ProcRef>| self.allows(tuple))
    }

    /// A predicate of the body for some processes.
    pub fn predicate(&self, pred: &Pred, processes: &[ProcRef]) -> Pred {
        Filling {
            template: self,
            processes,
        }
        .pred(pred)
    }

    /// Instances in which every process of every range has its place once, whatever the conditions say: what can be said
    /// of single variables of the property is said of them.
    pub fn covering(&self) -> impl Iterator<Item = Instance> + '_ {
        let longest = self.ranges.iter().map(Vec::len).max().unwrap_or(0);
        (0..longest).map(|at| {
            let processes = self.ranges.iter().map(|range| range[at % range.len()]);
            self.instance(&processes.collect::<Vec<_>>())
        })
    }

    /// The only place a predicate of the body speaks of; `None` when it speaks of several, or of what has no place.
    pub fn place_of(&self, pred: &Pred) -> Option<usize> {
        let mut places = Places::default();
        places.pred(pred, self);
        let place = places.found?;
        (!places.is_mixed).then_some(place)
    }
}

/// The choice after one, by positions in the ranges.
fn successor(mut at: Vec<usize>, ranges: &[Vec<ProcRef>]) -> Option<Vec<usize>> {
    for (position, range) in at.iter_mut().zip(ranges).rev() {
        *position += 1;
        if *position < range.len() {
            return Some(at);
        }
        *position = 0;
    }
    None
}

impl Condition {
    fn allows(&self, processes: &[ProcRef]) -> bool {
        let process = |reference: ProcRef| match reference.0.checked_sub(FIRST_PLACE) {
            Some(place) => processes[place as usize],
            None => reference,
        };
        match self {
            Condition::Const(truth) => *truth,
            Condition::Not(part) => !part.allows(processes),
            Condition::All(parts) => parts.iter().all(|part| part.allows(processes)),
            Condition::Any(parts) => parts.iter().any(|part| part.allows(processes)),
            Condition::Chain(first, rest) => {
                let mut left = process(*first);
                rest.iter().all(|&(op, right)| {
                    let right = process(right);
                    let accepted = op.accepts(left.cmp(&right));
                    left = right;
                    accepted
                })
            }
        }
    }
}

/// The names of a trace, with a process in each place that has whatever variable is asked for.
struct PlaceNames<'a> {
    names: &'a dyn Names,
    /// The place and the name of each variable asked for.
    variables: RefCell<Vec<(usize, String)>>,
}

impl Names for PlaceNames<'_> {
    fn process_count(&self) -> usize {
        self.names.process_count()
    }

    fn process_name(&self, process: ProcRef) -> &str {
        if process.0 < FIRST_PLACE {
            self.names.process_name(process)
        } else {
            "a bound process"
        }
    }

    fn process(&self, name: &str) -> Option<ProcRef> {
        self.names.process(name)
    }

    fn shared(&self, name: &str) -> Option<VarRef> {
        self.names.shared(name)
    }

    fn local(&self, process: ProcRef, name: &str) -> Option<VarRef> {
        let Some(place) = process.0.checked_sub(FIRST_PLACE) else {
            return self.names.local(process, name);
        };
        let mut variables = self.variables.borrow_mut();
        let known = (place as usize, name.to_owned());
        let number = variables.iter().position(|variable| *variable == known);
        let number = number.unwrap_or_else(|| {
            variables.push(known);
            variables.len() - 1
        });
        Some(VarRef(FIRST_PLACE + number as u32))
    }

    fn variable_names(&self) -> Vec<String> {
        self.names.variable_names()
    }

    fn label_exists(&self, label: &str) -> bool {
        self.names.label_exists(label)
    }

    fn labels(&self) -> Vec<String> {
        self.names.labels()
    }

    fn variable(&self, variable: VarRef) -> Option<VariableName> {
        self.names.variable(variable)
    }
}

/// The binders of the leading quantifier and the body behind them.
struct Leading<'n> {
    quantifier: Quantifier,
    binders: Vec<(&'n Binder, &'n Node)>,
    body: &'n Node,
}

impl<'n> Leading<'n> {
    fn of(node: &'n Node) -> Option<Leading<'n>> {
        let NodeKind::Quantified(quantifier, ..) = &node.kind else {
            return None;
        };
        let mut leading = Leading {
            quantifier: *quantifier,
            binders: Vec::new(),
            body: node,
        };
        while let NodeKind::Quantified(inner, binder, body) = &leading.body.kind
            && inner == quantifier
        {
            leading.binders.push((binder, body));
            leading.body = body;
        }
        Some(leading)
    }

    /// The bound names in their order, with what is behind their binder.
    fn names(&self) -> impl Iterator<Item = (&'n Ident, &'n Range, &'n Node)> + '_ {
        let binders = self.binders.iter();
        binders.flat_map(|(binder, body)| binder.names().map(|(name, range)| (name, range, *body)))
    }
}

/// A property as a template, if it has many instances and all have the same shape. Whatever is wrong with it is left to
/// [`lower`](super::lower()) to report.
pub(super) fn lower_template(
    property: &Property,
    lets: &Lets,
    names: &dyn Names,
    max_expanded: usize,
) -> Option<Lowered> {
    let leading = Leading::of(property.syntax()?)?;
    let mut outer = Lowerer::new(property.kind, lets, names);
    let ranges = leading
        .names()
        .map(|(name, range, body)| outer.range(Some(leading.quantifier), name, range, body));
    let ranges: Vec<Vec<ProcRef>> = ranges.collect::<Option<_>>()?;
    let choices = ranges.iter().map(Vec::len).fold(1, usize::saturating_mul);
    if choices <= max_expanded {
        return None;
    }
    let bound: Vec<&str> = leading.names().map(|(name, ..)| &*name.name).collect();
    if (1..bound.len()).any(|at| bound[at..].contains(&bound[at - 1])) {
        return None;
    }
    let place_names = PlaceNames {
        names,
        variables: RefCell::default(),
    };
    let mut inner = Lowerer::new(property.kind, lets, &place_names);
    inner.forbidden = super::forbidden::labels(property.syntax()?, lets);
    let places = bound.iter().copied().zip((FIRST_PLACE..).map(ProcRef));
    let (root, tuple) = (Scope::root(), places.collect::<Vec<_>>());
    let scope = root.with_processes(&tuple);
    let conditions = leading.binders.iter();
    let conditions = conditions.filter_map(|(binder, _)| binder.condition.as_ref());
    let conditions = conditions.map(|condition| inner.place_condition(condition, &scope));
    let conditions: Vec<Condition> = conditions.collect::<Option<_>>()?;
    let body = inner.quantified_kind(leading.body, &scope)?;
    if !inner.errors.is_empty() || inner.compares_places {
        return None;
    }
    inner.left_out.extend(outer.left_out);
    inner.dependences.extend(outer.dependences);
    let found = Found {
        mentions: inner.mentions,
        written: inner.written,
        left_out: inner.left_out,
        dependences: inner.dependences,
        compares_positions: inner.compares_positions,
        warnings: inner.warnings,
    };
    let variables = place_names.variables.into_inner();
    let template = Template {
        quantifier: leading.quantifier,
        names: bound.into_iter().map(str::to_owned).collect(),
        variables: place_variables(&variables, &ranges, names)?,
        ranges,
        body,
        conditions,
    };
    template.lowered(property.kind, found)
}

/// The variables of all processes that may stand in each place.
fn place_variables(
    variables: &[(usize, String)],
    ranges: &[Vec<ProcRef>],
    names: &dyn Names,
) -> Option<Vec<PlaceVariable>> {
    let variables = variables.iter().map(|(place, name)| {
        let of_process = ranges[*place].iter();
        let of_process = of_process.map(|&process| names.local(process, name));
        Some(PlaceVariable {
            place: *place,
            of_process: of_process.collect::<Option<_>>()?,
        })
    });
    variables.collect()
}

/// What was found while the body was lowered, as in [`Lowered`].
struct Found {
    mentions: Mentions,
    written: Mentions,
    left_out: Vec<LeftOut>,
    dependences: Vec<ProcessDependence>,
    compares_positions: bool,
    warnings: Vec<Diagnostic>,
}

impl Template {
    /// The whole property; its body is that of the first instance.
    fn lowered(self, kind: Kind, found: Found) -> Option<Lowered> {
        let first = self.tuples(&self.ranges).next()?;
        Some(Lowered {
            kind,
            body: self.instance(&first).body,
            quantifier: Some(self.quantifier),
            instances: Vec::new(),
            mentions: self.filled(&found.mentions),
            written: self.filled(&found.written),
            left_out: found.left_out,
            ranges: true,
            dependences: found.dependences,
            compares_positions: found.compares_positions,
            warnings: found.warnings,
            antecedents: Vec::new(),
            template: Some(Arc::new(self)),
        })
    }

    /// Variables with those of all processes for each that has a place.
    fn filled(&self, mentions: &Mentions) -> Vec<(VarRef, Span)> {
        let mut filled = Mentions::default();
        for &(variable, span) in &mentions.all {
            match variable.0.checked_sub(FIRST_PLACE) {
                None => filled.add(variable, span),
                Some(number) => {
                    let of_process = &self.variables[number as usize].of_process;
                    of_process
                        .iter()
                        .for_each(|&variable| filled.add(variable, span));
                }
            }
        }
        filled.all
    }
}

impl Lowerer<'_> {
    /// What a condition says of processes in places.
    fn place_condition(&mut self, node: &Node, scope: &Scope<'_>) -> Option<Condition> {
        let mut parts = |nodes: &[Node]| -> Option<Vec<Condition>> {
            let parts = nodes.iter();
            parts
                .map(|part| self.place_condition(part, scope))
                .collect()
        };
        Some(match &node.kind {
            NodeKind::Bool(value) => Condition::Const(*value),
            NodeKind::Group(inner) => self.place_condition(inner, scope)?,
            NodeKind::Not(inner) => Condition::Not(Box::new(self.place_condition(inner, scope)?)),
            NodeKind::And(all) => Condition::All(parts(all)?),
            NodeKind::Or(any) => Condition::Any(parts(any)?),
            NodeKind::Compare(first, rest) => {
                let first = self.process_term(first, scope)?;
                let rest = rest.iter();
                let rest = rest.map(|(op, node)| {
                    self.compares_positions |= op.is_order();
                    Some((*op, self.process_term(node, scope)?))
                });
                Condition::Chain(first, rest.collect::<Option<_>>()?)
            }
            _ => return None,
        })
    }
}

/// Whether a reference stands for a place.
pub(super) fn is_place(process: ProcRef) -> bool {
    process.0 >= FIRST_PLACE
}

/// Processes in the places of a body.
struct Filling<'a> {
    template: &'a Template,
    processes: &'a [ProcRef],
}

impl Filling<'_> {
    fn process(&self, process: ProcRef) -> ProcRef {
        match process.0.checked_sub(FIRST_PLACE) {
            Some(place) => self.processes[place as usize],
            None => process,
        }
    }

    fn variable(&self, variable: VarRef) -> VarRef {
        let Some(number) = variable.0.checked_sub(FIRST_PLACE) else {
            return variable;
        };
        let variable = &self.template.variables[number as usize];
        let range = &self.template.ranges[variable.place];
        let at = range.partition_point(|&process| process < self.processes[variable.place]);
        variable.of_process[at]
    }

    fn ctl(&self, formula: &Ctl) -> Ctl {
        formula.map_preds(&|pred| self.pred(pred))
    }

    fn pred(&self, pred: &Pred) -> Pred {
        match pred {
            Pred::Done(process) => Pred::Done(self.process(*process)),
            Pred::On(event) => Pred::On(self.event(event)),
            _ => pred.map_children(|part| self.pred(part), |part| self.expr(part)),
        }
    }

    fn event(&self, event: &EventAtom) -> EventAtom {
        match event {
            EventAtom::Label(label) => EventAtom::Label(label.clone()),
            EventAtom::Process(process) => EventAtom::Process(self.process(*process)),
            EventAtom::ProcessLabel(process, label) => {
                EventAtom::ProcessLabel(self.process(*process), label.clone())
            }
            EventAtom::Wrote { vars, now } => {
                let mut vars: Vec<VarRef> = vars.iter().map(|&var| self.variable(var)).collect();
                vars.sort_unstable();
                vars.dedup();
                let now = Arc::new(self.pred(now));
                EventAtom::Wrote { vars, now }
            }
        }
    }

    fn expr(&self, expr: &Expr) -> Expr {
        match expr {
            Expr::Var(variable) => Expr::Var(self.variable(*variable)),
            Expr::Inflight(from, to) => Expr::Inflight(self.process(*from), self.process(*to)),
            Expr::Steps(process) => Expr::Steps(self.process(*process)),
            _ => expr.map_children(|part| self.pred(part), |part| self.expr(part)),
        }
    }
}

/// Which places a predicate speaks of.
#[derive(Default)]
struct Places {
    found: Option<usize>,
    /// Whether it speaks of several, or of something without a place.
    is_mixed: bool,
}

impl Places {
    fn add(&mut self, place: Option<usize>) {
        self.is_mixed |= place.is_none() || self.found.is_some_and(|found| Some(found) != place);
        self.found = self.found.or(place);
    }

    fn process(&mut self, process: ProcRef) {
        self.add(
            process
                .0
                .checked_sub(FIRST_PLACE)
                .map(|place| place as usize),
        );
    }

    fn pred(&mut self, pred: &Pred, template: &Template) {
        for term in pred.subterms() {
            match term {
                Subterm::Pred(Pred::On(_)) => self.add(None),
                Subterm::Pred(Pred::Done(process)) | Subterm::Expr(Expr::Steps(process)) => {
                    self.process(*process);
                }
                Subterm::Expr(Expr::Var(variable)) => {
                    let number = variable.0.checked_sub(FIRST_PLACE);
                    self.add(number.map(|number| template.variables[number as usize].place));
                }
                Subterm::Expr(Expr::Inflight(from, to)) => {
                    self.process(*from);
                    self.process(*to);
                }
                _ => {}
            }
        }
    }
}
