//! Clears up: changes that are too old to be undone, and backups that nobody needs or that there is no room for.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, SystemTime};

use sayso_core::text::digest::Digest;

use crate::backup_contents::read_listing;
use crate::backups::{Backups, Stored, remove_unfinished};
use crate::changes::{Change, Changes};

/// A backup is made before its change is written down; so long nobody takes it away.
const GRACE: Duration = Duration::from_hours(1);

/// Forgets changes after their time, then backups that no change needs, and if there is still too much, the oldest.
pub fn prune(changes: &Changes, backups: &Backups, now: SystemTime) {
    let Ok(_lock) = backups.to_clear_up() else {
        return;
    };
    let age = |time: SystemTime| now.duration_since(time).unwrap_or_default();
    let most = Duration::from_hours(24 * backups.limits().days);
    let (old, young): (Vec<_>, Vec<_>) = changes
        .all()
        .into_iter()
        .partition(|change| age(change.time()) > most);
    old.iter().for_each(|change| changes.forget(change));
    let before = now.checked_sub(GRACE).unwrap_or(now);
    backups.remove_unfinished(before);
    remove_unfinished(changes.folder(), before);

    let needed: HashSet<Digest> = young
        .iter()
        .flat_map(|change| change.digests().collect::<Vec<_>>())
        .collect();
    let running = running(&young, backups);
    let mut stored = backups.all();
    // What no change needs may belong to one that cannot be read, so it stays as long as that could be undone.
    stored.retain(|kept| {
        let goes = !needed.contains(&kept.digest)
            && !running.contains(&kept.digest)
            && age(kept.touched) > most;
        if goes {
            backups.remove(kept);
        }
        !goes
    });
    shrink(&young, backups, stored, backups.limits().total, now, |_| {
        true
    });
}

/// Makes room for what a command may change, but not at the cost of what a person was told that it can be undone.
pub fn make_room(changes: &Changes, backups: &Backups, bytes: u64) {
    let Ok(_lock) = backups.to_clear_up() else {
        return;
    };
    let Some(most) = backups.limits().total.checked_sub(bytes) else {
        return;
    };
    shrink(
        &changes.all(),
        backups,
        backups.all(),
        most,
        SystemTime::now(),
        |asked| !asked,
    );
    backups.count_again();
}

/// Throws a listing away that a newer one of the same workspace replaces, unless a command that runs needs it. Later will do as well.
pub fn forget_listing(changes: &Changes, backups: &Backups, digest: &Digest) {
    let Some(_lock) = backups.try_to_clear_up() else {
        return;
    };
    if changes
        .under_way()
        .iter()
        .any(|change| change.listing.as_ref() == Some(digest))
    {
        return;
    }
    let size = std::fs::metadata(backups.path(digest)).map_or(0, |found| found.len());
    backups.remove(&Stored {
        digest: *digest,
        size,
        touched: SystemTime::UNIX_EPOCH,
    });
}

/// What is needed by commands that still run, or were cut off and not looked at yet.
fn running(changes: &[Change], backups: &Backups) -> HashSet<Digest> {
    let listings: HashSet<Digest> = changes.iter().filter_map(|change| change.listing).collect();
    let listed: Vec<Digest> = listings
        .iter()
        .filter_map(|digest| read_listing(backups, digest))
        .flat_map(|listing| listing.digests().collect::<Vec<_>>())
        .collect();
    listings.into_iter().chain(listed).collect()
}

/// Throws away the oldest until no more than `most` bytes are kept.
fn shrink(
    young: &[Change],
    backups: &Backups,
    stored: Vec<Stored>,
    most: u64,
    now: SystemTime,
    may_go: impl Fn(bool) -> bool,
) {
    let mut total: u64 = stored.iter().map(|kept| kept.size).sum();
    if total <= most {
        return;
    }
    // The last change that needs a backup tells its age. What a person was asked about, and told that it can be undone, goes last: else an
    // agent could write so much unasked that nothing of that is left.
    let mut ranks: HashMap<Digest, (bool, SystemTime)> = HashMap::new();
    for change in young {
        for digest in change.digests() {
            let rank = ranks.entry(digest).or_insert((false, change.time()));
            *rank = (rank.0 || change.asked, change.time());
        }
    }
    let running = running(young, backups);
    let mut by_age: Vec<_> = stored
        .into_iter()
        .map(|kept| (ranks.get(&kept.digest).copied(), kept))
        .collect();
    by_age.sort_by_key(|(rank, kept)| (*rank, kept.touched));
    for (rank, kept) in by_age {
        if total <= most {
            break;
        }
        let is_fresh =
            rank.is_none() && now.duration_since(kept.touched).unwrap_or_default() < GRACE;
        if is_fresh
            || running.contains(&kept.digest)
            || !may_go(rank.is_some_and(|(asked, _)| asked))
        {
            continue;
        }
        backups.remove(&kept);
        total = total.saturating_sub(kept.size);
    }
}
