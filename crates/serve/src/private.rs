//! Files and folders that only their owner can read.

use std::fs::{self, DirBuilder, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// Makes a folder and those above it, as far as they are missing.
pub(crate) fn create_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Closes a folder to others that was made when it was open to them.
pub(crate) fn close_folder(path: &Path) {
    if is_open_to_others(path).unwrap_or(false) {
        // What belongs to another is not ours to close.
        let _ = fs::set_permissions(path, Permissions::from_mode(0o700));
    }
}

/// How a file is made and opened.
pub(crate) fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.mode(0o600);
    options
}

/// Whether anyone but its owner may do anything with a file or a folder.
pub fn is_open_to_others(path: &Path) -> io::Result<bool> {
    Ok(fs::metadata(path)?.permissions().mode() & 0o077 != 0)
}
