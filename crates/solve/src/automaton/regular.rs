//! Regular expressions over conditions on letters, and their automata.
//!
//! The position construction of Glushkov has one state for each letter of the expression, and one to begin with. It needs
//! no moves without a letter, where the construction of Thompson would add them only for others to remove.

use super::decisions::{Decisions, union};
use super::determinise::Subsets;
use super::linear::Regular;
use super::{Automaton, Guard, State};
use causet_base::budget::{Budget, Spent};

/// Whether an expression describes the whole word, by the definition of its operators.
pub fn matches(expression: &Regular<Guard>, word: &[Vec<bool>]) -> bool {
    let mut begins = vec![false; word.len() + 1];
    begins[0] = true;
    ends(expression, word, &begins)[word.len()]
}

/// The automaton of the words that an expression over so many atoms describes.
pub fn translate(
    expression: &Regular<Guard>,
    atoms: usize,
    budget: &Budget,
) -> Result<Automaton, Spent> {
    let mut positions = Positions::default();
    let whole = positions.enter(expression);
    let branch = budget.branch();
    let mut subsets = Subsets::new(&Decisions::new(), &branch);
    let nowhere = subsets.decisions.leaf(&[]);
    let arrivals: Vec<_> = (0..)
        .zip(&positions.guards)
        .map(|(position, guard)| {
            let there = subsets.decisions.leaf(&[position + 1]);
            subsets.decisions.choose(guard, there, nowhere)
        })
        .collect();
    let mut moves = Vec::new();
    for follow in [&whole.first].into_iter().chain(&positions.follow) {
        let arrivals = follow.iter().map(|&position| arrivals[position as usize]);
        moves.push(subsets.unite(arrivals)?);
    }
    let is_last = (0..moves.len() as State - 1).map(|position| whole.last.contains(&position));
    Ok(Automaton {
        atoms,
        accepting: [whole.nullable].into_iter().chain(is_last).collect(),
        decisions: subsets.decisions,
        moves,
        initial: 0,
    })
}

/// Where a match may end, given where it may begin: both say for each number of letters whether it is possible.
fn ends(expression: &Regular<Guard>, word: &[Vec<bool>], begins: &[bool]) -> Vec<bool> {
    match expression {
        Regular::Letter(guard) => {
            let after = |(letter, &begins): (&Vec<bool>, &bool)| {
                begins && guard.holds(&|atom| letter[atom])
            };
            let after = word.iter().zip(begins).map(after);
            [false].into_iter().chain(after).collect()
        }
        Regular::Then(parts) => {
            let start = begins.to_vec();
            let each = |begins: Vec<bool>, part| ends(part, word, &begins);
            parts.iter().fold(start, each)
        }
        Regular::Either(parts) => {
            let each = |all: Vec<bool>, part| either(&all, &ends(part, word, begins));
            parts.iter().fold(vec![false; begins.len()], each)
        }
        Regular::Star(part) => {
            let mut reached = begins.to_vec();
            loop {
                let more = either(&reached, &ends(part, word, &reached));
                if more == reached {
                    return reached;
                }
                reached = more;
            }
        }
    }
}

fn either(one: &[bool], other: &[bool]) -> Vec<bool> {
    let each = one.iter().zip(other);
    each.map(|(&one, &other)| one || other).collect()
}

/// The letters of an expression, numbered from the left.
#[derive(Default)]
struct Positions {
    guards: Vec<Guard>,
    /// Per position, those that may come next, in ascending order.
    follow: Vec<Vec<State>>,
}

/// How the words of an expression begin and end.
struct Borders {
    /// Whether the empty word is one of them.
    nullable: bool,
    first: Vec<State>,
    last: Vec<State>,
}

impl Borders {
    fn empty_word() -> Self {
        Borders {
            nullable: true,
            first: Vec::new(),
            last: Vec::new(),
        }
    }
}

impl Positions {
    fn enter(&mut self, expression: &Regular<Guard>) -> Borders {
        match expression {
            Regular::Letter(guard) => {
                let position = vec![self.guards.len() as State];
                self.guards.push(guard.clone());
                self.follow.push(Vec::new());
                Borders {
                    nullable: false,
                    first: position.clone(),
                    last: position,
                }
            }
            Regular::Then(parts) => {
                let mut whole = Borders::empty_word();
                for part in parts {
                    let part = self.enter(part);
                    whole = self.then(&whole, part);
                }
                whole
            }
            Regular::Either(parts) => {
                let mut whole = Borders {
                    nullable: false,
                    ..Borders::empty_word()
                };
                for part in parts {
                    let part = self.enter(part);
                    whole.nullable |= part.nullable;
                    whole.first = union(&whole.first, &part.first);
                    whole.last = union(&whole.last, &part.last);
                }
                whole
            }
            Regular::Star(part) => {
                let part = self.enter(part);
                self.connect(&part.last, &part.first);
                Borders {
                    nullable: true,
                    ..part
                }
            }
        }
    }

    fn then(&mut self, one: &Borders, other: Borders) -> Borders {
        self.connect(&one.last, &other.first);
        let mut first = one.first.clone();
        if one.nullable {
            first = union(&first, &other.first);
        }
        let mut last = other.last;
        if other.nullable {
            last = union(&one.last, &last);
        }
        Borders {
            nullable: one.nullable && other.nullable,
            first,
            last,
        }
    }

    fn connect(&mut self, from: &[State], to: &[State]) {
        for &position in from {
            let follow = &mut self.follow[position as usize];
            *follow = union(follow, to);
        }
    }
}
