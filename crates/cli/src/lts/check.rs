//! `causet lts check`: formulas of the mu-calculus and a model in, verdicts and diagnostics out.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use causet::inner::{Held, ModelDone, ModelOrigin, ModelTask, Team, lowered, only_mu};
use causet_base::Code;
use causet_formula::{Kind, Modal};
use causet_lts::equations::equations;
use causet_solve::bes::text;

use super::workforce::{self, most_claims};
use super::{diagnostic, ended, strategy};
use crate::cli::Ask;
use crate::cli::lts::{Check, Strategy};
use crate::diagnostics;
use crate::failure::{Failure, Status};
use crate::input::NotRead;
use crate::limits::{self, Limits};
use crate::output;
use crate::properties::{self, Properties};
use crate::publish::{self, Forms};
use crate::together::Workforce;

/// Runs the command.
pub(crate) fn run(arguments: Check) -> Result<Status, Failure> {
    let limits = limits::of(arguments.allowed);
    if let Some(path) = &arguments.diagnostic {
        diagnostic::Format::of(path)?;
    }
    let arguments = Arc::new(arguments);
    let (properties, formulas) =
        match limits::finished(&arguments, &limits, |arguments, _| asked(arguments)) {
            Ok(asked) => asked,
            Err(not) => return ended(Err(not)),
        };
    let files = usize::from(arguments.junit.is_some());
    limits.set_aside(publish::time(formulas.len(), arguments.explain, files));
    let workforce = workforce::gather(&arguments, &properties)?.map(Arc::new);
    if arguments.quiet || workforce.as_ref().is_some_and(|all| !all.is_first()) {
        limits::be_quiet();
    }
    let team = workforce.as_ref();
    let source = &arguments.source;
    let task = ModelTask {
        limits: Arc::clone(&limits),
        path: source.model.display().to_string(),
        origin: ModelOrigin::File(source.model.clone(), source.reading.model()),
        properties,
        formulas,
        strategy: match arguments.strategy {
            Strategy::Global => None,
            other => Some(strategy(other).unwrap_or_default()),
        },
        most_claims: most_claims(&arguments),
        heap: arguments.together.heap,
        team: team.map(|team| Arc::<Workforce>::clone(team) as Arc<dyn Team>),
    };
    let done = task.run()?;
    if let Some(path) = arguments.bes.clone() {
        write_equations(&done, path, &limits)?;
    }
    publish(&done, workforce.as_deref(), &arguments)
}

/// Refuses what would be refused by every process that is started with these arguments.
pub(crate) fn preflight(arguments: &Check) -> Result<(), Failure> {
    workforce::accept(arguments)?;
    let properties = formulas_in(arguments)?;
    lowered(&properties, |message| diagnostics::show_message(&message)).map(drop)
}

/// The properties, and as equations.
fn asked(arguments: &Check) -> Result<(Properties, Vec<Modal>), NotRead> {
    let properties = formulas_in(arguments)?;
    if arguments.bes.is_some() && properties.all().len() != 1 {
        return Err(Failure::helped(
            Code::ArgumentsDoNotFit,
            "--bes writes the equations of one formula, and there are several",
            "give one --mu, or a file of one property",
        )
        .into());
    }
    let formulas = lowered(&properties, |message| diagnostics::show_message(&message))?;
    Ok((properties, formulas))
}

/// The properties, all of which must be formulas of the mu-calculus.
fn formulas_in(arguments: &Check) -> Result<Properties, Failure> {
    let formulas = arguments.mu.iter().cloned();
    let formulas = formulas.map(|text| Ask::Formula(Kind::Mu, text));
    let files = arguments.props.iter().cloned().map(Ask::File);
    let asks: Vec<Ask> = formulas.chain(files).collect();
    if asks.is_empty() {
        return Err(Failure::helped(
            Code::NothingToCheck,
            "there is no formula to check",
            "give one with --mu or --props, for example --mu '[true*] <true> true' for the absence of deadlocks; \
             `causet lts info` shows what a model holds",
        ));
    }
    let properties = properties::read(&asks)?;
    only_mu(&properties)?;
    Ok(properties)
}

/// Writes the whole equation system of the one formula; beyond a limit there is none, and that is said.
fn write_equations(done: &ModelDone, path: PathBuf, limits: &Arc<Limits>) -> Result<(), Failure> {
    let Some(held) = done.model() else {
        return Ok(());
    };
    let formula = Arc::new((done.formulas().to_vec(), path));
    let written = limits::finished(&formula, limits, move |(formulas, path), limits| {
        let Held::All(model) = &*held else {
            let why = "only a part of the model is here".to_owned();
            return Err(Failure::Internal(why).into());
        };
        let system = equations(model, &formulas[0], &limits.budget())?;
        let name = |variable| format!("X{variable}");
        output::within(limits, Some(path), |out| text::write(&system, name, out))
    });
    match written {
        Ok(()) => Ok(()),
        Err(NotRead::Failed(failure)) => Err(failure),
        Err(NotRead::Stopped(spent)) => {
            let message = format!("the equations were not written: {spent}");
            let help = Some("raise --timeout or --memory");
            diagnostics::warning(Code::ReportLeftOut, &message, help);
            Ok(())
        }
    }
}

/// Prints and writes what is known, and gives the status.
fn publish(
    done: &ModelDone,
    workforce: Option<&Workforce>,
    arguments: &Check,
) -> Result<Status, Failure> {
    done.report(arguments.explain, |report, limits| {
        if let Some(workforce) = workforce {
            workforce.conclude(arguments.quiet);
            if !workforce.is_first() {
                return Ok(publish::status(report));
            }
        }
        let path: Option<&Path> = arguments.diagnostic.as_deref();
        let written = path.map_or(Ok(()), |path| diagnostic::write_all(path, report, limits));
        let refused = match written {
            Err(Failure::Refused(error)) => Some(error),
            written => written.map(|()| None)?,
        };
        let forms = Forms {
            json: arguments.json,
            quiet: arguments.quiet,
            junit: arguments.junit.as_deref(),
            refused: refused.as_ref(),
            ..Forms::default()
        };
        publish::report(report, forms, limits)
    })
}
