//! Slices for the page: of the cuts that a property looks for, or of those that satisfy whatever predicate is typed.

use causet::inner as extras;
use causet_base::Code;
use causet_base::Diagnostic;
use causet_check::prepare::prepare;
use causet_check::subject::Subject;
use causet_check::wanted::Wanted;
use causet_formula::{Kind, Lets, Property};
use causet_report::Report;
use serde_json::{Value as Json, json};

use crate::limits::Limits;

/// What is asked for: a property by its place in the report, or a predicate.
#[derive(serde::Deserialize)]
pub(super) struct Asked {
    property: Option<usize>,
    predicate: Option<String>,
}

/// For each property the cuts that it looks for, if it does.
pub(super) fn wanted(report: &Report<'_>) -> Vec<Option<Wanted>> {
    let findings = report.findings.iter();
    findings
        .map(|finding| finding.question.and_then(Wanted::by_property))
        .collect()
}

/// The slice, or what is wrong with the question.
pub(super) fn slice(
    subject: Subject<'_>,
    wanted: &[Option<Wanted>],
    asked: &Asked,
    limits: &Limits,
) -> Json {
    let found = match (&asked.predicate, asked.property) {
        (Some(predicate), _) => typed(subject, predicate),
        (None, Some(property)) => match wanted.get(property) {
            Some(Some(wanted)) => Ok(wanted.clone()),
            _ => Err(Diagnostic::new(
                Code::NoSlice,
                "this property looks for no cuts",
            )),
        },
        (None, None) => Err(Diagnostic::new(
            Code::NothingToCheck,
            "a property or a predicate is expected",
        )),
    };
    match found {
        Ok(wanted) => json!(extras::sliced(subject, &wanted, limits)),
        Err(error) => json!({ "error": error.to_string() }),
    }
}

fn typed(subject: Subject<'_>, predicate: &str) -> Result<Wanted, Diagnostic> {
    let first = |errors: Vec<Diagnostic>| {
        let none = || Diagnostic::new(Code::NotACondition, "this is not a predicate");
        errors.into_iter().next().unwrap_or_else(none)
    };
    let property = Property::parse(Kind::Ctl, "slice", predicate).map_err(first)?;
    let question = prepare(&subject, &property, &Lets::default()).map_err(first)?;
    Ok(Wanted::by_formula(&question))
}

#[cfg(test)]
mod tests {
    use super::*;
    use causet_trace::notation;

    fn asked(predicate: &str) -> Json {
        let trace = notation::parse("a: x=1 x=0\nb: y=1").expect("a drawing");
        let asked = Asked {
            property: None,
            predicate: Some(predicate.to_owned()),
        };
        let limits = Limits::none();
        slice(Subject::of(&trace), &[], &asked, &limits)
    }

    #[test]
    fn a_predicate_has_a_slice() {
        let told = asked("a.x == 1 && b.y == 1");
        assert_eq!((&told["all"], &told["cuts"]), (&json!("6"), &json!("1")));
        assert_eq!(
            (&told["bottom"], &told["top"]),
            (&json!([1, 1]), &json!([1, 1]))
        );
    }

    #[test]
    fn what_is_wrong_is_said() {
        for wrong in ["", "a.x ==", "a.z == 1"] {
            assert!(asked(wrong)["error"].is_string(), "{wrong}");
        }
        assert!(asked("EX a.x == 1")["missing"].is_string());
    }
}
