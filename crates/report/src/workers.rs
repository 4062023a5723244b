//! What several workers did for one verdict: a line for everybody, a table for those who asked, numbers for programs.

use serde::Serialize;

use super::json::rounded;

/// What one worker did.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Worker {
    /// How many variables it met.
    pub variables: u64,
    /// How many operands it looked at.
    pub operands: u64,
    /// How many of them belong to others.
    pub crossing: u64,
    /// How many messages it had for others.
    pub messages: u64,
    /// How many bytes these took.
    pub bytes: u64,
    /// How long it had nothing to do.
    pub idle_seconds: f64,
    /// How long it worked and waited in all.
    pub seconds: f64,
    /// How many rounds there were.
    pub rounds: u64,
}

/// A worker for programs.
#[derive(Serialize)]
pub(crate) struct Row {
    variables: u64,
    operands: u64,
    crossing: u64,
    messages: u64,
    bytes: u64,
    idle_seconds: f64,
    seconds: f64,
    rounds: u64,
}

impl From<&Worker> for Row {
    fn from(worker: &Worker) -> Self {
        Row {
            variables: worker.variables,
            operands: worker.operands,
            crossing: worker.crossing,
            messages: worker.messages,
            bytes: worker.bytes,
            idle_seconds: rounded(worker.idle_seconds),
            seconds: rounded(worker.seconds),
            rounds: worker.rounds,
        }
    }
}

/// All workers as one; the rounds are those of the one that counted most.
pub fn sum(workers: &[Worker]) -> Worker {
    workers.iter().fold(Worker::default(), |sum, one| Worker {
        variables: sum.variables + one.variables,
        operands: sum.operands + one.operands,
        crossing: sum.crossing + one.crossing,
        messages: sum.messages + one.messages,
        bytes: sum.bytes + one.bytes,
        idle_seconds: sum.idle_seconds + one.idle_seconds,
        seconds: sum.seconds + one.seconds,
        rounds: sum.rounds.max(one.rounds),
    })
}

/// What all did, in a line; nothing when there was only one.
pub fn line(workers: &[Worker]) -> Option<String> {
    if workers.len() < 2 {
        return None;
    }
    let all = sum(workers);
    Some(format!(
        "{} workers: {} variables, {} messages ({} of the operands cross), {} idle",
        workers.len(),
        grouped(all.variables),
        rough(all.messages),
        share(all.crossing as f64, all.operands as f64),
        share(all.idle_seconds, all.seconds)
    ))
}

/// What each did, in columns under a line of titles, and all of them last; nothing when there was only one.
pub fn table(workers: &[Worker]) -> Vec<String> {
    if workers.len() < 2 {
        return Vec::new();
    }
    let titles = [
        "",
        "variables",
        "operands",
        "crossing",
        "messages",
        "bytes",
        "idle",
        "rounds",
    ];
    let mut rows = vec![titles.map(str::to_owned)];
    let numbered = workers.iter().enumerate();
    rows.extend(numbered.map(|(number, worker)| cells(number.to_string(), worker)));
    rows.push(cells("all".to_owned(), &sum(workers)));
    let wide = |column: usize| rows.iter().map(move |row| row[column].len()).max();
    let widths: Vec<usize> = (0..titles.len())
        .map(|column| wide(column).unwrap_or(0))
        .collect();
    let line = |row: &[String; 8]| {
        let cells = row.iter().zip(&widths);
        let cells: Vec<String> = cells
            .map(|(cell, &width)| format!("{cell:>width$}"))
            .collect();
        cells.join("  ")
    };
    rows.iter().map(line).collect()
}

fn cells(name: String, worker: &Worker) -> [String; 8] {
    [
        name,
        grouped(worker.variables),
        grouped(worker.operands),
        share(worker.crossing as f64, worker.operands as f64),
        grouped(worker.messages),
        grouped(worker.bytes),
        share(worker.idle_seconds, worker.seconds),
        grouped(worker.rounds),
    ]
}

/// `12,863,306`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `27.8 million`; small numbers as they are.
pub fn rough(number: u64) -> String {
    match number {
        0..1_000_000 => grouped(number),
        1_000_000..1_000_000_000 => format!("{:.1} million", number as f64 / 1e6),
        _ => format!("{:.1} billion", number as f64 / 1e9),
    }
}

/// A part of a whole in per cent; of nothing, nothing.
fn share(part: f64, whole: f64) -> String {
    match whole > 0.0 {
        true => format!("{:.0} %", 100.0 * part / whole),
        false => "0 %".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workers() -> [Worker; 2] {
        let one = Worker {
            variables: 6_431_653,
            operands: 40,
            crossing: 10,
            messages: 13_900_000,
            bytes: 1_000,
            idle_seconds: 0.1,
            seconds: 2.0,
            rounds: 7,
        };
        [one, Worker { rounds: 6, ..one }]
    }

    #[test]
    fn a_line_sums_up() {
        let expected = "2 workers: 12,863,306 variables, 27.8 million messages (25 % of the operands cross), 5 % idle";
        assert_eq!(line(&workers()).as_deref(), Some(expected));
        assert_eq!(line(&workers()[..1]), None);
    }

    #[test]
    fn a_table_has_everybody_and_all() {
        let table = table(&workers());
        let starts: Vec<&str> = table
            .iter()
            .map(|line| line.split_whitespace().next().unwrap_or_default())
            .collect();
        assert_eq!(starts, ["variables", "0", "1", "all"]);
        let end = "12,863,306        80      25 %  27,800,000  2,000   5 %       7";
        assert!(table[3].ends_with(end), "{}", table[3]);
        assert!(
            table.iter().all(|line| line.len() == table[0].len()),
            "{table:#?}"
        );
    }

    #[test]
    fn nothing_is_divided_by_nothing() {
        let idle = [Worker::default(); 2];
        let expected = "2 workers: 0 variables, 0 messages (0 % of the operands cross), 0 % idle";
        assert_eq!(line(&idle).as_deref(), Some(expected));
        assert_eq!(grouped(1_000), "1,000");
        assert_eq!(rough(999_999), "999,999");
    }
}
