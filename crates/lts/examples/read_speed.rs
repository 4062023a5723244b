//! How fast a file is read, and what it takes in memory: `read_speed FILE [WORKERS] [ROUNDS]`.

use std::fs::File;
use std::time::Instant;

use causet_base::budget::Budget;
use causet_lts::aut;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().expect("a file");
    let mut number = |default| {
        let argument = arguments.next();
        argument.map_or(default, |text| text.parse().expect("a number"))
    };
    let (workers, rounds) = (number(1), number(3));
    for _ in 0..rounds {
        let mut file = File::open(&path).expect("a readable file");
        let bytes = file.metadata().expect("its size").len();
        let start = Instant::now();
        let reading = aut::read(&mut file, workers, &Budget::endless());
        let seconds = start.elapsed().as_secs_f64();
        let lts = match reading {
            Ok(reading) => reading.lts,
            Err(error) => panic!("{path}:{error}"),
        };
        println!(
            "{} states, {} transitions, {} labels: {seconds:.3} s, {:.0} MB/s, {:.1} bytes a transition kept, {:.1} at peak",
            lts.states(),
            lts.step_count(),
            lts.labels().len(),
            bytes as f64 / seconds / 1e6,
            lts.bytes() as f64 / lts.step_count() as f64,
            peak_bytes().unwrap_or(0) as f64 / lts.step_count() as f64,
        );
    }
}

/// The most memory this process has had, where the system tells.
fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes << 10)
}
