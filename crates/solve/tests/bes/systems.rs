//! Random systems of all shapes.

use causet_base::budget::{Budget, Spent};
use causet_solve::bes::support::{Support, check, support};
use causet_solve::bes::system::{Equation, System};
use causet_solve::bes::{Operator, Resolution, Shape, Sign, Strategy, Variable, global};
use fastrand::Rng;

const STRATEGIES: [Strategy; 3] = [Strategy::Lean, Strategy::DepthFirst, Strategy::BreadthFirst];

/// A random system; each block has a shape of its own choice.
pub(super) fn random_system(random: &mut Rng) -> System {
    let blocks = random.usize(1..=4);
    let count = random.usize(1..=14);
    let signs: Vec<Sign> = (0..blocks)
        .map(|_| if random.bool() { Sign::Mu } else { Sign::Nu })
        .collect();
    let main_operators: Vec<Option<Operator>> = (0..blocks)
        .map(|_| match random.u8(..3) {
            0 => None,
            1 => Some(Operator::Or),
            _ => Some(Operator::And),
        })
        .collect();
    let mut home: Vec<usize> = (0..count).map(|_| random.usize(..blocks)).collect();
    home[0] = 0;
    let equations = (0..count).map(|variable| {
        let block = home[variable];
        let operator = if random.bool() {
            Operator::Or
        } else {
            Operator::And
        };
        let mut own = 0;
        let most = if random.u8(..8) == 0 {
            0
        } else {
            random.usize(1..=4)
        };
        let mut operands = Vec::new();
        for _ in 0..most {
            let operand = random.usize(..count);
            let alone = main_operators[block].is_some_and(|main| main != operator);
            own += usize::from(home[operand] == block);
            if home[operand] >= block && !(alone && home[operand] == block && own > 1) {
                operands.push(operand as Variable);
            }
        }
        Equation {
            block,
            operator,
            operands,
        }
    });
    let equations = equations.collect();
    System::new(&signs, equations, 0).expect("blocks depend on later ones")
}

pub(super) fn solution_of(system: &System) -> Vec<bool> {
    global::solution(system, &Budget::endless()).expect("no limit")
}

#[test]
fn every_strategy_gives_the_solution() {
    let mut random = Rng::with_seed(7);
    let mut shapes = [0; 4];
    for round in 0..60_000 {
        let system = random_system(&mut random);
        for block in system.blocks() {
            shapes[block.shape as usize] += 1;
        }
        let solution = solution_of(&system);
        for strategy in STRATEGIES {
            let budget = Budget::endless();
            let mut resolution = Resolution::new(&system, strategy, &budget);
            let main = resolution.solve().expect("no limit");
            assert_eq!(main, solution[0], "round {round}: {strategy:?} {system:?}");
            for _ in 0..4 {
                let variable = random.usize(..solution.len());
                let value = resolution.value(variable as Variable).expect("no limit");
                let expected = solution[variable];
                assert_eq!(
                    value, expected,
                    "round {round}: x{variable}, {strategy:?} {system:?}"
                );
            }
        }
    }
    let seldom = [Shape::Disjunctive, Shape::Conjunctive, Shape::General]
        .into_iter()
        .find(|&shape| shapes[shape as usize] < 5_000);
    assert_eq!(seldom, None, "{shapes:?}");
}

/// The equations of a support alone, which must have the solution they claim.
fn reduced(system: &System, support: &Support) -> System {
    let number = |variable: Variable| {
        let mut reasons = support.reasons.iter();
        reasons.position(|reason| reason.variable == variable)
    };
    let equations = support.reasons.iter().map(|reason| {
        let original = &system.equations()[reason.variable as usize];
        let one = original.operator.decisive() == reason.value;
        let operands = match one {
            true => &reason.because,
            false => &original.operands,
        };
        let operands = operands.iter().map(|&operand| number(operand));
        Equation {
            block: original.block,
            operator: original.operator,
            operands: operands
                .map(|number| number.expect("a reason for each") as Variable)
                .collect(),
        }
    });
    let signs: Vec<Sign> = system.blocks().iter().map(|block| block.sign).collect();
    System::new(&signs, equations.collect(), 0).expect("as the system itself")
}

#[test]
fn a_support_forces_its_value_and_a_spoilt_one_is_found_out() {
    let mut random = Rng::with_seed(23);
    let mut spoilt = 0;
    for round in 0..40_000 {
        let system = random_system(&mut random);
        let solution = solution_of(&system);
        let budget = Budget::endless();
        let strategy = STRATEGIES[round % 3];
        let mut resolution = Resolution::new(&system, strategy, &budget);
        let found = support(&mut resolution, 0, usize::MAX, &budget);
        let found = found.expect("no limit").expect("no limit");
        let about = || format!("round {round}: {system:?} {found:?}");
        let verdict = check(&mut resolution, &found).expect("no limit");
        assert_eq!(verdict, Ok(()), "{}", about());
        let forced = solution_of(&reduced(&system, &found));
        assert_eq!(forced[0], solution[0], "{}", about());

        let mut wrong = found.clone();
        let reasons = wrong.reasons.len();
        let at = random.usize(..reasons);
        match random.u8(..3) {
            0 => wrong.reasons[at].value ^= true,
            1 => wrong.reasons[at].because.clear(),
            _ => {
                let other = wrong.reasons[random.usize(..reasons)].variable;
                wrong.reasons[at].because = vec![other];
            }
        }
        let verdict = check(&mut resolution, &wrong).expect("no limit");
        spoilt += usize::from(verdict.is_err());
        if verdict.is_ok() && wrong.reasons[0].value == solution[0] {
            let forced = solution_of(&reduced(&system, &wrong));
            assert_eq!(forced[0], solution[0], "{} {wrong:?}", about());
        } else if verdict.is_ok() {
            panic!("a wrong value was believed: {} {wrong:?}", about());
        }
    }
    assert!(spoilt > 20_000, "{spoilt}");
}

#[test]
fn a_chain_is_resolved_without_recursion() {
    let length = 300_000;
    for (sign, expected) in [(Sign::Mu, false), (Sign::Nu, true)] {
        let equations = (0..length).map(|variable| Equation {
            block: 0,
            operator: Operator::Or,
            operands: vec![(variable + 1) % length],
        });
        let system = System::new(&[sign], equations.collect(), 0).expect("one block");
        for strategy in STRATEGIES {
            let budget = Budget::endless();
            let value = Resolution::new(&system, strategy, &budget).solve();
            assert_eq!(value, Ok(expected), "{strategy:?}");
        }
    }
}

#[test]
fn memory_is_honoured() {
    let length = 300_000;
    let equations = (0..length).map(|variable| Equation {
        block: 0,
        operator: Operator::Or,
        operands: vec![(variable + 1) % length],
    });
    let system = System::new(&[Sign::Mu], equations.collect(), 0).expect("one block");
    for strategy in STRATEGIES {
        let budget = Budget::endless().with_memory(1_000_000, 0);
        let value = Resolution::new(&system, strategy, &budget).solve();
        assert_eq!(value, Err(Spent::Memory), "{strategy:?}");
        assert!(budget.used() <= 1_000_000);
    }
}

#[test]
fn the_work_stops_when_the_main_variable_is_known() {
    // x0 = x1 or x2, x1 = true, x2 = x3, x3 = x4, ...; which operand comes first is the strategy's affair.
    let length: Variable = 10_000;
    let met = |strategy, operands: [Variable; 2]| {
        let equations = (0..length).map(|variable| Equation {
            block: 0,
            operator: if variable == 1 {
                Operator::And
            } else {
                Operator::Or
            },
            operands: match variable {
                0 => operands.to_vec(),
                1 => vec![],
                _ => vec![(variable + 1).min(length - 1)],
            },
        });
        let system = System::new(&[Sign::Mu], equations.collect(), 0).expect("one block");
        let budget = Budget::endless();
        let mut resolution = Resolution::new(&system, strategy, &budget);
        assert_eq!(resolution.solve(), Ok(true));
        resolution.figures().0
    };
    for strategy in STRATEGIES {
        let least = met(strategy, [1, 2]).min(met(strategy, [2, 1]));
        assert!(least <= 4, "{strategy:?}");
    }
}

#[test]
fn an_equation_that_depends_on_an_earlier_block_is_refused() {
    let equation = |block, operand| Equation {
        block,
        operator: Operator::Or,
        operands: vec![operand],
    };
    let equations = vec![equation(0, 1), equation(1, 0)];
    assert_eq!(
        System::new(&[Sign::Mu, Sign::Nu], equations, 0).err(),
        Some(1)
    );
}
