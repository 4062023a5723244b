//! Two logarithmic axes and a few lines between them, written as SVG by hand.
//!
//! A plotting library would be the largest dependency of these commands, for a grid, some lines and their names. The
//! colours are of middle brightness and the background is left out, so that a figure reads on light and on dark pages.

use std::fmt::Write as _;

/// The seconds for reading, checking and both, with a line of growth in proportion to the last.
pub(super) fn seconds(
    title: &str,
    across: &str,
    read: Points,
    check: Points,
    total: Points,
) -> String {
    let first = total.first().copied().unwrap_or((1.0, 1.0));
    let last = total.last().copied().unwrap_or(first);
    let proportional = vec![(first.0, last.1 * first.0 / last.0), last];
    let line = |name: &str, points, style| Line {
        name: name.to_owned(),
        points,
        style,
    };
    let lines = vec![
        line("proportional", proportional, Style::Reference),
        line("reading", read, Style::Measured(1)),
        line("checking", check, Style::Measured(2)),
        line("total", total, Style::Measured(0)),
    ];
    let up = "seconds";
    Figure {
        title,
        across,
        up,
        lines,
    }
    .svg()
}

/// Places across with their figures.
type Points = Vec<(f64, f64)>;

/// A line through points, with its name at the end.
struct Line {
    name: String,
    points: Points,
    style: Style,
}

/// How a line is drawn.
#[derive(Clone, Copy)]
enum Style {
    /// Measured points in the first, second, third colour.
    Measured(usize),
    /// Something to compare with.
    Reference,
}

/// A figure.
struct Figure<'a> {
    title: &'a str,
    across: &'a str,
    up: &'a str,
    lines: Vec<Line>,
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 600.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 365.0;
const GREY: &str = "#808080";
const COLOURS: [&str; 3] = ["#3a86c8", "#d97a1e", "#3c9d5d"];

impl Figure<'_> {
    /// The figure as an SVG document.
    fn svg(&self) -> String {
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let across = Axis::around(points().map(|point| point.0), LEFT, RIGHT);
        let up = Axis::around(points().map(|point| point.1), BOTTOM, TOP);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
             font-family=\"sans-serif\" font-size=\"13\" fill=\"{GREY}\">\n<title>{}</title>\n",
            self.title
        );
        self.words(&mut svg);
        for decade in across.decades() {
            let x = across.place(decade);
            rule(&mut svg, (x, TOP), (x, BOTTOM));
            text(&mut svg, (x, BOTTOM + 18.0), "middle", &power(decade));
        }
        for decade in up.decades() {
            let y = up.place(decade);
            rule(&mut svg, (LEFT, y), (RIGHT, y));
            text(&mut svg, (LEFT - 8.0, y + 4.0), "end", &power(decade));
        }
        for (line, height) in self.lines.iter().zip(self.heights(&up)) {
            line.draw(&mut svg, &across, &up, height);
        }
        svg + "</svg>\n"
    }

    /// Title and names of the axes.
    fn words(&self, svg: &mut String) {
        let middle = f64::midpoint(LEFT, RIGHT);
        text(svg, (middle, TOP - 16.0), "middle", self.title);
        text(svg, (middle, HEIGHT - 14.0), "middle", self.across);
        let y = f64::midpoint(TOP, BOTTOM);
        let _ = writeln!(
            svg,
            "<text x=\"16\" y=\"{y:.1}\" text-anchor=\"middle\" transform=\"rotate(-90 16 {y:.1})\">{}</text>",
            self.up
        );
    }

    /// Where the names of the lines stand, one below the other even if the lines end at one place.
    fn heights(&self, up: &Axis) -> Vec<f64> {
        let end = |line: &Line| line.points.last().map_or(TOP, |point| up.place(point.1));
        let mut order: Vec<usize> = (0..self.lines.len()).collect();
        order.sort_by(|&one, &other| end(&self.lines[one]).total_cmp(&end(&self.lines[other])));
        let mut heights = vec![0.0; self.lines.len()];
        let mut free = TOP;
        for line in order {
            heights[line] = end(&self.lines[line]).max(free);
            free = heights[line] + 16.0;
        }
        heights
    }
}

impl Line {
    fn draw(&self, svg: &mut String, across: &Axis, up: &Axis, height: f64) {
        let places = self.points.iter();
        let places: Vec<(f64, f64)> = places
            .map(|&(x, y)| (across.place(x), up.place(y)))
            .collect();
        let path: Vec<String> = places
            .iter()
            .map(|(x, y)| format!("{x:.1},{y:.1}"))
            .collect();
        let (colour, dashes) = match self.style {
            Style::Measured(number) => (COLOURS[number % COLOURS.len()], ""),
            Style::Reference => (GREY, " stroke-dasharray=\"5 4\""),
        };
        let _ = writeln!(
            svg,
            "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{dashes} points=\"{}\"/>",
            path.join(" ")
        );
        if matches!(self.style, Style::Measured(_)) {
            for (x, y) in places {
                let _ = writeln!(
                    svg,
                    "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\" fill=\"{colour}\"/>"
                );
            }
        }
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{:.1}\" fill=\"{colour}\">{}</text>",
            RIGHT + 10.0,
            height + 4.0,
            self.name
        );
    }
}

/// A logarithmic axis over whole decades.
struct Axis {
    least: i32,
    most: i32,
    from: f64,
    to: f64,
}

impl Axis {
    fn around(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let logarithms: Vec<f64> = values.map(f64::log10).collect();
        let least = logarithms.iter().copied().fold(f64::INFINITY, f64::min);
        let most = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let least = (least + 1e-9).floor() as i32;
        Axis {
            least,
            most: ((most - 1e-9).ceil() as i32).max(least + 1),
            from,
            to,
        }
    }

    fn place(&self, value: f64) -> f64 {
        let part = (value.log10() - f64::from(self.least)) / f64::from(self.most - self.least);
        self.from + part * (self.to - self.from)
    }

    fn decades(&self) -> impl Iterator<Item = f64> {
        (self.least..=self.most).map(|power| 10_f64.powi(power))
    }
}

/// A power of ten in words that people use: plainly, unless that is long.
fn power(decade: f64) -> String {
    match decade {
        0.001..1000.0 => decade.to_string(),
        _ => format!(
            "10<tspan dy=\"-5\" font-size=\"10\">{}</tspan>",
            decade.log10().round()
        ),
    }
}

fn rule(svg: &mut String, from: (f64, f64), to: (f64, f64)) {
    let _ = writeln!(
        svg,
        "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"{GREY}\" stroke-opacity=\"0.3\"/>",
        from.0, from.1, to.0, to.1
    );
}

fn text(svg: &mut String, at: (f64, f64), anchor: &str, words: &str) {
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{words}</text>",
        at.0, at.1
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decades_are_evenly_spaced() {
        let axis = Axis::around([1e3, 2e5].into_iter(), 0.0, 300.0);
        assert_eq!((axis.least, axis.most), (3, 6));
        assert!((axis.place(1e4) - 100.0).abs() < 1e-6);
        assert_eq!(axis.decades().count(), 4);
    }

    #[test]
    fn long_powers_are_written_as_powers() {
        assert_eq!(power(0.1), "0.1");
        assert!(power(1e6).starts_with("10<"));
    }
}
