//! A desk whose searches may take no time at all: what comes is acknowledged, and what the order of arrival shows is told.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use causet_check::stream::Means;
use causet_formats::native::Piece;
use causet_formula::{Kind, Lets, Property};
use causet_serve::desk::{Desk, Request, Rules};
use causet_serve::news::Told;
use causet_serve::protocol::Reply;
use causet_serve::run::Asked;
use tokio::runtime::Runtime;
use tokio::sync::{Semaphore, mpsc, oneshot};

const PROCESSES: usize = 30;
/// What is told comes within this time, or never.
const PATIENCE: Duration = Duration::from_secs(60);

fn header() -> String {
    let names: Vec<String> = (0..PROCESSES).map(|p| format!("\"p{p}\"")).collect();
    let inits: Vec<String> = (0..PROCESSES).map(|p| format!("\"p{p}.x\":0")).collect();
    let (names, inits) = (names.join(","), inits.join(","));
    format!("{{\"causet\":1,\"processes\":[{names}],\"init\":{{{inits}}}}}")
}

/// Every process goes up and down again before the next one does, some rounds.
fn lines(rounds: usize) -> Vec<String> {
    let one = |p: usize, x: u8| format!("{{\"p\":\"p{p}\",\"set\":{{\"x\":{x}}}}}\n");
    let round = || (0..PROCESSES).map(|p| one(p, 1) + &one(p, 0));
    (0..rounds).flat_map(|_| round()).collect()
}

/// Every process goes up to a number of its own and down again when the next one has gone up, some rounds.
fn chained(rounds: usize) -> String {
    let number = |round: usize, p: usize| 2 * ((p * p * 37 + 11 + round * 5) % 1009);
    let up = |round: usize, p: usize| {
        let x = number(round, p);
        format!("{{\"p\":\"p{p}\",\"set\":{{\"x\":{x}}},\"send\":\"m{round}-{p}\"}}\n")
    };
    let down = |round: usize, p: usize| {
        let next = (p + 1) % PROCESSES;
        format!("{{\"p\":\"p{p}\",\"set\":{{\"x\":0}},\"recv\":\"m{round}-{next}\"}}\n")
    };
    let round = |round: usize| {
        let up = (0..PROCESSES).map(move |p| up(round, p));
        up.chain((0..PROCESSES).map(move |p| down(round, p)))
    };
    (0..rounds).flat_map(round).collect()
}

struct Followed {
    desk: Desk,
    runtime: Runtime,
    replies: mpsc::UnboundedReceiver<Reply>,
    told: Receiver<Told>,
    thread: std::thread::JoinHandle<std::io::Result<()>>,
    _data: tempfile::TempDir,
}

impl Followed {
    fn start(properties: &[&str], search: Duration) -> Followed {
        let data = tempfile::tempdir().expect("a folder");
        let property = |(number, text): (usize, &&str)| {
            let name = format!("ctl-{number}");
            let parsed = Property::parse(Kind::Ctl, &name, text);
            (parsed.expect("a property"), Lets::none())
        };
        let asked = Asked {
            properties: Arc::new(properties.iter().enumerate().map(property).collect()),
            means: Means::default(),
            ahead: 1 << 20,
        };
        let (sender, told) = channel();
        let sender = Mutex::new(sender);
        let tell = move |told: &Told| {
            // The test may have heard enough.
            let _ = sender.lock().expect("no panic").send(told.clone());
        };
        let rules = Rules {
            search,
            ..Rules::new(data.path().to_owned(), asked, Arc::new(tell))
        };
        let (desk, thread) = Desk::open(rules).expect("a desk");
        let runtime = Runtime::new().expect("a runtime");
        let (replies, receiver) = mpsc::unbounded_channel();
        let followed = Followed {
            desk,
            runtime,
            replies: receiver,
            told,
            thread,
            _data: data,
        };
        followed.begin(1, "r", replies);
        followed
    }

    /// Begins a run on a link.
    fn begin(&self, link: u64, run: &str, replies: mpsc::UnboundedSender<Reply>) {
        let (answer, answered) = oneshot::channel();
        self.ask(Request::Hello {
            link,
            run: run.to_owned(),
            replies,
            answer,
        });
        let have = self.runtime.block_on(answered).expect("an answer");
        assert_eq!(have, Ok(BTreeMap::new()));
        self.ask(Request::Header(link, header()));
    }

    fn ask(&self, request: Request) {
        assert!(self.runtime.block_on(self.desk.ask(request)));
    }

    fn send(&self, lines: &str) {
        self.send_on(1, lines);
    }

    fn send_on(&self, link: u64, lines: &str) {
        let room = Arc::new(Semaphore::new(1));
        let permit = self.runtime.block_on(room.acquire_owned());
        let piece = Box::new(Piece::parse(lines.as_bytes().to_vec()));
        self.ask(Request::Lines(link, piece, permit.expect("there is room")));
    }

    /// Waits until so many events are acknowledged.
    fn acknowledged(&mut self, events: u32) {
        let mut acknowledged = BTreeMap::new();
        while acknowledged.values().sum::<u32>() < events {
            match self.runtime.block_on(self.replies.recv()) {
                Some(Reply::Ack { ack }) => acknowledged.extend(ack),
                other => panic!("{other:?}"),
            }
        }
    }

    fn standing(&self) -> Vec<&'static str> {
        let status = self.runtime.block_on(self.desk.look("r"));
        let properties = status.expect("the run is there").properties;
        properties.into_iter().map(|(_, word, _)| word).collect()
    }

    /// What is told next of a property, and the order that shows it if it is violated.
    fn next(&self) -> Told {
        self.told.recv_timeout(PATIENCE).expect("it is told")
    }

    fn stop(self) {
        self.ask(Request::Stop);
        self.thread.join().expect("no panic").expect("it works");
    }
}

const NEVER_ALL: &str = "AG sum(i in procs: i.x) < 30";
const NEVER_NINE: &str = "AG sum(i in procs: i.x) != 9";

#[test]
fn events_are_acknowledged_while_searches_get_no_time() {
    let mut run = Followed::start(&[NEVER_ALL, NEVER_NINE], Duration::ZERO);
    let lines = lines(5);
    for piece in lines.chunks(10) {
        run.send(&piece.concat());
    }
    run.acknowledged(2 * lines.len() as u32);
    assert_eq!(run.standing(), ["followed", "followed"]);
    let up: String = (0..9)
        .map(|p| format!("{{\"p\":\"p{p}\",\"set\":{{\"x\":1}}}}\n"))
        .collect();
    run.send(&up);
    let Told::News(news) = run.next() else {
        panic!("a verdict comes first");
    };
    assert_eq!((news.verdict, news.certain), ("violated", true));
    assert_eq!(news.property, "ctl-1");
    let Told::Witness(shown) = run.next() else {
        panic!("its order comes next");
    };
    let order = shown.witness["run"].as_array().expect("an order");
    assert_eq!(order.len(), 2 * lines.len() + 9);
    assert_eq!(shown.witness["observed"], true);
    assert_eq!(run.standing(), ["followed", "violated"]);
    run.stop();
}

#[test]
fn a_violation_that_a_search_has_found_keeps_its_cut() {
    // Two processes at a time see each other; they are up together in another order than that of arrival.
    let never_both = "AG !(p3.x = 1 && p4.x = 1)";
    let run = Followed::start(&[never_both], Duration::from_secs(5));
    run.send(&lines(1).concat());
    let Told::News(news) = run.next() else {
        panic!("a verdict comes first");
    };
    assert_eq!((news.verdict, news.certain), ("violated", true));
    let at = BTreeMap::from([("p3".to_owned(), 1), ("p4".to_owned(), 1)]);
    assert_eq!(news.at, at);
    let Told::Witness(shown) = run.next() else {
        panic!("its order comes next");
    };
    assert_eq!(
        shown.witness["run"],
        serde_json::json!([["p3", 1], ["p4", 1]])
    );
    assert_eq!(shown.witness["observed"], false);
    run.stop();
}

#[test]
fn hard_properties_of_one_run_hold_back_no_last_word_of_others() {
    // The sums are even, which no engine knows.
    let hard =
        |sum: u16| format!("AG (sum(i in procs: i.x) != {sum} || max(i in procs: i.x) % 3 = 5)");
    let hard = [10_001, 10_003, 10_005, 10_007].map(hard);
    // Certain when the run is over, and not before.
    let easy = "AG p3.x < 2018";
    let properties = [&hard[0], &hard[1], &hard[2], &hard[3], easy];
    let run = Followed::start(&properties, Duration::ZERO);
    let (replies, _receiver) = mpsc::unbounded_channel();
    run.begin(2, "s", replies);
    let lines = chained(3);
    run.send_on(1, &lines);
    run.send_on(2, &lines);
    run.ask(Request::Over(1));
    run.ask(Request::Over(2));
    for name in ["r", "s"] {
        let Told::News(news) = run.next() else {
            panic!("a verdict comes first");
        };
        assert_eq!((&*news.run, &*news.property), (name, "ctl-4"));
        assert_eq!((news.verdict, news.certain), ("holds", false));
    }
    run.stop();
}
