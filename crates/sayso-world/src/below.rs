//! What a search through everything below a folder would show: files that are secret by name, and links that lead out.

use std::fs;
use std::path::{Path, PathBuf};

use sayso_core::fact::BelowFact;
use sayso_core::paths::{below, hidden_in_home, relative, secret};

/// Entries that are looked at before the search counts as too large.
const MOST_ENTRIES: usize = 50_000;
/// Findings that are told; more would not change the verdict.
const MOST_FINDINGS: usize = 4;

/// Folders of built or installed things: what is in them came from elsewhere, and test keys of packages are no secrets of the person.
const SKIPPED: [&str; 9] =
    ["node_modules", "target", "venv", ".venv", "site-packages", "__pycache__", ".tox", "objects", "bower_components"];

/// How a search looks at files.
#[derive(Clone, Copy)]
pub(crate) struct Search {
    /// Into hidden ones, too.
    pub(crate) hidden: bool,
    /// Through links, which can stand among installed packages, too.
    pub(crate) follow: bool,
}

/// Walks a folder by names alone; nothing is opened but folders.
pub(crate) fn look(folder: &str, workspace: &str, home: Option<&str>, search: Search) -> BelowFact {
    let mut fact = BelowFact::default();
    let installed =
        relative(folder, workspace).is_some_and(|rest| rest.split('/').any(|name| name != "objects" && SKIPPED.contains(&name)));
    if installed && !search.follow {
        return fact;
    }
    let mut open = vec![PathBuf::from(folder)];
    let mut seen = 0;
    while let Some(path) = open.pop() {
        let Ok(entries) = fs::read_dir(&path) else {
            // A folder that cannot be listed shows nothing to a search as the same user; a file is looked at by its own question.
            continue;
        };
        for entry in entries {
            seen += 1;
            if seen > MOST_ENTRIES {
                fact.incomplete = true;
                return fact;
            }
            let Ok(entry) = entry else {
                fact.incomplete = true;
                return fact;
            };
            let name = entry.file_name();
            let Some(name) = name.to_str() else {
                fact.incomplete = true;
                continue;
            };
            if !search.hidden && name.starts_with('.') {
                continue;
            }
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => {
                    if search.follow || !is_skipped(&path, name) {
                        open.push(path);
                    }
                }
                Ok(kind) if kind.is_symlink() => note_link(&path, workspace, home, &mut fact),
                Ok(_) => note(&path, workspace, home, &mut fact),
                Err(_) => fact.incomplete = true,
            }
            if fact.secrets.len() >= MOST_FINDINGS {
                return fact;
            }
        }
    }
    fact
}

fn is_skipped(path: &Path, name: &str) -> bool {
    // `objects` only where it is git's store; other projects have source folders of that name.
    let in_git = || path.parent().and_then(Path::file_name).is_some_and(|parent| parent == ".git");
    SKIPPED.contains(&name) && (name != "objects" || in_git())
}

fn note(path: &Path, workspace: &str, home: Option<&str>, fact: &mut BelowFact) {
    // Where the workspace is a home or above one, its hidden files are the person's and not the project's.
    let of_home = |text: &str| home.is_some_and(|home| below(home, workspace) && hidden_in_home(text, home));
    if let Some(text) = path.to_str()
        && (secret(text, home).is_some() || of_home(text))
    {
        fact.secrets.push(text.to_owned());
    }
}

/// Some searches follow links: one that leads out of the workspace, or to a secret, may show anything.
fn note_link(path: &Path, workspace: &str, home: Option<&str>, fact: &mut BelowFact) {
    let leads_out = match fs::canonicalize(path) {
        Ok(target) => target.to_str().is_none_or(|target| !below(target, workspace) || secret(target, home).is_some()),
        // A link to nowhere shows nothing.
        Err(_) => false,
    };
    if leads_out {
        fact.secrets.push(path.to_string_lossy().into_owned());
    } else {
        note(path, workspace, home, fact);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(make: impl Fn(&Path), hidden: bool) -> BelowFact {
        let scratch = tempfile::tempdir().unwrap();
        let workspace = fs::canonicalize(scratch.path()).unwrap().join("ws");
        fs::create_dir(&workspace).unwrap();
        make(&workspace);
        look(workspace.to_str().unwrap(), workspace.to_str().unwrap(), None, Search { hidden, follow: false })
    }

    #[test]
    fn secrets_are_found_at_any_depth() {
        let deep = |workspace: &Path| {
            fs::create_dir_all(workspace.join("a/b")).unwrap();
            fs::write(workspace.join("a/b/.env"), "").unwrap();
            fs::write(workspace.join("a/README.md"), "").unwrap();
        };
        assert_eq!(found(deep, true).secrets.len(), 1);
        assert!(found(deep, false).secrets.is_empty(), "a search that leaves hidden files alone does not show it");
    }

    #[test]
    fn links_that_lead_out_count_and_links_within_do_not() {
        let out = |workspace: &Path| {
            fs::write(workspace.parent().unwrap().join("outside.txt"), "").unwrap();
            std::os::unix::fs::symlink("../outside.txt", workspace.join("out")).unwrap();
        };
        assert_eq!(found(out, true).secrets.len(), 1);
        let within = |workspace: &Path| {
            fs::write(workspace.join("a.txt"), "").unwrap();
            std::os::unix::fs::symlink("a.txt", workspace.join("b")).unwrap();
            std::os::unix::fs::symlink("nowhere", workspace.join("c")).unwrap();
        };
        assert_eq!(found(within, true), BelowFact::default());
    }

    #[test]
    fn packages_are_not_looked_at_but_a_source_folder_called_objects_is() {
        let packages = |workspace: &Path| {
            fs::create_dir_all(workspace.join("node_modules/x")).unwrap();
            fs::write(workspace.join("node_modules/x/test.pem"), "").unwrap();
        };
        assert_eq!(found(packages, true), BelowFact::default());
        let objects = |workspace: &Path| {
            fs::create_dir_all(workspace.join("src/objects")).unwrap();
            fs::write(workspace.join("src/objects/server.key"), "").unwrap();
        };
        assert_eq!(found(objects, true).secrets.len(), 1);
    }
}
