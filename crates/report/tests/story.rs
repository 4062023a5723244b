//! Every claim of a story is looked up again by code that knows nothing of how it came about.
//!
//! Random runs and random formulas are decided; then the values, the order, the swaps, the marks and what the sentence
//! rests on are compared with what a few lines here read off the events.

mod naive;

use causet_base::budget::Budget;
use causet_check::decide::decide;
use causet_check::engine::explicit;
use causet_check::outcome::{Outcome, Verdict};
use causet_check::plan::Choice;
use causet_check::prepare::prepare;
use causet_check::subject::Subject;
use causet_formats::logs::{self, LogOptions};
use causet_formats::native::Part;
use causet_formula::{Kind, Lets, Property};
use causet_report::story::{Asked, Claim, Effect, Mark, Story};
use causet_trace::random::{Shape, run};
use causet_trace::{Clocks, EventId, Trace, notation};
use fastrand::Rng;

use naive::{Form, Naive, branching, is_temporal, linear, slip, some_completion};

fn story(trace: &Trace, kind: Kind, text: &str) -> Option<(Outcome, Story)> {
    let subject = Subject::of(trace);
    let property = Property::parse(kind, "p", text).unwrap();
    let lets = Lets::none();
    let question = prepare(&subject, &property, &lets).ok()?;
    let outcome = decide(&subject, &question, Choice::Auto, &Budget::endless()).unwrap();
    let asked = Asked {
        property: &property,
        lets: &lets,
        question: &question,
    };
    let story = Story::of(subject, asked, &outcome, &Budget::endless())?;
    Some((outcome, story))
}

/// Looks everything up again that a story says.
fn verify(trace: &Trace, story: &Story, text: &str) {
    let order = trace.order();
    let clocks = Clocks::new(order);
    let events = |numbers: &[u32]| -> Vec<EventId> {
        numbers.iter().map(|&number| EventId::new(number)).collect()
    };
    let rank = |event: EventId| order.recorded().position(|one| one == event).unwrap();
    assert_eq!(story.left_out, 0, "{text}");
    assert_eq!(slip(&story.sentence), None, "{text}");
    let shown = events(&story.order);
    let there = Naive::at(trace, &story.cut);

    // The order leads to the cut, and nothing in it comes before what it depends on.
    let mut sorted = shown.clone();
    sorted.sort_by_key(|&event| rank(event));
    assert_eq!(sorted, there.done, "{text}");
    assert_eq!(events(&story.recorded), there.done, "{text}");
    let whole: Vec<EventId> = shown.iter().copied().chain(events(&story.then)).collect();
    for (index, &event) in whole.iter().enumerate() {
        for before in order.predecessors(event) {
            assert!(whole[..index].contains(&before), "{text}: {event:?}");
        }
    }
    let last = shown.iter().map(|&event| rank(event)).max();
    let late: Vec<EventId> = order
        .recorded()
        .take(last.map_or(0, |last| last + 1))
        .filter(|event| !shown.contains(event))
        .collect();
    assert_eq!(events(&story.late), late, "{text}");

    for &(e, f) in &story.swaps {
        let (e, f) = (EventId::new(e), EventId::new(f));
        assert!(clocks.concurrent(order, e, f), "{text}: {e:?} {f:?}");
        assert!(rank(e) < rank(f), "{text}: {e:?} {f:?}");
        let place = |event| whole.iter().position(|&one| one == event);
        let later = place(e).is_none_or(|place_of_e| place(f).is_some_and(|f| f < place_of_e));
        assert!(later, "{text}: {e:?} {f:?}");
    }
    assert_eq!(
        story.swaps.is_empty(),
        shown.is_sorted_by_key(|&event| rank(event)) && late.is_empty()
    );

    for held in &story.values {
        let (value, event) = there.value(&held.name);
        assert_eq!(Some(held.value.clone()), value.number_text(), "{text}");
        assert_eq!(held.event, event.map(EventId::raw), "{text}");
    }
    for mark in &story.marks {
        assert_eq!(mark.text, text[mark.start..mark.end]);
        verify_mark(trace, story, mark, text);
    }
    for claim in &story.claims {
        verify_claim(
            trace,
            story,
            &clocks,
            claim,
            &format!("{text}: {}", story.sentence),
        );
    }
}

/// The value of a part at the cut: whatever can follow, it is that.
fn verify_mark(trace: &Trace, story: &Story, mark: &Mark, text: &str) {
    let form = Form::parse(&mark.text);
    let context = format!("{text}: {}", mark.text);
    let run: Vec<EventId> = story.order.iter().map(|&one| EventId::new(one)).collect();
    if !is_temporal(&form) {
        let there = Naive::behind(trace, &story.cut, run.last().copied());
        assert_eq!(mark.holds, there.is(&form), "{context}");
    } else if text.contains("AG") || text.contains("AF") || text.contains('E') {
        assert_eq!(mark.holds, branching(trace, &form, &story.cut), "{context}");
    } else {
        let mut rng = Rng::with_seed(1);
        for _ in 0..5 {
            let whole = some_completion(trace, &run, &mut rng);
            let holds = linear(trace, &form, &whole, run.len());
            assert_eq!(mark.holds, holds, "{context} with {whole:?}");
        }
    }
}

fn verify_claim(trace: &Trace, story: &Story, clocks: &Clocks, claim: &Claim, text: &str) {
    let order = trace.order();
    let cuts = |start: Vec<u32>, events: &[u32]| -> Vec<Vec<u32>> {
        let mut all = vec![start];
        for &event in events {
            let mut next = all[all.len() - 1].clone();
            next[order.process_of(EventId::new(event)).index()] += 1;
            all.push(next);
        }
        all
    };
    let along = cuts(vec![0; order.process_count()], &story.order);
    let all_are = |cuts: &[Vec<u32>], part: &str, value: bool| {
        cuts.iter()
            .all(|cut| Naive::at(trace, cut).holds(part) == value)
    };
    match claim {
        Claim::Holds { part, value, since } => {
            let from = match since {
                Some(event) => {
                    let index = story.order.iter().position(|one| one == event).unwrap();
                    assert!(
                        all_are(&along[index..=index], part, !value),
                        "{text}: {part} had that value before"
                    );
                    index + 1
                }
                None => 0,
            };
            assert!(all_are(&along[from..], part, *value), "{text}: {part}");
        }
        Claim::Unordered(pair) => {
            let (e, f) = (EventId::new(pair.first), EventId::new(pair.second));
            assert!(clocks.concurrent(order, e, f), "{text}");
        }
        Claim::Ordered(e, f) => {
            let (e, f) = (EventId::new(*e), EventId::new(*f));
            assert!(clocks.happened_before(order, e, f), "{text}");
        }
        Claim::Throughout { part, value } => {
            assert!(all_are(&along, part, *value), "{text}: {part}");
        }
        Claim::Over { part, event } => {
            let index = story.order.iter().position(|one| one == event).unwrap();
            assert!(all_are(&along[index..=index], part, true), "{text}: {part}");
            assert!(all_are(&along[index + 1..], part, false), "{text}: {part}");
        }
        Claim::Begins { part, event } => {
            let index = story.order.iter().position(|one| one == event).unwrap();
            assert!(all_are(&along[..=index], part, false), "{text}: {part}");
            assert!(
                all_are(&along[index + 1..index + 2], part, true),
                "{text}: {part}"
            );
        }
        Claim::At { event, part, value } => {
            let place = place_of(story, *event);
            assert_eq!(holds_behind(trace, story, &along, place, part), *value);
        }
        Claim::Between {
            first,
            last,
            part,
            value,
        } => {
            for place in place_of(story, *first)..=place_of(story, *last) {
                let holds = holds_behind(trace, story, &along, place, part);
                assert_eq!(holds, *value, "{text}: {part} at {place}");
            }
        }
        Claim::Value { name, value } => {
            let found = Naive::at(trace, &story.cut).value(name).0;
            assert_eq!(Some(value.clone()), found.number_text(), "{text}: {name}");
        }
        Claim::OnItsWay { send, receive } => {
            let (send, receive) = (EventId::new(*send), EventId::new(*receive));
            let sent = trace.sends(send);
            let carried = trace.receives(receive).iter().any(|one| sent.contains(one));
            let there = Naive::at(trace, &story.cut);
            assert!(carried && there.done.contains(&send), "{text}");
            assert!(!there.done.contains(&receive), "{text}");
        }
        Claim::Onward { part, value } => {
            let onward = cuts(story.cut.clone(), &story.then);
            assert!(all_are(&onward, part, *value), "{text}: {part}");
        }
    }
}

/// The position behind an event of the order.
fn place_of(story: &Story, event: Option<u32>) -> usize {
    let index = |event| story.order.iter().position(|&one| one == event).unwrap();
    event.map_or(0, |event| index(event) + 1)
}

fn holds_behind(
    trace: &Trace,
    story: &Story,
    along: &[Vec<u32>],
    place: usize,
    part: &str,
) -> bool {
    let event = place.checked_sub(1).map(|at| EventId::new(story.order[at]));
    Naive::behind(trace, &along[place], event).holds(part)
}

fn atom(rng: &mut Rng, trace: &Trace) -> String {
    let names: Vec<String> = trace
        .variables()
        .map(|var| trace.variable_name(var))
        // The others hold texts, which the few lines above do not compare.
        .filter(|name| name.ends_with(".x") || name == "s")
        .collect();
    let processes: Vec<&str> = trace
        .order()
        .processes()
        .map(|process| trace.process_name(process))
        .collect();
    let op = ["=", "!=", "<", "<=", ">", ">="][rng.usize(..6)];
    let process = |rng: &mut Rng| processes[rng.usize(..processes.len())];
    match (rng.usize(..10), names.is_empty()) {
        (8, _) => format!("empty({} -> {})", process(rng), process(rng)),
        (9, false) => {
            let bound = rng.usize(..=names.len());
            let value = rng.i64(0..3);
            let parts: Vec<String> = names
                .iter()
                .map(|name| format!("{name} = {value}"))
                .collect();
            format!("count({}) {op} {bound}", parts.join(", "))
        }
        (0, _) | (_, true) => format!("done({})", processes[rng.usize(..processes.len())]),
        (1, _) if names.len() > 1 => {
            let (one, other) = (rng.usize(..names.len()), rng.usize(..names.len()));
            format!("{} {op} {}", names[one], names[other])
        }
        _ => format!("{} {op} {}", names[rng.usize(..names.len())], rng.i64(0..3)),
    }
}

fn predicate(rng: &mut Rng, trace: &Trace, depth: usize) -> String {
    let part = |rng: &mut Rng| predicate(rng, trace, depth - 1);
    match (depth, rng.usize(..6)) {
        (0, _) | (_, 0) => atom(rng, trace),
        (_, 1) => format!("!({})", part(rng)),
        (_, 2) => format!("({}) -> ({})", part(rng), part(rng)),
        (_, 3) => format!("({}) || ({})", part(rng), part(rng)),
        _ => format!("({}) && ({})", part(rng), part(rng)),
    }
}

fn formula(rng: &mut Rng, trace: &Trace) -> (Kind, String) {
    let p = predicate(rng, trace, 2);
    let q = predicate(rng, trace, 1);
    match rng.usize(..14) {
        0 => (Kind::Ctl, format!("AF ({p})")),
        1 => (Kind::Ctl, format!("EG ({p})")),
        2 => (Kind::Ctl, format!("AG (({p}) -> AF ({q}))")),
        3 => (Kind::Ctl, format!("EF (({p}) && EG ({q}))")),
        4 => (Kind::Ctl, format!("AG ({p}) && AG ({q})")),
        5 => (Kind::Ltl, format!("G ({p})")),
        6 => (Kind::Ltl, format!("({p}) U ({q})")),
        7 => (Kind::Possibly, p),
        8 => (
            Kind::Monitor,
            format!("{{ start s; s -> t when {p}; t -> u when {q}; bad u }}"),
        ),
        9 => (Kind::Ctl, format!("EF ({p})")),
        10 => (Kind::Ltl, named(rng, &q)),
        11 => (Kind::Ltl, format!("G (({p}) -> (({q}) W !({p})))")),
        12 => {
            let kind = [Kind::Possibly, Kind::Definitely][rng.usize(..2)];
            (kind, order_of_moments(rng, &p, &q))
        }
        _ => (Kind::Ctl, format!("AG ({p})")),
    }
}

/// A formula about events that have names.
fn named(rng: &mut Rng, q: &str) -> String {
    let mut on = || format!("on(\"{}\")", ["a", "b", "c"][rng.usize(..3)]);
    let (a, b, c) = (on(), on(), on());
    match rng.usize(..6) {
        0 => format!("G ({a} -> N (!{b} W {c}))"),
        1 => format!("!{a} W {b}"),
        2 => format!("G ({a} -> F {b})"),
        3 => format!("G ({a} -> {q})"),
        4 => format!("({q}) U {b}"),
        _ => format!("F ({a} && X F {b})"),
    }
}

/// Positions one after the other.
fn order_of_moments(rng: &mut Rng, p: &str, q: &str) -> String {
    let mut on = || format!("on(\"{}\")", ["a", "b", "c"][rng.usize(..3)]);
    let (a, b) = (on(), on());
    match rng.usize(..7) {
        0 => format!("{{ {p} ; {a} }}"),
        1 => format!("{{ {a} ; [never {b}] {a} }}"),
        2 => format!("{{ {a} ; [always {p}] {q} ; {b} }}"),
        3 => format!("{{ {a} ; {b} ; {a} ; {q} }}"),
        4 => format!("re( (({p}))* . {a} . any* )"),
        5 => format!("re( any* . {a} . ({b} | {a}) . any* . {b}? )"),
        _ => format!("{{ {p} ; {q} }}"),
    }
}

fn seed() -> u64 {
    let given = std::env::var("CAUSET_SEED").ok();
    given.and_then(|seed| seed.parse().ok()).unwrap_or(20)
}

#[test]
fn whatever_a_story_says_is_so() {
    let mut rng = Rng::with_seed(seed());
    let (mut told, mut telling, mut pairs) = (0, 0, [0; 3]);
    for _ in 0..6000 {
        let shape = Shape::small(&mut rng);
        let trace = run(&mut rng, shape);
        let (kind, text) = formula(&mut rng, &trace);
        if let Some((outcome, story)) = story(&trace, kind, &text) {
            verify(&trace, &story, &text);
            verify_pair(&trace, &outcome, &story, kind, &text);
            pairs[story.pair.map_or(0, |pair| 1 + pair.effect as usize)] += 1;
            told += 1;
            telling += usize::from(!story.claims.is_empty());
        }
    }
    assert!(
        told > 2000 && telling > 1000,
        "{told} stories, {telling} with claims"
    );
    assert!(pairs.iter().all(|&some| some > 5), "{pairs:?}");
}

/// Looks the pair up again that a story names: by clocks, by the cuts it may lie beside, by the definition on the run with
/// the edge added.
fn verify_pair(trace: &Trace, outcome: &Outcome, story: &Story, kind: Kind, text: &str) {
    let Some(pair) = story.pair else {
        return;
    };
    let context = format!("{text}: {}", story.sentence);
    let (first, second) = (EventId::new(pair.first), EventId::new(pair.second));
    let is_named = story.claims.contains(&Claim::Unordered(pair));
    assert!(is_named && story.focus.contains(&pair.first), "{context}");
    let witness = outcome.witness.as_ref().expect("a story has an order");
    let rank = |event: EventId| trace.order().recorded().position(|one| one == event);
    let place = |event: EventId| witness.run.iter().position(|&one| one == event);
    match &witness.cut {
        Some(_) => assert!(
            place(first).is_none() && place(second).is_some(),
            "{context}"
        ),
        None => {
            assert!(rank(first) < rank(second), "{context}");
            assert!(place(second) < place(first), "{context}");
        }
    }
    match pair.effect {
        Effect::NoOrderLeft => {
            let changed = trace.with_edge(first, second).expect("they are concurrent");
            let subject = Subject::of(&changed);
            let property = Property::parse(kind, "p", text).unwrap();
            let question = prepare(&subject, &property, &Lets::none()).unwrap();
            let engine = Choice::Forced(&explicit::ENGINE);
            let again = decide(&subject, &question, engine, &Budget::endless()).unwrap();
            assert_ne!(again.verdict, outcome.verdict, "{context}");
        }
        Effect::CutGone => {
            let order = trace.order();
            let clocks = Clocks::new(order);
            let is_past =
                |&event: &EventId| event == first || clocks.happened_before(order, event, first);
            let mut cut = story.cut.clone();
            for event in trace.events().filter(is_past) {
                let done = &mut cut[order.process_of(event).index()];
                *done = order.position_of(event).max(*done);
            }
            let part = text.strip_prefix("AG ").or(text.strip_prefix("EF "));
            // Of several parts it is enough that the one at hand is gone.
            let is_state = |part: &&str| !["AG", "AF", "EG"].iter().any(|op| part.contains(op));
            if let Some(part) = part.filter(is_state) {
                let holds = Naive::at(trace, &cut).holds(part);
                assert_eq!(holds, text.starts_with("AG"), "{context}");
            }
        }
    }
}

#[test]
fn the_sentence_says_what_was_still_so() {
    let run = "a: up=1  up=0\nb: up=1";
    let trace = notation::parse(run).unwrap();
    let (outcome, told) = story(&trace, Kind::Ctl, "AG !(a.up = 1 && b.up = 1)").unwrap();
    assert_eq!(outcome.verdict, Verdict::Violated);
    assert_eq!(
        told.sentence,
        "a.up was still 1 when b.up became 1 with b#1; nothing orders a#2 before b#1; with that order no order breaks \
         the property"
    );
}

#[test]
fn what_has_to_wait_is_not_called_free() {
    let run = "a: x=1      m?,x=0\nb:      y=1,m!";
    let trace = notation::parse(run).unwrap();
    let (_, told) = story(&trace, Kind::Ctl, "AG !(a.x = 1 && b.y = 1)").unwrap();
    assert_eq!(
        told.sentence,
        "a.x was still 1 when b.y became 1 with b#1; a#2 comes only after b#1"
    );
}

#[test]
fn the_json_has_the_agreed_fields() {
    let trace = notation::parse("a: up=1  up=0\nb:            up=1").unwrap();
    let (_, told) = story(&trace, Kind::Ctl, "AG !(a.up = 1 && b.up = 1)").unwrap();
    let json = serde_json::to_value(&told).unwrap();
    let expected = serde_json::json!({
        "shows": "violation",
        "sentence": told.sentence,
        "cut": [1, 1],
        "order": told.order,
        "recorded": told.recorded,
        "late": told.late,
        "swaps": told.swaps,
        "pair": {"first": 1, "second": 2, "effect": "no-order-left"},
        "focus": [0, 1, 2],
        "observed": false,
        "values": told.values,
        "marks": [
            {"start": 0, "end": 26, "holds": false, "text": "AG !(a.up = 1 && b.up = 1)"},
            {"start": 3, "end": 26, "holds": false, "text": "!(a.up = 1 && b.up = 1)"},
            {"start": 5, "end": 25, "holds": true, "text": "a.up = 1 && b.up = 1"},
            {"start": 5, "end": 13, "holds": true, "text": "a.up = 1"},
            {"start": 17, "end": 25, "holds": true, "text": "b.up = 1"}
        ],
        "left_out": 0
    });
    assert_eq!(json, expected);
    assert_eq!(
        json["values"][0],
        serde_json::json!({"name": "a.up", "value": "1", "event": 0})
    );
}

#[test]
fn the_wrong_moment_of_a_run_is_told_like_one_of_a_cut() {
    let trace = notation::parse("a: up=1  up=0\nb:            up=1").unwrap();
    let (_, told) = story(&trace, Kind::Ltl, "G !(a.up = 1 && b.up = 1)").unwrap();
    assert_eq!(
        told.sentence,
        "a.up was still 1 when b.up became 1 with b#1; nothing orders a#2 before b#1; with that order no order breaks \
         the property"
    );
}

#[test]
fn what_ended_too_early_is_named() {
    let trace = notation::parse("a: up=1  .  up=0\nb:      up=1").unwrap();
    let (_, told) = story(&trace, Kind::Ctl, "AF (a.up = 1 && b.up = 1)").unwrap();
    assert_eq!(
        told.sentence,
        "in this order of all 4 events `a.up = 1 && b.up = 1` is never true: `a.up = 1` is over with a#3 before \
         `b.up = 1` begins with b#1; nothing orders b#1 before a#3; with that order no order breaks the property"
    );
}

#[test]
fn monitors_name_the_step_to_the_bad_state() {
    let trace = notation::parse("a: x=1\nb:   y=1").unwrap();
    let monitor = "{ start fine; fine -> done on a.x = 1; fine -> wrong on b.y = 1; bad wrong }";
    let (_, told) = story(&trace, Kind::Monitor, monitor).unwrap();
    assert_eq!(
        told.sentence,
        "b#1 took the monitor from `fine` to `wrong`; nothing orders a#1 before b#1; with that order no order breaks \
         the property"
    );
}

#[test]
fn a_message_on_its_way_is_told_with_its_two_ends() {
    let trace = notation::parse("a: @ask,m!  idle=1\nb:   idle=1     m?,@take").unwrap();
    let (_, told) = story(
        &trace,
        Kind::Ctl,
        "AG (count(a.idle = 1, b.idle = 1) = 2 -> empty(a -> b))",
    )
    .unwrap();
    assert!(
        told.sentence
            .starts_with("the message of a#1 (ask) to b was still on its way when "),
        "{}",
        told.sentence
    );
    assert!(
        told.sentence
            .contains(".idle = 1`, the last of 2, became true with "),
        "{}",
        told.sentence
    );
}

#[test]
fn a_run_that_breaks_a_formula_is_told_by_its_moments() {
    let trace = notation::parse("a: @enter  @leave\nb:    @enter  @leave").unwrap();
    let exclusion = "G (on(\"enter\") -> N (!on(\"enter\") W on(\"leave\")))";
    let (_, told) = story(&trace, Kind::Ltl, exclusion).unwrap();
    let middle = " (enter) with no \"leave\" in between";
    assert!(told.sentence.contains(middle), "{}", told.sentence);
    let (_, told) = story(&trace, Kind::Ltl, "!on(b, \"enter\") W on(a, \"leave\")").unwrap();
    assert!(
        told.sentence
            .starts_with("b#1 (enter) came before any \"leave\" of a"),
        "{}",
        told.sentence
    );
    let (_, told) = story(&trace, Kind::Ltl, "G (on(\"leave\") -> F on(\"enter\"))").unwrap();
    assert!(
        told.sentence.ends_with(" (leave) there is no \"enter\""),
        "{}",
        told.sentence
    );
}

#[test]
fn two_at_once_are_told_alike_in_every_logic() {
    let trace = notation::parse("a: up=1  up=0\nb:            up=1").unwrap();
    let formula = "G (a.up = 1 -> (b.up != 1 W a.up != 1))";
    let (_, told) = story(&trace, Kind::Ltl, formula).unwrap();
    assert_eq!(
        told.sentence,
        "a.up was still 1 when b.up became 1 with b#1; nothing orders a#2 before b#1; with that order no order breaks \
         the property"
    );
}

#[test]
fn a_sequence_is_told_moment_by_moment() {
    let trace = notation::parse("a: up=1,@elected  @tick  @resign\nb:     up=1,@elected").unwrap();
    let sequence = "{ on(a, \"elected\") ; b.up = 1 ; [always b.up = 1] on(a, \"resign\") }";
    let (_, told) = story(&trace, Kind::Possibly, sequence).unwrap();
    assert!(
        told.sentence
            .starts_with("first a#1 (elected) came, then b.up was 1 with b#1 (elected), "),
        "{}",
        told.sentence
    );
    let sequence = "{ on(a, \"elected\") ; on(a, \"resign\") ; on(b, \"elected\") }";
    let (outcome, told) = story(&trace, Kind::Definitely, sequence).unwrap();
    assert_eq!(outcome.verdict, Verdict::Violated);
    let end = "and after that there is no \"elected\" of b";
    assert!(told.sentence.contains(end), "{}", told.sentence);
    let expression = "re( any* . on(\"tick\") . on(b, \"elected\") . any* )";
    let (_, told) = story(&trace, Kind::Possibly, expression).unwrap();
    let start = "b#1 (elected) came after a#2 (tick)";
    assert!(told.sentence.starts_with(start), "{}", told.sentence);
}

#[test]
fn temporal_parts_are_marked_where_the_cut_decides_them() {
    let trace = notation::parse("a: up=1  up=0\nb: up=1").unwrap();
    let marks = |text: &str| -> Vec<(String, bool)> {
        let (_, told) = story(&trace, Kind::Ctl, text).unwrap();
        let marks = told.marks.into_iter();
        marks.map(|mark| (mark.text, mark.holds)).collect()
    };
    let formula = "AG (a.up = 1 -> AF b.up = 2)";
    let expected = [
        (formula, false),
        ("a.up = 1 -> AF b.up = 2", false),
        ("a.up = 1", true),
        ("AF b.up = 2", false),
        ("b.up = 2", false),
    ];
    let expected: Vec<(String, bool)> = expected
        .map(|(text, truth)| (text.to_owned(), truth))
        .to_vec();
    assert_eq!(marks(formula), expected);
}

#[test]
fn events_that_are_named_come_before_those_that_only_write() {
    let run = "a: @stored  x=1,@other\nb:                        y=1,@told";
    let trace = notation::parse(run).unwrap();
    let formula = "!on(b, \"told\") W (on(a, \"stored\") && a.x = 0)";
    let (_, told) = story(&trace, Kind::Ltl, formula).unwrap();
    let end =
        "; nothing orders a#1 (stored) before b#1; with that order no order breaks the property";
    assert!(told.sentence.ends_with(end), "{}", told.sentence);
}

#[test]
fn nothing_from_a_log_acts_on_a_reader() {
    let log = "{\"p\":\"a\\u001b[31m\",\"ev\":\"x\\u202ey\",\"set\":{\"x\":1}}\n";
    let parts = vec![Part::new("log", log.as_bytes())];
    let (read, _) = logs::read(parts, &LogOptions::default(), &()).unwrap();
    let trace = read.trace;
    let (_, told) = story(&trace, Kind::Ctl, "AG forall i in procs: i.x = 0").unwrap();
    assert!(told.sentence.contains("\\u{1b}"), "{}", told.sentence);
    let acts = |c: char| c.is_control() || c == '\u{202e}';
    assert!(!told.sentence.contains(acts) && !told.values[0].name.contains(acts));
}
