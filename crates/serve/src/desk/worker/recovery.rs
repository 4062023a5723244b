//! Beginning again: the runs that were kept go on, and what was lost of them is told.

use std::io;
use std::path::Path;

use super::Worker;
use crate::closing;
use crate::keeping::{
    Keeping, Lost, check_length, has_last_word, is_over, journal_path, set_aside, set_aside_in,
};
use crate::news::{Damage, Told};
use crate::run::{Closed, Run};

/// What is said of a run whose journal cannot be read.
pub(super) const SET_ASIDE: &str = "the journal of the run is damaged and was set aside";
/// What is said of a run whose name is lost.
const NAMELESS: &str = "name.txt is missing, so nobody knows what the run is called; it goes on when a client says its name";

impl Worker {
    /// Opens the runs that were kept and are not over. What cannot be read is told, and kept as it is.
    pub(super) fn recover(&mut self) -> io::Result<()> {
        for folder in Keeping::all(&self.rules.data)? {
            if Keeping::name(&folder).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
                self.tell_nameless(&folder);
                continue;
            }
            let taken = match set_aside_in(&folder) {
                Some(_) => Err(io::Error::new(io::ErrorKind::InvalidData, SET_ASIDE)),
                None => self.take_up(&folder),
            };
            match taken {
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                    self.tell_damage(&folder, &error)?;
                }
                Err(error) => {
                    let named = format!("{}: {error}", folder.display());
                    return Err(io::Error::new(error.kind(), named));
                }
                Ok(()) => {}
            }
        }
        self.settle()
    }

    /// Goes on with the run of a folder, or with its last word.
    fn take_up(&mut self, folder: &Path) -> io::Result<()> {
        let asked = self.rules.asked.clone();
        if is_over(folder) && has_last_word(folder) {
            return check_length(folder);
        }
        if is_over(folder) {
            self.last_word(Closed::left(folder, asked)?)();
            return check_length(folder);
        }
        self.go_on(folder)
    }

    /// Goes on with the run of a folder, and tells what was lost of it.
    pub(super) fn go_on(&mut self, folder: &Path) -> io::Result<()> {
        let mut run = Run::open(folder, self.rules.asked.clone(), self.rules.memory)?;
        let name = run.name().to_owned();
        if let Some(Lost { what, kept }) = run.lost() {
            let damage = Damage {
                run: name.clone(),
                damaged: what,
                kept,
                goes_on: true,
            };
            self.counts.note_damage(&damage);
            closing::tell(folder, &Told::Damage(damage), &*self.rules.tell);
        }
        self.dirty.insert(name.clone());
        self.add(name.clone(), run);
        self.weigh(&name)
    }

    /// Tells that what was kept of a run cannot be read. The journal of a run that is not over is set aside.
    fn tell_damage(&mut self, folder: &Path, error: &io::Error) -> io::Result<()> {
        let is_new = !is_over(folder) && set_aside_in(folder).is_none();
        let kept = match set_aside_in(folder) {
            _ if is_new => set_aside(folder)?,
            Some(aside) => aside,
            None => journal_path(folder),
        };
        let damage = Damage {
            run: Keeping::name(folder).unwrap_or_else(|_| folder.display().to_string()),
            damaged: error.to_string(),
            kept,
            goes_on: false,
        };
        self.counts.note_damage(&damage);
        let damage = Told::Damage(damage);
        match is_new {
            true => closing::tell(folder, &damage, &*self.rules.tell),
            false => (self.rules.tell)(&damage),
        }
        Ok(())
    }

    /// Tells that nobody knows which run a folder holds.
    fn tell_nameless(&self, folder: &Path) {
        let damage = Damage {
            run: folder.display().to_string(),
            damaged: NAMELESS.to_owned(),
            kept: set_aside_in(folder).unwrap_or_else(|| journal_path(folder)),
            goes_on: true,
        };
        self.counts.note_damage(&damage);
        (self.rules.tell)(&Told::Damage(damage));
    }
}
