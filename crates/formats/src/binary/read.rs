//! Reading the binary form, a section at a time: one thread reads and takes two pieces of each block, another the third.

use std::io::{self, Read};
use std::sync::mpsc::{channel, sync_channel};

use causet_trace::Trace;
use causet_trace::stored::{Actions, BLOCK, NotARun, Numbers, Orders, Restorer, Writes};

use super::damage::Damage;
use super::section::{Buffer, Kind, Title, Unread, fill};
use super::{MAGIC, OLDEST_VERSION, VERSION, is_binary};
use crate::native::Progress;

/// What was stored.
#[derive(Debug)]
pub struct Stored {
    /// The run.
    pub trace: Trace,
    /// The names of the parts it was read from.
    pub parts: Vec<String>,
    /// How many bytes were read.
    pub bytes: u64,
}

/// Why there is no run.
#[derive(Debug)]
pub enum NotOpened {
    /// It is damaged, or not in this form.
    Damaged(Damage),
    /// It could not be fetched.
    Input(io::Error),
    /// Whoever watched the progress ended it.
    Stopped,
}

/// Reads a run; more than one worker means that a second thread may be used.
pub fn read(
    input: impl Read,
    workers: usize,
    progress: &dyn Progress,
) -> Result<Stored, NotOpened> {
    let mut source = Source {
        input,
        progress,
        bytes: 0,
        version: VERSION,
    };
    let head = source.head().map_err(|failed| failed.told(None))?;
    let trace = source.run(head.events, workers);
    Ok(Stored {
        trace: trace.map_err(|failed| failed.told(Some(head.events)))?,
        parts: head.parts,
        bytes: source.bytes,
    })
}

/// What the head says.
struct Head {
    events: usize,
    parts: Vec<String>,
}

/// The pieces of a run.
type Pieces = (Orders, Actions, Writes);

const HEAD: Title = Title {
    kind: Kind::Head,
    block: 0,
};

const TABLES: Title = Title {
    kind: Kind::Tables,
    block: 0,
};

/// So many sections may wait for the second thread: enough that it need not wait, few enough to stay in the cache.
const WAITING: usize = 2;

/// Where the sections come from.
struct Source<'p, R> {
    input: R,
    progress: &'p dyn Progress,
    bytes: u64,
    version: u32,
}

impl<R: Read> Source<'_, R> {
    fn head(&mut self) -> Result<Head, Failed> {
        let damaged = |reason: &str| Failed::damaged(HEAD, reason);
        let mut start = [0; MAGIC.len() + size_of_val(&VERSION)];
        let length = fill(&mut self.input, &mut start).map_err(|why| Failed::unread(HEAD, why))?;
        if !is_binary(&start[..length]) {
            return Err(damaged("this is not the beginning of a binary run"));
        }
        let version = start[..length][MAGIC.len()..].first_chunk();
        let version = version.ok_or_else(|| damaged("the file ends here"))?;
        let version = u32::from_le_bytes(*version);
        if !(OLDEST_VERSION..=VERSION).contains(&version) {
            return Err(damaged(&format!(
                "the file has version {version}, and this program reads versions {OLDEST_VERSION} to {VERSION}; `causet convert LOG --to bin` writes version {VERSION}"
            )));
        }
        self.version = version;
        self.bytes = length as u64;
        let mut buffer = Buffer::default();
        self.next(HEAD, &mut buffer)?;
        let head = taken(HEAD, &buffer, |columns| Ok(head(columns)))?;
        head.ok_or_else(|| damaged("it does not say how many events there are"))
    }

    fn run(&mut self, events: usize, workers: usize) -> Result<Trace, Failed> {
        let mut buffer = Buffer::default();
        self.next(TABLES, &mut buffer)?;
        let mut restorer = taken(TABLES, &buffer, Restorer::new)?;
        if restorer.len() != events {
            return Err(Failed::damaged(TABLES, "it has another number of events"));
        }
        let mut buffer = Buffer::default();
        for block in 0..restorer.name_blocks() as u32 {
            let kind = Kind::Names;
            let title = Title { kind, block };
            self.next(title, &mut buffer)?;
            taken(title, &buffer, |columns| restorer.append_names(columns))?;
        }
        let (orders, actions, writes) = match workers > 1 && events > BLOCK {
            true => self.pieces_by_two(&mut restorer),
            false => self.pieces(&mut restorer),
        }?;
        self.end(events)?;
        let trace = restorer.finish(orders, actions, writes);
        trace.map_err(|error| Failed::not_a_run(TABLES, &error))
    }

    /// Takes all pieces by itself.
    fn pieces(&mut self, restorer: &mut Restorer) -> Result<Pieces, Failed> {
        let mut writes = restorer.writes();
        let (orders, actions) = self.blocks(restorer, |title, buffer| {
            taken(title, &buffer, |columns| writes.append(columns))?;
            Ok(buffer)
        })?;
        Ok((orders, actions, writes))
    }

    /// Lets another thread take what was written. Of two faults the one that comes first in the file is told.
    fn pieces_by_two(&mut self, restorer: &mut Restorer) -> Result<Pieces, Failed> {
        let mut writes = restorer.writes();
        let (given, sections) = sync_channel::<(Title, Buffer)>(WAITING);
        let (back, spare) = channel();
        std::thread::scope(|scope| {
            let other = scope.spawn(move || {
                for (title, buffer) in sections {
                    taken(title, &buffer, |columns| writes.append(columns))?;
                    // Nobody may be there to use it again.
                    let _ = back.send(buffer);
                }
                Ok(writes)
            });
            let both = self.blocks(restorer, |title, buffer| {
                let sent = given.send((title, buffer));
                sent.map_err(|_| Failed::damaged(title, "a section before it is damaged"))?;
                Ok(spare.try_recv().unwrap_or_default())
            });
            drop(given);
            // A panic of the other is one of ours.
            let writes = other
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            // It has only seen sections that come before the one this thread stopped at.
            let writes = writes?;
            both.map(|(orders, actions)| (orders, actions, writes))
        })
    }

    /// Reads all blocks; what was written goes to somebody who gives a buffer back for the next.
    fn blocks(
        &mut self,
        restorer: &Restorer,
        mut give: impl FnMut(Title, Buffer) -> Result<Buffer, Failed>,
    ) -> Result<(Orders, Actions), Failed> {
        let (mut orders, mut actions) = (restorer.orders(), restorer.actions());
        let (mut own, mut other) = (Buffer::default(), Buffer::default());
        for block in 0..restorer.len().div_ceil(BLOCK) as u32 {
            let of = |kind| Title { kind, block };
            self.next(of(Kind::Order), &mut own)?;
            taken(of(Kind::Order), &own, |columns| orders.append(columns))?;
            self.next(of(Kind::Actions), &mut own)?;
            let has_doubles = self.version == OLDEST_VERSION;
            taken(of(Kind::Actions), &own, |columns| {
                if has_doubles {
                    actions.append_version_2(columns)
                } else {
                    actions.append(columns)
                }
            })?;
            self.next(of(Kind::Writes), &mut other)?;
            other = give(of(Kind::Writes), other)?;
        }
        Ok((orders, actions))
    }

    fn next(&mut self, title: Title, buffer: &mut Buffer) -> Result<(), Failed> {
        let read = buffer.read(title, &mut self.input);
        read.map_err(|why| Failed::unread(title, why))?;
        self.bytes += buffer.len() as u64;
        self.progress.bytes_read(self.bytes);
        match self.progress.go_on() {
            true => Ok(()),
            false => Err(Failed {
                title,
                why: NotTaken::Stopped,
            }),
        }
    }

    fn end(&mut self, events: usize) -> Result<(), Failed> {
        let title = Title {
            kind: Kind::End,
            block: events.div_ceil(BLOCK) as u32,
        };
        match io::copy(&mut self.input, &mut io::sink()) {
            Ok(0) => Ok(()),
            Ok(more) => {
                let reason = format!("{more} bytes follow that belong to no section");
                Err(Failed::damaged(title, &reason))
            }
            Err(error) => Err(Failed::unread(title, Unread::Input(error))),
        }
    }
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

/// Does something with the columns of a section, if it is whole.
fn taken<T>(
    title: Title,
    buffer: &Buffer,
    take: impl FnOnce(&[Numbers<'_>]) -> Result<T, NotARun>,
) -> Result<T, Failed> {
    let columns = buffer.columns();
    let columns = columns.map_err(|reason| Failed::damaged(title, reason))?;
    take(&columns).map_err(|error| Failed::not_a_run(title, &error))
}

/// What went wrong, and at which section.
struct Failed {
    title: Title,
    why: NotTaken,
}

enum NotTaken {
    Damaged(String),
    Input(io::Error),
    Stopped,
}

impl Failed {
    fn damaged(title: Title, reason: &str) -> Failed {
        Failed {
            title,
            why: NotTaken::Damaged(reason.to_owned()),
        }
    }

    fn not_a_run(title: Title, NotARun { column, reason }: &NotARun) -> Failed {
        let reason = format!("the column `{column}` is not one of a run: {reason}");
        Failed::damaged(title, &reason)
    }

    fn unread(title: Title, why: Unread) -> Failed {
        match why {
            Unread::Damaged(reason) => Failed::damaged(title, reason),
            Unread::Input(error) => Failed {
                title,
                why: NotTaken::Input(error),
            },
        }
    }

    /// The same for others, who want to know how much is whole of so many events.
    fn told(self, events: Option<usize>) -> NotOpened {
        match self.why {
            NotTaken::Stopped => NotOpened::Stopped,
            NotTaken::Input(error) => NotOpened::Input(error),
            NotTaken::Damaged(reason) => {
                let before = match self.title.kind {
                    Kind::Names => 0,
                    _ => (self.title.block as usize).saturating_mul(BLOCK),
                };
                NotOpened::Damaged(Damage {
                    section: self.title.to_string(),
                    reason,
                    whole: events.map(|events| (before.min(events), events)),
                })
            }
        }
    }
}
