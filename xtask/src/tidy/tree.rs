//! The repository as a value: its paths, its texts, and which package uses which.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::cargo;

/// Texts larger than this are data, not prose: their path is known, their lines are not read.
const LARGEST_TEXT: u64 = 1 << 20;
/// The kinds of file whose lines some check reads.
const TEXTS: &[&str] = &["rs", "md", "toml", "props", "jsonl", "txt"];

/// Every file below the root, by its path with `/` between the parts.
pub(crate) struct Tree {
    files: BTreeMap<String, Option<String>>,
    /// Dependencies between packages of the workspace, those only for tests left out.
    pub(super) edges: Vec<Edge>,
}

/// One package of the workspace names another among its dependencies.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Edge {
    /// The user, by the name of its folder.
    pub(super) from: String,
    /// The used, by the name of its folder.
    pub(super) to: String,
    /// The name under which the manifest mentions it.
    pub(super) package: String,
}

impl Tree {
    /// Reads the files and asks cargo for the packages.
    pub(crate) fn read(root: &Path) -> Result<Self, String> {
        let mut files = BTreeMap::new();
        let ignored = ignored_folders(root);
        walk(root, "", &ignored, &mut files)?;
        Ok(Tree {
            files,
            edges: edges(&metadata(root)?),
        })
    }

    /// A tree of the given paths and texts, to show to a check.
    #[cfg(test)]
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let files = files
            .iter()
            .map(|&(path, text)| (path.to_owned(), Some(text.to_owned())))
            .collect();
        let edges = Vec::new();
        Tree { files, edges }
    }

    pub(super) fn len(&self) -> usize {
        self.files.len()
    }

    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path)?.as_deref()
    }

    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// The files that were read and whose name ends with one of the extensions.
    pub(super) fn texts<'a>(
        &'a self,
        extensions: &'a [&str],
    ) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.files.iter().filter_map(move |(path, text)| {
            let text = text.as_deref()?;
            extensions
                .contains(&extension(path))
                .then_some((path.as_str(), text))
        })
    }

    /// Whether the path is a file or a folder that holds one.
    pub(super) fn exists(&self, path: &str) -> bool {
        let folder = format!("{path}/");
        path.is_empty()
            || self.files.contains_key(path)
            || self.paths().any(|file| file.starts_with(&folder))
    }

    /// The names of the folders in `crates/`, in order.
    pub(super) fn crates(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self
            .paths()
            .filter_map(|path| Some(path.strip_prefix("crates/")?.split_once('/')?.0))
            .collect();
        names.dedup();
        names
    }
}

/// What stands behind the last dot of a path.
pub(super) fn extension(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(_, extension)| extension)
}

/// The folders that `.gitignore` names from the root. Reading them here, and not asking git for its
/// list, lets the checks run in an unpacked archive as well.
fn ignored_folders(root: &Path) -> Vec<String> {
    let text = fs::read_to_string(root.join(".gitignore")).unwrap_or_default();
    text.lines()
        .filter_map(|line| line.trim_end().strip_prefix('/'))
        .map(|path| path.trim_end_matches('/').to_owned())
        .collect()
}

fn walk(
    folder: &Path,
    prefix: &str,
    ignored: &[String],
    files: &mut BTreeMap<String, Option<String>>,
) -> Result<(), String> {
    let unreadable = |error| format!("{} cannot be read ({error})", folder.display());
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        let kind = entry.file_type().map_err(unreadable)?;
        if ignored.contains(&path) {
            continue;
        }
        if kind.is_dir() {
            // A tagged folder is a cache, such as a build folder that is not called `target`.
            if name != ".git" && !entry.path().join("CACHEDIR.TAG").exists() {
                walk(&entry.path(), &format!("{path}/"), ignored, files)?;
            }
        } else {
            let text = read_text(&entry.path(), &path);
            files.insert(path, text);
        }
    }
    Ok(())
}

/// The text of a file that some check reads; `None` for data, large or not UTF-8.
fn read_text(file: &Path, path: &str) -> Option<String> {
    if !TEXTS.contains(&extension(path)) || file.metadata().ok()?.len() > LARGEST_TEXT {
        return None;
    }
    fs::read_to_string(file).ok()
}

fn metadata(root: &Path) -> Result<Value, String> {
    let output = cargo()
        .args(["metadata", "--format-version", "1", "--no-deps"])
        .current_dir(root)
        .output()
        .map_err(|error| format!("cargo metadata could not be started ({error})"))?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        return Err(format!("cargo metadata failed: {}", message.trim_end()));
    }
    serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("cargo metadata is not JSON ({error})"))
}

/// The dependencies by path; `kind` is null for those of the library, `build` for its build script.
fn edges(metadata: &Value) -> Vec<Edge> {
    let mut edges = Vec::new();
    for package in list(&metadata["packages"]) {
        let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
        let Some(from) = manifest.parent().and_then(folder_name) else {
            continue;
        };
        for dependency in list(&package["dependencies"]) {
            let path = dependency["path"].as_str().map(Path::new);
            let Some(to) = path.and_then(folder_name) else {
                continue;
            };
            if dependency["kind"] != "dev" {
                edges.push(Edge {
                    from: from.clone(),
                    to,
                    package: dependency["name"].as_str().unwrap_or_default().to_owned(),
                });
            }
        }
    }
    edges
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn folder_name(path: &Path) -> Option<String> {
    Some(path.file_name()?.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_normal_and_build_dependencies_by_path() {
        let metadata = serde_json::json!({"packages": [{
            "manifest_path": "/r/crates/check/Cargo.toml",
            "dependencies": [
                {"name": "causet-trace", "kind": null, "path": "/r/crates/trace"},
                {"name": "causet-formats", "kind": "dev", "path": "/r/crates/formats"},
                {"name": "causet-solve", "kind": "build", "path": "/r/crates/solve"},
                {"name": "fastrand", "kind": null},
            ],
        }]});
        let edges = edges(&metadata);
        let pairs: Vec<(&str, &str)> = edges
            .iter()
            .map(|edge| (edge.from.as_str(), edge.to.as_str()))
            .collect();
        assert_eq!(pairs, [("check", "trace"), ("check", "solve")]);
        assert_eq!(edges[0].package, "causet-trace");
    }

    #[test]
    fn the_repository_is_read_without_its_build_folder() {
        let tree = Tree::read(&crate::root()).unwrap();
        assert!(tree.text("xtask/src/tidy/tree.rs").is_some());
        assert!(tree.crates().contains(&"trace"));
        assert!(tree.exists("crates/trace/src") && !tree.exists("crates/tra"));
        assert!(tree.paths().all(|path| !path.starts_with("target/")));
        assert!(tree.paths().all(|path| !path.starts_with(".git/")));
    }
}
