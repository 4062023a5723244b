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
            done,
            "{spinner} {msg}: {bytes}, {bytes_per_sec}",
            "{msg} [{bar:30}] {bytes} of {total_bytes}, {eta} left",
        );
    }

    /// So many steps are done, of nobody knows how many.
    pub(crate) fn steps(&self, done: u64) {
        let style = "{spinner} {msg}: {human_pos} steps in {elapsed}";
        self.show(done, style, style);
    }

    /// Draws the bar; whoever comes while another thread does has something better to do.
    fn show(&self, done: u64, endless: &str, bounded: &str) {
        let Ok(mut stage) = self.0.try_lock() else {
            return;
        };
        let Some(stage) = stage
            .as_mut()
            .filter(|stage| stage.since.elapsed() >= PATIENCE)
        else {
            return;
        };
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
            bar.with_message(stage.name.clone())
                .with_elapsed(stage.since.elapsed())
        });
        bar.set_position(done);
    }

    fn lock(&self) -> Option<MutexGuard<'_, Option<Stage>>> {
        self.0.lock().ok()
    }
}
