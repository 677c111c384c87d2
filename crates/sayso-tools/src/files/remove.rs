//! Deletes a file or a link, and removes a folder, empty or with all that is in it.

use rustix::fs::{FileType, Stat};
use sayso_core::call::tool::Role;

use super::call::{Call, Judged};
use super::changed;
use super::error::FileToolError;
use crate::build::Source;
use crate::changes::Step;
use crate::open_nofollow::{self, PathError, Spot};
use crate::path_state::State;
use crate::result::ToolResult;

/// The file or link that a delete is about.
pub(super) fn deletable(call: &Call<'_>) -> Result<(Judged, Spot, Stat), FileToolError> {
    let judged = call.path(Role::Path)?;
    let shown = judged.shown();
    let spot = Spot::of(&judged.path)?;
    let found = spot
        .stat()?
        .ok_or_else(|| FileToolError::Missing(shown.clone()))?;
    match open_nofollow::kind(&found) {
        FileType::RegularFile | FileType::Symlink => {}
        FileType::Directory => return Err(FileToolError::DeletesFolder(shown)),
        other => return Err(PathError::Special(judged.path, open_nofollow::word(other)).into()),
    }
    Ok((judged, spot, found))
}

/// Deletes a file or a link.
pub(super) fn delete(call: &Call<'_>) -> Result<ToolResult, FileToolError> {
    let (judged, spot, found) = deletable(call)?;
    let shown = judged.shown();
    let (before, unkept) = call.kit.keep(&spot)?;
    let word = before.word();
    if !matches!(before, State::File { .. } | State::Link { .. }) {
        return Err(FileToolError::Changed(shown));
    }
    let step = Step::put(judged.path, before, State::Absent);
    let mut made = call.change(step, unkept, &Source::Kept(&call.kit.backups))?;
    if word == "a file" && found.st_nlink > 1 {
        made.remarks.push(format!(
            "it had {} names; the others are still there",
            found.st_nlink
        ));
    }
    Ok(changed(format!("deleted `{shown}` ({word})"), made))
}

/// The folder that a rmdir is about, and whether all that is in it goes, too.
pub(super) fn removable(call: &Call<'_>) -> Result<(Judged, Spot, bool), FileToolError> {
    let judged = call.path(Role::Path)?;
    let shown = judged.shown();
    let recursive = call.flag(&["recursive"])?.unwrap_or(false);
    let spot = Spot::of(&judged.path)?;
    let found = spot
        .stat()?
        .ok_or_else(|| FileToolError::Missing(shown.clone()))?;
    match open_nofollow::kind(&found) {
        FileType::Directory => {}
        FileType::Symlink => return Err(FileToolError::RemovesLink(shown)),
        _ => return Err(FileToolError::RemovesFile(shown)),
    }
    if !recursive {
        let inner = open_nofollow::inner(&spot.folder, &spot.name, &spot.path)?;
        let names = crate::tree::names(&inner).map_err(FileToolError::System)?;
        if !names.is_empty() {
            return Err(FileToolError::NotEmpty {
                path: shown,
                count: names.len(),
            });
        }
    }
    Ok((judged, spot, recursive))
}

/// Removes a folder.
pub(super) fn rmdir(call: &Call<'_>) -> Result<ToolResult, FileToolError> {
    let (judged, spot, recursive) = removable(call)?;
    let shown = judged.shown();
    let (before, unkept) = call.kit.keep(&spot)?;
    let State::Folder {
        inside: Some(inside),
        ..
    } = &before
    else {
        return Err(FileToolError::Changed(shown));
    };
    if let Some((path, _)) = inside.iter().find(|(_, state)| *state == State::Special) {
        return Err(FileToolError::SpecialRemoved(judged.path.join(path)));
    }
    let count = inside.len();
    if count > 0 && !recursive {
        return Err(FileToolError::Changed(shown));
    }
    let step = Step::put(judged.path, before, State::Absent);
    let made = call.change(step, unkept, &Source::Kept(&call.kit.backups))?;
    let with = if count == 0 {
        String::new()
    } else {
        format!(" with {count} more in it")
    };
    Ok(changed(format!("removed the folder `{shown}`{with}"), made))
}
