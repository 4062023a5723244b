//! Logs with holes: whatever is said for sure of what was logged is true of the whole run.

mod common;

use causet_base::budget::Budget;
use causet_check::decide::decide;
use causet_check::outcome::Verdict;
use causet_check::plan::Choice;
use causet_check::prepare::prepare;
use causet_check::subject::Subject;
use causet_formula::{Kind, Lets, Property};
use causet_trace::random::{Shape, run};
use causet_trace::{
    BuildOptions, Clocks, EventId, NewEvent, ProcessId, StoredValue, Trace, TraceBuilder, Write,
};
use common::Maker;
use common::asked::Taste;
use fastrand::Rng;

/// How the order of events is written down.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Told {
    Clocks,
    Messages,
    /// Messages, of which receivers know the senders.
    Senders,
}

/// Which events are logged: all but some of one process. With clocks its first and its last are, so that every hole shows.
fn kept(random: &mut Rng, trace: &Trace, told: Told) -> Vec<EventId> {
    let order = trace.order();
    let victim = random.usize(..order.process_count());
    let is_kept = |&event: &EventId| {
        let (process, position) = (order.process_of(event), order.position_of(event));
        let is_edge = position == 1 || position as usize == order.chain(process).len();
        let is_safe = match told {
            Told::Clocks => is_edge,
            Told::Messages | Told::Senders => trace.sends(event).is_empty(),
        };
        process.index() != victim || is_safe || random.u8(..3) > 0
    };
    order.recorded().filter(is_kept).collect()
}

/// A log of some events.
fn logged(trace: &Trace, events: &[EventId], told: Told) -> Trace {
    let order = trace.order();
    let clocks = Clocks::new(order);
    let mut builder = TraceBuilder::new(BuildOptions {
        lenient: true,
        forgiving: false,
    });
    let names = order.processes().map(|process| trace.process_name(process));
    builder.declare_processes(names).expect("names once");
    // A process that did nothing says so.
    let idle = order.processes().filter(|&p| order.chain(p).is_empty());
    for process in idle {
        builder.end(process, 1).expect("ends once");
    }
    for var in trace.variables() {
        let Some(value) = trace.given_init(var) else {
            continue;
        };
        let value = match value {
            StoredValue::Text(text) => StoredValue::Text(builder.text(trace.text(text))),
            value => value,
        };
        builder.init(&trace.variable_name(var), value, 1);
    }
    for (line, &event) in (1..).zip(events) {
        let process = order.process_of(event);
        let writes = trace.writes(event).map(|write| {
            let value = match write.value {
                StoredValue::Text(text) => StoredValue::Text(builder.text(trace.text(text))),
                value => value,
            };
            let var = builder.variable(process, trace.short_name(write.var));
            Write { var, value }
        });
        let writes: Vec<Write> = writes.collect();
        let clock: Vec<(ProcessId, u32)> = order
            .processes()
            .zip(clocks.of(event).iter().copied())
            .collect();
        let messages = |builder: &mut TraceBuilder, all: &[causet_trace::MessageId]| match told {
            Told::Clocks => Vec::new(),
            Told::Messages | Told::Senders => all
                .iter()
                .map(|id| builder.message(&format!("{id:?}")))
                .collect(),
        };
        let sends = messages(&mut builder, trace.sends(event));
        let recvs = messages(&mut builder, trace.receives(event));
        let received = trace.receives(event).iter().zip(&recvs);
        for (&id, &message) in received.filter(|_| told == Told::Senders) {
            let sender = trace.sender(id).expect("a whole run");
            builder.expect_sender(message, order.process_of(sender));
        }
        let label = trace.label(event).map(|label| builder.text(label));
        let added = builder.add(&NewEvent {
            label,
            writes: &writes,
            sends: &sends,
            recvs: &recvs,
            clock: (told == Told::Clocks).then_some(&clock[..]),
            ..NewEvent::of(process, line)
        });
        added.expect("a log that is read leniently");
    }
    builder.finish().expect("a log that is read leniently").0
}

/// A formula about a single process, or about two.
fn simple(random: &mut Rng, trace: &Trace) -> String {
    let processes = trace.order().process_count();
    let mut atom = || {
        let process = ProcessId::new(random.u32(..processes as u32));
        let name = trace.process_name(process);
        format!(
            "{name}.x {} {}",
            ["=", "!=", "<"][random.usize(..3)],
            random.u8(..3)
        )
    };
    let (a, b) = (atom(), atom());
    match random.u8(..6) {
        0 => format!("AG ({a})"),
        1 => format!("EF ({a})"),
        2 => format!("AF ({a})"),
        3 => format!("EG ({a})"),
        4 => format!("A[{a} U {b}]"),
        _ => format!("E[{a} U {b}]"),
    }
}

fn verdict(trace: &Trace, kind: Kind, text: &str) -> Option<Verdict> {
    let subject = Subject::of(trace);
    let property = Property::parse(kind, "p", text).ok()?;
    let question = prepare(&subject, &property, &Lets::none()).ok()?;
    let outcome = decide(&subject, &question, Choice::Auto, &Budget::endless());
    Some(
        outcome
            .unwrap_or_else(|failure| panic!("{text}: {failure}"))
            .verdict,
    )
}

#[test]
fn what_is_sure_of_a_log_with_holes_is_true() {
    for told in [Told::Clocks, Told::Messages, Told::Senders] {
        let (mut sure, mut doubtful, mut whole) = (0, 0, 0);
        for seed in 0..10_000 {
            let mut random = Rng::with_seed(seed);
            let shape = Shape {
                shared: false,
                ..Shape::small(&mut random)
            };
            let trace = run(&mut random, shape);
            let events = kept(&mut random, &trace, told);
            let log = logged(&trace, &events, told);
            assert!(
                told != Told::Clocks || log.holes().is_empty() == (events.len() == trace.len())
            );
            if events.len() == trace.len() || log.holes().is_empty() {
                whole += 1;
                continue;
            }
            let mut maker = Maker::new(&mut random, &trace);
            for _ in 0..6 {
                let (kind, text) = match maker.rng.u8(..4) {
                    0 => (Kind::Ctl, maker.formula(3).0),
                    1 => {
                        let taste = Taste::any(maker.rng);
                        let asked = maker.asked(taste);
                        (asked.kind, asked.text)
                    }
                    _ => (Kind::Ctl, simple(maker.rng, &trace)),
                };
                let Some(found) = verdict(&log, kind, &text) else {
                    continue;
                };
                match found {
                    Verdict::Doubtful => doubtful += 1,
                    Verdict::Unknown(spent) => panic!("{spent} without a limit"),
                    found => {
                        sure += 1;
                        let truth = verdict(&trace, kind, &text).expect("the variables of the log");
                        assert_eq!(found, truth, "seed {seed}, {told:?}: {kind} {text}");
                    }
                }
            }
        }
        println!("{told:?}: {sure} sure, {doubtful} doubtful, {whole} whole");
        assert!(doubtful > 500, "{told:?}: {doubtful}");
        let fewest = if told == Told::Messages { 1 } else { 200 };
        assert!(sure >= fewest, "{told:?}: {sure}");
    }
}
