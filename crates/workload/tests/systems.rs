//! The transition systems: their bytes are those of the reference generators, their sizes and properties those promised.

use std::collections::{BTreeSet, HashMap, HashSet};

use causet_base::budget::Budget;
use causet_lts::{aut, network};
use causet_solve::space::Space;
use causet_workload::system::{Network, Options, Sizes, find};

/// How the labels of `bitalt` are spelled, how many messages there are, and the hash of the reference file.
const BITALT: &[(&str, u16, u64)] = &[
    ("call", 1, 0x1924_6f20_0847_b106),
    ("call", 2, 0xf5e1_e459_647a_fbb4),
    ("offer", 2, 0x9e29_8b3a_948f_8a06),
    ("bare", 2, 0x2bd2_700d_e2c7_aff8),
    ("call", 8, 0xdab6_4c63_48ea_b55c),
    ("offer", 8, 0xcf00_5580_5fab_1a76),
    ("bare", 8, 0x6c2a_d4ac_850a_42c4),
    ("call", 17, 0xc41d_7ec6_827f_c455),
];

/// Groups, depth, seed and mode of `rank`, and the hash of the reference file.
const RANK: &[(u64, u64, u64, &str, u64)] = &[
    (1, 1, 1, "good", 0x6f9c_2e45_7ab9_7961),
    (1, 1, 1, "deadlock", 0xb759_129a_7c6c_99bc),
    (1, 1, 1, "livelock", 0x22d2_6df8_0166_8d9b),
    (7, 3, 2, "good", 0xe5ae_81fc_f898_84ee),
    (7, 3, 2, "deadlock", 0x5914_6722_98b3_67cd),
    (7, 3, 2, "livelock", 0xe407_a36c_ce8c_97be),
    (50, 9, 1, "good", 0xee1b_0d4e_624a_d36e),
    (50, 9, 1, "deadlock", 0x8c03_add1_71da_d9dd),
    (50, 9, 1, "livelock", 0x792b_8bf4_f814_4805),
    (40, 25, 12_345_678_901, "livelock", 0xba0f_eb4b_68f1_68e6),
];

#[test]
fn bitalt_has_the_bytes_of_the_reference() {
    for &(labels, n, hash) in BITALT {
        let options = Options::default().with("n", n).with("labels", labels);
        let (text, _) = written("bitalt", &options);
        assert_eq!(fnv(text.as_bytes()), hash, "n = {n}, {labels}");
    }
}

#[test]
fn rank_has_the_bytes_of_the_reference() {
    for &(groups, depth, seed, mode, hash) in RANK {
        let (text, _) = written("rank", &rank(groups, depth, seed, mode));
        assert_eq!(fnv(text.as_bytes()), hash, "{groups} {depth} {seed} {mode}");
    }
}

#[test]
fn bitalt_has_the_sizes_of_the_paper() {
    for n in 1..=20 {
        let options = Options::default().with("n", n);
        let (text, sizes) = written("bitalt", &options);
        assert_eq!(sizes, promised(n), "n = {n}");
        assert_eq!(Parsed::of(&text).reachable() as u64, sizes.states);
    }
    assert_eq!(promised(256).states, 6_067_712);
    assert_eq!(promised(256).transitions, 19_505_146);
}

#[test]
fn the_network_is_the_system() {
    for (labels, internal) in [("call", "tau"), ("offer", "i"), ("bare", "tau")] {
        for n in 1..=4 {
            let options = Options::default().with("n", n).with("labels", labels);
            let bitalt = find("bitalt").expect("a system");
            let network = bitalt.network(&options).expect("options that fit");
            let (sizes, labels) = composed(&network, internal);
            assert_eq!(sizes, promised(n), "n = {n}");
            let (text, _) = written("bitalt", &options);
            assert_eq!(labels, counted(Parsed::of(&text).labels()));
        }
    }
}

#[test]
fn philosophers_wait_for_each_other_unless_one_is_left_handed() {
    for n in 2..=7 {
        for (mode, deadlocks) in [("deadlock", 1), ("good", 0)] {
            let options = Options::default().with("n", n).with("mode", mode);
            let (text, sizes) = written("philosophers", &options);
            let parsed = Parsed::of(&text);
            assert_eq!(parsed.reachable() as u64, sizes.states);
            assert_eq!(parsed.deadlocks(), deadlocks, "{mode}, n = {n}");
            let philosophers = find("philosophers").expect("a system");
            let network = philosophers.network(&options).expect("options that fit");
            let (composed, labels) = composed(&network, "tau");
            assert_eq!(composed, sizes, "{mode}, n = {n}");
            assert_eq!(labels, counted(parsed.labels()));
        }
    }
}

#[test]
fn each_mode_of_rank_breaks_what_it_names() {
    for seed in 1..=20 {
        for (mode, deadlocks, livelock) in [
            ("good", 0, false),
            ("deadlock", 1, false),
            ("livelock", 0, true),
        ] {
            let (text, sizes) = written("rank", &rank(12, 5, seed, mode));
            let parsed = Parsed::of(&text);
            assert_eq!(sizes.states, 12 * 6);
            assert_eq!(parsed.reachable() as u64, sizes.states);
            assert_eq!(parsed.deadlocks(), deadlocks, "{mode} {seed}");
            assert_eq!(parsed.cycles_without(|label| label != "tau"), livelock);
            // A run without a get would have to go round above rank 0.
            let put = |label: &str| ["get", "idle"].contains(&label);
            assert_eq!(parsed.cycles_without(put), livelock, "{mode} {seed}");
        }
    }
}

#[test]
fn a_random_system_is_what_was_asked_for() {
    let options = Options::default()
        .with("states", 500)
        .with("labels", 3)
        .with("degree", 4);
    let (text, sizes) = written("random", &options.clone().with("seed", 7));
    let parsed = Parsed::of(&text);
    assert_eq!(sizes.states, 500);
    assert!((1500..2500).contains(&sizes.transitions), "{sizes:?}");
    let labels: BTreeSet<&str> = parsed.labels().collect();
    assert_eq!(Vec::from_iter(labels), ["a1", "a2", "tau"]);
    let (again, _) = written("random", &options.clone().with("seed", 7));
    assert_eq!(text, again);
    let (other, _) = written("random", &options.with("seed", 8));
    assert_ne!(text, other);
}

fn rank(groups: u64, depth: u64, seed: u64, mode: &str) -> Options {
    Options::default()
        .with("groups", groups)
        .with("depth", depth)
        .with("seed", seed)
        .with("mode", mode)
}

fn promised(n: u64) -> Sizes {
    Sizes {
        states: 92 * n * n + 150 * n,
        transitions: 296 * n * n + 416 * n - 6,
    }
}

/// The text of a system; its header and its lines agree with the sizes that were told.
fn written(name: &str, options: &Options) -> (String, Sizes) {
    let mut bytes = Vec::new();
    let system = find(name).expect("a system");
    let sizes = system.write(options, &mut bytes).expect("a system");
    let text = String::from_utf8(bytes).expect("text");
    let header = format!("des (0, {}, {})", sizes.transitions, sizes.states);
    assert_eq!(text.lines().next().map(str::trim_end), Some(&*header));
    assert_eq!(text.lines().count() as u64, sizes.transitions + 1);
    (text, sizes)
}

/// The hash FNV-1a of 64 bits.
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}

/// A system by the steps of its states.
struct Parsed<'a> {
    steps: Vec<Vec<(&'a str, usize)>>,
}

impl<'a> Parsed<'a> {
    fn of(text: &'a str) -> Parsed<'a> {
        let mut lines = text.lines();
        let header = lines.next().expect("a header").trim_end();
        let (_, states) = header
            .trim_end_matches(')')
            .rsplit_once(", ")
            .expect("sizes");
        let mut steps = vec![Vec::new(); states.parse().expect("a number")];
        for line in lines {
            let inner = line.trim_start_matches('(').trim_end_matches(')');
            let (from, rest) = inner.split_once(',').expect("a comma");
            let (label, to) = rest.rsplit_once(',').expect("another comma");
            let from: usize = from.parse().expect("a state");
            let label = label.trim().trim_matches('"');
            steps[from].push((label, to.trim().parse().expect("a state")));
        }
        Parsed { steps }
    }

    fn labels(&self) -> impl Iterator<Item = &'a str> {
        self.steps.iter().flatten().map(|&(label, _)| label)
    }

    fn deadlocks(&self) -> usize {
        self.steps.iter().filter(|steps| steps.is_empty()).count()
    }

    fn reachable(&self) -> usize {
        let mut seen = BTreeSet::from([0]);
        let mut open = vec![0];
        while let Some(state) = open.pop() {
            let targets = self.steps[state].iter().map(|&(_, to)| to);
            open.extend(targets.filter(|&to| seen.insert(to)));
        }
        seen.len()
    }

    /// Whether there is a cycle without these labels: what is left when states without a step are taken away again and again.
    fn cycles_without(&self, barred: impl Fn(&str) -> bool) -> bool {
        let mut left: BTreeSet<usize> = (0..self.steps.len()).collect();
        loop {
            let goes_on = |state: &usize| {
                let mut steps = self.steps[*state].iter();
                steps.any(|(label, to)| !barred(label) && left.contains(to))
            };
            let kept: BTreeSet<usize> = left.iter().copied().filter(goes_on).collect();
            if kept.len() == left.len() {
                return !left.is_empty();
            }
            left = kept;
        }
    }
}

/// The network explored by what reads networks; the internal action, which it may spell as it likes, spelled as told.
fn composed(network: &Network, internal: &str) -> (Sizes, HashMap<String, usize>) {
    let mut open = |name: &str| {
        let mut parts = network.components.iter();
        let part = parts.find(|part| part.name == name);
        let mut text = part.ok_or("there is no such file")?.text.as_bytes();
        let reading = aut::read(&mut text, 1, &Budget::endless());
        reading
            .map(|reading| reading.lts)
            .map_err(|error| error.to_string())
    };
    let network = network::read(&network.composition.text, None, &mut open).expect("a network");
    let mut initial = vec![0; network.width()];
    network.initial(&mut initial);
    let mut seen = HashSet::from([initial.clone()]);
    let mut open = vec![initial];
    let mut labels = Vec::new();
    while let Some(state) = open.pop() {
        network.successors(&state, &mut |label, target| {
            labels.push(match network.labels().text(label) {
                "i" | "tau" => internal,
                text => text,
            });
            if seen.insert(target.to_vec()) {
                open.push(target.to_vec());
            }
        });
    }
    let sizes = Sizes {
        states: seen.len() as u64,
        transitions: labels.len() as u64,
    };
    (sizes, counted(labels.into_iter()))
}

fn counted<'a>(labels: impl Iterator<Item = &'a str>) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    for label in labels {
        *counts.entry(label.to_owned()).or_default() += 1;
    }
    counts
}
