//! Traces of threads in the standard form of RAPID: `T0|r(V123)|345`, that is thread, operation and place in the code.
//!
//! Threads are processes. Besides their own order there is fork before the first event of the child, the last event of a
//! child before join, and each release of a lock before the next acquisition of it. Accesses to variables order nothing:
//! whether two of them can meet is what such traces are recorded for. A write sets the variable `V` of its thread to its
//! number among all writes of `V`; a read sets `read.V` to the number of the write that it saw. `lock.L` says whether a
//! thread holds a lock.

use causet_base::Code;
use rustc_hash::FxHashMap;

use super::entry::{Datum, Earlier, Entry};
use super::head::Head;
use super::lines::{self, Parse};
use super::scribe::Scribe;
use super::text::Text;
use super::{Format, Open, Reader};
use crate::error::ReadError;

pub(super) const FORMAT: Format = Format {
    name: "rapid",
    title: "RAPID traces of threads (STD)",
    about: "Threads are processes, ordered by fork, join and locks. Writes and reads are variables of their threads, \
            numbered by write.",
    looks: |head: &Head<'_>| {
        let mut lines = head.full_lines().take(20).peekable();
        lines.peek().is_some() && lines.all(|line| Step::of(line).is_ok())
    },
    open: Open::Log {
        reader: |_| Ok(Box::new(Rapid::default())),
        tolerant: false,
    },
};

/// What a thread does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Act {
    Read,
    Write,
    Acquire,
    Release,
    Fork,
    Join,
    Begin,
    End,
}

impl Act {
    fn named(name: &str) -> Option<Act> {
        Some(match name {
            "r" => Act::Read,
            "w" => Act::Write,
            "acq" => Act::Acquire,
            "rel" => Act::Release,
            "fork" => Act::Fork,
            "join" => Act::Join,
            "begin" => Act::Begin,
            "end" => Act::End,
            _ => return None,
        })
    }
}

/// A line.
struct Step<'l> {
    thread: &'l str,
    act: Act,
    /// What it is done to.
    operand: &'l str,
    /// As it is written.
    label: &'l str,
    location: Option<&'l str>,
}

/// What is wrong with a line: from where to where, and what.
type Wrong = (std::ops::Range<usize>, String);

impl<'l> Step<'l> {
    fn of(line: &'l str) -> Result<Step<'l>, Wrong> {
        let line = line.trim_end();
        let mut fields = line.split('|');
        let thread = fields.next().unwrap_or_default();
        let (Some(label), location) = (fields.next(), fields.next()) else {
            return Err((0..line.len(), "this line has no operation".to_owned()));
        };
        if thread.trim().is_empty() {
            return Err((0..1, "this line names no thread".to_owned()));
        }
        let start = thread.len() + 1;
        let (name, operand) = match label.split_once('(') {
            Some((name, operand)) => match operand.strip_suffix(')') {
                Some(operand) => (name, operand),
                None => {
                    let end = start + label.len();
                    return Err((
                        start + name.len()..end,
                        "this bracket is not closed".to_owned(),
                    ));
                }
            },
            None => (label, ""),
        };
        let Some(act) = Act::named(name) else {
            let message = format!("`{name}` is not an operation");
            return Err((start..start + name.len(), message));
        };
        if operand.is_empty() && !matches!(act, Act::Begin | Act::End) {
            let message = format!("`{name}` of what?");
            return Err((start..start + label.len(), message));
        }
        Ok(Step {
            thread: thread.trim(),
            act,
            operand,
            label,
            location,
        })
    }
}

#[derive(Default)]
struct Rapid {
    /// How many events each thread has had.
    threads: FxHashMap<String, u32>,
    /// Where a thread was forked, as long as it has not begun.
    forks: FxHashMap<String, (String, u32)>,
    /// How often each variable was written.
    writes: FxHashMap<String, i64>,
    locks: FxHashMap<String, Lock>,
    /// Acquisitions of locks that another thread holds, with the line of the first.
    stolen: Option<(u64, u32)>,
}

#[derive(Default)]
struct Lock {
    /// The latest release.
    released: Option<(String, u32)>,
    /// Who holds it, and how many times over.
    held: Option<(String, u32)>,
}

impl Reader for Rapid {
    fn part(&mut self, text: &mut Text<'_>, scribe: &mut Scribe<'_>) -> Result<(), ReadError> {
        lines::each(text, &Steps, |(number, step)| {
            scribe.add(&self.entry_of(&step, number))?;
            Ok(())
        })
    }

    fn finish(&mut self, scribe: &mut Scribe<'_>) -> Result<(), ReadError> {
        if let Some((count, line)) = self.stolen {
            let message = format!("locks that another thread holds are acquired {count} times");
            scribe.note(
                line,
                message,
                "its release was not recorded; nothing is ordered by it",
            );
        }
        Ok(())
    }
}

/// Parses lines.
struct Steps;

impl Parse for Steps {
    type Item<'l> = (u32, Step<'l>);

    fn parse<'l>(&self, number: u32, line: &'l str) -> Result<Option<Self::Item<'l>>, ReadError> {
        let step = Step::of(line).map_err(|(span, message)| {
            let expected = "expected THREAD|OPERATION(OPERAND)|LOCATION, such as T0|r(V123)|345";
            ReadError::at(
                Code::UnknownOperation,
                number,
                line,
                span,
                message,
                expected,
            )
            .with_help("operations are r, w, acq, rel, fork, join, begin and end")
        });
        step.map(|step| Some((number, step)))
    }
}

impl Rapid {
    fn entry_of<'l>(&mut self, step: &Step<'l>, line: u32) -> Entry<'l> {
        let count = self.threads.entry(step.thread.to_owned()).or_default();
        *count += 1;
        let own = (step.thread.to_owned(), *count);
        let mut entry = Entry::of(step.thread, line);
        entry.label = Some(step.label.into());
        let mut after = self.forks.remove(step.thread);
        let mut set = |name: String, datum| entry.sets.push((name.into(), datum));
        let operand = step.operand;
        match step.act {
            Act::Write => {
                let writes = self.writes.entry(operand.to_owned()).or_default();
                *writes += 1;
                set(operand.to_owned(), Datum::int(*writes));
            }
            Act::Read => {
                let seen = self.writes.get(operand).copied().unwrap_or(0);
                set(format!("read.{operand}"), Datum::int(seen));
            }
            Act::Acquire => {
                let lock = self.locks.entry(operand.to_owned()).or_default();
                let earlier = lock.acquire(step.thread);
                match earlier {
                    Ok(released) => entry.after.extend(released.map(position)),
                    Err(()) => {
                        let (count, first) = self.stolen.unwrap_or((0, line));
                        self.stolen = Some((count + 1, first));
                    }
                }
                set(format!("lock.{operand}"), Datum::bool(true));
            }
            Act::Release => {
                let lock = self.locks.entry(operand.to_owned()).or_default();
                let is_free = lock.release(&own);
                set(format!("lock.{operand}"), Datum::bool(!is_free));
            }
            Act::Fork => {
                self.forks.insert(operand.to_owned(), own.clone());
            }
            Act::Join => {
                let last = self.threads.get(operand);
                let last = last.map(|&last| (operand.to_owned(), last));
                entry.after.extend(last.map(position));
            }
            Act::Begin | Act::End => {}
        }
        if let Some(location) = step.location.filter(|location| !location.is_empty()) {
            let location = Datum::Text(location.into());
            entry.sets.push(("location".into(), location));
        }
        entry.after.extend(after.take().map(position));
        entry.after.retain(|earlier| earlier.process != step.thread);
        entry
    }
}

fn position((thread, count): (String, u32)) -> Earlier<'static> {
    Earlier::new(thread.into(), count)
}

impl Lock {
    /// A thread takes it, once more perhaps: the release before, or nothing if somebody else has it.
    fn acquire(&mut self, thread: &str) -> Result<Option<(String, u32)>, ()> {
        match &mut self.held {
            Some((holder, times)) if holder == thread => {
                *times += 1;
                Ok(None)
            }
            held => {
                let is_free = held.is_none();
                *held = Some((thread.to_owned(), 1));
                is_free.then(|| self.released.clone()).ok_or(())
            }
        }
    }

    /// A thread gives it back: whether it is free now.
    fn release(&mut self, own: &(String, u32)) -> bool {
        if let Some((holder, times)) = &mut self.held
            && *holder == own.0
            && *times > 1
        {
            *times -= 1;
            return false;
        }
        self.held = None;
        self.released = Some(own.clone());
        true
    }
}
