//! Changes of what is remembered: each is an entry of the journal, and each makes older copies stale.

use sayso_core::answer::grant::Grant;
use sayso_core::text::node::{Node, Value};
use thiserror::Error as ThisError;

use super::Standing;
use super::What;
use super::generation::{Generation, GenerationError};
use super::grant_fields;
use crate::journal::{Appended, Journal, JournalError, Sync};
use crate::record;

/// A change.
#[derive(Clone, Debug)]
pub enum Change<'a> {
    /// An answer is kept.
    Granted {
        /// The grant.
        grant: &'a Grant,
        /// What it says.
        words: &'a str,
    },
    /// A rule is added, by hand or from a file.
    RuleAdded {
        /// Its id.
        id: &'a str,
        /// The rule as a policy file has it.
        rule: &'a Node,
        /// What it says.
        words: &'a str,
        /// How it came to be.
        source: &'a str,
    },
    /// A rule, or the pattern of a grant, is another one from now on.
    Edited {
        /// Which.
        id: &'a str,
        /// The new rule or grant.
        spec: &'a Node,
        /// What it says now.
        words: &'a str,
    },
    /// It does not count for now.
    Disabled(&'a str),
    /// It counts again.
    Enabled(&'a str),
    /// It is gone.
    Removed(&'a str),
    /// It ends earlier.
    Limited {
        /// Which.
        id: &'a str,
        /// When, in seconds since 1970.
        expires: Option<i64>,
        /// After so many uses.
        uses: Option<u64>,
    },
    /// One use of something that may only be used so often.
    Used(&'a str),
    /// A session is over, and its grants with it.
    SessionEnded(&'a str),
    /// It stands as it stood; its first entry is about to leave the record.
    Restated {
        /// What stands.
        standing: &'a Standing,
        /// The last entry that it takes into account.
        as_of: u64,
    },
    /// A rule of a policy file was used so often until now.
    Spent {
        /// The rule.
        id: &'a str,
        /// How often.
        uses: u64,
    },
}

/// Why a change did not happen.
#[derive(Debug, ThisError)]
#[expect(missing_docs, reason = "the message says it")]
pub enum ChangeError {
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Generation(#[from] GenerationError),
    #[error("that cannot be kept for longer")]
    Unkeepable,
}

/// Writes a change down. `about` says who and where, as in every entry.
///
/// # Errors
/// When it is not in the record; then it did not happen.
pub fn write(
    journal: &Journal,
    about: Vec<(&'static str, Node)>,
    change: &Change<'_>,
    sync: Sync,
) -> Result<Appended, ChangeError> {
    let mut fields = about;
    let id = |id: &str| ("id", Node::text(id));
    let kind = match change {
        Change::Granted { grant, words } => {
            let spec = grant_fields::write(grant).ok_or(ChangeError::Unkeepable)?;
            fields.extend([
                id(&grant.id),
                ("words", record::text(words)),
                ("spec", spec),
            ]);
            "granted"
        }
        Change::RuleAdded {
            id: name,
            rule,
            words,
            source,
        } => {
            fields.extend([
                id(name),
                ("words", record::text(words)),
                ("origin", Node::text(*source)),
                ("spec", (*rule).clone()),
            ]);
            "rule_added"
        }
        Change::Edited {
            id: name,
            spec,
            words,
        } => {
            fields.extend([
                id(name),
                ("words", record::text(words)),
                ("spec", (*spec).clone()),
            ]);
            "edited"
        }
        Change::Disabled(name) => {
            fields.push(id(name));
            "disabled"
        }
        Change::Enabled(name) => {
            fields.push(id(name));
            "enabled"
        }
        Change::Removed(name) => {
            fields.push(id(name));
            "revoked"
        }
        Change::Limited {
            id: name,
            expires,
            uses,
        } => {
            fields.push(id(name));
            fields.extend(expires.map(|end| ("expires", number(end))));
            fields.extend(uses.map(|uses| ("uses", number(uses))));
            "limited"
        }
        Change::Used(name) => {
            fields.push(id(name));
            "used"
        }
        Change::SessionEnded(session) => {
            fields.retain(|(name, _)| *name != "session");
            fields.push(("session", Node::text(*session)));
            "session_ended"
        }
        Change::Restated { standing, as_of } => {
            fields.push(("as_of", number(as_of)));
            fields.extend(restated(standing));
            "restated"
        }
        Change::Spent { id: name, uses } => {
            fields.extend([id(name), ("uses", number(uses))]);
            "spent"
        }
    };
    let mut generation = Generation::open(journal.state())?;
    // Before, so that no copy outlives a change that was written and could not be told; after, so that none was made of what stood before.
    generation.grow(journal.state())?;
    let added = journal.append(kind, fields, sync)?;
    generation.grow(journal.state())?;
    Ok(added)
}

fn number(number: impl ToString) -> Node {
    Value::Number(number.to_string()).into()
}

/// All of it, so that the index can be built from this entry alone.
fn restated(standing: &Standing) -> Vec<(&'static str, Node)> {
    let (is_rule, spec) = match &standing.what {
        What::Rule(rule) => (true, rule),
        What::Grant(grant) => (false, grant),
    };
    let mut fields = vec![
        ("id", Node::text(&standing.id)),
        ("words", record::text(&standing.words)),
        ("origin", Node::text(&standing.source)),
        ("spec", spec.clone()),
        ("is_rule", Value::Bool(is_rule).into()),
        ("is_enabled", Value::Bool(standing.enabled).into()),
        ("created", number(standing.created)),
        ("used", number(standing.uses)),
    ];
    fields.extend(standing.last_used.map(|at| ("last_used", number(at))));
    fields.extend(standing.expires.map(|end| ("expires", number(end))));
    fields.extend(standing.uses_left.map(|left| ("uses", number(left))));
    fields
}
