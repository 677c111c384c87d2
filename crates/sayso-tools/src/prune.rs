//! Clears up: changes that are too old to be undone, and backups that nobody needs or that there is no room for.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, SystemTime};

use sayso_core::digest::Digest;

use crate::backups::{Backups, remove_unfinished};
use crate::changes::Changes;

/// A backup is made before its change is written down; so long nobody takes it away.
const GRACE: Duration = Duration::from_hours(1);

/// Forgets changes after their time, then backups that no change needs, and if there is still too much, the oldest.
pub fn prune(changes: &Changes, backups: &Backups, now: SystemTime) {
    let age = |time: SystemTime| now.duration_since(time).unwrap_or_default();
    let most = Duration::from_hours(24 * backups.limits().days);
    let (old, young): (Vec<_>, Vec<_>) = changes.all().into_iter().partition(|change| age(change.time()) > most);
    old.iter().for_each(|change| changes.forget(change));
    let before = now.checked_sub(GRACE).unwrap_or(now);
    backups.remove_unfinished(before);
    remove_unfinished(changes.folder(), before);

    let needed: HashSet<Digest> = young.iter().flat_map(|change| change.digests().collect::<Vec<_>>()).collect();
    let mut stored = backups.all();
    // What no change needs may belong to one that cannot be read, so it stays as long as that could be undone.
    stored.retain(|kept| {
        let goes = !needed.contains(&kept.digest) && age(kept.touched) > most;
        if goes {
            backups.remove(kept);
        }
        !goes
    });
    let mut total: u64 = stored.iter().map(|kept| kept.size).sum();
    if total <= backups.limits().total {
        return;
    }
    // The last change that needs a backup tells its age. What a person was asked about, and told that it can be undone, goes last: else an
    // agent could write so much unasked that nothing of that is left.
    let mut ranks: HashMap<Digest, (bool, SystemTime)> = HashMap::new();
    for change in &young {
        for digest in change.digests() {
            let rank = ranks.entry(digest).or_insert((false, change.time()));
            *rank = (rank.0 || change.asked, change.time());
        }
    }
    let mut by_age: Vec<_> = stored.into_iter().map(|kept| (ranks.get(&kept.digest).copied(), kept)).collect();
    by_age.sort_by_key(|(rank, kept)| (*rank, kept.touched));
    for (rank, kept) in by_age {
        if total <= backups.limits().total {
            break;
        }
        if rank.is_none() && age(kept.touched) < GRACE {
            continue;
        }
        backups.remove(&kept);
        total = total.saturating_sub(kept.size);
    }
}
