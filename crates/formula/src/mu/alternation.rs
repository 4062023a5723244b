//! Whether fixpoints alternate: the equations of a cycle have to be all least or all greatest.
//!
//! The equations are cut into strongly connected components. Fixpoints of both kinds in one component depend on each
//! other; the error names two of them and shows the cycle. In all other formulas the solution can be found component by
//! component, each in one go, which is what makes the logic cheap.

use std::collections::VecDeque;

use causet_base::{Code, Diagnostic};

use super::Formula;
use super::lower::{Declared, Slot, target};
use crate::modal::Sign;

/// The kind of every equation; an error for the first component that would need both.
pub(super) fn signs(slots: &[Slot], formula: &Formula) -> Result<Vec<Sign>, Vec<Diagnostic>> {
    let mut signs = vec![Sign::Mu; slots.len()];
    for component in components(slots) {
        let mut declared = component
            .iter()
            .filter_map(|&at| Some((at, slots[at].declared.as_ref()?)));
        let Some((outer, first)) = declared.next() else {
            continue;
        };
        if let Some((inner, other)) = declared.find(|(_, other)| other.sign != first.sign) {
            let cycle = cycle(slots, &component, outer, inner);
            return Err(vec![alternates(formula, first, other, &cycle)]);
        }
        for &at in &component {
            signs[at] = first.sign;
        }
    }
    Ok(signs)
}

/// Two fixpoints of different kinds that depend on each other.
fn alternates(formula: &Formula, outer: &Declared, inner: &Declared, cycle: &[&str]) -> Diagnostic {
    let (outer_title, inner_title) = (&outer.title, &inner.title);
    // Seen from the outer fixpoint, a negation in between turns the inner one around.
    let as_greatest = (inner.sign == Sign::Nu) == outer.positive;
    let kind = if as_greatest { "greatest" } else { "least" };
    let turned = match inner.positive == outer.positive {
        true => "is",
        false => "under a negation is",
    };
    let message = format!(
        "`{inner_title}` {turned} a {kind} fixpoint and stands inside `{outer_title}`, which it depends on"
    );
    let help = format!(
        "`{outer_title}` is at {}; only alternation-free formulas are decided: {}",
        formula.place(outer.span),
        way_out(outer, inner)
    );
    Diagnostic::at(Code::Alternation, inner.span, message)
        .with_label(format!("the cycle is {}", cycle.join(" -> ")))
        .with_help(help)
}

/// What can be done about it.
fn way_out(outer: &Declared, inner: &Declared) -> String {
    let title = &inner.title;
    match (outer.written, inner.written) {
        (false, _) => "what is repeated for ever can have no repetitions in it".to_owned(),
        (true, false) => format!(
            "keep `{}` out of `{title}`, or make both fixpoints least or both greatest",
            outer.name
        ),
        (true, true) => format!(
            "keep `{}` out of `{title}`, whose body goes on to the next `)`, or make both fixpoints least or both greatest",
            outer.name
        ),
    }
}

/// The names of the fixpoints on a way from `outer` to `inner` and back.
fn cycle<'a>(slots: &'a [Slot], component: &[usize], outer: usize, inner: usize) -> Vec<&'a str> {
    let mut way = path(slots, component, outer, inner);
    way.extend(path(slots, component, inner, outer).into_iter().skip(1));
    let declared = way.into_iter().filter_map(|at| slots[at].declared.as_ref());
    let mut names: Vec<&str> = declared.map(|declared| declared.name.as_str()).collect();
    names.dedup();
    names
}

/// A shortest way between two equations of a component, both ends included.
fn path(slots: &[Slot], component: &[usize], from: usize, to: usize) -> Vec<usize> {
    let mut before = vec![None; slots.len()];
    let mut queue = VecDeque::from([from]);
    while let Some(at) = queue.pop_front().filter(|&at| at != to) {
        for next in slots[at].terms.iter().map(|&term| target(term)) {
            if next != from && before[next].is_none() && component.binary_search(&next).is_ok() {
                before[next] = Some(at);
                queue.push_back(next);
            }
        }
    }
    let mut way = vec![to];
    let mut at = to;
    while let Some(earlier) = before[at] {
        way.push(earlier);
        at = earlier;
    }
    way.reverse();
    way
}

/// The strongly connected components, each sorted: Tarjan's algorithm with a stack of its own.
fn components(slots: &[Slot]) -> Vec<Vec<usize>> {
    let mut search = Search {
        slots,
        number: vec![None; slots.len()],
        low: vec![0; slots.len()],
        open: vec![false; slots.len()],
        path: Vec::new(),
        next: 0,
        found: Vec::new(),
    };
    for root in 0..slots.len() {
        search.run(root);
    }
    search.found
}

struct Search<'a> {
    slots: &'a [Slot],
    number: Vec<Option<usize>>,
    low: Vec<usize>,
    open: Vec<bool>,
    path: Vec<usize>,
    next: usize,
    found: Vec<Vec<usize>>,
}

impl Search<'_> {
    fn run(&mut self, root: usize) {
        if self.number[root].is_some() {
            return;
        }
        self.enter(root);
        let mut stack = vec![(root, 0)];
        while let Some((at, term)) = stack.pop() {
            let Some(&next) = self.slots[at].terms.get(term) else {
                self.leave(at);
                if let Some(&(above, _)) = stack.last() {
                    self.low[above] = self.low[above].min(self.low[at]);
                }
                continue;
            };
            stack.push((at, term + 1));
            let next = target(next);
            match self.number[next] {
                None => {
                    self.enter(next);
                    stack.push((next, 0));
                }
                Some(number) if self.open[next] => self.low[at] = self.low[at].min(number),
                Some(_) => {}
            }
        }
    }

    fn enter(&mut self, at: usize) {
        self.number[at] = Some(self.next);
        self.low[at] = self.next;
        self.next += 1;
        self.open[at] = true;
        self.path.push(at);
    }

    /// All below is known; if nothing reaches further back, a component is complete.
    fn leave(&mut self, at: usize) {
        if self.number[at] != Some(self.low[at]) {
            return;
        }
        let mut component = Vec::new();
        while let Some(top) = self.path.pop() {
            self.open[top] = false;
            component.push(top);
            if top == at {
                break;
            }
        }
        component.sort_unstable();
        self.found.push(component);
    }
}
