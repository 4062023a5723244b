//! Errors, warnings and notes on standard error; the errors are kept for `--json`.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use annotate_snippets::Renderer;
use causet::Message;
use causet::inner::FormulaText;
use causet_base::{Code, Diagnostic, Severity};
use causet_report::diagnostics::write_errors;

use crate::output;

/// Says that something is wrong, in a sentence.
pub(crate) fn sentence(code: Code, message: &str, help: Option<&str>) {
    show(&Diagnostic::new(code, message).with_help_if(help));
}

/// Says that something is odd.
pub(crate) fn warning(code: Code, message: &str, help: Option<&str>) {
    let warning = Diagnostic::new(code, message).with_help_if(help);
    show(&warning.with_severity(Severity::Warning));
}

/// Says something worth knowing.
pub(crate) fn note(code: Code, message: &str) {
    show(&Diagnostic::new(code, message).with_severity(Severity::Note));
}

/// Shows a diagnostic.
pub(crate) fn show(diagnostic: &Diagnostic) {
    show_message(&Message::from(diagnostic.clone()));
}

/// Shows what is wrong with a formula, odd about it or worth knowing.
pub(crate) fn show_in(source: &Arc<FormulaText>, diagnostic: &Diagnostic) {
    show_message(&Message::in_formula(source, diagnostic));
}

/// Shows a message in the text it is about.
pub(crate) fn show_message(message: &Message) {
    remember(message);
    print(&message.rendered(&Renderer::styled()));
}

/// The errors shown so far, for `--json`.
static ERRORS: Mutex<Vec<Diagnostic>> = Mutex::new(Vec::new());

fn remember(message: &Message) {
    if message.severity() == Severity::Error
        && let Ok(mut errors) = ERRORS.lock()
    {
        errors.push(message.located());
    }
}

/// For `--json`: prints the errors shown so far as one object, unless a report was printed.
pub(crate) fn errors_as_json() {
    let Ok(errors) = ERRORS.lock() else { return };
    if asks_for_json() && !errors.is_empty() && !output::is_written() {
        // When even that fails, nothing can be told.
        let _ = output::stream_to_stdout(|out| write_errors(&errors, out));
    }
}

/// Whether the arguments of this program say `--json`, even if they are not understood.
fn asks_for_json() -> bool {
    let arguments = std::env::args_os().skip(1);
    let mut own = arguments.take_while(|argument| argument != "--");
    own.any(|argument| argument == "--json")
}

/// Notes that the command line was refused; `clap` has the words.
pub(crate) fn usage(text: &str) {
    let mut lines = text.lines().map(str::trim);
    let first = lines.next().unwrap_or_default();
    let mut message = first.strip_prefix("error: ").unwrap_or(first).to_owned();
    if message.ends_with(':') {
        // What is missing stands on the lines below, up to an empty one.
        let missing: Vec<&str> = lines.by_ref().take_while(|line| !line.is_empty()).collect();
        message = format!("{message} {}", missing.join(", "));
    }
    let help = lines.find_map(|line| line.strip_prefix("tip: "));
    remember(
        &Diagnostic::new(Code::Usage, message)
            .with_help_if(help)
            .into(),
    );
}

/// Whether a message was printed last: an empty line sets it off from whatever comes next, if anything does.
static OPEN: AtomicBool = AtomicBool::new(false);

/// Sets the messages so far off from a report that a person is about to read on the same terminal.
pub(crate) fn before_report() {
    if OPEN.swap(false, Ordering::Relaxed) {
        let _ = writeln!(anstream::stderr().lock());
    }
}

/// Prints to standard error; when even that fails, nothing can be told.
fn print(text: &str) {
    before_report();
    OPEN.store(true, Ordering::Relaxed);
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}
