//! The host file: where each process of a run listens, one address per line.
//!
//! ```text
//! # process 0
//! 10.0.0.1:4000
//! node-b.example:4000   # process 1
//! [2001:db8::3]:4000
//! ```
//!
//! The number of a line, without comments and blank lines, is the number of its process, from 0. A process listens on
//! its own line and nowhere else, so an address that stands for all interfaces is refused, like everything that the
//! other processes could not connect to.

use std::net::SocketAddr;

use causet_base::{Code, Diagnostic};

/// The most processes a run may have: each is connected to each.
pub const MOST_PROCESSES: usize = 64;

/// The addresses of all processes, in the order of their numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hosts(Vec<String>);

impl Hosts {
    /// Reads a host file.
    pub fn parse(text: &str) -> Result<Hosts, Diagnostic> {
        let mut hosts = Hosts(Vec::new());
        for (index, line) in text.lines().enumerate() {
            let entry = line.split('#').next().unwrap_or_default().trim();
            if !entry.is_empty() {
                let added = hosts.add(entry);
                added.map_err(|error| in_line(index + 1, &shortened(entry), &error.message))?;
            }
        }
        if hosts.0.is_empty() {
            let problem = "the file names no host: expected one `host:port` per line";
            return Err(in_line(text.lines().count() + 1, "", problem));
        }
        Ok(hosts)
    }

    /// The address of each process, as `host:port`.
    pub fn addresses(&self) -> &[String] {
        &self.0
    }

    /// The number of processes.
    #[expect(
        clippy::len_without_is_empty,
        reason = "a host file has at least one line"
    )]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether all processes are on this machine and cannot be reached from another.
    pub fn loopback_only(&self) -> bool {
        self.0.iter().all(|address| is_loopback(address))
    }

    fn add(&mut self, entry: &str) -> Result<(), Diagnostic> {
        let address = normal(entry)?;
        if let Some(process) = self.0.iter().position(|other| *other == address) {
            return Err(refused(format!(
                "the same address as that of process {process}: every process needs its own"
            )));
        }
        if self.0.len() == MOST_PROCESSES {
            return Err(refused(format!(
                "the host after the last: at most {MOST_PROCESSES} processes can work together"
            )));
        }
        self.0.push(address);
        Ok(())
    }
}

/// What is wrong with an entry.
fn refused(problem: impl Into<String>) -> Diagnostic {
    Diagnostic::new(Code::BadHosts, problem)
}

/// What is wrong in a line of the file, with what stands there.
fn in_line(line: usize, text: &str, problem: &str) -> Diagnostic {
    let text = match text {
        "" => String::new(),
        text => format!(", `{text}`"),
    };
    refused(format!("host file, line {line}{text}: {problem}"))
}

/// The one way to write an address, so that equal ones are seen to be equal.
fn normal(entry: &str) -> Result<String, Diagnostic> {
    if let Ok(address) = entry.parse::<SocketAddr>() {
        return literal(address);
    }
    if entry.starts_with('[') {
        return Err(refused(
            "no address: expected an IPv6 address in brackets and a port, `[::1]:4000`",
        ));
    }
    let Some((host, port)) = entry.rsplit_once(':') else {
        return Err(refused(
            "the port is missing: expected `host:port`, as in `10.0.0.1:4000`",
        ));
    };
    if host.contains(':') {
        return Err(refused(
            "an IPv6 address belongs in brackets, as in `[::1]:4000`",
        ));
    }
    if !is_name(host) {
        return Err(refused(
            "no host name: expected letters, digits, `-`, `_` and dots before the colon",
        ));
    }
    match port.parse::<u16>() {
        Ok(0) => Err(no_port()),
        Ok(port) => Ok(format!("{}:{port}", host.to_ascii_lowercase())),
        Err(_) => Err(refused(
            "no port: expected a number from 1 to 65535 after the colon",
        )),
    }
}

fn literal(address: SocketAddr) -> Result<String, Diagnostic> {
    if address.port() == 0 {
        Err(no_port())
    } else if address.ip().is_unspecified() {
        Err(refused(
            "stands for every interface: expected the address at which the other processes reach this one",
        ))
    } else {
        Ok(address.to_string())
    }
}

fn no_port() -> Diagnostic {
    refused("port 0 means any port, and nobody would know which: expected 1 to 65535")
}

fn is_name(host: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    !host.is_empty() && host.len() <= 253 && host.bytes().all(fits)
}

fn is_loopback(address: &str) -> bool {
    match address.parse::<SocketAddr>() {
        Ok(address) => address.ip().is_loopback(),
        Err(_) => address
            .rsplit_once(':')
            .is_some_and(|(host, _)| host == "localhost"),
    }
}

/// Enough of a line to recognise it.
fn shortened(entry: &str) -> String {
    entry.chars().take(80).collect()
}

#[cfg(test)]
mod tests {
    use super::{Hosts, MOST_PROCESSES};

    fn mistake(text: &str) -> String {
        match Hosts::parse(text) {
            Ok(hosts) => format!("accepted as {hosts:?}"),
            Err(mistake) => mistake.to_string(),
        }
    }

    #[test]
    fn comments_blank_lines_and_brackets_are_understood() {
        let hosts = Hosts::parse("# first\n\n 10.0.0.1:4000 # here\r\nNode-b:1\n[::1]:65535\n");
        let hosts = hosts.expect("a good host file");
        assert_eq!(
            hosts.addresses(),
            ["10.0.0.1:4000", "node-b:1", "[::1]:65535"]
        );
        assert!(!hosts.loopback_only());
    }

    #[test]
    fn only_this_machine_is_loopback() {
        let only = |text| Hosts::parse(text).expect("good hosts").loopback_only();
        assert!(only("127.0.0.1:1\n[::1]:1\nlocalhost:1"));
        assert!(!only("127.0.0.1:1\n192.168.0.1:1"));
        assert!(!only("localhost.example:1"));
    }

    #[test]
    fn mistakes_name_their_line_and_what_was_expected() {
        for (text, expected) in [
            ("", "line 1: the file names no host"),
            ("# nothing\n", "line 2: the file names no host"),
            ("a:1\nb", "line 2, `b`: the port is missing"),
            ("a:0", "line 1, `a:0`: port 0 means any port"),
            ("127.0.0.1:0", "port 0 means any port"),
            ("a:65536", "no port"),
            ("::1:4000", "belongs in brackets"),
            ("[::1]", "no address"),
            ("0.0.0.0:4000", "stands for every interface"),
            ("a b:4000", "no host name"),
            (":4000", "no host name"),
            (
                "a:1\nb:1\n\nA:1",
                "line 4, `A:1`: the same address as that of process 0",
            ),
            (
                "[::1]:1\n[0:0::1]:1",
                "the same address as that of process 0",
            ),
        ] {
            let said = mistake(text);
            assert!(said.contains(expected), "{text:?} gave: {said}");
        }
    }

    #[test]
    fn there_is_a_largest_number_of_processes() {
        let lines = |count: usize| -> String { (1..=count).map(|n| format!("a:{n}\n")).collect() };
        assert_eq!(
            Hosts::parse(&lines(MOST_PROCESSES)).map(|hosts| hosts.len()),
            Ok(MOST_PROCESSES)
        );
        let said = mistake(&lines(MOST_PROCESSES + 1));
        assert!(
            said.contains("line 65") && said.contains("at most 64"),
            "{said}"
        );
    }
}
