//! What became of test cases, for a person, for a build and as JSON.

use std::path::Path;

use causet_drive::record::{Step, labels};
use causet_drive::run::Ran;
use causet_drive::system::Trouble;
use causet_lts::conformance::graph::Verdict;
use causet_report::SCHEMA;
use causet_report::junit::{End, Tested};
use causet_report::words::{clean, count};
use serde_json::{Value, json};

use super::run::Done;
use crate::lts::trace_text::{after, listed, spoken};

/// All that were run, of so many.
pub(super) fn sentences(done: &[Done<'_>], of: usize, has_spec: bool) -> String {
    let mut text: String = done.iter().map(|done| sentence(done, has_spec)).collect();
    let tally = Verdict::ALL.map(|verdict| {
        let same = done.iter().filter(|done| done.ran.verdict == verdict);
        same.count()
    });
    let run = match done.len() == of {
        true => count(of, "test case"),
        false => format!("{} of {}", done.len(), count(of, "test case")),
    };
    text += &format!(
        "{run}: {} passed, {} inconclusive, {} failed\n",
        tally[0], tally[1], tally[2]
    );
    text
}

fn sentence(done: &Done<'_>, has_spec: bool) -> String {
    let ran = &done.ran;
    let name = clean(&done.path.display().to_string());
    let verdict = ran.verdict.word();
    match ran.verdict {
        Verdict::Pass => {
            let said: Vec<String> = labels(&ran.steps)
                .iter()
                .map(|label| spoken(label))
                .collect();
            format!("{verdict}  {name}  {}\n", said.join(", "))
        }
        _ => format!("{verdict}  {name}\n\n{}\n", reason(ran, has_spec)),
    }
}

/// What happened at the end of a case that did not pass.
fn reason(ran: &Ran, has_spec: bool) -> String {
    if ran.went_round {
        return format!("  It {}.\n", went_round(ran));
    }
    // What came early is not the last step.
    let (before, did) = match ran.steps.split_last() {
        Some((last, before)) if Some(last) == ran.last.as_ref() => (before, "the program did"),
        _ => (ran.steps.as_slice(), "the program had done"),
    };
    let mut lines = Vec::new();
    if let Some(last) = &ran.last {
        lines.push((did, spoken(last.label().unwrap_or_default())));
    }
    let wanted = match (ran.verdict, has_spec) {
        (Verdict::Fail, true) => "the specification allows",
        (Verdict::Fail, false) => "the test case allows",
        _ => "the test goes on with",
    };
    if ran.last.is_some() && ran.claimed != Verdict::Pass {
        lines.push((wanted, listed(&ran.allowed)));
    }
    let width = lines.iter().map(|(words, _)| words.len()).max();
    let width = width.unwrap_or_default();
    let lines = lines
        .iter()
        .map(|(words, labels)| format!("    {words:width$}  {labels}\n"));
    let lines: String = lines.collect();
    let doubt = doubt(ran, has_spec).map(|doubt| format!("\n  {doubt}\n"));
    format!(
        "  {}:\n\n{lines}{}",
        after(&labels(before)),
        doubt.unwrap_or_default()
    )
}

fn went_round(ran: &Ran) -> String {
    format!("went round for {}", count(ran.steps.len(), "step"))
}

/// Why the verdict is not the one of the case.
fn doubt(ran: &Ran, has_spec: bool) -> Option<&'static str> {
    if ran.verdict == ran.claimed {
        return None;
    }
    Some(match (ran.claimed, has_spec) {
        (Verdict::Pass, _) if !ran.crossed => {
            "The test case would pass, but the specification does not allow this order: something was on its way."
        }
        (Verdict::Pass, true) => {
            "The test case would pass, but an output came before a stimulus was sent, and not in answer to it."
        }
        (Verdict::Pass, false) => {
            "The test case would pass, but an output came before a stimulus was sent, and not in answer to it.\n  \
             With --spec SPEC it is known whether the specification allows that."
        }
        (_, true) => {
            "The test case would fail, but the specification allows this: something may have been on its way."
        }
        (_, false) => {
            "The test case would fail, but an output came before a stimulus was sent, so the program may be right.\n  \
             With --spec SPEC it is known whether the specification allows that."
        }
    })
}

/// One case, for the report of a build.
pub(super) fn tested(done: &Done<'_>, has_spec: bool) -> Tested {
    let ran = &done.ran;
    let last = ran.last.as_ref().or(ran.steps.last());
    let last = spoken(last.and_then(Step::label).unwrap_or_default());
    let doubt = doubt(ran, has_spec).and_then(|doubt| doubt.lines().next());
    Tested {
        name: done.path.display().to_string(),
        seconds: done.seconds,
        end: match (ran.verdict, doubt) {
            (Verdict::Pass, _) => End::Passed,
            (Verdict::Fail, _) => {
                End::Failed(format!("the program did {last}"), reason(ran, has_spec))
            }
            (_, Some(doubt)) => End::Undecided(format!("inconclusive: {doubt}")),
            _ if ran.went_round => End::Undecided(format!("inconclusive: it {}", went_round(ran))),
            _ => End::Undecided(format!("inconclusive: the program did {last}")),
        },
    }
}

/// All that were run, as one object.
pub(super) fn object(done: &[Done<'_>], spec: Option<&Path>, trouble: Option<&Trouble>) -> Value {
    let cases = done.iter().map(|done| {
        let ran = &done.ran;
        json!({
            "case": done.path.display().to_string(),
            "verdict": ran.verdict.word(),
            "claimed": ran.claimed.word(),
            "trace": labels(&ran.steps),
            "last": ran.last.as_ref().and_then(Step::label),
            "allowed": ran.allowed,
            "crossed": ran.crossed,
            "went_round": ran.went_round,
            "seconds": done.seconds,
        })
    });
    json!({
        "causet": env!("CARGO_PKG_VERSION"),
        "schema": SCHEMA,
        "specification": spec.map(|path| path.display().to_string()),
        "cases": cases.collect::<Vec<Value>>(),
        "error": trouble.map(ToString::to_string),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A case that passes, but for an answer that came before its question.
    fn crossed(claimed: Verdict) -> Ran {
        let [x, y, a] = ["!x", "!y", "?a"].map(str::to_owned);
        Ran {
            verdict: Verdict::Inconclusive,
            claimed,
            steps: vec![Step::Saw(x), Step::Saw(y.clone()), Step::Sent(a)],
            last: Some(Step::Saw(y)),
            allowed: [].into(),
            crossed: true,
            went_round: false,
        }
    }

    #[test]
    fn what_crossed_is_told_in_its_order_and_the_way_out_is_named() {
        let text = reason(&crossed(Verdict::Pass), false);
        let begin = "  After 3 steps (!x, !y, ?a):\n\n    the program had done  !y\n\n  The test case would pass, but";
        assert!(text.starts_with(begin), "{text}");
        assert!(text.contains("--spec SPEC"), "{text}");
        let text = reason(&crossed(Verdict::Fail), false);
        assert!(text.contains("would fail") && text.contains("--spec SPEC"));
        assert!(text.contains("    the test goes on with  none\n"), "{text}");
        let text = reason(&crossed(Verdict::Pass), true);
        assert!(text.contains("before a stimulus was sent") && !text.contains("--spec"));
    }

    #[test]
    fn who_goes_round_is_told_how_long() {
        let round = Ran {
            went_round: true,
            claimed: Verdict::Inconclusive,
            ..crossed(Verdict::Pass)
        };
        assert_eq!(reason(&round, true), "  It went round for 3 steps.\n");
    }
}
