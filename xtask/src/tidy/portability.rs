//! Where code may use what only some systems have: everything else runs wherever Rust does.

use super::Complaint;
use super::code::{blank, line_of, words};
use super::tree::Tree;

/// Names of code that needs Unix, or one kind of it.
const NAMES: &[&str] = &[
    "os::fd",
    "os::linux",
    "os::unix",
    "libc",
    "nix",
    "rustix",
    "signal_hook",
    "UnixDatagram",
    "UnixListener",
    "UnixStream",
];
/// The beginning of a path that only Linux has, as a literal.
const FILES: &str = "\"/proc/";

/// The places that may, with the reason: the beginning of a path, or the end of one behind `*`.
const ALLOWED: &[(&str, &str)] = &[
    ("crates/child/", "it ends groups of processes"),
    (
        "crates/cli/",
        "it answers signals, and starts and watches processes",
    ),
    (
        "crates/serve/",
        "it listens at Unix sockets and keeps its files to itself",
    ),
    (
        "crates/record/src/server/",
        "it sends to a Unix socket where there are any",
    ),
    ("crates/record/tests/server.rs", "it tests that"),
    (
        "crates/causet/src/limits.rs",
        "without /proc it knows no figures of memory and says so",
    ),
    ("bench/peers/", "it measures, on Linux"),
    ("*/examples/read_speed.rs", "it measures, on Linux"),
    ("xtask/src/bench/", "it measures, on Linux"),
    ("xtask/src/faults/", "it stops and kills processes"),
];

/// Complains of code for one system that stands in another place, and of a place that has none.
pub(super) fn places(tree: &Tree) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    let mut used = vec![false; ALLOWED.len()];
    let own = "xtask/src/tidy/";
    for (path, text) in tree
        .texts(&["rs"])
        .filter(|(path, _)| !path.starts_with(own))
    {
        let found = found(text);
        if let Some(index) = ALLOWED.iter().position(|(place, _)| covers(place, path)) {
            used[index] |= !found.is_empty();
            continue;
        }
        complaints.extend(found.into_iter().map(|(line, name)| {
            let what = format!(
                "uses `{name}`, which not every system has: move it to a place of the table ALLOWED in xtask/src/tidy/portability.rs, or add a row with the reason"
            );
            Complaint::new(path, line, what)
        }));
    }
    if tree.exists("Cargo.toml") {
        let unused = ALLOWED.iter().zip(used).filter(|(_, used)| !used);
        complaints.extend(unused.map(|((place, _), _)| {
            let what = format!("`{place}` has nothing that needs a row in ALLOWED: remove it");
            Complaint::new("xtask/src/tidy/portability.rs", 1, what)
        }));
    }
    complaints
}

fn covers(place: &str, path: &str) -> bool {
    match place.strip_prefix('*') {
        Some(end) => path.ends_with(end),
        None => path.starts_with(place),
    }
}

/// The lines that use something, with what they use.
fn found(text: &str) -> Vec<(usize, &'static str)> {
    let code = blank(text);
    let names = NAMES
        .iter()
        .flat_map(|&name| words(&code, name).map(move |at| (at, name)))
        .map(|(at, name)| (line_of(&code, at), name));
    let files = text
        .match_indices(FILES)
        .map(|(at, _)| (line_of(text, at), "/proc/"));
    let mut found: Vec<(usize, &str)> = names.chain(files).collect();
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found_in(path: &str, text: &str) -> Vec<(usize, String)> {
        let complaints = places(&Tree::of(&[(path, text)]));
        complaints
            .into_iter()
            .map(|complaint| (complaint.line, complaint.what))
            .collect()
    }

    #[test]
    fn code_for_one_system_is_found_outside_its_places() {
        let text = "use std::os::unix::fs::MetadataExt;\n// libc is fine here\nlet a = \"rustix\";\n\
                    let b = fs::read(\"/proc/stat\");\nrustix::process::getpid();\nlet unix = libc_like;\n";
        let found = found_in("crates/trace/src/a.rs", text);
        let lines: Vec<usize> = found.iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, [1, 4, 5]);
        assert!(found[0].1.starts_with("uses `os::unix`"));
        assert!(found[1].1.starts_with("uses `/proc/`"));
        for path in [
            "crates/child/src/lib.rs",
            "crates/lts/examples/read_speed.rs",
        ] {
            assert_eq!(found_in(path, text), []);
        }
        assert_eq!(found_in("crates/record/src/event.rs", text).len(), 3);
    }

    #[test]
    fn a_place_without_such_code_needs_no_row() {
        let complaints = places(&Tree::of(&[("Cargo.toml", "")]));
        assert_eq!(complaints.len(), ALLOWED.len());
        assert!(complaints[0].what.contains("remove it"));
    }
}
