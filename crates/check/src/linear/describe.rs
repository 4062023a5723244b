//! What is worth saying about a language of runs: its automaton, and what follows from it.

use causet_base::budget::{Budget, Spent};
use causet_formula::core::Ctl;
use causet_formula::print::Printer;
use causet_formula::{Names, Runs};
use causet_solve::automaton::Stutter;

use super::branching::branching;
use super::compile::{Compiled, Notices, Sizes, compile};

/// A language of runs, described.
#[derive(Clone, Debug)]
pub struct Description {
    /// Its automaton.
    pub compiled: Compiled,
    /// The names of the atoms.
    pub atoms: Vec<String>,
    /// A few words: how many states, which class.
    pub summary: String,
    /// For a property that is sensitive to stuttering: two words that show it.
    pub stutter: Option<String>,
    /// The formula of CTL as which the question is decided, if there is a small one.
    pub branching: Option<Ctl>,
}

/// Describes the words a property allows: those of the runs, or with `opposite` all others.
pub fn describe(
    runs: &Runs,
    opposite: bool,
    names: &dyn Names,
    budget: &Budget<'_>,
) -> Result<Description, Spent> {
    let allowed = Runs {
        complement: runs.complement != opposite,
        ..runs.clone()
    };
    let compiled = compile(&allowed, Sizes::default(), budget)?;
    // Where every run is to be allowed, one that is not is looked for.
    let question = match opposite {
        true => branching(&compile(runs, Sizes::default(), budget)?).map(Ctl::not),
        false => branching(&compiled),
    };
    let printer = Printer::new(names);
    let atoms: Vec<String> = compiled
        .atoms
        .iter()
        .map(|atom| printer.pred(atom))
        .collect();
    let stutter = match &compiled.notices {
        Notices::Repetition(words) => Some(told(words, &atoms)),
        Notices::Nothing | Notices::Perhaps => None,
    };
    Ok(Description {
        summary: summary(&compiled),
        branching: question.ok(),
        stutter,
        atoms,
        compiled,
    })
}

/// The languages in a formula, and whether the property is their opposite.
pub fn languages(formula: &Ctl) -> Vec<(&Runs, bool)> {
    let languages = formula.atoms().filter_map(|(atom, positive)| match atom {
        Ctl::Run(runs) => Some((&**runs, !positive)),
        _ => None,
    });
    languages.collect()
}

fn summary(compiled: &Compiled) -> String {
    let automaton = &compiled.automaton;
    let mut words = vec![match automaton.len() {
        1 => "1 state".to_owned(),
        states => format!("{states} states"),
    }];
    words.push(match compiled.atoms.len() {
        1 => "1 atom".to_owned(),
        atoms => format!("{atoms} atoms"),
    });
    if compiled.is_deterministic {
        words.push("deterministic".to_owned());
        if automaton.is_safety() {
            words.push("safety: a beginning shows a violation".to_owned());
        }
        if automaton.is_cosafety() {
            words.push("co-safety: a beginning is enough".to_owned());
        }
    } else {
        words.push("not deterministic".to_owned());
    }
    words.push(
        match compiled.notices {
            Notices::Nothing => "insensitive to stuttering",
            Notices::Repetition(_) => "sensitive to stuttering",
            Notices::Perhaps => "perhaps sensitive to stuttering",
        }
        .to_owned(),
    );
    words.join(", ")
}

/// Two words that differ by a repeated position, and what is said of each.
pub(crate) fn told(words: &Stutter, atoms: &[String]) -> String {
    let says = |accepted: bool| match accepted {
        true => "satisfies it",
        false => "does not satisfy it",
    };
    format!(
        "the run {} {}, and {} {}",
        word(&words.word, atoms),
        says(words.accepted),
        word(&words.longer, atoms),
        says(!words.accepted)
    )
}

/// A word as the atoms that hold at its positions.
fn word(word: &[Vec<bool>], atoms: &[String]) -> String {
    let letter = |letter: &Vec<bool>| {
        let holding = atoms.iter().zip(letter).filter(|&(_, &holds)| holds);
        let holding: Vec<&str> = holding.map(|(atom, _)| atom.as_str()).collect();
        format!("[{}]", holding.join(", "))
    };
    let letters: Vec<String> = word.iter().map(letter).collect();
    letters.join(" ")
}
