//! Shorter ways to a failure: chance goes round in circles, and a circle can be left out.
//!
//! ```text
//! ?coin !tea ?coin !coffee ?coin ?cancel  !tea        the specification is where it was before
//! '---------' '-----------'
//!                          ?coin ?cancel  !tea ?      worth a try: only the program knows
//! ```
//!
//! That need not be the shortest way: the same may go wrong elsewhere, and sooner. So after that any piece is left out,
//! from one stimulus to another. Whether the program fails there too is seen by going there; what is told is only what was seen.

use std::collections::HashMap;

use fastrand::Rng;

use crate::belief::Places;
use crate::record::Step;

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

/// The steps without those from one stimulus to before a later one, by chance; nothing when there are no two.
pub(crate) fn cut(steps: &[Step], random: &mut Rng) -> Option<Vec<Step>> {
    let is_sent = |&number: &usize| matches!(steps[number], Step::Sent(_));
    let sent: Vec<usize> = (0..steps.len()).filter(is_sent).collect();
    let first = random.usize(..sent.len().checked_sub(1).filter(|&last| last > 0)?);
    let later = random.usize(first + 1..sent.len());
    Some([&steps[..sent[first]], &steps[sent[later]..]].concat())
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
    fn what_follows_a_stimulus_is_left_out_with_it_and_the_last_stays() {
        let (mut steps, _) = way("abc", &[]);
        steps.insert(1, Step::Silence);
        let mut random = Rng::with_seed(1);
        let mut found: Vec<Vec<Step>> = (0..100).filter_map(|_| cut(&steps, &mut random)).collect();
        found.sort_by_key(Vec::len);
        found.dedup();
        let texts: Vec<String> = found.iter().map(|steps| text(steps)).collect();
        assert!(texts.iter().all(|text| text.ends_with('c')), "{texts:?}");
        for wanted in ["c", "bc", "adeltac"] {
            assert!(texts.contains(&wanted.to_owned()), "{texts:?}");
        }
        assert_eq!(cut(&steps[..2], &mut random), None);
        assert_eq!(cut(&[], &mut random), None);
    }
}
