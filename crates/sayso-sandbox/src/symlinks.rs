//! The links on the way to a path: who can turn one of them decides where the path leads.

use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

/// As many as the system follows.
const MOST: usize = 40;

/// Every link on the way to a path with where it leads, in the order in which they are followed.
pub(crate) fn on_the_way(path: &Path) -> Vec<(PathBuf, PathBuf)> {
    let mut found = Vec::new();
    let mut left = path.to_owned();
    while let Some((link, to, rest)) = first(&left).filter(|_| found.len() < MOST) {
        left = link.parent().unwrap_or(Path::new("/")).join(&to).join(rest);
        found.push((link, to));
    }
    found
}

/// Where a path leads, as far as it is there; what is behind that is taken as it is written.
pub(crate) fn resolved(path: &Path) -> PathBuf {
    // What is there is asked for at once.
    if let Ok(real) = real(path) {
        return real;
    }
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(out.pop()),
            part => out.push(part),
        }
        if let Ok(real) = std::fs::canonicalize(&out) {
            out = real;
        }
    }
    out
}

/// Where a path leads. One that has no link in it, as most, is found out by a single question instead of one for each name.
///
/// # Errors
/// If nothing is there, or it cannot be looked at.
pub(crate) fn real(path: &Path) -> std::io::Result<PathBuf> {
    let is_plain =
        path.is_absolute() && !path.components().any(|part| part == Component::ParentDir);
    match is_plain.then(|| opened(path)) {
        Some(Ok(_)) => Ok(path.components().collect()),
        Some(Err(Errno::NOENT)) => Err(Errno::NOENT.into()),
        _ => std::fs::canonicalize(path),
    }
}

/// A place, not what is in it; of a link, the link itself.
pub(crate) const PLACE: OFlags = OFlags::PATH.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Opens a place that has no link in its path; none if there is one, or nothing is there.
pub(crate) fn open(path: &Path) -> Option<OwnedFd> {
    match opened(path) {
        Err(Errno::NOSYS | Errno::PERM) => {
            // Where that call is kept away: the path must be its own real one.
            let real = std::fs::canonicalize(path).is_ok_and(|real| real == path);
            real.then(|| rustix::fs::open(path, PLACE, Mode::empty()).ok())
                .flatten()
        }
        result => result.ok(),
    }
}

fn opened(path: &Path) -> Result<OwnedFd, Errno> {
    rustix::fs::openat2(
        CWD,
        path,
        OFlags::PATH | OFlags::CLOEXEC,
        Mode::empty(),
        ResolveFlags::NO_SYMLINKS,
    )
}

/// The first link on the way to a path, by the folder it really is in, where it leads, and what of the path is behind it.
fn first(path: &Path) -> Option<(PathBuf, PathBuf, PathBuf)> {
    let mut above = PathBuf::new();
    let mut parts = path.components();
    while let Some(part) = parts.next() {
        // Nothing before it is a link, so this is the folder above.
        match part {
            Component::ParentDir => drop(above.pop()),
            part => above.push(part),
        }
        if let Ok(to) = std::fs::read_link(&above) {
            return Some((above, to, parts.as_path().to_owned()));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_link_is_told_by_where_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().canonicalize().unwrap().join(name);
        std::fs::create_dir_all(at("real/deep")).unwrap();
        std::os::unix::fs::symlink("real", at("one")).unwrap();
        std::os::unix::fs::symlink("../one/deep", at("real/two")).unwrap();
        std::os::unix::fs::symlink("round", at("round")).unwrap();
        let found = on_the_way(&at("real/../real/two"));
        let names: Vec<PathBuf> = found.into_iter().map(|(link, _)| link).collect();
        assert_eq!(names, [at("real/two"), at("one")]);
        assert!(on_the_way(&at("real/deep")).is_empty());
        assert_eq!(resolved(&at("one/two/./x/../y")), at("real/deep/y"));
        assert_eq!(resolved(&at("none/../one")), at("real"));
        assert_eq!(on_the_way(&at("round")).len(), MOST);
        for name in [
            "one",
            "one/deep",
            "real/two",
            "real/deep",
            "real/../one",
            "real/./deep/",
        ] {
            assert_eq!(
                real(&at(name)).unwrap(),
                at(name).canonicalize().unwrap(),
                "{name}"
            );
        }
        assert!(real(&at("none")).is_err() && real(&at("round")).is_err());
        assert!(
            open(&at("real/deep")).is_some()
                && open(&at("one")).is_none()
                && open(&at("one/deep")).is_none()
        );
    }
}
