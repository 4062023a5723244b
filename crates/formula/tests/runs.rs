//! Properties of runs as they are written, and what they mean in the core.

mod common;

use std::sync::Arc;

use causet_base::Diagnostic;
use causet_formula::print::Printer;
use causet_formula::{
    AtomGuard, CmpOp, Ctl, Edge, EventAtom, Expr, Hit, Kind, Language, Lets, Ltl, Machine,
    MachineForm, Names, OutsideAutomaton, Pred, ProcRef, Property, PropertyFile, Regular, VarRef,
    lower,
};
use common::{Town, check, draw_all};

/// Lowers and prints with the names of the town.
fn core(kind: Kind, text: &str) -> String {
    match check(kind, text) {
        Ok(lowered) => Printer::new(&Town::new()).ctl(&lowered.body),
        Err(errors) => panic!("{text}:\n{}", draw_all(text, &errors)),
    }
}

fn lowered(kind: Kind, text: &str) -> causet_formula::Lowered {
    check(kind, text).unwrap_or_else(|errors| panic!("{text}:\n{}", draw_all(text, &errors)))
}

/// The shared variable `turn` with this value.
fn turn(value: i64) -> Pred {
    Pred::compare(CmpOp::Eq, Expr::Var(VarRef(0)), Expr::int(value))
}

#[test]
fn linear_formulas_mean_what_they_say() {
    let cases = [
        ("turn = 1", "turn = 1"),
        ("G turn", "G turn"),
        ("[] <> () turn", "G F X turn"),
        ("[](turn = 1)", "G (turn = 1)"),
        ("X turn = 1 && N only", "X (turn = 1) && N p1.only"),
        ("(turn U only)", "turn U p1.only"),
        (
            "turn = 1 U only = 2 W turn",
            "(turn = 1) U ((p1.only = 2) W turn)",
        ),
        ("turn R only", "turn R p1.only"),
        ("turn M only", "turn M p1.only"),
        ("!F (turn = 1)", "G !(turn = 1)"),
        ("!X turn", "N !turn"),
        ("F turn -> G only", "F turn -> G p1.only"),
        (
            "G (turn = 1 -> F only = 2)",
            "G (turn = 1 -> F (p1.only = 2))",
        ),
        (
            "G turn <-> F only",
            "G turn && F p1.only || F !turn && G !p1.only",
        ),
        ("F turn && G only || turn", "turn || F turn && G p1.only"),
        ("((on(\"a\")) M (done(p1)))", "on(\"a\") M done(p1)"),
        (
            "on(p1) -> on(`node-1`, \"l\")",
            "!on(p1) || on(`node-1`, \"l\")",
        ),
        ("on(turn = 3) U on(p1.x)", "on(turn = 3) U on((p1.x))"),
        (
            "G (forall i in procs: i.x = 0)",
            "G (p1.x = 0 && p2.x = 0 && `node-1`.x = 0)",
        ),
        (
            "F exists i in procs(\"p*\"): X i.x = 1",
            "F (X (p1.x = 1) || X (p2.x = 1))",
        ),
        (
            "forall i in procs(\"p*\"): F i.x = 1",
            "F (p1.x = 1) && F (p2.x = 1)",
        ),
        (
            "exists i in procs(\"p*\"): F i.x = 1",
            "A(F (p1.x = 1)) || A(F (p2.x = 1))",
        ),
        ("forall i in procs(\"p1\"): G on(i)", "G on(p1)"),
    ];
    for (text, wanted) in cases {
        assert_eq!(core(Kind::Ltl, text), wanted, "{text}");
    }
}

#[test]
fn each_instance_is_about_every_run_by_itself() {
    let two = lowered(Kind::Ltl, "exists i in procs(\"p*\"): G i.x = 0");
    let every = |at: u32| {
        let zero = Pred::compare(CmpOp::Eq, Expr::Var(VarRef(at)), Expr::int(0));
        Ctl::every_run(Language::Ltl(Ltl::globally(Ltl::State(zero))))
    };
    assert_eq!(two.body, Ctl::or([every(4), every(5)]));
    assert_eq!(two.instances.len(), 2);
    assert_eq!(two.instances[1].body, every(5));
}

#[test]
fn events_are_processes_labels_or_writes() {
    let on = |text: &str| {
        let body = lowered(Kind::Ltl, text).body;
        let Ctl::Not(run) = body else {
            panic!("{body:?}")
        };
        let Ctl::Run(runs) = &*run else {
            panic!("{run:?}")
        };
        match &runs.language {
            Language::Ltl(Ltl::State(Pred::On(event))) => event.clone(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(on("on(\"go\")"), EventAtom::Label("go".into()));
    assert_eq!(on("on(p2)"), EventAtom::Process(ProcRef(1)));
    assert_eq!(on("on(p2, any)"), EventAtom::Process(ProcRef(1)));
    assert_eq!(
        on("on(p2, \"go\")"),
        EventAtom::ProcessLabel(ProcRef(1), "go".into())
    );
    let wrote = EventAtom::Wrote {
        vars: vec![VarRef(0)],
        now: Arc::new(turn(3)),
    };
    assert_eq!(on("on(turn = 3)"), wrote);
    let both = on("on(only = turn && turn = 3)");
    assert!(matches!(both, EventAtom::Wrote { vars, .. } if vars == [VarRef(0), VarRef(6)]));
}

#[test]
fn a_name_of_a_process_and_a_variable_is_refused() {
    let town = Town::with(&["p1", "leader"], &[(None, "leader"), (Some(0), "x")]);
    let read = |text: &str| {
        let property = Property::parse(Kind::Ltl, "t", text).expect("read");
        lower(&property, &Lets::none(), &town)
    };
    let errors = read("F on(leader)").expect_err("ambiguous");
    assert_eq!(
        draw_all("F on(leader)", &errors),
        "F on(>leader<) | `leader` is a process and a variable | expected the name of one of them \
         | help: the process is written `on(leader, any)`, the variable `on((leader))`"
    );
    let print = |text: &str| Printer::new(&town).ctl(&read(text).expect(text).body);
    assert_eq!(print("F on(leader, any)"), "F on(leader, any)");
    assert_eq!(print("F on((leader))"), "F on((leader))");
    assert_eq!(print("F on(p1)"), "F on(p1)");
}

#[test]
fn variables_that_are_only_written_are_told_apart() {
    let places = |list: &[(VarRef, causet_formula::Span)]| -> Vec<(u32, u32)> {
        list.iter().map(|(v, span)| (v.0, span.start)).collect()
    };
    let both = lowered(Kind::Ltl, "G (on(turn = 1) -> p1.x = 2)");
    assert_eq!(places(&both.written), [(0, 6)]);
    assert_eq!(places(&both.mentions), [(4, 19)]);
    let twice = lowered(Kind::Ltl, "on(turn = 1) && turn = 1");
    assert_eq!(places(&twice.written), [(0, 3)]);
    assert_eq!(places(&twice.mentions), [(0, 16)]);
    let two = lowered(Kind::Ltl, "on(turn = only)");
    assert_eq!(places(&two.written), []);
    assert_eq!(places(&two.mentions), [(0, 3), (6, 10)]);
    let monitor = lowered(
        Kind::Monitor,
        "{ start a; a -> b on turn = 1; a -> b when only; bad b }",
    );
    assert_eq!(places(&monitor.written), [(0, 21)]);
    assert_eq!(places(&monitor.mentions), [(6, 43)]);
}

#[test]
fn sequences_are_hits_in_order() {
    let hit = |between, at| Hit { between, at };
    let text =
        "{ turn = 1 ; [never turn = 2] turn = 3 ; [always turn = 4] [never turn = 5] on(p1) }";
    let on_p1 = Pred::On(EventAtom::Process(ProcRef(0)));
    let hits = vec![
        hit(Pred::TRUE, turn(1)),
        hit(Pred::not(turn(2)), turn(3)),
        hit(Pred::and([turn(4), Pred::not(turn(5))]), on_p1),
    ];
    let language = Language::Sequence(hits);
    assert_eq!(
        lowered(Kind::Possibly, text).body,
        Ctl::some_run(language.clone())
    );
    assert_eq!(
        lowered(Kind::Definitely, text).body,
        Ctl::every_run(language)
    );
    assert_eq!(
        core(Kind::Possibly, "{ [never only] turn ; }"),
        "possibly { [never p1.only] turn }"
    );
    assert_eq!(
        core(
            Kind::Definitely,
            "forall i in procs(\"p*\"): { i.x = 1 ; done(i) }"
        ),
        "definitely { p1.x = 1 ; done(p1) } && definitely { p2.x = 1 ; done(p2) }"
    );
}

#[test]
fn regular_expressions_share_their_signs_with_predicates() {
    let cases = [
        ("re( turn )", "re( turn )"),
        (
            "re( turn . only* . (turn | only) )",
            "re( turn . p1.only* . (turn | p1.only) )",
        ),
        ("re( p1.x = 1 . p2.x = 2 )", "re( p1.x = 1 . p2.x = 2 )"),
        ("re(p1.x = 1.p2.x = 2)", "re( p1.x = 1 . p2.x = 2 )"),
        ("re( turn .only. turn )", "re( turn . p1.only . turn )"),
        ("re( done(p1).turn )", "re( done(p1) . turn )"),
        ("re( turn = 1* . only+ )", "re( (turn = 1)* . p1.only+ )"),
        (
            "re( turn + 1 = 2 . turn * 2 = 4 )",
            "re( turn + 1 = 2 . turn * 2 = 4 )",
        ),
        ("re( (turn + 1) * 2 = 4? )", "re( ((turn + 1) * 2 = 4)? )"),
        ("re( (turn || only)* . _ )", "re( (turn || p1.only)* . _ )"),
        (
            "re( (turn or only) | any . true )",
            "re( (turn || p1.only) | _ . _ )",
        ),
        (
            "re( !turn* . !(turn | only) )",
            "re( (!turn)* . !(turn || p1.only) )",
        ),
        ("re( (turn . only)? )", "re( (turn . p1.only)? )"),
        ("re( ((turn | ()) . _*) )", "re( turn? . _* )"),
        (
            "re( on(\"a\") . on(turn = 1)* )",
            "re( on(\"a\") . on(turn = 1)* )",
        ),
        ("re( (forall i in procs: i.x = 1 | i.x = 2) . _ )", ""),
        ("re( () )", "re( () )"),
        (
            "re( (turn = 1) = only . _ )",
            "re( (turn = 1) = p1.only . _ )",
        ),
    ];
    for (text, wanted) in cases {
        let printed = core(Kind::Possibly, text);
        if !wanted.is_empty() {
            assert_eq!(printed, format!("possibly {wanted}"), "{text}");
        }
    }
    let star = |p| Regular::star(Regular::Letter(p));
    let wanted = Regular::Then(vec![
        Regular::Letter(turn(1)),
        star(turn(2)),
        Regular::Either(vec![Regular::Letter(turn(3)), Regular::Letter(turn(4))]),
    ]);
    assert_eq!(
        lowered(
            Kind::Definitely,
            "re( turn = 1 . turn = 2* . (turn = 3 | turn = 4) )"
        )
        .body,
        Ctl::every_run(Language::Regular(wanted))
    );
}

#[test]
fn repetitions_that_grow_are_refused() {
    let text = format!("re( {}turn{} )", "(".repeat(60), "+)".repeat(60));
    let errors = check(Kind::Possibly, &text).expect_err("too large");
    assert!(errors[0].message.contains("too large"), "{errors:?}");
    let text = format!("re( turn{} )", "*".repeat(5000));
    assert!(check(Kind::Possibly, &text).is_err());
    let text = format!("re( {}turn{} )", "(".repeat(5000), ")".repeat(5000));
    assert!(check(Kind::Possibly, &text).is_err());
}

const MONITOR: &str = "
let high = turn >= 3
monitor order {
  start idle          # lines need no semicolon
  idle -> idle on turn = 0
  idle -> busy on (turn = 1) && only = 2
  busy -> oops when high && !on(\"reset\")
  busy -> `far away` on(\"crash\") && done(p1)
  busy -> idle on p2; busy -> idle on(p1, \"reset\"); busy -> idle on \"stop\"
  `far away` -> oops on high
  bad oops,
      `far away`
}
monitor each forall i in procs(\"p*\"): { start a; a -> b on i.x = 1; bad b }
property twice: possibly both(p1)
let both(i) = { i.x = 1 ; i.x = 2 }
let calm = G !high
property calm: ltl calm
property wrong: ctl calm
property also: ltl wild
let wild = AG turn
";

#[test]
fn files_hold_monitors_and_definitions_of_both_logics() {
    let file = PropertyFile::parse(MONITOR).unwrap_or_else(|e| panic!("{}", draw_all(MONITOR, &e)));
    let town = Town::new();
    let print = |at: usize| match lower(&file.properties[at], &file.lets, &town) {
        Ok(lowered) => Printer::new(&town).ctl(&lowered.body),
        Err(errors) => draw_all(MONITOR, &errors),
    };
    assert_eq!(
        print(0),
        "monitor { start idle; idle -> idle on turn = 0; idle -> busy on turn = 1 && p1.only = 2; \
         busy -> oops when turn >= 3 && !on(\"reset\"); busy -> `far away` when on(\"crash\") && done(p1); \
         busy -> idle when on(p2); busy -> idle when on(p1, \"reset\"); busy -> idle when on(\"stop\"); `far away` -> oops on turn >= 3; \
         bad oops, `far away` }"
    );
    assert_eq!(
        print(1),
        "monitor { start a; a -> b on p1.x = 1; bad b } && monitor { start a; a -> b on p2.x = 1; bad b }"
    );
    assert_eq!(print(2), "possibly { p1.x = 1 ; p1.x = 2 }");
    assert_eq!(print(3), "G !(turn >= 3)");
    assert_eq!(
        print(4),
        "let calm = >G !high< | `G` without `A` or `E` belongs to LTL | expected a formula of CTL \
         | help: a definition with this operator serves properties of kind ltl"
    );
    assert_eq!(
        print(5),
        "let wild = >AG turn< | `AG` belongs to CTL | expected a formula of LTL \
         | help: a definition with this operator serves properties of kind ctl"
    );
}

#[test]
fn monitors_are_machines_that_stay() {
    let text =
        "{ a -> b on turn = 1; start a; b -> a when turn = 2; c -> b when turn = 3; bad b; bad b }";
    let lowered = lowered(Kind::Monitor, text);
    let edge = |from, to, guard| Edge { from, to, guard };
    let wrote = EventAtom::Wrote {
        vars: vec![VarRef(0)],
        now: Arc::new(turn(1)),
    };
    let machine = Machine {
        form: MachineForm::Monitor,
        states: vec!["a".into(), "b".into(), "c".into()],
        start: vec![0],
        accepting: vec![1],
        edges: vec![
            edge(0, 1, Pred::On(wrote)),
            edge(1, 0, turn(2)),
            edge(2, 1, turn(3)),
        ],
    };
    assert_eq!(
        lowered.body,
        Ctl::not(Ctl::some_run(Language::Machine(machine)))
    );
    assert_eq!(
        draw_all(text, &lowered.warnings),
        "{ a -> b on turn = 1; start a; b -> a when turn = 2; >c< -> b when turn = 3; bad b; bad b } \
         | no edge leads to the state `c` | never reached from `a`"
    );
}

#[test]
fn a_parameter_may_hide_a_sequence() {
    let text = "let a = { turn ; only }\nlet f(a) = a\nproperty p: possibly f(turn)\n";
    let file = PropertyFile::parse(text).expect("read");
    let errors = lower(&file.properties[0], &file.lets, &Town::new()).expect_err("no sequence");
    assert_eq!(
        draw_all(text, &errors),
        "property p: possibly f(>turn<) | this is not an order of positions \
         | expected a sequence `{ a ; b }` or a regular expression `re( a . b )`"
    );
}

/// The town, but no event has a label.
struct Silent(Town);

impl Names for Silent {
    fn process_count(&self) -> usize {
        self.0.process_count()
    }

    fn process_name(&self, p: ProcRef) -> &str {
        self.0.process_name(p)
    }

    fn process(&self, name: &str) -> Option<ProcRef> {
        self.0.process(name)
    }

    fn shared(&self, name: &str) -> Option<VarRef> {
        self.0.shared(name)
    }

    fn local(&self, p: ProcRef, name: &str) -> Option<VarRef> {
        self.0.local(p, name)
    }

    fn variable_names(&self) -> Vec<String> {
        self.0.variable_names()
    }

    fn label_exists(&self, _: &str) -> bool {
        false
    }
}

#[test]
fn labels_of_no_event_warn() {
    let text = "G on(\"request\")";
    let property = Property::parse(Kind::Ltl, "t", text).expect("read");
    let lowered = lower(&property, &Lets::none(), &Silent(Town::new())).expect("lowered");
    assert_eq!(
        draw_all(text, &lowered.warnings),
        "G >on(\"request\")< | no event is called \"request\" | never true in this trace"
    );
}

/// An automaton with one state for each atom text.
fn automaton(atoms: &[&str]) -> OutsideAutomaton {
    OutsideAutomaton {
        atoms: atoms.iter().map(|&atom| atom.to_owned()).collect(),
        states: 2,
        start: vec![0],
        accepting: vec![1],
        edges: vec![
            (0, AtomGuard::Not(Box::new(AtomGuard::Atom(0))), 0),
            (
                0,
                AtomGuard::All(vec![AtomGuard::Atom(0), AtomGuard::Const(true)]),
                1,
            ),
            (1, AtomGuard::Any(vec![AtomGuard::Const(true)]), 1),
        ],
    }
}

#[test]
fn automata_from_outside_must_accept_every_run() {
    let text = "AP: 1 \"on(turn = 1)\"";
    let property =
        Property::from_automaton("t", text, automaton(&["on(turn = 1)"])).expect("sound");
    let lowered = lower(&property, &Lets::none(), &Town::new()).expect("sound");
    assert_eq!(
        Printer::new(&Town::new()).ctl(&lowered.body),
        "A({ start `0`; `0` -> `0` when !on(turn = 1); `0` -> `1` on turn = 1; `1` -> `1` when true; accept `1` })"
    );
    assert_eq!(lowered.written.len(), 1);
    assert_eq!(text.get(lowered.written[0].1.range()), Some("turn"));
}

#[test]
fn mistakes_in_atoms_show_the_atom() {
    let read = |text: &str, atom: &str| -> Vec<Diagnostic> {
        let property = Property::from_automaton("t", text, automaton(&[atom]));
        match property.and_then(|property| lower(&property, &Lets::none(), &Town::new())) {
            Ok(_) => panic!("{atom}"),
            Err(errors) => errors,
        }
    };
    let text = "AP: 1 \"trun = 1\"";
    assert_eq!(
        draw_all(text, &read(text, "trun = 1")),
        "AP: 1 \">trun< = 1\" | unknown variable `trun` | no event writes it and `init` does not name it \
         | help: did you mean `turn`? a text is quoted: \"trun\""
    );
    let text = "AP: 1 \"turn = \\\"a\"";
    assert_eq!(
        read(text, "turn = \"a")[0].message,
        "in the atom \"turn = \"a\": this text is never closed"
    );
    assert_eq!(
        read("x.hoa", "F turn")[0].message,
        "in the atom \"F turn\": `F` within an atom of an automaton"
    );
    let mut wrong = automaton(&["turn"]);
    wrong.accepting = vec![7];
    let errors = Property::from_automaton("t", "x.hoa", wrong).expect_err("no such state");
    assert_eq!(errors[0].message, "the automaton has no state 7");
    let mut wrong = automaton(&["turn"]);
    wrong.edges.push((0, AtomGuard::Atom(1), 1));
    let errors = Property::from_automaton("t", "x.hoa", wrong).expect_err("no such atom");
    assert_eq!(errors[0].message, "the automaton has no atom 1");
}
