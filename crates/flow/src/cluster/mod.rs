//! Several processes that solve one system: how they find each other, whom they trust, and how they notice a loss.
//!
//! ```text
//! hosts --+
//!         +--> connect --(handshake: secret)--> link: the messages of timely
//! secret -+                                 +-> pulse: signs of life, figures, reasons --> watch
//! ```
//!
//! Timely can connect processes by itself, but it lets everybody in, waits for ever, and panics when a process is lost.
//! So the connections are made here, with a secret, a deadline and a second connection for signs of life, and timely is
//! given links that never fail. A loss is seen in the [`Watch`], by every process and with the same culprit; what was
//! worked out so far is worthless then, because messages are missing.
//!
//! Nothing here survives a loss: there is no restart and no second copy of a share. A run is asked again.

mod connect;
mod handshake;
mod hosts;
mod link;
mod not_joined;
mod pulse;
mod secret;
mod watch;

use std::any::Any;
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use timely::communication::allocator::zero_copy::initialize::{
    CommsGuard, initialize_networking_from_sockets,
};
use timely::communication::allocator::{AllocatorBuilder, ProcessBuilder};
use timely::communication::initialize::Hooks;

use link::Link;
use watch::{Disagreement, Shared};

pub use hosts::{Hosts, MOST_PROCESSES};
pub use not_joined::{Difference, Missing, NotJoined};
pub use secret::{BadSecret, SHORTEST_SECRET, Secret};
pub use watch::{Figures, How, Lost, Timing, Watch};

/// Which process this is, and what all processes must agree on.
#[derive(Clone, Debug)]
pub struct Membership {
    /// Where each process listens.
    pub hosts: Hosts,
    /// The number of this process: that of its line in the host file, from 0.
    pub process: usize,
    /// The number of workers in every process.
    pub workers: usize,
    /// What only the processes of this run know.
    pub secret: Secret,
    /// A digest of what is asked.
    pub job: [u8; 32],
    /// The version of the program.
    pub version: String,
    /// How long to wait for the others.
    pub patience: Duration,
}

/// Finds the other processes of a run. Returns when all are connected, or as soon as it is clear that they will not be.
pub fn join(membership: Membership) -> Result<Cluster, NotJoined> {
    join_with(membership, Timing::default())
}

/// The same with other times between pulses.
#[doc(hidden)]
pub fn join_with(membership: Membership, timing: Timing) -> Result<Cluster, NotJoined> {
    let (process, workers) = (membership.process, membership.workers);
    let hosts = membership.hosts.len();
    if process >= hosts {
        return Err(NotJoined::OutOfRange { process, hosts });
    }
    if !(1..=watch::MOST_WORKERS).contains(&workers) {
        return Err(NotJoined::Workers(workers));
    }
    let addresses = membership.hosts.addresses().to_vec();
    let shared = Arc::new(Shared::new(process, addresses, timing));
    match connect::gather(membership.clone(), &shared, 0) {
        Ok(data) => Ok(Cluster {
            shared,
            membership,
            data: Mutex::new(Data {
                links: Some(data),
                round: 0,
            }),
        }),
        Err(why) => {
            let watch = Watch(shared);
            watch.fail(why.to_string());
            watch.0.close();
            Err(why)
        }
    }
}

/// The other processes of a run, connected. If it is dropped before the end of the run, the others lose this process.
pub struct Cluster {
    shared: Arc<Shared>,
    membership: Membership,
    data: Mutex<Data>,
}

/// The connections for data.
struct Data {
    /// Those of the first round, until timely has them.
    links: Option<Vec<Option<TcpStream>>>,
    round: u32,
}

impl Cluster {
    /// The number of processes.
    pub fn processes(&self) -> usize {
        self.shared.addresses.len()
    }

    /// The number of this process.
    pub fn process(&self) -> usize {
        self.shared.own
    }

    /// The number of workers in every process.
    pub fn workers(&self) -> usize {
        self.membership.workers
    }

    /// Waits until every process has told what it read, and fails if one read something else.
    pub fn agree(&self, inputs: [u8; 32]) -> Result<(), NotJoined> {
        match self.shared.agree(inputs) {
            Ok(()) => Ok(()),
            Err(Disagreement::Lost(lost)) => Err(NotJoined::Lost(lost)),
            Err(Disagreement::Over) => Err(NotJoined::System("the run is over".to_owned())),
            Err(Disagreement::Other(process)) => Err(NotJoined::Differs {
                process,
                address: self.shared.addresses[process].clone(),
                what: Difference::Inputs,
            }),
        }
    }

    /// What timely needs for one dataflow: builders for the workers of this process, and a guard to be dropped last. All
    /// processes must ask for it equally often; each time there are new connections.
    ///
    /// Dropping the guard waits until all processes sent what they had to send. After a loss, which would make that
    /// wait for ever, it leaves timely's threads to themselves. Each builder must be built: a thread of timely waits
    /// for it.
    pub fn allocators(&self) -> Result<(Vec<AllocatorBuilder>, Box<dyn Any + Send>), NotJoined> {
        let workers = self.workers();
        let data = self.links()?;
        let links = data.into_iter().enumerate().map(|(process, stream)| {
            stream.map(|stream| Link::new(stream, process, Arc::clone(&self.shared)))
        });
        let hooks = Hooks::default();
        let local =
            ProcessBuilder::new_typed_vector(workers, hooks.refill.clone(), hooks.spill.clone());
        let (builders, guard) = initialize_networking_from_sockets(
            local,
            links.collect(),
            self.process(),
            workers,
            hooks,
        )
        .map_err(|error| NotJoined::System(error.to_string()))?;
        let guard = Guard {
            timely: Some(guard),
            shared: Arc::clone(&self.shared),
        };
        let builders = builders.into_iter().map(AllocatorBuilder::Tcp).collect();
        Ok((builders, Box::new(guard)))
    }

    /// The connections for the next dataflow.
    fn links(&self) -> Result<Vec<Option<TcpStream>>, NotJoined> {
        let mut data = self.data.lock().unwrap_or_else(PoisonError::into_inner);
        let round = data.round;
        data.round += 1;
        match data.links.take() {
            Some(links) => Ok(links),
            None => {
                self.shared.forget_data();
                connect::gather(self.membership.clone(), &self.shared, round)
            }
        }
    }

    /// What is known of the other processes.
    pub fn watch(&self) -> Watch {
        Watch(Arc::clone(&self.shared))
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.shared.close();
    }
}

/// Waits for timely's threads when it is dropped, unless one of them will never end.
struct Guard {
    timely: Option<CommsGuard>,
    shared: Arc<Shared>,
}

impl Drop for Guard {
    fn drop(&mut self) {
        let joined = Arc::new(AtomicBool::new(false));
        let signal = Signal {
            joined: Arc::clone(&joined),
            shared: Arc::clone(&self.shared),
        };
        let timely = self.timely.take();
        let waiting = thread::Builder::new()
            .name("cluster-end".to_owned())
            .spawn(move || {
                let _signal = signal;
                drop(timely);
            });
        if waiting.is_ok() {
            self.shared
                .wait_unless_parked(|| joined.load(Ordering::Acquire));
        }
    }
}

/// Says that the threads have ended, even if one of them panicked.
struct Signal {
    joined: Arc<AtomicBool>,
    shared: Arc<Shared>,
}

impl Drop for Signal {
    fn drop(&mut self) {
        self.joined.store(true, Ordering::Release);
        self.shared.wake();
    }
}
