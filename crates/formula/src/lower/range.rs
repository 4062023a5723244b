//! Binders: which processes a bound name ranges over, and the tuples a condition leaves.

use super::LeftOut;
use super::Lowerer;
use super::scope::Scope;
use super::template::is_place;
use crate::core::CmpOp;
use crate::names::{ProcRef, processes};
use crate::syntax::{Binder, Ident, Node, NodeKind, Path, Quantifier, Range, join};
use causet_base::span::Span;
use causet_base::{Code, Diagnostic};

/// One choice of processes for the names of a binder.
pub(super) type Tuple<'s> = Vec<(&'s str, ProcRef)>;

/// A variable named through a bound name.
type Need = (String, Span);

impl Lowerer<'_> {
    /// All tuples of the binder of a quantifier or of a fold over `body`, in the order of the processes.
    pub(super) fn tuples<'s>(
        &mut self,
        quantifier: Option<Quantifier>,
        binder: &'s Binder,
        body: &Node,
        scope: &Scope<'_>,
    ) -> Option<Vec<Tuple<'s>>> {
        let mut choices = Some(Vec::new());
        for (name, range) in binder.names() {
            let range = self.range(quantifier, name, range, body);
            super::push(&mut choices, range.map(|processes| (name, processes)));
        }
        let mut tuples: Vec<Tuple<'s>> = vec![Vec::new()];
        for (name, processes) in choices? {
            self.charge(tuples.len().saturating_mul(processes.len()), binder.span)?;
            let longer = |tuple: &Tuple<'s>, process| {
                let mut tuple = tuple.clone();
                tuple.push((&*name.name, process));
                tuple
            };
            let (longer, processes) = (&longer, &processes);
            tuples = tuples
                .iter()
                .flat_map(|tuple| processes.iter().map(move |&process| longer(tuple, process)))
                .collect();
        }
        let Some(condition) = &binder.condition else {
            return Some(tuples);
        };
        let mut kept = Vec::new();
        for tuple in tuples {
            if self.condition(condition, &scope.with_processes(&tuple))? {
                kept.push(tuple);
            }
        }
        self.conditions
            .entry(condition.span)
            .and_modify(|ever| *ever |= !kept.is_empty())
            .or_insert(!kept.is_empty());
        Some(kept)
    }

    /// A condition that never leaves anything is legal and rarely meant.
    pub(super) fn warn_of_empty_conditions(&mut self) {
        for (span, ever) in std::mem::take(&mut self.conditions) {
            if !ever {
                let warning =
                    Diagnostic::at(Code::EmptyRange, span, "the condition leaves no processes")
                        .with_label("true of no choice of processes");
                self.warn(warning);
            }
        }
    }

    /// The processes one name ranges over: those that match the pattern and have every variable
    /// that is named through it.
    pub(super) fn range(
        &mut self,
        quantifier: Option<Quantifier>,
        name: &Ident,
        range: &Range,
        body: &Node,
    ) -> Option<Vec<ProcRef>> {
        let mut needs = Vec::new();
        self.needs(body, &[&name.name], &mut needs)?;
        let matching = self.matching(range)?;
        let (mut kept, mut left_out) = (Vec::new(), Vec::new());
        for &process in &matching {
            let missing = needs
                .iter()
                .find(|need| self.names.local(process, &need.0).is_none());
            match missing {
                None => kept.push(process),
                Some((missing, span)) => {
                    self.leave_out(name, process, missing, *span);
                    left_out.push((process, missing.clone()));
                }
            }
        }
        self.depend_on_processes(Some(&name.name), left_out, quantifier);
        match kept.is_empty() {
            false => Some(kept),
            true => {
                let error = self.empty_range(name, &matching, &needs, range.span);
                self.refuse(error)
            }
        }
    }

    /// All processes, whichever there are.
    fn everyone(&mut self) -> impl Iterator<Item = ProcRef> + use<> {
        self.ranges = true;
        processes(self.names)
    }

    /// All processes, for a statement that must be true of each.
    pub(super) fn all_processes(&mut self) -> impl Iterator<Item = ProcRef> + use<> {
        self.depend_on_processes(None, Vec::new(), Some(Quantifier::Forall));
        self.everyone()
    }

    fn matching(&mut self, range: &Range) -> Option<Vec<ProcRef>> {
        let everyone = self.everyone();
        let fits = |process: &ProcRef| match &range.glob {
            Some(glob) => matches(glob, self.names.process_name(*process)),
            None => true,
        };
        let matching: Vec<ProcRef> = everyone.filter(fits).collect();
        if !matching.is_empty() {
            return Some(matching);
        }
        let Some(glob) = &range.glob else {
            return self.refuse(Diagnostic::at(
                Code::NoProcessMatches,
                range.span,
                "the trace has no processes",
            ));
        };
        let error = Diagnostic::at(
            Code::NoProcessMatches,
            range.span,
            format!("no process matches \"{glob}\""),
        );
        let known = self.unknown_process(glob, range.span).help.clone();
        self.refuse(
            error
                .with_help_if(known)
                .with_label("expected some process"),
        )
    }

    fn leave_out(&mut self, name: &Ident, process: ProcRef, missing: &str, span: Span) {
        let (name, missing) = (name.name.to_string(), missing.to_owned());
        let left_out = LeftOut {
            name,
            process,
            missing,
            span,
        };
        if !self.left_out.contains(&left_out) {
            self.left_out.push(left_out);
        }
    }

    /// Names the first variable that no process has, or else the first that takes the last away.
    fn empty_range(
        &self,
        name: &Ident,
        matching: &[ProcRef],
        needs: &[Need],
        range: Span,
    ) -> Diagnostic {
        let has = |need: &Need| {
            matching
                .iter()
                .any(|&p| self.names.local(p, &need.0).is_some())
        };
        let Some((missing, span)) = needs.iter().find(|need| !has(need)) else {
            let all: Vec<String> = needs.iter().map(|need| format!("`{}`", need.0)).collect();
            let message = format!(
                "no process has all the variables named through `{}`",
                name.name
            );
            return Diagnostic::at(Code::NoProcessHasVariable, range, message)
                .with_label(format!("expected a process with {}", all.join(", ")));
        };
        let near = self.nearest_local(missing, |process| matching.contains(&process));
        let spelt = near.map(|near| format!("{}.{near}", name.name));
        Diagnostic::at(
            Code::NoProcessHasVariable,
            *span,
            format!("no process has a variable `{missing}`"),
        )
        .with_label(format!("`{}` ranges over no process", name.name))
        .with_nearest(spelt)
    }

    /// The variables named through any of `aliases` in a formula, definitions expanded.
    fn needs(&mut self, node: &Node, aliases: &[&str], found: &mut Vec<Need>) -> Option<()> {
        self.deeper(node.span, |this| this.needs_here(node, aliases, found))
    }

    fn needs_here(&mut self, node: &Node, aliases: &[&str], found: &mut Vec<Need>) -> Option<()> {
        match &node.kind {
            NodeKind::Name(path) => {
                if let [first, rest @ ..] = path.segments.as_slice()
                    && !rest.is_empty()
                    && !first.quoted
                    && aliases.contains(&&*first.name)
                {
                    let name = join(rest);
                    if !found.iter().any(|(known, _)| *known == name) {
                        found.push((name, path.span));
                    }
                }
                Some(())
            }
            NodeKind::Call(name, arguments) => self.needs_of_call(name, arguments, aliases, found),
            NodeKind::Fold(_, binder, body) | NodeKind::Quantified(_, binder, body) => {
                let hidden = |alias: &&str| binder.names().any(|(name, _)| *name.name == **alias);
                let left: Vec<&str> = aliases.iter().copied().filter(|a| !hidden(a)).collect();
                self.needs(body, &left, found)
            }
            kind => {
                let mut children = kind.children().into_iter();
                children.try_for_each(|child| self.needs(child, aliases, found))
            }
        }
    }

    fn needs_of_call(
        &mut self,
        name: &Ident,
        arguments: &[Node],
        aliases: &[&str],
        found: &mut Vec<Need>,
    ) -> Option<()> {
        for argument in arguments {
            self.needs(argument, aliases, found)?;
        }
        let lets = self.lets;
        let Some(definition) = lets.get(&name.name) else {
            return Some(());
        };
        let is_alias = |node: &Node| match &node.ungrouped().kind {
            NodeKind::Name(path) => path
                .as_word()
                .is_some_and(|word| aliases.contains(&&**word)),
            _ => false,
        };
        let passed: Vec<&str> = definition
            .params
            .iter()
            .zip(arguments)
            .filter(|(_, argument)| is_alias(argument))
            .map(|(param, _)| &*param.name)
            .collect();
        match passed.is_empty() {
            true => Some(()),
            false => self.needs(&definition.body, &passed, found),
        }
    }

    /// A condition on bound names: boolean operators over comparisons of processes.
    fn condition(&mut self, node: &Node, scope: &Scope<'_>) -> Option<bool> {
        self.charge(1, node.span)?;
        match &node.kind {
            NodeKind::Bool(value) => Some(*value),
            NodeKind::Group(inner) => self.condition(inner, scope),
            NodeKind::Not(inner) => Some(!self.condition(inner, scope)?),
            NodeKind::And(parts) => self
                .all_conditions(parts, scope)
                .map(|all| !all.contains(&false)),
            NodeKind::Or(parts) => self
                .all_conditions(parts, scope)
                .map(|all| all.contains(&true)),
            NodeKind::Implies(a, b) => Some(!self.condition(a, scope)? | self.condition(b, scope)?),
            NodeKind::Iff(a, b) => Some(self.condition(a, scope)? == self.condition(b, scope)?),
            NodeKind::Compare(first, rest) => self.compare_processes(first, rest, scope),
            _ => self.refuse(no_condition(node.span)),
        }
    }

    fn all_conditions(&mut self, parts: &[Node], scope: &Scope<'_>) -> Option<Vec<bool>> {
        parts
            .iter()
            .map(|part| self.condition(part, scope))
            .collect()
    }

    /// A chain of comparisons; the order is that of the process list.
    pub(super) fn compare_processes(
        &mut self,
        first: &Node,
        rest: &[(CmpOp, Node)],
        scope: &Scope<'_>,
    ) -> Option<bool> {
        let mut left = self.process_term(first, scope)?;
        self.compares_places |= is_place(left);
        let mut result = true;
        for (op, node) in rest {
            let right = self.process_term(node, scope)?;
            self.compares_places |= is_place(right);
            self.compares_positions |= op.is_order() && left != right;
            result &= op.accepts(left.cmp(&right));
            left = right;
        }
        Some(result)
    }

    pub(super) fn process_term(&mut self, node: &Node, scope: &Scope<'_>) -> Option<ProcRef> {
        match &node.ungrouped().kind {
            NodeKind::Name(path) if is_variable_of_bound(path, scope) => {
                self.refuse(no_condition(node.span))
            }
            NodeKind::Name(path) => self.process(path, scope),
            NodeKind::Text(name) => match self.names.process(name) {
                Some(process) => Some(process),
                None => {
                    let error = self.unknown_process(name, node.span);
                    self.refuse(error)
                }
            },
            _ => self.refuse(no_condition(node.span)),
        }
    }
}

/// `i.x`, where `i` is bound.
fn is_variable_of_bound(path: &Path, scope: &Scope<'_>) -> bool {
    match path.segments.as_slice() {
        [first, _, ..] => !first.quoted && scope.get(&first.name).is_some(),
        _ => false,
    }
}

fn no_condition(span: Span) -> Diagnostic {
    Diagnostic::at(
        Code::BadCondition,
        span,
        "a condition compares bound names and processes",
    )
    .with_label("expected something like `i != j`")
    .with_help("conditions on values belong into the property, behind the colon")
}

/// Whether the name matches the pattern: `*` is any text, `?` any one character.
fn matches(glob: &str, name: &str) -> bool {
    let (glob, name): (Vec<char>, Vec<char>) = (glob.chars().collect(), name.chars().collect());
    let (mut g, mut n) = (0, 0);
    // Where to go on when the last `*` has to take one character more.
    let mut retry: Option<(usize, usize)> = None;
    while n < name.len() {
        if glob.get(g) == Some(&'*') {
            retry = Some((g + 1, n));
            g += 1;
        } else if glob
            .get(g)
            .is_some_and(|&letter| letter == '?' || letter == name[n])
        {
            (g, n) = (g + 1, n + 1);
        } else if let Some((after, taken)) = retry {
            (g, n) = (after, taken + 1);
            retry = Some((after, taken + 1));
        } else {
            return false;
        }
    }
    glob[g..].iter().all(|&letter| letter == '*')
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn globs() {
        assert!(matches("worker*", "worker12") && matches("*", "") && matches("a?c", "abc"));
        assert!(matches("*a*b", "xxaxxab") && !matches("*a*b", "xxb") && !matches("a?", "a"));
        assert!(matches("p*", "p") && !matches("", "p") && matches("é?", "éx"));
    }
}
