//! Entries of the journal as rows, with the sessions, open prompts, trusted files and backups they tell of.

use rusqlite::{Transaction, params};
use sayso_core::node::Node;

use super::{Trouble, text};
use crate::read::Stored;

/// So much of what a call is about is kept for searching; the journal has the rest.
const MOST_WHAT: usize = 400;

/// Takes in one entry.
pub(super) fn take_in(work: &Transaction<'_>, stored: &Stored, node: &Node) -> Result<(), Trouble> {
    let what = text(node, "what").or_else(|| text(node, "message")).or_else(|| text(node, "words"));
    let call = text(node, "call");
    let session = text(node, "session").filter(|session| !session.is_empty());
    work.prepare_cached(
        "INSERT OR REPLACE INTO entries (number, at, kind, call, session, agent, tool, decision, outcome, risk, rule, source, by, what)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
    )?
    .execute(params![
        stored.number,
        stored.at,
        stored.kind,
        call,
        session,
        text(node, "agent"),
        text(node, "tool"),
        text(node, "decision"),
        text(node, "outcome"),
        text(node, "risk"),
        text(node, "rule"),
        text(node, "source"),
        text(node, "by"),
        what.map(|what| what.get(..what.floor_char_boundary(MOST_WHAT)).unwrap_or_default()),
    ])?;
    if let Some(session) = session {
        of_session(work, stored, node, session)?;
    }
    match (stored.kind.as_str(), call) {
        ("asked", Some(call)) => {
            work.prepare_cached("INSERT OR REPLACE INTO prompts (call, prompt, at, session, tool, what) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?
                .execute(params![call, text(node, "prompt"), stored.at, session, text(node, "tool"), what])?;
        }
        ("decided", Some(call)) => {
            work.prepare_cached("DELETE FROM prompts WHERE call = ?1")?.execute([call])?;
        }
        ("finished", Some(call)) if node.get("changed").is_some() => {
            let paths = node.get("changed").map(sayso_core::text::json::write_plain);
            work.prepare_cached("INSERT OR REPLACE INTO backups (call, at, session, paths) VALUES (?1, ?2, ?3, ?4)")?
                .execute(params![call, stored.at, session, paths])?;
        }
        ("undone", Some(call)) => {
            work.prepare_cached("UPDATE backups SET undone = ?2 WHERE call = ?1")?.execute(params![call, stored.at])?;
        }
        ("trusted", _) => {
            work.execute(
                "INSERT OR REPLACE INTO trusted (path, digest, at) VALUES (?1, ?2, ?3)",
                params![text(node, "path").unwrap_or_default(), text(node, "file_digest"), stored.at],
            )?;
        }
        ("untrusted", _) => {
            work.execute("DELETE FROM trusted WHERE path = ?1", [text(node, "path").unwrap_or_default()])?;
        }
        ("pruned", _) => {
            let through = node.get("through").and_then(Node::as_whole).unwrap_or(0);
            work.execute("DELETE FROM entries WHERE number <= ?1", [through])?;
        }
        _ => {}
    }
    Ok(())
}

fn of_session(work: &Transaction<'_>, stored: &Stored, node: &Node, session: &str) -> Result<(), Trouble> {
    if stored.kind == "session_ended" {
        work.prepare_cached("UPDATE sessions SET ended = ?2, last = ?2 WHERE session = ?1")?.execute(params![session, stored.at])?;
        // Whoever asked is gone.
        work.prepare_cached("DELETE FROM prompts WHERE session = ?1")?.execute([session])?;
        return Ok(());
    }
    let calls = u32::from(stored.kind == "decided");
    work.prepare_cached(
        "INSERT INTO sessions (session, agent, workspace, user, first, last, calls) VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6)
         ON CONFLICT (session) DO UPDATE SET last = excluded.last, calls = calls + excluded.calls",
    )?
    .execute(params![
        session,
        text(node, "agent"),
        text(node, "workspace"),
        node.get("user").and_then(Node::as_whole),
        stored.at,
        calls
    ])?;
    Ok(())
}
