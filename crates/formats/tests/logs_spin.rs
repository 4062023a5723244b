//! Simulations by Spin: three models of ours, simulated by the real program where it is there, and lines made by hand.

use std::path::Path;
use std::process::{Command, Stdio};

use causet_base::budget::Budget;
use causet_check::decide::decide;
use causet_check::outcome::Verdict;
use causet_check::plan::Choice;
use causet_check::prepare::prepare;
use causet_check::subject::Subject;
use causet_formats::ReadError;
use causet_formats::logs::{self, FORMATS, Head, LogOptions};
use causet_formats::native::{Part, Reading};
use causet_formula::PropertyFile;
use causet_trace::{Clocks, EventId, Trace};
use fastrand::Rng;

fn read(text: &str) -> Result<Reading, ReadError> {
    let parts = vec![Part::new("sim.log", text.as_bytes())];
    let (reading, format) = logs::read(parts, &LogOptions::default(), &())?;
    assert_eq!(format.name, "spin");
    Ok(reading)
}

fn run(text: &str) -> Trace {
    read(text)
        .unwrap_or_else(|error| panic!("{error}\n{text}"))
        .trace
}

/// Reads with the format given, whatever the text looks like.
fn read_as_spin(text: &[u8]) -> Result<Reading, ReadError> {
    let options = LogOptions {
        format: Some("spin".to_owned()),
        ..LogOptions::default()
    };
    logs::read(vec![Part::new("sim.log", text)], &options, &()).map(|(reading, _)| reading)
}

fn event(trace: &Trace, process: &str, label: &str) -> EventId {
    let process = trace
        .process(process)
        .unwrap_or_else(|| panic!("no process {process}"));
    let mut events = trace.order().chain(process).iter().copied();
    events
        .find(|&event| trace.label(event) == Some(label))
        .unwrap_or_else(|| panic!("no event {label}"))
}

fn is_before(trace: &Trace, (one, first): (&str, &str), (other, second): (&str, &str)) -> bool {
    let clocks = Clocks::new(trace.order());
    clocks.happened_before(
        trace.order(),
        event(trace, one, first),
        event(trace, other, second),
    )
}

const LOCK: &str = "  0:\tproc  - (:root:) creates proc  0 (P)
  0:\tproc  - (:root:) creates proc  1 (P)
  1:\tproc  0 (P:1) m.pml:8 (state 1)\t[turn = (1-_pid)]
\t\tturn = 1
  2:\tproc  0 (P:1) m.pml:9 (state 2)\t[((flag[(1-_pid)]==0))]
      what the model prints = 3
  3:\tproc  0 (P:1) m.pml:10 (state 3)\t[flag[_pid] = 1]
\t\tflag[0] = 1
\t\tflag[1] = 7
  4:\tproc  1 (P:1) m.pml:8 (state 1)\t[turn = 1]
  5:\tproc  1 (P:1) m.pml:11 (state 3)\t[flag[_pid] = 9]
\t\tflag[0] = 1
\t\tflag[1] = 9
  6:\tproc  1 (P:1) m.pml:12 (state 4)\t[count = (count+1)]
\t\tP(1):count = 1
  7:\tproc  0 (P:1) m.pml:12 (state 4)\t[else]
  7:\tproc  1 (P:1)           terminates
2 processes created
";

#[test]
fn accesses_that_conflict_are_ordered() {
    let trace = run(LOCK);
    assert_eq!((trace.len(), trace.order().process_count()), (7, 2));
    // A read of the other's flag comes before the write that follows it, and two flags have nothing to do with each other.
    assert!(is_before(
        &trace,
        ("P_0", "((flag[(1-_pid)]==0))"),
        ("P_1", "flag[_pid] = 9")
    ));
    assert!(!is_before(
        &trace,
        ("P_0", "flag[_pid] = 1"),
        ("P_1", "flag[_pid] = 9")
    ));
    // Setting a variable to what it was is a write, though it is not printed.
    assert!(is_before(
        &trace,
        ("P_0", "turn = (1-_pid)"),
        ("P_1", "turn = 1")
    ));
    assert!(!is_before(
        &trace,
        ("P_0", "flag[_pid] = 1"),
        ("P_1", "turn = 1")
    ));
    // What `else` depends on is not known.
    assert!(is_before(
        &trace,
        ("P_1", "flag[_pid] = 9"),
        ("P_0", "else")
    ));
    let flag = trace.shared_variable("flag[1]").expect("a global variable");
    assert_eq!(trace.initial_value(flag), causet_trace::StoredValue::Int(7));
    let process = trace.process("P_1").expect("a process");
    assert!(trace.local_variable(process, "count").is_some());
    assert!(trace.shared_variable("count").is_none());
}

const RING: &str = "  0:\tproc  - (:root:) creates proc  0 (:init:)
  1:\tproc  0 (:init::1) creates proc  1 (node)
  1:\tproc  0 (:init::1) r.pml:9 (state 1)\t[(run node(q))]
\t\tqueue 1 (q):\x20
  2:\tproc  1 (node:1) r.pml:4 (state 1)\t[out!one,5]
\t\tqueue 1 (q): [one,5]
\t\tqueue 1 (node(1):out): [one,5]
  3:\tproc  1 (node:1) r.pml:4 (state 2)\t[out!two,6]
\t\tqueue 1 (q): [one,5][two,6]
\t\tqueue 1 (node(1):out): [one,5][two,6]
  4:\tproc  0 (:init::1) r.pml:10 (state 2)\t[q?kind,got]
\t\tqueue 1 (q): [two,6]
\t\t:init:(0):kind = one
\t\t:init:(0):got = 5
  5:\tproc  1 (node:1) r.pml:5 (state 3)\t[out!one,7]
\t\tqueue 1 (q): [two,6][one,7]
\t\tqueue 1 (node(1):out): [two,6][one,7]
";

#[test]
fn queues_keep_their_order_and_are_as_long_as_they_ever_were() {
    let trace = run(RING);
    assert_eq!(
        trace.process_name(trace.order().process_of(EventId::new(0))),
        "init_0"
    );
    assert!(is_before(
        &trace,
        ("init_0", "(run node(q))"),
        ("node_1", "out!one,5")
    ));
    assert!(is_before(
        &trace,
        ("node_1", "out!one,5"),
        ("init_0", "q?kind,got")
    ));
    assert!(!is_before(
        &trace,
        ("node_1", "out!two,6"),
        ("init_0", "q?kind,got")
    ));
    // Two places are known to be there, so the third send may have waited for one of them.
    assert!(is_before(
        &trace,
        ("init_0", "q?kind,got"),
        ("node_1", "out!one,7")
    ));
    let writes: Vec<_> = trace
        .writes(event(&trace, "init_0", "q?kind,got"))
        .collect();
    assert_eq!(writes.len(), 2);
}

const SEQUENCE: &str = "proc 0 = :init:
proc 1 = node
q\\p   0   1
  1   q!one,5
  2   .   r!4
      hello
  1   .   q?one,5
  2   r?4
-------------
final state:
-------------
  1   q!this is no row
";

#[test]
fn a_sequence_of_messages_is_a_run() {
    let trace = run(SEQUENCE);
    assert_eq!((trace.len(), trace.message_count()), (4, 2));
    assert!(is_before(
        &trace,
        ("init_0", "q!one,5"),
        ("node_1", "q?one,5")
    ));
    assert!(is_before(&trace, ("node_1", "r!4"), ("init_0", "r?4")));
    assert!(!is_before(&trace, ("init_0", "q!one,5"), ("node_1", "r!4")));
}

#[test]
fn a_number_that_is_used_again_is_another_process() {
    let text = "  1:\tproc  0 (:init::1) creates proc  1 (P)
  1:\tproc  0 (:init::1) m.pml:1 (state 1)\t[(run P())]
  2:\tproc  1 (P:1) m.pml:2 (state 1)\t[(1)]
  2:\tproc  1 (P:1) terminates
  3:\tproc  0 (:init::1) creates proc  1 (P)
  3:\tproc  0 (:init::1) m.pml:1 (state 2)\t[(run P())]
  4:\tproc  1 (P:1) m.pml:2 (state 1)\t[(1)]
";
    let trace = run(text);
    let names: Vec<&str> = trace
        .order()
        .processes()
        .map(|process| trace.process_name(process))
        .collect();
    assert_eq!(names, ["P_1", "init_0", "P_1_again"]);
}

#[test]
fn what_cannot_be_read_is_said() {
    let step =
        |rest: &str| format!("  1:\tproc  0 (P:1) m.pml:1 (state 1)\t[(1)]\n  2:\tproc{rest}\n");
    let table = [
        (
            step("  0 (P:1) m.pml:2 (state 2)\t[x = 1"),
            "sim.log:2:10: this step cannot be read",
        ),
        (
            step("  zero (P:1) m.pml:2 (state 2)\t[x = 1]"),
            "sim.log:2:10: this step cannot be read",
        ),
        (
            step("  0 (P:1 m.pml:2"),
            "sim.log:2:10: this step cannot be read",
        ),
        (
            step("  0 (P:1) creates proc x (P)"),
            "sim.log:2:10: this step cannot be read",
        ),
        (
            step("  0 (P:1) m.pml:2 (state 2)\t[q!1]"),
            "sim.log:2:1: which queue `q` is does not stand in this output",
        ),
        (
            step("  0 (P:1) m.pml:2 (state 2)\t[q[i]?x]"),
            "sim.log:2:1: which queue `q[i]` is does not stand in this output",
        ),
        (
            step("  0 (P:1) m.pml:2 (state 2)\t[q?x]\n\t\tqueue 1 (q): "),
            "sim.log:2:1: no message is known that this could receive",
        ),
        (
            step("  0 (P:1) m.pml:2 (state 2)\t[q!!3]\n\t\tqueue 1 (q): [3]"),
            "sim.log:2:1: `!!` puts messages where their content says",
        ),
        (
            "proc 0 = P\nq\\p   0\n  1   .   q!5\n".to_owned(),
            "sim.log:3:11: there is no process 1, in whose column this stands",
        ),
        (
            "proc 0 = P\nq\\p   0\n  1   q=5\n".to_owned(),
            "sim.log:3:7: `q=5` neither sends nor receives",
        ),
        (
            "proc 0 = P\nq\\p   0\n  1   .\n".to_owned(),
            "sim.log:3:3: this row names no process",
        ),
        (
            "nothing\n".to_owned(),
            "sim.log:1:1: this simulation has no steps",
        ),
    ];
    for (text, expected) in table {
        let refused = read_as_spin(text.as_bytes()).map(drop);
        assert_eq!(refused.expect_err(&text).to_string(), expected, "{text}");
    }
}

#[test]
fn damaged_simulations_never_panic() {
    let mut rng = Rng::with_seed(83);
    for sample in [LOCK, RING, SEQUENCE] {
        for end in 0..sample.len() {
            let _ = read_as_spin(&sample.as_bytes()[..end]);
        }
        for _ in 0..2000 {
            let mut bytes = sample.as_bytes().to_vec();
            for _ in 0..rng.usize(1..6) {
                let at = rng.usize(..bytes.len());
                bytes[at] = b"[]()!?:=. \t\n019xP_\xff"[rng.usize(..19)];
            }
            let _ = read_as_spin(&bytes);
        }
    }
}

#[test]
fn no_other_log_is_taken_for_a_simulation() {
    let spin = logs::format_named("spin").expect("a format");
    let binary = logs::format_named("bin").expect("a format");
    let takers = |bytes: &[u8]| -> Vec<&str> {
        let head = Head::of(bytes);
        let all = FORMATS.iter().filter(|format| format.looks_like(&head));
        all.map(|format| format.name).collect()
    };
    for sample in [LOCK, RING, SEQUENCE] {
        assert_eq!(takers(sample.as_bytes()), [spin.name]);
    }
    assert_eq!(takers(&causet_formats::binary::MAGIC), [binary.name]);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/logs");
    let mut others = 0;
    for entry in std::fs::read_dir(folder).expect("samples of other formats") {
        let path = entry.expect("an entry").path();
        let Ok(bytes) = std::fs::read(&path) else {
            continue;
        };
        let taken = takers(&bytes);
        let is_ours = taken.contains(&spin.name) || taken.contains(&binary.name);
        assert!(!is_ours, "{}: {taken:?}", path.display());
        others += 1;
    }
    assert!(others > 3, "{others} samples");
}

/// Whether Spin is there or can be installed; says loudly if not.
fn spin_is_available() -> bool {
    let runs = |program: &str, arguments: &[&str]| {
        let mut command = Command::new(program);
        command.args(arguments);
        command.env("DEBIAN_FRONTEND", "noninteractive");
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    // apt-get fails at once for anyone but root.
    let install = ["30", "apt-get", "install", "-y", "spin"];
    let is_there = runs("spin", &["-V"]) || (runs("timeout", &install) && runs("spin", &["-V"]));
    if !is_there {
        use std::io::Write;
        let sentence = "SKIPPED: spin is not installed and could not be installed";
        let _ = writeln!(std::io::stderr(), "{sentence}");
    }
    is_there
}

/// Simulates a model of ours in a folder of its own: Spin leaves files where it runs.
fn simulated(model: &str, seed: u32, form: &[&str]) -> Option<String> {
    if !spin_is_available() {
        return None;
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples/spin")
        .join(model);
    let name = format!(
        "spin-{model}-{seed}{}-{:?}",
        form.concat(),
        std::thread::current().id()
    );
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a folder for Spin");
    let mut command = Command::new("spin");
    command
        .arg(format!("-n{seed}"))
        .args(form)
        .arg(path.canonicalize().expect("a model"));
    let output = command.current_dir(&folder).output().expect("spin runs");
    let _ = std::fs::remove_dir_all(&folder);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{model}: {text}");
    Some(text)
}

#[test]
fn both_forms_of_a_simulation_have_the_same_messages() {
    let steps = simulated("ring.pml", 1, &["-p", "-g", "-l", "-s", "-r"]);
    let sequence = simulated("ring.pml", 1, &["-c"]);
    let (Some(steps), Some(sequence)) = (steps, sequence) else {
        return;
    };
    let sends = steps.matches("\t-> queue ").count();
    assert!(sends > 5, "{steps}");
    let (steps, sequence) = (run(&steps), run(&sequence));
    assert!(steps.len() > sequence.len());
    assert_eq!(steps.message_count(), sequence.message_count());
    assert_eq!(steps.message_count(), sends);
    assert_eq!(steps.order().process_count(), 4);
}

#[test]
fn every_model_of_ours_becomes_a_run() {
    for model in ["peterson.pml", "buffer.pml", "ring.pml"] {
        for seed in 1..6 {
            let Some(text) = simulated(model, seed, &["-p", "-g", "-l", "-s", "-r"]) else {
                return;
            };
            let trace = run(&text);
            let steps = text
                .lines()
                .filter(|line| line.contains(":\tproc") && line.contains("\t["))
                .count();
            assert_eq!(trace.len(), steps, "{model} {seed}");
            // The simulation is one of the orders: what it printed is what is there in the end.
            assert!(!trace.is_empty());
        }
    }
}

/// The verdicts on the properties beside a model, and whether the simulation itself shows what each witness shows.
fn verdicts(trace: &Trace, model: &str) -> Vec<(String, Verdict, Option<bool>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/spin");
    let text = std::fs::read_to_string(folder.join(model).with_extension("props"));
    let file =
        PropertyFile::parse(&text.expect("properties")).expect("properties that can be read");
    let subject = Subject::of(trace);
    let decided = file.properties.iter().map(|property| {
        let question = prepare(&subject, property, &file.lets).expect("names of the run");
        let outcome = decide(&subject, &question, Choice::Auto, &Budget::endless());
        let outcome = outcome.unwrap_or_else(|failure| panic!("{failure}"));
        let observed = outcome.witness.and_then(|witness| witness.observed);
        (property.name.clone(), outcome.verdict, observed)
    });
    decided.collect()
}

#[test]
fn another_order_of_a_simulation_breaks_what_it_did_not() {
    let table = [
        ("peterson.pml", 1, "served", "exclusive"),
        ("buffer.pml", 2, "real", "balanced"),
        ("ring.pml", 1, "right", "heard"),
    ];
    for (model, seed, kept, broken) in table {
        let Some(text) = simulated(model, seed, &["-p", "-g", "-l", "-s", "-r"]) else {
            return;
        };
        let found = verdicts(&run(&text), model);
        let of = |name: &str| {
            found
                .iter()
                .find(|(other, ..)| other == name)
                .expect("a property")
        };
        assert_eq!(of(kept).1, Verdict::Holds, "{model}: {found:?}");
        let (_, verdict, observed) = of(broken);
        assert_eq!(
            (*verdict, *observed),
            (Verdict::Violated, Some(false)),
            "{model}: {found:?}"
        );
    }
}
