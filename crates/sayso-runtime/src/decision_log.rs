//! The log that a person's policy names (`audit.log`): each entry about a call is also written there, as one line of JSON.
//!
//! The journal is the record that counts. Somebody who asked for a log relies on it, though, so what cannot be written there is refused.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use sayso_core::policy::settings::Resolved;
use sayso_core::text::json;
use sayso_core::text::node::Node;

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
    pub fn append(&self, kind: &str, fields: &[(&str, Node)]) -> Result<(), String> {
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
        self.open().and_then(|mut file| file.write_all(bytes.as_bytes()).map_err(|error| error.to_string())).map_err(|why| {
            let path = self.path.display();
            format!("the log `{path}` cannot be written ({why}), and your policy asks for it (`audit.log` or `audit_log_path`); mend it, or take the key out")
        })
    }

    fn open(&self) -> Result<File, String> {
        if let Some(folder) = self.path.parent() {
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(folder)
                .map_err(|error| error.to_string())?;
        }
        let mut options = OpenOptions::new();
        // A link may lead into any file of the person's, and a pipe would make sayso wait.
        options.append(true).create(true).mode(0o600).custom_flags(
            (rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK).bits() as i32,
        );
        let file = options
            .open(&self.path)
            .map_err(|error| match error.raw_os_error() {
                Some(code) if code == rustix::io::Errno::LOOP.raw_os_error() => {
                    "it is a link".to_owned()
                }
                _ => error.to_string(),
            })?;
        let is_file = file
            .metadata()
            .map_err(|error| error.to_string())?
            .is_file();
        if is_file {
            Ok(file)
        } else {
            Err("it is not a plain file".to_owned())
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
