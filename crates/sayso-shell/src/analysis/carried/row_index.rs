//! Where the lines of a program stand in a table, made while this program is compiled: at each start of the process it would take longer than
//! to read a command.

/// A power of two, and at least twice as many as a table has names.
const SLOTS: usize = 1024;
/// Stands for no name.
const NONE: u16 = u16::MAX;

/// The lines of a table by the programs that they are about. A line has their names, a `;`, and the rest.
pub(super) struct Index {
    table: &'static str,
    /// Where names start, from where the hash of the name says until there is none.
    starts: [u16; SLOTS],
}

impl Index {
    #[expect(
        clippy::indexing_slicing,
        reason = "this runs while the program is compiled, and a wrong index stops that"
    )]
    pub(super) const fn new(table: &'static str) -> Self {
        let text = table.as_bytes();
        assert!(text.len() < NONE as usize, "the table is too long");
        let mut starts = [NONE; SLOTS];
        let (mut at, mut count) = (0, 0);
        while at < text.len() {
            if text[at] != b'#' {
                while text[at] != b';' {
                    let start = at;
                    let mut hash = FIRST;
                    while !ends_name(text[at]) {
                        hash = mix(hash, text[at]);
                        at += 1;
                    }
                    let mut slot = slot(hash);
                    while starts[slot] != NONE {
                        slot = (slot + 1) % SLOTS;
                    }
                    starts[slot] = start as u16;
                    count += 1;
                    assert!(count * 2 <= SLOTS, "there are too many names");
                    while text[at] == b' ' {
                        at += 1;
                    }
                }
            }
            while at < text.len() && text[at] != b'\n' {
                at += 1;
            }
            at += 1;
        }
        Index { table, starts }
    }

    /// The lines of a program in their order, without the field that has the names.
    pub(super) fn lines_of<'n>(
        &'static self,
        name: &'n str,
    ) -> impl Iterator<Item = &'static str> + use<'n> {
        let mut slot = slot(name.bytes().fold(FIRST, mix));
        let starts = std::iter::from_fn(move || {
            let start = self
                .starts
                .get(slot)
                .copied()
                .filter(|start| *start != NONE)?;
            slot = (slot + 1) % SLOTS;
            self.table.get(usize::from(start)..)
        });
        let is_name = move |rest: &&str| {
            rest.as_bytes().starts_with(name.as_bytes())
                && rest.bytes().position(ends_name) == Some(name.len())
        };
        let line = |rest: &'static str| {
            rest.split('\n')
                .next()
                .and_then(|line| Some(line.split_once(';')?.1))
        };
        starts.filter(is_name).filter_map(line)
    }
}

/// FNV-1a.
const FIRST: u32 = 0x811c_9dc5;

const fn mix(hash: u32, byte: u8) -> u32 {
    (hash ^ byte as u32).wrapping_mul(0x0100_0193)
}

const fn slot(hash: u32) -> usize {
    (hash ^ hash >> 16) as usize % SLOTS
}

const fn ends_name(byte: u8) -> bool {
    matches!(byte, b' ' | b';')
}

#[cfg(test)]
mod tests {
    use super::Index;

    #[test]
    fn every_line_of_a_program_is_found_in_its_order() {
        static INDEX: Index = Index::new("# a ; no\na b ; 1 ; x\nc;2\nb a-b ; 3\n");
        let lines = |name: &'static str| INDEX.lines_of(name).map(str::trim).collect::<Vec<_>>();
        assert_eq!(lines("a"), ["1 ; x"]);
        assert_eq!(lines("b"), ["1 ; x", "3"]);
        assert_eq!((lines("c"), lines("a-b")), (vec!["2"], vec!["3"]));
        for name in ["", "#", "d", "a b", "a ;", "ab", "no", "1"] {
            assert!(lines(name).is_empty(), "{name}");
        }
    }
}
