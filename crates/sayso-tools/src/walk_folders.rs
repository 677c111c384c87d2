//! Reads many folders at once: the names in each and what stands under them, through no link and without opening any file.

use std::collections::HashMap;
use std::ffi::OsString;
use std::num::NonZero;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use rustix::fs::{FileType, Stat, readlinkat};
use rustix::io::Errno;

use sayso_sandbox::placeholders;

use crate::attributes::Attributes;
use crate::listing::{Identity, Listing, What};
use crate::open_nofollow::{self, PathError, kind, mode};
use crate::rebuildable::{self, Rebuilt};
use crate::tree::names;

/// The deepest folder that is looked into.
pub(crate) const MAX_DEPTH: usize = 100;
/// How many folders wait before more threads help.
const MANY: usize = 48;
/// The most threads that help.
const MAX_THREADS: usize = 8;

/// What all threads share.
pub(crate) struct Walk<'a> {
    pub(crate) root: &'a Path,
    pub(crate) open: OwnedFd,
    pub(crate) device: u64,
    /// What is not looked into, by the folder it is in.
    pub(crate) apart: HashMap<PathBuf, Vec<(OsString, Apart)>>,
    /// An earlier listing of the workspace.
    pub(crate) earlier: Option<&'a Listing>,
    /// Whether this is the look after a command: then the walk goes on whatever happens.
    pub(crate) is_after: bool,
    /// How many names are looked at.
    pub(crate) most: usize,
    pub(crate) count: AtomicUsize,
}

/// Why something is not looked into.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Apart {
    Hidden,
    /// It was hidden from the last command.
    WasHidden,
    /// It was too large to be kept.
    ReadOnly(Identity),
}

/// What one round found.
#[derive(Default)]
pub(crate) struct Round {
    pub(crate) folders: Vec<(PathBuf, Inside)>,
    /// Folders that are not looked into yet.
    pub(crate) unvisited: Vec<PathBuf>,
    /// Folders that may be rebuildable.
    pub(crate) candidates: Vec<(PathBuf, Identity, Rebuilt)>,
    /// What cannot be looked at.
    pub(crate) troubles: Vec<(PathBuf, Trouble)>,
}

/// Why something cannot be looked at.
pub(crate) enum Trouble {
    Path(PathError),
    OtherDisk,
    Deep,
}

/// What is in a folder.
pub(crate) struct Inside {
    pub(crate) names: Vec<(OsString, What)>,
    /// The folder's own.
    pub(crate) attributes: Attributes,
}

#[derive(Default)]
struct Queue {
    waiting: Vec<PathBuf>,
    /// How many folders are being read now.
    busy: usize,
}

impl Walk<'_> {
    /// Reads folders and all that is below them.
    pub(crate) fn round(&self, start: Vec<PathBuf>) -> Round {
        let queue = Mutex::new(Queue {
            waiting: start,
            busy: 0,
        });
        let (mut round, more) = (Round::default(), Condvar::new());
        while !self.is_full() {
            let mut open = lock(&queue);
            if open.waiting.len() >= MANY {
                break;
            }
            let Some(path) = open.waiting.pop() else {
                return round;
            };
            drop(open);
            let below = self.visit(path, &mut round);
            lock(&queue).waiting.extend(below);
        }
        let threads = std::thread::available_parallelism()
            .map_or(1, NonZero::get)
            .min(MAX_THREADS);
        let others: Vec<Round> = std::thread::scope(|scope| {
            let helpers: Vec<_> = (1..threads)
                .map(|_| scope.spawn(|| self.work(&queue, &more)))
                .collect();
            let own = self.work(&queue, &more);
            let joined = helpers.into_iter().map(|helper| match helper.join() {
                Ok(round) => round,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            std::iter::once(own).chain(joined).collect()
        });
        for other in others {
            round.folders.extend(other.folders);
            round.candidates.extend(other.candidates);
            round.troubles.extend(other.troubles);
        }
        let left = queue.into_inner().unwrap_or_else(PoisonError::into_inner);
        round.unvisited = left.waiting;
        round
    }

    fn work(&self, queue: &Mutex<Queue>, more: &Condvar) -> Round {
        let mut round = Round::default();
        let mut open = lock(queue);
        loop {
            if self.is_full() || open.waiting.is_empty() && open.busy == 0 {
                more.notify_all();
                return round;
            }
            let Some(path) = open.waiting.pop() else {
                open = more.wait(open).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            open.busy += 1;
            drop(open);
            let below = self.visit(path, &mut round);
            open = lock(queue);
            open.busy -= 1;
            open.waiting.extend(below);
            more.notify_all();
        }
    }

    fn is_full(&self) -> bool {
        !self.is_after && self.count.load(Ordering::Relaxed) > self.most
    }

    /// Reads one folder; what comes back are the folders in it that are looked into, too.
    fn visit(&self, path: PathBuf, round: &mut Round) -> Vec<PathBuf> {
        let mut below = Vec::new();
        if path.components().count() > MAX_DEPTH {
            round.troubles.push((path, Trouble::Deep));
            return below;
        }
        let whole = self.root.join(&path);
        let opened = open_nofollow::names_below(&self.open, &path, &whole).and_then(|open| {
            let system = |error| PathError::System(whole.clone(), error);
            Ok((
                Attributes::of(&open).map_err(system)?,
                names(&open).map_err(system)?,
                open,
            ))
        });
        let (attributes, names, open) = match opened {
            Ok(opened) => opened,
            Err(why) => {
                round.troubles.push((path, Trouble::Path(why)));
                return below;
            }
        };
        let apart = self.apart.get(&path);
        let mut inside = Vec::with_capacity(names.len());
        let mut maybe = Vec::new();
        for name in names {
            let found = match open_nofollow::stat(&open, &name) {
                Ok(Some(found)) => found,
                // What is gone by now was taken away by another process in this moment.
                Ok(None) => continue,
                Err(_) if self.is_after => {
                    inside.push((name, What::Unseen));
                    continue;
                }
                Err(error) => {
                    let at = path.join(&name);
                    let why = PathError::System(self.root.join(&at), error);
                    round.troubles.push((at, Trouble::Path(why)));
                    continue;
                }
            };
            // What keeps a name from being made is sayso's own, and goes when nothing needs it any more.
            if placeholders::may_be_ours(found.st_mode) && placeholders::is_ours(&whole.join(&name))
            {
                continue;
            }
            let mut apart = apart.iter().flat_map(|apart| apart.iter());
            let apart = apart
                .find(|(other, _)| *other == name)
                .and_then(|(_, apart)| self.apart(*apart, &found));
            if let Some(what) = apart {
                inside.push((name, what));
                continue;
            }
            let what = match kind(&found) {
                FileType::Directory => What::Folder {
                    mode: mode(&found),
                    attributes: Attributes::default(),
                },
                FileType::RegularFile => What::file(&found),
                FileType::Symlink => match readlinkat(open.as_fd(), &name, Vec::new()) {
                    Ok(target) => What::Link(OsString::from_vec(target.into_bytes())),
                    Err(Errno::NOENT | Errno::INVAL) => continue,
                    Err(_) => What::Unseen,
                },
                _ => What::Special,
            };
            if what.is_kept() && !self.has_room(|| path.join(&name)) {
                inside.push((name, What::Unseen));
                continue;
            }
            if matches!(what, What::Folder { .. }) {
                if Identity::of(&found).device != self.device {
                    round.troubles.push((path.join(&name), Trouble::OtherDisk));
                } else if rebuildable::may_be(&name) {
                    maybe.push((name.clone(), Identity::of(&found)));
                } else {
                    below.push(path.join(&name));
                }
            }
            inside.push((name, what));
        }
        for (name, identity) in maybe {
            let at = path.join(&name);
            match self.rebuilt(&open, &at, &inside) {
                Some(how) => round.candidates.push((at, identity, how)),
                None => below.push(at),
            }
        }
        round.folders.push((
            path,
            Inside {
                names: inside,
                attributes,
            },
        ));
        below
    }

    /// What stands for something that is not looked into.
    fn apart(&self, apart: Apart, found: &Stat) -> Option<What> {
        let identity = Identity::of(found);
        match apart {
            Apart::Hidden => Some(What::Hidden(identity)),
            Apart::WasHidden => self.is_after.then_some(What::Hidden(identity)),
            // Before a command, only what nothing has changed since is taken to be too large again.
            Apart::ReadOnly(then) => {
                let is_same = identity == then && kind(found) == FileType::Directory;
                (self.is_after || is_same).then_some(What::ReadOnly(identity))
            }
        }
    }

    /// Counts a name that is kept. After a command, there is room for all that was there before it.
    fn has_room(&self, path: impl Fn() -> PathBuf) -> bool {
        let count = self.count.fetch_add(1, Ordering::Relaxed) + 1;
        !self.is_after
            || count <= self.most
            || self
                .earlier
                .is_some_and(|earlier| earlier.get(&path()).is_some())
    }

    fn rebuilt(&self, open: &OwnedFd, path: &Path, beside: &[(OsString, What)]) -> Option<Rebuilt> {
        let is_file = |what: &What| matches!(what, What::File { .. });
        rebuildable::find(
            path,
            |wanted| {
                beside
                    .iter()
                    .any(|(name, what)| is_file(what) && wanted(name))
            },
            |file| {
                let inner = open_nofollow::inner(open, path.file_name().unwrap_or_default(), path);
                inner
                    .ok()
                    .and_then(|inner| open_nofollow::stat(&inner, file).ok()?)
                    .is_some_and(|found| kind(&found) == FileType::RegularFile)
            },
        )
    }
}

fn lock(queue: &Mutex<Queue>) -> MutexGuard<'_, Queue> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}
