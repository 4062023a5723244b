//! The cut a witness leads to, as a table: how far each process has come and what its variables hold there.

use std::io::Write;

use causet_base::budget::{Budget, Spent};
use causet_trace::{Cut, EventId, MessageId, ProcessId, StoredValue, Trace, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::words::{self, padded, short, short_middle, width};
use super::{Palette, Stopped};

/// More rows than this are cut down to the processes that matter.
const MOST_ROWS: usize = 16;
/// A process with more variables than this shows only those the formula names.
const MOST_VARIABLES: usize = 4;
/// Maximum number of messages under way that are named.
const MOST_MESSAGES: usize = 5;

/// Writes the table, and what is under way between the processes.
pub(super) fn write(
    trace: &Trace,
    cut: &Cut,
    mentioned: &FxHashSet<VarId>,
    palette: &Palette,
    budget: &Budget<'_>,
    out: &mut dyn Write,
) -> Result<(), Stopped> {
    let Rows { rows, others } = Rows::of(trace, cut, mentioned, palette, budget)?;
    let widest = |measure: fn(&Row) -> &str| {
        let widths = rows.iter().map(|row| width(measure(row)));
        widths.max().unwrap_or(0)
    };
    let name_width = widest(|row| &row.name).max("process".len());
    let done_width = widest(|row| &row.done).max("done".len());
    let (faint, process, done) = (
        palette.faint,
        padded("process", name_width),
        padded("done", done_width),
    );
    writeln!(
        out,
        "    {faint}{process}  {done}  variables (* named by the property){faint:#}"
    )?;
    for row in &rows {
        let (name, done) = (padded(&row.name, name_width), padded(&row.done, done_width));
        let line = format!("    {name}  {done}  {}", row.variables);
        writeln!(out, "{}", line.trim_end())?;
    }
    if others > 0 {
        let others = words::count(others, "other process");
        writeln!(out, "    {faint}{others}{faint:#}")?;
    }
    in_flight(trace, cut, budget, out)
}

/// The rows that are shown.
struct Rows {
    rows: Vec<Row>,
    /// How many there are beside them.
    others: usize,
}

struct Row {
    name: String,
    done: String,
    variables: String,
}

impl Rows {
    /// A row for each process, or for those that the formula names something of, and one for shared variables.
    fn of(
        trace: &Trace,
        cut: &Cut,
        mentioned: &FxHashSet<VarId>,
        palette: &Palette,
        budget: &Budget<'_>,
    ) -> Result<Rows, Spent> {
        let order = trace.order();
        let mut named: Vec<Option<ProcessId>> =
            mentioned.iter().map(|&var| trace.owner(var)).collect();
        named.sort_unstable_by_key(|owner| (owner.is_none(), *owner));
        named.dedup();
        let has_shared = named.last() == Some(&None);
        let all = order.process_count() + usize::from(has_shared);
        let mut shown: Vec<Option<ProcessId>> = match all <= MOST_ROWS {
            true => order.processes().map(Some).collect(),
            false => named,
        };
        if all <= MOST_ROWS && has_shared {
            shown.push(None);
        }
        shown.truncate(MOST_ROWS);
        let variables = Variables::of(trace, &shown, mentioned, budget)?;
        let rows = shown.iter().map(|&owner| {
            Ok(Row {
                name: owner.map_or_else(
                    || "(shared)".to_owned(),
                    |process| short_middle(trace.process_name(process), 24),
                ),
                done: owner.map_or_else(String::new, |process| {
                    format!("{} of {}", cut.of(process), order.chain(process).len())
                }),
                variables: variables.at(cut, owner, palette, budget)?,
            })
        });
        Ok(Rows {
            others: all - shown.len(),
            rows: rows.collect::<Result<_, Spent>>()?,
        })
    }
}

/// The variables of the processes that are shown.
struct Variables<'a> {
    trace: &'a Trace,
    mentioned: &'a FxHashSet<VarId>,
    of: FxHashMap<Option<ProcessId>, Vec<VarId>>,
}

impl<'a> Variables<'a> {
    fn of(
        trace: &'a Trace,
        shown: &[Option<ProcessId>],
        mentioned: &'a FxHashSet<VarId>,
        budget: &Budget<'_>,
    ) -> Result<Self, Spent> {
        let mut of: FxHashMap<Option<ProcessId>, Vec<VarId>> =
            shown.iter().map(|&owner| (owner, Vec::new())).collect();
        for var in trace.variables() {
            budget.tick()?;
            if let Some(own) = of.get_mut(&trace.owner(var)) {
                own.push(var);
            }
        }
        Ok(Variables {
            trace,
            mentioned,
            of,
        })
    }

    /// The variables of a process at a cut, those of the formula first and marked.
    fn at(
        &self,
        cut: &Cut,
        owner: Option<ProcessId>,
        palette: &Palette,
        budget: &Budget<'_>,
    ) -> Result<String, Spent> {
        let strong = palette.strong;
        let own = self.of.get(&owner).map_or(&[][..], Vec::as_slice);
        // Only what the formula names is known to have a value: other shared variables may have races.
        let few = owner.is_some() && own.len() <= MOST_VARIABLES;
        let is_mentioned = |var: &VarId| self.mentioned.contains(var);
        let mut shown: Vec<VarId> = own.to_vec();
        shown.retain(|var| few || is_mentioned(var));
        shown.sort_by_key(|var| !is_mentioned(var));
        let hidden = own.len() - shown.len();
        let values = self.values(cut, owner, &shown, budget)?;
        let mut parts: Vec<String> = Vec::new();
        for var in &shown {
            let text = self.text(*var, values.get(var).copied());
            parts.push(match is_mentioned(var) {
                true => format!("{strong}{text}{strong:#} *"),
                false => text,
            });
        }
        if hidden > 0 && owner.is_some() {
            parts.push(format!("({hidden} more)"));
        }
        Ok(parts.join(", "))
    }

    fn text(&self, var: VarId, written: Option<StoredValue>) -> String {
        let trace = self.trace;
        let value = written.unwrap_or_else(|| trace.initial_value(var));
        let (name, value) = (short(trace.short_name(var), 20), words::value(trace, value));
        match written.is_none() && trace.given_init(var).is_none() {
            true => format!("{name} = {value} (unset)"),
            false => format!("{name} = {value}"),
        }
    }

    /// What was last written to variables of one owner, found from the cut back.
    fn values(
        &self,
        cut: &Cut,
        owner: Option<ProcessId>,
        vars: &[VarId],
        budget: &Budget<'_>,
    ) -> Result<FxHashMap<VarId, StoredValue>, Spent> {
        let order = self.trace.order();
        let events: Box<dyn Iterator<Item = EventId>> = match owner {
            Some(process) => {
                let done = &order.chain(process)[..cut.of(process) as usize];
                Box::new(done.iter().rev().copied())
            }
            None => {
                let ranks = order.ranks();
                let all = (0..order.len() as u32)
                    .rev()
                    .map(move |rank| ranks.at(rank));
                Box::new(all.filter(|&event| order.contains(cut, event)))
            }
        };
        let mut open: FxHashSet<VarId> = vars.iter().copied().collect();
        let mut values = FxHashMap::default();
        for event in events {
            if open.is_empty() {
                break;
            }
            budget.tick()?;
            // Of several writes of an event the last counts.
            let writes: Vec<_> = self.trace.writes(event).collect();
            for write in writes.into_iter().rev() {
                if open.remove(&write.var) {
                    values.insert(write.var, write.value);
                }
            }
        }
        Ok(values)
    }
}

/// Names the messages that are sent and not yet received by all who receive them.
fn in_flight(
    trace: &Trace,
    cut: &Cut,
    budget: &Budget<'_>,
    out: &mut dyn Write,
) -> Result<(), Stopped> {
    let order = trace.order();
    budget.tick_many(2 * trace.len() as u64)?;
    let mut fates: Vec<Fate> = Vec::new();
    for event in trace.events() {
        for message in trace.receives(event) {
            let done = order.contains(cut, event);
            if fates.len() <= message.index() {
                fates.resize(message.index() + 1, Fate::default());
            }
            let fate = &mut fates[message.index()];
            fate.received |= done;
            fate.awaited |= !done;
        }
    }
    let under_way = |message: &MessageId| {
        let fate = fates.get(message.index()).copied().unwrap_or_default();
        fate.awaited || !fate.received
    };
    let sent = order
        .events_of(cut)
        .flat_map(|event| trace.sends(event).iter().copied());
    let under_way: Vec<MessageId> = sent.filter(under_way).collect();
    if under_way.is_empty() {
        return Ok(());
    }
    let messages = words::count(under_way.len(), "message");
    let named = under_way.iter().take(MOST_MESSAGES);
    let names: Vec<String> = named
        .map(|&message| short(trace.message_name(message), 16))
        .collect();
    let more = match under_way.len() - names.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    writeln!(out, "    {messages} in flight: {}{more}", names.join(", "))?;
    Ok(())
}

/// What has become of a message at a cut.
#[derive(Clone, Copy, Default)]
struct Fate {
    /// Somebody has received it.
    received: bool,
    /// Somebody is still to receive it.
    awaited: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use causet_trace::notation;

    fn table(drawing: &str, cut: &[u32], mentioned: &[&str]) -> String {
        let trace = notation::parse(drawing).unwrap();
        let named = |name: &&str| {
            trace
                .variables()
                .find(|&var| trace.variable_name(var) == **name)
        };
        let mentioned: FxHashSet<VarId> = mentioned.iter().filter_map(named).collect();
        let mut out = Vec::new();
        write(
            &trace,
            &Cut::new(cut),
            &mentioned,
            &Palette::plain(),
            &Budget::endless(),
            &mut out,
        )
        .unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn values_are_those_of_the_cut() {
        let run = "a: x=1  m!  x=2\nb: y=idle  m?\nc: .";
        let expected = "    process  done    variables (* named by the property)
    a        2 of 3  x = 1 *
    b        1 of 2  y = \"idle\"
    c        0 of 1
    1 message in flight: m
";
        assert_eq!(table(run, &[2, 1, 0], &["a.x"]), expected);
        assert!(!table(run, &[3, 2, 0], &["a.x"]).contains("in flight"));
    }

    #[test]
    fn a_variable_without_a_value_yet_is_unset() {
        let run = "init a.y=0\na: x=0,y=1";
        assert!(table(run, &[0], &["a.x"]).contains("x = 0 (unset) *, y = 0\n"));
        assert!(table(run, &[1], &["a.x"]).contains("x = 0 *, y = 1\n"));
    }

    #[test]
    fn a_multicast_is_under_way_until_the_last_has_it() {
        let run = "a: m!\nb: m?\nc: m?";
        assert!(table(run, &[1, 1, 0], &[]).contains("1 message in flight: m"));
        assert!(!table(run, &[1, 1, 1], &[]).contains("in flight"));
    }

    #[test]
    fn a_shared_variable_has_a_row_when_it_is_named() {
        let run = "shared turn\na: turn=1  m!\nb: m?  turn=2";
        assert!(table(run, &[2, 1], &["turn"]).contains("(shared)          turn = 1 *"));
        assert!(!table(run, &[2, 1], &[]).contains("turn"));
    }

    #[test]
    fn a_crowd_is_cut_down_to_those_who_matter() {
        let run: String = (0..30)
            .map(|process| format!("p{process}: x=1\n"))
            .collect();
        let shown = table(&run, &[1; 30], &["p7.x"]);
        assert!(
            shown.contains("p7") && shown.contains("29 other processes"),
            "{shown}"
        );
    }

    #[test]
    fn many_variables_show_only_those_of_the_formula() {
        let run = "a: u=1,v=1,w=1,x=1,y=1";
        assert!(table(run, &[1], &["a.v"]).contains("v = 1 *, (4 more)"));
    }
}
