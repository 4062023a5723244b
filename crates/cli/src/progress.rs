//! A progress bar on standard error, only on a terminal and only for work that lasts.

use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Shorter work shows nothing.
const PATIENCE: Duration = Duration::from_secs(1);

/// What is under way, and the bar that shows it, if one does.
#[derive(Debug, Default)]
pub(crate) struct Bar(Mutex<Option<Stage>>);

#[derive(Debug)]
struct Stage {
    name: String,
    since: Instant,
    /// How much there is to do, when that is known.
    total: Option<u64>,
    shown: Option<ProgressBar>,
    /// Whether somebody knows better than a number how far the work is.
    is_told_in_lines: bool,
}

/// How far a piece of work is.
#[derive(Clone, Copy)]
enum Position<'a> {
    Number(u64),
    Lines(&'a str),
}

impl Bar {
    /// Starts a piece of work.
    pub(crate) fn start(&self, name: impl Into<String>, total: Option<u64>) {
        self.end();
        if let Some(mut stage) = self.lock() {
            *stage = Some(Stage {
                name: name.into(),
                since: Instant::now(),
                total,
                shown: None,
                is_told_in_lines: false,
            });
        }
    }

    /// Ends it and removes the bar, so that it does not stand in what is printed next.
    pub(crate) fn end(&self) {
        let ended = self.lock().and_then(|mut stage| stage.take());
        if let Some(bar) = ended.and_then(|stage| stage.shown) {
            bar.finish_and_clear();
        }
    }

    /// So many bytes are read.
    pub(crate) fn bytes(&self, done: u64) {
        self.show(
            Position::Number(done),
            "{spinner} {prefix}: {bytes}, {bytes_per_sec}",
            "{prefix} [{bar:30}] {bytes} of {total_bytes}, {eta} left",
        );
    }

    /// So many steps are done, of nobody knows how many.
    pub(crate) fn steps(&self, done: u64) {
        let style = "{spinner} {prefix}: {human_pos} steps in {elapsed}";
        self.show(Position::Number(done), style, style);
    }

    /// What several workers do at the moment, which takes the place of their steps.
    pub(crate) fn lines(&self, text: &str) {
        let style = "{spinner} {prefix}: {msg}";
        self.show(Position::Lines(text), style, style);
    }

    /// Draws the bar; whoever comes while another thread does has something better to do.
    fn show(&self, position: Position<'_>, endless: &str, bounded: &str) {
        let Ok(mut stage) = self.0.try_lock() else {
            return;
        };
        let Some(stage) = stage
            .as_mut()
            .filter(|stage| stage.since.elapsed() >= PATIENCE)
        else {
            return;
        };
        if matches!(position, Position::Lines(_)) && !stage.is_told_in_lines {
            stage.is_told_in_lines = true;
            if let Some(bar) = stage.shown.take() {
                bar.finish_and_clear();
            }
        }
        let bar = stage.shown.get_or_insert_with(|| {
            let bar = ProgressBar::with_draw_target(stage.total, ProgressDrawTarget::stderr());
            let template = if stage.total.is_some() {
                bounded
            } else {
                endless
            };
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar.with_prefix(stage.name.clone())
                .with_elapsed(stage.since.elapsed())
        });
        match position {
            Position::Number(_) if stage.is_told_in_lines => {}
            Position::Number(done) => bar.set_position(done),
            Position::Lines(text) => {
                bar.set_message(text.to_owned());
                bar.tick();
            }
        }
    }

    fn lock(&self) -> Option<MutexGuard<'_, Option<Stage>>> {
        self.0.lock().ok()
    }
}
