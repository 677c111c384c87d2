//! Finds files by a pattern of their names.

use std::path::Path;

use rustix::fs::FileType;
use sayso_core::analysis::tool_effects::start_of_glob;
use sayso_core::call::tool::Role;
use sayso_core::paths::alternatives_of;
use sayso_core::text::visible::visible;

use super::call::{Call, joined};
use super::error::FileToolError;
use super::list::is_git;
use super::output::Lines;
use super::pattern::Pattern;
use super::walk::{Flow, walk};
use crate::open_nofollow::{self, PathError, Spot};
use crate::result::ToolResult;

/// The most names that are given back if the call does not say.
const MOST_NAMES: usize = 1000;
const DEEPEST: usize = 64;

/// Runs a glob.
pub(super) fn glob(call: &Call<'_>) -> Result<ToolResult, FileToolError> {
    let base = call
        .operation
        .text(Role::Path)
        .filter(|text| !text.is_empty())
        .unwrap_or(".");
    let pattern = call.operation.text(Role::NamePattern).unwrap_or_default();
    let case_sensitive = call.flag(&["case_sensitive"])?.unwrap_or(true);
    let most = call
        .number(&["limit", "max_results", "head_limit"])?
        .map_or(MOST_NAMES, |(_, most)| most);
    let mut names: Vec<String> = Vec::new();
    let mut more = false;
    for choice in alternatives_of(pattern).map_err(FileToolError::Braces)? {
        more |= one(call, base, &choice, case_sensitive, most, &mut names)?;
    }
    names.sort_unstable();
    names.dedup();
    more |= names.len() > most;
    let mut lines = Lines::default();
    names.iter().take(most).for_each(|name| lines.add(name));
    let note = match (more || lines.full, lines.count) {
        (true, count) => Some(format!("{count} names, there are more")),
        (false, 0) => Some(format!("nothing fits `{}`", visible(pattern))),
        _ => None,
    };
    Ok(ToolResult::done(lines.with_note(note)))
}

/// One pattern without choices: the folder before its first wildcard is what was judged.
fn one(
    call: &Call<'_>,
    base: &str,
    pattern: &str,
    case_sensitive: bool,
    most: usize,
    names: &mut Vec<String>,
) -> Result<bool, FileToolError> {
    let (start, rest) = start_of_glob(base, pattern);
    if rest.contains(&"..") {
        return Err(FileToolError::ClimbsOut);
    }
    let judged = call.judged(&start, |_| true)?;
    let written = start.strip_prefix("./").unwrap_or(&start);
    if rest.is_empty() {
        let found = Spot::of(&judged.path)
            .ok()
            .and_then(|spot| spot.stat().ok().flatten());
        names.extend(found.map(|_| written.to_owned()));
        return Ok(false);
    }
    let wild = Pattern::parse(&rest.join("/"), case_sensitive)?;
    let folder = match open_nofollow::names_of(&judged.path) {
        Ok(folder) => folder,
        Err(PathError::Missing(_) | PathError::NotFolder(_)) => return Ok(false),
        Err(other) => return Err(other.into()),
    };
    let deep = if rest.contains(&"**") {
        DEEPEST
    } else {
        rest.len().saturating_sub(1)
    };
    let mut cut = false;
    let walked = walk(&folder, deep, &mut |entry| {
        if wild.fits(entry.path) {
            if names.len() > most {
                cut = true;
                return Flow::Stop;
            }
            let slash = if entry.kind == FileType::Directory {
                "/"
            } else {
                ""
            };
            names.push(format!("{}{slash}", joined(written, entry.path)));
        }
        if is_git(entry.name) && !rest.iter().any(|part| Path::new(part) == Path::new(".git")) {
            Flow::Past
        } else {
            Flow::On
        }
    });
    Ok(cut || walked.cut)
}
