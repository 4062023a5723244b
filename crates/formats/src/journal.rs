//! The journal of a run that is being followed: its lines as they came, in frames that show whether they are whole.
//!
//! ```text
//! magic, 4 bytes | frame | frame | ...          frame = length, 4 bytes | checksum, 4 bytes | whole lines of text
//! ```
//!
//! Numbers are little-endian, the checksum is a CRC-32 of the lines. A journal is only ever appended to. Whoever writes it
//! may be killed in the middle of a frame: what is left of that one was never acknowledged, and is not there for a
//! reader. A frame that is damaged and not the last one is an error, for what followed it was acknowledged; zeros at the end are no frames. Text is never
//! mistaken for the length of a frame, since four of its bytes make a number that is too large; so a frame that seems to
//! go on beyond the end, while another one stands behind it, is known to be damaged.

use std::io::{self, Read};

/// What every journal begins with.
pub const MAGIC: [u8; 4] = *b"\x89CJ1";

/// No frame is longer.
pub const MAX_FRAME: usize = 64 << 20;

/// The length and the checksum before the lines of a frame.
const HEAD: usize = 8;

/// Puts whole lines into a frame behind what is there.
pub fn frame(lines: &[u8], out: &mut Vec<u8>) {
    for piece in lines.chunks(MAX_FRAME) {
        out.extend_from_slice(&(piece.len() as u32).to_le_bytes());
        out.extend_from_slice(&crc32fast::hash(piece).to_le_bytes());
        out.extend_from_slice(piece);
    }
}

/// The lines of a journal; its magic has been read.
#[derive(Debug)]
pub struct Frames<R> {
    input: R,
    lines: Vec<u8>,
    /// How much of them was given out.
    given: usize,
    /// How many bytes of the journal are known to be whole, its magic included.
    whole: u64,
    is_over: bool,
}

impl<R: Read> Frames<R> {
    /// The frames that follow.
    pub fn new(input: R) -> Self {
        Frames {
            input,
            lines: Vec::new(),
            given: 0,
            whole: MAGIC.len() as u64,
            is_over: false,
        }
    }

    /// The lines of the next frame; `None` when there is no other that is whole.
    pub fn next_frame(&mut self) -> io::Result<Option<&[u8]>> {
        self.given = 0;
        self.lines.clear();
        let mut head = [0; HEAD];
        if self.is_over || fill(&mut self.input, &mut head)? < HEAD {
            self.is_over = true;
            return Ok(None);
        }
        let [length, checksum] = [&head[..4], &head[4..]].map(|four| {
            let four: [u8; 4] = four.try_into().unwrap_or_default();
            u32::from_le_bytes(four)
        });
        let length = length as usize;
        // Nobody writes an empty frame; after a loss of power, a file can end in zeros.
        if length == 0 || length > MAX_FRAME {
            return self.damaged();
        }
        let wanted = &mut self.input.by_ref().take(length as u64);
        if wanted.read_to_end(&mut self.lines)? < length {
            self.is_over = true;
            return match holds_frame(&self.lines) {
                true => Err(self.damage()),
                false => Ok(None),
            };
        }
        if crc32fast::hash(&self.lines) != checksum {
            return self.damaged();
        }
        self.whole += (HEAD + length) as u64;
        Ok(Some(&self.lines))
    }

    /// How many bytes of the journal the frames so far take, its magic included.
    pub fn whole(&self) -> u64 {
        self.whole
    }

    /// A frame that is not what was written: the last one, which was being written, or something that is lost.
    fn damaged(&mut self) -> io::Result<Option<&[u8]>> {
        self.is_over = true;
        self.lines.clear();
        let mut rest = [0; 1 << 10];
        loop {
            let length = fill(&mut self.input, &mut rest)?;
            if rest[..length].iter().any(|&byte| byte != 0) {
                return Err(self.damage());
            }
            if length < rest.len() {
                return Ok(None);
            }
        }
    }

    fn damage(&self) -> io::Error {
        let message = format!(
            "the journal is damaged after byte {}; what stands before is whole",
            self.whole
        );
        io::Error::new(io::ErrorKind::InvalidData, message)
    }
}

/// Whether a whole frame stands somewhere in these bytes.
fn holds_frame(bytes: &[u8]) -> bool {
    let number = |four: &[u8]| u32::from_le_bytes(four.try_into().unwrap_or_default());
    bytes.windows(HEAD).enumerate().any(|(at, head)| {
        let length = number(&head[..4]) as usize;
        let lines = bytes[at + HEAD..].get(..length);
        let lines = lines.filter(|lines| !lines.is_empty() && length <= MAX_FRAME);
        lines.is_some_and(|lines| crc32fast::hash(lines) == number(&head[4..]))
    })
}

impl<R: Read> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.given == self.lines.len() {
            if self.next_frame()?.is_none() {
                return Ok(0);
            }
        }
        let count = buffer.len().min(self.lines.len() - self.given);
        buffer[..count].copy_from_slice(&self.lines[self.given..][..count]);
        self.given += count;
        Ok(count)
    }
}

/// Reads until a buffer is full or nothing is left; how much there was.
fn fill(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match input.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn journal(frames: &[&str]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for lines in frames {
            frame(lines.as_bytes(), &mut bytes);
        }
        bytes
    }

    fn read(bytes: &[u8]) -> Result<String, String> {
        let mut text = String::new();
        let read = Frames::new(bytes).read_to_string(&mut text);
        read.map(|_| text).map_err(|error| error.to_string())
    }

    #[test]
    fn a_journal_cut_anywhere_gives_its_whole_frames() {
        let bytes = journal(&["a\nb\n", "c\n"]);
        for length in 0..bytes.len() {
            let expected = if length < 12 { "" } else { "a\nb\n" };
            assert_eq!(read(&bytes[..length]).as_deref(), Ok(expected), "{length}");
        }
        assert_eq!(read(&bytes).as_deref(), Ok("a\nb\nc\n"));
    }

    #[test]
    fn a_damaged_frame_is_left_out_only_when_it_is_the_last() {
        let mut bytes = journal(&["a\n", "b\n"]);
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        assert_eq!(read(&bytes).as_deref(), Ok("a\n"));
        bytes[last] ^= 1;
        bytes[8] ^= 1;
        let refused = "the journal is damaged after byte 4; what stands before is whole";
        assert_eq!(read(&bytes), Err(refused.to_owned()));
    }

    #[test]
    fn zeros_at_the_end_are_no_frames() {
        let mut bytes = journal(&["a\n", "b\n"]);
        bytes.extend([0; 4000]);
        let mut frames = Frames::new(&*bytes);
        while frames.next_frame().expect("it is read").is_some() {}
        assert_eq!(frames.whole(), 4 + 20);
        let hidden = [journal(&["a\n"]), vec![0; 8], journal(&["b\n"])].concat();
        let refused = "the journal is damaged after byte 14; what stands before is whole";
        assert_eq!(read(&hidden), Err(refused.to_owned()));
    }

    #[test]
    fn a_damaged_length_does_not_hide_the_frames_behind_it() {
        let mut bytes = journal(&["a\n", "b\n", "c\n"]);
        bytes[1] = 1;
        let refused = "the journal is damaged after byte 4; what stands before is whole";
        assert_eq!(read(&bytes), Err(refused.to_owned()));
        let last = journal(&["a\n", "b\n"]).len();
        let mut bytes = journal(&["a\n", "b\n", "c\n"]);
        bytes[last + 1] = 1;
        assert_eq!(
            read(&bytes).as_deref(),
            Ok("a\nb\n"),
            "it may be unfinished"
        );
    }

    #[test]
    fn what_is_whole_is_counted() {
        let bytes = journal(&["a\n", "bc\n"]);
        let mut frames = Frames::new(&bytes[..bytes.len() - 1]);
        assert_eq!(frames.next_frame().ok().flatten(), Some(&b"a\n"[..]));
        assert_eq!(frames.next_frame().ok().flatten(), None);
        assert_eq!(frames.whole(), 4 + 8 + 2);
    }
}
