//! What an order of events shows, in a sentence: "At its end `a.leader && b.leader` holds".

use causet_check::outcome::{Outcome, Verdict};
use causet_check::prepare::Question;
use causet_check::subject::Subject;
use causet_formula::Property;
use causet_formula::core::{Ctl, Pred};
use causet_formula::print::{Operand, Printer};
use causet_formula::syntax::TemporalOp;

/// A longer formula would not help.
const LONGEST: usize = 120;

/// A formula that a witness shows to be true.
pub(crate) struct Claim<'a> {
    formula: Ctl,
    /// What the property is about as its author put it, and whether the property holds.
    own_words: Option<(Operand, bool)>,
    printer: Printer<'a>,
}

impl<'a> Claim<'a> {
    /// What the witness of an outcome shows.
    pub(crate) fn of(
        subject: &'a Subject<'a>,
        property: &Property,
        question: &Question,
        outcome: &Outcome,
    ) -> Option<Claim<'a>> {
        let witness = outcome.witness.as_ref()?;
        let (goal, bindings) = question.goal_of(witness)?;
        let (formula, holds) = match outcome.verdict {
            Verdict::Holds => (goal.into_owned(), true),
            Verdict::Violated => (Ctl::not(goal.into_owned()), false),
            Verdict::Unknown(_) | Verdict::Doubtful => return None,
        };
        let operand = property.operand(&bindings, subject);
        Some(Claim {
            formula: readable(&formula),
            own_words: operand.map(|operand| (operand, holds)),
            printer: Printer::new(subject),
        })
    }

    /// What is true at the end of the run, or all along it.
    pub(crate) fn end(&self) -> Option<String> {
        self.in_own_words()
            .and_then(short_enough)
            .or_else(|| short_enough(self.in_the_core()?))
    }

    /// The claim about a property whose outermost operator reaches an end or spans a run, in the author's words.
    fn in_own_words(&self) -> Option<String> {
        let (operand, holds) = self.own_words.as_ref()?;
        let Operand { op, text, denied } = operand;
        let text = ticked(text);
        let denied = denied.as_deref().map(ticked);
        match (op, holds) {
            (TemporalOp::Ef, true) if self.reaches() => Some(format!("At its end {text} holds:")),
            (TemporalOp::Ag, false) if self.reaches() => Some(match denied {
                Some(denied) => format!("At its end {denied} holds:"),
                None => format!("At its end {text} is false:"),
            }),
            (TemporalOp::Eg, true) if self.spans() => Some(format!("All along it {text} holds.")),
            (TemporalOp::Af, false) if self.spans() => Some(match denied {
                Some(denied) => format!("All along it {denied} holds."),
                None => format!("Nowhere along it does {text} hold."),
            }),
            _ => None,
        }
    }

    /// Whether the claim is about the end of the run alone.
    fn reaches(&self) -> bool {
        matches!(&self.formula, Ctl::Eu(until, _) if until.as_const() == Some(true))
    }

    /// Whether the claim is about every cut of the run.
    fn spans(&self) -> bool {
        never(&self.formula).is_some()
    }

    fn in_the_core(&self) -> Option<String> {
        Some(match &self.formula {
            Ctl::Eu(until, goal) => {
                let end = format!("At its end {} holds", self.quoted(goal));
                match until.as_const() {
                    Some(true) => format!("{end}:"),
                    _ => format!("{end}, and {} all the way before:", self.quoted(until)),
                }
            }
            Ctl::Ex(next) => format!("After this event {} holds:", self.quoted(next)),
            formula => match never(formula)? {
                Ctl::State(Pred::Not(part)) => {
                    format!(
                        "All along it {} holds.",
                        self.quoted(&Ctl::State((**part).clone()))
                    )
                }
                goal => format!("Nowhere along it does {} hold.", self.quoted(goal)),
            },
        })
    }

    /// What is true of the events after the end of the run.
    pub(crate) fn onward(&self) -> Option<String> {
        let (Ctl::Eu(_, end) | Ctl::Ex(end)) = &self.formula else {
            return None;
        };
        let end = readable(end);
        let temporal = match &end {
            Ctl::And(parts) => parts.iter().find(|part| !matches!(part, Ctl::State(_)))?,
            whole => whole,
        };
        short_enough(match temporal {
            Ctl::Eu(_, goal) => format!("at its end {} holds", self.quoted(goal)),
            formula => match never(formula)? {
                Ctl::State(Pred::Not(part)) => {
                    format!(
                        "{} holds all the way",
                        self.quoted(&Ctl::State((**part).clone()))
                    )
                }
                goal => format!("{} never holds", self.quoted(goal)),
            },
        })
    }

    fn quoted(&self, formula: &Ctl) -> String {
        ticked(&self.printer.ctl(&readable(formula)))
    }
}

/// The text between backticks; between two when it has some of its own.
fn ticked(text: &str) -> String {
    match text.contains('`') {
        true => format!("`` {text} ``"),
        false => format!("`{text}`"),
    }
}

/// For `!A[true U g]`: the `g` that never comes true, when it is a predicate.
fn never(formula: &Ctl) -> Option<&Ctl> {
    let Ctl::Not(inner) = formula else {
        return None;
    };
    match &**inner {
        Ctl::Au(until, goal)
            if until.as_const() == Some(true) && matches!(**goal, Ctl::State(_)) =>
        {
            Some(goal)
        }
        _ => None,
    }
}

/// The same formula with negations where people put them: `a && !b`, not `!(!a || b)`.
fn readable(formula: &Ctl) -> Ctl {
    match formula {
        Ctl::And(parts) => Ctl::and(parts.iter().map(readable)),
        Ctl::Or(parts) => Ctl::or(parts.iter().map(readable)),
        Ctl::Not(inner) => match &**inner {
            Ctl::And(parts) => Ctl::or(parts.iter().map(negated)),
            Ctl::Or(parts) => Ctl::and(parts.iter().map(negated)),
            _ => formula.clone(),
        },
        Ctl::State(Pred::Not(inner)) => match &**inner {
            Pred::Or(parts) => Ctl::State(Pred::and(parts.iter().cloned().map(Pred::not))),
            _ => formula.clone(),
        },
        _ => formula.clone(),
    }
}

fn negated(formula: &Ctl) -> Ctl {
    readable(&Ctl::not(formula.clone()))
}

fn short_enough(sentence: String) -> Option<String> {
    (sentence.chars().count() <= LONGEST).then_some(sentence)
}
