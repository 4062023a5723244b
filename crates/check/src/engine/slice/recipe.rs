//! How to make the cuts of a formula out of slices, known before any slice is made.
//!
//! The cuts that satisfy a regular formula are one slice; those of any other formula this engine decides are a finite
//! union of slices (paper POTA, section 6.1: RCTL+; its grafting joins them into one slice that holds more, which we
//! avoid wherever the union itself is small enough). A recipe says how to come by that union:
//!
//! ```text
//! f || g      the slices of both                     EF f   below the greatest cut of each slice
//! f && g      every slice of one with every          AG f   one slice from one slice
//!             slice of the other                     EG f   one slice from one slice
//! !f          what no slice of f holds
//! ```
//!
//! Both a formula and its negation get a recipe where there is one, since `AG f` is decided through `f` when that is
//! regular and through `EF !f` when that is a union of few slices. Each recipe carries a bound on the number of slices,
//! so that a formula that would need too many is refused before any work is done.

use std::rc::Rc;

use causet_base::Diagnostic;
use causet_solve::chains::Chains;

use super::sublattice::Slice;
use crate::project::{AtCut, Projection, View};
use crate::refusal::no_slice;

/// More slices than this are too many.
const MOST_SLICES: usize = 4096;

/// A recipe and what is known of the outcome.
#[derive(Debug)]
pub(super) struct Recipe {
    /// What to do.
    pub(super) kind: Kind,
    /// How many slices there are at most.
    pub(super) bound: usize,
    /// How many needs between different chains a slice has at most.
    stairs: usize,
    /// Whether literals take part that are closed upwards, downwards.
    rises: bool,
    falls: bool,
    /// Whether nothing is said about several chains together.
    is_conjunctive: bool,
}

/// What to do.
#[derive(Debug)]
pub(super) enum Kind {
    /// Take this slice.
    Slice(Slice),
    /// A predicate that stays true, or stays false, once it is.
    Monotone(Rc<Monotone>),
    /// The union.
    Any(Vec<Rc<Recipe>>),
    /// The intersection.
    All(Vec<Rc<Recipe>>),
    /// What can reach it.
    Ef(Rc<Recipe>),
    /// What cannot leave it.
    Ag(Rc<Recipe>),
    /// What can stay in it.
    Eg(Rc<Recipe>),
    /// All else.
    Without(Rc<Recipe>),
}

/// A predicate, or its negation, that one kind of step can change only.
#[derive(Debug)]
pub(super) struct Monotone {
    view: View,
    truth: bool,
    /// Whether it stays true once it is, rather than false.
    pub(super) rises: bool,
}

impl Monotone {
    /// Whether it holds at a cut.
    pub(super) fn holds(&self, projection: &Projection<'_>, cut: &[u32]) -> bool {
        self.view.holds(&AtCut { projection, cut }) == self.truth
    }
}

impl Recipe {
    /// A slice, or nothing at all.
    pub(super) fn of_slice(slice: Option<Slice>) -> Recipe {
        let Some(slice) = slice else {
            return Recipe::any(Vec::new());
        };
        Recipe {
            bound: 1,
            stairs: slice.stairs(),
            rises: false,
            falls: false,
            is_conjunctive: slice.is_conjunctive(),
            kind: Kind::Slice(slice),
        }
    }

    /// The union of several.
    pub(super) fn any(parts: Vec<Rc<Recipe>>) -> Recipe {
        Recipe {
            bound: parts
                .iter()
                .map(|part| part.bound)
                .fold(0, usize::saturating_add),
            stairs: parts.iter().map(|part| part.stairs).max().unwrap_or(0),
            rises: parts.iter().any(|part| part.rises),
            falls: parts.iter().any(|part| part.falls),
            is_conjunctive: parts.iter().all(|part| part.is_conjunctive),
            kind: Kind::Any(parts),
        }
    }

    /// The intersection of several.
    pub(super) fn all(parts: Vec<Rc<Recipe>>) -> Recipe {
        Recipe {
            bound: parts
                .iter()
                .map(|part| part.bound)
                .fold(1, usize::saturating_mul),
            stairs: parts
                .iter()
                .map(|part| part.stairs)
                .fold(0, usize::saturating_add),
            rises: parts.iter().any(|part| part.rises),
            falls: parts.iter().any(|part| part.falls),
            is_conjunctive: parts.iter().all(|part| part.is_conjunctive),
            kind: Kind::All(parts),
        }
    }

    /// Whether at most one slice comes out, and holds exactly the right cuts.
    pub(super) fn is_regular(&self) -> bool {
        self.bound <= 1 && self.is_pure()
    }

    /// Whether it is a conjunction of predicates of one chain each.
    pub(super) fn is_conjunctive(&self) -> bool {
        self.is_regular() && self.is_conjunctive
    }

    /// Whether nothing but slices takes part.
    pub(super) fn is_pure(&self) -> bool {
        !self.rises && !self.falls
    }

    /// Whether something takes part that can only become true.
    pub(super) fn rises(&self) -> bool {
        self.rises
    }

    /// Whether something takes part that can only become false.
    pub(super) fn falls(&self) -> bool {
        self.falls
    }

    fn ef(of: &Rc<Recipe>) -> Recipe {
        Recipe {
            bound: of.bound,
            ..Recipe::simple(Kind::Ef(of.clone()))
        }
    }

    fn eg(of: &Rc<Recipe>) -> Recipe {
        Recipe {
            stairs: of.stairs,
            is_conjunctive: of.is_conjunctive,
            ..Recipe::simple(Kind::Eg(of.clone()))
        }
    }

    fn without(projection: &Projection<'_>, of: &Rc<Recipe>) -> Recipe {
        let each = projection.count().saturating_add(of.stairs);
        let bound = u32::try_from(of.bound).map_or(usize::MAX, |of| each.saturating_pow(of));
        Recipe {
            bound,
            ..Recipe::simple(Kind::Without(of.clone()))
        }
    }

    /// One slice that says nothing about several chains together.
    fn simple(kind: Kind) -> Recipe {
        Recipe {
            kind,
            bound: 1,
            stairs: 0,
            rises: false,
            falls: false,
            is_conjunctive: true,
        }
    }

    fn checked(self) -> Result<Rc<Recipe>, Diagnostic> {
        if self.bound > MOST_SLICES {
            return Err(no_slice(format!(
                "its cuts take more than {MOST_SLICES} slices"
            )));
        }
        if self.rises && self.falls && matches!(self.kind, Kind::All(_)) {
            return Err(no_slice(
                "some of it can only become true, and some only false",
            ));
        }
        Ok(Rc::new(self))
    }
}

/// The recipes of a formula and of its negation, or why there is none.
#[derive(Clone, Debug)]
pub(super) struct Both {
    /// For the cuts that satisfy it.
    pub(super) yes: Result<Rc<Recipe>, Diagnostic>,
    /// For all others.
    pub(super) no: Result<Rc<Recipe>, Diagnostic>,
}

impl Both {
    /// Two recipes.
    pub(super) fn of(yes: Recipe, no: Recipe) -> Both {
        Both {
            yes: yes.checked(),
            no: no.checked(),
        }
    }

    /// Two slices.
    pub(super) fn of_slices(yes: Option<Slice>, no: Option<Slice>) -> Both {
        Both::of(Recipe::of_slice(yes), Recipe::of_slice(no))
    }

    /// Something that holds everywhere or nowhere.
    pub(super) fn constant(projection: &Projection<'_>, truth: bool) -> Both {
        let all = Slice::all(projection);
        let both = Both::of_slices(Some(all), None);
        if truth { both } else { both.negated() }
    }

    /// A predicate that stays true, or else stays false, once it is.
    pub(super) fn monotone(view: &View, rises: bool) -> Both {
        let literal = |truth: bool| {
            let rises = rises == truth;
            let view = view.clone();
            Recipe {
                rises,
                falls: !rises,
                is_conjunctive: false,
                ..Recipe::simple(Kind::Monotone(Rc::new(Monotone { view, truth, rises })))
            }
        };
        Both::of(literal(true), literal(false))
    }

    /// Nothing, and why.
    pub(super) fn unknown(reason: &str) -> Both {
        Both {
            yes: Err(no_slice(reason)),
            no: Err(no_slice(reason)),
        }
    }

    /// Whether there is any recipe.
    pub(super) fn is_known(&self) -> bool {
        self.yes.is_ok() || self.no.is_ok()
    }

    /// The other way round.
    pub(super) fn negated(self) -> Both {
        Both {
            yes: self.no,
            no: self.yes,
        }
    }

    /// A conjunction.
    pub(super) fn all(parts: impl Iterator<Item = Both>) -> Both {
        let (yes, no): (Vec<_>, Vec<_>) = parts.map(|part| (part.yes, part.no)).unzip();
        let yes: Result<Vec<_>, Diagnostic> = yes.into_iter().collect();
        let no: Result<Vec<_>, Diagnostic> = no.into_iter().collect();
        Both {
            yes: yes.and_then(|parts| Recipe::all(parts).checked()),
            no: no.and_then(|parts| Recipe::any(parts).checked()),
        }
    }

    /// A disjunction.
    pub(super) fn any(parts: impl Iterator<Item = Both>) -> Both {
        Both::all(parts.map(Both::negated)).negated()
    }

    /// `EF`, and for its negation `AG !`.
    pub(super) fn ef(&self, projection: &Projection<'_>) -> Both {
        let reaches = self.yes.clone().and_then(|of| match of.falls() {
            false => Ok(Recipe::ef(&of)),
            true => Err(no_slice("it can only become false, which makes no slice")),
        });
        let stays = regular(&self.no).map(|of| Recipe::simple(Kind::Ag(of.clone())));
        Both::either_way(projection, reaches, stays)
    }

    /// `AF`, and for its negation `EG !`.
    pub(super) fn af(&self, projection: &Projection<'_>) -> Both {
        let avoids = regular(&self.no).map(Recipe::eg);
        let reason = avoids.as_ref().err().cloned();
        let reason = reason.unwrap_or_else(|| no_slice(""));
        Both::either_way(projection, Err(reason), avoids)
    }

    /// Makes up for a missing or a costly recipe by denying the other.
    fn either_way(
        projection: &Projection<'_>,
        yes: Result<Recipe, Diagnostic>,
        no: Result<Recipe, Diagnostic>,
    ) -> Both {
        let (yes, no) = (yes.map(Rc::new), no.map(Rc::new));
        Both {
            yes: cheaper(projection, &yes, &no),
            no: cheaper(projection, &no, &yes),
        }
    }
}

/// The direct way, or to deny the opposite.
fn cheaper(
    projection: &Projection<'_>,
    direct: &Result<Rc<Recipe>, Diagnostic>,
    opposite: &Result<Rc<Recipe>, Diagnostic>,
) -> Result<Rc<Recipe>, Diagnostic> {
    let denied = opposite.as_ref().ok();
    let denied = denied.map(|of| Recipe::without(projection, of));
    match (direct, denied) {
        (Ok(direct), Some(denied)) if denied.bound >= direct.bound => Ok(direct.clone()),
        (Ok(direct), None) => Ok(direct.clone()),
        (_, Some(denied)) => denied.checked(),
        (Err(reason), None) => Err(reason.clone()),
    }
}

/// The recipe of a regular formula.
fn regular(recipe: &Result<Rc<Recipe>, Diagnostic>) -> Result<&Rc<Recipe>, Diagnostic> {
    match recipe {
        Ok(of) if of.is_regular() => Ok(of),
        Ok(_) => Err(no_slice("its cuts are no lattice")),
        Err(reason) => Err(reason.clone()),
    }
}
