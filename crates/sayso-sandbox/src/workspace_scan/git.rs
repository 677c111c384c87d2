//! What git runs or obeys by itself: in a folder of its own, and where its links and settings lead in the folder that a command works in.

use std::fs;
use std::path::{Path, PathBuf};

use crate::workspace_scan::ELSEWHERE;
use crate::workspace_scan::OF_ONE_TREE;

/// The longest configuration that is looked into.
pub(crate) const MOST_CONFIGURATION: u64 = 1 << 20;
/// So many configurations that include each other are looked into.
const MOST_INCLUDED: usize = 10;

/// What git runs or obeys in a folder of its own, and what must not come to be there.
const OBEYED: [&str; 5] = ["hooks", "config", "info", OF_ONE_TREE, ELSEWHERE];
/// The same, as far as it is there.
const OBEYED_WHERE_THERE: [&str; 3] = [ELSEWHERE, OF_ONE_TREE, "remotes"];
/// What of a linked working tree's own part leads git on.
const OF_A_TREE: [&str; 2] = [ELSEWHERE, "gitdir"];

/// Settings whose values are no programs and no files that git obeys.
const PLAIN_SETTINGS: [&str; 12] = [
    "url",
    "pushurl",
    "worktree",
    "merge",
    "remote",
    "fetch",
    "push",
    "name",
    "email",
    "active",
    "branch",
    "excludesfile",
];
/// Settings that name a folder which git obeys.
const FOLDERS: [&str; 2] = ["hookspath", "templatedir"];

/// What git has in one folder of its own.
#[derive(Debug, Default)]
pub(crate) struct Obeyed {
    /// What has to stay as it is; it may not exist yet.
    pub(crate) kept: Vec<PathBuf>,
    /// What would lead git elsewhere, or have it run something, and is there.
    pub(crate) there: Vec<PathBuf>,
    /// Files and folders beside it that git runs or obeys: hooks behind links, and what the configuration names.
    pub(crate) beside: Vec<PathBuf>,
}

/// Looks at one folder of git. What is beside it counts as far as it is below `folder`.
pub(crate) fn look(repository: &Path, folder: &Path) -> Obeyed {
    let mut out = Obeyed {
        kept: OBEYED.map(|name| repository.join(name)).to_vec(),
        ..Obeyed::default()
    };
    out.there.extend(
        OBEYED_WHERE_THERE
            .map(|name| repository.join(name))
            .into_iter()
            .filter(|path| fs::symlink_metadata(path).is_ok()),
    );
    out.kept.extend(out.there.iter().cloned());
    for tree in names(&repository.join("worktrees")) {
        let there = OF_A_TREE
            .map(|name| tree.join(name))
            .into_iter()
            .filter(|path| fs::symlink_metadata(path).is_ok());
        out.kept.extend(there);
        // It must not come to be where the tree is known, and it is new where the tree is.
        out.kept.push(tree.join(OF_ONE_TREE));
        out.there
            .extend(Some(tree.join(OF_ONE_TREE)).filter(|path| fs::symlink_metadata(path).is_ok()));
    }
    out.there.extend(
        Some(repository.join("rebase-merge/git-rebase-todo")).filter(|todo| runs_something(todo)),
    );
    let hooks = repository.join("hooks");
    let links = names(&hooks)
        .into_iter()
        .chain([hooks])
        .filter(|path| path.is_symlink());
    let named = links.chain(settings(repository));
    let beside = named.filter_map(|path| fs::canonicalize(path).ok());
    let above = |path: &PathBuf| repository.starts_with(path);
    out.beside = beside
        .filter(|path| path.starts_with(folder) && !above(path) && !path.starts_with(repository))
        .collect();
    out
}

fn names(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect()
}

/// Whether the steps of a rebase have git run a command.
fn runs_something(todo: &Path) -> bool {
    read(todo).is_some_and(|text| {
        text.lines()
            .any(|line| matches!(line.split_whitespace().next(), Some("exec" | "x")))
    })
}

/// What the configuration of a repository names, as far as it is there: files, and folders with hooks.
fn settings(repository: &Path) -> Vec<PathBuf> {
    let tree = repository.parent().unwrap_or(repository);
    let mut found = Vec::new();
    let mut open = vec![
        repository.join("config"),
        repository.join("config.worktree"),
    ];
    let mut seen = 0;
    while let Some(file) = open.pop().filter(|_| seen < MOST_INCLUDED) {
        seen += 1;
        let beside = file.parent().unwrap_or(repository).to_owned();
        for (key, value) in read(&file).iter().flat_map(|text| entries(text)) {
            let words = value
                .split(|c: char| c.is_whitespace() || "\"'!;&|()".contains(c))
                .filter(|word| !word.is_empty());
            let places = words
                .chain([value.trim_matches('"')])
                .flat_map(|word| [tree.join(word), beside.join(word)]);
            let counts =
                |path: &PathBuf| path.is_file() || FOLDERS.contains(&key.as_str()) && path.is_dir();
            let there: Vec<PathBuf> = places.filter(counts).collect();
            if key == "path" {
                open.extend(there.iter().cloned());
            }
            found.extend(there);
        }
    }
    found
}

/// The settings of a configuration, roughly: a name in lower case, and what stands behind it.
fn entries(text: &str) -> Vec<(String, String)> {
    let whole = text.replace("\\\n", " ");
    let lines = whole.lines().map(|line| line.trim_start());
    let inner = lines.map(|line| {
        if line.starts_with('[') {
            line.rsplit_once(']').map_or("", |(_, rest)| rest)
        } else {
            line
        }
    });
    let pairs = inner.filter_map(|line| line.split_once('='));
    pairs
        .map(|(key, value)| (key.trim().to_ascii_lowercase(), value.trim().to_owned()))
        .filter(|(key, _)| !PLAIN_SETTINGS.contains(&key.as_str()))
        .collect()
}

fn read(file: &Path) -> Option<String> {
    let found = fs::metadata(file).ok()?;
    let bytes =
        (found.is_file() && found.len() < MOST_CONFIGURATION).then(|| fs::read(file).ok())??;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_links_and_settings_name_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let git = root.join(".git");
        for name in [".git/hooks", "tools", "scripts", "src", "main"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        for name in [
            "scripts/check",
            "scripts/clean",
            "shared.cfg",
            "more.cfg",
            "src/a",
            "scripts/monitor",
        ] {
            fs::write(root.join(name), "x\n").unwrap();
        }
        std::os::unix::fs::symlink("../../scripts/check", git.join("hooks/pre-commit")).unwrap();
        let text = "[core]\n\thooksPath = \"tools\"\n\tworktree = ../src\n[include] path = ../shared.cfg\n[filter \"a]b\"]\n\
                    clean = sh -c './scripts/clean %f'\n[branch \"main\"]\n\tmerge = main\n\trebase = src\n";
        fs::write(git.join("config"), text).unwrap();
        fs::write(root.join("shared.cfg"), "[include]\npath = more.cfg\n").unwrap();
        fs::write(
            root.join("more.cfg"),
            "[core]\nfsmonitor = scripts/monitor\n",
        )
        .unwrap();
        let mut found = look(&git, &root).beside;
        found.sort();
        found.dedup();
        let expected = [
            "more.cfg",
            "scripts/check",
            "scripts/clean",
            "scripts/monitor",
            "shared.cfg",
            "tools",
        ]
        .map(|name| root.join(name));
        assert_eq!(found, expected);
    }

    #[test]
    fn what_leads_git_elsewhere_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let git = folder.path().join(".git");
        fs::create_dir_all(git.join("worktrees/a")).unwrap();
        fs::create_dir_all(git.join("rebase-merge")).unwrap();
        fs::write(git.join("rebase-merge/git-rebase-todo"), "pick 1\n").unwrap();
        assert!(look(&git, folder.path()).there.is_empty());
        fs::write(
            git.join("rebase-merge/git-rebase-todo"),
            "pick 1\nexec make\n",
        )
        .unwrap();
        fs::write(git.join("commondir"), "../x").unwrap();
        fs::write(git.join("worktrees/a/config.worktree"), "").unwrap();
        assert_eq!(look(&git, folder.path()).there.len(), 3);
    }
}
