//! The definition for languages of runs: read every order position by position, and keep what is still asked of the rest.
//!
//! What is asked of the rest of a word after some positions is a *residue*: a formula of LTL progressed past them, the
//! states an automaton can be in, how many hits of a sequence there can have been, a derivative of a regular expression.
//! Orders that lead to the same cut by an event of the same process with the same residue are the same from there on; no
//! other two are taken together, no automaton is built, nothing is left out.

use std::collections::{BTreeMap, BTreeSet};

use causet_base::budget::{Budget, Spent};
use causet_formula::core::{EventAtom, Pred};
use causet_formula::{Hit, Language, Ltl, Machine, MachineForm, Regular, Runs};
use causet_trace::{Cut, EventId, Trace};
use rustc_hash::FxHashSet;

use crate::engine::Stats;
use crate::subject::{process_id, var_id};
use crate::valuation::Valuation;

/// What reading every order gave.
pub(super) struct Reading {
    /// A complete run of the kind looked for, if there is one.
    pub(super) run: Option<Vec<EventId>>,
    /// Figures about the work done.
    pub(super) stats: Stats,
}

/// Looks for a complete run, or one up to a cut, that is one of these.
pub(super) fn find(
    trace: &Trace,
    runs: &Runs,
    valuation: &Valuation<'_>,
    budget: &Budget<'_>,
) -> Result<Reading, Spent> {
    let order = trace.order();
    let last = match &runs.end {
        Some(end) => Cut::new(end.clone()),
        None => order.final_cut(),
    };
    let mut readers: Vec<Reader> = Vec::new();
    let mut seen: FxHashSet<(Vec<u32>, Option<u32>, Residue)> = FxHashSet::default();
    let mut open = vec![readers.len()];
    readers.push(Reader {
        cut: vec![0; order.process_count()],
        event: None,
        residue: Residue::of(&runs.language),
        before: None,
    });
    while let Some(number) = open.pop() {
        budget.tick()?;
        let Reader {
            cut,
            event,
            residue,
            ..
        } = readers[number].clone();
        let at_end = cut == last.counts();
        let position = Position {
            trace,
            valuation,
            cut: &cut,
            event,
        };
        let residue = residue.after(&runs.language, event.is_none(), at_end, &position);
        if at_end {
            if residue.accepts(&runs.language) != runs.complement {
                let run = Some(walk_back(&readers, number));
                return Ok(reading(run, &readers));
            }
            continue;
        }
        // Last in, first out: the earliest recorded event is tried first.
        let mut events: Vec<EventId> = order
            .processes()
            .filter(|process| cut[process.index()] < last.of(*process))
            .filter_map(|process| order.enabled_on(&cut, process))
            .collect();
        events.sort_unstable_by(|one, other| other.cmp(one));
        for event in events {
            let process = order.process_of(event);
            let mut next = cut.clone();
            next[process.index()] += 1;
            let key = (next.clone(), Some(process.raw()), residue.clone());
            if seen.insert(key) {
                budget.charge(2 * (next.len() * 4 + residue.size() * 64) + 200)?;
                open.push(readers.len());
                readers.push(Reader {
                    cut: next,
                    event: Some(event),
                    residue: residue.clone(),
                    before: Some(number),
                });
            }
        }
    }
    Ok(reading(None, &readers))
}

fn reading(run: Option<Vec<EventId>>, readers: &[Reader]) -> Reading {
    Reading {
        run,
        stats: BTreeMap::from([("readers", readers.len() as u64)]),
    }
}

/// An order being read: the cut it has come to, which is not read yet.
#[derive(Clone)]
struct Reader {
    cut: Vec<u32>,
    event: Option<EventId>,
    residue: Residue,
    before: Option<usize>,
}

fn walk_back(readers: &[Reader], to: usize) -> Vec<EventId> {
    let mut run = Vec::new();
    let mut at = Some(to);
    while let Some(number) = at {
        run.extend(readers[number].event);
        at = readers[number].before;
    }
    run.reverse();
    run
}

/// What is asked of the rest of a word.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Residue {
    Ltl(Ltl),
    /// The states an automaton can be in, or how many hits there can have been.
    Places(BTreeSet<usize>),
    Regular(Regular),
}

impl Residue {
    fn of(language: &Language) -> Residue {
        match language {
            Language::Ltl(formula) => Residue::Ltl(formula.clone()),
            Language::Machine(machine) => Residue::Places(machine.start.iter().copied().collect()),
            Language::Sequence(_) => Residue::Places(BTreeSet::from([0])),
            Language::Regular(regular) => Residue::Regular(regular.clone()),
        }
    }

    /// What is asked after a position; `is_first` and `is_last` say which one it is.
    fn after(
        self,
        language: &Language,
        is_first: bool,
        is_last: bool,
        at: &Position<'_>,
    ) -> Residue {
        match (self, language) {
            (Residue::Ltl(formula), _) => Residue::Ltl(progress(&formula, is_last, at)),
            (Residue::Regular(regular), _) => Residue::Regular(derivative(&regular, at)),
            (Residue::Places(places), Language::Machine(machine)) => match machine.form {
                MachineForm::Monitor if is_first => Residue::Places(places),
                _ => Residue::Places(moved(machine, &places, at)),
            },
            (Residue::Places(places), Language::Sequence(hits)) => {
                Residue::Places(hit(hits, &places, at))
            }
            (places, _) => places,
        }
    }

    /// Whether the word may end here.
    fn accepts(&self, language: &Language) -> bool {
        match (self, language) {
            (Residue::Ltl(formula), _) => formula.as_const() == Some(true),
            (Residue::Regular(regular), _) => may_be_empty(regular),
            (Residue::Places(places), Language::Machine(machine)) => machine
                .accepting
                .iter()
                .any(|accepting| places.contains(accepting)),
            (Residue::Places(places), Language::Sequence(hits)) => places.contains(&hits.len()),
            (Residue::Places(_), _) => false,
        }
    }

    fn size(&self) -> usize {
        match self {
            Residue::Ltl(formula) => formula.size(),
            Residue::Places(places) => places.len(),
            Residue::Regular(_) => 8,
        }
    }
}

/// What a formula asks of the next position, given this one; its truth when there is none.
fn progress(formula: &Ltl, is_last: bool, at: &Position<'_>) -> Ltl {
    let go = |part: &Ltl| progress(part, is_last, at);
    match formula {
        Ltl::State(pred) => Ltl::State(Pred::Const(at.holds(pred))),
        Ltl::Not(part) => Ltl::not(go(part)),
        Ltl::And(parts) => Ltl::and(parts.iter().map(go)),
        Ltl::Or(parts) => Ltl::or(parts.iter().map(go)),
        Ltl::Next(_) if is_last => Ltl::FALSE,
        Ltl::Next(part) => (**part).clone(),
        Ltl::Until(hold, goal) => {
            let later = if is_last { Ltl::FALSE } else { formula.clone() };
            Ltl::or([go(goal), Ltl::and([go(hold), later])])
        }
    }
}

/// The states after a position; a monitor stays where no guard holds.
fn moved(machine: &Machine, from: &BTreeSet<usize>, at: &Position<'_>) -> BTreeSet<usize> {
    let mut to = BTreeSet::new();
    for &state in from {
        let edges = machine.edges.iter().filter(|edge| edge.from == state);
        let next: Vec<usize> = edges
            .filter(|edge| at.holds(&edge.guard))
            .map(|edge| edge.to)
            .collect();
        if next.is_empty() && machine.form == MachineForm::Monitor {
            to.insert(state);
        }
        to.extend(next);
    }
    to
}

/// How many hits there can have been after a position.
fn hit(hits: &[Hit], before: &BTreeSet<usize>, at: &Position<'_>) -> BTreeSet<usize> {
    let mut after = BTreeSet::new();
    for &done in before {
        let Some(next) = hits.get(done) else {
            after.insert(done);
            continue;
        };
        if at.holds(&next.at) {
            after.insert(done + 1);
        }
        if at.holds(&next.between) {
            after.insert(done);
        }
    }
    after
}

/// What must follow a position for the whole to match (Brzozowski).
fn derivative(regular: &Regular, at: &Position<'_>) -> Regular {
    match regular {
        Regular::Letter(pred) if at.holds(pred) => Regular::Then(Vec::new()),
        Regular::Letter(_) => Regular::Either(Vec::new()),
        Regular::Either(parts) => either(parts.iter().map(|part| derivative(part, at))),
        Regular::Star(part) => then(derivative(part, at), regular.clone()),
        Regular::Then(parts) => {
            let mut ways = Vec::new();
            for (number, part) in parts.iter().enumerate() {
                let rest = Regular::Then(parts[number + 1..].to_vec());
                ways.push(then(derivative(part, at), rest));
                if !may_be_empty(part) {
                    break;
                }
            }
            either(ways)
        }
    }
}

fn either(parts: impl IntoIterator<Item = Regular>) -> Regular {
    let mut ways: Vec<Regular> = Vec::new();
    for part in parts {
        let more = match part {
            Regular::Either(parts) => parts,
            part => vec![part],
        };
        for way in more {
            if !ways.contains(&way) {
                ways.push(way);
            }
        }
    }
    match ways.len() {
        1 => ways.swap_remove(0),
        _ => Regular::Either(ways),
    }
}

fn then(first: Regular, rest: Regular) -> Regular {
    let nothing = Regular::Either(Vec::new());
    if first == nothing || rest == nothing {
        return nothing;
    }
    let list = |regular| match regular {
        Regular::Then(parts) => parts,
        regular => vec![regular],
    };
    let mut parts = list(first);
    parts.extend(list(rest));
    match parts.len() {
        1 => parts.swap_remove(0),
        _ => Regular::Then(parts),
    }
}

fn may_be_empty(regular: &Regular) -> bool {
    match regular {
        Regular::Letter(_) => false,
        Regular::Then(parts) => parts.iter().all(may_be_empty),
        Regular::Either(parts) => parts.iter().any(may_be_empty),
        Regular::Star(_) => true,
    }
}

/// A cut and the event that led to it.
pub(super) struct Position<'a> {
    trace: &'a Trace,
    valuation: &'a Valuation<'a>,
    cut: &'a [u32],
    event: Option<EventId>,
}

impl Position<'_> {
    /// Whether a predicate holds, of the cut or of the event.
    fn holds(&self, pred: &Pred) -> bool {
        match pred {
            Pred::On(atom) => self.event.is_some_and(|event| self.is(event, atom)),
            Pred::Not(part) => !self.holds(part),
            Pred::And(parts) => parts.iter().all(|part| self.holds(part)),
            Pred::Or(parts) => parts.iter().any(|part| self.holds(part)),
            state => self.valuation.holds(state, self.cut),
        }
    }

    fn is(&self, event: EventId, atom: &EventAtom) -> bool {
        let process = self.trace.order().process_of(event);
        let label = self.trace.label(event);
        match atom {
            EventAtom::Label(wanted) => label == Some(wanted),
            EventAtom::Process(wanted) => process == process_id(*wanted),
            EventAtom::ProcessLabel(wanted, name) => {
                process == process_id(*wanted) && label == Some(name)
            }
            EventAtom::Wrote { vars, now } => {
                let writes = self.trace.writes(event);
                let own = writes.filter(|write| vars.iter().any(|&var| var_id(var) == write.var));
                // Of several writes of one variable the last counts.
                own.last().is_some_and(|write| match vars[..] {
                    // With one variable its value now is what the event wrote, also where writes race.
                    [var] => {
                        let value = self.trace.value(write.value);
                        self.valuation.holds_with(now, self.cut, var, &value)
                    }
                    _ => self.valuation.holds(now, self.cut),
                })
            }
        }
    }
}
