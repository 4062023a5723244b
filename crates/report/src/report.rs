//! What was found out about a run or a model, before it takes a form.

use std::io;

use causet_base::Diagnostic;
use causet_base::budget::{Budget, Spent};
use causet_check::outcome::{Verdict, Witness};
use causet_check::prepare::Question;
use causet_check::subject::Subject;
use causet_trace::{Trace, VarId};

use crate::lts::{Evidence, ModelSize, evidence};
use crate::remarks::Remarks;
use crate::story::Story;
use crate::workers::Worker;

/// All that is known at the end of a check.
#[derive(Clone, Debug)]
pub struct Report<'a> {
    /// The version of the program.
    pub version: &'a str,
    /// What the person called the run or the model.
    pub path: &'a str,
    /// What was checked.
    pub about: About<'a>,
    /// Seconds to read it.
    pub read_seconds: f64,
    /// What the forms of the report may take, and the time since the command began.
    pub budget: &'a Budget<'a>,
    /// The peak resident memory of the process so far, when the system tells: writing the report takes memory, too.
    pub peak_bytes: fn() -> Option<u64>,
    /// One finding per property, in the order the person gave them.
    pub findings: Vec<Finding<'a>>,
    /// What is odd about the run as a whole.
    pub remarks: Remarks,
}

/// What was checked.
#[derive(Clone, Copy, Debug)]
pub enum About<'a> {
    /// A recorded run.
    Run {
        /// The run; `None` when reading it was stopped or it was not kept.
        subject: Option<Subject<'a>>,
        /// How large it is, when that is known.
        size: Option<Size>,
    },
    /// A transition system, and how large it is, when that is known.
    Model(Option<ModelSize>),
}

impl<'a> About<'a> {
    /// The run, if it is one and was kept.
    pub fn subject(&self) -> Option<Subject<'a>> {
        match self {
            About::Run { subject, .. } => *subject,
            About::Model(_) => None,
        }
    }

    /// Whether it was read to its end.
    pub(crate) fn is_read(&self) -> bool {
        match self {
            About::Run { size, .. } => size.is_some(),
            About::Model(size) => size.is_some(),
        }
    }
}

/// How large a run is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size {
    /// How many processes there are.
    pub processes: usize,
    /// How many events.
    pub events: usize,
    /// How many messages were sent.
    pub messages: usize,
}

impl Size {
    /// The size of a run that was kept.
    pub fn of(trace: &Trace) -> Size {
        Size {
            processes: trace.order().process_count(),
            events: trace.len(),
            messages: trace.message_count(),
        }
    }
}

/// One property and what was found out about it.
#[derive(Clone, Debug)]
pub struct Finding<'a> {
    /// Its name.
    pub name: &'a str,
    /// The word for its logic: `ctl`, `possibly`, ...
    pub kind: &'a str,
    /// Its text.
    pub formula: &'a str,
    /// The answer.
    pub verdict: Verdict,
    /// Who found it; `None` when nobody came to it.
    pub engine: Option<&'a str>,
    /// How long that took.
    pub seconds: f64,
    /// The part of it that went into re-checking the witness.
    pub certify_seconds: f64,
    /// The order that shows the verdict, of a run.
    pub witness: Option<&'a Witness>,
    /// The limit that ended the search for that order, if one did.
    pub witness_spent: Option<Spent>,
    /// The part that shows the verdict, of a transition system.
    pub evidence: Option<Evidence<'a>>,
    /// What that order shows, in a sentence.
    pub claim: Option<String>,
    /// What is true of the events after it, as the rest of "From there it can go on like this, and ...".
    pub onward: Option<String>,
    /// What the property means on the run.
    pub question: Option<&'a Question>,
    /// What there is to tell about the verdict, of a run.
    pub story: Option<Story>,
    /// The variables the formula names.
    pub mentioned: Vec<VarId>,
    /// Things worth saying.
    pub notes: Vec<String>,
    /// Oddities of the formula, which a person has been shown in its text.
    pub warnings: Vec<Diagnostic>,
    /// Figures about the work done.
    pub stats: Vec<(&'a str, u64)>,
    /// How the verdict came about, as name and text; empty unless the person asked.
    pub explanation: Vec<(&'a str, String)>,
    /// What each worker did, if several were asked.
    pub workers: Vec<Worker>,
}

impl<'a> Finding<'a> {
    /// What shows the verdict, in words, without a full stop: the sentence of the story, or of the part of a model.
    pub fn sentence(&self) -> Option<String> {
        let story = self.story.as_ref().map(|story| story.sentence.clone());
        story.or_else(|| {
            let sentence = evidence::sentence(self.verdict, self.evidence?)?;
            Some(sentence.trim_end_matches('.').to_owned())
        })
    }

    /// A finding of which nothing but the verdict is known.
    pub fn bare(name: &'a str, kind: &'a str, formula: &'a str, verdict: Verdict) -> Self {
        Finding {
            name,
            kind,
            formula,
            verdict,
            engine: None,
            seconds: 0.0,
            certify_seconds: 0.0,
            witness: None,
            witness_spent: None,
            evidence: None,
            claim: None,
            onward: None,
            question: None,
            story: None,
            mentioned: Vec::new(),
            notes: Vec::new(),
            warnings: Vec::new(),
            stats: Vec::new(),
            explanation: Vec::new(),
            workers: Vec::new(),
        }
    }
}

/// How many of the findings are violations, hold, and are unknown.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tally {
    /// Violated properties.
    pub violated: usize,
    /// Properties that hold.
    pub hold: usize,
    /// Properties nobody could decide within the limits.
    pub unknown: usize,
}

/// Why a part of a report was not written to its end.
#[derive(Debug)]
pub enum Stopped {
    /// A limit was reached, so that something shorter is to be written.
    Limit(Spent),
    /// It could not be written.
    Failed(io::Error),
}

impl From<Spent> for Stopped {
    fn from(spent: Spent) -> Self {
        Stopped::Limit(spent)
    }
}

impl From<io::Error> for Stopped {
    fn from(error: io::Error) -> Self {
        Stopped::Failed(error)
    }
}

impl Report<'_> {
    /// Seconds since the command began.
    pub fn total_seconds(&self) -> f64 {
        self.budget.elapsed().as_secs_f64()
    }

    /// Counts the verdicts.
    pub fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        for finding in &self.findings {
            match finding.verdict {
                Verdict::Violated => tally.violated += 1,
                Verdict::Holds => tally.hold += 1,
                Verdict::Unknown(_) | Verdict::Doubtful => tally.unknown += 1,
            }
        }
        tally
    }
}
