//! The options that say which labels of a model are inputs and which are outputs.

use std::fs;

use causet_base::Code;
use causet_lts::Labels;
use causet_lts::conformance::roles::{Alphabet, Convention, Unclear};

use crate::cli::lts::Interface;
use crate::failure::Failure;

/// A file of patterns is not longer than this.
const MOST_TEXT: u64 = 1 << 20;

/// How inputs and outputs are told apart.
pub(crate) fn convention(interface: &Interface) -> Result<Convention, Failure> {
    if let Some(path) = &interface.io {
        let name = path.display();
        let unreadable =
            |error| Failure::io(Code::NotReadable, format!("{name} cannot be read"), &error);
        if fs::metadata(path).map_err(unreadable)?.len() > MOST_TEXT {
            return Err(Failure::refused(
                Code::UnclearInterface,
                format!("{name} is too long for a file of patterns"),
            ));
        }
        let text = fs::read_to_string(path).map_err(unreadable)?;
        return Convention::read_io(&text).map_err(|unclear| {
            Failure::helped(
                Code::UnclearInterface,
                format!("{name}: {}", unclear.what),
                unclear.help,
            )
        });
    }
    let given = |list: &'_ [String]| (!list.is_empty()).then(|| list.to_vec());
    let (inputs, outputs) = (given(&interface.inputs), given(&interface.outputs));
    if inputs.is_none() && outputs.is_none() {
        return Ok(Convention::Decorated);
    }
    Convention::patterns(inputs.as_deref(), outputs.as_deref()).map_err(refused)
}

/// The labels of a model in their roles.
pub(crate) fn alphabet(labels: &Labels, convention: &Convention) -> Result<Alphabet, Failure> {
    Alphabet::new(labels, convention).map_err(refused)
}

fn refused(unclear: Unclear) -> Failure {
    Failure::helped(Code::UnclearInterface, unclear.what, unclear.help)
}
