//! A program is killed at any moment: what it had flushed can be read, and all but a cut-off last line is whole.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use causet_wire::native::{Part, ReadOptions, read};

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
fn record_and_kill(program: &Path, file: &Path, rng: &mut fastrand::Rng) -> u64 {
    let every = [1, 7, 100, 5000][rng.usize(..4)];
    let mut child = Command::new(program)
        .arg(file)
        .arg(every.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the example runs");
    let said = BufReader::new(child.stdout.take().expect("a pipe"));
    let listener = thread::spawn(move || said.lines().map_while(Result::ok).last());
    thread::sleep(Duration::from_micros(rng.u64(..30_000)));
    child.kill().expect("it still runs");
    child.wait().expect("it is gone");
    let last = listener.join().expect("no panic");
    last.map_or(0, |text| text.parse().expect("a number"))
}

/// How many events the file holds before its last newline; they must be readable without leniency.
fn events(file: &Path) -> u64 {
    let Ok(bytes) = std::fs::read(file) else {
        return 0;
    };
    let whole = bytes.iter().rposition(|&byte| byte == b'\n');
    let lines = &bytes[..whole.map_or(0, |at| at + 1)];
    let options = ReadOptions {
        lenient: false,
        workers: 1,
    };
    let reading = read(vec![Part::new("run", lines)], &options, &());
    let reading = reading.unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    reading.trace.len() as u64
}

#[test]
fn what_was_flushed_survives_a_kill() {
    let rounds = std::env::var("CAUSET_ROUNDS").ok();
    let rounds = rounds.and_then(|text| text.parse().ok()).unwrap_or(20);
    let folder = tempfile::tempdir().expect("a folder");
    let (program, file) = (endless(), folder.path().join("run.jsonl"));
    let mut total = 0;
    for seed in 0..rounds {
        let rng = &mut fastrand::Rng::with_seed(seed);
        let safe = record_and_kill(&program, &file, rng);
        let found = events(&file);
        assert!(found >= safe, "seed {seed}: {safe} flushed, {found} found");
        total += safe;
        let _ = std::fs::remove_file(&file);
    }
    println!("{rounds} kills, {total} events flushed, all found");
    assert!(total > rounds, "hardly anything was flushed");
}
