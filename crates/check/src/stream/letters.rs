//! The atoms of an automaton over what passes: which processes decide them, and what they are at a cut.
//!
//! A predicate is taken apart into terms, each decided by one process or by the writes of one shared variable, as it is
//! for a projection ([`crate::project`]). A chain remembers the values of the terms its process can change. A shared
//! variable that several processes write has a value in each of their chains; the one written last counts, and which one
//! that is the ranks tell: a write ranks by how many events come before it.

use std::cell::Cell;
use std::rc::Rc;

use causet_base::value::Value;
use causet_formula::core::{EventAtom, Pred};
use causet_formula::names::{ProcRef, VarRef};
use causet_solve::automaton::Automaton;
use causet_trace::{ProcessId, VarId};
use rustc_hash::FxHashMap;

use super::observation::Observation;
use super::outline::Outline;
use super::world::World;
use crate::engine::guided::window::{At, Values};
use crate::project::course::counts_events;
use crate::project::is_decided_by_event;
use crate::project::view::{self, Term, TermId, Terms, Track, View, view};
use crate::subject::var_id;
use crate::valuation::Needs;

/// The atoms as a search asks for them.
#[derive(Clone, Debug)]
pub(super) struct Letters {
    letters: Vec<Letter>,
    /// Per term: the chains that remember it, and where.
    homes: Vec<Vec<(usize, usize)>>,
    /// Per term: its value at first.
    first: Vec<Option<Value>>,
    pub(super) divided_by_zero: Rc<Cell<bool>>,
}

/// Where the truth of an atom comes from.
#[derive(Clone, Debug)]
enum Letter {
    /// From the cut.
    State(View),
    /// From the event.
    Event,
}

/// What is known of a chain at one of its positions.
#[derive(Clone, Debug)]
pub(super) struct Local {
    /// The terms that its process can change.
    pub(super) held: Rc<[Held]>,
    /// The atoms about events that are true of the event that led there, as far as it decides.
    pub(super) marks: Box<[u32]>,
    /// Whether that event can be seen.
    pub(super) is_visible: bool,
}

/// A term as a chain remembers it.
#[derive(Clone, Debug)]
pub(super) struct Held {
    pub(super) value: Option<Value>,
    /// When it was written, if several processes write it.
    pub(super) rank: u64,
}

/// What a search watches on the processes.
#[derive(Debug)]
pub(super) struct Watch {
    /// The processes with something to see, in the order of their chains.
    pub(super) chains: Vec<Watched>,
    /// The terms and what they depend on.
    pub(super) terms: Vec<Watching>,
    /// The channels that are looked at.
    pub(super) channels: Vec<(ProcRef, ProcRef)>,
    /// Whether a process that turns up later could change something: the rest is said of processes by name.
    pub(super) is_about_all: bool,
    /// Whether every event of every process is looked at.
    pub(super) is_whole: bool,
}

/// What is watched on one process.
#[derive(Debug)]
pub(super) struct Watched {
    pub(super) process: ProcessId,
    /// The terms it can change.
    pub(super) terms: Vec<TermId>,
    /// The atoms about events, with what makes an event of this process such an event.
    pub(super) marks: Vec<(u32, Mark)>,
    /// After so many events there is nothing more to see.
    pub(super) last: u32,
    /// Whether it is known to have come to its end.
    pub(super) is_over: bool,
}

/// A term and what it depends on.
#[derive(Debug)]
pub(super) struct Watching {
    pub(super) term: Term,
    variables: Vec<VarId>,
    /// Whether events or messages are counted.
    counts: bool,
    /// Whether several processes can change it.
    pub(super) is_shared: bool,
}

/// What makes an event one that an atom is about.
#[derive(Clone, Debug)]
pub(super) enum Mark {
    /// Nothing: every event of the process is.
    Any,
    /// It carries this label.
    Label(Rc<str>),
    /// It wrote one of these.
    Wrote(Vec<VarId>),
    /// It wrote this, and the predicate about it alone holds.
    WroteSuch(VarId, Rc<Pred>),
}

impl Watch {
    /// Per chain: its entry in the clocks, which is that of its process.
    pub(super) fn columns(&self) -> Vec<usize> {
        let chains = self.chains.iter();
        chains.map(|watched| watched.process.index()).collect()
    }
}

impl Watching {
    /// Whether an event that wrote these variables may change the term.
    pub(super) fn is_touched(&self, wrote: &[VarId]) -> bool {
        self.counts || self.variables.iter().any(|var| wrote.contains(var))
    }
}

/// Takes atoms apart; with `whole`, every process is a chain, to its end.
pub(super) fn take_apart(atoms: &[Pred], whole: bool, outline: &Outline) -> (Letters, Watch) {
    let mut maker = Maker {
        outline,
        numbers: FxHashMap::default(),
        terms: Vec::new(),
        tracks: Vec::new(),
        chains: Vec::new(),
        channels: Vec::new(),
        is_about_all: whole,
        is_whole: whole,
        divided_by_zero: false,
    };
    if whole {
        let totals = outline.totals().into_iter().zip(0..);
        for (total, process) in totals.filter(|&(total, _)| total > 0) {
            maker.chain(ProcessId::new(process), total);
        }
    }
    let letters = (0..).zip(atoms).map(|(number, atom)| match atom {
        Pred::On(event) => maker.event(number, event),
        state => Letter::State(view(state, &mut maker)),
    });
    let letters = letters.collect();
    maker.place_terms();
    maker.finish(letters)
}

struct Maker<'a> {
    outline: &'a Outline,
    numbers: FxHashMap<Term, TermId>,
    terms: Vec<Watching>,
    tracks: Vec<Track>,
    chains: Vec<Watched>,
    channels: Vec<(ProcRef, ProcRef)>,
    is_about_all: bool,
    is_whole: bool,
    divided_by_zero: bool,
}

impl Maker<'_> {
    /// The chain of a process, which has something to see up to a position.
    fn chain(&mut self, process: ProcessId, last: u32) -> &mut Watched {
        let known = self.chains.iter().position(|c| c.process == process);
        let number = known.unwrap_or_else(|| {
            self.chains.push(Watched {
                process,
                terms: Vec::new(),
                marks: Vec::new(),
                last: 0,
                is_over: false,
            });
            self.chains.len() - 1
        });
        let chain = &mut self.chains[number];
        chain.last = chain.last.max(last);
        chain
    }

    /// An atom about events, on all the processes that may have such events.
    fn event(&mut self, number: u32, atom: &EventAtom) -> Letter {
        let outline = self.outline;
        let (mark, places) = match atom {
            EventAtom::Process(process) => {
                let process = ProcessId::new(process.0);
                let total = outline.totals()[process.index()];
                (Mark::Any, vec![(process, total)])
            }
            EventAtom::Label(label) => {
                self.is_about_all = true;
                let places = outline.carriers(label).to_vec();
                (Mark::Label((**label).into()), places)
            }
            EventAtom::ProcessLabel(process, label) => {
                let carriers = outline.carriers(label).iter().copied();
                let own = carriers.filter(|(carrier, _)| carrier.raw() == process.0);
                (Mark::Label((**label).into()), own.collect())
            }
            EventAtom::Wrote { vars, now: such } => {
                let ids: Vec<VarId> = vars.iter().copied().map(var_id).collect();
                self.is_about_all |= ids.iter().any(|&var| outline.owner(var).is_none());
                let places = ids.iter().flat_map(|&var| outline.writers(var)).copied();
                let places = places.collect();
                match ids[..] {
                    [var] if is_decided_by_event(vars, such) => {
                        (Mark::WroteSuch(var, Rc::new((**such).clone())), places)
                    }
                    // What else it says has become an atom of its own.
                    _ => (Mark::Wrote(ids), places),
                }
            }
        };
        for (process, last) in places.into_iter().filter(|&(_, last)| last > 0) {
            let marks = &mut self.chain(process, last).marks;
            if marks.iter().all(|(other, _)| *other != number) {
                marks.push((number, mark.clone()));
            }
        }
        Letter::Event
    }

    /// Gives every term to the processes that can change it.
    fn place_terms(&mut self) {
        let totals = self.outline.totals();
        for term in 0..self.terms.len() {
            let watching = &self.terms[term];
            let mut places = Vec::new();
            for &var in &watching.variables {
                places.extend_from_slice(self.outline.writers(var));
            }
            if let (true, Track::Process(process)) = (watching.counts, self.tracks[term]) {
                places.push((process, totals[process.index()]));
            }
            for (process, last) in places.into_iter().filter(|&(_, last)| last > 0) {
                let terms = &mut self.chain(process, last).terms;
                if !terms.contains(&term) {
                    terms.push(term);
                }
            }
        }
    }

    fn finish(self, letters: Vec<Letter>) -> (Letters, Watch) {
        let world = World::new(self.outline, &self.channels);
        let mut homes = vec![Vec::new(); self.terms.len()];
        for (chain, watched) in self.chains.iter().enumerate() {
            for (place, &term) in watched.terms.iter().enumerate() {
                homes[term].push((chain, place));
            }
        }
        let terms = self.terms.iter();
        let first = terms.map(|watching| world.value(&watching.term)).collect();
        let divided = self.divided_by_zero || world.divided_by_zero.get();
        let letters = Letters {
            letters,
            homes,
            first,
            divided_by_zero: Rc::new(Cell::new(divided)),
        };
        let watch = Watch {
            chains: self.chains,
            terms: self.terms,
            channels: self.channels,
            is_about_all: self.is_about_all,
            is_whole: self.is_whole,
        };
        (letters, watch)
    }
}

impl Terms for Maker<'_> {
    fn track_of(&self, var: VarRef) -> Track {
        self.outline.track_of(var)
    }

    fn number(&mut self, track: Track, term: Term) -> TermId {
        if let Some(&number) = self.numbers.get(&term) {
            return number;
        }
        let mut needs = Needs::default();
        let mut counts = false;
        match &term {
            Term::Pred(pred) => {
                needs.of(pred);
                counts = counts_events(pred).is_some();
            }
            Term::Expr(expr) => {
                needs.of(expr);
                counts = counts_events(expr).is_some();
            }
            Term::Sent(from, to) | Term::Received(from, to) => needs.channels.push((*from, *to)),
            Term::Marked(..) => {}
        }
        counts |= !needs.channels.is_empty();
        let is_shared = |&var: &VarRef| self.outline.owner(var_id(var)).is_none();
        self.is_about_all |= needs.variables.iter().any(is_shared);
        for ends in needs.channels {
            if !self.channels.contains(&ends) {
                self.channels.push(ends);
            }
        }
        let number = self.terms.len();
        self.numbers.insert(term.clone(), number);
        self.tracks.push(track);
        self.terms.push(Watching {
            term,
            variables: needs.variables.into_iter().map(var_id).collect(),
            counts,
            is_shared: matches!(track, Track::Shared(_)),
        });
        number
    }

    fn divided_by_zero(&mut self) {
        self.divided_by_zero = true;
    }
}

impl Letters {
    /// What is known of a chain before its first event.
    pub(super) fn at_first(&self, watched: &Watched) -> Local {
        let held = watched.terms.iter().map(|&term| Held {
            value: self.first[term].clone(),
            rank: 0,
        });
        Local {
            held: held.collect(),
            marks: Box::default(),
            is_visible: true,
        }
    }

    /// The value of a term before any event.
    pub(super) fn first(&self, term: TermId) -> Option<Value> {
        self.first[term].clone()
    }

    /// The order in which the events pass as a word of an automaton over these atoms.
    pub(super) fn observed_by(&self, automaton: &Automaton) -> Observation {
        Observation::of_word(automaton.clone(), &self.views(), &self.first)
    }

    /// The cut to which the events that have passed lead, as one where all atoms may hold.
    pub(super) fn observed_together(&self) -> Observation {
        Observation::of_cut(self.views(), &self.first)
    }

    /// Per atom the predicate; one about events never holds of a cut alone.
    fn views(&self) -> Vec<View> {
        let letters = self.letters.iter();
        let views = letters.map(|letter| match letter {
            Letter::State(view) => view.clone(),
            Letter::Event => View::Const(false),
        });
        views.collect()
    }
}

impl Values for Letters {
    type Local = Local;

    fn truth(&self, atom: usize, at: &At<'_, Local>, by: Option<usize>) -> bool {
        let moment = Moment { letters: self, at };
        match &self.letters[atom] {
            Letter::State(view) => view.holds(&moment),
            Letter::Event => by.is_some_and(|chain| at.of(chain).marks.contains(&(atom as u32))),
        }
    }

    fn is_visible(&self, _chain: usize, _before: &Local, after: &Local) -> bool {
        after.is_visible
    }
}

/// The terms at a cut.
struct Moment<'m, 'w> {
    letters: &'m Letters,
    at: &'m At<'w, Local>,
}

impl Moment<'_, '_> {
    /// The last value that a chain remembers.
    fn latest(&self, term: TermId) -> &Option<Value> {
        let homes = self.letters.homes[term].iter();
        let held = homes.map(|&(chain, place)| &self.at.of(chain).held[place]);
        match held.max_by_key(|held| held.rank) {
            Some(held) => &held.value,
            None => &self.letters.first[term],
        }
    }
}

impl view::Values for Moment<'_, '_> {
    fn truth(&self, term: TermId) -> bool {
        matches!(self.latest(term), Some(Value::Bool(true)))
    }

    fn value(&self, term: TermId) -> Option<Value> {
        self.latest(term).clone()
    }

    fn divided_by_zero(&self) {
        self.letters.divided_by_zero.set(true);
    }
}
