//! Records without end, to be killed: `endless EVERY FILE [FILE]` flushes every so many rounds and prints how many events
//! are safe. With two files each of the two processes has its own.

use std::io::{self, Write};

use causet_record::Recording;

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [every, first, rest @ ..] = &arguments[..] else {
        return Err(io::Error::other("usage: endless EVERY FILE [FILE]"));
    };
    let every: u64 = every.parse().map_err(io::Error::other)?;
    let open = |path: &String| {
        let builder = Recording::builder().processes(["ping", "pong"]);
        builder.to_file(path)
    };
    let of_ping = open(first)?;
    let of_pong = rest.first().map_or(Ok(of_ping.clone()), open)?;
    let (mut ping, mut pong) = (of_ping.process("ping"), of_pong.process("pong"));
    let mut out = io::stdout();
    for round in 1_u64.. {
        let stamp = ping.event("serve").set("round", round).to("pong").send();
        pong.event("return").recv(&stamp).set("seen", round).done();
        if round % every == 0 {
            of_pong.flush()?;
            of_ping.flush()?;
            writeln!(out, "{}", 2 * round)?;
            out.flush()?;
        }
    }
    Ok(())
}
