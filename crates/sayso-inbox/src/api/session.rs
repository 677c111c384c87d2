//! The requests that programs made for profile `opencode` know: answer, list and clear the permissions of a session.

use std::sync::Arc;

use sayso_core::answer::scope::Scope;
use sayso_core::prompt::Answer;
use sayso_core::text::node::{Node, Value};
use sayso_gate::events::{About, Event, EventKind, Names, payload};
use sayso_store::rules_and_grants::What;

use super::{prompts, standing};
use crate::item::Posted;
use crate::now_ms;
use crate::problem::Problem;
use crate::reply::{Answered, Reply};
use crate::request::{Asked, aside, only, reply_aside};
use crate::server::Server;

/// So many open prompts are listed.
const LISTED: usize = 1000;
/// The longest text of an answer.
const LONGEST: usize = 1024;

/// An answer by the id of the prompt: the whole response of that system. What is kept is kept for this session, unless `scope` says otherwise.
pub(super) async fn respond(server: &Arc<Server>, asked: Asked) -> Answered {
    let body = &asked.body;
    only(
        body,
        &[
            "requestID",
            "action",
            "pattern",
            "createdAt",
            "scope",
            "pin",
        ],
    )?;
    let text = |key: &str| match body.get(key) {
        None => Ok(None),
        Some(node) if matches!(node.value, Value::Null) => Ok(None),
        Some(node) => match node.as_text() {
            Some(text) if text.chars().count() <= LONGEST => Ok(Some(text)),
            Some(_) => Err(Problem::unreadable(format!("`{key}` is too long"))),
            None => Err(Problem::unreadable(format!(
                "`{key}` is {}, not text",
                node.kind_word()
            ))),
        },
    };
    let needed =
        |key: &str| text(key)?.ok_or_else(|| Problem::unreadable(format!("`{key}` is missing")));
    let (id, action, pattern) = (
        needed("requestID")?.to_owned(),
        needed("action")?.to_owned(),
        text("pattern")?.map(str::to_owned),
    );
    let pin = text("pin")?.map(str::to_owned);
    if !["once", "always", "reject", "pattern"].contains(&action.as_str()) {
        return Err(Problem::unreadable(
            "`action` is once, always, reject or pattern",
        ));
    }
    // The clock of whoever answers counts for nothing; the record has ours.
    if text("createdAt")?.is_some_and(|time| time.parse::<jiff::Timestamp>().is_err()) {
        return Err(Problem::unreadable(
            "`createdAt` is no time such as 2026-01-31T12:00:00Z",
        ));
    }
    let scope = match text("scope")? {
        None => None,
        Some(word) => Some(
            Scope::from_word(word)
                .filter(|scope| *scope > Scope::Batch)
                .ok_or_else(|| Problem::unreadable("`scope` is session, project or always"))?,
        ),
    };
    // A client that always sends the field sends it empty where there is no pattern.
    let pattern = pattern.filter(|pattern| !pattern.is_empty());
    let (digest, choice) = match server.inbox.find(&id) {
        Some(Ok(posted)) if posted.session() != asked.name() => {
            return Err(Problem::refused(
                403,
                "session",
                "the prompt belongs to another session",
            ));
        }
        Some(Ok(posted)) => (
            posted.prompt.operation.digest(),
            prompts::of_action(&posted, &action, pattern.as_deref(), scope)?,
        ),
        // The same words as for any other answer that comes too late.
        _ => (
            sayso_core::text::digest::Digest::of_bytes(b""),
            sayso_core::prompt::Choice::Deny,
        ),
    };
    let answer = Answer {
        prompt: id.clone(),
        digest,
        choice,
        note: None,
        typed: None,
    };
    let over = prompts::take(server, answer, pin, &asked.decided_by()).await?;
    let nothing = || Node::from(Value::Null);
    let time = jiff::Timestamp::from_millisecond(over.at)
        .map(|time| format!("{time:.3}"))
        .unwrap_or_default();
    let node = Node::map([
        ("requestID", Node::text(id)),
        ("sessionID", Node::text(&over.session)),
        ("action", Node::text(action)),
        ("pattern", pattern.map_or_else(nothing, Node::text)),
        (
            "scope",
            over.scope
                .map_or_else(nothing, |scope| Node::text(scope.word())),
        ),
        ("createdAt", Node::text(time)),
        (
            "created_at",
            Value::Number((over.at / 1000).to_string()).into(),
        ),
    ]);
    Ok(Reply::json(200, &node))
}

/// A prompt under the names of that profile.
fn request(posted: &Arc<Posted>) -> Node {
    let prompt = &posted.prompt;
    let about = About::Prompt(Arc::clone(prompt));
    let event = Event {
        kind: EventKind::Requested,
        at: now_ms() / 1000,
        operation: Some(Arc::clone(&prompt.operation)),
        about,
    };
    posted.with_view(payload(&event, Names::Opencode))
}

/// What a session asks, and what it was granted.
pub(super) async fn permissions(server: &Arc<Server>, asked: Asked) -> Answered {
    let session = asked.name().to_owned();
    let (found, _) = server
        .inbox
        .list(&|posted| posted.session() == session, None, LISTED);
    let recorded = server.recorded.clone();
    let all = aside(move || recorded.standing()).await?;
    let now = now_ms() / 1000;
    let granted = all
        .iter()
        .filter(|one| is_of(&one.what, &session) && !one.is_over(now))
        .map(standing::node);
    Ok(Reply::json(
        200,
        &Node::map([
            ("session_id", Node::text(&session)),
            (
                "pending",
                Value::List(found.iter().map(request).collect()).into(),
            ),
            ("permissions", Value::List(granted.collect()).into()),
        ]),
    ))
}

fn is_of(what: &What, session: &str) -> bool {
    matches!(what, What::Grant(spec) if spec.get("session").and_then(Node::as_text) == Some(session))
}

/// Takes back what a session was granted.
pub(super) async fn clear(server: &Arc<Server>, asked: Asked) -> Answered {
    let server = Arc::clone(server);
    reply_aside(move || {
        let all = server.recorded.standing()?;
        let mut ids = Vec::new();
        for one in all.iter().filter(|one| is_of(&one.what, asked.name())) {
            server.recorded.remove(one, &asked.by())?;
            ids.push(one.id.clone());
        }
        Ok(standing::removed(ids))
    })
    .await
}
