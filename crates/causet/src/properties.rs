//! The properties a person asks for, read from arguments and property files, named and numbered.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use causet_formula::{FormulaError, Kind, Lets, Property, PropertyFile};

use crate::cli::Ask;
use crate::diagnostics::{self, FormulaText};
use crate::failure::Failure;

/// A property, the definitions it sees, and the text it stands in.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// The property.
    pub(crate) property: Property,
    /// The definitions of its file.
    pub(crate) lets: Arc<Lets>,
    /// Where it was read.
    pub(crate) source: Arc<FormulaText>,
}

/// All properties that could be read.
#[derive(Debug, Default)]
pub(crate) struct Properties {
    /// In the order of the command line.
    pub(crate) all: Vec<Asked>,
    /// Whether some could not be read; the person has been told.
    pub(crate) broken: bool,
}

impl Properties {
    /// Reads the properties; all syntax errors are shown.
    pub(crate) fn read(asks: &[Ask]) -> Result<Properties, Failure> {
        let mut properties = Properties::default();
        for ask in asks {
            match ask {
                Ask::Formula(kind, text) => properties.add_formula(*kind, text),
                Ask::File(path) => properties.add_file(path)?,
            }
        }
        if properties.all.is_empty() && !properties.broken {
            return Err(Failure::helped(
                "there is no property to check",
                "give one with --ctl, --possibly, --definitely or --props, for example \
                 --ctl 'AG !(a.leader && b.leader)'; `causet info` shows what a trace holds",
            ));
        }
        Ok(properties)
    }

    fn add_formula(&mut self, kind: Kind, text: &str) {
        let name = format!("{kind}-{}", self.all.len() + 1);
        let source = Arc::new(FormulaText {
            name: format!("--{kind}"),
            text: text.to_owned(),
        });
        match Property::parse(kind, &name, text) {
            Ok(property) => self.all.push(Asked {
                property,
                lets: Arc::default(),
                source,
            }),
            Err(errors) => self.refuse(&source, &errors),
        }
    }

    fn add_file(&mut self, path: &Path) -> Result<(), Failure> {
        let name = path.display().to_string();
        let text = fs::read_to_string(path)
            .map_err(|error| Failure::io(format!("{name} cannot be read"), &error))?;
        let source = Arc::new(FormulaText { name, text });
        match PropertyFile::parse(&source.text) {
            Ok(file) => {
                let lets = Arc::new(file.lets);
                self.all
                    .extend(file.properties.into_iter().map(|property| Asked {
                        property,
                        lets: Arc::clone(&lets),
                        source: Arc::clone(&source),
                    }));
            }
            Err(errors) => self.refuse(&source, &errors),
        }
        Ok(())
    }

    fn refuse(&mut self, source: &FormulaText, errors: &[FormulaError]) {
        self.broken = true;
        for error in errors {
            diagnostics::formula_error(source, error);
        }
    }
}
