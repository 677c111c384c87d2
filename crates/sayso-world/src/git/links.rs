//! Finds links inside of a repository's data that lead out of it: git prints parts of many of its files, wherever they come from.

use std::fs;
use std::path::{Path, PathBuf};

use crate::canonical::Walker;
use crate::git::repository::Repository;

/// Folders of a repository's data that git reads by name. Objects are checked by their digest, modules are repositories of their own, and
/// what other programs keep beside them (`lfs`, `annex`) git does not read.
const FOLDERS: [&str; 14] = [
    "refs",
    "logs",
    "info",
    "worktrees",
    "rebase-merge",
    "rebase-apply",
    "sequencer",
    "rr-cache",
    "remotes",
    "branches",
    "reftable",
    "objects/info",
    "objects/pack",
    "NOTES_MERGE_WORKTREE",
];

/// Parts that may be shared between repositories of one workspace, as the tool `repo` does; where they lead is looked at elsewhere.
const SHARED: [&str; 3] = ["objects", "hooks", "modules"];

/// Names that are looked at in one repository.
const MOST_NAMES: usize = 20_000;

/// What was found of links.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Links {
    /// None that leads out.
    Inside,
    /// A link, and where it leads.
    Elsewhere { link: String, target: String },
    /// There is more than is looked at, or a folder could not be read.
    Unknown,
}

/// Looks at every name that git reads in a repository's data.
pub(crate) fn links(repository: &Repository, walker: &mut Walker) -> Links {
    let mut left = MOST_NAMES;
    let several = repository.own != repository.common;
    let data = std::iter::once(&repository.own).chain(several.then_some(&repository.common));
    for folder in data {
        let mut waiting: Vec<PathBuf> =
            FOLDERS.iter().rev().map(|name| folder.join(name)).collect();
        waiting.push(folder.clone());
        while let Some(next) = waiting.pop() {
            let is_top = next == *folder;
            let found = look(&next, is_top, repository, walker, &mut waiting, &mut left);
            if found != Links::Inside {
                return found;
            }
        }
    }
    Links::Inside
}

fn look(
    folder: &Path,
    is_top: bool,
    repository: &Repository,
    walker: &mut Walker,
    waiting: &mut Vec<PathBuf>,
    left: &mut usize,
) -> Links {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error)
            if matches!(
                error.kind(),
                std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
            ) =>
        {
            return Links::Inside;
        }
        Err(_) => return Links::Unknown,
    };
    for entry in entries {
        let Some(entry) = entry.ok().filter(|_| *left > 0) else {
            return Links::Unknown;
        };
        *left -= 1;
        let Ok(kind) = entry.file_type() else {
            return Links::Unknown;
        };
        if kind.is_dir() && !is_top {
            waiting.push(entry.path());
        }
        let shared = is_top
            && entry
                .file_name()
                .to_str()
                .is_some_and(|name| SHARED.contains(&name));
        if !kind.is_symlink() || shared {
            continue;
        }
        let path = entry.path();
        let target = path
            .to_str()
            .and_then(|path| walker.walk("/", path, false))
            .map(|walked| walked.canonical);
        let within = |target: &String| {
            [&repository.own, &repository.common]
                .iter()
                .any(|data| Path::new(target).starts_with(data))
        };
        if !target.as_ref().is_some_and(within) {
            let target = target.unwrap_or_else(|| "/".to_owned());
            return Links::Elsewhere {
                link: path.to_string_lossy().into_owned(),
                target,
            };
        }
    }
    Links::Inside
}
