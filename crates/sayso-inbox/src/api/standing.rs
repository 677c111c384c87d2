//! Rules and grants that are remembered: listed, and taken back.

use std::sync::Arc;

use sayso_core::text::node::{Node, Value};
use sayso_store::rules_and_grants::{Standing, What};

use super::prompts::check_pin;
use crate::pin::Pin;
use crate::problem::Problem;
use crate::reply::{Answered, Reply};
use crate::request::{Asked, aside, reply_aside};
use crate::server::Server;

fn of(one: &Standing, key: &str) -> Option<String> {
    match &one.what {
        What::Grant(spec) => spec.get(key).and_then(Node::as_text).map(str::to_owned),
        What::Rule(_) => None,
    }
}

/// One of them as a value.
pub(super) fn node(one: &Standing) -> Node {
    let maybe = |text: Option<String>| text.map_or_else(|| Value::Null.into(), Node::text);
    let number =
        |number: Option<String>| -> Node { number.map_or(Value::Null, Value::Number).into() };
    Node::map([
        ("id", Node::text(&one.id)),
        (
            "kind",
            Node::text(if one.is_rule() { "rule" } else { "grant" }),
        ),
        (
            "words",
            Node::text(sayso_core::text::visible::visible(&one.words)),
        ),
        ("enabled", Value::Bool(one.enabled).into()),
        ("source", Node::text(&one.source)),
        ("created", number(Some(one.created.to_string()))),
        ("expires", number(one.expires.map(|at| at.to_string()))),
        (
            "uses_left",
            number(one.uses_left.map(|uses| uses.to_string())),
        ),
        ("uses", number(Some(one.uses.to_string()))),
        ("last_used", number(one.last_used.map(|at| at.to_string()))),
        ("session", maybe(of(one, "session"))),
        ("project", maybe(of(one, "project"))),
    ])
}

fn listed(key: &'static str, found: Vec<Node>) -> Reply {
    Reply::json(200, &Node::map([(key, Value::List(found).into())]))
}

/// The rules.
pub(super) async fn rules(server: &Arc<Server>) -> Answered {
    let recorded = server.recorded.clone();
    let all = aside(move || recorded.standing()).await?;
    Ok(listed(
        "rules",
        all.iter().filter(|one| one.is_rule()).map(node).collect(),
    ))
}

/// The grants that still count.
pub(super) async fn grants(server: &Arc<Server>, asked: Asked) -> Answered {
    let recorded = server.recorded.clone();
    let all = aside(move || recorded.standing()).await?;
    let now = crate::now_ms() / 1000;
    let session = asked.query("session");
    let wanted = |one: &&Standing| {
        !one.is_rule()
            && !one.is_over(now)
            && session.is_none_or(|session| of(one, "session").as_deref() == Some(session))
    };
    Ok(listed(
        "grants",
        all.iter().filter(wanted).map(node).collect(),
    ))
}

/// What was taken back, by id.
pub(super) fn removed(ids: Vec<String>) -> Reply {
    Reply::json(
        200,
        &Node::map([(
            "removed",
            Value::List(ids.into_iter().map(Node::text).collect()).into(),
        )]),
    )
}

/// Takes a rule back. A rule may deny something, so that takes the PIN, too.
pub(super) async fn remove_rule(server: &Arc<Server>, asked: Asked) -> Answered {
    if Pin::is_set(&server.home) {
        let pin = asked
            .headers
            .get("sayso-pin")
            .and_then(|pin| pin.to_str().ok())
            .map(str::to_owned);
        check_pin(server, pin).await?;
    }
    remove(server, asked, true).await
}

/// Takes a grant back.
pub(super) async fn remove_grant(server: &Arc<Server>, asked: Asked) -> Answered {
    remove(server, asked, false).await
}

async fn remove(server: &Arc<Server>, asked: Asked, rule: bool) -> Answered {
    let server = Arc::clone(server);
    reply_aside(move || {
        let all = server.recorded.standing()?;
        let found = all
            .iter()
            .find(|one| one.id == asked.name() && one.is_rule() == rule);
        let one = found.ok_or_else(|| {
            Problem::missing(if rule {
                "there is no such rule"
            } else {
                "there is no such grant"
            })
        })?;
        server.recorded.remove(one, &asked.by())?;
        Ok(removed(vec![one.id.clone()]))
    })
    .await
}
