//! One thing that is looked for and the events it can see: a search that is fed with what passes.
//!
//! What is looked for is a run that an automaton accepts, level by level, or conditions of several processes that meet,
//! which takes no levels. Beside it the order in which the events pass is read as one word ([`Observation`]): what it shows
//! is certain at once, however far behind the search is, and also after the search has been given up.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

use causet_base::Diagnostic;
use causet_base::budget::{Budget, Endless, Meter, Spent};
use causet_base::value::Value;
use causet_formula::core::Pred;
use causet_trace::{ProcessId, VarId};

use super::goals::Aim;
use super::letters::{Held, Letters, Local, Mark, Watch, take_apart};
use super::meeting::{Meeting, Modality};
use super::observation::Observation;
use super::outline::Outline;
use super::world::World;
use crate::clock::Clock;
use crate::engine::guided::GUIDED;
use crate::engine::guided::online::Online;
use crate::engine::guided::verdict::{Question, SoFar};
use crate::engine::guided::window::Refusal;
use crate::engine::guided::{Counts, Mix, Steps, Technique};
use crate::engine::{Engine, slice};
use crate::eval;
use crate::linear::compile::{Compiled, Notices};

/// An event as it passes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passing<'e> {
    /// Its place in its process, from 1.
    pub(super) position: u32,
    /// Its vector clock, itself included, over all processes.
    pub(super) clock: &'e Clock,
    /// Its place among the events of all processes as they pass, from 1.
    pub(super) rank: u64,
    pub(super) label: Option<&'e str>,
    /// The variables it wrote, as far as anyone looks at them.
    pub(super) wrote: &'e [VarId],
}

/// How something is looked for.
enum Pursuit {
    Levels(Box<Online<Letters>>),
    Meeting(Meeting),
    /// Nothing is looked for any more: the order that was observed shows it, or memory is spent.
    Over(Counts, &'static Engine),
}

impl Pursuit {
    /// The cut at which it was seen that some run is accepted.
    fn shown(&self) -> Option<&[u32]> {
        match self {
            Pursuit::Levels(online) => online.shown(),
            Pursuit::Meeting(meeting) => meeting.shown(),
            Pursuit::Over(..) => None,
        }
    }
}

/// What the order in which the events pass has shown.
#[derive(Clone, Debug)]
struct Seen {
    /// How far the chains had come.
    cut: Vec<u32>,
    /// How many events had passed.
    passed: u64,
    /// Whether it stays so whatever follows; else the order had come to its end.
    is_sure: bool,
}

/// A search.
pub(super) struct Search {
    pursuit: Pursuit,
    /// The order in which the events pass, where one order can show what is looked for.
    observation: Option<Observation>,
    seen: Option<Seen>,
    /// How many events of all processes had passed when this one last took one.
    passed: u64,
    /// How many chains are not over.
    open_chains: usize,
    pub(super) watch: Watch,
    /// Per chain: its terms as they are now.
    held: Vec<Rc<[Held]>>,
    /// Per term: its value now, where several processes write it.
    shared: Vec<Option<Value>>,
    divided_by_zero: Rc<Cell<bool>>,
    spent: Option<Spent>,
    /// How many bytes it may take, if it is limited by itself, and how many it has taken.
    limit: Option<u64>,
    used: u64,
    /// Whether it can go on with what has passed.
    is_behind: bool,
    /// How many steps it may still look ahead while it waits.
    ahead: u64,
    figures: Figures,
}

/// How large a search was.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Figures {
    pub(super) visible: u64,
    pub(super) window: u64,
    pub(super) counts: Counts,
}

impl Search {
    /// Nothing has passed yet; `steps` says which of the enabled events are followed where the aim lets it choose.
    pub(super) fn new(aim: &Aim, steps: Steps, outline: &Outline) -> Result<Self, Diagnostic> {
        match aim {
            Aim::Word(compiled) => Search::for_word(compiled, steps, outline),
            Aim::Meeting(modality, parts) => Ok(Search::for_meeting(*modality, parts, outline)),
        }
    }

    /// Conditions, each of one process.
    fn for_meeting(modality: Modality, parts: &[Pred], outline: &Outline) -> Self {
        let (letters, watch) = take_apart(parts, false, outline);
        let holds = |term: usize| letters.first(term) == Some(Value::from(true));
        let has_chain = |term: &usize| watch.chains.iter().any(|c| c.terms.contains(term));
        let mut fixed = (0..watch.terms.len()).filter(|term| !has_chain(term));
        let meeting = match fixed.all(holds) {
            true => {
                let chains = watch.chains.iter();
                let at_first: Vec<bool> =
                    chains.map(|c| c.terms.iter().all(|&t| holds(t))).collect();
                Meeting::new(modality, &at_first, watch.columns())
            }
            false => Meeting::impossible(modality, watch.chains.len()),
        };
        let observation = (modality == Modality::Possibly).then(|| letters.observed_together());
        Search::begin(&letters, watch, Pursuit::Meeting(meeting), observation)
    }

    fn for_word(compiled: &Compiled, steps: Steps, outline: &Outline) -> Result<Self, Diagnostic> {
        let is_filtered = matches!(compiled.notices, Notices::Nothing);
        let (letters, watch) = take_apart(&compiled.atoms, !is_filtered, outline);
        let mix = match (is_filtered, steps) {
            (true, Steps::All) => Technique::Filtered.into(),
            (true, steps) => Mix {
                steps,
                ..Technique::Guided.into()
            },
            (false, _) => Technique::Guided.into(),
        };
        let start: Vec<Local> = watch.chains.iter().map(|c| letters.at_first(c)).collect();
        let (automaton, asked) = (&compiled.automaton, letters.clone());
        let online = Online::new(automaton, Question::Possibly, mix, asked, start)?;
        let online = online.over(watch.columns());
        let pursuit = Pursuit::Levels(Box::new(online));
        let observation = Some(letters.observed_by(automaton));
        Ok(Search::begin(&letters, watch, pursuit, observation))
    }

    /// Nothing has passed yet.
    fn begin(
        letters: &Letters,
        watch: Watch,
        pursuit: Pursuit,
        observation: Option<Observation>,
    ) -> Self {
        let chains = watch.chains.iter();
        let shared = (0..watch.terms.len()).map(|term| letters.first(term));
        let mut search = Search {
            pursuit,
            observation,
            seen: None,
            passed: 0,
            open_chains: watch.chains.len(),
            held: chains.map(|chain| letters.at_first(chain).held).collect(),
            shared: shared.collect(),
            divided_by_zero: letters.divided_by_zero.clone(),
            watch,
            spent: None,
            limit: None,
            used: 0,
            is_behind: false,
            ahead: MOST_AHEAD,
            figures: Figures::default(),
        };
        search.note_seen(&vec![0; search.watch.chains.len()]);
        search
    }

    /// Limits the memory it takes.
    pub(super) fn within(mut self, bytes: Option<u64>) -> Self {
        self.limit = bytes;
        self
    }

    /// Whether some run is accepted, as far as it is known.
    pub(super) fn found(&self) -> Option<bool> {
        if self.seen.is_some() {
            return Some(true);
        }
        match &self.pursuit {
            Pursuit::Over(..) => None,
            Pursuit::Meeting(meeting) => meeting.found(),
            Pursuit::Levels(online) => match online.verdict() {
                SoFar::True => Some(true),
                SoFar::False => Some(false),
                SoFar::Unknown => None,
            },
        }
    }

    /// The limit that ended it, if one did.
    pub(super) fn spent(&self) -> Option<Spent> {
        self.spent
    }

    /// Whether it takes no more events: nothing that passes can change what is known.
    pub(super) fn is_over(&self) -> bool {
        self.found().is_some() || (self.spent.is_some() && self.observation.is_none())
    }

    /// Whether it can go on with what has passed.
    pub(super) fn is_behind(&self) -> bool {
        self.is_behind
    }

    pub(super) fn figures(&self) -> Figures {
        let counts = match &self.pursuit {
            Pursuit::Levels(online) => online.counts(),
            Pursuit::Meeting(meeting) => Counts {
                transitions: meeting.compared(),
                ..Counts::default()
            },
            Pursuit::Over(counts, _) => *counts,
        };
        Figures {
            counts,
            ..self.figures
        }
    }

    /// Who searches.
    pub(super) fn engine(&self) -> &'static Engine {
        match self.pursuit {
            Pursuit::Levels(_) => &GUIDED,
            Pursuit::Meeting(_) => &slice::ENGINE,
            Pursuit::Over(_, engine) => engine,
        }
    }

    pub(super) fn divided_by_zero(&self) -> bool {
        self.divided_by_zero.get()
    }

    /// Takes the next event of a chain; the world is as the event left it.
    pub(super) fn pass(
        &mut self,
        chain: usize,
        event: &Passing<'_>,
        world: &World,
    ) -> Result<(), Refusal> {
        let watched = &self.watch.chains[chain];
        let last = watched.last;
        if self.is_over() || event.position > last {
            return Ok(());
        }
        let marks: Vec<u32> = watched
            .marks
            .iter()
            .filter(|(_, mark)| is_marked(mark, event, world))
            .map(|&(atom, _)| atom)
            .collect();
        let is_changed = self.follow_terms(chain, event, world);
        if world.divided_by_zero.take() {
            self.divided_by_zero.set(true);
        }
        let is_visible = is_changed || !marks.is_empty();
        self.figures.visible += u64::from(is_visible);
        self.ahead = (self.ahead + AHEAD_PER_EVENT).min(MOST_AHEAD);
        self.passed = event.rank;
        if self.spent.is_none() {
            self.push(chain, event, &marks, is_visible)?;
        }
        if is_visible || self.watch.is_whole {
            self.observe(&marks, world);
        }
        if event.position == last {
            self.end_chain(chain)?;
            self.look_back(&world.steps);
        }
        Ok(())
    }

    /// Reads the event as the next letter of the order in which the events pass.
    fn observe(&mut self, marks: &[u32], world: &World) {
        let Some(observation) = &mut self.observation else {
            return;
        };
        observation.step(marks);
        if observation.divided_by_zero() {
            self.divided_by_zero.set(true);
        }
        if observation.is_dead() {
            self.observation = None;
        } else if observation.is_sure() {
            let chains = self.watch.chains.iter();
            let cut: Vec<u32> = chains.map(|c| world.steps[c.process.index()]).collect();
            self.note_seen(&cut);
        }
    }

    /// Notes what the order in which the events pass shows, at the cut to which it has led.
    fn note_seen(&mut self, cut: &[u32]) {
        let Some(observation) = &self.observation else {
            return;
        };
        let is_sure = observation.is_sure();
        let is_complete = self.open_chains == 0 && observation.is_accepted();
        if self.found().is_none() && (is_sure || is_complete) {
            self.seen = Some(Seen {
                cut: cut.to_vec(),
                passed: self.passed,
                is_sure,
            });
            self.let_go();
        }
    }

    /// Keeps nothing more of the events that have passed.
    fn let_go(&mut self) {
        // What the order shows, other orders may show at a lesser cut.
        if let Pursuit::Meeting(meeting) = &mut self.pursuit
            && self.spent.is_none()
        {
            meeting.settle();
        }
        if self.pursuit.shown().is_none() {
            self.pursuit = Pursuit::Over(self.figures().counts, self.engine());
        }
        self.is_behind = false;
        self.used = 0;
        if self.seen.is_some() {
            self.observation = None;
        }
    }

    /// Gives the search the next event of a chain.
    fn push(
        &mut self,
        chain: usize,
        event: &Passing<'_>,
        marks: &[u32],
        is_visible: bool,
    ) -> Result<(), Refusal> {
        let local = Local {
            held: self.held[chain].clone(),
            marks: marks.into(),
            is_visible,
        };
        match &mut self.pursuit {
            Pursuit::Levels(online) => online.push(chain, event.clock, local),
            Pursuit::Meeting(meeting) => {
                let truth = Some(Value::from(true));
                let holds = local.held.iter().all(|held| held.value == truth);
                meeting.pass(chain, event.clock, holds);
                Ok(())
            }
            Pursuit::Over(..) => Ok(()),
        }
    }

    /// Works out the terms that an event may have changed, and whether it has.
    fn follow_terms(&mut self, chain: usize, event: &Passing<'_>, world: &World) -> bool {
        let mut changes = Vec::new();
        for (place, &term) in self.watch.chains[chain].terms.iter().enumerate() {
            let watching = &self.watch.terms[term];
            if !watching.is_touched(event.wrote) {
                continue;
            }
            let value = world.value(&watching.term);
            let is_same = match watching.is_shared {
                true => self.shared[term] == value,
                false => self.held[chain][place].value == value,
            };
            if is_same {
                continue;
            }
            let rank = match watching.is_shared {
                true => event.rank,
                false => 0,
            };
            if let Some(observation) = &mut self.observation {
                observation.change(term, &value);
            }
            if watching.is_shared {
                self.shared[term] = value.clone();
            }
            changes.push((place, Held { value, rank }));
        }
        if changes.is_empty() {
            return false;
        }
        let mut held = self.held[chain].to_vec();
        for (place, change) in changes {
            held[place] = change;
        }
        self.held[chain] = held.into();
        true
    }

    /// Goes on as far as what has passed allows. A search that takes too much memory is given up.
    pub(super) fn advance(&mut self, budget: &Budget<'_>) {
        if self.spent.is_some() || self.found().is_some() {
            return;
        }
        let (kept, advanced) = match &mut self.pursuit {
            Pursuit::Levels(online) => (online.kept(), online.advance(budget).map(drop)),
            Pursuit::Meeting(meeting) => {
                let kept = meeting.kept();
                meeting.settle();
                // Nothing is taken for longer than this, so it is enough to ask.
                let bytes = meeting.bytes();
                let charged = budget.charge(bytes);
                if charged.is_ok() {
                    budget.release(bytes);
                }
                (kept, charged)
            }
            Pursuit::Over(..) => return,
        };
        self.spent = advanced.err();
        self.figures.window = self.figures.window.max(kept as u64);
        if self.spent == Some(Spent::Memory) {
            self.let_go();
        }
    }

    /// Goes on until the meter stops it; then it is behind, and can go on later.
    pub(super) fn go_on(&mut self, meter: &dyn Meter) {
        let limit = self.limit.unwrap_or(u64::MAX);
        let budget = Budget::new(meter).with_memory(limit, self.used);
        self.advance(&budget);
        self.is_behind = self
            .spent
            .take_if(|spent| *spent != Spent::Memory)
            .is_some();
        if !matches!(self.pursuit, Pursuit::Over(..)) {
            self.used = budget.used();
        }
    }

    /// Looks ahead while it waits, as far as the events since the last time allow.
    pub(super) fn foresee(&mut self, meter: &dyn Meter) {
        if self.spent.is_some() || self.found().is_some() || self.is_behind {
            return;
        }
        let Pursuit::Levels(online) = &mut self.pursuit else {
            return;
        };
        // The level is copied first.
        if self.ahead <= online.width() as u64 {
            return;
        }
        let few = FewLooks::new(self.ahead / STEPS_PER_LOOK + 1, meter);
        let budget = Budget::new(&few);
        online.foresee(&budget);
        let copied = online.width() as u64;
        let steps = budget.steps() + LOOK_AHEAD + copied;
        self.ahead = self.ahead.saturating_sub(steps);
    }

    /// About how many bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        let chain = size_of::<Rc<[Held]>>() + size_of::<Held>();
        let own = self.watch.chains.len() * chain;
        own + match &self.pursuit {
            Pursuit::Levels(online) => online.bytes().max(self.used as usize),
            Pursuit::Meeting(meeting) => meeting.bytes(),
            Pursuit::Over(..) => 0,
        }
    }

    /// Says that a chain is over.
    pub(super) fn end_chain(&mut self, chain: usize) -> Result<(), Refusal> {
        match &mut self.pursuit {
            Pursuit::Levels(online) => online.end(chain)?,
            Pursuit::Meeting(meeting) => meeting.end(chain),
            Pursuit::Over(..) => {}
        }
        if !std::mem::replace(&mut self.watch.chains[chain].is_over, true) {
            self.open_chains -= 1;
        }
        Ok(())
    }

    /// Finds out what the order in which the events passed shows now that its chains are over.
    pub(super) fn look_back(&mut self, steps: &[u32]) {
        if self.open_chains == 0 && self.observation.is_some() {
            let chains = self.watch.chains.iter();
            let cut: Vec<u32> = chains.map(|c| steps[c.process.index()]).collect();
            self.note_seen(&cut);
        }
    }

    /// Whether some run was seen to be accepted however it goes on.
    pub(super) fn is_sure(&self) -> bool {
        self.cut().is_some()
    }

    fn cut(&self) -> Option<&[u32]> {
        let seen = self.seen.as_ref().filter(|seen| seen.is_sure);
        let seen = seen.map(|seen| &seen.cut[..]);
        self.pursuit.shown().or(seen)
    }

    /// How many events had passed when their order showed that some run is accepted.
    pub(super) fn observed_at(&self) -> Option<u64> {
        self.seen.as_ref().map(|seen| seen.passed)
    }

    /// How far each process in view had come when it was seen that some run is accepted.
    pub(super) fn shown(&self) -> Option<Vec<(ProcessId, u32)>> {
        let cut = self.cut()?;
        let chains = self.watch.chains.iter().map(|watched| watched.process);
        Some(chains.zip(cut.iter().copied()).collect())
    }

    /// Goes on a little after the reading was stopped: what has passed may decide.
    pub(super) fn catch_up(&mut self) {
        if !self.is_over() && self.spent.is_none() {
            // What takes long stays unknown.
            let few = FewLooks::new(LOOKS, &Endless);
            self.advance(&Budget::new(&few));
            self.spent.take_if(|spent| *spent != Spent::Memory);
        }
    }

    /// Whether there is such a run of what has passed, taken for the whole run; `None` if that takes long.
    pub(super) fn drain(self) -> Option<bool> {
        let known = self.found();
        let few = FewLooks::new(LOOKS, &Endless);
        known.or_else(|| match self.pursuit {
            Pursuit::Levels(online) => online.drain(&Budget::new(&few)).ok(),
            Pursuit::Meeting(mut meeting) => {
                (0..self.watch.chains.len()).for_each(|chain| meeting.end(chain));
                meeting.settle();
                meeting.found()
            }
            Pursuit::Over(..) => None,
        })
    }

    /// Says that all has passed.
    pub(super) fn end(&mut self) -> Result<(), Refusal> {
        (0..self.watch.chains.len()).try_for_each(|chain| self.end_chain(chain))
    }
}

/// So often a search may look at its limits while it is brought to an end.
const LOOKS: u64 = 20;

/// For each event a search may look so many steps ahead while it waits; so looking ahead never costs more than a few
/// times what going on does.
const AHEAD_PER_EVENT: u64 = 16;
/// What it costs to look ahead at all.
const LOOK_AHEAD: u64 = 8;
/// It saves up no more than so many steps.
const MOST_AHEAD: u64 = 16 * STEPS_PER_LOOK;
/// About so many steps pass between two looks at a limit.
const STEPS_PER_LOOK: u64 = 1024;

/// A limit in steps beside another one: so many looks at it are left.
pub(super) struct FewLooks<'m> {
    left: AtomicU64,
    other: &'m dyn Meter,
}

impl<'m> FewLooks<'m> {
    pub(super) fn new(looks: u64, other: &'m dyn Meter) -> Self {
        FewLooks {
            left: AtomicU64::new(looks),
            other,
        }
    }
}

impl Meter for FewLooks<'_> {
    fn stop(&self) -> Option<Spent> {
        let left = self.left.load(Ordering::Relaxed);
        self.left.store(left.saturating_sub(1), Ordering::Relaxed);
        match left {
            0 => Some(Spent::Time),
            _ => self.other.stop(),
        }
    }
}

/// Whether an event is one that an atom is about.
fn is_marked(mark: &Mark, event: &Passing<'_>, world: &World) -> bool {
    match mark {
        Mark::Any => true,
        Mark::Label(label) => event.label == Some(&**label),
        Mark::Wrote(vars) => vars.iter().any(|var| event.wrote.contains(var)),
        Mark::WroteSuch(var, such) => event.wrote.contains(var) && eval::holds(such, world),
    }
}
