//! Equation systems as text, in and out.
//!
//! ```text
//! # comment, to the end of the line
//! main X0
//! block mu
//!   X0 = X1 or X2
//!   X1 = X0 and (X2 or false)
//! block nu
//!   X2 = true
//! ```
//!
//! `and` (`&&`) binds tighter than `or` (`||`). A side that mixes them is split: its parts become equations of their own
//! in the same block. Blocks stand in the order of dependency, so an equation may use its own block and later ones. Without
//! `main` the first equation is meant. Line ends mean nothing, so an equation may take several lines.
//!
//! A system that is written and read again has the same equations in the same order, if they were in the order of their
//! blocks; only the operator of a side with one operand, which means nothing, is forgotten.

mod parse;

use std::collections::HashMap;
use std::io;

use super::system::{Equation, System};
use super::{Operator, Variable};

use causet_base::Diagnostic;
use causet_base::budget::{Budget, Spent};
use parse::{Draft, Side, parse};

/// A system whose variables have names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Named {
    /// The system.
    pub system: System,
    /// The name of each variable.
    pub names: Vec<String>,
}

/// Why no system was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotASystem {
    /// A limit was reached.
    Spent(Spent),
    /// The text is wrong.
    Mistake(Diagnostic),
}

impl From<Spent> for NotASystem {
    fn from(spent: Spent) -> Self {
        NotASystem::Spent(spent)
    }
}

impl From<Diagnostic> for NotASystem {
    fn from(mistake: Diagnostic) -> Self {
        NotASystem::Mistake(mistake)
    }
}

/// Reads a system; the budget is charged for the system and for what is kept of the text on the way.
pub fn read(text: &str, budget: &Budget<'_>) -> Result<Named, NotASystem> {
    let draft = parse(text, budget)?;
    let mut reader = Reader::new(&draft, budget)?;
    for number in 0..draft.equations.len() {
        reader.fill(number)?;
    }
    let main = match draft.main {
        Some((name, place)) => reader.variable(name, place)?,
        None => 0,
    };
    reader.check_order()?;
    let Reader {
        equations, names, ..
    } = reader;
    match System::new(&draft.blocks, equations, main) {
        Ok(system) => Ok(Named { system, names }),
        // The order was checked.
        Err(variable) => {
            let message = format!("`{}` depends on an earlier block", names[variable as usize]);
            Err(draft.end.mistake(message).into())
        }
    }
}

/// Writes a system with these names for its variables.
pub fn write(
    system: &System,
    name: impl Fn(Variable) -> String,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    writeln!(out, "main {}", name(system.main_variable()))?;
    let equations = system.equations();
    let mut members: Vec<Vec<Variable>> = vec![Vec::new(); system.blocks().len()];
    for (variable, equation) in equations.iter().enumerate() {
        members[equation.block].push(variable as Variable);
    }
    let blocks = system.blocks().iter().zip(members);
    for (block, members) in blocks.filter(|(_, members)| !members.is_empty()) {
        writeln!(out, "block {}", block.sign.word())?;
        for variable in members {
            let equation = &equations[variable as usize];
            let (constant, sign) = match equation.operator {
                Operator::And => ("true", " and "),
                Operator::Or => ("false", " or "),
            };
            let first = equation.operands.first();
            let first = first.map_or(constant.to_owned(), |&one| name(one));
            write!(out, "  {} = {first}", name(variable))?;
            for &operand in equation.operands.iter().skip(1) {
                write!(out, "{sign}{}", name(operand))?;
            }
            writeln!(out)?;
        }
    }
    Ok(())
}

/// What an equation takes besides its name and operands: itself, its name, and its place in a hash table half full.
const EQUATION_BYTES: usize =
    size_of::<Equation>() + size_of::<String>() + 2 * size_of::<(&str, Variable)>();

/// Turns a draft into equations.
struct Reader<'d> {
    draft: &'d Draft<'d>,
    budget: &'d Budget<'d>,
    numbers: HashMap<&'d str, Variable>,
    /// Those of the draft, in its order, then those that sides were split into.
    equations: Vec<Equation>,
    names: Vec<String>,
}

impl<'d> Reader<'d> {
    /// Every variable with an equation that is still empty.
    fn new(draft: &'d Draft<'d>, budget: &'d Budget<'d>) -> Result<Reader<'d>, NotASystem> {
        let mut reader = Reader {
            draft,
            budget,
            numbers: HashMap::new(),
            equations: Vec::new(),
            names: Vec::new(),
        };
        for (number, equation) in draft.equations.iter().enumerate() {
            let name = equation.name;
            if let Some(first) = reader.numbers.insert(name, number as Variable) {
                let line = draft.equations[first as usize].place.line;
                let message = format!("`{name}` has an equation already, on line {line}");
                return Err(equation.place.mistake(message).into());
            }
            reader.add(equation.block, name.to_owned(), Operator::Or)?;
        }
        if draft.equations.is_empty() {
            let message = "there is no equation: expected `block mu` or `block nu` and equations such as `X = Y or Z`";
            return Err(draft.end.mistake(message).into());
        }
        Ok(reader)
    }

    fn add(&mut self, block: usize, name: String, operator: Operator) -> Result<Variable, Spent> {
        self.budget.tick()?;
        self.budget.charge(EQUATION_BYTES + name.len())?;
        self.equations.push(Equation {
            block,
            operator,
            operands: Vec::new(),
        });
        self.names.push(name);
        Ok(self.equations.len() as Variable - 1)
    }

    fn variable(&self, name: &str, place: parse::Place) -> Result<Variable, Diagnostic> {
        let found = self.numbers.get(name).copied();
        found.ok_or_else(|| place.mistake(format!("`{name}` has no equation")))
    }

    /// The right-hand side of an equation of the draft.
    fn fill(&mut self, number: usize) -> Result<(), NotASystem> {
        let equation = &self.draft.equations[number];
        let mut open = vec![(number as Variable, &equation.side)];
        while let Some((variable, side)) = open.pop() {
            let (operator, parts) = match side {
                Side::Join(operator, parts) => (*operator, parts.as_slice()),
                Side::True => (Operator::And, &[][..]),
                Side::False => (Operator::Or, &[][..]),
                one @ Side::Variable(..) => (Operator::Or, std::slice::from_ref(one)),
            };
            self.budget.charge(parts.len() * size_of::<Variable>())?;
            let mut operands = Vec::with_capacity(parts.len());
            for part in parts {
                self.budget.tick()?;
                operands.push(match part {
                    Side::Variable(name, place) => self.variable(name, *place)?,
                    part => {
                        let name = self.fresh(equation.name);
                        let helper = self.add(equation.block, name, Operator::Or)?;
                        open.push((helper, part));
                        helper
                    }
                });
            }
            let equation = &mut self.equations[variable as usize];
            (equation.operator, equation.operands) = (operator, operands);
        }
        Ok(())
    }

    /// A name for a part of a side that no equation has.
    fn fresh(&self, name: &str) -> String {
        let number = self.equations.len();
        let mut fresh = format!("{name}_{number}");
        while self.numbers.contains_key(fresh.as_str()) {
            fresh.push('\'');
        }
        fresh
    }

    /// Refuses an equation that depends on an earlier block.
    fn check_order(&self) -> Result<(), NotASystem> {
        for equation in &self.draft.equations {
            equation.side.variables(&mut |name, place| {
                self.budget.tick()?;
                let operand = self.variable(name, place)?;
                let block = self.equations[operand as usize].block;
                if block < equation.block {
                    let user = self.variable(equation.name, equation.place)?;
                    return Err(place.mistake(self.astray(user, operand)).into());
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// What is wrong when a variable depends on one of an earlier block.
    fn astray(&self, user: Variable, operand: Variable) -> String {
        let block = |variable: Variable| {
            let block = self.equations[variable as usize].block;
            format!("block {} ({})", block + 1, self.draft.blocks[block].word())
        };
        let name = |variable: Variable| self.names[variable as usize].as_str();
        let (user_block, operand_block) = (block(user), block(operand));
        match self.way(operand, user) {
            Some(way) => {
                let mut way: Vec<&str> = way.into_iter().map(name).collect();
                way.push(name(operand));
                format!(
                    "{user_block} and {operand_block} depend on each other: {}. That is alternation, which has no \
                     solution block by block",
                    way.join(" -> ")
                )
            }
            None => format!(
                "`{}` of {user_block} depends on `{}` of {operand_block}, an earlier one: blocks stand in the order of \
                 dependency, so put {operand_block} behind {user_block}",
                name(user),
                name(operand)
            ),
        }
    }

    /// The variables on a shortest way along operands, both ends included.
    fn way(&self, from: Variable, to: Variable) -> Option<Vec<Variable>> {
        let mut before = HashMap::from([(from, from)]);
        let mut queue = std::collections::VecDeque::from([from]);
        while let Some(variable) = queue.pop_front() {
            if variable == to {
                let mut way = vec![to];
                while let Some(&last) = way.last().filter(|&&last| last != from) {
                    way.push(before[&last]);
                }
                way.reverse();
                return Some(way);
            }
            for &operand in &self.equations[variable as usize].operands {
                before.entry(operand).or_insert_with(|| {
                    queue.push_back(operand);
                    variable
                });
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bes::Sign;
    use crate::bes::global::solution;
    use causet_base::budget::Meter;
    use std::sync::atomic::AtomicU64;
    use std::sync::atomic::Ordering::Relaxed;

    const EXAMPLE: &str = "# comment\nmain X0\nblock mu\n  X0 = X1 or X2\n  X1 = X0 and (X2 or false)\nblock nu\n  X2 = true\n";

    fn written(named: &Named) -> String {
        let mut text = Vec::new();
        write(
            &named.system,
            |variable| named.names[variable as usize].clone(),
            &mut text,
        )
        .expect("memory is writable");
        String::from_utf8(text).expect("text")
    }

    fn values(named: &Named) -> HashMap<String, bool> {
        let values = solution(&named.system, &Budget::endless()).expect("no limit");
        named.names.iter().cloned().zip(values).collect()
    }

    fn refused(text: &str) -> (usize, usize, String) {
        let Err(NotASystem::Mistake(mistake)) = read(text, &Budget::endless()) else {
            panic!("a mistake");
        };
        (
            mistake.line as usize,
            mistake.column as usize,
            mistake.message.clone(),
        )
    }

    #[test]
    fn the_example_is_read_split_and_solved() {
        let named = read(EXAMPLE, &Budget::endless()).expect("a system");
        assert_eq!(named.names[..3], ["X0", "X1", "X2"]);
        assert_eq!(
            named.system.equations().len(),
            5,
            "two parts of X1 on their own"
        );
        assert!(
            values(&named)
                .iter()
                .all(|(name, &value)| value != name.ends_with("_4"))
        );
    }

    #[test]
    fn what_is_written_is_read_again() {
        let first = read(EXAMPLE, &Budget::endless()).expect("a system");
        let text = written(&first);
        let second = read(&text, &Budget::endless()).expect("what was written");
        assert_eq!(values(&first), values(&second));
        assert_eq!(text, written(&second));
    }

    #[test]
    fn random_systems_survive_a_round_trip() {
        for seed in 0..300 {
            let system = random(&mut fastrand::Rng::with_seed(seed));
            let named = Named {
                names: (0..system.equations().len())
                    .map(|n| format!("X{n}"))
                    .collect(),
                system,
            };
            let again = read(&written(&named), &Budget::endless()).expect("what was written");
            assert_eq!(again, named, "seed {seed}");
        }
    }

    /// A system with its equations in the order of blocks and no conjunction of one operand.
    fn random(random: &mut fastrand::Rng) -> System {
        let signs: Vec<Sign> = (0..random.usize(1..4))
            .map(|_| if random.bool() { Sign::Mu } else { Sign::Nu })
            .collect();
        let sizes: Vec<usize> = signs.iter().map(|_| random.usize(1..5)).collect();
        let total: usize = sizes.iter().sum();
        let mut equations = Vec::new();
        let mut start = 0;
        for (block, size) in sizes.into_iter().enumerate() {
            for _ in 0..size {
                let operands: Vec<Variable> = (0..random.usize(0..4))
                    .map(|_| random.usize(start..total) as Variable)
                    .collect();
                let operator = match operands.len() != 1 && random.bool() {
                    true => Operator::And,
                    false => Operator::Or,
                };
                equations.push(Equation {
                    block,
                    operator,
                    operands,
                });
            }
            start = equations.len();
        }
        let main = random.usize(0..total) as Variable;
        System::new(&signs, equations, main).expect("the order of blocks")
    }

    #[test]
    fn both_spellings_and_priorities() {
        let one = read(
            "block nu X = A && B || C A = true B = false C = C",
            &Budget::endless(),
        )
        .expect("a system");
        let other = read(
            "block nu X = (A and B) or C A = true B = false C = C",
            &Budget::endless(),
        )
        .expect("a system");
        assert_eq!(one, other);
        assert_eq!(one.system.equations()[0].operator, Operator::Or);
        let third = read(
            "block nu X = A and (B or C) A = true B = false C = C",
            &Budget::endless(),
        )
        .expect("a system");
        assert_eq!(third.system.equations()[0].operator, Operator::And);
    }

    #[test]
    fn mistakes_have_a_place_and_a_reason() {
        let (line, column, message) = refused("main X\nblock mu\n  X = Y");
        assert_eq!(
            (line, column, message.as_str()),
            (3, 7, "`Y` has no equation")
        );
        let (line, _, message) = refused("block mu\nX = true\nX = false");
        assert_eq!(
            (line, message.as_str()),
            (3, "`X` has an equation already, on line 2")
        );
        assert!(refused("X = true").2.contains("before the first equation"));
        assert!(refused("").2.contains("there is no equation"));
        assert!(
            refused("block la X = true")
                .2
                .contains("expected `mu` or `nu`")
        );
        assert!(refused("block mu X = (Y").2.contains("expected `)`"));
        assert!(
            refused("block mu X = and")
                .2
                .contains("expected a variable")
        );
        assert!(refused("block mu X = Y %").2.contains("`%`"));
        assert!(
            refused("main Z block mu X = X")
                .2
                .contains("`Z` has no equation")
        );
        assert!(refused("main X main X block mu X = X").2.contains("twice"));
        let deep = format!("block mu X = {}X", "(".repeat(100_000));
        assert!(refused(&deep).2.contains("too deep"));
        let long = format!("block mu X = {}", "a".repeat(100_000));
        assert!(refused(&long).2.contains("100000 bytes"));
    }

    #[test]
    fn alternation_is_explained_by_its_cycle() {
        let text = "block mu\nX = Y\nblock nu\nY = Z\nZ = X and Y";
        let (line, column, message) = refused(text);
        assert_eq!((line, column), (5, 5));
        assert!(message.contains("X -> Y -> Z -> X"), "{message}");
        assert!(
            message.contains("block 2 (nu) and block 1 (mu)"),
            "{message}"
        );
        let message = refused("block mu\nX = true\nblock nu\nY = X").2;
        assert!(
            message.contains("put block 1 (mu) behind block 2 (nu)"),
            "{message}"
        );
    }

    /// Time that is up at a look.
    struct LooksLeft(AtomicU64);

    impl Meter for LooksLeft {
        fn stop(&self) -> Option<Spent> {
            let left = self
                .0
                .fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1));
            left.is_err().then_some(Spent::Time)
        }
    }

    #[test]
    fn reading_ends_with_its_time_wherever_it_is() {
        let chain: String = (0..50_000)
            .map(|n| format!("X{n} = X{}\n", n + 1))
            .collect();
        let chain = format!("block mu\n{chain}X50000 = true\n");
        let line = format!("block mu X = {}Y Y = true", "Y or ".repeat(50_000));
        let blank = "\n".repeat(100_000) + EXAMPLE;
        for text in [&chain, &line, &blank] {
            let looks = |looks| {
                let meter = LooksLeft(AtomicU64::new(looks));
                read(text, &Budget::new(&meter)).map(drop)
            };
            for few in [0, 10, 20] {
                assert_eq!(looks(few), Err(NotASystem::Spent(Spent::Time)));
            }
            assert_eq!(looks(1_000_000), Ok(()));
        }
    }

    #[test]
    fn the_memory_of_a_system_is_charged() {
        let line = format!("block mu X = {}Y Y = true", "Y or ".repeat(50_000));
        for (memory, wanted) in [
            (100_000, Err(NotASystem::Spent(Spent::Memory))),
            (100_000_000, Ok(())),
        ] {
            let budget = Budget::endless().with_memory(memory, 0);
            assert_eq!(read(&line, &budget).map(drop), wanted);
        }
    }

    #[test]
    fn a_long_line_is_read_in_one_pass() {
        let line = format!("block mu X = {}Y Y = true", "Y or ".repeat(400_000));
        let named = read(&line, &Budget::endless()).expect("a system");
        assert_eq!(named.system.equations()[0].operands.len(), 400_001);
    }
}
