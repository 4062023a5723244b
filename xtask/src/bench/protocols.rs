//! The list that `causet gen --list` prints, as rows of a bench.

/// How many processes a protocol gets if it can.
const PROCESSES: usize = 10;

/// The names of the protocols in the list that `causet gen` prints, and how many processes each gets.
pub(super) fn protocols(list: &str) -> Vec<(String, usize)> {
    let mut found: Vec<(String, usize)> = Vec::new();
    for line in list.lines() {
        if let Some(range) = line.trim().strip_prefix("processes") {
            let mut ends = range.split([' ', ',']).filter_map(|word| word.parse().ok());
            let least = ends.next().unwrap_or(PROCESSES);
            let most = if range.contains(" to ") {
                ends.next().unwrap_or(least)
            } else {
                least
            };
            if let Some((_, procs)) = found.last_mut() {
                *procs = PROCESSES.clamp(least, most);
            }
        } else if !line.is_empty() && !line.starts_with(' ') {
            found.push((line.trim().to_owned(), PROCESSES));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn protocols_get_ten_processes_if_they_can() {
        let list = "random\n  Random writes.\n  processes  1 to 10000, usually 4\n  --set density=N  so many\n\n\
                    peterson\n  A lock.\n  faulty     It enters.\n  processes  2\n\nring\n  processes  12 to 20, usually 12\n";
        let expected = [("random", 10), ("peterson", 2), ("ring", 12)];
        let found = protocols(list);
        let found: Vec<_> = found
            .iter()
            .map(|(name, procs)| (&**name, *procs))
            .collect();
        assert_eq!(found, expected);
    }
}
