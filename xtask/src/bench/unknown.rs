//! `cargo xtask bench unknown`: how many verdicts are unknown within two seconds, before and after a change.
//!
//! ```text
//! cargo xtask bench unknown [--before [NAME=]PROGRAM] --after [NAME=]PROGRAM [--cases N] [--seed N] [--keep DIRECTORY]
//! ```
//!
//! A case is a run of a protocol, right or faulty, and a property: one of the protocol's own, or a random one. The seed
//! gives the sample. Every case that is still unknown is checked on the recorded order alone (`recorded.rs`): no property
//! that one cut or the recorded order decides may be among them. With `--keep` the answers are kept as `before.jsonl` and
//! `after.jsonl`, and a case that has one there is not checked again; with one program only that side is brought up to
//! date. Without answers of an earlier program the report is about the later one alone.

mod checker;
mod formula;
mod generate;
mod modal;
mod property;
mod random;
mod recorded;
mod report;
mod results;
mod sample;
mod vocabulary;

use std::fs;
use std::path::{Path, PathBuf};

use super::report::{Goals, Site};
use checker::Checker;
use property::Property;
use random::Rng;
use results::{CaseResult, Results};
use sample::{PROPERTIES_PER_RUN, SampleRun};

/// The time limit of every case.
const TIMEOUT_SECONDS: f64 = 2.0;
const USUAL_CASES: usize = 3_000;
const USUAL_SEED: u64 = 1;

/// The options of the command.
struct Options {
    before: Option<Program>,
    after: Option<Program>,
    cases: usize,
    seed: u64,
    keep: Option<PathBuf>,
}

/// A program under test, and what the report calls it.
struct Program {
    name: Option<String>,
    path: PathBuf,
}

/// Checks the sample and writes the report.
pub(super) fn run(root: &Path, options: &[String]) -> Result<(), String> {
    let options = Options::parse(options)?;
    let folder = std::env::temp_dir().join(format!("causet-bench-unknown-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let outcome = check_and_report(root, &options, &folder);
    // The seeds make the runs again; what cannot be removed is in a folder for temporary files.
    let _ = fs::remove_dir_all(&folder);
    outcome
}

fn check_and_report(root: &Path, options: &Options, folder: &Path) -> Result<(), String> {
    let site = Site::new(root, None)?;
    let mut before = Results::open(options.keep.as_deref(), "before")?;
    let mut after = Results::open(options.keep.as_deref(), "after")?;
    let checker = |program: &Option<Program>| {
        program.as_ref().map(|program| Checker {
            program: program.path.clone(),
            folder: folder.to_owned(),
        })
    };
    let sides = Sides {
        before: checker(&options.before),
        after: checker(&options.after),
    };
    eprintln!("{} cases, seed {}", options.cases, options.seed);
    let mut checked = 0;
    for number in 0..options.cases.div_ceil(PROPERTIES_PER_RUN) {
        let count = PROPERTIES_PER_RUN.min(options.cases - checked);
        let mut rng = Rng::new(options.seed, number as u64);
        let run = SampleRun::draw(&mut rng);
        sides.check_run(&mut rng, &run, count, (&mut before, &mut after))?;
        checked += count;
        eprintln!(
            "{checked} cases, unknown: {} before, {} after ({})",
            before.unknown(),
            after.unknown(),
            run.arguments()
        );
    }
    let is_compared = before.cases.len() == options.cases;
    if after.cases.len() != options.cases || !(is_compared || before.cases.is_empty()) {
        eprintln!("no report: the answers are not complete");
        return Ok(());
    }
    let text = report::text(options, &before.cases, &after.cases);
    site.save("unknown", &text, &Goals::default())
}

/// Both programs; a side without one has only the answers that are kept.
struct Sides {
    before: Option<Checker>,
    after: Option<Checker>,
}

impl Sides {
    fn check_run(
        &self,
        rng: &mut Rng,
        run: &SampleRun,
        count: usize,
        (before, after): (&mut Results, &mut Results),
    ) -> Result<(), String> {
        let generator = self.after.as_ref().or(self.before.as_ref());
        let generator = generator.ok_or("which program? Give --before or --after")?;
        let (trace, own) = generator.generate(&run.arguments())?;
        let single = trace.with_file_name("single.jsonl");
        for property in sample::properties(rng, run, &trace, &own, count)? {
            for (checker, results) in [(&self.before, &mut *before), (&self.after, &mut *after)] {
                let known = results.reuse(run, &property, checker.is_some());
                if let (false, Some(checker)) = (known, checker) {
                    results.add(check(checker, run, &trace, &property)?)?;
                }
            }
            if let (Some(checker), Some(last)) = (&self.after, after.cases.last_mut())
                && last.is_open()
            {
                examine(checker, &trace, &single, &property, last)?;
                after.save_last()?;
            }
        }
        // It belongs to this run; most runs need none.
        let _ = fs::remove_file(single);
        Ok(())
    }
}

fn check(
    checker: &Checker,
    run: &SampleRun,
    trace: &Path,
    property: &Property,
) -> Result<CaseResult, String> {
    let answer = checker.check(trace, &property.text)?;
    Ok(CaseResult::new(run, property, answer))
}

/// Finds out what was tried on a case that is unknown, and whether the recorded order decides it.
fn examine(
    checker: &Checker,
    trace: &Path,
    single: &Path,
    property: &Property,
    result: &mut CaseResult,
) -> Result<(), String> {
    if !single.exists() {
        recorded::write_single_order(trace, single).map_err(|error| error.to_string())?;
    }
    let seconds = result.answer.repeated.unwrap_or(TIMEOUT_SECONDS);
    let (tried, again) = checker.explain(trace, &property.text, seconds)?;
    result.tried = tried;
    result.again = again;
    result.recorded = recorded::decided(checker, single, property)?;
    Ok(())
}

impl Options {
    fn parse(words: &[String]) -> Result<Options, String> {
        let mut options = Options {
            before: None,
            after: None,
            cases: USUAL_CASES,
            seed: USUAL_SEED,
            keep: None,
        };
        let mut words = words.iter();
        while let Some(name) = words.next() {
            let value = words.next().ok_or(format!("{name} needs a value"))?;
            let number = || {
                value
                    .parse::<u64>()
                    .map_err(|error| format!("{name}: {error}"))
            };
            match name.as_str() {
                "--before" => options.before = Some(Program::parse(value)),
                "--after" => options.after = Some(Program::parse(value)),
                "--cases" => options.cases = number()? as usize,
                "--seed" => options.seed = number()?,
                "--keep" => options.keep = Some(PathBuf::from(value)),
                _ => return Err(format!("there is no option {name}")),
            }
        }
        Ok(options)
    }
}

impl Program {
    fn parse(text: &str) -> Program {
        let (name, path) = match text.split_once('=') {
            Some((name, path)) => (Some(name.to_owned()), path),
            None => (None, text),
        };
        Program {
            name,
            path: PathBuf::from(path),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_in_pairs() {
        let words = ["--cases", "100", "--before", "old=/tmp/causet"].map(str::to_owned);
        let options = Options::parse(&words);
        assert!(options.is_ok_and(|options| {
            options.cases == 100
                && options
                    .before
                    .is_some_and(|program| program.name.as_deref() == Some("old"))
        }));
        assert!(Options::parse(&["--seed".to_owned()]).is_err());
    }
}
