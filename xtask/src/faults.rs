//! `cargo xtask faults`: breaks runs of several processes at random moments, and sees whether the rest ends as promised.
//!
//! Three processes on three hosts, which are network namespaces of this machine, decide something together. One of them
//! is killed or stopped, or one of the three cables is cut. Every process that is left must end by itself within ten
//! seconds, with an error and exit status 4, and without a verdict unless the decision had been made before. A process
//! that was stopped goes on afterwards, and must end in the same time. Nothing may be left, and the next run uses the
//! same ports at once. Then the same for processes that `causet cluster run` started and watches.
//!
//! The environment may say more: `CAUSET_FAULTS_TIMES` how many faults there are, `CAUSET_SEED` which random moments,
//! `CAUSET_BINARY` which program is tried instead of the one that is built. Without the right to make hosts there is
//! nothing to see, and the command says so.

mod member;
mod network;
mod plan;
mod supervised;
mod trial;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::bench::report::{Goals, ReportTable, Site};
use crate::bench::{SHIPPED, output, target};
use member::{Member, wait_for};
use network::{HOSTS, Network, address};
use plan::{Plan, Random};

/// How long the others have to end.
const PROMISED: Duration = Duration::from_secs(10);
/// How long they are watched before they are given up.
const WATCHED: Duration = Duration::from_secs(20);
/// The longest that a run without a fault may take.
const PATIENCE: Duration = Duration::from_secs(300);
const PORT: u16 = 4700;
/// Asked several times, because the model is read once and solving is faster: the faults are to find both, and the time
/// between two formulas.
const FORMULA: &str = "[true*] <true> true";
const FORMULAS: usize = 4;
/// How many messages the alternating-bit protocol has: in the runs that are broken, and in those that are not.
const LARGE: u32 = 192;
const SMALL: u32 = 8;
/// After so many faults there is a run without one.
const BETWEEN: usize = 5;
const LOST: i32 = 4;

/// Breaks runs, and writes the report.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    if let Some(why) = network::not_possible() {
        eprintln!(
            "SKIPPED, nothing was tried: hosts need the rights of root and network namespaces. {why}"
        );
        return Ok(());
    }
    let field = Field::open(root)?;
    let times = number("CAUSET_FAULTS_TIMES", 30) as usize;
    let seed = number("CAUSET_SEED", 1);
    let whole = field.undisturbed(&field.large)?;
    eprintln!(
        "a run without a fault takes {:.1} s; {times} faults, seed {seed}",
        whole.as_secs_f64()
    );
    let mut missed = Vec::new();
    let text = [
        field.about(whole, seed),
        field.hosts(times, whole, seed, &mut missed)?,
        supervised::run(&field, times.min(6), whole, seed, &mut missed)?,
    ];
    let mut goals = Goals::default();
    let promise = format!(
        "all ended as promised, within {} seconds",
        PROMISED.as_secs()
    );
    goals.add(&promise, missed.is_empty());
    missed.iter().for_each(|why| goals.add(why, false));
    field.site.save("faults", &text.concat(), &goals)?;
    goals.verdict()
}

/// Where the faults happen.
struct Field {
    network: Network,
    folder: PathBuf,
    causet: String,
    /// Where the program comes from.
    origin: String,
    large: String,
    site: Site,
}

impl Field {
    fn open(root: &Path) -> Result<Field, String> {
        let (causet, origin) = program(root)?;
        let folder = target(root).join(format!("faults-{}", std::process::id()));
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let field = Field {
            network: Network::open(&folder)?,
            large: folder.join("large.aut").display().to_string(),
            folder,
            causet,
            origin,
            site: Site::new(root, None)?,
        };
        field.prepare(root)?;
        Ok(field)
    }

    /// Writes the models, the secret and the host file.
    fn prepare(&self, root: &Path) -> Result<(), String> {
        for (messages, path) in [(LARGE, &self.large), (SMALL, &self.small())] {
            let setting = format!("n={messages}");
            output(
                root,
                &self.causet,
                &["lts", "gen", "bitalt", "--set", &setting, "-o", path],
            )?;
        }
        let hosts: String = (0..HOSTS)
            .map(|host| format!("{}:{PORT}\n", address(host)))
            .collect();
        let secret = output(root, &self.causet, &["cluster", "secret"])?;
        fs::write(self.folder.join("hosts"), hosts)
            .and_then(|()| fs::write(self.folder.join("secret"), secret))
            .map_err(|error| error.to_string())?;
        output(&self.folder, "chmod", &["600", "secret"]).map(drop)
    }

    fn small(&self) -> String {
        self.folder.join("small.aut").display().to_string()
    }

    /// Starts the process of a host, after a delay.
    fn start(&self, process: usize, model: &str, delay: Duration) -> Result<Member, String> {
        let mut command = self.network.command(process, "sh");
        let (process, delay_text) = (process.to_string(), delay.as_secs_f64().to_string());
        command
            .args(["-c", "sleep $0; exec \"$@\"", &delay_text, &self.causet])
            .args(question(model))
            .args(["--workers", "1", "--hosts", "hosts"])
            .args(["--secret-file", "secret", "--process", &process])
            .current_dir(&self.folder);
        Member::start(command, delay, &self.folder, &format!("process-{process}"))
    }

    /// A run without a fault, which must give the right answer everywhere; its time.
    fn undisturbed(&self, model: &str) -> Result<Duration, String> {
        let begun = Instant::now();
        let start = |process| self.start(process, model, Duration::ZERO);
        let mut members = (0..HOSTS).map(start).collect::<Result<Vec<_>, _>>()?;
        wait_for(&mut members, &[0, 1, 2], begun + PATIENCE);
        let took = begun.elapsed();
        for (process, member) in members.iter_mut().enumerate() {
            let code = member.ended().and_then(|(_, status)| status.code());
            let is_right = code == Some(0) && (process > 0 || member.said().starts_with("holds"));
            if !is_right {
                let words = member.complained();
                return Err(format!(
                    "without a fault, process {process} ended with {code:?}:\n{words}"
                ));
            }
        }
        Ok(took)
    }

    /// What the report says first.
    fn about(&self, whole: Duration, seed: u64) -> String {
        format!(
            "The program: {}. `{FORMULA}`, {FORMULAS} times, on the alternating-bit protocol with {LARGE} messages, one \
             worker in each process, no other option: {:.1} s without a fault. Seed {seed}. Time counts from the fault, \
             or from the start of a process that was started later.\n\n",
            self.origin,
            whole.as_secs_f64()
        )
    }

    /// All faults on hosts, as a table.
    fn hosts(
        &self,
        times: usize,
        whole: Duration,
        seed: u64,
        missed: &mut Vec<String>,
    ) -> Result<String, String> {
        let mut random = Random::new(seed);
        let mut rows = ReportTable::new(&[
            "fault",
            "moment",
            "phase",
            "seconds until each ended",
            "exit status",
            "left",
            "error",
        ]);
        let mut slowest = Duration::ZERO;
        let mut number = 0;
        let mut in_vain = 0;
        while number < times {
            let plan = Plan::draw(number, whole, &mut random);
            let Some(seen) = trial::run(self, &plan)? else {
                in_vain += 1;
                if in_vain > times {
                    return Err("most runs end before the fault: the model is too small".to_owned());
                }
                continue;
            };
            number += 1;
            slowest = slowest.max(seen.slowest);
            missed.extend(
                seen.missed
                    .iter()
                    .map(|why| format!("fault {number} ({}): {why}", plan.fault)),
            );
            rows.row(&[&[format!("{number}. {}", plan.fault)], &seen.cells[..]].concat());
            if number % BETWEEN == 0 {
                let small = self.undisturbed(&self.small());
                missed.extend(
                    small
                        .err()
                        .map(|why| format!("after fault {number}: {why}")),
                );
            }
        }
        Ok(format!(
            "## Three hosts\n\n{}\nThe slowest process ended {:.2} s after the fault. {in_vain} more runs had ended \
             before their fault. A run without a fault after every {BETWEEN} faults, on the same ports.\n\n",
            rows.text,
            slowest.as_secs_f64()
        ))
    }
}

/// The program to try, and where it comes from. One that is given may be of another state than the repository.
fn program(root: &Path) -> Result<(String, String), String> {
    if let Ok(given) = env::var("CAUSET_BINARY") {
        let built = output(root, "date", &["-r", &given, "+%Y-%m-%d %H:%M"])?;
        let origin = format!("a program that was given, of {}", built.trim());
        return Ok((given, origin));
    }
    output(root, "cargo", &SHIPPED)?;
    let built = target(root).join("dist/causet");
    let commit = output(root, "git", &["rev-parse", "--short", "HEAD"])?;
    let origin = format!("built as it is shipped, at {}", commit.trim());
    Ok((built.display().to_string(), origin))
}

/// What is to be decided.
fn question(model: &str) -> Vec<&str> {
    let formulas = ["--mu", FORMULA].repeat(FORMULAS);
    [&["lts", "check", model], &formulas[..]].concat()
}

/// A number in the environment, or the usual one.
fn number(variable: &str, usual: u64) -> u64 {
    let given = env::var(variable).ok();
    given.and_then(|text| text.parse().ok()).unwrap_or(usual)
}
