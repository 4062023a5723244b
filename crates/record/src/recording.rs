//! One run being recorded: what its header says, where its lines go, and which process has got how far.

use std::collections::HashMap;
use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::event::EventRef;
use crate::json::{Items, end_line, push_string};
use crate::knowledge::{Knowledge, Known};
use crate::recorder::Recorder;
use crate::server::{Server, ServerOptions};
use crate::sink::Sink;
use crate::value::Value;

/// One run being recorded. Clones record into the same run; when the last handle and recorder are gone, what is still
/// in the buffer is written.
#[derive(Clone)]
pub struct Recording {
    run: Arc<Run>,
}

struct Run {
    out: Out,
    places: Mutex<HashMap<Arc<str>, Place>>,
    /// Whether `places` holds all processes there may be.
    closed: bool,
    clocks: bool,
}

/// Where the lines go.
enum Out {
    Writer(Mutex<Sink>),
    Server(Server),
}

/// How far a process has got.
enum Place {
    /// It goes on after this many events, with this knowledge.
    Free(u32, Knowledge),
    /// A recorder has it.
    Taken,
    /// It has ended.
    Ended(u32, Knowledge),
}

/// The settings of a recording. Processes that record apart, each into its own file, use the same settings.
#[derive(Default)]
pub struct Builder {
    processes: Items,
    names: Vec<Arc<str>>,
    shared: Items,
    inits: Items,
    observed: bool,
    without_clocks: bool,
}

/// The lines recorded so far by a recording that keeps them in memory.
#[derive(Clone)]
pub struct Memory {
    run: std::sync::Weak<Run>,
    bytes: Arc<Mutex<Vec<u8>>>,
}

struct MemoryWriter(Arc<Mutex<Vec<u8>>>);

impl Recording {
    /// Settings to begin with.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// The recorder of a process. A process whose recorder was dropped goes on where it stopped.
    ///
    /// # Panics
    ///
    /// If the process has a recorder already, has ended, has no name, or is not among those declared: such a recording
    /// would be refused.
    pub fn process(&self, name: &str) -> Recorder {
        assert!(!name.is_empty(), "a process has an empty name");
        let mut places = self.places();
        let declared = places.contains_key(name) || !self.run.closed;
        assert!(
            declared,
            "process `{name}` is not among the processes of the recording"
        );
        let fresh = || Place::Free(0, self.run.clocks.then(|| Arc::new(Known::default())));
        let place = places.entry(Arc::from(name)).or_insert_with(fresh);
        match place {
            Place::Free(number, knows) => {
                let (number, knows) = (*number, knows.take());
                *place = Place::Taken;
                Recorder::new(self.clone(), Arc::from(name), number, knows)
            }
            Place::Taken => panic!("process `{name}` has a recorder already"),
            Place::Ended(..) => panic!("process `{name}` has ended"),
        }
    }

    /// Hands all lines on. Tells the first error there was, at this call or before; after an error nothing is written.
    ///
    /// A recording that is sent to a server waits until everything is acknowledged, at most as long as its
    /// [options](ServerOptions::flush_at_most) say; the error holds a [`NotSent`](crate::NotSent) that says what is
    /// missing.
    pub fn flush(&self) -> io::Result<()> {
        match &self.run.out {
            Out::Writer(sink) => lock(sink).flush(),
            Out::Server(server) => server.flush(),
        }
    }

    /// Writes an event, with the end of its line.
    pub(crate) fn write(&self, process: &Arc<str>, number: u32, line: &[u8]) {
        match &self.run.out {
            Out::Writer(sink) => lock(sink).line(line),
            Out::Server(server) => server.event(process, number, line),
        }
    }

    /// Writes that a process has ended.
    pub(crate) fn write_end(&self, process: &Arc<str>) {
        match &self.run.out {
            Out::Writer(sink) => lock(sink).line(end_line(process).as_bytes()),
            Out::Server(server) => server.end(process),
        }
    }

    /// Gives back the place of a process.
    pub(crate) fn leave(&self, process: &Arc<str>, number: u32, knows: Knowledge, ended: bool) {
        let place = if ended {
            Place::Ended(number, knows)
        } else {
            Place::Free(number, knows)
        };
        self.places().insert(process.clone(), place);
    }

    /// The last event of a process that has no recorder now.
    pub(crate) fn last(&self, process: &str) -> Option<EventRef> {
        let places = self.places();
        let (process, place) = places.get_key_value(process)?;
        match place {
            Place::Free(number, knows) | Place::Ended(number, knows) if *number > 0 => {
                Some(EventRef {
                    process: process.clone(),
                    number: *number,
                    knows: knows.clone(),
                })
            }
            _ => None,
        }
    }

    fn places(&self) -> MutexGuard<'_, HashMap<Arc<str>, Place>> {
        lock(&self.run.places)
    }
}

impl Builder {
    /// Declares the processes of the run; without this, a process exists once it records.
    pub fn processes<'a>(mut self, names: impl IntoIterator<Item = &'a str>) -> Self {
        for name in names {
            self.processes.add(|out| push_string(out, name));
            self.names.push(Arc::from(name));
        }
        self
    }

    /// Declares a variable that all processes share.
    pub fn shared(mut self, name: &str) -> Self {
        self.shared.add(|out| push_string(out, name));
        self
    }

    /// Gives a variable its value at the beginning: `x` if it is shared, `p.x` if it belongs to process `p`.
    pub fn init(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.inits.put(name, |out| value.into().push(out));
        self
    }

    /// Says that the order of the lines is one real execution; accesses to a shared variable are ordered as they stand.
    pub fn observed(mut self) -> Self {
        self.observed = true;
        self
    }

    /// Keeps no vector clocks: stamps are smaller, but if a log is lost, so is the order that went through it.
    pub fn without_clocks(mut self) -> Self {
        self.without_clocks = true;
        self
    }

    /// Records to a writer.
    pub fn to_writer(self, out: impl Write + Send + 'static) -> Recording {
        let mut sink = Sink::new(Box::new(out));
        sink.line(self.header().as_bytes());
        self.begin(Out::Writer(Mutex::new(sink)))
    }

    fn begin(self, out: Out) -> Recording {
        let clocks = !self.without_clocks;
        let fresh = || Place::Free(0, clocks.then(|| Arc::new(Known::default())));
        let closed = !self.names.is_empty();
        let places = self.names.into_iter().map(|name| (name, fresh())).collect();
        let run = Run {
            out,
            places: Mutex::new(places),
            closed,
            clocks,
        };
        Recording { run: Arc::new(run) }
    }

    /// Records to a file, which is emptied if it exists.
    pub fn to_file(self, path: impl AsRef<Path>) -> io::Result<Recording> {
        Ok(self.to_writer(File::create(path)?))
    }

    /// Records to memory.
    pub fn to_memory(self) -> (Recording, Memory) {
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let recording = self.to_writer(MemoryWriter(bytes.clone()));
        let run = Arc::downgrade(&recording.run);
        (recording, Memory { run, bytes })
    }

    /// Records to a TCP connection, like to a file: nobody answers, and what is lost is lost. A server that follows runs
    /// wants [`to_server`](Builder::to_server).
    pub fn to_socket(self, addr: impl ToSocketAddrs) -> io::Result<Recording> {
        Ok(self.to_writer(TcpStream::connect(addr)?))
    }

    /// Records to a server, `causet serve`, from a thread of its own. The server need not be there yet, and may go away
    /// and come back: what it has not acknowledged is sent again. The error is that of starting a thread.
    pub fn to_server(self, options: ServerOptions) -> io::Result<Recording> {
        let server = Server::start(options, self.header())?;
        Ok(self.begin(Out::Server(server)))
    }

    fn header(&self) -> String {
        let mut line = String::from("{\"causet\":1");
        self.processes
            .push_list(&mut line, ",\"processes\":", false);
        self.shared.push_list(&mut line, ",\"shared\":", false);
        self.inits.push_object(&mut line, ",\"init\":");
        let order = if self.observed { "observed" } else { "causal" };
        line.push_str(",\"order\":\"");
        line.push_str(order);
        line.push_str("\"}\n");
        line
    }
}

impl Memory {
    /// All lines recorded so far.
    pub fn text(&self) -> String {
        if let Some(run) = self.run.upgrade() {
            // Writing to memory cannot fail.
            let _ = Recording { run }.flush();
        }
        String::from_utf8_lossy(&lock(&self.bytes)).into_owned()
    }
}

impl Write for MemoryWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        lock(&self.0).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl fmt::Debug for Recording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recording").finish_non_exhaustive()
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Builder").field(&self.header()).finish()
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory").finish_non_exhaustive()
    }
}

/// Locks; nothing here is left half done by a panic.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
