//! Which session a command belongs to, and when the sandbox of a session ends.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sayso_core::call::operation::{Agent, Operation};
use sayso_core::policy::settings::Resolved;
use sayso_core::policy::terms::Terms;
use sayso_core::text::digest::Digest;
use sayso_sandbox::session::{self, SessionChoice, SessionError, SessionLimits};

use crate::lineage;
use crate::sandbox::profile::{Bounding, SessionEnd};

/// How much of a digest names the folder of a session.
const KEY_LENGTH: usize = 32;

/// The sessions of this process.
#[derive(Clone)]
pub(super) struct Sessions {
    end: SessionEnd,
    open: Arc<Open>,
}

/// Those that end with the value.
struct Open {
    own: PathBuf,
    keys: Mutex<BTreeSet<String>>,
}

impl Sessions {
    pub(super) fn new(state: &Path, end: SessionEnd) -> Sessions {
        let open = Open {
            own: state.join("sandbox"),
            keys: Mutex::default(),
        };
        Sessions {
            end,
            open: Arc::new(open),
        }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let keys = self.keys.get_mut().map(std::mem::take);
        for key in keys.unwrap_or_default() {
            // Where its holder cannot be told, it ends with this process.
            let _ = session::end(&self.own, &key);
        }
    }
}

/// How much a session may take by the policy.
pub(super) fn limits(settings: &Resolved) -> SessionLimits {
    let limit = |limit: u64| Some(limit).filter(|limit| *limit > 0);
    SessionLimits {
        idle: Duration::from_secs(settings.sandbox_session_idle_minutes.saturating_mul(60)),
        tmp: settings.sandbox_session_tmp,
        memory: limit(settings.sandbox_session_memory),
        processes: limit(settings.sandbox_session_processes),
    }
}

/// The session of a command; none where the agent did not say which it is.
pub(super) fn choice(
    bounding: &Bounding,
    operation: &Operation,
    terms: &Terms,
    sessions: &Sessions,
) -> Option<SessionChoice> {
    let agent = first(operation.agent());
    let key = key(agent, operation.session(), Path::new(operation.workspace()))?;
    let watch = match sessions.end {
        SessionEnd::ThisProcess => {
            let mut keys = sessions.open.keys.lock().ok()?;
            keys.insert(key.clone());
            Some(std::process::id())
        }
        SessionEnd::Agent => lineage::process_of(agent),
    };
    // The sessions end with the one who has this value, and not with what is made of it.
    let (bounding_of_base, terms) = (bounding.without_sessions(), terms.clone());
    let workspace = operation.workspace().to_owned();
    Some(SessionChoice {
        key,
        watch: watch.and_then(|id| i32::try_from(id).ok()),
        limits: bounding.session_limits(),
        base: Arc::new(move || bounding_of_base.base(Path::new(&workspace), &terms)),
    })
}

/// Ends the sandbox of a session, with all that runs in it. `state` is sayso's own folder.
///
/// # Errors
/// If its holder could not be told.
pub fn end(state: &Path, agent: &str, id: &str, workspace: &Path) -> Result<(), SessionError> {
    match key(agent, id, workspace) {
        Some(key) => session::end(&state.join("sandbox"), &key),
        None => Ok(()),
    }
}

/// The agent that the person started; what it started belongs to the same session.
fn first(agent: &Agent) -> &str {
    agent.parents.last().unwrap_or(&agent.name)
}

/// The name of a session, which no other has.
fn key(agent: &str, id: &str, workspace: &Path) -> Option<String> {
    if id.is_empty() {
        return None;
    }
    let workspace = std::fs::canonicalize(workspace).ok()?;
    let parts = [
        agent.as_bytes(),
        id.as_bytes(),
        workspace.as_os_str().as_encoded_bytes(),
    ];
    let mut bytes = Vec::new();
    for part in parts {
        bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
        bytes.extend_from_slice(part);
    }
    let digest = Digest::of_bytes(&bytes).to_string();
    let digest = digest.strip_prefix("sha256:").unwrap_or(&digest);
    digest.get(..KEY_LENGTH).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_agents_and_workspaces_have_names_of_their_own() {
        let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let keys = [
            key("a", "s", one.path()),
            key("a", "s", two.path()),
            key("b", "s", one.path()),
            key("a", "t", one.path()),
            key("as", "", one.path()),
            key("", "as", one.path()),
        ];
        for (at, key) in keys.iter().enumerate() {
            let same = keys.iter().filter(|other| *other == key).count();
            assert_eq!(same, 1, "{at}");
        }
        assert_eq!(keys[4], None);
        assert_eq!(key("a", "s", one.path()), keys[0]);
    }
}
