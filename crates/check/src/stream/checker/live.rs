//! A checker of a run that is still going on: what is certain so far, and processes that turn up and end.
//!
//! The first reading of such a run cannot be finished before the second one begins, so its outline has no ends: every
//! process may still do whatever it can. A process ends when it says so, and then the searches need not wait for it any
//! more. What is certain is certain for every way in which the run may go on.

use std::collections::VecDeque;
use std::rc::Rc;

use causet_base::Diagnostic;
use causet_base::budget::{Budget, Endless, Meter, Spent};
use causet_trace::{BuildError, NewEvent, ProcessId};

use super::intake::Deed;
use super::{Checker, unplaced};
use crate::clock::Clock;
use crate::stream::goals::Goals;
use crate::stream::outline::Outline;
use crate::stream::past::Past;
use crate::stream::search::{FewLooks, Search};

/// What is known of the end of a process.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Ended {
    is_said: bool,
    is_passed: bool,
}

/// A search is limited by itself, if at all.
static NO_LIMIT: Budget<'static> = Budget::endless();

impl Checker<'static> {
    /// Nothing has passed yet, and nobody knows how long it will go on; each search may take so many bytes.
    pub(in crate::stream) fn going_on(
        outline: Rc<Outline>,
        goals: Goals,
        memory: Option<u64>,
    ) -> Result<Self, Diagnostic> {
        let mut checker = Checker::new(outline, goals, &NO_LIMIT)?;
        let searches = std::mem::take(&mut checker.searches);
        let limited = searches
            .into_iter()
            .map(|search| Ok(search?.within(memory)));
        checker.searches = limited.collect();
        Ok(checker)
    }
}

impl Checker<'_> {
    /// Goes on as far as what has passed and the meter allow, and looks ahead where that is not far.
    pub(in crate::stream) fn settle(&mut self, meter: &dyn Meter) -> Result<(), BuildError> {
        self.pass_ends()?;
        self.go_on(meter);
        for search in self.searches.iter_mut().flatten() {
            search.foresee(meter);
        }
        self.forget_pasts();
        Ok(())
    }

    /// Lets the searches go on, another one first each time, until the meter stops them.
    pub(super) fn go_on(&mut self, meter: &dyn Meter) {
        let count = self.searches.len();
        self.first = (self.first + 1) % count.max(1);
        for number in (self.first..count).chain(0..self.first) {
            if let Ok(search) = &mut self.searches[number] {
                search.go_on(meter);
            }
        }
    }

    /// Lets the searches go on now and then while events pass, so that these need not be kept. In a run that goes on
    /// they take no more than some steps per event: whoever feeds it waits for the events to be taken.
    pub(super) fn keep_up(&mut self) {
        match self.outline.goes_on() {
            true if self.spent.is_some() => {}
            true => self.go_on(&FewLooks::new(1, &Endless)),
            false => self.advance(),
        }
    }

    /// Whether a search can go on with what has passed.
    pub(in crate::stream) fn is_behind(&self) -> bool {
        self.searches.iter().flatten().any(Search::is_behind)
    }

    /// What is certain of a question, however the run goes on.
    pub(in crate::stream) fn certain(&self, question: usize) -> Option<bool> {
        self.truth(question)
    }

    /// The limit that keeps a question from being decided, if one does.
    pub(in crate::stream) fn given_up(&self, question: usize) -> Option<Spent> {
        if self.truth(question).is_some() {
            return None;
        }
        let mut reached = None;
        let mut goes_on = false;
        let answer = &self.goals.tasks[question].answer;
        answer.each_search(&mut |search| match &self.searches[search] {
            Ok(search) => {
                reached = reached.or(search.spent());
                goes_on |= search.found().is_none() && search.spent().is_none();
            }
            Err(spent) => reached = Some(*spent),
        });
        reached.filter(|_| !goes_on)
    }

    /// How far the processes in view had come when a search for a question found what it looked for.
    pub(in crate::stream) fn shown(&self, question: usize) -> Option<Vec<(ProcessId, u32)>> {
        let mut shown = None;
        let answer = &self.goals.tasks[question].answer;
        answer.each_search(&mut |search| {
            let found = self.searches[search].as_ref().ok();
            shown = shown.take().or_else(|| found?.shown());
        });
        shown
    }

    /// How many events had passed when their order showed what is certain of a question; `None` if another order did.
    pub(in crate::stream) fn observed_at(&self, question: usize) -> Option<u64> {
        let mut last = None;
        let answer = &self.goals.tasks[question].answer;
        answer.each_search(&mut |search| {
            let search = self.searches[search].as_ref().ok();
            last = last.max(search.and_then(Search::observed_at));
        });
        last
    }

    /// The questions whose variables have no defined value, and why.
    pub(in crate::stream) fn without_value(&self) -> Vec<(usize, Diagnostic)> {
        match self.races.is_empty() {
            true => Vec::new(),
            false => self.refusals(),
        }
    }

    /// Whether what a process does that turns up now would have to be looked at.
    pub(in crate::stream) fn is_about_all(&self) -> bool {
        let mut searches = self.searches.iter().flatten();
        searches.any(|search| search.watch.is_about_all)
    }

    /// Makes room for a process that has turned up, and that no search looks at.
    pub(in crate::stream) fn adopt(&mut self, name: &str) {
        self.late.push(name.to_owned());
        let processes = self.outline.process_count() + self.late.len();
        self.clocks.resize(processes, Clock::default());
        self.world.grow(processes);
        self.audience.resize(processes, Vec::new());
        self.waiting.resize(processes, VecDeque::new());
        self.ended.resize(processes, Ended::default());
        self.pasts.resize_with(processes, || Past::new(None));
    }

    /// Forgets that an event was named that is not going to pass.
    pub(in crate::stream) fn pass_over(&mut self, event: &NewEvent<'_>) {
        for &message in event.sends.iter().chain(event.recvs) {
            self.mail.used(message);
        }
    }

    /// How many events wait for something that has not passed.
    pub(in crate::stream) fn waiting(&self) -> usize {
        self.blocked.iter().map(|&p| self.waiting[p].len()).sum()
    }

    /// About how many bytes it takes.
    pub(in crate::stream) fn bytes(&self) -> usize {
        let process = size_of::<Clock>()
            + size_of::<Vec<(usize, usize)>>()
            + size_of::<VecDeque<Deed>>()
            + size_of::<Ended>()
            + 2 * size_of::<u32>();
        let clocks: usize = self.clocks.iter().map(Clock::bytes).sum();
        let pasts: usize = self.pasts.iter().map(Past::bytes).sum();
        let searches: usize = self.searches.iter().flatten().map(Search::bytes).sum();
        let late: usize = self
            .late
            .iter()
            .map(|name| size_of::<String>() + name.len())
            .sum();
        self.clocks.len() * process
            + clocks
            + pasts
            + searches
            + late
            + self.outline.bytes()
            + self.mail.bytes()
            + self.waiting_bytes
            + self.world.bytes()
    }

    /// The messages that events wait for and nobody has sent, with the processes that wait, at most so many.
    pub(in crate::stream) fn missing(&self, most: usize) -> Vec<(ProcessId, String)> {
        let heads = self.blocked.iter().filter_map(|&process| {
            let deed = self.waiting[process].front()?;
            let unsent = deed.recvs.iter().find(|&&m| !self.mail.is_sent(m))?;
            let process = ProcessId::new(process as u32);
            Some((process, self.mail.called(*unsent).to_owned()))
        });
        heads.take(most).collect()
    }

    /// How many events of each process have passed.
    pub(in crate::stream) fn passed(&self) -> &[u32] {
        &self.world.steps
    }

    pub(super) fn note_end(&mut self, process: ProcessId) {
        self.ended[process.index()].is_said = true;
    }

    /// Tells the searches of processes that have ended and have nothing left that waits.
    fn pass_ends(&mut self) -> Result<(), BuildError> {
        for process in 0..self.ended.len() {
            let Ended { is_said, is_passed } = self.ended[process];
            if !is_said || is_passed || !self.waiting[process].is_empty() {
                continue;
            }
            self.ended[process].is_passed = true;
            for &(search, chain) in &self.audience[process] {
                if let Ok(search) = &mut self.searches[search] {
                    let ended = search.end_chain(chain);
                    ended.map_err(unplaced)?;
                    search.look_back(&self.world.steps);
                }
            }
        }
        Ok(())
    }
}
