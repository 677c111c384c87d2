//! Says beforehand whether what a change takes away can be kept, since the prompt has to say whether it can be undone.

use std::fmt;
use std::path::{Path, PathBuf};

use rustix::fs::FileType;

use crate::backups::{Backups, Limits, digest, size_words};
use crate::open_nofollow::{self, Spot};
use crate::tree::{Measured, measure};

/// Whether what a change takes away could be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Keep {
    /// It can; this is where it will lie.
    Kept(PathBuf),
    /// A file is too large; its size in bytes.
    TooLarge(u64),
    /// All of it together is too large; its size in bytes.
    Full(u64),
    /// Nothing stands there, so there is nothing to keep: the change can be undone.
    NotThere,
    /// It cannot be read, or is nothing that can be kept.
    Cannot(String),
}

impl Keep {
    /// Why nothing is kept, in words; none if it is.
    pub fn reason(&self, limits: Limits) -> Option<String> {
        match self {
            Keep::Kept(_) | Keep::NotThere => None,
            Keep::TooLarge(size) => Some(format!(
                "a file of {} is too large for a backup ({} at most)",
                size_words(*size),
                size_words(limits.file)
            )),
            Keep::Full(size) => Some(format!(
                "{} are too much for a backup ({} in all)",
                size_words(*size),
                size_words(limits.total)
            )),
            Keep::Cannot(why) => Some(why.clone()),
        }
    }

    /// Whether the change can be undone.
    pub fn can_be_undone(&self) -> bool {
        matches!(self, Keep::Kept(_) | Keep::NotThere)
    }
}

impl Backups {
    /// Says beforehand whether what stands at a path could be kept. Links are not followed.
    pub fn promise(&self, path: &Path) -> Keep {
        let cannot = |why: &dyn fmt::Display| Keep::Cannot(why.to_string());
        let spot = match Spot::of(path) {
            Ok(spot) => spot,
            Err(open_nofollow::PathError::Missing(_)) => return Keep::NotThere,
            Err(trouble) => return cannot(&trouble),
        };
        match spot.stat() {
            Ok(None) => return Keep::NotThere,
            Err(trouble) => return cannot(&trouble),
            Ok(Some(found)) => match open_nofollow::kind(&found) {
                FileType::RegularFile | FileType::Directory | FileType::Symlink => {}
                other => return cannot(&format_args!("it is {}", open_nofollow::word(other))),
            },
        }
        let measured = match measure(&spot) {
            Ok(measured) => measured,
            Err(why) => return cannot(&why),
        };
        if let Some(refused) = self.refuses(measured) {
            return refused;
        }
        // One file lies under its digest; of several, only the folder can be named.
        let digest = open_nofollow::file(&spot.folder, &spot.name, path)
            .ok()
            .and_then(|(mut file, _)| digest(&mut file, self.limits().file).ok()?);
        Keep::Kept(digest.map_or_else(
            || self.folder().to_owned(),
            |(digest, _)| self.path(&digest),
        ))
    }

    /// Why so much is not kept.
    pub fn refuses(&self, measured: Measured) -> Option<Keep> {
        if measured.largest > self.limits().file {
            Some(Keep::TooLarge(measured.largest))
        } else if measured.total > self.limits().total {
            Some(Keep::Full(measured.total))
        } else {
            None
        }
    }
}
