//! How many cuts there are after each number of events, for a picture.

use causet_check::count::Density;
use serde::Serialize;

/// What the page is told about it.
#[derive(Clone, Debug, Serialize)]
pub struct DensityShown {
    /// Levels, the decimal logarithms of their numbers of cuts, and by which share these may be wrong.
    points: Vec<(u32, f64, f64)>,
    /// The number of all cuts, in decimal digits, if it is known.
    total: Option<String>,
    /// From how many cuts of a level each number was estimated, unless they are exact.
    drawn: Option<usize>,
}

impl From<&Density> for DensityShown {
    fn from(density: &Density) -> Self {
        // Two pixels of a picture are further apart than the digits left out here.
        let rounded = |number: f64| (number * 1e4).round() / 1e4;
        let points = density.points.iter();
        DensityShown {
            points: points
                .map(|point| (point.level, rounded(point.log10), rounded(point.error)))
                .collect(),
            total: density.total.clone(),
            drawn: density.drawn,
        }
    }
}
