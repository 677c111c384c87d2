//! Finds where a repository makes git read what lies outside of the workspace: its data, its alternates, and files that settings name.

use std::path::{Path, PathBuf};

use sayso_core::analysis::fact::{GitHelper, GitHelperKind, GitScope};
use sayso_core::paths::secret;

use crate::bounded_file::{self, Content, LastLink};
use crate::canonical::is_within;
use crate::file_cache::LONGEST;
use crate::git::config::{Config, ConfigReader, Placed};
use crate::git::links::{Links, links};
use crate::git::repository::Repository;
use crate::git::syntax::Setting;

/// So many folders of objects are looked at; git itself stops at a depth of 5.
const MOST_ALTERNATES: usize = 16;

/// Parts of a repository's data that git reads from wherever a link leads.
const PARTS: [&str; 7] = [
    "objects",
    "objects/pack",
    "refs",
    "packed-refs",
    "logs",
    "index",
    "info",
];

/// Settings that name a file which git reads, and whose content a command may show.
const FILES: [(&str, &str); 9] = [
    ("core", "excludesfile"),
    ("core", "attributesfile"),
    ("format", "signaturefile"),
    ("blame", "ignorerevsfile"),
    ("mailmap", "file"),
    ("diff", "orderfile"),
    ("commit", "template"),
    ("include", "path"),
    ("includeif", "path"),
];

/// What git would read from outside, for one repository. `top` is the root of the one that git was started in.
pub(crate) fn outside(
    repository: &Repository,
    config: &Config,
    reader: &mut ConfigReader<'_>,
    top: &str,
) -> Vec<GitHelper> {
    let mut found = Vec::new();
    if let Some(data) = data_elsewhere(repository, config, reader, top) {
        found.push(told(repository, &data));
    }
    found.extend(by_link(repository, reader));
    // The data of a linked work tree is the person's own, with all that it leads to.
    if is_open(
        &repository.common.to_string_lossy(),
        repository,
        reader,
        top,
    ) {
        found.extend(
            alternates(repository, reader, top)
                .iter()
                .map(|path| told(repository, path)),
        );
    }
    for placed in config
        .settings
        .iter()
        .filter(|placed| placed.scope == GitScope::Repository && names_file(&placed.setting))
    {
        if let Some(helper) = file_elsewhere(placed, repository, reader, top) {
            found.push(helper);
        }
    }
    found
}

/// A link inside of the data that leads out of it.
fn by_link(repository: &Repository, reader: &mut ConfigReader<'_>) -> Option<GitHelper> {
    let (file, value) = match links(repository, reader.walker) {
        Links::Inside => return None,
        Links::Elsewhere { link, target } => (link, target),
        Links::Unknown => (
            repository.common.to_string_lossy().into_owned(),
            String::new(),
        ),
    };
    Some(GitHelper {
        name: "repository.link".to_owned(),
        value,
        file,
        scope: GitScope::Repository,
        kind: GitHelperKind::Outside,
        on_read: true,
    })
}

fn told(repository: &Repository, path: &str) -> GitHelper {
    GitHelper {
        name: "repository.data".to_owned(),
        value: path.to_owned(),
        file: format!("{}/.git", repository.root.trim_end_matches('/')),
        scope: GitScope::Repository,
        kind: GitHelperKind::Outside,
        on_read: true,
    }
}

/// Whether a path lies in the workspace, or in the repository that git was started in.
fn is_open(path: &str, repository: &Repository, reader: &ConfigReader<'_>, top: &str) -> bool {
    [reader.workspace, repository.root.as_str(), top]
        .iter()
        .any(|folder| is_within(path, folder))
}

/// The first part of the data that lies elsewhere, unless that place itself names this work tree as its own: then the person has put
/// it there, by `git worktree`, as a submodule or with `--separate-git-dir`.
fn data_elsewhere(
    repository: &Repository,
    config: &Config,
    reader: &mut ConfigReader<'_>,
    top: &str,
) -> Option<String> {
    for folder in [&repository.own, &repository.common] {
        let folder = folder.to_str().unwrap_or("/");
        if !is_open(folder, repository, reader, top) {
            return (!is_linked(repository, reader) && !is_named_back(repository, config, reader))
                .then(|| folder.to_owned());
        }
    }
    PARTS.iter().find_map(|part| {
        let path = repository.common.join(part);
        let walked = path
            .to_str()
            .and_then(|path| reader.walker.walk("/", path, false));
        let canonical = walked.map_or_else(|| "/".to_owned(), |walked| walked.canonical);
        (!is_open(&canonical, repository, reader, top)).then_some(canonical)
    })
}

/// A further work tree: its data lies below that of the main one, and names this folder.
fn is_linked(repository: &Repository, reader: &mut ConfigReader<'_>) -> bool {
    if repository.own.parent() != Some(repository.common.join("worktrees").as_path()) {
        return false;
    }
    let Some(text) = text_of(&repository.own.join("gitdir")) else {
        return false;
    };
    let own = repository.own.to_str().unwrap_or("/");
    // Newer versions write a path from there.
    let walked = reader
        .walker
        .walk(own, text.trim_end_matches(['\n', '\r']), true);
    walked.is_some_and(|walked| {
        Path::new(&walked.canonical) == Path::new(&repository.root).join(".git")
    })
}

/// The configuration over there says that the work tree is here.
fn is_named_back(repository: &Repository, config: &Config, reader: &mut ConfigReader<'_>) -> bool {
    let own = repository.common.join("config");
    repository.own == repository.common
        && config
            .possible("core", "worktree")
            .into_iter()
            .any(|placed| {
                let folder = repository.own.to_str();
                let walked = folder
                    .zip(placed.setting.value.as_deref())
                    .and_then(|(folder, value)| reader.walker.walk(folder, value, false));
                Path::new(&placed.file) == own
                    && walked.is_some_and(|walked| walked.canonical == repository.root)
            })
}

/// Further folders of objects that lie elsewhere.
fn alternates(repository: &Repository, reader: &mut ConfigReader<'_>, top: &str) -> Vec<String> {
    let mut waiting = vec![repository.common.join("objects")];
    let (mut found, mut looked) = (Vec::new(), 0);
    while let Some(objects) = waiting.pop() {
        looked += 1;
        let list = objects.join("info/alternates");
        if looked > MOST_ALTERNATES {
            found.push(list.to_string_lossy().into_owned());
            break;
        }
        let text = match bounded_file::read(&list, LONGEST, LastLink::Follow) {
            Content::Missing => continue,
            Content::Bytes(bytes, _) => String::from_utf8_lossy(&bytes).into_owned(),
            _ => {
                found.push(list.to_string_lossy().into_owned());
                continue;
            }
        };
        for line in text
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
        {
            let walked = reader
                .walker
                .walk(objects.to_str().unwrap_or("/"), line, false);
            match walked {
                Some(walked)
                    if !line.starts_with('"')
                        && is_open(&walked.canonical, repository, reader, top) =>
                {
                    waiting.push(PathBuf::from(walked.canonical));
                }
                _ => found.push(line.to_owned()),
            }
        }
    }
    found
}

fn text_of(path: &Path) -> Option<String> {
    match bounded_file::read(path, LONGEST, LastLink::Refuse) {
        Content::Bytes(bytes, _) => String::from_utf8(bytes).ok(),
        _ => None,
    }
}

fn names_file(setting: &Setting) -> bool {
    FILES.contains(&(setting.section.as_str(), setting.name.as_str()))
        && setting
            .value
            .as_deref()
            .is_some_and(|value| !value.is_empty())
}

/// A file that a setting names, where it lies outside or is secret. A path in a setting is seen from the work tree, one that is included
/// from the file it stands in; both must be open.
fn file_elsewhere(
    placed: &Placed,
    repository: &Repository,
    reader: &mut ConfigReader<'_>,
    top: &str,
) -> Option<GitHelper> {
    let value = placed.setting.value.as_deref()?;
    let included = placed.setting.name == "path";
    let base = if included {
        Path::new(&placed.file).parent()?
    } else {
        Path::new(&repository.root)
    };
    let home = reader.whereabouts.home.as_deref().and_then(Path::to_str);
    let path = reader
        .expand(value, base)
        .filter(|_| !value.starts_with(':'));
    let walked = path.and_then(|path| reader.walker.walk("/", path.to_str()?, false));
    let open = walked.is_some_and(|walked| {
        is_open(&walked.canonical, repository, reader, top)
            && secret(&walked.canonical, home).is_none()
    });
    (!open).then(|| GitHelper {
        name: placed.setting.key().to_lowercase(),
        value: value.to_owned(),
        file: placed.file.clone(),
        scope: GitScope::Repository,
        kind: GitHelperKind::Outside,
        on_read: true,
    })
}
