//! `causet lts ioco`: whether an implementation conforms to its specification.

use std::sync::Arc;

use causet::inner::model_in;
use causet_base::Code;
use causet_lts::asked::Asked;
use causet_lts::conformance::enabled::{Refusal, refusal};
use causet_lts::conformance::ioco::{Conformance, Difference, NotCompared, ioco_asked};
use causet_lts::conformance::roles::Alphabet;
use causet_report::SCHEMA;
use causet_report::words::{clean, count};
use serde_json::{Value, json};

use super::interface;
use super::trace_text::{after, listed, spoken};
use crate::cli::lts::Ioco;
use crate::diagnostics;
use crate::failure::{Failure, Status};
use crate::input::NotRead;
use crate::limits::{self, Limits};
use crate::output;

/// Runs the command.
pub(crate) fn run(arguments: Ioco) -> Result<Status, NotRead> {
    let limits = limits::of(arguments.allowed);
    let arguments = Arc::new(arguments);
    let Compared {
        compared,
        refused,
        of_made,
    } = limits::finished(&arguments, &limits, compare)?;
    let names = [&arguments.implementation, &arguments.specification];
    let names = names.map(|path| path.display().to_string());
    let text = match arguments.json {
        true => object(&names, &compared, refused.as_ref(), &of_made).to_string() + "\n",
        false => sentences(&names, &compared),
    };
    output::to_stdout(text.as_bytes())?;
    Ok(match compared {
        Conformance::Conforms(_) => Status::Fine,
        Conformance::Differs(_) => Status::Violated,
    })
}

/// What was found out, and in which labels.
struct Compared {
    compared: Conformance,
    refused: Option<Refusal>,
    of_made: Alphabet,
}

fn compare(arguments: &Ioco, limits: &Limits) -> Result<Compared, NotRead> {
    let convention = interface::convention(&arguments.interface)?;
    let read = |path| model_in(path, &arguments.reading.model(), limits, None);
    let (made, wanted) = (
        read(&arguments.implementation)?,
        read(&arguments.specification)?,
    );
    let of_made = interface::alphabet(made.labels(), &convention)?;
    let of_wanted = interface::alphabet(wanted.labels(), &convention)?;
    limits.begin("comparing", None);
    let budget = limits.budget();
    let mut made = Asked::new(&made, &budget)?;
    let mut wanted = Asked::new(&wanted, &budget)?;
    let compared = ioco_asked(&mut made, &mut wanted, [&of_made, &of_wanted], &budget);
    // Of a network, what was met is looked at.
    let refused = made.known(&of_made, &budget);
    let refused = refused.and_then(|known| refusal(&known, &of_made, &budget));
    limits.end();
    let compared = compared.map_err(not_compared)?;
    let refused = refused?;
    if let Some(refused) = &refused {
        warn(refused, &of_made);
    }
    Ok(Compared {
        compared,
        refused,
        of_made,
    })
}

fn not_compared(not: NotCompared) -> NotRead {
    match not {
        NotCompared::Spent(spent) => spent.into(),
        NotCompared::Refuted(difference) => {
            let trace = difference.trace.join(", ");
            Failure::Internal(format!(
                "the systems do not differ after this trace: {trace}"
            ))
            .into()
        }
    }
}

fn warn(refused: &Refusal, alphabet: &Alphabet) {
    let text = clean(alphabet.labels().text(refused.input));
    let message = format!(
        "the implementation does not take every input: state {} not {text}",
        refused.state
    );
    let help = "what it does after inputs that it does not take is not compared";
    diagnostics::warning(Code::InputsRefused, &message, Some(help));
}

fn sentences(names: &[String; 2], compared: &Conformance) -> String {
    let [made, wanted] = names.each_ref().map(|name| clean(name));
    match compared {
        Conformance::Conforms(pairs) => {
            let pairs = count(*pairs, "pair");
            format!("{made} conforms to {wanted}.   ({pairs} of sets of states compared)\n")
        }
        Conformance::Differs(difference) => {
            let after = after(&difference.trace);
            let unexpected: Vec<String> = difference.unexpected().map(spoken).collect();
            let [ours, theirs] =
                [&difference.implementation, &difference.specification].map(listed);
            format!(
                "{made} does not conform to {wanted}.\n\n  {after}:\n\n    the implementation may do  {ours}\n    the \
                 specification allows   {theirs}\n\n  Not allowed: {}.\n",
                unexpected.join(", ")
            )
        }
    }
}

fn object(
    names: &[String; 2],
    compared: &Conformance,
    refused: Option<&Refusal>,
    alphabet: &Alphabet,
) -> Value {
    let difference = match compared {
        Conformance::Conforms(_) => None,
        Conformance::Differs(difference) => Some(difference),
    };
    let refused = refused.map(|refused| {
        let input = alphabet.labels().text(refused.input);
        json!({"state": refused.state, "input": input})
    });
    json!({
        "causet": env!("CARGO_PKG_VERSION"),
        "schema": SCHEMA,
        "implementation": names[0],
        "specification": names[1],
        "conforms": difference.is_none(),
        "difference": difference.map(apart),
        "refused_input": refused,
    })
}

fn apart(difference: &Difference) -> Value {
    json!({
        "trace": difference.trace,
        "implementation": difference.implementation,
        "specification": difference.specification,
        "unexpected": difference.unexpected().collect::<Vec<_>>(),
    })
}
