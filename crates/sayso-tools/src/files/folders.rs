//! Makes a folder, with those above it that are missing.

use sayso_core::tool::Role;

use super::call::Call;
use super::changed;
use super::write::{folder_mode, nested};
use crate::beneath::{self, Trouble};
use crate::changes::Step;
use crate::making::Source;
use crate::result::ToolResult;
use crate::state::State;

/// Runs a mkdir.
pub(super) fn mkdir(call: &Call<'_>) -> Result<ToolResult, String> {
    let judged = call.path(Role::Path)?;
    let shown = judged.shown();
    let parents = call.flag(&["parents"])?.unwrap_or(true);
    let (folder, at, missing) = beneath::deepest(&judged.path).map_err(|trouble| match trouble {
        Trouble::NotFolder(path) if path == judged.path => format!("`{shown}` is there already, and is not a folder"),
        other => other.to_string(),
    })?;
    let Some((first, rest)) = missing.split_first() else {
        return Ok(ToolResult::done(format!("the folder `{shown}` is there already. nothing was changed")));
    };
    if !rest.is_empty() && !parents {
        return Err(format!("the folder `{}` does not exist, and `parents` is false", beneath::shown(&at.join(first))));
    }
    let mode = folder_mode(call.kit, &folder)?;
    let step = Step::put(at.join(first), State::Absent, State::Folder { mode, inside: Some(nested(rest, mode)) });
    let made = call.kit.carry_out(call.about(), vec![step], None, &Source::Kept(&call.kit.backups))?;
    let above = match rest.len() {
        0 => String::new(),
        count => format!(" with {count} above it"),
    };
    Ok(changed(format!("made the folder `{shown}`{above}"), made))
}
