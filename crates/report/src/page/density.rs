//! How many cuts there are after each number of events, for a picture.

use causet_check::count::Density;
use serde::Serialize;

/// What the page is told about it.
#[derive(Clone, Debug, Serialize)]
pub struct DensityShown {
    /// Levels, the decimal logarithms of their numbers of cuts, the shares of these by which they may be wrong, and the
    /// logarithms of the bounds within which the true number most probably is.
    points: Vec<(u32, f64, f64, f64, f64)>,
    /// The number of all cuts, in decimal digits, if it is known.
    total: Option<String>,
    /// From how many cuts of a level each number was estimated, unless they are exact.
    drawn: Option<usize>,
    /// How many other levels there was no time for.
    left_out: usize,
}

impl From<&Density> for DensityShown {
    fn from(density: &Density) -> Self {
        // Two pixels of a picture are further apart than the digits left out here.
        let rounded = |number: f64| (number * 1e4).round() / 1e4;
        let points = density.points.iter().map(|point| {
            let (low, high) = point.range();
            let [log10, error, low, high] = [point.log10, point.error, low, high].map(rounded);
            (point.level, log10, error, low, high)
        });
        DensityShown {
            points: points.collect(),
            total: density.total.clone(),
            drawn: density.drawn,
            left_out: density.left_out,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use causet_check::count::Point;
    use serde_json::json;

    fn shown(error: f64, drawn: Option<usize>) -> serde_json::Value {
        let point = Point {
            level: 7,
            log10: 2.0,
            error,
        };
        let density = Density {
            points: vec![point],
            total: None,
            drawn,
            left_out: 3,
        };
        json!(DensityShown::from(&density))
    }

    #[test]
    fn an_estimate_is_told_with_its_bounds() {
        let told = shown(0.35, Some(24));
        assert_eq!((&told["drawn"], &told["left_out"]), (&json!(24), &json!(3)));
        // Two and a half standard errors and a little are about 0.9 of the number.
        assert_eq!(told["points"], json!([[7, 2.0, 0.35, 1.7213, 2.2787]]));
    }

    #[test]
    fn an_exact_number_has_no_bounds_but_itself() {
        let told = shown(0.0, None);
        assert_eq!(told["drawn"], json!(null));
        assert_eq!(told["points"], json!([[7, 2.0, 0.0, 2.0, 2.0]]));
    }
}
