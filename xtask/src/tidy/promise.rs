//! What is promised to users: the public API of two crates, which follow semantic versioning.

use super::Complaint;
use super::tree::Tree;
use crate::api;

/// A public API of more names than this is too much to learn and to keep.
const MOST_NAMES: usize = 150;

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
}
