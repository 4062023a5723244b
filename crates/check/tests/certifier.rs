//! The certifier must say no as well as yes: trails are spoilt at random, and an oracle says what each still shows.
//!
//! It must also keep up with long runs, and what it leaves out there must not matter.

mod common;

use std::sync::Arc;

use causet_base::budget::{Budget, Spent};
use causet_check::certify::{self, Opinion};
use causet_check::engine::{Trail, explicit};
use causet_check::prepare::prepare;
use causet_check::subject::Subject;
use causet_formula::core::Ctl;
use causet_formula::{Kind, Lets, Property, Runs};
use causet_trace::random::{self, Shape};
use causet_trace::{
    BuildOptions, EventId, MessageId, NewEvent, ProcessId, StoredValue, Trace, TraceBuilder, VarId,
    Write, notation,
};
use common::asked::Taste;
use common::words::Words;
use common::{Maker, Oracle, Set, Tree};

/// Whether an order can happen, and the sets of events along it.
fn sets_along(oracle: &Oracle<'_>, run: &[EventId]) -> Option<Vec<Set>> {
    let mut sets: Vec<Set> = vec![Vec::new()];
    for &event in run {
        let last = &sets[sets.len() - 1];
        if !oracle.possible(last).contains(&event) {
            return None;
        }
        let next = oracle.after(last, event);
        sets.push(next);
    }
    Some(sets)
}

/// Possibly: the run leads to the predicate. Definitely, refuted: a complete run never meets it.
fn really_shows(oracle: &Oracle<'_>, tree: &Tree, holds: bool, run: &[EventId]) -> bool {
    let Some(sets) = sets_along(oracle, run) else {
        return false;
    };
    if holds {
        oracle.holds(tree, &sets[sets.len() - 1])
    } else {
        run.len() == oracle.trace.len() && !sets.iter().any(|set| oracle.holds(tree, set))
    }
}

fn spoil(rng: &mut fastrand::Rng, trace: &Trace, run: &[EventId]) -> Vec<EventId> {
    let mut run = run.to_vec();
    let events: Vec<EventId> = trace.events().collect();
    let at = rng.usize(0..=run.len());
    match rng.usize(0..5) {
        0 if run.len() >= 2 => {
            let at = rng.usize(0..run.len() - 1);
            run.swap(at, at + 1);
        }
        1 if at < run.len() => {
            run.remove(at);
        }
        2 => run.insert(at, events[rng.usize(0..events.len())]),
        3 => run.truncate(at),
        _ => rng.shuffle(&mut run),
    }
    run
}

#[test]
fn spoilt_trails_are_believed_only_when_they_still_show_it() {
    let (mut refused, mut believed) = (0, 0);
    for seed in 0..3000 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let shape = Shape {
            events: rng.usize(1..7),
            ..Shape::small(&mut rng)
        };
        let trace = random::run(&mut rng, shape);
        let kind = [Kind::Possibly, Kind::Definitely][rng.usize(0..2)];
        let (text, tree) = Maker::new(&mut rng, &trace).predicate(2);
        let property = Property::parse(kind, "p", &text).expect("well-formed");
        let subject = Subject::of(&trace);
        let question = prepare(&subject, &property, &Lets::none()).expect("meaningful");
        let goal = &question.lowered.body;
        let answers = explicit::run(&subject, &[goal], None, &Budget::endless()).expect("no limit");
        let answer = &answers.answers[0];
        let Some(trail) = answer.trail.as_ref().filter(|_| goal.as_const().is_none()) else {
            continue;
        };
        let oracle = Oracle::new(&trace);
        let run = spoil(&mut rng, &trace, &trail.run);
        let spoilt = Trail {
            run: run.clone(),
            ..Trail::default()
        };
        let opinion = certify::examine(&trace, goal, answer.holds, &spoilt, &Budget::endless());
        let expected = really_shows(&oracle, &tree, answer.holds, &run);
        assert_eq!(
            opinion.map(|opinion| opinion.proven),
            Ok(expected),
            "seed {seed}: {kind} {text}, {run:?}\n{}",
            notation::draw(&trace)
        );
        if expected {
            believed += 1;
        } else {
            refused += 1;
        }
    }
    println!("{believed} believed, {refused} refused");
    assert!(
        believed > 100 && refused > 300,
        "{believed} believed, {refused} refused"
    );
}

/// One of the orders, or one spoilt.
fn some_order(rng: &mut fastrand::Rng, words: &Words<'_>) -> Vec<EventId> {
    let order = &words.orders[rng.usize(0..words.orders.len())];
    match rng.f64() < 0.6 || words.oracle.trace.is_empty() {
        true => order.clone(),
        false => spoil(rng, words.oracle.trace, order),
    }
}

/// A goal about runs, of those that end at a cut if one is given.
fn ending_at(goal: &Ctl, end: &Option<Vec<u32>>) -> Ctl {
    match goal {
        Ctl::Not(part) => Ctl::Not(Arc::new(ending_at(part, end))),
        Ctl::Run(runs) => Ctl::Run(Arc::new(Runs {
            end: end.clone(),
            ..Runs::clone(runs)
        })),
        other => panic!("{other:?} is not about runs"),
    }
}

#[test]
fn a_run_is_believed_exactly_when_it_is_a_word_of_the_language() {
    let (mut refused, mut believed) = (0, 0);
    for seed in 0..4000 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let shape = Shape {
            events: rng.usize(0..7),
            ..Shape::small(&mut rng)
        };
        let trace = random::run(&mut rng, shape);
        let taste = Taste::any(&mut rng);
        let asked = Maker::new(&mut rng, &trace).asked(taste);
        let length = rng.usize(0..=trace.len());
        let mut cut = trace.order().closure(beginning(&mut rng, &trace, length));
        let end = rng.bool().then(|| cut.counts().to_vec());
        if end.is_none() {
            cut = trace.order().final_cut();
        }
        let words = Words::upto(&trace, &trace.order().events_of(&cut).collect());
        let run = some_order(&mut rng, &words);
        let claim = ending_at(&goal(&trace, asked.kind, &asked.text), &end);
        let shows = |order: &[EventId]| words.belongs(&asked.language, order) == asked.looks_for();
        let within = |event: &EventId| words.orders[0].contains(event);
        let recorded: Vec<EventId> = trace.order().recorded().filter(within).collect();
        let expected = Opinion {
            proven: words.orders.contains(&run) && shows(&run),
            observed: Some(shows(&recorded)),
        };
        let truth = asked.holds_if_found(true);
        let opinion =
            std::panic::catch_unwind(|| examine_twice(&trace, &claim, truth, &trail(&run)));
        let context = || {
            let (kind, text) = (asked.kind, &asked.text);
            let drawn = notation::draw(&trace);
            format!("seed {seed}: {kind} {text}, {run:?} up to {end:?}\n{drawn}")
        };
        assert_eq!(opinion.ok(), Some(expected), "{}", context());
        let going_on = Trail {
            then: Some(Box::default()),
            ..trail(&run)
        };
        let opinion = examine(&trace, &claim, truth, &going_on);
        let proven = opinion.map(|opinion| opinion.proven);
        assert_eq!(proven, Ok(false), "nothing follows: {}", context());
        // That no run is of this kind is nothing that a run can show.
        if !run.is_empty() {
            let opposite = examine(&trace, &claim, !truth, &trail(&run)).map(|one| one.proven);
            assert_eq!(opposite, Ok(false), "{}", context());
        }
        *(if expected.proven {
            &mut believed
        } else {
            &mut refused
        }) += 1;
    }
    println!("{believed} believed, {refused} refused");
    assert!(
        believed > 500 && refused > 1000,
        "{believed} believed, {refused} refused"
    );
}

/// The formula of a property about a run.
fn goal(trace: &Trace, kind: Kind, text: &str) -> Ctl {
    let property = Property::parse(kind, "p", text).expect("well-formed");
    let question = prepare(&Subject::of(trace), &property, &Lets::none());
    question.expect("meaningful").lowered.body
}

fn trail(run: &[EventId]) -> Trail {
    Trail {
        run: run.to_vec(),
        ..Trail::default()
    }
}

fn examine(trace: &Trace, goal: &Ctl, truth: bool, trail: &Trail) -> Result<Opinion, Spent> {
    certify::examine(trace, goal, truth, trail, &Budget::endless())
}

/// The opinion with and without leaving events out, which must be the same.
fn examine_twice(trace: &Trace, goal: &Ctl, truth: bool, trail: &Trail) -> Opinion {
    let budget = Budget::endless();
    let filtered = examine(trace, goal, truth, trail).expect("few states");
    let all = certify::examine_every_event(trace, goal, truth, trail, &budget);
    assert_eq!(Ok(filtered), all, "with some events left out, and with all");
    assert_eq!(budget.used(), 0, "memory is given back");
    filtered
}

/// The first events of some order of a run, not only of the recorded one.
fn beginning(rng: &mut fastrand::Rng, trace: &Trace, length: usize) -> Vec<EventId> {
    let order = trace.order();
    let mut cut = order.initial_cut();
    let mut run = Vec::new();
    while run.len() < length {
        let possible: Vec<EventId> = order.enabled(&cut).collect();
        let Some(&event) = possible.get(rng.usize(0..possible.len().max(1))) else {
            break;
        };
        run.push(event);
        cut = cut.advanced(order.process_of(event));
    }
    run
}

#[test]
fn brute_force_agrees_with_the_enumeration_of_all_orders_at_any_cut() {
    let (mut held, mut failed) = (0, 0);
    for seed in 0..3000 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let shape = Shape {
            events: rng.usize(1..7),
            ..Shape::small(&mut rng)
        };
        let trace = random::run(&mut rng, shape);
        let length = rng.usize(0..=trace.len());
        let run = beginning(&mut rng, &trace, length);
        let (text, tree) = Maker::new(&mut rng, &trace).temporal(2);
        let claim = goal(&trace, Kind::Ctl, &text);
        if claim.as_const().is_some() {
            continue;
        }
        let mut set: Set = run.clone();
        set.sort_unstable();
        let expected = Oracle::new(&trace).holds(&tree, &set);
        let reached = Ctl::ef(claim);
        let opinion =
            std::panic::catch_unwind(|| examine_twice(&trace, &reached, true, &trail(&run)).proven);
        let context = || format!("seed {seed}: {text}, {run:?}\n{}", notation::draw(&trace));
        assert_eq!(opinion.ok(), Some(expected), "{}", context());
        *(if expected { &mut held } else { &mut failed }) += 1;
    }
    assert!(held > 500 && failed > 500, "{held} held, {failed} failed");
}

#[test]
fn leaving_out_what_a_claim_cannot_see_changes_nothing() {
    for seed in 0..1500 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let shape = Shape {
            processes: rng.usize(1..=12),
            events: rng.usize(1..=12),
            messages: rng.f64(),
            writes: rng.f64(),
            shared: rng.bool(),
        };
        let trace = random::run(&mut rng, shape);
        let length = rng.usize(0..=trace.len());
        let run = beginning(&mut rng, &trace, length);
        let (text, _) = Maker::new(&mut rng, &trace).formula(3);
        let claim = goal(&trace, Kind::Ctl, &text);
        let subject = Subject::of(&trace);
        let answers = explicit::run(&subject, &[&claim], None, &Budget::endless());
        let answer = answers.expect("no limit").answers.remove(0);
        let judged = std::panic::catch_unwind(|| {
            let there = Ctl::ef(claim.clone());
            examine_twice(&trace, &there, true, &trail(&run));
            let here = examine_twice(&trace, &there, true, &Trail::default());
            assert!(there.as_const().is_some() || here.proven == answer.holds);
            if let Some(trail) = answer.trail.as_ref() {
                assert!(examine_twice(&trace, &claim, answer.holds, trail).proven);
            }
        });
        let context = || format!("seed {seed}: {text}, {run:?}\n{}", notation::draw(&trace));
        assert!(judged.is_ok(), "{}", context());
    }
}

#[test]
fn a_message_without_address_is_for_those_who_receive_it() {
    let trace = notation::parse(
        "a: m! x=1
         b:    m?
         c:    m? m?",
    )
    .expect("well-formed");
    for (channel, length, count) in [
        ("b", 1, 1),
        ("b", 3, 0),
        ("c", 3, 1),
        ("c", 5, 0),
        ("a", 5, 0),
    ] {
        let text = format!("EF (inflight(a -> {channel}) = {count})");
        let claim = goal(&trace, Kind::Ctl, &text);
        let run: Vec<EventId> = trace.order().recorded().take(length).collect();
        let opinion = examine_twice(&trace, &claim, true, &trail(&run));
        assert!(
            opinion.proven,
            "{text} after {length}\n{}",
            notation::draw(&trace)
        );
    }
}

const PROCESSES: usize = 10;

/// A long run: three events of four send or receive, the others count, and in the middle flags are raised for a while.
///
/// `p1.flag` and `p2.flag` are both one from the last event of the first half on, `p3.flag` only for a while in it.
fn long_run(events: usize) -> Trace {
    let mut long = Long::new();
    for number in 0..events {
        let raised = if number == events / 4 || number == events / 4 + 1000 {
            Some((2, i64::from(number == events / 4)))
        } else if number + 500 == events / 2 {
            Some((0, 1))
        } else if number + 1 == events / 2 {
            Some((1, 1))
        } else {
            None
        };
        match raised {
            Some((process, value)) => long.write(process, long.flags[process], value),
            None => long.anything(),
        }
    }
    long.builder.finish().expect("well-formed").0
}

struct Long {
    rng: fastrand::Rng,
    builder: TraceBuilder,
    processes: Vec<ProcessId>,
    flags: Vec<VarId>,
    counters: Vec<VarId>,
    /// Per process: the messages on their way to it.
    under_way: Vec<Vec<MessageId>>,
    sent: usize,
}

impl Long {
    fn new() -> Self {
        let mut builder = TraceBuilder::new(BuildOptions::default());
        let names: Vec<String> = (1..=PROCESSES).map(|n| format!("p{n}")).collect();
        let declared = builder.declare_processes(names.iter().map(String::as_str));
        declared.expect("the names differ");
        for name in &names {
            builder.init(&format!("{name}.flag"), StoredValue::ZERO, 1);
            builder.init(&format!("{name}.x"), StoredValue::ZERO, 1);
        }
        let find = |name: &String| builder.process(name).expect("declared");
        let processes: Vec<ProcessId> = names.iter().map(find).collect();
        let mut variables = |name: &str| -> Vec<VarId> {
            let of = processes
                .iter()
                .map(|&process| builder.variable(process, name));
            of.collect()
        };
        Long {
            flags: variables("flag"),
            counters: variables("x"),
            rng: fastrand::Rng::with_seed(7),
            builder,
            under_way: vec![Vec::new(); processes.len()],
            processes,
            sent: 0,
        }
    }

    fn write(&mut self, process: usize, var: VarId, value: i64) {
        let value = StoredValue::Int(value);
        self.add(process, &[Write { var, value }], &[], &[]);
    }

    fn anything(&mut self) {
        let process = self.rng.usize(0..PROCESSES);
        match self.rng.usize(0..8) {
            0..3 => {
                self.sent += 1;
                let message = self.builder.message(&format!("m{}", self.sent));
                let to = (process + self.rng.usize(1..PROCESSES)) % PROCESSES;
                self.under_way[to].push(message);
                self.add(process, &[], &[message], &[to]);
            }
            3..6 if !self.under_way[process].is_empty() => {
                let at = self.rng.usize(0..self.under_way[process].len());
                let message = self.under_way[process].swap_remove(at);
                let event = NewEvent {
                    recvs: &[message],
                    ..self.event(process)
                };
                self.builder.add(&event).expect("well-formed");
            }
            _ => {
                let value = self.rng.i64(1..10);
                self.write(process, self.counters[process], value);
            }
        }
    }

    fn event(&self, process: usize) -> NewEvent<'static> {
        NewEvent::of(self.processes[process], self.builder.len() as u32 + 1)
    }

    fn add(&mut self, process: usize, writes: &[Write], sends: &[MessageId], to: &[usize]) {
        let to: Vec<ProcessId> = to.iter().map(|&to| self.processes[to]).collect();
        let event = NewEvent {
            writes,
            sends,
            to: &to,
            ..self.event(process)
        };
        self.builder.add(&event).expect("well-formed");
    }
}

/// The first half of a long run, in an order other than the recorded one, and with its last event in its place.
fn first_half(trace: &Trace) -> Vec<EventId> {
    let order = trace.order();
    let last = EventId::new(trace.len() as u32 / 2 - 1);
    let end = order.closure((0..=last.raw()).map(EventId::new));
    let mut cut = order.initial_cut();
    let mut run = Vec::new();
    while run.len() + 1 < trace.len() / 2 {
        for process in order.processes() {
            for _ in 0..20 {
                let next = order.enabled_on(cut.counts(), process);
                let within = |event: &EventId| *event != last && order.contains(&end, *event);
                if let Some(event) = next.filter(within) {
                    run.push(event);
                    cut = cut.advanced(process);
                }
            }
        }
    }
    run.push(last);
    run
}

const BOTH_RAISED: &str = "AG !(p1.flag = 1 && p2.flag = 1)";

#[test]
fn long_trails_are_believed_only_when_they_show_it() {
    let trace = long_run(200_000);
    let run = first_half(&trace);
    let both = goal(&trace, Kind::Ctl, BOTH_RAISED);
    let opinion = examine(&trace, &both, false, &trail(&run));
    let believed = Opinion {
        proven: true,
        observed: Some(true),
    };
    assert_eq!(opinion, Ok(believed));

    let refuted = |run: &[EventId]| {
        let opinion = examine(&trace, &both, false, &trail(run));
        opinion.expect("no brute force").observed == Some(true) && !opinion.expect("none").proven
    };
    let mut missing = run.clone();
    missing.remove(run.len() / 3);
    assert!(refuted(&missing), "an event is missing");
    assert!(refuted(&run[..run.len() - 1]), "the goal is not reached");
    let mut twice = run.clone();
    twice.insert(1000, run[999]);
    assert!(refuted(&twice), "an event happens twice");
    let mut beyond = run.clone();
    beyond.insert(1000, EventId::new(trace.len() as u32));
    assert!(refuted(&beyond), "an event that does not exist");
    let mut early = run.clone();
    early.swap_remove(0);
    assert!(refuted(&early), "the last event comes first");
    assert!(
        refuted(&received_before_sent(&trace, &run)),
        "a receipt before its send"
    );
}

/// The run with some event, the first of its process after another one's send to it, moved before that send.
fn received_before_sent(trace: &Trace, run: &[EventId]) -> Vec<EventId> {
    let order = trace.order();
    let place = |event: EventId| run.iter().position(|&e| e == event).expect("in the run");
    for (at, &event) in run.iter().enumerate().skip(run.len() / 2) {
        let Some(send) = order.crossing_into(event).first().map(|&send| place(send)) else {
            continue;
        };
        let between = run[send..at].iter();
        let alone = |e: &EventId| order.process_of(*e) != order.process_of(event);
        if between.clone().all(alone) {
            let mut run = run.to_vec();
            run.remove(at);
            run.insert(send, event);
            return run;
        }
    }
    panic!("no message is received at once")
}

#[test]
fn what_must_hold_on_the_way_is_checked_all_the_way() {
    let trace = long_run(200_000);
    let run = first_half(&trace);
    for (hold, proven) in [
        ("p4.flag = 0", true),
        ("p3.flag = 0", false),
        ("p3.flag + p4.flag < 1", false),
        ("p3.flag + p4.flag < 2", true),
        ("p1.flag + p2.flag < 2", true),
        ("AG (p4.flag = 0)", true),
        ("AF (p2.flag = 1)", true),
        ("EF (p3.flag = 1)", false),
        ("steps(p5) < 100", false),
        ("steps(p5) < 100000", true),
        ("inflight(p6 -> p7) < 10", false),
        ("inflight(p6 -> p7) < 100000", true),
    ] {
        let text = format!("E[{hold} U p1.flag = 1 && p2.flag = 1]");
        let opinion = examine(&trace, &goal(&trace, Kind::Ctl, &text), true, &trail(&run));
        let expected = Opinion {
            proven,
            observed: Some(proven),
        };
        assert_eq!(opinion, Ok(expected), "{text}");
    }
}

#[test]
fn a_claim_about_all_orders_costs_what_lies_ahead() {
    let trace = long_run(200_000);
    let all: Vec<EventId> = trace.order().recorded().collect();
    let settled = goal(&trace, Kind::Ctl, "EF AG (sum(i in procs: i.x) > 0)");
    let late = examine(&trace, &settled, true, &trail(&all[..all.len() - 20]));
    let believed = Opinion {
        proven: true,
        observed: None,
    };
    assert_eq!(
        late,
        Ok(believed),
        "few states ahead; too many from the beginning"
    );
    let budget = Budget::endless();
    let early = certify::examine(&trace, &settled, true, &trail(&all[..1000]), &budget);
    assert_eq!(early, Err(Spent::Memory));
    assert_eq!(budget.used(), 0, "memory is given back");
}
