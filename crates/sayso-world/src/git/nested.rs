//! Finds the submodules that `git status` and `git diff` go into.

use std::fs;
use std::path::Path;

use crate::bounded_file::LastLink;
use crate::file_cache::Recalled;
use crate::git::config::{Config, ConfigReader};
use crate::git::index::MOST_SUBMODULES;
use crate::git::repository::{Found, Repository, at};

/// The repositories that git enters from another one.
#[derive(Default)]
pub(crate) struct Nested {
    /// Each with its configuration.
    pub repositories: Vec<(Repository, Config)>,
    /// There may be more.
    pub incomplete: bool,
}

/// The submodules of a repository that are checked out, and theirs.
pub(crate) fn submodules(
    repository: &Repository,
    config: &Config,
    reader: &mut ConfigReader<'_>,
) -> Nested {
    let mut nested = Nested::default();
    let mut waiting = enter(repository, config, reader, &mut nested.incomplete);
    while let Some(next) = waiting.pop() {
        let known = |found: &Repository| {
            found.own == repository.own
                || nested.repositories.iter().any(|(known, _)| known == found)
        };
        if known(&next) {
            continue;
        }
        if nested.repositories.len() >= MOST_SUBMODULES {
            nested.incomplete = true;
            break;
        }
        let config = reader.read(Some(&next));
        waiting.extend(enter(&next, &config, reader, &mut nested.incomplete));
        nested.repositories.push((next, config));
    }
    nested
}

fn enter(
    repository: &Repository,
    config: &Config,
    reader: &mut ConfigReader<'_>,
    incomplete: &mut bool,
) -> Vec<Repository> {
    let mut entered = Vec::new();
    let Some(links) = index(repository, config, reader) else {
        *incomplete = true;
        return entered;
    };
    for name in links {
        let root = format!("{}/{name}", repository.root.trim_end_matches('/'));
        // A submodule that is not checked out is an empty folder: without `.git` it is not entered.
        if fs::symlink_metadata(Path::new(&root).join(".git")).is_err() {
            continue;
        }
        let found = match reader.walker.walk("/", &root, false) {
            Some(walked) => at(&walked.canonical),
            None => Found::Unclear(root),
        };
        let found = match found {
            Found::Repository(repository) => repository.without_links(reader.walker),
            found => found,
        };
        match found {
            Found::Repository(found) => entered.push(found),
            Found::Nothing => {}
            Found::Unclear(_) => *incomplete = true,
        }
    }
    entered
}

/// The submodules that the index names; none if it cannot tell, or names too many to look at.
fn index(
    repository: &Repository,
    config: &Config,
    reader: &mut ConfigReader<'_>,
) -> Option<Vec<String>> {
    let index = repository.own.join("index");
    let recalled = if names_are_long(repository, config)? {
        reader
            .indexes
            .sha256
            .recall(&index, LastLink::Follow, reader.left)
    } else {
        reader
            .indexes
            .sha1
            .recall(&index, LastLink::Follow, reader.left)
    };
    match recalled {
        Recalled::Missing => Some(Vec::new()),
        Recalled::Known(known) => known.links.clone(),
        Recalled::Unknown => None,
    }
}

/// Whether objects have SHA-256 names, on which the form of the index depends without telling. git takes this from the repository's own
/// file and from no included one; where both say something, nothing is certain.
fn names_are_long(repository: &Repository, config: &Config) -> Option<bool> {
    let own = repository.common.join("config");
    let mut long = None;
    for placed in &config.settings {
        let setting = &placed.setting;
        if (setting.section.as_str(), setting.name.as_str()) != ("extensions", "objectformat")
            || setting.subsection.is_some()
        {
            continue;
        }
        let said = match setting.value.as_deref()? {
            "sha1" => false,
            "sha256" => true,
            _ => return None,
        };
        if Path::new(&placed.file) != own || long.is_some_and(|long| long != said) {
            return None;
        }
        long = Some(said);
    }
    Some(long.unwrap_or(false))
}
