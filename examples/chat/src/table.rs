//! Which tests find which mutant: every test set and a walk against every server, as a table.
//!
//! For each purpose there are three sets of test cases: the shortest case, those that cover the test graph, and ten at
//! random, all judged by the specification. A cell says how many cases of the set failed, or how many of the walks.

use std::collections::VecDeque;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::thread;

use serde_json::Value;

use crate::Outcome;
use crate::mutant::Mutant;

const PURPOSES: [&str; 3] = ["third", "comeback", "outsider"];
const SETS: [(&str, &str); 3] = [
    ("shortest", "--shortest"),
    ("cover", "--cover"),
    ("random", "--random=10"),
];
const WALK: [&str; 6] = ["--walks", "40", "--steps", "50", "--seed", "1"];

/// So many servers are tested at a time: testing is mostly waiting.
const AT_A_TIME: usize = 10;

/// A column of the table.
struct Column {
    name: String,
    /// What `causet` is told, but for the adapter.
    arguments: Vec<String>,
}

/// Makes the table, and prints it or writes it to a file.
pub(crate) fn run(causet: &str, output: Option<&str>) -> Outcome<()> {
    let folder = env::temp_dir().join(format!("chat-table-{}", std::process::id()));
    let made = columns(causet, &folder).and_then(|columns| {
        let rows = rows(causet, &columns)?;
        Ok(table(&columns, &rows))
    });
    let _ = fs::remove_dir_all(&folder);
    match output {
        Some(path) => fs::write(path, made?)?,
        None => print!("{}", made?),
    }
    Ok(())
}

fn beside(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

/// Makes the test cases, and says how to run them.
fn columns(causet: &str, folder: &Path) -> Outcome<Vec<Column>> {
    let specification = text(&beside("conference.exp"));
    let mut columns = Vec::new();
    for purpose in PURPOSES {
        for (set, how) in SETS {
            let cases = folder.join(format!("{purpose}-{set}"));
            let goal = text(&beside(&format!("{purpose}.aut")));
            let (to, in_folder) = ("--purpose", text(&cases));
            let words = [
                "lts",
                "tests",
                &specification,
                to,
                &goal,
                how,
                "--cases",
                &in_folder,
            ];
            ask(causet, words.map(str::to_owned).to_vec())?;
            let mut files: Vec<PathBuf> = fs::read_dir(&cases)?
                .map(|entry| entry.map(|entry| entry.path()))
                .collect::<Result<_, _>>()?;
            files.retain(|path| path.extension().is_some_and(|ending| ending == "aut"));
            files.sort();
            let mut arguments = ["test", "run"].map(str::to_owned).to_vec();
            arguments.extend(files.iter().map(|path| text(path)));
            arguments.extend(["--spec".to_owned(), specification.clone()]);
            let name = format!("{purpose} {set} ({})", files.len());
            columns.push(Column { name, arguments });
        }
    }
    let walk = ["test", "walk", &specification].into_iter().chain(WALK);
    columns.push(Column {
        name: "walk (40)".to_owned(),
        arguments: walk.map(str::to_owned).collect(),
    });
    Ok(columns)
}

type Row = (Option<Mutant>, Vec<String>);

/// Tests all servers, some at a time.
fn rows(causet: &str, columns: &[Column]) -> Outcome<Vec<Row>> {
    let servers: Vec<Option<Mutant>> = [None].into_iter().chain(Mutant::ALL.map(Some)).collect();
    let waiting = Mutex::new(VecDeque::from_iter(servers.clone()));
    let next = || {
        waiting
            .lock()
            .ok()
            .and_then(|mut waiting| waiting.pop_front())
    };
    let work = || -> Outcome<Vec<Row>> {
        let mut done = Vec::new();
        while let Some(server) = next() {
            done.push((server, cells(causet, columns, server)?));
        }
        Ok(done)
    };
    let mut rows = thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_A_TIME).map(|_| scope.spawn(work)).collect();
        let mut rows = Vec::new();
        for worker in workers {
            rows.extend(worker.join().map_err(|_| "a thread failed")??);
        }
        Outcome::Ok(rows)
    })?;
    rows.sort_by_key(|(server, _)| servers.iter().position(|other| other == server));
    Ok(rows)
}

fn cells(causet: &str, columns: &[Column], server: Option<Mutant>) -> Outcome<Vec<String>> {
    let mut adapter = format!("'{}' adapter", text(&env::current_exe()?));
    if let Some(mutant) = server {
        adapter += &format!(" --mutant {}", mutant.name());
    }
    let cell = |column: &Column| {
        let mut arguments = column.arguments.clone();
        arguments.extend(["--json", "--adapter", &adapter].map(str::to_owned));
        Ok(cell(&ask(causet, arguments)?))
    };
    columns.iter().map(cell).collect()
}

/// What `causet` prints; that something fails is no error.
fn ask(causet: &str, arguments: Vec<String>) -> Outcome<Value> {
    let json = arguments.contains(&"--json".to_owned());
    let output = Command::new(causet).args(arguments).output()?;
    if !matches!(output.status.code(), Some(0 | 1 | 3)) {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    match json {
        true => Ok(serde_json::from_slice(&output.stdout)?),
        false => Ok(Value::Null),
    }
}

/// How many failed; if none did, whether any was inconclusive.
fn cell(told: &Value) -> String {
    let list = |name: &str| told[name].as_array().cloned().unwrap_or_default();
    let cases = list("cases");
    let ended = |word: &str| cases.iter().filter(|case| case["verdict"] == word).count() as u64;
    let walks = list("failures")
        .iter()
        .filter_map(|failure| failure["walks"].as_u64())
        .sum::<u64>();
    match (ended("FAIL") + walks, ended("INCONCLUSIVE")) {
        (0, 0) => "-".to_owned(),
        (0, _) => "?".to_owned(),
        (failed, _) => failed.to_string(),
    }
}

fn table(columns: &[Column], rows: &[Row]) -> String {
    let names = columns.iter().map(|column| column.name.as_str());
    let mut text = format!("| server | {} |\n", names.collect::<Vec<_>>().join(" | "));
    text += &format!("|---|{}\n", "--:|".repeat(columns.len()));
    for (server, cells) in rows {
        let name = server.map_or("right".to_owned(), |mutant| format!("`{}`", mutant.name()));
        text += &format!("| {name} | {} |\n", cells.join(" | "));
    }
    text
}
