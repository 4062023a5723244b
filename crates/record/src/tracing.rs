//! A layer for `tracing`: spans name processes, events become events, their fields variables.
//!
//! A span with a field `process` says in whose name its events are recorded; spans inside it belong to the same process
//! unless they name another. The message of an event is its label, every other field a variable it sets. An event outside
//! any such span is nobody's and is not recorded. What `tracing` does not know is messages between processes: [`inject`]
//! records a sending and puts its stamp among the headers of a message, [`extract`] records the receipt.
//!
//! ```
//! use std::collections::HashMap;
//! use causet_record::{Recording, tracing::{Layer, extract, inject}};
//! use tracing_subscriber::prelude::*;
//!
//! let (recording, memory) = Recording::builder().to_memory();
//! let subscriber = tracing_subscriber::registry().with(Layer::new(recording));
//! tracing::subscriber::with_default(subscriber, || {
//!     let mut headers = HashMap::new();
//!     tracing::info_span!("serving", process = "client").in_scope(|| {
//!         tracing::info!(state = "waiting", tries = 1, "ask");
//!         inject("request", &mut headers).expect("a process");
//!     });
//!     tracing::info_span!("serving", process = "server").in_scope(|| {
//!         extract("request", &headers).expect("a process and a stamp");
//!     });
//! });
//! let text = memory.text();
//! let lines: Vec<&str> = text.lines().collect();
//! assert_eq!(lines[1], r#"{"p":"client","ev":"ask","set":{"state":"waiting","tries":1}}"#);
//! assert_eq!(lines[2], r#"{"p":"client","ev":"request","send":"client:2"}"#);
//! assert_eq!(lines[3], r#"{"p":"server","ev":"request","recv":"client:2","clock":{"client":2,"server":1}}"#);
//! ```
//!
//! A subscriber that is set for the whole program is never dropped: flush the recording before the program ends. A test
//! that runs on one thread needs no more than [`record`].

mod guard;
mod turmoil;

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::hash::BuildHasher;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ::tracing::dispatcher::get_default;
use ::tracing::field::{Field, Visit};
use ::tracing::span::{Attributes, Id, Record};
use ::tracing::{Dispatch, Span, Subscriber};
use tracing_subscriber::Registry;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::{LookupSpan, Scope};

use crate::recorder::Recorder;
use crate::recording::Recording;
use crate::stamp::Stamp;
use crate::value::Value;

pub use guard::{RecordingGuard, record, record_turmoil};
pub use turmoil::Turmoil;

/// The header in which a stamp travels.
pub const HEADER: &str = "causet-stamp";

/// The field of a span that names a process.
const PROCESS: &str = "process";

/// The field of an event that is its message.
const MESSAGE: &str = "message";

/// Records the events of `tracing`. It stands on a [`Registry`], or on something that looks spans up.
///
/// A process has one recorder, however many spans name it; if threads share a process, their events are recorded in the
/// order in which they come. Where the recording refuses a process ([`Recording::process`]), so does the layer.
#[derive(Debug)]
pub struct Layer {
    recording: Recording,
    recorders: Mutex<HashMap<String, Shared>>,
}

type Shared = Arc<Mutex<Recorder>>;

/// The process of a span, among its extensions.
struct Process(Shared);

/// Headers of a message, by name.
pub trait Carrier {
    /// Puts a header in.
    fn put(&mut self, name: &str, value: String);

    /// The header of a name.
    fn get(&self, name: &str) -> Option<&str>;
}

/// Why no stamp was put into a message, or none taken out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CarrierError {
    /// No [`Layer`] on a registry is in force, or no span around names a process.
    NoProcess,
    /// The message carries no stamp.
    NoStamp,
    /// The message carries something else in the place of a stamp.
    BadStamp,
}

impl Layer {
    /// A layer that records into a recording.
    pub fn new(recording: Recording) -> Self {
        Layer {
            recording,
            recorders: Mutex::default(),
        }
    }

    fn recorder(&self, process: &str) -> Shared {
        let mut recorders = lock(&self.recorders);
        if let Some(recorder) = recorders.get(process) {
            return recorder.clone();
        }
        let recorder = Arc::new(Mutex::new(self.recording.process(process)));
        recorders.insert(process.to_owned(), recorder.clone());
        recorder
    }
}

/// Records that the process of the current span sends, and puts the stamp into the message.
pub fn inject(label: &str, carrier: &mut impl Carrier) -> Result<(), CarrierError> {
    let recorder = current().ok_or(CarrierError::NoProcess)?;
    let stamp = lock(&recorder).event(label).send();
    carrier.put(HEADER, stamp.to_string());
    Ok(())
}

/// Records that the process of the current span receives the message with this stamp in it.
pub fn extract(label: &str, carrier: &impl Carrier) -> Result<(), CarrierError> {
    let text = carrier.get(HEADER).ok_or(CarrierError::NoStamp)?;
    let stamp: Stamp = text.parse().map_err(|_| CarrierError::BadStamp)?;
    let recorder = current().ok_or(CarrierError::NoProcess)?;
    lock(&recorder).event(label).recv(&stamp).done();
    Ok(())
}

/// The recorder of the process of the current span.
fn current() -> Option<Shared> {
    let id = Span::current().id()?;
    get_default(|dispatch: &Dispatch| {
        let registry = dispatch.downcast_ref::<Registry>()?;
        process_of(registry.span(&id)?.scope())
    })
}

/// The process named by the innermost span that names one.
fn process_of<'a, S: LookupSpan<'a>>(mut scope: Scope<'a, S>) -> Option<Shared> {
    scope.find_map(|span| span.extensions().get::<Process>().map(|p| p.0.clone()))
}

impl<S> tracing_subscriber::Layer<S> for Layer
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut name = Text::of(PROCESS);
        attributes.record(&mut name);
        if let (Some(name), Some(span)) = (name.found, context.span(id)) {
            let process = Process(self.recorder(&name));
            span.extensions_mut().replace(process);
        }
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let mut name = Text::of(PROCESS);
        values.record(&mut name);
        if let (Some(name), Some(span)) = (name.found, context.span(id)) {
            let process = Process(self.recorder(&name));
            span.extensions_mut().replace(process);
        }
    }

    fn on_event(&self, event: &::tracing::Event<'_>, context: Context<'_, S>) {
        let Some(recorder) = context.event_scope(event).and_then(process_of) else {
            return;
        };
        let message = Text::in_event(MESSAGE, event);
        let fields = Fields::in_event(event);
        let mut recorder = lock(&recorder);
        let label = message.as_deref().or(own_name(event));
        let begun = match label {
            Some(label) => recorder.event(label),
            None => recorder.step(),
        };
        let variables = fields.0.into_iter();
        variables
            .fold(begun, |begun, (name, value)| begun.set(name, value))
            .done();
    }
}

/// The name of an event, unless it is the one `tracing` makes up from file and line.
fn own_name<'a>(event: &'a ::tracing::Event<'_>) -> Option<&'a str> {
    let name = event.metadata().name();
    (!name.starts_with("event ")).then_some(name)
}

/// Looks for one field and keeps its text.
struct Text {
    name: &'static str,
    found: Option<String>,
}

impl Text {
    fn of(name: &'static str) -> Self {
        Text { name, found: None }
    }

    fn in_event(name: &'static str, event: &::tracing::Event<'_>) -> Option<String> {
        let mut text = Text::of(name);
        event.record(&mut text);
        text.found
    }
}

impl Visit for Text {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == self.name {
            self.found = Some(value.to_owned());
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == self.name {
            self.found = Some(format!("{value:?}"));
        }
    }
}

/// Collects the fields that are variables. They are evaluated before the event begins, for their own code may record.
#[derive(Default)]
struct Fields(Vec<(&'static str, Value)>);

impl Fields {
    fn in_event(event: &::tracing::Event<'_>) -> Self {
        let mut fields = Fields::default();
        event.record(&mut fields);
        fields
    }

    /// The text of a field.
    fn text(&self, name: &str) -> Option<&str> {
        match self.0.iter().find(|(field, _)| *field == name)? {
            (_, Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    fn push(&mut self, field: &Field, value: Value) {
        if field.name() != MESSAGE {
            self.0.push((field.name(), value));
        }
    }
}

impl Visit for Fields {
    fn record_i64(&mut self, field: &Field, value: i64) {
        self.push(field, value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.push(field, value.into());
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.push(field, value.into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.push(field, value.into());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.push(field, value.into());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() != MESSAGE {
            self.push(field, Value::Text(format!("{value:?}")));
        }
    }
}

impl<H: BuildHasher> Carrier for HashMap<String, String, H> {
    fn put(&mut self, name: &str, value: String) {
        self.insert(name.to_owned(), value);
    }

    fn get(&self, name: &str) -> Option<&str> {
        HashMap::get(self, name).map(String::as_str)
    }
}

impl Carrier for BTreeMap<String, String> {
    fn put(&mut self, name: &str, value: String) {
        self.insert(name.to_owned(), value);
    }

    fn get(&self, name: &str) -> Option<&str> {
        BTreeMap::get(self, name).map(String::as_str)
    }
}

impl fmt::Display for CarrierError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CarrierError::NoProcess => "no span around names a process that a layer records",
            CarrierError::NoStamp => "the message carries no stamp",
            CarrierError::BadStamp => "what the message carries is not a stamp",
        })
    }
}

impl std::error::Error for CarrierError {}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
