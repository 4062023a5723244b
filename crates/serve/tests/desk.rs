//! A desk asked directly: what it says is safe, has been flushed.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use causet_base::Diagnostic;
use causet_check::stream::Means;
use causet_formats::native::Piece;
use causet_formula::{Kind, Lets, Property};
use causet_serve::desk::{Desk, Request, Rules};
use causet_serve::news::Told;
use causet_serve::protocol::Reply;
use causet_serve::run::Asked;
use causet_serve::status::Status;
use tokio::runtime::Runtime;
use tokio::sync::{Semaphore, mpsc, oneshot};

type Have = BTreeMap<String, u32>;

/// Rules with one property.
fn rules(data: &Path, property: &str) -> Rules {
    let parsed = Property::parse(Kind::Ctl, "p", property).expect("a property");
    let asked = Asked {
        properties: Arc::new(vec![(parsed, Lets::none())]),
        means: Means::default(),
        ahead: 1 << 20,
    };
    Rules::new(data.to_owned(), asked, Arc::new(|_| {}))
}

/// A desk and those who ask it.
struct Asking {
    desk: Desk,
    thread: JoinHandle<std::io::Result<()>>,
    room: Arc<Semaphore>,
    runtime: Runtime,
}

impl Asking {
    fn open(rules: Rules) -> Asking {
        let (desk, thread) = Desk::open(rules).expect("a desk");
        let room = Arc::new(Semaphore::new(100));
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        Asking {
            desk,
            thread,
            room,
            runtime: runtime.expect("a runtime"),
        }
    }

    fn ask(&self, request: Request) {
        let asked = self.runtime.block_on(self.desk.ask(request));
        assert!(asked, "the desk is open");
    }

    fn hello(&self, link: u64, run: &str) -> Client {
        let (replies, told) = mpsc::unbounded_channel();
        let (answer, have) = oneshot::channel();
        self.ask(Request::Hello {
            link,
            run: run.to_owned(),
            replies,
            answer,
        });
        Client { link, told, have }
    }

    fn lines(&self, client: &Client, text: &str) {
        let permit = Arc::clone(&self.room).try_acquire_owned().expect("room");
        let piece = Box::new(Piece::parse(text.as_bytes().to_vec()));
        self.ask(Request::Lines(client.link, piece, permit));
    }

    fn look(&self, run: &str) -> oneshot::Receiver<Vec<Status>> {
        let (answer, status) = oneshot::channel();
        self.ask(Request::Status(Some(run.to_owned()), answer));
        status
    }

    /// Returns when the desk has worked through everything that was asked before.
    fn worked_through(&self) {
        let (answer, status) = oneshot::channel();
        self.ask(Request::Status(None, answer));
        status.blocking_recv().expect("an answer");
    }

    fn end(self) {
        self.ask(Request::Stop);
        self.thread.join().expect("no panic").expect("it works");
    }
}

/// Somebody who has said hello.
struct Client {
    link: u64,
    told: mpsc::UnboundedReceiver<Reply>,
    have: oneshot::Receiver<Result<Have, Diagnostic>>,
}

impl Client {
    fn have(&mut self) -> Have {
        let have = std::mem::replace(&mut self.have, oneshot::channel().1);
        let have = have.blocking_recv().expect("an answer");
        have.expect("it is let in")
    }

    fn acknowledged(&mut self) -> Have {
        match self.told.blocking_recv() {
            Some(Reply::Ack { ack }) => ack,
            other => panic!("{other:?}"),
        }
    }
}

fn counts(counts: &[(&str, u32)]) -> Have {
    let named = counts.iter().map(|&(name, count)| (name.to_owned(), count));
    named.collect()
}

/// Someone to be told verdicts, who takes as long as the test wants; nothing is flushed meanwhile.
fn slow_listener(rules: &mut Rules) -> (Receiver<()>, Sender<()>) {
    let (heard, hears) = channel();
    let (go_on, goes_on) = channel();
    let ends = Mutex::new((heard, goes_on));
    rules.tell = Arc::new(move |_| {
        let ends = ends.lock().expect("no panic");
        // The test may have ended.
        let _ = ends.0.send(());
        let _ = ends.1.recv();
    });
    (hears, go_on)
}

#[test]
fn what_is_not_flushed_is_not_said_to_be_safe() {
    let data = tempfile::tempdir().expect("a folder");
    let mut rules = rules(data.path(), "AG a.x < 1");
    let (hears, go_on) = slow_listener(&mut rules);
    let asking = Asking::open(rules);
    let mut first = asking.hello(1, "r");
    assert_eq!(
        first.have(),
        counts(&[]),
        "a new run has nothing to wait for"
    );
    asking.lines(&first, "{\"p\":\"a\",\"set\":{\"x\":1}}\n");
    hears.recv().expect("the violation is told");
    // From here on nothing is flushed.
    asking.lines(&first, "{\"p\":\"a\"}\n{\"p\":\"b\"}\n");
    let mut second = asking.hello(2, "r");
    let mut look = asking.look("r");
    asking.worked_through();
    assert!(second.have.try_recv().is_err(), "told before the flush");
    assert!(look.try_recv().is_err(), "told before the flush");
    // Sent again, what was taken is acknowledged only after the flush, too.
    asking.lines(&second, "{\"p\":\"a\",\"set\":{\"x\":1}}\n{\"p\":\"a\"}\n");
    asking.worked_through();
    assert!(first.told.try_recv().is_err() && second.told.try_recv().is_err());
    drop(go_on);
    assert_eq!(second.have(), counts(&[("a", 2), ("b", 1)]));
    assert_eq!(second.acknowledged(), counts(&[("a", 2)]));
    assert_eq!(first.acknowledged(), counts(&[("a", 1)]));
    assert_eq!(first.acknowledged(), counts(&[("a", 2), ("b", 1)]));
    let status = look
        .blocking_recv()
        .expect("an answer")
        .pop()
        .expect("a run");
    assert_eq!(status.have, counts(&[("a", 2), ("b", 1)]));
    asking.end();
}

/// Lines of a run that takes more memory with each of them.
type Hostile = fn(usize) -> String;

const HOSTILE: [(&str, Hostile); 5] = [
    ("processes", |n| format!("{{\"p\":\"{n:0>500}\"}}\n")),
    ("variables", |n| {
        format!("{{\"p\":\"a\",\"set\":{{\"{n:0>500}\":1}}}}\n")
    }),
    ("labels", |n| {
        format!("{{\"p\":\"a\",\"ev\":\"{n:0>500}\"}}\n")
    }),
    ("messages", |n| {
        format!("{{\"p\":\"a\",\"send\":\"{n:0>500}\"}}\n")
    }),
    ("waiting", |n| {
        format!("{{\"p\":\"a\",\"recv\":\"{n:0>500}\"}}\n")
    }),
];
/// How many lines a hostile run has.
const MANY: usize = 4_000;

fn lines_of(hostile: Hostile) -> String {
    (0..MANY).map(hostile).collect()
}

/// The verdicts that are told, as run, verdict and reason.
fn verdicts(rules: &mut Rules) -> Receiver<(String, &'static str, String)> {
    let (teller, told) = channel();
    let teller = Mutex::new(teller);
    rules.tell = Arc::new(move |told| {
        if let Told::News(news) = told {
            let reason = news.reason.clone().unwrap_or_default();
            let teller = teller.lock().expect("no panic");
            // The test may have ended.
            let _ = teller.send((news.run.clone(), news.verdict, reason));
        }
    });
    told
}

#[test]
fn runs_that_take_too_much_memory_are_given_up_and_small_ones_are_judged() {
    let data = tempfile::tempdir().expect("a folder");
    let open = || {
        let mut rules = rules(data.path(), "AG a.x < 1");
        rules.memory = 1 << 20;
        let told = verdicts(&mut rules);
        (Asking::open(rules), told)
    };
    let (asking, told) = open();
    let mut honest = asking.hello(0, "honest");
    honest.have();
    asking.lines(&honest, "{\"p\":\"a\",\"set\":{\"x\":0}}\n");
    assert_eq!(honest.acknowledged(), counts(&[("a", 1)]));
    let mut links: Vec<Client> = Vec::new();
    for (link, (name, hostile)) in (1..).zip(HOSTILE) {
        let mut client = asking.hello(link, name);
        client.have();
        asking.lines(&client, &lines_of(hostile));
        let safe: u32 = client.acknowledged().values().sum();
        assert_eq!(safe, MANY as u32, "{name}: every event is kept");
        let given_up = (name.to_owned(), "unknown", "memory".to_owned());
        assert_eq!(told.recv(), Ok(given_up));
        links.push(client);
    }
    // The names of its processes alone are too much, so nothing more is taken for that run.
    asking.lines(&links[0], "{\"p\":\"one more\"}\n");
    let told_at_last = links[0].told.blocking_recv();
    assert!(
        matches!(&told_at_last, Some(Reply::Error { error }) if error.contains("too much memory")),
        "{told_at_last:?}"
    );
    asking.lines(&honest, "{\"p\":\"a\",\"set\":{\"x\":1}}\n");
    let violated = ("honest".to_owned(), "violated", String::new());
    assert_eq!(told.recv(), Ok(violated));
    asking.end();
    // What was given up is not followed again after a restart, and has not lost anything.
    let (asking, told) = open();
    let mut again = asking.hello(9, "labels");
    assert_eq!(again.have(), counts(&[("a", MANY as u32)]));
    let mut small = asking.hello(10, "small");
    small.have();
    asking.lines(&small, "{\"p\":\"a\",\"set\":{\"x\":1}}\n");
    assert_eq!(told.recv().map(|told| told.0), Ok("small".to_owned()));
    asking.end();
}
