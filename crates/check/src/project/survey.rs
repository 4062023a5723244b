//! What all the formulas of a check can see of a run, found in one go.
//!
//! ```text
//! histories of the variables      one pass over the run
//! look(formulas) --> Sight        terms, the events that change them, the chains these form
//! sweep                           one pass: clocks between the chains that occur together in some sight
//! project(sight) --> Projection   nothing but table look-ups
//! ```
//!
//! Asking seven hundred questions costs little more than asking one, since each pass serves all of them.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use causet_base::budget::{Budget, Spent};
use causet_base::value::Value;
use causet_formula::classify::is_stutter_invariant;
use causet_formula::core::{Ctl, EventAtom, Pred};
use causet_formula::names::{ProcRef, VarRef};
use causet_trace::{EventId, History, Order, Ranks, Trace, sweep};
use rustc_hash::{FxHashMap, FxHashSet};

use super::course::{Course, Histories, course};
use super::residual::Known;
use super::view::{Term, TermId, Terms, Track, View, view};
use crate::records::Records;
use crate::subject::{Subject, process_id, var_id};

/// Everything found out about a run so far.
pub struct Survey<'t> {
    pub(super) subject: Subject<'t>,
    pub(super) ranks: Ranks,
    histories: Histories,
    tracks: FxHashMap<VarRef, Track>,
    numbers: FxHashMap<Term, TermId>,
    pub(super) terms: Vec<Followed>,
    pub(super) sites: Vec<Site>,
    pub(super) site_of: FxHashMap<Track, usize>,
    divided_by_zero: bool,
    /// Whether the orders that show verdicts are wanted.
    pub(crate) trails: bool,
    /// All events, once a formula needed them.
    whole: Option<Vec<Strand>>,
    /// How many cuts all events have, once that was asked, or that they are too many to be counted.
    pub(super) whole_cuts: OnceLock<Option<u64>>,
}

/// A term and what happens to it.
pub(super) struct Followed {
    pub(super) track: Track,
    pub(super) course: Course,
    /// Whether it is asked which events change it, and never what it is.
    pub(super) is_marked: bool,
}

/// What some formulas can see: the terms they are made of and the chains of events that change these.
#[derive(Clone, Debug)]
pub struct Sight {
    /// One view per different predicate, over the terms listed here.
    pub(super) views: Vec<View>,
    pub(super) number_of: FxHashMap<Pred, usize>,
    /// Per atom of an automaton that reads the run: where its truth comes from.
    pub(super) letters: Vec<Letter>,
    /// Which terms of the survey they are made of.
    pub(super) terms: Vec<TermId>,
    pub(super) strands: Vec<Strand>,
    /// Whether every event counts, since a formula speaks of the next one.
    pub whole: bool,
    /// Whether something was divided by zero on the way.
    pub divided_by_zero: bool,
}

/// Where the truth of an atom comes from.
#[derive(Clone, Debug)]
pub(super) enum Letter {
    /// From the cut: the number of a view.
    State(usize),
    /// From the event: one of these terms flips with it.
    Event(Vec<TermId>),
}

/// A part of a process during which a predicate of it is true, by the ranks of the events at its ends; `None` where it is
/// true from the beginning, or to the end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch {
    pub(crate) begins: Option<u32>,
    pub(crate) ends: Option<u32>,
}

/// A chain of visible events.
#[derive(Clone, Debug)]
pub(super) struct Strand {
    pub(super) track: Track,
    pub(super) events: Arc<[EventId]>,
}

/// The visible events of one track, and what each knows of the other tracks it is seen together with.
#[derive(Default)]
pub(super) struct Site {
    pub(super) events: Arc<[EventId]>,
    /// The lists they come from, until they are put together.
    lists: Vec<Arc<[EventId]>>,
    /// The sites of those tracks.
    pub(super) partners: BTreeSet<usize>,
    /// Per event and partner: how many of the partner's events happened before.
    pub(super) known: Vec<u32>,
    /// The addresses of the lists of events already added; the lists live as long as the sights.
    added: FxHashSet<usize>,
}

impl Site {
    fn add(&mut self, events: &Arc<[EventId]>) {
        if self.added.insert(events.as_ptr().addr()) {
            self.lists.push(events.clone());
        }
    }

    /// Puts the lists together, in the order of the recording.
    fn gather(&mut self, ranks: &Ranks) {
        let lists = std::mem::take(&mut self.lists);
        self.events = match &lists[..] {
            [list] => list.clone(),
            lists => {
                let mut events = lists.concat();
                events.sort_by_key(|&event| ranks.of(event));
                events.dedup();
                events.into()
            }
        };
        debug_assert!(self.events.is_sorted_by_key(|&event| ranks.of(event)));
    }

    fn note(&mut self, clock: &[u32]) {
        let partners = self.partners.iter();
        self.known.extend(partners.map(|&partner| clock[partner]));
    }
}

impl Sight {
    /// A sight of nothing, so far.
    fn blind(whole: bool) -> Self {
        Sight {
            views: Vec::new(),
            number_of: FxHashMap::default(),
            letters: Vec::new(),
            terms: Vec::new(),
            strands: Vec::new(),
            whole,
            divided_by_zero: false,
        }
    }

    /// What tells apart the chains of one sight from those of another.
    pub(crate) fn chains_key(&self) -> Vec<(Track, usize)> {
        let strands = self.strands.iter();
        strands
            .map(|strand| (strand.track, strand.events.as_ptr().addr()))
            .collect()
    }
}

impl<'t> Survey<'t> {
    /// A survey of a run, for formulas that name no other variables than those on record.
    pub fn new(records: Records<'t>) -> Self {
        let Records { subject, histories } = records;
        let tracks = histories
            .iter()
            .map(|(&var, history)| (var, track(subject.trace, history)));
        Survey {
            ranks: subject.trace.order().ranks(),
            tracks: tracks.collect(),
            subject,
            histories,
            numbers: FxHashMap::default(),
            terms: Vec::new(),
            sites: Vec::new(),
            site_of: FxHashMap::default(),
            divided_by_zero: false,
            trails: true,
            whole: None,
            whole_cuts: OnceLock::new(),
        }
    }

    /// The run.
    pub fn subject(&self) -> Subject<'t> {
        self.subject
    }

    /// About how many bytes it takes to follow the terms.
    pub(crate) fn size(&self) -> usize {
        let changes = self.terms.iter().map(|term| term.course.events.len());
        changes.sum::<usize>() * 8 + self.terms.len() * 256
    }

    /// Finds out what formulas can see together; with `whole`, or when one of them says `EX`, every event counts.
    pub fn look(&mut self, goals: &[&Ctl], whole: bool) -> Sight {
        let sight = self.look_at_all(goals, whole);
        self.with_strands(sight)
    }

    /// Finds out what an automaton over these atoms can see, none of them a connective and each about the cut alone or about
    /// the event alone; with `whole` every event counts.
    pub(crate) fn look_for(&mut self, atoms: &[Pred], whole: bool) -> Sight {
        let sight = self.look_for_atoms(atoms, whole);
        self.with_strands(sight)
    }

    /// When a predicate that one process decides is true, in the order of the process; `None` when more than one decides.
    pub(crate) fn stretches(&mut self, pred: &Pred) -> Option<Vec<Stretch>> {
        let all = Stretch {
            begins: None,
            ends: None,
        };
        let term = match view(pred, self) {
            View::Const(truth) => return Some(truth.then_some(all).into_iter().collect()),
            View::Term(term) => term,
            _ => return None,
        };
        let Followed { track, course, .. } = &self.terms[term];
        if matches!(track, Track::Shared(_)) {
            return None;
        }
        let is_true = |number: u32| course.values[number as usize] == Some(Value::Bool(true));
        let mut stretches: Vec<Stretch> =
            is_true(course.first).then_some(all).into_iter().collect();
        for (event, number) in course.changes() {
            let rank = Some(self.ranks.of(event));
            if is_true(number) {
                stretches.push(Stretch {
                    begins: rank,
                    ends: None,
                });
            } else if let Some(last) = stretches.last_mut() {
                last.ends = rank;
            }
        }
        Some(stretches)
    }

    /// The terms of formulas, without the chains of the events that change them: enough for one given order.
    pub(crate) fn look_at_all(&mut self, goals: &[&Ctl], whole: bool) -> Sight {
        let whole = whole || !goals.iter().all(|goal| is_stutter_invariant(goal));
        let mut sight = Sight::blind(whole);
        for goal in goals {
            self.look_at(goal, &mut sight);
        }
        self.focus(sight)
    }

    /// The same for the atoms of an automaton.
    pub(crate) fn look_for_atoms(&mut self, atoms: &[Pred], whole: bool) -> Sight {
        let mut sight = Sight::blind(whole);
        for atom in atoms {
            let letter = match atom {
                Pred::On(event) => self.event_letter(event, &mut sight),
                state => Letter::State(self.view_of(state, &mut sight)),
            };
            sight.letters.push(letter);
        }
        self.focus(sight)
    }

    fn event_letter(&mut self, atom: &EventAtom, sight: &mut Sight) -> Letter {
        let trace = self.subject.trace;
        let everyone = || {
            let processes = trace.order().processes();
            processes.map(|process| ProcRef(process.raw())).collect()
        };
        let processes: Vec<ProcRef> = match atom {
            EventAtom::Label(_) => everyone(),
            EventAtom::Process(process) | EventAtom::ProcessLabel(process, _) => vec![*process],
            EventAtom::Wrote { vars, .. } => {
                let writers = |&var: &VarRef| match trace.owner(var_id(var)) {
                    Some(process) => vec![ProcRef(process.raw())],
                    None => everyone(),
                };
                let mut processes: Vec<ProcRef> = vars.iter().flat_map(writers).collect();
                processes.sort_unstable();
                processes.dedup();
                processes
            }
        };
        let mut terms = Vec::new();
        for process in processes {
            let track = Track::Process(process_id(process));
            let term = self.number(track, Term::Marked(atom.clone(), process));
            let course = &self.terms[term].course;
            sight.divided_by_zero |= course.divided_by_zero;
            if !course.is_constant() {
                terms.push(term);
            }
        }
        Letter::Event(terms)
    }

    /// Makes views over the terms that matter, numbered within the sight.
    fn focus(&mut self, mut sight: Sight) -> Sight {
        sight.divided_by_zero |= std::mem::take(&mut self.divided_by_zero);
        let mut terms = Vec::new();
        for view in &mut sight.views {
            view.each_term(&mut |term| terms.push(*term));
            let constants = Constants {
                survey: self,
                divided: Cell::new(false),
            };
            *view = view.given(&constants);
            sight.divided_by_zero |= constants.divided.get();
        }
        let divides = |&term: &TermId| self.terms[term].course.divided_by_zero;
        sight.divided_by_zero |= terms.iter().any(divides);
        terms.clear();
        for view in &mut sight.views {
            view.each_term(&mut |term| terms.push(*term));
        }
        for letter in &sight.letters {
            if let Letter::Event(marks) = letter {
                terms.extend_from_slice(marks);
            }
        }
        terms.sort_unstable();
        terms.dedup();
        let local: FxHashMap<TermId, usize> = terms.iter().copied().zip(0..).collect();
        for view in &mut sight.views {
            view.each_term(&mut |term| *term = local[term]);
        }
        for letter in &mut sight.letters {
            if let Letter::Event(marks) = letter {
                marks.iter_mut().for_each(|term| *term = local[term]);
            }
        }
        sight.terms = terms;
        sight
    }

    /// Finds the chains of the events that change a term, or of all events.
    fn with_strands(&mut self, mut sight: Sight) -> Sight {
        sight.strands = match sight.whole {
            true => {
                let order = self.subject.trace.order();
                self.whole.get_or_insert_with(|| processes(order)).clone()
            }
            false => self.strands(&sight.terms),
        };
        sight
    }

    fn look_at(&mut self, formula: &Ctl, sight: &mut Sight) {
        for part in formula.subformulas() {
            if let Ctl::State(pred) = part {
                self.view_of(pred, sight);
            }
        }
    }

    /// The number of a predicate among the views of a sight, a new one if need be.
    fn view_of(&mut self, pred: &Pred, sight: &mut Sight) -> usize {
        if let Some(&number) = sight.number_of.get(pred) {
            return number;
        }
        let view = view(pred, self);
        let number = sight.views.len();
        sight.number_of.insert(pred.clone(), number);
        sight.views.push(view);
        number
    }

    /// The events that change some term, as few chains of them as is easily found.
    fn strands(&self, terms: &[TermId]) -> Vec<Strand> {
        let mut by_track: BTreeMap<Track, Vec<TermId>> = BTreeMap::new();
        for &term in terms {
            by_track
                .entry(self.terms[term].track)
                .or_default()
                .push(term);
        }
        let strands = by_track.into_iter().map(|(track, terms)| Strand {
            track,
            events: self.union(&terms),
        });
        let mut strands: Vec<Strand> = strands.filter(|s| !s.events.is_empty()).collect();
        if strands
            .iter()
            .any(|strand| matches!(strand.track, Track::Shared(_)))
        {
            strands = self.disjoint(strands);
        }
        strands
    }

    /// The events of some terms of one track, in its order.
    fn union(&self, terms: &[TermId]) -> Arc<[EventId]> {
        if let [term] = terms {
            return self.terms[*term].course.events.clone();
        }
        let ranks = &self.ranks;
        let events = terms
            .iter()
            .flat_map(|&term| self.terms[term].course.events.iter());
        let mut events: Vec<EventId> = events.copied().collect();
        // Made of lists that are in order: a sort that finds such stretches is faster.
        events.sort_by_key(|&event| ranks.of(event));
        events.dedup();
        events.into()
    }

    /// The writes of a shared variable are events of processes too: leaves each event on one chain, the longer one, or
    /// takes the processes as chains when that makes fewer.
    fn disjoint(&self, mut strands: Vec<Strand>) -> Vec<Strand> {
        let order = self.subject.trace.order();
        let mut by_process: BTreeMap<Track, FxHashSet<EventId>> = BTreeMap::new();
        for &event in strands.iter().flat_map(|strand| strand.events.iter()) {
            let track = Track::Process(order.process_of(event));
            by_process.entry(track).or_default().insert(event);
        }
        if by_process.len() <= strands.len() {
            let in_order = |events: FxHashSet<EventId>| {
                let mut events: Vec<EventId> = events.into_iter().collect();
                events.sort_unstable_by_key(|&event| order.position_of(event));
                events.into()
            };
            let strand = |(track, events)| Strand {
                track,
                events: in_order(events),
            };
            return by_process.into_iter().map(strand).collect();
        }
        strands.sort_by_key(|strand| std::cmp::Reverse(strand.events.len()));
        let mut taken: FxHashSet<EventId> = FxHashSet::default();
        for strand in &mut strands {
            let fresh = strand
                .events
                .iter()
                .copied()
                .filter(|&event| taken.insert(event));
            strand.events = fresh.collect();
        }
        strands.retain(|strand| !strand.events.is_empty());
        strands
    }

    /// Finds the order among the events of all these sights.
    ///
    /// No term can be followed after that: what the events wrote is not needed any more, and takes room.
    pub fn sweep(&mut self, sights: &[&Sight], budget: &Budget<'_>) -> Result<(), Spent> {
        self.histories = Histories::default();
        for sight in sights.iter().filter(|sight| sight.strands.len() > 1) {
            self.mark(sight, budget)?;
        }
        if self.sites.is_empty() {
            return Ok(());
        }
        let order = self.subject.trace.order();
        let ranks = &self.ranks;
        for site in &mut self.sites {
            site.gather(ranks);
            budget.charge(4 * site.events.len() * (site.partners.len() + 3))?;
            site.known
                .reserve_exact(site.events.len() * site.partners.len());
        }
        let mut visits: Vec<(u32, u32)> = Vec::new();
        for (number, site) in self.sites.iter().enumerate() {
            visits.extend(
                site.events
                    .iter()
                    .map(|&event| (ranks.of(event), number as u32)),
            );
        }
        visits.sort();
        let mut visits = &visits[..];
        let sites = &mut self.sites;
        let mut done = 0_u32;
        sweep(order, sites.len(), |event, clock| {
            if done.is_multiple_of(EVENTS_PER_LOOK) {
                budget.look()?;
            }
            done += 1;
            let rank = ranks.of(event);
            let here = visits.iter().take_while(|&&(at, _)| at == rank).count();
            let (now, later) = visits.split_at(here);
            visits = later;
            // All own entries first: an event may lie on several tracks.
            now.iter().for_each(|&(_, site)| clock[site as usize] += 1);
            for &(_, site) in now {
                sites[site as usize].note(clock);
            }
            Ok(())
        })
    }

    /// Notes whose order a sight needs: each strand is compared with every other.
    fn mark(&mut self, sight: &Sight, budget: &Budget<'_>) -> Result<(), Spent> {
        let numbers: Vec<usize> = sight
            .strands
            .iter()
            .map(|strand| {
                let fresh = self.sites.len();
                let number = *self.site_of.entry(strand.track).or_insert(fresh);
                if number == fresh {
                    self.sites.push(Site::default());
                }
                number
            })
            .collect();
        for (strand, &number) in sight.strands.iter().zip(&numbers) {
            budget.tick_many(numbers.len() as u64)?;
            let site = &mut self.sites[number];
            site.add(&strand.events);
            site.partners
                .extend(numbers.iter().filter(|&&other| other != number));
        }
        Ok(())
    }
}

/// The terms that never change, which are as good as constants.
struct Constants<'a> {
    survey: &'a Survey<'a>,
    divided: Cell<bool>,
}

impl Known for Constants<'_> {
    fn value(&self, term: TermId) -> Option<Option<Value>> {
        let course = &self.survey.terms[term].course;
        let value = || course.values[course.first as usize].clone();
        course.is_constant().then(value)
    }

    fn divided_by_zero(&self) {
        self.divided.set(true);
    }
}

/// How many events pass between two looks at the limits.
const EVENTS_PER_LOOK: u32 = 1 << 14;

/// The track of a variable; a shared one that only one process writes is as good as local.
fn track(trace: &Trace, history: &History) -> Track {
    if let Some(process) = trace.owner(history.var) {
        return Track::Process(process);
    }
    let writes = history.writes.iter();
    let mut writers = writes.map(|&(event, _)| trace.order().process_of(event));
    match writers.next() {
        Some(first) if writers.all(|writer| writer == first) => Track::Process(first),
        _ => Track::Shared(history.var),
    }
}

/// Every event, one chain per process.
fn processes(order: &Order) -> Vec<Strand> {
    let chains = order.processes().map(|process| Strand {
        track: Track::Process(process),
        events: order.chain(process).into(),
    });
    chains.filter(|strand| !strand.events.is_empty()).collect()
}

impl Terms for Survey<'_> {
    fn track_of(&self, var: VarRef) -> Track {
        self.tracks[&var]
    }

    fn number(&mut self, track: Track, term: Term) -> TermId {
        if let Some(&number) = self.numbers.get(&term) {
            return number;
        }
        let course = course(&term, self.subject.trace, &self.histories);
        let number = self.terms.len();
        self.terms.push(Followed {
            track,
            course,
            is_marked: matches!(term, Term::Marked(..)),
        });
        self.numbers.insert(term, number);
        number
    }

    fn divided_by_zero(&mut self) {
        self.divided_by_zero = true;
    }
}
