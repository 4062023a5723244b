//! Where a predicate comes true in the recorded order, for the search field of the page.

use causet_base::Code;
use causet_base::Diagnostic;
use causet_base::budget::{Budget, Spent};
use causet_check::glance::Glance;
use causet_check::prepare::prepare;
use causet_check::subject::Subject;
use causet_formula::{Kind, Lets, Property};
use serde_json::{Value as Json, json};

/// More events than this are not listed.
const MOST_EVENTS: usize = 100_000;

/// Maximum number of processes whose states are evaluated between two looks at the limits.
const PROCESSES_PER_LOOK: usize = 1_000;

/// The events that make a predicate true, or why they are not known.
pub(super) fn search(subject: Subject<'_>, predicate: &str, budget: &Budget<'_>) -> Json {
    let glance = match glance(subject, predicate) {
        Ok(glance) => glance,
        Err(error) => return json!({ "error": error.to_string() }),
    };
    match rising(subject, &glance, budget) {
        Ok(events) => json!({ "events": events }),
        Err(spent) => json!({ "error": format!("the search was ended by a limit ({spent})") }),
    }
}

fn glance<'t>(subject: Subject<'t>, predicate: &str) -> Result<Glance<'t>, Diagnostic> {
    let first = |errors: Vec<Diagnostic>| {
        let none = || Diagnostic::new(Code::NotACondition, "this is not a predicate");
        errors.into_iter().next().unwrap_or_else(none)
    };
    let property = Property::parse(Kind::Possibly, "search", predicate).map_err(first)?;
    let question = prepare(&subject, &property, &Lets::default()).map_err(first)?;
    let about_more = "this is about more than single states: give a predicate";
    Glance::of(&subject, &question).ok_or_else(|| Diagnostic::new(Code::NotACondition, about_more))
}

/// The events after which it holds while it did not hold before, along the recorded order.
fn rising(
    subject: Subject<'_>,
    glance: &Glance<'_>,
    budget: &Budget<'_>,
) -> Result<Vec<u32>, Spent> {
    let order = subject.trace.order();
    let events_per_look = PROCESSES_PER_LOOK / order.process_count().clamp(1, PROCESSES_PER_LOOK);
    let mut counts = vec![0; order.process_count()];
    let mut held = glance.holds(&counts);
    let mut events = Vec::new();
    for (number, event) in order.recorded().enumerate() {
        if number.is_multiple_of(events_per_look) {
            budget.look()?;
        }
        counts[order.process_of(event).index()] += 1;
        let holds = glance.holds(&counts);
        if holds && !held {
            events.push(event.raw());
        }
        if events.len() == MOST_EVENTS {
            break;
        }
        held = holds;
    }
    Ok(events)
}

#[cfg(test)]
mod tests {
    use super::*;
    use causet_base::budget::Meter;
    use causet_trace::notation;

    #[test]
    fn a_predicate_is_found_where_it_comes_true() {
        let trace = notation::parse("a: x=1 x=0 x=1\nb: y=1").expect("a drawing");
        let subject = Subject::of(&trace);
        let found = search(subject, "a.x == 1", &Budget::endless());
        let events = found["events"].as_array().expect("a list");
        assert_eq!(events.len(), 2);
        for event in events {
            let event = event.as_u64().expect("a number") as u32;
            let event = causet_trace::EventId::new(event);
            assert_eq!(trace.process_name(trace.order().process_of(event)), "a");
        }
    }

    /// Time that is up.
    struct TimeIsUp;

    impl Meter for TimeIsUp {
        fn stop(&self) -> Option<Spent> {
            Some(Spent::Time)
        }
    }

    #[test]
    fn a_search_ends_with_its_limits() {
        let trace = notation::parse("a: x=1 x=0 x=1\nb: y=1").expect("a drawing");
        let found = search(Subject::of(&trace), "a.x == 1", &Budget::new(&TimeIsUp));
        let error = found["error"].as_str().expect("a text");
        assert!(error.contains("timeout"), "{error}");
    }

    #[test]
    fn what_is_wrong_is_said() {
        let trace = notation::parse("a: x=1").expect("a drawing");
        for wrong in ["", "a.x ==", "a.z == 1", "{a.x == 1 ; a.x == 0}"] {
            let found = search(Subject::of(&trace), wrong, &Budget::endless());
            assert!(found["error"].is_string(), "{wrong}: {found}");
        }
    }
}
