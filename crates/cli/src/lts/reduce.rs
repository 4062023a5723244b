//! `causet lts reduce`: the smallest transition system that is bisimilar to a given one.

use std::io::Write;
use std::sync::Arc;

use causet::inner::system_in;
use causet_lts::Lts;
use causet_lts::bisimulation::reduce_strong;
use causet_report::words::count;

use super::convert::{Form, write};
use crate::cli::lts::Reduce;
use crate::failure::Status;
use crate::input::NotRead;
use crate::limits;

/// Runs the command.
pub(crate) fn run(arguments: Reduce) -> Result<Status, NotRead> {
    let limits = limits::of(arguments.allowed);
    let arguments = Arc::new(arguments);
    let (lts, reduced) = limits::finished(&arguments, &limits, |arguments, limits| {
        let source = &arguments.source;
        let lts = system_in(&source.model, &source.reading.model(), limits)?;
        limits.begin("reducing", None);
        let reduced = reduce_strong(&lts, &limits.budget());
        limits.end();
        Ok((lts, reduced?))
    })?;
    write(&reduced, Form::Aut, arguments.output.as_deref(), &limits)?;
    // When nobody can be told there is nothing to do about it.
    let _ = writeln!(
        anstream::stderr().lock(),
        "{} became {}",
        sizes(&lts),
        sizes(&reduced)
    );
    Ok(Status::Fine)
}

fn sizes(lts: &Lts) -> String {
    let states = count(lts.states() as usize, "state");
    format!("{states} and {}", count(lts.step_count(), "transition"))
}
