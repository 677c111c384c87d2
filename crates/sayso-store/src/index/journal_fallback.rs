//! What stands without waiting for the index: a process that lives for one answer takes it from the journal where the index is missing, or
//! too far behind to be caught up at once. Building it is left to commands that have the time.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use super::FILE;
use super::Index;
use super::IndexError;
use super::cursor;
use super::rules_and_grants;
use super::schema;
use crate::read::{Reader, Stored};
use crate::rules_and_grants::Standing;

/// An index that is behind by more entries is not waited for.
const MAX_BEHIND: u64 = 20_000;

/// What stands, for one session or for all.
#[derive(Debug, Default)]
pub struct Remembered {
    /// Rules and grants, the oldest first.
    pub standing: Vec<Standing>,
    /// Grants of other sessions were left out, since there are too many.
    pub is_apart: bool,
}

/// With more grants of sessions than this, only those of one session are read.
pub const MAX_SESSION_GRANTS: u64 = 1_000;

impl Index {
    /// Whether it can be opened without taking in much of the journal.
    pub fn is_at_hand(state: &Path) -> bool {
        let Ok(head) = Reader::open(state).and_then(|reader| reader.head()) else {
            return true;
        };
        let Some(head) = head
            .map(|head| head.number)
            .filter(|head| *head > MAX_BEHIND)
        else {
            return true;
        };
        let taken = || -> rusqlite::Result<Option<u64>> {
            let db =
                Connection::open_with_flags(state.join(FILE), OpenFlags::SQLITE_OPEN_READ_ONLY)?;
            if !schema::is_newest(&db)? {
                return Ok(None);
            }
            cursor(&db).map(|(number, _)| Some(number))
        };
        taken().is_ok_and(|taken| {
            taken.is_some_and(|number| head.saturating_sub(number) <= MAX_BEHIND)
        })
    }

    /// What stands, without a long wait: by the index where it is at hand, else by the journal alone. Where there are many grants of
    /// sessions and `session` names one, those of others are left out.
    ///
    /// # Errors
    /// When neither can be read.
    pub fn remembered(state: &Path, session: Option<&str>) -> Result<Remembered, IndexError> {
        if !Index::is_at_hand(state) {
            let db = by_journal(state)?;
            return of_session(&db, session);
        }
        let index = Index::open(state, &mut |_| {})?;
        of_session(&index.db, session)
    }
}

fn of_session(db: &Connection, session: Option<&str>) -> Result<Remembered, IndexError> {
    let many = |count: u64| count > MAX_SESSION_GRANTS;
    let count = || {
        db.query_row(
            "SELECT count(*) FROM standing WHERE session IS NOT NULL",
            [],
            |row| row.get(0),
        )
    };
    match session {
        Some(session) if many(count()?) => Ok(Remembered {
            standing: rules_and_grants::standing_of(db, session)?,
            is_apart: true,
        }),
        _ => Ok(Remembered {
            standing: rules_and_grants::standing_in(db)?,
            is_apart: false,
        }),
    }
}

/// Folds what stands from the journal, in memory: of all entries, only those that are about rules and grants are read whole.
fn by_journal(state: &Path) -> Result<Connection, IndexError> {
    let mut db = Connection::open_in_memory()?;
    schema::migrate(&mut db)?;
    let work = db.transaction()?;
    let reader = Reader::open(state)?;
    let mut before: Option<Stored> = None;
    let mut told = false;
    for stored in reader.from(1)? {
        let stored = match stored {
            Ok(stored) => stored,
            Err(error) if error.is_damage() => {
                rules_and_grants::doubt(&work)?;
                told = true;
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        if rules_and_grants::concerns(&stored.kind) {
            rules_and_grants::take_in(&work, &stored, &stored.node()?)?;
        }
        if !std::mem::take(&mut told)
            && before
                .as_ref()
                .is_some_and(|before| !stored.follows(before))
        {
            rules_and_grants::doubt(&work)?;
        }
        before = Some(stored);
    }
    work.commit()?;
    Ok(db)
}

#[cfg(test)]
mod tests {
    use sayso_core::text::node::Node;

    use super::*;
    use crate::journal::{Journal, Sync};

    fn granted(journal: &Journal, id: &str, session: &str) {
        let spec = Node::map([("session", Node::text(session))]);
        let fields = vec![
            ("id", Node::text(id)),
            ("words", Node::text("x")),
            ("spec", spec),
        ];
        journal.append("granted", fields, Sync::System).unwrap();
    }

    fn ids(remembered: &Remembered) -> Vec<&str> {
        remembered
            .standing
            .iter()
            .map(|one| one.id.as_str())
            .collect()
    }

    #[test]
    fn finding_d_08_what_stands_is_known_without_the_index() {
        let state = tempfile::tempdir().unwrap();
        let journal = Journal::open(state.path()).unwrap();
        granted(&journal, "one", "a");
        granted(&journal, "two", "b");
        journal
            .append("revoked", vec![("id", Node::text("one"))], Sync::System)
            .unwrap();
        let db = by_journal(state.path()).unwrap();
        let by_journal = of_session(&db, None).unwrap();
        assert_eq!(ids(&by_journal), ["two"]);
        assert!(
            !state.path().join(FILE).exists(),
            "nothing was built for it"
        );
        assert_eq!(
            ids(&Index::remembered(state.path(), None).unwrap()),
            ["two"]
        );
        for _ in 0..=MAX_BEHIND {
            journal
                .append("session_started", Vec::new(), Sync::System)
                .unwrap();
        }
        assert!(!Index::is_at_hand(state.path()), "too much to take in");
        assert_eq!(
            ids(&Index::remembered(state.path(), None).unwrap()),
            ["two"]
        );
        assert!(
            !Index::is_at_hand(state.path()),
            "and it was left as it was"
        );
        drop(Index::open(state.path(), &mut |_| {}).unwrap());
        assert!(Index::is_at_hand(state.path()));
    }

    #[test]
    fn finding_d_08_of_many_grants_of_sessions_only_those_of_one_are_read() {
        let state = tempfile::tempdir().unwrap();
        let journal = Journal::open(state.path()).unwrap();
        for number in 0..=MAX_SESSION_GRANTS {
            granted(
                &journal,
                &format!("g{number}"),
                if number < 3 { "mine" } else { "other" },
            );
        }
        let mine = Index::remembered(state.path(), Some("mine")).unwrap();
        assert_eq!((ids(&mine), mine.is_apart), (vec!["g0", "g1", "g2"], true));
        let all = Index::remembered(state.path(), None).unwrap();
        assert_eq!(
            (all.standing.len() as u64, all.is_apart),
            (MAX_SESSION_GRANTS + 1, false)
        );
    }
}
