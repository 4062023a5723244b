//! What an order of events shows, in a sentence: "at its end `a.leader && b.leader` holds".

use causet_check::outcome::{Outcome, Verdict};
use causet_check::prepare::Question;
use causet_check::subject::Subject;
use causet_formula::core::Ctl;
use causet_formula::print::Printer;
use causet_formula::{Names, Quantifier};

/// A longer formula would not help.
const LONGEST: usize = 120;

/// The sentence for the witness of an outcome, when there is a simple one.
pub(crate) fn of(subject: &Subject<'_>, question: &Question, outcome: &Outcome) -> Option<String> {
    let witness = outcome.witness.as_ref()?;
    let goal = match &witness.instance {
        None => &question.lowered.body,
        Some(instance) => instance_body(subject, question, instance)?,
    };
    let truth = truth_of_goal(question, outcome.verdict)?;
    let printer = Printer::new(subject);
    let sentence = claim(goal, truth, &printer)?;
    (sentence.chars().count() <= LONGEST).then_some(sentence)
}

/// Whether the goal the witness is about is true.
fn truth_of_goal(question: &Question, verdict: Verdict) -> Option<bool> {
    let holds = match verdict {
        Verdict::Holds => true,
        Verdict::Violated => false,
        Verdict::Unknown(_) => return None,
    };
    match question.lowered.quantifier {
        // One counterexample refutes `forall`, one example proves `exists`; the reverse holds of a single instance.
        None | Some(Quantifier::Forall | Quantifier::Exists) => Some(holds),
    }
}

fn instance_body<'q>(subject: &Subject<'_>, question: &'q Question, name: &str) -> Option<&'q Ctl> {
    let instances = &question.lowered.instances;
    let found = instances.iter().find(|instance| {
        let bindings = instance.bindings.iter();
        let named =
            bindings.map(|(name, process)| format!("{name} = {}", subject.process_name(*process)));
        named.collect::<Vec<_>>().join(", ") == name
    });
    found.map(|instance| &instance.body)
}

/// What a run shows that makes the formula true or false.
fn claim(goal: &Ctl, truth: bool, printer: &Printer<'_>) -> Option<String> {
    match (goal, truth) {
        (Ctl::Not(part), _) => claim(part, !truth, printer),
        (Ctl::Eu(until, goal), true) => {
            let end = format!("At its end {} holds", quoted(goal, printer));
            match until.as_const() {
                Some(true) => Some(format!("{end}:")),
                _ => Some(format!(
                    "{end}, and {} holds all the way before:",
                    quoted(until, printer)
                )),
            }
        }
        (Ctl::Au(until, goal), false) if until.as_const() == Some(true) => match &**goal {
            Ctl::State(_) => Some(never(goal, printer)),
            _ => None,
        },
        (Ctl::Ex(next), true) => Some(format!("After this event {} holds:", quoted(next, printer))),
        _ => None,
    }
}

/// That a predicate never holds, or rather that its negation always does.
fn never(goal: &Ctl, printer: &Printer<'_>) -> String {
    use causet_formula::core::Pred;
    match goal {
        Ctl::State(Pred::Not(part)) => {
            let part = Ctl::State((**part).clone());
            format!("All along it, {} holds.", quoted(&part, printer))
        }
        _ => format!("Nowhere along it does {} hold.", quoted(goal, printer)),
    }
}

fn quoted(formula: &Ctl, printer: &Printer<'_>) -> String {
    format!("`{}`", printer.ctl(formula))
}
