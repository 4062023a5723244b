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
        budget.tick_many(equations.len() as u64)?;
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::bes::system::Equation;
    use causet_base::budget::Meter;

    /// Time that is up at the hundredth look.
    struct HundredLooks(AtomicU64);

    impl Meter for HundredLooks {
        fn stop(&self) -> Option<Spent> {
            let looks = self.0.fetch_add(1, Ordering::Relaxed);
            (looks >= 100).then_some(Spent::Time)
        }
    }

    #[test]
    fn every_block_asks_for_the_time() {
        let equation = |block| Equation {
            block,
            operator: Operator::And,
            operands: Vec::new(),
        };
        let equations = (0..1_000).map(equation).collect();
        let system = System::new(&[Sign::Mu; 1_000], equations, 0).expect("a system");
        let meter = HundredLooks(AtomicU64::new(0));
        assert_eq!(solution(&system, &Budget::new(&meter)), Err(Spent::Time));
    }
}
