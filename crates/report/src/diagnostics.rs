//! Errors, warnings and notes as JSON, for programs.

use std::io::{self, Write};

use causet_base::Diagnostic;
use serde::Serialize;

use crate::SCHEMA;

/// A diagnostic as JSON; what is unknown is null.
#[derive(Serialize)]
pub(crate) struct DiagnosticJson<'a> {
    /// Not of an error, which is listed as one.
    #[serde(skip_serializing_if = "Option::is_none")]
    severity: Option<&'static str>,
    code: String,
    message: &'a str,
    file: Option<&'a str>,
    line: Option<u32>,
    column: Option<u32>,
    help: Option<&'a str>,
}

impl<'a> From<&'a Diagnostic> for DiagnosticJson<'a> {
    fn from(diagnostic: &'a Diagnostic) -> Self {
        let known = |number: u32| (number > 0).then_some(number);
        DiagnosticJson {
            severity: Some(diagnostic.severity.word()),
            code: diagnostic.code.to_string(),
            message: &diagnostic.message,
            file: Some(diagnostic.file.as_str()).filter(|file| !file.is_empty()),
            line: known(diagnostic.line),
            column: known(diagnostic.column),
            help: diagnostic.help.as_deref(),
        }
    }
}

impl<'a> DiagnosticJson<'a> {
    /// An error, which is listed as one.
    pub(crate) fn error(error: &'a Diagnostic) -> Self {
        DiagnosticJson {
            severity: None,
            ..DiagnosticJson::from(error)
        }
    }
}

/// Writes why a command did not do its work: the first error, and all of them if there are several.
pub fn write_errors(errors: &[Diagnostic], out: &mut dyn Write) -> io::Result<()> {
    #[derive(Serialize)]
    struct Document<'a> {
        schema: u32,
        error: Option<DiagnosticJson<'a>>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        errors: Vec<DiagnosticJson<'a>>,
    }
    let document = Document {
        schema: SCHEMA,
        error: errors.first().map(DiagnosticJson::error),
        errors: match errors {
            [_] => Vec::new(),
            several => several.iter().map(DiagnosticJson::error).collect(),
        },
    };
    serde_json::to_writer(&mut *out, &document)?;
    writeln!(out)
}
