//! What to start: the command of each process, checked once before anything is started.

use std::ffi::{OsStr, OsString};
use std::net::TcpListener;
use std::process::Command;

use causet_base::Code;
use causet_flow::cluster::{Hosts, MOST_PROCESSES};
use clap::Parser;

use crate::cli::cluster::Run;
use crate::cli::lts::Lts;
use crate::cli::together::Together;
use crate::cli::{self, Cli};
use crate::failure::Failure;
use crate::together::hosts_in;
use crate::{check, lts};

/// How processes are started on other hosts by `--ssh`.
const SSH: &str = "ssh -o BatchMode=yes {host}";

/// What to start.
pub(super) struct Plan<'a> {
    arguments: &'a Run,
    verdicts: Verdicts,
    place: Place,
    /// The program and its arguments, but for the number of the process.
    program: OsString,
    options: Vec<OsString>,
}

/// Who comes to a verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verdicts {
    /// All processes, and to the same.
    OfAll,
    /// The first one; the others end well when they have done their part.
    OfTheFirst,
}

/// Where to start it.
enum Place {
    /// So many processes here.
    Here(usize),
    /// One on each host, by a command.
    There { hosts: Hosts, launch: String },
}

impl<'a> Plan<'a> {
    /// Makes a plan, or says what is wrong with the arguments.
    pub(super) fn of(arguments: &'a Run) -> Result<Plan<'a>, Failure> {
        let verdicts = accept(&arguments.command)?;
        let place = match &arguments.hosts {
            Some(path) => Place::There {
                hosts: hosts_in(path)?,
                launch: arguments.launch.clone().unwrap_or(SSH.to_owned()),
            },
            None => Place::Here(number_of_processes(arguments)?),
        };
        let program = match &place {
            Place::Here(_) => std::env::current_exe()
                .map_err(|error| {
                    Failure::io(Code::CannotStart, "this program cannot be found", &error)
                })?
                .into_os_string(),
            Place::There { .. } => arguments.program.clone().into(),
        };
        Ok(Plan {
            arguments,
            verdicts,
            place,
            program,
            options: options(arguments),
        })
    }

    /// Who comes to a verdict.
    pub(super) fn verdicts(&self) -> Verdicts {
        self.verdicts
    }

    /// Where the processes are to listen. Ports of this machine are chosen anew each time.
    pub(super) fn hosts(&self) -> Result<Hosts, Failure> {
        match &self.place {
            Place::There { hosts, .. } => Ok(hosts.clone()),
            Place::Here(processes) => free_ports(*processes),
        }
    }

    /// Whether another attempt would choose other ports.
    pub(super) fn chooses_ports(&self) -> bool {
        matches!(self.place, Place::Here(_))
    }

    /// The command that starts a process.
    pub(super) fn command(&self, process: usize, hosts: &Hosts) -> Result<Command, Failure> {
        let number = ["--process".into(), process.to_string().into()];
        let words = self.options.iter().cloned();
        let words: Vec<OsString> = with_options(&self.arguments.command, words.chain(number));
        match &self.place {
            Place::Here(_) => {
                let mut command = Command::new(&self.program);
                command.args(words);
                Ok(command)
            }
            Place::There { launch, .. } => {
                let address = &hosts.addresses()[process];
                let host = address.rsplit_once(':').map_or("", |(host, _)| host);
                let host = host.trim_matches(['[', ']']);
                let mut parts = launch.split_whitespace();
                let starter = parts.next().ok_or_else(|| {
                    Failure::helped(
                        Code::ArgumentsDoNotFit,
                        "--launch names no command",
                        "give one, as in --launch 'ssh -p 2222 {host}'",
                    )
                })?;
                let mut command = Command::new(starter);
                command.args(parts.map(|part| part.replace("{host}", host)));
                command.arg(shell_line(&self.program, &words)?);
                Ok(command)
            }
        }
    }
}

/// Refuses what cannot be decided together, and what every process would refuse; says who has the verdict.
fn accept(command: &[OsString]) -> Result<Verdicts, Failure> {
    let words =
        std::iter::once(OsStr::new("causet")).chain(command.iter().map(OsString::as_os_str));
    let cli = Cli::try_parse_from(words).unwrap_or_else(|instead| crate::print_instead(&instead));
    match cli.command {
        cli::Command::Lts(Lts::Check(mut arguments)) => {
            alone(&mut arguments.together)?;
            lts::preflight(&arguments).map(|()| Verdicts::OfAll)
        }
        cli::Command::Lts(Lts::Tests(mut arguments)) => {
            alone(&mut arguments.together)?;
            lts::preflight_tests(&arguments).map(|()| Verdicts::OfTheFirst)
        }
        cli::Command::Check(mut arguments) => {
            alone(&mut arguments.together)?;
            check::preflight(&arguments).map(|()| Verdicts::OfAll)
        }
        _ => Err(Failure::helped(
            Code::ArgumentsDoNotFit,
            "only `lts check`, `lts tests` and `check --engine bes` can be done by several processes",
            "give one of them after `--`, as in `causet cluster run --processes 2 -- lts check MODEL --mu FORMULA`",
        )),
    }
}

/// Refuses what the processes will be told anyway, and notes that they will.
fn alone(together: &mut Together) -> Result<(), Failure> {
    if together.has_others() || together.process.is_some() || together.secret_file.is_some() {
        return Err(Failure::helped(
            Code::ArgumentsDoNotFit,
            "which processes there are is said before `--`, not after",
            "give --processes or --hosts to `causet cluster run` itself; it draws a secret by itself",
        ));
    }
    together.attached = true;
    Ok(())
}

fn number_of_processes(arguments: &Run) -> Result<usize, Failure> {
    let processes = arguments.processes.unwrap_or(1);
    match processes <= MOST_PROCESSES {
        true => Ok(processes),
        false => Err(Failure::refused(
            Code::ArgumentsDoNotFit,
            format!(
                "{processes} processes are too many: at most {MOST_PROCESSES} can work together"
            ),
        )),
    }
}

/// What all processes are told beside the command.
fn options(arguments: &Run) -> Vec<OsString> {
    let mut options: Vec<OsString> = vec!["--attached".into()];
    if let Some(workers) = arguments.workers {
        options.extend(["--workers".into(), workers.to_string().into()]);
    }
    if let Some(wait) = arguments.wait {
        options.extend([
            "--wait".into(),
            format!("{}ms", wait.as_millis().max(1)).into(),
        ]);
    }
    options
}

/// A command with options added where they are options.
fn with_options(command: &[OsString], options: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let end = command.iter().position(|word| word == "--");
    let (before, after) = command.split_at(end.unwrap_or(command.len()));
    let words = before.iter().cloned().chain(options);
    words.chain(after.iter().cloned()).collect()
}

/// Addresses of this machine that nobody else can reach and that nobody listens on.
fn free_ports(count: usize) -> Result<Hosts, Failure> {
    let none = |error| {
        Failure::io(
            Code::CannotStart,
            "there are no free ports on this machine",
            &error,
        )
    };
    // All are held until the last is known, so that no two are the same.
    let held: Result<Vec<TcpListener>, _> = (0..count)
        .map(|_| TcpListener::bind("127.0.0.1:0"))
        .collect();
    let mut text = String::new();
    for listener in held.map_err(none)? {
        text.push_str(&format!("{}\n", listener.local_addr().map_err(none)?));
    }
    Hosts::parse(&text).map_err(|mistake| Failure::Internal(mistake.to_string()))
}

/// A line for a shell that starts a program with exactly these words.
fn shell_line(program: &OsStr, words: &[OsString]) -> Result<String, Failure> {
    let mut line = String::from("exec");
    for word in std::iter::once(program).chain(words.iter().map(OsString::as_os_str)) {
        let word = word.to_str().ok_or_else(|| {
            Failure::refused(
                Code::Usage,
                "an argument is not text (UTF-8), and cannot be sent to another host",
            )
        })?;
        line.push_str(&format!(" '{}'", word.replace('\'', r"'\''")));
    }
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn options_stand_before_the_end_of_options() {
        let added = || words("--process 1").into_iter();
        let plain = with_options(&words("lts check m.aut --mu F"), added());
        assert_eq!(plain, words("lts check m.aut --mu F --process 1"));
        let ended = with_options(&words("lts check --mu F -- m.aut"), added());
        assert_eq!(ended, words("lts check --mu F --process 1 -- m.aut"));
    }

    #[test]
    fn a_shell_sees_the_words_as_they_were() {
        let line = shell_line(OsStr::new("causet"), &words("--mu <'a'>;$b"));
        let line = line.expect("text");
        assert_eq!(line, r"exec 'causet' '--mu' '<'\''a'\''>;$b'");
    }

    #[test]
    fn free_ports_are_of_this_machine_only_and_differ() {
        let hosts = free_ports(3).expect("free ports");
        assert!(hosts.loopback_only());
        assert_eq!(hosts.len(), 3);
    }
}
