//! Sets of names that every word of a text is looked up in.
//!
//! Almost no word is in such a set, so that is found out first: by the first letter and the length, and without a look at any name.

use crate::characters::last_part;

/// Names of programs.
pub(crate) struct NameSet<const COUNT: usize> {
    names: [&'static str; COUNT],
    /// For the first letter of a name, in any case, the lengths of the names that start with it, one bit for each.
    lengths: [u32; 32],
}

impl<const COUNT: usize> NameSet<COUNT> {
    #[expect(clippy::indexing_slicing, reason = "this runs while the program is compiled, and a wrong index stops that")]
    pub(crate) const fn new(names: [&'static str; COUNT]) -> Self {
        let mut lengths = [0; 32];
        let mut at = 0;
        while at < COUNT {
            let name = names[at].as_bytes();
            lengths[bucket(name[0])] |= length_bit(name.len());
            at += 1;
        }
        NameSet { names, lengths }
    }

    /// Whether a name of this first letter and length is in the set.
    #[inline]
    fn may_have(&self, name: &str) -> bool {
        let Some(first) = name.as_bytes().first() else { return false };
        self.lengths.get(bucket(*first)).is_some_and(|lengths| lengths & length_bit(name.len()) != 0)
    }

    /// Whether a name is in the set, in any case.
    #[inline]
    pub(crate) fn has(&self, name: &str) -> bool {
        self.may_have(name) && self.names.iter().any(|known| known.eq_ignore_ascii_case(name))
    }

    /// Whether a name is in the set exactly as it is written.
    #[inline]
    pub(crate) fn has_exactly(&self, name: &str) -> bool {
        self.may_have(name) && self.names.contains(&name)
    }

    /// Whether the last part of a word is in the set, in any case.
    #[inline]
    pub(crate) fn has_program(&self, word: &str) -> bool {
        self.has(last_part(word))
    }
}

const fn bucket(first: u8) -> usize {
    (first & 31) as usize
}

/// All long names share a bit.
const fn length_bit(length: usize) -> u32 {
    1 << if length < 31 { length } else { 31 }
}

#[cfg(test)]
mod tests {
    use super::NameSet;

    #[test]
    fn a_name_is_found_in_any_case_and_by_its_last_part() {
        const LONG: &str = "a-name-that-has-more-than-thirty-one-letters";
        const SET: NameSet<4> = NameSet::new(["sh", "-c", "7z", LONG]);
        assert!(SET.has("sh") && SET.has("SH") && SET.has("-C") && SET.has("7z") && SET.has(LONG));
        assert!(SET.has_program("/bin/Sh") && SET.has_program("sh") && !SET.has("/bin/sh") && !SET.has_program("sh/"));
        assert!(SET.has_exactly("-c") && !SET.has_exactly("-C") && !SET.has_exactly("Sh"));
        for name in ["", "s", "sg", "zsh", "shh", "3h", &LONG[1..]] {
            assert!(!SET.has(name), "{name}");
        }
    }
}
