//! One worker's door to the others: parcels in and out, in rounds that are over when nothing moves anywhere.
//!
//! This is all there is of timely dataflow: one operator whose output is sent to the workers it is addressed to and
//! comes back as input. Times are pairs of a round and a count of hops, which grows by one on the way; so "no parcel of
//! this round is left, and nobody can write another" is the frontier having passed `(round, every hop)`. Timely counts
//! every parcel and every right to send (a capability) of all workers exactly; nothing is counted here.
//!
//! A worker holds a right to send in the current round while it has work, drops it when it rests, and gets one back with
//! every parcel that reaches it. It always holds the right to send in the next round, until that one begins. The operator
//! keeps nothing but queues, which the driver fills and empties, so that what is solved may be borrowed.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::{Duration, Instant};

use timely::communication::Allocator;
use timely::dataflow::channels::pact::Exchange;
use timely::dataflow::operators::Capability;
use timely::dataflow::operators::core::feedback::{ConnectLoop, LoopVariable};
use timely::dataflow::operators::generic::operator::Operator;
use timely::order::Product;
use timely::scheduling::Activator;
use timely::worker::{Config, Worker};

use crate::envelope::Envelope;

/// A round, and how many hops a parcel has made in it.
type Time = Product<u32, u32>;

/// How long a resting worker sleeps at most before it looks around.
const NAP: Duration = Duration::from_millis(200);

/// A worker's parcels, and what it wants.
#[derive(Default)]
struct Mail {
    arrived: VecDeque<Envelope>,
    leaving: Vec<Envelope>,
    /// The current round.
    round: u32,
    /// Nothing more will be sent in this round unless something arrives.
    rests: bool,
    /// The next round is to begin.
    goes_on: bool,
    /// The current round is over everywhere.
    is_over: bool,
    /// No round will follow.
    ends: bool,
}

/// A worker among others.
pub(crate) struct Port {
    worker: Worker,
    mail: Rc<RefCell<Mail>>,
    activator: Activator,
    /// Parcels that arrived, those of later rounds among them.
    waiting: VecDeque<Envelope>,
    /// How long it has been without work.
    idle: Duration,
    bytes: u64,
}

impl Port {
    /// Takes a place among the workers that an allocator speaks of; all of them must.
    pub(crate) fn open(allocator: Allocator) -> Port {
        let mut worker = Worker::new(Config::default(), allocator, Some(Instant::now()));
        let mail = Rc::new(RefCell::new(Mail::default()));
        let activator = install(&mut worker, &mail);
        Port {
            worker,
            mail,
            activator,
            waiting: VecDeque::new(),
            idle: Duration::ZERO,
            bytes: 0,
        }
    }

    /// The number of this worker.
    pub(crate) fn index(&self) -> usize {
        self.worker.index()
    }

    /// How many workers there are.
    pub(crate) fn peers(&self) -> usize {
        self.worker.peers()
    }

    /// Puts a parcel among those to be sent.
    pub(crate) fn send(&mut self, mut envelope: Envelope) {
        let mut mail = self.mail.borrow_mut();
        envelope.round = mail.round;
        self.bytes += envelope.bytes();
        mail.leaving.push(envelope);
        mail.rests = false;
    }

    /// The next parcel of this round.
    pub(crate) fn receive(&mut self) -> Option<Envelope> {
        let mut mail = self.mail.borrow_mut();
        self.waiting.append(&mut mail.arrived);
        let round = mail.round;
        let place = self.waiting.iter().position(|next| next.round == round)?;
        self.waiting.remove(place)
    }

    /// Lets parcels move; `rests` if there is nothing to do but wait for more.
    pub(crate) fn step(&mut self, rests: bool) {
        {
            let mut mail = self.mail.borrow_mut();
            mail.rests = rests;
            if rests || !mail.leaving.is_empty() {
                self.activator.activate();
            }
        }
        self.worker.step();
        if !rests || self.is_over() || !self.mail.borrow().arrived.is_empty() {
            return;
        }
        let start = Instant::now();
        self.worker.step_or_park(Some(NAP));
        self.idle += start.elapsed();
    }

    /// Whether the current round is over everywhere.
    pub(crate) fn is_over(&self) -> bool {
        self.mail.borrow().is_over
    }

    /// Begins the next round.
    pub(crate) fn go_on(&mut self) {
        self.mail.borrow_mut().goes_on = true;
        while self.mail.borrow().goes_on {
            self.activator.activate();
            self.worker.step();
        }
    }

    /// Leaves: no round follows, for anybody.
    pub(crate) fn close(&mut self, go_on_waiting: impl Fn() -> bool) {
        self.mail.borrow_mut().ends = true;
        self.activator.activate();
        while self.worker.has_dataflows() && go_on_waiting() {
            self.worker.step_or_park(Some(NAP));
        }
    }

    /// How long it has been without work.
    pub(crate) fn idle(&self) -> Duration {
        self.idle
    }

    /// How many bytes were sent.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// How many parcels have arrived and were not looked at.
    pub(crate) fn backlog(&self) -> usize {
        self.waiting.len() + self.mail.borrow().arrived.len()
    }
}

/// Makes the one operator and its loop.
fn install(worker: &mut Worker, mail: &Rc<RefCell<Mail>>) -> Activator {
    let mail = Rc::clone(mail);
    let address = worker.dataflow::<u32, _, _>(|scope| {
        scope.iterative::<u32, _, _>(|inner| {
            let (handle, back) = inner.loop_variable::<Vec<Envelope>>(1);
            let address = Rc::new(RefCell::new(None));
            let known = Rc::clone(&address);
            back.unary_frontier(
                Exchange::new(|parcel: &Envelope| u64::from(parcel.to)),
                "Mail",
                move |start: Capability<Time>, info| {
                    *known.borrow_mut() = Some(info.address);
                    let mut rights = Rights::new(start);
                    move |(input, frontier), output| {
                        let mut mail = mail.borrow_mut();
                        input.for_each(|time, parcels| {
                            if time.time().outer == mail.round && rights.now.is_none() {
                                rights.now = Some(time.retain(output.output_index()));
                            }
                            mail.arrived.extend(parcels.drain(..));
                            mail.rests = false;
                        });
                        if let Some(right) = &rights.now
                            && !mail.leaving.is_empty()
                        {
                            let mut session = output.session(right);
                            session.give_iterator(mail.leaving.drain(..));
                        }
                        if mail.rests && mail.arrived.is_empty() {
                            rights.now = None;
                        }
                        if mail.goes_on {
                            mail.goes_on = false;
                            mail.round += 1;
                            mail.rests = false;
                            rights.go_on();
                        }
                        if mail.ends {
                            rights.end();
                        }
                        let whole_round = Time::new(mail.round, u32::MAX);
                        mail.is_over = rights.now.is_none() && !frontier.less_equal(&whole_round);
                    }
                },
            )
            .connect_loop(handle);
            address.take()
        })
    });
    worker.activator_for(address.unwrap_or_default())
}

/// The rights to send of one worker.
struct Rights {
    /// In the current round.
    now: Option<Capability<Time>>,
    /// In the next one.
    next: Option<Capability<Time>>,
}

impl Rights {
    fn new(start: Capability<Time>) -> Rights {
        Rights {
            next: Some(start.delayed(&Time::new(1, 0))),
            now: Some(start),
        }
    }

    fn go_on(&mut self) {
        self.now = self.next.take();
        let now = self.now.as_ref();
        self.next = now.map(|now| now.delayed(&Time::new(now.time().outer + 1, 0)));
    }

    fn end(&mut self) {
        self.now = None;
        self.next = None;
    }
}
