//! The nearest known name to a misspelt one.
//!
//! Distance is Damerau-Levenshtein in its restricted form (insert, delete, replace, swap two
//! neighbours): the four slips of a typing hand. A name is offered when at most a third of its
//! letters is wrong; a name that differs only in case always is.

/// The candidate nearest to `name`, or `None` when nothing is near enough.
///
/// Among equally near candidates the one of the most similar length wins, then the first.
pub fn nearest<'a, I, S>(name: &str, candidates: I) -> Option<&'a str>
where
    I: IntoIterator<Item = &'a S>,
    S: AsRef<str> + ?Sized + 'a,
{
    let name = name.to_lowercase();
    let letters = name.chars().count();
    let mut best: Option<((usize, usize), &str)> = None;
    for candidate in candidates {
        let candidate = candidate.as_ref();
        let other = candidate.to_lowercase();
        let other_letters = other.chars().count();
        let allowed = (letters.max(other_letters) / 3).max(1);
        if letters.abs_diff(other_letters) > allowed {
            continue;
        }
        let distance = strsim::osa_distance(&name, &other);
        let is_near = distance <= allowed && distance < other_letters;
        let rank = (distance, letters.abs_diff(other_letters));
        if is_near && best.is_none_or(|(least, _)| rank < least) {
            best = Some((rank, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
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

    #[test]
    fn a_slip_is_recognised_and_a_stranger_is_not() {
        let fields = ["set", "send", "recv", "clock"];
        assert_eq!(nearest("sned", fields), Some("send"));
        assert_eq!(nearest("sent", fields), Some("send"));
        assert_eq!(nearest("Clock", fields), Some("clock"));
        assert_eq!(nearest("b", ["a"]), None);
        assert_eq!(nearest("temperature", fields), None);
    }
}
