//! Finds the lines of a program in a table that is a text: a line has names of programs, a `;`, and the rest.

use sayso_core::const_table::{ConstTable, Rows};

/// Where the names of programs start in a text.
pub(crate) struct RowIndex<const ROOM: usize, const STARTS: usize> {
    text: &'static str,
    starts: ConstTable<u32, ROOM, STARTS>,
}

impl<const ROOM: usize, const STARTS: usize> RowIndex<ROOM, STARTS> {
    pub(crate) const fn new(text: &'static str) -> Self {
        RowIndex {
            text,
            starts: names::<ROOM>(text.as_bytes()).lay_out(),
        }
    }

    /// The lines of a program in their order, without the field that has the names.
    pub(crate) fn lines_of<'n>(
        &'static self,
        name: &'n str,
    ) -> impl Iterator<Item = &'static str> + use<'n, ROOM, STARTS> {
        let starts = self.starts.named(name).iter();
        starts
            .filter(move |start| is_name(self.text, **start, name))
            .filter_map(|start| {
                let line = self.text.get(*start as usize..)?.split('\n').next()?;
                Some(line.split_once(';')?.1)
            })
    }
}

/// The names at the start of all lines, with their offsets in the text.
#[expect(
    clippy::indexing_slicing,
    reason = "this runs while the program is compiled, and a wrong index stops that"
)]
pub(super) const fn names<const ROOM: usize>(text: &[u8]) -> Rows<u32, ROOM> {
    let mut rows = Rows::new(0);
    let mut at = 0;
    while at < text.len() {
        if !matches!(text[at], b' ' | b'#' | b'\n') {
            while text[at] != b';' {
                let start = at;
                while !matches!(text[at], b' ' | b';') {
                    at += 1;
                }
                let name = text.split_at(at).0.split_at(start).1;
                rows.add_name(name, start as u32);
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
    rows
}

/// Whether the name that starts here is this one.
pub(super) fn is_name(text: &str, start: u32, name: &str) -> bool {
    let rest = text.as_bytes().get(start as usize..).unwrap_or_default();
    let end = || rest.iter().position(|byte| ends_name(*byte));
    rest.starts_with(name.as_bytes()) && end() == Some(name.len())
}

const fn ends_name(byte: u8) -> bool {
    matches!(byte, b' ' | b';')
}

#[cfg(test)]
mod tests {
    use super::RowIndex;

    #[test]
    fn every_line_of_a_program_is_found_in_its_order() {
        static INDEX: RowIndex<8, 9> = RowIndex::new("# a ; no\na b ; 1 ; x\nc;2\nb a-b ; 3\n");
        let lines = |name: &'static str| INDEX.lines_of(name).map(str::trim).collect::<Vec<_>>();
        assert_eq!(lines("a"), ["1 ; x"]);
        assert_eq!(lines("b"), ["1 ; x", "3"]);
        assert_eq!((lines("c"), lines("a-b")), (vec!["2"], vec!["3"]));
        for name in ["", "#", "d", "a b", "a ;", "ab", "no", "1"] {
            assert!(lines(name).is_empty(), "{name}");
        }
    }
}
