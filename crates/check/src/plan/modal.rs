//! A formula of the mu-calculus as a question about runs, where it is one.
//!
//! `<R> true` says that some run begins with a word of `R`, `[R] false` that none does, and automata that read runs
//! answer such questions without going through the cuts. Nobody needs to see `R` for that: the equations of `<R> true` are
//! an automaton already. Its states are the equations, all of them disjunctions, and a term after a step is an edge on
//! the labels that the action admits; an equation that is true whatever follows accepts. `[R] false` is the same with
//! all operators exchanged. Boolean combinations of such formulas become those of the questions.

use std::sync::Arc;

use causet_formula::core::{Ctl, EventAtom, Pred};
use causet_formula::modal::{Equation, Modal, Operator, Sign, Term};
use causet_formula::{Edge, Language, Machine, MachineForm, Runs};
use causet_trace::EventId;
use rustc_hash::FxHashMap;

use crate::equations::fixed;
use crate::labels::Labels;

/// So many labels may have to be told apart.
const MOST_LABELS: usize = 200;
/// So many states an automaton may have.
const MOST_STATES: usize = 400;
/// So many questions a formula may become.
const MOST_QUESTIONS: usize = 64;

/// Questions about runs, combined as in the formula they come from.
pub(crate) struct Questions {
    /// The formula.
    pub(crate) formula: Ctl,
    /// Each question with the part of the formula that asks it.
    asked: Vec<(Arc<Runs>, Ctl)>,
}

impl Questions {
    /// The part of the formula that asks whether there is such a run.
    pub(crate) fn part(&self, runs: &Arc<Runs>) -> Option<&Ctl> {
        let mut asked = self.asked.iter();
        let found = asked.find(|(known, _)| Arc::ptr_eq(known, runs));
        found.map(|(_, part)| part)
    }
}

/// The questions about runs that a formula comes down to, if it does.
pub(crate) fn as_runs(table: &Modal, labels: &Labels<'_>) -> Option<Questions> {
    let reader = Reader {
        table,
        labels,
        admits: labels.admitted(table),
        fixed: fixed(&table.nodes()),
    };
    let mut asked = Vec::new();
    let formula = reader.formula(table.main, &mut Vec::new(), &mut asked, &mut 0)?;
    let is_open = formula.as_const().is_none();
    is_open.then_some(Questions { formula, asked })
}

/// After how many events of a run it is decided that the formula has this truth value, if they decide it.
pub(crate) fn decided_after(
    table: &Modal,
    labels: &Labels<'_>,
    truth: bool,
    run: &[EventId],
) -> Option<usize> {
    let reader = Reader {
        table,
        labels,
        admits: labels.admitted(table),
        fixed: fixed(&table.nodes()),
    };
    let mut present = vec![table.main];
    for (length, event) in run.iter().map(Some).chain([None]).enumerate() {
        let near = reader.near(&present, truth);
        if near.iter().any(|&to| reader.fixed[to] == Some(truth)) {
            return Some(length);
        }
        let label = labels.of(*event?) as usize;
        present.clear();
        for (action, to) in near.iter().flat_map(|&from| reader.steps(from, truth)) {
            if reader.admits[action][label] && !present.contains(&to) {
                present.push(to);
            }
        }
    }
    None
}

struct Reader<'a> {
    table: &'a Modal,
    labels: &'a Labels<'a>,
    /// Per action: whether it admits each label.
    admits: Vec<Vec<bool>>,
    /// Per equation: its value, where that is the same whatever happens.
    fixed: Vec<Option<bool>>,
}

impl Reader<'_> {
    fn formula(
        &self,
        equation: usize,
        within: &mut Vec<usize>,
        asked: &mut Vec<(Arc<Runs>, Ctl)>,
        questions: &mut usize,
    ) -> Option<Ctl> {
        *questions += 1;
        if *questions > MOST_QUESTIONS || within.contains(&equation) {
            return None;
        }
        if let Some(value) = self.fixed[equation] {
            return Some(Ctl::State(Pred::Const(value)));
        }
        for truth in [true, false] {
            if self.is_automaton(equation, truth) {
                let run = Ctl::some_run(Language::Machine(self.machine(equation, truth)?));
                let signed = |formula: Ctl| if truth { formula } else { Ctl::not(formula) };
                if let Ctl::Run(runs) = &run {
                    asked.push((runs.clone(), signed(self.part(equation))));
                }
                return Some(signed(run));
            }
        }
        within.push(equation);
        let Equation {
            terms, operator, ..
        } = &self.table.equations[equation];
        let parts = terms.iter().map(|term| match *term {
            Term::Here(to) => self.formula(to, within, asked, questions),
            Term::Step { .. } => None,
        });
        let parts: Option<Vec<Ctl>> = parts.collect();
        within.pop();
        match operator {
            Operator::Or => parts.map(Ctl::or),
            Operator::And => parts.map(Ctl::and),
        }
    }

    /// An equation as a formula of its own.
    fn part(&self, equation: usize) -> Ctl {
        Ctl::modal(Modal {
            main: equation,
            ..self.table.clone()
        })
    }

    /// Whether an equation has the truth value exactly if some run begins in a certain way.
    fn is_automaton(&self, equation: usize, truth: bool) -> bool {
        let mut found = vec![equation];
        let mut next = 0;
        while let Some(&from) = found.get(next) {
            next += 1;
            if self.needs_all(from, truth) && self.left(from, truth).is_none() {
                return false;
            }
            let near = self.heres(from, truth);
            let far = self.steps(from, truth).into_iter().map(|(_, to)| to);
            for to in near.into_iter().chain(far) {
                if self.fixed[to].is_none() && !found.contains(&to) {
                    found.push(to);
                }
            }
            if found.len() > MOST_STATES {
                return false;
            }
        }
        // What goes around without an event must come to nothing.
        let neutral = match truth {
            true => Sign::Mu,
            false => Sign::Nu,
        };
        let sound = |&from: &usize| {
            self.table.equations[from].sign == neutral
                || !self.near(&self.heres(from, truth), truth).contains(&from)
        };
        found.iter().all(sound)
    }

    /// Whether all terms of an equation are needed to give it the truth value.
    fn needs_all(&self, equation: usize, truth: bool) -> bool {
        (self.table.equations[equation].operator == Operator::Or) != truth
    }

    /// The one equation that another one comes down to, if it does, where all terms are needed.
    fn left(&self, equation: usize, truth: bool) -> Option<usize> {
        let mut left = Vec::new();
        for &term in &self.table.equations[equation].terms {
            let (Term::Here(to) | Term::Step { to, .. }) = term;
            if self.fixed[to] != Some(truth) && !left.contains(&term) {
                left.push(term);
            }
        }
        match left[..] {
            [Term::Here(to)] => Some(to),
            _ => None,
        }
    }

    /// The equations each of which would do, at the same cut.
    fn heres(&self, equation: usize, truth: bool) -> Vec<usize> {
        if self.needs_all(equation, truth) {
            return self.left(equation, truth).into_iter().collect();
        }
        let terms = self.table.equations[equation].terms.iter();
        let heres = terms.filter_map(|term| match *term {
            Term::Here(to) => Some(to),
            Term::Step { .. } => None,
        });
        heres.collect()
    }

    /// The same after an event, with the actions that admit it.
    fn steps(&self, equation: usize, truth: bool) -> Vec<(usize, usize)> {
        if self.needs_all(equation, truth) {
            return Vec::new();
        }
        let terms = self.table.equations[equation].terms.iter();
        let steps = terms.filter_map(|term| match *term {
            Term::Step { action, to } if self.fixed[to] != Some(!truth) => Some((action, to)),
            _ => None,
        });
        steps.collect()
    }

    /// These equations and all that would do in their place, at the same cut.
    fn near(&self, equations: &[usize], truth: bool) -> Vec<usize> {
        let mut found = equations.to_vec();
        let mut next = 0;
        while let Some(&from) = found.get(next) {
            next += 1;
            for to in self.heres(from, truth) {
                if !found.contains(&to) {
                    found.push(to);
                }
            }
        }
        found
    }

    /// The automaton: state 0 waits for the first event, state 1 accepts whatever follows.
    fn machine(&self, equation: usize, truth: bool) -> Option<Machine> {
        let mut edges = vec![edge(0, 2, Pred::TRUE), edge(1, 1, Pred::TRUE)];
        let mut states = vec![equation];
        let mut next = 0;
        while let Some(&from) = states.get(next) {
            let mut actions: FxHashMap<usize, Vec<bool>> = FxHashMap::default();
            let near = self.near(&[from], truth);
            for (action, to) in near.iter().flat_map(|&from| self.steps(from, truth)) {
                let target = match self.fixed[to] {
                    Some(_) => 1,
                    None => 2 + place(&mut states, to),
                };
                let admitted = actions
                    .entry(target)
                    .or_insert_with(|| vec![false; self.labels.len()]);
                for (either, &also) in admitted.iter_mut().zip(&self.admits[action]) {
                    *either |= also;
                }
            }
            let mut actions: Vec<_> = actions.into_iter().collect();
            actions.sort_unstable();
            for (target, admitted) in actions {
                edges.push(edge(next + 2, target, self.guard(&admitted)?));
            }
            next += 1;
        }
        let names = ["start".to_owned(), "found".to_owned()];
        let numbered = (0..states.len()).map(|state| format!("s{state}"));
        Some(Machine {
            form: MachineForm::Acceptor,
            states: names.into_iter().chain(numbered).collect(),
            start: vec![0],
            accepting: vec![1],
            edges,
        })
    }

    /// A condition on the event just executed: it has one of these labels. An event without a label can only be told by
    /// the labels it does not have.
    fn guard(&self, admitted: &[bool]) -> Option<Pred> {
        let named = |wanted: bool| {
            let labels = (0..self.labels.len()).filter(move |&label| admitted[label] == wanted);
            labels.collect::<Vec<usize>>()
        };
        let (inside, outside) = (named(true), named(false));
        let nameless = self.labels.nameless().map(|label| label as usize);
        let by_others = match nameless {
            Some(nameless) => admitted[nameless],
            None => outside.len() < inside.len(),
        };
        let listed = if by_others { outside } else { inside };
        if listed.len() > MOST_LABELS {
            return None;
        }
        let on = |label: usize| Pred::On(EventAtom::Label(self.labels.text(label as u32).into()));
        let any = Pred::or(listed.into_iter().map(on));
        Some(if by_others { Pred::not(any) } else { any })
    }
}

fn edge(from: usize, to: usize, guard: Pred) -> Edge {
    Edge { from, to, guard }
}

fn place(states: &mut Vec<usize>, equation: usize) -> usize {
    match states.iter().position(|&known| known == equation) {
        Some(place) => place,
        None => {
            states.push(equation);
            states.len() - 1
        }
    }
}
