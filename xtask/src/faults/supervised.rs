//! Faults of processes that `causet cluster run` started: it must end all of them, and they must end without it.

use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};

use super::member::{Member, send, wait_for};
use super::plan::Random;
use super::{Field, LOST, PROMISED, WATCHED, question};
use crate::bench::report::ReportTable;

/// How many processes are started.
const PROCESSES: usize = 3;
/// How long it may take until they are there.
const START: Duration = Duration::from_secs(10);

/// The last cells of a row, and what was not as promised.
type Seen = (Vec<String>, Option<String>);

/// What is done to which process.
#[derive(Clone, Copy)]
enum Deed {
    KillChild,
    StopChild,
    KillSupervisor,
}

const DEEDS: [(Deed, &str); 3] = [
    (Deed::KillChild, "kill a child"),
    (Deed::StopChild, "stop a child"),
    (Deed::KillSupervisor, "kill the supervisor"),
];

/// All deeds in turn, as a table.
pub(super) fn run(
    field: &Field,
    times: usize,
    whole: Duration,
    seed: u64,
    missed: &mut Vec<String>,
) -> Result<String, String> {
    let mut random = Random::new(seed ^ 0xc1);
    let mut rows = ReportTable::new(&[
        "fault",
        "moment",
        "seconds until all ended",
        "exit status",
        "error",
    ]);
    for (deed, name) in DEEDS.into_iter().cycle().take(times) {
        let (moment, (cells, wrong)) = loop {
            let moment = whole.mul_f64(0.8 * random.fraction());
            // A run that had ended before tells nothing.
            if let Some(seen) = attempt(field, deed, moment, &mut random)? {
                break (moment, seen);
            }
        };
        missed.extend(wrong.map(|why| format!("{name}: {}", why.trim().replace('\n', " / "))));
        rows.row(
            &[
                &[name.to_owned(), format!("{:.2}", moment.as_secs_f64())],
                &cells[..],
            ]
            .concat(),
        );
    }
    Ok(format!(
        "## `causet cluster run`\n\n{PROCESSES} processes on one host.\n\n{}\n",
        rows.text
    ))
}

/// The last cells of a row, and what was not as promised; nothing if the run had ended before.
fn attempt(
    field: &Field,
    deed: Deed,
    moment: Duration,
    random: &mut Random,
) -> Result<Option<Seen>, String> {
    let mut members = [start(field)?];
    let supervisor = members[0].id();
    let children = children(field, supervisor)?;
    thread::sleep(moment);
    let child = children
        .iter()
        .copied()
        .nth(random.below(PROCESSES))
        .unwrap_or(supervisor);
    let struck = Instant::now();
    let (signal, id) = match deed {
        Deed::KillChild => ("KILL", child),
        Deed::StopChild => ("STOP", child),
        Deed::KillSupervisor => ("KILL", supervisor),
    };
    if members[0].ended().is_some() || !send(signal, id) {
        return Ok(None);
    }
    wait_for(&mut members, &[0], struck + WATCHED);
    let left = emptied(field, struck + WATCHED)?;
    let took = struck.elapsed();
    let code = members[0].ended().and_then(|(_, status)| status.code());
    let (said, complained) = (members[0].said(), members[0].complained());
    for &id in &left {
        // It may end by itself in this very moment.
        send("KILL", id);
    }
    let is_clear = matches!(deed, Deed::KillSupervisor)
        || (code == Some(LOST) && !complained.trim().is_empty());
    let is_right = is_clear && said.is_empty() && left.is_empty() && took <= PROMISED;
    let wrong = (!is_right).then(|| {
        format!("{:.2} s, exit status {code:?}, left {left:?}, printed `{said}`, complained: {complained}", took.as_secs_f64())
    });
    let last = members[0].error();
    let code = code.map_or("-".to_owned(), |code| code.to_string());
    let cells = vec![format!("{:.2}", took.as_secs_f64()), code, last];
    Ok(Some((cells, wrong)))
}

fn start(field: &Field) -> Result<Member, String> {
    let mut command = field.network.command(0, &field.causet);
    command
        .args([
            "cluster",
            "run",
            "--processes",
            &PROCESSES.to_string(),
            "--workers",
            "1",
            "--",
        ])
        .args(question(&field.large));
    Member::start(command, Duration::ZERO, &field.folder, "supervisor")
}

/// The processes that the supervisor started, as soon as all are there.
fn children(field: &Field, supervisor: u32) -> Result<BTreeSet<u32>, String> {
    let begun = Instant::now();
    loop {
        let mut children = field.network.processes()?;
        children.remove(&supervisor);
        if children.len() == PROCESSES {
            return Ok(children);
        }
        if begun.elapsed() > START {
            return Err(format!(
                "`causet cluster run` started {} processes",
                children.len()
            ));
        }
    }
}

/// Waits until no process is left; those that are when it is too late.
fn emptied(field: &Field, deadline: Instant) -> Result<BTreeSet<u32>, String> {
    loop {
        let left = field.network.processes()?;
        if left.is_empty() || Instant::now() >= deadline {
            return Ok(left);
        }
        thread::sleep(Duration::from_millis(10));
    }
}
