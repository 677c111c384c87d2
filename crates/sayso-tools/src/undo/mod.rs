//! Takes changes back: one, the last one, those of a batch, a session or a time, or parts of them, and only where nothing changed since.

mod choose;
mod part;
mod texts;

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use sayso_core::text::digest::Digest;
use sayso_core::text::visible::visible;
use thiserror::Error;

use crate::build::Source;
use crate::change_error::ChangeError;
use crate::changes::{Change, Step};
use crate::files::{About, Files};
use crate::git_index;
use crate::hunks;
use crate::open_nofollow::{self, PathError, Spot, shown};
use crate::path_state::State;
use crate::tree::{self, Looking};

use choose::chosen;
pub use choose::{Which, is_handle, standing};
pub use part::Part;
pub use texts::ThreeWay;

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
    /// Whether all that the changes did is taken back.
    pub is_whole: bool,
}

/// Something that was changed since.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// Where.
    pub path: PathBuf,
    /// What is different now, in words.
    pub why: String,
    /// The text before the change, after it and now.
    pub texts: ThreeWay,
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
    #[error("there is nothing to undo of the session `{}`", visible(.0))]
    NothingOfSession(String),
    #[error("`{}` is not in this change", shown(.0))]
    NotInChange(PathBuf),
    #[error("`{}` is not a text that is kept, so it has no hunks", shown(.0))]
    NotText(PathBuf),
    #[error("hunks are those of one file: say which")]
    HunksOfOneFile,
    #[error("there is no hunk {number} of `{}`: it has {count}", shown(.path))]
    NoHunk {
        number: usize,
        path: PathBuf,
        count: usize,
    },
    #[error("hunk {number} of `{}` does not fit any more: the text around it changed", shown(.path))]
    HunkMoved { number: usize, path: PathBuf },
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

/// So many changes with one id, and paths of each, are named.
const MOST_NAMED: usize = 10;

/// Finds out what an undo would do. Nothing is changed.
///
/// # Errors
/// If there is no such change, or it cannot be taken back whatever happens.
pub fn plan(kit: &Files, which: Which<'_>) -> Result<Plan, UndoError> {
    plan_part(kit, which, &Part::default())
}

/// The same for a part of the changes.
///
/// # Errors
/// As [`plan`], and if the part is not in the changes or a hunk does not fit any more.
pub fn plan_part(kit: &Files, which: Which<'_>, part: &Part) -> Result<Plan, UndoError> {
    let changes = chosen(kit, which, part.hunks.is_empty())?;
    for change in &changes {
        if let Some(why) = &change.unkept {
            return Err(UndoError::NotKept {
                handle: change.handle(),
                why: why.clone(),
            });
        }
    }
    let (steps, is_whole) = part::steps(kit, &changes, part)?;
    let mut plan = Plan {
        changes,
        steps: Vec::new(),
        words: Vec::new(),
        conflicts: Vec::new(),
        is_whole,
    };
    let mut touched = Touched::default();
    let mut planned = Planned::default();
    for mut step in steps {
        // What a newer change left there is only known when that is taken back; it is looked at then.
        let standing = if touched.is_first(&step) {
            stands(kit, &step)?
        } else {
            planned.leads_on(kit, &step)
        };
        planned.take(&step);
        match standing {
            Standing::AlreadyBack => continue,
            Standing::Changed(conflict) => plan.conflicts.push(conflict),
            Standing::AsLeft => {}
            Standing::AsGood(now) => step.before = now,
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
    if !plan.steps.is_empty() && is_whole {
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

enum Standing {
    AsLeft,
    /// It is another one that means the same.
    AsGood(State),
    AlreadyBack,
    Changed(Conflict),
}

fn stands(kit: &Files, step: &Step) -> Result<Standing, ChangeError> {
    let now = now(kit, &step.path, &step.before, false)?;
    let there = match &step.moved_to {
        Some(to) => Some((to, self::now(kit, to, &step.before, false)?)),
        None => None,
    };
    let conflict = |path: &Path, why: String, texts: ThreeWay| {
        Standing::Changed(Conflict {
            path: path.to_owned(),
            why,
            texts,
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
            let why = format!("`{}` is there now", shown(to));
            conflict(to, why, ThreeWay::default())
        }
        None if is_same_index(kit, step, &now) => Standing::AsGood(now),
        _ => {
            let why = step
                .before
                .difference(&now, &step.path)
                .unwrap_or_else(|| "it was changed since".to_owned());
            let texts = ThreeWay::of(kit, &step.path, &step.after, &step.before);
            conflict(&step.path, why, texts)
        }
    })
}

/// What the steps so far leave at the paths that they touch.
#[derive(Default)]
struct Planned(BTreeMap<PathBuf, State>);

impl Planned {
    /// What was known of folders above a path, and of what is below it, does not hold any more.
    fn take(&mut self, step: &Step) {
        for path in std::iter::once(&step.path).chain(&step.moved_to) {
            let below = self.0.range(path.clone()..).map(|(below, _)| below);
            let below: Vec<PathBuf> = below
                .take_while(|below| below.starts_with(path))
                .cloned()
                .collect();
            for path in path.ancestors().chain(below.iter().map(PathBuf::as_path)) {
                self.0.remove(path);
            }
        }
        if step.moved_to.is_none() {
            self.0.insert(step.path.clone(), step.after.clone());
        }
    }

    /// Whether a step follows from what a step before it leaves: between two changes, others may have made one of theirs.
    fn leads_on(&self, kit: &Files, step: &Step) -> Standing {
        let left = self.0.get(&step.path).filter(|_| step.moved_to.is_none());
        match left.and_then(|left| step.before.difference(left, &step.path)) {
            None => Standing::AsLeft,
            Some(_) => Standing::Changed(Conflict {
                path: step.path.clone(),
                why: format!(
                    "`{}` was changed by others between these changes",
                    shown(&step.path)
                ),
                texts: ThreeWay::of(kit, &step.path, &step.after, &step.before),
            }),
        }
    }
}

/// Whether two states of the index of a repository mean the same.
fn is_same_index(kit: &Files, step: &Step, now: &State) -> bool {
    let is_index = step.path.file_name() == Some(OsStr::new("index"))
        && step.path.iter().any(|name| name == ".git");
    let (
        State::File {
            digest: Some(left),
            mode,
            ..
        },
        State::File {
            digest: Some(there),
            mode: bits,
            ..
        },
    ) = (&step.before, now)
    else {
        return false;
    };
    if !is_index || mode != bits {
        return false;
    }
    let most = kit.backups().limits().file;
    let left = kit.backups().read(left).ok();
    let file = Spot::of(&step.path)
        .and_then(|spot| open_nofollow::file(&spot.folder, &spot.name, &step.path));
    let meaning = |file: File| {
        let mut bytes = Vec::new();
        file.take(most).read_to_end(&mut bytes).ok()?;
        Some((git_index::meaning(&bytes)?, Digest::of_bytes(&bytes)))
    };
    let left = left.and_then(meaning);
    let read = file.ok().and_then(|(file, _)| meaning(file));
    match (left, read) {
        (Some((left, _)), Some((is, digest))) => left == is && digest == *there,
        _ => false,
    }
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
        match now(kit, &step.path, &step.before, true).map_err(UndoError::NotMade)? {
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
    let flushed = kit.backups().flush();
    flushed.map_err(|why| UndoError::NotMade(why.into()))?;
    let newest = plan.changes.first();
    let names = plan.changes.iter().map(|change| change.name.clone());
    let (undoes, undoes_part_of) = match plan.is_whole {
        true => (names.collect(), Vec::new()),
        false => (Vec::new(), names.collect()),
    };
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
        undoes,
        undoes_part_of,
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
        .flat_map(|conflict| [&conflict.why, &conflict.texts.since])
        .filter(|text| !text.is_empty())
        .map(|text| format!("\n{text}"))
        .collect()
}

/// The hunks of a file in changes, numbered as an undo takes them; none where it is not a text.
///
/// # Errors
/// If there is no such change.
pub fn hunks_of(kit: &Files, which: Which<'_>, file: &Path) -> Result<Vec<hunks::Hunk>, UndoError> {
    let changes = chosen(kit, which, false)?;
    Ok(hunks_in(kit, &changes, file))
}

/// The same in the changes of a plan.
pub fn hunks_in(kit: &Files, changes: &[Change], file: &Path) -> Vec<hunks::Hunk> {
    let texts = part::ends(changes, file)
        .and_then(|(was, is)| texts::kept(kit, &was).zip(texts::kept(kit, &is)));
    texts.map_or_else(Vec::new, |(old, new)| hunks::hunks(&old, &new))
}
