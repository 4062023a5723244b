//! Following files that grow: what is appended to them reaches the desk as if it were sent.
//!
//! ```text
//! run "checkout"                  +--> a.jsonl: growing --> told --+
//!   paths: logs/  --every look--> +--> b.jsonl: growing --> told --+--> desk
//!                                 +--> (new files turn up)         |
//!                                      a wrong line stops its file +
//! ```
//!
//! All files of a run are looked at in turns. Events are numbered from the start of their file, so a file that is read
//! again, after a restart or because it was written anew, tells nothing twice: no position has to be kept. This asks that
//! the events of a process stand in one file, which is looked after here, and that a file that replaces another begins
//! like that one, which is compared as far as its first lines.
//!
//! A line that is wrong stops its file, as it ends a connection: what follows it would be taken as if nothing were
//! missing. The other files go on, and so does this one once it was written anew.

mod growing;
mod told;

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use growing::{Growing, Look};
use told::{Halt, Told};

use crate::desk::Desk;

/// What is followed as one run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// What the run is called.
    pub run: String,
    /// Files, and folders whose files are all followed. They need not be there yet.
    pub paths: Vec<PathBuf>,
}

/// Something that whoever runs the server should know.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trouble {
    /// The file, or the folder.
    pub path: PathBuf,
    /// The line, if it is about one.
    pub line: Option<u32>,
    /// What it is.
    pub what: String,
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}", self.what)
    }
}

/// So long until files are looked at again when there was nothing new.
const PAUSE: Duration = Duration::from_millis(100);
/// So long until a run that cannot be had is asked for again.
const REFUSED: Duration = Duration::from_secs(1);
/// The files of a folder that are followed.
const EXTENSIONS: [&str; 2] = ["jsonl", "ndjson"];

/// Sources from arguments, each a path or `NAME=PATH`; paths with one name are one run.
pub fn sources(arguments: &[String]) -> Vec<Source> {
    let mut sources: Vec<Source> = Vec::new();
    for argument in arguments {
        let named = argument.split_once('=');
        let named = named.filter(|(name, _)| !name.is_empty() && !name.contains(['/', '\\']));
        let path = Path::new(named.map_or(argument.as_str(), |(_, path)| path));
        let last = path.file_name().unwrap_or(path.as_os_str());
        let run = named.map_or_else(
            || last.to_string_lossy().into_owned(),
            |(name, _)| name.to_owned(),
        );
        match sources.iter_mut().find(|source| source.run == run) {
            Some(source) => source.paths.push(path.to_owned()),
            None => sources.push(Source {
                run,
                paths: vec![path.to_owned()],
            }),
        }
    }
    sources
}

/// Follows a source until the desk closes, with lines of some length at most. Files are read where this runs, so it
/// should have a thread of its own.
pub async fn follow(source: &Source, desk: &Desk, longest: usize, tell: &dyn Fn(&Trouble)) {
    let mut following = Following {
        source,
        desk,
        longest,
        tell,
        files: BTreeMap::new(),
        owners: BTreeMap::new(),
        complaint: None,
    };
    loop {
        let pause = match following.turn().await {
            Ok(true) => continue,
            Ok(false) => PAUSE,
            Err(Halt::Closed) => return,
            Err(Halt::Run(what)) => {
                following.complain(&what);
                REFUSED
            }
            // A wrong line halts its file only, and was told.
            Err(Halt::Line(..)) => PAUSE,
        };
        tokio::time::sleep(pause).await;
    }
}

struct Following<'f> {
    source: &'f Source,
    desk: &'f Desk,
    longest: usize,
    tell: &'f dyn Fn(&Trouble),
    files: BTreeMap<PathBuf, Followed<'f>>,
    /// Which file tells the events of a process.
    owners: BTreeMap<String, PathBuf>,
    /// What was said of the run as a whole, to say it once.
    complaint: Option<String>,
}

/// A file, and what it has told.
struct Followed<'f> {
    growing: Growing,
    told: Told<'f>,
    /// It has a line that is wrong, and waits to be written anew.
    is_stopped: bool,
}

impl Following<'_> {
    /// Looks at every file once; whether anything was done.
    async fn turn(&mut self) -> Result<bool, Halt> {
        self.find();
        let paths: Vec<PathBuf> = self.files.keys().cloned().collect();
        let mut is_busy = false;
        // Headers come before events: those of files that turn up together are put together.
        for path in &paths {
            is_busy |= self.look(path).await?;
        }
        for path in &paths {
            let Some(file) = self.files.get_mut(path) else {
                continue;
            };
            match file.told.hand_over(&mut self.owners, path).await {
                Ok(is_done) => is_busy |= is_done,
                Err(halt) => self.stop_at_wrong_line(path, halt).await?,
            }
        }
        if !is_busy {
            self.let_one_go_on().await;
        }
        Ok(is_busy)
    }

    /// When all that have something to tell are held back, what is missing can only stand in one of them: then the one
    /// that has told least goes on, a block at a time.
    async fn let_one_go_on(&mut self) {
        let files = self.files.values_mut().map(|file| &mut file.told);
        let held_back = files.filter(|told| told.has_more() && told.is_held_back());
        if let Some(told) = held_back.min_by_key(|told| told.taken()) {
            told.let_go_on().await;
        }
    }

    /// Looks for files that have turned up.
    fn find(&mut self) {
        let mut found = Vec::new();
        let mut unreadable = None;
        for path in &self.source.paths {
            match path.is_dir() {
                true => match logs_in(path) {
                    Ok(logs) => found.extend(logs),
                    Err(error) => unreadable = Some(format!("{}: {error}", path.display())),
                },
                false if path.is_file() => found.push(path.clone()),
                false => {}
            }
        }
        for path in found {
            self.files.entry(path).or_insert_with_key(|path| Followed {
                growing: Growing::new(path.clone(), self.longest),
                told: Told::new(self.desk, &self.source.run),
                is_stopped: false,
            });
        }
        if let Some(what) = unreadable {
            self.complain(&what);
        }
    }

    /// Looks at a file; whether it has to be looked at again at once.
    async fn look(&mut self, path: &Path) -> Result<bool, Halt> {
        let Some(file) = self.files.get_mut(path) else {
            return Ok(false);
        };
        if file.told.has_more() {
            file.told.announce().await?;
            return Ok(false);
        }
        let is_stopped = file.is_stopped;
        match file.growing.look() {
            Ok(Look::Nothing) => {}
            Ok(Look::Again) => {
                let what = "was cut short or replaced, and is read again from its start";
                file.is_stopped = false;
                file.told.begin_again().await;
                self.say(path, None, what);
                return Ok(true);
            }
            Ok(Look::Lines(_) | Look::TooLong(_)) if is_stopped => {}
            Ok(Look::TooLong(line)) => {
                let what = format!("the line is longer than {} bytes", self.longest);
                self.stop_at_wrong_line(path, Halt::Line(line, what))
                    .await?;
            }
            Ok(Look::Lines(block)) => {
                file.told.take(block);
                file.told.announce().await?;
            }
            Err(error) => self.complain(&format!("{}: {error}", path.display())),
        }
        Ok(false)
    }

    /// Stops a file at a line that is wrong; whatever else halts, halts all.
    async fn stop_at_wrong_line(&mut self, path: &Path, halt: Halt) -> Result<(), Halt> {
        let Halt::Line(line, what) = halt else {
            return Err(halt);
        };
        if let Some(file) = self.files.get_mut(path) {
            file.is_stopped = true;
            file.told.drop_rest().await;
        }
        let what = format!("{what}; the file is not followed beyond this line");
        self.say(path, Some(line), &what);
        Ok(())
    }

    fn say(&self, path: &Path, line: Option<u32>, what: &str) {
        let path = path.to_owned();
        let what = what.to_owned();
        (self.tell)(&Trouble { path, line, what });
    }

    /// Says something about the run as a whole, unless it was the last that was said.
    fn complain(&mut self, what: &str) {
        if self.complaint.as_deref() != Some(what) {
            self.complaint = Some(what.to_owned());
            let path = self.source.paths.first().cloned().unwrap_or_default();
            let what = format!("run `{}`: {what}", self.source.run);
            self.say(&path, None, &what);
        }
    }
}

/// The files of a folder that are followed.
fn logs_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut logs = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let extension = path.extension().and_then(|extension| extension.to_str());
        if extension.is_some_and(|extension| EXTENSIONS.contains(&extension)) && path.is_file() {
            logs.push(path);
        }
    }
    logs.sort();
    Ok(logs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_called_after_its_path_or_as_it_is_said() {
        let arguments = ["logs/a.jsonl", "x=logs/b.jsonl", "x=c", "./d=e.jsonl"];
        let found = sources(&arguments.map(str::to_owned));
        let expected = [
            ("a.jsonl", vec!["logs/a.jsonl"]),
            ("x", vec!["logs/b.jsonl", "c"]),
            ("d=e.jsonl", vec!["./d=e.jsonl"]),
        ];
        let expected = expected.map(|(run, paths)| Source {
            run: run.to_owned(),
            paths: paths.into_iter().map(PathBuf::from).collect(),
        });
        assert_eq!(found, expected);
    }
}
