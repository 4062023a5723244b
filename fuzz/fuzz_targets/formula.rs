//! Any text as a formula and as a property file: parsed or refused with spans inside the text, never a panic.

#![no_main]

use causet_check::prepare::prepare;
use causet_check::subject::Subject;
use causet_formula::{FormulaError, Kind, Lets, Property, PropertyFile};
use causet_trace::{Trace, notation};
use libfuzzer_sys::fuzz_target;

thread_local! {
    static RUN: Trace = notation::parse(
        "shared s
         init p1.st=idle
         p1: x=1,m!p2  s=2   st=crit
         p2: x=2       m?    st=idle,flag=true",
    )
    .expect("a drawing");
}

fuzz_target!(|text: &str| {
    RUN.with(|run| {
        let subject = Subject::of(run);
        for kind in [Kind::Ctl, Kind::Possibly, Kind::Definitely, Kind::Ltl, Kind::Mu] {
            match Property::parse(kind, "fuzzed", text) {
                Ok(property) => {
                    if let Err(errors) = prepare(&subject, &property, &Lets::none()) {
                        inside(&errors, text);
                    }
                }
                Err(errors) => inside(&errors, text),
            }
        }
        match PropertyFile::parse(text) {
            Ok(file) => {
                for property in &file.properties {
                    if let Err(errors) = prepare(&subject, property, &file.lets) {
                        inside(&errors, text);
                    }
                }
            }
            Err(errors) => inside(&errors, text),
        }
    });
});

fn inside(errors: &[FormulaError], text: &str) {
    assert!(!errors.is_empty(), "refused without a reason");
    for error in errors {
        let (start, end) = (error.span.start as usize, error.span.end as usize);
        assert!(text.get(start..end).is_some(), "{error:?} lies outside {text:?}");
    }
}
