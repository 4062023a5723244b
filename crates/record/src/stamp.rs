//! The stamp a message carries: its id and what its sender had heard of, as bytes or as text for a header.
//!
//! The text is `process:number;other=count;…`, with every character but letters, digits and a few signs written as
//! `%` and two hexadecimal digits per byte. Without a clock the first `;` is missing too.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::knowledge::{Knowledge, Known};

/// What a message carries so that its receipt comes after its sending: the message id and the sender's vector clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    pub(crate) process: Arc<str>,
    pub(crate) number: u32,
    pub(crate) knows: Knowledge,
}

/// The bytes of a stamp, by postcard.
#[derive(Serialize, Deserialize)]
struct Plain<'a> {
    process: &'a str,
    number: u32,
    #[serde(borrow)]
    clock: Option<Vec<(&'a str, u32)>>,
}

/// Bytes or text that are no stamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StampError;

impl Stamp {
    /// The id of the message: the sender and the number of its sending event.
    pub fn id(&self) -> String {
        format!("{}:{}", self.process, self.number)
    }

    /// The process that sent the message.
    pub fn sender(&self) -> &str {
        &self.process
    }

    /// The vector clock of the sending event; `None` if clocks are not kept.
    pub fn clock(&self) -> Option<impl Iterator<Item = (&str, u32)>> {
        let entries = self.knows.as_ref()?.entries().iter();
        let others = entries.map(|(process, count)| (&**process, *count));
        Some(others.chain([(&*self.process, self.number)]))
    }

    /// The compact form.
    pub fn to_bytes(&self) -> Vec<u8> {
        // Writing to a growing vector cannot fail.
        postcard::to_stdvec(&self.plain()).unwrap_or_default()
    }

    /// Reads the compact form; nothing may follow it.
    pub fn from_bytes(bytes: &[u8]) -> Result<Stamp, StampError> {
        match postcard::take_from_bytes::<Plain<'_>>(bytes) {
            Ok((plain, [])) => Stamp::from_plain(&plain),
            _ => Err(StampError),
        }
    }

    /// How many bytes the compact form has.
    pub fn size(&self) -> usize {
        self.to_bytes().len()
    }

    fn plain(&self) -> Plain<'_> {
        let entries = self.knows.as_ref().map(|known| known.entries().iter());
        Plain {
            process: &self.process,
            number: self.number,
            clock: entries.map(|all| all.map(|(process, count)| (&**process, *count)).collect()),
        }
    }

    fn from_plain(plain: &Plain<'_>) -> Result<Stamp, StampError> {
        if plain.process.is_empty() || plain.number == 0 {
            return Err(StampError);
        }
        let mut known = Known::default();
        for &(process, count) in plain.clock.iter().flatten() {
            if process.is_empty() || process == plain.process || count == 0 {
                return Err(StampError);
            }
            known.hear(&Arc::from(process), count);
        }
        Ok(Stamp {
            process: Arc::from(plain.process),
            number: plain.number,
            knows: plain.clock.is_some().then(|| Arc::new(known)),
        })
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_name(f, &self.process)?;
        write!(f, ":{}", self.number)?;
        let Some(known) = &self.knows else {
            return Ok(());
        };
        f.write_str(";")?;
        for (number, (process, count)) in known.entries().iter().enumerate() {
            f.write_str(if number > 0 { ";" } else { "" })?;
            write_name(f, process)?;
            write!(f, "={count}")?;
        }
        Ok(())
    }
}

impl FromStr for Stamp {
    type Err = StampError;

    fn from_str(text: &str) -> Result<Stamp, StampError> {
        let (id, clock) = match text.split_once(';') {
            Some((id, clock)) => (id, Some(clock)),
            None => (text, None),
        };
        let (process, number) = read_pair(id, ':')?;
        let entries = |clock: &str| {
            let entries = clock.split(';').filter(|entry| !entry.is_empty());
            entries.map(|entry| read_pair(entry, '=')).collect()
        };
        let clock: Option<Vec<(String, u32)>> = clock.map(entries).transpose()?;
        Stamp::from_plain(&Plain {
            process: &process,
            number,
            clock: clock
                .as_ref()
                .map(|all| all.iter().map(|(p, c)| (&**p, *c)).collect()),
        })
    }
}

impl fmt::Display for StampError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a stamp")
    }
}

impl std::error::Error for StampError {}

fn write_name(f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'/' | b'@' | b'#' => {
                write!(f, "{}", byte as char)?;
            }
            _ => write!(f, "%{byte:02x}")?,
        }
    }
    Ok(())
}

fn read_pair(text: &str, between: char) -> Result<(String, u32), StampError> {
    let (name, number) = text.split_once(between).ok_or(StampError)?;
    let number = number.parse().map_err(|_| StampError)?;
    Ok((read_name(name).ok_or(StampError)?, number))
}

fn read_name(text: &str) -> Option<String> {
    let mut pieces = text.split('%');
    let mut bytes = pieces.next()?.as_bytes().to_vec();
    for piece in pieces {
        let hex = piece.get(..2)?;
        bytes.push(u8::from_str_radix(hex, 16).ok()?);
        bytes.extend_from_slice(&piece.as_bytes()[2..]);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(process: &str, clock: Option<&[(&str, u32)]>) -> Stamp {
        Stamp::from_plain(&Plain {
            process,
            number: 300,
            clock: clock.map(<[_]>::to_vec),
        })
        .expect("a stamp")
    }

    #[test]
    fn bytes_and_text_give_the_stamp_back() {
        let stamps = [
            stamp("p", None),
            stamp("p", Some(&[])),
            stamp("p", Some(&[("a b", 1), ("ä;=:%", u32::MAX), ("z", 7)])),
            stamp("näme with:all;of=it%\n", Some(&[("q", 2)])),
        ];
        for stamp in stamps {
            let text = stamp.to_string();
            assert!(text.bytes().all(|byte| byte.is_ascii_graphic()), "{text}");
            assert_eq!(text.parse(), Ok(stamp.clone()));
            assert_eq!(Stamp::from_bytes(&stamp.to_bytes()), Ok(stamp));
        }
    }

    #[test]
    fn a_stamp_is_small() {
        let stamp = stamp("p1", Some(&[("p2", 5), ("p3", 500)]));
        assert_eq!(stamp.to_string(), "p1:300;p2=5;p3=500");
        assert_eq!(stamp.size(), 16);
    }

    #[test]
    fn what_is_no_stamp_is_refused() {
        for text in [
            "", "p", ":1", "p:0", "p:x", "p:1;q", "p:1;q=", "p:1;=3", "p:1;p=2", "%4:1", "%ff:1",
        ] {
            assert_eq!(text.parse::<Stamp>(), Err(StampError), "{text}");
        }
        let bytes = stamp("p", Some(&[("q", 2)])).to_bytes();
        for cut in 0..bytes.len() {
            assert_eq!(Stamp::from_bytes(&bytes[..cut]), Err(StampError));
        }
        assert_eq!(
            Stamp::from_bytes(&[&bytes[..], &[0]].concat()),
            Err(StampError)
        );
    }
}
