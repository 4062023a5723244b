//! A server that follows runs, as a process of its own, and somebody who asks it over HTTP.

#![allow(
    dead_code,
    reason = "each test binary uses its own part of the helpers"
)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use causet_serve::client::Errand;
use causet_serve::protocol::Hello;
use serde_json::Value;

/// So long something may take that should be there at once.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) const HEADER: &str = r#"{"causet":1,"processes":["a","b"],"init":{"a.x":0,"b.y":0}}"#;
pub(crate) const NEVER_BOTH: &str = "AG !(a.x = 1 && b.y = 1)";
/// A run in which both can be 1 at once.
pub(crate) const BOTH: &str = "{\"p\":\"a\",\"set\":{\"x\":1}}\n{\"p\":\"b\",\"set\":{\"y\":1}}\n";

/// A server, and what it says.
pub(crate) struct Served {
    pub(crate) child: Child,
    pub(crate) address: SocketAddr,
    said: Receiver<Value>,
    complained: Receiver<String>,
}

impl Served {
    /// Starts a server that keeps runs in a folder.
    pub(crate) fn start(data: &Path, arguments: &[&str]) -> Served {
        Served::start_at(data, "127.0.0.1:0", arguments)
    }

    /// Starts one at an address.
    pub(crate) fn start_at(data: &Path, listen: &str, arguments: &[&str]) -> Served {
        let mut command = Command::new(env!("CARGO_BIN_EXE_causet"));
        command.args(["serve", "--listen", listen, "--data"]);
        command.arg(data).args(arguments);
        Served::spawn(command)
    }

    /// Starts a server by a command.
    pub(crate) fn spawn(mut command: Command) -> Served {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the server starts");
        // One that is killed may not finish its last line.
        let said = lines(child.stdout.take().expect("it has an output"), |line| {
            serde_json::from_str(&line).unwrap_or_default()
        });
        let complained = lines(child.stderr.take().expect("it has an output"), |line| line);
        let first: Value = match said.recv_timeout(PATIENCE) {
            Ok(first) => first,
            Err(_) => panic!("{:?}", complained.iter().collect::<Vec<String>>()),
        };
        let address = first["listening"].as_str().expect("an address");
        Served {
            address: address.parse().expect("an address"),
            child,
            said,
            complained,
        }
    }

    /// The next thing it says.
    pub(crate) fn said(&self) -> Value {
        self.said.recv_timeout(PATIENCE).expect("it says something")
    }

    /// The next verdict.
    pub(crate) fn next(&self) -> Value {
        self.until(|said| said["verdict"].is_string())
    }

    /// The next thing of a kind.
    pub(crate) fn until(&self, is_it: impl Fn(&Value) -> bool) -> Value {
        std::iter::repeat_with(|| self.said())
            .find(is_it)
            .expect("it says so in the end")
    }

    /// Stops it as Ctrl-C does; what it says until it has ended, and its status.
    pub(crate) fn stop(mut self) -> (Vec<Value>, Option<i32>) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-INT", &id]).status();
        assert!(sent.expect("kill can be run").success());
        let status = self.ends();
        (self.said.iter().collect(), status)
    }

    /// Kills it; what it had said.
    pub(crate) fn kill(mut self) -> Vec<Value> {
        self.child.kill().expect("it can be killed");
        self.ends();
        self.said.iter().collect()
    }

    /// What it takes to send it a run.
    pub(crate) fn errand(&self, run: &str) -> Errand {
        Errand {
            server: self.address,
            hello: Hello {
                run: run.to_owned(),
                token: None,
            },
            header: Some(HEADER.to_owned()),
            rate: None,
            patience: PATIENCE,
        }
    }

    /// What a server that is dead had to say.
    pub(crate) fn rest(&self) -> Vec<Value> {
        self.said.iter().collect()
    }

    /// Waits until a line on standard error holds this.
    pub(crate) fn complains(&self, of: &str) -> String {
        loop {
            let line = self.complained.recv_timeout(PATIENCE);
            let line = line.expect("it complains");
            if line.contains(of) {
                return line;
            }
        }
    }

    /// Waits for the end of the server; its status.
    pub(crate) fn ends(&mut self) -> Option<i32> {
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            if let Some(status) = self.child.try_wait().expect("it can be waited for") {
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("it does not end");
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time-out");
        stream
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[], "")
    }

    /// Sends the lines of a run.
    pub(crate) fn post(&self, run: &str, lines: &str) -> Answer {
        self.ask("POST", &format!("/runs/{run}/events"), &[], lines)
    }

    /// Asks for something with a connection of its own.
    pub(crate) fn ask(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Answer {
        let request = request(method, path, &self.address.to_string(), headers, body);
        Answer::of(self.connect(), &request)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It may be dead already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn lines<T: Send + 'static>(
    output: impl Read + Send + 'static,
    read: impl Fn(String) -> T + Send + 'static,
) -> Receiver<T> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if sender.send(read(line)).is_err() {
                break;
            }
        }
    });
    receiver
}

/// A request of HTTP/1.1 whose connection ends with its answer.
pub(crate) fn request(
    method: &str,
    path: &str,
    host: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> String {
    let mut head = format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n");
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    if !body.is_empty() {
        head += &format!("Content-Length: {}\r\n", body.len());
    }
    format!("{head}\r\n{body}")
}

/// What a server answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    /// Sends a request over a stream and reads its answer.
    pub(crate) fn of(mut stream: impl Read + Write, request: &str) -> Answer {
        // A server that refuses a request need not have read all of it.
        let _ = stream.write_all(request.as_bytes());
        Answer::read(stream)
    }

    /// Reads an answer to its end.
    pub(crate) fn read(mut stream: impl Read) -> Answer {
        let mut bytes = Vec::new();
        let mut buffer = [0; 4096];
        // The end of an encrypted stream may come without a word.
        while let Ok(length @ 1..) = stream.read(&mut buffer) {
            bytes.extend_from_slice(&buffer[..length]);
        }
        let text = String::from_utf8(bytes).expect("text");
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok());
        Answer {
            status: status.unwrap_or_else(|| panic!("no status in {text:?}")),
            head: head.to_ascii_lowercase(),
            body: body.to_owned(),
        }
    }

    /// The body of an answer with this status.
    #[track_caller]
    pub(crate) fn json(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{self:?}");
        serde_json::from_str(&self.body).expect("JSON")
    }
}
