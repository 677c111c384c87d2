//! The index: what the journal says, in SQLite, so that it can be asked. It holds nothing of its own and can be built anew at any time.
//!
//! Everything in it is folded from entries of the journal, in their order, up to a cursor. Whoever opens it lets it catch up first, so it is
//! never behind what was recorded before. Where the journal is not the one it was built from, or the file is damaged, it is built anew.

pub mod call_history;
pub mod calls;
mod entries;
mod error;
pub mod health;
pub mod journal_fallback;
mod lock;
mod rules_and_grants;
mod schema;
pub mod sessions;
pub mod stats;
mod top_level_fields;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, Row, ToSql, Transaction, TransactionBehavior, params};
use sayso_core::text::node::Node;

use crate::folder::{Folder, FolderError};
use crate::read::{Reader, Stored};
pub use error::{Damage, IndexError};
use lock::Held;
use sessions::Sessions;
use top_level_fields::Fields;

/// The file in the state folder.
pub const FILE: &str = "index.db";
/// How long one process waits for another that writes.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long it takes until something is tried again.
const SHORT: Duration = Duration::from_millis(2);
/// So many entries are taken in at once.
const PIECE: usize = 20_000;
/// Pages of the file that are held in memory, in KiB.
const CACHE: i64 = 64 << 10;

/// The index of one state folder.
#[derive(Debug)]
pub struct Index {
    /// Closed before the lock is given away: fields are dropped in this order.
    db: Connection,
    held: Held,
    state: PathBuf,
}

/// Told how many entries were taken in so far.
pub type Progress<'a> = &'a mut dyn FnMut(u64);

impl Index {
    /// Opens the index and lets it catch up. A damaged one is put aside, and built anew.
    ///
    /// # Errors
    /// When the folder or the journal cannot be read, or another version of sayso made the index.
    pub fn open(state: &Path, progress: Progress<'_>) -> Result<Index, IndexError> {
        let folder = Folder::open(state)?;
        let opened = Held::shared(&folder).and_then(|held| {
            let mut index = Index::connect(&folder, held)?;
            schema::migrate(&mut index.db)?;
            index.catch_up_or_start_over(progress)?;
            Ok(index)
        });
        match opened {
            Err(IndexError::Damaged(_)) => Index::replace(&folder, progress),
            other => other,
        }
    }

    /// Builds the index anew, whoever else uses it. A damaged file is put aside.
    ///
    /// # Errors
    /// As [`Index::open`].
    pub fn rebuild(state: &Path, progress: Progress<'_>) -> Result<Index, IndexError> {
        let folder = Folder::open(state)?;
        let built = Held::shared(&folder).and_then(|held| {
            let mut index = Index::connect(&folder, held)?;
            schema::start_over(&mut index.db)?;
            index.catch_up(progress)?;
            Ok(index)
        });
        match built {
            Err(IndexError::Damaged(_)) => Index::replace(&folder, progress),
            other => other,
        }
    }

    /// Takes in what was recorded since it was opened.
    ///
    /// # Errors
    /// When the journal or the index cannot be read.
    pub fn refresh(&mut self) -> Result<(), IndexError> {
        match self.catch_up_or_start_over(&mut |_| {}) {
            Err(IndexError::Damaged(_)) => {
                // Nobody gets all of it while this has a share, and the file must be closed before it gets another name.
                self.db = Connection::open_in_memory()?;
                self.held.release()?;
                *self = Index::open(&self.state, &mut |_| {})?;
                Ok(())
            }
            other => other,
        }
    }

    /// Puts another file in the place of a damaged one, as soon as nobody has it open.
    fn replace(folder: &Folder, progress: Progress<'_>) -> Result<Index, IndexError> {
        let held = Held::alone(folder)?;
        let mut build = || {
            let mut index = Index::connect(folder, held.clone())?;
            schema::migrate(&mut index.db)?;
            index.catch_up_or_start_over(progress)?;
            Ok(index)
        };
        // Who waited here may find that another process has done it.
        let index = match build() {
            Err(IndexError::Damaged(_)) => {
                put_aside(folder)?;
                build()?
            }
            other => other?,
        };
        held.share()?;
        Ok(index)
    }

    /// The folder it belongs to.
    pub fn state(&self) -> &Path {
        &self.state
    }

    /// Places in the journal that are not as they were written. What stood there is not in the index.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn damaged(&self) -> Result<Vec<String>, IndexError> {
        self.all("SELECT place FROM damaged", &[], |row| row.get(0))
    }

    /// All rows of a query.
    fn all<T>(
        &self,
        sql: &str,
        values: &[&dyn ToSql],
        row: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, IndexError> {
        let found = || -> rusqlite::Result<Vec<T>> {
            self.db
                .prepare_cached(sql)?
                .query_map(values, row)?
                .collect()
        };
        Ok(found()?)
    }

    fn connect(folder: &Folder, held: Held) -> Result<Index, IndexError> {
        // SQLite would make it readable for others; its other files take the mode of this one.
        drop(folder.append(FILE)?);
        let db = Connection::open(folder.path().join(FILE))?;
        db.busy_timeout(PATIENCE)?;
        keep_a_log(&db)?;
        db.pragma_update(None, "synchronous", "normal")?;
        db.pragma_update(None, "trusted_schema", false)?;
        db.pragma_update(None, "cache_size", -CACHE)?;
        // While much is taken in, a page that changes often is copied back once and not each time.
        db.pragma_update(None, "wal_autocheckpoint", 8_000)?;
        // Otherwise a statement is read anew for each value that is bound to it.
        db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        db.set_prepared_statement_cache_capacity(64);
        Ok(Index {
            db,
            held,
            state: folder.path().to_owned(),
        })
    }

    /// Takes in what was recorded since. An index of another journal is emptied first.
    fn catch_up_or_start_over(&mut self, progress: Progress<'_>) -> Result<(), IndexError> {
        match self.catch_up(progress) {
            Err(IndexError::OtherJournal) => {
                schema::start_over(&mut self.db)?;
                self.catch_up(progress).map(drop)
            }
            other => other.map(drop),
        }
    }

    /// Takes in what was recorded since, and says how much that was.
    fn catch_up(&mut self, progress: Progress<'_>) -> Result<u64, IndexError> {
        let reader = Reader::open(&self.state)?;
        // Mostly nothing was, and then nothing is written or locked.
        if reader.head().is_ok_and(|head| {
            head.map(|head| (head.number, head.digest.to_string())) == cursor(&self.db).ok()
        }) {
            return Ok(0);
        }
        let mut total = 0;
        loop {
            // One at a time: who waits here finds the work done.
            let work = self
                .db
                .transaction_with_behavior(TransactionBehavior::Immediate)?;
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

/// The last entry that was taken in.
fn cursor(db: &Connection) -> rusqlite::Result<(u64, String)> {
    db.query_row("SELECT number, digest FROM cursor", [], |row| {
        Ok((row.get(0)?, row.get(1)?))
    })
}

/// Takes in all that was recorded since, as a part of other work.
fn take_in_all(work: &Transaction<'_>, state: &Path) -> Result<(), IndexError> {
    let reader = Reader::open(state)?;
    while take_in(work, &reader)? == PIECE {}
    Ok(())
}

/// Takes in the next piece of the journal.
fn take_in(work: &Transaction<'_>, reader: &Reader) -> Result<usize, IndexError> {
    let (number, digest) = cursor(work)?;
    let mut entries = reader.from(number.max(1))?;
    let mut before: Option<Stored> = None;
    if number > 0 {
        match entries.next() {
            Some(Ok(last)) if last.number == number && last.digest.to_string() == digest => {
                before = Some(last)
            }
            Some(Err(error)) if !error.is_damage() => return Err(error.into()),
            _ => return Err(IndexError::OtherJournal),
        }
    }
    let mut sessions = Sessions::default();
    let (mut taken, mut told) = (0, false);
    for stored in entries {
        let stored = match stored {
            Ok(stored) => stored,
            // The rest of the record can still be asked; `damaged` tells what cannot.
            Err(error) if error.is_damage() => {
                work.prepare_cached("INSERT OR IGNORE INTO damaged (place) VALUES (?1)")?
                    .execute([error.to_string()])?;
                rules_and_grants::doubt(work)?;
                // What stands behind it cannot follow what stands before it.
                told = true;
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        if let Some(fields) = Fields::of(&stored.text) {
            entries::take_in(work, &mut sessions, &stored, &fields)?;
            if stored.kind == "decided" {
                rules_and_grants::used(
                    work,
                    stored.at,
                    fields.text("source").as_deref(),
                    fields.text("rule").as_deref(),
                )?;
            }
        }
        if rules_and_grants::concerns(&stored.kind) {
            rules_and_grants::take_in(work, &stored, &stored.node()?)?;
        }
        // Something was taken out, put in or moved here, and it may have taken something back. This entry may be what was put in.
        if !std::mem::take(&mut told)
            && before
                .as_ref()
                .is_some_and(|before| !stored.follows(before))
        {
            let place = format!(
                "entry {}: it does not follow the one before it; run `sayso audit verify`",
                stored.number
            );
            work.prepare_cached("INSERT OR IGNORE INTO damaged (place) VALUES (?1)")?
                .execute([place])?;
            rules_and_grants::doubt(work)?;
        }
        before = Some(stored);
        taken += 1;
        if taken == PIECE {
            break;
        }
    }
    sessions.write(work)?;
    if let Some(last) = before.filter(|_| taken > 0) {
        work.execute(
            "UPDATE cursor SET number = ?1, digest = ?2",
            params![last.number, last.digest.to_string()],
        )?;
    }
    Ok(taken)
}

/// The text of a field.
fn text<'a>(node: &'a Node, field: &str) -> Option<&'a str> {
    node.get(field).and_then(Node::as_text)
}

/// Has changes written to a log first. Where several do that with a new file at once, SQLite gives up without waiting: it has to be tried again.
fn keep_a_log(db: &Connection) -> rusqlite::Result<()> {
    let since = Instant::now();
    loop {
        match db.pragma_update(None, "journal_mode", "wal") {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && since.elapsed() < PATIENCE =>
            {
                std::thread::sleep(SHORT);
            }
            done => return done,
        }
    }
}

/// Keeps a file that cannot be used aside, under another name: nothing is deleted that a person may want to look at. Its side files go with it.
fn put_aside(folder: &Folder) -> Result<(), FolderError> {
    let names = folder.names()?;
    if !names.iter().any(|name| name == FILE) {
        return Ok(());
    }
    // Two are enough to look at: an index says nothing that the journal does not.
    let aside = if names.iter().any(|name| name == "index.db.aside-1") {
        "index.db.aside-2"
    } else {
        "index.db.aside-1"
    };
    for side in ["-wal", "-shm"] {
        folder.remove(&format!("{aside}{side}"))?;
        if names.contains(&format!("{FILE}{side}")) {
            folder.rename(&format!("{FILE}{side}"), &format!("{aside}{side}"))?;
        }
    }
    folder.rename(FILE, aside)
}
