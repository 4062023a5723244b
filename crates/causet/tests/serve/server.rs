//! A server as a process of its own, and what it says.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use causet_serve::client::Errand;
use causet_serve::protocol::Hello;
use serde_json::Value;

pub(crate) const CAUSET: &str = env!("CARGO_BIN_EXE_causet");
/// So long something may take that should be there at once.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server, and what it says.
pub(crate) struct Server {
    pub(crate) child: Child,
    pub(crate) address: SocketAddr,
    said: Receiver<Value>,
}

impl Server {
    pub(crate) fn start(data: &Path, arguments: &[&str]) -> Server {
        Server::start_at(data, "127.0.0.1:0", arguments)
    }

    pub(crate) fn start_at(data: &Path, listen: &str, arguments: &[&str]) -> Server {
        let mut child = Command::new(CAUSET)
            .args(["serve", "--listen", listen, "--data"])
            .arg(data)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the server starts");
        let out = BufReader::new(child.stdout.take().expect("it has an output"));
        let (sender, said) = channel();
        std::thread::spawn(move || {
            for line in out.lines().map_while(Result::ok) {
                let value = serde_json::from_str(&line).expect("JSON lines");
                if sender.send(value).is_err() {
                    break;
                }
            }
        });
        let first: Value = said
            .recv_timeout(PATIENCE)
            .expect("it says where it listens");
        let address = first["listening"].as_str().expect("an address");
        Server {
            address: address.parse().expect("an address"),
            child,
            said,
        }
    }

    pub(crate) fn next(&self) -> Value {
        self.said.recv_timeout(PATIENCE).expect("it has news")
    }

    /// Stops it as Ctrl-C does; what it says until it has ended, and its status.
    pub(crate) fn stop(mut self) -> (Vec<Value>, Option<i32>) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-INT", &id]).status();
        assert!(sent.expect("kill can be run").success());
        let status = self.child.wait().expect("it ends");
        (self.said.iter().collect(), status.code())
    }

    pub(crate) fn kill(mut self) -> Vec<Value> {
        self.child.kill().expect("it can be killed");
        self.child.wait().expect("it ends");
        self.said.iter().collect()
    }

    pub(crate) fn errand(&self, run: &str) -> Errand {
        Errand {
            server: self.address,
            hello: hello(run),
            header: Some(super::HEADER.to_owned()),
            rate: None,
            patience: PATIENCE,
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may be dead already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn hello(run: &str) -> Hello {
    Hello {
        run: run.to_owned(),
        token: None,
    }
}
