//! Assertions about all orders of what a test has recorded.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use causet_record::Memory;

use crate::check::Session;
use crate::error::Error;
use crate::properties::Properties;
use crate::run::Run;

/// Something that a test has recorded. [`assert_all_orders!`](crate::assert_all_orders) also takes what dereferences to it, such as the guards of
/// `causet_record::tracing`.
pub trait Recorded {
    /// The run.
    fn run(&self) -> Result<Run, Error>;
}

impl Recorded for Memory {
    fn run(&self) -> Result<Run, Error> {
        Run::read(&self.text())
    }
}

impl Recorded for Run {
    fn run(&self) -> Result<Run, Error> {
        Ok(self.clone())
    }
}

impl Recorded for str {
    fn run(&self) -> Result<Run, Error> {
        Run::read(self)
    }
}

impl<T: Recorded + ?Sized> Recorded for &T {
    fn run(&self) -> Result<Run, Error> {
        (**self).run()
    }
}

/// Asserts that formulas hold on every order in which what a test has recorded could have happened.
///
/// It panics with the report and its drawing when one does not, and writes the page of the report to
/// `target/causet/NAME.html`, where NAME is the name of the test. Like [`Run::check`] it takes CTL, LTL, `possibly P` and
/// `definitely P`.
///
/// ```
/// use causet_record::Recording;
///
/// let (recording, memory) = Recording::builder().to_memory();
/// let (mut main, mut worker) = (recording.process("main"), recording.process("worker"));
/// let stamp = main.event("hand over").set("has", false).send();
/// worker.event("take").recv(&stamp).set("has", true).done();
/// causet::assert_all_orders!(memory, "AG !(main.has && worker.has)", "definitely worker.has");
/// ```
///
/// ```should_panic
/// let run = "{\"p\":\"a\",\"set\":{\"x\":1}}\n{\"p\":\"b\",\"set\":{\"y\":1}}\n";
/// causet::assert_all_orders!(run, "AG (b.y = 1 -> a.x = 1)"); // was recorded so, but nothing orders it
/// ```
#[macro_export]
macro_rules! assert_all_orders {
    ($recorded:expr, $($formula:expr),+ $(,)?) => {{
        // A method call, so that a guard is taken for the recording it dereferences to.
        let run = {
            use $crate::testing::Recorded as _;
            $recorded.run()
        };
        if let Err(failed) = $crate::testing::check_run(run, &[$($formula),+]) {
            panic!("{failed}");
        }
    }};
}

/// Why an assertion about all orders fails: the report with its drawing, or what is wrong with recording or formulas.
pub struct Failed(String);

/// The same as `Display`: tests that return it show it in this way.
impl fmt::Debug for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Failed {}

/// What [`assert_all_orders!`](crate::assert_all_orders) does, for tests that return errors instead of panicking.
///
/// ```
/// let run = r#"{"p":"a","set":{"x":1}}"#;
/// assert!(causet::testing::check_all(&run, &["AG a.x <= 1"]).is_ok());
/// let failed = causet::testing::check_all(&run, &["AG a.x = 0"]).unwrap_err();
/// assert!(failed.to_string().contains("violated"), "{failed}");
/// ```
pub fn check_all(recorded: &(impl Recorded + ?Sized), formulas: &[&str]) -> Result<(), Failed> {
    check_run(recorded.run(), formulas)
}

/// [`check_all`] for a run that may have been refused.
#[doc(hidden)]
pub fn check_run(run: Result<Run, Error>, formulas: &[&str]) -> Result<(), Failed> {
    let told = |error: Error| Failed(error.to_string());
    let run = run.map_err(told)?;
    let mut properties = Properties::default();
    for formula in formulas {
        properties.add(formula).map_err(told)?;
    }
    let report = Session::new().check(&run, &properties).map_err(told)?;
    if report.holds() {
        return Ok(());
    }
    let page = report.to_html().and_then(written);
    let page = page.map_or_else(String::new, |path| {
        format!("\n\nsee it in a browser: {}", path.display())
    });
    Err(Failed(format!(
        "not on every order of the recording:\n\n{report}{page}"
    )))
}

/// A longer name of a test is cut in the name of its page.
const LONGEST_NAME: usize = 100;

/// Writes a page where the test finds it; without such a place there is none.
fn written(page: String) -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?;
    let target = program
        .ancestors()
        .find(|folder| folder.join("CACHEDIR.TAG").is_file())?;
    let folder = target.join("causet");
    std::fs::create_dir_all(&folder).ok()?;
    let thread = std::thread::current();
    let name = thread.name().filter(|name| !name.is_empty());
    let name = name.unwrap_or("main").replace("::", "-");
    let name: String = name
        .chars()
        .take(LONGEST_NAME)
        .map(|c| {
            if c.is_alphanumeric() || "-_".contains(c) {
                c
            } else {
                '_'
            }
        })
        .collect();
    let path = folder.join(format!("{name}.html"));
    std::fs::write(&path, page).ok()?;
    Some(path)
}

// Reports are shown by many threads of a test program at once.
const _: () = {
    const fn can_be_shared<T: Send + Sync>() {}
    can_be_shared::<Arc<crate::Report>>();
    can_be_shared::<Run>();
    can_be_shared::<Session>();
    can_be_shared::<Error>();
};
