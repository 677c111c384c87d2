//! What only the policy as a whole shows: entries of a file that do not count because of another key, profile or mode.

use sayso_core::policy::Policy;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::visible;

/// Something that a person should know about one place of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Note {
    /// `file:line`.
    source: String,
    text: String,
}

impl Note {
    /// For people.
    pub(super) fn line(&self) -> String {
        format!(
            "{}: warning: {}\n",
            visible(&self.source),
            visible(&self.text)
        )
    }

    /// For programs.
    pub(super) fn json(&self) -> Node {
        let (file, line) = self.source.rsplit_once(':').unwrap_or((&self.source, "1"));
        Node::map([
            ("file", Node::text(file)),
            ("line", Value::Number(line.to_owned()).into()),
            ("column", Value::Number("1".to_owned()).into()),
            ("severity", Node::text("warning")),
            ("message", Node::text(&self.text)),
            ("hint", Value::Null.into()),
        ])
    }
}

/// Entries of `safe_commands` that do not count, each with why.
pub(super) fn safe_commands(policy: &Policy) -> Vec<Note> {
    let Some(view) = policy.views().first() else {
        return Vec::new();
    };
    let settings = &view.general.settings;
    let mut notes = Vec::new();
    for entry in settings.safe_commands.iter().filter(|entry| entry.own) {
        // What is so under every setting was said when the file was read.
        if entry
            .caution
            .is_some_and(|caution| caution.never_counts().is_some())
        {
            continue;
        }
        if let Some(why) = entry.why_it_never_counts(settings) {
            let text = format!(
                "`{}` in `safe_commands` does not count: {why}",
                entry.pattern.written
            );
            notes.push(Note {
                source: entry.source.clone(),
                text,
            });
        }
    }
    notes
}
