//! Flushing journals, one flush for all that waits, and only then telling anyone.
//!
//! Files are flushed side by side. A file system that keeps a journal of its own takes together whoever waits for it, so
//! that fifty files take little longer than one; one after the other each would wait for a turn of the disk.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use crate::counts::Counts;
use crate::desk::Safety;

/// Something that may be said.
pub(crate) type Say = Box<dyn FnOnce() + Send>;

/// What may be said when some files are safe.
pub(crate) struct Commit {
    pub(crate) files: Vec<Arc<File>>,
    pub(crate) say: Vec<Say>,
}

/// So many commits are flushed together at most.
const TOGETHER: usize = 64;
/// So many files are flushed at the same time at most.
const AT_ONCE: usize = 16;

/// Flushes and tells until nobody sends any more. A file that cannot be flushed ends it: nothing more is acknowledged.
pub(crate) fn work(commits: &Receiver<Commit>, safety: Safety, counts: &Counts) -> io::Result<()> {
    while let Ok(first) = commits.recv() {
        let mut say = first.say;
        let mut files = by_address(first.files);
        for commit in commits.try_iter().take(TOGETHER) {
            files.extend(by_address(commit.files));
            say.extend(commit.say);
        }
        if safety == Safety::Flushed {
            let files: Vec<&File> = files.values().map(|file| &**file).collect();
            flush(&files).inspect_err(|error| counts.fail(&error.to_string()))?;
            counts.flushes.add(files.len() as u64);
        }
        say.into_iter().for_each(|word| word());
    }
    Ok(())
}

/// Flushes files, some of them at the same time.
fn flush(files: &[&File]) -> io::Result<()> {
    let flush_all = |files: &[&File]| files.iter().try_for_each(|file| file.sync_data());
    let share = files.len().div_ceil(AT_ONCE).max(1);
    std::thread::scope(|scope| {
        let mut shares = files.chunks(share);
        let own = shares.next().unwrap_or_default();
        let others: Vec<_> = shares
            .map(|share| scope.spawn(move || flush_all(share)))
            .collect();
        let flushed = flush_all(own);
        let joined = others.into_iter().map(|other| {
            let panicked = |_| Err(io::Error::other("a thread that flushes panicked"));
            other.join().unwrap_or_else(panicked)
        });
        // All of them have to end, whatever one says.
        joined.fold(flushed, Result::and)
    })
}

/// Each file once.
fn by_address(files: Vec<Arc<File>>) -> BTreeMap<usize, Arc<File>> {
    let numbered = files
        .into_iter()
        .map(|file| (Arc::as_ptr(&file) as usize, file));
    numbered.collect()
}
