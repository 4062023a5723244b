//! `causet automaton`: the automaton of a property of runs.

use std::fmt::Write as _;

use causet_base::Code;
use causet_base::budget::{Budget, Spent};
use causet_check::linear::describe::{Description, describe, languages};
use causet_check::subject::Subject;
use causet_formula::core::Ctl;
use causet_formula::print::Printer;
use causet_formula::{Lowered, Names, Runs, lower};
use causet_solve::automaton::hoa;

use crate::cli::{Automaton, AutomatonFormat};
use crate::diagnostics;
use crate::failure::{Failure, Status};
use crate::free_names::FreeNames;
use crate::input::{self, NotRead};
use crate::limits::{self, Limits};
use crate::output;
use crate::properties::{self, Asked};

/// Runs the command.
pub(crate) fn run(arguments: &Automaton) -> Result<Status, Failure> {
    let properties = properties::read(&arguments.asked.0)?;
    let limits = limits::limits(None, None);
    let reading = match arguments.source.traces.is_empty() {
        true => None,
        false => Some(read(arguments, &limits)?),
    };
    let free = FreeNames::default();
    let subject = reading.as_ref().map(|reading| Subject {
        trace: &reading.trace,
        parts: &reading.parts,
    });
    let names: &dyn Names = match &subject {
        Some(subject) => subject,
        None => &free,
    };
    let mut text = String::new();
    let mut told = !properties.errors().is_empty();
    for asked in properties.all() {
        match written(asked, names, arguments.to, &limits.budget())? {
            Some(automaton) => text.push_str(&automaton),
            None => told = true,
        }
    }
    if told {
        return Err(Failure::Told);
    }
    match &arguments.output {
        Some(path) => output::to_file(path, |out| out.write_all(text.as_bytes()))?,
        None => output::to_stdout(text.as_bytes())?,
    }
    Ok(Status::Fine)
}

fn read(
    arguments: &Automaton,
    limits: &Limits,
) -> Result<causet_formats::native::Reading, Failure> {
    input::find(&arguments.source)?
        .read(limits)
        .map_err(|error| match error {
            NotRead::Failed(failure) => failure,
            NotRead::Stopped(spent) => Failure::helped(
                Code::LimitReached,
                format!("reading was stopped: {spent}"),
                "",
            ),
        })
}

/// The automata of a property, one for each language in it; `None` when the person was told what is wrong.
fn written(
    asked: &Asked,
    names: &dyn Names,
    format: AutomatonFormat,
    budget: &Budget<'_>,
) -> Result<Option<String>, Failure> {
    let lowered = match lower(&asked.property, &asked.lets, names) {
        Ok(lowered) => lowered,
        Err(errors) => {
            for error in &errors {
                diagnostics::show_in(&asked.source, error);
            }
            return Ok(None);
        }
    };
    let languages = named_languages(&asked.property.name, &lowered, names);
    if languages.is_empty() {
        let name = &asked.property.name;
        let message = format!("{name} is not about runs, so it has no automaton");
        diagnostics::sentence(
            Code::NoAutomaton,
            &message,
            Some("LTL, monitors, sequences and regular expressions have one"),
        );
        return Ok(None);
    }
    let mut text = String::new();
    for (name, runs, opposite) in languages {
        let name = &name;
        let description = describe(runs, opposite, names, budget).map_err(|spent| {
            let message = match spent {
                Spent::Memory => format!("the automaton of {name} is too large"),
                spent => format!("{name}: {spent}"),
            };
            Failure::helped(
                Code::LargeAutomaton,
                message,
                "a property in parts has smaller ones",
            )
        })?;
        let automaton = &description.compiled.automaton;
        let _ = match format {
            AutomatonFormat::Text => write!(text, "{}", in_words(name, &description, names)),
            AutomatonFormat::Dot => write!(text, "{}", automaton.dot(&description.atoms)),
            AutomatonFormat::Hoa => {
                write!(text, "{}", hoa::write(automaton, &description.atoms, name))
            }
        };
    }
    Ok(Some(text))
}

/// The languages of a property; those of an instance are called after it.
fn named_languages<'l>(
    name: &str,
    lowered: &'l Lowered,
    names: &dyn Names,
) -> Vec<(String, &'l Runs, bool)> {
    let named = |name: String, body: &'l Ctl| {
        let found = languages(body).into_iter();
        found.map(move |(runs, opposite)| (name.clone(), runs, opposite))
    };
    if lowered.instances.is_empty() {
        return named(name.to_owned(), &lowered.body).collect();
    }
    let instances = lowered.instances.iter().flat_map(|instance| {
        let bindings = instance.bindings.iter();
        let bindings =
            bindings.map(|(bound, process)| format!("{bound} = {}", names.process_name(*process)));
        let bindings: Vec<String> = bindings.collect();
        named(format!("{name}, {}", bindings.join(", ")), &instance.body)
    });
    instances.collect()
}

fn in_words(name: &str, description: &Description, names: &dyn Names) -> String {
    let mut text = format!("{name}: {}\n", description.summary);
    if let Some(pair) = &description.stutter {
        let _ = writeln!(text, "  sensitive to stuttering: {pair}");
    }
    if let Some(formula) = &description.branching {
        let formula = Printer::new(names).ctl(formula);
        let _ = writeln!(text, "  in CTL: {formula}");
    }
    let _ = writeln!(text);
    text + &description.compiled.automaton.listing(&description.atoms)
}
