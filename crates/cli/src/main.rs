//! The one binary: reads the command line, runs a command, turns its end into an exit status.
//!
//! ```text
//! cli --> check    input --> formats::logs::read --> check::prepare, plan, decide --> report
//!     |   (--stream)   formats::native::stream, twice --> check::stream --> report
//!     |-> view     input --> formats::logs::read --> check --> report::page --> a browser on this machine
//!     |-> serve    sockets --> serve::desk --> check::stream::Monitor --> verdicts while runs go on
//!     |-> send     input --> formats::logs::read --> serve::client --> a server
//!     |-> lint     input --> formats::lint
//!     |-> info     input --> formats::logs::read --> counts, width, races
//!     |-> convert  input --> formats::logs::read --> writers --> output
//!     |-> draw     input --> formats::logs::read --> check::decide --> report::story, report::picture --> output
//!     |-> slice    input --> formats::logs::read --> check::slicing --> report::slice --> output
//!     |-> gen      workload --> record --> output
//!     |-> map      formats::logs::guess --> output
//!     |-> bes      solve::bes::text --> solve::bes --> report::bes --> output
//!     |-> lts      lts::model --> causet_lts: check, info, reduce, compare --> report::lts --> output
//!     |-> test     lts::conformance --> drive --> a real program --> output
//!     |-> cluster  starts several processes of `lts check` or `check`, see together
//!     +-> completions, man
//! ```
//!
//! Files, the clock, signals and the terminal are touched here and nowhere else.

mod automaton;
mod bes;
mod check;
mod cli;
mod cluster;
mod completions;
mod convert;
mod diagnostics;
mod draw;
mod failure;
mod formats;
mod free_names;
mod generate;
mod info;
mod input;
mod limits;
mod lint;
mod lts;
mod man;
mod map;
mod output;
mod progress;
mod properties;
mod publish;
mod quantity;
mod secret;
mod send;
mod serve;
mod slice;
mod test;
mod together;
mod trust;
mod view;

use std::io::Write;
use std::sync::Mutex;

use causet_base::Code;
use clap::Parser;

use cli::{Cli, Command};
use failure::{Failure, Status};

fn main() {
    let cli = Cli::try_parse().unwrap_or_else(|instead| print_instead(&instead));
    cli.color.write_global();
    end(run(cli.command))
}

/// Ends the process; whichever thread comes first has the last word.
pub(crate) fn end(ended: Result<Status, Failure>) -> ! {
    static LAST_WORD: Mutex<()> = Mutex::new(());
    let _last = LAST_WORD.lock();
    let status = ended.unwrap_or_else(failure::report);
    diagnostics::errors_as_json();
    // Not by returning: a trace of many gigabytes is faster left to the system than dropped.
    std::process::exit(status.code());
}

/// Prints help, the version or what is wrong with the command line, and ends the program.
///
/// As `clap` would do it, but without the blanks it leaves on the empty lines of a long help.
pub(crate) fn print_instead(message: &clap::Error) -> ! {
    let text = message.render().ansi().to_string();
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let text = lines.join("\n");
    let (plain, coded) = (message.render().to_string(), Code::Usage.to_string());
    let text = match message.use_stderr() {
        true => text.replacen("error:", &format!("error[{coded}]:"), 1),
        false => text,
    };
    // When even that fails there is nobody left to tell.
    let _ = match message.use_stderr() {
        true => {
            diagnostics::usage(&plain);
            diagnostics::errors_as_json();
            writeln!(anstream::stderr().lock(), "{text}")
        }
        false => writeln!(anstream::stdout().lock(), "{text}"),
    };
    std::process::exit(message.exit_code())
}

fn run(command: Command) -> Result<Status, Failure> {
    match command {
        Command::Check(arguments) => check::run(&arguments),
        Command::Info(arguments) => info::run(&arguments),
        Command::Convert(arguments) => convert::run(&arguments),
        Command::Draw(arguments) => draw::run(&arguments),
        Command::Slice(arguments) => slice::run(&arguments),
        Command::Automaton(arguments) => automaton::run(&arguments),
        Command::Generate(arguments) => generate::run(&arguments),
        Command::Bes(arguments) => bes::run(arguments),
        Command::Formats => formats::run(),
        Command::Lint(arguments) => lint::run(&arguments),
        Command::Map(arguments) => map::run(&arguments),
        Command::View(arguments) => view::run(*arguments),
        Command::Serve(arguments) => serve::run(&arguments),
        Command::Send(arguments) => send::run(&arguments),
        Command::Lts(arguments) => lts::run(arguments),
        Command::Test(command) => test::run(command),
        Command::Cluster(command) => cluster::run(command),
        Command::Completions(arguments) => completions::run(&arguments),
        Command::Man(arguments) => man::run(&arguments),
    }
}
