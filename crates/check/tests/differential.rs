//! Random runs, random formulas: every engine against the enumeration of all orders, verdicts and witnesses.
//!
//! `CAUSET_SEED=n` repeats one seed, `CAUSET_ROUNDS=n` runs more of them.

mod common;

use causet_check::decide::Failure;
use causet_check::engine::slice;
use causet_check::linear::compile::Sizes;
use causet_check::outcome::{Outcome, Verdict, Witness};
use causet_check::plan::Choice;
use causet_check::prepare::prepare;
use causet_check::subject::Subject;
use causet_formula::{Kind, Lets, Property};
use causet_trace::random::{self, Shape};
use causet_trace::{EventId, Trace, notation};
use common::floors::Acceptances;
use common::team::By;
use common::{Maker, Oracle, PathKind, Set, Tree};

/// Slices and searches are made for some shapes; automata read single runs, and not every formula speaks of those.
fn may_refuse(engine: Choice, kind: Kind) -> bool {
    let Choice::Forced(engine) = engine else {
        return false;
    };
    match engine.name {
        "slice" | "persistent" => true,
        _ => engine.reads_words() && kind == Kind::Ctl,
    }
}

/// What an engine makes of a property; nothing when it refuses.
fn check(trace: &Trace, kind: Kind, text: &str, by: By) -> Option<Outcome> {
    let subject = Subject::of(trace);
    let property = Property::parse(kind, "p", text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
    let question =
        prepare(&subject, &property, &Lets::none()).unwrap_or_else(|e| panic!("{text}: {e:?}"));
    match by.decide(&subject, &question, Sizes::default()) {
        Ok(outcome) => Some(outcome),
        Err(Failure::Refused(_)) if may_refuse(by.choice(), kind) => None,
        Err(failure) => panic!("{text}: {failure}"),
    }
}

/// The sets of events along an order; fails when the order is not possible.
fn sets_along(oracle: &Oracle<'_>, from: Set, run: &[EventId]) -> Vec<Set> {
    let mut sets = vec![from];
    for &event in run {
        let last = &sets[sets.len() - 1];
        assert!(
            oracle.possible(last).contains(&event),
            "{event:?} cannot happen after {last:?}"
        );
        let next = oracle.after(last, event);
        sets.push(next);
    }
    sets
}

/// Checks a witness against what the formula's outermost operator says it must show.
fn check_witness(oracle: &Oracle<'_>, tree: &Tree, holds: bool, witness: Option<&Witness>, by: By) {
    let (for_all, kind) = match tree {
        Tree::Not(part) => return check_witness(oracle, part, !holds, witness, by),
        Tree::Path(_, for_all, kind) => (*for_all, kind),
        _ => return,
    };
    // A run can show that `E...` holds or that `A...` fails, nothing else.
    if for_all == holds {
        return;
    }
    let witness = witness.expect("a single run shows this verdict");
    let sets = sets_along(oracle, Vec::new(), &witness.run);
    let last = &sets[sets.len() - 1];
    let complete = last.len() == oracle.trace.len();
    let at_end = |f: &Tree| oracle.holds(f, last);
    let decided = match kind {
        PathKind::Next(f) => sets.len() == 2 && at_end(f) == holds,
        PathKind::Finally(f) if holds => at_end(f),
        PathKind::Finally(f) => complete && !sets.iter().any(|set| oracle.holds(f, set)),
        PathKind::Globally(f) if holds => complete && sets.iter().all(|set| oracle.holds(f, set)),
        PathKind::Globally(f) => !at_end(f),
        PathKind::Until(..) | PathKind::Weak(..) | PathKind::Release(..) => {
            // Whatever follows, the prefix decides.
            all_completions(oracle, &sets)
                .iter()
                .all(|run| oracle.along(kind, run, for_all) == holds)
        }
    };
    assert!(decided, "the witness {witness:?} does not show it");
    if let Some(cut) = &witness.cut {
        assert_eq!(oracle.trace.order().events_of(cut).count(), last.len());
    }
    let order: Vec<EventId> = oracle.trace.order().recorded().collect();
    let recorded = sets_along(oracle, Vec::new(), &order);
    let shown = oracle.shown(tree, holds, &recorded, 0);
    let about_states = match kind {
        PathKind::Finally(f) | PathKind::Globally(f) => matches!(**f, Tree::Atom(_)),
        _ => false,
    };
    if shown && about_states && by.choice() == Choice::Auto {
        assert!(
            order.starts_with(&witness.run),
            "the recorded order shows it"
        );
    }
    if witness.cut.is_none() && shown && about_states && !finds_its_own(by) {
        assert_eq!(witness.run, order, "the recorded order would have done");
    }
    assert_eq!(
        witness.observed,
        Some(shown),
        "whether the recorded order shows it"
    );
    sets_along(oracle, last.clone(), &witness.then);
}

/// Slices find an order of their own, and so do those that read runs and those who know only what they were shown.
fn finds_its_own(by: By) -> bool {
    match by {
        By::Engine(Choice::Auto) => false,
        By::Engine(Choice::Forced(engine)) => engine == &slice::ENGINE || engine.reads_words(),
        By::Workers(..) => true,
    }
}

fn all_completions(oracle: &Oracle<'_>, prefix: &[Set]) -> Vec<Vec<Set>> {
    let last = &prefix[prefix.len() - 1];
    let possible = oracle.possible(last);
    if possible.is_empty() {
        return vec![prefix.to_vec()];
    }
    let longer = possible.into_iter().flat_map(|event| {
        let mut longer = prefix.to_vec();
        longer.push(oracle.after(last, event));
        all_completions(oracle, &longer)
    });
    longer.collect()
}

fn one_round(seed: u64, deciders: &[By], taken: &Acceptances) -> usize {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut shape = Shape::small(&mut rng);
    shape.events = shape.events.min(6);
    let trace = random::run(&mut rng, shape);
    let oracle = Oracle::new(&trace);
    let mut maker = Maker::new(&mut rng, &trace);
    let mut checked = 0;
    for _ in 0..6 {
        let (kind, text, tree) = match maker.rng.usize(0..5) {
            0 => modal(&mut maker, Kind::Possibly),
            1 => modal(&mut maker, Kind::Definitely),
            _ => {
                let (text, tree) = maker.formula(3);
                (Kind::Ctl, text, tree)
            }
        };
        let want = oracle.holds(&tree, &Vec::new());
        for &by in deciders {
            let context = || {
                format!(
                    "seed {seed}, {by:?}, {kind} {text}\n{}",
                    notation::draw(&trace)
                )
            };
            let outcome = check(&trace, kind, &text, by);
            taken.note(by.choice(), outcome.is_some());
            let Some(outcome) = outcome else {
                continue;
            };
            let got = outcome.verdict;
            let expected = if want {
                Verdict::Holds
            } else {
                Verdict::Violated
            };
            assert_eq!(got, expected, "{}", context());
            let judged = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                check_witness(&oracle, &tree, want, outcome.witness.as_ref(), by);
            }));
            assert!(judged.is_ok(), "{}", context());
            checked += 1;
        }
    }
    checked
}

fn modal(maker: &mut Maker<'_>, kind: Kind) -> (Kind, String, Tree) {
    let (text, tree) = maker.predicate(2);
    let path = PathKind::Finally(std::rc::Rc::new(tree));
    (
        kind,
        text,
        Tree::Path(maker.number(), kind == Kind::Definitely, path),
    )
}

/// Of a hundred questions an engine takes at least so many.
const FLOORS: [(&str, usize); 14] = [
    ("auto", 100),
    ("explicit", 100),
    ("bes", 100),
    ("rows", 100),
    ("ist", 100),
    ("ist-paper", 100),
    ("slice", 55),
    ("monitor", 55),
    ("masks", 55),
    ("levels", 55),
    ("guided", 55),
    ("two-phase", 55),
    ("sleep", 55),
    ("persistent", 30),
];

#[test]
fn engines_agree_with_the_enumeration_of_all_orders() {
    let engines: Vec<By> = Choice::all().map(By::Engine).collect();
    let taken = Acceptances::default();
    rounds(2500, &|seed| one_round(seed, &engines, &taken));
    taken.hold(&FLOORS);
}

#[test]
fn workers_agree_with_the_enumeration_of_all_orders() {
    let taken = Acceptances::default();
    let one = |seed| one_round(seed, &[By::some_workers(seed)], &taken);
    rounds(800, &one);
}

/// Goes through the seeds asked for, and says how many verdicts were compared.
fn rounds(usual: u64, one: &dyn Fn(u64) -> usize) {
    let rounds = common::number_from_environment("CAUSET_ROUNDS").unwrap_or(usual);
    let seeds = match common::number_from_environment("CAUSET_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..rounds,
    };
    let checked: usize = seeds.map(one).sum();
    println!("{checked} verdicts compared");
    assert!(checked > 0);
}
