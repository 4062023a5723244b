//! `causet draw`: the kinds of picture, and what is refused.

mod common;

use common::Folder;
#[cfg(feature = "full")]
use resvg::tiny_skia::Pixmap;

const SPLIT: [&str; 2] = ["--ctl", "AG !(a.leader && b.leader)"];

/// Draws the election with a property to a file and gives its bytes.
fn drawn(folder: &Folder, name: &str, more: &[&str]) -> Vec<u8> {
    let arguments = [&["draw", "t.jsonl", "-o", name], &SPLIT[..], more].concat();
    folder.run(&arguments).ends(0);
    std::fs::read(folder.path().join(name)).expect("the picture")
}

/// The width and height an SVG says it has.
#[cfg(feature = "full")]
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

#[cfg(feature = "full")]
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

#[cfg(not(feature = "full"))]
#[test]
fn a_png_that_is_not_built_in_is_refused_with_a_way_out() {
    let folder = Folder::election();
    let ran = folder.run(&["draw", "t.jsonl", "-o", "run.png"]).ends(2);
    assert!(ran.stderr.contains("--features full"), "{}", ran.stderr);
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
        (&["-o", "run.bmp"], "ends with .svg or .png"),
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
