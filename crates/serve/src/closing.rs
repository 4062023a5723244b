//! The last word on a run: what could not be told while it went on is decided on its journal, like any recorded run.

use std::collections::BTreeMap;
use std::path::Path;

use causet_check::decide::decide;
use causet_check::outcome::Verdict;
use causet_check::plan::Choice;
use causet_check::prepare::prepare;
use causet_check::stream::Last;
use causet_check::subject::Subject;
use causet_formula::{Lets, Property};
use causet_solve::budget::Budget;
use causet_wire::native::{self, Part, ReadOptions, Reading};

use crate::keeping::write_down;
use crate::run::{Closed, News};

/// Tells the last word on every property that was not certain before.
pub(crate) fn close(closed: &Closed, tell: &dyn Fn(&News)) {
    let is_open = |last: &Last| matches!(last, Last::Open);
    let reading = match closed.last.iter().any(is_open) {
        true => Some(read(closed)),
        false => None,
    };
    for (last, (property, lets)) in closed.last.iter().zip(closed.asked.properties.iter()) {
        let (verdict, reason) = match (last, &reading) {
            (Last::Certain(_), _) => continue,
            (Last::Decided(outcome), _) => (outcome.verdict.word(), outcome.verdict.reason()),
            (Last::Open, Some(Ok(reading))) => recorded(reading, property, lets),
            (Last::Open, Some(Err(error))) => ("refused", Some(error.clone())),
            (Last::Open, None) => continue,
        };
        let news = News {
            run: closed.name.clone(),
            property: property.name.clone(),
            verdict,
            certain: false,
            reason,
            at: BTreeMap::new(),
            events: closed.events,
        };
        self::tell(closed.keeping.folder(), &news, tell);
    }
}

fn read(closed: &Closed) -> Result<Reading, String> {
    let journal = closed.keeping.read().map_err(|error| error.to_string())?;
    let part = Part::new(&closed.name, journal);
    native::read(vec![part], &ReadOptions::default(), &()).map_err(|error| error.to_string())
}

/// The verdict on a recorded run, or why there is none.
fn recorded(reading: &Reading, property: &Property, lets: &Lets) -> (&'static str, Option<String>) {
    let subject = Subject::of(&reading.trace);
    let question = match prepare(&subject, property, lets) {
        Ok(question) => question,
        Err(errors) => {
            let first = errors.into_iter().next().map(|error| error.message);
            return ("refused", first);
        }
    };
    match decide(&subject, &question, Choice::Auto, &Budget::endless()) {
        Ok(outcome) => (outcome.verdict.word(), outcome.verdict.reason()),
        Err(failure) => (Verdict::Doubtful.word(), Some(failure.to_string())),
    }
}

/// News as a line of JSON.
fn line(news: &News) -> String {
    let mut line = serde_json::to_string(news).unwrap_or_default();
    line.push('\n');
    line
}

/// Tells news, and notes that they were told. What cannot be noted is told all the same, and again after a restart.
pub(crate) fn tell(folder: &Path, news: &News, tell: &dyn Fn(&News)) {
    let _ = write_down(folder, &line(news));
    tell(news);
}
