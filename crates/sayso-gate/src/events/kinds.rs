//! Which kinds of events somebody wants to hear of.

use super::EventKind;

/// A set of kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kinds(u32);

impl Kinds {
    /// All of them.
    pub const ALL: Kinds = Kinds(u32::MAX);

    /// The ends of calls.
    pub fn ends() -> Kinds {
        EventKind::ALL
            .into_iter()
            .filter(|kind| kind.is_end())
            .collect()
    }

    /// Whether a kind is among them.
    pub fn contains(self, kind: EventKind) -> bool {
        self.0 & bit(kind) != 0
    }
}

fn bit(kind: EventKind) -> u32 {
    1 << (kind as u32)
}

impl FromIterator<EventKind> for Kinds {
    fn from_iter<T: IntoIterator<Item = EventKind>>(kinds: T) -> Self {
        Kinds(kinds.into_iter().fold(0, |set, kind| set | bit(kind)))
    }
}

impl<const N: usize> From<[EventKind; N]> for Kinds {
    fn from(kinds: [EventKind; N]) -> Self {
        kinds.into_iter().collect()
    }
}
