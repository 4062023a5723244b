//! What was asked for lately: a small table that forgets, so that the same question is not sent again at once.
//!
//! Ways that part meet again soon, so most repeated questions follow each other closely. A name has one place in the
//! table, which the next name of the same place takes over. Names are compared in full: no question is lost.

/// So many names are remembered.
const PLACES: usize = 1 << 13;

const ODD: u64 = 0x9e37_79b9_7f4a_7c15;

/// The names asked for lately.
#[derive(Default)]
pub(super) struct Recent {
    names: Vec<u32>,
}

impl Recent {
    /// The same for a name that is one number; it must not be mixed with longer ones.
    pub(super) fn was_number_noted(&mut self, number: u32) -> bool {
        if self.names.is_empty() {
            self.names.resize(PLACES, u32::MAX);
        }
        let hash = u64::from(number).wrapping_mul(ODD);
        let place = (hash >> (u64::BITS - PLACES.trailing_zeros())) as usize;
        std::mem::replace(&mut self.names[place], number) == number
    }

    /// Notes a name, whose words are not all `u32::MAX`; whether it was noted before and not forgotten since.
    pub(super) fn was_noted(&mut self, name: &[u32]) -> bool {
        if self.names.is_empty() {
            self.names.resize(PLACES * name.len(), u32::MAX);
        }
        let hash = name.iter().fold(0_u64, |hash, &word| {
            (hash.rotate_left(25) ^ u64::from(word)).wrapping_mul(ODD)
        });
        let place = (hash >> (u64::BITS - PLACES.trailing_zeros())) as usize;
        let place = &mut self.names[place * name.len()..(place + 1) * name.len()];
        let noted = place == name;
        place.copy_from_slice(name);
        noted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_taken_for_no_other() {
        let mut recent = Recent::default();
        let mut repeated = 0;
        for round in 0..3 {
            for number in 0..2000_u32 {
                let noted = recent.was_noted(&[number, number / 7]);
                assert!(round > 0 || !noted, "{number}");
                repeated += u32::from(noted);
            }
        }
        assert!(repeated > 2000, "most are remembered: {repeated}");
    }
}
