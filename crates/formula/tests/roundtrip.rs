//! Random core formulas survive being printed and read again.

mod common;

use std::sync::Arc;

use causet_formula::classify::pred_support;
use causet_formula::print::Printer;
use causet_formula::{
    ArithOp, CmpOp, Ctl, Edge, EventAtom, Expr, Hit, Kind, Language, Lets, Ltl, Machine,
    MachineForm, Names, Number, Pred, ProcRef, Property, Regular, Value, VarRef, lower,
};
use common::{Town, draw_all};
use fastrand::Rng;

#[test]
fn printed_formulas_read_back_as_themselves() {
    each_seed(|random| (Kind::Ctl, random.ctl(4)));
}

#[test]
fn printed_linear_formulas_read_back_as_themselves() {
    each_seed(|random| {
        random.events = true;
        let f = random.ltl(4);
        (Kind::Ltl, Ctl::every_run(Language::Ltl(f)))
    });
}

#[test]
fn printed_sequences_read_back_as_themselves() {
    each_seed(|random| {
        random.events = true;
        let hits = random.some(|this| Hit {
            between: match this.rng.bool() {
                true => Pred::TRUE,
                false => this.pred(2),
            },
            at: this.pred(2),
        });
        random.about_runs(Language::Sequence(hits))
    });
}

#[test]
fn printed_regular_expressions_read_back_as_themselves() {
    each_seed(|random| {
        random.events = true;
        let regular = random.regular(4);
        random.about_runs(Language::Regular(regular))
    });
}

#[test]
fn printed_monitors_read_back_as_themselves() {
    each_seed(|random| {
        random.events = true;
        let machine = random.monitor();
        let body = Ctl::not(Ctl::some_run(Language::Machine(machine)));
        (Kind::Monitor, body)
    });
}

/// Prints what `make` makes, reads it as the kind it says, prints the syntax of that and reads it once more.
fn each_seed(make: fn(&mut Random<'_>) -> (Kind, Ctl)) {
    let towns = [Town::new(), awkward()];
    for seed in 0..4000 {
        let town = &towns[seed as usize % towns.len()];
        let mut random = Random {
            rng: Rng::with_seed(seed),
            town,
            events: false,
        };
        let (kind, formula) = make(&mut random);
        let printed = Printer::new(town).ctl(&formula);
        let words = ["possibly ", "definitely ", "monitor "];
        let word = words.iter().find(|word| printed.starts_with(**word));
        let text = printed[word.map_or(0, |word| word.len())..].to_owned();
        let property = Property::parse(kind, "random", &text)
            .unwrap_or_else(|errors| panic!("seed {seed}: {}", draw_all(&text, &errors)));
        let read = lower(&property, &Lets::none(), town)
            .unwrap_or_else(|errors| panic!("seed {seed}: {}", draw_all(&text, &errors)));
        assert_eq!(read.body, formula, "seed {seed}: {text}");
        let again = property.syntax().expect("a formula").to_string();
        let read = Property::parse(kind, "random", &again)
            .and_then(|property| lower(&property, &Lets::none(), town));
        assert_eq!(read.expect(&again).body, formula, "seed {seed}: {again}");
    }
}

/// Names that need every kind of quoting, and dotted names that could be split in two ways.
fn awkward() -> Town {
    Town::with(
        &["a", "a.b", "E", "p q", "back`quote", "true", "é"],
        &[
            (None, "a.b.c"),
            (Some(0), "b.c"),
            (Some(1), "c"),
            (Some(2), "U"),
            (Some(3), "line\nbreak"),
            (Some(4), "\\"),
            (Some(5), "not"),
            (Some(0), "count"),
            (None, "min"),
            (None, "in"),
            (Some(6), "x"),
            (None, "AG"),
            (None, "any"),
            (None, "p q"),
            (Some(0), "x.y"),
        ],
    )
}

struct Random<'a> {
    rng: Rng,
    town: &'a Town,
    /// Whether predicates may speak of the event just executed.
    events: bool,
}

impl Random<'_> {
    fn ctl(&mut self, depth: u32) -> Ctl {
        let f = |this: &mut Self| this.ctl(depth - 1);
        match if depth == 0 { 0 } else { self.rng.u32(0..16) } {
            0..=2 => Ctl::State(self.pred(depth.min(2))),
            3 => Ctl::not(f(self)),
            4 => Ctl::and(self.some(f)),
            5 => Ctl::or(self.some(f)),
            6 => Ctl::ex(f(self)),
            7 => Ctl::ax(f(self)),
            8 => Ctl::eu(f(self), f(self)),
            9 => Ctl::au(f(self), f(self)),
            10 => Ctl::ef(f(self)),
            11 => Ctl::ag(f(self)),
            12 => Ctl::eg(f(self)),
            13 => Ctl::aw(f(self), f(self)),
            14 => Ctl::er(f(self), f(self)),
            _ => Ctl::iff(f(self), f(self)),
        }
    }

    fn ltl(&mut self, depth: u32) -> Ltl {
        let f = |this: &mut Self| this.ltl(depth - 1);
        match if depth == 0 { 0 } else { self.rng.u32(0..16) } {
            0..=2 => Ltl::State(self.pred(depth.min(2))),
            3 => Ltl::not(f(self)),
            4 => Ltl::and(self.some(f)),
            5 => Ltl::or(self.some(f)),
            6 => Ltl::next(f(self)),
            7 => Ltl::weak_next(f(self)),
            8 => Ltl::until(f(self), f(self)),
            9 => Ltl::release(f(self), f(self)),
            10 => Ltl::finally(f(self)),
            11 => Ltl::globally(f(self)),
            12 => Ltl::weak_until(f(self), f(self)),
            13 => Ltl::strong_release(f(self), f(self)),
            14 => Ltl::implies(f(self), f(self)),
            _ => Ltl::iff(f(self), f(self)),
        }
    }

    /// Asks for some run or for every run.
    fn about_runs(&mut self, language: Language) -> (Kind, Ctl) {
        match self.rng.bool() {
            true => (Kind::Possibly, Ctl::some_run(language)),
            false => (Kind::Definitely, Ctl::every_run(language)),
        }
    }

    fn regular(&mut self, depth: u32) -> Regular {
        let r = |this: &mut Self| this.regular(depth - 1);
        match if depth == 0 { 0 } else { self.rng.u32(0..9) } {
            0..=2 => Regular::Letter(self.pred(depth.min(2))),
            3 | 4 => Regular::then(self.some(r)),
            5 => Regular::either(self.some(r)),
            6 => Regular::star(r(self)),
            7 => Regular::plus(r(self)),
            _ => Regular::optional(r(self)),
        }
    }

    /// A monitor whose states are numbered as they are first named.
    fn monitor(&mut self) -> Machine {
        let names = ["start", "bad", "s 2", "on", "not", "x"];
        let mut states = vec![names[0].to_owned()];
        let mut edges = Vec::new();
        for _ in 0..self.rng.usize(1..6) {
            let mut state = || {
                let at = self.rng.usize(0..=states.len().min(names.len() - 1));
                if at == states.len() {
                    states.push(names[at].to_owned());
                }
                at
            };
            let (from, to) = (state(), state());
            let guard = self.pred(2);
            edges.push(Edge { from, to, guard });
        }
        let ends = [edges[0].to, edges[edges.len() - 1].to];
        let accepting = if ends[0] == ends[1] {
            ends[..1].to_vec()
        } else {
            ends.to_vec()
        };
        edges.push(Edge {
            from: 0,
            to: 0,
            guard: Pred::TRUE,
        });
        Machine {
            form: MachineForm::Monitor,
            states,
            start: vec![0],
            accepting,
            edges,
        }
    }

    /// Something about the event just executed.
    fn event(&mut self) -> Pred {
        let event = match self.rng.u32(0..5) {
            0 => EventAtom::Label("a\"b".into()),
            1 => EventAtom::Process(self.process()),
            2 => EventAtom::ProcessLabel(self.process(), "reply".into()),
            _ => return self.wrote().unwrap_or(Pred::TRUE),
        };
        Pred::On(event)
    }

    /// A predicate about a variable just written.
    fn wrote(&mut self) -> Option<Pred> {
        let outside = std::mem::replace(&mut self.events, false);
        let now = self.pred(1);
        self.events = outside;
        let support = pred_support(&now, &|v| self.town.owner(v));
        let vars: Vec<VarRef> = support.variables.into_iter().collect();
        let now = Arc::new(now);
        (!vars.is_empty()).then_some(Pred::On(EventAtom::Wrote { vars, now }))
    }

    fn pred(&mut self, depth: u32) -> Pred {
        if self.events && self.rng.u32(0..4) == 0 {
            return self.event();
        }
        let p = |this: &mut Self| this.pred(depth - 1);
        match if depth == 0 {
            self.rng.u32(0..6)
        } else {
            self.rng.u32(0..9)
        } {
            0 => Pred::Const(self.rng.bool()),
            1 => Pred::Done(self.process()),
            2 => self.number(depth).map_or(Pred::TRUE, Pred::holds),
            3 | 4 => self.order(depth),
            5 => self.equality(depth),
            6 => Pred::not(p(self)),
            7 => Pred::and(self.some(p)),
            _ => Pred::or(self.some(p)),
        }
    }

    fn order(&mut self, depth: u32) -> Pred {
        let ops = [CmpOp::Lt, CmpOp::Le, CmpOp::Gt, CmpOp::Ge];
        let op = ops[self.rng.usize(0..4)];
        Pred::compare(op, self.operand(depth), self.operand(depth))
    }

    fn equality(&mut self, depth: u32) -> Pred {
        let op = if self.rng.bool() {
            CmpOp::Eq
        } else {
            CmpOp::Ne
        };
        let a = self.operand(depth);
        let b = match self.rng.u32(0..4) {
            0 => Expr::Literal(Value::text(
                ["", "crit", "a\"b\\c\n", "é\u{7}"][self.rng.usize(0..4)],
            )),
            1 => Expr::Literal(Value::Bool(self.rng.bool())),
            2 => self.truth(depth),
            _ => self.operand(depth),
        };
        Pred::compare(op, a, b)
    }

    /// A predicate as a value; none of these is about events.
    fn truth(&mut self, depth: u32) -> Expr {
        let outside = std::mem::replace(&mut self.events, false);
        let p = self.pred(depth.saturating_sub(1));
        self.events = outside;
        Expr::truth(p)
    }

    /// A number that is no literal, for boolean position.
    fn number(&mut self, depth: u32) -> Option<Expr> {
        let e = self.operand(depth);
        (!matches!(e, Expr::Literal(_))).then_some(e)
    }

    fn operand(&mut self, depth: u32) -> Expr {
        let outside = std::mem::replace(&mut self.events, false);
        let operand = self.operand_about_cuts(depth);
        self.events = outside;
        operand
    }

    fn operand_about_cuts(&mut self, depth: u32) -> Expr {
        let e = |this: &mut Self| this.operand(depth - 1);
        match if depth == 0 {
            self.rng.u32(0..6)
        } else {
            self.rng.u32(0..14)
        } {
            0 | 1 => Expr::Var(VarRef(self.rng.u32(0..self.town.variable_count() as u32))),
            2 => Expr::Inflight(self.process(), self.process()),
            3 => Expr::Steps(self.process()),
            4 | 5 => Expr::Literal(Value::Number(self.literal())),
            6 => Expr::negative(e(self)),
            7..=9 => self.arith(depth),
            10 => Expr::Count(self.some(|this| this.pred(depth - 1))),
            11 => Expr::Sum(self.some(e)),
            12 => Expr::Min(self.some(e)),
            _ => Expr::Max(self.some(e)),
        }
    }

    fn arith(&mut self, depth: u32) -> Expr {
        let ops = [
            ArithOp::Add,
            ArithOp::Sub,
            ArithOp::Mul,
            ArithOp::Div,
            ArithOp::Rem,
        ];
        let op = ops[self.rng.usize(0..5)];
        let (a, b) = (self.operand(depth - 1), self.operand(depth - 1));
        let zero = matches!(&b, Expr::Literal(Value::Number(n)) if n.is_zero());
        let divides = matches!(op, ArithOp::Div | ArithOp::Rem);
        Expr::arith(if zero && divides { ArithOp::Add } else { op }, a, b)
    }

    fn literal(&mut self) -> Number {
        match self.rng.u32(0..4) {
            0 => Number::from(self.rng.i64(-3..4)),
            1 => Number::from_decimal(self.rng.i64(-999..1000), self.rng.u32(0..5)),
            2 => Number::from(self.rng.i64(..)),
            _ => Number::from(self.rng.i64(-9..10))
                .checked_div(&Number::from(7))
                .expect("not zero"),
        }
    }

    fn process(&mut self) -> ProcRef {
        ProcRef(self.rng.u32(0..self.town.process_count() as u32))
    }

    fn some<T>(&mut self, mut one: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.rng.u32(1..4)).map(|_| one(self)).collect()
    }
}
