//! What git tracks around a folder: the names that its lists hand on.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use sayso_core::analysis::fact::{BelowFact, Reach, Search};
use sayso_core::paths::{below_folded, join, relative, secret};

use crate::bounded_file::LastLink;
use crate::file_cache::{Recalled, Remembered};
use crate::git::index::{Entry, Tracked};
use crate::git::nested::submodules;
use crate::git::repository::{Found, Repository};
use crate::machine::answer_pass::{Pass, nearest_folder};
use crate::search::{MOST_FINDINGS, is_odd_in_list};

impl Pass<'_> {
    /// The index of a repository as each of these reads it.
    fn readings<T, const N: usize>(
        &mut self,
        repository: &Repository,
        kinds: [&Remembered<T>; N],
    ) -> [Recalled<T>; N] {
        let index = repository.own.join("index");
        kinds.map(|kind| kind.recall(&index, LastLink::Follow, &mut self.left))
    }

    /// The work tree that a folder belongs to, with its index in both readings: by which names of objects it is to be read, it does not tell. No
    /// work tree where that cannot be told, and then all may be tracked.
    pub(crate) fn tracked_around(
        &mut self,
        folder: &str,
    ) -> (Option<String>, Vec<Recalled<Tracked>>) {
        let Found::Repository(repository) = self.repository(folder) else {
            return (None, Vec::new());
        };
        let indexes = &self.machine.indexes;
        let readings = self.readings(
            &repository,
            [&indexes.tracked_sha1, &indexes.tracked_sha256],
        );
        (Some(repository.root), readings.into())
    }

    /// The secrets among the files that git tracks and shows, by their names in the index. Where the index cannot be read, there may be some.
    pub(crate) fn tracked_secrets(&mut self, folder: &str, reach: &Reach) -> Option<BelowFact> {
        let mut fact = BelowFact {
            tracked: true,
            ..BelowFact::default()
        };
        let walked = self.walker.walk(&self.surroundings.cwd, folder, false)?;
        let repository = match self.repository(nearest_folder(&walked)) {
            Found::Nothing => return Some(fact),
            Found::Unclear(_) => {
                fact.incomplete = true;
                return Some(fact);
            }
            Found::Repository(repository) => repository,
        };
        let Some(bounds) = Bounds::of(reach, &walked.canonical, &repository.root) else {
            return Some(fact);
        };
        self.add_tracked_secrets(&repository, &bounds, &mut fact);
        if reach.submodules {
            let config = self.take_config(Some(&repository));
            let nested = submodules(&repository, &config, &mut self.reader());
            self.configs.insert(repository.root.clone(), config);
            fact.incomplete |= nested.incomplete;
            for (repository, _) in nested.repositories {
                self.add_tracked_secrets(&repository, &bounds, &mut fact);
            }
        }
        Some(fact)
    }

    /// Those of one repository.
    fn add_tracked_secrets(
        &mut self,
        repository: &Repository,
        bounds: &Bounds,
        fact: &mut BelowFact,
    ) {
        let indexes = &self.machine.indexes;
        let readings = self.readings(repository, [&indexes.secrets_sha1, &indexes.secrets_sha256]);
        let index = repository.own.join("index");
        let home = self.surroundings.home.clone();
        let mut read = false;
        for reading in readings {
            let known = match reading {
                Recalled::Missing => return,
                Recalled::Unknown => continue,
                Recalled::Known(known) => known,
            };
            let Some(entries) = &known.0 else { continue };
            read = true;
            for entry in entries {
                let path = join(&repository.root, &entry.name);
                if !bounds.hold(&path)
                    || secret(&path, home.as_deref()).is_none()
                    || bounds.changed && is_unchanged(Path::new(&path), entry, &index)
                    || fact.secrets.contains(&path)
                {
                    continue;
                }
                if fact.secrets.len() == MOST_FINDINGS {
                    fact.incomplete = true;
                    return;
                }
                fact.secrets.push(path);
            }
        }
        fact.incomplete |= !read;
    }

    /// A name that git tracks around a folder and that may become other words where it is handed on: a list of git has it also where there is
    /// no such file. Where the index cannot be read, the index itself is named.
    pub(crate) fn tracked_odd(
        &mut self,
        folder: &str,
        search: Search,
        only: &[String],
    ) -> Option<String> {
        let Found::Repository(repository) = self.repository(folder) else {
            return None;
        };
        let indexes = &self.machine.indexes;
        let readings = self.readings(&repository, [&indexes.sha1, &indexes.sha256]);
        let inside = relative(folder, &repository.root).unwrap_or_default();
        let mut read = false;
        for reading in readings {
            let Recalled::Known(known) = reading else {
                if matches!(reading, Recalled::Missing) {
                    return None;
                }
                continue;
            };
            let Some(names) = &known.odd else { continue };
            read = true;
            let listed = |name: &&String| {
                let seen = if search.tracked {
                    listed_in(name, inside)
                } else {
                    Some(name.as_str())
                };
                seen.is_some_and(|name| is_odd_in_list(name, search, only))
            };
            if let Some(name) = names.iter().find(listed) {
                return Some(format!("{}/{name}", repository.root));
            }
        }
        (!read).then(|| repository.own.join("index").to_string_lossy().into_owned())
    }
}

/// What a command shows: below these paths, absolute, and everything if there are none.
struct Bounds {
    paths: Vec<String>,
    /// Only what is not as the index says.
    changed: bool,
}

impl Bounds {
    /// None where no file is shown.
    fn of(reach: &Reach, folder: &str, root: &str) -> Option<Self> {
        let absolute = |path: &String| match path.strip_prefix('/') {
            Some(rest) => join(root, rest),
            None => join(folder, path),
        };
        let there = |word: &&String| fs::symlink_metadata(join(folder, word)).is_ok();
        let words: Vec<String> = reach.words.iter().filter(there).map(absolute).collect();
        let changed = reach.changed && words.len() == reach.words.len();
        if reach.whole && words.is_empty() {
            let paths = reach.here.then(|| folder.to_owned()).into_iter().collect();
            return Some(Bounds { paths, changed });
        }
        let paths: Vec<String> = reach.paths.iter().map(absolute).chain(words).collect();
        (!paths.is_empty()).then_some(Bounds { paths, changed })
    }

    fn hold(&self, path: &str) -> bool {
        self.paths.is_empty() || self.paths.iter().any(|bound| below_folded(path, bound))
    }
}

/// Whether a file is what git found when it looked last, by the times and the size: then git shows nothing of it. A file with a
/// later time than the index was changed behind it.
fn is_unchanged(path: &Path, entry: &Entry, index: &Path) -> bool {
    let (Ok(file), Ok(index)) = (fs::symlink_metadata(path), fs::metadata(index)) else {
        return false;
    };
    // The index holds the lower halves of these numbers.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the other half is not in the index"
    )]
    let half = |number: i64| number as u32;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the other half is not in the index"
    )]
    let size = file.len() as u32;
    let at_index = (half(index.mtime()), half(index.mtime_nsec()));
    entry.plain
        && file.is_file()
        && entry.modified == (half(file.mtime()), half(file.mtime_nsec()))
        && entry.changed == (half(file.ctime()), half(file.ctime_nsec()))
        && entry.size == size
        && entry.modified <= at_index
}

/// A path of an index as a list in a folder of the work tree prints it; none if it is not below. In other letters than these, a folder may be
/// spelled in two ways, and then the whole path stands for it.
fn listed_in<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    if folder.is_empty() || !folder.is_ascii() {
        return Some(path);
    }
    let (start, rest) = path.split_at_checked(folder.len())?;
    rest.strip_prefix('/')
        .filter(|_| start.eq_ignore_ascii_case(folder))
}

/// Whether one of the readings of an index has a path below the work tree; also if none of them could be read.
pub(crate) fn may_track(readings: &[Recalled<Tracked>], path: &str) -> bool {
    let mut read = readings
        .iter()
        .any(|reading| matches!(reading, Recalled::Missing));
    for reading in readings {
        if let Recalled::Known(known) = reading
            && let Some(tracks) = known.has(path)
        {
            read = true;
            if tracks {
                return true;
            }
        }
    }
    !read
}
