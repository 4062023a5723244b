//! The one form of a report: date and machine, text and tables, goals, and the places of pages that show results.

use std::fs;
use std::path::{Path, PathBuf};

use super::output;

/// When and where something is measured, and where the results go.
pub(crate) struct Site {
    pub(super) root: PathBuf,
    date: String,
    /// The machine, and its load at the start.
    machine: String,
    /// Where the results go instead of into the repository, if only a part is measured.
    aside: Option<PathBuf>,
}

impl Site {
    pub(crate) fn new(root: &Path, aside: Option<PathBuf>) -> Result<Site, String> {
        Ok(Site {
            root: root.to_owned(),
            date: output(root, "date", &["+%Y-%m-%d"])?.trim().to_owned(),
            machine: machine(root)?,
            aside,
        })
    }

    /// Prints a report under the date and the machine, and keeps it as `bench/DATE-NAME.md`.
    pub(crate) fn save(&self, name: &str, text: &str, goals: &Goals) -> Result<(), String> {
        let head = format!("# Measured on {}\n\n{}", self.date, self.machine);
        let mut report = format!("{head}\n{}\n", text.trim_end());
        if !goals.text.is_empty() {
            report += &format!("\n## Goals\n\n{}", goals.text);
        }
        print!("{report}");
        self.write(&format!("bench/{}-{name}.md", self.date), report.as_bytes())
    }

    /// Puts a text between the marks of a page, with date and machine if `is_dated`.
    pub(super) fn publish(
        &self,
        page: &str,
        mark: &str,
        text: &str,
        is_dated: bool,
    ) -> Result<(), String> {
        let old = fs::read_to_string(self.root.join(page)).map_err(|error| error.to_string())?;
        let when = format!("\n\nMeasured on {}: {}", self.date, self.machine);
        let text = text.trim().to_owned() + if is_dated { &when } else { "" };
        let new = fill(&old, mark, &text)
            .ok_or_else(|| format!("{page} has no `<!-- {mark} -->` with an end after it"))?;
        self.write(page, new.as_bytes())
    }

    /// Writes a file of the repository, or the same path aside.
    pub(super) fn write(&self, path: &str, bytes: &[u8]) -> Result<(), String> {
        let path = self.aside.as_ref().unwrap_or(&self.root).join(path);
        fs::create_dir_all(path.parent().unwrap_or(&self.root))
            .and_then(|()| fs::write(&path, bytes))
            .map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
        eprintln!("wrote {}", path.display());
        Ok(())
    }
}

fn machine(root: &Path) -> Result<String, String> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let about = |path: &str, key: &str| {
        let text = fs::read_to_string(path).unwrap_or_default();
        let line = text.lines().find(|line| line.starts_with(key));
        let value = line.and_then(|line| line.split(':').nth(1));
        value.unwrap_or("unknown").trim().to_owned()
    };
    let compiler = output(root, "rustc", &["--version"])?;
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    Ok(format!(
        "{cores} cores ({}), {} of memory, {}, load {} before the run.\n",
        about("/proc/cpuinfo", "model name"),
        about("/proc/meminfo", "MemTotal"),
        compiler.trim(),
        load.split(' ').next().unwrap_or("unknown"),
    ))
}

/// A table of a report.
pub(crate) struct ReportTable {
    pub(crate) text: String,
}

impl ReportTable {
    pub(crate) fn new(columns: &[&str]) -> Self {
        let rule = "---|".repeat(columns.len());
        ReportTable {
            text: format!("| {} |\n|{rule}\n", columns.join(" | ")),
        }
    }

    /// Adds a row and prints it as progress.
    pub(crate) fn row(&mut self, cells: &[String]) {
        eprintln!("| {} |", cells.join(" | "));
        self.add(cells);
    }

    pub(super) fn add(&mut self, cells: &[String]) {
        self.text += &format!("| {} |\n", cells.join(" | "));
    }
}

/// What was aimed at, and what of it was missed.
#[derive(Default)]
pub(crate) struct Goals {
    text: String,
    missed: Vec<String>,
}

impl Goals {
    /// Compares a figure with its bounds.
    pub(super) fn compare(
        &mut self,
        what: &str,
        figure: f64,
        (least, most): (Option<f64>, Option<f64>),
        unit: &str,
    ) {
        let met =
            least.is_none_or(|least| figure >= least) && most.is_none_or(|most| figure <= most);
        let bound = match (least, most) {
            (Some(least), _) => format!("at least {least}"),
            (None, most) => most.unwrap_or(f64::INFINITY).to_string(),
        };
        self.add(
            &format!("{what}: {figure:.3}{unit}, goal {bound}{unit}"),
            met,
        );
    }

    /// Adds a line about a goal.
    pub(crate) fn add(&mut self, sentence: &str, met: bool) {
        let outcome = if met { "met" } else { "missed" };
        self.text += &format!("- {sentence}: {outcome}.\n");
        if !met {
            self.missed.push(sentence.to_owned());
        }
    }

    /// Adds a line without a bound.
    pub(super) fn note(&mut self, sentence: &str) {
        self.text += &format!("- {sentence}.\n");
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Fails if a goal is missed, and says which.
    pub(crate) fn verdict(&self) -> Result<(), String> {
        match &self.missed[..] {
            [] => Ok(()),
            missed => Err(format!("goals missed:\n- {}", missed.join("\n- "))),
        }
    }
}

/// A number with thousands apart.
pub(crate) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The page with a text between the marks `<!-- NAME -->` and `<!-- end of NAME -->`, if it has them.
fn fill(page: &str, name: &str, text: &str) -> Option<String> {
    let begin = format!("<!-- {name} -->");
    let end = format!("<!-- end of {name} -->");
    let (before, rest) = page.split_once(&begin)?;
    let (_, after) = rest.split_once(&end)?;
    Some(format!(
        "{before}{begin}\n\n{}\n\n{end}{after}",
        text.trim()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missed_goal_fails_and_is_named() {
        let mut goals = Goals::default();
        goals.compare("reading", 1.5, (None, Some(2.0)), " s");
        assert_eq!(goals.verdict(), Ok(()));
        goals.compare("rate", 1.5, (Some(2.0), None), "");
        assert!(
            goals
                .verdict()
                .is_err_and(|words| words.contains("rate: 1.500"))
        );
    }

    #[test]
    fn a_text_goes_between_its_marks() {
        let page = "a\n<!-- x -->old<!-- end of x -->\nb";
        let expected = "a\n<!-- x -->\n\nnew\n\n<!-- end of x -->\nb";
        assert_eq!(fill(page, "x", "new\n").as_deref(), Some(expected));
        assert_eq!(fill(page, "y", "new"), None);
    }
}
