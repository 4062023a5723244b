//! The thread that looks after the workers from the moment all processes have joined until the run is over.
//!
//! Whatever the rest of the process is doing, a loss is noticed here and ends it, because messages are missing and the
//! others wait for nothing. Threads that wait for ever are not waited for.

use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};

use causet::Progress;
use causet_base::Code;
use causet_flow::cluster::Figures;
use causet_report::workers::{grouped, rough};

use super::Workforce;
use crate::failure::Failure;
use crate::limits::{self, Limits};

/// How often losses are looked for.
const LOOK: Duration = Duration::from_millis(100);
/// How many looks pass between two readings of the dials.
const LOOKS_PER_READING: u32 = 5;
/// How long a worker may sleep without a step.
const HANG: Duration = Duration::from_secs(8);
/// So many workers are shown one by one.
const MOST_SHOWN: usize = 8;

/// Starts the thread.
pub(super) fn start(workforce: Arc<Workforce>, limits: Arc<Limits>) -> Result<(), Failure> {
    let mut watcher = Watcher {
        workforce,
        limits,
        seen: Vec::new(),
        last: None,
    };
    let thread = std::thread::Builder::new().name("watcher".to_owned());
    let started = thread.spawn(move || watcher.run());
    started
        .map(drop)
        .map_err(|error| Failure::io(Code::CannotStart, "no thread could be started", &error))
}

struct Watcher {
    workforce: Arc<Workforce>,
    limits: Arc<Limits>,
    /// For each worker of this process, its steps and its time on a processor, and since when both are the same.
    seen: Vec<(u64, u64, Instant)>,
    /// When the dials were last read, and how many variables there were.
    last: Option<(Instant, u64)>,
}

impl Watcher {
    fn run(&mut self) {
        for look in 0.. {
            std::thread::sleep(LOOK);
            if self.is_over() {
                return;
            }
            if look % LOOKS_PER_READING == 0 {
                self.read_dials();
            }
        }
    }

    /// Whether there is nothing more to look after; a loss ends the process here.
    fn is_over(&self) -> bool {
        let Some(company) = &self.workforce.company else {
            return false;
        };
        if company.is_over() {
            return true;
        }
        let Some(lost) = company.watch().lost() else {
            return false;
        };
        match lost.limit() {
            Some(spent) => limits::impose(spent),
            None => self.end(Failure::Lost(lost.to_string())),
        }
        true
    }

    fn read_dials(&mut self) {
        let dials = self.workforce.dials().clone();
        let Some(dials) = dials else {
            self.seen.clear();
            self.last = None;
            return;
        };
        let own = dials.read();
        self.look_for_hangs(&own);
        let all = match &self.workforce.company {
            Some(company) => {
                company.watch().report(own);
                company.watch().heard().concat()
            }
            None => own,
        };
        self.show(&all);
    }

    /// A worker that neither takes steps nor uses a processor has lost its way: it should at least look around.
    fn look_for_hangs(&mut self, own: &[Figures]) {
        let now = Instant::now();
        self.seen.resize(own.len(), (0, 0, now));
        for (worker, figures) in own.iter().enumerate() {
            let (steps, busy, since) = &mut self.seen[worker];
            if *steps != figures.steps || figures.steps == 0 {
                (*steps, *since) = (figures.steps, now);
                continue;
            }
            // A worker that has reported is gone, although others of its process may still explain the value.
            let Some(ticks) = processor_ticks(worker) else {
                *since = now;
                continue;
            };
            if *busy != ticks {
                (*busy, *since) = (ticks, now);
            }
            if since.elapsed() >= HANG {
                let why = format!(
                    "worker {worker} of this process hangs: it has done nothing for {} s",
                    HANG.as_secs()
                );
                let failure = Failure::Internal(why);
                if let Some(company) = &self.workforce.company {
                    company.fail(&failure);
                }
                self.end(failure);
            }
        }
    }

    fn show(&mut self, all: &[Figures]) {
        let now = Instant::now();
        let variables = all.iter().map(|one| one.variables).sum();
        let before = self.last.replace((now, variables));
        let rate = before.map_or(0.0, |(then, before)| {
            let seconds = now.duration_since(then).as_secs_f64();
            variables.saturating_sub(before) as f64 / seconds.max(0.001)
        });
        self.limits.show(Progress::Lines(&lines(all, rate as u64)));
    }

    fn end(&self, failure: Failure) -> ! {
        self.limits.end();
        crate::end(Err(failure))
    }
}

/// What all workers do, in one line, and each of them in one more, if they are not too many.
fn lines(all: &[Figures], rate: u64) -> String {
    let sum = |figure: fn(&Figures) -> u64| all.iter().map(figure).sum::<u64>();
    let idle = sum(|one| u64::from(one.idle_permille)) / (all.len().max(1) as u64 * 10);
    let mut text = format!(
        "{} variables, {}/s, {} queued, {} messages, {idle} % idle",
        grouped(sum(|one| one.variables)),
        grouped(rate),
        grouped(sum(|one| one.queued)),
        rough(sum(|one| one.messages)),
    );
    if all.len() > MOST_SHOWN {
        return text;
    }
    for (worker, one) in all.iter().enumerate() {
        text.push_str(&format!(
            "\n  worker {worker}: {} variables, {} queued, {} messages, {} % idle",
            grouped(one.variables),
            grouped(one.queued),
            rough(one.messages),
            one.idle_permille / 10
        ));
    }
    text
}

/// How long the thread of a worker has been on a processor, in whatever unit the system counts; nothing when there is
/// no such thread.
fn processor_ticks(worker: usize) -> Option<u64> {
    let name = format!("worker {worker}");
    let threads = fs::read_dir("/proc/self/task").ok()?;
    let thread = threads
        .flatten()
        .map(|thread| thread.path())
        .find(|thread| {
            let comm = fs::read_to_string(thread.join("comm"));
            comm.is_ok_and(|comm| comm.trim_end() == name)
        })?;
    let stat = fs::read_to_string(thread.join("stat")).ok()?;
    // The name in brackets may hold blanks; user and system time are the 12th and 13th words after it.
    let (_, after) = stat.rsplit_once(')')?;
    let words = after.split_whitespace().skip(11).take(2);
    words.map(|word| word.parse::<u64>().ok()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(variables: u64) -> Figures {
        Figures {
            variables,
            queued: 5,
            messages: 2_500_000,
            idle_permille: 125,
            ..Figures::default()
        }
    }

    #[test]
    fn few_workers_are_shown_one_by_one_and_many_as_a_sum() {
        let expected = "3,000 variables, 1,500/s, 10 queued, 5.0 million messages, 12 % idle\n  \
                        worker 0: 1,000 variables, 5 queued, 2.5 million messages, 12 % idle\n  \
                        worker 1: 2,000 variables, 5 queued, 2.5 million messages, 12 % idle";
        assert_eq!(lines(&[figures(1_000), figures(2_000)], 1_500), expected);
        assert_eq!(lines(&[figures(1); MOST_SHOWN + 1], 0).lines().count(), 1);
        assert_eq!(lines(&[], 0).lines().count(), 1);
    }

    #[test]
    fn a_thread_is_found_by_its_name_as_long_as_it_runs() {
        let (go_on, wait) = std::sync::mpsc::channel::<()>();
        let name = "worker 77".to_owned();
        let thread = std::thread::Builder::new().name(name);
        let thread = thread.spawn(move || wait.recv()).expect("a thread");
        // The name is set by the thread itself.
        let found = (0..1000).find_map(|_| {
            std::thread::sleep(Duration::from_millis(1));
            processor_ticks(77)
        });
        assert!(found.is_some());
        drop(go_on);
        assert!(thread.join().expect("no panic").is_err());
        assert_eq!(processor_ticks(77), None);
    }
}
