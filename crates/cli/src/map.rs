//! `causet map`: a mapping for a log of JSON lines, proposed from its first lines.

use causet::inner::beginning;
use causet_base::Code;
use causet_formats::logs::guess;

use crate::cli::Map;
use crate::failure::{Failure, Status};
use crate::output;

/// Runs the command.
pub(crate) fn run(arguments: &Map) -> Result<Status, Failure> {
    let path = arguments.guess.as_path();
    let name = path.display();
    let bytes = beginning(path).map_err(|error| {
        Failure::io(Code::NotReadable, format!("{name} cannot be read"), &error)
    })?;
    let Some(mapping) = guess(&bytes) else {
        return Err(Failure::helped(
            Code::NoMappingProposed,
            format!("no mapping can be proposed for {name}: its first lines are no JSON objects"),
            "a mapping is for logs with one JSON object on each line; `causet formats` lists what else can be read",
        ));
    };
    match &arguments.output {
        Some(file) => output::to_file(file, |out| out.write_all(mapping.as_bytes()))?,
        None => output::to_stdout(mapping.as_bytes())?,
    }
    Ok(Status::Fine)
}
