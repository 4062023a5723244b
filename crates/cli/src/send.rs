//! `causet send`: a recorded run is sent to a server that follows runs, as if it happened now.
//!
//! The lines of a process stay in their order. Between processes the network can have produced any order, and with
//! `--shuffle` one of these is chosen, in which a message may well be received before it was sent.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;

use causet_base::Code;
use causet_formats::native;
use causet_serve::client::{self, Errand, Line};
use causet_serve::protocol::Hello;

use crate::cli::send::Send;
use crate::failure::{Failure, Status};
use crate::input;
use crate::limits;
use crate::output;
use crate::secret;
use crate::trust;

/// Runs the command.
pub(crate) fn run(arguments: &Send) -> Result<Status, Failure> {
    limits::listen_for_interrupt();
    let input = input::find(&arguments.source)?;
    let Some(reading) = input::read_whole(&input, &limits::limits(None, None))? else {
        return Ok(Status::Unknown);
    };
    let mut text = Vec::new();
    let written = native::write(&reading.trace, &mut text);
    written.map_err(|error| Failure::io(Code::NotWritable, "the run cannot be written", &error))?;
    let text = String::from_utf8_lossy(&text);
    let (header, lines) = text.split_once('\n').unwrap_or((&text, ""));
    let mut lines: Vec<Line> = lines.lines().filter_map(line).collect();
    if let Some(seed) = arguments.shuffle {
        if reading.trace.is_observed() {
            return Err(Failure::refused(
                Code::ArgumentsDoNotFit,
                "the order of the lines is that of the run, so there is no other order to send them in",
            ));
        }
        lines = shuffled(lines, seed);
    }
    let errand = Errand {
        server: arguments.to,
        hello: Hello {
            run: arguments.run.clone(),
            token: arguments.token.as_deref().map(token).transpose()?,
        },
        header: Some(header.to_owned()),
        rate: arguments.rate.map(f64::from),
        patience: arguments.patience,
    };
    let sent = match arguments.tls {
        false => client::send(&errand, &lines, arguments.over),
        true => {
            let trust = trust::of(arguments.ca.as_deref())?;
            let connect = |server| client::encrypted(&trust, server);
            client::send_over(&connect, &errand, &lines, arguments.over)
        }
    };
    let sent = sent.map_err(|error| Failure::helped(Code::NotSent, error.to_string(), HELP))?;
    let said = format!(
        "{{\"run\":{},\"safe\":{}}}\n",
        quoted(&arguments.run),
        sent.events
    );
    output::to_stdout(said.as_bytes())?;
    Ok(Status::Fine)
}

const HELP: &str =
    "start a server with `causet serve --props FILE`, or say with --to where it listens";

/// The token in a file.
pub(crate) fn token(path: &Path) -> Result<String, Failure> {
    let text = String::from_utf8(secret::read(path)?);
    let text = text
        .map_err(|_| Failure::refused(Code::NoSecret, format!("{} is no text", path.display())))?;
    match text.trim() {
        "" => Err(Failure::refused(
            Code::NoSecret,
            format!("{} is empty", path.display()),
        )),
        token => Ok(token.to_owned()),
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A line with its process.
fn line(text: &str) -> Option<Line> {
    #[derive(serde::Deserialize)]
    struct Whose {
        p: String,
        #[serde(default)]
        end: bool,
    }
    let Whose { p, end } = serde_json::from_str(text).ok()?;
    Some(Line {
        process: p,
        text: text.to_owned(),
        is_event: !end,
    })
}

/// The lines in an order in which they can arrive: those of each process in their own.
fn shuffled(lines: Vec<Line>, seed: u64) -> Vec<Line> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut queues: BTreeMap<String, VecDeque<Line>> = BTreeMap::new();
    let mut order = Vec::with_capacity(lines.len());
    for line in lines {
        order.push(line.process.clone());
        queues
            .entry(line.process.clone())
            .or_default()
            .push_back(line);
    }
    rng.shuffle(&mut order);
    let next = |process: String| queues.get_mut(&process).and_then(VecDeque::pop_front);
    order.into_iter().filter_map(next).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_process_keeps_its_order() {
        let lines: Vec<Line> = (0..60)
            .filter_map(|n| line(&format!("{{\"p\":\"p{}\",\"set\":{{\"n\":{n}}}}}", n % 3)))
            .collect();
        let other = shuffled(lines.clone(), 7);
        assert_ne!(lines, other);
        for process in ["p0", "p1", "p2"] {
            let of = |lines: &[Line]| -> Vec<Line> {
                lines
                    .iter()
                    .filter(|line| line.process == process)
                    .cloned()
                    .collect()
            };
            assert_eq!(of(&lines), of(&other));
        }
    }
}
