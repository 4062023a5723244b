//! The macro libraries that come with the program.

/// The libraries, by name, with their texts.
pub const BUNDLED: [(&str, &str); 4] = [
    ("standard.mcl", include_str!("library/standard.mcl")),
    ("actl.mcl", include_str!("library/actl.mcl")),
    ("ctl.mcl", include_str!("library/ctl.mcl")),
    ("patterns.mcl", include_str!("library/patterns.mcl")),
];

/// The text of a library.
pub fn text(name: &str) -> Option<&'static str> {
    let found = BUNDLED.iter().find(|(known, _)| *known == name);
    found.map(|(_, text)| *text)
}

/// The library that defines a macro, and whether the macro has parameters.
pub fn of_macro(name: &str) -> Option<(&'static str, bool)> {
    BUNDLED.iter().find_map(|(library, text)| {
        let mut heads = text.lines().filter_map(|line| line.strip_prefix("macro "));
        let head = heads.find(|head| first_word(head) == name)?;
        Some((*library, head[name.len()..].trim_start().starts_with('(')))
    })
}

fn first_word(text: &str) -> &str {
    let end = text.find(|c: char| c != '_' && !c.is_alphanumeric());
    text.get(..end.unwrap_or(text.len())).unwrap_or(text)
}
