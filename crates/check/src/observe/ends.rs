//! What the two ends of every order show of a formula of LTL.
//!
//! All orders begin at the initial cut and end at the final one, so an atom has one value at the first position of every
//! order, and one at the last. The operators pass this on. With "always" for the same value at every position of every
//! order:
//!
//! | formula | at the first position | at the last | always |
//! |---|---|---|---|
//! | `X f` | true if `f` is always true | false | false if `f` is |
//! | `f U g` | true if `g` is, false if `f` and `g` are | as `g` | as `g`; true if `f` is always true and `g` at the last position |
//!
//! So `F p` always holds if `p` does at the final cut, and `F ((F p) -> G q)` if the final cut satisfies `p -> q`. An atom
//! about an event is false at the first position and unknown at the last, where another order may end with another event.

use causet_formula::core::Pred;
use causet_solve::automaton::linear::Ltl;
use fixedbitset::FixedBitSet;

use super::join;

/// The value of a formula at the first position of all orders, if they show it.
pub(super) fn value_in_every_order(
    formula: &Ltl<usize>,
    atoms: &[Pred],
    letters: &[FixedBitSet],
    last: usize,
) -> Option<bool> {
    let word = EveryOrder {
        atoms,
        letters,
        last,
    };
    word.ends(formula).first
}

struct EveryOrder<'w> {
    atoms: &'w [Pred],
    /// Per atom: the positions of the recorded order where it holds.
    letters: &'w [FixedBitSet],
    last: usize,
}

/// What is known of a formula in all orders.
#[derive(Clone, Copy, Default)]
struct Ends {
    first: Option<bool>,
    last: Option<bool>,
    /// A value that it has at every position.
    always: Option<bool>,
}

impl Ends {
    fn always(value: bool) -> Ends {
        Ends {
            first: Some(value),
            last: Some(value),
            always: Some(value),
        }
    }

    fn map(self, change: impl Fn(Option<bool>) -> Option<bool>) -> Ends {
        Ends {
            first: change(self.first),
            last: change(self.last),
            always: change(self.always),
        }
    }
}

impl EveryOrder<'_> {
    fn ends(&self, formula: &Ltl<usize>) -> Ends {
        match formula {
            Ltl::State(atom) => self.atom(*atom),
            Ltl::Not(part) => self.ends(part).map(|value| value.map(|value| !value)),
            Ltl::And(parts) => self.joined(false, parts),
            Ltl::Or(parts) => self.joined(true, parts),
            Ltl::Next(part) => {
                let always = self.ends(part).always;
                match always {
                    Some(false) => Ends::always(false),
                    _ => Ends {
                        first: always.map(|value| value && self.last > 0),
                        last: Some(false),
                        always: None,
                    },
                }
            }
            Ltl::Until(hold, goal) => until(self.ends(hold), self.ends(goal)),
        }
    }

    fn atom(&self, atom: usize) -> Ends {
        let letter = &self.letters[atom];
        let is_event = matches!(self.atoms[atom], Pred::On(_));
        Ends {
            first: Some(letter.contains(0)),
            last: (!is_event).then(|| letter.contains(self.last)),
            always: None,
        }
    }

    fn joined(&self, decisive: bool, parts: &[Ltl<usize>]) -> Ends {
        let parts: Vec<Ends> = parts.iter().map(|part| self.ends(part)).collect();
        Ends {
            first: join(decisive, parts.iter().map(|part| part.first)),
            last: join(decisive, parts.iter().map(|part| part.last)),
            always: join(decisive, parts.iter().map(|part| part.always)),
        }
    }
}

fn until(hold: Ends, goal: Ends) -> Ends {
    let is_reached = hold.always == Some(true) && goal.last == Some(true);
    if let Some(value) = goal.always.or(is_reached.then_some(true)) {
        return Ends::always(value);
    }
    let is_broken = hold.first == Some(false) && goal.first == Some(false);
    Ends {
        first: goal
            .first
            .filter(|&value| value)
            .or(is_broken.then_some(false)),
        last: goal.last,
        always: None,
    }
}
