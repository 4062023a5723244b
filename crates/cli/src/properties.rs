//! The properties a person asks for, read from the arguments; all that is wrong with them is shown.

use causet_base::Code;

pub(crate) use causet::Properties;
pub(crate) use causet::inner::Asked;

use crate::cli::Ask;
use crate::diagnostics;
use crate::failure::Failure;

/// Reads the properties; all syntax errors are shown.
pub(crate) fn read(asks: &[Ask]) -> Result<Properties, Failure> {
    let properties = read_any(asks)?;
    if properties.all().is_empty() && properties.errors().is_empty() {
        return Err(Failure::helped(
            Code::NothingToCheck,
            "there is no property to check",
            "give one with --ctl, --ltl, --possibly, --definitely, --hoa or --props, for example \
             --ctl 'AG !(a.leader && b.leader)'; `causet info` shows what a trace holds",
        ));
    }
    Ok(properties)
}

/// The same, where it may be that nothing is asked.
pub(crate) fn read_any(asks: &[Ask]) -> Result<Properties, Failure> {
    let mut properties = Properties::default();
    for ask in asks {
        match ask {
            Ask::Formula(kind, text) => properties.add_formula(*kind, text),
            Ask::Automaton(path) => properties.add_automaton(path)?,
            Ask::File(path) => properties.add_file(path)?,
        }
    }
    let errors = properties.errors().iter();
    errors.for_each(diagnostics::show_message);
    Ok(properties)
}

/// Refuses properties of which one could not be read.
pub(crate) fn all_read(properties: Properties) -> Result<Properties, Failure> {
    if properties.errors().is_empty() {
        Ok(properties)
    } else {
        Err(Failure::Told)
    }
}
