//! What was typed in earlier sessions: a private file with one text a line, added to and now and then made shorter. It is a convenience:
//! where it cannot be read or written, nothing else suffers.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, OFlags, flock};
use sayso_core::text::node::Node;
use sayso_core::text::{Limits, json};
use sayso_tools::private_folder;
use sayso_world::bounded_file::{Content, LastLink, read};

use crate::error::SourceError;

/// Why what was typed is not kept.
#[allow(missing_docs, reason = "the messages say it")]
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    #[error("{0}")]
    Folder(SourceError),
    #[error("what was typed cannot be kept: {0}")]
    Io(#[from] io::Error),
    #[error("what was typed cannot be kept: its file is no file")]
    NoFile,
}

/// The file, in the state folder.
const FILE: &str = "chat-history.jsonl";
/// So many texts are kept.
const MOST: usize = 500;
/// A longer text is not kept.
const LONGEST: usize = 16 << 10;
/// A file that is longer is made shorter.
const LARGE: u64 = 1 << 20;
/// One that is longer than this is not ours.
const LARGEST: u64 = 4 << 20;

/// The history of a person.
#[derive(Clone, Debug)]
pub struct History {
    file: PathBuf,
}

impl History {
    /// The one in a state folder.
    pub fn of(state: &Path) -> History {
        History {
            file: state.join(FILE),
        }
    }

    /// The last texts, the oldest first. What is no text is left out.
    pub fn load(&self) -> Vec<String> {
        let Content::Bytes(bytes, metadata) = read(&self.file, LARGEST, LastLink::Refuse) else {
            return Vec::new();
        };
        // Somebody else's file says nothing about what the person typed.
        if metadata.mode() & 0o022 != 0 {
            return Vec::new();
        }
        let text = String::from_utf8_lossy(&bytes);
        let limits = Limits::default();
        let one = |line: &str| json::read(line, &limits).ok()?.as_text().map(str::to_owned);
        let mut out: Vec<String> = text
            .lines()
            .rev()
            .filter(|line| line.len() < 2 * LONGEST)
            .filter_map(one)
            .take(MOST)
            .collect();
        out.reverse();
        out
    }

    /// Keeps a text. One that starts with a blank is not kept: the person did not want that.
    ///
    /// # Errors
    /// Why it was not kept.
    pub fn add(&self, text: &str) -> Result<(), HistoryError> {
        if text.starts_with([' ', '\t']) || text.trim().is_empty() || text.len() > LONGEST {
            return Ok(());
        }
        if let Some(folder) = self.file.parent() {
            private_folder::make(folder).map_err(|error| HistoryError::Folder(error.into()))?;
        }
        let flags =
            i32::try_from(OFlags::NOFOLLOW.union(OFlags::NONBLOCK).bits()).unwrap_or_default();
        let mut file = OpenOptions::new()
            .append(true)
            .create(true)
            .mode(0o600)
            .custom_flags(flags)
            .open(&self.file)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(HistoryError::NoFile);
        }
        if metadata.mode() & 0o077 != 0 {
            file.set_permissions(std::fs::Permissions::from_mode(0o600))?;
        }
        // Two sessions write one after the other; nobody holds this for long.
        flock(&file, FlockOperation::LockExclusive).map_err(io::Error::from)?;
        file.write_all(line(text).as_bytes())?;
        if metadata.len() > LARGE {
            let mut room = usize::try_from(LARGE / 2).unwrap_or_default();
            let lines = self.load().into_iter().rev().map(|text| line(&text));
            let mut kept: Vec<String> = lines
                .take_while(|line| {
                    room.checked_sub(line.len())
                        .inspect(|left| room = *left)
                        .is_some()
                })
                .collect();
            kept.reverse();
            private_folder::write(&self.file, kept.concat().as_bytes(), false)?;
        }
        Ok(())
    }
}

/// A text as a line: no character of it ends the line.
fn line(text: &str) -> String {
    format!("{}\n", json::write_plain(&Node::text(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history() -> (tempfile::TempDir, History) {
        let scratch = tempfile::tempdir().unwrap();
        let history = History::of(&scratch.path().join("state"));
        (scratch, history)
    }

    #[test]
    fn texts_come_back_whatever_is_in_them() {
        let (_scratch, history) = history();
        assert!(history.load().is_empty());
        for text in ["one", "two\nlines \u{1b}[2J \u{202e}", " not this", "three"] {
            history.add(text).unwrap();
        }
        assert_eq!(
            history.load(),
            ["one", "two\nlines \u{1b}[2J \u{202e}", "three"]
        );
        let mode = std::fs::metadata(&history.file)
            .unwrap()
            .permissions()
            .mode()
            & 0o777;
        assert_eq!(mode, 0o600);
    }

    #[test]
    fn it_stays_short() {
        let (_scratch, history) = history();
        for at in 0..200 {
            history
                .add(&format!("{at} {}", "x".repeat(15_000)))
                .unwrap();
        }
        assert!(
            std::fs::metadata(&history.file).unwrap().len() < LARGE + 32_000,
            "{}",
            history.load().len()
        );
        assert!(history.load().last().unwrap().starts_with("199 "));
        for at in 0..3000 {
            history.add(&at.to_string()).unwrap();
        }
        let all = history.load();
        assert_eq!(
            (all.len(), all[0].as_str(), all[MOST - 1].as_str()),
            (MOST, "2500", "2999")
        );
    }

    #[test]
    fn a_hostile_file_is_no_trouble() {
        let (scratch, history) = history();
        history.add("mine").unwrap();
        std::fs::write(
            &history.file,
            b"\"good\"\n\xff\xfe\n{\"a\":1}\n[[[[\n\"half\n\n\"also good\"",
        )
        .unwrap();
        assert_eq!(history.load(), ["good", "also good"]);
        std::fs::write(
            &history.file,
            format!("\"{}\"\n\"short\"\n", "y".repeat(100_000)),
        )
        .unwrap();
        assert_eq!(history.load(), ["short"]);
        // A link, a folder and a pipe are not ours, and nobody waits for them.
        std::fs::remove_file(&history.file).unwrap();
        let victim = scratch.path().join("victim");
        std::fs::write(&victim, "\"stolen\"\n").unwrap();
        std::os::unix::fs::symlink(&victim, &history.file).unwrap();
        assert!(history.load().is_empty() && history.add("x").is_err());
        assert_eq!(std::fs::read_to_string(&victim).unwrap(), "\"stolen\"\n");
        std::fs::remove_file(&history.file).unwrap();
        std::fs::create_dir(&history.file).unwrap();
        assert!(history.load().is_empty() && history.add("x").is_err());
        std::fs::remove_dir(&history.file).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &history.file,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
        assert!(history.load().is_empty() && history.add("x").is_err());
        std::fs::remove_file(&history.file).unwrap();
        std::fs::write(&history.file, "\"of others\"\n").unwrap();
        std::fs::set_permissions(&history.file, std::fs::Permissions::from_mode(0o666)).unwrap();
        assert!(history.load().is_empty());
    }
}
