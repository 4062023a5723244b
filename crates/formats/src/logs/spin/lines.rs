//! The lines of a simulation: steps, what they changed, who was started, and the rows of a sequence of messages.

use causet_base::Code;

use crate::error::ReadError;

/// A line that says something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Line<'l> {
    /// A process was started by another, if that is not the root.
    Creates {
        by: Option<u32>,
        pid: u32,
        name: &'l str,
    },
    /// A process did something.
    Step {
        pid: u32,
        name: &'l str,
        statement: &'l str,
    },
    /// What the step that follows sends or receives, and through which queue.
    Passes { content: &'l str, queue: &'l str },
    /// A variable has a value now, one of a process or a global one.
    Holds {
        pid: Option<u32>,
        variable: &'l str,
        value: &'l str,
    },
    /// A queue is known by a name, to a process or to all.
    Queue {
        pid: Option<u32>,
        name: &'l str,
        queue: &'l str,
    },
    /// What follows is a summary.
    End,
}

/// What a line of `spin -p -g -l` says, if it says anything; models print what they like in between.
pub(super) fn line(number: u32, text: &str) -> Result<Option<Line<'_>>, ReadError> {
    if text.starts_with("#processes") || text.starts_with("final state:") {
        return Ok(Some(Line::End));
    }
    if let Some(change) = text.strip_prefix("\t\t") {
        return Ok(state(change));
    }
    let start = text.trim_start();
    let digits = start.bytes().take_while(u8::is_ascii_digit).count();
    let Some(rest) = start[digits..]
        .strip_prefix(":\tproc")
        .filter(|_| digits > 0)
    else {
        return Ok(None);
    };
    step(rest).ok_or_else(|| {
        let at = text.len() - rest.len();
        let expected = "expected a step such as `12:\\tproc  1 (P:1) m.pml:8 (state 2)\\t[x = 1]`";
        ReadError::at(
            Code::MalformedLine,
            number,
            text,
            at..text.len(),
            "this step cannot be read",
            expected,
        )
        .with_help("write the simulation with `spin -p -g -l` to a file of its own")
    })
}

/// What follows `proc`: `Some(None)` for what is no step of the model.
fn step(rest: &str) -> Option<Option<Line<'_>>> {
    let (who, rest) = split(rest.trim_start(), " (", 1)?;
    let pid = match who.trim() {
        "-" => None,
        pid => Some(pid.parse::<u32>().ok()?),
    };
    let (name, rest) = rest.split_once(')')?;
    let name = name.rsplit_once(':').map_or(name, |(name, _)| name);
    let rest = rest.trim_start();
    if let Some(created) = rest.strip_prefix("creates proc") {
        let (pid_of, name) = created.trim_start().split_once(" (")?;
        return Some(Some(Line::Creates {
            by: pid,
            pid: pid_of.trim().parse().ok()?,
            name: name.strip_suffix(')')?,
        }));
    }
    let Some(pid) = pid else { return Some(None) };
    if let Some((place, queue)) = split(rest, " queue ", 1) {
        let content = ["Send ", "Sent ", "Recv "].iter().find_map(|word| {
            let (_, content) = place.split_once(word)?;
            content.split_once('\t').map(|(content, _)| content)
        });
        if let Some(content) = content {
            let queue = queue.split(' ').next()?;
            return Some(Some(Line::Passes { content, queue }));
        }
    }
    match split(rest, "\t[", 0) {
        Some((_, statement)) => Some(Some(Line::Step {
            pid,
            name,
            statement: statement.strip_suffix(']')?,
        })),
        // It ends, or stands where the simulation ended.
        None => (!rest.contains('[')).then_some(None),
    }
}

/// What a line behind two tabs says.
fn state(text: &str) -> Option<Line<'_>> {
    if let Some(rest) = text.strip_prefix("queue ") {
        let (queue, rest) = rest.split_once(" (")?;
        let (name, _) = rest.split_once("): ")?;
        let (pid, name) = owner(name);
        return Some(Line::Queue { pid, name, queue });
    }
    let (variable, value) = split(text, " = ", 1)?;
    let (pid, variable) = owner(variable);
    Some(Line::Holds {
        pid,
        variable,
        value: value.trim(),
    })
}

/// `P(1):x` is the `x` of process 1.
fn owner(name: &str) -> (Option<u32>, &str) {
    let owned = split(name, "):", 0).and_then(|(owner, local)| {
        let (_, pid) = owner.rsplit_once('(')?;
        Some((Some(pid.parse().ok()?), local))
    });
    owned.unwrap_or((None, name))
}

/// What stands before and behind the first of some words in a text. It is looked for by one of its bytes, a rare one.
fn split<'t>(text: &'t str, word: &str, rare: usize) -> Option<(&'t str, &'t str)> {
    let byte = *word.as_bytes().get(rare)?;
    let mut found = memchr::memchr_iter(byte, text.as_bytes());
    found.find_map(|at| {
        let start = at.checked_sub(rare)?;
        let behind = text.get(start..)?.strip_prefix(word)?;
        Some((&text[..start], behind))
    })
}

/// A row of `spin -c`: the queue, the process by its column, and the statement.
pub(super) fn row(number: u32, text: &str) -> Result<Option<(&str, u32, &str)>, ReadError> {
    let mut words = text.split_whitespace();
    let (Some(queue), true) = (words.next(), text.starts_with(' ')) else {
        return Ok(None);
    };
    if !queue.bytes().all(|byte| byte.is_ascii_digit()) {
        // What the model prints is indented, too.
        return Ok(None);
    }
    if let Some((word, column)) = words.zip(0..).find(|(word, _)| *word != ".") {
        if word.contains(['!', '?']) {
            return Ok(Some((queue, column, word)));
        }
        let start = text.find(word).unwrap_or(0);
        return Err(ReadError::at(
            Code::UnknownOperation,
            number,
            text,
            start..start + word.len(),
            format!("`{word}` neither sends nor receives"),
            "expected a row of `spin -c` such as `  1   .   q!5`",
        ));
    }
    Err(ReadError::of_line(
        Code::MissingInformation,
        number,
        text,
        "this row names no process",
        "expected a row of `spin -c` such as `  1   .   q!5`",
    )
    .with_help("the file may have been cut off"))
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn texts_are_split_at_the_first_word() {
        for text in [
            "a = b = c",
            "= = x",
            "a =b",
            "",
            " = ",
            "\u{e9}=\u{e9} = \u{e9}",
        ] {
            assert_eq!(split(text, " = ", 1), text.split_once(" = "), "{text}");
        }
    }
}
