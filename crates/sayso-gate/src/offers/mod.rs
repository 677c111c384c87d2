//! The answers that say yes to a prompt: how far each goes, and in which words.

mod widths;

use std::sync::Arc;

use sayso_core::analysis::draft::Reading;
use sayso_core::analysis::risk::Tier;
use sayso_core::answer::explain;
use sayso_core::answer::grant::{GrantKey, is_edit_inside};
use sayso_core::answer::learned_rule::{LearnedRule, RuleKey};
use sayso_core::answer::rest_of_batch::RestOfBatch;
use sayso_core::answer::rule_id::Check;
use sayso_core::answer::scope::Scope;
use sayso_core::answer::verdict::{Confirm, Reason, Verdict};
use sayso_core::call::operation::{Operation, ToolSays};
use sayso_core::call::tool::{Kind, Role};
use sayso_core::policy::pattern_error::PatternError;
use sayso_core::prompt::{Offer, RuleText, Stores};
use sayso_core::text::count::agreed;
use sayso_core::text::redact::redact_text;
use sayso_core::text::visible::visible;

use sayso_shell::Bash;

/// What else decides which answers there are.
#[derive(Clone, Copy, Debug, Default)]
pub struct Around {
    /// How many operations of the batch are still to come.
    pub rest: usize,
    /// What an answer for the rest of it covers.
    pub rest_covers: RestOfBatch,
}

/// The answers for a prompt, narrowest first. What must be asked is only ever allowed once.
pub fn offers(
    operation: &Operation,
    reading: &Reading,
    verdict: &Verdict,
    around: Around,
) -> Vec<Offer> {
    let mut out = vec![Offer {
        scope: Scope::Once,
        stores: Stores::Nothing,
        words: "allow this once".to_owned(),
    }];
    // A tool that nobody knows is asked about until it is named, and an answer may name it.
    let stays = |reason: &Reason| reason.must_ask && !reason.is(Check::UnknownTool);
    let must = verdict.confirm == Confirm::Double
        || verdict.tier != Tier::None
        || verdict.reasons.iter().any(stays);
    let musts = || verdict.reasons.iter().filter(|reason| reason.must_ask);
    let is_routine = !must && musts().next().is_none();
    let covered =
        is_routine || musts().next().is_some() && around.rest_covers.covers(operation, musts());
    let rest = around.rest;
    if rest > 0 && covered {
        let stores = Stores::Grant(GrantKey::RestOfBatch);
        let follow = agreed(rest, "follows", "follow");
        let words = format!(
            "allow this and the {rest} that {follow} in this batch; {}",
            around.rest_covers.words()
        );
        out.push(Offer {
            scope: Scope::Batch,
            stores,
            words,
        });
    }
    if must {
        return out;
    }
    // Without a session nothing would end such a grant.
    if !operation.session().is_empty() {
        out.extend(
            of_session(operation, reading)
                .into_iter()
                .map(|(key, words)| Offer {
                    scope: Scope::Session,
                    stores: Stores::Grant(key),
                    words: format!("{words} {}", Scope::Session.place()),
                }),
        );
    }
    out.extend(rules(operation, reading));
    out.extend(lasting(operation));
    out.sort_by_key(|offer| (offer.scope, breadth(offer)));
    out
}

/// Narrower ones first; those of one kind stay in their order.
fn breadth(offer: &Offer) -> u8 {
    match offer.width() {
        "call" => 0,
        "words" | "file" | "url" => 1,
        "pattern" | "folder" | "host" => 2,
        "tool" => 3,
        _ => 4,
    }
}

/// What may be granted for a session, with words that say all of it.
fn of_session(operation: &Operation, reading: &Reading) -> Vec<(GrantKey, String)> {
    let mut out = match operation.says() {
        ToolSays::NeedsApproval { payload, .. } => {
            let key = GrantKey::Payload {
                tool: operation.tool().to_owned(),
                payload: sayso_core::text::digest::Digest::of_node(payload),
            };
            let payload = sayso_core::text::json::write(payload);
            // For what sayso knows itself, the door puts the arguments that count into the payload.
            let open = if operation.kind() == Kind::Custom {
                ", whatever its arguments are,"
            } else {
                ""
            };
            vec![(
                key,
                format!(
                    "allow every {} that has {} as its payload{open}",
                    visible(operation.tool()),
                    visible(&payload)
                ),
            )]
        }
        _ => vec![this_call(operation)],
    };
    match operation.kind() {
        Kind::FileWrite
        | Kind::FileEdit
        | Kind::FileAppend
        | Kind::FileCreate
        | Kind::FileInsertAfter
        | Kind::FileInsertBefore => out.extend(all_edits(operation, reading)),
        Kind::FileRead | Kind::FileGrep | Kind::Glob | Kind::List => out.push(all_reads(operation)),
        Kind::Mcp => out.extend(mcp_tool(operation)),
        _ => {}
    }
    out
}

/// This very call and no other: the digest covers the tool, its arguments, the folder, and what an MCP tool was pinned to.
fn this_call(operation: &Operation) -> (GrantKey, String) {
    let words = match operation.kind() {
        Kind::Mcp
        | Kind::Custom
        | Kind::Opaque
        | Kind::Delegate
        | Kind::AgentCreate
        | Kind::ShareFile => {
            format!(
                "allow {} with exactly these arguments",
                explain::subject(operation)
            )
        }
        // The content is bound, too, and the subject does not show it.
        kind if kind.is_file_edit() || kind == Kind::FileCreateOverwrite => {
            format!(
                "allow exactly {} with this content",
                explain::subject(operation)
            )
        }
        _ => format!("allow exactly {}", explain::subject(operation)),
    };
    (GrantKey::Exact(operation.digest()), words)
}

fn all_edits(operation: &Operation, reading: &Reading) -> Option<(GrantKey, String)> {
    let words = "allow every write and edit of files in this workspace (protected files and deletes still ask)".to_owned();
    is_edit_inside(operation, reading)
        .then(|| (GrantKey::Edits(operation.workspace().to_owned()), words))
}

fn all_reads(operation: &Operation) -> (GrantKey, String) {
    (
        GrantKey::Reads(operation.workspace().to_owned()),
        "allow all reads of this workspace that are neither secret nor ignored by git".to_owned(),
    )
}

fn mcp_tool(operation: &Operation) -> Option<(GrantKey, String)> {
    let (server, tool) = (
        operation.text(Role::Server)?.to_owned(),
        operation.text(Role::ServerTool)?.to_owned(),
    );
    let words = format!(
        "allow every call of {} of the MCP server {}",
        visible(&tool),
        visible(&server)
    );
    Some((
        GrantKey::McpTool {
            server,
            tool,
            schema: operation.mcp().and_then(|identity| identity.schema),
        },
        words,
    ))
}

/// Rules in up to three widths, each for a session, the project and everywhere. A rule that does not cover this very call is none.
fn rules(operation: &Operation, reading: &Reading) -> Vec<Offer> {
    let Some(key) = RuleKey::of(operation) else {
        return Vec::new();
    };
    let patterns = widths::patterns(key, operation, reading);
    // A pattern is stored as it is: one with a secret in it would bring the secret into the record. A wider one must not come in its place.
    if patterns
        .iter()
        .any(|pattern| redact_text(pattern) != *pattern)
    {
        return Vec::new();
    }
    let mut scopes = vec![Scope::Project, Scope::Always];
    if !operation.session().is_empty() {
        scopes.insert(0, Scope::Session);
    }
    let mut out = Vec::new();
    for pattern in patterns {
        let Ok(rule) = LearnedRule::parse(key, &pattern, &Bash) else {
            continue;
        };
        // Of a command, what its words mean was looked at when they were proposed.
        if key != RuleKey::Command && !rule.covers(operation, reading) {
            continue;
        }
        let text = RuleText {
            key,
            pattern: pattern.into(),
        };
        for scope in &scopes {
            out.push(Offer {
                scope: *scope,
                stores: Stores::Rule(text.clone()),
                words: rule.words(*scope),
            });
        }
    }
    out
}

/// What may be granted for longer than a session, besides rules.
fn lasting(operation: &Operation) -> Vec<Offer> {
    let offer = |scope: Scope, (key, words): (GrantKey, String)| {
        let words = format!("{words} {}", scope.place());
        Offer {
            scope,
            stores: Stores::Grant(key),
            words,
        }
    };
    match operation.kind() {
        Kind::FileRead | Kind::FileGrep | Kind::Glob | Kind::List => {
            vec![offer(Scope::Project, all_reads(operation))]
        }
        // An address with a query has no pattern of its own.
        Kind::WebFetch
            if operation
                .text(Role::Url)
                .is_some_and(|url| url.contains(['?', '*'])) =>
        {
            vec![offer(Scope::Project, this_call(operation))]
        }
        Kind::Custom => vec![offer(Scope::Project, this_call(operation))],
        // A tool that is not pinned to what it was may be another one tomorrow.
        Kind::Mcp
            if operation
                .mcp()
                .is_some_and(|identity| identity.schema.is_some()) =>
        {
            let tool = |scope: Scope| mcp_tool(operation).map(|found| offer(scope, found));
            let mut out = vec![offer(Scope::Project, this_call(operation))];
            out.extend([Scope::Project, Scope::Always].into_iter().filter_map(tool));
            out
        }
        _ => Vec::new(),
    }
}

/// The grant key of what an offer stores, with a pattern read.
pub fn key_of(stores: &Stores) -> Result<Option<GrantKey>, PatternError> {
    match stores {
        Stores::Nothing => Ok(None),
        Stores::Grant(key) => Ok(Some(key.clone())),
        Stores::Rule(rule) => {
            let rule = LearnedRule::parse(rule.key, &rule.pattern, &Bash)?;
            Ok(Some(GrantKey::Rule(Arc::new(rule))))
        }
    }
}
