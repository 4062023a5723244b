//! Names of a run as identifiers and comments of languages that allow less.

/// Longer names say no more.
const LONGEST: usize = 32;

/// An identifier that no other kind or number has, with as much of the name as the language can spell.
pub(crate) fn identifier(kind: char, number: usize, name: &str) -> String {
    let spelled: String = name
        .chars()
        .take(LONGEST)
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    format!("{kind}{number}_{spelled}")
}

/// Text for a comment of one line: nothing in it ends the comment or the line.
pub(crate) fn comment(text: &str) -> String {
    let visible: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    visible.replace("*/", "* /").replace("/*", "/ *")
}

#[cfg(test)]
mod tests {
    use super::{comment, identifier};

    #[test]
    fn names_are_spelled_as_far_as_they_can_be() {
        assert_eq!(identifier('v', 2, "node-1.x"), "v2_node_1_x");
        assert_eq!(identifier('c', 0, "é"), "c0__");
    }

    #[test]
    fn a_comment_cannot_be_left() {
        assert_eq!(comment("a */ b\nc /* d"), "a * / b c / * d");
        assert!(!comment("/*/").contains("*/"));
    }
}
