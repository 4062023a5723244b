//! A seeded source of random numbers (SplitMix64), so that a seed gives the same sample everywhere.

/// The state of the generator.
pub(super) struct Rng(u64);

impl Rng {
    /// A generator for one part of the sample; parts do not influence each other.
    pub(super) fn new(seed: u64, part: u64) -> Self {
        let mut rng = Rng(seed ^ part.wrapping_mul(0xD1B5_4A32_D192_ED03));
        rng.next();
        rng
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `limit`, which is at least 1.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    /// True in so many of a hundred draws.
    pub(super) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of these; `None` if there is none.
    pub(super) fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }

    /// One of a list that is known not to be empty.
    pub(super) fn one_of<T: Copy, const N: usize>(&mut self, items: [T; N]) -> T {
        items[self.below(N)]
    }

    /// A whole number between both bounds, every order of magnitude equally likely.
    pub(super) fn log_uniform(&mut self, least: usize, most: usize) -> usize {
        let unit = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        let (low, high) = ((least as f64).ln(), (most as f64).ln());
        let drawn = (low + unit * (high - low)).exp().round() as usize;
        drawn.clamp(least, most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_numbers_again() {
        let draw = |seed| {
            let mut rng = Rng::new(seed, 3);
            (0..5).map(|_| rng.below(1000)).collect::<Vec<_>>()
        };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
    }

    #[test]
    fn bounds_are_kept() {
        let mut rng = Rng::new(1, 1);
        for _ in 0..1000 {
            assert!((10..=1000).contains(&rng.log_uniform(10, 1000)));
            assert!(rng.below(3) < 3);
        }
    }
}
