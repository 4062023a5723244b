//! The store sends its events to a server while it runs, and the server says what is wrong before the store has ended.
//!
//! The server is the one of `causet serve`, without its command line.

use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use causet_check::stream::Means;
use causet_formula::PropertyFile;
use causet_serve::desk::{Desk, Rules};
use causet_serve::link::{self, Bounds};
use causet_serve::news::{News, Told};
use causet_serve::run::Asked;
use tokio::net::TcpListener;

/// So long something may take that should be there at once.
const PATIENCE: Duration = Duration::from_secs(60);

/// Starts a server that follows the properties of the store; where it listens, and what it finds out.
fn serve(data: &Path) -> (SocketAddr, Receiver<News>) {
    let props = Path::new(env!("CARGO_MANIFEST_DIR")).join("kv.props");
    let text = std::fs::read_to_string(props).expect("the properties");
    let file = PropertyFile::parse(&text).expect("well-formed");
    let properties = file.properties.into_iter().map(|p| (p, file.lets.clone()));
    let (tell, told) = channel();
    let asked = Asked {
        properties: Arc::new(properties.collect()),
        means: Means::default(),
        ahead: 1 << 20,
    };
    let tell = Arc::new(move |told: &Told| {
        if let Told::News(news) = told {
            // The test may be over.
            drop(tell.send(news.clone()));
        }
    });
    let rules = Rules::new(data.to_owned(), asked, tell);
    let (desk, _thread) = Desk::open(rules).expect("a desk");
    let (say_where, is_at) = channel();
    thread::spawn(move || {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
            let address = listener.local_addr().expect("an address");
            say_where.send(address).expect("someone waits");
            loop {
                let (stream, _) = listener.accept().await.expect("a connection");
                tokio::spawn(one(stream, desk.clone()));
            }
        });
    });
    (is_at.recv().expect("it listens"), told)
}

async fn one(stream: tokio::net::TcpStream, desk: Desk) {
    let bounds = Bounds {
        line: 1 << 20,
        token: None,
        hello: PATIENCE,
    };
    let (input, output) = stream.into_split();
    link::serve(input, output, &desk, &bounds).await;
}

fn store(server: SocketAddr, run: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kv-store"));
    command
        .args(["demo", "--run", run, "--serve"])
        .arg(server.to_string());
    command
}

#[test]
fn what_is_wrong_is_told_before_the_store_has_ended() {
    let data = tempfile::tempdir().expect("a folder");
    let (server, news) = serve(data.path());
    let mut store = store(server, "hasty")
        .arg("--stay")
        .stdin(Stdio::piped())
        .spawn()
        .expect("the store starts");
    let next = || news.recv_timeout(PATIENCE).expect("there is news");
    let mut first = next();
    while first.property != "durable" {
        first = next();
    }
    assert_eq!((first.run.as_str(), first.verdict), ("hasty", "violated"));
    assert!(first.certain);
    let status = store.try_wait().expect("its status");
    assert_eq!(status, None, "the store still runs");
    drop(store.stdin.take());
    assert!(store.wait().expect("it ends").success());
}

#[test]
fn of_a_careful_store_it_is_told_at_the_end_that_all_is_well() {
    let data = tempfile::tempdir().expect("a folder");
    let (server, news) = serve(data.path());
    let status = store(server, "careful").arg("--careful").status();
    assert!(status.expect("the store runs").success());
    let both = [(); 2].map(|()| news.recv_timeout(PATIENCE).expect("there is news"));
    assert!(both.iter().all(|news| news.verdict == "holds"), "{both:?}");
    let durable = both.iter().find(|news| news.property == "durable");
    assert_eq!(durable.map(|news| news.events), Some(12));
}
