//! Where a property depends on which processes there are, and which verdict further processes could change.
//!
//! A range is taken from the processes of the log. With more of them a `forall` has more to satisfy and an `exists` has
//! more chances; below a negation it is the other way round. What a fold or a monitor makes of more processes is not
//! known.

use super::Lowerer;
use crate::names::ProcRef;
use crate::syntax::Quantifier;

/// A part of a property that depends on which processes there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessDependence {
    /// The bound name whose range depends on them; none for `initial` and `final`.
    pub name: Option<String>,
    /// The processes left out of the range, and the first variable that each lacks.
    pub left_out: Vec<(ProcRef, String)>,
    /// Whether further processes could make a property that holds a violated one.
    pub can_violate: bool,
    /// Whether further processes could make a violated property hold.
    pub can_satisfy: bool,
}

/// How the truth of a property follows that of a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Polarity {
    /// A part that becomes true cannot make the whole false.
    Positive,
    /// A part that becomes true cannot make the whole true.
    Negative,
    /// Nothing is known.
    Mixed,
}

impl Polarity {
    fn negated(self) -> Polarity {
        match self {
            Polarity::Positive => Polarity::Negative,
            Polarity::Negative => Polarity::Positive,
            Polarity::Mixed => Polarity::Mixed,
        }
    }
}

impl Lowerer<'_> {
    /// Lowers a part below a negation.
    pub(super) fn negated<T>(&mut self, part: impl FnOnce(&mut Self) -> T) -> T {
        self.with_polarity(self.polarity.negated(), part)
    }

    /// Lowers a part whose truth may count either way.
    pub(super) fn either_way<T>(&mut self, part: impl FnOnce(&mut Self) -> T) -> T {
        self.with_polarity(Polarity::Mixed, part)
    }

    fn with_polarity<T>(&mut self, polarity: Polarity, part: impl FnOnce(&mut Self) -> T) -> T {
        let outside = std::mem::replace(&mut self.polarity, polarity);
        let result = part(self);
        self.polarity = outside;
        result
    }

    /// Notes a range, or `initial` or `final`. A fold has no quantifier.
    pub(super) fn depend_on_processes(
        &mut self,
        name: Option<&str>,
        left_out: Vec<(ProcRef, String)>,
        quantifier: Option<Quantifier>,
    ) {
        let polarity = match quantifier {
            Some(Quantifier::Forall) => self.polarity,
            Some(Quantifier::Exists) => self.polarity.negated(),
            None => Polarity::Mixed,
        };
        let dependence = ProcessDependence {
            name: name.map(str::to_owned),
            left_out,
            can_violate: polarity != Polarity::Negative,
            can_satisfy: polarity != Polarity::Positive,
        };
        if !self.dependences.contains(&dependence) {
            self.dependences.push(dependence);
        }
    }
}
