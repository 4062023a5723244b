//! `causet lts reduce`: the smallest transition system that is bisimilar to a given one.

use std::io::Write;

use causet_lts::Lts;
use causet_lts::bisimulation::reduce_strong;
use causet_wire::report::words::count;

use super::convert::{Form, write};
use super::read;
use crate::cli::lts::Reduce;
use crate::failure::Status;
use crate::input::NotRead;
use crate::limits::Limits;
use crate::watch;

/// Runs the command.
pub(crate) fn run(arguments: &'static Reduce) -> Result<Status, NotRead> {
    let limits = Limits::of(arguments.allowed);
    let source = &arguments.source;
    let (lts, reduced) = watch::finished(limits, || {
        let lts = read::system_in(&source.model, &source.reading, limits)?;
        limits.bar.start("reducing", None);
        let reduced = reduce_strong(&lts, &limits.budget());
        limits.bar.end();
        Ok((lts, reduced?))
    })?;
    write(&reduced, Form::Aut, arguments.output.as_deref(), limits)?;
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
