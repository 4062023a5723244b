//! Cuts as a person writes them: `p1: 3, p2: 1`, with or without braces; a process that is not named has no events.

use causet_base::Code;
use causet_trace::{Cut, Trace};

use crate::failure::Failure;

/// Reads a cut of a run.
pub(crate) fn read(text: &str, trace: &Trace) -> Result<Cut, Failure> {
    let order = trace.order();
    let mut counts = vec![0_u32; order.process_count()];
    let inside = text.trim();
    let inside = inside
        .strip_prefix('{')
        .and_then(|inside| inside.strip_suffix('}'))
        .unwrap_or(inside);
    for entry in inside.split(',').filter(|entry| !entry.trim().is_empty()) {
        let (name, count) = entry
            .rsplit_once([':', '='])
            .ok_or_else(|| malformed(entry))?;
        let name = name.trim().trim_matches(['"', '`']);
        let process = trace.process(name).ok_or_else(|| unknown(name, trace))?;
        let count: u32 = count.trim().parse().map_err(|_| malformed(entry))?;
        let most = order.chain(process).len();
        if count as usize > most {
            let message = format!("{name} has {most} events, not {count}");
            return Err(Failure::helped(
                Code::NotACut,
                message,
                "a cut takes the first events of each process",
            ));
        }
        counts[process.index()] = count;
    }
    let cut = Cut::new(counts);
    match order.is_consistent(&cut) {
        true => Ok(cut),
        false => Err(not_closed(&cut, trace)),
    }
}

fn malformed(entry: &str) -> Failure {
    Failure::helped(
        Code::NotACut,
        format!("`{}` says nothing about a cut", entry.trim()),
        "write how many events of each process are in it: p1: 3, p2: 1",
    )
}

fn unknown(name: &str, trace: &Trace) -> Failure {
    let names: Vec<&str> = trace
        .order()
        .processes()
        .map(|process| trace.process_name(process))
        .collect();
    let near = causet_base::nearest(name, names.iter().copied());
    let help = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the processes are {}", names.join(", ")),
    };
    Failure::helped(
        Code::NoSuchName,
        format!("there is no process `{name}`"),
        help,
    )
}

/// Some events need others that are not in the cut.
fn not_closed(cut: &Cut, trace: &Trace) -> Failure {
    let order = trace.order();
    let closed = order.closure(order.events_of(cut));
    let missing = order
        .processes()
        .filter(|&process| closed.of(process) > cut.of(process));
    let missing: Vec<String> = missing
        .map(|process| format!("{}: {}", trace.process_name(process), closed.of(process)))
        .collect();
    Failure::helped(
        Code::NotACut,
        "this is no cut: some of its events come after events that are not in it",
        format!("it needs at least {}", missing.join(", ")),
    )
}
