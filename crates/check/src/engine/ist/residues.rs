//! An atom read layer by layer: after each layer it has shrunk to what the others must still satisfy.
//!
//! A state of the reading is such a residue, together with how many changes have been read of terms whose changes lie on
//! several layers. Equal residues are one state, and their diagrams are shared.

use causet_base::value::Value;
use causet_solve::chains::Chains;
use causet_solve::diagram::Reading as LayerReading;
use rustc_hash::FxHashMap;

use crate::project::{Known, Projection, Reading, TermId, View};

/// An atom read layer by layer.
pub(super) struct Residues<'a, 's> {
    projection: &'a Projection<'s>,
    /// Per layer: where its terms change, and for each piece between, which values they have there.
    layers: Vec<Pieces>,
    /// What is left of the atom, with how many changes of unfinished terms have been read.
    states: Vec<(View, Vec<u32>)>,
    numbers: FxHashMap<(View, Vec<u32>), u32>,
    steps: FxHashMap<(u32, usize, u32), u32>,
    /// The terms whose changes lie on several layers, and the last of those.
    spread: Vec<(TermId, usize)>,
}

#[derive(Default)]
struct Pieces {
    chain: usize,
    breaks: Vec<u32>,
    /// For each piece the number of its combination of values, and a position that has it.
    combination: Vec<u32>,
    sample: Vec<u32>,
}

impl<'a, 's> Residues<'a, 's> {
    /// A reading of a view, with the chain of each layer.
    pub(super) fn new(projection: &'a Projection<'s>, layers: &[usize], view: &View) -> Self {
        let mut view = view.clone();
        let mut terms = Vec::new();
        view.each_term(&mut |term| terms.push(*term));
        terms.sort_unstable();
        terms.dedup();
        let spread = terms
            .iter()
            .filter_map(|&term| match projection.reading(term) {
                Reading::Several { counts, .. } => {
                    let layer = |(chain, _): &(usize, Vec<u32>)| {
                        layers.iter().position(|layer| layer == chain).unwrap_or(0)
                    };
                    Some((term, counts.iter().map(layer).max().unwrap_or(0)))
                }
                Reading::One { .. } => None,
            });
        let mut residues = Residues {
            projection,
            layers: Vec::new(),
            states: Vec::new(),
            numbers: FxHashMap::default(),
            steps: FxHashMap::default(),
            spread: spread.collect(),
        };
        for &chain in layers {
            residues.layers.push(residues.pieces(chain, &terms));
        }
        let open = residues.after(&view, &vec![0; residues.spread.len()], None, 0);
        residues.number(open);
        residues
    }

    /// Where the terms change on a chain.
    fn pieces(&self, chain: usize, terms: &[TermId]) -> Pieces {
        let mut pieces = Pieces {
            chain,
            ..Pieces::default()
        };
        let mut tables: Vec<&[u32]> = Vec::new();
        for &term in terms {
            match self.projection.reading(term) {
                Reading::One { chain: own, values } if *own == chain => {
                    tables.push(values);
                }
                Reading::One { .. } => {}
                Reading::Several { counts, .. } => {
                    let own = counts.iter().find(|(own, _)| *own == chain);
                    tables.extend(own.map(|(_, counts)| &counts[..]));
                }
            }
        }
        let at = |x: u32| -> Vec<u32> { tables.iter().map(|table| table[x as usize]).collect() };
        let mut numbers: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
        for x in 0..=self.projection.length(chain) {
            let changed = x > 0
                && tables
                    .iter()
                    .any(|table| table[x as usize] != table[x as usize - 1]);
            if changed {
                pieces.breaks.push(x);
            }
            if changed || x == 0 {
                let fresh = numbers.len() as u32;
                pieces
                    .combination
                    .push(*numbers.entry(at(x)).or_insert(fresh));
                pieces.sample.push(x);
            }
        }
        pieces
    }

    fn number(&mut self, state: (View, Vec<u32>)) -> u32 {
        let fresh = self.states.len() as u32;
        let number = *self.numbers.entry(state.clone()).or_insert(fresh);
        if number == fresh {
            self.states.push(state);
        }
        number
    }

    /// What is left of a view after a layer was read at a position; before the first one when there is none.
    fn after(&self, view: &View, read: &[u32], layer: Option<usize>, x: u32) -> (View, Vec<u32>) {
        let pieces = layer.map(|layer| &self.layers[layer]);
        let mut read = read.to_vec();
        for (sofar, (term, _)) in read.iter_mut().zip(&self.spread) {
            if let (Reading::Several { counts, .. }, Some(pieces)) =
                (self.projection.reading(*term), pieces)
                && let Some((_, counts)) = counts.iter().find(|(chain, _)| *chain == pieces.chain)
            {
                *sofar += counts[x as usize];
            }
        }
        let known = AfterLayer {
            residues: self,
            pieces,
            read: &read,
            layer,
            x,
        };
        let view = view.given(&known);
        // Finished terms are in the view by now.
        for (sofar, (_, last)) in read.iter_mut().zip(&self.spread) {
            if layer.is_some_and(|layer| layer >= *last) {
                *sofar = 0;
            }
        }
        if matches!(view, View::Const(_)) {
            read.fill(0);
        }
        (view, read)
    }
}

impl LayerReading for Residues<'_, '_> {
    fn start(&self) -> u32 {
        0
    }

    fn breaks(&self, layer: usize) -> &[u32] {
        &self.layers[layer].breaks
    }

    fn step(&mut self, state: u32, layer: usize, piece: usize) -> u32 {
        let pieces = &self.layers[layer];
        let key = (state, layer, pieces.combination[piece]);
        if let Some(&next) = self.steps.get(&key) {
            return next;
        }
        let (view, read) = &self.states[state as usize];
        let next = self.after(view, read, Some(layer), pieces.sample[piece]);
        let next = self.number(next);
        self.steps.insert(key, next);
        next
    }

    fn decided(&self, state: u32, _layer: usize) -> Option<bool> {
        match self.states[state as usize].0 {
            View::Const(truth) => Some(truth),
            _ => None,
        }
    }
}

/// The terms that are known once a layer has been read.
struct AfterLayer<'a, 'p, 's> {
    residues: &'a Residues<'p, 's>,
    pieces: Option<&'a Pieces>,
    read: &'a [u32],
    layer: Option<usize>,
    x: u32,
}

impl Known for AfterLayer<'_, '_, '_> {
    fn value(&self, term: TermId) -> Option<Option<Value>> {
        let projection = self.residues.projection;
        let number = match projection.reading(term) {
            Reading::One { chain, values } => {
                self.pieces.filter(|pieces| pieces.chain == *chain)?;
                values[self.x as usize]
            }
            Reading::Several { counts, values } => {
                let spread = &self.residues.spread;
                let at = spread.iter().position(|(spread, _)| *spread == term)?;
                let is_finished =
                    counts.is_empty() || self.layer.is_some_and(|layer| layer >= spread[at].1);
                values[is_finished.then(|| self.read[at] as usize)?]
            }
        };
        Some(projection.values_of(term)[number as usize].clone())
    }

    fn divided_by_zero(&self) {
        self.residues.projection.note_division_by_zero();
    }
}
