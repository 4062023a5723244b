//! Syntax to core: names resolved, definitions and quantifiers expanded, sugar gone.
//!
//! Definitions are expanded where they are used, in an environment of their own: a parameter is
//! bound to the argument *and* to the scope the argument came from, so a bound name of the caller
//! can never be caught by one of the definition (the alternative, renaming and substituting text,
//! does the same with more bookkeeping and worse spans).
//!
//! ```text
//! scope.rs      what a name means here: a process, an argument, nothing
//! resolve.rs    variables and processes of the trace, by name
//! dependence.rs where it matters which processes there are, and for which verdict
//! range.rs      which processes a bound name ranges over, and the tuples of them
//! logic.rs      what predicates, CTL and LTL have in common
//! formula.rs    temporal and boolean structure
//! event.rs      what is said about the event just executed
//! forbidden.rs  labels that no event needs to carry
//! sequence.rs   orders of positions along a run
//! monitor.rs    automata over events
//! automaton.rs  automata from outside
//! modal.rs      the mu-calculus: what its actions name
//! value.rs      comparisons and arithmetic
//! template.rs   a property of many instances, kept as one body
//! parts.rs      the predicates within a property, each by itself
//! ```

mod automaton;
mod dependence;
mod event;
mod forbidden;
mod formula;
mod logic;
mod modal;
mod monitor;
mod parts;
mod range;
pub(crate) mod resolve;
mod scope;
mod sequence;
mod template;
mod value;

use causet_base::{Code, Diagnostic};
pub use dependence::ProcessDependence;
pub use parts::{Part, Says, defined, parts};
pub use template::Template;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use crate::core::{Ctl, Pred};
use crate::linear::Language;
use crate::mu;
use crate::names::{Names, ProcRef, VarRef};
use crate::property::{Kind, Lets, Property, in_order};
use crate::syntax::{Node, NodeKind, Quantifier};
use causet_base::span::Span;
use dependence::Polarity;
use event::Events;
use logic::Logic;
use scope::{Scope, Target};

/// A property in the core language.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The kind it was written in.
    pub kind: Kind,
    /// The whole property; it holds when the initial cut satisfies it.
    pub body: Ctl,
    /// The quantifier the property starts with, if it does.
    pub quantifier: Option<Quantifier>,
    /// The instances of the leading run of that quantifier: `body` is their conjunction
    /// (`forall`) or disjunction (`exists`), in this order. Empty without a quantifier.
    pub instances: Vec<Instance>,
    /// Every variable whose value at a cut matters, with the place that named it first.
    pub mentions: Vec<(VarRef, Span)>,
    /// Every variable that is read as the event just executed wrote it, by `on(P)` with no other variable in `P`, with
    /// the place that named it so first. A variable can be in both lists.
    pub written: Vec<(VarRef, Span)>,
    /// The processes a bound name does not range over, and why.
    pub left_out: Vec<LeftOut>,
    /// Whether it speaks of all processes, whichever there are: in a range, or as the first or last cut.
    pub ranges: bool,
    /// Where it depends on which processes there are, and for which verdict.
    pub dependences: Vec<ProcessDependence>,
    /// Whether it depends on the order in which the processes are listed.
    pub compares_positions: bool,
    /// What is suspicious but not wrong.
    pub warnings: Vec<Diagnostic>,
    /// The left sides of implications that the property demands and that are predicates, with their places; those of a
    /// template are not kept.
    pub antecedents: Vec<(Pred, Span)>,
    /// The instances, when there are too many to expand: then `instances` is empty, and `body` is one of them.
    pub template: Option<Arc<Template>>,
}

impl Lowered {
    /// A formula of which nothing else is to be known.
    pub fn of(kind: Kind, body: Ctl) -> Lowered {
        Lowered {
            kind,
            body,
            quantifier: None,
            instances: Vec::new(),
            mentions: Vec::new(),
            written: Vec::new(),
            left_out: Vec::new(),
            ranges: false,
            dependences: Vec::new(),
            compares_positions: false,
            warnings: Vec::new(),
            antecedents: Vec::new(),
            template: None,
        }
    }

    /// Formulas in which everything occurs that the property names.
    pub fn representatives(&self) -> Vec<Cow<'_, Ctl>> {
        match &self.template {
            None => vec![Cow::Borrowed(&self.body)],
            Some(template) => {
                let instances = template.covering();
                instances
                    .map(|instance| Cow::Owned(instance.body))
                    .collect()
            }
        }
    }
}

/// One instance of a quantified property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// The bound names and their processes, outermost first.
    pub bindings: Vec<(String, ProcRef)>,
    /// The property with these processes put in.
    pub body: Ctl,
}

impl Instance {
    /// The processes of the bound names, outermost first.
    pub fn processes(&self) -> Vec<ProcRef> {
        let bindings = self.bindings.iter();
        bindings.map(|&(_, process)| process).collect()
    }
}

/// A process a bound name does not range over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The bound name.
    pub name: String,
    /// The process.
    pub process: ProcRef,
    /// The first variable named through the bound name that the process does not have.
    pub missing: String,
    /// Where that variable is named.
    pub span: Span,
}

/// Lowers a property as [`lower`] does, but keeps one with more choices of processes than `max_expanded` as a
/// [`Template`], if all instances have the same shape.
pub fn lower_lazily(
    property: &Property,
    lets: &Lets,
    names: &dyn Names,
    max_expanded: usize,
) -> Result<Lowered, Vec<Diagnostic>> {
    match template::lower_template(property, lets, names, max_expanded) {
        Some(lowered) => Ok(lowered),
        None => lower(property, lets, names),
    }
}

/// Lowers a property for the trace behind `names`.
///
/// `lets` are the definitions of the property's own file; a formula from the command line has
/// [`Lets::none`].
pub fn lower(
    property: &Property,
    lets: &Lets,
    names: &dyn Names,
) -> Result<Lowered, Vec<Diagnostic>> {
    if let Some(formula) = property.mu() {
        return lower_modal(formula, names);
    }
    let mut lowerer = Lowerer::new(property.kind, lets, names);
    let top = match (property.syntax(), &property.automaton) {
        (Some(node), _) => {
            lowerer.forbidden = forbidden::labels(node, lets);
            lowerer.property(node)
        }
        (None, Some(automaton)) => lowerer
            .automaton(automaton, property.span)
            .map(|body| (None, Vec::new(), body)),
        (None, None) => return Err(vec![without_formula(property)]),
    };
    lowerer.warn_of_empty_conditions();
    match top {
        Some((quantifier, instances, body)) if lowerer.errors.is_empty() => Ok(Lowered {
            kind: property.kind,
            body,
            quantifier,
            instances,
            mentions: lowerer.mentions.all,
            written: lowerer.written.all,
            left_out: lowerer.left_out,
            ranges: lowerer.ranges,
            dependences: lowerer.dependences,
            compares_positions: lowerer.compares_positions,
            warnings: lowerer.warnings,
            antecedents: lowerer.antecedents,
            template: None,
        }),
        _ => Err(in_order(lowerer.errors)),
    }
}

fn lower_modal(formula: &mu::Formula, names: &dyn Names) -> Result<Lowered, Vec<Diagnostic>> {
    Ok(Lowered {
        warnings: modal::unknown_labels(formula, names),
        ..Lowered::of(Kind::Mu, Ctl::modal(formula.lower()?))
    })
}

fn without_formula(property: &Property) -> Diagnostic {
    Diagnostic::at(
        Code::WithoutFormula,
        property.span,
        "the property has no formula",
    )
}

/// More steps than this are refused: definitions and quantifiers can grow without bound.
const MAX_WORK: usize = 4_000_000;
/// Deeper expansion than this is refused, so that recursion over the core is safe.
const MAX_DEPTH: usize = 400;
/// More errors than this help nobody.
const MAX_ERRORS: usize = 50;

/// What is known and collected while a property is lowered.
///
/// The methods return `None` when they have reported an error; they go on where they can, so that
/// all unknown names of a formula are reported at once.
struct Lowerer<'a> {
    kind: Kind,
    lets: &'a Lets,
    names: &'a dyn Names,
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
    antecedents: Vec<(Pred, Span)>,
    mentions: Mentions,
    written: Mentions,
    left_out: Vec<LeftOut>,
    /// Whether all processes were asked for.
    ranges: bool,
    dependences: Vec<ProcessDependence>,
    /// Whether the positions of two processes were compared.
    compares_positions: bool,
    /// How the truth of the property follows that of the part at hand.
    polarity: Polarity,
    /// The conditions of binders, and whether each has ever left some processes.
    conditions: BTreeMap<Span, bool>,
    /// Where events are named that the property only forbids.
    forbidden: HashSet<Span>,
    /// Whether the formula compares a process in a place of a template.
    compares_places: bool,
    /// Where no temporal operator may stand: within what, in words.
    predicate_of: Option<&'static str>,
    /// Whether the event just executed may be spoken of.
    events: Events,
    depth: usize,
    work: usize,
}

/// The leading quantifier, its instances, and the whole.
type Top = (Option<Quantifier>, Vec<Instance>, Ctl);

impl<'a> Lowerer<'a> {
    fn new(kind: Kind, lets: &'a Lets, names: &'a dyn Names) -> Lowerer<'a> {
        Lowerer {
            kind,
            lets,
            names,
            errors: Vec::new(),
            warnings: Vec::new(),
            antecedents: Vec::new(),
            mentions: Mentions::default(),
            written: Mentions::default(),
            left_out: Vec::new(),
            ranges: false,
            dependences: Vec::new(),
            compares_positions: false,
            polarity: Polarity::Positive,
            conditions: BTreeMap::new(),
            forbidden: HashSet::new(),
            compares_places: false,
            predicate_of: None,
            events: Events::of(kind),
            depth: 0,
            work: 0,
        }
    }

    fn property(&mut self, node: &Node) -> Option<Top> {
        let scope = Scope::root();
        let Some(quantifier) = self.leading_quantifier(node) else {
            let body = self.quantified_kind(node, &scope)?;
            return Some((None, Vec::new(), body));
        };
        let mut instances = Vec::new();
        self.instances(quantifier, node, &scope, &[], &mut instances)?;
        let bodies = instances.iter().map(|instance| instance.body.clone());
        let body = Ctl::join(quantifier, bodies.collect());
        Some((Some(quantifier), instances, body))
    }

    /// The quantifier around the whole property, perhaps within a definition.
    fn leading_quantifier(&self, node: &Node) -> Option<Quantifier> {
        match &node.kind {
            NodeKind::Quantified(quantifier, ..) => Some(*quantifier),
            NodeKind::Name(path) => {
                let body = &self.lets.get(path.as_word()?)?.body;
                self.leading_quantifier(body)
            }
            NodeKind::Call(name, _) => self.leading_quantifier(&self.lets.get(&name.name)?.body),
            _ => None,
        }
    }

    /// The instances of the leading run of one quantifier.
    fn instances(
        &mut self,
        run: Quantifier,
        node: &Node,
        scope: &Scope<'_>,
        outer: &[(String, ProcRef)],
        out: &mut Vec<Instance>,
    ) -> Option<()> {
        match &node.kind {
            NodeKind::Quantified(quantifier, binder, body) if *quantifier == run => {
                let tuples = self.tuples(Some(run), binder, body, scope)?;
                let mut complete = Some(());
                for tuple in tuples {
                    let bound = tuple
                        .iter()
                        .map(|(name, process)| ((*name).to_owned(), *process));
                    let bindings: Vec<_> = outer.iter().cloned().chain(bound).collect();
                    let inner = scope.with_processes(&tuple);
                    let done = self.deeper(node.span, |this| {
                        this.instances(run, body, &inner, &bindings, out)
                    });
                    complete = complete.and(done);
                }
                complete
            }
            _ if self.leading_quantifier(node) == Some(run) => {
                self.deeper(node.span, |this| match this.follow(node, scope)? {
                    Target::Definition(body, inner) => {
                        this.instances(run, body, &inner, outer, out)
                    }
                    Target::Argument(body, inner) => this.instances(run, body, inner, outer, out),
                    Target::Variable(_) => None,
                })
            }
            _ => {
                let body = self.quantified_kind(node, scope)?;
                out.push(Instance {
                    bindings: outer.to_vec(),
                    body,
                });
                Some(())
            }
        }
    }

    /// The formula with its kind's operator around it, inside of all leading quantifiers:
    /// `possibly forall i in procs: P` is about each process by itself.
    fn quantified_kind(&mut self, node: &Node, scope: &Scope<'_>) -> Option<Ctl> {
        match &node.kind {
            NodeKind::Quantified(quantifier, binder, body) => {
                let tuples = self.tuples(Some(*quantifier), binder, body, scope)?;
                let mut parts = Some(Vec::new());
                for tuple in &tuples {
                    let inner = scope.with_processes(tuple);
                    let part = self.deeper(node.span, |this| this.quantified_kind(body, &inner));
                    push(&mut parts, part);
                }
                Some(Ctl::join(*quantifier, parts?))
            }
            _ if self.leading_quantifier(node).is_some() => {
                self.deeper(node.span, |this| match this.follow(node, scope)? {
                    Target::Definition(body, inner) => this.quantified_kind(body, &inner),
                    Target::Argument(body, inner) => this.quantified_kind(body, inner),
                    Target::Variable(_) => None,
                })
            }
            _ => self.of_kind(node, scope),
        }
    }

    /// The formula with its kind's operator around it.
    fn of_kind(&mut self, node: &Node, scope: &Scope<'_>) -> Option<Ctl> {
        match self.kind {
            Kind::Possibly if self.is_language(node) => {
                self.language(node, scope).map(Ctl::some_run)
            }
            Kind::Definitely if self.is_language(node) => {
                self.language(node, scope).map(Ctl::every_run)
            }
            Kind::Possibly => {
                let p = self.predicate("`possibly`", node, scope)?;
                Some(Ctl::ef(Ctl::State(p)))
            }
            Kind::Definitely => {
                let p = self.predicate("`definitely`", node, scope)?;
                Some(Ctl::af(Ctl::State(p)))
            }
            Kind::Ltl => {
                let f = self.formula(node, scope)?;
                Some(Ctl::every_run(Language::Ltl(f)))
            }
            Kind::Monitor => match &node.kind {
                NodeKind::Monitor(monitor) => self.monitor(monitor, scope),
                _ => self.misplaced(node),
            },
            _ => self.formula(node, scope),
        }
    }

    fn error(&mut self, error: Diagnostic) {
        if self.errors.len() < MAX_ERRORS && !self.errors.contains(&error) {
            self.errors.push(error);
        }
    }

    fn warn(&mut self, warning: Diagnostic) {
        if self.warnings.len() < MAX_ERRORS && !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    /// Reports the error and gives up on this part.
    fn refuse<T>(&mut self, error: Diagnostic) -> Option<T> {
        self.error(error);
        None
    }

    /// Counts steps and gives up when there have been too many.
    fn charge(&mut self, steps: usize, span: Span) -> Option<()> {
        self.work = self.work.saturating_add(steps);
        if self.work <= MAX_WORK {
            return Some(());
        }
        let error = Diagnostic::at(
            Code::GrowsTooLarge,
            span,
            "the property grows too large when it is expanded",
        )
        .with_label("definitions and quantifiers multiply here");
        self.refuse(error)
    }
}

/// Variables in the order they were named, each once, with the place of the first time.
#[derive(Default)]
struct Mentions {
    all: Vec<(VarRef, Span)>,
    seen: HashSet<VarRef>,
}

impl Mentions {
    fn add(&mut self, variable: VarRef, span: Span) {
        if self.seen.insert(variable) {
            self.all.push((variable, span));
        }
    }
}

/// Collects parts until one is missing.
fn push<T>(parts: &mut Option<Vec<T>>, part: Option<T>) {
    match (parts.as_mut(), part) {
        (Some(all), Some(part)) => all.push(part),
        _ => *parts = None,
    }
}
