//! From a plan to an outcome: run the planned engines part by part, have the trail re-checked, put it into words.

use causet_formula::Quantifier;
use causet_formula::core::{Ctl, Pred};
use causet_solve::automaton::Guard;
use causet_solve::budget::{Budget, Spent};
use causet_trace::EventId;

use crate::certify;
use crate::engine::guided::{self, Technique, persistent};
use crate::engine::ist::Stock;
use crate::engine::{
    Answer, Answers, EngineName, Finding, MOST_ARGUED, Stats, Step, Trail, explicit, ist,
    ist_paper, monitor, rows, slice,
};
use crate::linear::Search;
use crate::linear::upto::Upto;
use crate::outcome::{Outcome, Verdict, Witness};
use crate::plan::choose::{Attempt, FEW, choose, choose_words};
use crate::plan::split::{Parts, reached};
use crate::plan::words::Words;
use crate::plan::{Choice, Leaf, Plan, figures, figures_of_all, word_figures};
use crate::prepare::Question;
use crate::project::letters::Letters;
use crate::project::{Projection, Route};
use crate::records::Records;
use crate::subject::Subject;
use crate::valuation::Valuation;

/// An engine and the certifier disagree: a defect of this program, never an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Disagreement {
    /// The engine whose trail was refuted, when an engine was needed.
    pub engine: Option<EngineName>,
    /// What it claimed.
    pub claim: String,
}

impl std::fmt::Display for Disagreement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "the {} engine says that the property {}, but the order it gives does not show it",
            self.engine.map_or("planned", EngineName::word),
            self.claim
        )
    }
}

impl std::error::Error for Disagreement {}

/// Why there is no outcome.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// The engine asked for cannot decide such a question.
    Refused(String),
    /// An engine and the certifier disagree.
    Disagrees(Disagreement),
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Refused(reason) => f.write_str(reason),
            Failure::Disagrees(disagreement) => disagreement.fmt(f),
        }
    }
}

impl std::error::Error for Failure {}

/// The whole way for a single question: plan, [`answer`], [`conclude`].
pub fn decide(
    subject: &Subject<'_>,
    question: &Question,
    choice: Choice,
    budget: &Budget<'_>,
) -> Result<Outcome, Failure> {
    let lowered = &question.lowered;
    let mentions = lowered.mentions.iter().chain(&lowered.written);
    let records = Records::of(*subject, mentions.map(|&(var, _)| var));
    let plan = match Plan::new(records, &[question], choice, budget) {
        Ok(plan) => plan,
        Err(spent) => return Ok(unknown(spent)),
    };
    match plan.refusal(0, budget) {
        Ok(None) => {}
        Ok(Some(reason)) => return Err(Failure::Refused(reason)),
        Err(spent) => return Ok(unknown(spent)),
    }
    let stock = Stock::new(budget);
    let answers = answer(&plan, 0, question, &stock, budget);
    conclude(subject, question, answers, budget).map_err(Failure::Disagrees)
}

/// Lets the planned engines find the answers.
pub fn answer(
    plan: &Plan<'_>,
    number: usize,
    question: &Question,
    stock: &Stock<'_>,
    budget: &Budget<'_>,
) -> Answers {
    let (quantifier, goals) = question.goals();
    let wanted = quantifier.filter(|_| goals.len() > 1).map(deciding_truth);
    if plan.choice == Choice::Forced(EngineName::Explicit) {
        let answers = explicit::run(&plan.subject(), &goals, wanted, &budget.branch());
        return answers.unwrap_or_else(Answers::given_up);
    }
    let task = match &plan.tasks[number] {
        Ok(task) => task,
        Err(spent) => return Answers::given_up(*spent),
    };
    let mut work = Work {
        plan,
        stock,
        budget,
        answers: Answers::default(),
        is_known: false,
    };
    let mut deciding = 0;
    for (goal, parts) in task.goals.iter().enumerate() {
        match work.solve(parts, true) {
            Ok((holds, trail)) => {
                deciding += usize::from(wanted == Some(holds));
                work.answers.answers.push(Answer { goal, holds, trail });
            }
            Err(spent) => {
                work.answers.spent = Some(spent);
                // What another instance says may be enough.
                if spent != Spent::Memory {
                    break;
                }
            }
        }
        work.is_known = deciding > 0;
        if deciding >= MOST_ARGUED || (work.is_known && !plan.survey.trails) {
            break;
        }
    }
    if deciding > 0 {
        work.answers.spent = None;
    }
    // A state needs no engine but the eyes; it is the smallest case of going through cuts.
    work.answers.engine = work.answers.engine.or(match plan.choice {
        Choice::Auto => Some(EngineName::Rows),
        Choice::Forced(engine) => Some(engine),
    });
    work.answers
}

/// Of how many parts of a formula it is remembered how they were decided.
const MOST_STEPS: usize = 12;

/// Parts that see nothing change are less interesting.
const FEW_CONSTANT_STEPS: usize = 2;

/// One question being decided.
struct Work<'a, 't, 'b> {
    plan: &'a Plan<'t>,
    stock: &'a Stock<'b>,
    budget: &'a Budget<'a>,
    answers: Answers,
    /// Whether the verdict is known and only a shorter trail is looked for: worth little work, and none without trails.
    is_known: bool,
}

type Solved = Result<(bool, Option<Trail>), Spent>;

impl Work<'_, '_, '_> {
    /// Decides parts; `as_is` is false below a negation, where people would rather read the opposite.
    fn solve(&mut self, parts: &Parts<Leaf>, as_is: bool) -> Solved {
        match parts {
            Parts::Leaf(leaf) => self.leaf(leaf, as_is),
            Parts::Not(part) => {
                let (holds, trail) = self.solve(part, !as_is)?;
                Ok((!holds, trail))
            }
            Parts::Join {
                all,
                parts,
                temporal,
            } => self.join(*all, parts, *temporal, as_is),
            Parts::Reach { ways } => self.reach(ways, as_is),
            Parts::Complete(part) => {
                let (holds, trail) = self.solve(part, as_is)?;
                let trail = trail.filter(|_| holds);
                Ok((holds, trail.map(|trail| self.completed(&trail))))
            }
            Parts::Along(until, part) => {
                let (holds, trail) = self.solve(part, as_is)?;
                Ok((holds, trail.map(|trail| self.decided_along(until, trail))))
            }
        }
    }

    /// An argument as a complete run: what is left after it happens as it was recorded.
    fn completed(&self, trail: &Trail) -> Trail {
        let order = self.plan.subject().trace.order();
        let mut run = trail.run.clone();
        run.extend(later_events(trail));
        let decided = run.len();
        let done = order.closure(run.iter().copied());
        let left = order
            .recorded()
            .filter(|&event| !order.contains(&done, event));
        run.extend(left);
        Trail {
            enough: Some(decided).filter(|&decided| decided < run.len()),
            run,
            ..Trail::default()
        }
    }

    /// A run that decides an until of predicates, cut where it is decided.
    fn decided_along(&self, until: &Ctl, mut trail: Trail) -> Trail {
        let (Ctl::Eu(hold, goal) | Ctl::Au(hold, goal)) = until else {
            return trail;
        };
        let (Ctl::State(hold), Ctl::State(goal)) = (&**hold, &**goal) else {
            return trail;
        };
        let decides = match until {
            Ctl::Eu(..) => goal.clone(),
            _ => Pred::and([Pred::not(hold.clone()), Pred::not(goal.clone())]),
        };
        let trace = self.plan.subject().trace;
        let valuation = Valuation::new(trace, [&decides]);
        let mut cut = vec![0; trace.order().process_count()];
        for length in 0..=trail.run.len() {
            if valuation.holds(&decides, &cut) {
                trail.run.truncate(length);
                break;
            }
            if let Some(&event) = trail.run.get(length) {
                cut[trace.order().process_of(event).index()] += 1;
            }
        }
        trail
    }

    /// All parts, or until one decides. A part that takes too much memory does not matter when another one decides.
    fn join(
        &mut self,
        all: bool,
        parts: &[Parts<Leaf>],
        temporal: Option<usize>,
        as_is: bool,
    ) -> Solved {
        let mut spent = None;
        let mut only = None;
        for (at, part) in parts.iter().enumerate() {
            match self.solve(part, as_is) {
                Ok((holds, trail)) if holds != all => {
                    return Ok((holds, trail.map(|trail| trail.within(at))));
                }
                Ok((_, trail)) if temporal == Some(at) => {
                    only = trail.map(|trail| trail.within(at));
                }
                Ok(_) => {}
                Err(Spent::Memory) => spent = Some(Spent::Memory),
                Err(spent) => return Err(spent),
            }
        }
        spent.map_or(Ok((all, only)), Err)
    }

    /// The ways to make `EF` true: the one with the shortest trail, of few, else the first.
    fn reach(&mut self, ways: &[(Parts<Leaf>, Option<usize>)], as_is: bool) -> Solved {
        let mut spent = None;
        let mut best: Option<Option<Trail>> = None;
        let was_known = self.is_known;
        for (way, part) in ways {
            match self.solve(way, as_is) {
                Ok((true, trail)) => {
                    let trail = reached(trail, *part);
                    if best
                        .as_ref()
                        .is_none_or(|best| length(&trail) < length(best))
                    {
                        best = Some(trail);
                    }
                    self.is_known = true;
                    if ways.len() > MOST_ARGUED || !self.plan.survey.trails {
                        break;
                    }
                }
                Ok((false, _)) => {}
                Err(reached) => {
                    spent = Some(reached);
                    if reached != Spent::Memory {
                        break;
                    }
                }
            }
        }
        self.is_known = was_known;
        match (best, spent) {
            (Some(trail), _) => Ok((true, trail)),
            (None, Some(spent)) => Err(spent),
            (None, None) => Ok((false, None)),
        }
    }

    fn leaf(&mut self, leaf: &Leaf, as_is: bool) -> Solved {
        let plan = self.plan;
        let branch = self.budget.branch();
        if let Ctl::State(pred) = &leaf.formula {
            let (holds, divided) = plan.survey.holds_at_first(&leaf.sight, pred);
            self.answers.divided_by_zero |= divided;
            return Ok((holds, plan.survey.trails.then(Trail::default)));
        }
        let projection = self.with_room(|| plan.survey.project(&leaf.sight, &branch))?;
        if let Some(conditions) = &leaf.conditions {
            return self.conjunction(&leaf.formula, conditions, &projection, &branch);
        }
        if let Some(words) = &leaf.words {
            return self.words(&leaf.formula, words, &projection, as_is, &branch);
        }
        let figures = figures(&projection, &leaf.formula, plan.choice);
        let mut attempts = choose(&figures, plan.choice).unwrap_or_default();
        if self.is_known && figures.cuts.is_none_or(|cuts| cuts > FEW) {
            attempts.clear();
        }
        let mut step = Step {
            formula: match as_is {
                true => leaf.formula.clone(),
                false => Ctl::not(leaf.formula.clone()),
            },
            figures,
            tried: Vec::new(),
        };
        let mut found = Err(Spent::Memory);
        for attempt in attempts {
            found = self.with_room(|| self.attempt(&projection, &leaf.formula, attempt, &branch));
            let figures = found.as_ref().map(|found| found.stats.clone());
            step.tried.push((attempt, figures.map_err(|&spent| spent)));
            if found.is_ok() {
                self.answers.engine = self.answers.engine.max(Some(attempt.engine));
            }
            if !matches!(found, Err(Spent::Memory)) {
                break;
            }
        }
        self.note(step);
        let found = found?;
        self.add(&found.stats, &projection);
        let trail = found.route.map(|route| projection.lift(&route));
        Ok((found.holds, trail))
    }

    /// Decides whether all conditions hold at some cut.
    fn conjunction(
        &mut self,
        formula: &Ctl,
        conditions: &[Guard],
        projection: &Projection<'_>,
        budget: &Budget<'_>,
    ) -> Solved {
        let letters = Letters::new(projection);
        let wants_steps = self.plan.survey.trails;
        let found = persistent::run(&letters, conditions, wants_steps, budget);
        let attempt = Attempt {
            engine: EngineName::Persistent,
            second: false,
            reason: "asked for",
        };
        let figures = found.as_ref().map(|found| found.stats.clone());
        self.note(Step {
            formula: formula.clone(),
            figures: figures_of_all(projection),
            tried: vec![(attempt, figures.map_err(|&spent| spent))],
        });
        let found = found?;
        self.answers.engine = Some(EngineName::Persistent);
        self.add(&found.stats, projection);
        let route = found.steps.map(|steps| Route {
            steps,
            ..Route::default()
        });
        Ok((found.found, route.map(|route| projection.lift(&route))))
    }

    /// Adds to the figures about the work done.
    fn add(&mut self, stats: &Stats, projection: &Projection<'_>) {
        for (&name, &value) in stats {
            *self.answers.stats.entry(name).or_default() += value;
        }
        self.answers.divided_by_zero |= projection.divided_by_zero();
    }

    /// Decides whether some run is a word of a language.
    fn words(
        &mut self,
        formula: &Ctl,
        words: &Words,
        projection: &Projection<'_>,
        as_is: bool,
        budget: &Budget<'_>,
    ) -> Solved {
        let letters = Letters::new(projection);
        let figures = word_figures(projection, words);
        let attempts = choose_words(&figures, self.plan.choice).unwrap_or_default();
        let mut step = Step {
            formula: match as_is {
                true => formula.clone(),
                false => Ctl::not(formula.clone()),
            },
            figures: figures.figures,
            tried: Vec::new(),
        };
        let end = words.runs.end.as_deref();
        let scene = Upto::new(&letters, projection.within(end));
        let mut found = Err(Spent::Memory);
        for attempt in attempts {
            found = self.with_room(|| self.read(&scene, words, attempt, &budget.branch()));
            let figures = found.as_ref().map(|found| found.stats.clone());
            step.tried.push((attempt, figures.map_err(|&spent| spent)));
            if found.is_ok() {
                self.answers.engine = self.answers.engine.max(Some(attempt.engine));
            }
            if !matches!(found, Err(Spent::Memory)) {
                break;
            }
        }
        self.note(step);
        let found = found?;
        self.add(&found.stats, projection);
        let steps = found.steps.filter(|_| self.plan.survey.trails);
        let trail = steps.map(|steps| projection.lift_word(&steps, end));
        Ok((found.found, trail))
    }

    fn read(
        &self,
        scene: &Upto<'_, Letters<'_, '_>>,
        words: &Words,
        attempt: Attempt,
        budget: &Budget<'_>,
    ) -> Result<Search, Spent> {
        let automaton = &words.compiled.automaton;
        let wants_steps = self.plan.survey.trails;
        let technique = match attempt.engine {
            EngineName::Masks => {
                return monitor::run_masks(scene, automaton, wants_steps, budget);
            }
            EngineName::Levels => Technique::Levels,
            EngineName::Guided => Technique::Guided,
            EngineName::Sleep => Technique::Sleep,
            EngineName::TwoPhase => Technique::TwoPhase {
                max_steps: self.plan.max_steps,
            },
            _ => return monitor::run_configurations(scene, automaton, wants_steps, budget),
        };
        guided::run(scene, automaton, technique, wants_steps, budget)
    }

    /// Does something; when there is too little memory, once more without what is kept for later.
    fn with_room<T>(&self, work: impl Fn() -> Result<T, Spent>) -> Result<T, Spent> {
        match work() {
            Err(Spent::Memory) if self.stock.clear() => work(),
            done => done,
        }
    }

    fn attempt(
        &self,
        projection: &Projection<'_>,
        formula: &Ctl,
        attempt: Attempt,
        budget: &Budget<'_>,
    ) -> Result<Finding, Spent> {
        let branch = budget.branch();
        match attempt.engine {
            EngineName::Rows | EngineName::Explicit => rows::run(projection, formula, &branch),
            EngineName::Slice => slice::run(projection, formula, &branch),
            EngineName::Ist => ist::run(projection, formula, attempt.second, self.stock, &branch),
            EngineName::IstPaper => ist_paper::run(projection, formula, &branch),
            // The others read words, and are refused for formulas.
            _ => Err(Spent::Memory),
        }
    }

    /// Remembers how a part was decided, for those who ask.
    fn note(&mut self, step: Step) {
        self.answers.parts += 1;
        let steps = &mut self.answers.steps;
        let most = match step.figures.chains.is_empty() {
            true => FEW_CONSTANT_STEPS,
            false => MOST_STEPS,
        };
        if steps.len() < most {
            steps.push(step);
        }
    }
}

/// Makes an outcome of an engine's answers, with a witness that has been re-checked.
pub fn conclude(
    subject: &Subject<'_>,
    question: &Question,
    answers: Answers,
    budget: &Budget<'_>,
) -> Result<Outcome, Disagreement> {
    let (quantifier, goals) = question.goals();
    if let Some(spent) = answers.spent {
        return Ok(Outcome {
            divided_by_zero: answers.divided_by_zero,
            stats: answers.stats,
            steps: answers.steps,
            parts: answers.parts,
            ..unknown(spent)
        });
    }
    let (holds, deciding) = combine(quantifier.filter(|_| goals.len() > 1), &answers.answers);
    let mut outcome = Outcome {
        verdict: if holds {
            Verdict::Holds
        } else {
            Verdict::Violated
        },
        engine: answers.engine,
        witness: None,
        notes: Vec::new(),
        divided_by_zero: answers.divided_by_zero,
        stats: answers.stats,
        steps: answers.steps,
        parts: answers.parts,
    };
    let Some(deciding) = deciding.filter(|answer| goals[answer.goal].as_const().is_none()) else {
        return Ok(outcome);
    };
    if let Answer {
        trail: Some(trail),
        holds,
        goal: at,
    } = deciding
    {
        let at = *at;
        let instance = quantifier.map(|_| instance_name(subject, question, at));
        match witness(subject, goals[at], *holds, trail, instance, budget) {
            Ok(Some(witness)) => outcome.witness = Some(witness),
            Ok(None) => {
                return Err(Disagreement {
                    engine: outcome.engine,
                    claim: outcome.verdict.word().to_owned(),
                });
            }
            Err(spent) => outcome.notes.push(format!(
                "the order that shows it could not be re-checked within the limits ({spent})"
            )),
        }
    }
    Ok(outcome)
}

fn unknown(spent: Spent) -> Outcome {
    Outcome {
        verdict: Verdict::Unknown(spent),
        engine: None,
        witness: None,
        notes: Vec::new(),
        divided_by_zero: false,
        stats: std::collections::BTreeMap::new(),
        steps: Vec::new(),
        parts: 0,
    }
}

/// The truth value of a single instance that decides all of them.
fn deciding_truth(quantifier: Quantifier) -> bool {
    match quantifier {
        Quantifier::Forall => false,
        Quantifier::Exists => true,
    }
}

/// The answer for all instances together, and that for the instance which decides it alone, if one does.
fn combine(quantifier: Option<Quantifier>, answers: &[Answer]) -> (bool, Option<&Answer>) {
    let Some(quantifier) = quantifier else {
        return (answers[0].holds, Some(&answers[0]));
    };
    let wanted = deciding_truth(quantifier);
    let deciding = answers.iter().filter(|answer| answer.holds == wanted);
    match deciding.min_by_key(|answer| length(&answer.trail)) {
        Some(answer) => (wanted, Some(answer)),
        None => (!wanted, None),
    }
}

/// How long a trail is; none is longer than any.
fn length(trail: &Option<Trail>) -> usize {
    trail.as_ref().map_or(usize::MAX, |trail| trail.run.len())
}

fn instance_name(subject: &Subject<'_>, question: &Question, at: usize) -> String {
    use causet_formula::Names;
    let bindings = &question.lowered.instances[at].bindings;
    let named = bindings
        .iter()
        .map(|(name, process)| format!("{name} = {}", subject.process_name(*process)));
    named.collect::<Vec<_>>().join(", ")
}

/// The trail as a witness, once it has been re-checked; `None` when it proves nothing.
fn witness(
    subject: &Subject<'_>,
    goal: &Ctl,
    truth: bool,
    trail: &Trail,
    instance: Option<String>,
    budget: &Budget<'_>,
) -> Result<Option<Witness>, Spent> {
    let trace = subject.trace;
    let opinion = certify::examine(trace, goal, truth, trail, budget)?;
    if !opinion.proven {
        return Ok(None);
    }
    let order = trace.order();
    let end = order.closure(trail.run.iter().copied());
    let complete =
        !trail.run.is_empty() && end == order.final_cut() && shows_by_whole_run(goal, truth);
    Ok(Some(Witness {
        run: trail.run.clone(),
        cut: (!complete).then_some(end),
        then: later_events(trail),
        enough: trail.enough.filter(|_| complete),
        observed: opinion.observed,
        instance,
    }))
}

/// Whether what a trail shows is something about all of its cuts rather than about its last one.
fn shows_by_whole_run(formula: &Ctl, truth: bool) -> bool {
    match formula {
        Ctl::Not(part) => shows_by_whole_run(part, !truth),
        Ctl::Au(..) => !truth,
        Ctl::And(parts) | Ctl::Or(parts) => {
            parts.iter().any(|part| shows_by_whole_run(part, truth))
        }
        Ctl::Run(_) => truth,
        Ctl::State(_) | Ctl::Ex(_) | Ctl::Eu(..) => false,
    }
}

fn later_events(trail: &Trail) -> Vec<EventId> {
    let mut events = Vec::new();
    let mut next = trail.then.as_deref();
    while let Some(trail) = next {
        events.extend_from_slice(&trail.run);
        next = trail.then.as_deref();
    }
    events
}
