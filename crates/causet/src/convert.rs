//! `causet convert`: a run in another format.

use std::io::{self, Write};

use causet_trace::Trace;
use causet_wire::{dot, mermaid, native, shiviz};

use crate::cli::{Convert, Target};
use crate::diagnostics;
use crate::failure::{Failure, Status};
use crate::input::{Input, NotRead};
use crate::limits::{self, Limits};
use crate::output;

type Writer = fn(&Trace, &mut dyn Write) -> io::Result<()>;

/// Runs the command.
pub(crate) fn run(arguments: &Convert) -> Result<Status, Failure> {
    let write = writer(arguments.to)?;
    limits::listen_for_interrupt();
    let reading = match Input::find(&arguments.source)?.read(&Limits::new(None, None)) {
        Ok(reading) => Box::leak(Box::new(reading)),
        Err(NotRead::Failed(failure)) => return Err(failure),
        Err(NotRead::Stopped(spent)) => {
            diagnostics::sentence(&format!("reading was stopped: {spent}"), None);
            return Ok(Status::Unknown);
        }
    };
    reading.warnings.iter().for_each(diagnostics::read_warning);
    match &arguments.output {
        Some(path) => output::to_file(path, |out| write(&reading.trace, out))?,
        None => output::stream_to_stdout(|out| write(&reading.trace, out))?,
    }
    Ok(Status::Fine)
}

/// The function that writes a format.
fn writer(target: Target) -> Result<Writer, Failure> {
    let word = match target {
        Target::Jsonl => return Ok(native::write),
        Target::Dot => return Ok(dot::write),
        Target::Mermaid => return Ok(mermaid::write),
        Target::Shiviz => return Ok(shiviz::write),
        Target::Promela => "promela",
        Target::Smv => "smv",
        Target::Chrome => "chrome",
    };
    Err(Failure::helped(
        format!("the format `{word}` is not available yet"),
        "this version writes jsonl, dot, mermaid and shiviz",
    ))
}
