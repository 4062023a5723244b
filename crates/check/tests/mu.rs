//! Random runs, random formulas of the mu-calculus: every engine against the meaning of the formula as a set of cuts.
//!
//! `CAUSET_SEED=n` repeats one seed, `CAUSET_ROUNDS=n` runs more of them.

mod common;

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use causet_base::budget::{Budget, Spent};
use causet_check::decide::{Failure, decide};
use causet_check::engine::{Engine, bes, explicit};
use causet_check::linear::compile::Sizes;
use causet_check::outcome::{Outcome, Verdict, Witness};
use causet_check::plan::Choice;
use causet_check::prepare::{Question, prepare};
use causet_check::subject::Subject;
use causet_formula::{Kind, Lets, Property};
use causet_trace::random::{self, Shape};
use causet_trace::{EventId, Trace, notation};
use common::team::By;
use common::{Oracle, Set};
use fastrand::Rng;

const ENGINES: [Choice; 3] = [
    Choice::Auto,
    Choice::Forced(&explicit::ENGINE),
    Choice::Forced(&bes::ENGINE),
];

/// Every engine.
fn engines(_seed: u64) -> Vec<By> {
    ENGINES.map(By::Engine).to_vec()
}

/// Some workers.
fn workers(seed: u64) -> Vec<By> {
    vec![By::some_workers(seed)]
}

/// Which events an action formula is about.
type Act = Rc<dyn Fn(&Trace, EventId) -> bool>;

/// A regular formula over actions.
enum Path {
    One(Act),
    Then(Rc<Path>, Rc<Path>),
    Either(Rc<Path>, Rc<Path>),
    Star(Rc<Path>),
    Plus(Rc<Path>),
}

enum Mu {
    Const(bool),
    Var(String),
    Not(Rc<Mu>),
    And(Rc<Mu>, Rc<Mu>),
    Or(Rc<Mu>, Rc<Mu>),
    Some(Rc<Path>, Rc<Mu>),
    All(Rc<Path>, Rc<Mu>),
    Least(String, Rc<Mu>),
    Greatest(String, Rc<Mu>),
}

type Cuts = BTreeSet<Set>;

/// The meaning of formulas, as sets of cuts.
struct Meaning<'a> {
    oracle: &'a Oracle<'a>,
    all: Cuts,
}

impl<'a> Meaning<'a> {
    fn new(oracle: &'a Oracle<'a>) -> Self {
        let mut all = Cuts::new();
        let mut open = vec![Set::new()];
        while let Some(cut) = open.pop() {
            let next = oracle.possible(&cut).into_iter();
            open.extend(next.map(|event| oracle.after(&cut, event)));
            all.insert(cut);
        }
        Meaning { oracle, all }
    }

    fn of(&self, formula: &Mu, given: &HashMap<String, Cuts>) -> Cuts {
        match formula {
            Mu::Const(true) => self.all.clone(),
            Mu::Const(false) => Cuts::new(),
            Mu::Var(name) => given[name].clone(),
            Mu::Not(f) => &self.all - &self.of(f, given),
            Mu::And(f, g) => &self.of(f, given) & &self.of(g, given),
            Mu::Or(f, g) => &self.of(f, given) | &self.of(g, given),
            Mu::Some(path, f) => self.before(path, &self.of(f, given)),
            Mu::All(path, f) => {
                let fails = &self.all - &self.of(f, given);
                &self.all - &self.before(path, &fails)
            }
            Mu::Least(name, f) => self.iterated(name, f, given, Cuts::new()),
            Mu::Greatest(name, f) => self.iterated(name, f, given, self.all.clone()),
        }
    }

    fn iterated(&self, name: &str, f: &Mu, given: &HashMap<String, Cuts>, from: Cuts) -> Cuts {
        let mut given = given.clone();
        let mut last = from;
        loop {
            given.insert(name.to_owned(), last.clone());
            let next = self.of(f, &given);
            if next == last {
                return last;
            }
            last = next;
        }
    }

    /// The cuts from which some way of this kind leads into a set.
    fn before(&self, path: &Path, into: &Cuts) -> Cuts {
        match path {
            Path::One(act) => {
                let leads = |cut: &&Set| {
                    self.oracle.possible(cut).into_iter().any(|event| {
                        act(self.oracle.trace, event)
                            && into.contains(&self.oracle.after(cut, event))
                    })
                };
                self.all.iter().filter(leads).cloned().collect()
            }
            Path::Then(one, other) => self.before(one, &self.before(other, into)),
            Path::Either(one, other) => &self.before(one, into) | &self.before(other, into),
            Path::Plus(path) => self.before(path, &self.before(&Path::Star(path.clone()), into)),
            Path::Star(path) => {
                let mut last = into.clone();
                loop {
                    let next = &last | &self.before(path, &last);
                    if next == last {
                        return last;
                    }
                    last = next;
                }
            }
        }
    }
}

/// What a formula looks like, at random.
struct Maker<'r> {
    rng: &'r mut Rng,
}

impl Maker<'_> {
    fn act(&mut self, depth: usize) -> (String, Act) {
        let is = |label: &'static str| -> Act {
            Rc::new(move |trace: &Trace, event| trace.label(event) == Some(label))
        };
        match self.rng.usize(0..if depth == 0 { 6 } else { 9 }) {
            0 => ("a".to_owned(), is("a")),
            1 => ("\"b\"".to_owned(), is("b")),
            2 => ("any".to_owned(), Rc::new(|_, _| true)),
            3 => (
                "tau".to_owned(),
                Rc::new(|trace, event| trace.label(event).is_none()),
            ),
            4 => (
                "'[ab]'".to_owned(),
                Rc::new(|trace, event| matches!(trace.label(event), Some("a" | "b"))),
            ),
            5 => ("c".to_owned(), is("c")),
            6 => {
                let (text, act) = self.act(depth - 1);
                (format!("!({text})"), Rc::new(move |t, e| !act(t, e)))
            }
            7 => {
                let ((one, f), (other, g)) = (self.act(depth - 1), self.act(depth - 1));
                let act: Act = Rc::new(move |t, e| f(t, e) && g(t, e));
                (format!("({one} && {other})"), act)
            }
            _ => {
                let ((one, f), (other, g)) = (self.act(depth - 1), self.act(depth - 1));
                let act: Act = Rc::new(move |t, e| f(t, e) || g(t, e));
                (format!("({one} || {other})"), act)
            }
        }
    }

    fn path(&mut self, depth: usize) -> (String, Rc<Path>) {
        let kind = self.rng.usize(0..if depth == 0 { 1 } else { 7 });
        let (text, path) = match kind {
            0 | 1 => {
                let (text, act) = self.act(2);
                (text, Path::One(act))
            }
            2 | 3 => {
                let ((one, f), (other, g)) = (self.path(depth - 1), self.path(depth - 1));
                (format!("(({one}) . ({other}))"), Path::Then(f, g))
            }
            4 => {
                let ((one, f), (other, g)) = (self.path(depth - 1), self.path(depth - 1));
                (format!("(({one}) | ({other}))"), Path::Either(f, g))
            }
            5 => {
                let (text, path) = self.path(depth - 1);
                (format!("({text})*"), Path::Star(path))
            }
            _ => {
                let (text, path) = self.path(depth - 1);
                (format!("({text})+"), Path::Plus(path))
            }
        };
        (text, Rc::new(path))
    }

    /// A formula in which the given variables may occur, all of one sign and never below a negation. A fixpoint within
    /// has the same sign or none of them, so that nothing alternates.
    fn formula(&mut self, depth: usize, vars: &[String], least: bool) -> (String, Rc<Mu>) {
        let (text, formula) = match self.rng.usize(0..if depth == 0 { 3 } else { 12 }) {
            0 => ("true".to_owned(), Mu::Const(true)),
            1 => ("false".to_owned(), Mu::Const(false)),
            2 if vars.is_empty() => {
                let (text, path) = self.path(1);
                let constant = Rc::new(Mu::Const(true));
                (format!("<{text}> true"), Mu::Some(path, constant))
            }
            2 => {
                let name = vars[self.rng.usize(0..vars.len())].clone();
                (name.clone(), Mu::Var(name))
            }
            3 => {
                let (text, f) = self.formula(depth - 1, &[], self.rng.clone().bool());
                (format!("!({text})"), Mu::Not(f))
            }
            4 | 5 => {
                let (one, f) = self.formula(depth - 1, vars, least);
                let (other, g) = self.formula(depth - 1, vars, least);
                (format!("(({one}) && ({other}))"), Mu::And(f, g))
            }
            6 | 7 => {
                let (one, f) = self.formula(depth - 1, vars, least);
                let (other, g) = self.formula(depth - 1, vars, least);
                (format!("(({one}) || ({other}))"), Mu::Or(f, g))
            }
            8 | 9 => self.modality(depth, vars, least),
            _ => {
                let fresh = format!("X{depth}");
                let alone = vars.is_empty() || self.rng.bool();
                let least = if alone { self.rng.bool() } else { least };
                let mut within = if alone { Vec::new() } else { vars.to_vec() };
                within.retain(|name| *name != fresh);
                within.push(fresh.clone());
                let (text, f) = self.formula(depth - 1, &within, least);
                match least {
                    true => (format!("(mu {fresh}. ({text}))"), Mu::Least(fresh, f)),
                    false => (format!("(nu {fresh}. ({text}))"), Mu::Greatest(fresh, f)),
                }
            }
        };
        (text, Rc::new(formula))
    }

    /// What is repeated in a diamond is a least fixpoint, in a box a greatest one.
    fn modality(&mut self, depth: usize, vars: &[String], least: bool) -> (String, Mu) {
        let diamond = self.rng.bool();
        let repeats = vars.is_empty() || diamond == least;
        let (text, path) = self.path(if repeats { 2 } else { 0 });
        let (inner, f) = self.formula(depth - 1, vars, least);
        match diamond {
            true => (format!("<{text}> ({inner})"), Mu::Some(path, f)),
            false => (format!("[{text}] ({inner})"), Mu::All(path, f)),
        }
    }
}

/// Goes through the seeds asked for, and says how many verdicts were compared.
fn rounds(usual: u64, least: usize, who: fn(u64) -> Vec<By>, one: fn(u64, &[By]) -> usize) {
    let rounds = common::number_from_environment("CAUSET_ROUNDS").unwrap_or(usual);
    let (seeds, least) = match common::number_from_environment("CAUSET_SEED") {
        Some(seed) => (seed..seed + 1, 1),
        None => (0..rounds, least),
    };
    let compared: usize = seeds.map(|seed| one(seed, &who(seed))).sum();
    println!("{compared} verdicts compared");
    assert!(compared >= least);
}

fn random_run(rng: &mut Rng) -> Trace {
    let mut shape = Shape::small(rng);
    shape.events = shape.events.min(7);
    random::run(rng, shape)
}

fn question(trace: &Trace, kind: Kind, text: &str) -> Question {
    let property = Property::parse(kind, "p", text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
    prepare(&Subject::of(trace), &property, &Lets::none())
        .unwrap_or_else(|e| panic!("{text}: {e:?}"))
}

fn outcome(trace: &Trace, question: &Question, engine: Choice) -> Outcome {
    outcome_by(trace, question, By::Engine(engine))
}

fn outcome_by(trace: &Trace, question: &Question, by: By) -> Outcome {
    match by.decide(&Subject::of(trace), question, Sizes::default()) {
        Ok(outcome) => outcome,
        Err(failure) => panic!("{failure}"),
    }
}

fn verdict(holds: bool) -> Verdict {
    match holds {
        true => Verdict::Holds,
        false => Verdict::Violated,
    }
}

/// The cuts along a witness, which must be possible.
fn cuts_along(oracle: &Oracle<'_>, witness: &Witness) -> Vec<Set> {
    let mut cuts = vec![Set::new()];
    for &event in &witness.run {
        let last = &cuts[cuts.len() - 1];
        assert!(oracle.possible(last).contains(&event), "impossible");
        cuts.push(oracle.after(last, event));
    }
    cuts
}

fn one_round(seed: u64, deciders: &[By]) -> usize {
    let mut rng = Rng::with_seed(seed);
    let trace = random_run(&mut rng);
    let oracle = Oracle::new(&trace);
    let meaning = Meaning::new(&oracle);
    let mut compared = 0;
    for _ in 0..4 {
        let (text, formula) = Maker { rng: &mut rng }.formula(4, &[], true);
        let holds = meaning.of(&formula, &HashMap::new()).contains(&Set::new());
        let question = question(&trace, Kind::Mu, &text);
        for &by in deciders {
            let judged = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                let outcome = outcome_by(&trace, &question, by);
                assert_eq!(outcome.verdict, verdict(holds));
                if let Some(witness) = &outcome.witness {
                    cuts_along(&oracle, witness);
                }
            }));
            let drawn = || notation::draw(&trace);
            assert!(judged.is_ok(), "seed {seed}, {by:?}, {text}\n{}", drawn());
            compared += 1;
        }
    }
    compared
}

#[test]
fn engines_agree_with_the_meaning_of_formulas() {
    rounds(2000, 20_000, engines, one_round);
}

#[test]
fn workers_agree_with_the_meaning_of_formulas() {
    rounds(500, 2_000, workers, one_round);
    rounds(200, 1_000, workers, one_round_of_paths);
}

/// `<R> true` and `[R] false`: some run begins in a way that is in `R`, and the witness is such a beginning.
fn one_round_of_paths(seed: u64, deciders: &[By]) -> usize {
    let mut rng = Rng::with_seed(seed);
    let trace = random_run(&mut rng);
    let oracle = Oracle::new(&trace);
    let meaning = Meaning::new(&oracle);
    let mut compared = 0;
    for _ in 0..4 {
        let (text, path) = Maker { rng: &mut rng }.path(3);
        let everywhere = Mu::Some(path.clone(), Rc::new(Mu::Const(true)));
        let found = meaning
            .of(&everywhere, &HashMap::new())
            .contains(&Set::new());
        let asked = [
            (format!("<{text}> true"), found),
            (format!("[{text}] false"), !found),
        ];
        for ((text, holds), &by) in asked
            .iter()
            .flat_map(|one| deciders.iter().map(move |by| (one, by)))
        {
            let judged = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                let outcome = outcome_by(&trace, &question(&trace, Kind::Mu, text), by);
                assert_eq!(outcome.verdict, verdict(*holds));
                let shown = outcome.witness.as_ref();
                // Nothing at all has to happen for what may be empty, so nothing needs to be shown.
                let needs_events = !ends(&meaning, &path, &[Set::new()], 0).contains(&0);
                assert!(shown.is_some() == found || !needs_events, "a run shows it");
                if let Some(witness) = shown {
                    let cuts = cuts_along(&oracle, witness);
                    assert!(begins(&meaning, &path, &cuts), "{witness:?} is not in it");
                    let recorded = recorded_cuts(&oracle);
                    let seen = !ends(&meaning, &path, &recorded, 0).is_empty();
                    assert_eq!(witness.observed, Some(seen), "{witness:?}");
                }
            }));
            let drawn = || notation::draw(&trace);
            assert!(judged.is_ok(), "seed {seed}, {by:?}, {text}\n{}", drawn());
            compared += 1;
        }
    }
    compared
}

/// The cuts that the recorded order goes through.
fn recorded_cuts(oracle: &Oracle<'_>) -> Vec<Set> {
    let mut cuts = vec![Set::new()];
    for event in oracle.trace.order().recorded() {
        cuts.push(oracle.after(&cuts[cuts.len() - 1], event));
    }
    cuts
}

/// Whether the last cut is reached from the first by a way of this kind along exactly these cuts.
fn begins(meaning: &Meaning<'_>, path: &Path, cuts: &[Set]) -> bool {
    let lengths = ends(meaning, path, cuts, 0);
    lengths.contains(&(cuts.len() - 1))
}

/// Where a way along the cuts may end that begins at one of them.
fn ends(meaning: &Meaning<'_>, path: &Path, cuts: &[Set], from: usize) -> BTreeSet<usize> {
    match path {
        Path::One(act) => {
            let trace = meaning.oracle.trace;
            let next = cuts.get(from + 1).into_iter();
            let taken = next.flatten().find(|event| !cuts[from].contains(event));
            taken
                .filter(|&&event| act(trace, event))
                .map(|_| from + 1)
                .into_iter()
                .collect()
        }
        Path::Then(one, other) => {
            let middle = ends(meaning, one, cuts, from).into_iter();
            middle
                .flat_map(|at| ends(meaning, other, cuts, at))
                .collect()
        }
        Path::Either(one, other) => {
            &ends(meaning, one, cuts, from) | &ends(meaning, other, cuts, from)
        }
        Path::Plus(path) => {
            let middle = ends(meaning, path, cuts, from).into_iter();
            let star = Path::Star(path.clone());
            middle
                .flat_map(|at| ends(meaning, &star, cuts, at))
                .collect()
        }
        Path::Star(path) => {
            let mut found = BTreeSet::from([from]);
            loop {
                let more = found.iter().flat_map(|&at| ends(meaning, path, cuts, at));
                let more: BTreeSet<usize> = &found | &more.collect();
                if more == found {
                    return found;
                }
                found = more;
            }
        }
    }
}

#[test]
fn a_question_about_beginnings_is_shown_by_one() {
    rounds(600, 10_000, engines, one_round_of_paths);
}

#[test]
fn equal_formulas_of_ctl_and_the_mu_calculus() {
    let pairs = [
        ("EF final", "mu X. ([any] false || <any> X)"),
        ("AF final", "mu X. ([any] false || (<any> true && [any] X))"),
        ("EX true", "<any> true"),
        ("AX final", "[any] [any] false"),
        ("AG EF final", "[any*] <any*> [any] false"),
        ("AG !final", "nu X. (<any> true && [any] X)"),
        (
            "EG !final",
            "nu X. (<any> true && ([any] false || <any> X))",
        ),
        ("EX EX true", "<any . any> true"),
    ];
    for seed in 0..60 {
        let trace = random_run(&mut Rng::with_seed(seed));
        for (ctl, mu) in pairs {
            let of_ctl = outcome(&trace, &question(&trace, Kind::Ctl, ctl), Choice::Auto);
            for engine in ENGINES {
                let of_mu = outcome(&trace, &question(&trace, Kind::Mu, mu), engine);
                assert_eq!(of_mu.verdict, of_ctl.verdict, "seed {seed}: {ctl}, {mu}");
            }
        }
    }
}

#[test]
fn beginnings_are_found_among_very_many_cuts() {
    let row = |process: usize| format!("  p{process}:{}\n", "  @a  @b  @c  tick=1".repeat(6));
    let drawing: String = (0..20).map(row).collect();
    let trace = notation::parse(&drawing).expect("a drawing");
    let ask = |text: &str| outcome(&trace, &question(&trace, Kind::Mu, text), Choice::Auto);
    let found = ask("[any* . a . (!b)* . c] false");
    assert_eq!(found.verdict, Verdict::Violated);
    assert!(found.witness.is_some());
    assert_eq!(ask("[any* . 'd.*'] false").verdict, Verdict::Holds);
    assert_eq!(ask("<any* . c> true && [b] false").verdict, Verdict::Holds);
}

/// Two that could happen next are no two that did: of steps, the recorded order shows those it takes.
#[test]
fn the_recorded_order_shows_the_steps_it_takes_and_the_cuts_it_passes() {
    let trace = notation::parse("p: @a  @b\nq:          @c\n").expect("a drawing");
    let cases = [
        ("<a . b> true", Some(true)),
        ("<a . c> true", Some(false)),
        ("[a . c] false", Some(false)),
        ("<a> (<b> true && <c> true)", Some(true)),
        ("<c> (<a> true && [b] false)", Some(false)),
        ("<a> (<c> true && true)", Some(false)),
        ("<c> true && <a . c> true", Some(false)),
        ("[any*] <any> true", Some(true)),
    ];
    for (text, expected) in cases {
        for engine in ENGINES {
            let found = outcome(&trace, &question(&trace, Kind::Mu, text), engine);
            let observed = found.witness.and_then(|witness| witness.observed);
            // Whoever reads runs says nothing of two questions at once.
            if engine != Choice::Auto || !text.starts_with("<c> true &&") {
                assert_eq!(observed, expected, "{engine:?}: {text}");
            }
        }
    }
}

#[test]
fn what_runs_cannot_afford_is_left_to_equations() {
    let row = |process: usize| format!("p{process}:{}\n", "  @a  @b".repeat(6));
    let drawing: String = (0..10).map(row).collect();
    let trace = notation::parse(&drawing).expect("a drawing");
    let text = "<(a . b)* . a . a . a . (b . a)* . b . b . b . b> true";
    let asked = question(&trace, Kind::Mu, text);
    let budget = Budget::endless().with_memory(1 << 22, 0);
    let found = decide(&Subject::of(&trace), &asked, Choice::Auto, &budget);
    let found = found.expect("nobody refuses it");
    assert_eq!(found.verdict, Verdict::Unknown(Spent::Memory));
    let tried = found.steps.iter().flat_map(|step| &step.tried);
    let engines: Vec<&Engine> = tried.map(|(attempt, _)| attempt.engine).collect();
    assert_eq!(engines.last(), Some(&&bes::ENGINE), "{engines:?}");
    assert!(engines.len() > 1, "those who read runs are asked first");
}

/// Every order ends at the final cut, where no step is left: induction from there needs no other cut.
#[test]
fn what_the_final_cut_says_of_every_cut_needs_no_search() {
    let row = |process: usize| format!("p{process}:{}\n", "  @a  @b".repeat(6));
    let drawing: String = (0..10).map(row).collect();
    let trace = notation::parse(&drawing).expect("a drawing");
    let cases = [
        (
            "<(not b)*> (mu X. (([true*] <a> true) || <true> X))",
            Verdict::Violated,
        ),
        (
            "mu X. ((! (mu Y. ([a] false || <true> Y))) || <true> X)",
            Verdict::Violated,
        ),
        ("nu X. ((<true*> [a] false) && [true] X)", Verdict::Holds),
        (
            "<true* . a> (nu X. ((<a> [b] false) && [true] X))",
            Verdict::Violated,
        ),
        // Inevitable is what happened: every order executes the same events.
        ("mu X. (<true> true && [not b] X)", Verdict::Holds),
        ("mu X. (<true> true && [not c] X)", Verdict::Violated),
    ];
    for (text, expected) in cases {
        let budget = Budget::endless().with_memory(1 << 20, 0);
        let asked = question(&trace, Kind::Mu, text);
        let found = decide(&Subject::of(&trace), &asked, Choice::Auto, &budget);
        assert_eq!(found.expect("a verdict").verdict, expected, "{text}");
    }
}

#[test]
fn other_engines_refuse_with_a_reason() {
    let trace = random_run(&mut Rng::with_seed(1));
    let question = question(&trace, Kind::Mu, "<a> true");
    for engine in Choice::all().filter(|engine| !ENGINES.contains(engine)) {
        let subject = Subject::of(&trace);
        match decide(&subject, &question, engine, &Budget::endless()) {
            Err(Failure::Refused(reason)) => assert!(reason.contains("mu-calculus"), "{reason}"),
            other => panic!("{engine:?}: {other:?}"),
        }
    }
}

#[test]
fn labels_that_no_event_has_are_told() {
    let trace = notation::parse("  p: @request  @reply\n").expect("a drawing");
    let asked = question(&trace, Kind::Mu, "[any* . requets] false && <tau> true");
    let told: Vec<String> = asked.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(asked.warnings[0].span, (8..15).into());
    assert!(
        told[0].contains("\"requets\"") && told[0].contains("`request`"),
        "{told:?}"
    );
    assert_eq!(question(&trace, Kind::Mu, "<'x.*'> true").warnings, []);
}
