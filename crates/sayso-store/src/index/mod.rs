//! The index: what the journal says, in SQLite, so that it can be asked. It holds nothing of its own and can be built anew at any time.
//!
//! Everything in it is folded from entries of the journal, in their order, up to a cursor. Whoever opens it lets it catch up first, so it is
//! never behind what was recorded before. Where the journal is not the one it was built from, or the file is damaged, it is built anew.

mod damage;
pub mod entries;
pub mod health;
mod schema;
pub mod standing;

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, Transaction, TransactionBehavior, params};
use sayso_core::node::Node;

use crate::folder::Folder;
use crate::read::{Reader, Stored};

/// The file in the state folder.
pub const FILE: &str = "index.db";
/// How long one process waits for another that writes.
const PATIENCE: Duration = Duration::from_secs(30);
/// So many entries are taken in at once.
const PIECE: usize = 20_000;

/// The index of one state folder.
#[derive(Debug)]
pub struct Index {
    db: Connection,
    state: PathBuf,
}

/// Told how many entries were taken in so far.
pub type Progress<'a> = &'a mut dyn FnMut(u64);

impl Index {
    /// Opens the index and lets it catch up. A damaged one is put aside, and built anew.
    ///
    /// # Errors
    /// When the folder or the journal cannot be read, or another version of sayso made the index.
    pub fn open(state: &Path, progress: Progress<'_>) -> Result<Index, String> {
        let made = Index::connect(state).and_then(|mut index| {
            index.catch_up(progress)?;
            Ok(index)
        });
        match made {
            Ok(index) => Ok(index),
            Err(Trouble::Damaged(_) | Trouble::OtherJournal) => Index::rebuild(state, progress),
            Err(Trouble::Other(why)) => Err(why),
        }
    }

    /// Builds the index anew. The old file is kept aside where it was damaged.
    ///
    /// # Errors
    /// As [`Index::open`].
    pub fn rebuild(state: &Path, progress: Progress<'_>) -> Result<Index, String> {
        damage::put_aside(state)?;
        let mut index = Index::connect(state).map_err(Trouble::words)?;
        index.catch_up(progress).map_err(Trouble::words)?;
        Ok(index)
    }

    /// The folder it belongs to.
    pub fn state(&self) -> &Path {
        &self.state
    }

    fn connect(state: &Path) -> Result<Index, Trouble> {
        let folder = Folder::open(state).map_err(Trouble::Other)?;
        // SQLite would make it readable for others; its other files take the mode of this one.
        drop(folder.append(FILE).map_err(Trouble::Other)?);
        let db = Connection::open(folder.path().join(FILE))?;
        db.busy_timeout(PATIENCE)?;
        db.pragma_update(None, "journal_mode", "wal")?;
        db.pragma_update(None, "synchronous", "normal")?;
        db.pragma_update(None, "trusted_schema", false)?;
        let mut index = Index { db, state: state.to_owned() };
        schema::migrate(&mut index.db)?;
        Ok(index)
    }

    /// Takes in what was recorded since, and says how much that was.
    pub(crate) fn catch_up(&mut self, progress: Progress<'_>) -> Result<u64, Trouble> {
        let reader = Reader::open(&self.state).map_err(Trouble::Other)?;
        let mut total = 0;
        loop {
            // One at a time: who waits here finds the work done.
            let work = self.db.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let taken = take_in(&work, &reader)?;
            work.commit()?;
            total += taken as u64;
            if taken < PIECE {
                return Ok(total);
            }
            progress(total);
        }
    }
}

/// Takes in the next piece of the journal.
fn take_in(work: &Transaction<'_>, reader: &Reader) -> Result<usize, Trouble> {
    let (number, digest): (u64, String) = work.query_row("SELECT number, digest FROM cursor", [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut entries = reader.from(number.max(1)).map_err(Trouble::Other)?;
    if number > 0 {
        let last = entries.next().transpose().map_err(Trouble::Other)?;
        if !last.is_some_and(|last| last.number == number && last.digest.to_string() == digest) {
            return Err(Trouble::OtherJournal);
        }
    }
    let mut last: Option<Stored> = None;
    let mut taken = 0;
    for stored in entries.take(PIECE) {
        let stored = stored.map_err(Trouble::Other)?;
        let node = stored.node().map_err(Trouble::Other)?;
        entries::take_in(work, &stored, &node)?;
        standing::take_in(work, &stored, &node)?;
        last = Some(stored);
        taken += 1;
    }
    if let Some(last) = last {
        work.execute("UPDATE cursor SET number = ?1, digest = ?2", params![last.number, last.digest.to_string()])?;
    }
    Ok(taken)
}

/// The text of a field.
fn text<'a>(node: &'a Node, field: &str) -> Option<&'a str> {
    node.get(field).and_then(Node::as_text)
}

/// Why the index cannot be used as it is.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// The file is no index.
    Damaged(String),
    /// It was built from another journal.
    OtherJournal,
    /// Everything else.
    Other(String),
}

impl Trouble {
    fn words(self) -> String {
        match self {
            Trouble::Damaged(why) => format!("the index of the record is damaged: {why}; run `sayso audit index`"),
            Trouble::OtherJournal => "the index was made from another record; run `sayso audit index`".to_owned(),
            Trouble::Other(why) => why,
        }
    }
}

impl From<rusqlite::Error> for Trouble {
    fn from(error: rusqlite::Error) -> Trouble {
        use rusqlite::ErrorCode::{DatabaseBusy, DatabaseCorrupt, DiskFull, NotADatabase, ReadOnly};
        match error.sqlite_error_code() {
            Some(DatabaseCorrupt | NotADatabase) => Trouble::Damaged(error.to_string()),
            Some(DatabaseBusy) => Trouble::Other("another process of sayso writes the index for very long; try again".to_owned()),
            Some(DiskFull) => Trouble::Other("the disk is full, so the index of the record cannot be written".to_owned()),
            Some(ReadOnly) => Trouble::Other("the index of the record cannot be written: the folder is read-only".to_owned()),
            _ => Trouble::Other(format!("the index of the record cannot be used: {error}; run `sayso audit index`")),
        }
    }
}
