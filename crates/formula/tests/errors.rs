//! What is said about formulas that are wrong: the place, the words, the way out.
//!
//! Each case shows the line with the underlined part between `>` and `<`, then the message, what
//! was expected there, and the suggestion.

mod common;

use causet_formula::{Kind, Lets, Property, PropertyFile, lower};
use common::{Town, check, draw_all};

/// Kind, formula, and every error as it is drawn.
const CASES: &[(Kind, &str, &str)] = &[
    (Kind::Ctl, "turn => only", "turn >=>< only | unknown operator `=>` | expected `->` | help: implication is written `->`"),
    (Kind::Ctl, "turn === 1", "turn >===< 1 | unknown operator `===` | expected `=` | help: equality is written `=`"),
    (Kind::Ctl, "~turn", ">~<turn | unknown operator `~` | expected `!` | help: negation is written `!`"),
    (Kind::Ctl, "p1.state = 'crit'", r#"p1.state = >'crit'< | a text stands in double quotes | expected double quotes | help: write "crit""#),
    (Kind::Ctl, "(turn = 1", ">(<turn = 1 | this `(` is never closed | opened here | help: add the missing `)`"),
    (Kind::Ctl, "AG (turn = 1 && (only = 2)", "AG >(<turn = 1 && (only = 2) | this `(` is never closed | opened here | help: add the missing `)`"),
    (Kind::Ctl, "turn = 1)", "turn = 1>)< | unmatched `)` | nothing is open here"),
    (Kind::Ctl, "(turn = 1]", "(turn = 1>]< | `]` does not close `(` | expected `)`"),
    (Kind::Ctl, "A(turn U only)", "A(turn >U< only) | `U` outside of brackets | expected `)` | help: write `A[f U g]`, with square brackets"),
    (Kind::Ctl, "E[turn]", "E[turn>]< | `E[...]` needs two formulas | expected `U`, `W` or `R` and a second formula before this | help: for one formula write `EG f` or `EF f`"),
    (Kind::Ctl, "E[turn only]", "E[turn >only<] | expected an operator before `only` | expected `U`, `W`, `R` or another operator"),
    (Kind::Ctl, "E[turn U only", "E>[<turn U only | this `[` is never closed | opened here | help: add the missing `]`"),
    (Kind::Ctl, "A[turn U only U turn]", "A[turn U only >U< turn] | a second `U` in one bracket | expected `]` | help: nest them: `A[f U A[g U h]]`"),
    (Kind::Ctl, "turn U only", "turn >U< only | `U` outside of brackets | expected `A[f U g]` or `E[f U g]` | help: an operator without `A` or `E` belongs to LTL (`--ltl`)"),
    (Kind::Ctl, "G turn", ">G< turn | `G` is an operator of LTL | expected an operator of CTL | help: write `AG` (on every run) or `EG`, or give the formula as LTL (`--ltl`)"),
    (Kind::Ctl, "AG F(turn = 1)", "AG >F<(turn = 1) | `F` is an operator of LTL | expected an operator of CTL | help: write `AF` (on every run) or `EF`, or give the formula as LTL (`--ltl`)"),
    (Kind::Ctl, "[] turn", ">[]< turn | `[]` is an operator of LTL | expected an operator of CTL | help: write `AG` (on every run) or `EG`, or give the formula as LTL (`--ltl`)"),
    (Kind::Ctl, "A[] turn", ">A[]< turn | unknown operator `A[]` | expected `AG` | help: `A[] f` is written `AG f`"),
    (Kind::Ctl, "E<> turn", ">E<>< turn | unknown operator `E<>` | expected `EF` | help: `E<> f` is written `EF f`"),
    (Kind::Ctl, "turn <> 1", "turn ><>< 1 | unknown operator `<>` | expected `!=` | help: inequality is written `!=`"),
    (Kind::Ctl, "AG[turn]", "AG>[<turn] | unexpected `[` | expected an operator or the end of the formula | help: write `AG (...)`; square brackets belong to `A[f U g]`, `E[f U g]`"),
    (Kind::Ctl, "x[1] = 2", "x>[<1] = 2 | unexpected `[` | expected an operator or the end of the formula | help: there are no arrays; a variable's own name may need backquotes: `x[...]`"),
    (Kind::Ctl, r#"on("request")"#, r#">on("request")< | `on(...)` is about an event, and this is about a cut | expected a predicate about cuts | help: events can be named in LTL, in monitors and in sequences `{ a ; b }`"#),
    (Kind::Ctl, "AG on(turn = 3)", "AG >on(turn = 3)< | `on(...)` is about an event, and this is about a cut | expected a predicate about cuts | help: what holds at a cut is written without `on`"),
    (Kind::Ctl, "", ">< | the formula ends too early | expected a variable, a value or a formula"),
    (Kind::Ctl, "turn =", "turn =>< | the formula ends too early | expected a variable, a value or a formula"),
    (Kind::Ctl, "turn = = 1", "turn = >=< 1 | unexpected `=` | expected a variable, a value or a formula"),
    (Kind::Ctl, "&& turn", ">&&< turn | unexpected `&&` | expected a variable, a value or a formula"),
    (Kind::Ctl, "turn only", "turn >only< | expected an operator before `only` | expected `&&`, `||`, `->`, a comparison or the end of the formula"),
    (Kind::Ctl, "turn implies only", "turn >implies< only | expected an operator before `implies` | expected `&&`, `||`, `->`, a comparison or the end of the formula | help: did you mean `->`?"),
    (Kind::Ctl, "turn = 1 AND only", "turn = 1 >AND< only | expected an operator before `AND` | expected `&&`, `||`, `->`, a comparison or the end of the formula | help: did you mean `&&`?"),
    (Kind::Ctl, "p1.sate = 1", ">p1.sate< = 1 | process `p1` has no variable `sate` | expected a variable of `p1` | help: did you mean `p1.state`?"),
    (Kind::Ctl, "p3.state = 1", ">p3.state< = 1 | unknown variable `p3.state` | no event writes it and `init` does not name it | help: did you mean `p1.state`?"),
    (Kind::Ctl, "state = 1", ">state< = 1 | `state` may mean several variables | expected the name of one variable | help: write `p1.state` or `p2.state`"),
    (Kind::Ctl, "p1.state == crit", r#"p1.state == >crit< | unknown variable `crit` | no event writes it and `init` does not name it | help: a text is quoted: "crit""#),
    (Kind::Ctl, "trun == 1", r#">trun< == 1 | unknown variable `trun` | no event writes it and `init` does not name it | help: did you mean `turn`? a text is quoted: "trun""#),
    (Kind::Ctl, "unknown_thing", ">unknown_thing< | unknown variable `unknown_thing` | no event writes it and `init` does not name it"),
    (Kind::Ctl, "p1", ">p1< | `p1` is a process | expected a variable | help: name a variable of it: `p1.x`"),
    (Kind::Ctl, "done(p7)", "done(>p7<) | unknown process `p7` | expected a process of the trace | help: did you mean `p1`?"),
    (Kind::Ctl, "done(nod-1)", "done(nod>-<1) | unexpected `-` | expected nothing but the name of a process | help: a name with `-` needs backquotes: `node-1`"),
    (Kind::Ctl, "node-1.x = 1", "node-1>.<x = 1 | unexpected `.` | expected an operator or the end of the formula | help: a name with `-` or a leading digit needs backquotes: `node-1`.x"),
    (Kind::Ctl, r#"done("p1")"#, r#"done(>"p1"<) | unexpected text "p1" | expected the name of a process | help: a process stands without quotes, or in backquotes: `p1`"#),
    (Kind::Ctl, "inflight(p1, p2) = 0", "inflight(p1>,< p2) = 0 | unexpected `,` | expected `->` between the sending and the receiving process | help: a channel is written `p -> q`"),
    (Kind::Ctl, "inflight(p1 -> p9) = 0", "inflight(p1 -> >p9<) = 0 | unknown process `p9` | expected a process of the trace | help: did you mean `p1`?"),
    (Kind::Ctl, r#""a" < 3"#, r#">"a"< < 3 | `<` is about numbers | expected a number, this is a text"#),
    (Kind::Ctl, "true + 1 = 2", ">true< + 1 = 2 | `+` is about numbers | expected a number, this is a truth value"),
    (Kind::Ctl, "2 && turn", ">2< && turn | a number is neither true nor false | expected a condition | help: compare it with something"),
    (Kind::Ctl, r#"turn = "a" && "b""#, r#"turn = "a" && >"b"< | a text is neither true nor false | expected a condition | help: compare it with something"#),
    (Kind::Ctl, "(AG turn) = 1", "(>AG< turn) = 1 | `AG` within an expression | expected a predicate without temporal operators"),
    (Kind::Ctl, "count(i in procs: EF i.x) = 1", "count(i in procs: >EF< i.x) = 1 | `EF` within a fold | expected a predicate without temporal operators"),
    (Kind::Possibly, "EF turn", ">EF< turn | `EF` within `possibly` | expected a predicate without temporal operators | help: a formula with temporal operators is given as CTL (`--ctl`) or LTL (`--ltl`)"),
    (Kind::Ctl, "EF { turn ; only }", "EF >{ turn ; only }< | a sequence within a formula | expected a predicate | help: it stands alone behind `possibly` or `definitely`"),
    (Kind::Possibly, "turn && re( only )", "turn && >re( only )< | a regular expression within a formula | expected a predicate | help: it stands alone: `possibly { a ; b }`; both sides of a connective can be properties of their own"),
    (Kind::Possibly, "{ }", ">{ }< | a sequence without a position | expected something like `{ a ; b }`"),
    (Kind::Possibly, "{ turn , only }", "{ turn >,< only } | unexpected `,` | expected `;` or `}` | help: the positions of a sequence are separated by `;`"),
    (Kind::Possibly, "{ turn ; [nevr only] turn }", "{ turn ; [>nevr< only] turn } | unexpected `nevr` | expected `never` or `always` and a predicate"),
    (Kind::Possibly, "{ turn ; [never only turn }", "{ turn ; [never only >turn< } | expected an operator before `turn` | expected `&&`, `||`, `->`, a comparison or the end of the formula"),
    (Kind::Possibly, "{ turn ; EF only }", "{ turn ; >EF< only } | `EF` within a sequence | expected a predicate without temporal operators"),
    (Kind::Possibly, "{ turn ; only", ">{< turn ; only | this `{` is never closed | opened here | help: add the missing `}`"),
    (Kind::Possibly, "{ turn ; trun }", "{ turn ; >trun< } | unknown variable `trun` | no event writes it and `init` does not name it | help: did you mean `turn`?"),
    (Kind::Possibly, "on(p1)", ">on(p1)< | `on(...)` is about an event, and this is about a cut | expected a predicate about cuts | help: events can be named in LTL, in monitors and in sequences `{ a ; b }`"),
    (Kind::Possibly, "re( turn && only . turn )", "re( turn >&&< only . turn ) | unexpected `&&` | expected `.`, `|`, `*`, `+`, `?` or `)` | help: a letter with an operator between predicates stands in parentheses: `re( (a && b) . c )`"),
    (Kind::Possibly, "re( turn* only )", "re( turn* >only< ) | unexpected `only` | expected `.`, `|` or `)` | help: one letter after the other is written `a . b`"),
    (Kind::Possibly, "re( turn.only )", "re( >turn.only< ) | unknown variable `turn.only` | no event writes it and `init` does not name it | help: letters have blanks around the dot between them: `a . b`"),
    (Kind::Possibly, "re( turn . )", "re( turn . >)< | unexpected `)` | expected a variable, a value or a formula"),
    (Kind::Possibly, "re( turn", "re>(< turn | this `(` is never closed | opened here | help: add the missing `)`"),
    (Kind::Ctl, "turn?", "turn>?< | unexpected `?` | expected an operator or the end of the formula | help: a name with special characters needs backquotes"),
    (Kind::Ltl, "on(1 = 1)", "on(>1 = 1<) | an event writes none of this | expected a predicate with a variable | help: `on` asks whether the event wrote a variable of the predicate; what holds after it is written without `on`"),
    (Kind::Ltl, "on(done(p1))", "on(>done(p1)<) | an event writes none of this | expected a predicate with a variable | help: `on` asks whether the event wrote a variable of the predicate; what holds after it is written without `on`"),
    (Kind::Ltl, "on(turn = 1 && on(p1))", "on(turn = 1 && >on(p1)<) | `on(...)` within `on` | expected a predicate about the variables an event writes | help: write `on(P) && on(\"label\")`"),
    (Kind::Ltl, "count(on(p1), turn) = 1", "count(>on(p1)<, turn) = 1 | `on(...)` within a fold | expected a predicate about cuts | help: combine it by `!`, `&&`, `||` and `->`"),
    (Kind::Ltl, "on(G turn)", "on(>G< turn) | `G` within `on` | expected a predicate without temporal operators | help: a formula with temporal operators is given as CTL (`--ctl`) or LTL (`--ltl`)"),
    (Kind::Ltl, "on(p7)", "on(>p7<) | `p7` is neither a process nor a variable | expected a process, a label in double quotes or a predicate | help: did you mean `p1`?"),
    (Kind::Ltl, "(turn U only) = 1", "(>turn U only<) = 1 | `U` within an expression | expected a predicate without temporal operators"),
    (Kind::Ltl, "F { turn ; only }", "F >{ turn ; only }< | a sequence within a formula | expected a predicate | help: it stands alone behind `possibly` or `definitely`"),
    (Kind::Monitor, "{ }", ">{ }< | the monitor has no edges | expected something like `s0 -> s1 on x = 1`"),
    (Kind::Monitor, "{ start a; a -> b on turn = 1 }", ">{ start a; a -> b on turn = 1 }< | the monitor has no bad state | expected `bad s` for the states that are a violation | help: without one it never finds anything"),
    (Kind::Monitor, "{ a -> b on turn = 1; bad b }", ">{ a -> b on turn = 1; bad b }< | the monitor starts nowhere | expected `start s` | help: for example `start a`"),
    (Kind::Monitor, "{ start a; start b; a -> b on turn = 1; bad b }", "{ start a; start >b<; a -> b on turn = 1; bad b } | a second start of one monitor | expected exactly one `start s`"),
    (Kind::Monitor, "{ start idle; idle -> oops on turn = 1; bad ops, x }", "{ start idle; idle -> oops on turn = 1; bad >ops<, x } | unknown state `ops` | expected a state of some edge | help: did you mean `oops`?
{ start idle; idle -> oops on turn = 1; bad ops, >x< } | unknown state `x` | expected a state of some edge"),
    (Kind::Monitor, "{ start a; a -> b on done(p1); bad b }", "{ start a; a -> b on >done(p1)<; bad b } | an event writes none of this | expected a predicate with a variable | help: `on` asks whether the event wrote a variable of the predicate; what holds after it is written `when P`"),
    (Kind::Monitor, "{ start a; a -> b turn = 1; bad b }", "{ start a; a -> b >turn< = 1; bad b } | unexpected `turn` | expected `on P` or `when P` behind the states | help: `on P`: the event wrote a variable of P and P holds now; `when P`: P holds after the event"),
    (Kind::Monitor, "{ strat a; a -> b on turn; bad b }", "{ >strat< a; a -> b on turn; bad b } | unexpected `strat` | expected `start s`, `bad s` or an edge `s -> t on P` | help: did you mean `start`?"),
    (Kind::Monitor, "{ start 0; 0 -> 1 on turn; bad 1 }", "{ start >0<; 0 -> 1 on turn; bad 1 } | unexpected number 0 | expected the name of a state | help: a name of digits needs backquotes: `0`
{ start 0; >0< -> 1 on turn; bad 1 } | unexpected number 0 | expected the name of a state | help: a name of digits needs backquotes: `0`
{ start 0; 0 -> 1 on turn; bad >1< } | unexpected number 1 | expected the name of a state | help: a name of digits needs backquotes: `0`"),
    (Kind::Monitor, "{ start a; a -> b when G turn; bad b }", "{ start a; a -> b when >G< turn; bad b } | `G` within a monitor | expected a predicate without temporal operators"),
    (Kind::Monitor, "{ start a; a -> b when turn turn; bad b }", "{ start a; a -> b when turn >turn<; bad b } | unexpected `turn` | expected `;`, a new line or `}` behind the statement"),
    (Kind::Monitor, "turn = 1", ">turn< = 1 | unexpected `turn` | expected `{` and the states of the monitor"),
    (Kind::Automaton, "turn = 1", "><turn = 1 | an automaton is not written as a formula | expected a property of another kind | help: a monitor is written `{ start s; s -> t on P; bad t }`"),
    (Kind::Ctl, "forall i procs: i.x", "forall i >procs<: i.x | unexpected `procs` | expected `in procs` behind the bound names"),
    (Kind::Ctl, "forall i in proc: i.x", r#"forall i in >proc<: i.x | unexpected `proc` | expected `procs` or `procs("glob*")` | help: bound names range over the processes of the trace"#),
    (Kind::Ctl, "forall i in procs i.x", "forall i in procs >i<.x | unexpected `i` | expected `:` and the property that is quantified"),
    (Kind::Ctl, "forall i, i in procs: i.x", "forall i, >i< in procs: i.x | `i` is bound twice | expected a new name"),
    (Kind::Ctl, "forall true in procs: turn", "forall >true< in procs: turn | `true` is a word of the language | expected another name"),
    (Kind::Ctl, "forall i in procs: AG i.sate = 1", "forall i in procs: AG >i.sate< = 1 | no process has a variable `sate` | `i` ranges over no process | help: did you mean `i.state`?"),
    (Kind::Ctl, r#"forall i in procs("worker*"): AG i.x = 1"#, r#"forall i in >procs("worker*")<: AG i.x = 1 | no process matches "worker*" | expected some process | help: the processes are `p1`, `p2`, `node-1`"#),
    (Kind::Ctl, "forall i in procs where i.x = 1: AG i.x = 1", "forall i in procs where >i.x< = 1: AG i.x = 1 | a condition compares bound names and processes | expected something like `i != j` | help: conditions on values belong into the property, behind the colon"),
    (Kind::Ctl, "forall i in procs where i != p9: AG i.x = 1", "forall i in procs where i != >p9<: AG i.x = 1 | unknown process `p9` | expected a process of the trace | help: did you mean `p1`?"),
    (Kind::Ctl, "forall i in procs: AG i", "forall i in procs: AG >i< | `i` is a process | expected a value | help: name a variable through it: `i.x`"),
    (Kind::Ctl, "crit(p1)", ">crit<(p1) | unknown definition `crit` | expected a function or a `let` of the property file"),
    (Kind::Ctl, "stps(p1) = 0", ">stps<(p1) = 0 | unknown definition `stps` | expected a function or a `let` of the property file | help: did you mean `steps`?"),
    (Kind::Ctl, r#""abc"#, r#">"<abc | this text is never closed | opened here | help: close it with a double quote on the same line"#),
    (Kind::Ctl, "`abc", ">`<abc | this name is never closed | opened here | help: close it with a backquote on the same line"),
    (Kind::Ctl, r#""a\qb" = turn"#, r#""a>\q<b" = turn | unknown escape `\q` | expected \\, \", \', \`, \n, \t, \r or \u{...} | help: a backslash itself is written `\\`"#),
    (Kind::Ctl, "turn = 1e9", "turn = >1e9< | `1e9` is not a number | expected digits, or digits `.` digits | help: a name that starts with a digit needs backquotes: `1e9`"),
    (Kind::Ctl, "turn @ 1", "turn >@< 1 | unknown character `@` | no formula contains this | help: a name with special characters needs backquotes"),
    (Kind::Ctl, "turn = “a”", r#"turn = >“<a” | unknown character `“` | no formula contains this | help: texts stand in plain double quotes: "text"
turn = “a>”< | unknown character `”` | no formula contains this | help: texts stand in plain double quotes: "text""#),
    (Kind::Ctl, "p1.0 = 1", "p1.>0< = 1 | unexpected number 0 | expected the name of a variable | help: a name of digits needs backquotes: p.`0`"),
    (Kind::Ctl, "turn ≤ 3 ∧ only", "turn >≤< 3 ∧ only | unknown operator `≤` | expected `<=` | help: less or equal is written `<=`
turn ≤ 3 >∧< only | unknown operator `∧` | expected `&&` | help: conjunction is written `&&`"),
    (Kind::Ltl, "AG turn", ">AG< turn | `AG` is an operator of CTL | expected an operator of LTL: X N F G U W R M | help: LTL speaks of every run by itself; give the formula as CTL (`--ctl`)"),
    (Kind::Ltl, "E[turn U only]", ">E<[turn U only] | `E` is an operator of CTL | expected an operator of LTL: X N F G U W R M | help: LTL speaks of every run by itself; give the formula as CTL (`--ctl`)"),
    (Kind::Ltl, "turn U", "turn U>< | the formula ends too early | expected a variable, a value or a formula"),
    (Kind::Ctl, "min(i in procs where i != i: i.x) = 0", "min(>i in procs where i != i<: i.x) = 0 | `min` of no processes at all | expected at least one"),
    (Kind::Ctl, "EF unknown && trun = 1 => only", "EF unknown && trun = 1 >=>< only | unknown operator `=>` | expected `->` | help: implication is written `->`"),
    (Kind::Ctl, "turn = 1;", "turn = 1>;< | unexpected `;` | expected an operator or the end of the formula"),
    (Kind::Ctl, "count(p1.x p2.x) = 1", "count(p1.x >p2<.x) = 1 | expected an operator before `p2` | expected `&&`, `||`, `->`, a comparison or the end of the formula"),
    (Kind::Ctl, "turn = (only", "turn = >(<only | this `(` is never closed | opened here | help: add the missing `)`"),
    (Kind::Ctl, r#"turn == "a" "b""#, r#"turn == "a" >"b"< | expected an operator before text "b" | expected `&&`, `||`, `->`, a comparison or the end of the formula"#),
    (Kind::Ctl, "A turn", "A >turn< | expected an operator before `turn` | expected `&&`, `||`, `->`, a comparison or the end of the formula | help: write `AG f`, `AF f`, `AX f` or `A[f U g]`"),
    (Kind::Ctl, "AG", ">AG< | unknown variable `AG` | as an operator it needs a formula behind it | help: write `AG f`"),
    (Kind::Ctl, "!", "!>< | the formula ends too early | expected a variable, a value or a formula"),
    (Kind::Ctl, r#"on(p1 "x")"#, r#"on(p1 >"x"<) | expected an operator before text "x" | expected `&&`, `||`, `->`, a comparison or the end of the formula"#),
];

#[test]
fn formulas() {
    for (kind, text, wanted) in CASES {
        let errors = check(*kind, text).expect_err(text);
        assert_eq!(draw_all(text, &errors), *wanted, "{text}");
    }
}

/// A property file and every error in it.
fn refuses(text: &str, wanted: &[&str]) {
    let errors = PropertyFile::parse(text).expect_err(text);
    assert_eq!(draw_all(text, &errors), wanted.join("\n"), "{text}");
}

#[test]
fn property_files() {
    refuses(
        "let a = b\nlet b = c(1)\nlet c(x) = a && x\nproperty p: ctl a",
        &["let >a< = b | the definition of `a` uses itself \
           | expected a definition in terms of others | help: it is expanded through a -> b -> c -> a"],
    );
    refuses(
        "property p: ctl x =\nproperty q: clt x\nproperty p: ctl (y\nlet true = 1",
        &[
            "property p: ctl x =>< | the formula ends too early | expected a variable, a value or a formula",
            "property q: >clt< x | unknown kind of property `clt` \
             | expected a kind: ctl, ltl, possibly, definitely or mu | help: did you mean `ctl`?",
            "property p: ctl >(<y | this `(` is never closed | opened here | help: add the missing `)`",
            "let >true< = 1 | `true` is a word of the language | expected another name",
        ],
    );
    refuses(
        "property p: ctl x\nproperty p: ctl y\nlet f(a, a) = 1\nlet g = 1\nlet g = 2",
        &[
            "property >p<: ctl y | two properties are called `p` | expected a new name | help: the first is on line 1",
            "let f(a, >a<) = 1 | two parameters are called `a` | expected a new name",
            "let >g< = 2 | two definitions are called `g` | expected a new name | help: the first is on line 4",
        ],
    );
    refuses(
        "let f(a) = a\nproperty p: ctl f(1)\npropery q: ctl x",
        &[
            ">propery< q: ctl x | expected an operator before `propery` \
           | expected `&&`, `||`, `->`, a comparison or the end of the formula | help: did you mean `property`?",
        ],
    );
    refuses(
        "let f(a) = a\nproperty p: ctl f(1, 2) && ff(3)",
        &[
            "property p: ctl >f<(1, 2) && ff(3) | `f` takes 1 argument, not 2 | expected 1 argument | help: it is defined as `f(a)`",
            "property p: ctl f(1, 2) && >ff<(3) | unknown definition `ff` | expected a function or a `let` of the property file",
        ],
    );
    refuses(
        "x = 1\nproperty p: ctl x",
        &[">x< = 1 | unexpected `x` | expected `let`, `property` or `monitor`"],
    );
    refuses(
        "property: ctl x",
        &["property>:< ctl x | unexpected `:` | expected the name of the property"],
    );
    refuses(
        "property p ctl x",
        &["property p >ctl< x | unexpected `ctl` | expected `:` behind the name of the property"],
    );
    refuses(
        "property p: x = 1",
        &["property p: >x< = 1 | unknown kind of property `x` \
           | expected a kind: ctl, ltl, possibly, definitely or mu"],
    );
    refuses(
        "property p: ctl",
        &["property p: ctl>< | the formula ends too early | expected a formula"],
    );
    refuses(
        "monitor m { start s0; s0 -> s1 on (x = 1; }",
        &["monitor m { start s0; s0 -> s1 on (x = 1; >}< | `}` does not close `(` | expected `)`"],
    );
    refuses(
        "monitor m { start s0;",
        &[
            "monitor m >{< start s0; | this `{` is never closed | opened here | help: add the missing `}`",
        ],
    );
}

#[test]
fn dotted_names_that_can_be_split_in_two_ways() {
    let town = Town::with(
        &["a", "a.b"],
        &[(None, "a.b.c"), (Some(0), "b.c"), (Some(1), "c")],
    );
    let read = |text: &str| {
        let property = Property::parse(Kind::Ctl, "t", text).expect("readable");
        lower(&property, &Lets::none(), &town)
    };
    let text = "a.b.c = 1";
    let errors = read(text).expect_err("ambiguous");
    assert_eq!(
        draw_all(text, &errors),
        ">a.b.c< = 1 | `a.b.c` may mean several variables | expected the name of one variable \
         | help: write `a.b.c`, a.`b.c` or `a.b`.c"
    );
    for (text, wanted) in [("`a.b.c` = 1", 0), ("a.`b.c` = 1", 1), ("`a.b`.c = 1", 2)] {
        let lowered = read(text).unwrap_or_else(|errors| panic!("{errors:?}"));
        assert_eq!(lowered.mentions[0].0.0, wanted, "{text}");
    }
}

#[test]
fn all_unknown_names_are_reported_at_once() {
    let text = "AG (unknown = 1 -> done(p9)) && p1.y < other + 1";
    let errors = check(Kind::Ctl, text).expect_err("unknown names");
    assert_eq!(errors.len(), 4, "{}", draw_all(text, &errors));
}

#[test]
fn processes_are_no_values() {
    let text = "forall i in procs: AG turn = i";
    let errors = check(Kind::Ctl, text).expect_err("a process is no value");
    assert_eq!(
        draw_all(text, &errors),
        "forall i in procs: AG >turn< = i | a process is compared with a value \
         | expected a bound name or a process \
         | help: a bound name stands for a process, not for its name or number"
    );
}
