//! Who resolves the equations of properties of a run, and what all of them must be asked alike.

use std::path::Path;

use causet_base::Code;
use causet_check::engine::bes;
use causet_check::plan::Choice;

use crate::cli::Check;
use crate::failure::Failure;
use crate::properties::Properties;
use crate::together::{Digest, Workforce};

/// Several workers, if they were asked for and the engine can use them. Other processes have joined when this returns.
pub(super) fn gather(
    arguments: &Check,
    properties: &Properties,
) -> Result<Option<Workforce>, Failure> {
    accept(arguments)?;
    let asked = arguments.source.workers;
    let has_others = arguments.together.has_others();
    if has_others && !properties.errors().is_empty() {
        return Err(Failure::Told);
    }
    let threads = match asked {
        None if has_others => 1,
        _ => arguments.source.workers(),
    };
    let workforce = Workforce::gather(&arguments.together, threads, digest(arguments, properties))?;
    let is_together =
        has_others || arguments.together.team || asked.is_some_and(|workers| workers > 1);
    Ok((is_together && arguments.engine == Choice::Forced(&bes::ENGINE)).then_some(workforce))
}

/// Refuses what several processes cannot do together.
pub(super) fn accept(arguments: &Check) -> Result<(), Failure> {
    if !arguments.together.has_others() {
        return Ok(());
    }
    if arguments.engine != Choice::Forced(&bes::ENGINE) {
        return Err(Failure::helped(
            Code::ArgumentsDoNotFit,
            "only the engine bes decides with several processes",
            "add --engine bes, or leave out --hosts",
        ));
    }
    if arguments
        .source
        .traces
        .iter()
        .any(|path| path == Path::new("-"))
    {
        return Err(Failure::helped(
            Code::ArgumentsDoNotFit,
            "standard input is there only once, and every process must read the run",
            "put the run into a file",
        ));
    }
    Ok(())
}

/// What all processes must be asked alike.
fn digest(arguments: &Check, properties: &Properties) -> Digest {
    let mut digest = Digest::default();
    digest.add("check");
    digest.add([u8::from(arguments.source.lenient)]);
    for cut in [&arguments.some, &arguments.all] {
        digest.add(cut.as_deref().unwrap_or_default());
    }
    digest.add_properties(properties);
    digest
}
