//! One connection: reads lines, has them parsed, and writes what the desk answers.
//!
//! A link reads on when less than a few of its pieces are under way, so a slow desk slows it down, and a client that does
//! not read its acknowledgements slows only itself. Lines have a longest length, and a client has to say hello soon.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use causet_base::Diagnostic;
use causet_formats::native::{Declared, Piece};
use memchr::{memchr, memrchr};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::{Semaphore, mpsc, oneshot};

use crate::desk::{Desk, Request};
use crate::protocol::{Hello, Reply, Word};

/// What a link lets pass.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// The longest line, in bytes.
    pub line: usize,
    /// What a client has to say to be heard, if anything.
    pub token: Option<Arc<str>>,
    /// So long a client may take to say hello.
    pub hello: Duration,
}

/// So many pieces of a link may be under way.
const UNDER_WAY: usize = 4;
/// So much is read at a time.
const STEP: usize = 64 << 10;
/// No run has a longer name.
const LONGEST_NAME: usize = 1000;

/// Serves one client to its end.
pub async fn serve<R, W>(input: R, output: W, desk: &Desk, bounds: &Bounds)
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let (replies, told) = mpsc::unbounded_channel();
    let writer = tokio::spawn(write(output, told));
    let mut link = Link::new(desk, replies);
    let ended = link.talk(&mut Lines::new(input, bounds), bounds).await;
    link.end(ended).await;
    let _ = writer.await;
}

/// What has become of lines that came without a connection of their own.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Taken {
    /// How many events of each process are safe, of those that came.
    pub ack: BTreeMap<String, u32>,
    /// What was wrong, if something was: nothing behind it was taken.
    pub error: Option<String>,
    /// Whether the lines were about a run at all.
    pub is_heard: bool,
}

/// Takes all lines of an input about one run; answers when what was taken is safe.
pub async fn take<R>(input: R, hello: Hello, desk: &Desk, bounds: &Bounds) -> Taken
where
    R: AsyncRead + Unpin + Send,
{
    let (replies, told) = mpsc::unbounded_channel();
    let talk = async {
        let mut link = Link::new(desk, replies);
        let mut ended = link.hello(hello, bounds).await;
        if ended.is_ok() {
            ended = link.rest(&mut Lines::new(input, bounds)).await;
        }
        link.end(ended).await;
    };
    tokio::join!(talk, gather(told)).1
}

/// Gathers replies until there are no more or one is an error.
async fn gather(mut told: mpsc::UnboundedReceiver<Reply>) -> Taken {
    let mut taken = Taken::default();
    while let Some(reply) = told.recv().await {
        match reply {
            Reply::Have { .. } => taken.is_heard = true,
            Reply::Ack { ack } => taken.ack.extend(ack),
            Reply::Error { error } => {
                taken.error = Some(error);
                break;
            }
        }
    }
    taken
}

/// The number of a link, or of whoever else speaks to the desk; no two are the same.
pub(crate) fn new_number() -> u64 {
    static LINKS: AtomicU64 = AtomicU64::new(0);
    LINKS.fetch_add(1, Ordering::Relaxed)
}

/// Writes replies until there are no more or the client is gone.
async fn write<W: AsyncWrite + Unpin>(mut output: W, mut told: mpsc::UnboundedReceiver<Reply>) {
    while let Some(reply) = told.recv().await {
        let is_last = matches!(reply, Reply::Error { .. });
        if output.write_all(reply.line().as_bytes()).await.is_err() || is_last {
            break;
        }
    }
    let _ = output.shutdown().await;
}

struct Link<'d> {
    number: u64,
    desk: &'d Desk,
    room: Arc<Semaphore>,
    replies: mpsc::UnboundedSender<Reply>,
}

/// Why a link ends: with something to tell the client, or without.
type Ended = Result<(), Option<String>>;

impl<'d> Link<'d> {
    fn new(desk: &'d Desk, replies: mpsc::UnboundedSender<Reply>) -> Self {
        Link {
            number: new_number(),
            desk,
            room: Arc::new(Semaphore::new(UNDER_WAY)),
            replies,
        }
    }

    /// Waits for what is under way, which is still to be acknowledged, and takes leave.
    async fn end(self, ended: Ended) {
        if let Err(Some(error)) = ended {
            // A writer that is gone has nobody to tell.
            let _ = self.replies.send(Reply::Error { error });
        }
        if let Ok(permit) = Arc::clone(&self.room).acquire_owned().await {
            self.desk.ask(Request::Mark(self.number, permit)).await;
        }
        let _ = self.room.acquire_many(UNDER_WAY as u32).await;
        self.desk.ask(Request::Gone(self.number)).await;
    }

    async fn talk<R: AsyncRead + Unpin>(&mut self, lines: &mut Lines<R>, bounds: &Bounds) -> Ended {
        let first = tokio::time::timeout(bounds.hello, lines.first()).await;
        let late = |_| Some("nobody said which run this is about".to_owned());
        let Some(first) = first.map_err(late)?? else {
            return Ok(());
        };
        let hello = match Word::read(&first) {
            Some(Ok(Word::Hello(hello))) => hello,
            Some(Err(error)) => return Err(Some(error.to_string())),
            _ => {
                let error = "the first line has to say which run this is about: {\"run\":\"name\"}";
                return Err(Some(error.to_owned()));
            }
        };
        self.hello(hello, bounds).await?;
        self.rest(lines).await
    }

    /// Sends everything that follows to the desk, until nobody listens any more.
    async fn rest<R: AsyncRead + Unpin>(&mut self, lines: &mut Lines<R>) -> Ended {
        let mut may_be_header = true;
        let replies = self.replies.clone();
        loop {
            let block = tokio::select! {
                block = lines.block() => block?,
                () = replies.closed() => None,
            };
            let Some(block) = block else {
                return Ok(());
            };
            self.block(block, &mut may_be_header).await?;
        }
    }

    async fn hello(&mut self, hello: Hello, bounds: &Bounds) -> Ended {
        let Hello { run, token } = hello;
        if !is_allowed(bounds.token.as_deref(), token.as_deref()) {
            return Err(Some("the token is not the right one".to_owned()));
        }
        if run.is_empty() || run.len() > LONGEST_NAME {
            return Err(Some("the name of a run has 1 to 1000 bytes".to_owned()));
        }
        let (answer, have) = oneshot::channel();
        let hello = Request::Hello {
            link: self.number,
            run: run.clone(),
            replies: self.replies.clone(),
            answer,
        };
        if !self.desk.ask(hello).await {
            return Err(Some("the server is closing".to_owned()));
        }
        let have = have.await.map_err(|_| None)?;
        let have = have.map_err(|error| Some(error.to_string()))?;
        let _ = self.replies.send(Reply::Have { run, have });
        Ok(())
    }

    /// Sends whole lines to the desk: words one by one, events in pieces between them.
    async fn block(&mut self, block: Vec<u8>, may_be_header: &mut bool) -> Ended {
        let mut start = 0;
        let mut at = 0;
        while at < block.len() {
            let end = memchr(b'\n', &block[at..]).map_or(block.len(), |length| at + length);
            let line = block[at..end].trim_ascii();
            let next = (end + 1).min(block.len());
            let word = Word::read(line);
            let is_header = *may_be_header && !line.is_empty() && is_header(line);
            if word.is_some() || is_header {
                self.lines(&block[start..at]).await?;
                start = next;
            }
            *may_be_header &= line.is_empty() || word.is_some();
            match word {
                Some(word) => self.word(word).await?,
                None if is_header => {
                    let line = String::from_utf8_lossy(line).into_owned();
                    self.desk.ask(Request::Header(self.number, line)).await;
                }
                None => {}
            }
            at = next;
        }
        self.lines(&block[start..]).await
    }

    async fn word(&mut self, word: Result<Word, Diagnostic>) -> Ended {
        let request = match word {
            Ok(Word::From(from)) => Request::From(self.number, from),
            Ok(Word::Over) => Request::Over(self.number),
            Ok(Word::Hello(_)) => {
                return Err(Some("a connection is about one run".to_owned()));
            }
            Err(error) => return Err(Some(error.to_string())),
        };
        self.desk.ask(request).await;
        Ok(())
    }

    async fn lines(&mut self, lines: &[u8]) -> Ended {
        if lines.iter().all(u8::is_ascii_whitespace) {
            return Ok(());
        }
        let permit = Arc::clone(&self.room).acquire_owned().await;
        let Ok(permit) = permit else {
            return Err(None);
        };
        let piece = Box::new(Piece::parse(lines.to_vec()));
        match self
            .desk
            .ask(Request::Lines(self.number, piece, permit))
            .await
        {
            true => Ok(()),
            false => Err(Some("the server is closing".to_owned())),
        }
    }
}

/// Whether a client may be heard. All bytes are looked at, so that the time it takes says nothing.
pub fn is_allowed(wanted: Option<&str>, given: Option<&str>) -> bool {
    let Some(wanted) = wanted else {
        return true;
    };
    let given = given.unwrap_or_default();
    let both = wanted.bytes().zip(given.bytes());
    let differ = both.fold(0, |differ, (one, other)| differ | (one ^ other));
    differ == 0 && wanted.len() == given.len()
}

fn is_header(line: &[u8]) -> bool {
    str::from_utf8(line).is_ok_and(Declared::is_in)
}

/// Cuts what is read into whole lines.
struct Lines<R> {
    input: R,
    bytes: Vec<u8>,
    longest: usize,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    fn new(input: R, bounds: &Bounds) -> Self {
        Lines {
            input,
            bytes: Vec::new(),
            longest: bounds.line,
        }
    }

    /// The first line that is not blank.
    async fn first(&mut self) -> Result<Option<Vec<u8>>, Option<String>> {
        loop {
            if let Some(end) = memchr(b'\n', &self.bytes) {
                let rest = self.bytes.split_off(end + 1);
                let line = std::mem::replace(&mut self.bytes, rest);
                if line.trim_ascii().is_empty() {
                    continue;
                }
                return Ok(Some(line.trim_ascii().to_vec()));
            }
            if !self.more().await? {
                return Ok(None);
            }
        }
    }

    /// The next whole lines, and at the end what is left.
    async fn block(&mut self) -> Result<Option<Vec<u8>>, Option<String>> {
        loop {
            if let Some(end) = memrchr(b'\n', &self.bytes) {
                let rest = self.bytes.split_off(end + 1);
                return Ok(Some(std::mem::replace(&mut self.bytes, rest)));
            }
            if !self.more().await? {
                let last = std::mem::take(&mut self.bytes);
                return Ok((!last.is_empty()).then_some(last));
            }
        }
    }

    /// Reads a little more; `false` at the end.
    async fn more(&mut self) -> Result<bool, Option<String>> {
        if self.bytes.len() > self.longest {
            let longest = self.longest;
            return Err(Some(format!("a line is longer than {longest} bytes")));
        }
        self.bytes.reserve(STEP);
        let read = self.input.read_buf(&mut self.bytes).await;
        Ok(read.map_err(|_| None)? > 0)
    }
}
