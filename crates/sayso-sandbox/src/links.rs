//! The links on the way to a path: who can turn one of them decides where the path leads.

use std::path::{Component, Path, PathBuf};

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
    }
}
