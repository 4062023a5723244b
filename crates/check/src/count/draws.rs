//! How many cuts there are, or how many hold a given number of events, estimated from cuts drawn at random.
//!
//! A cut is drawn process by process: the numbers of events of the first that allow the level to be met (any number, where
//! no level is given) are an interval,
//! one of them is taken at random, the next process has an interval given that, and so on to the last, which has no
//! choice left. The bounds between the processes are closed, so no draw is a dead end, and one over the probability of a
//! draw is on average the number of cuts (Knuth, *Estimating the efficiency of backtrack programs*, 1975).
//!
//! How far off a few draws are depends on how even that quotient is. So a number is taken the more often the more cuts
//! seem to be left with it, by a guess that forgets the order among the processes not yet decided; and a whole
//! population is drawn at once, in which those that turn out to stand for many cuts take the place of those that stand
//! for few (sequential Monte Carlo). Both keep the mean what it is. Several populations tell how far it may be off.
//!
//! How long the run is does not matter to this; a walk from level to level adds up an error with every event.

use causet_base::budget::{Budget, Spent};
use causet_solve::chains::Chains;
use fastrand::Rng;

/// How many populations there are.
const POPULATIONS: usize = 6;
/// Into how many parts the numbers of one process are divided, of which one is chosen with care.
const PARTS: u32 = 12;
/// How much of the guess is believed: the processes it takes for independent are not.
const BELIEF: f64 = 0.75;

/// About how many steps a draw takes.
pub(super) fn steps_of_a_draw(chains: &dyn Chains) -> u64 {
    let width = chains.count() as u64;
    60 * width * width
}

/// The natural logarithm of the number of cuts, all or those of a level, and the standard error as a share of that number.
pub(super) fn estimate(
    chains: &dyn Chains,
    level: Option<u32>,
    draws: usize,
    rng: &mut Rng,
    budget: &Budget<'_>,
) -> Result<(f64, f64), Spent> {
    let size = draws.div_ceil(POPULATIONS).max(2);
    let mut means = Vec::with_capacity(POPULATIONS);
    for _ in 0..POPULATIONS {
        means.push(Population::new(chains, level, size).mean(rng, budget)?);
    }
    let mean = mean_of_logs(&means);
    let off = means.iter().map(|one| ((one - mean).exp() - 1.0).powi(2));
    let count = POPULATIONS as f64;
    Ok((mean, (off.sum::<f64>() / (count - 1.0) / count).sqrt()))
}

/// Cuts of one level that are drawn together.
struct Population<'a> {
    chains: &'a dyn Chains,
    level: Option<u32>,
    draws: Vec<Draw>,
}

impl<'a> Population<'a> {
    fn new(chains: &'a dyn Chains, level: Option<u32>, size: usize) -> Self {
        let width = chains.count();
        let draw = Draw {
            least: vec![0; width],
            most: (0..width).map(|chain| chains.length(chain)).collect(),
            weight: 0.0,
            guess: 0.0,
        };
        Population {
            chains,
            level,
            draws: vec![draw; size],
        }
    }

    /// Draws all cuts, and gives the logarithm of the mean of what they stand for.
    fn mean(mut self, rng: &mut Rng, budget: &Budget<'_>) -> Result<f64, Spent> {
        for chain in 0..self.chains.count() {
            for draw in &mut self.draws {
                budget.tick_many(self.chains.count() as u64)?;
                draw.choose(self.chains, chain, self.level, rng);
            }
            self.replace(rng);
        }
        let weights: Vec<f64> = self.draws.iter().map(|draw| draw.weight).collect();
        Ok(mean_of_logs(&weights))
    }

    /// Lets draws that seem to stand for many cuts take the place of others, when they are very uneven.
    fn replace(&mut self, rng: &mut Rng) {
        let worth: Vec<f64> = self.draws.iter().map(Draw::worth).collect();
        let mean = mean_of_logs(&worth);
        let shares: Vec<f64> = worth.iter().map(|worth| (worth - mean).exp()).collect();
        let squares: f64 = shares.iter().map(|share| share * share).sum();
        let size = shares.len();
        if squares < 2.0 * size as f64 {
            return;
        }
        let mut chosen = Vec::with_capacity(size);
        let (mut sum, mut place) = (0.0, 0);
        let offset = rng.f64();
        for (draw, share) in self.draws.iter().zip(shares) {
            sum += share;
            while place < size && place as f64 + offset < sum {
                let mut copy = draw.clone();
                copy.weight = mean - copy.guess;
                chosen.push(copy);
                place += 1;
            }
        }
        if chosen.len() == size {
            self.draws = chosen;
        }
    }
}

/// A cut being drawn: how many events of each chain it has at least and at most, given the chains already decided.
#[derive(Clone)]
struct Draw {
    least: Vec<u32>,
    most: Vec<u32>,
    /// The logarithm of one over its probability.
    weight: f64,
    /// The logarithm of how many cuts seem to be left.
    guess: f64,
}

impl Draw {
    fn worth(&self) -> f64 {
        self.weight + self.guess
    }

    /// Decides one chain.
    fn choose(&mut self, chains: &dyn Chains, chain: usize, level: Option<u32>, rng: &mut Rng) {
        let (first, last) = self.choices(chains, chain, level);
        let count = last.saturating_sub(first) + 1;
        let parts = count.min(PARTS);
        let part = |i: u32| first + (u64::from(i) * u64::from(count) / u64::from(parts)) as u32;
        // For each part: where it begins and ends, and the logarithm of the chance of each of its numbers, not yet scaled.
        let (mut ends, mut chances) = ([(0, 0); PARTS as usize], [0.0; PARTS as usize]);
        let mut masses = [f64::NEG_INFINITY; PARTS as usize];
        for i in 0..parts {
            let (from, to) = (part(i), part(i + 1));
            let guess = self.guess_with(chains, chain, from + (to - from) / 2, level);
            ends[i as usize] = (from, to);
            chances[i as usize] = guess;
            masses[i as usize] = guess + f64::from(to - from).ln();
        }
        let masses = &masses[..parts as usize];
        let sum = mean_of_logs(masses) + f64::from(parts).ln();
        let taken = pick(masses, sum, rng);
        let (from, to) = ends[taken];
        let x = rng.u32(from..to.max(from + 1));
        self.weight += sum - chances[taken];
        self.guess = self.guess_with(chains, chain, x, level);
        for other in 0..self.least.len() {
            let (least, most) = self.bounds(chains, chain, x, other);
            (self.least[other], self.most[other]) = (least, most);
        }
    }

    /// The first and the last number of events of a chain with which the level can still be met. The more there are of
    /// one chain, the more there must be and the more there can be of the others, so both are found by halving.
    fn choices(&self, chains: &dyn Chains, chain: usize, level: Option<u32>) -> (u32, u32) {
        let (least, most) = (self.least[chain], self.most[chain]);
        let Some(level) = level else {
            return (least, most);
        };
        let total = |x: u32, of: fn((u32, u32)) -> u32| -> u64 {
            let others = 0..self.least.len();
            let bounds = others.map(|other| of(self.bounds(chains, chain, x, other)));
            bounds.map(u64::from).sum()
        };
        let level = u64::from(level);
        let first = first_from(least, most, |x| total(x, |(_, most)| most) >= level);
        let beyond = first_from(first + 1, most + 1, |x| {
            total(x, |(least, _)| least) > level
        });
        (first, beyond - 1)
    }

    /// The bounds of a chain when another has so many events.
    fn bounds(&self, chains: &dyn Chains, chain: usize, x: u32, other: usize) -> (u32, u32) {
        (
            self.least[other].max(chains.least(chain, x, other)),
            self.most[other].min(chains.most(chain, x, other)),
        )
    }

    /// The logarithm of how many cuts seem to be left when a chain has so many events: the volume between the bounds,
    /// times the share of it that is on the level if the sum of the coordinates is spread like a normal variable.
    fn guess_with(&self, chains: &dyn Chains, chain: usize, x: u32, level: Option<u32>) -> f64 {
        let (mut volume, mut middle, mut variance) = (0.0, 0.0, 0.0);
        for other in 0..self.least.len() {
            let (least, most) = self.bounds(chains, chain, x, other);
            let width = f64::from(most.saturating_sub(least)) + 1.0;
            middle += f64::from(least) + (width - 1.0) / 2.0;
            if width > 1.0 {
                volume += width.ln();
                variance += (width * width - 1.0) / 12.0;
            }
        }
        if variance == 0.0 {
            return 0.0;
        }
        let Some(level) = level else {
            return BELIEF * volume;
        };
        let off = f64::from(level) - middle;
        let normal = -off * off / (2.0 * variance) - (std::f64::consts::TAU * variance).ln() / 2.0;
        BELIEF * (volume + normal)
    }
}

/// One of some parts, each with its probability; these are given by their logarithms and that of their sum.
fn pick(masses: &[f64], sum: f64, rng: &mut Rng) -> usize {
    let mut left = rng.f64();
    for (place, mass) in masses.iter().enumerate() {
        left -= (mass - sum).exp();
        if left < 0.0 {
            return place;
        }
    }
    masses.len() - 1
}

/// The logarithm of the mean of numbers that are given by their logarithms.
fn mean_of_logs(logs: &[f64]) -> f64 {
    let greatest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = logs.iter().map(|log| (log - greatest).exp()).sum();
    greatest + (sum / logs.len() as f64).ln()
}

/// The first number from low on for which the answer is yes, or high.
fn first_from(mut low: u32, mut high: u32, is_so: impl Fn(u32) -> bool) -> u32 {
    while low < high {
        let middle = low + (high - low) / 2;
        match is_so(middle) {
            true => high = middle,
            false => low = middle + 1,
        }
    }
    low
}
