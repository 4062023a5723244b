//! Labelled transition systems, and networks that compose them.

pub(crate) mod explain;
pub(crate) mod held;
mod labels;
pub(crate) mod read;
pub(crate) mod task;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use causet_formula::Kind;

use crate::check::Session;
use crate::error::Error;
use crate::message::Message;
use crate::properties::Properties;
use crate::report::Report;

use held::Held;

/// A labelled transition system, or a network of such systems. It is cheap to clone.
///
/// ```
/// # let path = std::env::temp_dir().join(format!("causet-doc-model-{}.aut", std::process::id()));
/// std::fs::write(&path, "des (0, 2, 2)\n(0, \"go\", 1)\n(1, \"back\", 0)\n").unwrap();
/// let model = causet::Model::open(&path)?;
/// let report = model.check("[true*] <true> true")?;
/// assert!(report.holds(), "{report}");
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), causet::Error>(())
/// ```
#[derive(Clone)]
pub struct Model {
    pub(crate) held: Arc<Held>,
    pub(crate) path: String,
    pub(crate) warnings: Arc<[Message]>,
}

impl Model {
    /// Reads an Aldebaran file (`.aut`) or a network of such files (`.exp`), compressed or not.
    pub fn open(path: impl AsRef<Path>) -> Result<Model, Error> {
        Session::new().open_model(path)
    }

    /// Checks one formula of the mu-calculus.
    pub fn check(&self, formula: &str) -> Result<Report, Error> {
        let mut properties = Properties::default();
        properties.add_formula(Kind::Mu, formula);
        Session::new().check_model(self, &properties.checked()?)
    }

    /// Checks the properties of a file, all of kind `mu`.
    pub fn check_file(&self, path: impl AsRef<Path>) -> Result<Report, Error> {
        Session::new().check_model(self, &Properties::open(path)?)
    }

    /// What is odd about it, such as a header that promises more than there is; an [`Observer`](crate::Observer) hears it at
    /// once.
    pub fn warnings(&self) -> &[Message] {
        &self.warnings
    }

    /// The labels of its steps.
    pub fn labels(&self) -> Vec<&str> {
        let labels = self.held.labels();
        let numbers = 0..labels.len() as u32;
        numbers.map(|number| labels.text(number)).collect()
    }
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Model({})", self.path)
    }
}
