//! The record: sessions, entries, counts.

use std::sync::Arc;

use sayso_core::text::node::{Node, Value};
use sayso_store::index::calls::{Filter, Kinds};
use sayso_store::index::stats::Stats;
use sayso_store::read::Reader;

use crate::problem::Problem;
use crate::reply::{Answered, Reply};
use crate::request::{Asked, aside};
use crate::server::Server;
use sayso_runtime::audit::{call as rows, stats as counts};

/// Far in the future, in milliseconds since 1970.
const LATEST: u64 = 1_000_000_000_000_000;
const LISTED: u64 = 100;

fn number(value: impl std::fmt::Display) -> Node {
    Value::Number(value.to_string()).into()
}

/// Sessions, with how many of their prompts are open.
pub(super) async fn sessions(server: &Arc<Server>, asked: Asked) -> Answered {
    let most = asked.limit(LISTED)?;
    let recorded = server.recorded.clone();
    let found = aside(move || recorded.look(|index| index.sessions(most)))
        .await?
        .unwrap_or_default();
    let maybe =
        |text: &Option<String>| text.as_ref().map_or_else(|| Value::Null.into(), Node::text);
    let one = |session: &sayso_store::index::sessions::Session| {
        let (_, open) = server
            .inbox
            .list(&|posted| posted.session() == session.session, None, 0);
        Node::map([
            ("session", Node::text(&session.session)),
            ("agent", maybe(&session.agent)),
            ("workspace", maybe(&session.workspace)),
            ("first", number(session.first)),
            ("last", number(session.last)),
            (
                "ended",
                session.ended.map_or_else(|| Value::Null.into(), number),
            ),
            ("calls", number(session.calls)),
            ("open", number(open)),
        ])
    };
    Ok(Reply::json(
        200,
        &Node::map([(
            "sessions",
            Value::List(found.iter().map(one).collect()).into(),
        )]),
    ))
}

fn filter(asked: &Asked) -> Result<Filter, Problem> {
    let text = |key: &str| {
        asked
            .query(key)
            .filter(|text| !text.is_empty())
            .map(str::to_owned)
    };
    let words = |key: &str| -> Vec<String> {
        text(key)
            .map(|text| text.split(',').map(str::to_owned).collect())
            .unwrap_or_default()
    };
    let time = |key: &str| -> Result<Option<i64>, Problem> {
        Ok(asked
            .whole(key, LATEST)?
            .and_then(|at| i64::try_from(at).ok()))
    };
    let kinds = match asked.query("kind") {
        None | Some("") => Kinds::Calls,
        Some("all") => Kinds::All,
        Some(_) => Kinds::These(words("kind")),
    };
    Ok(Filter {
        since: time("since")?,
        until: time("until")?,
        agent: text("agent"),
        session: text("session"),
        tools: words("tool"),
        decisions: words("decision"),
        outcomes: words("outcome"),
        rule: text("rule"),
        text: text("text"),
        kinds,
    })
}

/// The last entries that are wanted.
pub(super) async fn audit(server: &Arc<Server>, asked: Asked) -> Answered {
    let most = asked.limit(LISTED)?;
    let filter = filter(&asked)?;
    let recorded = server.recorded.clone();
    let found = aside(move || {
        recorded.look(|index| {
            let entries = index.last(&filter, Some(most));
            entries.and_then(|entries| Ok((entries, index.count(&filter)?)))
        })
    })
    .await?;
    let (entries, total) = found.unwrap_or_default();
    let entries = entries.iter().map(rows::as_node).collect();
    Ok(Reply::json(
        200,
        &Node::map([
            ("entries", Value::List(entries).into()),
            ("total", number(total)),
        ]),
    ))
}

/// One entry, and those of the same call.
pub(super) async fn entry(server: &Arc<Server>, asked: Asked) -> Answered {
    let wanted: u64 = asked
        .name()
        .parse()
        .map_err(|_| Problem::unreadable("the number of an entry is a number"))?;
    let recorded = server.recorded.clone();
    let story = aside(move || {
        let Some(Some(numbers)) = recorded.look(|index| index.story_of(wanted))? else {
            return Ok(Vec::new());
        };
        let reader = Reader::open(recorded.state()).map_err(Problem::broken)?;
        let mut story = Vec::new();
        for number in numbers {
            if let Some(stored) = reader.find(number).map_err(Problem::broken)? {
                story.push((number, stored.node().map_err(Problem::broken)?));
            }
        }
        Ok(story)
    })
    .await?;
    let entry = story
        .iter()
        .find(|(number, _)| *number == wanted)
        .map(|(_, node)| node.clone());
    let entry = entry.ok_or_else(|| Problem::missing("the record has no such entry"))?;
    let story = story.into_iter().map(|(_, node)| node).collect();
    Ok(Reply::json(
        200,
        &Node::map([("entry", entry), ("story", Value::List(story).into())]),
    ))
}

/// Counts.
pub(super) async fn stats(server: &Arc<Server>, asked: Asked) -> Answered {
    let since = asked
        .whole("since", LATEST)?
        .and_then(|at| i64::try_from(at).ok());
    let filter = Filter {
        since,
        ..Filter::default()
    };
    let recorded = server.recorded.clone();
    let found = aside(move || recorded.look(|index| index.stats(&filter))).await?;
    Ok(Reply::json(
        200,
        &counts::as_node(&found.unwrap_or_else(Stats::default)),
    ))
}
