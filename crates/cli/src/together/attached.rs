//! A process that another one started and watches: what it is told on standard input.
//!
//! ```text
//! the secret
//! the address of process 0
//! the address of process 1
//! (an empty line)
//! cancel             when the work is to end with what is known
//! (end of input)     when whoever started the process is gone, and nobody wants to know any more
//! ```
//!
//! So nothing secret stands in a command line, in a file or in the environment, and no process outlives the one that
//! started it, even if that was killed.

use std::io;

use causet_base::Code;

use crate::failure::Failure;
use crate::limits;

/// The secret and the lines of the host file.
pub(super) fn told() -> Result<(String, String), Failure> {
    let secret = line()?;
    let mut hosts = String::new();
    loop {
        let host = line()?;
        if host.trim().is_empty() {
            return Ok((secret, hosts));
        }
        hosts.push_str(&host);
    }
}

/// Listens to what comes after that.
pub(super) fn listen() -> Result<(), Failure> {
    let listen = || loop {
        match line() {
            Ok(word) if word.trim() == "cancel" => limits::cancel(),
            Ok(_) => {}
            Err(gone) => crate::end(Err(gone)),
        }
    };
    let thread = std::thread::Builder::new().name("attached".to_owned());
    let started = thread.spawn(listen);
    started
        .map(drop)
        .map_err(|error| Failure::io(Code::CannotStart, "no thread could be started", &error))
}

fn line() -> Result<String, Failure> {
    let mut line = String::new();
    match io::stdin().read_line(&mut line) {
        Ok(bytes) if bytes > 0 => Ok(line),
        _ => Err(Failure::Lost(
            "whoever started this process is gone".to_owned(),
        )),
    }
}
