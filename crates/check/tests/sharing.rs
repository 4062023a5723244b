//! Many properties over one survey of a run and one stock of diagrams: each gets the answer it gets alone.

mod common;

use causet_check::decide::{answer, conclude};
use causet_check::engine::EngineName;
use causet_check::engine::ist::Stock;
use causet_check::outcome::Verdict;
use causet_check::plan::{Choice, Plan};
use causet_check::prepare::{Question, prepare_all};
use causet_check::subject::Subject;
use causet_formula::{Kind, Lets, Property};
use causet_solve::budget::{Budget, Spent};
use causet_trace::Trace;
use causet_trace::random::{self, Shape};
use common::{Maker, Oracle};

/// A run, properties about it, and what they should give.
struct Exam {
    trace: Trace,
    properties: Vec<Property>,
    expected: Vec<bool>,
}

impl Exam {
    fn new(seed: u64, count: usize) -> Exam {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut shape = Shape::small(&mut rng);
        shape.events = shape.events.min(6);
        let trace = random::run(&mut rng, shape);
        let oracle = Oracle::new(&trace);
        let mut maker = Maker::new(&mut rng, &trace);
        let (mut properties, mut expected) = (Vec::new(), Vec::new());
        for _ in 0..count {
            let (text, tree) = maker.formula(3);
            expected.push(oracle.holds(&tree, &Vec::new()));
            let property = Property::parse(Kind::Ctl, "p", &text);
            properties.push(property.unwrap_or_else(|e| panic!("{text}: {e:?}")));
        }
        Exam {
            trace,
            properties,
            expected,
        }
    }

    /// The verdicts of an engine, all properties together.
    fn sit(&self, choice: Choice, budget: &Budget<'_>) -> Vec<Verdict> {
        let lets = Lets::none();
        let asked: Vec<_> = self.properties.iter().map(|p| (p, &lets)).collect();
        let (records, questions) = prepare_all(Subject::of(&self.trace), &asked);
        let questions: Vec<Question> = questions.into_iter().map(|q| q.expect("fine")).collect();
        let together: Vec<&Question> = questions.iter().collect();
        let plan = match Plan::new(records, &together, choice, budget) {
            Ok(plan) => plan,
            Err(spent) => return vec![Verdict::Unknown(spent); questions.len()],
        };
        let stock = Stock::new(budget);
        let decide = |(number, question): (usize, &Question)| {
            let answers = answer(&plan, number, question, &stock, budget);
            let outcome = conclude(&plan.subject(), question, answers, &budget.branch());
            outcome.expect("the certifier agrees").verdict
        };
        questions.iter().enumerate().map(decide).collect()
    }
}

const ENGINES: [Choice; 4] = [
    Choice::Auto,
    Choice::Forced(EngineName::Rows),
    Choice::Forced(EngineName::Ist),
    Choice::Forced(EngineName::IstPaper),
];

#[test]
fn together_they_get_what_each_gets_alone() {
    for seed in 0..400 {
        let exam = Exam::new(seed, 12);
        for choice in ENGINES {
            let verdicts = exam.sit(choice, &Budget::endless());
            let held: Vec<bool> = verdicts.iter().map(|&v| v == Verdict::Holds).collect();
            assert_eq!(held, exam.expected, "seed {seed}, {choice:?}");
        }
    }
}

#[test]
fn with_too_little_memory_a_verdict_is_right_or_unknown() {
    let mut unknown = 0;
    for seed in 0..60 {
        let exam = Exam::new(seed, 8);
        for (choice, limit) in ENGINES.into_iter().zip([3_000, 5_000, 300_000, 20_000]) {
            let budget = Budget::endless().with_memory(limit, 0);
            for (verdict, &holds) in exam.sit(choice, &budget).iter().zip(&exam.expected) {
                match verdict {
                    Verdict::Holds => assert!(holds, "seed {seed}, {choice:?}"),
                    Verdict::Violated => assert!(!holds, "seed {seed}, {choice:?}"),
                    Verdict::Unknown(spent) => {
                        assert_eq!(*spent, Spent::Memory);
                        unknown += 1;
                    }
                }
            }
        }
    }
    println!("{unknown} unknown");
    assert!(unknown > 100);
}
