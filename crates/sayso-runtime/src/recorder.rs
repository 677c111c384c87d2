//! The gate's store over the journal: what happens is written down before anything runs, and answers are kept as far as they were given.

use std::sync::Arc;

use sayso_core::analysis::effect::{Effect, Target};
use sayso_core::answer::decided_by::DecidedBy;
use sayso_core::answer::explain;
use sayso_core::answer::grant::{Grant, Reach};
use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::verdict::Verdict;
use sayso_core::call::operation::Operation;
use sayso_core::policy::decision::Decision;
use sayso_core::policy::setting_words::AuditSync;
use sayso_core::policy::settings::Resolved;
use sayso_core::prompt::Round;
use sayso_core::text::json;
use sayso_core::text::node::{Node, Value};
use sayso_gate::approved::Yes;
use sayso_gate::entry::{Entry, What};
use sayso_gate::error::StoreError;
use sayso_gate::finished::response;
use sayso_gate::ports::{Spent, Store};
use sayso_gate::run_result::{Brief, RefusedBrief};
use sayso_store::held_operations::{self, HeldError};
use sayso_store::journal::{Journal, JournalError, Sync};
use sayso_store::record::{self, Kept};
use sayso_store::rules_and_grants::change::{self, Change, ChangeError};
use thiserror::Error;

use crate::decision_log::{DecisionLog, LogError};
use crate::grant_cache;
use crate::grant_cache::Shelf;
use crate::head_export::Heads;
use crate::replay::recorded_call;

/// Why something is not written down.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the message says it")]
pub enum RecordError {
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Change(#[from] ChangeError),
    #[error(transparent)]
    Log(#[from] LogError),
}

/// Writes entries to the journal.
pub struct Recorder {
    journal: Arc<Journal>,
    /// Who keeps heads elsewhere.
    heads: Option<Heads>,
    shelf: Shelf,
    /// Who started sayso.
    user: u32,
    kept: Kept,
    /// Arguments that are never kept.
    exclude: Vec<String>,
    sync: When,
    /// Where the person also wants to read it.
    log: Option<DecisionLog>,
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
    /// The folder of the record.
    pub fn state(&self) -> &std::path::Path {
        self.shelf.state()
    }

    /// A recorder as the settings say. Where nothing of the arguments may be kept, entries still are (Z-47).
    pub fn new(journal: Journal, user: u32, settings: &Resolved) -> Self {
        let sync = match settings.audit_sync {
            AuditSync::Disk => When::Always,
            AuditSync::None => When::Never,
            AuditSync::Auto => When::Auto,
        };
        let kept = match (settings.audit_enabled, settings.redact) {
            (false, _) => Kept::Nothing,
            (true, true) => Kept::Redacted,
            (true, false) => Kept::Full,
        };
        let journal = Arc::new(journal);
        let heads = Heads::new(settings, &journal);
        let shelf = Shelf::new(journal.state().to_owned());
        Recorder {
            journal,
            heads,
            shelf,
            user,
            kept,
            exclude: settings.audit_exclude_keys.clone(),
            sync,
            log: None,
        }
    }

    /// The same, with the log that the policy names.
    #[must_use]
    pub fn with_log(self, log: Option<DecisionLog>) -> Self {
        Recorder { log, ..self }
    }

    /// Keeps the text of an approved command until `sayso exec` takes it, and gives its id.
    pub fn keep(&self, text: &str, now: i64) -> Result<String, HeldError> {
        held_operations::put(&self.journal, text, now)
    }

    /// The same for one that an agent's dialog asks about, which may stay open for long.
    pub fn keep_for_dialog(&self, text: &str, now: i64) -> Result<String, HeldError> {
        held_operations::put_for(&self.journal, text, now, held_operations::LONG_LIFE)
    }

    /// Writes an entry that belongs to no call.
    pub fn note(&self, kind: &str, fields: Vec<(&'static str, Node)>) -> Result<(), RecordError> {
        let mut all = self.who();
        all.extend(fields);
        self.add(kind, all, self.sync(true))
    }

    fn add(&self, kind: &str, fields: Vec<(&str, Node)>, sync: Sync) -> Result<(), RecordError> {
        // First, so that no entry says that something runs which then does not for want of the log.
        self.log
            .as_ref()
            .map_or(Ok(()), |log| log.append(kind, &fields))?;
        let added = self.journal.append(kind, fields, sync)?;
        if let Some(heads) = &self.heads {
            heads.added(added);
        }
        Ok(())
    }

    /// Writes down a change of what is remembered.
    fn change(
        &self,
        about: Vec<(&'static str, Node)>,
        change: &Change<'_>,
    ) -> Result<(), RecordError> {
        if let Some(log) = &self.log {
            let (kind, words) = match change {
                Change::Granted { words, .. } => ("granted", Some(("words", record::text(words)))),
                _ => ("changed", None),
            };
            log.append(
                kind,
                &about.iter().cloned().chain(words).collect::<Vec<_>>(),
            )?;
        }
        let added = change::write(&self.journal, about, change, self.sync(true))?;
        if let Some(heads) = &self.heads {
            heads.added(added);
        }
        Ok(())
    }

    /// Who started sayso, as every entry says.
    fn who(&self) -> Vec<(&'static str, Node)> {
        vec![("user", number(u64::from(self.user)))]
    }

    /// A session is over, and what was granted for it.
    pub fn end_session(&self, session: &str) -> Result<(), RecordError> {
        let is_of_it =
            |grant: &Grant| matches!(&grant.reach, Reach::Session(name) if name == session);
        if self.shelf.grants().iter().any(is_of_it) {
            return self.change(self.who(), &Change::SessionEnded(session));
        }
        let mut fields = self.who();
        fields.push(("session", record::text(session)));
        self.add("session_ended", fields, self.sync(false))
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
            (
                "tool_kind",
                explain::kind_beside(operation).map_or(Value::Null.into(), Node::text),
            ),
            ("session", record::text(operation.session())),
            ("user", number(u64::from(self.user))),
        ];
        fields.retain(|(_, node)| !matches!(node.value, Value::Null));
        if !operation.agent().name.is_empty() {
            fields.push((
                "agent",
                record::text(&operation.agent().line().replace('\u{1f}', " < ")),
            ));
        }
        if let Some(batch) = operation.batch() {
            fields.push(("batch", record::text(batch)));
        }
        fields
    }

    /// How much is kept of what follows from the arguments of a call: nothing, where one of them is never kept.
    fn kept_of(&self, operation: Option<&Operation>) -> Kept {
        let hides = operation.is_some_and(|operation| names_any(operation.args(), &self.exclude));
        if hides { Kept::Nothing } else { self.kept }
    }

    /// What a decision says beyond the call itself.
    fn decided(
        &self,
        operation: Option<&Operation>,
        decided: &Decided<'_>,
    ) -> Result<Vec<(&'static str, Node)>, JournalError> {
        let kept = self.kept_of(operation);
        let mut fields = vec![
            ("outcome", Node::text(decided.outcome.word())),
            ("profile", Node::text(decided.profile)),
        ];
        if let Some(verdict) = decided.verdict {
            fields.push(("decision", Node::text(verdict.decision.word())));
            fields.push(("risk", Node::text(verdict.risk.word())));
            fields.push(("tier", Node::text(verdict.tier.word())));
            if let Some(reason) = verdict.weightiest() {
                fields.push(("rule", record::text(reason.rule.name())));
                fields.push(("source", record::text(&reason.rule.source())));
                // It may name what the arguments name.
                fields
                    .extend((kept != Kept::Nothing).then(|| ("why", record::text(&reason.text()))));
            }
        }
        if let Some(yes) = decided.yes {
            fields.push(("by", record::text(&yes.by.text())));
            fields.push(("scope", Node::text(yes.scope.word())));
            fields.push(("confirmations", number(yes.confirmations.into())));
        }
        if let Some(by) = decided.denied_by {
            fields.push(("by", record::text(&by.text())));
        }
        if let Some((typed, word)) = response(
            decided.outcome,
            decided.yes,
            decided.denied_by,
            decided.typed,
        ) {
            fields.push(("user_response", record::text(typed)));
            fields.push(("user_response_word", Node::text(word)));
        }
        if let Some(note) = decided.note {
            fields.push(("note", record::text(note)));
        }
        if decided.verdict.is_none() && kept != Kept::Nothing {
            fields.push(("message", record::text(decided.message)));
        }
        let reasons = decided.verdict.map_or(&[][..], |verdict| &verdict.reasons);
        let grant = reasons.iter().find_map(|reason| reason.rule.grant());
        fields.extend(grant.map(|id| ("grant", record::text(id.as_ref()))));
        if let Some(operation) = operation {
            // As with the arguments: equal calls have equal digests, and nobody without the key can try out guesses.
            fields.push((
                "operation",
                Node::text(
                    self.journal
                        .key()?
                        .digest(&Node::text(operation.digest().to_string())),
                ),
            ));
            fields.extend(record::arguments(
                &self.journal,
                operation.args(),
                self.kept,
                &self.exclude,
            )?);
            if kept != Kept::Nothing {
                fields.push(("what", record::text(&explain::subject(operation))));
                fields.push(("cwd", record::text(&operation.cwd())));
                fields.push(("workspace", record::text(operation.workspace())));
                fields.extend(
                    decided.verdict.map(|verdict| {
                        ("effects", effects(&verdict.effects, operation.workspace()))
                    }),
                );
            }
        }
        Ok(fields)
    }

    /// What is needed to judge the call again; `fields` are those that the entry has already.
    fn facts(
        &self,
        operation: Option<&Operation>,
        verdict: Option<&Verdict>,
        fields: &[(&'static str, Node)],
    ) -> Option<Node> {
        let evidence = verdict?
            .evidence
            .as_deref()
            .filter(|_| self.kept_of(operation) != Kept::Nothing)?;
        Some(recorded_call::facts(
            operation?,
            evidence,
            fields,
            self.kept == Kept::Redacted,
        ))
    }
}

/// Whether one of these names stands in a value, at any depth and in small or large letters.
fn names_any(node: &Node, names: &[String]) -> bool {
    let named = |key: &str| names.iter().any(|name| name.eq_ignore_ascii_case(key));
    let inner = |node: &Node| names_any(node, names);
    !names.is_empty()
        && (node
            .entries()
            .iter()
            .any(|entry| named(&entry.key) || inner(&entry.node))
            || node.items().iter().any(inner))
}

/// A decision as the gate hands it over.
struct Decided<'a> {
    verdict: Option<&'a Verdict>,
    outcome: Outcome,
    yes: Option<&'a Yes>,
    note: Option<&'a str>,
    typed: Option<&'a str>,
    denied_by: Option<&'a DecidedBy>,
    message: &'a str,
    profile: &'a str,
}

/// The effects of a call in short: what is done, to what, and `false` behind what only may happen. Paths in the workspace start there.
fn effects(effects: &[Effect], workspace: &str) -> Node {
    let mut out: Vec<Node> = Vec::new();
    let mut seen: Vec<String> = Vec::new();
    let mut left_out: u64 = 0;
    for effect in effects {
        let target = match &effect.target {
            Target::Path(place) => {
                let path = place
                    .fact
                    .as_ref()
                    .map_or(&place.written, |fact| &fact.canonical);
                let inside = path
                    .strip_prefix(workspace)
                    .and_then(|rest| rest.strip_prefix('/'));
                Some(if path == workspace {
                    "."
                } else {
                    inside.unwrap_or(path)
                })
            }
            Target::UnknownPath(written) => Some(written.as_str()),
            Target::Url(url) => Some(url.host.as_str()),
            Target::Host(host) => Some(host.as_str()),
            Target::Tool(name) | Target::Agent(name) | Target::McpTool { tool: name, .. } => {
                Some(name.as_str())
            }
            Target::Command | Target::Nothing => None,
        };
        let mut item = vec![Node::text(effect.kind.word())];
        item.extend(target.map(record::text));
        item.extend((!effect.certain).then(|| flag(false)));
        let item: Node = Value::List(item).into();
        let text = json::write_plain(&item);
        if seen.contains(&text) {
            continue;
        }
        if seen.iter().map(String::len).sum::<usize>() + text.len() > MOST_EFFECTS {
            left_out += 1;
            continue;
        }
        seen.push(text);
        out.push(item);
    }
    out.extend((left_out > 0).then(|| number(left_out)));
    Value::List(out).into()
}

/// What came of a run, as fields. What is usual is left out.
fn result(result: &Brief, kept: Kept) -> Vec<(&'static str, Node)> {
    let mut fields = Vec::new();
    fields.extend(
        result
            .exit
            .as_ref()
            .map(|status| ("exit", Node::from(Value::Number(status.clone())))),
    );
    fields.extend(
        result
            .signal
            .as_ref()
            .map(|signal| ("signal", record::text(signal))),
    );
    fields.extend(result.timed_out.then(|| ("timed_out", flag(true))));
    fields.extend(
        result
            .sandbox
            .as_ref()
            .map(|sandbox| ("sandbox", record::text(sandbox))),
    );
    let refused: Vec<Node> = result
        .refused
        .iter()
        .map(|refusal| refused(refusal, kept))
        .collect();
    if !refused.is_empty() {
        fields.push(("refused", Value::List(refused).into()));
    }
    if result.output_bytes > 0 {
        fields.extend([
            ("output_bytes", number(result.output_bytes)),
            ("output_lines", number(result.output_lines)),
        ]);
    }
    if !result.changed.is_empty() {
        // Which paths they are is a part of the arguments.
        let paths = if kept == Kept::Nothing {
            &[][..]
        } else {
            &result.changed
        };
        fields.push((
            "changed",
            Value::List(paths.iter().map(|path| record::text(path)).collect()).into(),
        ));
    }
    fields
}

/// What the sandbox refused. Which path or host it was is a part of the arguments.
fn refused(refusal: &RefusedBrief, kept: Kept) -> Node {
    let mut fields = vec![
        ("what", record::text(&refusal.what)),
        ("source", record::text(&refusal.source)),
        ("offered", flag(refusal.offered)),
    ];
    if kept != Kept::Nothing {
        fields.push(("place", record::text(&refusal.place)));
        let program = refusal.program.as_deref().map(record::text);
        fields.extend(program.map(|program| ("program", program)));
    }
    Node::map(fields)
}

/// So many bytes of effects are kept.
const MOST_EFFECTS: usize = 300;

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
    fn remember(&self, _: Grant) -> Result<(), StoreError> {
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

    fn append(&self, entry: &Entry) -> Result<(), StoreError> {
        self.write(entry).map_err(StoreError::failed)
    }
}

impl Recorder {
    fn write(&self, entry: &Entry) -> Result<(), RecordError> {
        let operation = entry.operation.as_deref();
        let who = || vec![("user", number(u64::from(self.user)))];
        let mut fields = operation.map_or_else(who, |operation| self.about(operation));
        let (kind, weighty) = match &entry.what {
            What::Decided {
                verdict,
                outcome,
                yes,
                note,
                typed,
                denied_by,
                message,
                profile,
            } => {
                let decided = Decided {
                    verdict: verdict.as_deref(),
                    outcome: *outcome,
                    yes: yes.as_ref(),
                    note: note.as_deref(),
                    typed: typed.as_deref(),
                    denied_by: denied_by.as_ref(),
                    message,
                    profile,
                };
                fields.extend(self.decided(operation, &decided)?);
                let facts = self.facts(operation, verdict.as_deref(), &fields);
                fields.extend(facts.map(|facts| ("facts", facts)));
                (
                    "decided",
                    verdict
                        .as_deref()
                        .is_none_or(|verdict| verdict.decision != Decision::Allow),
                )
            }
            What::Asked { prompt, round } => {
                fields.push(("prompt", record::text(prompt)));
                fields.extend(
                    (*round != Round::Only)
                        .then(|| ("round", number(if *round == Round::First { 1 } else { 2 }))),
                );
                let what = operation
                    .filter(|_| self.kept_of(operation) != Kept::Nothing)
                    .map(explain::subject);
                fields.extend(what.map(|what| ("what", record::text(&what))));
                ("asked", false)
            }
            What::Resumed => ("resumed", false),
            What::Finished {
                succeeded,
                started,
                milliseconds,
                result: brief,
            } => {
                fields.extend([
                    ("succeeded", flag(*succeeded)),
                    ("started", flag(*started)),
                    ("milliseconds", number(*milliseconds)),
                ]);
                fields.extend(result(brief, self.kept_of(operation)));
                ("finished", false)
            }
            What::Granted { grant, words } => {
                let grant = grant_cache::with_end(grant, entry.at);
                return self.change(
                    fields,
                    &Change::Granted {
                        grant: &grant,
                        words,
                    },
                );
            }
            What::Revoked { id } => return self.change(fields, &Change::Removed(id)),
            What::Mode { from, to } => {
                fields.extend([("from", record::text(from)), ("to", record::text(to))]);
                ("mode", true)
            }
            What::Trouble(why) => {
                fields.push(("message", record::text(why)));
                ("trouble", true)
            }
        };
        self.add(kind, fields, self.sync(weighty))
    }
}
