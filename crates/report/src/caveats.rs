//! What a format leaves out of the order, said with a verdict that may rest on it.

use causet_check::outcome::Witness;
use causet_formats::caveats::Caveat;
use causet_trace::{EventId, ProcessId, Trace};

use crate::story::Story;
use crate::words;

/// What to know of a verdict that a witness shows.
pub fn note(
    caveat: &Caveat,
    trace: &Trace,
    witness: &Witness,
    story: Option<&Story>,
) -> Option<String> {
    if witness.observed == Some(true) {
        return None;
    }
    match caveat {
            Caveat::Completions => Some(
                "a history says when an operation was answered, not when it took effect, so an answer is ordered only before \
                 what was invoked later; this order gives answers at other moments than the log does and may be a false \
                 alarm about the system behind them"
                    .to_owned(),
            ),
            Caveat::Clocks(hosts) => {
                let [one, other] = pair(trace, story?)?;
                let name = |process| trace.process_name(process);
                let host = |process| hosts.get(name(process));
                let shared = host(one).filter(|shared| host(other) == Some(shared))?;
                Some(format!(
                    "{} and {} ran on one host, {}, whose clock orders nothing here: --trust-local-clock lets it",
                    words::short_middle(name(one), 40),
                    words::short_middle(name(other), 40),
                    words::short_middle(shared, 40)
                ))
            }
        }
}

/// The processes of the two events that the run does not order: those that the sentence names, or else the first that the
/// order has the other way round than recorded.
fn pair(trace: &Trace, story: &Story) -> Option<[ProcessId; 2]> {
    let named = story.pair.map(|pair| (pair.first, pair.second));
    let (one, other) = named.or_else(|| story.swaps.first().copied())?;
    let processes = [one, other].map(|event| trace.order().process_of(EventId::new(event)));
    (processes[0] != processes[1]).then_some(processes)
}
