//! Who is whose parent among spans, and which calls were answered.

use rustc_hash::FxHashMap;

use super::{Kind, Span, counted};
use crate::logs::scribe::Scribe;

/// The relations between spans.
pub(super) struct Family {
    parents: Vec<Option<u32>>,
    links: Vec<Vec<u32>>,
    /// Whether a span is a server's that answers its parent.
    answers: Vec<bool>,
    /// Spans whose parent is not there.
    orphans: Vec<u32>,
    /// Children that start before their parents by the clock.
    early: Vec<u32>,
    /// Servers of clients that failed, or that ended earlier by the clock.
    late: Vec<u32>,
}

/// So many spans with one id are looked at: both sides of a call, and some more if it was repeated.
const SIDES: usize = 16;

/// Spans by trace and id.
type Index<'s> = FxHashMap<(&'s str, &'s str), Vec<u32>>;

impl Family {
    pub(super) fn of(spans: &[Span]) -> Family {
        let mut index: Index<'_> = FxHashMap::default();
        for (number, span) in spans.iter().enumerate() {
            let same = index.entry((&span.trace, &span.id)).or_default();
            if same.len() < SIDES {
                same.push(number as u32);
            }
        }
        let mut family = Family {
            parents: vec![None; spans.len()],
            links: vec![Vec::new(); spans.len()],
            answers: vec![false; spans.len()],
            orphans: Vec::new(),
            early: Vec::new(),
            late: Vec::new(),
        };
        for child in 0..spans.len() as u32 {
            family.find(child, spans, &index);
        }
        family
    }

    /// The spans that started before a span did.
    pub(super) fn before_start(&self, span: u32) -> impl Iterator<Item = u32> + '_ {
        let links = self.links[span as usize].iter().copied();
        self.parents[span as usize].into_iter().chain(links)
    }

    /// The client whose call ended after a server's span.
    pub(super) fn answers(&self, span: u32) -> Option<u32> {
        self.parents[span as usize].filter(|_| self.answers[span as usize])
    }

    /// The parent of a span.
    pub(super) fn parent(&self, span: u32) -> Option<u32> {
        self.parents[span as usize]
    }

    /// Says what is missing or strange.
    pub(super) fn note(&self, spans: &[Span], scribe: &mut Scribe<'_>) {
        let children = self.parents.iter().flatten().count();
        if let Some(&first) = self.early.first() {
            let message = format!(
                "{} of {children} children start before their parent by the clock",
                self.early.len()
            );
            let help = "clocks order nothing here: the parent starts first all the same";
            scribe.note(spans[first as usize].line, message, help);
        }
        if let Some(&first) = self.orphans.first() {
            let (one, many) = (
                "names a parent that is not there",
                "name a parent that is not there",
            );
            let message = counted(self.orphans.len(), one, many);
            let help =
                "what happened before them is not known; add the files with the rest of the trace";
            scribe.note(spans[first as usize].line, message, help);
        }
        if let Some(&first) = self.late.first() {
            let message = match self.late.len() {
                1 => "1 call failed or ended before its answer by the clock".to_owned(),
                count => format!("{count} calls failed or ended before their answers by the clock"),
            };
            let help =
                "whether the client waited is not known: its end is not ordered after the server's";
            scribe.note(spans[first as usize].line, message, help);
        }
    }

    fn find(&mut self, child: u32, spans: &[Span], index: &Index<'_>) {
        let span = &spans[child as usize];
        let number = child as usize;
        let other_side = other_side(child, spans, index);
        let named = span.parent.as_deref().filter(|&parent| parent != span.id);
        let parent = other_side.or_else(|| {
            let same = index.get(&(span.trace.as_str(), named?))?;
            Some(nearest(span, same, spans))
        });
        if parent.is_none() && named.is_some() {
            self.orphans.push(child);
        }
        self.parents[number] = parent;
        for (trace, id) in &span.links {
            let linked = index.get(&(trace.as_str(), id.as_str()));
            let linked = linked.and_then(|same| same.first()).copied();
            self.links[number].extend(linked.filter(|&linked| linked != child));
        }
        let Some(parent) = parent else { return };
        let above = &spans[parent as usize];
        if let (Some(start), Some(before)) = (span.start, above.start)
            && start < before
        {
            self.early.push(child);
        }
        if (above.kind, span.kind) == (Kind::Client, Kind::Server) {
            let is_late = matches!((span.end, above.end), (Some(end), Some(above)) if end > above);
            match is_late || above.failed {
                true => self.late.push(child),
                false => self.answers[number] = true,
            }
        }
    }
}

/// The span with the same id on the other side of the call.
fn other_side(child: u32, spans: &[Span], index: &Index<'_>) -> Option<u32> {
    let span = &spans[child as usize];
    let caller = match span.kind {
        Kind::Server => Kind::Client,
        Kind::Consumer => Kind::Producer,
        _ => return None,
    };
    let same = index.get(&(span.trace.as_str(), span.id.as_str()))?;
    let mut callers = same
        .iter()
        .copied()
        .filter(|&other| spans[other as usize].kind == caller);
    callers.next()
}

/// Which of several spans with one id is the parent: that of the same service, or else the one that called the others.
///
/// The caller starts before all the others, so it is never wrong.
fn nearest(child: &Span, same: &[u32], spans: &[Span]) -> u32 {
    let is_called =
        |number: &u32| matches!(spans[*number as usize].kind, Kind::Server | Kind::Consumer);
    let mut at_home = same.iter().filter(|&number| {
        let other = &spans[*number as usize];
        is_called(number) && other.service == child.service
    });
    let first = same
        .iter()
        .find(|number| !is_called(number))
        .unwrap_or(&same[0]);
    match (at_home.next(), at_home.next()) {
        (Some(&only), None) => only,
        _ => *first,
    }
}
