//! The session's own folder for caches: real folders, with links to the person's data, which the sandbox shows read-only elsewhere.
//!
//! A tool that rewrites a file replaces the link; one that writes through it is refused. Files that tools append to are copied.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, symlink};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use thiserror::Error as ThisError;

use super::find::{Cache, find};
use super::table::{Share, is_passing, is_rewritten};
use crate::symlinks;
use crate::workspace_scan::shown;

/// A cache with more than this stays read-only.
const MAX_ENTRIES: usize = 100_000;
const MAX_COPIED: u64 = 64 * 1024 * 1024;
/// Deeper folders are no data of a cache.
const MAX_DEPTH: usize = 24;

/// Why a session has no folder for caches.
#[derive(Debug, ThisError)]
#[expect(missing_docs, reason = "the message says it")]
pub enum CachesError {
    #[error("the session's folder for caches cannot be made: `{}`: {source}", shown(.path))]
    Folder { path: PathBuf, source: io::Error },
}

/// Makes the session's folder for caches, which must not be there yet; commands of that session get it with
/// [`Around::caches`](crate::derive::Around). Gives the names of caches that are too large to be written to: they are shown read-only.
///
/// # Errors
/// If the folder is there, or cannot be made.
pub fn prepare(
    folder: &Path,
    home: Option<&Path>,
    environment: &[(OsString, OsString)],
) -> Result<Vec<&'static str>, CachesError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| CachesError::Folder { path, source }
    };
    new_folder(folder).map_err(failed(folder))?;
    let home = home.map(symlinks::resolved);
    let mut left_out = Vec::new();
    for cache in find(home.as_deref(), environment, &[]) {
        let own = folder.join(cache.name());
        new_folder(&own).map_err(failed(&own))?;
        let mut budget = Budget {
            entries: MAX_ENTRIES,
            bytes: MAX_COPIED,
        };
        if fill(&cache, &own, &mut budget).is_err() {
            fs::remove_dir_all(&own).map_err(failed(&own))?;
            left_out.push(cache.name());
        }
    }
    Ok(left_out)
}

/// What may still be made for one cache.
struct Budget {
    entries: usize,
    bytes: u64,
}

impl Budget {
    fn entry(&mut self) -> io::Result<()> {
        let left = self.entries.checked_sub(1);
        self.entries = left.ok_or_else(too_large)?;
        Ok(())
    }
}

fn too_large() -> io::Error {
    io::Error::from(io::ErrorKind::FileTooLarge)
}

fn new_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)
}

fn fill(cache: &Cache, own: &Path, budget: &mut Budget) -> io::Result<()> {
    for part in &cache.parts {
        let to = own.join(&part.path);
        if !part.path.as_os_str().is_empty() {
            DirBuilder::new().recursive(true).mode(0o700).create(&to)?;
        }
        let depth = match part.share {
            // A place for the mount, which needs no folder that a command could have turned into a link.
            Share::InPlace | Share::Aside { .. } => continue,
            Share::Entries(depth) => depth,
            Share::Files | Share::Copies | Share::Modules => MAX_DEPTH,
        };
        let hidden = |path: &Path| part.hidden.iter().any(|hidden| hidden == path);
        let branch = Branch {
            share: part.share,
            hidden: &hidden,
        };
        branch.grow(&part.source, &to, &cache.aside(&part.path), depth, budget)?;
    }
    Ok(())
}

/// A part, on its way down.
struct Branch<'a> {
    share: Share,
    hidden: &'a dyn Fn(&Path) -> bool,
}

impl Branch<'_> {
    /// Links what is in `source` from `to`, by where the sandbox shows it.
    fn grow(
        &self,
        source: &Path,
        to: &Path,
        aside: &Path,
        depth: usize,
        budget: &mut Budget,
    ) -> io::Result<()> {
        let is_last = depth <= 1;
        for entry in fs::read_dir(source)?.flatten() {
            let (name, from) = (entry.file_name(), entry.path());
            let text = name.to_string_lossy();
            if is_passing(&text) || (self.hidden)(&from) {
                continue;
            }
            budget.entry()?;
            let (to, aside, kind) = (to.join(&name), aside.join(&name), entry.file_type()?);
            // Not `@v`, the folder of a module's versions.
            let is_module = self.share == Share::Modules && text.find('@').is_some_and(|at| at > 0);
            if kind.is_symlink() {
                // It leads wherever it does in the sandbox; nothing outside follows it.
                symlink(fs::read_link(&from)?, &to)?;
            } else if kind.is_dir()
                && !is_module
                && !matches!(self.share, Share::Entries(_) if is_last)
            {
                if is_last {
                    continue;
                }
                new_folder(&to)?;
                self.grow(&from, &to, &aside, depth - 1, budget)?;
            } else if kind.is_file() && (self.share == Share::Copies || is_rewritten(&text)) {
                copy(&from, &to, budget)?;
            } else if kind.is_file() || kind.is_dir() {
                symlink(&aside, &to)?;
            }
        }
        Ok(())
    }
}

/// Copies a plain file, and no more of it than is left.
fn copy(from: &Path, to: &Path, budget: &mut Budget) -> io::Result<()> {
    let flags = i32::try_from((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits()).unwrap_or_default();
    let source = OpenOptions::new()
        .read(true)
        .custom_flags(flags)
        .open(from)?;
    if !source.metadata()?.is_file() {
        return Ok(());
    }
    let mut copy: File = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(to)?;
    let copied = io::copy(&mut source.take(budget.bytes + 1), &mut copy)?;
    budget.bytes = budget.bytes.checked_sub(copied).ok_or_else(too_large)?;
    Ok(())
}
