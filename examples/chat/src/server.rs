//! The server: a thread for each connection reads lines, one thread knows the rules and writes.
//!
//! ```text
//! ann --> reader --+
//! bob --> reader --+--> the room, one line after the other --> ann, bob, cyd
//! cyd --> reader --+
//! ```
//!
//! The first line of a connection is `hello NAME`, answered with `hello`. A command is dealt with when it is read, and
//! all that follows from it is written before the next one: so the lines for one user come in the order of the commands.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::process;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use crate::Outcome;
use crate::mutant::Mutant;
use crate::room::{Line, Room};

/// After so long without a command nobody does anything.
const MOMENT: Duration = Duration::from_millis(40);

/// What comes over the connections.
enum Event {
    Hello(String, TcpStream),
    Command(String, String),
}

/// Serves until standard input ends, so that no server outlives whoever started it.
pub(crate) fn run(mutant: Option<Mutant>) -> Outcome<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    println!("{}", listener.local_addr()?.port());
    thread::spawn(|| {
        let _ = io::copy(&mut io::stdin(), &mut io::sink());
        process::exit(0);
    });
    let (tell, events) = channel();
    thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            let tell = tell.clone();
            thread::spawn(move || listen(&connection, &tell));
        }
    });
    serve(&events, Room::new(mutant));
    Ok(())
}

/// Passes on what one user does, until the connection ends.
fn listen(connection: &TcpStream, tell: &Sender<Event>) -> Option<()> {
    connection.set_nodelay(true).ok()?;
    let mut lines = BufReader::new(connection).lines().map_while(Result::ok);
    let hello = lines.next()?;
    let name = hello.strip_prefix("hello ")?.to_owned();
    let writer = connection.try_clone().ok()?;
    tell.send(Event::Hello(name.clone(), writer)).ok()?;
    for line in lines {
        tell.send(Event::Command(name.clone(), line)).ok()?;
    }
    Some(())
}

fn serve(events: &Receiver<Event>, mut room: Room) {
    let mut users = BTreeMap::new();
    let mut is_paused = true;
    loop {
        let event = match is_paused {
            true => events.recv().map_err(|_| RecvTimeoutError::Disconnected),
            false => events.recv_timeout(MOMENT),
        };
        is_paused = event.is_err();
        match event {
            Ok(Event::Hello(name, connection)) => {
                room.connect(&name);
                send(&connection, "hello");
                users.insert(name, connection);
            }
            Ok(Event::Command(name, command)) => deliver(&users, &room.take(&name, &command)),
            Err(RecvTimeoutError::Timeout) => deliver(&users, &room.pause()),
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

fn deliver(users: &BTreeMap<String, TcpStream>, lines: &[Line]) {
    for line in lines {
        if let Some(connection) = users.get(&line.to) {
            send(connection, &line.text);
        }
    }
}

/// Whoever is gone gets nothing.
fn send(mut connection: &TcpStream, text: &str) {
    let _ = connection.write_all(format!("{text}\n").as_bytes());
}
