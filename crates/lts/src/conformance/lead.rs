//! The complete test graph from an equation system (paper MB-DSolve, section 3.2).
//!
//! Which states of the product lead to acceptance is a boolean equation system, solved on the fly:
//!
//! ```text
//! X_s =nu Y_s and (W_t for every step s -> t)        s leads to acceptance, and so on along all steps that do
//! W_t =nu Z_t or X_t
//! Y_s =mu s accepts, or some Y_t                     s leads to acceptance
//! Z_s =nu s does not accept, and all Z_t             s does not
//! ```
//!
//! The diagnostic of `X` at the initial state is the raw graph: the states reached along steps to states with `Z`
//! false. It still has internal steps, so suspension and determinisation follow. Two things want care there. A state of
//! the raw graph is quiescent when it is so in the product, not when it is so after steps were cut off; a cycle of
//! internal steps lies inside or outside as a whole. And a set of states that the same trace leads to may have members
//! outside the raw graph: what they can do is allowed, so it must not become `Fail`, and only if no member is inside
//! does the set lead nowhere. So the members outside are followed in the product for as long as they have company
//! inside. A set that leads to acceptance member by member may still be cut off by refusal; the last step of selection
//! finds that.

use causet_base::budget::{Budget, Spent};
use causet_solve::bes::{Block, Equations, Operator, Resolution, Shape, Sign, Strategy, Variable};
use causet_solve::numbered::Numbered;
use causet_solve::space::Space;
use causet_solve::steps::{Edge, Steps};

use super::direct::Generated;
use super::graph::Failures;
use super::product::{Product, mark_of};
use super::purpose::{Mark, Purpose};
use super::roles::Alphabet;
use super::select::{Explored, Standing};
use super::visible::Visible;

/// Makes the complete test graph of a purpose by solving equations.
pub fn by_equations<S: Space>(
    specification: &S,
    alphabet: &Alphabet,
    purpose: &Purpose,
    (strategy, failures): (Strategy, Failures),
    budget: &Budget<'_>,
) -> Result<Generated, Spent> {
    let product = Product::new(specification, purpose);
    let equations = Leading {
        states: Numbered::new(&product, budget)?,
        budget,
    };
    let mut resolution = Resolution::new(equations, strategy, budget);
    if !resolution.solve()? {
        return Ok(nothing(resolution.equations().states.states()));
    }
    let raw = raw_graph(&mut resolution, budget)?;
    finish(
        &mut resolution.equations().states,
        &raw,
        alphabet,
        failures,
        budget,
    )
}

/// What is made when the initial state does not lead to acceptance.
pub(super) fn nothing(product: usize) -> Generated {
    Generated {
        graph: None,
        product,
        visible: (0, 0),
        raw: Some((0, 0)),
    }
}

/// Suspends and determinises what a raw graph leaves of the product.
pub(super) fn finish<S: Space>(
    numbered: &mut Numbered<'_, Product<'_, S>>,
    raw: &Raw,
    alphabet: &Alphabet,
    failures: Failures,
    budget: &Budget<'_>,
) -> Result<Generated, Spent> {
    let mut visible = Visible::new(numbered, alphabet);
    let inside = |members: &[u32]| members.iter().any(|&state| raw.contains(state));
    let standing = |numbered: &Numbered<'_, Product<'_, S>>, members: &[u32]| match Standing::of(
        members.iter().map(|&state| mark_of(numbered, state)),
    ) {
        Standing::GoesOn if !inside(members) => Standing::Ends,
        standing => standing,
    };
    let explored = Explored::new(&mut visible, standing, budget)?;
    let graph = explored.graph(alphabet, failures, budget)?;
    Ok(Generated {
        graph,
        product: numbered.states(),
        visible: explored.size(),
        raw: Some((raw.states, raw.steps)),
    })
}

/// The states that lead to acceptance, and how many steps there are from them.
#[derive(Default)]
pub(super) struct Raw {
    is_in: Vec<bool>,
    states: usize,
    steps: usize,
}

impl Raw {
    fn contains(&self, state: u32) -> bool {
        self.is_in.get(state as usize) == Some(&true)
    }

    /// Adds a state; whether it was not there.
    pub(super) fn insert(&mut self, state: u32, budget: &Budget<'_>) -> Result<bool, Spent> {
        let index = state as usize;
        if index >= self.is_in.len() {
            let length = (index + 1).next_power_of_two();
            budget.charge(length - self.is_in.len())?;
            self.is_in.resize(length, false);
        }
        let is_new = !std::mem::replace(&mut self.is_in[index], true);
        self.states += usize::from(is_new);
        Ok(is_new)
    }

    /// Counts the steps of a state that was added.
    pub(super) fn count(&mut self, steps: &[Edge]) {
        self.steps += steps.len();
    }
}

/// The diagnostic of the main variable: along all steps to states that lead to acceptance.
fn raw_graph<S: Space>(
    resolution: &mut Resolution<'_, Leading<'_, '_, '_, S>>,
    budget: &Budget<'_>,
) -> Result<Raw, Spent> {
    let initial = resolution.equations().states.initial();
    let mut raw = Raw::default();
    raw.insert(initial, budget)?;
    let mut waiting = vec![initial];
    let mut targets = Vec::new();
    while let Some(state) = waiting.pop() {
        budget.tick()?;
        let steps = resolution.equations().states.edges(state, budget)?;
        raw.count(steps);
        targets.clear();
        targets.extend(steps.iter().map(|step| step.target));
        for &target in &targets {
            let outside = resolution.value(variable(Kind::Z, target)?)?;
            if !outside && raw.insert(target, budget)? {
                waiting.push(target);
            }
        }
    }
    Ok(raw)
}

/// The four equations of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    X,
    W,
    Y,
    Z,
}

const KINDS: [Kind; 4] = [Kind::X, Kind::W, Kind::Y, Kind::Z];

fn variable(kind: Kind, state: u32) -> Result<Variable, Spent> {
    // More states than this would not fit into memory either.
    let number = state.checked_mul(4).ok_or(Spent::Memory)?;
    Ok(number + kind as u32)
}

fn meaning(variable: Variable) -> (Kind, u32) {
    (KINDS[variable as usize % 4], variable / 4)
}

/// The equations of a product.
struct Leading<'a, 'p, 'b, S: Space> {
    states: Numbered<'a, Product<'p, S>>,
    budget: &'b Budget<'b>,
}

impl<S: Space> Equations for Leading<'_, '_, '_, S> {
    fn blocks(&self) -> &[Block] {
        const BLOCKS: [Block; 3] = [
            Block {
                sign: Sign::Nu,
                shape: Shape::Conjunctive,
            },
            Block {
                sign: Sign::Mu,
                shape: Shape::Disjunctive,
            },
            Block {
                sign: Sign::Nu,
                shape: Shape::Conjunctive,
            },
        ];
        &BLOCKS
    }

    fn main(&mut self) -> Result<Variable, Spent> {
        variable(Kind::X, self.states.initial())
    }

    fn block(&self, variable: Variable) -> usize {
        match meaning(variable).0 {
            Kind::X | Kind::W => 0,
            Kind::Y => 1,
            Kind::Z => 2,
        }
    }

    fn operator(&self, variable: Variable) -> Operator {
        match meaning(variable).0 {
            Kind::X | Kind::Z => Operator::And,
            Kind::W | Kind::Y => Operator::Or,
        }
    }

    fn expand(
        &mut self,
        of: Variable,
        operands: &mut Vec<Variable>,
    ) -> Result<Option<bool>, Spent> {
        let (kind, state) = meaning(of);
        let accepts = mark_of(&self.states, state) == Mark::Accept;
        let follow = match kind {
            Kind::X => {
                operands.push(variable(Kind::Y, state)?);
                Kind::W
            }
            Kind::W => {
                operands.push(variable(Kind::Z, state)?);
                operands.push(variable(Kind::X, state)?);
                return Ok(None);
            }
            Kind::Y | Kind::Z if accepts => return Ok(Some(kind == Kind::Y)),
            Kind::Y | Kind::Z => kind,
        };
        for edge in self.states.edges(state, self.budget)? {
            operands.push(variable(follow, edge.target)?);
        }
        Ok(operands.is_empty().then_some(kind == Kind::Z))
    }
}
