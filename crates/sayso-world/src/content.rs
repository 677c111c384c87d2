//! Reads a file, or the start of it, for a person to look at before they answer.

use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::bounded_file::{LastLink, Looked, look, open};
use crate::canonical::{End, Walked, Walker};

/// The content of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// Its bytes, or the first of them.
    pub bytes: Vec<u8>,
    /// Its size.
    pub size: u64,
    /// Whether anybody may execute it.
    pub executable: bool,
}

/// Reads at most `most` bytes of a regular file; none if nothing stands there. The error says why it cannot be shown.
pub fn content(path: &str, most: u64) -> Result<Option<Content>, String> {
    let file = Path::new(path);
    // Ours would be shown for what another process reads there.
    if matches!(
        Walker::default().walk("/", path, false),
        Some(Walked {
            end: End::PerProcess,
            ..
        })
    ) {
        return Err(format!("`{path}` is another file in each process"));
    }
    match look(file, LastLink::Follow) {
        Looked::Missing => return Ok(None),
        Looked::Unusable(why) => return Err(format!("`{path}` {why}")),
        Looked::Link | Looked::File(_) => {}
    }
    let cannot = |what: &str, error: std::io::Error| format!("`{path}` cannot be {what}: {error}");
    let opened = open(file, LastLink::Follow).map_err(|error| cannot("opened", error))?;
    // It may have become something else since.
    let metadata = opened
        .metadata()
        .map_err(|error| cannot("looked at", error))?;
    if !metadata.is_file() {
        return Err(format!("`{path}` is not a regular file"));
    }
    let mut bytes = Vec::new();
    opened
        .take(most)
        .read_to_end(&mut bytes)
        .map_err(|error| cannot("read", error))?;
    // A file that grows meanwhile is as large as what was read of it, at least.
    let size = metadata.len().max(bytes.len() as u64);
    Ok(Some(Content {
        bytes,
        size,
        executable: metadata.permissions().mode() & 0o111 != 0,
    }))
}
