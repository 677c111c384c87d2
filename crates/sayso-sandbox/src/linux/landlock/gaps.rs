//! What Landlock does not do, in words: on this kernel, and for this profile on any.

use std::path::PathBuf;

use sayso_core::policy::terms::Network;
use sayso_core::text::visible::visible;

use super::{UNCOUNTED, is_there, with_writable_above};
use crate::plan::{Kind, Seen};
use crate::profile::{Level, Profile};

/// So many names are told in one sentence.
const MOST_NAMES: usize = 6;

/// What a kernel with this version lacks, in words.
pub fn lacking(abi: Option<i32>) -> Vec<String> {
    let Some(abi) = abi else {
        return vec!["this kernel has no Landlock, or it is switched off: nothing of files and the network is guarded by it".to_owned()];
    };
    let parts = [
        (
            2,
            "files cannot be moved from one folder to another at all (Linux 5.19 could let that through)",
        ),
        (
            3,
            "files that can be opened by name can be emptied, even if they are read-only (Linux 6.2 guards that)",
        ),
        (
            4,
            "connections by TCP are only refused by the filter of system calls (Linux 6.7 guards them by itself)",
        ),
        (
            5,
            "devices that are open can be given every command (Linux 6.10 guards that)",
        ),
        (
            6,
            "signals to processes outside, and abstract sockets of theirs, are not guarded (Linux 6.12 guards them)",
        ),
        (
            9,
            "sockets of programs outside can be connected to by path (Linux 7.1 guards that)",
        ),
    ];
    parts
        .iter()
        .filter(|(since, _)| abi < *since)
        .map(|(_, words)| (*words).to_owned())
        .collect()
}

/// What of a profile Landlock cannot do, in words.
pub(super) fn not_covered(profile: &Profile, seen: &Seen) -> Vec<String> {
    let mut told = Vec::new();
    let kind = |path: &PathBuf| seen.get(path).copied().unwrap_or(Kind::Missing);
    // What would be less than the folder it is in, which is writable.
    let less = with_writable_above(profile)
        .filter(|(_, level, is_given)| *is_given && *level < Level::Write);
    let less: Vec<(&PathBuf, Level)> = less.map(|(path, level, _)| (path, level)).collect();
    let of = |wanted: &dyn Fn(Level, Kind) -> bool| -> Vec<&PathBuf> {
        less.iter()
            .filter(|(path, level)| wanted(*level, kind(path)))
            .map(|(path, _)| *path)
            .collect()
    };
    let sentences = [
        (
            of(&|level, kind| level < Level::Read && is_there(kind)),
            "can be read and written, though it should be hidden",
        ),
        (
            of(&|level, kind| level == Level::Read && is_there(kind)),
            "can be written, though it should be read-only",
        ),
        (
            of(&|_, kind| kind == Kind::Missing),
            "can be made, though it should stay absent",
        ),
        (
            profile.pinned.iter().collect(),
            "can be moved away, though it should stay",
        ),
    ];
    for (paths, words) in sentences.iter().filter(|(paths, _)| !paths.is_empty()) {
        told.push(format!("{} {words}", names(paths)));
    }
    if let Network::Hosts(hosts) = &profile.network {
        told.push(format!(
            "the network is refused: {} can only be let through by the full sandbox",
            list(hosts.iter().map(String::as_str))
        ));
    }
    if profile.limits.processes.is_some() && rustix::process::getuid().is_root() {
        told.push(UNCOUNTED.to_owned());
    }
    for always in [
        "other processes and their command lines can be seen",
        "modes, owners and times of files can be changed that the user could change, also outside",
        "that a file is there, and how large it is, can be asked of every path",
        "there is no shared memory by name, and no new terminal: `/dev/shm` and `/dev/pts` belong to everybody",
    ] {
        told.push(always.to_owned());
    }
    told
}

fn names(paths: &[&PathBuf]) -> String {
    let texts: Vec<String> = paths
        .iter()
        .map(|path| path.to_string_lossy().into_owned())
        .collect();
    list(texts.iter().map(String::as_str))
}

/// The first few, quoted, and how many more there are.
fn list<'a>(all: impl Iterator<Item = &'a str>) -> String {
    let all: Vec<String> = all.map(|one| format!("`{}`", visible(one))).collect();
    let first = all
        .iter()
        .take(MOST_NAMES)
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join(", ");
    match all.len().saturating_sub(MOST_NAMES) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}
