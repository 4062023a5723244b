//! Many properties over one survey of a run and one stock of diagrams: each gets the answer it gets alone.

mod common;

use causet_base::budget::{Budget, Spent};
use causet_check::decide::{answer, conclude, decide};
use causet_check::engine::ist::Stock;
use causet_check::engine::{ist, ist_paper, rows};
use causet_check::outcome::Verdict;
use causet_check::plan::{Choice, Plan};
use causet_check::prepare::{Question, prepare, prepare_all};
use causet_check::subject::Subject;
use causet_formula::{Kind, Lets, Property};
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
        let (records, questions) = prepare_all(Subject::of(&self.trace), &asked, 2);
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
    Choice::Forced(&rows::ENGINE),
    Choice::Forced(&ist::ENGINE),
    Choice::Forced(&ist_paper::ENGINE),
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
                    Verdict::Doubtful => panic!("nothing is missing: seed {seed}"),
                }
            }
        }
    }
    println!("{unknown} unknown");
    assert!(unknown > 100);
}

/// Where a conjunction holds a disjunction of conjunctions, sets wait while others are made; whenever memory runs out on
/// the way, what is thrown away must not be among them.
#[test]
fn nothing_that_is_still_needed_is_thrown_away() {
    let mut rng = fastrand::Rng::with_seed(5);
    let trace = random::run(
        &mut rng,
        Shape {
            processes: 5,
            events: 60,
            ..Shape::small(&mut fastrand::Rng::with_seed(1))
        },
    );
    let subject = Subject::of(&trace);
    let steps = |count: usize| {
        let each = trace.order().processes().take(count);
        let each = each.map(|process| format!("steps({})", trace.process_name(process)));
        each.collect::<Vec<_>>().join(" + ")
    };
    let (few, all) = (steps(3), steps(5));
    let text = format!(
        "EF (({few}) % 5 > 1 && ((EX ({all}) % 7 < 2 && EX ({few}) % 3 = 1 && EX {all} = 99) || \
         (EX ({few}) % 4 > 1 && EX {all} = 99) || EX ({all}) % 60 = 57))"
    );
    let property = Property::parse(Kind::Ctl, "p", &text).expect("a formula");
    let question = prepare(&subject, &property, &Lets::none()).expect("a meaning");
    let ist = Choice::Forced(&ist::ENGINE);
    let ask = |budget: &Budget<'_>| {
        let outcome = decide(&subject, &question, ist, budget);
        outcome.expect("the certifier agrees").verdict
    };
    let right = ask(&Budget::endless());
    let mut decided = 0;
    for limit in (200..9_000).step_by(20) {
        let verdict = ask(&Budget::endless().with_memory(limit * 1000, 0));
        match verdict {
            Verdict::Unknown(spent) => assert_eq!(spent, Spent::Memory),
            verdict => {
                assert_eq!(verdict, right, "{limit} kB");
                decided += 1;
            }
        }
        if decided > 5 {
            break;
        }
    }
    assert!(decided > 5, "never enough memory");
}
