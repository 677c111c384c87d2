//! Reads a small regular file without ever waiting: no pipe is opened to block on, no device is touched.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rustix::fs::OFlags;
use thiserror::Error as ThisError;

/// What a link as the last component of the path means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastLink {
    /// Read what it leads to.
    Follow,
    /// Do not read.
    Refuse,
}

/// What came of reading a file.
#[derive(Debug)]
pub enum Content {
    /// Nothing stands there.
    Missing,
    /// It is a link, and links are refused.
    Link,
    /// All of it, with the metadata of the very file that was read.
    Bytes(Vec<u8>, Metadata),
    /// Something is there, but cannot be used.
    Unusable(FileError),
}

/// Why a file cannot be used. Its name precedes this text.
#[derive(Debug, ThisError)]
#[expect(missing_docs, reason = "the message says it")]
pub enum FileError {
    #[error("is not a regular file")]
    NotRegular,
    #[error("is longer than {kib} KiB")]
    TooLong { kib: u64 },
    #[error("cannot be looked at: {0}")]
    LookAt(#[source] io::Error),
    #[error("cannot be opened: {0}")]
    Open(#[source] io::Error),
    #[error("cannot be read: {0}")]
    Read(#[source] io::Error),
}

/// The metadata of a path, or why there is none to work with.
pub(crate) enum Looked {
    /// Nothing stands there.
    Missing,
    /// It is a link, and links are refused.
    Link,
    /// A regular file.
    File(Metadata),
    /// Anything else.
    Unusable(FileError),
}

/// Looks at a path that should be a regular file.
pub(crate) fn look(path: &Path, last: LastLink) -> Looked {
    let metadata = match last {
        LastLink::Follow => fs::metadata(path),
        LastLink::Refuse => fs::symlink_metadata(path),
    };
    match metadata {
        Ok(metadata) if metadata.is_file() => Looked::File(metadata),
        Ok(metadata) if metadata.is_symlink() => Looked::Link,
        Ok(_) => Looked::Unusable(FileError::NotRegular),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Looked::Missing
        }
        Err(error) => Looked::Unusable(FileError::LookAt(error)),
    }
}

/// Reads a regular file of at most `limit` bytes.
pub fn read(path: &Path, limit: u64, last: LastLink) -> Content {
    match look(path, last) {
        Looked::Missing => return Content::Missing,
        Looked::Link => return Content::Link,
        Looked::Unusable(reason) => return Content::Unusable(reason),
        Looked::File(_) => {}
    }
    // The path may have become something else since: the flags keep the opening from waiting, and the handle is looked at again.
    let file = match open(path, last) {
        Ok(file) => file,
        Err(error) => return Content::Unusable(FileError::Open(error)),
    };
    let metadata = match file.metadata() {
        Ok(metadata) if metadata.is_file() => metadata,
        Ok(_) => return Content::Unusable(FileError::NotRegular),
        Err(error) => return Content::Unusable(FileError::LookAt(error)),
    };
    let too_long = || Content::Unusable(FileError::TooLong { kib: limit / 1024 });
    if metadata.len() > limit {
        return too_long();
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0));
    match file.take(limit.saturating_add(1)).read_to_end(&mut bytes) {
        Ok(length) if length as u64 > limit => too_long(),
        Ok(_) => Content::Bytes(bytes, metadata),
        Err(error) => Content::Unusable(FileError::Read(error)),
    }
}

/// Opens a file without waiting. What was opened has to be looked at: it may be a pipe or a device.
pub(crate) fn open(path: &Path, last: LastLink) -> io::Result<File> {
    let mut flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    if last == LastLink::Refuse {
        flags |= OFlags::NOFOLLOW;
    }
    OpenOptions::new()
        .read(true)
        .custom_flags(raw(flags))
        .open(path)
}

/// The flags as `OpenOptionsExt::custom_flags` takes them.
pub(crate) fn raw(flags: OFlags) -> i32 {
    i32::try_from(flags.bits()).unwrap_or(0)
}
