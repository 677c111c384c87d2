//! The index: what the journal says, in SQLite, so that it can be asked. It holds nothing of its own and can be built anew at any time.
//!
//! Everything in it is folded from entries of the journal, in their order, up to a cursor. Whoever opens it lets it catch up first, so it is
//! never behind what was recorded before. Where the journal is not the one it was built from, or the file is damaged, it is built anew.

pub mod call_history;
pub mod calls;
mod entries;
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

use crate::folder::Folder;
use crate::read::{Bad, Reader, Stored};
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
    pub fn open(state: &Path, progress: Progress<'_>) -> Result<Index, String> {
        let folder = Folder::open(state)?;
        let opened = Held::shared(&folder).and_then(|held| {
            let mut index = Index::connect(&folder, held)?;
            schema::migrate(&mut index.db)?;
            index.catch_up_or_start_over(progress)?;
            Ok(index)
        });
        match opened {
            Err(Trouble::Damaged(_)) => Index::replace(&folder, progress).map_err(Trouble::words),
            other => other.map_err(Trouble::words),
        }
    }

    /// Builds the index anew, whoever else uses it. A damaged file is put aside.
    ///
    /// # Errors
    /// As [`Index::open`].
    pub fn rebuild(state: &Path, progress: Progress<'_>) -> Result<Index, String> {
        let folder = Folder::open(state)?;
        let built = Held::shared(&folder).and_then(|held| {
            let mut index = Index::connect(&folder, held)?;
            schema::start_over(&mut index.db)?;
            index.catch_up(progress)?;
            Ok(index)
        });
        match built {
            Err(Trouble::Damaged(_)) => Index::replace(&folder, progress).map_err(Trouble::words),
            other => other.map_err(Trouble::words),
        }
    }

    /// Takes in what was recorded since it was opened.
    ///
    /// # Errors
    /// When the journal or the index cannot be read.
    pub fn refresh(&mut self) -> Result<(), String> {
        match self.catch_up_or_start_over(&mut |_| {}) {
            Err(Trouble::Damaged(_)) => {
                // Nobody gets all of it while this has a share, and the file must be closed before it gets another name.
                self.db =
                    Connection::open_in_memory().map_err(|error| Trouble::from(error).words())?;
                self.held.release().map_err(Trouble::words)?;
                *self = Index::open(&self.state, &mut |_| {})?;
                Ok(())
            }
            other => other.map_err(Trouble::words),
        }
    }

    /// Puts another file in the place of a damaged one, as soon as nobody has it open.
    fn replace(folder: &Folder, progress: Progress<'_>) -> Result<Index, Trouble> {
        let held = Held::alone(folder)?;
        let mut build = || {
            let mut index = Index::connect(folder, held.clone())?;
            schema::migrate(&mut index.db)?;
            index.catch_up_or_start_over(progress)?;
            Ok(index)
        };
        // Who waited here may find that another process has done it.
        let index = match build() {
            Err(Trouble::Damaged(_)) => {
                put_aside(folder).map_err(Trouble::Other)?;
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
    pub fn damaged(&self) -> Result<Vec<String>, String> {
        self.all("SELECT place FROM damaged", &[], |row| row.get(0))
    }

    /// All rows of a query.
    fn all<T>(
        &self,
        sql: &str,
        values: &[&dyn ToSql],
        row: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, String> {
        let found = || -> rusqlite::Result<Vec<T>> {
            self.db
                .prepare_cached(sql)?
                .query_map(values, row)?
                .collect()
        };
        found().map_err(|error| Trouble::from(error).words())
    }

    fn connect(folder: &Folder, held: Held) -> Result<Index, Trouble> {
        // SQLite would make it readable for others; its other files take the mode of this one.
        drop(folder.append(FILE).map_err(Trouble::Other)?);
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
    fn catch_up_or_start_over(&mut self, progress: Progress<'_>) -> Result<(), Trouble> {
        match self.catch_up(progress) {
            Err(Trouble::OtherJournal) => {
                schema::start_over(&mut self.db)?;
                self.catch_up(progress).map(drop)
            }
            other => other.map(drop),
        }
    }

    /// Takes in what was recorded since, and says how much that was.
    fn catch_up(&mut self, progress: Progress<'_>) -> Result<u64, Trouble> {
        let reader = Reader::open(&self.state).map_err(Trouble::Other)?;
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
fn take_in_all(work: &Transaction<'_>, state: &Path) -> Result<(), Trouble> {
    let reader = Reader::open(state).map_err(Trouble::Other)?;
    while take_in(work, &reader)? == PIECE {}
    Ok(())
}

/// Takes in the next piece of the journal.
fn take_in(work: &Transaction<'_>, reader: &Reader) -> Result<usize, Trouble> {
    let (number, digest) = cursor(work)?;
    let mut entries = reader.telling_from(number.max(1)).map_err(Trouble::Other)?;
    let mut before: Option<Stored> = None;
    if number > 0 {
        match entries.next() {
            Some(Ok(last)) if last.number == number && last.digest.to_string() == digest => {
                before = Some(last)
            }
            Some(Err(Bad::Unread(why))) => return Err(Trouble::Other(why)),
            _ => return Err(Trouble::OtherJournal),
        }
    }
    let mut sessions = Sessions::default();
    let (mut taken, mut told) = (0, false);
    for stored in entries {
        let stored = match stored {
            Ok(stored) => stored,
            Err(Bad::Unread(why)) => return Err(Trouble::Other(why)),
            // The rest of the record can still be asked; `damaged` tells what cannot.
            Err(Bad::Damaged(place)) => {
                work.prepare_cached("INSERT OR IGNORE INTO damaged (place) VALUES (?1)")?
                    .execute([place])?;
                rules_and_grants::doubt(work)?;
                // What stands behind it cannot follow what stands before it.
                told = true;
                continue;
            }
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
            rules_and_grants::take_in(work, &stored, &stored.node().map_err(Trouble::Other)?)?;
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
            Trouble::Damaged(why) => {
                format!("the index of the record is damaged: {why}; run `sayso audit index`")
            }
            Trouble::OtherJournal => {
                "the index was made from another record; run `sayso audit index`".to_owned()
            }
            Trouble::Other(why) => why,
        }
    }
}

impl From<rusqlite::Error> for Trouble {
    fn from(error: rusqlite::Error) -> Trouble {
        use rusqlite::ErrorCode::{
            DatabaseBusy, DatabaseCorrupt, DiskFull, NotADatabase, ReadOnly,
        };
        match error.sqlite_error_code() {
            Some(DatabaseCorrupt | NotADatabase) => Trouble::Damaged(error.to_string()),
            Some(DatabaseBusy) => Trouble::Other(
                "another process of sayso writes the index for very long; try again".to_owned(),
            ),
            Some(DiskFull) => Trouble::Other(
                "the disk is full, so the index of the record cannot be written".to_owned(),
            ),
            Some(ReadOnly) => Trouble::Other(
                "the index of the record cannot be written: the folder is read-only".to_owned(),
            ),
            _ => Trouble::Other(format!(
                "the index of the record cannot be used: {error}; run `sayso audit index`"
            )),
        }
    }
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
fn put_aside(folder: &Folder) -> Result<(), String> {
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
