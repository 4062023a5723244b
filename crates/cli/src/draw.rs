//! `causet draw`: a run as a picture, with the cut that shows a verdict drawn across it.
//!
//! ```text
//! input --> formats::logs::read --> check::decide --> report::story --> report::picture --> SVG --render--> PNG
//! ```

#[cfg(feature = "full")]
mod render;

use std::path::Path;

use causet_base::Code;
use causet_check::decide::decide;
use causet_check::outcome::Outcome;
use causet_check::plan::Choice as Engines;
use causet_check::prepare::{Question, prepare_all};
use causet_check::subject::Subject;
use causet_report::picture::{Choice, Layout, Picture, Range, Theme, Told, svg};
use causet_report::story::{self, Shows, Story};
use causet_trace::{EventId, Trace};

use crate::cli::draw::{Colours, Draw};
use crate::diagnostics;
use crate::failure::{Failure, Status};
use crate::input;
use crate::limits::{self, Limits};
use crate::output;
use crate::properties::{self, Asked, Properties};

/// Runs the command.
pub(crate) fn run(arguments: &Draw) -> Result<Status, Failure> {
    let form = Form::of(arguments.output.as_deref())?;
    let properties = properties::read_sound(&arguments.asked.0)?;
    limits::listen_for_interrupt();
    let limits = limits::limits(arguments.timeout, arguments.memory);
    let Some(reading) = input::read_whole(&input::find(&arguments.source)?, &limits)? else {
        return Ok(Status::Unknown);
    };
    let subject = Subject {
        trace: &reading.trace,
        parts: &reading.parts,
    };
    let range = range(arguments, &reading.trace)?;
    let found = found(arguments, &properties, subject, &limits)?;
    let title = found.as_ref().map(Found::title);
    let picture = Picture {
        trace: &reading.trace,
        told: found
            .as_ref()
            .zip(title.as_deref())
            .map(|(found, title)| Told {
                title,
                story: found.story.as_ref(),
            }),
    };
    let layout = Layout::of(&picture, &Choice::of(&picture, range));
    let theme = match arguments.theme {
        Colours::Light => Theme::Light,
        Colours::Dark => Theme::Dark,
    };
    deliver(arguments, form, &svg::text(&layout, theme))?;
    Ok(Status::Fine)
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

/// A property that was decided.
struct Found<'a> {
    asked: &'a Asked,
    outcome: Outcome,
    story: Option<Story>,
}

impl Found<'_> {
    /// The line over the picture.
    fn title(&self) -> String {
        let Asked { property, .. } = self.asked;
        let (name, verdict) = (&property.name, self.outcome.verdict.word());
        format!("{name}: {} ({verdict})", self.asked.shown())
    }

    fn is_violation(&self) -> bool {
        let shows = self.story.as_ref().map(|story| story.shows);
        shows == Some(Shows::Violation)
    }
}

/// The property to draw: the one asked for by name, else the first that is violated, else the first that has something
/// to show.
fn found<'a>(
    arguments: &Draw,
    properties: &'a Properties,
    subject: Subject<'_>,
    limits: &Limits,
) -> Result<Option<Found<'a>>, Failure> {
    let (_, questions) = prepare_all(subject, &properties.bare(), 1);
    let questions = properties.accept(questions, |message| limits.tell(message))?;
    let mut best: Option<Found<'a>> = None;
    for (asked, question) in properties.all().iter().zip(&questions) {
        let is_wanted = |name: &String| *name == asked.property.name;
        if !arguments.property.as_ref().is_none_or(is_wanted) {
            continue;
        }
        let one = decided(asked, question, subject, limits)?;
        let is_better = |best: &Found<'_>| best.story.is_none() && one.story.is_some();
        if one.is_violation() {
            return Ok(Some(one));
        }
        if best.as_ref().is_none_or(is_better) {
            best = Some(one);
        }
    }
    if let (Some(name), None) = (&arguments.property, &best) {
        let names = properties.all().iter();
        let names: Vec<&str> = names.map(|asked| asked.property.name.as_str()).collect();
        return Err(Failure::helped(
            Code::NoSuchName,
            format!("there is no property `{name}`"),
            format!("expected one of: {}", names.join(", ")),
        ));
    }
    if let Some(one) = best.as_ref().filter(|one| one.story.is_none()) {
        let name = &one.asked.property.name;
        let message = format!("no single order shows the verdict on {name}: no cut is drawn");
        diagnostics::warning(Code::NoCutDrawn, &message, None);
    }
    Ok(best)
}

fn decided<'a>(
    asked: &'a Asked,
    question: &Question,
    subject: Subject<'_>,
    limits: &Limits,
) -> Result<Found<'a>, Failure> {
    let outcome = decide(&subject, question, Engines::Auto, &limits.budget())
        .map_err(|failure| Failure::Internal(failure.to_string()))?;
    let told = story::Asked {
        property: &asked.property,
        lets: &asked.lets,
        question,
    };
    let limits = limits.for_report();
    let story = Story::of(subject, told, &outcome, &limits.budget());
    Ok(Found {
        asked,
        outcome,
        story,
    })
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

/// Where PNG is not built in, whoever asks for one is told so.
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
