//! Reads the shape of an `.aut` file, without its labels, as quickly as can be done in safe code.
//!
//! A deadlock needs no labels, so they are not looked at: a transition is the number after the first parenthesis and
//! the number after the last comma. The file is read in large pieces and never kept. Transitions that come by
//! their sources, as every generator writes them, need not be sorted.

use std::fs::File;
use std::io::{BufRead, BufReader};

use memchr::{memchr, memrchr};

/// The successors of each state, one after the other.
pub(crate) struct Shape {
    pub(crate) initial: u32,
    /// Where the successors of a state begin; those of the next are where they end.
    offsets: Vec<usize>,
    targets: Vec<u32>,
}

impl Shape {
    /// The places of a state's successors.
    pub(crate) fn successors(&self, state: u32) -> std::ops::Range<usize> {
        let state = state as usize;
        self.offsets[state]..self.offsets[state + 1]
    }

    /// The state at one of these places.
    pub(crate) fn target(&self, place: usize) -> u32 {
        self.targets[place]
    }

    /// Reads a file.
    pub(crate) fn read(path: &str) -> Result<Shape, String> {
        let file = File::open(path).map_err(|error| format!("{path}: {error}"))?;
        Shape::parse(path, BufReader::with_capacity(1 << 20, file))
    }

    fn parse(path: &str, mut reader: impl BufRead) -> Result<Shape, String> {
        let mut line = Vec::new();
        let mut lines = 0;
        let mut next = |line: &mut Vec<u8>| {
            line.clear();
            lines += 1;
            let read = reader.read_until(b'\n', line);
            let read = read.map_err(|error| format!("{path}:{lines}: {error}"))?;
            Ok::<_, String>((read > 0).then_some(lines))
        };
        next(&mut line)?;
        let [initial, transitions, states] =
            header(&line).ok_or_else(|| format!("{path}:1: expected `des (0, 3, 2)`"))?;
        let mut edges = Edges::new(states as usize, transitions as usize);
        while let Some(number) = next(&mut line)? {
            if line.trim_ascii().is_empty() {
                continue;
            }
            let edge = transition(&line).filter(|(from, to)| *from < states && *to < states);
            let (from, to) = edge.ok_or_else(|| {
                format!("{path}:{number}: expected `(0, a, 1)` with known states")
            })?;
            edges.push(from, to);
        }
        let (offsets, targets) = edges.finish();
        if initial >= states {
            return Err(format!("{path}:1: the initial state is none of the states"));
        }
        Ok(Shape {
            initial,
            offsets,
            targets,
        })
    }
}

/// Transitions as they are read.
struct Edges {
    sources: Vec<u32>,
    targets: Vec<u32>,
    degrees: Vec<usize>,
    sorted: bool,
}

impl Edges {
    fn new(states: usize, transitions: usize) -> Edges {
        Edges {
            sources: Vec::with_capacity(transitions),
            targets: Vec::with_capacity(transitions),
            degrees: vec![0; states + 1],
            sorted: true,
        }
    }

    fn push(&mut self, from: u32, to: u32) {
        self.sorted &= self.sources.last().is_none_or(|&last| last <= from);
        self.sources.push(from);
        self.targets.push(to);
        self.degrees[from as usize + 1] += 1;
    }

    /// Where the successors of each state begin, and the successors.
    fn finish(self) -> (Vec<usize>, Vec<u32>) {
        let mut offsets = self.degrees;
        for state in 1..offsets.len() {
            offsets[state] += offsets[state - 1];
        }
        if self.sorted {
            return (offsets, self.targets);
        }
        let mut places = offsets.clone();
        let mut targets = vec![0; self.targets.len()];
        for (&from, &to) in self.sources.iter().zip(&self.targets) {
            let place = &mut places[from as usize];
            targets[*place] = to;
            *place += 1;
        }
        (offsets, targets)
    }
}

fn header(line: &[u8]) -> Option<[u32; 3]> {
    let open = memchr(b'(', line)?;
    let close = memrchr(b')', line)?;
    let mut parts = line.get(open + 1..close)?.split(|&byte| byte == b',');
    let mut next = || number(parts.next()?);
    Some([next()?, next()?, next()?])
}

fn transition(line: &[u8]) -> Option<(u32, u32)> {
    let open = memchr(b'(', line)?;
    let comma = memchr(b',', line)?;
    let last = memrchr(b',', line)?;
    let close = memrchr(b')', line)?;
    let from = number(line.get(open + 1..comma)?)?;
    Some((from, number(line.get(last + 1..close)?)?))
}

fn number(text: &[u8]) -> Option<u32> {
    let text = text.trim_ascii();
    let digits = text.iter().try_fold(0_u32, |number, byte| {
        let digit = byte.is_ascii_digit().then(|| u32::from(byte - b'0'))?;
        number.checked_mul(10)?.checked_add(digit)
    });
    digits.filter(|_| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(text: &str) -> Result<Vec<Vec<u32>>, String> {
        let shape = Shape::parse("t.aut", text.as_bytes())?;
        let states = 0..shape.offsets.len() as u32 - 1;
        let targets = |state| shape.successors(state).map(|place| shape.target(place));
        Ok(states.map(|state| targets(state).collect()).collect())
    }

    #[test]
    fn transitions_may_come_in_any_order() {
        let sorted = "des (0, 4, 3)   \n(0,\"a, (b)\",1)\n(0, i, 2)\n(2,b,2)\n(2,\"\",0)\n";
        let mixed = "des(0,4,3)\n(2,b,2)\n(0,\"a, (b)\",1)\n(2,\"\",0)\n(0, i, 2)";
        let expected = Ok(vec![vec![1, 2], vec![], vec![2, 0]]);
        assert_eq!(shape(sorted), expected);
        assert_eq!(shape(mixed), expected);
    }

    #[test]
    fn what_is_no_system_is_refused_with_its_line() {
        let refused = |text: &str| shape(text).expect_err("a refusal");
        assert!(refused("desk").starts_with("t.aut:1: "));
        assert!(refused("des (0, 1, 1)\n(0, a, 1)\n").starts_with("t.aut:2: "));
        assert!(refused("des (0, 1, 1)\n(0, a, x)\n").starts_with("t.aut:2: "));
        assert!(refused("des (1, 0, 1)\n").starts_with("t.aut:1: "));
    }
}
