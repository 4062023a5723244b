//! A picture in SVG as PNG.
//!
//! The words are set with the fonts of the system; none is carried along, since a megabyte in every binary helps few. A
//! system without any font is told so, rather than given a picture without words.

use causet_base::Code;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

use crate::failure::Failure;

/// A PNG has so many pixels for each unit of the picture, in both directions.
const SHARPNESS: f32 = 2.0;

/// Families that have most letters, in the order in which they are tried.
const FAMILIES: [&str; 5] = [
    "Helvetica",
    "Arial",
    "Liberation Sans",
    "DejaVu Sans",
    "Noto Sans",
];

/// The picture as PNG.
pub(super) fn png(svg: &str) -> Result<Vec<u8>, Failure> {
    let tree = tree(svg)?;
    let size = tree.size();
    let (width, height) = (size.width() * SHARPNESS, size.height() * SHARPNESS);
    let mut pixels =
        Pixmap::new(width.ceil() as u32, height.ceil() as u32).ok_or_else(too_large)?;
    let scale = Transform::from_scale(SHARPNESS, SHARPNESS);
    resvg::render(&tree, scale, &mut pixels.as_mut());
    pixels
        .encode_png()
        .map_err(|error| Failure::Internal(format!("the PNG cannot be written: {error}")))
}

/// The picture with its words as shapes.
fn tree(svg: &str) -> Result<Tree, Failure> {
    let mut options = Options::default();
    let fonts = options.fontdb_mut();
    fonts.load_system_fonts();
    let has = |family: &str| {
        let mut faces = fonts.faces();
        faces.any(|face| face.families.iter().any(|(name, _)| name == family))
    };
    let first = fonts.faces().next().and_then(|face| face.families.first());
    let Some((any, _)) = first.cloned() else {
        return Err(Failure::helped(
            Code::BadPicture,
            "there is no font on this system, and without one the picture would have no words",
            "install one, for example the package fonts-dejavu-core, or write an SVG, which needs none here",
        ));
    };
    let family = FAMILIES.into_iter().find(|family| has(family));
    let family = family.map_or(any, str::to_owned);
    options.fontdb_mut().set_sans_serif_family(&family);
    options.font_family = family;
    Tree::from_str(svg, &options)
        .map_err(|error| Failure::Internal(format!("the SVG cannot be read back: {error}")))
}

fn too_large() -> Failure {
    Failure::helped(
        Code::BadPicture,
        "the picture is too large for this format",
        "draw less of the run with --from and --to, or write an SVG",
    )
}
