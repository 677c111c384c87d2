//! Reads the files of a listing and puts them into the backups, but those that did not change since an earlier one.

use std::cmp::Ordering;
use std::io;
use std::num::NonZero;
use std::path::Path;
use std::sync::atomic::{self, AtomicUsize};

use rustix::fs::fstat;
use sayso_core::text::digest::Digest;

use crate::attributes::Attributes;
use crate::backups::{Backups, Kept, digest};
use crate::change_error::{CannotKeep, NotKept, TooMuch};
use crate::keep_rules::Rules;
use crate::listing::{Entry, Identity, Listing, What};
use crate::open_nofollow::{self, PathError, Spot};
use crate::too_large::may_be_left_out;

/// How often a file is read that is written to meanwhile.
const TRIES: usize = 3;

/// Takes the digests of the files that did not change since an earlier listing.
pub(crate) fn recall(listing: &mut Listing, earlier: &Listing) {
    let mut known = InOrder(&earlier.entries);
    for entry in &mut listing.entries {
        if let What::File {
            identity,
            digest,
            attributes,
            ..
        } = &mut entry.what
            && let Some(What::File {
                identity: then,
                digest: known,
                attributes: had,
                ..
            }) = known.next(&entry.path)
            && identity == then
            && !earlier.is_too_fresh(then)
        {
            *digest = *known;
            attributes.clone_from(had);
        }
    }
}

/// So many files are worth another thread.
const MANY: usize = 64;
/// The most threads that read files.
const MAX_THREADS: usize = 8;

/// Does the same with each item, on as many threads as there are processors. The results are in no order.
fn side_by_side<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    let threads = processors.min(MAX_THREADS).min(items.len() / MANY);
    if threads < 2 {
        return items.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let one = || {
        let taken = std::iter::from_fn(|| items.get(next.fetch_add(1, atomic::Ordering::Relaxed)));
        taken.map(&work).collect::<Vec<R>>()
    };
    std::thread::scope(|scope| {
        let helpers: Vec<_> = (1..threads).map(|_| scope.spawn(one)).collect();
        let mut all = one();
        for helper in helpers {
            match helper.join() {
                Ok(more) => all.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        all
    })
}

/// Finds entries by their paths, if these are asked for in order.
struct InOrder<'a>(&'a [Entry]);

impl<'a> InOrder<'a> {
    fn next(&mut self, path: &Path) -> Option<&'a What> {
        while let Some((first, rest)) = self.0.split_first() {
            match first.path.as_path().cmp(path) {
                Ordering::Less => self.0 = rest,
                Ordering::Equal => return Some(&first.what),
                Ordering::Greater => return None,
            }
        }
        None
    }
}

/// The files whose content is not in the backups, by their place in the listing, and their sizes.
pub(crate) fn missing(listing: &Listing, backups: &Backups) -> Vec<(usize, u64)> {
    let holds = backups.shelf();
    let all: Vec<(usize, &What)> = listing
        .entries
        .iter()
        .map(|entry| &entry.what)
        .enumerate()
        .filter(|(_, what)| matches!(what, What::File { .. }))
        .collect();
    let mut missing: Vec<(usize, u64)> = side_by_side(&all, |(index, what)| match what {
        What::File {
            digest: Some(digest),
            identity,
            ..
        } if holds(digest, identity.size) => None,
        What::File { identity, .. } => Some((*index, identity.size)),
        _ => None,
    })
    .into_iter()
    .flatten()
    .collect();
    missing.sort_unstable();
    missing
}

/// Keeps the files that are missing in the backups. What is gone by now leaves the listing; what git ignores and another process is
/// writing is read-only for the command.
pub(crate) fn keep(
    listing: &mut Listing,
    missing: &[(usize, u64)],
    backups: &Backups,
    rules: Rules<'_>,
) -> Result<(), NotKept> {
    let entries = &listing.entries;
    let path = |index: usize| {
        entries
            .get(index)
            .map(|entry| listing.root.join(&entry.path))
    };
    let read = side_by_side(missing, |(index, _)| {
        path(*index).map(|path| (*index, read(&path, backups, true)))
    });
    let mut gone = false;
    for (index, seen) in read.into_iter().flatten() {
        let Some(entry) = listing.entries.get_mut(index) else {
            continue;
        };
        match seen? {
            Some((what, true)) => entry.what = what,
            Some((what, false)) => {
                // A log that is written to all the time: an undo of it would always be in the way of what came since.
                let whole = listing.root.join(&entry.path);
                match what {
                    What::File { identity, .. } if may_be_left_out(&whole, &entry.path, rules) => {
                        entry.what = What::ReadOnly(identity);
                    }
                    _ => return Err(CannotKeep::Busy(whole).into()),
                }
            }
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
pub(crate) fn look(now: &mut Listing, before: &Listing, room: u64, backups: &Backups) {
    recall(now, before);
    let mut used = 0_u64;
    for entry in &mut now.entries {
        let What::File {
            digest: None,
            identity,
            ..
        } = &entry.what
        else {
            continue;
        };
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
        let opened =
            Spot::of(path).and_then(|spot| open_nofollow::file(&spot.folder, &spot.name, path));
        let (mut file, found) = match opened {
            Ok(opened) => opened,
            Err(PathError::Missing(_)) => return Ok(None),
            Err(trouble) => return Err(trouble.into()),
        };
        let cannot = |source| CannotKeep::Unreadable {
            path: path.to_owned(),
            source,
        };
        let seen = match keep {
            true => match backups.keep_file(&mut file)? {
                Kept::Yes(digest, size) => Some((digest, size)),
                Kept::TooLarge(_) => None,
            },
            false => digest(&mut file, backups.limits().file).map_err(cannot)?,
        };
        let now = fstat(&file).map_err(|error| PathError::System(path.to_owned(), error))?;
        let (then, mut what) = (Identity::of(&found), What::file(&now));
        let mut calm = false;
        let read = Attributes::of(&file);
        let system = |error| PathError::System(path.to_owned(), error);
        if let What::File { attributes, .. } = &mut what {
            *attributes = read.map_err(system)?;
        }
        if let (
            What::File {
                identity, digest, ..
            },
            Some((seen, size)),
        ) = (&mut what, seen)
        {
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

/// Keeps a listing itself.
pub(crate) fn keep_listing(listing: &Listing, backups: &Backups) -> Result<Digest, NotKept> {
    match backups.keep_one_of_many(&mut listing.to_bytes().as_slice())? {
        Kept::Yes(digest, _) => Ok(digest),
        Kept::TooLarge(_) => Err(TooMuch::Listing.into()),
    }
}

/// A listing that is kept, if it is as it was written.
pub fn read_listing(backups: &Backups, digest: &Digest) -> Option<Listing> {
    let mut bytes = Vec::new();
    io::Read::read_to_end(&mut backups.read(digest).ok()?, &mut bytes).ok()?;
    (Digest::of_bytes(&bytes) == *digest).then(|| Listing::from_bytes(&bytes))?
}
