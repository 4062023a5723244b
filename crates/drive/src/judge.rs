//! Who says whether a test case may be believed: nobody, or one who knows the specification.
//!
//! A case has one order of things in mind, and cannot know whether it was that one (see `belief`):
//!
//! ```text
//! case:  ?button, then !coffee            what the case sees:   sent ?button, seen !tea
//!                 or else FAIL            what happened:        !tea was on its way, ?button came too late
//! ```
//!
//! Whoever knows the specification follows all orders that are possible. What none of them allows is a failure, even if it
//! came while the case was not looking; what one of them allows is none. He also knows whether the order in which things
//! were sent and seen is itself one of them.

use std::collections::BTreeSet;

use causet_base::budget::Spent;
use causet_solve::steps::Steps;

use crate::belief::{After, Belief, Places};
use crate::record::Step;

/// One who listens while a case runs.
pub(crate) trait Judge {
    /// Whether there is a specification.
    fn knows(&self) -> bool;

    /// Something was sent.
    fn sent(&mut self, label: &str) -> Result<(), Spent>;

    /// Something was seen; what is allowed instead, if no order allows it.
    fn saw(&mut self, step: &Step) -> Result<Option<BTreeSet<String>>, Spent>;

    /// Whether what was sent and seen may have happened in just this order.
    fn allows_this_order(&self) -> bool;
}

/// One who knows no specification, and has nothing to say.
pub(crate) struct Nobody;

impl Judge for Nobody {
    fn knows(&self) -> bool {
        false
    }

    fn sent(&mut self, _: &str) -> Result<(), Spent> {
        Ok(())
    }

    fn saw(&mut self, _: &Step) -> Result<Option<BTreeSet<String>>, Spent> {
        Ok(None)
    }

    fn allows_this_order(&self) -> bool {
        true
    }
}

/// Where the specification is if every stimulus was taken at once.
#[derive(Clone, Copy)]
enum AtOnce {
    At(u32),
    /// After something it says nothing about.
    Anywhere,
    /// Nowhere: it does not allow that.
    Nowhere,
}

/// One who follows a specification.
pub(crate) struct Knowing<'b, 'a, T> {
    belief: &'b mut Belief<'a, T>,
    /// Where it may be; nothing after something it says nothing about.
    places: Option<Places>,
    at_once: AtOnce,
}

impl<'b, 'a, T: Steps> Knowing<'b, 'a, T> {
    /// One who begins in the first state.
    pub(crate) fn new(belief: &'b mut Belief<'a, T>) -> Result<Self, Spent> {
        let places = belief.initial()?;
        let first = places.first().map(|place| place.set);
        Ok(Knowing {
            belief,
            places: Some(places),
            at_once: first.map_or(AtOnce::Anywhere, AtOnce::At),
        })
    }

    /// Goes on as if nothing were on its way.
    fn go_on(&mut self, label: Option<u32>, otherwise: AtOnce) -> Result<(), Spent> {
        if let AtOnce::At(set) = self.at_once {
            let next = match label {
                Some(label) => self.belief.step(set, label)?,
                None => None,
            };
            self.at_once = next.map_or(otherwise, AtOnce::At);
        }
        Ok(())
    }
}

impl<T: Steps> Judge for Knowing<'_, '_, T> {
    fn knows(&self) -> bool {
        true
    }

    fn sent(&mut self, label: &str) -> Result<(), Spent> {
        let number = self.belief.input(label);
        self.places = match (self.places.take(), number) {
            (Some(places), Some(number)) => Some(self.belief.send(&places, number)?),
            _ => None,
        };
        self.go_on(number, AtOnce::Anywhere)
    }

    fn saw(&mut self, step: &Step) -> Result<Option<BTreeSet<String>>, Spent> {
        self.go_on(self.belief.output(step), AtOnce::Nowhere)?;
        let Some(places) = self.places.take() else {
            return Ok(None);
        };
        match self.belief.see(&places, step)? {
            After::At(next) => self.places = Some(next),
            After::Anything => {}
            After::Never(allowed) => return Ok(Some(allowed)),
        }
        Ok(None)
    }

    fn allows_this_order(&self) -> bool {
        !matches!(self.at_once, AtOnce::Nowhere)
    }
}
