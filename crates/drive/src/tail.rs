//! The last words of a stream: as much of its end as a message can show.

use std::io::Read;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// So many bytes are kept.
const KEPT: usize = 2048;

/// The end of a stream that is being read; clones share it.
#[derive(Clone, Default, Debug)]
pub(crate) struct Tail(Arc<Mutex<Kept>>, Arc<AtomicBool>);

#[derive(Default, Debug)]
struct Kept {
    bytes: Vec<u8>,
    /// Whether they begin in the middle of a line.
    is_cut: bool,
}

impl Kept {
    fn add(&mut self, piece: &[u8]) {
        self.bytes.extend_from_slice(piece);
        let surplus = self.bytes.len().saturating_sub(KEPT);
        if let Some(last) = self.bytes.drain(..surplus).next_back() {
            self.is_cut = last != b'\n';
        }
    }
}

impl Tail {
    /// Reads a stream to its end.
    pub(crate) fn follow(&self, mut stream: impl Read) {
        let mut piece = [0; 4096];
        while let Ok(read @ 1..) = stream.read(&mut piece) {
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            kept.add(&piece[..read]);
        }
        self.1.store(true, Ordering::Release);
    }

    /// Whether the stream has been read to its end.
    pub(crate) fn is_over(&self) -> bool {
        self.1.load(Ordering::Acquire)
    }

    /// The last lines, as many as there may be. The part of a line at the beginning is left out, unless it is all there is:
    /// then dots stand for the rest.
    pub(crate) fn last_lines(&self, most: usize) -> Vec<String> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&kept.bytes);
        let (part, rest) = match kept.is_cut {
            true => text.split_once('\n').unwrap_or((&text, "")),
            false => ("", text.as_ref()),
        };
        let is_there = |line: &&str| !line.trim().is_empty();
        let lines: Vec<&str> = rest.lines().filter(is_there).collect();
        if lines.is_empty() && is_there(&part) {
            return vec![format!("...{part}")];
        }
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
        assert!(tail.0.lock().expect("a lock").bytes.len() <= KEPT);
    }

    #[test]
    fn the_part_of_a_line_is_shown_only_if_there_is_no_other() {
        let long = "x".repeat(2 * KEPT);
        let tail = Tail::default();
        tail.follow((long.clone() + "\none\n").as_bytes());
        assert_eq!(tail.last_lines(3), ["one"]);
        let tail = Tail::default();
        tail.follow(long.as_bytes());
        assert_eq!(tail.last_lines(3), [format!("...{}", &long[..KEPT])]);
        // A whole line that just fits is one.
        let fits = "x".repeat(KEPT - 5);
        let tail = Tail::default();
        tail.follow(format!("before\n{fits}\none\n").as_bytes());
        assert_eq!(tail.last_lines(3), [fits.as_str(), "one"]);
    }
}
