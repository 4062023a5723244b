//! What is left behind by tests: a recorded run, a report for the build, and the last word.

use std::path::Path;

use causet_base::Code;
use causet_drive::record::Log;
use causet_drive::system::Trouble;
use causet_report::junit::{End, Tested, write_tests};

use super::{not_driven, not_written};
use crate::cli::test::Driving;
use crate::diagnostics;
use crate::failure::Status;
use crate::input::NotRead;
use crate::output;

/// Writes what was asked for, and says how it all ended: what failed has failed, whatever came after it.
pub(super) fn leave(
    driving: &Driving,
    tested: (&Path, &[Tested]),
    text: &str,
    log: Log,
    status: Status,
    trouble: Option<Trouble>,
) -> Result<Status, NotRead> {
    output::to_stdout(text.as_bytes())?;
    if let Some(path) = &driving.junit {
        let name = tested.0.display().to_string();
        output::to_file(path, |out| write_tests(&name, tested.1, out))?;
    }
    if let Some(path) = &driving.record {
        if log.lost() > 0 {
            let message = format!("the last {} steps are not recorded", log.lost());
            diagnostics::warning(Code::TestIncomplete, &message, None);
        }
        log.end().map_err(|error| not_written(path, &error))?;
    }
    match trouble {
        Some(trouble) if status == Status::Violated => {
            diagnostics::warning(
                Code::TestIncomplete,
                &format!("not everything was tested: {trouble}"),
                None,
            );
            Ok(status)
        }
        Some(trouble) => Err(not_driven(trouble)),
        None => Ok(status),
    }
}

/// A test that trouble has ended, for the report.
pub(super) fn troubled(name: String, trouble: &Trouble) -> Tested {
    Tested {
        name,
        seconds: 0.0,
        end: match trouble {
            Trouble::Adapter(what) => End::Broken(what.clone()),
            Trouble::Spent(spent) => End::Undecided(format!("not tested to the end: {spent}")),
        },
    }
}
