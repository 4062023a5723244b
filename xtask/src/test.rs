//! `cargo xtask test`: the steps that must all be green, cheapest first, stopping at the first red.
//!
//! The order is that of the price of being wrong: layout and house rules answer within a second, the
//! lints before the tests they might invalidate, and the README's command last because it alone needs
//! a build of its own. The comparison with another checker comes before it, and is the one step that may be left out: its
//! crates are not ours, and without a network and without a copy of them there is nothing to compare with.
//!
//! The tests leave a processor idle much of the time: many do one thing after the other, and some wait for other
//! processes. So what later steps need is built beside them; whether it could be built those steps say.

use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::bench::target;
use crate::{cargo, readme, tidy};

/// One row of the table: what it is called, why it is there, how it is run.
struct Step {
    name: &'static str,
    why: &'static str,
    run: Run,
    /// Commands that build beside this step what later ones need.
    beside: &'static [fn(&Path) -> Command],
}

enum Run {
    /// A cargo command, with the variables it wants in its environment.
    Cargo {
        env: &'static [(&'static str, &'static str)],
        args: &'static [&'static str],
    },
    /// A command of this package; `again` is how to run it alone.
    Own {
        run: fn(&Path) -> Result<(), String>,
        again: &'static str,
    },
}

/// What the default build leaves out is tested too.
const FULL: &str = "causet-cli/full";

const STEPS: &[Step] = &[
    Step {
        name: "format",
        why: "one layout, never discussed",
        run: Run::Cargo {
            env: &[],
            args: &["fmt", "--all", "--check"],
        },
        beside: &[],
    },
    Step {
        name: "tidy",
        why: "the house rules no compiler checks",
        run: Run::Own {
            run: tidy::run,
            again: "cargo xtask tidy",
        },
        beside: &[],
    },
    Step {
        name: "lints",
        why: "no warning is left for the next reader",
        run: Run::Cargo {
            env: &[],
            args: &[
                "clippy",
                "--workspace",
                "--all-targets",
                "--features",
                FULL,
                "--locked",
                "--",
                "-D",
                "warnings",
            ],
        },
        beside: &[],
    },
    Step {
        name: "build",
        why: "whatever the tests need, on all processors",
        run: Run::Cargo {
            env: &[],
            args: &[
                "test",
                "--workspace",
                "--features",
                FULL,
                "--locked",
                "--no-run",
            ],
        },
        beside: &[],
    },
    Step {
        name: "tests",
        why: "unit, integration and documentation tests, all engines on all cases",
        run: Run::Cargo {
            env: &[],
            args: &["test", "--workspace", "--features", FULL, "--locked"],
        },
        beside: &[readme::build, peers_build],
    },
    Step {
        name: "documentation",
        why: "it builds, and no link in it is broken",
        run: Run::Cargo {
            env: &[("RUSTDOCFLAGS", "-D warnings")],
            args: &[
                "doc",
                "--workspace",
                "--features",
                FULL,
                "--no-deps",
                "--locked",
            ],
        },
        beside: &[],
    },
    Step {
        name: "peers",
        why: "verdicts on transition systems, held against those of another checker",
        run: Run::Own {
            run: peers,
            again: "cargo test --locked --manifest-path bench/peers/Cargo.toml --target-dir target/peers",
        },
        beside: &[],
    },
    Step {
        name: "readme",
        why: "the first command a newcomer types does what the README shows",
        run: Run::Own {
            run: readme::run,
            again: "cargo xtask readme",
        },
        beside: &[],
    },
];

/// Runs every step and says at the end that all is well, and how long it took.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let taken = run_steps(STEPS, root, &mut io::stdout())?;
    println!(
        "All is well: {} steps passed in {}.",
        STEPS.len(),
        seconds(taken)
    );
    Ok(())
}

/// Runs the tests of the workspace that holds the other checkers; it has a target directory of its own, so that they
/// are built once.
fn peers(root: &Path) -> Result<(), String> {
    let folder = root.join("bench/peers");
    let unable = |error| format!("cargo could not be started ({error})");
    let mut fetch = cargo();
    fetch.args(["fetch", "--locked"]).current_dir(&folder);
    let fetched = fetch.output().map_err(unable)?;
    let words = String::from_utf8_lossy(&fetched.stderr);
    match fetched.status.success() {
        true => {}
        false if words.contains("--locked") => {
            return Err(format!("bench/peers/Cargo.lock is out of date:\n{words}"));
        }
        false => {
            println!(
                "SKIPPED: the crates of bench/peers cannot be fetched; no verdict was compared with theirs."
            );
            println!("{words}");
            return Ok(());
        }
    }
    match peers_test(root).status().map_err(unable)? {
        status if status.success() => Ok(()),
        status => Err(format!("cargo test ended with {status}")),
    }
}

/// The tests of the other checkers.
fn peers_test(root: &Path) -> Command {
    let mut test = cargo();
    test.args(["test", "--locked", "--target-dir"])
        .arg(target(root).join("peers"))
        .current_dir(root.join("bench/peers"));
    test
}

/// Builds the tests of the other checkers.
fn peers_build(root: &Path) -> Command {
    let mut build = peers_test(root);
    build.arg("--no-run");
    build
}

fn run_steps(steps: &[Step], root: &Path, out: &mut dyn Write) -> Result<Duration, String> {
    let start = Instant::now();
    for (index, step) in steps.iter().enumerate() {
        let place = format!("[{}/{}] {}", index + 1, steps.len(), step.name);
        announce(out, &format!("{place}: {}", step.why))?;
        let step_start = Instant::now();
        start_beside(step.beside, root);
        step.run.go(root).map_err(|cause| {
            format!(
                "The step `{}` failed after {}: {cause}.\nRepeat it alone with: {}",
                step.name,
                seconds(step_start.elapsed()),
                step.run.again()
            )
        })?;
        announce(
            out,
            &format!("{place}: passed in {}", seconds(step_start.elapsed())),
        )?;
    }
    Ok(start.elapsed())
}

/// Runs commands one after the other on a thread of their own. What goes wrong with them the steps say that need what
/// they build; cargo lets those wait until it is there.
fn start_beside(commands: &[fn(&Path) -> Command], root: &Path) {
    let commands: Vec<Command> = commands.iter().map(|command| command(root)).collect();
    std::thread::spawn(move || {
        for mut command in commands {
            let quiet = Stdio::null;
            let command = command.stdin(quiet()).stdout(quiet()).stderr(quiet());
            let _ = command.status();
        }
    });
}

/// Writes one line at once, so that it stands before whatever the step itself prints.
fn announce(out: &mut dyn Write, line: &str) -> Result<(), String> {
    writeln!(out, "{line}")
        .and_then(|()| out.flush())
        .map_err(|error| format!("cannot write to standard output: {error}"))
}

fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}

impl Run {
    fn go(&self, root: &Path) -> Result<(), String> {
        match self {
            Run::Own { run, .. } => run(root),
            Run::Cargo { env, args } => {
                let status = cargo()
                    .args(*args)
                    .envs(env.iter().copied())
                    .current_dir(root)
                    .status()
                    .map_err(|error| format!("cargo could not be started ({error})"))?;
                if status.success() {
                    Ok(())
                } else {
                    Err(format!("cargo {} ended with {status}", args[0]))
                }
            }
        }
    }

    /// The line a person types to run this step alone.
    fn again(&self) -> String {
        match self {
            Run::Own { again, .. } => (*again).to_owned(),
            Run::Cargo { env, args } => {
                let mut line = String::new();
                for (name, value) in *env {
                    line += &format!("{name}=\"{value}\" ");
                }
                line + "cargo " + &args.join(" ")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(name: &'static str, run: fn(&Path) -> Result<(), String>) -> Step {
        Step {
            name,
            why: "to see it run",
            run: Run::Own {
                run,
                again: "cargo xtask sample",
            },
            beside: &[],
        }
    }

    fn printed(steps: &[Step]) -> (Result<Duration, String>, String) {
        let mut out = Vec::new();
        let outcome = run_steps(steps, Path::new("."), &mut out);
        (outcome, String::from_utf8(out).unwrap())
    }

    #[test]
    fn steps_run_in_order_and_are_timed() {
        let (outcome, text) = printed(&[own("one", |_| Ok(())), own("two", |_| Ok(()))]);
        assert!(outcome.is_ok());
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "[1/2] one: to see it run");
        assert!(lines[1].starts_with("[1/2] one: passed in "));
        assert_eq!(lines[2], "[2/2] two: to see it run");
        assert!(lines[3].starts_with("[2/2] two: passed in "));
    }

    #[test]
    fn the_first_failure_stops_and_says_how_to_repeat_it() {
        let (outcome, text) = printed(&[
            own("bad", |_| Err("2 complaints".to_owned())),
            own("never", |_| panic!("a step after the failed one ran")),
        ]);
        let sentence = outcome.unwrap_err();
        assert!(sentence.starts_with("The step `bad` failed after "));
        assert!(sentence.contains("2 complaints"));
        assert!(sentence.ends_with("cargo xtask sample"));
        assert_eq!(text, "[1/2] bad: to see it run\n");
    }

    #[test]
    fn a_cargo_step_fails_with_its_command() {
        let (outcome, _) = printed(&[Step {
            name: "nonsense",
            why: "cargo knows no such command",
            run: Run::Cargo {
                env: &[("RUSTDOCFLAGS", "-D warnings")],
                args: &["no-such-command-exists"],
            },
            beside: &[],
        }]);
        let sentence = outcome.unwrap_err();
        assert!(sentence.ends_with("RUSTDOCFLAGS=\"-D warnings\" cargo no-such-command-exists"));
    }
}
