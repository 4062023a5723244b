//! Random properties of runs, as text for the parser and as a language for the enumeration.

use std::rc::Rc;

use causet_formula::{AtomGuard, Kind, OutsideAutomaton};
use causet_trace::EventId;

use super::words::{
    Acceptor, Binary, Expression, Formula, Language, Letter, Monitor, Step, Truth, Unary,
};
use super::{Comparison, Maker, Oracle, Set};

/// A property and what it means.
pub(crate) struct Asked {
    pub(crate) kind: Kind,
    pub(crate) text: String,
    pub(crate) language: Language,
}

impl Asked {
    /// Whether an order that shows something is a word of the language; the other orders show it otherwise.
    pub(crate) fn looks_for(&self) -> bool {
        matches!(self.kind, Kind::Monitor | Kind::Possibly)
    }

    /// The verdict, given whether there is an order of the kind looked for.
    pub(crate) fn holds_if_found(&self, found: bool) -> bool {
        found == (self.kind == Kind::Possibly)
    }
}

/// A formula with the bound names `i` and `j` in the place of processes.
pub(crate) struct Template {
    pub(crate) text: String,
    shape: Shape,
}

/// Its meaning, for any two processes.
type Shape = Rc<dyn Fn(&mut Maker<'_>, &str, &str) -> Formula>;

impl Template {
    pub(crate) fn instance(&self, maker: &mut Maker<'_>, i: &str, j: &str) -> Language {
        Language::Formula((self.shape)(maker, i, j))
    }
}

/// How often what occurs in a random property.
#[derive(Clone, Copy)]
pub(crate) struct Taste {
    /// The share of letters about events.
    pub(crate) events: f64,
    /// Whether formulas say `X` and `N`.
    pub(crate) next: bool,
}

impl Taste {
    pub(crate) fn any(rng: &mut fastrand::Rng) -> Self {
        Taste {
            events: [0.0, 0.3, 0.7][rng.usize(0..3)],
            next: rng.f64() < 0.6,
        }
    }
}

impl Maker<'_> {
    /// A property of runs without quantifiers.
    pub(crate) fn asked(&mut self, taste: Taste) -> Asked {
        match self.rng.usize(0..10) {
            0..=4 => self.asked_formula(taste),
            5 | 6 => self.asked_monitor(taste),
            other => {
                let kind = [Kind::Possibly, Kind::Definitely][self.rng.usize(0..2)];
                let (text, language) = match other {
                    7 | 8 => self.sequence(taste),
                    _ => {
                        let (text, expression) = self.expression(3, taste);
                        (format!("re( {text} )"), Language::Expression(expression))
                    }
                };
                Asked {
                    kind,
                    text,
                    language,
                }
            }
        }
    }

    pub(crate) fn asked_formula(&mut self, taste: Taste) -> Asked {
        let (text, formula) = self.linear(3, taste);
        Asked {
            kind: Kind::Ltl,
            text,
            language: Language::Formula(formula),
        }
    }

    fn linear(&mut self, depth: usize, taste: Taste) -> (String, Formula) {
        if depth == 0 || self.rng.f64() < 0.1 {
            let (text, letter) = self.letter(taste);
            return (text, Formula::Letter(letter));
        }
        let (one, f) = self.linear(depth - 1, taste);
        let f = Box::new(f);
        match self.rng.usize(0..20) {
            0 | 1 => (format!("!({one})"), Formula::Not(f)),
            2..=9 => {
                let operators = [
                    ("F", Unary::Finally),
                    ("<>", Unary::Finally),
                    ("G", Unary::Globally),
                    ("[]", Unary::Globally),
                    ("X", Unary::Next),
                    ("()", Unary::Next),
                    ("N", Unary::WeakNext),
                ];
                let (sign, operator) = operators[self.rng.usize(0..if taste.next { 7 } else { 4 })];
                (format!("{sign} ({one})"), Formula::Unary(operator, f))
            }
            _ => {
                let operators = [
                    ("&&", Binary::And),
                    ("||", Binary::Or),
                    ("->", Binary::Implies),
                    ("<->", Binary::Iff),
                    ("U", Binary::Until),
                    ("W", Binary::Weak),
                    ("R", Binary::Release),
                    ("M", Binary::Strong),
                ];
                let (sign, operator) = operators[self.rng.usize(0..operators.len())];
                let (other, g) = self.linear(depth - 1, taste);
                let formula = Formula::Binary(operator, f, Box::new(g));
                (format!("({one}) {sign} ({other})"), formula)
            }
        }
    }

    /// A random formula about a process `i`, and about `j` if there are two.
    pub(crate) fn template(&mut self, two: bool, taste: Taste) -> Template {
        self.template_of(2, two, taste)
    }

    fn template_of(&mut self, depth: usize, two: bool, taste: Taste) -> Template {
        if depth == 0 {
            return self.bound_letter(two, taste);
        }
        let inside = self.template_of(depth - 1, two, taste);
        if self.rng.bool() {
            let operators = [
                ("G", Unary::Globally),
                ("F", Unary::Finally),
                ("X", Unary::Next),
            ];
            let (sign, operator) = operators[self.rng.usize(0..if taste.next { 3 } else { 2 })];
            let shape = inside.shape;
            return Template {
                text: format!("{sign} ({})", inside.text),
                shape: Rc::new(move |maker, i, j| {
                    Formula::Unary(operator, Box::new(shape(maker, i, j)))
                }),
            };
        }
        let other = self.template_of(depth - 1, two, taste);
        let operators = [
            ("U", Binary::Until),
            ("W", Binary::Weak),
            ("->", Binary::Implies),
            ("||", Binary::Or),
        ];
        let (sign, operator) = operators[self.rng.usize(0..operators.len())];
        let (f, g) = (inside.shape, other.shape);
        Template {
            text: format!("(({}) {sign} ({}))", inside.text, other.text),
            shape: Rc::new(move |maker, i, j| {
                let (f, g) = (f(maker, i, j), g(maker, i, j));
                Formula::Binary(operator, Box::new(f), Box::new(g))
            }),
        }
    }

    fn bound_letter(&mut self, two: bool, taste: Taste) -> Template {
        let second = two && self.rng.bool();
        let bound = if second { "j" } else { "i" };
        let n = self.rng.i64(0..3);
        let is_event = self.rng.f64() < taste.events;
        let sort = self.rng.usize(0..3);
        let text = match (is_event, sort) {
            (true, 0) => format!("on({bound})"),
            (true, 1) => format!("on({bound}, \"a\")"),
            (true, _) => format!("on({bound}.x = {n})"),
            (false, 0) => format!("done({bound})"),
            (false, _) => format!("{bound}.x >= {n}"),
        };
        let shape: Shape = Rc::new(move |maker, i, j| {
            let process = if second { j } else { i }.to_owned();
            let name = format!("{process}.x");
            let truth: Truth = match (is_event, sort) {
                (true, 0) => about(move |o, by| o.is_of(by, &process)),
                (true, 1) => {
                    about(move |o, by| o.is_of(by, &process) && o.trace.label(by) == Some("a"))
                }
                (true, _) => wrote(vec![name.clone()], move |o, set| o.number(set, &name) == n),
                (false, 0) => Rc::new(move |o, set, _| {
                    let id = o.trace.process(&process).expect("known");
                    o.done(set, &process) == o.trace.order().chain(id).len() as i64
                }),
                (false, _) => Rc::new(move |o, set, _| o.number(set, &name) >= n),
            };
            Formula::Letter(maker.numbered(truth))
        });
        Template { text, shape }
    }

    fn asked_monitor(&mut self, taste: Taste) -> Asked {
        let states = self.rng.usize(1..=4);
        let mut text = "{ start s0; ".to_owned();
        let mut edges = Vec::new();
        let count = self.rng.usize(1..=6);
        for number in 0..count {
            let from = match number {
                // The state to start with must be that of some edge.
                0 => 0,
                _ => self.rng.usize(0..states),
            };
            let to = self.rng.usize(0..states);
            let (guard, letter) = match self.rng.bool() {
                true => {
                    let (about, letter) = self.event();
                    (format!("on {about}"), letter)
                }
                false => {
                    let (text, letter) = self.letter(taste);
                    (format!("when {text}"), letter)
                }
            };
            text += &format!("s{from} -> s{to} {guard}; ");
            edges.push((from, to, letter));
        }
        // Only states that are named somewhere can be bad.
        let mut named = vec![0];
        named.extend(edges.iter().flat_map(|&(from, to, _)| [from, to]));
        let count = self.rng.usize(1..=2);
        let bad: Vec<usize> = (0..count)
            .map(|_| named[self.rng.usize(0..named.len())])
            .collect();
        let names: Vec<String> = bad.iter().map(|state| format!("s{state}")).collect();
        text += &format!("bad {} }}", names.join(", "));
        Asked {
            kind: Kind::Monitor,
            text,
            language: Language::Monitor(Monitor { edges, bad }),
        }
    }

    /// An automaton from outside, and what it means: that it accepts every run.
    pub(crate) fn automaton(&mut self, taste: Taste) -> (OutsideAutomaton, Language) {
        let (states, count) = (self.rng.usize(1..=4), self.rng.usize(1..=3));
        let (atoms, letters): (Vec<String>, Vec<Letter>) =
            (0..count).map(|_| self.letter(taste)).unzip();
        let some = |this: &mut Self| -> Vec<usize> {
            let count = this.rng.usize(1..=2);
            (0..count).map(|_| this.rng.usize(0..states)).collect()
        };
        let (start, accepting) = (some(self), some(self));
        let mut edges = Vec::new();
        let mut meant = Vec::new();
        for _ in 0..self.rng.usize(2..=9) {
            let (from, to) = (self.rng.usize(0..states), self.rng.usize(0..states));
            let (atom, truth) = (self.rng.usize(0..count), self.rng.bool());
            let guard = match truth {
                true => AtomGuard::Atom(atom),
                false => AtomGuard::Not(Box::new(AtomGuard::Atom(atom))),
            };
            edges.push((from, guard, to));
            meant.push((from, to, letters[atom].clone(), truth));
        }
        let acceptor = Acceptor {
            start: start.clone(),
            edges: meant,
            accepting: accepting.clone(),
        };
        let automaton = OutsideAutomaton {
            atoms,
            states,
            start,
            accepting,
            edges,
        };
        (automaton, Language::Acceptor(acceptor))
    }

    fn sequence(&mut self, taste: Taste) -> (String, Language) {
        let mut texts = Vec::new();
        let mut steps = Vec::new();
        for _ in 0..self.rng.usize(1..=3) {
            let mut text = String::new();
            let mut guard = |this: &mut Self, word: &str| {
                (this.rng.f64() < 0.4).then(|| {
                    let (guard, letter) = this.letter(taste);
                    text += &format!("[{word} {guard}] ");
                    letter
                })
            };
            let (never, always) = (guard(self, "never"), guard(self, "always"));
            let (hit, at) = self.letter(taste);
            texts.push(format!("{text}{hit}"));
            steps.push(Step { never, always, at });
        }
        (
            format!("{{ {} }}", texts.join(" ; ")),
            Language::Sequence(steps),
        )
    }

    fn expression(&mut self, depth: usize, taste: Taste) -> (String, Expression) {
        if depth == 0 || self.rng.f64() < 0.15 {
            return match self.rng.usize(0..12) {
                0 => ("()".to_owned(), Expression::Empty),
                1..=3 => ("_".to_owned(), Expression::Any),
                _ => {
                    let (text, letter) = self.letter(taste);
                    (format!("({text})"), Expression::Letter(letter))
                }
            };
        }
        let (one, part) = self.expression(depth - 1, taste);
        let part = Box::new(part);
        match self.rng.usize(0..8) {
            0 | 1 => (format!("({one})*"), Expression::Star(part)),
            2 => (format!("({one})+"), Expression::Plus(part)),
            3 => (format!("({one})?"), Expression::Optional(part)),
            sort => {
                let (other, rest) = self.expression(depth - 1, taste);
                let rest = Box::new(rest);
                match sort {
                    4 => (
                        format!("(({one}) | ({other}))"),
                        Expression::Either(part, rest),
                    ),
                    _ => (format!("({one}) . ({other})"), Expression::Then(part, rest)),
                }
            }
        }
    }

    /// A predicate of a position, in parentheses where it needs some.
    pub(crate) fn letter(&mut self, taste: Taste) -> (String, Letter) {
        if self.rng.f64() < 0.25 {
            let ((one, f), (other, g)) = (self.plain_letter(taste), self.plain_letter(taste));
            let (f, g) = (f.truth, g.truth);
            let (text, truth): (_, Truth) = match self.rng.usize(0..3) {
                0 => (
                    format!("({one} && {other})"),
                    Rc::new(move |o, set, by| f(o, set, by) && g(o, set, by)),
                ),
                1 => (
                    format!("({one} || {other})"),
                    Rc::new(move |o, set, by| f(o, set, by) || g(o, set, by)),
                ),
                _ => (
                    format!("!({one})"),
                    Rc::new(move |o, set, by| !f(o, set, by)),
                ),
            };
            return (text, self.numbered(truth));
        }
        self.plain_letter(taste)
    }

    fn plain_letter(&mut self, taste: Taste) -> (String, Letter) {
        if self.rng.f64() < taste.events {
            let (about, letter) = self.event();
            return match about.starts_with('(') {
                true => (format!("on{about}"), letter),
                false => (format!("on({about})"), letter),
            };
        }
        match self.rng.usize(0..16) {
            0 => (
                "initial".to_owned(),
                self.numbered(Rc::new(|_, set, _| set.is_empty())),
            ),
            1 => (
                "final".to_owned(),
                self.numbered(Rc::new(|o, set, _| set.len() == o.trace.len())),
            ),
            2 => ("true".to_owned(), self.numbered(Rc::new(|_, _, _| true))),
            _ => {
                let (text, tree) = self.predicate(1);
                let truth: Truth = Rc::new(move |o, set, _| o.holds(&tree, set));
                (format!("({text})"), self.numbered(truth))
            }
        }
    }

    /// What may stand within `on(...)`, or behind the `on` of a monitor.
    fn event(&mut self) -> (String, Letter) {
        let (p, q) = (self.process(), self.process());
        let (n, m) = (self.rng.i64(0..3), self.rng.i64(0..3));
        let label = ["a", "b", "c"][self.rng.usize(0..3)];
        let (text, truth): (String, Truth) = match self.rng.usize(0..10) {
            0 | 1 => (
                format!("\"{label}\""),
                about(move |o, by| o.trace.label(by) == Some(label)),
            ),
            2 => (p.clone(), about(move |o, by| o.is_of(by, &p))),
            3 => (
                format!("({p}, \"{label}\")"),
                about(move |o, by| o.is_of(by, &p) && o.trace.label(by) == Some(label)),
            ),
            4 if self.shared => {
                let now = move |o: &Oracle<'_>, set: &Set| o.number(set, "s") == n;
                (format!("s = {n}"), wrote(vec!["s".to_owned()], now))
            }
            4..=6 => {
                let signs: [(&str, Comparison); 3] =
                    [("=", i64::eq), ("!=", i64::ne), (">=", i64::ge)];
                let (sign, compare) = signs[self.rng.usize(0..3)];
                let name = format!("{p}.x");
                let text = format!("{name} {sign} {n}");
                let names = vec![name.clone()];
                (
                    text,
                    wrote(names, move |o, set| compare(&o.number(set, &name), &n)),
                )
            }
            7 => {
                let name = format!("{p}.st");
                let names = vec![name.clone()];
                (
                    format!("{name} = \"crit\""),
                    wrote(names, move |o, set| o.text(set, &name) == "crit"),
                )
            }
            8 => {
                let (one, other) = (format!("{p}.x"), format!("{q}.x"));
                let names = vec![one.clone(), other.clone()];
                (
                    format!("({one} = {n} && {other} = {m})"),
                    wrote(names, move |o, set| {
                        o.number(set, &one) == n && o.number(set, &other) == m
                    }),
                )
            }
            _ => {
                let (one, other) = (format!("{p}.x"), format!("{q}.x"));
                let names = vec![one.clone(), other.clone()];
                (
                    format!("({one} + {other} > {n})"),
                    wrote(names, move |o, set| {
                        o.number(set, &one) + o.number(set, &other) > n
                    }),
                )
            }
        };
        (text, self.numbered(truth))
    }

    fn numbered(&mut self, truth: Truth) -> Letter {
        Letter {
            number: self.number(),
            truth,
        }
    }
}

/// A truth of the event just executed.
fn about(truth: impl Fn(&Oracle<'_>, EventId) -> bool + 'static) -> Truth {
    Rc::new(move |o, _, by| by.is_some_and(|by| truth(o, by)))
}

/// The event just executed wrote one of these variables, and this holds now.
fn wrote(names: Vec<String>, now: impl Fn(&Oracle<'_>, &Set) -> bool + 'static) -> Truth {
    Rc::new(move |o, set, by| {
        by.is_some_and(|by| {
            let mut written = o.trace.writes(by);
            let named = |name: &str| names.iter().any(|one| one == name);
            written.any(|write| named(&o.trace.variable_name(write.var))) && now(o, set)
        })
    })
}

impl Oracle<'_> {
    fn is_of(&self, event: EventId, process: &str) -> bool {
        let of = self.trace.order().process_of(event);
        self.trace.process_name(of) == process
    }
}
