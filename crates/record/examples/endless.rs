//! Records without end, to be killed: `endless FILE EVERY` flushes every so many events and prints how many are safe.

use std::io::{self, Write};

use causet_record::Recording;

fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (Some(path), Some(every)) = (arguments.next(), arguments.next()) else {
        return Err(io::Error::other("usage: endless FILE EVERY"));
    };
    let every: u64 = every.parse().map_err(io::Error::other)?;
    let recording = Recording::builder()
        .processes(["ping", "pong"])
        .to_file(path)?;
    let (mut ping, mut pong) = (recording.process("ping"), recording.process("pong"));
    let mut out = io::stdout();
    for round in 1_u64.. {
        let stamp = ping.event("serve").set("round", round).to("pong").send();
        pong.event("return").recv(&stamp).set("seen", round).done();
        if round.is_multiple_of(every) {
            recording.flush()?;
            writeln!(out, "{}", 2 * round)?;
            out.flush()?;
        }
    }
    Ok(())
}
