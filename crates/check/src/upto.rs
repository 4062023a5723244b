//! The same question about the runs that end at a given cut: `SOME` and `ALL` of the thesis (definitions 4.5, 4.6).

use std::sync::Arc;

use causet_formula::core::Ctl;
use causet_formula::{Runs, Template};
use causet_trace::Cut;

use crate::prepare::Question;

/// Whether some of the orders up to a cut, or all of them, are to satisfy a property.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Modality {
    /// Some order.
    Some,
    /// Every order.
    All,
}

impl Question {
    /// Asks about the orders that end at a cut; `None` when the property is not about runs.
    pub fn upto(mut self, cut: &Cut, modality: Modality) -> Option<Question> {
        self.lowered.body = goal(&self.lowered.body, cut, modality)?;
        for instance in &mut self.lowered.instances {
            instance.body = goal(&instance.body, cut, modality)?;
        }
        if let Some(template) = &self.lowered.template {
            let mut template = Template::clone(template);
            template.body = goal(&template.body, cut, modality)?;
            self.lowered.template = Some(Arc::new(template));
        }
        Some(self)
    }
}

fn goal(formula: &Ctl, cut: &Cut, modality: Modality) -> Option<Ctl> {
    let parts = |parts: &[Ctl]| -> Option<Vec<Ctl>> {
        parts.iter().map(|part| goal(part, cut, modality)).collect()
    };
    match formula {
        Ctl::Run(runs) => Some(ending(runs, runs.complement, cut, modality)),
        // The property itself is the opposite of what is looked for.
        Ctl::Not(part) => match &**part {
            Ctl::Run(runs) => Some(ending(runs, !runs.complement, cut, modality)),
            _ => None,
        },
        Ctl::And(all) => parts(all).map(Ctl::and),
        Ctl::Or(all) => parts(all).map(Ctl::or),
        _ => None,
    }
}

/// The question whether some run, or every run, up to the cut is a word of the language or, with `complement`, is not.
fn ending(runs: &Runs, complement: bool, cut: &Cut, modality: Modality) -> Ctl {
    let runs = |complement| {
        Ctl::Run(Arc::new(Runs {
            language: runs.language.clone(),
            complement,
            end: Some(cut.counts().to_vec()),
        }))
    };
    match modality {
        Modality::Some => runs(complement),
        Modality::All => Ctl::not(runs(!complement)),
    }
}
