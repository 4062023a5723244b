//! The system under test as a tester sees it, and why it may not be there any more.

use std::fmt;
use std::time::Duration;

use causet_base::budget::{Budget, Spent};

/// What a tester sees.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Observation {
    /// The system did this.
    Output(String),
    /// The system did nothing for as long as the tester waits.
    Silence,
}

/// Why a test has no verdict.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Trouble {
    /// The adapter is at fault; the sentence names it.
    Adapter(String),
    /// A limit was reached.
    Spent(Spent),
}

impl From<Spent> for Trouble {
    fn from(spent: Spent) -> Self {
        Trouble::Spent(spent)
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::Adapter(what) => write!(f, "{what}"),
            Trouble::Spent(spent) => write!(f, "{spent}"),
        }
    }
}

/// A system that can be stimulated and watched.
pub trait System {
    /// Brings the system to its first state, and forgets what it did before.
    fn reset(&mut self, budget: &Budget<'_>) -> Result<(), Trouble>;

    /// Does something to the system.
    fn stimulate(&mut self, label: &str, budget: &Budget<'_>) -> Result<(), Trouble>;

    /// What the system has done already, if it has done something that nobody has looked at.
    fn glance(&mut self, budget: &Budget<'_>) -> Result<Option<String>, Trouble>;

    /// Waits for what the system does next.
    fn watch(&mut self, budget: &Budget<'_>) -> Result<Observation, Trouble>;

    /// Whether it can be started anew after trouble with the adapter; of one that cannot, trouble is the end of all tests.
    fn can_restart(&self) -> bool {
        false
    }

    /// Starts anew, in the first state.
    fn restart(&mut self, _: &Budget<'_>) -> Result<(), Trouble> {
        let what = "this system cannot be started again";
        Err(Trouble::Adapter(what.to_owned()))
    }

    /// Waits before it is started anew; a system that is no process need not.
    fn pause(&mut self, _: Duration, _: &Budget<'_>) -> Result<(), Trouble> {
        Ok(())
    }
}
