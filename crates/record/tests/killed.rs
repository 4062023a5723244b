//! A program is killed at any moment: what it had flushed can be read, and all but a cut-off last line is whole.

use std::io::{BufRead, BufReader, Cursor};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use causet_formats::native::{Part, ReadOptions, read};

/// The example `endless`, which is built along with the tests, but not if only this one is asked for.
fn endless() -> PathBuf {
    let test = std::env::current_exe().expect("the path of this test");
    let profile = test.ancestors().nth(2).expect("target/profile/deps/test");
    let name = format!("endless{}", std::env::consts::EXE_SUFFIX);
    let path = profile.join("examples").join(name);
    if !path.exists() {
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--quiet", "--example", "endless", "--target-dir"]);
        build.arg(profile.parent().expect("target"));
        build.current_dir(env!("CARGO_MANIFEST_DIR"));
        assert!(build.status().expect("cargo runs").success());
    }
    path
}

/// Lets the program record for a while and kills it; gives how many events it said were safe.
fn record_and_kill(program: &Path, files: &[PathBuf], rng: &mut fastrand::Rng) -> u64 {
    let every = [1, 7, 100, 5000][rng.usize(..4)];
    let mut child = Command::new(program)
        .arg(every.to_string())
        .args(files)
        .stdout(Stdio::piped())
        .spawn()
        .expect("the example runs");
    let said = BufReader::new(child.stdout.take().expect("a pipe"));
    let (tell, told) = mpsc::channel();
    thread::spawn(move || {
        let lines = said.lines().map_while(Result::ok);
        lines.for_each(|line| tell.send(line).expect("someone listens"));
    });
    // Half of the time it is killed while it starts, unless it is fast.
    let first = rng.bool().then(|| told.recv().expect("a first line"));
    thread::sleep(Duration::from_micros(rng.u64(..20_000)));
    child.kill().expect("it still runs");
    child.wait().expect("it is gone");
    let last = told.iter().last().or(first);
    last.map_or(0, |text| text.parse().expect("a number"))
}

/// How many events the files hold before their last newlines.
fn events(files: &[PathBuf], lenient: bool) -> u64 {
    let whole_lines = |file: &PathBuf| {
        let mut bytes = std::fs::read(file).ok()?;
        let newline = bytes.iter().rposition(|&byte| byte == b'\n');
        bytes.truncate(newline.map_or(0, |at| at + 1));
        Some(Part::new(file.display().to_string(), Cursor::new(bytes)))
    };
    let parts: Vec<Part<'_>> = files.iter().filter_map(whole_lines).collect();
    if parts.is_empty() {
        return 0;
    }
    let options = ReadOptions {
        lenient,
        workers: 1,
    };
    let reading = read(parts, &options, &()).unwrap_or_else(|error| panic!("{error}"));
    reading.trace.len() as u64
}

/// Kills so many times and reads what is left of files with these names.
fn check(names: &[&str], lenient: bool) {
    let rounds = std::env::var("CAUSET_ROUNDS").ok();
    let rounds = rounds.and_then(|text| text.parse().ok()).unwrap_or(20);
    let program = endless();
    let mut total = 0;
    for seed in 0..rounds {
        let folder = tempfile::tempdir().expect("a folder");
        let files: Vec<PathBuf> = names.iter().map(|name| folder.path().join(name)).collect();
        let rng = &mut fastrand::Rng::with_seed(seed);
        let safe = record_and_kill(&program, &files, rng);
        let found = events(&files, lenient);
        assert!(found >= safe, "seed {seed}: {safe} flushed, {found} found");
        total += safe;
    }
    println!("{names:?}: {rounds} kills, {total} events flushed, all found");
    assert!(total > rounds, "hardly anything was flushed");
}

#[test]
fn one_file_is_readable_up_to_a_cut_off_line() {
    check(&["run.jsonl"], false);
}

#[test]
fn of_two_files_one_may_know_more_than_the_other_holds() {
    check(&["ping.jsonl", "pong.jsonl"], true);
}
