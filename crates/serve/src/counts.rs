//! What a server counts while it works, and whether it can still work.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::news::Damage;

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
    damages: Mutex<Vec<Damage>>,
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

    /// Notes what was kept of a run and cannot be read.
    pub fn note_damage(&self, damage: &Damage) {
        let mut damages = self.damages.lock().unwrap_or_else(PoisonError::into_inner);
        damages.push(damage.clone());
    }

    /// What was kept and cannot be read.
    pub fn damages(&self) -> Vec<Damage> {
        let damages = self.damages.lock().unwrap_or_else(PoisonError::into_inner);
        damages.clone()
    }

    /// How many connections there are now.
    pub fn open(&self) -> u64 {
        let begun = self.links.get() + self.sites.get();
        begun.saturating_sub(self.ended.get())
    }
}
