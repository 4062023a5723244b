//! Event atoms: what `on(...)` says about the event just executed.
//!
//! A cut can be reached by different events, so these atoms have a meaning along a run only; predicates of cuts refuse
//! them. `on(P)` reads the variables of `P` right behind the event that wrote one of them. With a single variable its
//! value is the event's own, whatever else is going on, so such a variable is noted as written and not as mentioned: a
//! race of its writes does no harm there.

use std::sync::Arc;

use super::scope::{Meaning, Scope};
use super::{Lowerer, Mentions};
use crate::core::{EventAtom, Expr, Pred};
use crate::fold::Subterm;
use crate::lower::resolve::{Resolution, resolve};
use crate::names::VarRef;
use crate::print::spell;
use crate::property::Kind;
use crate::syntax::{EventSyntax, Node, NodeKind, Path};
use causet_base::diagnostic::shown;
use causet_base::nearest;
use causet_base::span::Span;
use causet_base::{Code, Diagnostic};

/// Where the atoms of this file are at home.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Events {
    /// Along a run: `on(...)` is true or false at every position.
    Allowed,
    /// At a cut, which may be reached by different events.
    AtCut,
    /// Within another `on(...)`.
    InEvent,
}

impl Events {
    /// What a property of this kind allows, sequences aside.
    pub(super) fn of(kind: Kind) -> Events {
        match kind {
            Kind::Ctl | Kind::Possibly | Kind::Definitely => Events::AtCut,
            _ => Events::Allowed,
        }
    }
}

impl Lowerer<'_> {
    /// `on(...)`
    pub(super) fn event(
        &mut self,
        event: &EventSyntax,
        span: Span,
        scope: &Scope<'_>,
    ) -> Option<Pred> {
        self.allow_event(event, span)?;
        match event {
            EventSyntax::Label(label) => self.labelled(label, span),
            EventSyntax::Process(process) => {
                let process = self.process(process, scope)?;
                Some(Pred::On(EventAtom::Process(process)))
            }
            EventSyntax::ProcessLabel(process, label) => {
                self.warn_of_label(label, span);
                let process = self.process(process, scope)?;
                Some(Pred::On(EventAtom::ProcessLabel(process, label.clone())))
            }
            EventSyntax::About(node) => self.event_about(node, scope),
        }
    }

    /// `on(p)`, `on(x = 3)`: a lone name is a process or a variable. An argument, or what stands behind the `on` of a
    /// monitor, may be a label too.
    pub(super) fn event_about(&mut self, node: &Node, scope: &Scope<'_>) -> Option<Pred> {
        let path = match &node.kind {
            NodeKind::Text(label) => return self.labelled(label, node.span),
            NodeKind::Name(path) => path,
            _ => return self.wrote(node, scope),
        };
        match path.as_word().and_then(|word| scope.get(word)) {
            Some(Meaning::Process(process)) => Some(Pred::On(EventAtom::Process(process))),
            Some(Meaning::Argument(argument, inner)) => self.deeper(node.span, |this| {
                this.event_about(argument.ungrouped(), inner)
            }),
            None => self.event_named(node, path, scope),
        }
    }

    fn labelled(&mut self, label: &Arc<str>, span: Span) -> Option<Pred> {
        self.warn_of_label(label, span);
        Some(Pred::On(EventAtom::Label(label.clone())))
    }

    /// A lone name that nothing binds.
    fn event_named(&mut self, node: &Node, path: &Path, scope: &Scope<'_>) -> Option<Pred> {
        let defined = path
            .as_word()
            .is_some_and(|word| self.lets.get(word).is_some());
        let process = self.names.process(&path.joined());
        let variable = !matches!(resolve(&path.segments, self.names), Resolution::Unknown);
        match process {
            _ if defined => self.wrote(node, scope),
            Some(process) if !variable => Some(Pred::On(EventAtom::Process(process))),
            Some(_) => self.refuse(either_of_two(path)),
            None if !variable && path.as_word().is_some() => {
                let error = self.neither_of_two(path);
                self.refuse(error)
            }
            None => self.wrote(node, scope),
        }
    }

    fn neither_of_two(&self, path: &Path) -> Diagnostic {
        let name = path.joined();
        let help = self.unknown_process(&name, path.span).help.clone();
        let near = self.nearest_variable(&name);
        let error = Diagnostic::at(
            Code::NeitherProcessNorVariable,
            path.span,
            format!("`{name}` is neither a process nor a variable"),
        )
        .with_label("expected a process, a label in double quotes or a predicate");
        match near {
            Some(_) => error.with_nearest(near),
            None => error.with_help_if(help),
        }
    }

    /// `on(P)`: the event wrote a variable of `P`, and `P` holds now.
    fn wrote(&mut self, node: &Node, scope: &Scope<'_>) -> Option<Pred> {
        let events = std::mem::replace(&mut self.events, Events::InEvent);
        let outside = std::mem::take(&mut self.mentions);
        // Further processes bring further variables that may have been written.
        let now = self.either_way(|this| this.predicate("`on`", node, scope));
        let inside = std::mem::replace(&mut self.mentions, outside);
        self.events = events;
        let now = now?;
        let mut vars: Vec<VarRef> = inside.all.iter().map(|(variable, _)| *variable).collect();
        vars.sort_unstable();
        match vars.len() {
            0 => return self.refuse(no_variable(node, self.kind)),
            1 if is_about_variables(&now) => self.note(inside, |this| &mut this.written),
            _ => self.note(inside, |this| &mut this.mentions),
        }
        Some(Pred::On(EventAtom::Wrote {
            vars,
            now: Arc::new(now),
        }))
    }

    fn note(&mut self, found: Mentions, list: impl Fn(&mut Self) -> &mut Mentions) {
        for (variable, span) in found.all {
            list(self).add(variable, span);
        }
    }

    fn allow_event(&mut self, event: &EventSyntax, span: Span) -> Option<()> {
        let error = match (self.events, self.predicate_of) {
            (Events::AtCut, _) => at_cut(event, span),
            (Events::InEvent, _) => {
                Diagnostic::at(Code::MisplacedEvent, span, "`on(...)` within `on`")
                    .with_label("expected a predicate about the variables an event writes")
                    .with_help("write `on(P) && on(\"label\")`")
            }
            (Events::Allowed, Some(what @ ("an expression" | "a fold"))) => Diagnostic::at(
                Code::MisplacedEvent,
                span,
                format!("`on(...)` within {what}"),
            )
            .with_label("expected a predicate about cuts")
            .with_help("combine it by `!`, `&&`, `||` and `->`"),
            (Events::Allowed, _) => return Some(()),
        };
        self.refuse(error)
    }

    fn warn_of_label(&mut self, label: &str, span: Span) {
        if self.names.label_exists(label) {
            return;
        }
        let warning = Diagnostic::at(
            Code::UnknownLabel,
            span,
            format!("no event is called \"{label}\""),
        )
        .with_label("never true in this trace");
        let labels = self.names.labels();
        let near = nearest(label, &labels);
        self.warn(match near.is_none() && self.forbidden.contains(&span) {
            true => warning.as_note(Code::ForbiddenLabel),
            false => warning.with_nearest(near.map(|near| format!("\"{near}\""))),
        });
    }
}

fn either_of_two(path: &Path) -> Diagnostic {
    let (name, spelt) = (path.joined(), spell::word(&path.joined()));
    Diagnostic::at(
        Code::ProcessAndVariable,
        path.span,
        format!("`{name}` is a process and a variable"),
    )
    .with_label("expected the name of one of them")
    .with_help(format!(
        "the process is written {}, the variable {}",
        shown(&format!("on({spelt}, any)")),
        shown(&format!("on(({spelt}))"))
    ))
}

/// Whether a predicate speaks of variables and of nothing else.
fn is_about_variables(p: &Pred) -> bool {
    p.subterms().all(|term| match term {
        Subterm::Pred(p) => !matches!(p, Pred::Done(_) | Pred::On(_)),
        Subterm::Expr(e) => !matches!(e, Expr::Inflight(..) | Expr::Steps(_)),
    })
}

fn at_cut(event: &EventSyntax, span: Span) -> Diagnostic {
    let error = Diagnostic::at(
        Code::MisplacedEvent,
        span,
        "`on(...)` is about an event, and this is about a cut",
    )
    .with_label("expected a predicate about cuts");
    match event {
        EventSyntax::About(node) if matches!(node.kind, NodeKind::Compare(..)) => {
            error.with_help("what holds at a cut is written without `on`")
        }
        _ => {
            error.with_help("events can be named in LTL, in monitors and in sequences `{ a ; b }`")
        }
    }
}

fn no_variable(node: &Node, kind: Kind) -> Diagnostic {
    let otherwise = match kind {
        Kind::Monitor => "what holds after it is written `when P`",
        _ => "what holds after it is written without `on`",
    };
    Diagnostic::at(
        Code::EventWritesNothing,
        node.span,
        "an event writes none of this",
    )
    .with_label("expected a predicate with a variable")
    .with_help(format!(
        "`on` asks whether the event wrote a variable of the predicate; {otherwise}"
    ))
}
