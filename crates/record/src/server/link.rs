//! The sending thread: connects, says hello, sends, hears; and again, after a while, when the connection is lost.
//!
//! What the server says is read on a second thread, for as long as the connection lasts, so that a server which takes
//! nothing and one which says nothing are both noticed.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::time::Duration;

use super::replies::Reply;
use super::shared::{Shared, Trouble};
use super::stream::Stream;

/// So long after a connection was lost the next one is tried; twice as long after each that brought nothing.
const SHORTEST_PAUSE: Duration = Duration::from_millis(50);
/// But not longer than this.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
/// A server may refuse because it is just closing. So many times in a row, and it is meant.
const REFUSALS: u32 = 3;
/// So much is sent at a time.
const CHUNK: usize = 64 << 10;
/// No line of a server is longer.
const LONGEST_LINE: u64 = 16 << 20;
/// So long after a failed write the reader may find out why.
const REASON: Duration = Duration::from_secs(1);

/// Sends what is recorded until everything is over.
pub(crate) fn keep_sending(shared: &Shared) {
    let mut pause = SHORTEST_PAUSE;
    let mut refusals = 0;
    loop {
        let before = shared.progress();
        let Some(trouble) = connection(shared) else {
            return;
        };
        if shared.progress() > before {
            (pause, refusals) = (SHORTEST_PAUSE, 0);
        }
        if let Trouble::Refused(reason) = trouble {
            refusals += 1;
            if refusals == REFUSALS {
                return shared.refused(reason);
            }
        }
        if !shared.pause(pause) {
            return;
        }
        pause = (2 * pause).min(LONGEST_PAUSE);
    }
}

/// One connection, to its end; why it ended, or `None` when everything is over.
fn connection(shared: &Shared) -> Option<Trouble> {
    if let Err(error) = converse(shared) {
        shared.lost(error.to_string());
    }
    shared.leave()
}

fn converse(shared: &Shared) -> io::Result<()> {
    let wake = (shared.options.silence_at_most / 4).max(Duration::from_millis(1));
    let mut stream = Stream::connect(&shared.options.address, wake)?;
    if !shared.greet(stream.try_clone()?) {
        return Ok(());
    }
    let input = stream.try_clone()?;
    std::thread::scope(|scope| {
        let reader = std::thread::Builder::new().name("causet-record-acks".to_owned());
        reader.spawn_scoped(scope, move || listen(shared, input))?;
        let sent = send(shared, &mut stream);
        if sent.is_err() {
            shared.wait_for_reason(REASON);
        }
        // The reader is woken up by this.
        stream.shut_down();
        sent
    })
}

fn send(shared: &Shared, stream: &mut Stream) -> io::Result<()> {
    stream.write_all(shared.options.hello().as_bytes())?;
    let mut chunk = Vec::with_capacity(2 * CHUNK);
    while shared.next(CHUNK, &mut chunk) {
        stream.write_all(&chunk)?;
    }
    Ok(())
}

/// Hears the server until the connection ends, and sees to it that whoever writes notices.
fn listen(shared: &Shared, stream: Stream) {
    let mut input = BufReader::new(stream);
    let ended = hear(shared, &mut input);
    let reason = match ended {
        Ok(()) => "the server has closed the connection".to_owned(),
        Err(error) => error.to_string(),
    };
    shared.lost(reason);
    input.get_ref().shut_down();
}

fn hear(shared: &Shared, input: &mut BufReader<Stream>) -> io::Result<()> {
    let mut line = Vec::new();
    loop {
        let left = LONGEST_LINE.saturating_sub(line.len() as u64);
        match input.by_ref().take(left).read_until(b'\n', &mut line) {
            Ok(_) if line.ends_with(b"\n") => {
                let reply = std::str::from_utf8(&line).ok().and_then(Reply::read);
                line.clear();
                // What is not understood may be meant for clients to come.
                if reply.is_some_and(|reply| !shared.hear(reply)) {
                    return Ok(());
                }
            }
            Ok(_) if line.len() as u64 >= LONGEST_LINE => {
                return Err(io::Error::other("the server sends a line without end"));
            }
            Ok(_) => return Ok(()),
            Err(error) if is_early(&error) => {
                if shared.is_silent() {
                    return Err(io::Error::other("the server does not answer"));
                }
            }
            Err(error) => return Err(error),
        }
    }
}

/// Whether a read only took too long.
fn is_early(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), Interrupted | TimedOut | WouldBlock)
}
