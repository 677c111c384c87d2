//! What a bounded command made that it must not: protected names that no mount could keep out, since nobody knew where they would come.
//!
//! A sandbox keeps what is protected read-only, and keeps the usual names out of the top of a workspace. Anywhere else a new name is found
//! after the command has ended, and before anything else can have used it: it is moved to sayso's own folder, and that is told.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use sayso_core::fact::{Fact, Question};
use sayso_core::visible::visible;
use sayso_sandbox::found::Found;
use sayso_tools::private_folder;
use sayso_world::machine::Machine;

/// So many are named to the agent.
const MOST_NAMED: usize = 10;

/// The folders of a command as they were before it.
pub struct Newcomers {
    folders: Vec<(PathBuf, Found)>,
    home: Option<String>,
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
    pub fn before(folders: &[String], home: Option<&Path>, protected: &dyn Fn(&Path) -> bool) -> Result<Newcomers, String> {
        let home = home.and_then(Path::to_str).map(str::to_owned);
        let mut looked = Vec::new();
        for folder in folders.iter().filter_map(|folder| fs::canonicalize(folder).ok()) {
            let found = Found::look(&folder, home.as_deref(), protected)?;
            looked.push((folder, found));
        }
        Ok(Newcomers { folders: looked, home })
    }

    /// Takes away what has come since, but for what was approved by its path.
    ///
    /// # Errors
    /// If the folders cannot be looked at.
    pub fn take(
        self,
        approved: &[String],
        state: &Path,
        machine: &Machine,
        protected: &dyn Fn(&Path) -> bool,
    ) -> Result<Vec<Taken>, String> {
        let mut taken = Vec::new();
        for (folder, before) in &self.folders {
            let now = Found::look(folder, self.home.as_deref(), protected)?;
            let known = before.guarded();
            let is_approved = |path: &Path| approved.iter().any(|approved| path.starts_with(approved));
            let repositories: BTreeSet<&PathBuf> = now.repositories.iter().chain(&now.like_repositories).collect();
            // A link that leads elsewhere now is a new one.
            let turned = now.links.iter().filter(|(path, to)| before.links.get(*path).is_some_and(|was| was != *to));
            let new: BTreeSet<PathBuf> =
                now.guarded().into_iter().filter(|path| !known.contains(path)).chain(turned.map(|(path, _)| path.clone())).collect();
            let of_a_repository = |path: &Path| before.repositories.iter().any(|repository| path.starts_with(repository));
            for path in new {
                let inside_taken = taken.iter().any(|one: &Taken| path.starts_with(&one.path));
                let inert = repositories.contains(&path) && (is_inert(&path, folder, machine) || leads_to_known(&path, before));
                if inside_taken || inert || is_approved(&path) || of_a_repository(&path) {
                    continue;
                }
                taken.push(take_away(&path, state));
            }
        }
        Ok(taken)
    }
}

/// Whether git would only look at files in a new repository, and run nothing.
fn is_inert(path: &Path, workspace: &Path, machine: &Machine) -> bool {
    let folder = if path.ends_with(".git") { path.parent().unwrap_or(path) } else { path };
    let (Some(folder), Some(workspace)) = (folder.to_str(), workspace.to_str()) else { return false };
    let question = Question::GitHelpers { folder: folder.to_owned(), logins: false, stash: false };
    let facts = machine.answer(folder, workspace, &[question]);
    match facts.answers.first() {
        Some(Some(Fact::Git(fact))) => fact.helpers.is_empty() && !fact.incomplete && path.ends_with(".git") && path.is_dir(),
        _ => false,
    }
}

/// Whether a `.git` file leads to a working tree's part of a repository that was there before (`git worktree add`).
fn leads_to_known(path: &Path, before: &Found) -> bool {
    let text = fs::metadata(path).ok().filter(|found| found.is_file() && found.len() < 8192).and_then(|_| fs::read_to_string(path).ok());
    let Some(target) = text.as_deref().and_then(|text| text.trim_end().strip_prefix("gitdir: ")).map(Path::new) else { return false };
    let target = path.parent().unwrap_or(path).join(target);
    let Ok(target) = fs::canonicalize(target) else { return false };
    let part_of = |repository: &PathBuf| target.starts_with(repository.join("worktrees")) && target.join("commondir").is_file();
    let same = |repository: &&PathBuf| {
        let common = fs::read_to_string(target.join("commondir")).unwrap_or_default();
        fs::canonicalize(target.join(common.trim_end())).is_ok_and(|common| common == **repository)
    };
    before.repositories.iter().filter(|repository| part_of(repository)).any(|repository| same(&repository))
}

/// Moves it to sayso's own folder, under a number of its own.
fn take_away(path: &Path, state: &Path) -> Taken {
    let place = state.join("sandbox").join("taken");
    let name = path.file_name().unwrap_or_default();
    let free = (1..10_000).map(|number: u32| place.join(number.to_string())).find(|folder| !folder.exists());
    let moved = free.and_then(|folder| {
        private_folder::make(&folder).ok()?;
        let to = folder.join(name);
        fs::rename(path, &to).or_else(|_| copy_away(path, &to)).ok()?;
        Some(to)
    });
    Taken { path: path.to_owned(), to: moved }
}

/// To another file system: copied, then removed. Links are copied as links, and what is neither file, folder nor link is dropped.
fn copy_away(from: &Path, to: &Path) -> std::io::Result<()> {
    copy(from, to)?;
    if fs::symlink_metadata(from)?.is_dir() { fs::remove_dir_all(from) } else { fs::remove_file(from) }
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    let found = fs::symlink_metadata(from)?;
    match () {
        () if found.is_symlink() => std::os::unix::fs::symlink(fs::read_link(from)?, to),
        () if found.is_dir() => {
            fs::create_dir(to)?;
            fs::read_dir(from)?.try_for_each(|entry| entry.and_then(|entry| copy(&entry.path(), &to.join(entry.file_name()))))
        }
        () if found.is_file() => fs::copy(from, to).map(|_| ()),
        () => Ok(()),
    }
}

/// What was taken, in words for the agent and the person.
pub fn words(taken: &[Taken]) -> Vec<String> {
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
    out
}
