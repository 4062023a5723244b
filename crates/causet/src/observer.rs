//! What happens while a run is read and checked, for programs that show it or end it early.

use causet_base::budget::Spent;

use crate::message::Message;

/// Hears of the work as it goes on, from any thread, and may end it.
///
/// ```
/// use causet::{Message, Observer, Progress, Run, Session};
/// use std::sync::Arc;
///
/// struct Printer;
///
/// impl Observer for Printer {
///     fn message(&self, message: &Message) {
///         eprintln!("{message}");
///     }
///     fn progress(&self, progress: Progress<'_>) {
///         if let Progress::Begins { doing, .. } = progress {
///             eprintln!("{doing}");
///         }
///     }
/// }
///
/// let session = Session::new().observer(Arc::new(Printer));
/// let run = session.read(r#"{"p":"a","set":{"x":1}}"#)?;
/// assert!(session.check(&run, &"AG a.x <= 1".parse()?)?.holds());
/// # Ok::<(), causet::Error>(())
/// ```
pub trait Observer: Send + Sync {
    /// Hears an error, a warning or a note at once. Errors are also part of the [`Error`](crate::Error) at the end.
    fn message(&self, _message: &Message) {}

    /// Hears how far the work is.
    fn progress(&self, _progress: Progress<'_>) {}

    /// Says why the work shall end, if it shall; what is not decided by then is unknown.
    fn stop(&self) -> Option<Spent> {
        None
    }
}

/// How far the work is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress<'a> {
    /// A piece of work begins.
    Begins {
        /// What is done, such as `reading run.jsonl`.
        doing: &'a str,
        /// How many bytes or steps there are, when that is known.
        total: Option<u64>,
    },
    /// The bytes read so far.
    Bytes(u64),
    /// The steps taken so far.
    Steps(u64),
    /// What several workers do at the moment.
    Lines(&'a str),
    /// The piece of work is done.
    Ends,
}

/// The observer of those who want to hear nothing.
pub(crate) struct Silent;

impl Observer for Silent {}
