//! Walking along a specification at random, without a purpose, while a real system goes along.
//!
//! What the tester has sent and seen says where the specification may be (see `belief`). At each step the tester sends a
//! stimulus that the specification has there, or waits; an output that the specification does not have there, or silence
//! where it may not be silent, is a failure.
//!
//! ```text
//! a walk:  first state --> send or wait, by chance --> ... --> failure, or far enough
//!               ^                                                 |
//!               |  reset, or a new start after a crash            v
//!               +------------------ walk by chance, or along a shorter way to a failure
//! ```
//!
//! Half of the choices take what was chosen least at this place, so that a walk is soon everywhere; the others are free,
//! so that no order of choices is left out. Waiting where nothing but silence can come is seldom thought of: it takes long.
//!
//! Every other walk tries a shorter way to a failure that is known (see `found` and `shorten`).

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::time::{Duration, Instant};

use causet_base::budget::{Budget, Spent};
use causet_lts::conformance::roles::Alphabet;
use causet_solve::steps::Steps;
use fastrand::Rng;

use crate::again::Starts;
use crate::belief::{After, Belief, Place, Places};
pub use crate::found::Failing;
use crate::found::Findings;
use crate::record::{Log, Step};
use crate::system::{Observation, System, Trouble};

/// More distinct failures than this tell nobody more.
pub const MOST_FAILURES: usize = 100;

/// Once in so many times silence is waited for where nothing else can come.
const SELDOM: u32 = 4;

/// How far to walk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// Where chance begins.
    pub seed: u64,
    /// So many walks at most.
    pub walks: usize,
    /// So many stimuli and observations in a walk at most.
    pub steps: usize,
    /// For so long at most; a step that has begun is finished.
    pub time: Option<Duration>,
    /// After so many distinct failures no other walk is begun.
    pub failures: usize,
}

/// What walks found out.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Walked {
    /// How many walks were begun.
    pub walks: usize,
    /// How many stimuli were sent.
    pub sent: usize,
    /// How many observations were made, silence included.
    pub seen: usize,
    /// How many sets of states of the specification were met.
    pub sets: usize,
    /// Distinct failures, the shortest first.
    pub failures: Vec<Failing>,
    /// Whether the time was over before the walks were.
    pub cut_short: bool,
}

/// How far walks are, for whoever watches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// How many walks were begun.
    pub walks: usize,
    /// How many stimuli and observations there were.
    pub steps: usize,
    /// How many distinct failures are known.
    pub failures: usize,
}

/// Walks until everything is done, the time is over, or the adapter fails; then the failures so far stand beside it.
pub fn walk<T: Steps>(
    specification: &mut T,
    alphabet: &Alphabet,
    system: &mut impl System,
    extent: Extent,
    log: &mut Log,
    budget: &Budget<'_>,
) -> (Walked, Option<Trouble>) {
    watched_walk(
        specification,
        alphabet,
        system,
        extent,
        log,
        budget,
        &mut |_| (),
    )
}

/// The same, and somebody is told before each step how far it is.
pub fn watched_walk<T: Steps>(
    specification: &mut T,
    alphabet: &Alphabet,
    system: &mut impl System,
    extent: Extent,
    log: &mut Log,
    budget: &Budget<'_>,
    watch: &mut dyn FnMut(Progress),
) -> (Walked, Option<Trouble>) {
    let mut walker = Walker {
        belief: Belief::new(specification, alphabet, budget),
        alphabet,
        random: Rng::with_seed(extent.seed),
        tried: HashMap::new(),
        found: Findings::default(),
        starts: Starts::default(),
        walked: Walked::default(),
        until: extent
            .time
            .and_then(|time| Instant::now().checked_add(time)),
        log,
        budget,
        watch,
    };
    let trouble = walker.all(system, extent).err();
    let mut walked = walker.walked;
    walked.sets = walker.belief.sets();
    walked.failures = walker.found.into_failures();
    (walked, trouble)
}

/// Where a walk is.
#[derive(Default)]
struct Way {
    trace: Vec<Step>,
    /// The steps of an earlier walk that this one is to take, as long as the system goes along.
    ahead: VecDeque<Step>,
}

impl Way {
    fn along(steps: Vec<Step>) -> Way {
        Way {
            trace: Vec::new(),
            ahead: steps.into(),
        }
    }

    fn add(&mut self, step: Step) {
        if self.ahead.pop_front().is_some_and(|wanted| wanted != step) {
            self.ahead.clear();
        }
        self.trace.push(step);
    }
}

struct Walker<'a, T> {
    belief: Belief<'a, T>,
    alphabet: &'a Alphabet,
    random: Rng,
    /// How often a stimulus was chosen where the specification is in a set of states; waiting is `delta`.
    tried: HashMap<(u32, u32), u32>,
    found: Findings,
    starts: Starts,
    walked: Walked,
    until: Option<Instant>,
    log: &'a mut Log,
    budget: &'a Budget<'a>,
    watch: &'a mut dyn FnMut(Progress),
}

impl<T: Steps> Walker<'_, T> {
    fn all(&mut self, system: &mut impl System, extent: Extent) -> Result<(), Trouble> {
        let mut is_fresh = true;
        let mut last = Vec::new();
        while self.walked.walks < extent.walks && self.found.len() < extent.failures {
            if self.is_late() {
                self.walked.cut_short = true;
                break;
            }
            let mut way = match self.walked.walks % 2 {
                0 => Way::default(),
                _ => self.shorter_way()?,
            };
            if !std::mem::take(&mut is_fresh)
                && let Err(trouble) = self.reset(system)
            {
                // It broke after the walk before.
                self.start_again(system, trouble, std::mem::take(&mut last))?;
                is_fresh = true;
                continue;
            }
            self.walked.walks += 1;
            // What a walk remembers is given back at its end.
            let memory = self.budget.branch();
            match self.one(system, &mut way, extent.steps, &memory) {
                Ok(is_fine) => self.end(if is_fine { "PASS" } else { "FAIL" }),
                Err(trouble) => {
                    self.start_again(system, trouble, way.trace.clone())?;
                    is_fresh = true;
                }
            }
            last = way.trace;
        }
        Ok(())
    }

    fn end(&mut self, word: &str) {
        self.log.add(&Step::Verdict(word.to_owned()));
    }

    fn is_late(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }

    fn reset(&mut self, system: &mut impl System) -> Result<(), Trouble> {
        system.reset(self.budget)?;
        self.log.add(&Step::Reset);
        Ok(())
    }

    /// Goes on after the adapter has failed, which is a failure too, if the system can be started again.
    fn start_again(
        &mut self,
        system: &mut impl System,
        trouble: Trouble,
        trace: Vec<Step>,
    ) -> Result<(), Trouble> {
        let broke = match &trouble {
            Trouble::Adapter(what) if system.can_restart() => Step::Broke(what.clone()),
            _ => return Err(trouble),
        };
        self.log.add(&broke);
        self.found.add(trace, broke, BTreeSet::new());
        self.end("FAIL");
        let (seen, until) = (self.walked.seen, self.until);
        self.starts.again(system, seen, until, self.budget)
    }

    /// One walk; whether nothing was wrong.
    fn one(
        &mut self,
        system: &mut impl System,
        way: &mut Way,
        steps: usize,
        memory: &Budget<'_>,
    ) -> Result<bool, Trouble> {
        let mut places = self.belief.initial()?;
        while way.trace.len() < steps {
            if self.is_late() {
                self.walked.cut_short = true;
                break;
            }
            self.budget.look()?;
            self.tell();
            // Chance comes first, so that the same seed chooses alike whenever outputs come.
            let choice = self.choose(&places, way)?;
            let early = system.glance(self.budget)?.map(Observation::Output);
            if let Some(label) = choice.filter(|_| early.is_none()) {
                let text = self.alphabet.labels().text(label).to_owned();
                system.stimulate(&text, self.budget)?;
                self.walked.sent += 1;
                self.note(way, Step::Sent(text), memory)?;
                places = self.belief.send(&places, label)?;
                continue;
            }
            let observation = match early {
                Some(observation) => observation,
                None => system.watch(self.budget)?,
            };
            self.walked.seen += 1;
            let step = Step::from(observation);
            match self.belief.see(&places, &step)? {
                After::At(next) => {
                    let is_over = step == Step::Silence && next == places;
                    places = next;
                    self.note(way, step, memory)?;
                    // Silence that changes nothing, and nothing to send: so it would be for ever.
                    if is_over && self.belief.stimuli(&places)?.is_empty() {
                        return Ok(true);
                    }
                }
                After::Anything => {
                    self.note(way, step, memory)?;
                    return Ok(true);
                }
                After::Never(allowed) => {
                    self.log.add(&step);
                    self.found.add(way.trace.clone(), step, allowed);
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn tell(&mut self) {
        let Walked {
            walks, sent, seen, ..
        } = self.walked;
        (self.watch)(Progress {
            walks,
            steps: sent + seen,
            failures: self.found.len(),
        });
    }

    fn note(&mut self, way: &mut Way, step: Step, memory: &Budget<'_>) -> Result<(), Spent> {
        memory.charge(2 * size_of::<Step>() + step.label().map_or(0, str::len))?;
        self.log.add(&step);
        way.add(step);
        Ok(())
    }

    /// A stimulus that the specification has wherever it may be, or nothing to wait instead.
    fn choose(&mut self, places: &Places, way: &Way) -> Result<Option<u32>, Spent> {
        let mut options = self.belief.stimuli(places)?;
        if options.is_empty() || self.is_worth_waiting(places)? {
            options.push(self.alphabet.delta());
        }
        let mut choice = self.by_chance(places, &options);
        if let Some(next) = way.ahead.front() {
            let wanted = match next {
                Step::Sent(text) => self.alphabet.labels().find(text),
                _ => None,
            };
            let wanted = wanted.filter(|label| options.contains(label));
            choice = wanted.unwrap_or(self.alphabet.delta());
        }
        for place in places {
            if !self.tried.contains_key(&(place.set, choice)) {
                self.budget.charge(4 * size_of::<(u32, u32, u32)>())?;
            }
            let times = self.tried.entry((place.set, choice)).or_default();
            *times = times.saturating_add(1);
        }
        Ok(Some(choice).filter(|&label| label != self.alphabet.delta()))
    }

    /// Whether to think of waiting: where nothing but silence can come, it takes long and tells little, so that it is
    /// seldom done after the first time.
    fn is_worth_waiting(&mut self, places: &Places) -> Result<bool, Spent> {
        let seldom = self.random.u32(..SELDOM) == 0;
        let delta = self.alphabet.delta();
        let known = |place: &Place| self.tried.contains_key(&(place.set, delta));
        let is_first = !places.iter().all(known);
        Ok(seldom || is_first || self.belief.may_speak(places)?)
    }

    /// One of the options: any, or one that was chosen least here.
    fn by_chance(&mut self, places: &Places, options: &[u32]) -> u32 {
        let times = |&&option: &&u32| -> u64 {
            let here = places.iter().map(|place| (place.set, option));
            here.map(|key| u64::from(self.tried.get(&key).copied().unwrap_or(0)))
                .sum()
        };
        let least = options.iter().map(|option| times(&option)).min();
        let rare: Vec<u32> = options
            .iter()
            .filter(|option| Some(times(option)) == least)
            .copied()
            .collect();
        let among = match self.random.bool() {
            true => rare.as_slice(),
            false => options,
        };
        among[self.random.usize(..among.len())]
    }

    /// A way to a failure that is shorter than the one that is known, if there may be one.
    fn shorter_way(&mut self) -> Result<Way, Spent> {
        let (belief, random) = (&mut self.belief, &mut self.random);
        let shorter = self.found.shorter(belief, random, self.budget)?;
        Ok(shorter.map_or_else(Way::default, Way::along))
    }
}
