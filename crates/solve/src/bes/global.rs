//! The definition of a solution, computed to the letter: what the other solvers are compared with.
//!
//! Block after block, the last one first, every variable starts with the block's default value, and all equations are
//! evaluated again and again until nothing changes. Slow, and meant to stay so.

use super::system::System;
use super::{Operator, Sign};
use causet_base::budget::{Budget, Spent};

/// The value of every variable.
pub fn solution(system: &System, budget: &Budget<'_>) -> Result<Vec<bool>, Spent> {
    let equations = system.equations();
    let mut values = vec![false; equations.len()];
    for (block, about) in system.blocks().iter().enumerate().rev() {
        let members: Vec<usize> = (0..equations.len())
            .filter(|&variable| equations[variable].block == block)
            .collect();
        for &variable in &members {
            values[variable] = about.sign == Sign::Nu;
        }
        let mut changed = true;
        while changed {
            changed = false;
            for &variable in &members {
                budget.tick()?;
                let mut operands = equations[variable].operands.iter();
                let value = match equations[variable].operator {
                    Operator::Or => operands.any(|&operand| values[operand as usize]),
                    Operator::And => operands.all(|&operand| values[operand as usize]),
                };
                changed |= value != values[variable];
                values[variable] = value;
            }
        }
    }
    Ok(values)
}
