//! A run as a picture: a lane for each process, time to the right, messages as arrows, and the cut that shows a verdict
//! as a line across the lanes with the past shaded.
//!
//! ```text
//! Trace, Story --Choice--> events to draw --Layout::of--> shapes with places --svg::write--> text
//! ```
//!
//! The events stand as they were recorded, from left to right; the numbers in them are their places in the order that
//! shows the verdict. Drawing that order from left to right instead was the alternative; then the cut is a plain vertical
//! line, and nobody sees what was recorded.
//!
//! Of a large run the part around the cut is drawn, and the picture says what it leaves out.

mod choice;
mod layout;
mod place;
pub mod svg;

pub use choice::{Choice, Range};
pub use layout::{Layout, Rect, Role, Text};

use causet_trace::Trace;

use crate::story::Story;

/// What a picture shows.
#[derive(Clone, Copy, Debug)]
pub struct Picture<'a> {
    /// The run.
    pub trace: &'a Trace,
    /// A property and what is told about it, if one was asked.
    pub told: Option<Told<'a>>,
}

/// A property and its story.
#[derive(Clone, Copy, Debug)]
pub struct Told<'a> {
    /// The line over the picture: name, formula, verdict.
    pub title: &'a str,
    /// What shows the verdict.
    pub story: Option<&'a Story>,
}

/// The colours of a picture.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Theme {
    /// Black on white, for papers.
    #[default]
    Light,
    /// White on black.
    Dark,
}
