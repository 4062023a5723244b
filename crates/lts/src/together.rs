//! A formula on a model, decided by many workers: each has some of the states, and all explain the value together.

use causet_flow::{Crew, Dials, Divide, NotSolved, Solved, Summary, solve};
use causet_formula::modal::Modal;
use causet_solve::bes::product::{Matching, Product};
use causet_solve::bes::program::Program;
use causet_solve::bes::{Resolution, Strategy};
use causet_solve::budget::{Budget, Spent};
use causet_solve::divided::Divided;
use causet_solve::fragment::Fragment;
use causet_solve::part::Deal;

use crate::model::{Checked, Model, NotChecked, Options, explain, matching, program};
use crate::network::Network;
use crate::portion::Mine;
use crate::system::{Labels, Lts};

/// How many states in a row a worker gets, as a power of two. Small heaps keep everybody busy from the first levels of
/// the search on.
const HEAP: u32 = 6;

/// Those who decide, and where they can be watched.
pub struct Team<'t> {
    /// The workers.
    pub crew: Crew<'t>,
    /// What they show.
    pub dials: &'t Dials,
    /// How many states in a row a worker gets of a stored system, as a power of two, if not the usual number.
    pub heap: Option<u32>,
}

/// Decides whether the initial state of a model satisfies a formula, and says what each worker did.
pub fn check(
    model: &Model,
    formula: &Modal,
    options: Options,
    team: &Team<'_>,
    budget: &Budget<'_>,
) -> Result<(Checked, Vec<Summary>), NotChecked> {
    let (program, matching) = (program(formula), matching(formula, model.labels()));
    let question = Question {
        program: &program,
        matching: &matching,
    };
    let most = options.most_claims;
    let (solved, initial) = match model {
        Model::Stored(lts) => {
            let deal = Deal::new(team.crew.workers(), team.heap.unwrap_or(HEAP));
            let stored = Stored {
                lts,
                deal,
                question,
            };
            let solved = solve(&team.crew, &stored, most, team.dials, budget)?;
            (solved, vec![lts.initial()])
        }
        Model::Composed(network) => {
            let composed = Composed { network, question };
            let solved = solve(&team.crew, &composed, most, team.dials, budget)?;
            (solved, initial_row(network))
        }
    };
    conclude(
        model, formula, &question, &solved, &initial, options, budget,
    )
    .map(|checked| (checked, solved.workers))
}

/// What is asked of a model.
#[derive(Clone, Copy)]
struct Question<'q> {
    program: &'q Program,
    matching: &'q Matching,
}

/// A stored system that is dealt out by number.
struct Stored<'q> {
    lts: &'q Lts,
    deal: Deal,
    question: Question<'q>,
}

impl Divide for Stored<'_> {
    type Part<'b>
        = Product<'b, Mine<'b>>
    where
        Self: 'b;

    fn part<'b>(
        &'b self,
        me: usize,
        _workers: usize,
        budget: &'b Budget<'b>,
    ) -> Result<Self::Part<'b>, Spent> {
        let Question { program, matching } = self.question;
        let mine = Mine::of_all(self.lts, self.deal, me);
        Ok(Product::new(program, matching, mine, budget))
    }
}

/// Components, composed while they are explored.
struct Composed<'q> {
    network: &'q Network,
    question: Question<'q>,
}

impl Divide for Composed<'_> {
    type Part<'b>
        = Product<'b, Divided<'b, Network>>
    where
        Self: 'b;

    fn part<'b>(
        &'b self,
        me: usize,
        workers: usize,
        budget: &'b Budget<'b>,
    ) -> Result<Self::Part<'b>, Spent> {
        let Question { program, matching } = self.question;
        let part = Divided::new(self.network, me, workers, budget)?;
        Ok(Product::new(program, matching, part, budget))
    }
}

fn initial_row(network: &Network) -> Vec<u32> {
    use causet_solve::space::Space;
    let mut row = vec![0; network.width()];
    network.initial(&mut row);
    row
}

/// The verdict, explained on the states that were shown.
fn conclude(
    model: &Model,
    formula: &Modal,
    question: &Question<'_>,
    solved: &Solved,
    initial: &[u32],
    options: Options,
    budget: &Budget<'_>,
) -> Result<Checked, NotChecked> {
    let workers = solved.workers.iter();
    let explored = workers.clone().fold((0, 0), |(states, steps), worker| {
        (
            states + worker.explored.0 as usize,
            steps + worker.explored.1 as usize,
        )
    });
    let mut checked = Checked {
        holds: solved.value,
        diagnostic: None,
        variables: workers.clone().map(|worker| worker.variables).sum(),
        operands: workers.map(|worker| worker.operands).sum(),
        explored: matches!(model, Model::Composed(_)).then_some(explored),
    };
    let Some(pieces) = &solved.pieces else {
        return Ok(checked);
    };
    let fragment = Fragment::read(pieces, initial, false)
        .ok_or_else(|| NotSolved::Broken("torn pieces of an account".to_owned()))?;
    let labels: &Labels = model.labels();
    let product = Product::new(question.program, question.matching, &fragment, budget)
        .with_outside(fragment.outside(), !solved.value);
    let mut resolution = Resolution::new(product, Strategy::Lean, budget);
    if resolution.solve()? != solved.value {
        let message = "the states that were shown do not explain the value";
        return Err(NotSolved::Broken(message.to_owned()).into());
    }
    let explained = explain(
        &mut resolution,
        labels,
        formula,
        solved.value,
        options,
        budget,
    );
    checked.diagnostic = match explained {
        // A verdict stands, whether or not there is time and memory left to explain it.
        Err(NotChecked::Spent(_)) => None,
        explained => explained?,
    };
    if let Some(diagnostic) = &mut checked.diagnostic {
        let name = |state| fragment.name(state).to_vec();
        match model {
            Model::Stored(_) => diagnostic.renumber(|state| name(state)[0]),
            Model::Composed(_) => diagnostic.name_states(name),
        }
    }
    Ok(checked)
}
