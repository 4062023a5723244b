//! Cuts a document into the reports of all its traces, see [`elements`](super::super::elements).
//!
//! ```text
//! [ { "id" : ... , "reports" : [ REPORT , REPORT ] , ... } , ... ]
//! ```
//!
//! What is no report is little, and parsed on the way.

use serde::de::IgnoredAny;

use super::super::elements::{Cursor, Cut, Element};
use super::super::json::Key;
use super::fields::REPORTS;

/// The reports of a document, one after the other.
#[derive(Clone, Copy, Default)]
pub(super) struct Reports(Place);

/// What comes next.
#[derive(Clone, Copy, Default)]
enum Place {
    #[default]
    Document,
    Trace,
    /// A member of a trace that has had reports, or not yet.
    Member {
        has_reports: bool,
    },
    Report,
    End,
}

impl Cut for Reports {
    fn cut<'t>(&mut self, cursor: &mut Cursor<'t>) -> Option<Option<Element<'t>>> {
        loop {
            self.0 = match self.0 {
                Place::Document => document(cursor)?,
                Place::Trace => trace(cursor)?,
                Place::Member { has_reports } => member(cursor, has_reports)?,
                Place::Report => {
                    let report = cursor.element();
                    self.0 = behind_report(cursor)?;
                    return Some(Some(report));
                }
                Place::End => return cursor.next_byte().is_none().then_some(None),
            };
        }
    }
}

fn document(cursor: &mut Cursor<'_>) -> Option<Place> {
    cursor.pass(b'[').then(|| match cursor.pass(b']') {
        true => Place::End,
        false => Place::Trace,
    })
}

/// A trace without members has no reports.
fn trace(cursor: &mut Cursor<'_>) -> Option<Place> {
    let has_reports = false;
    let is_object = cursor.pass(b'{');
    is_object.then_some(Place::Member { has_reports })
}

fn member(cursor: &mut Cursor<'_>, has_reports: bool) -> Option<Place> {
    let Key(name) = serde_json::from_str(cursor.quoted()?).ok()?;
    if !cursor.pass(b':') {
        return None;
    }
    if name == REPORTS {
        return reports(cursor);
    }
    cursor.next_byte();
    let (_, value) = cursor.element();
    serde_json::from_str::<IgnoredAny>(value).ok()?;
    behind_member(cursor, has_reports)
}

fn reports(cursor: &mut Cursor<'_>) -> Option<Place> {
    if !cursor.pass(b'[') {
        return None;
    }
    match cursor.pass(b']') {
        true => behind_member(cursor, true),
        false => {
            cursor.next_byte();
            Some(Place::Report)
        }
    }
}

fn behind_report(cursor: &mut Cursor<'_>) -> Option<Place> {
    match cursor.pass(b',') {
        true => {
            cursor.next_byte();
            Some(Place::Report)
        }
        false if cursor.pass(b']') => behind_member(cursor, true),
        false => None,
    }
}

fn behind_member(cursor: &mut Cursor<'_>, has_reports: bool) -> Option<Place> {
    if cursor.pass(b',') {
        return Some(Place::Member { has_reports });
    }
    if !has_reports || !cursor.pass(b'}') {
        return None;
    }
    match cursor.pass(b',') {
        true => Some(Place::Trace),
        false => cursor.pass(b']').then_some(Place::End),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fields::check;
    use super::*;

    fn cut(text: &str) -> Option<Vec<Element<'_>>> {
        let (mut reports, mut cursor) = (Reports::default(), Cursor::new(text));
        let mut found = Vec::new();
        while let Some(report) = reports.cut(&mut cursor)? {
            found.push(report);
        }
        Some(found)
    }

    #[test]
    fn reports_of_all_traces_are_cut() {
        let text = "[{\"id\":[\"]\"],\n\"reports\" : [ {\"a\":[]},\n{} ]}, {\"reports\":[],\"r\\u0065ports\":\n[{\"b\":1}],\"x\":0}]";
        let reports = cut(text).expect("it is a document");
        assert_eq!(reports, [(2, "{\"a\":[]}"), (3, "{} "), (4, "{\"b\":1}")]);
        assert_eq!(cut(" [ ]\n"), Some(Vec::new()));
    }

    #[test]
    fn what_is_no_document_of_traces_is_not_cut() {
        for text in [
            "",
            "[",
            "{}",
            "[{}]",
            "[{\"id\":1}]",
            "[{\"reports\":{}}]",
            "[{\"reports\":[]]",
            "[{\"reports\":[]}",
            "[{\"reports\":[]},]",
            "[{\"reports\":[],}]",
            "[{\"reports\":[]}]]",
            "[{\"id\":tru,\"reports\":[]}]",
            "[{\"id\":1 2,\"reports\":[]}]",
            "[{\"id\",\"reports\":[]}]",
            "[{\"reports\":[]} {\"reports\":[]}]",
        ] {
            assert_eq!(cut(text), None, "{text}");
            assert!(check(text).is_err(), "{text}");
        }
    }
}
