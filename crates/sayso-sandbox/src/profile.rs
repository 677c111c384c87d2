//! What a sandboxed command may do, as one value: what is not in it is refused.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::ops::Bound;
use std::path::{Path, PathBuf};

use sayso_core::policy::terms::Network;

/// What may be done with a path and everything below, as far as nothing deeper says otherwise; later ones permit more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Nothing of it is seen.
    Hidden,
    /// The command has its own there: empty at first, gone at the end.
    Private,
    /// Read, and programs run.
    Read,
    /// Written, too.
    Write,
}

/// How much a command may take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Seconds.
    pub time: Option<u64>,
    /// MiB of memory, each process.
    pub memory: Option<u64>,
    /// Processes at once.
    pub processes: Option<u64>,
}

/// All of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The folder it runs in.
    pub cwd: PathBuf,
    /// What may be done where. Paths are absolute and free of links; the deepest that a path is below counts. What is below none is hidden.
    pub paths: BTreeMap<PathBuf, Level>,
    /// Folders that must stay where they are: what is read-only in them would be left behind by a move, and made anew.
    pub pinned: Vec<PathBuf>,
    /// Links that lead to paths of the profile, and where they lead.
    pub links: BTreeMap<PathBuf, PathBuf>,
    /// Where something else of the machine stands than what the machine has there: a folder of the session's own at a private place, and
    /// data that is shown at a place that only the sandbox has.
    pub placed: BTreeMap<PathBuf, PathBuf>,
    /// Which network it reaches.
    pub network: Network,
    /// Its whole environment.
    pub environment: Vec<(OsString, OsString)>,
    /// How much it may take.
    pub limits: Limits,
}

impl Profile {
    /// What may be done with a path: absolute, in normal form and free of links.
    pub fn level(&self, path: &Path) -> Level {
        let mut at = path;
        // What is said of a folder stands before all that is said of things in it, and that before everything else. So the last that is not
        // behind the path is above it, or is itself below the one that is searched for.
        while let Some((key, level)) = self
            .paths
            .range::<Path, _>((Bound::Unbounded, Bound::Included(at)))
            .next_back()
        {
            if at.starts_with(key) {
                return *level;
            }
            let Some(common) = at.ancestors().skip(1).find(|above| key.starts_with(above)) else {
                break;
            };
            at = common;
        }
        Level::Hidden
    }

    /// What of the machine is seen at a path.
    pub fn source(&self, path: &Path) -> PathBuf {
        let shown = path
            .ancestors()
            .find_map(|above| Some((above, self.placed.get(above)?)));
        match shown {
            // In a folder of the session's own, the profile only names what the machine has at that place.
            Some((above, source)) if self.paths.get(above) == Some(&Level::Read) => {
                path.strip_prefix(above).map_or_else(
                    |_| source.clone(),
                    |rest| source.join(rest).components().collect(),
                )
            }
            _ => path.to_owned(),
        }
    }

    /// Lets no more through for a path, and everything below, than this.
    pub fn lower(&mut self, path: &Path, most: Level) {
        let level = self.level(path).min(most);
        self.paths.insert(path.to_owned(), level);
        let behind = (Bound::Excluded(path), Bound::Unbounded);
        for (_, level) in self
            .paths
            .range_mut::<Path, _>(behind)
            .take_while(|(key, _)| key.starts_with(path))
        {
            *level = (*level).min(most);
        }
    }

    /// Lets a path through up to this, unless something that was said for it or for what is below says less.
    pub fn raise(&mut self, path: PathBuf, least: Level) {
        let level = self.level(&path).max(least);
        self.paths.insert(path, level);
    }

    /// What both let through: an operator's bounds only ever take away.
    pub fn meet(&self, other: &Profile) -> Profile {
        let keys = self.paths.keys().chain(other.paths.keys());
        let paths = keys
            .map(|key| (key.clone(), self.level(key).min(other.level(key))))
            .collect();
        let least = |one: Option<u64>, other: Option<u64>| one.into_iter().chain(other).min();
        Profile {
            paths,
            pinned: self.pinned.iter().chain(&other.pinned).cloned().collect(),
            network: self.network.meet(&other.network),
            limits: Limits {
                time: least(self.limits.time, other.limits.time),
                memory: least(self.limits.memory, other.limits.memory),
                processes: least(self.limits.processes, other.limits.processes),
            },
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(paths: &[(&str, Level)]) -> Profile {
        Profile {
            cwd: "/w".into(),
            paths: paths
                .iter()
                .map(|(path, level)| (PathBuf::from(path), *level))
                .collect(),
            pinned: Vec::new(),
            links: BTreeMap::new(),
            placed: BTreeMap::new(),
            network: Network::Everything,
            environment: Vec::new(),
            limits: Limits::default(),
        }
    }

    #[test]
    fn the_deepest_above_a_path_counts() {
        let said = [
            "/",
            "/a",
            "/a/b",
            "/a/b/c.d",
            "/a/b-c",
            "/a/bc/d/e",
            "/a0",
            "/b/x/y/z",
            "/b/x-y",
        ];
        let levels = [Level::Hidden, Level::Private, Level::Read, Level::Write];
        for skipped in 0..said.len() {
            let some: Vec<(&str, Level)> = said
                .iter()
                .skip(skipped)
                .zip(levels.iter().copied().cycle())
                .map(|(path, level)| (*path, level))
                .collect();
            let profile = profile(&some);
            let more = [
                "/a/b/c",
                "/a/b/c.d/e/f",
                "/a/b.",
                "/a/b-",
                "/a/bc/d",
                "/a/bc/d/e/f",
                "/a1",
                "/b/x/y",
                "/b/x/y/z/z",
                "/b/x-z",
                "/c",
            ];
            for path in said.iter().chain(&more).map(Path::new) {
                let wanted = path
                    .ancestors()
                    .find_map(|above| profile.paths.get(above))
                    .copied()
                    .unwrap_or(Level::Hidden);
                assert_eq!(
                    profile.level(path),
                    wanted,
                    "{} without the first {skipped}",
                    path.display()
                );
            }
        }
    }

    #[test]
    fn the_deepest_counts_by_whole_names() {
        let it = profile(&[
            ("/w", Level::Write),
            ("/w/.git/hooks", Level::Read),
            ("/w/.env", Level::Hidden),
        ]);
        for (path, level) in [
            ("/w", Level::Write),
            ("/w/a/b", Level::Write),
            ("/w/.git/hooks/x", Level::Read),
            ("/w/.git", Level::Write),
            ("/w/.env", Level::Hidden),
            ("/w/.environment", Level::Write),
            ("/wx", Level::Hidden),
            ("/", Level::Hidden),
        ] {
            assert_eq!(it.level(Path::new(path)), level, "{path}");
        }
    }

    #[test]
    fn lowering_reaches_what_is_below() {
        let mut it = profile(&[
            ("/w", Level::Read),
            ("/w/a", Level::Write),
            ("/w-x", Level::Write),
        ]);
        it.lower(Path::new("/w"), Level::Hidden);
        assert_eq!(it.level(Path::new("/w/a/b")), Level::Hidden);
        assert_eq!(it.level(Path::new("/w-x")), Level::Write);
    }

    #[test]
    fn o_02_a_meet_permits_what_both_do() {
        let one = profile(&[("/w", Level::Write), ("/usr", Level::Read)]);
        let two = profile(&[("/", Level::Read), ("/w/out", Level::Write)]);
        let both = one.meet(&two);
        for (path, level) in [
            ("/w", Level::Read),
            ("/w/out/x", Level::Write),
            ("/usr/bin", Level::Read),
            ("/home", Level::Hidden),
        ] {
            assert_eq!(both.level(Path::new(path)), level, "{path}");
        }
        assert_eq!(both.paths, two.meet(&one).paths);
    }
}
