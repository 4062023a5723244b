//! A client inside the server: what files and spans say reaches the desk as if it came over a connection.
//!
//! ```text
//!          hello                   lines, waits until they are safe            over
//!  nobody --------> about a run ----------------------------------> ... --------------> nobody
//! ```
//!
//! What it handed over is safe when the desk says so. The permit comes back then too, unless too many events of the run
//! wait for others: then the desk keeps it, and whoever can do something else meanwhile asks first whether it is there.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use causet_formats::native::Piece;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};

use crate::desk::{Desk, Request};
use crate::link;
use crate::protocol::Reply;

/// Why something did not reach the desk.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Refusal {
    /// The desk says why; after that it takes nothing more from this client.
    Told(String),
    /// The desk has closed.
    Closed,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refusal::Told(reason) => f.write_str(reason),
            Refusal::Closed => f.write_str("the server is closing"),
        }
    }
}

/// So long the desk may take to say what is wrong with a header.
const WORD: Duration = Duration::from_secs(2);

/// A client that has said which run it is about.
pub(crate) struct Inside<'d> {
    desk: &'d Desk,
    number: u64,
    told: mpsc::UnboundedReceiver<Reply>,
    room: Arc<Semaphore>,
}

impl<'d> Inside<'d> {
    /// Says which run it is about.
    pub(crate) async fn hello(desk: &'d Desk, run: &str) -> Result<Self, Refusal> {
        let number = link::new_number();
        let (replies, told) = mpsc::unbounded_channel();
        let (answer, have) = oneshot::channel();
        let hello = Request::Hello {
            link: number,
            run: run.to_owned(),
            replies,
            answer,
        };
        if !desk.ask(hello).await {
            return Err(Refusal::Closed);
        }
        let have = have.await.map_err(|_| Refusal::Closed)?;
        have.map_err(|error| Refusal::Told(error.to_string()))?;
        Ok(Inside {
            desk,
            number,
            told,
            room: Arc::new(Semaphore::new(1)),
        })
    }

    /// Sends a header. Headers of several clients may come before any of them is confirmed: what they say is put together.
    pub(crate) async fn header(&self, line: String) -> Result<(), Refusal> {
        self.ask(Request::Header(self.number, line)).await
    }

    /// Waits for what the desk has to say of the header.
    pub(crate) async fn confirm(&mut self) -> Result<(), Refusal> {
        let permit = self.permit().await?;
        self.ask(Request::Mark(self.number, permit)).await?;
        // The desk says nothing of a header that is right, and gives the permit back now or when there is room.
        let room = Arc::clone(&self.room);
        let _ = tokio::time::timeout(WORD, room.acquire()).await;
        match self.told.try_recv() {
            Ok(Reply::Error { error }) => Err(Refusal::Told(error)),
            _ => Ok(()),
        }
    }

    /// Whether the desk lets it go on.
    pub(crate) fn may_go_on(&self) -> bool {
        self.room.available_permits() > 0
    }

    /// Says which events of which processes come next.
    pub(crate) async fn from(&self, from: BTreeMap<String, u32>) -> Result<(), Refusal> {
        self.ask(Request::From(self.number, from)).await
    }

    /// Sends whole lines, none of them a header and some of them not blank, as soon as it may go on, and waits until they
    /// are safe.
    pub(crate) async fn lines(&mut self, lines: Vec<u8>) -> Result<(), Refusal> {
        let permit = self.permit().await?;
        let piece = Box::new(Piece::parse(lines));
        self.ask(Request::Lines(self.number, piece, permit)).await?;
        loop {
            match self.told.recv().await {
                Some(Reply::Ack { .. }) => return Ok(()),
                Some(Reply::Error { error }) => return Err(Refusal::Told(error)),
                Some(Reply::Have { .. }) => {}
                None => return Err(Refusal::Closed),
            }
        }
    }

    async fn permit(&self) -> Result<OwnedSemaphorePermit, Refusal> {
        let permit = Arc::clone(&self.room).acquire_owned().await;
        permit.map_err(|_| Refusal::Closed)
    }

    /// Says that the run is over, and waits until the desk has noted that.
    pub(crate) async fn over(self) -> Result<(), Refusal> {
        self.ask(Request::Over(self.number)).await?;
        let desk = self.desk;
        // Requests are worked through in their order.
        self.gone().await;
        let (answer, noted) = oneshot::channel();
        if !desk.ask(Request::Status(Some(String::new()), answer)).await {
            return Err(Refusal::Closed);
        }
        noted.await.map(drop).map_err(|_| Refusal::Closed)
    }

    /// Says that it is not there any more.
    pub(crate) async fn gone(self) {
        self.desk.ask(Request::Gone(self.number)).await;
    }

    async fn ask(&self, request: Request) -> Result<(), Refusal> {
        match self.desk.ask(request).await {
            true => Ok(()),
            false => Err(Refusal::Closed),
        }
    }
}
