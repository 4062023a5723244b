//! The ids of reports, and which report an id means.
//!
//! All ids are sorted, those that are looked for too, and then found side by side. With very many of them that is faster
//! than a table, which would be looked at in a new place each time.

use super::super::symbols::{Symbol, Symbols};
use super::report::Event;

/// An id, in numbers: the digits of the event, and twice the number of its task; or the number of the text that the event
/// is called by, and one more.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Id {
    event: u64,
    task: u32,
}

impl Id {
    /// The id of an event of a task.
    pub(super) fn of(task: Symbol, event: &Event<'_>, texts: &mut Symbols) -> Self {
        let task = 2 * task.index() as u32;
        match event {
            Event::Digits(event) => Id {
                event: *event,
                task,
            },
            Event::Text(text) => Id {
                event: texts.symbol(text).index() as u64,
                task: task + 1,
            },
        }
    }
}

/// Ids, each with the place where it stood among them.
#[derive(Default)]
pub(super) struct Ids(Vec<Placed>);

impl Ids {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn push(&mut self, id: Id) {
        let Id { event, task } = id;
        let place = self.0.len() as u32;
        self.0.push(Placed { event, task, place });
    }

    /// Keeps the first of them only.
    pub(super) fn truncate(&mut self, count: usize) {
        self.0.truncate(count);
    }

    fn sorted(mut self) -> Vec<Placed> {
        self.0.sort_unstable();
        self.0
    }
}

/// An id, and where it stood.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Placed {
    event: u64,
    task: u32,
    place: u32,
}

impl Placed {
    fn id(self) -> Id {
        let Placed { event, task, .. } = self;
        Id { event, task }
    }
}

/// Which report has an id: the first of those that have it, counted without the others.
pub(super) struct Index {
    /// Each id once.
    ids: Vec<Placed>,
    /// The places of reports that have the id of an earlier one, in their order.
    doubles: Vec<u32>,
}

impl Index {
    /// The reports that have these ids, one after the other.
    pub(super) fn of(ids: Ids) -> Self {
        let mut ids = ids.sorted();
        let mut doubles = Vec::new();
        ids.dedup_by(|next, before| {
            let is_same = next.id() == before.id();
            doubles.extend(is_same.then_some(next.place));
            is_same
        });
        doubles.sort_unstable();
        if !doubles.is_empty() {
            for id in &mut ids {
                id.place -= doubles.partition_point(|&double| double < id.place) as u32;
            }
        }
        Index { ids, doubles }
    }

    /// The places of reports that have the id of an earlier one, in their order.
    pub(super) fn doubles(&self) -> &[u32] {
        &self.doubles
    }

    /// For each id the number of its report, if there is one.
    pub(super) fn find(&self, wanted: Ids) -> Vec<Option<u32>> {
        let mut found = vec![None; wanted.len()];
        let mut ids = self.ids.iter().peekable();
        for wanted in wanted.sorted() {
            while ids.next_if(|id| id.id() < wanted.id()).is_some() {}
            let same = ids.peek().filter(|id| id.id() == wanted.id());
            found[wanted.place as usize] = same.map(|id| id.place);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_found_wherever_they_stand() {
        let all = |pairs: &[(u64, u32)]| {
            let mut ids = Ids::default();
            let pairs = pairs.iter();
            pairs.for_each(|&(event, task)| ids.push(Id { event, task }));
            ids
        };
        let index = Index::of(all(&[(7, 0), (3, 2), (7, 0), (7, 1), (3, 2), (1, 0)]));
        assert_eq!(index.doubles(), [2, 4]);
        let wanted = all(&[(7, 1), (9, 0), (1, 0), (7, 0), (3, 2), (7, 1), (3, 0)]);
        let expected = [Some(2), None, Some(3), Some(0), Some(1), Some(2), None];
        assert_eq!(index.find(wanted), expected);
    }
}
