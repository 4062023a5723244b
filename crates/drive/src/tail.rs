//! The last words of a stream: as much of its end as a message can show.

use std::io::Read;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// So many bytes are kept.
const KEPT: usize = 2048;

/// The end of a stream that is being read; clones share it.
#[derive(Clone, Default, Debug)]
pub(crate) struct Tail(Arc<Mutex<Vec<u8>>>, Arc<AtomicBool>);

impl Tail {
    /// Reads a stream to its end.
    pub(crate) fn follow(&self, mut stream: impl Read) {
        let mut piece = [0; 4096];
        while let Ok(read @ 1..) = stream.read(&mut piece) {
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            kept.extend_from_slice(&piece[..read]);
            let surplus = kept.len().saturating_sub(KEPT);
            kept.drain(..surplus);
        }
        self.1.store(true, Ordering::Release);
    }

    /// Whether the stream has been read to its end.
    pub(crate) fn is_over(&self) -> bool {
        self.1.load(Ordering::Acquire)
    }

    /// The last lines, as many as there may be, without the part of a line at the beginning.
    pub(crate) fn last_lines(&self, most: usize) -> Vec<String> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&kept);
        let lines: Vec<&str> = text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .collect();
        let first = lines.len().saturating_sub(most);
        lines[first..].iter().map(|&line| line.to_owned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_is_kept() {
        let tail = Tail::default();
        let text = "noise\n".repeat(10_000) + "one\n\ntwo\n";
        assert!(!tail.is_over());
        tail.follow(text.as_bytes());
        assert!(tail.is_over());
        assert_eq!(tail.last_lines(2), ["one", "two"]);
        assert!(tail.0.lock().expect("a lock").len() <= KEPT);
    }
}
