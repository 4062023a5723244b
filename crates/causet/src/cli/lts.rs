//! The commands about transition systems and equation systems.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};

use super::{at_least_one, workers};
use crate::quantity;

/// The commands about transition systems.
#[derive(Debug, Subcommand)]
pub(crate) enum Lts {
    /// Decide formulas of the mu-calculus on a transition system.
    ///
    /// The exit status is 0 when every formula holds, 1 when at least one is violated, 2 when the usage, the model or a
    /// formula is wrong, and 3 when none is violated but at least one could not be decided within the limits.
    Check(Box<Check>),
}

/// A transition system to read.
#[derive(Debug, Args)]
pub(crate) struct Source {
    /// The system: an Aldebaran file (.aut), a network of such files (.exp), or `-` for standard input.
    ///
    /// Files compressed with gzip or zstd are read as they are. The files a network names are looked for beside it.
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

/// How systems are read.
#[derive(Debug, Args)]
pub(crate) struct Reading {
    /// The label of internal steps; by default `i` and `tau`.
    #[arg(long, value_name = "NAME")]
    pub(crate) tau: Option<String>,
    /// How many threads may read; by default as many as the machine has.
    #[arg(long, value_name = "N", value_parser = at_least_one())]
    workers: Option<usize>,
}

impl Reading {
    /// How many threads may read.
    pub(crate) fn workers(&self) -> usize {
        workers(self.workers)
    }
}

/// What the work may take.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Allowed {
    /// Stop after this long (ms, s, m, h), reading included.
    #[arg(long, value_name = "TIME", value_parser = quantity::duration)]
    pub(crate) timeout: Option<Duration>,
    /// Stop before using more memory than this (K, M, G).
    #[arg(long, value_name = "SIZE", value_parser = quantity::bytes)]
    pub(crate) memory: Option<u64>,
}

/// What to check on a transition system, how, and how to say what came out.
#[derive(Debug, Args)]
pub(crate) struct Check {
    #[command(flatten)]
    pub(crate) source: Source,
    /// A formula: `[true* . "PUT"] mu X. <true> true and [not "GET"] X`; may be repeated.
    #[arg(long, value_name = "FORMULA", allow_hyphen_values = true)]
    pub(crate) mu: Vec<String>,
    /// A file of named properties, each a formula of the mu-calculus: `property live: mu [true*] <true> true`.
    #[arg(long, value_name = "FILE")]
    pub(crate) props: Vec<PathBuf>,
    /// How the equations behind a formula are solved.
    #[arg(long, value_enum, value_name = "NAME", default_value_t)]
    pub(crate) strategy: Strategy,
    /// Write the part of the system that forces the verdict, as its ending says: .aut, .dot or .json.
    ///
    /// With several properties the name of each is put before the ending.
    #[arg(long, value_name = "FILE")]
    pub(crate) diagnostic: Option<PathBuf>,
    /// Write the equations behind the only formula, all of them, as text for `causet bes`.
    #[arg(long, value_name = "FILE")]
    pub(crate) bes: Option<PathBuf>,
    /// Say how each verdict came about: equations, blocks, figures, time.
    #[arg(long)]
    pub(crate) explain: bool,
    #[command(flatten)]
    pub(crate) allowed: Allowed,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub(crate) json: bool,
    /// Write a report as JUnit XML: one test case per property.
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Print nothing but errors and the object of --json.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// How an equation system is solved.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, ValueEnum)]
pub(crate) enum Strategy {
    /// Whatever fits best: `lean`.
    #[default]
    Auto,
    /// On the fly, each block with as little memory as its shape allows.
    Lean,
    /// On the fly, depth-first, whatever the shape of a block.
    Dfs,
    /// On the fly, breadth-first, all blocks at once.
    Bfs,
    /// All of it by the definition, to compare with; for small systems.
    Global,
}
