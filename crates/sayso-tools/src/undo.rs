//! Takes changes back: one, the last one, or a whole batch, and only where nobody has changed anything since.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use sayso_core::text::visible::{visible, visible_block};
use similar::TextDiff;
use thiserror::Error;

use crate::build::Source;
use crate::change_error::ChangeError;
use crate::changes::{Change, Step};
use crate::files::{About, Files};
use crate::open_nofollow::{self, PathError, Spot, shown};
use crate::path_state::State;
use crate::tree::{self, Looking};

/// Which changes are taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which<'a> {
    /// The last one that was not taken back yet.
    Last,
    /// The one with this handle, of this operation, or whose record has this name.
    Id(&'a str),
    /// All of a batch.
    Batch(&'a str),
}

/// What an undo would do.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The changes that are taken back, the newest first.
    pub changes: Vec<Change>,
    /// What is done, in order.
    pub steps: Vec<Step>,
    /// The same in words, with the path of each.
    pub words: Vec<(PathBuf, String)>,
    /// What stands against it; if there is anything, nothing is done.
    pub conflicts: Vec<Conflict>,
}

/// Something that was changed since.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// Where.
    pub path: PathBuf,
    /// What is different now, in words.
    pub why: String,
    /// What changed in the text since, as a unified diff; empty where there is none.
    pub diff: String,
}

/// Why nothing is taken back.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum UndoError {
    #[error(transparent)]
    Change(#[from] ChangeError),
    #[error("{0}. nothing was changed")]
    NotMade(ChangeError),
    #[error("there is nothing to undo")]
    Nothing,
    #[error("`{}` was undone already", visible(.0))]
    UndoneAlready(String),
    #[error("there is no change `{}`: changes are kept for {days} days", visible(.id))]
    Unknown { id: String, days: u64 },
    #[error(
        "`{}` is the id of {} changes; nothing was changed. say which, the newest first:{}",
        visible(.id), .changes.len(), listed(.changes)
    )]
    Ambiguous { id: String, changes: Vec<Change> },
    /// The reason was written down with the change.
    #[error("`{handle}` cannot be undone: {why}. nothing was changed")]
    NotKept { handle: String, why: String },
    #[error("`{}` cannot be brought back: {why}. nothing was changed", shown(.path))]
    Lost { path: PathBuf, why: ChangeError },
    #[error("something was changed in this moment. nothing was changed; try again")]
    ChangedNow,
    #[error("this was changed since, so it is not undone; nothing was changed{}", lines(.0))]
    ChangedSince(Vec<Conflict>),
}

/// What came of an undo.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undone {
    /// What takes the undo back, which is a change itself.
    pub id: String,
    /// The id of the call that it was written down as.
    pub call: String,
    /// What was done, in words.
    pub words: Vec<String>,
}

/// The longest text that is compared for a person.
const MOST_COMPARED: u64 = 1 << 20;
/// The longest diff that is shown, in lines.
const MOST_LINES: usize = 200;
/// So many changes with one id, and paths of each, are named.
const MOST_NAMED: usize = 10;

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

/// Finds out what an undo would do. Nothing is changed.
///
/// # Errors
/// If there is no such change, or it cannot be taken back whatever happens.
pub fn plan(kit: &Files, which: Which<'_>) -> Result<Plan, UndoError> {
    let changes = chosen(kit, which)?;
    for change in &changes {
        if let Some(why) = &change.unkept {
            return Err(UndoError::NotKept {
                handle: change.handle(),
                why: why.clone(),
            });
        }
    }
    let mut plan = Plan {
        changes,
        steps: Vec::new(),
        words: Vec::new(),
        conflicts: Vec::new(),
    };
    let mut touched = Touched::default();
    let steps: Vec<Step> = plan
        .changes
        .iter()
        .flat_map(|change| change.steps.iter().rev().map(Step::reversed))
        .collect();
    for step in steps {
        // What a newer change left there is only known when that is taken back; it is looked at then.
        let standing = if touched.is_first(&step) {
            stands(kit, &step)?
        } else {
            Standing::AsLeft
        };
        match standing {
            Standing::AlreadyBack => continue,
            Standing::Changed(conflict) => plan.conflicts.push(conflict),
            Standing::AsLeft => {}
        }
        if let State::Rebuildable { .. } = step.after {
            let words = "it can be rebuilt, so it was not kept and does not come back";
            plan.words.push((step.path, words.to_owned()));
            continue;
        }
        if step.moved_to.is_none() {
            has_backups(kit, &step)?;
        }
        plan.words.push((step.path.clone(), words(&step)));
        plan.steps.push(step);
    }
    if !plan.steps.is_empty() {
        let notes = plan.changes.iter().flat_map(|change| {
            change
                .left_out
                .iter()
                .map(|note| (PathBuf::from(&change.workspace), note.clone()))
        });
        plan.words.extend(notes);
    }
    Ok(plan)
}

/// The paths that the steps of an undo touched so far.
#[derive(Default)]
struct Touched {
    /// With all that is below them.
    whole: HashSet<PathBuf>,
    /// Only themselves: folders that get other permissions.
    alone: HashSet<PathBuf>,
    /// All folders above those.
    above: HashSet<PathBuf>,
}

impl Touched {
    /// Whether no step before it touched what this one touches, too.
    fn is_first(&mut self, step: &Step) -> bool {
        let alone = step.sets_permissions();
        let paths: Vec<&PathBuf> = std::iter::once(&step.path).chain(&step.moved_to).collect();
        let meets = |path: &&PathBuf| {
            path.ancestors().any(|above| self.whole.contains(above))
                || self.alone.contains(*path)
                || !alone && self.above.contains(*path)
        };
        let is_first = !paths.iter().any(meets);
        for path in paths {
            if alone {
                &mut self.alone
            } else {
                &mut self.whole
            }
            .insert(path.clone());
            for above in path.ancestors().skip(1) {
                if !self.above.insert(above.to_owned()) {
                    break;
                }
            }
        }
        is_first
    }
}

fn chosen(kit: &Files, which: Which<'_>) -> Result<Vec<Change>, UndoError> {
    let all = kit.changes().finished();
    let known = |id: &str| {
        all.iter().any(|change| {
            is_handle(change, id) || change.id == id || change.batch.as_deref() == Some(id)
        })
    };
    let missing = match which {
        Which::Last => UndoError::Nothing,
        Which::Id(id) | Which::Batch(id) if known(id) => UndoError::UndoneAlready(id.to_owned()),
        Which::Id(id) | Which::Batch(id) => UndoError::Unknown {
            id: id.to_owned(),
            days: kit.backups().limits().days,
        },
    };
    let mut standing = standing(all);
    standing.reverse();
    let chosen: Vec<Change> = match which {
        // Going back twice goes back two changes; an undo is only undone by its own id.
        Which::Last => standing
            .into_iter()
            .find(|change| change.undoes.is_empty())
            .into_iter()
            .collect(),
        Which::Id(id) => one(standing, id)?.into_iter().collect(),
        Which::Batch(batch) => standing
            .into_iter()
            .filter(|change| change.batch.as_deref() == Some(batch) && change.undoes.is_empty())
            .collect(),
    };
    if chosen.is_empty() {
        Err(missing)
    } else {
        Ok(chosen)
    }
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

/// The changes with one id, a line each.
fn listed(changes: &[Change]) -> String {
    let each = |change: &Change| {
        let paths: Vec<String> = change
            .steps
            .iter()
            .take(MOST_NAMED)
            .map(|step| format!("`{}`", shown(&step.path)))
            .collect();
        format!(
            "\n  {}  {} {}",
            change.handle(),
            visible(&change.tool),
            paths.join(", ")
        )
    };
    changes.iter().take(MOST_NAMED).map(each).collect()
}

/// Whether a text names this very change: no agent can choose a handle or the name of a record.
pub fn is_handle(change: &Change, text: &str) -> bool {
    change.handle() == text || change.name == text
}

enum Standing {
    AsLeft,
    AlreadyBack,
    Changed(Conflict),
}

fn stands(kit: &Files, step: &Step) -> Result<Standing, ChangeError> {
    let now = now(kit, &step.path, &step.before, false)?;
    let there = match &step.moved_to {
        Some(to) => Some((to, self::now(kit, to, &step.before, false)?)),
        None => None,
    };
    let conflict = |path: &Path, why: String, diff: String| {
        Standing::Changed(Conflict {
            path: path.to_owned(),
            why,
            diff,
        })
    };
    Ok(match there {
        None if step.before.agrees(&now) => Standing::AsLeft,
        None if step.after.agrees(&now) => Standing::AlreadyBack,
        Some((_, State::Absent)) if step.before.agrees(&now) => Standing::AsLeft,
        Some((_, there)) if now == State::Absent && step.before.agrees(&there) => {
            Standing::AlreadyBack
        }
        Some((to, there)) if there != State::Absent => {
            conflict(to, format!("`{}` is there now", shown(to)), String::new())
        }
        _ => {
            let why = step
                .before
                .difference(&now, &step.path)
                .unwrap_or_else(|| "it was changed since".to_owned());
            conflict(
                &step.path,
                why,
                changed_since(kit, &step.path, &step.before),
            )
        }
    })
}

fn now(kit: &Files, path: &Path, expected: &State, keep: bool) -> Result<State, ChangeError> {
    let spot = match Spot::of(path) {
        Ok(spot) => spot,
        Err(PathError::Missing(_) | PathError::NotFolder(_) | PathError::Link(_)) => {
            return Ok(State::Absent);
        }
        Err(other) => return Err(other.into()),
    };
    tree::look_for(
        expected,
        &spot,
        Looking {
            keep,
            ..Looking::only(kit.backups())
        },
    )
}

fn has_backups(kit: &Files, step: &Step) -> Result<(), UndoError> {
    let gone = step
        .after
        .files()
        .iter()
        .find_map(|(digest, _)| match digest {
            Some(digest) => kit.backups().read(digest).err().map(ChangeError::from),
            None => Some(ChangeError::NoBackup),
        });
    match gone {
        Some(why) => Err(UndoError::Lost {
            path: step.path.clone(),
            why,
        }),
        None => Ok(()),
    }
}

/// What a step of an undo does, in words.
fn words(step: &Step) -> String {
    let path = shown(&step.path);
    match (&step.moved_to, &step.before, &step.after) {
        (Some(to), State::Folder { .. }, _) => format!(
            "move `{path}` back to `{}`, with all that is in it now",
            shown(to)
        ),
        (Some(to), ..) => format!("move `{path}` back to `{}`", shown(to)),
        _ if step.sets_permissions() => format!("put the permissions of the folder `{path}` back"),
        (None, State::Folder { inside, .. }, State::Absent) => {
            match inside.as_ref().map_or(0, Vec::len) {
                0 => format!("remove the folder `{path}`"),
                count => format!("remove the folder `{path}` with {count} more in it"),
            }
        }
        (None, State::Rebuildable { .. }, State::Absent) => {
            format!("remove the folder `{path}`, which can be rebuilt, with all that is in it now")
        }
        (None, before, State::Absent) => format!("remove `{path}` ({})", before.word()),
        (None, State::Absent, State::Folder { inside, .. }) => {
            match inside.as_ref().map_or(0, Vec::len) {
                0 => format!("bring back the folder `{path}`"),
                count => format!("bring back the folder `{path}` with {count} more in it"),
            }
        }
        (None, State::Absent, after) => format!("bring back `{path}` ({})", after.word()),
        (None, ..) => format!("put `{path}` back to what it was before"),
    }
}

/// What changed in a text file since a change left it, as a unified diff.
fn changed_since(kit: &Files, path: &Path, left: &State) -> String {
    let State::File {
        digest: Some(digest),
        size,
        ..
    } = left
    else {
        return String::new();
    };
    let old = kit
        .backups()
        .read(digest)
        .ok()
        .filter(|_| *size <= MOST_COMPARED);
    let new = Spot::of(path)
        .and_then(|spot| open_nofollow::file(&spot.folder, &spot.name, path))
        .ok();
    let (Some(old), Some((new, found))) = (old, new) else {
        return String::new();
    };
    if u64::try_from(found.st_size).is_ok_and(|size| size > MOST_COMPARED) {
        return String::new();
    }
    let (Ok(old), Ok(new)) = (std::io::read_to_string(old), std::io::read_to_string(new)) else {
        return String::new();
    };
    let diff = TextDiff::from_lines(&old, &new);
    let text = diff
        .unified_diff()
        .context_radius(3)
        .header("as it was left", "as it is now")
        .to_string();
    let mut lines: Vec<&str> = text.lines().take(MOST_LINES + 1).collect();
    if lines.len() > MOST_LINES {
        lines.truncate(MOST_LINES);
        lines.push("… and more");
    }
    visible_block(&lines.join("\n"))
}

/// Takes the changes of a plan back, all or none. It is a change itself, under an id of its own, and can be undone.
///
/// # Errors
/// If anything was changed since; then nothing is done.
pub fn apply(kit: &Files, plan: &Plan, id: &str, session: &str) -> Result<Undone, UndoError> {
    refuse(plan.conflicts.clone())?;
    // What is taken away now is kept, too, so that the undo can be undone.
    let mut unkept = None;
    let mut touched = Touched::default();
    for step in &plan.steps {
        if !touched.is_first(step) || step.moved_to.is_some() {
            continue;
        }
        match now(kit, &step.path, &step.before, true)? {
            now if step.before.agrees(&now) => {}
            _ => match stands(kit, step)? {
                Standing::Changed(conflict) => refuse(vec![conflict])?,
                _ => return Err(UndoError::ChangedNow),
            },
        }
        if step
            .before
            .files()
            .iter()
            .any(|(digest, _)| digest.is_none())
        {
            unkept = Some("a file that it removed was too large for a backup".to_owned());
        }
    }
    kit.backups().flush().map_err(ChangeError::from)?;
    let newest = plan.changes.first();
    let about = About {
        id: if id.is_empty() {
            sayso_own_files::random()
        } else {
            id.to_owned()
        },
        batch: None,
        session: session.to_owned(),
        tool: "undo".to_owned(),
        workspace: newest
            .map(|change| change.workspace.clone())
            .unwrap_or_default(),
        undoes: plan
            .changes
            .iter()
            .map(|change| change.name.clone())
            .collect(),
        asked: true,
    };
    let call = about.id.clone();
    let made = kit.carry_out(
        about,
        plan.steps.clone(),
        unkept,
        &Source::Kept(kit.backups()),
    );
    let made = made.map_err(UndoError::NotMade)?;
    let words = plan
        .words
        .iter()
        .map(|(_, words)| words.clone())
        .chain(made.remarks)
        .collect();
    Ok(Undone {
        id: made.id,
        call,
        words,
    })
}

fn refuse(conflicts: Vec<Conflict>) -> Result<(), UndoError> {
    match conflicts.is_empty() {
        true => Ok(()),
        false => Err(UndoError::ChangedSince(conflicts)),
    }
}

fn lines(conflicts: &[Conflict]) -> String {
    conflicts
        .iter()
        .flat_map(|conflict| [&conflict.why, &conflict.diff])
        .filter(|text| !text.is_empty())
        .map(|text| format!("\n{text}"))
        .collect()
}
