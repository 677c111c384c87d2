//! Prompts: what is open, one of them, an answer; and the question of a hook, which is held until it has an end.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use sayso_core::answer::decided_by::DecidedBy;
use sayso_core::answer::scope::Scope;
use sayso_core::prompt::{Answer, Choice, Ended};
use sayso_core::text::digest::Digest;
use sayso_core::text::json;
use sayso_core::text::node::Node;
use sayso_core::text::visible::visible;
use sayso_gate::prompts::Refused;

use super::group;
use crate::inbox::Over;
use crate::item::{Door, Posted};
use crate::now_ms;
use crate::peer::From;
use crate::pin::{Pin, Wrong};
use crate::problem::Problem;
use crate::reply::{Answered, Reply};
use crate::request::{Asked, aside, only, too_many};
use crate::server::Server;
use sayso_runtime::inbox_client::{PROTOCOL, VERSION, wire};

/// So many are listed, if nobody says otherwise.
const LISTED: u64 = 100;
/// The longest that is written to an agent or kept as a pattern.
const LONGEST: usize = 1024;
/// Of the key that was pressed no more is kept.
const LONGEST_KEY: usize = 32;

/// What is open.
pub(super) fn list(server: &Server, asked: &Asked) -> Answered {
    let most = asked.limit(LISTED)?;
    let full = match asked.query("full") {
        None | Some("false") => false,
        Some("true") => true,
        Some(_) => return Err(Problem::unreadable("`full` is true or false")),
    };
    let (session, agent) = (asked.query("session"), asked.query("agent"));
    let wanted = |posted: &Posted| {
        session.is_none_or(|session| posted.session() == session)
            && agent.is_none_or(|agent| posted.prompt.operation.agent().name == agent)
    };
    // Asked for first: what comes meanwhile is told once more, and not missed.
    let event = server.feed.last();
    let most = usize::try_from(most).unwrap_or(1);
    let (found, total) = server.inbox.list(&wanted, asked.query("after"), most);
    let next = if found.len() == most {
        found.last().map(|last| last.id().to_owned())
    } else {
        None
    };
    let written: Vec<String> = found
        .iter()
        .map(|posted| {
            let due = server.inbox.due(posted.id());
            if full {
                posted.document(due)
            } else {
                posted.summary(due)
            }
        })
        .collect();
    let next = next.map_or_else(|| "null".to_owned(), |next| json::quote(&next));
    let event = json::quote(&event);
    Ok(Reply::written(
        200,
        format!(
            "{{\"prompts\":[{}],\"total\":{total},\"next\":{next},\"event_id\":{event},\"now\":{}}}",
            written.join(","),
            now_ms()
        ),
    ))
}

/// One of them.
pub(super) fn one(server: &Server, asked: &Asked) -> Answered {
    match server.inbox.find(asked.name()) {
        Some(Ok(posted)) => Ok(Reply::written(
            200,
            posted.document(server.inbox.due(posted.id())),
        )),
        Some(Err(over)) => Err(ended(&over)),
        None => Err(unknown()),
    }
}

fn unknown() -> Problem {
    Problem::missing("there is no such prompt")
}

fn ended(over: &Over) -> Problem {
    let detail = match over.words() {
        Some(by) => format!("it was answered by {by}: {}", over.answer),
        None => format!("it has ended: {}", over.answer),
    };
    Problem {
        ended: Some(Box::new(over.node())),
        ..Problem::new(410, "ended", detail)
    }
}

/// A prompt that is open.
pub(super) fn open(server: &Server, id: &str) -> Result<Arc<Posted>, Problem> {
    match server.inbox.find(id) {
        Some(Ok(posted)) => Ok(posted),
        Some(Err(over)) => Err(ended(&over)),
        None => Err(unknown()),
    }
}

/// An answer.
pub(super) async fn answer(server: &Arc<Server>, asked: Asked) -> Answered {
    let body = &asked.body;
    only(
        body,
        &[
            "digest", "choice", "offer", "pattern", "scope", "width", "note", "pin", "typed",
            "also",
        ],
    )?;
    let text = |key: &str| match body.get(key) {
        None => Ok(None),
        Some(node) if matches!(node.value, sayso_core::text::node::Value::Null) => Ok(None),
        Some(node) => match node
            .as_text()
            .filter(|text| text.chars().count() <= LONGEST)
        {
            Some(text) => Ok(Some(text.to_owned())),
            None => Err(Problem::unreadable(format!(
                "`{key}` is no text, or too long"
            ))),
        },
    };
    let digest = text("digest")?.ok_or_else(|| Problem::unreadable("`digest` is missing"))?;
    text("pattern")?;
    let choice = match (
        text("choice")?.as_deref(),
        text("scope")?,
        body.get("offer"),
    ) {
        (Some("offer"), Some(scope), None) => {
            by_scope(server, asked.name(), &scope, text("width")?.as_deref())?
        }
        _ if text("width")?.is_some() => {
            return Err(Problem::unreadable(
                "`width` goes with `scope`, and with no `offer`",
            ));
        }
        _ => wire::read_choice(body).map_err(Problem::unreadable)?,
    };
    let (note, pin, typed) = (text("note")?, text("pin")?, text("typed")?);
    let typed = typed
        .map(|typed| visible(&typed.chars().take(LONGEST_KEY).collect::<String>()).into_owned());
    let digest = Digest::parse(&digest).ok_or_else(|| Problem::unreadable("`digest` is none"))?;
    let answer = Answer {
        prompt: asked.name().to_owned(),
        digest,
        choice,
        note: note.filter(|note| !note.trim().is_empty()),
        typed,
    };
    let also = group::read(server, &answer, body)?;
    let by = asked.decided_by();
    let over = take(server, answer, pin.clone(), &by).await?;
    // Each is a question of its own and may have ended meanwhile; which ones counted is said.
    let mut counted = Vec::new();
    for answer in also {
        let id = answer.prompt.clone();
        if take(server, answer, pin.clone(), &by).await.is_ok() {
            counted.push(Node::text(id));
        }
    }
    let node = Node::map([
        ("id", Node::text(asked.name())),
        ("answer", Node::text(over.answer)),
        ("round", Node::text(over.round.word())),
        (
            "scope",
            over.scope.map_or_else(
                || sayso_core::text::node::Value::Null.into(),
                |scope| Node::text(scope.word()),
            ),
        ),
        ("session", Node::text(&over.session)),
        ("also", sayso_core::text::node::Value::List(counted).into()),
        ("by", Node::text(by.text())),
        ("by_words", Node::text(by.words())),
        (
            "at",
            sayso_core::text::node::Value::Number(over.at.to_string()).into(),
        ),
    ]);
    Ok(Reply::json(200, &node))
}

/// The offer of a scope and a width; without a width the narrowest one.
pub(super) fn by_scope(
    server: &Server,
    id: &str,
    scope: &str,
    width: Option<&str>,
) -> Result<Choice, Problem> {
    let scope = Scope::from_word(scope)
        .ok_or_else(|| Problem::unreadable("`scope` is once, batch, session, project or always"))?;
    let Some(Ok(posted)) = server.inbox.find(id) else {
        // What is over, or never was, is refused with words of its own behind this.
        return Ok(Choice::Deny);
    };
    let prompt = &posted.prompt;
    let found = match width {
        None => prompt.offer(scope),
        Some(width) => prompt.offer_of_width(scope, width),
    };
    found.map(Choice::Offer).ok_or_else(|| {
        Problem::new(
            422,
            "not-offered",
            "no answer of this scope and width is offered",
        )
    })
}

/// Takes an answer, if it is the first valid one and its PIN is right.
pub(super) async fn take(
    server: &Arc<Server>,
    answer: Answer,
    pin: Option<String>,
    by: &DecidedBy,
) -> Result<Over, Problem> {
    let late = |problem: Problem| {
        server.counts.too_late.fetch_add(1, Ordering::Relaxed);
        problem
    };
    let posted = match server.inbox.find(&answer.prompt) {
        Some(Ok(posted)) => posted,
        Some(Err(over)) if over.by.is_some() => {
            return Err(late(Problem {
                status: 409,
                kind: "answered",
                ..ended(&over)
            }));
        }
        Some(Err(over)) => return Err(late(ended(&over))),
        None => return Err(late(unknown())),
    };
    if posted.is_weighty(&answer.choice) && Pin::is_set(&server.home) {
        check_pin(server, pin).await?;
    }
    // A policy that has become stricter counts for what is open.
    server
        .door
        .refresh(posted.prompt.operation.workspace())
        .map_err(Problem::broken)?;
    let over = server
        .inbox
        .answer(answer, by)
        .map_err(|refused| late(refusal(server, posted.id(), &refused)))?;
    server.counts.answered.fetch_add(1, Ordering::Relaxed);
    Ok(over)
}

/// Whether the PIN is right.
pub(super) async fn check_pin(server: &Arc<Server>, pin: Option<String>) -> Result<(), Problem> {
    let pin = pin.ok_or_else(|| Problem::new(403, "pin", "this answer takes the PIN"))?;
    let server = Arc::clone(server);
    aside(move || {
        server
            .pin
            .check(&server.home, &pin)
            .map_err(|wrong| match wrong {
                Wrong::Other => Problem::refused(403, "pin", "the PIN is wrong"),
                Wrong::Paused => {
                    Problem::refused(429, "pin", "the PIN was wrong too often; wait a minute")
                }
            })
    })
    .await
}

fn refusal(server: &Server, id: &str, refused: &Refused) -> Problem {
    let words = refused.to_string();
    match refused {
        Refused::Unknown => unknown(),
        Refused::AlreadyAnswered | Refused::Late => {
            let over = server
                .inbox
                .find(id)
                .and_then(Result::err)
                .map(|over| Box::new(over.node()));
            let (status, kind) = if *refused == Refused::Late {
                (410, "ended")
            } else {
                (409, "answered")
            };
            Problem {
                ended: over,
                ..Problem::new(status, kind, words)
            }
        }
        Refused::OtherDigest => Problem::refused(409, "other-digest", words),
        Refused::NotOffered => Problem::new(422, "not-offered", words),
        Refused::NotYours => Problem::refused(403, "right", words),
        Refused::BadPattern(_) => Problem::new(422, "bad-pattern", words),
    }
}

/// Somebody looks at it.
pub(super) fn activity(server: &Server, asked: &Asked) -> Answered {
    match server.inbox.find(asked.name()) {
        None => Err(unknown()),
        Some(Err(over)) => Err(ended(&over)),
        Some(Ok(_)) => match server.inbox.activity(asked.name(), &asked.decided_by()) {
            Ok(()) => Ok(Reply::nothing()),
            Err(refused) => Err(refusal(server, asked.name(), &refused)),
        },
    }
}

/// The question of a hook. The answer to this request is the end of the prompt.
pub(super) async fn ask(server: &Arc<Server>, asked: Asked) -> Answered {
    let From::Socket(peer) = &*asked.from else {
        return Err(Problem::refused(
            403,
            "socket",
            "questions come over the unix socket",
        ));
    };
    let said = |name: &str| {
        asked
            .headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
            .to_owned()
    };
    let (protocol, version) = (said("sayso-protocol"), said("sayso-version"));
    if protocol != PROTOCOL.to_string() || version != VERSION {
        let detail = format!("the inbox is sayso {VERSION}, and the hook is sayso `{version}`");
        return Err(Problem::new(426, "version", detail)
            .with_hint("stop the inbox with `sayso serve --stop`, and start it again"));
    }
    // What is shown to the person comes with the question, so that nobody else may put one.
    if !peer.is_sayso() {
        return Err(
            Problem::refused(403, "program", "only sayso itself puts questions here")
                .with_hint("submit an operation instead"),
        );
    }
    let question = wire::read_question(&asked.body).map_err(Problem::impossible)?;
    if !server.rates.asks.takes() {
        return Err(too_many());
    }
    server.counts.asked.fetch_add(1, Ordering::Relaxed);
    let longest = Duration::from_secs(question.longest.min(24 * 60 * 60));
    let latest = now_ms().saturating_add(i64::try_from(longest.as_millis()).unwrap_or(i64::MAX));
    let prompt = Arc::new(question.prompt);
    let posted = Posted::new(
        Arc::clone(&prompt),
        &question.document,
        Door::Hook,
        Some(latest),
        Pin::is_set(&server.home),
    );
    let ended = match tokio::time::timeout(longest, server.inbox.post(posted)).await {
        Ok(Ended::Cancelled) if server.is_stopping() => Ended::Failed(
            "the inbox was stopped; start it with `sayso serve`, or set `hooks.ask: host`"
                .to_owned(),
        ),
        Ok(ended) => ended,
        Err(_) => Ended::TimedOut,
    };
    Ok(Reply::json(200, &wire::ended(&prompt, &ended)))
}

/// The choice that an action of profile `opencode` means. What is kept is kept for the session, unless the request names a wider scope.
pub(super) fn of_action(
    posted: &Posted,
    action: &str,
    pattern: Option<&str>,
    scope: Option<Scope>,
) -> Result<Choice, Problem> {
    let prompt = &posted.prompt;
    let impossible = |words: &str| Problem::new(422, "not-offered", words);
    let wide = scope.map_or("for this session", |scope| match scope {
        Scope::Project => "for this project",
        Scope::Always => "everywhere",
        _ => "for this session",
    });
    match (action, pattern, scope) {
        ("reject", None, None) => Ok(Choice::Deny),
        ("once", None, None) => prompt
            .offer(Scope::Once)
            .map(Choice::Offer)
            .ok_or_else(|| impossible("it cannot be allowed once")),
        ("always", None, scope) => prompt
            .always(scope)
            .ok_or_else(|| impossible(&format!("it cannot be kept {wide}"))),
        ("pattern", Some(pattern), scope) => {
            let choice = prompt.own_pattern(pattern, scope);
            choice.ok_or_else(|| impossible(&format!("a pattern cannot be kept {wide} here")))
        }
        ("pattern", None, _) => Err(Problem::unreadable("`pattern` is missing")),
        ("once" | "always" | "reject", Some(_), _) => Err(Problem::unreadable(
            "`pattern` goes with the action `pattern` only",
        )),
        ("once" | "reject", None, Some(_)) => Err(Problem::unreadable(
            "`scope` goes with the actions `always` and `pattern` only",
        )),
        _ => Err(Problem::unreadable(
            "`action` is once, always, reject or pattern",
        )),
    }
}
