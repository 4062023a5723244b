//! Order, cuts and clocks against their definitions, on drawings and on random runs.

use std::collections::{HashMap, HashSet};

use causet_trace::random::{self, Shape};
use causet_trace::{Clocks, Cut, EventId, Order, Trace, notation};

fn drawn(drawing: &str) -> Trace {
    notation::parse(drawing).expect("a drawing")
}

/// All cuts, by the definition: every combination of counts that is closed under happened-before.
fn all_cuts(order: &Order) -> HashSet<Cut> {
    let mut combinations = vec![Vec::new()];
    for process in order.processes() {
        let extended = combinations.iter().flat_map(|prefix: &Vec<u32>| {
            (0..=order.chain(process).len() as u32).map(|count| {
                let mut longer = prefix.clone();
                longer.push(count);
                longer
            })
        });
        combinations = extended.collect();
    }
    let cuts = combinations.into_iter().map(Cut::new);
    cuts.filter(|cut| order.is_consistent(cut)).collect()
}

/// The events before each event, by closing the direct edges.
fn past(order: &Order) -> HashMap<EventId, HashSet<EventId>> {
    let mut past: HashMap<EventId, HashSet<EventId>> = HashMap::new();
    for event in order.recorded() {
        let mut mine = HashSet::new();
        for before in order.predecessors(event) {
            mine.insert(before);
            mine.extend(&past[&before]);
        }
        past.insert(event, mine);
    }
    past
}

fn each_random_run(check: impl Fn(&Trace)) {
    let seed = std::env::var("CAUSET_SEED")
        .ok()
        .and_then(|s| s.parse().ok());
    for seed in seed.map_or(0..400, |seed: u64| seed..seed + 1) {
        let mut rng = fastrand::Rng::with_seed(seed);
        let shape = Shape::small(&mut rng);
        let run = random::run(&mut rng, shape);
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check(&run)));
        if outcome.is_err() {
            panic!(
                "failed on seed {seed} (CAUSET_SEED={seed} repeats it):\n{}",
                notation::draw(&run)
            );
        }
    }
}

#[test]
fn the_thesis_grid_has_twelve_cuts_and_seventeen_steps() {
    let run = drawn("p1: . . .\np2: . .");
    let cuts = all_cuts(run.order());
    let steps: usize = cuts
        .iter()
        .map(|cut| run.order().enabled(cut).count())
        .sum();
    assert_eq!((cuts.len(), steps), (12, 17));
}

#[test]
fn a_message_orders_what_stands_before_its_send_and_after_its_receive() {
    let run = drawn(
        "a: x=1  m!  x=0
         b:      m?  y=2",
    );
    let order = run.order();
    let clocks = Clocks::new(order);
    let event = |process: &str, position| {
        let process = run.process(process).expect("known");
        order.event(process, position).expect("there")
    };
    assert!(clocks.happened_before(order, event("a", 1), event("b", 2)));
    assert!(clocks.concurrent(order, event("a", 3), event("b", 1)));
    assert_eq!(clocks.of(event("b", 2)), [2, 2]);
}

#[test]
fn clocks_agree_with_the_closure_of_the_edges() {
    each_random_run(|run| {
        let order = run.order();
        let (clocks, past) = (Clocks::new(order), past(order));
        for one in run.events() {
            for other in run.events() {
                let before = past[&other].contains(&one);
                assert_eq!(clocks.happened_before(order, one, other), before);
            }
        }
    });
}

#[test]
fn steps_from_the_initial_cut_reach_exactly_the_cuts() {
    each_random_run(|run| {
        let order = run.order();
        let mut reached = HashSet::from([order.initial_cut()]);
        let mut waiting = vec![order.initial_cut()];
        while let Some(cut) = waiting.pop() {
            for event in order.enabled(&cut).collect::<Vec<_>>() {
                let next = cut.advanced(order.process_of(event));
                assert_eq!(next.level(), cut.level() + 1);
                if reached.insert(next.clone()) {
                    waiting.push(next);
                }
            }
        }
        assert_eq!(reached, all_cuts(order));
    });
}

#[test]
fn cuts_are_a_lattice() {
    each_random_run(|run| {
        let order = run.order();
        let cuts: Vec<Cut> = all_cuts(order).into_iter().take(40).collect();
        for one in &cuts {
            for other in &cuts {
                let (join, meet) = (one.join(other), one.meet(other));
                assert!(order.is_consistent(&join) && order.is_consistent(&meet));
                assert!(one.is_within(&join) && meet.is_within(other));
                assert_eq!(one.join(&meet), *one);
                assert_eq!(one.meet(&join), *one);
            }
        }
    });
}

#[test]
fn the_closure_is_the_least_cut_with_an_event() {
    each_random_run(|run| {
        let order = run.order();
        let past = past(order);
        for event in run.events() {
            let cut = order.closure([event]);
            let inside: HashSet<EventId> = order.events_of(&cut).collect();
            let mut expected = past[&event].clone();
            expected.insert(event);
            assert_eq!(inside, expected);
        }
    });
}

#[test]
fn the_width_is_the_largest_antichain() {
    each_random_run(|run| {
        let order = run.order();
        let clocks = Clocks::new(order);
        let events: Vec<EventId> = run.events().collect();
        let largest = (0u32..1 << events.len())
            .filter(|chosen| {
                let antichain: Vec<EventId> = (0..events.len())
                    .filter(|at| chosen >> at & 1 == 1)
                    .map(|at| events[at])
                    .collect();
                antichain.iter().all(|&a| {
                    antichain
                        .iter()
                        .all(|&b| a == b || clocks.concurrent(order, a, b))
                })
            })
            .map(u32::count_ones)
            .max();
        assert_eq!(order.width(&|| true), largest.map(|size| size as usize));
    });
}

#[test]
fn a_drawing_of_a_run_gives_the_run_again() {
    each_random_run(|run| {
        let drawing = notation::draw(run);
        let again = drawn(&drawing);
        assert_eq!(notation::draw(&again), drawing);
        assert_eq!(
            Clocks::new(again.order()).of_all(&again),
            Clocks::new(run.order()).of_all(run)
        );
    });
}

trait AllClocks {
    fn of_all(&self, run: &Trace) -> Vec<(String, u32, Vec<u32>)>;
}

impl AllClocks for Clocks {
    fn of_all(&self, run: &Trace) -> Vec<(String, u32, Vec<u32>)> {
        let order = run.order();
        let row = |event: EventId| {
            let process = run.process_name(order.process_of(event)).to_owned();
            (process, order.position_of(event), self.of(event).to_vec())
        };
        let mut rows: Vec<_> = run.events().map(row).collect();
        rows.sort();
        rows
    }
}

#[test]
fn the_recorded_order_goes_by_columns_and_never_before_a_cause() {
    let run = drawn(
        "a:      m!
         b: m?        x=1",
    );
    let order = run.order();
    let names: Vec<(usize, u32)> = order
        .recorded()
        .map(|e| (order.process_of(e).index(), order.position_of(e)))
        .collect();
    assert_eq!(names, [(0, 1), (1, 1), (1, 2)]);
}
