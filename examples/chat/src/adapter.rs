//! The adapter: does to the server what `causet test` says, and tells what the server does.
//!
//! A label is who and a line: `?ann: say hi` is the line `say hi` on the connection of ann, and what comes back on that
//! of bob is seen as `!bob: ann says hi`. A connection that ends is seen too: a server that dies has done something
//! wrong, the adapter has not. A reset is another server in another process, so nothing is left of the one before.

use std::collections::BTreeMap;
use std::env;
use std::io::{self, BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};

use serde_json::{Value, json};

use crate::Outcome;
use crate::mutant::Mutant;

const USERS: [&str; 3] = ["ann", "bob", "cyd"];

/// Takes orders until there are no more.
pub(crate) fn run(mutant: Option<Mutant>) -> Outcome<()> {
    let obeyed = obey(mutant);
    if let Err(error) = &obeyed {
        say(&json!({"error": error.to_string()}));
    }
    obeyed
}

fn obey(mutant: Option<Mutant>) -> Outcome<()> {
    let mut conference = Conference::open(mutant)?;
    say(&json!({"ready": true}));
    for line in io::stdin().lines() {
        let order: Value = serde_json::from_str(&line?)?;
        match order["do"].as_str() {
            Some(label) => conference.act(label)?,
            None => {
                conference.close();
                conference = Conference::open(mutant)?;
                say(&json!({"ready": true}));
            }
        }
    }
    conference.close();
    Ok(())
}

/// One line for the tester; one that is gone needs none.
fn say(message: &Value) {
    let _ = io::stdout().write_all(format!("{message}\n").as_bytes());
}

/// A server with its users.
struct Conference {
    server: Child,
    users: BTreeMap<&'static str, TcpStream>,
    listeners: Vec<JoinHandle<()>>,
}

impl Conference {
    /// Starts a server and connects all users to it.
    fn open(mutant: Option<Mutant>) -> Outcome<Conference> {
        let mut command = Command::new(env::current_exe()?);
        command.arg("server");
        command.args(mutant.iter().flat_map(|mutant| ["--mutant", mutant.name()]));
        let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut conference = Conference {
            server: pipes.spawn()?,
            users: BTreeMap::new(),
            listeners: Vec::new(),
        };
        let mut port = String::new();
        let told = conference
            .server
            .stdout
            .take()
            .ok_or("the server is mute")?;
        BufReader::new(told).read_line(&mut port)?;
        for user in USERS {
            conference.connect(user, port.trim().parse()?)?;
        }
        Ok(conference)
    }

    fn connect(&mut self, user: &'static str, port: u16) -> Outcome<()> {
        let mut stream = TcpStream::connect(("127.0.0.1", port))?;
        stream.set_nodelay(true)?;
        let mut lines = BufReader::new(stream.try_clone()?);
        stream.write_all(format!("hello {user}\n").as_bytes())?;
        lines.read_line(&mut String::new())?;
        self.users.insert(user, stream);
        self.listeners.push(thread::spawn(move || {
            for line in lines.lines().map_while(Result::ok) {
                say(&json!({"saw": format!("!{user}: {line}")}));
            }
            say(&json!({"saw": format!("!{user}: gone")}));
        }));
        Ok(())
    }

    fn act(&mut self, label: &str) -> Outcome<()> {
        let who_and_line = label
            .strip_prefix('?')
            .and_then(|rest| rest.split_once(": "));
        let (who, line) = who_and_line.ok_or_else(|| format!("nobody can do `{label}`"))?;
        let stream = self.users.get_mut(who);
        let stream = stream.ok_or_else(|| format!("there is no user `{who}`"))?;
        // If the server is gone, that has been seen.
        let _ = stream.write_all(format!("{line}\n").as_bytes());
        Ok(())
    }

    /// Ends the server; afterwards nothing of it will be told.
    fn close(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
        for listener in self.listeners.drain(..) {
            let _ = listener.join();
        }
    }
}
