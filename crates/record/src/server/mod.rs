//! Sending a recording to `causet serve` while the program runs.
//!
//! The program puts lines into a bounded [queue]; a thread of its own sends them and hears what is safe. A line leaves the
//! queue when the server has acknowledged it, so a lost connection loses nothing: what is left is sent again.
//!
//! ```text
//!                 connected,              the server says
//!                 hello said              what it has
//!   +--> away ---------------> greeted -----------------> sending --+
//!   |     |                       |                          |      | lines out, acknowledgements in
//!   |     |                       |                          +<-----+
//!   |     |                       v  lost, silent, refused   v
//!   +-----|-------------------- broken <---------------------+
//!   back- |                       |
//!   off   | closed                | refused again and again, or someone else has sent our processes
//!         v                       v
//!       done                    failed: nothing more is taken, every flush tells
//! ```
//!
//! The program waits in two places only, and never for long: when the queue is full, at most
//! [`block_at_most`](crate::ServerOptions::block_at_most) for an event; and in a flush, at most
//! [`flush_at_most`](crate::ServerOptions::flush_at_most). Events of a process have numbers without holes, so after the
//! first event that found no room nothing of its process is sent any more, and what is missing is told with its numbers.

mod link;
mod options;
mod queue;
mod replies;
mod report;
mod shared;
mod stream;

use std::io;
use std::sync::Arc;

pub use options::ServerOptions;
pub use report::{Missing, NotSent};

use shared::Shared;

/// The way of a recording to a server. When it is dropped, what is not acknowledged is waited for once more.
pub(crate) struct Server {
    shared: Arc<Shared>,
}

impl Server {
    /// Starts the thread that sends. It connects by itself: the server need not be there yet.
    pub(crate) fn start(options: ServerOptions, header: String) -> io::Result<Server> {
        let shared = Arc::new(Shared::new(options, header));
        let sender = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("causet-record".to_owned());
        thread.spawn(move || link::keep_sending(&sender))?;
        Ok(Server { shared })
    }

    /// Takes in an event, with the end of its line.
    pub(crate) fn event(&self, process: &Arc<str>, number: u32, line: &[u8]) {
        self.shared.event(process, number, line);
    }

    /// Takes in the end of a process.
    pub(crate) fn end(&self, process: &Arc<str>) {
        self.shared.end(process);
    }

    /// Waits until everything is acknowledged, or says what is not.
    pub(crate) fn flush(&self) -> io::Result<()> {
        self.shared.flush()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.shared.may_still_get_through() {
            // Nobody is left to be told of an error.
            let _ = self.flush();
        }
        self.shared.close();
    }
}
