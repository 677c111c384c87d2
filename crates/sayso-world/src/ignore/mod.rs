//! Tells whether git ignores a path, from the ignore files alone: no git is started.

pub(crate) mod pattern;
mod wildcard;

use std::cell::Cell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sayso_core::analysis::fact::Ignored;

use crate::bounded_file::LastLink;
use crate::canonical::is_within;
use crate::file_cache::{Recalled, Remembered};
use crate::git::config::{Config, ConfigReader};
use crate::git::repository::Repository;
use crate::ignore::pattern::{Patterns, Said};

/// Thousands of paths against hundreds of patterns take a tenth of this.
const MOST_EFFORT: u32 = 20_000_000;

/// The ignore files of one repository, as far as one pass has met them.
#[derive(Default)]
pub(crate) struct IgnoreFiles {
    /// `.git/info/exclude`.
    exclude: Option<Arc<Patterns>>,
    /// `core.excludesFile`, with every value it may have.
    personal: Vec<Arc<Patterns>>,
    /// How many steps of matching are left: patterns can be made to take long.
    effort: Cell<u32>,
    /// `core.ignoreCase`.
    fold: bool,
    /// One of the above could not be read, or the work tree is elsewhere: no path can be told.
    unknown: bool,
    /// By folder, relative to the root.
    folders: HashMap<String, Arc<Folder>>,
}

/// What holds for everything in a folder.
struct Folder {
    /// The ignore files from the root down to here, each with the length of its folder's path (with its slash) below the root.
    files: Vec<(usize, Arc<Patterns>)>,
    /// The folder itself is ignored, and so is all below, or that could not be told; none if each path has to be looked at.
    settled: Option<Ignored>,
}

impl IgnoreFiles {
    /// The files that hold for all of a repository.
    pub(crate) fn open(
        repository: &Repository,
        config: &Config,
        reader: &mut ConfigReader<'_>,
        patterns: &Remembered<Patterns>,
        worktree_elsewhere: bool,
    ) -> Self {
        let mut files = IgnoreFiles {
            unknown: config.incomplete || worktree_elsewhere,
            effort: Cell::new(MOST_EFFORT),
            ..IgnoreFiles::default()
        };
        files.fold = config
            .possible("core", "ignorecase")
            .last()
            .is_some_and(|placed| placed.setting.truth() != Some(false));
        match patterns.recall(
            &repository.common.join("info/exclude"),
            LastLink::Follow,
            reader.left,
        ) {
            Recalled::Known(exclude) => files.exclude = Some(exclude),
            Recalled::Missing => {}
            Recalled::Unknown => files.unknown = true,
        }
        let named = config.possible("core", "excludesfile");
        let mut personal: Vec<Option<PathBuf>> = Vec::new();
        if named.iter().all(|placed| placed.conditional) {
            personal.extend(reader.whereabouts.git_ignore.clone().map(Some));
        }
        for value in named
            .iter()
            .filter_map(|placed| placed.setting.value.as_deref())
            .filter(|value| !value.is_empty())
        {
            personal.push(reader.expand(value, Path::new(&repository.root)));
        }
        for path in personal {
            let recalled = path.map(|path| patterns.recall(&path, LastLink::Follow, reader.left));
            match recalled {
                Some(Recalled::Known(found)) => files.personal.push(found),
                Some(Recalled::Missing) => {}
                Some(Recalled::Unknown) | None => files.unknown = true,
            }
        }
        files
    }

    /// Whether `path` (absolute, free of links, in the repository) is ignored. Its first `existing` bytes are a folder that is there.
    pub(crate) fn status(
        &mut self,
        repository: &Repository,
        path: &str,
        is_folder: bool,
        existing: usize,
        patterns: &Remembered<Patterns>,
        left: &mut u32,
    ) -> Ignored {
        // What lies in the data of a repository is in no work tree.
        let own = repository.own.to_str().unwrap_or("/");
        if self.unknown
            || repository.bare
            || is_within(path, own)
            || !is_within(path, &repository.root)
        {
            return Ignored::Unknown;
        }
        let root = repository.root.trim_end_matches('/');
        let relative = path.get(root.len() + 1..).unwrap_or("");
        if relative.is_empty() {
            return Ignored::No;
        }
        let name = relative.rfind('/').unwrap_or(0);
        let folder = self.folder(
            root,
            relative.get(..name).unwrap_or(""),
            existing.saturating_sub(root.len() + 1),
            patterns,
            left,
        );
        folder
            .settled
            .unwrap_or_else(|| self.judge(&folder, relative, is_folder))
    }

    /// What holds in a folder of the repository; each folder above is settled first, as git reads them from the root down.
    fn folder(
        &mut self,
        root: &str,
        relative: &str,
        existing: usize,
        patterns: &Remembered<Patterns>,
        left: &mut u32,
    ) -> Arc<Folder> {
        if let Some(known) = self.folders.get(relative) {
            return Arc::clone(known);
        }
        let ends = relative
            .match_indices('/')
            .map(|(slash, _)| slash)
            .chain((!relative.is_empty()).then_some(relative.len()));
        let mut current = self.enter(
            root,
            "",
            Folder {
                files: Vec::new(),
                settled: None,
            },
            patterns,
            left,
        );
        for end in ends {
            let path = relative.get(..end).unwrap_or("");
            if let Some(known) = self.folders.get(path) {
                current = Arc::clone(known);
                continue;
            }
            let settled = current.settled.or(match self.judge(&current, path, true) {
                Ignored::No => None,
                other => Some(other),
            });
            if end > existing {
                // Nothing can be read in a missing folder, and nothing is kept for it: its path may be very long.
                if settled.is_some() {
                    return Arc::new(Folder {
                        files: Vec::new(),
                        settled,
                    });
                }
                continue;
            }
            current = self.enter(
                root,
                path,
                Folder {
                    files: current.files.clone(),
                    settled,
                },
                patterns,
                left,
            );
        }
        current
    }

    /// Adds the folder's own ignore file, and keeps the folder.
    fn enter(
        &mut self,
        root: &str,
        relative: &str,
        mut folder: Folder,
        patterns: &Remembered<Patterns>,
        left: &mut u32,
    ) -> Arc<Folder> {
        if let Some(known) = self.folders.get(relative) {
            return Arc::clone(known);
        }
        if folder.settled.is_none() {
            let (path, base) = if relative.is_empty() {
                (format!("{root}/.gitignore"), 0)
            } else {
                (format!("{root}/{relative}/.gitignore"), relative.len() + 1)
            };
            match patterns.recall(Path::new(&path), LastLink::Refuse, left) {
                Recalled::Known(found) => folder.files.push((base, found)),
                Recalled::Missing => {}
                Recalled::Unknown => folder.settled = Some(Ignored::Unknown),
            }
        }
        let folder = Arc::new(folder);
        self.folders
            .insert(relative.to_owned(), Arc::clone(&folder));
        folder
    }

    /// What the files say of one path, all folders above it being settled. The first file that says anything decides.
    fn judge(&self, folder: &Folder, relative: &str, is_folder: bool) -> Ignored {
        let nearest_first = folder.files.iter().rev().map(|(base, file)| (*base, file));
        for (base, file) in nearest_first.chain(self.exclude.iter().map(|file| (0, file))) {
            let path = relative.as_bytes().get(base..).unwrap_or_default();
            match file.say(path, is_folder, self.fold, &self.effort) {
                Said::Nothing => {}
                Said::Ignore => return Ignored::Yes,
                Said::Keep => return Ignored::No,
                Said::Unknown => return Ignored::Unknown,
            }
        }
        // Only one of the personal files counts; which one depends on a condition that was not looked into, so the strictest does.
        let said: Vec<Said> = self
            .personal
            .iter()
            .map(|file| file.say(relative.as_bytes(), is_folder, self.fold, &self.effort))
            .collect();
        if said.contains(&Said::Ignore) {
            Ignored::Yes
        } else if said.contains(&Said::Unknown) {
            Ignored::Unknown
        } else {
            Ignored::No
        }
    }
}
