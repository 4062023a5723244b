//! Where runs are kept: a folder each, with the journal of its events, its name, and what was told of it.
//!
//! ```text
//! data/server.lock                 locked while a server uses the folder; the number of its process
//! data/run-5f0c.../events.journal   the lines that were taken, in frames
//!                  name.txt         what the run is called
//!                  verdicts.txt     what was told, a line each
//!                  events.cut       the end of a journal that was no whole frame when the server began again
//!                  over.txt         there when nothing more is taken: the events of each process, the length of the journal
//!                  told.txt         there when the last word was told: the length of the journal
//!                  left-out.txt     lines the run was ended without, since what they depend on never came
//!                  events.damaged   a journal that could not be read: it is kept, and the run takes nothing more
//! ```
//!
//! The name of a run comes from outside, so its folder is called after a digest of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use causet_formats::journal::{self, Frames, MAGIC};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::private::{close_folder, create_folder, options};

const LOCK: &str = "server.lock";
const EVENTS: &str = "events.journal";
const NAME: &str = "name.txt";
const VERDICTS: &str = "verdicts.txt";
const OVER: &str = "over.txt";
const LAST: &str = "told.txt";
const LEFT_OUT: &str = "left-out.txt";
/// What was cut off a journal.
const CUT: &str = "events.cut";
/// A journal that was set aside.
const DAMAGED: &str = "events.damaged";
/// The journal while it is written anew.
const ANEW: &str = "events.new";

/// Locks a folder of runs until the file is dropped, and makes it if it is missing. When another server uses it, the error
/// is of kind `ResourceBusy`. The system releases the lock of a process that dies, so a crash locks nobody out.
pub fn lock(data: &Path) -> io::Result<File> {
    create_folder(data)?;
    let path = data.join(LOCK);
    let mut file = options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(&path)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::Error(error)) => return Err(error),
        Err(TryLockError::WouldBlock) => {
            let owner = fs::read_to_string(&path).unwrap_or_default();
            let message = match owner.trim() {
                "" => "another server uses it".to_owned(),
                process => format!("another server uses it, process {process}"),
            };
            return Err(io::Error::new(io::ErrorKind::ResourceBusy, message));
        }
    }
    file.set_len(0)?;
    writeln!(file, "{}", std::process::id())?;
    Ok(file)
}

/// The files of one run.
#[derive(Debug)]
pub struct Keeping {
    folder: PathBuf,
    journal: Arc<File>,
    frame: Vec<u8>,
    /// How many bytes the journal has.
    length: u64,
    /// What was lost of the journal before it was opened.
    lost: Option<Lost>,
}

/// A journal was not as it had been left; the run goes on with what there is of it.
#[derive(Clone, Debug)]
pub(crate) struct Lost {
    /// What is wrong.
    pub(crate) what: String,
    /// The file that holds what could not be read, or the journal.
    pub(crate) kept: PathBuf,
}

impl Keeping {
    /// Makes the folder of a new run. Its name comes last: without it, and without events, there was no run.
    pub fn create(data: &Path, run: &str) -> io::Result<Keeping> {
        let folder = folder_of(data, run);
        create_folder(&folder)?;
        let journal = new_journal(&folder)?;
        write_safely(&folder.join(NAME), run.as_bytes())?;
        sync_folder(&folder)?;
        sync_folder(data)?;
        Ok(Keeping {
            folder,
            journal: Arc::new(journal),
            frame: Vec::new(),
            length: MAGIC.len() as u64,
            lost: None,
        })
    }

    /// Opens the folder of a run that was kept, and gives its lines to `take`, frame by frame. An end that is no whole
    /// frame, as it is left by a writer that is killed, is cut off and kept beside; a journal that is missing begins anew.
    /// A journal that is damaged elsewhere is an error of kind `InvalidData`.
    pub fn open(folder: &Path, mut take: impl FnMut(&[u8])) -> io::Result<Keeping> {
        let path = folder.join(EVENTS);
        let is_missing = !path.exists();
        let mut file = match is_missing {
            true => new_journal(folder)?,
            false => options().read(true).append(true).open(&path)?,
        };
        let mut magic = [0; MAGIC.len()];
        let length = file.metadata()?.len();
        let whole = if length < MAGIC.len() as u64 {
            0
        } else if is_missing {
            length
        } else {
            file.seek(SeekFrom::Start(0))?;
            file.read_exact(&mut magic)?;
            if magic != MAGIC {
                let what = format!("{} is not a journal", path.display());
                return Err(io::Error::new(io::ErrorKind::InvalidData, what));
            }
            let mut frames = Frames::new(io::BufReader::new(&file));
            while let Some(lines) = frames.next_frame()? {
                take(lines);
            }
            frames.whole()
        };
        let mut lost = is_missing.then(|| Lost {
            what: "the journal of the run is missing; it begins again without events".to_owned(),
            kept: path,
        });
        if length > whole || whole == 0 {
            lost = Some(cut(folder, &mut file, whole)?);
        }
        Ok(Keeping {
            folder: folder.to_owned(),
            length: file.metadata()?.len(),
            journal: Arc::new(file),
            frame: Vec::new(),
            lost,
        })
    }

    /// Whether nothing was appended yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.length == MAGIC.len() as u64
    }

    /// Removes the folder of a run of which nothing was taken; `false` if something else is in it, which then stays.
    pub(crate) fn discard(&self) -> io::Result<bool> {
        let mut entries = fs::read_dir(&self.folder)?;
        let is_new = |entry: io::Result<fs::DirEntry>| {
            entry.is_ok_and(|entry| {
                [EVENTS, NAME]
                    .map(AsRef::as_ref)
                    .contains(&&*entry.file_name())
            })
        };
        if !self.is_empty() || !entries.all(is_new) {
            return Ok(false);
        }
        // Without its name it is no run any more, whatever comes between.
        fs::remove_file(self.folder.join(NAME))?;
        fs::remove_file(self.folder.join(EVENTS))?;
        fs::remove_dir(&self.folder)?;
        Ok(true)
    }

    /// What was lost of the journal before it was opened; asked once.
    pub(crate) fn lost(&mut self) -> Option<Lost> {
        self.lost.take()
    }

    /// The folders of all runs that are kept; from now on only their owner can read them.
    pub fn all(data: &Path) -> io::Result<Vec<PathBuf>> {
        let mut folders = Vec::new();
        for entry in fs::read_dir(data)? {
            let path = entry?.path();
            let is_set_aside = set_aside_in(&path).is_some();
            if path.join(NAME).is_file() || is_set_aside || holds_events(&path) {
                close_folder(&path);
                folders.push(path);
            }
        }
        folders.sort();
        Ok(folders)
    }

    /// What the run of a folder is called.
    pub fn name(folder: &Path) -> io::Result<String> {
        fs::read_to_string(folder.join(NAME))
    }

    /// Notes what the run of a folder is called, if there is such a folder and its name was lost.
    pub(crate) fn restore_name(folder: &Path, run: &str) -> io::Result<()> {
        let path = folder.join(NAME);
        match folder.is_dir() && !path.exists() {
            true => write_safely(&path, run.as_bytes()),
            false => Ok(()),
        }
    }

    /// Where the run is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The journal, to be read from its beginning.
    pub fn read(&self) -> io::Result<File> {
        journal_of(&self.folder)
    }

    /// Appends whole lines; they are safe when the journal was flushed.
    pub fn append(&mut self, lines: &[u8]) -> io::Result<()> {
        if lines.is_empty() {
            return Ok(());
        }
        self.frame.clear();
        journal::frame(lines, &mut self.frame);
        (&*self.journal).write_all(&self.frame)?;
        self.length += self.frame.len() as u64;
        Ok(())
    }

    /// How many bytes the journal has.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The journal, to be flushed.
    pub(crate) fn journal(&self) -> Arc<File> {
        Arc::clone(&self.journal)
    }

    /// Notes that nothing more is taken, why if nobody said so, and how many events of each process there were.
    pub fn close(&self, have: &BTreeMap<String, u32>, why: &str) -> io::Result<()> {
        self.journal.sync_all()?;
        let counts = serde_json::to_string(have)?;
        let over = format!("{counts}\n{why}\n{}\n", self.length);
        write_safely(&self.folder.join(OVER), over.as_bytes())?;
        sync_folder(&self.folder)
    }
}

/// A journal without events.
fn new_journal(folder: &Path) -> io::Result<File> {
    let mut options = options();
    let options = options.create_new(true).read(true).append(true);
    let mut file = options.open(folder.join(EVENTS))?;
    file.write_all(&MAGIC)?;
    file.sync_all()?;
    sync_folder(folder)?;
    Ok(file)
}

/// Cuts off what stands behind the whole frames of a journal, and keeps it beside.
fn cut(folder: &Path, journal: &mut File, whole: u64) -> io::Result<Lost> {
    let mut end = Vec::new();
    journal.seek(SeekFrom::Start(whole))?;
    journal.read_to_end(&mut end)?;
    let kept = folder.join(CUT);
    let mut beside = options().create(true).append(true).open(&kept)?;
    beside.write_all(&end)?;
    beside.sync_all()?;
    journal.set_len(whole)?;
    if whole == 0 {
        journal.write_all(&MAGIC)?;
    }
    journal.sync_all()?;
    sync_folder(folder)?;
    let what = match whole {
        0 => "the journal of the run was empty; it begins again without events".to_owned(),
        _ => format!(
            "the last {} bytes of the journal are no whole frame and were cut off; the run goes on with what stands before",
            end.len()
        ),
    };
    Ok(Lost { what, kept })
}

/// Whether the journal of a folder holds more than its beginning.
pub(crate) fn holds_events(folder: &Path) -> bool {
    let file = folder.join(EVENTS).metadata();
    file.is_ok_and(|file| file.is_file() && file.len() > MAGIC.len() as u64)
}

/// The journal of a run that takes nothing more, written anew without some of its lines.
///
/// The lines that are left out are safe before the journal is replaced, so nothing is ever lost.
pub(crate) struct Anew {
    folder: PathBuf,
    journal: io::BufWriter<File>,
    left_out: Vec<u8>,
    frame: Vec<u8>,
}

impl Anew {
    pub(crate) fn begin(folder: &Path) -> io::Result<Anew> {
        let mut journal = io::BufWriter::new(create(&folder.join(ANEW))?);
        journal.write_all(&MAGIC)?;
        Ok(Anew {
            folder: folder.to_owned(),
            journal,
            left_out: Vec::new(),
            frame: Vec::new(),
        })
    }

    /// Keeps whole lines.
    pub(crate) fn keep(&mut self, lines: &[u8]) -> io::Result<()> {
        self.frame.clear();
        journal::frame(lines, &mut self.frame);
        self.journal.write_all(&self.frame)
    }

    /// Leaves whole lines out.
    pub(crate) fn leave_out(&mut self, lines: &[u8]) {
        self.left_out.extend_from_slice(lines);
    }

    /// Replaces the journal.
    pub(crate) fn finish(self) -> io::Result<()> {
        write_safely(&self.folder.join(LEFT_OUT), &self.left_out)?;
        let journal = self.journal.into_inner().map_err(io::Error::from)?;
        journal.sync_all()?;
        sync_folder(&self.folder)?;
        fs::rename(self.folder.join(ANEW), self.folder.join(EVENTS))?;
        sync_folder(&self.folder)
    }
}

/// The journal of the run of a folder, to be read from its beginning.
pub(crate) fn journal_of(folder: &Path) -> io::Result<File> {
    File::open(journal_path(folder))
}

/// Where the journal of the run of a folder is.
pub(crate) fn journal_path(folder: &Path) -> PathBuf {
    folder.join(EVENTS)
}

/// Keeps the journal of the run of a folder beside, since it cannot be read; where it is then.
pub(crate) fn set_aside(folder: &Path) -> io::Result<PathBuf> {
    let aside = folder.join(DAMAGED);
    fs::rename(folder.join(EVENTS), &aside)?;
    sync_folder(folder)?;
    Ok(aside)
}

/// The journal of the run of a folder that was set aside, if it was.
pub(crate) fn set_aside_in(folder: &Path) -> Option<PathBuf> {
    let aside = folder.join(DAMAGED);
    aside.is_file().then_some(aside)
}

/// Holds the length of the journal of a run that is over against the one it had then: a difference is an error of kind
/// `InvalidData`.
pub(crate) fn check_length(folder: &Path) -> io::Result<()> {
    let noted = |name: &str| -> Option<u64> {
        let text = fs::read_to_string(folder.join(name)).ok()?;
        text.lines().last()?.parse().ok()
    };
    // Between the two it may have been written anew, without some lines.
    let was_left_out = || folder.join(LEFT_OUT).exists();
    let noted = noted(LAST).or_else(|| noted(OVER).filter(|_| !was_left_out()));
    let Some(noted) = noted else {
        return Ok(());
    };
    let length = match journal_of(folder) {
        Ok(journal) => journal.metadata()?.len(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(invalid("the journal of the run is missing".to_owned()));
        }
        Err(error) => return Err(error),
    };
    match length == noted {
        true => Ok(()),
        false => Err(invalid(format!(
            "the journal of the run has {length} bytes, of {noted} when it was over"
        ))),
    }
}

/// Holds the whole journal of a run that is over against what was noted of it then: its length, its checksums, and how
/// many events it had. What differs is an error of kind `InvalidData`; a run that goes on is not looked at.
pub fn check(folder: &Path) -> io::Result<()> {
    check_length(folder)?;
    if !is_over(folder) {
        return Ok(());
    }
    let (mut frames, length) = frames_of(folder)?;
    let (mut lines, mut ends) = (0, 0);
    while let Some(frame) = frames.next_frame()? {
        for line in frame.split_inclusive(|&byte| byte == b'\n') {
            lines += 1;
            ends += u64::from(is_end(line));
        }
    }
    if frames.whole() < length {
        let whole = frames.whole();
        return Err(invalid(format!(
            "the journal of the run is damaged after byte {whole}, and was whole when it was over"
        )));
    }
    // The first line is the header.
    let events = u64::saturating_sub(lines, 1 + ends);
    let had: u64 = had(folder).values().map(|&count| u64::from(count)).sum();
    match events == had || folder.join(LEFT_OUT).exists() {
        true => Ok(()),
        false => Err(invalid(format!(
            "the journal of the run has {events} events, of {had} when it was over"
        ))),
    }
}

/// How many bytes at the end of the journal of a run that goes on are no whole frame, and are not there for a reader.
pub fn unfinished(folder: &Path) -> io::Result<u64> {
    if is_over(folder) {
        return Ok(0);
    }
    let (mut frames, length) = frames_of(folder)?;
    while frames.next_frame()?.is_some() {}
    Ok(length.saturating_sub(frames.whole()))
}

/// The frames of the journal of a folder, and how many bytes it has.
fn frames_of(folder: &Path) -> io::Result<(Frames<io::BufReader<File>>, u64)> {
    let mut journal = io::BufReader::new(journal_of(folder)?);
    let length = journal.get_ref().metadata()?.len();
    journal.read_exact(&mut [0; MAGIC.len()])?;
    Ok((Frames::new(journal), length))
}

fn invalid(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

/// Whether a line says that a process has ended.
pub(crate) fn is_end(line: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct End {
        end: Option<bool>,
    }
    memchr::memmem::find(line, b"\"end\"").is_some()
        && serde_json::from_slice(line).is_ok_and(|End { end }| end.is_some())
}

/// Notes that the last word on the run of a folder was told.
pub(crate) fn note_last_word(folder: &Path) -> io::Result<()> {
    let length = journal_of(folder)?.metadata()?.len();
    write_safely(&folder.join(LAST), format!("told\n{length}\n").as_bytes())?;
    sync_folder(folder)
}

/// Whether the last word on the run of a folder was told.
pub(crate) fn has_last_word(folder: &Path) -> bool {
    folder.join(LAST).exists()
}

/// The properties of the run of a folder of which something was told.
pub(crate) fn told_of(folder: &Path) -> BTreeSet<String> {
    let lines = told(folder).unwrap_or_default();
    lines.lines().filter_map(property_of).collect()
}

/// The property that a line of what was told is about.
fn property_of(line: &str) -> Option<String> {
    let told: serde_json::Value = serde_json::from_str(line).ok()?;
    told["property"].as_str().map(str::to_owned)
}

/// Writes down what is told of the run of a folder.
pub(crate) fn write_down(folder: &Path, line: &str) -> io::Result<()> {
    let mut file = options()
        .create(true)
        .append(true)
        .open(folder.join(VERDICTS))?;
    file.write_all(line.as_bytes())?;
    file.sync_data()
}

/// What was told of the run of a folder; `None` where there is none.
pub(crate) fn told(folder: &Path) -> Option<String> {
    let is_run = folder.join(NAME).is_file() || holds_events(folder);
    is_run.then(|| fs::read_to_string(folder.join(VERDICTS)).unwrap_or_default())
}

/// Whether nothing more is taken for the run of a folder.
pub(crate) fn is_over(folder: &Path) -> bool {
    folder.join(OVER).exists()
}

/// Why the run of a folder is over, if neither its clients nor its processes have said so.
pub(crate) fn why_over(folder: &Path) -> String {
    let over = fs::read_to_string(folder.join(OVER)).unwrap_or_default();
    let lines: Vec<&str> = over.lines().collect();
    match lines[..] {
        [_, why, _] => why.to_owned(),
        _ => String::new(),
    }
}

/// How many events of each process the run of a folder had when nothing more was taken for it.
pub(crate) fn had(folder: &Path) -> BTreeMap<String, u32> {
    let over = fs::read_to_string(folder.join(OVER)).unwrap_or_default();
    let counts = over.lines().next().unwrap_or_default();
    serde_json::from_str(counts).unwrap_or_default()
}

/// The folder of a run, whatever it is called.
pub fn folder_of(data: &Path, run: &str) -> PathBuf {
    let digest = Sha256::digest(run.as_bytes());
    let hex: String = digest
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    data.join(format!("run-{hex}"))
}

/// Makes a file, or an empty one of what was there.
fn create(path: &Path) -> io::Result<File> {
    options().write(true).create(true).truncate(true).open(path)
}

/// Writes a file that is there as a whole or not at all.
fn write_safely(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let unfinished = path.with_extension("unfinished");
    let mut file = create(&unfinished)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(unfinished, path)
}

/// Makes sure that the names in a folder are on the disk.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}
