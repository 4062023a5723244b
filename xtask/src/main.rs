//! The project's own commands, run as `cargo xtask NAME`; the table below and the benches are all of them.

mod api;
mod bench;
mod faults;
mod readme;
mod test;
mod tidy;

use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A command takes the repository's root and answers with a sentence when it fails.
struct Command {
    name: &'static str,
    what: &'static str,
    run: fn(&Path) -> Result<(), String>,
}

const COMMANDS: &[Command] = &[
    Command {
        name: "test",
        what: "everything that must be green before a change is kept",
        run: test::run,
    },
    Command {
        name: "tidy",
        what: "the house rules that no compiler checks: who uses whom, the map, links, layout",
        run: tidy::run,
    },
    Command {
        name: "readme",
        what: "runs the first command of README.md and compares what it prints",
        run: readme::run,
    },
    Command {
        name: "codes",
        what: "writes the page of the book that lists the codes of errors, warnings and notes",
        run: codes,
    },
    Command {
        name: "api",
        what: "writes docs/api, the lists of what the promised crates make public",
        run: api::run,
    },
    Command {
        name: "faults",
        what: "kills, stops and cuts off processes that decide together, and keeps the result under bench/",
        run: faults::run,
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
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["help" | "-h" | "--help", ..] => {
            print!("{}", help());
            ExitCode::SUCCESS
        }
        [] => usage("which command?"),
        ["bench", name, ref options @ ..] => {
            let options: Vec<String> = options.iter().map(|&option| option.to_owned()).collect();
            finish(bench::run(&root(), name, &options))
        }
        ["bench"] => usage("which bench?"),
        [name, ref options @ ..] => match COMMANDS.iter().find(|command| command.name == name) {
            Some(command) if options.is_empty() => finish((command.run)(&root())),
            Some(_) => usage(&format!("`{name}` takes no options")),
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
        text += &format!("  {:18} {}\n", command.name, command.what);
    }
    text + &bench::help(&root()) + "  help               this list\n"
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
        for bench in ["engines", "guard", "protocols", "unknown"] {
            assert!(help().contains(&format!("  bench {bench} ")));
        }
    }

    #[test]
    fn the_root_is_where_the_workspace_is() {
        assert!(root().join("Cargo.lock").exists());
    }
}
