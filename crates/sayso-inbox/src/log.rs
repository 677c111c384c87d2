//! The log of the inbox: what went on, a line each, in a file that does not grow for ever.

use std::fs::File;
use std::io::Write as _;
use std::sync::{Mutex, PoisonError};

use sayso_core::text::visible::visible;
use sayso_store::Folder;

use super::error::SourceError;

const FILE: &str = "serve.log";
/// At this size it begins anew.
const LONGEST: u64 = 1 << 20;
/// So many older ones are kept.
const OLDER: usize = 3;

/// The log.
pub(super) struct Log {
    folder: Folder,
    file: Mutex<Option<File>>,
}

impl Log {
    /// A log in this folder.
    pub(super) fn new(folder: Folder) -> Log {
        Log {
            folder,
            file: Mutex::new(None),
        }
    }

    /// Writes a line. What cannot be written is left out: nothing waits for a log.
    pub(super) fn line(&self, words: &str) {
        let words = visible(words);
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = self.write(&mut file, &words);
    }

    fn write(&self, open: &mut Option<File>, words: &str) -> Result<(), SourceError> {
        let file = match open.take() {
            Some(file) => file,
            None => self.folder.append(FILE)?,
        };
        let length = file.metadata().map_or(0, |found| found.len());
        let mut file = if length < LONGEST {
            file
        } else {
            self.turn()?;
            self.folder.append(FILE)?
        };
        let time = jiff::Timestamp::now();
        let written = writeln!(file, "{time:.3} {words}");
        *open = Some(file);
        Ok(written?)
    }

    /// Gives each file the name of the next older one.
    fn turn(&self) -> Result<(), SourceError> {
        for number in (1..OLDER).rev() {
            let (from, to) = (format!("{FILE}.{number}"), format!("{FILE}.{}", number + 1));
            if self.folder.look(&from)?.is_some() {
                self.folder.rename(&from, &to)?;
            }
        }
        Ok(self.folder.rename(FILE, &format!("{FILE}.1"))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_does_not_grow_for_ever() {
        let scratch = tempfile::tempdir().unwrap();
        let path = std::fs::canonicalize(scratch.path()).unwrap().join("sayso");
        let log = Log::new(Folder::open(&path).unwrap());
        let long = "x".repeat(200_000);
        for _ in 0..40 {
            log.line(&long);
        }
        log.line("the end \u{1b}[2J\n of it");
        let mut names = Folder::open(&path).unwrap().names().unwrap();
        names.retain(|name| name.starts_with("serve"));
        names.sort();
        assert_eq!(
            names,
            ["serve.log", "serve.log.1", "serve.log.2", "serve.log.3"]
        );
        for name in names {
            assert!(std::fs::metadata(path.join(name)).unwrap().len() < LONGEST + 300_000);
        }
        let text = std::fs::read_to_string(path.join("serve.log")).unwrap();
        assert!(
            text.ends_with(" the end ␛[2J␊ of it\n"),
            "{}",
            &text[text.len() - 60..]
        );
    }
}
