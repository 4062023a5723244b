//! A run as a model for NuSMV and nuXmv: the paths of the model are the orders of the run.
//!
//! The counters are the whole state: what a variable holds and how many messages are under way follows from them, so
//! both are definitions. The language wants a successor for every state, so the last one repeats itself; until, on some
//! or on every order, means the same with that loop, and `EX`, which is false at the final cut, says so.

use std::fmt::Write as _;
use std::io;

use causet_base::{Code, Diagnostic};
use causet_check::translate::{At, Channel, Coding, Formula, Model, Variable};

use crate::identifier::{comment, identifier};
use crate::spelling::{Spelling, channel, counter, variable};

/// The name of "every event has happened"; no other name has this shape.
const END: &str = "at_end";

/// Why the language cannot express the model; nothing when it can.
pub fn supports(model: &Model) -> Result<(), Diagnostic> {
    match model.processes.is_empty() {
        true => Err(Diagnostic::new(
            Code::NotTranslatable,
            "a run without processes has no state to speak of",
        )),
        false => Ok(()),
    }
}

/// Writes the model; `title` is the property as its author put it.
pub fn write(model: &Model, title: Option<&str>, out: &mut dyn io::Write) -> io::Result<()> {
    out.write_all(header(model, title).as_bytes())?;
    out.write_all(counters(model).as_bytes())?;
    out.write_all(definitions(model).as_bytes())?;
    out.write_all(transitions(model).as_bytes())?;
    match &model.property {
        Some(property) => writeln!(out, "\nCTLSPEC {}", formula(model, property)),
        None => Ok(()),
    }
}

fn header(model: &Model, title: Option<&str>) -> String {
    let mut text =
        "-- All orders of a recorded run, written by causet: its paths are these orders.\n\
         -- A counter says how many events of its process have happened.\n"
            .to_owned();
    if let Some(title) = title {
        let _ = write!(
            text,
            "--\n-- Property: {}\n--   `NuSMV MODEL` says whether the specification is true: then the property HOLDS\n",
            comment(title)
        );
    }
    if model.variables.iter().any(|v| v.coding == Coding::Table) {
        text.push_str("--\n-- Codes of values that are not plain numbers:\n");
        for (code, value) in model.codes.iter().enumerate() {
            let _ = writeln!(text, "--   {code} = {}", comment(value));
        }
    }
    for raced in model.variables.iter().filter(|variable| variable.raced) {
        let name = comment(&raced.name);
        let _ = writeln!(text, "--\n-- Left out, since two writes of it race: {name}");
    }
    text + "\nMODULE main\n"
}

fn counters(model: &Model) -> String {
    let mut text = "VAR\n".to_owned();
    for (number, process) in model.processes.iter().enumerate() {
        let _ = writeln!(
            text,
            "  {} : 0..{};",
            counter(model, number),
            process.steps.len()
        );
    }
    let start: Vec<String> = (0..model.processes.len())
        .map(|number| format!("{} = 0", counter(model, number)))
        .collect();
    let _ = writeln!(text, "INIT {}", start.join(" & "));
    text
}

/// What follows from the counters: the values, the messages under way, who may go on, the end.
fn definitions(model: &Model) -> String {
    let mut text = "DEFINE\n".to_owned();
    for (number, defined) in model.variables.iter().enumerate() {
        if defined.raced {
            continue;
        }
        let how = match defined.coding {
            Coding::Scaled(0) => String::new(),
            Coding::Scaled(places) => format!(", times 10^{places}"),
            Coding::Table => ", coded".to_owned(),
        };
        let _ = writeln!(
            text,
            "  {} := {}; -- {}{how}",
            variable(model, number),
            value(model, defined),
            comment(&defined.name)
        );
    }
    for (number, defined) in model.channels.iter().enumerate() {
        let name = |process: usize| comment(&model.processes[process].name);
        let _ = writeln!(
            text,
            "  {} := {}; -- under way from {} to {}",
            channel(number),
            messages(model, defined),
            name(defined.from),
            name(defined.to)
        );
    }
    for number in 0..model.processes.len() {
        let _ = writeln!(
            text,
            "  {} := {};",
            go(model, number),
            may_go(model, number)
        );
    }
    let all =
        model.processes.iter().enumerate().map(|(number, process)| {
            format!("{} = {}", counter(model, number), process.steps.len())
        });
    let _ = writeln!(text, "  {END} := {};", all.collect::<Vec<_>>().join(" & "));
    text
}

/// The value of the last write that has happened: the writes follow one another, so the first hit from behind.
fn value(model: &Model, of: &Variable) -> String {
    if of.writes.is_empty() {
        return of.initial.to_string();
    }
    let writes = of.writes.iter().rev();
    let cases: String = writes
        .map(|&(at, code)| format!("{} : {code}; ", happened(model, at)))
        .collect();
    format!("case {cases}TRUE : {}; esac", of.initial)
}

/// Sums up the changes of the steps that have happened.
fn messages(model: &Model, of: &Channel) -> String {
    let changes = of
        .changes
        .iter()
        .map(|&(at, change)| format!("({} ? {change} : 0)", happened(model, at)));
    match of.changes.is_empty() {
        true => "0".to_owned(),
        false => changes.collect::<Vec<_>>().join(" + "),
    }
}

fn happened(model: &Model, at: At) -> String {
    format!("{} >= {}", counter(model, at.process), at.position)
}

/// The process has a next event, and what that waits for has happened.
fn may_go(model: &Model, number: usize) -> String {
    let own = counter(model, number);
    let steps = &model.processes[number].steps;
    let mut text = format!("{own} < {}", steps.len());
    for (index, step) in steps.iter().enumerate() {
        if step.after.is_empty() {
            continue;
        }
        let guards = step
            .after
            .iter()
            .map(|&(process, position)| happened(model, At { process, position }));
        let guards: Vec<String> = guards.collect();
        let _ = write!(text, " & ({own} = {index} -> {})", guards.join(" & "));
    }
    text
}

/// One process steps and the others stand still; at the end all do.
fn transitions(model: &Model) -> String {
    let all = 0..model.processes.len();
    let still = |except: Option<usize>| {
        let others = all.clone().filter(|&number| Some(number) != except);
        others
            .map(|number| {
                let name = counter(model, number);
                format!(" & next({name}) = {name}")
            })
            .collect::<String>()
    };
    let mut text = "TRANS\n".to_owned();
    for number in all.clone() {
        let (go, own) = (go(model, number), counter(model, number));
        let rest = still(Some(number));
        let _ = writeln!(text, "  ({go} & next({own}) = {own} + 1{rest}) |");
    }
    let _ = writeln!(text, "  ({END}{})", still(None));
    text
}

/// A formula in parentheses.
fn formula(model: &Model, of: &Formula) -> String {
    let list = |parts: &[Formula], between: &str| {
        let parts: Vec<String> = parts.iter().map(|part| formula(model, part)).collect();
        format!("({})", parts.join(between))
    };
    let until = |quantifier: char, hold: &Formula, goal: &Formula| {
        let (hold, goal) = (formula(model, hold), formula(model, goal));
        format!("{quantifier} [{hold} U {goal}]")
    };
    match of {
        Formula::State(cond) => SMV.condition(model, cond),
        Formula::Not(part) => format!("(!{})", formula(model, part)),
        Formula::And(parts) => list(parts, " & "),
        Formula::Or(parts) => list(parts, " | "),
        Formula::Ex(part) => format!("(!{END} & EX {})", formula(model, part)),
        Formula::Eu(hold, goal) => until('E', hold, goal),
        Formula::Au(hold, goal) => until('A', hold, goal),
    }
}

fn go(model: &Model, process: usize) -> String {
    identifier('g', process, &model.processes[process].name)
}

/// The signs of SMV.
const SMV: Spelling = Spelling {
    yes: "TRUE",
    no: "FALSE",
    equal: "=",
    and: " & ",
    or: " | ",
    then: "?",
};

#[cfg(test)]
mod tests {
    use causet_check::subject::Subject;
    use causet_check::translate::{Cond, Formula, translate};
    use causet_trace::notation::parse;

    use super::{supports, write};

    #[test]
    fn a_run_becomes_counters_and_definitions() {
        let run = parse("a: x=1  m!b\nb:      .   m?,@got,st=\"on\"").expect("a drawing");
        let mut model = translate(&Subject::of(&run), None).expect("a model");
        let truth = || Box::new(Formula::State(Cond::Const(true)));
        model.property = Some(Formula::Eu(truth(), Box::new(Formula::Ex(truth()))));
        supports(&model).expect("the language can say it");
        let mut out = Vec::new();
        write(&model, Some("ctl EF EX true"), &mut out).expect("memory is writable");
        let expected = r#"-- All orders of a recorded run, written by causet: its paths are these orders.
-- A counter says how many events of its process have happened.
--
-- Property: ctl EF EX true
--   `NuSMV MODEL` says whether the specification is true: then the property HOLDS
--
-- Codes of values that are not plain numbers:
--   0 = 0
--   1 = "on"

MODULE main
VAR
  c0_a : 0..2;
  c1_b : 0..2;
INIT c0_a = 0 & c1_b = 0
DEFINE
  v0_a_x := case c0_a >= 1 : 1; TRUE : 0; esac; -- a.x
  v1_b_st := case c1_b >= 2 : 1; TRUE : 0; esac; -- b.st, coded
  m0_inflight := (c0_a >= 2 ? 1 : 0) + (c1_b >= 2 ? -1 : 0); -- under way from a to b
  g0_a := c0_a < 2;
  g1_b := c1_b < 2 & (c1_b = 1 -> c0_a >= 2);
  at_end := c0_a = 2 & c1_b = 2;
TRANS
  (g0_a & next(c0_a) = c0_a + 1 & next(c1_b) = c1_b) |
  (g1_b & next(c1_b) = c1_b + 1 & next(c0_a) = c0_a) |
  (at_end & next(c0_a) = c0_a & next(c1_b) = c1_b)

CTLSPEC E [TRUE U (!at_end & EX TRUE)]
"#;
        assert_eq!(String::from_utf8_lossy(&out), expected);
    }
}
