//! Other checkers of transition systems, asked the same questions about the same files.
//!
//! ```text
//! peers stateright FILE.aut bfs|dfs THREADS    is there a deadlock?
//! peers merc FILE.aut FORMULA                  does a formula hold (as mCRL2 writes it), by a parity game?
//! peers merc-reduce FILE.aut                   the quotient by strong bisimulation
//! ```
//!
//! Each prints one JSON object: what it found, the seconds for reading and for everything after, the most memory it had.
//!
//! What the others cannot be asked: stateright has no livelock (its `eventually` is only noticed at the end of a path
//! that does not close a cycle, and paths that meet share the first one's answer) and so no response either. merc has
//! no patterns of labels in formulas, so a property of all `put(..)` would have to list them.

mod aut;
mod merc;
mod stateright;

use std::process::ExitCode;
use std::time::Instant;

/// What a checker found.
struct Found {
    /// The words `holds` and `violated`, or what else there is to say.
    verdict: String,
    /// How many states or vertices it looked at, if it tells.
    looked_at: usize,
    /// Seconds for reading the file.
    read: f64,
    /// Seconds for everything after that.
    check: f64,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let found = match words[..] {
        ["stateright", file, search @ ("bfs" | "dfs"), threads] => match threads.parse() {
            Ok(threads) => stateright::deadlock(file, search, threads),
            Err(_) => Err(format!("`{threads}` is no number of threads")),
        },
        ["merc", file, formula] => merc::formula(file, formula),
        ["merc-reduce", file] => merc::reduce(file),
        _ => Err(
            "expected `stateright FILE bfs|dfs THREADS`, `merc FILE FORMULA` or `merc-reduce FILE`"
                .to_owned(),
        ),
    };
    match found {
        Ok(found) => {
            println!("{}", json(&found));
            ExitCode::SUCCESS
        }
        Err(sentence) => {
            eprintln!("peers: {sentence}");
            ExitCode::from(2)
        }
    }
}

fn json(found: &Found) -> String {
    format!(
        "{{\"verdict\":\"{}\",\"looked_at\":{},\"seconds\":{{\"read\":{},\"check\":{}}},\"peak_bytes\":{}}}",
        found.verdict,
        found.looked_at,
        found.read,
        found.check,
        peak_bytes()
    )
}

/// The most memory this process had so far; 0 where the system does not tell.
fn peak_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kilobytes.unwrap_or_default() * 1024
}

/// Does something and tells how many seconds it took.
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed().as_secs_f64())
}

/// The word for a property that holds or does not.
fn verdict(holds: bool) -> String {
    match holds {
        true => "holds".to_owned(),
        false => "violated".to_owned(),
    }
}
