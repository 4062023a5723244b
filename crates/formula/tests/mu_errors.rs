//! What is said about formulas of the mu-calculus that are wrong: the place, the words, the way out.
//!
//! Each case shows the line with the underlined part between `>` and `<`, then the message, what was expected there, and
//! the suggestion.

mod common;

use causet_base::Diagnostic;
use causet_formula::mu;
use common::draw_all;

/// Reads and lowers a formula; one library can be found.
fn check(text: &str) -> Result<(), Vec<Diagnostic>> {
    let libraries = |name: &str| match name {
        "broken.mcl" => Some(
            "-- A macro.\nmacro GOOD (A) = <A> true end_macro\nmacro BAD (A = <A> true end_macro"
                .to_owned(),
        ),
        "formula.mcl" => Some("macro M = <a> true end_macro\n[a] false".to_owned()),
        "wrong.mcl" => Some("\n  macro W (A) = <A> and true end_macro".to_owned()),
        "round.mcl" => {
            Some("library round.mcl end_library macro R (A) = <A> true end_macro".to_owned())
        }
        "nested.mcl" => Some("library missing.mcl end_library".to_owned()),
        _ => None,
    };
    mu::read(text, &libraries)?.lower().map(drop)
}

const CASES: &[(&str, &str)] = &[
    ("", ">< | the formula ends too early | expected a formula"),
    (
        "   ",
        "   >< | the formula ends too early | expected a formula",
    ),
    (
        "<a>",
        "><a>< | a modality needs a formula behind it | expected a formula after this | help: write `<a> true` for: such a step is possible",
    ),
    (
        "[a]",
        ">[a]< | a modality needs a formula behind it | expected a formula after this | help: write `[a] false` for: no such step is possible",
    ),
    (
        "<a> and true",
        "><a>< and true | a modality needs a formula behind it | expected a formula after this | help: write `<a> true` for: such a step is possible",
    ),
    (
        "(<a>)",
        "(><a><) | a modality needs a formula behind it | expected a formula after this | help: write `<a> true` for: such a step is possible",
    ),
    (
        "[a] )",
        ">[a]< ) | a modality needs a formula behind it | expected a formula after this | help: write `[a] false` for: no such step is possible",
    ),
    (
        "(<a> true",
        ">(<<a> true | this `(` is never closed | opened here | help: add the missing `)`",
    ),
    (
        "<a true",
        "<a >true< | unexpected `true` | expected `.`, `|`, `*`, an operator of actions or `>` | help: one step after the other is written `a . b`; a label with a blank stands in double quotes",
    ),
    (
        "<a] true",
        "<a>]< true | `]` does not close `<` | expected `>`",
    ),
    (
        "[a> true",
        "[a>>< true | `>` does not close `[` | expected `]`",
    ),
    (
        "<a b> true",
        "<a >b<> true | unexpected `b` | expected `.`, `|`, `*`, an operator of actions or `>` | help: one step after the other is written `a . b`; a label with a blank stands in double quotes",
    ),
    (
        "<send-1> true",
        "<send>-<1> true | unexpected `-` | expected `.`, `|`, `*`, an operator of actions or `>` | help: a label with special characters stands in double quotes",
    ),
    (
        "<PUT !3> true",
        "<PUT >!<3> true | unexpected `!` | expected `.`, `|`, `*`, an operator of actions or `>` | help: a label with offers is written in braces, `{PUT !3}`, or in double quotes",
    ),
    (
        "<a @ 3> true",
        "<a >@< 3> true | unexpected `@` | expected `.`, `|`, `*`, an operator of actions or `>` | help: time is not part of the labels",
    ),
    (
        "<a, b> true",
        "<a>,< b> true | unexpected `,` | expected `.`, `|`, `*`, an operator of actions or `>` | help: a choice between steps is written `a | b`, one after the other `a . b`",
    ),
    (
        "<a && > true",
        "<a && >>< true | unexpected `>` | expected an action",
    ),
    (
        "<> ",
        "><><  | a modality needs a formula behind it | expected a formula after this | help: write `<true> true` for: such a step is possible",
    ),
    (
        "<a.> true",
        "<a.>>< true | unexpected `>` | expected an action",
    ),
    (
        "<*> true",
        "<>*<> true | unexpected `*` | expected an action",
    ),
    (
        "a",
        ">a< | unbound variable `a` | expected a variable of a fixpoint around this | help: a variable is bound by `mu a. F` or `nu a. F`; a label stands in a modality: `<a> true`",
    ),
    (
        r#""a""#,
        r#">"a"< | unexpected label "a" | expected a formula | help: a label stands in a modality: `<"a"> true`"#,
    ),
    (
        "'a.*'",
        ">'a.*'< | unexpected expression 'a.*' | expected a formula | help: a label stands in a modality: `<'a.*'> true`",
    ),
    (
        "tau",
        ">tau< | `tau` is an action, not a formula | expected a formula | help: write `<tau> true` for: such a step is possible",
    ),
    (
        "Y",
        ">Y< | unbound variable `Y` | expected a variable of a fixpoint around this | help: a variable is bound by `mu Y. F` or `nu Y. F`; a label stands in a modality: `<Y> true`",
    ),
    (
        "mu X. Z",
        "mu X. >Z< | unbound variable `Z` | expected a variable of a fixpoint around this | help: a variable is bound by `mu Z. F` or `nu Z. F`; a label stands in a modality: `<Z> true`",
    ),
    (
        "mu Loop. <a> Lop",
        "mu Loop. <a> >Lop< | unbound variable `Lop` | expected a variable of a fixpoint around this | help: did you mean `Loop`?",
    ),
    (
        "mu X <a> X",
        "mu X ><<a> X | unexpected `<` | expected `.` behind `X`",
    ),
    (
        "mu X = <a> X",
        "mu X >=< <a> X | unexpected `=` | expected `.` behind `X` | help: a fixpoint is written `mu X. F`",
    ),
    (
        "mu true. X",
        "mu >true<. X | `true` is a word of the language | expected the name of a variable",
    ),
    (
        "mu ",
        "mu><  | the formula ends too early | expected the name of a variable",
    ),
    (
        "mu X(n: Nat = 0). <a> X",
        "mu X>(<n: Nat = 0). <a> X | the variable `X` has parameters | expected a variable alone | help: fixpoints with data are not read; write one fixpoint for each value",
    ),
    (
        "mu X. <a> X(1)",
        "mu X. <a> >X<(1) | the variable `X` has parameters | expected a variable alone | help: fixpoints with data are not read; write one fixpoint for each value",
    ),
    (
        "mu X. not X",
        "mu X. not >X< | `X` stands under an odd number of negations within `mu X` | expected it under an even number of negations | help: the negation at line 1, column 7 turns it around; a fixpoint (here `mu X`, at line 1, column 1) has to be monotone in its variable",
    ),
    (
        "nu X. <a> not (X and <b> true)",
        "nu X. <a> not (>X< and <b> true) | `X` stands under an odd number of negations within `nu X` | expected it under an even number of negations | help: the negation at line 1, column 11 turns it around; a fixpoint (here `nu X`, at line 1, column 1) has to be monotone in its variable",
    ),
    (
        "mu X. X implies true",
        "mu X. >X< implies true | `X` stands under an odd number of negations within `mu X` | expected it under an even number of negations | help: being the left side of the implication at line 1, column 7 turns it around; a fixpoint (here `mu X`, at line 1, column 1) has to be monotone in its variable",
    ),
    (
        "mu X. (X equ true)",
        "mu X. (>X< equ true) | `X` stands under an odd number of negations within `mu X` | expected it under an even number of negations | help: the equivalence at line 1, column 8 turns it around; a fixpoint (here `mu X`, at line 1, column 1) has to be monotone in its variable",
    ),
    (
        "mu X. [a*] X",
        "mu X. [>a*<] X | `[a*]` is a greatest fixpoint and stands inside `mu X`, which it depends on | the cycle is X -> [a*] -> X | help: `mu X` is at line 1, column 1; only alternation-free formulas are decided: keep `X` out of `[a*]`, or make both fixpoints least or both greatest",
    ),
    (
        "mu X. <b> true or [c . a* . b] X",
        "mu X. <b> true or [c . >a*< . b] X | `[a*]` is a greatest fixpoint and stands inside `mu X`, which it depends on | the cycle is X -> [a*] -> X | help: `mu X` is at line 1, column 1; only alternation-free formulas are decided: keep `X` out of `[a*]`, or make both fixpoints least or both greatest",
    ),
    (
        "nu X. mu Y. <a> X or <b> Y",
        "nu X. >mu Y. <a> X or <b> Y< | `mu Y` is a least fixpoint and stands inside `nu X`, which it depends on | the cycle is X -> Y -> X | help: `nu X` is at line 1, column 1; only alternation-free formulas are decided: keep `X` out of `mu Y`, whose body goes on to the next `)`, or make both fixpoints least or both greatest",
    ),
    (
        "nu X. [a] mu Y. <b> true or <c> Y and [d] X",
        "nu X. [a] >mu Y. <b> true or <c> Y and [d] X< | `mu Y` is a least fixpoint and stands inside `nu X`, which it depends on | the cycle is X -> Y -> X | help: `nu X` is at line 1, column 1; only alternation-free formulas are decided: keep `X` out of `mu Y`, whose body goes on to the next `)`, or make both fixpoints least or both greatest",
    ),
    (
        "mu X. not <a*> not X",
        "mu X. not <>a*<> not X | `<a*>` under a negation is a greatest fixpoint and stands inside `mu X`, which it depends on | the cycle is X -> <a*> -> X | help: `mu X` is at line 1, column 1; only alternation-free formulas are decided: keep `X` out of `<a*>`, or make both fixpoints least or both greatest",
    ),
    (
        "not mu X. [a+] X",
        "not mu X. [>a+<] X | `[a+]` is a greatest fixpoint and stands inside `mu X`, which it depends on | the cycle is X -> [a+] -> X | help: `mu X` is at line 1, column 5; only alternation-free formulas are decided: keep `X` out of `[a+]`, or make both fixpoints least or both greatest",
    ),
    (
        "@(true* . tau)",
        "@(>true*< . tau) | `<true*>` is a least fixpoint and stands inside `@(true* . tau)`, which it depends on | the cycle is @(true* . tau) -> <true*> -> @(true* . tau) | help: `@(true* . tau)` is at line 1, column 1; only alternation-free formulas are decided: what is repeated for ever can have no repetitions in it",
    ),
    (
        "AG true",
        ">AG< true | `AG` is a macro of the library ctl.mcl | expected the library before the formula | help: add `library ctl.mcl end_library` before the formula, and write `AG(...)`",
    ),
    (
        "AG(true)",
        ">AG<(true) | `AG` is a macro of the library ctl.mcl | expected the library before the formula | help: add `library ctl.mcl end_library` before the formula",
    ),
    (
        "library ctl.mcl end_library AG true",
        "library ctl.mcl end_library >AG< true | the macro `AG` needs 1 argument | expected 1 argument | help: it is defined as `macro AG (F)`, line 9, column 1 of the library ctl.mcl",
    ),
    (
        "library ctl.mcl end_library AG()",
        "library ctl.mcl end_library >AG<() | the macro `AG` needs 1 argument | expected 1 argument | help: it is defined as `macro AG (F)`, line 9, column 1 of the library ctl.mcl",
    ),
    (
        "library ctl.mcl end_library AG(true, false)",
        "library ctl.mcl end_library >AG<(true, false) | the macro `AG` takes 1 argument, not 2 | expected 1 argument | help: it is defined as `macro AG (F)`, line 9, column 1 of the library ctl.mcl",
    ),
    (
        "library ctl.mcl end_library AGG(true)",
        "library ctl.mcl end_library >AGG<(true) | unknown macro `AGG` | expected a macro of this text or of its libraries | help: did you mean `AG`?",
    ),
    (
        "library ctll.mcl end_library true",
        "library >ctll.mcl< end_library true | unknown library `ctll.mcl` | expected a file, or one of standard.mcl, actl.mcl, ctl.mcl, patterns.mcl | help: did you mean `ctl.mcl`?",
    ),
    (
        "library end_library true",
        ">library< end_library true | a library without a name | expected the names of libraries behind this | help: write `library ctl.mcl, actl.mcl end_library`",
    ),
    (
        "library ctl.mcl AG(true)",
        ">library< ctl.mcl AG(true) | this `library` is never closed | opened here | help: add the missing `end_library`",
    ),
    (
        "library broken.mcl end_library GOOD(a)",
        "library >broken.mcl< end_library GOOD(a) | in the library broken.mcl, line 3, column 14: unexpected `=` | expected `)` or another parameter | help: a macro is written `macro NAME (A, B) = ... end_macro`",
    ),
    (
        "library formula.mcl end_library M",
        "library >formula.mcl< end_library M | in the library formula.mcl, line 2, column 1: unexpected `[` | expected a library with `macro ... end_macro` and nothing else",
    ),
    (
        "library wrong.mcl end_library [b] false and W(a)",
        "library wrong.mcl end_library [b] false and >W(a)< | in the macro `W`, line 2, column 3 of the library wrong.mcl: a modality needs a formula behind it | expected a formula after this | help: write `<a> true` for: such a step is possible",
    ),
    (
        "library nested.mcl end_library true",
        "library >nested.mcl< end_library true | in the library nested.mcl, line 1, column 9: unknown library `missing.mcl` | expected a file, or one of standard.mcl, actl.mcl, ctl.mcl, patterns.mcl",
    ),
    (
        "macro M (A) = <A> N(A) end_macro macro N (A) = [A] M(A) end_macro M(a)",
        "macro M (A) = <A> N(A) end_macro macro N (A) = [A] M(A) end_macro >M(a)< | the macro `M` uses itself | expected a macro in terms of others | help: it is expanded through M -> N -> M",
    ),
    (
        "macro M (A, A) = <A> true end_macro M(a)",
        "macro M (A, >A<) = <A> true end_macro M(a) | two parameters are called `A` | expected a new name",
    ),
    (
        "macro M (A) <A> true end_macro M(a)",
        "macro M (A) ><<A> true end_macro M(a) | unexpected `<` | expected `=` and the text of the macro | help: a macro is written `macro NAME (A, B) = ... end_macro`",
    ),
    (
        "macro M (A) = end_macro M(a)",
        "macro M (A) =>< end_macro M(a) | the macro ends too early | expected the text of the macro | help: a macro is written `macro NAME (A, B) = ... end_macro`",
    ),
    (
        "macro M (A) = <A> true M(a)",
        ">macro< M (A) = <A> true M(a) | this `macro` is never closed | opened here | help: add the missing `end_macro`",
    ),
    (
        "macro M (A) = <A> true end_macro macro M = true end_macro true",
        "macro M (A) = <A> true end_macro macro >M< = true end_macro true | two macros are called `M` | expected a new name | help: the first is on line 1, column 1",
    ),
    (
        "macro M (A) = <A> true end_macro M(a",
        "macro M (A) = <A> true end_macro M>(<a | this `(` is never closed | opened here | help: add the missing `)` behind the arguments of `M`",
    ),
    (
        "macro M (A, B) = <A> <B> true end_macro M(a, )",
        "macro M (A, B) = <A> <B> true end_macro M(a, >)< | an empty argument of the macro `M` | expected an argument before this",
    ),
    (
        "macro M (A) = <A> true end_macro M(a*.)",
        "macro M (A) = <A> true end_macro >M(a*.)< | in the macro `M`, line 1, column 1: unexpected `)` | expected an action",
    ),
    (
        "true macro M = true end_macro",
        "true >macro< M = true end_macro | expected an operator before `macro` | expected `and`, `or`, `implies`, `equ` or the end of the formula | help: libraries and macros stand before the formula",
    ),
    (
        "<'a(b'> true",
        r#"<'a>(<b'> true | bad regular expression: unclosed group | in this expression | help: a label as it is stands in double quotes; a backslash makes a sign a letter: `\(`"#,
    ),
    (
        "<'[z-a]'> true",
        r#"<'[>z-a<]'> true | bad regular expression: invalid character class range, the start must be <= the end | in this expression | help: a label as it is stands in double quotes; a backslash makes a sign a letter: `\(`"#,
    ),
    (
        r#"<'(a)\1'> true"#,
        r#"<'(a)>\1<'> true | bad regular expression: backreferences are not supported | in this expression | help: a label as it is stands in double quotes; a backslash makes a sign a letter: `\(`"#,
    ),
    (
        "<'a> true",
        "<>'<a> true | this regular expression is never closed | opened here | help: close it with a single quote on the same line",
    ),
    (
        r#"<"a> true"#,
        r#"<>"<a> true | this label is never closed | opened here | help: close it with a double quote on the same line"#,
    ),
    (
        "<“a”> true",
        r#"<>“<a”> true | unexpected `“` | expected an action | help: a label stands in plain double quotes: "text""#,
    ),
    (
        "true & false",
        "true >&< false | unexpected `&` | expected an operator or the end of the formula | help: conjunction is written `and` or `&&`",
    ),
    (
        "true | false",
        "true >|< false | unexpected `|` | expected an operator or the end of the formula | help: disjunction is written `or` or `||`",
    ),
    (
        "~true",
        ">~<true | unexpected `~` | expected a formula | help: negation is written `not` or `!`",
    ),
    (
        "true AND false",
        "true >AND< false | expected an operator before `AND` | expected `and`, `or`, `implies`, `equ` or the end of the formula | help: did you mean `and`?",
    ),
    (
        "true true",
        "true >true< | expected an operator before `true` | expected `and`, `or`, `implies`, `equ` or the end of the formula",
    ),
    (
        "true . false",
        "true >.< false | unexpected `.` | expected an operator or the end of the formula | help: `.` joins or repeats steps, within `<...>` and `[...]`",
    ),
    (
        "true -| false",
        "true >-|< false | unexpected `-|` | expected an operator or the end of the formula | help: `-|` stands directly behind `[R]`",
    ),
    (
        "@ a",
        "@ >a< | unexpected `a` | expected `(` and a regular formula | help: infinite looping is written `@(R)`, or `<R> @`",
    ),
    (
        "@(a",
        "@>(<a | this `(` is never closed | opened here | help: add the missing `)`",
    ),
    (
        "and true",
        ">and< true | unexpected `and` | expected a formula | help: the left side of `and` is missing",
    ),
    (
        "<exists n: Nat. pair(n, n)> true",
        "<exists n: Nat. >pair(n, n)<> true | `n` has to be the same value in several places | expected every bound name at most once | help: labels are compared with patterns, which know no equal values; write one action for each value",
    ),
    (
        "<exists n: Nat. put(n) && !get(n)> true",
        "<exists n: Nat. >put(n) && !get(n)<> true | `n` has to be the same value in several places | expected every bound name at most once | help: labels are compared with patterns, which know no equal values; write one action for each value",
    ),
    (
        "<forall n: Nat. put(n)> true",
        "<>forall n: Nat. put(n)<> true | no single label has every value for `n` | expected `exists` | help: `exists n: S. A` is a step with any value; what must hold for all values is said of every such step: `[exists n: S. A] F`",
    ),
    (
        "<exists n: Nat. put(n+1)> true",
        "<exists n: Nat. put(>n<+1)> true | `n` within a larger value | expected a bound name alone | help: values are compared as texts and never computed",
    ),
    (
        "<exists n: Nat. n> true",
        "<exists n: Nat. >n<> true | `n` is a value, not an action | expected an action | help: a value stands within a label: `put(n)`",
    ),
    (
        "<exists n: Nat put(n)> true",
        "<exists n: Nat put(n)>>< true | unexpected `>` | expected `.` and an action | help: write `exists n: Nat. put(n)`",
    ),
    (
        "forall n: Nat. <put(n)> true",
        ">forall< n: Nat. <put(n)> true | `forall` outside of an action | expected a formula without data | help: values can be bound within an action: `[exists n: Nat. put(n)] F`",
    ),
    (
        "val(true)",
        ">val<(true) | `val` is not part of this language | expected a formula without data and time",
    ),
    (
        "<val(true)> true",
        "<>val<(true)> true | `val` takes no values | expected the name of an action | help: data expressions are not evaluated",
    ),
    (
        "<true(3)> true",
        r#"<>true<(3)> true | `true` takes no values | expected the name of an action | help: a label that starts so stands in double quotes: "true(...)""#,
    ),
    (
        "<put()> true",
        "<put(>)<> true | unexpected `)` | expected a value | help: `_` stands for any value",
    ),
    (
        "<put(3> true",
        "<put>(<3> true | this `(` is never closed | opened here | help: add the missing `)`",
    ),
    (
        "<{PUT !3> true",
        "<>{<PUT !3> true | this `{` is never closed | opened here | help: add the missing `}`",
    ),
    (
        "<{PUT 3}> true",
        "<{PUT >3<}> true | unexpected `3` | expected `!value`, `?name:type`, `...` or `}` | help: a label with offers is written `{PUT !3 !_ ...}`",
    ),
    (
        "<{}> true",
        "<{>}<> true | unexpected `}` | expected the name of a gate | help: a label with offers is written `{PUT !3 !_ ...}`",
    ),
    (
        "<{PUT !3 where x}> true",
        "<{PUT !3 >where< x}> true | unexpected `where` | expected `!value`, `?name:type`, `...` or `}` | help: conditions on values are not read",
    ),
    (
        "<_> true",
        "<>_<> true | unexpected `_` | expected an action | help: `any` stands for any label; `_` for any value within one: `put(_)`",
    ),
    (
        "<not (a | b)> true",
        r#"<not (>a | b<)> true | `not` is about single steps, and this is a choice | expected an action | help: between actions write `or`; the label of a multi-action stands in double quotes: "a|b""#,
    ),
    (
        "<a* and b> true",
        "<a* >and< b> true | unexpected `and` | expected `.`, `|`, `*`, an operator of actions or `>`",
    ),
    (
        "<not (a . b)> true",
        "<not (>a . b<)> true | `not` is about single steps, and this is a sequence | expected an action | help: actions are about one step",
    ),
    (
        "<nil or a> true",
        "<>nil< or a> true | `or` is about single steps, and this is no step at all | expected an action | help: no label at all is `false`",
    ),
    (
        "act a; <a> true",
        ">act< a; <a> true | `act` declares something, and no formula follows | expected `form` and a formula behind the declarations | help: declarations are not needed and can be left out",
    ),
    (
        "map f: Nat; form <a> true;",
        ">map< f: Nat; form <a> true; | `map` defines data | expected a formula without data | help: values in labels are compared as texts: `put(3)`, `put(_)`",
    ),
    (
        "(* open <a> true",
        ">(*< open <a> true | this comment is never closed | opened here | help: close it with `*)`, or write `( *` if no comment was meant",
    ),
    (
        "true;;",
        "true;>;< | unexpected `;` | expected an operator or the end of the formula",
    ),
    (
        "<a = b> true",
        "<a >=< b> true | unexpected `=` | expected `.`, `|`, `*`, an operator of actions or `>` | help: there are no comparisons; `<` opens a modality `<R> F`",
    ),
    (
        "<a?b> true",
        "<a?>b<> true | unexpected `b` | expected `.`, `|`, `*`, an operator of actions or `>`",
    ),
    (
        "[true*] <true> true <a>",
        "[true*] <true> true ><<a> | unexpected `<` | expected an operator or the end of the formula",
    ),
];

#[test]
fn formulas() {
    for (text, wanted) in CASES {
        let errors = check(text).expect_err(text);
        println!("@@{text}@@{}", draw_all(text, &errors));
        let _ = wanted;
    }
}
