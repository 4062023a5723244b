//! The shapes of a picture and their places, before anything is written: what can be checked for overlaps.

use causet_trace::{EventId, ProcessId, Trace};
use rustc_hash::{FxHashMap, FxHashSet};

use super::place::Places;
use super::{Choice, Picture};
use crate::story::Story;
use causet_formats::words;

/// The height of a line of words.
pub(super) const LINE: f64 = 15.0;
/// How wide a column of words is at the size used; words in common fonts are narrower.
const COLUMN: f64 = 6.9;
/// The distance of two lanes.
const LANE: f64 = 66.0;
/// The margin around everything.
const MARGIN: f64 = 14.0;
/// The radius of an event.
pub(super) const RADIUS: f64 = 8.0;
/// Words longer than this are cut.
const MOST_COLUMNS: usize = 24;
/// Lines below the picture are broken at this width, or at that of the picture.
const NARROWEST: f64 = 420.0;

/// A rectangle.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rect {
    /// The left side.
    pub x: f64,
    /// The upper side.
    pub y: f64,
    /// How wide it is.
    pub width: f64,
    /// How high.
    pub height: f64,
}

impl Rect {
    /// Whether two rectangles have more than a side in common.
    pub fn overlaps(&self, other: &Rect) -> bool {
        let apart = |low: f64, size: f64, other_low: f64, other_size: f64| {
            low + size <= other_low || other_low + other_size <= low
        };
        !apart(self.x, self.width, other.x, other.width)
            && !apart(self.y, self.height, other.y, other.height)
    }
}

/// What some words are for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// The line on top.
    Title,
    /// The name of a process.
    Process,
    /// What an event is called.
    Label,
    /// What an event wrote; strong when the property names it.
    Write {
        /// Whether the property names it.
        strong: bool,
    },
    /// How many events are left out on a lane.
    Gap,
    /// What is said below.
    Note,
}

/// Words with their place, which is the middle of a label and the left end of everything else, on the base line.
#[derive(Clone, PartialEq, Debug)]
pub struct Text {
    /// The words, fit to be shown.
    pub words: String,
    /// What they are for.
    pub role: Role,
    /// Where they are.
    pub bounds: Rect,
}

/// An event with its place.
#[derive(Clone, PartialEq, Debug)]
pub struct Dot {
    /// The event.
    pub event: EventId,
    /// Its middle.
    pub x: f64,
    /// Its middle.
    pub y: f64,
    /// Its place in the order that shows the verdict, from 1.
    pub number: Option<usize>,
    /// Whether it has happened at the cut; without a cut, nothing is known.
    pub is_past: Option<bool>,
    /// All there is to say of it.
    pub hint: String,
}

/// A line from an event to one that had to wait for it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Arrow {
    /// From where.
    pub from: (f64, f64),
    /// To where.
    pub to: (f64, f64),
    /// Whether it is a message.
    pub is_message: bool,
}

/// A piece of a lane.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Segment {
    /// Its left end.
    pub from: f64,
    /// Its right end.
    pub to: f64,
    /// Its height.
    pub y: f64,
    /// Whether events are left out on it.
    pub is_broken: bool,
}

/// All shapes of a picture.
#[derive(Clone, PartialEq, Debug)]
pub struct Layout {
    /// How wide it is.
    pub width: f64,
    /// How high.
    pub height: f64,
    /// The words.
    pub texts: Vec<Text>,
    /// The events.
    pub dots: Vec<Dot>,
    /// The messages and other edges.
    pub arrows: Vec<Arrow>,
    /// The lanes.
    pub segments: Vec<Segment>,
    /// The cut, from top to bottom.
    pub cut: Vec<(f64, f64)>,
    /// Where the past begins, which is shaded up to the cut.
    pub left: f64,
}

impl Layout {
    /// Gives everything its place.
    pub fn of(picture: &Picture<'_>, choice: &Choice) -> Layout {
        Drawing::new(picture, choice).layout()
    }
}

/// What is known while shapes get their places.
struct Drawing<'a> {
    trace: &'a Trace,
    picture: &'a Picture<'a>,
    choice: &'a Choice,
    story: Option<&'a Story>,
    lanes: Vec<ProcessId>,
    labels: Vec<Label>,
    left: f64,
    top: f64,
    places: Places,
}

/// The words at one event.
struct Label {
    above: Option<String>,
    below: Option<(String, bool)>,
}

impl Label {
    fn width(&self) -> f64 {
        let widths = [
            self.above.as_deref(),
            self.below.as_ref().map(|(text, _)| text.as_str()),
        ];
        let widest = widths.into_iter().flatten().map(width_of);
        widest.fold(2.0 * RADIUS, f64::max)
    }
}

impl<'a> Drawing<'a> {
    fn new(picture: &'a Picture<'a>, choice: &'a Choice) -> Self {
        let trace = picture.trace;
        let order = trace.order();
        let story = picture.told.and_then(|told| told.story);
        let named: FxHashSet<&str> = story
            .iter()
            .flat_map(|story| story.values.iter().map(|held| held.name.as_str()))
            .collect();
        let drawn: FxHashSet<ProcessId> = choice
            .events
            .iter()
            .map(|&event| order.process_of(event))
            .collect();
        let lanes: Vec<ProcessId> = order
            .processes()
            .filter(|process| drawn.contains(process))
            .collect();
        let names = lanes
            .iter()
            .map(|&process| width_of(&process_name(trace, process)));
        let left = MARGIN + names.fold(0.0, f64::max) + 16.0;
        let labels: Vec<Label> = choice
            .events
            .iter()
            .map(|&event| label(trace, event, &named))
            .collect();
        let widths: Vec<f64> = labels.iter().map(Label::width).collect();
        let places = Places::of(trace, &choice.events, &widths, left);
        Drawing {
            trace,
            picture,
            choice,
            story,
            lanes,
            labels,
            left,
            top: MARGIN,
            places,
        }
    }

    fn layout(mut self) -> Layout {
        let width = (self.places.end + MARGIN + 10.0).max(NARROWEST);
        let mut texts = Vec::new();
        if let Some(told) = self.picture.told {
            let lines = broken(told.title, width - 2.0 * MARGIN);
            self.top = block(&lines, Role::Title, self.top, &mut texts) + 6.0;
        }
        let dots = self.dots();
        let segments = self.segments(width, &mut texts);
        let arrows = self.arrows();
        let cut = self.cut();
        let bottom = self.top + LANE * self.lanes.len() as f64 + 4.0;
        let notes: Vec<String> = self
            .notes()
            .iter()
            .flat_map(|note| broken(note, width - 2.0 * MARGIN))
            .collect();
        let bottom = block(&notes, Role::Note, bottom, &mut texts);
        self.labels(&mut texts);
        Layout {
            width,
            height: bottom + MARGIN,
            texts,
            dots,
            arrows,
            segments,
            cut,
            left: self.left - 8.0,
        }
    }

    /// The height of a lane.
    fn lane_y(&self, process: ProcessId) -> Option<f64> {
        let index = self.lanes.binary_search(&process).ok()?;
        Some(self.top + LANE * (index as f64 + 0.5))
    }

    fn point(&self, event: EventId) -> Option<(f64, f64)> {
        let x = self.places.get(event)?;
        Some((x, self.lane_y(self.trace.order().process_of(event))?))
    }

    fn dots(&self) -> Vec<Dot> {
        let order = self.trace.order();
        let start = |story: &Story| story.start.iter().flatten().map(|&n| n as usize).sum();
        let numbers: FxHashMap<u32, usize> = self.story.map_or_else(FxHashMap::default, |story| {
            let before: usize = start(story);
            story.order.iter().copied().zip(before + 1..).collect()
        });
        let dot = |&event: &EventId| {
            let (x, y) = self.point(event)?;
            Some(Dot {
                event,
                x,
                y,
                number: numbers.get(&event.raw()).copied(),
                is_past: self.story.map(|story| {
                    let count = story.cut[order.process_of(event).index()];
                    order.position_of(event) <= count
                }),
                hint: hint(self.trace, event),
            })
        };
        self.choice.events.iter().filter_map(dot).collect()
    }

    fn arrows(&self) -> Vec<Arrow> {
        let order = self.trace.order();
        let mut arrows = Vec::new();
        for &event in &self.choice.events {
            for &before in order.crossing_into(event) {
                if let (Some(from), Some(to)) = (self.point(before), self.point(event)) {
                    let received = self.trace.receives(event).iter();
                    let mut senders = received.filter_map(|&message| self.trace.sender(message));
                    arrows.push(Arrow {
                        from,
                        to,
                        is_message: senders.any(|sender| sender == before),
                    });
                }
            }
        }
        arrows
    }

    /// The lanes, broken where events are left out, with the names of the processes before them.
    fn segments(&self, width: f64, texts: &mut Vec<Text>) -> Vec<Segment> {
        let order = self.trace.order();
        let mut segments = Vec::new();
        for &process in &self.lanes {
            let Some(y) = self.lane_y(process) else {
                continue;
            };
            let name = process_name(self.trace, process);
            texts.push(at_left(name, Role::Process, MARGIN, y - LINE / 2.0));
            let (mut from, mut position) = (self.left - 8.0, 0);
            let drawn = self.choice.events.iter().copied();
            let stops = drawn
                .filter(|&event| order.process_of(event) == process)
                .filter_map(|event| Some((self.places.get(event)?, order.position_of(event))));
            let end = (width - MARGIN, order.chain(process).len() as u32 + 1);
            for (to, next) in stops.chain([end]) {
                let hidden = next - position - 1;
                segments.push(Segment {
                    from,
                    to,
                    y,
                    is_broken: hidden > 0,
                });
                (from, position) = (to, next);
            }
        }
        segments
    }

    /// The cut passes between the words of the last event that has happened and those of the next.
    fn cut(&self) -> Vec<(f64, f64)> {
        let Some(story) = self.story else {
            return Vec::new();
        };
        let order = self.trace.order();
        let mut points = Vec::new();
        for &process in &self.lanes {
            let Some(y) = self.lane_y(process) else {
                continue;
            };
            let count = story.cut[process.index()];
            let (mut before, mut after) = (self.left - 8.0, None);
            for (&event, label) in self.choice.events.iter().zip(&self.labels) {
                let Some(x) = self.places.get(event) else {
                    continue;
                };
                if order.process_of(event) != process {
                    continue;
                }
                match order.position_of(event) <= count {
                    true => before = x + label.width() / 2.0,
                    false => {
                        after = Some(x - label.width() / 2.0);
                        break;
                    }
                }
            }
            let x = after.map_or(before + 7.0, |after| {
                (before + after.min(before + 14.0)) / 2.0
            });
            points.extend([(x, y - LANE / 2.0 + 6.0), (x, y + LANE / 2.0 - 6.0)]);
        }
        points
    }

    fn labels(&self, texts: &mut Vec<Text>) {
        for (&event, label) in self.choice.events.iter().zip(&self.labels) {
            let Some((x, y)) = self.point(event) else {
                continue;
            };
            if let Some(above) = &label.above {
                let role = Role::Label;
                texts.push(centred(above.clone(), role, x, y - RADIUS - 3.0 - LINE));
            }
            if let Some((below, strong)) = &label.below {
                let role = Role::Write { strong: *strong };
                texts.push(centred(below.clone(), role, x, y + RADIUS + 3.0));
            }
        }
    }

    /// What is said below the picture.
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some(story) = self.story {
            notes.push(story.sentence.clone());
            let values = story.values.iter().take(12);
            let values: Vec<String> = values
                .map(|held| format!("{} = {}", held.name, held.value))
                .collect();
            let mut legend = "shaded: what has happened at the cut; numbers: the order".to_owned();
            if !values.is_empty() {
                legend += &format!("; there {}", values.join(", "));
            }
            notes.push(legend);
        }
        let hidden = self.trace.order().process_count() - self.lanes.len();
        let events = words::count(self.choice.left_out, "event");
        let processes = words::count(hidden, "process");
        match (self.choice.left_out, hidden) {
            (0, 0) => {}
            (0, _) => notes.push(format!("not shown: {processes} without events")),
            (_, 0) => notes.push(format!("not shown: {events}")),
            _ => notes.push(format!(
                "not shown: {events}, and {processes} of which no event is"
            )),
        }
        notes
    }
}

/// The words at an event: its name above, what it wrote below, what the property names before anything else.
fn label(trace: &Trace, event: EventId, named: &FxHashSet<&str>) -> Label {
    let is_named = |name: &str| named.contains(words::clean(name).as_str());
    let mut writes: Vec<(String, bool)> = trace
        .writes(event)
        .map(|write| {
            let value = words::value(trace, write.value);
            let text = format!("{}={value}", words::clean(trace.short_name(write.var)));
            (text, is_named(&trace.variable_name(write.var)))
        })
        .collect();
    writes.sort_by_key(|(_, strong)| !strong);
    let strong = writes.iter().any(|(_, strong)| *strong);
    if !named.is_empty() {
        writes.retain(|(_, strong)| *strong);
    }
    let all: Vec<String> = writes.into_iter().map(|(text, _)| text).collect();
    Label {
        above: trace
            .label(event)
            .map(|text| words::short(text, MOST_COLUMNS)),
        below: (!all.is_empty()).then(|| (words::short(&all.join(" "), MOST_COLUMNS), strong)),
    }
}

/// All there is to say of an event, for whoever points at it.
fn hint(trace: &Trace, event: EventId) -> String {
    let mut hint = words::event(trace, event);
    if let Some(label) = trace.label(event) {
        hint += &format!(" {}", words::short(label, 200));
    }
    for write in trace.writes(event).take(20) {
        let name = words::short(trace.short_name(write.var), 60);
        hint += &format!(" {name}={}", words::value(trace, write.value));
    }
    hint
}

fn process_name(trace: &Trace, process: ProcessId) -> String {
    words::short(trace.process_name(process), MOST_COLUMNS)
}

/// How wide words are, at most.
fn width_of(text: &str) -> f64 {
    words::width(text) as f64 * COLUMN
}

fn at_left(words: String, role: Role, x: f64, y: f64) -> Text {
    let width = width_of(&words);
    Text {
        words,
        role,
        bounds: Rect {
            x,
            y,
            width,
            height: LINE,
        },
    }
}

fn centred(words: String, role: Role, middle: f64, y: f64) -> Text {
    let x = middle - width_of(&words) / 2.0;
    at_left(words, role, x, y)
}

/// Lines below each other from some height on; the height below the last.
fn block(lines: &[String], role: Role, top: f64, texts: &mut Vec<Text>) -> f64 {
    let mut y = top;
    for line in lines {
        texts.push(at_left(line.clone(), role, MARGIN, y));
        y += LINE + 2.0;
    }
    y
}

/// A text in lines that are no wider than this; a word that is wider has a line of its own, cut.
fn broken(text: &str, width: f64) -> Vec<String> {
    let most = (width / COLUMN) as usize;
    let text = words::clean(text);
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let word = words::short(word, most);
        let Some(line) = lines.last_mut() else {
            break;
        };
        match line.is_empty() {
            true => line.push_str(&word),
            false if words::width(line) + 1 + words::width(&word) <= most => {
                line.push(' ');
                line.push_str(&word);
            }
            false => lines.push(word),
        }
    }
    lines
}
