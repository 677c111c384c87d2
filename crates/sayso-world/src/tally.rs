//! Counts what is below a folder, for a person who is asked whether it may go; it stops at a limit and says so.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How much is below a folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Everything that is no folder.
    pub files: u64,
    /// The size of the files; a link counts as nothing.
    pub bytes: u64,
    /// All of it was counted; else there is at least so much.
    pub whole: bool,
}

/// The clock is looked at once in so many entries.
const STEP: usize = 64;

/// Counts everything below a folder that is no link itself. It follows no link and enters no other file system, where a look may take
/// as long as a network does. None if it is no folder.
pub fn tally(path: &str, entries: usize, time: Duration) -> Option<Tally> {
    let until = Instant::now().checked_add(time)?;
    let start = fs::symlink_metadata(path)
        .ok()
        .filter(fs::Metadata::is_dir)?;
    let mut walk = Walk {
        device: start.dev(),
        left: entries,
        until,
        open: vec![PathBuf::from(path)],
        found: Tally::default(),
    };
    walk.found.whole = true;
    while let Some(folder) = walk.open.pop() {
        if !walk.folder(&folder) {
            walk.found.whole = false;
            break;
        }
    }
    Some(walk.found)
}

struct Walk {
    device: u64,
    left: usize,
    until: Instant,
    open: Vec<PathBuf>,
    found: Tally,
}

impl Walk {
    /// Counts the entries of one folder. False if the limit is met.
    fn folder(&mut self, folder: &Path) -> bool {
        let Ok(entries) = fs::read_dir(folder) else {
            self.found.whole = false;
            return true;
        };
        for entry in entries {
            let late = self.left.is_multiple_of(STEP) && Instant::now() >= self.until;
            if self.left == 0 || late {
                return false;
            }
            self.left -= 1;
            // What went away meanwhile goes with nothing.
            let Some(metadata) = entry
                .ok()
                .and_then(|entry| Some((entry.metadata().ok()?, entry.path())))
            else {
                self.found.whole = false;
                continue;
            };
            match metadata {
                (metadata, path) if metadata.is_dir() && metadata.dev() == self.device => {
                    self.open.push(path)
                }
                (metadata, _) if metadata.is_dir() => self.found.whole = false,
                (metadata, _) => {
                    self.found.files += 1;
                    self.found.bytes += if metadata.is_file() {
                        metadata.len()
                    } else {
                        0
                    };
                }
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(3600);

    fn scratch() -> tempfile::TempDir {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().join("build");
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::write(root.join("one"), [0; 10]).unwrap();
        fs::write(root.join("a/two"), [0; 20]).unwrap();
        fs::write(root.join("a/b/.three"), [0; 30]).unwrap();
        fs::write(scratch.path().join("outside"), [0; 1000]).unwrap();
        std::os::unix::fs::symlink("../outside", root.join("link")).unwrap();
        std::os::unix::fs::symlink("..", root.join("up")).unwrap();
        scratch
    }

    #[test]
    fn everything_below_is_counted_and_links_are_not_followed() {
        let scratch = scratch();
        let root = scratch.path().join("build");
        assert_eq!(
            tally(root.to_str().unwrap(), 1000, LONG),
            Some(Tally {
                files: 5,
                bytes: 60,
                whole: true
            })
        );
        assert_eq!(tally(root.join("one").to_str().unwrap(), 1000, LONG), None);
        assert_eq!(
            tally(root.join("up").to_str().unwrap(), 1000, LONG),
            None,
            "the link goes, and nothing behind it"
        );
        assert_eq!(
            tally(root.join("nothing").to_str().unwrap(), 1000, LONG),
            None
        );
        assert_eq!(tally("build\0", 1000, LONG), None);
    }

    #[test]
    fn where_it_stops_it_says_so() {
        let scratch = scratch();
        let root = scratch.path().join("build");
        let root = root.to_str().unwrap();
        for entries in 0..7 {
            let found = tally(root, entries, LONG).unwrap();
            assert!(
                !found.whole && found.files <= entries as u64,
                "{entries}: {found:?}"
            );
        }
        assert!(
            tally(root, 7, LONG).unwrap().whole,
            "five files and two folders"
        );
        assert!(
            !tally(root, 64, Duration::ZERO).unwrap().whole,
            "and when the time is over"
        );
    }
}
