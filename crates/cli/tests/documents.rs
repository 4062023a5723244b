//! Every `console` block of the README and of the book, run from the root of the repository.
//!
//! A block shows a command, its exit status when that is not 0, and its output; `[..]` stands for anything in a line,
//! a line `...` for any lines:
//!
//! ````text
//! ```console
//! $ causet check examples/election.jsonl --ctl 'AG !(a.leader && b.leader)'
//! ? 1
//! violated  ctl-1  [..]
//! ...
//! ```
//! ````
//!
//! What a command writes to a file, it writes below `target`. A block that is not to be run is marked `console,ignore`.
//! With `TRYCMD=overwrite` in the environment the documents are brought up to date instead.
//!
//! `trycmd` wants an empty line after each output, to tell one that ends with a line end from one that does not. Ours
//! all do, so the empty lines are added to copies of the documents, and the copies are run.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};

#[test]
fn documents_show_what_the_program_prints() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::env::set_current_dir(&root).expect("the root of the repository");
    fs::create_dir_all("target").expect("a folder for what the commands write");
    let copies = tempfile::tempdir().expect("a temporary folder");
    let mut documents = vec![PathBuf::from("README.md")];
    pages(Path::new("docs/book/src"), &mut documents);
    documents.retain(|document| has_console_block(document));
    if documents.is_empty() {
        return;
    }
    let cases = trycmd::TestCases::new();
    cases.register_bin("causet", Path::new(env!("CARGO_BIN_EXE_causet")));
    for document in &documents {
        let copy = copies.path().join(document);
        fs::create_dir_all(copy.parent().expect("a folder")).expect("a folder");
        fs::write(&copy, spaced(&read(document))).expect("a copy");
        cases.case(copy);
    }
    let ran = catch_unwind(AssertUnwindSafe(|| cases.run()));
    if std::env::var("TRYCMD").as_deref() == Ok("overwrite") {
        for document in &documents {
            let copy = read(&copies.path().join(document));
            fs::write(document, tightened(&copy)).expect("the document");
        }
    }
    ran.unwrap_or_else(|panic| resume_unwind(panic));
}

fn read(document: &Path) -> String {
    fs::read_to_string(document).unwrap_or_default()
}

/// All pages below a folder, if it exists.
fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            pages(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
}

fn has_console_block(document: &Path) -> bool {
    read(document)
        .lines()
        .any(|line| line.starts_with("```console"))
}

/// The text with an empty line after each output of a console block.
fn spaced(text: &str) -> String {
    let mut lines: Vec<&str> = Vec::new();
    let mut console = false;
    for line in text.lines() {
        let output_before = lines
            .last()
            .is_some_and(|last| !last.is_empty() && !last.starts_with("```"));
        if console && output_before && (line.starts_with("```") || line.starts_with("$ ")) {
            lines.push("");
        }
        if line.starts_with("```") {
            console = line.starts_with("```console");
        }
        lines.push(line);
    }
    lines.join("\n") + "\n"
}

/// The text without empty lines at the end of its console blocks.
fn tightened(text: &str) -> String {
    let mut lines: Vec<&str> = Vec::new();
    let mut console = false;
    for line in text.lines() {
        if line.starts_with("```") {
            while console && lines.last() == Some(&"") {
                lines.pop();
            }
            console = line.starts_with("```console");
        }
        lines.push(line);
    }
    lines.join("\n") + "\n"
}

#[test]
fn spacing_can_be_undone() {
    let document = "a\n\n```console\n$ one\nout\n\n$ two\nout\n```\n\nb\n```text\n\n```\n";
    let spaced = spaced(document);
    assert!(spaced.contains("out\n\n```\n"), "{spaced}");
    assert_eq!(tightened(&spaced), document);
}
