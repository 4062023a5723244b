//! Digests of what several processes must have in common: what is asked, and the bytes it is asked about.

use std::io::{self, Read};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use causet::Properties;
use sha2::{Digest as _, Sha256};

/// A digest of parts, each with its length before it, so that no two lists of parts look alike.
#[derive(Clone, Default)]
pub(crate) struct Digest(Sha256);

impl Digest {
    /// Adds a part.
    pub(crate) fn add(&mut self, part: impl AsRef<[u8]>) {
        let part = part.as_ref();
        self.0.update((part.len() as u64).to_be_bytes());
        self.0.update(part);
    }

    /// Adds what is asked.
    pub(crate) fn add_properties(&mut self, properties: &Properties) {
        let mut last = None;
        for asked in properties.all() {
            self.add(&asked.property.name);
            self.add(asked.shown());
            // The properties of a file stand together, so its text is added once.
            if last.replace(Arc::as_ptr(&asked.source)) != Some(Arc::as_ptr(&asked.source)) {
                self.add(&asked.source.text);
            }
        }
    }

    /// The digest of all parts.
    pub(crate) fn finish(self) -> [u8; 32] {
        self.0.finalize().into()
    }
}

/// The digests of the files that were read, in the order in which they were opened.
#[derive(Default)]
pub(crate) struct Inputs(Mutex<Vec<[u8; 32]>>);

impl Inputs {
    /// The same bytes, counted in when the reader is dropped.
    pub(crate) fn hashed<R>(&self, input: R) -> Hashed<'_, R> {
        let mut digests = self.lock();
        digests.push([0; 32]);
        Hashed {
            input,
            digest: Sha256::new(),
            number: digests.len() - 1,
            inputs: self,
        }
    }

    /// The digest of all files.
    pub(crate) fn digest(&self) -> [u8; 32] {
        let mut digest = Digest::default();
        self.lock().iter().for_each(|file| digest.add(file));
        digest.finish()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<[u8; 32]>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A reader whose bytes are remembered as a digest.
pub(crate) struct Hashed<'i, R> {
    input: R,
    digest: Sha256,
    /// Which of the files it is.
    number: usize,
    inputs: &'i Inputs,
}

impl<R: Read> Read for Hashed<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.digest.update(&buffer[..read]);
        Ok(read)
    }
}

impl<R> Drop for Hashed<'_, R> {
    fn drop(&mut self) {
        let digest = std::mem::take(&mut self.digest).finalize();
        self.inputs.lock()[self.number] = digest.into();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(files: &[&[u8]]) -> [u8; 32] {
        let inputs = Inputs::default();
        for &file in files {
            let mut bytes = Vec::new();
            let read = inputs.hashed(file).read_to_end(&mut bytes);
            assert_eq!(read.ok(), Some(file.len()));
        }
        inputs.digest()
    }

    #[test]
    fn every_byte_and_every_border_counts() {
        assert_eq!(digest(&[b"ab", b"c"]), digest(&[b"ab", b"c"]));
        assert_ne!(digest(&[b"ab", b"c"]), digest(&[b"a", b"bc"]));
        assert_ne!(digest(&[b"ab"]), digest(&[b"ac"]));
        assert_ne!(digest(&[b"ab"]), digest(&[b"ab", b""]));
    }

    #[test]
    fn files_count_in_the_order_in_which_they_were_opened() {
        let inputs = Inputs::default();
        let (mut first, mut second) = (inputs.hashed(&b"a"[..]), inputs.hashed(&b"b"[..]));
        let mut bytes = Vec::new();
        second.read_to_end(&mut bytes).expect("bytes");
        drop(second);
        first.read_to_end(&mut bytes).expect("bytes");
        drop(first);
        assert_eq!(inputs.digest(), digest(&[b"a", b"b"]));
    }
}
