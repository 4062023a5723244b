//! Properties that are kept as templates, held against all of their instances by the definition.

use causet_base::budget::Budget;
use causet_check::decide::decide;
use causet_check::engine::explicit;
use causet_check::outcome::Verdict;
use causet_check::plan::Choice;
use causet_check::prepare::{Question, prepare, prepare_lazily};
use causet_check::subject::Subject;
use causet_formula::{Kind, Lets, Lowered, Property, lower_lazily};
use causet_trace::random::{self, Shape};
use causet_trace::{Trace, notation};
use fastrand::Rng;

/// A random predicate of one bound process.
fn local(rng: &mut Rng, name: &str) -> String {
    let op = ["<", "<=", ">", ">=", "=", "!="][rng.usize(0..6)];
    match rng.usize(0..5) {
        0 => format!("{name}.st = \"idle\""),
        1 => format!("{name}.x {op} 1 && {name}.x != 2"),
        2 => format!("({name}.x = 2 || {name}.st != \"idle\")"),
        _ => format!("{name}.x {op} {}", rng.i64(0..3)),
    }
}

/// A random property of two processes, often one of mutual exclusion.
fn property(rng: &mut Rng) -> (Kind, String) {
    let quantifier = ["forall", "exists"][rng.usize(0..2)];
    let condition = [
        "",
        " where i != j",
        " where i < j",
        " where j < i",
        " where !(i = j)",
    ];
    let condition = condition[rng.usize(0..5)];
    let one = local(rng, "i");
    let other = match rng.usize(0..3) {
        0 => local(rng, "j"),
        _ => one.replace("i.", "j."),
    };
    let (kind, body) = match rng.usize(0..9) {
        0 => (Kind::Ctl, format!("AG !({one} && {other})")),
        1 => (Kind::Ctl, format!("AG !({one} && {other} && i.x = j.x)")),
        2 => (Kind::Ctl, format!("EF ({one} && {other})")),
        3 => (Kind::Ctl, format!("AG (({one}) -> AF ({other}))")),
        4 => (Kind::Ctl, format!("E[{one} U {other}] || EX ({one})")),
        5 => (Kind::Ltl, format!("G (({one}) -> (!({other}) W !({one})))")),
        6 => (Kind::Ltl, format!("G !({one} && {other})")),
        7 => (Kind::Ltl, format!("F ({one}) -> X on(j)")),
        _ => (Kind::Possibly, format!("{one} && {other}")),
    };
    (
        kind,
        format!("{quantifier} i, j in procs{condition}: {body}"),
    )
}

/// The question with its instances expanded, and kept as a template.
fn both(trace: &Trace, kind: Kind, text: &str) -> Option<(Question, Question)> {
    let subject = Subject::of(trace);
    let property = Property::parse(kind, "p", text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
    let expanded = prepare(&subject, &property, &Lets::none()).ok()?;
    let lowered: Lowered = lower_lazily(&property, &Lets::none(), &subject, 0).ok()?;
    let template = Question {
        lowered,
        warnings: Vec::new(),
    };
    Some((expanded, template))
}

#[test]
fn templates_and_their_instances_agree() {
    let rounds = std::env::var("CAUSET_ROUNDS").ok();
    let rounds = rounds
        .and_then(|rounds| rounds.parse().ok())
        .unwrap_or(1500);
    let (mut held, mut violated, mut by_exclusion) = (0, 0, 0);
    for seed in 0..rounds {
        let mut rng = Rng::with_seed(seed);
        let shape = Shape::small(&mut rng);
        let trace = random::run(&mut rng, shape);
        let (kind, text) = property(&mut rng);
        let Some((expanded, template)) = both(&trace, kind, &text) else {
            continue;
        };
        let Some(kept) = &template.lowered.template else {
            // Without a choice that the condition allows there is nothing to keep.
            assert!(expanded.lowered.instances.is_empty(), "seed {seed}: {text}");
            continue;
        };
        let made = kept.tuples(&kept.ranges).map(|tuple| kept.instance(&tuple));
        assert_eq!(
            made.collect::<Vec<_>>(),
            expanded.lowered.instances,
            "seed {seed}: {text}"
        );
        let (mut one, mut other) = (
            expanded.lowered.mentions.clone(),
            template.lowered.mentions.clone(),
        );
        one.sort_by_key(|&(var, _)| var);
        other.sort_by_key(|&(var, _)| var);
        one.iter()
            .for_each(|(var, _)| assert!(other.iter().any(|(known, _)| known == var)));

        let (subject, budget) = (Subject::of(&trace), Budget::endless());
        let explicit = Choice::Forced(&explicit::ENGINE);
        let expected = decide(&subject, &expanded, explicit, &budget).expect("an outcome");
        let found = decide(&subject, &template, Choice::Auto, &budget).expect("an outcome");
        assert_eq!(found.verdict, expected.verdict, "seed {seed}: {text}");
        let deciding = match text.starts_with("forall") {
            true => Verdict::Violated,
            false => Verdict::Holds,
        };
        // A single instance is shown whatever its verdict; of a template only one that decides is.
        assert_eq!(
            found.witness.is_some(),
            expected.witness.is_some() && found.verdict == deciding,
            "seed {seed}: {text}"
        );
        if let Some(witness) = &found.witness {
            assert!(kept.allows(&witness.processes), "seed {seed}: {text}");
            assert!(template.goal_of(witness).is_some());
        }
        by_exclusion += u32::from(
            found
                .engine
                .is_some_and(|engine| engine.name == "exclusion"),
        );
        held += u32::from(found.verdict == Verdict::Holds);
        violated += u32::from(found.verdict == Verdict::Violated);
    }
    println!("{held} held, {violated} violated, {by_exclusion} by exclusion");
    assert!(held > rounds as u32 / 5 && violated > rounds as u32 / 5);
    assert!(by_exclusion > rounds as u32 / 50);
}

#[test]
fn a_body_that_compares_its_processes_is_expanded() {
    let trace = notation::parse("a: x=1\nb: x=2\nc: x=1").expect("a drawing");
    for text in [
        "forall i, j in procs: AG (i < j -> i.x <= 2)",
        "forall i in procs: AG count(j in procs where j != i: j.x = 1) <= 2",
    ] {
        let (expanded, lazy) = both(&trace, Kind::Ctl, text).expect("a meaning");
        assert!(lazy.lowered.template.is_none(), "{text}");
        assert_eq!(lazy.lowered.instances, expanded.lowered.instances, "{text}");
    }
}

#[test]
fn few_instances_are_expanded() {
    let trace = notation::parse("a: x=1\nb: x=2").expect("a drawing");
    let text = "forall i, j in procs where i < j: AG !(i.x = 1 && j.x = 1)";
    let property = Property::parse(Kind::Ctl, "p", text).expect("a property");
    let lets = Lets::none();
    let (_, mut questions) = prepare_lazily(Subject::of(&trace), &[(&property, &lets)], 1);
    let question = questions.remove(0).expect("a meaning");
    assert!(question.lowered.template.is_none());
    assert_eq!(question.lowered.instances.len(), 1);
}
