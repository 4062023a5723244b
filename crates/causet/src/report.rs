//! What came out of a check.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::OnceLock;

use causet_check::outcome;
use causet_report::json::{self, LongOrders};
use causet_report::page;
use causet_report::sarif;
use causet_report::{Finding as Found, Palette, Report as WireReport, junit, text};
use causet_trace::Trace;
use serde::{Serialize, Serializer};

use crate::extras;
use crate::limits::Limits;
use crate::model::task::ModelDone;
use crate::task::Done;

/// The answer on all properties.
///
/// `Display` is what the terminal prints, `Serialize` is what `--json` prints.
///
/// ```
/// let run = causet::Run::read("{\"p\":\"a\",\"set\":{\"x\":1}}\n{\"p\":\"b\",\"set\":{\"y\":1}}\n")?;
/// let report = run.check("AG (b.y = 1 -> a.x = 1)")?;
/// assert!(!report.holds());
/// assert!(report.to_string().starts_with("violated  ctl-1"), "{report}");
/// assert!(report.to_html().expect("a page").contains("<html"));
/// # Ok::<(), causet::Error>(())
/// ```
pub struct Report {
    answers: Answers,
    /// Forms of the report are made without limits, whenever that is, and say how long the check took.
    limits: Limits,
    /// Made when they are asked for: to tell what a verdict means takes longer than the verdict.
    findings: OnceLock<Vec<Finding>>,
}

/// The answer on one property.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Finding {
    /// The name of the property.
    pub name: String,
    /// Its formula, as it was written.
    pub formula: String,
    /// The answer.
    pub verdict: Verdict,
    /// Why it is unknown.
    pub reason: Option<String>,
    /// What shows it, in words.
    pub sentence: Option<String>,
    /// The order that shows it.
    pub witness: Option<Witness>,
    /// What else is worth knowing.
    pub notes: Vec<String>,
}

/// Whether every order of the run satisfies a property.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Verdict {
    /// It does.
    Holds,
    /// It does not.
    Violated,
    /// A limit was reached first, or something is missing from the log.
    Unknown,
}

/// An order of events that shows a verdict; it was checked again by independent code.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Witness {
    /// The events from the beginning of the run: the process, and the number of the event there, from 1.
    pub order: Vec<(String, u32)>,
    /// The cut at its end, as numbers of events of each process, when that cut is what shows the verdict.
    pub cut: Option<BTreeMap<String, u32>>,
    /// Whether the recorded order shows the same, when that is known.
    pub observed: Option<bool>,
}

impl Report {
    /// Whether all properties hold.
    pub fn holds(&self) -> bool {
        match &self.answers {
            Answers::Run(done) => done.holds(),
            Answers::Model(done) => done.holds(),
        }
    }

    /// One finding for each property, in order.
    ///
    /// ```
    /// let run = causet::Run::read("{\"p\":\"a\",\"set\":{\"x\":1}}\n{\"p\":\"b\",\"set\":{\"y\":1}}\n")?;
    /// let report = run.check("possibly a.x = 0 && b.y = 1")?;
    /// let witness = report.findings()[0].witness.as_ref().expect("an order");
    /// assert_eq!(witness.order, [("b".to_owned(), 1)]);
    /// # Ok::<(), causet::Error>(())
    /// ```
    pub fn findings(&self) -> &[Finding] {
        self.findings.get_or_init(|| {
            self.answers.report(&self.limits, |report, _| {
                let trace = report.about.subject().map(|subject| subject.trace);
                let findings = report.findings.iter();
                findings.map(|found| Finding::of(found, trace)).collect()
            })
        })
    }

    /// A page for a browser, which needs nothing else; `None` when the run was not kept.
    pub fn to_html(&self) -> Option<String> {
        self.to_page().map(|page| page.html)
    }

    /// The page and the policy that a server shows it with.
    #[doc(hidden)]
    pub fn to_page(&self) -> Option<page::Document> {
        self.answers.report(&self.limits, |report, limits| {
            page::report(report, extras::of_report(report, limits))
        })
    }

    /// One JSON object, as `--json` prints it.
    ///
    /// ```
    /// let report = causet::Run::read(r#"{"p":"a","set":{"x":1}}"#)?.check("AG a.x <= 1")?;
    /// assert!(report.to_json().contains(r#""verdict":"holds""#));
    /// # Ok::<(), causet::Error>(())
    /// ```
    pub fn to_json(&self) -> String {
        self.written(|report, out| json::write(report, LongOrders::default(), None, out))
    }

    /// The report in the format of JUnit.
    ///
    /// ```
    /// let report = causet::Run::read(r#"{"p":"a","set":{"x":1}}"#)?.check("AG a.x <= 1")?;
    /// assert!(report.to_junit().contains("<testcase"));
    /// # Ok::<(), causet::Error>(())
    /// ```
    pub fn to_junit(&self) -> String {
        self.written(|report, out| junit::write(report, out))
    }

    /// The report in the format SARIF.
    ///
    /// ```
    /// let report = causet::Run::read(r#"{"p":"a","set":{"x":1}}"#)?.check("AG a.x <= 1")?;
    /// assert!(report.to_sarif().contains("2.1.0"));
    /// # Ok::<(), causet::Error>(())
    /// ```
    pub fn to_sarif(&self) -> String {
        self.written(|report, out| sarif::write(report, out))
    }

    pub(crate) fn of(answers: Answers, limits: &Limits) -> Report {
        Report {
            answers,
            limits: limits.after(),
            findings: OnceLock::new(),
        }
    }

    fn written(
        &self,
        write: impl FnOnce(&WireReport<'_>, &mut dyn std::io::Write) -> std::io::Result<()>,
    ) -> String {
        self.answers.report(&self.limits, |report, _| {
            let mut bytes = Vec::new();
            // Writing to memory fails for nothing but a limit, which the text then says.
            let _ = write(report, &mut bytes);
            String::from_utf8_lossy(&bytes).into_owned()
        })
    }
}

/// Where the answers come from.
pub(crate) enum Answers {
    Run(Done),
    Model(ModelDone),
}

impl Answers {
    fn report<T>(&self, limits: &Limits, form: impl FnOnce(&WireReport<'_>, &Limits) -> T) -> T {
        match self {
            Answers::Run(done) => done.report_within(limits, false, form),
            Answers::Model(done) => done.report_within(limits, false, form),
        }
    }
}

impl Finding {
    fn of(found: &Found<'_>, trace: Option<&Trace>) -> Finding {
        let witness = found.witness.zip(trace);
        Finding {
            name: found.name.to_owned(),
            formula: found.formula.to_owned(),
            verdict: match found.verdict {
                outcome::Verdict::Holds => Verdict::Holds,
                outcome::Verdict::Violated => Verdict::Violated,
                outcome::Verdict::Unknown(_) | outcome::Verdict::Doubtful => Verdict::Unknown,
            },
            reason: found.verdict.reason(),
            sentence: found.sentence(),
            witness: witness.map(|(witness, trace)| Witness::of(witness, trace)),
            notes: found.notes.clone(),
        }
    }
}

impl Witness {
    fn of(witness: &outcome::Witness, trace: &Trace) -> Witness {
        let order = trace.order();
        let name = |process| trace.process_name(process).to_owned();
        let events = witness.run.iter().chain(&witness.then);
        let counts = |cut: &causet_trace::Cut| {
            let processes = order.processes();
            processes
                .map(|process| (name(process), cut.of(process)))
                .collect()
        };
        Witness {
            order: events
                .map(|&event| (name(order.process_of(event)), order.position_of(event)))
                .collect(),
            cut: witness.cut.as_ref().map(counts),
            observed: witness.observed,
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.written(|report, out| text::write(report, &Palette::plain(), out));
        f.write_str(text.trim_end())
    }
}

impl fmt::Debug for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.findings()).finish()
    }
}

impl Serialize for Report {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value: serde_json::Value =
            serde_json::from_str(&self.to_json()).map_err(serde::ser::Error::custom)?;
        value.serialize(serializer)
    }
}
