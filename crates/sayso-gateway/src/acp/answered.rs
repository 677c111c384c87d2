//! What a person said yes to a moment ago, when the agent asked: the editor is not made to ask again when the agent then has it done.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use sayso_core::text::digest::Digest;
use sayso_core::text::json;
use sayso_core::text::node::Node;

/// A yes counts for so long.
const LASTS: Duration = Duration::from_secs(600);
/// So many are known.
const MOST: usize = 256;

/// What was said yes to, in which session. Each counts once.
#[derive(Default)]
pub(super) struct Answered(Mutex<VecDeque<(String, What, Instant)>>);

/// What exactly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// This command, in this folder and with these variables.
    Command(String, String, String),
    /// This text in this file.
    Write(String, Digest),
}

impl What {
    /// A command.
    pub(super) fn command(text: &str, folder: &str, environment: Option<&Node>) -> What {
        What::Command(
            text.to_owned(),
            folder.to_owned(),
            environment.map(json::write).unwrap_or_default(),
        )
    }

    /// A text in a file.
    pub(super) fn write(path: &str, content: &str) -> What {
        // As it is written: what is before a `..` may be a link.
        What::Write(path.to_owned(), Digest::of_bytes(content.as_bytes()))
    }
}

impl Answered {
    /// Somebody said yes to it.
    pub(super) fn put(&self, session: &str, what: What) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MOST {
            all.pop_front();
        }
        all.push_back((session.to_owned(), what, Instant::now()));
    }

    /// Whether somebody did, which is used up with that.
    pub(super) fn take(&self, session: &str, what: &What) -> bool {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|(_, _, at)| at.elapsed() < LASTS);
        let found = all
            .iter()
            .position(|(of, known, _)| of == session && known == what);
        found.is_some_and(|index| all.remove(index).is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_yes_counts_once_and_for_what_it_was_said_to() {
        let answered = Answered::default();
        let make = |folder: &str| What::command("make", folder, None);
        answered.put("s", make("/a"));
        answered.put("s", What::write("/a/./b", "x"));
        let variables = Node::map([("LD_PRELOAD", Node::text("x"))]);
        for other in [
            make("/b"),
            What::command("make all", "/a", None),
            What::command("make", "/a", Some(&variables)),
        ] {
            assert!(!answered.take("s", &other), "{other:?}");
        }
        assert!(!answered.take("t", &make("/a")));
        assert!(
            !answered.take("s", &What::write("/a/./b", "y"))
                && !answered.take("s", &What::write("/a/b", "x"))
        );
        assert!(answered.take("s", &make("/a")) && !answered.take("s", &make("/a")));
        assert!(answered.take("s", &What::write("/a/./b", "x")));
    }
}
