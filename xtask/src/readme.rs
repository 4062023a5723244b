//! The README kept true: its first command is run as it stands and its output compared with the page.
//!
//! What it prints does not depend on how well it was optimised, and that takes most of the time of its build. So it is
//! built here without, in a folder of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{fs, iter};

use crate::bench::target;
use crate::cargo;

/// What makes the build quick.
const QUICKLY: [(&str, &str); 4] = [
    ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0"),
    ("CARGO_PROFILE_RELEASE_LTO", "off"),
    ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16"),
    ("CARGO_PROFILE_RELEASE_DEBUG", "false"),
];
/// How the line that is run begins.
const COMMAND: &str = "cargo run --release -- check";
/// The line that tells a contributor how to test; the README must have it.
const TEST_LINE: &str = "cargo xtask test";
/// The README's first example finds a violation, so this is the exit status it must have.
const STATUS: i32 = 1;
const VERDICT: &str = "violated";

/// Runs the README's first command and checks its status, its verdict and the output shown.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let text = fs::read_to_string(root.join("README.md"))
        .map_err(|error| format!("README.md cannot be read ({error})"))?;
    let example = Example::find(&text)?;
    // Only standard output is compared: the compiler's progress goes to standard error.
    let output = Command::new("sh")
        .args(["-c", &example.command])
        .current_dir(root)
        .envs(QUICKLY)
        .env("CARGO_TARGET_DIR", folder(root))
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("`sh` could not be started ({error})"))?;
    let stdout = String::from_utf8_lossy(&output.stdout);
    example.judge(output.status.code(), &stdout)?;
    match &example.shown {
        Some(lines) => println!("readme: the output matches the {} lines shown", lines.len()),
        None => println!("readme: the status and verdict are right; no output is shown to compare"),
    }
    left_out(root)
}

/// Asks the default build, which nothing else tries, for something that it has not.
fn left_out(root: &Path) -> Result<(), String> {
    let picture = folder(root).join("left-out.png");
    let output = Command::new(folder(root).join("release/causet"))
        .args(["draw", "examples/leaders/run.jsonl", "-o"])
        .arg(picture)
        .current_dir(root)
        .output()
        .map_err(|error| format!("the program could not be started ({error})"))?;
    let words = String::from_utf8_lossy(&output.stderr);
    match output.status.code() == Some(2) && words.contains("--features full") {
        true => Ok(()),
        false => Err(format!(
            "a PNG from the default build should name the feature that is missing, but: {words}"
        )),
    }
}

/// Builds what the first command runs.
pub(crate) fn build(root: &Path) -> Command {
    let mut build = cargo();
    build
        .args(["build", "--release"])
        .envs(QUICKLY)
        .env("CARGO_TARGET_DIR", folder(root))
        .current_dir(root);
    build
}

/// Where it is built.
fn folder(root: &Path) -> PathBuf {
    target(root).join("readme")
}

/// The first command of the README and, when the page shows it, what it prints.
#[derive(Debug)]
struct Example {
    command: String,
    line: usize,
    shown: Option<Vec<String>>,
}

impl Example {
    fn find(readme: &str) -> Result<Self, String> {
        let lines: Vec<&str> = readme.lines().map(str::trim_end).collect();
        if !lines.contains(&TEST_LINE) {
            return Err(format!(
                "README.md has no line `{TEST_LINE}`, which a contributor looks for"
            ));
        }
        let at = lines
            .iter()
            .position(|line| line.starts_with(COMMAND))
            .ok_or_else(|| format!("README.md has no line that begins `{COMMAND}`"))?;
        Ok(Example {
            command: lines[at].to_owned(),
            line: at + 1,
            shown: shown_after(&lines, at),
        })
    }

    fn judge(&self, status: Option<i32>, stdout: &str) -> Result<(), String> {
        let place = format!("README.md:{}: `{}`", self.line, self.command);
        if status != Some(STATUS) {
            let status = status.map_or("a signal".to_owned(), |code| format!("status {code}"));
            return Err(format!(
                "{place} ended with {status} instead of {STATUS}, printing:\n{stdout}"
            ));
        }
        if !stdout.contains(VERDICT) {
            return Err(format!(
                "{place} did not print the word `{VERDICT}` but:\n{stdout}"
            ));
        }
        match &self.shown {
            Some(shown) => compare(shown, stdout)
                .map_err(|difference| format!("{place}: {difference}\nIt printed:\n{stdout}")),
            None => Ok(()),
        }
    }
}

/// The lines of the block that follows the command's own block, if that block is marked `text`.
fn shown_after(lines: &[&str], at: usize) -> Option<Vec<String>> {
    let is_fence = |line: &&str| line.starts_with("```");
    let fences_before = lines[..at].iter().filter(|line| is_fence(line)).count();
    let mut rest = lines[at + 1..].iter().copied();
    if fences_before % 2 == 1 {
        rest.find(is_fence)?;
    }
    let opening = rest.find(|line| is_fence(line) || line.starts_with('#'))?;
    (opening == "```text").then(|| {
        rest.take_while(|line| !is_fence(line))
            .map(str::to_owned)
            .collect()
    })
}

/// Compares line by line: `[..]` stands for anything within a line, a line `...` for any lines.
fn compare(shown: &[String], stdout: &str) -> Result<(), String> {
    let shown: Vec<&str> = shown.iter().map(|line| line.trim_end()).collect();
    let printed: Vec<&str> = stdout.trim_end().lines().map(str::trim_end).collect();
    // reached[j]: the lines of the page read so far can stand for the first j lines printed.
    let mut reached = vec![false; printed.len() + 1];
    reached[0] = true;
    for (index, pattern) in shown.iter().enumerate() {
        let next: Vec<bool> = if *pattern == "..." {
            let first = reached.iter().position(|&yes| yes);
            (0..=printed.len())
                .map(|j| first.is_some_and(|first| j >= first))
                .collect()
        } else {
            iter::once(false)
                .chain((0..printed.len()).map(|j| reached[j] && line_matches(pattern, printed[j])))
                .collect()
        };
        if !next.contains(&true) {
            let furthest = reached.iter().rposition(|&yes| yes).unwrap_or(0);
            let found = match index.checked_sub(1).map(|before| shown[before]) {
                Some("...") => "(no such line in the rest)",
                _ => printed.get(furthest).copied().unwrap_or("(the end)"),
            };
            return Err(format!(
                "line {} of the output shown is\n    {pattern}\nbut the command printed\n    {found}",
                index + 1
            ));
        }
        reached = next;
    }
    if reached[printed.len()] {
        return Ok(());
    }
    let furthest = reached.iter().rposition(|&yes| yes).unwrap_or(0);
    Err(format!(
        "the command printed more than is shown, from\n    {}",
        printed[furthest]
    ))
}

fn line_matches(pattern: &str, line: &str) -> bool {
    let Some((head, tail)) = pattern.split_once("[..]") else {
        return pattern == line;
    };
    line.strip_prefix(head).is_some_and(|rest| {
        rest.char_indices()
            .map(|(at, _)| at)
            .chain([rest.len()])
            .any(|at| line_matches(tail, &rest[at..]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "\
# Causet

```sh
cargo run --release -- check t.jsonl --ctl 'AG x = 0'
```

It prints:

```text
AG x = 0: violated in [..] s
...
p1  x = 1
```

```sh
cargo xtask test
```
";

    fn example() -> Example {
        Example::find(PAGE).unwrap()
    }

    #[test]
    fn the_command_and_its_output_are_found() {
        let example = example();
        assert_eq!(
            example.command,
            "cargo run --release -- check t.jsonl --ctl 'AG x = 0'"
        );
        assert_eq!(example.line, 4);
        assert_eq!(example.shown.unwrap().len(), 3);
    }

    #[test]
    fn a_page_without_the_two_lines_is_refused() {
        let no_command = Example::find("cargo xtask test\n").unwrap_err();
        assert!(no_command.contains("no line that begins"));
        let no_test = Example::find("cargo run --release -- check t\n").unwrap_err();
        assert!(no_test.contains("no line `cargo xtask test`"));
    }

    #[test]
    fn only_a_text_block_before_the_next_heading_is_output() {
        for other in [
            "```sh\ncargo run --release -- check t\n```\n\n```json\n{}\n```\ncargo xtask test\n",
            "```sh\ncargo run --release -- check t\n```\n## More\n```text\na\n```\ncargo xtask test\n",
            "```sh\ncargo run --release -- check t\n```\ncargo xtask test\n",
        ] {
            assert_eq!(Example::find(other).unwrap().shown, None, "{other}");
        }
        let bare = "cargo run --release -- check t\n```text\na\n```\ncargo xtask test\n";
        assert_eq!(Example::find(bare).unwrap().shown.unwrap(), ["a"]);
    }

    #[test]
    fn status_verdict_and_output_are_all_judged() {
        let good = "AG x = 0: violated in 0.1 s\nrun:\np1  x = 1\n";
        assert_eq!(example().judge(Some(1), good), Ok(()));
        let status = example().judge(Some(0), good).unwrap_err();
        assert!(status.contains("status 0 instead of 1"));
        let signal = example().judge(None, good).unwrap_err();
        assert!(signal.contains("a signal"));
        let verdict = example().judge(Some(1), "AG x = 0: holds\n").unwrap_err();
        assert!(verdict.contains("did not print the word"));
        let output = example()
            .judge(Some(1), &good.replace("x = 1", "x = 2"))
            .unwrap_err();
        assert!(output.contains("line 3"));
    }

    fn compared(shown: &str, printed: &str) -> Result<(), String> {
        let shown: Vec<String> = shown.lines().map(str::to_owned).collect();
        compare(&shown, printed)
    }

    #[test]
    fn dots_stand_for_any_number_of_lines() {
        assert_eq!(compared("a\n...\nb", "a\nb\n"), Ok(()));
        assert_eq!(compared("a\n...\nb", "a\nb\nb\nb\n"), Ok(()));
        assert_eq!(compared("...", ""), Ok(()));
        assert_eq!(compared("a\n...", "a\nb\nc\n"), Ok(()));
        assert!(compared("a\n...\nb", "a\nb\nc\n").is_err());
    }

    #[test]
    fn differences_are_named() {
        assert!(compared("a\nb", "a\nc\n").unwrap_err().contains("line 2"));
        assert!(compared("a\nb", "a\n").unwrap_err().contains("(the end)"));
        assert!(
            compared("...\nb", "a\n")
                .unwrap_err()
                .contains("no such line")
        );
        assert!(
            compared("a", "a\nb\n")
                .unwrap_err()
                .contains("more than is shown")
        );
    }

    #[test]
    fn brackets_stand_for_anything_within_a_line() {
        assert!(line_matches("[..]", ""));
        assert!(line_matches(
            "took [..] s, [..] cuts",
            "took 0.1 s, 12 cuts"
        ));
        assert!(line_matches("a[..]b", "a-b-b"));
        assert!(!line_matches("a[..]b", "a-c"));
        assert!(!line_matches("took [..] s", "spent 1 s"));
    }
}
