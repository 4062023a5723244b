//! A folder given as a run: which of its files are logs, and a note that names those that are not.

use std::fs;
use std::path::{Path, PathBuf};

use causet_base::Code;

use crate::failure::Failure;

/// The files of a folder that are taken for logs.
const EXTENSIONS: [&str; 6] = ["jsonl", "ndjson", "json", "gz", "zst", JOURNAL];
/// The end of the name of a journal that a server keeps, with files of its own beside it.
const JOURNAL: &str = "journal";
/// The ends of their names if there are none of those; GoVector writes the second.
const OTHERWISE: [&str; 2] = [".log", "log.txt"];
/// How many files are listed in a note.
const LISTED: usize = 5;

/// The logs in a folder.
pub(crate) struct LogFolder {
    /// The files that are read, by name.
    pub(crate) logs: Vec<PathBuf>,
    /// What is not read, or says nothing, by name.
    rest: Vec<String>,
}

impl LogFolder {
    /// Looks for the logs in a folder.
    pub(crate) fn open(folder: &Path) -> Result<LogFolder, Failure> {
        let entries = sorted_entries(folder)?;
        let has_extension = |path: &Path| {
            let extension = path.extension().and_then(|extension| extension.to_str());
            extension.is_some_and(|extension| EXTENSIONS.contains(&extension))
        };
        let ends_otherwise = |path: &Path| {
            let name = path.to_string_lossy().to_lowercase();
            OTHERWISE.iter().any(|end| name.ends_with(end))
        };
        let is_usual = |path: &Path| path.is_file() && has_extension(path);
        let has_usual = entries.iter().any(|path| is_usual(path));
        let (logs, others): (Vec<PathBuf>, Vec<PathBuf>) =
            entries.into_iter().partition(|path| match has_usual {
                true => is_usual(path),
                false => path.is_file() && ends_otherwise(path),
            });
        let empty = logs.iter().filter(|path| is_empty(path));
        let empty = empty.map(|path| format!("{} (empty)", name_of(path)));
        let rest = empty
            .chain(others.iter().map(|path| name_of(path)))
            .collect();
        let found = LogFolder { logs, rest };
        match found.logs.is_empty() {
            true => Err(found.refusal(folder)),
            false => Ok(found),
        }
    }

    /// What is read of the folder and what is not, if anything is not.
    pub(crate) fn note(&self, folder: &Path) -> Option<String> {
        let is_journal = |path: &PathBuf| path.extension().is_some_and(|end| end == JOURNAL);
        if self.rest.is_empty() || self.logs.iter().any(is_journal) {
            return None;
        }
        let read = self.logs.iter().filter(|path| !is_empty(path));
        let read: Vec<String> = read.map(|path| name_of(path)).collect();
        Some(format!(
            "of the folder {}, {} read, but not {}",
            folder.display(),
            match read.len() {
                0 => "nothing is".to_owned(),
                1 => format!("{} is", read[0]),
                _ => format!("{} are", listed(&read)),
            },
            listed(&self.rest)
        ))
    }

    fn refusal(&self, folder: &Path) -> Failure {
        let held = match self.rest.is_empty() {
            true => "it is empty".to_owned(),
            false => format!("it holds {}", listed(&self.rest)),
        };
        Failure::helped(
            Code::NoEvents,
            format!("the directory {} holds no logs: {held}", folder.display()),
            format!(
                "logs end in .{}, or else in {}; any other file is read if it is named itself",
                EXTENSIONS.join(", ."),
                OTHERWISE.join(" or ")
            ),
        )
    }
}

fn sorted_entries(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let unreadable = |error| {
        Failure::io(
            Code::NotReadable,
            format!("{} cannot be read", folder.display()),
            &error,
        )
    };
    let entries = fs::read_dir(folder).map_err(unreadable)?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut paths: Vec<PathBuf> = paths.collect::<Result<_, _>>().map_err(unreadable)?;
    paths.sort();
    Ok(paths)
}

fn is_empty(path: &Path) -> bool {
    path.metadata().is_ok_and(|file| file.len() == 0)
}

/// The name of an entry, with what it is if that is no file.
fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    match path.is_dir() {
        true => format!("{name} (a folder)"),
        false => name.into_owned(),
    }
}

/// The first of some names, and how many more there are.
fn listed(names: &[String]) -> String {
    match names.len() {
        ..=LISTED => names.join(", "),
        count => format!("{} and {} more", names[..LISTED].join(", "), count - LISTED),
    }
}
