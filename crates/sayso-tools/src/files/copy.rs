//! Copies a file or a folder to a place where nothing stands. Links in a folder are copied as links.

use sayso_core::analysis::effect::EffectKind;
use sayso_core::call::tool::Role;

use super::call::{Call, Judged};
use super::changed;
use super::error::FileToolError;
use super::relocate::free;
use crate::attributes::Attributes;
use crate::backups::size_words;
use crate::build::Source;
use crate::changes::Step;
use crate::open_nofollow::{PathError, Spot};
use crate::path_state::State;
use crate::result::ToolResult;
use crate::tree::{self, Looking};

/// What a copy is about: from where and to where.
pub(super) fn copyable(call: &Call<'_>) -> Result<(Judged, Spot, Judged), FileToolError> {
    let from = call.path_of(Role::From, |effect| effect.kind == EffectKind::Read)?;
    let to = call.path_of(Role::To, |effect| effect.kind == EffectKind::Write)?;
    let spot = Spot::of(&from.path)?;
    free(&from, &to)?;
    match spot.stat()? {
        Some(_) => Ok((from, spot, to)),
        None => Err(FileToolError::Missing(from.shown())),
    }
}

/// Runs a copy.
pub(super) fn copy(call: &Call<'_>) -> Result<ToolResult, FileToolError> {
    let (from, spot, to) = copyable(call)?;
    let backups = &call.kit.backups;
    let seen = tree::look(&spot, Looking::only(backups))?;
    match &seen {
        State::Absent => return Err(FileToolError::Missing(from.shown())),
        // The path was judged through all links, so this one came later.
        State::Link { .. } => return Err(PathError::Link(from.path).into()),
        State::Special | State::Rebuildable { .. } => {
            return Err(FileToolError::Special(from.shown()));
        }
        State::Folder { inside, .. } => {
            let special = inside
                .iter()
                .flatten()
                .find(|(_, state)| *state == State::Special);
            if let Some((path, _)) = special {
                return Err(FileToolError::SpecialCopied(from.path.join(path)));
            }
        }
        State::File { .. } => {}
    }
    let what = words(&seen);
    let step = Step::put(
        to.path.clone(),
        State::Absent,
        as_copy(seen, call.kit.umask),
    );
    let made = call.change(step, None, &Source::Copy(&spot))?;
    Ok(changed(
        format!("copied `{}` to `{}` ({what})", from.shown(), to.shown()),
        made,
    ))
}

fn words(state: &State) -> String {
    let bytes = state.files().iter().map(|(_, size)| size).sum();
    match state {
        State::Folder { inside, .. } => format!(
            "a folder with {} in it, {}",
            inside.as_ref().map_or(0, Vec::len),
            size_words(bytes)
        ),
        _ => size_words(bytes),
    }
}

/// A copy belongs to whoever makes it, and has no more rights than a new file.
fn as_copy(state: State, umask: u32) -> State {
    let bits = |mode: u32| mode & 0o777 & !umask;
    match state {
        State::File {
            digest, size, mode, ..
        } => State::File {
            digest,
            size,
            mode: bits(mode),
            attributes: Attributes::default(),
        },
        State::Folder { mode, inside, .. } => {
            let inside = inside.map(|inside| {
                inside
                    .into_iter()
                    .map(|(path, state)| (path, as_copy(state, umask)))
                    .collect()
            });
            State::Folder {
                mode: bits(mode),
                inside,
                attributes: Attributes::default(),
            }
        }
        other => other,
    }
}
