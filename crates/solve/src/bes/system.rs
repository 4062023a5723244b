//! An equation system written down: every variable with its right-hand side.

use super::{Block, Equations, Operator, Shape, Sign, Variable};
use causet_base::budget::{Budget, Spent};

/// One equation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Equation {
    /// The block it stands in.
    pub block: usize,
    /// How the operands are joined.
    pub operator: Operator,
    /// The operands; none at all make a conjunction true and a disjunction false.
    pub operands: Vec<Variable>,
}

/// All equations of a system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct System {
    blocks: Vec<Block>,
    equations: Vec<Equation>,
    main: Variable,
}

impl System {
    /// A system from its equations; shapes are found out.
    ///
    /// An equation may depend on its own block and on later ones only; otherwise the first variable that does not is the
    /// error.
    pub fn new(
        signs: &[Sign],
        equations: Vec<Equation>,
        main: Variable,
    ) -> Result<System, Variable> {
        let astray = |equation: &Equation| {
            let mut operands = equation.operands.iter();
            operands.any(|&operand| equations[operand as usize].block < equation.block)
        };
        if let Some(at) = equations.iter().position(astray) {
            return Err(at as Variable);
        }
        let mut system = System {
            blocks: Vec::with_capacity(signs.len()),
            equations,
            main,
        };
        let shapes = system.shapes(signs.len());
        let blocks = signs.iter().zip(shapes);
        system.blocks = blocks.map(|(&sign, shape)| Block { sign, shape }).collect();
        Ok(system)
    }

    /// All of a system that its main variable depends on, numbered anew in the order of a breadth-first search.
    pub fn explore(mut other: impl Equations, budget: &Budget<'_>) -> Result<System, Spent> {
        let mut order = vec![other.main()?];
        let mut numbers = std::collections::HashMap::from([(order[0], 0)]);
        let mut equations = Vec::new();
        let mut right = Vec::new();
        while let Some(&variable) = order.get(equations.len()) {
            right.clear();
            budget.tick()?;
            let mut equation = Equation {
                block: other.block(variable),
                operator: other.operator(variable),
                operands: Vec::new(),
            };
            match other.expand(variable, &mut right)? {
                Some(true) => equation.operator = Operator::And,
                Some(false) => equation.operator = Operator::Or,
                None => equation.operands.extend(right.iter().map(|&operand| {
                    *numbers.entry(operand).or_insert_with(|| {
                        order.push(operand);
                        order.len() as Variable - 1
                    })
                })),
            }
            budget.charge(size_of::<Equation>() + (2 + right.len()) * size_of::<u64>())?;
            equations.push(equation);
        }
        Ok(System {
            blocks: other.blocks().to_vec(),
            equations,
            main: 0,
        })
    }

    fn shapes(&self, blocks: usize) -> Vec<Shape> {
        let mut or_alone = vec![true; blocks];
        let mut and_alone = vec![true; blocks];
        for equation in &self.equations {
            let own =
                |&&operand: &&Variable| self.equations[operand as usize].block == equation.block;
            if equation.operands.iter().filter(own).count() > 1 {
                match equation.operator {
                    Operator::Or => and_alone[equation.block] = false,
                    Operator::And => or_alone[equation.block] = false,
                }
            }
        }
        let shapes = or_alone.into_iter().zip(and_alone);
        let shapes = shapes.map(|alone| match alone {
            (true, _) => Shape::Disjunctive,
            (_, true) => Shape::Conjunctive,
            _ => Shape::General,
        });
        shapes.collect()
    }

    /// The blocks.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The equations; a variable is the index of its own.
    pub fn equations(&self) -> &[Equation] {
        &self.equations
    }

    /// The variable whose value is wanted.
    pub fn main_variable(&self) -> Variable {
        self.main
    }
}

impl Equations for &System {
    fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    fn main(&mut self) -> Result<Variable, Spent> {
        Ok(self.main)
    }

    fn block(&self, variable: Variable) -> usize {
        self.equations[variable as usize].block
    }

    fn operator(&self, variable: Variable) -> Operator {
        self.equations[variable as usize].operator
    }

    fn expand(
        &mut self,
        variable: Variable,
        operands: &mut Vec<Variable>,
    ) -> Result<Option<bool>, Spent> {
        let equation = &self.equations[variable as usize];
        operands.extend_from_slice(&equation.operands);
        Ok(match equation.operands.is_empty() {
            true => Some(!equation.operator.decisive()),
            false => None,
        })
    }
}
