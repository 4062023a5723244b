//! What two processes say to each other before anything else, on every connection.
//!
//! Both open with a magic word, the number of this protocol, a number drawn for this connection and a hello: who they
//! are, what the connection is for, and what they were told about the run. Then the one who connects proves that it has
//! the secret, by a code over its role, both numbers and both hellos; the one who listens answers with a refusal or
//! with its own proof. The roles differ, so nobody can be answered with what it said itself. Only after the proof is a
//! hello believed; whether the two were told the same is for the caller to judge, on both sides.
//!
//! Every step has the same deadline, and nothing is read that could be longer than [`LONGEST_HELLO`], so a stranger
//! costs one thread for a few seconds and some memory that does not depend on what it sends.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use super::secret::{PROOF, Secret, random_bytes};

/// Opens every connection, so that a stranger is recognised at once.
const MAGIC: [u8; 8] = *b"causet\r\n";
/// Changes whenever two programs would misunderstand each other.
const PROTOCOL: u16 = 1;
const NONCE: usize = 32;
const LONGEST_HELLO: usize = 512;
const LONGEST_VERSION: usize = 200;
const REFUSED: u8 = 0;
const WELCOME: u8 = 1;

/// Who opened the connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    Connects,
    Listens,
}

/// What a connection is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Purpose {
    /// Signs of life, figures and reasons.
    Pulse,
    /// The messages of the dataflow.
    Data,
}

/// Who somebody is, and what it was told about the run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Hello {
    pub(super) process: u32,
    pub(super) purpose: Purpose,
    pub(super) processes: u32,
    pub(super) workers: u32,
    /// How many times data links were made before, in this run.
    pub(super) round: u32,
    pub(super) job: [u8; 32],
    pub(super) version: String,
}

/// Why there was no understanding.
#[derive(Debug)]
pub(super) enum Refusal {
    /// The connection broke or took too long.
    Broken(io::Error),
    /// The other one is no process of ours; this is how it was recognised.
    Stranger(&'static str),
    /// The other one has another secret, or none.
    Secret,
}

/// Introduces this process on a new connection and gives the hello of the other one, which is proven to have the
/// secret. The connection has no timeouts afterwards.
pub(super) fn introduce(
    stream: &TcpStream,
    role: Role,
    own: &Hello,
    secret: &Secret,
    deadline: Instant,
) -> Result<Hello, Refusal> {
    let mut line = Timed { stream, deadline };
    let ours = opening(own)?;
    line.write_all(&ours)?;
    let theirs = read_opening(&mut line)?;
    let hello = Hello::decode(&theirs[MAGIC.len() + 2 + NONCE + 2..])
        .ok_or(Refusal::Stranger("its hello makes no sense"))?;
    match role {
        Role::Connects => prove_first(&mut line, secret, &ours, &theirs)?,
        Role::Listens => prove_second(&mut line, secret, &ours, &theirs)?,
    }
    stream.set_read_timeout(None)?;
    stream.set_write_timeout(None)?;
    Ok(hello)
}

fn prove_first(
    line: &mut Timed<'_>,
    secret: &Secret,
    ours: &[u8],
    theirs: &[u8],
) -> Result<(), Refusal> {
    line.write_all(&secret.prove(&[Role::Connects.name(), ours, theirs]))?;
    let mut verdict = [REFUSED];
    line.read_exact(&mut verdict)?;
    if verdict != [WELCOME] {
        return Err(Refusal::Secret);
    }
    let mut proof = [0; PROOF];
    line.read_exact(&mut proof)?;
    match secret.verify(&[Role::Listens.name(), ours, theirs], &proof) {
        true => Ok(()),
        false => Err(Refusal::Secret),
    }
}

fn prove_second(
    line: &mut Timed<'_>,
    secret: &Secret,
    ours: &[u8],
    theirs: &[u8],
) -> Result<(), Refusal> {
    let mut proof = [0; PROOF];
    line.read_exact(&mut proof)?;
    if !secret.verify(&[Role::Connects.name(), theirs, ours], &proof) {
        line.write_all(&[REFUSED])?;
        return Err(Refusal::Secret);
    }
    let mut answer = [WELCOME; 1 + PROOF];
    answer[1..].copy_from_slice(&secret.prove(&[Role::Listens.name(), theirs, ours]));
    Ok(line.write_all(&answer)?)
}

/// Magic word, protocol, nonce, length of the hello, hello.
fn opening(own: &Hello) -> Result<Vec<u8>, Refusal> {
    let nonce = random_bytes().map_err(|why| Refusal::Broken(io::Error::other(why.to_string())))?;
    let hello = own.encode();
    let mut bytes = Vec::from(MAGIC);
    bytes.extend(PROTOCOL.to_be_bytes());
    bytes.extend(nonce);
    bytes.extend((hello.len() as u16).to_be_bytes());
    bytes.extend(hello);
    Ok(bytes)
}

fn read_opening(line: &mut Timed<'_>) -> Result<Vec<u8>, Refusal> {
    let mut bytes = vec![0; MAGIC.len()];
    line.read_exact(&mut bytes)?;
    if bytes != MAGIC {
        return Err(Refusal::Stranger("it speaks another protocol"));
    }
    let mut protocol = [0; 2];
    line.read_exact(&mut protocol)?;
    if protocol != PROTOCOL.to_be_bytes() {
        return Err(Refusal::Stranger(
            "it is a Causet that speaks another protocol, of another version",
        ));
    }
    let mut middle = [0; NONCE + 2];
    line.read_exact(&mut middle)?;
    let length = usize::from(u16::from_be_bytes([middle[NONCE], middle[NONCE + 1]]));
    if length > LONGEST_HELLO {
        return Err(Refusal::Stranger("its hello is too long"));
    }
    bytes.extend(protocol);
    bytes.extend(middle);
    let start = bytes.len();
    bytes.resize(start + length, 0);
    line.read_exact(&mut bytes[start..])?;
    Ok(bytes)
}

impl Role {
    fn name(self) -> &'static [u8] {
        match self {
            Role::Connects => b"connects",
            Role::Listens => b"listens",
        }
    }
}

impl Hello {
    fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend(self.process.to_be_bytes());
        bytes.push(match self.purpose {
            Purpose::Pulse => 0,
            Purpose::Data => 1,
        });
        bytes.extend(self.processes.to_be_bytes());
        bytes.extend(self.workers.to_be_bytes());
        bytes.extend(self.round.to_be_bytes());
        bytes.extend(self.job);
        bytes.extend(shortened(&self.version).as_bytes());
        bytes
    }

    fn decode(bytes: &[u8]) -> Option<Hello> {
        let (process, rest) = bytes.split_first_chunk()?;
        let (purpose, rest) = rest.split_first()?;
        let (processes, rest) = rest.split_first_chunk()?;
        let (workers, rest) = rest.split_first_chunk()?;
        let (round, rest) = rest.split_first_chunk()?;
        let (job, version) = rest.split_first_chunk()?;
        Some(Hello {
            process: u32::from_be_bytes(*process),
            purpose: match purpose {
                0 => Purpose::Pulse,
                1 => Purpose::Data,
                _ => return None,
            },
            processes: u32::from_be_bytes(*processes),
            workers: u32::from_be_bytes(*workers),
            round: u32::from_be_bytes(*round),
            job: *job,
            version: std::str::from_utf8(version).ok()?.to_owned(),
        })
    }
}

/// The part of a version that travels.
pub(super) fn shortened(version: &str) -> &str {
    &version[..version.floor_char_boundary(LONGEST_VERSION)]
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        Refusal::Broken(error)
    }
}

/// A connection on which everything together ends at a deadline: one that gives a byte now and then is no better than
/// one that gives none.
struct Timed<'a> {
    stream: &'a TcpStream,
    deadline: Instant,
}

impl Timed<'_> {
    fn left(&self) -> io::Result<Duration> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        match left.is_zero() {
            true => Err(io::ErrorKind::TimedOut.into()),
            false => Ok(left),
        }
    }
}

impl Read for Timed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(Some(self.left()?))?;
        self.stream.read(buffer)
    }
}

impl Write for Timed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(Some(self.left()?))?;
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Hello, LONGEST_HELLO, Purpose};

    fn hello(version: &str) -> Hello {
        Hello {
            process: 7,
            purpose: Purpose::Data,
            processes: 9,
            workers: 4,
            round: 3,
            job: [5; 32],
            version: version.to_owned(),
        }
    }

    #[test]
    fn a_hello_survives_the_journey() {
        let ours = hello("0.1.0");
        assert_eq!(Hello::decode(&ours.encode()), Some(ours));
    }

    #[test]
    fn every_hello_fits_and_every_cut_one_is_refused() {
        let long = hello(&"ä".repeat(500)).encode();
        assert!(long.len() <= LONGEST_HELLO);
        assert!(Hello::decode(&long).is_some());
        let short = hello("").encode();
        for length in 0..short.len() {
            assert_eq!(Hello::decode(&short[..length]), None);
        }
    }
}
