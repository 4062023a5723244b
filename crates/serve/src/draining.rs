//! The consistent beginning of a run: the events that have arrived together with all they depend on.
//!
//! ```text
//!  journal --first reading--> how many events of each process have all they depend on
//!          --second reading-> the lines of those events, and the lines that are left out
//! ```
//!
//! A run may be ended while something is missing: a receive is there and its send never came. What has arrived is then no
//! run of anybody's, but its consistent beginning is one, and has exact verdicts.

use std::io::{self, Read};
use std::path::Path;

use causet_check::stream::{Means, Monitor};
use causet_formats::journal::{Frames, MAGIC, frame};
use causet_formats::native::{self, Declared, Part, Piece, Progress, ReadOptions};

use crate::admission::{Admission, Numbers};
use crate::keeping::{Anew, journal_of};

/// Ends a run with its consistent beginning: the other lines are taken out of its journal. How many events those are.
pub(crate) fn drain(folder: &Path, run: &str, progress: &dyn Progress) -> io::Result<u64> {
    let Some(passed) = consistent(run, journal_of(folder)?, progress)? else {
        return Ok(0);
    };
    let mut anew = Anew::begin(folder)?;
    let mut left_out = 0;
    split(run, journal_of(folder)?, &passed, |part| {
        left_out += part.left_out_events;
        anew.leave_out(&part.left_out);
        anew.keep(&part.kept)
    })?;
    anew.finish()?;
    Ok(left_out)
}

/// The lines of the consistent beginning of what a journal holds, if they are no more than so many bytes.
pub(crate) fn beginning(
    run: &str,
    journal: impl Fn() -> io::Result<Box<dyn Read + Send>>,
    most: usize,
    progress: &dyn Progress,
) -> io::Result<Option<Vec<u8>>> {
    let mut lines = Vec::new();
    let Some(passed) = consistent(run, journal()?, progress)? else {
        let mut input = journal()?;
        input.read_exact(&mut [0; MAGIC.len()])?;
        let limit = (most as u64).saturating_add(1);
        Frames::new(input).take(limit).read_to_end(&mut lines)?;
        return Ok((lines.len() <= most).then_some(lines));
    };
    split(run, journal()?, &passed, |part| {
        lines.extend_from_slice(&part.kept);
        match lines.len() > most {
            true => Err(io::ErrorKind::FileTooLarge.into()),
            false => Ok(()),
        }
    })
    .map(|()| Some(lines))
    .or_else(|error| match error.kind() {
        io::ErrorKind::FileTooLarge => Ok(None),
        _ => Err(error),
    })
}

/// Of the lines of a run, its header first, those of its consistent beginning.
pub(crate) fn consistent_lines(run: &str, lines: &[u8]) -> io::Result<Vec<u8>> {
    let mut journal = MAGIC.to_vec();
    frame(lines, &mut journal);
    let journal =
        || -> io::Result<Box<dyn Read + Send>> { Ok(Box::new(io::Cursor::new(journal.clone()))) };
    Ok(beginning(run, journal, usize::MAX, &())?.unwrap_or_default())
}

/// How many events of each process have all they depend on; `None` if all have, or if nobody can tell in passing.
fn consistent(
    run: &str,
    journal: impl Read + Send + 'static,
    progress: &dyn Progress,
) -> io::Result<Option<Vec<u32>>> {
    let mut monitor = Monitor::new(Vec::new(), Means::default());
    let part = Part::new(run, journal);
    let read = native::stream(vec![part], &ReadOptions::default(), progress, &mut monitor);
    read.map_err(io::Error::other)?;
    Ok((monitor.waiting() > 0).then(|| monitor.passed()))
}

/// Some lines, divided.
struct Divided {
    kept: Vec<u8>,
    left_out: Vec<u8>,
    left_out_events: u64,
}

/// Divides the lines of a journal, frame by frame.
fn split(
    run: &str,
    mut journal: impl Read,
    passed: &[u32],
    mut each: impl FnMut(Divided) -> io::Result<()>,
) -> io::Result<()> {
    journal.read_exact(&mut [0; MAGIC.len()])?;
    let mut frames = Frames::new(io::BufReader::new(journal));
    let mut monitor = Monitor::new(Vec::new(), Means::default());
    let mut numbers = Numbers::default();
    let mut is_first = true;
    while let Some(lines) = frames.next_frame()? {
        let mut kept = Vec::new();
        let mut lines = lines;
        if std::mem::take(&mut is_first) {
            let (header, rest) = header_of(lines);
            let mut declared = Declared::default();
            declared.add(run, header).map_err(io::Error::other)?;
            let applied = declared.apply(&mut monitor);
            applied.map_err(|error| io::Error::other(error.kind.to_string()))?;
            kept.extend_from_slice(header.as_bytes());
            kept.push(b'\n');
            lines = rest;
        }
        let mut piece = Piece::parse(lines.to_vec());
        let mut admission = Admission::new(&mut monitor, &mut numbers).up_to(passed);
        piece.feed(run, &mut admission).map_err(io::Error::other)?;
        let left: Vec<u32> = admission.ahead.iter().map(|ahead| ahead.line).collect();
        let mut left_out = Vec::new();
        let left_out_events = admission.ahead.iter().filter(|ahead| ahead.is_event);
        let left_out_events = left_out_events.count() as u64;
        copy_lines(piece.text(), &admission.taken, &mut kept);
        copy_lines(piece.text(), &left, &mut left_out);
        each(Divided {
            kept,
            left_out,
            left_out_events,
        })?;
    }
    Ok(())
}

/// The header that stands first in a journal, and the lines after it.
pub(crate) fn header_of(lines: &[u8]) -> (&str, &[u8]) {
    let end = memchr::memchr(b'\n', lines).unwrap_or(lines.len());
    let header = str::from_utf8(&lines[..end]).unwrap_or_default();
    (header, &lines[(end + 1).min(lines.len())..])
}

/// Copies lines of a text, counted from 1, in order.
pub(crate) fn copy_lines(text: &str, wanted: &[u32], into: &mut Vec<u8>) {
    let is_all = wanted.last() == Some(&(wanted.len() as u32)) && text.ends_with('\n');
    if is_all && text.lines().count() == wanted.len() {
        into.extend_from_slice(text.as_bytes());
        return;
    }
    let mut lines = text.lines();
    let mut at = 0;
    for &number in wanted {
        if let Some(line) = lines.nth((number - at - 1) as usize) {
            into.extend_from_slice(line.as_bytes());
            into.push(b'\n');
        }
        at = number;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    const PROCESSES: usize = 3;

    /// An event: whose, what it sends, what it hears.
    #[derive(Clone, Copy)]
    struct Deed {
        process: usize,
        sends: usize,
        hears: Option<usize>,
    }

    fn line(deed: &Deed) -> String {
        let Deed {
            process,
            sends,
            hears,
        } = deed;
        let hears = hears
            .map(|id| format!(",\"recv\":\"m{id}\""))
            .unwrap_or_default();
        format!("{{\"p\":\"p{process}\",\"send\":\"m{sends}\"{hears}}}\n")
    }

    /// A run in an order in which it can have happened: everyone sends, and hears at most one message, each heard once.
    fn some_run(rng: &mut fastrand::Rng) -> Vec<Deed> {
        let mut run: Vec<Deed> = Vec::new();
        for number in 0..rng.usize(1..25) {
            let process = rng.usize(..PROCESSES);
            let heard: BTreeSet<usize> = run.iter().filter_map(|deed| deed.hears).collect();
            let open = run
                .iter()
                .filter(|deed| deed.process != process && !heard.contains(&deed.sends));
            let open: Vec<usize> = open.map(|deed| deed.sends).collect();
            let hears = (!open.is_empty() && rng.bool()).then(|| open[rng.usize(..open.len())]);
            run.push(Deed {
                process,
                sends: number,
                hears,
            });
        }
        run
    }

    /// By the definition: what has arrived is let happen as long as anything can.
    fn naive(arrived: &[Deed]) -> [usize; PROCESSES] {
        let mut passed = [0; PROCESSES];
        let mut sent = BTreeSet::new();
        loop {
            let next = (0..PROCESSES).find_map(|process| {
                let deed = arrived
                    .iter()
                    .filter(|deed| deed.process == process)
                    .nth(passed[process])?;
                deed.hears
                    .is_none_or(|id| sent.contains(&id))
                    .then_some(deed)
            });
            let Some(deed) = next else { return passed };
            passed[deed.process] += 1;
            sent.insert(deed.sends);
        }
    }

    /// Some events of each process, from its first on, mixed.
    fn some_arrivals(run: &[Deed], rng: &mut fastrand::Rng) -> Vec<Deed> {
        let mut queues: Vec<Vec<Deed>> = (0..PROCESSES)
            .map(|p| {
                run.iter()
                    .filter(|deed| deed.process == p)
                    .copied()
                    .collect()
            })
            .collect();
        for queue in &mut queues {
            queue.truncate(rng.usize(..=queue.len()));
            queue.reverse();
        }
        let mut arrived = Vec::new();
        while queues.iter().any(|queue| !queue.is_empty()) {
            arrived.extend(queues[rng.usize(..PROCESSES)].pop());
        }
        arrived
    }

    fn journal(arrived: &[Deed], rng: &mut fastrand::Rng) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        let mut lines = "{\"causet\":1,\"processes\":[\"p0\",\"p1\",\"p2\"]}\n".to_owned();
        for deed in arrived {
            lines += &line(deed);
            if rng.bool() {
                frame(lines.as_bytes(), &mut bytes);
                lines.clear();
            }
        }
        frame(lines.as_bytes(), &mut bytes);
        bytes
    }

    #[test]
    fn what_can_have_happened_is_kept_and_nothing_else() {
        let mut rng = fastrand::Rng::with_seed(5);
        let mut cut_short = 0;
        for _ in 0..500 {
            let run = some_run(&mut rng);
            let arrived = some_arrivals(&run, &mut rng);
            let bytes = journal(&arrived, &mut rng);
            let whole = || -> io::Result<Box<dyn Read + Send>> {
                Ok(Box::new(io::Cursor::new(bytes.clone())))
            };
            let lines = beginning("run", whole, usize::MAX, &())
                .expect("it is read")
                .expect("it is short");
            let text = String::from_utf8(lines).expect("text");
            let passed = naive(&arrived);
            let mut seen = [0; PROCESSES];
            let mut expected = BTreeMap::new();
            for deed in &arrived {
                seen[deed.process] += 1;
                if seen[deed.process] <= passed[deed.process] {
                    *expected.entry(line(deed)).or_insert(0) += 1;
                }
            }
            let mut kept = BTreeMap::new();
            text.lines()
                .skip(1)
                .for_each(|line| *kept.entry(format!("{line}\n")).or_insert(0) += 1);
            assert_eq!(kept, expected);
            cut_short += usize::from(passed != seen);
            if text.lines().count() > 1 {
                let less = beginning("run", whole, text.len() - 1, &()).expect("it is read");
                assert_eq!(less, None, "it is longer than that");
            }
        }
        assert!(cut_short > 50, "{cut_short}");
    }
}
