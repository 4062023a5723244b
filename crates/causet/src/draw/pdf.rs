//! A PDF of one page: filled and drawn paths, letters included.
//!
//! A picture has no gradients, no images and no transparency, so a page is a list of paths with colours. Letters are the
//! paths of their font: the page looks the same everywhere and carries no font along. Over them the same words lie once
//! more, invisible and in a font that every reader has, so that they can be searched and copied.

use std::fmt::Write as _;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use resvg::tiny_skia::{PathSegment, Point, Transform};
use resvg::usvg::{FillRule, Group, Node, Paint, PaintOrder, Path, Stroke, Text, TextChunk, Tree};

/// The picture as a PDF.
pub(super) fn write(tree: &Tree) -> std::io::Result<Vec<u8>> {
    let (width, height) = (tree.size().width(), tree.size().height());
    // A page counts upwards from its lower left corner.
    let mut page = format!("1 0 0 -1 0 {height:.2} cm\n");
    group(tree.root(), &mut page);
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
    packed.write_all(page.as_bytes())?;
    let packed = packed.finish()?;
    let mut pdf = Pdf::default();
    pdf.out.extend_from_slice(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n");
    pdf.object(b"<< /Type /Catalog /Pages 2 0 R >>");
    pdf.object(b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>");
    let sheet = format!(
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width:.2} {height:.2}] \
         /Resources << /Font << /F1 5 0 R >> >> /Contents 4 0 R >>"
    );
    pdf.object(sheet.as_bytes());
    let length = packed.len();
    let mut stream = format!("<< /Length {length} /Filter /FlateDecode >>\nstream\n").into_bytes();
    stream.extend_from_slice(&packed);
    stream.extend_from_slice(b"\nendstream");
    pdf.object(&stream);
    pdf.object(
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    );
    Ok(pdf.finish())
}

/// The bytes so far, and where each object starts.
#[derive(Default)]
struct Pdf {
    out: Vec<u8>,
    starts: Vec<usize>,
}

impl Pdf {
    fn object(&mut self, content: &[u8]) {
        self.starts.push(self.out.len());
        let number = self.starts.len();
        self.out
            .extend_from_slice(format!("{number} 0 obj\n").as_bytes());
        self.out.extend_from_slice(content);
        self.out.extend_from_slice(b"\nendobj\n");
    }

    /// Adds the table of objects, by which readers find them.
    fn finish(mut self) -> Vec<u8> {
        let (table, count) = (self.out.len(), self.starts.len() + 1);
        let mut end = format!("xref\n0 {count}\n0000000000 65535 f \n");
        for start in &self.starts {
            let _ = writeln!(end, "{start:010} 00000 n ");
        }
        let _ = write!(
            end,
            "trailer\n<< /Size {count} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n"
        );
        self.out.extend_from_slice(end.as_bytes());
        self.out
    }
}

fn group(group: &Group, page: &mut String) {
    for node in group.children() {
        match node {
            Node::Group(inner) => self::group(inner, page),
            Node::Path(one) => path(one, page),
            Node::Text(text) => {
                self::group(text.flattened(), page);
                page.extend(words(text));
            }
            // Pictures of runs have none.
            Node::Image(_) => {}
        }
    }
}

/// A text for those who search: not drawn, as wide as the letters it stands for.
fn words(text: &Text) -> Option<String> {
    let chunks: Vec<&str> = text.chunks().iter().map(TextChunk::text).collect();
    let said = chunks.join(" ");
    let place = text.abs_bounding_box();
    let size = place.height().max(1.0);
    // The letters of that font are about half as wide as high; how wide they really are does not matter to a search.
    let usual = size * 0.5 * said.chars().count() as f32;
    let stretch = 100.0 * place.width() / usual.max(1.0);
    // What the font has no letter for stands in the note beside it, which readers prefer.
    let letters = said.chars().map(|letter| match letter {
        ' '..='~' => letter as u8,
        _ => b'?',
    });
    let letters: String = letters.map(|letter| format!("{letter:02X}")).collect();
    let note: String = said
        .encode_utf16()
        .map(|unit| format!("{unit:04X}"))
        .collect();
    let (x, y) = (place.left(), place.bottom());
    (!said.trim().is_empty()).then(|| {
        format!(
            "/Span << /ActualText <FEFF{note}> >> BDC\nBT 3 Tr /F1 {size:.2} Tf {stretch:.1} Tz 1 0 0 -1 {x:.2} {y:.2} Tm \
             <{letters}> Tj ET\nEMC\n"
        )
    })
}

fn path(path: &Path, page: &mut String) {
    let outline = outline(path);
    let fill = path.fill().and_then(|fill| {
        let sign = match fill.rule() {
            FillRule::NonZero => "f",
            FillRule::EvenOdd => "f*",
        };
        Some(format!("{} rg\n{outline}{sign}\n", colour(fill.paint())?))
    });
    let stroke = path.stroke().and_then(|stroke| {
        let pen = pen(stroke, path.abs_transform());
        Some(format!("{} RG\n{pen}{outline}S\n", colour(stroke.paint())?))
    });
    let (first, second) = match path.paint_order() {
        PaintOrder::FillAndStroke => (fill, stroke),
        PaintOrder::StrokeAndFill => (stroke, fill),
    };
    page.extend(first);
    page.extend(second);
}

/// How lines are drawn.
fn pen(stroke: &Stroke, transform: Transform) -> String {
    let scale = transform.get_scale().0;
    let dashes = stroke.dasharray().unwrap_or(&[]);
    let dashes: Vec<String> = dashes
        .iter()
        .map(|dash| format!("{:.2}", dash * scale))
        .collect();
    let width = stroke.width().get() * scale;
    format!("{width:.2} w 1 j [{}] 0 d\n", dashes.join(" "))
}

/// A plain colour; pictures have no others.
fn colour(paint: &Paint) -> Option<String> {
    let Paint::Color(colour) = paint else {
        return None;
    };
    let parts = [colour.red, colour.green, colour.blue].map(|part| f32::from(part) / 255.0);
    Some(format!("{:.3} {:.3} {:.3}", parts[0], parts[1], parts[2]))
}

/// The path in the words of PDF, which has no curves of the second degree.
fn outline(path: &Path) -> String {
    let transform = path.abs_transform();
    let place = |mut point: Point| {
        transform.map_point(&mut point);
        point
    };
    let mut out = String::new();
    let mut here = Point::zero();
    for segment in path.data().segments() {
        let _ = match segment {
            PathSegment::MoveTo(to) => {
                here = place(to);
                writeln!(out, "{:.2} {:.2} m", here.x, here.y)
            }
            PathSegment::LineTo(to) => {
                here = place(to);
                writeln!(out, "{:.2} {:.2} l", here.x, here.y)
            }
            PathSegment::QuadTo(control, to) => {
                let (control, to) = (place(control), place(to));
                let third = |from: Point| {
                    let (x, y) = (control.x - from.x, control.y - from.y);
                    Point::from_xy(from.x + x * 2.0 / 3.0, from.y + y * 2.0 / 3.0)
                };
                let (first, second) = (third(here), third(to));
                here = to;
                curve(&mut out, [first, second, to])
            }
            PathSegment::CubicTo(first, second, to) => {
                here = place(to);
                curve(&mut out, [place(first), place(second), here])
            }
            PathSegment::Close => writeln!(out, "h"),
        };
    }
    out
}

fn curve(out: &mut String, points: [Point; 3]) -> std::fmt::Result {
    for point in points {
        write!(out, "{:.2} {:.2} ", point.x, point.y)?;
    }
    writeln!(out, "c")
}
