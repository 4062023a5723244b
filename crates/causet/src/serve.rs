//! `causet serve`: runs are followed while they go on.
//!
//! ```text
//! TCP, Unix socket --> serve::link --> serve::desk --> news --> standard output
//! ```
//!
//! The server listens on loopback addresses only, for what is sent to it is not encrypted.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use causet_check::stream::Means;
use causet_serve::desk::{Desk, Request, Rules, Safety};
use causet_serve::link::{self, Bounds};
use causet_serve::news::Told;
use causet_serve::patience::Waits;
use causet_serve::run;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, UnixListener, tcp, unix};
use tokio::sync::Semaphore;

use crate::cli::serve::{Safe, Serve};
use crate::diagnostics;
use crate::failure::{Failure, Status};
use crate::limits::{self, Limits};
use crate::output;
use crate::properties::Properties;
use crate::send;

/// How many bytes of a run may be held that are ahead of their process.
const AHEAD: usize = 64 << 20;
/// So long a client may take to say hello.
const HELLO: Duration = Duration::from_secs(10);
/// So long nobody is let in after that went wrong.
const TROUBLE: Duration = Duration::from_millis(10);

/// Runs the command, until Ctrl-C or a violation that ends it.
pub(crate) fn run(arguments: &Serve) -> Result<Status, Failure> {
    limits::listen_for_interrupt();
    let properties = Properties::read(&arguments.asked.0)?;
    if properties.broken {
        return Err(Failure::Told);
    }
    if !arguments.listen.ip().is_loopback() {
        return Err(Failure::helped(
            format!("{} can be reached from other machines", arguments.listen),
            "events and tokens are not encrypted: listen on 127.0.0.1, and reach it through a tunnel",
        ));
    }
    let temporary = match arguments.data {
        Some(_) => None,
        None => Some(tempfile::tempdir().map_err(|e| Failure::io("a folder for runs", &e))?),
    };
    let data = arguments.data.clone();
    let data = data.or_else(|| temporary.as_ref().map(|folder| folder.path().to_owned()));
    let token = arguments.token.as_deref().map(send::token).transpose()?;
    let token = token.map(Arc::from);
    let violated = Arc::new(AtomicBool::new(false));
    let rules = rules(arguments, &properties, data.unwrap_or_default(), &violated);
    let (desk, thread) = Desk::open(rules).map_err(|e| Failure::io("runs that were kept", &e))?;
    let bounds = Bounds {
        line: arguments.max_line as usize,
        token,
        hello: HELLO,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Failure::io("the server cannot be started", &error))?;
    let served = runtime.block_on(serve(arguments, &desk, bounds, &violated));
    runtime.shutdown_background();
    drop(desk);
    let worked = thread.join();
    served?;
    match worked {
        Ok(Ok(())) => {}
        Ok(Err(error)) => return Err(Failure::io("runs cannot be kept any more", &error)),
        Err(_) => return Err(Failure::Internal("the desk panicked".to_owned())),
    }
    Ok(match violated.load(Ordering::Relaxed) {
        true => Status::Violated,
        false => Status::Fine,
    })
}

fn rules(
    arguments: &Serve,
    properties: &Properties,
    data: PathBuf,
    violated: &Arc<AtomicBool>,
) -> Rules {
    let all = properties.all.iter();
    let asked = all.map(|asked| (asked.property.clone(), (*asked.lets).clone()));
    let violated = Arc::clone(violated);
    Rules {
        data,
        asked: run::Asked {
            properties: Arc::new(asked.collect()),
            means: Means {
                memory: Some(arguments.memory),
                steps: arguments.steps(),
            },
            ahead: AHEAD,
        },
        safety: match arguments.safe {
            Safe::Flushed => Safety::Flushed,
            Safe::Written => Safety::Written,
        },
        runs: arguments.max_runs,
        processes: arguments.max_processes,
        idle: arguments.idle,
        waits: Waits {
            most: arguments.max_waiting,
            patience: arguments.patience,
        },
        ends: arguments.data.is_none() || arguments.end_runs,
        tell: Arc::new(move |told| {
            violated.fetch_or(told.is_violation(), Ordering::Relaxed);
            print(told);
        }),
    }
}

/// Prints what is told as a line.
fn print(told: &Told) {
    let line = told.line();
    let mut out = std::io::stdout().lock();
    // When nobody reads any more, the verdicts are still in the folder of the run.
    let _ = out.write_all(line.as_bytes()).and_then(|()| out.flush());
}

async fn serve(
    arguments: &Serve,
    desk: &Desk,
    bounds: Bounds,
    violated: &AtomicBool,
) -> Result<(), Failure> {
    let at = arguments.listen;
    let failed = |error| Failure::io(format!("{at} cannot be listened on"), &error);
    let listener = TcpListener::bind(at).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    output::to_stdout(format!("{{\"listening\":\"{address}\"}}\n").as_bytes())?;
    let room = Arc::new(Semaphore::new(arguments.max_connections));
    let bounds = Arc::new(bounds);
    tokio::spawn(accept(
        listener,
        desk.clone(),
        Arc::clone(&bounds),
        Arc::clone(&room),
    ));
    if let Some(path) = &arguments.unix {
        let failed =
            |error| Failure::io(format!("{} cannot be listened on", path.display()), &error);
        let listener = UnixListener::bind(path).map_err(failed)?;
        tokio::spawn(accept(listener, desk.clone(), bounds, room));
    }
    diagnostics::note("Ctrl-C ends the server");
    let limits = Limits::new(None, None);
    let is_over = || {
        let is_enough = arguments.exit_on_violation && violated.load(Ordering::Relaxed);
        is_enough || limits.reached().is_some()
    };
    while !is_over() {
        tokio::time::sleep(Duration::from_millis(50)).await;
        desk.ask(Request::Tick).await;
    }
    desk.ask(Request::Stop).await;
    if let Some(path) = &arguments.unix {
        // It may be gone already.
        let _ = std::fs::remove_file(path);
    }
    Ok(())
}

/// Where clients come in.
trait Door: Send + Sync + 'static {
    type Input: AsyncRead + Unpin + Send + 'static;
    type Output: AsyncWrite + Unpin + Send + 'static;

    /// Waits for the next client.
    fn enter(&self) -> impl Future<Output = io::Result<(Self::Input, Self::Output)>> + Send;
}

impl Door for TcpListener {
    type Input = tcp::OwnedReadHalf;
    type Output = tcp::OwnedWriteHalf;

    async fn enter(&self) -> io::Result<(Self::Input, Self::Output)> {
        let (stream, _) = self.accept().await?;
        // Acknowledgements are short and someone waits for them.
        stream.set_nodelay(true)?;
        Ok(stream.into_split())
    }
}

impl Door for UnixListener {
    type Input = unix::OwnedReadHalf;
    type Output = unix::OwnedWriteHalf;

    async fn enter(&self) -> io::Result<(Self::Input, Self::Output)> {
        let (stream, _) = self.accept().await?;
        Ok(stream.into_split())
    }
}

/// Lets clients in, as many as there is room for.
async fn accept(door: impl Door, desk: Desk, bounds: Arc<Bounds>, room: Arc<Semaphore>) {
    while let Ok(permit) = Arc::clone(&room).acquire_owned().await {
        let Ok((input, output)) = door.enter().await else {
            tokio::time::sleep(TROUBLE).await;
            continue;
        };
        let (desk, bounds) = (desk.clone(), Arc::clone(&bounds));
        tokio::spawn(async move {
            link::serve(input, output, &desk, &bounds).await;
            drop(permit);
        });
    }
}
