//! Cuts a document into the reports of all its traces, see [`elements`](super::super::elements).
//!
//! ```text
//! [ { "id" : ... , "reports" : [ REPORT , REPORT ] , ... } , ... ]
//! ```
//!
//! What is no report is little, and parsed on the way.

use serde::de::IgnoredAny;

use super::super::elements::{Cursor, Element};
use super::super::json::Key;
use super::super::trouble::Trouble;
use super::fields::REPORTS;

/// The reports of a document, one after the other.
pub(super) struct Reports<'t> {
    cursor: Cursor<'t>,
    place: Place,
}

/// What comes next.
#[derive(Clone, Copy)]
enum Place {
    Document,
    Trace,
    /// A member of a trace that has had reports, or not yet.
    Member {
        has_reports: bool,
    },
    Report,
    End,
}

impl<'t> Reports<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        Reports {
            cursor: Cursor::new(text),
            place: Place::Document,
        }
    }

    /// The next report, if there is one; nothing if the document is not what it should be.
    fn cut(&mut self) -> Option<Option<Element<'t>>> {
        loop {
            self.place = match self.place {
                Place::Document => self.document()?,
                Place::Trace => self.trace()?,
                Place::Member { has_reports } => self.member(has_reports)?,
                Place::Report => {
                    let report = self.cursor.element();
                    self.place = self.behind_report()?;
                    return Some(Some(report));
                }
                Place::End => return self.cursor.next_byte().is_none().then_some(None),
            };
        }
    }

    fn document(&mut self) -> Option<Place> {
        let cursor = &mut self.cursor;
        cursor.pass(b'[').then(|| match cursor.pass(b']') {
            true => Place::End,
            false => Place::Trace,
        })
    }

    /// A trace without members has no reports.
    fn trace(&mut self) -> Option<Place> {
        let has_reports = false;
        let is_object = self.cursor.pass(b'{');
        is_object.then_some(Place::Member { has_reports })
    }

    fn member(&mut self, has_reports: bool) -> Option<Place> {
        let Key(name) = serde_json::from_str(self.cursor.quoted()?).ok()?;
        if !self.cursor.pass(b':') {
            return None;
        }
        if name == REPORTS {
            return self.reports();
        }
        self.cursor.next_byte();
        let (_, value) = self.cursor.element();
        serde_json::from_str::<IgnoredAny>(value).ok()?;
        self.behind_member(has_reports)
    }

    fn reports(&mut self) -> Option<Place> {
        if !self.cursor.pass(b'[') {
            return None;
        }
        match self.cursor.pass(b']') {
            true => self.behind_member(true),
            false => {
                self.cursor.next_byte();
                Some(Place::Report)
            }
        }
    }

    fn behind_report(&mut self) -> Option<Place> {
        match self.cursor.pass(b',') {
            true => {
                self.cursor.next_byte();
                Some(Place::Report)
            }
            false if self.cursor.pass(b']') => self.behind_member(true),
            false => None,
        }
    }

    fn behind_member(&mut self, has_reports: bool) -> Option<Place> {
        if self.cursor.pass(b',') {
            return Some(Place::Member { has_reports });
        }
        if !has_reports || !self.cursor.pass(b'}') {
            return None;
        }
        match self.cursor.pass(b',') {
            true => Some(Place::Trace),
            false => self.cursor.pass(b']').then_some(Place::End),
        }
    }
}

impl<'t> Iterator for Reports<'t> {
    type Item = Result<Element<'t>, Trouble>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.cut() {
            Some(report) => report.map(Ok),
            None => Some(Err(self.cursor.unexpected())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fields::check;
    use super::*;

    fn cut(text: &str) -> Option<Vec<Element<'_>>> {
        let reports: Result<Vec<_>, Trouble> = Reports::of(text).collect();
        reports.ok()
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
