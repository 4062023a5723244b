//! A picture as SVG: plain shapes and words, nothing that acts, nothing from elsewhere.
//!
//! Whatever comes from a log was made fit to be seen by the layout and is escaped here; there is no script, no style
//! sheet and no link. Words carry a halo in the colour of the background, so that a line behind them does no harm.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::Theme;
use super::layout::{Arrow, Dot, LINE, Layout, RADIUS, Role, Segment, Text};

/// The fonts that are tried.
const FONTS: &str = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', 'Noto Sans', sans-serif";

/// Writes the picture.
pub fn write(layout: &Layout, theme: Theme, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(text(layout, theme).as_bytes())
}

/// The picture as text.
pub fn text(layout: &Layout, theme: Theme) -> String {
    let ink = Ink::of(theme);
    let mut svg = Svg {
        out: String::new(),
        ink,
    };
    let (width, height) = (layout.width.ceil(), layout.height.ceil());
    let _ = writeln!(
        svg.out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"{FONTS}\" font-size=\"11\">"
    );
    let _ = writeln!(
        svg.out,
        "<rect width=\"{width}\" height=\"{height}\" fill=\"{}\"/>",
        ink.paper
    );
    svg.past(layout);
    layout.segments.iter().for_each(|one| svg.segment(one));
    layout.arrows.iter().for_each(|one| svg.arrow(one));
    svg.cut(layout);
    layout.dots.iter().for_each(|one| svg.dot(one));
    layout.texts.iter().for_each(|one| svg.words(one));
    svg.out.push_str("</svg>\n");
    svg.out
}

/// The colours.
#[derive(Clone, Copy)]
struct Ink {
    paper: &'static str,
    past: &'static str,
    words: &'static str,
    faint: &'static str,
    line: &'static str,
    cut: &'static str,
    dot: &'static str,
}

impl Ink {
    fn of(theme: Theme) -> Ink {
        match theme {
            Theme::Light => Ink {
                paper: "#ffffff",
                past: "#eef3fa",
                words: "#111111",
                faint: "#666666",
                line: "#8a8a8a",
                cut: "#c0272d",
                dot: "#1f4e8c",
            },
            Theme::Dark => Ink {
                paper: "#14171c",
                past: "#1f2a38",
                words: "#eeeeee",
                faint: "#a0a6ae",
                line: "#7c838c",
                cut: "#ff6b6b",
                dot: "#7fb2f0",
            },
        }
    }
}

struct Svg {
    out: String,
    ink: Ink,
}

impl Svg {
    /// The part of the picture left of the cut.
    fn past(&mut self, layout: &Layout) {
        let (Some(&first), Some(&last)) = (layout.cut.first(), layout.cut.last()) else {
            return;
        };
        let mut points = vec![(layout.left, first.1)];
        points.extend(&layout.cut);
        points.push((layout.left, last.1));
        let fill = self.ink.past;
        let points = listed(&points);
        let _ = writeln!(self.out, "<polygon points=\"{points}\" fill=\"{fill}\"/>");
    }

    fn cut(&mut self, layout: &Layout) {
        if layout.cut.is_empty() {
            return;
        }
        let (points, colour) = (listed(&layout.cut), self.ink.cut);
        let _ = writeln!(
            self.out,
            "<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.6\" \
             stroke-dasharray=\"6 3\"><title>the cut</title></polyline>"
        );
    }

    fn segment(&mut self, segment: &Segment) {
        let Segment {
            from,
            to,
            y,
            is_broken,
        } = *segment;
        let dash = if is_broken {
            " stroke-dasharray=\"1.5 4\""
        } else {
            ""
        };
        let colour = self.ink.line;
        let _ = writeln!(
            self.out,
            "<line x1=\"{from:.1}\" y1=\"{y:.1}\" x2=\"{to:.1}\" y2=\"{y:.1}\" stroke=\"{colour}\"{dash}/>"
        );
    }

    /// A line that ends at the rim of the event, with a head.
    fn arrow(&mut self, arrow: &Arrow) {
        let (dx, dy) = (arrow.to.0 - arrow.from.0, arrow.to.1 - arrow.from.1);
        let length = dx.hypot(dy).max(1.0);
        let (ux, uy) = (dx / length, dy / length);
        let tip = (arrow.to.0 - ux * RADIUS, arrow.to.1 - uy * RADIUS);
        let base = (tip.0 - ux * 7.0, tip.1 - uy * 7.0);
        let (left, right) = (
            (base.0 - uy * 3.0, base.1 + ux * 3.0),
            (base.0 + uy * 3.0, base.1 - ux * 3.0),
        );
        let dash = match arrow.is_message {
            true => "",
            false => " stroke-dasharray=\"3 3\"",
        };
        let colour = self.ink.words;
        let _ = writeln!(
            self.out,
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"{colour}\"{dash}/>",
            arrow.from.0, arrow.from.1, base.0, base.1
        );
        let points = listed(&[tip, left, right]);
        let _ = writeln!(self.out, "<polygon points=\"{points}\" fill=\"{colour}\"/>");
    }

    /// What has happened is filled, what has not is hollow.
    fn dot(&mut self, dot: &Dot) {
        let Ink {
            paper, dot: ink, ..
        } = self.ink;
        let is_filled = dot.is_past != Some(false);
        let fill = if is_filled { ink } else { paper };
        let hint = escaped(&dot.hint);
        let radius = if dot.is_past.is_some() { RADIUS } else { 5.0 };
        let _ = writeln!(
            self.out,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{radius}\" fill=\"{fill}\" stroke=\"{ink}\" \
             stroke-width=\"1.4\"><title>{hint}</title></circle>",
            dot.x, dot.y
        );
        if let Some(number) = dot.number.filter(|&number| number < 1000) {
            let _ = writeln!(
                self.out,
                "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"{}\" text-anchor=\"middle\" fill=\"{paper}\">{number}</text>",
                dot.x,
                dot.y + 3.1,
                if number < 100 { 9 } else { 7 }
            );
        }
    }

    fn words(&mut self, text: &Text) {
        let ink = self.ink;
        let (x, y) = (text.bounds.x, text.bounds.y + LINE - 4.0);
        let middle = x + text.bounds.width / 2.0;
        let (colour, weight) = match text.role {
            Role::Title | Role::Process | Role::Write { strong: true } => (ink.words, "bold"),
            Role::Label | Role::Note => (ink.words, "normal"),
            Role::Write { strong: false } | Role::Gap => (ink.faint, "normal"),
        };
        let (x, anchor) = match text.role {
            Role::Title | Role::Process | Role::Note => (x, "start"),
            Role::Label | Role::Write { .. } | Role::Gap => (middle, "middle"),
        };
        let words = escaped(&text.words);
        let _ = writeln!(
            self.out,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" font-weight=\"{weight}\" fill=\"{colour}\" \
             direction=\"ltr\" stroke=\"{}\" stroke-width=\"3\" stroke-linejoin=\"round\" paint-order=\"stroke\">{words}</text>",
            ink.paper
        );
    }
}

/// Points as SVG lists them.
fn listed(points: &[(f64, f64)]) -> String {
    let points = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}"));
    points.collect::<Vec<_>>().join(" ")
}

/// Words in XML.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            c => out.push(c),
        }
    }
    out
}
