//! Searches that go on while events arrive, in random order among the processes.

use causet_base::Diagnostic;
use causet_base::budget::{Budget, Spent};
use causet_solve::automaton::{Automaton, Builder, Guard};
use fastrand::Rng;

use crate::clock::Clock;

use super::world::{Atom, Local, Meaning, World, automaton, patient};
use crate::engine::guided::online::Online;
use crate::engine::guided::verdict::{Question, SoFar};
use crate::engine::guided::window::{self, Bits, Facts, Refusal};
use crate::engine::guided::{Mix, Steps, Technique};

/// The processes in the order in which their next events arrive.
fn arrivals(rng: &mut Rng, world: &World) -> Vec<usize> {
    let mut order: Vec<usize> = (0..world.width())
        .flat_map(|process| vec![process; world.points[process].len() - 1])
        .collect();
    rng.shuffle(&mut order);
    order
}

fn online(
    world: &World,
    automaton: &Automaton,
    question: Question,
    mix: Mix,
) -> Result<Online<Meaning>, Diagnostic> {
    let start = world.points.iter().map(|points| points[0].1);
    Online::new(
        automaton,
        question,
        mix,
        Meaning(world.atoms.clone()),
        start,
    )
}

fn push(online: &mut Online<Meaning>, world: &World, arrived: &mut [u32], process: usize) {
    arrived[process] += 1;
    let (clock, local) = &world.points[process][arrived[process] as usize];
    assert_eq!(
        online.push(process, &Clock::from(&clock[..]), *local),
        Ok(())
    );
}

/// The largest consistent cut within a number of events of each process.
fn consistent(world: &World, arrived: &[u32]) -> Vec<u32> {
    let mut cut = arrived.to_vec();
    loop {
        let fits = |process: usize| {
            let needs = &world.points[process][cut[process] as usize].0;
            needs.iter().zip(&cut).all(|(needs, x)| needs <= x)
        };
        match (0..cut.len()).find(|&process| !fits(process)) {
            Some(process) => cut[process] -= 1,
            None => return cut,
        }
    }
}

fn truth(world: &World, automaton: &Automaton, question: Question) -> bool {
    let words = world.words();
    let mut verdicts = words.iter().map(|word| automaton.accepts(word));
    match question {
        Question::Possibly => verdicts.any(|accepted| accepted),
        Question::Definitely => verdicts.all(|accepted| accepted),
    }
}

/// Techniques for a question; those that reduce are for patient automata.
fn mixes(question: Question, reduces: bool) -> Vec<Mix> {
    let mut steps = vec![Steps::All];
    if reduces {
        let max_steps = Some(2);
        steps.extend([Steps::Sleep, Steps::TwoPhase { max_steps }]);
    }
    let mut mixes = Vec::new();
    for steps in steps {
        for filtered in [false, true] {
            for guided in [false, true] {
                mixes.push(Mix {
                    steps,
                    guided,
                    filtered,
                });
            }
        }
    }
    mixes.retain(|mix| reduces || !mix.filtered);
    mixes.retain(|mix| question == Question::Possibly || !mix.guided);
    mixes
}

/// Follows a run to its end: a verdict never changes, and the last one is right. Says how many events were missing when
/// it was given.
fn follow(
    rng: &mut Rng,
    world: &World,
    automaton: &Automaton,
    question: Question,
    mix: Mix,
) -> usize {
    let budget = Budget::endless();
    let expected = SoFar::from(truth(world, automaton, question));
    let mut online = online(world, automaton, question, mix).expect("supported");
    let order = arrivals(rng, world);
    let mut arrived = vec![0; world.width()];
    let mut missing = 0;
    for (number, &process) in order.iter().enumerate() {
        push(&mut online, world, &mut arrived, process);
        if arrived[process] as usize == world.points[process].len() - 1 && rng.bool() {
            online.end(process).expect("a process");
        }
        if online.advance(&budget).expect("no limit").is_decided() {
            assert_eq!(
                online.verdict(),
                expected,
                "{mix:?} {question:?}\n{world:?}\n{automaton:?}"
            );
            missing = missing.max(order.len() - 1 - number);
        }
    }
    (0..world.width()).for_each(|process| online.end(process).expect("a process"));
    assert_eq!(
        online.advance(&budget),
        Ok(expected),
        "{mix:?} {question:?}\n{world:?}"
    );
    assert_eq!(online.kept(), 0);
    missing
}

#[test]
fn verdicts_are_right_and_stay() {
    let mut rng = Rng::with_seed(11);
    let mut early = 0;
    for round in 0..300 {
        let world = World::random(&mut rng, true);
        let reduces = round % 2 == 0;
        let automaton = match reduces {
            true => patient(&mut rng, &world),
            false => automaton(&mut rng, true),
        };
        for question in [Question::Possibly, Question::Definitely] {
            for mix in mixes(question, reduces) {
                early += usize::from(follow(&mut rng, &world, &automaton, question, mix) > 1);
            }
        }
    }
    assert!(early > 200, "{early}");
}

#[test]
fn a_verdict_holds_for_whatever_follows() {
    let mut rng = Rng::with_seed(12);
    let budget = Budget::endless();
    for _ in 0..300 {
        let world = World::random(&mut rng, true);
        let automaton = patient(&mut rng, &world);
        let question = [Question::Possibly, Question::Definitely][rng.usize(0..2)];
        let mixes = mixes(question, true);
        let mix = mixes[rng.usize(0..mixes.len())];
        let mut online = online(&world, &automaton, question, mix).expect("supported");
        let mut arrived = vec![0; world.width()];
        for process in arrivals(&mut rng, &world) {
            push(&mut online, &world, &mut arrived, process);
            let verdict = online.advance(&budget).expect("no limit");
            if !verdict.is_decided() {
                continue;
            }
            // Another run with the same beginning: other values later, or no more events.
            for _ in 0..4 {
                let other = continued(&mut rng, &world, &consistent(&world, &arrived));
                assert_eq!(SoFar::from(truth(&other, &automaton, question)), verdict);
            }
            break;
        }
    }
}

/// A run that goes on differently after a cut.
fn continued(rng: &mut Rng, world: &World, cut: &[u32]) -> World {
    let mut other = world.up_to(cut);
    for _ in 0..rng.usize(0..4) {
        let process = rng.usize(0..world.width());
        let (mut clock, _) = other.points[process][other.points[process].len() - 1].clone();
        clock[process] += 1;
        if rng.bool() {
            let from = rng.usize(0..world.width());
            let (sent, _) = other.points[from][other.points[from].len() - 1].clone();
            clock
                .iter_mut()
                .zip(sent)
                .for_each(|(mine, theirs)| *mine = theirs.max(*mine));
        }
        let (value, mark) = (rng.i64(0..3), rng.bool());
        other.points[process].push((clock, Local { value, mark }));
    }
    other
}

#[test]
fn a_drained_search_knows_the_beginning() {
    let mut rng = Rng::with_seed(13);
    let budget = Budget::endless();
    for _ in 0..300 {
        let world = World::random(&mut rng, true);
        let automaton = patient(&mut rng, &world);
        let order = arrivals(&mut rng, &world);
        let stop = rng.usize(0..=order.len());
        for question in [Question::Possibly, Question::Definitely] {
            for mix in mixes(question, true) {
                let mut online = online(&world, &automaton, question, mix).expect("supported");
                let mut arrived = vec![0; world.width()];
                for &process in &order[..stop] {
                    push(&mut online, &world, &mut arrived, process);
                    if rng.bool() {
                        online.advance(&budget).expect("no limit");
                    }
                }
                let prefix = world.up_to(&consistent(&world, &arrived));
                let expected = truth(&prefix, &automaton, question);
                assert_eq!(
                    online.drain(&budget),
                    Ok(expected),
                    "{mix:?} {question:?}\n{world:?}"
                );
            }
        }
    }
}

/// Eventually both facts of two processes hold at once.
fn both() -> Automaton {
    let mut builder = Builder::new(1);
    let (here, there) = (builder.state(false), builder.state(true));
    builder.moves(here, &[(Guard::Atom(0), there)], Some(here));
    builder.moves(there, &[], Some(there));
    builder.finish()
}

fn facts() -> Facts {
    let both = Guard::All(vec![Guard::Atom(0), Guard::Atom(64)]);
    Facts::new(vec![window::Atom::State(both)])
}

#[test]
fn memory_follows_how_far_processes_are_apart() {
    let automaton = both();
    for technique in [
        Technique::Guided,
        Technique::TwoPhase { max_steps: Some(3) },
        Technique::Filtered,
    ] {
        let budget = Budget::endless().with_memory(40_000, 0);
        let start = [Bits::default(); 2];
        let mut online = Online::new(&automaton, Question::Possibly, technique, facts(), start)
            .expect("supported");
        // Each round is answered before the next one, and the facts never meet.
        for round in 1..=2000_u32 {
            let facts = u64::from(round % 2);
            let bits = Bits { facts, marks: 0 };
            online
                .push(0, &Clock::from([2 * round - 1, round - 1]), Bits::default())
                .expect("in order");
            online
                .push(1, &Clock::from([2 * round - 1, round]), bits)
                .expect("in order");
            online
                .push(0, &Clock::from([2 * round, round]), Bits::default())
                .expect("in order");
            assert_eq!(online.advance(&budget), Ok(SoFar::Unknown));
            assert!(online.kept() < 8, "{}", online.kept());
        }
        online
            .push(0, &Clock::from([4001, 2000]), Bits { facts: 1, marks: 0 })
            .expect("in order");
        online
            .push(1, &Clock::from([4001, 2001]), Bits { facts: 1, marks: 0 })
            .expect("in order");
        online.end(0).expect("a process");
        online.end(1).expect("a process");
        assert_eq!(online.advance(&budget), Ok(SoFar::True));
        assert!(budget.used() < 1000, "{}", budget.used());
    }
}

#[test]
fn a_level_decides_as_soon_as_it_can() {
    let eventually = both();
    let never = eventually.complement().expect("deterministic");
    let alone = Guard::All(vec![Guard::Atom(0), Guard::Not(Box::new(Guard::Atom(64)))]);
    let questions = [
        (Question::Possibly, &eventually),
        (Question::Definitely, &eventually),
        (Question::Possibly, &never),
        (Question::Definitely, &never),
    ];
    let cases = [
        // Where the first process is first, and not where the second is.
        (
            alone,
            [SoFar::True, SoFar::Unknown, SoFar::Unknown, SoFar::False],
        ),
        (
            Guard::Const(true),
            [SoFar::True, SoFar::True, SoFar::False, SoFar::False],
        ),
    ];
    for (guard, expected) in cases {
        for ((question, automaton), expected) in questions.into_iter().zip(expected) {
            let facts = Facts::new(vec![window::Atom::State(guard.clone())]);
            let start = [Bits::default(); 2];
            let mut online = Online::new(automaton, question, Technique::Levels, facts, start)
                .expect("supported");
            let bits = Bits { facts: 1, marks: 0 };
            online
                .push(0, &Clock::from([1, 0]), bits)
                .expect("in order");
            online
                .push(1, &Clock::from([0, 1]), bits)
                .expect("in order");
            assert_eq!(online.advance(&Budget::endless()), Ok(expected));
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let automaton = both();
    let start = [Bits::default(); 2];
    let technique = Technique::Guided;
    assert!(Online::new(&automaton, Question::Definitely, technique, facts(), start).is_err());
    let mut online =
        Online::new(&automaton, Question::Possibly, technique, facts(), start).expect("supported");
    let bits = Bits::default();
    assert_eq!(
        online.push(2, &Clock::from([1, 0]), bits),
        Err(Refusal::UnknownChain)
    );
    assert_eq!(
        online.push(0, &Clock::from([2, 0]), bits),
        Err(Refusal::OutOfOrder)
    );
    assert_eq!(online.push(0, &Clock::from([1, 3]), bits), Ok(()));
    assert_eq!(
        online.push(0, &Clock::from([2, 2]), bits),
        Err(Refusal::OutOfOrder)
    );
    assert_eq!(online.end(0), Ok(()));
    assert_eq!(
        online.push(0, &Clock::from([2, 3]), bits),
        Err(Refusal::Ended)
    );
    assert_eq!(online.end(7), Err(Refusal::UnknownChain));
}

#[test]
fn marks_of_events_are_atoms() {
    let automaton = both();
    let facts = Facts::new(vec![window::Atom::Event(5)]);
    let start = [Bits::default()];
    let mut online = Online::new(
        &automaton,
        Question::Possibly,
        Technique::Filtered,
        facts,
        start,
    )
    .expect("supported");
    let budget = Budget::endless();
    online
        .push(0, &Clock::from([1]), Bits { facts: 9, marks: 1 })
        .expect("in order");
    assert_eq!(online.advance(&budget), Ok(SoFar::Unknown));
    online
        .push(
            0,
            &Clock::from([2]),
            Bits {
                facts: 0,
                marks: 1 << 5,
            },
        )
        .expect("in order");
    assert_eq!(online.advance(&budget), Ok(SoFar::True));
}

#[test]
fn a_spent_budget_can_be_followed_by_another() {
    let value = |_, x| i64::from(x == 9);
    let atoms = vec![Atom::Is(0, 1), Atom::Is(1, 1)];
    let world = World::drawn(&[9; 4], &[], value, atoms);
    let mut rng = Rng::with_seed(14);
    let automaton = loop {
        let automaton = automaton(&mut rng, true);
        let search = crate::engine::guided::run(
            &world,
            &automaton,
            Technique::Levels,
            false,
            &Budget::endless(),
        );
        if search.expect("no limit").stats["levels"] > 30 {
            break automaton;
        }
    };
    let mut online = online(
        &world,
        &automaton,
        Question::Possibly,
        Technique::Levels.into(),
    )
    .expect("supported");
    let mut arrived = vec![0; 4];
    for process in arrivals(&mut rng, &world) {
        push(&mut online, &world, &mut arrived, process);
    }
    (0..4).for_each(|process| online.end(process).expect("a process"));
    let small = Budget::endless().with_memory(20_000, 0);
    assert_eq!(online.advance(&small), Err(Spent::Memory));
    assert_eq!(online.verdict(), SoFar::Unknown);
    let found = crate::engine::guided::run(
        &world,
        &automaton,
        Technique::Guided,
        false,
        &Budget::endless(),
    );
    let expected = SoFar::from(found.expect("no limit").found);
    assert_eq!(online.advance(&Budget::endless()), Ok(expected));
}
