//! The body: the states and their edges.

use causet_base::Diagnostic;

use super::super::State;
use super::draft::{Acceptance, DraftEdge, DraftState};
use super::parse::{Parser, too_much};
use super::tokens::{At, Token};

impl Parser<'_, '_> {
    pub(super) fn body(&mut self) -> Result<(), Diagnostic> {
        loop {
            let at = self.at();
            match self.advance() {
                Token::End => break,
                Token::Header(name) if name == "State" => self.state()?,
                other => {
                    return Err(
                        at.mistake(format!("expected `State:` or `--END--`, found {other}"))
                    );
                }
            }
        }
        match self.peek() {
            Token::Nothing => Ok(()),
            other => {
                let message = format!("one automaton is expected, and after it comes {other}");
                Err(self.at().mistake(message))
            }
        }
    }

    fn state(&mut self) -> Result<(), Diagnostic> {
        let common = self.bracketed_label()?;
        let at = self.at();
        let number = self.state_number()?;
        self.mention(number, at)?;
        if let Token::Text(_) = self.peek() {
            self.next += 1;
        }
        let marked = self.marks()?;
        let (mut edges, mut unlabelled) = (Vec::new(), Vec::new());
        while matches!(self.peek(), Token::Symbol('[') | Token::Number(_)) {
            let place = self.at();
            let own = self.bracketed_label()?;
            if own.is_some() && common.is_some() {
                return Err(place.mistake("the state has a label already, so its edges have none"));
            }
            let (target, edge_marked) = self.edge_end()?;
            if own.is_none() && common.is_none() {
                unlabelled.push(place);
            }
            edges.push(DraftEdge {
                label: own.or(common).unwrap_or(self.labels.yes),
                target,
                marked: edge_marked,
            });
        }
        self.label_implicitly(&mut edges, &unlabelled, at)?;
        edges.retain(|edge| edge.label != self.labels.no);
        let state = &mut self.states[number as usize];
        if state.at.is_some() {
            return Err(at.mistake(format!("state {number} is defined twice")));
        }
        *state = DraftState {
            at: Some(at),
            marked,
            edges,
        };
        Ok(())
    }

    /// Where an edge leads, and whether it is marked.
    fn edge_end(&mut self) -> Result<(State, bool), Diagnostic> {
        let at = self.at();
        let target = self.state_number()?;
        self.refuse_conjunction()?;
        self.mention(target, at)?;
        Ok((target, self.marks()?))
    }

    /// Gives edges without labels theirs: the first is for the letter of which no atom is true, and so on in binary.
    fn label_implicitly(
        &mut self,
        edges: &mut [DraftEdge],
        unlabelled: &[At],
        at: At,
    ) -> Result<(), Diagnostic> {
        let Some(&first) = unlabelled.first() else {
            return Ok(());
        };
        let atoms = self.atoms.as_ref().map_or(0, Vec::len);
        if unlabelled.len() != edges.len() {
            return Err(first.mistake("this edge has no label, but others of the state have"));
        }
        if 1_usize.checked_shl(atoms as u32) != Some(edges.len()) {
            let message = format!(
                "without labels a state needs one edge for each letter of {atoms} atomic propositions"
            );
            return Err(at.mistake(message));
        }
        for (letter, edge) in edges.iter_mut().enumerate() {
            edge.label = self.labels.yes;
            for atom in 0..atoms {
                let mut literal = self.labels.atom(atom);
                if letter >> atom & 1 == 0 {
                    literal = self.labels.not(literal);
                }
                let both = self.labels.and(edge.label, literal, self.budget);
                edge.label = both.map_err(|spent| too_much(at, spent))?;
            }
        }
        Ok(())
    }

    /// Whether the acceptance sets in braces, if there are any, have a member.
    fn marks(&mut self) -> Result<bool, Diagnostic> {
        if !self.take(&Token::Symbol('{')) {
            return Ok(false);
        }
        let mut marked = false;
        while !self.take(&Token::Symbol('}')) {
            let at = self.at();
            let set = self.number("an acceptance set")?;
            if set > 0 && self.acceptance == Some(Acceptance::Marks) {
                return Err(at.mistake(format!("there is no acceptance set {set}")));
            }
            marked = true;
        }
        Ok(marked)
    }
}
