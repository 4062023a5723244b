//! The secret by which processes of one run know each other.
//!
//! It never travels: a process proves that it has it by a code over numbers that were drawn for this connection
//! (HMAC-SHA256), so that a listener on the line learns nothing it could use again. What is said afterwards is neither
//! hidden nor protected; a run over a network that is not trusted belongs in a tunnel.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// The fewest bytes a secret may have.
pub const SHORTEST_SECRET: usize = 16;

/// How long a proof is, in bytes.
pub(super) const PROOF: usize = 32;

/// What all processes of a run know and nobody else.
#[derive(Clone)]
pub struct Secret(String);

/// Why something cannot be a secret.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BadSecret {
    /// It has too few bytes.
    TooShort(usize),
    /// It is not text.
    NotText,
    /// The system gave no random numbers; this is what it said.
    NoRandomness(String),
}

impl Secret {
    /// A secret as it was read from a file. White space around it does not count, so that a line end does no harm.
    pub fn from_bytes(bytes: &[u8]) -> Result<Secret, BadSecret> {
        Secret::from_text(std::str::from_utf8(bytes).map_err(|_| BadSecret::NotText)?)
    }

    /// A secret as it was typed. White space around it does not count.
    pub fn from_text(text: &str) -> Result<Secret, BadSecret> {
        let text = text.trim();
        if text.len() < SHORTEST_SECRET {
            return Err(BadSecret::TooShort(text.len()));
        }
        Ok(Secret(text.to_owned()))
    }

    /// A new secret that nobody can guess: 64 hexadecimal digits.
    pub fn random() -> Result<Secret, BadSecret> {
        let bytes = random_bytes().map_err(|why| BadSecret::NoRandomness(why.to_string()))?;
        Ok(Secret(
            bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        ))
    }

    /// The secret as text, for the other processes: [`Secret::from_text`] makes the same secret of it.
    pub fn to_text(&self) -> String {
        self.0.clone()
    }

    /// A code over the parts that only somebody with the secret can give.
    pub(super) fn prove(&self, parts: &[&[u8]]) -> [u8; PROOF] {
        self.code(parts).finalize().into_bytes().into()
    }

    /// Whether the code was given by somebody with the secret. Takes the same time for every wrong code.
    pub(super) fn verify(&self, parts: &[&[u8]], proof: &[u8; PROOF]) -> bool {
        self.code(parts).verify_slice(proof).is_ok()
    }

    /// Each part with its length before it, so that no two lists of parts look alike.
    fn code(&self, parts: &[&[u8]]) -> Hmac<Sha256> {
        let mut code = Hmac::<Sha256>::new_from_slice(self.0.as_bytes())
            .expect("HMAC takes keys of every length");
        for part in parts {
            code.update(&(part.len() as u64).to_be_bytes());
            code.update(part);
        }
        code
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

impl fmt::Display for BadSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadSecret::TooShort(bytes) => write!(
                f,
                "the secret has {bytes} bytes: expected at least {SHORTEST_SECRET}, better 64 random digits"
            ),
            BadSecret::NotText => f.write_str(
                "the secret is not text (UTF-8): expected a line of text, such as 64 random digits",
            ),
            BadSecret::NoRandomness(why) => {
                write!(
                    f,
                    "no secret could be drawn, the system gives no random numbers: {why}"
                )
            }
        }
    }
}

impl std::error::Error for BadSecret {}

/// Bytes that nobody can foresee; the text of the system's refusal if it gives none.
pub(super) fn random_bytes() -> Result<[u8; 32], getrandom::Error> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::{BadSecret, Secret};

    fn secret(text: &str) -> Secret {
        Secret::from_text(text).expect("long enough")
    }

    #[test]
    fn short_secrets_are_refused_and_white_space_does_not_count() {
        let refused = |text| Secret::from_text(text).err();
        assert_eq!(
            refused("  0123456789abcde\n"),
            Some(BadSecret::TooShort(15))
        );
        assert_eq!(refused("0123456789abcdef"), None);
        assert_eq!(
            Secret::from_bytes(&[0xff; 32]).err(),
            Some(BadSecret::NotText)
        );
    }

    #[test]
    fn a_random_secret_survives_being_written_down() {
        let first = Secret::random().expect("random numbers");
        let again = Secret::from_bytes(format!("{}\n", first.to_text()).as_bytes());
        let proof = first.prove(&[b"a"]);
        assert!(again.expect("long enough").verify(&[b"a"], &proof));
        let second = Secret::random().expect("random numbers");
        assert!(!second.verify(&[b"a"], &proof));
    }

    #[test]
    fn a_proof_holds_for_its_parts_only() {
        let ours = secret("a secret of some length");
        let proof = ours.prove(&[b"ab", b"c"]);
        assert!(ours.verify(&[b"ab", b"c"], &proof));
        assert!(!ours.verify(&[b"a", b"bc"], &proof));
        assert!(!secret("a secret of same length").verify(&[b"ab", b"c"], &proof));
    }

    #[test]
    fn a_secret_is_not_printed() {
        assert_eq!(
            format!("{:?}", secret("a secret of some length")),
            "Secret(..)"
        );
    }
}
