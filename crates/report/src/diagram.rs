//! An order of events drawn as text: a lane per process, a row per event, arrows for what had to come first.
//!
//! ```text
//!        a     b
//!   1    ●     │   a#1  leader=true  sends m1   line 2
//!   2    ├────▶●   b#1  receives m1             line 5   recorded as #4
//!      ══╪═════╪══ the cut; still to come, though recorded earlier:
//!        ○     │   a#2  leader=false            line 3   recorded as #2
//! ```
//!
//! Long orders are shortened to the rows that matter; the number on the right shows where the order departs from the
//! recorded one. Below the cut stand the events that the order has left behind. On a narrow terminal what an event did
//! gives way first, then where it stands in the log.

use std::io::{self, Write};

use causet_base::budget::{Budget, Spent};
use causet_check::subject::Subject;
use causet_trace::{Cut, EventId, Ranks, Trace, VarId};
use rustc_hash::FxHashSet;

use super::lanes::Lanes;
use super::words::{self, padded, short, width};
use super::{Palette, Stopped};

/// Orders up to this length are shown whole.
const WHOLE: usize = 30;
/// Of a longer one, about this many rows.
const MOST_ROWS: usize = 24;
/// Its first and last events are always shown.
const FIRST: usize = 3;
const LAST: usize = 5;
/// Maximum number of earlier events that are shown because they gave a variable the value it has at the end.
const MOST_LAST_WRITES: usize = 16;
/// What an event did is cut at this width.
const WHAT_WIDTH: usize = 60;
/// On a narrow terminal, at this.
const NARROW_WHAT: usize = 16;
/// And when there is no room for the place in the log either, at this.
const LEAST_WHAT: usize = 8;
/// So many events below the cut are shown.
const MOST_LATE: usize = 5;

/// An order of events to draw.
pub(super) struct Diagram<'a> {
    /// The run the events belong to.
    pub(super) subject: Subject<'a>,
    /// The events, in this order.
    pub(super) events: &'a [EventId],
    /// How many events came before them.
    pub(super) before: usize,
    /// The variables the formula names.
    pub(super) mentioned: &'a FxHashSet<VarId>,
    /// The events that the sentence names: each has a row, and its lane.
    pub(super) focus: &'a [EventId],
    /// Where the events stand in the recorded order.
    pub(super) recorded: &'a Places,
    /// The cut the events lead to, when it is to be drawn.
    pub(super) cut: Option<&'a Cut>,
    /// What looking for the events to show may take.
    pub(super) budget: &'a Budget<'a>,
}

/// The place of every event in the recorded order.
pub(super) struct Places(Ranks);

impl Places {
    /// Numbers the events of a trace from 1.
    pub(super) fn new(trace: &Trace) -> Places {
        Places(trace.order().ranks())
    }

    /// The place of an event, from 1.
    pub(super) fn of(&self, event: EventId) -> usize {
        self.0.of(event) as usize + 1
    }
}

impl Diagram<'_> {
    /// Draws the order.
    pub(super) fn write(&self, palette: &Palette, out: &mut dyn Write) -> Result<(), Stopped> {
        let shown = self.shown()?;
        let late = self.late()?;
        let drawn: Vec<EventId> = shown.iter().map(|&index| self.events[index]).collect();
        let involved: Vec<EventId> = drawn.iter().chain(&late.shown).copied().collect();
        let named: Vec<EventId> = involved
            .iter()
            .copied()
            .filter(|event| self.focus.contains(event))
            .collect();
        let lanes = Lanes::new(self.trace(), &involved, &named, palette.columns);
        let mut rows: Vec<Row> = shown
            .iter()
            .map(|&index| self.row(self.events[index], Some(self.before + index + 1)))
            .collect();
        let below = late.shown.iter().map(|&event| self.row(event, None));
        rows.extend(below);
        let columns = Columns::of(&rows, &lanes, palette);
        let faint = palette.faint;
        if !lanes.processes.is_empty() {
            let head = lanes.head(self.trace());
            writeln!(
                out,
                "  {}  {faint}{head}{faint:#}",
                " ".repeat(columns.number)
            )?;
        }
        let mut next = 0;
        for (row, &index) in rows.iter().zip(&shown) {
            gap(index - next, &columns, &lanes, palette, out)?;
            next = index + 1;
            let drawn = lanes.row(self.trace(), self.events[index], '●', palette);
            row.write(&drawn, &columns, palette, out)?;
        }
        gap(self.events.len() - next, &columns, &lanes, palette, out)?;
        if self.cut.is_some() {
            late.line(&columns, &lanes, palette, out)?;
        }
        for (row, &event) in rows[shown.len()..].iter().zip(&late.shown) {
            let drawn = lanes.row(self.trace(), event, '○', palette);
            row.write(&drawn, &columns, palette, out)?;
        }
        gap(late.more, &columns, &lanes, palette, out)?;
        Ok(())
    }

    /// The events that were recorded before some event of the order but have not happened at the cut: of many, those
    /// that the sentence names and that write what the property names; whatever is shown stands in the recorded order.
    /// What the sentence names beside them stands there, too.
    fn late(&self) -> Result<Late, Spent> {
        let Some(cut) = self.cut else {
            return Ok(Late::default());
        };
        let order = self.trace().order();
        let places = self.events.iter().map(|&event| self.recorded.of(event));
        let last = places.max().unwrap_or(0);
        self.budget.tick_many(last as u64)?;
        let late = order
            .recorded()
            .take(last)
            .filter(|&event| !order.contains(cut, event));
        let mut late: Vec<EventId> = late.collect();
        let all = late.len();
        late.sort_by_key(|event| (!self.focus.contains(event), !self.touches(*event)));
        late.truncate(MOST_LATE);
        let more = all - late.len();
        let is_ahead =
            |&event: &EventId| self.recorded.of(event) > last && !order.contains(cut, event);
        let ahead: Vec<EventId> = self.focus.iter().copied().filter(is_ahead).collect();
        let is_earlier = ahead.is_empty();
        late.extend(ahead.into_iter().take(MOST_LATE));
        late.sort_by_key(|&event| self.recorded.of(event));
        Ok(Late {
            shown: late,
            more,
            is_earlier,
        })
    }

    fn trace(&self) -> &Trace {
        self.subject.trace
    }

    /// Which events get a row: all of a short order, else those that matter; when these are too many the latest ones,
    /// and who gave each variable the value it has at the end.
    fn shown(&self) -> Result<Vec<usize>, Spent> {
        let count = self.events.len();
        if count <= WHOLE {
            return Ok((0..count).collect());
        }
        let mut shown: Vec<usize> = (0..FIRST).chain(count - LAST..count).collect();
        let last = &self.events[count - LAST..];
        let first = &self.events[..FIRST];
        let order = self.trace().order();
        let is_shown = |event: &EventId| last.contains(event) || first.contains(event);
        let is_within = |event: &&EventId| {
            let is_past = |cut: &Cut| order.contains(cut, **event);
            !is_shown(event) && self.cut.is_none_or(is_past)
        };
        let mut named: FxHashSet<EventId> = self.focus.iter().filter(is_within).copied().collect();
        // The variables whose last write is still to be found.
        let mut open = self.mentioned.clone();
        for &event in &self.events[count - LAST..] {
            self.settle(event, &mut open);
        }
        // From the end back, so that no more of a long order is read than it takes to find the rows.
        for index in (FIRST..count - LAST).rev() {
            self.budget.tick()?;
            let event = self.events[index];
            let has_place = shown.len() < MOST_ROWS + MOST_LAST_WRITES;
            let is_last = has_place && self.settle(event, &mut open);
            let is_named = !named.is_empty() && named.remove(&event);
            let has_room = shown.len() < MOST_ROWS;
            if is_named || is_last || (has_room && (self.touches(event) || self.connects(index))) {
                shown.push(index);
            }
            let is_settled = open.is_empty() || shown.len() >= MOST_ROWS + MOST_LAST_WRITES;
            if !has_room && is_settled && named.is_empty() {
                break;
            }
        }
        shown.sort_unstable();
        Ok(shown)
    }

    /// Takes the variables that an event writes from those whose last write is still to be found; whether there was one.
    fn settle(&self, event: EventId, open: &mut FxHashSet<VarId>) -> bool {
        let writes = self.trace().writes(event);
        !open.is_empty() && writes.filter(|write| open.remove(&write.var)).count() > 0
    }

    /// Whether an event writes a variable of the formula.
    pub(super) fn touches(&self, event: EventId) -> bool {
        let mut writes = self.trace().writes(event);
        writes.any(|write| self.mentioned.contains(&write.var))
    }

    /// Whether an event receives a message from an event that writes a variable of the formula.
    fn connects(&self, index: usize) -> bool {
        let received = self.trace().receives(self.events[index]).iter();
        let mut senders = received.filter_map(|&message| self.trace().sender(message));
        senders.any(|sender| self.touches(sender))
    }

    /// The row of an event; one that is still to come has no number.
    fn row(&self, event: EventId, number: Option<usize>) -> Row {
        let place = self.recorded.of(event);
        Row {
            number: number.map_or(String::new(), |number| number.to_string()),
            event: words::event(self.trace(), event),
            what: what(self.trace(), event, self.mentioned),
            line: line(&self.subject, event),
            recorded: (number != Some(place)).then_some(place),
        }
    }
}

/// Events below the cut.
#[derive(Default)]
struct Late {
    shown: Vec<EventId>,
    /// How many are not shown.
    more: usize,
    /// Whether all of them were recorded before some event of the order.
    is_earlier: bool,
}

impl Late {
    /// The cut across the lanes.
    fn line(
        &self,
        columns: &Columns,
        lanes: &Lanes,
        palette: &Palette,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let unsure = palette.unsure;
        let words = match (self.shown.is_empty(), columns.is_narrow) {
            (true, _) => "the cut",
            (false, narrow) if narrow || !self.is_earlier => "the cut; still to come:",
            (false, _) => "the cut; still to come, though recorded earlier:",
        };
        let (blanks, drawn) = (" ".repeat(columns.number), lanes.cut());
        writeln!(out, "  {blanks}  {unsure}{drawn}  {words}{unsure:#}")
    }
}

/// A row without its lanes.
struct Row {
    number: String,
    event: String,
    what: Vec<(String, bool)>,
    line: String,
    /// Its place in the recorded order, when that is another one.
    recorded: Option<usize>,
}

/// A text and how wide it is without its escape codes.
struct Words {
    styled: String,
    width: usize,
}

/// How wide each column is.
struct Columns {
    number: usize,
    event: usize,
    what: usize,
    /// What the events did is cut at this width.
    most_what: usize,
    line: usize,
    /// Whether there is no room for places in the log.
    is_narrow: bool,
}

impl Columns {
    fn of(rows: &[Row], lanes: &Lanes, palette: &Palette) -> Self {
        let widest = |measure: &dyn Fn(&Row) -> usize| rows.iter().map(measure).max().unwrap_or(0);
        let mut columns = Columns {
            number: widest(&|row| width(&row.number)).max(3),
            event: widest(&|row| width(&row.event)),
            what: 0,
            most_what: WHAT_WIDTH,
            line: widest(&|row| width(&row.line)),
            is_narrow: false,
        };
        if let Some(terminal) = palette.columns {
            let others = |columns: &Columns| {
                let recorded = widest(&|row| 2 + width(&columns.recorded(row.recorded)));
                let places = match columns.is_narrow {
                    true => 0,
                    false => 2 + columns.line,
                };
                columns.number + lanes.width() + columns.event + places + recorded + 8
            };
            let room = terminal.saturating_sub(others(&columns));
            columns.most_what = room.min(WHAT_WIDTH);
            if room < NARROW_WHAT {
                columns.is_narrow = true;
                let room = terminal.saturating_sub(others(&columns));
                columns.most_what = room.clamp(LEAST_WHAT, WHAT_WIDTH);
            }
        }
        let what = |row: &Row| joined(&row.what, columns.most_what, &Palette::plain()).width;
        columns.what = widest(&what);
        columns
    }

    /// Where an event was recorded, in words.
    fn recorded(&self, place: Option<usize>) -> String {
        let words = match self.is_narrow {
            true => "was #",
            false => "recorded as #",
        };
        place.map_or_else(String::new, |place| format!("{words}{place}"))
    }
}

impl Row {
    fn write(
        &self,
        lanes: &str,
        columns: &Columns,
        palette: &Palette,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let Palette { faint, unsure, .. } = *palette;
        let number = format!("{:>1$}", self.number, columns.number);
        let event = padded(&self.event, columns.event);
        write!(out, "  {faint}{number}{faint:#}  {lanes}  {event}")?;
        if columns.what > 0 {
            let what = joined(&self.what, columns.most_what, palette);
            let blanks = " ".repeat(columns.what - what.width);
            write!(out, "  {}{blanks}", what.styled)?;
        }
        let recorded = columns.recorded(self.recorded);
        if !columns.is_narrow {
            let line = match self.recorded {
                None => self.line.clone(),
                Some(_) => padded(&self.line, columns.line),
            };
            write!(out, "  {faint}{line}{faint:#}")?;
        }
        match self.recorded {
            None => writeln!(out),
            Some(_) => writeln!(out, "  {unsure}{recorded}{unsure:#}"),
        }
    }
}

/// A row for events left out.
fn gap(
    count: usize,
    columns: &Columns,
    lanes: &Lanes,
    palette: &Palette,
    out: &mut dyn Write,
) -> io::Result<()> {
    if count == 0 {
        return Ok(());
    }
    let faint = palette.faint;
    let dots = format!("{:>1$}", "⋮", columns.number);
    let drawn = lanes.gap();
    let other = words::count(count, "other event");
    writeln!(out, "  {faint}{dots}  {drawn}  {other}{faint:#}")
}

/// What an event did: its label, what it received, wrote and sent.
fn what(trace: &Trace, event: EventId, mentioned: &FxHashSet<VarId>) -> Vec<(String, bool)> {
    let mut parts: Vec<(String, bool)> = Vec::new();
    parts.extend(
        trace
            .label(event)
            .map(|label| (short(label, WHAT_WIDTH), false)),
    );
    let messages = |verb: &str, all: &[causet_trace::MessageId]| {
        let names: Vec<String> = all
            .iter()
            .map(|&m| short(trace.message_name(m), 16))
            .collect();
        (!names.is_empty()).then(|| (format!("{verb} {}", words::list(&names, 3)), false))
    };
    parts.extend(messages("receives", trace.receives(event)));
    // What the formula names comes first, so that it is never what is cut off.
    let mut writes: Vec<_> = trace.writes(event).collect();
    writes.sort_by_key(|write| !mentioned.contains(&write.var));
    for write in writes {
        let name = short(trace.short_name(write.var), 20);
        let value = words::value(trace, write.value);
        parts.push((format!("{name}={value}"), mentioned.contains(&write.var)));
    }
    parts.extend(messages("sends", trace.sends(event)));
    parts
}

/// The parts side by side, as many as fit, the marked ones strong.
fn joined(parts: &[(String, bool)], most: usize, palette: &Palette) -> Words {
    let strong = palette.strong;
    let mut words = Words {
        styled: String::new(),
        width: 0,
    };
    for (index, (part, marked)) in parts.iter().enumerate() {
        let part = &short(part, most);
        let gap = if index == 0 { "" } else { "  " };
        if index > 0 && words.width + width(part) + 4 > most {
            // Where every column counts, the sign that there is more gives way too.
            if most == WHAT_WIDTH || words.width + 3 <= most {
                words.styled.push_str("  …");
                words.width += 3;
            }
            break;
        }
        words.width += width(gap) + width(part);
        words.styled.push_str(gap);
        match marked {
            true => words.styled.push_str(&format!("{strong}{part}{strong:#}")),
            false => words.styled.push_str(part),
        }
    }
    words
}

/// Where the event stands in the log.
pub(super) fn line(subject: &Subject<'_>, event: EventId) -> String {
    let place = subject.trace.place(event);
    match subject.parts {
        [] | [_] => format!("line {}", place.line),
        parts => {
            let part = parts.get(place.part as usize).map_or("", String::as_str);
            let file = part.rsplit('/').next().unwrap_or(part);
            format!("{}:{}", short(file, 24), place.line)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use causet_trace::notation;

    #[test]
    fn places_count_from_one() {
        let trace = notation::parse("a: m!\nb: m?").unwrap();
        let places = Places::new(&trace);
        let recorded: Vec<usize> = trace
            .order()
            .recorded()
            .map(|event| places.of(event))
            .collect();
        assert_eq!(recorded, [1, 2]);
    }

    /// Draws two orders of one run on terminals of several widths.
    fn drawn(columns: Option<usize>) -> String {
        let run = "a: leader=1,@elected  @heartbeat,m!  leader=0,@expired\nb:                 m?,leader=1,@elected";
        let trace = notation::parse(run).unwrap();
        let order = trace.order();
        let [a, b] = [0, 1].map(|process| order.chain(order.processes().nth(process).unwrap()));
        let events = [a[0], a[1], b[0]];
        let cut = Cut::new(vec![2, 1]);
        let diagram = Diagram {
            subject: Subject::of(&trace),
            events: &events,
            before: 0,
            mentioned: &trace.variables().collect(),
            focus: &[],
            recorded: &Places::new(&trace),
            cut: Some(&cut),
            budget: &Budget::endless(),
        };
        let palette = Palette {
            columns,
            ..Palette::plain()
        };
        let mut out = Vec::new();
        diagram.write(&palette, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_drawing_fits_the_terminal() {
        for columns in [40, 60, 80, 120] {
            let drawn = drawn(Some(columns));
            for line in drawn.lines() {
                assert!(width(line.trim_end()) <= columns, "{columns}:\n{drawn}");
            }
            // Whatever gives way, the events and the cut are there.
            for words in ["a#1", "a#2", "b#1", "the cut", "elected"] {
                assert!(drawn.contains(words), "{words} at {columns}:\n{drawn}");
            }
        }
        assert_eq!(drawn(Some(200)), drawn(None));
        assert!(drawn(None).contains("line ") && !drawn(Some(40)).contains("line "));
    }
}
