//! Where the caches of a person are, and what of them may be shown.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Component, Path, PathBuf};

use sayso_core::paths::{hidden_in_home, secret};
use sayso_core::text::redact::redact_text;

use super::table::{Base, ROWS, Row, Share};
use crate::symlinks;

/// Repositories of dependencies that are looked at for addresses with a password.
const MAX_REPOSITORIES: usize = 2_000;
/// Larger settings of such a repository are hidden unread.
const MAX_SETTINGS: u64 = 256 * 1024;

/// A cache of this person.
pub(crate) struct Cache {
    row: &'static Row,
    /// Free of links, though perhaps not there.
    pub(super) place: PathBuf,
    pub(super) parts: Vec<Found>,
}

/// Data of a cache that is there.
pub(super) struct Found {
    /// Below the cache.
    pub(super) path: PathBuf,
    /// Where it really is.
    pub(super) source: PathBuf,
    pub(super) share: Share,
    /// What of it is not shown.
    pub(super) hidden: Vec<PathBuf>,
}

impl Cache {
    pub(super) fn name(&self) -> &'static str {
        self.row.name
    }
}

/// The variables of the person that say where a cache is.
pub fn variables(
    inherited: impl IntoIterator<Item = (OsString, OsString)>,
) -> Vec<(OsString, OsString)> {
    let is_known = |name: &OsStr| {
        let mut known = ROWS.iter().flat_map(|row| row.variables);
        known.any(|(variable, _)| name == *variable)
    };
    inherited
        .into_iter()
        .filter(|(name, value)| is_known(name) && is_whole(Path::new(value)))
        .collect()
}

/// Whether a path means the same in every folder.
fn is_whole(path: &Path) -> bool {
    path.is_absolute() && !path.components().any(|part| part == Component::ParentDir)
}

/// The caches of a person. `home` is free of links; caches in a folder that commands work in are no caches of the person's.
pub(crate) fn find(
    home: Option<&Path>,
    environment: &[(OsString, OsString)],
    worked_in: &[PathBuf],
) -> Vec<Cache> {
    let Some(home) = home else { return Vec::new() };
    let sound = |row: &'static Row| {
        let (written, is_named) = place(row, home, environment)?;
        let place = sound_place(&written, is_named, home)?;
        let apart = |folder: &PathBuf| !place.starts_with(folder) && !folder.starts_with(&place);
        let parts = if worked_in.iter().all(apart) {
            parts(row, &place, home)
        } else {
            return None;
        };
        Some(Cache { row, place, parts })
    };
    ROWS.iter().filter_map(sound).collect()
}

/// The places of all data that the table names, whether or not it may be shown. Free of links.
pub(crate) struct Places(Vec<(PathBuf, PathBuf)>);

impl Places {
    pub(crate) fn of(home: Option<&Path>, environment: &[(OsString, OsString)]) -> Places {
        let mut places = Vec::new();
        for row in home.map_or(&[][..], |_| &ROWS) {
            let place = home.and_then(|home| place(row, home, environment));
            let Some(place) = place.map(|(place, _)| symlinks::resolved(&place)) else {
                continue;
            };
            for part in row.parts {
                let part = plain(&place.join(part.path.trim_end_matches('*')));
                places.push((place.clone(), part));
            }
        }
        Places(places)
    }

    /// Whether a place of tools belongs to a cache, so that only what the table says of it is shown.
    pub(crate) fn hold(&self, tools: &Path) -> bool {
        self.0.iter().any(|(place, part)| {
            // Go keeps nothing but modules and what it compiled in `pkg`.
            let is_above = tools.ends_with("pkg") && part == place;
            tools.starts_with(part)
                || part.starts_with(tools) && (is_above || tools.starts_with(place))
        })
    }
}

/// Where a cache is by what is written, and whether a variable says so.
fn place(row: &Row, home: &Path, environment: &[(OsString, OsString)]) -> Option<(PathBuf, bool)> {
    let value = |wanted: &str| {
        let found = environment.iter().find(|(name, _)| name == wanted);
        found.map(|(_, value)| Path::new(value).to_owned())
    };
    for (variable, below) in row.variables {
        if let Some(value) = value(variable).filter(|value| is_whole(value)) {
            return Some((plain(&value.join(below)), true));
        }
    }
    Some(match row.base {
        Base::Home => (home.join(row.path), false),
        Base::Cache => match value("XDG_CACHE_HOME").filter(|value| is_whole(value)) {
            Some(base) => (plain(&base.join(row.path)), true),
            None => (home.join(".cache").join(row.path), false),
        },
    })
}

fn plain(path: &Path) -> PathBuf {
    path.components().collect()
}

/// A place by where it really is, if nothing else of the person comes with it: no link leads out of the home folder or to what is private
/// there, and it is neither the home folder nor above it.
fn sound_place(written: &Path, is_named: bool, home: &Path) -> Option<PathBuf> {
    let place = symlinks::resolved(written);
    if home.starts_with(&place) || place.components().count() < 3 {
        return None;
    }
    if place.starts_with(home) {
        let as_written = place == written || symlinks::on_the_way(written).is_empty();
        let leads_inside = as_written || is_plain(&place, home);
        return leads_inside.then_some(place);
    }
    // Outside of the home folder only where the person says so, and by its real name.
    let is_real = symlinks::on_the_way(written).is_empty();
    (is_named && is_real && !is_of_system(&place)).then_some(place)
}

fn is_of_system(place: &Path) -> bool {
    let folders = [
        "/etc", "/usr", "/bin", "/sbin", "/lib", "/dev", "/proc", "/sys", "/run", "/boot",
    ];
    folders.iter().any(|folder| place.starts_with(folder))
}

/// Whether a place of the home folder is below no private name.
fn is_plain(place: &Path, home: &Path) -> bool {
    let (text, home) = (place.to_string_lossy(), home.to_string_lossy());
    !hidden_in_home(&text, &home) && secret(&text, Some(&home)).is_none()
}

/// The data that is there.
fn parts(row: &Row, place: &Path, home: &Path) -> Vec<Found> {
    let mut found = Vec::new();
    for part in row.parts {
        let paths = match part.path.strip_suffix('*') {
            Some(prefix) => versions(place, prefix),
            None => vec![PathBuf::from(part.path)],
        };
        for path in paths {
            let written = plain(&place.join(&path));
            let Ok(source) = symlinks::real(&written) else {
                continue;
            };
            let leads_inside =
                source.starts_with(home) && is_plain(&source, home) && !home.starts_with(&source);
            if (source != written && !leads_inside) || !source.is_dir() {
                continue;
            }
            let hidden = match path.to_str() {
                Some("git/db") => with_password(&source),
                // Repositories of modules, which are needed only to download more.
                Some("") => vec![source.join("cache/vcs")],
                _ => Vec::new(),
            };
            found.push(Found {
                path,
                source,
                share: part.share,
                hidden: hidden.into_iter().filter(|path| path.exists()).collect(),
            });
        }
    }
    found
}

/// The folders whose names begin so and go on with a number.
fn versions(place: &Path, prefix: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(place).into_iter().flatten().flatten();
    let is_version = |name: &OsStr| {
        let rest = name.to_str().and_then(|name| name.strip_prefix(prefix));
        rest.is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let mut found: Vec<PathBuf> = entries
        .map(|entry| PathBuf::from(entry.file_name()))
        .filter(|name| is_version(name.as_os_str()))
        .collect();
    found.sort();
    found
}

/// Repositories of dependencies whose settings hold an address with a password or a token.
fn with_password(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let repositories: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    // More than can be looked at are not shown.
    if repositories.len() > MAX_REPOSITORIES {
        return vec![folder.to_owned()];
    }
    let leaks = |file: PathBuf| match fs::symlink_metadata(&file) {
        Err(_) => false,
        Ok(found) if !found.is_file() || found.len() > MAX_SETTINGS => true,
        Ok(_) => fs::read_to_string(&file).map_or(true, |text| redact_text(&text) != text),
    };
    let is_leaking =
        |folder: &PathBuf| leaks(folder.join("config")) || leaks(folder.join("FETCH_HEAD"));
    repositories.into_iter().filter(is_leaking).collect()
}
