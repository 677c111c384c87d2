//! Keeps a whole workspace before a command whose effects nobody knows, so that what it did can be taken back like any other change.
//!
//! Before the command, the content of every file that git does not ignore is put into the backups, and a listing of them is written down
//! with a change that is under way. After it, the workspace is looked at again, and what is different becomes the steps of that change.
//! Whatever others did in the workspace meanwhile counts as the command's doing, since nobody can tell it apart.
//! Nothing is read that has not changed since the last time: a walk over the names is all it takes then.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::fstat;
use sayso_core::digest::Digest;

use crate::backups::{Backups, Kept, digest};
use crate::beneath::{self, Spot, Trouble, shown};
use crate::changes::{Change, Changes, Open, is_plain, new_name};
use crate::comparison::{Difference, compare};
use crate::files::{About, Files};
use crate::listing::{Identity, Listing, What};
use crate::promise::size_words;
use crate::prune::{forget_listing, make_room};
use crate::survey::{self, NotKept, Rules};

/// How much of a workspace is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeepLimits {
    /// Files, links and folders.
    pub names: usize,
    /// All files together, in bytes.
    pub bytes: u64,
}

impl Default for KeepLimits {
    fn default() -> Self {
        KeepLimits { names: 20_000, bytes: 256 << 20 }
    }
}

/// A workspace that is kept while a command runs in it. If it is dropped, or its process is killed, the next recovery looks at what the
/// command did.
#[derive(Debug)]
pub struct Keeping {
    change: Change,
    open: Open,
    listing: Listing,
    limits: KeepLimits,
    files_read: usize,
}

/// What a command did to its workspace. A folder that came or went stands for all that is in it; what git ignores is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AfterCommand {
    /// What is there now.
    pub created: Vec<PathBuf>,
    /// What holds something else, is something else, or has other permissions.
    pub changed: Vec<PathBuf>,
    /// What is gone.
    pub deleted: Vec<PathBuf>,
    /// What an undo does not take back, in words.
    pub left_out: Vec<String>,
    /// What takes it back when it is typed behind `sayso undo`; none if there is nothing to take back.
    pub change: Option<String>,
}

/// How often a file is read that is written to meanwhile.
const TRIES: usize = 3;
/// So many new names are looked at after a command.
const MOST_NEW: usize = 40_000;

impl Keeping {
    /// Keeps a workspace before a command, whose absolute path must have no links in it.
    ///
    /// # Errors
    /// If it is too much, or a part of it cannot be kept, or the disk is full. Then the command must not run as one that can be taken back.
    pub fn before(files: &Files, about: About, workspace: &Path, limits: KeepLimits, rules: Rules<'_>) -> Result<Keeping, NotKept> {
        let backups = files.backups();
        if backups.folder().starts_with(workspace) || files.changes().folder().starts_with(workspace) {
            return Err(NotKept::Cannot("the folder in which sayso keeps backups lies in the workspace".to_owned()));
        }
        let mut listing = survey::before(workspace, limits.names, rules)?;
        check(&listing, limits, backups)?;
        let earlier = files.listings().last(workspace);
        let last = earlier.and_then(|digest| Some((digest, read_listing(backups, &digest)?)));
        if let Some((_, last)) = &last {
            recall(&mut listing, last);
        }
        // Until the listing is written down, nobody may throw away what it names.
        let mut lock = backups.in_use().map_err(NotKept::Cannot)?;
        let mut missing = missing(&listing, backups);
        let needed: u64 = missing.iter().map(|(_, size)| size).sum();
        if needed > 0 && backups.held().saturating_add(needed) > backups.limits().total {
            drop(lock);
            make_room(files.changes(), backups, needed);
            lock = backups.in_use().map_err(NotKept::Cannot)?;
            missing = self::missing(&listing, backups);
            let needed: u64 = missing.iter().map(|(_, size)| size).sum();
            if backups.held().saturating_add(needed) > backups.limits().total {
                let all = size_words(backups.limits().total);
                return Err(NotKept::TooMuch(format!("there is no room for {} more in the backups ({all} in all)", size_words(needed))));
            }
        }
        keep(&mut listing, &missing, backups)?;
        let known = last.filter(|(digest, last)| {
            missing.is_empty() && last.entries == listing.entries && last.mode == listing.mode && backups.has(digest)
        });
        let (digest, listing) = match known {
            Some((digest, last)) => (digest, last),
            None => (keep_listing(&listing, backups)?, listing),
        };
        if earlier != Some(digest) || !missing.is_empty() {
            backups.flush().map_err(NotKept::Cannot)?;
        }
        files.listings().set_last(workspace, &digest);
        let About { mut id, batch, session, tool, workspace, undoes, asked } = about;
        if id.is_empty() {
            id = crate::private_folder::random();
        }
        let (name, listed) = (new_name(&id), Some(digest));
        let change = Change {
            name,
            id,
            batch,
            session,
            tool,
            workspace,
            undoes,
            unkept: None,
            left_out: vec![],
            listing: listed,
            asked,
            steps: vec![],
        };
        let open = files.changes().begin(&change).map_err(NotKept::Cannot)?;
        drop(lock);
        if let Some(earlier) = earlier.filter(|earlier| *earlier != digest) {
            forget_listing(files.changes(), backups, &earlier);
        }
        Ok(Keeping { change, open, listing, limits, files_read: missing.len() })
    }

    /// How many files had to be read; of a workspace that did not change, none.
    pub fn files_read(&self) -> usize {
        self.files_read
    }

    /// What is in the workspace and is not kept, in words: pipes, sockets and devices, and what git has for itself.
    pub fn remarks(&self) -> Vec<String> {
        let all = self.listing.entries.iter();
        all.filter_map(|entry| match entry.what {
            What::Special => Some(format!("`{}` is a pipe, a socket or a device and is not kept", shown(&entry.path))),
            What::Git(_) => Some(format!("`{}` is git's own and is not kept", shown(&entry.path))),
            _ => None,
        })
        .collect()
    }

    /// Looks at what the command did, and writes it down as a change that can be undone. Nothing of the command may run any more.
    ///
    /// # Errors
    /// If the workspace cannot be looked at, or the disk says no. The next recovery tries again.
    pub fn after(self, files: &Files, rules: Rules<'_>) -> Result<AfterCommand, String> {
        let Keeping { change, open, listing, limits, .. } = self;
        let done = conclude(files.changes(), files.backups(), Under { change, open, listing }, limits, rules, None)?;
        if done.change.is_some() && files.backups().held() > files.backups().limits().total {
            files.prune();
        }
        Ok(done)
    }

    /// The command did not run.
    pub fn cancel(self) {
        self.open.discard();
    }
}

/// A command that is over, and what is known from before it.
struct Under {
    change: Change,
    open: Open,
    listing: Listing,
}

/// Looks at what a command did that was cut off together with sayso. What comes back says so in words.
///
/// # Errors
/// If its workspace cannot be looked at.
pub fn recover(changes: &Changes, backups: &Backups, change: Change, open: Open, rules: Rules<'_>) -> Result<Option<String>, String> {
    let id = sayso_core::visible::visible(&change.id).into_owned();
    let Some(listing) = change.listing.and_then(|digest| read_listing(backups, &digest)) else {
        open.discard();
        return Err(format!("the command `{id}` was cut off, and what it did cannot be told: the listing from before it is gone"));
    };
    let note = "the command was cut off: whatever anybody changed in the workspace from then until sayso ran again is taken back, too";
    let under = Under { change, open, listing };
    let done = conclude(changes, backups, under, KeepLimits::default(), rules, Some(note.to_owned()))
        .map_err(|why| format!("the command `{id}` was cut off, and what it did cannot be told now: {why}"))?;
    Ok(done.change.map(|handle| {
        let count = |list: &[PathBuf], word: &str| format!("{} {word}", list.len());
        let counts = [count(&done.created, "made"), count(&done.changed, "changed"), count(&done.deleted, "removed")];
        format!("the command `{id}` was cut off; since it began, {}: `sayso undo {handle}` shows it and takes it back", counts.join(", "))
    }))
}

fn conclude(
    changes: &Changes,
    backups: &Backups,
    under: Under,
    limits: KeepLimits,
    rules: Rules<'_>,
    note: Option<String>,
) -> Result<AfterCommand, String> {
    let Under { mut change, open, listing } = under;
    let mut now = survey::after(&listing, MOST_NEW, rules).map_err(|why| why.to_string())?;
    look(&mut now, &listing, limits.bytes, backups);
    let Difference { steps, created, changed, deleted, mut left_out } = compare(&listing, &now);
    left_out.extend(note);
    let mut done = AfterCommand { created, changed, deleted, left_out, change: None };
    if steps.is_empty() {
        open.discard();
        return Ok(done);
    }
    backups.flush()?;
    change.steps = steps;
    change.left_out.clone_from(&done.left_out);
    change.listing = None;
    changes.finish_as(open, &change)?;
    let own = is_plain(&change.id) && changes.claim(&change.id);
    done.change = Some(if own { change.id } else { change.name });
    Ok(done)
}

/// Whether so much is kept, and nothing in it reaches out of the workspace.
fn check(listing: &Listing, limits: KeepLimits, backups: &Backups) -> Result<(), NotKept> {
    let most = backups.limits().file;
    let mut total = 0_u64;
    let mut several: HashMap<(u64, u64), (u64, &Path)> = HashMap::new();
    for entry in &listing.entries {
        let What::File { identity, names, .. } = &entry.what else { continue };
        if identity.size > most {
            let (name, size) = (shown(&listing.root.join(&entry.path)), size_words(identity.size));
            return Err(NotKept::TooMuch(format!("`{name}` ({size}) is too large for a backup ({} at most)", size_words(most))));
        }
        total = total.saturating_add(identity.size);
        if *names > 1 {
            let more = several.entry((identity.device, identity.inode)).or_insert((*names, &entry.path));
            more.0 = more.0.saturating_sub(1);
        }
    }
    if total > limits.bytes {
        let (total, most) = (size_words(total), size_words(limits.bytes));
        return Err(NotKept::TooMuch(format!("what git does not ignore is {total}, which is too much for a backup ({most} at most)")));
    }
    match several.values().filter(|(more, _)| *more > 0).map(|(_, path)| path).min() {
        // A command that writes to it writes there, too.
        Some(path) => {
            let name = shown(&listing.root.join(path));
            Err(NotKept::Cannot(format!("`{name}` has another name outside of what is kept, and a change of it would be seen there")))
        }
        None => Ok(()),
    }
}

/// Takes the digests of the files that did not change since an earlier listing.
fn recall(listing: &mut Listing, earlier: &Listing) {
    let known: HashMap<&Path, &What> = earlier.entries.iter().map(|entry| (entry.path.as_path(), &entry.what)).collect();
    for entry in &mut listing.entries {
        if let What::File { identity, digest, .. } = &mut entry.what
            && let Some(What::File { identity: then, digest: known, .. }) = known.get(entry.path.as_path())
            && identity == then
            && !earlier.is_too_fresh(then)
        {
            *digest = *known;
        }
    }
}

/// The files whose content is not in the backups, by their place in the listing, and their sizes.
fn missing(listing: &Listing, backups: &Backups) -> Vec<(usize, u64)> {
    let all = listing.entries.iter().enumerate();
    all.filter_map(|(index, entry)| match &entry.what {
        What::File { digest: Some(digest), identity, .. } if backups.holds(digest, identity.size) => None,
        What::File { identity, .. } => Some((index, identity.size)),
        _ => None,
    })
    .collect()
}

fn keep(listing: &mut Listing, missing: &[(usize, u64)], backups: &Backups) -> Result<(), NotKept> {
    let mut gone = false;
    for (index, _) in missing {
        let Some(entry) = listing.entries.get_mut(*index) else { continue };
        let path = listing.root.join(&entry.path);
        match read(&path, backups, true)? {
            Some((what, true)) => entry.what = what,
            Some((_, false)) => return Err(NotKept::Cannot(format!("`{}` is being written to", shown(&path)))),
            None => {
                gone = true;
                entry.what = What::Unseen;
            }
        }
    }
    if gone {
        listing.entries.retain(|entry| entry.what != What::Unseen);
    }
    Ok(())
}

/// Fills in the digests of the files that a command may have changed, and keeps them while there is room.
fn look(now: &mut Listing, before: &Listing, room: u64, backups: &Backups) {
    recall(now, before);
    let mut used = 0_u64;
    for entry in &mut now.entries {
        let What::File { digest: None, identity, .. } = &entry.what else { continue };
        let size = identity.size;
        used = used.saturating_add(size);
        // What is only known by its size is compared by that.
        if size > backups.limits().file || used > room {
            continue;
        }
        let path = now.root.join(&entry.path);
        let has_room = backups.held().saturating_add(size) <= backups.limits().total;
        let seen = read(&path, backups, has_room).or_else(|_| read(&path, backups, false));
        if let Ok(Some((what, _))) = seen {
            entry.what = what;
        }
    }
}

/// Reads a file for its digest, and keeps it if it should. The second value says whether nobody wrote to it meanwhile; nothing comes back if it is gone.
fn read(path: &Path, backups: &Backups, keep: bool) -> Result<Option<(What, bool)>, NotKept> {
    let mut last = None;
    for _ in 0..TRIES {
        let opened = Spot::of(path).and_then(|spot| beneath::file(&spot.folder, &spot.name, path));
        let (mut file, found) = match opened {
            Ok(opened) => opened,
            Err(Trouble::Missing(_)) => return Ok(None),
            Err(trouble) => return Err(trouble.into()),
        };
        let cannot = |error: io::Error| NotKept::Cannot(format!("`{}` cannot be read: {error}", shown(path)));
        let seen = match keep {
            true => match backups.keep_one_of_many(&mut file).map_err(NotKept::Cannot)? {
                Kept::Yes(digest, size) => Some((digest, size)),
                Kept::TooLarge(_) => None,
            },
            false => digest(&mut file, backups.limits().file).map_err(cannot)?,
        };
        let now = fstat(&file).map_err(|error| Trouble::System(path.to_owned(), error))?;
        let (then, mut what) = (Identity::of(&found), What::file(&now));
        let mut calm = false;
        if let (What::File { identity, digest, .. }, Some((seen, size))) = (&mut what, seen) {
            calm = *identity == then && identity.size == size;
            *digest = Some(seen);
            identity.size = size;
        }
        if calm {
            return Ok(Some((what, true)));
        }
        last = Some((what, false));
    }
    Ok(last)
}

fn keep_listing(listing: &Listing, backups: &Backups) -> Result<Digest, NotKept> {
    match backups.keep_one_of_many(&mut listing.to_bytes().as_slice()).map_err(NotKept::Cannot)? {
        Kept::Yes(digest, _) => Ok(digest),
        Kept::TooLarge(_) => Err(NotKept::TooMuch("the listing of the workspace is too large for a backup".to_owned())),
    }
}

/// A listing that is kept, if it is as it was written.
pub fn read_listing(backups: &Backups, digest: &Digest) -> Option<Listing> {
    let mut bytes = Vec::new();
    io::Read::read_to_end(&mut backups.read(digest).ok()?, &mut bytes).ok()?;
    (Digest::of_bytes(&bytes) == *digest).then(|| Listing::from_bytes(&bytes))?
}
