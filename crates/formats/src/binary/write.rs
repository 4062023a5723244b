//! Writing the binary form, one section at a time.

use std::io;

use causet_trace::Trace;
use causet_trace::stored::Numbers;

use super::section::{Kind, Title, push};
use super::{MAGIC, VERSION};

/// Writes a run and the names of the parts it was read from.
pub fn write(trace: &Trace, parts: &[String], out: &mut dyn io::Write) -> io::Result<()> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    let title = |kind, block: usize| Title {
        kind,
        block: block as u32,
    };
    push(&mut bytes, title(Kind::Head, 0), &head(trace, parts));
    push(&mut bytes, title(Kind::Tables, 0), &trace.tables());
    for (block, messages) in trace.name_blocks().enumerate() {
        let names = trace.name_block(messages);
        push(&mut bytes, title(Kind::Names, block), &names);
        out.write_all(&bytes)?;
        bytes.clear();
    }
    for (block, events) in trace.blocks().enumerate() {
        let order = trace.order_block(events.clone());
        push(&mut bytes, title(Kind::Order, block), &order);
        let actions = trace.action_block(events.clone());
        push(&mut bytes, title(Kind::Actions, block), &actions);
        let writes = trace.write_block(events);
        push(&mut bytes, title(Kind::Writes, block), &writes);
        out.write_all(&bytes)?;
        bytes.clear();
    }
    out.write_all(&bytes)
}

/// How many events there are, and the names of the parts with their ends.
fn head<'a>(trace: &Trace, parts: &[String]) -> Vec<Numbers<'a>> {
    let ends = parts.iter().scan(0, |end, part| {
        *end += part.len() as u64;
        Some(*end)
    });
    vec![
        Numbers::Longs(vec![trace.len() as u64].into()),
        Numbers::Bytes(parts.concat().into_bytes().into()),
        Numbers::Longs(ends.collect()),
    ]
}
