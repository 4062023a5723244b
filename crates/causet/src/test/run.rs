//! `causet test run`: test cases one after the other, with a reset in between.

use std::path::{Path, PathBuf};
use std::time::Instant;

use causet_drive::record::{Log, Step, labels};
use causet_drive::run::{self, MOST_STEPS, NotACase, Ran, case};
use causet_drive::system::{System, Trouble};
use causet_lts::conformance::graph::{TestGraph, Verdict};
use causet_solve::budget::Budget;
use causet_wire::report::junit::{End, Tested};
use causet_wire::report::words::{clean, count};
use serde_json::{Value, json};

use super::{after, listed, log, outcome, spoken, start};
use crate::cli::test::Run;
use crate::failure::{Failure, Status};
use crate::input::NotRead;
use crate::limits::Limits;
use crate::lts::{interface, read};

/// A case that was run.
struct Done<'a> {
    path: &'a Path,
    ran: Ran,
    seconds: f64,
}

/// Runs the command.
pub(super) fn run(arguments: &Run) -> Result<Status, NotRead> {
    let driving = &arguments.driving;
    let limits = Limits::of(driving.allowed);
    let cases = read_cases(arguments, &limits)?;
    let budget = limits.budget();
    let mut log = log(driving)?;
    limits.bar.start("testing", None);
    let (done, trouble) = match start(driving, &budget) {
        Ok(mut adapter) => all(&cases, &mut adapter, &mut log, &limits),
        Err(trouble) => (Vec::new(), Some(trouble)),
    };
    limits.bar.end();
    let text = match driving.json {
        true => object(&done, trouble.as_ref()).to_string() + "\n",
        false => sentences(&done),
    };
    let mut tested: Vec<Tested> = done.iter().map(tested).collect();
    if let (Some(trouble), Some((path, _))) = (&trouble, cases.get(done.len())) {
        tested.push(outcome::troubled(path.display().to_string(), trouble));
    }
    let tested = (arguments.cases[0].as_path(), tested.as_slice());
    outcome::leave(driving, tested, &text, log, status(&done), trouble)
}

fn read_cases<'a>(
    arguments: &'a Run,
    limits: &Limits,
) -> Result<Vec<(&'a PathBuf, TestGraph)>, NotRead> {
    let driving = &arguments.driving;
    let convention = interface::convention(&driving.interface)?;
    let mut cases = Vec::new();
    for path in &arguments.cases {
        let lts = read::system_in(path, &driving.reading, limits)?;
        let name = path.display();
        let graph = case(&lts, &convention).map_err(|not| match not {
            NotACase::Unclear(unclear) => {
                Failure::helped(format!("{name}: {}", unclear.what), unclear.help)
            }
            NotACase::Flaw(what) => Failure::helped(
                format!("{name} is not a test case: {what}"),
                "causet lts tests --cases FOLDER writes test cases",
            ),
        })?;
        cases.push((path, graph));
    }
    Ok(cases)
}

fn all<'a>(
    cases: &[(&'a PathBuf, TestGraph)],
    system: &mut impl System,
    log: &mut Log,
    limits: &Limits,
) -> (Vec<Done<'a>>, Option<Trouble>) {
    let budget = &limits.budget();
    let mut done = Vec::new();
    for (path, graph) in cases {
        limits
            .bar
            .lines(&format!("{} of {}", done.len(), count(cases.len(), "case")));
        let since = Instant::now();
        let begun = match done.is_empty() {
            true => Ok(()),
            false => reset(system, log, budget),
        };
        match begun.and_then(|()| run::run(graph, system, log, budget)) {
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
    log.add(Step::Reset);
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

fn sentences(done: &[Done<'_>]) -> String {
    let mut text: String = done.iter().map(sentence).collect();
    let tally = Verdict::ALL.map(|verdict| {
        let same = done.iter().filter(|done| done.ran.verdict == verdict);
        same.count()
    });
    text += &format!(
        "{}: {} passed, {} inconclusive, {} failed\n",
        count(done.len(), "test case"),
        tally[0],
        tally[1],
        tally[2]
    );
    text
}

fn sentence(done: &Done<'_>) -> String {
    let ran = &done.ran;
    let name = clean(&done.path.display().to_string());
    let verdict = ran.verdict.word();
    match ran.verdict {
        Verdict::Pass => {
            let said: Vec<String> = labels(&ran.steps)
                .iter()
                .map(|label| spoken(label))
                .collect();
            format!("{verdict}  {name}  {}\n", said.join(", "))
        }
        _ => format!("{verdict}  {name}\n\n{}\n", reason(ran)),
    }
}

/// What happened at the end of a case that did not pass.
fn reason(ran: &Ran) -> String {
    let Some((last, before)) = ran.steps.split_last() else {
        return String::new();
    };
    if ran.steps.len() >= MOST_STEPS {
        return format!("  It went round for {MOST_STEPS} steps.\n");
    }
    let crossed = match ran.crossed {
        true => {
            "\n  An output came before a stimulus was sent, so the program may have been right.\n"
        }
        false => "",
    };
    let wanted = match ran.verdict {
        Verdict::Fail => "the test case allows",
        _ => "the test goes on with",
    };
    let width = wanted.len();
    format!(
        "  {}:\n\n    {:width$}  {}\n    {wanted}  {}\n{crossed}",
        after(before),
        "the program did",
        spoken(last.label().unwrap_or_default()),
        listed(&ran.allowed),
    )
}

fn tested(done: &Done<'_>) -> Tested {
    let ran = &done.ran;
    let last = ran.steps.last().and_then(Step::label).unwrap_or_default();
    Tested {
        name: done.path.display().to_string(),
        seconds: done.seconds,
        end: match ran.verdict {
            Verdict::Pass => End::Passed,
            Verdict::Fail => {
                let message = format!("the program did {}", spoken(last));
                End::Failed(message, reason(ran))
            }
            Verdict::Inconclusive if ran.steps.len() >= MOST_STEPS => End::Undecided(format!(
                "inconclusive: it went round for {MOST_STEPS} steps"
            )),
            Verdict::Inconclusive => {
                End::Undecided(format!("inconclusive: the program did {}", spoken(last)))
            }
        },
    }
}

fn object(done: &[Done<'_>], trouble: Option<&Trouble>) -> Value {
    let cases = done.iter().map(|done| {
        json!({
            "case": done.path.display().to_string(),
            "verdict": done.ran.verdict.word(),
            "trace": labels(&done.ran.steps),
            "allowed": done.ran.allowed,
            "crossed": done.ran.crossed,
            "seconds": done.seconds,
        })
    });
    json!({
        "causet": env!("CARGO_PKG_VERSION"),
        "cases": cases.collect::<Vec<Value>>(),
        "error": trouble.map(ToString::to_string),
    })
}
