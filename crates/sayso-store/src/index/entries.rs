//! Entries of the journal as rows, with the sessions, open prompts, trusted files and backups they tell of.

use rusqlite::{OptionalExtension as _, Transaction, params};

use super::IndexError;
use super::sessions::Sessions;
use super::top_level_fields::Fields;
use crate::read::Stored;

/// So much of what a call is about is kept for searching; the journal has the rest.
const MOST_WHAT: usize = 400;

/// Takes in one entry.
pub(super) fn take_in(
    work: &Transaction<'_>,
    sessions: &mut Sessions,
    stored: &Stored,
    fields: &Fields<'_>,
) -> Result<(), IndexError> {
    let what = fields
        .text("what")
        .or_else(|| fields.text("message"))
        .or_else(|| fields.text("words"));
    let what = what.as_deref().map(|what| {
        what.get(..what.floor_char_boundary(MOST_WHAT))
            .unwrap_or_default()
    });
    let call = fields.text("call");
    let session = fields.text("session").filter(|session| !session.is_empty());
    let of = Of {
        call: call.as_deref(),
        session: session.as_deref(),
    };
    let asked = match (stored.kind.as_str(), of.call) {
        // What ran unasked has no prompt to close.
        ("decided", Some(call)) if fields.raw("outcome") != Some("\"auto_approved\"") => {
            answered(work, of, call)?
        }
        _ => None,
    };
    work.prepare_cached(
        "INSERT OR REPLACE INTO entries (number, at, kind, call, session, agent, tool, decision, outcome, risk, rule, source, by, what, asked,
         user_response, user_response_word)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
    )?
    .execute(params![
        stored.number,
        stored.at,
        stored.kind,
        of.call,
        of.session,
        fields.text("agent"),
        fields.text("tool"),
        fields.text("decision"),
        fields.text("outcome"),
        fields.text("risk"),
        fields.text("rule"),
        fields.text("source"),
        fields.text("by"),
        what,
        asked,
        fields.text("user_response"),
        fields.text("user_response_word"),
    ])?;
    if let Some(session) = of.session {
        sessions.take_in(work, stored, fields, session)?;
    }
    match (stored.kind.as_str(), of.call) {
        ("asked", Some(call)) => {
            let session = of.session.unwrap_or_default();
            work.prepare_cached(
                "INSERT INTO prompts (session, call, prompt, at, tool, what) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                 ON CONFLICT (session, call) DO UPDATE SET prompt = excluded.prompt",
            )?
            .execute(params![session, call, fields.text("prompt"), stored.at, fields.text("tool"), what])?;
        }
        ("finished", Some(call)) => finished(work, stored, fields, of, call)?,
        ("undo", _) => {
            let list = fields.node("undoes");
            for call in list
                .iter()
                .flat_map(|list| list.items())
                .filter_map(|item| item.as_text())
            {
                undone(work, stored, call)?;
            }
        }
        ("undone", Some(call)) => undone(work, stored, call)?,
        ("trusted", _) => {
            work.execute(
                "INSERT OR REPLACE INTO trusted (path, digest, at) VALUES (?1, ?2, ?3)",
                params![
                    fields.text("path").unwrap_or_default(),
                    fields.text("file_digest"),
                    stored.at
                ],
            )?;
        }
        ("untrusted", _) => {
            work.execute(
                "DELETE FROM trusted WHERE path = ?1",
                [fields.text("path").unwrap_or_default()],
            )?;
        }
        ("pruned", _) => {
            work.execute(
                "DELETE FROM entries WHERE number <= ?1",
                [fields.whole("through").unwrap_or(0)],
            )?;
        }
        _ => {}
    }
    Ok(())
}

/// Which call of which session: agents choose ids of calls, and two of them may choose the same.
#[derive(Clone, Copy)]
struct Of<'a> {
    call: Option<&'a str>,
    session: Option<&'a str>,
}

/// Closes the prompt of a call, and says when it was shown.
fn answered(work: &Transaction<'_>, of: Of<'_>, call: &str) -> Result<Option<i64>, IndexError> {
    let session = of.session.unwrap_or_default();
    let mut find =
        work.prepare_cached("DELETE FROM prompts WHERE session = ?1 AND call = ?2 RETURNING at")?;
    Ok(find
        .query_row([session, call], |row| row.get(0))
        .optional()?)
}

fn finished(
    work: &Transaction<'_>,
    stored: &Stored,
    fields: &Fields<'_>,
    of: Of<'_>,
    call: &str,
) -> Result<(), IndexError> {
    work.prepare_cached(
        "UPDATE entries SET ended = ?3, succeeded = ?4, milliseconds = ?5 WHERE number = (
             SELECT number FROM entries WHERE call = ?1 AND session IS ?2 AND kind = 'decided' ORDER BY number DESC LIMIT 1)",
    )?
    .execute(params![call, of.session, stored.at, fields.flag("succeeded"), fields.whole("milliseconds")])?;
    if let Some(paths) = fields.raw("changed") {
        work.prepare_cached(
            "INSERT OR REPLACE INTO backups (call, at, session, paths) VALUES (?1, ?2, ?3, ?4)",
        )?
        .execute(params![call, stored.at, of.session, paths])?;
    }
    Ok(())
}

/// An undo names the id of a call only; the last one that had it is meant.
fn undone(work: &Transaction<'_>, stored: &Stored, call: &str) -> Result<(), IndexError> {
    work.prepare_cached("INSERT OR IGNORE INTO undone (call, number) VALUES (?1, ?2)")?
        .execute(params![call, stored.number])?;
    work.prepare_cached("UPDATE backups SET undone = ?2 WHERE call = ?1")?
        .execute(params![call, stored.at])?;
    work.prepare_cached(
        "UPDATE entries SET undone = ?2 WHERE number = (
             SELECT number FROM entries WHERE call = ?1 AND kind = 'decided' ORDER BY number DESC LIMIT 1)",
    )?
    .execute(params![call, stored.at])?;
    Ok(())
}
