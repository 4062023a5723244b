//! Measures one row: prepares its files, runs its commands in turns, and picks the repetition that counts.
//!
//! The runs take turns, so that a slow spell of the machine meets all of them. Every repetition must have the same
//! verdict. The median counts, or the fastest where the file says so.

use std::fs;

use super::cases::{Find, Run, WriteFile};
use super::expr::{Scope, Template, Value, evaluate, expand, is_true};
use super::lab::Measurement;
use super::scope::{RowScope, words};

/// Repetitions, unless the file says otherwise.
const TIMES: usize = 3;

/// A run that was stopped: its name, its row of the first set, and the values that made it large.
pub(super) type Stopped = (String, usize, Vec<f64>);
/// Prepares and runs everything of a row.
pub(super) fn measure(scope: &mut RowScope<'_>, stopped: &mut Vec<Stopped>) -> Result<(), String> {
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
