//! A command is run for each violation, a few at a time.
//!
//! The command stands on the server's command line and is cut into words as a shell would cut them, but nothing in it is
//! expanded and no shell sees it. The news come on its standard input, as a file that is there already: nothing that a
//! client sent stands in an argument, and nobody waits for a command that does not read. Each command leads a group of
//! processes of its own, and when it has ended or its time is over, all that is left of the group is killed.

use std::fs::File;
use std::io::{self, Seek, Write};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use causet_child::{Group, NotWords, Words};

use super::{Inbox, LOOK, Reaction, Say};

/// So many commands run at a time.
const TOGETHER: usize = 4;

/// Cuts a command into words, or says why it is none.
pub fn words(command: &str) -> Result<Words, &'static str> {
    Words::of(command).map_err(|why| match why {
        NotWords::Open => "a quote or a backslash in it does not end",
        NotWords::Empty => "there is no program in it",
    })
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
    group: Group,
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
            Ok(group) => self.running.push(Running {
                group,
                since: Instant::now(),
            }),
            Err(error) => {
                let program = self.words.program();
                (self.say)(&format!("the command {program} cannot be run: {error}"));
            }
        }
    }

    fn spawn(&self, line: &str) -> io::Result<Group> {
        let mut input: File = tempfile::tempfile()?;
        writeln!(input, "{line}")?;
        input.rewind()?;
        let mut command = self.words.command();
        // Standard output is for news.
        command
            .stdin(Stdio::from(input))
            .stdout(Stdio::from(io::stderr()));
        Group::spawn(&mut command)
    }

    /// Lets go of commands that have ended, and ends those whose time is over.
    fn look(&mut self) {
        let (time, say) = (self.time, &self.say);
        self.running.retain_mut(|running| {
            // One that cannot be asked is lost.
            if !matches!(running.group.ended(), Ok(None)) {
                match running.group.end() {
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
