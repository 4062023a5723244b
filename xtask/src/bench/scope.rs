//! The names of a row: its values, the figures of its runs, the constants of the file; and the words of commands.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};

use super::cases::{CaseFile, Run, Scalar, Section};
use super::expr::{Scope, Value, cell, expand};
use super::lab::{Lab, Measurement};

pub(super) type Values = BTreeMap<String, Value>;

/// A row while it is measured.
pub(super) struct RowScope<'a> {
    pub(super) lab: &'a Lab,
    pub(super) file: &'a CaseFile,
    pub(super) section: &'a Section,
    pub(super) group: usize,
    pub(super) values: Values,
    pub(super) measured: BTreeMap<&'a str, Measurement>,
    /// The run that a row of a table is about.
    pub(super) this: Cell<Option<&'a Run>>,
}

impl<'a> RowScope<'a> {
    pub(super) fn new(
        lab: &'a Lab,
        file: &'a CaseFile,
        section: &'a Section,
        group: usize,
        values: Values,
    ) -> Self {
        RowScope {
            lab,
            file,
            section,
            group,
            values,
            measured: BTreeMap::new(),
            this: Cell::new(None),
        }
    }
}

impl Scope for RowScope<'_> {
    fn get(&self, name: &str) -> Result<Value, String> {
        if let Some((run, metric)) = name.split_once('.') {
            let run = match self.this.get() {
                Some(this) if run == "this" && metric == "label" => {
                    return Ok(Value::Text(expand(&this.label, self)?));
                }
                Some(this) if run == "this" => &this.name,
                _ => run,
            };
            return match self.measured.get(run) {
                Some(measured) => Ok(measured.metric(metric)),
                None if self.section.run.iter().any(|known| known.name == run) => {
                    Ok(Value::Text("-".to_owned()))
                }
                None => Err(format!("there is no run `{run}`")),
            };
        }
        match self.values.get(name) {
            Some(Value::Text(text)) if text.contains("${") => Ok(cell(text, self)?.1),
            Some(value) => Ok(value.clone()),
            None => constant(name, self, self.file, self.lab),
        }
    }

    fn call(&self, name: &str, arguments: &[Value]) -> Result<Value, String> {
        let complain = |error: std::io::Error| format!("{arguments:?}: {error}");
        match (name, arguments) {
            ("size", [Value::Text(file)]) => {
                let about = fs::metadata(self.lab.file(file)).map_err(complain)?;
                Ok(Value::Number(about.len() as f64))
            }
            // A number of the first line, as in `des (0, TRANSITIONS, STATES)`.
            ("header", [Value::Text(file), place]) => {
                let mut line = String::new();
                let file = fs::File::open(self.lab.file(file)).map_err(complain)?;
                BufReader::new(file)
                    .read_line(&mut line)
                    .map_err(complain)?;
                let mut numbers = line
                    .split(|c: char| !c.is_ascii_digit())
                    .filter_map(|word| word.parse().ok());
                Ok(Value::Number(
                    numbers.nth(place.number() as usize).unwrap_or(f64::NAN),
                ))
            }
            _ => NoNames.call(name, arguments),
        }
    }
}

/// The scope without names, whose functions need no row.
pub(super) struct NoNames;

impl Scope for NoNames {
    fn get(&self, name: &str) -> Result<Value, String> {
        Err(format!("there is no `{name}`"))
    }
}

/// A constant of the file, or of the machine.
pub(super) fn constant(
    name: &str,
    scope: &dyn Scope,
    file: &CaseFile,
    lab: &Lab,
) -> Result<Value, String> {
    match (name, file.lets.get(name)) {
        (_, Some(Scalar::Text(text))) if text.contains("${") => Ok(cell(text, scope)?.1),
        (_, Some(scalar)) => Ok(value(scalar)),
        ("root", None) => Ok(Value::Text(lab.site.root.display().to_string())),
        ("quick", None) => Ok(Value::Number(f64::from(u8::from(lab.is_quick)))),
        ("cores", None) => {
            let cores = std::thread::available_parallelism().map_or(1, usize::from);
            Ok(Value::Number(cores as f64))
        }
        _ => Err(format!("there is no `{name}`")),
    }
}

pub(super) fn value(scalar: &Scalar) -> Value {
    match scalar {
        Scalar::Number(number) => Value::Number(*number),
        Scalar::Text(text) => Value::Text(text.clone()),
    }
}

/// The words of a command without templates.
pub(super) fn plain_words(command: &str) -> Result<Vec<String>, String> {
    words(command, &NoNames)
}

/// The words of a command: quotes keep spaces, and so does `${...}`, which is expanded
/// afterwards. A word that becomes empty is left out.
pub(super) fn words(command: &str, scope: &dyn Scope) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut rest = command.trim();
    while !rest.is_empty() {
        let (mut word, mut quote, mut depth) = (String::new(), None, 0);
        let mut end = rest.len();
        for (at, c) in rest.char_indices() {
            match (c, quote) {
                ('{', _) => depth += 1,
                ('}', _) => depth -= 1,
                _ => {}
            }
            match (c, quote) {
                (c, Some(open)) if c == open && depth == 0 => quote = None,
                ('\'' | '"', None) if depth == 0 => quote = Some(c),
                (' ', None) if depth == 0 => {
                    end = at;
                    break;
                }
                _ => word.push(c),
            }
        }
        let word = expand(&word, scope)?;
        words.extend((!word.is_empty()).then_some(word));
        rest = rest[end..].trim_start();
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Path;

    impl Scope for Path {
        fn get(&self, _: &str) -> Result<Value, String> {
            Ok(Value::Text("AG 'x' = \"a b\"".to_owned()))
        }
    }

    #[test]
    fn words_keep_quoted_spaces_and_whole_values() {
        let found = words(
            "causet check  'two words.jsonl' --ctl ${if(1 = 1, f, f)} \"it's\"",
            &Path,
        );
        let expected = [
            "causet",
            "check",
            "two words.jsonl",
            "--ctl",
            "AG 'x' = \"a b\"",
            "it's",
        ];
        assert_eq!(found.unwrap(), expected);
    }
}
