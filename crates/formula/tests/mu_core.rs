//! Formulas of the mu-calculus that other tools know: how they are read, and the equations they become.

mod common;
mod mu_common;

use causet_formula::modal::{Modal, Operator, Term};
use causet_formula::{Action, Kind, Property, PropertyFile, mu};
use common::draw_all;
use fastrand::Rng;
use mu_common::{Graph, meaning, solution};

fn read(text: &str) -> mu::Formula {
    mu::read(text, &|_| None).unwrap_or_else(|errors| panic!("{}", draw_all(text, &errors)))
}

fn lowered(text: &str) -> Modal {
    let lowered = read(text).lower();
    lowered.unwrap_or_else(|errors| panic!("{}", draw_all(text, &errors)))
}

/// What a formula says, without places and texts.
fn skeleton(text: &str) -> String {
    let modal = lowered(text);
    let equations: Vec<_> = modal
        .equations
        .iter()
        .map(|one| (one.sign, one.operator, &one.terms))
        .collect();
    format!("{equations:?} {:?}", modal.actions)
}

/// The action formula of `<A> true`.
fn action(text: &str) -> Action {
    let modal = lowered(&format!("<{text}> true"));
    modal.actions.into_iter().next().expect("one action")
}

#[test]
fn both_spellings() {
    let pairs = [
        ("[true*] <true> true", "[any*]<any>true"),
        ("[true*] <true> true", "nu Z. <>true && []Z"),
        ("<true*> @ (tau)", "mu X. (nu Y. <tau> Y) or <true> X"),
        ("<true*> @ (tau)", "mu X. ((nu Y. <tau>Y) || <true>X)"),
        ("<tau> @", "@(tau)"),
        ("[tau] -|", "not <tau> @"),
        ("[tau] -|", "mu X. [tau] X"),
        ("[true*. P] false", "[true* . P]false"),
        ("[(not R)*. P. (not R)*. R] false", "[(!R)*.P.(!R)*.R]false"),
        ("<a | b> true", "<a + b> true"),
        ("<a+ | b> true", "<a++b> true"),
        ("<(a | b)+ . c> true", "<(a + b)+.c>true"),
        ("<a or b . c> true", "<(a || b).c> true"),
        ("<not a*> true", "<(not a)*> true"),
        ("true implies false implies true", "true => (false -> true)"),
        ("true equ false equ true", "(true <-> false) <=> true"),
        ("true or false and not true", "true || (false && (!true))"),
        ("[a] false and true", "([a] false) and true"),
        ("mu X. <a> true or [b] X", "μX.(<a>true ∨ ([b] X))"),
        ("nu X . X and true", "νX. X ∧ true"),
        ("act a, b: Nat; c;\nform <a> true;", "<a>true"),
        (
            "% mcf\n<a> -- a step\n(* of\n two lines *) # end\ntrue",
            "<a> true",
        ),
        ("<exists n:Nat. put(n)> true", "<put(_)> true"),
        (
            "<exists n, m: Nat, b: Bool. put(n, m) || get(b)> true",
            "<put(_, _) or get(_)> true",
        ),
        ("<forall n: Nat. !put(n)> true", "<not put(_)> true"),
        ("<exists n: Nat. (a && put(n))> true", "<a and put(_)> true"),
        ("<{PUT ?x:nat !3}> true", "<{ PUT !_ ! 3 }> true"),
        ("<\"a\"> true", "<a> true"),
    ];
    for (one, other) in pairs {
        assert_eq!(skeleton(one), skeleton(other), "{one}   {other}");
        same_meaning(one, other);
    }
    same_meaning("<a+> true", "<a . a*> true");
    same_meaning("[a?] <b> true", "[nil | a] <b> true");
    same_meaning(
        "true equ <a> true",
        "(true implies <a> true) and (<a> true implies true)",
    );
}

/// Both formulas hold of the same states of some random graphs.
fn same_meaning(one: &str, other: &str) {
    let (first, second) = (read(one), lowered(other));
    let mut rng = Rng::with_seed(7);
    for _ in 0..200 {
        let graph = Graph::random(&mut rng);
        let wanted = meaning(&graph, first.root(), &mut Vec::new());
        assert_eq!(
            solution(&graph, &second),
            wanted,
            "{one}   {other}\n{graph:?}"
        );
    }
}

#[test]
fn formulas_of_other_tools() {
    for text in [
        "[true*. 'PUT.*'] mu Y. (@(tau) or (<true>true and [not 'GET.*'] false)) or (<true>true and [true] Y)",
        "mu X. (<P> true or <not P> X) and [not P] X",
        "[(not P)*. P. (not P)*. P. (not P)*. P] false",
        "[(not Q)*. Q. true*. P] false",
        "[true*. Q. (not R)*. P. (not R)*. R] false",
        "[(not R)*. not (P or R). (not R)*. R] false",
        "nu X. (([exists n:Nat. put(n)] mu Y. (((nu Z. <tau>Z) || (<true>true && [!(exists n:Nat. get(n))]false)) || (<true>true && [true]Y))) && [true]X)",
        "mu X. ((nu Y. <\"tau\">Y) || <>X)",
    ] {
        lowered(text);
    }
    // Without parentheses around `mu Y` its body goes on to the end, and there the fixpoints alternate.
    let text = "nu X. ([put(_)] mu Y. (<true> Y) && [true] X)";
    let errors = read(text).lower().expect_err("alternating");
    assert!(
        errors[0].message.contains("`mu Y` is a least fixpoint"),
        "{errors:?}"
    );
}

#[test]
fn libraries_say_what_they_should() {
    let cases = [
        ("EX_A(a, true)", "<a> true"),
        ("AX_A(a or b, <c> true)", "<true> true and [not (a or b)] false and [a or b] <c> true"),
        ("EU_A(<a> true, b, true)", "mu X. true or (<a> true and <b or tau> X)"),
        ("EU_A_B(true, a, b, false)", "mu X. true and (<b> false or <a or tau> X)"),
        (
            "AU_A(true, a or b, <c> true)",
            "mu X. <c> true or (true and <true>true and [not ((a or b) or tau)] false and [(a or b) or tau] X)",
        ),
        (
            "AU_A_B(true, a, b, <c> true)",
            "mu X. true and <true>true and [not (a or tau or b)] false and [b and not (a or tau)] (<c> true)
             and [(a or tau) and not b] X and [(a or tau) and b] ((<c> true) or X)",
        ),
        ("AG_A(a, <b> true)", "not mu X. (not <b> true) or (true and <a or tau> X)"),
        (
            "EG_A(a, <b> true)",
            "not mu X. (not <b> true) or (true and <true>true and [not (a or tau)] false and [a or tau] X)",
        ),
        ("INEV(a)", "mu X. <true> true and [not a] X"),
        ("NEVER(a or b)", "[true*. (a or b)] false"),
        ("FAIR_REACH(a, b)", "[true*. a. (not b)*] <(not b)*. b> true"),
        ("NO_DEADLOCK and not LIVELOCK()", "[true*] <true> true and not <true*> @(tau)"),
        ("ABSENCE_BETWEEN(a, b, c)", "[true*. b. (not c)*. a. (not c)*. c] false"),
        ("EXISTENCE_AFTER(a, b or c)", "[(not (b or c))*. (b or c)] mu X. (<a> true or <not a> X) and [not a] X"),
        ("RESPONSE_GLOBALLY(a, b)", "[true*. b] mu X. <true> true and [not a] X"),
        ("AG(EF(<a> true))", "[true*] <true*> <a> true"),
        ("AF(<a> true)", "mu X. <a> true or (<true> true and [true] X)"),
        ("EG(<a> true)", "nu X. <a> true and ([true] false or <true> X)"),
    ];
    let preamble =
        "library standard.mcl, actl.mcl end_library library ctl.mcl, \"patterns.mcl\" end_library ";
    for (with, without) in cases {
        let with = format!("{preamble}{with}");
        assert_eq!(skeleton(&with), skeleton(without), "{with}");
    }
}

#[test]
fn every_macro_of_every_library_can_be_used() {
    let mut used = 0;
    for (library, text) in mu::library::BUNDLED {
        for head in text.lines().filter_map(|line| line.strip_prefix("macro ")) {
            let head = head.split('=').next().expect("a head").trim();
            let name = head.split(' ').next().expect("a name");
            assert_eq!(
                mu::library::of_macro(name).map(|(found, _)| found),
                Some(library)
            );
            let arguments = head
                .split_once('(')
                .map_or(String::new(), |(_, parameters)| {
                    let kinds = parameters.trim_end_matches(')').split(", ");
                    let one = |kind| {
                        if matches!(kind, "F" | "G") {
                            "<d> true"
                        } else {
                            "a or b"
                        }
                    };
                    format!("({})", kinds.map(one).collect::<Vec<_>>().join(", "))
                });
            lowered(&format!("library {library} end_library {name}{arguments}"));
            used += 1;
        }
    }
    assert_eq!(used, 45);
}

/// The meaning of CTL by its definition over maximal runs, on graphs small enough to look at every lasso.
#[test]
fn ctl_ends_where_runs_end() {
    let stuck = Graph {
        states: 2,
        edges: vec![(0, 0, 1)],
    };
    let holds = |text: &str| {
        let text = format!("library ctl.mcl end_library {text}");
        solution(&stuck, &lowered(&text))
    };
    let (first, second, both) = (0b01, 0b10, 0b11);
    assert_eq!(holds("EX(true)"), first);
    assert_eq!(holds("AX(false)"), second);
    assert_eq!(holds("AF(<a> true)"), first);
    assert_eq!(holds("AF([a] false)"), both);
    assert_eq!(holds("EG(<a> true)"), 0);
    assert_eq!(holds("EG([a] false)"), second);
    assert_eq!(holds("AG(true)"), both);
    assert_eq!(holds("AU(true, [true] false)"), both);
    assert_eq!(holds("AU(<a> true, false)"), 0);
    assert_eq!(holds("EU(<a> true, [true] false)"), both);
    assert_eq!(holds("EF([true] false)"), both);
}

#[test]
fn macros_catch_no_variables() {
    let twice = "macro M (F) = mu X. F or <a> X end_macro ";
    let cases = [
        ("mu X. M(<b> X)", "mu X. mu Y. <b> X or <a> Y"),
        (
            "mu X. M(M(<b> X))",
            "mu X. mu Y. (mu Z. <b> X or <a> Z) or <a> Y",
        ),
        (
            "mu Y. M(mu X. <b> X or <c> Y)",
            "mu Y. mu Z. (mu X. <b> X or <c> Y) or <a> Z",
        ),
    ];
    for (with, without) in cases {
        let with = format!("{twice}{with}");
        assert_eq!(skeleton(&with), skeleton(without), "{with}");
        let printed = read(&with).to_string();
        assert_eq!(skeleton(&printed), skeleton(without), "{printed}");
    }
    // A parameter may be the variable itself, even one with a name like those that are made up.
    let binds = "macro B (V) = mu X. <c> mu V. (<b> true or <a> X) end_macro ";
    let own = "mu Y. <c> mu Z. (<b> true or <a> Y)";
    for (with, without) in [
        ("B(X)", own.to_owned()),
        ("mu X. B(X_2) or <z> X", format!("mu X. ({own}) or <z> X")),
        ("mu X. B(X) or <z> X", format!("mu X. ({own}) or <z> X")),
    ] {
        let with = format!("{binds}{with}");
        assert_eq!(skeleton(&with), skeleton(&without), "{with}");
        let printed = read(&with).to_string();
        assert_eq!(skeleton(&printed), skeleton(&without), "{printed}");
    }
    // What a body says of its surroundings is meant so.
    let free = "macro BACK = <a> X end_macro mu X. <b> true or BACK";
    assert_eq!(skeleton(free), skeleton("mu X. <b> true or <a> X"));
    let errors = mu::read(&format!("{twice} M(X)"), &|_| None).expect_err("not bound");
    assert!(
        errors[0].message.contains("unbound variable `X`"),
        "{errors:?}"
    );
}

#[test]
fn labels() {
    let cases = [
        ("PUT", "PUT", true),
        ("PUT", "PUT !3", false),
        ("\"PUT !3\"", "PUT !3", true),
        ("'PUT !.*'", "PUT !3", true),
        ("'PUT'", "PUT !3", false),
        ("{PUT !3}", "PUT  !3", true),
        ("{PUT !3}", "PUT !34", false),
        ("{PUT ...}", "PUT !3 !TRUE", true),
        ("{PUT ...}", "PUT", true),
        ("{PUT !_}", "PUT !3 !TRUE", false),
        ("put(3)", "put(3)", true),
        ("put(3, true)", "put(3,true)", true),
        ("put(_)", "put(3, true)", false),
        ("put(_)", "put([1, 2])", true),
        ("put(-1)", "put(-1)", true),
        ("put(f(1, 2), x y)", "put(f(1,2), x  y)", true),
        ("put(f(1, 2))", "put(f(12))", false),
        ("not put(_) and any", "get(3)", true),
        ("a implies b", "c", true),
        ("a implies b", "a", false),
        ("a equ b", "a", false),
        ("false", "a", false),
        ("\"a\\\"b\\\\c\\d\"", "a\"b\\c\\d", true),
        ("\"tau\"", "tau", true),
        ("3", "3", true),
        ("größe", "größe", true),
    ];
    for (text, label, wanted) in cases {
        assert_eq!(
            action(text).admits(label, false),
            wanted,
            "{text} on {label}"
        );
    }
    for (text, label, internal, wanted) in [
        ("tau", "i", true, true),
        ("tau", "tau", false, false),
        ("i", "hidden", true, true),
        ("i", "i", false, true),
        ("\"i\"", "hidden", true, false),
        ("not tau", "i", true, false),
        ("any", "i", true, true),
    ] {
        assert_eq!(
            action(text).admits(label, internal),
            wanted,
            "{text} on {label}"
        );
    }
}

#[test]
fn equations_are_shared_and_read_well() {
    let modal = lowered("[true*] (<a> true and [b . c] <a> true)");
    let texts: Vec<&str> = modal.equations.iter().map(|one| &*one.text).collect();
    assert_eq!(
        texts,
        [
            "[true*] <a> true && [b . c] <a> true",
            "<a> true && [b . c] <a> true",
            "<a> true",
            "[c] <a> true",
            "true"
        ]
    );
    assert_eq!(modal.main, 0);
    assert_eq!(modal.actions.len(), 4, "any, a, b, c");
    let negative = lowered("not [a*] <b> true");
    assert_eq!(&*negative.equations[0].text, "<a*> !(<b> true)");
    let long = format!("<a> ({})", vec!["<b> true"; 50].join(" and "));
    let modal = lowered(&long);
    assert!(
        modal
            .equations
            .iter()
            .all(|one| one.text.chars().count() < 70)
    );
    for equation in &modal.equations {
        assert!(long.get(equation.span.range()).is_some());
    }
}

#[test]
fn a_file_of_properties() {
    let file = "let p = x = 1\nproperty one: mu [true*] <true> true -- isn't %\n# and\n\
                property two: mu library ctl.mcl end_library\n  AG(<'a.*'> true => @(i))\nproperty three: ctl p\n";
    let parsed = PropertyFile::parse(file).unwrap_or_else(|e| panic!("{}", draw_all(file, &e)));
    let kinds: Vec<Kind> = parsed.properties.iter().map(|one| one.kind).collect();
    assert_eq!(kinds, [Kind::Mu, Kind::Mu, Kind::Ctl]);
    let formula = parsed.properties[1].mu().expect("a formula");
    assert_eq!(formula.to_string(), "[true*] (<'a.*'> true -> @(i))");
    let span = formula.lower().expect("sound").equations[0].span;
    assert!(
        file.get(span.range())
            .expect("within the file")
            .contains("AG")
    );
    assert!(parsed.properties[0].syntax().is_none() && parsed.properties[2].mu().is_none());

    let wrong =
        "property one: mu [a] =>\nproperty two: mu mu X. <a> Y @\nproperty three: ctl x => y";
    let errors = PropertyFile::parse(wrong).expect_err("wrong");
    assert_eq!(
        draw_all(wrong, &errors),
        "property one: mu >[a]< => | a modality needs a formula behind it | expected a formula after this | help: write `[a] false` for: no such step is possible
property two: mu mu X. <a> >Y< @ | unbound variable `Y` | expected a variable of a fixpoint around this | help: a variable is bound by `mu Y. F` or `nu Y. F`; a label stands in a modality: `<Y> true`
property three: ctl x >=>< y | unknown operator `=>` | expected `->` | help: implication is written `->`"
    );
    let property = Property::parse(Kind::Mu, "p", "<a> true").expect("readable");
    assert_eq!(
        property.mu().map(ToString::to_string).as_deref(),
        Some("<a> true")
    );
    let own = |name: &str| (name == "own.mcl").then(|| "macro M = <a> true end_macro".to_owned());
    Property::parse_mu("p", "library own.mcl end_library M", &own).expect("readable");
}

#[test]
fn lets_are_not_for_actions() {
    let file = "let p = x = 1\nproperty one: mu [true*] p";
    let errors = PropertyFile::parse(file).expect_err("a predicate is no formula over actions");
    assert!(errors[0].message.contains("`p` is a `let`"), "{errors:?}");
}

#[test]
fn deep_and_large_formulas_are_read_or_refused() {
    let around = |open: &str, inside: &str, close: &str, count: usize| {
        format!("{}{inside}{}", open.repeat(count), close.repeat(count))
    };
    let forms: [(&str, &str, &str); 10] = [
        ("(", "true", ")"),
        ("not ", "true", ""),
        ("<a> ", "true", ""),
        ("mu X. ", "true", ""),
        ("true implies ", "true", ""),
        ("", "true", " equ true"),
        ("<a", "", "*> true"),
        ("<", "a", "> true"),
        ("[nil . (", "a", ")] true"),
        ("@(", "a", ")"),
    ];
    for (open, inside, close) in forms {
        let text = around(open, inside, close, 100_000);
        assert!(mu::read(&text, &|_| None).is_err(), "{open}");
    }
    for path in ["(", "not (", "a . (", "a implies (", "exists n: Nat. ("] {
        let text = format!("<{}a{}> true", path.repeat(50_000), ")".repeat(50_000));
        let errors = mu::read(&text, &|_| None).expect_err(path);
        assert_eq!(errors[0].message, "the formula is nested too deeply");
    }
    let stars = format!("<a{}> true", "*".repeat(100_000));
    assert!(mu::read(&stars, &|_| None).is_err());
    for (open, inside, close) in [
        ("(", "true", ")"),
        ("<a> ", "true", ""),
        ("not ", "true", ""),
    ] {
        lowered(&around(open, inside, close, 190));
    }
    let wide = vec!["<a . b | c> true"; 20_000].join(" and ");
    assert!(lowered(&wide).equations.len() < 10);
    let long = format!("<{}> true", vec!["a"; 20_000].join(" . "));
    assert_eq!(lowered(&long).equations.len(), 20_001);
}

#[test]
fn macros_cannot_explode() {
    let double: String = (0..60)
        .map(|n| format!("macro M{} (A) = M{n}(A) and M{n}(A) end_macro ", n + 1))
        .collect();
    let text = format!("macro M0 (A) = <A> true end_macro {double} M60(a)");
    let errors = mu::read(&text, &|_| None).expect_err("too large");
    assert!(errors[0].message.contains("grows too large"), "{errors:?}");
    let argument: String = (0..60)
        .map(|n| format!("macro M{} (A) = M{n}(A A) end_macro ", n + 1))
        .collect();
    let text = format!("macro M0 (A) = <A> true end_macro {argument} M60(a)");
    let errors = mu::read(&text, &|_| None).expect_err("too large");
    assert!(errors[0].message.contains("grows too large"), "{errors:?}");
    let chain: String = (0..500)
        .map(|n| format!("macro M{} = M{n} end_macro ", n + 1))
        .collect();
    let text = format!("macro M0 = true end_macro {chain} M500");
    let errors = mu::read(&text, &|_| None).expect_err("too deep");
    assert!(
        errors[0].message.contains("nested too deeply"),
        "{errors:?}"
    );
    let nested = format!(
        "library ctl.mcl end_library {}true{}",
        "AG(".repeat(5_000),
        ")".repeat(5_000)
    );
    assert!(mu::read(&nested, &|_| None).is_err());
    let fine = format!(
        "library ctl.mcl end_library {}true{}",
        "AG(".repeat(40),
        ")".repeat(40)
    );
    lowered(&fine);
}

#[test]
fn damaged_texts_are_no_accidents() {
    const TEXTS: [&str; 5] = [
        "library ctl.mcl end_library macro M (A, B) = <A> B end_macro AG(M(a or b, true)) and M(c, false)",
        "[true*. 'PUT.*'] mu Y. (@(tau) or (<{PUT !3 ?x:nat ...}>true and [not 'GET.*'] false)) or [true] Y",
        "act a: Nat; form nu X. ([exists n:Nat. put(n, 3)] (mu Y. <a+b.c>Y || <\"x\\\"y\">true)) && [true]X;",
        "(* c *) not (<a* . (b|c)+ . d?> true) equ [nil] X -- d",
        "μX. <a> @ implies [b] -| ∨ νY. ¬(true => X)",
    ];
    const SCRAPS: [&str; 40] = [
        "(",
        ")",
        "[",
        "]",
        "<",
        ">",
        "{",
        "}",
        "*",
        "+",
        "?",
        ".",
        "|",
        "||",
        "@",
        "-|",
        "'",
        "\"",
        "\\",
        "(*",
        "*)",
        "--",
        "%",
        "mu X. ",
        "X",
        "not ",
        " and ",
        "macro M = ",
        " end_macro ",
        "library ",
        "end_library",
        ",",
        "exists n. ",
        "put(",
        "é",
        "μ",
        "_",
        "...",
        "AG(",
        "\n",
    ];
    for seed in 0..30_000 {
        let mut rng = Rng::with_seed(seed);
        let mut letters: Vec<char> = TEXTS[rng.usize(..TEXTS.len())].chars().collect();
        for _ in 0..rng.usize(1..6) {
            let at = rng.usize(..=letters.len());
            let end = (at + rng.usize(..4)).min(letters.len());
            letters.splice(at..end, SCRAPS[rng.usize(..SCRAPS.len())].chars());
        }
        let text: String = letters.into_iter().collect();
        let result = mu::read(&text, &|_| None);
        let printed = result.as_ref().ok().map(ToString::to_string);
        let errors = match result.and_then(|formula| formula.lower().map(drop)) {
            Ok(()) => Vec::new(),
            Err(errors) => errors,
        };
        for error in &errors {
            assert!(
                text.get(error.span.range()).is_some(),
                "seed {seed}: {error:?} in {text:?}"
            );
            assert!(
                !error.message.is_empty() && error.label.is_some(),
                "seed {seed}: {error:?} in {text:?}"
            );
        }
        if let Some(printed) = printed {
            let again = mu::read(&printed, &|_| None);
            let again =
                again.unwrap_or_else(|e| panic!("seed {seed}: {text}\n{}", draw_all(&printed, &e)));
            assert_eq!(again.to_string(), printed, "seed {seed}: {text}");
        }
    }
}

#[test]
fn expressions_in_the_wrong_quotes_warn() {
    let text = "[true* . (\"PUT.*\" or 'GET.*')] @(not \"a.b\")";
    assert_eq!(
        draw_all(text, &read(text).warnings()),
        "[true* . (>\"PUT.*\"< or 'GET.*')] @(not \"a.b\") | this label is compared letter by letter \
         | it looks like a regular expression | help: a regular expression stands in single quotes: 'PUT.*'"
    );
}

#[test]
fn terms_lead_to_equations() {
    let modal = lowered("<a . b> true and [c*] false");
    for equation in &modal.equations {
        for term in &equation.terms {
            let (Term::Here(to) | Term::Step { to, .. }) = *term;
            assert!(to < modal.equations.len());
        }
    }
    assert_eq!(modal.equations[modal.main].operator, Operator::And);
}
