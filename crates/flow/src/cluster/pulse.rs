//! Signs of life between two processes, on a connection of their own.
//!
//! One thread writes a small frame with the figures of the local workers again and again, and at the end one last word:
//! a goodbye, or who was lost and how. Another thread reads what the other process writes. It counts how long nothing
//! came, but only time in which it was awake itself: a process that was stopped and goes on must read what the others
//! said in the meantime before it judges them. Writing never says that somebody is lost; a process that cannot be
//! written to is not heard of either, and the reading thread knows why.
//!
//! The kernel has signs of life of its own, but they are answered for a process that is stopped, and by default they
//! take hours.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use super::watch::{Figures, How, Lost, MOST_WORKERS, Phase, Shared};

/// How long one frame may take to be written: its reader must be stopped, for the kernel to have no room left.
const WRITE: Duration = Duration::from_secs(1);
/// The most bytes of a reason that are told.
const LONGEST_REASON: usize = 4096;
const FIGURES_SIZE: usize = 5 * 8 + 4;
const LONGEST_FRAME: usize = 1 + MOST_WORKERS * FIGURES_SIZE;

/// Serves the link for pulses to a process, with two threads that end with the run. Only the first such link counts.
pub(super) fn start(shared: &Arc<Shared>, process: usize, stream: TcpStream) -> io::Result<()> {
    stream.set_write_timeout(Some(WRITE))?;
    stream.set_read_timeout(Some(tick(shared)))?;
    if !shared.keep_pulse(process, stream.try_clone()?) {
        return Ok(());
    }
    let writer = Speaker::new(shared, process, stream.try_clone()?);
    thread::Builder::new()
        .name(format!("pulse-to-{process}"))
        .spawn(move || writer.run())?;
    let reader = Listener {
        shared: Arc::clone(shared),
        process,
        stream,
    };
    thread::Builder::new()
        .name(format!("pulse-from-{process}"))
        .spawn(move || reader.run())?;
    Ok(())
}

/// What travels on the link.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Frame {
    Figures(Vec<Figures>),
    /// What the process read.
    Inputs([u8; 32]),
    Goodbye,
    Lost {
        process: u32,
        noticed_by: u32,
        how: How,
    },
}

/// Gives signs of life to one process. Counted as speaking from the beginning to its end.
struct Speaker {
    shared: Arc<Shared>,
    process: usize,
    stream: TcpStream,
}

impl Speaker {
    fn new(shared: &Arc<Shared>, process: usize, stream: TcpStream) -> Speaker {
        shared.start_speaking();
        Speaker {
            shared: Arc::clone(shared),
            process,
            stream,
        }
    }

    fn run(mut self) {
        let mut told = None;
        while !self.shared.may_end(self.process) {
            let mut words = Frame::Figures(self.shared.own_figures()).encode();
            let inputs = self.shared.own_inputs();
            if let Some(inputs) = inputs.filter(|_| inputs != told) {
                words.extend(Frame::Inputs(inputs).encode());
            }
            told = inputs;
            if self.stream.write_all(&words).is_err() {
                return;
            }
            self.shared.rest(self.process, told);
        }
        if let Some(inputs) = self
            .shared
            .own_inputs()
            .filter(|&inputs| Some(inputs) != told)
        {
            // The other one may still wait for them.
            let _ = self.stream.write_all(&Frame::Inputs(inputs).encode());
        }
        if let Some(word) = self.last_word() {
            // There is nobody to tell if it fails: the other process is gone, or will notice the silence.
            let _ = self.stream.write_all(&word.encode());
        }
    }

    fn last_word(&self) -> Option<Frame> {
        match self.shared.phase() {
            Phase::Running | Phase::Dropped => None,
            Phase::Finished => Some(Frame::Goodbye),
            Phase::Failed(why) => Some(Frame::Lost {
                process: self.shared.own as u32,
                noticed_by: self.shared.own as u32,
                how: How::Failed(why),
            }),
            Phase::Lost(lost) => Some(Frame::Lost {
                process: lost.process as u32,
                noticed_by: lost.noticed_by as u32,
                how: lost.how,
            }),
        }
    }
}

impl Drop for Speaker {
    fn drop(&mut self) {
        self.shared.stop_speaking();
    }
}

/// Hears the signs of life of one process.
struct Listener {
    shared: Arc<Shared>,
    process: usize,
    stream: TcpStream,
}

impl Listener {
    fn run(mut self) {
        if let Some(how) = self.listen() {
            self.shared.note(self.process, how);
        }
    }

    /// Listens until the link ends; says how, unless that is in order.
    fn listen(&mut self) -> Option<How> {
        let (silence, tick) = (self.shared.timing.silence, tick(&self.shared));
        let mut heard = Vec::new();
        let mut quiet = Duration::ZERO;
        let mut buffer = [0; 4096];
        while self.shared.phase() == Phase::Running {
            let begun = Instant::now();
            match self.stream.read(&mut buffer) {
                Ok(0) => return Some(How::Closed),
                Ok(count) => {
                    quiet = Duration::ZERO;
                    heard.extend_from_slice(&buffer[..count]);
                    if !self.understand(&mut heard) {
                        return Some(How::Reset("it sent what makes no sense".to_owned()));
                    }
                    if self.shared.may_end(self.process) {
                        return None;
                    }
                }
                Err(error) if is_pause(&error) => {
                    quiet += begun.elapsed().min(2 * tick);
                    if quiet >= silence {
                        return Some(How::Silent(silence));
                    }
                }
                Err(error) => return Some(How::Reset(error.to_string())),
            }
        }
        None
    }

    /// Takes all whole frames from the front of what was heard. Says whether they make sense.
    fn understand(&self, heard: &mut Vec<u8>) -> bool {
        while let Some((length, rest)) = heard.split_first_chunk() {
            let length = u32::from_be_bytes(*length) as usize;
            if length > LONGEST_FRAME {
                return false;
            }
            let Some(frame) = rest.get(..length) else {
                return true;
            };
            let understood = Frame::decode(frame).is_some_and(|frame| self.obey(frame));
            heard.drain(..4 + length);
            if !understood {
                return false;
            }
        }
        true
    }

    fn obey(&self, frame: Frame) -> bool {
        match frame {
            Frame::Figures(figures) => self.shared.note_figures(self.process, figures),
            Frame::Inputs(inputs) => self.shared.note_inputs(self.process, inputs),
            Frame::Goodbye => self.shared.note_goodbye(self.process),
            Frame::Lost {
                process,
                noticed_by,
                how,
            } => match self.told(process as usize, noticed_by as usize, how) {
                Some(lost) => self.shared.pass_on(lost),
                None => return false,
            },
        }
        true
    }

    fn told(&self, process: usize, noticed_by: usize, how: How) -> Option<Lost> {
        let known = self.shared.addresses.len();
        (process < known && noticed_by < known).then(|| self.shared.loss(process, how, noticed_by))
    }
}

/// How long one attempt to read waits: short beside the silence that is a loss.
fn tick(shared: &Shared) -> Duration {
    (shared.timing.silence / 16).clamp(Duration::from_millis(5), Duration::from_millis(250))
}

/// Whether reading may go on: nothing came yet, or this process was stopped in between.
fn is_pause(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), WouldBlock | TimedOut | Interrupted)
}

impl Frame {
    /// The frame with its length before it.
    fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![0; 4];
        match self {
            Frame::Figures(figures) => {
                bytes.push(0);
                for one in figures {
                    encode_figures(one, &mut bytes);
                }
            }
            Frame::Goodbye => bytes.push(1),
            Frame::Inputs(inputs) => {
                bytes.push(3);
                bytes.extend(inputs);
            }
            Frame::Lost {
                process,
                noticed_by,
                how,
            } => {
                bytes.push(2);
                bytes.extend(process.to_be_bytes());
                bytes.extend(noticed_by.to_be_bytes());
                encode_how(how, &mut bytes);
            }
        }
        let length = (bytes.len() - 4) as u32;
        bytes[..4].copy_from_slice(&length.to_be_bytes());
        bytes
    }

    /// The frame without its length.
    fn decode(bytes: &[u8]) -> Option<Frame> {
        let (kind, rest) = bytes.split_first()?;
        match kind {
            0 => {
                let (figures, rest) = rest.as_chunks::<FIGURES_SIZE>();
                rest.is_empty()
                    .then(|| Frame::Figures(figures.iter().map(decode_figures).collect()))
            }
            1 => rest.is_empty().then_some(Frame::Goodbye),
            3 => rest.try_into().ok().map(Frame::Inputs),
            2 => {
                let (process, rest) = rest.split_first_chunk()?;
                let (noticed_by, rest) = rest.split_first_chunk()?;
                Some(Frame::Lost {
                    process: u32::from_be_bytes(*process),
                    noticed_by: u32::from_be_bytes(*noticed_by),
                    how: decode_how(rest)?,
                })
            }
            _ => None,
        }
    }
}

fn encode_figures(figures: &Figures, bytes: &mut Vec<u8>) {
    let Figures {
        variables,
        queued,
        messages,
        bytes: sent,
        idle_permille,
        steps,
    } = figures;
    for figure in [variables, queued, messages, sent, steps] {
        bytes.extend(figure.to_be_bytes());
    }
    bytes.extend(idle_permille.to_be_bytes());
}

fn decode_figures(bytes: &[u8; FIGURES_SIZE]) -> Figures {
    let (words, last) = bytes.as_chunks::<8>();
    let word = |index: usize| u64::from_be_bytes(words[index]);
    Figures {
        variables: word(0),
        queued: word(1),
        messages: word(2),
        bytes: word(3),
        steps: word(4),
        idle_permille: last.iter().fold(0, |sum, byte| sum << 8 | u32::from(*byte)),
    }
}

fn encode_how(how: &How, bytes: &mut Vec<u8>) {
    let (kind, reason) = match how {
        How::Closed => (0, ""),
        How::Reset(why) => (1, why.as_str()),
        How::Silent(time) => {
            bytes.push(2);
            bytes.extend((time.as_millis() as u64).to_be_bytes());
            return;
        }
        How::Failed(why) => (3, why.as_str()),
    };
    bytes.push(kind);
    bytes.extend(&reason.as_bytes()[..reason.floor_char_boundary(LONGEST_REASON)]);
}

fn decode_how(bytes: &[u8]) -> Option<How> {
    let (kind, rest) = bytes.split_first()?;
    let reason = || Some(std::str::from_utf8(rest).ok()?.to_owned());
    match kind {
        0 => rest.is_empty().then_some(How::Closed),
        1 => Some(How::Reset(reason()?)),
        2 => Some(How::Silent(Duration::from_millis(u64::from_be_bytes(
            rest.try_into().ok()?,
        )))),
        3 => Some(How::Failed(reason()?)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Frame, LONGEST_FRAME};
    use crate::cluster::watch::{Figures, How, MOST_WORKERS};

    fn figures(start: u64) -> Figures {
        Figures {
            variables: start,
            queued: start + 1,
            messages: start + 2,
            bytes: u64::MAX - start,
            idle_permille: 1000,
            steps: start + 4,
        }
    }

    fn lost(how: How) -> Frame {
        Frame::Lost {
            process: 1,
            noticed_by: 2,
            how,
        }
    }

    #[test]
    fn frames_survive_the_journey() {
        for frame in [
            Frame::Figures(vec![]),
            Frame::Figures(vec![figures(1), figures(1 << 40)]),
            Frame::Goodbye,
            lost(How::Closed),
            lost(How::Reset("broken".to_owned())),
            lost(How::Silent(Duration::from_secs(4))),
            lost(How::Failed("no such file".to_owned())),
        ] {
            let bytes = frame.encode();
            assert_eq!(Frame::decode(&bytes[4..]), Some(frame));
        }
    }

    #[test]
    fn every_frame_fits() {
        let reason = Frame::decode(&lost(How::Failed("ö".repeat(9999))).encode()[4..]);
        assert_eq!(reason, Some(lost(How::Failed("ö".repeat(2048)))));
        let all = Frame::Figures(vec![figures(0); MOST_WORKERS]).encode();
        assert_eq!(all.len(), 4 + LONGEST_FRAME);
    }

    #[test]
    fn nonsense_is_no_frame() {
        for bytes in [
            &[][..],
            &[0, 1],
            &[1, 0],
            &[2],
            &[2, 0, 0, 0, 0, 0, 0, 0, 0, 9],
            &[7],
        ] {
            assert_eq!(Frame::decode(bytes), None, "{bytes:?}");
        }
    }
}
