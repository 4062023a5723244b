//! Every technique against all runs of small random ones.

use std::collections::{BTreeMap, BTreeSet};

use causet_base::budget::{Budget, Spent};
use causet_solve::automaton::{Automaton, Guard, State};
use fastrand::Rng;

use super::world::{World, automaton, destuttered, patient};
use crate::engine::guided::arrivals::{Arriving, Complete, is_enabled};
use crate::engine::guided::filter::Filter;
use crate::engine::guided::labelling::{Labelled, Labels, all_at, everywhere, some_at};
use crate::engine::guided::levels::{Frontier, Reduction};
use crate::engine::guided::{Mix, Steps, Technique, guidance, persistent, run};
use crate::linear::Search;

fn mixes() -> Vec<Mix> {
    let bounds = [None, Some(1), Some(2)];
    let mut steps = vec![Steps::All, Steps::Sleep];
    steps.extend(bounds.map(|max_steps| Steps::TwoPhase { max_steps }));
    let mut mixes = Vec::new();
    for steps in steps {
        for (guided, filtered) in [(false, false), (true, false), (false, true), (true, true)] {
            mixes.push(Mix {
                steps,
                guided,
                filtered,
            });
        }
    }
    mixes
}

/// Whether the steps are a run from which every completion is accepted, or that is complete and accepted itself.
fn is_witness(world: &World, automaton: &Automaton, steps: &[usize]) -> bool {
    let Some((word, cut)) = world.word_along(steps) else {
        return false;
    };
    if cut == world.last_cut() {
        return automaton.accepts(&word);
    }
    let mut all = true;
    let last = world.last_cut();
    world.paths(|end, word, path| {
        all &= *end != last || !path.starts_with(steps) || automaton.accepts(word);
    });
    all
}

fn check(world: &World, automaton: &Automaton, mix: Mix, found: bool) -> Search {
    let search = run(world, automaton, mix, true, &Budget::endless()).expect("no limit");
    let story = || format!("{mix:?}\n{world:?}\n{automaton:?}");
    assert_eq!(search.found, found, "{}", story());
    assert_eq!(matches!(search.steps, Ok(Some(_))), found, "{}", story());
    if let Ok(Some(steps)) = &search.steps {
        assert!(is_witness(world, automaton, steps), "{steps:?} {}", story());
    }
    let short = run(world, automaton, mix, false, &Budget::endless()).expect("no limit");
    assert!(short.found == found && short.steps == Ok(None));
    search
}

#[test]
fn any_automaton_full_and_guided() {
    let mut rng = Rng::with_seed(1);
    for _ in 0..500 {
        let world = World::random(&mut rng, true);
        let words = world.words();
        for is_deterministic in [true, false] {
            let automaton = automaton(&mut rng, is_deterministic);
            let found = words.iter().any(|word| automaton.accepts(word));
            for technique in [Technique::Levels, Technique::Guided] {
                check(&world, &automaton, technique.into(), found);
            }
        }
    }
}

#[test]
fn patient_automata_with_every_mix() {
    let mut rng = Rng::with_seed(2);
    let mut seen = [0; 2];
    for _ in 0..300 {
        let world = World::random(&mut rng, true);
        let words = world.words();
        let automaton = patient(&mut rng, &world);
        let found = words.iter().any(|word| automaton.accepts(word));
        seen[usize::from(found)] += 1;
        for mix in mixes() {
            check(&world, &automaton, mix, found);
        }
    }
    assert!(seen.iter().all(|&seen| seen > 50), "{seen:?}");
}

/// The states at every cut that a search reaches.
fn states(world: &World, automaton: &Automaton, mix: Mix) -> BTreeMap<Vec<u32>, BTreeSet<usize>> {
    let mut states = BTreeMap::new();
    let mut see = |at: Labelled<'_>| {
        states.insert(at.cut.to_vec(), at.states().collect());
    };
    everywhere(world, automaton, mix, &mut see, &Budget::endless()).expect("no limit");
    states
}

#[test]
fn some_and_all_at_every_cut() {
    let mut rng = Rng::with_seed(3);
    let budget = Budget::endless();
    for _ in 0..150 {
        let world = World::random(&mut rng, true);
        let automaton = automaton(&mut rng, true);
        let other = automaton.complete().complement().expect("deterministic");
        let mut truth: BTreeMap<Vec<u32>, (bool, bool)> = BTreeMap::new();
        world.paths(|cut, word, _| {
            let accepted = automaton.accepts(word);
            let (some, all) = truth.entry(cut.to_vec()).or_insert((false, true));
            *some |= accepted;
            *all &= accepted;
        });
        let mut seen = 0;
        let mut see = |at: Labelled<'_>| {
            seen += 1;
            assert_eq!((at.some(), at.all()), truth[at.cut]);
        };
        everywhere(&world, &automaton, Technique::Levels, &mut see, &budget).expect("no limit");
        assert_eq!(seen, truth.len());
        for (cut, &(some, all)) in &truth {
            assert_eq!(some_at(&world, &automaton, cut, &budget), Ok(some));
            assert_eq!(all_at(&world, &automaton, cut, &budget), Ok(all));
            assert_eq!(
                guidance::some_at(&world, &automaton, cut, &budget),
                Ok(some)
            );
            assert_eq!(guidance::all_at(&world, &other, cut, &budget), Ok(all));
        }
    }
}

#[test]
fn guidance_drops_dead_states_and_nothing_else() {
    let mut rng = Rng::with_seed(4);
    for round in 0..400 {
        let world = World::random(&mut rng, true);
        let automaton = automaton(&mut rng, round % 2 == 0);
        let dead = automaton.dead();
        let full = states(&world, &automaton, Technique::Levels.into());
        let expected: BTreeMap<_, BTreeSet<usize>> = full
            .into_iter()
            .map(|(cut, mut states)| {
                states.retain(|&state| state < dead.len() && !dead[state]);
                (cut, states)
            })
            .filter(|(_, states)| !states.is_empty())
            .collect();
        assert_eq!(
            states(&world, &automaton, Technique::Guided.into()),
            expected
        );
    }
}

#[test]
fn sleep_keeps_the_states_at_every_cut() {
    let mut rng = Rng::with_seed(5);
    for round in 0..400 {
        let world = World::random(&mut rng, true);
        let automaton = patient(&mut rng, &world);
        let guided = round % 2 == 0;
        let sleep = Mix {
            guided,
            ..Technique::Sleep.into()
        };
        let full = Mix {
            guided,
            ..Technique::Levels.into()
        };
        assert_eq!(
            states(&world, &automaton, sleep),
            states(&world, &automaton, full)
        );
    }
}

/// For every cut that a reduction reaches, the words that lead there without their repetitions.
fn words_of(
    known: &impl Arriving,
    atoms: usize,
    steps: Steps,
) -> BTreeMap<Vec<u32>, BTreeSet<Vec<usize>>> {
    let chains = known.chains();
    let letter = |cut: &[u32], by| -> Vec<bool> {
        (0..atoms).map(|atom| known.truth(atom, cut, by)).collect()
    };
    let start = vec![0; chains];
    let first = destuttered(&[letter(&start, None)]);
    let mut words = BTreeMap::from([(start.clone(), BTreeSet::from([first]))]);
    let mut level = BTreeMap::from([(start, vec![0; steps.note_words(chains)])]);
    while !level.is_empty() {
        let mut next: BTreeMap<Vec<u32>, Vec<u64>> = BTreeMap::new();
        for (cut, note) in &level {
            let before = words[cut].clone();
            let mut each = |chain: usize, note: &[u64]| -> Result<(), Spent> {
                let mut after = cut.clone();
                after[chain] += 1;
                let read = destuttered(&[letter(&after, Some(chain))]);
                let there = words.entry(after.clone()).or_default();
                for word in &before {
                    let mut word = [word.clone(), read.clone()].concat();
                    word.dedup();
                    there.insert(word);
                }
                match next.get_mut(&after) {
                    Some(old) => steps.merge(old, note),
                    None => drop(next.insert(after, note.to_vec())),
                }
                Ok(())
            };
            steps.follow(known, cut, note, &mut each).expect("no limit");
        }
        level = next;
    }
    words
}

#[test]
fn reductions_keep_the_words_without_repetitions() {
    let mut rng = Rng::with_seed(6);
    for _ in 0..150 {
        let world = World::random(&mut rng, false);
        let known = Complete::new(&world, 2);
        let full = words_of(&known, 2, Steps::All);
        assert_eq!(words_of(&known, 2, Steps::Sleep), full);
        let last = world.last_cut();
        for max_steps in [None, Some(1), Some(3)] {
            let reduced = words_of(&known, 2, Steps::TwoPhase { max_steps });
            assert_eq!(reduced[&last], full[&last]);
            assert!(reduced.len() <= full.len());
        }
        let mut filter = Filter::new(world.width());
        filter.absorb(&known);
        let filtered = words_of(&filter.over(&known), 2, Steps::All);
        let end = filtered
            .iter()
            .max_by_key(|(cut, _)| cut.iter().sum::<u32>());
        assert_eq!(end.map(|(_, words)| words), full.get(&last));
    }
}

/// How long two-phase search puts an enabled event off, at most.
fn longest_wait(known: &impl Arriving, automaton: &Automaton, max_steps: u32) -> usize {
    let steps = Steps::TwoPhase {
        max_steps: Some(max_steps),
    };
    let mix = Mix {
        steps,
        ..Technique::Levels.into()
    };
    let labels = Labels::new(automaton);
    let walk = mix.walk(known, &labels);
    let budget = Budget::endless();
    let mut frontier = Frontier::start(&walk, &budget).expect("no limit");
    // Per cut of the level and chain, how long the enabled event of the chain has waited on some way there.
    let mut waits: BTreeMap<(Vec<u32>, usize), usize> = BTreeMap::new();
    let mut longest = 0;
    while !frontier.cuts().is_empty() {
        let mut next = BTreeMap::new();
        for number in 0..frontier.cuts().len() {
            let cut = frontier.cuts().cut(number).to_vec();
            let mut followed = Vec::new();
            let mut each = |chain: usize, _: &[u64]| {
                followed.push(chain);
                Ok(())
            };
            let note = frontier.cuts().note(number);
            steps
                .follow(known, &cut, note, &mut each)
                .expect("no limit");
            for chain in (0..cut.len()).filter(|&chain| is_enabled(known, &cut, chain)) {
                if followed.contains(&chain) {
                    continue;
                }
                let wait = waits.get(&(cut.clone(), chain)).copied().unwrap_or(0) + 1;
                longest = longest.max(wait);
                let mut after = cut.clone();
                after[followed[0]] += 1;
                let old = next.entry((after, chain)).or_insert(wait);
                *old = wait.max(*old);
            }
        }
        waits = next;
        frontier.advance(&walk, &budget).expect("no limit");
    }
    longest
}

#[test]
fn nothing_is_put_off_for_long() {
    let mut rng = Rng::with_seed(7);
    let mut reached = BTreeSet::new();
    for _ in 0..400 {
        let world = World::random(&mut rng, false);
        let automaton = automaton(&mut rng, true);
        let known = Complete::new(&world, 2);
        for max_steps in 1..=2 {
            let wait = longest_wait(&known, &automaton, max_steps);
            let bound = max_steps as usize * (world.width() - 1);
            assert!(wait <= bound, "{wait} > {bound}");
            if wait == bound {
                reached.insert((max_steps, world.width()));
            }
        }
    }
    assert!(
        reached.contains(&(1, 3)) && reached.contains(&(2, 2)),
        "{reached:?}"
    );
}

#[test]
fn conjunctions_by_persistent_sets() {
    let mut rng = Rng::with_seed(8);
    let (mut explored, mut lattice) = (0, 0);
    for _ in 0..600 {
        let world = World::random(&mut rng, false);
        let literal = |atom: usize, rng: &mut Rng| match rng.bool() {
            true => Guard::Atom(atom),
            false => Guard::Not(Box::new(Guard::Atom(atom))),
        };
        let conditions = [literal(0, &mut rng), literal(1, &mut rng)];
        assert!(persistent::supports(&world, &conditions).is_ok());
        let holds = |letter: &[bool]| {
            conditions
                .iter()
                .all(|guard| guard.holds(&|atom| letter[atom]))
        };
        let mut cuts = BTreeMap::new();
        world.paths(|cut, word, _| {
            cuts.insert(
                cut.to_vec(),
                word.last().is_some_and(|letter| holds(letter)),
            );
        });
        let found = cuts.values().any(|&holds| holds);
        let search = persistent::run(&world, &conditions, true, &Budget::endless());
        let search = search.expect("no limit");
        assert_eq!(search.found, found);
        if let Ok(Some(steps)) = &search.steps {
            let (word, _) = world.word_along(steps).expect("a path");
            assert!(word.last().is_some_and(|letter| holds(letter)));
        }
        assert_eq!(matches!(search.steps, Ok(Some(_))), found);
        if !found {
            explored += search.stats["states"];
            lattice += cuts.len() as u64;
        }
    }
    assert!(explored * 3 < lattice * 2, "{explored} of {lattice}");
}

#[test]
fn conditions_on_events_are_refused() {
    let mut rng = Rng::with_seed(9);
    let mut world = World::random(&mut rng, false);
    world.atoms[1] = super::world::Atom::Marked;
    assert!(persistent::supports(&world, &[Guard::Atom(0)]).is_ok());
    assert!(persistent::supports(&world, &[Guard::Not(Box::new(Guard::Atom(1)))]).is_err());
}

#[test]
fn a_spent_budget_is_no_answer() {
    let value = |_, x| i64::from(x == 50);
    let atoms = vec![super::world::Atom::Is(0, 1), super::world::Atom::Is(1, 1)];
    let world = World::drawn(&[60; 4], &[], value, atoms);
    let mut builder = causet_solve::automaton::Builder::new(2);
    let (here, there): (State, State) = (builder.state(false), builder.state(true));
    let both = Guard::All(vec![Guard::Atom(0), Guard::Atom(1)]);
    builder.moves(here, &[(both, there)], Some(here));
    builder.moves(there, &[], Some(there));
    let automaton = builder.finish();
    let budget = Budget::endless().with_memory(100_000, 0);
    let spent = run(&world, &automaton, Technique::Levels, true, &budget);
    assert_eq!(spent.err(), Some(Spent::Memory));
    assert_eq!(budget.used(), 0);
    // With the reduction the same budget is enough, for the answer and for the way to it.
    let technique = Technique::TwoPhase { max_steps: None };
    let search = run(&world, &automaton, technique, true, &budget).expect("enough");
    assert!(search.found && matches!(search.steps, Ok(Some(_))));
    assert_eq!(budget.used(), 0);
}
