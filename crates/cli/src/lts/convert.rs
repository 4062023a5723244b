//! `causet lts convert`: a transition system in another format.

use std::path::Path;
use std::sync::Arc;

use causet::inner::system_in;
use causet_base::Code;
use causet_lts::{Lts, aut};
use causet_report::lts::dot;

use crate::cli::lts::Convert;
use crate::diagnostics;
use crate::failure::Status;
use crate::input::NotRead;
use crate::limits::{self, Limits};
use crate::output;

pub(crate) use crate::cli::lts::Target as Form;

/// Runs the command.
pub(crate) fn run(arguments: Convert) -> Result<Status, NotRead> {
    let limits = limits::of(arguments.allowed);
    let arguments = Arc::new(arguments);
    let lts = limits::finished(&arguments, &limits, |arguments, limits| {
        let source = &arguments.source;
        system_in(&source.model, &source.reading.model(), limits)
    })?;
    write(&lts, arguments.to, arguments.output.as_deref(), &limits)?;
    Ok(Status::Fine)
}

/// Writes a system to a file or to standard output; labels that had to be spelled otherwise are named.
pub(crate) fn write(
    lts: &Lts,
    form: Form,
    path: Option<&Path>,
    limits: &Limits,
) -> Result<(), NotRead> {
    let mut respelled = Vec::new();
    output::within(limits, path, |out| match form {
        Form::Aut => {
            respelled = aut::write(lts, out)?;
            Ok(())
        }
        Form::Dot => dot::write(lts, |state| state.to_string(), out),
    })?;
    for label in respelled {
        let text = lts.labels().text(label.label);
        let message = format!("the label `{text}` is written as `{}`", label.written);
        diagnostics::warning(
            Code::LabelsChanged,
            &message,
            Some("the format has no escapes"),
        );
    }
    Ok(())
}
