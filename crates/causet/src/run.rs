//! A recorded run, read and kept.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use causet_check::subject::Subject;
use causet_formats::caveats::Caveat;
use causet_formats::native::Reading;
use causet_report::remarks::{Remarks, remarks};

use crate::check::Session;
use crate::error::Error;
use crate::input::tell_warnings;
use crate::limits::Limits;
use crate::message::Message;
use crate::properties::Properties;
use crate::report::Report;

/// A recorded run: what each process did and which messages passed. It is cheap to clone.
///
/// ```
/// let run = causet::Run::read(
///     r#"{"p":"a","set":{"leader":true}}
///        {"p":"a","set":{"leader":false}}
///        {"p":"b","set":{"leader":true}}"#,
/// )?;
/// assert_eq!((run.processes().len(), run.events()), (2, 3));
/// let report = run.check("AG !(a.leader && b.leader)")?;
/// assert!(!report.holds());
/// # Ok::<(), causet::Error>(())
/// ```
#[derive(Clone)]
pub struct Run(Arc<Kept>);

struct Kept {
    reading: Reading,
    path: String,
    remarks: Remarks,
    read_seconds: f64,
    /// What was warned of when it was read.
    warnings: OnceLock<Vec<Message>>,
}

impl Run {
    /// Reads a file or a folder of files, in any format; `-` is standard input. [`Session::open`] reads several, within
    /// limits.
    pub fn open(path: impl AsRef<Path>) -> Result<Run, Error> {
        Session::new().open([path])
    }

    /// Reads a text, in any format.
    pub fn read(text: &str) -> Result<Run, Error> {
        Session::new().read(text)
    }

    /// Checks one formula on all orders of the run: CTL, LTL, `possibly P` or `definitely P`, as its operators say.
    pub fn check(&self, formula: &str) -> Result<Report, Error> {
        Session::new().check(self, &formula.parse()?)
    }

    /// Checks the properties of a file.
    pub fn check_file(&self, path: impl AsRef<Path>) -> Result<Report, Error> {
        Session::new().check(self, &Properties::open(path)?)
    }

    /// The names of the processes.
    pub fn processes(&self) -> Vec<&str> {
        let trace = &self.0.reading.trace;
        let processes = trace.order().processes();
        processes
            .map(|process| trace.process_name(process))
            .collect()
    }

    /// How many events there are.
    pub fn events(&self) -> usize {
        self.0.reading.trace.len()
    }

    /// What was read, as it was called: the files, or `<text>`.
    pub fn path(&self) -> &str {
        &self.0.path
    }

    /// What was let pass and what is odd about it, which an [`Observer`](crate::Observer) hears at once.
    ///
    /// ```
    /// let run = causet::Run::read("{\"p\":\"a\",\"set\":{\"x\":1}}\n{\"p\":\"b\",\"set\":{\"y\":1}}\n")?;
    /// assert_eq!(run.warnings()[0].code(), "E1104"); // nothing orders the two processes
    /// # Ok::<(), causet::Error>(())
    /// ```
    pub fn warnings(&self) -> &[Message] {
        self.0.warnings.get().map_or(&[], Vec::as_slice)
    }

    /// The same run, with what was warned of when it was read.
    pub(crate) fn warned(self, warnings: Vec<Message>) -> Run {
        // A run is read once.
        let _ = self.0.warnings.set(warnings);
        self
    }

    pub(crate) fn of(reading: Reading, path: &str, read_seconds: f64) -> Run {
        Run(Arc::new(Kept {
            remarks: remarks(&reading.trace),
            reading,
            path: path.to_owned(),
            read_seconds,
            warnings: OnceLock::new(),
        }))
    }

    /// Tells what was let pass and what is odd about the run.
    pub(crate) fn tell_warnings(&self, limits: &Limits) {
        tell_warnings(&self.0.reading.warnings, limits);
        for remark in self.0.remarks.all() {
            limits.tell(remark.clone());
        }
    }

    /// The run as the engines see it.
    #[doc(hidden)]
    pub fn subject(&self) -> Subject<'_> {
        Subject {
            trace: &self.0.reading.trace,
            parts: &self.0.reading.parts,
        }
    }

    pub(crate) fn caveat(&self) -> Option<&Caveat> {
        self.0.reading.caveat.as_ref()
    }

    pub(crate) fn remarks(&self) -> &Remarks {
        &self.0.remarks
    }

    pub(crate) fn read_seconds(&self) -> f64 {
        self.0.read_seconds
    }
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Run({}, {} events)", self.0.path, self.events())
    }
}
