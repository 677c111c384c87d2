//! Finds a program by its name.

use sayso_core::const_table::{ConstTable, Rows};

use super::Program;

/// More than there are names.
const ROOM: usize = 1024;

/// The rows of some families by the names of their programs.
pub(super) struct Index {
    families: &'static [&'static [Program]],
    /// The number of a family and of a row in it.
    rows: ConstTable<(u8, u8), ROOM, 2049>,
}

impl Index {
    /// Of two rows with one name, the first counts.
    #[expect(
        clippy::indexing_slicing,
        reason = "this runs while the program is compiled, and a wrong index stops that"
    )]
    pub(super) const fn new(families: &'static [&'static [Program]]) -> Self {
        let mut rows = Rows::<_, ROOM>::new((0, 0));
        let mut family = 0;
        while family < families.len() {
            let mut row = 0;
            while row < families[family].len() {
                assert!(family < 256 && row < 256, "there are too many rows");
                let names = families[family][row].names;
                let mut number = 0;
                while number < names.len() {
                    rows.add_name(names[number].as_bytes(), (family as u8, row as u8));
                    number += 1;
                }
                row += 1;
            }
            family += 1;
        }
        Index {
            families,
            rows: rows.lay_out(),
        }
    }

    /// The row of a program, and the number of its family.
    pub(super) fn get(&self, name: &str) -> Option<(&'static Program, usize)> {
        self.rows.named(name).iter().find_map(|(family, row)| {
            let family = usize::from(*family);
            let program = self.families.get(family)?.get(usize::from(*row))?;
            program.names.contains(&name).then_some((program, family))
        })
    }
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
