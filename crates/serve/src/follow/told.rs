//! What a file tells the desk: its header, then its events, numbered from the start of the file.
//!
//! Lines go to the desk in blocks. When it refuses a block, the block is halved and sent again until the wrong line is
//! alone: what was taken of it before is passed over, for the numbers begin where they did.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use causet_formats::native::Declared;
use serde::Deserialize;

use super::growing::Block;
use crate::desk::Desk;
use crate::inside::{Inside, Refusal};

/// Why nothing more is told for now.
#[derive(Debug)]
pub(super) enum Halt {
    /// A line is wrong: its number, and what is wrong with it.
    Line(u32, String),
    /// The run takes nothing.
    Run(String),
    /// The desk has closed.
    Closed,
}

/// So many lines at the start of a file are remembered.
const OPENING: usize = 16;

/// What a file has told, and what it is about to tell.
pub(super) struct Told<'d> {
    desk: &'d Desk,
    run: String,
    client: Option<Inside<'d>>,
    /// How many events of each process it has told.
    counts: BTreeMap<String, u32>,
    /// A header that is not confirmed.
    header: Option<Heading>,
    /// Whether a line was seen that is not blank.
    is_begun: bool,
    waiting: Option<Block>,
    /// How many lines that are neither blank nor a header were taken since the file began.
    taken: usize,
    /// Digests of the first of them, whenever they were taken.
    opening: Vec<u64>,
}

/// The header of a file.
struct Heading {
    line: u32,
    text: String,
    is_sent: bool,
}

/// Whose line it is.
#[derive(Deserialize)]
struct Whose<'l> {
    #[serde(borrow)]
    p: Cow<'l, str>,
    #[serde(default)]
    end: Option<serde::de::IgnoredAny>,
}

impl<'d> Told<'d> {
    pub(super) fn new(desk: &'d Desk, run: &str) -> Self {
        Told {
            desk,
            run: run.to_owned(),
            client: None,
            counts: BTreeMap::new(),
            header: None,
            is_begun: false,
            waiting: None,
            taken: 0,
            opening: Vec::new(),
        }
    }

    /// The file is read from its start again.
    pub(super) async fn begin_again(&mut self) {
        self.drop_client().await;
        let opening = std::mem::take(&mut self.opening);
        *self = Told::new(self.desk, &self.run);
        self.opening = opening;
    }

    /// Whether lines wait to be handed over.
    pub(super) fn has_more(&self) -> bool {
        self.waiting.is_some()
    }

    /// Whether the desk does not let it go on.
    pub(super) fn is_held_back(&self) -> bool {
        let client = self.client.as_ref();
        client.is_some_and(|client| !client.may_go_on())
    }

    /// How many lines were taken since the file began.
    pub(super) fn taken(&self) -> usize {
        self.taken
    }

    /// Goes on all the same.
    pub(super) async fn let_go_on(&mut self) {
        self.drop_client().await;
    }

    /// Forgets the lines that wait.
    pub(super) async fn drop_rest(&mut self) {
        self.waiting = None;
        self.header = None;
        self.drop_client().await;
    }

    /// Takes the next lines.
    pub(super) fn take(&mut self, block: Block) {
        let lines = numbered(&block);
        let mut written = lines.iter().filter(|(_, line)| !is_blank(line));
        let first = written.next().filter(|_| !self.is_begun);
        self.is_begun |= first.is_some();
        let first = first.map(|(number, line)| (*number, String::from_utf8_lossy(line)));
        let Some((line, text)) = first.filter(|(_, text)| Declared::is_in(text)) else {
            self.waiting = Some(block);
            return;
        };
        self.header = Some(Heading {
            line,
            text: text.trim().to_owned(),
            is_sent: false,
        });
        let after = lines.partition_point(|other| other.0 <= line);
        self.waiting = Some(block_of(&lines[after..], line + 1));
    }

    /// Sends a header that was not sent.
    pub(super) async fn announce(&mut self) -> Result<(), Halt> {
        let header = self.header.as_mut().filter(|header| !header.is_sent);
        let Some(text) = header.map(|header| header.text.clone()) else {
            return Ok(());
        };
        let sent = self.client().await?.header(text).await;
        sent.map_err(not_about_a_line)?;
        if let Some(header) = &mut self.header {
            header.is_sent = true;
        }
        Ok(())
    }

    /// Hands over the lines that wait, and waits until they are safe; whether anything was done. Nothing is while too many
    /// events of the run wait for others: these may stand in another file.
    pub(super) async fn hand_over(
        &mut self,
        owners: &mut BTreeMap<String, PathBuf>,
        path: &Path,
    ) -> Result<bool, Halt> {
        if self.waiting.is_none() || self.is_held_back() {
            return Ok(false);
        }
        self.announce().await?;
        if let Some(line) = self.header.as_ref().map(|header| header.line) {
            let run = self.run.clone();
            let confirmed = self.client().await?.confirm().await;
            confirmed.map_err(|refusal| halt(refusal, line, &run))?;
            self.header = None;
        }
        let Some(block) = self.waiting.take() else {
            return Ok(false);
        };
        let lines = numbered(&block);
        let wrong = self.first_wrong(&lines, owners, path);
        let until = wrong.as_ref().map_or(lines.len(), |(at, _)| *at);
        let (sent, done) = self.send(&lines[..until]).await;
        if done.is_err() {
            let next = block.first + sent as u32;
            self.waiting = Some(block_of(&lines[sent..], next));
        }
        done?;
        match wrong {
            Some((at, what)) => Err(Halt::Line(lines[at].0, what)),
            None => Ok(true),
        }
    }

    /// The first line that need not be sent to be found wrong: where it stands, and why.
    fn first_wrong(
        &self,
        lines: &[(u32, &[u8])],
        owners: &mut BTreeMap<String, PathBuf>,
        path: &Path,
    ) -> Option<(usize, String)> {
        let mut opening = self.opening.iter().skip(self.taken);
        for (at, (_, line)) in lines.iter().enumerate() {
            if is_blank(line) {
                continue;
            }
            if opening.next().is_some_and(|&before| before != digest(line)) {
                let what =
                    "another line stood here before, so which events are new cannot be known";
                return Some((at, what.to_owned()));
            }
            let Some(Whose { p: process, .. }) = whose(line) else {
                continue;
            };
            match owners.get(&*process) {
                Some(owner) if owner != path => {
                    let owner = owner.display();
                    let what = format!(
                        "events of process `{process}` stand in {owner} too, so they cannot be numbered"
                    );
                    return Some((at, what));
                }
                Some(_) => {}
                None => drop(owners.insert(process.into_owned(), path.to_owned())),
            }
        }
        None
    }

    /// Sends lines, and finds the one that is wrong if they are refused; how many were sent.
    async fn send(&mut self, lines: &[(u32, &[u8])]) -> (usize, Result<(), Halt>) {
        let mut sent = 0;
        let mut todo = vec![lines];
        while let Some(lines) = todo.pop() {
            if lines.iter().all(|(_, line)| is_blank(line)) {
                sent += lines.len();
                continue;
            }
            match self.send_at_once(lines).await {
                Ok(()) => {
                    sent += lines.len();
                    // The rest of a block does not wait for its turn.
                    if !todo.is_empty() {
                        self.drop_client().await;
                    }
                }
                Err(Halt::Line(..)) if lines.len() > 1 => {
                    self.drop_client().await;
                    let (one, other) = lines.split_at(lines.len() / 2);
                    todo.extend([other, one]);
                }
                Err(halt) => return (sent, Err(halt)),
            }
        }
        (sent, Ok(()))
    }

    async fn send_at_once(&mut self, lines: &[(u32, &[u8])]) -> Result<(), Halt> {
        let first = lines.first().map_or(1, |line| line.0);
        let bytes = block_of(lines, first).bytes;
        let sent = self.client().await?.lines(bytes).await;
        sent.map_err(|refusal| halt(refusal, first, &self.run))?;
        self.count(lines);
        Ok(())
    }

    /// The client that speaks for the file; it counts on from what the file has told.
    async fn client(&mut self) -> Result<&mut Inside<'d>, Halt> {
        let client = match self.client.take() {
            Some(client) => client,
            None => {
                let client = Inside::hello(self.desk, &self.run).await;
                let client = client.map_err(not_about_a_line)?;
                let next = self.counts.iter();
                let next = next.map(|(process, count)| (process.clone(), count + 1));
                let said = client.from(next.collect()).await;
                said.map_err(not_about_a_line)?;
                client
            }
        };
        Ok(self.client.insert(client))
    }

    async fn drop_client(&mut self) {
        if let Some(client) = self.client.take() {
            client.gone().await;
        }
    }

    /// Notes that lines were taken.
    fn count(&mut self, lines: &[(u32, &[u8])]) {
        for (_, line) in lines.iter().filter(|(_, line)| !is_blank(line)) {
            if self.taken == self.opening.len() && self.taken < OPENING {
                self.opening.push(digest(line));
            }
            self.taken += 1;
            let Some(whose) = whose(line).filter(|whose| whose.end.is_none()) else {
                continue;
            };
            match self.counts.get_mut(&*whose.p) {
                Some(count) => *count += 1,
                None => drop(self.counts.insert(whose.p.into_owned(), 1)),
            }
        }
    }
}

fn is_blank(line: &[u8]) -> bool {
    line.trim_ascii().is_empty()
}

fn digest(line: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    line.trim_ascii().hash(&mut hasher);
    hasher.finish()
}

fn whose(line: &[u8]) -> Option<Whose<'_>> {
    serde_json::from_slice(line).ok()
}

/// The lines of a block with their numbers, each with its end.
fn numbered(block: &Block) -> Vec<(u32, &[u8])> {
    let lines = block.bytes.split_inclusive(|&byte| byte == b'\n');
    (block.first..).zip(lines).collect()
}

fn block_of(lines: &[(u32, &[u8])], first: u32) -> Block {
    let bytes = lines.iter().flat_map(|(_, line)| line.iter().copied());
    let bytes = bytes.collect();
    Block { bytes, first }
}

fn not_about_a_line(refusal: Refusal) -> Halt {
    match refusal {
        Refusal::Told(what) => Halt::Run(what),
        Refusal::Closed => Halt::Closed,
    }
}

/// What is wrong with a line; the desk calls it the first line of the run.
fn halt(refusal: Refusal, line: u32, run: &str) -> Halt {
    match refusal {
        Refusal::Closed => Halt::Closed,
        Refusal::Told(what) => {
            let prefix = format!("{run}:1:");
            let bare = what
                .strip_prefix(&prefix)
                .and_then(|rest| rest.split_once(": "));
            Halt::Line(line, bare.map_or(what.clone(), |(_, bare)| bare.to_owned()))
        }
    }
}
