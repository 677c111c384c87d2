//! What was remembered: rules that a person added, and grants that answers made. The journal is the record of both; the index tells them.
//!
//! Every change is an entry of the journal first. A small file counts the changes ([`generation`]), so that whoever holds a copy (a process
//! that runs for long, the snapshot) sees with one read that it is old. What cannot be read counts as nothing: it is asked again.

pub mod change;
pub mod generation;
pub mod grant_fields;

use sayso_core::text::node::Node;

/// A rule or a grant as it stands.
#[derive(Clone, Debug)]
pub struct Standing {
    /// Its id.
    pub id: String,
    /// What it is.
    pub what: What,
    /// What it says, in the words that were shown.
    pub words: String,
    /// Whether it counts.
    pub enabled: bool,
    /// How it came to be: `answer`, `added`, `import`, or the name of a template.
    pub source: String,
    /// When it was made, in milliseconds since 1970.
    pub created: i64,
    /// When it ends, in seconds since 1970.
    pub expires: Option<i64>,
    /// How many more times it may be used.
    pub uses_left: Option<u64>,
    /// When it was used last, in milliseconds since 1970.
    pub last_used: Option<i64>,
    /// How often it was used.
    pub uses: u64,
}

/// What was remembered.
#[derive(Clone, Debug)]
pub enum What {
    /// A rule as a policy file has it, without its id.
    Rule(Node),
    /// A grant; [`grant_fields::read`] makes it one.
    Grant(Node),
}

impl Standing {
    /// The session that it is kept for; none where it outlives one.
    pub fn session(&self) -> Option<&str> {
        match &self.what {
            What::Grant(spec) => spec.get("session").and_then(Node::as_text),
            What::Rule(_) => None,
        }
    }

    /// Whether it is a rule to people, however it came to be: it has a pattern, or names a tool, and outlives its session.
    pub fn is_rule(&self) -> bool {
        match &self.what {
            What::Rule(_) => true,
            What::Grant(spec) => {
                (grant_fields::rule(spec).is_some() || spec.get("mcp_tool").is_some())
                    && spec.get("session").is_none()
            }
        }
    }

    /// Whether it is over, by time or by use.
    pub fn is_over(&self, now: i64) -> bool {
        self.expires.is_some_and(|end| end <= now) || self.uses_left == Some(0)
    }

    /// The end of an id that sayso made, which is enough to tell it from others; a name that a person gave stays whole.
    pub fn short(&self) -> &str {
        self.id
            .rsplit_once('-')
            .filter(|_| self.is_made())
            .map_or(self.id.as_str(), |(_, end)| end)
    }

    /// Whether a person means this one by that word: its id, or, of an id that sayso made, the beginning of it or of its short form. The
    /// beginning of a name that a person gave may be the whole name of a rule that is gone.
    pub fn is_meant_by(&self, word: &str) -> bool {
        let begins =
            self.is_made() && (self.id.starts_with(word) || self.short().starts_with(word));
        !word.is_empty() && (self.id == word || begins)
    }

    fn is_made(&self) -> bool {
        self.id.split('-').count() == 4
            && (self.id.starts_with("rule-") || self.id.starts_with("grant-"))
    }
}
