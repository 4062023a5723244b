//! Every file of `testdata/cases` through every engine; the format is described in that folder's README.

#[path = "common/floors.rs"]
mod floors;

use std::path::Path;

use causet_base::Diagnostic;
use causet_base::budget::Budget;
use causet_check::count;
use causet_check::decide::decide;
use causet_check::outcome::{Outcome, Verdict};
use causet_check::plan::Choice;
use causet_check::prepare::prepare;
use causet_check::subject::Subject;
use causet_formula::{Kind, Lets, Property};
use causet_trace::{Trace, notation};
use floors::Acceptances;

/// Of a hundred claims that are not about mistakes an engine takes at least so many.
const FLOORS: [(&str, usize); 14] = [
    ("auto", 100),
    ("explicit", 100),
    ("bes", 100),
    ("rows", 50),
    ("ist", 50),
    ("ist-paper", 50),
    ("slice", 35),
    ("monitor", 75),
    ("masks", 75),
    ("levels", 75),
    ("guided", 75),
    ("two-phase", 55),
    ("sleep", 55),
    ("persistent", 20),
];

/// What an engine cannot decide it refuses; the others are asked all the same.
fn may_refuse(engine: Choice, property: &str) -> bool {
    let Choice::Forced(engine) = engine else {
        return false;
    };
    if property.starts_with("mu ") {
        return !matches!(engine.name, "explicit" | "bes");
    }
    match engine.name {
        "explicit" | "bes" => false,
        // Formulas at cuts, not runs.
        "rows" | "ist" | "ist-paper" => is_about_runs(property),
        // Runs, and those formulas at cuts that can be told of one.
        "monitor" | "masks" | "levels" | "guided" => property.starts_with("ctl "),
        // Some shapes only.
        _ => true,
    }
}

fn is_about_runs(property: &str) -> bool {
    let (kind, text) = property.split_once(' ').expect("a kind and a formula");
    match kind {
        "ltl" | "monitor" => true,
        "possibly" | "definitely" => text.starts_with('{') || text.starts_with("re("),
        _ => false,
    }
}

#[test]
fn every_case_through_every_engine() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/cases");
    let mut files = 0;
    let mut claims = 0;
    let taken = Acceptances::default();
    let mut failures = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the cases") {
        let path = entry.expect("a file").path();
        if path
            .extension()
            .is_some_and(|extension| extension == "case")
        {
            let text = std::fs::read_to_string(&path).expect("a readable file");
            claims += Case::read(&text).run(&path.display().to_string(), &taken, &mut failures);
            files += 1;
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    println!("{claims} claims in {files} cases");
    taken.hold(&FLOORS);
    assert!(
        files >= 20 && claims >= 220,
        "only {claims} claims in {files} cases were found"
    );
}

struct Case<'a> {
    trace: Trace,
    cuts: Option<u64>,
    claims: Vec<(&'a str, &'a str)>,
}

impl<'a> Case<'a> {
    fn read(text: &'a str) -> Self {
        let mut drawing = String::new();
        let mut cuts = None;
        let mut claims = Vec::new();
        for line in text
            .lines()
            .filter(|line| !line.starts_with('#') && !line.trim().is_empty())
        {
            if line.starts_with(' ') {
                drawing.push_str(line);
                drawing.push('\n');
            } else if let Some(number) = line.strip_prefix("cuts ") {
                cuts = Some(number.trim().parse().expect("a number of cuts"));
            } else if let Some(claim) = line.split_once("=>") {
                claims.push((claim.0.trim(), claim.1.trim()));
            } else {
                assert_eq!(line.trim(), "trace", "a line that means nothing");
            }
        }
        let trace = notation::parse(&drawing).unwrap_or_else(|error| panic!("{error}\n{drawing}"));
        Case {
            trace,
            cuts,
            claims,
        }
    }

    fn run(&self, file: &str, taken: &Acceptances, failures: &mut Vec<String>) -> usize {
        if let Some(cuts) = self.cuts {
            let counted = count::cuts(Subject::of(&self.trace), &Budget::endless());
            assert_eq!(counted, Ok(cuts.into()), "{file}: the number of cuts");
        }
        for (property, expected) in &self.claims {
            for engine in Choice::all() {
                let checked = std::panic::catch_unwind(|| {
                    check_claim(&self.trace, property, expected, engine)
                });
                match checked {
                    Ok(Some(is_taken)) => taken.note(engine, is_taken),
                    Ok(None) => {}
                    Err(_) => {
                        failures.push(format!("{file}: {property} => {expected} ({engine:?})"));
                    }
                }
            }
        }
        self.claims.len()
    }
}

/// Whether the engine takes a claim, if it is not one that everybody has to refuse.
fn check_claim(trace: &Trace, property: &str, expected: &str, engine: Choice) -> Option<bool> {
    let outcome = match (
        decided(trace, property, engine),
        expected.strip_prefix("refused:"),
    ) {
        (Err(message), Some(words)) => {
            assert!(
                message.contains(words.trim()),
                "refused, but with: {message}"
            );
            return None;
        }
        (Err(_), None) if may_refuse(engine, property) => return Some(false),
        (Err(message), None) => panic!("refused: {message}"),
        (Ok(_), Some(_)) => panic!("not refused"),
        (Ok(outcome), None) => outcome,
    };
    let (verdict, details) = expected.split_at(expected.find([' ', ',']).unwrap_or(expected.len()));
    assert_eq!(outcome.verdict.word(), verdict);
    assert!(!matches!(outcome.verdict, Verdict::Unknown(_)));
    for detail in details
        .split(',')
        .map(str::trim)
        .filter(|detail| !detail.is_empty())
    {
        // Of several cuts, those who read whole runs need not find the one nearest to the beginning.
        let any_cut = match engine {
            Choice::Forced(engine) => engine.reads_words(),
            // What the recorded order shows is shown in that order.
            Choice::Auto => true,
        };
        if !(any_cut && detail.starts_with("at ")) {
            check_detail(trace, &outcome, detail);
        }
    }
    Some(true)
}

fn decided(trace: &Trace, property: &str, engine: Choice) -> Result<Outcome, String> {
    let (kind, text) = property.split_once(' ').expect("a kind and a formula");
    let kind = Kind::AVAILABLE
        .into_iter()
        .find(|known| known.word() == kind)
        .expect("a kind");
    let messages = |errors: Vec<Diagnostic>| format!("{errors:?}");
    let property = Property::parse(kind, "case", text).map_err(messages)?;
    let subject = Subject::of(trace);
    let question = prepare(&subject, &property, &Lets::none()).map_err(messages)?;
    decide(&subject, &question, engine, &Budget::endless()).map_err(|error| error.to_string())
}

fn check_detail(trace: &Trace, outcome: &Outcome, detail: &str) {
    let (word, rest) = detail.split_once(' ').unwrap_or((detail, ""));
    if detail == "no witness" {
        assert_eq!(outcome.witness, None);
        return;
    }
    let witness = outcome.witness.as_ref().expect("a witness");
    let order = trace.order();
    let name = |process| trace.process_name(process);
    match word {
        "observed" => assert_eq!(witness.observed, Some(true)),
        "unobserved" => assert_eq!(witness.observed, Some(false)),
        "complete" => assert_eq!((witness.run.len(), &witness.cut), (trace.len(), &None)),
        "run" => {
            let run: Vec<&str> = witness
                .run
                .iter()
                .map(|&event| name(order.process_of(event)))
                .collect();
            assert_eq!(run.join(" "), rest.trim());
        }
        "at" => {
            let cut = witness.cut.as_ref().expect("a cut");
            let counts: Vec<String> = order
                .processes()
                .map(|process| format!("{}={}", name(process), cut.of(process)))
                .collect();
            assert_eq!(
                counts.join(" "),
                rest.split_whitespace().collect::<Vec<_>>().join(" ")
            );
        }
        _ => panic!("`{detail}` means nothing"),
    }
}
