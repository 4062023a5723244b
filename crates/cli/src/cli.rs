//! The command line: every command and every flag, each described once, here.

pub(crate) mod cluster;
pub(crate) mod draw;
pub(crate) mod lts;
pub(crate) mod send;
pub(crate) mod serve;
pub(crate) mod test;
pub(crate) mod together;

use std::path::PathBuf;
use std::time::Duration;

use causet::inner::MOST_WORKERS;
use causet_base::{Code, Diagnostic};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgMatches, Args, Command as Clap, FromArgMatches, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use causet_check::engine::{ENGINES, Engine};
use causet_check::plan::Choice;
use causet_formula::Kind;
use causet_report::json::LongOrders;

use self::together::Together;
use crate::quantity;

/// Checks every order in which a recorded distributed run could have happened.
///
/// A trace records what each process did and which messages passed. Whatever that leaves open, happened in one order
/// when it was recorded and may happen in another next time. Causet decides properties over all of these orders and
/// prints one that breaks a property.
#[derive(Debug, Parser)]
#[command(name = "causet", version, max_term_width = 100)]
pub(crate) struct Cli {
    /// Colours in the output; by default on a terminal, unless NO_COLOR is set.
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t)]
    pub(crate) color: Colour,
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// When to use colours.
#[derive(Clone, Copy, Default, Debug, ValueEnum)]
pub(crate) enum Colour {
    /// On a terminal.
    #[default]
    Auto,
    /// Also in files and pipes.
    Always,
    /// Plain text.
    Never,
}

impl Colour {
    /// Makes this the choice of everything that prints.
    pub(crate) fn write_global(self) {
        let choice = match self {
            Colour::Auto => anstream::ColorChoice::Auto,
            Colour::Always => anstream::ColorChoice::Always,
            Colour::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
    }
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Decide properties over all orders of a recorded run.
    ///
    /// The exit status is 0 when every property holds, 1 when at least one is violated, 2 when the usage, the trace or
    /// a formula is wrong, and 3 when none is violated but at least one could not be decided within the limits. It is 4
    /// when several processes decide together and one of them was lost.
    Check(Box<Check>),
    /// Look at a recorded run in a browser on this machine, with its verdicts explained.
    ///
    /// Prints the address of a page that only this machine can open, and serves it until Ctrl-C. `causet check --html`
    /// writes a report of the same kind into a file.
    View(Box<View>),
    /// Follow runs while they go on, and tell verdicts the moment they are certain.
    ///
    /// Processes send their events as JSON lines. Each is kept before it is acknowledged, so a server that is killed goes
    /// on where it was. Verdicts are printed as JSON lines.
    Serve(Box<serve::Serve>),
    /// Send a recorded run to a server that follows runs, as if it happened now.
    ///
    /// What the server has not acknowledged is sent again when the connection is lost, so in the end all of it is there.
    Send(Box<send::Send>),
    /// Show the size and shape of a recorded run: processes, events, cuts, width, races.
    Info(Info),
    /// Write a recorded run in another format.
    Convert(Convert),
    /// Draw a run as a picture, with the cut that shows a verdict across it.
    ///
    /// Of a large run the part around the cut is drawn; the picture says what it leaves out.
    Draw(draw::Draw),
    /// Reduce a run to the cuts that satisfy a predicate: the computation slice.
    ///
    /// The slice is a run of its own, of events that happen together. Its cuts are the cuts of the run that satisfy the
    /// predicate and as few others as possible.
    Slice(Slice),
    /// Show the automaton of a property of runs, as text, as a drawing or in the Hanoi format.
    ///
    /// Properties of runs are LTL formulas, monitors, sequences, regular expressions and automata in files. The automaton
    /// accepts the orders that satisfy the property. Without a trace every name is a variable.
    Automaton(Automaton),
    /// Record a run of a known protocol, right or faulty, from a seed.
    ///
    /// The same model, numbers and seed give the same bytes. `causet gen --list` describes the models, and
    /// `causet gen MODEL --list` one of them.
    #[command(name = "gen")]
    Generate(Generate),
    /// Labelled transition systems: check, describe, reduce, compare, convert, generate.
    #[command(subcommand)]
    Lts(lts::Lts),
    /// Run tests against a real program: generated cases, or walks at random along a specification.
    #[command(subcommand)]
    Test(test::Test),
    /// Solve a boolean equation system: the value of one variable, and the few others that force it.
    ///
    /// A system is a text: `main X`, then blocks (`block mu`, `block nu`) of equations (`X = Y and (Z or true)`), each of
    /// which depends on its own block and later ones. The exit status is 0 when the value is true and 1 when it is false.
    Bes(lts::Bes),
    /// List the formats that can be read.
    Formats,
    /// Find everything that is wrong or suspicious in a log.
    ///
    /// The exit status is 0 when nothing was found, 1 when something was, and 2 when the log cannot be read.
    Lint(Lint),
    /// Propose a mapping for logs of JSON lines that are in no known format.
    ///
    /// Save it, correct it, and give it to the other commands, as in `causet check --mapping FILE`.
    Map(Map),
    /// Several processes that decide together, on one machine or on many.
    #[command(subcommand)]
    Cluster(cluster::Cluster),
    /// Print a completion script for a shell.
    Completions(Completions),
    /// Print the manual page.
    Man(Man),
}

/// Where the run comes from.
#[derive(Debug, Default, Args)]
pub(crate) struct Source {
    /// The recorded run: files, a directory of files, or `-` for standard input.
    ///
    /// Several files, or the .jsonl, .ndjson, .json, .gz and .zst files of a directory, or else its .log and log.txt files,
    /// are the parts of one run; one log per process is the usual case. Files compressed with gzip or zstd are read as they
    /// are. The format is recognised by the content; `causet formats` lists all that can be read.
    #[arg(value_name = "TRACE", required = true)]
    pub(crate) traces: Vec<PathBuf>,
    /// The format of the trace, if it is not to be recognised; `causet formats` lists them.
    #[arg(long, value_name = "NAME")]
    pub(crate) format: Option<String>,
    /// How records look: a regular expression of ECMAScript with the groups host, clock and event, as for ShiViz.
    #[arg(long, value_name = "REGEX", conflicts_with = "format")]
    pub(crate) regex: Option<String>,
    /// What separates executions in one file: a regular expression, perhaps with the group trace, as for ShiViz.
    #[arg(long, value_name = "REGEX")]
    pub(crate) delimiter: Option<String>,
    /// Which of several executions or traces in one file is meant: its name, or its number from 1.
    #[arg(long, value_name = "NAME")]
    pub(crate) execution: Option<String>,
    /// Read several traces of spans as one run; by default they are refused.
    #[arg(long, conflicts_with = "execution")]
    pub(crate) merge: bool,
    /// Let the clock of each host order the spans that ran on it; by default clocks order nothing.
    #[arg(long)]
    pub(crate) trust_local_clock: bool,
    /// Read JSON lines as this file says: where process, event, variables, clock and messages stand.
    ///
    /// `causet map --guess LOG` proposes such a mapping.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["format", "regex"])]
    pub(crate) mapping: Option<PathBuf>,
    /// Let receives without send, holes in clocks and a last line that is cut off pass, with a warning.
    #[arg(long)]
    pub(crate) lenient: bool,
    /// How many threads may work; by default as many as the machine has.
    #[arg(long, value_name = "N", value_parser = at_least_one())]
    pub(crate) workers: Option<usize>,
}

impl Source {
    /// How many threads may work.
    pub(crate) fn workers(&self) -> usize {
        workers(self.workers)
    }
}

/// How many threads may work when so many were asked for.
fn workers(asked: Option<usize>) -> usize {
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    asked.unwrap_or_else(processors).min(MOST_WORKERS)
}

fn at_least_one() -> impl TypedValueParser<Value = usize> {
    clap::value_parser!(u32)
        .range(1..)
        .map(|number| number as usize)
}

/// What to check, how, and how to say what came out.
#[derive(Debug, Args)]
pub(crate) struct Check {
    #[command(flatten)]
    pub(crate) source: Source,
    #[command(flatten)]
    pub(crate) asked: Asked,
    /// The engine that decides; by default the one that fits each property best.
    #[arg(long, value_parser = engines(), value_name = "NAME", default_value = "auto")]
    pub(crate) engine: Choice,
    /// Say how each verdict came about: plan, core formula, figures, time.
    #[arg(long)]
    pub(crate) explain: bool,
    /// Ask about the orders that end at a cut, such as `p1: 3, p2: 1`: does some order satisfy the property?
    ///
    /// The numbers say how many events of each process have happened; a process that is not named has done none.
    #[arg(long, value_name = "CUT", conflicts_with = "all")]
    pub(crate) some: Option<String>,
    /// Ask about the orders that end at a cut, such as `p1: 3, p2: 1`: does every order satisfy the property?
    #[arg(long, value_name = "CUT")]
    pub(crate) all: Option<String>,
    /// For the engine `two-phase`: how many events of one process it may take in a row; by default any number.
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_steps: Option<u32>,
    /// Compare the searches level by level for a property of runs: the cuts and steps of each.
    #[arg(long)]
    pub(crate) stats: bool,
    /// Read the run twice instead of keeping it; memory does not grow with its length.
    ///
    /// For properties of runs and formulas without nesting. No order of events is shown. The trace must be in files.
    #[arg(long, conflicts_with_all = ["engine", "explain", "some", "all", "max_steps", "stats", "lenient"])]
    pub(crate) stream: bool,
    /// Stop after this long (ms, s, m, h), reading included; the rest is unknown.
    #[arg(long, value_name = "TIME", value_parser = quantity::duration)]
    pub(crate) timeout: Option<Duration>,
    /// Stop before using more memory than this (K, M, G); the rest is unknown.
    #[arg(long, value_name = "SIZE", value_parser = quantity::bytes)]
    pub(crate) memory: Option<u64>,
    #[command(flatten)]
    pub(crate) together: Together,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub(crate) json: bool,
    /// How --json tells orders of more than 10,000 events.
    #[arg(
        long,
        value_enum,
        value_name = "FORM",
        default_value_t,
        requires = "json"
    )]
    pub(crate) witness: WitnessForm,
    /// Write a report as one web page that needs nothing else: the run as a diagram, and each verdict explained.
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Write a report as JUnit XML: one test case per property.
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Write a report as SARIF: an error for each violated property, at the event that decides it.
    #[arg(long, value_name = "FILE")]
    pub(crate) sarif: Option<PathBuf>,
    /// Write the states along the first witness, in the format of Apalache.
    #[arg(long, value_name = "FILE")]
    pub(crate) itf: Option<PathBuf>,
    /// End with status 2 if there was a warning, unless a property is violated.
    ///
    /// Notes do not count, nor what a reader of another format or --lenient let pass.
    #[arg(long)]
    pub(crate) deny_warnings: bool,
    /// Print nothing but errors and the object of --json.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// What to look at, and where.
#[derive(Debug, Args)]
pub(crate) struct View {
    #[command(flatten)]
    pub(crate) source: Source,
    #[command(flatten)]
    pub(crate) asked: Asked,
    /// The port to listen on; by default any that is free.
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) port: u16,
    /// Stop reading and deciding after this long (ms, s, m, h); what is not decided then is unknown.
    #[arg(long, value_name = "TIME", value_parser = quantity::duration, default_value = "60s")]
    pub(crate) timeout: Duration,
    /// Stop before using more memory than this (K, M, G).
    #[arg(long, value_name = "SIZE", value_parser = quantity::bytes)]
    pub(crate) memory: Option<u64>,
}

impl View {
    /// The check that finds out what is shown.
    pub(crate) fn into_check(self) -> Check {
        Check {
            source: self.source,
            asked: self.asked,
            engine: Choice::Auto,
            explain: false,
            some: None,
            all: None,
            max_steps: None,
            stats: false,
            stream: false,
            timeout: Some(self.timeout),
            memory: self.memory,
            together: Together::default(),
            json: false,
            witness: WitnessForm::Short,
            html: None,
            junit: None,
            sarif: None,
            itf: None,
            deny_warnings: false,
            quiet: false,
        }
    }
}

/// How long orders are told to programs.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, ValueEnum)]
pub(crate) enum WitnessForm {
    /// By the events that moved from where they were recorded.
    #[default]
    Short,
    /// Event by event.
    Full,
}

impl From<WitnessForm> for LongOrders {
    fn from(form: WitnessForm) -> LongOrders {
        match form {
            WitnessForm::Short => LongOrders::Moved,
            WitnessForm::Full => LongOrders::Full,
        }
    }
}

/// The engine with a name, from the table of engines.
fn engines() -> impl TypedValueParser<Value = Choice> {
    let auto = PossibleValue::new("auto").help("Whatever fits best");
    let others = ENGINES
        .iter()
        .map(|engine| PossibleValue::new(engine.name).help(engine.about));
    PossibleValuesParser::new([auto].into_iter().chain(others))
        .map(|name| Engine::named(&name).map_or(Choice::Auto, Choice::Forced))
}

/// A property as the person asked for it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Ask {
    /// A formula in a logic.
    Formula(Kind, String),
    /// An automaton in a file.
    Automaton(PathBuf),
    /// A file of properties.
    File(PathBuf),
}

/// All properties, in the order of the command line, whatever their kind.
#[derive(Debug)]
pub(crate) struct Asked(pub(crate) Vec<Ask>);

/// The flags behind [`Asked`]; clap collects each by itself.
#[derive(Debug, Args)]
#[command(next_help_heading = "Properties")]
struct AskedFlags {
    /// A CTL formula about all orders: `AG !(a.leader && b.leader)`.
    #[arg(long, value_name = "FORMULA", allow_hyphen_values = true)]
    ctl: Vec<String>,
    /// An LTL formula that every order must satisfy: `G (on("request") -> F on("reply"))`.
    #[arg(long, value_name = "FORMULA", allow_hyphen_values = true)]
    ltl: Vec<String>,
    /// A predicate that some order must reach, or a sequence: `{a ; [never t] b}`, `re(a . b*)`.
    ///
    /// It holds, with exit status 0, when some order shows it; for something bad write --ctl 'AG !(P)'.
    #[arg(long, value_name = "PREDICATE", allow_hyphen_values = true)]
    possibly: Vec<String>,
    /// A predicate that every order must reach at some cut, or a sequence that every order must have.
    #[arg(long, value_name = "PREDICATE", allow_hyphen_values = true)]
    definitely: Vec<String>,
    /// A formula of the mu-calculus over event labels: `[any* . commit . (!abort)* . commit] false`.
    ///
    /// The label of an event is its `ev`, and `tau` without one.
    #[arg(long, value_name = "FORMULA", allow_hyphen_values = true)]
    mu: Vec<String>,
    /// An automaton in the Hanoi format that must accept every order; its atoms are predicates.
    #[arg(long, value_name = "FILE")]
    hoa: Vec<PathBuf>,
    /// A file of definitions, named properties and monitors.
    #[arg(long, value_name = "FILE")]
    props: Vec<PathBuf>,
}

impl FromArgMatches for Asked {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let flags = AskedFlags::from_arg_matches(matches)?;
        let formula = |kind| move |text| Ask::Formula(kind, text);
        let mut asked: Vec<(usize, Ask)> = Vec::new();
        let mut add = |id: &str, asks: Vec<Ask>| {
            let places = matches.indices_of(id).into_iter().flatten();
            asked.extend(places.zip(asks));
        };
        let formulas = [
            ("ctl", Kind::Ctl, flags.ctl),
            ("ltl", Kind::Ltl, flags.ltl),
            ("possibly", Kind::Possibly, flags.possibly),
            ("definitely", Kind::Definitely, flags.definitely),
            ("mu", Kind::Mu, flags.mu),
        ];
        for (id, kind, texts) in formulas {
            add(id, texts.into_iter().map(formula(kind)).collect());
        }
        add("hoa", flags.hoa.into_iter().map(Ask::Automaton).collect());
        add("props", flags.props.into_iter().map(Ask::File).collect());
        asked.sort_by_key(|(place, _)| *place);
        Ok(Asked(asked.into_iter().map(|(_, ask)| ask).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Asked::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for Asked {
    fn augment_args(command: Clap) -> Clap {
        AskedFlags::augment_args(command).next_help_heading(None::<&str>)
    }

    fn augment_args_for_update(command: Clap) -> Clap {
        AskedFlags::augment_args_for_update(command).next_help_heading(None::<&str>)
    }
}

/// What to show of a run.
#[derive(Debug, Args)]
pub(crate) struct Info {
    #[command(flatten)]
    pub(crate) source: Source,
    /// Stop after this long (ms, s, m, h); by default, stop counting 5s after the run was read.
    #[arg(long, value_name = "TIME", value_parser = quantity::duration)]
    pub(crate) timeout: Option<Duration>,
    /// Stop before using more memory than this (K, M, G); by default, count within 2G beside the run.
    #[arg(long, value_name = "SIZE", value_parser = quantity::bytes)]
    pub(crate) memory: Option<u64>,
    /// Count the cuts exactly, as far as the limits allow; otherwise a large number is estimated.
    #[arg(long)]
    pub(crate) cuts: bool,
    /// Print one JSON object instead of text; its numbers are exact, or null at a limit.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Which automaton, and how to write it.
#[derive(Debug, Args)]
#[command(mut_arg("traces", |run| {
    let help = "The recorded run whose names the property uses; may be left out";
    run.required(false).help(help).long_help(help)
}))]
pub(crate) struct Automaton {
    #[command(flatten)]
    pub(crate) source: Source,
    #[command(flatten)]
    pub(crate) asked: Asked,
    /// How to write it.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    pub(crate) to: AutomatonFormat,
    /// The file to write; by default standard output.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// The forms of an automaton.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, ValueEnum)]
pub(crate) enum AutomatonFormat {
    /// A list of states and edges, with what is known about the property.
    #[default]
    Text,
    /// A drawing for Graphviz.
    Dot,
    /// The Hanoi Omega-Automata format, with acceptance meant for finite words.
    Hoa,
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
    /// The property a model is to carry.
    #[command(flatten)]
    pub(crate) asked: Asked,
}

/// The formats that can be written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Target {
    /// The native format.
    Jsonl,
    /// A Promela model for Spin, with at most one property.
    Promela,
    /// A model for NuSMV and nuXmv, with at most one property.
    Smv,
    /// A drawing for Graphviz.
    Dot,
    /// A log for ShiViz.
    Shiviz,
    /// A sequence diagram for Mermaid.
    Mermaid,
    /// The binary form, which is opened without parsing.
    Bin,
    /// Events for the trace viewers of Chrome and Perfetto.
    Chrome,
    /// A sequence diagram for PlantUML.
    Plantuml,
    /// The states of the recorded order, in the format of Apalache.
    Itf,
}

/// Which log to look at, and how to say what was found.
#[derive(Debug, Args)]
pub(crate) struct Lint {
    #[command(flatten)]
    pub(crate) source: Source,
    /// Print the findings as one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the findings as SARIF to a file.
    #[arg(long, value_name = "FILE")]
    pub(crate) sarif: Option<PathBuf>,
}

/// What to slice, for which predicate, and where to.
#[derive(Debug, Args)]
pub(crate) struct Slice {
    #[command(flatten)]
    pub(crate) source: Source,
    /// The predicate, such as `a.leader && b.leader`.
    #[arg(
        long,
        short,
        value_name = "PREDICATE",
        allow_hyphen_values = true,
        required = true
    )]
    pub(crate) predicate: String,
    /// The format of the graph.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    pub(crate) to: SliceFormat,
    /// The file to write the graph to; by default standard output.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write the run and its slice to a file as one web page, and print a summary.
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Stop after this long (ms, s, m, h); counting cuts stops after five seconds unless this says otherwise.
    #[arg(long, value_name = "TIME", value_parser = quantity::duration)]
    pub(crate) timeout: Option<Duration>,
    /// Stop before using more memory than this (K, M, G).
    #[arg(long, value_name = "SIZE", value_parser = quantity::bytes)]
    pub(crate) memory: Option<u64>,
    /// Print the summary as a JSON object when the graph goes to a file.
    #[arg(long, requires = "output")]
    pub(crate) json: bool,
}

/// How a slice is written.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, ValueEnum)]
pub(crate) enum SliceFormat {
    /// One JSON object.
    #[default]
    Json,
    /// A drawing for Graphviz.
    Dot,
}

/// Which protocol to record, how large, and where to.
#[derive(Debug, Args)]
pub(crate) struct Generate {
    /// The protocol, such as `peterson`.
    #[arg(value_name = "MODEL", required_unless_present = "list")]
    pub(crate) model: Option<String>,
    /// Describe the protocols, or the one that is named, and record nothing.
    #[arg(long)]
    pub(crate) list: bool,
    /// How many processes; by default as many as is usual for the protocol.
    #[arg(long, value_name = "N")]
    pub(crate) procs: Option<usize>,
    /// How many events; fewer only if no process can go on.
    #[arg(long, value_name = "M", default_value_t = 1000,
          value_parser = clap::value_parser!(u64).range(0..=u64::from(u32::MAX)))]
    pub(crate) events: u64,
    /// Where chance begins.
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Build the protocol with its mistake.
    #[arg(long)]
    pub(crate) faulty: bool,
    /// Choose what only this protocol has; may be repeated.
    #[arg(long, value_name = "NAME=NUMBER", value_parser = setting)]
    pub(crate) set: Vec<(String, u64)>,
    /// The file to write, compressed if it ends in .gz or .zst; by default standard output.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write the properties of the protocol to this file, for `causet check --props`.
    #[arg(long, value_name = "FILE")]
    pub(crate) props: Option<PathBuf>,
}

fn setting(text: &str) -> Result<(String, u64), Diagnostic> {
    let parts = text
        .split_once('=')
        .and_then(|(name, number)| Some((name.to_owned(), number.parse().ok()?)));
    let expected = "expected a name, `=` and a number, such as work=4";
    parts.ok_or_else(|| Diagnostic::new(Code::Usage, expected))
}

/// For which log.
#[derive(Debug, Args)]
pub(crate) struct Map {
    /// Propose a mapping for the first lines of this log; `-` is standard input.
    #[arg(long, value_name = "LOG", required = true)]
    pub(crate) guess: PathBuf,
    /// The file to write; by default standard output.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// For which shell.
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell.
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}

/// Which page.
#[derive(Debug, Args)]
pub(crate) struct Man {
    /// The command to describe, such as `check`; by default causet itself.
    pub(crate) command: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    /// All options that a text names.
    fn named_options(text: &str) -> impl Iterator<Item = &str> {
        let starts = text.match_indices("--").map(|(at, _)| &text[at + 2..]);
        let names = starts.map(|rest| {
            let end = rest.find(|c: char| !c.is_ascii_lowercase() && c != '-');
            rest[..end.unwrap_or(rest.len())].trim_end_matches('-')
        });
        names.filter(|name| !name.is_empty())
    }

    /// What the help of a command says of itself and of each argument.
    fn texts(command: &Clap) -> Vec<String> {
        let own = [
            command.get_about(),
            command.get_long_about(),
            command.get_after_help(),
        ];
        let arguments = command.get_arguments().flat_map(|argument| {
            let values = argument.get_possible_values();
            let values = values
                .iter()
                .filter_map(|value| value.get_help().map(ToString::to_string));
            let help = [argument.get_help(), argument.get_long_help()];
            let help = help.into_iter().flatten().map(ToString::to_string);
            help.chain(values).collect::<Vec<_>>()
        });
        own.into_iter()
            .flatten()
            .map(ToString::to_string)
            .chain(arguments)
            .collect()
    }

    /// Names of options that help texts use and no command has near them.
    fn unknown_options(command: &Clap, root: &Clap, found: &mut Vec<String>) {
        let has = |command: &Clap, name: &str| {
            let mut arguments = command.get_arguments();
            arguments.any(|argument| argument.get_long() == Some(name))
        };
        for text in texts(command) {
            // In backquotes a whole command of its own may stand.
            let (mut own, mut other) = (String::new(), Vec::new());
            for (number, piece) in text.split('`').enumerate() {
                let line = piece.strip_prefix("causet ").unwrap_or(piece);
                let first = line.split(' ').next().unwrap_or_default();
                match number % 2 == 1 && root.find_subcommand(first).is_some() {
                    true => other.push(line.to_owned()),
                    false => own += piece,
                }
            }
            let mut misfits: Vec<String> = named_options(&own)
                .filter(|name| !has(command, name))
                .map(str::to_owned)
                .collect();
            for line in other {
                let mut at = root;
                for word in line.split(' ') {
                    match at.find_subcommand(word) {
                        Some(sub) => at = sub,
                        None => break,
                    }
                }
                let unknown = named_options(&line).filter(|name| !has(at, name));
                misfits.extend(unknown.map(str::to_owned));
            }
            let name = command.get_name();
            found.extend(
                misfits
                    .iter()
                    .map(|option| format!("{name}: --{option} in: {text}")),
            );
        }
        for sub in command.get_subcommands() {
            unknown_options(sub, root, found);
        }
    }

    #[test]
    fn help_names_no_option_that_does_not_exist() {
        let mut root = Cli::command();
        root.build();
        let mut found = Vec::new();
        unknown_options(&root, &root, &mut found);
        assert!(found.is_empty(), "{found:#?}");
    }

    /// Help texts that speak of several workers where none can be asked for.
    fn idle_workers(command: &Clap, found: &mut Vec<String>) {
        let mut arguments = command.get_arguments();
        let has_workers = arguments.any(|argument| argument.get_long() == Some("workers"));
        let has_commands = command.has_subcommands();
        let texts = texts(command).into_iter();
        let texts = texts.filter(|text| text.contains("worker") && !has_workers && !has_commands);
        found.extend(texts.map(|text| format!("{}: {text}", command.get_name())));
        for sub in command.get_subcommands() {
            idle_workers(sub, found);
        }
    }

    #[test]
    fn help_speaks_of_workers_only_where_they_can_be_asked_for() {
        let mut root = Cli::command();
        root.build();
        let mut found = Vec::new();
        idle_workers(&root, &mut found);
        assert!(found.is_empty(), "{found:#?}");
    }

    #[test]
    fn properties_keep_their_order_across_kinds() {
        let line = "causet check t.jsonl --possibly a --ctl b --props c --possibly d --ctl=e";
        let cli = Cli::try_parse_from(line.split(' ')).unwrap();
        let Command::Check(check) = cli.command else {
            panic!("a check");
        };
        let formula = |kind, text: &str| Ask::Formula(kind, text.to_owned());
        let expected = [
            formula(Kind::Possibly, "a"),
            formula(Kind::Ctl, "b"),
            Ask::File("c".into()),
            formula(Kind::Possibly, "d"),
            formula(Kind::Ctl, "e"),
        ];
        assert_eq!(check.asked.0, expected);
    }
}
