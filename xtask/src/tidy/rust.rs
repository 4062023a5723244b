//! Rules about Rust source: how a file opens, what must not be left in it, how long a function is.

use super::Complaint;
use super::code::{blank, bracketed, line_of, words};
use super::tree::Tree;

/// A function of more lines than this is two functions.
const LONGEST_FUNCTION: usize = 100;
/// An opening of fewer words than this names the file again and says nothing about it.
const FEWEST_WORDS: usize = 4;
/// The macros by which code says that it is not finished.
const UNFINISHED: &[&str] = &["todo", "unimplemented", "dbg"];

/// Complains of a source file that does not open with a sentence about itself.
pub(super) fn openings(tree: &Tree) -> Vec<Complaint> {
    sources(tree)
        .filter_map(|(path, text)| Some(Complaint::new(path, 1, wrong_opening(text)?)))
        .collect()
}

/// What is wrong with the first paragraph of the module's documentation.
fn wrong_opening(text: &str) -> Option<String> {
    let paragraph: Vec<&str> = text
        .lines()
        .map_while(|line| line.strip_prefix("//!"))
        .map(str::trim)
        .take_while(|line| !line.is_empty())
        .collect();
    let paragraph = paragraph.join(" ");
    let words = paragraph.split_whitespace().count();
    if words == 0 {
        Some("does not open with `//!`: say in a sentence what the file is for".to_owned())
    } else if words < FEWEST_WORDS {
        Some(format!(
            "opens with {words} words: say in a sentence what the file is for"
        ))
    } else if !paragraph.ends_with('.') {
        Some("its first paragraph has no full stop at the end: make it a sentence".to_owned())
    } else {
        None
    }
}

/// Complains of `pub use path::*`, behind which a reader cannot find a name.
pub(super) fn globs(tree: &Tree) -> Vec<Complaint> {
    let reexports = |code: &str| -> Vec<usize> {
        words(code, "use")
            .filter(|&at| is_public(&code[..at]))
            .filter(|&at| {
                code[at..]
                    .split(';')
                    .next()
                    .is_some_and(|use_| use_.contains('*'))
            })
            .collect()
    };
    complain(tree, reexports, "re-exports by a glob: list the names")
}

/// Whether the text ends in `pub` or `pub(...)`.
fn is_public(before: &str) -> bool {
    let before = before.trim_end();
    let before = match before.strip_suffix(')') {
        Some(inside) => inside
            .rsplit_once('(')
            .map_or("", |(head, _)| head.trim_end()),
        None => before,
    };
    words(before, "pub").any(|at| at + "pub".len() == before.len())
}

/// Complains of a lint silenced without a word why.
pub(super) fn allows(tree: &Tree) -> Vec<Complaint> {
    let unexplained = |code: &str| -> Vec<usize> {
        let attributes = code.match_indices("#[").chain(code.match_indices("#!["));
        attributes
            .map(|(at, _)| at)
            .filter(|&at| {
                let attribute = bracketed(code, at, '[', ']').unwrap_or_default();
                words(attribute, "allow").next().is_some() && !attribute.contains("reason =")
            })
            .collect()
    };
    complain(
        tree,
        unexplained,
        "silences a lint without saying why: add `reason = \"...\"`, or mend the cause",
    )
}

/// Complains of macros that stand for code still to be written.
pub(super) fn unfinished(tree: &Tree) -> Vec<Complaint> {
    let calls = |code: &str| -> Vec<usize> {
        UNFINISHED
            .iter()
            .flat_map(|name| words(code, name).map(|at| (at, at + name.len())))
            .filter(|&(_, end)| code[end..].starts_with('!'))
            .map(|(at, _)| at)
            .collect()
    };
    complain(tree, calls, "is not finished: write it or leave it out")
}

/// Applies a finder of offending positions to every source file, comments and literals blanked.
fn complain(tree: &Tree, find: impl Fn(&str) -> Vec<usize>, what: &str) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for (path, text) in sources(tree) {
        let code = blank(text);
        for at in find(&code) {
            complaints.push(Complaint::new(path, line_of(&code, at), what));
        }
    }
    complaints
}

/// The project's own source files, tests included; samples elsewhere may be as bad as they like.
fn sources(tree: &Tree) -> impl Iterator<Item = (&str, &str)> {
    let folders = ["crates/", "xtask/", "fuzz/"];
    tree.texts(&["rs"])
        .filter(move |(path, _)| folders.iter().any(|folder| path.starts_with(folder)))
}

/// Complains of functions too long to be read at once; tables of test cases are left in peace.
pub(super) fn long_functions(tree: &Tree) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    let read = |path: &str| path.contains("/src/") && !path.ends_with("tests.rs");
    for (path, text) in sources(tree).filter(|(path, _)| read(path)) {
        let code = blank(text);
        for function in functions(&code) {
            if function.lines > LONGEST_FUNCTION {
                let Function { name, line, lines } = function;
                let what = format!(
                    "`{name}` has {lines} lines, more than {LONGEST_FUNCTION}: name its parts and split it"
                );
                complaints.push(Complaint::new(path, line, what));
            }
        }
    }
    complaints
}

struct Function<'a> {
    name: &'a str,
    line: usize,
    lines: usize,
}

/// The functions with a body, nested ones too; a type such as `fn(u8)` has no name and is none.
fn functions(code: &str) -> Vec<Function<'_>> {
    words(code, "fn")
        .filter_map(|at| {
            let name = code[at + 2..].trim_start();
            let end = name.find(|c: char| !c.is_alphanumeric() && c != '_')?;
            let start = body_start(code, at)?;
            let last = start + bracketed(code, start, '{', '}')?.len();
            (end > 0).then(|| Function {
                name: &name[..end],
                line: line_of(code, at),
                lines: code[at..last].matches('\n').count() + 1,
            })
        })
        .collect()
}

/// Where the body of the function at `at` opens; `None` if a semicolon ends its signature.
fn body_start(code: &str, at: usize) -> Option<usize> {
    let mut depth = 0_i32;
    for (offset, c) in code[at..].char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            '{' if depth == 0 => return Some(at + offset),
            ';' if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines a check complains of when shown one source file.
    fn lines(check: fn(&Tree) -> Vec<Complaint>, text: &str) -> Vec<usize> {
        let tree = Tree::of(&[("crates/x/src/lib.rs", text)]);
        check(&tree)
            .iter()
            .map(|complaint| complaint.line)
            .collect()
    }

    #[test]
    fn a_file_opens_with_a_sentence() {
        for good in [
            "//! What this file is for.\n",
            "//! A sentence that goes\n//! over two lines.\n//!\n//! And more\n",
        ] {
            assert_eq!(wrong_opening(good), None, "{good}");
        }
        for (bad, why) in [
            ("", "does not open"),
            (
                "fn main() {}\n//! What this file is for.\n",
                "does not open",
            ),
            ("//!\n//! What this file is for.\n", "does not open"),
            ("//! Small types.\n", "opens with 2 words"),
            ("//! What this file is for\n", "no full stop"),
        ] {
            assert!(wrong_opening(bad).unwrap().contains(why), "{bad}");
        }
    }

    #[test]
    fn openings_are_asked_of_tests_and_fuzz_targets_but_not_of_samples() {
        let bad = Tree::of(&[
            ("crates/x/tests/all.rs", ""),
            ("fuzz/fuzz_targets/trace.rs", ""),
            ("xtask/src/main.rs", ""),
            ("testdata/sample.rs", ""),
        ]);
        assert_eq!(openings(&bad).len(), 3);
    }

    #[test]
    fn glob_reexports_are_found() {
        assert_eq!(lines(globs, "mod a;\npub use a::*;\n"), [2]);
        assert_eq!(lines(globs, "pub use a::{\n    b::*,\n    c,\n};\n"), [1]);
        assert_eq!(lines(globs, "pub(crate) use a::*;\n"), [1]);
        assert_eq!(
            lines(globs, "pub use a::b;\nuse super::*;\n// pub use a::*;\n"),
            [0; 0]
        );
    }

    #[test]
    fn silent_allows_are_found() {
        assert_eq!(lines(allows, "\n#[allow(dead_code)]\nfn f() {}\n"), [2]);
        assert_eq!(lines(allows, "#![allow(\n    dead_code,\n)]\n"), [1]);
        assert_eq!(lines(allows, "#[cfg_attr(test, allow(dead_code))]\n"), [1]);
        assert_eq!(
            lines(allows, "#[allow(dead_code, reason = \"drawn\")]\n"),
            [0; 0]
        );
        assert_eq!(lines(allows, "fn allow() {}\n#[derive(Debug)]\n"), [0; 0]);
    }

    #[test]
    fn unfinished_code_is_found() {
        assert_eq!(lines(unfinished, "fn f() {\n    todo!()\n}\n"), [2]);
        assert_eq!(lines(unfinished, "fn f() { unimplemented!(\"x\") }\n"), [1]);
        assert_eq!(lines(unfinished, "fn f() { std::dbg!(1); }\n"), [1]);
        assert_eq!(
            lines(unfinished, "/// todo!()\nfn todo() { \"dbg!(\"; }\n"),
            [0; 0]
        );
    }

    fn function_of(lines: usize) -> String {
        let body = "    step();\n".repeat(lines - 2);
        format!("//! One long function.\n\nfn long(a: [u8; 2]) {{\n{body}}}\n")
    }

    #[test]
    fn long_functions_are_found() {
        assert_eq!(lines(long_functions, &function_of(100)), [0; 0]);
        assert_eq!(lines(long_functions, &function_of(101)), [3]);
        let tables = Tree::of(&[("crates/x/src/tests.rs", &function_of(200))]);
        assert_eq!(long_functions(&tables), []);
    }

    #[test]
    fn functions_end_where_their_brace_closes() {
        let code = "trait T { fn a(x: [u8; 2]); fn b(f: fn(u8)) {\n} }\nfn c() { fn d() {} }\n";
        let found: Vec<(&str, usize, usize)> = functions(code)
            .iter()
            .map(|function| (function.name, function.line, function.lines))
            .collect();
        assert_eq!(found, [("b", 1, 2), ("c", 3, 1), ("d", 3, 1)]);
    }
}
