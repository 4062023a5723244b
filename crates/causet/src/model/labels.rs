//! Labels of a formula that no step of a model has: not a mistake, for a formula may well be about what never happens,
//! but often enough a slip of the pen.

use causet_base::nearest;
use causet_base::{Code, Diagnostic};
use causet_formula::mu::Formula;
use causet_formula::mu::syntax::{Label, LabelKind};
use causet_lts::Labels;

/// So many labels are offered when none is near.
const MOST_OFFERED: usize = 6;

/// A warning for every label of the formula that no step has.
pub(crate) fn unknown(formula: &Formula, labels: &Labels) -> Vec<Diagnostic> {
    let found = formula.root().labels();
    let mut warnings: Vec<Diagnostic> = found.filter_map(|label| warning(label, labels)).collect();
    warnings.sort_by_key(|warning| warning.span);
    warnings.dedup();
    warnings
}

fn warning(label: &Label, labels: &Labels) -> Option<Diagnostic> {
    let all = || (0..labels.len() as u32).map(|number| labels.text(number));
    let (message, near) = match &label.kind {
        LabelKind::Exact(text) if labels.find(text).is_none() => (
            format!("no step is labelled `{text}`"),
            nearest(text, all()),
        ),
        LabelKind::Matches {
            written: name,
            regex,
        }
        | LabelKind::Call { name, regex, .. }
        | LabelKind::Offers {
            gate: name, regex, ..
        } if !all().any(|text| regex.is_match(text)) => {
            ("no step has such a label".to_owned(), nearest(name, all()))
        }
        _ => return None,
    };
    let help = match near {
        Some(near) => format!("did you mean \"{near}\"?"),
        None => {
            let more = if labels.len() > MOST_OFFERED {
                ", ..."
            } else {
                ""
            };
            let some: Vec<&str> = all().take(MOST_OFFERED).collect();
            format!("the labels are {}{more}", some.join(", "))
        }
    };
    let warning =
        Diagnostic::at(Code::UnknownLabel, label.span, message).with_label("matches no step");
    Some(warning.with_help(help))
}
