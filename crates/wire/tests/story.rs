//! Every claim of a story is looked up again by code that knows nothing of how it came about.
//!
//! Random runs and random formulas are decided; then the values, the order, the swaps, the marks and what the sentence
//! rests on are compared with what a few lines here read off the events.

use causet_check::decide::decide;
use causet_check::outcome::{Outcome, Verdict};
use causet_check::plan::Choice;
use causet_check::prepare::prepare;
use causet_check::subject::Subject;
use causet_formula::{Kind, Lets, Property};
use causet_solve::budget::Budget;
use causet_trace::random::{Shape, run};
use causet_trace::{Clocks, EventId, Trace, Value, notation};
use causet_wire::logs::{self, LogOptions};
use causet_wire::native::Part;
use causet_wire::story::{Asked, Claim, Story};
use fastrand::Rng;

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
    let story = Story::of(subject, asked, &outcome)?;
    Some((outcome, story))
}

/// A cut as the events in it, and truth by looking at all of them.
struct Naive<'t> {
    trace: &'t Trace,
    done: Vec<EventId>,
}

impl<'t> Naive<'t> {
    fn at(trace: &'t Trace, counts: &[u32]) -> Self {
        let order = trace.order();
        let inside =
            |&event: &EventId| order.position_of(event) <= counts[order.process_of(event).index()];
        Naive {
            trace,
            done: order.recorded().filter(inside).collect(),
        }
    }

    /// The value of a variable and who wrote it.
    fn value(&self, name: &str) -> (Value, Option<EventId>) {
        let trace = self.trace;
        let var = trace
            .variables()
            .find(|&var| trace.variable_name(var) == name);
        let var = var.unwrap_or_else(|| panic!("no variable {name}"));
        let mut last = (trace.initial_value(var), None);
        for &event in &self.done {
            for write in trace.writes(event).filter(|write| write.var == var) {
                last = (write.value, Some(event));
            }
        }
        last
    }

    fn number(&self, term: &str) -> i64 {
        match term.parse() {
            Ok(number) => number,
            Err(_) => match self.value(term).0 {
                Value::Int(number) => number,
                other => panic!("{term} is {other:?}"),
            },
        }
    }

    /// Whether a formula without temporal operators holds.
    fn holds(&self, text: &str) -> bool {
        let text = text
            .replace('(', " ( ")
            .replace(')', " ) ")
            .replace('!', " ! ")
            .replace(" !  =", " !=")
            .replace(" ! =", " !=");
        let mut words: Vec<&str> = text.split_whitespace().rev().collect();
        let truth = self.implication(&mut words);
        assert!(words.is_empty(), "{words:?} is left of {text}");
        truth
    }

    fn implication(&self, words: &mut Vec<&str>) -> bool {
        let left = self.either(words);
        match words.last() {
            Some(&"->") => {
                words.pop();
                let right = self.implication(words);
                !left || right
            }
            _ => left,
        }
    }

    fn either(&self, words: &mut Vec<&str>) -> bool {
        let mut truth = self.both(words);
        while words.last() == Some(&"||") {
            words.pop();
            let next = self.both(words);
            truth = truth || next;
        }
        truth
    }

    fn both(&self, words: &mut Vec<&str>) -> bool {
        let mut truth = self.single(words);
        while words.last() == Some(&"&&") {
            words.pop();
            let next = self.single(words);
            truth = truth && next;
        }
        truth
    }

    fn single(&self, words: &mut Vec<&str>) -> bool {
        match words.pop().unwrap() {
            "!" => !self.single(words),
            "(" => {
                let truth = self.implication(words);
                assert_eq!(words.pop(), Some(")"));
                truth
            }
            "true" => true,
            "false" => false,
            "done" => {
                let [open, name, close] = [words.pop(), words.pop(), words.pop()];
                assert_eq!((open, close), (Some("("), Some(")")));
                let process = self.trace.process(name.unwrap()).unwrap();
                let of = |&&event: &&EventId| self.trace.order().process_of(event) == process;
                let done = self.done.iter().filter(of).count();
                done == self.trace.order().chain(process).len()
            }
            left => {
                let op = words.pop().unwrap();
                let right = words.pop().unwrap();
                let (left, right) = (self.number(left), self.number(right));
                match op {
                    "=" => left == right,
                    "!=" => left != right,
                    "<" => left < right,
                    "<=" => left <= right,
                    ">" => left > right,
                    ">=" => left >= right,
                    other => panic!("{other} is no comparison"),
                }
            }
        }
    }
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
        assert_eq!(mark.holds, there.holds(&mark.text), "{text}: {}", mark.text);
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
        Claim::Unordered(e, f) => {
            let (e, f) = (EventId::new(*e), EventId::new(*f));
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
        Claim::Onward { part, value } => {
            let onward = cuts(story.cut.clone(), &story.then);
            assert!(all_are(&onward, part, *value), "{text}: {part}");
        }
    }
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
    match (rng.usize(..8), names.is_empty()) {
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
    match rng.usize(..11) {
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
        _ => (Kind::Ctl, format!("AG ({p})")),
    }
}

fn seed() -> u64 {
    let given = std::env::var("CAUSET_SEED").ok();
    given.and_then(|seed| seed.parse().ok()).unwrap_or(20)
}

#[test]
fn whatever_a_story_says_is_so() {
    let mut rng = Rng::with_seed(seed());
    let (mut told, mut telling) = (0, 0);
    for _ in 0..6000 {
        let shape = Shape::small(&mut rng);
        let trace = run(&mut rng, shape);
        let (kind, text) = formula(&mut rng, &trace);
        if let Some((_, story)) = story(&trace, kind, &text) {
            verify(&trace, &story, &text);
            told += 1;
            telling += usize::from(!story.claims.is_empty());
        }
    }
    assert!(
        told > 2000 && telling > 1000,
        "{told} stories, {telling} with claims"
    );
}

#[test]
fn the_sentence_says_what_was_still_so() {
    let run = "a: up=1  up=0\nb: up=1";
    let trace = notation::parse(run).unwrap();
    let (outcome, told) = story(&trace, Kind::Ctl, "AG !(a.up = 1 && b.up = 1)").unwrap();
    assert_eq!(outcome.verdict, Verdict::Violated);
    assert_eq!(
        told.sentence,
        "`a.up = 1` was still true when `b.up = 1` became true with b#1; nothing orders a#2 before b#1"
    );
}

#[test]
fn what_has_to_wait_is_not_called_free() {
    let run = "a: x=1      m?,x=0\nb:      y=1,m!";
    let trace = notation::parse(run).unwrap();
    let (_, told) = story(&trace, Kind::Ctl, "AG !(a.x = 1 && b.y = 1)").unwrap();
    assert_eq!(
        told.sentence,
        "`a.x = 1` was still true when `b.y = 1` became true with b#1; a#2 comes only after b#1"
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
        "values": told.values,
        "marks": [
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
    let trace = notation::parse("a: up=1  up=0\nb: up=1").unwrap();
    let (_, told) = story(&trace, Kind::Ltl, "G !(a.up = 1 && b.up = 1)").unwrap();
    assert_eq!(
        told.sentence,
        "`a.up = 1` was still true when `b.up = 1` became true with b#1; nothing orders a#2 before b#1"
    );
}

#[test]
fn what_ended_too_early_is_named() {
    let trace = notation::parse("a: up=1  .  up=0\nb:      up=1").unwrap();
    let (_, told) = story(&trace, Kind::Ctl, "AF (a.up = 1 && b.up = 1)").unwrap();
    assert_eq!(
        told.sentence,
        "in this order of all 4 events `a.up = 1 && b.up = 1` is never true: `a.up = 1` is over with a#3 before \
         `b.up = 1` begins with b#1; nothing orders b#1 before a#3"
    );
}

#[test]
fn monitors_name_the_step_to_the_bad_state() {
    let trace = notation::parse("a: x=1\nb:   y=1").unwrap();
    let monitor = "{ start fine; fine -> done on a.x = 1; fine -> wrong on b.y = 1; bad wrong }";
    let (_, told) = story(&trace, Kind::Monitor, monitor).unwrap();
    assert_eq!(
        told.sentence,
        "b#1 took the monitor from `fine` to `wrong`; nothing orders a#1 before b#1"
    );
}

#[test]
fn events_that_are_named_come_before_those_that_only_write() {
    let run = "a: @stored  x=1,@other\nb:                        y=1,@told";
    let trace = notation::parse(run).unwrap();
    let formula = "!on(b, \"told\") W (on(a, \"stored\") && a.x = 0)";
    let (_, told) = story(&trace, Kind::Ltl, formula).unwrap();
    let end = "; nothing orders a#1 (stored) before b#1 (told)";
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
