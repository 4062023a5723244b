//! A command that somebody named, started without a shell, and ended together with all it has started.
//!
//! ```text
//! text --Words::of--> program and arguments --command--> Command --Group::spawn--> leader of a group of processes
//!                                                                                   |
//!                                        dropped: all that is left of it is killed -+
//! ```
//!
//! Whoever leaves the program without dropping anything calls [`end_all`] before.
//!
//! A command is cut into words as a shell would cut them, but nothing in it is expanded and no shell sees it. The leader
//! of a group is not waited for before the group is ended: until then its number, and so that of the group, is nobody
//! else's.

use std::fmt;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Mutex, PoisonError};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

/// A program and its arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Words {
    program: String,
    arguments: Vec<String>,
}

/// Why a text is no command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotWords {
    /// A quote or a backslash in it does not end.
    Open,
    /// There is no program in it.
    Empty,
}

impl Words {
    /// Cuts a command into words: quotes and backslashes mean what they mean to a shell, and nothing else does.
    pub fn of(command: &str) -> Result<Words, NotWords> {
        let mut words = shlex::split(command).ok_or(NotWords::Open)?.into_iter();
        Ok(Words {
            program: words.next().ok_or(NotWords::Empty)?,
            arguments: words.collect(),
        })
    }

    /// The program.
    pub fn program(&self) -> &str {
        &self.program
    }

    /// The command, to be started.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments);
        command
    }
}

/// How a process ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ended {
    code: Option<i32>,
    signal: Option<i32>,
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.code, self.signal) {
            (Some(code), _) => write!(f, "exit status: {code}"),
            (None, Some(signal)) => write!(f, "signal: {signal}"),
            (None, None) => write!(f, "for no known reason"),
        }
    }
}

/// The groups that are not over.
static GROUPS: Mutex<Vec<Pid>> = Mutex::new(Vec::new());

/// Does something with the groups that are not over; nothing here is left half done by a panic.
fn with_groups<T>(work: impl FnOnce(&mut Vec<Pid>) -> T) -> T {
    work(&mut GROUPS.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Kills all groups that this program has started and not ended, for one that ends at once.
pub fn end_all() {
    with_groups(|groups| {
        for &group in groups.iter() {
            // There may be nothing left.
            let _ = kill_process_group(group, Signal::KILL);
        }
    });
}

/// A process that leads a group, and takes it along when it is dropped.
#[derive(Debug)]
pub struct Group {
    leader: Child,
    is_over: bool,
}

impl Group {
    /// Starts a command as the leader of a group of its own.
    pub fn spawn(command: &mut Command) -> io::Result<Group> {
        // Nobody ends all groups while one is begun that is not among them yet.
        let leader = with_groups(|groups| {
            let leader = command.process_group(0).spawn()?;
            groups.push(Pid::from_child(&leader));
            io::Result::Ok(leader)
        })?;
        Ok(Group {
            leader,
            is_over: false,
        })
    }

    /// The process that leads, to take its streams.
    pub fn leader(&mut self) -> &mut Child {
        &mut self.leader
    }

    /// The number of the leader, which is that of the group.
    pub fn id(&self) -> u32 {
        self.leader.id()
    }

    /// How the leader ended, if it has; it is left where it is.
    pub fn ended(&self) -> io::Result<Option<Ended>> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let found = waitid(WaitId::Pid(Pid::from_child(&self.leader)), options)?;
        Ok(found.map(|status| Ended {
            code: status.exit_status(),
            signal: status.terminating_signal(),
        }))
    }

    /// Kills what is left of the group, and takes the status of its leader.
    pub fn end(&mut self) -> io::Result<ExitStatus> {
        if !self.is_over {
            self.is_over = true;
            let group = Pid::from_child(&self.leader);
            with_groups(|groups| groups.retain(|&other| other != group));
            // There may be nothing left.
            let _ = kill_process_group(group, Signal::KILL);
        }
        self.leader.wait()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // Nobody is left to be told.
        let _ = self.end();
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
        assert_eq!(Words::of(""), Err(NotWords::Empty));
        assert_eq!(Words::of("say 'it"), Err(NotWords::Open));
    }

    #[test]
    fn how_the_leader_ended_is_known_before_the_group_is_ended() {
        let words = Words::of("sh -c 'exit 3'").expect("words");
        let mut group = Group::spawn(&mut words.command()).expect("it starts");
        let ended = loop {
            match group.ended().expect("it is there") {
                Some(ended) => break ended,
                None => std::thread::yield_now(),
            }
        };
        assert_eq!(ended.to_string(), "exit status: 3");
        assert_eq!(group.end().expect("a status").code(), Some(3));
    }
}
