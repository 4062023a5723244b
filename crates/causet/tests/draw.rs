//! `causet draw`: the three kinds of picture, and what is refused.

mod common;

use std::io::Read as _;

use common::Folder;
use resvg::tiny_skia::Pixmap;

const SPLIT: [&str; 2] = ["--ctl", "AG !(a.leader && b.leader)"];

/// Draws the election with a property to a file and gives its bytes.
fn drawn(folder: &Folder, name: &str, more: &[&str]) -> Vec<u8> {
    let arguments = [&["draw", "t.jsonl", "-o", name], &SPLIT[..], more].concat();
    folder.run(&arguments).ends(0);
    std::fs::read(folder.path().join(name)).expect("the picture")
}

/// The width and height an SVG says it has.
fn size(svg: &str) -> (u32, u32) {
    let number = |name: &str| {
        let (_, rest) = svg.split_once(&format!(" {name}=\"")).expect("a size");
        rest.split('"').next().and_then(|text| text.parse().ok())
    };
    (
        number("width").expect("a width"),
        number("height").expect("a height"),
    )
}

#[test]
fn a_picture_tells_the_story() {
    let folder = Folder::election();
    let svg = String::from_utf8(drawn(&folder, "run.svg", &[])).expect("text");
    for words in [
        "was still true when",
        "the cut",
        "elect",
        "leader=true",
        "ctl-1",
    ] {
        assert!(svg.contains(words), "{words} is missing:\n{svg}");
    }
    let printed = folder
        .run(&[&["draw", "t.jsonl"], &SPLIT[..]].concat())
        .ends(0);
    assert_eq!(printed.stdout, svg);
}

#[test]
fn a_png_has_the_size_of_the_svg_and_words() {
    let folder = Folder::election();
    let (width, height) = size(&String::from_utf8(drawn(&folder, "run.svg", &[])).expect("text"));
    let light = Pixmap::decode_png(&drawn(&folder, "run.png", &[])).expect("a PNG");
    assert_eq!((light.width(), light.height()), (2 * width, 2 * height));
    let is_dark = |x: u32, y: u32| light.pixel(x, y).is_some_and(|pixel| pixel.red() < 100);
    let title = (0..2 * width).flat_map(|x| (20..60).map(move |y| (x, y)));
    let inked = title.filter(|&(x, y)| is_dark(x, y)).count();
    assert!(inked > 300, "the title has {inked} dark pixels");
    let dark = drawn(&folder, "dark.png", &["--theme", "dark"]);
    let dark = Pixmap::decode_png(&dark).expect("a PNG");
    assert!(dark.pixel(0, 0).expect("a corner").red() < 60);
    assert!(light.pixel(0, 0).expect("a corner").red() > 200);
}

#[test]
fn a_pdf_can_be_found_its_way_in() {
    let folder = Folder::election();
    let pdf = drawn(&folder, "run.pdf", &[]);
    assert!(pdf.starts_with(b"%PDF-1.4\n"));
    let text = String::from_utf8_lossy(&pdf);
    let end = text.trim_end().strip_suffix("%%EOF").expect("an end");
    let start: usize = end
        .trim_end()
        .rsplit('\n')
        .next()
        .and_then(|at| at.parse().ok())
        .expect("a place");
    assert!(pdf[start..].starts_with(b"xref\n0 6\n"));
    // Every object starts where the table says.
    let table = String::from_utf8_lossy(&pdf[start..]).into_owned();
    let places = table.lines().skip(3).take(5).enumerate();
    for (number, line) in places {
        let at: usize = line[..10].parse().expect("a place");
        let head = format!("{} 0 obj\n", number + 1);
        assert!(pdf[at..].starts_with(head.as_bytes()), "{line}");
    }
}

#[test]
fn the_words_of_a_pdf_can_be_searched() {
    let folder = Folder::election();
    let pdf = drawn(&folder, "run.pdf", &[]);
    let after = |mark: &[u8]| {
        let at = pdf.windows(mark.len()).position(|part| part == mark);
        at.expect("the page") + mark.len()
    };
    let mut page = String::new();
    let mut packed = flate2::read::ZlibDecoder::new(&pdf[after(b"\nstream\n")..]);
    packed.read_to_string(&mut page).expect("text");
    // Each text once more, drawn as nothing, with its letters.
    assert!(page.contains("BT 3 Tr /F1 "));
    let letters: String = "the cut".bytes().map(|one| format!("{one:02X}")).collect();
    let mut searched = page.lines().filter(|line| line.ends_with("> Tj ET"));
    assert!(searched.any(|line| line.contains(&letters)), "{page}");
}

#[test]
fn a_run_alone_has_no_cut() {
    let folder = Folder::election();
    let ran = folder.run(&["draw", "t.jsonl"]).ends(0);
    assert!(!ran.stdout.contains("the cut") && ran.stdout.contains("<circle"));
    let around = folder
        .run(&["draw", "t.jsonl", "--from", "2", "--to", "3"])
        .ends(0);
    assert!(
        around.stdout.contains("not shown: 4 events"),
        "{}",
        around.stdout
    );
}

#[test]
fn what_cannot_be_drawn_is_refused_with_a_way_out() {
    let folder = Folder::election();
    let refused: [(&[&str], &str); 5] = [
        (&["-o", "run.bmp"], "ends with .svg, .png or .pdf"),
        (&["--around", "a#9"], "for example a#3"),
        (&["--from", "5", "--to", "2"], "comes after --to"),
        (
            &["--ctl", "AG a.leader", "--property", "q"],
            "expected one of: ctl-1",
        ),
        (&["--ctl", "AG ("], "ends too early"),
    ];
    for (arguments, words) in refused {
        let ran = folder
            .run(&[&["draw", "t.jsonl"], arguments].concat())
            .ends(2);
        assert!(ran.stderr.contains(words), "{arguments:?}: {}", ran.stderr);
    }
}
