//! The search for room: straight below a gain, or by asking others to send elsewhere.

use std::ops::Range;

use super::stretches::{Place, Stretches};
use crate::chains::Chains;
use causet_base::budget::{Budget, Spent};

/// What gains have sent to losses.
pub(super) struct Assignment<'a, 'b, C> {
    order: &'a C,
    budget: &'a Budget<'b>,
    losses: Vec<Stretches>,
    /// Where no room is left: a closed set.
    left_behind: Vec<u32>,
    search: Search,
}

/// A search from one gain.
#[derive(Default)]
struct Search {
    /// The beginnings of chains that have been reached.
    reached: Vec<u32>,
    /// By chain, how many losses have been asked who sent something.
    asked: Vec<usize>,
    /// The gains reached, and the loss through which, which the first one has not.
    gains: Vec<(Place, Option<Loss>)>,
}

/// The chain of a loss and its number there.
type Loss = (usize, usize);

impl<'a, 'b, C: Chains> Assignment<'a, 'b, C> {
    /// Nothing sent yet.
    pub(super) fn new(
        order: &'a C,
        weights: &[Vec<i64>],
        budget: &'a Budget<'b>,
    ) -> Result<Self, Spent> {
        let width = order.count();
        let mut losses = Vec::with_capacity(width);
        for weights in weights {
            let count = weights.iter().filter(|&&weight| weight < 0).count();
            budget.charge(count * (Stretches::COST + width))?;
            losses.push(Stretches::new(weights, width));
        }
        Ok(Assignment {
            order,
            budget,
            losses,
            left_behind: vec![0; width],
            search: Search::default(),
        })
    }

    /// The closed set that no gain can get rid of.
    pub(super) fn left_behind(self) -> Vec<u32> {
        self.left_behind
    }

    /// Lets a gain send its weight to losses; returns what is left over.
    pub(super) fn place(&mut self, gain: Place, weight: u64) -> Result<u64, Spent> {
        let mut rest = weight;
        while rest > 0 && gain.1 > self.left_behind[gain.0] {
            self.budget.tick()?;
            let Some(room) = self.find_room(gain)? else {
                self.left_behind.clone_from(&self.search.reached);
                break;
            };
            rest -= self.send_along(room, rest);
        }
        Ok(rest)
    }

    /// A loss with room that a gain reaches.
    fn find_room(&mut self, gain: Place) -> Result<Option<Loss>, Spent> {
        let search = &mut self.search;
        search.reached.clone_from(&self.left_behind);
        search.gains.clear();
        search.asked.clear();
        for (losses, &x) in self.losses.iter().zip(&self.left_behind) {
            search.asked.push(losses.up_to(x));
        }
        let mut room = self.reach(gain, None);
        while room.is_none() {
            self.budget.tick()?;
            let Some((chain, stretch)) = self.not_asked() else {
                break;
            };
            room = self.ask(chain, stretch);
        }
        Ok(room)
    }

    /// Reaches all below a gain; returns a loss with room, the nearest on its chain.
    fn reach(&mut self, gain: Place, through: Option<Loss>) -> Option<Loss> {
        let (own, x) = gain;
        self.search.gains.push((gain, through));
        let mut best: Option<(u32, Loss)> = None;
        for chain in 0..self.losses.len() {
            let least = self.order.least(own, x, chain);
            let reached = &mut self.search.reached[chain];
            if least <= *reached {
                continue;
            }
            *reached = least;
            let losses = &mut self.losses[chain];
            let before = losses.up_to(least);
            if let Some(loss) = losses.last_with_room(before) {
                let away = if chain == own {
                    0
                } else {
                    least - losses.place(loss) + 1
                };
                if best.is_none_or(|(nearest, _)| away < nearest) {
                    best = Some((away, (chain, loss)));
                }
            }
        }
        best.map(|(_, loss)| loss)
    }

    /// A stretch that has been reached and not been asked.
    fn not_asked(&mut self) -> Option<(usize, Range<usize>)> {
        for (chain, losses) in self.losses.iter().enumerate() {
            let reached = losses.up_to(self.search.reached[chain]);
            let asked = std::mem::replace(&mut self.search.asked[chain], reached);
            if asked < reached {
                return Some((chain, asked..reached));
            }
        }
        None
    }

    /// Reaches the gains that sent something to a stretch; returns a loss with room.
    fn ask(&mut self, chain: usize, stretch: Range<usize>) -> Option<Loss> {
        let mut last = self.search.reached.clone();
        self.losses[chain].join_last(stretch.clone(), &mut last);
        for (other, &x) in last.iter().enumerate() {
            if x <= self.search.reached[other] {
                continue;
            }
            let receiver = self.losses[chain].receiver(stretch.clone(), (other, x));
            let through = receiver.map(|loss| (chain, loss));
            if let Some(room) = self.reach((other, x), through) {
                return Some(room);
            }
        }
        None
    }

    /// Sends as much as possible to a loss with room, along the gains through which it was reached.
    fn send_along(&mut self, room: Loss, most: u64) -> u64 {
        let way = self.way(room);
        let mut amount = most.min(self.losses[room.0].room(room.1));
        for &(gain, _, through) in &way {
            if let Some((chain, loss)) = through {
                amount = amount.min(self.losses[chain].sent(loss, gain));
            }
        }
        for (gain, to, through) in way {
            self.losses[to.0].send(to.1, gain, amount);
            if let Some((chain, loss)) = through {
                self.losses[chain].take_back(loss, gain, amount);
            }
        }
        self.losses[room.0].fill(room.1, amount);
        amount
    }

    /// Who sends more where, and less where, from the loss with room back to the first gain.
    fn way(&self, room: Loss) -> Vec<(Place, Loss, Option<Loss>)> {
        let mut way = Vec::new();
        let mut to = Some(room);
        while let Some(loss) = to {
            let x = self.losses[loss.0].place(loss.1);
            let reaches = |&&((chain, own), _): &&(Place, Option<Loss>)| {
                self.order.least(chain, own, loss.0) >= x
            };
            let Some(&(gain, through)) = self.search.gains.iter().find(reaches) else {
                break;
            };
            way.push((gain, loss, through));
            to = through;
        }
        way
    }
}
