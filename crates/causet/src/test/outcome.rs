//! What is left behind by tests: a recorded run, a report for the build, and the last word.

use std::path::Path;

use causet_drive::record::Log;
use causet_drive::system::Trouble;
use causet_wire::report::junit::{Tested, write_tests};

use super::not_driven;
use crate::cli::test::Driving;
use crate::diagnostics;
use crate::failure::Status;
use crate::input::NotRead;
use crate::output;

/// Writes what was asked for; an adapter that failed on the way has the last word.
pub(super) fn leave(
    driving: &Driving,
    tested: (&Path, &[Tested]),
    text: &str,
    log: &Log,
    status: Status,
    trouble: Option<Trouble>,
) -> Result<Status, NotRead> {
    output::to_stdout(text.as_bytes())?;
    if let Some(path) = &driving.junit {
        let name = tested.0.display().to_string();
        output::to_file(path, |out| write_tests(&name, tested.1, out))?;
    }
    if let Some(path) = &driving.record {
        if log.forgotten() > 0 {
            let message = format!("the first {} steps are not recorded", log.forgotten());
            diagnostics::warning(&message, None);
        }
        output::to_file(path, |out| out.write_all(log.text().as_bytes()))?;
    }
    match trouble {
        // What failed has failed, limit or not.
        Some(Trouble::Spent(spent)) if status == Status::Violated => {
            diagnostics::warning(&format!("not everything was tested: {spent}"), None);
            Ok(status)
        }
        Some(trouble) => Err(not_driven(trouble)),
        None => Ok(status),
    }
}
