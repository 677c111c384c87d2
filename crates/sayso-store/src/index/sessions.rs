//! Sessions as rows: who, where, from when to when. Gathered over many entries and written at once, as each entry belongs to one.

use std::collections::BTreeMap;

use rusqlite::{Transaction, params};

use super::top_level_fields::Fields;
use super::{Index, IndexError};
use crate::read::Stored;

/// A session of the record. Times are in milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as in the record")]
pub struct Session {
    pub session: String,
    pub agent: Option<String>,
    pub workspace: Option<String>,
    pub first: i64,
    pub last: i64,
    pub ended: Option<i64>,
    pub calls: u64,
}

impl Index {
    /// The sessions in which something happened last, the latest first.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn sessions(&self, most: u64) -> Result<Vec<Session>, IndexError> {
        let sql = "SELECT session, agent, workspace, first, last, ended, calls FROM sessions ORDER BY last_number DESC LIMIT ?1";
        self.all(sql, &[&most], |row| {
            Ok(Session {
                session: row.get(0)?,
                agent: row.get(1)?,
                workspace: row.get(2)?,
                first: row.get(3)?,
                last: row.get(4)?,
                ended: row.get(5)?,
                calls: row.get(6)?,
            })
        })
    }
}

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
    pub(super) fn take_in(
        &mut self,
        work: &Transaction<'_>,
        stored: &Stored,
        fields: &Fields<'_>,
        session: &str,
    ) -> Result<(), IndexError> {
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
            work.prepare_cached("UPDATE sessions SET ended = ?2 WHERE session = ?1")?
                .execute(params![session, stored.at])?;
            // Whoever asked is gone.
            work.prepare_cached("DELETE FROM prompts WHERE session = ?1")?
                .execute([session])?;
        }
        Ok(())
    }

    /// Writes what was gathered.
    pub(super) fn write(&mut self, work: &Transaction<'_>) -> Result<(), IndexError> {
        for (session, seen) in std::mem::take(&mut self.0) {
            let Seen {
                agent,
                workspace,
                user,
                first,
                last,
                numbers,
                calls,
            } = seen;
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
