//! Runs what a case file says, and writes its report.
//!
//! The runs of a row take turns, so that a slow spell of the machine meets all of them. Every repetition must have the
//! same verdict. Of the repetitions the median counts, or the fastest where the file says so.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;

use super::cases::{
    CaseFile, Column, Find, Goal, GoalRows, Publish, RowSet, Run, Scalar, Section, Table, WriteFile,
};
use super::expr::{Scope, Template, Value, cell, evaluate, expand, is_true};
use super::lab::{Lab, Measurement};
use super::plot;
use super::protocols::protocols;
use super::report::{Goals, ReportTable};

/// Repetitions, unless the file says otherwise.
const TIMES: usize = 3;
/// What `--quick` measures, unless the file says otherwise.
const QUICK: &str = "events <= 10000";

type Values = BTreeMap<String, Value>;

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

/// A section that was measured.
struct ShownSection<'a> {
    section: &'a Section,
    about: String,
    tables: Vec<ShownTable<'a>>,
    verbatim: String,
}

struct ShownTable<'a> {
    table: &'a Table,
    columns: Vec<Column>,
    rows: Vec<ShownRow>,
    /// By goal, the figures of the rows it is about.
    figures: Vec<Vec<(f64, f64)>>,
    /// The line that shows its figure.
    image: String,
}

struct ShownRow {
    /// Which row of the first set it belongs to.
    group: usize,
    cells: Vec<(String, Value)>,
}

/// A run that was stopped: its name, its row of the first set, and the values that made it large.
type Stopped = (String, usize, Vec<f64>);

/// A row while it is measured.
struct RowScope<'a> {
    lab: &'a Lab,
    file: &'a CaseFile,
    section: &'a Section,
    group: usize,
    values: Values,
    measured: BTreeMap<&'a str, Measurement>,
    /// The run that a row of a table is about.
    this: Cell<Option<&'a Run>>,
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
struct NoNames;

impl Scope for NoNames {
    fn get(&self, name: &str) -> Result<Value, String> {
        Err(format!("there is no `{name}`"))
    }
}

/// A constant of the file, or of the machine.
fn constant(name: &str, scope: &dyn Scope, file: &CaseFile, lab: &Lab) -> Result<Value, String> {
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

fn value(scalar: &Scalar) -> Value {
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
fn words(command: &str, scope: &dyn Scope) -> Result<Vec<String>, String> {
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

impl<'a> Runner<'a> {
    fn section(&mut self, section: &'a Section) -> Result<Option<ShownSection<'a>>, String> {
        let rows = self.rows(section)?;
        if rows.is_empty() {
            return Ok(None);
        }
        let mut shown = ShownSection {
            section,
            about: String::new(),
            tables: Vec::new(),
            verbatim: String::new(),
        };
        for table in &section.table {
            let columns = self.file.columns_of(table).map_err(|(_, what)| what)?;
            let figures = table.goal.iter().map(|_| Vec::new()).collect();
            let (rows, image) = (Vec::new(), String::new());
            shown.tables.push(ShownTable {
                table,
                columns,
                rows,
                figures,
                image,
            });
        }
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
            let mut scope = RowScope {
                lab: &self.lab,
                file: self.file,
                section,
                group,
                values,
                measured: BTreeMap::new(),
                this: Cell::new(None),
            };
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
        RowScope {
            lab: &self.lab,
            file: self.file,
            section,
            group: 0,
            values: values.clone(),
            measured: BTreeMap::new(),
            this: Cell::new(None),
        }
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
        let mut text = String::new();
        for shown in &self.shown {
            let title = &shown.section.title;
            if !(publish.sections.is_empty() || publish.sections.contains(title)) {
                continue;
            }
            if self.shown.len() > 1 {
                let _ = write!(text, "### {title}\n\n");
            }
            if !shown.about.is_empty() {
                let _ = write!(text, "{}\n\n", shown.about);
            }
            let tables = shown.tables.iter();
            text.extend(
                tables.map(|table| table.image.clone() + &table.text(Some(publish)) + "\n"),
            );
        }
        if publish.goals {
            let _ = write!(text, "### Goals\n\n{}", self.goals.text());
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

/// Prepares and runs everything of a row.
fn measure(scope: &mut RowScope<'_>, stopped: &mut Vec<Stopped>) -> Result<(), String> {
    let section = scope.section;
    if let Some(find) = &section.find {
        seek(scope, find)?;
    }
    let seeds = match scope.lab.is_quick {
        true => section.seeds.last().map_or(&[][..], std::slice::from_ref),
        false => &section.seeds[..],
    };
    let mut seen: Vec<(f64, Measurement)> = Vec::new();
    for &seed in seeds {
        scope.values.insert("seed".to_owned(), Value::Number(seed));
        prepare(scope)?;
        let measured = repeat(scope, &section.run[..1], stopped)?;
        seen.extend(measured.into_iter().map(|(_, measured)| (seed, measured)));
    }
    if seeds.is_empty() && section.find.is_none() {
        prepare(scope)?;
    }
    let rest = &section.run[usize::from(!seeds.is_empty())..];
    let measured = repeat(scope, rest, stopped)?;
    scope.measured.extend(measured);
    if let Some(slowest) = slowest(seen) {
        scope.measured.insert(&section.run[0].name, slowest);
    }
    for must in &section.must {
        if !is_true(Some(must), scope)? {
            let verdicts = scope
                .measured
                .iter()
                .map(|(run, measured)| format!("{run}: {}", measured.verdict()));
            let verdicts: Vec<String> = verdicts.collect();
            return Err(format!(
                "`{must}` is not true of {:?}; {}",
                scope.values,
                verdicts.join(", ")
            ));
        }
    }
    Ok(())
}

/// Takes the first seed on which a command has a verdict.
fn seek(scope: &mut RowScope<'_>, find: &Find) -> Result<(), String> {
    let verdict = expand(&find.verdict, scope)?;
    for seed in 1..=find.upto {
        scope
            .values
            .insert("seed".to_owned(), Value::Number(f64::from(seed)));
        prepare(scope)?;
        if scope
            .lab
            .execute(&words(&find.command, scope)?, false)?
            .verdict()
            == verdict
        {
            return Ok(());
        }
    }
    Err(format!(
        "no seed up to {} is {verdict} in {:?}",
        find.upto, scope.values
    ))
}

/// The slowest of several seeds, with the verdict of all, or of each.
fn slowest(mut seen: Vec<(f64, Measurement)>) -> Option<Measurement> {
    seen.sort_by(|one, other| one.0.total_cmp(&other.0));
    let verdicts: Vec<String> = seen
        .iter()
        .map(|(_, measured)| measured.verdict())
        .collect();
    let is_same = verdicts.iter().all(|verdict| *verdict == verdicts[0]);
    let each = verdicts
        .iter()
        .zip(&seen)
        .map(|(verdict, (seed, _))| format!("{verdict} (seed {seed})"));
    let each: Vec<String> = each.collect();
    let (_, mut slowest) = seen
        .into_iter()
        .max_by(|one, other| one.1.wall.total_cmp(&other.1.wall))?;
    if !is_same {
        slowest.verdict = Some(each.join(", "));
    }
    Some(slowest)
}

/// Writes the files of a row and runs the commands before it.
fn prepare(scope: &mut RowScope<'_>) -> Result<(), String> {
    for file in &scope.section.write {
        if is_true(file.when.as_deref(), scope)? {
            write_file(scope, file)?;
        }
    }
    for (file, command) in &scope.section.make {
        if !scope.lab.file(&expand(file, scope)?).exists() {
            scope.lab.execute(&words(command, scope)?, false)?;
        }
    }
    for command in &scope.section.prepare {
        scope.lab.execute(&words(command, scope)?, false)?;
    }
    Ok(())
}

fn write_file(scope: &mut RowScope<'_>, file: &WriteFile) -> Result<(), String> {
    let count = evaluate(&file.count, scope)?.number() as usize;
    let parse = |line: &String| Template::parse(line);
    let lines = file
        .lines
        .iter()
        .map(parse)
        .collect::<Result<Vec<_>, _>>()?;
    let first = file.first.as_ref().map(parse).transpose()?;
    let mut text = expand(&file.before, scope)?;
    for n in (0..count).filter(|_| !lines.is_empty()) {
        scope.values.insert("n".to_owned(), Value::Number(n as f64));
        let line = first.as_ref().filter(|_| n.is_multiple_of(file.first_of));
        text += &line.unwrap_or(&lines[n % lines.len()]).cell(scope)?.0;
        text += if n + 1 < count { &file.between } else { "" };
    }
    text += &expand(&file.after, scope)?;
    if let Some(from) = &file.from {
        let from = expand(from, scope)?;
        let all = fs::read_to_string(&from).map_err(|error| format!("{from}: {error}"))?;
        text = block(&all, &expand(&file.keep, scope)?)
            .ok_or_else(|| format!("{from} has no `{}`", file.keep))?;
    }
    let path = scope.lab.file(&expand(&file.file, scope)?);
    fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
}

/// The block or line of a property file that begins with some words, after the `let` lines.
fn block(text: &str, words: &str) -> Option<String> {
    let mut kept: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("let "))
        .collect();
    let mut lines = text.lines().skip_while(|line| !line.starts_with(words));
    let first = lines.next()?;
    kept.push(first);
    if first.ends_with('{') {
        kept.extend(lines.take_while(|line| !line.starts_with('}')));
        kept.push("}");
    }
    Some(kept.join("\n"))
}

/// Measures runs in turns; what counts of each.
fn repeat<'a>(
    scope: &RowScope<'a>,
    runs: &'a [Run],
    stopped: &mut Vec<Stopped>,
) -> Result<Vec<(&'a str, Measurement)>, String> {
    let mut tries: Vec<(&Run, usize, Vec<Measurement>)> = Vec::new();
    for run in runs {
        let times = match &run.times {
            Some(times) => evaluate(times, scope)?.number() as usize,
            None => scope.section.times.unwrap_or(TIMES),
        };
        if is_true(run.when.as_deref(), scope)? && !is_hopeless(scope, run, stopped)? {
            tries.push((run, if scope.lab.is_quick { 1 } else { times }, Vec::new()));
        }
    }
    let most = tries.iter().map(|(_, times, _)| *times).max().unwrap_or(0);
    for turn in 0..most {
        for (run, times, tries) in &mut tries {
            if turn < *times {
                let one = execute(scope, run)?;
                if let Some(other) = tries
                    .first()
                    .filter(|other: &&Measurement| other.verdict() != one.verdict())
                {
                    let words = format!(
                        "{} says {} and {}",
                        run.name,
                        other.verdict(),
                        one.verdict()
                    );
                    return Err(format!("{words} of {:?}", scope.values));
                }
                tries.push(one);
            }
        }
    }
    let mut measured = Vec::new();
    for (run, _, mut tries) in tries {
        let metric = scope.section.fastest.as_deref();
        let figure = |one: &Measurement| one.metric(metric.unwrap_or("wall")).number();
        tries.sort_by(|one, other| figure(one).total_cmp(&figure(other)));
        let counts = tries.swap_remove(if metric.is_some() { 0 } else { tries.len() / 2 });
        if counts.stopped().is_some() {
            stopped.push((run.name.clone(), scope.group, sizes(scope, run)?));
        }
        measured.push((&*run.name, counts));
    }
    Ok(measured)
}

fn sizes(scope: &RowScope<'_>, run: &Run) -> Result<Vec<f64>, String> {
    let sizes = run
        .gives_up
        .iter()
        .map(|name| Ok(scope.get(name)?.number()));
    sizes.collect()
}

/// Whether a run was stopped at a smaller size.
fn is_hopeless(scope: &RowScope<'_>, run: &Run, stopped: &[Stopped]) -> Result<bool, String> {
    let sizes = sizes(scope, run)?;
    let mut smaller = stopped.iter().filter(|(name, group, least)| {
        *name == run.name
            && *group == scope.group
            && least.iter().zip(&sizes).all(|(least, size)| least <= size)
    });
    Ok(!run.gives_up.is_empty() && smaller.next().is_some())
}

fn execute(scope: &RowScope<'_>, run: &Run) -> Result<Measurement, String> {
    let mut wall = 0.0;
    let mut last = None;
    for command in &run.commands {
        match scope.lab.execute(&words(command, scope)?, run.any_status) {
            Ok(measured) => {
                wall += measured.wall;
                last = Some(measured);
            }
            Err(failure)
                if run
                    .refusal
                    .as_ref()
                    .is_some_and(|refusal| failure.contains(refusal)) =>
            {
                return Ok(Measurement::refused(&failure));
            }
            Err(failure) => return Err(failure),
        }
    }
    let mut last = last.ok_or_else(|| format!("`{}` has no commands", run.name))?;
    last.wall = wall;
    Ok(last)
}

fn verbatim(scope: &RowScope<'_>) -> Result<String, String> {
    let mut text = String::new();
    for command in &scope.section.verbatim {
        let printed = scope.lab.execute(&words(command, scope)?, false)?.text;
        let _ = write!(text, "```text\n{printed}```\n\n");
    }
    Ok(text)
}

impl ShownSection<'_> {
    fn text(&self) -> String {
        let mut text = format!("## {}\n\n", self.section.title);
        if !self.about.is_empty() {
            let _ = write!(text, "{}\n\n", self.about.trim());
        }
        text += &self.verbatim;
        let tables: Vec<String> = self.tables.iter().map(|table| table.text(None)).collect();
        text + &tables.join("\n")
    }
}

impl ShownTable<'_> {
    /// Adds the rows of what was measured, and compares goals.
    fn add(&mut self, scope: &RowScope<'_>, goals: &mut Goals) -> Result<(), String> {
        if !self.table.by_run {
            return self.row(scope, goals);
        }
        let runs = scope.section.run.iter();
        for run in runs.filter(|run| scope.measured.contains_key(&*run.name)) {
            scope.this.set(Some(run));
            self.row(scope, goals)?;
        }
        scope.this.set(None);
        Ok(())
    }

    fn row(&mut self, scope: &RowScope<'_>, goals: &mut Goals) -> Result<(), String> {
        if !is_true(self.table.when.as_deref(), scope)? {
            return Ok(());
        }
        let cells = self
            .columns
            .iter()
            .map(|column| cell(&column.template, scope));
        let cells = cells.collect::<Result<Vec<_>, _>>()?;
        let texts: Vec<&str> = cells.iter().map(|(text, _)| &**text).collect();
        eprintln!("| {} |", texts.join(" | "));
        self.rows.push(ShownRow {
            group: scope.group,
            cells,
        });
        for (number, goal) in self.table.goal.iter().enumerate() {
            if !is_true(goal.when.as_deref(), scope)? {
                continue;
            }
            let figures = self.figures_of(goal);
            match goal.of {
                GoalRows::Each => {
                    let what = expand(&goal.what, scope)?;
                    goals.compare(
                        &what,
                        figures.0 / figures.1,
                        (goal.least, goal.most),
                        &goal.unit,
                    );
                }
                GoalRows::Worst | GoalRows::Spread => self.figures[number].push(figures),
            }
        }
        Ok(())
    }

    /// What a goal divides, in the last row.
    fn figures_of(&self, goal: &Goal) -> (f64, f64) {
        let last = |name: &str| self.column(name).last().unwrap_or(f64::NAN);
        let over = goal.over.as_ref().map_or(1.0, |over| last(over.as_ref()));
        (last(goal.column.as_ref()), over)
    }

    /// The numbers of a column.
    fn column(&self, name: &str) -> impl Iterator<Item = f64> {
        let place = self.columns.iter().position(|column| column.name == name);
        let rows = self.rows.iter();
        rows.filter_map(move |row| row.cells.get(place?).map(|(_, value)| value.number()))
    }

    /// Compares the goals of all rows together.
    fn summarise(&self, goals: &mut Goals) {
        for (goal, figures) in self.table.goal.iter().zip(&self.figures) {
            let mut ratios: Vec<f64> = figures.iter().map(|(one, other)| one / other).collect();
            ratios.retain(|ratio| !ratio.is_nan());
            ratios.sort_by(f64::total_cmp);
            let (Some(least), Some(most)) = (ratios.first(), ratios.last()) else {
                continue;
            };
            if goal.of == GoalRows::Worst {
                goals.compare(&goal.what, *most, (goal.least, goal.most), &goal.unit);
                continue;
            }
            let alone = figures
                .iter()
                .filter(|(one, other)| one.is_nan() && !other.is_nan());
            goals.note(&format!(
                "{}: {least:.1} to {most:.0}, median {:.1}, over the {} rows that have both; {} rows have only the second",
                goal.what,
                ratios[ratios.len() / 2],
                ratios.len(),
                alone.count()
            ));
        }
    }

    /// The table; a page may omit columns, and all but the last row of each group.
    fn text(&self, page: Option<&Publish>) -> String {
        let omit = page.map_or(&[][..], |page| &page.omit);
        let only_last = page.is_some_and(|page| page.last);
        let names: Vec<&str> = self.columns.iter().map(|column| &*column.name).collect();
        let is_shown = |place: usize| !omit.iter().any(|name| name == names[place]);
        let shown: Vec<usize> = (0..names.len()).filter(|&place| is_shown(place)).collect();
        let mut table =
            ReportTable::new(&shown.iter().map(|&place| names[place]).collect::<Vec<_>>());
        for (number, row) in self.rows.iter().enumerate() {
            let next = self.rows.get(number + 1);
            if !only_last || next.is_none_or(|next| next.group != row.group) {
                let cells: Vec<String> = shown
                    .iter()
                    .map(|&place| row.cells[place].0.clone())
                    .collect();
                table.add(&cells);
            }
        }
        let titles = self
            .table
            .title
            .iter()
            .map(|title| format!("## {title}\n\n"));
        let abouts = Some(&self.table.about).filter(|about| page.is_none() && !about.is_empty());
        let abouts = abouts.map(|about| format!("{about}\n\n"));
        titles.chain(abouts).chain([table.text]).collect()
    }

    /// Draws the figure of the table; the line that shows it.
    fn draw(&self, lab: &Lab) -> Result<String, String> {
        let Some(figure) = &self.table.figure else {
            return Ok(String::new());
        };
        let across = figure.across.as_ref();
        let points = |name: &str| self.column(across).zip(self.column(name)).collect();
        let svg = plot::seconds(
            &figure.title,
            across,
            points("read s"),
            points("check s"),
            points("total s"),
        );
        lab.site
            .write(&format!("docs/book/src/{}", figure.file), svg.as_bytes())?;
        Ok(format!(
            "![{}: seconds for reading, checking and both]({})\n\n",
            figure.title, figure.file
        ))
    }
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
