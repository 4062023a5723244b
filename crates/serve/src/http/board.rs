//! What was told, remembered for those who ask later: the last news, and how often each verdict was given.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;

use crate::news::News;

/// So many news are remembered.
const REMEMBERED: usize = 1000;

/// The news of all runs.
#[derive(Debug, Default)]
pub struct Board(Mutex<Pinned>);

#[derive(Debug, Default)]
struct Pinned {
    /// The number of the next news.
    next: u64,
    last: VecDeque<(u64, News)>,
    verdicts: BTreeMap<(String, &'static str), u64>,
}

/// News with their number.
#[derive(Clone, Debug, Serialize)]
pub struct Numbered {
    /// Counted from 0.
    pub number: u64,
    /// What was told.
    #[serde(flatten)]
    pub news: News,
}

impl Board {
    /// Remembers what is told.
    pub fn pin(&self, news: &News) {
        let mut pinned = self.pinned();
        let key = (news.property.clone(), news.verdict);
        *pinned.verdicts.entry(key).or_default() += 1;
        if pinned.last.len() == REMEMBERED {
            pinned.last.pop_front();
        }
        let number = pinned.next;
        pinned.last.push_back((number, news.clone()));
        pinned.next += 1;
    }

    /// The news from a number on, as far as they are remembered.
    pub fn since(&self, number: u64) -> Vec<Numbered> {
        let pinned = self.pinned();
        let since = pinned.last.iter().filter(|(at, _)| *at >= number);
        let numbered = since.map(|(number, news)| Numbered {
            number: *number,
            news: news.clone(),
        });
        numbered.collect()
    }

    /// How often each verdict on each property was given.
    pub fn verdicts(&self) -> BTreeMap<(String, &'static str), u64> {
        self.pinned().verdicts.clone()
    }

    fn pinned(&self) -> MutexGuard<'_, Pinned> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_news_are_remembered() {
        let board = Board::default();
        for events in 0..REMEMBERED as u64 + 5 {
            board.pin(&News {
                run: "r".to_owned(),
                property: "p".to_owned(),
                verdict: "violated",
                certain: true,
                reason: None,
                at: BTreeMap::new(),
                events,
                left_out: 0,
            });
        }
        let all = board.since(0);
        assert_eq!(all.len(), REMEMBERED);
        assert_eq!(
            all.first().map(|first| (first.number, first.news.events)),
            Some((5, 5))
        );
        assert_eq!(board.since(REMEMBERED as u64).len(), 5);
        let counted = BTreeMap::from([(("p".to_owned(), "violated"), REMEMBERED as u64 + 5)]);
        assert_eq!(board.verdicts(), counted);
    }
}
