//! What was measured, as sections and tables of a report, with their goals.

use std::fmt::Write as _;

use super::cases::{CaseFile, Column, Goal, GoalRows, Publish, Section, Table};
use super::expr::{Value, cell, expand, is_true};
use super::lab::Lab;
use super::plot;
use super::report::{Goals, ReportTable};
use super::scope::RowScope;

/// A section that was measured.
pub(super) struct ShownSection<'a> {
    pub(super) section: &'a Section,
    pub(super) about: String,
    pub(super) tables: Vec<ShownTable<'a>>,
    pub(super) verbatim: String,
}

pub(super) struct ShownTable<'a> {
    table: &'a Table,
    columns: Vec<Column>,
    rows: Vec<ShownRow>,
    /// By goal, the figures of the rows it is about.
    figures: Vec<Vec<(f64, f64)>>,
    /// The line that shows its figure.
    pub(super) image: String,
}

struct ShownRow {
    /// Which row of the first set it belongs to.
    group: usize,
    cells: Vec<(String, Value)>,
}

impl<'a> ShownSection<'a> {
    pub(super) fn new(file: &CaseFile, section: &'a Section) -> Result<Self, String> {
        let tables = section.table.iter().map(|table| {
            Ok(ShownTable {
                table,
                columns: file.columns_of(table).map_err(|(_, what)| what)?,
                rows: Vec::new(),
                figures: table.goal.iter().map(|_| Vec::new()).collect(),
                image: String::new(),
            })
        });
        Ok(ShownSection {
            section,
            about: String::new(),
            tables: tables.collect::<Result<_, String>>()?,
            verbatim: String::new(),
        })
    }

    /// What a page shows of it.
    pub(super) fn page_text(&self, publish: &Publish, is_titled: bool) -> String {
        let mut text = String::new();
        if is_titled {
            let _ = write!(text, "### {}\n\n", self.section.title);
        }
        if !self.about.is_empty() {
            let _ = write!(text, "{}\n\n", self.about.trim());
        }
        for table in &self.tables {
            let _ = writeln!(text, "{}{}", table.image, table.text(Some(publish)));
        }
        text
    }

    pub(super) fn text(&self) -> String {
        let mut text = format!("## {}\n\n", self.section.title);
        if !self.about.is_empty() {
            let _ = write!(text, "{}\n\n", self.about.trim());
        }
        text += &self.verbatim;
        let tables: Vec<String> = self.tables.iter().map(|table| table.text(None)).collect();
        text + &tables.join("\n")
    }
}

impl ShownTable<'_> {
    /// Adds the rows of what was measured, and compares goals.
    pub(super) fn add(&mut self, scope: &RowScope<'_>, goals: &mut Goals) -> Result<(), String> {
        if !self.table.by_run {
            return self.row(scope, goals);
        }
        let runs = scope.section.run.iter();
        for run in runs.filter(|run| scope.measured.contains_key(&*run.name)) {
            scope.this.set(Some(run));
            self.row(scope, goals)?;
        }
        scope.this.set(None);
        Ok(())
    }

    fn row(&mut self, scope: &RowScope<'_>, goals: &mut Goals) -> Result<(), String> {
        if !is_true(self.table.when.as_deref(), scope)? {
            return Ok(());
        }
        let cells = self
            .columns
            .iter()
            .map(|column| cell(&column.template, scope));
        let cells = cells.collect::<Result<Vec<_>, _>>()?;
        let texts: Vec<&str> = cells.iter().map(|(text, _)| &**text).collect();
        eprintln!("| {} |", texts.join(" | "));
        self.rows.push(ShownRow {
            group: scope.group,
            cells,
        });
        for (number, goal) in self.table.goal.iter().enumerate() {
            if !is_true(goal.when.as_deref(), scope)? {
                continue;
            }
            let figures = self.figures_of(goal);
            match goal.of {
                GoalRows::Each => {
                    let what = expand(&goal.what, scope)?;
                    goals.compare(
                        &what,
                        figures.0 / figures.1,
                        (goal.least, goal.most),
                        &goal.unit,
                    );
                }
                GoalRows::Worst | GoalRows::Spread => self.figures[number].push(figures),
            }
        }
        Ok(())
    }

    /// What a goal divides, in the last row.
    fn figures_of(&self, goal: &Goal) -> (f64, f64) {
        let last = |name: &str| self.column(name).last().unwrap_or(f64::NAN);
        let over = goal.over.as_ref().map_or(1.0, |over| last(over.as_ref()));
        (last(goal.column.as_ref()), over)
    }

    /// The numbers of a column.
    pub(super) fn column(&self, name: &str) -> impl Iterator<Item = f64> {
        let place = self.columns.iter().position(|column| column.name == name);
        let rows = self.rows.iter();
        rows.filter_map(move |row| row.cells.get(place?).map(|(_, value)| value.number()))
    }

    /// Compares the goals of all rows together.
    pub(super) fn summarise(&self, goals: &mut Goals) {
        for (goal, figures) in self.table.goal.iter().zip(&self.figures) {
            let mut ratios: Vec<f64> = figures.iter().map(|(one, other)| one / other).collect();
            ratios.retain(|ratio| !ratio.is_nan());
            ratios.sort_by(f64::total_cmp);
            let (Some(least), Some(most)) = (ratios.first(), ratios.last()) else {
                continue;
            };
            if goal.of == GoalRows::Worst {
                goals.compare(&goal.what, *most, (goal.least, goal.most), &goal.unit);
                continue;
            }
            let alone = figures
                .iter()
                .filter(|(one, other)| one.is_nan() && !other.is_nan());
            goals.note(&format!(
                "{}: {least:.1} to {most:.0}, median {:.1}, over the {} rows that have both; {} rows have only the second",
                goal.what,
                ratios[ratios.len() / 2],
                ratios.len(),
                alone.count()
            ));
        }
    }

    /// The table; a page may omit columns, and all but the last row of each group.
    pub(super) fn text(&self, page: Option<&Publish>) -> String {
        let omit = page.map_or(&[][..], |page| &page.omit);
        let only_last = page.is_some_and(|page| page.last);
        let names: Vec<&str> = self.columns.iter().map(|column| &*column.name).collect();
        let is_shown = |place: usize| !omit.iter().any(|name| name == names[place]);
        let shown: Vec<usize> = (0..names.len()).filter(|&place| is_shown(place)).collect();
        let mut table =
            ReportTable::new(&shown.iter().map(|&place| names[place]).collect::<Vec<_>>());
        for (number, row) in self.rows.iter().enumerate() {
            let next = self.rows.get(number + 1);
            if !only_last || next.is_none_or(|next| next.group != row.group) {
                let cells: Vec<String> = shown
                    .iter()
                    .map(|&place| row.cells[place].0.clone())
                    .collect();
                table.add(&cells);
            }
        }
        let titles = self
            .table
            .title
            .iter()
            .map(|title| format!("## {title}\n\n"));
        let abouts = Some(&self.table.about).filter(|about| page.is_none() && !about.is_empty());
        let abouts = abouts.map(|about| format!("{about}\n\n"));
        titles.chain(abouts).chain([table.text]).collect()
    }

    /// Draws the figure of the table; the line that shows it.
    pub(super) fn draw(&self, lab: &Lab) -> Result<String, String> {
        let Some(figure) = &self.table.figure else {
            return Ok(String::new());
        };
        let across = figure.across.as_ref();
        let points = |name: &str| self.column(across).zip(self.column(name)).collect();
        let svg = plot::seconds(
            &figure.title,
            across,
            points("read s"),
            points("check s"),
            points("total s"),
        );
        lab.site
            .write(&format!("docs/book/src/{}", figure.file), svg.as_bytes())?;
        Ok(format!(
            "![{}: seconds for reading, checking and both]({})\n\n",
            figure.title, figure.file
        ))
    }
}
