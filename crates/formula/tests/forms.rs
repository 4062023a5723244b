//! Formulas as they are written, and what they mean.

mod common;

use causet_formula::print::Printer;
use causet_formula::syntax::TemporalOp;
use causet_formula::{Kind, Lets, ProcRef, Property, PropertyFile, lower};
use common::{Town, check, draw_all};

/// Lowers and prints with the names of the town.
fn core(kind: Kind, text: &str) -> String {
    match check(kind, text) {
        Ok(lowered) => Printer::new(&Town::new()).ctl(&lowered.body),
        Err(errors) => panic!("{text}:\n{}", draw_all(text, &errors)),
    }
}

#[test]
fn formulas_mean_what_they_say() {
    let cases = [
        // Atoms and names.
        ("turn = 1", "turn = 1"),
        ("turn == 2.50", "turn = 2.5"),
        ("p1.state = \"crit\"", "p1.state = \"crit\""),
        ("only = -3", "p1.only = -3"),
        ("`node-1`.x = 1", "`node-1`.x = 1"),
        ("p1.raft.term > 0", "p1.raft.term > 0"),
        ("raft.term > 0", "p1.raft.term > 0"),
        ("`E` = 1", "`E` = 1"),
        ("E = 1", "`E` = 1"),
        ("U = 1", "`node-1`.U = 1"),
        ("turn", "turn"),
        ("!turn", "!turn"),
        ("true", "true"),
        // Precedence.
        ("AG turn = 1", "AG (turn = 1)"),
        ("!turn = 1", "!(turn = 1)"),
        ("AG turn = 1 && only", "AG (turn = 1) && p1.only"),
        (
            "turn = 1 || turn = 2 && only",
            "turn = 1 || turn = 2 && p1.only",
        ),
        ("(turn || only) && turn", "(turn || p1.only) && turn"),
        ("turn -> only -> true", "true"),
        ("turn -> only", "!turn || p1.only"),
        ("turn <-> only", "turn && p1.only || !turn && !p1.only"),
        ("turn + 1 * 2 - 3 < 4", "turn + 2 - 3 < 4"),
        ("turn - (only - 1) = 0", "turn - (p1.only - 1) = 0"),
        ("turn / 3 = 1/3", "turn / 3 = 1/3"),
        ("-turn % 2 = 0", "-turn % 2 = 0"),
        ("not turn and only or turn", "!turn && p1.only || turn"),
        ("turn & only | turn", "turn && p1.only || turn"),
        (
            "1 < turn <= 3 < only",
            "1 < turn && turn <= 3 && 3 < p1.only",
        ),
        ("turn = (only < 3)", "turn = (p1.only < 3)"),
        ("turn = !only", "turn = (!p1.only)"),
        // Functions.
        ("inflight(p1 -> p2) > 0", "inflight(p1 -> p2) > 0"),
        ("empty(p1 -> `node-1`)", "empty(p1 -> `node-1`)"),
        ("done(p1) && steps(p2) = 3", "done(p1) && steps(p2) = 3"),
        ("final", "done(p1) && done(p2) && done(`node-1`)"),
        (
            "initial",
            "steps(p1) = 0 && steps(p2) = 0 && steps(`node-1`) = 0",
        ),
        (
            "count(i in procs: i.state = \"c\") <= 1",
            "count(p1.state = \"c\", p2.state = \"c\") <= 1",
        ),
        ("sum(i in procs(\"p*\"): i.x) = 3", "sum(p1.x, p2.x) = 3"),
        (
            "max(i in procs: i.x) > min(turn, only)",
            "max(p1.x, p2.x, `node-1`.x) > min(turn, p1.only)",
        ),
        (
            "count(i, j in procs where i < j: i.x = j.x) = 0",
            "count(p1.x = p2.x, p1.x = `node-1`.x, p2.x = `node-1`.x) = 0",
        ),
        // Temporal operators.
        ("EF EG turn", "EF EG turn"),
        ("AX EX turn", "AX EX turn"),
        ("E[turn U only]", "E[turn U p1.only]"),
        (
            "A[turn && only U only || turn]",
            "A[turn && p1.only U p1.only || turn]",
        ),
        ("A[turn W only]", "!E[!p1.only U !turn && !p1.only]"),
        ("A[turn R only]", "!E[!turn U !p1.only]"),
        ("E[U U U]", "E[`node-1`.U U `node-1`.U]"),
        ("E[E U E[E U E]]", "E[`E` U E[`E` U `E`]]"),
        ("AG(turn)", "AG turn"),
        ("AG -turn < 1", "AG (-turn < 1)"),
        (
            "AG AF (turn = 1 -> EF only)",
            "AG AF (!(turn = 1) || EF p1.only)",
        ),
        // Quantifiers.
        (
            "forall i in procs: AG i.x = 0",
            "AG (p1.x = 0) && AG (p2.x = 0) && AG (`node-1`.x = 0)",
        ),
        (
            "forall i, j in procs(\"p?\") where i != j: EF i.x = j.x",
            "EF (p1.x = p2.x) && EF (p2.x = p1.x)",
        ),
        (
            "exists i in procs where i != \"node-1\" && !(i = p2): EF i.x",
            "EF p1.x",
        ),
        (
            "AG exists i in procs: i.x = 1",
            "AG (p1.x = 1 || p2.x = 1 || `node-1`.x = 1)",
        ),
        (
            "forall i in procs(\"p*\"), k in procs(\"n*\"): EF i.x = k.x",
            "EF (p1.x = `node-1`.x) && EF (p2.x = `node-1`.x)",
        ),
        (
            "AG forall i, j in procs(\"p*\"): (i != j -> i.x != j.x)",
            "AG (p1.x != p2.x && p2.x != p1.x)",
        ),
    ];
    for (text, wanted) in cases {
        assert_eq!(core(Kind::Ctl, text), wanted, "{text}");
    }
}

#[test]
fn possibly_and_definitely_stand_inside_quantifiers() {
    assert_eq!(core(Kind::Possibly, "turn = 1"), "EF (turn = 1)");
    assert_eq!(core(Kind::Definitely, "turn = 1"), "AF (turn = 1)");
    let each = "forall i in procs(\"p*\"): i.x = 1";
    assert_eq!(core(Kind::Possibly, each), "EF (p1.x = 1) && EF (p2.x = 1)");
    let all = "(forall i in procs(\"p*\"): i.x = 1)";
    assert_eq!(core(Kind::Possibly, all), "EF (p1.x = 1 && p2.x = 1)");
    let mixed = "forall i in procs(\"p1\"): exists j in procs(\"p*\"): i.x = j.x";
    assert_eq!(
        core(Kind::Definitely, mixed),
        "AF (p1.x = p1.x) || AF (p1.x = p2.x)"
    );
}

#[test]
fn printing_the_syntax_gives_the_same_syntax() {
    let cases = [
        ("AG(x==1)", "AG (x = 1)"),
        (
            "forall i,j in procs , k in procs( \"w*\" ) where i!=j:AF i.x",
            "",
        ),
        ("count(i in procs: i.x = 1) <= 1 and not final", ""),
        (
            "E[`a b`.c W min(1, x)] <-> on(p1,\"l\") | on(\"l\") | on(x = 3) | initial",
            "",
        ),
        (
            "x < y <= -z % 2 - 1 -> crit(i, -2.5) -> { a ; b } && re( a . b* )",
            "",
        ),
        (
            "inflight(a -> b) = 0 && empty(b -> a) && done(a) && steps(a.b) = 3",
            "",
        ),
    ];
    for (text, wanted) in cases {
        let once = Property::parse(Kind::Ctl, "t", text).unwrap_or_else(|e| panic!("{e:?}"));
        let once = once.syntax().expect("a formula").to_string();
        let twice =
            Property::parse(Kind::Ctl, "t", &once).unwrap_or_else(|e| panic!("{once} {e:?}"));
        assert_eq!(twice.syntax().expect("a formula").to_string(), once);
        if !wanted.is_empty() {
            assert_eq!(once, wanted);
        }
    }
}

#[test]
fn instances_are_told_apart() {
    let lowered = check(
        Kind::Ctl,
        "forall i in procs: forall j in procs where i != j: EF i.x = j.x",
    );
    let lowered = lowered.unwrap_or_else(|errors| panic!("{errors:?}"));
    let names: Vec<Vec<(&str, u32)>> = lowered
        .instances
        .iter()
        .map(|instance| {
            instance
                .bindings
                .iter()
                .map(|(name, p)| (name.as_str(), p.0))
                .collect()
        })
        .collect();
    assert_eq!(names.len(), 6);
    assert_eq!(names[0], [("i", 0), ("j", 1)]);
    assert_eq!(
        lowered.body,
        causet_formula::Ctl::and(lowered.instances.into_iter().map(|i| i.body))
    );
}

#[test]
fn ranges_report_whom_they_leave_out() {
    let lowered = check(Kind::Ctl, "forall i in procs: AG i.state != \"bad\"").expect("sound");
    assert_eq!(lowered.left_out.len(), 1);
    assert_eq!(lowered.left_out[0].missing, "state");
    assert_eq!(lowered.left_out[0].process.0, 2);
    assert_eq!(lowered.instances.len(), 2);
}

#[test]
fn empty_conditions_warn() {
    for (text, wanted) in [
        ("forall i in procs where i != i: EF i.x", "true"),
        ("exists i in procs where false: EF i.x", "false"),
    ] {
        let lowered = check(Kind::Ctl, text).expect("sound");
        assert_eq!(Printer::new(&Town::new()).ctl(&lowered.body), wanted);
        assert_eq!(lowered.warnings.len(), 1, "{text}");
    }
    assert_eq!(
        core(Kind::Ctl, "count(i in procs where i != i: i.x) = turn"),
        "0 = turn"
    );
}

const FILE: &str = r#"
# Mutual exclusion.
let crit(i) = i.state == "crit"
let both(i, j) = crit(i)
    && crit(j)          # spans lines
let safe = forall i, j in procs where i != j: AG !both(i, j)
property mutex:    ctl safe
property answered: ltl G (on("request") -> F on("reply"))
property quiet:    definitely empty(p1 -> p2)
property order-ok: possibly { p1.x = 1 ; p2.x = 2 }
property act:      mu nu X. <"a"> X && [!'b.*'] false
monitor order { start s0;  s0 -> s1 on turn = 1;
  s1 -> oops on only = 2;  bad oops }
let capture(k) = forall i in procs("p2"): k.x = i.x
property hygiene: ctl forall i in procs("p1"): capture(i)
"#;

#[test]
fn a_file_holds_every_kind() {
    let file = PropertyFile::parse(FILE).unwrap_or_else(|e| panic!("{}", draw_all(FILE, &e)));
    let heads: Vec<(&str, Kind)> = file
        .properties
        .iter()
        .map(|p| (p.name.as_str(), p.kind))
        .collect();
    assert_eq!(
        heads,
        [
            ("mutex", Kind::Ctl),
            ("answered", Kind::Ltl),
            ("quiet", Kind::Definitely),
            ("order-ok", Kind::Possibly),
            ("act", Kind::Mu),
            ("order", Kind::Monitor),
            ("hygiene", Kind::Ctl),
        ]
    );
    assert_eq!(file.properties[0].text, "safe");
    assert_eq!(file.properties[2].text, "empty(p1 -> p2)");
    assert!(
        file.properties[5].text.starts_with("{ start") && file.properties[5].text.ends_with('}')
    );

    let town = Town::new();
    let print = |at: usize| match lower(&file.properties[at], &file.lets, &town) {
        Ok(lowered) => Printer::new(&town).ctl(&lowered.body),
        Err(errors) => draw_all(FILE, &errors),
    };
    let one = "AG !(p1.state = \"crit\" && p2.state = \"crit\")";
    let other = "AG !(p2.state = \"crit\" && p1.state = \"crit\")";
    assert_eq!(print(0), format!("{one} && {other}"));
    assert_eq!(print(1), "G (on(\"request\") -> F on(\"reply\"))");
    assert_eq!(print(2), "AF empty(p1 -> p2)");
    assert_eq!(print(3), "possibly { p1.x = 1 ; p2.x = 2 }");
    assert_eq!(print(4), "nu X. <a> X && [!'b.*'] false");
    assert_eq!(
        print(5),
        "monitor { start s0; s0 -> s1 on turn = 1; s1 -> oops on p1.only = 2; bad oops }"
    );
    assert_eq!(print(6), "p1.x = p2.x");
    let mutex = lower(&file.properties[0], &file.lets, &town).expect("sound");
    assert_eq!(
        mutex.instances.len(),
        2,
        "a quantifier within a definition still leads"
    );
}

#[test]
fn deep_and_wide_formulas_are_refused_or_read() {
    let deep = format!("{}turn{}", "(".repeat(5000), ")".repeat(5000));
    assert!(check(Kind::Ctl, &deep).is_err());
    assert!(check(Kind::Ctl, &"!".repeat(100_000)).is_err());
    let wide = vec!["turn = 1"; 20_000].join(" && ");
    assert!(check(Kind::Ctl, &wide).is_ok());
    assert!(check(Kind::Ctl, &vec!["turn"; 1000].join(" + ")).is_err());
    assert!(check(Kind::Ctl, &vec!["turn"; 60].join(" <-> ")).is_err());
    let mut doubling = String::from("let a0 = turn\n");
    for i in 1..60 {
        doubling += &format!("let a{i} = a{0} && EF a{0}\n", i - 1);
    }
    doubling += "property big: ctl a59\n";
    let file = PropertyFile::parse(&doubling).expect("sound");
    assert!(lower(&file.properties[0], &Lets::none(), &Town::new()).is_err());
    assert!(lower(&file.properties[0], &file.lets, &Town::new()).is_err());
}

#[test]
fn the_deepest_formula_needs_little_stack() {
    let run = || {
        let deep = |open: &str, close: &str| format!("{}turn{}", open.repeat(60), close.repeat(60));
        let cases = [
            (Kind::Ltl, deep("X(", ")")),
            (Kind::Ltl, deep("only U (", ")")),
            (Kind::Possibly, format!("{{ {} }}", deep("!(", ")"))),
            (Kind::Possibly, format!("re( {} )", deep("(only . ", ")*"))),
        ];
        for (kind, text) in cases {
            let lowered = check(kind, &text).expect("sound");
            Printer::new(&Town::new()).ctl(&lowered.body);
        }
        let nested = format!("{}turn{}", "!(".repeat(95), ")".repeat(95));
        let lowered = check(Kind::Ctl, &nested).expect("sound");
        Printer::new(&Town::new()).ctl(&lowered.body)
    };
    let thread = std::thread::Builder::new()
        .stack_size(1 << 20)
        .spawn(run)
        .expect("a thread");
    assert_eq!(thread.join().expect("no overflow"), "!turn");
}

#[test]
fn long_chains_of_definitions_are_refused() {
    let mut chain = String::from("let f00000(i) = i.x\n");
    for at in 1..20_000 {
        chain += &format!("let f{at:05}(i) = f{:05}(i)\n", at - 1);
    }
    chain += "property p: ctl forall i in procs: f19999(i)\n";
    let errors = PropertyFile::parse(&chain).expect_err("too deep");
    assert!(errors[0].message.contains("nested too deeply"));
    let layer = |at: u32| {
        format!(
            "let g{at:03} = {}g{:03}{}\n",
            "EX (".repeat(90),
            at + 1,
            ")".repeat(90)
        )
    };
    let layers: String = (0..150).map(layer).collect();
    let text = format!("{layers}let g150 = turn\nproperty p: ctl g000\n");
    let file = PropertyFile::parse(&text).expect("each is small");
    let errors = lower(&file.properties[0], &file.lets, &Town::new()).expect_err("together deep");
    assert!(errors[0].message.contains("nested too deeply"));
}

#[test]
fn a_bound_name_may_hide_a_definition() {
    let text = "let crit(k) = k.x = 1\nlet i = forall i in procs: crit(i)\nproperty p: ctl i";
    let file = PropertyFile::parse(text).unwrap_or_else(|e| panic!("{}", draw_all(text, &e)));
    assert!(lower(&file.properties[0], &file.lets, &Town::new()).is_ok());
}

#[test]
fn a_triangle_of_processes_is_no_empty_condition() {
    let text = "forall i in procs: forall j in procs where j < i: EF i.x = j.x";
    let lowered = check(Kind::Ctl, text).expect("sound");
    assert_eq!((lowered.instances.len(), lowered.warnings.len()), (3, 0));
}

#[test]
fn the_operand_of_a_property_is_told_in_the_words_of_its_author() {
    let file = "\
let crit(i) = i.state == \"crit\"
let safe = forall i in procs: AG !crit(i)
property mutex: ctl forall i, j in procs where i < j:  # in pairs
    AG !(crit(i)  &&   # the first
         crit(j) and count(i in procs: i.x = j.x) = 1)
property calm: ctl (AF (turn = 1 -> `i`.x < p1.x))
property seen: possibly forall i in procs: done(i) || inflight(i -> p1) > 0
property hidden: ctl safe
property until: ctl A[turn = 1 U turn = 2]
property mixed: ctl forall i in procs: exists j in procs: AG i.x = j.x
";
    let file = PropertyFile::parse(file).unwrap_or_else(|e| panic!("{}", draw_all(file, &e)));
    let town = Town::new();
    let bindings = [("i".to_owned(), ProcRef(0)), ("j".to_owned(), ProcRef(2))];
    let told = |at: usize, bound: usize| {
        let operand = file.properties[at].operand(&bindings[..bound], &town)?;
        Some((operand.op, operand.text, operand.denied))
    };
    let mutex = "crit(p1) && crit(`node-1`) and count(i in procs: i.x = `node-1`.x) = 1";
    let expected = (
        TemporalOp::Ag,
        format!("!({mutex})"),
        Some(mutex.to_owned()),
    );
    assert_eq!(told(0, 2), Some(expected));
    let text = "turn = 1 -> `i`.x < p1.x".to_owned();
    assert_eq!(told(1, 0), Some((TemporalOp::Af, text, None)));
    let text = "done(p1) || inflight(p1 -> p1) > 0".to_owned();
    assert_eq!(told(2, 1), Some((TemporalOp::Ef, text, None)));
    assert_eq!([told(3, 1), told(4, 0), told(5, 1)], [None, None, None]);
}
