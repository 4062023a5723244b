//! The form of `bench/cases/NAME.toml`: what a bench runs, which columns it shows, and which goals it has.
//!
//! ```text
//! file     about, [let], [sets], [columns], [[section]], [[publish]]
//! section  rows = product of sets -> write files, prepare -> run commands, in turns -> tables, goals
//! ```

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use toml::Spanned;

/// A number or a text of a row.
#[derive(Clone, Deserialize)]
#[serde(untagged)]
pub(super) enum Scalar {
    Number(f64),
    Text(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CaseFile {
    /// One line for `cargo xtask help`.
    pub(super) about: String,
    /// What the report says before its tables.
    #[serde(default)]
    pub(super) note: String,
    /// Texts and templates that expressions may name.
    #[serde(default, rename = "let")]
    pub(super) lets: BTreeMap<String, Scalar>,
    #[serde(default)]
    pub(super) sets: BTreeMap<String, RowSet>,
    /// Lists of columns that tables include as `@NAME`.
    #[serde(default)]
    pub(super) columns: BTreeMap<String, Vec<Spanned<String>>>,
    #[serde(default)]
    pub(super) section: Vec<Section>,
    #[serde(default)]
    pub(super) publish: Vec<Publish>,
}

/// Rows of values by name; a value that a row leaves out is `-`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RowSet {
    pub(super) names: Vec<String>,
    #[serde(default)]
    pub(super) rows: Vec<Vec<Scalar>>,
    /// Makes the rows instead of `rows`: one per line that has `split`.
    pub(super) command: Option<String>,
    #[serde(default)]
    pub(super) split: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Section {
    pub(super) title: String,
    #[serde(default)]
    pub(super) about: String,
    /// A program without which the section is skipped.
    pub(super) needs: Option<String>,
    /// The sets whose product the rows are.
    #[serde(default)]
    pub(super) over: Vec<String>,
    /// Which rows are measured.
    pub(super) when: Option<String>,
    /// Which of them `--quick` measures; by default those of at most 10,000 events.
    pub(super) quick: Option<String>,
    /// Repetitions of a run.
    pub(super) times: Option<usize>,
    /// The metric by which the fastest repetition is taken; otherwise the median by `wall`.
    pub(super) fastest: Option<String>,
    /// The first run is measured on each seed; the slowest counts, and the last seed is that of the other runs.
    #[serde(default)]
    pub(super) seeds: Vec<f64>,
    pub(super) find: Option<Find>,
    #[serde(default)]
    pub(super) write: Vec<WriteFile>,
    /// Commands that make a file unless it exists.
    #[serde(default)]
    pub(super) make: BTreeMap<String, String>,
    /// Commands before every row.
    #[serde(default)]
    pub(super) prepare: Vec<String>,
    #[serde(default)]
    pub(super) run: Vec<Run>,
    /// What must be true of every row.
    #[serde(default)]
    pub(super) must: Vec<String>,
    #[serde(default)]
    pub(super) table: Vec<Table>,
    /// Commands whose output the report shows.
    #[serde(default)]
    pub(super) verbatim: Vec<String>,
}

/// The first seed on which a run has a verdict.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Find {
    pub(super) upto: u32,
    pub(super) command: String,
    pub(super) verdict: String,
}

/// A file of the bench: a line per number `n` below `count`, the given ones in turns.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WriteFile {
    pub(super) file: String,
    #[serde(default)]
    pub(super) before: String,
    #[serde(default = "one")]
    pub(super) count: String,
    #[serde(default)]
    pub(super) lines: Vec<String>,
    /// Instead of lines, the block of a property file that begins with `keep`, after its `let` lines.
    pub(super) from: Option<String>,
    #[serde(default)]
    pub(super) keep: String,
    /// Stands instead of the line where `n` is a multiple of `first_of`.
    pub(super) first: Option<String>,
    #[serde(default = "never")]
    pub(super) first_of: usize,
    #[serde(default = "newline")]
    pub(super) between: String,
    #[serde(default = "newline")]
    pub(super) after: String,
    pub(super) when: Option<String>,
}

fn one() -> String {
    "1".to_owned()
}

fn never() -> usize {
    usize::MAX
}

fn newline() -> String {
    "\n".to_owned()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Run {
    /// How expressions name it.
    pub(super) name: String,
    /// How a table with a row per run shows it.
    #[serde(default)]
    pub(super) label: String,
    /// Timed together; the last one's output is read.
    pub(super) commands: Vec<String>,
    pub(super) when: Option<String>,
    pub(super) times: Option<String>,
    /// Words of a failure that counts as the verdict `refused`.
    pub(super) refusal: Option<String>,
    /// Whether every exit status is a result.
    #[serde(default)]
    pub(super) any_status: bool,
    /// Once it is stopped at some values of these names, it is not run at larger ones.
    #[serde(default)]
    pub(super) gives_up: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Table {
    pub(super) title: Option<String>,
    #[serde(default)]
    pub(super) about: String,
    /// `NAME := TEMPLATE`, or `@NAME` for a list of the file.
    pub(super) columns: Vec<Spanned<String>>,
    /// Whether there is a row per run, which expressions name `this`.
    #[serde(default)]
    pub(super) by_run: bool,
    /// Which rows are shown.
    pub(super) when: Option<String>,
    #[serde(default)]
    pub(super) goal: Vec<Goal>,
    pub(super) figure: Option<Figure>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Goal {
    pub(super) what: String,
    pub(super) column: Spanned<String>,
    /// The column that the figure is divided by.
    pub(super) over: Option<Spanned<String>>,
    pub(super) most: Option<f64>,
    pub(super) least: Option<f64>,
    #[serde(default)]
    pub(super) unit: String,
    pub(super) when: Option<String>,
    #[serde(default)]
    pub(super) of: GoalRows,
}

/// The rows that a goal is about, together.
#[derive(Clone, Copy, Default, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
pub(super) enum GoalRows {
    #[default]
    Each,
    /// The largest figure of all.
    Worst,
    /// Least, most and median, without a bound.
    Spread,
}

/// A figure of the seconds for reading, checking and both.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Figure {
    pub(super) file: String,
    pub(super) title: String,
    /// The column across.
    pub(super) across: Spanned<String>,
}

/// A place of a page that shows the results, or a text about them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Publish {
    pub(super) page: String,
    pub(super) mark: String,
    pub(super) text: Option<String>,
    /// The sections shown, by title; all without it.
    #[serde(default)]
    pub(super) sections: Vec<String>,
    #[serde(default)]
    pub(super) omit: Vec<String>,
    /// Whether only the last row of each first set's row is shown.
    #[serde(default)]
    pub(super) last: bool,
    #[serde(default)]
    pub(super) goals: bool,
}

/// A column: its name and its template.
#[derive(Clone)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) template: String,
}

impl CaseFile {
    pub(super) fn read(path: &Path) -> Result<CaseFile, String> {
        let text =
            fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        CaseFile::parse(&path.display().to_string(), &text)
    }

    fn parse(path: &str, text: &str) -> Result<CaseFile, String> {
        let file: CaseFile = toml::from_str(text).map_err(|error| {
            let line = line_of(text, error.span().map_or(0, |span| span.start));
            format!("{path}:{line}: {}", error.message())
        })?;
        file.check()
            .map_err(|(start, what)| format!("{path}:{}: {what}", line_of(text, start)))?;
        Ok(file)
    }

    /// Complains of columns that are not there, with the byte where they are named.
    fn check(&self) -> Result<(), (usize, String)> {
        for table in self.section.iter().flat_map(|section| &section.table) {
            let columns = self.columns_of(table)?;
            let goals = table.goal.iter();
            let named = goals.flat_map(|goal| [Some(&goal.column), goal.over.as_ref()]);
            let across = table.figure.as_ref().map(|figure| &figure.across);
            for name in named.chain([across]).flatten() {
                if !columns.iter().any(|column| column.name == *name.as_ref()) {
                    let what = format!("the table has no column `{}`", name.as_ref());
                    return Err((name.span().start, what));
                }
            }
        }
        Ok(())
    }

    /// The columns of a table, those of included lists in their places.
    pub(super) fn columns_of(&self, table: &Table) -> Result<Vec<Column>, (usize, String)> {
        let mut columns = Vec::new();
        for given in &table.columns {
            let included = match given.as_ref().strip_prefix('@') {
                None => std::slice::from_ref(given),
                Some(name) => self.columns.get(name).ok_or_else(|| {
                    (given.span().start, format!("there are no columns `{name}`"))
                })?,
            };
            for column in included {
                let (name, template) = column.as_ref().split_once(" := ").ok_or_else(|| {
                    let what = format!("expected `NAME := TEMPLATE`, found `{}`", column.as_ref());
                    (column.span().start, what)
                })?;
                columns.push(Column {
                    name: name.to_owned(),
                    template: template.to_owned(),
                });
            }
        }
        Ok(columns)
    }
}

fn line_of(text: &str, start: usize) -> usize {
    text.get(..start)
        .map_or(1, |before| before.matches('\n').count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "about = \"x\"\n[columns]\nusual = [\"read s := ${a.read}\"]\n[[section]]\ntitle = \"t\"\n\
                        [[section.table]]\ncolumns = [\"@usual\", \"s := ${a.wall}\"]\n";

    fn complaint(more: &str) -> String {
        let text = format!("{FILE}{more}");
        CaseFile::parse("a.toml", &text).err().unwrap_or_default()
    }

    #[test]
    fn a_goal_of_an_included_column_is_accepted() {
        let goal =
            "[[section.table.goal]]\nwhat = \"w\"\ncolumn = \"read s\"\nover = \"s\"\nmost = 2\n";
        assert_eq!(complaint(goal), "");
    }

    #[test]
    fn an_unknown_field_is_refused_with_its_line() {
        let words = complaint("goals = 3\n");
        assert!(
            words.starts_with("a.toml:8: unknown field `goals`"),
            "{words}"
        );
    }

    #[test]
    fn a_goal_that_names_no_column_is_refused_with_its_line() {
        let goal = "[[section.table.goal]]\nwhat = \"w\"\ncolumn = \"total s\"\nmost = 2\n";
        assert_eq!(
            complaint(goal),
            "a.toml:10: the table has no column `total s`"
        );
        let over = "[[section.table.goal]]\nwhat = \"w\"\ncolumn = \"s\"\nover = \"none\"\n";
        assert_eq!(complaint(over), "a.toml:11: the table has no column `none`");
    }

    #[test]
    fn a_column_without_a_template_is_refused() {
        let table = "[[section.table]]\ncolumns = [\"plain\"]\n";
        assert!(complaint(table).starts_with("a.toml:9: expected `NAME := TEMPLATE`"));
    }

    #[test]
    fn all_files_of_the_repository_are_read() {
        let folder = crate::root().join("bench/cases");
        for file in fs::read_dir(folder).unwrap() {
            if let Err(words) = CaseFile::read(&file.unwrap().path()) {
                panic!("{words}");
            }
        }
    }
}
