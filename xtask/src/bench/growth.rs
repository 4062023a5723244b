//! `cargo xtask bench growth`: how time grows with the number of events, and with the number of processes.
//!
//! One formula throughout, which names two processes. Draws a figure of each for the book, with both axes logarithmic, so
//! that a dashed line shows what growth in proportion would be.

use std::path::Path;

use super::lab::{Lab, Run, Table, Told, UNTIL, grouped};
use super::plot::{Figure, Line, Style};

const EVENTS: &[usize] = &[
    1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000,
];
/// The processes while the events grow.
const FEW: usize = 10;
const PROCESSES: &[usize] = &[2, 3, 5, 10, 20, 50, 100, 250];
/// The events while the processes grow.
const MANY: &[usize] = &[10_000, 300_000];

/// Measures both, and draws them.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let lab = Lab::open(root)?;
    let sizes = lab.sizes(EVENTS);
    let (table, events) = series(&lab, sizes.iter().map(|&events| (events, FEW, events)))?;
    let many = lab.sizes(MANY).pop().unwrap_or(MANY[0]);
    let (other, processes) = series(&lab, PROCESSES.iter().map(|&procs| (procs, procs, many)))?;
    let title = format!("{FEW} processes, a growing number of events");
    let first = draw(&lab, "growth-events.svg", &title, "events", &events)?;
    let title = format!("{} events, a growing number of processes", grouped(many));
    let second = draw(
        &lab,
        "growth-processes.svg",
        &title,
        "processes",
        &processes,
    )?;
    let question = format!(
        "`{UNTIL}`, philosophers, seed 1, the median of {}.",
        lab.times()
    );
    let report = format!(
        "{}{question}\n\n## Events\n\n{}\n## Processes\n\n{}",
        lab.header(),
        table.text,
        other.text
    );
    lab.save("growth", &report)?;
    let page = format!(
        "{first}\n{}\n{second}\n{}\n{question}\n",
        table.text, other.text
    );
    lab.publish("growth", &page)
}

/// Measures runs of a number of processes and events, and keeps what each told at its place on the axis.
fn series(
    lab: &Lab,
    runs: impl Iterator<Item = (usize, usize, usize)>,
) -> Result<(Table, Vec<(f64, Told)>), String> {
    let columns = [
        "processes",
        "events",
        "engine",
        "read s",
        "check s",
        "total s",
        "total / read",
        "peak MB",
    ];
    let (mut table, mut series) = (Table::new(&columns), Vec::new());
    for (place, procs, events) in runs {
        let trace = lab.record(&Run::philosophers(procs, events))?;
        let told = lab.check(&[&trace, "--ctl", UNTIL])?;
        table.row(&[
            procs.to_string(),
            grouped(events),
            told.engines(),
            format!("{:.4}", told.read()),
            format!("{:.4}", told.check()),
            format!("{:.4}", told.total()),
            format!("{:.2}", told.total() / told.read()),
            format!("{:.0}", told.peak),
        ]);
        series.push((place as f64, told));
    }
    Ok((table, series))
}

/// Draws a figure for the book; the line of Markdown that shows it.
fn draw(
    lab: &Lab,
    file: &str,
    title: &str,
    across: &str,
    series: &[(f64, Told)],
) -> Result<String, String> {
    let measured = |number, name: &str, time: fn(&Told) -> f64| Line {
        name: name.to_owned(),
        points: series
            .iter()
            .map(|(place, told)| (*place, time(told)))
            .collect(),
        style: Style::Measured(number),
    };
    let total = measured(0, "total", Told::total);
    let mut lines = vec![
        proportional(&total),
        measured(1, "reading", Told::read),
        measured(2, "checking", Told::check),
    ];
    lines.push(total);
    let figure = Figure {
        title,
        across,
        up: "seconds",
        lines,
    };
    lab.write(&format!("docs/book/src/{file}"), figure.svg().as_bytes())?;
    Ok(format!(
        "![{title}: seconds for reading, checking and both]({file})\n"
    ))
}

/// What growth in proportion would be, through the last point of a line.
fn proportional(line: &Line) -> Line {
    let first = line.points.first().copied().unwrap_or((1.0, 1.0));
    let last = line.points.last().copied().unwrap_or(first);
    Line {
        name: "proportional".to_owned(),
        points: vec![(first.0, last.1 * first.0 / last.0), last],
        style: Style::Reference,
    }
}
