//! Formulas of the mu-calculus over the labels of a run, random, and what the recorded order alone says of them.

use super::random::Rng;

/// A formula about the steps that can follow.
#[derive(Clone, Debug)]
pub(super) enum Modal {
    True,
    Not(Box<Modal>),
    And(Box<Modal>, Box<Modal>),
    Or(Box<Modal>, Box<Modal>),
    /// Some way along these steps.
    Diamond(Steps, Box<Modal>),
    /// All ways along these steps.
    Box(Steps, Box<Modal>),
    /// Something can be reached, written as a least fixpoint.
    Reach(Box<Modal>),
    /// Something is true for ever, written as a greatest fixpoint.
    Always(Box<Modal>),
    /// Every order has a step of this action.
    Inevitable(String),
}

/// A regular formula.
#[derive(Clone, Debug)]
pub(super) struct Steps {
    text: String,
    /// Whether no step at all is one of the ways.
    nullable: bool,
}

impl Modal {
    /// A random formula that names these labels.
    pub(super) fn random(rng: &mut Rng, labels: &[String], depth: usize) -> Modal {
        let part = |rng: &mut Rng| Box::new(Modal::random(rng, labels, depth.saturating_sub(1)));
        if depth == 0 {
            let step = Steps::one(action(rng, labels));
            return match rng.below(3) {
                0 => Modal::Box(step, Box::new(Modal::Not(Box::new(Modal::True)))),
                _ => Modal::Diamond(step, Box::new(Modal::True)),
            };
        }
        match rng.below(12) {
            0 => Modal::Not(part(rng)),
            1 => Modal::And(part(rng), part(rng)),
            2 => Modal::Or(part(rng), part(rng)),
            3 | 4 => Modal::Diamond(Steps::random(rng, labels), part(rng)),
            5..=7 => Modal::Box(Steps::random(rng, labels), part(rng)),
            8 => Modal::Reach(part(rng)),
            9 | 10 => Modal::Always(part(rng)),
            _ => Modal::Inevitable(action(rng, labels)),
        }
    }

    /// The formula as it is written; bound names differ by their depth.
    pub(super) fn text(&self, depth: usize) -> String {
        let inner = |f: &Modal| f.text(depth + 1);
        match self {
            Modal::True => "true".to_owned(),
            Modal::Not(f) => format!("!({})", inner(f)),
            Modal::And(f, g) => format!("(({}) && ({}))", inner(f), inner(g)),
            Modal::Or(f, g) => format!("(({}) || ({}))", inner(f), inner(g)),
            Modal::Diamond(steps, f) => format!("<{}> ({})", steps.text, inner(f)),
            Modal::Box(steps, f) => format!("[{}] ({})", steps.text, inner(f)),
            Modal::Reach(f) => format!("(mu X{depth}. (({}) || <true> X{depth}))", inner(f)),
            Modal::Always(f) => format!("(nu X{depth}. (({}) && [true] X{depth}))", inner(f)),
            Modal::Inevitable(action) => {
                format!("(mu X{depth}. (<true> true && [not {action}] X{depth}))")
            }
        }
    }

    /// A formula that holds on the recorded order alone only if this one has the wanted value on the real run.
    pub(super) fn surely(&self, wanted: bool) -> String {
        match self {
            Modal::True if wanted => "true".to_owned(),
            Modal::True => "false".to_owned(),
            Modal::Not(f) => f.surely(!wanted),
            Modal::And(f, g) => joined(wanted, &f.surely(wanted), &g.surely(wanted)),
            Modal::Or(f, g) => joined(!wanted, &f.surely(wanted), &g.surely(wanted)),
            Modal::Diamond(steps, f) => along(wanted, steps, &f.surely(wanted)),
            Modal::Box(steps, f) => along(!wanted, steps, &f.surely(wanted)),
            Modal::Reach(f) => along(wanted, &Steps::any(), &f.surely(wanted)),
            Modal::Always(f) => along(!wanted, &Steps::any(), &f.surely(wanted)),
            // All orders have the same events, so one of them decides what must come.
            Modal::Inevitable(_) if wanted => self.text(0),
            Modal::Inevitable(_) => format!("!({})", self.text(0)),
        }
    }
}

/// What is said of some way is read along the order; what is said of all ways is sure where no step follows.
fn along(some: bool, steps: &Steps, f: &str) -> String {
    if some {
        format!("<{}> ({f})", steps.text)
    } else if steps.nullable {
        format!("([true] false && ({f}))")
    } else {
        "[true] false".to_owned()
    }
}

fn joined(both: bool, f: &str, g: &str) -> String {
    let word = if both { "&&" } else { "||" };
    format!("(({f}) {word} ({g}))")
}

impl Steps {
    fn any() -> Steps {
        Steps {
            text: "true*".to_owned(),
            nullable: true,
        }
    }

    fn one(action: String) -> Steps {
        Steps {
            text: action,
            nullable: false,
        }
    }

    fn random(rng: &mut Rng, labels: &[String]) -> Steps {
        let mut act = || action(rng, labels);
        let (a, b, c) = (act(), act(), act());
        let (text, nullable) = match rng.below(6) {
            0 => (a, false),
            1 => (format!("true* . {a}"), false),
            2 => (format!("true* . {a} . (not {b})* . {c}"), false),
            3 => (format!("(not {a})* . {b}"), false),
            4 => (format!("(not {a})*"), true),
            _ => ("true*".to_owned(), true),
        };
        Steps { text, nullable }
    }
}

fn action(rng: &mut Rng, labels: &[String]) -> String {
    match rng.pick(labels) {
        Some(label) if !rng.chance(10) => format!("\"{label}\""),
        _ => "true".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_must_come_is_the_same_in_all_orders() {
        let inevitable = Modal::Inevitable("\"a\"".to_owned());
        assert_eq!(inevitable.surely(true), inevitable.text(0));
        assert_eq!(
            inevitable.surely(false),
            format!("!({})", inevitable.text(0))
        );
    }

    #[test]
    fn what_no_way_may_do_is_looked_for_along_the_order() {
        let never = Modal::Box(
            Steps::one("\"a\"".to_owned()),
            Box::new(Modal::Not(Box::new(Modal::True))),
        );
        assert_eq!(never.surely(false), "<\"a\"> (true)");
        assert_eq!(never.surely(true), "[true] false");
    }
}
