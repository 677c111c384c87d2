//! One connection: requests are read within limits of size and time, checked, and answered.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use http_body_util::BodyExt as _;
use hyper::body::{Body as _, Incoming};
use hyper::service::service_fn;
use hyper::{HeaderMap, Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use sayso_core::text::node::{Node, Value};
use sayso_core::text::{Limits, json};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;

use super::api;
use super::auth;
use super::auth::Right;
use super::guard;
use super::peer::From;
use super::problem::Problem;
use super::reply::{Content, Reply};
use super::request::{Asked, too_many};
use super::route;
use super::route::decoded;
use super::server::Server;
use super::strangers::Stranger;
use super::write_timeout::Hurried;

/// The head of a request has to be there in this time, also of the next one on the same connection.
const HEAD: Duration = Duration::from_secs(15);
/// And its body in this.
const BODY: Duration = Duration::from_secs(30);
/// So long a client may not read what it is sent.
const STALLED: Duration = Duration::from_secs(30);
const MOST_HEADERS: usize = 64;
const HEAD_BYTES: usize = 32 << 10;
const LONGEST_QUERY: usize = 16 << 10;
const LONGEST_VALUE: usize = 1024;

/// Serves one connection to its end.
pub(super) async fn connection<I>(server: Arc<Server>, io: I, from: From)
where
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let stranger = Arc::new(server.strangers(&from).enter());
    let from = Arc::new(from);
    let mut stopping = server.stopping.subscribe();
    server.counts.connections.fetch_add(1, Ordering::Relaxed);
    let service = {
        let (server, stranger) = (Arc::clone(&server), Arc::clone(&stranger));
        service_fn(move |request| {
            let (server, from, stranger) = (
                Arc::clone(&server),
                Arc::clone(&from),
                Arc::clone(&stranger),
            );
            async move { Ok::<_, Infallible>(answer(&server, &from, &stranger, request).await) }
        })
    };
    let mut builder = hyper::server::conn::http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_headers(MOST_HEADERS)
        .max_buf_size(HEAD_BYTES)
        .keep_alive(true);
    let mut served =
        std::pin::pin!(builder.serve_connection(TokioIo::new(Hurried::new(io, STALLED)), service));
    // What is broken by a client is the client's to know.
    let stopped = async { drop(stopping.wait_for(|stops| *stops).await) };
    tokio::select! {
        _ = served.as_mut() => {}
        () = stranger.is_pushed_out() => {}
        () = stopped => {
            served.as_mut().graceful_shutdown();
            let _ = served.await;
        }
    }
    server.counts.connections.fetch_sub(1, Ordering::Relaxed);
}

async fn answer(
    server: &Arc<Server>,
    from: &Arc<From>,
    stranger: &Stranger,
    request: Request<Incoming>,
) -> Response<Content> {
    server.counts.requests.fetch_add(1, Ordering::Relaxed);
    let what = format!("{} {}", request.method(), request.uri().path());
    let answered = match read(server, from, request).await {
        Ok(asked) => {
            if asked.who.is_some() {
                stranger.is_known();
            }
            api::answer(server, asked).await
        }
        Err(problem) => Err(problem),
    };
    let reply = answered.unwrap_or_else(|problem| {
        if problem.is_refusal {
            server.refused(&what, &problem, &from.words());
        }
        let reply = Reply::problem(&problem);
        // What was not read to its end must not be taken for the next request.
        if matches!(problem.status, 408 | 413) {
            reply.with("connection", "close".to_owned())
        } else {
            reply
        }
    });
    reply.into_response()
}

/// Reads a request and checks that it may be made, in the order that tells a stranger the least.
async fn read(
    server: &Server,
    from: &Arc<From>,
    request: Request<Incoming>,
) -> Result<Asked, Problem> {
    let (head, body) = request.into_parts();
    if let (From::Tcp(_), Some(names)) = (&**from, &server.names) {
        guard::check(names, &head.headers, head.uri.path() == "/")?;
    }
    if head.uri.authority().is_some() || head.uri.scheme().is_some() {
        return Err(Problem::refused(421, "host", "this is no proxy"));
    }
    let (route, named) = route::find(&head.method, head.uri.path())?;
    let who = match route.right {
        Right::Anybody => None,
        right => {
            let who = auth::known(server, from, &head.headers)
                .and_then(|who| auth::may(&who, right).map(|()| who));
            if who.is_err() && !server.rates.unknown.takes() {
                return Err(too_many());
            }
            Some(who?)
        }
    };
    // What strangers do must not use up what is left to those who are known, nor keep the right code out.
    let has_room = match who {
        Some(_) => server.rates.known.takes(),
        None => route.name == route::Name::Login || server.rates.strangers.takes(),
    };
    if !has_room {
        return Err(too_many());
    }
    if server.is_stopping() {
        return Err(Problem::new(503, "stopping", "the inbox stops")
            .with_hint("start it again with `sayso serve`"));
    }
    let query = query(head.uri.query().unwrap_or_default())?;
    let body = match route.body {
        None => Value::Null.into(),
        Some(most) => self::body(&head.headers, body, most).await?,
    };
    Ok(Asked {
        route,
        named,
        query,
        headers: head.headers,
        body,
        from: Arc::clone(from),
        who,
    })
}

/// The parameters behind the path. One that stands there twice could be read in two ways.
fn query(text: &str) -> Result<Vec<(String, String)>, Problem> {
    if text.len() > LONGEST_QUERY {
        return Err(Problem::unreadable("what stands behind `?` is too long"));
    }
    let mut out: Vec<(String, String)> = Vec::new();
    for pair in text.split('&').filter(|pair| !pair.is_empty()) {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        let read =
            |text: &str| decoded(&text.replace('+', " ")).filter(|text| !text.contains('\0'));
        let (Some(key), Some(value)) = (read(key), read(value)) else {
            return Err(Problem::unreadable("what stands behind `?` cannot be read"));
        };
        if value.chars().count() > LONGEST_VALUE {
            return Err(Problem::unreadable(format!("`{key}` is too long")));
        }
        if out.iter().any(|(known, _)| *known == key) {
            return Err(Problem::unreadable(format!("`{key}` stands there twice")));
        }
        out.push((key, value));
    }
    Ok(out)
}

/// The one JSON object of a body. A key that stands there twice is an error of it.
async fn body(headers: &HeaderMap, mut body: Incoming, most: usize) -> Result<Node, Problem> {
    let media = headers
        .get("content-type")
        .and_then(|media| media.to_str().ok())
        .unwrap_or_default();
    let media = media.split(';').next().unwrap_or_default().trim();
    // No form of another page can send this without asking first.
    if !media.eq_ignore_ascii_case("application/json") {
        return Err(Problem::new(
            415,
            "media",
            "the body has to be `application/json`",
        ));
    }
    let too_large = || {
        Problem::new(
            413,
            "too-large",
            format!("the body has more than {most} bytes"),
        )
    };
    if body.size_hint().lower() > most as u64 {
        return Err(too_large());
    }
    let whole = async {
        let mut bytes = Vec::new();
        while let Some(frame) = body.frame().await {
            let frame = frame
                .map_err(|error| Problem::unreadable(format!("the body broke off: {error}")))?;
            if let Some(data) = frame.data_ref() {
                if bytes.len() + data.len() > most {
                    return Err(too_large());
                }
                bytes.extend_from_slice(data);
            }
        }
        Ok(bytes)
    };
    let bytes = timeout(BODY, whole)
        .await
        .map_err(|_| Problem::new(408, "too-slow", "the body did not come in time"))??;
    let text = std::str::from_utf8(&bytes).map_err(|error| {
        Problem::unreadable(format!(
            "the body is no UTF-8, at byte {}",
            error.valid_up_to() + 1
        ))
    })?;
    let limits = Limits {
        bytes: most,
        depth: 256,
        nodes: 4_000_000,
    };
    let node = json::read(text, &limits).map_err(|finding| {
        Problem::unreadable(format!(
            "the body is no sound JSON: {} (byte {})",
            finding.message,
            finding.span.start + 1
        ))
    })?;
    match node.value {
        Value::Map(_) => Ok(node),
        _ => Err(Problem::unreadable(format!(
            "the body is {}, not an object",
            node.kind_word()
        ))),
    }
}
