//! `cargo xtask bench conformance`: complete test graphs of the alternating-bit protocol for the generic purpose of paper
//! MB-DSolve, which accepts after ten visible actions, by every method, with one worker and two.
//!
//! Sizes are held against what the paper and the family promise; a wrong one ends the bench.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::lab::{Lab, Table, Told, grouped, median};
use super::lts::systems;

/// How many visible actions the purpose waits for.
const ACTIONS: usize = 10;

/// A way to the graph: what it is called, what stands before the command, and the options after it.
struct Way {
    name: &'static str,
    before: &'static [&'static str],
    after: &'static [&'static str],
}

const WAYS: [Way; 5] = [
    Way {
        name: "direct",
        before: &[],
        after: &["--method", "direct"],
    },
    Way {
        name: "equations",
        before: &[],
        after: &["--method", "equations"],
    },
    Way {
        name: "equations, 1 worker",
        before: &[],
        after: &["--method", "equations", "--workers", "1"],
    },
    Way {
        name: "equations, 2 workers",
        before: &[],
        after: &["--method", "equations", "--workers", "2"],
    },
    Way {
        name: "equations, 2 processes",
        before: &["cluster", "run", "--processes", "2", "--"],
        after: &["--method", "equations"],
    },
];

/// Measures everything and writes the report.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let lab = Lab::open(root)?;
    let purpose = lab.file("ten-actions.aut");
    fs::write(&purpose, generic_purpose()).map_err(|error| error.to_string())?;
    let mut sizes = Table::new(&[
        "messages",
        "specification",
        "raw graph",
        "test graph",
        "reduced",
        "by entrances (formula)",
    ]);
    let mut times = Table::new(&[
        "messages",
        "way",
        "wall s",
        "of it reading",
        "peak MB",
        "equations / this",
    ]);
    let members: &[u64] = if lab.trial { &[8] } else { &[16, 64, 128, 256] };
    for &messages in members {
        let system = systems::bitalt(&lab, messages)?;
        let mut sequential = f64::NAN;
        for way in &WAYS {
            let told = tell(&lab, way, &system.path, &purpose)?;
            held(&told, messages)?;
            if way.name == "equations" {
                sequential = told.wall;
                sizes.row(&size_row(&lab, &told, messages, &system, &purpose)?);
            }
            times.row(&[
                messages.to_string(),
                way.name.to_owned(),
                format!("{:.2}", told.wall),
                format!("{:.2}", told.read()),
                format!("{:.0}", told.peak),
                match sequential.is_nan() {
                    true => "-".to_owned(),
                    false => format!("{:.2}", sequential / told.wall),
                },
            ]);
        }
    }
    let about = format!(
        "Medians of {}. The peak of several processes is that of the first, which makes the graph.\n\n",
        lab.times()
    );
    let report = format!(
        "{}{about}## Sizes\n\n{}\n{SIZES}\n## Time and memory\n\n{}\n{TABLES}",
        lab.header(),
        sizes.text,
        times.text
    );
    lab.save("conformance", &report)
}

const SIZES: &str = "States and transitions. The raw graph is the product up to acceptance, 184n^2 + 314n states; the test \
graph has sets that are closed under internal steps, `reduced` is the smallest graph that is bisimilar to it. `By entrances` \
counts sets by the states through which they are entered, before internal steps are followed: 8n^2 + 14n + 3 and \
26n^2 + 20n + 2, which a test counts on small members.\n\n\
Paper MB-DSolve on 256 messages: raw graph 12,139,232 and 39,020,231, test graph by TGV 264,194 and 854,786, by DETERMINATOR \
527,875 and 1,709,058. The last is exactly ours by entrances. The raw graph there has 224 states and 717 transitions more than \
the product; determinisation gives the same with and without them, so they add nothing that a tester could see. The numbers of \
TGV lie between: it tells apart fewer sets after silence, and more than need be.\n";

const TABLES: &str = "The same in the paper, on 256 messages: TGV 597 min and 2,322 MB; EXTRACTOR 139 min and 2,772 MB \
(table 2), on seven machines 180 min and 6,127 MB in all, and then DETERMINATOR 19 min and 459 MB (table 3), which is the second \
half of what is measured here. Its machines are twenty years older. The other systems of tables 2 to 4 belong to a collection \
that cannot be had without the tools of its makers.\n";

fn tell(lab: &Lab, way: &Way, system: &str, purpose: &str) -> Result<Told, String> {
    let command = [
        "lts",
        "tests",
        system,
        "--purpose",
        purpose,
        "--inputs",
        "put.*",
        "--implicit-fail",
    ];
    let arguments = [way.before, &command, way.after].concat();
    median(lab.times(), || lab.ask(&arguments))
}

/// Fails if the sizes are not those of the family.
fn held(told: &Told, n: u64) -> Result<(), String> {
    let expected = [
        ("/explored/product_states", 184 * n * n + 314 * n),
        ("/graph/states", 8 * n * n + 8 * n + 2),
        ("/graph/transitions", 21 * n * n + 13 * n),
    ];
    for (place, expected) in expected {
        let found = told.number_at(place);
        if found != expected as f64 {
            return Err(format!("{n} messages: {place} is {found}, not {expected}"));
        }
    }
    Ok(())
}

fn size_row(
    lab: &Lab,
    told: &Told,
    n: u64,
    system: &systems::System,
    purpose: &str,
) -> Result<[String; 6], String> {
    let pair = |states: f64, steps: f64| {
        format!("{}, {}", grouped(states as usize), grouped(steps as usize))
    };
    let at = |place: &str| {
        pair(
            told.number_at(&format!("{place}/states")),
            told.number_at(&format!("{place}/transitions")),
        )
    };
    let (graph, reduced) = (lab.file("graph.aut"), lab.file("reduced.aut"));
    let command = [
        "lts",
        "tests",
        &system.path,
        "--purpose",
        purpose,
        "--inputs",
        "put.*",
    ];
    lab.tell(&[&command[..], &["--implicit-fail", "-o", &graph]].concat())?;
    lab.tell(&["lts", "reduce", &graph, "-o", &reduced])?;
    let info = lab.tell(&["lts", "info", &reduced, "--json"])?;
    let info: Value = serde_json::from_str(&info).map_err(|error| error.to_string())?;
    let number = |name: &str| info[name].as_f64().unwrap_or(f64::NAN);
    let n = n as f64;
    Ok([
        format!("{n}"),
        pair(system.states as f64, system.transitions as f64),
        at("/explored/raw"),
        at("/graph"),
        pair(number("states"), number("transitions")),
        pair(8.0 * n * n + 14.0 * n + 3.0, 26.0 * n * n + 20.0 * n + 2.0),
    ])
}

/// Accept after so many visible actions, whatever they are.
fn generic_purpose() -> String {
    let mut text = format!("des (0, {}, {})\n", ACTIONS + 1, ACTIONS + 1);
    for state in 0..ACTIONS {
        text += &format!("({state}, \"(put|get).*\", {})\n", state + 1);
    }
    text + &format!("({ACTIONS}, ACCEPT, {ACTIONS})\n")
}
