//! Deletes a file or a link, and removes a folder, empty or with all that is in it.

use rustix::fs::{FileType, Stat};
use sayso_core::call::tool::Role;

use super::call::{Call, Judged};
use super::changed;
use crate::build::Source;
use crate::changes::Step;
use crate::open_nofollow::{self, Spot, Trouble};
use crate::path_state::State;
use crate::result::ToolResult;

/// The file or link that a delete is about.
pub(super) fn deletable(call: &Call<'_>) -> Result<(Judged, Spot, Stat), String> {
    let judged = call.path(Role::Path)?;
    let shown = judged.shown();
    let spot = Spot::of(&judged.path)?;
    let found = spot
        .stat()?
        .ok_or_else(|| format!("`{shown}` does not exist"))?;
    match open_nofollow::kind(&found) {
        FileType::RegularFile | FileType::Symlink => {}
        FileType::Directory => {
            return Err(format!(
                "`{shown}` is a folder, not a file; remove it with `file_rmdir`"
            ));
        }
        other => return Err(Trouble::Special(judged.path, open_nofollow::word(other)).to_string()),
    }
    Ok((judged, spot, found))
}

/// Deletes a file or a link.
pub(super) fn delete(call: &Call<'_>) -> Result<ToolResult, String> {
    let (judged, spot, found) = deletable(call)?;
    let shown = judged.shown();
    let (before, unkept) = call.kit.keep(&spot)?;
    let word = before.word();
    if !matches!(before, State::File { .. } | State::Link { .. }) {
        return Err(format!("`{shown}` was changed by somebody else meanwhile"));
    }
    let step = Step::put(judged.path, before, State::Absent);
    let mut made = call.kit.carry_out(
        call.about(),
        vec![step],
        unkept,
        &Source::Kept(&call.kit.backups),
    )?;
    if word == "a file" && found.st_nlink > 1 {
        made.remarks.push(format!(
            "it had {} names; the others are still there",
            found.st_nlink
        ));
    }
    Ok(changed(format!("deleted `{shown}` ({word})"), made))
}

/// The folder that a rmdir is about, and whether all that is in it goes, too.
pub(super) fn removable(call: &Call<'_>) -> Result<(Judged, Spot, bool), String> {
    let judged = call.path(Role::Path)?;
    let shown = judged.shown();
    let recursive = call.flag(&["recursive"])?.unwrap_or(false);
    let spot = Spot::of(&judged.path)?;
    let found = spot
        .stat()?
        .ok_or_else(|| format!("`{shown}` does not exist"))?;
    match open_nofollow::kind(&found) {
        FileType::Directory => {}
        FileType::Symlink => {
            return Err(format!(
                "`{shown}` is a link, not a folder; remove it with `file_delete`"
            ));
        }
        _ => {
            return Err(format!(
                "`{shown}` is not a folder; remove it with `file_delete`"
            ));
        }
    }
    if !recursive {
        let inner = open_nofollow::inner(&spot.folder, &spot.name, &spot.path)?;
        let names = crate::tree::names(&inner).map_err(open_nofollow::reason)?;
        if !names.is_empty() {
            return Err(format!(
                "`{shown}` is not empty ({} in it); say `recursive: true` to remove all of it",
                names.len()
            ));
        }
    }
    Ok((judged, spot, recursive))
}

/// Removes a folder.
pub(super) fn rmdir(call: &Call<'_>) -> Result<ToolResult, String> {
    let (judged, spot, recursive) = removable(call)?;
    let shown = judged.shown();
    let (before, unkept) = call.kit.keep(&spot)?;
    let State::Folder {
        inside: Some(inside),
        ..
    } = &before
    else {
        return Err(format!("`{shown}` was changed by somebody else meanwhile"));
    };
    if let Some((path, _)) = inside.iter().find(|(_, state)| *state == State::Special) {
        return Err(format!(
            "`{}` is a pipe, a socket or a device, which cannot be kept",
            open_nofollow::shown(&judged.path.join(path))
        ));
    }
    let count = inside.len();
    if count > 0 && !recursive {
        return Err(format!("`{shown}` was changed by somebody else meanwhile"));
    }
    let step = Step::put(judged.path, before, State::Absent);
    let made = call.kit.carry_out(
        call.about(),
        vec![step],
        unkept,
        &Source::Kept(&call.kit.backups),
    )?;
    let with = if count == 0 {
        String::new()
    } else {
        format!(" with {count} more in it")
    };
    Ok(changed(format!("removed the folder `{shown}`{with}"), made))
}
