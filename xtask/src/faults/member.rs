//! A process of a run, seen from outside: what it does, how it ends and what it says.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How often a process is looked at.
const LOOK: Duration = Duration::from_millis(5);

/// What a process is doing, as far as its threads show.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Phase {
    Joining,
    Reading,
    Solving,
    /// The workers are gone: a formula is decided, perhaps the last one.
    Decided,
    Ended,
}

/// A process that ends with us.
pub(super) struct Member {
    child: Child,
    begun: Instant,
    ended: Option<(Instant, ExitStatus)>,
    has_solved: bool,
    stdout: PathBuf,
    stderr: PathBuf,
}

impl Member {
    /// Starts a process, which waits for a while before it begins; what it says goes to files of this name.
    pub(super) fn start(
        mut command: Command,
        delay: Duration,
        folder: &Path,
        name: &str,
    ) -> Result<Member, String> {
        let (stdout, stderr) = (
            folder.join(format!("{name}.out")),
            folder.join(format!("{name}.err")),
        );
        let file = |path: &Path| {
            File::create(path).map_err(|error| format!("{}: {error}", path.display()))
        };
        command
            .stdin(Stdio::null())
            .stdout(file(&stdout)?)
            .stderr(file(&stderr)?);
        let begun = Instant::now() + delay;
        let child = command
            .spawn()
            .map_err(|error| format!("{command:?} cannot be run: {error}"))?;
        Ok(Member {
            child,
            begun,
            ended: None,
            has_solved: false,
            stdout,
            stderr,
        })
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(super) fn begun(&self) -> Instant {
        self.begun
    }

    /// When and how it ended, if it did.
    pub(super) fn ended(&mut self) -> Option<(Instant, ExitStatus)> {
        if self.ended.is_none() {
            let status = self.child.try_wait().ok().flatten();
            self.ended = status.map(|status| (Instant::now(), status));
        }
        self.ended
    }

    /// What it does now. Must be asked often, because what was seen before tells the end from the beginning.
    pub(super) fn phase(&mut self) -> Phase {
        if self.ended().is_some() {
            return Phase::Ended;
        }
        let threads = threads(self.id());
        let some = |start: &str| threads.iter().any(|name| name.starts_with(start));
        match (some("worker "), some("pulse-"), self.has_solved) {
            (true, ..) => {
                self.has_solved = true;
                Phase::Solving
            }
            (false, _, true) => Phase::Decided,
            (false, true, false) if !some("connect-to-") && some("watcher") => Phase::Reading,
            (false, ..) => Phase::Joining,
        }
    }

    /// Sends it a signal; says whether it was there.
    pub(super) fn signal(&self, signal: &str) -> bool {
        send(signal, self.id())
    }

    /// What it printed.
    pub(super) fn said(&self) -> String {
        fs::read_to_string(&self.stdout).unwrap_or_default()
    }

    /// What it complained about.
    pub(super) fn complained(&self) -> String {
        fs::read_to_string(&self.stderr).unwrap_or_default()
    }

    /// The first error among that, or its last line; ready for a table.
    pub(super) fn error(&self) -> String {
        let complained = self.complained();
        let mut lines = complained.lines();
        let error = lines.clone().find(|line| line.contains("error"));
        error.or(lines.next_back()).unwrap_or("").replace('|', "/")
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        // Neither can fail unless it has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Looks at some processes until they have ended, or until it is too late.
pub(super) fn wait_for(members: &mut [Member], which: &[usize], deadline: Instant) {
    loop {
        let waiting = which
            .iter()
            .filter(|&&which| members[which].ended().is_none())
            .count();
        if waiting == 0 || Instant::now() >= deadline {
            return;
        }
        thread::sleep(LOOK);
    }
}

/// Looks at what processes do until a moment.
pub(super) fn look_until(members: &mut [Member], moment: Instant) {
    while Instant::now() < moment {
        for member in members.iter_mut() {
            member.phase();
        }
        thread::sleep(LOOK.min(moment.saturating_duration_since(Instant::now())));
    }
}

/// Sends a signal to a process; says whether it was there.
pub(super) fn send(signal: &str, id: u32) -> bool {
    let kill = format!("kill -s {signal} {id}");
    let sent = Command::new("sh").args(["-c", &kill]).output();
    sent.is_ok_and(|sent| sent.status.success())
}

/// The names of the threads of a process.
fn threads(id: u32) -> Vec<String> {
    let tasks = fs::read_dir(format!("/proc/{id}/task"));
    let tasks = tasks.into_iter().flatten().flatten();
    tasks
        .filter_map(|task| fs::read_to_string(task.path().join("comm")).ok())
        .collect()
}
