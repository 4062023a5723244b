//! Spin and NuSMV as second opinions: random small runs, translated, against the verdicts of `causet check`.
//!
//! Spin needs a C compiler. Where Spin is missing and the test may install it, it tries once; a checker that is not
//! there is skipped, and the test says loudly that nothing was compared. `CAUSET_SPIN_SEED` and `CAUSET_SPIN_RUNS` choose other runs, and more of them.

mod common;

use std::fmt;
use std::path::Path;
use std::process::{Command, Stdio};

use causet_trace::random::{self, Shape};
use causet_trace::{Clocks, Trace, notation};
use common::Folder;
use fastrand::Rng;

/// How many runs are compared unless the environment says otherwise.
const RUNS: u64 = 12;

/// Another checker: the format it reads, and its verdict on the model in a folder.
struct Judge {
    format: &'static str,
    verdict: fn(&Path, &str) -> bool,
}

#[test]
fn spin_agrees_with_check() {
    if !spin_is_available() {
        skipped("SKIPPED: spin is not installed and could not be installed");
        return;
    }
    let judge = Judge {
        format: "promela",
        verdict: spin_verdict,
    };
    let mut tally = Tally::new(judge);
    tally.compare_all(DRAWN);
    eprintln!("spin and causet agree: {tally}");
}

#[test]
fn nusmv_agrees_with_check() {
    let empty = Folder::new();
    let model = empty.write("empty.smv", "MODULE main\n");
    if !runs("NuSMV", &[model.to_str().expect("a plain path")]) {
        skipped("SKIPPED: NuSMV is not installed");
        return;
    }
    let judge = Judge {
        format: "smv",
        verdict: nusmv_verdict,
    };
    let mut tally = Tally::new(judge);
    tally.compare_all(DRAWN);
    tally.compare_drawn(NESTED);
    eprintln!("NuSMV and causet agree: {tally}");
}

/// What random runs do not have: decimals, booleans, values of several types, folds, every kind of question.
const DRAWN: &[(&str, &str, &str)] = &[
    (
        "a: x=0.5 x=1.25\nb: y=2",
        "--possibly",
        "a.x * 2 = 2.5 && b.y = 0",
    ),
    ("a: x=0.5 x=1.25\nb: y=2", "--possibly", "a.x + b.y = 2.75"),
    ("a: x=0.5 x=1.25\nb: y=2", "--ctl", "AG (a.x - b.y > -2)"),
    ("a: x=0.5 x=1.25\nb: y=2", "--ctl", "AG (a.x - b.y >= -2)"),
    (
        "a: s=true s=\"on\"\nb: s=\"on\" s=1",
        "--possibly",
        "a.s = b.s && a.s = 0",
    ),
    (
        "a: s=true s=\"on\"\nb: s=\"on\" s=1",
        "--definitely",
        "a.s = b.s && a.s != 0",
    ),
    (
        "a: s=true s=\"on\"\nb: s=1 s=true",
        "--possibly",
        "a.s = b.s && a.s = true",
    ),
    (
        "a: s=true s=\"on\"\nb: s=1 s=true",
        "--ctl",
        "EG (a.s != b.s || a.s = 0)",
    ),
    (
        "a: x=3 x=1\nb: x=2 x=5",
        "--ctl",
        "AG (min(i in procs: i.x) < 3)",
    ),
    (
        "a: x=3 x=1\nb: x=2 x=5",
        "--possibly",
        "max(i in procs: i.x) - min(i in procs: i.x) = 4",
    ),
    (
        "a: x=3 x=1\nb: x=2 x=5",
        "--definitely",
        "count(i in procs: i.x > 1) = 1",
    ),
    (
        "a: x=3 x=1\nb: x=2 x=5",
        "--ctl",
        "forall i in procs: AG (i.x < 5)",
    ),
    (
        "a: x=3 x=1\nb: x=2 x=5",
        "--ctl",
        "exists i in procs: EF (i.x = 4)",
    ),
    ("a: m!b n!b\nb: . .", "--ctl", "AF (inflight(a -> b) = 2)"),
];

/// Formulas that no single order decides.
const NESTED: &[(&str, &str, &str)] = &[
    ("a: x=1 x=0\nb: y=1", "--ctl", "AG EF final"),
    ("a: x=1 x=0\nb: y=1", "--ctl", "AG (a.x -> EX (a.x = 0))"),
    ("a: x=1 x=0\nb: y=1", "--ctl", "AG AX false"),
    ("a: x=1 x=0\nb: y=1", "--ctl", "AF AX false"),
    ("a: x=1 x=0\nb: y=1", "--ctl", "AG EX true"),
    ("a: x=1 x=0\nb: y=1", "--ctl", "A[b.y = 0 U a.x]"),
    ("a: x=1 x=0\nb: y=1", "--ctl", "E[b.y = 0 U final]"),
    ("a: x=1 x=0\nb: y=1", "--ctl", "EF (b.y && AG !a.x)"),
    (
        "a: x=1 m!\nb: m? y=1",
        "--ctl",
        "A[b.y = 0 W a.x] && AG (b.y -> AG a.x)",
    ),
    ("a: x=1 m!\nb: m? y=1", "--ctl", "A[a.x R b.y = 0]"),
    ("a: x=1 m!\nb: m? y=1", "--ctl", "a.x = 0"),
];

/// How often a judge agreed, by verdict.
struct Tally {
    judge: Judge,
    held: usize,
    violated: usize,
}

impl Tally {
    fn new(judge: Judge) -> Tally {
        Tally {
            judge,
            held: 0,
            violated: 0,
        }
    }

    /// Random runs with five questions each, then drawn ones; both verdicts must occur.
    fn compare_all(&mut self, drawn: &[(&str, &str, &str)]) {
        let setting = |name, default| {
            let text = std::env::var(name).ok();
            text.and_then(|text| text.parse().ok()).unwrap_or(default)
        };
        let first: u64 = setting("CAUSET_SPIN_SEED", 7);
        for number in 0..setting("CAUSET_SPIN_RUNS", RUNS) {
            let seed = first.wrapping_add(number);
            let mut rng = Rng::with_seed(seed);
            let run = random_run(&mut rng);
            let folder = Folder::new();
            folder.write("t.jsonl", native(&run));
            for (flag, formula) in questions(&mut rng, &run) {
                let what = format!("seed {seed}: {flag} '{formula}'");
                self.compare(&folder, flag, &formula, &what);
            }
        }
        self.compare_drawn(drawn);
        assert!(
            self.held > 0 && self.violated > 0,
            "both verdicts must occur"
        );
    }

    fn compare_drawn(&mut self, drawn: &[(&str, &str, &str)]) {
        for (drawing, flag, formula) in drawn {
            let folder = Folder::new();
            let run = notation::parse(drawing).expect("a drawing");
            folder.write("t.jsonl", native(&run));
            self.compare(&folder, flag, formula, &format!("{flag} '{formula}'"));
        }
    }

    /// Fails unless the judge and `causet check` say the same.
    fn compare(&mut self, folder: &Folder, flag: &str, formula: &str, what: &str) {
        let trace = folder.read("t.jsonl");
        let code = folder
            .run(&["check", "t.jsonl", "--quiet", flag, formula])
            .code;
        let ours = match code {
            Some(0) => true,
            Some(1) => false,
            _ => panic!("no verdict for {what} on\n{trace}"),
        };
        let Judge { format, verdict } = self.judge;
        let convert = ["convert", "t.jsonl", "--to", format, "-o", "model"];
        folder
            .run(&[&convert[..], &[flag, formula]].concat())
            .ends(0);
        let model = folder.read("model");
        let theirs = verdict(folder.path(), &model);
        assert_eq!(ours, theirs, "{what}: causet says {ours}\n{trace}\n{model}");
        match ours {
            true => self.held += 1,
            false => self.violated += 1,
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally { held, violated, .. } = self;
        let all = held + violated;
        write!(f, "{all} pairs, {held} hold, {violated} are violated")
    }
}

/// A run of two or three processes with enough in it to ask about.
fn random_run(rng: &mut Rng) -> Trace {
    let shape = Shape {
        processes: rng.usize(2..=3),
        events: rng.usize(5..=9),
        messages: rng.f64() * 0.8,
        writes: 0.8,
        shared: rng.bool(),
    };
    random::run(rng, shape)
}

/// An invariant, something to reach and something to meet on every order, over variables, channels and progress; then
/// the order itself: nothing comes too early, and the last event need not come late.
fn questions(rng: &mut Rng, run: &Trace) -> Vec<(&'static str, String)> {
    let [too_early, in_time] = order_of(run);
    vec![
        ("--ctl", format!("AG !({})", predicate(rng, run, " && "))),
        ("--possibly", predicate(rng, run, " && ")),
        ("--definitely", predicate(rng, run, " || ")),
        ("--ctl", format!("AG !({too_early})")),
        ("--possibly", in_time),
    ]
}

/// Some event has happened without what it depends on; the last event has, with no more than that.
fn order_of(run: &Trace) -> [String; 2] {
    let order = run.order();
    let clocks = Clocks::new(order);
    let mut too_early = Vec::new();
    let mut in_time = Vec::new();
    for event in order.recorded() {
        let (process, position) = (order.process_of(event), order.position_of(event));
        let own = run.process_name(process);
        in_time.clear();
        for other in order.processes() {
            let (name, count) = (run.process_name(other), clocks.of(event)[other.index()]);
            too_early.push(format!(
                "(steps({own}) >= {position} && steps({name}) < {count})"
            ));
            in_time.push(format!("steps({name}) = {count}"));
        }
    }
    [too_early.join(" || "), in_time.join(" && ")]
}

/// Two or three random atoms, joined.
fn predicate(rng: &mut Rng, run: &Trace, joint: &str) -> String {
    let count = run.order().process_count();
    let atoms = (0..rng.usize(2..=3)).map(|_| {
        let (p, q) = (rng.usize(1..=count), rng.usize(1..=count));
        let op = rng.choice(["=", "!=", "<", ">="]).unwrap_or("=");
        let number = rng.usize(0..3);
        match rng.usize(0..7) {
            0 => format!("p{p}.x {op} {number}"),
            1 => format!("p{p}.x + p{q}.x {op} {}", number + 1),
            2 => format!(
                "p{p}.st = \"{}\"",
                rng.choice(["idle", "want", "crit"]).unwrap_or("")
            ),
            3 => format!("p{p}.st != p{q}.st"),
            4 => format!("inflight(p{p} -> p{q}) {op} {number}"),
            5 => format!("steps(p{p}) - steps(p{q}) {op} {number}"),
            _ => format!("(done(p{p}) && !done(p{q}))"),
        }
    });
    atoms.collect::<Vec<_>>().join(joint)
}

fn native(run: &Trace) -> Vec<u8> {
    let mut bytes = Vec::new();
    causet_formats::native::write(run, &mut bytes).expect("memory is writable");
    bytes
}

/// Builds and runs Spin's checker, and reads its answer as the head of the model says it is to be read.
fn spin_verdict(folder: &Path, model: &str) -> bool {
    output(folder, "spin", &["-a", "model"]);
    output(
        folder,
        "cc",
        &["-O0", "-w", "-DSAFETY", "-o", "pan", "pan.c"],
    );
    let pan = folder.join("pan");
    let said = output(folder, pan.to_str().expect("a plain path"), &["-w18"]);
    assert!(!said.contains("max search depth too small"), "{said}");
    let errors = match (said.contains("errors: 0"), said.contains("errors: 1")) {
        (true, false) => 0,
        (false, true) => 1,
        _ => panic!("no answer in\n{said}"),
    };
    let meaning = format!("errors: {errors}   the property HOLDS");
    model.contains(&meaning)
}

/// What a program prints; fails when it does.
fn output(folder: &Path, program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap_or_else(|error| panic!("{program}: {error}"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program}: {text}{complaint}");
    text
}

/// The answer of NuSMV to the one specification of the model.
fn nusmv_verdict(folder: &Path, _: &str) -> bool {
    let said = output(folder, "NuSMV", &["model"]);
    let answers: Vec<&str> = said
        .lines()
        .filter(|line| line.starts_with("-- specification"))
        .collect();
    match answers[..] {
        [answer] if answer.ends_with("is true") => true,
        [answer] if answer.ends_with("is false") => false,
        _ => panic!("no answer in\n{said}"),
    }
}

/// Whether Spin and a C compiler can be run, after trying once to install Spin where that is allowed.
fn spin_is_available() -> bool {
    if !runs("cc", &["--version"]) {
        return false;
    }
    if runs("spin", &["-V"]) {
        return true;
    }
    // apt-get fails at once for anyone but root.
    runs("timeout", &["30", "apt-get", "install", "-y", "spin"]) && runs("spin", &["-V"])
}

/// Whether a program is there and succeeds, quietly.
fn runs(program: &str, arguments: &[&str]) -> bool {
    let ran = Command::new(program)
        .args(arguments)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    ran.is_ok_and(|status| status.success())
}

/// Says so past the capture of the test harness: a comparison that did not take place must be seen.
fn skipped(sentence: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "{sentence}");
}
