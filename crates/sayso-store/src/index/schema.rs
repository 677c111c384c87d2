//! The tables of the index, and the steps from each older version to the next.

use rusqlite::{Connection, TransactionBehavior};

use super::IndexError;

/// The step that leads to version 1, to version 2, and so on. A step that was released never changes.
const STEPS: &[&str] = &[include_str!("version_1.sql"), include_str!("version_2.sql")];

/// Whether the tables are of the newest version.
pub(super) fn is_newest(db: &Connection) -> rusqlite::Result<bool> {
    db.pragma_query_value(None, "user_version", |row| row.get::<_, usize>(0))
        .map(|version| version == STEPS.len())
}

/// Brings the tables to the newest version.
pub(super) fn migrate(db: &mut Connection) -> Result<(), IndexError> {
    let version =
        |db: &Connection| db.pragma_query_value(None, "user_version", |row| row.get::<_, usize>(0));
    if version(db)? == STEPS.len() {
        return Ok(());
    }
    let work = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have done it meanwhile.
    let from = version(&work)?;
    let Some(steps) = STEPS.get(from..) else {
        return Err(IndexError::Newer {
            version: from,
            newest: STEPS.len(),
        });
    };
    for step in steps {
        work.execute_batch(step)?;
    }
    work.pragma_update(None, "user_version", STEPS.len())?;
    Ok(work.commit()?)
}

/// Takes everything out, and makes the tables of the newest version. Others who have the file open see one or the other.
pub(super) fn start_over(db: &mut Connection) -> Result<(), IndexError> {
    let work = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let tables: Vec<String> = {
        let mut list = work.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")?;
        list.query_map([], |row| row.get(0))?
            .collect::<Result<_, _>>()?
    };
    for table in tables {
        work.execute_batch(&format!("DROP TABLE \"{}\"", table.replace('"', "\"\"")))?;
    }
    for step in STEPS {
        work.execute_batch(step)?;
    }
    work.pragma_update(None, "user_version", STEPS.len())?;
    Ok(work.commit()?)
}
