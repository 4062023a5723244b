//! `causet test walk`: chance along a specification, without a purpose.

use causet_drive::record::labels;
use causet_drive::system::Trouble;
use causet_drive::walk::{Extent, Failing, Walked, walk};
use causet_wire::report::junit::{End, Tested};
use causet_wire::report::words::{clean, count};
use serde_json::{Value, json};

use super::{after, listed, log, outcome, spoken, start};
use crate::cli::test::Walk;
use crate::failure::Status;
use crate::input::NotRead;
use crate::limits::Limits;
use crate::lts::{interface, read};

/// Runs the command.
pub(super) fn run(arguments: &Walk) -> Result<Status, NotRead> {
    let driving = &arguments.driving;
    let convention = interface::convention(&driving.interface)?;
    let limits = Limits::of(driving.allowed);
    let path = arguments.specification.as_path();
    let lts = read::system_in(path, &driving.reading, &limits)?;
    let alphabet = interface::alphabet(lts.labels(), &convention)?;
    let budget = limits.budget();
    let mut log = log(driving);
    let mut adapter = start(driving, &budget)?;
    let extent = Extent {
        seed: arguments.seed,
        walks: arguments.walks,
        steps: arguments.steps,
        time: arguments.time,
    };
    let since = limits.seconds();
    let specification = &mut &lts;
    let (walked, trouble) = walk(
        specification,
        &alphabet,
        &mut adapter,
        extent,
        &mut log,
        &budget,
    );
    drop(adapter);
    let name = path.display().to_string();
    let text = match driving.json {
        true => object(&name, arguments.seed, &walked, trouble.as_ref()).to_string() + "\n",
        false => sentences(&name, &walked),
    };
    let tested = tested(&name, &walked, limits.seconds() - since);
    let status = match walked.failures.is_empty() {
        true => Status::Fine,
        false => Status::Violated,
    };
    outcome::leave(driving, (path, &tested), &text, &log, status, trouble)
}

fn sentences(name: &str, walked: &Walked) -> String {
    let mut text = String::new();
    for failing in &walked.failures {
        let walks = count(failing.times, "walk");
        text += &format!("FAIL  in {walks}\n\n{}\n", reason(failing));
    }
    let shortened = match walked.cut_short {
        true => "; the time was over",
        false => "",
    };
    text += &format!(
        "{} along {}, {} sent and {} seen: {}{shortened}\n",
        count(walked.walks, "walk"),
        clean(name),
        count(walked.sent, "label"),
        walked.seen,
        match walked.failures.len() {
            0 => "nothing wrong".to_owned(),
            failures => count(failures, "failure"),
        },
    );
    text
}

fn reason(failing: &Failing) -> String {
    format!(
        "  {}:\n\n    the program did           {}\n    the specification allows  {}\n",
        after(&failing.trace),
        spoken(failing.saw.label().unwrap_or_default()),
        listed(&failing.allowed),
    )
}

fn tested(name: &str, walked: &Walked, seconds: f64) -> Vec<Tested> {
    let test = |name: String, end: End| Tested {
        name,
        seconds: 0.0,
        end,
    };
    let failed = walked.failures.iter().map(|failing| {
        let saw = spoken(failing.saw.label().unwrap_or_default());
        let message = format!("the program did {saw}");
        let name = format!("{name}: {}", labels(&failing.trace).join(", "));
        test(name, End::Failed(message, reason(failing)))
    });
    let mut tested: Vec<Tested> = failed.collect();
    if tested.is_empty() {
        tested.push(test(name.to_owned(), End::Passed));
    }
    tested[0].seconds = seconds;
    tested
}

fn object(name: &str, seed: u64, walked: &Walked, trouble: Option<&Trouble>) -> Value {
    let failures = walked.failures.iter().map(|failing| {
        json!({
            "trace": labels(&failing.trace),
            "saw": failing.saw.label(),
            "allowed": failing.allowed,
            "walks": failing.times,
        })
    });
    json!({
        "causet": env!("CARGO_PKG_VERSION"),
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
