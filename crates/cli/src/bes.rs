//! `causet bes`: a boolean equation system in, the value of its main variable out, with the variables that force it.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use causet_base::Code;
use causet_base::budget::Budget;
use causet_report::bes::{Answer, BlockWords, ReasonWords, write, write_json};
use causet_solve::bes::support::{Support, check, support};
use causet_solve::bes::text::{self, Named};
use causet_solve::bes::{Resolution, Strategy, Variable, global};

use crate::cli::lts::Bes;
use crate::diagnostics;
use crate::failure::{Failure, Status};
use crate::input::NotRead;
use crate::limits;
use crate::lts::{ended, strategy};
use crate::output;
use causet::inner::{FormulaText, at};

/// A support that takes more variables than this to find is left out.
const MOST_REASONS: usize = 1_000_000;

/// Runs the command.
pub(crate) fn run(arguments: &Bes) -> Result<Status, Failure> {
    let limits = limits::of(arguments.allowed);
    let named = read(&arguments.system)?;
    limits.begin("solving", None);
    let start = Instant::now();
    let budget = limits.budget();
    let solved = solve(&named, strategy(arguments.strategy), &budget);
    let solved = solved.and_then(|solved| {
        let all = arguments
            .solution
            .then(|| global::solution(&named.system, &budget));
        Ok((solved, all.transpose()?))
    });
    let seconds = start.elapsed().as_secs_f64();
    limits.end();
    ended(solved.and_then(|(solved, all)| {
        Ok(publish(
            arguments,
            &named,
            &solved,
            all.as_deref(),
            seconds,
        )?)
    }))
}

/// The system in a file; what is wrong with it is shown.
fn read(path: &Path) -> Result<Named, Failure> {
    let name = path.display().to_string();
    let text = match path == Path::new("-") {
        true => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text).map(|_| text)
        }
        false => fs::read_to_string(path),
    };
    let text = text.map_err(|error| {
        Failure::io(Code::NotReadable, format!("{name} cannot be read"), &error)
    })?;
    let source = Arc::new(FormulaText { name, text });
    text::read(&source.text).map_err(|mistake| {
        diagnostics::show_in(&source, &at(&source.text, &mistake));
        Failure::Told
    })
}

/// What was found out.
struct Solved {
    value: bool,
    looked_at: u64,
    operands: u64,
    support: Support,
}

/// Solves a system on the fly, or, without a strategy, all of it by the definition.
fn solve(
    named: &Named,
    strategy: Option<Strategy>,
    budget: &Budget<'_>,
) -> Result<Solved, NotRead> {
    let system = &named.system;
    let main = system.main_variable();
    let Some(strategy) = strategy else {
        let operands = system.equations().iter();
        return Ok(Solved {
            value: global::solution(system, budget)?[main as usize],
            looked_at: system.equations().len() as u64,
            operands: operands
                .map(|equation| equation.operands.len() as u64)
                .sum(),
            support: Support::default(),
        });
    };
    let mut resolution = Resolution::new(system, strategy, budget);
    let value = resolution.solve()?;
    let (looked_at, operands) = resolution.figures();
    let found = support(&mut resolution, main, MOST_REASONS, budget)?.unwrap_or_default();
    if let Err(flaw) = check(&mut resolution, &found)? {
        let message = format!("the support of a value does not stand up to its check: {flaw:?}");
        return Err(Failure::Internal(message).into());
    }
    Ok(Solved {
        value,
        looked_at,
        operands,
        support: found,
    })
}

fn publish(
    arguments: &Bes,
    named: &Named,
    solved: &Solved,
    all: Option<&[bool]>,
    seconds: f64,
) -> Result<Status, Failure> {
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
        solution: all.map(|all| names.zip(all.iter().copied()).collect()),
        seconds,
    };
    let mut bytes = Vec::new();
    let written = match arguments.json {
        true => write_json(&answer, &mut bytes),
        false => write(&answer, &output::palette(), &mut bytes),
    };
    written
        .map_err(|error| Failure::io(Code::NotWritable, "the report cannot be written", &error))?;
    output::to_stdout(&bytes)?;
    Ok(match solved.value {
        true => Status::Fine,
        false => Status::Violated,
    })
}
