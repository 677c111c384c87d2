//! A sandbox that lasts as long as an agent's session: processes, `/tmp`, shared memory and ports of one command are there for the next.
//!
//! A holder (`holder.rs`), a small process outside of the sandbox, keeps it: a bubblewrap in which one process only waits. A command enters
//! (`entrance.rs`) if its own plan is what is mounted there, or takes more away, which is then added for all. A command that was given more
//! gets a sandbox to itself beside it, with nothing of the session but the folders for temporary files, while the session stands still.

pub(crate) mod client;
mod comparison;
mod entrance;
pub mod holder;
mod mounts;
mod namespaces;
mod orders;
mod processes;
mod setup;
pub(crate) mod shared_folders;
mod unfinished;
mod watch;
mod wire;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{FlockOperation, flock};
use thiserror::Error as ThisError;

pub use entrance::Entrance;
pub use orders::SessionLimits;

use super::error::SetupError;
use super::start::Sandbox;
use crate::profile::Profile;

/// The hidden command of the program that holds a session's sandbox.
pub const HOLDER_COMMAND: &str = "sandbox-session";

/// The folder of all sessions, in sayso's own folder for sandboxes.
const SESSIONS: &str = "sessions";
const SOCKET: &str = "socket";
/// Locked by the holder as long as it lives.
const ALIVE: &str = "alive";
/// Locked by the one who starts a holder.
const TURN: &str = "turn";
/// Folders of a session, and where its commands see them.
const SHARED: [(&str, &str); 2] = [("tmp", "/tmp"), ("var-tmp", "/var/tmp")];

/// Makes the profile that every command of a session has at least.
pub type BaseProfile = dyn Fn() -> Option<Profile> + Send + Sync;

/// The session that a command belongs to.
#[derive(Clone)]
pub struct SessionChoice {
    /// A name for it that is a file name: the same for the same session of the same agent in the same workspace, and for no other.
    pub key: String,
    /// The process that it ends with.
    pub watch: Option<i32>,
    /// How much all of it may take.
    pub limits: SessionLimits,
    /// What its sandbox is made for.
    pub base: Arc<BaseProfile>,
}

impl SessionChoice {
    /// The folder of the session, in sayso's own folder for sandboxes.
    pub(crate) fn folder(&self, own: &Path) -> PathBuf {
        folder_of(own, &self.key)
    }
}

/// Why the sandbox of a session cannot be used. The command gets one to itself then.
#[derive(Debug, ThisError)]
#[expect(missing_docs, reason = "the message says it")]
pub enum SessionError {
    #[error("{0}")]
    Io(#[from] std::io::Error),
    #[error(transparent)]
    Setup(#[from] SetupError),
    #[error("its holder did not start: {0}")]
    NotStarted(String),
    #[error("its holder did not answer as it should")]
    Answer,
    #[error("its holder is of another user")]
    OtherUser,
    #[error("what its commands may do is not known")]
    NoBase,
    #[error("its mounts cannot be told")]
    Mounts,
}

/// What a command left in the sandbox of its session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftRunning {
    /// The processes, in words.
    pub processes: Vec<String>,
    /// Something lives in the sandbox, of this command or of an earlier one.
    pub is_alive: bool,
    /// A limit of the session that the command was ended for.
    pub limit: Option<String>,
}

/// The folder of a session.
fn folder_of(own: &Path, key: &str) -> PathBuf {
    own.join(SESSIONS).join(key)
}

/// The folders of a session by where its commands see them.
pub(crate) fn shared_folders(session: &Path) -> BTreeMap<PathBuf, PathBuf> {
    SHARED
        .iter()
        .map(|(name, place)| (PathBuf::from(place), session.join(name)))
        .collect()
}

/// A file in which the protected names are kept that were there when the last command of a session ended and left something running; none
/// where a command has a sandbox to itself.
pub fn known_names(sandbox: &Sandbox) -> Option<PathBuf> {
    let choice = sandbox.session.as_ref()?;
    Some(choice.folder(&sandbox.folder).join("known"))
}

/// Ends a session's sandbox, with all that runs in it, and removes what it kept. `own` is sayso's folder for sandboxes.
///
/// # Errors
/// If its holder could not be told.
pub fn end(own: &Path, key: &str) -> Result<(), SessionError> {
    let folder = folder_of(own, key);
    if !folder.is_dir() {
        return Ok(());
    }
    client::end(&folder)?;
    remove(&folder);
    Ok(())
}

/// Removes what sessions have left whose holder was killed. Of those whose agent may still be there, the temporary files stay for a week.
pub fn sweep(own: &Path) {
    unfinished::end_all();
    const KEPT: std::time::Duration = std::time::Duration::from_secs(7 * 24 * 60 * 60);
    let entries = std::fs::read_dir(own.join(SESSIONS)).into_iter().flatten();
    for folder in entries.flatten().map(|entry| entry.path()) {
        let alive = folder.join(ALIVE);
        let is_old = std::fs::metadata(&alive)
            .and_then(|found| found.modified())
            .is_ok_and(|at| at.elapsed().is_ok_and(|age| age > KEPT));
        let Ok(file) = std::fs::File::open(&alive) else {
            continue;
        };
        if is_old && flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok() {
            remove(&folder);
        }
    }
}

/// Removes a session's folder, also what its commands have closed to their owner.
fn remove(folder: &Path) {
    if std::fs::remove_dir_all(folder).is_ok() {
        return;
    }
    open_all(folder);
    // What is left is removed with the next session of this name.
    let _ = std::fs::remove_dir_all(folder);
}

fn open_all(folder: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let _ = std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o700));
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        open.extend(
            entries
                .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
                .map(|entry| entry.path()),
        );
    }
}
