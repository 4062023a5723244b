//! From the visible product to the complete test graph.
//!
//! A set of product states accepts if one of its members does, and refuses if one of them does and none accepts: the
//! purpose may be fulfilled then, and nobody can tell. Sets that accept or refuse are not looked beyond. A set leads to
//! acceptance if an accepting one can be reached; the graph has those sets, and (numbers as in the definitions of TGV's
//! graph)
//!
//! 1. an accepting set is the verdict `Pass`;
//! 2. a step between sets that lead to acceptance stays;
//! 3. an output that leads elsewhere becomes `Inconclusive`;
//! 4. an output, or silence, that the specification does not allow here becomes `Fail`;
//! 5. an input that leads elsewhere is not sent.

use causet_base::budget::{Budget, Spent};
use causet_solve::steps::{Edge, Steps};

use super::graph::{Failures, TestGraph, Verdict};
use super::purpose::Mark;
use super::roles::{Alphabet, Role};
use super::visible::Visible;

/// What is to be done with a set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Standing {
    /// The purpose is fulfilled.
    Accepts,
    /// Nothing beyond it matters.
    Ends,
    /// It must be looked at.
    GoesOn,
}

impl Standing {
    /// The standing of a set whose members have these marks.
    pub(super) fn of(marks: impl Iterator<Item = Mark>) -> Standing {
        let mut standing = Standing::GoesOn;
        for mark in marks {
            match mark {
                Mark::Accept => return Standing::Accepts,
                Mark::Refuse => standing = Standing::Ends,
                Mark::Open => {}
            }
        }
        standing
    }
}

/// The sets that were met, with their steps.
pub(super) struct Explored {
    standings: Vec<Standing>,
    steps: Vec<Vec<Edge>>,
}

impl Explored {
    /// Explores the sets breadth-first, as far as their standing says.
    pub(super) fn new<T: Steps>(
        visible: &mut Visible<'_, T>,
        standing: impl Fn(&T, &[u32]) -> Standing,
        budget: &Budget<'_>,
    ) -> Result<Explored, Spent> {
        visible.initial(budget)?;
        let mut explored = Explored {
            standings: Vec::new(),
            steps: Vec::new(),
        };
        while explored.steps.len() < visible.len() {
            budget.tick()?;
            let set = explored.steps.len() as u32;
            let standing = standing(visible.steps(), visible.members(set));
            let steps = match standing {
                Standing::GoesOn => visible.successors(set, budget)?,
                Standing::Accepts | Standing::Ends => Vec::new(),
            };
            budget.charge(2 * size_of::<Vec<Edge>>() + steps.len() * 3 * size_of::<Edge>())?;
            explored.standings.push(standing);
            explored.steps.push(steps);
        }
        Ok(explored)
    }

    /// How many sets and steps between them there are.
    pub(super) fn size(&self) -> (usize, usize) {
        (self.steps.len(), self.steps.iter().map(Vec::len).sum())
    }

    /// Which sets lead to acceptance, found backwards.
    fn leading(&self) -> Vec<bool> {
        let mut before = vec![Vec::new(); self.steps.len()];
        for (source, steps) in self.steps.iter().enumerate() {
            steps
                .iter()
                .for_each(|step| before[step.target as usize].push(source));
        }
        let accepts = |standing: &Standing| *standing == Standing::Accepts;
        let mut leading: Vec<bool> = self.standings.iter().map(accepts).collect();
        let mut waiting: Vec<usize> = (0..leading.len()).filter(|&set| leading[set]).collect();
        while let Some(set) = waiting.pop() {
            for &source in &before[set] {
                if !std::mem::replace(&mut leading[source], true) {
                    waiting.push(source);
                }
            }
        }
        leading
    }

    /// The complete test graph, unless nothing leads to acceptance.
    pub(super) fn graph(
        &self,
        alphabet: &Alphabet,
        failures: Failures,
        budget: &Budget<'_>,
    ) -> Result<Option<TestGraph>, Spent> {
        let leading = self.leading();
        if !leading[0] {
            return Ok(None);
        }
        let outputs: Vec<u32> = match failures {
            Failures::Explicit => alphabet.with_role(Role::Output).collect(),
            Failures::Implicit => Vec::new(),
        };
        let mut draft = Draft::default();
        draft.number(Place::Set(0), &self.standings);
        let mut next = 0;
        while let Some(&place) = draft.places.get(next) {
            budget.tick()?;
            if let Place::Set(set) = place {
                budget.charge(
                    (outputs.len() + self.steps[set as usize].len()) * size_of::<(u32, Edge)>(),
                )?;
                for (label, place) in self.arrows(set, &leading, alphabet, &outputs) {
                    let target = draft.number(place, &self.standings);
                    draft.steps.push((next as u32, Edge { label, target }));
                }
            }
            next += 1;
        }
        // More steps than this would not fit into memory either.
        u32::try_from(draft.steps.len()).map_err(|_| Spent::Memory)?;
        let verdicts = draft.places.iter().map(|place| match place {
            Place::Set(_) => None,
            Place::End(verdict) => Some(*verdict),
        });
        let (labels, roles) = (alphabet.labels(), alphabet.roles());
        let verdicts = verdicts.collect();
        let graph = TestGraph::new(&draft.steps, verdicts, labels, roles, failures);
        Ok(Some(graph))
    }

    /// Where the steps of a set lead in the graph.
    fn arrows(
        &self,
        set: u32,
        leading: &[bool],
        alphabet: &Alphabet,
        outputs: &[u32],
    ) -> Vec<(u32, Place)> {
        let steps = &self.steps[set as usize];
        let mut arrows = Vec::new();
        for step in steps {
            let is_output = alphabet.role(step.label) == Role::Output;
            if leading[step.target as usize] {
                arrows.push((step.label, Place::Set(step.target)));
            } else if is_output {
                arrows.push((step.label, Place::End(Verdict::Inconclusive)));
            }
        }
        let allowed = |label: u32| {
            steps
                .binary_search_by_key(&label, |step| step.label)
                .is_ok()
        };
        let wrong = outputs.iter().filter(|&&label| !allowed(label));
        arrows.extend(wrong.map(|&label| (label, Place::End(Verdict::Fail))));
        arrows
    }
}

/// What a state of the graph stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    Set(u32),
    End(Verdict),
}

/// A graph while it is built; its states are numbered as they are met.
#[derive(Default)]
struct Draft {
    places: Vec<Place>,
    numbers: std::collections::HashMap<Place, u32>,
    steps: Vec<(u32, Edge)>,
}

impl Draft {
    /// The number of a place; all accepting sets are one.
    fn number(&mut self, place: Place, standings: &[Standing]) -> u32 {
        let place = match place {
            Place::Set(set) if standings[set as usize] == Standing::Accepts => {
                Place::End(Verdict::Pass)
            }
            place => place,
        };
        *self.numbers.entry(place).or_insert_with(|| {
            self.places.push(place);
            self.places.len() as u32 - 1
        })
    }
}
