//! What a bounded command made that it must not: protected names that no mount could keep out, since nobody knew where they would come.
//!
//! A sandbox keeps what is protected read-only, and keeps the usual names out of the top of a workspace. Anywhere else a new name is found
//! after the command has ended, and before anything else can have used it: it is moved to sayso's own folder, and that is told.

use std::collections::{BTreeSet, HashSet};
use std::fs::{self, DirBuilder};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use sayso_core::analysis::fact::{Fact, GitScope, Question, Shows};
use sayso_core::text::visible::visible;
use sayso_sandbox::placeholders::is_ours;
use sayso_sandbox::workspace_scan::{Found, ScanError};
use sayso_tools::private_folder;
use sayso_world::machine::Machine;

/// So many numbers that others took in the meantime are passed over.
const MOST_TRIES: usize = 1000;
/// So many are named to the agent.
const MOST_NAMED: usize = 10;

/// The folders of a command as they were before it.
pub struct Newcomers {
    folders: Vec<(PathBuf, Found)>,
    home: Option<String>,
    /// Protected names that came since the last command of the session, while something was left running.
    since: BTreeSet<PathBuf>,
}

/// Something that was taken away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// Where it was.
    pub path: PathBuf,
    /// Where it is now; none: it could not be moved, and is still there.
    pub to: Option<PathBuf>,
}

impl Newcomers {
    /// Looks at the folders that a command may write.
    ///
    /// # Errors
    /// If one cannot be looked at.
    pub fn before(
        folders: &[String],
        home: Option<&Path>,
        protected: &dyn Fn(&Path) -> bool,
    ) -> Result<Newcomers, ScanError> {
        let home = home.and_then(Path::to_str).map(str::to_owned);
        let mut looked = Vec::new();
        for folder in folders
            .iter()
            .filter_map(|folder| fs::canonicalize(folder).ok())
        {
            let found = Found::look(&folder, home.as_deref(), protected)?;
            looked.push((folder, found));
        }
        Ok(Newcomers {
            folders: looked,
            home,
            since: BTreeSet::new(),
        })
    }

    /// Compares with a file of names, if there is one. What came since may be of what was left running, or of the person: it is told,
    /// and not taken away.
    #[must_use]
    pub fn since(mut self, known: Option<&Path>) -> Newcomers {
        let Some(bytes) = known.and_then(|file| fs::read(file).ok()) else {
            return self;
        };
        let known: HashSet<&[u8]> = bytes.split(|byte| *byte == 0).collect();
        for (_, found) in &self.folders {
            let secret: BTreeSet<&PathBuf> = found.secret.iter().collect();
            let fresh = found.guarded().into_iter().filter(|path| {
                !known.contains(path.as_os_str().as_bytes())
                    && !secret.contains(path)
                    && !is_ours(path)
            });
            self.since.extend(fresh);
        }
        self
    }

    /// Keeps what is there now for the next command, where this one left something running.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn keep(
        folders: &[String],
        home: Option<&Path>,
        protected: &dyn Fn(&Path) -> bool,
        file: &Path,
        is_left: bool,
    ) -> std::io::Result<()> {
        if !is_left {
            return match fs::remove_file(file) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            };
        }
        let now = Newcomers::before(folders, home, protected).map_err(std::io::Error::other)?;
        let mut bytes = Vec::new();
        for path in now.folders.iter().flat_map(|(_, found)| found.guarded()) {
            bytes.extend_from_slice(path.as_os_str().as_bytes());
            bytes.push(0);
        }
        fs::write(file, bytes)
    }

    /// Takes away what has come since, but for what was approved by its path.
    pub fn take(
        self,
        approved: &[String],
        state: &Path,
        machine: &Machine,
        protected: &dyn Fn(&Path) -> bool,
    ) -> Taking {
        let mut taking = Taking {
            since: self.since.into_iter().collect(),
            ..Taking::default()
        };
        let mut place = Place {
            folder: state.join("sandbox").join("taken"),
            last: None,
        };
        for (folder, before) in &self.folders {
            let now = Found::look_again(folder, self.home.as_deref(), protected, before);
            let is_approved =
                |path: &Path| approved.iter().any(|approved| path.starts_with(approved));
            let repositories: BTreeSet<&PathBuf> = now
                .repositories
                .iter()
                .chain(&now.like_repositories)
                .collect();
            let leading: BTreeSet<&PathBuf> = now.leading.iter().collect();
            let known: HashSet<&Path> = before.repositories.iter().map(PathBuf::as_path).collect();
            let of_a_repository = |path: &Path| path.ancestors().any(|above| known.contains(above));
            let mut gone = Gone::default();
            for path in new_ones(before, &now) {
                let inside_taken = gone.took_along(&path);
                let inert = repositories.contains(&path)
                    && (is_inert(&path, folder, machine) || leads_to_known(&path, before));
                let is_gits_own = of_a_repository(&path) && !leading.contains(&path);
                if inside_taken
                    || inert
                    || is_gits_own
                    || is_approved(&path) && !leading.contains(&path)
                {
                    continue;
                }
                let taken = place.take(&path);
                gone.note(&taken);
                taking.taken.push(taken);
            }
            taking.unseen.extend(now.unseen.map(|why| why.to_string()));
        }
        taking
    }
}

/// The last path that was moved away. Paths come in order, so what was below one of them comes right behind it: one comparison is enough.
#[derive(Default)]
struct Gone(Option<PathBuf>);

impl Gone {
    fn took_along(&self, path: &Path) -> bool {
        self.0.as_deref().is_some_and(|last| path.starts_with(last))
    }

    fn note(&mut self, taken: &Taken) {
        if taken.to.is_some() {
            self.0 = Some(taken.path.clone());
        }
    }
}

/// What was taken away, and what could not be looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taking {
    /// What was taken.
    pub taken: Vec<Taken>,
    /// In words, what was not looked at.
    pub unseen: Vec<String>,
    /// What came before the command, while something was left running; it was not taken.
    pub since: Vec<PathBuf>,
}

/// What is there now and was not before. A link that leads elsewhere is new, and so is what stands where there was a link.
fn new_ones(before: &Found, now: &Found) -> BTreeSet<PathBuf> {
    let (known, there) = (before.guarded(), now.guarded());
    let turned = before
        .links
        .iter()
        .filter(|(path, to)| there.contains(*path) && now.links.get(*path) != Some(to));
    let turned: Vec<PathBuf> = turned.map(|(path, _)| path.clone()).collect();
    // What sayso itself has put there for another command goes with that, maybe at this moment.
    let is_there = |path: &Path| fs::symlink_metadata(path).is_ok();
    there
        .into_iter()
        .filter(|path| !known.contains(path) && !is_ours(path) && is_there(path))
        .chain(turned)
        .collect()
}

/// Whether git would only look at files in a new repository, and run nothing.
fn is_inert(path: &Path, workspace: &Path, machine: &Machine) -> bool {
    let folder = if path.ends_with(".git") {
        path.parent().unwrap_or(path)
    } else {
        path
    };
    let (Some(folder), Some(workspace)) = (folder.to_str(), workspace.to_str()) else {
        return false;
    };
    let question = Question::GitHelpers {
        folder: folder.to_owned(),
        shows: Shows::default(),
    };
    let facts = machine.answer(folder, workspace, &[question]);
    match facts.answers.first() {
        Some(Some(Fact::Git(fact))) => {
            // What the person set for all repositories is theirs.
            let foreign = fact
                .helpers
                .iter()
                .any(|helper| helper.scope == GitScope::Repository);
            !foreign && !fact.incomplete && path.ends_with(".git") && path.is_dir()
        }
        _ => false,
    }
}

/// Whether a `.git` file leads to a working tree's part of a repository that was there before (`git worktree add`).
fn leads_to_known(path: &Path, before: &Found) -> bool {
    let text = fs::metadata(path)
        .ok()
        .filter(|found| found.is_file() && found.len() < 8192)
        .and_then(|_| fs::read_to_string(path).ok());
    let Some(target) = text
        .as_deref()
        .and_then(|text| text.trim_end().strip_prefix("gitdir: "))
        .map(Path::new)
    else {
        return false;
    };
    let target = path.parent().unwrap_or(path).join(target);
    let Ok(target) = fs::canonicalize(target) else {
        return false;
    };
    let part_of = |repository: &PathBuf| {
        target.starts_with(repository.join("worktrees")) && target.join("commondir").is_file()
    };
    let same = |repository: &&PathBuf| {
        let common = fs::read_to_string(target.join("commondir")).unwrap_or_default();
        fs::canonicalize(target.join(common.trim_end())).is_ok_and(|common| common == **repository)
    };
    before
        .repositories
        .iter()
        .filter(|repository| part_of(repository))
        .any(|repository| same(&repository))
}

/// sayso's own folder for what is taken, each thing under a number of its own.
struct Place {
    folder: PathBuf,
    /// The last number that is known to be in use; none until something is taken.
    last: Option<u64>,
}

impl Place {
    /// Moves something there.
    fn take(&mut self, path: &Path) -> Taken {
        let moved = self.next().and_then(|folder| {
            let to = folder.join(path.file_name().unwrap_or_default());
            let moved = fs::rename(path, &to).or_else(|_| {
                let _above = path.parent().and_then(Opened::open);
                let _itself = Opened::open(path);
                fs::rename(path, &to).or_else(|_| copy_away(path, &to))
            });
            moved.ok()?;
            Some(to)
        });
        Taken {
            path: path.to_owned(),
            to: moved,
        }
    }

    /// A new folder behind all that are there.
    fn next(&mut self) -> Option<PathBuf> {
        let mut last = match self.last {
            Some(last) => last,
            None => {
                private_folder::make(&self.folder).ok()?;
                let names = fs::read_dir(&self.folder).ok()?.flatten();
                names
                    .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
                    .max()
                    .unwrap_or(0)
            }
        };
        // Somebody else may be at it, too.
        for _ in 0..MOST_TRIES {
            last = last.saturating_add(1);
            self.last = Some(last);
            let folder = self.folder.join(last.to_string());
            if DirBuilder::new().mode(0o700).create(&folder).is_ok() {
                return Some(folder);
            }
        }
        None
    }
}

/// A folder that was closed to its owner by the command, open until the value goes.
struct Opened(PathBuf, fs::Permissions);

impl Opened {
    fn open(folder: &Path) -> Option<Opened> {
        let was = fs::symlink_metadata(folder)
            .ok()
            .filter(fs::Metadata::is_dir)?
            .permissions();
        fs::set_permissions(folder, fs::Permissions::from_mode(was.mode() | 0o700)).ok()?;
        Some(Opened(folder.to_owned(), was))
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        // It is not there any more where it was taken.
        let _ = fs::set_permissions(&self.0, self.1.clone());
    }
}

/// To another file system: copied, then removed. Links are copied as links, and what is neither file, folder nor link is dropped.
fn copy_away(from: &Path, to: &Path) -> std::io::Result<()> {
    copy(from, to)?;
    if fs::symlink_metadata(from)?.is_dir() {
        fs::remove_dir_all(from)
    } else {
        fs::remove_file(from)
    }
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    let found = fs::symlink_metadata(from)?;
    match () {
        () if found.is_symlink() => std::os::unix::fs::symlink(fs::read_link(from)?, to),
        () if found.is_dir() => {
            fs::create_dir(to)?;
            fs::read_dir(from)?.try_for_each(|entry| {
                entry.and_then(|entry| copy(&entry.path(), &to.join(entry.file_name())))
            })
        }
        () if found.is_file() => fs::copy(from, to).map(|_| ()),
        () => Ok(()),
    }
}

/// What was taken, in words for the agent and the person.
pub fn words(
    Taking {
        taken,
        unseen,
        since,
    }: &Taking,
) -> Vec<String> {
    let shown = |path: &Path| visible(&path.to_string_lossy()).into_owned();
    let mut out: Vec<String> = taken
        .iter()
        .take(MOST_NAMED)
        .map(|one| match &one.to {
            Some(to) => format!(
                "the sandbox took away `{}`: it is protected, and the command made it without a question; it is kept in `{}`",
                shown(&one.path),
                shown(to)
            ),
            None => format!(
                "the command made `{}`, which is protected, and it could not be taken away: look at it before anything uses it",
                shown(&one.path)
            ),
        })
        .collect();
    if taken.len() > MOST_NAMED {
        out.push(format!("and {} more", taken.len() - MOST_NAMED));
    }
    out.extend(since.iter().take(MOST_NAMED).map(|path| {
        format!(
            "`{}` is protected, and came to be since the last command, while something was left running in the session's sandbox: look at it \
             before anything uses it",
            shown(path)
        )
    }));
    let not_seen = |why: &String| {
        format!(
            "not all that the command left could be looked at, so look at it before anything uses it: {why}"
        )
    };
    out.extend(unseen.iter().map(not_seen));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One comparison a path finds the same as looking through everything that was taken.
    #[test]
    fn finding_d_08_what_went_along_is_found_by_the_last_that_was_taken() {
        let names = [
            "/w/a", "/w/a/b", "/w/a/b/c", "/w/a b", "/w/a-b", "/w/a.x", "/w/a/z", "/w/ab",
            "/w/b/c", "/w/b/c/d", "/w/b/d", "/w/b",
        ];
        let paths: BTreeSet<PathBuf> = names.iter().map(PathBuf::from).collect();
        // Whatever of them cannot be moved.
        for stuck in 0..1_u32 << names.len() {
            let (mut gone, mut all) = (Gone::default(), Vec::<Taken>::new());
            for path in &paths {
                let slowly = all
                    .iter()
                    .any(|one| one.to.is_some() && path.starts_with(&one.path));
                assert_eq!(gone.took_along(path), slowly, "{stuck:b} {path:?}");
                if slowly {
                    continue;
                }
                let number = names
                    .iter()
                    .position(|name| Path::new(name) == path)
                    .unwrap();
                let taken = Taken {
                    path: path.clone(),
                    to: (stuck >> number & 1 == 0).then(|| PathBuf::from("/taken")),
                };
                gone.note(&taken);
                all.push(taken);
            }
        }
    }
}
