//! Files that are read: every dialect, what is let pass, any number of workers, limits, and what was written again.

mod common;

use std::io::{self, Read};
use std::sync::atomic::{AtomicU32, Ordering};

use causet_base::budget::{Budget, Meter, Spent};
use causet_lts::aut::{self, NotRead, Reading, read_in_blocks};
use causet_lts::random::random_lts;
use causet_lts::{Labels, Lts};
use causet_solve::steps::Edge;
use fastrand::Rng;

fn read(input: &str) -> Reading {
    match aut::read(&mut input.as_bytes(), 1, &Budget::endless()) {
        Ok(reading) => reading,
        Err(error) => panic!("{input}: {error}"),
    }
}

/// The initial state, the number of states, and the steps in words.
fn shape(lts: &Lts) -> (u32, u32, Vec<(u32, &str, u32)>) {
    let in_words =
        |(source, edge): (u32, Edge)| (source, lts.labels().text(edge.label), edge.target);
    (
        lts.initial(),
        lts.states(),
        lts.transitions().map(in_words).collect(),
    )
}

fn warnings(reading: &Reading) -> Vec<String> {
    reading.warnings.iter().map(ToString::to_string).collect()
}

#[track_caller]
fn reads_as(input: &str, expected: (u32, u32, &[(u32, &str, u32)])) {
    let reading = read(input);
    let (initial, states, steps) = shape(&reading.lts);
    assert_eq!((initial, states, &*steps), expected, "{input:?}");
    assert_eq!(warnings(&reading), [""; 0], "{input:?}");
}

#[test]
fn the_dialects_of_all_tools_are_read() {
    let three: (u32, u32, &[_]) = (0, 3, &[(0, "MIRQ2", 1), (1, "i", 2)]);
    reads_as("des (0, 2, 3)\n(0, MIRQ2, 1)\n(1, i, 2)\n", three);
    reads_as(
        "des(0,2,3)                    \n(0,\"MIRQ2\",1)\n(1,\"i\",2)\n",
        three,
    );
    reads_as("des (0,2,3)\r\n(0,\"MIRQ2\",1)\r\n(1,i,2)\r\n", three);
    reads_as("\u{feff}des (0,2,3)\n(0,MIRQ2,1)\n(1,i,2)", three);
    reads_as(
        "\n \n\tdes\t( 0 ,\t2 , 3 ) \n\n ( 0 , \"MIRQ2\" , 1 ) \t\n\t(1 ,i\t, 2)\n  \n\n",
        three,
    );
    reads_as("des (00,002,03)\n(0000000000000,MIRQ2,01)\n(1,i,2)", three);
    reads_as("des (1,0,2)", (1, 2, &[]));
}

#[test]
fn labels_are_taken_as_they_stand() {
    let label = |written: &str| {
        let reading = read(&format!("des (0,1,1)\n(0,{written},0)\n"));
        assert_eq!(reading.lts.labels().len(), 1);
        reading.lts.labels().text(0).to_owned()
    };
    assert_eq!(label("\"PUT !3 !TRUE\""), "PUT !3 !TRUE");
    assert_eq!(label("\" a,\tb(1) \""), " a,\tb(1) ");
    assert_eq!(label(" put(3, true) "), "put(3, true)");
    assert_eq!(label("a, 5"), "a, 5");
    assert_eq!(label("a|b(1)"), "a|b(1)");
    assert_eq!(label("a\"b"), "a\"b");
    assert_eq!(label("grüße"), "grüße");
    assert_eq!(label("\"))((\""), "))((");
    assert_eq!(label("12345678"), "12345678");
    assert_eq!(label("123456789"), "123456789");
    let long = "x".repeat(100_000);
    assert_eq!(label(&long), long);
}

#[test]
fn labels_are_numbered_as_they_appear_quoted_or_not() {
    let reading =
        read("des (0,6,1)\n(0,b,0)\n(0,a,0)\n(0,\"b\",0)\n(0,tau,0)\n(0,\"a\",0)\n(0,i,0)\n");
    let labels = reading.lts.labels();
    let texts: Vec<_> = (0..labels.len() as u32)
        .map(|label| labels.text(label))
        .collect();
    assert_eq!(texts, ["b", "a", "tau", "i"]);
    let internal: Vec<_> = (0..4).map(|label| labels.is_internal(label)).collect();
    assert_eq!(internal, [false, false, true, true]);
}

#[test]
fn the_internal_action_can_be_named() {
    let mut lts = read("des (0,2,1)\n(0,i,0)\n(0,hidden,0)\n").lts;
    assert!(lts.labels_mut().choose_internal("hidden"));
    assert!(!lts.labels().is_internal(0) && lts.labels().is_internal(1));
    assert!(!lts.labels_mut().choose_internal("hiden"));
    assert!(!lts.labels().is_internal(0) && !lts.labels().is_internal(1));
}

#[test]
fn steps_in_any_order_are_sorted_and_keep_theirs() {
    let steps: (u32, u32, &[_]) = (
        2,
        5,
        &[
            (0, "c", 1),
            (0, "a", 0),
            (2, "b", 4),
            (2, "a", 2),
            (4, "d", 0),
        ],
    );
    reads_as(
        "des (2,5,5)\n(2,b,4)\n(0,c,1)\n(2,a,2)\n(4,d,0)\n(0,a,0)",
        steps,
    );
    reads_as(
        "des (2,5,5)\n(0,c,1)\n(2,b,4)\n(2,a,2)\n(4,d,0)\n(0,a,0)",
        steps,
    );
    reads_as(
        "des (2,5,5)\n(0,c,1)\n(0,a,0)\n(2,b,4)\n(2,a,2)\n(4,d,0)",
        steps,
    );
    let back_by_one: (u32, u32, &[_]) = (0, 2, &[(0, "a", 0), (0, "c", 1), (1, "b", 1)]);
    reads_as("des (0,3,2)\n(0,a,0)\n(1,b,1)\n(0,c,1)", back_by_one);
}

#[test]
fn wrong_counts_are_let_pass_with_a_warning() {
    let reading = read("\ndes (1, 3, 2)\n(0,a,5)\n(1,a,0)\n");
    assert_eq!((reading.lts.states(), reading.lts.step_count()), (6, 2));
    let expected = [
        "line 2: the header declares 2 states, but 6 are used",
        "line 2: the header declares 3 transitions, but the file has 2",
    ];
    assert_eq!(warnings(&reading), expected);
    assert!(
        reading.warnings[1]
            .help
            .as_deref()
            .unwrap_or_default()
            .contains("copied whole")
    );
    let reading = read("des (0, 1, 1)\n(0,a,0)\n(0,b,0)\n");
    assert_eq!(
        warnings(&reading),
        ["line 1: the header declares 1 transition, but the file has 2"]
    );
    let first_beyond = read("des (5, 1, 3)\n(5,a,0)\n");
    assert_eq!(
        (first_beyond.lts.initial(), first_beyond.lts.states()),
        (5, 6)
    );
}

#[test]
fn declared_states_exist_up_to_a_bound() {
    let reading = read("des (0, 1, 720247)\n(0,a,1)\n");
    assert_eq!(
        (reading.lts.states(), warnings(&reading).len()),
        (720_247, 0)
    );
    let most = (1 << 20) + 16;
    let reading = read(&format!("des ({}, 1, {most})\n(0,a,1)\n", most - 1));
    assert_eq!((reading.lts.states(), warnings(&reading).len()), (most, 0));
    let reading = read(&format!("des (0, 1, {})\n(0,a,1)\n", most + 1));
    let expected = ["line 1: the header declares 1048593 states, but 2 can be of use"];
    assert_eq!(
        (reading.lts.states(), &*warnings(&reading)),
        (2, &expected.map(String::from)[..])
    );
    let reading = read("des (7, 1, 1000000000000)\n(0,a,1)\n");
    assert_eq!((reading.lts.initial(), reading.lts.states()), (7, 8));
    assert_eq!(
        reading.warnings[0].help.as_deref(),
        Some("only the states up to 7 exist")
    );
}

#[test]
fn a_large_number_is_a_state_when_there_are_many_steps() {
    let mut input = String::from("des (0, 100001, 2000001)\n(2000000,a,0)\n");
    (0..100_000).for_each(|n| input += &format!("({n},a,{})\n", n + 1));
    let reading = read(&input);
    assert_eq!(reading.lts.states(), 2_000_001);
    assert_eq!(reading.lts.steps(2_000_000).len(), 1);
    assert_eq!(reading.lts.steps(99_999).len(), 1);
}

#[test]
fn a_large_number_in_a_small_file_takes_no_memory() {
    for text in [
        "des (0,1,4294967295)\n(4294967294,a,0)\n",
        "des (0,1,4294967295)\n(0,a,4294967294)\n",
        "des (4294967294,1,4294967295)\n(0,a,0)\n",
    ] {
        let budget = Budget::endless().with_memory(1 << 20, 0);
        let refused = aut::read(&mut text.as_bytes(), 1, &budget);
        assert!(matches!(refused, Err(NotRead::Fault(_))), "{text}");
    }
}

/// A file with many labels, of which most are rare, with its steps shuffled now and then.
fn sample(random: &mut Rng) -> (String, Lts) {
    let names: Vec<String> = (0..40)
        .map(|n| format!("label{}({n})", "x".repeat(n % 9)))
        .collect();
    let names: Vec<&str> = names
        .iter()
        .map(String::as_str)
        .chain(["i", "a", "b"])
        .collect();
    let states = random.u32(1..60);
    let lts = random_lts(random, states, &names, 3.0);
    let mut text = Vec::new();
    aut::write(&lts, &mut text).expect("memory can be written");
    (String::from_utf8(text).expect("text"), lts)
}

#[test]
fn what_was_written_is_read_again() {
    for seed in 0..300 {
        let (text, lts) = sample(&mut Rng::with_seed(seed));
        assert_eq!(read(&text).lts, lts, "seed {seed}");
    }
}

#[test]
fn workers_and_blocks_make_no_difference() {
    let mut unsorted = 0;
    for seed in 0..200 {
        let mut random = Rng::with_seed(seed);
        let (mut text, _) = sample(&mut random);
        if random.bool() {
            let mut lines: Vec<&str> = text.lines().collect();
            random.shuffle(&mut lines[1..]);
            text = lines.join("\n");
            unsorted += 1;
        }
        let whole = read(&text);
        for workers in 1..=4 {
            let block = random.usize(1..200);
            let input = &mut text.as_bytes();
            let reading = read_in_blocks(input, block, workers, &Budget::endless());
            let reading = reading.expect("the same file");
            assert_eq!(
                reading.lts, whole.lts,
                "seed {seed}, {workers} workers, blocks of {block}"
            );
            assert_eq!(reading.warnings, whole.warnings);
        }
    }
    assert!(unsorted > 50);
}

#[test]
fn damaged_files_are_read_or_refused_alike() {
    let (mut read, mut refused) = (0, 0);
    for seed in 0..2000 {
        let mut random = Rng::with_seed(seed);
        let mut bytes = sample(&mut random).0.into_bytes();
        let lines = bytes.split_inclusive(|&byte| byte == b'\n').take(12);
        bytes.truncate(lines.map(<[u8]>::len).sum());
        for _ in 0..random.usize(1..4) {
            let at = random.usize(..bytes.len());
            bytes[at] = if random.bool() {
                random.u8(..)
            } else {
                b"(),\"\n -0d"[random.usize(..9)]
            };
        }
        let outcome = |block, workers| {
            let reading = read_in_blocks(&mut &*bytes, block, workers, &Budget::endless());
            reading
                .map(|reading| (reading.lts, reading.warnings))
                .map_err(|error| match error {
                    NotRead::Fault(problem) => {
                        assert!(
                            problem.text.get(problem.span.range()).is_some(),
                            "{problem:?}"
                        );
                        problem
                    }
                    other => panic!("{other}"),
                })
        };
        let one = outcome(1 << 16, 1);
        assert_eq!(one, outcome(random.usize(1..40), 3), "seed {seed}");
        *(if one.is_ok() { &mut read } else { &mut refused }) += 1;
    }
    assert!(
        read > 100 && refused > 1000,
        "{read} read, {refused} refused"
    );
}

#[test]
fn labels_that_cannot_be_written_are_respelled_and_stay_different() {
    let texts = [
        "say \"x\"",
        "say 'x'",
        "a\"b",
        "\"q\"",
        "",
        "two\nlines",
        "say \"x'",
        "tau",
        "i",
        "a,b",
    ];
    let mut labels = Labels::default();
    let steps: Vec<_> = texts
        .iter()
        .map(|text| {
            (
                0,
                Edge {
                    label: labels.number(text),
                    target: 0,
                },
            )
        })
        .collect();
    let lts = Lts::from_steps(1, 0, &steps, labels);
    let mut written = Vec::new();
    let respelled = aut::write(&lts, &mut written).expect("memory can be written");
    let expected = "des (0,10,1)\n(0,\"say 'x''\",0)\n(0,\"say 'x'\",0)\n(0,a\"b,0)\n(0,\"'q'\",0)\n(0,\"'\",0)\n\
                    (0,\"two lines\",0)\n(0,\"say 'x'''\",0)\n(0,\"tau\",0)\n(0,i,0)\n(0,\"a,b\",0)\n";
    let written = String::from_utf8(written).expect("text");
    assert_eq!(written, expected);
    let respelled: Vec<_> = respelled
        .iter()
        .map(|label| (label.label, label.written.as_str()))
        .collect();
    assert_eq!(
        respelled,
        [
            (0, "say 'x''"),
            (3, "'q'"),
            (4, "'"),
            (5, "two lines"),
            (6, "say 'x'''")
        ]
    );
    assert_eq!(read(&written).lts.labels().len(), texts.len());
}

/// An input that gives one byte at a time, and fails at the end.
struct Stuttering<'t>(&'t [u8], bool);

impl Read for Stuttering<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let one = self.0.len().min(1).min(buffer.len());
        if one == 0 && self.1 {
            return Err(io::Error::other("the disk is gone"));
        }
        buffer[..one].copy_from_slice(&self.0[..one]);
        self.0 = &self.0[one..];
        Ok(one)
    }
}

#[test]
fn input_may_come_in_small_pieces_and_may_fail() {
    let text = b"des (0,2,2)\n(0,a,1)\n(1,b,0)\n";
    let reading = aut::read(&mut Stuttering(text, false), 2, &Budget::endless());
    assert_eq!(reading.expect("read").lts.step_count(), 2);
    for block in [4, 1 << 16] {
        let failed = read_in_blocks(&mut Stuttering(text, true), block, 3, &Budget::endless());
        assert!(matches!(failed, Err(NotRead::Io(_))));
    }
    let fault_first = b"des (0,2,2)\n(0,a,1\n(1,b,0)\n";
    let failed = read_in_blocks(&mut Stuttering(fault_first, true), 8, 3, &Budget::endless());
    assert!(matches!(failed, Err(NotRead::Fault(_))));
}

#[test]
fn memory_is_charged_as_promised() {
    let steps = 200_000;
    for (sorted, per_step, per_state) in [(true, 12, 6), (false, 24, 12)] {
        let text = common::large(steps, sorted);
        let buffers = 100_000;
        let limit = (per_step * steps + per_state * steps / 2 + buffers) as u64;
        let within = |limit| {
            let budget = Budget::endless().with_memory(limit, 0);
            let reading = read_in_blocks(&mut text.as_bytes(), 1 << 14, 1, &budget);
            (reading, budget.used())
        };
        let (reading, used) = within(limit);
        assert_eq!(used, reading.expect("enough memory").lts.bytes() as u64);
        let (reading, used) = within(8 * steps as u64);
        assert!(matches!(reading, Err(NotRead::Spent(Spent::Memory))));
        assert_eq!(used, 0);
    }
}

#[test]
fn a_long_line_is_charged() {
    let text = format!("des (0,1,1)\n(0,{},0)\n", "x".repeat(1 << 20));
    let budget = Budget::endless().with_memory(1 << 19, 0);
    let reading = read_in_blocks(&mut text.as_bytes(), 1 << 12, 1, &budget);
    assert!(matches!(reading, Err(NotRead::Spent(Spent::Memory))));
}

/// Stops at a look.
struct After(AtomicU32);

impl Meter for After {
    fn stop(&self) -> Option<Spent> {
        let left = self.0.load(Ordering::Relaxed);
        self.0.store(left.saturating_sub(1), Ordering::Relaxed);
        (left == 0).then_some(Spent::Cancelled)
    }
}

#[test]
fn reading_can_be_stopped() {
    let text = common::large(10_000, false);
    for (looks, workers) in [(0, 1), (5, 1), (5, 3)] {
        let meter = After(AtomicU32::new(looks));
        let reading = read_in_blocks(&mut text.as_bytes(), 1 << 10, workers, &Budget::new(&meter));
        assert!(matches!(reading, Err(NotRead::Spent(Spent::Cancelled))));
    }
}

#[test]
fn parentheses_that_a_label_opens_belong_to_it() {
    for label in ["f(1,2) (3,4)", "f(1,2)(3,4)", "a) (b,c", "a) (1"] {
        let text = format!("des (0,1,2)\n(0,{label},1)\n");
        let reading = read(&text);
        assert_eq!(reading.lts.labels().text(0), label);
    }
}
