//! Languages of runs as text: LTL with its sugar back, sequences, regular expressions and automata.
//!
//! ```text
//! G (a -> F b)                     every run satisfies it, as the whole property or one of a conjunction
//! A(f)   E(f)                      every run, some run satisfies f, anywhere else
//! definitely L   possibly L        every run, some run is a word of L: `{ a ; b }` or `re( a . b )`
//! monitor { ... }                  no run can end in a bad state
//! A({ ... })   E({ ... })          every run, some run is accepted
//! ```
//!
//! What a property can be written as is printed so that it reads back as the same core. Of `W`, `R` and `M` only what
//! their constructors make is recognised: the formula is taken apart, put together again and compared.

use super::{Level, Piece, Printer, at_least, enclose, operand_of_unary};
use crate::core::{Ctl, EventAtom, Pred};
use crate::linear::{Edge, Hit, Language, Ltl, Machine, MachineForm, Regular, Runs};
use crate::print::spell;

impl Printer<'_> {
    /// An LTL formula.
    pub fn ltl(&self, f: &Ltl) -> String {
        self.ltl_piece(f).0
    }

    /// A language, as it is written behind `possibly` or `definitely`, or as a block of states.
    pub fn language(&self, language: &Language) -> String {
        match language {
            Language::Ltl(f) => self.ltl(f),
            Language::Machine(machine) => self.machine(machine),
            Language::Sequence(hits) => self.sequence(hits),
            Language::Regular(regular) => format!("re( {} )", self.regular(regular)),
        }
    }

    /// Some run is one of these (`positive`), or none is.
    pub(super) fn runs_piece(&self, runs: &Runs, positive: bool) -> Piece {
        let language = self.language(&runs.language);
        // Of `every run` the core has the opposite: no run outside.
        let every = runs.complement;
        let text = match &runs.language {
            Language::Machine(machine)
                if machine.form == MachineForm::Monitor && !every && !positive =>
            {
                return (format!("monitor {language}"), Level::Primary);
            }
            Language::Sequence(_) | Language::Regular(_) => {
                let word = if every { "definitely" } else { "possibly" };
                format!("{word} {language}")
            }
            _ => {
                let letter = if every { "A" } else { "E" };
                format!("{letter}({language})")
            }
        };
        match every == positive {
            true => (format!("!({text})"), Level::Unary),
            false => (text, Level::Primary),
        }
    }

    pub(super) fn ltl_piece(&self, f: &Ltl) -> Piece {
        match f {
            Ltl::State(p) => self.pred_piece(p),
            Ltl::And(parts) => (self.ltl_parts(parts, " && ", Level::And), Level::And),
            Ltl::Or(parts) => match parts.as_slice() {
                [condition, then] if is_denial(condition) => self.implication(condition, then),
                _ => (self.ltl_parts(parts, " || ", Level::Or), Level::Or),
            },
            Ltl::Next(f) => self.ltl_unary("X ", f),
            Ltl::Until(f, g) if f.as_const() == Some(true) => self.ltl_unary("F ", g),
            Ltl::Until(f, g) => match strong_release_parts(f, g) {
                Some(first) => self.ltl_binary(&first, "M", f),
                None => self.ltl_binary(f, "U", g),
            },
            Ltl::Not(inner) => self.ltl_negation(inner),
        }
    }

    fn ltl_negation(&self, inner: &Ltl) -> Piece {
        match inner {
            Ltl::Next(f) => self.ltl_unary("N ", &Ltl::not((**f).clone())),
            Ltl::Until(f, g) if f.as_const() == Some(true) => {
                self.ltl_unary("G ", &Ltl::not((**g).clone()))
            }
            Ltl::Until(f, g) => match weak_until_parts(f, g) {
                Some((first, second)) => self.ltl_binary(&first, "W", &second),
                None if is_negation(f) && is_negation(g) => {
                    let (f, g) = (Ltl::not((**f).clone()), Ltl::not((**g).clone()));
                    self.ltl_binary(&f, "R", &g)
                }
                None => self.ltl_unary("!", inner),
            },
            _ => self.ltl_unary("!", inner),
        }
    }

    /// `condition` is the negation of the left side.
    fn implication(&self, condition: &Ltl, then: &Ltl) -> Piece {
        let left = at_least(Level::Or, self.ltl_piece(&Ltl::not(condition.clone())));
        let right = at_least(Level::Or, self.ltl_piece(then));
        (format!("{left} -> {right}"), Level::Implies)
    }

    fn ltl_parts(&self, parts: &[Ltl], between: &str, level: Level) -> String {
        let part = |part: &Ltl| at_least(level, self.ltl_piece(part));
        parts.iter().map(part).collect::<Vec<_>>().join(between)
    }

    fn ltl_unary(&self, operator: &str, operand: &Ltl) -> Piece {
        let operand = operand_of_unary(self.ltl_piece(operand));
        (format!("{operator}{operand}"), Level::Unary)
    }

    fn ltl_binary(&self, f: &Ltl, operator: &str, g: &Ltl) -> Piece {
        let side = |f| operand_of_unary(self.ltl_piece(f));
        (format!("{} {operator} {}", side(f), side(g)), Level::Until)
    }

    /// `{ a ; [never t] b }`
    fn sequence(&self, hits: &[Hit]) -> String {
        let hits: Vec<String> = hits.iter().map(|hit| self.hit(hit)).collect();
        format!("{{ {} }}", hits.join(" ; "))
    }

    fn hit(&self, hit: &Hit) -> String {
        let at = self.pred(&hit.at);
        match &hit.between {
            Pred::Const(true) => at,
            Pred::Not(never) => format!("[never {}] {at}", self.pred(never)),
            always => format!("[always {}] {at}", self.pred(always)),
        }
    }

    fn regular(&self, regular: &Regular) -> String {
        self.regular_piece(regular).0
    }

    /// The levels of a regular expression are those of `|`, of `.` and of what stands alone.
    fn regular_piece(&self, regular: &Regular) -> Piece {
        match regular {
            Regular::Letter(Pred::Const(true)) => ("_".to_owned(), Level::Primary),
            Regular::Letter(p) => self.letter(p),
            Regular::Then(parts) if parts.is_empty() => ("()".to_owned(), Level::Primary),
            Regular::Then(parts) => self.concatenation(parts),
            Regular::Either(parts) if parts.is_empty() => ("false".to_owned(), Level::Primary),
            Regular::Either(parts) => match parts.as_slice() {
                [part, Regular::Then(none)] if none.is_empty() => self.repeated(part, "?"),
                _ => {
                    let part = |part: &Regular| at_least(Level::And, self.regular_piece(part));
                    let parts: Vec<String> = parts.iter().map(part).collect();
                    (parts.join(" | "), Level::Or)
                }
            },
            Regular::Star(part) => self.repeated(part, "*"),
        }
    }

    /// `a . b+ . c`; a part that is followed by any number of its like occurs at least once.
    fn concatenation(&self, parts: &[Regular]) -> Piece {
        let mut pieces = Vec::new();
        let mut rest = parts;
        while let [part, after @ ..] = rest {
            let again = match after {
                [Regular::Star(inner), ..] => **inner == *part,
                _ => false,
            };
            pieces.push(match again {
                true => self.repeated(part, "+"),
                false => self.regular_piece(part),
            });
            rest = after.get(usize::from(again)..).unwrap_or(&[]);
        }
        if let [_] = pieces.as_slice() {
            return pieces.swap_remove(0);
        }
        let parts: Vec<String> = pieces
            .into_iter()
            .map(|piece| at_least(Level::Unary, piece))
            .collect();
        (parts.join(" . "), Level::And)
    }

    /// Comparisons, functions and names stand alone; all else is a letter in parentheses.
    fn letter(&self, p: &Pred) -> Piece {
        match self.pred_piece(p) {
            piece if matches!(p, Pred::And(_) | Pred::Or(_)) => (enclose(&piece), Level::Primary),
            // `x + 1` in boolean position, or a negative number.
            piece if matches!(p, Pred::Holds(_)) && piece.1 != Level::Primary => {
                (enclose(&piece), Level::Primary)
            }
            // These words are letters of their own.
            (name, Level::Primary) if matches!(&*name, "_" | "any") => {
                (format!("`{name}`"), Level::Primary)
            }
            piece => piece,
        }
    }

    fn repeated(&self, part: &Regular, sign: &str) -> Piece {
        let operand = match self.regular_piece(part) {
            // `x = 1*` would not need the parentheses, its readers do.
            piece if piece.1 == Level::Primary => piece.0,
            piece => enclose(&piece),
        };
        (format!("{operand}{sign}"), Level::Unary)
    }

    /// `{ start s0; s0 -> s1 on x = 1; bad s1 }`
    fn machine(&self, machine: &Machine) -> String {
        let names = |states: &[usize]| {
            let names: Vec<String> = states.iter().map(|&at| state(machine, at)).collect();
            names.join(", ")
        };
        let end = match machine.form {
            MachineForm::Monitor => "bad",
            MachineForm::Acceptor => "accept",
        };
        let mut lines = vec![format!("start {}", names(&machine.start))];
        lines.extend(machine.edges.iter().map(|edge| self.edge(machine, edge)));
        lines.push(format!("{end} {}", names(&machine.accepting)));
        format!("{{ {} }}", lines.join("; "))
    }

    fn edge(&self, machine: &Machine, edge: &Edge) -> String {
        let guard = match &edge.guard {
            Pred::On(event @ EventAtom::Wrote { .. }) => format!("on {}", self.event(event)),
            guard => format!("when {}", self.pred(guard)),
        };
        let (from, to) = (state(machine, edge.from), state(machine, edge.to));
        format!("{from} -> {to} {guard}")
    }
}

/// The formula every run has to satisfy, when that is all the property says.
pub(super) fn every_run(f: &Ctl) -> Option<&Ltl> {
    let Ctl::Not(inner) = f else { return None };
    let Ctl::Run(runs) = &**inner else {
        return None;
    };
    match &runs.language {
        Language::Ltl(f) if runs.complement => Some(f),
        _ => None,
    }
}

/// Whether the formula denies something, rather than being one of `G`, `N`, `W` and `R`.
fn is_denial(f: &Ltl) -> bool {
    let Ltl::Not(inner) = f else {
        return is_negation(f);
    };
    match &**inner {
        Ltl::Next(g) => !is_negation(g),
        Ltl::Until(f, g) if f.as_const() == Some(true) => !is_negation(g),
        Ltl::Until(f, g) => weak_until_parts(f, g).is_none() && !(is_negation(f) && is_negation(g)),
        _ => true,
    }
}

/// Whether the formula is printed with `!` before it.
fn is_negation(f: &Ltl) -> bool {
    match f {
        Ltl::State(p) => matches!(p, Pred::Not(_)),
        Ltl::Not(inner) => !matches!(**inner, Ltl::Next(_) | Ltl::Until(..)),
        _ => false,
    }
}

/// `f` and `g`, when `!(a U b)` is what `f W g` comes to.
fn weak_until_parts(a: &Ltl, b: &Ltl) -> Option<(Ltl, Ltl)> {
    let first = Ltl::not(without_last(b, a)?);
    let second = Ltl::not(a.clone());
    let again = Ltl::weak_until(first.clone(), second.clone());
    let same = matches!(&again, Ltl::Not(inner) if matches!(&**inner, Ltl::Until(x, y) if **x == *a && **y == *b));
    same.then_some((first, second))
}

/// `f`, when `a U b` is what `f M a` comes to.
fn strong_release_parts(a: &Ltl, b: &Ltl) -> Option<Ltl> {
    let first = without_last(b, a)?;
    let again = Ltl::strong_release(first.clone(), a.clone());
    let same = matches!(&again, Ltl::Until(x, y) if **x == *a && **y == *b);
    same.then_some(first)
}

/// A conjunction without its last part, when that is `last`.
fn without_last(conjunction: &Ltl, last: &Ltl) -> Option<Ltl> {
    let mut left = conjuncts(conjunction);
    // States come first in the core, so that the parts of `last` need not be neighbours.
    for part in conjuncts(last).iter().rev() {
        let at = left.iter().rposition(|other| other == part)?;
        left.remove(at);
    }
    (!left.is_empty()).then(|| Ltl::and(left))
}

/// The parts of a conjunction, states taken apart too.
fn conjuncts(f: &Ltl) -> Vec<Ltl> {
    match f {
        Ltl::And(parts) => parts.iter().flat_map(conjuncts).collect(),
        Ltl::State(Pred::And(parts)) => parts.iter().cloned().map(Ltl::State).collect(),
        f => vec![f.clone()],
    }
}

/// A state of an automaton by its name.
fn state(machine: &Machine, at: usize) -> String {
    match machine.states.get(at) {
        Some(name) => spell::state(name),
        None => format!("`state {at}`"),
    }
}
