//! Parts of the formula's text with the values they have at the cut, where these are known.

use causet_check::subject::Subject;
use causet_formula::ProcRef;
use causet_formula::core::Pred;
use causet_formula::lower::{Part, Says, parts};

use super::onward::Onward;
use super::path::Path;
use super::{Asked, Mark};

/// The parts of a property that may have a value at a cut.
pub(super) struct Parts(Vec<Part>);

/// The parts of the instance with these bindings.
pub(super) fn parts_of(
    subject: &Subject<'_>,
    asked: Asked<'_>,
    bindings: &[(String, ProcRef)],
) -> Parts {
    Parts(parts(asked.property, asked.lets, subject, bindings))
}

impl Parts {
    /// The predicates they are made of.
    pub(super) fn preds(&self) -> Vec<&Pred> {
        let mut preds: Vec<&Pred> = Vec::new();
        for part in &self.0 {
            match &part.says {
                Says::State(pred) => preds.push(pred),
                Says::Ctl(formula) => preds.extend(formula.preds()),
                Says::Ltl(formula) => preds.extend(formula.states()),
            }
        }
        preds
    }

    /// The marks; places count from the beginning of the trimmed text.
    pub(super) fn marks(&self, asked: Asked<'_>, path: &Path<'_>) -> Vec<Mark> {
        let onward = Onward::of(path, self.preds());
        let text = &asked.property.text;
        let trimmed = text.trim();
        let blanks = text.len() - text.trim_start().len();
        let base = asked.property.span.start as usize + blanks;
        let mark = |part: &Part| {
            let start = (part.span.start as usize).checked_sub(base)?;
            let end = (part.span.end as usize).checked_sub(base)?;
            Some(Mark {
                text: trimmed.get(start..end)?.to_owned(),
                start,
                end,
                holds: onward.value(&part.says)?,
            })
        };
        self.0.iter().filter_map(mark).collect()
    }
}
