//! What was noticed so far: each thing once, in order, and no more than a person would read.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::refusal::{Kind, Refusal, Refused, is_own};

/// The most of each kind. A flood of one leaves room for the others.
const MAX_OF_A_KIND: usize = 32;

/// Shared by the thread that notes and the one that asks.
#[derive(Debug, Default)]
pub(super) struct Notes(Mutex<Vec<Refusal>>);

impl Notes {
    /// Whether nothing more of this kind is kept.
    pub(super) fn is_full(&self, kind: Kind) -> bool {
        let of_kind = |refusal: &&Refusal| refusal.what.kind() == kind;
        self.held().iter().filter(of_kind).count() >= MAX_OF_A_KIND
    }

    pub(super) fn holds(&self, what: &Refused) -> bool {
        self.held().iter().any(|refusal| refusal.what == *what)
    }

    pub(super) fn add(&self, refusal: Refusal) {
        if !self.is_full(refusal.what.kind()) && !self.holds(&refusal.what) {
            self.held().push(refusal);
        }
    }

    /// A program of this name ran: the folders that it was looked for in before do not count.
    pub(super) fn has_run(&self, name: Option<&OsStr>) {
        let is_it =
            |what: &Refused| matches!(what, Refused::Exec(path) if path.file_name() == name);
        self.held().retain(|refusal| !is_it(&refusal.what));
    }

    /// Whether a program of this name was looked for in vain.
    pub(super) fn misses(&self, path: &Path) -> bool {
        let name = path.file_name();
        let is_it =
            |what: &Refused| matches!(what, Refused::Exec(path) if path.file_name() == name);
        self.held().iter().any(|refusal| is_it(&refusal.what))
    }

    /// A server listens on this port now: that it did not yet when it was first tried does not count.
    pub(super) fn has_listener(&self, wanted: u16) {
        let is_it = |what: &Refused| matches!(what, Refused::Connect { address, port } if *port == wanted && is_own(*address));
        self.held().retain(|refusal| !is_it(&refusal.what));
    }

    pub(super) fn all(&self) -> Vec<Refusal> {
        self.held().clone()
    }

    /// What is held stays whole whenever a thread ends.
    fn held(&self) -> MutexGuard<'_, Vec<Refusal>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refusal::Source;

    fn refusal(what: Refused) -> Refusal {
        Refusal::known_by(Source::Kernel, what)
    }

    #[test]
    fn each_thing_is_kept_once_and_a_flood_leaves_room_for_other_kinds() {
        let notes = Notes::default();
        for number in 0..1000 {
            notes.add(refusal(Refused::Create(format!("/etc/{number}").into())));
            notes.add(refusal(Refused::Create("/etc/0".into())));
        }
        notes.add(refusal(Refused::Exec("/home/u/bin/a".into())));
        let all = notes.all();
        assert_eq!(all.len(), MAX_OF_A_KIND + 1);
        assert_eq!(all[0].what, Refused::Create("/etc/0".into()));
        assert!(notes.is_full(Kind::Write) && !notes.is_full(Kind::Network));
    }

    #[test]
    fn what_works_in_the_end_was_not_refused() {
        let notes = Notes::default();
        let connect = |address: [u8; 4]| Refused::Connect {
            address: address.into(),
            port: 80,
        };
        for what in [
            Refused::Exec("/home/u/bin/a".into()),
            Refused::Exec("/home/u/bin/b".into()),
            connect([127, 0, 0, 1]),
            connect([10, 0, 0, 1]),
        ] {
            notes.add(refusal(what));
        }
        notes.has_run(Some(OsStr::new("a")));
        notes.has_listener(80);
        let left: Vec<Refused> = notes
            .all()
            .into_iter()
            .map(|refusal| refusal.what)
            .collect();
        assert_eq!(
            left,
            [
                Refused::Exec("/home/u/bin/b".into()),
                connect([10, 0, 0, 1])
            ]
        );
    }
}
