//! Files that are refused: each with its place, the words underlined, the message, what was expected and the help.

use causet_base::Diagnostic;
use causet_base::budget::Budget;
use causet_lts::aut::{NotRead, read, read_in_blocks};

/// What is refused and how; `help` holds words that must occur, or nothing when there is no help.
struct Case {
    input: &'static str,
    place: (u32, u32),
    underlined: &'static str,
    message: &'static str,
    expected: &'static str,
    help: &'static str,
}

const fn case(
    input: &'static str,
    place: (u32, u32),
    underlined: &'static str,
    [message, expected, help]: [&'static str; 3],
) -> Case {
    Case {
        input,
        place,
        underlined,
        message,
        expected,
        help,
    }
}

const HEADER: &str = "expected `des (first state, transitions, states)`";
const NATURAL: &str = "expected a natural number";
const TARGET: &str = "expected `,` and the number of the target";
const DISTRIBUTION: &str = "this is a probability distribution over states";

const HEADERS: &[Case] = &[
    case(
        "",
        (1, 1),
        "",
        ["the file is empty", HEADER, "`des (0,0,1)`"],
    ),
    case(
        "\n \n\t\r\n",
        (4, 1),
        "",
        ["the file is empty", HEADER, "`des (0,0,1)`"],
    ),
    case(
        "(0,a,1)\n",
        (1, 1),
        "(0,a,1)",
        ["the header is missing", HEADER, "`des (0, 5, 4)`"],
    ),
    case(
        "\n  hello \n",
        (2, 3),
        "hello",
        ["the header is missing", HEADER, "`des (0, 5, 4)`"],
    ),
    case(
        "des 0,0,1",
        (1, 5),
        "0",
        ["the header is malformed", "expected `(`", "`des (0, 5, 4)`"],
    ),
    case(
        "des",
        (1, 4),
        "",
        ["the header is malformed", "expected `(`", "`des (0, 5, 4)`"],
    ),
    case(
        "des (0,0)",
        (1, 9),
        ")",
        [
            "a number is missing in the header",
            "expected `,` and a number",
            "first state",
        ],
    ),
    case(
        "des (0;0,1)",
        (1, 7),
        ";",
        [
            "a comma is missing in the header",
            "expected `,`",
            "first state",
        ],
    ),
    case(
        "des (0,,1)",
        (1, 8),
        ",",
        ["the number of transitions is missing", NATURAL, ""],
    ),
    case(
        "des (0,0,)",
        (1, 10),
        ")",
        ["the number of states is missing", NATURAL, ""],
    ),
    case(
        "des (-1,0,1)",
        (1, 6),
        "-",
        ["the first state cannot be negative", NATURAL, ""],
    ),
    case(
        "des (0,-2,1)",
        (1, 8),
        "-",
        ["the number of transitions cannot be negative", NATURAL, ""],
    ),
    case(
        "des (0,0,x)",
        (1, 10),
        "x",
        ["the number of states is no number", NATURAL, ""],
    ),
    case(
        "des(?,?,?)      \n(0,a,1)",
        (1, 5),
        "?",
        [
            "the first state is no number",
            NATURAL,
            "did not get to its end",
        ],
    ),
    case(
        "des (0, 0, 18446744073709551616)",
        (1, 12),
        "18446744073709551616",
        [
            "18446744073709551616 is too large",
            "expected at most 18446744073709551615",
            "",
        ],
    ),
    case(
        "des (0,0,1",
        (1, 11),
        "",
        ["a closing parenthesis is missing", "expected `)`", ""],
    ),
    case(
        "des (0,1,2) (0,a,1)",
        (1, 13),
        "(0,a,1)",
        [
            "something follows the closing parenthesis",
            "expected the end of the line",
            "one transition a line",
        ],
    ),
    case(
        "des (0 1/2 1, 1, 2)",
        (1, 8),
        "1",
        [DISTRIBUTION, "expected one state", "not supported"],
    ),
    case(
        "\ndes (3, 1, 3)\n(0,a,2)\n",
        (2, 6),
        "3",
        [
            "the first state, 3, does not exist",
            "expected at most 2",
            "numbered from 0",
        ],
    ),
    case(
        "des (0,0,0)",
        (1, 6),
        "0",
        [
            "the first state, 0, does not exist",
            "expected at least one state",
            "numbered from 0",
        ],
    ),
    case(
        "des (99999999999,0,100000000000)",
        (1, 6),
        "99999999999",
        [
            "the first state, 99999999999, does not exist",
            "expected at most 1048575",
            "numbered from 0",
        ],
    ),
];

const TRANSITIONS: &[Case] = &[
    case(
        "des (0,2,2)\n(0,a,1) (1,b,0)",
        (2, 9),
        "(1,b,0)",
        [
            "two transitions stand on one line",
            "expected the end of the line",
            "in quotes",
        ],
    ),
    case(
        "des (0,2,2)\n(0,a,1)(1,b,0)",
        (2, 8),
        "(1,b,0)",
        [
            "two transitions stand on one line",
            "expected the end of the line",
            "in quotes",
        ],
    ),
    case(
        "des (0,2,2)\n(0,f(x),1) ( 12 ,\"b\",0)",
        (2, 12),
        "( 12 ,\"b\",0)",
        [
            "two transitions stand on one line",
            "expected the end of the line",
            "in quotes",
        ],
    ),
    case(
        "des (0,1,2)\n0,a,1\n",
        (2, 1),
        "0,a,1",
        ["this is no transition", "expected `(`", "(0,\"label\",1)"],
    ),
    case(
        "des (0,1,2)\n(0,a,1)\n# comment\n",
        (3, 1),
        "# comment",
        [
            "this is no transition",
            "expected `(`",
            "source, label, target",
        ],
    ),
    case(
        "des (0,1,2)\n(0,a,1)\n  des (0,1,2)\n",
        (3, 3),
        "des (0,1,2)",
        [
            "this is a second header",
            "expected a transition",
            "a file of its own",
        ],
    ),
    case(
        "des (0,1,2)\n(0,a,1)\n\u{4}\n",
        (3, 1),
        "\u{4}",
        [
            "this end-of-transmission character separates two systems",
            "expected a transition",
            "a file of its own",
        ],
    ),
    case(
        "des (0,1,2)\n\0\0\0",
        (2, 1),
        "\0\0\0",
        [
            "this line starts with a NUL byte",
            "expected a transition",
            "copied whole",
        ],
    ),
    case(
        "des (0,1,2)\n(,a,1)",
        (2, 2),
        ",",
        ["the number of the source is missing", NATURAL, ""],
    ),
    case(
        "des (0,1,2)\n( -1,a,1)",
        (2, 3),
        "-",
        ["the number of the source cannot be negative", NATURAL, ""],
    ),
    case(
        "des (0,1,2)\n(a,a,1)",
        (2, 2),
        "a",
        ["the number of the source is no number", NATURAL, ""],
    ),
    case(
        "des (0,1,2)\n(",
        (2, 2),
        "",
        ["the number of the source is missing", NATURAL, ""],
    ),
    case(
        "des (0,1,2)\n(0,a,)",
        (2, 6),
        ")",
        ["the number of the target is missing", NATURAL, ""],
    ),
    case(
        "des (0,1,2)\n(0,a, -1)",
        (2, 7),
        "-",
        ["the number of the target cannot be negative", NATURAL, ""],
    ),
    case(
        "des (0,1,2)\n(0,a, +1)",
        (2, 7),
        "+",
        ["the number of the target is no number", NATURAL, ""],
    ),
    case(
        "des (0,1,2)\n(4294967295,a,1)",
        (2, 2),
        "4294967295",
        [
            "4294967295 is too large",
            "expected at most 4294967294",
            "32 bits",
        ],
    ),
    case(
        "des (0,1,2)\n(0,a,99999999999999999999999999)",
        (2, 6),
        "99999999999999999999999999",
        [
            "99999999999999999999999999 is too large",
            "expected at most 4294967294",
            "32 bits",
        ],
    ),
    case(
        "des (0,1,2)\n(0 a,1)",
        (2, 4),
        "a",
        [
            "a comma is missing",
            "expected `,` and the label",
            "source, label, target",
        ],
    ),
    case(
        "des (0,1,2)\n(0)",
        (2, 3),
        ")",
        ["a comma is missing", "expected `,` and the label", "source"],
    ),
    case(
        "des (0,1,2)\n(0,a)",
        (2, 5),
        ")",
        ["a comma is missing", TARGET, "source"],
    ),
    case(
        "des (0,1,2)\n(0,a \n",
        (2, 5),
        "",
        ["a comma is missing", TARGET, "source"],
    ),
    case(
        "des (0,1,2)\n(0,\"a\"1)",
        (2, 7),
        "1",
        [
            "the label goes on after its closing quote",
            TARGET,
            "no way",
        ],
    ),
    case(
        "des (0,1,2)\n(0,\"a\")",
        (2, 7),
        ")",
        ["a comma is missing", TARGET, "source"],
    ),
    case(
        "des (0,1,2)\n(0,\"a\"",
        (2, 7),
        "",
        ["a comma is missing", TARGET, "source"],
    ),
    case(
        "des (0,1,2)\n(0,\"a\"b\",1)",
        (2, 7),
        "b",
        [
            "the label goes on after its closing quote",
            TARGET,
            "no way",
        ],
    ),
    case(
        "des (0,1,2)\n(0,\"a,1)\n(1,\"b\",0)",
        (2, 4),
        "\"a,1)",
        [
            "this quote is not closed",
            "expected `\"` after the label",
            "on which it starts",
        ],
    ),
    case(
        "des (0,1,2)\n(0,,1)",
        (2, 4),
        ",",
        ["the label is empty", "expected a label", "`tau`"],
    ),
    case(
        "des (0,1,2)\n(0,  ,1)",
        (2, 6),
        ",",
        ["the label is empty", "expected a label", "`tau`"],
    ),
    case(
        "des (0,1,2)\n(0,\"\",1)",
        (2, 4),
        "\"",
        ["the label is empty", "expected a label", "`tau`"],
    ),
    case(
        "des (0,1,2)\n(0,a,1",
        (2, 7),
        "",
        ["a closing parenthesis is missing", "expected `)`", ""],
    ),
    case(
        "des (0,1,2)\n(0,a,1]",
        (2, 7),
        "]",
        ["a closing parenthesis is missing", "expected `)`", ""],
    ),
    case(
        "des (0,1,2)\n(0,a,1 2)",
        (2, 8),
        "2",
        ["a closing parenthesis is missing", "expected `)`", ""],
    ),
    case(
        "des (0,1,2)\n(0,\"a\",0 1/2 1)",
        (2, 10),
        "1/2 1",
        [DISTRIBUTION, "expected one state", "not supported"],
    ),
    case(
        "des (0,2,2)\n(0,\"a\",1) (1,\"a\",0)\n",
        (2, 11),
        "(1,\"a\",0)",
        [
            "something follows the closing parenthesis",
            "expected the end of the line",
            "one transition a line",
        ],
    ),
    case(
        "des (0,1,2)\n(0,\"a\0b\",1)",
        (2, 6),
        "\0",
        [
            "this label holds a NUL byte",
            "expected text",
            "copied whole",
        ],
    ),
    case(
        "des (0,1,2)\n(0,a,1)\n(0,\"a\0\",1)",
        (3, 6),
        "\0",
        [
            "this label holds a NUL byte",
            "expected text",
            "copied whole",
        ],
    ),
    case(
        "des (0,2,2)\n(0,a,1)\n\n(0,a,4000000000)\n(1,a,0)\n",
        (4, 6),
        "4000000000",
        [
            "state 4000000000 is far beyond what the transitions of this file lead to",
            "expected at most 1048623 in a file with 3 transitions",
            "without large gaps",
        ],
    ),
    case(
        "des (0,1,4294967295)\n(4294967294,a,0)",
        (2, 2),
        "4294967294",
        [
            "state 4294967294 is far beyond what the transitions of this file lead to",
            "expected at most 1048591 in a file with 1 transition",
            "without large gaps",
        ],
    ),
];

fn refused(input: &[u8], block: usize, workers: usize) -> Diagnostic {
    let shown = String::from_utf8_lossy(input);
    match read_in_blocks(&mut &*input, block, workers, &Budget::endless()) {
        Err(NotRead::Fault(problem)) => problem,
        Err(other) => panic!("{shown}: {other}"),
        Ok(reading) => panic!("{shown}: {:?}", reading.lts),
    }
}

fn check(case: &Case) {
    let problem = refused(case.input.as_bytes(), 1 << 16, 1);
    let input = case.input;
    assert_eq!(problem.message, case.message, "{input}");
    assert_eq!(problem.expected(), case.expected, "{input}");
    assert_eq!((problem.line, problem.column), case.place, "{input}");
    assert_eq!(
        &problem.text[problem.span.range()],
        case.underlined,
        "{input}"
    );
    let help = problem.help.as_deref().unwrap_or("");
    assert_eq!(help.is_empty(), case.help.is_empty(), "{input}: {help}");
    assert!(help.contains(case.help), "{input}: {help}");
    for (block, workers) in [(1, 1), (3, 2), (8, 3), (20, 4)] {
        let again = refused(case.input.as_bytes(), block, workers);
        assert_eq!(
            again, problem,
            "{input} in blocks of {block} with {workers}"
        );
    }
}

#[test]
fn wrong_headers_are_refused() {
    HEADERS.iter().for_each(check);
}

#[test]
fn wrong_transitions_are_refused() {
    TRANSITIONS.iter().for_each(check);
}

#[test]
fn a_byte_that_is_no_text_is_refused() {
    let problem = refused(b"des (0,1,2)\n(0,\"\xC3\xA4\xE9t\",1)", 1 << 16, 1);
    assert_eq!((problem.line, problem.column), (2, 6));
    assert_eq!(problem.message, "the byte 0xe9 is not UTF-8");
    assert_eq!(&problem.text[problem.span.range()], "\u{FFFD}");
    assert!(
        problem
            .help
            .as_deref()
            .is_some_and(|help| help.contains("iconv"))
    );
}

#[test]
fn the_first_fault_wins_whoever_finds_it() {
    let mut input = String::from("des (0,1,2)\n");
    for line in 0..300 {
        input += if line >= 200 { "(0,a\n" } else { "(0,a,1)\n" };
    }
    for workers in 1..=4 {
        let problem = refused(input.as_bytes(), 16, workers);
        assert_eq!((problem.line, problem.column), (202, 5));
    }
}

#[test]
fn a_line_without_end_is_refused() {
    let long = [b"des (0,1,2)\n(0,a,1)\n(0,".to_vec(), vec![b'x'; 40 << 20]].concat();
    let problem = refused(&long, 1 << 16, 2);
    assert_eq!((problem.line, problem.column), (3, 1));
    assert_eq!(problem.message, "this line is longer than 16 MiB");
    let problem = refused(&vec![0; 40 << 20], 1 << 16, 2);
    assert_eq!((problem.line, problem.column), (1, 1));
    assert_eq!(problem.message, "this line is longer than 16 MiB");
}

#[test]
fn a_problem_says_where_it_is() {
    let error = read(&mut &b"des (0,1,2)\n(0,a)"[..], 1, &Budget::endless());
    let error = error.expect_err("refused");
    assert_eq!(error.to_string(), "line 2, column 5: a comma is missing");
}
