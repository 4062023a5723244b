//! Equations resolved by many workers: each has some of the cuts, and all show those that explain the value.
//!
//! The workers find the value and send the states it rests on to the first of them. On these alone, with everything
//! around speaking against the value, the equations have the same value; so the run that shows it is looked for there by
//! the same code that looks for it among all cuts. When the states are too many, one worker has to resolve the equations
//! again before it can look.

use std::cell::{Cell, RefCell};

use causet_base::budget::{Budget, Spent};
use causet_solve::bes::product::{Matching, Product};
use causet_solve::bes::program::Program;
use causet_solve::bes::{Resolution, Strategy};
use causet_solve::divided::Divided;
use causet_solve::fragment::Fragment;
use causet_solve::keeper::Keeper;
use causet_solve::part::Part;
use causet_solve::steps::{Edge, Steps};
use causet_solve::workers::{Divide, Gather, NotSolved, Solved, WorkerSummary, Workers};
use rustc_hash::FxHashMap;

use super::asked::Asking;
use super::cuts::{Known, Lattice, Walk};
use crate::engine::Stats;

/// How cuts are dealt out to workers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dealing {
    /// By turns along the longest chain.
    Turns,
    /// By the hash of a cut.
    Hash,
}

/// How many states each worker may show. A run of so many events for each worker can be found among them.
const MOST_SHOWN: usize = 1 << 16;

/// Workers on the equations of one property.
pub(crate) struct JointSolver<'w> {
    workers: &'w dyn Workers,
    dealing: Dealing,
    /// What each worker has done so far.
    done: RefCell<Vec<WorkerSummary>>,
    /// What went wrong, apart from limits.
    trouble: Cell<Option<NotSolved>>,
}

impl<'w> JointSolver<'w> {
    pub(crate) fn new(workers: &'w dyn Workers, dealing: Dealing) -> Self {
        JointSolver {
            workers,
            dealing,
            done: RefCell::default(),
            trouble: Cell::default(),
        }
    }

    /// What each worker has done, unless something went wrong.
    pub(crate) fn end(self) -> Result<Vec<WorkerSummary>, NotSolved> {
        match self.trouble.into_inner() {
            Some(trouble) => Err(trouble),
            None => Ok(self.done.into_inner()),
        }
    }

    /// Lets the workers find the value of a question. Trouble is remembered, and ends the work like somebody who asks to
    /// stop.
    fn solve<L: Lattice + Sync>(
        &self,
        question: &Question<'_, L>,
        most: usize,
        budget: &Budget<'_>,
    ) -> Result<Solved, Spent> {
        let workers = self.workers;
        let keeper = match self.dealing {
            Dealing::Turns => Keeper::by_turns(workers.count(), &question.lattice.lengths()),
            Dealing::Hash => Keeper::by_hash(workers.count()),
        };
        let divided = Shares { question, keeper };
        match workers.solve(&divided, Gather::Reasons(most), budget) {
            Ok(solved) => {
                self.note(&solved.workers);
                Ok(solved)
            }
            Err(NotSolved::Spent(spent)) => Err(spent),
            Err(trouble) => Err(self.stop(trouble)),
        }
    }

    fn stop(&self, trouble: NotSolved) -> Spent {
        self.trouble.set(Some(trouble));
        Spent::Cancelled
    }

    /// Adds up what the workers do for all parts of a property.
    fn note(&self, workers: &[WorkerSummary]) {
        let mut done = self.done.borrow_mut();
        done.resize(workers.len(), WorkerSummary::default());
        for (sum, &worker) in done.iter_mut().zip(workers) {
            *sum += worker;
        }
    }
}

/// A formula as nodes, and the states it is about.
pub(super) struct Question<'q, L> {
    pub(super) program: &'q Program,
    pub(super) matching: &'q Matching,
    pub(super) lattice: &'q L,
}

/// Whoever can look for something that shows a value, with whatever is known. `sure` is the value that can be relied
/// on, if the other cannot.
pub(super) trait Explain {
    /// What shows a value.
    type Shown;

    /// Whether a value can be shown at all, as far as that is known beforehand.
    fn can_show(&self, value: bool) -> bool;

    /// Looks for it.
    fn explain<K: Known>(
        &self,
        resolution: &mut Asking<'_, K>,
        value: bool,
        sure: Option<bool>,
        budget: &Budget<'_>,
    ) -> Result<Option<Self::Shown>, Spent>;
}

/// A value, what shows it or the limit that ended the search for that, and figures about the work done.
pub(super) type Resolved<S> = (bool, Result<Option<S>, Spent>, Stats);

impl<L: Lattice + Sync> Question<'_, L> {
    /// Decides the question, alone or with others, and looks for what shows the value.
    pub(super) fn decide<X: Explain>(
        &self,
        explain: &X,
        joint: Option<&JointSolver<'_>>,
        budget: &Budget<'_>,
    ) -> Result<Resolved<X::Shown>, Spent> {
        match joint {
            None => self.alone(explain, budget),
            Some(joint) => self.together(explain, joint, budget),
        }
    }

    fn alone<X: Explain>(
        &self,
        explain: &X,
        budget: &Budget<'_>,
    ) -> Result<Resolved<X::Shown>, Spent> {
        let walk = Walk::new(self.lattice, budget)?;
        let product = Product::new(self.program, self.matching, walk, budget);
        let mut resolution = Resolution::new(product, Strategy::Lean, budget);
        let value = resolution.solve()?;
        let shown = match explain.can_show(value) {
            true => budget.explain(|| explain.explain(&mut resolution, value, None, budget)),
            false => Ok(None),
        };
        let (variables, _) = resolution.figures();
        let visited = resolution.equations().steps().explored() as u64;
        Ok((value, shown, figures(visited, variables)))
    }

    fn together<X: Explain>(
        &self,
        explain: &X,
        joint: &JointSolver<'_>,
        budget: &Budget<'_>,
    ) -> Result<Resolved<X::Shown>, Spent> {
        let shows = [false, true].map(|value| explain.can_show(value));
        let most = if shows.contains(&true) { MOST_SHOWN } else { 0 };
        let solved = joint.solve(self, most, budget)?;
        let workers = solved.workers.iter();
        let variables = workers.clone().map(|worker| worker.variables).sum();
        let visited = workers.map(|worker| worker.explored.0).sum();
        let value = solved.value;
        // Only one process is shown anything, and one that cannot afford to look has the same value as the others.
        let shown = match shows[usize::from(value)] && joint.workers.is_first() {
            true => budget.explain(|| self.show(explain, &solved, joint, &budget.branch())),
            false => Ok(None),
        };
        Ok((value, shown, figures(visited, variables)))
    }

    /// Looks for what shows a value among the states that were shown, or else among all.
    fn show<X: Explain>(
        &self,
        explain: &X,
        solved: &Solved,
        joint: &JointSolver<'_>,
        budget: &Budget<'_>,
    ) -> Result<Option<X::Shown>, Spent> {
        let Some(pieces) = &solved.pieces else {
            let (value, shown, _) = self.alone(explain, budget)?;
            return match value == solved.value {
                true => shown,
                false => Err(joint.stop(unexplained())),
            };
        };
        let mut initial = vec![0; self.lattice.width()];
        self.lattice.initial(&mut initial);
        let Some(fragment) = Fragment::read(pieces, &initial, true) else {
            return Err(joint.stop(unexplained()));
        };
        let shown = Shown::new(self.lattice, &fragment);
        let product = Product::new(self.program, self.matching, shown, budget)
            .with_outside(fragment.outside(), !solved.value);
        let mut resolution = Resolution::new(product, Strategy::Lean, budget);
        if resolution.solve()? != solved.value {
            return Err(joint.stop(unexplained()));
        }
        explain.explain(&mut resolution, solved.value, Some(solved.value), budget)
    }
}

fn unexplained() -> NotSolved {
    NotSolved::Broken("the states that were shown do not explain the value".to_owned())
}

fn figures(visited: u64, variables: u64) -> Stats {
    Stats::from([("visited", visited), ("variables", variables)])
}

/// A question divided among workers.
struct Shares<'q, L> {
    question: &'q Question<'q, L>,
    keeper: Keeper,
}

impl<L: Lattice + Sync> Divide for Shares<'_, L> {
    type Part<'b>
        = Product<'b, Mine<'b, L>>
    where
        Self: 'b;

    fn part<'b>(
        &'b self,
        me: usize,
        _workers: usize,
        budget: &'b Budget<'b>,
    ) -> Result<Self::Part<'b>, Spent> {
        let Question {
            program,
            matching,
            lattice,
        } = *self.question;
        let divided = Divided::new(lattice, me, self.keeper.clone(), budget)?;
        Ok(Product::new(program, matching, Mine(divided), budget))
    }
}

/// The states of one worker.
struct Mine<'b, L: Lattice>(Divided<'b, L>);

impl<L: Lattice> Steps for Mine<'_, L> {
    const FOREIGN: u32 = <Divided<'_, L> as Steps>::FOREIGN;

    fn initial(&self) -> u32 {
        self.0.initial()
    }

    fn edges(&mut self, state: u32, budget: &Budget<'_>) -> Result<&[Edge], Spent> {
        self.0.edges(state, budget)
    }

    fn is_acyclic(&self) -> bool {
        true
    }

    fn holds(&self, atom: u32, state: u32) -> bool {
        self.0.space().holds(atom, self.0.row(state))
    }
}

impl<L: Lattice> Part for Mine<'_, L> {
    fn home(&self) -> Option<u32> {
        self.0.home()
    }

    fn owner(&self, foreign: u32) -> usize {
        self.0.owner(foreign)
    }

    fn width(&self) -> usize {
        self.0.width()
    }

    fn name_foreign(&self, foreign: u32, name: &mut Vec<u32>) {
        self.0.name_foreign(foreign, name);
    }

    fn name_own(&self, state: u32, name: &mut Vec<u32>) {
        self.0.name_own(state, name);
    }

    fn find(&mut self, name: &[u32], budget: &Budget<'_>) -> Result<u32, Spent> {
        self.0.find(name, budget)
    }

    fn explored(&self) -> (u64, u64) {
        self.0.explored()
    }

    fn forget(&mut self) {
        self.0.forget();
    }
}

/// The states that workers have shown.
struct Shown<'f, L> {
    lattice: &'f L,
    fragment: &'f Fragment,
    numbers: FxHashMap<&'f [u32], u32>,
}

impl<'f, L: Lattice> Shown<'f, L> {
    fn new(lattice: &'f L, fragment: &'f Fragment) -> Self {
        let states = 0..fragment.outside();
        Shown {
            lattice,
            fragment,
            numbers: states.map(|state| (fragment.name(state), state)).collect(),
        }
    }
}

impl<L: Lattice> Known for Shown<'_, L> {
    fn row(&self, state: u32) -> &[u32] {
        self.fragment.name(state)
    }

    fn number(&mut self, row: &[u32], _budget: &Budget<'_>) -> Result<Option<u32>, Spent> {
        Ok(self.numbers.get(row).copied())
    }
}

impl<L: Lattice> Steps for Shown<'_, L> {
    fn initial(&self) -> u32 {
        self.fragment.initial()
    }

    fn edges(&mut self, state: u32, budget: &Budget<'_>) -> Result<&[Edge], Spent> {
        self.fragment.edges(state, budget)
    }

    fn is_acyclic(&self) -> bool {
        self.fragment.is_acyclic()
    }

    fn holds(&self, atom: u32, state: u32) -> bool {
        self.lattice.holds(atom, self.fragment.name(state))
    }
}
