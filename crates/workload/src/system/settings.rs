//! What can be chosen of a system: numbers and words, each with a name, a range and a usual value.

use std::collections::BTreeMap;
use std::fmt::Display;

use super::System;
use crate::options::Unfit;

/// Something that can be chosen of a system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Setting {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
    /// What it can be.
    pub range: Range,
}

/// What a setting can be, and what it is unless told otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Range {
    /// A number.
    Number {
        /// The smallest.
        least: u64,
        /// The one unless told otherwise.
        usual: u64,
        /// The greatest.
        most: u64,
    },
    /// One of these words, the first unless told otherwise.
    Word(&'static [&'static str]),
}

/// What is asked of a system; what is not named is as usual.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    asked: BTreeMap<String, String>,
}

impl Options {
    /// The options with one more setting, as it was written.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Display) -> Options {
        self.asked.insert(name.into(), value.to_string());
        self
    }
}

/// A number for every setting of a system; that of a word is its place in the list.
pub(super) struct Values {
    values: BTreeMap<&'static str, u64>,
}

impl Values {
    /// The value of a setting that the system declares; 0 for any other.
    pub(super) fn number(&self, name: &str) -> u64 {
        self.values.get(name).copied().unwrap_or_default()
    }

    /// The thing that stands where the word of a setting stands in its list.
    pub(super) fn word<T: Copy>(&self, name: &str, things: &[T]) -> Option<T> {
        let place = usize::try_from(self.number(name)).ok()?;
        things.get(place).copied()
    }
}

/// Holds what is asked against the settings of a system.
pub(super) fn fit(system: &System, options: &Options) -> Result<Values, Unfit> {
    let usual = |setting: &Setting| match setting.range {
        Range::Number { usual, .. } => usual,
        Range::Word(_) => 0,
    };
    let settings = system.settings.iter();
    let mut values: BTreeMap<&'static str, u64> = settings
        .map(|setting| (setting.name, usual(setting)))
        .collect();
    for (name, asked) in &options.asked {
        let mut settings = system.settings.iter();
        let Some(setting) = settings.find(|setting| setting.name == name) else {
            return Err(unknown(system, name));
        };
        values.insert(setting.name, value(setting, asked)?);
    }
    Ok(Values { values })
}

fn value(setting: &Setting, asked: &str) -> Result<u64, Unfit> {
    let (value, help) = match setting.range {
        Range::Number { least, most, .. } => {
            let number = asked.parse().ok();
            let within = number.filter(|number| (least..=most).contains(number));
            (within, format!("it goes from {least} to {most}"))
        }
        Range::Word(words) => {
            let place = words.iter().position(|word| *word == asked);
            let place = place.and_then(|place| u64::try_from(place).ok());
            (place, format!("it is one of {}", words.join(", ")))
        }
    };
    value.ok_or_else(|| Unfit {
        what: format!("`{}` cannot be `{asked}`", setting.name),
        help,
    })
}

fn unknown(system: &System, name: &str) -> Unfit {
    let known: Vec<&str> = system.settings.iter().map(|setting| setting.name).collect();
    Unfit {
        what: format!("`{}` has no setting `{name}`", system.name),
        help: format!("it has {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::find;

    fn refused(name: &str, value: &str) -> String {
        let rank = find("rank").expect("a system");
        let unfit = rank.check(&Options::default().with(name, value));
        unfit.expect_err("a refusal").to_string()
    }

    #[test]
    fn what_does_not_fit_is_refused_with_what_would() {
        assert_eq!(
            refused("n", "3"),
            "`rank` has no setting `n`: it has groups, depth, seed, mode"
        );
        assert_eq!(
            refused("groups", "0"),
            "`groups` cannot be `0`: it goes from 1 to 1000000000"
        );
        assert!(refused("depth", "deep").contains("it goes from 1 to"));
        assert_eq!(
            refused("mode", "bad"),
            "`mode` cannot be `bad`: it is one of good, deadlock, livelock"
        );
    }

    #[test]
    fn what_is_not_asked_for_is_as_usual() {
        let rank = find("rank").expect("a system");
        let values = fit(rank, &Options::default().with("mode", "livelock")).ok();
        let values = values.expect("options that fit");
        assert_eq!((values.number("seed"), values.number("mode")), (1, 2));
        assert_eq!(values.word("mode", &['a', 'b', 'c']), Some('c'));
    }

    /// A usual value that its own range refuses would make the system impossible to write.
    #[test]
    fn usual_values_are_within_their_ranges() {
        for system in crate::system::systems() {
            for setting in system.settings {
                match setting.range {
                    Range::Number { least, usual, most } => {
                        assert!((least..=most).contains(&usual), "{}", setting.name);
                    }
                    Range::Word(words) => assert!(words.len() > 1, "{}", setting.name),
                }
            }
        }
    }
}
