//! What a finding says in one line of plain text, for SARIF and JUnit: the sentence of the text report, or, of an unknown
//! verdict, its reason and what to do about it.

use causet_check::outcome::Verdict;

use super::words::{capitalised, clean, one_line};
use super::{About, Finding, Report, text};

/// What is done about a log with holes.
const FILL_HOLES: &str = "For a verdict, check a log that has them.";

/// What follows the verdict and the formula, or the reason, in such a line; it ends without a full stop.
pub(crate) fn message(report: &Report<'_>, finding: &Finding<'_>) -> Option<String> {
    let message = match finding.verdict {
        Verdict::Unknown(spent) => text::advice(spent, report),
        Verdict::Doubtful => format!("{}. {FILL_HOLES}", capitalised(finding.notes.first()?)),
        Verdict::Holds | Verdict::Violated => shown(report, finding)?,
    };
    // On a terminal a table follows what ends with a colon.
    let message = clean(&one_line(&message));
    Some(message.trim_end_matches(['.', ':']).to_owned())
}

/// What shows the verdict.
fn shown(report: &Report<'_>, finding: &Finding<'_>) -> Option<String> {
    let has_run = matches!(
        report.about,
        About::Run {
            subject: Some(_),
            ..
        }
    );
    let has_no_order = has_run && finding.witness.is_none() && finding.witness_spent.is_none();
    match (&finding.story, &finding.claim) {
        (Some(story), _) => Some(format!("In short: {}", story.sentence)),
        (None, Some(claim)) => Some(claim.clone()),
        (None, None) if has_no_order => Some(text::NO_SINGLE_ORDER.to_owned()),
        (None, None) => finding.sentence().or(finding.notes.first().cloned()),
    }
}
