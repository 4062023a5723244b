//! A file that grows: its lines as they are finished, from its start again when it was cut short or replaced.
//!
//! ```text
//! {"p":"a","set":{"x":1}}\n{"p":"a","se          what is read next time begins here
//! ------------------------ ^-----------
//!        read before       |  waits for its rest
//!                          +-- the bytes before this are looked at again whenever something changed
//! ```
//!
//! A line is whole when its end is there, or when it is a whole object: a part of an object never is one. A file is
//! another one when the system says so, when it is shorter than what was read of it, or when the bytes before that place
//! are not those that were read.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::time::SystemTime;

use memchr::{memchr_iter, memrchr};

/// So many bytes before the place reached are remembered.
const REMEMBERED: usize = 64;
/// So much is read at a time, if lines are not longer.
const STEP: usize = 256 << 10;

/// A file that grows.
#[derive(Debug)]
pub(super) struct Growing {
    path: PathBuf,
    /// The longest line.
    longest: usize,
    reached: Option<Reached>,
}

/// How far a file was read.
#[derive(Debug)]
struct Reached {
    identity: Identity,
    /// How long it was, and when it had been changed, at the last look.
    looked: (u64, Option<SystemTime>),
    /// How many bytes and line ends were read.
    offset: u64,
    lines: u32,
    /// The last bytes that were read.
    last: Vec<u8>,
}

/// What tells a file from another that has its name.
type Identity = (u64, u64);

/// What a look at a file shows.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Look {
    /// Nothing new.
    Nothing,
    /// It was cut short or replaced; the next look begins at its start.
    Again,
    /// Some lines.
    Lines(Block),
    /// The line with this number is too long.
    TooLong(u32),
}

/// Lines that belong together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Block {
    /// Whole lines.
    pub(super) bytes: Vec<u8>,
    /// The number of the first, from 1.
    pub(super) first: u32,
}

impl Growing {
    pub(super) fn new(path: PathBuf, longest: usize) -> Self {
        Growing {
            path,
            longest,
            reached: None,
        }
    }

    /// Looks for new lines. A file that is not there shows nothing.
    pub(super) fn look(&mut self) -> io::Result<Look> {
        let mut file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Look::Nothing),
            Err(error) => return Err(error),
        };
        let metadata = file.metadata()?;
        let now = (metadata.len(), metadata.modified().ok());
        let reached = self.reached.get_or_insert_with(|| Reached {
            identity: identity(&metadata),
            looked: (0, None),
            offset: 0,
            lines: 0,
            last: Vec::new(),
        });
        let is_same = reached.identity == identity(&metadata);
        if is_same && reached.looked == now {
            return Ok(Look::Nothing);
        }
        if !is_same || now.0 < reached.offset || !reached.is_before(&mut file)? {
            self.reached = None;
            return Ok(Look::Again);
        }
        let look = reached.read(&mut file, self.longest)?;
        // As long as there is more, the next look goes on even if nothing changes.
        if look == Look::Nothing {
            reached.looked = now;
        }
        Ok(look)
    }
}

impl Reached {
    /// Whether the bytes before the place are those that were read.
    fn is_before(&self, file: &mut File) -> io::Result<bool> {
        let mut bytes = vec![0; self.last.len()];
        file.seek(SeekFrom::Start(self.offset - self.last.len() as u64))?;
        match file.read_exact(&mut bytes) {
            Ok(()) => Ok(bytes == self.last),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Reads whole lines; the file stands where they begin.
    fn read(&mut self, file: &mut File, longest: usize) -> io::Result<Look> {
        let mut bytes = Vec::new();
        file.take(STEP as u64).read_to_end(&mut bytes)?;
        if memrchr(b'\n', &bytes).is_none() && bytes.len() == STEP {
            let more = (longest + 1).saturating_sub(STEP) as u64;
            file.take(more).read_to_end(&mut bytes)?;
        }
        let first = self.lines + 1;
        let whole = match memrchr(b'\n', &bytes) {
            Some(end) => end + 1,
            None if bytes.len() > longest => return Ok(Look::TooLong(first)),
            None if is_object(&bytes) => bytes.len(),
            None => return Ok(Look::Nothing),
        };
        bytes.truncate(whole);
        self.offset += whole as u64;
        self.lines += memchr_iter(b'\n', &bytes).count() as u32;
        self.last.extend_from_slice(&bytes);
        let old = self.last.len().saturating_sub(REMEMBERED);
        self.last.drain(..old);
        Ok(Look::Lines(Block { bytes, first }))
    }
}

fn is_object(bytes: &[u8]) -> bool {
    let object: Result<serde::de::IgnoredAny, _> = serde_json::from_slice(bytes);
    bytes.trim_ascii_end().ends_with(b"}") && object.is_ok()
}

#[cfg(unix)]
fn identity(metadata: &std::fs::Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

#[cfg(not(unix))]
fn identity(_: &std::fs::Metadata) -> Identity {
    (0, 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::path::Path;

    /// A file in a folder of its own, and who follows it.
    fn file() -> (tempfile::TempDir, PathBuf, Growing) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.jsonl");
        let growing = Growing::new(path.clone(), 300_000);
        (folder, path, growing)
    }

    fn append(path: &Path, text: &str) {
        let mut options = std::fs::OpenOptions::new();
        let file = options.create(true).append(true).open(path);
        let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
        written.expect("it can be written");
    }

    fn look(growing: &mut Growing) -> Look {
        growing.look().expect("it can be read")
    }

    fn lines(text: &str, first: u32) -> Look {
        let bytes = text.as_bytes().to_vec();
        Look::Lines(Block { bytes, first })
    }

    #[test]
    fn lines_are_read_when_they_are_finished() {
        let (_folder, path, mut growing) = file();
        assert_eq!(look(&mut growing), Look::Nothing, "it is not there yet");
        append(&path, "{\"p\":1}\n{\"p\":");
        assert_eq!(look(&mut growing), lines("{\"p\":1}\n", 1));
        assert_eq!(look(&mut growing), Look::Nothing, "half a line");
        append(&path, "2}");
        assert_eq!(
            look(&mut growing),
            lines("{\"p\":2}", 2),
            "a whole object needs no line end"
        );
        append(&path, "\n{\"p\":3}\n");
        assert_eq!(look(&mut growing), lines("\n{\"p\":3}\n", 2));
        append(&path, "{\"p\":4}\n");
        assert_eq!(look(&mut growing), lines("{\"p\":4}\n", 4));
        assert_eq!(look(&mut growing), Look::Nothing);
    }

    #[test]
    fn a_file_that_is_another_one_is_read_again() {
        let (folder, path, mut growing) = file();
        append(&path, "1\n2\n3\n");
        assert_eq!(look(&mut growing), lines("1\n2\n3\n", 1));
        std::fs::write(&path, "1\n").expect("cut short");
        assert_eq!(look(&mut growing), Look::Again);
        assert_eq!(look(&mut growing), lines("1\n", 1));
        std::fs::write(&path, "9\n2\n").expect("written anew, and longer");
        assert_eq!(look(&mut growing), Look::Again);
        assert_eq!(look(&mut growing), lines("9\n2\n", 1));
        let other = folder.path().join("other");
        append(&other, "9\n2\n3\n");
        std::fs::rename(&other, &path).expect("replaced");
        assert_eq!(look(&mut growing), Look::Again);
        assert_eq!(look(&mut growing), lines("9\n2\n3\n", 1));
        std::fs::remove_file(&path).expect("removed");
        assert_eq!(look(&mut growing), Look::Nothing);
    }

    #[test]
    fn lines_may_be_long_but_not_too_long() {
        let (_folder, path, mut growing) = file();
        let long = "x".repeat(STEP + 10) + "\n";
        append(&path, &("1\n".to_owned() + &long));
        assert_eq!(look(&mut growing), lines("1\n", 1));
        assert_eq!(look(&mut growing), lines(&long, 2));
        append(&path, &"x".repeat(300_001));
        assert_eq!(look(&mut growing), Look::TooLong(3));
    }
}
