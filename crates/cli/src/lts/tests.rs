//! `causet lts tests`: the complete test graph of a purpose, and test cases from it.
//!
//! Every graph is held against what a test graph must look like before it is written.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::{fs, io};

use causet::inner::{self as watch, Team, model_in, system_in};
use causet_base::Code;
use causet_base::budget::{Budget, Spent};
use causet_lts::conformance::cases::{Case, Cases};
use causet_lts::conformance::direct::Generated;
use causet_lts::conformance::graph::{TestGraph, Verdict, reserved};
use causet_lts::conformance::purpose::{NotAPurpose, Purpose};
use causet_lts::conformance::roles::Convention;
use causet_lts::conformance::structure::flaw;
use causet_lts::model::Model;
use causet_report::SCHEMA;
use causet_report::words::{clean, count};
use causet_solve::workers::WorkerSummary;
use fastrand::Rng;
use serde_json::json;

use super::convert::{Form, write};
use super::interface;
use super::test_graph::{Task, accept, gather};
use super::test_text::text;
use crate::cli::lts::Tests;
use crate::diagnostics;
use crate::failure::{Failure, Status};
use crate::input::NotRead;
use crate::limits::{self, Limits};
use crate::output;
use crate::together::Workforce;

/// Runs the command.
pub(crate) fn run(arguments: Tests) -> Result<Status, Failure> {
    let form = arguments.output.as_deref().map(form).transpose()?;
    let convention = interface::convention(&arguments.interface)?;
    let limits = limits::of(arguments.allowed);
    let workforce = gather(&arguments)?;
    let job = Arc::new(Job {
        limits,
        arguments,
        form,
        convention,
        workforce: workforce.map(Arc::new),
        status: OnceLock::new(),
    });
    match &job.workforce {
        None => {
            let own = Arc::clone(&job);
            super::ended(watch::finished(&job.limits, move || own.work()))
        }
        Some(workforce) => {
            Arc::clone(workforce).watch(Arc::clone(&job.limits))?;
            let is_complete = || matches!(job.status.get(), Some(Ok(_)));
            // The work may outlive this function when the watcher gives up on it.
            let own = Arc::clone(&job);
            let work = Box::new(move || own.note(own.work()));
            Team::run(&**workforce, &job.limits, work, &is_complete)?;
            let reached = || job.limits.reached().unwrap_or(Spent::Time);
            let status = job.status.get().copied();
            super::ended(
                status
                    .unwrap_or_else(|| Err(reached()))
                    .map_err(NotRead::Stopped),
            )
        }
    }
}

/// Refuses what would be refused by every process that is started with these arguments.
pub(crate) fn preflight(arguments: &Tests) -> Result<(), Failure> {
    accept(arguments)?;
    arguments.output.as_deref().map(form).transpose()?;
    interface::convention(&arguments.interface).map(drop)
}

/// Everything the work needs, and how it ended.
struct Job {
    limits: Arc<Limits>,
    arguments: Tests,
    form: Option<Form>,
    convention: Convention,
    /// Those who solve the equations, if that is not one thread alone.
    workforce: Option<Arc<Workforce>>,
    status: OnceLock<Result<Status, Spent>>,
}

impl Job {
    /// Notes how the work ended, unless it failed.
    fn note(&self, ended: Result<Status, NotRead>) -> Result<(), Failure> {
        let status = match ended {
            Ok(status) => Ok(status),
            Err(NotRead::Stopped(spent)) => Err(spent),
            Err(NotRead::Failed(failure)) => return Err(failure),
        };
        self.status.get_or_init(|| status);
        Ok(())
    }

    fn work(&self) -> Result<Status, NotRead> {
        let (arguments, limits) = (&self.arguments, &self.limits);
        let workforce = self.workforce.as_deref();
        let is_first = workforce.is_none_or(Workforce::is_first);
        if !is_first {
            limits::be_quiet();
        }
        let (path, reading) = (&arguments.source.model, arguments.source.reading.model());
        let team = workforce.map(|all| all as &dyn Team);
        let model = model_in(path, &reading, limits, team)?;
        let read_seconds = limits.seconds();
        if let Some(spent) = team.map_or(Ok(None), Team::agree)? {
            return Err(spent.into());
        }
        let alphabet = interface::alphabet(model.labels(), &self.convention)?;
        if let Some(word) = reserved(model.labels()) {
            let message = format!("the label `{word}` is reserved");
            return Err(Failure::helped(
                Code::BadPurpose,
                message,
                "rename it: it stands for a verdict",
            )
            .into());
        }
        let budget = limits.budget();
        let purpose = purpose(arguments, &model, limits, is_first, &budget)?;
        let task = Task {
            arguments,
            workforce,
            alphabet: &alphabet,
            purpose: &purpose,
        };
        limits.begin("generating tests", None);
        let generated = task.generate(&model, &budget);
        limits.end();
        match generated? {
            Some((generated, workers)) => {
                let cases = match &generated.graph {
                    Some(graph) => cases(graph, arguments, &budget)?,
                    None => Vec::new(),
                };
                self.publish(&Made {
                    generated,
                    workers,
                    cases,
                    read_seconds,
                })
            }
            None => Ok(Status::Fine),
        }
    }

    /// Writes the graph and the cases, and says what there is.
    fn publish(&self, made: &Made) -> Result<Status, NotRead> {
        let arguments = &self.arguments;
        if let Some(graph) = &made.generated.graph {
            sound(graph, false)?;
            if let (Some(path), Some(form)) = (&arguments.output, self.form) {
                write(&graph.to_lts(), form, Some(path), &self.limits)?;
            }
        }
        if let Some(folder) = &arguments.cases {
            write_cases(folder, &made.cases, &self.limits)?;
        }
        let text = match arguments.json {
            true => object(arguments, made, self.limits.seconds()),
            false => sentences(arguments, made),
        };
        output::to_stdout(text.as_bytes())?;
        Ok(match made.generated.graph {
            Some(_) => Status::Fine,
            None => Status::Violated,
        })
    }
}

/// What was made, by whom.
struct Made {
    generated: Generated,
    workers: Vec<WorkerSummary>,
    cases: Vec<Case>,
    read_seconds: f64,
}

/// The format that the name of a file asks for.
fn form(path: &Path) -> Result<Form, Failure> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("aut") => Ok(Form::Aut),
        Some("dot") => Ok(Form::Dot),
        _ => Err(Failure::helped(
            Code::Usage,
            format!("what kind of file is {}?", path.display()),
            "a test graph is written as .aut or .dot",
        )),
    }
}

/// What to do about a label of a purpose.
const ABOUT_PATTERNS: &str =
    r"labels of a purpose are regular expressions for whole labels; \? is a question mark";

fn purpose(
    arguments: &Tests,
    model: &Model,
    limits: &Limits,
    is_first: bool,
    budget: &Budget<'_>,
) -> Result<Purpose, NotRead> {
    let path = &arguments.purpose;
    let lts = system_in(path, &arguments.source.reading.of_purpose().model(), limits)?;
    let message = |what| format!("{} is not a purpose: {what}", path.display());
    let purpose = Purpose::new(&lts, model.labels(), budget).map_err(|not| match not {
        NotAPurpose::Spent(spent) => NotRead::Stopped(spent),
        NotAPurpose::Pattern(what) => {
            Failure::helped(Code::BadPurpose, message(what), ABOUT_PATTERNS).into()
        }
        NotAPurpose::Unfit(what) => Failure::refused(Code::BadPurpose, message(what)).into(),
    })?;
    for label in purpose.unmatched().iter().filter(|_| is_first) {
        let message = format!("no label of the specification matches `{}`", clean(label));
        diagnostics::warning(Code::PurposeLabel, &message, Some(ABOUT_PATTERNS));
    }
    Ok(purpose)
}

/// Fails if a graph is not what a test graph must be.
fn sound(graph: &TestGraph, is_case: bool) -> Result<(), Failure> {
    match flaw(graph, is_case) {
        None => Ok(()),
        Some(flaw) => Err(Failure::Internal(format!("a test is wrong: {flaw}"))),
    }
}

/// The cases that were asked for.
fn cases(graph: &TestGraph, arguments: &Tests, budget: &Budget<'_>) -> Result<Vec<Case>, NotRead> {
    let makes = Cases::new(graph);
    let mut cases = Vec::new();
    let mut keep = |case: Case| -> Result<(), NotRead> {
        sound(&case.graph, true)?;
        budget.charge(case.graph.lts().bytes())?;
        cases.push(case);
        Ok(())
    };
    if arguments.shortest {
        keep(makes.shortest(budget)?)?;
    }
    let mut covering = makes.covering();
    while arguments.cover
        && let Some(case) = covering.next_case(budget)?
    {
        keep(case)?;
    }
    let mut random = Rng::with_seed(arguments.seed);
    for _ in 0..arguments.random.unwrap_or(0) {
        keep(makes.random(&mut random, budget)?)?;
    }
    Ok(cases)
}

/// Writes each case in three forms, numbered.
fn write_cases(folder: &Path, cases: &[Case], limits: &Limits) -> Result<(), NotRead> {
    let refused = |error| {
        Failure::io(
            Code::NotWritable,
            format!("{} cannot be made", folder.display()),
            &error,
        )
    };
    fs::create_dir_all(folder).map_err(refused)?;
    remove_cases(folder).map_err(|error| {
        let what = format!("earlier cases in {} cannot be removed", folder.display());
        Failure::io(Code::NotWritable, what, &error)
    })?;
    for (case, number) in cases.iter().zip(1..) {
        let path = |ending: &str| folder.join(format!("case-{number:03}.{ending}"));
        let lts = case.graph.to_lts();
        write(&lts, Form::Aut, Some(&path("aut")), limits)?;
        write(&lts, Form::Dot, Some(&path("dot")), limits)?;
        output::within(limits, Some(&path("txt")), |out| {
            out.write_all(text(&case.graph).as_bytes())
        })?;
    }
    Ok(())
}

/// Removes cases that were written here earlier: whoever runs all cases of a folder means those of one graph.
fn remove_cases(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if is_case(&path) {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

/// Whether a file has a name that is given to cases.
fn is_case(path: &Path) -> bool {
    let text = |part: Option<&OsStr>| part.and_then(OsStr::to_str).unwrap_or_default().to_owned();
    let (stem, ending) = (text(path.file_stem()), text(path.extension()));
    let number = stem.strip_prefix("case-").unwrap_or_default();
    ["aut", "dot", "txt"].contains(&ending.as_str())
        && number.len() >= 3
        && number.bytes().all(|byte| byte.is_ascii_digit())
}

fn sentences(arguments: &Tests, made: &Made) -> String {
    let Made {
        generated, cases, ..
    } = made;
    let purpose = clean(&arguments.purpose.display().to_string());
    let specification = clean(&arguments.source.model.display().to_string());
    let Some(graph) = &generated.graph else {
        return format!(
            "Nothing that {specification} can do is sure to fulfil {purpose}: there is no test.\n"
        );
    };
    let mut said = format!(
        "complete test graph of {specification} for {purpose}: {} and {}\n",
        count(graph.lts().states() as usize, "state"),
        count(graph.lts().step_count(), "transition")
    );
    match &arguments.cases {
        Some(folder) => {
            let folder = clean(&folder.display().to_string());
            said += &format!("{} in {folder}\n", count(cases.len(), "test case"));
        }
        None => {
            for (case, number) in cases.iter().zip(1..) {
                said += &format!("\ntest case {number}\n{}", text(&case.graph));
            }
        }
    }
    said
}

fn object(arguments: &Tests, made: &Made, seconds: f64) -> String {
    let Made {
        generated,
        workers,
        cases,
        read_seconds,
    } = made;
    let size = |graph: &TestGraph| {
        json!({
            "states": graph.lts().states(),
            "transitions": graph.lts().step_count(),
            "pass": graph.count(Verdict::Pass) > 0,
            "inconclusive": graph.count(Verdict::Inconclusive) > 0,
            "fail": graph.count(Verdict::Fail) > 0,
        })
    };
    let raw = generated
        .raw
        .map(|(states, transitions)| json!({"states": states, "transitions": transitions}));
    let object = json!({
        "causet": env!("CARGO_PKG_VERSION"),
        "schema": SCHEMA,
        "specification": arguments.source.model.display().to_string(),
        "purpose": arguments.purpose.display().to_string(),
        "graph": generated.graph.as_ref().map(size),
        "explored": {
            "product_states": generated.product,
            "sets": generated.visible.0,
            "steps": generated.visible.1,
            "raw": raw,
        },
        "seconds": {"read": read_seconds, "total": seconds},
        "peak_bytes": limits::peak_bytes(),
        "workers": workers.len().max(1),
        "messages": workers.iter().map(|worker| worker.messages).sum::<u64>(),
        "cases": cases.iter().map(|case| size(&case.graph)).collect::<Vec<_>>(),
    });
    object.to_string() + "\n"
}
