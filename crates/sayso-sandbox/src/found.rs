//! What is in a folder that a command works in: what is protected there, what is secret, and where git keeps its own.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use sayso_core::paths::{protected, secret};
use sayso_core::redact::redact_text;
use sayso_core::visible::visible;

use crate::plan::{Kind, Seen};
use crate::profile::Profile;

/// Entries that are looked at before a folder is too large to be bounded.
const MOST_ENTRIES: usize = 400_000;
/// So many protected and secret things; each takes a mount of its own.
const MOST_FINDINGS: usize = 2_000;

/// The longest configuration of git that is looked into.
const MOST_CONFIGURATION: u64 = 1 << 20;

/// Folders of built or installed things: names in them came with packages, and mean nothing for this workspace.
const INSTALLED: [&str; 8] = ["node_modules", "target", "site-packages", "__pycache__", ".tox", "bower_components", "vendor", ".terraform"];

/// What git runs or obeys by itself, in a folder of its own; the last says where all of it is instead.
const OBEYED_BY_GIT: [&str; 5] = ["hooks", "config", "config.worktree", "info", ELSEWHERE];

/// The file by which a folder of git says where its configuration is.
pub const ELSEWHERE: &str = "commondir";

/// What a folder has that git takes for one of its own.
const BARE: [&str; 3] = ["HEAD", "objects", "refs"];

/// What was found. All paths are below the folder, and free of links.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// What is protected from silent changes.
    pub protected: Vec<PathBuf>,
    /// What must not be read.
    pub secret: Vec<PathBuf>,
    /// Folders of git, whose place must not change.
    pub repositories: Vec<PathBuf>,
    /// What git runs or obeys by itself; it may not exist yet.
    pub kept_by_git: Vec<PathBuf>,
    /// Files that lead git to a folder of its own, and folders that git takes for one by their shape.
    pub like_repositories: Vec<PathBuf>,
    /// Links with protected or secret names, and where they lead: nothing can be put over a link.
    pub links: BTreeMap<PathBuf, PathBuf>,
}

impl Found {
    /// Walks a folder by names alone; no link is followed.
    ///
    /// # Errors
    /// If it is too large, or cannot be looked at: what was not seen is not guarded.
    pub fn look(folder: &Path, home: Option<&str>, extra: &dyn Fn(&Path) -> bool) -> Result<Found, String> {
        let mut found = Found::default();
        let mut open = vec![folder.to_owned()];
        let mut seen = 0;
        while let Some(current) = open.pop() {
            let entries = match fs::read_dir(&current) {
                Ok(entries) => entries,
                // Somebody else's folder, which the command cannot look into either; or it is gone by now.
                Err(error)
                    if current != folder && matches!(error.kind(), std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::NotFound) =>
                {
                    continue;
                }
                Err(error) => return Err(format!("`{}` cannot be looked at: {error}", shown(&current))),
            };
            let mut shape = 0;
            for entry in entries.flatten() {
                seen += 1;
                shape += usize::from(BARE.iter().any(|name| entry.file_name() == *name));
                if seen > MOST_ENTRIES || found.protected.len() + found.secret.len() + found.repositories.len() > MOST_FINDINGS {
                    return Err(format!("there is too much below `{}` to be bounded by a sandbox", shown(folder)));
                }
                let Ok(kind) = entry.file_type() else { continue };
                let path = entry.path();
                if kind.is_dir() && entry.file_name() == ".git" {
                    found.repository(&path);
                } else if found.name(&path, folder, kind.is_symlink(), home, extra) {
                    // What is below is as the name says.
                } else if kind.is_dir() && !INSTALLED.iter().any(|name| entry.file_name() == *name) {
                    open.push(path);
                }
            }
            if shape == BARE.len() {
                found.like_repositories.push(current);
            }
        }
        Ok(found)
    }

    /// Everything that is there and must not come to be without a word.
    pub fn guarded(&self) -> BTreeSet<PathBuf> {
        let lists = [&self.protected, &self.secret, &self.repositories, &self.like_repositories];
        lists.into_iter().flatten().cloned().chain(self.links.keys().cloned()).collect()
    }

    /// Notes a path by its name; whether there was anything to note.
    fn name(&mut self, path: &Path, folder: &Path, link: bool, home: Option<&str>, extra: &dyn Fn(&Path) -> bool) -> bool {
        // A name that is no text is compared by what of it is.
        let text = path.to_string_lossy();
        if path.file_name().is_some_and(|name| name == ".git") {
            self.like_repositories.push(path.to_owned());
        }
        let list = match () {
            () if secret(&text, home).is_some() => &mut self.secret,
            () if protected(&text, home).is_some() || extra(path) => &mut self.protected,
            () => return false,
        };
        // Of a link, what it leads to is guarded, if that is here; elsewhere it is guarded anyway.
        let guarded = if link {
            fs::canonicalize(path).ok().filter(|target| target.starts_with(folder) && target != folder)
        } else {
            Some(path.to_owned())
        };
        list.extend(guarded);
        if link && let Ok(to) = fs::read_link(path) {
            self.links.insert(path.to_owned(), to);
        }
        true
    }

    /// Notes a folder of git, with those of its modules.
    fn repository(&mut self, path: &Path) {
        self.repositories.push(path.to_owned());
        self.kept_by_git.extend(OBEYED_BY_GIT.map(|name| path.join(name)));
        let trees = fs::read_dir(path.join("worktrees")).into_iter().flatten().flatten();
        self.kept_by_git.extend(trees.flat_map(|tree| ["config.worktree", ELSEWHERE].map(|name| tree.path().join(name))));
        let mut open = vec![path.join("modules")];
        while let Some(folder) = open.pop() {
            for entry in
                fs::read_dir(&folder).into_iter().flatten().flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
            {
                let module = entry.path();
                if module.join("HEAD").exists() && self.repositories.len() <= MOST_FINDINGS {
                    self.repository(&module);
                } else {
                    open.push(module);
                }
            }
        }
    }
}

/// The configuration of a repository that holds a password or a token, if one does: no command reads it unasked.
pub fn password_in(repositories: &[PathBuf]) -> Option<PathBuf> {
    let configurations = repositories.iter().map(|repository| repository.join("config"));
    configurations.into_iter().find(|file| {
        let Ok(found) = fs::metadata(file) else { return false };
        let text = if found.len() < MOST_CONFIGURATION { fs::read_to_string(file).unwrap_or_default() } else { return true };
        redact_text(&text) != text
    })
}

/// The files below a folder with one of these endings; no link is followed.
///
/// # Errors
/// If there are too many.
pub fn with_endings(folder: &Path, endings: &[String]) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    let mut seen = 0;
    while let Some(current) = open.pop() {
        for entry in fs::read_dir(&current).into_iter().flatten().flatten() {
            seen += 1;
            if seen > MOST_ENTRIES || found.len() > MOST_FINDINGS {
                return Err(format!("there is too much below `{}` to be bounded by a sandbox", shown(folder)));
            }
            let Ok(kind) = entry.file_type() else { continue };
            let fits = || endings.iter().any(|ending| entry.file_name().to_string_lossy().ends_with(ending.as_str()));
            match () {
                () if kind.is_dir() => open.push(entry.path()),
                () if kind.is_file() && fits() => found.push(entry.path()),
                () => {}
            }
        }
    }
    Ok(found)
}

/// Secrets in the folders of the system: they are closed to most people, but not to root.
pub fn secrets_of_the_system() -> Vec<PathBuf> {
    static FOUND: OnceLock<Vec<PathBuf>> = OnceLock::new();
    FOUND
        .get_or_init(|| {
            let list = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect::<Vec<_>>();
            let first = list(Path::new("/etc"));
            let second: Vec<PathBuf> =
                first.iter().filter(|path| path.is_dir() && !path.is_symlink()).flat_map(|path| list(path)).collect();
            let is_secret = |path: &PathBuf| secret(&path.to_string_lossy(), None).is_some() && !path.is_symlink();
            first.into_iter().chain(second).filter(is_secret).collect()
        })
        .clone()
}

/// What stands at the paths of a profile.
pub fn look(profile: &Profile) -> Seen {
    let kind = |path: &PathBuf| match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => Kind::Link,
        Ok(found) if found.is_dir() => Kind::Folder,
        Ok(_) => Kind::File,
        Err(_) => Kind::Missing,
    };
    profile.paths.keys().map(|path| (path.clone(), kind(path))).collect()
}

fn shown(path: &Path) -> String {
    visible(&path.to_string_lossy()).into_owned()
}
