//! Goes through a workspace and lists what stands in it, without reading any file: through no link, and onto no other disk.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::ffi::OsStringExt as _;
use std::path::Path;

use rustix::fs::{FileType, Stat, fstat, readlinkat};
use rustix::io::Errno;

pub use crate::change_error::NotKept;
use sayso_sandbox::placeholders;

use crate::change_error::{CannotKeep, TooMuch};
use crate::listing::{Entry, Identity, Listing, What, now};
use crate::open_nofollow::{self, PathError, kind, mode};
use crate::tree::names;

/// The deepest folder that is looked into.
const DEEPEST: usize = 100;

/// What is looked at; the paths are absolute.
#[derive(Clone, Copy)]
pub struct Rules<'a> {
    /// Whether git ignores it; the second value says whether it is a folder. A file that git tracks is not ignored.
    pub ignored: &'a dyn Fn(&Path, bool) -> bool,
    /// Whether a change of it is told even if it is ignored.
    pub protected: &'a dyn Fn(&Path) -> bool,
}

impl Rules<'_> {
    /// Nothing is ignored.
    pub const NONE: Rules<'static> = Rules {
        ignored: &|_, _| false,
        protected: &|_| false,
    };
}

impl fmt::Debug for Rules<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Rules")
    }
}

/// A walk through a workspace.
struct Walk<'a> {
    root: &'a Path,
    device: u64,
    rules: Rules<'a>,
    /// What stood there before the command; none if this is the look before it.
    before: Option<HashMap<&'a Path, &'a What>>,
    /// So many names are looked at.
    most: usize,
    looked_at: usize,
    entries: Vec<Entry>,
}

/// What stands in a workspace before a command. Everything in it must be fit to be kept.
///
/// # Errors
/// If there are more than `most` names that git does not ignore, or something cannot be looked at.
pub fn before(root: &Path, most: usize, rules: Rules<'_>) -> Result<Listing, NotKept> {
    walk(root, most, rules, None)
}

/// What stands in a workspace after a command. Whatever the command did to the ignore files, what was kept before it is looked at; of
/// what is new, `most` names are.
///
/// # Errors
/// If the workspace itself cannot be looked at.
pub fn after(listing: &Listing, most: usize, rules: Rules<'_>) -> Result<Listing, NotKept> {
    let before = listing
        .entries
        .iter()
        .map(|entry| (entry.path.as_path(), &entry.what))
        .collect();
    walk(
        &listing.root,
        listing.entries.len() + most,
        rules,
        Some(before),
    )
}

fn walk<'a>(
    root: &'a Path,
    most: usize,
    rules: Rules<'a>,
    before: Option<HashMap<&'a Path, &'a What>>,
) -> Result<Listing, NotKept> {
    let taken = now();
    let open = open_nofollow::names_of(root)?;
    let found = fstat(&open).map_err(|error| PathError::System(root.to_owned(), error))?;
    let mut walk = Walk {
        root,
        device: Identity::of(&found).device,
        rules,
        before,
        most,
        looked_at: 0,
        entries: Vec::new(),
    };
    let names = names(&open).map_err(|error| PathError::System(root.to_owned(), error))?;
    walk.below(&open, Path::new(""), names, 1)?;
    Ok(Listing {
        root: root.to_owned(),
        mode: mode(&found),
        taken,
        entries: walk.entries,
    })
}

impl Walk<'_> {
    fn below(
        &mut self,
        folder: &OwnedFd,
        at: &Path,
        names: Vec<OsString>,
        depth: usize,
    ) -> Result<(), NotKept> {
        for name in names {
            let path = at.join(&name);
            let whole = self.root.join(&path);
            // What is gone by now was taken away by somebody else in this moment.
            let what = match open_nofollow::stat(folder, &name) {
                Ok(Some(found)) => self.what(folder, &name, &path, &whole, &found)?,
                Ok(None) => None,
                Err(_) if self.before.is_some() => Some(What::Unseen),
                Err(error) => return Err(PathError::System(whole, error).into()),
            };
            let Some(what) = what else { continue };
            let what = self.counted(what, &path, depth)?;
            let What::Folder(bits) = what else {
                self.entries.push(Entry { path, what });
                continue;
            };
            self.entries.push(Entry {
                path: path.clone(),
                what,
            });
            let inner = open_nofollow::inner(folder, &name, &whole);
            let inside = inner.and_then(|open| match self::names(&open) {
                Ok(names) => Ok((open, names)),
                Err(error) => Err(PathError::System(whole.clone(), error)),
            });
            match inside {
                Ok((open, names)) => self.below(&open, &path, names, depth + 1)?,
                Err(PathError::Missing(_)) => drop(self.entries.pop()),
                Err(_) if self.before.is_some() => {
                    self.entries.pop();
                    self.entries.push(Entry {
                        path,
                        what: What::Closed(bits),
                    });
                }
                Err(trouble) => return Err(trouble.into()),
            }
        }
        Ok(())
    }

    fn what(
        &self,
        folder: &OwnedFd,
        name: &OsStr,
        path: &Path,
        whole: &Path,
        found: &Stat,
    ) -> Result<Option<What>, NotKept> {
        // What keeps a name from being made is sayso's own, and goes when nothing needs it any more.
        if placeholders::may_be_ours(found.st_mode) && placeholders::is_ours(whole) {
            return Ok(None);
        }
        let kind = kind(found);
        let is_folder = kind == FileType::Directory;
        if is_folder && name == ".git" {
            return Ok(Some(What::Git(Identity::of(found))));
        }
        let known = self.before.as_ref().and_then(|before| before.get(path));
        let ignored = match known {
            Some(What::Ignored(_)) => true,
            Some(_) => false,
            None => (self.rules.ignored)(whole, is_folder),
        };
        if ignored {
            let protected =
                matches!(known, Some(What::Ignored(Some(_)))) || (self.rules.protected)(whole);
            return Ok(Some(What::Ignored(protected.then(|| Identity::of(found)))));
        }
        Ok(Some(match kind {
            FileType::Directory if Identity::of(found).device != self.device => match self.before {
                Some(_) => What::Closed(mode(found)),
                None => {
                    return Err(CannotKeep::OtherDisk(whole.to_owned()).into());
                }
            },
            FileType::Directory => What::Folder(mode(found)),
            FileType::Symlink => match readlinkat(folder.as_fd(), name, Vec::new()) {
                Ok(target) => What::Link(OsString::from_vec(target.into_bytes())),
                Err(Errno::NOENT | Errno::INVAL) => return Ok(None),
                Err(error) => return Err(PathError::System(whole.to_owned(), error).into()),
            },
            FileType::RegularFile => What::file(found),
            _ => What::Special,
        }))
    }

    /// The same, if there is room for it.
    fn counted(&mut self, what: What, path: &Path, depth: usize) -> Result<What, NotKept> {
        self.looked_at += usize::from(what.is_kept());
        if !what.is_kept() || self.looked_at <= self.most && depth <= DEEPEST {
            return Ok(what);
        }
        match &self.before {
            Some(before) if before.contains_key(path) => Ok(what),
            Some(_) => Ok(What::Unseen),
            None if depth > DEEPEST => Err(TooMuch::Deep {
                path: self.root.join(path),
                most: DEEPEST,
            }
            .into()),
            None => Err(TooMuch::Names { most: self.most }.into()),
        }
    }
}
