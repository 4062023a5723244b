//! One run with one fault: what happened, and what of it was not as promised.

use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};

use super::member::{Member, Phase, look_until, wait_for};
use super::network::HOSTS;
use super::plan::{Fault, Plan};
use super::{Field, LOST, PROMISED, WATCHED};

/// How long it takes at most to end with a verdict that is known.
const KNOWN: Duration = Duration::from_secs(1);

/// What was seen.
pub(super) struct Seen {
    /// The row of the table without its first cell.
    pub(super) cells: Vec<String>,
    /// How long the slowest took.
    pub(super) slowest: Duration,
    /// What was not as promised.
    pub(super) missed: Vec<String>,
}

/// Runs with a fault; nothing was seen if the run had ended before.
pub(super) fn run(field: &Field, plan: &Plan) -> Result<Option<Seen>, String> {
    let begun = Instant::now();
    let start = |process| field.start(process, &field.large, plan.start(process));
    let mut members = (0..HOSTS).map(start).collect::<Result<Vec<_>, _>>()?;
    look_until(&mut members, begun + plan.moment);
    let phases: Vec<Phase> = members.iter_mut().map(Member::phase).collect();
    let victim = plan.fault.victim();
    let is_over = |process: usize| phases[process] == Phase::Ended;
    if victim.map_or((0..HOSTS).all(is_over), is_over) {
        return Ok(None);
    }
    let struck = Instant::now();
    if !strike(field, plan.fault, &members)? {
        return Ok(None);
    }
    let survivors: Vec<usize> = (0..HOSTS)
        .filter(|&process| Some(process) != victim)
        .collect();
    wait_for(&mut members, &survivors, struck + WATCHED);
    let mut trial = Trial {
        members,
        phases,
        struck,
        slowest: Duration::ZERO,
        missed: Vec::new(),
    };
    let mut cells = vec![format!("{:.2}", plan.moment.as_secs_f64()), trial.doing()];
    let mut ends: Vec<End> = survivors
        .iter()
        .map(|&process| trial.end(process, struck))
        .collect();
    if let Fault::Stop(victim) = plan.fault {
        ends.push(trial.resume(victim));
    }
    if let Fault::Cut(one, other, _) = plan.fault {
        field.network.mend(one, other)?;
    }
    cells.push(column(&ends, |end| end.seconds.clone()));
    cells.push(column(&ends, |end| end.status.clone()));
    cells.push(trial.left(field, victim)?);
    cells.push(column(&ends, |end| end.words.clone()));
    Ok(Some(Seen {
        cells,
        slowest: trial.slowest,
        missed: trial.missed,
    }))
}

/// Lets a fault happen; says whether the victim was still there.
fn strike(field: &Field, fault: Fault, members: &[Member]) -> Result<bool, String> {
    match fault {
        Fault::Kill(victim) => Ok(members[victim].signal("KILL")),
        Fault::Stop(victim) => Ok(members[victim].signal("STOP")),
        Fault::Cut(one, other, how) => field.network.cut(one, other, how).map(|()| true),
    }
}

/// A run after its fault.
struct Trial {
    members: Vec<Member>,
    /// What they were doing.
    phases: Vec<Phase>,
    struck: Instant,
    slowest: Duration,
    missed: Vec<String>,
}

/// How a process ended.
struct End {
    process: usize,
    seconds: String,
    status: String,
    words: String,
}

impl Trial {
    /// What the processes were doing, in a few words.
    fn doing(&self) -> String {
        let phases: BTreeSet<Phase> = self.phases.iter().copied().collect();
        let words = phases
            .iter()
            .map(|phase| format!("{phase:?}").to_lowercase());
        words.collect::<Vec<_>>().join(", ")
    }

    /// Lets a stopped process go on, and sees how it ends.
    fn resume(&mut self, victim: usize) -> End {
        let resumed = Instant::now();
        // If it is gone, its end says how.
        self.members[victim].signal("CONT");
        wait_for(&mut self.members, &[victim], resumed + WATCHED);
        self.end(victim, resumed)
    }

    /// How a process ended that should have done so since a moment.
    fn end(&mut self, process: usize, since: Instant) -> End {
        let member = &mut self.members[process];
        let (complained, said) = (member.complained(), member.said());
        let since = since.max(member.begun());
        let words = member.error();
        let Some((ended, status)) = member.ended() else {
            self.miss(process, &format!("does not end; so far: {complained}"));
            return End {
                process,
                seconds: format!("> {}", WATCHED.as_secs()),
                status: "-".to_owned(),
                words,
            };
        };
        let took = ended.saturating_duration_since(since);
        let was_over = self.phases[process] == Phase::Ended;
        // A verdict is right if it was known already: the workers of some process had gone, and nothing was left to do.
        let was_decided = took < KNOWN && self.phases.iter().any(|&phase| phase >= Phase::Decided);
        self.slowest = self.slowest.max(took);
        if took > PROMISED {
            self.miss(
                process,
                &format!("took {:.2} s: {complained}", took.as_secs_f64()),
            );
        }
        match status.code() {
            Some(LOST) if !complained.trim().is_empty() && said.is_empty() => {}
            Some(0) if was_over || was_decided => {}
            _ => self.miss(
                process,
                &format!("ended with {status}, printed `{said}` and complained: {complained}"),
            ),
        }
        let seconds = match was_over {
            true => "before".to_owned(),
            false => format!("{:.2}", took.as_secs_f64()),
        };
        let status = status
            .code()
            .map_or(status.to_string(), |code| code.to_string());
        End {
            process,
            seconds,
            status,
            words,
        }
    }

    fn miss(&mut self, process: usize, what: &str) {
        let what = what.trim().replace('\n', " / ");
        self.missed.push(format!("process {process} {what}"));
    }

    /// How many processes are left, none of which may be.
    fn left(&mut self, field: &Field, victim: Option<usize>) -> Result<String, String> {
        if let Some(victim) = victim {
            // Its end is collected, so that it is no zombie.
            wait_for(
                &mut self.members,
                &[victim],
                Instant::now() + Duration::from_secs(1),
            );
        }
        // The kernel may need a moment after it told us.
        thread::sleep(Duration::from_millis(20));
        let left = field.network.processes()?;
        if !left.is_empty() {
            let since = self.struck.elapsed().as_secs_f64();
            self.missed
                .push(format!("{left:?} left {since:.2} s after the fault"));
        }
        Ok(left.len().to_string())
    }
}

/// One thing of each process, in one cell; what is the same for all only once.
fn column(ends: &[End], get: impl Fn(&End) -> String) -> String {
    let all: Vec<String> = ends.iter().map(&get).collect();
    match all.split_first() {
        Some((first, rest)) if rest.iter().all(|other| other == first) => first.clone(),
        _ => {
            let cells = ends
                .iter()
                .zip(&all)
                .map(|(end, word)| format!("{}: {word}", end.process));
            cells.collect::<Vec<_>>().join("<br>")
        }
    }
}
