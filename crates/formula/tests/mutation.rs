//! Damaged formulas and property files are refused politely: no panic, and every span lies in the
//! text, on character boundaries.

mod common;

use causet_base::Diagnostic;
use causet_formula::{Kind, PropertyFile, lower};
use common::{Town, check};
use fastrand::Rng;

const FORMULAS: &[&str] = &[
    "forall i, j in procs where i != j: AG !(i.state = \"crit\" && j.state = \"crit\")",
    "E[turn = 1 U A[`node-1`.x < 2.5 W p1.raft.term >= -3]] <-> final || initial",
    "count(i in procs(\"p*\"): i.x % 2 = 0) <= max(turn, only) -> EF empty(p1 -> p2)",
    "AG (1 < turn <= 3 -> AX AF done(p1) && steps(p2) = 3 && inflight(p1 -> p2) > 0)",
    "{ turn = 1 ; [never only] [always p1.x < 2] on(p1) ; final }",
    "re( turn = 1 . only* . (p1.x | p2.x = 2 . _)? . ((turn || only) . ()+) . (turn + 1) * 2 = 4 )",
    "{ start s0; s0 -> s1 on turn = 1\n s1 -> `o ps` when only && on(\"a\"); s0 -> s0 on(p1, \"b\"); bad `o ps`, s1 }",
    "forall i in procs: { start a; a -> b on i.x = 1; bad b }",
    "forall i in procs: G (on(i) -> X (i.x = 1 R turn) W on(turn = 1 && only))",
    "possibly { a ; [never t] b } re( a . b* . (c | d) ) on(p1, \"l\u{e9}\") 'x' \"\\u{1f600}\"",
    "G (on(\"request\") -> F on(\"reply\")) U () [] <> X N a M b",
];

const FILE: &str = "# comment \u{2014} é\nlet crit(i) = i.state == \"crit\"\nlet all = forall i in procs: crit(i)\n\
    property mutex: ctl forall i, j in procs where i != j: AG !(crit(i) && crit(j))\n\
    property answered: ltl G (on(\"request\") -> F on(\"reply\"))\n\
    property quiet: definitely empty(p1 -> p2)\nmonitor order { start s0; s0 -> s1 on turn = 1; bad s1 }\n\
    let order(i) = { i.x = 1 ; [never crit(i)] on(\"a\") }\nproperty seen: possibly forall i in procs: order(i)\n\
    property word: definitely re( turn . (only | all)* . _+ )\n\
    monitor each forall i in procs(\"p*\"): { start a\n a -> b when crit(i)\n b -> c on i.x\n bad b, c }\n";

/// Scraps that are put into the text.
const SCRAPS: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "\"",
    "'",
    "`",
    "\\",
    ".",
    "..",
    ",",
    ":",
    ";",
    "#",
    "\n",
    "é",
    "→",
    "\u{1f600}",
    "U",
    "AG",
    "A[",
    "E<>",
    "forall",
    "in procs",
    "where",
    "let ",
    "\nproperty ",
    "1e9",
    "9999999999999999999999",
    "0.",
    "-",
    "->",
    "=>",
    "===",
    "!",
    "&&",
    "|",
    "true",
    "\0",
    "\u{feff}",
    "count(",
    "min(",
    "on(",
    "re(",
    "?",
    "*",
    "+",
    " . ",
    "_",
    "()",
    "[never ",
    "start ",
    "bad ",
    " -> s1 on ",
    "when ",
    "\\u{",
    "\"\\",
    "<->",
    "mu",
    "i.",
    "crit(crit(",
];

#[test]
fn damaged_formulas() {
    for seed in 0..20_000 {
        let mut rng = Rng::with_seed(seed);
        let sound = FORMULAS[rng.usize(..FORMULAS.len())];
        let text = damage(&mut rng, sound);
        let kinds = [
            Kind::Ctl,
            Kind::Ltl,
            Kind::Possibly,
            Kind::Definitely,
            Kind::Mu,
            Kind::Monitor,
        ];
        let kind = kinds[rng.usize(..kinds.len())];
        match check(kind, &text) {
            Ok(lowered) => inspect(seed, &text, &lowered.warnings),
            Err(errors) => {
                assert!(!errors.is_empty(), "seed {seed}: {text:?}");
                inspect(seed, &text, &errors);
            }
        }
    }
}

#[test]
fn damaged_property_files() {
    let town = Town::new();
    for seed in 0..20_000 {
        let mut rng = Rng::with_seed(seed);
        let text = damage(&mut rng, FILE);
        let file = match PropertyFile::parse(&text) {
            Ok(file) => file,
            Err(errors) => {
                assert!(!errors.is_empty(), "seed {seed}: {text:?}");
                inspect(seed, &text, &errors);
                continue;
            }
        };
        for property in &file.properties {
            match lower(property, &file.lets, &town) {
                Ok(lowered) => inspect(seed, &text, &lowered.warnings),
                Err(errors) => inspect(seed, &text, &errors),
            }
        }
    }
}

/// One to four insertions, deletions, replacements or truncations at character boundaries.
fn damage(rng: &mut Rng, text: &str) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    for _ in 0..rng.usize(1..5) {
        let at = rng.usize(..=letters.len());
        let scrap = SCRAPS[rng.usize(..SCRAPS.len())].chars();
        match rng.u32(0..16) {
            0 => letters.truncate(at),
            1..=6 => drop(letters.splice(at..at, scrap)),
            7..=10 => {
                let end = (at + rng.usize(1..6)).min(letters.len());
                drop(letters.splice(at..end, scrap));
            }
            11..=13 => drop(letters.drain(at..(at + 3).min(letters.len()))),
            14 if at < letters.len() => letters.swap(at, 0),
            _ => letters.rotate_left(at.min(7)),
        }
    }
    letters.into_iter().collect()
}

fn inspect(seed: u64, text: &str, errors: &[Diagnostic]) {
    for error in errors {
        let part = text.get(error.span.range());
        assert!(part.is_some(), "seed {seed}: {error:?} in {text:?}");
        assert!(!error.message.is_empty(), "seed {seed}: {text:?}");
    }
}
