//! Parts of the formula's text with the values they have at the cut.

use causet_check::subject::Subject;
use causet_formula::ProcRef;
use causet_formula::lower::{Part, parts};

use super::facts::Facts;
use super::path::Path;
use super::{Asked, Mark};

/// The marks for the instance with these bindings; places count from the beginning of the trimmed text.
pub(super) fn of(
    subject: &Subject<'_>,
    asked: Asked<'_>,
    bindings: &[(String, ProcRef)],
    path: &Path<'_>,
) -> Vec<Mark> {
    let found = parts(asked.property, asked.lets, subject, bindings);
    let facts = Facts::new(path, found.iter().map(|part| &part.pred));
    let text = &asked.property.text;
    let trimmed = text.trim();
    let blanks = text.len() - text.trim_start().len();
    let base = asked.property.span.start as usize + blanks;
    let mark = |part: &Part| {
        let start = (part.span.start as usize).checked_sub(base)?;
        let end = (part.span.end as usize).checked_sub(base)?;
        let counts = path.cut.counts();
        Some(Mark {
            text: trimmed.get(start..end)?.to_owned(),
            start,
            end,
            holds: match path.run.last() {
                Some(&event) => facts.holds_behind(&part.pred, counts, event),
                None => facts.holds(&part.pred, counts),
            },
        })
    };
    found.iter().filter_map(mark).collect()
}
