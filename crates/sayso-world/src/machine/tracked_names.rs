//! What git tracks around a folder: the names that its lists hand on.

use sayso_core::analysis::fact::Search;
use sayso_core::paths::relative;

use crate::bounded_file::LastLink;
use crate::file_cache::{Recalled, Remembered};
use crate::git::index::Tracked;
use crate::git::repository::{Found, Repository};
use crate::machine::answer_pass::Pass;
use crate::search::is_odd_in_list;

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
