//! Reads the files of a listing and puts them into the backups, but those that did not change since an earlier one.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use rustix::fs::fstat;
use sayso_core::text::digest::Digest;

use crate::backups::{Backups, Kept, digest};
use crate::change_error::{CannotKeep, NotKept, TooMuch};
use crate::listing::{Identity, Listing, What};
use crate::open_nofollow::{self, PathError, Spot};

/// How often a file is read that is written to meanwhile.
const TRIES: usize = 3;

/// Takes the digests of the files that did not change since an earlier listing.
pub(crate) fn recall(listing: &mut Listing, earlier: &Listing) {
    let known: HashMap<&Path, &What> = earlier
        .entries
        .iter()
        .map(|entry| (entry.path.as_path(), &entry.what))
        .collect();
    for entry in &mut listing.entries {
        if let What::File {
            identity, digest, ..
        } = &mut entry.what
            && let Some(What::File {
                identity: then,
                digest: known,
                ..
            }) = known.get(entry.path.as_path())
            && identity == then
            && !earlier.is_too_fresh(then)
        {
            *digest = *known;
        }
    }
}

/// The files whose content is not in the backups, by their place in the listing, and their sizes.
pub(crate) fn missing(listing: &Listing, backups: &Backups) -> Vec<(usize, u64)> {
    let holds = backups.shelf();
    let all = listing.entries.iter().enumerate();
    all.filter_map(|(index, entry)| match &entry.what {
        What::File {
            digest: Some(digest),
            identity,
            ..
        } if holds(digest, identity.size) => None,
        What::File { identity, .. } => Some((index, identity.size)),
        _ => None,
    })
    .collect()
}

/// Keeps the files that are missing in the backups. What is gone by now leaves the listing.
pub(crate) fn keep(
    listing: &mut Listing,
    missing: &[(usize, u64)],
    backups: &Backups,
) -> Result<(), NotKept> {
    let mut gone = false;
    for (index, _) in missing {
        let Some(entry) = listing.entries.get_mut(*index) else {
            continue;
        };
        let path = listing.root.join(&entry.path);
        match read(&path, backups, true)? {
            Some((what, true)) => entry.what = what,
            Some((_, false)) => {
                return Err(CannotKeep::Busy(path).into());
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
            true => match backups.keep_one_of_many(&mut file)? {
                Kept::Yes(digest, size) => Some((digest, size)),
                Kept::TooLarge(_) => None,
            },
            false => digest(&mut file, backups.limits().file).map_err(cannot)?,
        };
        let now = fstat(&file).map_err(|error| PathError::System(path.to_owned(), error))?;
        let (then, mut what) = (Identity::of(&found), What::file(&now));
        let mut calm = false;
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
