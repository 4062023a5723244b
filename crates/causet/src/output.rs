//! Standard output and files: whole or not at all, and a closed pipe is nobody's mistake.

use std::fs::Permissions;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use causet_wire::report::Palette;

use crate::failure::Failure;

/// Writes bytes to standard output.
pub(crate) fn to_stdout(bytes: &[u8]) -> Result<(), Failure> {
    stream_to_stdout(|out| out.write_all(bytes))
}

/// Writes to standard output piece by piece.
pub(crate) fn stream_to_stdout(
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let written = write(&mut out).and_then(|()| out.flush());
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::io("standard output cannot be written", &error))
        }
        _ => Ok(()),
    }
}

/// The styles for standard output.
pub(crate) fn palette() -> Palette {
    match anstream::AutoStream::choice(&io::stdout()) {
        anstream::ColorChoice::Never => Palette::plain(),
        _ => Palette::coloured(),
    }
}

/// Writes a file by writing another beside it and renaming that, so that no reader ever sees half of it.
pub(crate) fn to_file(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    replace(path, write)
        .map_err(|error| Failure::io(format!("{} cannot be written", path.display()), &error))
}

fn replace(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    // A pipe or a device such as /dev/stdout cannot be replaced, only written.
    if path.exists() && !path.is_file() {
        let mut out = io::BufWriter::new(std::fs::OpenOptions::new().write(true).open(path)?);
        write(&mut out)?;
        return out.flush();
    }
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let mut file = tempfile::Builder::new()
        .prefix(".causet-")
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(folder)?;
    let mut out = io::BufWriter::new(&mut file);
    write(&mut out)?;
    out.flush()?;
    drop(out);
    file.persist(path)?;
    Ok(())
}
