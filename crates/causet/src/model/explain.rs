//! How the verdict on a formula came about: its equations as a table, their blocks, and figures.

use causet_formula::Action;
use causet_formula::modal::{Equation, Modal, Operator, Term};
use causet_lts::model::{Checked, program};
use causet_report::words::{count, padded, width};
use causet_report::{Worker, workers};
use causet_solve::bes::{Block, Shape};

use crate::explain::titled;

/// The rows of the explanation.
pub(crate) fn rows(
    formula: &Modal,
    checked: &Checked,
    all: &[Worker],
    seconds: f64,
) -> Vec<(&'static str, String)> {
    let mut rows = titled("equations", equations(formula));
    rows.extend(titled("blocks", blocks(formula)));
    rows.push(("figures", figures(checked, seconds)));
    rows.extend(titled("workers", workers::table(all)));
    rows
}

/// Number, sign, operator, terms and text of each equation, in columns.
fn equations(formula: &Modal) -> Vec<String> {
    let numbered = formula.equations.iter().enumerate();
    let table: Vec<[String; 5]> = numbered
        .map(|(number, equation)| {
            let operator = match equation.operator {
                Operator::Or => "or",
                Operator::And => "and",
            };
            [
                format!("X{number}"),
                equation.sign.word().to_owned(),
                operator.to_owned(),
                terms(formula, equation),
                equation.text.to_string(),
            ]
        })
        .collect();
    let widest = |column: usize| table.iter().map(move |row| width(&row[column])).max();
    let columns: Vec<usize> = (0..4).map(|column| widest(column).unwrap_or(0)).collect();
    let line = |row: &[String; 5]| {
        let cells = row[..4].iter().zip(&columns);
        let cells: Vec<String> = cells.map(|(cell, &width)| padded(cell, width)).collect();
        format!("{}  {}", cells.join("  "), row[4])
    };
    table.iter().map(line).collect()
}

fn terms(formula: &Modal, equation: &Equation) -> String {
    let term = |&term: &Term| match (term, equation.operator) {
        (Term::Here(to), _) => format!("X{to}"),
        (Term::Step { action, to }, Operator::Or) => {
            format!("<{}> X{to}", spelled(&formula.actions[action]))
        }
        (Term::Step { action, to }, Operator::And) => {
            format!("[{}] X{to}", spelled(&formula.actions[action]))
        }
    };
    let terms: Vec<String> = equation.terms.iter().map(term).collect();
    match (terms.is_empty(), equation.operator) {
        (true, Operator::Or) => "false".to_owned(),
        (true, Operator::And) => "true".to_owned(),
        (false, _) => terms.join(", "),
    }
}

fn spelled(action: &Action) -> String {
    let all = |parts: &[Action], word: &str| {
        let parts: Vec<String> = parts.iter().map(spelled).collect();
        format!("({})", parts.join(word))
    };
    match action {
        Action::Any => "true".to_owned(),
        Action::Internal => "tau".to_owned(),
        Action::Exact(text) => format!("\"{text}\""),
        Action::Matches(pattern) => format!("'{pattern}'"),
        Action::Not(inner) => format!("not {}", spelled(inner)),
        Action::And(parts) => all(parts, " and "),
        Action::Or(parts) => all(parts, " or "),
        Action::Same(left, right) => format!("({} equ {})", spelled(left), spelled(right)),
    }
}

/// The blocks in order, with the equations of each; neighbours without cycles are shown together.
fn blocks(formula: &Modal) -> Vec<String> {
    let program = program(formula);
    let mut groups: Vec<(Block, Vec<String>)> = Vec::new();
    for (number, &block) in program.blocks().iter().enumerate() {
        let nodes = (0..program.nodes().len()).filter(|&node| program.block_of(node) == number);
        let names = nodes.map(|node| format!("X{}", program.origin(node)));
        match groups.last_mut() {
            Some((last, all)) if *last == block && block.shape == Shape::Acyclic => {
                all.extend(names);
            }
            _ => groups.push((block, names.collect())),
        }
    }
    let line = |(block, names): (Block, Vec<String>)| {
        let (sign, shape) = (block.sign.word(), block.shape.word());
        format!("{sign}, {shape}: {}", names.join(", "))
    };
    groups.into_iter().map(line).collect()
}

fn figures(checked: &Checked, seconds: f64) -> String {
    let variables = count(checked.variables as usize, "variable");
    let operands = count(checked.operands as usize, "operand");
    // Of a moment the rate would say nothing.
    let rate = match seconds > 0.01 {
        true => format!(
            ", {:.0} variables per second",
            checked.variables as f64 / seconds
        ),
        false => String::new(),
    };
    let explored = match checked.explored {
        Some((states, steps)) => {
            let states = count(states, "state");
            format!(", {states} and {} explored", count(steps, "step"))
        }
        None => String::new(),
    };
    format!("{variables}, {operands}{explored}{rate}")
}
