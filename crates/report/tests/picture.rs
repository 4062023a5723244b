//! Pictures of runs: nothing lies on anything else, every name is harmless, and what is left out is said.

use causet_base::budget::Budget;
use causet_check::decide::decide;
use causet_check::plan::Choice as Engines;
use causet_check::prepare::prepare;
use causet_check::subject::Subject;
use causet_formats::logs::{self, LogOptions};
use causet_formats::native::Part;
use causet_formula::{Kind, Lets, Property, PropertyFile};
use causet_report::picture::{Choice, Layout, Picture, Range, Rect, Role, Theme, Told, svg};
use causet_report::story::{Asked, Story};
use causet_trace::random::{Shape, run};
use causet_trace::{EventId, Trace, notation};
use fastrand::Rng;
use quick_xml::Reader;
use quick_xml::events::Event;

fn read(text: &str) -> Trace {
    let parts = vec![Part::new("run", text.as_bytes())];
    let (read, _) = logs::read(parts, &LogOptions::default(), &()).unwrap();
    read.trace
}

fn story(trace: &Trace, property: &Property, lets: &Lets) -> Option<Story> {
    let subject = Subject::of(trace);
    let question = prepare(&subject, property, lets).unwrap();
    let outcome = decide(&subject, &question, Engines::Auto, &Budget::endless()).unwrap();
    let asked = Asked {
        property,
        lets,
        question: &question,
    };
    Story::of(subject, asked, &outcome, &Budget::endless())
}

fn layout(trace: &Trace, title: &str, story: Option<&Story>, range: Range) -> Layout {
    let picture = Picture {
        trace,
        told: Some(Told { title, story }),
    };
    Layout::of(&picture, &Choice::of(&picture, range))
}

/// No words lie on other words, on an event that is not theirs, or outside of the picture.
fn nothing_overlaps(layout: &Layout) {
    let whole = Rect {
        x: 0.0,
        y: 0.0,
        width: layout.width,
        height: layout.height,
    };
    for (index, text) in layout.texts.iter().enumerate() {
        for other in &layout.texts[index + 1..] {
            assert!(!text.bounds.overlaps(&other.bounds), "{text:?}\n{other:?}");
        }
        for dot in &layout.dots {
            let around = Rect {
                x: dot.x - 8.0,
                y: dot.y - 8.0,
                width: 16.0,
                height: 16.0,
            };
            assert!(!text.bounds.overlaps(&around), "{text:?}\n{dot:?}");
        }
        let Rect {
            x,
            y,
            width,
            height,
        } = text.bounds;
        let is_inside =
            x >= 0.0 && y >= 0.0 && x + width <= whole.width && y + height <= whole.height;
        assert!(is_inside, "{text:?} in {whole:?}");
    }
    for (index, dot) in layout.dots.iter().enumerate() {
        let apart = |other: &(f64, f64)| (dot.x - other.0).abs() + (dot.y - other.1).abs() >= 14.0;
        let others = layout.dots[index + 1..]
            .iter()
            .map(|other| (other.x, other.y));
        assert!(others.clone().all(|other| apart(&other)), "{dot:?}");
    }
}

/// The names of all elements, if it is well-formed.
fn elements(text: &str) -> Vec<String> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = true;
    let (mut names, mut depth) = (Vec::new(), 0);
    loop {
        match reader.read_event().unwrap() {
            Event::Start(start) => {
                names.push(String::from_utf8(start.name().as_ref().to_vec()).unwrap());
                depth += 1;
            }
            Event::Empty(empty) => {
                names.push(String::from_utf8(empty.name().as_ref().to_vec()).unwrap());
            }
            Event::End(_) => depth -= 1,
            Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!(depth, 0);
    names
}

const EXAMPLES: [(&str, &str); 3] = [
    (
        include_str!("../../../examples/leaders/run.jsonl"),
        include_str!("../../../examples/leaders/leaders.props"),
    ),
    (
        include_str!("../../../examples/lost-update/run.jsonl"),
        include_str!("../../../examples/lost-update/lost-update.props"),
    ),
    (
        include_str!("../../../examples/valves/run.jsonl"),
        include_str!("../../../examples/valves/order.props"),
    ),
];

#[test]
fn the_examples_are_drawn_without_overlaps() {
    for (log, properties) in EXAMPLES {
        let trace = read(log);
        let file = PropertyFile::parse(properties).unwrap();
        for property in &file.properties {
            let told = story(&trace, property, &file.lets);
            let layout = layout(&trace, &property.text, told.as_ref(), Range::default());
            nothing_overlaps(&layout);
            assert_eq!(layout.dots.len(), trace.len());
            for theme in [Theme::Light, Theme::Dark] {
                let names = elements(&svg::text(&layout, theme));
                let circles = names.iter().filter(|name| *name == "circle").count();
                assert_eq!(circles, trace.len());
            }
        }
    }
}

#[test]
fn random_runs_are_drawn_without_overlaps() {
    let mut rng = Rng::with_seed(7);
    for _ in 0..300 {
        let shape = Shape::small(&mut rng);
        let trace = run(&mut rng, shape);
        let property = Property::parse(Kind::Ctl, "p", "AG !final").unwrap();
        let told = story(&trace, &property, &Lets::none());
        nothing_overlaps(&layout(&trace, "a title", told.as_ref(), Range::default()));
    }
}

#[test]
fn the_cut_parts_what_has_happened_from_what_has_not() {
    let trace = notation::parse("a: x=1  x=0\nb:          y=1\nc: .  .  .").unwrap();
    let property = Property::parse(Kind::Ctl, "p", "AG !(a.x = 1 && b.y = 1)").unwrap();
    let told = story(&trace, &property, &Lets::none()).unwrap();
    let layout = layout(&trace, "p", Some(&told), Range::default());
    let order = trace.order();
    for dot in &layout.dots {
        let is_past = order.position_of(dot.event) <= told.cut[order.process_of(dot.event).index()];
        // The two points of the cut on this lane have the same place.
        let on_lane = layout.cut.iter().find(|(_, y)| (y - dot.y).abs() < 30.0);
        let (x, _) = on_lane.unwrap();
        assert_eq!(dot.x < *x, is_past, "{dot:?} {x}");
        assert_eq!(dot.is_past, Some(is_past));
    }
    let mut numbers: Vec<usize> = layout.dots.iter().filter_map(|dot| dot.number).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=told.order.len()).collect::<Vec<_>>());
}

#[test]
fn hostile_names_are_only_words() {
    let long = "x".repeat(10_000);
    let log = format!(
        "{{\"p\":\"<script>alert(1)</script>\",\"ev\":\"</text><a href='x'>&amp;\\u001b\\u202e\",\"set\":{{\"\\\"/><b\":1}}}}\n\
         {{\"p\":\"{long}\",\"ev\":\"{long}\"}}\n{{\"p\":\"\\u05d0\\u05d1\\u05d2\",\"ev\":\"\\u0645\\u0631\\u062d\\u0628\\u0627\"}}\n"
    );
    let trace = read(&log);
    let layout = layout(&trace, "<b>&\"'", None, Range::default());
    nothing_overlaps(&layout);
    let text = svg::text(&layout, Theme::Light);
    let mut names = elements(&text);
    names.sort_unstable();
    names.dedup();
    assert_eq!(names, ["circle", "line", "rect", "svg", "text", "title"]);
    assert!(!text.contains(['\u{1b}', '\u{202e}']) && !text.contains(" on"));
    assert!(text.len() < 20_000, "{} bytes", text.len());
}

#[test]
fn a_large_run_shows_what_matters_and_says_what_is_missing() {
    let mut log = String::from("{\"p\":\"a\",\"set\":{\"x\":1}}\n");
    for _ in 0..500 {
        log += "{\"p\":\"c\"}\n{\"p\":\"d\"}\n";
    }
    log += "{\"p\":\"a\",\"set\":{\"x\":0}}\n{\"p\":\"b\",\"set\":{\"y\":1}}\n";
    let trace = read(&log);
    let property = Property::parse(Kind::Ctl, "p", "AG !(a.x = 1 && b.y = 1)").unwrap();
    let told = story(&trace, &property, &Lets::none()).unwrap();
    let whole = layout(&trace, "p", Some(&told), Range::default());
    nothing_overlaps(&whole);
    assert!(whole.dots.len() < 80, "{}", whole.dots.len());
    let drawn = |event: u32| {
        whole
            .dots
            .iter()
            .any(|dot| dot.event == EventId::new(event))
    };
    assert!(
        [0, 1001, 1002].into_iter().all(drawn),
        "the writers are drawn"
    );
    let note = format!("not shown: {} events", trace.len() - whole.dots.len());
    let notes = whole.texts.iter().filter(|text| text.role == Role::Note);
    assert!(notes.clone().any(|text| text.words == note), "{note}");
    let range = Range {
        from: Some(11),
        to: Some(20),
        around: None,
    };
    let part = layout(&trace, "p", Some(&told), range);
    let numbers: Vec<u32> = part.dots.iter().map(|dot| dot.event.raw()).collect();
    assert_eq!(numbers, (10..20).collect::<Vec<_>>());
}

#[test]
fn an_empty_run_is_an_empty_picture() {
    let trace = read("{\"causet\":1,\"processes\":[\"a\"]}\n");
    let layout = layout(&trace, "nothing", None, Range::default());
    assert!(layout.dots.is_empty());
    assert_eq!(elements(&svg::text(&layout, Theme::Light))[0], "svg");
}
