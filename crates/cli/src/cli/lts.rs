//! The commands about transition systems and equation systems.

use std::path::PathBuf;
use std::time::Duration;

use causet::inner::ModelReading;
use causet_base::{Code, Diagnostic};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueEnum};

use super::together::Together;
use super::{at_least_one, workers};
use crate::quantity;

/// The commands about transition systems.
#[derive(Debug, Subcommand)]
pub(crate) enum Lts {
    /// Decide formulas of the mu-calculus on a transition system.
    ///
    /// The exit status is 0 when every formula holds, 1 when at least one is violated, 2 when the usage, the model or a
    /// formula is wrong, and 3 when none is violated but at least one could not be decided within the limits. It is 4
    /// when several processes decide together and one of them was lost.
    Check(Box<Check>),
    /// Show what a transition system looks like: size, labels, deadlocks, livelocks, depth.
    Info(Info),
    /// Write the smallest transition system that is bisimilar to a given one.
    Reduce(Reduce),
    /// Say whether two transition systems are bisimilar, and by which formula they differ if they are not.
    ///
    /// The exit status is 0 when they are, 1 when they are not, 2 when something is wrong, 3 when a limit was reached.
    Compare(Compare),
    /// Say whether an implementation conforms to its specification, and after which trace it does not (ioco).
    ///
    /// The exit status is 0 when it does, 1 when it does not, 2 when something is wrong, 3 when a limit was reached.
    Ioco(Ioco),
    /// Generate tests for a purpose from a specification: the complete test graph, and test cases.
    ///
    /// The exit status is 0 when there are tests, 1 when no behaviour of the specification fulfils the purpose, 2 when
    /// something is wrong, 3 when a limit was reached.
    Tests(Box<Tests>),
    /// Write a transition system in another format; a network is explored.
    Convert(Convert),
    /// Write a transition system of a known family.
    ///
    /// The same family and settings give the same bytes. `causet lts gen --list` describes the families.
    #[command(name = "gen")]
    Generate(Generate),
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
    /// How many threads may read, and solve if given; by default as many as the machine has read, and one solves.
    #[arg(long, value_name = "N", value_parser = at_least_one())]
    workers: Option<usize>,
}

impl Reading {
    /// The same for a file that need not have the internal label.
    pub(crate) fn of_purpose(&self) -> Reading {
        Reading {
            tau: None,
            workers: self.workers,
        }
    }

    /// The same for the library.
    pub(crate) fn model(&self) -> ModelReading {
        ModelReading {
            tau: self.tau.clone(),
            workers: self.workers(),
        }
    }

    /// How many threads may read.
    pub(crate) fn workers(&self) -> usize {
        workers(self.workers)
    }

    /// How many workers were asked for.
    pub(crate) fn asked_workers(&self) -> Option<usize> {
        self.workers
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
    #[command(flatten)]
    pub(crate) together: Together,
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

/// What to show of a transition system.
#[derive(Debug, Args)]
pub(crate) struct Info {
    #[command(flatten)]
    pub(crate) source: Source,
    #[command(flatten)]
    pub(crate) allowed: Allowed,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

/// What to reduce, and where to.
#[derive(Debug, Args)]
pub(crate) struct Reduce {
    #[command(flatten)]
    pub(crate) source: Source,
    /// Strong bisimilarity: the internal step counts like any other (the default, and the only one so far).
    #[arg(long)]
    pub(crate) strong: bool,
    /// The file to write; by default standard output.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) allowed: Allowed,
}

/// What to compare.
#[derive(Debug, Args)]
pub(crate) struct Compare {
    /// One system, as for `causet lts check`.
    #[arg(value_name = "A")]
    pub(crate) first: PathBuf,
    /// The other one.
    #[arg(value_name = "B")]
    pub(crate) second: PathBuf,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) allowed: Allowed,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Which labels are inputs, and which are outputs.
#[derive(Debug, Args)]
pub(crate) struct Interface {
    /// A file that says which labels are inputs or outputs: `input` or `output`, then patterns, one a line.
    ///
    /// By default labels are decorated: ?coin and coin? are inputs, !tea and tea! are outputs.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["inputs", "outputs"])]
    pub(crate) io: Option<PathBuf>,
    /// Labels that match this regular expression as a whole are inputs; may be repeated.
    ///
    /// Without --outputs every other visible label is an output.
    #[arg(long, value_name = "PATTERN", allow_hyphen_values = true)]
    pub(crate) inputs: Vec<String>,
    /// Labels that match this regular expression as a whole are outputs; may be repeated.
    #[arg(long, value_name = "PATTERN", allow_hyphen_values = true)]
    pub(crate) outputs: Vec<String>,
}

/// What is to conform to what.
#[derive(Debug, Args)]
pub(crate) struct Ioco {
    /// The implementation, as for `causet lts check`; it should take every input at any time.
    #[arg(value_name = "IMPL")]
    pub(crate) implementation: PathBuf,
    /// The specification.
    #[arg(value_name = "SPEC")]
    pub(crate) specification: PathBuf,
    #[command(flatten)]
    pub(crate) interface: Interface,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) allowed: Allowed,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Which tests to generate, how, and where to.
#[derive(Debug, Args)]
pub(crate) struct Tests {
    #[command(flatten)]
    pub(crate) source: Source,
    /// The purpose: a transition system whose labels are patterns, with steps ACCEPT and perhaps REFUSE.
    #[arg(long, value_name = "FILE")]
    pub(crate) purpose: PathBuf,
    #[command(flatten)]
    pub(crate) interface: Interface,
    /// How the complete test graph is made: by default direct, and by equations if several workers are asked for.
    #[arg(long, value_enum, value_name = "NAME")]
    pub(crate) method: Option<Method>,
    /// Write the complete test graph, as its ending says: .aut or .dot.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Leave out steps to FAIL: whatever a state that waits has no step for is a failure.
    #[arg(long)]
    pub(crate) implicit_fail: bool,
    /// The test case that is soonest at a verdict PASS.
    #[arg(long, group = "which")]
    pub(crate) shortest: bool,
    /// Test cases that together have every step of the graph.
    #[arg(long, group = "which")]
    pub(crate) cover: bool,
    /// So many test cases at random.
    #[arg(long, value_name = "N", group = "which")]
    pub(crate) random: Option<usize>,
    /// Where chance begins.
    #[arg(long, value_name = "SEED", default_value_t = 1, requires = "random")]
    pub(crate) seed: u64,
    /// Write each test case into this folder, as .aut, .dot and text, in place of cases there; by default cases are printed.
    #[arg(long, value_name = "FOLDER", requires = "which")]
    pub(crate) cases: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) allowed: Allowed,
    #[command(flatten)]
    pub(crate) together: Together,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

/// How a complete test graph is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Method {
    /// Suspend and determinise the product of specification and purpose while it is explored.
    Direct,
    /// Solve equations on the product first, then suspend and determinise what leads to acceptance.
    Equations,
}

/// What to write, and where.
#[derive(Debug, Args)]
pub(crate) struct Convert {
    #[command(flatten)]
    pub(crate) source: Source,
    /// The format to write.
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) to: Target,
    /// The file to write; by default standard output.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) allowed: Allowed,
}

/// The formats of a transition system that can be written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Target {
    /// Aldebaran.
    Aut,
    /// A drawing for Graphviz.
    Dot,
}

/// Which family, which member of it, and where to.
#[derive(Debug, Args)]
pub(crate) struct Generate {
    /// The family, such as `bitalt`.
    #[arg(value_name = "MODEL", required_unless_present = "list")]
    pub(crate) model: Option<String>,
    /// Describe the families, or the one that is named, and write nothing.
    #[arg(long)]
    pub(crate) list: bool,
    /// Choose a setting of the family; may be repeated.
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    pub(crate) set: Vec<(String, String)>,
    /// The file to write, compressed if it ends in .gz or .zst; by default standard output.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write components and the network that composes them, into this folder.
    #[arg(long, value_name = "FOLDER", conflicts_with = "output")]
    pub(crate) network: Option<PathBuf>,
}

fn setting(text: &str) -> Result<(String, String), Diagnostic> {
    let parts = text
        .split_once('=')
        .filter(|(name, value)| !name.is_empty() && !value.is_empty());
    let parts = parts.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let expected = "expected a name, `=` and a value, such as mode=deadlock";
    parts.ok_or_else(|| Diagnostic::new(Code::Usage, expected))
}

/// Which equation system to solve, and how.
#[derive(Debug, Args)]
pub(crate) struct Bes {
    /// The equation system, as `causet lts check --bes` writes them, or `-` for standard input.
    #[arg(value_name = "FILE")]
    pub(crate) system: PathBuf,
    /// How it is solved.
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = one_worker())]
    pub(crate) strategy: Strategy,
    /// Show the values of all variables.
    #[arg(long)]
    pub(crate) solution: bool,
    #[command(flatten)]
    pub(crate) allowed: Allowed,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

/// The strategies of a command that has one worker.
fn one_worker() -> impl TypedValueParser<Value = Strategy> {
    let variants = Strategy::value_variants().iter();
    let alone = variants.filter(|&&strategy| strategy != Strategy::Together);
    let values = alone.filter_map(ValueEnum::to_possible_value);
    let values = values.map(|value| match value.matches("auto", false) {
        true => value.help("Whatever fits best: `lean`"),
        false => value,
    });
    PossibleValuesParser::new(values).try_map(|name| Strategy::from_str(&name, false))
}

/// How an equation system is solved.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, ValueEnum)]
pub(crate) enum Strategy {
    /// Whatever fits best: `together` if several workers are asked for, otherwise `lean`.
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
    /// On the fly, by all workers together, each with a share of the states.
    Together,
}
