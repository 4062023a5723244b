//! Writing the native format.

use std::io;

use causet_trace::Trace;

/// Writes a run.
pub fn write(_trace: &Trace, _out: &mut dyn io::Write) -> io::Result<()> {
    Ok(())
}
