//! What is no run is refused, and the reason names the right thing.

use causet_trace::{BuildOptions, EventRef, Fault, NewEvent, TraceBuilder, notation};

fn fault(drawing: &str) -> Fault {
    match notation::parse(drawing) {
        Err(notation::NotationError::Refused(error)) => error.kind,
        other => panic!("expected a refusal, got {other:?}"),
    }
}

#[test]
fn a_receive_needs_a_send() {
    assert_eq!(fault("a: m?"), Fault::ReceiveWithoutSend("m".into()));
}

#[test]
fn a_message_is_sent_once() {
    assert!(matches!(fault("a: m!\nb: m!"), Fault::SentTwice { .. }));
}

#[test]
fn an_event_cannot_happen_before_itself() {
    let Fault::Cycle(events) = fault("a: m? n!\nb: n? m!") else {
        panic!("a cycle")
    };
    let names: Vec<String> = events
        .iter()
        .map(|e| format!("{}{}", e.process, e.position))
        .collect();
    assert_eq!(names.len(), 4);
    assert!(matches!(fault("a: m?,m!"), Fault::Cycle(events) if events.len() == 1));
    assert!(matches!(fault("a: m? m!"), Fault::Cycle(events) if events.len() == 2));
}

#[test]
fn clocks_are_held_against_each_other() {
    assert!(matches!(
        fault("a: ^a:2"),
        Fault::ClockSkips {
            expected: 1,
            found: 2,
            ..
        }
    ));
    assert!(matches!(
        fault("a: ^a:1 ^a:1"),
        Fault::ClockBackwards { was: 1, now: 1, .. }
    ));
    assert!(matches!(fault("a: ^b:1\nb: ."), Fault::ClockWithoutOwn(_)));
    assert!(matches!(
        fault("a: ^a:1+b:2\nb: ."),
        Fault::ClockBeyondLog {
            count: 2,
            events: 1,
            ..
        }
    ));
    // b knows a's event, c knows b's event and should know a's.
    let forgetful = "a: .\nb:   ^b:1+a:1\nc:            ^c:1+b:1";
    let Fault::ClockContradicts {
        entry,
        says,
        follows,
    } = fault(forgetful)
    else {
        panic!("a contradiction")
    };
    assert_eq!((entry.as_str(), says, follows), ("a", 0, 1));
}

#[test]
fn clocks_alone_order_the_events() {
    let run = notation::parse("a: ^a:1       ^a:2+b:1\nb:    ^b:1+a:1").expect("clocks agree");
    let order = run.order();
    let process = run.process("a").expect("known");
    let last = order.event(process, 2).expect("there");
    assert_eq!(order.closure([last]).counts(), [2, 1]);
}

#[test]
fn holes_in_clocks_are_let_pass_when_lenient() {
    let mut builder = TraceBuilder::new(BuildOptions {
        lenient: true,
        forgiving: false,
    });
    let a = builder.process("a").expect("new");
    let b = builder.process("b").expect("new");
    // Events 2 and 3 of `a` are not in the log; `b` knows the third, so it comes after the first at least.
    let clocks: [(_, &[_]); 4] = [
        (a, &[(a, 1)]),
        (a, &[(a, 4)]),
        (b, &[(b, 1), (a, 3)]),
        (b, &[(b, 2), (a, 4)]),
    ];
    for (line, (process, clock)) in clocks.into_iter().enumerate() {
        let event = NewEvent {
            clock: Some(clock),
            ..NewEvent::of(process, line as u32 + 1)
        };
        builder.add(&event).expect("lenient");
    }
    let (trace, warnings) = builder.finish().expect("lenient");
    let order = trace.order();
    assert_eq!(
        order.closure([order.event(b, 1).expect("there")]).counts(),
        [1, 1]
    );
    assert_eq!(
        order.closure([order.event(b, 2).expect("there")]).counts(),
        [2, 2]
    );
    assert!(matches!(
        warnings[0].kind,
        Fault::ClockSkips {
            expected: 2,
            found: 4,
            ..
        }
    ));
}

#[test]
fn after_names_events_by_position_or_by_id() {
    let mut builder = TraceBuilder::new(BuildOptions::default());
    let a = builder.process("a").expect("new");
    let b = builder.process("b").expect("new");
    let early = NewEvent {
        after: &[EventRef::Name("late"), EventRef::Position(b, 1)],
        ..NewEvent::of(a, 1)
    };
    builder.add(&early).expect("waits");
    builder
        .add(&NewEvent {
            name: Some("late"),
            ..NewEvent::of(b, 2)
        })
        .expect("fine");
    let (trace, _) = builder.finish().expect("both are there");
    assert_eq!(
        trace
            .order()
            .closure([trace.order().event(a, 1).expect("there")])
            .counts(),
        [1, 1]
    );

    let mut builder = TraceBuilder::new(BuildOptions::default());
    let a = builder.process("a").expect("new");
    builder
        .add(&NewEvent {
            after: &[EventRef::Name("nobody")],
            ..NewEvent::of(a, 1)
        })
        .expect("waits");
    assert!(matches!(
        builder.finish().expect_err("nobody").kind,
        Fault::NoSuchEvent { .. }
    ));
}

#[test]
fn nothing_follows_the_end() {
    let mut builder = TraceBuilder::new(BuildOptions::default());
    let a = builder.process("a").expect("new");
    builder.end(a, 1).expect("once");
    let error = builder.add(&NewEvent::of(a, 2)).expect_err("over");
    assert!(matches!(error.kind, Fault::AfterEnd { .. }));
    assert!(builder.end(a, 3).is_err());
}

#[test]
fn shared_accesses_are_ordered_only_when_observed() {
    let drawing = "shared s\na: s=1       s=2\nb:     ?s\nc:             s=3";
    let run = notation::parse(drawing).expect("fine");
    let races = run.races(9);
    assert_eq!((races.pairs.len(), races.total), (2, 2));
    assert_eq!((run.races(1).pairs.len(), run.races(1).total), (1, 2));
    let observed = notation::parse(&format!("observed\n{drawing}")).expect("fine");
    assert!(observed.races(9).pairs.is_empty());
    let order = observed.order();
    let c = observed.process("c").expect("known");
    assert_eq!(
        order.closure([order.event(c, 1).expect("there")]).counts(),
        [2, 1, 1]
    );
}
