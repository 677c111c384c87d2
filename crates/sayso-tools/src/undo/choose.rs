//! Which changes an undo is about.

use std::collections::HashSet;
use std::time::SystemTime;

use super::UndoError;
use crate::changes::Change;
use crate::files::Files;

/// Which changes are taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which<'a> {
    /// The last one that was not taken back yet.
    Last,
    /// The one with this handle, of this operation, or whose record has this name.
    Id(&'a str),
    /// All of a batch.
    Batch(&'a str),
    /// All since a time.
    Since(SystemTime),
    /// All of a session.
    Session(&'a str),
}

/// The changes that stand: those that were not taken back, oldest first.
pub fn standing(changes: Vec<Change>) -> Vec<Change> {
    let mut taken_back: HashSet<String> = HashSet::new();
    let mut stand: Vec<Change> = Vec::new();
    for change in changes.into_iter().rev() {
        if !taken_back.contains(&change.name) {
            taken_back.extend(change.undoes.iter().cloned());
            stand.push(change);
        }
    }
    stand.reverse();
    stand
}

/// The changes that are meant, the newest first. Where a whole change is taken back, so is what was taken back of it by parts.
pub(super) fn chosen(
    kit: &Files,
    which: Which<'_>,
    is_whole: bool,
) -> Result<Vec<Change>, UndoError> {
    let all = kit.changes().finished();
    let known = |id: &str| {
        all.iter().any(|change| {
            is_handle(change, id) || change.id == id || change.batch.as_deref() == Some(id)
        })
    };
    let missing = match which {
        Which::Last | Which::Since(_) => UndoError::Nothing,
        Which::Id(id) | Which::Batch(id) if known(id) => UndoError::UndoneAlready(id.to_owned()),
        Which::Id(id) | Which::Batch(id) => UndoError::Unknown {
            id: id.to_owned(),
            days: kit.backups().limits().days,
        },
        Which::Session(id) => UndoError::NothingOfSession(id.to_owned()),
    };
    let mut standing = standing(all);
    standing.reverse();
    // An undo is only undone by its own id.
    let made = |change: &&Change| change.undoes.is_empty() && change.undoes_part_of.is_empty();
    let of = |which: &dyn Fn(&Change) -> bool| -> Vec<Change> {
        let made = standing.iter().filter(made);
        made.filter(|change| which(change)).cloned().collect()
    };
    let mut chosen: Vec<Change> = match which {
        // Going back twice goes back two changes.
        Which::Last => standing.iter().find(made).into_iter().cloned().collect(),
        Which::Id(id) => one(standing.clone(), id)?.into_iter().collect(),
        Which::Batch(batch) => of(&|change| change.batch.as_deref() == Some(batch)),
        Which::Since(time) => of(&|change| change.time() >= time),
        Which::Session(session) => of(&|change| change.session == session),
    };
    if chosen.is_empty() {
        return Err(missing);
    }
    if is_whole {
        let names: HashSet<String> = chosen.iter().map(|change| change.name.clone()).collect();
        let parts = standing
            .into_iter()
            .filter(|change| change.undoes_part_of.iter().any(|of| names.contains(of)));
        chosen.extend(parts.filter(|part| !names.contains(&part.name)));
        chosen.sort_by(|one, other| other.name.cmp(&one.name));
    }
    Ok(chosen)
}

/// The change that an id means. An agent chooses the ids of its operations, also those of others: where several have it, none is meant.
fn one(standing: Vec<Change>, id: &str) -> Result<Option<Change>, UndoError> {
    if let Some(named) = standing.iter().find(|change| is_handle(change, id)) {
        return Ok(Some(named.clone()));
    }
    let mut with_it: Vec<Change> = standing
        .into_iter()
        .filter(|change| change.id == id)
        .collect();
    if with_it.len() < 2 {
        return Ok(with_it.pop());
    }
    Err(UndoError::Ambiguous {
        id: id.to_owned(),
        changes: with_it,
    })
}

/// Whether a text names this very change: no agent can choose a handle or the name of a record.
pub fn is_handle(change: &Change, text: &str) -> bool {
    change.handle() == text || change.name == text
}
