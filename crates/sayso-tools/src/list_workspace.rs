//! Goes through a workspace and lists what stands in it, without reading any file: through no link, and onto no other disk.
//!
//! What can be rebuilt is left out as a whole. Where there is too much, what git ignores is left out as well and is read-only for commands.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::fs::fstat;

pub use crate::change_error::NotKept;
use crate::change_error::{CannotKeep, TooMuch};
pub use crate::keep_rules::{Git, Rules};
use crate::listing::{Entry, Identity, Listing, What, now};
use crate::open_nofollow::{self, PathError, mode};
use crate::rebuildable::Rebuilt;
use crate::too_large;
use crate::walk_folders::{Apart, Inside, MAX_DEPTH, Round, Trouble, Walk};

/// What is put together from the rounds of a walk.
struct Found<'a> {
    root: &'a Path,
    rules: Rules<'a>,
    session: &'a OsStr,
    earlier: Option<&'a Listing>,
    is_after: bool,
    folders: HashMap<PathBuf, Inside>,
    /// What stands for a whole folder or file that is not kept.
    instead: HashMap<PathBuf, What>,
}

/// What stands in a workspace before a command of a session. Everything that is listed as kept is fit to be kept; the last listing tells
/// what was kept before, so that it is kept again.
///
/// # Errors
/// If there are more than `most` names that git does not ignore, or something cannot be looked at.
pub fn before(
    root: &Path,
    most: usize,
    rules: Rules<'_>,
    last: Option<&Listing>,
    session: &OsStr,
) -> Result<Listing, NotKept> {
    walk(root, most, rules, last, session, false)
}

/// What stands in a workspace after a command. Whatever the command did to the ignore files, what was kept before it is looked at; of
/// what is new, `most` names are.
///
/// # Errors
/// If the workspace itself cannot be looked at.
pub fn after(
    listing: &Listing,
    most: usize,
    rules: Rules<'_>,
    session: &OsStr,
) -> Result<Listing, NotKept> {
    let most = listing.entries.len() + most;
    walk(&listing.root, most, rules, Some(listing), session, true)
}

fn walk(
    root: &Path,
    most: usize,
    rules: Rules<'_>,
    earlier: Option<&Listing>,
    session: &OsStr,
    is_after: bool,
) -> Result<Listing, NotKept> {
    let taken = now();
    let open = open_nofollow::names_of(root)?;
    let top = fstat(&open).map_err(|error| PathError::System(root.to_owned(), error))?;
    let walk = Walk {
        root,
        open,
        device: Identity::of(&top).device,
        apart: apart(root, rules, earlier),
        earlier,
        is_after,
        most,
        count: AtomicUsize::new(0),
    };
    let mut found = Found {
        root,
        rules,
        session,
        earlier,
        is_after,
        folders: HashMap::new(),
        instead: HashMap::new(),
    };
    let mut next = vec![PathBuf::new()];
    while !next.is_empty() {
        let round = walk.round(next);
        next = found.take(round)?;
        let too_many = walk.count.load(Ordering::Relaxed).saturating_sub(most);
        if !is_after && too_many > 0 {
            next = found.leave_out(too_many, most, next)?;
            let kept = found.entries();
            let kept = kept.iter().filter(|entry| entry.what.is_kept()).count();
            walk.count.store(kept, Ordering::Relaxed);
        }
    }
    let attributes = match found.folders.get(Path::new("")) {
        Some(inside) => inside.attributes.clone(),
        // It was opened above, so it was closed in this moment.
        None => return Err(CannotKeep::Path(PathError::Missing(root.to_owned())).into()),
    };
    Ok(Listing {
        root: root.to_owned(),
        mode: mode(&top),
        attributes,
        taken,
        entries: found.entries(),
    })
}

/// What is not looked into, by the folder it is in.
fn apart(
    root: &Path,
    rules: Rules<'_>,
    earlier: Option<&Listing>,
) -> HashMap<PathBuf, Vec<(OsString, Apart)>> {
    let mut all: HashMap<PathBuf, Vec<(OsString, Apart)>> = HashMap::new();
    let mut add = |path: &Path, apart: Apart| {
        if let (Some(folder), Some(name)) = (path.parent(), path.file_name()) {
            let names = all.entry(folder.to_owned()).or_default();
            names.push((name.to_owned(), apart));
        }
    };
    for path in rules.hidden {
        if let Ok(path) = path.strip_prefix(root) {
            add(path, Apart::Hidden);
        }
    }
    for entry in earlier.iter().flat_map(|earlier| &earlier.entries) {
        match &entry.what {
            What::ReadOnly(identity) => add(&entry.path, Apart::ReadOnly(*identity)),
            What::Hidden(_) => add(&entry.path, Apart::WasHidden),
            _ => {}
        }
    }
    all
}

impl Found<'_> {
    /// Takes what a round found, and says what is to be looked at next.
    fn take(&mut self, round: Round) -> Result<Vec<PathBuf>, NotKept> {
        let mut next = round.unvisited;
        self.folders.extend(round.folders);
        for (path, identity, how) in round.candidates {
            match self.rebuildable(&path, identity, how) {
                Some(what) => drop(self.instead.insert(path, what)),
                None => next.push(path),
            }
        }
        for (path, trouble) in round.troubles {
            let instead = match trouble {
                Trouble::Path(PathError::Missing(_)) => None,
                _ if self.is_after => Some(What::Closed(self.mode_of(&path))),
                trouble => Some(self.refused(&path, trouble)?),
            };
            // What is gone leaves no trace, as any name that is not there.
            self.instead.insert(path, instead.unwrap_or(What::Unseen));
        }
        Ok(next)
    }

    /// What stands for a folder of the table, if it is left out.
    fn rebuildable(&self, path: &Path, identity: Identity, how: Rebuilt) -> Option<What> {
        let known = self.earlier.and_then(|earlier| earlier.get(path));
        let mut made_by = OsString::new();
        match known {
            // What was kept once is kept: else a command could plant the file that makes it rebuildable.
            Some(What::Folder { .. }) => return None,
            Some(What::Rebuildable {
                identity: then,
                made_by: session,
            }) if then.inode == identity.inode => {
                if !session.is_empty() && session != self.session {
                    return None;
                }
                made_by.clone_from(session);
            }
            _ if how == Rebuilt::BySession => {
                if !self.is_after || self.session.is_empty() {
                    return None;
                }
                made_by = self.session.to_owned();
            }
            _ => {}
        }
        let says = (self.rules.git)(&self.root.join(path), true);
        (says != Git::Keeps).then_some(What::Rebuildable { identity, made_by })
    }

    /// What stands for something that cannot be looked at, if git ignores it.
    fn refused(&self, path: &Path, trouble: Trouble) -> Result<What, NotKept> {
        let whole = self.root.join(path);
        if (self.rules.git)(&whole, true) == Git::Ignores
            && let Some(identity) = Identity::at(&whole)
        {
            return Ok(What::ReadOnly(identity));
        }
        Err(match trouble {
            Trouble::Path(why) => why.into(),
            Trouble::OtherDisk => CannotKeep::OtherDisk(whole).into(),
            Trouble::Deep => TooMuch::Deep {
                path: whole,
                most: MAX_DEPTH,
            }
            .into(),
        })
    }

    /// Leaves out what git ignores until there is room for the rest; what comes back is still to be looked at.
    fn leave_out(
        &mut self,
        too_many: usize,
        most: usize,
        mut next: Vec<PathBuf>,
    ) -> Result<Vec<PathBuf>, NotKept> {
        let (root, rules) = (self.root, self.rules);
        let sealed = too_large::folders_for_room(root, &self.entries(), too_many, most, rules)?;
        let is_sealed = |path: &Path| path.ancestors().any(|above| sealed.contains_key(above));
        next.retain(|path| !is_sealed(path));
        self.folders.retain(|path, _| !is_sealed(path));
        self.instead.retain(|path, _| !is_sealed(path));
        self.instead.extend(
            sealed
                .iter()
                .map(|(path, identity)| (path.clone(), What::ReadOnly(*identity))),
        );
        Ok(next)
    }

    fn mode_of(&self, path: &Path) -> u32 {
        let parent = path.parent().and_then(|parent| self.folders.get(parent));
        let names = parent.iter().flat_map(|inside| &inside.names);
        names
            .into_iter()
            .find_map(|(name, what)| match what {
                What::Folder { mode, .. } if Some(name.as_os_str()) == path.file_name() => {
                    Some(*mode)
                }
                _ => None,
            })
            .unwrap_or(0)
    }

    /// All names in order.
    fn entries(&self) -> Vec<Entry> {
        let count = self.folders.values().map(|inside| inside.names.len()).sum();
        let mut entries = Vec::with_capacity(count);
        self.below(Path::new(""), &mut entries);
        entries
    }

    fn below(&self, folder: &Path, entries: &mut Vec<Entry>) {
        let Some(inside) = self.folders.get(folder) else {
            return;
        };
        for (name, what) in &inside.names {
            let path = folder.join(name);
            if let Some(instead) = self.instead.get(&path) {
                if *instead != What::Unseen {
                    entries.push(Entry {
                        path,
                        what: instead.clone(),
                    });
                }
                continue;
            }
            let What::Folder { mode, .. } = what else {
                entries.push(Entry {
                    path,
                    what: what.clone(),
                });
                continue;
            };
            let attributes = self
                .folders
                .get(&path)
                .map(|inner| inner.attributes.clone());
            let what = What::Folder {
                mode: *mode,
                attributes: attributes.unwrap_or_default(),
            };
            entries.push(Entry {
                path: path.clone(),
                what,
            });
            self.below(&path, entries);
        }
    }
}
