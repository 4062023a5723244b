//! The report of a verdict that was told: the run as it was, decided once more and drawn like that of `check --html`.

use std::time::Duration;

use causet::inner::{Asked, resident_bytes};
use causet::{Error, Properties, Session};
use causet_base::{Code, Diagnostic};
use causet_serve::http::reports::Drawn;

/// How long it may take to read and decide, and how much memory that may take.
const TIME: Duration = Duration::from_secs(20);
const MEMORY: u64 = 1 << 30;

/// Draws a run for one of the properties.
pub(super) fn draw(
    all: &[Asked],
    run: &str,
    lines: Vec<u8>,
    name: &str,
) -> Result<Drawn, Diagnostic> {
    let asked = all.iter().find(|asked| asked.property.name == name);
    let asked = asked.ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|asked| &*asked.property.name).collect();
        let message = format!(
            "the server does not follow a property `{name}` any more; it follows {}",
            names.join(", ")
        );
        Diagnostic::new(Code::NoSuchName, message)
    })?;
    let first = |error: Error| error.messages()[0].located();
    let memory = resident_bytes().unwrap_or(0) + MEMORY;
    let session = Session::new().timeout(TIME).memory(memory);
    let session = session.lenient().format("native");
    let lines = String::from_utf8(lines);
    let lines =
        lines.unwrap_or_else(|bytes| String::from_utf8_lossy(bytes.as_bytes()).into_owned());
    let run = session.read_as(run, &lines).map_err(first)?;
    let report = session.check(&run, &Properties::of(asked)).map_err(first)?;
    let page = report.to_page();
    let page = page.ok_or_else(|| Diagnostic::new(Code::NoEvents, "there is no run to draw"))?;
    Ok(Drawn {
        html: page.html,
        policy: page.policy,
    })
}
