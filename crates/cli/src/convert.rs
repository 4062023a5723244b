//! `causet convert`: a run in another format.

use std::io::{self, Write};

use causet_base::Code;
use causet_base::Diagnostic;
use causet_check::prepare::prepare;
use causet_check::subject::Subject;
use causet_check::translate::{Model, translate};
use causet_formats::{binary, chrome, dot, mermaid, native, plantuml, shiviz};
use causet_report::{itf, promela, smv};
use causet_trace::Trace;

use crate::cli::{Ask, Convert, Target};
use crate::diagnostics;
use crate::failure::{Failure, Status};
use crate::input;
use crate::limits;
use crate::output;
use crate::properties::{self, Asked};

/// How a format is written.
#[derive(Clone, Copy)]
enum Writer {
    /// From the run as it is.
    Run(fn(&Trace, &mut dyn Write) -> io::Result<()>),
    /// From the run and the names of its files.
    Parts(fn(&Trace, &[String], &mut dyn Write) -> io::Result<()>),
    /// From the run and a property in plain integers, unless the language cannot say it.
    Model {
        supports: fn(&Model) -> Result<(), Diagnostic>,
        write: fn(&Model, Option<&str>, &mut dyn Write) -> io::Result<()>,
    },
}

/// Runs the command.
pub(crate) fn run(arguments: &Convert) -> Result<Status, Failure> {
    let writer = writer(arguments.to);
    let asked = property(&arguments.asked.0, writer)?;
    limits::listen_for_interrupt();
    let input = input::find(&arguments.source)?;
    let Some(reading) = input::read_whole(&input, &limits::limits(None, None))? else {
        return Ok(Status::Unknown);
    };
    match writer {
        Writer::Run(write) => deliver(arguments, |out| write(&reading.trace, out))?,
        Writer::Parts(write) => {
            deliver(arguments, |out| write(&reading.trace, &reading.parts, out))?;
        }
        Writer::Model { supports, write } => {
            let subject = Subject {
                trace: &reading.trace,
                parts: &reading.parts,
            };
            let model = model(&subject, asked.as_ref())?;
            supports(&model).map_err(|reason| not_translated(&reason))?;
            let title = asked.map(|Asked { property, .. }| {
                format!("{} {}", property.kind.word(), property.text.trim())
            });
            deliver(arguments, |out| write(&model, title.as_deref(), out))?;
        }
    }
    Ok(Status::Fine)
}

/// Writes to the file asked for, or to standard output.
fn deliver(
    arguments: &Convert,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    match &arguments.output {
        Some(path) => output::to_file(path, write),
        None => output::stream_to_stdout(write),
    }
}

/// The one property of a model, if one was asked for.
fn property(asks: &[Ask], writer: Writer) -> Result<Option<Asked>, Failure> {
    if asks.is_empty() {
        return Ok(None);
    }
    if let Writer::Run(_) | Writer::Parts(_) = writer {
        return Err(Failure::helped(
            Code::ArgumentsDoNotFit,
            "this format holds a run and no property",
            "a property goes with --to promela or --to smv; `causet check` decides one",
        ));
    }
    let properties = properties::read(asks).and_then(properties::all_read)?;
    match properties.all() {
        [] => Ok(None),
        [one] => Ok(Some(one.clone())),
        several => Err(Failure::helped(
            Code::ArgumentsDoNotFit,
            format!(
                "a model holds one property, and {} were given",
                several.len()
            ),
            "write a model for each",
        )),
    }
}

/// The run and the property in plain integers.
fn model(subject: &Subject<'_>, asked: Option<&Asked>) -> Result<Model, Failure> {
    let Some(asked) = asked else {
        return translate(subject, None).map_err(|reason| not_translated(&reason));
    };
    let question = match prepare(subject, &asked.property, &asked.lets) {
        Ok(question) => question,
        Err(errors) => {
            for error in &errors {
                diagnostics::show_in(&asked.source, error);
            }
            return Err(Failure::Told);
        }
    };
    for warning in &question.warnings {
        diagnostics::show_in(&asked.source, warning);
    }
    translate(subject, Some(&question)).map_err(|reason| not_translated(&reason))
}

fn not_translated(reason: &Diagnostic) -> Failure {
    Failure::helped(
        Code::NotTranslatable,
        format!("this cannot be translated: {reason}"),
        "`causet check` decides the property itself",
    )
}

/// How a format is written.
fn writer(target: Target) -> Writer {
    match target {
        Target::Jsonl => Writer::Run(native::write),
        Target::Bin => Writer::Parts(binary::write),
        Target::Dot => Writer::Run(dot::write),
        Target::Mermaid => Writer::Run(mermaid::write),
        Target::Plantuml => Writer::Run(plantuml::write),
        Target::Shiviz => Writer::Run(shiviz::write),
        Target::Chrome => Writer::Run(chrome::write),
        Target::Itf => Writer::Run(itf::write),
        Target::Promela => Writer::Model {
            supports: promela::supports,
            write: promela::write,
        },
        Target::Smv => Writer::Model {
            supports: smv::supports,
            write: smv::write,
        },
    }
}
