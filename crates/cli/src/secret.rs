//! Files that hold secrets: what others could read is no secret, and is refused with the command that mends it.

use std::fs;
use std::path::Path;

use causet_base::Code;
use causet_serve::private::is_open_to_others;

use crate::failure::Failure;

/// The bytes of a file that only its owner can read.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let shown = path.display();
    let failed = |error| Failure::io(Code::NotReadable, format!("{shown} cannot be read"), &error);
    // What comes through a pipe has been read by no other.
    let is_file = fs::metadata(path).map_err(failed)?.is_file();
    if is_file && is_open_to_others(path).map_err(failed)? {
        return Err(Failure::helped(
            Code::NoSecret,
            format!("{shown} holds a secret, and not only its owner can read it"),
            format!("`chmod 600 {}` closes it to others", quoted(path)),
        ));
    }
    fs::read(path).map_err(failed)
}

/// A path as a word of a shell.
pub(crate) fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    let is_plain = |letter: char| letter.is_alphanumeric() || "/._-+".contains(letter);
    match text.chars().all(is_plain) && !text.starts_with('-') {
        true => text.into_owned(),
        false => format!("-- '{}'", text.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_one_word() {
        for (path, word) in [
            ("/a/b-c.txt", "/a/b-c.txt"),
            ("my token", "-- 'my token'"),
            ("it's", r"-- 'it'\''s'"),
            ("-rf", "-- '-rf'"),
        ] {
            assert_eq!(quoted(Path::new(path)), word);
        }
    }
}
