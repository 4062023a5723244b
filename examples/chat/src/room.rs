//! The rules of the conference.
//!
//! | a user does | and is answered | the others inside are told |
//! |---|---|---|
//! | `join` | `here` and who is inside, or `here nobody` | `ann joined` |
//! | `say hi` | `sent` | `ann says hi` |
//! | `leave` | `bye` | `ann left` |
//! | `join` inside, `say` or `leave` outside | `no` | |
//!
//! Those outside hear nothing. A mutant breaks the rules in one place, and each place says for which mutants.

use std::mem;

use crate::mutant::Mutant;

/// A line for a user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Line {
    /// Who gets it.
    pub(crate) to: String,
    /// What it says.
    pub(crate) text: String,
}

fn line(to: &str, text: impl Into<String>) -> Line {
    let to = to.to_owned();
    let text = text.into();
    Line { to, text }
}

/// A conference, and what only mutants remember.
#[derive(Default)]
pub(crate) struct Room {
    /// Who is inside, in the order in which they joined.
    members: Vec<String>,
    mutant: Option<Mutant>,
    connected: Vec<String>,
    former: Vec<String>,
    held: Vec<Line>,
    first_words: Option<String>,
    last_line: Option<String>,
    messages: usize,
}

impl Room {
    /// An empty conference.
    pub(crate) fn new(mutant: Option<Mutant>) -> Room {
        Room {
            mutant,
            ..Room::default()
        }
    }

    /// A user is there, outside as yet.
    pub(crate) fn connect(&mut self, who: &str) {
        self.connected.push(who.to_owned());
    }

    /// What a user does, and the lines that follow from it.
    pub(crate) fn take(&mut self, who: &str, command: &str) -> Vec<Line> {
        let lines = match command.split_once(' ') {
            None if command == "join" => self.join(who),
            None if command == "leave" => self.leave(who),
            Some(("say", text)) => self.say(who, text),
            _ => vec![line(who, "what?")],
        };
        if !self.is(Mutant::LastFirst) {
            return lines;
        }
        let (answer, told) = lines.into_iter().partition(|line| line.to == who);
        self.held.extend::<Vec<Line>>(told);
        answer
    }

    /// The lines that follow from nobody doing anything for a moment: none.
    pub(crate) fn pause(&mut self) -> Vec<Line> {
        match self.mutant {
            Some(Mutant::LastFirst) => mem::take(&mut self.held).into_iter().rev().collect(),
            Some(Mutant::Restless) => tell(&self.members, "hello?"),
            _ => Vec::new(),
        }
    }

    fn join(&mut self, who: &str) -> Vec<Line> {
        let inside = self.is_inside(who);
        if inside && !self.is(Mutant::TwiceIn) {
            return vec![line(who, "no")];
        }
        let others = self.others(who);
        let mut seen = others.clone();
        let mut told = others.clone();
        let mut welcome = None;
        let mut kept = !inside;
        match self.mutant {
            Some(Mutant::ShortList) => seen.truncate(1),
            Some(Mutant::SecretThird) if others.len() > 1 => told.clear(),
            Some(Mutant::OldNews) if others.is_empty() => welcome = self.last_line.clone(),
            Some(Mutant::Forgotten) if self.has_left(who) => kept = false,
            _ => {}
        }
        if kept {
            self.members.push(who.to_owned());
        }
        seen.sort();
        let seen = match seen.is_empty() {
            true => "nobody".to_owned(),
            false => seen.join(" "),
        };
        let mut lines = vec![line(who, format!("here {seen}"))];
        lines.extend(welcome.map(|text| line(who, text)));
        lines.extend(tell(&told, &format!("{who} joined")));
        lines
    }

    fn leave(&mut self, who: &str) -> Vec<Line> {
        if !self.is_inside(who) {
            return vec![line(who, "no")];
        }
        let mut told = self.others(who);
        let mut goes = who.to_owned();
        match self.mutant {
            Some(Mutant::SlipsOut) => told.clear(),
            Some(Mutant::WrongDoor) => goes = self.members.last().cloned().unwrap_or(goes),
            _ => {}
        }
        self.members.retain(|name| *name != goes);
        if !self.has_left(who) {
            self.former.push(who.to_owned());
        }
        if self.is(Mutant::Crash) && self.members.is_empty() {
            std::process::exit(1);
        }
        let mut lines = vec![line(who, "bye")];
        lines.extend(tell(&told, &format!("{who} left")));
        lines
    }

    fn say(&mut self, who: &str, text: &str) -> Vec<Line> {
        if !self.is_inside(who) && !self.is(Mutant::Stranger) {
            return vec![line(who, "no")];
        }
        self.messages += 1;
        let (mut name, mut words) = (who, text);
        let mut lines = vec![line(who, "sent")];
        match self.mutant {
            Some(Mutant::MuteAlone) if self.members.len() == 1 => lines.clear(),
            Some(Mutant::Parrot) => words = self.first_words.get_or_insert(text.to_owned()),
            Some(Mutant::WrongName) if self.members.len() == 3 => name = &self.members[0],
            _ => {}
        }
        let said = format!("{name} says {words}");
        lines.extend(tell(&self.hearers(who), &said));
        self.last_line = Some(said);
        lines
    }

    /// Who hears what somebody says: the others inside.
    fn hearers(&self, who: &str) -> Vec<String> {
        let mut names = self.others(who);
        match self.mutant {
            Some(Mutant::Echo) => names.push(who.to_owned()),
            Some(Mutant::Eavesdropper) => names = without(&self.connected, who),
            Some(Mutant::Ghost) => {
                let gone = without(&self.former, who).into_iter();
                names.extend(gone.filter(|name| !self.is_inside(name)));
            }
            Some(Mutant::OneEar) => names.truncate(1),
            Some(Mutant::Tired) if self.messages > 3 => names.clear(),
            Some(Mutant::Twice) => names.extend(names.last().cloned()),
            _ => {}
        }
        names
    }

    fn others(&self, who: &str) -> Vec<String> {
        without(&self.members, who)
    }

    fn is_inside(&self, who: &str) -> bool {
        self.members.iter().any(|name| name == who)
    }

    fn has_left(&self, who: &str) -> bool {
        self.former.iter().any(|name| name == who)
    }

    fn is(&self, mutant: Mutant) -> bool {
        self.mutant == Some(mutant)
    }
}

fn without(names: &[String], who: &str) -> Vec<String> {
    names.iter().filter(|name| *name != who).cloned().collect()
}

fn tell(names: &[String], text: &str) -> Vec<Line> {
    names.iter().map(|name| line(name, text)).collect()
}
