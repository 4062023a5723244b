//! `causet draw`: a run as a picture, with the cut that shows a verdict drawn across it.
//!
//! ```text
//! input --> formats::logs::read --> check::decide --> report::story --> report::picture --> SVG --render--> PNG
//! ```

#[cfg(feature = "full")]
mod render;

use std::path::Path;
use std::sync::Arc;

use causet::inner::{Origin, Task};
use causet_base::Code;
use causet_report::Finding;
use causet_report::picture::{Choice, Layout, Picture, Range, Theme, Told, svg};
use causet_report::story::Shows;
use causet_trace::{EventId, Trace};

use crate::cli::draw::{Colours, Draw};
use crate::diagnostics;
use crate::failure::{Failure, Status};
use crate::input;
use crate::limits;
use crate::output;
use crate::properties;

/// Runs the command.
pub(crate) fn run(arguments: &Draw) -> Result<Status, Failure> {
    let form = Form::of(arguments.output.as_deref())?;
    let properties = properties::read_any(&arguments.asked.0).and_then(properties::all_read)?;
    limits::listen_for_interrupt();
    let limits = Arc::new(limits::limits(arguments.timeout, arguments.memory));
    let origin = Origin::Input(Box::new(input::find(&arguments.source)?));
    let task = Task {
        workers: arguments.source.workers(),
        ..Task::new(limits, origin, properties)
    };
    let done = task.run()?;
    let Some(run) = done.run() else {
        let message = "reading was stopped, so there is nothing to draw";
        diagnostics::sentence(Code::LimitReached, message, None);
        return Ok(Status::Unknown);
    };
    let trace = run.subject().trace;
    let range = range(arguments, trace)?;
    let svg = done.report(false, |report, _| {
        let found = found(&report.findings, arguments.property.as_deref())?;
        Ok::<_, Failure>(drawn(trace, found, range, arguments.theme))
    })?;
    deliver(arguments, form, &svg)?;
    Ok(Status::Fine)
}

/// The picture of a run, with the cut that shows a verdict.
fn drawn(trace: &Trace, found: Option<&Finding<'_>>, range: Range, theme: Colours) -> String {
    let title = found.map(|found| {
        let (name, verdict) = (found.name, found.verdict.word());
        format!("{name}: {} ({verdict})", found.formula)
    });
    let told = found.zip(title.as_deref()).map(|(found, title)| Told {
        title,
        story: found.story.as_ref(),
    });
    let picture = Picture { trace, told };
    let layout = Layout::of(&picture, &Choice::of(&picture, range));
    let theme = match theme {
        Colours::Light => Theme::Light,
        Colours::Dark => Theme::Dark,
    };
    svg::text(&layout, theme)
}

/// How a picture is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Svg,
    Png,
}

impl Form {
    /// The form that the name of the file asks for; without one it is SVG.
    fn of(path: Option<&Path>) -> Result<Form, Failure> {
        let Some(path) = path else {
            return Ok(Form::Svg);
        };
        let ending = path.extension().and_then(|ending| ending.to_str());
        match ending.map(str::to_ascii_lowercase).as_deref() {
            Some("svg") => Ok(Form::Svg),
            Some("png") => Ok(Form::Png),
            _ => Err(Failure::helped(
                Code::BadPicture,
                format!("{} does not say what kind of picture it is", path.display()),
                "give it a name that ends with .svg or .png",
            )),
        }
    }
}

/// The property to draw: the one asked for by name, else the first that is violated, else the first that has something
/// to show.
fn found<'f, 'a>(
    findings: &'f [Finding<'a>],
    name: Option<&str>,
) -> Result<Option<&'f Finding<'a>>, Failure> {
    let all = || findings.iter();
    let shows = |finding: &&Finding<'_>| finding.story.as_ref().map(|story| story.shows);
    let best = match name {
        Some(name) => {
            let asked = all().find(|finding| finding.name == name);
            Some(asked.ok_or_else(|| no_property(name, findings))?)
        }
        None => all()
            .find(|finding| shows(finding) == Some(Shows::Violation))
            .or_else(|| all().find(|finding| finding.story.is_some()))
            .or_else(|| all().next()),
    };
    if let Some(one) = best.filter(|one| one.story.is_none()) {
        let message = format!(
            "no single order shows the verdict on {}: no cut is drawn",
            one.name
        );
        diagnostics::warning(Code::NoCutDrawn, &message, None);
    }
    Ok(best)
}

fn no_property(name: &str, findings: &[Finding<'_>]) -> Failure {
    let names: Vec<&str> = findings.iter().map(|finding| finding.name).collect();
    Failure::helped(
        Code::NoSuchName,
        format!("there is no property `{name}`"),
        format!("expected one of: {}", names.join(", ")),
    )
}

/// The part of the run that the person wants to see.
fn range(arguments: &Draw, trace: &Trace) -> Result<Range, Failure> {
    if let (Some(from), Some(to)) = (arguments.from, arguments.to)
        && from > to
    {
        return Err(Failure::helped(
            Code::ArgumentsDoNotFit,
            format!("--from {from} comes after --to {to}"),
            "both count the events as they were recorded, from 1",
        ));
    }
    let around = arguments.around.as_deref();
    Ok(Range {
        from: arguments.from,
        to: arguments.to,
        around: around.map(|text| event(text, trace)).transpose()?,
    })
}

/// An event as reports name it: `p1#3`.
fn event(text: &str, trace: &Trace) -> Result<EventId, Failure> {
    let named = text.rsplit_once('#').and_then(|(process, position)| {
        let process = trace.process(process)?;
        trace.order().event(process, position.parse().ok()?)
    });
    named.ok_or_else(|| {
        Failure::helped(
            Code::NoSuchName,
            format!("there is no event `{text}`"),
            "an event is named by its process and its number there, for example a#3",
        )
    })
}

/// Where PNG is not built in, a request for one is refused.
#[cfg(not(feature = "full"))]
mod render {
    use causet_base::Code;

    use crate::failure::Failure;

    pub(super) fn png(_svg: &str) -> Result<Vec<u8>, Failure> {
        Err(Failure::helped(
            Code::BadPicture,
            "this program was built without PNG",
            "give the picture a name that ends with .svg, or build with `cargo build --release --features full`",
        ))
    }
}

/// The picture to where it was asked for.
fn deliver(arguments: &Draw, form: Form, svg: &str) -> Result<(), Failure> {
    let bytes = match form {
        Form::Svg => svg.as_bytes().to_vec(),
        Form::Png => render::png(svg)?,
    };
    match &arguments.output {
        Some(path) => output::to_file(path, |out| out.write_all(&bytes)),
        None => output::to_stdout(&bytes),
    }
}
