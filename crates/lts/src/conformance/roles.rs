//! Which labels are inputs of a system, which are outputs, and which are internal.
//!
//! A file of transitions does not say. Three ways are in use: a list of patterns (the `.io` files of TGV, or options on
//! the command line) and decorated labels (`?coin`, `!tea`, as in the literature, or `coin?`, `tea!`). With patterns
//! for inputs only, every other visible label is an output, and the other way round; with patterns for both, every
//! label must match one of the two. Patterns match whole labels. Whatever is in doubt is refused by name: a label taken
//! for the wrong kind would turn verdicts upside down.

use regex::Regex;

use crate::system::Labels;

/// The label of observed silence.
pub const DELTA: &str = "delta";

/// What a label is for the system that has it; a tester sees it the other way round.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// The environment decides on it.
    Input,
    /// The system decides on it, and the environment sees it.
    Output,
    /// Nobody sees it.
    Internal,
}

/// How inputs and outputs are told apart.
#[derive(Clone, Debug)]
pub enum Convention {
    /// By `?` or `!` at the beginning or the end.
    Decorated,
    /// By patterns; what no pattern decides is of the kind that has none.
    Patterns {
        /// Labels that are inputs.
        inputs: Option<Vec<Regex>>,
        /// Labels that are outputs.
        outputs: Option<Vec<Regex>>,
    },
}

/// Why the labels of a system cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unclear {
    /// What is wrong; it names the label.
    pub what: String,
    /// A way out.
    pub help: String,
}

impl Unclear {
    fn new(what: impl Into<String>, help: impl Into<String>) -> Unclear {
        Unclear {
            what: what.into(),
            help: help.into(),
        }
    }
}

impl Convention {
    /// Patterns as text.
    pub fn patterns(
        inputs: Option<&[String]>,
        outputs: Option<&[String]>,
    ) -> Result<Convention, Unclear> {
        let compile = |patterns: &[String]| -> Result<Vec<Regex>, Unclear> {
            patterns.iter().map(|pattern| whole(pattern)).collect()
        };
        Ok(Convention::Patterns {
            inputs: inputs.map(compile).transpose()?,
            outputs: outputs.map(compile).transpose()?,
        })
    }

    /// The patterns in the text of an `.io` file: the word `input` or `output`, then patterns, one a line; perhaps the
    /// other word with its patterns. Empty lines do not count, and a pattern may stand in double quotes.
    pub fn read_io(text: &str) -> Result<Convention, Unclear> {
        let mut lists: [Option<Vec<String>>; 2] = [None, None];
        let mut current = None;
        for (line, number) in text.lines().map(str::trim).zip(1..) {
            let section = ["input", "output"]
                .iter()
                .position(|word| line.eq_ignore_ascii_case(word));
            if line.is_empty() {
                continue;
            }
            if section.is_some() {
                current = section;
            }
            let Some(kind) = current else {
                let what =
                    format!("line {number} is `{line}`; `input` or `output` must come first");
                return Err(Unclear::new(
                    what,
                    r"such as: input, then \?.* on the next line",
                ));
            };
            let list = lists[kind].get_or_insert_default();
            if section.is_none() {
                let quoted = line
                    .strip_prefix('"')
                    .and_then(|line| line.strip_suffix('"'));
                list.push(quoted.unwrap_or(line).to_owned());
            }
        }
        if current.is_none() {
            let what = "neither `input` nor `output` occurs";
            return Err(Unclear::new(
                what,
                "write one of them on the first line, then patterns",
            ));
        }
        Convention::patterns(lists[0].as_deref(), lists[1].as_deref())
    }

    fn role(&self, text: &str) -> Result<Role, Unclear> {
        let (input, output) = match self {
            Convention::Decorated => (
                text.starts_with('?') || text.ends_with('?'),
                text.starts_with('!') || text.ends_with('!'),
            ),
            Convention::Patterns { inputs, outputs } => {
                let among = |list: &Option<Vec<Regex>>| {
                    let list = list.as_ref();
                    list.map(|list| list.iter().any(|pattern| pattern.is_match(text)))
                };
                match (among(inputs), among(outputs)) {
                    (Some(input), Some(output)) => (input, output),
                    (Some(input), None) => (input, !input),
                    (None, Some(output)) => (!output, output),
                    (None, None) => (false, false),
                }
            }
        };
        match (input, output) {
            (true, false) => Ok(Role::Input),
            (false, true) => Ok(Role::Output),
            (true, true) => Err(Unclear::new(
                format!("the label `{text}` is both an input and an output"),
                "make the patterns exclude each other",
            )),
            (false, false) => Err(Unclear::new(
                format!("the label `{text}` is neither an input nor an output"),
                match self {
                    Convention::Decorated => {
                        "write ?label and !label, or say which are inputs by patterns"
                    }
                    Convention::Patterns { .. } => {
                        "give patterns for one of the two only, or more of them"
                    }
                },
            )),
        }
    }
}

/// A pattern that matches whole labels.
pub(crate) fn whole(pattern: &str) -> Result<Regex, Unclear> {
    Regex::new(&format!("^(?:{pattern})$")).map_err(|_| {
        let help = "write a regular expression; \\ takes the meaning from a character";
        Unclear::new(format!("`{pattern}` is not a regular expression"), help)
    })
}

/// The labels of a system with their roles, and silence as one more output.
#[derive(Clone, Debug)]
pub struct Alphabet {
    labels: Labels,
    roles: Vec<Role>,
    delta: u32,
}

impl Alphabet {
    /// The labels of a system in their roles; label numbers stay what they are.
    pub fn new(labels: &Labels, convention: &Convention) -> Result<Alphabet, Unclear> {
        if labels.find(DELTA).is_some() {
            let help = "rename the label: this one stands for observed silence";
            return Err(Unclear::new(
                format!("the label `{DELTA}` is reserved"),
                help,
            ));
        }
        let numbers = 0..labels.len() as u32;
        let roles = numbers.map(|label| match labels.is_internal(label) {
            true => Ok(Role::Internal),
            false => convention.role(labels.text(label)),
        });
        let mut roles = roles.collect::<Result<Vec<Role>, Unclear>>()?;
        let mut labels = labels.clone();
        let delta = labels.number(DELTA);
        roles.push(Role::Output);
        Ok(Alphabet {
            labels,
            roles,
            delta,
        })
    }

    /// The labels, `delta` after all others.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// The role of each label.
    pub fn roles(&self) -> &[Role] {
        &self.roles
    }

    /// What a label is.
    pub fn role(&self, label: u32) -> Role {
        self.roles[label as usize]
    }

    /// The number of `delta`.
    pub fn delta(&self) -> u32 {
        self.delta
    }

    /// The labels with a role; `delta` is an output.
    pub fn with_role(&self, role: Role) -> impl Iterator<Item = u32> + '_ {
        let numbers = 0..self.roles.len() as u32;
        numbers.filter(move |&label| self.role(label) == role)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(texts: &[&str]) -> Labels {
        let mut labels = Labels::default();
        texts.iter().for_each(|text| {
            labels.number(text);
        });
        labels
    }

    fn roles(texts: &[&str], convention: &Convention) -> Result<Vec<Role>, String> {
        let alphabet = Alphabet::new(&labels(texts), convention).map_err(|unclear| unclear.what)?;
        Ok(alphabet.roles().to_vec())
    }

    #[test]
    fn decorations_stand_on_either_side() {
        use Role::{Input, Internal, Output};
        let found = roles(
            &["?a", "!a", "b?", "b!", "i", "tau"],
            &Convention::Decorated,
        );
        let expected = vec![Input, Output, Input, Output, Internal, Internal, Output];
        assert_eq!(found, Ok(expected));
    }

    #[test]
    fn what_is_in_doubt_is_refused_by_name() {
        let by = |texts: &[&str], io: &str| {
            let convention = Convention::read_io(io).map_err(|unclear| unclear.what)?;
            roles(texts, &convention)
        };
        let refused = |found: Result<Vec<Role>, String>, words: &str| {
            let message = found.expect_err("a refusal");
            assert!(message.contains(words), "{message}");
        };
        refused(
            roles(&["coin"], &Convention::Decorated),
            "`coin` is neither",
        );
        refused(roles(&["?a!"], &Convention::Decorated), "`?a!` is both");
        refused(
            roles(&["delta"], &Convention::Decorated),
            "`delta` is reserved",
        );
        refused(by(&["x"], "input\na\noutput\nb"), "`x` is neither");
        refused(by(&["a"], "input\na\noutput\n[ab]"), "`a` is both");
        refused(by(&["a"], "input\n(a"), "`(a` is not a regular");
        refused(by(&["a"], "a\ninput"), "line 1");
        refused(by(&["a"], "\n\n"), "neither `input` nor `output`");
    }

    #[test]
    fn one_list_decides_the_rest_and_patterns_match_whole_labels() {
        use Role::{Input, Output};
        let convention = Convention::read_io("INPUT\n\n\"PUT.*\"\ncoin\n").expect("patterns");
        let found = roles(&["PUT !1", "coin", "coins", "GET"], &convention);
        assert_eq!(found, Ok(vec![Input, Input, Output, Output, Output]));
        let convention = Convention::read_io("output\nGET").expect("patterns");
        assert_eq!(
            roles(&["PUT", "GET"], &convention),
            Ok(vec![Input, Output, Output])
        );
    }
}
