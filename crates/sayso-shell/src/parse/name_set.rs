//! Sets of names that every word of a text is looked up in.
//!
//! Almost no word is in such a set, so that is found out first: by the first letter and the length, and without a look at any name.

use sayso_core::const_table::{ConstTable, Rows};

use super::characters::last_part;

/// Names of programs.
pub(crate) struct NameSet<const COUNT: usize> {
    /// By their first letter in any case.
    names: ConstTable<&'static str, COUNT, { LETTERS + 1 }>,
    /// For each first letter, the lengths of its names, one bit for each.
    lengths: [u32; LETTERS],
}

/// As many as there are letters, and some signs that share a place with one.
const LETTERS: usize = 32;

impl<const COUNT: usize> NameSet<COUNT> {
    #[expect(
        clippy::indexing_slicing,
        reason = "this runs while the program is compiled, and a wrong index stops that"
    )]
    pub(crate) const fn new(given: [&'static str; COUNT]) -> Self {
        let mut names = Rows::<_, COUNT>::new("");
        let mut lengths = [0; LETTERS];
        while names.count < COUNT {
            let name = given[names.count].as_bytes();
            lengths[place(name[0])] |= length_bit(name.len());
            names.add(place(name[0]) as u32, given[names.count]);
        }
        let names = names.lay_out();
        NameSet { names, lengths }
    }

    /// The names with this first letter, if one of them has this length.
    #[inline]
    fn alike(&self, name: &str) -> &[&'static str] {
        let letter = name.as_bytes().first().map(|first| place(*first));
        let lengths = letter.and_then(|letter| self.lengths.get(letter));
        match (letter, lengths) {
            (Some(letter), Some(lengths)) if lengths & length_bit(name.len()) != 0 => {
                self.names.bucket(letter as u32)
            }
            _ => &[],
        }
    }

    /// Whether a name is in the set, in any case.
    #[inline]
    pub(crate) fn has(&self, name: &str) -> bool {
        self.alike(name)
            .iter()
            .any(|known| known.eq_ignore_ascii_case(name))
    }

    /// Whether a name is in the set exactly as it is written.
    #[inline]
    pub(crate) fn has_exactly(&self, name: &str) -> bool {
        self.alike(name).contains(&name)
    }

    /// Whether the last part of a word is in the set, in any case.
    #[inline]
    pub(crate) fn has_program(&self, word: &str) -> bool {
        self.has(last_part(word))
    }
}

/// Letters of both cases have the same place.
const fn place(first: u8) -> usize {
    first as usize % LETTERS
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
        assert!(
            SET.has_program("/bin/Sh")
                && SET.has_program("sh")
                && !SET.has("/bin/sh")
                && !SET.has_program("sh/")
        );
        assert!(SET.has_exactly("-c") && !SET.has_exactly("-C") && !SET.has_exactly("Sh"));
        for name in ["", "s", "sg", "zsh", "shh", "3h", &LONG[1..]] {
            assert!(!SET.has(name), "{name}");
        }
    }
}
