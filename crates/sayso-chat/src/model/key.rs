//! The key of an endpoint: from the environment or a file of the person's, sent to that endpoint, and shown and written nowhere.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use sayso_core::text::visible::visible;
use sayso_world::bounded_file::{Content, LastLink, read};

use crate::error::shown;

/// Why a key cannot be used; nothing of the key is in it.
#[allow(missing_docs, reason = "the messages say it")]
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    #[error("the key is empty")]
    Empty,
    #[error("the key has characters that no key has")]
    OddCharacters,
    #[error("`{0}`: {1}")]
    InVariable(String, Box<KeyError>),
    #[error("`{}`: {}", shown(.0), .1)]
    InFile(PathBuf, Box<KeyError>),
    #[error("there is no key in `{}`", visible(.0))]
    NoVariable(String),
    #[error("there is no file `{}` with a key", shown(.0))]
    NoFile(PathBuf),
    #[error("the key in `{path}` can be read by others\nhint: run `chmod 600 {path}`", path = shown(.0))]
    OpenToOthers(PathBuf),
    #[error("`{}` holds no key", shown(.0))]
    NotText(PathBuf),
    #[error("`{}` {}", shown(.0), .1)]
    Unusable(PathBuf, String),
}

/// The longest key.
const LONGEST: u64 = 16 << 10;
/// What stands where a key was.
const HIDDEN: &str = "[key]";

/// A key.
#[derive(Clone)]
pub struct Key(String);

impl std::fmt::Debug for Key {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str(HIDDEN)
    }
}

impl Key {
    /// A key as it was given; blanks around it are none of it.
    ///
    /// # Errors
    /// When nobody could send it.
    pub fn new(text: &str) -> Result<Key, KeyError> {
        let text = text.trim();
        match text {
            "" => Err(KeyError::Empty),
            _ if !text.bytes().all(|byte| (0x21..=0x7e).contains(&byte)) => {
                Err(KeyError::OddCharacters)
            }
            _ => Ok(Key(text.to_owned())),
        }
    }

    /// The key in a variable of the environment; none where there is none.
    ///
    /// # Errors
    /// When it is no key.
    pub fn from_environment(name: &str) -> Result<Option<Key>, KeyError> {
        match std::env::var(name) {
            Ok(text) if !text.trim().is_empty() => Key::new(&text)
                .map(Some)
                .map_err(|error| KeyError::InVariable(name.to_owned(), Box::new(error))),
            _ => Ok(None),
        }
    }

    /// The key in a file that nobody else can read.
    ///
    /// # Errors
    /// Why it cannot be used; nothing of the file is in that.
    pub fn from_file(path: &Path) -> Result<Key, KeyError> {
        let path = || path.to_owned();
        match read(&path(), LONGEST, LastLink::Follow) {
            Content::Bytes(bytes, metadata) => {
                if metadata.mode() & 0o077 != 0 {
                    return Err(KeyError::OpenToOthers(path()));
                }
                let text = String::from_utf8(bytes).map_err(|_| KeyError::NotText(path()))?;
                Key::new(&text).map_err(|error| KeyError::InFile(path(), Box::new(error)))
            }
            Content::Missing | Content::Link => Err(KeyError::NoFile(path())),
            Content::Unusable(reason) => Err(KeyError::Unusable(path(), reason)),
        }
    }

    /// The key itself, for the endpoint.
    pub(super) fn sent(&self) -> &str {
        &self.0
    }

    /// A text of the endpoint without the key: some of them repeat it in their errors.
    pub fn hidden_in(&self, text: &str) -> String {
        text.replace(&self.0, HIDDEN)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_key_is_never_shown() {
        let key = Key::new(" sk-test-1 \n").unwrap();
        assert_eq!(format!("{key:?}"), "[key]");
        assert_eq!(
            key.hidden_in("Incorrect key provided: sk-test-1."),
            "Incorrect key provided: [key]."
        );
        assert!(Key::new("a\nb").is_err() && Key::new(" ").is_err() && Key::new("ä").is_err());
    }

    #[test]
    fn a_file_that_others_can_read_is_refused() {
        let scratch = tempfile::tempdir().unwrap();
        let file = scratch.path().join("key");
        std::fs::write(&file, "sk-test-1\n").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
        let error = Key::from_file(&file).unwrap_err().to_string();
        assert!(
            error.contains("chmod 600") && !error.contains("sk-test"),
            "{error}"
        );
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(Key::from_file(&file).unwrap().sent(), "sk-test-1");
        assert!(
            Key::from_file(&scratch.path().join("none")).is_err()
                && Key::from_file(scratch.path()).is_err()
        );
    }
}
