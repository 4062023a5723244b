//! What a server tells of the runs it follows, a line each.
//!
//! ```text
//! {"run":"checkout-7","property":"one leader","verdict":"violated","certain":true,"at":{"p1":7},"events":12}
//! {"run":"checkout-7","property":"one leader","witness":{"cut":{...},"run":[...]},"of":12}      the order that shows it
//! {"run":"checkout-7","process":"p2","missing":"message `m9`","seconds":10,"waiting":3}         a gap
//! {"run":"checkout-7","damaged":"...","kept":"runs/run-5f0c.../events.damaged","goes_on":false}                  events that are lost
//! ```

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;

/// One thing that is told.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(untagged)]
pub enum Told {
    /// What has become of a property.
    News(News),
    /// The order of events that shows it.
    Witness(Witness),
    /// Something is missing, and others wait for it.
    Gap(Gap),
    /// What was kept of a run cannot be read.
    Damage(Damage),
}

/// What has become of a property, told once.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct News {
    /// The run.
    pub run: String,
    /// The property.
    pub property: String,
    /// `holds`, `violated`, `unknown` or `refused`.
    pub verdict: &'static str,
    /// Whether it is so whatever comes; else it is said at the end.
    pub certain: bool,
    /// Why, where there is no verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How far the processes in view had come when it was seen.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub at: BTreeMap<String, u32>,
    /// How many events had been taken.
    pub events: u64,
    /// How many events the run was ended without, because what they depend on never came.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_out: u64,
}

/// The order of events that shows a verdict.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Witness {
    /// The run.
    pub run: String,
    /// The property.
    pub property: String,
    /// The order, as `causet check --json` gives it; `null` when it was not looked for to the end, or is long.
    pub witness: serde_json::Value,
    /// Why there is none here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How many events of the run it was looked for among.
    pub of: u64,
}

/// Something is missing, and others wait for it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Gap {
    /// The run.
    pub run: String,
    /// Who waits for it, or whose event it is.
    pub process: String,
    /// What is missing.
    pub missing: String,
    /// For how long.
    pub seconds: u64,
    /// How many events of the run wait.
    pub waiting: u64,
}

/// What was kept of a run cannot be read, or not all of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Damage {
    /// The run.
    pub run: String,
    /// What is wrong.
    pub damaged: String,
    /// The file that is damaged.
    pub kept: PathBuf,
    /// Whether the run goes on with what is left; else it takes nothing more.
    pub goes_on: bool,
}

impl Told {
    /// The line that says it.
    pub fn line(&self) -> String {
        let mut line = serde_json::to_string(self).unwrap_or_default();
        line.push('\n');
        line
    }

    /// Whether a property is violated.
    pub fn is_violation(&self) -> bool {
        matches!(self, Told::News(news) if news.verdict == "violated")
    }
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}
