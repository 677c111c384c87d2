//! Turns a walked path into the fact that the core judges.

use std::fs::{self, Metadata};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};

use sayso_core::analysis::fact::{Ignored, Owner, PathFact, PathKind};

use crate::canonical::{End, Walked, Walker, ancestor, parent};
use crate::case_rules::CaseRules;

/// The fact, except for whether git ignores the path. None if the metadata is out of reach.
pub(crate) fn path_fact(
    walked: Walked,
    walker: &Walker,
    case: &CaseRules,
    uid: u32,
) -> Option<PathFact> {
    let Walked {
        canonical,
        links,
        end,
    } = walked;
    let fact = |kind| PathFact {
        canonical: canonical.clone(),
        links: links.clone(),
        kind,
        hard_links: 1,
        owner: Owner::Other,
        writable_by_others: true,
        closed_to_others: true,
        case_insensitive: false,
        ignored: Ignored::Unknown,
        size: None,
    };
    match end {
        // Nothing is known of another process's files, so everything keeps its worst value.
        End::PerProcess => Some(fact(PathKind::Channel)),
        End::Missing(count) => {
            let folder = ancestor(&canonical, count);
            let metadata = fs::symlink_metadata(folder).ok()?;
            Some(PathFact {
                owner: owner(&metadata, uid),
                writable_by_others: writable_by_others(&metadata),
                closed_to_others: false,
                // Below a file there is no folder to try names in.
                case_insensitive: metadata.is_dir() && case.insensitive(walker, folder),
                ..fact(PathKind::Missing)
            })
        }
        End::Here(metadata) => {
            let kind = kind(&metadata);
            let folder = if kind == PathKind::Folder {
                canonical.as_str()
            } else {
                parent(&canonical)
            };
            Some(PathFact {
                hard_links: if kind == PathKind::File {
                    metadata.nlink()
                } else {
                    1
                },
                owner: owner(&metadata, uid),
                writable_by_others: writable_by_others(&metadata),
                closed_to_others: metadata.mode() & FOR_OTHERS_TO_READ == 0,
                case_insensitive: case.insensitive(walker, folder),
                size: (kind == PathKind::File).then_some(metadata.len()),
                ..fact(kind)
            })
        }
    }
}

const FOR_OTHERS_TO_READ: u32 = 0o004;

/// Whether group or others may change what stands there. In a sticky folder (`/tmp`) they can add names but not take over those of
/// others; the mode of a link means nothing.
pub(crate) fn writable_by_others(metadata: &Metadata) -> bool {
    const GROUP_AND_OTHERS: u32 = 0o022;
    const STICKY: u32 = 0o1000;
    let open = metadata.mode() & GROUP_AND_OTHERS != 0;
    open && !metadata.is_symlink() && !(metadata.is_dir() && metadata.mode() & STICKY != 0)
}

fn kind(metadata: &Metadata) -> PathKind {
    let kind = metadata.file_type();
    if kind.is_file() {
        PathKind::File
    } else if kind.is_dir() {
        PathKind::Folder
    } else if kind.is_symlink() {
        PathKind::Link
    } else if kind.is_fifo() || kind.is_socket() {
        PathKind::Channel
    } else {
        PathKind::Device
    }
}

fn owner(metadata: &Metadata, uid: u32) -> Owner {
    match metadata.uid() {
        // Also to an administrator, what the administrator owns is the system's.
        0 => Owner::Root,
        owner if owner == uid => Owner::Me,
        _ => Owner::Other,
    }
}
