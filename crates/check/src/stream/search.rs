//! One thing that is looked for and the events it can see: a search that is fed with what passes.
//!
//! What is looked for is a run that an automaton accepts, level by level, or conditions of several processes that meet,
//! which takes no levels.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

use causet_formula::core::Pred;
use causet_formula::value::Value;
use causet_solve::budget::{Budget, Meter, Spent};
use causet_trace::{ProcessId, VarId};

use super::goals::Aim;
use super::letters::{Held, Letters, Local, Mark, Watch, take_apart};
use super::meeting::{Meeting, Modality};
use super::outline::Outline;
use super::world::World;
use crate::engine::EngineName;
use crate::engine::guided::online::Online;
use crate::engine::guided::verdict::{Question, SoFar};
use crate::engine::guided::{Counts, Mix, Steps, Technique};
use crate::eval;
use crate::linear::compile::{Compiled, Notices};

/// An event as it passes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passing<'e> {
    /// Its place in its process, from 1.
    pub(super) position: u32,
    /// Its vector clock, itself included, over all processes.
    pub(super) clock: &'e [u32],
    pub(super) label: Option<&'e str>,
    /// The variables it wrote, as far as anyone looks at them.
    pub(super) wrote: &'e [VarId],
}

/// How something is looked for.
enum Pursuit {
    Levels(Box<Online<Letters>>),
    Meeting(Meeting),
}

/// A search.
pub(super) struct Search {
    pursuit: Pursuit,
    pub(super) watch: Watch,
    /// Per chain: its terms as they are now.
    held: Vec<Rc<[Held]>>,
    /// Per term: its value now, where several processes write it.
    shared: Vec<Option<Value>>,
    /// Room for a clock over the chains.
    needs: Vec<u32>,
    divided_by_zero: Rc<Cell<bool>>,
    spent: Option<Spent>,
    /// What it may take of its own, if it is limited by itself.
    own: Option<Budget<'static>>,
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
    pub(super) fn new(aim: &Aim, steps: Steps, outline: &Outline) -> Result<Self, String> {
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
                Meeting::new(modality, &at_first)
            }
            false => Meeting::impossible(modality, watch.chains.len()),
        };
        Search::begin(&letters, watch, Pursuit::Meeting(meeting))
    }

    fn for_word(compiled: &Compiled, steps: Steps, outline: &Outline) -> Result<Self, String> {
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
        let pursuit = Pursuit::Levels(Box::new(online));
        Ok(Search::begin(&letters, watch, pursuit))
    }

    /// Nothing has passed yet.
    fn begin(letters: &Letters, watch: Watch, pursuit: Pursuit) -> Self {
        let chains = watch.chains.iter();
        let shared = (0..watch.terms.len()).map(|term| letters.first(term));
        Search {
            pursuit,
            held: chains.map(|chain| letters.at_first(chain).held).collect(),
            shared: shared.collect(),
            needs: vec![0; watch.chains.len()],
            divided_by_zero: letters.divided_by_zero.clone(),
            watch,
            spent: None,
            own: None,
            ahead: MOST_AHEAD,
            figures: Figures::default(),
        }
    }

    /// How many bytes it takes, if it is limited.
    pub(super) fn bytes(&self) -> u64 {
        match &self.pursuit {
            Pursuit::Levels(_) => {
                let used = self.own.as_ref().map_or(0, Budget::used);
                // A search may give back a little more than it took.
                used.cast_signed().max(0).cast_unsigned()
            }
            Pursuit::Meeting(meeting) => meeting.bytes() as u64,
        }
    }

    /// Limits the memory it takes.
    pub(super) fn within(mut self, bytes: Option<u64>) -> Self {
        self.own = bytes.map(|bytes| Budget::endless().with_memory(bytes, 0));
        self
    }

    /// Whether some run is accepted, as far as it is known.
    pub(super) fn found(&self) -> Option<bool> {
        match &self.pursuit {
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

    /// Whether it takes no more events.
    pub(super) fn is_over(&self) -> bool {
        self.spent.is_some() || self.found().is_some()
    }

    pub(super) fn figures(&self) -> Figures {
        let counts = match &self.pursuit {
            Pursuit::Levels(online) => online.counts(),
            Pursuit::Meeting(meeting) => Counts {
                transitions: meeting.compared(),
                ..Counts::default()
            },
        };
        Figures {
            counts,
            ..self.figures
        }
    }

    /// Who searches.
    pub(super) fn engine(&self) -> EngineName {
        match self.pursuit {
            Pursuit::Levels(_) => EngineName::Guided,
            Pursuit::Meeting(_) => EngineName::Slice,
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
    ) -> Result<(), String> {
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
        for (need, watched) in self.needs.iter_mut().zip(&self.watch.chains) {
            *need = event.clock[watched.process.index()];
        }
        self.ahead = (self.ahead + AHEAD_PER_EVENT).min(MOST_AHEAD);
        let local = Local {
            held: self.held[chain].clone(),
            marks: marks.into(),
            is_visible,
        };
        match &mut self.pursuit {
            Pursuit::Levels(online) => {
                let pushed = online.push(chain, &self.needs, local);
                pushed.map_err(|refusal| refusal.to_string())?;
            }
            Pursuit::Meeting(meeting) => {
                let truth = Some(Value::from(true));
                let holds = local.held.iter().all(|held| held.value == truth);
                meeting.pass(chain, &self.needs, holds);
            }
        }
        match event.position == last {
            true => self.end_chain(chain),
            false => Ok(()),
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
                true => event.clock.iter().map(|&count| u64::from(count)).sum(),
                false => 0,
            };
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
        if self.is_over() {
            return;
        }
        let budget = self.own.as_ref().unwrap_or(budget);
        let kept = match &mut self.pursuit {
            Pursuit::Levels(online) => {
                let kept = online.kept();
                self.spent = online.advance(budget).err();
                kept
            }
            Pursuit::Meeting(meeting) => {
                let kept = meeting.kept();
                meeting.settle();
                // Nothing is taken for longer than this, so it is enough to ask.
                let bytes = meeting.bytes();
                self.spent = budget.charge(bytes).err();
                if self.spent.is_none() {
                    budget.release(bytes);
                }
                kept
            }
        };
        self.figures.window = self.figures.window.max(kept as u64);
    }

    /// Looks ahead while it waits, as far as the events since the last time allow.
    pub(super) fn foresee(&mut self) {
        if self.is_over() || self.ahead == 0 {
            return;
        }
        let Pursuit::Levels(online) = &mut self.pursuit else {
            return;
        };
        let few = FewLooks::new(self.ahead / STEPS_PER_LOOK + 1);
        let budget = Budget::new(&few);
        online.foresee(&budget);
        self.ahead = self.ahead.saturating_sub(budget.steps() + LOOK_AHEAD);
    }

    /// Says that a chain is over.
    pub(super) fn end_chain(&mut self, chain: usize) -> Result<(), String> {
        match &mut self.pursuit {
            Pursuit::Levels(online) => online.end(chain).map_err(|refusal| refusal.to_string()),
            Pursuit::Meeting(meeting) => {
                meeting.end(chain);
                Ok(())
            }
        }
    }

    /// Whether some run was seen to be accepted however it goes on.
    pub(super) fn is_sure(&self) -> bool {
        self.cut().is_some()
    }

    fn cut(&self) -> Option<&[u32]> {
        match &self.pursuit {
            Pursuit::Levels(online) => online.shown(),
            Pursuit::Meeting(meeting) => meeting.shown(),
        }
    }

    /// How far each process in view had come when it was seen that some run is accepted.
    pub(super) fn shown(&self) -> Option<Vec<(ProcessId, u32)>> {
        let cut = self.cut()?;
        let chains = self.watch.chains.iter().map(|watched| watched.process);
        Some(chains.zip(cut.iter().copied()).collect())
    }

    /// Goes on a little after the reading was stopped: what has passed may decide.
    pub(super) fn catch_up(&mut self) {
        if !self.is_over() {
            // What takes long stays unknown.
            let few = FewLooks::new(LOOKS);
            self.advance(&Budget::new(&few));
            self.spent = None;
        }
    }

    /// Whether there is such a run of what has passed, taken for the whole run; `None` if that takes long.
    pub(super) fn drain(self) -> Option<bool> {
        let known = self.found();
        let few = FewLooks::new(LOOKS);
        known.or_else(|| match self.pursuit {
            Pursuit::Levels(online) => online.drain(&Budget::new(&few)).ok(),
            Pursuit::Meeting(mut meeting) => {
                (0..self.watch.chains.len()).for_each(|chain| meeting.end(chain));
                meeting.settle();
                meeting.found()
            }
        })
    }

    /// Says that all has passed.
    pub(super) fn end(&mut self) -> Result<(), String> {
        (0..self.watch.chains.len()).try_for_each(|chain| self.end_chain(chain))
    }
}

/// So often a search may look at its limits while it is brought to an end.
const LOOKS: u64 = 500;

/// For each event a search may look so many steps ahead while it waits; so looking ahead never costs more than a few
/// times what going on does.
const AHEAD_PER_EVENT: u64 = 16;
/// What it costs to look ahead at all.
const LOOK_AHEAD: u64 = 8;
/// It saves up no more than so many steps.
const MOST_AHEAD: u64 = 16 * STEPS_PER_LOOK;
/// About so many steps pass between two looks at a limit.
const STEPS_PER_LOOK: u64 = 1024;

/// A limit for someone who has asked to stop, or has to: so many looks at it are left.
struct FewLooks(AtomicU64);

impl FewLooks {
    fn new(looks: u64) -> Self {
        FewLooks(AtomicU64::new(looks))
    }
}

impl Meter for FewLooks {
    fn stop(&self) -> Option<Spent> {
        let left = self.0.load(Ordering::Relaxed);
        self.0.store(left.saturating_sub(1), Ordering::Relaxed);
        (left == 0).then_some(Spent::Time)
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
