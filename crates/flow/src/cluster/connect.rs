//! How the processes of a run find each other.
//!
//! A process connects to those with smaller numbers, again and again until they listen, and accepts those with larger
//! ones. Each pair has two connections, one for pulses and one for data. Every connection that comes in gets a thread of
//! its own, with a deadline, so that a stranger who says nothing keeps nobody waiting. What happens is told to one
//! thread, which decides when all are there, or that it is of no use to wait any longer.
//!
//! Pulses begin as soon as their connection stands. So a process that gives up while others still wait, because it was
//! asked something else for example, is noticed by all of them at once, with its reason.

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::Membership;
use super::handshake::{Hello, Purpose, Refusal, Role, introduce, shortened};
use super::not_joined::{Difference, Missing, NotJoined};
use super::pulse;
use super::watch::{Phase, Shared};

/// How long two processes may take to introduce themselves.
const INTRODUCTION: Duration = Duration::from_secs(3);
/// How long one attempt to connect may take.
const ATTEMPT: Duration = Duration::from_secs(2);
/// The time between two attempts.
const PAUSE: Duration = Duration::from_millis(50);
/// How long an address may still be in use by a process that is about to end.
const STILL_IN_USE: Duration = Duration::from_millis(500);
/// How long a process that gives up waits for those who come late, to tell them why.
const FAREWELL: Duration = Duration::from_secs(1);
/// How often the listener is asked for somebody new.
const POLL: Duration = Duration::from_millis(5);
/// How many connections may be introducing themselves at once. Others wait in the kernel.
const MOST_UNPROVEN: usize = 128;

/// Connects to all others and gives the connections for data, by number of the process; there is none to itself. Pulses
/// begin the first time; later rounds are for new connections for data, as long as it takes while pulses go on.
pub(super) fn gather(
    membership: Membership,
    shared: &Arc<Shared>,
    round: u32,
) -> Result<Vec<Option<TcpStream>>, NotJoined> {
    let own = &membership.hosts.addresses()[membership.process];
    let listener = listen(own).map_err(|error| NotJoined::CannotListen {
        address: own.clone(),
        why: error.to_string(),
    })?;
    let (tell, told) = channel();
    let deadline = match round {
        0 => after(membership.patience),
        _ => after(Duration::MAX),
    };
    let party = Arc::new(Party {
        membership,
        shared: Arc::clone(shared),
        round,
        deadline,
        unproven: AtomicUsize::new(0),
        over: AtomicBool::new(false),
    });
    let mut gathering = Gathering::new(&party, told);
    for process in 0..party.membership.process {
        let (party, tell) = (Arc::clone(&party), tell.clone());
        thread::Builder::new()
            .name(format!("connect-to-{process}"))
            .spawn(move || party.connect(process, &tell))
            .map_err(|error| NotJoined::System(error.to_string()))?;
    }
    let mut accept = || accept_waiting(&party, &listener, &tell);
    let outcome = loop {
        accept();
        match gathering.progress() {
            Ok(false) => {}
            Ok(true) => break Ok(gathering.data),
            Err(why) => {
                gathering.let_the_others_come(&why, &mut accept);
                break Err(why);
            }
        }
    };
    party.over.store(true, Ordering::Relaxed);
    outcome
}

/// When the time is over that was given, which may be for ever.
fn after(patience: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(patience)
        .unwrap_or(now + Duration::from_secs(1 << 30))
}

/// Listens on exactly this address. The last run may have ended this very moment, so one more try is worth it.
fn listen(address: &str) -> io::Result<TcpListener> {
    let begun = Instant::now();
    loop {
        match TcpListener::bind(address) {
            Err(error)
                if error.kind() == io::ErrorKind::AddrInUse && begun.elapsed() < STILL_IN_USE =>
            {
                thread::sleep(PAUSE);
            }
            outcome => {
                let listener = outcome?;
                listener.set_nonblocking(true)?;
                return Ok(listener);
            }
        }
    }
}

/// Starts a thread for each connection that waits at the listener, as long as there are not too many.
fn accept_waiting(party: &Arc<Party>, listener: &TcpListener, tell: &Sender<Event>) {
    while party.unproven.load(Ordering::Relaxed) < MOST_UNPROVEN {
        // An error is either that nobody waits, or the trouble of somebody who does.
        let Ok((stream, _)) = listener.accept() else {
            return;
        };
        party.unproven.fetch_add(1, Ordering::Relaxed);
        let (guest, tell) = (Arc::clone(party), tell.clone());
        let started = thread::Builder::new()
            .name("introduction".to_owned())
            .spawn(move || {
                guest.welcome(stream, &tell);
                guest.unproven.fetch_sub(1, Ordering::Relaxed);
            });
        if started.is_err() {
            party.unproven.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// What the threads tell the one that waits.
enum Event {
    /// A process gives signs of life.
    Pulsing { process: usize },
    /// There is a connection for data to a process.
    Data { process: usize, stream: TcpStream },
    /// An attempt to reach a process ended with this.
    Trouble { process: usize, why: String },
    /// Somebody did not know the secret.
    Refused,
    /// It is of no use to wait.
    Hopeless(NotJoined),
}

/// What all threads know that introduce this process.
struct Party {
    membership: Membership,
    shared: Arc<Shared>,
    round: u32,
    deadline: Instant,
    unproven: AtomicUsize,
    over: AtomicBool,
}

impl Party {
    /// Connects to a process with a smaller number, once for each purpose.
    fn connect(&self, process: usize, tell: &Sender<Event>) {
        let purposes: &[Purpose] = match self.round {
            0 => &[Purpose::Pulse, Purpose::Data],
            _ => &[Purpose::Data],
        };
        for &purpose in purposes {
            let Some(stream) = self.connect_for(process, purpose, tell) else {
                return;
            };
            let _ = tell.send(self.connected(process, purpose, stream));
        }
    }

    fn connect_for(
        &self,
        process: usize,
        purpose: Purpose,
        tell: &Sender<Event>,
    ) -> Option<TcpStream> {
        while !self.over.load(Ordering::Relaxed) && Instant::now() < self.deadline {
            match self.attempt(process, purpose) {
                Ok(stream) => return Some(stream),
                Err(Setback::Again(why)) => tell.send(Event::Trouble { process, why }).ok()?,
                Err(Setback::Hopeless(why)) => {
                    let _ = tell.send(Event::Hopeless(why));
                    return None;
                }
            }
            thread::sleep(PAUSE);
        }
        None
    }

    fn attempt(&self, process: usize, purpose: Purpose) -> Result<TcpStream, Setback> {
        let address = &self.membership.hosts.addresses()[process];
        let stream = reach(address, self.deadline)?;
        let deadline = Instant::now() + INTRODUCTION;
        let own = self.hello(purpose);
        let theirs = introduce(
            &stream,
            Role::Connects,
            &own,
            &self.membership.secret,
            deadline,
        );
        let theirs = match theirs {
            Ok(hello) => hello,
            Err(Refusal::Secret) => {
                let address = address.clone();
                return Err(Setback::Hopeless(NotJoined::WrongSecret {
                    process,
                    address,
                }));
            }
            Err(Refusal::Stranger(why)) => {
                return Err(Setback::Again(format!("somebody else answers: {why}")));
            }
            Err(Refusal::Broken(error)) => return Err(error.into()),
        };
        if theirs.process as usize != process {
            return Err(Setback::Hopeless(NotJoined::OtherProcess {
                expected: process,
                found: theirs.process as usize,
                address: address.clone(),
            }));
        }
        self.compare(&theirs).map_err(Setback::Hopeless)?;
        match theirs.round == self.round {
            true => Ok(stream),
            false => Err(Setback::Again("it is not that far yet".to_owned())),
        }
    }

    /// Hears who it is that connected. A stranger is dropped without a word.
    fn welcome(&self, stream: TcpStream, tell: &Sender<Event>) {
        if stream.set_nonblocking(false).is_err() || stream.set_nodelay(true).is_err() {
            return;
        }
        let event = match self.hear(&stream) {
            Ok((process, purpose)) => self.connected(process, purpose, stream),
            Err(Some(event)) => event,
            Err(None) => return,
        };
        // If nobody listens any more, the connection is of no use.
        let _ = tell.send(event);
    }

    fn hear(&self, stream: &TcpStream) -> Result<(usize, Purpose), Option<Event>> {
        let deadline = Instant::now() + INTRODUCTION;
        // The purpose of a connection is what the one says who opened it.
        let own = self.hello(Purpose::Pulse);
        let theirs = introduce(
            stream,
            Role::Listens,
            &own,
            &self.membership.secret,
            deadline,
        )
        .map_err(|refusal| match refusal {
            Refusal::Secret => Some(Event::Refused),
            Refusal::Broken(_) | Refusal::Stranger(_) => None,
        })?;
        self.compare(&theirs)
            .map_err(|why| Some(Event::Hopeless(why)))?;
        let process = theirs.process as usize;
        let expected = self.membership.process + 1..self.membership.hosts.len();
        match expected.contains(&process) && theirs.round == self.round {
            true => Ok((process, theirs.purpose)),
            false => Err(None),
        }
    }

    /// What to do with a connection to a process that is trusted. Pulses begin even if this process just gave up, so
    /// that the other one hears why.
    fn connected(&self, process: usize, purpose: Purpose, stream: TcpStream) -> Event {
        match purpose {
            Purpose::Data => Event::Data { process, stream },
            Purpose::Pulse => match pulse::start(&self.shared, process, stream) {
                Ok(()) => Event::Pulsing { process },
                Err(error) => Event::Hopeless(NotJoined::System(error.to_string())),
            },
        }
    }

    fn hello(&self, purpose: Purpose) -> Hello {
        let membership = &self.membership;
        Hello {
            process: membership.process as u32,
            purpose,
            processes: membership.hosts.len() as u32,
            workers: membership.workers as u32,
            round: self.round,
            job: membership.job,
            version: shortened(&membership.version).to_owned(),
        }
    }

    /// Whether a process that knows the secret was told the same about the run.
    fn compare(&self, theirs: &Hello) -> Result<(), NotJoined> {
        let ours = self.hello(theirs.purpose);
        let what = if ours.version != theirs.version {
            Difference::Version {
                ours: ours.version,
                theirs: theirs.version.clone(),
            }
        } else if ours.processes != theirs.processes {
            Difference::Hosts {
                ours: ours.processes as usize,
                theirs: theirs.processes as usize,
            }
        } else if ours.workers != theirs.workers {
            Difference::Workers {
                ours: ours.workers as usize,
                theirs: theirs.workers as usize,
            }
        } else if ours.job != theirs.job {
            Difference::Job
        } else {
            return Ok(());
        };
        let process = theirs.process as usize;
        let address = self.membership.hosts.addresses().get(process);
        Err(NotJoined::Differs {
            process,
            address: address
                .map_or("not in the host file", String::as_str)
                .to_owned(),
            what,
        })
    }
}

/// Why an attempt to connect failed.
enum Setback {
    /// Perhaps the process is not there yet.
    Again(String),
    /// It would fail again.
    Hopeless(NotJoined),
}

impl From<io::Error> for Setback {
    fn from(error: io::Error) -> Self {
        Setback::Again(error.to_string())
    }
}

/// A connection to the address; a name is tried with all addresses it stands for.
fn reach(address: &str, deadline: Instant) -> Result<TcpStream, Setback> {
    let mut last = Setback::Again("the name stands for no address".to_owned());
    for one in address.to_socket_addrs()? {
        match reach_one(&one, deadline) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error.into(),
        }
    }
    Err(last)
}

fn reach_one(address: &SocketAddr, deadline: Instant) -> io::Result<TcpStream> {
    let left = deadline.saturating_duration_since(Instant::now());
    let stream = TcpStream::connect_timeout(address, left.clamp(PAUSE, ATTEMPT))?;
    if stream.local_addr()? == stream.peer_addr()? {
        // The system chose the port we call as the port to call from, and nobody else listens there.
        return Err(io::ErrorKind::ConnectionRefused.into());
    }
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Who is there so far.
struct Gathering<'a> {
    party: &'a Party,
    told: Receiver<Event>,
    data: Vec<Option<TcpStream>>,
    pulsing: Vec<bool>,
    trouble: Vec<Option<String>>,
    refused: usize,
}

impl<'a> Gathering<'a> {
    fn new(party: &'a Party, told: Receiver<Event>) -> Self {
        let processes = party.membership.hosts.len();
        let own = party.membership.process;
        Gathering {
            party,
            told,
            data: (0..processes).map(|_| None).collect(),
            pulsing: (0..processes)
                .map(|process| process == own || party.round > 0)
                .collect(),
            trouble: vec![None; processes],
            refused: 0,
        }
    }

    /// Waits a moment for news. Says whether all are there.
    fn progress(&mut self) -> Result<bool, NotJoined> {
        if let Phase::Lost(lost) = self.party.shared.phase() {
            return Err(NotJoined::Lost(lost));
        }
        if self.missing().next().is_none() {
            return Ok(true);
        }
        if let Ok(event) = self.told.recv_timeout(POLL) {
            self.note(event)?;
        } else if Instant::now() >= self.party.deadline {
            return Err(self.too_late());
        }
        Ok(false)
    }

    /// Before this process gives up: waits a moment for the processes that cannot know why, so that they need not wait
    /// for their patience to end. If that is what happened here, there is nothing to wait for.
    fn let_the_others_come(&mut self, why: &NotJoined, accept: &mut impl FnMut()) {
        if let Some(process) = why.culprit() {
            self.note_known(process);
            let begun = Instant::now();
            while self.pulsing.contains(&false) && begun.elapsed() < FAREWELL {
                accept();
                match self.told.recv_timeout(POLL) {
                    Ok(Event::Pulsing { process }) => self.note_known(process),
                    Ok(Event::Hopeless(why)) => why
                        .culprit()
                        .into_iter()
                        .for_each(|process| self.note_known(process)),
                    _ => {}
                }
            }
        }
    }

    /// A process that hears of the end. Its number may be one that the host file here does not have.
    fn note_known(&mut self, process: usize) {
        if let Some(pulsing) = self.pulsing.get_mut(process) {
            *pulsing = true;
        }
    }

    fn note(&mut self, event: Event) -> Result<(), NotJoined> {
        match event {
            Event::Pulsing { process } => self.pulsing[process] = true,
            Event::Data { process, stream } => self
                .keep(process, stream)
                .map_err(|error| NotJoined::System(error.to_string()))?,
            Event::Trouble { process, why } => self.trouble[process] = Some(why),
            Event::Refused => self.refused += 1,
            Event::Hopeless(why) => return Err(why),
        }
        Ok(())
    }

    /// Keeps a connection for data. If there is one already, the first stays.
    fn keep(&mut self, process: usize, stream: TcpStream) -> io::Result<()> {
        if self.data[process].is_none() {
            self.party.shared.keep_data(stream.try_clone()?);
            self.data[process] = Some(stream);
        }
        Ok(())
    }

    fn missing(&self) -> impl Iterator<Item = usize> {
        let others = (0..self.data.len()).filter(|&process| process != self.party.shared.own);
        others.filter(|&process| !self.pulsing[process] || self.data[process].is_none())
    }

    fn too_late(&self) -> NotJoined {
        let missing = self.missing().map(|process| Missing {
            process,
            address: self.party.shared.addresses[process].clone(),
            why: self.trouble[process].clone(),
        });
        NotJoined::Missing {
            missing: missing.collect(),
            patience: self.party.membership.patience,
            refused: self.refused,
        }
    }
}
