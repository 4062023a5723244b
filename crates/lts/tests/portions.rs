//! Files of which each of several processes keeps some states: together they have the whole system, each has no more
//! than its share, and all say the same about the file.

mod common;

use std::io::Read;

use causet_base::Diagnostic;
use causet_base::budget::{Budget, Spent};
use causet_flow::WorkerPool;
use causet_lts::aut::{self, NotRead, read_in_blocks, read_portion_in_blocks};
use causet_lts::model::{Model, NotChecked, Options, check, matching, program};
use causet_lts::portion::{Kept, Mine, Portion};
use causet_lts::random::random_lts;
use causet_lts::together::check_portion;
use causet_lts::{Labels, Lts};
use causet_solve::bes::Strategy;
use causet_solve::bes::product::{Matching, Product};
use causet_solve::bes::program::Program;
use causet_solve::deal::Deal;
use causet_solve::part::Part;
use causet_solve::steps::{Edge, Steps};
use causet_solve::workers::{Divide, Gather, NotSolved, Workers};
use common::mu_common::LABELS;
use common::{questions, seeds, system};
use fastrand::Rng;

/// Processes, threads of each, and the heaps that states are dealt in.
const SHAPES: [(usize, usize); 8] = [
    (1, 1),
    (1, 3),
    (2, 1),
    (2, 2),
    (3, 1),
    (3, 2),
    (4, 1),
    (2, 4),
];
const HEAPS: [u32; 5] = [0, 1, 3, 6, 30];

/// Whom each of several processes keeps.
fn everybody(processes: usize, threads: usize, heap: u32) -> Vec<Kept> {
    let deal = Deal::heaps(processes * threads, heap);
    let firsts = (0..processes).map(|process| process * threads);
    firsts
        .map(|first| Kept::new(deal.clone(), first, threads))
        .collect()
}

/// The text of a system; its header may be wrong, and its lines may be in any order.
fn text(random: &mut Rng, lts: &Lts) -> String {
    let mut bytes = Vec::new();
    aut::write(lts, &mut bytes).expect("memory takes it");
    let text = String::from_utf8(bytes).expect("text");
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    if random.bool() {
        random.shuffle(&mut lines[1..]);
    }
    if random.u8(..4) == 0 {
        let (initial, steps) = (lts.initial(), random.usize(..100));
        lines[0] = format!("des ({initial},{steps},{})", random.u32(..200));
    }
    lines.join("\n")
}

fn sample(seed: u64) -> String {
    let mut random = Rng::with_seed(seed);
    let states = random.u32(1..150);
    let lts = random_lts(&mut random, states, &LABELS, 2.0);
    text(&mut random, &lts)
}

fn portion(text: &str, block: usize, threads: usize, kept: &Kept) -> (Portion, Vec<Diagnostic>) {
    let input = &mut text.as_bytes();
    let reading = read_portion_in_blocks(input, block, threads, kept, &Budget::endless());
    let reading = reading.unwrap_or_else(|error| panic!("{text}: {error}"));
    (reading.portion, reading.warnings)
}

#[test]
fn all_portions_together_are_the_system() {
    let mut empty = 0;
    for seed in 0..100 {
        let text = sample(seed);
        let mut random = Rng::with_seed(seed);
        let whole = aut::read(&mut text.as_bytes(), 1, &Budget::endless()).expect("a system");
        for (processes, threads) in SHAPES {
            for heap in HEAPS {
                let place = format!("seed {seed}: {processes} x {threads}, heaps of 2^{heap}");
                let mut found = 0;
                for kept in everybody(processes, threads, heap) {
                    let block = random.usize(1..400);
                    let readers = random.usize(1..3);
                    let (portion, warnings) = portion(&text, block, readers, &kept);
                    assert_eq!(warnings, whole.warnings, "{place}");
                    has_its_states(&portion, &whole.lts, &place);
                    let steps = portion.transitions().count();
                    empty += u32::from(steps == 0);
                    found += steps;
                }
                assert_eq!(found, whole.lts.step_count(), "{place}");
            }
        }
    }
    assert!(empty > 100, "{empty} portions without a step");
}

/// A portion has the steps of its workers, in their order, and knows what all know.
fn has_its_states(portion: &Portion, lts: &Lts, place: &str) {
    assert_eq!(portion.labels(), lts.labels(), "{place}");
    assert_eq!(portion.initial(), lts.initial(), "{place}");
    assert_eq!(portion.states(), lts.states(), "{place}");
    assert_eq!(portion.step_count(), lts.step_count() as u64, "{place}");
    let kept = portion.kept();
    let is_kept = |state| {
        kept.workers()
            .contains(&(kept.deal().place(state).0 as usize))
    };
    let wanted = lts.transitions().filter(|&(source, _)| is_kept(source));
    let wanted: Vec<(u32, Edge)> = wanted.collect();
    let found: Vec<(u32, Edge)> = portion.transitions().collect();
    assert_eq!(found, wanted, "{place}");
    assert_eq!(portion.steps(lts.states()), None, "{place}");
    let budget = Budget::endless();
    for state in 0..lts.states() {
        let steps = is_kept(state).then(|| lts.steps(state));
        assert_eq!(portion.steps(state), steps, "state {state}, {place}");
        if steps.is_none() {
            continue;
        }
        let (owner, own) = kept.deal().place(state);
        let mut mine = Mine::of(portion, owner as usize);
        let edges = mine.edges(own, &budget).expect("no limit");
        assert_eq!(edges, lts.steps(state), "state {state}, {place}");
        let home = (state == lts.initial()).then_some(own);
        assert!(home.is_none() || mine.home() == home, "{place}");
    }
}

/// What a reading comes to, whoever is kept.
type Outcome = Result<(Labels, Vec<Diagnostic>), Diagnostic>;

fn refused(error: NotRead) -> Diagnostic {
    match error {
        NotRead::Fault(problem) => problem,
        other => panic!("{other}"),
    }
}

fn outcome_of_whole(bytes: &[u8]) -> Outcome {
    let reading = read_in_blocks(&mut &*bytes, 1 << 16, 1, &Budget::endless());
    let reading = reading.map_err(refused)?;
    Ok((reading.lts.labels().clone(), reading.warnings))
}

fn outcome_of_portion(bytes: &[u8], block: usize, threads: usize, kept: &Kept) -> Outcome {
    let budget = Budget::endless();
    let reading = read_portion_in_blocks(&mut &*bytes, block, threads, kept, &budget);
    let reading = reading.map_err(refused)?;
    Ok((reading.portion.labels().clone(), reading.warnings))
}

#[test]
fn damaged_files_are_refused_alike_by_all_processes() {
    let (mut read, mut refused) = (0, 0);
    for seed in 0..1000 {
        let mut random = Rng::with_seed(seed);
        let mut bytes = sample(seed).into_bytes();
        bytes.truncate(random.usize(1..300));
        for _ in 0..random.usize(..3) {
            let at = random.usize(..bytes.len());
            bytes[at] = match random.bool() {
                true => random.u8(..),
                false => b"(),\"\n -0d9"[random.usize(..10)],
            };
        }
        let whole = outcome_of_whole(&bytes);
        for kept in everybody(3, 2, random.u32(..4)) {
            let (block, threads) = (random.usize(1..60), random.usize(1..3));
            let portion = outcome_of_portion(&bytes, block, threads, &kept);
            assert_eq!(portion, whole, "seed {seed}, {kept:?}");
        }
        *(if whole.is_ok() {
            &mut read
        } else {
            &mut refused
        }) += 1;
    }
    assert!(read > 50 && refused > 500, "{read} read, {refused} refused");
}

/// Errors and warnings that depend on all transitions, although only some are kept.
#[test]
fn what_the_whole_file_bears_out_is_granted_to_every_process() {
    let many: String = (0..100_000).map(|_| "(0,a,1)\n").collect();
    let large = format!("des (0,100001,2000001)\n{many}(0,b,2000000)\n");
    let cases = [
        // The states are granted by the transitions of the first worker.
        large.clone(),
        large.replace("2000000)", "4000000)"),
        large.replace("des (0,", "des (2000001,"),
        "des (0,1,2)\n(0,a,3000000)\n".to_owned(),
        "des (0,7,3000000)\n(0,a,1)\n".to_owned(),
        "des (5,0,5)\n".to_owned(),
        "des (1048577,0,4000000)\n".to_owned(),
    ];
    for text in cases {
        let whole = outcome_of_whole(text.as_bytes());
        for kept in everybody(3, 1, 2) {
            let portion = outcome_of_portion(text.as_bytes(), 1 << 12, 2, &kept);
            assert_eq!(portion, whole, "{kept:?}: {}", &text[..30.min(text.len())]);
        }
    }
}

#[test]
fn a_process_pays_for_its_own_states() {
    let steps = 400_000;
    for (sorted, per_step, per_state) in [(true, 12, 6), (false, 24, 12)] {
        let text = common::large(steps, sorted);
        let buffers = 100_000;
        let whole = per_step * steps + per_state * steps / 2;
        for (count, heap) in [(1, 0), (1, 6), (2, 6)] {
            let limit = (whole * count / 8 + buffers) as u64;
            let budget = Budget::endless().with_memory(limit, 0);
            let kept = Kept::new(Deal::heaps(8, heap), 3, count);
            let reading = read_portion_in_blocks(&mut text.as_bytes(), 1 << 14, 1, &kept, &budget);
            let portion = reading.expect("enough memory").portion;
            assert_eq!(budget.used(), portion.bytes() as u64);
            let budget = Budget::endless().with_memory(limit, 0);
            let reading = read_in_blocks(&mut text.as_bytes(), 1 << 14, 1, &budget);
            assert!(matches!(reading, Err(NotRead::Spent(Spent::Memory))));
            let budget = Budget::endless().with_memory(limit / 4, 0);
            let reading = read_portion_in_blocks(&mut text.as_bytes(), 1 << 14, 2, &kept, &budget);
            assert!(matches!(reading, Err(NotRead::Spent(Spent::Memory))));
            assert_eq!(budget.used(), 0);
        }
    }
}

#[test]
fn input_that_fails_fails_everywhere() {
    struct Failing;
    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("gone"))
        }
    }
    let kept = Kept::new(Deal::heaps(4, 6), 2, 2);
    let reading = aut::read_portion(&mut Failing, 2, &kept, &Budget::endless());
    assert!(matches!(reading, Err(NotRead::Io(_))));
}

/// Every process's portion, worked on by threads of this one.
struct Processes<'p> {
    portions: &'p [Portion],
    program: &'p Program,
    matching: &'p Matching,
}

impl Divide for Processes<'_> {
    type Part<'b>
        = Product<'b, Mine<'b>>
    where
        Self: 'b;

    fn part<'b>(
        &'b self,
        me: usize,
        _: usize,
        budget: &'b Budget<'b>,
    ) -> Result<Self::Part<'b>, Spent> {
        let mut portions = self.portions.iter();
        let portion = portions.find(|portion| portion.kept().workers().contains(&me));
        let mine = Mine::of(portion.expect("everybody is kept by somebody"), me);
        Ok(Product::new(self.program, self.matching, mine, budget))
    }
}

#[test]
fn workers_with_their_portions_find_the_verdict() {
    let budget = Budget::endless();
    for seed in seeds(0, 5) {
        let mut random = Rng::with_seed(seed);
        let lts = system(seed);
        let text = text(&mut random, &lts);
        let (processes, threads) = [(2, 1), (2, 2), (3, 1), (1, 2)][seed as usize / 5 % 4];
        let portions = everybody(processes, threads, random.u32(..3));
        let portions = portions
            .into_iter()
            .map(|kept| portion(&text, 64, 1, &kept).0);
        let portions: Vec<Portion> = portions.collect();
        let read = aut::read(&mut text.as_bytes(), 1, &budget).expect("a system");
        let model = Model::Stored(read.lts);
        for question in questions(seed).iter().take(10) {
            let options = Options {
                strategy: Strategy::Lean,
                most_claims: 0,
            };
            let wanted = check(&model, &question.modal, options, &budget).expect("no limit");
            let division = Processes {
                portions: &portions,
                program: &program(&question.modal),
                matching: &matching(&question.modal, portions[0].labels()),
            };
            let workers = processes * threads;
            let pool = WorkerPool::of_threads(workers);
            let solved = pool.solve(&division, Gather::Reasons(usize::MAX), &budget);
            let solved = solved.expect("no limit, no loss");
            let place = format!("CAUSET_SEED={seed}: {}", question.text);
            assert_eq!(solved.value, wanted.holds, "{place}");
            assert!(solved.pieces.is_some(), "{place}");
            if processes == 1 {
                let modal = &question.modal;
                let checked = check_portion(&portions[0], modal, options, &pool, &budget);
                assert_eq!(checked.expect("no limit").0.holds, wanted.holds, "{place}");
            }
        }
    }
}

#[test]
fn a_portion_of_others_is_refused() {
    let (portion, _) = portion(&sample(1), 64, 1, &Kept::new(Deal::heaps(4, 1), 0, 2));
    let question = common::ask("[true*] <true> true").expect("no alternation");
    for workers in [2, 4] {
        let pool = WorkerPool::of_threads(workers);
        let options = Options {
            strategy: Strategy::Lean,
            most_claims: 0,
        };
        let checked = check_portion(
            &portion,
            &question.modal,
            options,
            &pool,
            &Budget::endless(),
        );
        assert!(matches!(
            checked,
            Err(NotChecked::Failed(NotSolved::Broken(_)))
        ));
    }
}
