//! A number that grows with every change of rules and grants, in a file of eight bytes: whoever has a copy looks there first.
//!
//! The number alone would not do: a file that was lost, or put back from a copy, can have a number again that it had before. So which file it
//! is and when it was changed last count, too, and where it is missing beside a journal nothing is known.

use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::Path;

use thiserror::Error as ThisError;

use crate::folder::{Action, Folder, FolderError};
use crate::journal::{LockError, PATIENCE, lock, segments};

/// The file in the state folder.
const FILE: &str = "generation";

/// What is known of changes. Two that are equal and not [`Mark::Unknown`] have none between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Nothing was ever recorded, so nothing is remembered.
    Never,
    /// There is a record, and nobody counted: the journal has to be asked.
    Unknown,
    /// So many changes, in this file as it was changed last.
    At {
        /// The number.
        number: u64,
        /// Which file it stands in.
        file: u64,
        /// When that was changed, in seconds and nanoseconds.
        changed: (i64, i64),
    },
}

/// Why the number cannot be read, or does not grow.
#[derive(Debug, ThisError)]
#[expect(missing_docs, reason = "the message says it")]
pub enum GenerationError {
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error("could not {action} the file `{FILE}`: {source}")]
    Io { action: Action, source: io::Error },
}

impl GenerationError {
    fn io(action: Action) -> impl Fn(io::Error) -> GenerationError {
        move |source| GenerationError::Io { action, source }
    }
}

/// The number, open to be read often.
#[derive(Debug)]
pub struct Generation {
    folder: Option<Folder>,
    file: Option<File>,
}

impl Generation {
    /// Opens it, and makes nothing.
    ///
    /// # Errors
    /// When the folder cannot be opened or relied on.
    pub fn open(state: &Path) -> Result<Generation, GenerationError> {
        let folder = Folder::open_existing(state)?;
        let file = folder
            .as_ref()
            .map_or(Ok(None), |folder| folder.read(FILE))?;
        Ok(Generation { folder, file })
    }

    /// The same in a state folder that is open already, for somebody who only looks.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn open_in(folder: &Folder) -> Result<Generation, GenerationError> {
        Ok(Generation {
            folder: None,
            file: folder.read(FILE)?,
        })
    }

    /// What is known of changes now.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn now(&mut self, state: &Path) -> Result<Mark, GenerationError> {
        let failed = GenerationError::io(Action::LookAt);
        let mut found = self
            .file
            .as_ref()
            .map(File::metadata)
            .transpose()
            .map_err(&failed)?;
        // One that lost its name is the one that others write no more.
        if found.as_ref().is_none_or(|found| found.nlink() == 0) {
            *self = Generation::open(state)?;
            found = self
                .file
                .as_ref()
                .map(File::metadata)
                .transpose()
                .map_err(failed)?;
        }
        let (Some(file), Some(found)) = (&self.file, found) else {
            return Ok(if segments::folder(state)?.is_some() {
                Mark::Unknown
            } else {
                Mark::Never
            });
        };
        Ok(match read(file)? {
            0 => Mark::Unknown,
            number => Mark::At {
                number,
                file: found.ino(),
                changed: (found.ctime(), found.ctime_nsec()),
            },
        })
    }

    /// Lets it grow.
    ///
    /// # Errors
    /// When it cannot be written; then the change must not be said to be done.
    pub fn grow(&mut self, state: &Path) -> Result<u64, GenerationError> {
        let folder = match self.folder.take() {
            Some(folder) => folder,
            None => Folder::open(state)?,
        };
        let file = folder.write(FILE)?;
        let held = lock::hold(&file, PATIENCE)?;
        let next = read(&file)?.wrapping_add(1).max(1);
        file.write_all_at(&next.to_le_bytes(), 0)
            .map_err(GenerationError::io(Action::Write))?;
        drop(held);
        (self.folder, self.file) = (Some(folder), Some(file));
        Ok(next)
    }
}

/// The number; a file that is shorter was never written whole.
fn read(file: &File) -> Result<u64, GenerationError> {
    let mut bytes = [0; 8];
    let mut filled = 0;
    while let Some(room) = bytes.get_mut(filled..).filter(|room| !room.is_empty()) {
        match file.read_at(room, filled as u64) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(GenerationError::io(Action::Read)(error)),
        }
    }
    Ok(u64::from_le_bytes(bytes))
}
