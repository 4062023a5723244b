//! Flushing journals, one flush for all that waits, and only then telling anyone.

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
            for file in files.values() {
                file.sync_data()
                    .inspect_err(|error| counts.fail(&error.to_string()))?;
                counts.flushes.add(1);
            }
        }
        say.into_iter().for_each(|word| word());
    }
    Ok(())
}

/// Each file once.
fn by_address(files: Vec<Arc<File>>) -> BTreeMap<usize, Arc<File>> {
    let numbered = files
        .into_iter()
        .map(|file| (Arc::as_ptr(&file) as usize, file));
    numbered.collect()
}
