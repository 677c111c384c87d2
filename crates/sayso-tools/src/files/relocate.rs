//! Moves a file, a link or a folder to a place where nothing stands.

use rustix::fs::{FileType, Stat};
use sayso_core::call::tool::Role;

use super::call::{Call, Judged};
use super::changed;
use super::error::FileToolError;
use crate::build::Source;
use crate::changes::Step;
use crate::open_nofollow::{self, PathError, Spot};
use crate::result::ToolResult;
use crate::tree::shallow;
use crate::tree::{self, Looking};

/// What a move is about: from where, what is there, and to where.
pub(super) fn movable(call: &Call<'_>) -> Result<(Judged, Spot, Stat, Judged), FileToolError> {
    let from = call.path_of(Role::From, |effect| effect.manner.moved_away)?;
    let to = call.path_of(Role::To, |effect| !effect.manner.moved_away)?;
    let spot = Spot::of(&from.path)?;
    let found = spot
        .stat()?
        .ok_or_else(|| FileToolError::Missing(from.shown()))?;
    free(&from, &to)?;
    match open_nofollow::kind(&found) {
        FileType::Directory | FileType::RegularFile | FileType::Symlink => {
            Ok((from, spot, found, to))
        }
        other => Err(PathError::Special(from.path, open_nofollow::word(other)).into()),
    }
}

/// Runs a move.
pub(super) fn relocate(call: &Call<'_>) -> Result<ToolResult, FileToolError> {
    let (from, spot, found, to) = movable(call)?;
    let backups = &call.kit.backups;
    let what = match open_nofollow::kind(&found) {
        FileType::Directory => shallow(&spot)?,
        _ => tree::look(&spot, Looking::only(backups))?,
    };
    let step = Step::moved(from.path.clone(), to.path.clone(), what);
    // Nothing is taken away, so nothing needs to be kept.
    let made = call.change(step, None, &Source::Kept(backups))?;
    Ok(changed(
        format!("moved `{}` to `{}`", from.shown(), to.shown()),
        made,
    ))
}

/// Nothing may stand at the new place, its folder must be there, and it must not lie in what goes there.
pub(super) fn free(from: &Judged, to: &Judged) -> Result<(), FileToolError> {
    if to.path.starts_with(&from.path) {
        return Err(FileToolError::IntoItself {
            from: from.shown(),
            to: to.shown(),
        });
    }
    let spot = match Spot::of(&to.path) {
        Ok(spot) => spot,
        Err(PathError::Missing(folder)) => return Err(FileToolError::NoFolder(folder)),
        Err(PathError::Folder(_)) => return Err(FileToolError::Taken(to.shown())),
        Err(other) => return Err(other.into()),
    };
    match spot.stat()? {
        None => Ok(()),
        Some(found) => Err(FileToolError::TakenBy {
            path: to.shown(),
            what: open_nofollow::word(open_nofollow::kind(&found)),
        }),
    }
}
