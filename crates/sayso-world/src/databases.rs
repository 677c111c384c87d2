//! Finds SQLite files that are repaired by opening them, so that a program which only looks would write and delete.
//!
//! A journal that a crash left is played back and removed, and it may name a further journal anywhere, which is removed as well.

use std::fs;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

/// What SQLite puts behind the name of a file for its journals.
const JOURNALS: [&str; 3] = ["-journal", "-wal", "-shm"];

/// Names that are looked at below a folder.
const MOST_NAMES: usize = 50_000;

/// Whether opening a file may change it or others: a journal with content lies beside it, it keeps its journal apart (WAL), or it is a link,
/// beside whose target the journals lie.
pub(crate) fn is_repaired(path: &Path) -> bool {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
        return true;
    };
    let is_link = fs::symlink_metadata(path).map_or(true, |found| found.is_symlink());
    is_link
        || JOURNALS
            .iter()
            .any(|ending| is_hot(&path.with_file_name(format!("{name}{ending}"))))
        || keeps_log(path)
}

/// Some programs leave an empty journal behind, which says nothing.
fn is_hot(journal: &Path) -> bool {
    match fs::symlink_metadata(journal) {
        Ok(found) => !found.is_file() || found.len() > 0,
        Err(error) => !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory),
    }
}

/// Whether the file says that it is written through a log: then even a reader makes files beside it.
fn keeps_log(path: &Path) -> bool {
    let mut start = [0; 20];
    // What cannot be read cannot be opened by the program either; a pipe is not waited for.
    let is_file = fs::metadata(path).is_ok_and(|found| found.is_file());
    let read = is_file
        && fs::File::open(path)
            .and_then(|mut file| file.read_exact(&mut start))
            .is_ok();
    read && start.starts_with(b"SQLite format 3\0")
        && start
            .get(18..20)
            .is_some_and(|versions| versions.contains(&2))
}

/// The first file below a folder whose path ends so and which is repaired; the folder itself where there is too much to look at.
pub(crate) fn repaired_below(folder: &str, file: &str) -> Option<String> {
    let shown = |path: &Path| path.to_string_lossy().into_owned();
    let data = file.split('/').next().unwrap_or_default();
    let mut left = MOST_NAMES;
    let mut waiting = vec![PathBuf::from(folder)];
    while let Some(next) = waiting.pop() {
        let Ok(entries) = fs::read_dir(&next) else {
            continue;
        };
        for entry in entries.flatten() {
            if left == 0 {
                return Some(shown(&next));
            }
            left -= 1;
            let Ok(kind) = entry.file_type() else {
                return Some(shown(&next));
            };
            if entry.file_name() == data {
                let path = next.join(file);
                if kind.is_symlink() || fs::symlink_metadata(&path).is_ok() && is_repaired(&path) {
                    return Some(shown(&path));
                }
            } else if kind.is_dir() {
                waiting.push(entry.path());
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finding_j_04_files_with_journals_are_repaired() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("a.db"), "x").unwrap();
        assert!(!is_repaired(&at("a.db")));
        fs::write(at("a.db-journal"), "").unwrap();
        assert!(!is_repaired(&at("a.db")), "an empty journal");
        for ending in ["-journal", "-wal"] {
            fs::write(at(&format!("a.db{ending}")), "x").unwrap();
            assert!(is_repaired(&at("a.db")), "{ending}");
            fs::remove_file(at(&format!("a.db{ending}"))).unwrap();
        }
        std::os::unix::fs::symlink("elsewhere", at("a.db-journal")).unwrap();
        assert!(is_repaired(&at("a.db")), "a link");
        std::os::unix::fs::symlink("a.db", at("b.db")).unwrap();
        assert!(is_repaired(&at("b.db")));
        fs::write(at("log.db"), b"SQLite format 3\0\x10\x00\x02\x02\0\0\0\0").unwrap();
        assert!(is_repaired(&at("log.db")));
        fs::write(at("plain.db"), b"SQLite format 3\0\x10\x00\x01\x01\0\0\0\0").unwrap();
        assert!(!is_repaired(&at("plain.db")));
    }

    #[test]
    fn finding_j_04_working_copies_below_are_looked_at() {
        let folder = tempfile::tempdir().unwrap();
        let start = folder.path().to_str().unwrap();
        fs::create_dir_all(folder.path().join("a/b/.svn")).unwrap();
        fs::write(folder.path().join("a/b/.svn/wc.db"), "x").unwrap();
        assert_eq!(repaired_below(start, ".svn/wc.db"), None);
        fs::write(folder.path().join("a/b/.svn/wc.db-journal"), "x").unwrap();
        assert!(repaired_below(start, ".svn/wc.db").is_some());
    }
}
