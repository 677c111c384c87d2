//! Approved operations that wait to be run: each in a file that only sayso can have written, and that can be taken once.
//!
//! - A file carries a keyed digest over all of it, its own id and its end among that. Nobody without the key of the state folder can make
//!   one, change one, or give one another id.
//! - Whoever takes one first makes a file that must not be there yet. Of several processes at once, one succeeds; and that file stays until
//!   long after the operation would have ended, so that a copy that was put back is not taken again.
//! - Ids are random and of sayso's own. An id that is not one of them is no name of a file.

use std::io::{Read as _, Write as _};
use std::path::Path;

use sayso_core::text::visible::visible;
use sayso_own_files::is_temporary;
use thiserror::Error as ThisError;

use crate::folder::{Action, Folder, FolderError, WriteError};
use crate::journal::{Journal, JournalError};
use crate::key::{Key, KeyError};

/// So long an operation waits, in seconds.
pub const LIFE: i64 = 15 * 60;
/// So long one waits that the dialog of an agent asks about: people leave those open, and until they say yes it is no approval.
pub const LONG_LIFE: i64 = 12 * 60 * 60;
/// What is older is cleared away; until then it can be said what became of it, and none is taken twice.
const KEPT: i64 = 2 * LONG_LIFE;
/// A clock may go back so far and still be believed.
const SLACK: i64 = 60;
/// A longer text is neither kept nor read.
const MOST: usize = 4 << 20;

const FOLDER: &str = "held";
const FORM: &str = "sayso-held-1";
const TAKEN: &str = ".taken";
/// What the marker of one says that was given up.
const GIVEN_UP: &[u8] = b"given up\n";
const ID_BYTES: usize = 16;
const PURPOSE: &str = "held operations";

/// Why there is nothing to run. All of them are final.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gone {
    /// It is not even the form of an id.
    NoId,
    /// Nothing is held under this id.
    Unknown,
    /// Somebody took it before.
    Taken,
    /// It was given up: the agent went on without it.
    GivenUp,
    /// It waited too long.
    Expired,
    /// It is not what sayso wrote.
    Changed,
}

impl Gone {
    fn of(self, id: &str) -> HeldError {
        HeldError::Gone {
            gone: self,
            id: id.to_owned(),
        }
    }

    /// What happened, for a person.
    pub fn words(&self, id: &str) -> String {
        let short: String = id.chars().take(40).collect();
        let id = if short.len() < id.len() {
            format!("{}…", visible(&short))
        } else {
            visible(&short).into_owned()
        };
        match self {
            Gone::NoId => format!(
                "`{id}` is no id of a held command; such an id has 32 digits and letters from `a` to `f`"
            ),
            Gone::Unknown => format!(
                "no command is held under `{id}`, or it was cleared away since; ask for it again"
            ),
            Gone::Taken => format!(
                "the command that was held under `{id}` was taken before, and each runs once; ask for it again"
            ),
            Gone::GivenUp => {
                format!(
                    "the command that was held under `{id}` was given up: the dialog about it ended without a yes; ask for it again"
                )
            }
            Gone::Expired => format!(
                "the command under `{id}` was held for more than {} minutes; ask for it again",
                LIFE / 60
            ),
            Gone::Changed => format!(
                "what is held under `{id}` is not what sayso wrote there; ask for the command again"
            ),
        }
    }
}

/// Why an operation is not held, or not taken.
#[derive(Debug, ThisError)]
#[expect(missing_docs, reason = "the message says it")]
pub enum HeldError {
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error(transparent)]
    Key(#[from] KeyError),
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error("{}", .gone.words(.id))]
    Gone { gone: Gone, id: String },
    #[error("it has {bytes} bytes, and no more than {MOST} can be held")]
    TooLong { bytes: usize },
    #[error("the folder of held operations is missing")]
    NoFolder,
    #[error("the system gives no random bytes for an id: {0}")]
    NoRandom(getrandom::Error),
}

/// Keeps the text of an approved operation until somebody takes it, and gives its id. The time is in seconds since 1970.
///
/// # Errors
/// When it is too long, or cannot be written.
pub fn put(journal: &Journal, text: &str, now: i64) -> Result<String, HeldError> {
    put_for(journal, text, now, LIFE)
}

/// The same for so many seconds, [`LONG_LIFE`] at most.
///
/// # Errors
/// When it is too long, or cannot be written.
pub fn put_for(journal: &Journal, text: &str, now: i64, life: i64) -> Result<String, HeldError> {
    if text.len() > MOST {
        return Err(HeldError::TooLong { bytes: text.len() });
    }
    let key = journal.key()?;
    let state = Folder::open(journal.state())?;
    let folder = state.inner(FOLDER, true)?.ok_or(HeldError::NoFolder)?;
    clear(&folder, now)?;
    let id = new_id()?;
    let content = format!(
        "{FORM} {id} {now} {}\n{text}",
        now.saturating_add(life.min(LONG_LIFE))
    );
    let mark = key.mark(PURPOSE, content.as_bytes()).hex();
    let bytes = format!("{mark}\n{content}").into_bytes();
    folder.put(&id, &bytes, false)?;
    Ok(id)
}

/// Takes what is held under an id, which nobody can do again.
///
/// # Errors
/// When there is nothing, or nothing any more, that may run.
pub fn take(state: &Path, id: &str, now: i64) -> Result<String, HeldError> {
    if !is_id(id) {
        return Err(Gone::NoId.of(id));
    }
    let Some(state) = Folder::open_existing(state)? else {
        return Err(Gone::Unknown.of(id));
    };
    let Some(folder) = state.inner(FOLDER, false)? else {
        return Err(Gone::Unknown.of(id));
    };
    let marker = format!("{id}{TAKEN}");
    let Some(file) = folder.read(id)? else {
        return Err(taken_how(&folder, &marker)?.unwrap_or(Gone::Unknown).of(id));
    };
    let mut bytes = Vec::new();
    let failed = |error| FolderError::io(Action::Read, &folder.path().join(id), error);
    file.take(2 * MOST as u64)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    let key = Key::read(&state)?.ok_or_else(|| Gone::Changed.of(id))?;
    let text = whole(&key, &bytes, id, now).map_err(|gone| gone.of(id))?;
    // Here it is decided who has it.
    if folder.create_new(&marker)?.is_none() {
        return Err(taken_how(&folder, &marker)?.unwrap_or(Gone::Taken).of(id));
    }
    folder.remove(id)?;
    // A loss of power does not give it back.
    folder.sync()?;
    Ok(text)
}

/// Gives up what is held under an id, so that nobody can take it; says whether it still was there.
///
/// # Errors
/// When that cannot be done.
pub fn give_up(state: &Path, id: &str) -> Result<bool, HeldError> {
    let Some(folder) = Folder::open_existing(state)?
        .map(|state| state.inner(FOLDER, false))
        .transpose()?
        .flatten()
    else {
        return Ok(false);
    };
    if !is_id(id) || folder.look(id)?.is_none() {
        return Ok(false);
    }
    // As whoever takes it: of two at once, one succeeds.
    let Some(mut marker) = folder.create_new(&format!("{id}{TAKEN}"))? else {
        return Ok(false);
    };
    folder.remove(id)?;
    // Without this word it counts as taken, which it is.
    let _ = marker.write_all(GIVEN_UP);
    Ok(true)
}

/// What became of one that is not held any more; none if there never was one.
fn taken_how(folder: &Folder, marker: &str) -> Result<Option<Gone>, FolderError> {
    let Some(file) = folder.read(marker)? else {
        return Ok(None);
    };
    let mut word = Vec::new();
    let is_read = file
        .take(GIVEN_UP.len() as u64 + 1)
        .read_to_end(&mut word)
        .is_ok();
    Ok(Some(if is_read && word == GIVEN_UP {
        Gone::GivenUp
    } else {
        Gone::Taken
    }))
}

/// The text of a file that sayso wrote for this id, and whose time is not over.
fn whole(key: &Key, bytes: &[u8], id: &str, now: i64) -> Result<String, Gone> {
    let (mark, content) = bytes.split_at_checked(64).ok_or(Gone::Changed)?;
    let content = content
        .strip_prefix(b"\n")
        .filter(|content| key.mark(PURPOSE, content).is(mark))
        .ok_or(Gone::Changed)?;
    let (head, text) = std::str::from_utf8(content)
        .ok()
        .and_then(|content| content.split_once('\n'))
        .ok_or(Gone::Changed)?;
    let words: Vec<&str> = head.split(' ').collect();
    // Anything else is of another version, or stands under another name.
    let [FORM, own, at, end] = words.as_slice() else {
        return Err(Gone::Changed);
    };
    let (Ok(at), Ok(end)) = (at.parse::<i64>(), end.parse::<i64>()) else {
        return Err(Gone::Changed);
    };
    if *own != id {
        return Err(Gone::Changed);
    }
    if now >= end || now < at.saturating_sub(SLACK) {
        return Err(Gone::Expired);
    }
    Ok(text.to_owned())
}

/// Removes what is too old to be of use to anybody.
fn clear(folder: &Folder, now: i64) -> Result<(), FolderError> {
    for name in folder
        .names()?
        .iter()
        .filter(|name| is_temporary(name) || name.get(..2 * ID_BYTES).is_some_and(is_id))
    {
        if folder
            .look(name)?
            .is_some_and(|stat| now.saturating_sub(stat.st_mtime) > KEPT)
        {
            folder.remove(name)?;
        }
    }
    Ok(())
}

fn new_id() -> Result<String, HeldError> {
    let mut bytes = [0; ID_BYTES];
    getrandom::fill(&mut bytes).map_err(HeldError::NoRandom)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn is_id(text: &str) -> bool {
    text.len() == 2 * ID_BYTES
        && text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
