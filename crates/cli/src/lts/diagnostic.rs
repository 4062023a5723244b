//! The file of `--diagnostic`: the part of a system that forces a verdict, in the format its name asks for.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::Path;

use causet_base::Code;
use causet_lts::aut;
use causet_report::Report;
use causet_report::lts::{Evidence, dot, write_evidence};

use crate::failure::Failure;
use crate::input::NotRead;
use crate::limits::Limits;
use crate::output;
use crate::publish;

/// The formats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    Aut,
    Dot,
    Json,
}

impl Format {
    /// The format that the name of a file asks for.
    pub(crate) fn of(path: &Path) -> Result<Format, Failure> {
        match path.extension().and_then(OsStr::to_str) {
            Some("aut") => Ok(Format::Aut),
            Some("dot") => Ok(Format::Dot),
            Some("json") => Ok(Format::Json),
            _ => Err(Failure::helped(
                Code::Usage,
                format!("what kind of file is {}?", path.display()),
                "a diagnostic is written as .aut, .dot or .json",
            )),
        }
    }

    fn write(self, evidence: Evidence<'_>, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Format::Aut => {
                let lts = evidence.diagnostic.to_lts(evidence.labels);
                aut::write(&lts, out).map(drop)
            }
            Format::Dot => {
                let lts = evidence.diagnostic.to_lts(evidence.labels);
                dot::write(&lts, |state| evidence.state(state as usize), out)
            }
            Format::Json => write_evidence(evidence, out),
        }
    }
}

/// Writes the diagnostics of all findings that have one; with several properties, to a file each.
pub(crate) fn write_all(path: &Path, report: &Report<'_>, limits: &Limits) -> Result<(), Failure> {
    let format = Format::of(path)?;
    for finding in &report.findings {
        let Some(evidence) = finding.evidence else {
            continue;
        };
        let path = match report.findings.len() {
            1 => Cow::Borrowed(path),
            _ => Cow::Owned(path.with_extension(format!(
                "{}.{}",
                file_name(finding.name),
                path.extension().and_then(OsStr::to_str).unwrap_or_default()
            ))),
        };
        match output::within(limits, Some(&path), |out| format.write(evidence, out)) {
            Ok(()) => {}
            Err(NotRead::Stopped(spent)) => publish::left_out(&path, spent),
            Err(NotRead::Failed(failure)) => return Err(failure),
        }
    }
    Ok(())
}

/// The name of a property as part of that of a file.
fn file_name(name: &str) -> String {
    let safe = |c: char| match c.is_alphanumeric() || matches!(c, '-' | '_') {
        true => c,
        false => '_',
    };
    name.chars().map(safe).collect()
}
