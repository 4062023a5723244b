//! `causet serve`: runs are followed while they go on.
//!
//! ```text
//! TCP, Unix socket --> serve::door --+--> serve::link --+--> serve::desk --> news --+--> standard output
//!                                    +--> serve::http --+                          +--> serve::http::board
//!                                    +--> serve::otlp --+                          +--> webhook, command
//! files that grow --> serve::follow --------------------+
//! ```
//!
//! On an address that other machines reach the server listens only when everything is encrypted and asks for a token.

mod reactions;
mod report;

use std::fs::File;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use causet_base::Code;
use causet_check::stream::Means;
use causet_serve::desk::{Desk, Request, Rules, SEARCH, Safety};
use causet_serve::door::tls::{self, TlsAcceptor};
use causet_serve::door::{self, Way};
use causet_serve::follow::{self, Source};
use causet_serve::http::board::Board;
use causet_serve::http::reports::Reports;
use causet_serve::http::{self, Keys, Reach, Site};
use causet_serve::keeping;
use causet_serve::link::Bounds;
use causet_serve::news::{Damage, Told};
use causet_serve::otlp::{self, Patience, Receiver};
use causet_serve::patience::Waits;
use causet_serve::private::is_open_to_others;
use causet_serve::run;
use tempfile::TempDir;
use tokio::net::{TcpListener, TcpSocket, UnixListener};
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::Semaphore;

use crate::cli::serve::{Safe, Serve};
use crate::diagnostics;
use crate::failure::{Failure, Status};
use crate::limits;
use crate::output;
use crate::properties::{self, Properties};
use crate::secret;
use crate::send;
use reactions::Reactions;

/// A search may take this part of the memory.
const SEARCHES: u64 = 16;
/// How many bytes of a run may be held that are ahead of their process.
const AHEAD: usize = 64 << 20;
/// So many clients may wait to be let in; whoever comes then has to try again after a second.
const QUEUE: u32 = 4096;
/// So long a client may take to say hello.
const HELLO: Duration = Duration::from_secs(10);

/// Runs the command, until Ctrl-C or a violation that ends it.
pub(crate) fn run(arguments: &Serve) -> Result<Status, Failure> {
    limits::listen_for_interrupt();
    let properties = properties::read(&arguments.asked.0).and_then(properties::all_read)?;
    let tls = encryption(arguments)?;
    let temporary = match arguments.data {
        Some(_) => None,
        None => Some(
            temporary()
                .map_err(|error| Failure::io(Code::RunsNotKept, "a folder for runs", &error))?,
        ),
    };
    let data = arguments.data.clone();
    let data = data.or_else(|| temporary.as_ref().map(|folder| folder.path().to_owned()));
    let data = data.unwrap_or_default();
    let _lock = lock(&data)?;
    warn_of_readers(&data);
    let token = arguments.token.as_deref().map(send::token).transpose()?;
    let token = token.map(Arc::from);
    let heard = Arc::new(Heard {
        violated: AtomicBool::new(false),
        board: Arc::default(),
        reactions: Reactions::start(arguments)?,
    });
    let rules = rules(arguments, &properties, data.clone(), &heard);
    let runtime = runtime()?;
    let listener = runtime.block_on(listen(arguments.listen))?;
    let (desk, thread) =
        Desk::open(rules).map_err(|e| Failure::io(Code::RunsNotKept, "runs that were kept", &e))?;
    let site = Arc::new(Site {
        desk: desk.clone(),
        bounds: Arc::new(Bounds {
            line: arguments.max_line as usize,
            token,
            hello: HELLO,
        }),
        data,
        board: Arc::clone(&heard.board),
        reports: Reports::new(Arc::new(move |run, lines, property| {
            report::draw(properties.all(), run, lines, property)
        })),
        keys: Keys::new()
            .map_err(|error| Failure::refused(Code::ServerNotStarted, error.to_string()))?,
    });
    let served = runtime.block_on(serve(arguments, listener, &site, tls, &heard));
    runtime.shutdown_background();
    drop((site, desk));
    let worked = thread.join();
    let is_violated = heard.violated.load(Ordering::Relaxed);
    // Whoever still decides the end of a run is too late for a reaction.
    if let Some(heard) = Arc::into_inner(heard) {
        heard.reactions.end();
    }
    served?;
    match worked {
        Ok(Ok(())) => {}
        Ok(Err(error)) => {
            return Err(Failure::io(
                Code::RunsNotKept,
                "runs cannot be kept any more",
                &error,
            ));
        }
        Err(_) => return Err(Failure::Internal("the desk panicked".to_owned())),
    }
    Ok(match is_violated {
        true => Status::Violated,
        false => Status::Fine,
    })
}

/// A folder that only its owner can look into, until the end.
fn temporary() -> io::Result<TempDir> {
    let owner = PermissionsExt::from_mode(0o700);
    tempfile::Builder::new().permissions(owner).tempdir()
}

/// Keeps other servers from the folder of the runs: two that append to one journal would damage it.
fn lock(data: &Path) -> Result<File, Failure> {
    keeping::lock(data).map_err(|error| {
        let message = format!("--data {}: {error}", data.display());
        match error.kind() {
            io::ErrorKind::ResourceBusy => Failure::helped(
                Code::RunsNotKept,
                message,
                "stop that server first, or keep these runs in another folder: --data OTHER",
            ),
            _ => Failure::refused(Code::RunsNotKept, message),
        }
    })
}

/// Says that others can look into the folder of the runs, if it was there before; a new one is closed to them.
fn warn_of_readers(data: &Path) {
    if is_open_to_others(data).unwrap_or(false) {
        let message = format!("others can look into {}", data.display());
        let help = format!("`chmod 700 {}` closes it to them", secret::quoted(data));
        diagnostics::warning(Code::OpenToOthers, &message, Some(&help));
    }
}

/// What a server of this program runs on.
pub(crate) fn runtime() -> Result<Runtime, Failure> {
    let built = Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build();
    built.map_err(|error| {
        let what = "the server cannot be started";
        Failure::io(Code::ServerNotStarted, what, &error)
    })
}

fn rules(arguments: &Serve, properties: &Properties, data: PathBuf, heard: &Arc<Heard>) -> Rules {
    let all = properties.all().iter();
    let asked = all.map(|asked| (asked.property.clone(), (*asked.lets).clone()));
    let heard = Arc::clone(heard);
    Rules {
        data,
        asked: run::Asked {
            properties: Arc::new(asked.collect()),
            means: Means {
                memory: Some(arguments.memory / SEARCHES),
                steps: arguments.steps(),
            },
            ahead: AHEAD,
        },
        safety: safety(arguments),
        runs: arguments.max_runs,
        processes: arguments.max_processes,
        memory: arguments.memory,
        idle: Some(arguments.idle).filter(|idle| !idle.is_zero()),
        search: SEARCH,
        waits: Waits {
            most: arguments.max_waiting,
            patience: arguments.patience,
        },
        ends: ends_runs(arguments),
        tell: Arc::new(move |told| heard.hear(told)),
    }
}

fn safety(arguments: &Serve) -> Safety {
    match arguments.safe {
        Safe::Flushed => Safety::Flushed,
        Safe::Written => Safety::Written,
    }
}

/// Whether runs are over when the server ends.
fn ends_runs(arguments: &Serve) -> bool {
    arguments.data.is_none() || arguments.end_runs
}

/// Whoever hears what is told.
struct Heard {
    violated: AtomicBool,
    board: Arc<Board>,
    reactions: Reactions,
}

impl Heard {
    fn hear(&self, told: &Told) {
        let line = told.line();
        print(&line);
        match told {
            Told::News(news) => {
                self.board.pin(news);
                self.reactions.react(news, &Arc::from(line.trim_end()));
            }
            Told::Damage(Damage {
                run,
                damaged,
                kept,
                goes_on,
            }) => {
                let message = format!("run `{run}`: {damaged}: {}", kept.display());
                let help = match goes_on {
                    true => {
                        "its clients are told what it still has (`have`); let them send the rest again"
                    }
                    false => "it takes nothing more; the others go on",
                };
                diagnostics::warning(Code::DamagedRun, &message, Some(help));
            }
            Told::Witness(_) | Told::Gap(_) => {}
        }
        self.violated
            .fetch_or(told.is_violation(), Ordering::Relaxed);
    }
}

/// Prints a line.
fn print(line: &str) {
    let mut out = std::io::stdout().lock();
    // When nobody reads any more, the verdicts are still in the folder of the run.
    let _ = out.write_all(line.as_bytes()).and_then(|()| out.flush());
}

/// How the address is encrypted, if it is; an address that other machines reach has to be, and to ask for a token.
fn encryption(arguments: &Serve) -> Result<Option<TlsAcceptor>, Failure> {
    let is_safe = arguments.token.is_some() && arguments.tls_cert.is_some();
    if !arguments.listen.ip().is_loopback() && !is_safe {
        return Err(Failure::helped(
            Code::OpenAddress,
            format!("{} can be reached from other machines", arguments.listen),
            "give --token FILE and --tls-cert FILE --tls-key FILE, or listen on 127.0.0.1 and reach it through a tunnel",
        ));
    }
    let (Some(certificate), Some(key)) = (&arguments.tls_cert, &arguments.tls_key) else {
        return Ok(None);
    };
    let read = |path: &Path| {
        let text = std::fs::read(path);
        text.map_err(|error| {
            Failure::io(
                Code::NotReadable,
                format!("{} cannot be read", path.display()),
                &error,
            )
        })
    };
    let acceptor = tls::acceptor(&read(certificate)?, &secret::read(key)?);
    let refused = |error| {
        Failure::refused(
            Code::BadCertificate,
            format!("{}: {error}", certificate.display()),
        )
    };
    acceptor.map(Some).map_err(refused)
}

/// Takes the address and says so, before anything is said of runs that were kept; clients wait until those are there.
async fn listen(at: SocketAddr) -> Result<TcpListener, Failure> {
    let failed = |error| {
        Failure::io(
            Code::ServerNotStarted,
            format!("{at} cannot be listened on"),
            &error,
        )
    };
    let bound = || {
        let socket = match at {
            SocketAddr::V4(_) => TcpSocket::new_v4()?,
            SocketAddr::V6(_) => TcpSocket::new_v6()?,
        };
        socket.set_reuseaddr(true)?;
        socket.bind(at)?;
        socket.listen(QUEUE)
    };
    let listener = bound().map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    output::to_stdout(format!("{{\"listening\":\"{address}\"}}\n").as_bytes())?;
    Ok(listener)
}

async fn serve(
    arguments: &Serve,
    listener: TcpListener,
    site: &Arc<Site>,
    tls: Option<TlsAcceptor>,
    heard: &Heard,
) -> Result<(), Failure> {
    let at = arguments.listen;
    let spans = spans(arguments, site)?;
    let way = |reach| Way {
        desk: site.desk.clone(),
        bounds: Arc::clone(&site.bounds),
        router: http::router(site, reach, otlp::router(Arc::clone(&spans))),
        room: Arc::new(Semaphore::new(arguments.max_connections)),
        tls: None,
    };
    let reach = match at.ip().is_loopback() {
        true => Reach::Loopback,
        false => Reach::Elsewhere,
    };
    let main = Way { tls, ..way(reach) };
    let room = Arc::clone(&main.room);
    tokio::spawn(door::accept(listener, main));
    if let Some(path) = &arguments.unix {
        let failed = |error| {
            Failure::io(
                Code::ServerNotStarted,
                format!("{} cannot be listened on", path.display()),
                &error,
            )
        };
        let listener = UnixListener::bind(path).map_err(failed)?;
        let other = Way {
            room,
            ..way(Reach::Elsewhere)
        };
        tokio::spawn(door::accept(listener, other));
    }
    for source in follow::sources(&arguments.follow) {
        follow(source, &site.desk, arguments.max_line as usize)?;
    }
    diagnostics::note(Code::ServerHint, "Ctrl-C ends the server");
    until_over(arguments, &site.desk, heard).await;
    if ends_runs(arguments) {
        spans.end().await;
    }
    site.desk.ask(Request::Stop).await;
    if let Some(path) = &arguments.unix {
        // It may be gone already.
        let _ = std::fs::remove_file(path);
    }
    Ok(())
}

/// Takes spans of OpenTelemetry, at the same address and behind the same guard and the same token.
fn spans(arguments: &Serve, site: &Site) -> Result<Arc<Receiver>, Failure> {
    let rules = otlp::Rules {
        data: site.data.clone(),
        safety: safety(arguments),
        patience: Patience {
            whole: arguments.otlp_whole,
            partial: arguments.otlp_partial,
            ..Patience::default()
        },
        request: arguments.max_request as usize,
        processes: arguments.max_processes,
        tell: Arc::new(|run, what| {
            diagnostics::warning(Code::RefusedSpans, &format!("run `{run}`: {what}"), None);
        }),
    };
    let receiver = Receiver::open(site.desk.clone(), rules);
    receiver.map_err(|error| Failure::io(Code::RunsNotKept, "spans that were kept", &error))
}

/// Follows files on a thread of its own, until the desk closes.
fn follow(source: Source, desk: &Desk, longest: usize) -> Result<(), Failure> {
    let (desk, runtime) = (desk.clone(), Handle::current());
    let thread = std::thread::Builder::new().name("follow".to_owned());
    let tell = |trouble: &follow::Trouble| {
        diagnostics::warning(Code::FollowedFile, &trouble.to_string(), None);
    };
    let work = move || runtime.block_on(follow::follow(&source, &desk, longest, &tell));
    let started = thread.spawn(work);
    started.map_err(|error| Failure::io(Code::CannotStart, "files cannot be followed", &error))?;
    Ok(())
}

/// Lets time pass until Ctrl-C, or until a violation is enough. A desk that cannot go on is a trouble that is told once;
/// the server stays, so that whoever asks for its health is told too.
async fn until_over(arguments: &Serve, desk: &Desk, heard: &Heard) {
    let limits = limits::limits(None, None);
    let is_over = || {
        let is_enough = arguments.exit_on_violation && heard.violated.load(Ordering::Relaxed);
        is_enough || limits.reached().is_some()
    };
    let mut is_told = false;
    while !is_over() {
        tokio::time::sleep(Duration::from_millis(50)).await;
        desk.ask(Request::Tick).await;
        if let Some(trouble) = desk.counts().trouble().filter(|_| !is_told) {
            let message = format!("runs cannot be kept any more: {trouble}");
            diagnostics::sentence(
                Code::RunsNotKept,
                &message,
                Some("nothing is acknowledged; make room, and start the server again"),
            );
            is_told = true;
        }
    }
}
