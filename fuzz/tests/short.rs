//! A short run of every fuzz target on damaged seeds; `CAUSET_SEED` and `CAUSET_ROUNDS` repeat and prolong it.

use std::panic::catch_unwind;
use std::path::Path;

use fastrand::Rng;

fn number_from_environment(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

fn seeds(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("seeds")
        .join(target);
    let entries = std::fs::read_dir(&folder).expect("the seeds");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a file").path()).collect();
    paths.sort();
    let seeds = paths
        .iter()
        .map(|path| std::fs::read(path).expect("a readable file"));
    seeds.collect()
}

/// A seed with a few pieces removed, repeated, taken from another seed or replaced by anything.
fn damaged(rng: &mut Rng, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = seeds[rng.usize(0..seeds.len())].clone();
    for _ in 0..rng.usize(0..5) {
        let start = rng.usize(0..=bytes.len());
        let end = (start + rng.usize(0..12)).min(bytes.len());
        let other = &seeds[rng.usize(0..seeds.len())];
        let from = rng.usize(0..=other.len());
        let piece = match rng.usize(0..4) {
            0 => Vec::new(),
            1 => bytes[start..end].repeat(2),
            2 => other[from..(from + 9).min(other.len())].to_vec(),
            _ => vec![rng.u8(..)],
        };
        bytes.splice(start..end, piece);
    }
    bytes
}

fn run(target: &str, check: fn(&[u8])) {
    run_on(&seeds(target), check);
}

/// The beginnings of the samples of all formats, each to be recognised and each as if it were of another one.
fn logs() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/logs");
    let entries = std::fs::read_dir(&folder).expect("the samples");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a file").path()).collect();
    paths.sort();
    let beginnings = (0..).zip(&paths).flat_map(|(number, path)| {
        let mut bytes = std::fs::read(path).expect("a readable file");
        bytes.truncate(6000);
        [255, number].map(|choice| [&[choice], &bytes[..]].concat())
    });
    beginnings.collect()
}

#[test]
fn any_bytes_as_a_log() {
    run_on(&logs(), causet_fuzz::log);
}

fn run_on(seeds: &[Vec<u8>], check: fn(&[u8])) {
    assert!(!seeds.is_empty());
    let rounds = number_from_environment("CAUSET_ROUNDS").unwrap_or(1500);
    let numbers = match number_from_environment("CAUSET_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..rounds,
    };
    for seed in numbers {
        let input = damaged(&mut Rng::with_seed(seed), seeds);
        let survived = catch_unwind(|| check(&input)).is_ok();
        assert!(
            survived,
            "CAUSET_SEED={seed}: {}",
            String::from_utf8_lossy(&input)
        );
    }
}

#[test]
fn any_bytes_as_a_trace() {
    run("reader", causet_fuzz::reader);
}

#[test]
fn any_bytes_as_a_transition_system() {
    run("aut", causet_fuzz::system);
}

#[test]
fn any_bytes_as_tests() {
    run("tests", causet_fuzz::tests::tests);
}

#[test]
fn any_text_about_a_model() {
    run("models", |bytes| {
        causet_fuzz::models(&String::from_utf8_lossy(bytes));
    });
}

#[test]
fn any_text_as_a_formula() {
    run("formula", |bytes| {
        causet_fuzz::formula(&String::from_utf8_lossy(bytes));
    });
}

#[test]
fn any_text_as_a_drawing() {
    run("notation", |bytes| {
        causet_fuzz::drawing(&String::from_utf8_lossy(bytes));
    });
}

#[test]
fn any_formula_and_drawing_through_every_engine() {
    run("engines", |bytes| {
        causet_fuzz::engines(&String::from_utf8_lossy(bytes));
    });
}

#[test]
fn the_seeds_of_the_engines_mean_something() {
    for seed in seeds("engines") {
        let text = String::from_utf8(seed).expect("text");
        assert!(causet_fuzz::engines_that_decide(&text) >= 5, "{text}");
    }
}
