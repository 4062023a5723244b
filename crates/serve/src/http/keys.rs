//! Keys that open one report each, for browsers, which send no token when they open a page.
//!
//! A key is a code over the names of run and property, under a secret that only this process knows. It can be handed on
//! with the address of the report, it opens nothing else, and it is worth nothing once the server has ended.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::link::is_allowed;

/// Makes keys, and knows them again.
pub struct Keys([u8; 32]);

impl Keys {
    /// Keys under a secret that nobody had before.
    pub fn new() -> Result<Keys, getrandom::Error> {
        let mut secret = [0; 32];
        getrandom::fill(&mut secret)?;
        Ok(Keys(secret))
    }

    /// The key of a report.
    pub fn of(&self, run: &str, property: &str) -> String {
        let Ok(mut code) = Hmac::<Sha256>::new_from_slice(&self.0) else {
            return String::new();
        };
        // The length keeps the names apart.
        code.update(&(run.len() as u64).to_le_bytes());
        code.update(run.as_bytes());
        code.update(property.as_bytes());
        let code = code.finalize().into_bytes();
        code.iter()
            .take(16)
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }

    /// Whether a key opens a report.
    pub fn open(&self, run: &str, property: &str, key: &str) -> bool {
        let own = self.of(run, property);
        !own.is_empty() && is_allowed(Some(&own), Some(key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_opens_one_report() {
        let keys = Keys::new().expect("a secret");
        let key = keys.of("run", "property");
        assert_eq!(key.len(), 32);
        assert!(keys.open("run", "property", &key));
        assert!(!keys.open("runp", "roperty", &key));
        assert!(!keys.open("run", "property", ""));
        let others = Keys::new().expect("a secret");
        assert!(!others.open("run", "property", &key));
    }
}
