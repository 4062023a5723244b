//! Shorter ways to a failure: chance goes round in circles, and a circle can be left out.
//!
//! ```text
//! ?coin !tea ?coin !coffee ?coin ?cancel  !tea        the specification is where it was before
//! '---------' '-----------'
//!                          ?coin ?cancel  !tea ?      worth a try: only the program knows
//! ```
//!
//! Whether the program fails there too is seen by going there; what is told is only what was seen.

use std::collections::HashMap;

use fastrand::Rng;

use crate::belief::Places;
use crate::record::Step;

/// So many times a circle to leave out is looked for.
const TRIES: usize = 16;

/// The steps without any circle; `places` are those before each step and after the last.
pub(crate) fn straight(steps: &[Step], places: &[Places]) -> Vec<Step> {
    let mut kept: Vec<(&Places, Option<&Step>)> = Vec::new();
    let mut seen: HashMap<&Places, usize> = HashMap::new();
    let next = steps.iter().map(Some).chain([None]);
    for (here, step) in places.iter().zip(next) {
        if let Some(&length) = seen.get(here) {
            kept.drain(length..).for_each(|(place, _)| {
                seen.remove(place);
            });
        }
        seen.insert(here, kept.len());
        kept.push((here, step));
    }
    kept.into_iter()
        .filter_map(|(_, step)| step.cloned())
        .collect()
}

/// The steps without one circle, or nothing when chance finds none.
pub(crate) fn cut(steps: &[Step], places: &[Places], random: &mut Rng) -> Option<Vec<Step>> {
    for _ in 0..TRIES {
        let first = random.usize(..places.len().max(1));
        let here = places.get(first)?;
        let later = (first + 1..places.len()).filter(|&later| places[later] == *here);
        let later: Vec<usize> = later.collect();
        if !later.is_empty() {
            let last = later[random.usize(..later.len())];
            return Some([&steps[..first], &steps[last..]].concat());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::belief::Place;

    /// Steps with one letter each, and the places before and after them as sets with one number each.
    fn way(letters: &str, numbers: &[u32]) -> (Vec<Step>, Vec<Places>) {
        let steps = letters.chars().map(|letter| Step::Sent(letter.to_string()));
        let places = numbers.iter().map(|&set| Places::from([Place::at(set)]));
        (steps.collect(), places.collect())
    }

    fn text(steps: &[Step]) -> String {
        steps.iter().filter_map(Step::label).collect()
    }

    #[test]
    fn circles_within_circles_are_left_out() {
        let (steps, places) = way("abcdefg", &[0, 1, 2, 1, 0, 3, 4, 3]);
        assert_eq!(text(&straight(&steps, &places)), "e");
        let (steps, places) = way("abc", &[0, 1, 2, 3]);
        assert_eq!(text(&straight(&steps, &places)), "abc");
    }

    #[test]
    fn any_circle_may_be_left_out() {
        let (steps, places) = way("abcd", &[0, 1, 0, 2, 0]);
        let mut random = Rng::with_seed(1);
        let mut found: Vec<String> = (0..100)
            .filter_map(|_| cut(&steps, &places, &mut random))
            .map(|steps| text(&steps))
            .collect();
        found.sort();
        found.dedup();
        assert_eq!(found, ["", "ab", "cd"]);
        let (steps, places) = way("ab", &[0, 1, 2]);
        assert_eq!(cut(&steps, &places, &mut random), None);
    }
}
