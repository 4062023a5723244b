//! The properties a person asks for, read from arguments and property files, named and numbered.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use causet_base::Code;
use causet_base::Diagnostic;
use causet_base::budget::Budget;
use causet_check::prepare::Question;
use causet_formula::{AtomGuard, Kind, Lets, OutsideAutomaton, Property, PropertyFile};
use causet_solve::automaton::State;
use causet_solve::automaton::hoa::{self, Hoa};

use crate::cli::Ask;
use crate::diagnostics::{self, FormulaText};
use crate::failure::Failure;
use crate::together::Digest;

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

impl Asked {
    /// The property for a reader: what was written, or the file an automaton came from.
    pub(crate) fn shown(&self) -> &str {
        match self.property.kind {
            Kind::Automaton => &self.source.name,
            _ => self.property.text.trim(),
        }
    }
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
                Ask::Automaton(path) => properties.add_automaton(path)?,
                Ask::File(path) => properties.add_file(path)?,
            }
        }
        if properties.all.is_empty() && !properties.broken {
            return Err(Failure::helped(
                Code::NothingToCheck,
                "there is no property to check",
                "give one with --ctl, --ltl, --possibly, --definitely, --hoa or --props, for example \
                 --ctl 'AG !(a.leader && b.leader)'; `causet info` shows what a trace holds",
            ));
        }
        Ok(properties)
    }

    /// The same, where it may be that nothing is asked.
    pub(crate) fn read_any(asks: &[Ask]) -> Result<Properties, Failure> {
        match asks.is_empty() {
            true => Ok(Properties::default()),
            false => Properties::read(asks),
        }
    }

    /// The properties with the definitions they see.
    pub(crate) fn bare(&self) -> Vec<(&Property, &Lets)> {
        let all = self.all.iter();
        all.map(|asked| (&asked.property, &*asked.lets)).collect()
    }

    /// Adds them to what several processes must be asked alike.
    pub(crate) fn add_to(&self, digest: &mut Digest) {
        let mut last = None;
        for asked in &self.all {
            digest.add(&asked.property.name);
            digest.add(asked.shown());
            // The properties of a file stand together, so its text is added once.
            if last.replace(Arc::as_ptr(&asked.source)) != Some(Arc::as_ptr(&asked.source)) {
                digest.add(&asked.source.text);
            }
        }
    }

    /// The properties as they were bound to a run; all that is wrong with any of them is shown.
    pub(crate) fn accept(
        &self,
        questions: Vec<Result<Question, Vec<Diagnostic>>>,
        quiet: bool,
    ) -> Result<Vec<Question>, Failure> {
        let mut accepted = Vec::with_capacity(questions.len());
        for (asked, question) in self.all.iter().zip(questions) {
            match question {
                Ok(question) => accepted.push(question),
                Err(errors) => errors
                    .iter()
                    .for_each(|error| diagnostics::show_in(&asked.source, error)),
            }
        }
        if self.broken || accepted.len() < self.all.len() {
            return Err(Failure::Told);
        }
        if !quiet {
            for (asked, question) in self.all.iter().zip(&accepted) {
                for warning in &question.warnings {
                    diagnostics::show_in(&asked.source, warning);
                }
            }
        }
        Ok(accepted)
    }

    fn add_formula(&mut self, kind: Kind, text: &str) {
        let name = format!("{kind}-{}", self.all.len() + 1);
        let source = Arc::new(FormulaText {
            name: format!("--{kind}"),
            text: text.to_owned(),
        });
        let property = match kind {
            Kind::Mu => Property::parse_mu(&name, text, &library_in(Path::new(""))),
            _ => Property::parse(kind, &name, text),
        };
        match property {
            Ok(property) => self.all.push(Asked {
                property,
                lets: Arc::default(),
                source,
            }),
            Err(errors) => self.refuse(&source, &errors),
        }
    }

    /// The automaton of a file in the Hanoi format.
    fn add_automaton(&mut self, path: &Path) -> Result<(), Failure> {
        let name = path.display().to_string();
        let text = fs::read_to_string(path).map_err(|error| {
            Failure::io(Code::NotReadable, format!("{name} cannot be read"), &error)
        })?;
        let source = Arc::new(FormulaText { name, text });
        let read = match hoa::read(&source.text, &Budget::endless()) {
            Ok(read) => read,
            Err(mistake) => {
                self.refuse(&source, &[at(&source.text, &mistake)]);
                return Ok(());
            }
        };
        let stem = path.file_stem().map(|stem| stem.to_string_lossy());
        let name = read.name.clone().or(stem.map(String::from));
        let name = name.unwrap_or_else(|| "automaton".to_owned());
        match Property::from_automaton(&name, &source.text, outside(&read)) {
            Ok(property) => self.all.push(Asked {
                property,
                lets: Arc::default(),
                source,
            }),
            Err(errors) => self.refuse(&source, &errors),
        }
        Ok(())
    }

    fn add_file(&mut self, path: &Path) -> Result<(), Failure> {
        let name = path.display().to_string();
        let text = fs::read_to_string(path).map_err(|error| {
            Failure::io(Code::NotReadable, format!("{name} cannot be read"), &error)
        })?;
        let source = Arc::new(FormulaText { name, text });
        let folder = path.parent().unwrap_or(Path::new(""));
        match PropertyFile::parse_with(&source.text, &library_in(folder)) {
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

    fn refuse(&mut self, source: &FormulaText, errors: &[Diagnostic]) {
        self.broken = true;
        for error in errors {
            diagnostics::show_in(source, error);
        }
    }
}

/// The macro libraries of a folder, by the names of their files.
fn library_in(folder: &Path) -> impl Fn(&str) -> Option<String> {
    move |name| fs::read_to_string(folder.join(name)).ok()
}

/// A mistake in a file as one in a formula, with its place underlined.
pub(crate) fn at(text: &str, mistake: &Diagnostic) -> Diagnostic {
    let before = text
        .split_inclusive('\n')
        .take((mistake.line as usize).saturating_sub(1));
    let line: usize = before.map(str::len).sum();
    let rest = &text[line..];
    let column = rest
        .char_indices()
        .nth((mistake.column as usize).saturating_sub(1));
    let start = line + column.map_or(rest.len(), |(at, _)| at);
    let end = text[start..]
        .chars()
        .next()
        .map_or(start, |c| start + c.len_utf8());
    Diagnostic::at(mistake.code, start..end, mistake.message.clone())
}

/// An automaton that was read, as the formula crate wants it.
fn outside(read: &Hoa) -> OutsideAutomaton {
    let automaton = &read.automaton;
    let states = 0..automaton.len() as State;
    let literal = |&(atom, truth): &(usize, bool)| match truth {
        true => AtomGuard::Atom(atom),
        false => AtomGuard::Not(Box::new(AtomGuard::Atom(atom))),
    };
    let edges = states.clone().flat_map(|from| {
        automaton.edges(from).into_iter().map(move |edge| {
            let cubes = edge.cubes.iter();
            let cubes = cubes.map(|cube| AtomGuard::All(cube.iter().map(literal).collect()));
            (
                from as usize,
                AtomGuard::Any(cubes.collect()),
                edge.target as usize,
            )
        })
    });
    OutsideAutomaton {
        atoms: read.atoms.clone(),
        states: automaton.len(),
        start: vec![automaton.initial() as usize],
        accepting: states
            .clone()
            .filter(|&state| automaton.is_accepting(state))
            .map(|state| state as usize)
            .collect(),
        edges: edges.collect(),
    }
}
