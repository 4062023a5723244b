//! How a language of runs is decided: as formulas of CTL where that is possible, else by reading words.

use std::convert::Infallible;
use std::sync::Arc;

use causet_base::Diagnostic;
use causet_base::budget::{Budget, Spent};
use causet_formula::core::{Ctl, Equations, Pred};
use causet_formula::print::Printer;
use causet_formula::{Language, Ltl, MachineForm, Runs};
use causet_solve::automaton::Guard;

use super::Choice;
use super::folds::without_folds;
use super::modal::as_runs;
use super::need::{needed, needed_by_runs};
use super::split::{Parts, split};
use crate::engine::table::Skill;
use crate::labels::Labels;
use crate::linear::branching::branching;
use crate::linear::compile::{Compiled, Notices, Sizes, compile, conditions};
use crate::linear::describe::told;
use crate::linear::until::of_until;
use crate::refusal::refused;
use crate::subject::Subject;

/// A language of runs that is read word by word.
#[derive(Clone, Debug)]
pub(crate) struct Words {
    /// What is looked for.
    pub(crate) runs: Arc<Runs>,
    /// Its automaton.
    pub(crate) compiled: Compiled,
    /// Why it is not decided as formulas of CTL.
    pub(crate) not_branching: &'static str,
}

/// A part of a question for which there is an automaton, if it is about runs.
pub(crate) enum Part {
    Formula(Ctl),
    Words(Ctl, Box<Words>),
    /// The atoms of some conditions, and the conditions, which are to hold at one cut.
    Conjunction(Ctl, Vec<Pred>, Vec<Guard>),
    /// A language whose automaton is too large to be made.
    TooLarge(Ctl),
    /// Equations about labelled steps.
    Modal(Equations),
}

/// Finds out how a part is decided under a choice.
pub(crate) fn part(
    formula: Ctl,
    subject: &Subject<'_>,
    choice: Choice,
    sizes: Sizes,
    budget: &Budget<'_>,
) -> Result<Parts<Part>, Spent> {
    match &formula {
        Ctl::Run(runs) => return of_runs(runs, choice, sizes, budget),
        Ctl::Modal(table) => return of_equations(table, subject, choice, sizes, budget),
        _ => {}
    }
    let skill = match choice {
        Choice::Auto => return Ok(of_formula(formula, choice)),
        Choice::Forced(engine) => &engine.skill,
    };
    match skill {
        Skill::Conjunctions => Ok(Parts::Leaf(conjunction(formula))),
        Skill::Runs(_) => along(formula, choice, sizes, budget),
        Skill::Look | Skill::Questions | Skill::Cuts(_) | Skill::Equations(..) => {
            Ok(of_formula(formula, choice))
        }
    }
}

/// A formula of CTL, with what must be reachable for it to be true.
fn of_formula(formula: Ctl, choice: Choice) -> Parts<Part> {
    let needs = Vec::from_iter(needed(&formula));
    needing(Part::Formula(formula), needs, choice)
}

/// A part that is false where one of some predicates cannot be reached.
fn needing(part: Part, needs: Vec<Pred>, choice: Choice) -> Parts<Part> {
    if choice != Choice::Auto || needs.is_empty() {
        return Parts::Leaf(part);
    }
    let as_part = |formula| Ok::<_, Infallible>(Parts::Leaf(Part::Formula(formula)));
    let needs = needs.into_iter().map(|need| {
        let need = split(&without_folds(&Ctl::ef(Ctl::State(need))));
        let Ok(need) = need.expand(&mut { as_part });
        need
    });
    Parts::Needing {
        needs: needs.collect(),
        part,
    }
}

/// `EF` of a conjunction, for the engine that knows nothing else.
fn conjunction(formula: Ctl) -> Part {
    let conjuncts = match &formula {
        Ctl::Eu(hold, goal) if **hold == Ctl::TRUE => match &**goal {
            Ctl::State(Pred::And(parts)) => parts.clone(),
            Ctl::State(pred) => vec![pred.clone()],
            _ => return Part::Formula(formula),
        },
        _ => return Part::Formula(formula),
    };
    let (atoms, conditions) = conditions(&conjuncts);
    Part::Conjunction(formula, atoms, conditions)
}

/// Equations as languages of runs, where that is what they are about and nobody wants them otherwise.
fn of_equations(
    table: &Equations,
    subject: &Subject<'_>,
    choice: Choice,
    sizes: Sizes,
    budget: &Budget<'_>,
) -> Result<Parts<Part>, Spent> {
    let as_they_are = || Ok(Parts::Leaf(Part::Modal(table.clone())));
    if choice != Choice::Auto {
        return as_they_are();
    }
    let Some(questions) = as_runs(table, &Labels::new(subject.trace)) else {
        return as_they_are();
    };
    let parts = split(&questions.formula);
    let parts = parts.expand(&mut |formula| part(formula, subject, choice, sizes, budget))?;
    let parts = parts.expand(&mut |part| {
        Ok(Parts::Leaf(match part {
            Part::Words(run, words) => {
                let asks = questions.part(&words.runs).cloned();
                Part::Words(asks.unwrap_or(run), words)
            }
            other => other,
        }))
    })?;
    let mut too_large = false;
    parts.each(&mut |part| too_large |= matches!(part, Part::TooLarge(_)));
    match too_large {
        true => as_they_are(),
        false => Ok(Parts::Begun(table.clone(), Box::new(parts))),
    }
}

fn of_runs(
    runs: &Arc<Runs>,
    choice: Choice,
    sizes: Sizes,
    budget: &Budget<'_>,
) -> Result<Parts<Part>, Spent> {
    if let Some(ways) = ways(runs) {
        let ways = ways.into_iter().map(|way| {
            let way = of_runs(&Arc::new(way), choice, sizes, budget)?;
            Ok((way, None))
        });
        return Ok(Parts::Reach {
            ways: ways.collect::<Result<_, Spent>>()?,
        });
    }
    let compiled = match compile(runs, sizes, budget) {
        Ok(compiled) => compiled,
        Err(Spent::Memory) => return Ok(Parts::Leaf(Part::TooLarge(Ctl::Run(runs.clone())))),
        Err(spent) => return Err(spent),
    };
    let wants_words = matches!(choice, Choice::Forced(engine) if engine.reads_words());
    let formula = match (wants_words, &runs.end) {
        (true, _) => Err("asked for"),
        (false, Some(_)) => Err("the runs end before the final cut"),
        (false, None) => branching(&compiled),
    };
    match formula {
        Ok(formula) => {
            let parts = split(&without_folds(&formula));
            let parts = parts.expand(&mut |formula| Ok(of_formula(formula, choice)))?;
            Ok(Parts::Complete(Box::new(parts)))
        }
        Err(not_branching) => {
            let needs = needed_by_runs(&compiled);
            let words = Words {
                runs: runs.clone(),
                compiled,
                not_branching,
            };
            let part = Part::Words(Ctl::Run(runs.clone()), Box::new(words));
            Ok(needing(part, needs, choice))
        }
    }
}

/// Languages of which a run is to be in one: a run that breaks `f && g` breaks `f` or breaks `g`, and each sees less of
/// the recorded run than both.
fn ways(runs: &Runs) -> Option<Vec<Runs>> {
    let Language::Ltl(formula) = &runs.language else {
        return None;
    };
    let wanted = match runs.complement {
        true => Ltl::not(formula.clone()),
        false => formula.clone(),
    };
    let ways: Vec<Ltl> = match &wanted {
        Ltl::Or(parts) => parts.clone(),
        Ltl::Not(part) => negated(part)?,
        // `F (f || g)` is `F f || F g`.
        Ltl::Until(hold, goal) if **hold == Ltl::TRUE => {
            let goals = match &**goal {
                Ltl::Or(parts) => parts.clone(),
                Ltl::Not(part) => negated(part)?,
                _ => return None,
            };
            goals.into_iter().map(Ltl::finally).collect()
        }
        _ => return None,
    };
    let way = |formula: Ltl| Runs {
        language: Language::Ltl(Ltl::not(formula)),
        complement: true,
        end: runs.end.clone(),
    };
    Some(ways.into_iter().map(way).collect())
}

/// The ways to break a conjunction.
fn negated(formula: &Ltl) -> Option<Vec<Ltl>> {
    match formula {
        Ltl::And(parts) => Some(parts.iter().cloned().map(Ltl::not).collect()),
        _ => None,
    }
}

/// An until of predicates as a language of runs, for engines that know nothing else.
fn along(
    formula: Ctl,
    choice: Choice,
    sizes: Sizes,
    budget: &Budget<'_>,
) -> Result<Parts<Part>, Spent> {
    let Some(runs) = of_until(&formula) else {
        return Ok(Parts::Leaf(Part::Formula(formula)));
    };
    let complement = runs.complement;
    let run = of_runs(&Arc::new(runs), choice, sizes, budget)?;
    let parts = match complement {
        true => Parts::Not(Box::new(run)),
        false => run,
    };
    Ok(Parts::Along(formula, Box::new(parts)))
}

impl Words {
    /// Whether events that no atom can see may be left out.
    pub(crate) fn may_project(&self) -> bool {
        matches!(self.compiled.notices, Notices::Nothing)
    }

    /// Whether repetitions make no difference to it, else two words that show that they do.
    pub(crate) fn ignores_stuttering(&self, subject: &Subject<'_>) -> Result<(), Diagnostic> {
        match &self.compiled.notices {
            Notices::Nothing => Ok(()),
            Notices::Repetition(words) => {
                let printer = Printer::new(subject);
                let atoms = self.compiled.atoms.iter();
                let atoms: Vec<String> = atoms.map(|atom| printer.pred(atom)).collect();
                let mut words = words.clone();
                words.accepted ^= self.looks_for_violations();
                let told = told(&words, &atoms);
                Err(refused(format!("it is sensitive to stuttering: {told}")))
            }
            Notices::Perhaps => Err(refused(
                "it may be sensitive to stuttering, and its deterministic automaton is too large to find out",
            )),
        }
    }

    /// Whether a run that is looked for breaks the property; a monitor's accepting states are its bad ones.
    fn looks_for_violations(&self) -> bool {
        let accepts_bad = matches!(
            &self.runs.language,
            Language::Machine(machine) if machine.form == MachineForm::Monitor
        );
        accepts_bad != self.runs.complement
    }
}
