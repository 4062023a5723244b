//! What every input must go through without a panic, shared by the fuzz targets and by a short run in the tests.
//!
//! Each function takes anything at all. It may refuse it, but then it must say where and why, and what it accepts must
//! survive being written and read again.

use causet_check::prepare::prepare;
use causet_check::subject::Subject;
use causet_formula::{FormulaError, Kind, Lets, Property, PropertyFile};
use causet_trace::{Trace, notation};
use causet_wire::native::{self, Part, ReadOptions};
use causet_wire::{ReadError, locate};

/// Any text as a drawing: read or refused; what was read can be drawn, and its races and its width have an end.
pub fn drawing(text: &str) {
    if let Ok(run) = notation::parse(text) {
        let _ = notation::draw(&run);
        let _ = run.races(10);
        let _ = run.order().width(&|| true);
    }
}

/// Any bytes as a trace: read, or refused with a span inside the line shown; the same for any number of workers.
pub fn reader(bytes: &[u8]) {
    for lenient in [false, true] {
        let one = outcome(bytes, lenient, 1);
        assert_eq!(one, outcome(bytes, lenient, 3), "workers matter");
    }
}

/// What came of it, in words; a trace that was read is written and must be read again.
fn outcome(bytes: &[u8], lenient: bool, workers: usize) -> String {
    let options = ReadOptions { lenient, workers };
    match native::read(vec![Part::new("input", bytes)], &options, &()) {
        Ok(reading) => {
            let mut text = Vec::new();
            native::write(&reading.trace, &mut text).expect("memory can be written");
            if !lenient {
                let again = native::read(vec![Part::new("again", &text[..])], &options, &());
                assert!(again.is_ok(), "{:?}", String::from_utf8_lossy(&text));
            }
            String::from_utf8_lossy(&text).into_owned()
        }
        Err(ReadError::Fault(problem)) => {
            let shown = problem.text.get(problem.span.clone());
            assert!(shown.is_some(), "{problem:?}");
            problem.to_string()
        }
        Err(ReadError::Late { error, parts }) => {
            let line = native::nth_line(bytes, error.place.line).expect("memory can be read");
            let problem = locate(&error, &parts, line.as_deref());
            let shown = problem.text.get(problem.span.clone());
            assert!(shown.is_some(), "{problem:?}");
            problem.to_string()
        }
        Err(other) => other.to_string(),
    }
}

/// Any text as a formula of every kind and as a property file: accepted, or refused with spans inside the text.
pub fn formula(text: &str) {
    let run = sample_run();
    let subject = Subject::of(&run);
    for kind in [
        Kind::Ctl,
        Kind::Possibly,
        Kind::Definitely,
        Kind::Ltl,
        Kind::Mu,
    ] {
        let property = Property::parse(kind, "input", text);
        let prepared = property.and_then(|property| prepare(&subject, &property, &Lets::none()));
        lies_inside(prepared.err(), text);
    }
    match PropertyFile::parse(text) {
        Ok(file) => {
            for property in &file.properties {
                lies_inside(prepare(&subject, property, &file.lets).err(), text);
            }
        }
        Err(errors) => lies_inside(Some(errors), text),
    }
}

/// A run with a name of every kind, for formulas to speak about.
fn sample_run() -> Trace {
    let drawing = "shared s
         init p1.st=idle
         p1: x=1,m!p2  s=2   st=crit
         p2: x=2       m?    st=idle,flag=true";
    notation::parse(drawing).expect("a drawing")
}

fn lies_inside(errors: Option<Vec<FormulaError>>, text: &str) {
    let Some(errors) = errors else { return };
    assert!(!errors.is_empty(), "refused without a reason");
    for error in errors {
        let span = error.span.start as usize..error.span.end as usize;
        assert!(text.get(span).is_some(), "{error:?} lies outside {text:?}");
    }
}
