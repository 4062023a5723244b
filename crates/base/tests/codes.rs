//! The table of codes: each is used, and the page of the book is made from it.
//!
//! `cargo xtask codes` writes the page.

use std::collections::HashSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use causet_base::{Code, Severity};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn all() -> impl Iterator<Item = Code> {
    let subjects = Code::BY_SUBJECT.iter();
    subjects.flat_map(|(_, codes)| codes.iter().copied())
}

/// The page as it should be.
fn page() -> String {
    let mut page = String::from(
        "# Codes\n\n\
         Every error, warning and note has a code. It stands after the first word, as in `error[E0501]`, and in the \
         field `code` of what `--json` prints. A code keeps its meaning from version to version, so a build can rely on \
         it; the sentences may change. `causet lint` names the rule beside it.\n",
    );
    for (subject, codes) in Code::BY_SUBJECT {
        let _ = write!(page, "\n## {subject}\n");
        for code in *codes {
            let (title, rule) = (code.title(), code.rule());
            let _ = write!(page, "\n### {code}: {title}\n\n{}\n\n", code.explanation());
            let _ = writeln!(page, "Rule: `{rule}`");
        }
    }
    page
}

#[test]
fn the_page_of_the_book_is_current() {
    let path = root().join("docs/book/src/codes.md");
    if std::env::var("CODES").as_deref() == Ok("overwrite") {
        fs::write(&path, page()).expect("the page is written");
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == page(),
        "docs/book/src/codes.md is not current: run `cargo xtask codes`"
    );
}

#[test]
fn every_code_is_used_and_no_rule_stands_twice() {
    let mut used = HashSet::new();
    let mut folders = vec![root().join("crates")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() && entry.file_name() != "tests" {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs")
                && !path.ends_with("base/src/codes.rs")
            {
                let text = fs::read_to_string(&path).expect("a text");
                let names = text.split("Code::").skip(1).map(|rest| {
                    let end = rest.find(|c: char| !c.is_alphanumeric());
                    rest[..end.unwrap_or(rest.len())].to_owned()
                });
                used.extend(names);
            }
        }
    }
    let unused: Vec<&str> = all()
        .map(Code::name)
        .filter(|name| !used.contains(*name))
        .collect();
    assert!(unused.is_empty(), "never used: {unused:?}");
    let mut rules = HashSet::new();
    for code in all() {
        assert!(rules.insert(code.rule()), "{} stands twice", code.rule());
        assert!(code.explanation().ends_with(['.', '?']), "{code}");
    }
}

#[test]
fn a_code_says_how_severe_it_usually_is() {
    assert_eq!(Code::MalformedJson.to_string(), "E0101");
    assert_eq!(Code::UnknownLabel.severity(), Severity::Warning);
    assert_eq!(Code::UnorderedProcesses.severity(), Severity::Note);
    assert_eq!(Code::AdapterFailed.severity(), Severity::Error);
}
