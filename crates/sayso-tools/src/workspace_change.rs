//! What a command did to its workspace, written down as a change that can be taken back.

use std::ffi::OsString;
use std::path::PathBuf;

use sayso_core::text::digest::Digest;

use crate::backup_contents::{keep_listing, look, read_listing};
use crate::backups::Backups;
use crate::change_error::ChangeError;
use crate::changes::{Change, Changes, Open};
pub use crate::keep_rules::KeepLimits;
use crate::list_workspace::{self, Rules};
use crate::listing::Listing;
use crate::listing_cache::Listings;
use crate::prune::forget_listing;
use crate::workspace_diff::{Difference, compare};

/// What a command did to its workspace. A folder that came or went stands for all that is in it; what can be rebuilt is left out.
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

/// Where all of it is kept.
#[derive(Clone, Copy)]
pub(crate) struct Kept<'a> {
    pub(crate) changes: &'a Changes,
    pub(crate) backups: &'a Backups,
    pub(crate) listings: &'a Listings,
}

/// A command that is over, and what is known from before it.
pub(crate) struct Under {
    pub(crate) change: Change,
    pub(crate) open: Open,
    pub(crate) listing: Listing,
}

/// Looks at what a command did that was cut off together with sayso. What comes back says so in words.
///
/// # Errors
/// If its workspace cannot be looked at.
pub(crate) fn recover(
    kept: Kept<'_>,
    change: Change,
    open: Open,
    rules: Rules<'_>,
) -> Result<Option<String>, ChangeError> {
    let id = sayso_core::text::visible::visible(&change.id).into_owned();
    let Some(listing) = change
        .listing
        .and_then(|digest| read_listing(kept.backups, &digest))
    else {
        open.discard();
        return Err(ChangeError::ListingGone { id });
    };
    let note = "the command was cut off: whatever anybody changed in the workspace from then until sayso ran again is taken back, too";
    let under = Under {
        change,
        open,
        listing,
    };
    let done = conclude(
        kept,
        under,
        KeepLimits::default(),
        rules,
        Some(note.to_owned()),
    )
    .map_err(|why| ChangeError::CutOff {
        id: id.clone(),
        why: Box::new(why),
    })?;
    Ok(done.change.map(|handle| {
        let count = |list: &[PathBuf], word: &str| format!("{} {word}", list.len());
        let counts = [count(&done.created, "made"), count(&done.changed, "changed"), count(&done.deleted, "removed")];
        format!("the command `{id}` was cut off; since it began, {}: `sayso undo {handle}` shows it and takes it back", counts.join(", "))
    }))
}

/// Looks at the workspace after a command, and writes what is different down as a change.
pub(crate) fn conclude(
    kept: Kept<'_>,
    under: Under,
    limits: KeepLimits,
    rules: Rules<'_>,
    note: Option<String>,
) -> Result<AfterCommand, ChangeError> {
    let Under {
        mut change,
        open,
        listing,
    } = under;
    let (changes, backups) = (kept.changes, kept.backups);
    let session = OsString::from(&change.session);
    let mut now = list_workspace::after(&listing, limits.names, rules, &session)?;
    look(&mut now, &listing, limits.bytes, backups);
    let Difference {
        steps,
        created,
        changed,
        deleted,
        mut left_out,
    } = compare(&listing, &now);
    left_out.extend(note);
    let mut done = AfterCommand {
        created,
        changed,
        deleted,
        left_out,
        change: None,
    };
    if steps.is_empty() {
        open.discard();
        return Ok(done);
    }
    let digest = remember(&now, kept);
    backups.flush()?;
    change.steps = steps;
    change.left_out.clone_from(&done.left_out);
    let before = change.listing.take();
    changes.finish_as(open, &change)?;
    if let (Some(before), Some(digest)) = (before, digest)
        && before != digest
    {
        forget_listing(changes, backups, &before);
    }
    done.change = Some(change.handle());
    Ok(done)
}

/// Keeps the look after a command as the last one of its workspace, so that nothing is read again before the next command. Without it, the
/// next command only takes longer.
fn remember(now: &Listing, kept: Kept<'_>) -> Option<Digest> {
    let _lock = kept.backups.in_use().ok()?;
    let digest = keep_listing(now, kept.backups).ok()?;
    kept.listings.set_last(&now.root, &digest);
    Some(digest)
}
