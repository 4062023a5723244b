//! A run as a Promela model for Spin: the executions of the model are the orders of the run.
//!
//! A proctype per process, a `d_step` per event, so that Spin's claim sees the cuts and nothing between them. An event
//! that others must precede waits for their counters. Runs are finite, and Spin repeats the last state of a finite
//! execution for ever; the claims below are therefore plain automata that stop in a bad prefix, with nothing to accept
//! in the limit, and `-DSAFETY` suffices for all of them. The way of POTA (Sen and Garg, section 4), which sends
//! messages over Promela channels, would put the same order into larger states.

use std::fmt::Write as _;
use std::io;

use causet_base::{Code, Diagnostic};
use causet_check::translate::{At, CmpOp, Coding, Cond, Formula, Model, Term};

use crate::identifier::{comment, identifier};
use crate::spelling::{Spelling, channel, counter, variable};

/// Spin runs no more processes than this at once, the claim included.
const MOST_PROCESSES: usize = 254;

/// What a claim can find, all of it bad prefixes.
#[derive(Clone, PartialEq, Debug)]
enum Claim {
    /// A cut at which the condition holds.
    Reaches(Cond),
    /// A complete run along which the condition never holds.
    Avoids(Cond),
}

/// A claim, and whether the property holds when Spin finds what the claim describes.
#[derive(Clone, PartialEq, Debug)]
struct Question {
    claim: Claim,
    holds_when_found: bool,
}

/// Why Promela cannot express the model; nothing when it can.
pub fn supports(model: &Model) -> Result<(), Diagnostic> {
    let refused = |reason: String| Err(Diagnostic::new(Code::NotTranslatable, reason));
    let count = model.processes.len();
    if count > MOST_PROCESSES {
        return refused(format!(
            "Spin runs at most {MOST_PROCESSES} processes, and this run has {count}"
        ));
    }
    match &model.property {
        Some(formula) if question(formula).is_none() => refused(
            "a claim of Spin sees one order at a time: it can express AG, EF, AF and EG of a predicate, \
             a conjunction of AG and a disjunction of EF, and this is something else"
                .to_owned(),
        ),
        _ => Ok(()),
    }
}

/// Writes the model; `title` is the property as its author put it.
pub fn write(model: &Model, title: Option<&str>, out: &mut dyn io::Write) -> io::Result<()> {
    let question = model.property.as_ref().and_then(question);
    out.write_all(header(model, title, question.as_ref()).as_bytes())?;
    out.write_all(declarations(model).as_bytes())?;
    let effects = Effects::of(model);
    for process in 0..model.processes.len() {
        out.write_all(proctype(model, &effects, process).as_bytes())?;
    }
    match &question {
        Some(question) => out.write_all(never(model, &question.claim).as_bytes()),
        None => Ok(()),
    }
}

/// The formula as a search for one cut or one run, when it is one.
fn question(formula: &Formula) -> Option<Question> {
    let found = |claim, holds_when_found| {
        Some(Question {
            claim,
            holds_when_found,
        })
    };
    match formula {
        // What is decided without looking: nothing is reached, and that is right or wrong.
        Formula::State(Cond::Const(truth)) => found(Claim::Reaches(Cond::Const(!truth)), false),
        Formula::Eu(hold, goal) if is_true(hold) => found(Claim::Reaches(state(goal)?), true),
        Formula::Au(hold, goal) if is_true(hold) => found(Claim::Avoids(state(goal)?), false),
        Formula::Not(part) => {
            let inner = question(part)?;
            found(inner.claim, !inner.holds_when_found)
        }
        Formula::And(parts) => found(Claim::Reaches(any_reached(parts, false)?), false),
        Formula::Or(parts) => found(Claim::Reaches(any_reached(parts, true)?), true),
        Formula::State(_) | Formula::Ex(_) | Formula::Eu(..) | Formula::Au(..) => None,
    }
}

/// What several searches look for, when all of them look for a cut and mean the same by finding it.
fn any_reached(parts: &[Formula], holds_when_found: bool) -> Option<Cond> {
    let conds = parts.iter().map(|part| match question(part)? {
        Question {
            claim: Claim::Reaches(cond),
            holds_when_found: meaning,
        } if meaning == holds_when_found => Some(cond),
        _ => None,
    });
    Some(Cond::or(conds.collect::<Option<Vec<_>>>()?))
}

fn is_true(formula: &Formula) -> bool {
    matches!(formula, Formula::State(Cond::Const(true)))
}

fn state(formula: &Formula) -> Option<Cond> {
    match formula {
        Formula::State(cond) => Some(cond.clone()),
        _ => None,
    }
}

/// What the model is, how to run it, what its numbers and Spin's answer mean.
fn header(model: &Model, title: Option<&str>, question: Option<&Question>) -> String {
    let mut text =
        "/* All orders of a recorded run, written by causet: its executions are these orders.\n \
                    * A counter says how many events of its process have happened.\n"
            .to_owned();
    if let Some(title) = title {
        let _ = writeln!(text, " *\n * Property: {}", comment(title));
    }
    if let Some(question) = question {
        let found = match question.claim {
            Claim::Reaches(_) => "an order that leads to such a cut",
            Claim::Avoids(_) => "a complete order that avoids it",
        };
        let (one, none) = match question.holds_when_found {
            true => ("HOLDS", "is VIOLATED"),
            false => ("is VIOLATED", "HOLDS"),
        };
        let _ = write!(
            text,
            " *   spin -a MODEL && cc -O2 -DSAFETY -o pan pan.c && ./pan -m1000000\n \
             *   errors: 1   the property {one}; `spin -t -p MODEL` shows {found}\n \
             *   errors: 0   the property {none}, unless Spin says that its search was not complete\n"
        );
    }
    if model.variables.iter().any(|v| v.coding == Coding::Table) {
        text.push_str(" *\n * Codes of values that are not plain numbers:\n");
        for (code, value) in model.codes.iter().enumerate() {
            let _ = writeln!(text, " *   {code} = {}", comment(value));
        }
    }
    text + " */\n\n"
}

fn declarations(model: &Model) -> String {
    let mut text = String::new();
    for (number, process) in model.processes.iter().enumerate() {
        let kind = match process.steps.len() {
            0..=255 => "byte",
            _ => "int",
        };
        let _ = writeln!(
            text,
            "{kind} {} = 0; /* of {} */",
            counter(model, number),
            process.steps.len()
        );
    }
    for (number, declared) in model.variables.iter().enumerate() {
        let how = match declared.coding {
            Coding::Scaled(0) => String::new(),
            Coding::Scaled(places) => format!(", times 10^{places}"),
            Coding::Table => ", coded".to_owned(),
        };
        let _ = writeln!(
            text,
            "int {} = {}; /* {}{how} */",
            variable(model, number),
            declared.initial,
            comment(&declared.name)
        );
    }
    for (number, declared) in model.channels.iter().enumerate() {
        let name = |process: usize| comment(&model.processes[process].name);
        let _ = writeln!(
            text,
            "int {} = 0; /* under way from {} to {} */",
            channel(number),
            name(declared.from),
            name(declared.to)
        );
    }
    text
}

/// What each step does beside counting, as statements.
struct Effects(Vec<Vec<String>>);

impl Effects {
    fn of(model: &Model) -> Effects {
        let mut all: Vec<Vec<String>> = model
            .processes
            .iter()
            .map(|process| vec![String::new(); process.steps.len()])
            .collect();
        let mut add = |at: At, statement: String| {
            all[at.process][at.position as usize - 1].push_str(&statement);
        };
        for (number, written) in model.variables.iter().enumerate() {
            for &(at, code) in &written.writes {
                add(at, format!(" {} = {code};", variable(model, number)));
            }
        }
        for (number, changed) in model.channels.iter().enumerate() {
            let name = channel(number);
            for &(at, change) in &changed.changes {
                let sign = if change < 0 { '-' } else { '+' };
                add(
                    at,
                    format!(" {name} = {name} {sign} {};", change.unsigned_abs()),
                );
            }
        }
        Effects(all)
    }
}

fn proctype(model: &Model, effects: &Effects, number: usize) -> String {
    let process = &model.processes[number];
    let mut text = format!(
        "\nactive proctype {}() {{\n",
        identifier('p', number, &process.name)
    );
    for (index, step) in process.steps.iter().enumerate() {
        let guards: Vec<String> = step
            .after
            .iter()
            .map(|&(other, count)| format!("{} >= {count}", counter(model, other)))
            .collect();
        text.push_str("  d_step { ");
        if !guards.is_empty() {
            let _ = write!(text, "({}) -> ", guards.join(" && "));
        }
        let own = counter(model, number);
        let _ = write!(text, "{own} = {};", index + 1);
        text.push_str(&effects.0[number][index]);
        text.push_str(" }");
        if let Some(label) = &step.label {
            let _ = write!(text, " /* {} */", comment(label));
        }
        text.push('\n');
    }
    if process.steps.is_empty() {
        text.push_str("  skip\n");
    }
    text + "}\n"
}

/// The claim, which stops where it has found what it looks for and cannot go on where there is nothing left to find.
fn never(model: &Model, claim: &Claim) -> String {
    let options = match claim {
        Claim::Reaches(cond) => {
            let found = PROMELA.condition(model, cond);
            format!("  :: {found} -> break\n  :: else\n")
        }
        Claim::Avoids(cond) => {
            let (met, end) = (PROMELA.condition(model, cond), end(model));
            format!("  :: !{met} && {end} -> break\n  :: !{met} && !{end}\n")
        }
    };
    format!("\nnever {{\n  do\n{options}  od\n}}\n")
}

/// Every event has happened.
fn end(model: &Model) -> String {
    let all = model.processes.iter().enumerate().map(|(number, process)| {
        Cond::Compare(
            CmpOp::Eq,
            Term::Steps(number),
            Term::Const(process.steps.len() as i64),
        )
    });
    PROMELA.condition(model, &Cond::and(all))
}

/// The signs of Promela.
const PROMELA: Spelling = Spelling {
    yes: "(true)",
    no: "(false)",
    equal: "==",
    and: " && ",
    or: " || ",
    then: "->",
};

#[cfg(test)]
mod tests {
    use causet_check::subject::Subject;
    use causet_check::translate::{Cond, Formula, translate};
    use causet_trace::notation::parse;

    use super::{Claim, question, supports, write};

    #[test]
    fn a_run_becomes_processes_guards_and_assignments() {
        let run = parse("a: x=1  m!b\nb:      .   m?,@got,st=\"on\"").expect("a drawing");
        let model = translate(&Subject::of(&run), None).expect("a model");
        supports(&model).expect("Promela can say it");
        let mut out = Vec::new();
        write(&model, None, &mut out).expect("memory is writable");
        let expected = r#"/* All orders of a recorded run, written by causet: its executions are these orders.
 * A counter says how many events of its process have happened.
 *
 * Codes of values that are not plain numbers:
 *   0 = 0
 *   1 = "on"
 */

byte c0_a = 0; /* of 2 */
byte c1_b = 0; /* of 2 */
int v0_a_x = 0; /* a.x */
int v1_b_st = 0; /* b.st, coded */
int m0_inflight = 0; /* under way from a to b */

active proctype p0_a() {
  d_step { c0_a = 1; v0_a_x = 1; }
  d_step { c0_a = 2; m0_inflight = m0_inflight + 1; }
}

active proctype p1_b() {
  d_step { c1_b = 1; }
  d_step { (c0_a >= 2) -> c1_b = 2; v1_b_st = 1; m0_inflight = m0_inflight - 1; } /* got */
}
"#;
        assert_eq!(String::from_utf8_lossy(&out), expected);
    }

    #[test]
    fn conjunctions_of_invariants_are_one_search() {
        let truth = || Box::new(Formula::State(Cond::Const(true)));
        let reach = |truth_of| {
            let goal = Formula::State(Cond::Const(truth_of));
            Formula::Eu(truth(), Box::new(goal))
        };
        let invariant = |bad| Formula::Not(Box::new(reach(bad)));
        let both = question(&Formula::And(vec![invariant(true), invariant(false)]));
        let both = both.expect("a search");
        assert_eq!(both.claim, Claim::Reaches(Cond::Const(true)));
        assert!(!both.holds_when_found);
        assert_eq!(
            question(&Formula::And(vec![invariant(true), reach(true)])),
            None
        );
        assert_eq!(question(&Formula::Ex(truth())), None);
    }
}
