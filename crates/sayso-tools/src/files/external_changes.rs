//! Keeps files before somebody else changes them, such as an agent with its own tools, and finds out afterwards what was changed.

use std::path::{Path, PathBuf};

use rustix::fs::FileType;

use super::{About, Files};
use crate::change_error::ChangeError;
use crate::changes::{Change, Step};
use crate::open_nofollow::{self, PathError, Spot};
use crate::path_state::State;
use crate::recover::conclude;
use crate::undoable::Keep;

impl Files {
    /// Keeps what stands at these paths, which must have no links in them, and writes down that they are about to be changed. Gives the
    /// name that [`Files::was_changed`] wants, or none where there is nothing to keep.
    ///
    /// # Errors
    /// If it cannot be kept or written down.
    pub fn await_change(
        &self,
        about: About,
        paths: &[PathBuf],
    ) -> Result<Option<String>, ChangeError> {
        let mut steps: Vec<Step> = Vec::new();
        let mut unkept = None;
        for path in paths {
            let Some((path, before, refused)) = self.stands(path)? else {
                continue;
            };
            if steps.iter().all(|step| step.path != path) {
                unkept = unkept.or(refused);
                steps.push(Step::put(path, before.clone(), before));
            }
        }
        if steps.is_empty() {
            return Ok(None);
        }
        self.backups.flush()?;
        let change = Change {
            awaited: true,
            ..about.into_change(&self.changes, steps, unkept)
        };
        self.changes.begin(&change).map(|_| Some(change.name))
    }

    /// The change with this name was made by now. Gives the paths that are others than before.
    ///
    /// # Errors
    /// If they cannot be looked at, or it cannot be written down; the next recovery tries again.
    pub fn was_changed(&self, name: &str) -> Result<Vec<PathBuf>, ChangeError> {
        match self.changes.awaited(name) {
            Some((change, open)) => conclude(&self.changes, &self.backups, change, open, true),
            None => Ok(Vec::new()),
        }
    }

    /// Says beforehand whether a change of these paths by somebody else could be taken back, if [`Files::await_change`] keeps them.
    pub fn promise_awaited(&self, paths: &[PathBuf]) -> Keep {
        let mut kept: Option<Keep> = None;
        for path in paths {
            let promise = match target(path) {
                Ok(None | Some(Target::Missing(_))) => Keep::NotThere,
                Ok(Some(Target::Folder)) => Keep::Cannot(format!(
                    "`{}` is a folder, and only files are kept here",
                    open_nofollow::shown(path)
                )),
                Ok(Some(Target::There(_))) => self.promise(path),
                Err(why) => Keep::Cannot(why.to_string()),
            };
            kept = match (kept, promise) {
                (_, promise) if !promise.can_be_undone() => return promise,
                (None | Some(Keep::NotThere), promise) => Some(promise),
                // Of several, only the folder of all backups can be named.
                (Some(Keep::Kept(_)), Keep::Kept(_)) => {
                    Some(Keep::Kept(self.backups.folder().to_owned()))
                }
                (kept, _) => kept,
            };
        }
        kept.unwrap_or_else(|| Keep::Cannot("which file it changes is not known".to_owned()))
    }

    /// What is kept for a path, as it is seen; and if it cannot be kept, why.
    fn stands(&self, path: &Path) -> Result<Option<(PathBuf, State, Option<String>)>, ChangeError> {
        Ok(match target(path)? {
            None | Some(Target::Folder) => None,
            Some(Target::Missing(first)) => Some((first, State::Absent, None)),
            Some(Target::There(spot)) => {
                let (state, refused) = self.keep(&spot)?;
                Some((path.to_owned(), state, refused))
            }
        })
    }
}

/// What is kept for a path.
enum Target {
    /// Nothing is there: this is it, or the first folder on the way that is missing.
    Missing(PathBuf),
    /// A folder, of which nothing is kept.
    Folder,
    /// What is there.
    There(Spot),
}

fn target(path: &Path) -> Result<Option<Target>, PathError> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Ok(None);
    };
    let (folder, at, missing) = open_nofollow::deepest(parent)?;
    if let Some(first) = missing.first() {
        return Ok(Some(Target::Missing(at.join(first))));
    }
    let spot = Spot {
        folder,
        name: name.to_owned(),
        path: path.to_owned(),
    };
    Ok(Some(match spot.stat()? {
        Some(found) if open_nofollow::kind(&found) == FileType::Directory => Target::Folder,
        _ => Target::There(spot),
    }))
}
