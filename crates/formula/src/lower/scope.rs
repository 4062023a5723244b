//! What a bare name means where it stands.

use causet_base::{Code, Diagnostic};

use super::Lowerer;
use crate::names::{ProcRef, VarRef};
use crate::syntax::{Ident, Node, NodeKind, Path};

/// The bound names and parameters in sight, innermost first.
pub(super) struct Scope<'s> {
    bindings: Vec<(&'s str, Meaning<'s>)>,
    parent: Option<&'s Scope<'s>>,
}

/// What a bound name or parameter stands for.
#[derive(Clone, Copy)]
pub(super) enum Meaning<'s> {
    /// A process, by a quantifier or a fold.
    Process(ProcRef),
    /// The argument of a definition, to be read where it was written.
    Argument(&'s Node, &'s Scope<'s>),
}

/// What a use of a name leads to.
pub(super) enum Target<'s> {
    /// The body of a definition and the scope made for it.
    Definition(&'s Node, Scope<'s>),
    /// An argument and the scope it was written in.
    Argument(&'s Node, &'s Scope<'s>),
    /// A variable of the trace.
    Variable(VarRef),
}

impl<'s> Scope<'s> {
    /// Nothing is bound.
    pub(super) fn root() -> Scope<'static> {
        Scope {
            bindings: Vec::new(),
            parent: None,
        }
    }

    /// This scope and some processes.
    pub(super) fn with_processes<'t>(&'t self, tuple: &[(&'t str, ProcRef)]) -> Scope<'t>
    where
        's: 't,
    {
        let bindings = tuple
            .iter()
            .map(|&(name, process)| (name, Meaning::Process(process)));
        Scope {
            bindings: bindings.collect(),
            parent: Some(self),
        }
    }

    /// What the name is bound to.
    pub(super) fn get(&self, name: &str) -> Option<Meaning<'s>> {
        let own = self.bindings.iter().find(|(bound, _)| *bound == name);
        match own {
            Some((_, meaning)) => Some(*meaning),
            None => self.parent.and_then(|parent| parent.get(name)),
        }
    }
}

impl<'a> Lowerer<'a> {
    /// Where a name or a call leads.
    pub(super) fn follow<'s>(&mut self, node: &'s Node, scope: &'s Scope<'s>) -> Option<Target<'s>>
    where
        'a: 's,
    {
        match &node.kind {
            NodeKind::Call(name, arguments) => self.call(name, arguments, scope),
            NodeKind::Name(path) => self.follow_name(path, scope),
            _ => None,
        }
    }

    fn follow_name<'s>(&mut self, path: &'s Path, scope: &'s Scope<'s>) -> Option<Target<'s>>
    where
        'a: 's,
    {
        let Some(word) = path.as_word() else {
            return self.dotted(path, scope).map(Target::Variable);
        };
        match scope.get(word) {
            Some(Meaning::Argument(node, inner)) => Some(Target::Argument(node, inner)),
            Some(Meaning::Process(_)) => {
                let error = Diagnostic::at(
                    Code::ProcessAsValue,
                    path.span,
                    format!("`{word}` is a process"),
                )
                .with_label("expected a value")
                .with_help(format!("name a variable through it: `{word}.x`"));
                self.refuse(error)
            }
            None if self.lets.get(word).is_some() => {
                let name = Ident {
                    name: word.clone(),
                    span: path.span,
                };
                match self.lets.find(&name, 0) {
                    Ok(found) => Some(Target::Definition(&found.body, Scope::root())),
                    Err(error) => self.refuse(error),
                }
            }
            None => self.variable(path).map(Target::Variable),
        }
    }

    fn call<'s>(
        &mut self,
        name: &Ident,
        arguments: &'s [Node],
        scope: &'s Scope<'s>,
    ) -> Option<Target<'s>>
    where
        'a: 's,
    {
        if let Some(Meaning::Argument(..)) = scope.get(&name.name) {
            let error = Diagnostic::at(
                Code::ParameterAsDefinition,
                name.span,
                format!("`{}` is a parameter", name.name),
            );
            return self.refuse(error.with_label("expected a definition"));
        }
        match self.lets.find(name, arguments.len()) {
            Ok(found) => {
                let params = found.params.iter().map(|param| &*param.name);
                let values = arguments.iter().map(|node| Meaning::Argument(node, scope));
                let bindings = params.zip(values).collect();
                let inner = Scope {
                    bindings,
                    parent: None,
                };
                Some(Target::Definition(&found.body, inner))
            }
            Err(error) => self.refuse(error),
        }
    }

    /// The process a name stands for, through bound names and parameters.
    pub(super) fn process(&mut self, path: &Path, scope: &Scope<'_>) -> Option<ProcRef> {
        let meaning = path.as_word().and_then(|word| scope.get(word));
        match meaning {
            Some(Meaning::Process(process)) => Some(process),
            Some(Meaning::Argument(node, inner)) => self.process_argument(node, inner),
            None => match self.names.process(&path.joined()) {
                Some(process) => Some(process),
                None => {
                    let error = self.unknown_process(&path.joined(), path.span);
                    self.refuse(error)
                }
            },
        }
    }

    /// The process an argument stands for.
    pub(super) fn process_argument(&mut self, node: &Node, scope: &Scope<'_>) -> Option<ProcRef> {
        match &node.ungrouped().kind {
            NodeKind::Name(path) => self.process(path, scope),
            _ => {
                let error = Diagnostic::at(Code::NotAProcess, node.span, "this is not a process");
                self.refuse(error.with_label("expected the name of a process"))
            }
        }
    }
}
