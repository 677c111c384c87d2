//! Goes through a folder name by name, through no link, and only as far as it is let.

use std::ffi::OsStr;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::FileType;

use crate::open_nofollow;
use crate::tree::names;

/// The most names that one call looks at.
const MOST_NAMES: usize = 200_000;

/// One name.
pub(super) struct Entry<'a> {
    /// The folder it is in.
    pub folder: BorrowedFd<'a>,
    /// The name.
    pub name: &'a OsStr,
    /// The path below the start.
    pub path: &'a Path,
    /// What it is.
    pub kind: FileType,
}

/// How it goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    /// Into it, if it is a folder.
    On,
    /// Past it.
    Past,
    /// No further.
    Stop,
}

/// How far a walk came.
#[derive(Default)]
pub(super) struct Walked {
    looked_at: usize,
    /// Folders that could not be read.
    pub closed: usize,
    /// There is more than was looked at.
    pub cut: bool,
}

/// Goes through everything below a folder, at most `depth` folders deep.
pub(super) fn walk(
    top: &OwnedFd,
    depth: usize,
    visit: &mut dyn FnMut(&Entry<'_>) -> Flow,
) -> Walked {
    let mut walked = Walked::default();
    below(top, &PathBuf::new(), depth, visit, &mut walked);
    walked
}

fn below(
    folder: &OwnedFd,
    at: &Path,
    depth: usize,
    visit: &mut dyn FnMut(&Entry<'_>) -> Flow,
    walked: &mut Walked,
) -> bool {
    let Ok(names) = names(folder) else {
        walked.closed += 1;
        return true;
    };
    for name in names {
        walked.looked_at += 1;
        if walked.looked_at > MOST_NAMES {
            walked.cut = true;
            return false;
        }
        let Ok(Some(found)) = open_nofollow::stat(folder, &name) else {
            continue;
        };
        let path = at.join(&name);
        let kind = open_nofollow::kind(&found);
        match visit(&Entry {
            folder: folder.as_fd(),
            name: &name,
            path: &path,
            kind,
        }) {
            Flow::Stop => return false,
            Flow::On if kind == FileType::Directory && depth > 0 => {}
            _ => continue,
        }
        match open_nofollow::inner(folder, &name, &path) {
            Ok(open) if !below(&open, &path, depth - 1, visit, walked) => return false,
            Ok(_) => {}
            Err(_) => walked.closed += 1,
        }
    }
    true
}
