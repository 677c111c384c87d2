//! What of a workspace is left out because there is too much of it: what git ignores, and packs of git. Commands get it read-only.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use crate::backups::Limits;
use crate::change_error::{CannotKeep, NotKept, TooMuch};
use crate::keep_rules::{Git, KeepLimits, Rules};
use crate::listing::{Entry, Identity, Listing, What};

/// The most files and folders that are made read-only for a command.
const MAX_READ_ONLY: usize = 64;
/// A file below this size does not make room by itself.
const SMALL: u64 = 64 << 10;

/// How much something holds that could be left out.
#[derive(Clone, Copy, Debug, Default)]
struct Weight {
    names: usize,
    bytes: u64,
}

/// The folders that git ignores and that are left out so that at least so many names less are kept.
pub(crate) fn folders_for_room(
    root: &Path,
    entries: &[Entry],
    too_many: usize,
    most: usize,
    rules: Rules<'_>,
) -> Result<BTreeMap<PathBuf, Identity>, NotKept> {
    let mut weights: Vec<(PathBuf, Weight)> =
        ignored(root, entries, rules, true).into_iter().collect();
    weights.sort_by_key(|(_, weight)| weight.names);
    let (mut freed, mut sealed) = (0, BTreeMap::new());
    while freed < too_many {
        let Some((path, weight)) = weights.pop() else {
            return Err(TooMuch::Names { most }.into());
        };
        freed += weight.names;
        sealed.extend(Identity::at(&root.join(&path)).map(|identity| (path, identity)));
    }
    Ok(sealed)
}

/// Leaves out what is too large to be kept and ignored by git. Then everything in the listing is fit to be kept.
///
/// # Errors
/// If something that git does not ignore is too large, or reaches out of the workspace.
pub(crate) fn reduce(
    listing: &mut Listing,
    limits: KeepLimits,
    backups: Limits,
    rules: Rules<'_>,
) -> Result<(), NotKept> {
    let mut sealed: BTreeMap<PathBuf, Identity> = BTreeMap::new();
    let mut total = 0_u64;
    let mut several: HashMap<(u64, u64), (u64, Vec<&Entry>)> = HashMap::new();
    for entry in &listing.entries {
        let What::File {
            identity, names, ..
        } = &entry.what
        else {
            continue;
        };
        if identity.size > backups.file {
            let path = listing.root.join(&entry.path);
            if !may_be_left_out(&path, &entry.path, rules) {
                let (size, most) = (identity.size, backups.file);
                return Err(TooMuch::File { path, size, most }.into());
            }
            sealed.insert(entry.path.clone(), *identity);
            continue;
        }
        total = total.saturating_add(identity.size);
        if *names > 1 && !is_object(&entry.path) {
            let more = several
                .entry((identity.device, identity.inode))
                .or_insert((*names, Vec::new()));
            more.0 = more.0.saturating_sub(1);
            more.1.push(entry);
        }
    }
    // A command that writes to a file with another name outside writes there, too.
    let outside = several
        .values()
        .filter(|(more, _)| *more > 0)
        .flat_map(|(_, entries)| entries);
    let outside: BTreeMap<&Path, &Entry> = outside
        .map(|entry| (entry.path.as_path(), *entry))
        .collect();
    for (path, entry) in outside {
        let whole = listing.root.join(path);
        match &entry.what {
            What::File { identity, .. } if may_be_left_out(&whole, path, rules) => {
                sealed.insert(path.to_owned(), *identity);
                total = total.saturating_sub(identity.size);
            }
            _ => return Err(CannotKeep::OtherName(whole).into()),
        }
    }
    if total > limits.bytes {
        let mut weights: Vec<(PathBuf, Weight)> =
            ignored(&listing.root, &listing.entries, rules, false)
                .into_iter()
                .collect();
        weights.sort_by_key(|(_, weight)| weight.bytes);
        while total > limits.bytes {
            let (Some((path, weight)), most) = (weights.pop(), limits.bytes) else {
                let most = limits.bytes;
                return Err(TooMuch::Bytes { total, most }.into());
            };
            if weight.bytes == 0 {
                return Err(TooMuch::Bytes { total, most }.into());
            }
            total = total.saturating_sub(weight.bytes);
            sealed.extend(Identity::at(&listing.root.join(&path)).map(|identity| (path, identity)));
        }
    }
    seal(listing, sealed, rules)
}

/// Puts read-only entries in place of what is left out.
fn seal(
    listing: &mut Listing,
    mut sealed: BTreeMap<PathBuf, Identity>,
    rules: Rules<'_>,
) -> Result<(), NotKept> {
    if sealed.is_empty() {
        return Ok(());
    }
    if sealed.len() > MAX_READ_ONLY {
        let tops = ignored(&listing.root, &listing.entries, rules, false);
        let top = |path: PathBuf| {
            let above = path.ancestors().find(|above| tops.contains_key(*above));
            let path = above.map_or(path.clone(), Path::to_owned);
            Some((Identity::at(&listing.root.join(&path))?, path))
        };
        let tops = sealed.into_keys().filter_map(top);
        sealed = tops.map(|(identity, path)| (path, identity)).collect();
    }
    if sealed.len() > MAX_READ_ONLY {
        return Err(TooMuch::ReadOnly {
            most: MAX_READ_ONLY,
        }
        .into());
    }
    let is_in = |path: &Path| {
        path.ancestors()
            .skip(1)
            .any(|above| sealed.contains_key(above))
    };
    listing.entries.retain(|entry| !is_in(&entry.path));
    for entry in &mut listing.entries {
        if let Some(identity) = sealed.get(&entry.path) {
            entry.what = What::ReadOnly(*identity);
        }
    }
    Ok(())
}

/// Whether a file need not be kept if it is read-only for the command instead.
pub(crate) fn may_be_left_out(whole: &Path, path: &Path, rules: Rules<'_>) -> bool {
    is_object(path) || (rules.git)(whole, false) == Git::Ignores
}

/// Whether it is an object or a pack of git, which never changes and has a name for its content.
fn is_object(path: &Path) -> bool {
    let mut names = path.iter();
    names.by_ref().any(|name| name == ".git") && names.any(|name| name == "objects")
}

/// The topmost folders and files that git ignores, and packs of git, with what they hold.
fn ignored(
    root: &Path,
    entries: &[Entry],
    rules: Rules<'_>,
    only_folders: bool,
) -> BTreeMap<PathBuf, Weight> {
    let mut all: BTreeMap<PathBuf, Weight> = BTreeMap::new();
    let mut last: Option<&Path> = None;
    for Entry { path, what } in entries {
        let size = match what {
            What::File { identity, .. } => identity.size,
            What::Folder { .. } => 0,
            _ => continue,
        };
        let is_folder = matches!(what, What::Folder { .. });
        let top = match last.filter(|last| path.starts_with(last)) {
            Some(top) => top,
            // To ask of each file is dear, and small ones do not matter.
            None if !is_folder && (only_folders || size < SMALL) => continue,
            None if path.iter().any(|name| name == ".git") => {
                if is_folder || !is_object(path) {
                    continue;
                }
                path
            }
            None if (rules.git)(&root.join(path), is_folder) == Git::Ignores => {
                last = Some(path);
                path
            }
            None => continue,
        };
        let weight = all.entry(top.to_owned()).or_default();
        weight.names += 1;
        weight.bytes = weight.bytes.saturating_add(size);
    }
    all
}
