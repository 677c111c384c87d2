//! Tables that are laid out while the program is compiled: a process that lives for one answer has no time to make them.
//!
//! The rows of most have no pointers, but say where in a text their words are: a pointer would have to be set at every start.

/// Rows for a [`ConstTable`], each with the number of its bucket, which may be the hash of a name.
pub struct Rows<Row, const ROOM: usize> {
    /// The rows in the order in which they were added.
    pub rows: [Row; ROOM],
    numbers: [u32; ROOM],
    /// How many there are.
    pub count: usize,
    longest: usize,
}

/// Rows in buckets, and in each in the order in which they were added.
pub struct ConstTable<Row, const ROOM: usize, const STARTS: usize> {
    /// The rows of each bucket behind those of the one before.
    pub rows: [Row; ROOM],
    /// Where each bucket starts, and at last where the last one ends.
    pub starts: [u16; STARTS],
    longest: usize,
}

#[expect(
    clippy::indexing_slicing,
    reason = "this runs while the program is compiled, and a wrong index stops that"
)]
impl<Row: Copy, const ROOM: usize> Rows<Row, ROOM> {
    /// No rows; the filler fills the empty slots.
    pub const fn new(filler: Row) -> Self {
        Rows {
            rows: [filler; ROOM],
            numbers: [0; ROOM],
            count: 0,
            longest: 0,
        }
    }

    /// Adds a row to the bucket of this number.
    pub const fn add(&mut self, number: u32, row: Row) {
        assert!(self.count < ROOM, "there are too many rows");
        (self.rows[self.count], self.numbers[self.count]) = (row, number);
        self.count += 1;
    }

    /// Adds a row to the bucket of this name.
    pub const fn add_name(&mut self, name: &[u8], row: Row) {
        if name.len() > self.longest {
            self.longest = name.len();
        }
        self.add(hash(name), row);
    }

    /// The rows in buckets, of which there is one less than `STARTS`.
    pub const fn lay_out<const STARTS: usize>(&self) -> ConstTable<Row, ROOM, STARTS> {
        assert!(ROOM < u16::MAX as usize, "there are too many rows");
        let (mut rows, mut starts) = (self.rows, [0; STARTS]);
        let (mut at, mut bucket) = (0, 0);
        while at < self.count {
            starts[self.numbers[at] as usize % (STARTS - 1) + 1] += 1;
            at += 1;
        }
        while bucket + 1 < STARTS {
            starts[bucket + 1] += starts[bucket];
            bucket += 1;
        }
        let (mut at, mut next) = (0, starts);
        while at < self.count {
            let place = &mut next[self.numbers[at] as usize % (STARTS - 1)];
            rows[*place as usize] = self.rows[at];
            *place += 1;
            at += 1;
        }
        ConstTable {
            rows,
            starts,
            longest: self.longest,
        }
    }
}

impl<Row, const ROOM: usize, const STARTS: usize> ConstTable<Row, ROOM, STARTS> {
    /// The rows of the bucket of a number.
    #[inline]
    pub fn bucket(&self, number: u32) -> &[Row] {
        bucket(&self.rows, &self.starts, number as usize % (STARTS - 1))
    }

    /// The rows that may be those of a name; others have the same bucket.
    #[inline]
    pub fn named(&self, name: &str) -> &[Row] {
        match name.len() > self.longest {
            true => &[],
            false => self.bucket(hash(name.as_bytes())),
        }
    }

    /// How many rows there are.
    pub fn count(&self) -> usize {
        self.starts.last().map_or(0, |end| usize::from(*end))
    }
}

/// The rows of a bucket, in the parts of a table.
#[inline]
pub fn bucket<'a, Row>(rows: &'a [Row], starts: &[u16], number: usize) -> &'a [Row] {
    let Some([start, end]) = starts.get(number..number + 2) else {
        return &[];
    };
    rows.get(usize::from(*start)..usize::from(*end))
        .unwrap_or_default()
}

/// FNV-1a, which takes a few instructions for a short name.
#[inline]
const fn hash(mut name: &[u8]) -> u32 {
    let mut hash: u32 = 0x811c_9dc5;
    while let [first, rest @ ..] = name {
        hash = (hash ^ *first as u32).wrapping_mul(0x0100_0193);
        name = rest;
    }
    hash ^ hash >> 16
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 6] = ["a", "bb", "a", "ccc", "", "bb"];

    static TABLE: ConstTable<u8, 8, 5> = {
        let (mut rows, mut at) = (Rows::<u8, 8>::new(u8::MAX), 0);
        while at < NAMES.len() {
            rows.add_name(NAMES[at].as_bytes(), at as u8);
            at += 1;
        }
        rows.lay_out()
    };

    #[test]
    fn rows_are_found_in_their_order() {
        assert_eq!(TABLE.count(), NAMES.len());
        for name in ["a", "bb", "ccc", "", "d", "dddd"] {
            let named = |row: &&u8| NAMES[usize::from(**row)] == name;
            let found: Vec<u8> = TABLE.named(name).iter().filter(named).copied().collect();
            let wanted = (0..6).filter(|row| NAMES[usize::from(*row)] == name);
            assert_eq!(found, wanted.collect::<Vec<u8>>(), "{name}");
        }
        let all: Vec<u8> = (0..4)
            .flat_map(|number| TABLE.bucket(number))
            .copied()
            .collect();
        assert_eq!(all.len(), NAMES.len());
    }
}
