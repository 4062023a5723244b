//! The flags of `causet draw`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::{Asked, Source};
use crate::quantity;

/// Which run to draw, what to show on it, and where to.
#[derive(Debug, Args)]
pub(crate) struct Draw {
    #[command(flatten)]
    pub(crate) source: Source,
    /// The picture to write, by its ending .svg or .png; by default SVG to standard output.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// The properties of which one is shown: the first that is violated, else the first that has something to show.
    #[command(flatten)]
    pub(crate) asked: Asked,
    /// The property to show, by its name.
    #[arg(long, value_name = "NAME")]
    pub(crate) property: Option<String>,
    /// The first event to draw, counted as they were recorded, from 1.
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(usize), conflicts_with = "around")]
    pub(crate) from: Option<usize>,
    /// The last event to draw.
    #[arg(long, value_name = "NUMBER", conflicts_with = "around")]
    pub(crate) to: Option<usize>,
    /// Draw the events recorded around this one, such as `a#3`.
    #[arg(long, value_name = "EVENT")]
    pub(crate) around: Option<String>,
    /// The colours of the picture.
    #[arg(long, value_enum, value_name = "THEME", default_value_t)]
    pub(crate) theme: Colours,
    /// Stop deciding after this long (ms, s, m, h).
    #[arg(long, value_name = "TIME", value_parser = quantity::duration)]
    pub(crate) timeout: Option<Duration>,
    /// Stop before using more memory than this (K, M, G).
    #[arg(long, value_name = "SIZE", value_parser = quantity::bytes)]
    pub(crate) memory: Option<u64>,
}

/// The colours of a picture.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, ValueEnum)]
pub(crate) enum Colours {
    /// Dark on white, for papers.
    #[default]
    Light,
    /// Light on black.
    Dark,
}
