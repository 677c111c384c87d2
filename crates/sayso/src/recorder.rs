//! The gate's store over the journal: what happens is written down before anything runs, and answers are kept as far as they were given.

use std::sync::Arc;

use sayso_core::explain;
use sayso_core::grant::{Grant, Reach};
use sayso_core::node::{Node, Value};
use sayso_core::operation::Operation;
use sayso_core::outcome::Outcome;
use sayso_core::policy::settings::Resolved;
use sayso_core::verdict::{Decision, Verdict};
use sayso_gate::approved::Yes;
use sayso_gate::entry::{Entry, What};
use sayso_gate::ports::{Spent, Store};
use sayso_store::journal::{Journal, Sync};
use sayso_store::record::{self, Kept};
use sayso_store::standing::change::{self, Change};

use crate::shelf::{self, Shelf};

/// Writes entries to the journal.
pub struct Recorder {
    journal: Journal,
    shelf: Shelf,
    /// Who started sayso.
    user: u32,
    kept: Kept,
    sync: When,
}

/// When an entry is forced to the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    /// What was asked or denied.
    Auto,
    Always,
    Never,
}

impl Recorder {
    /// A recorder as the settings say. Where nothing of the arguments may be kept, entries still are (Z-47).
    pub fn new(journal: Journal, user: u32, settings: &Resolved) -> Self {
        let sync = match settings.audit_sync.as_str() {
            "disk" => When::Always,
            "none" => When::Never,
            _ => When::Auto,
        };
        let kept = match (settings.audit_enabled, settings.redact) {
            (false, _) => Kept::Nothing,
            (true, true) => Kept::Redacted,
            (true, false) => Kept::Full,
        };
        let shelf = Shelf::new(journal.state().to_owned());
        Recorder { journal, shelf, user, kept, sync }
    }

    /// Writes an entry that belongs to no call.
    pub fn note(&self, kind: &str, fields: Vec<(&'static str, Node)>) -> Result<(), String> {
        let mut all = self.who();
        all.extend(fields);
        self.journal.append(kind, all, self.sync(true)).map(drop)
    }

    /// Who started sayso, as every entry says.
    fn who(&self) -> Vec<(&'static str, Node)> {
        vec![("user", number(u64::from(self.user)))]
    }

    /// A session is over, and what was granted for it.
    pub fn end_session(&self, session: &str) -> Result<(), String> {
        let is_of_it = |grant: &Grant| matches!(&grant.reach, Reach::Session(name) if name == session);
        if self.shelf.grants().iter().any(is_of_it) {
            return change::write(&self.journal, self.who(), &Change::SessionEnded(session), self.sync(true));
        }
        let mut fields = self.who();
        fields.push(("session", record::text(session)));
        self.journal.append("session_ended", fields, self.sync(false)).map(drop)
    }

    fn sync(&self, weighty: bool) -> Sync {
        match self.sync {
            When::Always => Sync::Disk,
            When::Auto if weighty => Sync::Disk,
            When::Auto | When::Never => Sync::System,
        }
    }

    fn about(&self, operation: &Operation) -> Vec<(&'static str, Node)> {
        let mut fields = vec![
            ("call", record::text(operation.id())),
            ("tool", record::text(operation.tool())),
            ("session", record::text(operation.session())),
            ("user", number(u64::from(self.user))),
        ];
        if !operation.agent().name.is_empty() {
            fields.push(("agent", record::text(&operation.agent().line().replace('\u{1f}', " < "))));
        }
        if let Some(batch) = operation.batch() {
            fields.push(("batch", record::text(batch)));
        }
        fields
    }

    /// What a decision says beyond the call itself.
    fn decided(&self, operation: Option<&Operation>, decided: &Decided<'_>) -> Result<Vec<(&'static str, Node)>, String> {
        let mut fields = vec![("outcome", Node::text(decided.outcome.word())), ("profile", Node::text(decided.profile))];
        if let Some(verdict) = decided.verdict {
            fields.push(("decision", Node::text(verdict.decision.word())));
            fields.push(("risk", Node::text(verdict.risk.word())));
            fields.push(("tier", Node::text(verdict.tier.word())));
            if let Some(reason) = verdict.weightiest() {
                fields.push(("rule", record::text(&reason.rule)));
                fields.push(("source", record::text(&reason.source)));
                fields.push(("why", record::text(&reason.text)));
            }
        }
        if let Some(yes) = decided.yes {
            fields.push(("by", record::text(&yes.by)));
            fields.push(("scope", Node::text(yes.scope.word())));
            fields.push(("confirmations", number(yes.confirmations.into())));
        }
        if let Some(by) = decided.denied_by {
            fields.push(("by", record::text(by)));
        }
        if let Some(note) = decided.note {
            fields.push(("note", record::text(note)));
        }
        if decided.verdict.is_none() {
            fields.push(("message", record::text(decided.message)));
        }
        if let Some(operation) = operation {
            fields.push(("what", record::text(&explain::subject(operation))));
            fields.push(("cwd", record::text(&operation.cwd())));
            fields.extend(record::arguments(&self.journal, operation.args(), self.kept, &[])?);
        }
        Ok(fields)
    }
}

/// A decision as the gate hands it over.
struct Decided<'a> {
    verdict: Option<&'a Verdict>,
    outcome: Outcome,
    yes: Option<&'a Yes>,
    note: Option<&'a str>,
    denied_by: Option<&'a str>,
    message: &'a str,
    profile: &'a str,
}

fn number(number: u64) -> Node {
    Value::Number(number.to_string()).into()
}

fn flag(flag: bool) -> Node {
    Value::Bool(flag).into()
}

impl Store for Recorder {
    fn grants(&self) -> Arc<Vec<Grant>> {
        self.shelf.grants()
    }

    /// The entry that was written just before is what keeps it.
    fn remember(&self, _: Grant) -> Result<(), String> {
        Ok(())
    }

    fn take(&self, grant: &str) -> bool {
        self.shelf.take(&self.journal, self.who(), grant, None)
    }

    fn spent(&self) -> Option<Arc<dyn Spent>> {
        let counts: Arc<dyn Spent> = self.shelf.spent()?;
        Some(counts)
    }

    fn spend(&self, rule: &str, most: u64) -> bool {
        self.shelf.take(&self.journal, self.who(), rule, Some(most))
    }

    fn append(&self, entry: &Entry) -> Result<(), String> {
        let operation = entry.operation.as_deref();
        let mut fields = operation.map(|operation| self.about(operation)).unwrap_or_default();
        let (kind, weighty) = match &entry.what {
            What::Decided { verdict, outcome, yes, note, denied_by, message, profile } => {
                let decided = Decided {
                    verdict: verdict.as_deref(),
                    outcome: *outcome,
                    yes: yes.as_ref(),
                    note: note.as_deref(),
                    denied_by: denied_by.as_deref(),
                    message,
                    profile,
                };
                fields.extend(self.decided(operation, &decided)?);
                ("decided", verdict.as_deref().is_none_or(|verdict| verdict.decision != Decision::Allow))
            }
            What::Finished { succeeded, started, milliseconds } => {
                fields.extend([("succeeded", flag(*succeeded)), ("started", flag(*started)), ("milliseconds", number(*milliseconds))]);
                ("finished", false)
            }
            What::Granted { grant, words } => {
                let grant = shelf::with_end(grant, entry.at);
                return change::write(&self.journal, fields, &Change::Granted { grant: &grant, words }, self.sync(true));
            }
            What::Revoked { id } => return change::write(&self.journal, fields, &Change::Removed(id), self.sync(true)),
            What::Mode { from, to } => {
                fields.extend([("from", record::text(from)), ("to", record::text(to))]);
                ("mode", true)
            }
            What::Trouble(why) => {
                fields.push(("message", record::text(why)));
                ("trouble", true)
            }
        };
        self.journal.append(kind, fields, self.sync(weighty)).map(drop)
    }
}
