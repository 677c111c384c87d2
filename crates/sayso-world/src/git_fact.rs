//! Answers what git would run by itself in the repository of a folder.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use sayso_core::fact::{GitFact, GitHelper};

use crate::canonical::Walker;
use crate::git_config::{Config, ConfigReader, Placed};
use crate::git_helpers::{HOOKS, runs_program};
use crate::repository::{Found, Repository};

/// The helpers that the settings and the hooks of a repository name. `folder` is where git would run.
pub(crate) fn git_fact(found: &Found, config: &Config, reader: &ConfigReader<'_>, walker: &mut Walker, folder: &str) -> GitFact {
    let mut fact = GitFact { root: None, helpers: Vec::new(), incomplete: config.incomplete };
    for placed in config.settings.iter().filter(|placed| runs_program(&placed.setting)) {
        fact.helpers.push(helper(placed));
    }
    match found {
        Found::Nothing => {}
        Found::Unclear(root) => {
            fact.root = Some(root.clone());
            fact.incomplete = true;
        }
        Found::Repository(repository) => {
            fact.root = Some(repository.root.clone());
            fact.helpers.extend(elsewhere(repository, config, walker));
            add_hooks(&mut fact, Some(repository), config, reader, &repository.root);
            return fact;
        }
    }
    add_hooks(&mut fact, None, config, reader, folder);
    fact
}

fn helper(placed: &Placed) -> GitHelper {
    GitHelper {
        name: placed.setting.key().to_lowercase(),
        value: placed.setting.value.clone().unwrap_or_else(|| "true".to_owned()),
        file: placed.file.clone(),
    }
}

/// Whether `core.worktree` names another folder than the one the repository was found in, as submodules do not but attackers may.
pub(crate) fn elsewhere(repository: &Repository, config: &Config, walker: &mut Walker) -> Option<GitHelper> {
    config.possible("core", "worktree").into_iter().find_map(|placed| {
        let own = repository.own.to_str();
        let target = own.zip(placed.setting.value.as_deref()).and_then(|(own, value)| walker.walk(own, value, false));
        let leads_home = target.is_some_and(|target| target.canonical == repository.root);
        (!leads_home).then(|| helper(placed))
    })
}

fn add_hooks(fact: &mut GitFact, repository: Option<&Repository>, config: &Config, reader: &ConfigReader<'_>, base: &str) {
    let mut folders: Vec<PathBuf> = Vec::new();
    let named = config.possible("core", "hookspath");
    for placed in &named {
        fact.helpers.push(helper(placed));
        match placed.setting.value.as_deref().and_then(|value| reader.expand(value, Path::new(base))) {
            Some(folder) => folders.push(folder),
            None => fact.incomplete = true,
        }
    }
    if named.iter().all(|placed| placed.conditional) {
        folders.extend(repository.map(|repository| repository.common.join("hooks")));
    }
    for folder in folders.iter().filter(|folder| !holds_only_samples(folder)) {
        for hook in HOOKS {
            let path = folder.join(hook);
            match fs::metadata(&path) {
                Ok(metadata) if metadata.is_file() && metadata.permissions().mode() & 0o111 != 0 => {
                    let file = path.to_string_lossy().into_owned();
                    fact.helpers.push(GitHelper { name: format!("hook.{hook}"), value: file.clone(), file });
                }
                Err(error) if !matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => {
                    fact.incomplete = true;
                }
                _ => {}
            }
        }
    }
}

/// Whether a folder is missing or as `git init` leaves it, which one look tells instead of one for each hook. Where it cannot be told, each
/// hook is looked for: by name and not in the list, since only the file system knows which names it takes for the same.
fn holds_only_samples(folder: &Path) -> bool {
    const MOST: usize = 64;
    match fs::read_dir(folder) {
        Ok(mut entries) => {
            let is_sample =
                |entry: std::io::Result<fs::DirEntry>| entry.is_ok_and(|entry| entry.file_name().as_encoded_bytes().ends_with(b".sample"));
            entries.by_ref().take(MOST).all(is_sample) && entries.next().is_none()
        }
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    }
}
