//! Verdicts while a run goes on: a state machine that is fed with events and asked what has become certain.
//!
//! ```text
//!                  names turn up                    a search finds out          holds, or violated:
//!   waiting for ----------------> followed ------------------------------->     certain, whatever comes
//!   names            replay       |      |                                          ^
//!      |                          |      |                                          | the observed order shows it
//!      |                          |      +--- too much memory ------------->    given up, and why
//!      |                          |
//!      +----- needs the whole run +--- at the end of the run -------------->    as for a recorded run
//! ```
//!
//! Every property goes its own way through it, and the others go on. The names of a run turn up with its events, so a
//! property can be followed only when it has seen all of its own; the events that have passed by then must pass again,
//! and whoever keeps them is asked to [`Monitor::replay`] them. It is wise to list processes and initial values in the
//! header: then nothing has to be waited for. A property about all processes is followed only when no others can turn
//! up, for each of them would change what it says.
//!
//! The order in which the events pass is one of the orders: what it shows is told by the next look, however much there is
//! to search. Searches go on as far as a meter allows and continue at the next look, so a look takes no longer than its
//! caller wants; one that lags at the end of the run leaves its property open, to be decided on the whole run.
//!
//! Contracts: what is certain stays so, and is told once. Memory follows how far the processes are apart and not how
//! long the run is, but for the names. Nothing here reads or writes anything.

use std::rc::Rc;

use causet_base::Diagnostic;
use causet_base::budget::{Budget, Endless, Meter, Spent};
use causet_formula::property::{Lets, Property};
use causet_trace::{
    BuildError, EventRef, Fault, MessageId, NewEvent, Place, ProcessId, Sink, StoredValue, TextId,
    VarId,
};

use super::checker::{Checker, Ending};
use super::goals::Goals;
use super::outline::Outline;
use crate::engine::guided::Steps;
use crate::outcome::Outcome;
use crate::subject::process_id;

/// Follows one run with some properties.
pub struct Monitor {
    asked: Vec<Asked>,
    /// What is known of the run without its events.
    book: Outline,
    checker: Option<Checker<'static>>,
    /// The property behind each question of the checker.
    follows: Vec<usize>,
    means: Means,
    /// How many names were known when properties were last bound.
    tried: Option<(usize, usize)>,
    is_stale: bool,
    /// Whether only the processes and their events are counted any more.
    is_forgotten: bool,
}

/// How properties are followed.
#[derive(Clone, Copy, Debug)]
pub struct Means {
    /// How many bytes each search may take.
    pub memory: Option<u64>,
    /// Which of the enabled events a search follows, where its property cannot tell.
    pub steps: Steps,
}

impl Default for Means {
    /// Without a limit; only what can be seen is looked at.
    fn default() -> Self {
        Means {
            memory: None,
            steps: Steps::All,
        }
    }
}

/// A property and what has become of it.
struct Asked {
    property: Property,
    lets: Lets,
    standing: Standing,
}

/// What has become of a property.
#[derive(Clone, Debug)]
pub enum Standing {
    /// It names what has not turned up yet, or speaks of all processes while others may turn up: why it waits.
    Waiting(String),
    /// It is followed, and not decided yet.
    Followed,
    /// It has to wait for the end of the run, and why.
    AtEnd(String),
    /// It is certain, whatever comes.
    Certain(Shown),
    /// It took too much.
    GivenUp(Spent),
    /// It has no meaning on this run.
    Refused(Diagnostic),
}

/// A verdict that stays.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shown {
    /// Whether the property holds.
    pub holds: bool,
    /// How far the processes in view had come when it was seen.
    pub at: Vec<(String, u32)>,
    /// How many events had passed when their order showed it; `None` if only another order does.
    pub observed: Option<u64>,
}

/// The end of a property.
#[derive(Debug)]
pub enum Last {
    /// It was certain before.
    Certain(Shown),
    /// It was decided now that the run is over.
    Decided(Box<Outcome>),
    /// Only the whole run can tell.
    Open,
}

impl Monitor {
    /// Nothing is known of the run yet. Without properties it still finds out which events have all they depend on.
    pub fn new(properties: Vec<(Property, Lets)>, means: Means) -> Self {
        let asked = properties.into_iter().map(|(property, lets)| Asked {
            property,
            lets,
            standing: Standing::Waiting("nothing has arrived".to_owned()),
        });
        let mut monitor = Monitor {
            asked: asked.collect(),
            book: Outline::new(vec!["the run".to_owned()]),
            checker: None,
            follows: Vec::new(),
            means,
            tried: None,
            is_stale: false,
            is_forgotten: false,
        };
        if monitor.asked.is_empty() {
            monitor.bind();
        }
        monitor
    }

    /// What has become of each property.
    pub fn standings(&self) -> impl Iterator<Item = (&Property, &Standing)> {
        self.asked
            .iter()
            .map(|asked| (&asked.property, &asked.standing))
    }

    /// How many events have been taken.
    pub fn events(&self) -> u64 {
        self.book.events()
    }

    /// How many events of a process have been taken.
    pub fn events_of(&self, process: ProcessId) -> u32 {
        self.book.events_of(process)
    }

    /// Whether a process has said that it is over.
    pub fn has_ended(&self, process: ProcessId) -> bool {
        self.book.has_ended(process)
    }

    /// How many events of each process have passed, by number; the others wait.
    pub fn passed(&self) -> Vec<u32> {
        let passed = self.checker.as_ref().map(Checker::passed);
        passed.unwrap_or_default().to_vec()
    }

    /// The processes that have turned up or were listed, by number.
    pub fn processes(&self) -> impl Iterator<Item = &str> {
        let count = self.process_count() as u32;
        (0..count).map(|p| self.process_name(ProcessId::new(p)))
    }

    /// How many processes there are.
    pub fn process_count(&self) -> usize {
        self.book.process_count()
    }

    /// What a process is called.
    pub fn process_name(&self, process: ProcessId) -> &str {
        self.book.directory.process_name(process)
    }

    /// The process with a name, if it has turned up or was listed.
    pub fn process_named(&self, name: &str) -> Option<ProcessId> {
        let found = causet_formula::Names::process(&self.book, name);
        found.map(process_id)
    }

    /// Whether every process has said that it is over, and no other can turn up.
    pub fn is_over(&self) -> bool {
        self.book.is_over()
    }

    /// Whether every event that was taken is known to have all it depends on.
    pub fn is_consistent(&self) -> bool {
        let checker = self.checker.as_ref();
        checker.is_some_and(|checker| checker.waiting() == 0)
    }

    /// Follows the run no more, so that nothing is kept for events that wait; only the whole run can tell then.
    pub fn give_up(&mut self, reason: &str) {
        self.is_stale = false;
        self.leave_to_the_end(reason);
        for asked in &mut self.asked {
            if matches!(asked.standing, Standing::Waiting(_)) {
                asked.standing = Standing::AtEnd(reason.to_owned());
            }
        }
    }

    /// About how many bytes it takes: names, labels, clocks, messages under way, events that wait, and searches.
    pub fn bytes(&self) -> u64 {
        let checker = self.checker.as_ref().map_or(0, Checker::bytes);
        (self.book.bytes() + checker) as u64
    }

    /// Follows the run no more because of the memory it takes, and forgets everything but its processes and how many
    /// events each has. What was not certain is given up: those properties are returned.
    pub fn forget(&mut self) -> Vec<usize> {
        self.is_stale = false;
        self.is_forgotten = true;
        self.checker = None;
        self.book.forget();
        let mut given_up = Vec::new();
        for (number, asked) in self.asked.iter_mut().enumerate() {
            if let Standing::Waiting(_) | Standing::Followed | Standing::AtEnd(_) = asked.standing {
                asked.standing = Standing::GivenUp(Spent::Memory);
                given_up.push(number);
            }
        }
        given_up
    }

    /// Whether it has [forgotten](Monitor::forget) the run.
    pub fn is_forgotten(&self) -> bool {
        self.is_forgotten
    }

    /// How many events wait for others that have not arrived.
    pub fn waiting(&self) -> usize {
        self.checker.as_ref().map_or(0, Checker::waiting)
    }

    /// Processes that wait for a message nobody has sent, at most so many.
    pub fn missing(&self, most: usize) -> Vec<(String, String)> {
        let missing = self
            .checker
            .iter()
            .flat_map(|checker| checker.missing(most));
        let name = |process| self.process_name(process).to_owned();
        missing.map(|(p, message)| (name(p), message)).collect()
    }

    /// Whether all events have to pass once more; then [`Monitor::replay`] takes them.
    pub fn wants_replay(&self) -> bool {
        self.is_stale
    }

    /// Someone who takes the events of the run once more, from the first one on.
    pub fn replay(&mut self) -> Replay<'_> {
        self.bind();
        self.is_stale = false;
        Replay(self)
    }

    /// Takes back what an event names that will not be added, since it has been before.
    pub fn pass_over(&mut self, event: &NewEvent<'_>) {
        if let Some(checker) = &mut self.checker {
            checker.pass_over(event);
        }
    }

    /// Finds out what has become certain, and tells which properties are decided or given up since the last time.
    pub fn settle(&mut self) -> Vec<usize> {
        self.settle_within(&Endless)
    }

    /// Whether a search was stopped by the meter of [`Monitor::settle_within`] and can go on with what has passed.
    pub fn is_behind(&self) -> bool {
        self.checker.as_ref().is_some_and(Checker::is_behind)
    }

    /// The same as [`Monitor::settle`], but searches go on only until the meter stops them, and continue the next time.
    pub fn settle_within(&mut self, meter: &dyn Meter) -> Vec<usize> {
        self.look_for_names();
        if let Some(checker) = &mut self.checker
            && let Err(error) = checker.settle(meter)
        {
            self.give_in(&error);
        }
        let Some(checker) = &self.checker else {
            return Vec::new();
        };
        let mut news = Vec::new();
        for (question, error) in checker.without_value() {
            let standing = &mut self.asked[self.follows[question]].standing;
            if matches!(standing, Standing::Followed) {
                *standing = Standing::Refused(error);
                news.push(self.follows[question]);
            }
        }
        for (question, &number) in self.follows.iter().enumerate() {
            let standing = &mut self.asked[number].standing;
            if !matches!(standing, Standing::Followed | Standing::GivenUp(_)) {
                continue;
            }
            if let Some(holds) = checker.certain(question) {
                let shown = checker.shown(question).unwrap_or_default();
                let directory = &self.book.directory;
                let name = |(process, x)| (directory.process_name(process).to_owned(), x);
                let at = shown.into_iter().map(name).collect();
                let observed = checker.observed_at(question);
                *standing = Standing::Certain(Shown {
                    holds,
                    at,
                    observed,
                });
                news.push(number);
            } else if matches!(standing, Standing::Followed)
                && let Some(spent) = checker.given_up(question)
            {
                *standing = Standing::GivenUp(spent);
                news.push(number);
            }
        }
        news
    }

    /// Says that nothing more will come: the last word on each property, as far as it can be told without the events.
    pub fn finish(self) -> Vec<Last> {
        self.finish_within(&Endless)
    }

    /// The same, but a search that the meter stops leaves its property open.
    pub fn finish_within(mut self, meter: &dyn Meter) -> Vec<Last> {
        self.settle_within(meter);
        let mut last: Vec<Last> = self.asked.iter().map(|_| Last::Open).collect();
        let ending = match self.is_stale {
            true => None,
            false => self.checker.map(|checker| checker.finish_within(meter)),
        };
        if let Some(Ok(Ending::Decided(outcomes))) = ending {
            for (outcome, number) in outcomes.into_iter().zip(self.follows) {
                if outcome.verdict.reason().is_none() {
                    last[number] = Last::Decided(Box::new(outcome));
                }
            }
        }
        for (last, asked) in last.iter_mut().zip(self.asked) {
            match asked.standing {
                Standing::Certain(shown) => *last = Last::Certain(shown),
                Standing::Followed => {}
                _ => *last = Last::Open,
            }
        }
        last
    }

    /// Binds properties when names have turned up that they may have waited for.
    fn look_for_names(&mut self) {
        let names = (
            self.book.process_count(),
            self.book.directory.variable_count(),
        );
        let waits = |asked: &Asked| matches!(asked.standing, Standing::Waiting(_));
        if self.is_forgotten || !self.asked.iter().any(waits) {
            return;
        }
        if self.is_stale || self.tried.replace(names) == Some(names) {
            return;
        }
        let outline = self.book.going_on();
        let mut is_bound = false;
        for asked in self.asked.iter_mut().filter(|asked| waits(asked)) {
            match outline.bind(&asked.property, &asked.lets) {
                Ok(_) => is_bound = true,
                Err(why) => asked.standing = Standing::Waiting(why.message.clone()),
            }
        }
        if is_bound && self.book.events() == 0 {
            self.bind();
        } else {
            self.is_stale = is_bound;
        }
    }

    /// Starts anew with all properties that can be followed.
    fn bind(&mut self) {
        let outline = self.book.going_on();
        let (mut questions, mut follows) = (Vec::new(), Vec::new());
        for (number, asked) in self.asked.iter_mut().enumerate() {
            if !matches!(asked.standing, Standing::Waiting(_) | Standing::Followed) {
                continue;
            }
            match outline.bind(&asked.property, &asked.lets) {
                Ok(question) => {
                    asked.standing = Standing::Followed;
                    questions.push(question);
                    follows.push(number);
                }
                Err(why) => asked.standing = Standing::Waiting(why.message.clone()),
            }
        }
        let limit = Budget::endless();
        let goals = Goals::new(&outline, &questions, &limit).with_steps(self.means.steps);
        for (question, &number) in follows.iter().enumerate() {
            if let Some(reason) = goals.refusal(question) {
                self.asked[number].standing = Standing::AtEnd(reason.to_owned());
            }
        }
        self.follows = follows;
        match Checker::going_on(Rc::new(outline), goals, self.means.memory) {
            Ok(checker) => self.checker = Some(checker),
            Err(reason) => self.leave_to_the_end(&reason.message),
        }
    }

    /// Lets an event pass before the searches.
    fn pass(&mut self, event: &NewEvent<'_>) {
        if let Some(checker) = &mut self.checker
            && let Err(error) = checker.add(event)
        {
            self.give_in(&error);
        }
    }

    /// The events cannot be followed any more: only the whole run can tell.
    fn give_in(&mut self, error: &BuildError) {
        self.leave_to_the_end(&error.kind.to_string());
    }

    fn leave_to_the_end(&mut self, reason: &str) {
        self.checker = None;
        for asked in &mut self.asked {
            if matches!(asked.standing, Standing::Followed) {
                asked.standing = Standing::AtEnd(reason.to_owned());
            }
        }
    }

    /// Makes room for a process, or asks for a replay if it could be seen.
    fn welcome(&mut self, process: ProcessId) {
        let Some(checker) = &mut self.checker else {
            return;
        };
        if process.index() < checker.passed().len() {
            return;
        }
        if checker.is_about_all() {
            self.checker = None;
            self.is_stale = true;
        } else {
            // A header may have listed several.
            let known = checker.passed().len()..self.book.process_count();
            for process in known.map(|number| ProcessId::new(number as u32)) {
                checker.adopt(self.book.directory.process_name(process));
            }
        }
    }
}

impl Sink for Monitor {
    fn enter_part(&mut self, part: u32) {
        self.book.enter_part(part);
    }

    fn start_block(&mut self) {
        self.book.start_block();
        if let Some(checker) = &mut self.checker {
            checker.start_block();
        }
    }

    fn place(&self, line: u32) -> Place {
        self.book.place(line)
    }

    fn declare_processes(&mut self, names: &[String]) -> Result<(), Fault> {
        self.book.declare_processes(names)
    }

    fn declare_shared(&mut self, name: &str) {
        self.book.declare_shared(name);
    }

    fn declare_observed(&mut self) {
        self.book.declare_observed();
    }

    fn init(&mut self, name: &str, value: StoredValue, place: Place) {
        self.book.init(name, value, place);
    }

    fn process(&mut self, name: &str) -> Result<ProcessId, Fault> {
        let process = self.book.process(name)?;
        self.welcome(process);
        Ok(process)
    }

    fn clock_process(&mut self, name: &str) -> Result<ProcessId, Fault> {
        let process = self.book.clock_process(name)?;
        self.welcome(process);
        Ok(process)
    }

    fn text(&mut self, text: &str) -> TextId {
        if self.is_forgotten {
            return TextId::new(0);
        }
        if let Some(checker) = &mut self.checker {
            checker.text(text);
        }
        self.book.text(text)
    }

    fn variable(&mut self, process: ProcessId, name: &str) -> VarId {
        match self.is_forgotten {
            true => VarId::new(0),
            false => self.book.variable(process, name),
        }
    }

    fn shared_variable(&mut self, name: &str) -> Result<VarId, Fault> {
        match self.is_forgotten {
            true => Ok(VarId::new(0)),
            false => self.book.shared_variable(name),
        }
    }

    fn message(&mut self, id: &str) -> MessageId {
        match &mut self.checker {
            Some(checker) => checker.message(id),
            None => self.book.message(id),
        }
    }

    fn add(&mut self, event: &NewEvent<'_>) -> Result<(), BuildError> {
        if self.is_forgotten {
            return self.book.count(event).map(drop);
        }
        let is_named = |target: &EventRef<'_>| matches!(target, EventRef::Name(_));
        if event.after.iter().any(is_named) {
            self.leave_to_the_end("`after` names an event by its id, and ids are not kept");
            let after: Vec<EventRef<'_>> = event.after.to_vec();
            let after: Vec<_> = after.into_iter().filter(|t| !is_named(t)).collect();
            return self.book.add(&NewEvent {
                after: &after,
                ..*event
            });
        }
        self.book.add(event)?;
        self.pass(event);
        Ok(())
    }

    fn end(&mut self, process: ProcessId, line: u32) -> Result<(), BuildError> {
        self.book.end(process, line)?;
        match &mut self.checker {
            Some(checker) => checker.end(process, line),
            None => Ok(()),
        }
    }
}

/// Takes the events of a run once more, for properties whose names have turned up since they passed.
pub struct Replay<'m>(&'m mut Monitor);

impl Sink for Replay<'_> {
    fn enter_part(&mut self, _part: u32) {}

    fn start_block(&mut self) {
        if let Some(checker) = &mut self.0.checker {
            checker.start_block();
        }
    }

    fn wants_more(&self) -> bool {
        self.0.checker.is_some()
    }

    fn place(&self, line: u32) -> Place {
        self.0.place(line)
    }

    fn declare_processes(&mut self, _names: &[String]) -> Result<(), Fault> {
        Ok(())
    }

    fn declare_shared(&mut self, _name: &str) {}

    fn declare_observed(&mut self) {}

    fn init(&mut self, _name: &str, _value: StoredValue, _place: Place) {}

    fn process(&mut self, name: &str) -> Result<ProcessId, Fault> {
        self.0.book.process(name)
    }

    fn clock_process(&mut self, name: &str) -> Result<ProcessId, Fault> {
        self.0.book.clock_process(name)
    }

    fn text(&mut self, text: &str) -> TextId {
        match &mut self.0.checker {
            Some(checker) => checker.text(text),
            None => TextId::new(0),
        }
    }

    fn variable(&mut self, process: ProcessId, name: &str) -> VarId {
        self.0.book.variable(process, name)
    }

    fn shared_variable(&mut self, name: &str) -> Result<VarId, Fault> {
        self.0.book.shared_variable(name)
    }

    fn message(&mut self, id: &str) -> MessageId {
        self.0.message(id)
    }

    fn add(&mut self, event: &NewEvent<'_>) -> Result<(), BuildError> {
        self.0.pass(event);
        Ok(())
    }

    fn end(&mut self, process: ProcessId, line: u32) -> Result<(), BuildError> {
        match &mut self.0.checker {
            Some(checker) => checker.end(process, line),
            None => Ok(()),
        }
    }
}
