//! Moves a file, a link or a folder to a place where nothing stands.

use rustix::fs::{FileType, Stat};
use sayso_core::call::tool::Role;

use super::call::{Call, Judged};
use super::changed;
use crate::build::Source;
use crate::changes::Step;
use crate::open_nofollow::{self, Spot, Trouble};
use crate::replace::shallow;
use crate::result::ToolResult;
use crate::tree::{self, Looking};

/// What a move is about: from where, what is there, and to where.
pub(super) fn movable(call: &Call<'_>) -> Result<(Judged, Spot, Stat, Judged), String> {
    let from = call.path_of(Role::From, |effect| effect.manner.moved_away)?;
    let to = call.path_of(Role::To, |effect| !effect.manner.moved_away)?;
    let spot = Spot::of(&from.path)?;
    let found = spot
        .stat()?
        .ok_or_else(|| format!("`{}` does not exist", from.shown()))?;
    free(&from, &to)?;
    match open_nofollow::kind(&found) {
        FileType::Directory | FileType::RegularFile | FileType::Symlink => {
            Ok((from, spot, found, to))
        }
        other => Err(Trouble::Special(from.path, open_nofollow::word(other)).to_string()),
    }
}

/// Runs a move.
pub(super) fn relocate(call: &Call<'_>) -> Result<ToolResult, String> {
    let (from, spot, found, to) = movable(call)?;
    let backups = &call.kit.backups;
    let what = match open_nofollow::kind(&found) {
        FileType::Directory => shallow(&spot)?,
        _ => tree::look(
            &spot,
            Looking {
                backups,
                keep: false,
                read: backups.limits().file,
            },
        )?,
    };
    let step = Step::moved(from.path.clone(), to.path.clone(), what);
    // Nothing is taken away, so nothing needs to be kept.
    let made = call
        .kit
        .carry_out(call.about(), vec![step], None, &Source::Kept(backups))?;
    Ok(changed(
        format!("moved `{}` to `{}`", from.shown(), to.shown()),
        made,
    ))
}

/// Nothing may stand at the new place, its folder must be there, and it must not lie in what goes there.
pub(super) fn free(from: &Judged, to: &Judged) -> Result<(), String> {
    if to.path.starts_with(&from.path) {
        return Err(format!(
            "`{}` cannot go into itself (`{}`)",
            from.shown(),
            to.shown()
        ));
    }
    let spot = match Spot::of(&to.path) {
        Ok(spot) => spot,
        Err(Trouble::Missing(folder)) => {
            return Err(format!(
                "the folder `{}` does not exist; make it with `file_mkdir` first",
                open_nofollow::shown(&folder)
            ));
        }
        Err(Trouble::Folder(_)) => return Err(format!("`{}` is there already", to.shown())),
        Err(other) => return Err(other.to_string()),
    };
    match spot.stat()? {
        None => Ok(()),
        Some(found) => Err(format!(
            "`{}` is there already ({}); name a path where nothing is",
            to.shown(),
            open_nofollow::word(open_nofollow::kind(&found))
        )),
    }
}
