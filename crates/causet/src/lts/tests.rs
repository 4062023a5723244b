//! `causet lts tests`: the complete test graph of a purpose, and test cases from it.
//!
//! Every graph is held against what a test graph must look like before it is written.

use std::fs;
use std::path::Path;

use causet_flow::NotSolved;
use causet_lts::conformance::cases::{Case, Cases};
use causet_lts::conformance::direct::{Generated, direct};
use causet_lts::conformance::graph::{Failures, TestGraph, Verdict, reserved};
use causet_lts::conformance::lead::by_equations;
use causet_lts::conformance::product::Stored;
use causet_lts::conformance::purpose::{NotAPurpose, Purpose};
use causet_lts::conformance::roles::Alphabet;
use causet_lts::conformance::structure::flaw;
use causet_lts::conformance::workers::by_workers;
use causet_lts::model::Model;
use causet_solve::bes::Strategy;
use causet_solve::budget::Budget;
use causet_solve::space::Space;
use causet_wire::report::words::{clean, count};
use fastrand::Rng;
use serde_json::json;

use super::convert::{Form, write};
use super::held::Held;
use super::test_text::text;
use super::{interface, read};
use crate::cli::lts::{Method, Tests};
use crate::diagnostics;
use crate::failure::{Failure, Status};
use crate::input::NotRead;
use crate::limits::Limits;
use crate::output;
use crate::together::not_solved;

/// Runs the command.
pub(crate) fn run(arguments: &Tests) -> Result<Status, NotRead> {
    let convention = interface::convention(&arguments.interface)?;
    let form = arguments.output.as_deref().map(form).transpose()?;
    let limits = Limits::of(arguments.allowed);
    let Held::All(model) = read::model(&arguments.source, &limits, false, None)? else {
        return Err(Failure::Internal("a part of a model was read".to_owned()).into());
    };
    let alphabet = interface::alphabet(model.labels(), &convention)?;
    if let Some(word) = reserved(model.labels()) {
        let message = format!("the label `{word}` is reserved");
        return Err(Failure::helped(message, "rename it: it stands for a verdict").into());
    }
    let budget = limits.budget();
    let purpose = purpose(arguments, &model, &limits, &budget)?;
    limits.bar.start("generating tests", None);
    let failures = match arguments.implicit_fail {
        true => Failures::Implicit,
        false => Failures::Explicit,
    };
    let task = Task {
        alphabet: &alphabet,
        purpose: &purpose,
        method: arguments.method,
        workers: arguments.source.reading.asked_workers(),
        failures,
    };
    let generated = match &model {
        Model::Stored(lts) => task.generate(&Stored(lts), &budget),
        Model::Composed(network) => task.generate(network, &budget),
    };
    limits.bar.end();
    let generated = generated.map_err(not_generated)?;
    if let Some(graph) = &generated.graph {
        sound(graph, false)?;
        if let (Some(path), Some(form)) = (&arguments.output, form) {
            write(&graph.to_lts(), form, Some(path))?;
        }
    }
    let cases = match &generated.graph {
        Some(graph) => cases(graph, arguments, &budget)?,
        None => Vec::new(),
    };
    if let Some(folder) = &arguments.cases {
        write_cases(folder, &cases)?;
    }
    let text = match arguments.json {
        true => object(arguments, &generated, &cases),
        false => sentences(arguments, &generated, &cases),
    };
    output::to_stdout(text.as_bytes())?;
    Ok(match generated.graph {
        Some(_) => Status::Fine,
        None => Status::Violated,
    })
}

/// The format that the name of a file asks for.
fn form(path: &Path) -> Result<Form, Failure> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("aut") => Ok(Form::Aut),
        Some("dot") => Ok(Form::Dot),
        _ => Err(Failure::helped(
            format!("what kind of file is {}?", path.display()),
            "a test graph is written as .aut or .dot",
        )),
    }
}

fn purpose(
    arguments: &Tests,
    model: &Model,
    limits: &Limits,
    budget: &Budget<'_>,
) -> Result<Purpose, NotRead> {
    let path = &arguments.purpose;
    let lts = read::system_in(path, &arguments.source.reading.of_purpose(), limits)?;
    let purpose = Purpose::new(&lts, model.labels(), budget).map_err(|not| match not {
        NotAPurpose::Spent(spent) => NotRead::Stopped(spent),
        NotAPurpose::Unfit(what) => {
            let message = format!("{} is not a purpose: {what}", path.display());
            Failure::refused(message).into()
        }
    })?;
    for label in purpose.unmatched() {
        let message = format!("no label of the specification matches `{}`", clean(label));
        let help =
            "labels of a purpose are regular expressions for whole labels; \\? is a question mark";
        diagnostics::warning(&message, Some(help));
    }
    Ok(purpose)
}

/// What is to be generated for a specification, and how.
struct Task<'a> {
    alphabet: &'a Alphabet,
    purpose: &'a Purpose,
    method: Method,
    /// How many threads solve equations, if somebody said.
    workers: Option<usize>,
    failures: Failures,
}

impl Task<'_> {
    fn generate<S: Space + Sync>(
        &self,
        specification: &S,
        budget: &Budget<'_>,
    ) -> Result<Generated, NotSolved> {
        let (alphabet, purpose) = (self.alphabet, self.purpose);
        match (self.method, self.workers) {
            (Method::Direct, _) => Ok(direct(
                specification,
                alphabet,
                purpose,
                self.failures,
                budget,
            )?),
            (Method::Equations, None) => {
                let how = (Strategy::Lean, self.failures);
                Ok(by_equations(specification, alphabet, purpose, how, budget)?)
            }
            (Method::Equations, Some(workers)) => {
                let how = (workers, self.failures);
                by_workers(specification, alphabet, purpose, how, budget)
            }
        }
    }
}

fn not_generated(not: NotSolved) -> NotRead {
    match not_solved(not) {
        Ok(spent) => spent.into(),
        Err(failure) => failure.into(),
    }
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
fn write_cases(folder: &Path, cases: &[Case]) -> Result<(), Failure> {
    let refused = |error| Failure::io(format!("{} cannot be made", folder.display()), &error);
    fs::create_dir_all(folder).map_err(refused)?;
    for (case, number) in cases.iter().zip(1..) {
        let path = |ending: &str| folder.join(format!("case-{number:03}.{ending}"));
        let lts = case.graph.to_lts();
        write(&lts, Form::Aut, Some(&path("aut")))?;
        write(&lts, Form::Dot, Some(&path("dot")))?;
        output::to_file(&path("txt"), |out| {
            out.write_all(text(&case.graph).as_bytes())
        })?;
    }
    Ok(())
}

fn sentences(arguments: &Tests, generated: &Generated, cases: &[Case]) -> String {
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

fn object(arguments: &Tests, generated: &Generated, cases: &[Case]) -> String {
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
        "specification": arguments.source.model.display().to_string(),
        "purpose": arguments.purpose.display().to_string(),
        "graph": generated.graph.as_ref().map(size),
        "explored": {
            "product_states": generated.product,
            "sets": generated.visible.0,
            "steps": generated.visible.1,
            "raw": raw,
        },
        "cases": cases.iter().map(|case| size(&case.graph)).collect::<Vec<_>>(),
    });
    object.to_string() + "\n"
}
