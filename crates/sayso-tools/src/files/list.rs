//! Lists what is in a folder.

use std::ffi::OsStr;
use std::path::Path;

use rustix::fs::{FileType, readlinkat};
use sayso_core::call::tool::Role;

use super::call::Call;
use super::error::FileToolError;
use super::output::Lines;
use super::pattern::Pattern;
use super::walk::{Entry, Flow, walk};
use crate::open_nofollow::{self, PathError};
use crate::result::ToolResult;

/// The most names that are given back if the call does not say.
const MOST_NAMES: usize = 2000;
/// The deepest folder of a list that goes into folders.
const DEEPEST: usize = 64;

/// Runs a list.
pub(super) fn list(call: &Call<'_>) -> Result<ToolResult, FileToolError> {
    let judged = call.path(Role::Path)?;
    let depth = match (call.flag(&["recursive"])?, call.number(&["depth"])?) {
        (_, Some((_, depth))) => depth.saturating_sub(1).min(DEEPEST),
        (Some(true), None) => DEEPEST,
        _ => 0,
    };
    let patterns = |names: &[&'static str]| -> Result<Vec<Pattern>, FileToolError> {
        call.texts(names)?
            .iter()
            .map(|text| Pattern::for_names(text))
            .collect()
    };
    let (only, not) = (patterns(&["pattern"])?, patterns(&["ignore"])?);
    let most = call
        .number(&["limit"])?
        .map_or(MOST_NAMES, |(_, most)| most);
    let skipped = call.number(&["offset"])?.map_or(0, |(_, skipped)| skipped);
    let folder = open_nofollow::names_of(&judged.path).map_err(|trouble| match trouble {
        PathError::NotFolder(path) if path == judged.path => {
            FileToolError::FileNotFolder(judged.shown())
        }
        other => other.into(),
    })?;
    let (mut lines, mut seen, mut more) = (Lines::default(), 0, false);
    let walked = walk(&folder, depth, &mut |entry| {
        if not.iter().any(|pattern| pattern.fits(entry.path)) {
            return Flow::Past;
        }
        if only.is_empty() || only.iter().any(|pattern| pattern.fits(entry.path)) {
            seen += 1;
            if lines.count >= most || lines.full {
                more = true;
                return Flow::Stop;
            }
            if seen > skipped {
                lines.add(&shown(entry));
            }
        }
        Flow::On
    });
    if walked.closed > 0 && lines.count == 0 && depth == 0 {
        return Err(FileToolError::Unlistable(judged.shown()));
    }
    let note = match (more || walked.cut || lines.full, lines.count) {
        (true, count) => Some(format!("{count} names, there are more")),
        (false, 0) => Some("empty".to_owned()),
        _ => None,
    };
    Ok(ToolResult::done(lines.with_note(note)))
}

fn shown(entry: &Entry<'_>) -> String {
    let path = entry.path.to_string_lossy();
    match entry.kind {
        FileType::Directory => format!("{path}/"),
        FileType::RegularFile => path.into_owned(),
        FileType::Symlink => {
            let target = readlinkat(entry.folder, entry.name, Vec::new())
                .map(|target| target.to_string_lossy().into_owned());
            format!("{path} -> {}", target.unwrap_or_default())
        }
        other => format!("{path} ({})", open_nofollow::word(other)),
    }
}

/// Whether a name is the folder of git's own data, which searches pass by.
pub(super) fn is_git(name: &OsStr) -> bool {
    Path::new(name) == Path::new(".git")
}
