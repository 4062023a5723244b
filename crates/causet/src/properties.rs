//! What is asked of a run: formulas and files of properties, named and numbered.

use std::fs;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use causet_base::Code;
use causet_base::Diagnostic;
use causet_base::budget::Budget;
use causet_check::prepare::Question;
use causet_formula::{AtomGuard, Kind, Lets, OutsideAutomaton, Property, PropertyFile};
use causet_solve::automaton::State;
use causet_solve::automaton::hoa::{self, Hoa};

use crate::error::Error;
use crate::failure::Failure;
use crate::message::{FormulaText, Message};

/// A property, the definitions it sees, and the text it stands in.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The property.
    pub property: Property,
    /// The definitions of its file.
    pub lets: Arc<Lets>,
    /// Where it was read.
    pub source: Arc<FormulaText>,
}

impl Asked {
    /// The property for a reader: what was written, or the file an automaton came from.
    pub fn shown(&self) -> &str {
        match self.property.kind {
            Kind::Automaton => &self.source.name,
            _ => self.property.text.trim(),
        }
    }
}

/// What is asked of a run: formulas, files of properties, automata.
///
/// ```
/// use causet::Properties;
///
/// let properties: Properties = "AG !(a.leader && b.leader)".parse()?;
/// assert_eq!(properties.names().collect::<Vec<_>>(), ["ctl-1"]);
///
/// let error = "AG !(a.leader && b.leader".parse::<Properties>().unwrap_err();
/// assert!(error.to_string().contains("never closed"));
/// # Ok::<(), causet::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Properties {
    pub(crate) all: Vec<Asked>,
    /// What is wrong with those that could not be read.
    pub(crate) errors: Vec<Message>,
}

impl FromStr for Properties {
    type Err = Error;

    /// One formula whose kind its operators say: CTL, LTL, `possibly P` or `definitely P`.
    fn from_str(text: &str) -> Result<Properties, Error> {
        let mut properties = Properties::default();
        properties.add(text)?;
        Ok(properties)
    }
}

impl Properties {
    /// The properties of a file.
    ///
    /// ```
    /// # let folder = std::env::temp_dir().join(format!("causet-doc-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder).unwrap();
    /// # let path = folder.join("leaders.props");
    /// std::fs::write(&path, "property one: ctl AG !(a.leader && b.leader)\n").unwrap();
    /// let properties = causet::Properties::open(&path)?;
    /// assert_eq!(properties.names().collect::<Vec<_>>(), ["one"]);
    /// # std::fs::remove_dir_all(&folder).unwrap();
    /// # Ok::<(), causet::Error>(())
    /// ```
    pub fn open(path: impl AsRef<Path>) -> Result<Properties, Error> {
        let mut properties = Properties::default();
        properties.add_file(path.as_ref()).map_err(Error::from)?;
        properties.checked()
    }

    /// Adds one formula whose kind its operators say.
    ///
    /// ```
    /// let mut properties = causet::Properties::default();
    /// properties.add("G (a.x = 1 -> F b.y = 1)")?;
    /// properties.add("possibly a.x = 2")?;
    /// assert_eq!(properties.names().collect::<Vec<_>>(), ["ltl-1", "possibly-2"]);
    /// assert!(properties.add("a.x = 2").is_err());
    /// # Ok::<(), causet::Error>(())
    /// ```
    pub fn add(&mut self, text: &str) -> Result<(), Error> {
        let number = self.all.len() + 1;
        let source = Arc::new(FormulaText {
            name: "<formula>".to_owned(),
            text: text.to_owned(),
        });
        let mut property = Property::infer("", text).map_err(|errors| {
            let messages = errors.iter();
            let messages = messages.map(|error| Message::in_formula(&source, error));
            Error::told(messages.collect())
        })?;
        property.name = format!("{}-{number}", property.kind);
        self.push(property, Arc::default(), &source);
        Ok(())
    }

    /// The names of the properties, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(|asked| asked.property.name.as_str())
    }

    pub(crate) fn checked(self) -> Result<Properties, Error> {
        if self.errors.is_empty() {
            Ok(self)
        } else {
            Err(Error::told(self.errors))
        }
    }

    /// One of those that were read.
    #[doc(hidden)]
    pub fn of(asked: &Asked) -> Properties {
        Properties {
            all: vec![asked.clone()],
            errors: Vec::new(),
        }
    }

    /// All properties, with the definitions they see and the texts they stand in.
    #[doc(hidden)]
    pub fn all(&self) -> &[Asked] {
        &self.all
    }

    /// What is wrong with those that could not be read.
    #[doc(hidden)]
    pub fn errors(&self) -> &[Message] {
        &self.errors
    }

    /// The properties with the definitions they see.
    #[doc(hidden)]
    pub fn bare(&self) -> Vec<(&Property, &Lets)> {
        let all = self.all.iter();
        all.map(|asked| (&asked.property, &*asked.lets)).collect()
    }

    /// The properties as they were bound to a run; all that is wrong with any of them is told.
    #[doc(hidden)]
    pub fn accept(
        &self,
        questions: Vec<Result<Question, Vec<Diagnostic>>>,
        tell: impl Fn(Message),
    ) -> Result<Vec<Question>, Failure> {
        let mut accepted = Vec::with_capacity(questions.len());
        for (asked, question) in self.all.iter().zip(questions) {
            match question {
                Ok(question) => accepted.push(question),
                Err(errors) => errors
                    .iter()
                    .for_each(|error| tell(Message::in_formula(&asked.source, error))),
            }
        }
        if !self.errors.is_empty() || accepted.len() < self.all.len() {
            return Err(Failure::Told);
        }
        for (asked, question) in self.all.iter().zip(&accepted) {
            for warning in &question.warnings {
                tell(Message::in_formula(&asked.source, warning));
            }
        }
        Ok(accepted)
    }

    fn push(&mut self, property: Property, lets: Arc<Lets>, source: &Arc<FormulaText>) {
        self.all.push(Asked {
            property,
            lets,
            source: Arc::clone(source),
        });
    }

    /// Adds a formula of a known kind.
    #[doc(hidden)]
    pub fn add_formula(&mut self, kind: Kind, text: &str) {
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
            Ok(property) => self.push(property, Arc::default(), &source),
            Err(errors) => self.refuse(&source, &errors),
        }
    }

    /// Adds the automaton of a file in the Hanoi format.
    #[doc(hidden)]
    pub fn add_automaton(&mut self, path: &Path) -> Result<(), Failure> {
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
            Ok(property) => self.push(property, Arc::default(), &source),
            Err(errors) => self.refuse(&source, &errors),
        }
        Ok(())
    }

    /// Adds the properties of a file.
    #[doc(hidden)]
    pub fn add_file(&mut self, path: &Path) -> Result<(), Failure> {
        let name = path.display().to_string();
        let text = fs::read_to_string(path).map_err(|error| {
            Failure::io(Code::NotReadable, format!("{name} cannot be read"), &error)
        })?;
        let source = Arc::new(FormulaText { name, text });
        let folder = path.parent().unwrap_or(Path::new(""));
        match PropertyFile::parse_with(&source.text, &library_in(folder)) {
            Ok(file) => {
                let lets = Arc::new(file.lets);
                for property in file.properties {
                    self.push(property, Arc::clone(&lets), &source);
                }
            }
            Err(errors) => self.refuse(&source, &errors),
        }
        Ok(())
    }

    fn refuse(&mut self, source: &Arc<FormulaText>, errors: &[Diagnostic]) {
        let messages = errors.iter();
        self.errors
            .extend(messages.map(|error| Message::in_formula(source, error)));
    }
}

/// The macro libraries of a folder, by the names of their files.
fn library_in(folder: &Path) -> impl Fn(&str) -> Option<String> {
    move |name| fs::read_to_string(folder.join(name)).ok()
}

/// A mistake in a file as one in a formula, with its place underlined.
pub fn at(text: &str, mistake: &Diagnostic) -> Diagnostic {
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
