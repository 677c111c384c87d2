//! A folder of its own for what a command needs for a moment, where it cannot have its own `/tmp`.

use std::io::ErrorKind;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::error::SetupError;

/// The folder; it goes away with the value.
#[derive(Debug)]
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// Makes one in a folder of sayso's own.
    pub(crate) fn make(folder: &Path) -> Result<Scratch, SetupError> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!("tmp-{}-{number}", std::process::id()));
        let make = || std::fs::DirBuilder::new().mode(0o700).create(&path);
        match make() {
            // Of a process with the same number that was cut off.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                std::fs::remove_dir_all(&path)
                    .and_then(|()| make())
                    .map_err(SetupError::Scratch)?
            }
            made => made.map_err(SetupError::Scratch)?,
        }
        Ok(Scratch(path))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Most are empty. What cannot be removed is removed by the next process with this number.
        if std::fs::remove_dir(&self.0).is_err() {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }
}
