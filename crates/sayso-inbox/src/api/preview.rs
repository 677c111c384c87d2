//! What an answer that is kept would store, before anybody gives it: its words, and what of the record it would have matched.

use std::sync::Arc;

use sayso_core::answer::scope::Scope;
use sayso_core::prompt::patterns::Patterns as _;
use sayso_core::prompt::{Choice, RuleText, Stores};
use sayso_core::text::node::{Node, Value};
use sayso_gate::pattern;

use super::prompts;
use crate::problem::Problem;
use crate::reply::{Answered, Reply};
use crate::request::{Asked, aside, only};
use crate::server::Server;
use sayso_runtime::earlier_calls::InRecord;

/// The words of an offer, or of a pattern that somebody types. Nothing is answered.
pub(super) async fn preview(server: &Arc<Server>, asked: Asked) -> Answered {
    only(&asked.body, &["scope", "width", "pattern"])?;
    let text = |key: &str| match asked.body.get(key) {
        None => Ok(None),
        Some(node) if matches!(node.value, Value::Null) => Ok(None),
        Some(node) => node.as_text().map(Some).ok_or_else(|| {
            Problem::unreadable(format!("`{key}` is {}, not text", node.kind_word()))
        }),
    };
    let scope = text("scope")?.ok_or_else(|| Problem::unreadable("`scope` is missing"))?;
    let posted = prompts::open(server, asked.name())?;
    let prompt = Arc::clone(&posted.prompt);
    let (stores, scope, words) = match (text("pattern")?, text("width")?) {
        (Some(_), Some(_)) => return Err(Problem::unreadable("a pattern has no `width`")),
        (Some(pattern), None) => {
            let scope = Scope::from_word(scope)
                .ok_or_else(|| Problem::unreadable("`scope` is session, project or always"))?;
            let choice = Choice::Pattern {
                text: pattern.to_owned(),
                scope,
            };
            if !prompt.takes(&choice) {
                return Err(Problem::new(
                    422,
                    "not-offered",
                    "no pattern of this scope is offered",
                ));
            }
            let rule = pattern::check(pattern, &prompt)
                .map_err(|why| Problem::new(422, "bad-pattern", why))?;
            (
                Stores::Rule(RuleText {
                    key: rule.key(),
                    pattern: rule.pattern().into(),
                }),
                scope,
                rule.words(scope),
            )
        }
        (None, width) => {
            let Choice::Offer(at) = prompts::by_scope(server, asked.name(), scope, width)? else {
                return Err(Problem::missing("there is no such prompt"));
            };
            let offer = prompt
                .offers
                .get(at)
                .ok_or_else(|| Problem::missing("there is no such offer"))?;
            (offer.stores.clone(), offer.scope, offer.words.clone())
        }
    };
    let record = InRecord::new(server.whereabouts.state.clone());
    let earlier = aside(move || {
        Ok(record
            .earlier(&stores, scope, &prompt)
            .map(|earlier| earlier.words(&prompt)))
    })
    .await?;
    let earlier = earlier.map_or_else(|| Value::Null.into(), Node::text);
    Ok(Reply::json(
        200,
        &Node::map([("words", Node::text(words)), ("earlier", earlier)]),
    ))
}
