//! A formula that holds of one state and not of another, and a play that shows the difference.
//!
//! Two states are told apart in round k because one of them has a step that the other cannot answer: every step of the
//! other with that label leads to a state that was told apart in an earlier round. If the first state has the step, the
//! formula is a diamond around all answers' formulas, otherwise a box around any of them. Where there is a choice, the
//! step with the shallowest and fewest answers is taken; an answer that a formula for another one refutes already needs
//! none of its own.

use std::collections::HashMap;
use std::fmt::Write;

use causet_base::budget::{Budget, Spent};

use super::Side;
use super::rounds::Rounds;
use crate::system::{Labels, Lts};

/// Deeper formulas are not written down. Those who build them recur, and the reader of formulas refuses more than 200
/// levels, of which a modality with parentheses behind it takes two.
const DEEPEST: u32 = 95;
/// Formulas with more modalities than this are not written down.
const LONGEST: usize = 5_000;

/// Explains why states of a system in which no two are bisimilar are different.
pub(super) struct Explainer<'l> {
    lts: &'l Lts,
    rounds: &'l Rounds,
    budget: &'l Budget<'l>,
    formulas: Vec<Formula>,
    of_pair: HashMap<(u32, u32), usize>,
    values: HashMap<(usize, u32), bool>,
}

/// A modality and what is asked behind it.
struct Formula {
    /// A diamond around all parts, or a box around any of them.
    diamond: bool,
    label: u32,
    parts: Vec<usize>,
    /// How many modalities it has when it is written out.
    size: usize,
}

/// A step that the other state cannot answer.
struct Attack {
    by: Side,
    label: u32,
    target: u32,
    /// The answers that there are, with the rounds that tell them from the target; the latest first.
    answers: Vec<(u32, u32)>,
}

impl Attack {
    /// How deep and how wide the explanation gets.
    fn cost(&self) -> (u32, usize) {
        let deepest = self.answers.first().map_or(0, |&(round, _)| round);
        (deepest, self.answers.len())
    }
}

impl<'l> Explainer<'l> {
    pub(super) fn new(lts: &'l Lts, rounds: &'l Rounds, budget: &'l Budget<'l>) -> Self {
        Explainer {
            lts,
            rounds,
            budget,
            formulas: Vec::new(),
            of_pair: HashMap::new(),
            values: HashMap::new(),
        }
    }

    /// The text of a formula that holds of one state and not of the other, unless it is too long.
    pub(super) fn formula(&mut self, one: u32, other: u32) -> Result<Option<String>, Spent> {
        if self
            .rounds
            .apart(one, other)
            .is_none_or(|round| round > DEEPEST)
        {
            return Ok(None);
        }
        let Some(formula) = self.tell_apart(one, other)? else {
            return Ok(None);
        };
        if self.formulas[formula].size > LONGEST {
            return Ok(None);
        }
        let mut text = String::new();
        self.write(formula, &mut text);
        Ok(Some(text))
    }

    /// Labels of steps that both make, one that only one of them can make then, and which.
    pub(super) fn play(
        &self,
        mut one: u32,
        mut other: u32,
    ) -> Result<(Vec<String>, String, Side), Spent> {
        let mut trace = Vec::new();
        loop {
            self.budget.tick()?;
            let Some(attack) = self.attack(one, other) else {
                // Only states that were never told apart have no attack, and nobody asks about those.
                return Ok((trace, String::new(), Side::First));
            };
            let label = shown(self.lts.labels(), attack.label);
            let Some(&(_, answer)) = attack.answers.first() else {
                return Ok((trace, label, attack.by));
            };
            trace.push(label);
            (one, other) = match attack.by {
                Side::First => (attack.target, answer),
                Side::Second => (answer, attack.target),
            };
        }
    }

    /// The best step of either state that the other cannot answer in the round that told them apart.
    fn attack(&self, one: u32, other: u32) -> Option<Attack> {
        let round = self.rounds.apart(one, other)?;
        let by_first = self.attacks(one, other, Side::First, round);
        let attacks = by_first.chain(self.attacks(other, one, Side::Second, round));
        attacks.min_by_key(Attack::cost)
    }

    fn attacks(
        &self,
        attacker: u32,
        defender: u32,
        by: Side,
        round: u32,
    ) -> impl Iterator<Item = Attack> + '_ {
        let steps = self.lts.steps(attacker).iter();
        steps.filter_map(move |step| {
            let answers = self.lts.steps(defender).iter();
            let answers = answers.filter(|answer| answer.label == step.label);
            let mut answers = answers
                .map(|answer| {
                    let apart = self.rounds.apart(step.target, answer.target)?;
                    (apart < round).then_some((apart, answer.target))
                })
                .collect::<Option<Vec<_>>>()?;
            answers.sort_unstable_by(|one, other| other.cmp(one));
            answers.dedup();
            Some(Attack {
                by,
                label: step.label,
                target: step.target,
                answers,
            })
        })
    }

    /// A formula that holds of one state and not of the other.
    fn tell_apart(&mut self, one: u32, other: u32) -> Result<Option<usize>, Spent> {
        if let Some(&formula) = self.of_pair.get(&(one, other)) {
            return Ok(Some(formula));
        }
        self.budget.tick()?;
        let Some(attack) = self.attack(one, other) else {
            return Ok(None);
        };
        let diamond = attack.by == Side::First;
        let mut parts: Vec<usize> = Vec::new();
        for &(_, answer) in &attack.answers {
            let mut settled = false;
            for &part in &parts {
                settled |= self.holds(part, answer)? != diamond;
            }
            if settled {
                continue;
            }
            let part = match diamond {
                true => self.tell_apart(attack.target, answer)?,
                false => self.tell_apart(answer, attack.target)?,
            };
            parts.extend(part);
        }
        let sizes = parts.iter().map(|&part| self.formulas[part].size);
        let size = sizes.fold(1_usize, usize::saturating_add);
        self.formulas.push(Formula {
            diamond,
            label: attack.label,
            parts,
            size,
        });
        let formula = self.formulas.len() - 1;
        self.of_pair.insert((one, other), formula);
        Ok(Some(formula))
    }

    /// Whether a formula holds of a state.
    fn holds(&mut self, formula: usize, state: u32) -> Result<bool, Spent> {
        if let Some(&value) = self.values.get(&(formula, state)) {
            return Ok(value);
        }
        self.budget.tick()?;
        let Formula { diamond, label, .. } = self.formulas[formula];
        let lts = self.lts;
        let mut value = !diamond;
        for step in lts.steps(state).iter().filter(|step| step.label == label) {
            if self.parts_hold(formula, step.target)? == diamond {
                value = diamond;
                break;
            }
        }
        self.values.insert((formula, state), value);
        Ok(value)
    }

    /// Whether all parts of a diamond, or any of a box, hold of a state.
    fn parts_hold(&mut self, formula: usize, state: u32) -> Result<bool, Spent> {
        let all = self.formulas[formula].diamond;
        for index in 0..self.formulas[formula].parts.len() {
            let part = self.formulas[formula].parts[index];
            if self.holds(part, state)? != all {
                return Ok(!all);
            }
        }
        Ok(all)
    }

    fn write(&self, formula: usize, text: &mut String) {
        let Formula {
            diamond,
            label,
            parts,
            ..
        } = &self.formulas[formula];
        let action = action(self.lts.labels(), *label);
        let (open, close) = if *diamond { ('<', '>') } else { ('[', ']') };
        // Writing to a string cannot fail.
        let _ = write!(text, "{open}{action}{close} ");
        match parts.as_slice() {
            [] => text.push_str(if *diamond { "true" } else { "false" }),
            [part] => self.write(*part, text),
            _ => {
                for (number, part) in parts.iter().enumerate() {
                    text.push_str(match (number, diamond) {
                        (0, _) => "(",
                        (_, true) => " && ",
                        (_, false) => " || ",
                    });
                    self.write(*part, text);
                }
                text.push(')');
            }
        }
    }
}

/// A label as an action formula.
fn action(labels: &Labels, label: u32) -> String {
    if labels.is_internal(label) {
        return "tau".to_owned();
    }
    let text = labels.text(label).replace('\\', "\\\\");
    format!("\"{}\"", text.replace('"', "\\\""))
}

/// A label in a trace.
fn shown(labels: &Labels, label: u32) -> String {
    match labels.is_internal(label) {
        true => "i".to_owned(),
        false => labels.text(label).to_owned(),
    }
}
