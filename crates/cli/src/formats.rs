//! `causet formats`: what can be read.

use causet_formats::logs::FORMATS;

use crate::failure::{Failure, Status};
use crate::output;

/// Runs the command.
pub(crate) fn run() -> Result<Status, Failure> {
    output::stream_to_stdout(|out| {
        for format in FORMATS {
            writeln!(out, "{} - {}", format.name, format.title)?;
            writeln!(out, "    {}", format.about)?;
        }
        Ok(())
    })?;
    Ok(Status::Fine)
}
