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

/// The library that defines a macro.
pub fn of_macro(name: &str) -> Option<&'static str> {
    let defines = |text: &str| {
        let heads = text.lines().filter_map(|line| line.strip_prefix("macro "));
        heads.map(first_word).any(|known| known == name)
    };
    let found = BUNDLED.iter().find(|(_, text)| defines(text));
    found.map(|(name, _)| *name)
}

fn first_word(text: &str) -> &str {
    let end = text.find(|c: char| c != '_' && !c.is_alphanumeric());
    text.get(..end.unwrap_or(text.len())).unwrap_or(text)
}
