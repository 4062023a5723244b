//! The cut a witness leads to, as a table: how far each process has come and what its variables hold there.

use std::collections::HashSet;
use std::io::{self, Write};

use causet_trace::{Cut, MessageId, ProcessId, Trace, VarId};

use super::Palette;
use super::words::{self, padded, short, width};

/// More rows than this are cut down to the processes that matter.
const MOST_ROWS: usize = 16;
/// A process with more variables than this shows only those the formula names.
const MOST_VARIABLES: usize = 4;

/// Writes the table, and what is under way between the processes.
pub(super) fn write(
    trace: &Trace,
    cut: &Cut,
    mentioned: &HashSet<VarId>,
    palette: &Palette,
    out: &mut dyn Write,
) -> io::Result<()> {
    let rows = rows(trace, cut, mentioned, palette);
    let shown: Vec<&Row> = match rows.len() <= MOST_ROWS {
        true => rows.iter().collect(),
        false => rows
            .iter()
            .filter(|row| row.matters)
            .take(MOST_ROWS)
            .collect(),
    };
    let widest = |measure: fn(&Row) -> &str| {
        let widths = shown.iter().map(|row| width(measure(row)));
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
    for row in &shown {
        let (name, done) = (padded(&row.name, name_width), padded(&row.done, done_width));
        let line = format!("    {name}  {done}  {}", row.variables);
        writeln!(out, "{}", line.trim_end())?;
    }
    if shown.len() < rows.len() {
        let others = words::count(rows.len() - shown.len(), "other process");
        writeln!(out, "    {faint}{others}{faint:#}")?;
    }
    in_flight(trace, cut, out)
}

struct Row {
    name: String,
    done: String,
    variables: String,
    /// Whether the formula names something of it.
    matters: bool,
}

fn rows(trace: &Trace, cut: &Cut, mentioned: &HashSet<VarId>, palette: &Palette) -> Vec<Row> {
    let order = trace.order();
    let mut rows = Vec::new();
    let values = Values::new(trace, cut, mentioned);
    for process in order.processes() {
        let total = order.chain(process).len();
        rows.push(Row {
            name: short(trace.process_name(process), 24),
            done: format!("{} of {total}", cut.of(process)),
            variables: values.of(Some(process), palette),
            matters: mentioned
                .iter()
                .any(|&var| trace.owner(var) == Some(process)),
        });
    }
    if mentioned.iter().any(|&var| trace.owner(var).is_none()) {
        rows.push(Row {
            name: "(shared)".to_owned(),
            done: String::new(),
            variables: values.of(None, palette),
            matters: true,
        });
    }
    rows
}

/// The values to show, in the order of the variables.
struct Values {
    shown: Vec<Shown>,
    /// Variables not shown, by owner.
    hidden: Vec<Option<ProcessId>>,
}

struct Shown {
    owner: Option<ProcessId>,
    text: String,
    mentioned: bool,
}

impl Values {
    fn new(trace: &Trace, cut: &Cut, mentioned: &HashSet<VarId>) -> Self {
        let mut owned = vec![0; trace.order().process_count()];
        for process in trace.variables().filter_map(|var| trace.owner(var)) {
            owned[process.index()] += 1;
        }
        let few = |var: VarId| match trace.owner(var) {
            Some(process) => owned[process.index()] <= MOST_VARIABLES,
            // Only what the formula names is known to have a value: other shared variables may have races.
            None => false,
        };
        let (vars, hidden): (Vec<VarId>, Vec<VarId>) = trace
            .variables()
            .partition(|&var| mentioned.contains(&var) || few(var));
        let shown = trace.histories(&vars).into_iter().map(|history| {
            let done = history.done_in(trace, cut.counts());
            let value = words::value(trace, history.value_after(done));
            let name = short(trace.short_name(history.var), 20);
            let unset = match done == 0 && trace.given_init(history.var).is_none() {
                true => " (unset)",
                false => "",
            };
            Shown {
                owner: trace.owner(history.var),
                text: format!("{name} = {value}{unset}"),
                mentioned: mentioned.contains(&history.var),
            }
        });
        Values {
            shown: shown.collect(),
            hidden: hidden.into_iter().map(|var| trace.owner(var)).collect(),
        }
    }

    /// The variables of a process, those of the formula first and marked.
    fn of(&self, owner: Option<ProcessId>, palette: &Palette) -> String {
        let strong = palette.strong;
        let mut own: Vec<&Shown> = self
            .shown
            .iter()
            .filter(|shown| shown.owner == owner)
            .collect();
        own.sort_by_key(|shown| !shown.mentioned);
        let mut parts: Vec<String> = own
            .iter()
            .map(|shown| match shown.mentioned {
                true => format!("{strong}{}{strong:#} *", shown.text),
                false => shown.text.clone(),
            })
            .collect();
        let hidden = self
            .hidden
            .iter()
            .filter(|&&hidden| hidden == owner)
            .count();
        if hidden > 0 && owner.is_some() {
            parts.push(format!("({hidden} more)"));
        }
        parts.join(", ")
    }
}

/// Names the messages that are sent and not yet received by all who receive them.
fn in_flight(trace: &Trace, cut: &Cut, out: &mut dyn Write) -> io::Result<()> {
    let order = trace.order();
    let mut fates: Vec<Fate> = Vec::new();
    for event in trace.events() {
        let done = order.contains(cut, event);
        for message in trace.receives(event) {
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
    let names: Vec<String> = sent
        .filter(under_way)
        .map(|message| short(trace.message_name(message), 16))
        .collect();
    if names.is_empty() {
        return Ok(());
    }
    let messages = words::count(names.len(), "message");
    writeln!(out, "    {messages} in flight: {}", words::list(&names, 5))
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
        let mentioned: HashSet<VarId> = mentioned.iter().filter_map(named).collect();
        let mut out = Vec::new();
        write(
            &trace,
            &Cut::new(cut),
            &mentioned,
            &Palette::plain(),
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
