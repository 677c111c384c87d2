//! The answers that say yes to a prompt: how far each goes, and in which words.

use std::sync::Arc;

use sayso_core::draft::Reading;
use sayso_core::explain;
use sayso_core::grant::{GrantKey, is_edit_inside};
use sayso_core::operation::{Operation, ToolSays};
use sayso_core::policy::command::{CommandPattern, Form};
use sayso_core::prompt::{Offer, Scope, Stores};
use sayso_core::redact::redact_text;
use sayso_core::tool::{Kind, Role};
use sayso_core::verdict::{Confirm, Tier, Verdict};
use sayso_core::visible::visible;

/// What else decides which answers there are.
#[derive(Clone, Copy, Debug, Default)]
pub struct Around {
    /// How many operations of the batch are still to come.
    pub rest: usize,
    /// "Approve all" of this batch covers dangers (one profile only).
    pub rest_covers_danger: bool,
}

/// The answers for a prompt, narrowest first. What must be asked is only ever allowed once.
pub fn offers(operation: &Operation, reading: &Reading, verdict: &Verdict, around: Around) -> Vec<Offer> {
    let mut out = vec![Offer { scope: Scope::Once, stores: Stores::Nothing, words: "allow this once".to_owned() }];
    let must = verdict.confirm == Confirm::Double || verdict.tier != Tier::None || verdict.reasons.iter().any(|reason| reason.must_ask);
    let only_danger = operation.kind() == Kind::Terminal
        && verdict
            .reasons
            .iter()
            .filter(|reason| reason.must_ask)
            .all(|reason| reason.is_built_in("dangerous") || reason.is_built_in("delete"));
    let whole_rest = !must || around.rest_covers_danger && only_danger;
    let rest = around.rest;
    if rest > 0 && whole_rest {
        let stores = Stores::Grant(GrantKey::RestOfBatch);
        let words = format!("allow this and the {rest} that follow in this batch; deletes, dangers and protected files still ask");
        out.push(Offer { scope: Scope::Batch, stores, words });
    }
    if must {
        return out;
    }
    // Without a session nothing would end such a grant.
    if !operation.session().is_empty() {
        out.extend(of_session(operation, reading).into_iter().map(|(key, words)| Offer {
            scope: Scope::Session,
            stores: Stores::Grant(key),
            words: format!("{words} in this session"),
        }));
    }
    out.extend(rules(operation, reading));
    out.extend(lasting(operation));
    out.sort_by_key(|offer| offer.scope);
    out
}

/// What may be granted for a session, with words that say all of it.
fn of_session(operation: &Operation, reading: &Reading) -> Vec<(GrantKey, String)> {
    let subject = explain::subject(operation);
    let mut out = match operation.says() {
        ToolSays::NeedsApproval { payload, .. } => {
            let key = GrantKey::Payload { tool: operation.tool().to_owned(), payload: sayso_core::digest::Digest::of_node(payload) };
            vec![(key, format!("allow every {} that it takes for the same", visible(operation.tool())))]
        }
        _ => vec![(GrantKey::Exact(operation.digest()), format!("allow exactly {subject}"))],
    };
    match operation.kind() {
        Kind::FileWrite | Kind::FileEdit | Kind::FileAppend => {
            out.extend(any_content(operation, reading));
            out.extend(all_edits(operation, reading));
        }
        Kind::FileCreate | Kind::FileInsertAfter | Kind::FileInsertBefore => out.extend(all_edits(operation, reading)),
        Kind::FileRead | Kind::FileGrep | Kind::Glob | Kind::List => out.push(all_reads(operation)),
        Kind::Mcp => out.extend(mcp_tool(operation)),
        _ => {}
    }
    out
}

fn any_content(operation: &Operation, reading: &Reading) -> Option<(GrantKey, String)> {
    let [effect] = reading.effects.as_slice() else { return None };
    let path = effect.place()?.fact.as_ref()?.canonical.clone();
    let words = format!("allow {} of {} with any content", operation.kind().word(), visible(&path));
    Some((GrantKey::AnyContent { kind: operation.kind(), path }, words))
}

fn all_edits(operation: &Operation, reading: &Reading) -> Option<(GrantKey, String)> {
    let words = "allow every write and edit of files in this workspace (protected files and deletes still ask)".to_owned();
    is_edit_inside(operation, reading).then(|| (GrantKey::Edits(operation.workspace().to_owned()), words))
}

fn all_reads(operation: &Operation) -> (GrantKey, String) {
    (
        GrantKey::Reads(operation.workspace().to_owned()),
        "allow all reads of this workspace that are neither secret nor ignored by git".to_owned(),
    )
}

fn mcp_tool(operation: &Operation) -> Option<(GrantKey, String)> {
    let (server, tool) = (operation.text(Role::Server)?.to_owned(), operation.text(Role::ServerTool)?.to_owned());
    let words = format!("allow every call of {} of the MCP server {}", visible(&tool), visible(&server));
    Some((GrantKey::McpTool { server, tool, schema: operation.mcp().and_then(|identity| identity.schema) }, words))
}

/// Patterns of commands, up to three widths.
fn rules(operation: &Operation, reading: &Reading) -> Vec<Offer> {
    let [command] = reading.commands.as_slice() else { return Vec::new() };
    if operation.kind() != Kind::Terminal || reading.opaque.is_some() {
        return Vec::new();
    }
    let mut scopes = vec![(Scope::Project, "in this project"), (Scope::Always, "everywhere")];
    if !operation.session().is_empty() {
        scopes.insert(0, (Scope::Session, "in this session"));
    }
    let mut out = Vec::new();
    let proposed = sayso_shell::proposals(command);
    // A pattern is stored as it is: one with a secret in it would bring the secret into the record. A wider one must not come in its place.
    if proposed.iter().any(|pattern| redact_text(pattern) != *pattern) {
        return out;
    }
    for pattern in proposed {
        let pattern: Arc<str> = pattern.into();
        for (scope, place) in &scopes {
            let words = format!("allow `{}` {place}", visible(&pattern));
            out.push(Offer { scope: *scope, stores: Stores::Rule(Arc::clone(&pattern)), words });
        }
    }
    out
}

/// What may be granted for longer than a session, besides patterns.
fn lasting(operation: &Operation) -> Vec<Offer> {
    let found = match operation.kind() {
        Kind::FileRead | Kind::FileGrep | Kind::Glob | Kind::List => Some(all_reads(operation)),
        // A tool that is not pinned to what it was may be another one tomorrow.
        Kind::Mcp => mcp_tool(operation).filter(|(key, _)| matches!(key, GrantKey::McpTool { schema: Some(_), .. })),
        _ => None,
    };
    let offer = |(key, words)| Offer { scope: Scope::Project, stores: Stores::Grant(key), words: format!("{words} in this project") };
    found.map(offer).into_iter().collect()
}

/// The grant key of what an offer stores, with a pattern read.
pub fn key_of(stores: &Stores) -> Result<Option<GrantKey>, String> {
    match stores {
        Stores::Nothing => Ok(None),
        Stores::Grant(key) => Ok(Some(key.clone())),
        Stores::Rule(pattern) => {
            let pattern = CommandPattern::parse(pattern, Form::Words, &sayso_shell::Bash)?;
            Ok(Some(GrantKey::Pattern(Arc::new(pattern))))
        }
    }
}
