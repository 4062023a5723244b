//! `cargo xtask tidy`: the rules of the house that no compiler checks, each a small pure function.
//!
//! The repository is read once into a [`Tree`]; a check maps a tree to its complaints. So every check
//! can be shown a bad tree of two lines in its tests: a check that cannot fail protects nothing. All
//! complaints are printed, not only the first, for they are mended together.

mod code;
mod house;
mod portability;
mod promise;
mod prose;
mod rust;
mod text;
pub(crate) mod tree;

use std::fmt;
use std::path::Path;

use tree::Tree;

type Check = fn(&Tree) -> Vec<Complaint>;

/// Every check, with the rule it keeps.
const CHECKS: &[(&str, Check)] = &[
    ("crates use only what the house allows", house::edges),
    ("ARCHITECTURE.md maps the crates there are", house::map),
    ("every package inherits the licence", house::licences),
    ("docs/api lists what is public", promise::lists),
    ("the public names stay few", promise::few_names),
    ("every manifest says what is promised", promise::manifests),
    (
        "code for one system stands in few places",
        portability::places,
    ),
    ("every source file opens with a sentence", rust::openings),
    ("no glob re-exports", rust::globs),
    ("no lint is silenced without a reason", rust::allows),
    ("no unfinished code", rust::unfinished),
    ("no function fills two screens", rust::long_functions),
    ("the book and its table of contents agree", prose::summary),
    ("relative links lead somewhere", prose::links),
    ("no stray white space", text::white_space),
];

/// What is wrong at a line, and what to do about it.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Complaint {
    path: String,
    line: usize,
    what: String,
}

impl Complaint {
    fn new(path: &str, line: usize, what: impl Into<String>) -> Self {
        Complaint {
            path: path.to_owned(),
            line,
            what: what.into(),
        }
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.what)
    }
}

/// Reads the repository, prints every complaint and fails if there is one.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let tree = Tree::read(root)?;
    let mut complaints: Vec<Complaint> =
        CHECKS.iter().flat_map(|(_, check)| check(&tree)).collect();
    complaints.sort();
    for complaint in &complaints {
        eprintln!("{complaint}");
    }
    match complaints.len() {
        0 => {
            let (checks, files) = (CHECKS.len(), tree.len());
            println!("tidy: {checks} rules kept by {files} files");
            println!("tidy: {}", promise::figure(&tree));
            Ok(())
        }
        1 => Err("tidy has one complaint".to_owned()),
        count => Err(format!("tidy has {count} complaints")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_complaint_reads_like_a_compiler_message() {
        let complaint = Complaint::new("crates/trace/src/lib.rs", 3, "mend it");
        assert_eq!(complaint.to_string(), "crates/trace/src/lib.rs:3: mend it");
    }

    #[test]
    fn an_empty_tree_lacks_only_the_map() {
        let tree = Tree::of(&[]);
        let complaints: Vec<Complaint> =
            CHECKS.iter().flat_map(|(_, check)| check(&tree)).collect();
        assert_eq!(complaints.len(), 1, "{complaints:?}");
        assert_eq!(complaints[0].path, "ARCHITECTURE.md");
    }
}
