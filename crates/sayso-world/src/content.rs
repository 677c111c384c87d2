//! Reads a file, or the start of it, for a person to look at before they answer.

use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use thiserror::Error as ThisError;

use crate::bounded_file::{FileError, LastLink, Looked, look, open};
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

/// Why a file cannot be shown.
#[derive(Debug, ThisError)]
#[expect(missing_docs, reason = "the message says it")]
pub enum ContentError {
    #[error("`{0}` is another file in each process")]
    PerProcess(String),
    #[error("`{path}` {source}")]
    File { path: String, source: FileError },
}

/// Reads at most `most` bytes of a regular file; none if nothing stands there. The error says why it cannot be shown.
pub fn content(path: &str, most: u64) -> Result<Option<Content>, ContentError> {
    let file = Path::new(path);
    // Ours would be shown for what another process reads there.
    if matches!(
        Walker::default().walk("/", path, false),
        Some(Walked {
            end: End::PerProcess,
            ..
        })
    ) {
        return Err(ContentError::PerProcess(path.to_owned()));
    }
    let failed = |source| ContentError::File {
        path: path.to_owned(),
        source,
    };
    match look(file, LastLink::Follow) {
        Looked::Missing => return Ok(None),
        Looked::Unusable(why) => return Err(failed(why)),
        Looked::Link | Looked::File(_) => {}
    }
    let opened = open(file, LastLink::Follow).map_err(|error| failed(FileError::Open(error)))?;
    // It may have become something else since.
    let metadata = opened
        .metadata()
        .map_err(|error| failed(FileError::LookAt(error)))?;
    if !metadata.is_file() {
        return Err(failed(FileError::NotRegular));
    }
    let mut bytes = Vec::new();
    opened
        .take(most)
        .read_to_end(&mut bytes)
        .map_err(|error| failed(FileError::Read(error)))?;
    // A file that grows meanwhile is as large as what was read of it, at least.
    let size = metadata.len().max(bytes.len() as u64);
    Ok(Some(Content {
        bytes,
        size,
        executable: metadata.permissions().mode() & 0o111 != 0,
    }))
}
