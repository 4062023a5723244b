//! The component of `conference.exp`: the conference as one user sees it.
//!
//! The user is X, the others are Y and Z. X knows who is inside, because everybody's commands are commands of the whole
//! network, and has a queue of lines that are on their way. The three queues are emptied independently, so the lines for
//! different users come in any order, and those for one user in the order of the commands:
//!
//! ```text
//! ?X: say hi  --+--> member X: queue of X  --> !X: sent
//!  (together)   +--> member Y: queue of Y  --> !Y: X says hi       each at its own pace
//!               +--> member Z: queue of Z  --> !Z: X says hi
//! ```
//!
//! Commands on different connections may overtake each other on their way to the server. So there is none before the
//! one in front of it has been answered: whoever has an answer knows that the command was dealt with. What the others are
//! told about it may still be on its way then, but not more than two lines for each.

use std::collections::{BTreeMap, VecDeque};

const NAMES: [&str; 3] = ["X", "Y", "Z"];
const COMMANDS: [&str; 4] = ["join", "leave", "say hi", "say yo"];
const LONGEST_QUEUE: usize = 2;

/// Who is inside, and what X will be told; an answer is the last line of the queue.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
struct State {
    inside: [bool; 3],
    queue: VecDeque<String>,
    has_answer: bool,
}

/// The component as text in the Aldebaran format.
pub(crate) fn text() -> String {
    let mut numbers = BTreeMap::from([(State::default(), 0)]);
    let mut waiting = VecDeque::from([State::default()]);
    let mut lines = Vec::new();
    while let Some(state) = waiting.pop_front() {
        for (label, next) in state.steps() {
            let count = numbers.len();
            let target = *numbers.entry(next.clone()).or_insert_with(|| {
                waiting.push_back(next);
                count
            });
            lines.push(format!("({}, \"{label}\", {target})\n", numbers[&state]));
        }
    }
    let head = format!("des (0, {}, {})\n", lines.len(), numbers.len());
    head + &lines.concat()
}

impl State {
    fn steps(&self) -> Vec<(String, State)> {
        let mut steps = Vec::new();
        if let Some(line) = self.queue.front() {
            let mut next = self.clone();
            next.queue.pop_front();
            next.has_answer &= !next.queue.is_empty();
            steps.push((format!("!X: {line}"), next));
        }
        if self.queue.len() < LONGEST_QUEUE && !self.has_answer {
            for (who, name) in NAMES.iter().enumerate() {
                let step = |command| (format!("?{name}: {command}"), self.after(who, command));
                steps.extend(COMMANDS.map(step));
            }
        }
        steps
    }

    /// After a command: X is answered, or told if it is inside and another's command was in order.
    fn after(&self, who: usize, command: &str) -> State {
        let mut next = self.clone();
        let in_order = self.inside[who] != (command == "join");
        let answer = match command {
            _ if !in_order => "no".to_owned(),
            "join" => self.others(),
            "leave" => "bye".to_owned(),
            _ => "sent".to_owned(),
        };
        let news = match command {
            "join" => "joined".to_owned(),
            "leave" => "left".to_owned(),
            said => said.replace("say", "says"),
        };
        if who == 0 {
            next.queue.push_back(answer);
            next.has_answer = true;
        } else if in_order && self.inside[0] {
            next.queue.push_back(format!("{} {news}", NAMES[who]));
        }
        if in_order {
            next.inside[who] = command != "leave";
        }
        next
    }

    fn others(&self) -> String {
        match self.inside {
            [_, false, false] => "here nobody",
            [_, true, false] => "here Y",
            [_, false, true] => "here Z",
            [_, true, true] => "here Y Z",
        }
        .to_owned()
    }
}
