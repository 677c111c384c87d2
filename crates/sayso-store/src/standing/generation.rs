//! A number that grows with every change of rules and grants, in a file of eight bytes: whoever has a copy looks there first.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use crate::folder::Folder;
use crate::journal::{PATIENCE, lock};

/// The file in the state folder.
const FILE: &str = "generation";

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
    pub fn open(state: &Path) -> Result<Generation, String> {
        let folder = Folder::open_existing(state)?;
        let file = folder.as_ref().map_or(Ok(None), |folder| folder.read(FILE))?;
        Ok(Generation { folder, file })
    }

    /// The number now; zero where nothing was ever remembered.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn now(&mut self, state: &Path) -> Result<u64, String> {
        if self.file.is_none() {
            *self = Generation::open(state)?;
        }
        self.file.as_ref().map_or(Ok(0), read)
    }

    /// Lets it grow.
    ///
    /// # Errors
    /// When it cannot be written; then the change must not be said to be done.
    pub fn grow(&mut self, state: &Path) -> Result<u64, String> {
        let folder = match self.folder.take() {
            Some(folder) => folder,
            None => Folder::open(state)?,
        };
        let file = folder.write(FILE)?;
        let held = lock::hold(&file, PATIENCE)?;
        let next = read(&file)?.wrapping_add(1).max(1);
        file.write_all_at(&next.to_le_bytes(), 0).map_err(|error| format!("could not write the file `{FILE}`: {error}"))?;
        drop(held);
        (self.folder, self.file) = (Some(folder), Some(file));
        Ok(next)
    }
}

/// A file that is shorter was never written whole, which is a state of its own.
fn read(file: &File) -> Result<u64, String> {
    let mut bytes = [0; 8];
    let mut filled = 0;
    while let Some(room) = bytes.get_mut(filled..).filter(|room| !room.is_empty()) {
        match file.read_at(room, filled as u64) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(format!("could not read the file `{FILE}`: {error}")),
        }
    }
    Ok(u64::from_le_bytes(bytes))
}
