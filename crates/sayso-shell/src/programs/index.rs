//! Finds a program by its name, in a table that is laid out while this program is compiled: a process that lives for one answer looks up
//! a few names, and would not have the time to read all of them first.

use super::Program;

/// A power of two, and at least twice as many as there are names.
const SLOTS: usize = 2048;
/// Stands for no program.
const NONE: u16 = u16::MAX;

/// The rows of some families by the names of their programs.
pub(super) struct Index {
    families: &'static [&'static [Program]],
    /// The number of a family and of a row in it, each in one byte, from where the hash of the name says until there is none.
    slots: [u16; SLOTS],
    /// The length of the longest name: what is longer need not be looked at.
    longest: usize,
}

impl Index {
    /// Of two rows with one name, the first counts.
    #[expect(
        clippy::indexing_slicing,
        reason = "this runs while the program is compiled, and a wrong index stops that"
    )]
    pub(super) const fn new(families: &'static [&'static [Program]]) -> Self {
        let (mut slots, mut longest) = ([NONE; SLOTS], 0);
        let (mut count, mut family) = (0, 0);
        while family < families.len() {
            let mut row = 0;
            while row < families[family].len() {
                assert!(family < 255 && row < 256, "there are too many rows");
                let names = families[family][row].names;
                let mut number = 0;
                while number < names.len() {
                    let name = names[number].as_bytes();
                    let mut slot = first_slot(name);
                    while slots[slot] != NONE {
                        slot = (slot + 1) % SLOTS;
                    }
                    slots[slot] = (family << 8 | row) as u16;
                    if name.len() > longest {
                        longest = name.len();
                    }
                    count += 1;
                    assert!(count * 2 <= SLOTS, "there are too many names");
                    number += 1;
                }
                row += 1;
            }
            family += 1;
        }
        Index {
            families,
            slots,
            longest,
        }
    }

    /// The row of a program, and the number of its family.
    pub(super) fn get(&self, name: &str) -> Option<(&'static Program, usize)> {
        if name.len() > self.longest {
            return None;
        }
        let first = first_slot(name.as_bytes());
        let slots = (0..SLOTS).filter_map(|step| self.slots.get((first + step) % SLOTS));
        slots.take_while(|slot| **slot != NONE).find_map(|slot| {
            let family = usize::from(slot >> 8);
            let program = self.families.get(family)?.get(usize::from(slot & 0xff))?;
            program.names.contains(&name).then_some((program, family))
        })
    }
}

/// FNV-1a, which takes a few instructions for a short name.
const fn first_slot(mut name: &[u8]) -> usize {
    let mut hash: u32 = 0x811c_9dc5;
    while let [first, rest @ ..] = name {
        hash = (hash ^ *first as u32).wrapping_mul(0x0100_0193);
        name = rest;
    }
    (hash ^ hash >> 16) as usize % SLOTS
}

#[cfg(test)]
mod tests {
    use crate::programs::{FAMILIES, INDEX};

    #[test]
    fn every_name_finds_its_first_row() {
        let named = || {
            FAMILIES
                .iter()
                .copied()
                .flatten()
                .flat_map(|program| program.names.iter().map(move |name| (*name, program)))
        };
        for (name, _) in named() {
            let first = named()
                .find(|(other, _)| *other == name)
                .map(|(_, program)| std::ptr::from_ref(program));
            assert_eq!(
                INDEX
                    .get(name)
                    .map(|(program, _)| std::ptr::from_ref(program)),
                first,
                "{name}"
            );
        }
    }

    #[test]
    fn other_names_find_none() {
        for name in [
            "",
            "l",
            "lss",
            "LS",
            "ls ",
            "no-such-program",
            &"x".repeat(1000),
        ] {
            assert!(INDEX.get(name).is_none(), "{name}");
        }
    }
}
