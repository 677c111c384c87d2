//! What a search through everything below a folder would show: files that are secret by name, and links that lead out.

mod unignored;

use std::collections::HashSet;
use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};

use sayso_core::analysis::fact::{BelowFact, Search};
use sayso_core::paths::{below, hidden_in_home, relative, secret};

use crate::file_patterns::fits_any;
use crate::search::unignored::Shown;

/// Entries that are looked at before the search counts as too large.
const MOST_ENTRIES: usize = 50_000;
/// Findings of a kind that are told. A rule may cover all of them, so that those left out still count as not looked at.
pub(crate) const MOST_FINDINGS: usize = 16;

/// Folders of built or installed things: what is in them came from elsewhere, and test keys of packages are no secrets of the person.
const SKIPPED: [&str; 9] = [
    "node_modules",
    "target",
    "venv",
    ".venv",
    "site-packages",
    "__pycache__",
    ".tox",
    "objects",
    "bower_components",
];

/// Files of a folder that say for a search what to leave alone, and what not, whatever git or a dot at the start of a name says.
const OVERRIDES: [&str; 3] = [".ignore", ".rgignore", ".agignore"];

/// Where a search happens, and what it shares with others.
pub(crate) struct Ground<'a> {
    /// Patterns of the names it looks at, in small letters; all if there are none.
    pub(crate) only: &'a [String],
    pub(crate) workspace: &'a str,
    pub(crate) home: Option<&'a str>,
    /// Whether the file (first) in the folder (second) may be private: git ignores it, and nothing has built or installed it.
    pub(crate) private: &'a mut dyn FnMut(&str, &str) -> bool,
    /// Whether git certainly ignores the file (first) in the folder (second), by the repository that it is in; the folder itself if they
    /// are the same.
    pub(crate) left_out: &'a mut dyn FnMut(&str, &str) -> bool,
    /// Whether git may track a path, or something below it.
    pub(crate) tracked: &'a mut dyn FnMut(&str) -> bool,
    /// How many names may still be looked at.
    pub(crate) left: &'a mut usize,
}

/// Walks a folder by names alone; nothing is opened here but folders.
pub(crate) fn look<'a>(
    folder: &'a str,
    ground: Ground<'a>,
    search: Search,
    fact: &'a mut BelowFact,
) {
    let skipped = |name: &str| name != "objects" && SKIPPED.contains(&name);
    let installed =
        relative(folder, ground.workspace).is_some_and(|rest| rest.split('/').any(skipped));
    if installed && !search.follow {
        return;
    }
    let above = Path::new(folder)
        .ancestors()
        .skip(1)
        .take_while(|above| above.starts_with(ground.workspace));
    let overridden = above
        .flat_map(|above| OVERRIDES.map(|name| above.join(name)))
        .any(|file| fs::symlink_metadata(file).is_ok());
    let search = if overridden { wider(search) } else { search };
    // What is named itself is looked through, whether or not git ignores it.
    let search = Search {
        as_git: search.as_git && !(ground.left_out)(folder, folder),
        ..search
    };
    let mut shown = Shown::default();
    let up = Path::new(folder)
        .ancestors()
        .skip(1)
        .take_while(|above| !search.hidden && above.starts_with(ground.workspace));
    up.for_each(|above| {
        [".gitignore", ".git/info/exclude"]
            .iter()
            .for_each(|file| shown.add(&above.join(file)))
    });
    shown.add(&Path::new(folder).join(".git/info/exclude"));
    let open = vec![(PathBuf::from(folder), search)];
    let mut walk = Walk {
        start: folder,
        ground,
        fact,
        open,
        followed: HashSet::new(),
        shown,
        seen: 0,
    };
    while let Some((path, search)) = walk.open.pop() {
        if !walk.folder(&path, search) {
            walk.fact.incomplete = true;
            return;
        }
    }
}

/// What a search sees where a file of the folder may bring back anything.
fn wider(search: Search) -> Search {
    Search {
        hidden: true,
        ignored: true,
        as_git: false,
        ..search
    }
}

/// A walk through a folder.
struct Walk<'a> {
    start: &'a str,
    ground: Ground<'a>,
    fact: &'a mut BelowFact,
    /// Folders still to be looked at.
    open: Vec<(PathBuf, Search)>,
    /// Folders that links have led to.
    followed: HashSet<PathBuf>,
    /// Hidden names that are searched all the same.
    shown: Shown,
    seen: usize,
}

impl Walk<'_> {
    /// Looks at all names of a folder. False if the walk ends here.
    fn folder(&mut self, folder: &Path, search: Search) -> bool {
        // A folder that cannot be listed shows nothing to a search as the same user; a file is looked at by its own question.
        let Ok(entries) = fs::read_dir(folder) else {
            return true;
        };
        let mut listed = Vec::new();
        for entry in entries {
            self.seen += 1;
            let (true, Ok(entry)) = (self.seen <= MOST_ENTRIES && *self.ground.left > 0, entry)
            else {
                return false;
            };
            *self.ground.left -= 1;
            listed.push(entry);
        }
        let overridden = listed
            .iter()
            .any(|entry| OVERRIDES.iter().any(|name| entry.file_name() == *name));
        let search = if overridden { wider(search) } else { search };
        if !search.hidden && listed.iter().any(|entry| entry.file_name() == ".gitignore") {
            self.shown.add(&folder.join(".gitignore"));
        }
        for entry in listed {
            self.entry(&entry, folder, search);
            if self.fact.secrets.len() >= MOST_FINDINGS || self.fact.private.len() >= MOST_FINDINGS
            {
                return false;
            }
        }
        true
    }

    fn entry(&mut self, entry: &DirEntry, folder: &Path, search: Search) {
        let name = entry.file_name();
        let Some(name) = name.to_str() else {
            self.fact.incomplete = true;
            return;
        };
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let small = name.to_lowercase();
        if !search.hidden && name.starts_with('.') && !self.shown.has(&small, is_folder) {
            return;
        }
        let path = entry.path();
        let handed_on = search.words || search.whole;
        // Quoted by git, a name ends otherwise than it does on disk, and then it may be that of another file.
        let quoted = handed_on && name.contains(['"', '\\']);
        // A link to a folder is a folder to what goes through links, and to git's lists; what it leads to has names of its own.
        let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
        let is_folder = is_folder
            || search.follow && is_link && fs::metadata(&path).map_or(true, |found| found.is_dir());
        if !quoted
            && !is_folder
            && !self.ground.only.is_empty()
            && !self
                .ground
                .only
                .iter()
                .any(|pattern| fits_any(pattern, &small))
        {
            return;
        }
        // What git does not track is in none of its lists, and names that it tracks are looked at in its index.
        if search.tracked
            && path
                .to_str()
                .is_some_and(|text| !(self.ground.tracked)(text))
        {
            return;
        }
        let odd = quoted
            || search.words && is_odd(name)
            || search.whole && is_odd_whole(name, folder == Path::new(self.start));
        if odd && self.fact.odd.len() < MOST_FINDINGS {
            self.fact.odd.push(path.to_string_lossy().into_owned());
        }
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => {
                // Folders of built and installed things are left out, unless names are handed on: a package could bring a word of its own.
                if search.follow || handed_on || !is_skipped(&path, name) {
                    self.open.push((path, search));
                }
            }
            Ok(kind) if kind.is_symlink() => self.link(&path, folder, search),
            Ok(_) => {
                self.secret(&path, folder, search);
                self.private(&path, folder, search);
            }
            Err(_) => self.fact.incomplete = true,
        }
    }

    fn secret(&mut self, path: &Path, folder: &Path, search: Search) {
        if search.names {
            return;
        }
        let Ground {
            workspace, home, ..
        } = self.ground;
        // Where the workspace is a home or above one, its hidden files are the person's and not the project's.
        let of_home = |text: &str| {
            home.is_some_and(|home| below(home, workspace) && hidden_in_home(text, home))
        };
        if let Some(text) = path.to_str()
            && (secret(text, home).is_some() || of_home(text))
            && !(search.as_git
                && folder
                    .to_str()
                    .is_some_and(|folder| (self.ground.left_out)(text, folder)))
        {
            self.fact.secrets.push(text.to_owned());
        }
    }

    fn private(&mut self, path: &Path, folder: &Path, search: Search) {
        if search.ignored
            && !search.names
            && let Some((text, folder)) = path.to_str().zip(folder.to_str())
            && (self.ground.private)(text, folder)
        {
            self.fact.private.push(text.to_owned());
        }
    }

    /// Some searches follow links: one that leads out of the workspace, or to a secret, may show anything.
    fn link(&mut self, path: &Path, folder: &Path, search: Search) {
        // A link to nowhere shows nothing; its name may.
        let Ok(target) = fs::canonicalize(path) else {
            return self.secret(path, folder, search);
        };
        // No search goes through a link to a folder on its own account.
        if !search.follow && !search.words && !search.whole && target.is_dir() {
            return self.secret(path, folder, search);
        }
        // Through it, a path that git tracks leads to one that it may not track.
        let (through, search) = (
            search.tracked,
            Search {
                tracked: false,
                ..search
            },
        );
        let Ground {
            workspace, home, ..
        } = self.ground;
        let Some(text) = target
            .to_str()
            .filter(|text| below(text, workspace) && secret(text, home).is_none())
        else {
            // A list of names that does not go through links shows only this one.
            if !search.names || search.follow && !below(target.to_str().unwrap_or("/"), workspace) {
                self.fact.secrets.push(path.to_string_lossy().into_owned());
            }
            return;
        };
        self.secret(path, folder, search);
        // Names that are handed on are opened by another program, which follows them.
        if !search.follow && !search.words {
            return;
        }
        // What lies below the start is met on the way, unless it is hidden from the search.
        let met = relative(text, self.start).is_some_and(|rest| {
            search.hidden || !rest.split('/').any(|name| name.starts_with('.'))
        });
        if met && !through || self.followed.contains(&target) {
            return;
        }
        if target.is_dir() {
            self.followed.insert(target.clone());
            self.open.push((target, search));
        } else if let Some(folder) = target.parent() {
            self.private(&target, folder, search);
        }
    }
}

/// Not one plain word to a program that splits its input as `xargs` does, or one that is taken for an option.
pub(crate) fn is_odd(name: &str) -> bool {
    name.starts_with('-')
        || name.contains(|one: char| {
            one.is_whitespace() || one.is_control() || matches!(one, '\'' | '"' | '\\')
        })
}

/// Not one whole word where each is handed on as a line or with a NUL behind it. An option is only what starts with a dash from the first
/// letter on; what has the end of a line in it, or is quoted by the program that prints it, is another name.
pub(crate) fn is_odd_whole(name: &str, first: bool) -> bool {
    first && name.starts_with('-')
        || name.contains(|one: char| one.is_control() || matches!(one, '\'' | '"' | '\\'))
}

/// Whether a path that git tracks is odd where it is handed on: a name only if a pattern fits it, a folder on the way always. Seen from the folder
/// only in lists of what git tracks; others may be seen from the top.
pub(crate) fn is_odd_in_list(path: &str, search: Search, only: &[String]) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let first = path.split('/').next().unwrap_or_default();
    let odd = |name: &str| {
        search.words && is_odd(name)
            || search.whole && is_odd_whole(name, !search.tracked || std::ptr::eq(name, first))
    };
    let small = name.to_lowercase();
    // What cannot be read as text may be anything.
    let fits = only.is_empty()
        || name.contains('\u{fffd}')
        || only.iter().any(|pattern| fits_any(pattern, &small));
    folders
        .split('/')
        .any(|folder| !folder.is_empty() && odd(folder))
        || fits && odd(name)
}

fn is_skipped(path: &Path, name: &str) -> bool {
    // `objects` only where it is git's store; other projects have source folders of that name.
    let in_git = || {
        path.parent()
            .and_then(Path::file_name)
            .is_some_and(|parent| parent == ".git")
    };
    SKIPPED.contains(&name) && (name != "objects" || in_git())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(make: impl Fn(&Path), hidden: bool) -> BelowFact {
        let scratch = tempfile::tempdir().unwrap();
        let workspace = fs::canonicalize(scratch.path()).unwrap().join("ws");
        fs::create_dir(&workspace).unwrap();
        make(&workspace);
        let workspace = workspace.to_str().unwrap();
        let mut fact = BelowFact::default();
        let ground = Ground {
            only: &[],
            workspace,
            home: None,
            private: &mut |_, _| false,
            left_out: &mut |_, _| false,
            tracked: &mut |_| true,
            left: &mut 1000,
        };
        look(
            workspace,
            ground,
            Search {
                hidden,
                ..Search::default()
            },
            &mut fact,
        );
        fact
    }

    #[test]
    fn secrets_are_found_at_any_depth() {
        let deep = |workspace: &Path| {
            fs::create_dir_all(workspace.join("a/b")).unwrap();
            fs::write(workspace.join("a/b/.env"), "").unwrap();
            fs::write(workspace.join("a/README.md"), "").unwrap();
        };
        assert_eq!(found(deep, true).secrets.len(), 1);
        assert!(
            found(deep, false).secrets.is_empty(),
            "a search that leaves hidden files alone does not show it"
        );
    }

    #[test]
    fn findings_that_are_left_out_count_as_not_looked_at() {
        let many = |workspace: &Path| {
            (0..20)
                .for_each(|number| fs::write(workspace.join(format!("{number}.pem")), "").unwrap())
        };
        let fact = found(many, false);
        assert!(fact.incomplete && fact.secrets.len() == MOST_FINDINGS);
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

    #[test]
    fn a_name_that_is_handed_on_whole_may_have_blanks_but_be_no_option() {
        let odd = |names: &[&str]| {
            let search = Search {
                hidden: true,
                whole: true,
                names: true,
                ..Search::default()
            };
            let scratch = tempfile::tempdir().unwrap();
            let workspace = fs::canonicalize(scratch.path()).unwrap();
            for name in names {
                fs::create_dir_all(workspace.join(name).parent().unwrap()).unwrap();
                fs::write(workspace.join(name), "").unwrap();
            }
            let mut fact = BelowFact::default();
            let workspace = workspace.to_str().unwrap();
            let (mut private, mut left_out, mut left) =
                (|_: &str, _: &str| false, |_: &str, _: &str| false, 1000);
            let ground = Ground {
                only: &[],
                workspace,
                home: None,
                private: &mut private,
                left_out: &mut left_out,
                tracked: &mut |_| true,
                left: &mut left,
            };
            look(workspace, ground, search, &mut fact);
            fact.odd.len()
        };
        assert_eq!(odd(&["a b", "c/d e", "c/-x", "c/ f ", "é"]), 0);
        for name in [
            "-x",
            "--y z",
            "-d/a",
            "a\nb",
            "c/a\nb",
            "c/\"a",
            "c/a\\b",
            "c/a'b",
            "a\tb",
            "node_modules/a\nb",
        ] {
            assert_eq!(odd(&["a b", name]), 1, "{name:?}");
        }
    }
}
