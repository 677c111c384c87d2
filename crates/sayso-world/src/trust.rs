//! The list of project policy files that the person trusts, each bound to the digest of its content.
//!
//! `trusted.list` in the state folder has one line `sha256:… path` for each file. Only its owner may write it, it is replaced whole, and a
//! list that does not read strictly trusts nothing.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{
    DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use sayso_core::text::digest::Digest;
use sayso_core::text::visible::visible;
use thiserror::Error as ThisError;

use crate::bounded_file::{self, Content, FileError, LastLink, raw};

/// A trusted file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trusted {
    /// Absolute and free of links.
    pub path: String,
    /// The content that was trusted.
    pub digest: Digest,
}

/// Why the list cannot be relied on, or does not change.
#[derive(Debug, ThisError)]
#[expect(missing_docs, reason = "the message says it")]
pub enum TrustError {
    #[error("`{0}` is not an absolute path")]
    NotAbsolute(String),
    #[error("`{}` {source}", .path.display())]
    File { path: PathBuf, source: FileError },
    #[error("`{}` is a link", .0.display())]
    Link(PathBuf),
    #[error("`{}` is damaged", .0.display())]
    Damaged(PathBuf),
    #[error("`{}` belongs to somebody else", visible(&.0.to_string_lossy()))]
    NotOwn(PathBuf),
    #[error("`{}` can be written by others: look at what is in it, then run `chmod go-rwx` on it", visible(&.0.to_string_lossy()))]
    WritableByOthers(PathBuf),
    #[error("could not make a private folder in `{}`: {source}", visible(&.folder.to_string_lossy()))]
    MakeFolder { folder: PathBuf, source: io::Error },
    #[error("could not open the lock in `{}`: {}", .0.display(), .1)]
    OpenLock(PathBuf, #[source] io::Error),
    #[error("could not lock the list in `{}`: {}", .0.display(), .1)]
    Lock(PathBuf, #[source] io::Error),
    #[error("could not put the list aside in `{}`: {}", .0.display(), .1)]
    PutAside(PathBuf, #[source] io::Error),
    #[error("could not write the list in `{}`: {}", .0.display(), .1)]
    Write(PathBuf, #[source] io::Error),
    #[error("{reason}; nothing in it counts any more, and it is kept as `{}`: try again", .aside.display())]
    Unreliable {
        reason: Box<TrustError>,
        aside: PathBuf,
    },
    #[error("the list of trusted files is full; run `sayso policy untrust` for some")]
    Full,
}

const LIST: &str = "trusted.list";
const LONGEST: u64 = 4 * 1024 * 1024;

/// Whether the person trusts this content at this path (absolute, free of links).
pub fn is_trusted(state: &Path, path: &str, text: &str) -> bool {
    let digest = Digest::of_bytes(text.as_bytes());
    list(state).is_ok_and(|list| {
        list.iter()
            .any(|trusted| trusted.path == path && trusted.digest == digest)
    })
}

/// Trusts this content at this path, in place of any content trusted there before.
///
/// # Errors
/// When the path is not absolute or the list cannot be read or written.
pub fn trust(state: &Path, path: &str, text: &str) -> Result<(), TrustError> {
    if !path.starts_with('/') || path.contains('\0') {
        return Err(TrustError::NotAbsolute(path.to_owned()));
    }
    let digest = Digest::of_bytes(text.as_bytes());
    change(state, |list| {
        list.retain(|trusted| trusted.path != path);
        list.push(Trusted {
            path: path.to_owned(),
            digest,
        });
    })
}

/// Takes the trust back; true if there was any.
///
/// # Errors
/// When the list cannot be read or written.
pub fn untrust(state: &Path, path: &str) -> Result<bool, TrustError> {
    let mut found = false;
    change(state, |list| {
        let before = list.len();
        list.retain(|trusted| trusted.path != path);
        found = list.len() != before;
    })?;
    Ok(found)
}

/// All trusted files, sorted by path.
///
/// # Errors
/// When there is a list that cannot be relied on. Then nothing is trusted.
pub fn list(state: &Path) -> Result<Vec<Trusted>, TrustError> {
    let path = state.join(LIST);
    let unusable = |path: &Path, source| TrustError::File {
        path: path.to_owned(),
        source,
    };
    let (bytes, metadata) = match bounded_file::read(&path, LONGEST, LastLink::Refuse) {
        Content::Missing => return Ok(Vec::new()),
        Content::Bytes(bytes, metadata) => (bytes, metadata),
        Content::Link => return Err(TrustError::Link(path)),
        Content::Unusable(reason) => return Err(unusable(&path, reason)),
    };
    let folder = fs::metadata(state).map_err(|error| unusable(state, FileError::LookAt(error)))?;
    let me = rustix::process::geteuid().as_raw();
    for (metadata, path) in [(&metadata, path.as_path()), (&folder, state)] {
        check_own(path, metadata, me)?;
    }
    parse(&bytes).ok_or(TrustError::Damaged(path))
}

/// Refuses what belongs to somebody else or can be written by others, in the words that the record has for it.
fn check_own(path: &Path, metadata: &fs::Metadata, me: u32) -> Result<(), TrustError> {
    if metadata.uid() != me {
        return Err(TrustError::NotOwn(path.to_owned()));
    }
    if metadata.mode() & 0o022 != 0 {
        return Err(TrustError::WritableByOthers(path.to_owned()));
    }
    Ok(())
}

/// Changes the list while no other process does.
fn change(state: &Path, change: impl FnOnce(&mut Vec<Trusted>)) -> Result<(), TrustError> {
    let failed =
        |what: fn(PathBuf, io::Error) -> TrustError| move |error| what(state.to_owned(), error);
    make_private_folder(state)?;
    let lock = open_private(&state.join("trusted.lock")).map_err(failed(TrustError::OpenLock))?;
    lock.lock().map_err(failed(TrustError::Lock))?;
    let path = state.join(LIST);
    let mut trusted = match list(state) {
        Ok(trusted) => trusted,
        Err(reason) => {
            let aside = state.join("trusted.list.corrupt");
            fs::rename(&path, &aside).map_err(failed(TrustError::PutAside))?;
            return Err(TrustError::Unreliable {
                reason: Box::new(reason),
                aside,
            });
        }
    };
    change(&mut trusted);
    trusted.sort_by(|one, other| one.path.cmp(&other.path));
    let text: String = trusted
        .iter()
        .map(|trusted| format!("{} {}\n", trusted.digest, escape(&trusted.path)))
        .collect();
    if text.len() as u64 > LONGEST {
        return Err(TrustError::Full);
    }
    sayso_own_files::write(&path, text.as_bytes(), true)
        .map(drop)
        .map_err(|error| TrustError::Write(state.to_owned(), error.into()))
}

/// A folder that others could write in is refused: who knows what they put there. One that they can only read is hidden from them.
fn make_private_folder(folder: &Path) -> Result<(), TrustError> {
    let failed = |source| TrustError::MakeFolder {
        folder: folder.to_owned(),
        source,
    };
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(failed)?;
    let metadata = fs::metadata(folder).map_err(failed)?;
    check_own(folder, &metadata, rustix::process::geteuid().as_raw())?;
    if metadata.mode() & 0o077 != 0 {
        fs::set_permissions(folder, Permissions::from_mode(0o700)).map_err(failed)?;
    }
    Ok(())
}

/// A file that only its owner can read and write; links are not followed.
fn open_private(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .write(true)
        .mode(0o600)
        .custom_flags(raw(OFlags::NOFOLLOW | OFlags::NONBLOCK))
        .create(true)
        .truncate(false)
        .open(path)
}

/// None if anything is not just as [`change`] writes it.
fn parse(bytes: &[u8]) -> Option<Vec<Trusted>> {
    let text = std::str::from_utf8(bytes).ok()?;
    let mut list: Vec<Trusted> = Vec::new();
    for line in text.split_inclusive('\n') {
        let (digest, path) = line.strip_suffix('\n')?.split_once(' ')?;
        let trusted = Trusted {
            path: unescape(path)?,
            digest: Digest::parse(digest)?,
        };
        let in_order = list.last().is_none_or(|last| last.path < trusted.path);
        if !in_order || !trusted.path.starts_with('/') || trusted.digest.to_string() != digest {
            return None;
        }
        list.push(trusted);
    }
    Some(list)
}

fn escape(path: &str) -> String {
    path.replace('\\', "\\\\").replace('\n', "\\n")
}

fn unescape(text: &str) -> Option<String> {
    let mut path = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        path.push(match letter {
            '\\' => match letters.next()? {
                '\\' => '\\',
                'n' => '\n',
                _ => return None,
            },
            letter => letter,
        });
    }
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state() -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state/sayso");
        (folder, state)
    }

    #[test]
    fn trust_is_bound_to_path_and_content() {
        let (_folder, state) = state();
        let odd = "/w/a\\n\nb c/.sayso/policy.yaml";
        assert!(!is_trusted(&state, odd, "x"));
        trust(&state, odd, "x").unwrap();
        trust(&state, "/other", "y").unwrap();
        assert!(is_trusted(&state, odd, "x"));
        assert!(!is_trusted(&state, odd, "x "));
        assert!(!is_trusted(&state, "/other", "x"));
        trust(&state, odd, "z").unwrap();
        assert!(!is_trusted(&state, odd, "x"));
        assert_eq!(list(&state).unwrap().len(), 2);
        assert!(untrust(&state, odd).unwrap());
        assert!(!untrust(&state, odd).unwrap());
        assert!(!is_trusted(&state, odd, "z"));
        assert!(is_trusted(&state, "/other", "y"));
    }

    #[test]
    fn the_list_is_for_its_owner_only() {
        let (_folder, state) = state();
        trust(&state, "/w", "x").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
        assert_eq!(
            (
                mode(&state),
                mode(&state.join(LIST)),
                mode(&state.join("trusted.lock"))
            ),
            (0o700, 0o600, 0o600)
        );
        fs::set_permissions(state.join(LIST), Permissions::from_mode(0o622)).unwrap();
        assert!(!is_trusted(&state, "/w", "x"));
        assert!(list(&state).unwrap_err().to_string().contains("chmod"));
    }

    #[test]
    fn a_folder_that_others_can_write_in_is_refused_and_stays_as_it_is() {
        let (_folder, state) = state();
        trust(&state, "/w", "x").unwrap();
        fs::set_permissions(&state, Permissions::from_mode(0o777)).unwrap();
        for why in [
            trust(&state, "/v", "x").unwrap_err().to_string(),
            untrust(&state, "/w").unwrap_err().to_string(),
            list(&state).unwrap_err().to_string(),
        ] {
            assert!(
                why.contains("can be written by others: look at what is in it"),
                "{why}"
            );
        }
        assert!(!is_trusted(&state, "/w", "x"));
        assert_eq!(fs::metadata(&state).unwrap().mode() & 0o777, 0o777);
        // One that others can only read is hidden from them.
        fs::set_permissions(&state, Permissions::from_mode(0o755)).unwrap();
        trust(&state, "/v", "x").unwrap();
        assert_eq!(fs::metadata(&state).unwrap().mode() & 0o777, 0o700);
        assert!(is_trusted(&state, "/w", "x") && is_trusted(&state, "/v", "x"));
    }

    #[test]
    fn a_damaged_list_trusts_nothing_and_is_kept_aside() {
        let digest = Digest::of_bytes(b"x");
        let upper = digest
            .to_string()
            .to_uppercase()
            .replace("SHA256", "sha256");
        for damaged in [
            format!("{digest} /w"),
            format!("{digest} w\n"),
            format!("{digest} /w\n\n"),
            format!("{digest} /w\n{digest} /w\n"),
            format!("{digest} /w\\x\n"),
            format!("{upper} /w\n"),
            format!("{digest} /w\ngarbage\n"),
        ] {
            let (_folder, state) = state();
            trust(&state, "/w", "x").unwrap();
            fs::write(state.join(LIST), &damaged).unwrap();
            assert!(!is_trusted(&state, "/w", "x"), "{damaged}");
            assert!(
                trust(&state, "/w", "x")
                    .unwrap_err()
                    .to_string()
                    .contains("corrupt"),
                "{damaged}"
            );
            assert_eq!(
                fs::read_to_string(state.join("trusted.list.corrupt")).unwrap(),
                damaged
            );
            trust(&state, "/w", "x").unwrap();
            assert!(is_trusted(&state, "/w", "x"));
        }
    }

    #[test]
    fn a_link_in_place_of_the_list_is_not_followed() {
        let (folder, state) = state();
        trust(&state, "/w", "x").unwrap();
        let real = folder.path().join("real");
        fs::rename(state.join(LIST), &real).unwrap();
        std::os::unix::fs::symlink(&real, state.join(LIST)).unwrap();
        assert!(!is_trusted(&state, "/w", "x"));
    }

    #[test]
    fn writers_wait_for_each_other() {
        let (_folder, state) = state();
        std::thread::scope(|scope| {
            for number in 0..8 {
                let state = &state;
                scope.spawn(move || trust(state, &format!("/w{number}"), "x").unwrap());
            }
        });
        assert_eq!(list(&state).unwrap().len(), 8);
    }
}
