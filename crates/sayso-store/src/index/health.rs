//! Whether the index can be used, without changing anything.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use super::{Damage, FILE};
use crate::folder::Folder;
use crate::read::{ReadError, Reader};

/// What state the index is in.
#[derive(Debug, PartialEq)]
pub enum Health {
    /// There is none; it is made when it is needed.
    Missing,
    /// It can be used, and has so many entries to take in yet.
    Sound(u64),
    /// It cannot be used, and is built anew when it is needed.
    Damaged(Damage),
}

/// Looks at the index of a state folder.
///
/// # Errors
/// When the folder or the record cannot be read.
pub fn health(state: &Path) -> Result<Health, ReadError> {
    let Some(folder) = Folder::open_existing(state)? else {
        return Ok(Health::Missing);
    };
    if folder.read(FILE)?.is_none() {
        return Ok(Health::Missing);
    }
    let taken = match look(&folder.path().join(FILE)) {
        Ok(taken) => taken,
        Err(damage) => return Ok(Health::Damaged(damage)),
    };
    let last = Reader::open(state)?
        .backwards()?
        .find_map(Result::ok)
        .map_or(0, |entry| entry.number);
    Ok(match last.checked_sub(taken) {
        Some(behind) => Health::Sound(behind),
        None => Health::Damaged(Damage::AheadOfRecord),
    })
}

/// How far it was filled, or what is wrong with it.
fn look(file: &Path) -> Result<u64, Damage> {
    let db = Connection::open_with_flags(
        file,
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    let check: String = db.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if check != "ok" {
        return Err(Damage::Check { finding: check });
    }
    Ok(db.query_row("SELECT number FROM cursor", [], |row| row.get(0))?)
}
