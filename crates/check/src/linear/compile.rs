//! From a language of runs to an automaton over atoms, and what is worth knowing about it.

use std::sync::Arc;

use causet_base::budget::{Budget, Spent};
use causet_formula::core::{EventAtom, Pred};
use causet_formula::{Hit, Language, Machine, MachineForm, Runs};
use causet_solve::automaton::linear::Ltl;
use causet_solve::automaton::{Automaton, Builder, Guard, State, Stutter, ltl, regular};
use rustc_hash::FxHashMap;

use crate::project::is_decided_by_event;

/// The words looked for, as an automaton.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// What the automaton asks for: predicates that are no connectives, each once.
    pub atoms: Vec<Pred>,
    /// The automaton; it accepts the words looked for.
    pub automaton: Automaton,
    /// Another automaton of the same words that guesses, where one is at hand and may be simpler in its cycles.
    pub guessing: Option<Automaton>,
    /// Whether it has at most one way for each word; then it is complete and has no two states alike.
    pub is_deterministic: bool,
    /// Whether the automaton notices that something happened which none of the atoms can see.
    pub notices: Notices,
}

/// Whether and how an automaton notices events that none of its atoms can see.
#[derive(Clone, Debug)]
pub enum Notices {
    /// It does not: such events can be left out.
    Nothing,
    /// It does, and here are two words by which one can tell.
    Repetition(Stutter),
    /// Perhaps; its deterministic form is too large to find out.
    Perhaps,
}

/// How large automata may become.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sizes {
    /// So many states may turn up on the way to a deterministic automaton.
    pub states: usize,
    /// So many on the way to one that guesses.
    pub guesses: usize,
}

impl Default for Sizes {
    fn default() -> Self {
        Sizes {
            states: 4_000,
            guesses: 20_000,
        }
    }
}

/// So many bytes an automaton may take in the making; more would hardly be of use.
const ROOM: u64 = 24 << 20;
/// So many on the way to one that is wanted for its simple cycles only.
const FEW_GUESSES: usize = 100;

/// Makes an automaton of the words looked for. One that is too large is a matter of memory.
pub fn compile(runs: &Runs, sizes: Sizes, budget: &Budget<'_>) -> Result<Compiled, Spent> {
    let mut atoms = Atoms::default();
    let (found, source) = match &runs.language {
        Language::Ltl(formula) => {
            let formula = atoms.ltl(formula);
            let formula = match runs.complement {
                true => Ltl::Not(Arc::new(formula)),
                false => formula,
            };
            let found = of_formula(&formula, atoms.list.len(), sizes, budget)?;
            (found, Source::Formula(formula))
        }
        other => {
            let written = written(other, &mut atoms, budget)?;
            of_automaton(&written, runs.complement, sizes, budget)?
        }
    };
    let is_deterministic = found.is_deterministic() && found.is_complete();
    let is_event = |atom: usize| matches!(atoms.list[atom], Pred::On(_));
    let notices = match is_deterministic {
        true => match found.stutter(&is_event, budget)? {
            Some(words) => Notices::Repetition(words),
            None => Notices::Nothing,
        },
        false if stays_when_quiet(&found, &is_event) => Notices::Nothing,
        false => match &runs.language {
            // Without `X` and without events a formula cannot count positions.
            Language::Ltl(formula) if !formula.has_next() && !atoms.has_events() => {
                Notices::Nothing
            }
            _ => Notices::Perhaps,
        },
    };
    // For its simple cycles it is wanted only where they can matter.
    let is_wanted = matches!(notices, Notices::Nothing) && !atoms.has_events();
    let guessing = match source {
        Source::Written(automaton) => Some(automaton),
        Source::Formula(formula) if is_wanted && found.very_weak().is_none() => {
            few_guesses(&formula, atoms.list.len(), budget)?
        }
        Source::Formula(_) | Source::Nothing => None,
    };
    Ok(Compiled {
        atoms: atoms.list,
        automaton: found,
        guessing,
        is_deterministic,
        notices,
    })
}

/// A formula over numbered atoms, and these atoms.
pub(crate) fn over_atoms(formula: &Ltl<Pred>) -> (Vec<Pred>, Ltl<usize>) {
    let mut atoms = Atoms::default();
    let formula = atoms.ltl(formula);
    (atoms.list, formula)
}

/// An automaton of a language, before it is made deterministic, and its atoms.
pub(crate) fn as_written(
    language: &Language,
    budget: &Budget<'_>,
) -> Result<(Vec<Pred>, Automaton), Spent> {
    let mut atoms = Atoms::default();
    let automaton = written(language, &mut atoms, budget)?;
    Ok((atoms.list, automaton))
}

fn written(
    language: &Language,
    atoms: &mut Atoms,
    budget: &Budget<'_>,
) -> Result<Automaton, Spent> {
    Ok(match language {
        Language::Ltl(formula) => {
            let formula = atoms.ltl(formula);
            of_formula(&formula, atoms.list.len(), Sizes::default(), budget)?
        }
        Language::Machine(machine) => of_machine(machine, atoms),
        Language::Sequence(hits) => of_sequence(hits, atoms),
        Language::Regular(expression) => {
            let expression = expression.map(&mut |pred| atoms.guard(pred));
            regular::translate(&expression, atoms.list.len(), budget)?
        }
    })
}

/// Predicates as conditions on atoms, and these atoms.
pub(crate) fn conditions(preds: &[Pred]) -> (Vec<Pred>, Vec<Guard>) {
    let mut atoms = Atoms::default();
    let guards = preds.iter().map(|pred| atoms.guard(pred)).collect();
    (atoms.list, guards)
}

/// Where an automaton that guesses may come from.
enum Source {
    Formula(Ltl<usize>),
    Written(Automaton),
    /// Of a complement there is none.
    Nothing,
}

/// A small automaton that guesses, if there is one; it is not needed.
fn few_guesses(
    formula: &Ltl<usize>,
    atoms: usize,
    budget: &Budget<'_>,
) -> Result<Option<Automaton>, Spent> {
    let room = budget.branch_within(ROOM);
    match ltl::translate_nondeterministic(formula, atoms, FEW_GUESSES, &room) {
        Err(Spent::Memory) => Ok(None),
        found => found,
    }
}

fn of_formula(
    formula: &Ltl<usize>,
    atoms: usize,
    sizes: Sizes,
    budget: &Budget<'_>,
) -> Result<Automaton, Spent> {
    let room = budget.branch_within(ROOM);
    match ltl::translate(formula, atoms, sizes.states, &room) {
        Ok(Some(automaton)) => return Ok(automaton),
        Ok(None) | Err(Spent::Memory) => {}
        Err(spent) => return Err(spent),
    }
    drop(room);
    let room = budget.branch_within(ROOM);
    let guessing = ltl::translate_nondeterministic(formula, atoms, sizes.guesses, &room)?;
    guessing.ok_or(Spent::Memory)
}

/// The smallest deterministic automaton, or its complement; without determinism there is no complement. With it, what
/// else there is of the same words.
fn of_automaton(
    written: &Automaton,
    complement: bool,
    sizes: Sizes,
    budget: &Budget<'_>,
) -> Result<(Automaton, Source), Spent> {
    let small = written.trim();
    let room = budget.branch_within(ROOM);
    let deterministic = match small.determinise(sizes.states, &room) {
        Err(Spent::Memory) => None,
        found => found?,
    };
    let Some(deterministic) = deterministic else {
        return match complement {
            true => Err(Spent::Memory),
            false => Ok((small, Source::Nothing)),
        };
    };
    let deterministic = deterministic.complete();
    let (wanted, source) = match complement {
        true => {
            let complement = deterministic.complement().ok_or(Spent::Memory)?;
            (complement, Source::Nothing)
        }
        false => (deterministic, Source::Written(small)),
    };
    Ok((wanted.minimise(budget)?.without_empty_word(), source))
}

/// Whether every state that a letter can lead to stays as it is when nothing happens that an atom can see, whatever the
/// state atoms are. Where words begin no letter has been read: that state matters only if it can be come back to.
fn stays_when_quiet(automaton: &Automaton, is_event: &dyn Fn(usize) -> bool) -> bool {
    let states = 0..automaton.len() as State;
    let mut entered: Vec<State> = states.flat_map(|state| automaton.targets(state)).collect();
    entered.sort_unstable();
    entered.dedup();
    entered.into_iter().all(|state| {
        let support = automaton.support(state);
        support.iter().all(|&atom| is_event(atom)) && automaton.next(state, |_| false) == [state]
    })
}

/// An automaton as it was written.
fn of_machine(machine: &Machine, atoms: &mut Atoms) -> Automaton {
    let guards: Vec<(usize, Guard, usize)> = machine
        .edges
        .iter()
        .map(|edge| (edge.from, atoms.guard(&edge.guard), edge.to))
        .collect();
    let mut builder = Builder::new(atoms.list.len());
    let start = builder.state(false);
    let states: Vec<State> = (0..machine.states.len())
        .map(|state| builder.state(machine.accepting.contains(&state)))
        .collect();
    let edges_of = |from: usize| {
        let own = guards.iter().filter(move |(at, ..)| *at == from);
        own.map(|(_, guard, to)| (guard.clone(), states[*to]))
            .collect::<Vec<_>>()
    };
    for (number, &state) in states.iter().enumerate() {
        let stay = (machine.form == MachineForm::Monitor).then_some(state);
        builder.moves(state, &edges_of(number), stay);
    }
    let first: Vec<(Guard, State)> = match machine.form {
        // A monitor does not look at the initial cut.
        MachineForm::Monitor => {
            let starts = machine.start.iter();
            starts
                .map(|&state| (Guard::Const(true), states[state]))
                .collect()
        }
        MachineForm::Acceptor => machine.start.iter().flat_map(|&at| edges_of(at)).collect(),
    };
    builder.moves(start, &first, None);
    builder.finish()
}

/// One state per number of hits so far; at a position the next one may be hit, or it is one of those in between.
fn of_sequence(hits: &[Hit], atoms: &mut Atoms) -> Automaton {
    let guards: Vec<(Guard, Guard)> = hits
        .iter()
        .map(|hit| (atoms.guard(&hit.between), atoms.guard(&hit.at)))
        .collect();
    let mut builder = Builder::new(atoms.list.len());
    let states: Vec<State> = (0..=hits.len())
        .map(|done| builder.state(done == hits.len()))
        .collect();
    for (done, (between, at)) in guards.into_iter().enumerate() {
        let targets = [(between, states[done]), (at, states[done + 1])];
        builder.moves(states[done], &targets, None);
    }
    let last = states[hits.len()];
    builder.moves(last, &[], Some(last));
    builder.finish()
}

/// Atoms and their numbers.
#[derive(Default)]
struct Atoms {
    list: Vec<Pred>,
    number: FxHashMap<Pred, usize>,
}

impl Atoms {
    fn number(&mut self, atom: &Pred) -> usize {
        if let Some(&number) = self.number.get(atom) {
            return number;
        }
        let number = self.list.len();
        self.list.push(atom.clone());
        self.number.insert(atom.clone(), number);
        number
    }

    fn has_events(&self) -> bool {
        self.list.iter().any(|atom| matches!(atom, Pred::On(_)))
    }

    fn guard(&mut self, pred: &Pred) -> Guard {
        let mut all = |parts: &[Pred]| parts.iter().map(|part| self.guard(part)).collect();
        match pred {
            Pred::Const(truth) => Guard::Const(*truth),
            Pred::And(parts) => Guard::All(all(parts)),
            Pred::Or(parts) => Guard::Any(all(parts)),
            Pred::Not(part) => Guard::Not(Box::new(self.guard(part))),
            // An atom is about the event alone or about the cut alone: what is said of both is taken apart.
            Pred::On(EventAtom::Wrote { vars, now }) if !is_decided_by_event(vars, now) => {
                let wrote = Pred::On(EventAtom::Wrote {
                    vars: vars.clone(),
                    now: Arc::new(Pred::TRUE),
                });
                Guard::All(vec![Guard::Atom(self.number(&wrote)), self.guard(now)])
            }
            atom => Guard::Atom(self.number(atom)),
        }
    }

    fn ltl(&mut self, formula: &Ltl<Pred>) -> Ltl<usize> {
        formula.substitute(&mut |pred| plain(&self.guard(pred)))
    }
}

/// A condition on a letter as a formula about the first position.
fn plain(guard: &Guard) -> Ltl<usize> {
    let all = |parts: &[Guard]| parts.iter().map(plain).collect();
    match guard {
        Guard::Const(true) => Ltl::And(Vec::new()),
        Guard::Const(false) => Ltl::Or(Vec::new()),
        Guard::Atom(atom) => Ltl::State(*atom),
        Guard::Not(part) => Ltl::Not(Arc::new(plain(part))),
        Guard::All(parts) => Ltl::And(all(parts)),
        Guard::Any(parts) => Ltl::Or(all(parts)),
    }
}
