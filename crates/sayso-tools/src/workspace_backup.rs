//! Keeps a whole workspace before a command whose effects nobody knows, so that what it did can be taken back like any other change.
//!
//! Before the command, the content of every file is put into the backups but of what tools can rebuild, and a listing is written down
//! with a change that is under way. After it, the workspace is looked at again, and what is different becomes the steps of that change.
//! Whatever others did in the workspace meanwhile counts as the command's doing, since nobody can tell it apart.
//! Nothing is read that has not changed since the last time: a walk over the names is all it takes then.

use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};

use crate::backup_contents::{keep, keep_listing, missing, read_listing, recall};
use crate::change_error::{CannotKeep, ChangeError, NotKept, TooMuch};
use crate::changes::{Change, Open};
use crate::files::{About, Files};
use crate::list_workspace::{self, Rules};
use crate::listing::{Listing, What};
use crate::open_nofollow::shown;
use crate::prune::{forget_listing, make_room};
use crate::too_large::reduce;
pub use crate::workspace_change::{AfterCommand, KeepLimits};
use crate::workspace_change::{Under, conclude};

/// A workspace that is kept while a command runs in it. If it is dropped, or its process is killed, the next recovery looks at what the
/// command did.
#[derive(Debug)]
pub struct Keeping {
    change: Change,
    open: Open,
    listing: Listing,
    limits: KeepLimits,
    files_read: usize,
}

impl Keeping {
    /// Keeps a workspace before a command, whose absolute path must have no links in it.
    ///
    /// # Errors
    /// If it is too much, or a part of it cannot be kept, or the disk is full. Then the command must not run as one that can be taken back.
    pub fn before(
        files: &Files,
        about: About,
        workspace: &Path,
        limits: KeepLimits,
        rules: Rules<'_>,
    ) -> Result<Keeping, NotKept> {
        let backups = files.backups();
        if backups.folder().starts_with(workspace)
            || files.changes().folder().starts_with(workspace)
        {
            return Err(CannotKeep::BackupsInside.into());
        }
        let earlier = files.listings().last(workspace);
        let last = earlier.and_then(|digest| Some((digest, read_listing(backups, &digest)?)));
        let known = last.as_ref().map(|(_, last)| last);
        let session = OsStr::new(&about.session);
        let mut listing = list_workspace::before(workspace, limits.names, rules, known, session)?;
        reduce(&mut listing, limits, backups.limits(), rules)?;
        if let Some(last) = known {
            recall(&mut listing, last);
        }
        // Until the listing is written down, nobody may throw away what it names.
        let (lock, unkept) = room(&listing, files)?;
        keep(&mut listing, &unkept, backups, rules)?;
        let known = last.filter(|(digest, last)| {
            unkept.is_empty()
                && last.entries == listing.entries
                && (last.mode, &last.attributes) == (listing.mode, &listing.attributes)
                && backups.has(digest)
        });
        let (digest, listing) = match known {
            Some((digest, last)) => (digest, last),
            None => (keep_listing(&listing, backups)?, listing),
        };
        if earlier != Some(digest) || !unkept.is_empty() {
            backups.flush()?;
        }
        files.listings().set_last(workspace, &digest);
        let change = Change {
            listing: Some(digest),
            is_command: true,
            ..about.into_change(files.changes(), Vec::new(), None)
        };
        let open = files.changes().begin(&change)?;
        drop(lock);
        if let Some(earlier) = earlier.filter(|earlier| *earlier != digest) {
            forget_listing(files.changes(), backups, &earlier);
        }
        Ok(Keeping {
            change,
            open,
            listing,
            limits,
            files_read: unkept.len(),
        })
    }

    /// How many files had to be read; of a workspace that did not change, none.
    pub fn files_read(&self) -> usize {
        self.files_read
    }

    /// What is too large to be kept and must be read-only for the command.
    pub fn read_only(&self) -> Vec<PathBuf> {
        self.all(|what| matches!(what, What::ReadOnly(_)))
    }

    /// The folders that are not kept, since tools can make them anew.
    pub fn rebuildable(&self) -> Vec<PathBuf> {
        self.all(|what| matches!(what, What::Rebuildable { .. }))
    }

    fn all(&self, which: impl Fn(&What) -> bool) -> Vec<PathBuf> {
        let found = self.listing.entries.iter().filter(|one| which(&one.what));
        found.map(|one| self.listing.root.join(&one.path)).collect()
    }

    /// What is in the workspace and is not kept, in words: pipes, sockets and devices, what is too large, and what can be rebuilt.
    pub fn remarks(&self) -> Vec<String> {
        let all = self.listing.entries.iter();
        all.filter_map(|entry| {
            let why = match entry.what {
                What::Special => "is a pipe, a socket or a device and is not kept",
                What::ReadOnly(_) => "is too large or too busy to be kept, so it is read-only",
                What::Rebuildable { .. } => "can be rebuilt and is not kept",
                _ => return None,
            };
            Some(format!("`{}` {why}", shown(&entry.path)))
        })
        .collect()
    }

    /// Looks at what the command did, and writes it down as a change that can be undone. Nothing of the command may run any more.
    ///
    /// # Errors
    /// If the workspace cannot be looked at, or the disk says no. The next recovery tries again.
    pub fn after(self, files: &Files, rules: Rules<'_>) -> Result<AfterCommand, ChangeError> {
        let Keeping {
            change,
            open,
            listing,
            limits,
            ..
        } = self;
        let done = conclude(
            files.kept(),
            Under {
                change,
                open,
                listing,
            },
            limits,
            rules,
            None,
        )?;
        if done.change.is_some() && files.backups().held() > files.backups().limits().total {
            files.prune();
        }
        Ok(done)
    }

    /// The command did not run.
    pub fn cancel(self) {
        self.open.discard();
    }
}

/// Finds out what is not in the backups yet, and makes room for it. Until the handle is dropped, nobody clears up.
fn room(listing: &Listing, files: &Files) -> Result<(File, Vec<(usize, u64)>), NotKept> {
    let backups = files.backups();
    let mut is_last = false;
    loop {
        let lock = backups.in_use()?;
        let unkept = missing(listing, backups);
        let needed: u64 = unkept.iter().map(|(_, size)| size).sum();
        if needed == 0 || backups.held().saturating_add(needed) <= backups.limits().total {
            return Ok((lock, unkept));
        }
        drop(lock);
        if is_last {
            let all = backups.limits().total;
            return Err(TooMuch::NoRoom { needed, all }.into());
        }
        make_room(files.changes(), backups, needed);
        is_last = true;
    }
}
