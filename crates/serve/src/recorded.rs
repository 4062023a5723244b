//! A property on events that are all there: the verdict, and the order of events that shows it.

use causet_base::budget::Budget;
use causet_check::decide::decide;
use causet_check::outcome::Verdict;
use causet_check::plan::Choice;
use causet_check::prepare::prepare;
use causet_check::subject::Subject;
use causet_formats::native::Reading;
use causet_formula::{Lets, Property};
use causet_report::json;
use serde_json::Value;

use crate::news::Witness;

/// An order of more events is not put into a line.
const LONGEST: usize = 10_000;

/// What was found out about a property.
pub(crate) struct Judged {
    pub(crate) verdict: &'static str,
    /// Why there is no verdict.
    pub(crate) reason: Option<String>,
    /// The order that shows it, if there is one.
    pub(crate) order: Option<Order>,
}

/// An order of events that shows a verdict; it was checked again.
pub(crate) enum Order {
    Short(Value),
    /// So many events are too many for a line.
    Long(usize),
}

/// Decides a property on a run, with an engine that is chosen for it.
pub(crate) fn judge(
    reading: &Reading,
    property: &Property,
    lets: &Lets,
    budget: &Budget<'_>,
) -> Judged {
    let subject = Subject::of(&reading.trace);
    let question = match prepare(&subject, property, lets) {
        Ok(question) => question,
        Err(errors) => {
            let first = errors.into_iter().next().map(|error| error.message.clone());
            return Judged::bare("refused", first);
        }
    };
    match decide(&subject, &question, Choice::Auto, budget) {
        Ok(outcome) => Judged {
            verdict: outcome.verdict.word(),
            reason: outcome.verdict.reason(),
            order: outcome.witness.map(|witness| {
                let length = witness.run.len() + witness.then.len();
                match length > LONGEST {
                    true => Order::Long(length),
                    false => Order::Short(json::witness(&witness, subject)),
                }
            }),
        },
        Err(failure) => Judged::bare(Verdict::Doubtful.word(), Some(failure.to_string())),
    }
}

impl Judged {
    /// A verdict that no order shows, or none.
    pub(crate) fn bare(verdict: &'static str, reason: Option<String>) -> Judged {
        Judged {
            verdict,
            reason,
            order: None,
        }
    }
}

impl Order {
    /// What is told of it.
    pub(crate) fn told(self, run: &str, property: &str, of: u64) -> Witness {
        let (witness, reason) = match self {
            Order::Short(order) => (order, None),
            Order::Long(events) => {
                let reason = format!("it has {events} events; `causet check` shows it");
                (Value::Null, Some(reason))
            }
        };
        Witness {
            run: run.to_owned(),
            property: property.to_owned(),
            witness,
            reason,
            of,
        }
    }
}
