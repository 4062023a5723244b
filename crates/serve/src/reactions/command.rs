//! A command is run for each violation, a few at a time.
//!
//! The command stands on the server's command line and is cut into words as a shell would cut them, but nothing in it is
//! expanded and no shell sees it. The news come on its standard input, as a file that is there already: nothing that a
//! client sent stands in an argument, and nobody waits for a command that does not read. Each command leads a group of
//! processes of its own, and when it has ended or its time is over, all that is left of the group is killed.

use std::fs::File;
use std::io::{self, Seek, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::{Inbox, LOOK, Reaction, Say};

/// So many commands run at a time.
const TOGETHER: usize = 4;

/// A program and its arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Words {
    program: String,
    arguments: Vec<String>,
}

impl Words {
    /// Cuts a command into words: quotes and backslashes mean what they mean to a shell, and nothing else does.
    pub fn of(command: &str) -> Result<Words, String> {
        let words = shlex::split(command).ok_or("a quote or a backslash in it does not end")?;
        let mut words = words.into_iter();
        let program = words.next().ok_or("there is no program in it")?;
        Ok(Words {
            program,
            arguments: words.collect(),
        })
    }
}

/// Starts to run a command for each of the news, each for so long at most.
pub fn start(words: Words, time: Duration, say: Say) -> io::Result<Reaction> {
    let runner = Runner {
        words,
        time,
        say: Arc::clone(&say),
        running: Vec::new(),
    };
    Reaction::start("command", say, |inbox| runner.work(&inbox))
}

struct Runner {
    words: Words,
    time: Duration,
    say: Say,
    running: Vec<Running>,
}

struct Running {
    child: Child,
    since: Instant,
}

impl Runner {
    fn work(mut self, inbox: &Inbox) {
        let mut is_over = false;
        while !(is_over && self.running.is_empty()) {
            self.look();
            if self.running.is_empty() && !is_over {
                match inbox.next() {
                    Some(line) => self.run(&line),
                    None => is_over = true,
                }
            } else if self.running.len() < TOGETHER && !is_over {
                match inbox.soon(LOOK) {
                    Ok(line) => self.run(&line),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => is_over = true,
                }
            }
            if inbox.pause(if self.running.is_empty() {
                Duration::ZERO
            } else {
                LOOK
            }) {
                break;
            }
        }
        let left = inbox.left();
        if left > 0 {
            (self.say)(&format!(
                "the command was not run for {left} news: the server ends"
            ));
        }
    }

    fn run(&mut self, line: &str) {
        match self.spawn(line) {
            Ok(child) => self.running.push(Running {
                child,
                since: Instant::now(),
            }),
            Err(error) => {
                let program = &self.words.program;
                (self.say)(&format!("the command {program} cannot be run: {error}"));
            }
        }
    }

    fn spawn(&self, line: &str) -> io::Result<Child> {
        let mut input: File = tempfile::tempfile()?;
        writeln!(input, "{line}")?;
        input.rewind()?;
        Command::new(&self.words.program)
            .args(&self.words.arguments)
            .stdin(Stdio::from(input))
            // Standard output is for news.
            .stdout(Stdio::from(io::stderr()))
            .process_group(0)
            .spawn()
    }

    /// Lets go of commands that have ended, and ends those whose time is over.
    fn look(&mut self) {
        let (time, say) = (self.time, &self.say);
        self.running.retain_mut(|running| {
            if running.has_ended() {
                match running.end() {
                    Ok(status) if status.success() => {}
                    Ok(status) => say(&format!("the command ended with {status}")),
                    Err(error) => say(&format!("the command is lost: {error}")),
                }
                return false;
            }
            let is_late = running.since.elapsed() >= time;
            if is_late {
                say(&format!(
                    "the command was killed: it took more than {time:?}"
                ));
            }
            !is_late
        });
    }
}

impl Running {
    /// Whether the command has ended; it stays where it is, so that its number is nobody else's.
    fn has_ended(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let found = waitid(WaitId::Pid(Pid::from_child(&self.child)), options);
        !matches!(found, Ok(None))
    }

    /// Kills what is left of the group, and takes the status.
    fn end(&mut self) -> io::Result<std::process::ExitStatus> {
        // There may be nothing left.
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        self.child.wait()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // One that has been waited for is not there any more, and its number must not be used again.
        if let Ok(None) = self.child.try_wait() {
            let _ = self.end();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_cut_into_words_and_nothing_is_expanded() {
        let words =
            Words::of("notify --to 'the team' \"a b\" $HOME `id` * ;rm\\ -rf").expect("words");
        assert_eq!(words.program, "notify");
        let arguments = ["--to", "the team", "a b", "$HOME", "`id`", "*", ";rm -rf"];
        assert_eq!(words.arguments, arguments);
        assert!(Words::of("").is_err());
        assert!(Words::of("say 'it").is_err());
    }
}
