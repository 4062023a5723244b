//! A connection as timely sees it: one that carries its messages and never fails.
//!
//! Timely panics when a connection breaks. Here a broken one is noted as a loss, and the thread that found it stands
//! still for ever: whoever watches the cluster ends the process, or at least gives up on the run. Timely ends a stream
//! with a header that announces no bytes; only after that is the end of a connection passed through to it, so it is
//! necessary to follow the frames as they pass.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::ops::Range;
use std::sync::Arc;

use timely::communication::allocator::zero_copy::stream::Stream;

use super::watch::{How, Shared};

/// A connection to one other process, for timely's messages.
pub(super) struct Link {
    stream: TcpStream,
    process: usize,
    shared: Arc<Shared>,
    frames: Frames,
}

impl Link {
    pub(super) fn new(stream: TcpStream, process: usize, shared: Arc<Shared>) -> Link {
        Link {
            stream,
            process,
            shared,
            frames: Frames::default(),
        }
    }

    /// The connection ended where it should not have. Once nobody cares any more, the thread just stands still.
    fn ended(&self, how: How) -> ! {
        self.shared.note_data_end(self.process, how);
        self.shared.park()
    }
}

impl Read for Link {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.stream.read(buffer) {
                Ok(0) if !buffer.is_empty() && !self.frames.over => self.ended(How::Closed),
                Ok(count) => {
                    self.frames.follow(&buffer[..count]);
                    return Ok(count);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) if self.frames.over => return Ok(0),
                Err(error) => self.ended(How::Reset(error.to_string())),
            }
        }
    }
}

impl Write for Link {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match self.stream.write(bytes) {
                Ok(count) => return Ok(count),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // Nobody is left who would read it, and that is in order.
                Err(_) if self.shared.may_end(self.process) => return Ok(bytes.len()),
                Err(error) => self.ended(How::Reset(error.to_string())),
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream for Link {
    fn try_clone(&self) -> io::Result<Self> {
        let stream = self.stream.try_clone()?;
        Ok(Link::new(stream, self.process, Arc::clone(&self.shared)))
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.stream.set_nonblocking(nonblocking)
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        // If the other side was faster there is nothing left to shut, and whether that is a loss is seen by reading.
        let _ = self.stream.shutdown(how);
        Ok(())
    }
}

/// Where a stream of timely's frames stands. A frame is a header of six numbers, the fifth of which says how many bytes
/// follow.
#[derive(Default)]
struct Frames {
    /// How much of the header has passed.
    header: usize,
    /// How many bytes follow the header, as far as that is known.
    announced: u64,
    /// How many bytes of the message are still to come.
    missing: u64,
    /// Whether the header was seen after which nothing comes.
    over: bool,
}

/// The length of a header.
const HEADER: usize = 6 * 8;
/// Where in it the fifth number stands.
const LENGTH: Range<usize> = 4 * 8..5 * 8;

impl Frames {
    fn follow(&mut self, mut bytes: &[u8]) {
        while let Some((first, rest)) = bytes.split_first()
            && !self.over
        {
            bytes = match self.missing {
                0 => {
                    self.follow_header(*first);
                    rest
                }
                missing => {
                    let passed =
                        usize::try_from(missing).map_or(bytes.len(), |all| all.min(bytes.len()));
                    self.missing -= passed as u64;
                    &bytes[passed..]
                }
            };
        }
    }

    fn follow_header(&mut self, byte: u8) {
        if LENGTH.contains(&self.header) {
            self.announced = self.announced << 8 | u64::from(byte);
        }
        self.header += 1;
        if self.header == HEADER {
            self.over = self.announced == 0;
            self.missing = self.announced;
            (self.header, self.announced) = (0, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::sync::Arc;
    use std::thread::{self, JoinHandle};
    use std::time::Duration;

    use timely::communication::networking::MessageHeader;

    use super::{Frames, Link};
    use crate::cluster::watch::{How, Phase, Shared, Timing, Watch};

    /// Two messages of zeros, which must not be taken for the end, and the end.
    fn stream() -> Vec<u8> {
        let mut bytes = Vec::new();
        for length in [100, 48, 0] {
            let header = MessageHeader {
                channel: 0,
                source: 0,
                target_lower: 0,
                target_upper: 1,
                length,
                seqno: 0,
            };
            header.write_to(&mut bytes).expect("a vector takes all");
            bytes.resize(bytes.len() + length, 0);
        }
        bytes
    }

    #[test]
    fn only_an_empty_message_is_the_end_however_the_stream_is_cut() {
        let bytes = stream();
        for step in 1..=bytes.len() {
            let mut frames = Frames::default();
            let mut passed = 0;
            for part in bytes.chunks(step) {
                assert!(!frames.over, "over after {passed} bytes in steps of {step}");
                frames.follow(part);
                passed += part.len();
            }
            assert!(frames.over, "not over in steps of {step}");
        }
    }

    /// A link that is read until its end, and the connection at its other side.
    fn read_link() -> (Arc<Shared>, TcpStream, JoinHandle<usize>) {
        let timing = Timing {
            pulse: Duration::from_secs(3600),
            silence: Duration::from_secs(3600),
        };
        let addresses = vec!["a:1".to_owned(), "b:1".to_owned(), "c:1".to_owned()];
        let shared = Arc::new(Shared::new(0, addresses, timing));
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("a bound address");
        let other = TcpStream::connect(address).expect("it listens");
        let (stream, _) = listener.accept().expect("it is called");
        let mut link = Link::new(stream, 1, Arc::clone(&shared));
        let reader = thread::spawn(move || {
            let mut all = Vec::new();
            link.read_to_end(&mut all).expect("a link never fails")
        });
        (shared, other, reader)
    }

    #[test]
    fn the_end_after_the_last_message_is_passed_through() {
        let (shared, mut other, reader) = read_link();
        other.write_all(&stream()).expect("it is read");
        drop(other);
        assert_eq!(reader.join().expect("no panic"), stream().len());
        assert_eq!(shared.phase(), Phase::Running);
    }

    #[test]
    fn an_early_end_is_a_loss_and_never_seen_by_timely() {
        let (shared, mut other, reader) = read_link();
        other.write_all(&stream()[..200]).expect("it is read");
        drop(other);
        assert!(!shared.wait_unless_parked(|| reader.is_finished()));
        let lost = shared.loss(1, How::Closed, 0);
        assert_eq!(shared.phase(), Phase::Lost(lost));
    }

    #[test]
    fn an_early_end_after_the_work_is_no_loss_and_keeps_nobody_waiting() {
        let (shared, other, reader) = read_link();
        Watch(Arc::clone(&shared)).finish();
        drop(other);
        assert!(!shared.wait_unless_parked(|| reader.is_finished()));
        assert_eq!(shared.phase(), Phase::Finished);
    }

    #[test]
    fn an_explanation_counts_more_than_the_end_it_explains() {
        let (shared, other, reader) = read_link();
        drop(other);
        // Whether the end is read before or after does not matter.
        thread::sleep(Duration::from_millis(50));
        let lost = shared.loss(2, How::Failed("no memory".to_owned()), 1);
        shared.pass_on(lost.clone());
        assert!(!shared.wait_unless_parked(|| reader.is_finished()));
        assert_eq!(shared.phase(), Phase::Lost(lost));
    }
}
