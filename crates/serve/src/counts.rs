//! What a server counts while it works, and whether it can still work.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Figures since the start, for whoever asks.
#[derive(Debug, Default)]
pub struct Counts {
    /// Events that were taken.
    pub events: Count,
    /// Flushes of journals.
    pub flushes: Count,
    /// Bytes that arrived.
    pub bytes: Count,
    /// Connections that sent lines.
    pub links: Count,
    /// Connections that spoke HTTP.
    pub sites: Count,
    /// Connections that ended.
    pub ended: Count,
    trouble: OnceLock<String>,
}

/// A number that only grows.
#[derive(Debug, Default)]
pub struct Count(AtomicU64);

impl Count {
    /// Counts some more.
    pub fn add(&self, more: u64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }

    /// How many there were.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Counts {
    /// Notes why runs cannot be kept any more; the first reason stands.
    pub fn fail(&self, reason: &str) {
        self.trouble.get_or_init(|| reason.to_owned());
    }

    /// Why runs cannot be kept any more, if they cannot.
    pub fn trouble(&self) -> Option<&str> {
        self.trouble.get().map(String::as_str)
    }

    /// How many connections there are now.
    pub fn open(&self) -> u64 {
        let begun = self.links.get() + self.sites.get();
        begun.saturating_sub(self.ended.get())
    }
}
