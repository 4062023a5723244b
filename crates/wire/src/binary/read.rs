//! Reading the binary form: the sections are found by their heads, then two threads put the halves of the run together.

use std::fmt;

use causet_trace::Trace;
use causet_trace::stored::{Actions, BLOCK, NotARun, Numbers, Orders, Restorer};

use super::section::{Kind, Section, Title};
use super::{MAGIC, VERSION, is_binary};

/// What was stored.
#[derive(Debug)]
pub struct Stored {
    /// The run.
    pub trace: Trace,
    /// The names of the parts it was read from.
    pub parts: Vec<String>,
}

/// Why some bytes are not a run in this form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Damage {
    /// The section that is at fault.
    pub section: String,
    /// What is wrong with it.
    pub reason: String,
    /// How many events before it are whole, and how many there were; unknown when the head is at fault.
    pub whole: Option<(usize, usize)>,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "section `{}`: {}", self.section, self.reason)?;
        match self.whole {
            None => f.write_str("; nothing can be saved"),
            Some((0, all)) => write!(f, "; none of the {all} events is whole"),
            Some((some, all)) => write!(f, "; the first {some} of {all} events are whole"),
        }?;
        f.write_str("; convert the log again, or copy the file again")
    }
}

impl std::error::Error for Damage {}

/// Reads a run; more than one worker means that a second thread may be used.
pub fn read(bytes: &[u8], workers: usize) -> Result<Stored, Damage> {
    let (head, rest) = open(bytes)?;
    let sections = Sections::find(head.events, rest)?;
    // Each event has a byte at least, and room is made for as many as are said to be there.
    if head.events > rest.len() {
        return Err(sections.damaged("head".to_owned(), "it counts more events than bytes", 0));
    }
    let tables = sections.columns(&sections.tables)?;
    let restorer = Restorer::new(&tables).map_err(|error| sections.not_a_run("tables", &error))?;
    if restorer.len() != head.events {
        return Err(sections.damaged("tables".to_owned(), "it has another number of events", 0));
    }
    let (orders, actions) = sections.halves(&restorer, workers)?;
    let trace = restorer.finish(orders, actions);
    Ok(Stored {
        trace: trace.map_err(|error| sections.not_a_run("tables", &error))?,
        parts: head.parts,
    })
}

/// What the head says.
struct Head {
    events: usize,
    parts: Vec<String>,
}

fn open(bytes: &[u8]) -> Result<(Head, &[u8]), Damage> {
    let damaged = |reason: &str| Damage {
        section: "head".to_owned(),
        reason: reason.to_owned(),
        whole: None,
    };
    if !is_binary(bytes) {
        return Err(damaged("this is not the beginning of a binary run"));
    }
    let versioned = bytes[MAGIC.len()..].split_first_chunk();
    let (version, rest) = versioned.ok_or_else(|| damaged("the file ends here"))?;
    let version = u32::from_le_bytes(*version);
    if version != VERSION {
        return Err(damaged(&format!(
            "the file has version {version}, and this program reads version {VERSION}"
        )));
    }
    let (section, rest) = Section::split(rest).map_err(damaged)?;
    let columns = section.columns().map_err(damaged)?;
    let head = head(&columns).filter(|_| section.title.kind == Kind::Head);
    let head = head.ok_or_else(|| damaged("it does not say how many events there are"))?;
    Ok((head, rest))
}

fn head(columns: &[Numbers<'_>]) -> Option<Head> {
    let [
        Numbers::Longs(events),
        Numbers::Bytes(names),
        Numbers::Longs(ends),
    ] = columns
    else {
        return None;
    };
    let names = str::from_utf8(names).ok()?;
    let mut parts = Vec::new();
    let mut start = 0;
    for &end in ends.iter() {
        let end = usize::try_from(end).ok()?;
        parts.push(names.get(start..end)?.to_owned());
        start = end;
    }
    Some(Head {
        events: usize::try_from(*events.first()?).ok()?,
        parts,
    })
}

/// The sections after the head.
struct Sections<'a> {
    events: usize,
    tables: Section<'a>,
    orders: Vec<Section<'a>>,
    actions: Vec<Section<'a>>,
}

/// What went wrong in a section of a block.
struct Failed {
    title: Title,
    reason: String,
}

impl<'a> Sections<'a> {
    /// Finds all sections; the first that is not there ends it.
    fn find(events: usize, bytes: &'a [u8]) -> Result<Sections<'a>, Damage> {
        let next = |rest: &mut &'a [u8], kind: Kind, block: usize| {
            let title = Title {
                kind,
                block: block as u32,
            };
            let damaged = |reason: &str| Damage {
                section: title.to_string(),
                reason: reason.to_owned(),
                whole: Some(((block * BLOCK).min(events), events)),
            };
            let (section, after) = Section::split(rest).map_err(damaged)?;
            if section.title != title {
                return Err(damaged("another section stands in its place"));
            }
            *rest = after;
            Ok(section)
        };
        let mut rest = bytes;
        let tables = next(&mut rest, Kind::Tables, 0)?;
        let (mut orders, mut actions) = (Vec::new(), Vec::new());
        for block in 0..events.div_ceil(BLOCK) {
            orders.push(next(&mut rest, Kind::Order, block)?);
            actions.push(next(&mut rest, Kind::Actions, block)?);
        }
        let sections = Sections {
            events,
            tables,
            orders,
            actions,
        };
        match rest.is_empty() {
            true => Ok(sections),
            false => {
                let reason = format!("{} bytes follow that belong to no section", rest.len());
                Err(sections.damaged("end".to_owned(), &reason, sections.orders.len()))
            }
        }
    }

    /// Both halves of the run. Of two faults the one that comes first in the file is told.
    fn halves(&self, restorer: &Restorer, workers: usize) -> Result<(Orders, Actions), Damage> {
        let order = || {
            let mut orders = restorer.orders();
            each(&self.orders, |columns| orders.append(columns)).map(|()| orders)
        };
        let action = || {
            let mut actions = restorer.actions();
            each(&self.actions, |columns| actions.append(columns)).map(|()| actions)
        };
        let (orders, actions) = match workers > 1 && self.orders.len() > 1 {
            false => (order(), action()),
            true => std::thread::scope(|scope| {
                let other = scope.spawn(order);
                let actions = action();
                // A panic of the other is one of ours.
                let orders = other
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                (orders, actions)
            }),
        };
        match (orders, actions) {
            (Ok(orders), Ok(actions)) => Ok((orders, actions)),
            (Err(one), Err(other)) if other.title.block < one.title.block => {
                Err(self.failed(&other))
            }
            (Err(one), _) | (_, Err(one)) => Err(self.failed(&one)),
        }
    }

    fn failed(&self, Failed { title, reason }: &Failed) -> Damage {
        self.damaged(title.to_string(), reason, title.block as usize)
    }

    fn columns(&self, section: &Section<'a>) -> Result<Vec<Numbers<'a>>, Damage> {
        let columns = section.columns();
        columns.map_err(|reason| self.damaged(section.title.to_string(), reason, 0))
    }

    fn not_a_run(&self, section: &str, error: &NotARun) -> Damage {
        self.damaged(section.to_owned(), &told(error), 0)
    }

    fn damaged(&self, section: String, reason: &str, blocks: usize) -> Damage {
        Damage {
            section,
            reason: reason.to_owned(),
            whole: Some(((blocks * BLOCK).min(self.events), self.events)),
        }
    }
}

/// Takes the columns of sections one after the other.
fn each(
    sections: &[Section<'_>],
    mut take: impl FnMut(&[Numbers<'_>]) -> Result<(), NotARun>,
) -> Result<(), Failed> {
    for section in sections {
        let columns = section.columns().map_err(str::to_owned);
        let taken = columns.and_then(|columns| take(&columns).map_err(|error| told(&error)));
        taken.map_err(|reason| Failed {
            title: section.title,
            reason,
        })?;
    }
    Ok(())
}

fn told(error: &NotARun) -> String {
    format!(
        "the column `{}` is not one of a run: {}",
        error.column, error.reason
    )
}
