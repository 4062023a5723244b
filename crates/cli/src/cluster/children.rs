//! The processes that were started: fed, watched, and ended on every way out.
//!
//! What they write to standard error is passed on with their number before it, but for process 0, which speaks for all.
//! A process that ends without a verdict is noticed by the others too, and they say more about it than this one could;
//! so they are given a moment before they are killed. Killing works on stopped processes as well. If this process is
//! itself killed, the others notice that their standard input has ended (see `together::attached`).

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStderr, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use causet_base::Code;
use causet_flow::cluster::{Hosts, Secret};

use super::plan::{Plan, Verdicts};
use crate::failure::{Failure, Status};

/// How often the processes are looked at.
const LOOK: Duration = Duration::from_millis(20);
/// How long the others may take to notice that a process is gone, and to say so.
const GRACE: Duration = Duration::from_secs(3);
/// How long all may take to end with what is known, when somebody asks for that.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long the last lines of processes that have ended may take.
const LAST_LINES: Duration = Duration::from_secs(1);

/// How often somebody wanted this process to end.
static INTERRUPTS: AtomicUsize = AtomicUsize::new(0);

/// Notes Ctrl-C and requests to terminate. Where no handler can be set, they just end this process.
pub(super) fn listen_for_interrupt() {
    let _ = ctrlc::set_handler(|| {
        INTERRUPTS.fetch_add(1, Ordering::Relaxed);
    });
}

/// How it ended.
pub(super) enum Ended {
    /// With this status.
    With(Status),
    /// An address was taken; another attempt may find others.
    Taken,
}

/// Starts all processes and waits until all have ended.
pub(super) fn supervise(plan: &Plan<'_>, hosts: &Hosts, secret: &Secret) -> Result<Ended, Failure> {
    let mut children = Children::start(plan, hosts, secret)?;
    children.wait();
    let ends = children.ends();
    children.last_lines();
    conclude(&ends, plan.verdicts())
}

/// How one process ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    /// With this exit code.
    Code(i32),
    /// By this signal, which did not come from here.
    Signal(i32),
    /// It did not end by itself.
    Killed,
}

impl End {
    fn of(status: ExitStatus) -> End {
        match (status.code(), status.signal()) {
            (Some(code), _) => End::Code(code),
            (None, signal) => End::Signal(signal.unwrap_or(0)),
        }
    }

    /// Whether it is the end of a report.
    fn is_verdict(self) -> bool {
        [Status::Fine, Status::Violated, Status::Unknown]
            .iter()
            .any(|status| self == End::Code(status.code()))
    }
}

/// The processes, all of which are gone when this is.
struct Children {
    all: Vec<One>,
    /// Nobody is left on the other side when all lines were passed on.
    lines: Receiver<()>,
}

struct One {
    child: Child,
    end: Option<End>,
}

impl Children {
    fn start(plan: &Plan<'_>, hosts: &Hosts, secret: &Secret) -> Result<Children, Failure> {
        let (open, lines) = channel();
        let mut children = Children {
            all: Vec::new(),
            lines,
        };
        for process in 0..hosts.len() {
            let mut command = plan.command(process, hosts)?;
            command.stdin(Stdio::piped());
            if process > 0 {
                command.stdout(Stdio::null()).stderr(Stdio::piped());
            }
            let child = command.spawn().map_err(|error| {
                let what = command.get_program().to_string_lossy().into_owned();
                Failure::Lost(format!(
                    "process {process} cannot be started by {what}: {error}"
                ))
            })?;
            children.all.push(One { child, end: None });
            let child = &mut children.all[process].child;
            if let Some(stderr) = child.stderr.take() {
                pass_on(process, stderr, open.clone())?;
            }
            let told = format!("{}\n{}\n\n", secret.to_text(), hosts.addresses().join("\n"));
            children.tell(process, &told);
        }
        Ok(children)
    }

    /// Says something to a process. One that does not listen is noticed by its end.
    fn tell(&mut self, process: usize, text: &str) {
        if let Some(stdin) = &mut self.all[process].child.stdin {
            let _ = stdin
                .write_all(text.as_bytes())
                .and_then(|()| stdin.flush());
        }
    }

    /// Waits until all have ended, by themselves or because one of them left the others in the lurch.
    fn wait(&mut self) {
        let mut interrupts = 0;
        let mut deadline: Option<Instant> = None;
        loop {
            let mut must_end = false;
            for one in &mut self.all {
                must_end |= one.look().is_some_and(|end| !end.is_verdict());
            }
            if self.all.iter().all(|one| one.end.is_some()) {
                return;
            }
            let asked = INTERRUPTS.load(Ordering::Relaxed);
            if asked > 0 && interrupts == 0 {
                (0..self.all.len()).for_each(|process| self.tell(process, "cancel\n"));
            }
            interrupts = asked;
            if must_end || asked > 0 {
                let left = if must_end { GRACE } else { PATIENCE };
                let latest = Instant::now() + left;
                deadline = Some(deadline.map_or(latest, |deadline| deadline.min(latest)));
            }
            if asked > 1 || deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                self.kill();
                return;
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Ends those that have not ended, and leaves nothing of them.
    fn kill(&mut self) {
        for one in &mut self.all {
            if one.look().is_none() {
                one.end = Some(End::Killed);
                // It fails only when the process has ended this very moment.
                let _ = one.child.kill();
            }
        }
        for one in &mut self.all {
            let _ = one.child.wait();
        }
    }

    fn ends(&self) -> Vec<End> {
        let ends = self.all.iter().map(|one| one.end.unwrap_or(End::Killed));
        ends.collect()
    }

    /// Waits a moment for what the processes wrote last.
    fn last_lines(&self) {
        // Nothing is ever sent: the end comes when all senders are gone.
        let _ = self.lines.recv_timeout(LAST_LINES);
    }
}

impl Drop for Children {
    fn drop(&mut self) {
        self.kill();
    }
}

impl One {
    /// How it ended, if it has.
    fn look(&mut self) -> Option<End> {
        if self.end.is_none() {
            self.end = match self.child.try_wait() {
                Ok(status) => status.map(End::of),
                // Nobody can say anything about it any more.
                Err(_) => Some(End::Killed),
            };
        }
        self.end
    }
}

/// Passes the lines of a process on, each with its number before it, until there are no more.
fn pass_on(process: usize, from: ChildStderr, open: Sender<()>) -> Result<(), Failure> {
    let pass = move || {
        let _open = open;
        for line in BufReader::new(from).split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line);
            let _ = writeln!(anstream::stderr().lock(), "[process {process}] {line}");
        }
    };
    let thread = std::thread::Builder::new().name(format!("lines of {process}"));
    let started = thread.spawn(pass);
    started
        .map(drop)
        .map_err(|error| Failure::io(Code::CannotStart, "no thread could be started", &error))
}

/// One end for all: a verdict only if everybody whom it takes came to the same.
fn conclude(ends: &[End], verdicts: Verdicts) -> Result<Ended, Failure> {
    let has = |status: Status| ends.contains(&End::Code(status.code()));
    let lost = |process: usize, how: String| Err(Failure::Lost(format!("process {process} {how}")));
    if INTERRUPTS.load(Ordering::Relaxed) > 1 {
        return Ok(Ended::With(Status::Unknown));
    }
    let mut numbered = ends.iter().copied().enumerate();
    if let Some((process, End::Signal(signal))) = numbered
        .clone()
        .find(|(_, end)| matches!(end, End::Signal(_)))
    {
        return lost(process, format!("was ended by signal {signal}"));
    }
    for status in [Status::Internal, Status::Refused] {
        // It was said what is wrong.
        if has(status) {
            return Ok(Ended::With(status));
        }
    }
    if has(Status::Taken) {
        return Ok(Ended::Taken);
    }
    if let Some((process, _)) = numbered.clone().find(|(_, end)| *end == End::Killed) {
        return lost(process, "did not end, and was killed".to_owned());
    }
    if has(Status::Lost) {
        return Ok(Ended::With(Status::Lost));
    }
    if let Some((process, End::Code(code))) = numbered.clone().find(|(_, end)| !end.is_verdict()) {
        return lost(
            process,
            format!("ended with status {code}, which is no verdict"),
        );
    }
    let first = ends.first().copied();
    let has_done_its_part =
        |end: End| verdicts == Verdicts::OfTheFirst && end == End::Code(Status::Fine.code());
    match numbered.find(|&(_, end)| Some(end) != first && !has_done_its_part(end)) {
        Some((process, _)) => lost(process, "came to another verdict than process 0".to_owned()),
        None => Ok(Ended::With(verdict(first))),
    }
}

fn verdict(end: Option<End>) -> Status {
    let verdicts = [Status::Fine, Status::Violated];
    let is = |status: &Status| end == Some(End::Code(status.code()));
    verdicts.into_iter().find(is).unwrap_or(Status::Unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn concluded(ends: &[End], verdicts: Verdicts) -> String {
        match conclude(ends, verdicts) {
            Ok(Ended::With(status)) => format!("{status:?}"),
            Ok(Ended::Taken) => "taken".to_owned(),
            Err(failure) => failure.sentence(),
        }
    }

    #[test]
    fn a_verdict_is_one_that_all_came_to() {
        use End::{Code, Killed, Signal};
        for (ends, expected) in [
            (vec![Code(0)], "Fine"),
            (vec![Code(1), Code(1)], "Violated"),
            (vec![Code(3), Code(3)], "Unknown"),
            (
                vec![Code(1), Code(0)],
                "process 1 came to another verdict than process 0",
            ),
            (vec![Code(4), Code(2)], "Refused"),
            (vec![Code(70), Code(4)], "Internal"),
            (vec![Code(4), Code(4)], "Lost"),
            (vec![Code(4), Signal(9)], "process 1 was ended by signal 9"),
            (
                vec![Killed, Code(4)],
                "process 0 did not end, and was killed",
            ),
            (vec![Code(4), Code(75)], "taken"),
            (
                vec![Code(0), Code(101)],
                "process 1 ended with status 101, which is no verdict",
            ),
            (vec![Code(4), Code(127)], "Lost"),
        ] {
            assert_eq!(concluded(&ends, Verdicts::OfAll), expected, "{ends:?}");
        }
    }

    #[test]
    fn where_the_first_decides_the_others_just_do_their_part() {
        use End::Code;
        for (ends, expected) in [
            (vec![Code(1), Code(0)], "Violated"),
            (vec![Code(0), Code(0)], "Fine"),
            (vec![Code(3), Code(0)], "Unknown"),
            (
                vec![Code(0), Code(1)],
                "process 1 came to another verdict than process 0",
            ),
        ] {
            assert_eq!(concluded(&ends, Verdicts::OfTheFirst), expected, "{ends:?}");
        }
    }
}
