//! `causet map`: a mapping for a log of JSON lines, proposed from its first lines.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use causet_base::Code;
use causet_wire::logs::guess;
use causet_wire::native::decompressed;

use crate::cli::Map;
use crate::failure::{Failure, Status};
use crate::output;

/// So much of a log is looked at.
const LOOKED_AT: u64 = 1 << 20;

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

/// The first bytes of a log, decompressed.
pub(crate) fn beginning(path: &Path) -> io::Result<Vec<u8>> {
    let input: Box<dyn Read + Send> = match path == Path::new("-") {
        true => Box::new(io::stdin()),
        false => Box::new(File::open(path)?),
    };
    let mut bytes = Vec::new();
    decompressed(input)?
        .take(LOOKED_AT)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}
