//! The recorded order as a word: at which of its positions each predicate of a sight holds.
//!
//! No clocks are needed for it, since one order is given, so it costs a look at every change of a term. Position 0 is the
//! initial cut, position `i` the cut after `i` events: of those that change a term, or of all of them where the sight
//! takes in every event.

use causet_base::budget::{Budget, Spent};
use causet_base::value::Value;
use causet_formula::core::Pred;
use fixedbitset::FixedBitSet;

use super::incremental::Incremental;
use super::survey::{Letter, Sight, Survey};
use super::view::TermId;

/// The truth of predicates along the recorded order.
pub(crate) struct Recorded<'s> {
    sight: &'s Sight,
    /// Per position but the first: the rank of the event that led there. Without, position `i + 1` is that of rank `i`.
    ranks: Option<Vec<u32>>,
    /// The number of the last position.
    last: usize,
    /// Per view: the positions where it holds.
    views: Vec<FixedBitSet>,
    /// Per term about events: the positions to which such an event has led.
    marks: Vec<FixedBitSet>,
    /// Whether something was divided by zero at some position.
    pub(crate) divided_by_zero: bool,
}

/// A term gets a value: the rank of the event, the term, the number of the value.
type Change = (u32, u32, u32);

impl Survey<'_> {
    /// The recorded order as a sight sees it.
    pub(crate) fn recorded<'s>(
        &'s self,
        sight: &'s Sight,
        budget: &Budget<'_>,
    ) -> Result<Recorded<'s>, Spent> {
        let changes = self.changes(sight, budget)?;
        let ranks = (!sight.whole).then(|| {
            let mut ranks: Vec<u32> = changes.iter().map(|&(rank, ..)| rank).collect();
            ranks.dedup();
            ranks
        });
        let last = ranks.as_ref().map_or(self.subject.trace.len(), Vec::len);
        let rows = sight.views.len() + sight.terms.len();
        budget.charge(last * 4 + rows * (last / 8 + 64))?;
        let nowhere = || FixedBitSet::with_capacity(last + 1);
        let mut recorded = Recorded {
            sight,
            ranks,
            last,
            views: vec![nowhere(); sight.views.len()],
            marks: Vec::new(),
            divided_by_zero: sight.divided_by_zero,
        };
        let is_marked = |&term: &TermId| self.terms[term].is_marked;
        let marks = sight.terms.iter().map(|term| match is_marked(term) {
            true => nowhere(),
            false => FixedBitSet::new(),
        });
        recorded.marks = marks.collect();
        recorded.read(self, &changes, budget)?;
        Ok(recorded)
    }

    /// The changes of all terms, in the recorded order.
    fn changes(&self, sight: &Sight, budget: &Budget<'_>) -> Result<Vec<Change>, Spent> {
        let courses = sight.terms.iter().map(|&term| &self.terms[term].course);
        let count: usize = courses.clone().map(|course| course.events.len()).sum();
        budget.charge(count * size_of::<Change>() * 2)?;
        let mut changes = Vec::with_capacity(count);
        for (term, course) in courses.enumerate() {
            let of_term = course.changes();
            changes
                .extend(of_term.map(|(event, value)| (self.ranks.of(event), term as u32, value)));
        }
        // Made of lists that are in order: a sort that finds such stretches is faster.
        changes.sort_by_key(|&(rank, ..)| rank);
        Ok(changes)
    }
}

impl Recorded<'_> {
    fn read(
        &mut self,
        survey: &Survey<'_>,
        changes: &[Change],
        budget: &Budget<'_>,
    ) -> Result<(), Spent> {
        let course_of = |term: usize| &survey.terms[self.sight.terms[term]].course;
        let first = |term| {
            let course = course_of(term);
            course.values[course.first as usize].clone()
        };
        let values: Vec<Option<Value>> = (0..self.sight.terms.len()).map(first).collect();
        let mut now = Incremental::new(&self.sight.views, &values);
        // Since which position each view has held.
        let mut since: Vec<Option<usize>> = (0..self.views.len())
            .map(|view| now.holds(view).then_some(0))
            .collect();
        let mut position = 0;
        for together in changes.chunk_by(|one, other| one.0 == other.0) {
            budget.tick()?;
            position = if self.sight.whole {
                together[0].0 as usize + 1
            } else {
                position + 1
            };
            for &(_, term, value) in together {
                let term = term as usize;
                let mark = &mut self.marks[term];
                if mark.is_empty() {
                    now.change(term, &course_of(term).values[value as usize]);
                } else {
                    mark.insert(position);
                }
            }
            now.settle();
            while let Some(view) = now.next_changed() {
                match (since[view], now.holds(view)) {
                    (None, true) => since[view] = Some(position),
                    (Some(start), false) => {
                        self.views[view].insert_range(start..position);
                        since[view] = None;
                    }
                    _ => {}
                }
            }
        }
        for (view, since) in self.views.iter_mut().zip(since) {
            if let Some(start) = since {
                view.insert_range(start..self.last + 1);
            }
        }
        self.divided_by_zero |= now.divided_by_zero();
        Ok(())
    }

    /// The number of the last position, which is the final cut.
    pub(crate) fn last(&self) -> usize {
        self.last
    }

    /// The positions where a predicate of the formulas holds.
    pub(crate) fn predicate(&self, pred: &Pred) -> &FixedBitSet {
        &self.views[self.sight.number_of[pred]]
    }

    /// Whether a predicate is a disjunction of terms, each of which one track decides.
    pub(crate) fn is_local_disjunction(&self, pred: &Pred) -> bool {
        self.sight.views[self.sight.number_of[pred]].is_local_disjunction(true)
    }

    /// The positions where each atom of an automaton holds.
    pub(crate) fn letters(&self) -> Vec<FixedBitSet> {
        let letters = self.sight.letters.iter();
        let positions = letters.map(|letter| match letter {
            Letter::State(view) => self.views[*view].clone(),
            Letter::Event(terms) => {
                let mut positions = FixedBitSet::with_capacity(self.last + 1);
                for &term in terms {
                    positions.union_with(&self.marks[term]);
                }
                positions
            }
        });
        positions.collect()
    }

    /// How many events of the whole run lead to a position.
    pub(crate) fn events_before(&self, position: usize) -> u32 {
        match &self.ranks {
            Some(ranks) => position.checked_sub(1).map_or(0, |at| ranks[at] + 1),
            None => position as u32,
        }
    }
}

#[cfg(test)]
mod tests {
    use causet_base::budget::Budget;
    use causet_formula::{Kind, Lets, Property};
    use causet_trace::random::{self, Shape};
    use fastrand::Rng;

    use crate::fixtures::{Maker, random_sum};
    use crate::prepare::prepare;
    use crate::project::Survey;
    use crate::records::Records;
    use crate::subject::Subject;
    use crate::valuation::Valuation;

    /// A random predicate with folds, sums, divisions, channels and connectives.
    fn predicate(maker: &mut Maker<'_>) -> String {
        let sum = random_sum(maker.rng, maker.processes);
        let bound = maker.rng.i64(-3..=4);
        let fold = ["min", "max", "sum"][maker.rng.usize(0..3)];
        let op = ["<", "<=", ">", ">=", "=", "!="][maker.rng.usize(0..6)];
        match maker.rng.usize(0..6) {
            0 => format!("{sum} {op} {bound}"),
            1 => format!("{fold}(i in procs: i.x) {op} {bound}"),
            2 => format!("{fold}(i in procs: 6 / i.x) {op} {bound}"),
            3 => format!("count(i in procs: i.x {op} {bound}) >= 2"),
            4 => format!("({sum}) % 3 = 1 || !({})", maker.state(2)),
            _ => maker.state(3),
        }
    }

    /// Every predicate at every position of the recorded order, against its value at that cut.
    #[test]
    fn predicates_are_followed_along_the_recorded_order() {
        let (mut held, mut positions) = (0, 0);
        for seed in 0..3000 {
            let mut rng = Rng::with_seed(seed);
            let shape = Shape::small(&mut rng);
            let trace = random::run(&mut rng, shape);
            let mut maker = Maker {
                rng: &mut rng,
                processes: shape.processes,
                shared: shape.shared,
            };
            let text = predicate(&mut maker);
            let whole = maker.rng.bool();
            let subject = Subject::of(&trace);
            let property = Property::parse(Kind::Possibly, "p", &text).expect("a property");
            let Ok(question) = prepare(&subject, &property, &Lets::none()) else {
                continue;
            };
            let goal = question.goals().1[0];
            let causet_formula::core::Ctl::Eu(_, at) = goal else {
                continue;
            };
            let causet_formula::core::Ctl::State(pred) = &**at else {
                continue;
            };
            let vars = question.lowered.mentions.iter().map(|&(var, _)| var);
            let mut survey = Survey::new(Records::of(subject, vars));
            let sight = survey.look_at_all(&[goal], whole);
            let recorded = survey
                .recorded(&sight, &Budget::endless())
                .expect("no limit");
            let valuation = Valuation::new(&trace, [pred]);
            let order = trace.order();
            for position in 0..=recorded.last() {
                let events = recorded.events_before(position) as usize;
                let cut = order.closure(order.recorded().take(events));
                let cut: Vec<u32> = order.processes().map(|process| cut.of(process)).collect();
                let expected = valuation.holds(pred, &cut);
                let found = recorded.predicate(pred).contains(position);
                assert_eq!(found, expected, "seed {seed}: {text} after {events} events");
                held += u32::from(found);
                positions += 1;
            }
        }
        assert!(positions > 10_000, "{positions}");
        assert!(
            (positions / 5..positions * 4 / 5).contains(&held),
            "{held} of {positions}"
        );
    }
}
