//! What stood in a workspace at one moment, in a form that can be written down and compared.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustix::fs::Stat;
use sayso_core::text::digest::Digest;

use crate::attributes::Attributes;
use crate::open_nofollow::{Spot, mode};
use crate::path_state::State;

/// What a file system says of a file without opening it. A file that was written to has another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The disk.
    pub device: u64,
    /// Its number there.
    pub inode: u64,
    /// How many bytes.
    pub size: u64,
    /// When it was last written to, in nanoseconds since 1970.
    pub modified: i128,
    /// When anything about it last changed. No program can choose this.
    pub changed: i128,
}

/// What stands under one name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// A file that is kept.
    File {
        /// By which it is known again.
        identity: Identity,
        /// Its permission bits.
        mode: u32,
        /// How many names it has.
        names: u64,
        /// The digest of its bytes; none where it was not read.
        digest: Option<Digest>,
        /// Its extended attributes; they are read with its bytes.
        attributes: Attributes,
    },
    /// A folder. What is in it follows.
    Folder {
        /// Its permission bits.
        mode: u32,
        /// Its extended attributes.
        attributes: Attributes,
    },
    /// A link and what it says.
    Link(OsString),
    /// A pipe, a socket or a device.
    Special,
    /// Hidden from commands, so it is neither read nor kept.
    Hidden(Identity),
    /// Too large to be kept, so it is read-only for commands; a folder is not looked into.
    ReadOnly(Identity),
    /// A folder that can be made anew, so it is neither kept nor looked into.
    Rebuildable {
        /// By which it is known again.
        identity: Identity,
        /// The session that made it, where only that one may lose it.
        made_by: OsString,
    },
    /// A folder, with its permission bits, that cannot be looked into.
    Closed(u32),
    /// New, and one too many to be looked at.
    Unseen,
}

/// One name in the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The path below the workspace.
    pub path: PathBuf,
    /// What stands there.
    pub what: What,
}

/// All names of a workspace: each folder right before what is in it, and the names of a folder in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// The workspace.
    pub root: PathBuf,
    /// Its permission bits.
    pub mode: u32,
    /// Its extended attributes.
    pub attributes: Attributes,
    /// When the look at it began, in nanoseconds since 1970.
    pub taken: i128,
    /// What is in it.
    pub entries: Vec<Entry>,
}

/// A file that was written so shortly before it was looked at can be written again without a trace in its times, as some disks count in
/// whole seconds.
const TOO_FRESH: i128 = 2_000_000_000;

/// The time in nanoseconds since 1970.
pub fn now() -> i128 {
    let now = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    i128::try_from(now.as_nanos()).unwrap_or(i128::MAX)
}

impl Identity {
    /// Of what stands at a path.
    pub fn at(path: &Path) -> Option<Identity> {
        let found = Spot::of(path).ok()?.stat().ok()??;
        Some(Identity::of(&found))
    }

    /// From what the system says.
    #[allow(
        clippy::unnecessary_cast,
        clippy::useless_conversion,
        reason = "these numbers have other types on other systems"
    )]
    pub fn of(found: &Stat) -> Identity {
        const SECOND: i128 = 1_000_000_000;
        Identity {
            device: found.st_dev as u64,
            inode: found.st_ino as u64,
            size: u64::try_from(found.st_size).unwrap_or(0),
            modified: i128::from(found.st_mtime) * SECOND + found.st_mtime_nsec as i128,
            changed: i128::from(found.st_ctime) * SECOND + found.st_ctime_nsec as i128,
        }
    }
}

impl What {
    /// A file that was not read.
    #[allow(
        clippy::unnecessary_cast,
        reason = "this number has other types on other systems"
    )]
    pub fn file(found: &Stat) -> What {
        What::File {
            identity: Identity::of(found),
            mode: mode(found),
            names: found.st_nlink as u64,
            digest: None,
            attributes: Attributes::default(),
        }
    }

    /// Whether it can be brought back.
    pub fn is_kept(&self) -> bool {
        matches!(
            self,
            What::File { .. } | What::Folder { .. } | What::Link(_)
        )
    }

    /// As it is written down in a change, of a folder only itself.
    pub fn state(&self) -> State {
        match self {
            What::File {
                identity,
                mode,
                digest,
                attributes,
                ..
            } => State::File {
                digest: *digest,
                size: identity.size,
                mode: *mode,
                attributes: attributes.clone(),
            },
            What::Folder { mode, attributes } => State::Folder {
                mode: *mode,
                inside: None,
                attributes: attributes.clone(),
            },
            What::Closed(mode) => State::Folder {
                mode: *mode,
                inside: None,
                attributes: Attributes::default(),
            },
            What::Link(target) => State::Link {
                target: target.clone(),
            },
            What::Rebuildable { identity, .. } => State::Rebuildable {
                inode: identity.inode,
            },
            What::Special | What::Hidden(_) | What::ReadOnly(_) | What::Unseen => State::Special,
        }
    }
}

impl Listing {
    /// Whether a file with this identity may have been written to since without a trace in its times.
    pub fn is_too_fresh(&self, identity: &Identity) -> bool {
        identity.modified.max(identity.changed) >= self.taken - TOO_FRESH
    }

    /// The digests of all files in it.
    pub fn digests(&self) -> impl Iterator<Item = Digest> {
        self.entries.iter().filter_map(|entry| match &entry.what {
            What::File { digest, .. } => *digest,
            _ => None,
        })
    }

    /// What stands under a path.
    pub fn get(&self, path: &Path) -> Option<&What> {
        let found = self
            .entries
            .binary_search_by(|entry| entry.path.as_path().cmp(path));
        found
            .ok()
            .and_then(|index| self.entries.get(index))
            .map(|entry| &entry.what)
    }
}
