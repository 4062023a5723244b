//! Where runs are kept: a folder each, with the journal of its events, its name, and what was told of it.
//!
//! ```text
//! data/run-5f0c.../events.journal   the lines that were taken, in frames
//!                  name.txt         what the run is called
//!                  verdicts.txt     what was told, a line each
//!                  over.txt         there when nothing more is taken
//! ```
//!
//! The name of a run comes from outside, so its folder is called after a digest of it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use causet_wire::journal::{self, Frames, MAGIC};
use sha2::{Digest, Sha256};

const EVENTS: &str = "events.journal";
const NAME: &str = "name.txt";
const VERDICTS: &str = "verdicts.txt";
const OVER: &str = "over.txt";

/// The files of one run.
#[derive(Debug)]
pub struct Keeping {
    folder: PathBuf,
    journal: Arc<File>,
    frame: Vec<u8>,
}

impl Keeping {
    /// Makes the folder of a new run.
    pub fn create(data: &Path, run: &str) -> io::Result<Keeping> {
        let folder = folder_of(data, run);
        fs::create_dir_all(&folder)?;
        write_safely(&folder.join(NAME), run.as_bytes())?;
        let mut file = OpenOptions::new()
            .create_new(true)
            .append(true)
            .open(folder.join(EVENTS))?;
        file.write_all(&MAGIC)?;
        file.sync_all()?;
        sync_folder(&folder)?;
        sync_folder(data)?;
        Ok(Keeping {
            folder,
            journal: Arc::new(file),
            frame: Vec::new(),
        })
    }

    /// Opens the folder of a run that was kept, and gives its lines to `take`, frame by frame. What was being written when
    /// the writer was killed is removed.
    pub fn open(folder: &Path, mut take: impl FnMut(&[u8])) -> io::Result<Keeping> {
        let path = folder.join(EVENTS);
        let mut file = OpenOptions::new().read(true).append(true).open(&path)?;
        let mut magic = [0; MAGIC.len()];
        let length = file.metadata()?.len();
        let whole = if length < MAGIC.len() as u64 {
            file.set_len(0)?;
            file.write_all(&MAGIC)?;
            MAGIC.len() as u64
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
        file.set_len(whole)?;
        file.sync_all()?;
        Ok(Keeping {
            folder: folder.to_owned(),
            journal: Arc::new(file),
            frame: Vec::new(),
        })
    }

    /// The folders of all runs that are kept.
    pub fn all(data: &Path) -> io::Result<Vec<PathBuf>> {
        let mut folders = Vec::new();
        for entry in fs::read_dir(data)? {
            let path = entry?.path();
            if path.join(EVENTS).is_file() && path.join(NAME).is_file() {
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
        (&*self.journal).write_all(&self.frame)
    }

    /// The journal, to be flushed.
    pub(crate) fn journal(&self) -> Arc<File> {
        Arc::clone(&self.journal)
    }

    /// What was told of the run before.
    pub fn told(&self) -> String {
        fs::read_to_string(self.folder.join(VERDICTS)).unwrap_or_default()
    }

    /// Notes that nothing more is taken.
    pub fn close(&self) -> io::Result<()> {
        self.journal.sync_all()?;
        write_safely(&self.folder.join(OVER), b"over\n")?;
        sync_folder(&self.folder)
    }
}

/// Writes down what is told of the run of a folder.
pub(crate) fn write_down(folder: &Path, line: &str) -> io::Result<()> {
    let mut file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(folder.join(VERDICTS))?;
    file.write_all(line.as_bytes())?;
    file.sync_data()
}

/// The journal of the run of a folder, to be read from its beginning.
pub(crate) fn journal_of(folder: &Path) -> io::Result<File> {
    File::open(folder.join(EVENTS))
}

/// What was told of the run of a folder; `None` where there is none.
pub(crate) fn told(folder: &Path) -> Option<String> {
    let is_run = folder.join(NAME).is_file();
    is_run.then(|| fs::read_to_string(folder.join(VERDICTS)).unwrap_or_default())
}

/// Whether nothing more is taken for the run of a folder.
pub(crate) fn is_over(folder: &Path) -> bool {
    folder.join(OVER).exists()
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

fn write_safely(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Makes sure that the names in a folder are on the disk.
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}
