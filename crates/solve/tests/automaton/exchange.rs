//! The exchange format: what is written can be read, what other tools write can be read, and nothing makes it panic.

use causet_base::budget::Budget;
use causet_solve::automaton::Automaton;
use causet_solve::automaton::hoa::{Hoa, read, write};
use causet_solve::automaton::linear::Ltl;
use causet_solve::automaton::ltl::evaluate;
use fastrand::Rng;

use crate::logic::deterministic;
use crate::random::{
    all_words, constant, finally, globally, next, not, random_automaton, rounds, until,
};

fn understood(text: &str) -> Hoa {
    read(text, &Budget::endless()).unwrap_or_else(|mistake| panic!("{mistake}\n{text}"))
}

fn same_words(one: &Automaton, other: &Automaton) -> bool {
    one.difference(other, &Budget::endless()) == Ok(None)
}

/// A random automaton with names that are hard to quote.
fn random_text(rng: &mut Rng) -> (Automaton, Vec<String>, String) {
    let atoms = rng.usize(..4);
    let automaton = random_automaton(rng, atoms.max(1), 5);
    let names = ["a", "x == \"y\\z\"", "two words", "é\n[0]"];
    let names = names[..automaton.atoms()]
        .iter()
        .map(|&name| name.to_owned());
    let names: Vec<String> = names.collect();
    let text = write(&automaton, &names, "a \"name\"");
    (automaton, names, text)
}

#[test]
fn what_is_written_can_be_read() {
    for seed in 0..rounds(2_000) {
        let (automaton, names, text) = random_text(&mut Rng::with_seed(seed));
        let hoa = understood(&text);
        assert_eq!(hoa.atoms, names, "seed {seed}");
        assert_eq!(hoa.name.as_deref(), Some("a \"name\""));
        assert_eq!(hoa.automaton.len(), automaton.len());
        assert!(
            same_words(&automaton, &hoa.automaton),
            "seed {seed}:\n{text}"
        );
        assert_eq!(automaton.accepts(&[]), hoa.automaton.accepts(&[]));
        assert_eq!(write(&hoa.automaton, &names, "a \"name\""), text);
    }
}

/// Pieces that damage a text in ways that letters would not.
const PIECES: [&str; 22] = [
    "\"",
    "[",
    "]",
    "{0}",
    "{",
    "&",
    "|",
    "!",
    "(",
    "t",
    "@a",
    "State: ",
    "State: 0\n",
    "Start: 1\n",
    "--END--",
    "--BODY--",
    "/*",
    "99999999999999999999",
    "4000000000",
    "Alias: @a 0&1\n",
    "AP: 2 ",
    "é",
];

#[test]
fn damage_never_makes_it_panic() {
    let mut read_well = 0;
    for seed in 0..rounds(5_000) {
        let mut rng = Rng::with_seed(seed);
        let (_, _, text) = random_text(&mut rng);
        let mut text: Vec<char> = text.chars().collect();
        for _ in 0..rng.usize(1..4) {
            let at = rng.usize(..text.len());
            let end = (at + rng.usize(..4)).min(text.len());
            let piece = PIECES[rng.usize(..PIECES.len())];
            let piece = if rng.bool() { piece } else { "" };
            text.splice(at..end, piece.chars());
        }
        let text: String = text.into_iter().collect();
        match read(&text, &Budget::endless()) {
            Ok(hoa) => {
                read_well += 1;
                let again = understood(&write(&hoa.automaton, &hoa.atoms, ""));
                assert!(
                    same_words(&hoa.automaton, &again.automaton),
                    "seed {seed}:\n{text}"
                );
            }
            Err(mistake) => {
                assert!(
                    mistake.line as usize <= text.lines().count() + 1,
                    "seed {seed}: {mistake}"
                );
                assert!(mistake.column > 0 && !mistake.message.is_empty());
            }
        }
    }
    assert!(read_well > 100, "{read_well}");
}

#[test]
fn deep_and_wide_labels_are_refused() {
    let with_label = |label: &str| {
        let header = "HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"a\"\nAcceptance: 0 t\n--BODY--\n";
        read(
            &format!("{header}State: 0\n[{label}] 0\n--END--"),
            &Budget::endless(),
        )
    };
    assert!(with_label("(!((0)))").is_ok());
    let deep = "(".repeat(100_000);
    let mistake = with_label(&deep).unwrap_err();
    assert_eq!(
        (mistake.line, mistake.message.as_str()),
        (8, "this label is nested too deeply")
    );
    assert!(with_label(&"!".repeat(100_000)).is_err());
    let wide: Vec<String> = (0..100_000).map(|atom| atom.to_string()).collect();
    assert!(with_label(&wide.join("&")).is_err());
}

/// `a U b` in the manner of Spot's `ltlfilt --from-ltlf`, where `alive` holds as long as the word lasts.
const ALIVE: &str = r#"HOA: v1
name: "a U b"
States: 3
Start: 1
AP: 3 "b" "alive" "a"
acc-name: Buchi
Acceptance: 1 Inf(0)
properties: trans-labels explicit-labels state-acc deterministic
properties: very-weak
--BODY--
State: 0 {0}
[!1] 0
State: 1 "wait"
[0&1] 2
[!0&1&2] 1
State: 2
[!1] 0
[1] 2
--END--
"#;

#[test]
fn words_end_where_alive_does() {
    let hoa = understood(ALIVE);
    assert_eq!(hoa.atoms, ["b", "a"]);
    let formula = until(Ltl::State(1), Ltl::State(0));
    assert!(same_words(&hoa.automaton, &deterministic(&formula, 2)));
    // The same with marks on edges, one of which is not accepting although another of its state is.
    let on_edges = ALIVE
        .replace("State: 0 {0}\n[!1] 0", "State: 0\n[!1 & 2] 0 {0}\n[!1] 0")
        .replace("state-acc", "trans-acc");
    assert!(same_words(&understood(&on_edges).automaton, &hoa.automaton));
    let never = ALIVE.replace("State: 0 {0}", "State: 0");
    assert!(same_words(
        &understood(&never).automaton,
        &deterministic(&constant(false), 2)
    ));
}

fn check(text: &str, formula: &Ltl<usize>) {
    let hoa = understood(text);
    for word in all_words(hoa.atoms.len(), 3) {
        let expected = evaluate(formula, &word);
        assert_eq!(hoa.automaton.accepts(&word), expected, "{word:?}\n{text}");
    }
}

#[test]
fn all_ways_to_write_labels_are_understood() {
    let (a, b) = (|| Ltl::State(0), || Ltl::State(1));
    let header = "HOA: v1 /* a /* nested */ comment */ AP: 2 \"a\" \"b\" Acceptance: 1 Inf(0)";
    let exactly_one = Ltl::Or(vec![
        Ltl::And(vec![a(), not(b())]),
        Ltl::And(vec![not(a()), b()]),
    ]);
    let aliases = "Alias: @a 0&!1 Alias: @x @a | (!0 & 1)";
    let text = format!("{header} Start: 0 {aliases} --BODY-- State: 0 {{0}} [@x] 0 --END--");
    check(&text, &globally(exactly_one.clone()));
    let text =
        format!("{header} Start: 0 --BODY-- State: 0 {{0}} 1 0 1 1 State: 1 1 1 1 1 --END--");
    check(&text, &globally(Ltl::And(vec![a(), not(b())])));
    let text = format!("{header} Start: 0 --BODY-- State: [0&!1|!0&1] 0 {{0}} 0 --END--");
    check(&text, &globally(exactly_one));
    let text = format!(
        "{header} Start: 0 --BODY-- State: 0 [t] 1 State: 1 [f] 0 [t] 1 {{0}} [0] 1 {{0}} --END--"
    );
    check(&text, &constant(true));
}

#[test]
fn several_initial_states_are_one() {
    let text = "HOA: v1\nStart: 0\nStart: 1\nAP: 1 \"a\"\nAcceptance: 1 Inf(0)\n--BODY--\n\
        State: 0 {0}\n[0] 0\nState: 1\n[t] 1\n[!0] 2\nState: 2 {0}\n[t] 2\n--END--\n";
    let a = || Ltl::State(0);
    check(text, &Ltl::Or(vec![globally(a()), finally(not(a()))]));
    check(&text.replace("Start: 0\nStart: 1\n", ""), &constant(false));
    check(
        &text.replace("1 Inf(0)", "0 t").replace("Start: 1\n", ""),
        &globally(a()),
    );
    check(&text.replace("1 Inf(0)", "0 f"), &constant(false));
    let second = text.replace("Start: 0\n", "");
    check(&second, &finally(not(a())));
    assert_eq!(deterministic(&next(a()), 1).len(), 4);
}

#[test]
fn what_is_not_understood_is_named() {
    let text = ALIVE;
    let expect = |from: &str, to: &str, line: usize, column: usize, message: &str| {
        let text = text.replace(from, to);
        let mistake = read(&text, &Budget::endless()).unwrap_err();
        assert_eq!(
            mistake.to_string(),
            format!("line {line}, column {column}: {message}")
        );
    };
    expect("HOA: v1", "HOA: v2", 1, 1, "expected `HOA: v1`");
    let acceptance = "is not understood; `1 Inf(0)`, `0 t` and `0 f` are";
    expect(
        "1 Inf(0)",
        "1 Fin(0)",
        7,
        13,
        &format!("the acceptance condition `1 Fin(0)` {acceptance}"),
    );
    expect(
        "1 Inf(0)",
        "2 Inf(0) & Inf(1)",
        7,
        13,
        &format!("the acceptance condition `2 Inf(0)&Inf(1)` {acceptance}"),
    );
    let alternation = "several states at once (alternation) are not understood";
    expect("Start: 1", "Start: 1&2", 4, 9, alternation);
    expect("[!1] 0\nState: 1", "[!1] 0&1\nState: 1", 12, 7, alternation);
    expect(
        "[!1] 0",
        "[!3] 0",
        12,
        3,
        "there is no atomic proposition 3",
    );
    expect("[!1] 0", "[@x] 0", 12, 2, "`@x` has not been defined");
    expect(
        "State: 2",
        "State: 7",
        16,
        8,
        "state 7 is not one of the 3 announced",
    );
    expect("State: 2", "State: 1", 16, 8, "state 1 is defined twice");
    expect(
        "acc-name: Buchi",
        "Controllable: 1",
        6,
        1,
        "`Controllable:` is not understood",
    );
    expect(
        "States: 3",
        "States: 3000000000",
        3,
        1,
        "more states are announced than the text has room for",
    );
    expect(
        "--END--",
        "",
        20,
        1,
        "expected `State:` or `--END--`, found the end of the text",
    );
    expect("AP: 3", "AP: 4", 5, 5, "4 names are announced and 3 follow");
    let mixed = ALIVE
        .replace("alive", "alife")
        .replace("[0&1] 2", "[0&1] 2 {0}");
    let mistake = read(&mixed, &Budget::endless()).unwrap_err();
    assert_eq!(
        mistake.to_string(),
        "line 13, column 8: some edges of this state are accepting and others are not"
    );
}
