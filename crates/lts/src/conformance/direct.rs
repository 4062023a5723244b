//! The complete test graph on the fly: the product is suspended and made deterministic as it is explored, then pruned.

use causet_base::budget::{Budget, Spent};
use causet_solve::numbered::Numbered;
use causet_solve::space::Space;

use super::graph::{Failures, TestGraph};
use super::product::{Product, mark_of};
use super::purpose::Purpose;
use super::roles::Alphabet;
use super::select::{Explored, Standing};
use super::visible::Visible;

/// A complete test graph, and what it took to make it.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The graph; none when no behaviour of the specification fulfils the purpose for sure.
    pub graph: Option<TestGraph>,
    /// How many states of the product of specification and purpose were met.
    pub product: usize,
    /// How many sets of them, and how many steps between these, were looked at.
    pub visible: (usize, usize),
    /// How many states of the product lead to acceptance, with the steps from them: the graph before suspension and
    /// determinisation, if equations were solved for it.
    pub raw: Option<(usize, usize)>,
}

/// Makes the complete test graph of a purpose.
pub fn direct<S: Space>(
    specification: &S,
    alphabet: &Alphabet,
    purpose: &Purpose,
    failures: Failures,
    budget: &Budget<'_>,
) -> Result<Generated, Spent> {
    let product = Product::new(specification, purpose);
    let mut numbered = Numbered::new(&product, budget)?;
    let mut visible = Visible::new(&mut numbered, alphabet);
    let standing = |numbered: &Numbered<'_, Product<'_, S>>, members: &[u32]| {
        Standing::of(members.iter().map(|&state| mark_of(numbered, state)))
    };
    let explored = Explored::new(&mut visible, standing, budget)?;
    let graph = explored.graph(alphabet, failures, budget)?;
    Ok(Generated {
        graph,
        product: numbered.states(),
        visible: explored.size(),
        raw: None,
    })
}
