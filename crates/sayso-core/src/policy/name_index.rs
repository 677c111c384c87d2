//! Numbers of rules by a name that they start with: read, or unpacked into a few pieces of memory instead of two for every name.

use std::collections::HashMap;

use crate::packed::{Packed, Packer, Unpacker};

/// Numbers by name.
#[derive(Clone, Debug)]
pub(super) struct Register(Names);

#[derive(Clone, Debug)]
enum Names {
    Read(HashMap<String, Vec<u32>>),
    Unpacked(Unpacked),
}

/// All names in one text and all numbers in one list, in the order of the names.
#[derive(Clone, Debug, Default)]
struct Unpacked {
    text: String,
    numbers: Vec<u32>,
    /// Where the text and the numbers of each name end.
    ends: Vec<(usize, usize)>,
}

impl Register {
    /// Adds a number to those of a name, if it is not the one that was added last.
    pub(super) fn add(&mut self, name: &str, number: u32) {
        if let Names::Unpacked(unpacked) = &self.0 {
            self.0 = Names::Read(
                unpacked
                    .iter()
                    .map(|(name, numbers)| (name.to_owned(), numbers.to_owned()))
                    .collect(),
            );
        }
        let Names::Read(names) = &mut self.0 else {
            return;
        };
        let list = names.entry(name.to_owned()).or_default();
        if list.last() != Some(&number) {
            list.push(number);
        }
    }

    /// The numbers of a name.
    pub(super) fn get(&self, name: &str) -> &[u32] {
        match &self.0 {
            Names::Read(names) => names.get(name).map_or(&[], Vec::as_slice),
            Names::Unpacked(unpacked) => unpacked.get(name).unwrap_or_default(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        match &self.0 {
            Names::Read(names) => names.is_empty(),
            Names::Unpacked(unpacked) => unpacked.ends.is_empty(),
        }
    }

    /// The numbers of all names.
    pub(super) fn numbers(&self) -> impl Iterator<Item = &u32> {
        let (read, unpacked) = match &self.0 {
            Names::Read(names) => (Some(names), &[][..]),
            Names::Unpacked(unpacked) => (None, unpacked.numbers.as_slice()),
        };
        read.into_iter()
            .flat_map(HashMap::values)
            .flatten()
            .chain(unpacked)
    }
}

impl Unpacked {
    fn get(&self, name: &str) -> Option<&[u32]> {
        let (mut low, mut high) = (0, self.ends.len());
        while low < high {
            let middle = low.midpoint(high);
            let (found, numbers) = self.at(middle)?;
            match found.cmp(name) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Some(numbers),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    fn at(&self, place: usize) -> Option<(&str, &[u32])> {
        let start = match place.checked_sub(1) {
            Some(before) => *self.ends.get(before)?,
            None => (0, 0),
        };
        let end = *self.ends.get(place)?;
        Some((
            self.text.get(start.0..end.0)?,
            self.numbers.get(start.1..end.1)?,
        ))
    }

    fn iter(&self) -> impl Iterator<Item = (&str, &[u32])> {
        (0..self.ends.len()).filter_map(|place| self.at(place))
    }
}

impl Default for Register {
    fn default() -> Self {
        Register(Names::Read(HashMap::new()))
    }
}

/// In the order of the names, so that the same register is the same bytes, and a name is found in them.
impl Packed for Register {
    fn pack(&self, out: &mut Packer) {
        let mut entries: Vec<(&str, &[u32])> = match &self.0 {
            Names::Read(names) => names
                .iter()
                .map(|(name, numbers)| (name.as_str(), numbers.as_slice()))
                .collect(),
            Names::Unpacked(unpacked) => unpacked.iter().collect(),
        };
        entries.sort_unstable();
        out.number(entries.len() as u64);
        for (name, numbers) in entries {
            out.text(name);
            out.list(numbers);
        }
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        let count = from.count()?;
        let mut all = Unpacked {
            ends: Vec::with_capacity(count.min(MOST_ROOM)),
            ..Unpacked::default()
        };
        for place in 0..count {
            from.text_into(&mut all.text)?;
            for _ in 0..from.count()? {
                all.numbers.push(u32::unpack(from)?);
            }
            all.ends.push((all.text.len(), all.numbers.len()));
            // In another order, names would not be found.
            let before = place.checked_sub(1).and_then(|before| all.at(before));
            if before
                .is_some_and(|(before, _)| all.at(place).is_none_or(|(name, _)| name <= before))
            {
                return None;
            }
        }
        Some(Register(Names::Unpacked(all)))
    }
}

/// Room that is made before anything was seen.
const MOST_ROOM: usize = 1024;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::sync::Arc;

    fn packed(register: &Register) -> Vec<u8> {
        let mut out = Packer::new();
        register.pack(&mut out);
        out.finish()
    }

    fn unpacked(bytes: Vec<u8>) -> Option<Register> {
        let bytes = Arc::new(bytes);
        let mut from = Unpacker::new(&bytes);
        Register::unpack(&mut from).filter(|_| from.is_done())
    }

    proptest! {
        #[test]
        fn what_was_added_is_found_before_and_after(pairs in prop::collection::vec(("[ab:0-9é]{0,3}", 0u32..300), 0..40), other in "[ab]{0,3}") {
            let mut register = Register::default();
            pairs.iter().for_each(|(name, number)| register.add(name, *number));
            let again = unpacked(packed(&register)).unwrap();
            prop_assert_eq!(packed(&again), packed(&register));
            prop_assert_eq!(again.is_empty(), pairs.is_empty());
            for name in pairs.iter().map(|(name, _)| name).chain([&other]) {
                let mut wanted: Vec<u32> = pairs.iter().filter(|(one, _)| one == name).map(|(_, number)| *number).collect();
                wanted.dedup();
                prop_assert_eq!(register.get(name), wanted.as_slice());
                prop_assert_eq!(again.get(name), wanted.as_slice());
            }
            let sorted = |register: &Register| {
                let mut numbers: Vec<u32> = register.numbers().copied().collect();
                numbers.sort_unstable();
                numbers
            };
            prop_assert_eq!(sorted(&again), sorted(&register));
            let mut more = again;
            more.add("zz", 7);
            prop_assert_eq!(more.get("zz"), &[7]);
            prop_assert_eq!(more.numbers().count(), register.numbers().count() + 1);
        }

        #[test]
        fn anything_is_read_without_harm(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            unpacked(bytes);
        }
    }

    #[test]
    fn names_out_of_order_are_refused() {
        let with = |names: &[&str]| {
            let mut out = Packer::new();
            out.number(names.len() as u64);
            for name in names {
                out.text(name);
                out.list(&[1u32]);
            }
            unpacked(out.finish())
        };
        assert!(with(&["a", "b", "ba"]).is_some());
        for names in [&["b", "a"][..], &["a", "a"], &["a", "c", "b"]] {
            assert!(with(names).is_none(), "{names:?}");
        }
    }
}
