//! Writes a file: new, whole, at the end, or in the middle. What it writes is what the prompt has shown.

use std::ffi::OsString;
use std::io::Read as _;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Stat, fstat};
use sayso_core::call::edit;
use sayso_core::call::operation::{MAX_BYTES, Operation};
use sayso_core::call::tool::{Kind, Role};
use sayso_core::text::digest::Digest;

use super::call::{Call, Judged};
use super::error::FileToolError;
use super::{Files, changed};
use crate::attributes::Attributes;
use crate::backups::Kept;
use crate::backups::size_words;
use crate::build::Source;
use crate::changes::Step;
use crate::open_nofollow::{self, PathError, Spot};
use crate::path_state::State;
use crate::result::ToolResult;

/// Where the content goes.
enum Place {
    /// Nothing is there: the deepest folder that is, its path, and the folders that are missing.
    New(OwnedFd, PathBuf, Vec<OsString>),
    /// A file is there.
    There(Spot, Stat),
}

/// Runs every tool that gives a file new content.
pub(super) fn write(call: &Call<'_>) -> Result<ToolResult, FileToolError> {
    let judged = call.path(Role::Path)?;
    match place(call, &judged)? {
        Place::New(folder, at, missing) => {
            new(call, &judged.path, &judged.shown(), (folder, at), missing)
        }
        Place::There(spot, found) => over(call, &spot, &found, &judged.shown()),
    }
}

/// Makes the new content and throws it away: whatever stands against it does so in the same words as when it runs.
pub(super) fn check(call: &Call<'_>) -> Result<(), FileToolError> {
    let judged = call.path(Role::Path)?;
    let shown = judged.shown();
    match place(call, &judged)? {
        Place::New(..) => text_of_new(call.operation, &shown).map(drop),
        Place::There(spot, found) => {
            let old = old(call, &spot, &found, &shown)?;
            content(
                call,
                old.as_ref().map(|(bytes, ..)| bytes.as_slice()),
                &shown,
            )
            .map(drop)
        }
    }
}

fn place(call: &Call<'_>, judged: &Judged) -> Result<Place, FileToolError> {
    let parent = judged
        .path
        .parent()
        .ok_or_else(|| PathError::Folder(judged.path.clone()))?;
    let (folder, at, missing) = open_nofollow::deepest(parent)?;
    let name = judged
        .path
        .file_name()
        .ok_or_else(|| PathError::Folder(judged.path.clone()))?
        .to_owned();
    if !missing.is_empty() {
        return Ok(Place::New(folder, at, missing));
    }
    let spot = Spot {
        folder,
        name,
        path: judged.path.clone(),
    };
    match spot.stat()? {
        None => Ok(Place::New(spot.folder, at, missing)),
        Some(_) if call.operation.kind() == Kind::FileCreate => {
            Err(FileToolError::CreatesOver(judged.shown()))
        }
        Some(found) => Ok(Place::There(spot, found)),
    }
}

fn text_of_new(operation: &Operation, shown: &str) -> Result<String, FileToolError> {
    match operation.kind() {
        // An edit of nothing makes a file, as the prompt says.
        Kind::FileEdit if edit::text(operation, Role::Find).is_empty() => {
            Ok(edit::text(operation, Role::Replace))
        }
        Kind::FileEdit | Kind::FileInsertAfter | Kind::FileInsertBefore => {
            Err(FileToolError::Missing(shown.to_owned()))
        }
        _ => Ok(edit::text(operation, Role::Content)),
    }
}

/// A file where nothing stands, with the folders that it needs.
fn new(
    call: &Call<'_>,
    path: &Path,
    shown: &str,
    (folder, at): (OwnedFd, PathBuf),
    missing: Vec<OsString>,
) -> Result<ToolResult, FileToolError> {
    let text = text_of_new(call.operation, shown)?;
    let kit = call.kit;
    let file = after(
        kit,
        text.as_bytes(),
        0o666 & !kit.umask,
        Attributes::default(),
    )?;
    let step = match missing.split_first() {
        None => Step::put(path.to_owned(), State::Absent, file),
        Some((first, rest)) => {
            let mode = folder_mode(kit, &folder)?;
            let name = path.file_name().unwrap_or_default();
            let mut inside = nested(rest, mode);
            inside.push((rest.iter().collect::<PathBuf>().join(name), file));
            Step::put(
                at.join(first),
                State::Absent,
                State::Folder {
                    mode,
                    inside: Some(inside),
                    attributes: Attributes::default(),
                },
            )
        }
    };
    let made = call.change(step, None, &Source::Bytes(text.as_bytes()))?;
    let folders = if missing.is_empty() {
        ""
    } else {
        ", and the folders for it"
    };
    Ok(changed(
        format!(
            "made `{shown}` ({}){folders}",
            size_words(text.len() as u64)
        ),
        made,
    ))
}

/// A new folder, without what is in it.
fn bare_folder(mode: u32) -> State {
    State::Folder {
        mode,
        inside: None,
        attributes: Attributes::default(),
    }
}

/// The folders below each other, for a state.
pub(super) fn nested(names: &[OsString], mode: u32) -> Vec<(PathBuf, State)> {
    let paths = (1..=names.len()).map(|count| names.iter().take(count).collect::<PathBuf>());
    paths.map(|path| (path, bare_folder(mode))).collect()
}

/// The permissions of a new folder; it belongs to the group of the folder it is in where that says so.
pub(super) fn folder_mode(kit: &Files, parent: &OwnedFd) -> Result<u32, FileToolError> {
    const BY_GROUP: u32 = 0o2000;
    let parent = fstat(parent).map_err(FileToolError::System)?;
    Ok(0o777 & !kit.umask | open_nofollow::mode(&parent) & BY_GROUP)
}

fn after(
    kit: &Files,
    bytes: &[u8],
    mode: u32,
    attributes: Attributes,
) -> Result<State, FileToolError> {
    // It is kept, too: a later look at what changed since needs it.
    let digest = match kit.backups.keep(&mut &*bytes)? {
        Kept::Yes(digest, _) => digest,
        Kept::TooLarge(_) => Digest::of_bytes(bytes),
    };
    Ok(State::File {
        digest: Some(digest),
        size: bytes.len() as u64,
        mode,
        attributes,
    })
}

/// A file that is there.
fn over(
    call: &Call<'_>,
    spot: &Spot,
    found: &Stat,
    shown: &str,
) -> Result<ToolResult, FileToolError> {
    let kit = call.kit;
    let size = u64::try_from(found.st_size).unwrap_or(0);
    let (old, before, unkept) = match old(call, spot, found, shown)? {
        None => {
            let (state, unkept) = kit.keep(spot)?;
            (None, state, unkept)
        }
        Some((bytes, mode, attributes)) => {
            let state = keep_bytes(kit, spot, &bytes, mode, attributes)?;
            (Some(bytes), state, None)
        }
    };
    let text = content(call, old.as_deref(), shown)?;
    let State::File {
        mode,
        ref attributes,
        ..
    } = before
    else {
        return Err(FileToolError::NoFileNow(shown.to_owned()));
    };
    // New content must not run with the rights that the old one had.
    const SET_IDS: u32 = 0o6000;
    let after = after(kit, &text, mode & !SET_IDS, attributes.without_rights())?;
    if before == after {
        return Ok(ToolResult::done(format!(
            "`{shown}` holds just that already. nothing was changed"
        )));
    }
    let step = Step::put(spot.path.clone(), before, after);
    let mut made = call.change(step, unkept, &Source::Bytes(&text))?;
    if found.st_nlink > 1 {
        made.remarks.push(format!(
            "it had {} names; only `{shown}` has the new content, the others keep the old one",
            found.st_nlink
        ));
    }
    let old = old.map_or_else(|| size_words(size), |old| size_words(old.len() as u64));
    Ok(changed(
        format!(
            "wrote `{shown}` ({old} before, {} now)",
            size_words(text.len() as u64)
        ),
        made,
    ))
}

/// What is in the file, and its permissions; none where it is too large and is replaced whole.
fn old(
    call: &Call<'_>,
    spot: &Spot,
    found: &Stat,
    shown: &str,
) -> Result<Option<(Vec<u8>, u32, Attributes)>, FileToolError> {
    if open_nofollow::kind(found) != FileType::RegularFile {
        open_nofollow::file(&spot.folder, &spot.name, &spot.path)?;
    }
    let replaces = matches!(
        call.operation.kind(),
        Kind::FileWrite | Kind::FileCreateOverwrite
    );
    let size = u64::try_from(found.st_size).unwrap_or(0);
    let most = call.kit.backups.limits().file.min(4 * MAX_BYTES as u64);
    match (size > most, replaces) {
        (true, true) => return Ok(None),
        (true, false) => {
            let path = shown.to_owned();
            return Err(FileToolError::TooLarge { path, size });
        }
        (false, _) => {}
    }
    let (file, found) = open_nofollow::file(&spot.folder, &spot.name, &spot.path)?;
    let attributes = Attributes::of(&file).map_err(FileToolError::System)?;
    let mut bytes = Vec::new();
    file.take(most + 1)
        .read_to_end(&mut bytes)
        .map_err(|source| FileToolError::Unreadable {
            path: open_nofollow::shown(&spot.path),
            source,
        })?;
    Ok(Some((bytes, open_nofollow::mode(&found), attributes)))
}

fn keep_bytes(
    kit: &Files,
    spot: &Spot,
    mut bytes: &[u8],
    mode: u32,
    attributes: Attributes,
) -> Result<State, FileToolError> {
    match kit.backups.keep(&mut bytes)? {
        Kept::Yes(digest, size) => Ok(State::File {
            digest: Some(digest),
            size,
            mode,
            attributes,
        }),
        Kept::TooLarge(_) => Err(FileToolError::Grew(spot.path.clone())),
    }
}

/// The new content, from the old one where that counts.
fn content(call: &Call<'_>, old: Option<&[u8]>, shown: &str) -> Result<Vec<u8>, FileToolError> {
    let operation = call.operation;
    let path = shown.to_owned();
    let text = old.map(std::str::from_utf8);
    match (operation.kind(), old, text) {
        (Kind::FileWrite | Kind::FileCreateOverwrite, ..) => {
            Ok(edit::text(operation, Role::Content).into_bytes())
        }
        // What is added to the end does not touch the rest, whatever that is.
        (Kind::FileAppend, Some(old), _) => {
            Ok([old, edit::text(operation, Role::Content).as_bytes()].concat())
        }
        (_, _, Some(Ok(text))) if text.len() > MAX_BYTES => Err(FileToolError::TooLarge {
            path,
            size: text.len() as u64,
        }),
        (_, _, Some(Ok(text))) if text.contains('\0') => Err(FileToolError::HoldsNul(path)),
        (_, _, Some(Ok(text))) => edit::over(operation, text)
            .map(String::into_bytes)
            .map_err(|why| FileToolError::Edit { path, why }),
        (_, _, Some(Err(_))) => Err(FileToolError::NotUtf8(path)),
        (_, _, None) => Err(FileToolError::FarTooLarge(path)),
    }
}
