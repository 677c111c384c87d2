//! Carries out one step: what is new is made beside the path and gets its name in one go, and what was there is looked at once more.
//!
//! Whatever happens meanwhile, nothing is lost that was not looked at: what stood at the path is swapped out, compared with what was
//! written down, and put back if it is something else.

use std::ffi::OsStr;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::Path;

use rustix::fs::{
    AtFlags, FileType, Mode, RenameFlags, chmod, fchmod, fchown, fsync, linkat, renameat,
    renameat_with, unlinkat,
};
use rustix::io::Errno;

use crate::attributes::Attributes;
use crate::backups::Backups;
use crate::build::{self, Source};
use crate::change_error::ChangeError;
use crate::changes::Step;
use crate::open_nofollow::{self, PathError, Spot, Way, reason, shown};
use crate::path_state::State;
use crate::tree::{self, Looking};

/// Carries a step out, whole or not at all. What comes back are remarks.
///
/// # Errors
/// If anything is not as the step says, or the disk says no. Then nothing was changed.
pub fn apply(
    step: &Step,
    source: &Source<'_>,
    backups: &Backups,
) -> Result<Vec<String>, ChangeError> {
    if let Some(to) = &step.moved_to {
        return move_away(step, to, backups).map(|()| Vec::new());
    }
    let spot = Spot::of(&step.path)?;
    let temp = beside(&spot, &step.temp)?;
    let done = match (&step.before, &step.after) {
        (State::Absent, State::Absent) => Ok(Vec::new()),
        (
            State::Folder { inside: None, .. },
            State::Folder {
                mode,
                inside: None,
                attributes,
            },
        ) => {
            return set_permissions(step, &spot, *mode, attributes, backups);
        }
        (_, State::Absent) => return take_away(step, &spot, &temp, backups),
        (State::Absent, _) => make(step, &spot, &temp, source, backups),
        _ => replace(step, &spot, &temp, source, backups),
    };
    if done.is_err() {
        let _ = tree::remove(&temp.folder, &temp.name);
    }
    done
}

/// Gives a folder other permissions, whatever is in it.
fn set_permissions(
    step: &Step,
    spot: &Spot,
    mode: u32,
    attributes: &Attributes,
    backups: &Backups,
) -> Result<Vec<String>, ChangeError> {
    let _turn = backups.turn()?;
    still_there(spot)?;
    if let Some(why) = differs(step, spot, spot, backups) {
        return Err(why);
    }
    let bits = Mode::from_raw_mode(mode as rustix::fs::RawMode);
    let set = match open_nofollow::inner(&spot.folder, &spot.name, &spot.path) {
        // The user's attributes need a folder that its owner may write.
        Ok(open) => attributes
            .set_user(&open)
            .or_else(|_| fchmod(&open, bits | Mode::RWXU).and_then(|()| attributes.set_user(&open)))
            .and_then(|()| fchmod(&open, bits))
            .and_then(|()| attributes.set_system(&open)),
        // It is closed to its owner, too. The handle that marks it is no link, so its path in `/proc` leads nowhere else.
        Err(_) => {
            let start = handle(spot)?;
            let marked =
                open_nofollow::below(start, Path::new(""), Path::new(&spot.name), Way::Best)?;
            chmod(format!("/proc/self/fd/{}", marked.as_raw_fd()), bits)
        }
    };
    set.map_err(|error| cannot(&spot.path, error))?;
    settled(spot, backups);
    Ok(Vec::new())
}

/// The place under another name of the same folder.
pub fn beside(spot: &Spot, name: &OsStr) -> Result<Spot, ChangeError> {
    Ok(Spot {
        folder: handle(spot)?,
        name: name.to_owned(),
        path: spot.path.with_file_name(name),
    })
}

fn handle(spot: &Spot) -> Result<OwnedFd, ChangeError> {
    let cannot = |source| ChangeError::NoHandle {
        path: spot.path.clone(),
        source,
    };
    spot.folder.try_clone().map_err(cannot)
}

fn make(
    step: &Step,
    spot: &Spot,
    temp: &Spot,
    source: &Source<'_>,
    backups: &Backups,
) -> Result<Vec<String>, ChangeError> {
    build::build(temp, &step.after, source, backups.sync())?;
    still_there(spot)?;
    rename_new(temp, spot)?;
    settled(spot, backups);
    Ok(Vec::new())
}

fn replace(
    step: &Step,
    spot: &Spot,
    temp: &Spot,
    source: &Source<'_>,
    backups: &Backups,
) -> Result<Vec<String>, ChangeError> {
    build::build(temp, &step.after, source, backups.sync())?;
    keep_owner(spot, temp, &step.after);
    let _turn = backups.turn()?;
    still_there(spot)?;
    // Most changes by others are found here, before anybody can see anything new.
    if let Some(why) = differs(step, spot, spot, backups) {
        return Err(why);
    }
    match swap(spot, temp) {
        Ok(()) => {
            if let Some(why) = differs(step, temp, spot, backups) {
                // What we swapped out is not what was read: it gets its place back.
                swap_back(spot, temp)?;
                if !holds(&step.after, temp, backups) {
                    // Somebody replaced ours in that moment, and meant to replace theirs: the newest one stays.
                    swap_back(spot, temp)?;
                }
                return Err(why);
            }
        }
        Err(Errno::NOENT) => {
            return Err(ChangeError::Gone(spot.path.clone()));
        }
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            // Some file systems cannot swap; there a short gap stays between that look and the new name.
            renameat(&temp.folder, &temp.name, &spot.folder, &spot.name)
                .map_err(|error| cannot(&spot.path, error))?;
        }
        Err(error) => return Err(cannot(&spot.path, error)),
    }
    Ok(cleared(spot, temp, backups))
}

/// Swaps the contents of the two places.
pub(crate) fn swap(one: &Spot, other: &Spot) -> Result<(), Errno> {
    let (from, to) = (&other.folder, &one.folder);
    renameat_with(from, &other.name, to, &one.name, RenameFlags::EXCHANGE)
}

fn swap_back(spot: &Spot, temp: &Spot) -> Result<(), ChangeError> {
    swap(spot, temp).map_err(|error| ChangeError::NotSwapped {
        path: spot.path.clone(),
        lies: temp.path.clone(),
        error,
    })
}

fn take_away(
    step: &Step,
    spot: &Spot,
    temp: &Spot,
    backups: &Backups,
) -> Result<Vec<String>, ChangeError> {
    let _turn = backups.turn()?;
    still_there(spot)?;
    if let Some(why) = differs(step, spot, spot, backups) {
        return Err(why);
    }
    rename_as(spot, temp, &spot.path)?;
    if let Some(why) = differs(step, temp, spot, backups) {
        return Err(put_back(temp, spot, why));
    }
    Ok(cleared(spot, temp, backups))
}

/// Gives what is not what was meant its place back.
fn put_back(from: &Spot, to: &Spot, why: ChangeError) -> ChangeError {
    match rename_new(from, to) {
        Ok(()) => why,
        Err(_) => ChangeError::Misplaced {
            why: Box::new(why),
            lies: from.path.clone(),
        },
    }
}

/// Removes what stood there, and tells what of it is left even so.
fn cleared(spot: &Spot, temp: &Spot, backups: &Backups) -> Vec<String> {
    let left = tree::remove(&temp.folder, &temp.name).err().map(|error| {
        format!(
            "a part of what was there could not be removed and lies in `{}`: {}",
            shown(&temp.path),
            reason(error)
        )
    });
    settled(spot, backups);
    left.into_iter().collect()
}

fn move_away(step: &Step, to: &Path, backups: &Backups) -> Result<(), ChangeError> {
    let (from, to) = (Spot::of(&step.path)?, Spot::of(to)?);
    still_there(&from)?;
    still_there(&to)?;
    rename_new(&from, &to)?;
    if let Some(why) = differs(step, &to, &from, backups) {
        return Err(put_back(&to, &from, why));
    }
    settled(&from, backups);
    settled(&to, backups);
    Ok(())
}

/// How what stands at a place differs from what the step says was there.
fn differs(step: &Step, at: &Spot, shown_as: &Spot, backups: &Backups) -> Option<ChangeError> {
    let read = if step.before.is_known() {
        backups.limits().file
    } else {
        0
    };
    let looking = Looking {
        backups,
        keep: false,
        read,
    };
    // The path is the one that people know, not that of the temporary name.
    let now = at.named(&shown_as.path).map_or_else(
        |error| Err(error.into()),
        |at| tree::look_for(&step.before, &at, looking),
    );
    match now {
        Ok(now) => {
            step.before.difference(&now, &shown_as.path)?;
            Some(ChangeError::Changed {
                path: shown_as.path.clone(),
                before: Box::new(step.before.clone()),
                now: Box::new(now),
            })
        }
        Err(why) => Some(why),
    }
}

/// Whether this stands at a place.
pub fn holds(state: &State, at: &Spot, backups: &Backups) -> bool {
    let now = tree::look_for(state, at, Looking::only(backups));
    now.is_ok_and(|now| state.agrees(&now))
}

/// Gives what stands under one name another one, where nothing may stand.
///
/// # Errors
/// If something stands there, or the disk says no.
pub fn rename_new(from: &Spot, to: &Spot) -> Result<(), ChangeError> {
    rename_as(from, to, &to.path)
}

/// The same, where an error names this as the new path.
fn rename_as(from: &Spot, to: &Spot, named: &Path) -> Result<(), ChangeError> {
    let taken = || ChangeError::Taken(named.to_owned());
    match renameat_with(
        &from.folder,
        &from.name,
        &to.folder,
        &to.name,
        RenameFlags::NOREPLACE,
    ) {
        Ok(()) => Ok(()),
        Err(Errno::EXIST | Errno::NOTEMPTY) => Err(taken()),
        Err(Errno::NOENT) => Err(PathError::Missing(from.path.clone()).into()),
        Err(Errno::XDEV) => Err(ChangeError::OtherDisk {
            from: from.path.clone(),
            to: named.to_owned(),
        }),
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => rename_new_slowly(from, to, named),
        Err(error) => Err(cannot(named, error)),
    }
}

/// For file systems that cannot refuse to replace.
fn rename_new_slowly(from: &Spot, to: &Spot, named: &Path) -> Result<(), ChangeError> {
    let taken = || ChangeError::Taken(named.to_owned());
    let found = from
        .stat()?
        .ok_or_else(|| PathError::Missing(from.path.clone()))?;
    if open_nofollow::kind(&found) != FileType::Directory {
        match linkat(
            &from.folder,
            &from.name,
            &to.folder,
            &to.name,
            AtFlags::empty(),
        ) {
            Ok(()) => {
                return unlinkat(&from.folder, &from.name, AtFlags::empty())
                    .map_err(|error| cannot(&from.path, error));
            }
            Err(Errno::EXIST) => return Err(taken()),
            Err(_) => {}
        }
    }
    if to.stat()?.is_some() {
        return Err(taken());
    }
    renameat(&from.folder, &from.name, &to.folder, &to.name).map_err(|error| cannot(named, error))
}

/// The new file gets the owner of the old one, where that is allowed; the permissions are set again, as a new owner can clear some.
fn keep_owner(old: &Spot, new: &Spot, after: &State) {
    let (Ok(Some(was)), Ok((file, is))) = (
        old.stat(),
        open_nofollow::file(&new.folder, &new.name, &new.path),
    ) else {
        return;
    };
    if let State::File { attributes, .. } = after
        && !attributes.is_known()
        && let Ok((was, _)) = open_nofollow::file(&old.folder, &old.name, &old.path)
        && let Ok(attributes) = Attributes::of(&was).map(|all| all.without_rights())
    {
        let _ = attributes
            .set_user(&file)
            .and_then(|()| attributes.set_system(&file));
    }
    if (was.st_uid, was.st_gid) == (is.st_uid, is.st_gid) {
        return;
    }
    let (uid, gid) = (
        rustix::fs::Uid::from_raw(was.st_uid),
        rustix::fs::Gid::from_raw(was.st_gid),
    );
    if fchown(&file, Some(uid), Some(gid)).is_ok()
        && let State::File { mode, .. } = after
    {
        let _ = fchmod(&file, Mode::from_raw_mode(*mode as rustix::fs::RawMode));
    }
}

fn still_there(spot: &Spot) -> Result<(), ChangeError> {
    match spot.is_still_there() {
        true => Ok(()),
        false => Err(ChangeError::FolderMoved(spot.path.clone())),
    }
}

/// Makes the new name outlast a loss of power.
fn settled(spot: &Spot, backups: &Backups) {
    let parent = spot.path.parent().filter(|_| backups.sync());
    if let Some(Ok(folder)) = parent.map(|parent| open_nofollow::folder(parent, Way::Best))
        && let Ok(open) = open_nofollow::inner(&folder, OsStr::new("."), &spot.path)
    {
        let _ = fsync(&open);
    }
}

fn cannot(path: &Path, error: Errno) -> ChangeError {
    PathError::System(path.to_owned(), error).into()
}
