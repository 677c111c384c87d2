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
    let top = |listing: &Listing| State::Folder {
        mode: listing.mode,
        inside: None,
        attributes: listing.attributes.clone(),
    };
    if !top(before).agrees(&top(after)) {
        found.permissions(&before.root, top(before), top(after));
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
    matches!(entry.what, What::Folder { .. })
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
    let State::Folder {
        mode, attributes, ..
    } = first.what.state()
    else {
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
        attributes,
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
    rebuildable: Vec<PathBuf>,
    stays: Vec<PathBuf>,
    changed: Vec<PathBuf>,
    unknown: Vec<PathBuf>,
    elsewhere: Vec<PathBuf>,
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
    fn lost(&mut self, was: &[Entry]) {
        for Entry { path, what } in was {
            match what {
                What::Rebuildable { .. } => self.told.rebuildable.push(path.clone()),
                what if !what.is_kept() => self.told.lost.push(path.clone()),
                _ => {}
            }
        }
    }

    fn gone(&mut self, was: &[Entry]) {
        let Some(first) = was.first() else { return };
        self.lost(was);
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
        let is_known =
            |entry: &Entry| entry.what.is_kept() || matches!(entry.what, What::Rebuildable { .. });
        if !is_known(first) {
            self.told.stays.push(first.path.clone());
        }
        self.difference.created.push(path.clone());
        if is.iter().all(is_known) {
            self.difference
                .steps
                .push(Step::put(path, State::Absent, state(is)));
            // What can be rebuilt is taken away by itself, before the folder that it is in.
            let rebuildable = inside.iter().filter(|entry| !entry.what.is_kept());
            self.difference.steps.extend(rebuildable.map(|entry| {
                let path = self.root.join(&entry.path);
                Step::put(path, State::Absent, entry.what.state())
            }));
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
            (What::Folder { .. }, What::Folder { .. }) => {
                let (old, new) = (first.what.state(), now.what.state());
                if !old.agrees(&new) {
                    self.permissions(&path, old, new);
                }
            }
            (What::Folder { .. }, What::Closed(_)) => {
                self.told.unknown.push(first.path.clone());
                let (old, new) = (first.what.state(), now.what.state());
                if !old.agrees(&new) {
                    self.permissions(&path, old, new);
                }
            }
            (What::Hidden(old), What::Hidden(new)) | (What::ReadOnly(old), What::ReadOnly(new)) => {
                if old != new {
                    self.told.changed.push(first.path.clone());
                }
            }
            (What::Special, What::Special)
            | (What::Rebuildable { .. }, What::Rebuildable { .. } | What::Folder { .. }) => {}
            (What::Special | What::Hidden(_) | What::ReadOnly(_), _) => {
                self.difference.changed.push(path);
                self.told.lost.push(first.path.clone());
            }
            (What::Rebuildable { .. }, _) => {
                self.difference.changed.push(path);
                self.told.rebuildable.push(first.path.clone());
            }
            (
                _,
                What::Closed(_)
                | What::Unseen
                | What::Hidden(_)
                | What::ReadOnly(_)
                | What::Rebuildable { .. },
            ) => self.told.unknown.push(first.path.clone()),
            (old, new) if old.state().agrees(&new.state()) => {}
            (old, _) => {
                // Of objects of git another repository may have the same file.
                if let What::File { identity, .. } = old
                    && let What::File {
                        identity: new,
                        names: 2..,
                        ..
                    } = &now.what
                    && identity.inode == new.inode
                {
                    self.told.elsewhere.push(first.path.clone());
                }
                self.lost(was);
                self.difference.changed.push(path.clone());
                self.difference
                    .steps
                    .push(Step::put(path, state(was), state(is)));
            }
        }
    }

    fn permissions(&mut self, path: &Path, old: State, new: State) {
        const OWNER_MAY_CHANGE: u32 = 0o300;
        let is_open = matches!(new, State::Folder { mode, .. } if mode & OWNER_MAY_CHANGE == OWNER_MAY_CHANGE);
        let step = Step::put(path.to_owned(), old, new);
        self.difference.changed.push(path.to_owned());
        match is_open {
            true => self.opened.push(step),
            false => self.closed.push(step),
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
                told.rebuildable,
                "can be rebuilt, so it was not kept and does not come back",
            ),
            (
                told.stays,
                "is not removed, as it is or holds something that is not kept",
            ),
            (
                told.changed,
                "was changed; it is not kept, so it stays as it is now",
            ),
            (
                told.unknown,
                "cannot be looked at any more, so what is there stays",
            ),
            (
                told.elsewhere,
                "has another name, where the change stays as well",
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
