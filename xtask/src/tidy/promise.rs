//! What is promised to users: two crates follow semantic versioning, all others are their implementation.

use toml::{Table, Value};

use super::Complaint;
use super::tree::Tree;
use crate::api::{self, PROMISED};

/// A public API of more names than this is too much to learn and to keep.
const MOST_NAMES: usize = 150;
/// The binary, whose promise is its command line.
const BINARY: &str = "crates/cli";
/// What the description of every other published crate says.
const NO_PROMISES: &str = "implementation of causet, no promises";

/// Complains of a list in `docs/api` that is not what the sources make public.
pub(super) fn lists(tree: &Tree) -> Vec<Complaint> {
    let apis = match api::listed(tree) {
        Ok(apis) => apis,
        Err(what) => return vec![Complaint::new("docs/api", 1, what)],
    };
    let outdated = apis.iter().filter_map(|api| {
        let kept = tree.text(&api.path).unwrap_or_default();
        let mut pairs = kept.lines().zip(api.text.lines());
        let same = pairs.by_ref().take_while(|(old, new)| old == new).count();
        (kept != api.text).then(|| {
            let what = "is not what is public: run `cargo xtask api` and read the difference";
            Complaint::new(&api.path, same + 1, what)
        })
    });
    outdated.collect()
}

/// Complains of a public API that has grown too large.
pub(super) fn few_names(tree: &Tree) -> Vec<Complaint> {
    let names = names(tree);
    let complaint = || {
        let what = format!(
            "the promised crates have {names} public names, more than {MOST_NAMES}: hide some or move them into methods"
        );
        Complaint::new("docs/api", 1, what)
    };
    (names > MOST_NAMES).then(complaint).into_iter().collect()
}

/// How many names the public API has, in words.
pub(super) fn figure(tree: &Tree) -> String {
    let names = names(tree);
    format!("{names} public names of at most {MOST_NAMES}")
}

/// Sources that cannot be read have a complaint of their own.
fn names(tree: &Tree) -> usize {
    let apis = api::listed(tree).unwrap_or_default();
    apis.iter().map(|api| api.names).sum()
}

/// Complains of a manifest that promises more, or less, than the rest of the workspace does.
pub(super) fn manifests(tree: &Tree) -> Vec<Complaint> {
    let manifests = tree
        .texts(&["toml"])
        .filter_map(|(path, text)| Some((path.strip_suffix("/Cargo.toml")?, text)));
    let mut complaints = Vec::new();
    for (folder, text) in manifests {
        let table: Table = text.parse().unwrap_or_default();
        if let Some(package) = table.get("package") {
            let path = format!("{folder}/Cargo.toml");
            let wrong = wrong_promise(folder, package);
            complaints.extend(wrong.map(|what| Complaint::new(&path, 1, what)));
        }
    }
    complaints
}

fn wrong_promise(folder: &str, package: &Value) -> Option<String> {
    let is_published = package.get("publish").is_none();
    if !folder.starts_with("crates/") {
        return is_published
            .then(|| "is a tool of this repository: write `publish = false`".to_owned());
    }
    if !is_published {
        return Some("is part of what is published: leave out `publish`".to_owned());
    }
    let version = package.get("version");
    let inherits = version.is_some_and(|version| version.get("workspace").is_some());
    let promises = folder == BINARY || PROMISED.iter().any(|(_, promised)| *promised == folder);
    if promises {
        return (!inherits)
            .then(|| "is versioned with the API: write `version.workspace = true`".to_owned());
    }
    let version = version.and_then(Value::as_str).unwrap_or_default();
    let description = package.get("description").and_then(Value::as_str);
    if !version.starts_with("0.0.") {
        Some(
            "is inner: give it a version 0.0.x of its own, of which no two are compatible"
                .to_owned(),
        )
    } else if !description.unwrap_or_default().contains(NO_PROMISES) {
        Some(format!(
            "is inner: say \"{NO_PROMISES}\" in its description"
        ))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOT: &str = "crates/causet/src/lib.rs";
    const LIST: &str = "docs/api/causet.txt";

    #[test]
    fn an_old_list_is_found_at_its_first_difference() {
        let source = "pub struct A;\npub struct B;\n";
        let found = |list: &str| -> Vec<usize> {
            let complaints = lists(&Tree::of(&[(ROOT, source), (LIST, list)]));
            complaints.iter().map(|complaint| complaint.line).collect()
        };
        let list = "pub struct causet::A\npub struct causet::B\n";
        assert_eq!(found(list), [0; 0]);
        assert_eq!(found("pub struct causet::A\npub struct causet::C\n"), [2]);
        assert_eq!(found("pub struct causet::A\n"), [2]);
        assert_eq!(found(&format!("{list}pub struct causet::C\n")), [3]);
        assert_eq!(lists(&Tree::of(&[(ROOT, source)])).len(), 1);
        let broken = &lists(&Tree::of(&[(ROOT, "pub struct")]))[0];
        assert!(
            broken.what.starts_with("crates/causet/src/lib.rs: "),
            "{broken}"
        );
    }

    #[test]
    fn too_many_names_are_counted() {
        let names = |count: usize| -> String {
            (0..count)
                .map(|number| format!("pub struct A{number};\n"))
                .collect()
        };
        let most = names(MOST_NAMES);
        let tree = Tree::of(&[(ROOT, &most)]);
        assert_eq!(few_names(&tree), []);
        assert_eq!(figure(&tree), "150 public names of at most 150");
        let more = names(MOST_NAMES + 1);
        let complaints = few_names(&Tree::of(&[(ROOT, &more)]));
        assert!(complaints[0].what.contains("have 151 public names"));
    }

    fn found(path: &str, package: &str) -> Option<String> {
        let text = format!("[package]\n{package}");
        let mut complaints = manifests(&Tree::of(&[(path, &text)]));
        complaints.pop().map(|complaint| complaint.what)
    }

    #[test]
    fn manifests_say_what_is_promised() {
        let inner =
            "version = \"0.0.3\"\ndescription = \"Runs: implementation of causet, no promises.\"\n";
        let path = "crates/inner/Cargo.toml";
        assert_eq!(found(path, inner), None);
        let silent = found(path, "version = \"0.0.3\"\n").expect("a complaint");
        assert!(silent.contains("in its description"), "{silent}");
        let versioned = found(path, "version.workspace = true\n").expect("a complaint");
        assert!(versioned.contains("version 0.0.x"), "{versioned}");
        let kept = found(path, &format!("{inner}publish = false\n")).expect("a complaint");
        assert!(kept.contains("leave out `publish`"), "{kept}");

        for path in ["crates/record/Cargo.toml", "crates/cli/Cargo.toml"] {
            assert_eq!(found(path, "version.workspace = true\n"), None);
            assert!(found(path, inner).is_some());
        }
        assert_eq!(found("examples/a/Cargo.toml", "publish = false\n"), None);
        assert!(found("examples/a/Cargo.toml", "").is_some());
        assert_eq!(
            manifests(&Tree::of(&[("a/Cargo.toml", "[workspace]\n")])),
            []
        );
    }
}
