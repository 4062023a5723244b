//! The conference under test, as real processes: the right server fails nothing, and every mutant is found.
//!
//! With `CAUSET_ROUNDS=5` in the environment there are five rounds instead of one: 100 walks along the right server, and
//! every mutant must be found from five seeds.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use causet_base::budget::{Budget, Endless};
use causet_drive::adapter::{Adapter, Patience};
use causet_drive::belief::Belief;
use causet_drive::record::Log;
use causet_drive::run::{Ran, run_judged};
use causet_drive::system::System;
use causet_drive::walk::{Extent, Failing, MOST_FAILURES, walk};
use causet_lts::conformance::cases::{Case, Cases};
use causet_lts::conformance::direct::direct;
use causet_lts::conformance::graph::{Failures, Verdict};
use causet_lts::conformance::product::Stored;
use causet_lts::conformance::purpose::Purpose;
use causet_lts::conformance::roles::{Alphabet, Convention};
use causet_lts::explore::explore;
use causet_lts::network;
use causet_lts::{Lts, aut};
use fastrand::Rng;

const CHAT: &str = env!("CARGO_BIN_EXE_chat");
const PURPOSES: [&str; 3] = ["third", "comeback", "outsider"];

/// A busy machine must not make the right server look silent.
const LONG: Duration = Duration::from_secs(1);

/// A mutant may look more silent than it is: it is wrong anyway.
const SHORT: Duration = Duration::from_millis(200);

/// A mutant is found by then.
const MOST_WALKS: u64 = 40;
const STEPS: usize = 50;

#[test]
fn the_component_is_what_the_program_writes() {
    let kept = fs::read_to_string(beside("member.aut")).expect("a file");
    assert!(chat("member") == kept, "chat member > member.aut");
    let specification = Specification::read();
    assert_eq!(specification.lts.states(), 1580);
    assert_eq!(specification.lts.step_count(), 3786);
}

#[test]
fn the_right_server_walks_without_a_failure() {
    let specification = &Specification::read();
    let walked = in_parallel((1..=5 * rounds()).collect(), |seed| {
        let mut adapter = start(None, LONG);
        let failures = specification.walk(&mut adapter, seed, 4);
        assert!(failures.is_empty(), "seed {seed}: {failures:#?}");
    });
    assert_eq!(walked.len() as u64, 5 * rounds());
}

#[test]
fn the_right_server_fails_no_case() {
    let specification = &Specification::read();
    let cases: Vec<Case> = PURPOSES
        .iter()
        .flat_map(|purpose| specification.cases(purpose))
        .collect();
    let passed = in_parallel(cases.chunks(2).collect(), |cases| {
        let mut adapter = start(None, LONG);
        let ended = specification.run_all(cases, &mut adapter, |ran| {
            assert_ne!(ran.verdict, Verdict::Fail, "{ran:?}");
            // Something must have been on its way, or the purpose cannot be fulfilled any more.
            let is_clear =
                ran.verdict == ran.claimed || ran.claimed == Verdict::Fail || ran.crossed;
            assert!(is_clear, "{ran:?}");
            ran.verdict == Verdict::Pass
        });
        ended.into_iter().filter(|&passed| passed).count()
    });
    let passed: usize = passed.iter().sum();
    println!("{passed} of {} cases passed", cases.len());
    assert!(passed > 0);
}

#[test]
fn walks_find_every_mutant() {
    let specification = &Specification::read();
    let listed = chat("mutants");
    let names: Vec<&str> = listed
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert!(names.len() >= 10);
    let missed = in_parallel(names, |name| {
        let found = |seed: &u64| specification.finds(name, *seed);
        (1..=rounds())
            .find(|seed| !found(seed))
            .map(|seed| (name.to_owned(), seed))
    });
    let missed: Vec<_> = missed.into_iter().flatten().collect();
    assert_eq!(missed, [], "mutants that were not found, and the seed");
}

#[test]
fn cases_find_what_their_purpose_is_about() {
    let specification = &Specification::read();
    let about = [
        ("third", ["one-ear", "short-list"]),
        ("comeback", ["forgotten", "slips-out"]),
        ("outsider", ["stranger", "twice-in"]),
    ];
    for (purpose, mutants) in about {
        let cases = &specification.cases(purpose);
        in_parallel(mutants.to_vec(), |mutant| {
            let mut adapter = start(Some(mutant), SHORT);
            let failed =
                specification.run_all(cases, &mut adapter, |ran| ran.verdict == Verdict::Fail);
            assert!(failed.contains(&true), "{purpose} does not find {mutant}");
        });
    }
}

struct Specification {
    lts: Lts,
    alphabet: Alphabet,
}

impl Specification {
    fn read() -> Specification {
        let text = fs::read_to_string(beside("conference.exp")).expect("a network");
        let network =
            network::read(&text, None, &mut |name| Ok(read_aut(name))).expect("a network");
        assert!(network.warnings().is_empty(), "{:?}", network.warnings());
        let lts = explore(&network, &budget()).expect("no limit");
        let alphabet =
            Alphabet::new(lts.labels(), &Convention::Decorated).expect("decorated labels");
        Specification { lts, alphabet }
    }

    /// What fails on so many walks.
    fn walk(&self, adapter: &mut Adapter, seed: u64, walks: usize) -> Vec<Failing> {
        let extent = Extent {
            seed,
            walks,
            steps: STEPS,
            time: None,
            failures: MOST_FAILURES,
        };
        let (log, budget) = (&mut Log::none(), &budget());
        let (walked, trouble) = walk(&mut &self.lts, &self.alphabet, adapter, extent, log, budget);
        assert_eq!(trouble, None);
        walked.failures
    }

    /// Whether a mutant fails on one of the walks; the first failure is enough.
    fn finds(&self, mutant: &str, seed: u64) -> bool {
        let mut adapter = start(Some(mutant), SHORT);
        (0..MOST_WALKS).any(|number| {
            if number > 0 {
                adapter.reset(&budget()).expect("a reset");
            }
            !self.walk(&mut adapter, seed * 1000 + number, 1).is_empty()
        })
    }

    /// The shortest case for a purpose, those that cover its graph, and three at random.
    fn cases(&self, purpose: &str) -> Vec<Case> {
        let purpose = read_aut(&format!("{purpose}.aut"));
        let purpose = Purpose::new(&purpose, self.lts.labels(), &budget()).expect("a purpose");
        let how = Failures::Explicit;
        let made = direct(&Stored(&self.lts), &self.alphabet, &purpose, how, &budget());
        let graph = made.expect("no limit").graph.expect("a graph");
        let makes = Cases::new(&graph);
        let mut cases = vec![makes.shortest(&budget()).expect("no limit")];
        let mut covering = makes.covering();
        cases.extend(std::iter::from_fn(|| {
            covering.next_case(&budget()).expect("no limit")
        }));
        let mut random = Rng::with_seed(1);
        cases.extend((0..3).map(|_| makes.random(&mut random, &budget()).expect("no limit")));
        assert!(cases.len() > 10, "the graph takes some cases to cover");
        cases
    }

    /// Runs cases one after the other, judged by the specification, with a reset in between.
    fn run_all<R>(
        &self,
        cases: &[Case],
        adapter: &mut Adapter,
        look: impl Fn(&Ran) -> R,
    ) -> Vec<R> {
        let (budget, mut steps) = (&budget(), &self.lts);
        let mut belief = Belief::new(&mut steps, &self.alphabet, budget);
        let mut run = |(number, case): (usize, &Case)| {
            if number > 0 {
                adapter.reset(budget).expect("a reset");
            }
            let ran = run_judged(&case.graph, &mut belief, adapter, &mut Log::none(), budget);
            look(&ran.unwrap_or_else(|trouble| panic!("{trouble}")))
        };
        cases.iter().enumerate().map(&mut run).collect()
    }
}

fn start(mutant: Option<&str>, quiet: Duration) -> Adapter {
    let mut command = format!("'{CHAT}' adapter");
    if let Some(mutant) = mutant {
        command += &format!(" --mutant {mutant}");
    }
    let patience = Patience {
        ready: Duration::from_secs(60),
        quiet,
        ..Patience::default()
    };
    Adapter::start(&command, patience, &budget()).unwrap_or_else(|trouble| panic!("{trouble}"))
}

/// Does something for each of some things, all at once: most of a test is waiting.
fn in_parallel<T: Send, R: Send>(things: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let work = &work;
    thread::scope(|scope| {
        let threads = things
            .into_iter()
            .map(|thing| scope.spawn(move || work(thing)));
        let threads: Vec<_> = threads.collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("no failure"))
            .collect()
    })
}

fn rounds() -> u64 {
    let given = std::env::var("CAUSET_ROUNDS").ok();
    given.map_or(1, |rounds| {
        rounds.parse().expect("CAUSET_ROUNDS is a number")
    })
}

fn budget() -> Budget<'static> {
    Budget::new(&Endless)
}

fn beside(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn read_aut(name: &str) -> Lts {
    let mut file = File::open(beside(name)).expect("a file");
    aut::read(&mut file, 1, &budget()).expect("a system").lts
}

fn chat(word: &str) -> String {
    let output = Command::new(CHAT)
        .arg(word)
        .output()
        .expect("the program starts");
    assert!(output.status.success());
    String::from_utf8(output.stdout).expect("text")
}
