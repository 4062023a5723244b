//! `cargo xtask bench papers`: the papers' tables, on traces generated with fixed seeds, by the engines that exist.
//!
//! Table 1 of paper TMP wants monitors, which no engine here knows yet; its rows are left out. The papers do not publish their traces; the workloads follow their descriptions, so the numbers of events match and
//! the concurrency is a reconstruction. Seconds of the papers are from their machines.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;

use super::{header, output, program, save};

/// One row of a paper's table.
struct Row {
    paper: &'static str,
    workload: &'static str,
    procs: usize,
    events: usize,
    formula: &'static str,
    /// Seconds the paper gives; `None` where it stopped.
    seconds: Option<f64>,
}

const MUTEX: &str = "AG ncrit < 2";
const ALTERNATING: &str = "AG (sender.sent_msg = 0 -> AF receiver.received_msg = 0)";
const UNTIL: &str = "AG (p1.state = \"eat\" -> (AG p1.state = \"eat\" || A[p0.state != \"eat\" U p1.state != \"eat\"]))";
const NEIGHBOURS: &str = "AG !(p0.state = \"eat\" && p1.state = \"eat\")";

const PAIR: &str = "AG count(i in procs: count(j in procs: i.primary && j.secondary && i.second = j.id && j.first = i.id) > 0) > 0";
const ONE_PLACE: &str = "AG !(server1.object && server2.object)";

/// A group of rows that differ in size only: processes, events, seconds of the paper.
type Sizes = &'static [(usize, usize, Option<f64>)];

const GROUPS: &[(&str, &str, &str, Sizes)] = &[
    (
        "IST 1",
        "peterson",
        MUTEX,
        &[
            (2, 2000, Some(0.46)),
            (2, 5000, Some(7.53)),
            (2, 15000, Some(189.65)),
        ],
    ),
    (
        "IST 1",
        "filter",
        MUTEX,
        &[
            (2, 2000, Some(0.20)),
            (2, 5000, Some(6.44)),
            (2, 20000, Some(390.90)),
            (5, 1000, Some(2.04)),
            (5, 1500, Some(6.82)),
            (5, 5000, Some(176.62)),
            (10, 1500, Some(7.53)),
            (10, 2000, Some(27.01)),
            (10, 5000, Some(147.89)),
        ],
    ),
    (
        "IST 1",
        "abp",
        ALTERNATING,
        &[
            (2, 1000, Some(13.60)),
            (2, 2000, Some(27.56)),
            (2, 5000, Some(257.29)),
        ],
    ),
    (
        "IST 1",
        "philosophers",
        UNTIL,
        &[
            (3, 100, Some(0.15)),
            (3, 200, Some(1.11)),
            (3, 2000, Some(366.22)),
            (5, 100, Some(0.25)),
            (5, 200, Some(27.05)),
            (5, 500, Some(125.56)),
            (10, 100, Some(1.67)),
            (10, 200, Some(26.94)),
            (10, 500, None),
        ],
    ),
    (
        "POTA 1",
        "ddph",
        NEIGHBOURS,
        &[
            (3, 1000, Some(0.14)),
            (10, 1000, Some(0.49)),
            (40, 4000, Some(18.1)),
            (100, 10000, Some(137.2)),
        ],
    ),
    (
        "POTA 2",
        "primary-secondary",
        PAIR,
        &[
            (3, 300, Some(0.01)),
            (5, 500, Some(0.08)),
            (10, 1000, Some(0.9)),
            (20, 2000, Some(4.07)),
            (40, 4000, Some(70.66)),
        ],
    ),
    (
        "POTA 3 (i)",
        "giop",
        ONE_PLACE,
        &[
            (10, 1000, Some(0.2)),
            (20, 2000, Some(0.24)),
            (40, 4000, Some(4.6)),
            (80, 8000, Some(50.8)),
        ],
    ),
];

/// Runs every row and keeps the table.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let mut report = header(root)?;
    report += "The papers' tables. `unknown` means that the engine reached 10 seconds or 4 GB. Seed 1 everywhere.\n\n\
        | table | workload | processes | events | cuts | verdict | engine | read s | check s | certify s | peak MB | paper s |\n\
        |---|---|---|---|---|---|---|---|---|---|---|---|\n";
    for &(paper, workload, formula, sizes) in GROUPS {
        for &(procs, events, seconds) in sizes {
            let row = Row {
                paper,
                workload,
                procs,
                events,
                formula,
                seconds,
            };
            let line = row.measure(root)?;
            eprint!("{line}");
            report += &line;
        }
    }
    save(root, "papers", &report)
}

impl Row {
    fn measure(&self, root: &Path) -> Result<String, String> {
        let (procs, events) = (self.procs.to_string(), self.events.to_string());
        let file = root
            .join("target")
            .join(format!("papers-{}-{procs}-{events}.jsonl", self.workload));
        let file = file.display().to_string();
        let causet = program(root);
        let mut options = vec!["gen", self.workload, "--procs", &procs, "--events", &events];
        options.extend(["--seed", "1", "-o", &file]);
        if self.workload == "philosophers" {
            // Local events while thinking match the sizes of the papers' lattices best.
            options.extend(["--set", "work=4"]);
        }
        output(root, &causet, &options)?;
        let limits = ["--timeout", "10s", "--memory", "4G", "--json"];
        let question = ["check", &file, "--ctl", self.formula];
        let told = output(root, &causet, &[&question[..], &limits[..]].concat())?;
        let told: Value = serde_json::from_str(&told).map_err(|error| error.to_string())?;
        Ok(self.line(&told))
    }

    fn line(&self, told: &Value) -> String {
        let result = &told["results"][0];
        let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
        let cuts = result["stats"]["cuts"]
            .as_u64()
            .map_or("-".to_owned(), |cuts| cuts.to_string());
        let certify = number(&result["certify_seconds"]);
        let paper = self
            .seconds
            .map_or("> 600".to_owned(), |seconds| seconds.to_string());
        let mut line = String::new();
        let _ = writeln!(
            line,
            "| {} | {} | {} | {} | {cuts} | {} | {} | {:.4} | {:.4} | {:.4} | {:.0} | {paper} |",
            self.paper,
            self.workload,
            self.procs,
            told["trace"]["events"],
            result["verdict"].as_str().unwrap_or("-"),
            result["engine"].as_str().unwrap_or("-"),
            number(&told["seconds"]["read"]),
            number(&result["seconds"]) - certify,
            certify,
            number(&told["peak_bytes"]) / 1e6,
        );
        line
    }
}
