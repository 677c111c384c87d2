//! Clears up after a process that was cut off: each change that was under way is then either whole or was never begun.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use crate::backups::Backups;
use crate::build::Source;
use crate::change_error::ChangeError;
use crate::changes::{Change, Changes, Open, Step};
use crate::keep_rules::Rules;
use crate::open_nofollow::Spot;
use crate::path_state::State;
use crate::replace::{self, beside, holds, rename_new, swap};
use crate::tree::{self, Looking};
use crate::workspace_change::{self, Kept};

/// So long a change is waited for that somebody else makes.
const AWAITED: Duration = Duration::from_secs(24 * 60 * 60);

/// What was cleared up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Changes that turned out to be whole, by id.
    pub whole: Vec<String>,
    /// Changes that never happened or were taken back, by id.
    pub never: Vec<String>,
    /// What could not be cleared up, and commands that were cut off, in words.
    pub left: Vec<String>,
}

/// Looks after every change whose process was cut off.
pub(crate) fn recover(kept: Kept<'_>, rules: Rules<'_>) -> Recovered {
    let (changes, backups) = (kept.changes, kept.backups);
    let mut recovered = Recovered::default();
    let (awaited, own): (Vec<_>, Vec<_>) = changes
        .cut_off()
        .into_iter()
        .partition(|(change, _)| change.awaited);
    for (change, open) in awaited {
        // An agent may still be about to make it, or wait for the person.
        let age = SystemTime::now()
            .duration_since(change.time())
            .unwrap_or_default();
        let id = change.id.clone();
        match conclude(changes, backups, change, open, age > AWAITED) {
            Ok(paths) if paths.is_empty() => {}
            Ok(_) => recovered.whole.push(id),
            Err(why) => recovered.left.push(why.to_string()),
        }
    }
    let (commands, others): (Vec<_>, Vec<_>) = own
        .into_iter()
        .partition(|(change, _)| change.listing.is_some());
    for (change, open) in others {
        let left: Vec<String> = change
            .steps
            .iter()
            .filter_map(|step| clear(step, backups).err())
            .map(|why| why.to_string())
            .collect();
        let stands = !left.is_empty() || is_whole(&change, &open, backups);
        recovered.left.extend(left);
        if stands {
            recovered
                .left
                .extend(open.finish().err().map(|why| why.to_string()));
            recovered.whole.push(change.id.clone());
        } else {
            open.discard();
            recovered.never.push(change.id.clone());
        }
    }
    // Last, so that nothing that others left unfinished counts as what a command did.
    for (change, open) in commands {
        let told = workspace_change::recover(kept, change, open, rules);
        recovered
            .left
            .extend(told.unwrap_or_else(|why| Some(why.to_string())));
    }
    recovered
}

/// Looks at what became of paths that somebody else was about to change, and writes it down as a change that can be taken back. Where
/// nothing has become of them it is forgotten, or waited for on.
///
/// # Errors
/// If they cannot be looked at, or it cannot be written down.
pub(crate) fn conclude(
    changes: &Changes,
    backups: &Backups,
    mut change: Change,
    open: Open,
    is_over: bool,
) -> Result<Vec<PathBuf>, ChangeError> {
    for step in &mut change.steps {
        step.after = match Spot::of(&step.path) {
            Ok(spot) => {
                let large = backups.refuses(tree::measure(&spot)?).is_some();
                let read = if large { 0 } else { backups.limits().file };
                tree::look(
                    &spot,
                    Looking {
                        backups,
                        keep: !large,
                        read,
                    },
                )?
            }
            Err(_) => State::Absent,
        };
    }
    change.steps.retain(|step| step.before != step.after);
    let paths: Vec<PathBuf> = change.steps.iter().map(|step| step.path.clone()).collect();
    if paths.is_empty() {
        if is_over {
            open.discard();
        }
        return Ok(paths);
    }
    backups.flush()?;
    change.awaited = false;
    changes.finish_as(open, &change)?;
    Ok(paths)
}

/// Whether the change was carried out. One of several steps that was cut off between them is taken back first.
fn is_whole(change: &Change, open: &Open, backups: &Backups) -> bool {
    let step = |index: usize| change.steps.get(index);
    let mut done = open.progress();
    // The step that was under way may have been carried out, or taken back, just before the end.
    if done
        .checked_sub(1)
        .and_then(step)
        .is_some_and(|last| !is_done(last, backups) && is_done(&last.reversed(), backups))
    {
        done -= 1;
    } else if step(done).is_some_and(|next| is_done(next, backups)) {
        done += 1;
    }
    if done >= change.steps.len() {
        return true;
    }
    while let Some(last) = done.checked_sub(1).and_then(step) {
        if replace::apply(&last.reversed(), &Source::Kept(backups), backups).is_err() {
            // It stays as it is, and can still be undone by hand.
            return true;
        }
        done -= 1;
        open.set_progress(done);
    }
    false
}

fn is_done(step: &Step, backups: &Backups) -> bool {
    let at = |path: &std::path::Path, state: &State| match Spot::of(path) {
        Ok(spot) => holds(state, &spot, backups),
        Err(_) => *state == State::Absent,
    };
    match &step.moved_to {
        Some(to) => at(&step.path, &State::Absent) && at(to, &step.before),
        None => at(&step.path, &step.after) && step.before != step.after,
    }
}

/// Removes what a step left unfinished, or puts back what it had only just taken away.
fn clear(step: &Step, backups: &Backups) -> Result<(), ChangeError> {
    let Ok(spot) = Spot::of(&step.path) else {
        return Ok(());
    };
    let temp = beside(&spot, &step.temp)?;
    if step.moved_to.is_some() || temp.stat()?.is_none() {
        return Ok(());
    }
    let left_over = |error| ChangeError::LeftOver {
        path: temp.path.clone(),
        error,
    };
    let removed = || tree::remove(&temp.folder, &temp.name).map_err(left_over);
    let held = tree::look_for(&step.before, &temp, Looking::only(backups))?;
    match (&step.before, &step.after) {
        // It was taken away, and is what was meant, or what the removal has left of it.
        (before, State::Absent) if before.covers(&held) => removed(),
        // It was taken away, and is something else: its place is free, or somebody has it now.
        (_, State::Absent) => rename_new(&temp, &spot),
        (State::Absent, _) => removed(),
        (before, after) if holds(after, &spot, backups) && !before.agrees(&held) => {
            // The swap happened, and what it swapped out is not what was meant.
            swap(&spot, &temp).map_err(left_over)?;
            removed()
        }
        _ => removed(),
    }
}
