//! Who decides a formula on a model, and what all of them must be asked alike.

use std::path::Path;

use causet::inner::MOST_CLAIMS;
use causet_base::Code;

use crate::cli::lts::{Check, Strategy};
use crate::failure::Failure;
use crate::properties::Properties;
use crate::together::{Digest, Workforce};

/// Those who decide, if that is not one thread alone. Other processes have joined when this returns.
pub(super) fn gather(
    arguments: &Check,
    properties: &Properties,
) -> Result<Option<Workforce>, Failure> {
    accept(arguments)?;
    let asked = arguments.source.reading.asked_workers();
    let has_others = arguments.together.has_others();
    let is_together = match arguments.strategy {
        Strategy::Together => true,
        Strategy::Auto => has_others || asked.is_some_and(|workers| workers > 1),
        _ => false,
    };
    let threads = match asked {
        None if has_others => 1,
        _ => arguments.source.reading.workers(),
    };
    let workforce = Workforce::gather(&arguments.together, threads, digest(arguments, properties))?;
    Ok(is_together.then_some(workforce))
}

/// Refuses what several processes cannot do together.
pub(super) fn accept(arguments: &Check) -> Result<(), Failure> {
    if !arguments.together.has_others() {
        return Ok(());
    }
    if !matches!(arguments.strategy, Strategy::Auto | Strategy::Together) {
        return Err(Failure::helped(
            Code::ArgumentsDoNotFit,
            "several processes solve by the strategy `together` only",
            "leave out --strategy, or --hosts",
        ));
    }
    if arguments.bes.is_some() {
        return Err(Failure::helped(
            Code::ArgumentsDoNotFit,
            "--bes writes all equations, and with --hosts no process has all of them",
            "leave out --hosts to write them",
        ));
    }
    if arguments.source.model == Path::new("-") {
        return Err(Failure::helped(
            Code::ArgumentsDoNotFit,
            "standard input is there only once, and every process must read the model",
            "put the model into a file",
        ));
    }
    Ok(())
}

/// What all processes must be asked alike.
fn digest(arguments: &Check, properties: &Properties) -> Digest {
    let mut digest = Digest::default();
    digest.add("lts check");
    let tau = arguments.source.reading.tau.as_deref();
    digest.add(tau.map_or("default".to_owned(), |tau| format!("tau {tau}")));
    digest.add((most_claims(arguments) as u64).to_be_bytes());
    digest.add_properties(properties);
    digest
}

/// How many variables a diagnostic may take: none when nobody will see it.
pub(super) fn most_claims(arguments: &Check) -> usize {
    let Check {
        diagnostic,
        quiet,
        json,
        junit,
        together,
        ..
    } = arguments;
    match diagnostic {
        Some(_) => usize::MAX,
        // Others may be asked to be quiet, as long as the first is not.
        None if *quiet && !json && junit.is_none() && !together.has_others() => 0,
        None => MOST_CLAIMS,
    }
}
