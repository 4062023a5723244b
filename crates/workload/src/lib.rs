//! Seeded distributed protocols, right and faulty, that record their runs.
//!
//! ```text
//! Request --fit--> Options --cast--> Recording --play--> lines of the native format
//! ```
//!
//! Each protocol is one file in `protocol` and one file of properties in `props`. The properties hold for the protocol
//! as it should be; a faulty one breaks them on some seeds. Events are recorded as they happen and not kept, so a run of ten
//! million events needs no more memory than one of ten.

mod options;
mod protocol;
mod registry;
mod stage;
pub mod system;

use std::io::{self, Write};

use causet_record::Recording;

pub use options::{Knob, Procs, Request, Unfit};
pub use registry::{Workload, all, find};

use stage::Stage;

/// Why there is no run.
#[derive(Debug)]
pub enum Failure {
    /// The request does not fit the workload.
    Unfit(Unfit),
    /// The run could not be written.
    Io(io::Error),
}

/// Plays a workload and writes its run in the native format.
pub fn generate(
    workload: &Workload,
    request: &Request,
    out: impl Write + Send + 'static,
) -> Result<(), Failure> {
    let options = options::fit(workload, request).map_err(Failure::Unfit)?;
    let cast = (workload.cast)(&options);
    let names = cast.names.iter().map(String::as_str);
    let mut builder = Recording::builder().processes(names).without_clocks();
    for name in &cast.shared {
        builder = builder.shared(name);
    }
    for (name, value) in cast.init {
        builder = builder.init(&name, value);
    }
    let recording = builder.to_writer(out);
    let recorders = cast.names.iter().map(|name| recording.process(name));
    let recorders = recorders.collect();
    (workload.play)(&mut Stage::new(&options, cast.names, recorders));
    recording.flush().map_err(Failure::Io)
}
