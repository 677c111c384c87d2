//! In which folder a session works: the editor says so when it begins one, and nobody else does.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use sayso_core::paths::join;
use sayso_core::text::node::Node;

use super::message::{Id, text};

/// So many sessions are known; what belongs to another one is denied.
const MOST: usize = 4096;
/// Requests that go on with a session that has a name already.
const GOES_ON: [&str; 2] = ["session/load", "session/resume"];

/// The folders of sessions.
#[derive(Default)]
pub(super) struct Sessions(Mutex<Known>);

#[derive(Default)]
struct Known {
    folders: HashMap<String, String>,
    /// The folders of requests whose answer names a session, by who asked.
    beginning: HashMap<Id, String>,
}

impl Sessions {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The editor begins a session, or goes on with one.
    pub(super) fn begins(&self, id: Option<Id>, method: &str, params: &Node) {
        let Some(folder) = text(params, "cwd").filter(|folder| folder.starts_with('/')) else {
            return;
        };
        let folder = join("/", folder);
        let mut known = self.known();
        if GOES_ON.contains(&method) {
            if let Some(session) = text(params, "sessionId").filter(|_| known.folders.len() < MOST)
            {
                known.folders.insert(session.to_owned(), folder);
            }
        } else if let Some(id) = id.filter(|_| known.beginning.len() < MOST) {
            known.beginning.insert(id, folder);
        }
    }

    /// The agent answers a request, perhaps with the name of a session.
    pub(super) fn answered(&self, id: &Id, response: &Node) {
        let mut known = self.known();
        let Some(folder) = known.beginning.remove(id) else {
            return;
        };
        let session = response
            .get("result")
            .and_then(|result| text(result, "sessionId"));
        // A session that is known works where it worked: no answer of the agent moves it.
        if let Some(session) = session
            .filter(|session| known.folders.len() < MOST && !known.folders.contains_key(*session))
        {
            known.folders.insert(session.to_owned(), folder);
        }
    }

    /// The folder of a session.
    pub(super) fn folder(&self, session: &str) -> Option<String> {
        self.known().folders.get(session).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sayso_core::text::{Limits, json};

    #[test]
    fn only_the_editor_says_where_a_session_works() {
        let node = |text: &str| json::read(text, &Limits::default()).unwrap();
        let id = |number: &str| Id::parse(number).unwrap();
        let sessions = Sessions::default();
        sessions.begins(Some(id("1")), "session/new", &node(r#"{"cwd":"/a/../b"}"#));
        sessions.answered(&id("2"), &node(r#"{"result":{"sessionId":"other"}}"#));
        sessions.answered(&id("1"), &node(r#"{"result":{"sessionId":"s"}}"#));
        sessions.answered(&id("1"), &node(r#"{"result":{"sessionId":"again"}}"#));
        assert_eq!(
            (
                sessions.folder("s").as_deref(),
                sessions.folder("other"),
                sessions.folder("again")
            ),
            (Some("/b"), None, None)
        );
        sessions.begins(
            Some(id("3")),
            "session/load",
            &node(r#"{"cwd":"/c","sessionId":"old"}"#),
        );
        assert_eq!(sessions.folder("old").as_deref(), Some("/c"));
        // A fork begins a session and moves none.
        sessions.begins(
            Some(id("4")),
            "session/fork",
            &node(r#"{"cwd":"/d","sessionId":"old"}"#),
        );
        sessions.answered(&id("4"), &node(r#"{"result":{"sessionId":"old"}}"#));
        assert_eq!(sessions.folder("old").as_deref(), Some("/c"));
        sessions.begins(Some(id("5")), "session/new", &node(r#"{"cwd":"relative"}"#));
        sessions.answered(&id("5"), &node(r#"{"result":{"sessionId":"r"}}"#));
        assert_eq!(sessions.folder("r"), None);
    }
}
