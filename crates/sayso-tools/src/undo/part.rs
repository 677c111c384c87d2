//! The part of a change that is about some files, or about some hunks of one.

use std::path::{Path, PathBuf};

use super::{UndoError, texts};
use crate::backups::Kept;
use crate::change_error::ChangeError;
use crate::changes::{Change, Step};
use crate::files::Files;
use crate::hunks::{self, HunkError};
use crate::path_state::State;
use crate::tree::{self, Looking};

/// What of a change is taken back; by default all of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Only these files and folders, by absolute paths without links.
    pub files: Vec<PathBuf>,
    /// Only these hunks of the one file, by number.
    pub hunks: Vec<usize>,
}

impl Part {
    /// Whether it is all of it.
    pub fn is_whole(&self) -> bool {
        self.files.is_empty() && self.hunks.is_empty()
    }
}

/// The steps that take a part of changes back, newest change first, and whether that is all that the changes did.
pub(super) fn steps(
    kit: &Files,
    changes: &[Change],
    part: &Part,
) -> Result<(Vec<Step>, bool), UndoError> {
    let all: Vec<&Step> = changes
        .iter()
        .flat_map(|change| change.steps.iter().rev())
        .collect();
    if part.is_whole() {
        return Ok((all.into_iter().map(Step::reversed).collect(), true));
    }
    if !part.hunks.is_empty() {
        let [file] = part.files.as_slice() else {
            return Err(UndoError::HunksOfOneFile);
        };
        return Ok((vec![of_hunks(kit, changes, file, &part.hunks)?], false));
    }
    let mut steps = Vec::new();
    let mut is_all = true;
    for step in &all {
        let touches = |file: &&PathBuf| {
            let is_in = |path: &Path| path.starts_with(file);
            is_in(&step.path) || step.moved_to.as_deref().is_some_and(is_in)
        };
        if part.files.iter().any(|file| touches(&file)) {
            steps.push(step.reversed());
            continue;
        }
        is_all = false;
        let inner = part
            .files
            .iter()
            .filter(|file| file.starts_with(&step.path));
        steps.extend(inner.filter_map(|file| inside(step, file)));
    }
    for file in &part.files {
        if !steps.iter().any(|step| meets(step, file)) {
            return Err(UndoError::NotInChange(file.clone()));
        }
    }
    Ok((steps, is_all))
}

fn meets(step: &Step, file: &Path) -> bool {
    step.path.starts_with(file)
        || file.starts_with(&step.path)
        || step
            .moved_to
            .as_ref()
            .is_some_and(|to| to.starts_with(file))
}

/// The way back for what is inside of a folder that came or went as a whole.
fn inside(step: &Step, file: &Path) -> Option<Step> {
    let within = file.strip_prefix(&step.path).ok()?;
    let (was, is) = (at(&step.before, within), at(&step.after, within));
    if was == is {
        return None;
    }
    if was == State::Absent {
        return Some(Step::put(file.to_owned(), is, was));
    }
    // The folders above it may be gone, too.
    let is_there = |path: &Path| path.symlink_metadata().is_ok();
    let missing = file
        .ancestors()
        .skip(1)
        .take_while(|above| above.starts_with(&step.path) && !is_there(above))
        .last();
    let Some(top) = missing else {
        return Some(Step::put(file.to_owned(), is, was));
    };
    let below = file.strip_prefix(top).ok()?;
    let mut chain: Vec<(PathBuf, State)> = below
        .ancestors()
        .skip(1)
        .filter(|above| !above.as_os_str().is_empty())
        .map(|above| {
            (
                above.to_owned(),
                bare(&step.before, &step.path, &top.join(above)),
            )
        })
        .collect();
    chain.reverse();
    let (own, inner) = match was {
        State::Folder {
            mode,
            inside,
            attributes,
        } => (
            State::Folder {
                mode,
                inside: None,
                attributes,
            },
            inside.unwrap_or_default(),
        ),
        other => (other, Vec::new()),
    };
    chain.push((below.to_owned(), own));
    chain.extend(
        inner
            .into_iter()
            .map(|(path, state)| (below.join(path), state)),
    );
    let State::Folder {
        mode, attributes, ..
    } = bare(&step.before, &step.path, top)
    else {
        return None;
    };
    let folder = State::Folder {
        mode,
        attributes,
        inside: Some(chain),
    };
    Some(Step::put(top.to_owned(), State::Absent, folder))
}

/// A folder of a state, without what is in it.
fn bare(state: &State, root: &Path, path: &Path) -> State {
    let found = path
        .strip_prefix(root)
        .map_or(State::Absent, |within| at(state, within));
    match found {
        State::Folder {
            mode, attributes, ..
        } => State::Folder {
            mode,
            inside: None,
            attributes,
        },
        other => other,
    }
}

/// What stood inside of a state.
fn at(state: &State, within: &Path) -> State {
    if within.as_os_str().is_empty() {
        return state.clone();
    }
    let State::Folder {
        inside: Some(inside),
        ..
    } = state
    else {
        return State::Absent;
    };
    let Some((_, found)) = inside.iter().find(|(path, _)| path == within) else {
        return State::Absent;
    };
    let State::Folder {
        mode, attributes, ..
    } = found
    else {
        return found.clone();
    };
    let below = |(path, state): &(PathBuf, State)| {
        let path = path.strip_prefix(within).ok()?;
        (!path.as_os_str().is_empty()).then(|| (path.to_owned(), state.clone()))
    };
    State::Folder {
        mode: *mode,
        attributes: attributes.clone(),
        inside: Some(inside.iter().filter_map(below).collect()),
    }
}

/// What a file was before changes, and after them.
pub(super) fn ends(changes: &[Change], file: &Path) -> Option<(State, State)> {
    let mut ends: Option<(State, State)> = None;
    let steps = changes.iter().flat_map(|change| change.steps.iter().rev());
    for step in steps.filter(|step| step.moved_to.is_none()) {
        let Ok(within) = file.strip_prefix(&step.path) else {
            continue;
        };
        let (was, is) = (at(&step.before, within), at(&step.after, within));
        ends = Some((was, ends.map_or(is, |(_, last)| last)));
    }
    ends
}

/// The step that takes hunks back in the present text.
fn of_hunks(
    kit: &Files,
    changes: &[Change],
    file: &Path,
    numbers: &[usize],
) -> Result<Step, UndoError> {
    let not_here = || UndoError::NotInChange(file.to_owned());
    let not_text = || UndoError::NotText(file.to_owned());
    let (was, is) = ends(changes, file).ok_or_else(not_here)?;
    let (old, new) = (texts::kept(kit, &was), texts::kept(kit, &is));
    let (old, new) = old.zip(new).ok_or_else(not_text)?;
    let spot = crate::open_nofollow::Spot::of(file).map_err(ChangeError::from)?;
    let now = tree::look(&spot, Looking::only(kit.backups()))?;
    let text = texts::now(file).ok_or_else(not_text)?;
    let back = hunks::take_back(&old, &new, &text, numbers).map_err(|why| match why {
        HunkError::Unknown(number) => UndoError::NoHunk {
            number,
            path: file.to_owned(),
            count: hunks::hunks(&old, &new).len(),
        },
        HunkError::Moved(number) => UndoError::HunkMoved {
            number,
            path: file.to_owned(),
        },
    })?;
    let State::File {
        mode,
        ref attributes,
        ..
    } = now
    else {
        return Err(not_text());
    };
    let kept = kit.backups().keep(&mut back.as_bytes());
    match kept.map_err(ChangeError::from)? {
        Kept::Yes(digest, size) => {
            let after = State::File {
                digest: Some(digest),
                size,
                mode,
                attributes: attributes.clone(),
            };
            Ok(Step::put(file.to_owned(), now, after))
        }
        Kept::TooLarge(_) => Err(not_text()),
    }
}
