//! Rules and grants as rows: folded from the entries that made, changed, used and ended them.

use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, TransactionBehavior, params};
use sayso_core::answer::rule_id::RuleId;
use sayso_core::text::Limits;
use sayso_core::text::json;
use sayso_core::text::node::{Node, Value};

use super::{Damage, Index, IndexError, cursor, take_in_all, text};
use crate::journal::{Journal, Sync};
use crate::read::Stored;
use crate::rules_and_grants::change::Change;
use crate::rules_and_grants::{Standing, What, change};

/// Whether an entry of this kind can change what stands: only those are read as a whole, as most of a journal is none of them. What a
/// decision counts for is in [`used`].
pub(super) fn concerns(kind: &str) -> bool {
    !matches!(kind, "asked" | "decided" | "finished")
}

/// Takes in one entry.
pub(super) fn take_in(
    work: &Transaction<'_>,
    stored: &Stored,
    node: &Node,
) -> Result<(), IndexError> {
    let id = text(node, "id").unwrap_or_default();
    let words = text(node, "words").unwrap_or_default();
    if !matches!(stored.kind.as_str(), "restated" | "spent") {
        touch(
            work,
            stored,
            id,
            text(node, "session").filter(|_| stored.kind == "session_ended"),
        )?;
    }
    match stored.kind.as_str() {
        "restated" if is_old(work, node, id)? => {}
        "granted" | "rule_added" | "restated" => {
            if let Some(spec) = node.get("spec") {
                made(work, stored, node, (id, words, spec))?;
            }
        }
        "edited" => {
            if let Some(spec) = node.get("spec") {
                let (expires, uses) = limits(spec);
                let update = "UPDATE standing SET spec = ?2, words = ?3, expires = ?4, uses_left = ?5 WHERE id = ?1";
                work.execute(
                    update,
                    params![id, json::write_plain(spec), words, expires, uses],
                )?;
            }
        }
        "disabled" | "enabled" => {
            work.execute(
                "UPDATE standing SET enabled = ?2 WHERE id = ?1",
                params![id, stored.kind == "enabled"],
            )?;
        }
        "revoked" => {
            work.execute("DELETE FROM standing WHERE id = ?1", [id])?;
        }
        "limited" => {
            let (expires, uses) = (whole(node, "expires"), whole(node, "uses"));
            let update = "UPDATE standing SET expires = min(ifnull(expires, ?2), ifnull(?2, expires)),
                          uses_left = min(ifnull(uses_left, ?3), ifnull(?3, uses_left)) WHERE id = ?1";
            work.execute(update, params![id, expires, uses])?;
        }
        "used" => {
            let here =
                work.execute("UPDATE standing SET uses_left = max(uses_left - 1, 0) WHERE id = ?1 AND uses_left IS NOT NULL", [id])?;
            if here == 0 {
                work.execute("INSERT INTO spent VALUES (?1, 1) ON CONFLICT (id) DO UPDATE SET uses = uses + 1", [id])?;
            }
        }
        "spent" => {
            work.execute(
                "INSERT OR REPLACE INTO spent VALUES (?1, ?2)",
                params![id, whole(node, "uses").unwrap_or(0)],
            )?;
        }
        // Lines that had been whole were put aside: what was written there counts no more, and nobody knows what it was.
        "torn" if whole(node, "lines") != Some(0) => doubt(work)?,
        "session_ended" => {
            work.execute(
                "DELETE FROM standing WHERE session = ?1",
                [text(node, "session")],
            )?;
        }
        _ => {}
    }
    Ok(())
}

/// Notes that an entry changed something.
fn touch(
    work: &Transaction<'_>,
    stored: &Stored,
    id: &str,
    session: Option<&str>,
) -> Result<(), IndexError> {
    let name = session.map_or_else(|| id.to_owned(), |session| format!("session {session}"));
    if !name.is_empty() {
        work.prepare_cached("INSERT OR REPLACE INTO touched VALUES (?1, ?2)")?
            .execute(params![name, stored.number])?;
    }
    Ok(())
}

/// Whether something was changed between the look at it and the entry that restates it.
fn is_old(work: &Transaction<'_>, node: &Node, id: &str) -> Result<bool, IndexError> {
    let session = node
        .get("spec")
        .and_then(|spec| text(spec, "session"))
        .map(|session| format!("session {session}"));
    let newest: Option<i64> = work.query_row(
        "SELECT max(number) FROM touched WHERE id IN (?1, ?2)",
        params![id, session],
        |row| row.get(0),
    )?;
    Ok(newest.is_some_and(|newest| newest > whole(node, "as_of").unwrap_or(0)))
}

/// A part of the journal is not as it was written, and something may have been taken back there: what allows is disabled, and a person
/// enables it again. What asks and denies goes on.
pub(super) fn doubt(work: &Transaction<'_>) -> Result<(), IndexError> {
    let mut select = work.prepare("SELECT id, is_rule, spec FROM standing WHERE enabled")?;
    let rows = select.query_map([], |row| {
        Ok((
            row.get::<_, String>(0)?,
            row.get::<_, bool>(1)?,
            row.get::<_, String>(2)?,
        ))
    })?;
    for row in rows.collect::<Result<Vec<_>, _>>()? {
        let (id, is_rule, spec) = row;
        let allows =
            json::read(&spec, &Limits::default()).is_ok_and(|rule| rule.get("allow").is_some());
        if !is_rule || allows {
            work.execute("UPDATE standing SET enabled = 0 WHERE id = ?1", [id])?;
        }
    }
    Ok(())
}

/// Something new stands.
fn made(
    work: &Transaction<'_>,
    stored: &Stored,
    node: &Node,
    (id, words, spec): (&str, &str, &Node),
) -> Result<(), IndexError> {
    let is_restated = stored.kind == "restated";
    let flag = |name: &str| node.get(name).and_then(Node::as_bool);
    let is_rule = if is_restated {
        flag("is_rule") == Some(true)
    } else {
        stored.kind == "rule_added"
    };
    let (mut expires, mut uses_left) = limits(spec);
    if is_restated {
        (expires, uses_left) = (whole(node, "expires"), whole(node, "uses"));
    }
    work.execute(
        "INSERT OR REPLACE INTO standing (id, number, is_rule, spec, words, enabled, source, session, created, expires, uses_left, last_used, uses)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        params![
            id,
            stored.number,
            is_rule,
            json::write_plain(spec),
            words,
            flag("is_enabled").unwrap_or(true),
            text(node, "origin").unwrap_or("answer"),
            spec.get("session").and_then(Node::as_text).filter(|_| !is_rule),
            whole(node, "created").unwrap_or(stored.at),
            expires,
            uses_left,
            whole(node, "last_used"),
            whole(node, "used").unwrap_or(0),
        ],
    )?;
    Ok(())
}

/// A decision that a rule or a grant made counts as a use of it.
pub(super) fn used(
    work: &Transaction<'_>,
    at: i64,
    source: Option<&str>,
    rule: Option<&str>,
) -> Result<(), IndexError> {
    let (name, source) = (rule.unwrap_or_default(), source.unwrap_or_default());
    let id = match RuleId::from_recorded(name, source) {
        // Nothing that is remembered is built in, and most decisions are.
        RuleId::BuiltIn(_) | RuleId::OtherBuiltIn(_) => return Ok(()),
        RuleId::Grant(id) => id.to_string(),
        other => other.name().to_owned(),
    };
    if !id.is_empty() {
        work.prepare_cached("UPDATE standing SET uses = uses + 1, last_used = ?2 WHERE id = ?1")?
            .execute(params![id, at])?;
    }
    Ok(())
}

/// When a rule or a grant ends, by what it says itself.
fn limits(spec: &Node) -> (Option<i64>, Option<i64>) {
    (whole(spec, "expires"), whole(spec, "uses"))
}

fn whole(node: &Node, name: &str) -> Option<i64> {
    match &node.get(name)?.value {
        Value::Number(text) => text.parse().ok(),
        _ => None,
    }
}

impl Index {
    /// Everything that is remembered, the oldest first.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn standing(&self) -> Result<Vec<Standing>, IndexError> {
        standing_in(&self.db)
    }

    /// How often the rules of policy files were used that may only be used so often.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn spent(&self) -> Result<Vec<(String, u64)>, IndexError> {
        spent_in(&self.db)
    }

    /// Uses something once that may only be used so often: a grant, or a rule with `most`. False if it is gone or used up. Of many processes
    /// at once, each use is for one.
    ///
    /// # Errors
    /// When the use could not be written down; then it must not count as one.
    pub fn take(
        &mut self,
        journal: &Journal,
        about: Vec<(&'static str, Node)>,
        id: &str,
        most: Option<u64>,
    ) -> Result<bool, IndexError> {
        self.take_once(journal, about, id, most)
    }

    /// Writes everything again that stands, so that the entries before can leave the record. Nothing is used meanwhile, and what is changed
    /// meanwhile counts more.
    ///
    /// # Errors
    /// When something is not in the record; then nothing may leave it.
    pub fn restate(
        &mut self,
        journal: &Journal,
        about: &[(&'static str, Node)],
    ) -> Result<(), IndexError> {
        self.restate_all(journal, about)
    }

    fn restate_all(
        &mut self,
        journal: &Journal,
        about: &[(&'static str, Node)],
    ) -> Result<(), IndexError> {
        let state = self.state.clone();
        let work = self
            .db
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        take_in_all(&work, &state)?;
        let (as_of, _) = cursor(&work)?;
        for standing in standing_in(&work)? {
            let change = Change::Restated {
                standing: &standing,
                as_of,
            };
            change::write(journal, about.to_vec(), &change, Sync::System)?;
        }
        for (id, uses) in spent_in(&work)? {
            let change = Change::Spent { id: &id, uses };
            change::write(journal, about.to_vec(), &change, Sync::System)?;
        }
        take_in_all(&work, &state)?;
        Ok(work.commit()?)
    }

    fn take_once(
        &mut self,
        journal: &Journal,
        about: Vec<(&'static str, Node)>,
        id: &str,
        most: Option<u64>,
    ) -> Result<bool, IndexError> {
        let state = self.state.clone();
        // Whoever comes here at the same time waits, and then sees this use.
        let work = self
            .db
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        take_in_all(&work, &state)?;
        let standing: Option<(bool, Option<u64>)> = work
            .query_row(
                "SELECT enabled, uses_left FROM standing WHERE id = ?1",
                [id],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )
            .optional()?;
        let spent: Option<u64> = work
            .query_row("SELECT uses FROM spent WHERE id = ?1", [id], |row| {
                row.get(0)
            })
            .optional()?;
        let limited = match (standing, most) {
            (Some((false, _)) | None, None) => return Ok(false),
            (Some((true, None)), None) => false,
            (Some((true, Some(left))), None) if left > 0 => true,
            (Some((true, Some(_))), None) => return Ok(false),
            (_, Some(most)) if spent.unwrap_or(0) < most => true,
            (_, Some(_)) => return Ok(false),
        };
        if limited {
            change::write(journal, about, &Change::Used(id), Sync::System)?;
            take_in_all(&work, &state)?;
        }
        work.commit()?;
        Ok(true)
    }
}

pub(super) fn standing_in(db: &Connection) -> Result<Vec<Standing>, IndexError> {
    standing_where(db, "?1 IS NULL", None)
}

/// What outlives sessions, and what is kept for this one.
pub(super) fn standing_of(db: &Connection, session: &str) -> Result<Vec<Standing>, IndexError> {
    standing_where(db, "session IS NULL OR session = ?1", Some(session))
}

fn standing_where(
    db: &Connection,
    condition: &str,
    session: Option<&str>,
) -> Result<Vec<Standing>, IndexError> {
    let mut select = db.prepare_cached(&format!(
        "SELECT id, is_rule, spec, words, enabled, source, created, expires, uses_left, last_used, uses FROM standing WHERE {condition} ORDER BY number",
    ))?;
    let rows = select.query_map([session], |row| {
        Ok((
            row_of(row)?,
            row.get::<_, String>(2)?,
            row.get::<_, bool>(1)?,
        ))
    })?;
    let mut out = Vec::new();
    for row in rows {
        let (standing, spec, is_rule) = row?;
        let spec = json::read(&spec, &Limits::default())
            .map_err(|cause| IndexError::Damaged(Damage::Standing(cause)))?;
        out.push(Standing {
            what: if is_rule {
                What::Rule(spec)
            } else {
                What::Grant(spec)
            },
            ..standing
        });
    }
    Ok(out)
}

fn spent_in(db: &Connection) -> Result<Vec<(String, u64)>, IndexError> {
    let mut select = db.prepare_cached("SELECT id, uses FROM spent")?;
    let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn row_of(row: &Row<'_>) -> rusqlite::Result<Standing> {
    Ok(Standing {
        id: row.get(0)?,
        what: What::Rule(Value::Null.into()),
        words: row.get(3)?,
        enabled: row.get(4)?,
        source: row.get(5)?,
        created: row.get(6)?,
        expires: row.get(7)?,
        uses_left: row.get(8)?,
        last_used: row.get(9)?,
        uses: row.get(10)?,
    })
}
