//! Who may use whom: the table of the house, held against the manifests and against ARCHITECTURE.md.

use std::collections::BTreeSet;

use super::Complaint;
use super::tree::{Edge, Tree};

/// The packages, by their folders, and those each may use; a rim may know the core, never the reverse.
/// Dependencies that only tests have are free.
const HOUSE: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("trace", &["base"]),
    ("formula", &["base", "solve"]),
    ("solve", &["base"]),
    ("check", &["base", "trace", "formula", "solve"]),
    ("lts", &["base", "formula", "solve"]),
    ("flow", &["base", "solve"]),
    ("formats", &["base", "trace"]),
    (
        "report",
        &["base", "trace", "formula", "check", "lts", "formats"],
    ),
    (
        "causet",
        &[
            "base", "trace", "formula", "solve", "check", "lts", "formats", "report", "record",
        ],
    ),
    ("record", &[]),
    ("workload", &["base", "record"]),
    ("child", &[]),
    (
        "serve",
        &[
            "base", "trace", "formula", "solve", "check", "formats", "report", "child",
        ],
    ),
    ("drive", &["base", "lts", "record", "solve", "child"]),
    (
        "cli",
        &[
            "causet", "base", "trace", "formula", "solve", "check", "lts", "flow", "formats",
            "report", "record", "workload", "child", "serve", "drive",
        ],
    ),
    ("xtask", &[]),
];
const TABLE: &str = "the table HOUSE in xtask/src/tidy/house.rs";
const MAP: &str = "ARCHITECTURE.md";

/// Complains of a dependency that the table does not allow, and of a crate that it does not know.
pub(super) fn edges(tree: &Tree) -> Vec<Complaint> {
    let strangers = tree
        .crates()
        .into_iter()
        .filter(|name| may_use(name).is_none());
    let unknown = strangers.map(|name| {
        let what = format!("{TABLE} has no row for `{name}`: add one, and to {MAP} too");
        Complaint::new(&format!("crates/{name}/Cargo.toml"), 1, what)
    });
    let forbidden = tree.edges.iter().filter_map(|edge| {
        let allowed = may_use(&edge.from)?;
        (!allowed.contains(&edge.to.as_str())).then(|| forbidden(tree, edge, allowed))
    });
    unknown.chain(forbidden).collect()
}

fn forbidden(tree: &Tree, edge: &Edge, allowed: &[&str]) -> Complaint {
    let Edge { from, to, package } = edge;
    let folder = if from == "xtask" { "" } else { "crates/" };
    let manifest = format!("{folder}{from}/Cargo.toml");
    let line = line_where(tree, &manifest, |line| line.starts_with(package.as_str()));
    let what = format!(
        "`{from}` must not use `{to}` (it may use: {}): move what is needed, or keep it to tests as a dev-dependency",
        listed(allowed.iter().copied())
    );
    Complaint::new(&manifest, line, what)
}

/// Complains unless the table in ARCHITECTURE.md has one row for each crate, which says what it may use.
pub(super) fn map(tree: &Tree) -> Vec<Complaint> {
    let Some(text) = tree.text(MAP) else {
        return vec![Complaint::new(
            MAP,
            1,
            "is missing: draw the map of the crates",
        )];
    };
    let crates: BTreeSet<&str> = tree.crates().into_iter().collect();
    let mut mapped = BTreeSet::new();
    let mut complaints = Vec::new();
    for (index, row) in text.lines().enumerate() {
        let mut cells = row
            .split('|')
            .skip(1)
            .map(|cell| cell.trim().trim_matches('`'));
        let Some(name) = cells.next().and_then(|cell| cell.strip_prefix("crates/")) else {
            continue;
        };
        let wrong = if !crates.contains(name) {
            Some(format!("there is no folder crates/{name}: remove the row"))
        } else if !mapped.insert(name) {
            Some(format!("crates/{name} has a row already: keep one"))
        } else {
            wrong_uses(name, cells.next().unwrap_or_default(), &crates)
        };
        complaints.extend(wrong.map(|what| Complaint::new(MAP, index + 1, what)));
    }
    complaints.extend(crates.difference(&mapped).map(|name| {
        Complaint::new(
            MAP,
            1,
            format!("the map lacks crates/{name}: add a row for it"),
        )
    }));
    complaints
}

/// What is wrong with the cell "may use": it names those of the allowed crates that exist, or `all`.
fn wrong_uses(name: &str, cell: &str, crates: &BTreeSet<&str>) -> Option<String> {
    let allowed: BTreeSet<&str> = may_use(name)?.iter().copied().collect();
    let allowed: BTreeSet<&str> = allowed.intersection(crates).copied().collect();
    let said: BTreeSet<&str> = match cell {
        "all" => crates
            .iter()
            .copied()
            .filter(|&other| other != name)
            .collect(),
        _ => cell
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .collect(),
    };
    (said != allowed).then(|| {
        let allowed = listed(allowed.into_iter());
        format!(
            "the map says crates/{name} may use {cell}, {TABLE} says {allowed}: make them agree"
        )
    })
}

/// Complains of a manifest that does not take its licence from the workspace, or lacks the texts.
pub(super) fn licences(tree: &Tree) -> Vec<Complaint> {
    let manifests = tree
        .texts(&["toml"])
        .filter(|(path, text)| path.ends_with("Cargo.toml") && text.contains("[package]"));
    let mut complaints: Vec<Complaint> = manifests
        .filter(|(path, text)| !names_licence(path, text))
        .map(|(path, _)| {
            let line = line_where(tree, path, |line| line.starts_with("license"));
            let what = if path.starts_with("fuzz/") {
                "is outside the workspace and names no licence: write it as `license = \"...\"`"
            } else {
                "does not inherit its licence: write `license.workspace = true`"
            };
            Complaint::new(path, line, what)
        })
        .collect();
    if tree.exists("Cargo.toml") {
        let texts = ["LICENSE-MIT", "LICENSE-APACHE"];
        let missing = texts.into_iter().filter(|path| !tree.exists(path));
        complaints.extend(missing.map(|path| {
            Complaint::new(path, 1, "is missing: add the standard text of the licence")
        }));
    }
    complaints
}

/// The fuzz targets are a workspace of their own and have nothing to inherit from.
fn names_licence(path: &str, manifest: &str) -> bool {
    manifest.lines().any(|line| {
        let line: String = line.split_whitespace().collect();
        line == "license.workspace=true"
            || line == "license={workspace=true}"
            || (path.starts_with("fuzz/") && line.starts_with("license=\""))
    })
}

fn may_use(name: &str) -> Option<&'static [&'static str]> {
    let row = HOUSE.iter().find(|(package, _)| *package == name)?;
    Some(row.1)
}

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}

/// The first line of the file for which the question is true; 1 if there is none.
fn line_where(tree: &Tree, path: &str, question: impl Fn(&str) -> bool) -> usize {
    let text = tree.text(path).unwrap_or_default();
    text.lines().position(question).map_or(1, |index| index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(from: &str, to: &str) -> Edge {
        Edge {
            from: from.to_owned(),
            to: to.to_owned(),
            package: format!("causet-{to}"),
        }
    }

    fn shown(complaints: &[Complaint]) -> Vec<String> {
        complaints.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn forbidden_edges_are_named_with_their_line() {
        let manifest = "[package]\n[dependencies]\ncauset-check.workspace = true\n";
        let mut tree = Tree::of(&[("crates/trace/Cargo.toml", manifest)]);
        tree.edges = vec![
            edge("trace", "check"),
            edge("check", "trace"),
            edge("cli", "report"),
        ];
        let complaints = shown(&edges(&tree));
        assert_eq!(complaints.len(), 1, "{complaints:?}");
        assert!(
            complaints[0].starts_with("crates/trace/Cargo.toml:3: `trace` must not use `check`")
        );
        assert!(complaints[0].contains("(it may use: base)"));
    }

    #[test]
    fn nothing_may_use_xtask_nor_xtask_anything() {
        let mut tree = Tree::of(&[]);
        tree.edges = vec![edge("xtask", "trace"), edge("cli", "xtask")];
        let complaints = shown(&edges(&tree));
        assert_eq!(complaints.len(), 2);
        assert!(complaints[0].starts_with("xtask/Cargo.toml:1:"));
    }

    #[test]
    fn an_unknown_crate_needs_a_row() {
        let tree = Tree::of(&[("crates/novel/Cargo.toml", "")]);
        assert!(edges(&tree)[0].what.contains("no row for `novel`"));
    }

    #[test]
    fn the_table_names_only_its_own_rows() {
        for (name, uses) in HOUSE {
            for used in *uses {
                assert!(may_use(used).is_some(), "{name} uses {used}");
            }
        }
    }

    fn mapped(rows: &str) -> Vec<String> {
        shown(&map(&Tree::of(&[
            ("ARCHITECTURE.md", rows),
            ("crates/trace/src/lib.rs", ""),
            ("crates/check/src/lib.rs", ""),
            ("crates/cli/src/main.rs", ""),
        ])))
    }

    const ROWS: &str = "\
| crate | may use | holds |
|---|---|---|
| `crates/trace` | - | events |
| `crates/check` | `trace` | engines |
| `crates/cli` | all | the binary |
";

    #[test]
    fn a_true_map_is_accepted() {
        assert_eq!(mapped(ROWS), [""; 0]);
    }

    #[test]
    fn a_false_map_is_refused() {
        let missing = mapped(&ROWS.replace("| `crates/trace`", "| `trace`"));
        assert_eq!(
            missing,
            ["ARCHITECTURE.md:1: the map lacks crates/trace: add a row for it"]
        );
        let gone = mapped(&format!("{ROWS}| `crates/gone` | - | nothing |\n"));
        assert!(gone[0].starts_with("ARCHITECTURE.md:6: there is no folder crates/gone"));
        let twice = mapped(&format!("{ROWS}| `crates/trace` | - | nothing |\n"));
        assert!(twice[0].starts_with("ARCHITECTURE.md:6: crates/trace has a row already"));
        let uses = mapped(&ROWS.replace("`trace` | eng", "- | eng"));
        assert!(uses[0].starts_with("ARCHITECTURE.md:4: the map says crates/check may use -"));
        assert!(map(&Tree::of(&[]))[0].what.contains("is missing"));
    }

    fn licensed(path: &str, licence: &str) -> usize {
        let manifest = format!("[package]\nname = \"x\"\n{licence}\n");
        licences(&Tree::of(&[(path, &manifest)])).len()
    }

    #[test]
    fn licences_are_inherited() {
        assert_eq!(
            licensed("crates/x/Cargo.toml", "license.workspace = true"),
            0
        );
        assert_eq!(
            licensed("crates/x/Cargo.toml", "license = { workspace = true }"),
            0
        );
        assert_eq!(licensed("crates/x/Cargo.toml", "license = \"MIT\""), 1);
        assert_eq!(licensed("crates/x/Cargo.toml", ""), 1);
        assert_eq!(
            licensed("fuzz/Cargo.toml", "license = \"MIT OR Apache-2.0\""),
            0
        );
        assert_eq!(licensed("fuzz/Cargo.toml", ""), 1);
    }

    #[test]
    fn the_licence_texts_are_there() {
        let tree = Tree::of(&[("Cargo.toml", "[workspace]\n"), ("LICENSE-MIT", "")]);
        assert_eq!(licences(&tree)[0].path, "LICENSE-APACHE");
    }
}
