//! The few styles of the text reports; the plain palette writes no escape codes at all.

use anstyle::{AnsiColor, Style};
use causet_check::outcome::Verdict;

/// Which style stands for what.
#[derive(Clone, Copy, Default, Debug)]
pub struct Palette {
    /// A violation.
    pub bad: Style,
    /// A property that holds.
    pub good: Style,
    /// What could not be decided, and what a reader should not overlook.
    pub unsure: Style,
    /// What the eye should find first.
    pub strong: Style,
    /// What may be overlooked.
    pub faint: Style,
    /// How wide the terminal is, when it is one.
    pub columns: Option<usize>,
}

impl Palette {
    /// No styles: plain text.
    pub fn plain() -> Palette {
        Palette::default()
    }

    /// The colours of a terminal.
    pub fn coloured() -> Palette {
        let bold = |colour: AnsiColor| colour.on_default().bold();
        Palette {
            bad: bold(AnsiColor::Red),
            good: bold(AnsiColor::Green),
            unsure: bold(AnsiColor::Yellow),
            strong: Style::new().bold(),
            faint: Style::new().dimmed(),
            columns: None,
        }
    }

    /// The style of a verdict.
    pub fn verdict(&self, verdict: Verdict) -> Style {
        match verdict {
            Verdict::Violated => self.bad,
            Verdict::Holds => self.good,
            Verdict::Unknown(_) | Verdict::Doubtful => self.unsure,
        }
    }
}
