//! A list of numbers in as few bytes each as the largest of them needs: there are millions of events and few names.

/// Numbers of 32 bits, kept in one, two or four bytes.
#[derive(Clone, Debug)]
pub(crate) enum Narrow {
    Bytes(Vec<u8>),
    Shorts(Vec<u16>),
    Words(Vec<u32>),
}

impl Default for Narrow {
    fn default() -> Self {
        Narrow::Bytes(Vec::new())
    }
}

impl Narrow {
    /// So many zeros, in a width in which all numbers below a limit can be set.
    pub(crate) fn zeros(count: usize, limit: usize) -> Narrow {
        match limit {
            0..=0x100 => Narrow::Bytes(vec![0; count]),
            0x101..=0x1_0000 => Narrow::Shorts(vec![0; count]),
            _ => Narrow::Words(vec![0; count]),
        }
    }

    /// Puts a number in a place; it must fit in the width.
    #[inline]
    pub(crate) fn set(&mut self, at: usize, number: u32) {
        match self {
            Narrow::Bytes(list) => list[at] = number as u8,
            Narrow::Shorts(list) => list[at] = number as u16,
            Narrow::Words(list) => list[at] = number,
        }
    }

    /// How many numbers there are.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        match self {
            Narrow::Bytes(list) => list.len(),
            Narrow::Shorts(list) => list.len(),
            Narrow::Words(list) => list.len(),
        }
    }

    /// Appends a number; one that does not fit makes all of them wider.
    #[inline]
    pub(crate) fn push(&mut self, number: u32) {
        let fits = match self {
            Narrow::Bytes(list) => u8::try_from(number).map(|byte| list.push(byte)).is_ok(),
            Narrow::Shorts(list) => u16::try_from(number).map(|short| list.push(short)).is_ok(),
            Narrow::Words(list) => {
                list.push(number);
                true
            }
        };
        if !fits {
            self.widen();
            self.push(number);
        }
    }

    fn widen(&mut self) {
        *self = match std::mem::take(self) {
            Narrow::Bytes(list) => Narrow::Shorts(list.into_iter().map(u16::from).collect()),
            Narrow::Shorts(list) => Narrow::Words(list.into_iter().map(u32::from).collect()),
            words @ Narrow::Words(_) => words,
        };
    }

    /// The number at a place.
    #[inline]
    pub(crate) fn get(&self, at: usize) -> u32 {
        match self {
            Narrow::Bytes(list) => u32::from(list[at]),
            Narrow::Shorts(list) => u32::from(list[at]),
            Narrow::Words(list) => list[at],
        }
    }

    /// Gives back what growing had set aside.
    pub(crate) fn shrink(&mut self) {
        match self {
            Narrow::Bytes(list) => list.shrink_to_fit(),
            Narrow::Shorts(list) => list.shrink_to_fit(),
            Narrow::Words(list) => list.shrink_to_fit(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_at_every_width() {
        let given = [0, 255, 1, 256, 65_535, 7, 65_536, u32::MAX, 0];
        for length in 0..=given.len() {
            let mut list = Narrow::default();
            given[..length].iter().for_each(|&number| list.push(number));
            list.shrink();
            let back: Vec<u32> = (0..length).map(|at| list.get(at)).collect();
            assert_eq!(back, given[..length]);
        }
    }

    #[test]
    fn every_number_below_the_limit_can_be_set() {
        for limit in [1, 255, 256, 257, 65_535, 65_536, 65_537] {
            let mut list = Narrow::zeros(2, limit as usize);
            list.set(1, limit - 1);
            let read = (list.len(), list.get(0), list.get(1));
            assert_eq!(read, (2, 0, limit - 1));
        }
    }

    #[test]
    fn a_list_is_as_wide_as_its_largest_number() {
        let listed = |number| {
            let mut list = Narrow::default();
            list.push(number);
            list
        };
        assert!(matches!(listed(255), Narrow::Bytes(_)));
        assert!(matches!(listed(65_535), Narrow::Shorts(_)));
        assert!(matches!(listed(65_536), Narrow::Words(_)));
    }
}
