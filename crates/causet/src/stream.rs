//! A run that is checked while it is read: the files are read twice, and the run is never kept.
//!
//! ```text
//! input --formats::native::stream--> check::stream::Outline --> questions, goals
//!       --formats::native::stream--> check::stream::Checker --> outcomes
//! ```

use std::rc::Rc;
use std::time::Instant;

use causet_base::budget::Spent;
use causet_base::{Code, Diagnostic};
use causet_check::outcome::Outcome;
use causet_check::prepare::Question;
use causet_check::stream::{Checker, Ending, Goals, Outline};
use causet_formats::logs::Format;
use causet_report::Size;

use crate::failure::Failure;
use crate::input::{Input, NotRead};
use crate::limits::Limits;
use crate::message::Message;
use crate::properties::Properties;

/// What was found out, as far as the limits allowed.
#[derive(Default)]
pub(crate) struct Streamed {
    /// How large the run is, once it has been read to the end.
    pub(crate) size: Option<Size>,
    /// How long the first reading took.
    pub(crate) read_seconds: f64,
    /// How long the second took.
    pub(crate) check_seconds: f64,
    /// One answer per property, where there is one, or no answers.
    pub(crate) answers: Vec<Option<(Question, Outcome)>>,
    /// The limit that ended the work.
    pub(crate) stopped: Option<Spent>,
}

/// Reads and checks; what is wrong is told.
pub(crate) fn check(
    input: &Input,
    properties: &Properties,
    limits: &Limits,
) -> Result<Streamed, Failure> {
    let mut streamed = Streamed::default();
    match pass_twice(input, properties, limits, &mut streamed) {
        Ok(()) => Ok(streamed),
        Err(NotRead::Failed(failure)) => Err(failure),
        Err(NotRead::Stopped(_)) if !properties.errors.is_empty() => Err(Failure::Told),
        Err(NotRead::Stopped(spent)) => {
            streamed.stopped = Some(spent);
            Ok(streamed)
        }
    }
}

fn pass_twice(
    input: &Input,
    properties: &Properties,
    limits: &Limits,
    streamed: &mut Streamed,
) -> Result<(), NotRead> {
    let parts = input.part_names().ok_or_else(read_once)?;
    if !input.can_be_read_twice() {
        return Err(read_once().into());
    }
    let others = input.format().filter(|format| format.name != "native");
    if let Some(format) = others {
        return Err(other_format(&input.path, format).into());
    }
    let start = Instant::now();
    let mut outline = Outline::new(parts);
    let read = limits.within_half(|| input.stream("reading", limits, &mut outline));
    streamed.read_seconds = start.elapsed().as_secs_f64();
    match read {
        Err(NotRead::Stopped(Spent::Time)) if properties.errors.is_empty() => {
            return pass_beginning(input, properties, limits, outline, streamed);
        }
        read => read?,
    }
    outline.finish().map_err(|error| input.refuse(&error))?;
    if outline.events() == 0 && outline.process_count() == 0 {
        return Err(input.without_events("native").into());
    }
    streamed.size = Some(Size {
        processes: outline.process_count(),
        events: outline.events() as usize,
        messages: outline.messages() as usize,
    });
    let questions = outline.prepare(&properties.bare());
    let questions = properties.accept(questions, |message| limits.tell(message))?;
    let budget = limits.budget();
    let goals = Goals::new(&outline, &questions, &budget);
    refuse_goals(&goals, properties, limits)?;
    let start = Instant::now();
    let checker = Checker::new(Rc::new(outline), goals, &budget);
    let mut checker = checker.map_err(|error| Failure::Internal(error.to_string()))?;
    match input.stream("checking", limits, &mut checker) {
        Err(NotRead::Stopped(spent)) => checker.stop(spent),
        passed => passed?,
    }
    let all: Vec<usize> = (0..questions.len()).collect();
    let outcomes = outcomes(checker, input, (properties, &all), limits)?;
    streamed.check_seconds = start.elapsed().as_secs_f64();
    streamed.answers = questions.into_iter().zip(outcomes).map(Some).collect();
    Ok(())
}

/// The first reading has spent its half of the time, so no second one could come to the end: what was read is taken for
/// the beginning of a run that goes on, and what that shows is certain.
fn pass_beginning(
    input: &Input,
    properties: &Properties,
    limits: &Limits,
    mut outline: Outline,
    streamed: &mut Streamed,
) -> Result<(), NotRead> {
    let outline = outline.going_on();
    let read = outline.events();
    let bare = properties.bare();
    let (mut followed, mut questions) = (Vec::new(), Vec::new());
    for (number, (property, lets)) in bare.iter().enumerate() {
        // A name that has not turned up may stand in the part that was not read.
        let Ok(question) = outline.bind(property, lets) else {
            continue;
        };
        let question = vec![question];
        if Goals::new(&outline, &question, &limits.budget())
            .refusal(0)
            .is_none()
        {
            followed.push(number);
            questions.extend(question);
        }
    }
    let start = Instant::now();
    let budget = limits.budget();
    let goals = Goals::new(&outline, &questions, &budget);
    let checker = Checker::new(Rc::new(outline), goals, &budget);
    let mut checker = checker.map_err(|error| Failure::Internal(error.to_string()))?;
    // Some of the time is left to say so.
    match limits.within_half(|| input.stream("checking", limits, &mut checker)) {
        Err(NotRead::Stopped(_)) => {}
        passed => passed?,
    }
    checker.stop(Spent::Time);
    let outcomes = outcomes(checker, input, (properties, &followed), limits)?;
    streamed.check_seconds = start.elapsed().as_secs_f64();
    streamed.answers.resize_with(bare.len(), || None);
    for ((number, question), mut outcome) in followed.into_iter().zip(questions).zip(outcomes) {
        outcome.notes.push(format!(
            "{read} events were read before half of the time was spent"
        ));
        streamed.answers[number] = Some((question, outcome));
    }
    streamed.stopped = Some(Spent::Time);
    Ok(())
}

/// What was found out; properties without a meaning are refused, where `numbers` says which each question is of.
fn outcomes(
    checker: Checker<'_>,
    input: &Input,
    (properties, numbers): (&Properties, &[usize]),
    limits: &Limits,
) -> Result<Vec<Outcome>, NotRead> {
    match checker.finish().map_err(|error| input.refuse(&error))? {
        Ending::Decided(outcomes) => Ok(outcomes),
        Ending::Refused(errors) => {
            for (question, error) in &errors {
                let asked = &properties.all[numbers[*question]];
                limits.tell(Message::in_formula(&asked.source, error));
            }
            Err(Failure::Told.into())
        }
    }
}

/// Tells which properties cannot be decided in passing.
fn refuse_goals(goals: &Goals, properties: &Properties, limits: &Limits) -> Result<(), Failure> {
    let mut refused = false;
    for (number, asked) in properties.all.iter().enumerate() {
        if let Some(reason) = goals.refusal(number) {
            let name = &asked.property.name;
            let message = format!("{name} cannot be decided while the run is read: {reason}");
            let refusal = Diagnostic::new(Code::StreamRefuses, message);
            limits.tell(refusal.with_help("check it without --stream"));
            refused = true;
        }
    }
    match refused {
        true => Err(Failure::Told),
        false => Ok(()),
    }
}

fn other_format(path: &str, format: &Format) -> Failure {
    Failure::helped(
        Code::StreamRefuses,
        format!(
            "--stream reads Causet JSON lines, and {path} is in the format `{}`, {}",
            format.name, format.title
        ),
        "convert it first with `causet convert --to jsonl -o run.jsonl`, or check without --stream",
    )
}

fn read_once() -> Failure {
    Failure::helped(
        Code::StreamRefuses,
        "--stream reads the run twice; standard input and pipes can be read only once",
        "write the run to a file first, or check without --stream",
    )
}
