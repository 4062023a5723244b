//! Why a predicate has its value at a cut: parts of it that are enough.
//!
//! A conjunction that holds holds because of all its parts, one that does not because of any part that does not. So the
//! reasons of a value are literals, each with the value it has, which force the value of the whole; where one part is
//! enough, the one that changed last is taken, since it is what has just happened.

use causet_check::subject::process_id;
use causet_formula::Value;
use causet_formula::core::{CmpOp, Expr, Pred};
use causet_formula::names::ProcRef;
use causet_trace::{EventId, MessageId};
use rustc_hash::FxHashSet;

use super::facts::Facts;

/// So many processes are counted out one by one.
const MOST_COUNTED: usize = 4;

/// A part of a predicate that is no boolean combination, with its value at the cut.
#[derive(Clone, Copy)]
pub(super) struct Reason<'p> {
    /// What it says.
    pub(super) pred: &'p Pred,
    /// Whether it holds.
    pub(super) truth: bool,
    /// With which event of the path it came to have that value.
    pub(super) made: Option<usize>,
    /// With which event after the cut it loses it, where that is certain.
    pub(super) ends: Option<EventId>,
    /// When it says that messages are on their way: one that is.
    pub(super) carried: Option<Carried>,
}

/// A message that was sent and not yet received at the cut.
#[derive(Clone, Copy)]
pub(super) struct Carried {
    pub(super) send: EventId,
    pub(super) receive: EventId,
}

/// The reasons for the value of a predicate at the cut.
pub(super) fn of<'p>(facts: &Facts<'_>, pred: &'p Pred) -> Vec<Reason<'p>> {
    let counts = facts.path.cut.counts();
    let mut reasons: Vec<Reason<'p>> = Vec::new();
    collect(facts, pred, facts.holds(pred, counts), &mut reasons);
    let mut kept: Vec<Reason<'p>> = Vec::new();
    for reason in reasons {
        if kept.iter().all(|other| other.pred != reason.pred) {
            kept.push(reason);
        }
    }
    kept
}

fn collect<'p>(facts: &Facts<'_>, pred: &'p Pred, truth: bool, found: &mut Vec<Reason<'p>>) {
    match (pred, truth) {
        (Pred::Const(_), _) => {}
        (Pred::Not(inner), _) => collect(facts, inner, !truth, found),
        (Pred::And(parts), true) | (Pred::Or(parts), false) => {
            parts
                .iter()
                .for_each(|part| collect(facts, part, truth, found));
        }
        (Pred::And(parts), false) | (Pred::Or(parts), true) => {
            let counts = facts.path.cut.counts();
            let enough = parts
                .iter()
                .filter(|part| facts.holds(part, counts) == truth);
            if let Some(part) = enough.max_by_key(|part| facts.made(part, truth)) {
                collect(facts, part, truth, found);
            }
        }
        (leaf, _) => match counted(facts, leaf, truth) {
            Some(parts) => parts
                .into_iter()
                .for_each(|(part, truth)| collect(facts, part, truth, found)),
            None => found.push(single(facts, leaf, truth)),
        },
    }
}

fn single<'p>(facts: &Facts<'_>, leaf: &'p Pred, truth: bool) -> Reason<'p> {
    let carried = match leaf {
        Pred::Compare(_, Expr::Inflight(from, to), _) if says_empty(leaf, truth) == Some(false) => {
            carried(facts, *from, *to)
        }
        _ => None,
    };
    let received = carried.map(|message| message.receive);
    Reason {
        pred: leaf,
        truth,
        made: facts.made(leaf, truth),
        ends: received.or_else(|| facts.ends(leaf, truth)),
        carried,
    }
}

/// Whether a comparison with this value says that no message is on its way, or that some message is; nothing when it
/// says something else.
pub(super) fn says_empty(leaf: &Pred, truth: bool) -> Option<bool> {
    let Pred::Compare(op, Expr::Inflight(..), Expr::Literal(bound)) = leaf else {
        return None;
    };
    let is = |number: i64| *bound == Value::from(number);
    match (op, truth) {
        (CmpOp::Eq | CmpOp::Le, true) | (CmpOp::Ne | CmpOp::Gt, false) if is(0) => Some(true),
        (CmpOp::Eq | CmpOp::Le, false) | (CmpOp::Ne | CmpOp::Gt, true) if is(0) => Some(false),
        (CmpOp::Lt, true) | (CmpOp::Ge, false) if is(1) => Some(true),
        (CmpOp::Lt, false) | (CmpOp::Ge, true) if is(1) => Some(false),
        _ => None,
    }
}

/// Of the messages between two processes that are on their way at the cut: the one that is received first.
fn carried(facts: &Facts<'_>, from: ProcRef, to: ProcRef) -> Option<Carried> {
    let trace = facts.path.trace;
    let order = trace.order();
    let (from, to) = (process_id(from), process_id(to));
    let done = facts.path.cut.counts()[to.index()] as usize;
    let (before, after) = order.chain(to).split_at_checked(done)?;
    facts.path.budget.allows(before.len() + after.len());
    let received = before.iter().flat_map(|&event| trace.receives(event));
    let received: FxHashSet<MessageId> = received.copied().collect();
    let arrivals = after.iter().flat_map(|&receive| {
        let messages = trace.receives(receive).iter();
        messages.map(move |&message| (message, receive))
    });
    let mut missing = arrivals.filter(|(message, _)| !received.contains(message));
    missing.find_map(|(message, receive)| {
        let send = trace.sender(message)?;
        let is_sent = order.process_of(send) == from && order.contains(&facts.path.cut, send);
        is_sent.then_some(Carried { send, receive })
    })
}

/// Of a comparison of a count with a number: the few counted things whose values are enough.
fn counted<'p>(facts: &Facts<'_>, leaf: &'p Pred, truth: bool) -> Option<Vec<(&'p Pred, bool)>> {
    let Pred::Compare(op, Expr::Count(parts), Expr::Literal(_)) = leaf else {
        return None;
    };
    // More of those that hold cannot make a lower bound false, nor fewer an upper one.
    let wanted = match (op, truth) {
        (CmpOp::Ge | CmpOp::Gt, true) | (CmpOp::Le | CmpOp::Lt, false) => true,
        (CmpOp::Le | CmpOp::Lt, true) | (CmpOp::Ge | CmpOp::Gt, false) => false,
        (CmpOp::Eq | CmpOp::Ne, _) => return None,
    };
    let counts = facts.path.cut.counts();
    let parts: Vec<(&Pred, bool)> = parts
        .iter()
        .filter(|part| facts.holds(part, counts) == wanted)
        .map(|part| (part, wanted))
        .collect();
    (1..=MOST_COUNTED).contains(&parts.len()).then_some(parts)
}
