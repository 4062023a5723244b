//! Rules about the lines of any text file: no white space at their end, no tabs at their start.

use super::Complaint;
use super::tree::{Tree, extension};

/// The kinds of file people write by hand.
const TEXTS: &[&str] = &["md", "rs", "toml", "props", "jsonl"];
/// Among them, those that are indented.
const INDENTED: &[&str] = &["md", "rs", "toml"];
/// Found by a fuzzer, kept as found.
const FOUND: &str = "fuzz/corpus/";

/// Complains of white space that nobody sees and every comparison shows.
pub(super) fn white_space(tree: &Tree) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for (path, text) in tree
        .texts(TEXTS)
        .filter(|(path, _)| !path.starts_with(FOUND))
    {
        let indented = INDENTED.contains(&extension(path));
        // Not `lines`, which would hide a carriage return.
        for (index, line) in text.split('\n').enumerate() {
            if line.ends_with(char::is_whitespace) {
                let what = "ends in white space: remove it";
                complaints.push(Complaint::new(path, index + 1, what));
            }
            let indent = line.len() - line.trim_start().len();
            if indented && line[..indent].contains('\t') {
                let what = "is indented with a tab: use spaces";
                complaints.push(Complaint::new(path, index + 1, what));
            }
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stray_white_space_is_found() {
        let tree = Tree::of(&[
            ("a.md", "fine\nbreak  \n  \tlist\n"),
            ("a.rs", "fn a() {\n\tb();\n}\n"),
            ("a.jsonl", "\t{}\n{} \n"),
            ("a.props", "let a = 1\r\n"),
            ("a.txt", "free \n"),
            ("fuzz/corpus/a.jsonl", "{} \n"),
        ]);
        let found: Vec<(String, usize)> = white_space(&tree)
            .into_iter()
            .map(|complaint| (complaint.path, complaint.line))
            .collect();
        let expected = [
            ("a.jsonl", 2),
            ("a.md", 2),
            ("a.md", 3),
            ("a.props", 1),
            ("a.rs", 2),
        ];
        assert_eq!(found, expected.map(|(path, line)| (path.to_owned(), line)));
    }
}
