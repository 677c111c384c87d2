//! Makes a folder, with those above it that are missing.

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use sayso_core::call::tool::Role;

use super::call::{Call, Judged};
use super::changed;
use super::error::FileToolError;
use super::write::{folder_mode, nested};
use crate::attributes::Attributes;
use crate::build::Source;
use crate::changes::Step;
use crate::open_nofollow::{self, PathError};
use crate::path_state::State;
use crate::result::ToolResult;

/// The deepest folder that is there, its path, and the names that are missing below it.
type Missing = (OwnedFd, PathBuf, Vec<OsString>);

/// What a mkdir has to make.
pub(super) fn missing(call: &Call<'_>) -> Result<(Judged, Missing), FileToolError> {
    let judged = call.path(Role::Path)?;
    let parents = call.flag(&["parents"])?.unwrap_or(true);
    let (folder, at, missing) =
        open_nofollow::deepest(&judged.path).map_err(|trouble| match trouble {
            PathError::NotFolder(path) if path == judged.path => {
                FileToolError::TakenByFile(judged.shown())
            }
            other => other.into(),
        })?;
    match missing.split_first() {
        Some((first, rest)) if !rest.is_empty() && !parents => {
            Err(FileToolError::NoParent(at.join(first)))
        }
        _ => Ok((judged, (folder, at, missing))),
    }
}

/// Runs a mkdir.
pub(super) fn mkdir(call: &Call<'_>) -> Result<ToolResult, FileToolError> {
    let (judged, (folder, at, missing)) = missing(call)?;
    let shown = judged.shown();
    let Some((first, rest)) = missing.split_first() else {
        return Ok(ToolResult::done(format!(
            "the folder `{shown}` is there already. nothing was changed"
        )));
    };
    let mode = folder_mode(call.kit, &folder)?;
    let step = Step::put(
        at.join(first),
        State::Absent,
        State::Folder {
            mode,
            inside: Some(nested(rest, mode)),
            attributes: Attributes::default(),
        },
    );
    let made = call.change(step, None, &Source::Kept(&call.kit.backups))?;
    let above = match rest.len() {
        0 => String::new(),
        count => format!(" with {count} above it"),
    };
    Ok(changed(format!("made the folder `{shown}`{above}"), made))
}
