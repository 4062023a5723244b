//! `causet test run`: test cases one after the other, with a reset in between, judged by a specification if there is one.

use std::path::{Path, PathBuf};
use std::time::Instant;

use causet::Progress;
use causet::inner::{model_in, system_in};
use causet_base::Code;
use causet_base::budget::Budget;
use causet_drive::adapter::Adapter;
use causet_drive::belief::Belief;
use causet_drive::record::{Log, Step};
use causet_drive::run::{self, NotACase, Ran, case};
use causet_drive::system::{System, Trouble};
use causet_lts::asked::Asked;
use causet_lts::conformance::graph::{TestGraph, Verdict};
use causet_lts::conformance::roles::{Alphabet, Role};
use causet_report::junit::{End, Tested};
use causet_report::words::{clean, count};

use super::case_text::{object, sentences, tested};
use super::{log, outcome, start};
use crate::cli::test::Run;
use crate::failure::{Failure, Status};
use crate::input::NotRead;
use crate::limits::{self, Limits};
use crate::lts::interface;

/// A case that was run.
pub(super) struct Done<'a> {
    pub(super) path: &'a Path,
    pub(super) ran: Ran,
    pub(super) seconds: f64,
}

type Named<'a> = (&'a PathBuf, TestGraph);

/// How one case is run.
type Runs<'r> = &'r mut dyn FnMut(&TestGraph, &mut Adapter, &mut Log) -> Result<Ran, Trouble>;

/// Runs the command.
pub(super) fn run(arguments: &Run) -> Result<Status, NotRead> {
    let driving = &arguments.driving;
    let limits = limits::of(driving.allowed);
    let cases = read_cases(arguments, &limits)?;
    let budget = limits.budget();
    let Some(path) = &arguments.spec else {
        let mut runs = |case: &TestGraph, system: &mut Adapter, log: &mut Log| {
            run::run(case, system, log, &budget)
        };
        return drive(arguments, &cases, &mut runs, &limits);
    };
    let convention = interface::convention(&driving.interface)?;
    let model = model_in(path, &driving.reading.model(), &limits, None)?;
    let alphabet = interface::alphabet(model.labels(), &convention)?;
    know_stimuli(&cases, path, &alphabet)?;
    let mut specification = Asked::new(&model, &budget)?;
    let mut belief = Belief::new(&mut specification, &alphabet, &budget);
    let mut runs = |case: &TestGraph, system: &mut Adapter, log: &mut Log| {
        run::run_judged(case, &mut belief, system, log, &budget)
    };
    drive(arguments, &cases, &mut runs, &limits)
}

/// From the start of the adapter to the last word.
fn drive(
    arguments: &Run,
    cases: &[Named<'_>],
    runs: Runs<'_>,
    limits: &Limits,
) -> Result<Status, NotRead> {
    let driving = &arguments.driving;
    let mut log = log(driving)?;
    limits.begin("testing", None);
    let (done, trouble) = match start(driving, &limits.budget()) {
        Ok(mut adapter) => all(cases, &mut adapter, runs, &mut log, limits),
        Err(trouble) => (Vec::new(), Some(trouble)),
    };
    limits.end();
    let spec = arguments.spec.as_deref();
    let text = match driving.json {
        true => object(&done, spec, trouble.as_ref()).to_string() + "\n",
        false => sentences(&done, cases.len(), spec.is_some()),
    };
    let reported: Vec<Tested> = report(cases, &done, trouble.as_ref(), spec.is_some());
    let reported = (arguments.cases[0].as_path(), reported.as_slice());
    outcome::leave(driving, reported, &text, log, status(&done), trouble)
}

fn read_cases<'a>(arguments: &'a Run, limits: &Limits) -> Result<Vec<Named<'a>>, NotRead> {
    let driving = &arguments.driving;
    let convention = interface::convention(&driving.interface)?;
    let mut cases = Vec::new();
    for path in &arguments.cases {
        let lts = system_in(path, &driving.reading.model(), limits)?;
        let name = path.display();
        let graph = case(&lts, &convention).map_err(|not| match not {
            NotACase::Unclear(unclear) => Failure::helped(
                Code::UnclearInterface,
                format!("{name}: {}", unclear.what),
                unclear.help,
            ),
            NotACase::Flaw(what) => Failure::helped(
                Code::NotATestCase,
                format!("{name} is not a test case: {what}"),
                "causet lts tests --cases FOLDER writes test cases",
            ),
        })?;
        cases.push((path, graph));
    }
    Ok(cases)
}

/// Refuses cases of another specification, which would be free to do what they like.
fn know_stimuli(cases: &[Named<'_>], spec: &Path, alphabet: &Alphabet) -> Result<(), Failure> {
    for (path, graph) in cases {
        let labels = graph.lts().labels();
        let sent = (0..labels.len() as u32).filter(|&label| graph.sends(label));
        for text in sent.map(|label| labels.text(label)) {
            let number = alphabet.labels().find(text);
            if number.is_none_or(|label| alphabet.role(label) != Role::Input) {
                let (path, spec, text) = (path.display(), spec.display(), clean(text));
                return Err(Failure::helped(
                    Code::OtherSpecification,
                    format!("{path} sends {text}, which is no input of {spec}"),
                    "--spec is the specification that the test cases were made from",
                ));
            }
        }
    }
    Ok(())
}

fn all<'a>(
    cases: &[Named<'a>],
    system: &mut Adapter,
    runs: Runs<'_>,
    log: &mut Log,
    limits: &Limits,
) -> (Vec<Done<'a>>, Option<Trouble>) {
    let budget = &limits.budget();
    let mut done = Vec::new();
    for (path, graph) in cases {
        let text = format!("{} of {}", done.len(), count(cases.len(), "case"));
        limits.show(Progress::Lines(&text));
        let since = Instant::now();
        let begun = match done.is_empty() {
            true => Ok(()),
            false => reset(system, log, budget),
        };
        match begun.and_then(|()| runs(graph, system, log)) {
            Ok(ran) => done.push(Done {
                path: path.as_path(),
                ran,
                seconds: since.elapsed().as_secs_f64(),
            }),
            Err(trouble) => return (done, Some(trouble)),
        }
    }
    (done, None)
}

fn reset(system: &mut impl System, log: &mut Log, budget: &Budget<'_>) -> Result<(), Trouble> {
    system.reset(budget)?;
    log.add(&Step::Reset);
    Ok(())
}

fn status(done: &[Done<'_>]) -> Status {
    let worst = done.iter().map(|done| done.ran.verdict).max();
    match worst {
        Some(Verdict::Fail) => Status::Violated,
        Some(Verdict::Inconclusive) => Status::Unknown,
        _ => Status::Fine,
    }
}

/// Every case, run or not: the one that trouble has ended, and those after it.
fn report(
    cases: &[Named<'_>],
    done: &[Done<'_>],
    trouble: Option<&Trouble>,
    has_spec: bool,
) -> Vec<Tested> {
    let mut reported: Vec<Tested> = done.iter().map(|done| tested(done, has_spec)).collect();
    let mut left = cases[done.len()..].iter();
    let name = |(path, _): &Named<'_>| path.display().to_string();
    if let Some((trouble, broken)) = trouble.and_then(|trouble| Some((trouble, left.next()?))) {
        reported.push(outcome::troubled(name(broken), trouble));
    }
    reported.extend(left.map(|case| Tested {
        name: name(case),
        seconds: 0.0,
        end: End::Undecided("not tested: the tests had ended before".to_owned()),
    }));
    reported
}
