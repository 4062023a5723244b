//! How an order fits a sequence or a regular expression: which position is which of its letters.
//!
//! The expression is read as a machine with one state for each letter, and followed along the order from position to
//! position; of several ways to fit it the one with the earliest moments is taken. Letters within a repetition say what
//! held meanwhile, the others are the moments.
//!
//! An order that does not fit a sequence gets through some of its steps. Told is how far it gets, and what comes before
//! the next step that should not, or that the next step does not come at all.

use causet_formula::core::Pred;
use causet_formula::linear::{Hit, Regular};

use super::moments;
use super::sentence::{Sentence, Telling};
use super::word::{Findings, Word};

/// Orders with more positions times letters are not read again for the sake of a sentence.
const MOST_STEPS: usize = 2_000_000;

/// The sentence for a sequence that the order fits, or does not.
pub(super) fn of_sequence(
    telling: &Telling<'_>,
    hits: &[Hit],
    complement: bool,
) -> Option<Sentence> {
    if complement {
        return missed(telling, hits);
    }
    let steps = hits.iter().flat_map(|hit| {
        let between = Regular::star(Regular::Letter(hit.between.clone()));
        [between, Regular::Letter(hit.at.clone())]
    });
    let rest = Regular::star(Regular::Letter(Pred::TRUE));
    of_regular(telling, &Regular::then(steps.chain([rest])))
}

/// The sentence for a regular expression that the order fits.
pub(super) fn of_regular(telling: &Telling<'_>, regular: &Regular) -> Option<Sentence> {
    let mut machine = Machine::default();
    let end = machine.add(Step::Accept);
    let start = machine.compile(regular, true, end);
    let word = Word::of(telling.path, machine.letters().map(|(pred, _)| pred))?;
    if word.positions().saturating_mul(machine.steps.len()) > MOST_STEPS {
        return None;
    }
    let letters = machine.fit(&word, start)?;
    let mut found = machine.findings(&letters);
    found.tidy();
    moments::tell(telling, &found)
}

/// How far an order gets with a sequence that it does not fit, and what is wrong after that.
fn missed(telling: &Telling<'_>, hits: &[Hit]) -> Option<Sentence> {
    let preds = hits.iter().flat_map(|hit| [&hit.between, &hit.at]);
    let word = Word::of(telling.path, preds)?;
    let ends = progress(&word, hits);
    let next = hits.get(ends.len())?;
    // Of several ways to get as far as that, the first when nothing comes after it, else the last.
    let after = |end: Option<usize>| end.map_or(0, |end| end + 1);
    let comes = |from: usize| (from..word.positions()).find(|&at| word.holds(&next.at, at));
    let first = ends.last().and_then(|ends| Some(ends.first()?.0));
    let last = ends.last().and_then(|ends| Some(ends.last()?.0));
    let end = match comes(after(first)) {
        None => first,
        Some(_) => last,
    };
    let mut found = Findings::default();
    match comes(after(end)) {
        None if word.is_complete => {
            // An order that ends with the step before it has no position after it to speak of.
            let last = word.positions() - 1;
            let from = after(end).min(last);
            if word.holds(&next.at, from) {
                return None;
            }
            found.spans.push((from..last + 1, (&next.at, false)));
        }
        None => return None,
        Some(hit) => {
            let fault = (after(end)..hit).find(|&at| !word.holds(&next.between, at))?;
            found.moments.push((fault, (&next.between, false)));
            found.moments.push((hit, (&next.at, true)));
        }
    }
    let mut end = end;
    for (ends, hit) in ends.iter().zip(hits).rev() {
        let (at, before) = *ends.iter().find(|&&(at, _)| Some(at) == end)?;
        found.moments.push((at, (&hit.at, true)));
        end = before;
    }
    found.moments.reverse();
    found.tidy();
    moments::tell(telling, &found)
}

/// For each step of a sequence that can be reached: the positions where it can be, each with one for the step before.
fn progress(word: &Word<'_>, hits: &[Hit]) -> Vec<Vec<(usize, Option<usize>)>> {
    let mut all: Vec<Vec<(usize, Option<usize>)>> = Vec::new();
    for hit in hits {
        // Where the step before was, as long as nothing that must not be has come since.
        let mut open: Option<Option<usize>> = all.is_empty().then_some(None);
        let mut ends = Vec::new();
        for at in 0..word.positions() {
            if let Some(before) = open
                && word.holds(&hit.at, at)
            {
                ends.push((at, before));
            }
            if !word.holds(&hit.between, at) {
                open = None;
            }
            let ended = |before: &Vec<(usize, Option<usize>)>| {
                before.binary_search_by_key(&at, |&(end, _)| end).is_ok()
            };
            if open.is_none() && all.last().is_some_and(ended) {
                open = Some(Some(at));
            }
        }
        if ends.is_empty() {
            break;
        }
        all.push(ends);
    }
    all
}

/// A regular expression as a machine.
#[derive(Default)]
struct Machine<'f> {
    steps: Vec<Step<'f>>,
}

/// A state of it.
#[derive(Clone, Copy)]
enum Step<'f> {
    /// Reads a position with this predicate. It is a moment unless it may be repeated.
    Letter {
        pred: &'f Pred,
        is_moment: bool,
        next: usize,
    },
    /// Goes on with either, the first by preference.
    Either(usize, usize),
    /// There is no way on.
    Stuck,
    /// All has been read.
    Accept,
}

/// A state that was reached by reading a letter, and from where.
struct Reached {
    step: usize,
    before: Option<usize>,
}

impl<'f> Machine<'f> {
    fn add(&mut self, step: Step<'f>) -> usize {
        self.steps.push(step);
        self.steps.len() - 1
    }

    /// Adds what reads an expression and goes on with a state; says where that begins.
    fn compile(&mut self, regular: &'f Regular, is_moment: bool, next: usize) -> usize {
        match regular {
            Regular::Letter(pred) => self.add(Step::Letter {
                pred,
                is_moment,
                next,
            }),
            Regular::Then(parts) => {
                let parts = parts.iter().rev();
                parts.fold(next, |next, part| self.compile(part, is_moment, next))
            }
            Regular::Either(parts) => {
                let stuck = self.add(Step::Stuck);
                parts.iter().rev().fold(stuck, |other, part| {
                    let one = self.compile(part, is_moment, next);
                    self.add(Step::Either(one, other))
                })
            }
            Regular::Star(inner) => {
                let again = self.add(Step::Stuck);
                let once = self.compile(inner, false, again);
                self.steps[again] = Step::Either(next, once);
                again
            }
        }
    }

    fn letters(&self) -> impl Iterator<Item = (&'f Pred, bool)> {
        self.steps.iter().filter_map(|step| match *step {
            Step::Letter {
                pred, is_moment, ..
            } => Some((pred, is_moment)),
            _ => None,
        })
    }

    /// The letter that reads each position, when all are read.
    fn fit(&self, word: &Word<'_>, start: usize) -> Option<Vec<usize>> {
        let mut reached: Vec<Reached> = Vec::new();
        let mut open = self.ready(&[(start, None)]);
        for at in 0..word.positions() {
            let mut next = Vec::new();
            for (step, before) in open {
                if let Step::Letter { pred, next: to, .. } = self.steps[step]
                    && word.holds(pred, at)
                {
                    reached.push(Reached { step, before });
                    next.push((to, Some(reached.len() - 1)));
                }
            }
            open = self.ready(&next);
        }
        let is_end = |step: usize| matches!(self.steps[step], Step::Accept);
        let (_, mut last) = open.into_iter().find(|&(step, _)| is_end(step))?;
        let mut letters = Vec::new();
        while let Some(one) = last {
            letters.push(reached[one].step);
            last = reached[one].before;
        }
        letters.reverse();
        Some(letters)
    }

    /// The letters and ends that states lead to without reading, the preferred ones first, each once.
    fn ready(&self, states: &[(usize, Option<usize>)]) -> Vec<(usize, Option<usize>)> {
        let mut seen = vec![false; self.steps.len()];
        let mut found = Vec::new();
        let mut open: Vec<(usize, Option<usize>)> = states.iter().rev().copied().collect();
        while let Some((step, before)) = open.pop() {
            if std::mem::replace(&mut seen[step], true) {
                continue;
            }
            match self.steps[step] {
                Step::Either(one, other) => open.extend([(other, before), (one, before)]),
                Step::Letter { .. } | Step::Accept => found.push((step, before)),
                Step::Stuck => {}
            }
        }
        found
    }

    /// The moments and what held meanwhile.
    fn findings(&self, letters: &[usize]) -> Findings<'f> {
        let mut found = Findings::default();
        let mut before = None;
        for (at, &step) in letters.iter().enumerate() {
            if let Step::Letter {
                pred, is_moment, ..
            } = self.steps[step]
            {
                match found.spans.last_mut() {
                    _ if is_moment => found.moments.push((at, (pred, true))),
                    Some((range, _)) if before == Some(step) => range.end = at + 1,
                    _ => found.spans.push((at..at + 1, (pred, true))),
                }
            }
            before = Some(step);
        }
        found
    }
}
