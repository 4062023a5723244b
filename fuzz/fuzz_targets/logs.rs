//! Any bytes as a log of any format, or of the one that `CAUSET_FORMAT` names.

#![no_main]

use std::sync::LazyLock;

static FORMAT: LazyLock<Option<String>> = LazyLock::new(|| std::env::var("CAUSET_FORMAT").ok());

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| match FORMAT.as_deref() {
    Some(format) => causet_fuzz::log_as(Some(format), bytes),
    None => causet_fuzz::log(bytes),
});
