//! `causet bes`: a boolean equation system in, the value of its main variable out, with the variables that force it.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use causet_base::Code;
use causet_base::budget::{Budget, Spent};
use causet_report::bes::{Answer, BlockWords, ReasonWords, write, write_json};
use causet_solve::bes::support::{Support, check, support};
use causet_solve::bes::text::{self, Named, NotASystem};
use causet_solve::bes::{Resolution, Variable, global};

use crate::cli::lts::Bes;
use crate::diagnostics;
use crate::failure::{Failure, Status};
use crate::input::NotRead;
use crate::limits::{self, Limits};
use crate::lts::{ended, strategy};
use crate::output;
use causet::inner::{FormulaText, at};

/// A support that takes more variables than this to find is left out.
const MOST_REASONS: usize = 1_000_000;

/// Runs the command.
pub(crate) fn run(arguments: Bes) -> Result<Status, Failure> {
    let limits = limits::of(arguments.allowed);
    let arguments = Arc::new(arguments);
    let solved = limits::finished(&arguments, &limits, solve);
    ended(solved.and_then(|solved| publish(&arguments, &solved, &limits.for_report())))
}

/// Reads and solves.
fn solve(arguments: &Bes, limits: &Limits) -> Result<Solved, NotRead> {
    let named = read(&arguments.system, limits)?;
    limits.begin("solving", None);
    let start = Instant::now();
    let solved = solution(named, arguments, &limits.budget());
    limits.end();
    let mut solved = solved?;
    solved.seconds = start.elapsed().as_secs_f64();
    Ok(solved)
}

/// The system in a file; what is wrong with it is shown.
fn read(path: &Path, limits: &Limits) -> Result<Named, NotRead> {
    let name = path.display().to_string();
    let budget = limits.budget();
    let unreadable =
        |error: &io::Error| Failure::io(Code::NotReadable, format!("{name} cannot be read"), error);
    let text = match path == Path::new("-") {
        true => text_of(io::stdin(), &budget)?,
        false => {
            let file = File::open(path).map_err(|error| unreadable(&error))?;
            text_of(file, &budget)?
        }
    };
    let text = text.map_err(|error| unreadable(&error))?;
    let read = text::read(&text, &budget);
    read.map_err(|not| match not {
        NotASystem::Spent(spent) => spent.into(),
        NotASystem::Mistake(mistake) => {
            let (line, column) = (mistake.line, mistake.column);
            let quoted = text.lines().nth((line as usize).saturating_sub(1));
            if quoted.is_some_and(|line| line.len() > MAX_QUOTED_BYTES) {
                diagnostics::show(&mistake.in_file(&name, line, column));
            } else {
                let source = Arc::new(FormulaText { name, text });
                diagnostics::show_in(&source, &at(&source.text, &mistake));
            }
            Failure::Told.into()
        }
    })
}

/// The text of an input, as far as the budget allows.
fn text_of(mut input: impl Read, budget: &Budget<'_>) -> Result<io::Result<String>, Spent> {
    let mut bytes = Vec::new();
    loop {
        budget.look()?;
        budget.charge(PIECE_BYTES)?;
        let mut piece = (&mut input).take(PIECE_BYTES as u64);
        match piece.read_to_end(&mut bytes) {
            Ok(0) => break,
            Ok(_) => {}
            Err(error) => return Ok(Err(error)),
        }
    }
    let text = String::from_utf8(bytes);
    Ok(text.map_err(|_| io::Error::new(io::ErrorKind::InvalidData, NOT_UTF_8)))
}

/// A longer line is not quoted when something in it is wrong.
const MAX_QUOTED_BYTES: usize = 64 << 10;

/// How much is read between two looks at the limits.
const PIECE_BYTES: usize = 1 << 20;

/// What the standard library says of such a file.
const NOT_UTF_8: &str = "stream did not contain valid UTF-8";

/// A system, and what was found out about it.
struct Solved {
    named: Named,
    value: bool,
    looked_at: u64,
    operands: u64,
    support: Support,
    /// The values of all variables, when they were asked for.
    all: Option<Vec<bool>>,
    seconds: f64,
}

/// Solves a system on the fly, or, without a strategy, all of it by the definition.
fn solution(named: Named, arguments: &Bes, budget: &Budget<'_>) -> Result<Solved, NotRead> {
    let system = &named.system;
    let main = system.main_variable();
    let all = |wanted: bool| wanted.then(|| global::solution(system, budget)).transpose();
    let (value, (looked_at, operands), found) = match strategy(arguments.strategy) {
        None => {
            let value = global::solution(system, budget)?[main as usize];
            let equations = system.equations();
            let operands = equations.iter().map(|one| one.operands.len() as u64);
            let figures = (equations.len() as u64, operands.sum());
            (value, figures, Support::default())
        }
        Some(strategy) => {
            let mut resolution = Resolution::new(system, strategy, budget);
            let value = resolution.solve()?;
            let figures = resolution.figures();
            let found = support(&mut resolution, main, MOST_REASONS, budget)?.unwrap_or_default();
            if let Err(flaw) = check(&mut resolution, &found)? {
                let message =
                    format!("the support of a value does not stand up to its check: {flaw:?}");
                return Err(Failure::Internal(message).into());
            }
            (value, figures, found)
        }
    };
    let all = all(arguments.solution)?;
    Ok(Solved {
        named,
        value,
        looked_at,
        operands,
        support: found,
        all,
        seconds: 0.0,
    })
}

fn publish(arguments: &Bes, solved: &Solved, limits: &Limits) -> Result<Status, NotRead> {
    let named = &solved.named;
    let name = |variable: Variable| named.names[variable as usize].as_str();
    let path = arguments.system.display().to_string();
    let reasons = solved.support.reasons.iter().map(|reason| ReasonWords {
        variable: name(reason.variable),
        value: reason.value,
        because: reason
            .because
            .iter()
            .map(|&operand| name(operand))
            .collect(),
    });
    let names = named.names.iter().map(String::as_str);
    let blocks = named.system.blocks().iter().map(|block| BlockWords {
        sign: block.sign.word(),
        shape: block.shape.word(),
    });
    let answer = Answer {
        causet: env!("CARGO_PKG_VERSION"),
        schema: causet_report::SCHEMA,
        path: &path,
        variables: named.names.len(),
        blocks: blocks.collect(),
        main: name(named.system.main_variable()),
        value: solved.value,
        looked_at: solved.looked_at,
        operands: solved.operands,
        support: reasons.collect(),
        solution: solved
            .all
            .as_ref()
            .map(|all| names.zip(all.iter().copied()).collect()),
        seconds: solved.seconds,
    };
    output::within(limits, None, |out| match arguments.json {
        true => write_json(&answer, out),
        false => write(&answer, &output::palette(), out),
    })?;
    Ok(match solved.value {
        true => Status::Fine,
        false => Status::Violated,
    })
}
