//! The nearest known name to a misspelt one.
//!
//! Distance is Damerau-Levenshtein in its restricted form (insert, delete, replace, swap two
//! neighbours): the four slips of a typing hand. A name is offered when at most a third of its
//! letters is wrong; a name that differs only in case always is.

/// The candidate nearest to `name`, or `None` when nothing is near enough.
///
/// Among equally near candidates the first wins.
pub fn nearest<'a, I, S>(name: &str, candidates: I) -> Option<&'a str>
where
    I: IntoIterator<Item = &'a S>,
    S: AsRef<str> + ?Sized + 'a,
{
    let letters: Vec<char> = name.to_lowercase().chars().take(MAX_LETTERS).collect();
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let candidate = candidate.as_ref();
        let other: Vec<char> = candidate.to_lowercase().chars().take(MAX_LETTERS).collect();
        let allowed = (letters.len().max(other.len()) / 3).max(1);
        if letters.len().abs_diff(other.len()) > allowed {
            continue;
        }
        let distance = distance(&letters, &other);
        let worth = distance <= allowed && distance < other.len();
        if worth && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Longer names are compared by their first letters only, so that a suggestion stays cheap.
const MAX_LETTERS: usize = 64;

/// Restricted Damerau-Levenshtein distance, three rows of the usual table.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = vec![0; b.len() + 1];
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for (i, &x) in a.iter().enumerate() {
        let mut row = vec![i + 1; b.len() + 1];
        for (j, &y) in b.iter().enumerate() {
            let replaced = above[j] + usize::from(x != y);
            row[j + 1] = replaced.min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && x == b[j - 1] && a[i - 1] == y {
                row[j + 1] = row[j + 1].min(before[j - 1] + 1);
            }
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn offers_slips_and_nothing_far() {
        let names = ["p1.state", "p2.state", "turn", "x"];
        assert_eq!(nearest("p1.sate", names), Some("p1.state"));
        assert_eq!(nearest("trun", names), Some("turn"));
        assert_eq!(nearest("TURN", names), Some("turn"));
        assert_eq!(nearest("leader", names), None);
        assert_eq!(nearest("y", names), None);
        assert_eq!(nearest("", names), None);
    }
}
