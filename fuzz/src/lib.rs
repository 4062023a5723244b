//! What every input must go through without a panic, shared by the fuzz targets and by a short run in the tests.
//!
//! Each function takes anything at all. It may refuse it, but then it must say where and why, and what it accepts must
//! survive being written and read again.

pub mod tests;

use std::sync::atomic::{AtomicU32, Ordering};

use causet_base::Diagnostic;
use causet_base::budget::{Budget, Meter, Spent};
use causet_check::decide::{Failure, decide};
use causet_check::engine::slice;
use causet_check::outcome::Verdict;
use causet_check::plan::Choice;
use causet_check::prepare::prepare;
use causet_check::subject::Subject;
use causet_formats::lint::lint;
use causet_formats::logs::{self, FORMATS, LogOptions, MappingFile};
use causet_formats::native::{self, Part, ReadOptions};
use causet_formats::{ReadError, locate};
use causet_formula::{AtomGuard, Kind, Lets, Modal, OutsideAutomaton, Property, PropertyFile, mu};
use causet_lts::aut::{self, NotRead};
use causet_lts::model::{self, Model, NotChecked, Options};
use causet_lts::{Lts, network};
use causet_solve::bes::system::System;
use causet_solve::bes::{self, Resolution, Strategy};
use causet_trace::{Trace, notation};

/// Any text as a drawing: read or refused; what was read can be drawn, and its races and its width have an end.
pub fn drawing(text: &str) {
    if let Ok(run) = notation::parse(text) {
        let _ = notation::draw(&run);
        let _ = run.races(10);
        let _ = run.order().width(&|| true);
    }
}

/// Any bytes as a trace: read, or refused with a span inside the line shown; the same for any number of workers.
pub fn reader(bytes: &[u8]) {
    for lenient in [false, true] {
        let one = outcome(bytes, lenient, 1);
        assert_eq!(one, outcome(bytes, lenient, 3), "workers matter");
    }
}

/// What came of it, in words; a trace that was read is written and must be read again.
fn outcome(bytes: &[u8], lenient: bool, workers: usize) -> String {
    let options = ReadOptions { lenient, workers };
    match native::read(vec![Part::new("input", bytes)], &options, &()) {
        Ok(reading) => {
            let mut text = Vec::new();
            native::write(&reading.trace, &mut text).expect("memory can be written");
            if !lenient {
                let again = native::read(vec![Part::new("again", &text[..])], &options, &());
                assert!(again.is_ok(), "{:?}", String::from_utf8_lossy(&text));
            }
            String::from_utf8_lossy(&text).into_owned()
        }
        Err(ReadError::Fault(problem)) => {
            let shown = problem.text.get(problem.span.range());
            assert!(shown.is_some(), "{problem:?}");
            problem.to_string()
        }
        Err(ReadError::Late { error, parts }) => {
            let line = native::nth_line(bytes, error.place.line).expect("memory can be read");
            let problem = locate(&error, &parts, line.as_deref());
            let shown = problem.text.get(problem.span.range());
            assert!(shown.is_some(), "{problem:?}");
            problem.to_string()
        }
        Err(other) => other.to_string(),
    }
}

/// Any bytes as a log of any format, which the first byte chooses; 255 leaves it to be recognised.
pub fn log(bytes: &[u8]) {
    if let Some((&choice, bytes)) = bytes.split_first() {
        let format = FORMATS.get(usize::from(choice));
        log_as(format.map(|format| format.name), bytes);
    }
}

/// Any bytes as a log of a format, or of the one that they look like. It is read or refused with a span inside the line
/// shown; and whatever is wrong with it can be listed. What a format is told besides stands before a line of two percent
/// signs: the rules of a mapping, or how records look.
pub fn log_as(format: Option<&str>, bytes: &[u8]) {
    let mut options = LogOptions {
        format: format.map(str::to_owned),
        ..LogOptions::default()
    };
    let (told, bytes) = match bytes.windows(4).position(|window| window == b"\n%%\n") {
        Some(at) => (&bytes[..at], &bytes[at + 4..]),
        None => (&bytes[..0], bytes),
    };
    let told = String::from_utf8_lossy(told).into_owned();
    match format {
        Some("mapped") => {
            options.mapping = Some(MappingFile {
                name: "mapping".to_owned(),
                text: told,
            });
        }
        Some("shiviz") if !told.is_empty() => options.regex = Some(told),
        _ => {}
    }
    for forgiving in [false, true] {
        options.forgiving = forgiving;
        options.read.workers = 1 + usize::from(forgiving);
        match logs::read(vec![Part::new("input", bytes)], &options, &()) {
            Ok((reading, _)) => {
                let mut text = Vec::new();
                native::write(&reading.trace, &mut text).expect("memory can be written");
            }
            Err(ReadError::Fault(problem)) => {
                let shown = problem.text.get(problem.span.range());
                assert!(shown.is_some(), "{problem:?}");
            }
            Err(ReadError::Late { error, parts }) => {
                let line = native::nth_line(bytes, error.place.line).ok().flatten();
                let problem = locate(&error, &parts, line.as_deref());
                let shown = problem.text.get(problem.span.range());
                assert!(shown.is_some(), "{problem:?}");
            }
            Err(ReadError::Io { .. } | ReadError::Stopped) => {}
        }
    }
    let _ = lint(vec![Part::new("input", bytes)], &options, &());
}

/// Any bytes as a transition system: read, or refused with a span inside the line shown; the same for any number of
/// workers. What was read is written and read again.
pub fn system(bytes: &[u8]) {
    let one = system_read(bytes, 1 << 16, 1);
    assert_eq!(one, system_read(bytes, 7, 3), "workers or blocks matter");
    let Ok((lts, _)) = one else { return };
    let mut text = Vec::new();
    let respelled = aut::write(&lts, &mut text).expect("memory can be written");
    let again = system_read(&text, 64, 2);
    let (again, _) = again.expect("what was written can be read");
    if respelled.is_empty() && labels_by_appearance(&lts) {
        assert_eq!(again, lts, "{:?}", String::from_utf8_lossy(&text));
    } else {
        assert_eq!(again.step_count(), lts.step_count());
        assert_eq!(again.labels().len(), lts.labels().len());
    }
}

fn system_read(
    bytes: &[u8],
    block: usize,
    workers: usize,
) -> Result<(Lts, Vec<Diagnostic>), Diagnostic> {
    match aut::read_in_blocks(&mut &*bytes, block, workers, &Budget::endless()) {
        Ok(reading) => Ok((reading.lts, reading.warnings)),
        Err(NotRead::Fault(problem)) => {
            let shown = problem.text.get(problem.span.range());
            assert!(shown.is_some(), "{problem:?}");
            Err(problem)
        }
        Err(other) => panic!("{other}"),
    }
}

/// Whether labels are numbered as they appear when the steps are listed state by state, which is how they are written.
fn labels_by_appearance(lts: &Lts) -> bool {
    let mut next = 0;
    lts.transitions().all(|(_, step)| {
        next = next.max(step.label + u32::from(step.label == next));
        step.label < next
    })
}

/// Any text as a formula about a model, as an equation system and as a network: accepted, or refused with places inside
/// the text. What is accepted has one value, whoever works it out.
pub fn models(text: &str) {
    match mu::read(text, &|_| None).and_then(|formula| formula.lower()) {
        Ok(formula) => one_verdict(&Model::Stored(sample_system()), &formula),
        Err(errors) => lies_inside(Some(errors), text),
    }
    if let Ok(named) = bes::text::read(text, &Budget::endless()) {
        one_solution(&named.system);
    }
    match network::read(text, None, &mut |_| Ok(sample_system())) {
        Ok(network) => one_verdict(&Model::Composed(network), &no_deadlock()),
        Err(mistakes) => lies_inside(Some(mistakes), text),
    }
}

const STRATEGIES: [Strategy; 3] = [Strategy::Lean, Strategy::DepthFirst, Strategy::BreadthFirst];

fn one_verdict(model: &Model, formula: &Modal) {
    let verdicts = STRATEGIES.map(|strategy| {
        let patience = Patience(AtomicU32::new(200));
        let budget = Budget::new(&patience).with_memory(32 << 20, 0);
        let options = Options {
            strategy,
            most_claims: 1000,
        };
        match model::check(model, formula, options, &budget) {
            Ok(checked) => Some(checked.holds),
            Err(NotChecked::Spent(_)) => None,
            Err(failed) => panic!("{strategy:?}: {failed:?}"),
        }
    });
    let mut known = verdicts.iter().flatten();
    let first = known.next();
    assert!(known.all(|verdict| Some(verdict) == first), "{verdicts:?}");
}

fn one_solution(system: &System) {
    let budget = Budget::endless();
    let solution = bes::global::solution(system, &budget).expect("no limit");
    for strategy in STRATEGIES {
        let value = Resolution::new(system, strategy, &budget).solve();
        let main = system.main_variable() as usize;
        assert_eq!(value, Ok(solution[main]), "{strategy:?}");
    }
}

fn no_deadlock() -> Modal {
    let formula = mu::read("[true*] <true> true", &|_| None);
    let formula = formula.and_then(|formula| formula.lower());
    formula.expect("a formula")
}

/// Three states, with a choice, an internal loop and a deadlock.
fn sample_system() -> Lts {
    let text = "des (0, 6, 3)\n(0, a, 1)\n(0, b, 0)\n(1, i, 1)\n(1, \"PUT !3 !4\", 2)\n(1, a(1), 0)\n(0, c, 2)\n";
    match system_read(text.as_bytes(), 1 << 10, 1) {
        Ok((lts, _)) => lts,
        Err(problem) => panic!("{problem}"),
    }
}

/// Any text as a formula of every kind and as a property file: accepted, or refused with spans inside the text.
pub fn formula(text: &str) {
    let run = sample_run();
    let subject = Subject::of(&run);
    for kind in [
        Kind::Ctl,
        Kind::Possibly,
        Kind::Definitely,
        Kind::Ltl,
        Kind::Mu,
        Kind::Monitor,
    ] {
        let property = Property::parse(kind, "input", text);
        let prepared = property.and_then(|property| prepare(&subject, &property, &Lets::none()));
        lies_inside(prepared.err(), text);
    }
    let automaton = Property::from_automaton("input", text, one_atom(text));
    let prepared = automaton.and_then(|property| prepare(&subject, &property, &Lets::none()));
    lies_inside(prepared.err(), text);
    match PropertyFile::parse(text) {
        Ok(file) => {
            for property in &file.properties {
                lies_inside(prepare(&subject, property, &file.lets).err(), text);
            }
        }
        Err(errors) => lies_inside(Some(errors), text),
    }
}

/// Any text as a property of any kind, then a drawing: whatever engines make of it, those that decide it agree, and the
/// certifier with them.
pub fn engines(text: &str) {
    engines_that_decide(text);
}

/// The same; says how many engines decide it besides slices, which need not, as a property of the kind that most do.
pub fn engines_that_decide(text: &str) -> usize {
    let Some((formula, drawing)) = text.split_once('\n') else {
        return 0;
    };
    let Ok(run) = notation::parse(drawing) else {
        return 0;
    };
    let kinds = Kind::AVAILABLE.into_iter();
    let decided = kinds.map(|kind| that_decide(kind, formula, &run));
    decided.max().unwrap_or(0)
}

fn that_decide(kind: Kind, formula: &str, run: &Trace) -> usize {
    let Ok(property) = Property::parse(kind, "input", formula) else {
        return 0;
    };
    let subject = Subject::of(run);
    let Ok(question) = prepare(&subject, &property, &Lets::none()) else {
        return 0;
    };
    let mut verdicts = Vec::new();
    for choice in Choice::all() {
        let patience = Patience(AtomicU32::new(200));
        let budget = Budget::new(&patience).with_memory(32 << 20, 0);
        match decide(&subject, &question, choice, &budget) {
            Ok(outcome) if matches!(outcome.verdict, Verdict::Unknown(_)) => {}
            Ok(outcome) => verdicts.push((outcome.verdict, choice)),
            Err(Failure::Refused(_)) => {}
            Err(failure) => panic!("{kind}: {failure}"),
        }
    }
    let agree = verdicts.windows(2).all(|pair| pair[0].0 == pair[1].0);
    assert!(agree, "{kind}: {verdicts:?}");
    let slices = Choice::Forced(&slice::ENGINE);
    verdicts.iter().filter(|(_, by)| *by != slices).count()
}

/// Stops the work after so many looks.
struct Patience(AtomicU32);

impl Meter for Patience {
    fn stop(&self) -> Option<Spent> {
        let left = self.0.load(Ordering::Relaxed);
        self.0.store(left.saturating_sub(1), Ordering::Relaxed);
        (left == 0).then_some(Spent::Time)
    }
}

/// An automaton that waits for the text as its atom.
fn one_atom(text: &str) -> OutsideAutomaton {
    OutsideAutomaton {
        atoms: vec![text.to_owned()],
        states: 2,
        start: vec![0],
        accepting: vec![1],
        edges: vec![
            (0, AtomGuard::Not(Box::new(AtomGuard::Atom(0))), 0),
            (0, AtomGuard::Atom(0), 1),
            (1, AtomGuard::Const(true), 1),
        ],
    }
}

/// A run with a name of every kind, for formulas to speak about.
fn sample_run() -> Trace {
    let drawing = "shared s
         init p1.st=idle
         p1: x=1,m!p2  s=2   st=crit
         p2: x=2       m?    st=idle,flag=true";
    notation::parse(drawing).expect("a drawing")
}

fn lies_inside(errors: Option<Vec<Diagnostic>>, text: &str) {
    let Some(errors) = errors else { return };
    assert!(!errors.is_empty(), "refused without a reason");
    for error in errors {
        let span = error.span.start as usize..error.span.end as usize;
        assert!(text.get(span).is_some(), "{error:?} lies outside {text:?}");
    }
}
