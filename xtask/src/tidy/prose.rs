//! Rules about the pages people read: links lead somewhere, and the book knows all its pages.

use super::Complaint;
use super::tree::{Tree, extension};

/// The pages at the root whose links are followed, besides those of the book.
const PAGES: &[&str] = &[
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
];
const BOOK: &str = "docs/book/";
const BOOK_SOURCE: &str = "docs/book/src/";
const SUMMARY: &str = "docs/book/src/SUMMARY.md";

/// Complains of a relative link to a file that does not exist.
pub(super) fn links(tree: &Tree) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    let pages = tree.texts(&["md"]);
    for (path, text) in pages.filter(|(path, _)| PAGES.contains(path) || path.starts_with(BOOK)) {
        for link in relative_links(text) {
            if !resolve(path, link.target).is_some_and(|target| tree.exists(&target)) {
                let what = format!(
                    "links to `{}`, which does not exist: mend the link",
                    link.target
                );
                complaints.push(Complaint::new(path, link.line, what));
            }
        }
    }
    complaints
}

/// Complains of a page that the book's table of contents does not list, or of a file no page names.
pub(super) fn summary(tree: &Tree) -> Vec<Complaint> {
    if !tree.exists(BOOK.trim_end_matches('/')) {
        return Vec::new();
    }
    let Some(text) = tree.text(SUMMARY) else {
        let what = "is missing: a book needs its table of contents";
        return vec![Complaint::new(SUMMARY, 1, what)];
    };
    let listed: Vec<String> = relative_links(text)
        .iter()
        .filter_map(|link| resolve(SUMMARY, link.target))
        .collect();
    let files = tree
        .paths()
        .filter(|path| path.starts_with(BOOK_SOURCE) && *path != SUMMARY);
    files
        .filter_map(|path| {
            if extension(path) == "md" {
                let what = "is not in SUMMARY.md: list the page or remove it";
                (!listed.iter().any(|page| page == path)).then(|| Complaint::new(path, 1, what))
            } else {
                let what = "is named by no page of the book: show it or remove it";
                (!named_in_book(tree, path)).then(|| Complaint::new(path, 1, what))
            }
        })
        .collect()
}

/// Pictures and samples are reached from pages, by a link or an include.
fn named_in_book(tree: &Tree, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    tree.texts(&["md"])
        .any(|(page, text)| page.starts_with(BOOK_SOURCE) && text.contains(name))
}

/// A link as it stands on a page, its anchor and title removed.
#[derive(Debug, PartialEq, Eq)]
struct Link<'a> {
    line: usize,
    target: &'a str,
}

/// The links of a page to other files: `[text](target)` and `[name]: target`, outside of code.
fn relative_links(page: &str) -> Vec<Link<'_>> {
    let mut links = Vec::new();
    let mut fence = None;
    for (index, line) in page.lines().enumerate() {
        let start = line.trim_start();
        let mark = ["```", "~~~"]
            .into_iter()
            .find(|mark| start.starts_with(mark));
        if mark.is_some() && (fence.is_none() || fence == mark) {
            fence = if fence.is_none() { mark } else { None };
        } else if fence.is_none() {
            let targets = targets(line).into_iter().filter_map(relative);
            links.extend(targets.map(|target| Link {
                line: index + 1,
                target,
            }));
        }
    }
    links
}

/// What stands in the round brackets of links on this line, or behind the colon of a definition.
fn targets(line: &str) -> Vec<&str> {
    if let Some((name, target)) = line.split_once("]: ")
        && name.starts_with('[')
        && !name.starts_with("[^")
    {
        return vec![target];
    }
    let opens = line.match_indices("](").map(|(at, found)| at + found.len());
    opens
        .filter(|&at| line[..at].matches('`').count().is_multiple_of(2))
        .filter_map(|at| Some(&line[at..at + line[at..].find(')')?]))
        .collect()
}

/// The path in a target, unless it leads to another site or to a place on the same page.
fn relative(target: &str) -> Option<&str> {
    let target = target.trim();
    let path = match target.strip_prefix('<') {
        Some(inside) => inside.split('>').next()?,
        None => target.split_whitespace().next()?,
    };
    let elsewhere = path.contains("://") || path.starts_with("mailto:");
    let path = path.split('#').next()?;
    (!elsewhere && !path.is_empty()).then_some(path)
}

/// The path from the root to what a link on a page leads to; `None` if it leaves the repository.
fn resolve(page: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(complaints: &[Complaint]) -> Vec<String> {
        complaints.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn broken_links_are_found() {
        let page = "\
# Title
See [the map](ARCHITECTURE.md), [gone](docs/gone.md#part \"title\") and [site](https://example.org/x).
![picture](picture.svg) [here](#title) `[code](nowhere.md)` [out](../../x.md)

[ref]: also-gone.md
```text
[shown](not-a-link.md)
```
[folder](docs)
";
        let tree = Tree::of(&[
            ("README.md", page),
            ("ARCHITECTURE.md", ""),
            (
                "docs/book/src/SUMMARY.md",
                "[up](../../../README.md) [lost](lost.md)\n",
            ),
            ("testdata/notes.md", "[not ours](nowhere.md)\n"),
        ]);
        let missing = |place: &str, target: &str| {
            format!("{place}: links to `{target}`, which does not exist: mend the link")
        };
        assert_eq!(
            shown(&links(&tree)),
            [
                missing("README.md:2", "docs/gone.md"),
                missing("README.md:3", "picture.svg"),
                missing("README.md:3", "../../x.md"),
                missing("README.md:5", "also-gone.md"),
                missing("docs/book/src/SUMMARY.md:1", "lost.md"),
            ]
        );
    }

    #[test]
    fn a_book_needs_a_table_of_contents() {
        assert_eq!(summary(&Tree::of(&[])), []);
        let tree = Tree::of(&[("docs/book/book.toml", "")]);
        assert!(summary(&tree)[0].what.contains("table of contents"));
    }

    #[test]
    fn pages_and_pictures_without_a_way_to_them_are_found() {
        let tree = Tree::of(&[
            (
                "docs/book/src/SUMMARY.md",
                "- [First](first.md)\n- [Deep](part/deep.md)\n",
            ),
            ("docs/book/src/first.md", "![cuts](cuts.svg)\n"),
            ("docs/book/src/part/deep.md", ""),
            ("docs/book/src/part/first.md", ""),
            ("docs/book/src/cuts.svg", ""),
            ("docs/book/src/orphan.svg", ""),
        ]);
        assert_eq!(
            shown(&summary(&tree)),
            [
                "docs/book/src/orphan.svg:1: is named by no page of the book: show it or remove it",
                "docs/book/src/part/first.md:1: is not in SUMMARY.md: list the page or remove it",
            ]
        );
    }
}
