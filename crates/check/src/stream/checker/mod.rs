//! The second reading: every event gets its vector clock as it passes, and the searches that can see its process get it.
//!
//! ```text
//!  line --> Deed --> has all it waits for? --no--> behind the others of its process, until it has
//!                          | yes
//!                          v
//!          clock = own clock, messages, shared accesses; held against the clock recorded
//!                          |
//!                          +--> world: variables, steps, channels --> searches, which advance every so often
//! ```
//!
//! The lines of different processes may be mixed in any way, so a receive may stand before its send: it waits. The events
//! then pass in an order in which they can have happened. Only what is still to come is ever asked for: of a process its
//! last clock, of a message under way the clock of its sender, of a shared variable whose accesses are ordered as they
//! stand the clocks of the last write and of the reads since.

mod causes;
mod intake;
mod live;

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use causet_base::Diagnostic;
use causet_base::budget::{Budget, Endless, Meter, Spent};
use causet_formula::names::VarRef;
use causet_trace::{BuildError, Fault, Place, ProcessId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::goals::Goals;
use super::letters::Mark;
use super::mail::Mail;
use super::outline::Outline;
use super::past::Past;
use super::search::Search;
use super::world::World;
use crate::clock::Clock;
use crate::engine::guided::GUIDED;
use crate::engine::guided::window::Refusal;
use crate::outcome::{Outcome, Verdict};
use crate::prepare::race_error;
use crate::subject::var_id;
use causes::Accesses;
use intake::{Deed, Text};
use live::Ended;

/// The searches go on after so many events.
const PATIENCE: u64 = 256;

/// What is said with a verdict that an order of events would show.
const NO_ORDER: &str =
    "the run was not kept, so no order of its events is shown; check without --stream to see one";

/// Decides questions while the events pass.
pub struct Checker<'a> {
    outline: Rc<Outline>,
    goals: Goals,
    budget: &'a Budget<'a>,
    searches: Vec<Result<Search, Spent>>,
    /// Per process: the searches that can see it, and the chain it is there.
    audience: Vec<Vec<(usize, usize)>>,
    /// Per variable: whether anyone looks at it.
    is_watched: Vec<bool>,
    labels: FxHashSet<Rc<str>>,
    part: u32,
    /// How many events have been read.
    read: u64,
    texts: Vec<Text>,
    /// The names of processes that have turned up since the outline was made.
    late: Vec<String>,
    clocks: Vec<Clock>,
    mail: Mail,
    /// Per process: the clocks of its events that others may still refer to.
    pasts: Vec<Past>,
    accesses: FxHashMap<VarId, Accesses>,
    /// The last writes of the shared variables that may race and must not.
    last_writes: FxHashMap<VarId, Option<(ProcessId, u32, Place)>>,
    races: FxHashMap<VarId, (String, String)>,
    world: World,
    /// Per process: the events that wait, the first of them for something that has not passed.
    waiting: Vec<VecDeque<Deed>>,
    waiting_bytes: usize,
    /// The processes with events that wait.
    blocked: Vec<usize>,
    /// Per process: whether it has said that it is over, and whether the searches know.
    ended: Vec<Ended>,
    /// Whether other processes may turn up.
    may_grow: bool,
    spare: Deed,
    passed: u64,
    /// The search that goes on first the next time.
    first: usize,
    spent: Option<Spent>,
}

/// How the second reading ended.
#[derive(Debug)]
pub enum Ending {
    /// One outcome per question.
    Decided(Vec<Outcome>),
    /// Variables have no defined value: what is wrong, with the number of the question.
    Refused(Vec<(usize, Diagnostic)>),
}

impl<'a> Checker<'a> {
    /// Nothing has passed yet.
    pub fn new(
        outline: Rc<Outline>,
        goals: Goals,
        budget: &'a Budget<'a>,
    ) -> Result<Self, Diagnostic> {
        let processes = outline.process_count();
        let mut searches = Vec::with_capacity(goals.aims.len());
        for aim in &goals.aims {
            searches.push(match aim {
                Ok(aim) => Ok(Search::new(aim, goals.steps, &outline)?),
                Err(spent) => Err(*spent),
            });
        }
        let mut channels = Vec::new();
        for search in searches.iter().flatten() {
            channels.extend_from_slice(&search.watch.channels);
        }
        channels.sort_unstable();
        channels.dedup();
        let mut checker = Checker {
            budget,
            searches,
            audience: vec![Vec::new(); processes],
            is_watched: vec![false; outline.directory.variable_count()],
            labels: FxHashSet::default(),
            part: 0,
            read: 0,
            texts: Vec::new(),
            late: Vec::new(),
            clocks: vec![Clock::default(); processes],
            mail: Mail::default(),
            pasts: (0..processes as u32)
                .map(|process| Past::new(outline.followers(ProcessId::new(process)).map(Vec::from)))
                .collect(),
            accesses: FxHashMap::default(),
            last_writes: FxHashMap::default(),
            races: FxHashMap::default(),
            world: World::new(&outline, &channels),
            waiting: vec![VecDeque::new(); processes],
            waiting_bytes: 0,
            blocked: Vec::new(),
            ended: vec![Ended::default(); processes],
            may_grow: outline.goes_on() && !outline.directory.is_closed(),
            spare: Deed::default(),
            passed: 0,
            first: 0,
            spent: None,
            outline,
            goals,
        };
        checker.watch();
        if !checker.outline.goes_on() {
            checker.advance();
        }
        Ok(checker)
    }

    /// Notes who looks at what.
    fn watch(&mut self) {
        for (number, search) in self.searches.iter().enumerate() {
            let Ok(search) = search else { continue };
            for (chain, watched) in search.watch.chains.iter().enumerate() {
                self.audience[watched.process.index()].push((number, chain));
                for (_, mark) in &watched.marks {
                    if let Mark::Label(label) = mark {
                        self.labels.insert(label.clone());
                    }
                }
            }
        }
        for question in &self.goals.questions {
            let lowered = &question.lowered;
            for &(var, _) in lowered.mentions.iter().chain(&lowered.written) {
                self.is_watched[var_id(var).index()] = true;
            }
            for var in lowered.mentions.iter().map(|&(var, _)| var_id(var)) {
                if self.outline.owner(var).is_none() && self.outline.writers(var).len() > 1 {
                    self.last_writes.insert(var, None);
                }
            }
        }
    }

    /// Says that nothing more will pass, because a limit was reached.
    pub fn stop(&mut self, spent: Spent) {
        self.spent = Some(spent);
    }

    /// The outcomes, after all that was wanted has passed.
    pub fn finish(self) -> Result<Ending, BuildError> {
        self.finish_within(&Endless)
    }

    /// The same, where searches of a run that goes on end when the meter stops them.
    pub(super) fn finish_within(mut self, meter: &dyn Meter) -> Result<Ending, BuildError> {
        if !self.races.is_empty() {
            return Ok(Ending::Refused(self.refusals()));
        }
        self.may_grow = false;
        if self.spent.is_none() && !self.is_decided() {
            self.check_waiting()?;
            if !self.outline.goes_on() && self.read != self.outline.events() {
                return Err(self.changed());
            }
            for search in self.searches.iter_mut().flatten() {
                search.end().map_err(unplaced)?;
                search.look_back(&self.world.steps);
            }
            match self.outline.goes_on() {
                true => self.go_on(meter),
                false => self.advance(),
            }
        }
        if self.spent.is_some() && !self.outline.goes_on() {
            let searches = self.searches.iter_mut().flatten();
            searches.for_each(Search::catch_up);
        }
        let outcomes = (0..self.goals.tasks.len()).map(|number| self.outcome(number));
        let outcomes = outcomes.collect();
        Ok(Ending::Decided(self.with_beginnings(outcomes)))
    }

    /// Says of what is unknown because the reading was stopped how it is with the beginning that was read.
    fn with_beginnings(self, mut outcomes: Vec<Outcome>) -> Vec<Outcome> {
        let is_stopped = matches!(self.spent, Some(Spent::Time | Spent::Cancelled));
        if !is_stopped || self.outline.goes_on() {
            return outcomes;
        }
        let Checker {
            searches,
            goals,
            read,
            ..
        } = self;
        let drained: Vec<Option<bool>> = searches
            .into_iter()
            .map(|search| search.ok().and_then(Search::drain))
            .collect();
        for (outcome, task) in outcomes.iter_mut().zip(&goals.tasks) {
            if outcome.verdict.reason().is_some() {
                let taken = format!("taking the {read} events read for the whole run");
                outcome
                    .notes
                    .push(match task.answer.truth(&|search| drained[search]) {
                        Some(true) => format!("{taken}, it holds"),
                        Some(false) => format!("{taken}, it is violated"),
                        None => format!("{read} events were read"),
                    });
            }
        }
        outcomes
    }

    /// The second reading met other events than the first.
    fn changed(&self) -> BuildError {
        let (now, before) = (self.read, self.outline.events());
        let kind = Fault::NotInPassing {
            message: format!("the run had {before} events when it was first read, and now {now}"),
            help: "check a copy that nobody writes to, or check without --stream",
        };
        fault(Place { part: 0, line: 0 }, "", "", kind)
    }

    /// How many events the largest window of a search had.
    pub fn largest_window(&self) -> u64 {
        let searches = self.searches.iter().flatten();
        searches
            .map(|search| search.figures().window)
            .max()
            .unwrap_or(0)
    }

    fn refusals(&self) -> Vec<(usize, Diagnostic)> {
        let mut refusals = Vec::new();
        for (number, question) in self.goals.questions.iter().enumerate() {
            for &(var, span) in &question.lowered.mentions {
                if let Some((first, second)) = self.races.get(&var_id(var)) {
                    let name = self.name_of(var);
                    refusals.push((number, race_error(span, &name, first, second)));
                }
            }
        }
        refusals
    }

    fn name_of_process(&self, process: ProcessId) -> &str {
        match process.index().checked_sub(self.outline.process_count()) {
            Some(late) => &self.late[late],
            None => self.outline.directory.process_name(process),
        }
    }

    fn name_of(&self, var: VarRef) -> String {
        use causet_formula::names::Names;
        let name = Names::variable(&*self.outline, var);
        name.map_or_else(String::new, |name| name.name)
    }

    /// Nothing may wait any more.
    fn check_waiting(&self) -> Result<(), BuildError> {
        let heads = self.blocked.iter().filter_map(|&p| self.waiting[p].front());
        let Some(first) = heads.min_by_key(|deed| deed.place) else {
            return Ok(());
        };
        let place = first.place.unwrap_or(Place { part: 0, line: 0 });
        let mut messages = first.recvs.iter().copied();
        let Some(missing) = messages.find(|&message| !self.mail.is_sent(message)) else {
            let kind = Fault::NotInPassing {
                message: "this event and others wait for each other".to_owned(),
                help: "check without --stream: the cycle is then shown",
            };
            return Err(fault(place, "", "", kind));
        };
        let name = self.mail.called(missing).to_owned();
        let kind = Fault::NotInPassing {
            message: format!(
                "message `{name}` is received, but nobody sends it, or it has reached all it was sent to"
            ),
            help: "say in `to` who gets a message that several receive, or check without --stream",
        };
        Err(fault(place, "recv", &name, kind))
    }

    fn outcome(&self, number: usize) -> Outcome {
        let task = &self.goals.tasks[number];
        let mut divided_by_zero = task.divided_by_zero;
        let mut spent = None;
        let mut engine = None;
        let mut stats: BTreeMap<&'static str, u64> = BTreeMap::new();
        let events = match self.outline.goes_on() {
            true => self.passed,
            false => self.outline.events(),
        };
        stats.insert("events", events);
        task.answer.each_search(&mut |search| {
            let search = match &self.searches[search] {
                Ok(search) => search,
                Err(reached) => {
                    spent = Some(*reached);
                    return;
                }
            };
            divided_by_zero |= search.divided_by_zero();
            spent = spent.or(search.spent());
            engine = engine
                .filter(|&one| one == &GUIDED)
                .or(Some(search.engine()));
            let figures = search.figures();
            *stats.entry("visible").or_default() += figures.visible;
            *stats.entry("states").or_default() += figures.counts.states;
            *stats.entry("transitions").or_default() += figures.counts.transitions;
            let window = stats.entry("window").or_default();
            *window = figures.window.max(*window);
        });
        let holds = self.truth(number);
        let spent = spent.or(self.spent).unwrap_or(Spent::Cancelled);
        Outcome {
            verdict: match holds {
                Some(true) => Verdict::Holds,
                Some(false) => Verdict::Violated,
                None => Verdict::Unknown(spent),
            },
            engine: holds.map(|_| engine.unwrap_or(&GUIDED)),
            witness: None,
            witness_spent: None,
            notes: match holds {
                Some(false) => vec![NO_ORDER.to_owned()],
                _ => Vec::new(),
            },
            divided_by_zero,
            stats,
            steps: Vec::new(),
            parts: 0,
            workers: Vec::new(),
        }
    }

    fn truth(&self, question: usize) -> Option<bool> {
        let found = |search: usize| {
            let search = self.searches[search].as_ref().ok()?;
            // Whoever turns up later may still do what nobody has done.
            let is_open = self.may_grow && search.watch.is_about_all;
            search.found().filter(|_| !is_open || search.is_sure())
        };
        self.goals.tasks[question].answer.truth(&found)
    }

    /// Whether nothing that may still come changes an answer.
    fn is_decided(&self) -> bool {
        let is_given_up = |search: usize| match &self.searches[search] {
            Ok(search) => search.is_over(),
            Err(_) => true,
        };
        let mut questions = 0..self.goals.tasks.len();
        questions.all(|number| {
            let mut all_over = true;
            let answer = &self.goals.tasks[number].answer;
            answer.each_search(&mut |search| all_over &= is_given_up(search));
            all_over || self.truth(number).is_some()
        })
    }

    fn advance(&mut self) {
        for search in self.searches.iter_mut().flatten() {
            search.advance(self.budget);
            match search.spent() {
                Some(Spent::Memory) | None => {}
                reached => self.spent = reached,
            }
        }
    }
}

fn fault(place: Place, field: &'static str, text: &str, kind: Fault) -> BuildError {
    BuildError {
        place,
        field,
        text: text.to_owned(),
        kind,
    }
}

/// A search refuses an event whose clock is not that of the next one.
fn unplaced(reason: Refusal) -> BuildError {
    let kind = Fault::NotInPassing {
        message: format!("the events cannot be followed: {reason}"),
        help: "check without --stream",
    };
    fault(Place { part: 0, line: 0 }, "", "", kind)
}
