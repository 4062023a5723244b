//! Standard output and files: whole or not at all, and a closed pipe is nobody's mistake.

use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use causet_base::Code;
use causet_base::budget::Spent;
use causet_report::Palette;

use crate::failure::Failure;
use crate::input::NotRead;
use crate::limits::Limits;

/// Whether anything was written to standard output.
static WRITTEN: AtomicBool = AtomicBool::new(false);

/// Whether anything was written to standard output.
pub(crate) fn is_written() -> bool {
    WRITTEN.load(Ordering::Relaxed)
}

/// Writes bytes to standard output.
pub(crate) fn to_stdout(bytes: &[u8]) -> Result<(), Failure> {
    stream_to_stdout(|out| out.write_all(bytes))
}

/// Writes to standard output piece by piece.
pub(crate) fn stream_to_stdout(
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    WRITTEN.store(true, Ordering::Relaxed);
    let mut out = io::BufWriter::new(io::stdout().lock());
    let written = write(&mut out).and_then(|()| out.flush());
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::io(
            Code::NotWritable,
            "standard output cannot be written",
            &error,
        )),
        _ => Ok(()),
    }
}

/// Writes to a file, or without one to standard output, as far as the limits allow. Beyond them there is no file.
pub(crate) fn within(
    limits: &Limits,
    path: Option<&Path>,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), NotRead> {
    let mut reached = None;
    let limited = |out: &mut dyn Write| {
        let pieces = Pieces {
            out,
            limits,
            reached: &mut reached,
        };
        let mut out = io::BufWriter::with_capacity(PIECE_BYTES, pieces);
        write(&mut out)?;
        out.flush()
    };
    let written = match path {
        Some(path) => to_file(path, limited),
        None => stream_to_stdout(limited),
    };
    match reached {
        Some(spent) => Err(NotRead::Stopped(spent)),
        None => Ok(written?),
    }
}

/// How much is written between two looks at the limits.
const PIECE_BYTES: usize = 64 << 10;

/// A writer that looks at the limits before each piece.
struct Pieces<'a> {
    out: &'a mut dyn Write,
    limits: &'a Limits,
    /// The limit that ended the writing.
    reached: &'a mut Option<Spent>,
}

impl Write for Pieces<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        *self.reached = self.reached.or_else(|| self.limits.reached());
        match *self.reached {
            Some(spent) => Err(io::Error::other(spent.to_string())),
            None => self.out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The styles for standard output.
pub(crate) fn palette() -> Palette {
    let palette = match anstream::AutoStream::choice(&io::stdout()) {
        anstream::ColorChoice::Never => Palette::plain(),
        _ => Palette::coloured(),
    };
    let size = terminal_size::terminal_size_of(io::stdout());
    Palette {
        columns: size.map(|(width, _)| usize::from(width.0)),
        ..palette
    }
}

/// Writes a file by writing another beside it and renaming that, so that no reader ever sees half of it.
pub(crate) fn to_file(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    let buffered = |file| {
        let mut out = io::BufWriter::new(file);
        write(&mut out)?;
        out.flush()
    };
    replace(path, buffered).map_err(|error| {
        Failure::io(
            Code::NotWritable,
            format!("{} cannot be written", path.display()),
            &error,
        )
    })
}

/// The same for a writer that wants the file for itself.
pub(crate) fn replace(path: &Path, write: impl FnOnce(File) -> io::Result<()>) -> io::Result<()> {
    // A pipe or a device such as /dev/stdout cannot be replaced, only written, wherever it leads.
    let system = ["/dev", "/proc"].iter().any(|root| path.starts_with(root));
    if path.exists() && (system || !path.is_file()) {
        return write(std::fs::OpenOptions::new().write(true).open(path)?);
    }
    // What a link leads to is replaced, not the link.
    let path = &path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let file = tempfile::Builder::new()
        .prefix(".causet-")
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(folder)?;
    write(file.as_file().try_clone()?)?;
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::limits;

    #[test]
    fn a_limit_leaves_no_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("o.aut");
        let endless = |out: &mut dyn Write| loop {
            out.write_all(&[b' '; 1000])?;
        };
        let limits = limits::limits(Some(Duration::from_millis(50)), None);
        let written = within(&limits, Some(&path), endless);
        assert!(matches!(written, Err(NotRead::Stopped(Spent::Time))));
        let mut left = folder.path().read_dir().expect("a folder");
        assert!(left.next().is_none());
        let written = within(&limits::limits(None, None), Some(&path), |out| {
            out.write_all(b"des")
        });
        assert!(written.is_ok());
        assert_eq!(std::fs::read(&path).expect("a file"), b"des");
    }
}
