//! The bench itself: the program under test, the runs it is asked about, and what it tells.
//!
//! Everything is measured from outside, as a user would: a process is started, and its time is that from the start to
//! the last byte. What happened inside, reading and checking, is what the program says of itself in `--json`. Of
//! several repetitions the median counts, by the time of the whole process.
//!
//! With `CAUSET_BENCH=trial` in the environment everything is small and done once, and the results go to a folder of
//! the build; that is for work on the benches, not for figures.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{SHIPPED, date, machine, output, target};

/// When one eats, it eats to the end, or its neighbour does not eat before it stops: a question without a next step.
pub(super) const UNTIL: &str = "AG (p1.state = \"eat\" -> (AG p1.state = \"eat\" || A[p0.state != \"eat\" U p1.state != \"eat\"]))";
/// The until-question with a next step in it.
pub(super) const NEXT: &str = "AG (p1.state = \"eat\" -> (AX p1.state = \"eat\" || A[p0.state != \"eat\" U p1.state != \"eat\"]))";

/// More events than this are not worth a trial.
const TRIAL: usize = 10_000;
/// The page of the book that shows the results.
const PAGE: &str = "docs/book/src/performance.md";

/// A place to measure in.
pub(super) struct Lab {
    root: PathBuf,
    /// Where runs and trials are kept.
    folder: PathBuf,
    causet: String,
    date: String,
    /// The machine, and how busy it was when we began.
    machine: String,
    /// Whether this is only a trial of the bench.
    pub(super) trial: bool,
}

/// A run of a known protocol.
#[derive(Clone, Copy)]
pub(super) struct Run<'a> {
    pub(super) model: &'a str,
    pub(super) procs: usize,
    pub(super) events: usize,
    pub(super) seed: u64,
    /// What only this protocol has, as `name=number`.
    pub(super) setting: Option<&'a str>,
    /// Whether the protocol has its mistake.
    pub(super) faulty: bool,
}

impl Run<'_> {
    /// Philosophers with local events while thinking, which match the sizes of the papers' lattices best.
    pub(super) fn philosophers(procs: usize, events: usize) -> Run<'static> {
        Run {
            model: "philosophers",
            procs,
            events,
            seed: 1,
            setting: Some("work=4"),
            faulty: false,
        }
    }
}

impl Lab {
    /// Builds what is measured.
    pub(super) fn open(root: &Path) -> Result<Self, String> {
        output(root, "cargo", &SHIPPED)?;
        let folder = target(root).join("bench");
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        Ok(Lab {
            root: root.to_owned(),
            folder,
            causet: target(root).join("dist/causet").display().to_string(),
            date: date(root)?,
            machine: machine(root)?,
            trial: std::env::var("CAUSET_BENCH").is_ok_and(|word| word == "trial"),
        })
    }

    /// The first lines of every report: when and where.
    pub(super) fn header(&self) -> String {
        format!("# Measured on {}\n\n{}\n", self.date, self.machine)
    }

    /// How often something is repeated.
    pub(super) fn times(&self) -> usize {
        if self.trial { 1 } else { 3 }
    }

    /// Those numbers of events that are measured.
    pub(super) fn sizes(&self, events: &[usize]) -> Vec<usize> {
        let sizes = events.iter().copied();
        sizes.filter(|&events| self.fits(events)).collect()
    }

    /// Whether so many events are measured.
    pub(super) fn fits(&self, events: usize) -> bool {
        !self.trial || events <= TRIAL
    }

    /// The time limit where some are expected not to finish.
    pub(super) fn patience(&self) -> &'static str {
        if self.trial { "1s" } else { "10s" }
    }

    /// A file of the bench.
    pub(super) fn file(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }

    /// A file that comes with the repository.
    pub(super) fn given(&self, path: &str) -> String {
        self.root.join(path).display().to_string()
    }

    /// Writes a property file with one property per formula.
    pub(super) fn properties(&self, formulas: &[String]) -> Result<String, String> {
        let lines = formulas.iter().enumerate();
        let text: String = lines
            .map(|(number, formula)| format!("property q{number}: ctl {formula}\n"))
            .collect();
        let path = self.file("asked.props");
        fs::write(&path, text).map_err(|error| error.to_string())?;
        Ok(path)
    }

    /// Records a run; the path of its file.
    pub(super) fn record(&self, run: &Run<'_>) -> Result<String, String> {
        let path = self.file(&format!("{}.jsonl", run.model));
        let (procs, events) = (run.procs.to_string(), run.events.to_string());
        let seed = run.seed.to_string();
        let mut options = vec!["gen", run.model, "--procs", &procs, "--events", &events];
        options.extend(["--seed", &seed, "-o", &path]);
        options.extend(run.setting.iter().flat_map(|setting| ["--set", *setting]));
        options.extend(run.faulty.then_some("--faulty"));
        self.tell(&options)?;
        Ok(path)
    }

    /// The program, to be started.
    pub(super) fn command(&self) -> Command {
        Command::new(&self.causet)
    }

    /// What the program prints.
    pub(super) fn tell(&self, arguments: &[&str]) -> Result<String, String> {
        output(&self.root, &self.causet, arguments)
    }

    /// Checks something about a run several times; the median, by the time of the whole process.
    pub(super) fn check(&self, arguments: &[&str]) -> Result<Told, String> {
        median(self.times(), || self.check_once(arguments))
    }

    /// Checks something once.
    pub(super) fn check_once(&self, arguments: &[&str]) -> Result<Told, String> {
        self.ask(&[&["check"], arguments].concat())
    }

    /// Checks something about a transition system so many times; the median, by the time of the whole process.
    pub(super) fn check_system(&self, times: usize, arguments: &[&str]) -> Result<Told, String> {
        median(times, || self.check_system_once(arguments))
    }

    /// Checks something about a transition system once.
    pub(super) fn check_system_once(&self, arguments: &[&str]) -> Result<Told, String> {
        self.ask(&[&["lts", "check"], arguments].concat())
    }

    /// Runs the program once and reads the object it prints.
    pub(super) fn ask(&self, arguments: &[&str]) -> Result<Told, String> {
        let arguments = [arguments, &["--json"]].concat();
        let start = Instant::now();
        let text = self.tell(&arguments)?;
        let wall = start.elapsed().as_secs_f64();
        let answer: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        let peak = number(&answer["peak_bytes"]) / 1e6;
        Ok(Told { wall, peak, answer })
    }

    /// Checks without printing anything, so that no witness is worked out; time and memory are seen from outside.
    pub(super) fn check_quietly(&self, arguments: &[&str]) -> Result<Told, String> {
        let tell = || {
            let mut command = Command::new(&self.causet);
            command.arg("check").args(arguments).arg("--quiet");
            let (finished, wall, peak) = watched(&mut command)
                .map_err(|error| format!("`{}` cannot be run: {error}", self.causet))?;
            match finished.status.code() {
                Some(0 | 1 | 3) => Ok(Told {
                    wall,
                    peak,
                    answer: Value::Null,
                }),
                _ => Err(String::from_utf8_lossy(&finished.stderr).into_owned()),
            }
        };
        median(self.times(), tell)
    }

    /// Prints a report and keeps it as `bench/DATE-NAME.md`.
    pub(super) fn save(&self, name: &str, report: &str) -> Result<(), String> {
        print!("{report}");
        self.write(&format!("bench/{}-{name}.md", self.date), report.as_bytes())
    }

    /// Puts a text into its place on the book's page about performance, with date and machine.
    pub(super) fn publish(&self, name: &str, text: &str) -> Result<(), String> {
        self.publish_on(PAGE, name, text)
    }

    /// The same on another page.
    pub(super) fn publish_on(&self, page: &str, name: &str, text: &str) -> Result<(), String> {
        let text = format!("{text}\nMeasured on {}: {}", self.date, self.machine);
        self.rewrite(page, name, &text)
    }

    /// Puts a text alone into its place on a page.
    pub(super) fn rewrite(&self, page: &str, name: &str, text: &str) -> Result<(), String> {
        let old = fs::read_to_string(self.root.join(page)).map_err(|error| error.to_string())?;
        let new = fill(&old, name, text).ok_or_else(|| {
            format!("{page} has no place for `{name}`, with a mark before and one after it")
        })?;
        self.write(page, new.as_bytes())
    }

    /// Writes a file of the repository, or that of a trial.
    pub(super) fn write(&self, path: &str, bytes: &[u8]) -> Result<(), String> {
        let root = if self.trial { &self.folder } else { &self.root };
        let path = root.join(path);
        let folder = path.parent().unwrap_or(root);
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&path, bytes))
            .map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
        eprintln!("wrote {}", path.display());
        Ok(())
    }
}

impl Drop for Lab {
    /// Removes the runs, which are large; the seeds make them again.
    fn drop(&mut self) {
        if !self.trial {
            // What cannot be removed is in a folder of the build, where it does no harm.
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

/// What one process told.
pub(super) struct Told {
    /// Seconds from its start to its end.
    pub(super) wall: f64,
    /// Megabytes at most.
    pub(super) peak: f64,
    answer: Value,
}

impl Told {
    /// Seconds for reading the run.
    pub(super) fn read(&self) -> f64 {
        number(&self.answer["seconds"]["read"])
    }

    /// Seconds for everything after that: preparing, planning, deciding, checking witnesses.
    pub(super) fn check(&self) -> f64 {
        self.total() - self.read()
    }

    /// Seconds until the verdicts were known.
    pub(super) fn total(&self) -> f64 {
        number(&self.answer["seconds"]["total"])
    }

    /// How many events the run had.
    pub(super) fn events(&self) -> &Value {
        &self.answer["trace"]["events"]
    }

    /// The one verdict, or how many are not what one hopes for.
    pub(super) fn verdict(&self) -> String {
        let words = self.words("verdict");
        let count = |word: &str| words.iter().filter(|&&other| other == word).count();
        let worst = ["violated", "unknown", "holds"]
            .into_iter()
            .find(|word| count(word) > 0);
        match worst {
            None => "-".to_owned(),
            Some(worst) if count(worst) == words.len() => worst.to_owned(),
            Some(worst) => format!("{} of {} {worst}", count(worst), words.len()),
        }
    }

    /// The engines that took part.
    pub(super) fn engines(&self) -> String {
        let mut words = self.words("engine");
        words.retain(|&word| word != "-");
        words.sort_unstable();
        words.dedup();
        match words.is_empty() {
            true => "-".to_owned(),
            false => words.join("+"),
        }
    }

    /// The limit that stopped it, if one did.
    pub(super) fn stopped(&self) -> Option<&'static str> {
        let reasons = self.words("reason");
        let stops = [("memory", "memory"), ("timeout", "T/O")];
        let stop = stops.iter().find(|(reason, _)| reasons.contains(reason));
        stop.map(|&(_, word)| word)
    }

    /// Seconds for deciding the first property, and the part of them that went into re-checking its witness.
    pub(super) fn decided(&self) -> (f64, f64) {
        let first = &self.answer["results"][0];
        (number(&first["seconds"]), number(&first["certify_seconds"]))
    }

    /// What the engine of the first property counted.
    pub(super) fn figure(&self, name: &str) -> f64 {
        number(&self.answer["results"][0]["stats"][name])
    }

    /// The number at a place of the object, as in `/graph/states`.
    pub(super) fn number_at(&self, place: &str) -> f64 {
        self.answer.pointer(place).map_or(f64::NAN, number)
    }

    /// What each worker of the first property counted.
    pub(super) fn workers(&self, name: &str) -> Vec<f64> {
        let workers = self.answer["results"][0]["workers"].as_array();
        let workers = workers.map_or(&[][..], Vec::as_slice);
        workers.iter().map(|worker| number(&worker[name])).collect()
    }

    fn words(&self, field: &str) -> Vec<&str> {
        let results = self.answer["results"].as_array();
        let results = results.map_or(&[][..], Vec::as_slice);
        results
            .iter()
            .map(|result| result[field].as_str().unwrap_or("-"))
            .collect()
    }
}

/// A table of a report, which shows its progress.
pub(super) struct Table {
    pub(super) text: String,
}

impl Table {
    /// A table with these columns.
    pub(super) fn new(columns: &[&str]) -> Self {
        let rule = "---|".repeat(columns.len());
        Table {
            text: format!("| {} |\n|{rule}\n", columns.join(" | ")),
        }
    }

    /// Adds a row, and prints it for whoever waits.
    pub(super) fn row(&mut self, cells: &[String]) {
        let line = format!("| {} |\n", cells.join(" | "));
        eprint!("{line}");
        self.text += &line;
    }
}

/// Whether a figure is what was aimed at.
pub(super) fn goal(what: &str, figure: f64, most: f64, unit: &str) -> String {
    let met = if figure <= most { "met" } else { "missed" };
    format!("- {what}: {figure:.3}{unit}, goal {most}{unit}: {met}.\n")
}

/// A number with thousands apart.
pub(super) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number in a JSON text; what is missing is no number.
fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

/// The one in the middle, by the time of the whole process.
pub(super) fn median(
    times: usize,
    tell: impl Fn() -> Result<Told, String>,
) -> Result<Told, String> {
    let mut told = Vec::with_capacity(times);
    for _ in 0..times {
        told.push(tell()?);
    }
    told.sort_by(|one, other| one.wall.total_cmp(&other.wall));
    Ok(told.swap_remove(times / 2))
}

/// Runs a command; what it printed, its seconds, and its megabytes as far as the system shows them.
fn watched(command: &mut Command) -> io::Result<(Output, f64, f64)> {
    let start = Instant::now();
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let status = format!("/proc/{}/status", child.id());
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        let peak = scope.spawn(|| highest(&status, &ended));
        let finished = child.wait_with_output();
        let wall = start.elapsed().as_secs_f64();
        ended.store(true, Ordering::Relaxed);
        Ok((finished?, wall, peak.join().unwrap_or(f64::NAN)))
    })
}

/// The last high-water mark that was seen of a process, in megabytes.
fn highest(status: &str, ended: &AtomicBool) -> f64 {
    let mut peak = f64::NAN;
    while !ended.load(Ordering::Relaxed) {
        let text = fs::read_to_string(status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<f64>().ok());
        peak = kilobytes.map_or(peak, |kilobytes| kilobytes * 1024.0 / 1e6);
        thread::sleep(Duration::from_millis(2));
    }
    peak
}

/// The page with a text between the marks `<!-- NAME -->` and `<!-- end of NAME -->`, if it has them.
fn fill(page: &str, name: &str, text: &str) -> Option<String> {
    let (begin, end) = (
        format!("<!-- {name} -->"),
        format!("<!-- end of {name} -->"),
    );
    let (before, rest) = page.split_once(&begin)?;
    let (_, after) = rest.split_once(&end)?;
    Some(format!(
        "{before}{begin}\n\n{}\n\n{end}{after}",
        text.trim()
    ))
}
