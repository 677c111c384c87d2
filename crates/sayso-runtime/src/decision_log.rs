//! The log that a person's policy names (`audit.log`): each entry about a call is also written there, as one line of JSON.
//!
//! The journal is the record that counts. Somebody who asked for a log relies on it, though, so what cannot be written there is refused.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use sayso_core::policy::settings::Resolved;
use sayso_core::text::json;
use sayso_core::text::node::Node;
use thiserror::Error;

/// The log cannot be written.
#[derive(Debug, Error)]
#[error("the log `{}` cannot be written ({why}), and your policy asks for it (`audit.log` or `audit_log_path`); mend it, or take the key out", .path.display())]
pub struct LogError {
    path: PathBuf,
    why: NotWritten,
}

#[derive(Debug, Error)]
enum NotWritten {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("it is a link")]
    Link,
    #[error("it is not a plain file")]
    NotAFile,
}

/// The log of a policy.
pub struct DecisionLog {
    path: PathBuf,
}

impl DecisionLog {
    /// The log that these settings name, if they do and recording is on.
    pub fn new(settings: &Resolved, home: Option<&Path>) -> Option<DecisionLog> {
        let written = settings
            .audit_log
            .as_deref()
            .filter(|_| settings.audit_enabled)?;
        Some(DecisionLog {
            path: place(written, home),
        })
    }

    /// Appends one line.
    ///
    /// # Errors
    /// Why it cannot be written, and what to do.
    pub fn append(&self, kind: &str, fields: &[(&str, Node)]) -> Result<(), LogError> {
        let time = jiff::Timestamp::now().to_string();
        let shown = fields
            .iter()
            .filter(|(name, _)| *name != "facts")
            .map(|(name, node)| (*name, node.clone()));
        let line = Node::map(
            [("time", Node::text(time)), ("kind", Node::text(kind))]
                .into_iter()
                .chain(shown),
        );
        // One write, so that lines of several processes do not mix.
        let bytes = format!("{}\n", json::write_plain(&line));
        let written = self
            .open()
            .and_then(|mut file| Ok(file.write_all(bytes.as_bytes())?));
        written.map_err(|why| LogError {
            path: self.path.clone(),
            why,
        })
    }

    fn open(&self) -> Result<File, NotWritten> {
        if let Some(folder) = self.path.parent() {
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(folder)?;
        }
        let mut options = OpenOptions::new();
        // A link may lead into any file of the person's, and a pipe would make sayso wait.
        options.append(true).create(true).mode(0o600).custom_flags(
            (rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK).bits() as i32,
        );
        let file = options
            .open(&self.path)
            .map_err(|error| match error.raw_os_error() {
                Some(code) if code == rustix::io::Errno::LOOP.raw_os_error() => NotWritten::Link,
                _ => error.into(),
            })?;
        match file.metadata()?.is_file() {
            true => Ok(file),
            false => Err(NotWritten::NotAFile),
        }
    }
}

/// A path of a policy, with `~/` spelled out.
pub fn place(written: &str, home: Option<&Path>) -> PathBuf {
    match (written.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(written),
    }
}
