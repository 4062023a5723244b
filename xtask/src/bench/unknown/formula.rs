//! Formulas of CTL and LTL as trees: how they are written, and what the recorded order alone says of them.
//!
//! [`Formula::surely`] gives a formula of CTL to be evaluated on the recorded order alone, that is on a run in which it is
//! the only order. If it holds there, the formula has the wanted value on the real run: what is said of *some* order is
//! read along the recorded one, and what is said of *all* orders is replaced by what one cut is enough for. So a property
//! that the initial cut, the final cut or the recorded order decides is found without any of the engines' short cuts.

/// Which orders a temporal operator speaks about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Orders {
    Some,
    All,
    /// The order of the surrounding LTL formula, and so all of them.
    Along,
}

/// Temporal operators with one argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unary {
    /// False at the final cut.
    Next,
    /// True at the final cut.
    WeakNext,
    Finally,
    Globally,
}

/// Temporal operators with two arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Binary {
    Until,
    WeakUntil,
}

/// A formula of CTL or LTL.
#[derive(Clone, Debug)]
pub(super) enum Formula {
    /// A predicate about a cut.
    Atom(String),
    /// A predicate about the event just executed, such as `on("send")`.
    Event(String),
    Not(Box<Formula>),
    And(Box<Formula>, Box<Formula>),
    Or(Box<Formula>, Box<Formula>),
    Implies(Box<Formula>, Box<Formula>),
    Unary(Orders, Unary, Box<Formula>),
    Binary(Orders, Binary, Box<Formula>, Box<Formula>),
}

use Formula as F;

impl Formula {
    /// The formula as it is written in a property file.
    pub(super) fn text(&self) -> String {
        match self {
            F::Atom(text) | F::Event(text) => text.clone(),
            F::Not(f) => format!("!({})", f.text()),
            F::And(f, g) => format!("({} && {})", f.text(), g.text()),
            F::Or(f, g) => format!("({} || {})", f.text(), g.text()),
            F::Implies(f, g) => format!("({} -> {})", f.text(), g.text()),
            F::Unary(orders, operator, f) => {
                format!("{} ({})", unary_name(*orders, *operator), f.text())
            }
            F::Binary(orders, operator, f, g) => {
                let letter = binary_name(*operator);
                match orders {
                    Orders::Some => format!("E[{} {letter} {}]", f.text(), g.text()),
                    Orders::All => format!("A[{} {letter} {}]", f.text(), g.text()),
                    Orders::Along => format!("({} {letter} {})", f.text(), g.text()),
                }
            }
        }
    }

    /// A formula of CTL that holds on the recorded order alone only if this one has the wanted value on the real run.
    pub(super) fn surely(&self, wanted: bool) -> String {
        match self {
            F::Atom(text) if wanted => format!("({text})"),
            F::Atom(text) => format!("!({text})"),
            F::Event(_) if wanted => "false".to_owned(),
            F::Event(_) => "initial".to_owned(),
            F::Not(f) => f.surely(!wanted),
            F::And(f, g) => joined(wanted, &f.surely(wanted), &g.surely(wanted)),
            F::Or(f, g) => joined(!wanted, &f.surely(wanted), &g.surely(wanted)),
            F::Implies(f, g) => joined(!wanted, &f.surely(!wanted), &g.surely(wanted)),
            F::Unary(orders, operator, f) => {
                let operator = if wanted { *operator } else { dual(*operator) };
                let f = f.surely(wanted);
                // What is false of all orders is the dual of some order.
                if (*orders == Orders::Some) == wanted {
                    on_some_order(operator, &f)
                } else {
                    at_one_cut(operator, &f)
                }
            }
            F::Binary(orders, operator, f, g) => {
                let some = (*orders == Orders::Some) == wanted;
                let (f, g) = (f.surely(wanted), g.surely(wanted));
                if wanted {
                    until(some, *operator, &f, &g)
                } else {
                    // Not (f U g) is (not g) W (not f and not g), and the other way round.
                    let other = match operator {
                        Binary::Until => Binary::WeakUntil,
                        Binary::WeakUntil => Binary::Until,
                    };
                    until(some, other, &g, &format!("({f} && {g})"))
                }
            }
        }
    }
}

fn unary_name(orders: Orders, operator: Unary) -> &'static str {
    match (orders, operator) {
        (Orders::Some, Unary::Next | Unary::WeakNext) => "EX",
        (Orders::Some, Unary::Finally) => "EF",
        (Orders::Some, Unary::Globally) => "EG",
        (Orders::All, Unary::Next | Unary::WeakNext) => "AX",
        (Orders::All, Unary::Finally) => "AF",
        (Orders::All, Unary::Globally) => "AG",
        (Orders::Along, Unary::Next) => "X",
        (Orders::Along, Unary::WeakNext) => "N",
        (Orders::Along, Unary::Finally) => "F",
        (Orders::Along, Unary::Globally) => "G",
    }
}

fn binary_name(operator: Binary) -> &'static str {
    match operator {
        Binary::Until => "U",
        Binary::WeakUntil => "W",
    }
}

fn dual(operator: Unary) -> Unary {
    match operator {
        Unary::Next => Unary::WeakNext,
        Unary::WeakNext => Unary::Next,
        Unary::Finally => Unary::Globally,
        Unary::Globally => Unary::Finally,
    }
}

fn joined(both: bool, f: &str, g: &str) -> String {
    let word = if both { "&&" } else { "||" };
    format!("({f} {word} {g})")
}

fn on_some_order(operator: Unary, f: &str) -> String {
    match operator {
        Unary::Next => format!("EX ({f})"),
        Unary::WeakNext => format!("(final || EX ({f}))"),
        Unary::Finally => format!("EF ({f})"),
        Unary::Globally => format!("EG ({f})"),
    }
}

/// All orders end with the final cut, and begin at the present one.
fn at_one_cut(operator: Unary, f: &str) -> String {
    match operator {
        Unary::Next => "false".to_owned(),
        Unary::WeakNext => "final".to_owned(),
        Unary::Finally => format!("({f} || EF (final && {f}))"),
        Unary::Globally => format!("(final && {f})"),
    }
}

fn until(some: bool, operator: Binary, f: &str, g: &str) -> String {
    match (some, operator) {
        (true, operator) => format!("E[{f} {} {g}]", binary_name(operator)),
        (false, Binary::Until) => g.to_owned(),
        (false, Binary::WeakUntil) => format!("({g} || final && {f})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn atom(text: &str) -> Box<Formula> {
        Box::new(F::Atom(text.to_owned()))
    }

    #[test]
    fn a_violation_of_always_is_looked_for_along_the_order() {
        let formula = F::Unary(Orders::All, Unary::Globally, atom("x"));
        assert_eq!(formula.text(), "AG (x)");
        assert_eq!(formula.surely(false), "EF (!(x))");
        assert_eq!(formula.surely(true), "(final && (x))");
    }

    #[test]
    fn the_final_cut_decides_what_must_come() {
        let formula = F::Unary(Orders::Along, Unary::Finally, atom("x"));
        assert_eq!(formula.surely(true), "((x) || EF (final && (x)))");
        assert_eq!(formula.surely(false), "EG (!(x))");
    }

    #[test]
    fn an_until_is_broken_by_its_dual() {
        let formula = F::Binary(Orders::All, Binary::Until, atom("x"), atom("y"));
        assert_eq!(formula.surely(false), "E[!(y) W (!(x) && !(y))]");
        let formula = F::Binary(Orders::Some, Binary::Until, atom("x"), atom("y"));
        assert_eq!(formula.surely(false), "((!(x) && !(y)) || final && !(y))");
    }
}
