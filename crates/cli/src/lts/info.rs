//! `causet lts info`: what a transition system looks like.

use std::sync::Arc;

use causet::inner::system_in;
use causet_base::Code;
use causet_lts::info::Info;
use causet_report::lts::info;

use crate::cli::lts::Info as Arguments;
use crate::failure::{Failure, Status};
use crate::input::NotRead;
use crate::limits;
use crate::output;

/// Runs the command.
pub(crate) fn run(arguments: Arguments) -> Result<Status, NotRead> {
    let limits = limits::of(arguments.allowed);
    let arguments = Arc::new(arguments);
    let (lts, found) = limits::finished(&arguments, &limits, |arguments, limits| {
        let source = &arguments.source;
        let lts = system_in(&source.model, &source.reading.model(), limits)?;
        limits.begin("looking at the system", None);
        let found = Info::of(&lts, &limits.budget());
        limits.end();
        Ok((lts, found?))
    })?;
    let source = &arguments.source;
    let path = source.model.display().to_string();
    let mut bytes = Vec::new();
    let written = match arguments.json {
        true => info::write_json(
            env!("CARGO_PKG_VERSION"),
            &path,
            &found,
            lts.labels(),
            &mut bytes,
        ),
        false => info::write(&path, &found, lts.labels(), &mut bytes),
    };
    written
        .map_err(|error| Failure::io(Code::NotWritable, "the report cannot be written", &error))?;
    output::to_stdout(&bytes)?;
    Ok(Status::Fine)
}
