//! Who somebody is and how the server does: logins, links, health, counts.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use sayso_core::text::node::{Node, Value};

use crate::auth::{COOKIE, Via};
use crate::logins::LOGIN;
use crate::now_ms;
use crate::pin::Pin;
use crate::problem::Problem;
use crate::reply::{Answered, Reply};
use crate::request::{Asked, only, too_many};
use crate::server::Server;
use sayso_runtime::inbox_client::{PROTOCOL, VERSION};

fn number(value: impl std::fmt::Display) -> Node {
    Value::Number(value.to_string()).into()
}

pub(super) fn health(server: &Server) -> Reply {
    let status = if server.is_stopping() {
        "stopping"
    } else {
        "ok"
    };
    Reply::json(
        200,
        &Node::map([
            ("status", Node::text(status)),
            ("version", Node::text(VERSION)),
            ("protocol", number(PROTOCOL)),
        ]),
    )
}

pub(super) fn me(server: &Server, asked: &Asked) -> Answered {
    let who = asked
        .who
        .as_ref()
        .ok_or_else(|| Problem::refused(401, "nobody", "nobody is known"))?;
    let mut rights = Vec::new();
    rights.extend(who.asks.then(|| Node::text("ask")));
    rights.extend(who.answers.is_ok().then(|| Node::text("answer")));
    let via = match who.via {
        Via::Socket => "socket",
        Via::Token => "token",
        Via::Cookie => "cookie",
    };
    let pin = if Pin::is_set(&server.home) {
        "wider"
    } else {
        "never"
    };
    Ok(Reply::json(
        200,
        &Node::map([
            ("name", Node::text(&who.name)),
            ("rights", Value::List(rights).into()),
            ("via", Node::text(via)),
            ("pin", Node::text(pin)),
            ("watching", number(server.feed.watching())),
            ("present", number(server.present())),
            ("version", Node::text(VERSION)),
            ("now", number(now_ms())),
        ]),
    ))
}

/// Somebody looks at a screen, or left it.
pub(super) fn here(server: &Server, asked: &Asked) -> Answered {
    only(&asked.body, &["screen", "here"])?;
    let screen = asked
        .body
        .get("screen")
        .and_then(Node::as_text)
        .filter(|screen| screen.chars().count() <= MAX_SCREEN_NAME);
    let screen =
        screen.ok_or_else(|| Problem::unreadable("`screen` is missing, no text, or too long"))?;
    let is_here = asked
        .body
        .get("here")
        .and_then(Node::as_bool)
        .ok_or_else(|| Problem::unreadable("`here` is missing, or not true or false"))?;
    // Whoever says so says it of their own screens only.
    server
        .presence
        .tell(format!("{} {screen}", asked.by()), is_here, Instant::now());
    Ok(Reply::nothing())
}

/// The longest name of a screen, in bytes.
const MAX_SCREEN_NAME: usize = 64;

/// Lets a browser in by the code of a link.
pub(super) fn login(server: &Server, asked: &Asked) -> Answered {
    only(&asked.body, &["code"])?;
    let code = asked
        .body
        .get("code")
        .and_then(Node::as_text)
        .ok_or_else(|| Problem::unreadable("`code` is missing, or no text"))?;
    let let_in = server.logins.let_in(code).map_err(Problem::broken)?;
    // Only wrong codes are limited: they must not keep the right one out.
    let let_in = let_in.ok_or_else(|| match server.rates.logins.takes() {
        false => too_many(),
        true => Problem::refused(401, "code", "the link is not good, or was used before")
            .with_hint("`sayso serve --link` makes another one"),
    })?;
    server.log.line(&format!(
        "{} was let in from {}",
        let_in.name,
        asked.from.words()
    ));
    let node = Node::map([
        ("key", Node::text(let_in.key.word())),
        ("name", Node::text(&let_in.name)),
        ("expires_at", number(let_in.ends)),
    ]);
    let cookie = format!(
        "{COOKIE}={}; HttpOnly; SameSite=Strict; Path=/; Max-Age={}",
        let_in.cookie.word(),
        LOGIN / 1000
    );
    Ok(Reply::json(200, &node).with("set-cookie", cookie))
}

pub(super) fn logout(server: &Server, asked: &Asked) -> Reply {
    server.logins.leave(&asked.by());
    Reply::nothing().with(
        "set-cookie",
        format!("{COOKIE}=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0"),
    )
}

/// Only who is at the socket: a token or a browser must not let others in.
fn at_socket(asked: &Asked) -> Result<(), Problem> {
    match asked.who.as_ref().map(|who| who.via) {
        Some(Via::Socket) => Ok(()),
        _ => Err(Problem::refused(
            403,
            "socket",
            "that is only done over the unix socket",
        )),
    }
}

/// A new link for a browser.
pub(super) fn link(server: &Server, asked: &Asked) -> Answered {
    at_socket(asked)?;
    let (url, ends) = new_link(server)?;
    Ok(Reply::json(
        200,
        &Node::map([("url", Node::text(url)), ("expires_at", number(ends))]),
    ))
}

/// The same for the program itself.
pub(crate) fn new_link(server: &Server) -> Result<(String, i64), Problem> {
    let url = server
        .url
        .as_ref()
        .ok_or_else(|| Problem::impossible("there is only the socket, and no page"))?;
    let (code, ends) = server.logins.code().map_err(Problem::broken)?;
    Ok((format!("{url}#login={}", code.word()), ends))
}

/// Ends the server.
pub(super) fn stop(server: &Arc<Server>, asked: &Asked) -> Answered {
    at_socket(asked)?;
    server.log.line(&format!("{} stops the inbox", asked.by()));
    let server = Arc::clone(server);
    // This answer goes out first.
    tokio::spawn(async move {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        server.stopping.send_replace(true);
    });
    Ok(Reply::nothing())
}

/// Counts, as Prometheus reads them.
pub(super) fn metrics(server: &Server) -> Reply {
    let counts = &server.counts;
    let load = |count: &std::sync::atomic::AtomicU64| count.load(Ordering::Relaxed);
    let rows = [
        (
            "sayso_prompts_open",
            "gauge",
            "Prompts that are open.",
            server.inbox.len() as u64,
        ),
        (
            "sayso_watchers",
            "gauge",
            "Screens that are open.",
            server.feed.watching() as u64,
        ),
        (
            "sayso_present",
            "gauge",
            "Screens that somebody looks at.",
            server.present() as u64,
        ),
        (
            "sayso_connections",
            "gauge",
            "Connections that are open.",
            load(&counts.connections),
        ),
        (
            "sayso_requests_total",
            "counter",
            "Requests.",
            load(&counts.requests),
        ),
        (
            "sayso_refused_total",
            "counter",
            "Requests that were refused for their rights.",
            load(&counts.refused),
        ),
        (
            "sayso_asked_total",
            "counter",
            "Questions of hooks.",
            load(&counts.asked),
        ),
        (
            "sayso_operations_total",
            "counter",
            "Operations that were submitted.",
            load(&counts.submitted),
        ),
        (
            "sayso_answers_total",
            "counter",
            "Answers that counted.",
            load(&counts.answered),
        ),
        (
            "sayso_answers_late_total",
            "counter",
            "Answers that did not count.",
            load(&counts.too_late),
        ),
    ];
    let mut out = String::new();
    for (name, kind, help, value) in rows {
        // Writing to a string cannot fail.
        let _ = write!(
            out,
            "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}\n"
        );
    }
    Reply::of(200, "text/plain; version=0.0.4; charset=utf-8", out)
}
