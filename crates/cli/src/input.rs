//! The TRACE arguments: files, directories and standard input become the parts of one run.

use std::io;
use std::mem::ManuallyDrop;
use std::path::Path;

use causet::inner::Source as Opening;
use causet_base::Code;
use causet_formats::native::Reading;
use causet_serve::keeping;

pub(crate) use causet::inner::{Input, NotRead};

use crate::cli::Source;
use crate::diagnostics;
use crate::failure::Failure;
use crate::limits::Limits;

/// Finds the parts; of runs that a server has kept, it is said what is wrong with them.
pub(crate) fn find(source: &Source) -> Result<Input, Failure> {
    for path in &source.traces {
        let folder = if path.is_dir() {
            Some(path.as_path())
        } else {
            kept_folder(path)
        };
        if let Some(folder) = folder {
            check_kept(folder, source.lenient)?;
        }
    }
    Input::find(&Opening {
        paths: source.traces.clone(),
        format: source.format.clone(),
        regex: source.regex.clone(),
        delimiter: source.delimiter.clone(),
        execution: source.execution.clone(),
        merge: source.merge,
        trust_local_clock: source.trust_local_clock,
        mapping: source.mapping.clone(),
        lenient: source.lenient,
        workers: source.workers(),
    })
}

/// Reads a run that a command needs to its end: the system takes its memory back faster than this program would.
pub(crate) fn read_whole(
    input: &Input,
    limits: &Limits,
) -> Result<Option<ManuallyDrop<Reading>>, Failure> {
    Ok(input.read_whole(limits)?.map(ManuallyDrop::new))
}

/// The folder of a run that a server has kept, if this is its journal.
fn kept_folder(path: &Path) -> Option<&Path> {
    let is_journal = path
        .file_name()
        .is_some_and(|name| name == "events.journal");
    let folder = path.parent().filter(|_| is_journal)?;
    match folder == Path::new("") {
        true => Some(Path::new(".")),
        false => Some(folder),
    }
}

/// Holds the journal of a run that a server has kept against what it has noted of it.
fn check_kept(folder: &Path, lenient: bool) -> Result<(), Failure> {
    match keeping::check(folder) {
        Err(error) if error.kind() == io::ErrorKind::InvalidData => {
            let message = format!("{}: {error}", folder.display());
            if lenient {
                diagnostics::warning(Code::DamagedJournal, &message, None);
                return Ok(());
            }
            let help = "--lenient reads what is left of it";
            Err(Failure::helped(Code::DamagedJournal, message, help))
        }
        _ => {
            // Whoever reads the journal says what else is wrong with it.
            let bytes = keeping::unfinished(folder).unwrap_or(0);
            if bytes > 0 {
                let message = format!(
                    "{}: the last {bytes} bytes of the journal are no whole frame and are left out",
                    folder.display()
                );
                let help = "a server that still writes may complete it; one that is started again says what was lost";
                diagnostics::warning(Code::UnfinishedJournal, &message, Some(help));
            }
            Ok(())
        }
    }
}
