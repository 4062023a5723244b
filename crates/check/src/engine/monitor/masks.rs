//! Every cut, from the last to the first, with all states of the automaton at once.
//!
//! For each cut there is the set of states from which an accepting end can be reached once the letter of the cut has been
//! read: a bit for each in a word or a few. At the last cut these are the accepting states; elsewhere a state belongs to it
//! if after some event it leads to one of the set there. The cuts are those of a trie, so that the sets of successors are
//! found without a table.
//!
//! A set is taken back over the letter of its cut once and for all, not for each event that leads there; only where an
//! event touches an atom about events its letter is another one. Along a row, which is one chain, only the atoms are asked
//! again that the event between touches, and letters and sets repeat themselves, so that what was found for the last ones
//! is looked up. The alternative, a table of letters and states for every class of events, has to be built before and grows
//! with the states; the decisions are followed as far as they matter instead.

use std::collections::BTreeMap;
use std::hash::Hasher;

use causet_base::Diagnostic;
use causet_base::budget::{Budget, Spent};
use causet_solve::automaton::{Automaton, Look, Place, State};
use rustc_hash::{FxHashSet, FxHasher};

use super::super::trie::{Next, Trie};
use super::fate::Fate;
use crate::linear::scene::{Scene, Search};
use crate::refusal::refused;

/// How many states an automaton may have: what sixteen words hold.
const MOST_STATES: usize = 16 * 64;

/// How many atoms may be asked for: what a letter holds.
const MOST_ATOMS: usize = 64;

/// How many answers are kept.
const KEPT: usize = 1 << 10;

/// Any automaton that is not enormous.
pub(crate) fn supports(automaton: &Automaton) -> Result<(), Diagnostic> {
    let states = automaton.len();
    if states > MOST_STATES {
        return Err(refused(format!(
            "the automaton has {states} states, more than {MOST_STATES}"
        )));
    }
    match asked(automaton).len() {
        0..=MOST_ATOMS => Ok(()),
        atoms => Err(refused(format!(
            "the automaton asks for {atoms} atoms, more than {MOST_ATOMS}"
        ))),
    }
}

/// Looks for a complete run that is accepted, by an automaton that is supported.
pub(crate) fn run<S: Scene>(
    scene: &S,
    automaton: &Automaton,
    wants_steps: bool,
    budget: &Budget<'_>,
) -> Result<Search, Spent> {
    match automaton.len().div_ceil(64) {
        0 | 1 => search::<S, 1>(scene, automaton, wants_steps, budget),
        2 => search::<S, 2>(scene, automaton, wants_steps, budget),
        3 | 4 => search::<S, 4>(scene, automaton, wants_steps, budget),
        _ => search::<S, 16>(scene, automaton, wants_steps, budget),
    }
}

/// A set of states.
type Mask<const WORDS: usize> = [u64; WORDS];

/// A list of sets, in a byte each when no more can be in them.
enum Sets<const WORDS: usize> {
    Small(Vec<u8>),
    Large(Vec<Mask<WORDS>>),
}

impl<const WORDS: usize> Sets<WORDS> {
    fn none() -> Self {
        Sets::Small(Vec::new())
    }

    /// So many empty sets, of numbers below a limit.
    fn new(length: usize, limit: usize, budget: &Budget<'_>) -> Result<Self, Spent> {
        if limit <= u8::BITS as usize {
            budget.charge(length)?;
            return Ok(Sets::Small(vec![0; length]));
        }
        budget.charge(length * size_of::<Mask<WORDS>>())?;
        Ok(Sets::Large(vec![[0; WORDS]; length]))
    }

    fn is_empty(&self) -> bool {
        match self {
            Sets::Small(sets) => sets.is_empty(),
            Sets::Large(sets) => sets.is_empty(),
        }
    }

    #[inline]
    fn get(&self, at: usize) -> Mask<WORDS> {
        match self {
            Sets::Small(sets) => {
                let mut mask = [0; WORDS];
                mask[0] = u64::from(sets[at]);
                mask
            }
            Sets::Large(sets) => sets[at],
        }
    }

    #[inline]
    fn set(&mut self, at: usize, mask: Mask<WORDS>) {
        match self {
            Sets::Small(sets) => sets[at] = mask[0] as u8,
            Sets::Large(sets) => sets[at] = mask,
        }
    }
}

fn search<S: Scene, const WORDS: usize>(
    scene: &S,
    automaton: &Automaton,
    wants_steps: bool,
    budget: &Budget<'_>,
) -> Result<Search, Spent> {
    let trie = Trie::build(scene, budget)?;
    let mut pass = Pass::<S, WORDS>::new(scene, automaton, trie.cuts, wants_steps, budget)?;
    trie.descend(budget, |number, cut, after| pass.visit(number, cut, after))?;
    let first = vec![0; scene.count()];
    let truth = |atom| scene.truth(atom, &first, None);
    let begin = automaton.next(automaton.initial(), truth);
    let alive = pass.alive;
    let start = begin.iter().copied().find(|&state| bit(&alive, state));
    let steps = match start {
        Some(state) if wants_steps => budget.explain(|| pass.walk(&trie, state, budget).map(Some)),
        _ => Ok(None),
    };
    Ok(Search {
        found: start.is_some(),
        steps,
        stats: BTreeMap::from([("visited", trie.cuts as u64)]),
    })
}

/// The pass from the last cut to the first.
struct Pass<'a, S, const WORDS: usize> {
    scene: &'a S,
    back: Back<'a, WORDS>,
    /// The atoms asked for, which are the bits of a letter.
    atoms: Vec<usize>,
    /// Per event of the last chain, the atoms about states that it touches; empty if no state is asked for.
    changes: Sets<1>,
    /// Per event of each chain, the atoms about events that it makes true; empty if none is asked for.
    marks: Vec<Sets<1>>,
    /// Per cut, the states from which its quiet letter leads to an accepting end; empty if all quiet letters are the
    /// same, since then they are found again fast.
    before: Sets<WORDS>,
    /// Per cut, the states from which there is an accepting end; empty if nobody needs them.
    after: Sets<WORDS>,
    /// Per cut its quiet letter; empty if nobody needs it, or if it is always that nothing holds.
    letters: Sets<1>,
    /// The cut visited last, its letter, and the states from which there is an accepting end.
    cut: Vec<u32>,
    letter: u64,
    alive: Mask<WORDS>,
}

impl<'a, S: Scene, const WORDS: usize> Pass<'a, S, WORDS> {
    fn new(
        scene: &'a S,
        automaton: &'a Automaton,
        cuts: usize,
        wants_steps: bool,
        budget: &Budget<'_>,
    ) -> Result<Self, Spent> {
        let atoms = asked(automaton);
        let marks = marks(scene, &atoms, budget)?;
        let speaks_of_states = atoms.iter().any(|&atom| !scene.is_event(atom));
        let (marked, kept) = (!marks.is_empty(), !marks.is_empty() || wants_steps);
        let has_before = speaks_of_states || !kept;
        let has_letters = speaks_of_states && marked;
        let cuts_if = |needed: bool| if needed { cuts } else { 0 };
        let states = automaton.len();
        Ok(Pass {
            scene,
            back: Back::new(automaton, &atoms, budget)?,
            changes: match speaks_of_states {
                true => changes(scene, &atoms, budget)?,
                false => Sets::none(),
            },
            marks,
            before: Sets::new(cuts_if(has_before), states, budget)?,
            after: Sets::new(cuts_if(kept), states, budget)?,
            letters: Sets::new(cuts_if(has_letters), atoms.len(), budget)?,
            atoms,
            cut: vec![u32::MAX; scene.count()],
            letter: 0,
            alive: [0; WORDS],
        })
    }

    /// Finds the states at a cut, those of its successors being known.
    fn visit(&mut self, number: usize, cut: &[u32], next: &[Next]) {
        let mut alive = [0; WORDS];
        if next.is_empty() {
            alive = self.back.accepting;
        }
        for next in next {
            let node = next.node as usize;
            let chain = next.chain as usize;
            let marks = self.marks.get(chain);
            let [mark] = marks.map_or([0], |marks| marks.get(cut[chain] as usize + 1));
            if mark == 0 && !self.before.is_empty() {
                unite(&mut alive, &self.before.get(node));
                continue;
            }
            let [letter] = match self.letters.is_empty() {
                true => [0],
                false => self.letters.get(node),
            };
            let after = self.after.get(node);
            unite(&mut alive, &self.back.over(letter | mark, &after));
        }
        if !self.before.is_empty() {
            if !self.changes.is_empty() {
                self.read(cut);
            }
            let before = self.back.over(self.letter, &alive);
            self.before.set(number, before);
        }
        if !self.after.is_empty() {
            self.after.set(number, alive);
        }
        if !self.letters.is_empty() {
            self.letters.set(number, [self.letter]);
        }
        self.alive = alive;
    }

    /// Finds the quiet letter of a cut; along a row only what has changed is asked again.
    fn read(&mut self, cut: &[u32]) {
        let mut stale = u64::MAX;
        if let Some((&x, row)) = cut.split_last()
            && self.cut[..row.len()] == *row
            && self.cut[row.len()] == x + 1
        {
            [stale] = self.changes.get(x as usize + 1);
        }
        self.cut.copy_from_slice(cut);
        for (place, &atom) in self.atoms.iter().enumerate() {
            if stale >> place & 1 == 1 {
                let holds = !self.scene.is_event(atom) && self.scene.truth(atom, cut, None);
                self.letter = self.letter & !(1 << place) | u64::from(holds) << place;
            }
        }
    }

    /// The steps of an accepted run, from a state that has an accepting end after the first cut.
    fn walk(
        &self,
        trie: &Trie,
        mut state: State,
        budget: &Budget<'_>,
    ) -> Result<Vec<usize>, Spent> {
        let last: Vec<u32> = (0..self.scene.count())
            .map(|chain| self.scene.length(chain))
            .collect();
        let mut cut = vec![0; last.len()];
        let mut steps = Vec::new();
        budget.charge(last.iter().map(|&x| x as usize).sum::<usize>() * size_of::<usize>())?;
        while cut != last && !self.back.fate.is_sure(state) {
            budget.tick()?;
            let step = (0..last.len()).find_map(|chain| {
                let next = self.step(trie, &mut cut, chain, state);
                next.map(|next| (chain, next))
            });
            let Some((chain, next)) = step else {
                break;
            };
            state = next;
            cut[chain] += 1;
            steps.push(chain);
        }
        Ok(steps)
    }

    /// Where the next event of a chain leads from a state if there is an accepting end from there.
    fn step(&self, trie: &Trie, cut: &mut [u32], chain: usize, state: State) -> Option<State> {
        let x = cut[chain] + 1;
        let is_enabled = x <= self.scene.length(chain)
            && (0..cut.len())
                .all(|other| other == chain || self.scene.least(chain, x, other) <= cut[other]);
        if !is_enabled {
            return None;
        }
        cut[chain] += 1;
        let alive = self.after.get(trie.find(cut));
        let truth = |atom| self.scene.truth(atom, cut, Some(chain));
        let next = self.back.automaton.next(state, truth);
        let next = next.iter().copied().find(|&next| bit(&alive, next));
        cut[chain] -= 1;
        next
    }
}

/// Sets of states taken back over letters, with the answers given last.
struct Back<'a, const WORDS: usize> {
    automaton: &'a Automaton,
    fate: Fate,
    /// The states that matter.
    states: Vec<State>,
    accepting: Mask<WORDS>,
    /// Per atom its place in a letter.
    places: Vec<usize>,
    kept: Vec<Kept<WORDS>>,
}

/// An answer: from which states a letter leads into a set.
#[derive(Clone, Copy)]
struct Kept<const WORDS: usize> {
    letter: u64,
    alive: Mask<WORDS>,
    before: Mask<WORDS>,
}

impl<'a, const WORDS: usize> Back<'a, WORDS> {
    fn new(automaton: &'a Automaton, atoms: &[usize], budget: &Budget<'_>) -> Result<Self, Spent> {
        let mut accepting = [0; WORDS];
        let fate = Fate::of(automaton);
        let states = 0..automaton.len() as State;
        for state in states
            .clone()
            .filter(|&state| automaton.is_accepting(state))
        {
            insert(&mut accepting, state);
        }
        let mut places = vec![0; automaton.atoms()];
        for (place, &atom) in atoms.iter().enumerate() {
            places[atom] = place;
        }
        budget.charge(KEPT * size_of::<Kept<WORDS>>())?;
        let nothing = Kept {
            letter: 0,
            alive: [0; WORDS],
            before: [0; WORDS],
        };
        Ok(Back {
            states: states.filter(|&state| !fate.is_dead(state)).collect(),
            automaton,
            fate,
            accepting,
            places,
            kept: vec![nothing; KEPT],
        })
    }

    /// From which states a letter leads into a set.
    fn over(&mut self, letter: u64, alive: &Mask<WORDS>) -> Mask<WORDS> {
        let mut hasher = FxHasher::default();
        hasher.write_u64(letter);
        for &word in alive {
            hasher.write_u64(word);
        }
        let slot = (hasher.finish() >> (64 - KEPT.ilog2())) as usize;
        let kept = &self.kept[slot];
        if kept.letter == letter && kept.alive == *alive {
            return kept.before;
        }
        let before = self.follow(letter, alive);
        self.kept[slot] = Kept {
            letter,
            alive: *alive,
            before,
        };
        before
    }

    fn follow(&self, letter: u64, alive: &Mask<WORDS>) -> Mask<WORDS> {
        let mut before = [0; WORDS];
        for &state in &self.states {
            let truth = |atom: usize| letter >> self.places[atom] & 1 == 1;
            let next = self.automaton.next(state, truth);
            if next.iter().any(|&next| bit(alive, next)) {
                insert(&mut before, state);
            }
        }
        before
    }
}

/// The atoms that the decisions of an automaton ask for, in ascending order.
fn asked(automaton: &Automaton) -> Vec<usize> {
    let mut atoms = Vec::new();
    let mut seen: FxHashSet<Place> = FxHashSet::default();
    let states = 0..automaton.len() as State;
    let mut stack: Vec<Place> = states.map(|state| automaton.start(state)).collect();
    while let Some(place) = stack.pop() {
        if !seen.insert(place) {
            continue;
        }
        if let Look::Ask { atom, no, yes } = automaton.look(place) {
            atoms.push(atom);
            stack.extend([no, yes]);
        }
    }
    atoms.sort_unstable();
    atoms.dedup();
    atoms
}

/// Per event of the last chain, the atoms about states that it touches.
fn changes(scene: &impl Scene, atoms: &[usize], budget: &Budget<'_>) -> Result<Sets<1>, Spent> {
    let Some(chain) = scene.count().checked_sub(1) else {
        return Ok(Sets::none());
    };
    per_event(scene, chain, atoms, budget, |atom, x| {
        !scene.is_event(atom) && scene.touches(atom, chain, x)
    })
}

/// Per event of each chain, the atoms about events that it makes true.
fn marks(scene: &impl Scene, atoms: &[usize], budget: &Budget<'_>) -> Result<Vec<Sets<1>>, Spent> {
    if !atoms.iter().any(|&atom| scene.is_event(atom)) {
        return Ok(Vec::new());
    }
    let mut cut = vec![0; scene.count()];
    let mut marks = Vec::with_capacity(cut.len());
    for chain in 0..cut.len() {
        marks.push(per_event(scene, chain, atoms, budget, |atom, x| {
            if !scene.is_event(atom) || !scene.touches(atom, chain, x) {
                return false;
            }
            for (other, position) in cut.iter_mut().enumerate() {
                *position = scene.least(chain, x, other);
            }
            scene.truth(atom, &cut, Some(chain))
        })?);
    }
    Ok(marks)
}

/// Per event of a chain a letter of the atoms for which something is true.
fn per_event(
    scene: &impl Scene,
    chain: usize,
    atoms: &[usize],
    budget: &Budget<'_>,
    mut holds: impl FnMut(usize, u32) -> bool,
) -> Result<Sets<1>, Spent> {
    let length = scene.length(chain);
    let mut letters = Sets::new(length as usize + 1, atoms.len(), budget)?;
    for x in 1..=length {
        budget.tick()?;
        let mut letter = 0;
        for (place, &atom) in atoms.iter().enumerate() {
            letter |= u64::from(holds(atom, x)) << place;
        }
        letters.set(x as usize, [letter]);
    }
    Ok(letters)
}

fn unite<const WORDS: usize>(into: &mut Mask<WORDS>, other: &Mask<WORDS>) {
    for (into, other) in into.iter_mut().zip(other) {
        *into |= other;
    }
}

fn insert<const WORDS: usize>(mask: &mut Mask<WORDS>, state: State) {
    mask[state as usize / 64] |= 1 << (state % 64);
}

fn bit<const WORDS: usize>(mask: &Mask<WORDS>, state: State) -> bool {
    mask[state as usize / 64] >> (state % 64) & 1 == 1
}

#[cfg(test)]
mod tests {
    use causet_solve::automaton::{Builder, Guard};

    use super::*;

    #[test]
    fn sets_of_any_size_come_back() {
        for limit in [8, 9, 64] {
            let mut sets = Sets::<1>::new(3, limit, &Budget::endless()).expect("no limit");
            let full = [u64::MAX >> (64 - limit)];
            sets.set(1, full);
            let all = [0, 1, 2].map(|at| sets.get(at));
            assert_eq!(all, [[0], full, [0]]);
        }
    }

    #[test]
    fn answers_that_share_a_slot_are_told_apart() {
        let mut builder = Builder::new(12);
        let states: Vec<State> = (0..12).map(|_| builder.state(true)).collect();
        for &state in &states {
            let target = states[(state as usize + 1) % states.len()];
            builder.moves(state, &[(Guard::Atom(state as usize), target)], None);
        }
        let automaton = builder.finish();
        let atoms = asked(&automaton);
        let mut back = Back::<1>::new(&automaton, &atoms, &Budget::endless()).expect("no limit");
        for alive in [[0b1010_1010_1010], [0b0101_1111_0000]] {
            for letter in 0..4_096 {
                assert_eq!(back.over(letter, &alive), back.follow(letter, &alive));
            }
        }
    }
}
