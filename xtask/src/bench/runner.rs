//! Runs what a case file says, and writes its report.

use std::fmt::Write as _;
use std::path::Path;

use super::cases::{CaseFile, Publish, RowSet, Section};
use super::expr::{Scope, Value, expand, is_true};
use super::lab::Lab;
use super::measure::measure;
use super::protocols::protocols;
use super::report::Goals;
use super::scope::{NoNames, RowScope, Values, constant, value, words};
use super::shown::ShownSection;

/// What `--quick` measures, unless the file says otherwise.
const QUICK: &str = "events <= 10000";

/// Measures a case file; `only` restricts it to rows and sections with these words.
pub(crate) fn run(
    root: &Path,
    name: &str,
    is_quick: bool,
    only: Option<&str>,
) -> Result<(), String> {
    let file = CaseFile::read(&root.join(format!("bench/cases/{name}.toml")))?;
    let lab = Lab::open(root, is_quick, only.is_some())?;
    let commands = file.section.iter().flat_map(|section| &section.run);
    if commands
        .flat_map(|run| &run.commands)
        .any(|command| command.starts_with("peers "))
    {
        lab.build_peers()?;
    }
    let mut runner = Runner {
        lab,
        file: &file,
        only,
        goals: Goals::default(),
        shown: Vec::new(),
    };
    for section in &file.section {
        let shown = runner.section(section)?;
        runner.shown.extend(shown);
    }
    runner.finish(name)
}

struct Runner<'a> {
    lab: Lab,
    file: &'a CaseFile,
    only: Option<&'a str>,
    goals: Goals,
    shown: Vec<ShownSection<'a>>,
}

impl<'a> Runner<'a> {
    fn section(&mut self, section: &'a Section) -> Result<Option<ShownSection<'a>>, String> {
        let rows = self.rows(section)?;
        if rows.is_empty() {
            return Ok(None);
        }
        let mut shown = ShownSection::new(self.file, section)?;
        let version = match self.version(section) {
            Ok(version) => version,
            Err(why) => {
                eprintln!("SKIPPED: {why}");
                shown.about = format!("Skipped: {why}.");
                shown.tables.clear();
                return Ok(Some(shown));
            }
        };
        eprintln!("{}", section.title);
        let mut stopped = Vec::new();
        for (group, mut values) in rows {
            values.insert("version".to_owned(), Value::Text(version.clone()));
            let mut scope = RowScope::new(&self.lab, self.file, section, group, values);
            measure(&mut scope, &mut stopped)
                .map_err(|error| format!("{}: {error}", section.title))?;
            for table in &mut shown.tables {
                table.add(&scope, &mut self.goals)?;
            }
            shown.about = expand(&section.about, &scope)?;
            if shown.verbatim.is_empty() {
                shown.verbatim = verbatim(&scope)?;
            }
        }
        for table in &mut shown.tables {
            table.summarise(&mut self.goals);
            table.image = table.draw(&self.lab)?;
        }
        Ok(Some(shown))
    }

    /// The version of the program that a section needs.
    fn version(&self, section: &Section) -> Result<String, String> {
        let Some(program) = &section.needs else {
            return Ok(String::new());
        };
        let asked = self.lab.execute(&[program.clone(), "-V".to_owned()], false);
        let asked = asked.map_err(|_| {
            format!("{program} is not installed (Debian: apt-get install {program})")
        })?;
        Ok(asked.text.lines().next().unwrap_or_default().to_owned())
    }

    /// The rows of a section, each with its place in the first set.
    fn rows(&self, section: &'a Section) -> Result<Vec<(usize, Values)>, String> {
        let mut rows = vec![(0, Values::new())];
        for (place, name) in section.over.iter().enumerate() {
            let mut product = Vec::new();
            for (group, values) in rows {
                let name = expand(name, &self.scope(section, &values))?;
                let set = self.file.sets.get(&name);
                let set =
                    set.ok_or_else(|| format!("{}: there is no set `{name}`", section.title))?;
                for (number, row) in self.set(set)?.into_iter().enumerate() {
                    let group = if place == 0 { number } else { group };
                    let merged = values
                        .iter()
                        .map(|(name, value)| (name.clone(), value.clone()));
                    product.push((group, merged.chain(row).collect()));
                }
            }
            rows = product;
        }
        let mut kept = Vec::new();
        for (group, values) in rows {
            if self.is_measured(section, &values)? {
                kept.push((group, values));
            }
        }
        Ok(kept)
    }

    fn scope<'s>(&'s self, section: &'s Section, values: &Values) -> RowScope<'s> {
        RowScope::new(&self.lab, self.file, section, 0, values.clone())
    }

    fn is_measured(&self, section: &Section, values: &Values) -> Result<bool, String> {
        let scope = self.scope(section, values);
        let quick = section.quick.as_deref();
        let quick = quick.or_else(|| values.contains_key("events").then_some(QUICK));
        let has = |words: &str| {
            let mut texts = values.values().filter_map(|value| match value {
                Value::Text(text) => Some(text),
                Value::Number(_) => None,
            });
            section.title.contains(words) || texts.any(|text| text.contains(words))
        };
        Ok(self.only.is_none_or(has)
            && is_true(section.when.as_deref(), &scope)?
            && (!self.lab.is_quick || is_true(quick, &scope)?))
    }

    fn set(&self, set: &RowSet) -> Result<Vec<Values>, String> {
        let cells = match &set.command {
            None => set
                .rows
                .iter()
                .map(|row| row.iter().map(value).collect())
                .collect(),
            Some(command) => self.listed(command, &set.split)?,
        };
        let missing = || Value::Text("-".to_owned());
        Ok(cells
            .into_iter()
            .map(|cells: Vec<Value>| {
                let cells = cells.into_iter().map(Some).chain(std::iter::repeat(None));
                let pairs = set.names.iter().cloned().zip(cells);
                pairs
                    .map(|(name, cell)| (name, cell.unwrap_or_else(missing)))
                    .collect()
            })
            .collect())
    }

    /// The rows that a command prints: lines with cells, or without `split` the list of protocols.
    fn listed(&self, command: &str, split: &str) -> Result<Vec<Vec<Value>>, String> {
        let scope = Summary { runner: self };
        let text = self.lab.execute(&words(command, &scope)?, false)?.text;
        let cell = |text: &str| Value::Text(text.trim().to_owned());
        if split.is_empty() {
            let found = protocols(&text).into_iter();
            return Ok(found
                .map(|(name, procs)| vec![cell(&name), Value::Number(procs as f64)])
                .collect());
        }
        let lines = text.lines().filter(|line| line.contains(split));
        Ok(lines
            .map(|line| line.split(split).map(cell).collect())
            .collect())
    }

    /// Shows the results on pages, and writes the report.
    fn finish(&self, name: &str) -> Result<(), String> {
        if self
            .shown
            .iter()
            .all(|shown| shown.section.needs.is_some() && shown.tables.is_empty())
        {
            return Err("SKIPPED: nothing was measured".to_owned());
        }
        let site = &self.lab.site;
        let summary = Summary { runner: self };
        let note = expand(&self.file.note, &summary)?;
        let texts = self
            .shown
            .iter()
            .map(ShownSection::text)
            .collect::<Vec<_>>()
            .join("\n");
        site.save(name, format!("{note}\n\n{texts}").trim_start(), &self.goals)?;
        let (texts, tables): (Vec<_>, Vec<_>) = self
            .file
            .publish
            .iter()
            .partition(|publish| publish.text.is_some());
        for publish in tables {
            site.publish(&publish.page, &publish.mark, &self.published(publish), true)?;
        }
        match self.goals.verdict() {
            Err(missed) if self.lab.is_quick => {
                eprintln!("not counted, since the cases are small: {missed}");
            }
            outcome => outcome?,
        }
        for publish in texts {
            let text = expand(publish.text.as_deref().unwrap_or_default(), &summary)?;
            site.publish(&publish.page, &publish.mark, &text, false)?;
        }
        Ok(())
    }

    /// What a page shows of the sections.
    fn published(&self, publish: &Publish) -> String {
        let is_shown =
            |title: &String| publish.sections.is_empty() || publish.sections.contains(title);
        let shown = self
            .shown
            .iter()
            .filter(|shown| is_shown(&shown.section.title));
        let mut text: String = shown
            .map(|shown| shown.page_text(publish, self.shown.len() > 1))
            .collect();
        if publish.goals {
            text += &format!("### Goals\n\n{}", self.goals.text());
        }
        text
    }
}

/// Figures over all rows, for texts on pages.
struct Summary<'a> {
    runner: &'a Runner<'a>,
}

impl Scope for Summary<'_> {
    fn get(&self, name: &str) -> Result<Value, String> {
        constant(name, self, self.runner.file, &self.runner.lab)
    }

    fn call(&self, name: &str, arguments: &[Value]) -> Result<Value, String> {
        let tables = || self.runner.shown.iter().flat_map(|shown| &shown.tables);
        let [Value::Text(of)] = arguments else {
            return NoNames.call(name, arguments);
        };
        match name {
            "count" => {
                let set = self
                    .runner
                    .file
                    .sets
                    .get(of)
                    .ok_or_else(|| format!("there is no set `{of}`"))?;
                Ok(Value::Number(self.runner.set(set)?.len() as f64))
            }
            "worst" => {
                let figures = tables().flat_map(|table| table.column(of));
                Ok(Value::Number(figures.fold(f64::NAN, f64::max)))
            }
            _ => NoNames.call(name, arguments),
        }
    }
}

fn verbatim(scope: &RowScope<'_>) -> Result<String, String> {
    let mut text = String::new();
    for command in &scope.section.verbatim {
        let printed = scope.lab.execute(&words(command, scope)?, false)?.text;
        let _ = write!(text, "```text\n{printed}```\n\n");
    }
    Ok(text)
}
