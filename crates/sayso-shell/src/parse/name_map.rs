//! Tables that are looked up by the names in them, which are constants of this program.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map whose keys nobody outside chooses, so that a quick hash is enough.
pub(crate) type QuickMap<K, V> = HashMap<K, V, BuildHasherDefault<Quick>>;

/// What is known by name.
pub(crate) struct Names<V> {
    by_name: QuickMap<&'static str, V>,
    /// The length of the longest name: what is longer need not be looked at.
    longest: usize,
}

impl<V> Names<V> {
    pub(crate) fn with_capacity(count: usize) -> Self {
        Names {
            by_name: QuickMap::with_capacity_and_hasher(count, BuildHasherDefault::default()),
            longest: 0,
        }
    }

    /// Puts in a name. Of two values for one name, the first counts.
    pub(crate) fn add(&mut self, name: &'static str, value: V) {
        self.longest = self.longest.max(name.len());
        self.by_name.entry(name).or_insert(value);
    }

    pub(crate) fn get(&self, name: &str) -> Option<&V> {
        if name.len() > self.longest {
            None
        } else {
            self.by_name.get(name)
        }
    }
}

/// FNV-1a, which takes a few instructions for a short name.
pub(crate) struct Quick(u64);

impl Default for Quick {
    fn default() -> Self {
        Quick(0xcbf2_9ce4_8422_2325)
    }
}

impl Quick {
    fn mix(&mut self, value: u64) {
        self.0 = (self.0 ^ value).wrapping_mul(0x0100_0000_01b3);
    }
}

impl Hasher for Quick {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.mix(u64::from(*byte)));
    }

    fn write_usize(&mut self, value: usize) {
        self.mix(value as u64);
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}
