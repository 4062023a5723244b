//! From decided equations to a run: the way on which each equation owes its value to one of its terms.
//!
//! A disjunction is true because of one term, a conjunction false because of one; whoever follows such a term goes on to
//! another equation, here or after an event. Where all terms are needed, those that the labels of the next events
//! decide may be left behind, and if a single other one remains, the way goes on there. It ends where several remain, or
//! none: what is left to say is said about the cut reached, and shown by it. The shortest such run is looked for,
//! unless that would mean to look at very many cuts; then any.

use std::collections::VecDeque;
use std::hash::Hash;

use causet_base::budget::{Budget, Spent};
use causet_solve::bes::product::Matching;
use causet_solve::bes::program::{Node, Term};
use rustc_hash::FxHashMap;

use crate::equations::fixed;

/// An engine's knowledge about every equation at every cut.
pub(crate) trait Judged {
    /// How a cut is called.
    type Cut: Clone + Eq + Hash;

    /// Whether a cut satisfies an equation.
    fn holds(&mut self, node: usize, cut: &Self::Cut) -> Result<bool, Spent>;

    /// The steps from a cut, those recorded first in front.
    fn steps(&mut self, cut: &Self::Cut) -> Result<Vec<Onward<Self::Cut>>, Spent>;
}

/// A step from a cut.
pub(crate) struct Onward<C> {
    /// Who takes it.
    pub(crate) by: usize,
    /// The number of its label.
    pub(crate) label: u32,
    /// Where it leads.
    pub(crate) to: C,
}

/// Who takes the steps to a cut that shows why an equation has its value, if one run can show it.
pub(crate) fn evidence<J: Judged>(
    judged: &mut J,
    nodes: &[Node],
    (main, first): (usize, J::Cut),
    matching: &Matching,
    truth: bool,
    budget: &Budget<'_>,
) -> Result<Option<Vec<usize>>, Spent> {
    let mut search = Search {
        judged,
        nodes,
        fixed: fixed(nodes),
        roams: roams(nodes, truth),
        matching,
        truth,
        came_from: FxHashMap::default(),
        budget,
    };
    search.run(&(main, first))
}

/// How many pairs are looked at for the shortest run.
const MOST_VISITED: usize = 20_000;

/// About what is kept per pair.
const PAIR_COST: usize = 64;

type Pair<C> = (usize, C);

/// From which pair and by whose step each pair was reached first.
type Origins<C> = FxHashMap<Pair<C>, (Pair<C>, Option<usize>)>;

struct Search<'a, J: Judged> {
    judged: &'a mut J,
    nodes: &'a [Node],
    /// Per node: its value, where that is the same at every cut.
    fixed: Vec<Option<bool>>,
    /// Per node: whether it comes back to itself by steps of which one is enough, so that a way on from it says where.
    roams: Vec<bool>,
    matching: &'a Matching,
    truth: bool,
    came_from: Origins<J::Cut>,
    budget: &'a Budget<'a>,
}

/// What lies behind a pair.
enum Behind<C> {
    End,
    More(Vec<(Pair<C>, Option<usize>)>),
}

impl<J: Judged> Search<'_, J> {
    fn run(&mut self, start: &Pair<J::Cut>) -> Result<Option<Vec<usize>>, Spent> {
        let mut open = VecDeque::from([start.clone()]);
        while let Some(pair) = open.pop_front() {
            self.budget.tick()?;
            let more = match self.behind(&pair)? {
                Behind::End => return Ok(self.way(start, &pair)),
                Behind::More(more) => more,
            };
            for (next, by) in more {
                if next == *start || self.came_from.contains_key(&next) {
                    continue;
                }
                self.budget.charge(PAIR_COST)?;
                self.came_from.insert(next.clone(), (pair.clone(), by));
                // What needs no event, or is looked for in haste, comes first.
                match by.is_none() || self.came_from.len() > MOST_VISITED {
                    true => open.push_front(next),
                    false => open.push_back(next),
                }
            }
        }
        Ok(None)
    }

    /// The pairs that a pair may owe its value to.
    fn behind(&mut self, pair: &Pair<J::Cut>) -> Result<Behind<J::Cut>, Spent> {
        let (node, cut) = pair;
        let nodes = self.nodes;
        if nodes[*node].operator.decisive() != self.truth {
            return self.needed(pair);
        }
        let steps = self.judged.steps(cut)?;
        let mut more = Vec::new();
        for term in &nodes[*node].terms {
            match *term {
                Term::Here(to) => {
                    if self.judged.holds(to, cut)? == self.truth {
                        more.push(((to, cut.clone()), None));
                    }
                }
                Term::Step { action, to } => {
                    for step in &steps {
                        if self.matching.admits(action, step.label)
                            && self.judged.holds(to, &step.to)? == self.truth
                        {
                            more.push(((to, step.to.clone()), Some(step.by)));
                        }
                    }
                }
                // Formulas about labels have no propositions.
                Term::Atom { .. } => {}
            }
        }
        Ok(Behind::More(more))
    }

    /// The same for a pair that needs all terms of its node.
    fn needed(&mut self, (node, cut): &Pair<J::Cut>) -> Result<Behind<J::Cut>, Spent> {
        if let Some(to) = self.only_term(*node) {
            return Ok(Behind::More(vec![((to, cut.clone()), None)]));
        }
        let steps = self.judged.steps(cut)?;
        let labels: Vec<u32> = steps.iter().map(|step| step.label).collect();
        let mut glances = FxHashMap::default();
        let mut left: Vec<Term> = Vec::new();
        for &term in &self.nodes[*node].terms {
            let neutral = !self.nodes[*node].operator.decisive();
            let known = self.term_at(term, neutral, &labels, &mut glances);
            if known != Some(self.truth) && !left.contains(&term) {
                left.push(term);
            }
        }
        Ok(match left[..] {
            [Term::Here(to)] => Behind::More(vec![((to, cut.clone()), None)]),
            _ => Behind::End,
        })
    }

    /// The only term of a node that can make a difference at any cut, if it is about the same one.
    fn only_term(&self, node: usize) -> Option<usize> {
        let mut open = self.nodes[node].terms.iter().filter(|term| match **term {
            Term::Here(to) | Term::Step { to, .. } => self.fixed[to] != Some(self.truth),
            Term::Atom { .. } => true,
        });
        match (open.next(), open.next()) {
            (Some(&Term::Here(to)), None) => Some(to),
            _ => None,
        }
    }

    /// The value of a term, if the labels of the next events decide it.
    fn term_at(
        &self,
        term: Term,
        neutral: bool,
        labels: &[u32],
        glances: &mut FxHashMap<usize, Option<bool>>,
    ) -> Option<bool> {
        match term {
            Term::Here(to) => self.glance(to, labels, glances),
            Term::Step { action, to } => {
                let mut labels = labels.iter();
                match labels.any(|&label| self.matching.admits(action, label)) {
                    true => self.fixed[to],
                    false => Some(neutral),
                }
            }
            Term::Atom { .. } => None,
        }
    }

    fn glance(
        &self,
        node: usize,
        labels: &[u32],
        glances: &mut FxHashMap<usize, Option<bool>>,
    ) -> Option<bool> {
        if let Some(&known) = glances.get(&node) {
            return known;
        }
        // On the way around a circle nothing is known.
        glances.insert(node, None);
        let decisive = self.nodes[node].operator.decisive();
        let mut value = Some(!decisive);
        for &term in &self.nodes[node].terms {
            match self.term_at(term, !decisive, labels, glances) {
                Some(known) if known == decisive => {
                    value = Some(decisive);
                    break;
                }
                Some(_) => {}
                None => value = None,
            }
        }
        glances.insert(node, value);
        value
    }

    /// Whose steps lead to a pair; nothing when there are none and nobody had a choice of where to go.
    fn way(&self, start: &Pair<J::Cut>, end: &Pair<J::Cut>) -> Option<Vec<usize>> {
        let mut steps = Vec::new();
        let mut chose = false;
        let mut pair = end;
        while pair != start {
            let (before, by) = self.came_from.get(pair)?;
            steps.extend(*by);
            let node = before.0;
            chose |= self.nodes[node].operator.decisive() == self.truth && self.roams[node];
            pair = before;
        }
        steps.reverse();
        (chose || !steps.is_empty()).then_some(steps)
    }
}

/// Per node: whether it comes back to itself by steps of which one is enough.
fn roams(nodes: &[Node], truth: bool) -> Vec<bool> {
    let numbers = 0..nodes.len();
    numbers
        .map(|number| comes_back(nodes, number, truth))
        .collect()
}

fn comes_back(nodes: &[Node], from: usize, truth: bool) -> bool {
    let mut seen = vec![false; nodes.len()];
    let mut open = vec![from];
    while let Some(node) = open.pop() {
        let chooses = nodes[node].operator.decisive() == truth;
        for term in &nodes[node].terms {
            let to = match *term {
                Term::Here(to) => to,
                Term::Step { to, .. } if chooses => to,
                _ => continue,
            };
            if to == from {
                return true;
            }
            if !std::mem::replace(&mut seen[to], true) {
                open.push(to);
            }
        }
    }
    false
}
