//! Answers what git would run by itself in the repository of a folder.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use sayso_core::analysis::fact::{GitFact, GitHelper, GitHelperKind, GitScope, Shows};

use crate::bounded_file::{self, Content, LastLink};
use crate::canonical::{Walker, is_within};
use crate::file_cache::LONGEST;
use crate::git::config::{Config, ConfigReader, Placed};
use crate::git::helpers::{HOOKS, hook_on_read, kind_of, on_read, value_of};
use crate::git::nested::submodules;
use crate::git::outside::outside;
use crate::git::password::{holds_secret, old_remote_with_login, shows_login};
use crate::git::repository::{Found, Repository};
use crate::git::syntax::Setting;

/// The helpers that the settings and the hooks of a repository and its submodules name. `folder` is where git would run.
pub(crate) fn git_fact(
    found: &Found,
    config: &Config,
    reader: &mut ConfigReader<'_>,
    folder: &str,
    shows: Shows,
) -> GitFact {
    let mut fact = GitFact {
        root: None,
        helpers: Vec::new(),
        incomplete: false,
    };
    match found {
        Found::Nothing => {
            add(&mut fact, None, config, reader, folder);
            fact.helpers
                .extend(shows.untracked.then(|| untracked(folder)));
        }
        Found::Unclear(root) => {
            fact.root = Some(root.clone());
            add(&mut fact, None, config, reader, folder);
            fact.incomplete = true;
        }
        Found::Repository(repository) => {
            fact.root = Some(repository.root.clone());
            add(
                &mut fact,
                Some(repository),
                config,
                reader,
                &repository.root,
            );
            fact.helpers
                .extend(outside(repository, config, reader, &repository.root));
            let top = repository.root.as_str();
            let nested = submodules(repository, config, reader);
            fact.incomplete |= nested.incomplete;
            for (repository, config) in nested.repositories {
                let known = fact.helpers.len();
                add(
                    &mut fact,
                    Some(&repository),
                    &config,
                    reader,
                    &repository.root,
                );
                fact.helpers
                    .extend(outside(&repository, &config, reader, top));
                // What the person set was told with the first.
                let of_its_own = fact
                    .helpers
                    .split_off(known)
                    .into_iter()
                    .filter(|helper| helper.scope == GitScope::Repository);
                fact.helpers.extend(of_its_own);
            }
        }
    }
    if shows.stash
        && let Found::Repository(repository) = found
    {
        fact.helpers.extend(stash(repository));
    }
    if shows.logins {
        let folder = if let Found::Repository(repository) = found {
            Some(repository.common.as_path())
        } else {
            None
        };
        let told =
            |setting: &Setting| shows_login(setting) || shows.settings && holds_secret(setting);
        let settings = config
            .settings
            .iter()
            .filter(|placed| told(&placed.setting));
        let by_settings =
            settings.map(|placed| (placed.setting.key().to_lowercase(), placed.file.clone()));
        let by_files = folder
            .and_then(old_remote_with_login)
            .map(|file| ("remote".to_owned(), file));
        let login = |(name, file): (String, String)| GitHelper {
            // A section may be the address itself.
            name: name.split('.').next().unwrap_or_default().to_owned(),
            value: String::new(),
            file,
            scope: GitScope::Repository,
            kind: GitHelperKind::Login,
            on_read: true,
        };
        fact.helpers
            .extend(by_settings.chain(by_files).next().map(login));
    }
    fact
}

/// A variable of the environment names another repository or another folder with its files than those that were looked at.
pub(crate) fn by_environment((variable, value): &(String, String)) -> GitHelper {
    GitHelper {
        name: variable.to_lowercase(),
        value: value.clone(),
        file: "the environment".to_owned(),
        scope: GitScope::Repository,
        kind: GitHelperKind::Outside,
        on_read: true,
    }
}

/// No repository says which files are its own.
fn untracked(folder: &str) -> GitHelper {
    GitHelper {
        name: "repository".to_owned(),
        value: String::new(),
        file: folder.to_owned(),
        scope: GitScope::Repository,
        kind: GitHelperKind::Untracked,
        on_read: true,
    }
}

/// The stash, if there may be one: it is a name like a branch's.
fn stash(repository: &Repository) -> Option<GitHelper> {
    let (plain, packed) = (
        repository.common.join("refs/stash"),
        repository.common.join("packed-refs"),
    );
    let named = match bounded_file::read(&packed, LONGEST, LastLink::Follow) {
        Content::Missing => false,
        Content::Bytes(bytes, _) => String::from_utf8_lossy(&bytes)
            .lines()
            .any(|line| line.ends_with(" refs/stash")),
        _ => true,
    };
    // In this form of storage no name is a file.
    let tables = fs::symlink_metadata(repository.common.join("reftable")).is_ok();
    (named || tables || fs::symlink_metadata(&plain).is_ok()).then(|| GitHelper {
        name: "refs.stash".to_owned(),
        value: String::new(),
        file: plain.to_string_lossy().into_owned(),
        scope: GitScope::Repository,
        kind: GitHelperKind::Stash,
        on_read: true,
    })
}

/// Adds what one repository, or none, brings along. Paths in settings are seen from `base`.
fn add(
    fact: &mut GitFact,
    repository: Option<&Repository>,
    config: &Config,
    reader: &mut ConfigReader<'_>,
    base: &str,
) {
    fact.incomplete |= config.incomplete;
    for placed in &config.settings {
        match kind_of(&placed.setting) {
            None => {}
            // The person may set what they like; what runs a program is told all the same.
            Some(GitHelperKind::Unknown) if placed.scope == GitScope::Person => {}
            Some(kind) => fact.helpers.push(helper(placed, kind)),
        }
    }
    if let Some(repository) = repository {
        fact.helpers
            .extend(elsewhere(repository, config, reader.walker));
        // In `.git` itself the shape is no surprise.
        if repository.bare && !repository.root.ends_with("/.git") {
            fact.helpers.push(GitHelper {
                name: "repository.bare".to_owned(),
                value: "true".to_owned(),
                file: repository.root.clone(),
                scope: GitScope::Repository,
                kind: GitHelperKind::Bare,
                on_read: true,
            });
        }
    }
    add_hooks(fact, repository, config, reader, base);
}

fn helper(placed: &Placed, kind: GitHelperKind) -> GitHelper {
    let value = value_of(&placed.setting);
    // A program like `tools/x` is looked for in the work tree, whoever names it.
    let program = value.split_whitespace().next().unwrap_or_default();
    let of_work_tree = kind == GitHelperKind::Program
        && program.contains('/')
        && !program.starts_with(['/', '~', '$', '!', '"', '\'']);
    GitHelper {
        name: placed.setting.key().to_lowercase(),
        value: value.to_owned(),
        file: placed.file.clone(),
        scope: if of_work_tree {
            GitScope::Repository
        } else {
            placed.scope
        },
        kind,
        on_read: on_read(&placed.setting),
    }
}

/// Whether `core.worktree` names another folder than the one the repository was found in, as submodules do not but attackers may.
pub(crate) fn elsewhere(
    repository: &Repository,
    config: &Config,
    walker: &mut Walker,
) -> Option<GitHelper> {
    config
        .possible("core", "worktree")
        .into_iter()
        .find_map(|placed| {
            let own = repository.own.to_str();
            let target = own
                .zip(placed.setting.value.as_deref())
                .and_then(|(own, value)| walker.walk(own, value, false));
            let leads_home = target.is_some_and(|target| target.canonical == repository.root);
            (!leads_home).then(|| helper(placed, GitHelperKind::Unknown))
        })
}

fn add_hooks(
    fact: &mut GitFact,
    repository: Option<&Repository>,
    config: &Config,
    reader: &mut ConfigReader<'_>,
    base: &str,
) {
    let mut folders: Vec<(PathBuf, GitScope)> = Vec::new();
    let named = config.possible("core", "hookspath");
    for placed in &named {
        fact.helpers.push(helper(placed, GitHelperKind::Program));
        match placed
            .setting
            .value
            .as_deref()
            .and_then(|value| reader.expand(value, Path::new(base)))
        {
            // A path from here, or one that leads here, brings hooks of the repository, whoever named it.
            Some(folder) => {
                let walked = folder
                    .to_str()
                    .and_then(|folder| reader.walker.walk("/", folder, false));
                let here = walked.is_none_or(|walked| {
                    is_within(&walked.canonical, base)
                        || is_within(&walked.canonical, reader.workspace)
                });
                folders.push((
                    folder,
                    if here {
                        GitScope::Repository
                    } else {
                        placed.scope
                    },
                ));
            }
            None => fact.incomplete = true,
        }
    }
    if named.iter().all(|placed| placed.conditional) {
        folders.extend(
            repository.map(|repository| (repository.common.join("hooks"), GitScope::Repository)),
        );
    }
    for (folder, scope) in folders
        .into_iter()
        .filter(|(folder, _)| !holds_only_samples(folder))
    {
        for hook in HOOKS {
            let path = folder.join(hook);
            match fs::metadata(&path) {
                Ok(metadata)
                    if metadata.is_file() && metadata.permissions().mode() & 0o111 != 0 =>
                {
                    let file = path.to_string_lossy().into_owned();
                    fact.helpers.push(GitHelper {
                        name: format!("hook.{hook}"),
                        value: file.clone(),
                        file,
                        scope,
                        kind: GitHelperKind::Hook,
                        on_read: hook_on_read(hook),
                    });
                }
                Err(error)
                    if !matches!(
                        error.kind(),
                        std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
                    ) =>
                {
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
            let is_sample = |entry: std::io::Result<fs::DirEntry>| {
                entry.is_ok_and(|entry| entry.file_name().as_encoded_bytes().ends_with(b".sample"))
            };
            entries.by_ref().take(MOST).all(is_sample) && entries.next().is_none()
        }
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    }
}
