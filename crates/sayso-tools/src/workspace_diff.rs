//! What a command did to a workspace: the steps that lead from one listing of it to another, and what no undo takes back.

use std::path::{Path, PathBuf};

use crate::changes::Step;
use crate::listing::{Entry, Listing, What};
use crate::open_nofollow::shown;
use crate::path_state::State;

/// The difference between two listings. A folder that came or went stands for all that is in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// What leads from the first to the second, in an order whose reverse can be carried out.
    pub steps: Vec<Step>,
    /// What is there now.
    pub created: Vec<PathBuf>,
    /// What holds something else, is something else, or has other permissions.
    pub changed: Vec<PathBuf>,
    /// What is gone.
    pub deleted: Vec<PathBuf>,
    /// What an undo does not take back, in words.
    pub left_out: Vec<String>,
}

const NOTHING: &[Entry] = &[];
/// How many names a remark holds.
const MOST_NAMED: usize = 10;

/// Finds out what leads from one listing of a workspace to a later one.
pub fn compare(before: &Listing, after: &Listing) -> Difference {
    let mut found = Found {
        root: &before.root,
        difference: Difference::default(),
        opened: Vec::new(),
        closed: Vec::new(),
        told: Told::default(),
    };
    if before.mode != after.mode {
        found.permissions(&before.root, before.mode, after.mode);
    }
    let (mut old, mut new) = (before.entries.as_slice(), after.entries.as_slice());
    loop {
        let order = match (old.first(), new.first()) {
            (Some(was), Some(is)) => was.path.cmp(&is.path),
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (None, None) => break,
        };
        // A folder that is there before and after is only itself here; what is in it comes next.
        let shared = order.is_eq()
            && matches!((old.first(), new.first()), (Some(was), Some(is)) if is_folder(was) && is_folder(is));
        let (was, rest_of_old) = if order.is_gt() {
            (NOTHING, old)
        } else {
            whole(old, shared)
        };
        let (is, rest_of_new) = if order.is_lt() {
            (NOTHING, new)
        } else {
            whole(new, shared)
        };
        (old, new) = (rest_of_old, rest_of_new);
        match (was.first(), is.first()) {
            (Some(_), None) => found.gone(was),
            (None, Some(_)) => found.made(is),
            (Some(first), Some(_)) => found.both(first, was, is),
            (None, None) => break,
        }
    }
    found.finish()
}

fn is_folder(entry: &Entry) -> bool {
    matches!(entry.what, What::Folder(_))
}

/// The first entry with all that is in it, or alone, and the rest.
fn whole(entries: &[Entry], alone: bool) -> (&[Entry], &[Entry]) {
    let count = match entries.first() {
        None => 0,
        Some(first) if alone || !is_folder(first) => 1,
        Some(first) => entries
            .iter()
            .take_while(|entry| entry.path.starts_with(&first.path))
            .count(),
    };
    entries.split_at_checked(count).unwrap_or((entries, &[]))
}

/// A folder with all of it that is kept, or anything else, as one state.
fn state(entries: &[Entry]) -> State {
    let Some((first, rest)) = entries.split_first() else {
        return State::Absent;
    };
    let State::Folder { mode, .. } = first.what.state() else {
        return first.what.state();
    };
    let below = |entry: &Entry| {
        Some((
            entry.path.strip_prefix(&first.path).ok()?.to_owned(),
            entry.what.state(),
        ))
    };
    State::Folder {
        mode,
        inside: Some(
            rest.iter()
                .filter(|entry| entry.what.is_kept())
                .filter_map(below)
                .collect(),
        ),
    }
}

/// Names that are told together.
#[derive(Default)]
struct Told {
    lost: Vec<PathBuf>,
    stays: Vec<PathBuf>,
    protected: Vec<PathBuf>,
    unknown: Vec<PathBuf>,
}

struct Found<'a> {
    root: &'a Path,
    difference: Difference,
    /// Folders whose new permissions let their owner change what is in them: their old ones come back last.
    opened: Vec<Step>,
    /// Those whose new permissions do not: their old ones come back first.
    closed: Vec<Step>,
    told: Told,
}

impl Found<'_> {
    fn gone(&mut self, was: &[Entry]) {
        let Some(first) = was.first() else { return };
        self.told.lost.extend(
            was.iter()
                .filter(|entry| !entry.what.is_kept())
                .map(|entry| entry.path.clone()),
        );
        if first.what.is_kept() {
            let path = self.root.join(&first.path);
            self.difference.deleted.push(path.clone());
            self.difference
                .steps
                .push(Step::put(path, state(was), State::Absent));
        }
    }

    fn made(&mut self, is: &[Entry]) {
        let Some((first, inside)) = is.split_first() else {
            return;
        };
        let path = self.root.join(&first.path);
        match first.what {
            // Nobody asked to keep what git ignores.
            What::Ignored(_) => return,
            What::Special | What::Git(_) | What::Closed(_) | What::Unseen => {
                self.told.stays.push(first.path.clone())
            }
            _ => {}
        }
        self.difference.created.push(path.clone());
        if is.iter().all(|entry| entry.what.is_kept()) {
            self.difference
                .steps
                .push(Step::put(path, State::Absent, state(is)));
        } else if is_folder(first) {
            // Something in it is not known, so it is not removed whole.
            self.told.stays.push(first.path.clone());
            let listed = self.difference.created.len();
            let mut rest = inside;
            while !rest.is_empty() {
                let (one, others) = whole(rest, false);
                self.made(one);
                rest = others;
            }
            self.difference.created.truncate(listed);
        }
    }

    fn both(&mut self, first: &Entry, was: &[Entry], is: &[Entry]) {
        let Some(now) = is.first() else { return };
        let path = self.root.join(&first.path);
        match (&first.what, &now.what) {
            (What::Folder(old), What::Folder(new)) if old == new => {}
            (What::Folder(old), What::Folder(new)) => self.permissions(&path, *old, *new),
            (What::Folder(old), What::Closed(new)) => {
                self.told.unknown.push(first.path.clone());
                if old != new {
                    self.permissions(&path, *old, *new);
                }
            }
            (What::Ignored(Some(old)), What::Ignored(Some(new))) if old != new => {
                self.told.protected.push(first.path.clone())
            }
            (What::Ignored(_), _) | (What::Special, What::Special) => {}
            (What::Git(old), What::Git(new))
                if (old.device, old.inode) == (new.device, new.inode) => {}
            (What::Special | What::Git(_), _) => {
                self.difference.changed.push(path);
                self.told.lost.push(first.path.clone());
            }
            (_, What::Closed(_) | What::Unseen | What::Ignored(_) | What::Git(_)) => {
                self.told.unknown.push(first.path.clone())
            }
            (old, new) if old.state() == new.state() => {}
            _ => {
                self.told.lost.extend(
                    was.iter()
                        .filter(|entry| !entry.what.is_kept())
                        .map(|entry| entry.path.clone()),
                );
                self.difference.changed.push(path.clone());
                self.difference
                    .steps
                    .push(Step::put(path, state(was), state(is)));
            }
        }
    }

    fn permissions(&mut self, path: &Path, old: u32, new: u32) {
        const OWNER_MAY_CHANGE: u32 = 0o300;
        let step = Step::put(
            path.to_owned(),
            State::Folder {
                mode: old,
                inside: None,
            },
            State::Folder {
                mode: new,
                inside: None,
            },
        );
        self.difference.changed.push(path.to_owned());
        if new & OWNER_MAY_CHANGE == OWNER_MAY_CHANGE {
            self.opened.push(step)
        } else {
            self.closed.push(step)
        }
    }

    fn finish(self) -> Difference {
        let Found {
            mut difference,
            opened,
            mut closed,
            told,
            ..
        } = self;
        // An undo goes backwards, and can only open a folder in a folder that is open by then.
        closed.reverse();
        difference.steps.splice(0..0, opened);
        difference.steps.extend(closed);
        let words = [
            (told.lost, "was not kept, so it does not come back"),
            (
                told.stays,
                "is not removed, as it is or holds something that is not kept",
            ),
            (
                told.protected,
                "was changed; it is ignored by git and not kept, so it stays as it is now",
            ),
            (
                told.unknown,
                "cannot be looked at any more, so what is there stays",
            ),
        ];
        difference.left_out.extend(
            words
                .iter()
                .filter(|(paths, _)| !paths.is_empty())
                .map(|(paths, words)| named(paths, words)),
        );
        difference
    }
}

fn named(paths: &[PathBuf], words: &str) -> String {
    let names: Vec<String> = paths
        .iter()
        .take(MOST_NAMED)
        .map(|path| format!("`{}`", shown(path)))
        .collect();
    match paths.len().saturating_sub(MOST_NAMED) {
        0 => format!("{}: {words}", names.join(", ")),
        more => format!("{} and {more} more: {words}", names.join(", ")),
    }
}
