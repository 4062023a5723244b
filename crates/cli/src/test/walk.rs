//! `causet test walk`: chance along a specification, without a purpose.

use std::path::Path;

use causet::inner::model_in;
use causet_drive::record::{Log, Step, labels};
use causet_drive::system::Trouble;
use causet_drive::walk::{Extent, Failing, MOST_FAILURES, Progress, Walked, watched_walk};
use causet_lts::asked::Asked;
use causet_lts::conformance::roles::Alphabet;
use causet_report::SCHEMA;
use causet_report::junit::{End, Tested};
use causet_report::words::{clean, count};
use serde_json::{Value, json};

use super::{log, outcome, start};
use crate::cli::test::Walk;
use crate::failure::Status;
use crate::input::NotRead;
use crate::limits::{self, Limits};
use crate::lts::interface;
use crate::lts::trace_text::{after, listed, spoken};

/// Runs the command.
pub(super) fn run(arguments: &Walk) -> Result<Status, NotRead> {
    let driving = &arguments.driving;
    let convention = interface::convention(&driving.interface)?;
    let limits = limits::of(driving.allowed);
    let path = arguments.specification.as_path();
    let model = model_in(path, &driving.reading.model(), &limits, None)?;
    let alphabet = interface::alphabet(model.labels(), &convention)?;
    let mut specification = Asked::new(&model, &limits.budget())?;
    let mut log = log(driving)?;
    let since = limits.seconds();
    limits.begin(format!("walking along {}", path.display()), None);
    let (walked, trouble) = walk(arguments, &mut specification, &alphabet, &mut log, &limits);
    limits.end();
    let name = path.display().to_string();
    let text = match driving.json {
        true => object(&name, arguments.seed, &walked, trouble.as_ref()).to_string() + "\n",
        false => sentences(&name, &walked, most_failures(arguments), trouble.is_some()),
    };
    let seconds = limits.seconds() - since;
    let tested = tested(path, &walked, trouble.as_ref(), seconds);
    let status = match walked.failures.is_empty() {
        true => Status::Fine,
        false => Status::Violated,
    };
    outcome::leave(driving, (path, &tested), &text, log, status, trouble)
}

/// Walks, from the start of the adapter to its end.
fn walk(
    arguments: &Walk,
    specification: &mut Asked<'_>,
    alphabet: &Alphabet,
    log: &mut Log,
    limits: &Limits,
) -> (Walked, Option<Trouble>) {
    let budget = limits.budget();
    let mut adapter = match start(&arguments.driving, &budget) {
        Ok(adapter) if arguments.restart => adapter.restarting(),
        Ok(adapter) => adapter,
        Err(trouble) => return (Walked::default(), Some(trouble)),
    };
    let extent = Extent {
        seed: arguments.seed,
        walks: arguments.walks(),
        steps: arguments.steps,
        time: arguments.time,
        failures: most_failures(arguments),
    };
    let mut show = |progress: Progress| {
        let walks = count(progress.walks, "walk");
        let steps = count(progress.steps, "step");
        let failures = count(progress.failures, "failure");
        limits.show(causet::Progress::Lines(&format!(
            "{walks}, {steps}, {failures}"
        )));
    };
    watched_walk(
        specification,
        alphabet,
        &mut adapter,
        extent,
        log,
        &budget,
        &mut show,
    )
}

/// After so many failures no other is looked for.
fn most_failures(arguments: &Walk) -> usize {
    match arguments.fail_fast {
        true => 1,
        false => MOST_FAILURES,
    }
}

fn sentences(name: &str, walked: &Walked, most: usize, is_broken: bool) -> String {
    let mut text = String::new();
    for failing in &walked.failures {
        let walks = count(failing.times, "walk");
        text += &format!("FAIL  in {walks}\n\n{}\n", reason(failing));
    }
    let shortened = match walked.cut_short {
        true => "; the time was over",
        false if walked.failures.len() >= most => ", and more were not looked for",
        false => "",
    };
    text += &format!(
        "{} along {}, {} sent and {} seen: {}{shortened}\n",
        count(walked.walks, "walk"),
        clean(name),
        count(walked.sent, "label"),
        walked.seen,
        match walked.failures.len() {
            // What an adapter was sent before it broke tells nothing of the program behind it.
            0 if walked.seen == 0 && (is_broken || walked.sent == 0) => {
                "nothing was tested".to_owned()
            }
            0 if is_broken => "nothing wrong so far".to_owned(),
            0 => "nothing wrong".to_owned(),
            failures => count(failures, "failure"),
        },
    );
    text
}

fn reason(failing: &Failing) -> String {
    if let Step::Broke(what) = &failing.saw {
        return format!(
            "  {}:\n\n    {}\n",
            after(&labels(&failing.trace)),
            clean(what)
        );
    }
    format!(
        "  {}:\n\n    the program did           {}\n    the specification allows  {}\n",
        after(&labels(&failing.trace)),
        spoken(failing.saw.label().unwrap_or_default()),
        listed(&failing.allowed),
    )
}

/// What was seen, in a sentence.
fn message(failing: &Failing) -> String {
    match &failing.saw {
        Step::Broke(what) => what.clone(),
        saw => format!(
            "the program did {}",
            spoken(saw.label().unwrap_or_default())
        ),
    }
}

fn tested(path: &Path, walked: &Walked, trouble: Option<&Trouble>, seconds: f64) -> Vec<Tested> {
    let name = path.display().to_string();
    let test = |name: String, end: End| Tested {
        name,
        seconds: 0.0,
        end,
    };
    let failed = walked.failures.iter().map(|failing| {
        let name = format!("{name}: {}", labels(&failing.trace).join(", "));
        test(name, End::Failed(message(failing), reason(failing)))
    });
    let mut tested: Vec<Tested> = failed.collect();
    tested.extend(trouble.map(|trouble| outcome::troubled(name.clone(), trouble)));
    if tested.is_empty() {
        tested.push(test(name, End::Passed));
    }
    tested[0].seconds = seconds;
    tested
}

fn object(name: &str, seed: u64, walked: &Walked, trouble: Option<&Trouble>) -> Value {
    let failures = walked.failures.iter().map(|failing| {
        json!({
            "trace": labels(&failing.trace),
            "saw": failing.saw.label(),
            "broke": match &failing.saw {
                Step::Broke(what) => Some(what),
                _ => None,
            },
            "allowed": failing.allowed,
            "walks": failing.times,
        })
    });
    json!({
        "causet": env!("CARGO_PKG_VERSION"),
        "schema": SCHEMA,
        "specification": name,
        "seed": seed,
        "walks": walked.walks,
        "sent": walked.sent,
        "seen": walked.seen,
        "sets": walked.sets,
        "time_over": walked.cut_short,
        "failures": failures.collect::<Vec<Value>>(),
        "error": trouble.map(ToString::to_string),
    })
}
