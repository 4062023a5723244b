//! How the verdict on a formula came about: its equations as a table, their blocks, and figures.

use causet_formula::modal::{Fixpoint, Modal, Operator, Term};
use causet_lts::model::{Checked, program};
use causet_solve::bes::Block;
use causet_wire::report::words::{count, padded, width};

/// The rows of the explanation.
pub(crate) fn rows(
    formula: &Modal,
    checked: &Checked,
    seconds: f64,
) -> Vec<(&'static str, String)> {
    let mut rows = Vec::new();
    rows.extend(titled("equations", equations(formula)));
    rows.extend(titled("blocks", blocks(formula)));
    rows.push(("figures", figures(checked, seconds)));
    rows
}

/// Lines under one name, which stands before the first.
fn titled(name: &'static str, lines: Vec<String>) -> Vec<(&'static str, String)> {
    let names = std::iter::once(name).chain(std::iter::repeat(""));
    names.zip(lines).collect()
}

/// Number, sign, operator, terms and text of each equation, in columns.
fn equations(formula: &Modal) -> Vec<String> {
    let table: Vec<[String; 5]> = formula
        .equations
        .iter()
        .enumerate()
        .map(|(number, equation)| {
            let sign = match equation.fixpoint {
                Fixpoint::Least => "mu",
                Fixpoint::Greatest => "nu",
            };
            let operator = match equation.operator {
                Operator::Some => "or",
                Operator::All => "and",
            };
            let modality = |action: usize| match equation.operator {
                Operator::Some => format!("<{action}>"),
                Operator::All => format!("[{action}]"),
            };
            let terms: Vec<String> = equation
                .terms
                .iter()
                .map(|&term| match term {
                    Term::Here(to) => format!("X{to}"),
                    Term::Step { action, to } => format!("{} X{to}", modality(action)),
                    #[allow(unreachable_patterns, reason = "terms may come to have other forms")]
                    _ => "?".to_owned(),
                })
                .collect();
            let terms = match (terms.is_empty(), equation.operator) {
                (true, Operator::Some) => "false".to_owned(),
                (true, Operator::All) => "true".to_owned(),
                (false, _) => terms.join(", "),
            };
            let name = format!("X{number}");
            [
                name,
                sign.into(),
                operator.into(),
                terms,
                equation.text.to_string(),
            ]
        })
        .collect();
    let columns: Vec<usize> = (0..4)
        .map(|column| {
            table
                .iter()
                .map(|row| width(&row[column]))
                .max()
                .unwrap_or(0)
        })
        .collect();
    let line = |row: &[String; 5]| {
        let cells = row[..4].iter().zip(&columns);
        let cells: Vec<String> = cells.map(|(cell, &width)| padded(cell, width)).collect();
        format!("{}  {}", cells.join("  "), row[4])
    };
    table.iter().map(line).collect()
}

fn blocks(formula: &Modal) -> Vec<String> {
    let program = program(formula);
    let describe = |(number, block): (usize, &Block)| {
        let nodes = (0..program.nodes().len()).filter(|&node| program.block_of(node) == number);
        let (sign, shape) = (block.sign.word(), block.shape.word());
        format!("{sign}, {shape}, {}", count(nodes.count(), "equation"))
    };
    program.blocks().iter().enumerate().map(describe).collect()
}

fn figures(checked: &Checked, seconds: f64) -> String {
    let variables = count(checked.variables as usize, "variable");
    let operands = count(checked.operands as usize, "operand");
    let rate = (checked.variables as f64 / seconds.max(1e-9)).round();
    let explored = match checked.explored {
        Some((states, steps)) => {
            format!(
                ", {} and {} explored",
                count(states, "state"),
                count(steps, "step")
            )
        }
        None => String::new(),
    };
    format!("{variables}, {operands}{explored}, {rate} variables per second")
}
