//! Sessions as rows: who, where, from when to when. Gathered over many entries and written at once, as each entry belongs to one.

use std::collections::BTreeMap;

use rusqlite::{Transaction, params};

use super::Trouble;
use super::pick::Fields;
use crate::read::Stored;

/// What was seen of sessions and is not written yet.
#[derive(Default)]
pub(super) struct Sessions(BTreeMap<String, Seen>);

struct Seen {
    agent: Option<String>,
    workspace: Option<String>,
    user: Option<i64>,
    first: i64,
    last: i64,
    numbers: (u64, u64),
    calls: u64,
}

impl Sessions {
    /// Takes in an entry of this session.
    pub(super) fn take_in(&mut self, work: &Transaction<'_>, stored: &Stored, fields: &Fields<'_>, session: &str) -> Result<(), Trouble> {
        let calls = u64::from(stored.kind == "decided");
        match self.0.get_mut(session) {
            Some(seen) => {
                seen.last = stored.at;
                seen.numbers.1 = seen.numbers.1.max(stored.number);
                seen.calls += calls;
            }
            None => {
                let text = |name: &str| fields.text(name).map(|text| text.into_owned());
                let seen = Seen {
                    agent: text("agent"),
                    workspace: text("workspace"),
                    user: fields.whole("user"),
                    first: stored.at,
                    last: stored.at,
                    numbers: (stored.number, stored.number),
                    calls,
                };
                self.0.insert(session.to_owned(), seen);
            }
        }
        if stored.kind == "session_ended" {
            self.write(work)?;
            work.prepare_cached("UPDATE sessions SET ended = ?2 WHERE session = ?1")?.execute(params![session, stored.at])?;
            // Whoever asked is gone.
            work.prepare_cached("DELETE FROM prompts WHERE session = ?1")?.execute([session])?;
        }
        Ok(())
    }

    /// Writes what was gathered.
    pub(super) fn write(&mut self, work: &Transaction<'_>) -> Result<(), Trouble> {
        for (session, seen) in std::mem::take(&mut self.0) {
            let Seen { agent, workspace, user, first, last, numbers, calls } = seen;
            work.prepare_cached(
                "INSERT INTO sessions (session, first_number, last_number, agent, workspace, user, first, last, calls)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
                 ON CONFLICT (session) DO UPDATE SET last_number = max(last_number, excluded.last_number), last = excluded.last, calls = calls + excluded.calls",
            )?
            .execute(params![session, numbers.0, numbers.1, agent, workspace, user, first, last, calls])?;
        }
        Ok(())
    }
}
