//! The project's own commands, run as `cargo xtask NAME`; the table below lists them all.

mod bench;
mod faults;
mod readme;
mod test;
mod tidy;

use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A command takes the repository's root and answers with a sentence when it fails. One that has parts is named `A B`.
struct Command {
    name: &'static str,
    what: &'static str,
    run: Run,
}

/// What a command does.
enum Run {
    Plain(fn(&Path) -> Result<(), String>),
    /// Takes the words that follow its name, from the first that begins with `--`.
    WithOptions(fn(&Path, &[String]) -> Result<(), String>),
}

use Run::{Plain, WithOptions};

const COMMANDS: &[Command] = &[
    Command {
        name: "test",
        what: "everything that must be green before a change is kept",
        run: Plain(test::run),
    },
    Command {
        name: "tidy",
        what: "the house rules that no compiler checks: who uses whom, the map, links, layout",
        run: Plain(tidy::run),
    },
    Command {
        name: "readme",
        what: "runs the first command of README.md and compares what it prints",
        run: Plain(readme::run),
    },
    Command {
        name: "codes",
        what: "writes the page of the book that lists the codes of errors, warnings and notes",
        run: Plain(codes),
    },
    Command {
        name: "bench",
        what: "measures reading and checking, and keeps the result under bench/",
        run: Plain(bench::run),
    },
    Command {
        name: "bench formats",
        what: "reads a log of every format beside the native one, and keeps the result under bench/",
        run: Plain(bench::formats::run),
    },
    Command {
        name: "bench papers",
        what: "checks the traces of the papers' tables, and keeps the table under bench/",
        run: Plain(bench::papers::run),
    },
    Command {
        name: "bench monitors",
        what: "checks monitors and LTL, with the rows of paper TMP, and keeps the result under bench/",
        run: Plain(bench::monitors::run),
    },
    Command {
        name: "bench engines",
        what: "measures the engines on large runs, and keeps the result under bench/",
        run: Plain(bench::engines::run),
    },
    Command {
        name: "bench growth",
        what: "measures how time grows with the run, and draws it for the book",
        run: Plain(bench::growth::run),
    },
    Command {
        name: "bench protocols",
        what: "checks every protocol of `causet gen`, and keeps the result under bench/ and in the README",
        run: Plain(bench::protocols::run),
    },
    Command {
        name: "bench online",
        what: "puts a server under load for ten minutes, and keeps rate, delay and memory under bench/",
        run: Plain(bench::online::run),
    },
    Command {
        name: "bench online-load",
        what: "sends the load of `bench online`, which starts it",
        run: Plain(bench::online::load),
    },
    Command {
        name: "bench peers",
        what: "runs Spin on the same traces, and keeps both times under bench/",
        run: Plain(bench::peers::run),
    },
    Command {
        name: "bench lts",
        what: "checks transition systems, beside stateright, merc and Spin, and keeps the result under bench/",
        run: Plain(bench::lts::run),
    },
    Command {
        name: "bench conformance",
        what: "makes test graphs by every method, beside the tables of paper MB-DSolve, and keeps the result under bench/",
        run: Plain(bench::conformance::run),
    },
    Command {
        name: "bench flow",
        what: "decides with one worker and more, and keeps speed-up, memory and messages under bench/",
        run: Plain(bench::flow::run),
    },
    Command {
        name: "bench unknown",
        what: "counts unknown verdicts of two programs on a seeded sample (--before, --after), and keeps them under bench/",
        run: WithOptions(bench::unknown::run),
    },
    Command {
        name: "faults",
        what: "kills, stops and cuts off processes that decide together, and keeps the result under bench/",
        run: Plain(faults::run),
    },
];

/// Writes the page of codes; a test compares it with the table.
fn codes(root: &Path) -> Result<(), String> {
    let mut command = cargo();
    let command = command.args(["test", "--quiet", "-p", "causet-base", "--test", "codes"]);
    match command.env("CODES", "overwrite").current_dir(root).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("the page of codes was not written: {status}")),
        Err(error) => Err(format!("cargo cannot be started: {error}")),
    }
}

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let is_option = |word: &String| word.starts_with("--") && word != "--help";
    let (name, options) = words.split_at(words.iter().position(is_option).unwrap_or(words.len()));
    match name.join(" ").as_str() {
        "help" | "-h" | "--help" => {
            print!("{}", help());
            ExitCode::SUCCESS
        }
        "" => usage("which command?"),
        name => match COMMANDS.iter().find(|command| command.name == name) {
            Some(command) => match command.run {
                Plain(run) if options.is_empty() => finish(run(&root())),
                Plain(_) => usage(&format!("`{name}` takes no options")),
                WithOptions(run) => finish(run(&root(), options)),
            },
            None => usage(&format!("there is no command `{name}`")),
        },
    }
}

fn finish(outcome: Result<(), String>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("{sentence}");
            ExitCode::FAILURE
        }
    }
}

fn usage(complaint: &str) -> ExitCode {
    eprint!("cargo xtask: {complaint}\n\n{}", help());
    ExitCode::from(2)
}

fn help() -> String {
    let mut text = String::from("Usage: cargo xtask COMMAND\n\n");
    for command in COMMANDS {
        text += &format!("  {:13} {}\n", command.name, command.what);
    }
    text += "  help          this list\n";
    text
}

/// The folder above this package. Cargo says at run time where the package is, which stays right
/// when the repository was moved after it was built.
fn root() -> PathBuf {
    let package = env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    package.parent().map_or(package.clone(), Path::to_path_buf)
}

/// The cargo that started us, so that every step uses one toolchain.
fn cargo() -> std::process::Command {
    std::process::Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_names_every_command() {
        for command in COMMANDS {
            assert!(help().contains(command.name));
        }
    }

    #[test]
    fn the_root_is_where_the_workspace_is() {
        assert!(root().join("Cargo.lock").exists());
    }
}
